//! Clients of ours: a thread each, at full speed or throttled as pgbench does it.
//!
//! Throttled: transactions are due at random times whatever becomes of them, latency counts from then, and one that could not begin within the limit is
//! skipped. What is due within the counted time is issued or skipped, however late it is, and what is under way at the end is awaited: so long as a session waits
//! for an answer at all.
//!
//! Invariants
//! 1. The first error ends all clients.
//!
//! It must not know what a transaction is.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Spec;
use crate::bench_checkpoints::Error;
use crate::bench_checkpoints::digest::{Digest, Outcome};
use crate::bench_commits;
use crate::bench_commits::schedule::Schedule;
use crate::bench_commits::window::PATIENCE_S;

/// A client that waits looks so often whether it is to end.
const SLEEP_MAX: Duration = Duration::from_millis(50);
/// What has ended is taken over so often.
const TICK: Duration = Duration::from_millis(200);
/// A transaction is handed over within this time of its end.
const HANDED_OVER_US: i64 = 2_000_000;

/// One client.
pub trait Client: Send {
    /// One transaction; returns when it is confirmed.
    fn transaction(&mut self, rng: &mut fastrand::Rng) -> Result<(), Error>;
}

type Events = Vec<(i64, Outcome)>;

/// Runs them all.
pub fn run<C: Client>(
    clients: Vec<C>,
    spec: &Spec<'_>,
    digest: &mut Digest,
    tick: &mut dyn FnMut(),
) -> Result<(), Error> {
    let inboxes: Vec<Mutex<Events>> = clients.iter().map(|_| Mutex::default()).collect();
    let (failed, running) = (AtomicBool::new(false), AtomicUsize::new(clients.len()));
    let origin = spec.origin;
    let take = |digest: &mut Digest| {
        for inbox in &inboxes {
            let events = std::mem::take(&mut *inbox.lock().unwrap_or_else(|e| e.into_inner()));
            events.into_iter().for_each(|(at_us, outcome)| digest.record(at_us, outcome));
        }
    };
    let results: Vec<Result<(), Error>> = std::thread::scope(|scope| {
        let (failed, running, inboxes) = (&failed, &running, &inboxes);
        let start = |(n, client): (usize, C)| {
            scope.spawn(move || {
                let _gone = Gone(running);
                let result = one(client, n as u32, spec, &inboxes[n], failed);
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                result
            })
        };
        let threads: Vec<_> = clients.into_iter().enumerate().map(start).collect();
        while running.load(Ordering::Acquire) > 0 {
            std::thread::sleep(TICK);
            take(digest);
            digest.close_before(since_us(origin, Instant::now()) - HANDED_OVER_US);
            tick();
        }
        let panicked = |_| Err(Error::Options("a client's thread panicked".into()));
        threads.into_iter().map(|t| t.join().unwrap_or_else(panicked)).collect()
    });
    take(digest);
    results.into_iter().collect::<Result<(), Error>>()?;
    spec.check()
}

/// Counts a client off, even if it panics.
struct Gone<'a>(&'a AtomicUsize);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

fn one<C: Client>(
    mut client: C,
    n: u32,
    spec: &Spec<'_>,
    inbox: &Mutex<Events>,
    failed: &AtomicBool,
) -> Result<(), Error> {
    let begin = Instant::now();
    let load = bench_commits::Load {
        clients: spec.clients,
        seconds: f64::from(spec.seconds),
        per_s: spec.rate_per_s,
        bytes: 0,
        seed: spec.seed,
        stop: spec.stop,
    };
    let mut schedule = match spec.curve {
        Some(curve) => Schedule::along(curve, spec.origin.saturating_duration_since(begin), &load, n),
        None => Schedule::new(&load, n),
    };
    let mut rng = fastrand::Rng::with_seed(spec.seed ^ u64::from(n) << 40 ^ 0x5eed);
    let end = spec.origin + Duration::from_secs(u64::from(spec.seconds));
    let (last, given_up) = (end - Duration::from_micros(1), end + Duration::from_secs(PATIENCE_S));
    let limit = Duration::from_secs_f64(spec.limit_ms / 1e3);
    let ends = || failed.load(Ordering::Relaxed) || spec.stop.load(Ordering::Relaxed);
    while !ends() {
        let due = begin + Duration::from_nanos(schedule.next_ns(begin.elapsed().as_nanos() as u64));
        // A curve may be at nothing for hours.
        let until = due.min(end);
        while let Some(left) = until.checked_duration_since(Instant::now()).filter(|d| !d.is_zero())
            && !ends()
        {
            std::thread::sleep(left.min(SLEEP_MAX));
        }
        if due >= end {
            break;
        }
        let now = Instant::now();
        let throttled = spec.rate_per_s.is_some() || spec.curve.is_some();
        let too_late = now.saturating_duration_since(due) > limit || now >= given_up;
        let outcome = if throttled && too_late {
            // It was due within the counted time, and counts there.
            (now.min(last), Outcome::Skipped)
        } else {
            client.transaction(&mut rng)?;
            let now = Instant::now();
            (now, Outcome::Done { latency_us: now.saturating_duration_since(due).as_micros() as u64 })
        };
        let event = (since_us(spec.origin, outcome.0), outcome.1);
        inbox.lock().unwrap_or_else(|e| e.into_inner()).push(event);
    }
    Ok(())
}

