//! What an application meets that knows other stores: it sees what it has changed, trees have names, a folder is free again once the database is closed.

mod common;

use common::*;
use evenkeel::io::{Disk, Fault, SimCallKind};
use evenkeel::{
    Database, Direction, Error, Interrupt, Isolation, KeyRange, LockMode, Options, Synchronous, TxnOptions,
    Write,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const BOTH: [Isolation; 2] = [Isolation::ReadCommitted, Isolation::RepeatableRead];

fn begin(db: &Database, isolation: Isolation) -> evenkeel::Transaction {
    db.begin(TxnOptions { isolation, ..TxnOptions::default() })
}

#[test]
fn a_transaction_sees_and_changes_what_it_has_written() {
    let (_disk, db) = fresh(1);
    let tree = new_tree(&db);
    for isolation in BOTH {
        let mut t = begin(&db, isolation);
        t.put(tree, b"k", b"1").unwrap();
        assert_eq!(t.get(tree, b"k").unwrap().unwrap(), b"1");
        assert_eq!(t.update(tree, b"k", b"2", LockMode::NoKeyUpdate).unwrap(), Write::Done);
        for _ in 0..5 {
            let n: u64 = String::from_utf8(t.get(tree, b"k").unwrap().unwrap()).unwrap().parse().unwrap();
            t.put(tree, b"k", (n + 1).to_string().as_bytes()).unwrap();
        }
        assert_eq!(t.get(tree, b"k").unwrap().unwrap(), b"7");
        t.insert(tree, b"l", b"x").unwrap();
        assert_eq!(t.delete(tree, b"l").unwrap(), Write::Done);
        assert_eq!(t.get(tree, b"l").unwrap(), None);
        assert!(t.remove(tree, b"k").unwrap());
        assert!(!t.remove(tree, b"k").unwrap());
        assert!(matches!(t.insert(tree, b"k", b"3"), Ok(())));
        t.commit().unwrap();
        let rows = committed(&db, tree).unwrap();
        assert_eq!(rows.into_iter().collect::<Vec<_>>(), [(b"k".to_vec(), b"3".to_vec())]);
        let mut t = begin(&db, isolation);
        assert!(t.remove(tree, b"k").unwrap());
        t.commit().unwrap();
    }
    assert_sound(&db, "after own changes");
}

/// Whoever changes what he reads meets each row once.
#[test]
fn a_cursor_does_not_meet_what_is_written_behind_its_beginning() {
    let (_disk, db) = fresh(2);
    let tree = new_tree(&db);
    let mut t = begin(&db, Isolation::ReadCommitted);
    for n in 0..100u32 {
        t.insert(tree, &n.to_be_bytes(), b"old").unwrap();
    }
    let mut rows = t.cursor(tree, KeyRange::starting_at(&5u32.to_be_bytes()), Direction::Forward).unwrap();
    let mut met = 0;
    while let Some((key, value)) = rows.next(&mut t).unwrap() {
        let (key, value) = (key.to_vec(), value.to_vec());
        assert_eq!(value, b"old");
        t.put(tree, &key, b"new").unwrap();
        t.insert(tree, &[&key[..], &[1]].concat(), b"more").unwrap();
        met += 1;
    }
    assert_eq!(met, 95);
}

#[test]
fn read_committed_sees_what_others_have_committed_since_the_last_call() {
    let (_disk, db) = fresh(3);
    let tree = new_tree(&db);
    let change = |value: &[u8]| {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, b"k", value).unwrap();
        t.commit().unwrap();
    };
    change(b"1");
    let [mut newest, mut first] = BOTH.map(|i| begin(&db, i));
    for t in [&mut newest, &mut first] {
        assert_eq!(t.get(tree, b"k").unwrap().unwrap(), b"1");
    }
    change(b"2");
    assert_eq!(newest.get(tree, b"k").unwrap().unwrap(), b"2");
    assert_eq!(newest.delete(tree, b"k").unwrap(), Write::Done);
    assert_eq!(first.get(tree, b"k").unwrap().unwrap(), b"1");
    drop(newest);
    // With statements of its own it sees one moment.
    let mut t = begin(&db, Isolation::ReadCommitted);
    t.begin_statement();
    assert_eq!(t.get(tree, b"k").unwrap().unwrap(), b"2");
    change(b"3");
    t.put(tree, b"own", b"1").unwrap();
    assert_eq!(t.get(tree, b"k").unwrap().unwrap(), b"2");
    assert_eq!(t.get(tree, b"own").unwrap(), None);
    t.begin_statement();
    assert_eq!(t.get(tree, b"k").unwrap().unwrap(), b"3");
    assert_eq!(t.get(tree, b"own").unwrap().unwrap(), b"1");
    let e = first.remove(tree, b"k").unwrap_err();
    assert!(matches!(e, Error::SerializationFailure) && e.is_retryable(), "{e}");
}

