//! Copying data files while they are in use: the pages of a base backup.
//!
//! A page that the pool holds is copied under its latch. Any other is read from its file, past the pool, so that a backup leaves the pool as it found
//! it. Why that is right:
//!
//! 1. *New enough for redo.* The label's redo vector was made known before: every change below `redo[partition]` is at home. The file can only have become newer since.
//! 2. *New enough for the next incremental backup.* The pool is asked first and the file is read afterwards. A page that was not in the pool at that moment was at home as
//!    it was then, because a dirty page leaves the pool after its write has ended. So the copy holds every change whose record ends at or before the
//!    label's `start`, which was taken earlier; a change on its way holds the page's latch, and the page is in the pool. Hence a page whose LSN is not above the parent's
//!    `start` is the same there.
//! 3. *Not torn.* The page may be loaded, changed and written home between the two looks. A read that meets such a write gives a wrong checksum, and the page is copied
//!    again; the last attempt is an ordinary read through the pool, whose error names the page.
//! 4. *Not ahead of the log.* A page goes home after the log up to its LSN is durable. Of a page in the pool that is not so: whoever stores a chunk flushes the log up to
//!    the LSN that comes with it first. Otherwise a crash could leave a chunk with changes that never happened, and a backup that was resumed would keep it.
//! 5. *Files that grow, shrink and go.* Blocks behind the end that a file had when its turn came were initialised later, in log that redo reads. Blocks that vanish
//!    were cut off, or their file dropped, by a record that redo reads: their chunk is as long as what was there.
//! 6. *Frames that were taken in vain.* A split may get a frame, of zeros, for a free block that it does not use in the end, whatever the block holds at home. Records that
//!    redo reads may be about what it holds. So a page of zeros in the pool counts as not being there.
//!
//! Must not know: where chunks go, when a backup begins and ends.

use super::chunk::{BlockState, Chunk};
use super::manifest::{CHUNK_BLOCKS, Manifest};
use crate::base::blocking::{Wait, wait};
use crate::base::sync;
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, PageId, Result};
use crate::io::{AlignedBuf, read_exact_at};
use crate::page;
use crate::pool::{Files, Pool};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::ops::Range;

/// Blocks copied at a time: 1 MiB.
const PIECE_BLOCKS: usize = 128;
/// So many blocks in the pool between two that are not are read along: one long read is cheaper than two.
const GAP_BLOCKS: usize = 16;
/// Copies of a page that are attempted past the pool.
const ATTEMPTS: u32 = 4;

/// What a backup that is laid upon another may leave out.
#[derive(Debug)]
pub struct Parent {
    /// Its `start`.
    start: Lsn,
    /// Blocks that it has of each file.
    blocks: HashMap<FileId, u32>,
}

impl Parent {
    /// Of a complete backup.
    pub fn new(manifest: &Manifest) -> Parent {
        let blocks = manifest.files.iter().map(|f| (FileId(f.file), f.blocks)).collect();
        Parent { start: manifest.start.into(), blocks }
    }

    /// Whether it has what a page is with this LSN.
    pub fn has(&self, id: PageId, lsn: Lsn) -> bool {
        lsn <= self.start && self.blocks.get(&id.file).is_some_and(|blocks| id.block.0 < *blocks)
    }
}

/// Copies pages of an open database.
pub struct Copier<'a> {
    pool: &'a Pool,
    /// All that pages may hold is logged before what this gives.
    log_end: Box<dyn Fn() -> Lsn + 'a>,
    pages: AlignedBuf,
    read: AlignedBuf,
}

/// A chunk that was copied.
#[derive(Debug)]
pub struct Copied {
    /// The pages.
    pub chunk: Chunk,
    /// The log must be durable up to here before the chunk is stored.
    pub lsn: Lsn,
    /// The file ended, or was gone, before the chunk was as long as was asked for.
    pub cut_short: bool,
}

