//! Which systems are measured, with which settings, at which rates.
//!
//! Invariants
//! 1. Labels are unique: results, tables and pages go by them.
//!
//! It must not know how anything is started or measured.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Error;
use evenkeel_client::ConnString;

/// Label of the control row.
pub const HELD_BACK: &str = "rounds held back";
/// The row if none is named.
const DEFAULT: &str = "evenkeel";
/// What a row may have beside settings of the server: sync() is called from outside, so many seconds apart (S13), say 5-10.
pub const OUTSIDE_SYNC: &str = "outside_sync";
/// Settings with which no round begins by itself.
const HELD_BACK_SETTINGS: [(&str, &str); 2] = [("checkpoint_timeout", "1d"), ("max_wal_size", "1000TB")];

/// A system with settings: a line of the table for each rate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub label: String,
    /// What it is.
    pub system: System,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum System {
    /// Our server, started for the measurement.
    Own {
        /// Named group of settings.
        preset: Option<String>,
        /// Settings on top of it; later ones win.
        settings: Vec<(String, String)>,
        /// No checkpoint begins while it is measured: the row that others are compared with.
        held_back: bool,
    },
    /// A server that is running already.
    Running {
        /// Its place in the options.
        server: usize,
        /// As it may be shown.
        place: String,
    },
}

impl Row {
    /// One of our own?
    pub fn is_own(&self) -> bool {
        matches!(self.system, System::Own { .. })
    }

    /// Is it the control row?
    pub fn is_held_back(&self) -> bool {
        matches!(self.system, System::Own { held_back: true, .. })
    }

    /// Seconds between two calls of sync() from outside, at least and at most; None: nobody calls it.
    pub fn outside_sync(&self) -> Option<(f64, f64)> {
        let System::Own { settings, .. } = &self.system else { return None };
        settings.iter().rev().find(|(name, _)| name == OUTSIDE_SYNC).and_then(|(_, value)| between(value))
    }

    /// Its settings in one line.
    pub fn settings_line(&self) -> String {
        match &self.system {
            System::Own { preset, settings, .. } => {
                let preset = preset.iter().map(|p| format!("preset {p}"));
                let settings = settings.iter().map(|(n, v)| format!("{n} = {v}"));
                preset.chain(settings).collect::<Vec<_>>().join(", ")
            }
            System::Running { place, .. } => place.clone(),
        }
    }
}

/// How fast transactions are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Rate {
    /// Each client begins the next one at once.
    Full,
    /// So many a second.
    PerSecond(f64),
    /// This share of what was reached at full speed.
    Share(f64),
    /// As the curve of the options says.
    Curve,
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Full => write!(f, "full speed"),
            Rate::PerSecond(rate) => write!(f, "{rate}/s"),
            Rate::Curve => write!(f, "along the curve"),
            Rate::Share(share) => write!(f, "{} % of full speed", (share * 1e4).round() / 1e2),
        }
    }
}

impl FromStr for Rate {
    type Err = String;

    /// `0`, `4000` or `70%`.
    fn from_str(text: &str) -> Result<Rate, String> {
        let number = |t: &str| t.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
        match text.strip_suffix('%') {
            Some(share) => number(share).filter(|n| *n > 0.0 && *n <= 100.0).map(|n| Rate::Share(n / 100.0)),
            None => number(text).map(|n| if n == 0.0 { Rate::Full } else { Rate::PerSecond(n) }),
        }
        .ok_or_else(|| {
            "expected transactions a second, 0 for full speed, or a percentage of it, up to 100%".into()
        })
    }
}

/// Full speed comes first where a share of it is asked for; nothing twice.
pub fn rates(given: &[Rate]) -> Vec<Rate> {
    let mut out: Vec<Rate> = Vec::new();
    let shares = given.iter().any(|r| matches!(r, Rate::Share(_)));
    let first =
        if given.is_empty() || shares && !given.contains(&Rate::Full) { Some(Rate::Full) } else { None };
    let apart = |share: bool| given.iter().filter(move |r| matches!(r, Rate::Share(_)) == share);
    for rate in first.iter().chain(apart(false)).chain(apart(true)) {
        if !out.contains(rate) {
            out.push(*rate);
        }
    }
    out
}

/// What the user named.
pub struct RowArgs<'a> {
    /// A row each.
    pub presets: &'a [String],
    /// `label: name=value …` each.
    pub free: &'a [String],
    /// Settings of every own row.
    pub set: &'a [(String, String)],
    /// Running servers, with what their rows are called.
    pub against: &'a [(String, ConnString)],
    /// Add the control row.
    pub held_back: bool,
    /// Measure nothing of our own.
    pub no_own: bool,
}

/// The rows: own ones, the control row, running servers.
pub fn rows(args: &RowArgs<'_>) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    let own = |label: &str, preset: Option<String>, more: Vec<(String, String)>| {
        let settings = args.set.iter().cloned().chain(more).collect();
        Row { label: label.into(), system: System::Own { preset, settings, held_back: false } }
    };
    for preset in args.presets {
        rows.push(own(preset, Some(preset.clone()), Vec::new()));
    }
    for text in args.free {
        let (label, preset, settings) = free_row(text)?;
        rows.push(own(&label, preset, settings));
    }
    if rows.is_empty() && !args.no_own {
        rows.push(own(DEFAULT, None, Vec::new()));
    }
    if args.held_back {
        let Some(Row { system: System::Own { preset, settings, .. }, .. }) = rows.first().cloned() else {
            return Err(Error::Options("a control row needs a row of our own that it controls".into()));
        };
        let held = HELD_BACK_SETTINGS.iter().map(|(n, v)| (n.to_string(), v.to_string()));
        let settings = settings.into_iter().chain(held).collect();
        rows.push(Row { label: HELD_BACK.into(), system: System::Own { preset, settings, held_back: true } });
    }
    for (server, (name, to)) in args.against.iter().enumerate() {
        let twice = rows.iter().any(|r| r.label == *name);
        let label = if twice { format!("{name} at {to}") } else { name.clone() };
        rows.push(Row { label, system: System::Running { server, place: to.to_string() } });
    }
    for (n, row) in rows.iter().enumerate() {
        // Invariant 1.
        if rows[..n].iter().any(|r| r.label == row.label) {
            return Err(Error::Options(format!("there are two rows \"{}\"", row.label)));
        }
    }
    if rows.is_empty() {
        return Err(Error::Options("there is nothing to measure".into()));
    }
    Ok(rows)
}

