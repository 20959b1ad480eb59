//! Explicit row locks, and what a writer finds when it looks at a row.

use super::Store;
use super::handle::{Isolation, Txn};
use super::undo_entry::Entry;
use super::undo_space::Near;
use crate::base::{Error, Result, TreeId};
use crate::btree::entry::{self, Head, flag};
use crate::page::Page;
use crate::txn::{LockMode, Outcome, Purpose, RowKey, Shared, WaitPolicy};
use std::sync::Arc;

/// How an explicit lock request ended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use = "the row may not be locked"]
pub enum Locked {
    /// Locked; this is the version that the statement sees (the newest, or under KEY SHARE one with the same key).
    Current(Vec<u8>),
    /// READ COMMITTED: locked; this newer version has been committed since the statement began.
    Changed(Vec<u8>),
    /// READ COMMITTED: it was deleted, or never existed. Nothing is locked.
    Gone,
    /// `WaitPolicy::SkipLocked` and somebody holds it.
    Skipped,
}

/// Who wrote the newest version, from a transaction's point of view.
pub(super) enum Writer {
    /// The current statement of this transaction.
    OwnNow,
    /// This transaction, earlier.
    Own,
    /// Somebody undecided.
    Active(Arc<Shared>),
    /// Committed, and the statement sees it (or was handed it for re-evaluation).
    Seen,
    /// Committed, but the statement does not see it.
    Newer,
}

/// The lock that an undecided writer holds by having written.
pub(super) fn implicit_mode(head: Head) -> LockMode {
    if head.flags & (flag::INSERTED | flag::DELETED | flag::KEY_CHANGED) != 0 {
        LockMode::Update
    } else {
        LockMode::NoKeyUpdate
    }
}

impl Store {
    pub(super) fn writer(&self, t: &mut Txn, tree: TreeId, key: &[u8], head: Head) -> Result<Writer> {
        if t.id() == Some(head.txn) {
            t.observe_own();
            return Ok(if head.seq >= t.statement_seq { Writer::OwnNow } else { Writer::Own });
        }
        if let Some(w) = self.txns.get(head.txn) {
            if !w.is_finished() {
                return Ok(Writer::Active(w));
            }
            t.observe(&w, head);
        }
        let seen = self.snapshot(t)?.sees(head.txn)
            || t.rechecked.get(&tree).and_then(|rows| rows.get(key)) == Some(&(head.txn, head.seq));
        Ok(if seen { Writer::Seen } else { Writer::Newer })
    }

