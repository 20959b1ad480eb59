//! What old snapshots cost: memory within `undo_buffers`, a scratch file within `undo_spill_limit`, and then `SnapshotTooOld`, never a wrong answer.

mod common;

use common::*;
use evenkeel::{Database, Error, Isolation, Options, Transaction, TreeId, TxnOptions};
use std::sync::Arc;

const MB: u64 = 1 << 20;

fn tight(seed: u64, spill: &str) -> Options {
    small(seed).with("undo_buffers", "128kB").and_then(|o| o.with("undo_spill_limit", spill)).unwrap()
}

/// A transaction whose snapshot stays that of now.
fn old(db: &Database, tree: TreeId) -> Transaction {
    let mut t = db.begin(TxnOptions { isolation: Isolation::RepeatableRead, ..TxnOptions::default() });
    t.get(tree, b"any").unwrap();
    t
}

fn put(db: &Database, tree: TreeId, key: u32, value: &[u8]) {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &key.to_be_bytes(), value).unwrap();
    t.commit().unwrap();
}

fn tick(db: &Database) {
    db.step_round().unwrap();
    db.step_purge().unwrap();
}

fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
fn small_commits_behind_an_old_snapshot_cost_no_memory() {
    let dir = tempfile::tempdir().unwrap();
    let options = tight(1, "1GB").with("fsync", "off").unwrap();
    let db = Database::open(dir.path(), options).unwrap();
    let tree = new_tree(&db);
    (0..10).for_each(|i| put(&db, tree, i, &[1; 50]));
    let mut reader = old(&db, tree);
    let mut resident = 0;
    for i in 0..100_000u32 {
        put(&db, tree, i % 10, &[i as u8; 50]);
        if i % 500 == 0 {
            tick(&db);
            let undo = db.stats().undo_memory_bytes;
            assert!(undo < 600 << 10, "after {i} commits: {undo} bytes"); // 160 transactions are kept whole
        }
        if i == 20_000 {
            resident = resident_bytes();
        }
    }
    let grown = resident_bytes().saturating_sub(resident);
    assert!(grown < 8 * MB, "{grown} bytes in 80,000 commits");
    let spilled = db.stats().undo_spilled_bytes;
    assert!((5 * MB..15 * MB).contains(&spilled), "{spilled}");
    assert!(rows(&mut reader, tree).unwrap().values().all(|v| v[..] == [1; 50]));
    drop(reader);
    while db.step_purge().unwrap() > 0 {}
    let s = db.stats();
    assert!(s.undo_memory_bytes < 64 << 10 && s.undo_spilled_bytes == 0, "{s:?}");
    assert!(
        std::fs::metadata(dir.path().join("undo.scratch")).unwrap().len() < 5 * MB,
        "its end is given back"
    );
}

#[test]
fn past_the_limit_the_oldest_snapshot_goes_and_memory_comes_back() {
    let disk = disk(2);
    let db = open_with(&disk, tight(2, "1MB"));
    let tree = new_tree(&db);
    (0..10).for_each(|i| put(&db, tree, i, &[1; 50]));
    let mut oldest = old(&db, tree);
    (0..10).for_each(|i| put(&db, tree, i, &[2; 50]));
    let mut young = None;
    let mut gone = 0;
    for i in 0..40_000u32 {
        put(&db, tree, i % 10, &[i as u8; 50]);
        if i % 100 == 0 {
            tick(&db);
            let s = db.stats();
            assert!(s.undo_memory_bytes < 600 << 10 && s.undo_spilled_bytes <= MB + (128 << 10), "{s:?}");
        }
        if i == 4000 {
            young = Some((old(&db, tree), committed(&db, tree).unwrap()));
        }
        if i % 100 != 0 {
            continue;
        }
        match oldest.get(tree, &1u32.to_be_bytes()) {
            Ok(found) => assert_eq!(found.unwrap(), [1; 50]),
            Err(Error::SnapshotTooOld) => {
                gone = i;
                break;
            }
            Err(e) => panic!("{e}"),
        }
    }
    assert!(gone > 5000, "after {gone} commits");
    let (mut reader, then) = young.unwrap();
    assert_eq!(rows(&mut reader, tree).unwrap(), then, "only the oldest goes");
    while db.step_purge().unwrap() > 0 {}
    drop(reader);
    while db.step_purge().unwrap() > 0 {}
    let s = db.stats();
    assert!(s.undo_memory_bytes < 64 << 10 && s.undo_spilled_bytes == 0, "{s:?}");
}

