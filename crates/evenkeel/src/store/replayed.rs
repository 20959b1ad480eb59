//! What the readers of a standby need of the log beside the pages: who is at work, what was before each change, who has ended, and what is taken away
//! (decision 013, 11 to 13).
//!
//! Undo is pushed as the log is read, ahead of the pages: a version is named by its number, which is never used again, so nobody meets an entry before its change is
//! applied. Ends are published when all before them is applied, and in the log's order. What a rollback to a savepoint takes back stays in a transaction's undo until
//! it ends: nobody meets it any more. (Rejected: versions that the workers push which apply changes. Those of different pages come in no order.)
//!
//! Invariants
//! 1. A transaction is registered, and has the undo of a change, before the change is applied.
//! 2. Its end is published after all before it in the log was applied, and in the log's order.
//! 3. Before what some reader may want is taken away, that reader's snapshot is expired. Whose commit it is that takes it away is published by then: nobody can take a snapshot
//!    that does not see it any more.
//!
//! Must not know: how pages get their changes.

use super::gate::Gate;
use super::handle::Txn;
use super::log_undo::{self, LogUndo};
use super::undo::UndoLog;
use super::undo_entry::EntryRef;
use super::{FIRST_USER_TREE, Store};
use crate::base::codec::Reader;
use crate::base::sync::Mutex;
use crate::base::{Error, Lsn, Result, TxnId};
use crate::btree::entry;
use crate::txn::{ActiveTxn, Shared};
use crate::wal::record::{Kind, Record, TxnLink};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Tells by a key of [`FIRST_USER_TREE`] whether a change of its row is one of definitions.
pub type Defines = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// Ends that wait while nobody is let in.
const NEXT_MAX: usize = 256;

/// A transaction that the log shows at work.
struct AtWork {
    shared: Arc<Shared>,
    /// Some of its records were not met: it ends before readers are let in, and nobody wants its undo.
    is_partial: bool,
    /// It changed definitions.
    defines: bool,
}

/// What is to be done once all before it is applied.
enum Next {
    /// The transaction has ended.
    End { shared: Arc<Shared>, committed: bool, defines: bool, end: Lsn },
    /// Readers are wanted to see this transaction, or all, before what was read is applied.
    Gone(Option<TxnId>),
}

/// Who dropped a file, 0: nobody whom readers might not see; `None`: an older program did not say.
fn dropper(rec: &Record<'_>) -> Result<Option<TxnId>> {
    let mut r = Reader::new(rec.payload, "drop record");
    r.varint()?;
    if r.is_empty() { Ok(None) } else { Ok(Some(TxnId(r.varint()?))) }
}

#[derive(Default)]
struct State {
    at_work: HashMap<TxnId, AtWork>,
    next: Vec<Next>,
    /// Who ends in `next`.
    ending: HashSet<TxnId>,
    /// End of the last record that was read.
    end: Lsn,
}

/// The log's reader tells this of each record, and of what was applied. One thread.
pub struct Replayed {
    store: Arc<Store>,
    gate: Arc<Gate>,
    defines: Defines,
    state: Mutex<State>,
}

impl Replayed {
    /// For the readers of a store with this gate.
    pub fn new(store: Arc<Store>, gate: Arc<Gate>, defines: Defines) -> Replayed {
        Replayed { store, gate, defines, state: Mutex::default() }
    }

    /// The store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The gate.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// These are at work where the replay begins, or began before; all others that ended before have ids below `next_txn`. Their log before that is to be read by
    /// [`Replayed::earlier`].
    pub fn begin(&self, active: &[ActiveTxn], next_txn: u64) {
        self.store.txns.raise_next(next_txn);
        let mut state = self.state.lock();
        for txn in active {
            let shared = self.register(txn.id, txn.first);
            state.at_work.insert(txn.id, AtWork { shared, is_partial: false, defines: false });
        }
    }

    /// A record before the place where the replay begins.
    pub fn earlier(&self, rec: &Record<'_>) -> Result<()> {
        let mut state = self.state.lock();
        match rec.txn.filter(|_| rec.kind == Kind::Change) {
            Some(link) => match state.at_work.get_mut(&link.id) {
                Some(txn) => self.push(txn, rec, link),
                None => Ok(()),
            },
            None => Ok(()),
        }
    }

    fn register(&self, id: TxnId, first: Lsn) -> Arc<Shared> {
        let undo = UndoLog::new(self.store.undo.clone());
        self.store.txns.register_replayed(id, first, Box::new(undo))
    }

