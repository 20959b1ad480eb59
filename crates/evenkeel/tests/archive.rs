//! The log archive: no gap and no wrong segment, whatever crashes and whatever the store does; nothing recycled that is not archived.

mod common;

use common::{archived, assert_sound, committed, disk, new_tree, open_with, write};
use evenkeel::archive::{
    ArchiveStore, Cut, EndOfLog, LogMap, MemoryStore, OWNER, StoreError, StoreFault, Version, fill, lineage,
    may_end, object_name, strip, unpack, verify,
};
use evenkeel::io::{Disk, SimDisk};
use evenkeel::wal::files::SegmentSet;
use evenkeel::wal::reader::LogReader;
use evenkeel::wal::record::Kind;
use evenkeel::wal::segment::{self, Geometry};
use evenkeel::{Database, Error, Interrupt, Lsn, Options, TreeId, TxnOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const GEOMETRY: Geometry = Geometry { segment_bytes: 64 * 1024 };

fn options(seed: u64, store: &MemoryStore) -> Options {
    archived(seed, store).with_archive_place("here")
}

/// Archives until nothing is left to do; the store must not fail.
fn ship_all(db: &Database, now: &mut u64) {
    loop {
        *now += 1000;
        if db.step_archive(Duration::from_secs(*now)).unwrap() == 0 {
            return;
        }
    }
}

/// Transaction ids that the archive says committed; every segment is filled and read by the ordinary reader.
fn archived_commits(store: &MemoryStore, first: u64) -> (BTreeSet<u64>, Lsn) {
    let mut set = SegmentSet::new();
    for name in store.list("wal/").unwrap().into_iter().filter(|n| n.ends_with(".seg")) {
        let (cut, _) = unpack(&store.get(&name).unwrap().unwrap().0).unwrap();
        set.add(cut.header.segment, Box::new(move || Ok(fill(&cut))));
    }
    let disk: &dyn Disk = &set;
    let mut reader = LogReader::open(&disk, GEOMETRY, GEOMETRY.start_of(first)).unwrap();
    let mut ids = BTreeSet::new();
    while let Some(r) = reader.next().unwrap() {
        if r.kind == Kind::Commit {
            ids.insert(r.txn.unwrap().id.0);
        }
    }
    (ids, reader.position())
}

#[test]
fn finished_segments_are_archived_and_only_then_recycled() {
    let (disk, store) = (disk(1), MemoryStore::new());
    let db = open_with(&disk, options(1, &store));
    let tree = new_tree(&db);
    for n in 0..200 {
        write(&db, tree, n).unwrap();
        db.step_round().unwrap();
    }
    let waiting = segment::list(&disk).unwrap();
    assert_eq!(waiting[0], 1, "nothing is recycled before it is archived");
    let mut now = 0;
    ship_all(&db, &mut now);
    let stats = db.archive_stats().unwrap();
    assert!(stats.archived >= 5 && stats.failed == 0, "{stats:?}");
    assert!(stats.lag_bytes < GEOMETRY.usable(), "{stats:?}");
    assert!(segment::list(&disk).unwrap().len() < waiting.len(), "archived segments are recycled at once");
    let report = verify(&store).unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
    assert_eq!((report.stretches.len(), report.stretches[0].first), (1, 1));
    assert_eq!(report.stripped, stats.archived);
}

/// An archive in use: something happens just before an object is read.
struct InUse<'a> {
    store: &'a MemoryStore,
    db: &'a Database,
    tree: TreeId,
    before: &'a str,
}

impl std::fmt::Debug for InUse<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InUse")
    }
}

impl ArchiveStore for InUse<'_> {
    fn describe(&self) -> String {
        self.store.describe()
    }
    fn create(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.store.create(name, bytes)
    }
    fn get(&self, name: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        if name == self.before && self.store.get(name)?.is_some() {
            write(self.db, self.tree, 5000).unwrap();
            ship_all(self.db, &mut 1_000_000);
            assert!(self.store.get(name)?.is_none(), "a longer one has taken its place");
        }
        self.store.get(name)
    }
    fn replace(&self, name: &str, bytes: &[u8], version: &Version) -> Result<(), StoreError> {
        self.store.replace(name, bytes, version)
    }
    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        self.store.list(prefix)
    }
    fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.store.delete(name)
    }
}

