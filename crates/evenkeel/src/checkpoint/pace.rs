//! How fast a round goes: a budget that fills smoothly and that each piece of work spends.
//!
//! The fill rate follows the clock and the log, whichever is ahead of the other: at its schedule a round works at just the rate that ends it on
//! time. Behind or ahead of it the rate changes by a factor that grows with the distance, so that neither a round's start nor a late round is
//! a burst (S1); the alternative, to work without a pause whenever behind, is what makes classic checkpoints stampede.
//!
//! Invariants
//! 1. The rate is a continuous function of the distance: it doubles a quarter of a round behind, halves a quarter ahead.
//! 2. A longer pause than [`TICK`], ten times that while nothing is logged, is taken in pieces, so that a change of the log's rate is felt; one shorter than [`SHORTEST`] is none.
//!
//! Must not know: what the work is, how to sleep.

use std::time::Duration;

/// Longest pause between two looks at the log.
pub const TICK: Duration = Duration::from_millis(50);
/// The same while nothing is logged.
const IDLE_TICK: Duration = Duration::from_millis(500);
/// Shorter pauses are not taken: they would end before they began.
const SHORTEST: Duration = Duration::from_micros(50);
/// Distances from the schedule that double or halve the rate, in rounds.
const OCTAVE: f64 = 0.25;
/// Bounds of the factor. Far behind the round may go sixty-four times as fast: then log space is at stake.
const FACTOR: (f64, f64) = (0.25, 64.0);

/// The pace of one round. Work is measured as a share of the round's whole.
#[derive(Debug)]
pub struct Pace {
    /// Seconds over which the work is spread.
    seconds: f64,
    /// Log bytes over which it is spread.
    log_bytes: f64,
    started: Duration,
    started_log: u64,
    /// When the budget was last filled, and the log's end then.
    filled: Duration,
    seen_log: u64,
    budget: f64,
    done: f64,
}

impl Pace {
    /// A round that begins now, `now` on the caller's clock, at log position `log`.
    pub fn new(interval: Duration, log_bytes: u64, target: f64, now: Duration, log: u64) -> Pace {
        Pace {
            seconds: (interval.as_secs_f64() * target).max(1e-6),
            log_bytes: (log_bytes as f64 * target).max(1.0),
            started: now,
            started_log: log,
            filled: now,
            seen_log: log,
            budget: 0.0,
            done: 0.0,
        }
    }

    /// A piece of work was done.
    pub fn did(&mut self, share: f64) {
        self.budget -= share;
        self.done += share;
    }

    /// How long to pause before the next piece; `None`: it is time. To be asked again after the pause.
    pub fn pause(&mut self, now: Duration, log: u64) -> Option<Duration> {
        let rate = self.rate(now, log);
        let elapsed = now.saturating_sub(self.filled).as_secs_f64();
        self.filled = now;
        // Unspent time is not saved up: after a slow write the next piece comes at once, a burst does not.
        self.budget = (self.budget + elapsed * rate).min(0.0);
        let seconds = -self.budget / rate;
        let tick = if log == self.seen_log { IDLE_TICK } else { TICK };
        self.seen_log = log;
        (seconds >= SHORTEST.as_secs_f64()).then(|| Duration::from_secs_f64(seconds).min(tick))
    }

    /// Share of the round a second.
    fn rate(&self, now: Duration, log: u64) -> f64 {
        let seconds = now.saturating_sub(self.started).as_secs_f64();
        let by_time = seconds / self.seconds;
        let by_log = log.saturating_sub(self.started_log) as f64 / self.log_bytes;
        // By log the round ends when its share is logged, at the log's mean rate since the start.
        let base = (1.0 / self.seconds).max(if seconds > 0.0 { by_log / seconds } else { 0.0 });
        let behind = by_time.max(by_log) - self.done;
        base * (behind / OCTAVE).exp2().clamp(FACTOR.0, FACTOR.1)
    }
}

