//! What of a load counts, and how long its end is waited for.
//!
//! The slowest commits are those that a pause holds over the end of the counted time: leaving them out would hide what is looked for.
//!
//! Invariants
//! 1. Throughput counts what ended within the counted time; latencies are of that, and of all that was due in it and ended behind it.
//! 2. What is not waited for counts with the time that it has waited: its latency is at least that.
//!
//! It must not know what a commit is.

use super::Load;
use crate::logdisk::sample::Latencies;

/// Share of a point's time that comes before it and is not counted.
const WARM_UP_SHARE: f64 = 0.2;
/// What was due within the counted time is waited for so long after it.
pub(crate) const PATIENCE_S: u64 = 60;

/// The counted time, in nanoseconds since the beginning of the load.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    from_ns: u64,
    to_ns: u64,
}

impl Window {
    /// That of a load.
    pub fn of(load: &Load<'_>) -> Window {
        let from_ns = (load.seconds * WARM_UP_SHARE * 1e9) as u64;
        Window { from_ns, to_ns: from_ns + (load.seconds * 1e9) as u64 }
    }

    /// How long it is.
    pub fn ns(self) -> u64 {
        self.to_ns - self.from_ns
    }

    /// What is due then is no longer begun.
    pub fn is_over_at(self, due_ns: u64) -> bool {
        due_ns >= self.to_ns
    }

    /// From then on nothing is waited for.
    pub fn is_given_up_at(self, now_ns: u64) -> bool {
        now_ns >= self.to_ns + PATIENCE_S * 1_000_000_000
    }
}

/// Counts commits.
pub struct Tally {
    /// When they count.
    pub window: Window,
    /// Confirmed within the window.
    pub commits: u64,
    /// All that were confirmed.
    pub all_commits: u64,
    /// Due within the window and not confirmed long after it.
    pub unfinished: u64,
    /// From when they were due.
    pub latencies: Latencies,
    /// From when they began.
    pub own: Latencies,
}

impl Tally {
    /// Nothing yet.
    pub fn new(window: Window) -> Tally {
        let (latencies, own) = (Latencies::new(), Latencies::new());
        Tally { window, commits: 0, all_commits: 0, unfinished: 0, latencies, own }
    }

    /// One that was due, began and was confirmed then (invariant 1).
    pub fn ended(&mut self, due_ns: u64, began_ns: u64, now_ns: u64) {
        self.all_commits += 1;
        if now_ns < self.window.from_ns || self.window.is_over_at(due_ns) {
            return;
        }
        self.commits += u64::from(now_ns < self.window.to_ns);
        self.latencies.record(now_ns.saturating_sub(due_ns));
        self.own.record(now_ns.saturating_sub(began_ns));
    }

    /// One that was due then, and is no longer waited for (invariant 2).
    pub fn given_up(&mut self, due_ns: u64, now_ns: u64) {
        self.unfinished += 1;
        self.latencies.record(now_ns.saturating_sub(due_ns));
    }

    /// Counts those of another in.
    pub fn add(&mut self, other: &Tally) {
        self.commits += other.commits;
        self.all_commits += other.all_commits;
        self.unfinished += other.unfinished;
        self.latencies.add(&other.latencies);
        self.own.add(&other.own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// A hundred to two hundred milliseconds are counted.
    fn tally() -> Tally {
        Tally::new(Window { from_ns: 100 * MS, to_ns: 200 * MS })
    }

    #[test]
    fn what_was_due_in_the_counted_time_and_ended_behind_it_counts_with_its_latency() {
        let mut t = tally();
        t.ended(150 * MS, 180 * MS, 3_150 * MS);
        assert_eq!((t.commits, t.all_commits, t.latencies.count()), (0, 1, 1));
        assert!((t.latencies.at_us(1.0) / 3e6 - 1.0).abs() < 2e-3);
        assert!((t.own.at_us(1.0) / 2.97e6 - 1.0).abs() < 2e-3);
    }

    #[test]
    fn what_ended_in_the_counted_time_counts_wherever_it_began() {
        let mut t = tally();
        [10, 150].into_iter().for_each(|ms| t.ended(ms * MS, ms * MS, 160 * MS));
        assert_eq!((t.commits, t.latencies.count()), (2, 2));
    }

    #[test]
    fn what_lies_wholly_outside_does_not_count() {
        let mut t = tally();
        t.ended(10 * MS, 10 * MS, 99 * MS);
        t.ended(200 * MS, 200 * MS, 201 * MS);
        assert_eq!((t.commits, t.all_commits, t.latencies.count()), (0, 2, 0));
    }

    #[test]
    fn what_is_given_up_counts_with_its_age() {
        let mut t = tally();
        let now = 200 * MS + PATIENCE_S * 1000 * MS;
        assert!(t.window.is_given_up_at(now) && !t.window.is_given_up_at(now - 1));
        t.given_up(150 * MS, now);
        assert_eq!((t.commits, t.all_commits, t.unfinished, t.latencies.count()), (0, 0, 1, 1));
        assert!(t.latencies.at_us(1.0) > 59e6);
    }
}
