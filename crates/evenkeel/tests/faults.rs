//! Every I/O call fails once: a failed write or sync of space that was obtained poisons the engine, running out while obtaining space fails a
//! statement, a short transfer is continued, a failed read fails its statement. Nothing acknowledged is lost after a restart.
//!
//! `EVENKEEL_FAULT_SEED` sets the first seed.

mod common;

use common::workload::PROTECTIONS;
use common::*;
use evenkeel::io::{Access, CrashPolicy, Fault, SimCall, SimCallKind, SimDisk};
use evenkeel::{Database, Error, PAGE_BYTES, TreeId, TxnOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Commits rows one by one, with rounds and cleaning between, until an error; gives what was acknowledged, the key in doubt, and the error.
struct Run {
    acknowledged: Rows,
    in_doubt: Option<(Vec<u8>, Vec<u8>)>,
    error: Option<Error>,
    statement_errors: u32,
}

const KEYS: u32 = 60;

fn step(db: &Database, tree: TreeId, i: u32) -> evenkeel::Result<()> {
    let mut t = db.begin(TxnOptions::default());
    let (key, value) = row(i);
    t.put(tree, &key, &value)?;
    t.commit()?;
    Ok(())
}

fn row(i: u32) -> (Vec<u8>, Vec<u8>) {
    let len = if i.is_multiple_of(13) { 9000 } else { 300 };
    ((i * 7 % KEYS).to_be_bytes().to_vec(), vec![i as u8; len])
}

fn work(db: &Database, tree: TreeId) -> Run {
    let mut run = Run { acknowledged: Rows::new(), in_doubt: None, error: None, statement_errors: 0 };
    for i in 0..150 {
        let (key, value) = row(i);
        let mut result = step(db, tree, i);
        if result.is_ok() {
            run.acknowledged.insert(key.clone(), value.clone());
            result = match i % 10 {
                3 => db.step_round(),
                5 => db.step_clean().map(drop),
                7 => db.step_purge().map(drop),
                _ => Ok(()),
            };
        } else if db.poisoned().is_some() {
            run.in_doubt = Some((key, value));
        }
        match result {
            Ok(()) => {}
            Err(e) if db.poisoned().is_some() => {
                run.error = Some(e);
                return run;
            }
            // Not poisoned: only that statement failed, and the engine goes on.
            Err(_) => run.statement_errors += 1,
        }
    }
    run
}

fn new_database(seed: u64) -> (SimDisk, TreeId) {
    new_database_under(seed, "full_page_writes")
}

fn new_database_under(seed: u64, protection: &str) -> (SimDisk, TreeId) {
    let disk = disk(seed);
    let db = open_under(&disk, seed, protection).unwrap();
    let tree = new_tree(&db);
    db.close().unwrap();
    (disk, tree)
}

fn open_under(disk: &SimDisk, seed: u64, protection: &str) -> evenkeel::Result<Database> {
    let options = small(seed).with("torn_page_protection", protection)?.with("double_write_size", "128kB")?;
    Database::open_on(Arc::new(disk.clone()), options)
}

/// Restarts on what is left and compares.
fn check(disk: &SimDisk, tree: TreeId, run: &Run, protection: &str, what: &str) {
    disk.set_fault(None);
    let db = open_under(disk, 77, protection).unwrap_or_else(|e| panic!("{what}: restart failed: {e}"));
    let found = committed(&db, tree).unwrap_or_else(|e| panic!("{what}: {e}"));
    let mut with_doubt = run.acknowledged.clone();
    if let Some((k, v)) = &run.in_doubt {
        with_doubt.insert(k.clone(), v.clone());
    }
    assert!(
        found == run.acknowledged || found == with_doubt,
        "{what}: acknowledged rows are lost or changed"
    );
    assert_sound(&db, what);
}

/// Runs the workload once for each call, with a fault in that call.
fn every_call(name: &str, fault: fn(&SimCall) -> Fault, applies: fn(&SimCall) -> bool) -> (u32, u32) {
    every_call_under("full_page_writes", name, fault, applies)
}

/// As above, under a torn-page protection.
fn every_call_under(
    protection: &str,
    name: &str,
    fault: fn(&SimCall) -> Fault,
    applies: fn(&SimCall) -> bool,
) -> (u32, u32) {
    let (base, tree) = new_database_under(5, protection);
    let (mut poisoned, mut survived) = (0, 0);
    for at in 0.. {
        let disk = base.kill_copy();
        let seen = Arc::new(AtomicU64::new(0));
        let db = open_under(&disk, 5, protection).unwrap();
        let counter = seen.clone();
        disk.set_fault(Some(Box::new(move |call| {
            if applies(call) && counter.fetch_add(1, Ordering::SeqCst) == at {
                fault(call)
            } else {
                Fault::None
            }
        })));
        let run = work(&db, tree);
        let what = format!("{name} at matching call {at}, {protection}");
        if let Some(e) = &run.error {
            assert!(matches!(e, Error::Poisoned(_)), "{what}: {e}");
            poisoned += 1;
            // Nothing more is acknowledged.
            assert!(step(&db, tree, 1).is_err(), "{what}: a poisoned engine still commits");
        } else {
            survived += 1;
        }
        let ended = seen.load(Ordering::SeqCst) <= at;
        db.abandon();
        check(&disk, tree, &run, protection, &what);
        if run.error.is_some() {
            // What a power cut leaves of it.
            check(&disk.crash_copy(at), tree, &run, protection, &format!("{what}, then a power cut"));
        }
        if ended {
            break;
        }
    }
    (poisoned, survived)
}

#[test]
fn a_failed_write_or_sync_of_obtained_space_poisons_and_loses_nothing() {
    for protection in PROTECTIONS {
        let (poisoned, _) =
            every_call_under(protection, "EIO on a write", |_| Fault::Eio, |c| c.kind == SimCallKind::Write);
        assert!(poisoned > 50, "{poisoned}");
        let (poisoned, _) =
            every_call_under(protection, "EIO on a sync", |_| Fault::Eio, |c| c.kind == SimCallKind::Sync);
        assert!(poisoned > 5, "{poisoned}");
    }
}

#[test]
fn a_sync_or_write_of_obtained_space_that_finds_the_disk_full_poisons_as_well() {
    // Its space was obtained before, and what a failed sync has dropped the next one does not bring back.
    for protection in PROTECTIONS {
        let (poisoned, survived) = every_call_under(
            protection,
            "ENOSPC on a write or sync",
            |_| Fault::Enospc,
            |c| {
                matches!(c.kind, SimCallKind::Sync | SimCallKind::Write)
                    && (c.path.starts_with("data/") || ["control", "double_write"].contains(&&*c.path))
            },
        );
        assert!(poisoned > 5, "{poisoned}");
        assert_eq!(survived, 1, "{protection}: the run without a fault");
    }
}

#[test]
fn a_short_write_is_continued() {
    for protection in PROTECTIONS {
        let (poisoned, survived) = every_call_under(
            protection,
            "a short write",
            |c| Fault::Short((c.len / 2) as usize & !511),
            |c| c.kind == SimCallKind::Write && c.len > 512,
        );
        assert_eq!(poisoned, 0);
        assert!(survived > 50);
    }
}

#[test]
fn running_out_of_space_fails_a_statement_and_nothing_else() {
    let (poisoned, survived) =
        every_call("ENOSPC on obtaining space", |_| Fault::Enospc, |c| c.kind == SimCallKind::Allocate);
    assert_eq!(poisoned, 0);
    assert!(survived > 3, "{survived}");
}

#[test]
fn a_failed_read_fails_its_statement() {
    let (poisoned, survived) = every_call(
        "EIO on a read",
        |_| Fault::Eio,
        |c| c.kind == SimCallKind::Read && c.access == Some(Access::Data),
    );
    assert_eq!(poisoned, 0);
    assert!(survived > 0);
}

#[test]
fn a_full_disk_gives_out_of_space_and_works_again_when_there_is_room() {
    let (disk, tree) = new_database(6);
    let db = open(&disk, 6).unwrap();
    disk.set_capacity(disk.used_bytes() + (256 << 10));
    let mut acknowledged = Rows::new();
    let mut refused = 0;
    for i in 0..400u32 {
        let mut t = db.begin(TxnOptions::default());
        let (k, v) = (i.to_be_bytes().to_vec(), vec![1; 1500]);
        match t.put(tree, &k, &v).and_then(|()| t.commit()) {
            Ok(_) => drop(acknowledged.insert(k, v)),
            Err(Error::OutOfSpace { .. }) => refused += 1,
            Err(e) => panic!("row {i}: {e}"),
        }
        if i % 20 == 0 {
            db.step_round().expect("a round needs no new space");
        }
    }
    assert!(refused > 0 && db.poisoned().is_none());
    assert_eq!(committed(&db, tree).unwrap(), acknowledged);
    disk.set_capacity(u64::MAX);
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"more", b"room").unwrap();
    t.commit().unwrap();
    acknowledged.insert(b"more".to_vec(), b"room".to_vec());
    db.abandon();
    let db = open(&disk.crash_copy(1), 7).unwrap();
    assert_eq!(committed(&db, tree).unwrap(), acknowledged);
    assert_sound(&db, "after a full disk");
}

