//! A long run minute by minute, what happened in the worst of them, and the worst minutes of rows beside one another (W5).
//!
//! It must not know how anything was measured.

use std::collections::BTreeSet;

use super::digest::piece_s;
use super::result::{Line, Report, RunResult};
use super::rows::Rate;
use super::trace::sum;
use crate::logdisk::words::three;
use crate::median::median;

/// As many of the worst are shown.
pub const WORST: usize = 5;
/// Other machines having more of the processors' time than this is told, percent; half of it is not worth a word.
const STOLEN_TOLD: f64 = 5.0;
/// A minute in which they had more says nothing about a server.
const STOLEN_MAX: f64 = 10.0;

/// A minute, or a shorter piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Minute {
    /// When it begins, in seconds.
    pub from_s: usize,
    /// How long it is.
    pub seconds: usize,
    /// Transactions a second.
    pub tps: f64,
    /// That were asked for.
    pub asked: Option<f64>,
    /// % late or skipped.
    pub late_percent: f64,
    /// 99th percentile of all in it.
    pub p99_ms: f64,
    /// 99.9th.
    pub p999_ms: f64,
    /// The slowest.
    pub max_ms: f64,
    /// What happened in it.
    pub what: Vec<String>,
    /// The machine itself stood still, or was another's: its figures say nothing about a server.
    pub spoilt: bool,
}

/// All of a run.
pub fn minutes(r: &RunResult) -> Vec<Minute> {
    let length = piece_s(r.seconds.len());
    let pieces = r.minutes.iter().enumerate();
    pieces
        .map(|(n, of)| {
            let (from, to) = (n * length, ((n + 1) * length).min(r.seconds.len()));
            let seconds = (to - from) as f64;
            let all = of.transactions + of.behind + of.skipped;
            let bad = (of.late + of.skipped) as f64;
            let stalled_ms = sum(r.trace.stalled_ms.get(from..to).unwrap_or_default()).unwrap_or(0.0);
            let stolen = stolen_percent(r, from, to);
            Minute {
                from_s: from,
                seconds: to - from,
                tps: of.transactions as f64 / seconds,
                asked: r.asked.get(from..to).map(|of| of.iter().sum::<f64>() / seconds),
                late_percent: if all > 0 { bad * 100.0 / all as f64 } else { 0.0 },
                p99_ms: of.p99_ms.unwrap_or(0.0),
                p999_ms: of.p999_ms.unwrap_or(0.0),
                max_ms: of.max_ms.unwrap_or(0.0),
                what: happened(r, (from, to), stolen, stalled_ms),
                spoilt: stalled_ms > 0.0 || stolen > STOLEN_MAX,
            }
        })
        .collect()
}

/// The worst, the very worst first: by what was late, then by the slowest.
pub fn worst(r: &RunResult) -> Vec<Minute> {
    let mut all = minutes(r);
    all.sort_by(|a, b| b.late_percent.total_cmp(&a.late_percent).then(b.max_ms.total_cmp(&a.max_ms)));
    all.truncate(WORST);
    all
}

fn stolen_percent(r: &RunResult, from: usize, to: usize) -> f64 {
    let processors = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
    let stolen_s = sum(r.trace.stolen_s.get(from..to).unwrap_or_default()).unwrap_or(0.0);
    stolen_s * 100.0 / (processors * (to - from) as f64).max(1e-9)
}

fn happened(r: &RunResult, (from, to): (usize, usize), stolen_percent: f64, stalled_ms: f64) -> Vec<String> {
    let (a, b) = (from as f64, to as f64);
    let mut what: Vec<String> = Vec::new();
    for event in r.events.iter().filter(|e| e.from_s < b && e.to_s >= a) {
        let took = format!("{} ({} s)", event.what, three(event.to_s - event.from_s));
        what.push(event.error.as_ref().map_or(took, |why| format!("{}: {why}", event.what)));
    }
    // Rounds of partitions are always under way.
    if r.activity.partitions <= 1 && r.activity.spans.iter().any(|(x, y)| *x < b && *y > a) {
        what.push("checkpoint".into());
    }
    if stolen_percent > STOLEN_TOLD {
        what.push(format!("{stolen_percent:.0} % of the processors stolen"));
    }
    if stalled_ms > 0.0 {
        what.push(format!("the machine stood still for {stalled_ms:.0} ms"));
    }
    what
}