/// Rows that have been changed since a moment, whose transaction has ended, are found: also those that have gone since, and those of writers that are not done. Nothing
/// else is, and once what it needs is gone that is said.
#[test]
fn what_has_changed_since_a_moment_is_known() {
    let disk = disk(11);
    let db = open_with(&disk, tight(11, "1MB"));
    let tree = new_tree(&db);
    let mut rng = fastrand::Rng::with_seed(11);
    (0..3000).for_each(|i| put(&db, tree, i, &[1; 50]));
    let mut open = db.begin(TxnOptions::default());
    open.put(tree, &7u32.to_be_bytes(), b"before the moment, and taken back").unwrap();
    let mut first = old(&db, tree);
    let moment = first.moment().unwrap();
    drop(first);
    open.rollback().unwrap();
    let mut changed = std::collections::BTreeSet::new();
    for i in 0..400u32 {
        let key = rng.u32(..3000);
        let mut t = db.begin(TxnOptions::default());
        match rng.u8(..3) {
            0 => drop(t.delete(tree, &key.to_be_bytes()).unwrap()),
            1 => t.put(tree, &key.to_be_bytes(), &[2; 50]).unwrap(),
            _ => {
                t.put(tree, &(10_000 + i).to_be_bytes(), &[3; 50]).unwrap();
                t.rollback().unwrap();
                continue;
            }
        }
        t.commit().unwrap();
        changed.insert(key);
        if i % 50 == 0 {
            tick(&db);
        }
    }
    let mut open = db.begin(TxnOptions::default());
    open.put(tree, &8u32.to_be_bytes(), &[4; 50]).unwrap();
    open.put(tree, &2999u32.to_be_bytes(), &[4; 50]).unwrap();
    changed.extend([8, 2999]);
    let find = |max: usize, end: u32| -> Result<std::collections::BTreeSet<u32>, Error> {
        let (mut at, mut all) = (Some(std::ops::Bound::Unbounded), std::collections::BTreeSet::new());
        let mut t = db.begin(TxnOptions::default());
        while at.is_some() {
            let keys = t.changed_since(tree, &moment, &mut at, &end.to_be_bytes(), max)?;
            all.extend(keys.iter().map(|k| u32::from_be_bytes(k[..].try_into().unwrap())));
        }
        Ok(all)
    };
    for max in [1, 100, usize::MAX] {
        assert_eq!(find(max, 2999).unwrap(), changed);
    }
    assert_eq!(find(10, 1000).unwrap(), changed.range(..=1000).copied().collect());
    open.rollback().unwrap();
    let mut n = 0u32;
    while find(usize::MAX, 2999).is_ok() {
        (0..500).for_each(|i| put(&db, tree, i % 10, &[n as u8; 50]));
        tick(&db);
        n += 1;
        assert!(n < 200, "the moment outlives its limit");
    }
    assert!(matches!(find(usize::MAX, 2999), Err(Error::SnapshotTooOld)));
}

/// What every snapshot sees is compared with what it saw at first, while rows come, change, grow into chains and go.
#[test]
fn snapshots_of_every_age_see_what_they_saw() {
    for seed in 3..7 {
        let disk = disk(seed);
        let db = open_with(&disk, tight(seed, "64MB"));
        let tree = new_tree(&db);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut readers: Vec<(Transaction, Rows)> = Vec::new();
        let mut slow: Vec<Transaction> = Vec::new();
        for i in 0..6000u32 {
            let mut t = db.begin(TxnOptions::default());
            let many = if i % 1500 == 700 { 300 } else { rng.u32(1..4) };
            for n in 0..many {
                t.begin_statement();
                let key = if many > 3 { 1000 + n } else { rng.u32(..200) }.to_be_bytes();
                match rng.u8(..10) {
                    0..3 => drop(t.delete(tree, &key).unwrap()),
                    3 => t.put(tree, &key, &vec![i as u8; 9000]).unwrap(),
                    _ => t.put(tree, &key, &vec![i as u8; rng.usize(..400)]).unwrap(),
                }
            }
            match rng.u8(..20) {
                0 => t.rollback().unwrap(),
                _ => drop(t.commit().unwrap()),
            }
            if i % 10 == 0 && slow.len() < 20 {
                // Its id is old when it commits.
                let mut t = db.begin(TxnOptions::default());
                t.put(tree, &(5000 + i).to_be_bytes(), b"slow").unwrap();
                slow.push(t);
            } else if rng.u8(..30) == 0 && !slow.is_empty() {
                slow.swap_remove(rng.usize(..slow.len())).commit().unwrap();
            }
            if i % 700 == 0 {
                let mut t = old(&db, tree);
                let then = rows(&mut t, tree).unwrap();
                readers.push((t, then));
            }
            if i % 50 == 0 {
                tick(&db);
            }
            if i % 900 == 899 {
                for (t, then) in &mut readers {
                    assert!(rows(t, tree).unwrap() == *then, "seed {seed}, after {i} commits");
                }
                readers.swap_remove(rng.usize(..readers.len()));
            }
        }
        assert!(db.stats().undo_spilled_bytes > 0 && db.stats().purge_backlog > 300);
        drop((readers, slow));
        while db.step_purge().unwrap() > 0 {}
        let s = db.stats();
        assert!(s.undo_memory_bytes < 64 << 10 && s.undo_spilled_bytes == 0 && s.purge_backlog == 0, "{s:?}");
        assert_sound(&db, "after old snapshots");
        let before = committed(&db, tree).unwrap();
        assert_eq!(db.vacuum(tree).unwrap().purged, 0, "everything dead is purged");
        db.close().unwrap();
        drop(db);
        let db = Database::open_on(Arc::new(disk.clone()), small(seed)).unwrap();
        assert!(committed(&db, tree).unwrap() == before);
    }
}