    /// A record that is going to be applied (invariant 1). An error: nothing of it can be read any more; replay need not end.
    pub fn record(&self, rec: &Record<'_>) -> Result<()> {
        self.take_note(rec)?;
        // Nobody is to be held up, and a long way to go may have more ends than memory.
        if self.state.lock().next.len() >= NEXT_MAX && !self.gate.is_open() {
            self.applied();
        }
        Ok(())
    }

    fn take_note(&self, rec: &Record<'_>) -> Result<()> {
        let mut state = self.state.lock();
        let state = &mut *state;
        state.end = rec.end;
        match (rec.kind, rec.txn) {
            (Kind::Change, Some(link)) => {
                let txn = state.at_work.entry(link.id).or_insert_with(|| AtWork {
                    shared: self.register(link.id, rec.lsn),
                    is_partial: link.prev != 0,
                    defines: false,
                });
                self.push(txn, rec, link)?;
            }
            (Kind::Change, None) => {
                if let Some(after) = log_undo::gone_after(rec.undo)?.filter(|id| id.0 != 0) {
                    state.next.push(Next::Gone(Some(after)));
                }
            }
            (Kind::DropFile, _) => {
                let dropper = dropper(rec)?;
                if dropper != Some(TxnId(0)) {
                    state.next.push(Next::Gone(dropper));
                }
            }
            (Kind::Commit | Kind::Abort, Some(link)) => {
                if let Some(AtWork { shared, defines, .. }) = state.at_work.remove(&link.id) {
                    let committed = rec.kind == Kind::Commit;
                    state.ending.insert(link.id);
                    state.next.push(Next::End { shared, committed, defines, end: rec.end });
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn push(&self, txn: &mut AtWork, rec: &Record<'_>, link: TxnLink) -> Result<()> {
        if txn.is_partial || link.undo_next.is_some() || rec.undo.is_empty() {
            return Ok(());
        }
        let (tree, what) = log_undo::decode(rec)?;
        let undo = Txn::undo_log(&txn.shared);
        // What only snapshots need makes way, as on a primary.
        while let Err(e) = undo.prepare() {
            if !self.store.txns.expire_oldest_snapshots() {
                return Err(e);
            }
            self.store.let_go();
        }
        let inserted;
        let (entry, wanted) = match what {
            LogUndo::Insert => {
                inserted = log_undo::inserted_item(rec)?;
                let item = entry::parse(&inserted)?;
                txn.defines |= tree == FIRST_USER_TREE && (self.defines)(item.key);
                (EntryRef::Insert(item.key), Some(item.head.seq))
            }
            LogUndo::Change { key, head, len, ranges } => {
                txn.defines |= tree == FIRST_USER_TREE && (self.defines)(key);
                (EntryRef::Ranges(key, head, len, ranges), None)
            }
            LogUndo::Chain { head } => (EntryRef::Chain(head), None),
            LogUndo::Tree { root } => (EntryRef::OldTree(root), None),
        };
        let seq = undo.push(tree, Lsn::ZERO, &entry);
        if wanted.is_some_and(|wanted| wanted != seq) {
            let (lsn, id) = (rec.lsn, link.id.0);
            let why =
                format!("the log record at {lsn} of transaction {id} has another number than its place says");
            return Err(Error::corrupt(why));
        }
        Ok(())
    }

    /// Whether all before a record is to be applied, and published, before it is recorded: it takes something away for a transaction that was not published yet, so that
    /// snapshots that do not see it could still be taken (invariant 3).
    pub fn wants_all_before(&self, rec: &Record<'_>) -> bool {
        let after = match (rec.kind, rec.txn) {
            (Kind::Change, None) if !rec.undo.is_empty() => log_undo::gone_after(rec.undo).ok().flatten(),
            (Kind::DropFile, _) => dropper(rec).ok().flatten(),
            _ => return false,
        };
        let state = self.state.lock();
        match after {
            Some(id) => state.ending.contains(&id),
            None => !state.ending.is_empty(),
        }
    }

    /// What was recorded is about to be applied: whom it takes something away from is expired (invariant 3). Nobody is inside.
    pub fn about_to_apply(&self) {
        for next in &self.state.lock().next {
            let Next::Gone(after) = next else { continue };
            let Some(id) = after else {
                self.store.txns.expire_before(0);
                continue;
            };
            match self.store.txns.get(*id) {
                // At 0 it is at work, as no log should have it: nobody sees it.
                Some(txn) => self.store.txns.expire_before(txn.commit_number()),
                None => {
                    if let Some(number) = self.store.history.commit_of(*id) {
                        self.store.txns.expire_before(number);
                    }
                }
            }
        }
    }

    /// All that was recorded is applied (invariant 2).
    pub fn applied(&self) {
        let (next, end) = {
            let mut state = self.state.lock();
            state.ending.clear();
            (std::mem::take(&mut state.next), state.end)
        };
        for next in next {
            let Next::End { shared, committed, defines, end } = next else { continue };
            if committed {
                Txn::undo_log(&shared).keep_for_snapshots(true);
            }
            let safe = self.store.env.horizon.safe();
            self.store.settle(self.store.txns.end_replayed(&shared, committed, defines, end, safe));
        }
        self.store.txns.replayed(end);
        self.store.relieve();
    }

    /// Lets readers in: from now on [`Gate::while_closed`] is to be used. Everybody whose log was not met whole has ended.
    pub fn open(&self, at: Lsn) -> Result<()> {
        match self.state.lock().at_work.values().find(|txn| txn.is_partial) {
            Some(txn) => {
                let id = txn.shared.id.0;
                Err(Error::corrupt(format!("transaction {id} is at work, and its first record was not met")))
            }
            None => {
                self.store.txns.replayed(at);
                self.gate.open();
                Ok(())
            }
        }
    }

    /// Lets nobody read any more, for this reason. Blocks until nobody does.
    pub fn refuse(&self, why: Error) {
        self.gate.shut(why);
    }

    /// Gives back what is kept for readers, who were refused for good: somebody else has the undo's space now.
    pub fn forget(&self) {
        *self.state.lock() = State::default();
        self.store.txns.forget_replayed();
        self.store.history.let_go(u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Database, Options};
    use crate::io::{SimDisk, SimOptions};

    fn record(kind: Kind, lsn: u64, txn: Option<u64>, undo: &[u8]) -> Record<'_> {
        let txn = txn.map(|id| TxnLink { id: TxnId(id), prev: 0, undo_next: None });
        Record { lsn: Lsn(lsn), end: Lsn(lsn + 10), kind, txn, undo, blocks: Vec::new(), payload: &[] }
    }

    /// Invariant 3: between the expiry and the end of the wave somebody could take a snapshot that does not see the deleter, were that not published before.
    #[test]
    fn who_does_not_see_a_deleter_is_expired_and_nobody_can_be_who_comes_then() {
        let disk = Arc::new(SimDisk::new(SimOptions::default()));
        let db = Database::open_on(disk, Options::default().without_threads().with_seed(1)).unwrap();
        let store = db.store().clone();
        let gate = Arc::new(Gate::new(Error::Closed));
        let replayed = Replayed::new(store.clone(), gate, Arc::new(|_| false));
        replayed.open(Lsn(1)).unwrap();
        let mut note = Vec::new();
        log_undo::gone(TxnId(1000), &mut note);
        let purge = record(Kind::Change, 300, None, &note);

        let before = store.txns.snapshot(Lsn::ZERO);
        replayed.record(&record(Kind::Change, 100, Some(1000), &[])).unwrap();
        assert!(!replayed.wants_all_before(&purge));
        replayed.record(&record(Kind::Change, 110, Some(1001), &[])).unwrap();
        replayed.record(&record(Kind::Commit, 120, Some(1001), &[])).unwrap();
        assert!(!replayed.wants_all_before(&purge), "that was another");
        replayed.record(&record(Kind::Commit, 200, Some(1000), &[])).unwrap();
        assert!(replayed.wants_all_before(&purge), "snapshots that do not see it can still be taken");
        replayed.applied();
        assert!(!replayed.wants_all_before(&purge));
        let after = store.txns.snapshot(Lsn::ZERO);
        assert!(!before.sees(TxnId(1000)) && after.sees(TxnId(1000)));
        replayed.record(&purge).unwrap();
        replayed.about_to_apply();
        assert!(before.is_too_old() && !after.is_too_old());
        // Of nobody, or of somebody whom everybody sees.
        replayed.applied();
        drop(before);
        let mut note = Vec::new();
        log_undo::gone(TxnId(0), &mut note);
        replayed.record(&record(Kind::Change, 400, None, &note)).unwrap();
        replayed.about_to_apply();
        assert!(!after.is_too_old());
    }
}