#[test]
fn a_cursor_with_own_changes_is_not_anothers() {
    let (_disk, db) = fresh(4);
    let tree = new_tree(&db);
    let (mut a, mut b) = (begin(&db, Isolation::ReadCommitted), begin(&db, Isolation::ReadCommitted));
    a.put(tree, b"secret", b"1").unwrap();
    let mut rows = a.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
    assert!(matches!(rows.next(&mut b), Err(Error::InvalidArgument(_))));
    assert!(rows.next(&mut a).unwrap().is_some());
    a.commit().unwrap();
    assert!(matches!(rows.next(&mut b), Err(Error::InvalidArgument(_))));
}

#[test]
fn trees_are_found_by_their_names() {
    let (disk, db) = fresh(5);
    let mut t = begin(&db, Isolation::ReadCommitted);
    let a = t.open_tree("accounts").unwrap();
    // As long as a tree's number, and nothing at all.
    let (b, c) = (t.open_tree("seven__").unwrap(), t.open_tree("").unwrap());
    assert_eq!(t.open_tree("accounts").unwrap(), a);
    t.put(a, b"k", b"v").unwrap();
    t.commit().unwrap();
    let mut gone = begin(&db, Isolation::ReadCommitted);
    gone.open_tree("rolled back").unwrap();
    drop(gone);
    let named = |names: &[(&str, evenkeel::TreeId)]| -> Vec<(String, evenkeel::TreeId)> {
        names.iter().map(|(n, t)| ((*n).to_owned(), *t)).collect()
    };
    for db in [db, open(&disk.crash_copy(5), 5).unwrap()] {
        // Also for who looks from an earlier moment.
        let mut early = begin(&db, Isolation::RepeatableRead);
        early.get(a, b"k").unwrap();
        let mut t = begin(&db, Isolation::ReadCommitted);
        assert_eq!(t.tree_names().unwrap(), named(&[("", c), ("accounts", a), ("seven__", b)]));
        let e = t.open_tree("rolled back").unwrap();
        t.commit().unwrap();
        assert_eq!(early.open_tree("rolled back").unwrap(), e);
        drop(early);
        let mut t = begin(&db, Isolation::RepeatableRead);
        assert_eq!(t.get(a, b"k").unwrap().unwrap(), b"v");
        t.drop_tree(a).unwrap();
        assert_eq!(t.tree_names().unwrap(), named(&[("", c), ("rolled back", e), ("seven__", b)]));
        let again = t.open_tree("accounts").unwrap();
        assert_ne!(again, a);
        t.put(again, b"k", b"new").unwrap();
        t.commit().unwrap();
        assert_eq!(committed(&db, again).unwrap()[&b"k"[..]], b"new");
        assert_sound(&db, "trees with names");
    }
}