#[test]
fn an_archive_that_goes_on_meanwhile_is_no_damaged_one() {
    let (disk, store) = (disk(21), MemoryStore::new());
    let db = open_with(&disk, options(21, &store).with("archive_timeout", "1s").unwrap());
    let tree = new_tree(&db);
    (0..20).for_each(|n| write(&db, tree, n).unwrap());
    ship_all(&db, &mut 0);
    let names = store.list("wal/").unwrap();
    let partial = names.iter().find(|n| n.ends_with(".partial")).expect("the part of a segment");
    let report = verify(&InUse { store: &store, db: &db, tree, before: partial }).unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
}

#[test]
fn the_end_of_a_life_is_archived_by_the_next() {
    let (disk, store) = (disk(2), MemoryStore::new());
    let mut now = 0;
    let mut tree = None;
    for life in 0..4 {
        let db = open_with(&disk, options(2 + life, &store));
        let tree = *tree.get_or_insert_with(|| new_tree(&db));
        for n in 0..30 {
            write(&db, tree, life * 100 + n).unwrap();
        }
        ship_all(&db, &mut now);
        let report = verify(&store).unwrap();
        assert!(report.problems.is_empty(), "{report:?}");
        assert!(report.stretches.len() <= 1, "{report:?}");
        // Both ways of ending.
        if life % 2 == 0 { db.close().unwrap() } else { db.abandon() }
    }
    let db = open_with(&disk, options(9, &store));
    ship_all(&db, &mut now);
    let (commits, _) = archived_commits(&store, 1);
    assert!(commits.len() >= 120, "every committed transaction is in the archive: {}", commits.len());
    let partial: Vec<_> =
        store.list("wal/").unwrap().into_iter().filter(|n| n.ends_with("partial")).collect();
    assert!(
        partial.is_empty(),
        "what was archived at a shutdown gives way to the finished segment: {partial:?}"
    );
}

#[test]
fn the_segment_being_written_is_archived_after_a_while() {
    let (disk, store) = (disk(3), MemoryStore::new());
    let db = open_with(&disk, options(3, &store).with("archive_timeout", "10s").unwrap());
    let tree = new_tree(&db);
    let partials = || -> Vec<String> {
        store.list("wal/").unwrap().into_iter().filter(|n| n.ends_with(".partial")).collect()
    };
    db.step_archive(Duration::from_secs(5)).unwrap();
    assert!(partials().is_empty());
    for at in [10u64, 20, 30] {
        write(&db, tree, at).unwrap();
        db.step_archive(Duration::from_secs(at)).unwrap();
        assert_eq!(partials().len(), 1, "one, the latest");
        let report = verify(&store).unwrap();
        assert!(report.problems.is_empty(), "{report:?}");
        assert_eq!(report.stretches[0].to, db.durable_lsn());
    }
    let before = partials();
    db.step_archive(Duration::from_secs(40)).unwrap();
    assert_eq!(partials(), before, "nothing new, nothing archived");
    for n in 100..160 {
        write(&db, tree, n).unwrap();
    }
    let mut now = 50;
    ship_all(&db, &mut now);
    let report = verify(&store).unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
}

#[test]
fn the_log_up_to_now_is_archived_on_request() {
    let (disk, store) = (disk(13), MemoryStore::new());
    let db = open_with(&disk, options(13, &store).with("archive_timeout", "0").unwrap());
    let tree = new_tree(&db);
    let go_on = Interrupt::new();
    // A little, several segments, nothing new, and with a transaction open whose records wait for nobody.
    for (from, to) in [(0, 1), (1, 200), (200, 200), (200, 203)] {
        let mut open = db.begin(TxnOptions::default());
        open.insert(tree, &(1_000_000u64 + to).to_be_bytes(), b"not yet").unwrap();
        for n in from..to {
            write(&db, tree, n).unwrap();
        }
        let end = db.archive_log(&go_on).unwrap();
        assert!(end <= db.durable_lsn());
        let report = verify(&store).unwrap();
        assert!(report.problems.is_empty(), "{report:?}");
        assert!(report.stretches.last().unwrap().to >= end, "{end} {report:?}");
        open.rollback().unwrap();
    }
    // What the store says is the caller's to know; the log is durable here all the same.
    store.set_faults(Some(Box::new(|_, _| StoreFault::Fail)));
    write(&db, tree, 900).unwrap();
    let e = db.archive_log(&go_on).unwrap_err();
    assert!(e.to_string().contains("simulated"), "{e}");
    assert_eq!(db.durable_lsn(), db.insert_lsn());
    store.set_faults(None);
    let canceled = Interrupt::new();
    canceled.cancel();
    assert!(matches!(db.archive_log(&canceled), Err(Error::Canceled)));
    let end = db.archive_log(&go_on).unwrap();
    assert!(verify(&store).unwrap().stretches.last().unwrap().to >= end);
    drop(db);
    // Without an archive there is nothing to send; the log is durable.
    let alone = open_with(&common::disk(14), Options::default().without_threads());
    new_tree(&alone);
    assert!(alone.archive_log(&go_on).unwrap() <= alone.durable_lsn());
}

