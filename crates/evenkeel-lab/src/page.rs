//! Pages that need nothing else: no script, no font, no picture from anywhere.
//!
//! It must not know what is shown.

use std::fmt::Write;

/// Of all pages, and of traces in them.
const STYLE: &str = "
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
/// How a page ends.
pub const END: &str = "</body></html>\n";

/// How a page begins, with what is added to the style of all.
pub fn begin(title: &str, more_style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{}</title><style>{STYLE}{more_style}</style></head><body>\n",
        escaped(title)
    )
}

/// Text that means itself in HTML and SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A warning.
pub fn warning(text: &str) -> String {
    format!("<p class=\"warn\">{}</p>\n", escaped(text))
}

/// A table: headings, each with what it means or nothing, and rows of cells.
pub fn table<'a>(
    headings: impl IntoIterator<Item = (&'a str, &'a str)>,
    rows: impl IntoIterator<Item = impl IntoIterator<Item = impl AsRef<str>>>,
) -> String {
    let mut page = String::from("<div class=\"scroll\"><table><tr>");
    for (heading, meaning) in headings {
        let title =
            if meaning.is_empty() { String::new() } else { format!(" title=\"{}\"", escaped(meaning)) };
        let _ = write!(page, "<th{title}>{}</th>", escaped(heading));
    }
    page.push_str("</tr>\n");
    for row in rows {
        page.push_str("<tr>");
        for cell in row {
            let _ = write!(page, "<td>{}</td>", escaped(cell.as_ref()));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
    page
}

/// Terms, and what each means.
pub fn terms<'a>(of: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut page = String::from("<dl>");
    for (term, meaning) in of {
        let _ = write!(page, "<dt>{}</dt><dd>{}</dd>", escaped(term), escaped(meaning));
    }
    page.push_str("</dl>");
    page
}

/// A line of a chart's grid, with its value before it.
pub fn level(svg: &mut String, (left, right): (f64, f64), y: f64, value: f64) {
    let _ = write!(
        svg,
        "<path class=\"grid\" d=\"M{left} {y:.1}H{right:.1}\"/><text class=\"num\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        left - 6.0,
        y + 4.0,
        short(value)
    );
}

/// The next number of the form 1, 2, 2.5, 4, 5, 6 or 8 times a power of ten.
pub fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 2.5, 4.0, 5.0, 6.0, 8.0, 10.0];
    let step = steps.into_iter().find(|s| s * power >= value * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

/// `12k`, `0.5`, `2.5M`.
pub fn short(value: f64) -> String {
    let (value, unit) = match value {
        v if v >= 1e9 => (v / 1e9, "G"),
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e4 => (v / 1e3, "k"),
        v => (v, ""),
    };
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
        let shown = table([("a<", "b>"), ("c", "")], [["1<2", "3"]]);
        assert!(shown.contains("<th title=\"b&gt;\">a&lt;</th><th>c</th>"), "{shown}");
        assert!(shown.contains("<td>1&lt;2</td>") && terms([("<t>", "m")]).contains("&lt;t&gt;"));
    }

    #[test]
    fn numbers_are_as_people_read_them() {
        for (value, end) in [(1.0, 1.0), (1.1, 2.0), (7000.0, 8000.0), (0.03, 0.04), (99.0, 100.0)] {
            assert!((nice(value) / end - 1.0).abs() < 1e-9, "{value}: {}", nice(value));
        }
        assert_eq!(
            (short(12_000.0), short(0.25), short(2.5e6), short(8000.0)),
            ("12k".into(), "0.25".into(), "2.5M".into(), "8000".into())
        );
    }
}
