//! Where undo lives: memory, counted, and an unlogged scratch file that is discarded at the next start.
//!
//! Undo that does not change any more lies in *chunks*, of a transaction or of many (`history.rs`). Whoever needs memory beyond `undo_buffers`
//! writes the oldest chunks to the scratch file, whosever they are.
//!
//! Invariants
//! 1. `memory_bytes` counts what undo holds: buffers as they are allocated, and what names them. Beyond `undo_buffers` lies only what cannot be
//!    spilled: the newest entries of active transactions, and the directory of what was spilled.
//! 2. A chunk's bytes never change. Its place in the scratch file is used again only once nobody holds the chunk: a reader needs no lock while it
//!    reads.
//! 3. `undo_spill_limit` bounds what is spilled for snapshots alone (`Chunk::keep_for_snapshots`). What an active transaction needs for its own rollback is bounded by the
//!    disk: a load is not refused because it is large.
//! 4. What comes back from the scratch file is what went there, or `Corrupt`: the chunk remembers a checksum, over its place too.
//!
//! Must not know: what an entry is.

use crate::base::sync::{AtomicU64, Mutex, Ordering};
use crate::base::{Error, Result};
use crate::io::{Access, Disk, File, OpenMode, read_exact_at, write_all_at};
use std::collections::{BTreeSet, VecDeque};
use std::io::IoSlice;
use std::sync::{Arc, Weak};

/// Longest chunk, and the unit of the scratch file.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;
/// Memory that a chunk takes besides its bytes: itself, and its places in lists.
const NAME_BYTES: u64 = 192;
/// Unused bytes at its end that the scratch file keeps.
const SLACK_SLOTS: u32 = 64;
/// What has no room in memory.
pub const FILE: &str = "undo.scratch";

/// Limits and the scratch file, shared by all transactions.
pub struct UndoSpace {
    disk: Arc<dyn Disk>,
    memory: AtomicU64,
    memory_limit: u64,
    scratch: Mutex<Scratch>,
    spill_limit: u64,
    /// Bytes spilled that only snapshots need.
    kept_spilled: AtomicU64,
    /// Chunks that were in memory when they were made, oldest first.
    spillable: Mutex<Spillable>,
}

#[derive(Default)]
struct Scratch {
    file: Option<Arc<dyn File>>,
    free: BTreeSet<u32>,
    /// Slots in use or free: the file's length.
    slots: u32,
}

#[derive(Default)]
struct Spillable {
    chunks: VecDeque<Weak<Chunk>>,
    /// At this length those that are gone are looked for.
    tidy_at: usize,
}

/// Bytes of undo that do not change any more.
pub(super) struct Chunk {
    space: Arc<UndoSpace>,
    place: Mutex<Place>,
}

struct Place {
    bytes: Bytes,
    /// Only snapshots need it.
    kept: bool,
}

/// The chunk that somebody read last: who follows a row's versions, or rows in order, stays in it for a while.
#[derive(Default)]
pub(super) struct Near(Option<(Arc<Chunk>, Arc<Vec<u8>>)>);

impl Near {
    /// The bytes of a chunk. Blocks for the disk if it was spilled, and is not the one that was read last.
    pub(super) fn bytes(&mut self, chunk: &Arc<Chunk>) -> Result<Arc<Vec<u8>>> {
        match &self.0 {
            Some((near, bytes)) if Arc::ptr_eq(near, chunk) => Ok(bytes.clone()),
            _ => {
                let bytes = chunk.bytes()?;
                self.0 = Some((chunk.clone(), bytes.clone()));
                Ok(bytes)
            }
        }
    }
}

enum Bytes {
    Memory(Arc<Vec<u8>>),
    Spilled { slot: u32, len: usize, crc: u32 },
}

impl UndoSpace {
    /// Discards an old scratch file.
    pub fn new(disk: Arc<dyn Disk>, memory_limit: u64, spill_limit: u64) -> Result<UndoSpace> {
        if disk.exists(FILE).map_err(|e| Error::io("looking for the undo scratch file", e))? {
            disk.remove(FILE).map_err(|e| Error::io("removing the undo scratch file", e))?;
        }
        Ok(UndoSpace {
            disk,
            memory: AtomicU64::new(0),
            memory_limit,
            scratch: Mutex::default(),
            spill_limit,
            kept_spilled: AtomicU64::new(0),
            spillable: Mutex::default(),
        })
    }

