//! Crash enumeration: a mixed workload on the simulated disk is crashed at every call that changes the disk, recovered, compared with a model,
//! and crashed again inside recovery and in the life after it.
//!
//! `EVENKEEL_CRASH_POINTS` sets how many points are run (default 20,000), `EVENKEEL_CRASH_SEED` the first workload seed, and
//! `EVENKEEL_CRASH_PROGRESS` names a file that holds the next seed, so that a long run can be resumed. A failure prints its seed and call.

mod common;

use common::workload::{Workload, WorkloadOptions};
use std::sync::atomic::Ordering;

fn number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(v) => v.parse().unwrap_or_else(|_| panic!("{name} must be a number, not {v:?}")),
        Err(_) => default,
    }
}

#[test]
fn every_crash_point_recovers_to_a_committed_state() {
    let target = number("EVENKEEL_CRASH_POINTS", 20_000);
    let progress = std::env::var("EVENKEEL_CRASH_PROGRESS").ok();
    let saved = progress.as_ref().and_then(|p| std::fs::read_to_string(p).ok());
    let mut saved =
        saved.iter().flat_map(|s| s.split_whitespace()).map(|w| w.parse::<u64>().expect("a number"));
    let mut seed = saved.next().unwrap_or_else(|| number("EVENKEEL_CRASH_SEED", 1));
    let mut points = saved.next().unwrap_or(0);
    let first = seed;
    while points < target {
        let counts = Workload::run(seed, &WorkloadOptions::varied(seed));
        points += counts.points.load(Ordering::Relaxed);
        seed += 1;
        if let Some(p) = &progress {
            std::fs::write(p, format!("{seed} {points}\n")).expect("progress is saved");
        }
        if (seed - first).is_multiple_of(100) {
            println!("seed {seed}: {points} crash points");
        }
    }
    println!("{points} crash points, seeds {first}..{seed}");
}
