//! Waiting for the clients' next bytes without being put to sleep for a moment.
//!
//! Duty: between two messages of busy clients lie a few microseconds to a few hundred, but blocking costs two context switches, and
//! where a core went idle, its waking besides (20 µs to 50 µs on a virtual machine, more than a statement itself). So the worker that watches the sockets
//! while nobody else is at work first asks again and again for a bounded time, offering the core to everybody else between two tries, and blocks then.
//!
//! Invariants:
//! * L1: one wait polls for `session_poll` at most, and gives the core away after each try.
//! * L2: after polls in vain more and more waits go without: slow clients cost next to nothing. So do those after the
//!   core, once given away, came back too late: on a machine that computes something else a yield may cost milliseconds.
//!
//! It must not know what is waited for.

use std::time::{Duration, Instant};

/// Most waits that go without polling after one that polled in vain.
const REST_MAX: u32 = 256;
/// A core that was given away and came back later than this went to somebody's long computation.
const LATE: Duration = Duration::from_millis(1);
/// Waits that go without polling after that, at least and at most.
const LATE_REST: std::ops::RangeInclusive<u32> = 16..=4096;

/// How the waits go.
#[derive(Debug)]
pub(crate) struct Poller {
    budget: Duration,
    /// Waits still to go without polling.
    resting: u32,
    /// How many the next poll in vain costs.
    rest: u32,
    /// How many the next one costs that comes back late.
    late_rest: u32,
}

impl Poller {
    /// Polls for up to `budget` a wait; zero: never.
    pub fn new(budget: Duration) -> Poller {
        Poller { budget, resting: 0, rest: 1, late_rest: *LATE_REST.start() }
    }

    /// Calls `attempt` until it gives a result or the time is over; then `block`.
    pub fn wait<S, T>(
        &mut self,
        source: &mut S,
        mut attempt: impl FnMut(&mut S) -> Option<T>,
        block: impl FnOnce(&mut S) -> T,
    ) -> T {
        if self.resting > 0 || self.budget.is_zero() {
            self.resting = self.resting.saturating_sub(1);
            return block(source);
        }
        if let Some(done) = attempt(source) {
            return done;
        }
        let start = Instant::now();
        let mut done = None;
        while done.is_none() && start.elapsed() < self.budget {
            std::thread::yield_now();
            done = attempt(source);
        }
        if start.elapsed() > LATE {
            self.resting = self.late_rest;
            self.late_rest = (self.late_rest * 2).min(*LATE_REST.end());
        } else if done.is_some() {
            self.rest = 1;
            self.late_rest = (self.late_rest / 2).max(*LATE_REST.start());
        } else {
            self.resting = self.rest;
            self.rest = (self.rest * 2).min(REST_MAX);
        }
        if let Some(done) = done {
            return done;
        }
        block(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_soon_is_had_without_blocking() {
        let mut poller = Poller::new(Duration::from_secs(3600));
        let third = |n: &mut u32| {
            *n += 1;
            (*n == 3).then_some("polled")
        };
        assert_eq!(poller.wait(&mut 0, third, |_| "blocked"), "polled");
        assert_eq!(Poller::new(Duration::ZERO).wait(&mut 0, third, |_| "blocked"), "blocked");
    }

    #[test]
    fn polls_in_vain_become_rare() {
        let mut poller = Poller::new(Duration::from_nanos(1));
        let mut waits = [0; 2];
        for _ in 0..1000 {
            let mut polled = 0;
            poller.wait(
                &mut polled,
                |polled| {
                    *polled = 1;
                    None
                },
                |_| (),
            );
            waits[polled] += 1;
        }
        assert!(waits[1] < 20, "{waits:?}");
    }
}
