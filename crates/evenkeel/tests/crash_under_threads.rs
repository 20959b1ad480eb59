//! Power cuts while backends, the cleaner and paced rounds are all at work: what was acknowledged is there after a restart, under each way of
//! syncing and each torn-page protection.
//!
//! `EVENKEEL_THREADED_RUNS` sets the number of runs (default 6), `EVENKEEL_THREADED_SEED` the first seed. A failure prints its seed; with
//! threads, the same seed need not fail again.

mod common;

use common::workload::PROTECTIONS;
use common::{assert_sound, disk};
use evenkeel::checkpoint::SyncPolicy;
use evenkeel::io::SimDisk;
use evenkeel::{Database, Options, TreeId, TxnOptions};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const WRITERS: u64 = 4;
const KEYS: u64 = 250;
/// Crashes of a run.
const CRASHES: usize = 8;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |v| v.parse().expect("a number"))
}

fn options(seed: u64) -> Options {
    let pick = |list: &[&'static str], salt: u64| list[(seed / salt) as usize % list.len()];
    let settings = [
        ("shared_buffers", "512kB"),
        ("wal_segment_size", "64kB"),
        ("wal_buffers", "256kB"),
        ("max_wal_size", "512kB"),
        ("checkpoint_timeout", "1s"),
        ("checkpoint_sync_delay", pick(&["0", "5ms"], 2)),
        ("checkpoint_sync", SyncPolicy::NAMES[seed as usize % 5]),
        ("checkpoint_partitions", pick(&["1", "4", "16"], 1)),
        ("checkpoint_order", pick(&["sorted", "buffer"], 3)),
        ("checkpoint_flush_slowdown", pick(&["8", "0"], 1)),
        ("torn_page_protection", pick(&PROTECTIONS, 1)),
        ("double_write_size", "128kB"),
        ("bgwriter_delay", "1ms"),
        ("bgwriter_policy", pick(&["dirty_chain", "two_speed", "full_scan"], 2)),
    ];
    let options = Options::default().with_seed(seed);
    settings.iter().fold(options, |o, (name, value)| o.with(name, value).expect("a valid setting"))
}

/// Numbers of the newest acknowledged value of each key.
type Acknowledged = Arc<Vec<AtomicU64>>;

/// What a power cut left, and what had been acknowledged by then.
type Crash = (SimDisk, Vec<u64>);

fn value(key: u64, n: u64) -> Vec<u8> {
    let len = 16 + (key.wrapping_mul(31).wrapping_add(n * 7) % 900) as usize;
    let mut v = vec![n as u8; len];
    v[..8].copy_from_slice(&n.to_le_bytes());
    v
}

fn write(db: &Database, tree: TreeId, writer: u64, acknowledged: &[AtomicU64], stop: &AtomicBool, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed ^ writer);
    while !stop.load(Ordering::Relaxed) {
        let first = rng.u64(..KEYS);
        let keys = (first..KEYS.min(first + rng.u64(1..6))).map(|k| writer * KEYS + k);
        let done: Vec<(u64, u64)> =
            keys.map(|k| (k, acknowledged[k as usize].load(Ordering::Relaxed) + 1)).collect();
        let mut t = db.begin(TxnOptions::default());
        let put = done.iter().try_for_each(|(k, n)| t.put(tree, &k.to_be_bytes(), &value(*k, *n)).map(drop));
        put.and_then(|()| t.commit()).unwrap();
        done.into_iter().for_each(|(k, n)| acknowledged[k as usize].store(n, Ordering::SeqCst));
    }
}

/// Trees come, grow, shrink and go.
fn churn(db: &Database, stop: &AtomicBool, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    while !stop.load(Ordering::Relaxed) {
        let rows = rng.u32(10..150);
        let once = || -> evenkeel::Result<()> {
            let mut t = db.begin(TxnOptions::default());
            let tree = t.create_tree()?;
            (0..rows).try_for_each(|k| t.put(tree, &k.to_be_bytes(), &[1; 700]).map(drop))?;
            t.commit()?;
            let mut t = db.begin(TxnOptions::default());
            (0..rows).try_for_each(|k| t.delete(tree, &k.to_be_bytes()).map(drop))?;
            t.commit()?;
            db.vacuum(tree)?;
            let mut t = db.begin(TxnOptions::default());
            t.drop_tree(tree)?;
            t.commit().map(drop)
        };
        once().unwrap();
    }
}

