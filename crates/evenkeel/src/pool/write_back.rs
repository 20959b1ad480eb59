//! Write-back: the one way a page goes home, alone or in a batch with others.

use super::{DoubleWrite, Pool, files};
use crate::base::blocking::{Wait, wait};
use crate::base::sync::lock_api::RawRwLock as _;
use crate::base::sync::{Condvar, Mutex, Ordering, planted};
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, PageId, Result};
use crate::io::{AlignedBuf, File, write_all_at};
use crate::page;
use std::cell::Cell;
use std::io::IoSlice;
use std::sync::Arc;

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

/// How pages go home.
#[derive(Clone)]
pub enum HomeWrites {
    /// Directly, neighbours in one write. A crash may leave part of one.
    Plain,
    /// To the double-write file first, and from there as above.
    Doubled(Arc<DoubleWrite>),
    /// By writes that the device does wholly or not at all, of up to so many bytes, at least a page.
    Atomic {
        /// The longest such write.
        unit_max_bytes: usize,
    },
}

/// Pages that one batch holds at most: 1 MiB.
pub const BATCH_PAGES: usize = 128;

/// Write-backs on their way: (ticket, partitions, one bit each).
#[derive(Default)]
pub(super) struct InFlight {
    state: Mutex<(u64, Vec<(u64, u64)>)>,
    ended: Condvar,
}

impl InFlight {
    fn begin(&self, partitions: u64) -> OnItsWay<'_> {
        let mut s = self.state.lock();
        s.0 += 1;
        let ticket = s.0;
        s.1.push((ticket, partitions));
        OnItsWay { all: self, ticket }
    }

    /// Waits for the write-backs of `partition` that have begun already. `waiting` is called if there are any.
    fn wait_begun(&self, partition: usize, waiting: impl FnOnce()) {
        let mut s = self.state.lock();
        let now = s.0;
        let any =
            |s: &(u64, Vec<(u64, u64)>)| s.1.iter().any(|&(t, p)| t <= now && p & (1 << partition) != 0);
        let mut _noted = None;
        if any(&s) {
            _noted = Some(wait(Wait::WriteBack));
            waiting();
        }
        while any(&s) {
            self.ended.wait(&mut s);
        }
    }

    fn wait_any(&self) {
        let mut s = self.state.lock();
        if !s.1.is_empty() {
            let _waiting = wait(Wait::WriteBack);
            self.ended.wait_for(&mut s, std::time::Duration::from_millis(1));
        }
    }
}

/// A write-back on its way, until it is dropped.
struct OnItsWay<'a> {
    all: &'a InFlight,
    ticket: u64,
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        self.all.state.lock().1.retain(|(t, _)| *t != self.ticket);
        self.all.ended.notify_all();
    }
}

thread_local! {
    /// The copies that go to disk. Taken while in use, so that a simulation may nest engines in one thread.
    static COPIES: Cell<Option<AlignedBuf>> = const { Cell::new(None) };
}

/// A frame whose bytes were copied for the disk: pinned, and `writing` is ours.
struct Claimed {
    frame: u32,
    id: PageId,
    lsn: Lsn,
}

/// What came of claiming a page.
enum Claim {
    Page(Claimed),
    /// Not in the pool, not dirty, or in use in a way that this reason does not wait for.
    NotDue,
    /// A round waits for it, but not now.
    InUse,
}

impl Pool {
    /// Writes a page home if it is in the pool and dirty; true if this call wrote it. As a batch of one.
    pub fn write_back(&self, id: PageId, reason: WriteReason) -> Result<bool> {
        Ok(self.write_batch(&[id], reason)? == 1)
    }