#[test]
fn a_store_that_fails_is_tried_again_later_and_later() {
    let (disk, store) = (disk(4), MemoryStore::new());
    let db = open_with(&disk, options(4, &store));
    let tree = new_tree(&db);
    for n in 0..60 {
        write(&db, tree, n).unwrap();
    }
    let calls = Arc::new(AtomicU64::new(0));
    let counted = calls.clone();
    store.set_faults(Some(Box::new(move |_, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        StoreFault::Fail
    })));
    let mut attempts = Vec::new();
    for second in 0..400 {
        let before = calls.load(Ordering::Relaxed);
        let failed = db.step_archive(Duration::from_secs(second)).is_err();
        assert_eq!(failed, calls.load(Ordering::Relaxed) > before);
        if failed {
            attempts.push(second);
        }
    }
    // Each wait lies between half and all of 1, 2, 4 … 60 seconds; attempts are made at whole ones here.
    let waits: Vec<u64> = attempts.windows(2).map(|w| w[1] - w[0]).collect();
    let longest = |n: usize| (1u64 << n.min(6)).min(60);
    assert!((0..waits.len()).all(|n| (longest(n).div_ceil(2)..=longest(n)).contains(&waits[n])), "{waits:?}");
    let stats = db.archive_stats().unwrap();
    assert_eq!((stats.archived, stats.failed), (0, attempts.len() as u64));
    assert!(stats.last_error.unwrap().contains("simulated"));
    assert_eq!(stats.oldest_wait, Duration::from_secs(399));
    store.set_faults(None);
    let mut now = 1000;
    for _ in 0..2 {
        // Each segment that arrives ends the wait, also if others follow.
        now += 10;
        assert_eq!(db.step_archive(Duration::from_secs(now)).unwrap(), 1);
        assert_eq!(db.archive_stats().unwrap().oldest_wait, Duration::ZERO);
    }
    ship_all(&db, &mut now);
    assert_eq!(db.archive_stats().unwrap().oldest_wait, Duration::ZERO);
    assert!(verify(&store).unwrap().problems.is_empty());
}

#[test]
fn writes_are_refused_while_too_much_log_waits_and_reads_go_on() {
    let (disk, store) = (disk(5), MemoryStore::new());
    let db = open_with(&disk, options(5, &store).with("archive_max_lag", "1MB").unwrap());
    let tree = new_tree(&db);
    store.set_faults(Some(Box::new(|_, _| StoreFault::Fail)));
    let mut done = 0;
    let refused = loop {
        let _ = db.step_archive(Duration::from_secs(done));
        match write(&db, tree, done) {
            Ok(()) => done += 1,
            Err(e) => break e,
        }
        assert!(done < 10_000, "never refused");
        db.step_round().unwrap();
    };
    assert!(matches!(&refused, Error::OutOfSpace { what } if what.contains("archive_max_lag")), "{refused}");
    assert!(db.poisoned().is_none());
    assert_eq!(committed(&db, tree).unwrap().len() as u64, done * 8);
    db.step_round().unwrap();
    // Even closing and opening again works meanwhile.
    db.close().unwrap();
    drop(db);
    let db = open_with(&disk, options(6, &store).with("archive_max_lag", "1MB").unwrap());
    let _ = db.step_archive(Duration::from_secs(1));
    assert!(write(&db, tree, 90_000).is_err());
    assert!(db.archive_stats().unwrap().writes_refused);
    store.set_faults(None);
    let mut now = 10_000;
    ship_all(&db, &mut now);
    write(&db, tree, 90_000).unwrap();
    assert!(!db.archive_stats().unwrap().writes_refused);
    assert!(verify(&store).unwrap().problems.is_empty());
    assert_sound(&db, "after the archive came back");
}

