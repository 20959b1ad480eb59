//! The report as a page that needs nothing else: no script, no font, no picture from anywhere.
//!
//! It must not know how anything was measured.

use std::fmt::Write;

use super::chart::{Curve, Marks, Panel, stack};
use super::digest::Second;
use super::minutes::{self, Minute};
use super::result::{Report, RunResult};
use super::show::{Table, caption, circumstances, systems, tables};
use super::trace::Series;
use crate::page::{self, escaped};

/// Pages as PostgreSQL and ours have them.
const PAGE_BYTES: f64 = 8192.0;

/// The page.
pub fn html(report: &Report) -> String {
    let mut page = page::begin("evenkeel bench checkpoints", "");
    let tables = tables(report);
    let _ = write!(
        page,
        "<h1>Checkpoints under load</h1>\n<p>{}</p><p class=\"dim\">{}</p><p><code>{}</code></p>\n",
        escaped(&circumstances(report)),
        escaped(&report.machine),
        escaped(&report.command)
    );
    report.warnings.iter().for_each(|w| page.push_str(&page::warning(w)));
    for table in &tables {
        write_table(&mut page, table);
    }
    let over_runs = minutes::of_all_runs(report);
    if !over_runs.is_empty() {
        let table = page::table(minutes::OVER_RUNS.map(|h| (h, "")), &over_runs);
        let means = escaped(minutes::OVER_RUNS_MEANS);
        let _ = writeln!(page, "<h2>By minutes, of all runs</h2>{table}<p class=\"dim\">{means}</p>");
    }
    write_key(&mut page, report, &tables);
    page.push_str(&traces(report));
    page.push_str(page::END);
    page
}

/// The traces of all rows, second by second.
pub fn traces(report: &Report) -> String {
    let mut page = String::new();
    for table in tables(report).iter().filter(|t| t.first) {
        write_traces(&mut page, report, table);
    }
    page
}

fn write_table(page: &mut String, table: &Table<'_>) {
    if table.first {
        let _ = writeln!(page, "<h2>{}</h2>", escaped(&table.title));
    }
    let headings = table.columns.iter().map(|c| (c.heading, c.meaning));
    page.push_str(&page::table(headings, &table.rows));
}

/// What columns mean, and what the systems were.
fn write_key(page: &mut String, report: &Report, tables: &[Table<'_>]) {
    let mut told: Vec<(&str, &str)> = Vec::new();
    for column in tables.iter().flat_map(|t| &t.columns).filter(|c| !c.meaning.is_empty()) {
        if !told.iter().any(|(heading, _)| *heading == column.heading) {
            told.push((column.heading, column.meaning));
        }
    }
    let systems = systems(report);
    let systems = systems.iter().map(|(label, settings)| (label.as_str(), settings.as_str()));
    let _ = write!(
        page,
        "<details><summary>What the columns mean</summary>{}</details>\n<details><summary>Systems and their settings</summary>{}</details>\n",
        page::terms(told),
        page::terms(systems)
    );
    page.push_str(
        "<p class=\"dim\"><span class=\"sw\"></span> shaded: a classic checkpoint (PostgreSQL's, or one of a single partition) from its beginning to its end; with \
         more partitions, seconds in which the checkpointer wrote or synced. Thin lines: a checkpoint ended; ticks at the \
         upper edge: a round did. Axes are the same for all rows of a rate.</p>\n",
    );
}

fn write_traces(page: &mut String, report: &Report, table: &Table<'_>) {
    let _ = writeln!(page, "<h2>Second by second: {}</h2>", escaped(&table.title));
    let shown: Vec<_> = table.lines.iter().filter_map(|l| Some((*l, report.typical(l)?))).collect();
    let charts: Vec<Vec<Panel>> = shown.iter().map(|(_, r)| panels(r)).collect();
    // Rows are to be compared by eye: the same axes for all.
    let range = |n: usize| {
        let values = charts.iter().flat_map(|c| &c[n].curves).flat_map(|c| c.values.iter().flatten());
        values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)))
    };
    let ranges: Vec<(f64, f64)> = (0..charts.first().map_or(0, Vec::len)).map(range).collect();
    for ((line, run), mut panels) in shown.iter().zip(charts) {
        panels.iter_mut().zip(&ranges).for_each(|(panel, range)| panel.range = *range);
        let activity = &run.activity;
        // Rounds end too often for lines.
        let marks = Marks { spans: &activity.spans, ends: &activity.ends, lines: activity.partitions <= 1 };
        let of = if line.runs.len() > 1 {
            format!("run {} of {}; ", run.run + 1, line.runs.len())
        } else {
            String::new()
        };
        let _ = writeln!(
            page,
            "<section class=\"row\"><h3>{}</h3><p class=\"dim\">{of}{}</p>{}{}</section>",
            escaped(&line.label),
            escaped(&caption(&line.median)),
            stack(&panels, report.seconds, &marks, &format!("{}, {}: traces", line.label, table.title)),
            by_minute(run)
        );
    }
}

