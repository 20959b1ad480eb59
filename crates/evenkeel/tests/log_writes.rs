//! How log writes become durable: methods, the log writer, and what a crash takes of asynchronous commits.

mod common;

use common::*;
use evenkeel::io::{CrashPolicy, SimDisk, SimOptions};
use evenkeel::{CommitStage, Database, Durability, Options, TreeId, TxnOptions};
use std::sync::Arc;

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
        let db = Database::open(folder.path(), options()).unwrap();
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