#[test]
fn a_transaction_rolls_back_on_a_full_disk() {
    for headroom in (0..160u64).map(|i| i * 1024) {
        let (disk, tree) = new_database(8);
        let db = open(&disk, 8).unwrap();
        disk.set_capacity(disk.used_bytes() + headroom);
        let mut t = db.begin(TxnOptions::default());
        let mut written = 0u32;
        while t.put(tree, &written.to_be_bytes(), &[1; 700]).is_ok() {
            written += 1;
            assert!(written < 10_000, "the disk is never full");
        }
        t.rollback().unwrap_or_else(|e| panic!("headroom {headroom}, after {written} rows: {e}"));
        assert!(db.poisoned().is_none());
        assert!(committed(&db, tree).unwrap().is_empty());
        db.abandon();
    }
}

/// Rows are shortened, others take every free byte around them, and the disk is full: what the rollback puts back must still find its place.
/// With long keys inner pages run full, too, and splits stay unfinished for want of a block.
#[test]
fn a_rollback_finds_room_for_longer_rows_on_a_full_disk() {
    let (mut filled, mut moved) = (0, 0);
    for (prefix, rows) in [(0, 60u32), (1500, 24)] {
        let key = |i: u32| [&vec![7; prefix][..], &i.to_be_bytes()].concat();
        let longest = 1900 - prefix;
        let (base, tree) = new_database(12);
        let db = open(&base, 12).unwrap();
        let mut committed_rows = Rows::new();
        let mut t = db.begin(TxnOptions::default());
        for i in 0..rows {
            let row = (key(i * 100), vec![1; longest - (i % 10) as usize * 30]);
            t.put(tree, &row.0, &row.1).unwrap();
            committed_rows.insert(row.0, row.1);
        }
        t.commit().unwrap();
        db.close().unwrap();
        for n in 0..60u64 {
            let disk = base.kill_copy();
            let db = open(&disk, 12).unwrap();
            let mut expected = committed_rows.clone();
            // Every other time the log has all the space it wants, and data files may grow a few times.
            let what = if n % 2 == 0 {
                disk.set_capacity(disk.used_bytes() + n * 26 * 1024);
                format!("keys of {prefix} bytes, {} bytes left", n * 26 * 1024)
            } else {
                let left = AtomicU64::new(n / 2 % 5);
                disk.set_fault(Some(Box::new(move |call| {
                    let data = call.kind == SimCallKind::Allocate && call.path.starts_with("data/");
                    let full = || {
                        left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |l| l.checked_sub(1)).is_err()
                    };
                    if data && full() { Fault::Enospc } else { Fault::None }
                })));
                format!("keys of {prefix} bytes, {} growths left, case {n}", n / 2 % 5)
            };
            let mut t = db.begin(TxnOptions::default());
            let mut points = Vec::new();
            for i in 0..rows {
                let done = match i % 4 {
                    0 => t.delete(tree, &key(i * 100)).map(drop),
                    1 => t.put(tree, &key(i * 100), &[2; 9000]), // a chain: its reference is short
                    _ => t.put(tree, &key(i * 100), &[2; 20]),
                };
                t.begin_statement();
                if done.is_err() {
                    break;
                }
                if i % 7 == 0 {
                    points.push(t.savepoint());
                    let _ = t
                        .put(tree, &key(i * 100), &[3; 300])
                        .and_then(|()| t.put(tree, &key(i * 100), &[4; 3]));
                    t.begin_statement();
                }
            }
            let before = db.tree_size_bytes(tree).unwrap();
            let mut fill = |from: u32, expected: &mut Rows| {
                for i in 0..rows * 10 - n as u32 % 7 {
                    let (k, v) = (key(i * 10 + from), vec![5; longest / 3 - (i % 5) as usize * 20]);
                    let mut other = db.begin(TxnOptions::default());
                    match other.put(tree, &k, &v).and_then(|()| other.commit()) {
                        Ok(_) => drop(expected.insert(k, v)),
                        Err(Error::OutOfSpace { .. }) => filled += 1,
                        Err(e) => panic!("{what}: {e}"),
                    }
                    if i % 100 == 0 {
                        db.step_round().unwrap();
                    }
                }
            };
            fill(5, &mut expected);
            moved += u32::from(db.tree_size_bytes(tree).unwrap() > before);
            if let Some(sp) = points.get(n as usize % 5) {
                t.rollback_to(*sp).unwrap_or_else(|e| panic!("{what}, to a savepoint: {e}"));
                fill(7, &mut expected);
            }
            let killed = disk.crash_copy(n);
            t.rollback().unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(db.poisoned().is_none(), "{what}");
            assert!(committed(&db, tree).unwrap() == expected, "{what}");
            assert_sound(&db, &what);
            disk.set_capacity(u64::MAX);
            disk.set_fault(None);
            db.vacuum(tree).unwrap();
            db.checkpoint().unwrap();
            assert!(committed(&db, tree).unwrap() == expected, "{what}");
            assert_sound(&db, &what);
            db.abandon();
            // Recovery rolls back as well.
            killed.set_capacity(u64::MAX);
            for disk in [disk.crash_copy(1), killed] {
                let db = open(&disk, 13).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert!(committed(&db, tree).unwrap() == expected, "{what}");
                assert_sound(&db, &what);
                db.abandon();
            }
        }
    }
    assert!(filled > 0 && moved > 0, "the disk was full {filled} times, files grew {moved} times");
}

