//! What an application sees, without crashes.

mod common;

use common::*;
use evenkeel::io::{Disk, Fault, SimCallKind};
use evenkeel::{
    Database, Direction, Durability, Error, Isolation, KeyRange, LockMode, Locked, TxnOptions, WaitPolicy,
    Write,
};
use std::ops::Bound;

fn read_committed(db: &Database) -> evenkeel::Transaction {
    db.begin(TxnOptions::default())
}

fn repeatable(db: &Database) -> evenkeel::Transaction {
    db.begin(TxnOptions { isolation: Isolation::RepeatableRead, ..TxnOptions::default() })
}

#[test]
fn a_committed_row_is_there_and_a_rolled_back_one_is_not() {
    let (_disk, db) = fresh(1);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.insert(tree, b"a", b"1").unwrap();
    t.commit().unwrap();
    let mut t = read_committed(&db);
    t.insert(tree, b"b", b"2").unwrap();
    t.rollback().unwrap();
    let rows = committed(&db, tree).unwrap();
    assert_eq!(rows.into_iter().collect::<Vec<_>>(), [(b"a".to_vec(), b"1".to_vec())]);
    assert_sound(&db, "after a rollback");
}

#[test]
fn a_snapshot_does_not_see_what_commits_later() {
    let (_disk, db) = fresh(2);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.insert(tree, b"k", b"old").unwrap();
    t.commit().unwrap();
    let mut reader = repeatable(&db);
    assert_eq!(reader.get(tree, b"k").unwrap().unwrap(), b"old");
    let mut w = read_committed(&db);
    assert_eq!(w.update(tree, b"k", b"new", LockMode::NoKeyUpdate).unwrap(), Write::Done);
    w.insert(tree, b"l", b"x").unwrap();
    w.commit().unwrap();
    assert_eq!(reader.get(tree, b"k").unwrap().unwrap(), b"old");
    assert_eq!(rows(&mut reader, tree).unwrap().len(), 1);
    assert_eq!(
        reader.update(tree, b"k", b"mine", LockMode::NoKeyUpdate).unwrap_err().to_string(),
        Error::SerializationFailure.to_string()
    );
    drop(reader);
    assert_eq!(committed(&db, tree).unwrap()[&b"k"[..]], b"new");
}

/// A key has one row: a new one would hide the row that the snapshot has.
#[test]
fn a_key_that_was_given_up_since_is_not_taken_from_under_a_snapshot() {
    let (_disk, db) = fresh(3);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.insert(tree, b"k", b"old").unwrap();
    t.insert(tree, b"own", b"old").unwrap();
    t.commit().unwrap();
    let mut reader = repeatable(&db);
    assert_eq!(rows(&mut reader, tree).unwrap().len(), 2);
    let mut w = read_committed(&db);
    _ = w.delete(tree, b"k").unwrap();
    w.insert(tree, b"brief", b"x").unwrap();
    w.commit().unwrap();
    let mut w = read_committed(&db);
    _ = w.delete(tree, b"brief").unwrap();
    w.commit().unwrap();
    assert!(matches!(reader.insert(tree, b"k", b"mine"), Err(Error::SerializationFailure)));
    assert_eq!(rows(&mut reader, tree).unwrap()[&b"k"[..]], b"old");
    // What came and went meanwhile, and what is its own to give up, it may take.
    reader.insert(tree, b"brief", b"mine").unwrap();
    assert_eq!(reader.delete(tree, b"own").unwrap(), Write::Done);
    reader.insert(tree, b"own", b"mine").unwrap();
    reader.commit().unwrap();
    // And by the row that is there now everybody else goes.
    let mut t = read_committed(&db);
    t.insert(tree, b"k", b"mine").unwrap();
    t.commit().unwrap();
    assert_eq!(committed(&db, tree).unwrap().len(), 3);
}

