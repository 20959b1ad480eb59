//! When a client commits next.
//!
//! Closed loop: as soon as its last commit was confirmed. Open loop: at random times of a given rate, whatever became of the last one; a commit that
//! is late because of it starts at once, and its latency counts from the time it was due. So a pause of the server shows in full.
//!
//! It must not know what a commit is.

use super::Load;

/// The arrivals of one client, in nanoseconds since the beginning.
#[derive(Clone, Debug)]
pub struct Schedule {
    rng: fastrand::Rng,
    /// Mean distance; None: closed loop.
    mean_ns: Option<f64>,
    due_ns: f64,
}

impl Schedule {
    /// That of the n-th of the load's clients, which share its rate evenly.
    pub fn new(load: &Load<'_>, n: u32) -> Schedule {
        let mean_ns = load.per_s.map(|rate| 1e9 * f64::from(load.clients) / rate);
        Schedule { rng: fastrand::Rng::with_seed(load.seed ^ u64::from(n) << 32), mean_ns, due_ns: 0.0 }
    }

    /// The time from which the next commit counts.
    pub fn next_ns(&mut self, now_ns: u64) -> u64 {
        let Some(mean) = self.mean_ns else { return now_ns };
        // Independent arrivals: exponential distances.
        self.due_ns += -(1.0 - self.rng.f64()).ln() * mean;
        self.due_ns as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn load(per_s: Option<f64>, stop: &AtomicBool) -> Load<'_> {
        Load { clients: 4, seconds: 1.0, per_s, bytes: 100, seed: 7, stop }
    }

    #[test]
    fn a_closed_loop_commits_at_once() {
        let stop = AtomicBool::new(false);
        assert_eq!(Schedule::new(&load(None, &stop), 0).next_ns(1234), 1234);
    }

    #[test]
    fn an_open_loop_keeps_its_rate_whatever_the_time_is() {
        let stop = AtomicBool::new(false);
        let mut schedule = Schedule::new(&load(Some(4000.0), &stop), 1);
        let last = (0..10_000).map(|_| schedule.next_ns(0)).last().unwrap();
        // Each of four clients has 1000 a second.
        assert!((9.5e9..10.5e9).contains(&(last as f64)), "{last}");
    }
}