#[test]
fn who_opens_a_tree_by_its_name_at_the_same_time_gets_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let db = Database::open(dir.path().join("db"), Options::default().with("fsync", "off").unwrap()).unwrap();
    for round in 0..20 {
        let name = format!("tree {round}");
        let opened: Vec<_> = std::thread::scope(|s| {
            let one = |n: usize| {
                let (db, name) = (&db, &name);
                s.spawn(move || {
                    let mut t = begin(db, BOTH[n % 2]);
                    let tree = t.open_tree(name).unwrap();
                    t.put(tree, &[n as u8], b"").unwrap();
                    t.commit().unwrap();
                    tree
                })
            };
            (0..4).map(one).collect::<Vec<_>>().into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(opened.iter().all(|t| *t == opened[0]), "{opened:?}");
        assert_eq!(committed(&db, opened[0]).unwrap().len(), 4);
    }
    db.close().unwrap();
}

#[test]
fn only_an_own_tree_is_filled_from_below() {
    let (_disk, db) = fresh(6);
    let tree = new_tree(&db);
    let mut next = |_: &mut Vec<u8>, _: &mut Vec<u8>| Ok(false);
    let mut t = begin(&db, Isolation::ReadCommitted);
    assert!(matches!(t.fill(tree, &mut next), Err(Error::InvalidArgument(_))));
    let own = t.create_tree().unwrap();
    t.fill(own, &mut next).unwrap();
    let mut other = begin(&db, Isolation::ReadCommitted);
    assert!(matches!(other.fill(own, &mut next), Err(Error::InvalidArgument(_))));
    t.commit().unwrap();
}

#[test]
fn the_folder_is_free_once_it_is_closed_and_the_last_transaction_has_ended() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("db");
    let open = || Database::open(&folder, Options::default());
    let db = open().unwrap();
    let reader = db.begin(TxnOptions::default());
    db.close().unwrap();
    assert!(matches!(open(), Err(Error::AlreadyOpen(_))));
    drop(reader);
    let again = open().unwrap();
    assert!(matches!(open(), Err(Error::AlreadyOpen(_))));
    again.close().unwrap();
    db.close().unwrap();
}

/// What it stopped for is told each time, and another may be opened.
#[test]
fn the_folder_of_an_engine_that_has_stopped_is_free_once_it_is_closed() {
    let (disk, db) = fresh(7);
    let tree = new_tree(&db);
    disk.set_fault(Some(Box::new(|call| match call.kind {
        SimCallKind::Write | SimCallKind::Sync => Fault::Eio,
        _ => Fault::None,
    })));
    let mut t = begin(&db, Isolation::ReadCommitted);
    t.put(tree, b"k", b"v").unwrap();
    assert!(t.commit().is_err());
    for _ in 0..2 {
        assert!(matches!(db.close(), Err(Error::Poisoned(_))));
    }
    disk.set_fault(None);
    assert!(common::open(&disk, 7).is_ok());
    drop(db);
}

/// Whatever was asked for: the size of log files is fixed from the creation on, the number of partitions until a clean stop.
#[test]
fn settings_that_are_fixed_show_what_is() {
    let disk = disk(9);
    let open = |segment: &str, partitions: &str| {
        let options = Options::default().without_threads().with("shared_buffers", "16MB").unwrap();
        let options = options.with("wal_segment_size", segment).unwrap();
        Database::open_on(Arc::new(disk.clone()), options.with("checkpoint_partitions", partitions).unwrap())
            .unwrap()
    };
    let shown = |db: &Database, name: &str| {
        db.settings().into_iter().find(|s| s.name == name).map(|s| s.value).unwrap()
    };
    let db = open("1MB", "4");
    new_tree(&db);
    db.abandon();
    let db = open("2MB", "8");
    assert_eq!(
        (shown(&db, "wal_segment_size"), shown(&db, "checkpoint_partitions")),
        ("1MB".into(), "4".into())
    );
    db.close().unwrap();
    let db = open("2MB", "8");
    assert_eq!(
        (shown(&db, "wal_segment_size"), shown(&db, "checkpoint_partitions")),
        ("1MB".into(), "8".into())
    );
    db.close().unwrap();
}

