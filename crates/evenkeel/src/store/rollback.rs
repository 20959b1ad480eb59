//! Rollback: logical, by key, with compensation records. The same steps serve run time (from undo in memory) and recovery (from the log).
//!
//! Invariants
//! 1. Each step is one record whose `undo_next` skips what it undid: a rollback cut short anywhere goes on from there.
//! 2. A rollback needs no data block (`room.rs`), and log space was set aside for it (`reserve.rs`): a full disk never stops it.
//! 3. The file of a tree whose creation is undone is removed after that, together with others: nobody can find the tree any more, its number is never used again, and whoever starts after a crash removes
//!    what is left.
//! 4. A transaction cannot leave the active set half undone. Where a page cannot be read, it stays there, its rows locked, and is tried again as what a crash cut short is
//!    (`losers.rs`); one that was to go back to a savepoint can only go back, there or farther. When the database is closed meanwhile, the next start goes on with it. Any other
//!    step that fails, or panics, poisons the engine.

use super::handle::Txn;
use super::lock::implicit_mode;
use super::log_undo::{self, LogUndo};
use super::reserve::Room;
use super::undo_entry::{Entry, Old, patched};
use super::{Savepoint, Store, TREES, overflow};
use crate::base::sync::{self, Ordering};
use crate::base::{Error, Lsn, Result, TreeId, TxnId};
use crate::btree::entry::{self, Head, flag};
use crate::btree::{Tree, is_sparse};
use crate::mtr::{Mtr, record_bound};
use crate::page::{self, Op, Page, SLOT_BYTES};
use crate::space::FileSpace;
use crate::txn::{ActiveTxn, Finished, RowKey, Shared};
use crate::wal::reader::LogReader;
use crate::wal::record::{self, Kind, Record, TxnLink};
use crate::wal::segment::Geometry;
use crate::wal::source::LogSource;
use std::sync::Arc;
use std::time::Duration;

/// After how long a read that failed is tried again, while something is put back.
const READ_AGAIN_AFTER: [Duration; 3] =
    [Duration::from_millis(1), Duration::from_millis(20), Duration::from_millis(200)];

/// Pieces of a value that are looked at: a chain that is damaged may be a ring.
const PIECES_MAX: u32 = 1 << 20;

/// One thing to put back, from memory or from the log.
#[derive(Clone, Copy)]
enum Step<'a> {
    Insert(&'a [u8]),
    Value { key: &'a [u8], head: Head, value: &'a [u8] },
    Ranges { key: &'a [u8], head: Head, len: Option<usize>, ranges: &'a [u8] },
    Chain(u32),
    Tree { root: Option<u32> },
}

impl Store {
    /// Undoes everything since the savepoint, and gives back row locks taken since. An error of some page leaves the transaction part of the way there: it can do nothing
    /// but try again, go back farther, or roll back.
    pub fn rollback_to(&self, t: &mut Txn, sp: Savepoint) -> Result<()> {
        let Some(shared) = t.shared.clone() else { return Ok(()) };
        let _call = shared.begin_call().ok_or(Error::LogPinnedTooLong)?;
        if let Some((seq, e)) = &t.half_way
            && sp.seq > *seq
        {
            return Err(e.clone());
        }
        self.begin_rolling(&shared);
        if let Err(e) = self.undo_down_to(&shared, sp) {
            if e.is_local() {
                t.half_way = Some((sp.seq, e.clone()));
                self.end_rolling(&shared);
            }
            return Err(e);
        }
        t.half_way = None;
        self.end_rolling(&shared);
        if let Some(taken) = sp.locks {
            self.locks.release_since(shared.id, taken);
        }
        Ok(())
    }

    /// A write of a row was undone: what others entered in the lock table because of it follows.
    fn put_lock_back(&self, shared: &Shared, tree: TreeId, entry: &Entry) {
        if self.locks.is_empty() {
            return;
        }
        let (key, left) = match entry {
            Entry::Insert { key } => (key, None),
            Entry::Change { key, head, .. } => (key, (head.txn == shared.id).then(|| implicit_mode(*head))),
            Entry::Chain { .. } | Entry::Tree { .. } => return,
        };
        self.locks.put_back(shared.id, &RowKey { tree, key: key[..].into() }, left);
    }

