//! Rollbacks that meet a page which cannot be read, for as long as it lasts: everything else goes on, what is not undone is seen by nobody and changed by nobody, and in the end all is undone.

mod common;

use common::{Rows, assert_sound, committed, disk, new_tree, open_with, small};
use evenkeel::io::{Fault, SimCall, SimCallKind, SimDisk};
use evenkeel::{Database, Error, LockMode, Transaction, TreeId, TxnOptions, WaitPolicy};

const KEYS: u32 = 3000;

/// Two trees, each larger than the pool.
fn trees(db: &Database) -> [TreeId; 2] {
    let trees = [new_tree(db), new_tree(db)];
    for tree in trees {
        let mut t = db.begin(TxnOptions::default());
        (0..KEYS).for_each(|i| t.put(tree, &i.to_be_bytes(), &[1; 250]).unwrap());
        t.commit().unwrap();
    }
    trees
}

fn change(t: &mut Transaction, tree: TreeId, keys: impl Iterator<Item = u32>, to: u8) {
    keys.for_each(|i| t.put(tree, &i.to_be_bytes(), &[to; 200]).unwrap());
}

/// Pages of the first tree are at home, and not in memory.
fn forget(db: &Database, trees: [TreeId; 2]) {
    db.checkpoint().unwrap();
    (0..2).for_each(|_| assert_eq!(committed(db, trees[1]).unwrap().len(), KEYS as usize));
}

fn fail_reads(disk: &SimDisk, tree: TreeId) {
    let path = format!("data/{}", tree.0);
    disk.set_fault(Some(Box::new(move |call: &SimCall| {
        let fails = call.kind == SimCallKind::Read && *call.path == *path;
        if fails { Fault::Eio } else { Fault::None }
    })));
}

fn ones() -> Rows {
    (0..KEYS).map(|i| (i.to_be_bytes().to_vec(), vec![1; 250])).collect()
}

fn undo_all(db: &Database) {
    while !matches!(db.step_purge(), Ok(0)) {}
    assert_eq!(db.rollback_changes_left(), 0);
}

#[test]
fn a_rollback_that_cannot_read_a_page_is_tried_again() {
    for (seed, crashes) in [(1, false), (2, true), (3, false)] {
        let disk = disk(seed);
        let db = open_with(&disk, small(seed));
        let trees @ [damaged, other] = trees(&db);
        let mut t = db.begin(TxnOptions::default());
        change(&mut t, damaged, (0..KEYS).step_by(60), 2);
        change(&mut t, other, [7].into_iter(), 2);
        forget(&db, trees);
        fail_reads(&disk, damaged);
        match seed {
            3 => drop(t),
            _ => t.rollback().expect("its end is no error"),
        }
        assert!(db.rollback_changes_left() > 0);
        // It is told, and tried again; nothing else is kept.
        for round in 0..3u32 {
            assert!(matches!(db.step_purge(), Err(Error::Io { .. })));
            let mut t = db.begin(TxnOptions::default());
            change(&mut t, other, [100 + round].into_iter(), 1);
            t.commit().expect("others go on");
            assert!(committed(&db, other).unwrap().values().all(|v| v[0] == 1));
            db.checkpoint().unwrap();
        }
        disk.set_fault(None);
        // Its rows are its own until it is undone.
        assert_eq!(committed(&db, damaged).unwrap(), ones());
        let mut t = db.begin(TxnOptions::default());
        let locked = t.lock(damaged, &0u32.to_be_bytes(), LockMode::Update, WaitPolicy::NoWait);
        assert!(matches!(locked, Err(Error::LockNotAvailable)), "{locked:?}");
        drop(t);
        let (db, disk) = match crashes {
            true => {
                let crashed = disk.crash_copy(seed);
                (open_with(&crashed, small(seed + 9)), crashed)
            }
            false => (db, disk),
        };
        undo_all(&db);
        assert_eq!(committed(&db, damaged).unwrap(), ones());
        let mut t = db.begin(TxnOptions::default());
        change(&mut t, damaged, [0, 60].into_iter(), 3);
        t.commit().expect("its locks are gone");
        assert_sound(&db, &format!("seed {seed}"));
        db.close().unwrap();
        let db = open_with(&disk, small(seed + 10));
        assert!(db.life_before().is_some(), "it was closed cleanly");
    }
}

/// The next start goes on with it.
#[test]
fn a_database_closes_beside_a_rollback_that_cannot_be() {
    let disk = disk(4);
    let db = open_with(&disk, small(4));
    let trees @ [damaged, other] = trees(&db);
    let mut t = db.begin(TxnOptions::default());
    change(&mut t, damaged, (0..KEYS).step_by(60), 2);
    forget(&db, trees);
    fail_reads(&disk, damaged);
    t.rollback().unwrap();
    db.close().unwrap();
    drop(db);
    let db = open_with(&disk, small(5));
    assert_eq!(committed(&db, other).unwrap(), ones());
    disk.set_fault(None);
    undo_all(&db);
    assert_eq!(committed(&db, damaged).unwrap(), ones());
    assert_sound(&db, "at the end");
    db.close().unwrap();
}

/// One that cannot get back to a savepoint must not go on as if it were there.
#[test]
fn a_transaction_that_is_half_way_back_can_only_go_back() {
    for ends in [false, true] {
        let disk = disk(6);
        let db = open_with(&disk, small(6));
        let trees @ [damaged, other] = trees(&db);
        let mut t = db.begin(TxnOptions::default());
        change(&mut t, other, [1].into_iter(), 2);
        let first = t.savepoint();
        change(&mut t, damaged, (0..KEYS).step_by(60), 2);
        let second = t.savepoint();
        change(&mut t, other, [2].into_iter(), 2);
        forget(&db, trees);
        fail_reads(&disk, damaged);
        assert!(matches!(t.rollback_to(first), Err(Error::Io { .. })));
        for refused in [
            t.put(other, b"more", b"").err(),
            t.get(other, b"more").err(),
            t.lock(other, b"more", LockMode::Update, WaitPolicy::NoWait).err(),
            t.rollback_to(second).err(),
            t.rollback_to(first).err(),
        ] {
            assert!(matches!(refused, Some(Error::Io { .. })), "{refused:?}");
        }
        if ends {
            assert!(matches!(t.commit(), Err(Error::Io { .. })));
            assert!(db.rollback_changes_left() > 0);
            disk.set_fault(None);
            undo_all(&db);
        } else {
            disk.set_fault(None);
            t.rollback_to(first).expect("it can be read again");
            t.commit().unwrap();
        }
        assert_eq!(committed(&db, damaged).unwrap(), ones());
        let expected = |key: u32| if key == 1 && !ends { 2 } else { 1 };
        let found = committed(&db, other).unwrap();
        assert!((0..KEYS).all(|k| found[&k.to_be_bytes()[..]][0] == expected(k)));
        assert_sound(&db, "at the end");
        db.close().unwrap();
    }
}