/// A mistake of the caller's is told, and changes nothing. (Rows of another database would be looked at in a snapshot of this one, whose transactions it does not know.)
#[test]
fn a_cursor_is_its_databases() {
    let (_disk, db) = fresh(1);
    let (_other_disk, other) = fresh(2);
    let tree = new_tree(&db);
    assert_eq!(new_tree(&other), tree);
    for (db, n) in [(&db, 1), (&other, 700)] {
        for value in 0..n {
            let mut t = begin(db, Isolation::ReadCommitted);
            t.put(tree, b"k", &[value as u8]).unwrap();
            t.commit().unwrap();
        }
    }
    let mut t = begin(&db, Isolation::ReadCommitted);
    let mut rows = t.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
    let mut others = begin(&other, Isolation::ReadCommitted);
    assert!(matches!(rows.next(&mut others), Err(Error::InvalidArgument(_))));
    assert_eq!(rows.next(&mut t).unwrap(), Some((&b"k"[..], &[0][..])));
}

/// So is one of a place that is gone, or another's.
#[test]
fn a_savepoint_is_of_its_transaction_and_goes_with_what_stood_before_it() {
    let (_disk, db) = fresh(1);
    let tree = new_tree(&db);
    let keys = |t: &mut evenkeel::Transaction| {
        let mut rows = t.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
        let mut keys = String::new();
        while let Some((key, _)) = rows.next(t).unwrap() {
            keys.push(key[0] as char);
        }
        keys
    };
    let mut t = begin(&db, Isolation::ReadCommitted);
    let mut places = vec![t.savepoint()];
    for key in [b"a", b"b", b"c", b"d"] {
        t.put(tree, key, b"").unwrap();
        places.push(t.savepoint());
    }
    let mut other = begin(&db, Isolation::ReadCommitted);
    other.put(tree, b"z", b"").unwrap();
    let others = other.savepoint();
    let is_gone = |done: Result<(), Error>| matches!(done, Err(Error::InvalidArgument(_)));
    assert!(is_gone(t.rollback_to(others)) && is_gone(other.rollback_to(places[1])));
    assert_eq!(keys(&mut t), "abcd");
    t.rollback_to(places[3]).unwrap();
    t.rollback_to(places[3]).unwrap();
    assert_eq!(keys(&mut t), "abc");
    assert!(is_gone(t.rollback_to(places[4])));
    for key in [b"e", b"f"] {
        t.put(tree, key, b"").unwrap();
    }
    // As many changes stand there as did, and they are others.
    assert!(is_gone(t.rollback_to(places[4])));
    assert_eq!(t.changes_since(places[4]), 0);
    let behind = t.savepoint();
    t.put(tree, b"g", b"").unwrap();
    t.rollback_to(behind).unwrap();
    assert_eq!(keys(&mut t), "abcef");
    t.rollback_to(places[1]).unwrap();
    assert!(places[2..].iter().chain([&behind]).all(|gone| is_gone(t.rollback_to(*gone))));
    t.rollback_to(places[0]).unwrap();
    assert_eq!(keys(&mut t), "");
    t.rollback().unwrap();
    assert_eq!(keys(&mut other), "z");
}

/// A standby is asked that never comes: until the wait is canceled nothing is told, and then nothing has happened.
#[test]
fn what_is_canceled_while_it_waits_to_be_told_has_not_happened() {
    let (_disk, db) = fresh(8);
    let tree = new_tree(&db);
    let mut t = begin(&db, Isolation::ReadCommitted);
    for k in [b"a", b"b", b"c"] {
        t.put(tree, k, b"0").unwrap();
    }
    t.commit().unwrap();
    db.set_synchronous(Synchronous::parse("nobody").unwrap());
    let mut t = begin(&db, Isolation::ReadCommitted);
    t.put(tree, b"b", b"1").unwrap();
    t.commit_visible().unwrap();

    let interrupt = Interrupt::new();
    let mut t = begin(&db, Isolation::ReadCommitted);
    t.set_interrupt(Some(interrupt.clone()));
    t.put(tree, b"own", b"kept").unwrap();
    let mut rows = t.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
    assert_eq!(rows.next(&mut t).unwrap().unwrap().0, b"a");
    // In the midst of a wait: before it, it is looked whether anything is to be waited for.
    let cancel = || {
        let interrupt = interrupt.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            interrupt.cancel();
        })
    };
    for call in 0..4 {
        let canceling = cancel();
        let done = match call {
            0 => rows.next(&mut t).map(|_| ()),
            1 => t.put(tree, b"b", b"2"),
            2 => t.delete(tree, b"b").map(|_| ()),
            _ => t.remove(tree, b"b").map(|_| ()),
        };
        assert!(matches!(done, Err(Error::Canceled)), "{call}: {done:?}");
        canceling.join().unwrap();
        interrupt.clear();
    }
    db.set_synchronous(None);
    let (key, value) = rows.next(&mut t).unwrap().unwrap();
    assert_eq!((key, value), (&b"b"[..], &b"1"[..]));
    assert_eq!(rows.next(&mut t).unwrap().unwrap().0, b"c");
    assert_eq!(rows.next(&mut t).unwrap().unwrap().0, b"own");
    assert_eq!(rows.next(&mut t).unwrap(), None);
    t.commit().unwrap();
    let expected = [("a", "0"), ("b", "1"), ("c", "0"), ("own", "kept")];
    let expected = expected.map(|(k, v)| (k.as_bytes().to_vec(), v.as_bytes().to_vec()));
    assert_eq!(committed(&db, tree).unwrap().into_iter().collect::<Vec<_>>(), expected);
    assert_sound(&db, "after canceled waits");
}

