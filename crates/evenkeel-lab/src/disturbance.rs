//! What the rest of the machine did while something was measured: processor time that other machines on the same hardware had, or other programs on this one, and moments in
//! which this machine stood still.
//!
//! A thread sleeps a millisecond, again and again, and notes when it woke up much later: then nothing here ran that wanted to, so a transaction that was slow
//! in that moment says nothing about a server.
//!
//! Invariants
//! 1. The thread ends with its guard.
//!
//! It must not know what is measured.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::bench_checkpoints::stolen_s;
use crate::logdisk::processors::Programs;

const SLEEP: Duration = Duration::from_millis(1);
/// A wake-up that is later by so much is a stall: a busy scheduler alone takes less.
const STALL_MS: f64 = 25.0;
/// Figures are spoilt if more of the processors' time was stolen, percent.
const STOLEN_PERCENT_MAX: f64 = 10.0;
/// Or if other programs used more of it, percent: what the kernel does for us counts there.
const OTHERS_PERCENT_MAX: f64 = 15.0;
/// Or if stalls took more of the time, percent.
const STALLED_PERCENT_MAX: f64 = 1.0;

/// What was noted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Disturbance {
    /// Seconds that were watched.
    pub seconds: f64,
    /// Share of all processors' time that other machines had; None if the system does not tell.
    pub stolen_percent: Option<f64>,
    /// Share of it that other programs here used; None if what is measured is itself one of them, or the system does not tell.
    #[serde(default)]
    pub others_percent: Option<f64>,
    /// Wake-ups that came over 25 ms late.
    pub stalls: u64,
    /// By how much, together.
    pub stalled_ms: f64,
    /// The latest of all.
    pub longest_ms: f64,
}

impl Disturbance {
    /// Both, as if they were one.
    pub fn and(self, other: Disturbance) -> Disturbance {
        let seconds = self.seconds + other.seconds;
        let both = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) if seconds > 0.0 => Some((a * self.seconds + b * other.seconds) / seconds),
            (a, b) => a.or(b),
        };
        Disturbance {
            seconds,
            stolen_percent: both(self.stolen_percent, other.stolen_percent),
            others_percent: both(self.others_percent, other.others_percent),
            stalls: self.stalls + other.stalls,
            stalled_ms: self.stalled_ms + other.stalled_ms,
            longest_ms: self.longest_ms.max(other.longest_ms),
        }
    }

    /// All of them, as if they were one; None of nothing.
    pub fn all(of: impl IntoIterator<Item = Disturbance>) -> Option<Disturbance> {
        of.into_iter().reduce(Disturbance::and)
    }

    /// Why figures from this time are not to be trusted, if so.
    pub fn spoils(&self) -> Option<String> {
        let stalled = self.stalled_ms / 10.0 / self.seconds.max(1e-9);
        if let Some(stolen) = self.stolen_percent.filter(|p| *p > STOLEN_PERCENT_MAX) {
            return Some(format!(
                "other machines on this hardware had {stolen:.0} % of the processors' time"
            ));
        }
        if let Some(others) = self.others_percent.filter(|p| *p > OTHERS_PERCENT_MAX) {
            return Some(format!("other programs had {others:.0} % of the processors' time"));
        }
        (stalled > STALLED_PERCENT_MAX).then(|| {
            format!(
                "this machine stood still {} times, {:.0} ms at most, {stalled:.1} % of the time",
                self.stalls, self.longest_ms
            )
        })
    }
}

/// A row's label, marked if the machine spoilt the row.
pub fn marked(label: &str, disturbance: Option<Disturbance>) -> String {
    let spoilt = disturbance.is_some_and(|d| d.spoils().is_some());
    if spoilt { format!("{label} !") } else { label.to_owned() }
}

/// What is said behind a comparison, if the machine spoilt one of both.
pub fn spoilt(of: [Option<Disturbance>; 2]) -> &'static str {
    let any = of.into_iter().flatten().any(|d| d.spoils().is_some());
    if any { "; it says nothing, as the machine spoilt one of them" } else { "" }
}

/// What is to be known of a row that the machine spoilt.
pub fn warning(label: &str, disturbance: Option<Disturbance>) -> Option<String> {
    Some(format!("{label}: {}; measure it again", disturbance?.spoils()?))
}

#[derive(Default)]
struct Shared {
    ends: AtomicBool,
    /// By how much wake-ups that are stalls were late so far, together.
    stalled_us: AtomicU64,
}

/// Watches until it ends.
pub struct Probe {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Disturbance>>,
}

impl Probe {
    /// Watches from now on. `is_own`: what is measured runs in this process, or in those that it has started, so that all others are no part of it.
    pub fn start(is_own: bool) -> Probe {
        Probe::start_at(Instant::now(), is_own)
    }

