//! The report as a page that needs nothing else: no script, no font, no picture from anywhere.
//!
//! It must not know how anything was measured.

use std::fmt::Write;

use super::findings::{Findings, Table, findings};
use super::outcome::Report;
use crate::page::{self, escaped};

/// More are folded up.
const WARNINGS_SHOWN: usize = 3;
/// Beside the traces' own style.
const MORE_STYLE: &str = "
:root { --c5: #8250df; --c6: #b3267a; --c7: #5d6675; --c8: #7a6a00; }
@media (prefers-color-scheme: dark) { :root { --c5: #b794ff; --c6: #ff7ac0; --c7: #98a2b1; --c8: #d6c34a; } }
body > :not(.scroll) { max-width: 1040px; } header p { margin: 2px 0; } .lead { font-size: 17px; }
ul.means { padding-left: 20px; } ul.means li { margin: 6px 0; } pre { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 10px 14px; overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; }
figure { margin: 18px 0; max-width: 720px; } figcaption { font-weight: 600; margin-bottom: 6px; }
.bars { display: grid; grid-template-columns: minmax(90px, max-content) 1fr max-content; gap: 5px 10px; align-items: center; font-size: 13px; }
.track { background: var(--card); border-radius: 3px; height: 16px; } .track i { display: block; height: 100%; min-width: 2px; background: var(--c1); border-radius: 3px; } .track i.dim { background: var(--c7); opacity: 0.5; }
.bars .num { text-align: right; font-variant-numeric: tabular-nums; }
figure svg text { font-size: 13px; } svg .c5, svg .c6, svg .c7, svg .c8 { fill: none; stroke-width: 1.4; stroke-linejoin: round; } figure svg path[class^=c] { stroke-width: 2; } svg .dash { stroke-dasharray: 5 4; }
svg .c5 { stroke: var(--c5); } svg .c6 { stroke: var(--c6); } svg .c7 { stroke: var(--c7); } svg .c8 { stroke: var(--c8); }
svg .d1 { fill: var(--c1); } svg .d2 { fill: var(--c2); } svg .d3 { fill: var(--c3); } svg .d4 { fill: var(--c4); } svg .d5 { fill: var(--c5); } svg .d6 { fill: var(--c6); } svg .d7 { fill: var(--c7); } svg .d8 { fill: var(--c8); }
.keys { font-size: 13px; line-height: 1.8; } .keys span { white-space: nowrap; margin-right: 14px; } .keys b { display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin-right: 6px; vertical-align: middle; }
.k1 { background: var(--c1); } .k2 { background: var(--c2); } .k3 { background: var(--c3); } .k4 { background: var(--c4); } .k5 { background: var(--c5); } .k6 { background: var(--c6); } .k7 { background: var(--c7); } .k8 { background: var(--c8); }
.keys b.dash { width: 16px; border-radius: 0; mask: linear-gradient(90deg, #000 40%, transparent 40% 60%, #000 60%); }
.columns dl { columns: 22rem; } .columns dt, .columns dd { break-inside: avoid; } .columns dt { break-after: avoid; }
section.row { overflow-x: auto; } section.row svg { min-width: 640px; }
@media (max-width: 600px) { figure svg text { font-size: 19px; } body { padding: 14px 14px 40px; } h1 { font-size: 20px; } .lead { font-size: 15px; } }
";

/// The page.
pub fn html(report: &Report) -> String {
    let found = findings(report);
    let experiment = report.experiment;
    let mut page = page::begin(&format!("evenkeel lab {}", experiment.name()), MORE_STYLE);
    let _ = writeln!(
        page,
        "<header><p class=\"dim\">evenkeel lab · {name} · {thread}</p>\
         <h1>{question}</h1><p>{circumstances}</p><p class=\"dim\">{machine}</p><p><code>{command}</code></p></header>",
        name = experiment.name(),
        thread = escaped(experiment.thread()),
        question = escaped(experiment.question()),
        circumstances = escaped(&report.circumstances),
        machine = escaped(&report.machine),
        command = escaped(&report.command),
    );
    write_answer(&mut page, &found);
    write_warnings(&mut page, &found.warnings);
    for picture in &found.pictures {
        page.push_str(picture);
        page.push('\n');
    }
    for table in &found.tables {
        write_table(&mut page, table);
    }
    if !found.rows.is_empty() {
        let rows = found.rows.iter().map(|(label, meaning)| (label.as_str(), meaning.as_str()));
        let _ = writeln!(page, "<h2>The rows</h2>{}", page::terms(rows));
    }
    if !found.columns.is_empty() {
        let columns = page::terms(found.columns.iter().copied());
        let _ = writeln!(page, "<h2>The columns</h2><div class=\"columns\">{columns}</div>");
    }
    if let Some(then) = &found.then {
        write_table(&mut page, then);
        page.push_str("<p class=\"dim\">Other hardware, another time: what can be compared is which row does better than which.</p>\n");
    }
    page.push_str(&found.traces);
    page.push_str(page::END);
    page
}

/// Many of them do not push the pictures away.
fn write_warnings(page: &mut String, warnings: &[String]) {
    let many = warnings.len() > WARNINGS_SHOWN;
    if many {
        let _ = write!(page, "<details><summary>{} warnings</summary>", warnings.len());
    }
    warnings.iter().for_each(|w| page.push_str(&page::warning(w)));
    page.push_str(if many { "</details>\n" } else { "" });
}

fn write_answer(page: &mut String, found: &Findings) {
    page.push_str("<h2>What it means for this machine</h2><ul class=\"means\">");
    for sentence in &found.meaning {
        let _ = write!(page, "<li>{}</li>", escaped(sentence));
    }
    let _ = write!(page, "</ul>\n<h2>Settings</h2><p>{}</p>\n", escaped(&found.advice));
    if !found.settings.is_empty() {
        let _ = writeln!(page, "<pre># evenkeel.toml\n{}</pre>", escaped(&found.settings.join("\n")));
    }
}

fn write_table(page: &mut String, table: &Table) {
    let _ = write!(page, "<h2>{}</h2>", escaped(&table.title));
    if !table.note.is_empty() {
        let _ = write!(page, "<p class=\"dim\">{}</p>", escaped(&table.note));
    }
    let headings = table.headings.iter().map(|h| (h.as_str(), ""));
    page.push_str(&page::table(headings, &table.rows));
}