/// As of a struct that has the database before the transaction.
#[test]
fn whoever_drops_the_database_before_a_transaction_waits_for_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let open = || Database::open(dir.path(), Options::default()).unwrap();
    let db = open();
    let mut t = begin(&db, Isolation::ReadCommitted);
    let tree = t.open_tree("t").unwrap();
    t.put(tree, b"k", b"v").unwrap();
    let began = Instant::now();
    drop(db);
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    drop(t);
    let db = open();
    assert!(begin(&db, Isolation::ReadCommitted).tree_names().unwrap().is_empty());
}

/// A sync of the log and one of the folder for each of them would take a disk that seeks minutes.
#[test]
fn files_of_many_trees_whose_creation_is_rolled_back_go_together() {
    const TREES: usize = 300;
    for to_savepoint in [false, true] {
        let (disk, db) = fresh(11);
        let files = || disk.list("data").unwrap().len();
        let before = files();
        let mut t = begin(&db, Isolation::ReadCommitted);
        let sp = t.savepoint();
        for _ in 0..TREES {
            let tree = t.create_tree().unwrap();
            (0..8u8).for_each(|k| t.put(tree, &[k], &[k; 2000]).unwrap());
        }
        assert_eq!(files() - before, TREES);
        let syncs = Arc::new(AtomicUsize::new(0));
        let counts = syncs.clone();
        disk.set_hook(Some(Box::new(move |call, _| {
            // The small pool has files synced as well.
            _ = (call.kind == SimCallKind::SyncDir).then(|| counts.fetch_add(1, Ordering::Relaxed));
        })));
        let left = match to_savepoint {
            true => t.rollback_to(sp).map(|()| Some(t)).unwrap(),
            false => t.rollback().map(|_| None).unwrap(),
        };
        disk.set_hook(None);
        assert_eq!(files(), before, "all have gone when the rollback ends");
        let syncs = syncs.load(Ordering::Relaxed);
        // Those of names of files whose pages the small pool writes meanwhile are among them.
        assert!(syncs < TREES / 4, "{syncs}");
        drop(left);
        assert_sound(&db, "after the rollback");
        db.close().unwrap();
        assert_sound(&common::open(&disk, 11).unwrap(), "after a start");
    }
}

/// A file that cannot be removed keeps no rollback, and goes later; also by the next start.
#[test]
fn a_file_that_cannot_be_removed_keeps_no_rollback() {
    for starts in [false, true] {
        let (disk, mut db) = fresh(12);
        let before = disk.list("data").unwrap().len();
        let mut t = begin(&db, Isolation::ReadCommitted);
        for _ in 0..20 {
            let tree = t.create_tree().unwrap();
            (0..8u8).for_each(|k| t.put(tree, &[k], &[k; 2000]).unwrap());
        }
        disk.set_fault(Some(Box::new(|call| match call.kind {
            SimCallKind::Remove => Fault::Eio,
            _ => Fault::None,
        })));
        t.rollback().unwrap();
        assert!(db.step_purge().is_err(), "it is told");
        disk.set_fault(None);
        assert_eq!(disk.list("data").unwrap().len(), before + 20);
        if starts {
            db.abandon();
            db = common::open(&disk, 12).unwrap();
        } else {
            while db.step_purge().unwrap() > 0 {}
        }
        assert_eq!(disk.list("data").unwrap().len(), before, "{starts}");
        assert_sound(&db, "after the rollback");
        db.close().unwrap();
    }
}

