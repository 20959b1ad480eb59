//! The buffer pool: frames, page table, latches, replacement, dirty map, write-back. See `README.md`.
//!
//! Must not know: what pages mean, transactions, rounds. It may know the log only as "flush up to this LSN".

#![doc = include_str!("README.md")]

mod car;
#[cfg(test)]
mod car_tests;
mod cleaner;
#[cfg(test)]
mod cleaner_tests;
mod copy;
mod dirty_bits;
mod double_write;
#[cfg(test)]
mod double_write_tests;
mod fetch;
mod files;
mod frame;
mod ghosts;
mod order;
#[cfg(test)]
mod pool_tests;
mod prefetch;
mod replace;
#[doc(hidden)]
pub mod testing;
mod warmth;
mod write_back;

pub use cleaner::{CleanerOptions, CleanerPolicy, CleanerStats, CleanerStep};
pub use double_write::{Copies, DOUBLE_WRITE_FILE, DoubleWrite, PageCopy};
pub use files::{DIR as DATA_DIR, Files, LOST, path as data_path};
pub use frame::{PageRead, PageWrite};
pub use prefetch::{Kept, Prefetched, RUN_PAGES};
pub use write_back::{BATCH_PAGES, HomeWrites, WriteReason};

use crate::base::sync::counter::{AtomicU64 as Counter, Spread};
use crate::base::sync::{AtomicU64, Ordering, RwLock};
use crate::base::usage;
use crate::base::{Error, Lsn, PAGE_BYTES, PageId, PartitionCount, Poison, Result};
use crate::io::AlignedBuf;
use crate::wal::Wal;
use frame::Frame;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, OnceLock};

/// Shards of the page table.
const SHARDS: usize = 128;
/// Fewest frames that a pool works with: a split, a merge and their neighbours by a few threads at once.
pub const MIN_FRAMES: usize = 64;

/// Page ids are hashed once, by `PageId::hash`.
#[derive(Default)]
pub(crate) struct PageIdHasher(u64);

impl Hasher for PageIdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0.rotate_left(5) ^ u64::from(b)).wrapping_mul(0x517C_C1B7_2722_0A95);
        }
    }
    fn write_u32(&mut self, v: u32) {
        self.write_u64(u64::from(v));
    }
    fn write_u64(&mut self, v: u64) {
        self.0 = (self.0.rotate_left(26) ^ v).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 29;
    }
}

type Shard = RwLock<HashMap<PageId, u32, BuildHasherDefault<PageIdHasher>>>;

/// The pool of an open database.
pub struct Pool {
    memory: Memory,
    frames: Vec<Frame>,
    table: Vec<Shard>,
    order: order::Order,
    cleaner: cleaner::Cleaner,
    partitions: PartitionCount,
    /// Per partition: a bit a frame, in frame order.
    dirty: Vec<Vec<AtomicU64>>,
    dirty_count: Vec<AtomicU64>,
    in_flight: write_back::InFlight,
    home_writes: RwLock<HomeWrites>,
    files: Arc<Files>,
    wal: OnceLock<Arc<Wal>>,
    /// No record ends between these: behind the end of the life before, up to the beginning of this one.
    gap: OnceLock<(Lsn, Lsn)>,
    poison: Arc<Poison>,
    /// Counters.
    pub stats: Stats,
}

/// What the pool did since it was opened.
#[derive(Default, Debug)]
pub struct Stats {
    /// Pages found in a frame.
    pub hits: Spread,
    /// Pages read from disk.
    pub reads: Counter,
    /// Frames given to another page.
    pub evictions: Counter,
    /// Frames handed out, for new pages and for reads.
    pub allocations: Counter,
    /// Pages written by backends that needed a frame: the target is none.
    pub written_backend: Counter,
    /// Pages written by the cleaner.
    pub written_cleaner: Counter,
    /// Pages written by rounds.
    pub written_round: Counter,
    /// Write calls to data files: neighbours go in one.
    pub write_calls: Counter,
    /// The cleaner's work.
    pub cleaner: CleanerStats,
    /// Rounds that had to wait for write-backs begun by others.
    pub write_back_waits: Counter,
    /// Batches written to the double-write file.
    pub double_write_batches: Counter,
    /// Bytes written to it, heads included.
    pub double_write_bytes: Counter,
    /// Syncs of data files for want of room in it.
    pub double_write_home_syncs: Counter,
}

struct Memory {
    // Owns what `base` points into.
    _buf: AlignedBuf,
    base: *mut u8,
}

