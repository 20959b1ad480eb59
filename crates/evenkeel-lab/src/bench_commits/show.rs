//! The report as text.
//!
//! It must not know how anything was measured.

use std::io::{self, Write};

use super::report::{Point, Report};
use crate::aligned::aligned;
use crate::disturbance::marked;
use crate::logdisk::words::three;

const HEADINGS: [&str; 16] = [
    "clients",
    "target",
    "rate",
    "commits/s",
    "flushes/s",
    "gang",
    "log B",
    "p50 ms",
    "p99 ms",
    "max ms",
    "own p50",
    "own p99",
    "load %",
    "stalls",
    "stolen",
    "ratio",
];
/// This column stands to the left.
const LEFT: usize = 1;

/// Writes the table, and what has to be known to read it.
pub fn write_text(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", report.command)?;
    writeln!(out, "{}", report.machine)?;
    writeln!(
        out,
        "each client inserts rows of {} bytes into a table of its own, one durable commit each; {} of {} s a point{}{}",
        report.bytes,
        if report.runs == 1 { "one run".into() } else { format!("medians of {} runs", report.runs) },
        report.seconds_per_point,
        if report.targets.len() > 1 { ", alternating" } else { "" },
        if report.runs == 1 { "" } else { "; percentiles are of all runs together" },
    )?;
    for target in &report.targets {
        let settings: Vec<String> = target.settings.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let colon = if settings.is_empty() { "" } else { ": " };
        writeln!(out, "  {} ({}){colon}{}", target.name, target.place, settings.join(", "))?;
    }
    writeln!(out)?;
    write_table(report, out)?;
    writeln!(out)?;
    let first = report.targets.first().map_or("", |t| &t.name);
    let mut notes = Vec::new();
    if report.points.iter().any(|p| p.median.commits_per_flush.is_some()) {
        notes.push("gang: commits a flush".to_string());
    }
    if report.points.iter().any(|p| p.median.generator_share.is_some()) {
        notes.push("load: share of one processor that the clients used".to_string());
    }
    if report.points.iter().any(|p| p.median.own_p50_ms.is_some()) {
        notes.push("own: without the wait for the client's commits before, ms".to_string());
    }
    if report.points.iter().any(|p| p.median.disturbance.is_some()) {
        notes.push("stalls: times that this machine stood still for over 25 ms; stolen: % of the processors that other machines had; !: they spoilt the line".into());
    }
    if report.targets.len() > 1 {
        notes.push(format!("ratio: {first} against this line, commits/s within a run"));
    }
    if !notes.is_empty() {
        writeln!(out, "{}", notes.join("; "))?;
    }
    for warning in &report.warnings {
        writeln!(out, "WARNING  {warning}")?;
    }
    let s = if report.points.len() == 1 { "" } else { "s" };
    writeln!(out, "{} point{s} in {:.0} s", report.points.len(), report.seconds)
}

fn write_table(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let mut last_clients = None;
    let rows: Vec<[String; 16]> = report
        .points
        .iter()
        .map(|p| {
            let mut cells = cells_of(p, &report.targets[p.target].name);
            if last_clients.replace(p.clients) == Some(p.clients) {
                cells[0].clear();
            }
            cells
        })
        .collect();
    // What no line has is left out.
    let columns: Vec<usize> =
        (0..HEADINGS.len()).filter(|&c| rows.iter().any(|r| !r[c].is_empty())).collect();
    let headings = HEADINGS.map(String::from);
    let shown = |row: &[String; 16]| columns.iter().map(|&c| row[c].clone()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(&headings).chain(&rows).map(shown).collect();
    for line in aligned(&rows, |c| columns[c] == LEFT) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn cells_of(point: &Point, name: &str) -> [String; 16] {
    let f = &point.median;
    let whole = |x: f64| format!("{x:.0}");
    let optional = |x: Option<f64>, show: &dyn Fn(f64) -> String| x.map(show).unwrap_or_default();
    [
        point.clients.to_string(),
        marked(name, f.disturbance),
        optional(point.rate_per_s, &whole),
        whole(f.commits_per_s),
        optional(f.flushes_per_s, &whole),
        optional(f.commits_per_flush, &three),
        optional(f.log_bytes_per_commit, &whole),
        three(f.p50_ms),
        three(f.p99_ms),
        three(f.max_ms),
        optional(f.own_p50_ms, &three),
        optional(f.own_p99_ms, &three),
        optional(f.generator_share, &|x| whole(x * 100.0)),
        f.disturbance.map_or(String::new(), |d| d.stalls.to_string()),
        f.disturbance.and_then(|d| d.stolen_percent).map_or(String::new(), |p| format!("{p:.1}")),
        optional(point.ratio, &three),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::sample;
    use super::super::report::{Figures, TargetFacts};
    use super::*;

    fn report() -> Report {
        let figures = Figures::of(&sample(1000, 275)).unwrap();
        let point = |clients, target, ratio| Point {
            clients,
            rate_per_s: None,
            target,
            runs: vec![figures],
            median: Figures { generator_share: (target == 1).then_some(0.25), ..figures },
            ratio,
        };
        let facts = |name: &str, settings: &[(&str, &str)]| TargetFacts {
            name: name.into(),
            place: "here".into(),
            settings: settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect(),
        };
        Report {
            command: "evenkeel bench commits".into(),
            machine: "2 processors".into(),
            bytes: 100,
            seconds_per_point: 2.0,
            runs: 3,
            targets: vec![facts("ours", &[("fsync", "on")]), facts("theirs 18", &[])],
            points: vec![point(1, 0, None), point(1, 1, Some(2.0)), point(64, 0, None)],
            warnings: vec!["beware".into()],
            seconds: 12.3,
        }
    }

    #[test]
    fn the_table_has_a_line_for_each_point_and_only_columns_that_say_something() {
        let mut out = Vec::new();
        write_text(&report(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected = "\
evenkeel bench commits
2 processors
each client inserts rows of 100 bytes into a table of its own, one durable commit each; medians of 3 runs of 2 s a point, alternating; percentiles are of all runs together
  ours (here): fsync = on
  theirs 18 (here)

clients  target     commits/s  flushes/s  gang  log B  p50 ms  p99 ms  max ms  load %  ratio
      1  ours             500        125  4.00    200    50.0    99.0     100
         theirs 18        500        125  4.00    200    50.0    99.0     100      25   2.00
     64  ours             500        125  4.00    200    50.0    99.0     100

gang: commits a flush; load: share of one processor that the clients used; ratio: ours against this line, commits/s within a run
WARNING  beware
3 points in 12 s
";
        assert_eq!(text, expected, "\n{text}");
    }

    #[test]
    fn the_json_holds_every_run() {
        let json: serde_json::Value = serde_json::from_str(&report().to_json()).unwrap();
        assert_eq!(json["points"][1]["ratio"], 2.0);
        assert_eq!(json["points"][0]["runs"][0]["commits_per_s"], 500.0);
    }
}
