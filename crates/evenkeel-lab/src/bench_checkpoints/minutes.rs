//! A long run minute by minute, and what happened in the worst of them (W5).
//!
//! It must not know how anything was measured.

use super::result::RunResult;
use crate::logdisk::words::three;

/// Runs shorter than this are looked at in shorter pieces.
const MINUTES_FROM_S: usize = 300;
const PIECE_S: usize = 10;
const MINUTE_S: usize = 60;
/// As many of the worst are shown.
pub const WORST: usize = 5;
/// Less is not worth a word, percent.
const STOLEN_TOLD: f64 = 5.0;

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
    /// p99.9 of its worst second.
    pub p999_ms: f64,
    /// The slowest.
    pub max_ms: f64,
    /// What happened in it.
    pub what: Vec<String>,
}

/// All of a run.
pub fn minutes(r: &RunResult) -> Vec<Minute> {
    let length = if r.seconds.len() >= MINUTES_FROM_S { MINUTE_S } else { PIECE_S };
    let pieces = r.seconds.chunks(length).enumerate();
    pieces
        .map(|(n, of)| {
            let (from, to) = (n * length, n * length + of.len());
            let n = of.len() as f64;
            let done: u64 = of.iter().map(|s| s.transactions).sum();
            let bad: u64 = of.iter().map(|s| s.late + s.skipped).sum();
            let all = done + of.iter().map(|s| s.skipped).sum::<u64>();
            let worst =
                |f: fn(&super::digest::Second) -> Option<f64>| of.iter().filter_map(f).fold(0.0, f64::max);
            let asked = r.asked.get(from..to).map(|of| of.iter().sum::<f64>() / n);
            Minute {
                from_s: from,
                seconds: of.len(),
                tps: done as f64 / n,
                asked,
                late_percent: if all > 0 { bad as f64 * 100.0 / all as f64 } else { 0.0 },
                p999_ms: worst(|s| s.p999_ms),
                max_ms: worst(|s| s.max_ms),
                what: happened(r, from, to),
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

fn happened(r: &RunResult, from: usize, to: usize) -> Vec<String> {
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
    let processors = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
    let stolen: f64 = r.trace.stolen_s.get(from..to).into_iter().flatten().flatten().sum();
    let percent = stolen * 100.0 / (processors * (b - a)).max(1e-9);
    if percent > STOLEN_TOLD {
        what.push(format!("{percent:.0} % of the processors stolen"));
    }
    what
}

/// Headings of what [`Minute::cells`] gives.
pub const HEADINGS: [&str; 7] = ["from", "asked/s", "tps", "late %", "p99.9 ms", "max ms", "what happened"];

impl Minute {
    /// As text.
    pub fn cells(&self) -> [String; 7] {
        let whole = |x: f64| format!("{x:.0}");
        [
            format!("{}:{:02}", self.from_s / 60, self.from_s % 60),
            self.asked.map(whole).unwrap_or_default(),
            whole(self.tps),
            format!("{:.1}", self.late_percent),
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
    use crate::bench_checkpoints::tests::result;

    #[test]
    fn the_worst_pieces_come_with_what_happened_in_them() {
        let mut r = result("a", &[100; 35]);
        r.asked = vec![110.0; 35];
        r.activity.partitions = 1;
        r.activity.spans = vec![(12.0, 14.0)];
        (r.seconds[25].late, r.seconds[25].skipped, r.seconds[25].max_ms) = (50, 100, Some(900.0));
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
    fn long_runs_are_looked_at_by_the_minute() {
        let all = minutes(&result("a", &[10; 361]));
        assert_eq!((all.len(), all[6].from_s, all[6].seconds), (7, 360, 1));
    }
}
