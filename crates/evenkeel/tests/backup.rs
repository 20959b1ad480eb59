//! Base backups: made while the database is in use, whole whatever fails, and enough, with the log, to have the database again.

mod common;

use common::{disk, new_tree, small};
use evenkeel::archive::{self, MemoryStore};
use evenkeel::io::SimDisk;
use evenkeel::{BackupOptions, BackupProgress, Database, Options, TreeId, TxnOptions};
use std::ops::ControlFlow;
use std::sync::Arc;

fn options(seed: u64, store: &MemoryStore) -> Options {
    small(seed)
        .with("max_wal_size", "256kB")
        .and_then(|o| o.with("archive_timeout", "0"))
        .unwrap()
        .with_archive_store(Arc::new(store.clone()))
        .with_archive_place("here")
}

fn open_with(disk: &SimDisk, options: Options) -> Database {
    Database::open_on(Arc::new(disk.clone()), options).unwrap()
}

fn on(_: &BackupProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn write(db: &Database, tree: TreeId, n: u64) {
    let mut t = db.begin(TxnOptions::default());
    for i in 0..8u64 {
        let key = (n * 8 + i).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
        t.put(tree, &key, &vec![n as u8; 300]).unwrap();
    }
    t.commit().unwrap();
}

#[test]
fn a_backup_is_complete_when_its_log_is_archived() {
    let (disk, store) = (disk(1), MemoryStore::new());
    let db = open_with(&disk, options(1, &store));
    let tree = new_tree(&db);
    (0..200).for_each(|n| write(&db, tree, n));
    let m = db.backup(&BackupOptions::default(), &mut on).unwrap();
    assert_eq!(archive::manifest(&store, &m.id).unwrap(), m);
    assert!(m.files.iter().any(|f| f.file == tree.0 && f.blocks > 10));
}
