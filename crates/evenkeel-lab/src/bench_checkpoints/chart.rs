//! Charts one above the other on a common time axis, as one inline SVG.
//!
//! Colours come from classes that the page defines, so that they suit light and dark.
//!
//! It must not know what is shown.

use std::fmt::Write;

use crate::page::{escaped, level, nice};

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 10.0;
/// Room above a chart for its title and legend.
const HEAD: f64 = 20.0;
const GAP: f64 = 10.0;
/// Room below the last one for the time axis.
const FOOT: f64 = 30.0;
/// Ticks are so high.
const TICK: f64 = 5.0;
/// Labels of the time axis, at most about.
const TIME_LABELS: f64 = 10.0;
/// Width of a character of the legend, about.
const CHARACTER: f64 = 6.6;

/// One line of a chart: a value for each second.
pub struct Curve<'a> {
    /// In the legend.
    pub name: &'a str,
    /// Which colour, from 1.
    pub colour: usize,
    /// Missing ones leave gaps.
    pub values: Vec<Option<f64>>,
}

/// One chart.
pub struct Panel<'a> {
    /// Above it.
    pub title: &'a str,
    /// Its height.
    pub height: f64,
    /// Orders of magnitude instead of values.
    pub log: bool,
    /// The area below the lines is filled.
    pub filled: bool,
    /// The axis holds these values at least: charts to be compared get the same.
    pub range: (f64, f64),
    /// Its lines.
    pub curves: Vec<Curve<'a>>,
}

/// What is marked in all charts.
pub struct Marks<'a> {
    /// Shaded.
    pub spans: &'a [(f64, f64)],
    /// Lines, or ticks.
    pub ends: &'a [f64],
    /// Ends are lines through all charts, not ticks at the upper edge of the first.
    pub lines: bool,
}

/// Draws them; those without a value are left out.
pub fn stack(panels: &[Panel<'_>], seconds: u32, marks: &Marks<'_>, description: &str) -> String {
    let shown: Vec<&Panel> = panels.iter().filter(|p| p.curves.iter().any(Curve::says_something)).collect();
    let height = shown.iter().map(|p| HEAD + p.height + GAP).sum::<f64>() + FOOT;
    let mut svg = String::new();
    let _ = write!(
        svg,
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escaped(description)
    );
    let x = |t: f64| LEFT + (WIDTH - LEFT - RIGHT) * t / f64::from(seconds.max(1));
    let mut y = 0.0;
    for (n, panel) in shown.iter().enumerate() {
        let (from, to) = (y + HEAD, y + HEAD + panel.height);
        for (a, b) in marks.spans {
            let _ = write!(
                svg,
                "<rect class=\"ck\" x=\"{:.1}\" y=\"{from:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                x(*a),
                x(*b) - x(*a),
                panel.height
            );
        }
        time_grid(&mut svg, seconds, from, to, &x, n + 1 == shown.len());
        for end in marks.ends.iter().filter(|_| marks.lines || n == 0) {
            let length = if marks.lines { panel.height } else { TICK };
            let _ = write!(svg, "<path class=\"tick\" d=\"M{:.1} {from:.1}v{length}\"/>", x(*end));
        }
        panel.draw(&mut svg, from, to, &x);
        y = to + GAP;
    }
    svg.push_str("</svg>");
    svg
}

impl Curve<'_> {
    fn says_something(&self) -> bool {
        self.values.iter().any(Option::is_some)
    }
}

/// An axis from `low` to `high`.
struct Axis {
    low: f64,
    high: f64,
    log: bool,
    labels: Vec<f64>,
}

impl Axis {
    fn of(panel: &Panel<'_>) -> Axis {
        let known = || panel.curves.iter().flat_map(|c| c.values.iter().flatten()).copied();
        let most = known().fold(panel.range.1, f64::max);
        if panel.log {
            let positive = known().chain([panel.range.0]).filter(|v| *v > 0.0);
            let least = positive.fold(f64::INFINITY, f64::min).min(most);
            if !(least > 0.0 && most > 0.0) {
                return Axis { low: 0.1, high: 1.0, log: true, labels: vec![0.1, 1.0] };
            }
            let (first, last) = (least.log10().floor() as i32, (most * 1.05).log10().ceil() as i32);
            let last = last.max(first + 1);
            let labels = (first..=last).map(|e| 10f64.powi(e)).collect();
            return Axis { low: 10f64.powi(first), high: 10f64.powi(last), log: true, labels };
        }
        let high = nice(if most > 0.0 { most } else { 1.0 });
        Axis { low: 0.0, high, log: false, labels: vec![0.0, high / 2.0, high] }
    }

    /// From 0 at the lower end to 1.
    fn share(&self, value: f64) -> f64 {
        let share = match self.log {
            true => (value.max(self.low) / self.low).log10() / (self.high / self.low).log10(),
            false => (value - self.low) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0)
    }
}