/// Changes on many pages whose images are all due again, rows that others' splits have carried elsewhere, and not a byte of log to be had: the
/// rollback has set aside what it needs.
#[test]
fn a_long_rollback_finds_log_for_every_image_on_a_full_disk() {
    for (seed, images_due, inserts) in [(14, false, false), (15, true, false), (16, true, true)] {
        let (disk, tree) = new_database(seed);
        let db = open(&disk, seed).unwrap();
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut noise = |n: usize| (0..n).map(|_| rng.u8(..)).collect::<Vec<u8>>(); // an image of it does not compress
        let mut expected = Rows::new();
        let mut t = db.begin(TxnOptions::default());
        for i in 0..900u32 {
            let row = ((i * 7919 % 900 * 4).to_be_bytes().to_vec(), noise(600));
            t.put(tree, &row.0, &row.1).unwrap();
            expected.insert(row.0, row.1);
        }
        t.commit().unwrap();
        let mut t = db.begin(TxnOptions::default());
        for i in (0..900u32).step_by(if inserts { 2 } else { 4 }) {
            let at = i * 6133 % 900 * 4;
            if inserts {
                t.insert(tree, &(at + 2).to_be_bytes(), b"new").unwrap();
            } else {
                _ = t.delete(tree, &at.to_be_bytes()).unwrap();
            }
        }
        // Others' splits carry its rows to pages that it never touched.
        for i in 0..1800u32 {
            let (k, v) = ((i * 2 + 1).to_be_bytes().to_vec(), noise(500));
            let mut other = db.begin(TxnOptions::default());
            other.put(tree, &k, &v).unwrap();
            other.commit().unwrap();
            expected.insert(k, v);
        }
        if images_due {
            db.checkpoint().unwrap();
        }
        disk.set_capacity(disk.used_bytes());
        let mut refused = 0;
        for i in 0..3000u32 {
            let (k, v) = ((i % 5 * 2 + 1).to_be_bytes().to_vec(), noise(500));
            let mut other = db.begin(TxnOptions::default());
            match other.put(tree, &k, &v).and_then(|()| other.commit()) {
                Ok(_) => drop(expected.insert(k, v)),
                Err(Error::OutOfSpace { .. }) => refused += 1,
                Err(e) => panic!("{e}"),
            }
        }
        assert!(refused > 0, "the log is never full");
        let copy = disk.kill_copy();
        t.rollback().unwrap();
        assert!(db.poisoned().is_none());
        assert!(committed(&db, tree).unwrap() == expected);
        // A round finds log again once it is over.
        db.step_round().unwrap();
        assert_sound(&db, "after a long rollback");
        db.abandon();
        copy.set_capacity(u64::MAX);
        assert!(committed(&open(&copy, 16).unwrap(), tree).unwrap() == expected);
    }
}

