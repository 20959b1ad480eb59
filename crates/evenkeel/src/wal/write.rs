//! Log writes: from the ring to the segments. What the gang needs of the log.
//!
//! Must not know: who waits.

use super::gang::Log;
use super::segment::{self, LOG_BLOCK};
use super::stages::{Stats, Written};
use super::{Tuning, Wal, Wanted};
use crate::base::sync::{Instant, Ordering};
use crate::base::{Lsn, Poison, Result};
use crate::io::write_all_at;
use std::io::IoSlice;

impl Log for Wal {
    fn completed(&self) -> Lsn {
        Wal::completed(self)
    }

    fn reserved(&self) -> Lsn {
        self.next_lsn()
    }

    fn await_completed(&self, upto: Lsn) {
        Wal::await_completed(self, upto);
    }

    fn tell_flushed(&self) {
        Wal::tell_flushed(self);
    }

    fn close_block(&self) -> Lsn {
        Wal::close_block(self)
    }

    /// Writes the stream bytes `from..to` durably: whole blocks straight from the ring, the half-filled last one through a copy with
    /// zeros behind, so that its earlier bytes stay identical and nothing unfinished reaches the disk. One vectored write a segment.
    fn write(&self, from: Lsn, to: Lsn) -> Result<Written> {
        let started = Instant::now();
        self.stats.begins();
        let mut to_sync = Vec::new();
        let mut at = from.0 & !(LOG_BLOCK - 1);
        while at < to.0 && from < to {
            let segment = self.geometry.segment_of(Lsn(at));
            let end = to.0.min(self.geometry.start_of(segment + 1).0);
            let whole_end = end & !(LOG_BLOCK - 1);
            let [a, b] = self.inserter.bytes(at, whole_end);
            let mut slices = Vec::with_capacity(3);
            slices.extend([a, b].into_iter().filter(|s| !s.is_empty()).map(IoSlice::new));
            let rest = (end - whole_end) as usize;
            let mut tail = (rest > 0).then(|| self.tail.lock());
            if let Some(tail) = &mut tail {
                let [a, b] = self.inserter.bytes(whole_end, end);
                tail[..a.len()].copy_from_slice(a);
                tail[a.len()..rest].copy_from_slice(b);
                tail[rest..].fill(0);
                slices.push(IoSlice::new(tail));
            }
            let bytes: u64 = slices.iter().map(|s| s.len() as u64).sum();
            let file = self.space.file(segment);
            write_all_at(&*file, &mut slices, self.geometry.offset_of(Lsn(at))).map_err(|e| {
                self.poison.set(format!("writing log segment {} failed: {e}", segment::path(segment)))
            })?;
            self.stats.writes.fetch_add(1, Ordering::Relaxed);
            self.stats.bytes_written.fetch_add(bytes, Ordering::Relaxed);
            if file.log_needs_sync() {
                to_sync.push((segment, file));
            }
            at = end;
        }
        let written = Instant::now();
        for (segment, file) in &to_sync {
            file.sync().map_err(|e| {
                self.poison.set(format!("syncing log segment {} failed: {e}", segment::path(*segment)))
            })?;
            self.stats.syncs.fetch_add(1, Ordering::Relaxed);
        }
        let flushed = if to_sync.is_empty() { written } else { Instant::now() };
        let w = Written { started, written, flushed };
        self.stats.wrote(&w);
        Ok(w)
    }

    fn ask_writer(&self) {
        Wal::ask_writer(self, Wanted::Flush);
    }

    fn poison(&self) -> &Poison {
        &self.poison
    }

    fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}