#[test]
fn a_statement_does_not_see_its_own_writes() {
    let (_disk, db) = fresh(3);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.begin_statement();
    t.insert(tree, b"a", b"1").unwrap();
    assert_eq!(t.get(tree, b"a").unwrap(), None);
    t.begin_statement();
    assert_eq!(t.get(tree, b"a").unwrap().unwrap(), b"1");
    assert_eq!(t.update(tree, b"a", b"2", LockMode::NoKeyUpdate).unwrap(), Write::Done);
    assert_eq!(t.get(tree, b"a").unwrap().unwrap(), b"1");
    assert_eq!(t.update(tree, b"a", b"3", LockMode::NoKeyUpdate).unwrap(), Write::SelfModified);
    t.commit().unwrap();
    assert_eq!(committed(&db, tree).unwrap()[&b"a"[..]], b"2");
}

#[test]
fn read_committed_re_evaluates_the_newest_version() {
    let (_disk, db) = fresh(4);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.put(tree, b"n", b"1").unwrap();
    t.commit().unwrap();
    let mut a = read_committed(&db);
    a.begin_statement();
    let mut b = read_committed(&db);
    b.put(tree, b"n", b"2").unwrap();
    b.commit().unwrap();
    assert_eq!(a.update(tree, b"n", b"x", LockMode::NoKeyUpdate).unwrap(), Write::Changed(b"2".to_vec()));
    assert_eq!(a.update(tree, b"n", b"3", LockMode::NoKeyUpdate).unwrap(), Write::Done);
    a.commit().unwrap();
    assert_eq!(committed(&db, tree).unwrap()[&b"n"[..]], b"3");
}

#[test]
fn a_live_key_cannot_be_inserted_twice_and_a_deleted_one_can() {
    let (_disk, db) = fresh(5);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.insert(tree, b"k", b"1").unwrap();
    t.commit().unwrap();
    let mut t = read_committed(&db);
    assert!(matches!(t.insert(tree, b"k", b"2"), Err(Error::DuplicateKey)));
    assert_eq!(t.delete(tree, b"k").unwrap(), Write::Done);
    t.insert(tree, b"k", b"3").unwrap();
    t.commit().unwrap();
    assert_eq!(committed(&db, tree).unwrap()[&b"k"[..]], b"3");
}

#[test]
fn savepoints_undo_what_came_after() {
    let (_disk, db) = fresh(6);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.put(tree, b"a", b"1").unwrap();
    let sp = t.savepoint();
    t.put(tree, b"a", b"2").unwrap();
    t.put(tree, b"b", b"2").unwrap();
    t.rollback_to(sp).unwrap();
    t.put(tree, b"c", b"3").unwrap();
    t.commit().unwrap();
    let keys: Vec<_> = committed(&db, tree).unwrap().into_iter().collect();
    assert_eq!(keys, [(b"a".to_vec(), b"1".to_vec()), (b"c".to_vec(), b"3".to_vec())]);
}

#[test]
fn large_values_round_trip_and_their_pages_are_reused() {
    let (_disk, db) = fresh(7);
    let tree = new_tree(&db);
    let big: Vec<u8> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
    for round in 0..4 {
        let mut t = read_committed(&db);
        t.put(tree, b"big", &big).unwrap();
        t.commit().unwrap();
        assert_eq!(committed(&db, tree).unwrap()[&b"big"[..]], big, "round {round}");
        while db.step_purge().unwrap() > 0 {}
    }
    assert!(db.tree_size_bytes(tree).unwrap() < 4 * big.len() as u64);
    let mut t = read_committed(&db);
    assert_eq!(t.delete(tree, b"big").unwrap(), Write::Done);
    t.commit().unwrap();
    while db.step_purge().unwrap() > 0 {}
    assert_sound(&db, "after deleting a large value");
    assert!(db.vacuum(tree).unwrap().blocks_cut > 0);
    assert_sound(&db, "after a trim");
}

