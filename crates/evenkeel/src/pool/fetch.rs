//! Finding or loading a page: the page read path.

use super::frame::{FREE, LOADING, OWNED, PageRead, PageWrite, VALID};
use super::{Pool, files};
use crate::base::blocking::{Wait, wait};
use crate::base::sync::lock_api::RawRwLock as _;
use crate::base::sync::{self, Ordering};
use crate::base::usage;
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, PageId, Result};
use crate::io::read_exact_at;
use crate::page;

/// Looking a page up costs about as much as looking at so many frames.
const LOOK_UP: usize = 32;

impl Pool {
    /// Latches a page for reading, loading it if need be. Blocks for the disk and for writers. A failed read or a damaged page is an
    /// error for this caller and leaves the pool as it was.
    pub fn read(&self, id: PageId) -> Result<PageRead<'_>> {
        loop {
            let frame = self.pin(id)?;
            let f = &self.frames[frame as usize];
            f.latch.lock_shared();
            let guard = PageRead { pool: self, frame };
            if f.state.load(Ordering::Acquire) == VALID {
                debug_assert_eq!(f.id(), id);
                return Ok(guard);
            }
            // Whoever was loading it failed; the next try reports why.
        }
    }

    /// Latches a page for reading if that takes no wait: `None` if it is not in the pool, or is being loaded.
    pub fn read_present(&self, id: PageId) -> Option<PageRead<'_>> {
        let frame = self.pin_present(id)?;
        let f = &self.frames[frame as usize];
        if !f.latch.try_lock_shared() {
            f.unpin();
            return None;
        }
        let guard = PageRead { pool: self, frame };
        if f.state.load(Ordering::Acquire) != VALID {
            return None;
        }
        self.stats.hits.add_one();
        usage::hit();
        Some(guard)
    }

    /// Latches a page for changing, loading it if need be.
    pub fn write(&self, id: PageId) -> Result<PageWrite<'_>> {
        loop {
            let frame = self.pin(id)?;
            let f = &self.frames[frame as usize];
            f.latch.lock_exclusive();
            let guard = PageWrite::new(self, frame);
            if f.state.load(Ordering::Acquire) == VALID {
                debug_assert_eq!(f.id(), id);
                return Ok(guard);
            }
        }
    }

    /// As [`Pool::write`], if the page is in the pool; waits for its latch.
    pub fn write_present(&self, id: PageId) -> Option<PageWrite<'_>> {
        let frame = self.pin_present(id)?;
        let f = &self.frames[frame as usize];
        f.latch.lock_exclusive();
        let guard = PageWrite::new(self, frame);
        if f.state.load(Ordering::Acquire) != VALID {
            return None;
        }
        self.stats.hits.add_one();
        usage::hit();
        Some(guard)
    }

    /// A frame for a page whose earlier content does not matter: nothing is read. If the page is in the pool, its frame is used with the
    /// bytes it has; else the bytes are zero.
    pub fn fresh(&self, id: PageId) -> Result<PageWrite<'_>> {
        loop {
            if let Some(frame) = self.pin_present(id) {
                let f = &self.frames[frame as usize];
                f.latch.lock_exclusive();
                let guard = PageWrite::new(self, frame);
                if f.state.load(Ordering::Acquire) == VALID {
                    return Ok(guard);
                }
                continue;
            }
            let frame = self.take_frame()?;
            if self.install(id, frame) {
                // SAFETY: the frame is latched exclusively by `install` and pinned; its page lies inside the pool.
                unsafe { self.page_ptr(frame).write_bytes(0, PAGE_BYTES) };
                self.frames[frame as usize].state.store(VALID, Ordering::Release);
                return Ok(PageWrite::new(self, frame));
            }
        }
    }

    /// Pins a page's frame if it has one.
    pub(super) fn pin_present(&self, id: PageId) -> Option<u32> {
        let shard = self.shard(id).read();
        let frame = *shard.get(&id)?;
        let f = &self.frames[frame as usize];
        f.pins.fetch_add(1, Ordering::Acquire);
        if !f.referenced.load(Ordering::Relaxed) && self.order.is_another_use(frame) {
            f.referenced.store(true, Ordering::Relaxed);
        }
        Some(frame)
    }

    /// Pins a page, loading it if need be. The frame may turn out not `VALID` if another thread's load failed.
    fn pin(&self, id: PageId) -> Result<u32> {
        loop {
            if let Some(frame) = self.pin_present(id) {
                self.stats.hits.add_one();
                usage::hit();
                return Ok(frame);
            }
            let frame = self.take_frame()?;
            if self.install(id, frame) {
                self.load(id, frame)?;
                return Ok(frame);
            }
        }
    }

    /// Puts an owned frame into the table for `id`, pinned and exclusively latched. False if the page got a frame meanwhile; the owned one is
    /// free again then.
    pub(super) fn install(&self, id: PageId, frame: u32) -> bool {
        let f = &self.frames[frame as usize];
        debug_assert_eq!(f.state.load(Ordering::Acquire), OWNED);
        debug_assert!(!f.dirty.load(Ordering::Acquire));
        let mut shard = self.shard(id).write();
        if shard.contains_key(&id) {
            drop(shard);
            self.order.put_unused(&self.frames, frame);
            return false;
        }
        f.set_id(id);
        f.pins.fetch_add(1, Ordering::Acquire);
        // A reader that gave up on this frame's failed load may still hold its latch for an instant.
        f.latch.lock_exclusive();
        // The use for which the page comes in is not another one.
        f.referenced.store(false, Ordering::Relaxed);
        self.order.arrives(frame);
        f.state.store(LOADING, Ordering::Release);
        shard.insert(id, frame);
        drop(shard);
        self.order.insert(&self.frames, frame);
        true
    }

    /// Reads the page into its installed frame and unlatches it. On failure the frame leaves the table and is free once unpinned.
    pub(super) fn load(&self, id: PageId, frame: u32) -> Result<()> {
        let f = &self.frames[frame as usize];
        let _whole = self.poison.on_panic("reading a page"); // others wait for its latch
        // SAFETY: `install` latched the frame exclusively and pinned it.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.page_ptr(frame), PAGE_BYTES) };
        let result = self.read_page(id, bytes);
        match &result {
            Ok(()) => f.state.store(VALID, Ordering::Release),
            Err(_) => {
                self.shard(id).write().remove(&id);
                f.state.store(FREE, Ordering::Release);
            }
        }
        // SAFETY: latched by `install`.
        unsafe { f.latch.unlock_exclusive() };
        if result.is_err() {
            f.unpin();
            self.order.release(&self.frames, frame);
        }
        result
    }

    /// Reads and verifies a page's bytes from its file.
    pub(crate) fn read_page(&self, id: PageId, bytes: &mut [u8]) -> Result<()> {
        let file = self.files.must_get(id.file)?;
        self.stats.reads.fetch_add(1, Ordering::Relaxed);
        usage::read();
        let waiting = wait(Wait::DataRead);
        read_exact_at(&*file, bytes, id.offset()).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => Error::of_page(id, "it lies past the file's end"),
            _ => Error::io(format!("reading {id} ({})", files::path(id.file)), e),
        })?;
        drop(waiting);
        self.check_page(id, bytes)
    }

    /// Whether a page that was read may come into the pool.
    pub(super) fn check_page(&self, id: PageId, bytes: &[u8]) -> Result<()> {
        if !page::verify(bytes, id) {
            return Err(Error::of_page(id, "checksum does not match"));
        }
        page::check(bytes).map_err(|e| Error::of_page(id, e))?;
        // Log before data: a page at home is never ahead of the durable log. (Before the log is connected, in redo, nothing can be said.)
        match self.wal.get() {
            Some(wal) if page::lsn(bytes) > wal.flushed() => Err(Error::of_page(
                id,
                format!(
                    "its LSN {} lies behind the end of the log, {}: the page or the log is not this database's",
                    page::lsn(bytes),
                    wal.flushed()
                ),
            )),
            _ => self.check_gap(id, page::lsn(bytes)),
        }
    }

    fn check_gap(&self, id: PageId, lsn: Lsn) -> Result<()> {
        match self.gap.get() {
            Some((end, start)) if lsn > *end && lsn <= *start => Err(Error::of_page(
                id,
                format!(
                    "its LSN {lsn} lies behind the end of the log that was found at the start, {end}: the page or the log is not this database's"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Forgets every page of `file` from block `from` on, dirty or not. Nobody may use them any more; brief visitors (the cleaner) are waited
    /// for. A short file's pages are looked up one by one, else all frames are looked through: of a pool of many gigabytes that is milliseconds.
    pub fn discard(&self, file: FileId, from: u32) {
        // No frame has a block behind the file's end: space comes before its use, in redo as well.
        let blocks = match self.files.get(file) {
            Ok(Some(handle)) => handle.len().ok().map(|bytes| bytes.div_ceil(PAGE_BYTES as u64)),
            _ => None,
        };
        match blocks {
            Some(blocks)
                if blocks.saturating_sub(u64::from(from)) <= (self.frames.len() / LOOK_UP) as u64 =>
            {
                for block in from..blocks as u32 {
                    let id = PageId::new(file, block);
                    let frame = self.shard(id).read().get(&id).copied();
                    if let Some(frame) = frame {
                        self.discard_frame(frame, |there| there == id);
                    }
                }
            }
            _ => {
                let is_meant = |id: PageId| id.file == file && id.block.0 >= from;
                (0..self.frames.len() as u32).for_each(|frame| self.discard_frame(frame, is_meant));
            }
        }
    }

    /// Forgets the frame's page if it is meant.
    fn discard_frame(&self, frame: u32, is_meant: impl Fn(PageId) -> bool) {
        let f = &self.frames[frame as usize];
        loop {
            let id = f.id();
            if !is_meant(id) || f.state.load(Ordering::Acquire) < LOADING {
                return;
            }
            let mut shard = self.shard(id).write();
            if f.id() != id || shard.get(&id) != Some(&frame) {
                return;
            }
            if f.pins.load(Ordering::Acquire) != 0 || f.writing.load(Ordering::Acquire) {
                drop(shard);
                sync::yield_now();
                continue;
            }
            self.clear_dirty(frame);
            shard.remove(&id);
            f.state.store(FREE, Ordering::Release);
            drop(shard);
            self.order.release(&self.frames, frame);
            return;
        }
    }
}