// SAFETY: page bytes are only reached through latches (see `frame`); the pointer itself never changes.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Pool {
    /// Whether there is memory for so many frames; to be asked before `new`, which aborts where there is none. `InvalidArgument` names the setting.
    pub fn has_room_for(frames: usize) -> Result<()> {
        let bytes = frames.checked_mul(PAGE_BYTES).filter(|b| AlignedBuf::is_possible(*b));
        bytes.map(drop).ok_or_else(|| {
            Error::InvalidArgument(format!(
                "shared_buffers = {} MB: there is not so much memory; choose less",
                (frames as u128 * PAGE_BYTES as u128) >> 20
            ))
        })
    }

    /// A pool of `frames` frames over `files`.
    pub fn new(frames: usize, partitions: PartitionCount, files: Arc<Files>, poison: Arc<Poison>) -> Pool {
        let frames = frames.max(MIN_FRAMES);
        let mut buf = AlignedBuf::new(frames * PAGE_BYTES);
        let base = buf.as_mut_ptr();
        let words = frames.div_ceil(64);
        Pool {
            memory: Memory { _buf: buf, base },
            frames: (0..frames).map(|_| Frame::default()).collect(),
            table: (0..SHARDS).map(|_| Shard::default()).collect(),
            order: order::Order::new(frames),
            cleaner: cleaner::Cleaner::default(),
            partitions,
            dirty: (0..partitions.get()).map(|_| (0..words).map(|_| AtomicU64::new(0)).collect()).collect(),
            dirty_count: (0..partitions.get()).map(|_| AtomicU64::new(0)).collect(),
            in_flight: write_back::InFlight::default(),
            home_writes: RwLock::new(HomeWrites::Plain),
            files,
            wal: OnceLock::new(),
            gap: OnceLock::new(),
            poison,
            stats: Stats::default(),
        }
    }

    /// Connects the log, once it has been started. Before (in redo) every page's records are durable already.
    pub fn set_wal(&self, wal: Arc<Wal>) {
        assert!(self.wal.set(wal).is_ok(), "the log is connected once");
    }

    /// The log of the life before ended at `end`, and this one's begins at `start`: a page whose last change lies between is of log that is lost.
    pub fn set_gap(&self, end: Lsn, start: Lsn) {
        assert!(self.gap.set((end, start)).is_ok(), "a life begins once");
    }

    /// Says how pages go home from here on.
    pub fn set_home_writes(&self, how: HomeWrites) {
        *self.home_writes.write() = how;
    }

    /// Ends the use of the double-write file: pages that begin to go home from now on go there directly. Write-backs that have begun end as they are,
    /// by batches that no recovery counts any more, once the control file names another life: what they write home must be protected otherwise.
    pub fn end_double_write(&self) {
        *self.home_writes.write() = HomeWrites::Plain;
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// The partition function in force.
    pub fn partitions(&self) -> PartitionCount {
        self.partitions
    }

    /// The data files.
    pub fn files(&self) -> &Arc<Files> {
        &self.files
    }

    /// Whether a batch of pages that are no neighbours costs less than each run by itself.
    pub fn batches_across_runs(&self) -> bool {
        matches!(*self.home_writes.read(), HomeWrites::Doubled(_))
    }

    /// Dirty frames in a partition.
    pub fn dirty_frames(&self, partition: usize) -> u64 {
        self.dirty_count[partition].load(Ordering::Relaxed)
    }

    fn shard(&self, id: PageId) -> &Shard {
        &self.table[(id.hash() >> 57) as usize % SHARDS]
    }

    fn page_ptr(&self, frame: u32) -> *mut u8 {
        debug_assert!((frame as usize) < self.frames.len());
        // SAFETY: the frame number is in range, so the offset stays inside the allocation.
        unsafe { self.memory.base.add(frame as usize * PAGE_BYTES) }
    }

    /// Marks a latched frame dirty, before the change is logged (mtr invariant 2).
    fn mark_dirty(&self, frame: u32) {
        let f = &self.frames[frame as usize];
        if !f.dirty.swap(true, Ordering::SeqCst) {
            usage::dirtied();
            let p = self.partitions.of(f.id());
            self.dirty[p][frame as usize / 64].fetch_or(1 << (frame % 64), Ordering::SeqCst);
            self.dirty_count[p].fetch_add(1, Ordering::Relaxed);
            self.order.note_dirty(&self.frames, frame);
        }
    }

    fn clear_dirty(&self, frame: u32) -> bool {
        let f = &self.frames[frame as usize];
        let was = f.dirty.swap(false, Ordering::SeqCst);
        if was {
            let p = self.partitions.of(f.id());
            self.dirty[p][frame as usize / 64].fetch_and(!(1 << (frame % 64)), Ordering::SeqCst);
            self.dirty_count[p].fetch_sub(1, Ordering::Relaxed);
            self.order.note_dirty(&self.frames, frame);
        }
        was
    }

    /// Identities of the frames of a partition that are dirty now.
    pub fn dirty_pages(&self, partition: usize) -> Vec<PageId> {
        let mut out = Vec::with_capacity(self.dirty_frames(partition) as usize);
        for (w, word) in self.dirty[partition].iter().enumerate() {
            let mut bits = word.load(Ordering::SeqCst);
            while bits != 0 {
                let frame = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                // The identity may change between the two loads; a page that is no longer dirty is skipped when it is to be written.
                out.push(self.frames[frame].id());
            }
        }
        out
    }
}