#[test]
fn ranges_run_both_ways_between_any_bounds() {
    let (_disk, db) = fresh(8);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    for i in 0..2000u32 {
        t.insert(tree, &(i * 2).to_be_bytes(), &[7; 40]).unwrap();
    }
    t.commit().unwrap();
    let mut rng = fastrand::Rng::with_seed(8);
    for _ in 0..300 {
        let (a, b) = (rng.u32(0..4100), rng.u32(0..4100));
        let bound = |v: u32, kind: u8| match kind {
            0 => Bound::Unbounded,
            1 => Bound::Included(v.to_be_bytes().to_vec()),
            _ => Bound::Excluded(v.to_be_bytes().to_vec()),
        };
        let range = KeyRange { start: bound(a, rng.u8(0..3)), end: bound(b, rng.u8(0..3)) };
        let inside = |k: u32| {
            let k = k.to_be_bytes().to_vec();
            (match &range.start {
                Bound::Included(s) => k >= *s,
                Bound::Excluded(s) => k > *s,
                Bound::Unbounded => true,
            }) && (match &range.end {
                Bound::Included(e) => k <= *e,
                Bound::Excluded(e) => k < *e,
                Bound::Unbounded => true,
            })
        };
        let expected: Vec<u32> = (0..2000).map(|i| i * 2).filter(|k| inside(*k)).collect();
        for direction in [Direction::Forward, Direction::Backward] {
            let mut t = read_committed(&db);
            let mut c = t.cursor(tree, range.clone(), direction).unwrap();
            let mut got = Vec::new();
            while let Some((k, _)) = c.next(&mut t).unwrap() {
                got.push(u32::from_be_bytes(k.try_into().unwrap()));
            }
            if direction == Direction::Backward {
                got.reverse();
            }
            assert_eq!(got, expected, "{range:?} {direction:?}");
        }
    }
}

#[test]
fn emptied_pages_are_merged_and_reused() {
    let (_disk, db) = fresh(9);
    let tree = new_tree(&db);
    let mut sizes = Vec::new();
    for round in 0u32..6 {
        let mut t = read_committed(&db);
        for i in 0..1500u32 {
            t.insert(tree, &[&round.to_be_bytes()[..], &i.to_be_bytes()].concat(), &[1; 100]).unwrap();
        }
        t.commit().unwrap();
        let mut t = read_committed(&db);
        for i in 0..1500u32 {
            let key = [&round.to_be_bytes()[..], &i.to_be_bytes()].concat();
            assert_eq!(t.delete(tree, &key).unwrap(), Write::Done);
        }
        t.commit().unwrap();
        while db.step_purge().unwrap() > 0 {}
        assert_sound(&db, &format!("round {round}"));
        sizes.push(db.tree_size_bytes(tree).unwrap());
    }
    assert_eq!(sizes[1], *sizes.last().unwrap(), "the file stops growing: {sizes:?}");
    assert!(committed(&db, tree).unwrap().is_empty());
}

#[test]
fn locks_are_refused_skipped_or_shared() {
    let (_disk, db) = fresh(10);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.put(tree, b"k", b"v").unwrap();
    t.commit().unwrap();
    let mut a = read_committed(&db);
    let mut b = read_committed(&db);
    assert_eq!(
        a.lock(tree, b"k", LockMode::KeyShare, WaitPolicy::Block).unwrap(),
        Locked::Current(b"v".to_vec())
    );
    assert_eq!(b.update(tree, b"k", b"w", LockMode::NoKeyUpdate).unwrap(), Write::Done);
    assert!(matches!(a.lock(tree, b"k", LockMode::Update, WaitPolicy::NoWait), Err(Error::LockNotAvailable)));
    assert_eq!(a.lock(tree, b"k", LockMode::Share, WaitPolicy::SkipLocked).unwrap(), Locked::Skipped);
    b.commit().unwrap();
    a.begin_statement();
    assert_eq!(
        a.lock(tree, b"k", LockMode::Update, WaitPolicy::NoWait).unwrap(),
        Locked::Current(b"w".to_vec())
    );
}

#[test]
fn a_dropped_tree_comes_back_with_a_rollback_and_goes_with_a_commit() {
    let (_disk, db) = fresh(11);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.put(tree, b"k", b"v").unwrap();
    t.commit().unwrap();
    let mut t = read_committed(&db);
    t.drop_tree(tree).unwrap();
    t.rollback().unwrap();
    assert_eq!(committed(&db, tree).unwrap().len(), 1);
    let mut t = read_committed(&db);
    t.drop_tree(tree).unwrap();
    t.commit().unwrap();
    while db.step_purge().unwrap() > 0 {}
    assert!(matches!(committed(&db, tree), Err(Error::NoSuchTree(_))));
    assert_sound(&db, "after a drop");
}

