//! The crashes that are easy to get wrong, one test each. The enumeration meets them too, by chance; here they happen for certain.

mod common;

use common::*;
use evenkeel::io::{CrashPolicy, SimCallKind, SimDisk};
use evenkeel::{Database, Direction, Durability, KeyRange, TreeId, TxnOptions, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};

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

/// Rounds of partitions with nothing to do advance the redo vector without a call to the disk; the next round that has something to do makes it
/// known, and a crash finds all it needs before and after.
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
            let calls = disk.calls();
            for _ in 0..12 {
                db.step_round().unwrap();
            }
            assert_eq!(disk.calls(), calls, "a clean round touches no file");
            assert_eq!(db.stats().buffers_checkpoint, writes, "nor writes a page");
            put(&db, tree, 2, b"two");
            for _ in 0..12 {
                db.step_round().unwrap();
            }
        },
    );
    assert!(db.stats().buffers_checkpoint > writes);
    for (what, crashed) in crashes {
        let db = open(&crashed, 52).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!((1..=2).contains(&committed(&db, tree).unwrap().len()), "{what}");
        assert_sound(&db, &what);
        db.abandon();
    }
}

/// Writes a tree larger than the pool, and reads it, so that the pool's hands pass every frame and nothing else looks used.
fn push_through_the_pool(db: &Database, tree: TreeId) {
    let mut t = db.begin(TxnOptions::default());
    let mut cursor = t.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
    while cursor.next(&mut t).unwrap().is_some() {}
}

fn larger_than_the_pool(db: &Database) -> TreeId {
    let tree = new_tree(db);
    let mut t = db.begin(TxnOptions::default());
    for i in 0..900u32 {
        t.put(tree, &i.to_be_bytes(), &[0; 1500]).unwrap();
    }
    t.commit().unwrap();
    tree
}

/// The cleaner has copied a page and not yet written it while a round of the page's partition lists dirty pages: the round must wait for that
/// write, and sync it, before its redo point passes the page's records.
#[test]
fn a_page_in_write_back_while_its_round_scans() {
    let disk = disk(61);
    let options = || small(61).with("checkpoint_partitions", "1").unwrap();
    let db = Database::open_on(Arc::new(disk.clone()), options()).unwrap();
    let (tree, big) = (new_tree(&db), larger_than_the_pool(&db));
    for i in 0..10 {
        put(&db, tree, i, b"old");
    }
    push_through_the_pool(&db, big);
    db.checkpoint().unwrap();
    put(&db, tree, 5, b"new"); // one page is dirty
    for _ in 0..2 {
        push_through_the_pool(&db, big);
    }
    // The cleaner's write of it stops before it has any effect; all other calls go on.
    let (reached, go) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (r, g, first, page) = (reached.clone(), go.clone(), AtomicBool::new(true), "data/1"); // the root, all there is of the tree
    disk.set_gate(Some(Arc::new(move |call| {
        if call.kind == SimCallKind::Write && &*call.path == page && first.swap(false, Ordering::SeqCst) {
            r.wait();
            g.wait();
        }
    })));
    let before = db.stats();
    let (early, late) = std::thread::scope(|s| {
        let cleaner = s.spawn(|| db.step_clean().unwrap());
        reached.wait();
        let round = s.spawn(|| db.step_round().unwrap());
        // Until the round waits for the cleaner, or has, wrongly, ended.
        let waits = || db.stats().checkpoint_write_back_waits > before.checkpoint_write_back_waits;
        while !waits() && db.stats().checkpoint_rounds == before.checkpoint_rounds {
            std::thread::yield_now();
        }
        let early = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
        let published = db.stats().checkpoint_rounds > before.checkpoint_rounds;
        go.wait();
        assert!(cleaner.join().unwrap() > 0);
        round.join().unwrap();
        (early, published)
    });
    disk.set_gate(None);
    assert_eq!(db.stats().checkpoint_rounds, before.checkpoint_rounds + 1);
    let after = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 2);
    for (what, crashed) in [("before the cleaner's write", early), ("after the round", after)] {
        let db = Database::open_on(Arc::new(crashed), options()).unwrap_or_else(|e| panic!("{what}: {e}"));
        let rows = committed(&db, tree).unwrap();
        assert_eq!(rows[&5u32.to_be_bytes()[..]], b"new", "{what}: an acknowledged commit is lost");
        assert_eq!(rows.len(), 10, "{what}");
        assert_sound(&db, what);
        db.abandon();
    }
    assert!(!late, "the round published its redo point before the cleaner's write had happened");
}

