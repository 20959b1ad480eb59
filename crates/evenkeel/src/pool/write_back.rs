//! Write-back: the one way a page goes home.

use super::{Pool, files};
use crate::base::blocking::about_to_block;
use crate::base::{Error, PAGE_BYTES, PageId, Result};
use crate::io::{AlignedBuf, write_all_at};
use crate::page;
use parking_lot::lock_api::RawRwLock as _;
use parking_lot::{Condvar, Mutex};
use std::cell::Cell;
use std::io::IoSlice;
use std::sync::atomic::Ordering;

/// Who writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteReason {
    /// A backend that needed the frame.
    Backend,
    /// The cleaner.
    Cleaner,
    /// A checkpoint round.
    Round,
}

/// Write-backs on their way: (ticket, partition).
#[derive(Default)]
pub(super) struct InFlight {
    state: Mutex<(u64, Vec<(u64, usize)>)>,
    ended: Condvar,
}

impl InFlight {
    fn begin(&self, partition: usize) -> u64 {
        let mut s = self.state.lock();
        s.0 += 1;
        let ticket = s.0;
        s.1.push((ticket, partition));
        ticket
    }

    fn end(&self, ticket: u64) {
        self.state.lock().1.retain(|(t, _)| *t != ticket);
        self.ended.notify_all();
    }

    /// Waits for the write-backs of `partition` that have begun already. `waiting` is called if there are any.
    fn wait_begun(&self, partition: usize, waiting: impl FnOnce()) {
        let mut s = self.state.lock();
        let now = s.0;
        let any = |s: &(u64, Vec<(u64, usize)>)| s.1.iter().any(|&(t, p)| t <= now && p == partition);
        if any(&s) {
            about_to_block();
            waiting();
        }
        while any(&s) {
            self.ended.wait(&mut s);
        }
    }

    fn wait_any(&self) {
        let mut s = self.state.lock();
        if !s.1.is_empty() {
            about_to_block();
            self.ended.wait_for(&mut s, std::time::Duration::from_millis(1));
        }
    }
}

thread_local! {
    /// The copy that goes to disk. Taken while in use, so that a simulation may nest engines in one thread.
    static COPY: Cell<Option<AlignedBuf>> = const { Cell::new(None) };
}

impl Pool {
    /// Writes a page home if it is in the pool and dirty; true if this call wrote it. If another thread is writing it, waits for that one
    /// and looks again. Blocks for the log and the disk. A failure poisons the engine.
    pub fn write_back(&self, id: PageId, reason: WriteReason) -> Result<bool> {
        let Some(frame) = self.pin_quietly(id) else { return Ok(false) };
        let f = &self.frames[frame as usize];
        let result = loop {
            if !f.dirty.load(Ordering::SeqCst) && !f.writing.load(Ordering::SeqCst) {
                break Ok(false);
            }
            if f.writing.compare_exchange(false, true, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                let result = self.write_frame(frame, id, reason);
                f.writing.store(false, Ordering::SeqCst);
                break result;
            }
            if reason != WriteReason::Round {
                break Ok(false); // somebody is at it
            }
            self.in_flight.wait_any();
        };
        f.unpin();
        if let Ok(true) = result {
            match reason {
                WriteReason::Backend => &self.stats.written_backend,
                WriteReason::Cleaner => &self.stats.written_cleaner,
                WriteReason::Round => &self.stats.written_round,
            }
            .fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    /// Waits until every write-back of the partition that has begun by now is done (pool invariant 3).
    pub fn wait_write_backs(&self, partition: usize) {
        let counter = &self.stats.write_back_waits;
        self.in_flight.wait_begun(partition, || _ = counter.fetch_add(1, Ordering::Relaxed));
    }

    /// As `pin_present`, without making the page look used.
    fn pin_quietly(&self, id: PageId) -> Option<u32> {
        let shard = self.shard(id).read();
        let frame = *shard.get(&id)?;
        self.frames[frame as usize].pins.fetch_add(1, Ordering::Acquire);
        Some(frame)
    }

    fn write_frame(&self, frame: u32, id: PageId, reason: WriteReason) -> Result<bool> {
        let f = &self.frames[frame as usize];
        let partition = self.partitions.of(id);
        if reason == WriteReason::Round {
            f.latch.lock_shared();
        } else if !f.latch.try_lock_shared() {
            // Whoever needs a frame may hold latches of his own, in an order that this one does not fit: take another victim.
            return Ok(false);
        }
        if !f.dirty.load(Ordering::SeqCst) {
            // SAFETY: latched shared just above.
            unsafe { f.latch.unlock_shared() };
            return Ok(false);
        }
        // In flight before it stops being dirty (pool invariant 3).
        let ticket = self.in_flight.begin(partition);
        self.clear_dirty(frame);
        let mut copy = COPY.take().unwrap_or_else(|| AlignedBuf::new(PAGE_BYTES));
        // SAFETY: the frame is pinned and latched shared; both ranges are one page.
        unsafe { std::ptr::copy_nonoverlapping(self.page_ptr(frame), copy.as_mut_ptr(), PAGE_BYTES) };
        // SAFETY: latched shared above.
        unsafe { f.latch.unlock_shared() };
        let result = self.send_home(id, &mut copy);
        COPY.set(Some(copy));
        if result.is_ok() {
            self.files.mark_unsynced(id.file, partition);
        } else {
            self.mark_dirty(frame); // or it could be evicted, and the old page read again
        }
        self.in_flight.end(ticket);
        result.map(|()| true)
    }

    fn send_home(&self, id: PageId, copy: &mut AlignedBuf) -> Result<()> {
        self.poison.check()?;
        page::seal(copy, id);
        if let Some(wal) = self.wal.get() {
            wal.flush(page::lsn(copy))?;
        }
        let failed = |e: Error| match e {
            e @ Error::Poisoned(_) => e,
            e => self.poison.set(format!("writing {id} ({}) failed: {e}", files::path(id.file))),
        };
        let file = self.files.must_get(id.file).map_err(failed)?;
        write_all_at(&*file, &mut [IoSlice::new(copy)], id.offset())
            .map_err(|e| failed(Error::io("page write", e)))
    }
}