    /// Watches from that moment on, which may lie ahead.
    pub fn start_at(from: Instant, is_own: bool) -> Probe {
        let shared = Arc::new(Shared::default());
        let seen = Arc::clone(&shared);
        let thread =
            std::thread::Builder::new().name("stall probe".into()).spawn(move || watch(from, is_own, &seen));
        // Without a thread nothing is known, and nothing else fails.
        Probe { shared, thread: thread.ok() }
    }

    /// Milliseconds of stalls so far.
    pub fn stalled_ms(&self) -> f64 {
        self.shared.stalled_us.load(Ordering::Relaxed) as f64 / 1e3
    }

    /// What was noted; None if nothing could be.
    pub fn end(mut self) -> Option<Disturbance> {
        self.shared.ends.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok().filter(|d| d.seconds > 0.0)
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Relaxed); // invariant 1
    }
}

fn watch(from: Instant, is_own: bool, shared: &Shared) -> Disturbance {
    while !shared.ends.load(Ordering::Relaxed) && Instant::now() < from {
        std::thread::sleep(SLEEP);
    }
    let mut noted = Disturbance::default();
    if Instant::now() < from {
        return noted;
    }
    let stolen = stolen_s();
    let programs = Programs::now().filter(|_| is_own);
    // A thread that itself begins late is one that did not run when it wanted to.
    let mut before = from;
    loop {
        let now = Instant::now();
        noted.note((now - before).saturating_sub(SLEEP).as_secs_f64() * 1e3);
        shared.stalled_us.store((noted.stalled_ms * 1e3) as u64, Ordering::Relaxed);
        before = now;
        if shared.ends.load(Ordering::Relaxed) {
            break;
        }
        std::thread::sleep(SLEEP);
    }
    noted.seconds = from.elapsed().as_secs_f64();
    let processors = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
    let share =
        |(from, to): (f64, f64)| (to - from).max(0.0) * 100.0 / (noted.seconds * processors).max(1e-9);
    noted.stolen_percent = stolen.zip(stolen_s()).map(share);
    noted.others_percent = programs.zip(Programs::now()).map(|(from, to)| to.others_since(&from) * 100.0);
    noted
}

impl Disturbance {
    fn note(&mut self, late_ms: f64) {
        self.longest_ms = self.longest_ms.max(late_ms);
        if late_ms > STALL_MS {
            self.stalls += 1;
            self.stalled_ms += late_ms;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_wake_ups_are_stalls_and_small_ones_are_not() {
        let mut noted = Disturbance { seconds: 1.0, ..Disturbance::default() };
        [0.1, 24.0, 26.0, 40.0].into_iter().for_each(|ms| noted.note(ms));
        assert_eq!((noted.stalls, noted.stalled_ms, noted.longest_ms), (2, 66.0, 40.0));
        assert!(noted.spoils().unwrap().contains("stood still 2 times, 40 ms at most, 6.6 %"));
        let longer = Disturbance { seconds: 100.0, ..noted };
        assert_eq!(longer.spoils(), None);
    }

    #[test]
    fn stolen_time_spoils_and_is_weighed_by_seconds() {
        let of =
            |seconds, percent| Disturbance { seconds, stolen_percent: Some(percent), ..Default::default() };
        let both = of(10.0, 18.0).and(of(30.0, 2.0));
        assert_eq!((both.seconds, both.stolen_percent), (40.0, Some(6.0)));
        assert!(of(1.0, 18.0).spoils().unwrap().contains("18 %") && both.spoils().is_none());
        let spoilt = Some(of(1.0, 18.0));
        assert_eq!([marked("a", spoilt), marked("a", Some(both)), marked("a", None)], ["a !", "a", "a"]);
        assert!(warning("a", spoilt).unwrap().starts_with("a: other machines"));
        assert_eq!((warning("a", Some(both)), warning("a", None)), (None, None));
        assert_eq!(Disturbance::all([]), None);
        let beside = Disturbance { seconds: 2.0, others_percent: Some(90.0), ..Default::default() };
        assert!(beside.spoils().unwrap().contains("other programs had 90 %"));
        let alone = Disturbance { others_percent: Some(5.0), ..beside };
        assert_eq!((alone.spoils(), beside.and(alone).others_percent), (None, Some(47.5)));
    }

    #[test]
    fn the_probe_watches_as_long_as_it_is_there() {
        let probe = Probe::start(true);
        std::thread::sleep(Duration::from_millis(30));
        let noted = probe.end().unwrap();
        assert!(noted.seconds >= 0.03, "{noted:?}");
        // One that is to begin later and ends before has nothing to say.
        assert_eq!(Probe::start_at(Instant::now() + Duration::from_secs(60), true).end(), None);
    }
}