/// A process is killed while a log write is in flight: its bytes are in a cache, durable nowhere. The next life reads the commit in them, and
/// must harden it before it builds on it: a power cut at any later moment leaves a state in which that commit happened or did not, and it did
/// once anything after it was acknowledged.
#[test]
fn recovery_hardens_the_log_that_a_killed_process_left_in_a_cache() {
    let (disk, db) = fresh(81);
    let tree = new_tree(&db);
    put(&db, tree, 0, b"old");
    db.checkpoint().unwrap();
    let killed: Arc<Mutex<Option<SimDisk>>> = Arc::default();
    let sink = killed.clone();
    disk.set_hook(Some(Box::new(move |call, disk| {
        // Arrived, but not durable yet.
        if call.kind == SimCallKind::Write && call.path.starts_with("wal/") {
            sink.lock().unwrap().get_or_insert_with(|| disk.kill_copy());
        }
    })));
    put(&db, tree, 1, b"in flight");
    disk.set_hook(None);
    db.abandon();
    let killed = killed.lock().unwrap().take().expect("a commit writes the log");
    assert!(killed.dirty_sectors() > 0);
    let lost = open(&killed.crash_copy_with(CrashPolicy::LoseUnsynced, 1), 82).unwrap();
    assert_eq!(committed(&lost, tree).unwrap().len(), 1, "it could indeed be lost");
    lost.abandon();

    let mut second = None;
    let mut crashes = crashes_during(
        &killed,
        |_, _| true,
        || {
            let db = open(&killed, 83).unwrap();
            assert_eq!(committed(&db, tree).unwrap().len(), 2, "recovery reads it from the cache");
            second = Some(db);
        },
    );
    let second = second.expect("it opened");
    put(&second, tree, 2, b"second life");
    for k in 0..8 {
        let policy = if k == 0 { CrashPolicy::LoseUnsynced } else { CrashPolicy::Mixed };
        crashes.push(("acknowledged".into(), killed.crash_copy_with(policy, k)));
    }
    second.abandon();
    for (what, crashed) in crashes {
        let db = open(&crashed, 84).unwrap_or_else(|e| panic!("{what}: {e}"));
        let rows = committed(&db, tree).unwrap_or_else(|e| panic!("{what}: {e}"));
        if what == "acknowledged" {
            assert_eq!(rows.len(), 3, "{what}");
        } else {
            assert!((1..=2).contains(&rows.len()), "{what}: {} rows", rows.len());
        }
        // Nothing of a commit that did not happen may come back later, either.
        put(&db, tree, 3, b"third life");
        assert_eq!(committed(&db, tree).unwrap().len(), rows.len() + 1, "{what}");
        assert_sound(&db, &what);
        db.abandon();
    }
}