impl<'a> Copier<'a> {
    /// Needs 2 MiB.
    pub fn new(pool: &'a Pool, log_end: impl Fn() -> Lsn + 'a) -> Copier<'a> {
        let buffer = || AlignedBuf::new(PIECE_BLOCKS * PAGE_BYTES);
        Copier { pool, log_end: Box::new(log_end), pages: buffer(), read: buffer() }
    }

    /// The length of a file in blocks, if it is there.
    pub fn blocks(files: &Files, file: FileId) -> Result<Option<u32>> {
        let Some(handle) = files.get(file)? else { return Ok(None) };
        let bytes = handle.len().map_err(|e| Error::io(format!("the length of data file {}", file.0), e))?;
        u32::try_from(bytes / PAGE_BYTES as u64)
            .map(Some)
            .map_err(|_| Error::corrupt(format!("data file {} has {bytes} bytes", file.0)))
    }

    /// Copies `blocks` blocks, at most [`CHUNK_BLOCKS`], from `first` on. `has`: whether a page with this LSN may be left out. `pace` is told the bytes of each piece, and may end it all. Blocks for the disk.
    /// `Corrupt` names a page that is damaged.
    pub fn chunk(
        &mut self,
        file: FileId,
        first: u32,
        blocks: u32,
        has: Option<&dyn Fn(PageId, Lsn) -> bool>,
        pace: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Copied> {
        assert!(blocks <= CHUNK_BLOCKS);
        let mut chunk = Chunk::new(file, first);
        let mut newest = Lsn::ZERO;
        while chunk.blocks() < blocks {
            let at = first + chunk.blocks();
            let wanted = PIECE_BLOCKS.min((blocks - chunk.blocks()) as usize);
            let there = self.piece(file, at, wanted)?;
            for (block, bytes) in (at..).zip(self.pages.chunks_exact(PAGE_BYTES)).take(there) {
                let (id, lsn) = (PageId::new(file, block), page::lsn(bytes));
                if is_unwritten(bytes) {
                    chunk.push(BlockState::Zeros);
                } else if has.is_some_and(|has| has(id, lsn)) {
                    chunk.push(BlockState::Same);
                } else {
                    newest = newest.max(lsn);
                    chunk.push(BlockState::Page(bytes));
                }
            }
            if there < wanted {
                return Ok(Copied { chunk, lsn: newest, cut_short: true });
            }
            pace((there * PAGE_BYTES) as u64)?;
        }
        Ok(Copied { chunk, lsn: newest, cut_short: false })
    }

    /// Copies blocks into `pages`, sealed. Gives their number: fewer if the file ends, or is gone.
    fn piece(&mut self, file: FileId, first: u32, blocks: usize) -> Result<usize> {
        let pages = self.pages.chunks_exact_mut(PAGE_BYTES).take(blocks);
        let mut missing = [false; PIECE_BLOCKS];
        for ((block, bytes), missing) in (first..).zip(pages).zip(&mut missing) {
            let id = PageId::new(file, block);
            *missing = !from_pool(self.pool, id, bytes);
            if !*missing {
                page::seal(bytes, id);
            }
        }
        let mut from = 0;
        while let Some(run) = next_run(&missing[..blocks], from) {
            from = run.end;
            let got = self.read(file, first, run.clone())?;
            let to_take: Vec<usize> = (run.start..run.start + got).filter(|i| missing[*i]).collect();
            for i in to_take {
                let id = PageId::new(file, first + i as u32);
                let at = i * PAGE_BYTES..(i + 1) * PAGE_BYTES;
                self.pages[at.clone()].copy_from_slice(&self.read[at.clone()]);
                if !page::verify(&self.pages[at.clone()], id) && !self.again(id, at.clone())? {
                    return Ok(i);
                }
                self.is_of_this_log(id, &self.pages[at])?;
            }
            if got < run.len() {
                return Ok(run.start + got);
            }
        }
        Ok(blocks)
    }

    /// Reads blocks of a file into `read`, at the same places as in `pages`. Gives the number of those that are there.
    fn read(&mut self, file: FileId, first: u32, mut run: Range<usize>) -> Result<usize> {
        let _waiting = wait(Wait::BackupRead);
        let begin = run.start;
        while !run.is_empty() {
            let Some(handle) = self.pool.files().get(file)? else { return Ok(0) };
            let bytes = &mut self.read[run.start * PAGE_BYTES..run.end * PAGE_BYTES];
            let offset = PageId::new(file, first + run.start as u32).offset();
            match read_exact_at(&*handle, bytes, offset) {
                Ok(()) => break,
                Err(e) if e.kind() == ErrorKind::UnexpectedEof => {
                    // Cut meanwhile: what is left of it counts, and less each time.
                    let blocks = Copier::blocks(self.pool.files(), file)?.unwrap_or(0);
                    let left = (blocks.saturating_sub(first) as usize).max(run.start);
                    run.end = left.min(run.end - 1);
                }
                Err(e) => {
                    let what =
                        format!("reading data file {} from block {} on", file.0, first + run.start as u32);
                    return Err(Error::io(what, e));
                }
            }
        }
        Ok(run.end.saturating_sub(begin))
    }

    /// Copies a page anew whose bytes did not fit its checksum: it was being written. False: it is there no more.
    fn again(&mut self, id: PageId, at: Range<usize>) -> Result<bool> {
        for _ in 0..ATTEMPTS {
            let bytes = &mut self.pages[at.clone()];
            if from_pool(self.pool, id, bytes) {
                page::seal(bytes, id);
                return Ok(true);
            }
            let i = at.start / PAGE_BYTES;
            if self.read(id.file, id.block.0 - i as u32, i..i + 1)? == 0 {
                return Ok(false);
            }
            self.pages[at.clone()].copy_from_slice(&self.read[at.clone()]);
            if page::verify(&self.pages[at.clone()], id) {
                return Ok(true);
            }
            sync::yield_now();
        }
        let through_pool = self.pool.read(id).map(|page| {
            self.pages[at.clone()].copy_from_slice(&page);
        });
        match through_pool {
            Ok(()) => {
                page::seal(&mut self.pages[at], id);
                Ok(true)
            }
            Err(_) if Copier::blocks(self.pool.files(), id.file)?.is_none_or(|n| id.block.0 >= n) => {
                Ok(false)
            }
            Err(e) => Err(e),
        }
    }

    /// Log before data: what is at home is not ahead of the durable log. (A page copied from the pool may be.)
    fn is_of_this_log(&self, id: PageId, bytes: &[u8]) -> Result<()> {
        let (lsn, end) = (page::lsn(bytes), (self.log_end)());
        if lsn <= end {
            return Ok(());
        }
        Err(Error::of_page(
            id,
            format!(
                "its LSN {lsn} lies behind the end of the log, {end}: the page or the log is not this database's"
            ),
        ))
    }
}

/// Copies a page that the pool has (point 6).
fn from_pool(pool: &Pool, id: PageId, bytes: &mut [u8]) -> bool {
    pool.copy_resident(id, bytes) && !is_unwritten(bytes)
}

/// Allocated and never initialised.
fn is_unwritten(bytes: &[u8]) -> bool {
    // The checksum may be there, of nothing.
    bytes[4] == 0 && bytes[4..].iter().all(|b| *b == 0)
}

/// The next blocks to be read in one go.
fn next_run(missing: &[bool], from: usize) -> Option<Range<usize>> {
    let start = from + missing[from..].iter().position(|m| *m)?;
    let mut end = start + 1;
    while let Some(next) = missing[end..].iter().take(GAP_BLOCKS + 1).position(|m| *m) {
        end += next + 1;
    }
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_gaps_are_read_along() {
        let mut missing = vec![false; 100];
        for i in [3, 4, 10, 27, 90] {
            missing[i] = true;
        }
        assert_eq!(next_run(&missing, 0), Some(3..28));
        assert_eq!(next_run(&missing, 28), Some(90..91));
        assert_eq!(next_run(&missing, 91), None);
    }
}