/// While a rollback lives on what was set aside for it no image floor rises. One to a savepoint ends, its client says nothing more: rounds go on as soon as there is
/// room, and the rest of the transaction can still be rolled back on a disk that is full again.
#[test]
fn rounds_go_on_after_a_rollback_to_a_savepoint_on_a_full_disk() {
    let (disk, tree) = new_database(17);
    let db = open(&disk, 17).unwrap();
    let mut rng = fastrand::Rng::with_seed(17);
    let mut noise = |n: usize| (0..n).map(|_| rng.u8(..)).collect::<Vec<u8>>();
    let mut expected = Rows::new();
    let mut t = db.begin(TxnOptions::default());
    for i in 0..600u32 {
        let row = ((i * 4).to_be_bytes().to_vec(), noise(600));
        t.put(tree, &row.0, &row.1).unwrap();
        expected.insert(row.0, row.1);
    }
    t.commit().unwrap();
    let mut t = db.begin(TxnOptions::default());
    let delete = |t: &mut evenkeel::Transaction, i: u32| {
        t.begin_statement();
        _ = t.delete(tree, &(i * 4).to_be_bytes()).unwrap();
    };
    (0..600).step_by(2).for_each(|i| delete(&mut t, i));
    let point = t.savepoint();
    (1..600).step_by(2).for_each(|i| delete(&mut t, i));
    for turn in 0..2 {
        db.checkpoint().unwrap(); // every page needs an image again
        disk.set_capacity(disk.used_bytes());
        let mut refused = 0;
        for i in 0..4000u32 {
            let (k, v) = ((i % 5 * 4 + 1).to_be_bytes().to_vec(), noise(500));
            let mut other = db.begin(TxnOptions::default());
            match other.put(tree, &k, &v).and_then(|()| other.commit()) {
                Ok(_) => drop(expected.insert(k, v)),
                Err(Error::OutOfSpace { .. }) => refused += 1,
                Err(e) => panic!("{e}"),
            }
        }
        assert!(refused > 0, "the log is never full");
        if turn == 0 {
            t.rollback_to(point).unwrap();
            let rounds = db.stats().checkpoint_rounds;
            db.step_round().unwrap();
            assert_eq!(db.stats().checkpoint_rounds, rounds, "the disk is full, floors are held");
            disk.set_capacity(u64::MAX);
            db.step_round().unwrap();
            assert_eq!(db.stats().checkpoint_rounds, rounds + 1, "there is room");
        }
    }
    t.rollback().unwrap();
    assert!(db.poisoned().is_none());
    assert!(committed(&db, tree).unwrap() == expected);
    db.step_round().unwrap();
    assert_sound(&db, "after two rollbacks on a full disk");
}

