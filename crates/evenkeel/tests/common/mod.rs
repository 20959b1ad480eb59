//! What the engine's integration tests share: small databases on a simulated disk.

#![allow(dead_code)] // each test binary uses its part

pub mod moments;
pub mod pair;
pub mod restored;
pub mod workload;

use evenkeel::archive::MemoryStore;
use evenkeel::io::{SimDisk, SimOptions};
use evenkeel::{Database, Direction, KeyRange, Options, Transaction, TreeId, TxnOptions};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Options of a small, deterministic database without threads.
pub fn small(seed: u64) -> Options {
    Options::default()
        .without_threads()
        .with_seed(seed)
        .with("shared_buffers", "512kB")
        .and_then(|o| o.with("wal_segment_size", "64kB"))
        .and_then(|o| o.with("wal_buffers", "256kB"))
        .and_then(|o| o.with("checkpoint_partitions", "4"))
        .expect("valid settings")
}

/// The same with an archive, to which each step ships what there is.
pub fn archived(seed: u64, store: &MemoryStore) -> Options {
    small(seed)
        .with("max_wal_size", "256kB")
        .and_then(|o| o.with("archive_timeout", "0"))
        .expect("valid settings")
        .with_archive_store(Arc::new(store.clone()))
}

/// A fresh simulated disk.
pub fn disk(seed: u64) -> SimDisk {
    SimDisk::new(SimOptions { seed, atomic_unit_max_bytes: 16384, ..SimOptions::default() })
}

/// Opens a database on a simulated disk.
pub fn open(disk: &SimDisk, seed: u64) -> evenkeel::Result<Database> {
    Database::open_on(Arc::new(disk.clone()), small(seed))
}

/// Opens a database that must open.
pub fn open_with(disk: &SimDisk, options: Options) -> Database {
    Database::open_on(Arc::new(disk.clone()), options).unwrap()
}

/// Commits a transaction that logs some kilobytes.
pub fn write(db: &Database, tree: TreeId, n: u64) -> evenkeel::Result<()> {
    let mut t = db.begin(TxnOptions::default());
    for i in 0..8u64 {
        let key = (n * 8 + i).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
        t.put(tree, &key, &vec![n as u8; 300])?;
    }
    t.commit().map(drop)
}

/// A database on a new simulated disk.
pub fn fresh(seed: u64) -> (SimDisk, Database) {
    let disk = disk(seed);
    let db = open(&disk, seed).expect("a new database opens");
    (disk, db)
}

pub type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// All rows that a transaction sees in a tree.
pub fn rows(txn: &mut Transaction, tree: TreeId) -> evenkeel::Result<Rows> {
    let mut out = Rows::new();
    let mut cursor = txn.cursor(tree, KeyRange::all(), Direction::Forward)?;
    while let Some((k, v)) = cursor.next(txn)? {
        out.insert(k.to_vec(), v.to_vec());
    }
    Ok(out)
}

/// All committed rows of a tree.
pub fn committed(db: &Database, tree: TreeId) -> evenkeel::Result<Rows> {
    rows(&mut db.begin(TxnOptions::default()), tree)
}

/// Creates a tree in a transaction of its own.
pub fn new_tree(db: &Database) -> TreeId {
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree().expect("a tree is created");
    t.commit().expect("commit");
    tree
}

/// A tree that has outgrown its root, and a file, durable at home: of large values it has one, under the empty key.
pub fn tree_with_file(db: &Database) -> TreeId {
    let tree = new_tree(db);
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"", &[0; 2 * evenkeel::PAGE_BYTES]).expect("a large value");
    t.commit().expect("commit");
    db.checkpoint().expect("a checkpoint");
    tree
}

/// Panics with everything that the verifier finds.
pub fn assert_sound(db: &Database, context: &str) {
    let report = evenkeel::check::check_open_database(db, &mut |_| {}).expect("check runs");
    assert!(report.problems.is_empty(), "{context}: {:#?}", report.problems);
}
