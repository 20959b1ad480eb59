//! Log space that is set aside so that a rollback never runs out of it.
//!
//! Each change keeps, until its transaction ends, what undoing it will log: a share by its kind, and, where the log has images, one for each page that the
//! transaction has changed. A rollback asks for fresh space first, as everybody does; only when there is none does it live on what was set
//! aside. From then on no image floor rises: so each page needs one more image at most, and that one was kept. Floors rise again once the
//! transaction has ended, or, after a rollback to a savepoint, once what was spent has been set aside anew: that is tried when the rollback ends, and
//! by each round that finds floors held. A split moves rows to pages that their writers never touched; it keeps images for its new pages until all transactions that were
//! active then have ended. What one of them spends of these is owed to the others, and floors stay held for it as well.
//!
//! Data blocks are never needed: see `room.rs`.
//!
//! Invariants
//! 1. The bytes set aside for a transaction, with those of splits made while it was active, cover every record of its rollback while floors
//!    are held.
//! 2. What is set aside stays promised in the log (`wal::space`) until it is spent or given back.

use super::Store;
use super::handle::Txn;
use super::trees::TREE_BYTES;
use super::undo_entry::{Entry, Old};
use crate::base::sync::{AtomicUsize, Mutex, MutexGuard, Ordering};
use crate::base::{Error, PAGE_BYTES, PageId, Result};
use crate::btree::entry::LEAF_HEAD_BYTES;
use crate::pool::PageIdHasher;
use crate::txn::Shared;
use crate::wal::Promise;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasherDefault;

/// Log bytes of a full-page image with its place in a record.
pub(super) const IMAGE_BYTES: u64 = PAGE_BYTES as u64 + 64;
/// Log bytes of a compensation record that carries neither an image nor a value.
pub(super) const STEP_BYTES: u64 = 96;
/// Log bytes for freeing one piece of a chain.
pub(super) const PIECE_BYTES: u64 = 128;
/// Log bytes for freeing a chain, its pieces' own shares and its maps' images aside.
pub(super) const CHAIN_BYTES: u64 = 2 * STEP_BYTES + IMAGE_BYTES;
/// Pages remembered of one transaction; one that changed more keeps an image twice for some.
const PAGES_MAX: usize = 1 << 15;

/// Splits whose images are kept apart; more are kept together.
const SPLITS_MAX: usize = 4096;

/// Log bytes for undoing one change, images aside.
pub(super) fn share(key: usize, old_value: Option<usize>) -> u64 {
    // Byte ranges of a value are never longer than the value and a few bytes.
    STEP_BYTES + old_value.map_or(0, |v| (LEAF_HEAD_BYTES + key + v) as u64)
}

/// What was kept for an undo entry when it was made.
pub(super) fn share_of(e: &Entry) -> u64 {
    match e {
        Entry::Insert { key } => share(key.len(), None),
        Entry::Change { key, old: Old::Value(value), .. } => share(key.len(), Some(value.len())),
        Entry::Change { key, old: Old::Ranges { ranges, .. }, .. } => share(key.len(), Some(ranges.len())),
        Entry::Chain { .. } => CHAIN_BYTES, // its pieces are given back when they are freed
        Entry::Tree { root: None } => 0,    // kept until the transaction ends
        Entry::Tree { root: Some(_) } => TREE_BYTES,
    }
}

/// What one transaction has set aside. Lives with its undo, so that whoever rolls it back finds it.
#[derive(Default)]
pub(super) struct Reserve(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    bytes: u64,
    pages: HashSet<PageId, BuildHasherDefault<PageIdHasher>>,
    /// A rollback has begun to spend it; floors are held.
    in_use: bool,
    /// Bytes spent since, to be set aside anew.
    spent: u64,
    /// A rollback is under way.
    rolling: bool,
    /// The shares of its chains' pieces are kept with those of splits: it is of an earlier life.
    pieces_elsewhere: bool,
}

impl Reserve {
    /// Takes over promised bytes.
    pub(super) fn add(&self, bytes: u64) {
        self.0.lock().bytes += bytes;
    }

    /// Its chains' pieces are provided for elsewhere.
    pub(super) fn set_pieces_elsewhere(&self) {
        self.0.lock().pieces_elsewhere = true;
    }

    /// Whether an image must be kept for a page that was just changed: true the first time.
    pub(super) fn first_change_of(&self, page: PageId) -> bool {
        let mut r = self.0.lock();
        if r.pages.len() >= PAGES_MAX {
            r.pages.clear();
        }
        r.pages.insert(page)
    }
}

/// Images kept for pages that splits made.
#[derive(Default)]
pub(super) struct SplitReserve {
    kept: Mutex<Splits>,
    len: AtomicUsize,
}

#[derive(Default)]
struct Splits {
    kept: VecDeque<KeptForSplit>,
    /// Floors are held so many times for what is owed, on behalf of transactions that have ended.
    holds: usize,
}