    /// Writes those of `pages` home that are in the pool and dirty, neighbours in one write each; gives their number. `pages` are sorted, each
    /// there once, at most [`BATCH_PAGES`]. A page that another thread is writing is waited for and looked at again by a round, passed over by
    /// others. Blocks for the log and the disk. A failure poisons the engine; what was not written stays dirty.
    pub fn write_batch(&self, pages: &[PageId], reason: WriteReason) -> Result<usize> {
        debug_assert!(pages.len() <= BATCH_PAGES && pages.is_sorted());
        let mut copies = COPIES
            .take()
            .filter(|c| c.len() >= pages.len() * PAGE_BYTES)
            .unwrap_or_else(|| AlignedBuf::new(PAGE_BYTES * if pages.len() == 1 { 1 } else { BATCH_PAGES }));
        // In flight before any of them stops being dirty (pool invariant 3).
        let partitions = pages.iter().fold(0, |set, id| set | 1 << self.partitions.of(*id));
        let on_its_way = self.in_flight.begin(partitions);
        let _whole = self.poison.on_panic("writing pages home"); // dropped first: who waits for the write-back looks at it then
        let mut claimed = Vec::with_capacity(pages.len());
        let (mut rest, mut written, mut result) = (pages, 0, Ok(()));
        while !rest.is_empty() && result.is_ok() {
            // Only the first page is waited for. Whoever is waited for may need a frame, and not get one while so many are being written: what
            // is claimed by then goes home first.
            let mut looked_at = 0;
            for &id in rest {
                let at = claimed.len() * PAGE_BYTES;
                match self.claim(id, reason, claimed.is_empty(), &mut copies[at..at + PAGE_BYTES]) {
                    Claim::Page(c) => claimed.push(c),
                    Claim::NotDue => {}
                    Claim::InUse => break,
                }
                looked_at += 1;
            }
            rest = &rest[looked_at..];
            let mut home = 0;
            result = self.send_home(&claimed, &mut copies, &mut home);
            for (i, c) in claimed.drain(..).enumerate() {
                let f = &self.frames[c.frame as usize];
                if i >= home {
                    self.mark_dirty(c.frame); // or it could be evicted, and the old page read again
                }
                f.writing.store(false, Ordering::SeqCst);
                f.unpin();
            }
            written += home;
        }
        drop(on_its_way);
        COPIES.set(Some(copies));
        match reason {
            WriteReason::Backend => &self.stats.written_backend,
            WriteReason::Cleaner => &self.stats.written_cleaner,
            WriteReason::Round => &self.stats.written_round,
        }
        .fetch_add(written as u64, Ordering::Relaxed);
        result.map(|()| written)
    }

    /// Waits until every write-back of the partition that has begun by now is done (pool invariant 3).
    pub fn wait_write_backs(&self, partition: usize) {
        let counter = &self.stats.write_back_waits;
        self.in_flight.wait_begun(partition, || _ = counter.fetch_add(1, Ordering::Relaxed));
    }

    /// Pins without setting the reference bit: writing a page is no use of it.
    pub(super) fn pin_quietly(&self, id: PageId) -> Option<u32> {
        let shard = self.shard(id).read();
        let frame = *shard.get(&id)?;
        self.frames[frame as usize].pins.fetch_add(1, Ordering::Acquire);
        Some(frame)
    }

    /// Takes a dirty page's frame for writing and copies its bytes; from here on it is clean, unless it changes again. A round waits for whoever
    /// uses it if it `may_wait`: while it holds no other frame.
    fn claim(&self, id: PageId, reason: WriteReason, may_wait: bool, copy: &mut [u8]) -> Claim {
        let Some(frame) = self.pin_quietly(id) else { return Claim::NotDue };
        let f = &self.frames[frame as usize];
        let (round, patient) = (reason == WriteReason::Round, reason == WriteReason::Round && may_wait);
        let give_up = || {
            f.unpin();
            Claim::NotDue
        };
        let in_use = || {
            f.unpin();
            if round { Claim::InUse } else { Claim::NotDue }
        };
        loop {
            if !f.dirty.load(Ordering::SeqCst) && !f.writing.load(Ordering::SeqCst) {
                return give_up();
            }
            if f.writing.compare_exchange(false, true, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                break;
            }
            if !patient {
                return in_use(); // somebody is at it
            }
            self.in_flight.wait_any();
        }
        // A round waits for the latch. Whoever needs a frame may hold latches of his own, in an order that this one does not fit: he takes another
        // victim.
        if patient {
            f.latch.lock_shared();
        } else if !f.latch.try_lock_shared() {
            f.writing.store(false, Ordering::SeqCst);
            return in_use();
        }
        let dirty = self.clear_dirty(frame);
        if dirty {
            // SAFETY: the frame is pinned and latched shared; both ranges are one page.
            unsafe { std::ptr::copy_nonoverlapping(self.page_ptr(frame), copy.as_mut_ptr(), PAGE_BYTES) };
        }
        // SAFETY: latched shared above.
        unsafe { f.latch.unlock_shared() };
        if !dirty {
            f.writing.store(false, Ordering::SeqCst);
            return give_up();
        }
        Claim::Page(Claimed { frame, id, lsn: page::lsn(copy) })
    }