/// The worst minutes, and all of them folded up, of a run whose load changed.
fn by_minute(r: &RunResult) -> String {
    if r.asked.is_empty() && r.events.is_empty() {
        return String::new();
    }
    let table = |of: &[Minute]| page::table(minutes::HEADINGS.map(|h| (h, "")), of.iter().map(Minute::cells));
    format!(
        "<p><b>The worst, and what happened in them</b></p>{}<details><summary>All of them, in their order</summary>{}</details>",
        table(&minutes::worst(r)),
        table(&minutes::minutes(r))
    )
}

/// The charts of one run, from top to bottom.
fn panels(r: &RunResult) -> Vec<Panel<'static>> {
    let seconds = |f: fn(&Second) -> Option<f64>| r.seconds.iter().map(f).collect::<Series>();
    let scaled =
        |series: &Series, factor: f64| series.iter().map(|v| v.map(|v| v * factor)).collect::<Series>();
    let panel = |title, height, log, filled, curves: Vec<(&'static str, Series)>| {
        let curves = curves.into_iter().enumerate();
        let curves = curves.map(|(n, (name, values))| Curve { name, colour: n % 4 + 1, values }).collect();
        Panel { title, height, log, filled, range: (f64::INFINITY, 0.0), curves }
    };
    let t = &r.trace;
    let mb = PAGE_BYTES / 1e6;
    let mut late = vec![("confirmed", seconds(|s| Some(s.transactions as f64)))];
    if !r.asked.is_empty() {
        late.push(("asked for", r.asked.iter().copied().map(Some).collect()));
    }
    if r.overall.skipped > 0 {
        late.push(("skipped", seconds(|s| Some(s.skipped as f64))));
    }
    vec![
        panel("transactions a second", 90.0, false, false, late),
        panel(
            "latency, ms",
            150.0,
            true,
            false,
            vec![
                ("p50", seconds(|s| s.p50_ms)),
                ("p99", seconds(|s| s.p99_ms)),
                ("p99.9", seconds(|s| s.p999_ms)),
                ("max", seconds(|s| s.max_ms)),
            ],
        ),
        panel("dirty pages, MB", 70.0, false, true, vec![("dirty", scaled(&t.dirty_pages, mb))]),
        panel("log, MB a second", 70.0, false, true, vec![("log", scaled(&t.wal_bytes, 1e-6))]),
        panel("full-page images a second", 70.0, false, true, vec![("images", t.wal_images.clone())]),
        panel(
            "pages written, MB a second",
            80.0,
            false,
            false,
            vec![
                ("checkpointer", scaled(&t.by_checkpointer, mb)),
                ("background writer", scaled(&t.by_cleaner, mb)),
                ("backends: extending", scaled(&t.extended, mb)),
                ("backends: writing", scaled(&t.by_backends, mb)),
            ],
        ),
        panel(
            "log for recovery, MB",
            60.0,
            false,
            true,
            vec![
                ("to read", scaled(&t.recovery_bytes, 1e-6)),
                ("to apply, mean over partitions", scaled(&t.applied_bytes, 1e-6)),
            ],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_checkpoints::tests::report;

    #[test]
    fn every_row_stands_in_the_page_at_every_rate() {
        let page = html(&report());
        assert_eq!(page.matches("<h3>ours</h3>").count(), 2);
        assert_eq!(page.matches("<h3>theirs &lt;18&gt;</h3>").count(), 2);
        assert_eq!(page.matches("<svg").count(), 4);
        assert_eq!(page.matches("<td>theirs &lt;18&gt;</td>").count(), 4);
        assert!(page.contains("beware of &lt;this&gt;") && !page.contains("<18>"));
    }

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let page = html(&report());
        for sign in ["http:", "https:", "//", "url(", "@import", "<link", "<script", "src=", "href="] {
            assert!(!page.contains(sign), "{sign}");
        }
    }

    #[test]
    fn elements_are_closed() {
        let page = html(&report());
        for element in ["section", "table", "tr", "td", "th", "div", "svg", "text", "details", "dl", "p"] {
            let opened =
                page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
            assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
        }
    }

    #[test]
    fn rows_of_a_rate_share_their_axes() {
        let mut report = report();
        report.results[1].seconds.iter_mut().for_each(|s| s.transactions = 777);
        // Both rows' charts go up to 800.
        assert_eq!(html(&report).matches(">800</text>").count(), 2);
    }
}
