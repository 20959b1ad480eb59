//! Transactions with far more log than `max_wal_size`: limited by the disk alone.

mod common;

use common::*;
use evenkeel::io::{Disk, SimCallKind, SimDisk};
use evenkeel::{Database, Error, Options, Transaction, TreeId, TxnOptions};
use std::sync::{Arc, Mutex};

/// `max_wal_size` of these tests.
const MAX_WAL: u64 = 128 << 10;
/// Rows committed before.
const OLD_ROWS: u32 = 300;

fn options(seed: u64) -> Options {
    small(seed)
        .with("max_wal_size", "128kB")
        .and_then(|o| o.with("undo_buffers", "128kB"))
        .and_then(|o| o.with("undo_spill_limit", "1MB"))
        .unwrap()
}

fn database(seed: u64) -> (SimDisk, Database, TreeId, Rows) {
    let disk = disk(seed);
    let db = open_with(&disk, options(seed));
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    for i in 0..OLD_ROWS {
        t.put(tree, &(i * 1000).to_be_bytes(), &[1; 300]).unwrap();
    }
    t.commit().unwrap();
    let rows = committed(&db, tree).unwrap();
    (disk, db, tree, rows)
}

fn segments(disk: &SimDisk) -> usize {
    disk.list("wal").unwrap().iter().filter(|name| name.len() == 16).count()
}

/// Changes every old row, deletes some, and adds so many that fifty times `max_wal_size` is logged. Rounds go on meanwhile.
fn load(db: &Database, tree: TreeId, seed: u64) -> Transaction {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut t = db.begin(TxnOptions::default());
    let start = db.stats().wal_lsn;
    let mut i = 0;
    while db.stats().wal_lsn < start + 50 * MAX_WAL {
        t.begin_statement();
        let old = (i / 10 % OLD_ROWS * 1000).to_be_bytes();
        match i % 10 {
            0 if i % 70 == 0 => drop(t.delete(tree, &old).unwrap()),
            0 => t.put(tree, &old, &vec![2; rng.usize(..300)]).unwrap(),
            1 if i % 500 == 1 => t.put(tree, &rng.u32(..).to_be_bytes(), &[4; 9000]).unwrap(),
            _ => t.put(tree, &rng.u32(..).to_be_bytes(), &vec![3; rng.usize(..500)]).unwrap(),
        }
        if i % 200 == 0 {
            db.step_round().unwrap();
            db.step_purge().unwrap();
        }
        i += 1;
    }
    t.begin_statement();
    t
}

fn a_cycle(db: &Database) {
    while db.step_purge().unwrap() > 0 {}
    (0..8).for_each(|_| db.step_round().unwrap());
}

#[test]
fn one_of_fifty_times_max_wal_size_commits() {
    let (disk, db, tree, _) = database(1);
    let mut t = load(&db, tree, 1);
    assert!(segments(&disk) as u64 * (64 << 10) > 50 * MAX_WAL, "all of its log is kept");
    let loaded = rows(&mut t, tree).unwrap();
    t.commit().unwrap();
    a_cycle(&db);
    assert!(
        segments(&disk) <= 8,
        "{} segments: its log, and what was set aside, is given back",
        segments(&disk)
    );
    assert!(committed(&db, tree).unwrap() == loaded);
    assert_sound(&db, "after a large commit");
    db.abandon();
    let db = open_with(&disk.crash_copy(1), options(2));
    assert!(committed(&db, tree).unwrap() == loaded);
}

#[test]
fn one_of_fifty_times_max_wal_size_rolls_back_to_a_savepoint_and_wholly() {
    let (disk, db, tree, before) = database(3);
    let mut t = load(&db, tree, 3);
    let then = rows(&mut t, tree).unwrap();
    let point = t.savepoint();
    for i in 0..8000u32 {
        t.begin_statement();
        t.put(tree, &(i * 77).to_be_bytes(), &[5; 200]).unwrap();
        if i % 200 == 0 {
            db.step_round().unwrap();
        }
    }
    t.rollback_to(point).unwrap();
    t.begin_statement();
    assert!(rows(&mut t, tree).unwrap() == then);
    t.rollback().unwrap();
    a_cycle(&db);
    assert!(segments(&disk) <= 8, "{} segments", segments(&disk));
    assert!(committed(&db, tree).unwrap() == before);
    assert_sound(&db, "after a large rollback");
}

/// A rollback under `double_write` logs no images, so room is set aside for none; on a disk that fills up meanwhile it still comes to its end.
#[test]
fn where_the_log_has_no_images_room_is_set_aside_for_none() {
    let set_aside = |protection: &str| {
        let disk = disk(5);
        let options = options(5).with("torn_page_protection", protection).unwrap();
        let db = open_with(&disk, options.clone());
        let tree = new_tree(&db);
        let mut t = db.begin(TxnOptions::default());
        let start = db.stats().wal_lsn;
        for i in 0..20_000u32 {
            t.begin_statement();
            t.put(tree, &i.to_be_bytes(), &[i as u8; 700]).unwrap();
            if i % 200 == 0 {
                db.step_round().unwrap();
            }
        }
        let logged = (db.stats().wal_lsn - start) as usize;
        let kept = (segments(&disk) * (64 << 10)).saturating_sub(logged);
        disk.set_capacity(disk.used_bytes());
        t.rollback().unwrap();
        assert!(committed(&db, tree).unwrap().is_empty());
        assert_sound(&db, protection);
        db.abandon();
        let db = open_with(&disk.crash_copy(1), options);
        assert!(committed(&db, tree).unwrap().is_empty());
        (kept, logged)
    };
    let (with, logged) = set_aside("full_page_writes");
    assert!(with > logged / 2, "an image for each page of {logged} bytes: {with}");
    let (without, logged) = set_aside("double_write");
    assert!(without < logged / 3, "{without} beside {logged}");
}

