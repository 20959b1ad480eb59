//! Commits a second on a disk that turns 7200 times a minute, where each flush ends when the platter comes round: does every flush carry everybody?
//!
//! Between two commits a committer does something else for a while, as a client across a wire does; whoever starts a flush at once leaves behind all who were
//! released with it.
//!
//! `cargo run --release -p evenkeel --example rotating_disk [seconds for each row] [pause, microseconds]`

use evenkeel::io::{LatencyDisk, SimDisk, SimOptions};
use evenkeel::{Database, Options, Result, TxnOptions};
use std::sync::Arc;
use std::time::{Duration, Instant};

const TURNS_PER_S: f64 = 120.0;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1).map(|a| a.parse().expect("a number"));
    let seconds = args.next().unwrap_or(10);
    let pause = Duration::from_micros(args.next().unwrap_or(500));
    println!("committers  commits/s  of n x 120  flushes/s  commits/flush");
    for committers in [1, 4, 5, 8, 16, 64] {
        measure(committers, pause, Duration::from_secs(seconds))?;
    }
    Ok(())
}

fn measure(committers: u64, pause: Duration, length: Duration) -> Result<()> {
    let turn = Duration::from_secs_f64(1.0 / TURNS_PER_S);
    let disk = LatencyDisk::rotating(Arc::new(SimDisk::new(SimOptions::default())), turn);
    let db = Database::open_on(Arc::new(disk), Options::default())?;
    let mut trees = Vec::new();
    for _ in 0..committers {
        let mut txn = db.begin(TxnOptions::default());
        trees.push(txn.create_tree()?);
        txn.commit()?;
    }
    let (before, start) = (db.stats(), Instant::now());
    std::thread::scope(|s| {
        let run = |tree: evenkeel::TreeId| {
            let db = &db;
            move || -> Result<()> {
                let mut row = 0u64;
                while start.elapsed() < length {
                    let mut txn = db.begin(TxnOptions::default());
                    txn.insert(tree, &row.to_be_bytes(), &[0; 100])?;
                    txn.commit()?;
                    row += 1;
                    if !pause.is_zero() {
                        std::thread::sleep(pause);
                    }
                }
                Ok(())
            }
        };
        let threads: Vec<_> = trees.iter().map(|tree| s.spawn(run(*tree))).collect();
        threads.into_iter().try_for_each(|t| t.join().expect("no panic"))
    })?;
    let (elapsed, after) = (start.elapsed().as_secs_f64(), db.stats());
    let commits = (after.commits - before.commits) as f64;
    let writes = (after.wal_writes - before.wal_writes) as f64;
    println!(
        "{committers:>10}  {:>9.0}  {:>10.3}  {:>9.1}  {:>13.2}",
        commits / elapsed,
        commits / elapsed / (committers as f64 * TURNS_PER_S),
        writes / elapsed,
        commits / writes
    );
    db.close()
}