struct KeptForSplit {
    /// Next transaction id at the split.
    next: u64,
    bytes: u64,
    /// Bytes that a rollback has spent.
    owed: u64,
}

impl Splits {
    fn owed(&self) -> u64 {
        self.kept.iter().map(|k| k.owed).sum()
    }
}

/// Log space for a step of a rollback.
pub(super) enum Room<'w> {
    /// Obtained now.
    Fresh(#[allow(dead_code)] Promise<'w>),
    /// Set aside before.
    SetAside,
}

impl Store {
    /// What an image of a page may take in the log of this transaction's rollback: nothing where the log has no images, for it begins to have some only
    /// while nobody writes.
    pub(super) fn image_bytes(&self) -> u64 {
        if self.env.floors.has_images() { IMAGE_BYTES } else { 0 }
    }

    /// Sets aside what a change of `page` needs for its rollback: `share` and perhaps an image. `promise` covers both; the rest is given back.
    pub(super) fn set_aside(&self, me: &Shared, page: PageId, share: u64, promise: Promise<'_>) {
        let reserve = &Txn::undo_log(me).reserve;
        let all = promise.keep();
        let keep = share + if reserve.first_change_of(page) { self.image_bytes() } else { 0 };
        debug_assert!(keep <= all, "{keep} of {all} bytes");
        reserve.add(keep);
        self.env.wal.give_back(all.saturating_sub(keep));
    }

    /// Sets aside images for the pages that a split has `made`, out of `promise`. If `me` is the only active transaction, they are its own pages.
    pub(super) fn set_aside_for_split(&self, me: &Shared, made: &[PageId], promise: Promise<'_>) {
        let all = promise.keep();
        // Asked after the split: whoever registers later has rows on none of these pages.
        let mut keep = 0;
        if self.txns.is_alone(me.id) {
            let reserve = &Txn::undo_log(me).reserve;
            // A block that was a page of its before, until a merge, counts again: what was kept for that one is needed where the rows are now.
            made.iter().for_each(|p| {
                reserve.first_change_of(*p);
            });
            let own = made.len() as u64 * self.image_bytes();
            reserve.add(own);
            keep += own;
        } else if !made.is_empty() {
            keep += made.len() as u64 * self.image_bytes();
            let next = self.txns.next_id();
            let mut splits = self.splits.kept.lock();
            let is_long = splits.kept.len() >= SPLITS_MAX;
            match splits.kept.back_mut().filter(|last| is_long || last.next == next) {
                // Kept with a later split's, a little longer.
                Some(last) => (last.next, last.bytes) = (next.max(last.next), last.bytes + keep),
                None => splits.kept.push_back(KeptForSplit { next, bytes: keep, owed: 0 }),
            }
            self.splits.len.store(splits.kept.len(), Ordering::SeqCst);
        }
        debug_assert!(keep <= all);
        self.env.wal.give_back(all - keep);
    }

    /// Keeps promised bytes for images of pages that were made in an earlier life, until all who are active now have ended.
    pub(super) fn keep_for_losers(&self, bytes: u64) {
        let mut splits = self.splits.kept.lock();
        splits.kept.push_front(KeptForSplit { next: self.txns.next_id(), bytes, owed: 0 });
        self.splits.len.store(splits.kept.len(), Ordering::SeqCst);
    }

    /// Gives back what no active transaction can need for its rollback any more.
    fn release_splits(&self) {
        if self.splits.len.load(Ordering::SeqCst) == 0 {
            return;
        }
        let oldest = self.txns.oldest_active();
        let mut splits = self.splits.kept.lock();
        while splits.kept.front().is_some_and(|k| k.next <= oldest) {
            let k = splits.kept.pop_front().expect("just looked at");
            self.env.wal.give_back(k.bytes);
        }
        self.splits.len.store(splits.kept.len(), Ordering::SeqCst);
        self.release_split_holds(splits);
    }

    /// Floors held for what splits are owed may rise once nothing is.
    fn release_split_holds(&self, mut splits: MutexGuard<'_, Splits>) {
        if splits.holds > 0 && splits.owed() == 0 {
            let holds = std::mem::take(&mut splits.holds);
            drop(splits);
            (0..holds).for_each(|_| self.env.floors.release());
        }
    }

    /// A rollback begins.
    pub(super) fn begin_rolling(&self, roller: &Shared) {
        self.refill(roller);
        Txn::undo_log(roller).reserve.0.lock().rolling = true;
    }

    /// A rollback to a savepoint has ended.
    pub(super) fn end_rolling(&self, roller: &Shared) {
        Txn::undo_log(roller).reserve.0.lock().rolling = false;
        self.refill_splits();
        self.refill(roller);
    }

    /// Whether a transaction of this start is being rolled back.
    pub fn is_rolling_back(&self) -> bool {
        let is_rolling =
            |t: &std::sync::Arc<Shared>| Txn::undo_log(t).reserve.0.lock().rolling && !self.is_loser(t.id);
        self.txns.active().iter().any(is_rolling)
    }

