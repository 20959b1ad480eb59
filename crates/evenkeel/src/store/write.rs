//! Writing rows: insert, update, delete. Every call is atomic (store invariant 6).

use super::handle::{Isolation, Txn};
use super::lock::{Writer, implicit_mode};
use super::overflow::{self, GivenBack};
use super::reserve::{IMAGE_BYTES, share};
use super::undo_entry::EntryRef;
use super::{MAX_VALUE_BYTES, PENDING, Store, log_undo};
use crate::base::codec::put_varint;
use crate::base::{Error, Result, TreeId};
use crate::btree::entry::{self, Head, LEAF_HEAD_BYTES, flag};
use crate::btree::{MAX_ITEM_BYTES, MAX_KEY_BYTES, Tree};
use crate::mtr::{Mtr, record_bound};
use crate::page::{self, Op, Page, SLOT_BYTES};
use crate::pool::PageWrite;
use crate::txn::{Call, LockMode, Purpose, RowKey, Shared, WaitPolicy};
use std::cell::Cell;
use std::time::Duration;

/// How an update or delete ended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use = "the row may not have been written"]
pub enum Write {
    /// Written.
    Done,
    /// READ COMMITTED: a newer version has been committed since the statement began. It is locked now and nothing was written:
    /// re-evaluate and call again.
    Changed(Vec<u8>),
    /// READ COMMITTED: it was deleted, or never existed.
    Gone,
    /// The current statement has written it, or deleted it, already.
    SelfModified,
}