#[test]
fn writes_are_refused_before_the_disk_is_full() {
    let (disk, store) = (disk(6), MemoryStore::new());
    let db = open_with(&disk, options(6, &store));
    let tree = new_tree(&db);
    store.set_faults(Some(Box::new(|_, _| StoreFault::Fail)));
    disk.set_capacity(disk.used_bytes() + 2 * 1024 * 1024);
    let mut n = 0;
    let e = loop {
        let _ = db.step_archive(Duration::from_secs(n));
        match write(&db, tree, n) {
            Ok(()) => n += 1,
            Err(e) => break e,
        }
        db.step_round().unwrap();
    };
    assert!(e.to_string().contains("disk is nearly full"), "{e}");
    assert!(disk.free_bytes().unwrap().unwrap() > 3 * GEOMETRY.segment_bytes);
    assert!(db.poisoned().is_none());
    store.set_faults(None);
    let mut now = 10_000;
    ship_all(&db, &mut now);
    write(&db, tree, n + 1).unwrap();
}

#[test]
fn of_two_writers_one_is_refused() {
    let (disk_a, disk_b, store) = (disk(7), disk(8), MemoryStore::new());
    let a = open_with(&disk_a, options(7, &store));
    let tree = new_tree(&a);
    for n in 0..60 {
        write(&a, tree, n).unwrap();
    }
    let mut now = 0;
    ship_all(&a, &mut now);
    // Another database. It is told before it has anything to archive, and again when it has.
    let b = open_with(&disk_b, options(8, &store));
    let e = b.step_archive(Duration::ZERO).unwrap_err().to_string();
    assert!(e.contains("another database"), "{e}");
    let tree_b = new_tree(&b);
    for n in 0..60 {
        write(&b, tree_b, n).unwrap();
    }
    let e = b.step_archive(Duration::from_secs(1)).unwrap_err().to_string();
    assert!(e.contains("another database") && e.contains("archive_url"), "{e}");
    // A copy of this one, elsewhere.
    let copy = open_with(&disk_a.kill_copy(), options(9, &store).with_archive_place("elsewhere"));
    let e = copy.step_archive(Duration::from_secs(1)).unwrap_err().to_string();
    assert!(e.contains("a copy of this database") && e.contains("here"), "{e}");
    // The first goes on.
    for n in 60..120 {
        write(&a, tree, n).unwrap();
    }
    ship_all(&a, &mut now);
    assert!(verify(&store).unwrap().problems.is_empty());
    // Once given away by hand, it is the copy's, which leaves the first one's timeline where it left its log; and the first is refused.
    store.delete(OWNER).unwrap();
    copy.step_archive(Duration::from_secs(1000)).unwrap();
    assert_eq!(copy.archive_stats().unwrap().timeline, 2);
    let e = a_writes_on(&a, tree, &mut now);
    assert!(e.contains("elsewhere") || e.contains("given away"), "{e}");
}

fn a_writes_on(a: &Database, tree: TreeId, now: &mut u64) -> String {
    for n in 200..260 {
        write(a, tree, n).unwrap();
    }
    *now += 1000;
    a.step_archive(Duration::from_secs(*now)).unwrap_err().to_string()
}

/// A clone of a volume has the folder's path and inode. It is started while the original goes on, on another machine.
#[test]
fn a_clone_of_the_folder_waits_for_the_originals_signs_of_life() {
    let (disk_a, store) = (disk(60), MemoryStore::new());
    let at = |boot: &str, seed| options(seed, &store).with_archive_boot(boot);
    let a = open_with(&disk_a, at("one", 60));
    let tree = new_tree(&a);
    let mut now = 0;
    let mut n = 0;
    let mut ship_some = |now: u64| {
        (0..60).for_each(|_| {
            n += 1;
            write(&a, tree, n).unwrap();
        });
        a.step_archive(Duration::from_secs(now))
    };
    ship_some(now).unwrap();
    let clone = open_with(&disk_a.kill_copy(), at("two", 61));
    for _ in 0..40 {
        now += 10;
        ship_some(now).unwrap();
        let e =
            clone.step_archive(Duration::from_secs(now)).map_or_else(|e| e.to_string(), |n| n.to_string());
        assert!(
            e == "0" || e.contains("may be another one that lives") || e.contains("a copy of this database"),
            "{e}"
        );
    }
    assert!(clone.archive_stats().unwrap().archived == 0);
    assert!(verify(&store).unwrap().problems.is_empty());
    // The original ends: whoever comes next has it after a while, and has done nothing wrong until then.
    a.close().unwrap();
    let next = open_with(&disk_a.kill_copy(), at("three", 62));
    let mut steps = 0;
    loop {
        now += 10;
        steps += 1;
        match next.step_archive(Duration::from_secs(now)) {
            Ok(1..) => break,
            Ok(0) => {}
            Err(e) => assert!(e.to_string().contains("may be another one that lives"), "{e}"),
        }
        assert!(steps < 20);
    }
    assert!(steps >= 9, "{steps}");
    assert_eq!(next.archive_stats().unwrap().failed, 0);
    // On the same boot the lock has spoken.
    let tree = next.trees().unwrap()[0];
    drop(next);
    let same = open_with(&disk_a.kill_copy(), at("three", 63));
    (0..60).for_each(|n| write(&same, tree, 10_000 + n).unwrap());
    same.step_archive(Duration::from_secs(now)).unwrap();
}

