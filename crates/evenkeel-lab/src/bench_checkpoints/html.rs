//! The report as a page that needs nothing else: no script, no font, no picture from anywhere.
//!
//! It must not know how anything was measured.

use std::fmt::Write;

use super::chart::{Curve, Marks, Panel, escaped, stack};
use super::digest::Second;
use super::minutes::{self, Minute};
use super::result::{Report, RunResult};
use super::show::{Table, caption, circumstances, systems, tables};
use super::trace::Series;

/// Pages as PostgreSQL and ours have them.
const PAGE_BYTES: f64 = 8192.0;

/// Of this page, and of others with traces in them.
pub const STYLE: &str = "
:root { color-scheme: light dark; --bg: #fff; --fg: #1c2330; --dim: #5d6675; --rule: #dfe3e8; --card: #f7f8fa; --ck: #f0c23b3d; --tick: #a87b00;
  --c1: #1f6fd6; --c2: #0a8f6c; --c3: #d9730d; --c4: #cf2e3b; }
@media (prefers-color-scheme: dark) { :root { --bg: #14181f; --fg: #e4e8ee; --dim: #98a2b1; --rule: #2b323d; --card: #1a2029; --ck: #d9a9212e; --tick: #e0b64a;
  --c1: #6aa9ff; --c2: #3fc79a; --c3: #ffa14d; --c4: #ff6b74; } }
body { margin: 0 auto; padding: 24px 28px 60px; max-width: 1240px; background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 40px 0 8px; } h3 { font-size: 15px; margin: 0; }
p { margin: 4px 0; } .dim { color: var(--dim); } code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; margin: 8px 0; }
th, td { padding: 4px 9px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); } th { color: var(--dim); font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--bg); font-weight: 600; }
section.row { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 12px 14px 4px; margin: 14px 0; }
.warn { border-left: 3px solid var(--c3); padding-left: 10px; } dl { font-size: 13px; } dt { font-weight: 600; } dd { margin: 0 0 6px; color: var(--dim); }
details { margin: 10px 0; } summary { cursor: pointer; }
svg { display: block; width: 100%; height: auto; margin-top: 6px; } svg text { fill: var(--dim); font: 11px system-ui, sans-serif; } svg .title { fill: var(--fg); font-weight: 600; }
svg .num { text-anchor: end; } svg .time { text-anchor: middle; } svg .grid { stroke: var(--rule); stroke-width: 1; fill: none; } svg .ck { fill: var(--ck); } svg .tick { stroke: var(--tick); stroke-width: 1; opacity: 0.7; }
svg .c1, svg .c2, svg .c3, svg .c4 { fill: none; stroke-width: 1.4; stroke-linejoin: round; } svg .key { stroke-width: 3; }
svg .c1 { stroke: var(--c1); } svg .c2 { stroke: var(--c2); } svg .c3 { stroke: var(--c3); } svg .c4 { stroke: var(--c4); }
svg .f1, svg .f2, svg .f3, svg .f4 { stroke: none; opacity: 0.16; } svg .f1 { fill: var(--c1); } svg .f2 { fill: var(--c2); } svg .f3 { fill: var(--c3); } svg .f4 { fill: var(--c4); }
.sw { display: inline-block; width: 14px; height: 10px; background: var(--ck); border: 1px solid var(--tick); vertical-align: baseline; }
";

/// The page.
pub fn html(report: &Report) -> String {
    let mut page = String::new();
    let tables = tables(report);
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>evenkeel bench checkpoints</title><style>{STYLE}</style></head><body>\n<h1>Checkpoints under load</h1>\n\
         <p>{}</p><p class=\"dim\">{}</p><p><code>{}</code></p>\n",
        escaped(&circumstances(report)),
        escaped(&report.machine),
        escaped(&report.command)
    );
    for warning in &report.warnings {
        let _ = writeln!(page, "<p class=\"warn\">{}</p>", escaped(warning));
    }
    for table in &tables {
        write_table(&mut page, table);
    }
    write_key(&mut page, report, &tables);
    page.push_str(&traces(report));
    page.push_str("</body></html>\n");
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
    page.push_str("<div class=\"scroll\"><table><tr>");
    for column in &table.columns {
        let _ = write!(page, "<th title=\"{}\">{}</th>", escaped(column.meaning), escaped(column.heading));
    }
    page.push_str("</tr>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for cell in row {
            let _ = write!(page, "<td>{}</td>", escaped(cell));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
}

/// What columns mean, and what the systems were.
fn write_key(page: &mut String, report: &Report, tables: &[Table<'_>]) {
    page.push_str("<details><summary>What the columns mean</summary><dl>");
    let mut told: Vec<&str> = Vec::new();
    for column in tables.iter().flat_map(|t| &t.columns).filter(|c| !c.meaning.is_empty()) {
        if !told.contains(&column.heading) {
            told.push(column.heading);
            let _ = write!(page, "<dt>{}</dt><dd>{}</dd>", escaped(column.heading), escaped(column.meaning));
        }
    }
    page.push_str("</dl></details>\n<details><summary>Systems and their settings</summary><dl>");
    for (label, settings) in systems(report) {
        let _ = write!(page, "<dt>{}</dt><dd>{}</dd>", escaped(&label), escaped(&settings));
    }
    page.push_str("</dl></details>\n");
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
    let table = |of: &[Minute]| {
        let mut out = String::from("<div class=\"scroll\"><table><tr>");
        for heading in minutes::HEADINGS {
            let _ = write!(out, "<th>{}</th>", escaped(heading));
        }
        out.push_str("</tr>");
        for minute in of {
            out.push_str("<tr>");
            for cell in minute.cells() {
                let _ = write!(out, "<td>{}</td>", escaped(&cell));
            }
            out.push_str("</tr>");
        }
        out.push_str("</table></div>");
        out
    };
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
