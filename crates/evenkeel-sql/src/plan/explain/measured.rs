//! What nodes do while a plan runs: for EXPLAIN ANALYZE.
//!
//! Invariants
//! 1. What is told of the node that runs is put down for it, whatever runs below it.
//!
//! Must not know: plans' nodes but by their addresses, how any of it is shown.

use crate::plan::{Node, PlanKind};
use evenkeel::{PAGE_BYTES, Usage};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// What a node did while its plan ran.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Rows that it gave, in all loops.
    pub rows: u64,
    /// How often it began.
    pub loops: u64,
    /// Time in it and what is below, in all loops.
    pub nanos: u64,
    /// The part of that until the first row of each loop.
    pub first_nanos: u64,
    /// What was used for it and what is below, in all loops.
    pub used: Used,
    /// It has begun and has not ended.
    pub is_running: bool,
    /// It has given a row in this loop.
    pub has_given: bool,
    /// What else it did.
    pub did: Did,
}

/// What nodes do besides giving rows, each what is its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Did {
    /// Rows that a condition refused.
    pub removed: u64,
    /// Pairs that a join's condition refused.
    pub removed_by_join: u64,
    /// How often an index was searched.
    pub searches: u64,
    /// The most memory that was held for rows.
    pub memory_bytes: usize,
    /// What rows took in temporary files.
    pub disk_bytes: u64,
    /// Parts in which it worked.
    pub batches: u64,
    /// Places of a hash table.
    pub buckets: usize,
    /// Groups that were sorted one after the other, and the memory of all of them.
    pub groups: u64,
    /// The same.
    pub groups_bytes: usize,
    /// Only the best rows were kept.
    pub kept_best: bool,
    /// Rows that were inserted.
    pub inserted: u64,
    /// Rows that were updated.
    pub updated: u64,
    /// Rows that were deleted.
    pub deleted: u64,
    /// Rows that were not inserted because of another.
    pub conflicting: u64,
}

impl Did {
    /// Rows wait in files of so many bytes, each of which is a part for itself.
    pub fn put_aside(&mut self, files: impl Iterator<Item = u64>) {
        for bytes in files {
            (self.batches, self.disk_bytes) = (self.batches + 1, self.disk_bytes + bytes);
        }
    }

    /// So much memory is held.
    pub fn holds(&mut self, bytes: usize) {
        self.memory_bytes = self.memory_bytes.max(bytes);
    }
}

/// Pages, log and temporary files that were used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// Of the engine, by the thread that ran the statement.
    pub engine: Usage,
    /// Read from temporary files.
    pub temp_read_bytes: u64,
    /// Written to them.
    pub temp_written_bytes: u64,
}

impl std::ops::Sub for Used {
    type Output = Used;

    fn sub(self, earlier: Used) -> Used {
        Used {
            engine: self.engine - earlier.engine,
            temp_read_bytes: self.temp_read_bytes.wrapping_sub(earlier.temp_read_bytes),
            temp_written_bytes: self.temp_written_bytes.wrapping_sub(earlier.temp_written_bytes),
        }
    }
}

impl std::ops::AddAssign for Used {
    fn add_assign(&mut self, more: Used) {
        self.engine += more.engine;
        self.temp_read_bytes += more.temp_read_bytes;
        self.temp_written_bytes += more.temp_written_bytes;
    }
}

