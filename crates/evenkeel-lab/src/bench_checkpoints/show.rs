//! The report as text.
//!
//! It must not know how anything was measured.

use std::io::{self, Write};

use super::figures::Figures;
use super::minutes;
use super::result::{Line, Report};
use crate::aligned::aligned;
use crate::logdisk::words::three;

/// One column: its heading, what it means, how a line shows it.
pub struct Column {
    /// Short.
    pub heading: &'static str,
    /// Long; empty where the heading says it all.
    pub meaning: &'static str,
    show: fn(&Line) -> String,
}

/// Two tables for each rate: what clients saw, and what checkpoints did.
const PARTS: [&[Column]; 2] = [LOAD, CHECKPOINTS];

/// In the form of thread A's tables: tps ± stddev, latency, shares of bad seconds, late transactions.
const LOAD: &[Column] = &[
    column("row", "! the machine spoilt it, see below", Line::marked),
    column("tps", "± standard deviation over the seconds", |l| {
        plus_minus(l.median.tps, l.median.tps_stddev)
    }),
    column("avg ms", "mean latency ± standard deviation", |l| {
        plus_minus(l.median.mean_ms, l.median.stddev_ms)
    }),
    column("p50", "latency, ms", |l| three(l.median.p50_ms)),
    column("p99", "", |l| three(l.median.p99_ms)),
    column("p99.9", "", |l| three(l.median.p999_ms)),
    column("max", "", |l| three(l.median.max_ms)),
    column("pooled", "p99.9 of the transactions of all runs together", |l| {
        if l.runs.len() > 1 { three(l.pooled.p999_ms) } else { String::new() }
    }),
    column("range", "p99.9 of single runs", |l| {
        let (low, high) = l.pooled.p999_range_ms;
        if l.runs.len() > 1 { format!("{}–{}", three(low), three(high)) } else { String::new() }
    }),
    column("× held", "p99.9 against that of the row whose rounds are held back, in the same run", |l| {
        some(l.p999_to_held_back, three)
    }),
    column("<10 tps", "% of seconds under 10 transactions", |l| percent(l.median.under_10_percent)),
    column("<half", "% of seconds under half of the median second", |l| percent(l.median.under_half_percent)),
    column("low/med", "lowest second against the median one", |l| {
        format!("{:.2}", l.median.lowest_to_median)
    }),
    column(
        "own low",
        "the same without the seconds in which other machines had over 2 % of the processors' time",
        |l| some(l.median.lowest_undisturbed, |x| format!("{x:.2}")),
    ),
    column("late %", "transactions over the limit or skipped", |l| percent(l.median.late_percent)),
    column(">100 ms", "% of transactions over 100 ms", |l| percent(l.median.over_100_ms_percent)),
    column("failed", "transactions that the server refused", |l| most(l.median.failed)),
];

/// In the form of thread D's, with who wrote what.
const CHECKPOINTS: &[Column] = &[
    column("row", "", |l| l.label.clone()),
    column("cycles", "checkpoints, or cycles of rounds, that ended", |l| format!("{:.1}", l.median.cycles)),
    column("write s", "seconds of writing in one", |l| seconds(l.median.write_s)),
    column("sync s", "seconds of syncing in one", |l| seconds(l.median.sync_s)),
    column("total s", "both", |l| seconds(l.median.total_s)),
    column(
        "punct",
        "punctuality: a cycle's length against checkpoint_timeout; for other servers a checkpoint's total against completion target × timeout",
        |l| some(l.median.punctuality, |x| format!("{x:.2}")),
    ),
    column("img/s", "full-page images a second", |l| some(l.median.images_per_s, whole)),
    column("img peak", "their peak over 5 s against their mean over whole cycles", |l| {
        some(l.median.images_peak_to_mean, three)
    }),
    column("log MB", "", |l| some(l.median.log_mb, whole)),
    column("redo MB", "log that recovery would read, at worst", |l| some(l.median.recovery_mb_max, whole)),
    column("apply MB", "log that it would apply for a page on average, mean over time", |l| {
        some(l.median.applied_mb_mean, whole)
    }),
    column("by ckpt", "pages written by the checkpointer", |l| some(l.median.by_checkpointer, whole)),
    column("by clean", "pages written by the background writer", |l| some(l.median.by_cleaner, whole)),
    column("by back", "pages written by backends", |l| some(l.median.by_backends, whole)),
    column("extend", "pages by which backends extended files", |l| some(l.median.extended, whole)),
    column("cpu s", "processor time of the server", |l| some(l.median.cpu_s, |x| format!("{x:.1}"))),
    column("stolen %", "processor time that other machines on the same hardware had", |l| {
        some(l.median.stolen_percent, |x| format!("{x:.1}"))
    }),
    column(
        "stalls",
        "times that a thread which sleeps 1 ms woke up over 25 ms late: the whole machine stood still",
        |l| some(l.median.stalls, whole),
    ),
    column("stall ms", "the latest it woke up", |l| some(l.median.stall_max_ms, three)),
];

