//! Mini-transactions: **the only code that changes a page** at run time. One mini-transaction is one log record that names every block it
//! touches, allocation maps included; after a crash it happened wholly or not at all.
//!
//! Must not know: what the ops mean, transactions' rules.
//!
//! Invariants
//! 1. Order: pages latched by the caller → images decided → pages marked dirty → record reserved and copied → ops applied → page LSNs set →
//!    caller unlatches. Nothing after the reservation can fail: frames, data blocks and log space were obtained before.
//! 2. A page is marked dirty before its record is reserved (pool invariant 3), so a round that raises a floor under the reservation lock and
//!    then looks at dirty pages sees every page of every record below the floor.
//! 3. The image decision holds at the reserved LSN: floors carry an epoch that is compared inside the reservation; a record built on an older
//!    one is built again.
//! 4. A page needs an image when its LSN is at or below its partition's image floor and the record does not initialise it.

use crate::base::sync::{AtomicBool, AtomicU64, Ordering};
use crate::base::usage;
use crate::base::{Error, Lsn, PageId, PartitionCount, Result};
use crate::page::{self, Op, encode_last_op, encode_op};
use crate::pool::{PageRead, PageWrite, Pool};
use crate::wal::record::{self, TxnLink};
use crate::wal::{Horizon, Wal};
use smallvec::SmallVec;
use std::cell::Cell;
use std::sync::Arc;

/// Image floors of the partitions (checkpoint rule 1).
pub struct Floors {
    floor: Vec<AtomicU64>,
    epoch: AtomicU64,
    images: AtomicBool,
    /// Rollbacks that live on log space set aside for them: no floor rises meanwhile.
    holds: AtomicU64,
    /// Images written since each floor was raised.
    written: Vec<AtomicU64>,
}

