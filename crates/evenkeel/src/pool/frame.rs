//! A frame's state and the guards through which its bytes are reached.

use super::Pool;
use crate::base::sync::lock_api::RawRwLock as _;
use crate::base::sync::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering, RawRwLock};
use crate::base::{BlockNo, FileId, Lsn, OnPanic, PAGE_BYTES, PageId};
use crate::page;
use std::ops::Deref;

/// In no table; may be taken once nobody pins it.
pub(super) const FREE: u8 = 0;
/// Taken by one thread, in no table.
pub(super) const OWNED: u8 = 1;
/// In the table, being read under its exclusive latch.
pub(super) const LOADING: u8 = 2;
/// In the table, bytes good.
pub(super) const VALID: u8 = 3;

pub(super) struct Frame {
    pub(super) latch: RawRwLock,
    pub(super) pins: AtomicU32,
    pub(super) state: AtomicU8,
    pub(super) referenced: AtomicBool,
    pub(super) dirty: AtomicBool,
    pub(super) writing: AtomicBool,
    block: AtomicU32,
    file: AtomicU64,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            latch: RawRwLock::INIT,
            pins: AtomicU32::new(0),
            state: AtomicU8::new(FREE),
            referenced: AtomicBool::new(false),
            dirty: AtomicBool::new(false),
            writing: AtomicBool::new(false),
            block: AtomicU32::new(0),
            file: AtomicU64::new(0),
        }
    }
}

impl Frame {
    pub(super) fn id(&self) -> PageId {
        PageId {
            file: FileId(self.file.load(Ordering::Relaxed)),
            block: BlockNo(self.block.load(Ordering::Relaxed)),
        }
    }

    /// Only while the frame is owned (pool invariant 1).
    pub(super) fn set_id(&self, id: PageId) {
        self.file.store(id.file.0, Ordering::Relaxed);
        self.block.store(id.block.0, Ordering::Relaxed);
    }

    pub(super) fn unpin(&self) {
        let before = self.pins.fetch_sub(1, Ordering::Release);
        debug_assert!(before > 0);
    }
}

/// A page latched for reading.
pub struct PageRead<'p> {
    pub(super) pool: &'p Pool,
    pub(super) frame: u32,
}

/// A page latched for changing. Only `mtr` and `recovery` write through it.
pub struct PageWrite<'p> {
    pool: &'p Pool,
    frame: u32,
    /// Half of a change must not be taken for a page: neither read nor written home nor logged.
    whole: OnPanic<'p>,
}

impl PageRead<'_> {
    /// Which page it is.
    pub fn id(&self) -> PageId {
        self.pool.frames[self.frame as usize].id()
    }
}

impl Deref for PageRead<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the frame is pinned and latched shared for the guard's life (pool invariant 2); the page lies inside the pool.
        unsafe { std::slice::from_raw_parts(self.pool.page_ptr(self.frame), PAGE_BYTES) }
    }
}

impl Drop for PageRead<'_> {
    fn drop(&mut self) {
        let f = &self.pool.frames[self.frame as usize];
        // SAFETY: this guard holds one shared latch.
        unsafe { f.latch.unlock_shared() };
        f.unpin();
    }
}

impl<'p> PageWrite<'p> {
    /// Of a frame that is pinned and latched exclusively.
    pub(super) fn new(pool: &'p Pool, frame: u32) -> PageWrite<'p> {
        PageWrite { pool, frame, whole: pool.poison.on_panic("a change of a page") }
    }
}

impl PageWrite<'_> {
    /// Which page it is.
    pub fn id(&self) -> PageId {
        self.pool.frames[self.frame as usize].id()
    }

    /// Marks the page dirty; to be called before its change is logged (pool invariant 3).
    pub(crate) fn mark_dirty(&self) {
        self.pool.mark_dirty(self.frame);
    }

    /// The bytes, for a change that has been logged.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the frame is pinned and latched exclusively for the guard's life (pool invariant 2), and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.pool.page_ptr(self.frame), PAGE_BYTES) }
    }

    /// The page's LSN.
    pub fn lsn(&self) -> Lsn {
        page::lsn(self)
    }
}

impl Deref for PageWrite<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the frame is pinned and latched exclusively for the guard's life (pool invariant 2).
        unsafe { std::slice::from_raw_parts(self.pool.page_ptr(self.frame), PAGE_BYTES) }
    }
}

impl Drop for PageWrite<'_> {
    fn drop(&mut self) {
        self.whole.look();
        let f = &self.pool.frames[self.frame as usize];
        // SAFETY: this guard holds the exclusive latch.
        unsafe { f.latch.unlock_exclusive() };
        f.unpin();
    }
}
