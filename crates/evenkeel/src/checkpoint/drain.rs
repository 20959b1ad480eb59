//! How much a round writes before it lets a log flush pass.
//!
//! On one device every log flush also waits for the data writes that are still in the drive's cache (design rule of thread A's rotating disks; on
//! an SSD a large write merely stands in the queue before it). So a round writes a *burst*, then waits until a flush that began behind it has
//! ended, and learns from how long that took, against flushes with no burst before them, how large bursts may be.
//!
//! Invariants
//! 1. A burst is never smaller than one page, never larger than [`MOST`].
//! 2. It shrinks after a burst whose flush was more than `slowdown` times as slow as usual, and grows after one whose was not.
//!
//! Must not know: who writes, how to wait.

use crate::wal::FlushTimes;

/// What a run costs besides its pages, in pages: a seek beside a transfer. On a disk that does not seek it only sets how much the first burst
/// holds.
const RUN: f64 = 16.0;
/// Largest burst: some 4 MiB.
pub const MOST: f64 = 4.0 * (RUN + 128.0);
const LEAST: f64 = RUN + 1.0;
/// The first burst: one run of 16 pages.
const FIRST: f64 = 2.0 * RUN;
/// What one observation changes: so little that a flush that was slow for another reason does no harm, as sizes follow the middle one of many.
const STEP: f64 = 1.12;

/// The size of bursts, learnt over all rounds.
#[derive(Debug)]
pub struct Drain {
    allowed: f64,
    spent: f64,
    /// Bursts that no flush came behind.
    gathered: f64,
    /// The usual flush with no burst before it, microseconds; 0 = not known.
    quiet_us: f64,
}

impl Default for Drain {
    fn default() -> Drain {
        Drain { allowed: FIRST, spent: 0.0, gathered: 0.0, quiet_us: 0.0 }
    }
}

impl Drain {
    /// Pages that the next write may have, at most: at least one.
    pub fn pages(&self) -> usize {
        (self.allowed - self.spent - RUN).max(1.0) as usize
    }

    /// A run of so many neighbours was written.
    pub fn wrote(&mut self, pages: usize) {
        self.spent += RUN + pages as f64;
    }

    /// Whether nothing was written since the last burst ended.
    pub fn is_empty(&self) -> bool {
        self.spent == 0.0
    }

    /// Whether the burst is over: no further run fits.
    pub fn is_full(&self) -> bool {
        self.spent + LEAST > self.allowed
    }

    /// The usual flush with no burst before it, microseconds; 0 = not known.
    pub fn quiet_us(&self) -> f64 {
        self.quiet_us
    }

    /// Flushes that had no burst before them.
    pub fn quiet(&mut self, flushes: FlushTimes) {
        if flushes.count > 0 {
            let mean = flushes.total_us as f64 / flushes.count as f64;
            self.quiet_us = match self.quiet_us {
                0.0 => mean,
                usual => mean.clamp(usual / STEP, usual * STEP),
            };
        }
    }

    /// The burst has left the drive's cache. `flushes` ended since it began: the slowest carried it.
    pub fn drained(&mut self, flushes: FlushTimes, slowdown: f64) {
        let was_full = self.is_full();
        self.forget();
        if flushes.count == 0 || self.quiet_us == 0.0 {
            return;
        }
        if flushes.slowest_us as f64 > slowdown * self.quiet_us {
            self.allowed = (self.allowed / STEP).max(LEAST);
        } else if was_full {
            self.allowed = (self.allowed * STEP).min(MOST);
        }
    }

    /// No log flush came behind the burst. True if so much has gathered that it has to be synced now.
    pub fn passed_over(&mut self) -> bool {
        self.gathered += std::mem::take(&mut self.spent);
        let much = self.gathered >= MOST;
        if much {
            self.gathered = 0.0;
        }
        much
    }