/// Negative before the origin.
fn since_us(origin: Instant, now: Instant) -> i64 {
    match now.checked_duration_since(origin) {
        Some(since) => since.as_micros() as i64,
        None => -((origin - now).as_micros() as i64) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counts<'a>(&'a AtomicUsize, usize);

    impl Client for Counts<'_> {
        fn transaction(&mut self, _rng: &mut fastrand::Rng) -> Result<(), Error> {
            if self.0.fetch_add(1, Ordering::Relaxed) == self.1 {
                return Err(Error::Options("enough".into()));
            }
            std::thread::yield_now();
            Ok(())
        }
    }

    fn spec<'a>(rate_per_s: Option<f64>, limit_ms: f64, stop: &'a AtomicBool) -> Spec<'a> {
        let origin = Instant::now();
        let curve = None;
        Spec { clients: 2, jobs: 1, scale: 1, rate_per_s, curve, limit_ms, origin, seconds: 1, seed: 7, stop }
    }

    #[test]
    fn the_first_error_ends_all_clients() {
        let (stop, count) = (AtomicBool::new(false), AtomicUsize::new(0));
        let clients = vec![Counts(&count, 10), Counts(&count, 10)];
        let result = run(clients, &spec(None, 100.0, &stop), &mut Digest::new(1, 100.0), &mut || ());
        assert_eq!(result.unwrap_err().to_string(), "enough");
    }

    #[test]
    fn a_load_follows_its_curve() {
        let (stop, count) = (AtomicBool::new(false), AtomicUsize::new(0));
        let curve = "steps:2000@500ms,0@1h".parse().unwrap();
        let spec = Spec { curve: Some(&curve), ..spec(None, 1000.0, &stop) };
        let clients = vec![Counts(&count, usize::MAX), Counts(&count, usize::MAX)];
        run(clients, &spec, &mut Digest::new(1, 1000.0), &mut || ()).unwrap();
        // A thousand are due, give or take.
        assert!((800..1200).contains(&count.load(Ordering::Relaxed)), "{count:?}");
    }

    #[test]
    fn what_cannot_begin_in_time_is_skipped() {
        let (stop, count) = (AtomicBool::new(false), AtomicUsize::new(0));
        let mut digest = Digest::new(1, 0.0);
        // Nobody begins at the very nanosecond at which it is due.
        let clients = vec![Counts(&count, usize::MAX), Counts(&count, usize::MAX)];
        run(clients, &spec(Some(200.0), 0.0, &stop), &mut digest, &mut || ()).unwrap();
        let overall = digest.finish().overall;
        assert!(overall.skipped > 0 && overall.transactions == 0, "{overall:?}");
    }

    /// Its first transaction takes longer than all that is counted.
    struct Pauses(bool);

    impl Client for Pauses {
        fn transaction(&mut self, _rng: &mut fastrand::Rng) -> Result<(), Error> {
            if !std::mem::replace(&mut self.0, true) {
                std::thread::sleep(Duration::from_millis(1500));
            }
            Ok(())
        }
    }

    #[test]
    fn what_a_pause_holds_over_the_end_counts_with_what_came_due_behind_it() {
        let stop = AtomicBool::new(false);
        for rate_per_s in [None, Some(200.0)] {
            let mut digest = Digest::new(1, 100.0);
            let clients = vec![Pauses(false), Pauses(false)];
            run(clients, &spec(rate_per_s, 100.0, &stop), &mut digest, &mut || ()).unwrap();
            let overall = digest.finish().overall;
            assert_eq!((overall.transactions, overall.behind, overall.late), (0, 2, 2));
            assert!(
                overall.max_ms >= 1500.0 && (overall.skipped > 50) == rate_per_s.is_some(),
                "{overall:?}"
            );
        }
    }
}
