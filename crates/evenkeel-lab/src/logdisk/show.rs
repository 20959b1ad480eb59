//! The report as text.
//!
//! It must not know how anything was concluded.

use std::io::{self, Write};

use super::plan::BLOCKS;
use super::report::{Outcome, Phase, Report, Row};
use super::rig::Facts;
use super::sample::Figures;
use super::words::{three, time};
use crate::aligned::aligned;

/// With fewer writes the 99th percentile is about the slowest one.
const P99_WRITES_MIN: u64 = 100;
const REASON_WIDTH: usize = 96;

/// Writes the tables, the warnings and the recommendation.
pub fn write_text(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", facts_line(&report.facts, report.measured_rpm, report.free_hold_us))?;
    for phase in Phase::ALL {
        let rows: Vec<&Row> = report.rows.iter().filter(|r| r.phase == phase).collect();
        if !rows.is_empty() {
            writeln!(out, "\n{}", phase.title())?;
            write_phase(&rows, out)?;
        }
    }
    let few = |r: &Row| r.figures().is_some_and(|f| f.writes < P99_WRITES_MIN);
    if report.rows.iter().any(few) {
        writeln!(out, "\n* fewer than {P99_WRITES_MIN} writes: p99 is the slowest or nearly so")?;
    }
    for warning in &report.warnings {
        writeln!(out)?;
        write_wrapped(out, "WARNING  ", warning)?;
    }
    writeln!(out, "\nDifferences under {:.0} % are noise here and decide nothing.", report.margin * 100.0)?;
    let doubt = if report.reliable { "" } else { " (not reliable: see the warnings)" };
    writeln!(out, "\nRecommended for {}: {}{doubt}", report.objective.name(), report.way)?;
    for advice in &report.settings {
        writeln!(out, "\n  {} = {}", advice.setting, advice.value)?;
        write_wrapped(out, "      ", &advice.reason)?;
    }
    writeln!(out, "\nAlso found{doubt}")?;
    for finding in &report.findings {
        write_wrapped(out, "  - ", finding)?;
    }
    writeln!(out, "\n{} measurements in {:.0} s", report.rows.len(), report.seconds)
}

/// What is known of a disk, in one line.
pub fn facts_line(facts: &Facts, measured_rpm: Option<f64>, free_hold_us: u32) -> String {
    let mut parts = vec![facts.folder.clone()];
    parts.extend(facts.filesystem.clone());
    parts.extend(facts.device.clone());
    if facts.virtual_device {
        parts.push("virtual".into());
    }
    match (measured_rpm, facts.rotational, facts.virtual_device) {
        (Some(rpm), ..) => parts.push(format!("turns at {rpm:.0} rpm, by the ends of its writes")),
        (None, ..) if free_hold_us > 0 => parts.push("ends its writes at fixed moments".into()),
        (None, Some(true), false) => parts.push("says that it rotates".into()),
        (None, Some(false), false) => parts.push("does not rotate".into()),
        _ => {}
    }
    match facts.volatile_cache {
        Some(true) => parts.push("volatile write cache".into()),
        Some(false) => parts.push("no volatile write cache".into()),
        None => {}
    }
    parts.join(", ")
}

const HEADINGS: [&str; 14] = [
    "method",
    "block",
    "depth",
    "tail",
    "start",
    "clients",
    "record",
    "file",
    "p50",
    "p99",
    "commits/s",
    "gang",
    "MB/s",
    "wasted",
];
/// Columns that stand to the left.
const LEFT: [usize; 4] = [0, 3, 4, 7];

fn write_phase(rows: &[&Row], out: &mut impl Write) -> io::Result<()> {
    let streams = matches!(rows[0].phase, Phase::Tail | Phase::Streams);
    let growth = rows[0].phase == Phase::Growth;
    let hold = rows[0].phase == Phase::Hold;
    // What is the same in every row of a phase is left out.
    let shown = |column: usize| match column {
        3 | 5 | 6 | 11 | 13 => streams,
        4 => streams || hold,
        7 => growth,
        1 => !growth && !hold && !streams,
        2 => !growth && !hold,
        12 => !hold,
        _ => true,
    };
    let cells: Vec<[String; 14]> = rows.iter().map(|r| cells_of(r)).collect();
    let columns: Vec<usize> = (0..HEADINGS.len()).filter(|&c| shown(c)).collect();
    // Of what could not be measured there is only what it would have been.
    let until = columns.iter().position(|&c| c == 8).unwrap_or(0);
    let shown = |row: &[String; 14], named: usize| -> Vec<String> {
        let cell = |(n, &c): (usize, &usize)| if n < named { row[c].clone() } else { String::new() };
        columns.iter().enumerate().map(cell).collect()
    };
    let mut lines = vec![shown(&HEADINGS.map(String::from), columns.len())];
    for (row, cells) in rows.iter().zip(&cells) {
        let named = if matches!(row.outcome, Outcome::Figures(_)) { columns.len() } else { until };
        lines.push(shown(cells, named));
    }
    let mut lines = aligned(&lines, |c| LEFT.contains(&columns[c])).into_iter();
    writeln!(out, "  {}", lines.next().unwrap_or_default())?;
    for (row, line) in rows.iter().zip(lines) {
        match &row.outcome {
            Outcome::Figures(_) => writeln!(out, "  {line}")?,
            Outcome::Unavailable(why) => writeln!(out, "  {line}  not available: {why}")?,
        }
    }
    Ok(())
}

fn cells_of(row: &Row) -> [String; 14] {
    let s = &row.spec;
    let mut cells: [String; 14] = Default::default();
    cells[0] = s.method.name().into();
    if s.think_us_max > 0 && !s.ganged {
        cells[0] += ", at random";
    }
    cells[1] = format!("{} KiB", s.block_bytes / 1024);
    cells[2] = s.depth.to_string();
    cells[3] = s.tail.name().into();
    cells[4] = s.start.to_string();
    cells[5] = s.clients.to_string();
    cells[6] = if s.record_bytes < BLOCKS[0] {
        format!("{} B", s.record_bytes)
    } else {
        format!("{} KiB", s.record_bytes / 1024)
    };
    cells[7] = s.growth.name().into();
    if let Some(f) = row.figures() {
        // Of late starts the time from one end to the next counts.
        figures(f, s.ganged || row.phase == Phase::Hold, &mut cells);
    }
    cells
}

fn figures(f: &Figures, ganged: bool, cells: &mut [String; 14]) {
    let (p50, p99) =
        if ganged { (f.commit_us_p50, f.commit_us_p99) } else { (f.write_us_p50, f.write_us_p99) };
    let few = if f.writes < P99_WRITES_MIN { "*" } else { "" };
    cells[8] = time(p50);
    cells[9] = format!("{}{few}", time(p99));
    cells[10] = format!("{:.0}", f.commits_per_s);
    cells[11] = three(f.commits_per_write);
    cells[12] = three(f.log_mb_per_s);
    cells[13] = format!("{:.0} B", f.padding_bytes_per_commit);
}

/// Writes a text broken into lines, the first after `lead`, the others under it.
fn write_wrapped(out: &mut impl Write, lead: &str, text: &str) -> io::Result<()> {
    let indent = " ".repeat(lead.chars().count());
    let mut line = String::from(lead);
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > REASON_WIDTH {
            writeln!(out, "{line}")?;
            line = indent.clone();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    writeln!(out, "{line}")
}
