//! What the engine has done since it was opened, as one plain snapshot.

use super::core::Core;
use crate::base::sync::counter::{AtomicU64, Ordering};

/// Counters. Times in microseconds.
#[allow(missing_docs)] // names say it; units are suffixes
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    pub commits: u64,
    pub wal_records: u64,
    pub wal_fpi: u64,
    pub wal_bytes: u64,
    pub wal_buffers_full: u64,
    pub wal_writes: u64,
    pub wal_bytes_written: u64,
    pub wal_write_time_us: u64,
    pub wal_syncs: u64,
    pub wal_sync_time_us: u64,
    pub wal_padding_bytes: u64,
    pub wal_lsn: u64,
    pub wal_flushed_lsn: u64,
    pub buffers: u64,
    pub buffer_hits: u64,
    pub buffer_reads: u64,
    pub buffer_evictions: u64,
    pub buffers_alloc: u64,
    pub buffers_backend: u64,
    pub buffers_clean: u64,
    pub maxwritten_clean: u64,
    pub bgwriter_steps: u64,
    pub bgwriter_scanned: u64,
    pub bgwriter_time_us: u64,
    pub buffers_checkpoint: u64,
    pub buffers_dirty: u64,
    pub double_write_batches: u64,
    pub double_write_bytes: u64,
    pub double_write_home_syncs: u64,
    pub torn_pages_repaired: u64,
    pub checkpoint_rounds: u64,
    pub checkpoint_last_ms: u64,
    pub checkpoint_rounds_timed: u64,
    pub checkpoint_rounds_requested: u64,
    pub checkpoint_syncs: u64,
    pub checkpoint_write_calls: u64,
    pub checkpoint_write_back_waits: u64,
    pub checkpoint_write_time_us: u64,
    pub checkpoint_sync_time_us: u64,
    pub undo_memory_bytes: u64,
    pub undo_spilled_bytes: u64,
    pub lock_entries: u64,
    pub purge_backlog: u64,
}

impl Core {
    /// A snapshot of all counters.
    pub(super) fn stats(&self) -> Stats {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
        let (w, p, pool) = (&self.env.wal.stats, &self.env.pool.stats, &self.env.pool);
        let checkpoints = self.primary.as_ref().map(|p| &p.checkpointer.stats);
        let of_rounds = |f: fn(&crate::checkpoint::Stats) -> &AtomicU64| checkpoints.map_or(0, |s| n(f(s)));
        Stats {
            commits: self.store.txns.commits(),
            wal_records: n(&w.records),
            wal_fpi: n(&w.images),
            wal_bytes: n(&w.bytes),
            wal_buffers_full: n(&w.buffers_full),
            wal_writes: n(&w.writes),
            wal_bytes_written: n(&w.bytes_written),
            wal_write_time_us: n(&w.write_time_us),
            wal_syncs: n(&w.syncs),
            wal_sync_time_us: n(&w.sync_time_us),
            wal_padding_bytes: n(&w.padding_bytes),
            wal_lsn: self.env.wal.next_lsn().0,
            wal_flushed_lsn: self.env.wal.flushed().0,
            buffers: pool.frame_count() as u64,
            buffer_hits: p.hits.sum(),
            buffer_reads: n(&p.reads),
            buffer_evictions: n(&p.evictions),
            buffers_alloc: n(&p.allocations),
            buffers_backend: n(&p.written_backend),
            buffers_clean: n(&p.written_cleaner),
            maxwritten_clean: n(&p.cleaner.maxwritten),
            bgwriter_steps: n(&p.cleaner.steps),
            bgwriter_scanned: n(&p.cleaner.scanned),
            bgwriter_time_us: n(&p.cleaner.time_us),
            buffers_checkpoint: n(&p.written_round),
            buffers_dirty: (0..pool.partitions().get()).map(|i| pool.dirty_frames(i)).sum(),
            checkpoint_rounds: of_rounds(|s| &s.rounds),
            checkpoint_last_ms: of_rounds(|s| &s.last_ms),
            checkpoint_rounds_timed: of_rounds(|s| &s.rounds_timed),
            checkpoint_rounds_requested: of_rounds(|s| &s.rounds_requested),
            checkpoint_syncs: of_rounds(|s| &s.syncs),
            checkpoint_write_calls: n(&p.write_calls),
            double_write_batches: n(&p.double_write_batches),
            double_write_bytes: n(&p.double_write_bytes),
            double_write_home_syncs: n(&p.double_write_home_syncs),
            torn_pages_repaired: self.torn_pages_repaired,
            checkpoint_write_back_waits: n(&p.write_back_waits),
            checkpoint_write_time_us: of_rounds(|s| &s.write_us),
            checkpoint_sync_time_us: of_rounds(|s| &s.sync_us),
            undo_memory_bytes: self.store.undo_space().memory_bytes(),
            undo_spilled_bytes: self.store.undo_space().spilled_bytes(),
            lock_entries: self.store.locks.entries() as u64,
            purge_backlog: self.store.purge_backlog() as u64,
        }
    }
}