const fn column(heading: &'static str, meaning: &'static str, show: fn(&Line) -> String) -> Column {
    Column { heading, meaning, show }
}

fn some(x: Option<f64>, show: impl Fn(f64) -> String) -> String {
    x.map(show).unwrap_or_default()
}

fn whole(x: f64) -> String {
    format!("{x:.0}")
}

fn seconds(x: Option<f64>) -> String {
    some(x, |x| format!("{x:.1}"))
}

fn percent(x: f64) -> String {
    // What is there at all must not look like nothing.
    if x > 0.0 && x < 0.05 { "<0.05".into() } else { format!("{x:.1}") }
}

/// Nothing, if there is nothing.
fn most(x: f64) -> String {
    if x > 0.0 { whole(x) } else { String::new() }
}

fn plus_minus(x: f64, stddev: f64) -> String {
    format!("{} ± {}", three(x), three(stddev))
}

/// A table of a rate.
pub struct Table<'a> {
    /// What was asked for.
    pub title: String,
    /// The first of this rate.
    pub first: bool,
    /// Columns of which some line says something.
    pub columns: Vec<&'static Column>,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
    /// Whose they are.
    pub lines: Vec<&'a Line>,
}

/// The tables.
pub fn tables(report: &Report) -> Vec<Table<'_>> {
    let mut groups: Vec<Vec<&Line>> = Vec::new();
    for line in &report.lines {
        match groups.last_mut().filter(|g| g[0].rate == line.rate) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    let mut out = Vec::new();
    for lines in groups {
        for (part, all) in PARTS.into_iter().enumerate() {
            let says = |c: &&'static Column| lines.iter().any(|l| !(c.show)(l).is_empty());
            let columns: Vec<&'static Column> = all.iter().filter(says).collect();
            let rows = lines.iter().map(|l| columns.iter().map(|c| (c.show)(l)).collect()).collect();
            out.push(Table { title: title(&lines), first: part == 0, columns, rows, lines: lines.clone() });
        }
    }
    out
}

/// The same, as text: title, headings, rows.
pub fn text_tables(report: &Report) -> Vec<(String, Vec<String>, Vec<Vec<String>>)> {
    let one = |t: Table<'_>| {
        let part = if t.first { t.title } else { format!("{}: checkpoints", t.title) };
        (part, t.columns.iter().map(|c| c.heading.to_string()).collect(), t.rows)
    };
    tables(report).into_iter().map(one).collect()
}

/// What their columns mean, each once.
pub fn column_meanings(report: &Report) -> Vec<(&'static str, &'static str)> {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for c in tables(report).into_iter().flat_map(|t| t.columns) {
        if !c.meaning.is_empty() && all.iter().all(|(heading, _)| *heading != c.heading) {
            all.push((c.heading, c.meaning));
        }
    }
    all
}

fn title(lines: &[&Line]) -> String {
    let rate = lines[0].rate.to_string();
    let rates: Vec<f64> = lines.iter().filter_map(|l| l.rate_per_s).collect();
    let (low, high) = rates.iter().fold((f64::MAX, 0.0_f64), |(low, high), r| (low.min(*r), high.max(*r)));
    match lines[0].rate {
        super::Rate::Share(_) if low == high => format!("{rate}: {low:.0}/s"),
        super::Rate::Share(_) if low < high => format!("{rate}: {low:.0} to {high:.0}/s"),
        _ => rate,
    }
}

/// What was measured, in words.
pub fn circumstances(report: &Report) -> String {
    let runs = report.lines.iter().map(|l| l.runs.len()).max().unwrap_or(1);
    let runs = if runs == 1 { "one run".into() } else { format!("medians of {runs} runs") };
    let limit = report.limit_ms;
    format!(
        "simple update (pgbench -N), load by {}, scale {}, {} client{}; {runs} of {} s after {} s; late: over {limit} ms",
        report.load,
        report.scale,
        report.clients,
        if report.clients == 1 { "" } else { "s" },
        report.seconds,
        report.warm_up_seconds,
    )
}

