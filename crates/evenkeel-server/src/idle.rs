//! Waiting for a client's next bytes, without letting the processor sleep when it would be woken at once.
//!
//! Duty: between two messages of a busy client lie a few microseconds, but blocking in read(2) puts an otherwise idle core to sleep,
//! and waking it costs more than the whole statement (on a virtual machine 20 µs to 50 µs). So a session first asks the socket for a bounded
//! time, and then blocks.
//!
//! Invariants:
//! * L1: a session polls only while at most half of the cores have a session that is awake, itself included: with more of them a core
//!   always has something better to do. Sessions that wait for a row lock or for the disk are not awake.
//! * L2: one wait polls for `session_poll` at most, and a session whose polls were in vain gives up for more and more waits: an idle
//!   client costs nothing.
//!
//! It must not know what is read.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Most waits that go without polling after one that polled in vain.
const REST_MAX: u32 = 256;

/// How many sessions are awake: not blocked in a read, nor waiting for the disk.
#[derive(Debug)]
pub(crate) struct Awake {
    sessions: AtomicUsize,
    /// Up to so many awake sessions one of them may poll.
    limit: usize,
}

impl Awake {
    pub fn new() -> Awake {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Awake { sessions: AtomicUsize::new(0), limit: cores / 2 }
    }

    /// A session that starts, and polls for up to `budget` a wait.
    pub fn join(&self, budget: Duration) -> Poller<'_> {
        self.sessions.fetch_add(1, Ordering::Relaxed);
        Poller { awake: self, budget, resting: 0, rest: 1 }
    }
}

/// One session's place among the awake.
#[derive(Debug)]
pub(crate) struct Poller<'a> {
    awake: &'a Awake,
    budget: Duration,
    /// Waits still to go without polling.
    resting: u32,
    /// How many the next poll in vain costs.
    rest: u32,
}

impl Poller<'_> {
    /// Calls `attempt` until it gives a result or the time is over; then `block`, during which the session counts as asleep. `blocked` is
    /// how many of the others count as asleep as well.
    pub fn wait<S, T>(
        &mut self,
        source: &mut S,
        blocked: impl Fn() -> usize,
        mut attempt: impl FnMut(&mut S) -> Option<T>,
        block: impl FnOnce(&mut S) -> T,
    ) -> T {
        if self.resting > 0 {
            self.resting -= 1;
        } else if let Some(start) = self.may_poll(&blocked).then(Instant::now) {
            while self.may_poll(&blocked) && start.elapsed() < self.budget {
                if let Some(done) = attempt(source) {
                    self.rest = 1;
                    return done;
                }
                std::thread::yield_now();
            }
            self.resting = self.rest;
            self.rest = (self.rest * 2).min(REST_MAX);
        }
        self.asleep(|| block(source))
    }

    /// Runs `f`, during which the session counts as asleep.
    pub fn asleep<T>(&self, f: impl FnOnce() -> T) -> T {
        let _asleep = Asleep::new(self.awake);
        f()
    }

    fn may_poll(&self, blocked: impl Fn() -> usize) -> bool {
        !self.budget.is_zero()
            && self.awake.sessions.load(Ordering::Relaxed) <= self.awake.limit.saturating_add(blocked())
    }
}

/// A session that does not count as awake. Ends on drop: a panic in what it waits for must not take it out of the count for good, since its
/// `Poller` will do that.
struct Asleep<'a>(&'a Awake);

impl Asleep<'_> {
    fn new(awake: &Awake) -> Asleep<'_> {
        awake.sessions.fetch_sub(1, Ordering::Relaxed);
        Asleep(awake)
    }
}

impl Drop for Asleep<'_> {
    fn drop(&mut self) {
        self.0.sessions.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Poller<'_> {
    fn drop(&mut self) {
        self.awake.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_polls_beside_others() {
        let awake = Awake { sessions: AtomicUsize::new(0), limit: 1 };
        let mut a = awake.join(Duration::from_secs(3600));
        assert_eq!(a.wait(&mut (), || 0, |_| Some(1), |_| 2), 1);
        let _b = awake.join(Duration::ZERO);
        assert_eq!(a.wait(&mut (), || 0, |_| Some(1), |_| 2), 2);
    }

    #[test]
    fn sessions_that_wait_for_a_lock_are_asleep() {
        let awake = Awake { sessions: AtomicUsize::new(0), limit: 1 };
        let mut a = awake.join(Duration::from_secs(3600));
        let _waiting = awake.join(Duration::ZERO);
        assert_eq!(a.wait(&mut (), || 1, |_| Some(1), |_| 2), 1);
        assert_eq!(a.wait(&mut (), || 0, |_| Some(1), |_| 2), 2);
    }

    #[test]
    fn polls_in_vain_become_rare() {
        let awake = Awake { sessions: AtomicUsize::new(0), limit: 1 };
        let mut a = awake.join(Duration::from_nanos(1));
        let mut waits = [0; 2];
        for _ in 0..1000 {
            let mut polled = 0;
            a.wait(
                &mut polled,
                || 0,
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

    #[test]
    fn a_panic_while_asleep_leaves_the_count_right() {
        let awake = Awake { sessions: AtomicUsize::new(0), limit: 0 };
        let _other = awake.join(Duration::ZERO);
        let panicked = std::panic::catch_unwind(|| {
            let a = awake.join(Duration::ZERO);
            a.asleep(|| panic!("in a wait"));
        });
        assert!(panicked.is_err());
        assert_eq!(awake.sessions.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_blocked_session_is_asleep() {
        let awake = Awake { sessions: AtomicUsize::new(0), limit: 0 };
        let mut a = awake.join(Duration::ZERO);
        a.wait(&mut (), || 0, |_| Some(1), |_| awake.sessions.load(Ordering::Relaxed));
        assert_eq!(awake.sessions.load(Ordering::Relaxed), 1);
        assert_eq!(a.wait(&mut (), || 0, |_| Some(1), |_| awake.sessions.load(Ordering::Relaxed)), 0);
    }
}
