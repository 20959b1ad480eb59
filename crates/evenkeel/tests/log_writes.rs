//! How log writes become durable: methods, the log writer, and what a crash takes of asynchronous commits.

mod common;

use common::*;
use evenkeel::io::{Access, CrashPolicy, Disk, SimCall, SimCallKind, SimDisk, SimOptions};
use evenkeel::{CommitStage, Database, Durability, Options, TreeId, TxnOptions};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

fn commit(db: &Database, tree: TreeId, i: u32, value: &[u8], durability: Durability) {
    let mut t = db.begin(TxnOptions { durability, ..TxnOptions::default() });
    t.put(tree, &i.to_be_bytes(), value).unwrap();
    t.commit().unwrap();
}

#[test]
fn where_writes_need_a_sync_every_commit_makes_one_and_survives() {
    let disk = SimDisk::new(SimOptions { seed: 1, log_needs_sync: true, ..SimOptions::default() });
    let db = open(&disk, 1).unwrap();
    let tree = new_tree(&db);
    let before = (disk.counters().syncs, db.stats());
    for i in 0..10 {
        commit(&db, tree, i, b"value", Durability::Sync);
    }
    let after = db.stats();
    assert_eq!(disk.counters().syncs - before.0, 10);
    assert_eq!((after.wal_syncs - before.1.wal_syncs, after.wal_writes - before.1.wal_writes), (10, 10));
    let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 0);
    db.abandon();
    assert_eq!(committed(&open(&crashed, 2).unwrap(), tree).unwrap().len(), 10);
}

#[test]
fn where_writes_are_durable_themselves_no_commit_syncs() {
    let (disk, db) = fresh(1);
    let tree = new_tree(&db);
    let before = disk.counters().syncs;
    for i in 0..10 {
        commit(&db, tree, i, b"value", Durability::Sync);
    }
    assert_eq!((disk.counters().syncs - before, db.stats().wal_syncs), (0, 0));
}

#[test]
fn every_method_serves_a_database() {
    for method in evenkeel::io::LogSync::NAMES {
        let folder = tempfile::tempdir().unwrap();
        let options = || Options::default().with("wal_sync_method", method).unwrap();
        let db = match Database::open(folder.path(), options()) {
            Err(e) if method == "io_uring" => {
                assert!(e.to_string().contains("wal_sync_method"), "{e}"); // some containers permit none
                continue;
            }
            db => db.unwrap(),
        };
        let tree = new_tree(&db);
        commit(&db, tree, 1, b"value", Durability::Sync);
        assert_eq!(db.stats().wal_syncs > 0, method.starts_with('f'), "{method}");
        let shown = db.settings().into_iter().find(|s| s.name == "wal_sync_method").unwrap();
        assert_eq!(shown.value, method);
        db.abandon();
        let db = Database::open(folder.path(), options()).unwrap();
        assert_eq!(committed(&db, tree).unwrap().len(), 1, "{method}");
    }
}

#[test]
fn the_stages_of_a_commit_are_counted_once_each() {
    let (_disk, db) = fresh(3);
    let tree = new_tree(&db);
    let before = db.commit_stats().gang_size.samples();
    (0..7).for_each(|i| commit(&db, tree, i, b"value", Durability::Sync));
    let stats = db.commit_stats();
    assert_eq!(stats.gang_size.samples() - before, 7);
    for (name, _, counts) in stats.named() {
        assert_eq!(counts.samples(), stats.gang_size.samples(), "{name}");
    }
    let names = CommitStage::ALL.map(CommitStage::name);
    assert_eq!(names, ["inserted", "written", "flushed", "acknowledged"]);
}