/// Many threads write, roll back to savepoints and roll back, with rounds between, on a disk that is full most of the time: statements are refused,
/// and nothing else happens.
#[test]
fn threads_roll_back_on_a_full_disk() {
    for seed in 20..24 {
        let (disk, tree) = new_database(seed);
        let db = open(&disk, seed).unwrap();
        disk.set_capacity(disk.used_bytes() + (1500 << 10));
        let (refused, finished) = (AtomicU64::new(0), AtomicU64::new(0));
        let models: Vec<Rows> = std::thread::scope(|s| {
            let rounds = s.spawn(|| {
                while finished.load(Ordering::SeqCst) < 4 {
                    db.step_round().unwrap();
                    db.step_clean().unwrap();
                    match db.step_purge() {
                        Ok(_) | Err(Error::OutOfSpace { .. }) => {}
                        Err(e) => panic!("seed {seed}: {e}"),
                    }
                }
            });
            let workers: Vec<_> = (0..4u8)
                .map(|n| {
                    let (db, refused, finished) = (&db, &refused, &finished);
                    s.spawn(move || {
                        let mut rng = fastrand::Rng::with_seed(seed * 10 + u64::from(n));
                        let mut model = Rows::new();
                        'transactions: for _ in 0..120 {
                            let (mut t, mut next) = (db.begin(TxnOptions::default()), model.clone());
                            let mut point = None;
                            for _ in 0..rng.u32(1..60) {
                                let key = [&rng.u16(0..400).to_be_bytes()[..], &[n]].concat();
                                let len = if rng.u8(0..30) == 0 { 20_000 } else { rng.usize(0..900) };
                                let value: Vec<u8> = (0..len).map(|_| rng.u8(..)).collect();
                                t.begin_statement();
                                let done = match rng.u8(0..8) {
                                    0 => {
                                        point = Some((t.savepoint(), next.clone()));
                                        continue;
                                    }
                                    1 => match point.take() {
                                        Some((sp, then)) => {
                                            next = then;
                                            t.rollback_to(sp)
                                        }
                                        None => continue,
                                    },
                                    2..=3 => t.delete(tree, &key).map(|_| drop(next.remove(&key))),
                                    _ => t.put(tree, &key, &value).map(|()| drop(next.insert(key, value))),
                                };
                                match done {
                                    Ok(()) => {}
                                    Err(Error::OutOfSpace { .. }) => {
                                        _ = refused.fetch_add(1, Ordering::SeqCst)
                                    }
                                    // It was the oldest, and idle: others had to have its log.
                                    Err(Error::LogPinnedTooLong) => continue 'transactions,
                                    Err(e) => panic!("seed {seed}: {e}"),
                                }
                            }
                            if rng.bool() {
                                t.rollback().unwrap();
                            } else {
                                match t.commit() {
                                    Ok(_) => model = next,
                                    Err(Error::LogPinnedTooLong) => {}
                                    Err(e) => panic!("seed {seed}: {e}"),
                                }
                            }
                        }
                        finished.fetch_add(1, Ordering::SeqCst);
                        model
                    })
                })
                .collect();
            let models = workers.into_iter().map(|w| w.join().unwrap()).collect();
            rounds.join().unwrap();
            models
        });
        assert!(refused.load(Ordering::SeqCst) > 0 && db.poisoned().is_none(), "seed {seed}");
        let all: Rows = models.into_iter().flatten().collect();
        assert!(committed(&db, tree).unwrap() == all, "seed {seed}");
        assert_sound(&db, "after threads on a full disk");
        db.abandon();
        let crashed = disk.crash_copy(seed);
        crashed.set_capacity(u64::MAX);
        assert!(committed(&open(&crashed, seed).unwrap(), tree).unwrap() == all, "seed {seed}");
    }
}

