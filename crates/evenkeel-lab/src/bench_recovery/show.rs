//! The report as text.
//!
//! It must not know how anything was measured.

use std::io::{self, Write};

use crate::aligned::aligned;
use crate::disturbance::{marked, warning};
use crate::logdisk::words::three;

use super::{Line, Report};

pub(crate) const HEADINGS: [&str; 11] = [
    "recovery",
    "prefetch",
    "ready s",
    "redo s",
    "MB read",
    "tx/s",
    "tx/min",
    "x run rate",
    "archive MB",
    "stalls",
    "stolen %",
];
/// These columns stand to the left.
const LEFT: usize = 2;

/// Writes the tables, and what has to be known to read them.
pub fn write_text(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", report.command)?;
    writeln!(out, "{}", report.machine)?;
    writeln!(out, "{}", report.load)?;
    let runs = report.lines.first().map_or(0, |l| l.trials.len());
    writeln!(
        out,
        "{}\n",
        if runs == 1 { "one recovery a line".into() } else { format!("medians of {runs} recoveries a line") }
    )?;
    for load in &report.loads {
        let log = load.log_bytes.map_or(String::new(), |b| format!(", {} MB of log", three(b as f64 / 1e6)));
        let images = load.images.map_or(String::new(), |n| format!(", {n} page images"));
        writeln!(
            out,
            "  {}: {} transactions, {:.0} a second{log}{images}",
            load.label, load.transactions, load.tps
        )?;
    }
    writeln!(out)?;
    let rows: Vec<Vec<String>> = std::iter::once(HEADINGS.map(String::from))
        .chain(report.lines.iter().map(|l| cells_of(report, l)))
        .map(Vec::from)
        .collect();
    for line in aligned(&rows, |c| c < LEFT) {
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "\nready: from the start of the program until it could be used, or of the replay until the database was complete; redo: the part of it that replays; \
         MB read: from the disk while it did so; tx/s: transactions of the load by redo seconds; x run rate: against the load's own rate; archive: log only; \
         stalls: times that this machine stood still for over 25 ms; stolen: what other machines on this hardware had of the processors; \
         !: they spoilt the row"
    )?;
    let noted = report.lines.iter().filter_map(|l| warning(&l.name(), l.median.disturbance));
    report.warnings.iter().cloned().chain(noted).try_for_each(|warning| writeln!(out, "WARNING  {warning}"))
}

/// The cells of a line, under [`HEADINGS`].
pub(crate) fn cells_of(report: &Report, line: &Line) -> [String; 11] {
    let (m, load) = (&line.median, &report.loads[line.load]);
    let some = |x: Option<f64>| x.map_or(String::new(), three);
    let rate = load.transactions as f64 / m.redo_s.filter(|s| *s > 0.0).unwrap_or(m.seconds).max(1e-9);
    [
        marked(&line.label, m.disturbance),
        line.prefetch.map_or("", |p| if p { "yes" } else { "no" }).into(),
        three(m.seconds),
        some(m.redo_s),
        some(m.read_bytes.map(|b| b as f64 / 1e6)),
        format!("{rate:.0}"),
        format!("{:.0}", rate * 60.0),
        some(Some(rate / load.tps.max(1e-9))),
        some(line.archive_bytes.map(|b| b as f64 / 1e6)),
        m.disturbance.map_or(String::new(), |d| d.stalls.to_string()),
        m.disturbance.and_then(|d| d.stolen_percent).map_or(String::new(), |p| format!("{p:.1}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_recovery::{Loaded, Trial};
    use crate::disturbance::Disturbance;

    #[test]
    fn a_line_relates_the_replay_to_the_run() {
        let median =
            Trial { seconds: 5.0, redo_s: Some(4.0), read_bytes: Some(2_000_000), disturbance: None };
        let line = Line {
            label: "crash, images".into(),
            prefetch: Some(true),
            load: 0,
            archive_bytes: None,
            trials: vec![median],
            median,
        };
        let load = Loaded {
            label: "evenkeel".into(),
            transactions: 400_000,
            tps: 10_000.0,
            log_bytes: None,
            images: None,
        };
        let mut report = Report {
            command: "c".into(),
            machine: "m".into(),
            load: "l".into(),
            loads: vec![load],
            lines: vec![line],
            warnings: vec!["beware".into()],
        };
        let mut text = Vec::new();
        write_text(&report, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.ends_with("\nWARNING  beware\n"));
        assert!(!text.contains("crash, images !"));
        let row: Vec<&str> =
            text.lines().find(|l| l.starts_with("crash")).unwrap().split_whitespace().collect();
        assert_eq!(row, ["crash,", "images", "yes", "5.00", "4.00", "2.00", "100000", "6000000", "10.0"]);

        let stolen = Disturbance { seconds: 5.0, stolen_percent: Some(17.5), ..Disturbance::default() };
        report.lines[0].median.disturbance = Some(stolen);
        let mut text = Vec::new();
        write_text(&report, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("\ncrash, images !"), "{text}");
        assert!(
            text.contains("\nWARNING  crash, images, prefetch: other machines on this hardware had 18 %")
        );
    }
}
