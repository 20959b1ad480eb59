//! How long the flusher may hold a gang for nothing.
//!
//! Duty: learn from the disk whether a flush that starts later ends no later. On a rotating disk (and on some network volumes) a rewrite of the log's
//! last block ends when the platter comes round, whenever it was asked for: a start at once strands those who were just released and are
//! about to commit again, and gangs alternate between one and all others (the open question of the thread on ganged flushes, S14). There the
//! gang is held back up to a step before the moment at which the end would move. On a disk whose flush takes as long as it takes
//! the learned hold is zero.
//!
//! How: times are counted from the end of the flush before. Now and then a batch of flushes starts at once, which gives the period, and then a batch of
//! probes starts one step (an eighth of the period) later than usual. If the probes end when those at once do, the hold grows by the step, and the next
//! probes follow soon, measured by the same period: a start at once strands somebody each time. If not, the next trial comes after twice as
//! many flushes. If ordinary flushes end later than those at once, the hold shrinks by two steps.
//!
//! Invariants
//! 1. The hold never exceeds three quarters of the period, and is zero while flushes take less than [`PERIOD_MIN`].
//! 2. Only a probe starts later than the hold says, by one step.
//!
//! Must not know: the log, threads, clocks.

use std::time::Duration;

/// Disks that flush faster are never held back: a commit's way through the machine takes as long, and even probing would cost.
const PERIOD_MIN: Duration = Duration::from_millis(1);
/// Steps in a period.
const STEPS: u32 = 8;
/// Flushes in a batch.
const BATCH: usize = 8;
/// Ordinary flushes between two trials after one that succeeded.
const REST_MIN: u32 = 8;
/// And at most, after many that failed.
const REST_MAX: u32 = 1024;
/// How much later flushes may end that still count as ending at the same time.
const SAME: f64 = 1.04;

/// Which kind of flush comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Usual,
    AtOnce,
    Probe,
}

/// What has been learned.
#[derive(Debug)]
pub(super) struct Hold {
    steps: u32,
    kind: Kind,
    /// Ends of the flushes of the batch under way, in seconds after the end before; of the latest ones while they are ordinary.
    ends: Vec<f64>,
    /// The time from end to end of flushes that start at once, seconds.
    period: f64,
    /// Ordinary flushes until the next trial.
    left: u32,
    rest: u32,
    /// The last probes ended in time: the next need no flushes at once before them.
    gaining: bool,
}

impl Default for Hold {
    fn default() -> Hold {
        let ends = Vec::with_capacity(BATCH);
        Hold { steps: 0, kind: Kind::AtOnce, ends, period: 0.0, left: 0, rest: REST_MIN, gaining: false }
    }
}

impl Hold {
    /// As if it had been learned.
    #[cfg(test)]
    pub fn learned(period: Duration, steps: u32) -> Hold {
        Hold { steps, kind: Kind::Usual, period: period.as_secs_f64(), left: REST_MAX, ..Hold::default() }
    }

    /// Whether a probe is allowed (invariant 1).
    fn has_more(&self) -> bool {
        self.steps + 2 < STEPS
    }

    /// How long after the end of the flush before the next may start, for nothing.
    pub fn get(&self) -> Duration {
        let steps = match self.kind {
            Kind::Usual => self.steps,
            Kind::AtOnce => 0,
            Kind::Probe => self.steps + 1,
        };
        Duration::from_secs_f64(self.period * f64::from(steps) / f64::from(STEPS))
    }

    /// A flush that was held back as [`Hold::get`] said, or whose gang was complete before. Both times from the end of the flush before.
    pub fn observe(&mut self, start: Duration, end: Duration) {
        let (start, end) = (start.as_secs_f64(), end.as_secs_f64());
        if self.period == 0.0 && start * 4.0 > end {
            return; // not one of many in a row: the time from end to end is nothing of the disk's
        }
        let (held, half_step) = (self.get().as_secs_f64(), self.period / f64::from(2 * STEPS));
        if self.period > 0.0 && start > held + half_step {
            return; // nobody wanted it before: it says nothing about the hold
        }
        if self.kind == Kind::Probe && start < held - half_step {
            return; // its gang was complete: nothing was probed
        }
        if self.kind == Kind::Usual {
            self.left = self.left.saturating_sub(1);
            self.ends.truncate(BATCH - 1);
            self.ends.insert(0, end);
            if self.left > 0 || self.ends.len() < BATCH {
                return;
            }
        } else {
            self.ends.push(end);
            if self.ends.len() < BATCH {
                return;
            }
        }
        let now = median(&mut self.ends);
        self.ends.clear();
        let ends_late = now > self.period * SAME;
        self.kind = match self.kind {
            // What ordinary flushes gave is judged by the next ones at once, as the period may have changed.
            Kind::Usual if self.steps > 0 && ends_late => {
                self.steps = self.steps.saturating_sub(2);
                self.rest = (self.rest * 2).min(REST_MAX);
                Kind::AtOnce
            }
            Kind::Usual if self.gaining && self.has_more() => Kind::Probe,
            Kind::Usual => Kind::AtOnce,
            Kind::AtOnce => {
                self.period = now;
                if now < PERIOD_MIN.as_secs_f64() {
                    self.steps = 0; // invariant 1
                    self.rest = (self.rest * 2).min(REST_MAX);
                    Kind::Usual
                } else if self.has_more() {
                    Kind::Probe
                } else {
                    // There is no more to gain, and each flush at once strands somebody: only a change remains to be noticed.
                    self.rest = (self.rest * 2).min(REST_MAX);
                    Kind::Usual
                }
            }
            Kind::Probe => {
                self.steps += u32::from(!ends_late);
                self.gaining = !ends_late;
                self.rest = if ends_late { (self.rest * 2).min(REST_MAX) } else { REST_MIN };
                Kind::Usual
            }
        };
        self.left = self.rest;
        debug_assert!(self.steps * 4 <= STEPS * 3, "invariant 1");
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs flushes on a disk whose write that starts at a moment (seconds) ends at `end_of` it; the next is wanted `wanted` after each end.
    /// Gives the hold at the end.
    fn learn(flushes: u32, wanted: f64, mut end_of: impl FnMut(f64) -> f64) -> (Hold, u32) {
        let mut hold = Hold::default();
        let (mut last_end, mut late) = (0.0, 0);
        for _ in 0..flushes {
            let start = last_end + wanted.max(hold.get().as_secs_f64());
            let end = end_of(start);
            late += u32::from(end - last_end > 1.5 * hold.period && hold.period > 0.0);
            hold.observe(Duration::from_secs_f64(start - last_end), Duration::from_secs_f64(end - last_end));
            last_end = end;
        }
        (hold, late)
    }

    fn rotating(period: f64, write: f64) -> impl FnMut(f64) -> f64 {
        move |start| ((start + write) / period).ceil() * period
    }

    /// A cheap generator for jitter, 0 to 1.
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as f64 / (1u64 << 31) as f64
    }