/// A page was written home and not synced when the process was killed. The next life finds it up to date and has nothing to redo or to write: it
/// must sync it all the same before the log behind it may go.
#[test]
fn recovery_hardens_the_pages_that_a_killed_process_left_in_a_cache() {
    let disk = disk(85);
    let options = || small(85).with("full_page_writes", "off").unwrap();
    let db = Database::open_on(Arc::new(disk.clone()), options()).unwrap();
    let (tree, other, big) = (new_tree(&db), new_tree(&db), larger_than_the_pool(&db));
    put(&db, tree, 1, b"old");
    push_through_the_pool(&db, big);
    db.checkpoint().unwrap();
    put(&db, tree, 1, b"new");
    for _ in 0..2 {
        push_through_the_pool(&db, big);
    }
    assert!(db.step_clean().unwrap() > 0, "the page goes home, unsynced");
    let killed = disk.kill_copy();
    assert!(killed.dirty_sectors() > 0);
    db.abandon();
    let second = Database::open_on(Arc::new(killed.clone()), options()).unwrap();
    put(&second, other, 1, b"second life");
    // From here on redo begins behind the page's change.
    second.checkpoint().unwrap();
    let cut = killed.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
    second.abandon();
    let third = Database::open_on(Arc::new(cut), options()).unwrap();
    assert_eq!(committed(&third, other).unwrap()[&1u32.to_be_bytes()[..]], b"second life");
    assert_eq!(
        committed(&third, tree).unwrap()[&1u32.to_be_bytes()[..]],
        b"new",
        "an acknowledged commit is lost"
    );
    assert_sound(&third, "third life");
    third.abandon();
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
    let visible = writer.commit_visible().unwrap().newest(); // visible to all, locks released, not flushed
    let lost = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
    let mut reader = db.begin(TxnOptions::default());
    reader.defer_durability();
    assert_eq!(reader.get(tree, &1u32.to_be_bytes()).unwrap().unwrap(), b"new");
    assert!(reader.observed().newest() >= visible, "the reader knows what its answer rests on");
    let mut other = db.begin(TxnOptions::default());
    other.defer_durability();
    assert!(other.insert(tree, &2u32.to_be_bytes(), b"again").is_err());
    assert!(other.observed().newest() >= visible, "so does an error");
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

/// Between the release of a writer's locks and its flush others meet its versions. Whoever is told of them, by a row, by the lack of one, or by an
/// error, finds them after a crash, although the writer was told nothing.
#[test]
fn what_a_reader_was_told_survives_although_its_writer_was_not_acknowledged() {
    type Met = fn(&mut evenkeel::Transaction, TreeId) -> bool;
    let readers: [(&str, Met); 4] = [
        ("a row", |t, tree| t.get(tree, &1u32.to_be_bytes()).unwrap().as_deref() == Some(b"new")),
        ("no row", |t, tree| t.get(tree, &2u32.to_be_bytes()).unwrap().is_none()),
        ("a scan", |t, tree| {
            let mut cursor = t.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
            let mut last = None;
            while let Some((key, _)) = cursor.next(t).unwrap() {
                last = Some(key.to_vec());
            }
            last.as_deref() == Some(&3u32.to_be_bytes()[..])
        }),
        ("an error", |t, tree| {
            matches!(t.insert(tree, &3u32.to_be_bytes(), b"other"), Err(evenkeel::Error::DuplicateKey))
        }),
    ];
    for (i, (name, met)) in readers.into_iter().enumerate() {
        for defers in [false, true] {
            let (disk, db) = fresh(80 + i as u64);
            let tree = new_tree(&db);
            put(&db, tree, 1, b"old");
            put(&db, tree, 2, b"old");
            let survives = || {
                let crashed = open(&disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1), 90).unwrap();
                let rows = committed(&crashed, tree).unwrap();
                crashed.abandon();
                let writer =
                    (rows.get(&1u32.to_be_bytes()[..]).map(Vec::as_slice) == Some(b"new"), rows.len());
                assert!(
                    writer == (true, 2) || writer == (false, 2),
                    "{name}: a transaction is whole or not there"
                );
                writer.0
            };
            let mut writer = db.begin(TxnOptions::default());
            _ = writer.update(tree, &1u32.to_be_bytes(), b"new", evenkeel::LockMode::Update).unwrap();
            _ = writer.delete(tree, &2u32.to_be_bytes()).unwrap();
            writer.insert(tree, &3u32.to_be_bytes(), b"new").unwrap();
            let commit = writer.commit_visible().unwrap().newest();
            assert!(!survives(), "{name}: visible, and still to be lost");
            let mut reader = db.begin(TxnOptions::default());
            if defers {
                reader.defer_durability();
            }
            assert!(met(&mut reader, tree), "{name}: met");
            if defers {
                assert!(
                    !survives() && reader.observed().newest() >= commit,
                    "{name}: the caller knows what to wait for"
                );
                db.wait_durable(reader.observed().newest()).unwrap();
            }
            assert!(survives(), "{name}: told, so not to be lost");
            drop(reader);
            db.abandon();
        }
    }
}