/// Between the commit of a drop and its purge, and where a file has gone astray.
#[test]
fn check_knows_a_dropped_tree_from_a_missing_one() {
    let (disk, db) = fresh(13);
    let (small, large, astray) = (new_tree(&db), tree_with_file(&db), tree_with_file(&db));
    let mut t = read_committed(&db);
    t.drop_tree(small).unwrap();
    t.drop_tree(large).unwrap();
    t.commit().unwrap();
    assert_sound(&db, "dropped, not purged");
    disk.set_fault(Some(Box::new(|c| if c.kind == SimCallKind::Remove { Fault::Eio } else { Fault::None })));
    while matches!(db.step_purge(), Ok(1..)) {}
    assert_sound(&db, "closed, not removed");
    disk.set_fault(None);
    while db.step_purge().unwrap() > 0 {}
    assert_sound(&db, "purged");
    let files: Vec<String> = disk.list("data").unwrap();
    db.close().unwrap();
    drop(db);
    let lost: Vec<&String> = files.iter().filter(|f| **f == astray.file().0.to_string()).collect();
    assert_eq!(lost.len(), 1, "{files:?}");
    disk.remove(&format!("data/{}", lost[0])).unwrap();
    let db = open(&disk, 14).unwrap();
    let report = evenkeel::check::check_open_database(&db, &mut |_| {}).unwrap();
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    assert!(report.problems[0].contains(&format!("data file data/{} is missing", astray.0)));
}

/// KEY SHARE needs the key to stay, not the version: newer ones that kept it do no harm, one that is another row's does.
#[test]
fn who_only_wants_the_key_to_stay_is_content_with_the_version_that_it_sees() {
    let (_disk, db) = fresh(17);
    let tree = new_tree(&db);
    let write = |f: &dyn Fn(&mut evenkeel::Transaction)| {
        let mut t = read_committed(&db);
        f(&mut t);
        t.commit().unwrap();
    };
    write(&|t| ["kept", "changed", "new"].iter().for_each(|k| t.put(tree, k.as_bytes(), b"0").unwrap()));
    let mut reader = repeatable(&db);
    reader.begin_statement();
    assert_eq!(reader.get(tree, b"kept").unwrap().as_deref(), Some(&b"0"[..]));
    for value in [b"1", b"2"] {
        write(&|t| {
            t.begin_statement();
            assert_eq!(t.update(tree, b"kept", value, LockMode::NoKeyUpdate).unwrap(), Write::Done);
            t.begin_statement();
            assert_eq!(t.update(tree, b"changed", value, LockMode::Update).unwrap(), Write::Done);
        });
    }
    write(&|t| drop(t.delete(tree, b"new").unwrap()));
    write(&|t| t.put(tree, b"new", b"another").unwrap());
    let mut lock = |key: &[u8], mode| reader.lock(tree, key, mode, WaitPolicy::NoWait);
    assert!(matches!(lock(b"kept", LockMode::KeyShare), Ok(Locked::Current(v)) if v == b"0"));
    assert!(matches!(lock(b"kept", LockMode::Share), Err(Error::SerializationFailure)));
    assert!(matches!(lock(b"changed", LockMode::KeyShare), Err(Error::SerializationFailure)));
    assert!(matches!(lock(b"new", LockMode::KeyShare), Err(Error::SerializationFailure)));
}

#[test]
fn a_vacuum_ends_when_it_is_canceled() {
    let (_disk, db) = fresh(16);
    let tree = tree_with_file(&db);
    let interrupt = evenkeel::Interrupt::new();
    db.vacuum_unless(tree, &interrupt).unwrap();
    interrupt.cancel();
    assert!(matches!(db.vacuum_unless(tree, &interrupt), Err(Error::Canceled)));
    db.vacuum(tree).unwrap();
}

