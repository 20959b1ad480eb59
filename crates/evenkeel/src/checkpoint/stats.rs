//! What checkpoints did.
//!
//! Must not know: who reads it.

use super::options::Cause;
use super::round::Stage;
use crate::base::Lsn;
use crate::base::clock::wall_ms;
use crate::base::sync::counter::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

/// What a round did.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundStats {
    /// Its partition.
    pub partition: usize,
    /// Pages that were dirty at its start.
    pub pages: usize,
    /// Pages that it wrote itself.
    pub written: usize,
    /// Write calls that took.
    pub writes: usize,
    /// Bursts between which log flushes were let pass.
    pub bursts: usize,
    /// The usual flush with no burst before it, microseconds.
    pub flush_us: u64,
    /// Files synced.
    pub syncs: u64,
    /// Time writing, pauses included, microseconds.
    pub write_us: u64,
    /// Time from the last write to the last sync, pauses included, and of earlier syncs, microseconds.
    pub sync_us: u64,
    /// The longest sync, microseconds.
    pub longest_sync_us: u64,
    /// The partition's new redo point.
    pub redo: Lsn,
}

/// A partition, as a view shows it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartitionStats {
    /// Recovery redoes its pages from here on.
    pub redo: Lsn,
    /// A page whose LSN is not above this gets an image with its next change.
    pub image_floor: Lsn,
    /// Dirty pages now.
    pub dirty_pages: u64,
    /// Files with writes that no sync covers.
    pub unsynced_files: u64,
    /// Images written since the floor was raised.
    pub images_written: u64,
    /// Rounds since the start.
    pub rounds: u64,
    /// Pages written by the last round.
    pub pages_written: u64,
    /// Its write time, microseconds.
    pub write_us: u64,
    /// Its sync time, microseconds.
    pub sync_us: u64,
}

/// Counters of the checkpointer. Times in microseconds.
#[derive(Debug)]
pub struct Stats {
    /// Rounds published.
    pub rounds: AtomicU64,
    /// Rounds whose time had come.
    pub rounds_timed: AtomicU64,
    /// Rounds for log volume, or because somebody asked.
    pub rounds_requested: AtomicU64,
    /// Files synced.
    pub syncs: AtomicU64,
    /// Time writing, pauses included.
    pub write_us: AtomicU64,
    /// Time in syncs and between them.
    pub sync_us: AtomicU64,
    /// When the last round was published, milliseconds since the Unix epoch; 0: none was since the start.
    pub last_ms: AtomicU64,
    stage: AtomicU8,
    current: AtomicUsize,
    partitions: Vec<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    redo: AtomicU64,
    rounds: AtomicU64,
    pages: AtomicU64,
    write_us: AtomicU64,
    sync_us: AtomicU64,
}

impl Stats {
    /// All zero; the redo points as given.
    pub(super) fn new(redo: &[Lsn]) -> Stats {
        let zero = || AtomicU64::new(0);
        let counters = |l: &Lsn| Counters { redo: AtomicU64::new(l.0), ..Counters::default() };
        Stats {
            rounds: zero(),
            rounds_timed: zero(),
            rounds_requested: zero(),
            syncs: zero(),
            write_us: zero(),
            sync_us: zero(),
            last_ms: zero(),
            stage: AtomicU8::new(Stage::Published as u8),
            current: AtomicUsize::new(0),
            partitions: redo.iter().map(counters).collect(),
        }
    }

    pub(super) fn enter(&self, partition: usize, stage: Stage) {
        self.current.store(partition, Ordering::Relaxed);
        self.stage.store(stage as u8, Ordering::Relaxed);
    }

    /// The partition whose round runs, and the stage it is in; `None` between rounds.
    pub fn running(&self) -> Option<(usize, Stage)> {
        let stage = Stage::ALL[self.stage.load(Ordering::Relaxed) as usize];
        (stage != Stage::Published).then(|| (self.current.load(Ordering::Relaxed), stage))
    }

    pub(super) fn ended(&self, r: &RoundStats, cause: Cause) {
        let add = |a: &AtomicU64, n: u64| _ = a.fetch_add(n, Ordering::Relaxed);
        add(&self.rounds, 1);
        add(if cause == Cause::Time { &self.rounds_timed } else { &self.rounds_requested }, 1);
        add(&self.syncs, r.syncs);
        add(&self.write_us, r.write_us);
        add(&self.sync_us, r.sync_us);
        self.last_ms.store(wall_ms(), Ordering::Relaxed);
        let p = &self.partitions[r.partition];
        add(&p.rounds, 1);
        p.redo.store(r.redo.0, Ordering::Relaxed);
        p.pages.store(r.written as u64, Ordering::Relaxed);
        p.write_us.store(r.write_us, Ordering::Relaxed);
        p.sync_us.store(r.sync_us, Ordering::Relaxed);
    }

    /// What is counted here of a partition; the rest is zero.
    pub(super) fn partition(&self, p: usize) -> PartitionStats {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
        let c = &self.partitions[p];
        PartitionStats {
            redo: Lsn(n(&c.redo)),
            rounds: n(&c.rounds),
            pages_written: n(&c.pages),
            write_us: n(&c.write_us),
            sync_us: n(&c.sync_us),
            ..PartitionStats::default()
        }
    }
}
