//! The double-write file: batches of pages, durable before any of them is written home, so that a home write that a crash cuts short can be repaired.
//!
//! A ring of batches. A batch is one block of 4 KiB, the head, followed by its pages; it begins at a multiple of 4 KiB and does not wrap around.
//! Head (little-endian):
//!
//! | offset | width | field |
//! | --- | --- | --- |
//! | 0 | 8 | magic `EVKLDBW1` |
//! | 8 | 4 | CRC32C of bytes 12..4096 |
//! | 12 | 4 | number of pages, 1 to 128 |
//! | 16 | 8 | database id |
//! | 24 | 8 | life: the number that the control file holds while the batch counts |
//! | 32 | 8 | sequence number of the batch in its life, from 1 |
//! | 40 | 8 | position of this head: counts on without end; modulo the size of the file it is its offset there |
//! | 48 | 24 each | the pages in their order: file id u64, block u32, the page's checksum u32 (its bytes 0..4), page LSN u64 |
//! | … | | zero |
//!
//! Invariants
//! 1. A home write of a page begins only when a batch that holds the very bytes is durable.
//! 2. A batch's place is used again only when a sync of each file that it covers has ended that was issued after the batch's last write to
//!    that file, or when the file's removal is durable.
//! 3. Places are used again in the order of the batches. So the newest whole copy of a page in the file is the newest one ever made in this life (or one that
//!    was being made when the power failed), or there is none: an older copy never outlives a newer one. (A batch that lies where the ring turned before its end
//!    stays there; by its position it is as old as what was overwritten, and does not count.)
//! 4. Nobody waits here while another thread waits for him: who has a place only does I/O until its pages are home. Who finds no place syncs files himself, or
//!    waits, with a bound, for one who does.
//! 5. A head counts only with this database's id, with the life that the control file names, and at its own offset; a page only with the checksum, LSN and
//!    identity that the head says.
//!
//! Must not know: frames, rounds, why a page is written.

use super::{BATCH_PAGES, Files, Stats};
use crate::base::blocking::{Wait, wait};
use crate::base::codec::{u32_at, u64_at};
use crate::base::sync::{Condvar, Mutex, MutexGuard, Ordering};
use crate::base::{BlockNo, Error, FileId, Lsn, MAX_FILE_ID, PAGE_BYTES, PageId, Poison, Result};
use crate::io::{Access, AlignedBuf, Disk, File, OpenMode, read_exact_at, write_all_at};
use crate::page;
use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;
use std::time::Duration;

/// Its name in the database folder.
pub const DOUBLE_WRITE_FILE: &str = "double_write";

const MAGIC: &[u8; 8] = b"EVKLDBW1";
const HEAD_BYTES: usize = 4096;
const ENTRIES_AT: usize = 48;
const ENTRY_BYTES: usize = 24;
/// Bytes written or read at a time when the whole file is.
const PIECE_BYTES: usize = 1 << 20;
/// Who waits for others looks again after this time: a poisoned engine wakes nobody.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// The open double-write file of one life.
pub struct DoubleWrite {
    file: Arc<dyn File>,
    size_bytes: u64,
    database_id: u64,
    life: u64,
    ring: Mutex<Ring>,
    changed: Condvar,
}

/// Positions count on without end; the place in the file is the position modulo the file's size.
#[derive(Default)]
struct Ring {
    head: u64,
    /// Batches whose places are taken, the oldest first, numbered without gaps.
    batches: VecDeque<Batch>,
    next_sequence: u64,
    /// A thread is syncing files to free places.
    syncing: bool,
}

struct Batch {
    sequence: u64,
    start: u64,
    /// `None`: not all home yet. Else the files that still have to be synced, each with the number of the batch's last write to it.
    waits_for: Option<Vec<(FileId, u64)>>,
}

impl Ring {
    /// Frees the places of the oldest batches whose files have been synced (invariants 2 and 3).
    fn retire(&mut self, files: &Files) {
        while let Some(front) = self.batches.front_mut() {
            let Some(waits_for) = &mut front.waits_for else { return };
            waits_for.retain(|(file, write)| !files.is_synced(*file, *write));
            if !waits_for.is_empty() {
                return;
            }
            self.batches.pop_front();
        }
    }

