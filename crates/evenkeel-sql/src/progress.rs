//! How far long commands are: `pg_stat_progress_create_index`, `_copy` and `_analyze`.
//!
//! A command tells what it does in counters of its own, which whoever asks reads.
//!
//! Invariants:
//! 1. Telling never waits: counters are stored without ordering, for a batch of rows; a mutex is taken when a command begins and when it ends.
//!
//! Must not know: the commands, views.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Rows between two stores, less one: a mask.
pub(crate) const BATCH: u64 = 255;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    CreateIndex,
    Copy,
    Analyze,
}

/// PostgreSQL's words for the stages of an index build,
pub(crate) const INDEX_PHASES: [&str; 7] = [
    "initializing",
    "building index: scanning table",
    "building index: sorting live tuples",
    "building index: loading tuples in tree",
    "waiting for writers before build",
    "waiting for readers before marking dead",
    "waiting for readers before dropping",
];
/// and of ANALYZE.
pub(crate) const ANALYZE_PHASES: [&str; 4] =
    ["initializing", "acquiring sample rows", "computing statistics", "finalizing analyze"];

/// A command that runs.
#[derive(Debug)]
pub(crate) struct Work {
    pub kind: Kind,
    /// As PostgreSQL names it: `CREATE INDEX`, `COPY FROM`, …
    pub command: &'static str,
    pub relation: u32,
    pub index: u32,
    /// Of the phases of its kind.
    pub phase: AtomicUsize,
    /// Rows to be done in this phase; 0: that is not known.
    pub total: AtomicU64,
    pub done: AtomicU64,
    pub bytes: AtomicU64,
    /// Rows that a condition left out, and such as could not be read.
    pub excluded: AtomicU64,
    pub skipped: AtomicU64,
}

impl Work {
    pub fn new(kind: Kind, command: &'static str, relation: u32, index: u32) -> Work {
        let zero = || AtomicU64::new(0);
        let (phase, total, done, bytes) = (AtomicUsize::new(0), zero(), zero(), zero());
        Work { kind, command, relation, index, phase, total, done, bytes, excluded: zero(), skipped: zero() }
    }

    /// The next phase begins, with so many rows to do.
    pub fn enter(&self, phase: usize, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.phase.store(phase, Ordering::Relaxed);
    }

    /// So many rows are done; told of once in a while.
    pub fn done(&self, rows: u64) {
        if rows & BATCH == 0 {
            self.done.store(rows, Ordering::Relaxed);
        }
    }

    /// The same, told of at once.
    pub fn done_now(&self, rows: u64) {
        self.done.store(rows, Ordering::Relaxed);
    }

    /// The word for what it does now.
    pub fn phase(&self) -> &'static str {
        let at = self.phase.load(Ordering::Relaxed);
        let words = match self.kind {
            Kind::CreateIndex => &INDEX_PHASES[..],
            Kind::Copy | Kind::Analyze => &ANALYZE_PHASES,
        };
        words.get(at).copied().unwrap_or("")
    }
}

/// The commands of a session: one, but for a moment.
#[derive(Default)]
pub(crate) struct Works(Mutex<Vec<Arc<Work>>>);

impl Works {
    /// As they are now.
    pub fn all(&self) -> Vec<Arc<Work>> {
        self.0.lock().clone()
    }
}

/// Shows a command until it is dropped.
pub(crate) struct Shown {
    works: Arc<Works>,
    pub work: Arc<Work>,
}

impl Shown {
    pub fn new(works: &Arc<Works>, work: Work) -> Shown {
        let work = Arc::new(work);
        works.0.lock().push(work.clone());
        Shown { works: works.clone(), work }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.works.0.lock().retain(|w| !Arc::ptr_eq(w, &self.work));
    }
}

/// A command, and whose it is, as a view asks for it.
pub(crate) struct WorkShown {
    pub pid: i32,
    pub database: u32,
    pub database_name: String,
    /// Particulars may be seen by who asks.
    pub is_visible: bool,
    pub work: Arc<Work>,
}
