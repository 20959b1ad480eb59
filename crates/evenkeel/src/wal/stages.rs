//! The stages of a commit, and what the log counts.
//!
//! Must not know: who reads the counters.

use crate::base::histogram::{Counts, Histogram};
use crate::base::sync::Instant;
use crate::base::sync::counter::{AtomicU64, Ordering};
use std::time::Duration;

/// How far a commit is. Each is a prefix of the log: what has reached a stage has everything before it there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CommitStage {
    /// Its record is in the log's ring; everybody sees it; a crash loses it.
    Inserted,
    /// The write that carries it has returned. With a method that writes durably (`direct`, `open_datasync`, `open_sync`) that is the next stage as well.
    Written,
    /// Every byte of the log up to it is on stable storage.
    Flushed,
    /// The committer knows, and may tell.
    Acknowledged,
}

impl CommitStage {
    /// All, in order.
    pub const ALL: [CommitStage; 4] =
        [CommitStage::Inserted, CommitStage::Written, CommitStage::Flushed, CommitStage::Acknowledged];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CommitStage::Inserted => "inserted",
            CommitStage::Written => "written",
            CommitStage::Flushed => "flushed",
            CommitStage::Acknowledged => "acknowledged",
        }
    }
}

/// When a write reached its stages.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// Before the call.
    pub started: Instant,
    /// When the bytes were handed over.
    pub written: Instant,
    /// When they were durable.
    pub flushed: Instant,
}

/// Flushes of the log: how many, how long they took in all, how long the slowest took, microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FlushTimes {
    /// Number.
    pub count: u64,
    /// Sum of their times.
    pub total_us: u64,
    /// The longest.
    pub slowest_us: u64,
}

/// What the log did since it was opened.
#[derive(Default, Debug)]
pub struct Stats {
    /// Records inserted.
    pub records: AtomicU64,
    /// Full-page images inserted.
    pub images: AtomicU64,
    /// Bytes of record frames.
    pub bytes: AtomicU64,
    /// Insertions that had to wait because the ring was full.
    pub buffers_full: AtomicU64,
    /// Device writes.
    pub writes: AtomicU64,
    /// Bytes written, rewritten tail blocks included.
    pub bytes_written: AtomicU64,
    /// Time in device writes, microseconds.
    pub write_time_us: AtomicU64,
    /// Syncs after writes that are not durable by themselves.
    pub syncs: AtomicU64,
    /// Time in them, microseconds.
    pub sync_time_us: AtomicU64,
    /// Bytes of padding that closed a block before it was full.
    pub padding_bytes: AtomicU64,
    /// Commits that each write carried.
    pub gang_size: Histogram,
    /// Time of a gang's write, until durable, microseconds.
    pub flush_time: Histogram,
    /// Gangs whose write began, gangs written, their time, and the longest since it was last taken: [`Stats::flushes`].
    begun: AtomicU64,
    flushes: AtomicU64,
    flushes_us: AtomicU64,
    slowest_us: AtomicU64,
    /// How long commits took to reach a stage from the one before, microseconds: `Written`, `Flushed`, `Acknowledged`.
    stages: [Histogram; 3],
}

impl Stats {
    /// A flush request took this long to reach a stage from the one before.
    pub(super) fn reached(&self, stage: CommitStage, time: Duration) {
        if let Some(histogram) = (stage as usize).checked_sub(1).and_then(|i| self.stages.get(i)) {
            histogram.record_time(time);
        }
    }

    /// A write that lasted so is done.
    pub(super) fn wrote(&self, w: &Written) {
        let us = |from: Instant, to: Instant| (to - from).as_micros() as u64;
        self.write_time_us.fetch_add(us(w.started, w.written), Ordering::Relaxed);
        self.sync_time_us.fetch_add(us(w.written, w.flushed), Ordering::Relaxed);
        self.flush_time.record_time(w.flushed - w.started);
        self.slowest_us.fetch_max(us(w.started, w.flushed), Ordering::Relaxed);
        self.flushes_us.fetch_add(us(w.started, w.flushed), Ordering::Relaxed);
        self.flushes.fetch_add(1, Ordering::Release);
    }

    /// A gang's write begins.
    pub(super) fn begins(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether a gang's write is under way.
    pub fn is_flushing(&self) -> bool {
        self.begun.load(Ordering::Relaxed) > self.flushes.load(Ordering::Acquire)
    }

    /// Flushes since the log was opened.
    pub fn flushes(&self) -> FlushTimes {
        FlushTimes {
            count: self.flushes.load(Ordering::Acquire),
            total_us: self.flushes_us.load(Ordering::Relaxed),
            slowest_us: self.slowest_us.load(Ordering::Relaxed),
        }
    }

    /// Flushes that ended since `before`. The slowest is that since the last call: one caller at a time.
    pub fn take_flushes(&self, before: FlushTimes) -> FlushTimes {
        let now = self.flushes();
        FlushTimes {
            count: now.count - before.count,
            total_us: now.total_us.saturating_sub(before.total_us),
            slowest_us: self.slowest_us.swap(0, Ordering::Relaxed),
        }
    }

    /// The distributions.
    pub fn commit_stats(&self) -> CommitStats {
        CommitStats {
            gang_size: self.gang_size.snapshot(),
            flush_time_us: self.flush_time.snapshot(),
            written_us: self.stages[0].snapshot(),
            flushed_us: self.stages[1].snapshot(),
            acknowledged_us: self.stages[2].snapshot(),
        }
    }
}

/// How commits became durable, as distributions.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommitStats {
    /// Commits that each write carried; 0: a write for something else, or ahead of commits.
    pub gang_size: Counts,
    /// A gang's write until it was durable, microseconds.
    pub flush_time_us: Counts,
    /// From the request to the return of the write that carried it ([`CommitStage::Written`]), microseconds.
    pub written_us: Counts,
    /// From there until all the log up to it was durable ([`CommitStage::Flushed`]), microseconds.
    pub flushed_us: Counts,
    /// From there until the waiting thread ran again ([`CommitStage::Acknowledged`]), microseconds.
    pub acknowledged_us: Counts,
}

impl CommitStats {
    /// Each distribution with its name and unit.
    pub fn named(&self) -> [(&'static str, &'static str, &Counts); 5] {
        [
            ("gang_size", "commits", &self.gang_size),
            ("flush_time", "us", &self.flush_time_us),
            ("written", "us", &self.written_us),
            ("flushed", "us", &self.flushed_us),
            ("acknowledged", "us", &self.acknowledged_us),
        ]
    }
}