    /// Bytes of undo in memory.
    pub fn memory_bytes(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    /// Bytes of undo in the scratch file.
    pub fn spilled_bytes(&self) -> u64 {
        let s = self.scratch.lock();
        (u64::from(s.slots) - s.free.len() as u64) * CHUNK_BYTES as u64
    }

    /// Whether more is spilled for snapshots than `undo_spill_limit` allows.
    pub(super) fn snapshots_keep_too_much(&self) -> bool {
        self.kept_spilled.load(Ordering::Relaxed) > self.spill_limit
    }

    /// Whether memory holds more than `undo_buffers`.
    pub(super) fn is_short_of_memory(&self) -> bool {
        self.memory_bytes() > self.memory_limit
    }

    /// Counts memory that somebody has taken.
    pub(super) fn took(&self, bytes: u64) {
        self.memory.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts memory that somebody has given back.
    pub(super) fn gave(&self, bytes: u64) {
        self.memory.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Makes a chunk of bytes that were counted as `counted`.
    pub(super) fn seal(self: &Arc<Self>, mut bytes: Vec<u8>, counted: u64) -> Arc<Chunk> {
        assert!(bytes.len() <= CHUNK_BYTES, "a chunk of undo is too long");
        bytes.shrink_to_fit();
        self.took(NAME_BYTES + bytes.capacity() as u64);
        self.gave(counted);
        let place = Mutex::new(Place { bytes: Bytes::Memory(Arc::new(bytes)), kept: false });
        let chunk = Arc::new(Chunk { space: self.clone(), place });
        let mut s = self.spillable.lock();
        if s.chunks.len() >= s.tidy_at {
            s.chunks.retain(|c| c.strong_count() > 0);
            s.tidy_at = 2 * s.chunks.len() + 64;
        }
        s.chunks.push_back(Arc::downgrade(&chunk));
        chunk
    }

    /// Spills until memory is within its limit, or nothing is left to spill. On an error what was not spilled stays in memory.
    pub(super) fn spill(&self) -> Result<()> {
        while self.is_short_of_memory() {
            let Some(oldest) = self.spillable.lock().chunks.pop_front() else { return Ok(()) };
            let Some(chunk) = oldest.upgrade() else { continue };
            if let Err(e) = chunk.spill() {
                self.spillable.lock().chunks.push_front(oldest);
                return Err(e);
            }
        }
        Ok(())
    }

    /// Gives the end of the scratch file back where it is not used.
    pub(super) fn trim(&self) {
        let mut s = self.scratch.lock();
        let end =
            s.slots - s.free.iter().rev().zip((0..s.slots).rev()).take_while(|(a, b)| *a == b).count() as u32;
        if s.slots - end < SLACK_SLOTS {
            return;
        }
        let Some(file) = &s.file else { return };
        match file.truncate(u64::from(end) * CHUNK_BYTES as u64) {
            Ok(()) => {
                s.free.split_off(&end);
                s.slots = end;
            }
            Err(e) => tracing::warn!("shortening the undo scratch file failed: {e}"),
        }
    }

    fn write(&self, bytes: &[u8]) -> Result<u32> {
        let (slot, file) = {
            let mut s = self.scratch.lock();
            let file = match &s.file {
                Some(file) => file.clone(),
                None => {
                    let f = self.disk.open(FILE, OpenMode::CreateIfMissing, Access::Buffered);
                    s.file.insert(f.map_err(|e| Error::io("the undo scratch file", e))?).clone()
                }
            };
            let slot = s.free.pop_first().unwrap_or_else(|| {
                s.slots += 1;
                s.slots - 1
            });
            (slot, file)
        };
        let at = u64::from(slot) * CHUNK_BYTES as u64;
        write_all_at(&*file, &mut [IoSlice::new(bytes)], at).map_err(|e| {
            self.release(slot);
            Error::io("the undo scratch file", e)
        })?;
        Ok(slot)
    }

    fn release(&self, slot: u32) {
        self.scratch.lock().free.insert(slot);
    }

    fn read(&self, slot: u32, len: usize, crc: u32) -> Result<Vec<u8>> {
        let file = self.scratch.lock().file.clone().expect("a spilled chunk has a file");
        let mut out = vec![0; len];
        read_exact_at(&*file, &mut out, u64::from(slot) * CHUNK_BYTES as u64)
            .map_err(|e| Error::io("reading the undo scratch file", e))?;
        if checksum(slot, &out) != crc {
            return Err(Error::corrupt(format!("the undo scratch file is damaged in its part {slot}"))); // invariant 4
        }
        Ok(out)
    }
}

fn checksum(slot: u32, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&slot.to_le_bytes()), bytes)
}

impl Chunk {
    /// Its bytes. Blocks for the disk if it was spilled; no lock is held meanwhile.
    pub(super) fn bytes(&self) -> Result<Arc<Vec<u8>>> {
        let (slot, len, crc) = match &self.place.lock().bytes {
            Bytes::Memory(bytes) => return Ok(bytes.clone()),
            Bytes::Spilled { slot, len, crc } => (*slot, *len, *crc),
        };
        self.space.read(slot, len, crc).map(Arc::new) // invariant 2
    }

