//! Replacement: which frame to give up. A clock over reference bits; a hit only sets a bit.

use super::frame::{FREE, OWNED, VALID};
use super::{Pool, WriteReason};
use crate::base::{Error, Result};
use std::sync::atomic::Ordering;

impl Pool {
    /// Takes a frame out of circulation for the caller, evicting a page if need be. Prefers clean frames; a dirty one is written by the
    /// caller and counted. Must not be called under an exclusive tree latch (pool invariant 7).
    pub(super) fn take_frame(&self) -> Result<u32> {
        self.stats.allocations.fetch_add(1, Ordering::Relaxed);
        let n = self.frames.len();
        let mut dirty_seen = 0usize;
        // Two turns clear every reference bit; more are only for frames pinned at this moment.
        for step in 0..n * 8 {
            if step > 0 && step % (2 * n) == 0 {
                std::thread::yield_now();
            }
            let i = self.hand.fetch_add(1, Ordering::Relaxed) % n;
            let f = &self.frames[i];
            match f.state.load(Ordering::Acquire) {
                FREE if f.pins.load(Ordering::Acquire) == 0
                    && f.state.compare_exchange(FREE, OWNED, Ordering::AcqRel, Ordering::Relaxed).is_ok() =>
                {
                    return Ok(i as u32);
                }
                VALID => {
                    if f.pins.load(Ordering::Acquire) != 0 || f.referenced.swap(false, Ordering::Relaxed) {
                        continue;
                    }
                    if f.dirty.load(Ordering::Acquire) {
                        dirty_seen += 1;
                        // Clean frames first; but do not search a pool full of dirty pages for long.
                        if dirty_seen < 32.min(n / 4) {
                            continue;
                        }
                        self.write_back(f.id(), WriteReason::Backend)?;
                    }
                    if self.evict(i as u32) {
                        return Ok(i as u32);
                    }
                }
                _ => {}
            }
        }
        Err(Error::InvalidArgument(format!(
            "no buffer is free: all {n} are pinned at once; raise shared_buffers or lower the number of connections"
        )))
    }

    /// Takes a clean, unpinned page out of the table; false if it is in use again.
    fn evict(&self, frame: u32) -> bool {
        let f = &self.frames[frame as usize];
        let id = f.id();
        let mut shard = self.shard(id).write();
        // Under the shard's write lock no new pin can come (pool invariant 1).
        if shard.get(&id) != Some(&frame)
            || f.pins.load(Ordering::Acquire) != 0
            || f.dirty.load(Ordering::Acquire)
            || f.writing.load(Ordering::Acquire)
            || f.state.compare_exchange(VALID, OWNED, Ordering::AcqRel, Ordering::Relaxed).is_err()
        {
            return false;
        }
        shard.remove(&id);
        self.stats.evictions.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// The cleaner's step: looks ahead of the hand, as far as the frames taken since the last step suggest, and writes dirty frames that are
    /// about to be given up. Gives the number of pages written.
    pub fn clean_ahead(&self, since_allocations: &mut u64, max_pages: usize) -> Result<usize> {
        let now = self.stats.allocations.load(Ordering::Relaxed);
        let taken = (now - *since_allocations) as usize;
        *since_allocations = now;
        let n = self.frames.len();
        // A pool that gives up nothing needs no cleaning; one that does gets a lead of several steps' worth.
        let ahead = if taken == 0 { 0 } else { (taken * 4).max(64).min(n) };
        let hand = self.hand.load(Ordering::Relaxed);
        let mut written = 0;
        for k in 0..ahead {
            if written >= max_pages {
                break;
            }
            let f = &self.frames[(hand + k) % n];
            if f.state.load(Ordering::Acquire) == VALID
                && f.dirty.load(Ordering::Acquire)
                && !f.referenced.load(Ordering::Relaxed)
                && f.pins.load(Ordering::Acquire) == 0
                && self.write_back(f.id(), WriteReason::Cleaner)?
            {
                written += 1;
            }
        }
        Ok(written)
    }
}
