//! Reads a system's counters every second while a load runs.
//!
//! A reading that fails leaves a gap: whether the system still answers is the load's to say.
//!
//! It must not know which system it is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::trace::{Counters, Reading};
use crate::disturbance::Probe;

/// Longest sleep, so that an end is noticed.
const SLEEP_MAX: Duration = Duration::from_millis(50);

/// Something with counters.
pub trait Monitor: Send {
    /// The counters now; None if they cannot be had.
    fn read(&mut self) -> Option<Counters>;
}

/// Those of a system, with the moments in which the machine itself stood still.
pub struct Stalls<'a> {
    /// The system's.
    pub monitor: &'a mut dyn Monitor,
    /// What notes them.
    pub probe: &'a Probe,
}

impl Monitor for Stalls<'_> {
    fn read(&mut self) -> Option<Counters> {
        let mut counters = self.monitor.read()?;
        counters.stalled_ms = Some(self.probe.stalled_ms());
        Some(counters)
    }
}

/// Reads until `end` is set, and once more then. `origin` is when the counted time begins; it may lie ahead.
pub fn sample(monitor: &mut dyn Monitor, origin: Instant, end: &AtomicBool) -> Vec<Reading> {
    let mut readings = Vec::new();
    let mut next = Instant::now();
    loop {
        let ends = end.load(Ordering::Relaxed);
        let now = Instant::now();
        if !ends && now < next {
            std::thread::sleep((next - now).min(SLEEP_MAX));
            continue;
        }
        let before = Instant::now();
        if let Some(counters) = monitor.read() {
            readings.push(Reading { at_s: seconds_since(origin, before), counters });
        }
        if ends {
            return readings;
        }
        next = next_second(origin, Instant::now());
    }
}

/// Negative before the origin.
fn seconds_since(origin: Instant, now: Instant) -> f64 {
    match now.checked_duration_since(origin) {
        Some(since) => since.as_secs_f64(),
        None => -(origin - now).as_secs_f64(),
    }
}

/// The next moment a whole number of seconds from the origin.
fn next_second(origin: Instant, now: Instant) -> Instant {
    let until = match now.checked_duration_since(origin) {
        Some(since) => 1_000_000_000 - u64::from(since.subsec_nanos()),
        None => match u64::from((origin - now).subsec_nanos()) {
            0 => 1_000_000_000,
            nanos => nanos,
        },
    };
    now + Duration::from_nanos(until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_fall_on_whole_seconds_from_the_origin() {
        let now = Instant::now();
        let origin = now + Duration::from_millis(2300);
        assert_eq!(next_second(origin, now), now + Duration::from_millis(300));
        assert_eq!(next_second(now, now), now + Duration::from_secs(1));
        assert_eq!(next_second(now, now + Duration::from_millis(1700)), now + Duration::from_secs(2));
        assert_eq!(seconds_since(origin, now), -2.3);
    }

    #[test]
    fn the_last_reading_is_at_the_end_and_failures_leave_gaps() {
        struct Twice(u32);
        impl Monitor for Twice {
            fn read(&mut self) -> Option<Counters> {
                self.0 += 1;
                (self.0 != 1).then(Counters::default)
            }
        }
        let end = AtomicBool::new(true);
        assert!(sample(&mut Twice(0), Instant::now(), &end).is_empty());
        assert_eq!(sample(&mut Twice(1), Instant::now(), &end).len(), 1);
    }
}
