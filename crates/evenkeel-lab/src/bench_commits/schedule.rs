//! When a client commits next.
//!
//! Closed loop: as soon as its last commit was confirmed. Open loop: at random times of a given rate, whatever became of the last one; a commit that
//! is late because of it starts at once, and its latency counts from the time it was due. So a pause of the server shows in full.
//!
//! It must not know what a commit is.

use std::time::Duration;

use super::Load;
use crate::curve::Curve;

/// A curve is taken as level for so long.
const STEP_S: f64 = 0.05;
/// Nothing runs longer; a curve may be at nothing for as long.
const END_S: f64 = 1e7;

/// The arrivals of one client, in nanoseconds since the beginning.
#[derive(Clone, Debug)]
pub struct Schedule {
    rng: fastrand::Rng,
    /// Mean distance; None: closed loop.
    mean_ns: Option<f64>,
    due_ns: f64,
    /// Instead of an even rate: a curve, when it begins, and how many clients share it.
    along: Option<(Curve, f64, f64)>,
}

impl Schedule {
    /// Of one of several clients that share the rate of a curve, which begins after `offset`.
    pub fn along(curve: &Curve, offset: Duration, load: &Load<'_>, n: u32) -> Schedule {
        let along = Some((curve.clone(), offset.as_secs_f64(), f64::from(load.clients)));
        Schedule { along, ..Schedule::new(load, n) }
    }

    /// That of the n-th of the load's clients, which share its rate evenly.
    pub fn new(load: &Load<'_>, n: u32) -> Schedule {
        let mean_ns = load.per_s.map(|rate| 1e9 * f64::from(load.clients) / rate);
        Schedule {
            rng: fastrand::Rng::with_seed(load.seed ^ u64::from(n) << 32),
            mean_ns,
            due_ns: 0.0,
            along: None,
        }
    }

    /// The time from which the next commit counts.
    pub fn next_ns(&mut self, now_ns: u64) -> u64 {
        if let Some((curve, offset_s, clients)) = &self.along {
            let mut left = -(1.0 - self.rng.f64()).ln() * clients;
            let mut at_s = self.due_ns / 1e9;
            while at_s < END_S {
                let (rate, step_s) = (curve.at(at_s - offset_s), STEP_S - at_s % STEP_S);
                if rate * step_s >= left {
                    at_s += left / rate;
                    break;
                }
                left -= rate * step_s;
                at_s += step_s.max(1e-9);
            }
            self.due_ns = at_s * 1e9;
            return self.due_ns as u64;
        }
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
    fn arrivals_follow_a_curve_from_when_it_begins() {
        let stop = AtomicBool::new(false);
        let curve = "steps:1000@2s,4000@1s,0@1h".parse().unwrap();
        let mut schedule = Schedule::along(&curve, Duration::from_secs(1), &load(None, &stop), 0);
        let all: Vec<f64> =
            std::iter::from_fn(|| Some(schedule.next_ns(0) as f64 / 1e9)).take_while(|s| *s < 5.0).collect();
        // One of four clients: 250 a second for a second before the curve begins and two of it, then 1000 for one.
        let within = |a: f64, b: f64| all.iter().filter(|s| (a..b).contains(*s)).count();
        assert!((650..850).contains(&within(0.0, 3.0)), "{}", within(0.0, 3.0));
        assert!((900..1100).contains(&within(3.0, 4.0)), "{}", within(3.0, 4.0));
        assert_eq!(within(4.0, 5.0), 0);
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
