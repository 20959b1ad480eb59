//! Insertion: reserve a place in one short critical section, copy concurrently, publish completion in order.
//!
//! The ring holds the stream bytes from the last flushed block on. Each reservation takes a ticket, in order of place; `publication` knows which
//! copies are done.
//!
//! Invariants
//! 1. Places are handed out in order, without gaps; `next` and the ticket change together under the reservation lock.
//! 2. `completed` passes a record only after all its bytes are in the ring.
//! 3. A ring byte is overwritten only after its block was flushed: `end - block(flushed) <= ring size`.
//! 4. A reservation never passes `allocated`: space was obtained before (see `space`).

use super::publication::Publication;
use super::segment::LOG_BLOCK;
use super::{Wal, record};
use crate::base::blocking::{Wait, wait};
use crate::base::sync::{AtomicU64, Mutex, Ordering, planted};
use crate::base::{Error, Lsn, Result};
use crate::io::AlignedBuf;

/// What a record has around its body, at most.
const FRAME_BYTES_MAX: usize = 16;

/// Reservations that may be copying at once; more wait.
pub(super) const SLOTS: usize = 256;

pub(super) struct Next {
    pub(super) lsn: u64,
    pub(super) ticket: u64,
}

/// The ring and its bookkeeping.
pub(super) struct Inserter {
    ring: Ring,
    pub(super) next: Mutex<Next>,
    /// Mirror of `next.lsn` for readers without the lock.
    pub(super) next_lsn: AtomicU64,
    pub(super) published: Publication,
}

struct Ring {
    // Owns the memory that `base` points into.
    _buf: AlignedBuf,
    base: *mut u8,
    size: u64,
}

// SAFETY: the ring is shared memory whose byte ranges are handed out exclusively by reservation (invariants 1 to 3); readers
// only read below `completed`.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

impl Ring {
    fn new(size: u64) -> Ring {
        let mut buf = AlignedBuf::new(size as usize);
        let base = buf.as_mut_ptr();
        Ring { _buf: buf, base, size }
    }

    /// Copies `bytes` to stream position `at`. The caller owns that range by reservation.
    fn put(&self, at: u64, bytes: &[u8]) {
        let pos = (at % self.size) as usize;
        let first = bytes.len().min(self.size as usize - pos);
        // SAFETY: both parts lie inside the ring, and invariants 1 and 3 make this thread their only writer with no reader yet.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.base.add(pos), first);
            std::ptr::copy_nonoverlapping(bytes.as_ptr().add(first), self.base, bytes.len() - first);
        }
    }
}

impl Inserter {
    pub(super) fn new(start: Lsn, ring_bytes: u64) -> Inserter {
        assert!(ring_bytes.is_multiple_of(LOG_BLOCK) && start.0.is_multiple_of(LOG_BLOCK));
        Inserter {
            ring: Ring::new(ring_bytes),
            next: Mutex::new(Next { lsn: start.0, ticket: 0 }),
            next_lsn: AtomicU64::new(start.0),
            published: Publication::new(start.0, SLOTS),
        }
    }

    /// The stream bytes `from..to`, as up to two slices. They must be completed and not yet flushed past their block.
    pub(super) fn bytes(&self, from: u64, to: u64) -> [&[u8]; 2] {
        debug_assert!(to - from <= self.ring.size && to <= self.published.completed());
        let pos = (from % self.ring.size) as usize;
        let len = (to - from) as usize;
        let first = len.min(self.ring.size as usize - pos);
        // SAFETY: the range is below `completed` (no writer any more) and its blocks are not released for reuse before the caller,
        // the leader of a write, has ended it: `flushed` does not pass a write under way (invariant 3).
        unsafe {
            [
                std::slice::from_raw_parts(self.ring.base.add(pos), first),
                std::slice::from_raw_parts(self.ring.base, len - first),
            ]
        }
    }
}

impl Wal {
    /// Inserts a record. `still_valid` runs inside the reservation with the record's LSN: false means that the body was built on a
    /// decision that no longer holds; nothing was inserted then and `None` is returned. Returns the record's start and end.
    ///
    /// Fails only before anything is inserted, and only if the engine is poisoned. Blocks when the ring is full.
    pub fn insert(&self, body: &[u8], still_valid: impl Fn(Lsn) -> bool) -> Result<Option<(Lsn, Lsn)>> {
        assert!(
            !body.is_empty() && body.len() <= record::MAX_BODY_BYTES,
            "record body of {} bytes",
            body.len()
        );
        let total = record::framed_len(body.len()) as u64;
        assert!(
            total <= self.inserter.ring.size / 2,
            "record of {total} bytes in a ring of {}",
            self.inserter.ring.size
        );
        let ins = &self.inserter;
        let mut was_full = false;
        let (start, ticket) = loop {
            self.poison.check()?;
            let mut next = ins.next.lock();
            let end = next.lsn + total;
            let room = end - (self.flushed().0 & !(LOG_BLOCK - 1)) <= ins.ring.size;
            let slot_free = ins.published.has_slot(next.ticket);
            if room && slot_free {
                if self.sealed.load(Ordering::SeqCst) {
                    return Err(Error::Closed);
                }
                assert!(end <= self.space.allocated(), "log space was not obtained beforehand (invariant 4)");
                if !still_valid(Lsn(next.lsn)) {
                    return Ok(None);
                }
                let got = (next.lsn, next.ticket);
                next.lsn = end;
                next.ticket += 1;
                ins.next_lsn.store(end, Ordering::SeqCst);
                break got;
            }
            let upto = Lsn(next.lsn);
            drop(next);
            if room {
                self.await_completed(upto);
            } else {
                if !std::mem::replace(&mut was_full, true) {
                    self.stats.buffers_full.fetch_add(1, Ordering::Relaxed);
                }
                self.flush(upto)?;
            }
        };
        let whole = self.poison.on_panic("copying a log record");
        self.copy_in(start, ticket, body);
        drop(whole);
        self.write_ahead(start + total);
        Ok(Some((Lsn(start), Lsn(start + total))))
    }

