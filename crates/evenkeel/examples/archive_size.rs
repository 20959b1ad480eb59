//! How large the archive of a log is: images kept or stripped, levels of compression. The load is like `pgbench -N`: a row of some
//! hundred bytes updated at random, a short one appended.
//!
//!     cargo run --release --example archive_size -- [rows] [transactions]

use evenkeel::archive::{ArchiveStore, FolderStore, verify};
use evenkeel::{Database, Durability, Options, TxnOptions};
use std::time::{Duration, Instant};

fn main() -> evenkeel::Result<()> {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>().expect("a number"));
    let (rows, transactions) = (args.next().unwrap_or(500_000), args.next().unwrap_or(200_000));
    println!("{rows} rows, {transactions} transactions");
    println!(
        "{:>6} {:>5} {:>14} {:>14} {:>8} {:>8}",
        "images", "level", "log bytes", "archive bytes", "share", "seconds"
    );
    for (images, level) in [("keep", "0"), ("keep", "3"), ("strip", "0"), ("strip", "3"), ("strip", "9")] {
        let dir = tempfile::tempdir().expect("a folder");
        let archive = dir.path().join("archive");
        let options = Options::default()
            .with("fsync", "off")?
            .with("direct_io", "off")?
            .with("shared_buffers", "256MB")?
            .with("max_wal_size", "64MB")?
            .with("archive_page_images", images)?
            .with("archive_compression_level", level)?
            .with("archive_timeout", "0")?
            .with("archive_url", &format!("file://{}", archive.display()))?;
        let db = Database::open(dir.path().join("db"), options)?;
        let lazy = TxnOptions { durability: Durability::Async, ..TxnOptions::default() };
        let mut load = db.begin(lazy);
        let (accounts, history) = (load.create_tree()?, load.create_tree()?);
        load.commit()?;
        for chunk in (0..rows).collect::<Vec<_>>().chunks(10_000) {
            let mut t = db.begin(lazy);
            for k in chunk {
                t.insert(accounts, &k.to_be_bytes(), &row(*k, 0))?;
            }
            t.commit()?;
        }
        db.checkpoint()?;
        let loaded = db.stats().wal_lsn;
        let stored_before = drain(&db);
        let started = Instant::now();
        let mut rng = fastrand::Rng::with_seed(1);
        for n in 0..transactions {
            let mut t = db.begin(lazy);
            let k = rng.u64(..rows);
            t.put(accounts, &k.to_be_bytes(), &row(k, rng.i32(-5000..5000)))?;
            t.insert(history, &n.to_be_bytes(), &row(n, 1)[..40])?;
            t.commit()?;
        }
        let seconds = started.elapsed().as_secs_f64();
        db.wait_durable(evenkeel::Lsn(db.stats().wal_lsn))?;
        let stored = drain(&db);
        let log = db.archive_stats().map_or(0, |a| a.log_bytes);
        let (log, stored) = (log.saturating_sub(stored_before.1), stored.0 - stored_before.0);
        println!(
            "{images:>6} {level:>5} {log:>14} {stored:>14} {:>7.1}% {seconds:>8.1}",
            100.0 * stored as f64 / log.max(1) as f64
        );
        assert!(db.stats().wal_lsn > loaded);
        db.close()?;
        let store = FolderStore::new(archive);
        let report = verify(&store)?;
        assert!(report.problems.is_empty(), "{}: {:?}", store.describe(), report.problems);
    }
    Ok(())
}

/// Waits until every finished segment is archived. Gives bytes stored and bytes of log.
fn drain(db: &Database) -> (u64, u64) {
    loop {
        let before = db.archive_stats().expect("there is an archive");
        if before.lag_bytes < 16 * 1024 * 1024 {
            return (before.stored_bytes, before.log_bytes);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn row(key: u64, change: i32) -> Vec<u8> {
    let mut row = vec![b' '; 96];
    row[..8].copy_from_slice(&key.to_le_bytes());
    row[8..12].copy_from_slice(&change.to_le_bytes());
    row
}
