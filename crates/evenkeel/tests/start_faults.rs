//! Every call of a start fails once, after a crash, and after a clean stop: the start goes on or refuses, and whatever it has left behind, the next one has everything that was acknowledged.
//! A standby's start never has less of the log than was confirmed.
//!
//! Of a primary's start every fifth call; `EVENKEEL_START_FAULTS_EVERY=1` has each of them fail.

mod common;

use common::pair::{LONG, Pair, durable_end, open_standby, pump, rows_of, standby_options};
use common::*;
use evenkeel::io::{Fault, SimCall, SimCallKind, SimDisk};
use evenkeel::{Database, Error, Options, Standby, TreeId, TxnOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const PROTECTIONS: [&str; 2] = ["full_page_writes", "double_write"];

fn options(seed: u64, protection: &str) -> Options {
    small(seed)
        .with("torn_page_protection", protection)
        .and_then(|o| o.with("double_write_size", "128kB"))
        .unwrap()
}

fn open_under(disk: &SimDisk, seed: u64, protection: &str) -> evenkeel::Result<Database> {
    Database::open_on(Arc::new(disk.clone()), options(seed, protection))
}

/// A database that was closed, or killed in the midst of two transactions, with all its rows.
fn past(protection: &str, is_closed: bool) -> (SimDisk, TreeId, Rows) {
    let disk = disk(11);
    let db = open_under(&disk, 11, protection).unwrap();
    let tree = new_tree(&db);
    (0..40).for_each(|n| write(&db, tree, n).unwrap());
    db.checkpoint().unwrap();
    let unfinished: Vec<_> = (0..2u64)
        .map(|n| {
            let mut t = db.begin(TxnOptions::default());
            (0..60u64)
                .for_each(|i| t.put(tree, &(1 << 60 | n << 32 | i).to_be_bytes(), &[n as u8; 200]).unwrap());
            t.put(tree, &(1u64 << 61 | n).to_be_bytes(), &[7; 20_000]).unwrap();
            t
        })
        .collect();
    (40..80).for_each(|n| write(&db, tree, n).unwrap());
    db.step_round().unwrap();
    db.step_clean().unwrap();
    (80..100).for_each(|n| write(&db, tree, n).unwrap());
    let rows = committed(&db, tree).unwrap();
    if is_closed {
        drop(unfinished);
        db.close().unwrap();
        return (disk.kill_copy(), tree, rows);
    }
    let killed = disk.kill_copy();
    unfinished.into_iter().for_each(std::mem::forget);
    db.abandon();
    (killed, tree, rows)
}

/// Every how many calls one fails.
fn every() -> usize {
    std::env::var("EVENKEEL_START_FAULTS_EVERY").map_or(5, |n| n.parse().expect("a number"))
}

/// Lets the call of this number fail; gives how many there have been.
fn fail_at(disk: &SimDisk, at: u64, fault: Fault, applies: Applies) -> Arc<AtomicU64> {
    let seen = Arc::new(AtomicU64::new(0));
    let counter = seen.clone();
    disk.set_fault(Some(Box::new(move |call| {
        let is_it = applies(call) && counter.fetch_add(1, Ordering::SeqCst) == at;
        if is_it { fault } else { Fault::None }
    })));
    seen
}

/// Whether a call is one of those that fail.
type Applies = fn(&SimCall) -> bool;

fn any(_: &SimCall) -> bool {
    true
}

fn takes_space(c: &SimCall) -> bool {
    matches!(c.kind, SimCallKind::Create | SimCallKind::Allocate | SimCallKind::Write | SimCallKind::Sync)
}

fn transfers(c: &SimCall) -> bool {
    matches!(c.kind, SimCallKind::Read | SimCallKind::Write)
}

#[test]
fn whatever_fails_in_a_start_the_next_has_everything() {
    let faults: [(&str, Fault, Applies); 4] = [
        ("EIO", Fault::Eio, any),
        ("EIO, dropped from the cache", Fault::EioDropped, |c| {
            matches!(c.kind, SimCallKind::Sync | SimCallKind::SyncDir)
        }),
        ("ENOSPC", Fault::Enospc, takes_space),
        ("a short transfer", Fault::Short(512), transfers),
    ];
    for (protection, is_closed) in PROTECTIONS.into_iter().flat_map(|p| [(p, false), (p, true)]) {
        let (base, tree, rows) = past(protection, is_closed);
        for (name, fault, applies) in faults {
            let (mut refused, mut opened) = (0, 0);
            for at in (0..).step_by(every()) {
                let what = format!("{protection}, closed: {is_closed}, {name} at call {at}");
                let disk = base.kill_copy();
                let seen = fail_at(&disk, at, fault, applies);
                let started = open_under(&disk, 12, protection);
                let is_over = seen.load(Ordering::SeqCst) <= at;
                disk.set_fault(None);
                let mut wanted = rows.clone();
                match started {
                    Err(e) => {
                        refused += 1;
                        assert!(!matches!(e, Error::AlreadyOpen(_)), "{what}: {e}");
                    }
                    Ok(db) => {
                        opened += 1;
                        assert!(committed(&db, tree).unwrap() == rows, "{what}: rows are lost or changed");
                        if write(&db, tree, 200).is_ok() {
                            wanted = committed(&db, tree).unwrap();
                        }
                        db.abandon();
                    }
                }
                for (how, left) in [("killed", disk.kill_copy()), ("without power", disk.crash_copy(at))] {
                    let db = open_under(&left, 13, protection)
                        .unwrap_or_else(|e| panic!("{what}, then {how}: {e}"));
                    assert!(committed(&db, tree).unwrap() == wanted, "{what}, then {how}: rows are lost");
                    assert_sound(&db, &format!("{what}, then {how}"));
                    db.abandon();
                }
                if is_over {
                    break;
                }
            }
            println!("{protection}, closed: {is_closed}, {name}: {refused} starts refused, {opened} went on");
            assert!(opened > 0);
        }
    }
}

/// What a standby has confirmed counts for those who wait: a read that fails once must not make its log shorter.
#[test]
fn a_standby_that_starts_has_all_that_it_has_confirmed() {
    for seed in 1..4 {
        let mut pair = Pair::new(seed);
        let standby = open_standby(&pair.copy, seed);
        for _ in 0..60 {
            pair.step();
            pair.pump(&standby, true);
        }
        pair.open.clear();
        durable_end(&pair.db);
        pump(&pair.db, &standby, &mut fastrand::Rng::with_seed(1), true);
        let confirmed = standby.durable();
        let rows = pair.rows();
        let killed = pair.copy.kill_copy();
        drop(standby);
        for (name, fault) in [("EIO", Fault::Eio), ("a short transfer", Fault::Short(512))] {
            let (mut refused, mut opened) = (0, 0);
            for at in 0.. {
                let what = format!("seed {seed}, {name} at call {at}");
                let disk = killed.kill_copy();
                let seen = fail_at(&disk, at, fault, any);
                let started = Standby::open_on(Arc::new(disk.clone()), standby_options(seed));
                let in_start = seen.load(Ordering::SeqCst) > at;
                match started {
                    Err(_) => refused += 1,
                    Ok(standby) => {
                        opened += 1;
                        let there = standby.durable();
                        assert_eq!((there.life, there.lsn), (confirmed.life, confirmed.lsn), "{what}");
                        drop(standby);
                    }
                }
                disk.set_fault(None);
                for left in [disk.kill_copy(), disk.crash_copy(at)] {
                    let standby = open_standby(&left, seed);
                    assert_eq!(standby.durable().lsn, confirmed.lsn, "{what}, and the next start");
                }
                if !in_start {
                    break;
                }
            }
            println!("seed {seed}, {name}: {refused} starts refused, {opened} went on");
            assert!(opened > 0 && (refused > 0 || fault != Fault::Eio));
        }
        let standby = open_standby(&killed, seed);
        assert!(standby.wait_replayed(confirmed.lsn, LONG).unwrap());
        assert!(rows_of(&standby.promote().unwrap(), &pair.trees) == rows, "seed {seed}");
    }
}