#[test]
fn files_of_many_dropped_trees_go_together() {
    const TREES: usize = 100;
    let (disk, db) = fresh(10);
    let trees: Vec<_> = (0..TREES).map(|_| new_tree(&db)).collect();
    let mut t = begin(&db, Isolation::ReadCommitted);
    for tree in &trees {
        (0..8u8).for_each(|k| t.put(*tree, &[k], &[k; 2000]).unwrap());
    }
    t.commit().unwrap();
    let files = || disk.list("data").unwrap().len();
    let before = files();
    for tree in trees {
        let mut t = begin(&db, Isolation::ReadCommitted);
        t.drop_tree(tree).unwrap();
        t.commit().unwrap();
    }
    let syncs = Arc::new(AtomicUsize::new(0));
    let counts = syncs.clone();
    disk.set_hook(Some(Box::new(move |call, _| {
        let is_sync = matches!(call.kind, SimCallKind::Sync | SimCallKind::SyncDir);
        _ = is_sync.then(|| counts.fetch_add(1, Ordering::Relaxed));
    })));
    while db.step_purge().unwrap() > 0 {}
    disk.set_hook(None);
    assert_eq!(before - files(), TREES);
    let syncs = syncs.load(Ordering::Relaxed);
    assert!(syncs < TREES / 2, "{syncs}");
    assert_sound(&db, "after the drops");
    db.close().unwrap();
    assert_sound(&common::open(&disk, 10).unwrap(), "after a start");
}

/// What is acknowledged is there, whatever becomes of the tree meanwhile.
#[test]
fn a_tree_that_others_make_or_drop_takes_nothing_that_goes_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let db = Database::open(dir.path(), Options::default()).unwrap();
    let keep_short = |t: &mut evenkeel::Transaction| t.set_lock_timeout(Some(Duration::from_millis(50)));
    for isolation in BOTH {
        let tree = new_tree(&db);
        let (mut a, mut b) = (begin(&db, isolation), begin(&db, isolation));
        keep_short(&mut b);
        a.put(tree, b"k", b"v").unwrap();
        assert!(matches!(b.drop_tree(tree), Err(Error::LockNotAvailable)));
        a.commit().unwrap();
        b.drop_tree(tree).unwrap();
        let mut c = begin(&db, isolation);
        keep_short(&mut c);
        assert!(matches!(c.put(tree, b"l", b"v"), Err(Error::LockNotAvailable)));
        assert!(matches!(c.remove(tree, b"k"), Err(Error::LockNotAvailable)));
        b.commit().unwrap();
        let refused = c.put(tree, b"l", b"v");
        match isolation {
            Isolation::ReadCommitted => assert!(matches!(refused, Err(Error::NoSuchTree(_))), "{refused:?}"),
            _ => assert!(refused.is_err_and(|e| e.is_retryable() || matches!(e, Error::NoSuchTree(_)))),
        }

        // One that is only being made is not there yet; its maker is not held up, nor by going back to a savepoint.
        let mut a = begin(&db, isolation);
        let tree = a.create_tree().unwrap();
        a.put(tree, b"k", b"v").unwrap();
        let before = a.savepoint();
        a.put(tree, b"l", b"v").unwrap();
        a.rollback_to(before).unwrap();
        a.put(tree, b"m", b"v").unwrap();
        let mut b = begin(&db, isolation);
        keep_short(&mut b);
        assert!(matches!(b.put(tree, b"n", b"v"), Err(Error::NoSuchTree(_))));
        a.rollback().unwrap();
        assert!(matches!(b.put(tree, b"n", b"v"), Err(Error::NoSuchTree(_))));
    }
    db.close().unwrap();
}
