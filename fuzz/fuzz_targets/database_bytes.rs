//! A small database whose files are damaged at any place: opening, reading and checking it gives answers or errors, never a panic or a hang.
//! Checksums of pages are repaired after the damage, so that it reaches the code behind them.
#![no_main]

use evenkeel::io::{Access, AlignedBuf, Disk, OpenMode, SimDisk, SimOptions, read_exact_at, write_all_at};
use evenkeel::{Database, Direction, KeyRange, Options, TxnOptions};
use libfuzzer_sys::fuzz_target;
use std::io::IoSlice;
use std::sync::{Arc, OnceLock};

fn options() -> Options {
    let mut o = Options::default().without_threads().with_seed(1);
    for (k, v) in [("shared_buffers", "512kB"), ("wal_segment_size", "64kB"), ("wal_buffers", "256kB"), ("checkpoint_partitions", "4")] {
        o.set(k, v).unwrap();
    }
    o
}

/// A crashed database with some of everything.
fn base() -> &'static (SimDisk, evenkeel::TreeId) {
    static BASE: OnceLock<(SimDisk, evenkeel::TreeId)> = OnceLock::new();
    BASE.get_or_init(|| {
        let disk = SimDisk::new(SimOptions::default());
        let db = Database::open_on(Arc::new(disk.clone()), options()).unwrap();
        let mut t = db.begin(TxnOptions::default());
        let tree = t.create_tree().unwrap();
        for i in 0..400u32 {
            t.insert(tree, &i.to_be_bytes(), &[i as u8; 60]).unwrap();
        }
        t.insert(tree, b"large", &[7; 30_000]).unwrap();
        t.commit().unwrap();
        db.checkpoint().unwrap();
        let mut t = db.begin(TxnOptions::default());
        for i in 0..50u32 {
            t.put(tree, &i.to_be_bytes(), &[1; 80]).unwrap();
        }
        t.commit().unwrap();
        db.abandon();
        (disk, tree)
    })
}

fuzz_target!(|data: &[u8]| {
    let (base, tree) = base();
    let disk = base.kill_copy();
    let mut paths: Vec<String> = vec!["control".into()];
    for dir in ["data", "wal"] {
        paths.extend(disk.list(dir).unwrap().into_iter().map(|n| format!("{dir}/{n}")));
    }
    // Seven bytes a damage: file, offset (3), value, length, repair the checksum or not.
    for d in data.chunks_exact(7).take(16) {
        let path = &paths[usize::from(d[0]) % paths.len()];
        let file = disk.open(path, OpenMode::Existing, Access::Buffered).unwrap();
        let len = file.len().unwrap().max(1);
        let at = (u64::from(d[1]) << 16 | u64::from(d[2]) << 8 | u64::from(d[3])) % len;
        let bytes = vec![d[4]; usize::from(d[5] % 16) + 1];
        write_all_at(&*file, &mut [IoSlice::new(&bytes)], at).unwrap();
        if let (Some(number), true) = (path.strip_prefix("data/").and_then(|n| n.parse().ok()), d[6] % 4 != 0) {
            let block = (at / 8192) as u32;
            let mut page = AlignedBuf::new(8192);
            if read_exact_at(&*file, &mut page, u64::from(block) * 8192).is_ok() {
                evenkeel::page::seal(&mut page, evenkeel::base::PageId::new(evenkeel::base::FileId(number), block));
                write_all_at(&*file, &mut [IoSlice::new(&page)], u64::from(block) * 8192).unwrap();
            }
        }
    }
    let Ok(db) = Database::open_on(Arc::new(disk), options()) else { return };
    let mut t = db.begin(TxnOptions::default());
    for direction in [Direction::Forward, Direction::Backward] {
        if let Ok(mut c) = t.cursor(*tree, KeyRange::all(), direction) {
            let mut rows = 0;
            while let Ok(Some(_)) = c.next(&mut t) {
                rows += 1;
                assert!(rows < 1_000_000, "a scan does not end");
            }
        }
    }
    let _ = t.put(*tree, b"new", b"row");
    let _ = t.rollback();
    let _ = evenkeel::check::check_open_database(&db, &mut |_| {});
    db.abandon();
});
