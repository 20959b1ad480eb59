//! Pages read ahead of their use, neighbours in one read.
//!
//! Invariants
//! 1. All frames that a read needs are obtained before the first of them is latched (pool invariant 7), so no eviction waits for this read.
//! 2. A page that could not be read, or is damaged, is not in the pool afterwards: whoever needs it meets the error himself.
//!
//! Must not know: who will need the pages, or why.

use super::Pool;
use super::frame::{FREE, VALID};
use crate::base::blocking::{Wait, wait};
use crate::base::sync::Ordering;
use crate::base::sync::lock_api::RawRwLock as _;
use crate::base::{FileId, PAGE_BYTES, PageId};
use crate::io::{AlignedBuf, read_exact_at};
use crate::page;

/// Pages that one read spans, at most.
pub const RUN_PAGES: usize = 128;

/// Pages that stay in the pool as long as this lives.
#[derive(Default)]
pub struct Kept<'p> {
    pool: Option<&'p Pool>,
    frames: Vec<u32>,
}

impl<'p> Kept<'p> {
    /// Nothing yet.
    pub fn new(pool: &'p Pool) -> Kept<'p> {
        Kept { pool: Some(pool), frames: Vec::new() }
    }

    /// Takes over what another keeps.
    pub fn append(&mut self, mut other: Kept<'p>) {
        self.frames.append(&mut other.frames);
        self.pool = self.pool.or(other.pool);
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let Some(pool) = self.pool {
            self.frames.iter().for_each(|f| pool.frames[*f as usize].unpin());
        }
    }
}

/// What a read ahead did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Prefetched {
    /// Pages that were in the pool.
    pub hits: u64,
    /// Pages that were read.
    pub pages: u64,
    /// Read calls.
    pub reads: u64,
}

impl Pool {
    /// Takes out of `pages` what is in the pool, and keeps it; gives how many those were. For little, where a read would be handed to another thread.
    pub fn keep_present<'p>(&'p self, pages: &mut Vec<PageId>, kept: &mut Kept<'p>) -> u64 {
        let before = pages.len();
        pages.retain(|id| match self.pin_quietly(*id) {
            Some(frame) => {
                kept.frames.push(frame);
                false
            }
            None => true,
        });
        (before - pages.len()) as u64
    }

    /// Loads those of `pages` that are not in the pool, by one read, and keeps all of them. They belong to one file, ascend, and span at most
    /// [`RUN_PAGES`]. Blocks for the disk. Whatever goes wrong, pages are merely not loaded (invariant 2).
    pub fn prefetch_run<'p>(&'p self, pages: &[PageId], kept: &mut Kept<'p>) -> Prefetched {
        debug_assert!(pages.windows(2).all(|w| w[0].file == w[1].file && w[0].block < w[1].block));
        let mut done = Prefetched::default();
        let mut absent = Vec::with_capacity(pages.len());
        for id in pages {
            match self.pin_quietly(*id) {
                Some(frame) => {
                    kept.frames.push(frame);
                    done.hits += 1;
                }
                None => absent.push(*id),
            }
        }
        let mut frames = Vec::with_capacity(absent.len());
        while frames.len() < absent.len() {
            match self.take_frame() {
                Ok(frame) => frames.push(frame),
                Err(_) => break, // the pool is in use or poisoned
            }
        }
        let mut loading = Vec::with_capacity(frames.len());
        for (id, frame) in absent.into_iter().zip(frames) {
            if self.install(id, frame) {
                loading.push((id, frame));
            } else {
                done.hits += 1; // somebody else loads it
            }
        }
        let (Some(first), Some(last)) = (loading.first(), loading.last()) else { return done };
        debug_assert!(((last.0.block.0 - first.0.block.0) as usize) < RUN_PAGES);
        done.reads = 1;
        if loading.len() == 1 {
            let (id, frame) = loading[0];
            if self.load(id, frame).is_ok() {
                kept.frames.push(frame);
                done.pages = 1;
            }
            return done;
        }
        let start = first.0;
        let span = (last.0.block.0 - start.block.0) as usize + 1;
        let mut bytes = AlignedBuf::new(span * PAGE_BYTES);
        self.stats.reads.fetch_add(1, Ordering::Relaxed);
        let waiting = wait(Wait::DataPrefetch);
        let read = matches!(self.files.get(start.file), Ok(Some(file)) if read_exact_at(&*file, &mut bytes, start.offset()).is_ok());
        drop(waiting);
        for (id, frame) in loading {
            let at = (id.block.0 - start.block.0) as usize * PAGE_BYTES;
            let good = read && self.accept(id, frame, &bytes[at..at + PAGE_BYTES]);
            let f = &self.frames[frame as usize];
            if good {
                f.state.store(VALID, Ordering::Release);
                kept.frames.push(frame);
                done.pages += 1;
            } else {
                self.shard(id).write().remove(&id);
                f.state.store(FREE, Ordering::Release);
            }
            // SAFETY: latched by `install`.
            unsafe { f.latch.unlock_exclusive() };
            if !good {
                f.unpin();
                self.order.release(&self.frames, frame);
            }
        }
        done
    }

    /// Loads the pages of some neighbouring blocks, as far as they are not in the pool, for somebody who reads on. Blocks for the disk.
    pub fn read_ahead(&self, file: FileId, blocks: std::ops::Range<u32>) -> Prefetched {
        let pages: Vec<PageId> = blocks.take(RUN_PAGES).map(|b| PageId::new(file, b)).collect();
        self.prefetch_run(&pages, &mut Kept::new(self))
    }

    /// Copies a page that was read into its installed frame, if it is good.
    fn accept(&self, id: PageId, frame: u32, bytes: &[u8]) -> bool {
        if self.check_page(id, bytes).is_err() {
            return false;
        }
        debug_assert!(page::lsn(bytes).0 < u64::MAX);
        // SAFETY: `install` latched the frame exclusively and pinned it; both are one page and do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.page_ptr(frame), PAGE_BYTES) };
        true
    }
}
