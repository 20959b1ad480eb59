//! Crash enumeration: a mixed workload on the simulated disk is crashed at every call that changes the disk, recovered, compared with a model,
//! and crashed again inside recovery and in the life after it.
//!
//! `EVENKEEL_CRASH_POINTS` sets how many points are run (default 20,000), `EVENKEEL_CRASH_SEED` the first workload seed.
//! With several log writes in flight, which end in any order, a tenth as many points are run for each depth. `EVENKEEL_CRASH_PROGRESS` names a file that holds the next seed, so that a long run can be resumed. A failure prints its seed and call.
//! The seed draws the workers and the look-ahead of recoveries, the torn-page protection, and whether it changes at restarts and in recoveries; `EVENKEEL_CRASH_PROTECTION` names one to keep throughout.

mod common;

use common::workload::{PROTECTIONS, Workload, WorkloadOptions};
use std::sync::atomic::Ordering;

fn number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(v) => v.parse().unwrap_or_else(|_| panic!("{name} must be a number, not {v:?}")),
        Err(_) => default,
    }
}

fn drawn(seed: u64) -> WorkloadOptions {
    let options = WorkloadOptions::varied(seed);
    match std::env::var("EVENKEEL_CRASH_PROTECTION") {
        Ok(name) => {
            let protection = PROTECTIONS.into_iter().find(|p| *p == name);
            let protection = protection.unwrap_or_else(|| panic!("one of {PROTECTIONS:?}, not {name:?}"));
            WorkloadOptions { protection, changes_protection: false, ..options }
        }
        Err(_) => options,
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
    let (mut repaired, mut home_syncs) = (0, 0);
    while points < target {
        let counts = Workload::run(seed, &drawn(seed));
        points += counts.points.load(Ordering::Relaxed);
        repaired += counts.repaired.load(Ordering::Relaxed);
        home_syncs += counts.home_syncs.load(Ordering::Relaxed);
        seed += 1;
        if let Some(p) = &progress {
            std::fs::write(p, format!("{seed} {points}\n")).expect("progress is saved");
        }
        if (seed - first).is_multiple_of(100) {
            println!("seed {seed}: {points} crash points");
        }
    }
    println!(
        "{points} crash points, seeds {first}..{seed}; {repaired} torn pages repaired, {home_syncs} syncs for room in the double-write file"
    );
}

/// As above, with commits that nobody waits for and up to `depth` log writes in flight, which end in the order that the seed says.
fn with_writes_in_flight(depth: u64) {
    let target = number("EVENKEEL_CRASH_POINTS", 20_000) / 10;
    let mut seed = number("EVENKEEL_CRASH_SEED", 1);
    let (mut points, mut in_flight_max, mut out_of_order, mut padding) = (0, 0, 0, 0);
    while points < target.max(1) {
        let options = WorkloadOptions { flush_depth: depth, ..drawn(seed) };
        let counts = Workload::run(seed, &options);
        points += counts.points.load(Ordering::Relaxed);
        in_flight_max = counts.in_flight_max.load(Ordering::Relaxed).max(in_flight_max);
        out_of_order += counts.out_of_order.load(Ordering::Relaxed);
        padding += counts.padding_bytes.load(Ordering::Relaxed);
        seed += 1;
    }
    println!(
        "depth {depth}: {points} crash points, up to {in_flight_max} writes in flight, {out_of_order} out of order, {padding} bytes of padding"
    );
    // A single workload of a rerun may have less luck.
    if target >= 2000 {
        assert!(in_flight_max >= 4.min(depth) && out_of_order > 20 && padding > 0);
    }
}

#[test]
fn four_log_writes_in_flight_recover_to_a_committed_state() {
    with_writes_in_flight(4);
}

#[test]
fn sixteen_log_writes_in_flight_recover_to_a_committed_state() {
    with_writes_in_flight(16);
}