#[test]
fn a_prefix_is_a_range() {
    let (_disk, db) = fresh(15);
    let tree = new_tree(&db);
    let keys: Vec<Vec<u8>> = (0u32..6 * 6 * 6)
        .map(|i| [i / 36, i / 6 % 6, i % 6].map(|d| [0, 1, 7, 254, 255, 255][d as usize]).to_vec())
        .collect();
    let mut t = read_committed(&db);
    for k in keys.iter().chain([&vec![], &vec![255], &vec![254, 255], &vec![255; 5]]) {
        t.put(tree, k, b"").unwrap();
    }
    t.commit().unwrap();
    let all: Vec<Vec<u8>> = committed(&db, tree).unwrap().into_keys().collect();
    let mut t = read_committed(&db);
    for p in &all {
        let mut cursor = t.cursor(tree, KeyRange::prefix(p), Direction::Forward).unwrap();
        let mut found = Vec::new();
        while let Some((k, _)) = cursor.next(&mut t).unwrap() {
            found.push(k.to_vec());
        }
        let expected: Vec<_> = all.iter().filter(|k| k.starts_with(p)).cloned().collect();
        assert_eq!(found, expected, "{p:?}");
    }
}

#[test]
fn a_transaction_larger_than_memory_commits_and_another_rolls_back() {
    let disk = disk(12);
    let options = small(12).with("undo_buffers", "128kB").unwrap();
    let db = Database::open_on(std::sync::Arc::new(disk), options).unwrap();
    let tree = new_tree(&db);
    let write = |value: &[u8]| {
        let mut t = read_committed(&db);
        for i in 0..6000u32 {
            t.put(tree, &i.to_be_bytes(), value).unwrap();
            if i % 500 == 0 {
                db.step_round().unwrap();
            }
        }
        t
    };
    write(&[1; 200]).commit().unwrap();
    assert!(db.stats().undo_spilled_bytes == 0 || db.stats().undo_memory_bytes <= 256 << 10);
    let t = write(&[2; 260]);
    assert!(db.stats().undo_spilled_bytes > 0, "undo went to the scratch file");
    // A reader beside it follows the spilled undo.
    assert!(committed(&db, tree).unwrap().values().all(|v| v[..] == [1; 200]));
    t.rollback().unwrap();
    assert!(committed(&db, tree).unwrap().values().all(|v| v[..] == [1; 200]));
    assert_sound(&db, "after a large rollback");
}

#[test]
fn a_clean_restart_keeps_everything_and_may_change_the_partitions() {
    let disk = disk(13);
    let mut trees = Vec::new();
    for (life, partitions) in ["4", "16", "1", "64"].into_iter().enumerate() {
        let options = small(life as u64).with("checkpoint_partitions", partitions).unwrap();
        let db = Database::open_on(std::sync::Arc::new(disk.clone()), options).unwrap();
        let tree = new_tree(&db);
        let mut t = db.begin(TxnOptions { durability: Durability::Async, ..TxnOptions::default() });
        for i in 0..300u32 {
            t.put(tree, &i.to_be_bytes(), &[life as u8; 50]).unwrap();
        }
        t.commit().unwrap();
        trees.push(tree);
        for tree in &trees {
            assert_eq!(committed(&db, *tree).unwrap().len(), 300);
        }
        assert_sound(&db, "life");
        db.close().unwrap();
    }
}

#[test]
fn limits_are_errors() {
    let (_disk, db) = fresh(14);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    assert!(matches!(t.insert(tree, &[0; 1901], b""), Err(Error::KeyTooLong { .. })));
    t.insert(tree, &[0; 1900], b"v").unwrap();
    assert!(matches!(t.get(evenkeel::TreeId(999), b"k"), Err(Error::NoSuchTree(_))));
    t.commit().unwrap();
    let mut ro = db.begin(TxnOptions { read_only: true, ..TxnOptions::default() });
    assert!(matches!(ro.insert(tree, b"x", b""), Err(Error::ReadOnly)));
    drop(ro);
    let mut t = read_committed(&db);
    db.close().unwrap();
    assert!(matches!(t.get(tree, b"k"), Err(Error::Closed)));
}