    #[cfg(test)]
    pub(super) fn ring_bytes(&self) -> u64 {
        self.inserter.ring.size
    }

    /// Fills a reserved place with a record, and publishes it.
    pub(super) fn copy_in(&self, start: u64, ticket: u64, body: &[u8]) {
        let ring = &self.inserter.ring;
        let (head, head_len) = record::frame_head(body, Lsn(start), self.incarnation);
        let publish = || self.inserter.published.publish(ticket, start + (head_len + body.len()) as u64);
        if planted("a record counts as complete before it is copied") {
            publish();
        }
        ring.put(start, &head[..head_len]);
        ring.put(start + head_len as u64, body);
        publish();
    }

    /// Closes the open block with a record of nothing, so that the next record begins a block, unless there is no room for it. Gives the end
    /// of everything reserved. Never blocks for the disk.
    pub(super) fn close_block(&self) -> Lsn {
        let ins = &self.inserter;
        // What is promised to others is not for padding.
        let Some(_room) = self.promise_what_is_there(2 * LOG_BLOCK) else { return self.next_lsn() };
        let mut next = ins.next.lock();
        let total = record::padding_len(next.lsn % LOG_BLOCK, LOG_BLOCK);
        let end = next.lsn + total;
        let fits = end - (self.flushed().0 & !(LOG_BLOCK - 1)) <= ins.ring.size
            && ins.published.has_slot(next.ticket);
        if total == 0 || !fits || self.sealed.load(Ordering::SeqCst) {
            return Lsn(next.lsn);
        }
        let (start, ticket) = (next.lsn, next.ticket);
        next.lsn = end;
        next.ticket += 1;
        ins.next_lsn.store(end, Ordering::SeqCst);
        drop(next);
        self.copy_in(start, ticket, &record::padding(total));
        self.stats.padding_bytes.fetch_add(total, Ordering::Relaxed);
        Lsn(end)
    }

    /// Logs how far the log is durable, to the end of a record, if that has changed since it was logged last and there is room. (Of a record of which only the beginning is
    /// durable nothing is proved: a power cut may take the rest, and what was written with it.) Called by the holder of the turn, just before a gang
    /// is taken: so what is found behind damage proves that the damaged bytes were durable once (`end`). Never blocks for the disk.
    pub(super) fn tell_flushed(&self) {
        let flushed = self.gang.flushed_records().0;
        if !self.tuning.tells_flushed() || self.told_flushed.load(Ordering::Relaxed) == flushed {
            return;
        }
        // What is promised to others is not for this.
        let Some(_room) = self.promise_what_is_there(record::FLUSHED_FRAME_MAX as u64) else { return };
        let ins = &self.inserter;
        let mut next = ins.next.lock();
        let body = record::flushed_body(next.lsn - flushed);
        let end = next.lsn + record::framed_len(body.len()) as u64;
        let fits = end - (self.flushed().0 & !(LOG_BLOCK - 1)) <= ins.ring.size
            && ins.published.has_slot(next.ticket);
        if !fits || self.sealed.load(Ordering::SeqCst) {
            return;
        }
        let (start, ticket) = (next.lsn, next.ticket);
        next.lsn = end;
        next.ticket += 1;
        ins.next_lsn.store(end, Ordering::SeqCst);
        drop(next);
        self.copy_in(start, ticket, &body);
        self.told_flushed.store(flushed, Ordering::Relaxed);
    }

    /// Runs `f` with the next record's LSN while no record can be reserved: what `f` changes is seen by every later record's
    /// `still_valid`, and by none earlier.
    pub fn with_reservations_held<R>(&self, f: impl FnOnce(Lsn) -> R) -> R {
        let next = self.inserter.next.lock();
        f(Lsn(next.lsn))
    }

    /// The end of everything reserved.
    pub fn next_lsn(&self) -> Lsn {
        Lsn(self.inserter.next_lsn.load(Ordering::SeqCst))
    }

    /// The end of the completed prefix: what a flush may write now.
    pub fn completed(&self) -> Lsn {
        Lsn(self.inserter.published.completed())
    }

    /// The longest body that a record may have with this ring.
    pub fn body_bytes_max(&self) -> usize {
        record::MAX_BODY_BYTES.min(self.inserter.ring.size as usize / 2 - FRAME_BYTES_MAX)
    }

    /// The engine is poisoned: nobody waits for copies any more.
    pub(super) fn fail_copies(&self) {
        self.inserter.published.fail();
    }

    /// Blocks until every record before `target` is completely in the ring: their writers are copying at this moment. Returns early once the engine is poisoned.
    pub(super) fn await_completed(&self, target: Lsn) {
        if self.completed() >= target {
            return;
        }
        let _waiting = wait(Wait::LogInsert);
        debug_assert!(target <= self.next_lsn(), "waiting for a record that nobody reserved");
        self.inserter.published.await_completed(target.0);
    }
}