/// `5-10`, or a single number.
fn between(text: &str) -> Option<(f64, f64)> {
    let seconds = |t: &str| t.trim().parse::<f64>().ok().filter(|s| (0.1..=3600.0).contains(s));
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    Some((seconds(low)?, seconds(high)?)).filter(|(low, high)| low <= high)
}

type FreeRow = (String, Option<String>, Vec<(String, String)>);

/// `label: name=value name=value preset=name`.
fn free_row(text: &str) -> Result<FreeRow, Error> {
    let bad = |why: &str| Error::Options(format!("row \"{text}\": {why}; expected 'label: name=value …'"));
    let (label, rest) = text.split_once(':').ok_or_else(|| bad("no label"))?;
    let label = label.trim();
    if label.is_empty() {
        return Err(bad("no label"));
    }
    let (mut preset, mut settings) = (None, Vec::new());
    for word in rest.split_whitespace() {
        let (name, value) = setting(word).map_err(|why| bad(&why))?;
        if name == OUTSIDE_SYNC && between(&value).is_none() {
            return Err(bad(
                "outside_sync takes seconds between two calls, from 0.1 to 3600: outside_sync=5-10",
            ));
        }
        if name == "preset" {
            preset = Some(value);
        } else {
            settings.push((name, value));
        }
    }
    Ok((label.into(), preset, settings))
}

/// `name=value`.
pub fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err(format!("\"{text}\" is not name=value")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|t| t.to_string()).collect()
    }

    fn made(
        presets: &[&str],
        free: &[&str],
        against: &[(&str, &str)],
        held_back: bool,
    ) -> Result<Vec<Row>, Error> {
        let against: Vec<_> = against.iter().map(|(n, c)| (n.to_string(), c.parse().unwrap())).collect();
        rows(&RowArgs {
            presets: &strings(presets),
            free: &strings(free),
            set: &[("shared_buffers".into(), "1GB".into())],
            against: &against,
            held_back,
            no_own: false,
        })
    }

    fn own(preset: Option<&str>, settings: &[(&str, &str)], held_back: bool) -> System {
        let settings = settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        System::Own { preset: preset.map(String::from), settings, held_back }
    }

    #[test]
    fn without_a_word_the_server_runs_as_it_comes() {
        let rows = made(&[], &[], &[], false).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].label, "evenkeel");
        assert_eq!(rows[0].system, own(None, &[("shared_buffers", "1GB")], false));
    }

    #[test]
    fn every_row_gets_the_common_settings_and_its_own_win() {
        let rows = made(&["classic"], &["N=4: preset=classic checkpoint_partitions=4"], &[], false).unwrap();
        assert_eq!(rows[0].system, own(Some("classic"), &[("shared_buffers", "1GB")], false));
        let expected = [("shared_buffers", "1GB"), ("checkpoint_partitions", "4")];
        assert_eq!(
            (rows[1].label.as_str(), &rows[1].system),
            ("N=4", &own(Some("classic"), &expected, false))
        );
    }

    #[test]
    fn the_control_row_is_the_first_row_without_rounds() {
        let rows = made(&["classic", "evenkeel"], &[], &[("PG", "host=h")], true).unwrap();
        let labels: Vec<&str> = rows.iter().map(|r| r.label.as_str()).collect();
        assert_eq!(labels, ["classic", "evenkeel", HELD_BACK, "PG"]);
        assert!(rows[2].is_held_back() && !rows[0].is_held_back());
        assert!(
            rows[2]
                .settings_line()
                .starts_with("preset classic, shared_buffers = 1GB, checkpoint_timeout = 1d")
        );
    }

    #[test]
    fn labels_are_unique() {
        assert!(made(&["classic", "classic"], &[], &[], false).unwrap_err().to_string().contains("classic"));
        let rows =
            made(&[], &[], &[("PG", "host=a dbname=x port=1"), ("PG", "host=b dbname=x port=1")], false)
                .unwrap();
        assert_eq!(rows[2].label, "PG at b:1/x");
    }

    #[test]
    fn free_rows_that_make_no_sense_are_refused() {
        for text in ["a=b", ": a=b", "x: a", "x: =b"] {
            assert!(made(&[], &[text], &[], false).is_err(), "{text}");
        }
    }

    #[test]
    fn full_speed_comes_before_its_shares() {
        let parse = |t: &str| t.parse::<Rate>().unwrap();
        assert_eq!(rates(&[]), [Rate::Full]);
        assert_eq!(
            rates(&[parse("70%"), parse("4000")]),
            [Rate::Full, Rate::PerSecond(4000.0), Rate::Share(0.7)]
        );
        assert_eq!(rates(&[parse("4000"), parse("0"), parse("0")]), [Rate::PerSecond(4000.0), Rate::Full]);
        assert!(["-1", "x", "0%", "inf", "nan"].iter().all(|t| t.parse::<Rate>().is_err()));
        assert_eq!(parse("70%").to_string(), "70 % of full speed");
    }
}
