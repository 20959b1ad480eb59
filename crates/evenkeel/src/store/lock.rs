//! Explicit row locks, and what a writer finds when it looks at a row.

use super::Store;
use super::handle::{Isolation, Txn};
use super::undo_entry::Entry;
use super::undo_space::Near;
use crate::base::{Error, Result, TreeId};
use crate::btree::entry::{self, Head, flag};
use crate::page::Page;
use crate::txn::{LockMode, Outcome, RowKey, Shared, WaitPolicy};
use std::sync::Arc;

/// How an explicit lock request ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Locked {
    /// Locked; this is the version that the statement sees (the newest, or under KEY SHARE one with the same key).
    Current(Vec<u8>),
    /// READ COMMITTED: locked; this newer version has been committed since the statement began.
    Changed(Vec<u8>),
    /// READ COMMITTED: it was deleted, or never existed. Who has waited may have the lock, see `Transaction::rollback_to`.
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
        if !matches!(over, Ok(false)) {
            t.queued = None;
        }
        over
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
        let strict = t.options.isolation == Isolation::RepeatableRead;
        loop {
            t.check_interrupt()?;
            let descent = tree.space.descend()?;
            let leaf = tree.leaf_from(&self.env, key)?;
            let p = Page(&leaf.page);
            let item =
                match (leaf.from < p.slot_count()).then(|| entry::parse(p.item(leaf.from))).transpose()? {
                    Some(item) if item.key == key => item,
                    _ => return self.check_age(t).map(|()| Locked::Gone),
                };
            let (head, deleted) = (item.head, item.head.has(flag::DELETED));
            let writer = self.writer(t, tree_id, key, head)?;
            let outcome = match &writer {
                Writer::Own | Writer::OwnNow if deleted => return Ok(Locked::Gone),
                Writer::Seen | Writer::Newer if deleted => {
                    let newer = matches!(writer, Writer::Newer);
                    return if newer && strict { Err(Error::SerializationFailure) } else { Ok(Locked::Gone) };
                }
                // Who only wants the key to stay is content with the version that it sees.
                Writer::Newer if mode == LockMode::KeyShare && self.keeps_key(t, head)? => {
                    self.locks.request(&me, row(), mode, None, policy)?
                }
                Writer::Newer if strict => return Err(Error::SerializationFailure),
                Writer::Active(w) => {
                    // Nothing that anybody else could see: PostgreSQL does not wait for such either.
                    match self.committed_below(w, head)? {
                        None => return Ok(Locked::Gone),
                        Some(below) if below.has(flag::DELETED) => {
                            self.writer(t, tree_id, key, below)?; // that there is none rests on the deletion
                            return Ok(Locked::Gone);
                        }
                        Some(_) => {}
                    }
                    let implicit = implicit_mode(head);
                    self.locks.request(&me, row(), mode, Some((w, implicit)), policy)?
                }
                _ => self.locks.request(&me, row(), mode, None, policy)?,
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
    fn committed_below(&self, writer: &Shared, mut head: Head) -> Result<Option<Head>> {
        loop {
            match self.undo_of(head, &mut Near::default())? {
                Some(Entry::Change { head: h, .. }) if h.txn == writer.id => head = h,
                Some(Entry::Change { head: h, .. }) => return Ok(Some(h)),
                _ => return Ok(None),
            }
        }
    }

    /// `SerializationFailure` if the statement does not see the newest committed version of a row. `waits`: an undecided writer is waited for first; that
    /// may leave a lock.
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
                Writer::Active(w) => {
                    let (row, holder) =
                        (RowKey { tree: tree_id, key: key.into() }, (&*w, implicit_mode(head)));
                    self.locks.request(&me, row, LockMode::Share, Some(holder), WaitPolicy::Block)?
                }
                Writer::Own | Writer::OwnNow | Writer::Seen => return Ok(()),
            };
            drop(leaf);
            drop(descent);
            self.await_lock(t, outcome)?;
        }
    }
}