/// Each row with its product and settings.
pub fn systems(report: &Report) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for r in &report.results {
        if out.iter().any(|(label, _)| *label == r.row.label) {
            continue;
        }
        let settings: Vec<String> = r.settings.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        out.push((r.row.label.clone(), format!("{}: {}", r.product, settings.join(", "))));
    }
    out
}

/// Writes the tables, and what has to be known to read them.
pub fn write_text(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}\n{}\n{}", report.command, report.machine, circumstances(report))?;
    for (label, settings) in systems(report) {
        writeln!(out, "  {label}: {settings}")?;
    }
    let tables = tables(report);
    for table in &tables {
        if table.first {
            writeln!(out, "\n{}", table.title)?;
        }
        writeln!(out)?;
        let headings = table.columns.iter().map(|c| c.heading.to_string()).collect();
        let rows: Vec<Vec<String>> = std::iter::once(headings).chain(table.rows.iter().cloned()).collect();
        for line in aligned(&rows, |c| c == 0) {
            writeln!(out, "{line}")?;
        }
    }
    write_minutes(report, out)?;
    writeln!(out)?;
    for column in PARTS.into_iter().flatten() {
        let shown = tables.iter().any(|t| t.columns.iter().any(|c| c.heading == column.heading));
        if shown && !column.meaning.is_empty() {
            writeln!(out, "  {:<8}  {}", column.heading, column.meaning)?;
        }
    }
    for warning in &report.warnings {
        writeln!(out, "WARNING  {warning}")?;
    }
    Ok(())
}

/// Rows by their minutes, and the worst of them, of runs along a curve, or with events.
fn write_minutes(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let over_runs = minutes::of_all_runs(report);
    if !over_runs.is_empty() {
        writeln!(out, "\nby minutes, of all runs")?;
        let head = minutes::OVER_RUNS.map(String::from);
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(over_runs).map(Vec::from).collect();
        for line in aligned(&rows, |c| c == 0) {
            writeln!(out, "{line}")?;
        }
        writeln!(out, "({})", minutes::OVER_RUNS_MEANS)?;
    }
    for (title, rows) in worst_tables(report) {
        writeln!(out, "\n{title}")?;
        let head = minutes::HEADINGS.map(String::from).to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
        for line in aligned(&rows, |c| c == 0 || c == 7) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// For each line whose load changed: a title, and its worst minutes under [`minutes::HEADINGS`].
pub fn worst_tables(report: &Report) -> Vec<(String, Vec<Vec<String>>)> {
    let of = |line: &Line| {
        let run = report.typical(line).filter(|r| !r.asked.is_empty() || !r.events.is_empty())?;
        let worst = minutes::worst(run);
        let span = if worst.iter().any(|m| m.seconds > 10) { "minutes" } else { "10 seconds" };
        let title = format!("{}, {}: the worst {span}", line.label, line.rate);
        Some((title, worst.iter().map(|m| m.cells().to_vec()).collect()))
    };
    report.lines.iter().filter_map(of).collect()
}

/// Figures in one line, for a chart's caption.
pub fn caption(f: &Figures) -> String {
    format!(
        "{} tps, p50 {} ms, p99 {} ms, p99.9 {} ms, max {} ms",
        plus_minus(f.tps, f.tps_stddev),
        three(f.p50_ms),
        three(f.p99_ms),
        three(f.p999_ms),
        three(f.max_ms)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_checkpoints::tests::report;

    fn text() -> String {
        let mut out = Vec::new();
        write_text(&report(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn there_is_a_table_for_each_rate_and_a_line_for_each_row() {
        let text = text();
        assert!(text.contains("\nfull speed\n\nrow"), "{text}");
        assert!(text.contains("\n4000/s\n\nrow"), "{text}");
        assert_eq!(text.lines().filter(|l| l.starts_with("ours ")).count(), 4, "{text}");
        assert_eq!(text.lines().filter(|l| l.starts_with("theirs <18> ")).count(), 4, "{text}");
    }

    #[test]
    fn columns_that_say_nothing_are_left_out() {
        let text = text();
        assert!(text.contains("100 ± 0.00") && !text.contains("failed") && !text.contains("punct"), "{text}");
    }

    #[test]
    fn a_tiny_share_is_not_shown_as_none() {
        assert_eq!(
            (percent(0.0), percent(0.01), percent(12.34)),
            ("0.0".into(), "<0.05".into(), "12.3".into())
        );
    }
}