/// A disk without room for the scratch file costs old snapshots, not memory, and no commit.
#[test]
fn undo_that_cannot_be_spilled_goes_with_the_oldest_snapshot() {
    use evenkeel::io::Fault;
    let disk = disk(8);
    let db = open_with(&disk, tight(8, "1GB"));
    let tree = new_tree(&db);
    (0..10).for_each(|i| put(&db, tree, i, &[1; 50]));
    let mut reader = old(&db, tree);
    disk.set_fault(Some(Box::new(|c| if &*c.path == "undo.scratch" { Fault::Enospc } else { Fault::None })));
    for i in 0..20_000u32 {
        put(&db, tree, i % 10, &[i as u8; 50]);
        assert!(db.stats().undo_memory_bytes < 600 << 10);
    }
    assert!(matches!(reader.get(tree, &1u32.to_be_bytes()), Err(Error::SnapshotTooOld)));
    // What a transaction needs for its own rollback fails its statement.
    let mut t = db.begin(TxnOptions::default());
    let mut n = 100;
    let err = loop {
        n += 1;
        if let Err(e) = t.put(tree, &(n as u32).to_be_bytes(), &[2; 50]) {
            break e;
        }
        assert!(n < 100_000, "never refused");
    };
    assert!(matches!(&err, Error::OutOfSpace { what } if what.contains("scratch")), "{err}");
    t.rollback().unwrap();
    assert_eq!(committed(&db, tree).unwrap().len(), 10);
}

/// `undo_spill_limit` is for snapshots: a load is not refused for it.
#[test]
fn a_transaction_with_more_undo_than_the_limit_commits_and_another_rolls_back() {
    let disk = disk(9);
    let db = open_with(&disk, tight(9, "1MB"));
    let tree = new_tree(&db);
    let load = |value: u8| {
        let mut t = db.begin(TxnOptions::default());
        for i in 0..30_000u32 {
            t.put(tree, &(i % 10_000).to_be_bytes(), &[value; 100]).unwrap();
            t.begin_statement();
            if i % 1000 == 0 {
                tick(&db);
            }
        }
        assert!(db.stats().undo_spilled_bytes > 2 * MB && db.stats().undo_memory_bytes < 400 << 10);
        t
    };
    load(1).commit().unwrap();
    let mut reader = old(&db, tree);
    let large = load(2);
    assert!(rows(&mut reader, tree).unwrap().values().all(|v| v[..] == [1; 100]), "it has not committed");
    large.rollback().unwrap();
    assert!(rows(&mut reader, tree).unwrap().values().all(|v| v[..] == [1; 100]));
    load(3).commit().unwrap();
    assert!(
        matches!(rows(&mut reader, tree), Err(Error::SnapshotTooOld)),
        "now its undo is for snapshots alone"
    );
    while db.step_purge().unwrap() > 0 {}
    assert_eq!(db.stats().undo_spilled_bytes, 0);
}