#[test]
fn a_damaged_log_is_not_taken_for_a_short_one() {
    let (disk, tree) = new_database(9);
    let db = open(&disk, 9).unwrap();
    for i in 0..40 {
        step(&db, tree, i).unwrap();
        if i % 10 == 0 {
            db.step_round().unwrap();
        }
    }
    db.step_round().unwrap();
    db.abandon();
    let segments: Vec<String> = evenkeel::io::Disk::list(&disk, "wal").unwrap();
    let mut refused = 0;
    for (name, at) in segments.iter().flat_map(|n| (8..128u64).map(move |i| (n, i * 512))) {
        let damaged = disk.kill_copy();
        let path = format!("wal/{name}");
        let file =
            evenkeel::io::Disk::open(&damaged, &path, evenkeel::io::OpenMode::Existing, Access::Buffered)
                .unwrap();
        let mut bytes = vec![0; 512];
        evenkeel::io::read_exact_at(&*file, &mut bytes, at).unwrap();
        bytes[100] ^= 1;
        evenkeel::io::write_all_at(&*file, &mut [std::io::IoSlice::new(&bytes)], at).unwrap();
        match open(&damaged, 10) {
            Err(Error::Corrupt(_)) => {
                refused += 1;
                // Nothing was removed: repaired, it opens.
                bytes[100] ^= 1;
                evenkeel::io::write_all_at(&*file, &mut [std::io::IoSlice::new(&bytes)], at).unwrap();
                assert_eq!(committed(&open(&damaged, 11).unwrap(), tree).unwrap().len(), 40);
            }
            // Behind the last round a damaged record cannot be told from one that was never finished.
            Ok(db) => drop(committed(&db, tree).unwrap()),
            Err(e) => panic!("{name}: {e}"),
        }
    }
    assert!(refused > 0, "no damage hit the log that is needed");
}

