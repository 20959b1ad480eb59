//! The crashes that are easy to get wrong, one test each. The enumeration meets them too, by chance; here they happen for certain.

mod common;

use common::*;
use evenkeel::io::{CrashPolicy, SimCallKind, SimDisk};
use evenkeel::{Database, Direction, Durability, KeyRange, TreeId, TxnOptions, Write};
use std::sync::{Arc, Mutex};

fn put(db: &Database, tree: TreeId, i: u32, value: &[u8]) {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &i.to_be_bytes(), value).unwrap();
    t.commit().unwrap();
}

fn asynchronous(db: &Database, tree: TreeId, i: u32, value: &[u8]) {
    let mut t = db.begin(TxnOptions { durability: Durability::Async, ..TxnOptions::default() });
    t.put(tree, &i.to_be_bytes(), value).unwrap();
    t.commit().unwrap();
}

/// Every crash state that the given calls offer, with everything unsynced lost, kept, and mixed.
fn crashes_during(
    disk: &SimDisk,
    matching: fn(&str, SimCallKind) -> bool,
    work: impl FnOnce(),
) -> Vec<(String, SimDisk)> {
    let found: Arc<Mutex<Vec<(String, SimDisk)>>> = Arc::default();
    let sink = found.clone();
    disk.set_hook(Some(Box::new(move |call, disk| {
        if matching(&call.path, call.kind) {
            let mut sink = sink.lock().unwrap();
            for (policy, times) in
                [(CrashPolicy::LoseUnsynced, 1), (CrashPolicy::KeepAll, 1), (CrashPolicy::Mixed, 6)]
            {
                for k in 0..times {
                    let what = format!("call {} {:?} {} {policy:?} {k}", call.index, call.kind, call.path);
                    sink.push((what, disk.crash_copy_with(policy, call.index * 10 + k)));
                }
            }
        }
    })));
    work();
    disk.set_hook(None);
    let result = std::mem::take(&mut *found.lock().unwrap());
    assert!(!result.is_empty(), "the scenario offers crash points");
    result
}

/// A gang of several segments: the write of the first part is lost, that of the second survives. The next life begins over the remains, and its
/// own crash must not bring the stale part back.
#[test]
fn a_lost_gang_followed_by_a_persisted_one_and_a_second_life_over_it() {
    let (disk, db) = fresh(21);
    let tree = new_tree(&db);
    put(&db, tree, 0, b"durable");
    let crashes = crashes_during(
        &disk,
        |path, kind| kind == SimCallKind::Write && path.starts_with("wal/"),
        || {
            for i in 1..160 {
                asynchronous(&db, tree, i, &[i as u8; 900]);
            }
            db.step_log_writer().unwrap(); // one gang over three segments
        },
    );
    for (what, crashed) in crashes {
        let second = open(&crashed, 22).unwrap_or_else(|e| panic!("{what}: {e}"));
        let seen = committed(&second, tree).unwrap();
        assert_eq!(seen.get(&0u32.to_be_bytes()[..]).map(Vec::as_slice), Some(&b"durable"[..]), "{what}");
        // A prefix: no hole, whatever survived behind the tear.
        let n = seen.len() as u32;
        assert!(
            (0..n).all(|i| seen.contains_key(&i.to_be_bytes()[..])),
            "{what}: commits survived behind a lost one"
        );
        put(&second, tree, 1000, b"second life");
        second.abandon();
        let third = open(&crashed.crash_copy_with(CrashPolicy::KeepAll, 1), 23)
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        let mut expected = seen;
        expected.insert(1000u32.to_be_bytes().to_vec(), b"second life".to_vec());
        assert_eq!(
            committed(&third, tree).unwrap(),
            expected,
            "{what}: a record of the first life came back"
        );
        assert_sound(&third, &what);
        third.abandon();
    }
}

/// A split touches three pages; with one extent a partition they lie in different ones, each with its own redo point.
#[test]
fn a_split_across_partitions() {
    let disk = disk(31);
    let options =
        || small(31).with("checkpoint_partitions", "64").unwrap().with("shared_buffers", "16MB").unwrap();
    let db = Database::open_on(Arc::new(disk.clone()), options()).unwrap();
    let tree = new_tree(&db);
    // Far enough that new pages come from other extents than the root's.
    for i in 0..900 {
        put(&db, tree, i * 10, &[1; 1500]);
    }
    assert!(db.tree_size_bytes(tree).unwrap() > 1 << 20, "several extents");
    let crashes = crashes_during(
        &disk,
        |_, kind| matches!(kind, SimCallKind::Write | SimCallKind::Sync),
        || {
            for i in 0..25 {
                put(&db, tree, i * 300 + 1, &[2; 1800]);
                db.step_round().unwrap(); // partitions advance one by one between the splits
            }
        },
    );
    for (what, crashed) in crashes.into_iter().step_by(7) {
        let db = Database::open_on(Arc::new(crashed), options()).unwrap_or_else(|e| panic!("{what}: {e}"));
        let seen = committed(&db, tree).unwrap();
        assert!((0..900u32).all(|i| seen.contains_key(&(i * 10).to_be_bytes()[..])), "{what}");
        assert_sound(&db, &what);
        db.abandon();
    }
}