/// Whoever keeps what a snapshot saw is not wrong later: no id that it counts as seen is given out again, although ids of transactions that logged nothing are.
#[test]
fn what_a_kept_snapshot_saw_stays_true_after_crashes() {
    let (mut disk, mut db) = fresh(91);
    let tree = new_tree(&db);
    let mut rng = fastrand::Rng::with_seed(91);
    let mut kept: Vec<(evenkeel::SnapshotIds, Rows)> = Vec::new();
    let (mut highest, mut again) = (0, 0);
    for life in 0..12 {
        let mut at_work: Vec<evenkeel::Transaction> = Vec::new();
        for _ in 0..80 {
            let one = rng.usize(..at_work.len().max(1));
            match rng.u32(0..8) {
                0 | 1 => {
                    let mut t = db.begin(TxnOptions::default());
                    let id = t.assign_id().unwrap();
                    again += u32::from(id <= highest);
                    highest = highest.max(id);
                    at_work.push(t);
                }
                2 | 3 if !at_work.is_empty() => {
                    let id = at_work[one].id().unwrap();
                    at_work[one].put(tree, &id.to_be_bytes(), b"its own").unwrap();
                }
                4 if !at_work.is_empty() => drop(at_work.swap_remove(one)),
                5 if !at_work.is_empty() => _ = at_work.swap_remove(one).commit_visible().unwrap(),
                6 if rng.u32(0..20) == 0 => db.checkpoint().unwrap(),
                _ => {
                    let mut t = db.begin(TxnOptions::default());
                    t.defer_durability();
                    let seen = rows(&mut t, tree).unwrap();
                    let basis = t.observed();
                    let ids = t.snapshot_ids().unwrap().unwrap();
                    assert!(t.observed().newest() >= basis.newest());
                    db.wait_durable(t.observed().newest()).unwrap();
                    kept.push((ids, seen));
                }
            }
        }
        // One that was rolled back is in the log as well, and nobody has waited for that.
        if life % 2 == 0 {
            let mut undone = db.begin(TxnOptions::default());
            undone.put(tree, &[255; 8], b"never there").unwrap();
            drop(undone);
            let mut t = db.begin(TxnOptions::default());
            let seen = rows(&mut t, tree).unwrap();
            kept.push((t.snapshot_ids().unwrap().unwrap(), seen));
        }
        let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, life);
        drop(at_work);
        db.abandon();
        (db, disk) = (open(&crashed, 92 + life).unwrap(), crashed);
    }
    assert!(again > 3, "ids were given out again {again} times");
    let all = committed(&db, tree).unwrap();
    assert!(all.len() > 30 && kept.len() > 100, "{} rows, {} snapshots", all.len(), kept.len());
    for (ids, seen) in &kept {
        for key in all.keys() {
            let id = u64::from_be_bytes(key[..].try_into().unwrap());
            assert_eq!(ids.sees(id), seen.contains_key(key), "{id} in {ids:?}");
            assert!(id >= ids.oldest() || seen.contains_key(key), "{id} below {ids:?}");
        }
    }
    db.abandon();
}

/// A file's new length waits for the next sync of the file, and no commit waits for that: a crash takes the length back, and redo restores it.
#[test]
fn a_file_grows_without_a_sync_and_has_its_length_again_after_a_crash() {
    let (disk, db) = fresh(33);
    let tree = new_tree(&db);
    (0..4).for_each(|_| db.step_round().unwrap());
    let path = format!("data/{}", tree.0);
    let calls: Arc<Mutex<Vec<SimCallKind>>> = Arc::default();
    let (sink, watched) = (calls.clone(), path.clone());
    disk.set_hook(Some(Box::new(move |call, _| {
        if *call.path == *watched {
            sink.lock().unwrap().push(call.kind);
        }
    })));
    let mut rows = 0;
    let grown = |calls: &Mutex<Vec<SimCallKind>>| {
        calls.lock().unwrap().iter().filter(|kind| **kind == SimCallKind::Allocate).count()
    };
    let mut after_growth = 0;
    while after_growth < 3 {
        let before = grown(&calls);
        put(&db, tree, rows, &[9; 1500]);
        rows += 1;
        // Written back beyond the durable length, some of it, and the map with the new length.
        if rows % 7 == 0 {
            db.step_clean().unwrap();
        }
        if grown(&calls) == before {
            continue;
        }
        after_growth += 1;
        for (policy, times) in
            [(CrashPolicy::LoseUnsynced, 1), (CrashPolicy::KeepAll, 1), (CrashPolicy::Mixed, 30)]
        {
            for seed in 0..times {
                let what = format!("growth {after_growth}, {policy:?} {seed}");
                let crashed = disk.crash_copy_with(policy, seed);
                let after = open(&crashed, 34).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert_eq!(committed(&after, tree).unwrap().len() as u32, rows, "{what}");
                assert_sound(&after, &what);
                // And the length is not merely as long as its pages.
                put(&after, tree, rows, b"one more");
                after.abandon();
                // It is durable before redo begins behind the growth, whether or not a round has something to write to the file: once all partitions have
                // had their turn.
                let again = disk.crash_copy_with(policy, seed);
                let after = open(&again, 35).unwrap();
                for round in 0..4 {
                    let what = format!("{what}, round {round}");
                    after.step_round().unwrap();
                    let cut = again.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
                    if round == 3 {
                        let path = format!("data/{}", tree.0);
                        let (now, then) =
                            (again.contents(&path).unwrap().len(), cut.contents(&path).unwrap().len());
                        assert_eq!(now, then, "{what}");
                    }
                    let cut = open(&cut, 36).unwrap_or_else(|e| panic!("{what}: {e}"));
                    assert_eq!(committed(&cut, tree).unwrap().len() as u32, rows, "{what}");
                    cut.abandon();
                }
                after.abandon();
            }
        }
    }
    disk.set_hook(None);
    assert!(!calls.lock().unwrap().contains(&SimCallKind::Sync), "growing waits for no device");
    db.abandon();
}