/// Two of one place that do not know of each other: the one that was robbed never takes the archive back.
#[test]
fn whoever_was_robbed_of_an_archive_leaves_it() {
    let (disk_a, store) = (disk(64), MemoryStore::new());
    let a = open_with(&disk_a, options(64, &store));
    let tree = new_tree(&a);
    let mut now = 0;
    ship_all(&a, &mut now);
    let clone = open_with(&disk_a.kill_copy(), options(65, &store));
    ship_all(&clone, &mut now);
    for _ in 0..5 {
        let e = a_writes_on(&a, tree, &mut now);
        assert!(e.contains("a copy of this database"), "{e}");
        ship_all(&clone, &mut now);
    }
    // Nor where there is no owner any more.
    store.delete(OWNER).unwrap();
    let e = a_writes_on(&a, tree, &mut now);
    assert!(e.contains("has no object \"owner\" any more"), "{e}");
}

#[test]
fn an_archive_that_is_not_there_any_more_is_not_begun_anew() {
    let (disk, store) = (disk(66), MemoryStore::new());
    let db = open_with(&disk, options(66, &store));
    let tree = new_tree(&db);
    (0..60).for_each(|n| write(&db, tree, n).unwrap());
    let mut now = 0;
    ship_all(&db, &mut now);
    db.close().unwrap();
    // The mount point.
    let empty = MemoryStore::new();
    let db = open_with(&disk, options(67, &empty));
    for n in 60..120 {
        write(&db, tree, n).unwrap();
        let e = db.step_archive(Duration::from_secs(1000 * n)).unwrap_err().to_string();
        assert!(e.contains("is it mounted?"), "{e}");
    }
    assert!(empty.list("").unwrap().is_empty());
    drop(db);
    // It is mounted.
    let db = open_with(&disk, options(68, &store));
    ship_all(&db, &mut now);
    let report = verify(&store).unwrap();
    assert!(report.problems.is_empty() && report.stretches.len() == 1, "{report:?}");
}

#[test]
fn an_object_that_is_there_already_is_compared_and_never_replaced() {
    let (disk, store) = (disk(10), MemoryStore::new());
    let db = open_with(&disk, options(10, &store));
    let tree = new_tree(&db);
    for n in 0..60 {
        write(&db, tree, n).unwrap();
    }
    // The answer is lost, and the image setting is another at the second attempt.
    store.set_faults(Some(Box::new(|what, name| {
        if what == "creating" && name.ends_with(".seg") { StoreFault::LoseAnswer } else { StoreFault::None }
    })));
    assert!(db.step_archive(Duration::from_secs(1)).is_err());
    store.set_faults(None);
    db.set_setting("archive_page_images", "keep").unwrap();
    db.set_setting("archive_compression_level", "0").unwrap();
    assert_eq!(db.step_archive(Duration::from_secs(100)).unwrap(), 1);
    // Something else lies in the next one's place.
    let name = object_name(1, 2);
    let first = store.get(&object_name(1, 1)).unwrap().unwrap().0;
    store.overwrite(&name, first.clone());
    let e = db.step_archive(Duration::from_secs(200)).unwrap_err().to_string();
    assert!(e.contains("another log"), "{e}");
    assert_eq!(store.get(&name).unwrap().unwrap().0, first);
    store.overwrite(&name, b"damage".to_vec());
    assert!(db.step_archive(Duration::from_secs(400)).is_err());
}

/// A store that says yes and keeps something else.
#[derive(Debug)]
struct Careless(MemoryStore);