/// An asynchronous commit is durable after a shutdown, also after one that could not write the pages.
#[test]
fn a_shutdown_whose_checkpoint_fails_leaves_no_commit_behind() {
    let (disk, db) = fresh(61);
    let tree = new_tree(&db);
    let options = TxnOptions { durability: evenkeel::Durability::Async, ..TxnOptions::default() };
    let mut t = db.begin(options);
    t.put(tree, b"key", b"value").unwrap();
    t.commit().unwrap();
    assert!(db.durable_lsn() < db.insert_lsn());
    disk.set_fault(Some(Box::new(|c| {
        let page = c.path.starts_with("data/") && c.kind == SimCallKind::Write;
        if page { Fault::Eio } else { Fault::None }
    })));
    assert!(db.close().is_err());
    disk.set_fault(None);
    let left = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
    drop(db);
    let db = open(&left, 62).unwrap();
    assert!(committed(&db, tree).unwrap().contains_key(&b"key"[..]));
}

/// As above, where no checkpoint even begins: the disk is full, and image floors are held for a rollback. Nothing else makes the commit durable then.
#[test]
fn a_shutdown_that_finds_no_floor_leaves_no_commit_behind() {
    let (disk, tree) = new_database(18);
    let db = open(&disk, 18).unwrap();
    let mut rng = fastrand::Rng::with_seed(18);
    let mut noise = |n: usize| (0..n).map(|_| rng.u8(..)).collect::<Vec<u8>>();
    let mut t = db.begin(TxnOptions::default());
    for i in 0..600u32 {
        t.put(tree, &(i * 4).to_be_bytes(), &noise(600)).unwrap();
    }
    t.commit().unwrap();
    let mut t = db.begin(TxnOptions::default());
    (0..600u32).step_by(2).for_each(|i| drop(t.delete(tree, &(i * 4).to_be_bytes()).unwrap()));
    let point = t.savepoint();
    (1..600u32).step_by(2).for_each(|i| drop(t.delete(tree, &(i * 4).to_be_bytes()).unwrap()));
    let mut late = db.begin(TxnOptions { durability: evenkeel::Durability::Async, ..TxnOptions::default() });
    late.put(tree, b"late", b"value").unwrap();
    db.checkpoint().unwrap(); // every page needs an image again
    disk.set_capacity(disk.used_bytes());
    let mut refused = 0;
    for i in 0..4000u32 {
        let mut other = db.begin(TxnOptions::default());
        match other.put(tree, &(i % 5 * 4 + 1).to_be_bytes(), &noise(500)).and_then(|()| other.commit()) {
            Ok(_) => {}
            Err(Error::OutOfSpace { .. }) => refused += 1,
            Err(e) => panic!("{e}"),
        }
    }
    assert!(refused > 0, "the log is never full");
    t.rollback_to(point).unwrap();
    late.commit().unwrap();
    assert!(db.durable_lsn() < db.insert_lsn());
    assert!(matches!(db.close(), Err(Error::OutOfSpace { .. })), "there is a floor to be had");
    let left = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
    left.set_capacity(u64::MAX);
    drop(t);
    let db = open(&left, 19).unwrap();
    assert!(committed(&db, tree).unwrap().contains_key(&b"late"[..]));
}