    /// Log first, then each stretch of neighbours in one write. `written` counts the pages that are at home.
    fn send_home(&self, batch: &[Claimed], copies: &mut AlignedBuf, written: &mut usize) -> Result<()> {
        let Some(newest) = batch.iter().map(|c| c.lsn).max() else { return Ok(()) };
        self.poison.check()?;
        for (c, copy) in batch.iter().zip(copies.chunks_exact_mut(PAGE_BYTES)) {
            page::seal(copy, c.id);
        }
        if let Some(wal) = self.wal.get().filter(|_| !planted("pages go home before their log")) {
            wal.flush(newest)?;
        }
        let how = self.home_writes.read().clone();
        let HomeWrites::Doubled(double) = &how else {
            return self.write_home(batch, copies, &how, written).map(drop);
        };
        let mut rest = &copies[..];
        for part in batch.chunks(double.pages_max()) {
            let (bytes, after) = rest.split_at(part.len() * PAGE_BYTES);
            rest = after;
            let pages: Vec<PageId> = part.iter().map(|c| c.id).collect();
            let number = double.write(&pages, bytes, &self.files, &self.poison, &self.stats)?;
            let writes = self.write_home(part, bytes, &how, written)?;
            double.is_home(number, writes);
        }
        Ok(())
    }

    /// Writes a sorted batch to its files. Gives the files, each with the number of the last write to it. `written` counts on.
    fn write_home(
        &self,
        batch: &[Claimed],
        copies: &[u8],
        how: &HomeWrites,
        written: &mut usize,
    ) -> Result<Vec<(FileId, u64)>> {
        let neighbours =
            |a: &Claimed, b: &Claimed| b.id.file == a.id.file && b.id.block.0 == a.id.block.0 + 1;
        let mut writes: Vec<(FileId, u64)> = Vec::new();
        let mut rest = copies;
        for stretch in batch.chunk_by(neighbours) {
            let (bytes, after) = rest.split_at(stretch.len() * PAGE_BYTES);
            rest = after;
            let first = stretch[0].id;
            let failed = |e: Error| match e {
                e @ Error::Poisoned(_) => e,
                e => self.poison.set(format!(
                    "writing {} pages from {first} on ({}) failed: {e}",
                    stretch.len(),
                    files::path(first.file)
                )),
            };
            let file = self.files.must_get(first.file).map_err(failed)?;
            let calls = match how {
                HomeWrites::Atomic { unit_max_bytes } => {
                    write_atomically(&*file, bytes, first.offset(), *unit_max_bytes)
                }
                _ => write_all_at(&*file, &mut [IoSlice::new(bytes)], first.offset()).map(|()| 1),
            };
            let calls = calls.map_err(|e| failed(Error::io("page write", e)))?;
            let partitions = stretch.iter().fold(0, |set, c| set | 1 << self.partitions.of(c.id));
            let newest = stretch.iter().map(|c| (c.lsn, c.id.block.0)).max().expect("no stretch is empty");
            let number = self.files.mark_written(first.file, partitions, newest);
            match writes.last_mut() {
                Some((file, last)) if *file == first.file => *last = number,
                _ => writes.push((first.file, number)),
            }
            self.stats.write_calls.fetch_add(calls, Ordering::Relaxed);
            *written += stretch.len();
        }
        Ok(writes)
    }
}

/// Writes whole pages so that none can tear: by atomic writes, each as long as limit, alignment and rest permit. Gives their number.
fn write_atomically(file: &dyn File, bytes: &[u8], offset: u64, unit_max: usize) -> std::io::Result<u64> {
    debug_assert!(unit_max >= PAGE_BYTES && offset.is_multiple_of(PAGE_BYTES as u64));
    let (mut at, mut calls) = (0, 0);
    while at < bytes.len() {
        let place = offset + at as u64;
        let aligned = if place == 0 { usize::MAX } else { 1 << place.trailing_zeros() };
        let longest = unit_max.min(bytes.len() - at).min(aligned);
        let len = 1 << longest.ilog2();
        file.write_atomic_at(&bytes[at..at + len], place)?;
        at += len;
        calls += 1;
    }
    Ok(calls)
}