impl ArchiveStore for Careless {
    fn describe(&self) -> String {
        self.0.describe()
    }
    fn create(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let kept = if name.ends_with(".seg") { &bytes[..bytes.len() / 2] } else { bytes };
        self.0.create(name, kept)
    }
    fn get(&self, name: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        self.0.get(name)
    }
    fn replace(&self, name: &str, bytes: &[u8], version: &Version) -> Result<(), StoreError> {
        self.0.replace(name, bytes, version)
    }
    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        self.0.list(prefix)
    }
    fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.0.delete(name)
    }
}

/// Invariants 1 and 2 of the archiver.
#[test]
fn a_segment_that_does_not_come_back_as_it_was_put_is_not_archived() {
    let (disk, store) = (disk(12), MemoryStore::new());
    let db = open_with(&disk, options(12, &store).with_archive_store(Arc::new(Careless(store.clone()))));
    let tree = new_tree(&db);
    for n in 0..100 {
        write(&db, tree, n).unwrap();
        db.step_round().unwrap();
    }
    for second in [1, 100, 1000] {
        let e = db.step_archive(Duration::from_secs(second)).unwrap_err().to_string();
        assert!(second > 1 || e.contains("back as it was put"), "{e}");
    }
    assert_eq!(db.archive_stats().unwrap().archived, 0);
    assert_eq!(segment::list(&disk).unwrap()[0], 1, "nothing is recycled");
}

/// The last segment of a life is gone, although the next life says that there was log in it.
#[test]
fn log_that_is_lost_before_it_is_archived_is_counted_as_a_gap() {
    let (disk, store) = (disk(13), MemoryStore::new());
    let db = open_with(&disk, options(13, &store));
    let tree = new_tree(&db);
    for n in 0..60 {
        write(&db, tree, n).unwrap();
    }
    let mut now = 0;
    ship_all(&db, &mut now);
    let last = GEOMETRY.segment_of(db.durable_lsn());
    db.close().unwrap();
    drop(db);
    // After a clean shutdown nobody else needs it.
    for n in segment::list(&disk).unwrap() {
        disk.remove(&segment::path(n)).unwrap();
    }
    for name in store.list(&format!("wal/00000001/{last:016x}-")).unwrap() {
        store.delete(&name).unwrap();
    }
    let db = open_with(&disk, options(14, &store));
    for n in 100..160 {
        write(&db, tree, n).unwrap();
    }
    ship_all(&db, &mut now);
    assert_eq!(db.archive_stats().unwrap().gaps, 1);
    let problems = verify(&store).unwrap().problems.join("\n");
    assert!(problems.contains("a gap") && problems.contains(&format!("{last:016x}")), "{problems}");
}

/// Parts that were left behind do no harm, and of a segment that is not finished the longest part is what there is.
#[test]
fn of_several_forms_of_a_segment_the_longest_counts() {
    let store = MemoryStore::new();
    let part = |n: u64, end: u64| format!("wal/00000001/{n:016x}-{end:016x}.partial");
    for name in [object_name(1, 1), part(1, 70_000), part(2, 140_000), part(2, 150_000)] {
        store.create(&name, b"log").unwrap();
    }
    let legs = lineage(&BTreeMap::new(), 1, &|_| Ok(true)).unwrap();
    let map = LogMap::read(&store, GEOMETRY, 7, legs).unwrap();
    assert_eq!((map.name_of(1), map.name_of(2)), (object_name(1, 1), part(2, 150_000)));
    assert!(!map.get(1).unwrap().is_part() && map.get(2).unwrap().is_part());
    assert_eq!(map.forms(&store, 2).unwrap(), [part(2, 150_000), part(2, 140_000)]);
    store.create(&object_name(1, 2), b"log").unwrap();
    assert_eq!(map.forms(&store, 2).unwrap()[0], object_name(1, 2), "finished meanwhile");
}