/// Blocks are cut off, the file grows again, and the same block numbers come back with other contents.
#[test]
fn truncate_then_extend() {
    let (disk, db) = fresh(41);
    let (tree, other) = (new_tree(&db), new_tree(&db));
    let fill = |tag: u8| {
        let mut t = db.begin(TxnOptions::default());
        for i in 0..400u32 {
            t.put(tree, &i.to_be_bytes(), &[tag; 400]).unwrap();
        }
        t.commit().unwrap();
    };
    let empty = || {
        let mut t = db.begin(TxnOptions::default());
        for i in 0..400u32 {
            assert_eq!(t.delete(tree, &i.to_be_bytes()).unwrap(), Write::Done);
        }
        t.commit().unwrap();
        while db.step_purge().unwrap() > 0 {}
    };
    fill(1);
    db.step_round().unwrap();
    let mut cut = 0;
    let crashes = crashes_during(
        &disk,
        |_, _| true,
        || {
            empty();
            cut = db.vacuum(tree).unwrap().blocks_cut;
            db.step_round().unwrap(); // some redo points pass the cut, others do not
            fill(2);
            put(&db, other, 1, b"x");
            db.step_round().unwrap();
        },
    );
    assert!(cut > 0);
    for (what, crashed) in crashes.into_iter().step_by(5) {
        let db = open(&crashed, 42).unwrap_or_else(|e| panic!("{what}: {e}"));
        let seen = committed(&db, tree).unwrap();
        let whole = |tag: u8| seen.len() == 400 && seen.values().all(|v| v[..] == [tag; 400]);
        assert!(seen.is_empty() || whole(1) || whole(2), "{what}: {} rows", seen.len());
        assert_sound(&db, &what);
        db.abandon();
    }
}

/// Rounds of partitions with nothing to do advance the redo vector, so that old log can go; a crash right after finds all it needs.
#[test]
fn a_clean_partition_advanced_for_free() {
    let (disk, db) = fresh(51);
    let tree = new_tree(&db);
    put(&db, tree, 1, b"one");
    db.checkpoint().unwrap();
    let writes = db.stats().buffers_checkpoint;
    let crashes = crashes_during(
        &disk,
        |_, _| true,
        || {
            for _ in 0..12 {
                db.step_round().unwrap();
            }
        },
    );
    assert_eq!(db.stats().buffers_checkpoint, writes, "a clean round writes no page");
    for (what, crashed) in crashes {
        let db = open(&crashed, 52).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(committed(&db, tree).unwrap().len(), 1, "{what}");
        assert_sound(&db, &what);
        db.abandon();
    }
}

/// The cleaner has copied a page and not yet written it while a round of the page's partition lists dirty pages: the round must wait for that
/// write before its redo point passes the page's records.
#[test]
fn a_page_in_write_back_while_its_round_scans() {
    let (disk, db) = fresh(61);
    let (tree, db) = (new_tree(&db), Arc::new(db));
    for i in 0..40 {
        put(&db, tree, i, &[3; 200]);
    }
    let (reached, go) = (Arc::new(std::sync::Barrier::new(2)), Arc::new(std::sync::Barrier::new(2)));
    // The first page write stops in the disk, before it has any effect.
    let mut stopped = false;
    let (r, g) = (reached.clone(), go.clone());
    disk.set_fault(Some(Box::new(move |call| {
        if call.kind == SimCallKind::Write && call.path.starts_with("data/") && !stopped {
            stopped = true;
            r.wait();
            g.wait();
        }
        evenkeel::io::Fault::None
    })));
    let cleaner = {
        let db = db.clone();
        std::thread::spawn(move || db.step_round().unwrap())
    };
    reached.wait();
    // Another round cannot overtake: rounds are one at a time, and each waits for write-backs in flight.
    let second = {
        let db = db.clone();
        std::thread::spawn(move || db.checkpoint().unwrap())
    };
    let before = disk.crash_copy(1);
    go.wait();
    cleaner.join().unwrap();
    second.join().unwrap();
    disk.set_fault(None);
    for (what, crashed) in [("before the write", before), ("after both rounds", disk.crash_copy(2))] {
        let db = open(&crashed, 62).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(committed(&db, tree).unwrap().len(), 40, "{what}");
        assert_sound(&db, what);
        db.abandon();
    }
}

/// What a reader was told survives: between a writer's lock release and its flush nothing may be told.
#[test]
fn nothing_is_told_before_it_is_durable() {
    let (disk, db) = fresh(71);
    let tree = new_tree(&db);
    put(&db, tree, 1, b"old");
    let mut writer = db.begin(TxnOptions::default());
    writer.put(tree, &1u32.to_be_bytes(), b"new").unwrap();
    writer.insert(tree, &2u32.to_be_bytes(), b"made").unwrap();
    let visible = writer.commit_visible().unwrap(); // visible to all, locks released, not flushed
    let lost = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
    let mut reader = db.begin(TxnOptions::default());
    reader.defer_durability();
    assert_eq!(reader.get(tree, &1u32.to_be_bytes()).unwrap().unwrap(), b"new");
    assert!(reader.observed_lsn() >= visible, "the reader knows what its answer rests on");
    let mut other = db.begin(TxnOptions::default());
    other.defer_durability();
    assert!(other.insert(tree, &2u32.to_be_bytes(), b"again").is_err());
    assert!(other.observed_lsn() >= visible, "so does an error");
    drop(other);
    let crashed = open(&lost, 72).unwrap();
    assert_eq!(
        committed(&crashed, tree).unwrap()[&1u32.to_be_bytes()[..]],
        b"old",
        "it could indeed have been lost"
    );
    crashed.abandon();
    // A plain read waits by itself.
    let mut plain = db.begin(TxnOptions::default());
    let mut cursor = plain.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
    assert_eq!(cursor.next(&mut plain).unwrap().unwrap().1, b"new");
    let kept = open(&disk.crash_copy_with(CrashPolicy::LoseUnsynced, 2), 73).unwrap();
    assert_eq!(committed(&kept, tree).unwrap()[&1u32.to_be_bytes()[..]], b"new");
    kept.abandon();
}