    /// Says whether only snapshots need it (invariant 3).
    pub(super) fn keep_for_snapshots(&self, kept: bool) {
        let mut place = self.place.lock();
        if matches!(place.bytes, Bytes::Spilled { .. }) && place.kept != kept {
            self.count_kept(kept);
        }
        place.kept = kept;
    }

    fn count_kept(&self, more: bool) {
        let bytes = CHUNK_BYTES as u64;
        match more {
            true => self.space.kept_spilled.fetch_add(bytes, Ordering::Relaxed),
            false => self.space.kept_spilled.fetch_sub(bytes, Ordering::Relaxed),
        };
    }

    fn spill(&self) -> Result<()> {
        let mut place = self.place.lock();
        if let Bytes::Memory(bytes) = &place.bytes {
            let (slot, len, memory) = (self.space.write(bytes)?, bytes.len(), bytes.capacity());
            let crc = checksum(slot, bytes);
            place.bytes = Bytes::Spilled { slot, len, crc };
            if place.kept {
                self.count_kept(true);
            }
            self.space.gave(memory as u64);
        }
        Ok(())
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        let place = self.place.get_mut();
        let (kept, spilled) = (place.kept, matches!(place.bytes, Bytes::Spilled { .. }));
        match &place.bytes {
            Bytes::Memory(bytes) => self.space.gave(bytes.capacity() as u64),
            Bytes::Spilled { slot, .. } => self.space.release(*slot),
        }
        if kept && spilled {
            self.count_kept(false);
        }
        self.space.gave(NAME_BYTES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{SimDisk, SimOptions};

    #[test]
    fn the_scratch_files_end_is_given_back_and_what_lies_before_it_stays() {
        let disk = SimDisk::new(SimOptions::default());
        let space = Arc::new(UndoSpace::new(Arc::new(disk.clone()), 0, 1 << 40).unwrap());
        let chunk = |n: u8| {
            space.took(1);
            space.seal(vec![n; CHUNK_BYTES], 1)
        };
        let mut chunks: Vec<_> = (0..3 * SLACK_SLOTS as u8).map(chunk).collect();
        space.spill().unwrap();
        let bytes = || disk.contents(FILE).unwrap().len();
        assert_eq!(bytes(), 3 * SLACK_SLOTS as usize * CHUNK_BYTES);
        let half = SLACK_SLOTS as usize;
        chunks.truncate(half);
        space.trim();
        assert_eq!(bytes(), half * CHUNK_BYTES);
        for (n, chunk) in chunks.iter().enumerate() {
            assert_eq!(*chunk.bytes().unwrap(), vec![n as u8; CHUNK_BYTES]);
        }
    }
}
