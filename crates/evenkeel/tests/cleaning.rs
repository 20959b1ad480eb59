//! The background writer under an embedded update load, step by step and without threads.

mod common;

use common::*;
use evenkeel::settings::Context;
use evenkeel::{Database, LockMode, Options, TreeId, TxnOptions, Write};
use std::sync::Arc;

const ROWS: u32 = 12_000;

/// A database several times as large as its pool.
fn larger_than_memory(policy: &str) -> (Database, TreeId) {
    larger_than_memory_under(policy, "full_page_writes")
}

fn larger_than_memory_under(policy: &str, protection: &str) -> (Database, TreeId) {
    let options = small(7)
        .with("torn_page_protection", protection)
        .unwrap()
        .with("shared_buffers", "1MB")
        .and_then(|o| o.with("wal_segment_size", "1MB"))
        .and_then(|o| o.with("max_wal_size", "64MB"))
        .and_then(|o| o.with("bgwriter_policy", policy))
        .unwrap();
    let db = Database::open_on(Arc::new(disk(7)), options).unwrap();
    let tree = new_tree(&db);
    for chunk in 0..ROWS / 100 {
        let mut t = db.begin(TxnOptions::default());
        for i in 0..100 {
            t.insert(tree, &(chunk * 100 + i).to_be_bytes(), &[7; 400]).unwrap();
        }
        t.commit().unwrap();
        db.step_clean().unwrap();
    }
    assert!(db.tree_size_bytes(tree).unwrap() > 4 << 20);
    (db, tree)
}

/// Updates of random rows, `burst` transactions between steps of the cleaner.
fn update(db: &Database, tree: TreeId, rng: &mut fastrand::Rng, steps: u32, burst: u32) {
    for step in 0..steps {
        for _ in 0..burst {
            let mut t = db.begin(TxnOptions::default());
            let key = rng.u32(..ROWS).to_be_bytes();
            assert!(t.get(tree, &key).unwrap().is_some());
            let done = t.update(tree, &key, &[rng.u8(..); 400], LockMode::NoKeyUpdate).unwrap();
            assert_eq!(done, Write::Done);
            t.commit().unwrap();
        }
        db.step_clean().unwrap();
        if step % 50 == 0 {
            db.step_round().unwrap();
            while db.step_purge().unwrap() > 0 {}
        }
    }
}

#[test]
fn no_backend_writes_a_page_under_a_steady_load() {
    for burst in [1, 4, 10] {
        let (db, tree) = larger_than_memory("dirty_chain");
        let mut rng = fastrand::Rng::with_seed(3);
        update(&db, tree, &mut rng, 50, burst);
        let before = db.stats();
        update(&db, tree, &mut rng, 500, burst);
        let after = db.stats();
        assert!(after.buffer_evictions - before.buffer_evictions > 300, "the pool is too small for the data");
        assert_eq!(after.buffers_backend, before.buffers_backend, "{burst} updates between steps");
        assert!(after.buffers_clean > before.buffers_clean);
        assert_sound(&db, "after the load");
    }
}

#[test]
fn every_policy_cleans_and_may_be_chosen_while_the_database_runs() {
    let (db, tree) = larger_than_memory("dirty_chain");
    let mut rng = fastrand::Rng::with_seed(4);
    for policy in ["full_scan", "lru_percent", "lru_pages", "t2_only", "two_speed", "dirty_chain"] {
        db.set_setting("bgwriter_policy", policy).unwrap();
        db.set_setting("bgwriter_percent", "50").unwrap();
        let before = db.stats();
        update(&db, tree, &mut rng, 100, 4);
        let after = db.stats();
        assert_eq!(after.bgwriter_steps - before.bgwriter_steps, 100);
        assert!(after.buffers_clean > before.buffers_clean, "{policy}");
        assert_sound(&db, policy);
    }
    assert!(db.set_setting("bgwriter_policy", "none").is_err());
    assert!(db.set_setting("bgwriter_percent", "101").is_err());
}

#[test]
fn a_step_writes_no_more_than_it_may_and_counts_when_it_stops_for_that() {
    let (db, tree) = larger_than_memory("lru_pages");
    let mut rng = fastrand::Rng::with_seed(5);
    db.set_setting("bgwriter_maxpages", "0").unwrap();
    update(&db, tree, &mut rng, 1, 100);
    assert_eq!(db.step_clean().unwrap(), 0);
    db.set_setting("bgwriter_maxpages", "3").unwrap();
    let before = db.stats();
    assert_eq!(db.step_clean().unwrap(), 3);
    let after = db.stats();
    assert_eq!(after.maxwritten_clean - before.maxwritten_clean, 1);
    assert_eq!(after.buffers_clean - before.buffers_clean, 3);
}

#[test]
fn under_double_write_pages_to_clean_share_a_write_to_the_side_file() {
    let (db, tree) = larger_than_memory_under("lru_pages", "double_write");
    let mut rng = fastrand::Rng::with_seed(6);
    db.set_setting("bgwriter_maxpages", "0").unwrap();
    update(&db, tree, &mut rng, 1, 200);
    db.set_setting("bgwriter_maxpages", "32").unwrap();
    let before = db.stats();
    let written = db.step_clean().unwrap() as u64;
    let batches = db.stats().double_write_batches - before.double_write_batches;
    assert!(written >= 16 && batches <= written.div_ceil(8), "{written} pages in {batches} batches");
}

#[test]
fn a_large_scan_leaves_the_pages_that_are_used_again() {
    let (db, tree) = larger_than_memory("dirty_chain");
    let get = |rows: std::ops::Range<u32>| {
        let mut t = db.begin(TxnOptions::default());
        rows.for_each(|i| assert!(t.get(tree, &i.to_be_bytes()).unwrap().is_some()));
    };
    get(0..300);
    get(5000..6200); // other pages come in between
    get(0..300);
    committed(&db, tree).unwrap();
    let before = db.stats().buffer_reads;
    get(0..300);
    assert_eq!(db.stats().buffer_reads, before, "a scan of five times the pool has not flushed it");
}

#[test]
fn options_name_the_policies() {
    let o = Options::default();
    let shown = |name: &str| o.settings().into_iter().find(|s| s.name == name).unwrap();
    assert_eq!(shown("bgwriter_policy").value, "dirty_chain");
    assert_eq!(shown("bgwriter_percent").value, "2");
    assert!(["bgwriter_policy", "bgwriter_percent"].map(|name| shown(name).context) == [Context::Sighup; 2]);
}

/// Leaves that lie one after the other are read by many at a time.
#[test]
fn a_scan_reads_ahead() {
    let (disk, db) = fresh(11);
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    for i in 0..6000u32 {
        t.insert(tree, &i.to_be_bytes(), &[7; 200]).unwrap();
    }
    t.commit().unwrap();
    let pages = db.tree_size_bytes(tree).unwrap() / 8192;
    db.close().unwrap();
    drop(db);
    let db = open(&disk, 11).unwrap();
    let before = db.stats().buffer_reads;
    assert_eq!(committed(&db, tree).unwrap().len(), 6000);
    let reads = db.stats().buffer_reads - before;
    assert!(pages > 150 && reads < pages / 5, "{reads} reads for {pages} pages");
}