/// A page that cannot be read of a value that nobody can see any more keeps nobody else: not a start, not what others left to purge, and not a clean stop.
#[test]
fn a_damaged_page_of_what_is_dead_keeps_nobody_waiting() {
    let put = |db: &Database, tree: TreeId, key: &[u8], value: &[u8]| {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, key, value).unwrap();
        t.commit().unwrap();
    };
    for crashes in [false, true] {
        let mut disk = disk(21);
        let db = open(&disk, 21).unwrap();
        let (tree, other) = (tree_with_file(&db), new_tree(&db));
        put(&db, tree, b"large", &[7; 20 * PAGE_BYTES]);
        (0..200u32).for_each(|i| put(&db, other, &i.to_be_bytes(), &[1; 100]));
        db.close().unwrap();
        let path = format!("data/{}", tree.0);
        let bytes = disk.contents(&path).unwrap();
        let is_of_value = |b: &usize| bytes[b * PAGE_BYTES + 4000..][..4000].iter().all(|x| *x == 7);
        let block =
            (0..bytes.len() / PAGE_BYTES).filter(is_of_value).nth(9).expect("pages of the large value");
        let (at, good) = ((block * PAGE_BYTES + 5000) as u64, bytes[block * PAGE_BYTES + 5000]);
        disk.damage(&path, at, &[!good]).unwrap();
        let mut db = open(&disk, 21).unwrap();
        put(&db, tree, b"large", b"short");
        if crashes {
            disk = disk.crash_copy(1);
            db = open(&disk, 21).expect("what is dead is needed by no start");
        }
        let mut t = db.begin(TxnOptions::default());
        (0..100u32).for_each(|i| _ = t.delete(other, &i.to_be_bytes()).unwrap());
        t.commit().unwrap();
        let told = (0..50).filter(|_| matches!(db.step_purge(), Err(Error::Corrupt(_)))).count();
        assert!(told > 0);
        assert_eq!(db.stats().purge_backlog, u64::from(!crashes), "what others left is purged");
        for _ in 0..2 {
            db.close().unwrap();
            db = open(&disk, 21).unwrap();
            assert!(db.life_before().is_some(), "it was closed cleanly");
            let mut t = db.begin(TxnOptions::default());
            assert_eq!(t.get(tree, b"large").unwrap().unwrap(), b"short");
            assert_eq!(committed(&db, other).unwrap().len(), 100);
        }
        // Once it can be read the rest is done, and nothing is left over.
        db.close().unwrap();
        disk.damage(&path, at, &[good]).unwrap();
        let db = open(&disk, 21).unwrap();
        while db.step_purge().unwrap() > 0 {}
        assert_sound(&db, "after it can be read again");
        let free = db.vacuum(tree).unwrap();
        assert_eq!((free.purged, free.kept), (0, 0));
    }
}

/// A rollback cannot fail: reads that fail for a moment must not end the engine.
#[test]
fn a_read_that_fails_for_a_moment_does_not_end_a_rollback() {
    let disk = disk(31);
    let db = open(&disk, 31).unwrap();
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    (0..2000u32).for_each(|i| t.put(tree, &i.to_be_bytes(), &[1; 1000]).unwrap());
    t.commit().unwrap();
    db.checkpoint().unwrap();
    let mut t = db.begin(TxnOptions::default());
    (0..2000u32).for_each(|i| t.put(tree, &i.to_be_bytes(), &[2; 1000]).unwrap());
    db.checkpoint().unwrap();
    let reads = Arc::new(AtomicU64::new(0));
    let counter = reads.clone();
    disk.set_fault(Some(Box::new(move |c| {
        let is_read = c.kind == SimCallKind::Read && c.path.starts_with("data/");
        // Two of each ten.
        if is_read && counter.fetch_add(1, Ordering::SeqCst) % 10 < 2 { Fault::Eio } else { Fault::None }
    })));
    t.rollback().unwrap();
    assert!(reads.load(Ordering::SeqCst) > 20, "the rollback reads pages");
    disk.set_fault(None);
    assert!(committed(&db, tree).unwrap().values().all(|v| v[..] == [1; 1000]));
    assert_sound(&db, "after the rollback");
}
