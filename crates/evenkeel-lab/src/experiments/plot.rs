//! Pictures that need nothing else: bars that fit any width, and lines over a few points.
//!
//! Colours come from classes that the page defines, so that they suit light and dark.
//!
//! It must not know what is shown.

use std::fmt::Write;

use crate::logdisk::words::three;
use crate::page::{escaped, level, nice};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 36.0;
const RIGHT: f64 = 14.0;
/// Colours that the page knows.
const COLOURS: usize = 8;

/// A bar.
pub struct Bar<'a> {
    /// Before it.
    pub label: &'a str,
    /// Its length.
    pub value: f64,
    /// Not to be trusted.
    pub dim: bool,
}

/// Bars one below the other.
pub fn bars(title: &str, unit: &str, bars: &[Bar<'_>]) -> String {
    let most = bars.iter().map(|b| b.value).filter(|v| v.is_finite()).fold(0.0, f64::max).max(1e-12);
    let mut out = format!("<figure><figcaption>{}</figcaption><div class=\"bars\">", escaped(title));
    for bar in bars {
        let _ = write!(
            out,
            "<span>{}{}</span><span class=\"track\"><i{} style=\"width:{:.1}%\"></i></span><span class=\"num\">{}{}</span>",
            escaped(bar.label),
            if bar.dim { " !" } else { "" },
            if bar.dim { " class=\"dim\"" } else { "" },
            (bar.value / most * 100.0).clamp(0.0, 100.0),
            three(bar.value),
            escaped(unit)
        );
    }
    out.push_str("</div></figure>");
    out
}

/// A line: a value at each point.
pub struct Line<'a> {
    /// In the legend.
    pub label: &'a str,
    /// Missing ones leave gaps.
    pub values: Vec<Option<f64>>,
}

/// Tells those apart that share a colour.
fn dash(line: usize) -> &'static str {
    if line >= COLOURS { " dash" } else { "" }
}

/// Lines over points that stand at equal distances.
pub fn lines(title: &str, points: &[String], lines: &[Line<'_>]) -> String {
    let known = lines.iter().flat_map(|l| l.values.iter().flatten()).copied().filter(|v| v.is_finite());
    let high = nice(known.fold(0.0, f64::max).max(1e-12));
    let x = |n: usize| LEFT + (WIDTH - LEFT - RIGHT) * (n as f64 + 0.5) / points.len().max(1) as f64;
    let y = |v: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (v / high).clamp(0.0, 1.0));
    let mut out = format!(
        "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{0}\">",
        escaped(title)
    );
    for label in [0.0, high / 2.0, high] {
        level(&mut out, (LEFT, WIDTH - RIGHT), y(label), label);
    }
    for (n, point) in points.iter().enumerate() {
        let _ = write!(
            out,
            "<text class=\"time\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x(n),
            HEIGHT - 14.0,
            escaped(point)
        );
    }
    for (l, line) in lines.iter().enumerate() {
        let (mut path, mut gap) = (String::new(), true);
        for (n, value) in line.values.iter().enumerate() {
            let Some(v) = value.filter(|v| v.is_finite()) else {
                gap = true;
                continue;
            };
            let _ = write!(path, "{}{:.1} {:.1}", if gap { "M" } else { "L" }, x(n), y(v));
            let _ = write!(
                out,
                "<circle class=\"d{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>",
                l % COLOURS + 1,
                x(n),
                y(v)
            );
            gap = false;
        }
        let _ = write!(out, "<path class=\"c{}{}\" d=\"{path}\"/>", l % COLOURS + 1, dash(l));
    }
    out.push_str("</svg><p class=\"keys\">");
    for (l, line) in lines.iter().enumerate() {
        let (n, dash) = (l % COLOURS + 1, dash(l));
        let _ = write!(out, "<span><b class=\"k{n}{dash}\"></b>{}</span> ", escaped(line.label));
    }
    out.push_str("</p></figure>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share_of_the_longest() {
        let shown = bars(
            "t <1>",
            " ms",
            &[Bar { label: "a", value: 5.0, dim: false }, Bar { label: "b", value: 20.0, dim: true }],
        );
        assert!(shown.contains("width:25.0%") && shown.contains("width:100.0%"), "{shown}");
        assert!(
            shown.contains("t &lt;1&gt;") && shown.contains("b !") && shown.contains("20.0 ms"),
            "{shown}"
        );
        assert!(bars("t", "", &[Bar { label: "a", value: 0.0, dim: false }]).contains("width:0.0%"));
    }

    #[test]
    fn lines_that_share_a_colour_are_told_apart_in_the_legend_too() {
        let labels: Vec<String> = (0..=COLOURS).map(|n| n.to_string()).collect();
        let all: Vec<Line<'_>> =
            labels.iter().map(|label| Line { label, values: vec![Some(1.0), Some(2.0)] }).collect();
        let shown = lines("t", &["1", "2"].map(String::from), &all);
        assert!(shown.contains("<path class=\"c1 dash\""), "{shown}");
        assert!(
            shown.contains("<b class=\"k1\"></b>0<") && shown.contains("<b class=\"k1 dash\"></b>8<"),
            "{shown}"
        );
    }

    #[test]
    fn a_gap_breaks_the_line() {
        let line = Line { label: "x", values: vec![Some(1.0), None, Some(2.0), Some(4.0)] };
        let shown = lines("t", &["1", "2", "3", "4"].map(String::from), &[line]);
        let path = shown.split("class=\"c1\" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 1), "{path}");
        assert_eq!(shown.matches("<circle").count(), 3);
    }
}
