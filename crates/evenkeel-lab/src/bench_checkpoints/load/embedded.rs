//! The simple-update transaction on the engine in this process: the same reads and writes, without SQL and without a wire.
//!
//! Invariants
//! 1. The trees' numbers are kept beside the database: whoever opens it later finds them.
//!
//! It must not know which settings the engine has.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use evenkeel::{Database, Durability, LockMode, Options, TreeId, TxnOptions, Write};
use serde::{Deserialize, Serialize};

use super::clients::{self, Client};
use super::{Load, Spec};
use crate::bench_checkpoints::digest::Digest;
use crate::bench_checkpoints::monitor;
use crate::bench_checkpoints::sampler::Monitor;
use crate::bench_checkpoints::trace::Counters;
use crate::bench_checkpoints::{ACCOUNTS_PER_SCALE, Error};

/// Rows of one transaction while loading.
const BATCH_ROWS: u64 = 5_000;
/// pgbench's filler.
const FILLER_BYTES: usize = 84;
const DELTA_MAX: i64 = 5000;

/// The two tables that a simple update touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trees {
    accounts: u64,
    history: u64,
}

/// Creates and fills them. `tick` is called now and then.
pub fn load(
    folder: &Path,
    options: Options,
    scale: u32,
    tick: &mut dyn FnMut(f64) -> Result<(), Error>,
) -> Result<Trees, Error> {
    let database = Database::open(folder, options)?;
    let filled = fill(&database, u64::from(scale) * ACCOUNTS_PER_SCALE, tick);
    let closed = database.close();
    let trees = filled?;
    closed?;
    Ok(trees)
}

fn fill(
    database: &Database,
    rows: u64,
    tick: &mut dyn FnMut(f64) -> Result<(), Error>,
) -> Result<Trees, Error> {
    let mut txn = database.begin(TxnOptions::default());
    let (accounts, history) = (txn.create_tree()?, txn.create_tree()?);
    txn.commit()?;
    let quick = TxnOptions { durability: Durability::Async, ..TxnOptions::default() };
    let mut next = 0;
    while next < rows {
        let mut txn = database.begin(quick);
        let end = (next + BATCH_ROWS).min(rows);
        for aid in next..end {
            txn.insert(accounts, &aid.to_be_bytes(), &row(0))?;
        }
        txn.commit()?;
        next = end;
        tick(next as f64 / rows as f64)?;
    }
    Ok(Trees { accounts: accounts.0, history: history.0 })
}

/// The balance, and what pgbench fills rows with.
fn row(balance: i64) -> Vec<u8> {
    let mut row = balance.to_le_bytes().to_vec();
    row.resize(size_of::<i64>() + FILLER_BYTES, b' ');
    row
}

fn balance(row: &[u8]) -> i64 {
    row.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes))
}

/// Threads on an open database.
pub struct Embedded<'a> {
    database: &'a Database,
    trees: Trees,
    next: AtomicU64,
}

impl<'a> Embedded<'a> {
    /// Empties the history, and reads all accounts once, as a server that has been running has them in memory. Gives the trees as they are now.
    pub fn prepare(
        database: &'a Database,
        trees: Trees,
        tick: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<(Embedded<'a>, Trees), Error> {
        let mut txn = database.begin(TxnOptions::default());
        txn.drop_tree(TreeId(trees.history))?;
        let history = txn.create_tree()?;
        txn.commit()?;
        let trees = Trees { history: history.0, ..trees };
        let mut txn = database.begin(TxnOptions::default());
        let all = evenkeel::KeyRange::all();
        let mut cursor = txn.cursor(TreeId(trees.accounts), all, evenkeel::Direction::Forward)?;
        let mut rows: u64 = 0;
        while cursor.next(&mut txn)?.is_some() {
            rows += 1;
            if rows.is_multiple_of(BATCH_ROWS) {
                tick()?;
            }
        }
        txn.rollback()?;
        database.checkpoint()?;
        Ok((Embedded { database, trees, next: AtomicU64::new(0) }, trees))
    }
}

impl Load for Embedded<'_> {
    fn run(
        &mut self,
        spec: &Spec<'_>,
        digest: &mut Digest,
        tick: &mut dyn FnMut(),
    ) -> Result<Vec<String>, Error> {
        let rows = u64::from(spec.scale) * ACCOUNTS_PER_SCALE;
        let (database, trees, next) = (self.database, self.trees, &self.next);
        let threads = (0..spec.clients).map(|_| Thread { database, trees, next, rows }).collect();
        clients::run(threads, spec, digest, tick)?;
        Ok(Vec::new())
    }
}

struct Thread<'a> {
    database: &'a Database,
    trees: Trees,
    /// Key of the next history row.
    next: &'a AtomicU64,
    rows: u64,
}

impl Client for Thread<'_> {
    fn transaction(&mut self, rng: &mut fastrand::Rng) -> Result<(), Error> {
        let (accounts, history) = (TreeId(self.trees.accounts), TreeId(self.trees.history));
        let aid = rng.u64(0..self.rows).to_be_bytes();
        let delta = rng.i64(-DELTA_MAX..=DELTA_MAX);
        let mut txn = self.database.begin(TxnOptions::default());
        let mut old = txn.get(accounts, &aid)?.unwrap_or_default();
        // Somebody else may have committed in between.
        while let Write::Changed(newest) =
            txn.update(accounts, &aid, &row(balance(&old).wrapping_add(delta)), LockMode::NoKeyUpdate)?
        {
            old = newest;
        }
        txn.begin_statement();
        txn.get(accounts, &aid)?;
        txn.begin_statement();
        // 50 bytes, about as much as pgbench's history row holds.
        let mut line = [0; 50];
        line[..8].copy_from_slice(&aid);
        line[8..16].copy_from_slice(&delta.to_le_bytes());
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        txn.insert(history, &key.to_be_bytes(), &line)?;
        txn.commit()?;
        Ok(())
    }
}

/// Counters of an open database.
pub struct EngineMonitor(pub Database);

impl Monitor for EngineMonitor {
    fn read(&mut self) -> Option<Counters> {
        let s = self.0.stats();
        let n = |v: u64| Some(v as f64);
        let ms = |us: u64| Some(us as f64 / 1e3);
        Some(Counters {
            wal_records: n(s.wal_records),
            wal_images: n(s.wal_fpi),
            wal_bytes: n(s.wal_bytes),
            checkpoints_begun: n(s.checkpoint_rounds),
            checkpoints_done: n(s.checkpoint_rounds),
            write_ms: ms(s.checkpoint_write_time_us),
            sync_ms: ms(s.checkpoint_sync_time_us),
            by_checkpointer: n(s.buffers_checkpoint),
            by_cleaner: n(s.buffers_clean),
            allocated: n(s.buffers_alloc),
            by_backends: n(s.buffers_backend),
            dirty_pages: n(s.buffers_dirty),
            cpu_s: monitor::cpu_s(std::process::id()),
            stolen_s: monitor::stolen_s(),
            ..Counters::default()
        })
    }
}