/// Time is counted in ticks of `wal_writer_delay`: at the end of each the log writer's clock strikes; between them it acts only when it is asked.
#[test]
fn an_asynchronous_commit_is_lost_only_within_three_delays() {
    const TICKS: usize = 12;
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let disk = disk(seed);
        let options = small(seed).with("wal_writer_flush_after", "16kB").unwrap();
        let db = Database::open_on(Arc::new(disk.clone()), options).unwrap();
        let tree = new_tree(&db);
        // The number of commits at the end of each tick.
        let mut commits = vec![0u32];
        let mut key = 0;
        for _ in 0..TICKS {
            for _ in 0..rng.u32(0..30) {
                let value = vec![key as u8; rng.usize(1..1800)];
                commit(&db, tree, key, &value, Durability::Async);
                key += 1;
                db.step_log_writer_if_asked().unwrap();
                let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, seed);
                let found = rows_in(&crashed, tree, seed);
                let promised = commits[commits.len().saturating_sub(3)];
                assert!(
                    found >= promised,
                    "seed {seed}: {found} of {key} commits survive, {promised} are three delays old"
                );
                let usual = *commits.last().unwrap();
                assert!(
                    found >= usual,
                    "seed {seed}: {found} of {key}: everything before the last strike, {usual}, was flushed by it"
                );
            }
            db.step_log_writer().unwrap();
            commits.push(key);
        }
        db.abandon();
    }
}

fn rows_in(crashed: &SimDisk, tree: TreeId, seed: u64) -> u32 {
    let db = open(crashed, seed + 1).unwrap();
    let rows = committed(&db, tree).unwrap();
    db.abandon();
    // A prefix: no commit survives without those before it.
    assert!((0..rows.len() as u32).all(|i| rows.contains_key(&i.to_be_bytes()[..])), "seed {seed}: a hole");
    rows.len() as u32
}

#[test]
fn a_large_transaction_finds_most_of_its_log_written_when_it_commits() {
    let disk = disk(5);
    let options = small(5).with("wal_writer_flush_after", "32kB").unwrap();
    let db = Database::open_on(Arc::new(disk), options).unwrap();
    let tree = new_tree(&db);
    let (mut t, mut unwritten_max) = (db.begin(TxnOptions::default()), 0);
    for i in 0..600u32 {
        t.put(tree, &i.to_be_bytes(), &[7; 1000]).unwrap();
        db.step_log_writer_if_asked().unwrap();
        let s = db.stats();
        unwritten_max = unwritten_max.max(s.wal_lsn - s.wal_flushed_lsn);
    }
    let before = db.stats();
    assert!(before.wal_lsn > 600_000);
    assert!(unwritten_max < 64 << 10, "{unwritten_max}");
    t.commit().unwrap();
    let written = db.stats().wal_bytes_written - before.wal_bytes_written;
    assert!(written < 64 << 10, "{written} bytes were left to the commit");
}

/// A database with writes in flight that end when the test says.
struct InFlight {
    disk: SimDisk,
    db: Database,
    tree: TreeId,
    /// Of each write: its number in the log, its parts on the disk, and the row that it made durable.
    writes: Vec<(u64, Vec<u64>, u32)>,
}

impl InFlight {
    /// So many commits, each in a write of its own, none of which has ended.
    fn new(seed: u64, depth: &str, commits: u32) -> InFlight {
        let disk = disk(seed);
        let db =
            Database::open_on(Arc::new(disk.clone()), small(seed).with("wal_flush_depth", depth).unwrap())
                .unwrap();
        let tree = new_tree(&db);
        let mut all = InFlight { disk, db, tree, writes: Vec::new() };
        for i in 0..commits {
            let mut t = all.db.begin(TxnOptions::default());
            t.put(tree, &i.to_be_bytes(), b"value").unwrap();
            t.commit_visible().unwrap();
            let before = all.disk.deferred_log_writes();
            all.disk.defer_log_writes(true);
            let number = all.db.log().simulate_submit(true).unwrap().expect("a write beside the others");
            all.disk.defer_log_writes(false);
            let parts = all.disk.deferred_log_writes().into_iter().filter(|p| !before.contains(p)).collect();
            all.writes.push((number, parts, i));
        }
        all
    }

    fn end(&self, i: usize, ok: bool) -> evenkeel::Result<()> {
        if ok {
            self.writes[i].1.iter().for_each(|part| self.disk.complete_log_write(*part));
        }
        self.db.log().simulate_end(self.writes[i].0, ok)
    }