    /// Whether every version from this one back to the one that the statement sees left the key alone.
    fn keeps_key(&self, t: &mut Txn, mut head: Head) -> Result<bool> {
        let view = self.view(t)?;
        while !view.sees(head) {
            if head.has(flag::INSERTED | flag::DELETED | flag::KEY_CHANGED) {
                return Ok(false);
            }
            match self.undo_of(head, &mut Near::default())? {
                Some(Entry::Change { head: older, .. }) => head = older,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whether this version, which the statement does not see, came directly after the one that it sees.
    pub(super) fn is_next(&self, t: &mut Txn, head: Head) -> Result<bool> {
        let view = self.view(t)?;
        let before = self.undo_of(head, &mut Near::default())?;
        Ok(matches!(before, Some(Entry::Change { head, .. }) if view.sees(head)))
    }

    /// Remembers that the caller was handed this version for re-evaluation.
    pub(super) fn hand_over(t: &mut Txn, tree: TreeId, key: &[u8], head: Head) {
        t.rechecked.entry(tree).or_default().insert(key.into(), (head.txn, head.seq));
    }

    /// Waits for a queued lock; no latch may be held.
    pub(super) fn await_lock(&self, t: &mut Txn, outcome: Outcome) -> Result<bool> {
        match outcome {
            Outcome::Granted => Ok(true),
            Outcome::Queued(ticket) => {
                assert!(t.queued.is_none(), "a statement that waits outside goes on");
                // What the statement has given its caller so far can be taken back as long as it has changed nothing.
                if t.waits_outside
                    && t.lock_timeout.is_none()
                    && t.savepoint().seq == t.statement_seq
                    && let Some(session) = t.interrupt.as_ref().filter(|i| i.can_nudge())
                {
                    if self.locks.wait_outside(&ticket, session)? {
                        return Ok(true);
                    }
                    t.queued = Some(ticket);
                    return Err(Error::WaitsOutside);
                }
                self.locks.wait(ticket, t.interrupt.as_deref(), t.lock_timeout).map(|()| true)
            }
            Outcome::Skipped => Ok(false),
        }
    }

    /// Whether the wait outside, if there is one, has ended with the lock. After an error there is none any more.
    pub fn wait_is_over(&self, t: &mut Txn) -> Result<bool> {
        let Some(ticket) = &t.queued else { return Ok(true) };
        let over = t.check_not_taken().and_then(|()| self.locks.is_over(ticket));
        if !matches!(over, Ok(false))
            && let Some(ticket) = t.queued.take()
            && over.is_ok()
        {
            self.give_back_if_gone(t, ticket.row())?;
        }
        over
    }

    /// The lock of a row that somebody has deleted while it was waited for is given back: the statement may go another way now and not come to it again.
    fn give_back_if_gone(&self, t: &Txn, row: &RowKey) -> Result<()> {
        let Some(me) = t.id() else { return Ok(()) };
        let tree = self.tree(row.tree)?;
        let _descent = tree.space.descend()?;
        let leaf = tree.leaf_from(&self.env, &row.key)?;
        let p = Page(&leaf.page);
        let item = (leaf.from < p.slot_count()).then(|| entry::parse(p.item(leaf.from))).transpose()?;
        let is_there = item.filter(|i| i.key == &row.key[..]).is_some_and(|i| {
            !i.head.has(flag::DELETED)
                || i.head.txn == me
                || self.txns.get(i.head.txn).is_some_and(|w| !w.is_finished())
        });
        if !is_there {
            self.locks.give_back_last(me, row);
        }
        Ok(())
    }

    /// Locks a row explicitly until the transaction ends. Blocks for conflicting transactions according to `policy`.
    pub fn lock(
        &self,
        t: &mut Txn,
        tree_id: TreeId,
        key: &[u8],
        mode: LockMode,
        policy: WaitPolicy,
    ) -> Result<Locked> {
        let tree = self.tree(tree_id)?;
        let me = self.register(t)?;
        let row = || RowKey { tree: tree_id, key: key.into() };
        let request = |writer: Option<(&Shared, LockMode)>| {
            self.locks.request(&me, row(), (mode, Purpose::Hold), writer, policy)
        };
        // Nobody else deletes what is locked: a lock of what somebody has deleted came of waiting for that.
        let gone = || {
            self.locks.give_back_last(me.id, &row());
            Locked::Gone
        };
        let strict = t.options.isolation == Isolation::RepeatableRead;
        loop {
            t.check_interrupt()?;
            let descent = tree.space.descend()?;
            let leaf = tree.leaf_from(&self.env, key)?;
            let p = Page(&leaf.page);
            let item =
                match (leaf.from < p.slot_count()).then(|| entry::parse(p.item(leaf.from))).transpose()? {
                    Some(item) if item.key == key => item,
                    _ => return self.check_age(t).map(|()| gone()),
                };
            let (head, deleted) = (item.head, item.head.has(flag::DELETED));
            let writer = self.writer(t, tree_id, key, head)?;
            let outcome = match &writer {
                Writer::Own | Writer::OwnNow if deleted => return Ok(Locked::Gone),
                Writer::Seen | Writer::Newer if deleted => {
                    let newer = matches!(writer, Writer::Newer);
                    return if newer && strict { Err(Error::SerializationFailure) } else { Ok(gone()) };
                }
                // Who only wants the key to stay is content with the version that it sees.
                Writer::Newer if mode == LockMode::KeyShare && self.keeps_key(t, head)? => request(None)?,
                Writer::Newer if strict => return Err(Error::SerializationFailure),
                Writer::Active(w) => {
                    // Nothing that anybody else could see: PostgreSQL does not wait for such either.
                    match self.committed_below(w, head)? {
                        None => return Ok(gone()),
                        Some(below) if below.has(flag::DELETED) => {
                            self.writer(t, tree_id, key, below)?; // that there is none rests on the deletion
                            return Ok(gone());
                        }
                        // Whatever the writer decides, somebody was faster before it.
                        Some(below)
                            if strict
                                && mode > LockMode::KeyShare
                                && matches!(self.writer(t, tree_id, key, below)?, Writer::Newer) =>
                        {
                            return Err(Error::SerializationFailure);
                        }
                        Some(_) => {}
                    }
                    request(Some((w, implicit_mode(head))))?
                }
                _ => request(None)?,
            };
            let value = item.value.to_vec();
            drop(leaf);
            drop(descent);
            match (outcome, writer) {
                (Outcome::Granted, Writer::Newer) => {
                    if mode == LockMode::KeyShare
                        && self.keeps_key(t, head)?
                        && let Some(seen) = self.get(t, tree_id, key)?
                    {
                        return Ok(Locked::Current(seen));
                    }
                    Store::hand_over(t, tree_id, key, head);
                    return self.value_of(t, tree_id, head, value).map(Locked::Changed);
                }
                (Outcome::Granted, Writer::Active(w)) => {
                    // Compatible with the undecided writer (or it has ended this instant: look again).
                    if !mode.conflicts(implicit_mode(head)) && !w.is_finished() {
                        return Ok(match self.get(t, tree_id, key)? {
                            Some(v) => Locked::Current(v),
                            None => Locked::Gone,
                        });
                    }
                }
                (Outcome::Granted, _) => return self.value_of(t, tree_id, head, value).map(Locked::Current),
                (outcome, _) => {
                    if !self.await_lock(t, outcome)? {
                        return Ok(Locked::Skipped);
                    }
                }
            }
        }
    }

    /// Whether the version of a row that the statement sees is the newest there is: nobody has changed it since, and nobody is about to. Takes no lock and
    /// waits for nobody. A change that comes behind this call finds whatever the caller has written before it.
    pub fn is_unchanged(&self, t: &mut Txn, tree_id: TreeId, key: &[u8]) -> Result<bool> {
        let tree = self.tree(tree_id)?;
        t.check_interrupt()?;
        let _descent = tree.space.descend()?;
        let leaf = tree.leaf_from(&self.env, key)?;
        let p = Page(&leaf.page);
        let item = match (leaf.from < p.slot_count()).then(|| entry::parse(p.item(leaf.from))).transpose()? {
            Some(item) if item.key == key => item,
            _ => return Ok(false),
        };
        let (head, deleted) = (item.head, item.head.has(flag::DELETED));
        let writer = self.writer(t, tree_id, key, head)?;
        Ok(!deleted && matches!(writer, Writer::Own | Writer::OwnNow | Writer::Seen))
    }

    /// The newest version of a row below those that an undecided writer has made of it.
    pub(super) fn committed_below(&self, writer: &Shared, mut head: Head) -> Result<Option<Head>> {
        loop {
            match self.undo_of(head, &mut Near::default())? {
                Some(Entry::Change { head: h, .. }) if h.txn == writer.id => head = h,
                Some(Entry::Change { head: h, .. }) => return Ok(Some(h)),
                _ => return Ok(None),
            }
        }
    }

    /// `SerializationFailure` if the statement does not see the newest committed version of a row. `waits`: an undecided writer is waited for first.
    pub fn check_newest(&self, t: &mut Txn, tree_id: TreeId, key: &[u8], waits: bool) -> Result<()> {
        let tree = self.tree(tree_id)?;
        let me = self.register(t)?;
        loop {
            t.check_interrupt()?;
            let descent = tree.space.descend()?;
            let leaf = tree.leaf_from(&self.env, key)?;
            let p = Page(&leaf.page);
            let item =
                match (leaf.from < p.slot_count()).then(|| entry::parse(p.item(leaf.from))).transpose()? {
                    Some(item) if item.key == key => item,
                    _ => return Ok(()),
                };
            let mut head = item.head;
            let mut writer = self.writer(t, tree_id, key, head)?;
            if let Writer::Active(w) = &writer
                && !waits
            {
                match self.committed_below(w, head)? {
                    Some(h) => head = h,
                    None => return Ok(()),
                }
                writer = self.writer(t, tree_id, key, head)?;
            }
            let outcome = match writer {
                Writer::Newer => return Err(Error::SerializationFailure),
                Writer::Active(w) => self.pass_writer(
                    &me,
                    &w,
                    head,
                    RowKey { tree: tree_id, key: key.into() },
                    WaitPolicy::Block,
                )?,
                Writer::Own | Writer::OwnNow | Writer::Seen => return Ok(()),
            };
            drop(leaf);
            drop(descent);
            self.await_lock(t, outcome)?;
        }
    }

    /// Asks, under the row's latch, to wait until an undecided writer of the row has decided, or has undone it.
    pub(super) fn pass_writer(
        &self,
        me: &Shared,
        writer: &Shared,
        head: Head,
        row: RowKey,
        policy: WaitPolicy,
    ) -> Result<Outcome> {
        let mode = implicit_mode(head);
        self.locks.request(me, row, (mode, Purpose::PassWriter(writer.id)), Some((writer, mode)), policy)
    }

    /// The newest version of a row, whether the statement sees it or not; an undecided writer is waited for. Takes no lock, and waits for none that is
    /// only a lock.
    pub fn newest(&self, t: &mut Txn, tree_id: TreeId, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let tree = self.tree(tree_id)?;
        let me = self.register(t)?;
        loop {
            t.check_interrupt()?;
            let descent = tree.space.descend()?;
            let leaf = tree.leaf_from(&self.env, key)?;
            let p = Page(&leaf.page);
            let item =
                match (leaf.from < p.slot_count()).then(|| entry::parse(p.item(leaf.from))).transpose()? {
                    Some(item) if item.key == key => item,
                    _ => return self.check_age(t).map(|()| None),
                };
            let head = item.head;
            if let Writer::Active(w) = self.writer(t, tree_id, key, head)? {
                let row = RowKey { tree: tree_id, key: key.into() };
                let outcome = self.pass_writer(&me, &w, head, row, WaitPolicy::Block)?;
                drop(leaf);
                drop(descent);
                self.await_lock(t, outcome)?;
                continue;
            }
            let value = (!head.has(flag::DELETED)).then(|| item.value.to_vec());
            drop(leaf);
            drop(descent);
            return value.map(|v| self.value_of(t, tree_id, head, v)).transpose();
        }
    }

    /// Waits until nobody else holds a lock of a row that stands against `mode`, or has given the row up since. Takes no lock, and does not look again: who
    /// needs that nobody comes in between takes the lock.
    pub fn wait_for_holders(&self, t: &mut Txn, tree_id: TreeId, key: &[u8], mode: LockMode) -> Result<()> {
        let tree = self.tree(tree_id)?;
        let me = self.register(t)?;
        t.check_interrupt()?;
        let descent = tree.space.descend()?;
        let leaf = tree.leaf_from(&self.env, key)?;
        let p = Page(&leaf.page);
        let item = match (leaf.from < p.slot_count()).then(|| entry::parse(p.item(leaf.from))).transpose()? {
            Some(item) if item.key == key => item,
            _ => return Ok(()),
        };
        let head = item.head;
        let writer = match self.writer(t, tree_id, key, head)? {
            Writer::Active(w) => Some(w),
            _ if head.has(flag::DELETED) => return Ok(()),
            _ => None,
        };
        let holder = writer.as_deref().map(|w| (w, implicit_mode(head)));
        let row = RowKey { tree: tree_id, key: key.into() };
        let outcome = self.locks.request(&me, row, (mode, Purpose::Pass), holder, WaitPolicy::Block)?;
        drop(leaf);
        drop(descent);
        self.await_lock(t, outcome).map(drop)
    }
}
