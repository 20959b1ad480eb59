//! Commit latency against log writes in flight (S15), on a disk whose log writes take 1, 3 or 10 ms and overlap, as a network volume's do.
//!
//! Committers that pause at random come at any moment of a write in flight: with one write at a time they wait for the rest of it and for the next.
//! Those that commit back to back fall into step and share every write, at any depth.
//!
//! `cargo run --release -p evenkeel --example flush_depth [committers] [seconds for each cell]`

use evenkeel::io::{LatencyDisk, SimDisk, SimOptions};
use evenkeel::{Database, Options, Result, TxnOptions};
use std::sync::Arc;
use std::time::{Duration, Instant};

const LATENCIES_MS: [u64; 3] = [1, 3, 10];
const DEPTHS: [u64; 4] = [1, 4, 8, 16];

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1).map(|a| a.parse().expect("a number"));
    let (committers, seconds) = (args.next().unwrap_or(8), args.next().unwrap_or(2));
    println!(
        "{committers} committers, each inserting rows into a tree of its own; a commit's time, in log writes"
    );
    println!(
        "pause    write  depth     mean   median      p99   commits/s  commits/write  padding bytes/commit"
    );
    for pauses in [true, false] {
        for ms in LATENCIES_MS {
            for depth in DEPTHS {
                measure(Duration::from_millis(ms), depth, committers, pauses, Duration::from_secs(seconds))?;
            }
        }
    }
    Ok(())
}

fn measure(write: Duration, depth: u64, committers: u64, pauses: bool, length: Duration) -> Result<()> {
    let disk = LatencyDisk::new(Arc::new(SimDisk::new(SimOptions::default())), write);
    let options = Options::default().with("wal_flush_depth", &depth.to_string())?;
    let db = Database::open_on(Arc::new(disk), options)?;
    let mut trees = Vec::new();
    for _ in 0..committers {
        let mut txn = db.begin(TxnOptions::default());
        trees.push(txn.create_tree()?);
        txn.commit()?;
    }
    let (before, start) = (db.stats(), Instant::now());
    let mut times: Vec<f64> = std::thread::scope(|s| {
        let run = |tree: evenkeel::TreeId| {
            let db = &db;
            move || -> Result<Vec<f64>> {
                let (mut times, mut rng) = (Vec::new(), fastrand::Rng::with_seed(tree.0));
                for row in 0u64.. {
                    if start.elapsed() > length {
                        break;
                    }
                    if pauses {
                        // Up to two writes: nobody stays in step with anybody.
                        std::thread::sleep(write.mul_f64(2.0 * rng.f64()));
                    }
                    let mut txn = db.begin(TxnOptions::default());
                    txn.insert(tree, &row.to_be_bytes(), &[0; 100])?;
                    let commit = Instant::now();
                    txn.commit()?;
                    times.push(commit.elapsed().as_secs_f64());
                }
                Ok(times)
            }
        };
        let threads: Vec<_> = trees.iter().map(|tree| s.spawn(run(*tree))).collect();
        threads.into_iter().map(|t| t.join().expect("no panic")).collect::<Result<Vec<_>>>()
    })?
    .concat();
    let (elapsed, after) = (start.elapsed().as_secs_f64(), db.stats());
    times.sort_by(f64::total_cmp);
    let (commits, unit) = (times.len() as f64, write.as_secs_f64());
    println!(
        "{:<6}  {:>3} ms  {depth:>5}  {:>7.2}  {:>7.2}  {:>7.2}  {:>10.0}  {:>13.2}  {:>20.0}",
        if pauses { "random" } else { "none" },
        write.as_millis(),
        times.iter().sum::<f64>() / commits / unit,
        times[times.len() / 2] / unit,
        times[times.len() * 99 / 100] / unit,
        commits / elapsed,
        commits / (after.wal_writes - before.wal_writes) as f64,
        (after.wal_padding_bytes - before.wal_padding_bytes) as f64 / commits,
    );
    db.close()
}