    #[test]
    fn a_rotating_disk_is_held_back_nearly_a_revolution() {
        let period = 60.0 / 7200.0;
        let (hold, late) = learn(400, 0.0, rotating(period, period / 20.0));
        assert!(hold.steps >= 5, "{hold:?}");
        assert!(late < 40, "{late} revolutions were missed: {hold:?}");
        let (_, late_long) = learn(4000, 0.0, rotating(period, period / 20.0));
        assert!(late_long < late + 60, "missing them becomes rare: {late_long}");
    }

    #[test]
    fn a_rotating_disk_is_learned_with_one_batch_at_once() {
        let period = 60.0 / 7200.0;
        let mut disk = rotating(period, period / 20.0);
        let (mut hold, mut last_end, mut at_once) = (Hold::default(), 0.0, 0);
        while hold.steps * 4 < STEPS * 3 {
            let start = last_end + hold.get().as_secs_f64();
            at_once += usize::from(hold.kind == Kind::AtOnce);
            let end = disk(start);
            hold.observe(Duration::from_secs_f64(start - last_end), Duration::from_secs_f64(end - last_end));
            last_end = end;
        }
        assert!(at_once <= BATCH + 1, "{at_once}");
    }

    #[test]
    fn where_there_is_no_more_to_gain_starts_at_once_become_rare() {
        let period = 60.0 / 7200.0;
        let mut disk = rotating(period, period / 20.0);
        let (mut hold, mut last_end, mut at_once) = (Hold::default(), 0.0, 0);
        for n in 0..10_000 {
            let start = last_end + hold.get().as_secs_f64();
            at_once += u32::from(n >= 1000 && hold.kind == Kind::AtOnce);
            let end = disk(start);
            hold.observe(Duration::from_secs_f64(start - last_end), Duration::from_secs_f64(end - last_end));
            last_end = end;
        }
        assert_eq!(hold.steps * 4, STEPS * 3, "the longest hold: {hold:?}");
        assert!(at_once <= 10 * BATCH as u32, "{at_once} of 9000 flushes started at once");
    }

    #[test]
    fn a_disk_that_takes_its_time_is_not_held_back() {
        for latency in [0.0001, 0.003, 0.010] {
            let mut seed = 7;
            let (hold, _) = learn(2000, 0.00002, |start| start + latency * (0.9 + 0.2 * noise(&mut seed)));
            assert_eq!(hold.steps, 0, "{latency}: {hold:?}");
        }
    }

    #[test]
    fn a_disk_that_changes_is_learned_anew() {
        let period = 60.0 / 7200.0;
        let mut n = 0;
        let mut slow = rotating(period, period / 20.0);
        let (hold, _) = learn(4000, 0.0, |start| {
            n += 1;
            if n < 400 { slow(start) } else { start + 0.004 }
        });
        assert_eq!(hold.steps, 0, "{hold:?}");
    }

    #[test]
    fn an_idle_client_is_not_taken_for_a_slow_disk() {
        let (hold, _) = learn(100, 1.0, |start| start + 0.004);
        assert_eq!((hold.steps, hold.period), (0, 0.0), "{hold:?}");
    }

    #[test]
    fn gangs_that_nobody_wanted_earlier_teach_nothing() {
        let period = 60.0 / 7200.0;
        let (hold, _) = learn(500, period * 0.9, rotating(period, period / 20.0));
        assert_eq!(hold.steps, 0, "{hold:?}");
    }

    #[test]
    fn only_flushes_that_follow_within_a_quarter_of_their_time_are_taken_for_many_in_a_row() {
        let observed = |start| {
            let mut hold = Hold::default();
            hold.observe(Duration::from_millis(start), Duration::from_millis(8));
            hold.ends.len()
        };
        assert_eq!((observed(0), observed(2), observed(3)), (1, 1, 0));
    }
}