/// Reading may stop where the log ends, or in a record that goes on behind it. Where a record stands, and was not read, something is damaged.
#[test]
fn the_log_ends_behind_its_last_record_or_within_one_that_was_being_written() {
    let (disk, store) = (disk(15), MemoryStore::new());
    let db = open_with(&disk, options(15, &store));
    let tree = new_tree(&db);
    for n in 0..100 {
        write(&db, tree, n).unwrap();
    }
    ship_all(&db, &mut 0);
    let cut = |n| unpack(&store.get(&object_name(1, n)).unwrap().unwrap().0).unwrap().0;
    let (mut goes_on, mut stops) = (0, 0);
    for n in 1..db.archive_stats().unwrap().archived {
        let cuts = [cut(n), cut(n + 1)];
        let mut ends = Vec::new();
        cuts[0].records(&mut |r| ends.push((r.lsn, r.end))).unwrap();
        let last = ends.last().unwrap().1;
        assert!(may_end(cuts[1].end, &cuts) && may_end(cuts[0].end, &cuts[..1]));
        // Within the last segment, before the record that is cut off there; but the next segment has the rest of it.
        if last < cuts[0].end {
            assert!(may_end(last, &cuts[..1]) && !may_end(last, &cuts), "{last}");
            goes_on += 1;
        }
        for (at, _) in ends {
            assert!(!may_end(at, &cuts[..1]) && !may_end(at, &cuts), "{at}");
            stops += 1;
        }
    }
    assert!(goes_on > 1 && stops > 100, "{goes_on}, {stops}");
}

#[test]
fn verification_names_gaps_damage_and_wrong_timelines() {
    let (disk, store) = (disk(11), MemoryStore::new());
    let db = open_with(&disk, options(11, &store));
    let tree = new_tree(&db);
    for n in 0..150 {
        write(&db, tree, n).unwrap();
    }
    let mut now = 0;
    ship_all(&db, &mut now);
    let clean = verify(&store).unwrap();
    assert!(clean.problems.is_empty() && clean.stretches[0].last >= 5, "{clean:?}");
    let problems = |change: &dyn Fn(&MemoryStore)| {
        let copy = store.copy();
        change(&copy);
        verify(&copy).unwrap().problems.join("\n")
    };
    let get = |n| store.get(&object_name(1, n)).unwrap().unwrap().0;
    let gap = problems(&|s| s.delete(&object_name(1, 3)).unwrap());
    assert!(gap.contains("a gap") && gap.contains("0000000000000003"), "{gap}");
    let damage = problems(&|s| {
        let mut bytes = get(3);
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        s.overwrite(&object_name(1, 3), bytes);
    });
    assert!(damage.contains("0000000000000003.seg"), "{damage}");
    let moved = problems(&|s| s.overwrite(&object_name(1, 3), get(4)));
    assert!(moved.contains("holds segment 0000000000000004"), "{moved}");
    let timeline = problems(&|s| s.overwrite(&object_name(2, 3), get(3)));
    assert!(timeline.contains("of timeline 1"), "{timeline}");
    assert!(problems(&|s| s.overwrite("wal/x", vec![])).contains("wal/x"));
}

/// A workload under an unreliable store, crashed at many of its disk's calls; what the archive holds is judged each time.
fn crash_at_every_call(seed: u64) -> u64 {
    let (disk, store) = (disk(seed), MemoryStore::new());
    let points = Arc::new(AtomicU64::new(0));
    let unreliable = |store: &MemoryStore, seed: u64| {
        let mut rng = fastrand::Rng::with_seed(seed);
        store.set_faults(Some(Box::new(move |_, _| match rng.u32(..8) {
            0 => StoreFault::Fail,
            1 => StoreFault::LoseAnswer,
            _ => StoreFault::None,
        })));
    };
    unreliable(&store, seed);
    let (counted, seen) = (points.clone(), store.clone());
    disk.set_hook(Some(Box::new(move |call, disk| {
        let n = counted.fetch_add(1, Ordering::Relaxed);
        if !n.is_multiple_of(7) {
            return;
        }
        let what = format!("seed {seed}, call {} ({:?} {})", call.index, call.kind, call.path);
        let (copy, store) = (disk.crash_copy(seed ^ call.index), seen.copy());
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| judge(&copy, &store, seed, &what)))
            .is_err()
        {
            eprintln!("failed at {what}");
            std::process::exit(101);
        }
    })));
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut now = 0;
    let mut tree = None;
    for life in 0..3u64 {
        let options = options(seed + life, &store).with("archive_timeout", "100s").unwrap();
        let db = open_with(&disk, options);
        let tree = *tree.get_or_insert_with(|| new_tree(&db));
        for n in 0..60u64 {
            write(&db, tree, life * 1000 + n).unwrap();
            match rng.u32(..6) {
                0 | 1 => db.step_round().unwrap(),
                2..5 => {
                    now += rng.u64(..80);
                    let _ = db.step_archive(Duration::from_secs(now));
                }
                _ => {}
            }
        }
        if rng.bool() { db.close().unwrap() } else { db.abandon() }
    }
    disk.set_hook(None);
    points.load(Ordering::Relaxed)
}