    fn undo_down_to(&self, shared: &Shared, sp: Savepoint) -> Result<()> {
        let undone = self.undo_all_down_to(shared, sp);
        undone.and(self.remove_undone_files())
    }

    fn undo_all_down_to(&self, shared: &Shared, sp: Savepoint) -> Result<()> {
        while !self.rollbacks_stopped.load(Ordering::Relaxed) {
            if !self.undo_last(shared, sp)? {
                return Ok(());
            }
        }
        Err(Error::Closed)
    }

    /// From now on rollbacks that are not done fail with `Closed` (invariant 4).
    pub fn stop_rollbacks(&self) {
        self.rollbacks_stopped.store(true, Ordering::Relaxed);
    }

    /// Undoes the newest change since the savepoint; false if there is none. An error that is of some page has undone nothing, and says whose rollback it is; any other one
    /// poisons.
    pub(super) fn undo_last(&self, shared: &Shared, sp: Savepoint) -> Result<bool> {
        let whose = || format!("transaction {} cannot be rolled back now", shared.id.0);
        self.try_undo_last(shared, sp).map_err(|e| match e {
            Error::Io { what, source } => Error::Io { what: format!("{}: {what}", whose()), source },
            Error::Corrupt(what) => Error::Corrupt(what.within(whose())),
            e => self.cannot_roll_back(shared, e),
        })
    }

    fn try_undo_last(&self, shared: &Shared, sp: Savepoint) -> Result<bool> {
        let _whole = self.env.wal.poison().on_panic("a rollback");
        let undo = Txn::undo_log(shared);
        let Some(e) = undo.last(sp.seq)? else { return Ok(false) };
        let step = match &e.entry {
            Entry::Insert { key } => Step::Insert(key),
            Entry::Change { key, head, old: Old::Value(value), .. } => {
                Step::Value { key, head: *head, value }
            }
            Entry::Change { key, head, old: Old::Ranges { len, ranges }, .. } => {
                Step::Ranges { key, head: *head, len: *len, ranges }
            }
            Entry::Chain { head } => Step::Chain(*head),
            Entry::Tree { root } => Step::Tree { root: *root },
        };
        self.undo_step(shared, e.tree, e.prev_lsn, step)?;
        undo.pop(e.seq);
        self.undone(shared, &e.entry);
        if sp.seq > 0 {
            self.put_lock_back(shared, e.tree, &e.entry);
        }
        Ok(true)
    }

    /// Undoes the whole transaction and ends it; where a page cannot be read, later (invariant 4).
    pub fn rollback(&self, t: &mut Txn) -> Result<()> {
        t.snapshot = None;
        let Some(shared) = t.shared.take() else { return Ok(()) };
        let done = match shared.begin_call() {
            Some(call) => self.roll_back_all(&call),
            None => Ok(()), // somebody else is at it, or has done it
        };
        t.show_id(None);
        done
    }

    fn roll_back_all(&self, shared: &Arc<Shared>) -> Result<()> {
        self.begin_rolling(shared);
        match self.undo_down_to(shared, Savepoint { seq: 0, locks: None }) {
            Ok(()) => self.end_rolled_back(shared),
            Err(e) if e.is_local() => {
                self.end_rolling(shared);
                tracing::warn!(
                    "{e}; until it is, it is tried again, and the rows that it has changed stay locked"
                );
                self.losers.lock().push_back(shared.clone());
                Ok(())
            }
            Err(e) => Err(e),
        }
    }

    /// Ends a transaction with nothing left to undo.
    pub(super) fn end_rolled_back(&self, shared: &Arc<Shared>) -> Result<()> {
        if shared.last_lsn() != Lsn::ZERO {
            self.log_abort(shared).map_err(|e| self.cannot_roll_back(shared, e))?;
        }
        self.leave(shared, Finished::RolledBack);
        Ok(())
    }

    /// Rolls back doomed transactions whose owners are idle, so that the log they pin can go on a full disk; a wait for a lock is ended instead, and
    /// the owner's call fails. Gives the number rolled back. An owner learns of it by `LogPinnedTooLong` from its next call.
    pub fn abort_doomed(&self) -> Result<usize> {
        let mut done = 0;
        let doomed = |s: &&Arc<Shared>| s.doomed.load(Ordering::Relaxed) && !self.is_loser(s.id);
        for shared in self.txns.active().iter().filter(doomed) {
            if shared.take() {
                self.roll_back_all(shared)?;
                done += 1;
            } else {
                self.locks.end_wait(shared.id);
            }
        }
        Ok(done)
    }