impl Panel<'_> {
    fn draw(&self, svg: &mut String, from: f64, to: f64, x: &dyn Fn(f64) -> f64) {
        let axis = Axis::of(self);
        let y = |v: f64| to - (to - from) * axis.share(v);
        for label in &axis.labels {
            level(svg, (LEFT, WIDTH - RIGHT), y(*label), *label);
        }
        // The first ones lie on top.
        for curve in self.curves.iter().rev().filter(|c| c.says_something()) {
            if self.filled {
                let _ = write!(
                    svg,
                    "<path class=\"f{}\" d=\"{}\"/>",
                    curve.colour,
                    area(&curve.values, x, &y, to)
                );
            }
            let _ = write!(svg, "<path class=\"c{}\" d=\"{}\"/>", curve.colour, path(&curve.values, x, &y));
        }
        self.legend(svg, from - 6.0);
    }

    fn legend(&self, svg: &mut String, y: f64) {
        let _ = write!(svg, "<text class=\"title\" x=\"{LEFT}\" y=\"{y:.1}\">{}</text>", escaped(self.title));
        let shown: Vec<&Curve> = self.curves.iter().filter(|c| c.says_something()).collect();
        if shown.len() < 2 {
            return;
        }
        let mut x = WIDTH - RIGHT - shown.iter().map(|c| entry_width(c)).sum::<f64>();
        for curve in shown {
            let _ = write!(
                svg,
                "<path class=\"c{} key\" d=\"M{x:.1} {:.1}h14\"/><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
                curve.colour,
                y - 4.0,
                x + 18.0,
                escaped(curve.name)
            );
            x += entry_width(curve);
        }
    }
}

fn entry_width(curve: &Curve<'_>) -> f64 {
    18.0 + curve.name.chars().count() as f64 * CHARACTER + 12.0
}

/// Runs of neighbouring values, each with the second in which it begins.
fn pieces(values: &[Option<f64>]) -> Vec<(usize, Vec<f64>)> {
    let mut pieces: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut before = false;
    for (second, value) in values.iter().enumerate() {
        match (value, pieces.last_mut().filter(|_| before)) {
            (Some(v), Some((_, piece))) => piece.push(*v),
            (Some(v), None) => pieces.push((second, vec![*v])),
            (None, _) => {}
        }
        before = value.is_some();
    }
    pieces
}

/// Each second stands at its middle.
fn points(piece: &(usize, Vec<f64>), x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let mut out = String::new();
    for (n, value) in piece.1.iter().enumerate() {
        let _ = write!(
            out,
            "{}{:.1} {:.1}",
            if n == 0 { "" } else { "L" },
            x((piece.0 + n) as f64 + 0.5),
            y(*value)
        );
    }
    out
}

fn path(values: &[Option<f64>], x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let mut out = String::new();
    for piece in pieces(values) {
        let _ = write!(out, "M{}", points(&piece, x, y));
        if piece.1.len() == 1 {
            // A single second has to be seen, too.
            out.push_str("h1");
        }
    }
    out
}

fn area(values: &[Option<f64>], x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64, base: f64) -> String {
    let mut out = String::new();
    for piece in pieces(values) {
        let (first, last) = (piece.0 as f64 + 0.5, (piece.0 + piece.1.len()) as f64 - 0.5);
        let _ = write!(out, "M{:.1} {base:.1}L{}L{:.1} {base:.1}Z", x(first), points(&piece, x, y), x(last));
    }
    out
}

fn time_grid(svg: &mut String, seconds: u32, from: f64, to: f64, x: &dyn Fn(f64) -> f64, labels: bool) {
    let step = time_step(seconds);
    for t in (0..=seconds).step_by(step as usize) {
        let at = x(f64::from(t));
        let _ = write!(svg, "<path class=\"grid\" d=\"M{at:.1} {from:.1}V{to:.1}\"/>");
        if labels {
            let unit = if t == 0 { " s" } else { "" };
            let _ = write!(svg, "<text class=\"time\" x=\"{at:.1}\" y=\"{:.1}\">{t}{unit}</text>", to + 16.0);
        }
    }
}

/// Seconds between labels: a number that people count in.
fn time_step(seconds: u32) -> u32 {
    const STEPS: [u32; 14] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
    STEPS.into_iter().find(|s| f64::from(seconds) / f64::from(*s) <= TIME_LABELS).unwrap_or(seconds / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(values: &[Option<f64>], log: bool) -> Panel<'static> {
        let curves = vec![Curve { name: "a", colour: 1, values: values.to_vec() }];
        Panel { title: "t", height: 50.0, log, filled: false, range: (f64::INFINITY, 0.0), curves }
    }

    #[test]
    fn missing_seconds_leave_gaps() {
        let values = [Some(1.0), Some(2.0), None, Some(3.0), None];
        assert_eq!(pieces(&values), [(0, vec![1.0, 2.0]), (3, vec![3.0])]);
        let drawn = path(&values, &|t| t * 10.0, &|v| v);
        assert_eq!(drawn, "M5.0 1.0L15.0 2.0M35.0 3.0h1");
        assert_eq!(area(&values[3..], &|t| t * 10.0, &|v| v, 9.0), "M5.0 9.0L5.0 3.0L5.0 9.0Z");
    }

    #[test]
    fn axes_end_at_numbers_that_people_read() {
        let log = Axis::of(&panel(&[Some(0.4), Some(44.0)], true));
        assert_eq!((log.low, log.high), (0.1, 100.0));
        assert_eq!((log.share(0.1), log.share(0.0), log.share(1e9)), (0.0, 0.0, 1.0));
        assert!((log.share(10.0) - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_but_zeros_or_nothing_at_all_draws_without_nonsense() {
        for log in [false, true] {
            for values in [vec![Some(0.0); 3], vec![None; 3], vec![]] {
                let marks = Marks { spans: &[(0.0, 1.0)], ends: &[1.0], lines: log };
                let svg = stack(&[panel(&values, log)], 3, &marks, "d");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn time_labels_stay_few() {
        assert_eq!((time_step(10), time_step(300), time_step(3600)), (1, 30, 600));
    }
}