    /// Bursts do not count.
    pub fn forget(&mut self) {
        (self.spent, self.gathered) = (0.0, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk whose flush takes `base_us`, and for what was written before it `run_us` a run and `page_us` a page more; bursts of runs of
    /// `run_pages`. Gives the pages of a burst and the slowdown once it has settled.
    fn settle(base_us: f64, run_us: f64, page_us: f64, run_pages: usize, slowdown: f64) -> (usize, f64) {
        let mut drain = Drain::default();
        let mut last = (0, 1.0);
        for _ in 0..400 {
            drain.quiet(FlushTimes {
                count: 4,
                total_us: (4.0 * base_us) as u64,
                slowest_us: base_us as u64,
            });
            let (mut us, mut pages) = (base_us, 0);
            while !drain.is_full() {
                let n = run_pages.min(drain.pages());
                drain.wrote(n);
                pages += n;
                us += run_us + n as f64 * page_us;
            }
            let total_us = (us + 2.0 * base_us) as u64;
            drain.drained(FlushTimes { count: 3, total_us, slowest_us: us as u64 }, slowdown);
            last = (pages, us / base_us);
        }
        last
    }

    #[test]
    fn one_odd_flush_moves_the_usual_time_by_a_step() {
        let mut drain = Drain::default();
        let once = |us: u64| FlushTimes { count: 1, total_us: us, slowest_us: us };
        drain.quiet(once(1000));
        assert_eq!(drain.quiet_us(), 1000.0, "the first is taken as it is");
        drain.quiet(once(1));
        assert_eq!(drain.quiet_us(), 1000.0 / STEP);
        drain.quiet(once(1_000_000));
        assert_eq!(drain.quiet_us(), 1000.0);
        drain.quiet(FlushTimes::default());
        assert_eq!(drain.quiet_us(), 1000.0, "none says nothing");
    }

    #[test]
    fn where_bursts_cost_flushes_nothing_they_grow_to_the_most() {
        let (pages, slower) = settle(100.0, 0.0, 0.0, 128, 4.0);
        assert!(pages >= 500 && slower < 1.01, "{pages} {slower}");
    }

    #[test]
    fn on_a_disk_that_seeks_bursts_settle_where_flushes_are_as_slow_as_allowed() {
        let (pages, slower) = settle(8333.0, 1900.0, 68.0, 1, 4.0);
        assert!((3.0..5.0).contains(&slower), "{slower}");
        assert!((8..16).contains(&pages), "{pages}");
        let (pages, slower) = settle(8333.0, 1900.0, 68.0, 128, 4.0);
        assert!((3.0..5.0).contains(&slower) && pages > 100, "{pages} {slower}");
    }

    #[test]
    fn now_and_then_a_flush_that_is_slow_for_another_reason_does_no_harm() {
        let mut drain = Drain::default();
        for i in 0..600 {
            let us = if i % 10 == 0 { 40_000 } else { 100 };
            let flushes = FlushTimes { count: 1, total_us: us, slowest_us: us };
            drain.quiet(flushes);
            while !drain.is_full() {
                drain.wrote(drain.pages().min(128));
            }
            drain.drained(flushes, 4.0);
        }
        assert!(drain.quiet_us() < 150.0 && drain.allowed > MOST / 4.0, "{drain:?}");
    }

    #[test]
    fn a_disk_that_stalls_at_anything_gets_single_pages() {
        assert_eq!(settle(100.0, 100_000.0, 0.0, 128, 4.0).0, 1);
    }

    #[test]
    fn a_write_is_never_without_pages_and_an_idle_log_teaches_nothing() {
        let mut drain = Drain::default();
        for _ in 0..1000 {
            assert!(drain.pages() >= 1);
            drain.wrote(drain.pages());
            drain.drained(FlushTimes::default(), 4.0);
        }
        assert_eq!(drain.allowed, FIRST);
    }

    #[test]
    fn a_burst_that_was_not_full_tells_nothing_of_larger_ones() {
        let mut drain = Drain::default();
        let quick = FlushTimes { count: 1, total_us: 100, slowest_us: 100 };
        drain.quiet(quick);
        for _ in 0..20 {
            while !drain.is_full() {
                drain.wrote(drain.pages());
            }
            drain.drained(quick, 4.0);
        }
        let learned = drain.allowed;
        assert!(learned > FIRST);
        for _ in 0..20 {
            drain.wrote(1);
            assert!(!drain.is_full());
            drain.drained(quick, 4.0);
        }
        assert_eq!(drain.allowed, learned);
    }
}