impl Floors {
    /// Every floor at `at`: each page's next change carries an image.
    pub fn new(partitions: PartitionCount, at: Lsn, images: bool) -> Floors {
        Floors {
            floor: (0..partitions.get()).map(|_| AtomicU64::new(at.0)).collect(),
            epoch: AtomicU64::new(0),
            images: AtomicBool::new(images),
            holds: AtomicU64::new(0),
            written: (0..partitions.get()).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Images of a partition's pages since its floor was raised.
    pub fn images(&self, partition: usize) -> u64 {
        self.written[partition].load(Ordering::Relaxed)
    }

    /// Whether records carry images from here on. Records that others are building may go either way: to be turned off once images are not needed, and on
    /// while nobody writes.
    pub fn set_images(&self, images: bool) {
        self.images.store(images, Ordering::SeqCst);
    }

    /// Whether records may carry images. While there are writers this changes from yes to no only.
    pub fn has_images(&self) -> bool {
        self.images.load(Ordering::SeqCst)
    }

    /// Keeps every floor where it is until `release`.
    pub fn hold(&self, wal: &Wal) {
        wal.with_reservations_held(|_| self.holds.fetch_add(1, Ordering::SeqCst));
    }

    /// Ends a `hold`.
    pub fn release(&self) {
        let before = self.holds.fetch_sub(1, Ordering::SeqCst);
        debug_assert!(before > 0);
    }

    /// Whether floors are kept where they are.
    pub fn are_held(&self) -> bool {
        self.holds.load(Ordering::SeqCst) > 0
    }

    /// Raises a partition's floor to the end of the log and gives it: every record from there on decides by the new floor (invariant 3). `None`
    /// while floors are held.
    pub fn raise(&self, partition: usize, wal: &Wal) -> Option<Lsn> {
        wal.with_reservations_held(|next| {
            if self.holds.load(Ordering::SeqCst) > 0 {
                return None;
            }
            debug_assert!(next.0 >= self.floor[partition].load(Ordering::SeqCst));
            self.floor[partition].store(next.0, Ordering::SeqCst);
            self.written[partition].store(0, Ordering::Relaxed);
            self.epoch.fetch_add(1, Ordering::SeqCst);
            Some(next)
        })
    }

    /// A partition's floor.
    pub fn get(&self, partition: usize) -> Lsn {
        Lsn(self.floor[partition].load(Ordering::SeqCst))
    }
}

/// What a mini-transaction needs: log, pool, floors.
#[derive(Clone)]
pub struct Env {
    /// Position of the latest record that was not a round's: what a clean shutdown compares with its last cycle.
    pub last_change: Arc<AtomicU64>,
    /// The log.
    pub wal: Arc<Wal>,
    /// How far what the log says may be told.
    pub horizon: Horizon,
    /// The pool.
    pub pool: Arc<Pool>,
    /// The image floors.
    pub floors: Arc<Floors>,
    /// Whoever reads is between waves of a replay, and waits for no disk there.
    pub is_between_waves: bool,
}

/// Upper bound of a record's bytes for `pages` pages with `ops` bytes of ops and undo in all: what to promise.
pub fn record_bound(pages: usize, ops: usize) -> u64 {
    (64 + pages * (page::ROOM_BYTES + 128) + ops) as u64
}

/// Pages that a mini-transaction names without an allocation: a row's, and those of most splits.
const FEW_PAGES: usize = 4;

struct Touched<'g, 'p> {
    page: &'g mut PageWrite<'p>,
    init: bool,
    image: bool,
    ops_from: usize,
}

/// A mini-transaction being put together: latched pages and what is to happen to them. Nothing changes before [`Env::commit`].
pub struct Mtr<'g, 'p> {
    pages: SmallVec<[Touched<'g, 'p>; FEW_PAGES]>,
    /// Lent by [`OPS`].
    ops: Vec<u8>,
    /// The page added last has its last op.
    page_is_complete: bool,
}

impl<'g, 'p> Mtr<'g, 'p> {
    /// Empty.
    pub fn new() -> Mtr<'g, 'p> {
        let ops = OPS.take();
        debug_assert!(ops.is_empty());
        Mtr { pages: SmallVec::new(), ops, page_is_complete: false }
    }

    /// The ops of the page with this number.
    fn ops_of(&self, i: usize) -> &[u8] {
        let to = self.pages.get(i + 1).map_or(self.ops.len(), |next| next.ops_from);
        &self.ops[self.pages[i].ops_from..to]
    }

    /// Adds a latched page; ops that follow are for it, until the next page.
    pub fn page(&mut self, page: &'g mut PageWrite<'p>) -> &mut Self {
        debug_assert!(self.pages.iter().all(|t| t.page.id() != page.id()), "a page is added once");
        self.page_is_complete = false;
        self.pages.push(Touched { page, init: false, image: false, ops_from: self.ops.len() });
        self
    }

    /// An op for the page added last.
    pub fn op(&mut self, op: Op<'_>) -> &mut Self {
        let t = self.pages.last_mut().expect("a page was added");
        if matches!(op, Op::Init { .. }) {
            debug_assert_eq!(t.ops_from, self.ops.len(), "initialisation comes first");
            t.init = true;
        }
        debug_assert!(!self.page_is_complete, "an operation behind the last one");
        encode_op(&op, &mut self.ops);
        self
    }

    /// As `op`; no other follows on this page, which saves a byte or two in the log.
    pub fn last_op(&mut self, op: Op<'_>) -> &mut Self {
        debug_assert!(!self.page_is_complete, "an operation behind the last one");
        self.page_is_complete = true;
        encode_last_op(&op, &mut self.ops);
        self
    }
}

impl Default for Mtr<'_, '_> {
    fn default() -> Self {
        Mtr::new()
    }
}

impl Drop for Mtr<'_, '_> {
    fn drop(&mut self) {
        if self.ops.capacity() <= KEPT_OPS_BYTES {
            self.ops.clear();
            // A thread that is ending keeps nothing.
            let _ = OPS.try_with(|kept| kept.set(std::mem::take(&mut self.ops)));
        }
    }
}

thread_local! {
    /// The record body under construction, kept for its capacity. Taken while in use, so that a simulation may nest engines in one thread.
    static BODY: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// The ops under construction, likewise. Of two at a time one begins without.
    static OPS: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Ops that took more give their memory back.
const KEPT_OPS_BYTES: usize = 64 << 10;

impl Env {
    /// Latches a page for reading, loading it if need be. `NotResident`: between waves it is not loaded.
    pub fn read(&self, id: PageId) -> Result<PageRead<'_>> {
        if self.is_between_waves {
            return self.pool.read_present(id).ok_or(Error::NotResident(id));
        }
        self.pool.read(id)
    }

    /// Logs and applies the mini-transaction. Gives the record's start and end. Fails only with `Poisoned`, before anything changed.
    /// The log space must have been promised ([`record_bound`]). May block for room in the log ring, never for a lock.
    pub fn commit(&self, mtr: Mtr<'_, '_>) -> Result<(Lsn, Lsn)> {
        self.commit_with(mtr, None, &[], &|_| {})
    }

    /// As [`Env::commit`], for a record of a transaction. `reserved` is called inside the reservation with the record's LSN: whoever holds
    /// reservations back sees it done for every record before.
    pub fn commit_with(
        &self,
        mut mtr: Mtr<'_, '_>,
        txn: Option<TxnLink>,
        undo: &[u8],
        reserved: &dyn Fn(Lsn),
    ) -> Result<(Lsn, Lsn)> {
        debug_assert!(!mtr.pages.is_empty() || txn.is_some(), "an empty record");
        for t in &mtr.pages {
            t.page.mark_dirty(); // invariant 2
        }
        let mut body = BODY.take();
        let inserted = self.insert(&mut body, &mut mtr, txn, undo, reserved);
        BODY.set(body);
        let (start, end) = inserted?;
        let mut images = 0;
        for t in mtr.pages.iter().filter(|t| t.image) {
            self.floors.written[self.pool.partitions().of(t.page.id())].fetch_add(1, Ordering::Relaxed);
            images += 1;
        }
        let bytes = end.0 - start.0;
        self.wal.stats.records.fetch_add(1, Ordering::Relaxed);
        self.wal.stats.images.fetch_add(images, Ordering::Relaxed);
        self.wal.stats.bytes.fetch_add(bytes, Ordering::Relaxed);
        usage::logged(images, bytes);
        let mut to = mtr.ops.len();
        // Backwards, as each page's ops end where the next one's begin.
        for t in mtr.pages.iter_mut().rev() {
            let page = t.page.bytes_mut();
            let ops = &mtr.ops[t.ops_from..to];
            to = t.ops_from;
            if let Err(e) = page::apply(page, ops) {
                // Logged, but not applicable: memory and log disagree. Nothing of this may reach the disk.
                let id = t.page.id();
                self.wal.poison().set(format!("a logged change does not fit {id}: {e}"));
                panic!("mini-transaction does not fit {id}: {e}");
            }
            page::set_lsn(page, end);
        }
        Ok((start, end))
    }

    /// Builds and reserves until both happened under one epoch (invariant 3). Gives start and end.
    fn insert(
        &self,
        body: &mut Vec<u8>,
        mtr: &mut Mtr<'_, '_>,
        txn: Option<TxnLink>,
        undo: &[u8],
        reserved: &dyn Fn(Lsn),
    ) -> Result<(Lsn, Lsn)> {
        loop {
            let epoch = self.floors.epoch.load(Ordering::SeqCst);
            self.build(body, mtr, txn, undo);
            let still = |lsn: Lsn| {
                let still = self.floors.epoch.load(Ordering::SeqCst) == epoch;
                if still {
                    self.last_change.store(lsn.0, Ordering::SeqCst);
                    reserved(lsn);
                }
                still
            };
            if let Some((start, end)) = self.wal.insert(body, still)? {
                return Ok((start, end));
            }
        }
    }

    fn build(&self, body: &mut Vec<u8>, mtr: &mut Mtr<'_, '_>, txn: Option<TxnLink>, undo: &[u8]) {
        body.clear();
        record::put_change_head(body, txn, undo, mtr.pages.len());
        let only = mtr.pages.len() == 1;
        let mut file = None;
        for i in 0..mtr.pages.len() {
            let t = &mut mtr.pages[i];
            let id = t.page.id();
            let floor = self.floors.get(self.pool.partitions().of(id));
            t.image = !t.init && self.floors.images.load(Ordering::Relaxed) && t.page.lsn() <= floor;
            let t = &mtr.pages[i];
            let image = t.image.then(|| (&t.page[..], page::hole(t.page)));
            record::put_block(body, id, only, file == Some(id.file), t.init, image, mtr.ops_of(i));
            file = Some(id.file);
        }
    }

    /// Logs a record without blocks (commit, abort, file operations …). Space must have been promised. `reserved` as above.
    pub fn log(&self, body: &[u8], reserved: &dyn Fn(Lsn)) -> Result<(Lsn, Lsn)> {
        let at = self.wal.insert(body, |lsn| {
            self.last_change.store(lsn.0, Ordering::SeqCst);
            reserved(lsn);
            true
        })?;
        let at = at.expect("no condition was given");
        self.wal.stats.records.fetch_add(1, Ordering::Relaxed);
        self.wal.stats.bytes.fetch_add(at.1.0 - at.0.0, Ordering::Relaxed);
        usage::logged(0, at.1.0 - at.0.0);
        Ok(at)
    }
}

#[cfg(test)]
mod tests;