    /// Rows that would survive a crash that loses everything not durable.
    fn surviving(&self) -> u32 {
        rows_in(&self.disk.crash_copy_with(CrashPolicy::LoseUnsynced, 0), self.tree, 9)
    }
}

#[test]
fn a_commit_is_durable_when_its_write_and_all_before_it_have_ended() {
    for seed in 0..60 {
        let f = InFlight::new(seed, "8", 6);
        let mut order: Vec<usize> = (0..6).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut order);
        let mut ended = [false; 6];
        for i in order {
            f.end(i, true).unwrap();
            ended[i] = true;
            let prefix = ended.iter().take_while(|e| **e).count() as u32;
            assert_eq!(f.surviving(), prefix, "seed {seed}: {ended:?}");
        }
        assert!(f.db.stats().wal_padding_bytes > 0);
        f.db.abandon();
    }
}

#[test]
fn a_failing_write_in_the_middle_poisons_and_nothing_behind_it_is_acknowledged() {
    for depth in ["4", "16"] {
        for failing in 0..4usize {
            let f = InFlight::new(7, depth, 4);
            let acknowledged = |f: &InFlight| f.db.stats().wal_flushed_lsn;
            let before = acknowledged(&f);
            // Those behind it end first, and well.
            (failing + 1..4).for_each(|i| f.end(i, true).unwrap());
            assert!(f.end(failing, false).is_err());
            assert!(f.db.poisoned().is_some());
            assert_eq!(acknowledged(&f), before);
            (0..failing).rev().for_each(|i| f.end(i, true).unwrap());
            assert_eq!(f.surviving(), failing as u32, "depth {depth}: what lies before the failed write");
            // Further commits fail, and what is kept of all that is a prefix, whatever the crash takes.
            let mut t = f.db.begin(TxnOptions::default());
            assert!(t.put(f.tree, b"more", b"row").and_then(|()| t.commit().map(drop)).is_err());
            for seed in 0..20 {
                let found = rows_in(&f.disk.crash_copy(seed), f.tree, seed);
                assert!(found as usize >= failing, "depth {depth}, seed {seed}: {found} of {failing}");
            }
            f.db.abandon();
        }
    }
}

/// Real threads, each a committer that writes by itself; the disk lets other threads go first at random, so that writes end in any order.
#[test]
fn what_threads_were_told_is_durable_survives_a_crash_at_any_moment() {
    for depth in ["1", "4", "16"] {
        let seed = 11;
        let disk = disk(seed);
        let options = small(seed).with("wal_flush_depth", depth).unwrap();
        let db = Database::open_on(Arc::new(disk.clone()), options).unwrap();
        let trees: Vec<TreeId> = (0..6).map(|_| new_tree(&db)).collect();
        let told: Vec<AtomicU32> = trees.iter().map(|_| AtomicU32::new(0)).collect();
        let calls = AtomicU32::new(0);
        disk.set_gate(Some(Arc::new(move |_| {
            (0..calls.fetch_add(1, Ordering::Relaxed) * 7 % 5).for_each(|_| std::thread::yield_now());
        })));
        std::thread::scope(|s| {
            let workers: Vec<_> = trees
                .iter()
                .zip(&told)
                .map(|(tree, told)| {
                    let db = &db;
                    s.spawn(move || {
                        for i in 0..60 {
                            commit(db, *tree, i, &[i as u8; 40], Durability::Sync);
                            told.store(i + 1, Ordering::SeqCst);
                        }
                    })
                })
                .collect();
            let mut crash = 0;
            while workers.iter().any(|w| !w.is_finished()) {
                // First what was told, then the crash.
                let promised: Vec<u32> = told.iter().map(|t| t.load(Ordering::SeqCst)).collect();
                let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, crash);
                crash += 1;
                let after = open(&crashed, crash).unwrap();
                for (tree, promised) in trees.iter().zip(promised) {
                    let found = committed(&after, *tree).unwrap().len() as u32;
                    assert!(found >= promised, "depth {depth}, crash {crash}: {found} of {promised}");
                }
                after.abandon();
            }
        });
        disk.set_gate(None);
        let commits = 6 + 6 * 60; // the trees, and their rows
        assert_eq!(db.commit_stats().gang_size.sum, commits, "depth {depth}: each commit counts once");
        db.abandon();
    }
}