#[test]
fn more_buffers_than_memory_are_refused() {
    let (disk, db) = fresh(31);
    db.close().unwrap();
    drop(db);
    let options =
        small(31).with("shared_buffers", "1000000GB").or_else(|_| small(31).with("shared_buffers", "8000GB"));
    let e = Database::open_on(std::sync::Arc::new(disk), options.unwrap())
        .expect_err("so much memory is nowhere");
    assert!(matches!(&e, Error::InvalidArgument(why) if why.contains("shared_buffers")), "{e}");
}

#[test]
fn a_folder_with_data_but_no_control_file_is_refused_and_left_alone() {
    let disk = disk(15);
    let db = open(&disk, 15).unwrap();
    let tree = new_tree(&db);
    db.close().unwrap();
    drop(db);
    evenkeel::io::Disk::rename(&disk, "control", "control.saved").unwrap();
    assert!(matches!(open(&disk, 15), Err(Error::Corrupt(_))));
    evenkeel::io::Disk::rename(&disk, "control.saved", "control").unwrap();
    let db = open(&disk, 15).unwrap();
    assert!(committed(&db, tree).unwrap().is_empty());
}

#[test]
fn a_second_write_of_a_transaction_keeps_its_stronger_lock() {
    let (_disk, db) = fresh(16);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.put(tree, b"k", b"1").unwrap();
    t.commit().unwrap();
    let mut writer = read_committed(&db);
    assert_eq!(writer.update(tree, b"k", b"2", LockMode::Update).unwrap(), Write::Done);
    writer.begin_statement();
    assert_eq!(writer.update(tree, b"k", b"3", LockMode::NoKeyUpdate).unwrap(), Write::Done);
    let mut other = read_committed(&db);
    let refused = other.lock(tree, b"k", LockMode::KeyShare, WaitPolicy::NoWait);
    assert!(matches!(refused, Err(Error::LockNotAvailable)), "{refused:?}");
}

#[test]
fn rows_of_a_tree_that_was_dropped_meanwhile_roll_back_to_nothing() {
    let (disk, db) = fresh(17);
    let tree = new_tree(&db);
    let mut writer = read_committed(&db);
    writer.begin_statement(); // who does so keeps no tree
    writer.put(tree, b"k", b"uncommitted").unwrap();
    let mut dropper = read_committed(&db);
    dropper.drop_tree(tree).unwrap();
    dropper.commit().unwrap();
    writer.begin_statement(); // its old snapshot goes, and with it what held the drop back
    while db.step_purge().unwrap() > 0 {}
    let crashed = disk.crash_copy(1);
    writer.rollback().unwrap();
    assert!(db.poisoned().is_none());
    assert_sound(&db, "after the rollback");
    let db = open(&crashed, 18).expect("recovery finds nothing to undo there");
    assert_sound(&db, "after a crash");
}

#[test]
fn a_refused_insert_keeps_no_log_space() {
    let (disk, db) = fresh(19);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.insert(tree, b"k", b"v").unwrap();
    t.commit().unwrap();
    let mut t = read_committed(&db);
    let before = disk.used_bytes();
    for _ in 0..1000 {
        assert!(matches!(t.insert(tree, b"k", b"w"), Err(Error::DuplicateKey)));
    }
    assert!(disk.used_bytes() < before + (1 << 20), "{} bytes more", disk.used_bytes() - before);
}

/// An asynchronous commit may be lost, but what it shows of a synchronous one must not be.
#[test]
fn what_an_asynchronous_commit_rests_on_is_waited_for() {
    let (_disk, db) = fresh(37);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    t.put(tree, b"k", b"0").unwrap();
    t.commit().unwrap();
    let mut t = read_committed(&db);
    t.put(tree, b"k", b"1").unwrap();
    let first = t.commit_visible().unwrap().newest();
    let mut t = read_committed(&db);
    t.set_durability(Durability::Async);
    t.defer_durability();
    assert_eq!(t.update(tree, b"k", b"2", LockMode::NoKeyUpdate).unwrap(), Write::Done);
    t.told_keys_only(Default::default());
    assert!(t.commit_visible().unwrap().newest() < first, "its own client was told of keys only");
    let mut reader = read_committed(&db);
    reader.defer_durability();
    assert_eq!(reader.get(tree, b"k").unwrap().unwrap(), b"2");
    assert_eq!(reader.observed().newest(), first);
}

