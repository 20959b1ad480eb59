//! Turns single transactions into the figures of each second, of each minute and of the whole.
//!
//! Invariants
//! 1. Throughput, of a second or of the whole, counts transactions that ended within the counted time. Latencies are of these, and of those that were due in it
//!    and ended behind it: they are the slowest, and stand in the last second.
//! 2. A second, or a minute, is reduced to figures once no more of its transactions can come, so that memory does not grow with the length of a run. The last
//!    one stays open to the end.
//! 3. Percentiles are exact to three digits; the maximum, the mean and all counts are exact.
//!
//! It must not know where the transactions come from.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Latencies above this are too long for anyone.
const LONG_US: u64 = 100_000;
/// Longest latency that percentiles tell apart: an hour. It bounds the memory of a second.
const TOLD_APART_US_MAX: u64 = 3_600_000_000;
/// Runs shorter than this are looked at in shorter pieces than minutes.
const MINUTES_FROM_S: usize = 300;
const PIECE_S: usize = 10;
const MINUTE_S: usize = 60;

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was confirmed so long after it was due.
    Done {
        /// In microseconds.
        latency_us: u64,
    },
    /// It was so late that it was not begun.
    Skipped,
    /// The server refused it.
    Failed,
}

/// The figures of one second, or of a minute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Second {
    /// Transactions that were confirmed.
    pub transactions: u64,
    /// More of them, behind the end of the counted time: they were due before it.
    #[serde(default)]
    pub behind: u64,
    /// Of both, over the limit.
    pub late: u64,
    /// Never begun.
    pub skipped: u64,
    /// Refused.
    pub failed: u64,
    /// Median latency; None if nothing was confirmed.
    pub p50_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// 99.9th percentile.
    pub p999_ms: Option<f64>,
    /// The slowest.
    pub max_ms: Option<f64>,
}

/// The figures of the whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overall {
    /// Transactions that were confirmed.
    pub transactions: u64,
    /// More of them, behind the end of the counted time: they were due before it.
    #[serde(default)]
    pub behind: u64,
    /// Of both, over the limit.
    pub late: u64,
    /// Never begun.
    pub skipped: u64,
    /// Refused.
    pub failed: u64,
    /// Of all that were confirmed, over 100 ms.
    pub over_100_ms: u64,
    /// Mean latency; 0 if nothing was confirmed.
    pub mean_ms: f64,
    /// Its standard deviation.
    pub stddev_ms: f64,
    /// Median.
    pub p50_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// 99.9th percentile.
    pub p999_ms: f64,
    /// The slowest.
    pub max_ms: f64,
    /// How many took how long, microseconds to three digits: from it come the percentiles of several runs together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<(u64, u64)>,
}

/// All that a digest makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Figured {
    /// Every second.
    pub seconds: Vec<Second>,
    /// Every minute, or shorter piece ([`piece_s`]).
    pub minutes: Vec<Second>,
    /// The whole.
    pub overall: Overall,
}

/// Into pieces of how many seconds a run of this length is cut: minutes, or less of a short one.
pub fn piece_s(seconds: usize) -> usize {
    if seconds >= MINUTES_FROM_S { MINUTE_S } else { PIECE_S }
}

struct Tally {
    latencies: Histogram<u32>,
    max_us: u64,
    behind: u64,
    late: u64,
    skipped: u64,
    failed: u64,
}

impl Tally {
    fn new() -> Tally {
        let latencies = Histogram::new(3).expect("three digits are valid");
        Tally { latencies, max_us: 0, behind: 0, late: 0, skipped: 0, failed: 0 }
    }

    fn at_ms(&self, quantile: f64) -> Option<f64> {
        let some = !self.latencies.is_empty();
        // The bucket's upper end may lie above the slowest.
        some.then(|| self.latencies.value_at_quantile(quantile).min(self.max_us) as f64 / 1e3)
    }

    fn take_in(&mut self, other: &Tally) {
        // Both grow as needed, and hold what was recorded within the bound: that cannot fail.
        let _ = self.latencies.add(&other.latencies);
        self.max_us = self.max_us.max(other.max_us);
        self.behind += other.behind;
        self.late += other.late;
        self.skipped += other.skipped;
        self.failed += other.failed;
    }

