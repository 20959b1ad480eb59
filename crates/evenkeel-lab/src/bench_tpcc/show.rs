//! The report as text.
//!
//! It must not know how anything was measured.

use std::io::{self, Write};

use super::{KINDS, Report, Server};
use crate::aligned::aligned;
use crate::bench_checkpoints::events::{SUMMARY, summary};
use crate::disturbance::{marked, spoilt, warning};
use crate::logdisk::words::three;
use crate::median::median;

const HEADINGS: [&str; 10] =
    ["server", "transaction", "a minute", "average ms", "deviation", "50 %", "90 %", "99 %", "maximum", ""];
/// These columns stand to the left.
const LEFT: usize = 2;

impl Report {
    /// All of it.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Writes the table, and what has to be known to read it.
pub fn write_text(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", report.command)?;
    writeln!(out, "{}", report.machine)?;
    let runs = report.servers.first().map_or(0, |s| s.new_orders_per_minute.len());
    writeln!(
        out,
        "TPC-C, {} warehouse{}, {} terminals {}{}, {}, {} of {} s each server, in turns\n",
        report.warehouses,
        if report.warehouses == 1 { "" } else { "s" },
        report.terminals,
        if report.think { "that key and think" } else { "without keying and thinking" },
        report.curve.as_ref().map_or(String::new(), |c| format!(", due along {c}, response times from then")),
        if report.batches { "the lines of an order in batches" } else { "a round trip each statement" },
        if runs == 1 { "one run".into() } else { format!("{runs} runs") },
        report.seconds
    )?;
    for server in &report.servers {
        let settings: Vec<String> = server.settings.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let load =
            server.load_seconds.map_or(String::new(), |s| format!("; tables filled in {} s", three(s)));
        writeln!(out, "  {}: {}{load}", server.name, settings.join(", "))?;
    }
    writeln!(out)?;
    let mut rows = vec![Vec::from(HEADINGS.map(String::from))];
    for server in &report.servers {
        rows.extend(rows_of(report, server));
    }
    for line in aligned(&rows, |c| c < LEFT) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for server in &report.servers {
        let again = match server.run_again {
            0 => String::new(),
            n => format!("; {n} transactions were run again"),
        };
        writeln!(
            out,
            "  {}: {} new orders a minute{}{again}; all 12 consistency conditions hold",
            server.name,
            spread(&server.new_orders_per_minute),
            if runs > 1 { ", median and range" } else { "" }
        )?;
    }
    write_thread_d(report, out)?;
    write_beside(report, out)?;
    if let Some((first, others)) = report.servers.split_first() {
        for other in others {
            let pairs = first.new_orders_per_minute.iter().zip(&other.new_orders_per_minute);
            let ratios: Vec<f64> = pairs.map(|(a, b)| a / b.max(1e-9)).collect();
            writeln!(
                out,
                "  {} makes {} times the new orders of {}{}",
                first.name,
                spread(&ratios),
                other.name,
                spoilt([first.disturbance, other.disturbance])
            )?;
        }
    }
    let noted = report.servers.iter().filter_map(|s| warning(&s.name, s.disturbance));
    report.warnings.iter().cloned().chain(noted).try_for_each(|warning| writeln!(out, "WARNING  {warning}"))
}

/// What happened beside the terminals.
fn write_beside(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let row = |server: &str, cells: [String; 5]| -> Vec<String> {
        std::iter::once(server.to_owned()).chain(cells).collect()
    };
    let mut rows = vec![row("server", SUMMARY.map(String::from))];
    for server in &report.servers {
        rows.extend(summary(&server.events).into_iter().map(|cells| row(&server.name, cells)));
    }
    if rows.len() > 1 {
        for line in aligned(&rows, |c| c < LEFT || c == SUMMARY.len()) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Headings of thread D's table: new orders a minute, their response times in seconds, what checkpoints took.
pub(crate) const THREAD_D: [&str; 11] =
    ["server", "NOTPM", "90 %", "avg", "stddev", "max", "write", "sync", "total", "stalls", "stolen %"];

/// Thread D's table (W4): response times are New-Order's.
fn write_thread_d(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out)?;
    let head = THREAD_D.map(String::from);
    let rows: Vec<_> =
        std::iter::once(head).chain(report.servers.iter().map(thread_d)).map(Vec::from).collect();
    for line in aligned(&rows, |c| c == 0) {
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "NOTPM: new orders a minute; their response times and checkpoints' write, sync and total in seconds; \
         stalls: times that this machine stood still for over 25 ms; stolen: what other machines on this hardware had; \
         !: they spoilt the row\n"
    )
}

/// A server's cells under [`THREAD_D`].
pub(crate) fn thread_d(server: &Server) -> [String; 11] {
    let of = |f: fn(&super::Checkpoints) -> Option<f64>| {
        median(&server.checkpoints.iter().filter_map(f).collect::<Vec<_>>())
    };
    let some = |x: Option<f64>| x.map(|x| format!("{x:.1}")).unwrap_or_default();
    let order = server.kinds.first();
    let s = |f: fn(&super::Figures) -> f64| order.map(|k| format!("{:.3}", f(k) / 1e3)).unwrap_or_default();
    let (write, sync) = (of(|c| c.write_s), of(|c| c.sync_s));
    [
        marked(&server.name, server.disturbance),
        spread(&server.new_orders_per_minute),
        s(|k| k.p90_ms),
        s(|k| k.mean_ms),
        s(|k| k.deviation_ms),
        s(|k| k.max_ms),
        some(write),
        some(sync),
        some(write.zip(sync).map(|(w, s)| w + s)),
        server.disturbance.map(|d| d.stalls.to_string()).unwrap_or_default(),
        some(server.disturbance.and_then(|d| d.stolen_percent)),
    ]
}

/// The median, and between what they lie.
fn spread(values: &[f64]) -> String {
    let all = |f: fn(f64, f64) -> f64| values.iter().copied().reduce(f).unwrap_or_default();
    let middle = three(median(values).unwrap_or_default());
    if values.len() < 2 {
        return middle;
    }
    format!("{middle} ({} to {})", three(all(f64::min)), three(all(f64::max)))
}

fn rows_of(report: &Report, server: &Server) -> Vec<Vec<String>> {
    let minutes = server.new_orders_per_minute.len() as f64 * f64::from(report.seconds) / 60.0;
    let row = |(n, figures): (usize, &super::Figures)| {
        let late = figures.p90_ms / 1e3 > KINDS[n].response_seconds_max();
        vec![
            if n == 0 { marked(&server.name, server.disturbance) } else { String::new() },
            figures.kind.clone(),
            three(figures.count as f64 / minutes.max(1e-9)),
            three(figures.mean_ms),
            three(figures.deviation_ms),
            three(figures.p50_ms),
            three(figures.p90_ms),
            three(figures.p99_ms),
            three(figures.max_ms),
            if late { "too slow for the specification".into() } else { String::new() },
        ]
    };
    server.kinds.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_tpcc::{Checkpoints, Figures};
    use crate::disturbance::Disturbance;

    #[test]
    fn the_threads_table_has_new_orders_their_times_and_the_checkpoints() {
        let figures = |kind: super::super::Kind| Figures {
            kind: kind.name().into(),
            count: 120,
            mean_ms: 4226.0,
            deviation_ms: 3853.0,
            p50_ms: 3000.0,
            p90_ms: 9703.0,
            p99_ms: 15_000.0,
            max_ms: 21_754.0,
            buckets: Vec::new(),
        };
        let checkpoint = Checkpoints { cycles: 1.0, write_s: Some(296.6), sync_s: Some(251.9) };
        let server = Server {
            name: "ours".into(),
            settings: vec![("fsync".into(), "on".into())],
            load_seconds: Some(4.0),
            new_orders_per_minute: vec![3600.0, 3700.0],
            kinds: KINDS.map(figures).into(),
            unfinished: 0,
            run_again: 0,
            consistent: true,
            events: Vec::new(),
            checkpoints: vec![checkpoint],
            disturbance: None,
        };
        let mut report = Report {
            command: "evenkeel bench tpcc".into(),
            machine: "2 processors".into(),
            warehouses: 1,
            terminals: 3,
            think: false,
            curve: None,
            batches: true,
            seconds: 60,
            servers: vec![server],
            warnings: vec!["beware".into()],
        };
        let mut out = Vec::new();
        write_text(&report, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let row: Vec<&str> =
            text.lines().rev().find(|l| l.starts_with("ours ")).unwrap().split_whitespace().collect();
        assert_eq!(
            row[1..],
            ["3650", "(3600", "to", "3700)", "9.703", "4.226", "3.853", "21.754", "296.6", "251.9", "548.5"]
        );
        for word in [
            "evenkeel bench tpcc",
            "New-Order",
            "too slow for the specification",
            "all 12 consistency conditions hold",
            "\nWARNING  beware\n",
        ] {
            assert!(text.contains(word), "{word} is missing:\n{text}");
        }
        assert!(!text.contains("ours !"));

        let other = Server { name: "theirs".into(), ..report.servers[0].clone() };
        let stolen = Disturbance { seconds: 60.0, stolen_percent: Some(17.5), ..Disturbance::default() };
        report.servers[0].disturbance = Some(stolen);
        report.servers.push(other);
        let mut out = Vec::new();
        write_text(&report, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!((text.matches("\nours ! ").count(), text.matches("theirs !").count()), (2, 0), "{text}");
        assert!(
            text.contains("new orders of theirs; it says nothing")
                && text.contains("WARNING  ours: other machines")
        );
    }
}