/// A pause that keeps work below a rate of bytes a second.
pub fn pause_for_rate(bytes: u64, bytes_per_s: u64, took: Duration) -> Duration {
    if bytes_per_s == 0 {
        return Duration::ZERO;
    }
    Duration::from_secs_f64(bytes as f64 / bytes_per_s as f64).saturating_sub(took)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a round of `pieces` equal pieces, each taking `work_ms`, and gives the times at which they began, in seconds.
    fn run(mut pace: Pace, pieces: usize, work_ms: u64, log_at: impl Fn(f64) -> u64) -> Vec<f64> {
        let mut now = Duration::ZERO;
        let mut begun = Vec::new();
        for _ in 0..pieces {
            begun.push(now.as_secs_f64());
            now += Duration::from_millis(work_ms);
            pace.did(1.0 / pieces as f64);
            while let Some(pause) = pace.pause(now, log_at(now.as_secs_f64())) {
                assert!((SHORTEST..=IDLE_TICK).contains(&pause)); // invariant 2
                now += pause;
            }
        }
        begun
    }

    /// The most pieces begun in any second.
    fn peak(begun: &[f64]) -> usize {
        begun.iter().map(|&at| begun.iter().filter(|&&t| t >= at && t < at + 1.0).count()).max().unwrap_or(0)
    }

    fn pace(seconds: u64, log_bytes: u64) -> Pace {
        Pace::new(Duration::from_secs(seconds), log_bytes, 1.0, Duration::ZERO, 0)
    }

    #[test]
    fn by_the_clock_the_work_is_spread_evenly() {
        let begun = run(pace(10, u64::MAX), 100, 1, |_| 0);
        assert!((9.5..10.5).contains(begun.last().unwrap()), "{begun:?}");
        assert!(peak(&begun) <= 12, "{begun:?}");
    }

    #[test]
    fn by_the_log_the_round_ends_when_its_share_is_logged() {
        // 1000 bytes of log a second, 5000 a round: five seconds, although the clock would permit a hundred.
        let begun = run(pace(100, 5000), 100, 1, |s| (s * 1000.0) as u64);
        assert!((4.5..6.0).contains(begun.last().unwrap()), "{begun:?}");
        assert!(peak(&begun) <= 30, "{begun:?}");
    }

    #[test]
    fn a_disk_that_stalls_is_caught_up_with_without_a_burst() {
        let mut pace = pace(10, u64::MAX);
        let mut now = Duration::ZERO;
        let mut begun = Vec::new();
        for i in 0..100 {
            begun.push(now.as_secs_f64());
            now += Duration::from_millis(if i == 20 { 2000 } else { 1 });
            pace.did(0.01);
            while let Some(pause) = pace.pause(now, 0) {
                now += pause;
            }
        }
        assert!((9.5..10.7).contains(begun.last().unwrap()), "{begun:?}");
        assert!(peak(&begun) <= 20, "at most twice the even rate: {}", peak(&begun));
    }

    #[test]
    fn a_sudden_rush_of_log_speeds_the_round_up_within_a_tick() {
        // Quiet for five seconds of a hundred, then the whole share of log in two.
        let log = |s: f64| if s < 5.0 { 0 } else { ((s - 5.0) * 2500.0) as u64 };
        let begun = run(pace(100, 5000), 200, 1, log);
        assert!(*begun.last().unwrap() < 11.0, "{:?}", begun.last());
    }

    #[test]
    fn one_piece_or_no_time_is_no_trouble() {
        assert!(pace(0, 0).pause(Duration::ZERO, 0).is_none());
        let mut p = pace(0, 0);
        p.did(1.0);
        assert!(p.pause(Duration::from_millis(1), 10).is_none_or(|d| d <= TICK));
    }

    #[test]
    fn a_rate_is_kept_by_pausing_for_what_is_left() {
        let second = Duration::from_secs(1);
        assert_eq!(pause_for_rate(1000, 1000, Duration::ZERO), second);
        assert_eq!(pause_for_rate(1000, 1000, second * 2), Duration::ZERO);
        assert_eq!(pause_for_rate(1000, 0, Duration::ZERO), Duration::ZERO);
    }
}