/// That no row is what was asked for is an answer as well: a test passes over rows only where nobody has to wait for them.
#[test]
fn a_test_passes_over_settled_rows_alone() {
    let (_disk, db) = fresh(32);
    let tree = new_tree(&db);
    let mut t = read_committed(&db);
    for key in [b"a", b"b", b"c", b"d"] {
        t.put(tree, key, b"0").unwrap();
    }
    db.wait_durable(t.commit_visible().unwrap().newest()).unwrap();
    let mut old = repeatable(&db);
    assert_eq!(old.get(tree, b"a").unwrap().unwrap(), b"0");
    let mut t = read_committed(&db);
    t.put(tree, b"b", b"1").unwrap();
    assert!(t.remove(tree, b"c").unwrap());
    let changed = t.commit_visible().unwrap().newest();

    let scan = |t: &mut evenkeel::Transaction, unwanted: &'static [u8]| {
        t.begin_statement();
        let mut rows = t.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
        let mut found = Vec::new();
        while let Some((key, value)) = rows.next_passing(t, &|value| value != unwanted).unwrap() {
            found.push(String::from_utf8([key, value].concat()).unwrap());
        }
        (found.join(" "), rows.take_passed_over())
    };
    let mut reader = read_committed(&db);
    reader.defer_durability();
    assert_eq!(scan(&mut reader, b"1").0, "a0 b1 d0", "the row is given all the same, as it is not settled");
    assert_eq!(reader.observed().newest(), changed);
    drop(reader);
    db.wait_durable(changed).unwrap();

    // The older snapshot has its own versions, and keeps the newer ones from being settled.
    old.begin_statement();
    assert_eq!(scan(&mut old, b"1").0, "a0 b0 c0 d0");
    drop(old);
    let mut t = read_committed(&db);
    t.put(tree, b"d", b"mine").unwrap();
    assert_eq!(scan(&mut t, b"mine").0, "a0 b1 dmine", "nor its own");
    t.rollback().unwrap();
    let mut reader = read_committed(&db);
    assert_eq!(scan(&mut reader, b"0"), ("b1".to_owned(), 2));
    assert_eq!(scan(&mut reader, b"2"), ("a0 b1 d0".to_owned(), 0));
    let mut t = read_committed(&db);
    t.put(tree, b"long", &vec![b'0'; 100_000]).unwrap();
    t.commit().unwrap();
    let mut reader = read_committed(&db);
    let (found, passed_over) = scan(&mut reader, b"0");
    assert_eq!(
        (found.len(), passed_over),
        ("b1 long".len() + 100_000, 2),
        "a value that lies elsewhere is not tested"
    );
}

/// An update by key of a row whose last change is not durable yet: who tells of the key only need not wait, who tells of values must.
#[test]
fn an_answer_about_keys_waits_only_for_what_wrote_the_keys() {
    let (_disk, db) = fresh(31);
    let tree = new_tree(&db);
    let updated = |key: &[u8], value: &[u8], lock: LockMode| {
        let mut t = read_committed(&db);
        t.defer_durability();
        let since = t.observed();
        assert_eq!(t.update(tree, key, value, lock).unwrap(), Write::Done);
        let all = t.observed().newest();
        t.told_keys_only(since);
        let keys = t.observed().newest();
        t.begin_statement();
        assert_eq!(t.get(tree, key).unwrap().unwrap(), value);
        assert_eq!(t.observed().newest(), all, "its own value rests on the one before");
        (all, keys, t.commit_visible().unwrap().newest())
    };
    let mut t = read_committed(&db);
    t.insert(tree, b"durable", b"0").unwrap();
    let durable = t.commit().unwrap();
    let (_, _, first) = updated(b"durable", b"1", LockMode::NoKeyUpdate);
    let (all, keys, second) = updated(b"durable", b"2", LockMode::NoKeyUpdate);
    assert!(all == first && keys <= durable);
    let (all, keys, third) = updated(b"durable", b"3", LockMode::Update);
    assert!(all == second && keys <= durable);
    let (all, keys, _) = updated(b"durable", b"4", LockMode::NoKeyUpdate);
    assert_eq!((all, keys), (third, third), "its predecessor changed the key");

    let mut t = read_committed(&db);
    t.insert(tree, b"new", b"0").unwrap();
    let inserted = t.commit_visible().unwrap().newest();
    let (all, keys, first) = updated(b"new", b"1", LockMode::NoKeyUpdate);
    assert_eq!((all, keys), (inserted, inserted));
    let (all, keys, _) = updated(b"new", b"2", LockMode::NoKeyUpdate);
    assert_eq!((all, keys), (first, inserted), "the row itself is not durable");

    db.wait_durable(first).unwrap();
    let (_, keys, _) = updated(b"new", b"3", LockMode::NoKeyUpdate);
    assert!(keys <= first);
}

