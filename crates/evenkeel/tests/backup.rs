//! Base backups: made while the database is in use, whole whatever fails, and with the log all of the database.
//!
//! `EVENKEEL_BACKUP_RUNS` sets the number of random runs (default 12), `EVENKEEL_BACKUP_SEED` the first seed. A failure prints its seed.

mod common;

use common::restored::{assert_same, log_of, pages_at_home, pages_of, redo};
use common::{archived, assert_sound, committed, disk, new_tree, open_with, small};
use evenkeel::archive::{
    self, ArchiveStore, Found, Manifest, MemoryStore, StoreFault, label_name, manifest_name, object_name,
};
use evenkeel::io::SimDisk;
use evenkeel::{
    BackupOptions, BackupPhase, BackupProgress, Database, Error, Lsn, Options, TreeId, TxnOptions, Which,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |v| v.parse().expect("a number"))
}

fn options(seed: u64, store: &MemoryStore) -> Options {
    archived(seed, store).with("max_wal_size", "512kB").unwrap().with_archive_place("here")
}

fn on(_: &BackupProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn backup(db: &Database) -> Manifest {
    db.backup(&BackupOptions::default(), &mut on).unwrap()
}

fn incremental() -> BackupOptions {
    BackupOptions { incremental: Some(Which::Latest), ..BackupOptions::default() }
}

fn resume() -> BackupOptions {
    BackupOptions { resume: Some(Which::Latest), ..BackupOptions::default() }
}

fn write(db: &Database, tree: TreeId, n: u64) {
    common::write(db, tree, n).unwrap();
}

/// A database in use: trees that come and go, rows that grow and shrink, rounds, evictions, files cut.
struct InUse {
    db: Database,
    rng: fastrand::Rng,
    trees: Vec<TreeId>,
}

impl InUse {
    fn new(db: Database, seed: u64) -> InUse {
        let trees = (0..3).map(|_| new_tree(&db)).collect();
        InUse { db, rng: fastrand::Rng::with_seed(seed), trees }
    }

    fn step(&mut self) {
        match self.rng.u32(0..40) {
            0..=2 => self.db.step_round().unwrap(),
            3 => self.db.checkpoint().unwrap(),
            4..=5 => drop(self.db.step_clean().unwrap()),
            6..=9 => drop(self.db.step_purge().unwrap()),
            10 => drop(self.db.step_archive(Duration::ZERO).unwrap()),
            11 if self.trees.len() < 8 => self.trees.push(new_tree(&self.db)),
            12 if self.trees.len() > 2 => {
                let tree = self.trees.swap_remove(self.rng.usize(..self.trees.len()));
                let mut t = self.db.begin(TxnOptions::default());
                t.drop_tree(tree).unwrap();
                t.commit().unwrap();
            }
            13..=14 => {
                // Most of a tree goes, and the free tail of its file.
                let tree = self.trees[self.rng.usize(..self.trees.len())];
                let keys: Vec<_> = committed(&self.db, tree).unwrap().into_keys().collect();
                for keys in keys.chunks(50) {
                    let mut t = self.db.begin(TxnOptions::default());
                    keys.iter().for_each(|k| drop(t.delete(tree, k).unwrap()));
                    t.commit().unwrap();
                }
                while self.db.step_purge().unwrap() > 0 {}
                self.db.vacuum(tree).unwrap();
            }
            _ => {
                let tree = self.trees[self.rng.usize(..self.trees.len())];
                let mut t = self.db.begin(TxnOptions::default());
                for _ in 0..self.rng.u32(1..30) {
                    let key = self.rng.u64(..4000).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
                    let len = self.rng.usize(..900);
                    t.put(tree, &key, &vec![self.rng.u8(..); len]).unwrap();
                }
                if self.rng.u8(..8) == 0 { t.rollback().unwrap() } else { _ = t.commit().unwrap() }
            }
        }
    }

    fn steps(&mut self, n: u32) {
        (0..n).for_each(|_| self.step());
    }

    /// A backup with steps between its pieces.
    fn backup(&mut self, options: &BackupOptions) -> evenkeel::Result<Manifest> {
        let db = self.db.clone();
        db.backup(options, &mut |_| {
            let n = self.rng.u32(..12);
            self.steps(n);
            ControlFlow::Continue(())
        })
    }
}

/// Each backup, with the archived log, gives the database that is there.
fn assert_restores(db: Database, disk: &SimDisk, store: &MemoryStore, backups: &[Manifest], context: &str) {
    db.close().unwrap();
    drop(db);
    let real = pages_at_home(disk);
    let log = log_of(store, 1);
    for m in backups {
        let mut pages = pages_of(store, m);
        let end = redo(m, &mut pages, &log);
        assert!(end >= m.end.into(), "{context}: the log ends at {end}, the backup at {:?}", m.end);
        assert_same(&pages, &real, context);
    }
    assert!(archive::verify(store).unwrap().problems.is_empty(), "{context}");
}

fn random_run(seed: u64) {
    let (disk, store) = (disk(seed), MemoryStore::new());
    let images = if seed.is_multiple_of(3) { "keep" } else { "strip" };
    let protection = ["full_page_writes", "double_write"][seed as usize % 2];
    let options = options(seed, &store)
        .with("archive_page_images", images)
        .and_then(|o| o.with("torn_page_protection", protection))
        .unwrap();
    let mut used = InUse::new(open_with(&disk, options), seed);
    used.steps(300);
    let mut backups = vec![used.backup(&BackupOptions::default()).unwrap()];
    for _ in 0..3 {
        used.steps(100);
        let fast_checkpoint = used.rng.bool();
        let kind = if used.rng.u8(..4) > 0 { incremental() } else { BackupOptions::default() };
        backups.push(used.backup(&BackupOptions { fast_checkpoint, ..kind }).unwrap());
    }
    used.steps(100);
    assert_sound(&used.db, "after backups");
    assert_restores(used.db, &disk, &store, &backups, &format!("EVENKEEL_BACKUP_SEED={seed}"));
}

#[test]
fn with_its_log_a_backup_is_the_database() {
    let first = number("EVENKEEL_BACKUP_SEED", 1);
    (first..first + number("EVENKEEL_BACKUP_RUNS", 12)).for_each(random_run);
}

#[test]
fn backups_beside_writers_evictions_and_paced_rounds() {
    let (disk, store) = (disk(77), MemoryStore::new());
    let options = Options::default()
        .with_seed(77)
        .with("shared_buffers", "512kB")
        .and_then(|o| o.with("wal_segment_size", "64kB"))
        .and_then(|o| o.with("max_wal_size", "1MB"))
        .and_then(|o| o.with("checkpoint_timeout", "1s"))
        .and_then(|o| o.with("bgwriter_delay", "1ms"))
        .unwrap()
        .with_archive_store(Arc::new(store.clone()))
        .with_archive_place("here");
    let db = open_with(&disk, options);
    let trees: Vec<_> = (0..4).map(|_| new_tree(&db)).collect();
    for tree in &trees {
        (0..300).for_each(|n| write(&db, *tree, n));
    }
    let stop = AtomicBool::new(false);
    let mut backups = Vec::new();
    std::thread::scope(|s| {
        for (i, tree) in trees.iter().enumerate() {
            let (db, stop) = (&db, &stop);
            s.spawn(move || {
                let mut rng = fastrand::Rng::with_seed(i as u64);
                while !stop.load(Ordering::Relaxed) {
                    match rng.u8(..30) {
                        0 => drop(db.vacuum(*tree).unwrap()),
                        _ => write(db, *tree, rng.u64(..600)),
                    }
                }
            });
        }
        for n in 0..6 {
            let options = if n % 3 == 0 { BackupOptions::default() } else { incremental() };
            backups.push(db.backup(&BackupOptions { fast_checkpoint: n % 2 == 0, ..options }, &mut on));
        }
        stop.store(true, Ordering::Relaxed);
    });
    let backups: Vec<_> = backups.into_iter().map(Result::unwrap).collect();
    assert!(backups.iter().any(|m| m.parent.is_some()));
    assert_restores(db, &disk, &store, &backups, "with threads");
}

#[test]
fn a_backup_leaves_the_pool_as_it_found_it() {
    let (disk, store) = (disk(3), MemoryStore::new());
    let db = open_with(&disk, options(3, &store));
    let tree = new_tree(&db);
    (0..500).for_each(|n| write(&db, tree, n));
    db.checkpoint().unwrap();
    let before = db.stats();
    let m = backup(&db);
    let after = db.stats();
    let pages: u64 = m.files.iter().flat_map(|f| &f.chunks).map(|c| u64::from(c.pages)).sum();
    assert!(pages > 2 * before.buffers, "the database is larger than the pool: {pages}");
    assert_eq!(after.buffer_evictions, before.buffer_evictions);
    assert_eq!((after.buffer_hits, after.buffer_reads), (before.buffer_hits, before.buffer_reads));
}

#[test]
fn without_an_archive_there_is_no_backup() {
    let db = open_with(&disk(4), small(4));
    let e = db.backup(&BackupOptions::default(), &mut on).unwrap_err();
    assert!(matches!(&e, Error::InvalidArgument(why) if why.contains("archive_url")), "{e}");
}

#[test]
fn another_databases_archive_is_refused() {
    let store = MemoryStore::new();
    let a = open_with(&disk(5), options(5, &store));
    backup(&a);
    let b = open_with(&disk(6), options(6, &store).with_archive_place("elsewhere"));
    let e = b.backup(&BackupOptions::default(), &mut on).unwrap_err().to_string();
    assert!(e.contains("another database"), "{e}");
    assert_eq!(archive::backups(&store).unwrap().len(), 1);
}

#[test]
fn an_incremental_backup_holds_what_has_changed() {
    let (disk, store) = (disk(7), MemoryStore::new());
    let db = open_with(&disk, options(7, &store));
    let e = db.backup(&incremental(), &mut on).unwrap_err().to_string();
    assert!(e.contains("no complete backup"), "{e}");
    let (large, small) = (new_tree(&db), new_tree(&db));
    (0..500).for_each(|n| write(&db, large, n));
    write(&db, small, 0);
    let pages = |m: &Manifest| -> u32 { m.files.iter().flat_map(|f| &f.chunks).map(|c| c.pages).sum() };
    let full = backup(&db);
    write(&db, small, 1);
    let little = db.backup(&incremental(), &mut on).unwrap();
    assert_eq!(little.parent.as_deref(), Some(&full.id[..]));
    assert!(pages(&full) > 100 && pages(&little) < 10, "{} and {}", pages(&full), pages(&little));
    let of_large = little.files.iter().find(|f| f.file == large.0).unwrap();
    assert!(of_large.chunks.iter().all(|c| c.pages == 0));
    let again = db.backup(&incremental(), &mut on).unwrap();
    assert_eq!(again.parent.as_deref(), Some(&little.id[..]));
    // A chain that has lost an object is laid upon no more.
    let file = full.files.iter().find(|f| f.file == large.0).unwrap();
    store.delete(&archive::chunk_name(&full.id, file.file, 0)).unwrap();
    let e = db.backup(&incremental(), &mut on).unwrap_err().to_string();
    assert!(e.contains("lacks") && e.contains(&full.id), "{e}");
}

#[test]
fn failing_calls_are_tried_again_and_lost_answers_understood() {
    for seed in 0..20 {
        let (disk, store) = (disk(seed), MemoryStore::new());
        let mut used = InUse::new(open_with(&disk, options(seed, &store)), seed);
        used.steps(200);
        let mut rng = fastrand::Rng::with_seed(seed);
        store.set_faults(Some(Box::new(move |_, name| match rng.u8(..10) {
            0..=1 if name.starts_with("backups/") => StoreFault::Fail,
            2..=3 if name.starts_with("backups/") => StoreFault::LoseAnswer,
            _ => StoreFault::None,
        })));
        let done = used.db.backup(&BackupOptions::default(), &mut on);
        store.set_faults(None);
        let m = match done {
            Ok(m) => m,
            // Several times in a row: it can go on, unless it was done and that is what could not be read.
            Err(Error::Io { .. }) => match archive::backups(&store).unwrap().pop() {
                Some(Found::Complete(m)) => m,
                _ => used.db.backup(&resume(), &mut on).unwrap(),
            },
            Err(e) => panic!("seed {seed}: {e}"),
        };
        assert_restores(used.db, &disk, &store, &[m], &format!("seed {seed}"));
    }
}

#[test]
fn a_backup_whose_objects_were_removed_meanwhile_is_not_complete() {
    for takes in [".pages", "label.json"] {
        let (disk, store) = (disk(21), MemoryStore::new());
        let mut used = InUse::new(open_with(&disk, options(21, &store)), 21);
        used.steps(200);
        let other = store.clone();
        let mut removed = false;
        let e = used.db.backup(&BackupOptions::default(), &mut |p: &BackupProgress| {
            let names = other.list("backups/").unwrap();
            if let Some(name) = names.iter().find(|n| n.ends_with(takes)).filter(|_| p.copied_bytes > 0) {
                other.delete(name).unwrap();
                removed = true;
            }
            ControlFlow::Continue(())
        });
        let e = e.unwrap_err();
        assert!(removed && matches!(&e, Error::Corrupt(why) if why.what.contains("removed")), "{takes}: {e}");
        let found = archive::backups(&store).unwrap();
        assert!(!found.iter().any(|f| matches!(f, Found::Complete(_))), "{takes}: {found:?}");
    }
}

/// Cancels a backup after so many bytes.
fn cancelled(db: &Database, options: &BackupOptions, after_bytes: u64) -> Error {
    let done = db.backup(options, &mut |p: &BackupProgress| {
        if p.copied_bytes >= after_bytes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    done.unwrap_err()
}

#[test]
fn a_backup_that_was_cut_short_goes_on_where_it_was() {
    let (disk, store) = (disk(9), MemoryStore::new());
    let mut used = InUse::new(open_with(&disk, options(9, &store)), 9);
    let large = new_tree(&used.db);
    (0..600).for_each(|n| write(&used.db, large, n));
    used.steps(200);
    let e = used.db.backup(&resume(), &mut on).unwrap_err().to_string();
    assert!(e.contains("no unfinished backup"), "{e}");
    assert!(matches!(cancelled(&used.db, &BackupOptions::default(), 1 << 20), Error::Canceled));
    assert!(used.db.backup_progress().is_none());
    let found = archive::backups(&store).unwrap();
    let [Found::Unfinished(label)] = &found[..] else { panic!("{found:?}") };
    let stored = store.list(&archive::backup_folder(&label.id)).unwrap();
    assert!(stored.len() > 1, "a label and some chunks: {stored:?}");
    // One of them is damaged meanwhile, and the database goes on.
    let chunk = stored.iter().find(|n| n.ends_with(".pages")).unwrap();
    store.overwrite(chunk, b"damage".to_vec());
    used.steps(100);
    let mut kept = 0;
    let m = used
        .db
        .clone()
        .backup(&resume(), &mut |p| {
            kept = p.kept_bytes;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((&m.id, m.start), (&label.id, label.start));
    assert!(stored.len() < 3 || kept > 0);
    assert_restores(used.db, &disk, &store, &[m], "resumed");
}

#[test]
fn a_crash_in_the_middle_leaves_a_label_and_the_next_life_goes_on() {
    for seed in 0..8 {
        let (disk, store) = (disk(seed), MemoryStore::new());
        let mut used = InUse::new(open_with(&disk, options(seed, &store)), seed);
        used.steps(300);
        // An asynchronous commit, so that the pool is ahead of the durable log when its pages are copied.
        let mut t =
            used.db.begin(TxnOptions { durability: evenkeel::Durability::Async, ..TxnOptions::default() });
        t.put(used.trees[0], b"ahead", b"of the log").unwrap();
        t.commit().unwrap();
        let mut left = 1 + seed as u32;
        let mut crashed = None;
        let db = used.db.clone();
        let _ = db.backup(&BackupOptions::default(), &mut |p: &BackupProgress| {
            if p.phase == BackupPhase::Copying {
                used.steps(5);
                left -= 1;
            }
            if left == 0 {
                crashed = Some(disk.crash_copy(seed));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let Some(crashed) = crashed else { continue };
        db.abandon();
        used.db.clone().abandon();
        let db = open_with(&crashed, options(seed + 100, &store));
        assert!(matches!(&archive::backups(&store).unwrap()[..], [Found::Unfinished(_)]));
        let trees = used.trees.iter().copied().filter(|t| committed(&db, *t).is_ok()).collect();
        let mut used = InUse { db, rng: fastrand::Rng::with_seed(seed), trees };
        used.steps(60);
        let m = used.backup(&resume()).unwrap();
        used.steps(60);
        assert_restores(used.db, &crashed, &store, &[m], &format!("seed {seed}"));
    }
}

/// Otherwise a crash could leave a label whose backup begins behind the end of the log.
#[test]
fn a_label_is_stored_after_the_log_before_its_start_is_durable() {
    let (disk, store) = (disk(17), MemoryStore::new());
    let db = open_with(&disk, options(17, &store));
    let tree = new_tree(&db);
    (0..30).for_each(|n| write(&db, tree, n));
    let durable = Arc::new(std::sync::Mutex::new(None));
    let (asked, seen) = (db.clone(), durable.clone());
    store.set_faults(Some(Box::new(move |what, name| {
        if what == "creating" && name.contains("label") {
            seen.lock().unwrap().get_or_insert(asked.durable_lsn());
        }
        StoreFault::None
    })));
    let mut end = None;
    db.backup(&BackupOptions::default(), &mut |p: &BackupProgress| {
        if p.phase == BackupPhase::Checkpoint && end.is_none() {
            let asynchronous =
                TxnOptions { durability: evenkeel::Durability::Async, ..TxnOptions::default() };
            let mut t = db.begin(asynchronous);
            t.put(tree, b"key", b"value").unwrap();
            t.commit().unwrap();
            assert!(db.durable_lsn() < db.insert_lsn());
            end = Some(db.insert_lsn());
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    store.set_faults(None); // it holds the database
    assert!(durable.lock().unwrap().expect("a label") >= end.expect("a commit"));
}

/// Otherwise a crash could leave a chunk with changes that never happened, and the backup that goes on afterwards would keep it.
#[test]
fn a_chunk_is_stored_after_the_log_of_its_changes_is_durable() {
    let (disk, store) = (disk(16), MemoryStore::new());
    let db = open_with(&disk, options(16, &store));
    let tree = new_tree(&db);
    (0..300).for_each(|n| write(&db, tree, n));
    let durable = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (asked, seen) = (db.clone(), durable.clone());
    store.set_faults(Some(Box::new(move |what, name| {
        if what == "creating" && name.ends_with(".pages") {
            seen.lock().unwrap().push((name.to_owned(), asked.durable_lsn()));
        }
        StoreFault::None
    })));
    let (mut n, mut ahead) = (0u64, 0);
    let m = db
        .backup(&BackupOptions::default(), &mut |p: &BackupProgress| {
            if p.phase == BackupPhase::Copying {
                // Commits that do not flush, on pages that are still to be copied.
                let asynchronous =
                    TxnOptions { durability: evenkeel::Durability::Async, ..TxnOptions::default() };
                let mut t = db.begin(asynchronous);
                // Few, so that the log's buffer does not flow over.
                for i in 0..3 {
                    let key = (i * 700 + n).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
                    t.put(tree, &key, &[n as u8; 300]).unwrap();
                }
                t.commit().unwrap();
                n += 1;
                ahead += u32::from(db.durable_lsn() < db.insert_lsn());
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    store.set_faults(None); // it holds the database
    assert!(ahead > 1, "the log was durable whenever a piece was copied");
    let mut changed = 0;
    for (name, durable) in durable.lock().unwrap().iter() {
        let (bytes, _) = store.get(name).unwrap().unwrap();
        let chunk = archive::Chunk::decode(&bytes).unwrap();
        for (block, state) in chunk.iter() {
            let archive::BlockState::Page(page) = state else { continue };
            let lsn = evenkeel::page::lsn(page);
            assert!(
                lsn <= *durable,
                "block {block} of {name} is of {lsn}, the log was durable up to {durable}"
            );
            changed += u32::from(lsn > m.start.into());
        }
    }
    assert!(changed > 0, "no page was copied that had changed since the start");
    assert_restores(db, &disk, &store, &[m], "written meanwhile");
}

#[test]
fn a_backup_whose_log_is_gone_does_not_go_on() {
    let (disk, store) = (disk(11), MemoryStore::new());
    let db = open_with(&disk, options(11, &store));
    let tree = new_tree(&db);
    (0..200).for_each(|n| write(&db, tree, n));
    cancelled(&db, &BackupOptions::default(), 1);
    (0..300).for_each(|n| write(&db, tree, n));
    while db.step_archive(Duration::ZERO).unwrap() > 0 {}
    let needed = archive::backups(&store).unwrap()[0].manifest().unwrap().log_needed;
    let segment = Lsn::from(needed).0 / (64 * 1024 - 4096);
    let names = store.list("wal/").unwrap();
    let gone = names.iter().find(|n| **n >= object_name(1, segment)).unwrap();
    store.delete(gone).unwrap();
    let e = db.backup(&resume(), &mut on).unwrap_err().to_string();
    assert!(e.contains("no more log"), "{e}");
    // A new one needs newer log.
    backup(&db);
}

#[test]
fn an_archive_that_is_stuck_is_an_error_and_the_backup_goes_on_later() {
    let (disk, store) = (disk(12), MemoryStore::new());
    let db = open_with(&disk, options(12, &store));
    let tree = new_tree(&db);
    (0..200).for_each(|n| write(&db, tree, n));
    store.set_faults(Some(Box::new(|what, name| {
        if what == "creating" && name.starts_with("wal/") { StoreFault::Fail } else { StoreFault::None }
    })));
    let e = db.backup(&BackupOptions::default(), &mut on).unwrap_err().to_string();
    assert!(e.contains("did not reach the archive") && e.contains("simulated"), "{e}");
    assert!(matches!(&archive::backups(&store).unwrap()[..], [Found::Unfinished(_)]));
    store.set_faults(None);
    let m = db.backup(&resume(), &mut on).unwrap();
    assert_restores(db, &disk, &store, &[m], "after the archive came back");
}

#[test]
fn a_damaged_page_is_named() {
    use evenkeel::io::{Access, Disk, OpenMode, write_all_at};
    let (disk, store) = (disk(13), MemoryStore::new());
    let db = open_with(&disk, options(13, &store));
    let tree = new_tree(&db);
    (0..500).for_each(|n| write(&db, tree, n));
    db.checkpoint().unwrap();
    // Pages of the first tree leave the pool.
    let other = new_tree(&db);
    (0..500).for_each(|n| write(&db, other, n));
    db.checkpoint().unwrap();
    let handle = disk.open(&format!("data/{}", tree.0), OpenMode::Existing, Access::Data).unwrap();
    write_all_at(&*handle, &mut [std::io::IoSlice::new(&[7; 512])], 9 * 8192 + 1024).unwrap();
    let e = db.backup(&BackupOptions::default(), &mut on).unwrap_err();
    assert!(matches!(&e, Error::Corrupt(why) if why.what.contains("block 9")), "{e}");
}

#[test]
fn the_manifest_comes_last_and_the_label_first() {
    let (disk, store) = (disk(14), MemoryStore::new());
    let db = open_with(&disk, options(14, &store));
    let tree = new_tree(&db);
    (0..50).for_each(|n| write(&db, tree, n));
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = order.clone();
    store.set_faults(Some(Box::new(move |what, name| {
        if what == "creating" {
            seen.lock().unwrap().push(name.to_owned());
        }
        StoreFault::None
    })));
    let m = backup(&db);
    let order = order.lock().unwrap();
    let of_backup: Vec<_> = order.iter().filter(|n| n.starts_with("backups/")).collect();
    assert_eq!(of_backup[0], &label_name(&m.id));
    assert_eq!(*of_backup[of_backup.len() - 1], manifest_name(&m.id));
    assert_eq!(order.last(), Some(&manifest_name(&m.id)), "the log is there before");
    assert_eq!(archive::manifest(&store, &m.id).unwrap(), m);
}

#[test]
fn one_backup_at_a_time() {
    let (disk, store) = (disk(15), MemoryStore::new());
    let db = open_with(&disk, options(15, &store));
    new_tree(&db);
    let refused = AtomicU64::new(0);
    db.backup(&BackupOptions::default(), &mut |_| {
        let e = db.backup(&BackupOptions::default(), &mut on).unwrap_err().to_string();
        assert!(e.contains("already"), "{e}");
        refused.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(refused.into_inner() > 0);
}