    /// Takes a place of `len` bytes, if there is one. Gives sequence number and position.
    fn take(&mut self, len: u64, size: u64) -> Option<(u64, u64)> {
        let mut start = self.head;
        if start % size + len > size {
            start = start.next_multiple_of(size);
        }
        let tail = self.batches.front().map_or(start, |b| b.start);
        if start + len - tail > size {
            return None;
        }
        self.head = start + len;
        self.next_sequence += 1;
        let sequence = self.next_sequence;
        self.batches.push_back(Batch { sequence, start, waits_for: None });
        Some((sequence, start))
    }

    /// Files that the oldest batches wait for, those that began before `until` and are home.
    fn to_sync(&self, until: u64) -> BTreeMap<FileId, u64> {
        let home = self.batches.iter().take_while(|b| b.start < until && b.waits_for.is_some());
        home.flat_map(|b| b.waits_for.iter().flatten()).map(|(file, _)| (*file, 0)).collect()
    }
}

impl DoubleWrite {
    /// Opens the file for a new life, whose number the control file holds already, creating it or changing its size if need be. What it held
    /// must be of no use any more. A full disk is `OutOfSpace`. Blocks for the disk.
    pub fn open(disk: &dyn Disk, size_bytes: u64, database_id: u64, life: u64) -> Result<DoubleWrite> {
        let size_bytes = size_bytes - size_bytes % HEAD_BYTES as u64;
        let ctx = |e| {
            let what = format!(
                "the file \"{DOUBLE_WRITE_FILE}\" of {size_bytes} bytes, which torn_page_protection = double_write needs (double_write_size)"
            );
            Error::io(what, e)
        };
        let file = disk.open(DOUBLE_WRITE_FILE, OpenMode::CreateIfMissing, Access::Log).map_err(ctx)?;
        if let Err(e) = set_size(&*file, size_bytes) {
            drop(file);
            let _ = disk.remove(DOUBLE_WRITE_FILE); // what it got of the space is worth more than the rest of it
            return Err(ctx(e));
        }
        disk.sync_dir("").map_err(ctx)?;
        Ok(DoubleWrite {
            file,
            size_bytes,
            database_id,
            life,
            ring: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Removes the file. A missing one is no error.
    pub fn remove(disk: &dyn Disk) -> Result<()> {
        match disk.remove(DOUBLE_WRITE_FILE) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                Err(Error::io(format!("removing the file \"{DOUBLE_WRITE_FILE}\""), e))
            }
            _ => Ok(()),
        }
    }

    /// Pages that one batch holds at most: an empty ring always has room for one, wherever its head is.
    pub(super) fn pages_max(&self) -> usize {
        ((self.size_bytes as usize / 2 - HEAD_BYTES) / PAGE_BYTES).clamp(1, BATCH_PAGES)
    }

    /// Makes a batch of sealed pages durable; gives its number. Blocks for the disk. Fails only with `Poisoned`.
    pub(super) fn write(
        &self,
        pages: &[PageId],
        copies: &[u8],
        files: &Files,
        poison: &Poison,
        stats: &Stats,
    ) -> Result<u64> {
        debug_assert!(pages.len() <= self.pages_max() && copies.len() == pages.len() * PAGE_BYTES);
        let len = (HEAD_BYTES + copies.len()) as u64;
        let (sequence, position) = self.place(len, files, poison, stats)?;
        let offset = position % self.size_bytes;
        let mut head = AlignedBuf::new(HEAD_BYTES);
        self.encode_head(&mut head, sequence, position, pages, copies);
        write_all_at(&*self.file, &mut [IoSlice::new(&head), IoSlice::new(copies)], offset)
            .and_then(|()| if self.file.log_needs_sync() { self.file.sync() } else { Ok(()) })
            .map_err(|e| poison.set(format!("writing the file \"{DOUBLE_WRITE_FILE}\" failed: {e}")))?;
        stats.double_write_batches.fetch_add(1, Ordering::Relaxed);
        stats.double_write_bytes.fetch_add(len, Ordering::Relaxed);
        Ok(sequence)
    }

    /// All pages of a batch have been written home: to these files, each with the number of the last write to it.
    pub(super) fn is_home(&self, sequence: u64, writes: Vec<(FileId, u64)>) {
        let mut ring = self.ring.lock();
        let oldest = ring.batches.front().expect("the batch has its place").sequence;
        let batch = &mut ring.batches[(sequence - oldest) as usize];
        debug_assert!(batch.sequence == sequence && batch.waits_for.is_none());
        batch.waits_for = Some(writes);
        self.changed.notify_all();
    }

    /// A place for a batch (invariant 4).
    fn place(&self, len: u64, files: &Files, poison: &Poison, stats: &Stats) -> Result<(u64, u64)> {
        let mut ring = self.ring.lock();
        loop {
            poison.check()?;
            ring.retire(files);
            if let Some(place) = ring.take(len, self.size_bytes) {
                return Ok(place);
            }
            let _waiting = wait(Wait::DoubleWriteSpace);
            let oldest = ring.batches.front().expect("an empty ring has room");
            if oldest.waits_for.is_some() && !ring.syncing {
                // Half of the ring at once, so that a sync serves many batches.
                let until = oldest.start + (self.size_bytes / 2).max(1);
                self.sync_until(&mut ring, until, files, poison, stats)?;
            } else {
                self.changed.wait_for(&mut ring, LOOK_AGAIN);
            }
        }
    }

    /// Syncs the files that the batches that began before `until` wait for, with the ring unlocked meanwhile, and frees their places.
    fn sync_until(
        &self,
        ring: &mut MutexGuard<'_, Ring>,
        until: u64,
        files: &Files,
        poison: &Poison,
        stats: &Stats,
    ) -> Result<()> {
        let mut covered = ring.to_sync(until);
        ring.syncing = true;
        let result = MutexGuard::unlocked(ring, || {
            covered.iter_mut().try_for_each(|(file, upto)| {
                *upto = files.sync_file(*file)?;
                stats.double_write_home_syncs.fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
        });
        ring.syncing = false;
        self.changed.notify_all();
        result.map_err(|e: Error| match e {
            e @ Error::Poisoned(_) => e,
            e => poison.set(format!("freeing the file \"{DOUBLE_WRITE_FILE}\" failed: {e}")),
        })?;
        for waits_for in ring.batches.iter_mut().filter_map(|b| b.waits_for.as_mut()) {
            waits_for.retain(|(file, write)| covered.get(file).is_none_or(|upto| write > upto));
        }
        ring.retire(files);
        Ok(())
    }

    fn encode_head(&self, b: &mut [u8], sequence: u64, position: u64, pages: &[PageId], copies: &[u8]) {
        b[..8].copy_from_slice(MAGIC);
        b[12..16].copy_from_slice(&(pages.len() as u32).to_le_bytes());
        for (i, v) in [self.database_id, self.life, sequence, position].into_iter().enumerate() {
            b[16 + 8 * i..24 + 8 * i].copy_from_slice(&v.to_le_bytes());
        }
        let entries = b[ENTRIES_AT..].chunks_exact_mut(ENTRY_BYTES);
        for ((id, copy), e) in pages.iter().zip(copies.chunks_exact(PAGE_BYTES)).zip(entries) {
            e[..8].copy_from_slice(&id.file.0.to_le_bytes());
            e[8..12].copy_from_slice(&id.block.0.to_le_bytes());
            e[12..16].copy_from_slice(&copy[..4]);
            e[16..24].copy_from_slice(&page::lsn(copy).0.to_le_bytes());
        }
        let crc = crc32c::crc32c(&b[12..HEAD_BYTES]);
        b[8..12].copy_from_slice(&crc.to_le_bytes());
    }
}

/// Brings the file to its size. What is new is written with zeros, so that later writes into it change no metadata.
fn set_size(file: &dyn File, size: u64) -> std::io::Result<()> {
    let len = file.len()?;
    if len > size {
        file.truncate(size)?;
    } else if len < size {
        file.allocate(0, size)?;
        let zeros = AlignedBuf::new(PIECE_BYTES.min(size as usize));
        let mut at = len - len % HEAD_BYTES as u64;
        while at < size {
            let n = (size - at).min(zeros.len() as u64) as usize;
            write_all_at(file, &mut [IoSlice::new(&zeros[..n])], at)?;
            at += n as u64;
        }
    }
    file.sync()
}

/// A page in a batch, as its head says.
#[derive(Clone, Copy, Debug)]
pub struct PageCopy {
    /// Which page.
    pub id: PageId,
    /// Sequence number of the batch: of two copies of a page, the one with the higher number is newer.
    pub sequence: u64,
    /// The page's LSN.
    pub lsn: Lsn,
    checksum: u32,
    /// Of the page in the file.
    offset: u64,
    /// Of the batch.
    position: u64,
}

/// What a crashed life left in the double-write file.
pub struct Copies {
    file: Arc<dyn File>,
    /// Every copy that a good head names, sorted by page, the newest of each first.
    pub list: Vec<PageCopy>,
}

impl Copies {
    /// Reads the heads of one life. `Ok(None)`: there is no such file. Makes the file durable first: what a killed process left in a cache is believed
    /// only then. Memory for 40 bytes a page in the file.
    pub fn scan(disk: &dyn Disk, database_id: u64, life: u64) -> Result<Option<Copies>> {
        let ctx = |e| Error::io(format!("reading the file \"{DOUBLE_WRITE_FILE}\""), e);
        let file = match disk.open(DOUBLE_WRITE_FILE, OpenMode::Existing, Access::Log) {
            Ok(file) => file,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(ctx(e)),
        };
        file.sync().map_err(ctx)?;
        let len = file.len().map_err(ctx)?;
        let len = len - len % HEAD_BYTES as u64;
        let mut piece = AlignedBuf::new(PIECE_BYTES.min(len as usize));
        let mut list = Vec::new();
        let (mut at, mut newest) = (0, 0);
        while at < len {
            let n = (len - at).min(piece.len() as u64) as usize;
            read_exact_at(&*file, &mut piece[..n], at).map_err(ctx)?;
            for (i, block) in piece[..n].chunks_exact(HEAD_BYTES).enumerate() {
                let offset = at + (i * HEAD_BYTES) as u64;
                if is_head(block, database_id, life, offset, len) {
                    newest = newest.max(u64_at(block, 40));
                    read_entries(block, offset, len, &mut list);
                }
            }
            at += n as u64;
        }
        // Invariant 3: the ring has come round since then, past the place.
        list.retain(|c: &PageCopy| c.position.saturating_add(len) >= newest);
        list.sort_unstable_by_key(|c: &PageCopy| (c.id, std::cmp::Reverse(c.sequence)));
        Ok(Some(Copies { file, list }))
    }

    /// Reads a copy; false if it is not what its head says, as when its batch was never completed.
    pub fn read(&self, copy: &PageCopy, bytes: &mut [u8]) -> Result<bool> {
        let ctx = |e| Error::io(format!("reading the file \"{DOUBLE_WRITE_FILE}\""), e);
        read_exact_at(&*self.file, bytes, copy.offset).map_err(ctx)?;
        Ok(u32_at(bytes, 0) == copy.checksum
            && page::lsn(bytes) == copy.lsn
            && page::checksum(bytes, copy.id) == copy.checksum)
    }
}

/// Invariant 5.
fn is_head(b: &[u8], database_id: u64, life: u64, offset: u64, file_bytes: u64) -> bool {
    &b[..8] == MAGIC
        && u64_at(b, 16) == database_id
        && u64_at(b, 24) == life
        && u64_at(b, 40) % file_bytes == offset
        && u32_at(b, 8) == crc32c::crc32c(&b[12..])
}

fn read_entries(b: &[u8], offset: u64, len: u64, out: &mut Vec<PageCopy>) {
    let count = (u32_at(b, 12) as usize).min(BATCH_PAGES);
    let position = u64_at(b, 40);
    for (i, e) in b[ENTRIES_AT..].chunks_exact(ENTRY_BYTES).take(count).enumerate() {
        let at = offset + (HEAD_BYTES + i * PAGE_BYTES) as u64;
        let file = u64_at(e, 0);
        if file < MAX_FILE_ID && at + PAGE_BYTES as u64 <= len {
            out.push(PageCopy {
                id: PageId { file: FileId(file), block: BlockNo(u32_at(e, 8)) },
                sequence: u64_at(b, 32),
                lsn: Lsn(u64_at(e, 16)),
                checksum: u32_at(e, 12),
                offset: at,
                position,
            });
        }
    }
}