/// What a row is to become.
#[derive(Clone, Copy)]
enum To<'a> {
    Value(&'a [u8]),
    /// A reference to a chain that holds the value.
    Chain(&'a [u8]),
    Deleted,
}

/// What a write puts together.
#[derive(Default)]
struct Scratch {
    /// The item.
    item: Vec<u8>,
    /// What undoes it, for the log.
    undo: Vec<u8>,
    /// In what it differs from the item before.
    ranges: Vec<u8>,
}

thread_local! {
    /// Kept for its capacity, which is a few items'. Taken while in use.
    static SCRATCH: Cell<Scratch> =
        const { Cell::new(Scratch { item: Vec::new(), undo: Vec::new(), ranges: Vec::new() }) };
}

impl Store {
    pub(super) fn check_sizes(key: &[u8], value: &[u8]) -> Result<()> {
        if key.len() > MAX_KEY_BYTES {
            return Err(Error::KeyTooLong { len: key.len(), max: MAX_KEY_BYTES });
        }
        if value.len() > MAX_VALUE_BYTES {
            return Err(Error::ValueTooLong { len: value.len(), max: MAX_VALUE_BYTES });
        }
        Ok(())
    }

    pub(super) fn begin_write(&self, t: &mut Txn) -> Result<Call> {
        if t.options.read_only {
            return Err(Error::ReadOnly);
        }
        t.check_interrupt()?;
        self.register(t)
    }

    /// Obtains undo and log room for a change of `bytes`, and for undoing it one day.
    fn promise_change(&self, me: &Shared, bytes: usize) -> Result<Promises<'_>> {
        let undo = Txn::undo_log(me);
        while let Err(e) = undo.prepare() {
            // Undo that only old snapshots need makes way: their readers get `SnapshotTooOld`.
            let is_short = matches!(e, Error::OutOfSpace { .. } | Error::Io { .. });
            if !is_short || !self.txns.expire_oldest_snapshots() {
                return Err(e);
            }
            self.let_go();
        }
        // What is put back may be as long as any item; what is not needed is given back when that is known.
        let rollback = self.env.wal.promise(share(0, Some(MAX_ITEM_BYTES)) + IMAGE_BYTES)?;
        let now = self.env.wal.promise(record_bound(1, 4 * bytes.max(MAX_ITEM_BYTES) + 256))?;
        Ok(Promises { _now: now, rollback })
    }

    /// Runs an operation; if it fails, undoes what it wrote.
    fn atomically<R>(&self, t: &mut Txn, f: impl FnOnce(&Store, &mut Txn) -> Result<R>) -> Result<R> {
        let before = t.savepoint();
        f(self, t).map_err(|e| match self.rollback_to(t, before) {
            Ok(()) => e,
            Err(worse) => worse,
        })
    }

    /// Inserts a row. Waits for an undecided writer of the key, and has no lock for having waited; a live entry is `DuplicateKey`. Under REPEATABLE READ a key
    /// that somebody has deleted and of which the snapshot still sees a row is `SerializationFailure`: a key has one row, so the new one would hide what the
    /// snapshot has.
    pub fn insert(&self, t: &mut Txn, tree: TreeId, key: &[u8], value: &[u8]) -> Result<()> {
        Store::check_sizes(key, value)?;
        let me = self.begin_write(t)?;
        let tree = self.tree(tree)?;
        if LEAF_HEAD_BYTES + key.len() + value.len() <= MAX_ITEM_BYTES {
            return self.insert_small(t, &me, &tree, key, To::Value(value));
        }
        self.atomically(t, |s, t| {
            let chain = s.write_chain(t, GivenBack::ByUndo(&me), &tree, value)?;
            s.insert_small(t, &me, &tree, key, To::Chain(&chain))
        })
    }

    fn insert_small(&self, t: &mut Txn, me: &Shared, tree: &Tree, key: &[u8], to: To<'_>) -> Result<()> {
        let id = tree.tree_id();
        let promise = self.promise_change(me, LEAF_HEAD_BYTES + key.len() + to.bytes().len())?;
        let strict = t.options.isolation == Isolation::RepeatableRead;
        // Who would wait for no time at all does not even stand in the queue, where others would find a circle.
        let policy = match t.lock_timeout {
            Some(Duration::ZERO) => WaitPolicy::NoWait,
            _ => WaitPolicy::Block,
        };
        let mut is_free_in_snapshot = false;
        loop {
            t.check_interrupt()?;
            let descent = tree.space.descend()?;
            let (mut page, slot) = tree.leaf_for_write(&self.env, key)?;
            let row = || RowKey { tree: id, key: key.into() };
            if slot.is_err() && self.locks.allows(me.id, id, key, LockMode::Update).is_none() {
                // Somebody waited for an insert of this key that was rolled back, and holds the key still.
                let outcome =
                    self.locks.request(me, row(), (LockMode::Update, Purpose::Pass), None, policy)?;
                drop((page, descent));
                self.await_lock(t, outcome)?;
                continue;
            }
            if let Ok(at) = slot {
                let head = entry::parse(Page(&page).item(at))?.head;
                let writer = self.writer(t, id, key, head)?;
                if strict
                    && !is_free_in_snapshot
                    && matches!(writer, Writer::Newer)
                    && head.has(flag::DELETED)
                {
                    drop((page, descent));
                    if self.get(t, id, key)?.is_some() {
                        return Err(Error::SerializationFailure);
                    }
                    is_free_in_snapshot = true;
                    continue;
                }
                let outcome = match writer {
                    Writer::Active(w) => Some(self.pass_writer(me, &w, head, row(), policy)?),
                    _ if !head.has(flag::DELETED) => return Err(Error::DuplicateKey),
                    _ if self.locks.allows(me.id, id, key, LockMode::Update).is_none() => {
                        let request = (LockMode::Update, Purpose::Pass);
                        Some(self.locks.request(me, row(), request, None, policy)?)
                    }
                    _ => None,
                };
                if let Some(outcome) = outcome {
                    drop((page, descent));
                    self.await_lock(t, outcome)?;
                    continue;
                }
            }
            match self.put(t, me, tree, &mut page, slot, key, to, LockMode::Update)? {
                Put::Done(kept) => {
                    self.set_aside(me, page.id(), kept, promise.rollback);
                    return Ok(());
                }
                Put::NoRoom(need) => {
                    drop((page, descent));
                    self.make_room(me, tree, key, need)?;
                }
            }
        }
    }

    /// Updates the row that the statement sees. `lock` is `Update` if its key columns change (or others must not reference it), else
    /// `NoKeyUpdate`.
    pub fn update(
        &self,
        t: &mut Txn,
        tree: TreeId,
        key: &[u8],
        value: &[u8],
        lock: LockMode,
    ) -> Result<Write> {
        Store::check_sizes(key, value)?;
        let me = self.begin_write(t)?;
        let tree = self.tree(tree)?;
        if LEAF_HEAD_BYTES + key.len() + value.len() <= MAX_ITEM_BYTES {
            return self.change(t, &me, &tree, key, To::Value(value), lock);
        }
        // The chain is written once it is sure to be used: the row is locked first.
        match self.lock(t, tree.tree_id(), key, lock, WaitPolicy::Block)? {
            super::Locked::Gone | super::Locked::Skipped => return Ok(Write::Gone),
            super::Locked::Changed(v) => return Ok(Write::Changed(v)),
            super::Locked::Current(_) => {}
        }
        self.atomically(t, |s, t| {
            let chain = s.write_chain(t, GivenBack::ByUndo(&me), &tree, value)?;
            match s.change(t, &me, &tree, key, To::Chain(&chain), lock)? {
                Write::Done => Ok(Write::Done),
                other => {
                    // Written by this very statement: the chain is not needed.
                    debug_assert_eq!(other, Write::SelfModified);
                    s.undo_chain(t)?;
                    Ok(other)
                }
            }
        })
    }

    fn undo_chain(&self, t: &mut Txn) -> Result<()> {
        let seq = t.savepoint().seq - 1;
        self.rollback_to(t, super::Savepoint { seq, locks: None })
    }

    /// Marks the row that the statement sees as deleted.
    pub fn delete(&self, t: &mut Txn, tree: TreeId, key: &[u8]) -> Result<Write> {
        let me = self.begin_write(t)?;
        let tree = self.tree(tree)?;
        self.change(t, &me, &tree, key, To::Deleted, LockMode::Update)
    }

    /// Inserts a row, or overwrites its newest version. Under REPEATABLE READ a version newer than the snapshot is `SerializationFailure`.
    pub fn put_row(&self, t: &mut Txn, tree: TreeId, key: &[u8], value: &[u8]) -> Result<()> {
        loop {
            match self.update(t, tree, key, value, LockMode::NoKeyUpdate)? {
                Write::Done => return Ok(()),
                Write::Changed(_) => {}
                // A second put of one statement overwrites the first.
                Write::SelfModified => self.begin_own_step(t),
                Write::Gone => match self.insert(t, tree, key, value) {
                    Err(Error::DuplicateKey) => {}
                    other => return other,
                },
            }
        }
    }

    /// Deletes a row's newest version; false if there is none. Under REPEATABLE READ one newer than the snapshot is an error, as with `put_row`.
    pub fn remove_row(&self, t: &mut Txn, tree: TreeId, key: &[u8]) -> Result<bool> {
        loop {
            match self.delete(t, tree, key)? {
                Write::Done => return Ok(true),
                Write::Gone => return Ok(false),
                Write::Changed(_) => {}
                Write::SelfModified => self.begin_own_step(t),
            }
        }
    }

    fn begin_own_step(&self, t: &mut Txn) {
        t.statement_seq = t.savepoint().seq;
    }

    fn change(
        &self,
        t: &mut Txn,
        me: &Shared,
        tree: &Tree,
        key: &[u8],
        to: To<'_>,
        lock: LockMode,
    ) -> Result<Write> {
        let id = tree.tree_id();
        let strict = t.options.isolation == Isolation::RepeatableRead;
        let before = t.savepoint();
        let mut promise = None;
        loop {
            t.check_interrupt()?;
            if promise.is_none() {
                let bytes = MAX_ITEM_BYTES.min(LEAF_HEAD_BYTES + key.len() + to.bytes().len().max(512));
                promise = Some(self.promise_change(me, bytes)?);
            }
            let descent = tree.space.descend()?;
            let (mut page, slot) = tree.leaf_for_write(&self.env, key)?;
            let row = || RowKey { tree: id, key: key.into() };
            let request = |writer: Option<(&Shared, LockMode)>| {
                self.locks.request(me, row(), (lock, Purpose::Hold), writer, WaitPolicy::Block)
            };
            // Nobody else deletes what is locked: a lock of what somebody has deleted came of waiting for that.
            let gone = || {
                self.locks.give_back_last(me.id, &row());
                Write::Gone
            };
            let Ok(at) = slot else { return self.check_age(t).map(|()| gone()) };
            let item = entry::parse(Page(&page).item(at))?;
            let (head, deleted) = (item.head, item.head.has(flag::DELETED));
            let writer = self.writer(t, id, key, head)?;
            let outcome = match &writer {
                Writer::Active(w) => {
                    // Whatever it decides, somebody was faster before it.
                    if strict
                        && let Some(below) = self.committed_below(w, head)?
                        && matches!(self.writer(t, id, key, below)?, Writer::Newer)
                    {
                        return Err(Error::SerializationFailure);
                    }
                    request(Some((&**w, implicit_mode(head))))?
                }
                Writer::Newer if strict && deleted && self.is_next(t, head)? => {
                    return Err(Error::ConcurrentDelete);
                }
                Writer::Newer if strict => return Err(Error::SerializationFailure),
                // Also what it has deleted: who gets to a row twice is to know.
                Writer::OwnNow => return Ok(Write::SelfModified),
                Writer::Own if deleted => return Ok(Write::Gone),
                _ if deleted => return Ok(gone()),
                Writer::Newer => match request(None)? {
                    crate::txn::Outcome::Granted => {
                        let value = item.value.to_vec();
                        drop((page, descent));
                        Store::hand_over(t, id, key, head);
                        return self.value_of(t, id, head, value).map(Write::Changed);
                    }
                    queued => queued,
                },
                Writer::Seen | Writer::Own if let Some(lock) = self.locks.allows(me.id, id, key, lock) => {
                    // A lock taken before may be stronger than the change needs; others judge by that, as PostgreSQL does.
                    let old_chain = if head.has(flag::OVERFLOW) { Some(item.value.to_vec()) } else { None };
                    let kept = match self.put(t, me, tree, &mut page, slot, key, to, lock)? {
                        Put::Done(kept) => kept,
                        Put::NoRoom(need) => {
                            drop((page, descent));
                            self.make_room(me, tree, key, need)?;
                            continue;
                        }
                    };
                    let place = page.id();
                    drop((page, descent));
                    let promise = promise.take().expect("obtained above");
                    self.set_aside(me, place, kept, promise.rollback);
                    let Some(chain) = old_chain else { return Ok(Write::Done) };
                    return match self.free_later(t, id, &chain) {
                        Ok(()) => Ok(Write::Done),
                        Err(e) => self.rollback_to(t, before).and(Err(e)),
                    };
                }
                _ => request(None)?,
            };
            drop((page, descent));
            self.await_lock(t, outcome)?;
        }
    }

    /// Records in the pending tree that a chain is to be freed once this transaction's commit is seen by everybody.
    fn free_later(&self, t: &mut Txn, tree: TreeId, chain: &[u8]) -> Result<()> {
        let (_, head) = overflow::head_of(chain)?;
        let mut value = vec![super::purge::CHAIN];
        put_varint(&mut value, tree.0);
        put_varint(&mut value, u64::from(head));
        self.add_pending(t, &value)
    }

    /// Adds a row to the pending tree (store invariant 7).
    pub(super) fn add_pending(&self, t: &mut Txn, value: &[u8]) -> Result<()> {
        let me = self.begin_write(t)?;
        let mut key = me.id.0.to_be_bytes().to_vec();
        key.extend_from_slice(&t.savepoint().seq.to_be_bytes());
        let tree = self.tree(PENDING)?;
        self.insert_small(t, &me, &tree, &key, To::Value(value))?;
        t.pending = true;
        Ok(())
    }

    /// Writes the row's new newest version: undo, log, page.
    #[allow(clippy::too_many_arguments)] // the one place where all of a write meets
    fn put(
        &self,
        t: &mut Txn,
        me: &Shared,
        tree: &Tree,
        page: &mut PageWrite<'_>,
        slot: std::result::Result<usize, usize>,
        key: &[u8],
        to: To<'_>,
        lock: LockMode,
    ) -> Result<Put> {
        let mut scratch = SCRATCH.take();
        let put = self.put_with(&mut scratch, t, me, tree, page, slot, key, to, lock);
        SCRATCH.set(scratch);
        put
    }

    #[allow(clippy::too_many_arguments)] // as above
    fn put_with(
        &self,
        scratch: &mut Scratch,
        t: &mut Txn,
        me: &Shared,
        tree: &Tree,
        page: &mut PageWrite<'_>,
        slot: std::result::Result<usize, usize>,
        key: &[u8],
        to: To<'_>,
        lock: LockMode,
    ) -> Result<Put> {
        let id = tree.tree_id();
        let undo = Txn::undo_log(me);
        let mut head = Head { flags: 0, txn: me.id, seq: undo.next_seq() };
        let old = match slot {
            Ok(at) => Some(entry::parse(Page(page).item(at))?),
            Err(_) => None,
        };
        head.flags = match to {
            To::Value(_) => 0,
            To::Chain(_) => flag::OVERFLOW,
            To::Deleted => flag::DELETED | old.map_or(0, |o| o.head.flags & flag::OVERFLOW),
        };
        head.flags |= if old.is_none() { flag::INSERTED } else { 0 };
        // The implicit lock never becomes weaker by a second write of the same transaction.
        let own = old.filter(|o| o.head.txn == me.id).map_or(0, |o| o.head.flags);
        let strong = own & (flag::INSERTED | flag::DELETED | flag::KEY_CHANGED) != 0;
        head.flags |= if lock == LockMode::Update || strong { flag::KEY_CHANGED } else { 0 };
        let value = match to {
            To::Deleted => old.map_or(&[][..], |o| o.value),
            To::Value(v) | To::Chain(v) => v,
        };
        let Scratch { item, undo: payload, ranges } = scratch;
        item.clear();
        payload.clear();
        ranges.clear();
        entry::put_leaf(item, head, key, value);
        let old_item = old.map(|_| Page(page).item(slot.expect("there is an old item")));
        if let (Some(o), Some(bytes)) = (old, old_item) {
            // Room for what a rollback puts back stays; that of a finished writer is not needed any more (`room.rs`).
            let own = if o.head.txn == me.id { 0 } else { entry::padding(bytes) };
            entry::pad(item, &bytes[..bytes.len() - own]);
        }
        let old_len = old_item.map(<[u8]>::len);
        if !Tree::fits(page, old_len, item.len()) {
            let need = item.len() - old_len.unwrap_or(0) + SLOT_BYTES;
            return Ok(Put::NoRoom(need));
        }
        let kept = share(key.len(), old.map(|o| o.value.len()));
        let named = (page.id().file != tree.space.file()).then_some(id);
        let prev = me.last_lsn();
        let seq = match old {
            None => {
                log_undo::insert(named, payload);
                undo.push(id, prev, &EntryRef::Insert(key))
            }
            Some(o) => {
                log_undo::change(named, key, o.head, o.value, value, payload);
                let deletes = matches!(to, To::Deleted);
                t.deletes |= deletes;
                page::diff(Page(page).item(slot.expect("there is an old item")), item, ranges);
                undo.push(id, prev, &EntryRef::Change(deletes, key, o.head, o.value))
            }
        };
        assert_eq!(seq, head.seq, "one writer a transaction");
        let mut m = Mtr::new();
        m.page(page);
        match slot {
            Ok(at) => {
                let len = (old_len != Some(item.len())).then_some(item.len());
                m.last_op(Op::Patch { slot: at, len, ranges })
            }
            Err(at) => m.last_op(Op::Insert { slot: at, item }),
        };
        let done = self.commit_change(me, m, payload);
        if let Err(e) = done {
            undo.pop(seq);
            return Err(e);
        }
        t.logged = true;
        Ok(Put::Done(kept))
    }

    /// Commits a mini-transaction of a transaction.
    pub(super) fn commit_change(&self, me: &Shared, m: Mtr<'_, '_>, undo: &[u8]) -> Result<()> {
        self.env.commit_with(m, Some(Store::link(me)), undo, &|lsn| me.set_last_lsn(lsn)).map(|_| ())
    }
}

/// How writing a version ended.
enum Put {
    /// Written; its rollback needs this many bytes of log, an image aside.
    Done(u64),
    /// The page lacks this many bytes; nothing was done.
    NoRoom(usize),
}

/// Log room for a change now, and for undoing it one day.
struct Promises<'w> {
    _now: crate::wal::Promise<'w>,
    rollback: crate::wal::Promise<'w>,
}

impl To<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            To::Value(v) | To::Chain(v) => v,
            To::Deleted => &[],
        }
    }
}