    fn second(&self) -> Second {
        Second {
            transactions: self.latencies.len() - self.behind,
            behind: self.behind,
            late: self.late,
            skipped: self.skipped,
            failed: self.failed,
            p50_ms: self.at_ms(0.5),
            p99_ms: self.at_ms(0.99),
            p999_ms: self.at_ms(0.999),
            max_ms: (!self.latencies.is_empty()).then_some(self.max_us as f64 / 1e3),
        }
    }
}

/// Collects transactions.
pub struct Digest {
    limit_us: u64,
    seconds: Vec<Second>,
    minutes: Vec<Second>,
    /// Seconds that are not reduced yet.
    open: BTreeMap<usize, Tally>,
    /// Of the minute whose seconds are reduced one by one, with its number.
    minute: (usize, Tally),
    all: Histogram<u64>,
    overall: Overall,
    sum_us: f64,
    sum_of_squares: f64,
    max_us: u64,
}

impl Digest {
    /// Of a run with so many counted seconds.
    pub fn new(seconds: u32, limit_ms: f64) -> Digest {
        Digest {
            limit_us: (limit_ms * 1e3) as u64,
            seconds: vec![Second::default(); seconds as usize],
            minutes: vec![Second::default(); (seconds as usize).div_ceil(piece_s(seconds as usize))],
            open: BTreeMap::new(),
            minute: (0, Tally::new()),
            all: Histogram::new(3).expect("three digits are valid"),
            overall: Overall::default(),
            sum_us: 0.0,
            sum_of_squares: 0.0,
            max_us: 0,
        }
    }

    /// Takes a transaction that ended at this time since the beginning of the counted time (invariant 1).
    pub fn record(&mut self, at_us: i64, outcome: Outcome) {
        let Ok(at_us) = u64::try_from(at_us) else { return };
        let end_us = self.seconds.len() as u64 * 1_000_000;
        let behind = at_us >= end_us;
        let was_due = match outcome {
            Outcome::Done { latency_us } => at_us.saturating_sub(latency_us) < end_us,
            Outcome::Skipped | Outcome::Failed => false,
        };
        if behind && !was_due {
            return;
        }
        let second = (at_us / 1_000_000).min(self.seconds.len().saturating_sub(1) as u64) as usize;
        let tally = self.open.entry(second).or_insert_with(Tally::new);
        match outcome {
            Outcome::Done { latency_us } => {
                let late = u64::from(latency_us > self.limit_us);
                let told_apart_us = latency_us.clamp(1, TOLD_APART_US_MAX);
                // They grow as needed; within the bound that cannot fail.
                let _ = (tally.latencies.record(told_apart_us), self.all.record(told_apart_us));
                tally.max_us = tally.max_us.max(latency_us);
                tally.late += late;
                tally.behind += u64::from(behind);
                self.overall.transactions += u64::from(!behind);
                self.overall.behind += u64::from(behind);
                self.overall.late += late;
                self.overall.over_100_ms += u64::from(latency_us > LONG_US);
                self.sum_us += latency_us as f64;
                self.sum_of_squares += (latency_us as f64).powi(2);
                self.max_us = self.max_us.max(latency_us);
            }
            Outcome::Skipped => {
                tally.skipped += 1;
                self.overall.skipped += 1;
            }
            Outcome::Failed => {
                tally.failed += 1;
                self.overall.failed += 1;
            }
        }
    }

    /// No transaction will come that ended before this time (invariant 2).
    pub fn close_before(&mut self, at_us: i64) {
        self.close(at_us.min((self.seconds.len() as i64 - 1) * 1_000_000));
    }

    fn close(&mut self, at_us: i64) {
        while let Some(entry) = self.open.first_entry()
            && (*entry.key() as i64 + 1) * 1_000_000 <= at_us
        {
            let (second, tally) = entry.remove_entry();
            self.seconds[second] = tally.second();
            // Seconds end in their order.
            let minute = second / piece_s(self.seconds.len());
            if minute != self.minute.0 {
                self.close_minute(minute);
            }
            self.minute.1.take_in(&tally);
        }
    }