/// Copies of the disk as power cuts at some moments would leave it.
fn cuts(disk: &SimDisk, every: u64) -> Arc<Mutex<Vec<SimDisk>>> {
    let copies: Arc<Mutex<Vec<SimDisk>>> = Arc::default();
    let (sink, mut writes) = (copies.clone(), 0u64);
    disk.set_hook(Some(Box::new(move |call, disk| {
        writes += u64::from(call.kind == SimCallKind::Write);
        if call.kind == SimCallKind::Write && writes.is_multiple_of(every) {
            sink.lock().unwrap().push(disk.crash_copy(writes));
        }
    })));
    copies
}

#[test]
fn a_crash_in_one_in_its_rollback_and_in_its_recovery_leaves_nothing_of_it() {
    let (disk, db, tree, before) = database(5);
    let loading = cuts(&disk, 700);
    let t = load(&db, tree, 5);
    let rolling = cuts(&disk, 150);
    t.rollback().unwrap();
    disk.set_hook(None);
    db.abandon();
    let crashed =
        [std::mem::take(&mut *loading.lock().unwrap()), std::mem::take(&mut *rolling.lock().unwrap())];
    for (crashes, what) in crashed.into_iter().zip(["while it loads", "while it rolls back"]) {
        assert!(crashes.len() > 2, "{} crashes {what}", crashes.len());
        let n = crashes.len();
        for (i, disk) in crashes.into_iter().enumerate().filter(|(i, _)| i % (n / 3) == n / 3 - 1) {
            let recovering = cuts(&disk, 200);
            let db = open_with(&disk, options(6));
            disk.set_hook(None);
            assert!(committed(&db, tree).unwrap() == before, "crash {i} {what}");
            assert_sound(&db, what);
            a_cycle(&db);
            assert!(segments(&disk) <= 8, "{} segments", segments(&disk));
            db.abandon();
            for disk in recovering.lock().unwrap().iter().rev().take(2) {
                let db = open_with(disk, options(7));
                assert!(
                    committed(&db, tree).unwrap() == before,
                    "crash {i} {what}, and another in its recovery"
                );
                assert_sound(&db, what);
                db.abandon();
            }
        }
    }
}

/// Whoever fills the disk is refused; nobody is rolled back for it, and the disk is as before once it has given up.
#[test]
fn one_that_fills_the_disk_is_refused_and_rolls_back() {
    let (disk, db, tree, before) = database(8);
    disk.set_capacity(disk.used_bytes() + (12 << 20));
    let mut t = db.begin(TxnOptions::default());
    let mut i = 0u32;
    let err = loop {
        t.begin_statement();
        if let Err(e) = t.put(tree, &(i * 7919 + 1).to_be_bytes(), &[3; 400]) {
            break e;
        }
        i += 1;
        if i.is_multiple_of(200) {
            db.step_round().unwrap();
        }
    };
    assert!(matches!(err, Error::OutOfSpace { .. }), "{err}");
    let again = db.begin(TxnOptions::default()).put(tree, b"other", &[1; 2000]);
    assert!(again.is_ok() || matches!(again, Err(Error::OutOfSpace { .. })), "{again:?}");
    t.rollback().unwrap();
    a_cycle(&db);
    for i in 0..100u32 {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, &(i * 1000).to_be_bytes(), &[1; 300]).unwrap();
        t.commit().unwrap();
    }
    assert!(committed(&db, tree).unwrap() == before);
    assert!(db.poisoned().is_none());
    assert_sound(&db, "after a full disk");
}

/// Log that an idle transaction keeps beyond `max_wal_size` makes no round due: there are as many as time and new log ask for.
#[test]
fn rounds_do_not_run_back_to_back_while_log_is_kept() {
    let disk = disk(9);
    let options = Options::default()
        .with("wal_segment_size", "64kB")
        .and_then(|o| o.with("max_wal_size", "256kB"))
        .and_then(|o| o.with("checkpoint_partitions", "4"))
        .and_then(|o| o.with("checkpoint_timeout", "1h"))
        .unwrap();
    let db = open_with(&disk, options);
    let tree = new_tree(&db);
    let mut idle = db.begin(TxnOptions::default());
    idle.put(tree, b"idle", b"1").unwrap();
    for i in 0..4000u32 {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, &(i % 100).to_be_bytes(), &[i as u8; 800]).unwrap();
        t.commit().unwrap();
    }
    // Rounds themselves log a little: they come to an end.
    let mut last = (u64::MAX, 0);
    while last.0 != db.stats().wal_lsn && last.1 < 100 {
        last = (db.stats().wal_lsn, last.1 + 1);
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    let s = db.stats();
    assert!(last.1 < 100, "rounds go on and on: {s:?}");
    let due = s.wal_lsn / ((256 << 10) / 5);
    assert!(s.checkpoint_rounds <= due + 10, "{} rounds, {due} were due", s.checkpoint_rounds);
    idle.commit().unwrap();
    assert_eq!(committed(&db, tree).unwrap().len(), 101);
}
