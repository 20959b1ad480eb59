//! The log: bytes in order, durable when asked. See `README.md` for the algorithm.
//!
//! Must not know: frames, pages' meaning, transactions' rules. It moves bytes.

#![doc = include_str!("README.md")]

pub mod dump;
mod gang;
mod insert;
pub mod reader;
pub mod record;
pub mod segment;
mod space;

pub use space::Promise;

use crate::base::{Error, Lsn, Poison, Result};
use crate::io::{AlignedBuf, Disk, write_all_at};
use parking_lot::{Condvar, Mutex};
use segment::{Geometry, Header, LOG_BLOCK};
use std::collections::VecDeque;
use std::io::IoSlice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The log of an open database.
pub struct Wal {
    geometry: Geometry,
    incarnation: u64,
    poison: Arc<Poison>,
    inserter: insert::Inserter,
    gang: gang::Gang,
    space: space::Space,
    flushed: AtomicU64,
    /// The last, half-filled block on its way to disk; only the leader touches it.
    tail: Mutex<AlignedBuf>,
    writer_wanted: Mutex<bool>,
    writer_wake: Condvar,
    closing: AtomicBool,
    /// No record may follow: set by a clean shutdown.
    sealed: AtomicBool,
    /// Counters.
    pub stats: Stats,
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
    /// Device writes.
    pub writes: AtomicU64,
    /// Bytes written, rewritten tail blocks included.
    pub bytes_written: AtomicU64,
    /// Time in device writes, microseconds.
    pub write_time_us: AtomicU64,
}

impl Wal {
    /// Starts a new life of the log in a fresh segment (segment invariant 2). `first` names the segment, the incarnation and where
    /// the one before ended; the segments `older` stay for recovery until recycled, those before `needed_from` may be reused at once: so a
    /// start on a full disk finds space.
    pub fn start(
        disk: Arc<dyn Disk>,
        geometry: Geometry,
        first: Header,
        mut older: Vec<u64>,
        needed_from: u64,
        ring_bytes: u64,
        poison: Arc<Poison>,
    ) -> Result<Wal> {
        let needed = older.partition_point(|s| *s < needed_from);
        let mut spare: VecDeque<u64> = older.drain(..needed).collect();
        let file = match (segment::prepare(&*disk, &first, None), spare.front()) {
            (Err(Error::OutOfSpace { .. }), Some(&old)) => {
                let file = segment::prepare(&*disk, &first, Some(old))?;
                spare.pop_front();
                file
            }
            (Err(Error::OutOfSpace { what }), None) => {
                return Err(Error::OutOfSpace {
                    what: format!("{what}: the start needs {} bytes for it", first.segment_bytes),
                });
            }
            (done, _) => done?,
        };
        let start = geometry.start_of(first.segment);
        let wal = Wal {
            geometry,
            incarnation: first.incarnation,
            poison,
            inserter: insert::Inserter::new(start, ring_bytes),
            gang: gang::Gang::default(),
            space: space::Space::new(disk, geometry, first, file),
            flushed: AtomicU64::new(start.0),
            tail: Mutex::new(AlignedBuf::new(LOG_BLOCK as usize)),
            writer_wanted: Mutex::new(false),
            writer_wake: Condvar::new(),
            closing: AtomicBool::new(false),
            sealed: AtomicBool::new(false),
            stats: Stats::default(),
        };
        wal.adopt_older(older, spare);
        Ok(wal)
    }

    /// Every byte before this is on stable storage.
    pub fn flushed(&self) -> Lsn {
        Lsn(self.flushed.load(Ordering::Acquire))
    }

    fn set_flushed(&self, lsn: Lsn) {
        self.flushed.store(lsn.0, Ordering::Release);
    }

    /// The stop switch shared with the rest of the engine.
    pub fn poison(&self) -> &Arc<Poison> {
        &self.poison
    }

    /// Segment arithmetic.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// This life of the log.
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// Writes the stream bytes `from..to` durably: whole blocks straight from the ring, the half-filled last one through a copy with
    /// zeros behind, so that its earlier bytes stay identical and nothing unfinished reaches the disk. One vectored write a segment.
    fn write_out(&self, from: Lsn, to: Lsn) -> Result<()> {
        if from == to {
            return Ok(());
        }
        let started = std::time::Instant::now();
        let mut at = from.0 & !(LOG_BLOCK - 1);
        let mut tail = self.tail.lock();
        while at < to.0 {
            let segment = self.geometry.segment_of(Lsn(at));
            let end = to.0.min(self.geometry.start_of(segment + 1).0);
            let whole_end = end & !(LOG_BLOCK - 1);
            let [a, b] = self.inserter.bytes(at, whole_end);
            let rest = (end - whole_end) as usize;
            let mut slices = Vec::with_capacity(3);
            slices.extend([a, b].into_iter().filter(|s| !s.is_empty()).map(IoSlice::new));
            if rest > 0 {
                let [a, b] = self.inserter.bytes(whole_end, end);
                tail[..a.len()].copy_from_slice(a);
                tail[a.len()..rest].copy_from_slice(b);
                tail[rest..].fill(0);
                slices.push(IoSlice::new(&tail));
            }
            let bytes: u64 = slices.iter().map(|s| s.len() as u64).sum();
            let file = self.space.file(segment);
            write_all_at(&*file, &mut slices, self.geometry.offset_of(Lsn(at))).map_err(|e| {
                self.poison.set(format!("writing log segment {} failed: {e}", segment::path(segment)))
            })?;
            self.stats.writes.fetch_add(1, Ordering::Relaxed);
            self.stats.bytes_written.fetch_add(bytes, Ordering::Relaxed);
            at = end;
        }
        self.stats.write_time_us.fetch_add(started.elapsed().as_micros() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Asks the log writer thread for a flush.
    fn ask_writer(&self) {
        *self.writer_wanted.lock() = true;
        self.writer_wake.notify_one();
    }

    /// The log writer's loop body: waits up to `delay` or until asked, then makes log space ready and flushes. False once closing.
    pub fn writer_step(&self, delay: std::time::Duration) -> bool {
        {
            let mut wanted = self.writer_wanted.lock();
            if !*wanted && !self.closing.load(Ordering::Acquire) {
                self.writer_wake.wait_for(&mut wanted, delay);
            }
            *wanted = false;
        }
        if self.closing.load(Ordering::Acquire) || self.poison.is_set() {
            return false;
        }
        if let Err(e) = self.prepare_ahead() {
            tracing::warn!("preparing log space ahead failed, will retry when needed: {e}");
        }
        let _ = self.flush_completed(); // a failure poisons the engine, and was logged
        true
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Forbids further records if `quiet` says, with reservations held, that none is owed.
    pub fn seal_if(&self, quiet: impl FnOnce() -> bool) -> bool {
        self.with_reservations_held(|_| {
            let ok = quiet();
            self.sealed.store(ok, Ordering::SeqCst);
            ok
        })
    }

    /// Ends `writer_step` loops.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.ask_writer();
    }
}

/// Removes every segment file from `from` on: bytes of an earlier life that must never be read again.
pub fn remove_from(disk: &dyn Disk, from: u64) -> Result<()> {
    let doomed: Vec<u64> = segment::list(disk)?.into_iter().filter(|&s| s >= from).collect();
    for s in &doomed {
        disk.remove(&segment::path(*s))
            .map_err(|e| Error::io(format!("removing log segment {s:016x}"), e))?;
    }
    if !doomed.is_empty() {
        disk.sync_dir(segment::DIR).map_err(|e| Error::io("syncing the log folder", e))?;
    }
    Ok(())
}