/// A client that holds a transaction open and does nothing keeps log from being recycled as long as there is room, and no longer.
#[test]
fn an_idle_transaction_that_pins_log_on_a_full_disk_is_rolled_back_for_its_owner() {
    let (disk, db) = fresh(31);
    db.set_setting("max_wal_size", "128kB").unwrap();
    let tree = new_tree(&db);
    let put = |i: u32, v: &[u8]| {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, &i.to_be_bytes(), v).and_then(|()| t.commit()).map(drop)
    };
    put(1, b"old").unwrap();
    let mut idle = db.begin(TxnOptions::default());
    idle.put(tree, &1u32.to_be_bytes(), b"new").unwrap();
    idle.put(tree, &2u32.to_be_bytes(), &[2; 20_000]).unwrap();
    let made = idle.create_tree().unwrap();
    let mut cursor = idle.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
    let mut in_made = idle.cursor(made, KeyRange::all(), Direction::Forward).unwrap();
    let mut reader = db.begin(TxnOptions::default());
    assert_eq!(rows(&mut reader, tree).unwrap().len(), 1, "one that only reads pins no log");
    let churn = || {
        for i in 0..800 {
            put(100 + i % 10, &[i as u8; 1000])?;
            db.step_round().unwrap();
            while db.step_purge().unwrap() > 0 {}
        }
        Ok(())
    };
    churn().unwrap();
    assert!(disk.used_bytes() > 1 << 20, "far more than max_wal_size, and nobody minds");
    disk.set_capacity(disk.used_bytes() + (256 << 10));
    let refused: evenkeel::Result<()> = churn();
    assert!(matches!(refused, Err(Error::OutOfSpace { .. })), "{refused:?}");
    let pinned = disk.used_bytes();
    while db.step_purge().unwrap() > 0 {}
    db.step_round().unwrap();
    put(1, b"newer").expect("its row locks are gone");
    churn().expect("there is room again");
    assert!(!db.max_key(tree).unwrap().unwrap().is_empty());
    for _ in 0..8 {
        db.step_round().unwrap();
    }
    assert!(disk.used_bytes() + (400 << 10) < pinned, "log is released: {pinned} to {}", disk.used_bytes());
    assert!(matches!(idle.get(tree, &1u32.to_be_bytes()), Err(Error::LogPinnedTooLong)));
    assert!(matches!(cursor.next(&mut idle), Err(Error::LogPinnedTooLong)));
    assert!(matches!(in_made.next(&mut idle), Err(Error::LogPinnedTooLong)), "not that the tree is gone");
    assert!(matches!(idle.put(tree, b"k", b"v"), Err(Error::LogPinnedTooLong)));
    let sp = idle.savepoint();
    assert!(matches!(idle.rollback_to(sp), Err(Error::LogPinnedTooLong)));
    assert!(matches!(idle.commit(), Err(Error::LogPinnedTooLong)));
    assert!(matches!(committed(&db, made), Err(Error::NoSuchTree(_))));
    let found = committed(&db, tree).unwrap();
    assert_eq!((found.len(), &found[&1u32.to_be_bytes()[..]][..]), (11, &b"newer"[..]));
    drop(reader);
    assert_sound(&db, "after an abort from outside");
}