    fn log_abort(&self, shared: &Shared) -> Result<()> {
        let mut body = Vec::new();
        record::put_head(&mut body, Kind::Abort, Some(Store::last_link(shared)), &[]);
        let room = self.room(Some(shared), crate::wal::Wal::record_bytes(body.len()))?;
        let (start, end) = self.env.log(&body, &|_| shared.set_ended())?;
        self.spent(Some(shared), &room, end.0 - start.0);
        Ok(())
    }

    fn compensate(&self, shared: &Shared, room: &Room<'_>, m: Mtr<'_, '_>, link: TxnLink) -> Result<()> {
        let (start, end) = self.env.commit_with(m, Some(link), &[], &|lsn| shared.set_last_lsn(lsn))?;
        self.spent(Some(shared), room, end.0 - start.0);
        Ok(())
    }

    /// Ticks off a step with nothing left to undo.
    fn tick_off(&self, shared: &Shared, link: TxnLink) -> Result<()> {
        let room = self.room(Some(shared), record_bound(0, 64))?;
        self.compensate(shared, &room, Mtr::new(), link)
    }

    /// Merges a page that became sparse. That is optional: only a poisoned engine is an error.
    pub(super) fn tidy_up(&self, tree: &Tree, key: &[u8]) -> Result<()> {
        match tree.merge_around(&self.env, key, 0) {
            Err(e @ Error::Poisoned(_)) => Err(e),
            Err(e) => {
                tracing::debug!("a sparse page of tree {} stays: {e}", tree.tree_id().0);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    pub(super) fn cannot_roll_back(&self, shared: &Shared, e: Error) -> Error {
        match e {
            Error::Poisoned(_) => e,
            e => self.env.wal.poison().set(format!("rolling back transaction {} failed: {e}", shared.id.0)),
        }
    }

    /// Undoes one change of `shared`, with a compensation record that goes on at `next`. A read that fails is tried again: a rollback cannot fail, so the engine
    /// would end of it.
    fn undo_step(&self, shared: &Shared, tree_id: TreeId, next: Lsn, step: Step<'_>) -> Result<()> {
        for pause in READ_AGAIN_AFTER {
            match self.undo_step_once(shared, tree_id, next, step) {
                Err(e @ Error::Io { .. }) => {
                    // Of one that was left, whoever tries again and again tells now and then.
                    if !self.is_loser(shared.id) {
                        tracing::warn!("rolling back transaction {}: {e}; it is tried again", shared.id.0);
                    }
                    sync::sleep(pause);
                }
                done => return done,
            }
        }
        self.undo_step_once(shared, tree_id, next, step)
    }

    fn undo_step_once(&self, shared: &Shared, tree_id: TreeId, next: Lsn, step: Step<'_>) -> Result<()> {
        let link = TxnLink { undo_next: Some(next), ..Store::link(shared) };
        match step {
            // Its row in the tree of trees was undone before.
            Step::Tree { root } => {
                let (tree, dropped) = self.close_tree(tree_id, root, TxnId(0), Some(shared))?;
                match tree.root_elsewhere() {
                    Some(root) => self.undo_root(shared, link, root.block.0)?,
                    None => self.tick_off(shared, link)?,
                }
                self.forget_tree(&tree);
                dropped.map_or(Ok(()), |end| self.file_is_undone(tree.space.file(), end))
            }
            step => match self.undo_in_tree(shared, tree_id, link, step) {
                // Dropped and gone meanwhile: there is nothing to put back.
                Err(Error::NoSuchTree(id)) if id == tree_id => self.tick_off(shared, link),
                other => other,
            },
        }
    }

    fn undo_in_tree(&self, shared: &Shared, tree_id: TreeId, link: TxnLink, step: Step<'_>) -> Result<()> {
        let tree = self.tree(tree_id)?;
        match step {
            Step::Tree { .. } => unreachable!("a tree is not undone inside itself"),
            Step::Chain(head) => self.undo_chain_step(shared, &tree, link, head),
            Step::Insert(key) => self.undo_row(shared, &tree, link, key, None),
            Step::Value { key, head, value } => {
                self.undo_row(shared, &tree, link, key, Some((head, &|_: &[u8]| Ok(value.to_vec()))))
            }
            Step::Ranges { key, head, len, ranges } => {
                let old = |new: &[u8]| patched(new, len, ranges);
                self.undo_row(shared, &tree, link, key, Some((head, &old)))
            }
        }
    }

    fn undo_chain_step(&self, shared: &Shared, tree: &Tree, link: TxnLink, head: u32) -> Result<()> {
        let _visit = tree.space.visit()?;
        let freed = self.free_chain_rest(tree, head, TxnId(0), Some(shared))?;
        self.freed_pieces(shared, freed);
        let room = self.room(Some(shared), record_bound(1, 128))?;
        let mut maps = tree.space.latch_maps(&self.env, &[head])?;
        let mut m = Mtr::new();
        FileSpace::mark(&mut m, &mut maps, &[head], false);
        tree.space.quarantine(head);
        self.compensate(shared, &room, m, link)
    }

    fn undo_root(&self, shared: &Shared, link: TxnLink, root: u32) -> Result<()> {
        let trees = self.tree(TREES)?;
        let room = self.room(Some(shared), record_bound(1, 128))?;
        let mut maps = trees.space.latch_maps(&self.env, &[root])?;
        let mut m = Mtr::new();
        FileSpace::mark(&mut m, &mut maps, &[root], false);
        trees.space.quarantine(root);
        self.compensate(shared, &room, m, link)
    }

    /// Puts a row back: `None` = there was none; else its head, and its value computed from the present one.
    #[allow(clippy::type_complexity)] // one closure, used in one place
    fn undo_row(
        &self,
        shared: &Shared,
        tree: &Tree,
        link: TxnLink,
        key: &[u8],
        old: Option<(Head, &dyn Fn(&[u8]) -> Result<Vec<u8>>)>,
    ) -> Result<()> {
        let tree_id = tree.tree_id();
        let ops = if old.is_none() { 64 } else { 3 * crate::btree::MAX_ITEM_BYTES };
        loop {
            let room = self.room(Some(shared), record_bound(1, ops))?;
            let descent = tree.space.descend()?;
            let (mut page, slot) = tree.leaf_for_write(&self.env, key)?;
            let lost = || {
                Error::corrupt(format!(
                    "tree {}: a row written by transaction {} is gone",
                    tree_id.0, shared.id.0
                ))
            };
            let at = slot.map_err(|_| lost())?;
            let item = entry::parse(Page(&page).item(at))?;
            if item.head.txn != shared.id {
                return Err(lost());
            }
            let mut m = Mtr::new();
            let Some((head, value)) = &old else {
                m.page(&mut page).op(Op::Remove { from: at, to: at + 1 });
                self.compensate(shared, &room, m, link)?;
                let sparse = is_sparse(&page) && matches!(room, Room::Fresh(_));
                drop((page, descent));
                if sparse {
                    self.tidy_up(tree, key)?;
                }
                return Ok(());
            };
            let mut new_item = Vec::new();
            entry::put_leaf(&mut new_item, *head, key, &value(item.value)?);
            let old_item = Page(&page).item(at);
            if head.txn == shared.id {
                entry::pad(&mut new_item, old_item); // longer versions may be put back yet
            }
            let old_len = old_item.len();
            if !Tree::fits(&page, Some(old_len), new_item.len()) {
                // Only entries of a version of this program that kept no room.
                drop((page, descent));
                self.make_room(shared, tree, key, new_item.len() - old_len + SLOT_BYTES)?;
                continue;
            }
            let mut ranges = Vec::new();
            page::diff(Page(&page).item(at), &new_item, &mut ranges);
            m.page(&mut page).op(Op::Patch { slot: at, len: Some(new_item.len()), ranges: &ranges });
            self.compensate(shared, &room, m, link)?;
            debug_assert!(!head.has(flag::INSERTED) || head.txn.0 != 0);
            return Ok(());
        }
    }
}

/// A loser's records that are to be undone, the newest first, from the log.
pub(super) struct Backwards<'s> {
    reader: Option<LogReader<'s>>,
    loser: ActiveTxn,
    next: Lsn,
}

impl<'s> Backwards<'s> {
    pub(super) fn new(source: &'s dyn LogSource, geometry: Geometry, loser: &ActiveTxn) -> Result<Self> {
        let next = loser.last;
        let reader = if next == Lsn::ZERO { None } else { Some(LogReader::open(source, geometry, next)?) };
        Ok(Backwards { reader, loser: *loser, next })
    }

    /// The next one with something to undo, and where undo goes on after it.
    pub(super) fn next(&mut self) -> Result<Option<(Record<'_>, Lsn)>> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let Backwards { loser, next, .. } = self;
        while *next != Lsn::ZERO {
            let at = *next;
            let gone = || Error::corrupt(format!("log record {at} of a transaction to undo is missing"));
            reader.seek_back(at)?;
            let rec = reader.next()?.ok_or_else(gone)?;
            let link = rec.txn.filter(|l| l.id == loser.id).ok_or_else(gone)?;
            if rec.lsn != at {
                return Err(gone());
            }
            let prev = link.prev_lsn(loser.first);
            *next = link.undo_next.unwrap_or(prev);
            if *next >= at {
                return Err(Error::corrupt(format!("the log record at {at} links forwards")));
            }
            if link.undo_next.is_none() && !rec.undo.is_empty() {
                // Read once more: the borrow of a record that is passed over must end.
                reader.seek_back(at)?;
                return Ok(Some((reader.next()?.ok_or_else(gone)?, prev)));
            }
        }
        Ok(None)
    }
}

impl Store {
    /// Whether the pages can be read on which a loser's changes are to be undone. Reads its log backwards, and them.
    pub fn can_undo(&self, source: &dyn LogSource, geometry: Geometry, loser: &ActiveTxn) -> Result<bool> {
        let mut steps = Backwards::new(source, geometry, loser)?;
        while let Some((rec, _)) = steps.next()? {
            let (tree, undo) = log_undo::decode(&rec)?;
            let read = match undo {
                LogUndo::Insert => {
                    let inserted = log_undo::inserted_item(&rec)?;
                    self.read_leaf(tree, entry::parse(&inserted)?.key)
                }
                LogUndo::Change { key, .. } => self.read_leaf(tree, key),
                LogUndo::Chain { head } => {
                    let mut left = PIECES_MAX;
                    overflow::blocks_from(&self.env, tree, head, &mut |_| {
                        left -= 1;
                        left > 0
                    })
                }
                LogUndo::Tree { .. } => Ok(()),
            };
            match read {
                Ok(()) | Err(Error::NoSuchTree(_)) => {}
                Err(e) if e.is_local() => return Ok(false),
                Err(e) => return Err(e),
            }
        }
        Ok(true)
    }

    fn read_leaf(&self, tree: TreeId, key: &[u8]) -> Result<()> {
        let tree = self.tree(tree)?;
        let _descent = tree.space.descend()?;
        tree.leaf_from(&self.env, key).map(drop)
    }
}

/// Undoes the transactions that were active when the log ended, and were registered. Used by recovery.
pub fn undo_losers(
    store: &Store,
    source: &dyn LogSource,
    geometry: Geometry,
    losers: Vec<Arc<Shared>>,
) -> Result<()> {
    for shared in losers {
        let (id, first, last) = (shared.id, shared.first_record(), shared.last_lsn());
        let mut steps = Backwards::new(source, geometry, &ActiveTxn { id, first, last })?;
        while let Some((rec, prev)) = steps.next()? {
            let (tree, undo) = log_undo::decode(&rec)?;
            let inserted;
            let step = match undo {
                LogUndo::Insert => {
                    inserted = log_undo::inserted_item(&rec)?;
                    Step::Insert(entry::parse(&inserted)?.key)
                }
                LogUndo::Change { key, head, len, ranges } => Step::Ranges { key, head, len, ranges },
                LogUndo::Chain { head } => Step::Chain(head),
                LogUndo::Tree { root } => Step::Tree { root },
            };
            store.undo_step(&shared, tree, prev, step)?;
        }
        store.remove_undone_files()?;
        store.log_abort(&shared)?;
        drop(store.txns.finish(
            &shared,
            Finished::RolledBack,
            store.env.horizon.safe(),
            store.env.wal.next_lsn(),
        ));
        store.release_reserve(&shared);
    }
    Ok(())
}