fn check(disk: &SimDisk, tree: TreeId, at_least: &[u64], seed: u64, what: &str) {
    let db = Database::open_on(Arc::new(disk.clone()), options(seed).without_threads())
        .unwrap_or_else(|e| panic!("{what}: restart failed: {e}"));
    let mut t = db.begin(TxnOptions::default());
    for (key, n) in at_least.iter().enumerate().filter(|(_, n)| **n > 0) {
        let found = t.get(tree, &(key as u64).to_be_bytes()).unwrap_or_else(|e| panic!("{what}: {e}"));
        let found = found.unwrap_or_else(|| panic!("{what}: key {key} is lost"));
        let number = u64::from_le_bytes(found[..8].try_into().unwrap());
        assert!(number >= *n, "{what}: key {key} went back from {n} to {number}");
        assert!(found[..] == value(key as u64, number)[..], "{what}: key {key} is damaged");
    }
    drop(t);
    assert_sound(&db, what);
    db.abandon();
}

fn run(seed: u64) {
    let disk = disk(seed);
    let db = Database::open_on(Arc::new(disk.clone()), options(seed)).unwrap();
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree().unwrap();
    t.commit().unwrap();
    let acknowledged: Acknowledged = Arc::new((0..WRITERS * KEYS).map(|_| AtomicU64::new(0)).collect());
    let crashed: Arc<Mutex<Vec<Crash>>> = Arc::default();
    let stop = AtomicBool::new(false);
    let (sink, known) = (crashed.clone(), acknowledged.clone());
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut next = disk.calls() + rng.u64(500..2500);
    disk.set_hook(Some(Box::new(move |call, disk| {
        if call.index >= next {
            next = call.index + rng.u64(300..3000);
            let at_least = known.iter().map(|n| n.load(Ordering::SeqCst)).collect();
            sink.lock().unwrap().push((disk.crash_copy(rng.u64(..)), at_least));
        }
    })));
    std::thread::scope(|s| {
        for writer in 0..WRITERS {
            let (db, acknowledged, stop) = (&db, &acknowledged, &stop);
            s.spawn(move || write(db, tree, writer, acknowledged, stop, seed));
        }
        s.spawn(|| churn(&db, &stop, seed));
        s.spawn(|| {
            let mut rng = fastrand::Rng::with_seed(!seed);
            while !stop.load(Ordering::Relaxed) {
                // Paced rounds, rounds at once and forced checkpoints come among each other.
                match rng.u8(..) {
                    0 => db.checkpoint().unwrap(),
                    1..16 => db.step_round().unwrap(),
                    _ => std::thread::yield_now(),
                }
            }
        });
        let mut checked = 0;
        while checked < CRASHES && db.poisoned().is_none() {
            let next = crashed.lock().unwrap().pop();
            match next {
                Some((copy, at_least)) => {
                    checked += 1;
                    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        check(&copy, tree, &at_least, seed, &format!("seed {seed}, crash {checked}"));
                    }));
                    if let Err(panic) = ended {
                        stop.store(true, Ordering::Relaxed);
                        std::panic::resume_unwind(panic);
                    }
                }
                None => std::thread::yield_now(),
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    disk.set_hook(None);
    assert!(db.poisoned().is_none(), "seed {seed}: {:?}", db.poisoned());
    let stats = db.stats();
    assert!(stats.checkpoint_rounds > 0 && stats.buffer_evictions > 0, "seed {seed}: {stats:?}");
    println!(
        "seed {seed}: {} commits, {} rounds, {} syncs, written by rounds {}, cleaner {}, backends {}; waits {}",
        stats.commits,
        stats.checkpoint_rounds,
        stats.checkpoint_syncs,
        stats.buffers_checkpoint,
        stats.buffers_clean,
        stats.buffers_backend,
        stats.checkpoint_write_back_waits,
    );
    db.close().unwrap();
}

#[test]
fn what_was_acknowledged_survives_a_power_cut_while_everybody_is_at_work() {
    let first = number("EVENKEEL_THREADED_SEED", 1);
    for seed in first..first + number("EVENKEEL_THREADED_RUNS", 6) {
        run(seed);
    }
}