/// Headings of [`of_all_runs`].
pub const OVER_RUNS: [&str; 9] =
    ["row", "minutes", "left out", "p99: median", "worst", "× held", "p99.9: median", "worst", "memory MB"];

/// What the columns of [`of_all_runs`] mean.
pub const OVER_RUNS_MEANS: &str = "99th and 99.9th percentiles of the minutes of all runs, ms: the median minute's and the worst's; × held: the worst against that of the row whose rounds are held back; \
left out, in all rows alike: minutes in which the machine itself stood still or was another's in any of them; memory: resident at the first minute's end and at the last's, of the server";

/// For each rate at which the load changed: a line for each row, over the minutes of all its runs (W5). A minute that the machine spoilt in one row is left
/// out in all, as the load of a minute is the same in each.
pub fn of_all_runs(report: &Report) -> Vec<[String; 9]> {
    let changed = |r: &&RunResult| !r.asked.is_empty() || !r.events.is_empty();
    let spoilt: BTreeSet<(String, u32, usize)> = report
        .results
        .iter()
        .filter(changed)
        .flat_map(|r| {
            let spoilt = minutes(r).into_iter().filter(|m| m.spoilt);
            spoilt.map(|m| (r.rate.to_string(), r.run, m.from_s)).collect::<Vec<_>>()
        })
        .collect();
    let of = |label: &str, rate: Rate| {
        let runs = report.results.iter().filter(changed).filter(|r| r.row.label == label && r.rate == rate);
        let runs: Vec<&RunResult> = runs.collect();
        let left_out = |r: &RunResult, m: &Minute| spoilt.contains(&(rate.to_string(), r.run, m.from_s));
        let all: Vec<(bool, Minute)> = runs
            .iter()
            .flat_map(|r| minutes(r).into_iter().map(|m| (left_out(r, &m), m)).collect::<Vec<_>>())
            .collect();
        let kept: Vec<&Minute> = all.iter().filter(|(out, _)| !out).map(|(_, m)| m).collect();
        (!kept.is_empty()).then(|| OverRuns {
            minutes: all.len(),
            left_out: all.len() - kept.len(),
            p99_ms: kept.iter().map(|m| m.p99_ms).collect(),
            p999_ms: kept.iter().map(|m| m.p999_ms).collect(),
            memory: memory_mb(&runs),
        })
    };
    let worst = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let line = |line: &Line| {
        let row = of(&line.label, line.rate)?;
        let mut controls = report.results.iter().filter(|r| r.row.is_held_back() && r.rate == line.rate);
        let held = controls.next().and_then(|r| of(&r.row.label, line.rate)).map(|h| worst(&h.p99_ms));
        let held = held.filter(|ms| *ms > 0.0).map(|ms| format!("{:.2}", worst(&row.p99_ms) / ms));
        let middle = |of: &[f64]| median(of).map(three).unwrap_or_default();
        Some([
            line.label.clone(),
            row.minutes.to_string(),
            row.left_out.to_string(),
            middle(&row.p99_ms),
            three(worst(&row.p99_ms)),
            held.unwrap_or_default(),
            middle(&row.p999_ms),
            three(worst(&row.p999_ms)),
            row.memory.map(|(from, to)| format!("{from:.0}, {to:.0}")).unwrap_or_default(),
        ])
    };
    report.lines.iter().filter_map(line).collect()
}

/// A row's minutes, of all its runs.
struct OverRuns {
    minutes: usize,
    left_out: usize,
    /// Of those that were not left out.
    p99_ms: Vec<f64>,
    p999_ms: Vec<f64>,
    memory: Option<(f64, f64)>,
}

/// Medians over the runs: at the end of the first minute and of the last.
fn memory_mb(runs: &[&RunResult]) -> Option<(f64, f64)> {
    let at = |r: &&RunResult, n: usize| Some(r.trace.resident_bytes.get(n).copied().flatten()? / 1e6);
    let first: Vec<f64> = runs.iter().filter_map(|r| at(r, piece_s(r.seconds.len()) - 1)).collect();
    let last: Vec<f64> = runs.iter().filter_map(|r| at(r, r.seconds.len().checked_sub(1)?)).collect();
    Some((median(&first)?, median(&last)?))
}

