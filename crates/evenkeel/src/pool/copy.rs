//! Copying a page as it is in the pool: for backups, which leave the pool as they find it.

use super::Pool;
use super::frame::VALID;
use crate::base::sync::Ordering;
use crate::base::sync::lock_api::RawRwLock as _;
use crate::base::{PAGE_BYTES, PageId};

impl Pool {
    /// Copies a page, under its latch, if it has a frame; false if it has none. Then what its file holds from this moment on is at least as new as
    /// the page was. It counts as no use of the page. Blocks for writers and for a load on its way.
    pub fn copy_resident(&self, id: PageId, out: &mut [u8]) -> bool {
        assert_eq!(out.len(), PAGE_BYTES);
        let Some(frame) = self.pin_quietly(id) else { return false };
        let f = &self.frames[frame as usize];
        f.latch.lock_shared();
        // If its load failed the frame is nobody's.
        let valid = f.state.load(Ordering::Acquire) == VALID;
        if valid {
            debug_assert_eq!(f.id(), id);
            // SAFETY: the frame is pinned and latched shared; both ranges are one page.
            unsafe { std::ptr::copy_nonoverlapping(self.page_ptr(frame), out.as_mut_ptr(), PAGE_BYTES) };
        }
        // SAFETY: latched shared above.
        unsafe { f.latch.unlock_shared() };
        f.unpin();
        valid
    }
}