    /// Sets aside anew what rollbacks have spent, as far as there is room for it, so that image floors may rise.
    pub fn refill_reserves(&self) {
        self.refill_splits();
        self.txns.active().iter().for_each(|t| self.refill(t));
    }

    /// While there is no room for it, floors stay held.
    fn refill(&self, shared: &Shared) {
        let reserve = &Txn::undo_log(shared).reserve.0;
        let is_idle = |r: &Inner| r.in_use && !r.rolling;
        let spent = match &*reserve.lock() {
            r if is_idle(r) => r.spent,
            _ => return,
        };
        if self.splits.kept.lock().owed() > 0 {
            return;
        }
        let Ok(promise) = self.env.wal.promise(spent) else { return };
        let mut r = reserve.lock();
        if !is_idle(&r) || r.spent != spent {
            return;
        }
        r.bytes += promise.keep();
        (r.in_use, r.spent) = (false, 0);
        drop(r);
        self.env.floors.release();
    }

    fn refill_splits(&self) {
        let owed = self.splits.kept.lock().owed();
        if owed == 0 {
            return;
        }
        let Ok(promise) = self.env.wal.promise(owed) else { return };
        let mut left = promise.keep();
        let mut splits = self.splits.kept.lock();
        for k in &mut splits.kept {
            let part = k.owed.min(left);
            k.bytes += part;
            k.owed -= part;
            left -= part;
        }
        self.env.wal.give_back(left);
        self.release_split_holds(splits);
    }

    /// Obtains log space for up to `bytes` of a rollback's records, or falls back on what the transaction `roller` has set aside.
    pub(super) fn room(&self, roller: Option<&Shared>, bytes: u64) -> Result<Room<'_>> {
        let reserve = roller.map(|r| &Txn::undo_log(r).reserve);
        if reserve.is_some_and(|r| r.0.lock().in_use) {
            return Ok(Room::SetAside);
        }
        match (self.env.wal.promise(bytes), reserve) {
            (Ok(promise), _) => Ok(Room::Fresh(promise)),
            (Err(Error::Poisoned(why)), _) => Err(Error::Poisoned(why)),
            (Err(e), Some(reserve)) => {
                let mut r = reserve.0.lock();
                if r.bytes == 0 {
                    return Err(e); // recovery's: nothing was set aside in this life
                }
                tracing::warn!("a rollback lives on the log space that was set aside for it: {e}");
                r.in_use = true;
                drop(r);
                self.env.floors.hold(&self.env.wal);
                Ok(Room::SetAside)
            }
            (Err(e), _) => Err(e),
        }
    }

    /// Accounts for `bytes` that a rollback has logged in `room`.
    pub(super) fn spent(&self, roller: Option<&Shared>, room: &Room<'_>, bytes: u64) {
        let (Room::SetAside, Some(roller)) = (room, roller) else { return };
        let mut r = Txn::undo_log(roller).reserve.0.lock();
        let own = bytes.min(r.bytes);
        r.bytes -= own;
        r.spent += own;
        drop(r);
        let mut rest = bytes - own;
        for k in &mut self.splits.kept.lock().kept {
            let part = rest.min(k.bytes);
            k.bytes -= part;
            k.owed += part;
            rest -= part;
        }
        debug_assert_eq!(rest, 0, "a rollback needs more log than was set aside (reserve invariant 1)");
        self.env.wal.give_back(bytes - rest);
    }

    /// Gives back the share of a change that was undone with fresh space.
    pub(super) fn undone(&self, roller: &Shared, e: &Entry) {
        self.give_share_back(roller, share_of(e));
    }

    /// Gives back what was kept for freeing so many pieces of a chain, which was done with fresh space.
    pub(super) fn freed_pieces(&self, roller: &Shared, pieces: u64) {
        let elsewhere = Txn::undo_log(roller).reserve.0.lock().pieces_elsewhere;
        self.give_share_back(roller, if elsewhere { 0 } else { pieces * PIECE_BYTES });
    }

    /// Gives back what was kept for steps that were undone with fresh space.
    fn give_share_back(&self, roller: &Shared, share: u64) {
        let mut r = Txn::undo_log(roller).reserve.0.lock();
        if r.in_use {
            return; // what was not spent stays until the end
        }
        let share = share.min(r.bytes);
        r.bytes -= share;
        drop(r);
        self.env.wal.give_back(share);
    }

    /// Gives back all that an ended transaction has set aside. It must have left the active set.
    pub(super) fn release_reserve(&self, shared: &Shared) {
        let inner = std::mem::take(&mut *Txn::undo_log(shared).reserve.0.lock());
        self.env.wal.give_back(inner.bytes);
        if inner.in_use {
            self.splits.kept.lock().holds += 1;
            self.refill_splits();
            self.release_split_holds(self.splits.kept.lock());
        }
        self.release_splits();
    }
}