/// A reader is held back between a row and its large value; meanwhile its snapshot expires, the value's pages are freed, and are somebody else's by the
/// time it goes on.
#[test]
fn a_snapshot_that_expires_during_a_read_gives_an_error_and_not_somebody_elses_value() {
    use evenkeel::io::SimCallKind;
    use evenkeel::{Direction, KeyRange};
    use std::sync::atomic::{AtomicBool, Ordering};
    for scans in [false, true] {
        let disk = disk(10);
        let db = open_with(&disk, tight(10, "1MB"));
        let tree = new_tree(&db);
        put(&db, tree, 1, &[1; 20_000]);
        let mut reader = old(&db, tree);
        put(&db, tree, 1, b"short");
        let churn = move |db: &Database, n: u32| {
            for i in 0..n {
                put(db, tree, 100 + i % 10, &[i as u8; 100]);
                if i % 100 == 0 {
                    tick(db);
                }
            }
        };
        churn(&db, 3000);
        assert_eq!(reader.get(tree, &1u32.to_be_bytes()).unwrap().unwrap(), [1; 20_000]);
        let armed = AtomicBool::new(true);
        let during = db.clone();
        disk.set_gate(Some(Arc::new(move |call| {
            let db = &during;
            let here = call.kind == SimCallKind::Read && &*call.path == "undo.scratch";
            if here && armed.swap(false, Ordering::SeqCst) {
                churn(db, 12_000);
                while db.step_purge().unwrap() > 0 {}
                assert!(db.stats().undo_spilled_bytes <= 64 << 10, "the snapshot has expired");
                (0..8).for_each(|i| put(db, tree, 2 + i, &[9; 20_000]));
            }
        })));
        let found = if scans {
            let mut cursor = reader.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
            cursor.next(&mut reader).map(|row| row.map(|(_, v)| v.to_vec()))
        } else {
            reader.get(tree, &1u32.to_be_bytes())
        };
        disk.set_gate(None);
        let found = found.map(|v| v.map(|v| (v.len(), v[0])));
        assert!(matches!(found, Err(Error::SnapshotTooOld)), "scans: {scans}: {found:?}");
    }
}

/// A medium that rots under the scratch file makes reads of old versions fail; it never makes them wrong.
#[test]
fn damage_in_the_scratch_file_is_found() {
    let disk = disk(77);
    let db = open_with(&disk, tight(77, "64MB"));
    let tree = new_tree(&db);
    (0..10).for_each(|i| put(&db, tree, i, &[1; 50]));
    let mut reader = old(&db, tree);
    for i in 0..20_000u32 {
        put(&db, tree, i % 10, &[i as u8; 50]);
        if i % 500 == 0 {
            tick(&db);
        }
    }
    let scratch = disk.contents("undo.scratch").unwrap();
    assert!(scratch.len() > 1 << 20);
    let (mut found, mut right) = (0, 0);
    for at in (0..scratch.len()).step_by(4099) {
        disk.damage("undo.scratch", at as u64, &[scratch[at] ^ 16]).unwrap();
        match rows(&mut reader, tree) {
            Ok(rows) => {
                right += 1;
                assert!(rows.values().all(|v| v[..] == [1; 50]), "byte {at}");
            }
            Err(Error::Corrupt(why)) => {
                found += 1;
                assert!(why.what.contains("undo scratch file"), "{why}");
            }
            Err(e) => panic!("byte {at}: {e}"),
        }
        disk.damage("undo.scratch", at as u64, &scratch[at..=at]).unwrap();
    }
    println!("{found} found, {right} harmless");
    assert!(found > 0);
    assert!(rows(&mut reader, tree).unwrap().values().all(|v| v[..] == [1; 50]));
}

/// It owes nothing, and does not stand against a clean stop.
#[test]
fn a_delete_that_was_taken_back_leaves_nothing_to_purge() {
    let (disk, db) = fresh(9);
    let tree = new_tree(&db);
    (0..10).for_each(|i| put(&db, tree, i, b"v"));
    while db.step_purge().unwrap() > 0 {}
    let reader = old(&db, tree);
    let mut t = db.begin(TxnOptions::default());
    let savepoint = t.savepoint();
    _ = t.delete(tree, &1u32.to_be_bytes()).unwrap();
    t.rollback_to(savepoint).unwrap();
    t.commit().unwrap();
    // So many that it is not kept whole.
    (0..400).for_each(|i| put(&db, tree, i % 10, &[i as u8; 50]));
    drop(reader);
    while db.step_purge().unwrap() > 0 {}
    assert_eq!(db.stats().purge_backlog, 0);
    db.close().unwrap();
    drop(db);
    let db = open_with(&disk, small(9));
    assert!(db.life_before().is_some(), "the stop was clean");
}