impl Used {
    /// Pages of the pool and of temporary files, as PostgreSQL's text has them; empty if there were none.
    pub fn buffers(&self) -> String {
        let u = &self.engine;
        let group = |name: &str, counts: &[(&str, u64)]| {
            let counts: Vec<String> =
                counts.iter().filter(|c| c.1 > 0).map(|(what, n)| format!("{what}={n}")).collect();
            (!counts.is_empty()).then(|| format!("{name} {}", counts.join(" ")))
        };
        let shared = [("hit", u.hits), ("read", u.reads), ("dirtied", u.dirtied), ("written", u.written)];
        let (read, written) = self.temp_blocks();
        let temp = [("read", read), ("written", written)];
        let groups = [group("shared", &shared), group("temp", &temp)];
        groups.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn temp_blocks(&self) -> (u64, u64) {
        let blocks = |bytes: u64| bytes.div_ceil(PAGE_BYTES as u64);
        (blocks(self.temp_read_bytes), blocks(self.temp_written_bytes))
    }

    /// Log, as PostgreSQL's text has it; empty if there was none.
    pub(super) fn wal(&self) -> String {
        let u = &self.engine;
        let counts = [("records", u.records), ("fpi", u.images), ("bytes", u.log_bytes)];
        let counts = counts.iter().filter(|c| c.1 > 0).map(|(what, n)| format!("{what}={n}"));
        counts.collect::<Vec<_>>().join(" ")
    }

    /// The same by the keys of PostgreSQL's JSON.
    pub fn put(&self, buffers: bool, wal: bool, node: &mut Map<String, Value>) {
        let u = &self.engine;
        let (temp_read, temp_written) = self.temp_blocks();
        if buffers {
            let counts = [
                ("Shared Hit Blocks", u.hits),
                ("Shared Read Blocks", u.reads),
                ("Shared Dirtied Blocks", u.dirtied),
                ("Shared Written Blocks", u.written),
                ("Local Hit Blocks", 0),
                ("Local Read Blocks", 0),
                ("Local Dirtied Blocks", 0),
                ("Local Written Blocks", 0),
                ("Temp Read Blocks", temp_read),
                ("Temp Written Blocks", temp_written),
            ];
            node.extend(counts.map(|(key, n)| (key.to_owned(), json!(n))));
        }
        if wal {
            let counts = [("WAL Records", u.records), ("WAL FPI", u.images), ("WAL Bytes", u.log_bytes)];
            node.extend(counts.map(|(key, n)| (key.to_owned(), json!(n))));
        }
    }
}

/// What nodes did, by their addresses.
#[derive(Debug, Default)]
pub struct Measurements {
    of: HashMap<usize, Measured>,
    /// The node that runs: its key, or that of a change.
    running: usize,
}

impl Measurements {
    /// What one did.
    pub fn get(&self, key: usize) -> Option<Measured> {
        self.of.get(&key).copied()
    }

    /// The same, to be added to.
    pub fn of(&mut self, key: usize) -> &mut Measured {
        self.of.entry(key).or_default()
    }

    /// The same, if it has begun.
    pub fn of_begun(&mut self, key: usize) -> Option<&mut Measured> {
        self.of.get_mut(&key)
    }

    /// Another runs now; which one ran before.
    pub fn run(&mut self, key: usize) -> usize {
        std::mem::replace(&mut self.running, key)
    }

    /// What the one that runs does (invariant 1).
    pub fn running(&mut self) -> &mut Did {
        &mut self.of.entry(self.running).or_default().did
    }
}

/// The key of the change that the rows of a plan are for.
pub const CHANGE: usize = 0;

/// The key of a node among measurements.
pub fn key_of(node: &Node) -> usize {
    std::ptr::from_ref(node) as usize
}

/// The key of the change that a common table expression makes.
pub fn key_of_change(change: &PlanKind) -> usize {
    std::ptr::from_ref(change) as usize
}

impl Measured {
    pub(super) fn per_loop(self, n: u64) -> f64 {
        n as f64 / self.loops.max(1) as f64
    }

    pub(super) fn times_ms(self) -> (f64, f64) {
        (self.per_loop(self.first_nanos) / 1e6, self.per_loop(self.nanos) / 1e6)
    }

    pub(super) fn text(self, timing: bool) -> String {
        let (first, all) = self.times_ms();
        let time = if timing { format!("time={first:.3}..{all:.3} ") } else { String::new() };
        format!("(actual {time}rows={:.2} loops={})", self.per_loop(self.rows), self.loops)
    }
}