/// Headings of what [`Minute::cells`] gives.
pub const HEADINGS: [&str; 8] =
    ["from", "asked/s", "tps", "late %", "p99 ms", "p99.9 ms", "max ms", "what happened"];

impl Minute {
    /// As text.
    pub fn cells(&self) -> [String; 8] {
        let whole = |x: f64| format!("{x:.0}");
        [
            format!("{}:{:02}", self.from_s / 60, self.from_s % 60),
            self.asked.map(whole).unwrap_or_default(),
            whole(self.tps),
            format!("{:.1}", self.late_percent),
            three(self.p99_ms),
            three(self.p999_ms),
            three(self.max_ms),
            self.what.join(", "),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_checkpoints::events::Happened;
    use crate::bench_checkpoints::result::lines;
    use crate::bench_checkpoints::rows::{Row, System};
    use crate::bench_checkpoints::tests::{report, result};

    #[test]
    fn the_worst_pieces_come_with_what_happened_in_them() {
        let mut r = result("a", &[100; 35]);
        r.asked = vec![110.0; 35];
        r.activity.partitions = 1;
        r.activity.spans = vec![(12.0, 14.0)];
        (r.minutes[2].late, r.minutes[2].skipped, r.minutes[2].max_ms) = (50, 100, Some(900.0));
        let event = |from_s, to_s, error| Happened { what: "index@1min".into(), from_s, to_s, error };
        r.events = vec![event(24.0, 28.5, None), event(31.0, 31.0, Some("no".into()))];
        let all = minutes(&r);
        assert_eq!(
            all.iter().map(|m| (m.from_s, m.seconds)).collect::<Vec<_>>(),
            [(0, 10), (10, 10), (20, 10), (30, 5)]
        );
        assert_eq!(all[1].what, ["checkpoint"]);
        assert_eq!(all[3].what, ["index@1min: no"]);
        let worst = &worst(&r)[0];
        assert_eq!((worst.from_s, worst.max_ms, worst.asked), (20, 900.0, Some(110.0)));
        assert_eq!(worst.what, ["index@1min (4.50 s)"]);
        assert_eq!(worst.cells()[..4], ["0:20", "110", "100", "13.6"]);
    }

    #[test]
    fn rows_are_compared_by_their_worst_minute_without_those_that_the_machine_spoilt() {
        let mut report = report();
        let rows = ["ours", "held", "theirs"];
        let of = |(n, label): (usize, &&str)| {
            let mut r = result(label, &[10; 30]);
            r.asked = vec![10.0; 30];
            for (m, ms) in r.minutes.iter_mut().zip([2.0, 3.0, 90.0]) {
                m.p99_ms = Some(ms * [3.0, 2.0, 4.0][n]);
            }
            let System::Own { held_back, .. } = &mut r.row.system else { unreachable!("made so") };
            *held_back = n == 1;
            r.trace.resident_bytes = (1..=30).map(|s| Some(f64::from(s) * 1e6)).collect();
            r
        };
        report.results = rows.iter().enumerate().map(of).collect();
        // In the third piece the machine stood still while one of them was measured.
        report.results[2].trace.stalled_ms = vec![Some(0.0); 30];
        report.results[2].trace.stalled_ms[25] = Some(40.0);
        let systems: Vec<Row> = report.results.iter().map(|r| r.row.clone()).collect();
        report.lines = lines(&report.results, &[Rate::Full], &systems);
        let all = of_all_runs(&report);
        assert_eq!(all[0], ["ours", "3", "1", "7.50", "9.00", "1.50", "3.00", "3.00", "10, 30"]);
        assert_eq!(all[2], ["theirs", "3", "1", "10.0", "12.0", "2.00", "3.00", "3.00", "10, 30"]);
        assert_eq!(minutes(&report.results[2])[2].what, ["the machine stood still for 40 ms"]);
    }

    #[test]
    fn long_runs_are_looked_at_by_the_minute() {
        let all = minutes(&result("a", &[10; 361]));
        assert_eq!((all.len(), all[6].from_s, all[6].seconds), (7, 360, 1));
    }
}