/// What is asked of the disk, in order.
fn record_calls(disk: &SimDisk) -> Arc<Mutex<Vec<SimCall>>> {
    let calls: Arc<Mutex<Vec<SimCall>>> = Arc::default();
    let sink = calls.clone();
    disk.set_hook(Some(Box::new(move |call, _| sink.lock().unwrap().push(call.clone()))));
    calls
}

/// A durable write of zeros would cost commits a revolution of a rotating disk each.
#[test]
fn the_next_segment_is_filled_in_pieces_and_made_durable_once() {
    let disk = disk(6);
    let options = small(6).with("wal_segment_size", "4MB").unwrap();
    let db = Database::open_on(Arc::new(disk.clone()), options).unwrap();
    let tree = new_tree(&db);
    let calls = record_calls(&disk);
    let is_new = |c: &SimCall| c.path.starts_with("wal/new-");
    let mut pieces = Vec::new();
    let mut key = 0;
    while !calls.lock().unwrap().iter().any(|c| c.kind == SimCallKind::Rename) {
        (0..20).for_each(|_| {
            commit(&db, tree, key, &[7; 1900], Durability::Sync);
            key += 1;
        });
        let before = calls.lock().unwrap().len();
        db.step_log_writer().unwrap();
        let calls = calls.lock().unwrap();
        let step = calls[before..].iter().filter(|c| is_new(c) && c.kind == SimCallKind::Write);
        pieces.push(step.map(|c| c.len).sum::<u64>());
    }
    disk.set_hook(None);
    let calls = calls.lock().unwrap();
    let new: Vec<&SimCall> = calls.iter().filter(|c| is_new(c)).collect();
    let durable = |c: &&&SimCall| c.kind == SimCallKind::Write && c.access == Some(Access::Log);
    assert_eq!(new.iter().filter(durable).count(), 0, "writes that are durable one by one");
    assert_eq!(new.iter().filter(|c| c.kind == SimCallKind::Sync).count(), 1);
    assert_eq!(pieces.iter().sum::<u64>(), 4 << 20, "all of it is written");
    let busy = pieces.iter().filter(|bytes| **bytes > 0).count();
    assert!(busy >= 8 && pieces.iter().all(|bytes| *bytes <= 512 << 10), "{pieces:?}");
    // It was ready before it was needed: no commit has made one.
    assert!(db.stats().wal_records > 0 && db.stats().wal_bytes < 4 << 20);
    db.abandon();
}

#[test]
fn a_crash_while_the_next_segment_is_filled_leaves_nothing_of_it() {
    let disk = disk(7);
    let options = || small(7).with("wal_segment_size", "1MB").unwrap();
    let db = Database::open_on(Arc::new(disk.clone()), options()).unwrap();
    let tree = new_tree(&db);
    let half_made = |disk: &SimDisk| disk.list("wal").unwrap().iter().any(|name| name.starts_with("new-"));
    let mut key = 0;
    while !half_made(&disk) {
        commit(&db, tree, key, &[7; 1900], Durability::Sync);
        key += 1;
        db.step_log_writer().unwrap();
    }
    for policy in [CrashPolicy::LoseUnsynced, CrashPolicy::KeepAll, CrashPolicy::Mixed] {
        let crashed = disk.crash_copy_with(policy, 3);
        let after = Database::open_on(Arc::new(crashed.clone()), options()).unwrap();
        assert!(!half_made(&crashed), "{policy:?}");
        assert_eq!(committed(&after, tree).unwrap().len() as u32, key, "{policy:?}");
        after.abandon();
    }
    // Nor does it hinder whoever needs the space at once.
    (0..600).for_each(|i| commit(&db, tree, key + i, &[7; 1900], Durability::Sync));
    assert!(!half_made(&disk), "it was finished by those who needed it");
    db.abandon();
}