    fn close_minute(&mut self, next: usize) {
        let (minute, tally) = std::mem::replace(&mut self.minute, (next, Tally::new()));
        if let Some(of) = self.minutes.get_mut(minute) {
            *of = tally.second();
        }
    }

    /// The figures.
    pub fn finish(mut self) -> Figured {
        self.close(i64::MAX);
        self.close_minute(0);
        let n = (self.overall.transactions + self.overall.behind) as f64;
        if n > 0.0 {
            let mean = self.sum_us / n;
            let at_ms = |q| self.all.value_at_quantile(q).min(self.max_us) as f64 / 1e3;
            self.overall.mean_ms = mean / 1e3;
            // Rounding may make it a little less than nothing.
            self.overall.stddev_ms = (self.sum_of_squares / n - mean * mean).max(0.0).sqrt() / 1e3;
            self.overall.p50_ms = at_ms(0.5);
            self.overall.p99_ms = at_ms(0.99);
            self.overall.p999_ms = at_ms(0.999);
            self.overall.max_ms = self.max_us as f64 / 1e3;
            // Neither here a bucket's upper end is above the slowest: percentiles of several runs together lie between theirs.
            let recorded = self.all.iter_recorded();
            let capped = |us: u64| us.min(self.max_us);
            self.overall.buckets =
                recorded.map(|v| (capped(v.value_iterated_to()), v.count_at_value())).collect();
        }
        Figured { seconds: self.seconds, minutes: self.minutes, overall: self.overall }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(latency_us: u64) -> Outcome {
        Outcome::Done { latency_us }
    }

    #[test]
    fn each_transaction_counts_in_the_second_in_which_it_ended() {
        let mut d = Digest::new(3, 1.0);
        d.record(0, done(500));
        d.record(999_999, done(2_000));
        d.record(1_000_000, done(700));
        d.record(1_500_000, Outcome::Skipped);
        d.record(1_500_001, Outcome::Failed);
        let Figured { seconds, overall, .. } = d.finish();
        assert_eq!((seconds[0].transactions, seconds[0].late, seconds[0].max_ms), (2, 1, Some(2.0)));
        assert_eq!((seconds[1].transactions, seconds[1].skipped, seconds[1].failed), (1, 1, 1));
        assert_eq!(seconds[2], Second::default());
        assert_eq!((overall.transactions, overall.late, overall.skipped, overall.failed), (3, 1, 1, 1));
    }

    #[test]
    fn what_ended_outside_of_the_counted_time_does_not_count() {
        let mut d = Digest::new(2, 1.0);
        [-1, i64::MIN, 2_000_010, i64::MAX].into_iter().for_each(|at| d.record(at, done(10)));
        [Outcome::Skipped, Outcome::Failed].into_iter().for_each(|o| d.record(2_000_000, o));
        let none = vec![Second::default(); 2];
        assert_eq!(
            d.finish(),
            Figured { minutes: none[..1].to_vec(), seconds: none, overall: Overall::default() }
        );
    }

    #[test]
    fn what_was_due_in_the_counted_time_and_ended_behind_it_has_a_latency_and_is_no_throughput() {
        let mut d = Digest::new(3, 1.0);
        d.record(100, done(500));
        d.record(2_000_000, done(500));
        d.close_before(i64::MAX);
        d.record(5_000_000, done(3_000_000));
        let Figured { seconds, minutes, overall } = d.finish();
        assert_eq!((overall.transactions, overall.behind, overall.late, overall.over_100_ms), (2, 1, 1, 1));
        assert_eq!((overall.max_ms, overall.mean_ms.round()), (3000.0, 1000.0));
        assert_eq!((seconds[0].behind, seconds[0].max_ms), (0, Some(0.5)));
        for last in [&seconds[2], &minutes[0]] {
            assert_eq!((last.behind, last.late, last.max_ms), (1, 1, Some(3000.0)));
        }
        assert_eq!((seconds[2].transactions, minutes[0].transactions), (1, 2));
    }

    #[test]
    fn mean_and_deviation_are_those_of_the_values() {
        let mut d = Digest::new(1, 100.0);
        [2_000, 4_000, 4_000, 4_000, 5_000, 5_000, 7_000, 9_000]
            .into_iter()
            .for_each(|us| d.record(5, done(us)));
        let overall = d.finish().overall;
        assert_eq!(overall.mean_ms, 5.0);
        assert!((overall.stddev_ms - 2.0).abs() < 1e-9);
        assert!((overall.p50_ms / 4.0 - 1.0).abs() < 2e-3);
        assert_eq!(overall.max_ms, 9.0);
    }

    #[test]
    fn percentiles_tell_the_tail() {
        let mut d = Digest::new(1, 100.0);
        (1..=10_000).for_each(|us| d.record(0, done(us * 100)));
        let overall = d.finish().overall;
        for (is, expected) in [(overall.p50_ms, 500.0), (overall.p99_ms, 990.0), (overall.p999_ms, 999.0)] {
            assert!((is / expected - 1.0).abs() < 2e-3, "{is} {expected}");
        }
        assert_eq!((overall.over_100_ms, overall.late), (9_000, 9_000));
    }

    #[test]
    fn percentiles_of_runs_together_lie_between_those_of_the_runs() {
        let run = |slowest_us: u64| {
            let mut d = Digest::new(1, 100.0);
            [1_000, slowest_us].into_iter().for_each(|us| d.record(0, done(us)));
            d.finish().overall
        };
        // Both in a bucket that ends above them.
        let runs = [run(240_001), run(240_003)];
        let mut buckets: Vec<(u64, u64)> = runs.iter().flat_map(|r| &r.buckets).copied().collect();
        buckets.sort_unstable();
        let pooled_ms = crate::median::quantile_of(&buckets, 0.999) as f64 / 1e3;
        assert_eq!((runs[0].p999_ms, runs[1].p999_ms, pooled_ms), (240.001, 240.003, 240.003));
    }

    #[test]
    fn a_latency_beyond_reason_is_still_the_slowest() {
        let mut d = Digest::new(1, 100.0);
        d.record(0, done(u64::MAX));
        let Figured { seconds, overall, .. } = d.finish();
        assert_eq!((seconds[0].transactions, overall.transactions), (1, 1));
        assert!(overall.max_ms > 1e15 && overall.p50_ms >= 3_600_000.0);
    }

    #[test]
    fn a_minute_s_percentiles_are_those_of_all_its_transactions() {
        let mut d = Digest::new(25, 1.0);
        // A slow second among ten: a hundredth of the first piece's transactions, a tenth of its own second's.
        for second in 0..25 {
            for n in 0..100 {
                let slow = second == 3 && n < 10;
                d.record(second * 1_000_000 + n, done(if slow { 50_000 } else { 500 }));
            }
            d.close_before(second * 1_000_000);
        }
        d.record(24_000_000, Outcome::Skipped);
        let of = d.finish();
        assert_eq!((of.seconds.len(), of.minutes.len()), (25, 3));
        assert_eq!(of.seconds[3].p99_ms, Some(50.0));
        let first = &of.minutes[0];
        assert_eq!((first.transactions, first.late, first.max_ms), (1_000, 10, Some(50.0)));
        assert!(first.p99_ms < Some(0.6) && first.p999_ms > Some(49.0), "{first:?}");
        assert_eq!((of.minutes[2].transactions, of.minutes[2].skipped), (500, 1));
        assert_eq!((piece_s(299), piece_s(300)), (10, 60));
    }

    #[test]
    fn closing_seconds_early_changes_nothing() {
        let events: Vec<(i64, u64)> = (0..3_000).map(|n| (n * 1_000, (n * 7919 % 5_000) as u64)).collect();
        let mut late = Digest::new(3, 1.0);
        let mut early = Digest::new(3, 1.0);
        for (at, us) in events {
            late.record(at, done(us));
            early.record(at, done(us));
            early.close_before(at);
        }
        assert!(early.open.len() <= 1);
        assert_eq!(early.finish(), late.finish());
    }
}