/// After a crash: what was recycled is archived; the archive has no gap and nothing wrong; and once the database goes on it comes to hold all of its history.
fn judge(disk: &SimDisk, store: &MemoryStore, seed: u64, what: &str) {
    let report = verify(store).unwrap();
    assert!(report.problems.is_empty() && report.stretches.len() <= 1, "{what}: {report:?}");
    let db = match Database::open_on(Arc::new(disk.clone()), options(seed + 50, store)) {
        Ok(db) => db,
        // Before its creation was complete.
        Err(e) => panic!("{what}: {e}"),
    };
    let here = segment::list(disk).unwrap();
    for n in 1..here[0] {
        assert!(store.get(&object_name(1, n)).unwrap().is_some(), "{what}: segment {n} is nowhere");
    }
    let mut now = 1_000_000;
    ship_all(&db, &mut now);
    assert_eq!(db.archive_stats().unwrap().gaps, 0, "{what}");
    let report = verify(store).unwrap();
    assert!(report.problems.is_empty() && report.stretches.len() <= 1, "{what}: {report:?}");
    // What is still here is what is there.
    for n in segment::list(disk).unwrap() {
        let Some((bytes, _)) = store.get(&object_name(1, n)).unwrap() else { continue };
        let (mut theirs, _) = unpack(&bytes).unwrap();
        let file = disk.contents(&segment::path(n)).unwrap();
        // A crash while it was recycled has left another one's header.
        if segment::open(disk, n).unwrap().is_none() {
            continue;
        }
        let mut ours = Cut::from_file(&file, EndOfLog::At(theirs.end)).unwrap();
        strip(&mut ours).unwrap();
        strip(&mut theirs).unwrap();
        assert_eq!(ours.stream, theirs.stream, "{what}: segment {n}");
    }
    if let Some(last) = report.stretches.last() {
        let (_, end) = archived_commits(store, 1);
        // Up to a record that ends in a segment that is not finished.
        assert!(end <= last.to, "{what}: {end}");
        assert!(GEOMETRY.segment_of(end) + 1 >= last.last, "{what}: the archive reads to {end} only");
    }
}

#[test]
fn crashes_leave_no_gap_and_no_wrong_segment() {
    let target: u64 = std::env::var("EVENKEEL_ARCHIVE_CRASH_POINTS").map_or(3000, |v| v.parse().unwrap());
    let (mut seed, mut points) = (1, 0);
    while points < target {
        points += crash_at_every_call(seed);
        seed += 1;
    }
    println!("{points} calls, seeds 1..{seed}");
}

/// What a segment costs must not grow with what the archive holds: nothing is listed but once at the start, unless a failure has left it unknown what there is.
#[test]
fn a_segment_is_shipped_without_asking_what_the_archive_holds() {
    let (disk, store) = (disk(21), MemoryStore::new());
    let with = |o: Options| o.with("archive_timeout", "1s").unwrap();
    let db = open_with(&disk, with(options(21, &store)));
    let tree = new_tree(&db);
    let (lists, lose) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (counted, losing) = (lists.clone(), lose.clone());
    store.set_faults(Some(Box::new(move |what, name| {
        counted.fetch_add(u64::from(what == "listing"), Ordering::Relaxed);
        let lost = what == "creating" && name.ends_with(".partial") && losing.swap(0, Ordering::Relaxed) > 0;
        if lost { StoreFault::LoseAnswer } else { StoreFault::None }
    })));
    let (mut now, mut n) = (0, 0);
    let mut go = |times: u64| {
        for _ in 0..times {
            write(&db, tree, n).unwrap();
            now += 100;
            let _ = db.step_archive(Duration::from_secs(now));
            n += 1;
        }
    };
    go(200);
    let before = db.archive_stats().unwrap();
    assert!(before.archived >= 5 && before.failed == 0, "{before:?}");
    assert_eq!(lists.load(Ordering::Relaxed), 1);
    // An answer is lost: whether there is a partial object of that name is known again after one look.
    lose.store(1, Ordering::Relaxed);
    go(200);
    let stats = db.archive_stats().unwrap();
    assert!(stats.failed == 1 && stats.archived >= before.archived + 5, "{stats:?}");
    assert_eq!(lists.load(Ordering::Relaxed), 2);
    db.close().unwrap();
    store.set_faults(None);
    let partials = store.list("wal/").unwrap().into_iter().filter(|n| n.ends_with(".partial"));
    assert!(partials.count() <= 1, "the last segment's, at most");
}
