//! Transactions that a crash cut short, brought back as they were, to be rolled back while others are at work.
//!
//! The log says of each of their changes what was before, as ranges on the value after it. Read forwards it gives what the transaction had in memory: the same
//! entries under the same sequences, which its versions name. So readers follow its versions to those before, writers wait for it as for anybody, and it is
//! rolled back by the steps that a live transaction is rolled back by. Only then is anything on pages touched: until the doors are open, the log is read
//! once, one way. (Rolling back first, with the doors closed, took 440 s for 10 GB of rows.)
//!
//! Invariants
//! 1. A transaction's changes that have undo are numbered from 1 in the order of the log, none left out: those are its versions' sequences. (A change that
//!    failed to be logged has poisoned the engine.)
//! 2. A compensation record undoes the newest change that is left, and says what came before it.
//! 3. Log space for rolling them back is set aside before anybody else may log.
//! 4. With them are transactions of this start whose rollback met a page that cannot be read. Their owners have let go of them.
//!
//! Must not know: how the log was redone.

use super::handle::{FIRST_PROMISE_BYTES, Txn};
use super::log_undo::{self, LogUndo};
use super::reserve::{PIECE_BYTES, share_of};
use super::rollback::Backwards;
use super::undo::UndoLog;
use super::undo_entry::EntryRef;
use super::{Savepoint, Store};
use crate::base::codec::Reader;
use crate::base::{Error, Lsn, PageId, Result, TxnId};
use crate::btree::entry;
use crate::page::{Kind, Op};
use crate::txn::{ActiveTxn, Shared};
use crate::wal::reader::LogReader;
use crate::wal::record::Record;
use crate::wal::segment::Geometry;
use crate::wal::source::LogSource;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A loser whose undo is being gathered.
struct Reviving {
    loser: ActiveTxn,
    undo: UndoLog,
    /// The last of its records that was met.
    seen: Lsn,
    /// Log bytes for undoing it, images and pieces of chains aside.
    share: u64,
}

/// Losers that were brought back.
pub struct Revived {
    /// Changes to undo.
    pub changes: u64,
    /// Log bytes for rolling each back.
    needs: HashMap<TxnId, u64>,
    /// Log bytes for what is counted for all of them: images of pages where their rows may lie, and pieces of chains.
    shared: u64,
}

/// What all losers together may need images of, and pieces of chains that they may have to free.
#[derive(Default)]
struct Touched {
    pages: HashSet<PageId>,
    pieces: u64,
}

impl Touched {
    /// Takes a record in. A split moves rows to pages that their writer never touched, so what others made counts, too.
    fn record(&mut self, rec: &Record<'_>, is_losers: bool) -> Result<()> {
        if !is_losers && rec.blocks.iter().all(|b| !b.init) {
            return Ok(());
        }
        for block in &rec.blocks {
            let first = if block.init {
                Some(Op::decode(&mut Reader::new(block.ops, "page operation"))?)
            } else {
                None
            };
            match first {
                // It is freed unread.
                Some(Op::Init { kind: Kind::Overflow, .. }) => self.pieces += 1,
                _ => _ = self.pages.insert(block.page),
            }
        }
        Ok(())
    }
}

impl Reviving {
    /// Takes one of its records in.
    fn record(&mut self, rec: &Record<'_>) -> Result<()> {
        let link = rec.txn.expect("a record of a transaction");
        let bad = |what: &str| {
            Error::corrupt(format!("the log record at {} of transaction {} {what}", rec.lsn, self.loser.id.0))
        };
        let before = link.prev_lsn(self.loser.first);
        if before != self.seen {
            return Err(bad("does not follow the one before"));
        }
        self.seen = rec.lsn;
        if let Some(next) = link.undo_next {
            let top = self.undo.last(0)?.filter(|e| e.prev_lsn == next); // invariant 2
            let top = top.ok_or_else(|| bad("undoes another change than the last"))?;
            self.undo.pop(top.seq);
            self.share -= share_of(&top.entry);
            return Ok(());
        }
        if rec.undo.is_empty() {
            return Ok(());
        }
        let (tree, what) = log_undo::decode(rec)?;
        self.undo.prepare()?;
        let inserted;
        let (entry, wanted) = match what {
            LogUndo::Insert => {
                inserted = log_undo::inserted_item(rec)?;
                let item = entry::parse(&inserted)?;
                (EntryRef::Insert(item.key), Some(item.head.seq))
            }
            LogUndo::Change { key, head, len, ranges } => (EntryRef::Ranges(key, head, len, ranges), None),
            LogUndo::Chain { head } => (EntryRef::Chain(head), None),
            LogUndo::Tree { root } => (EntryRef::OldTree(root), None),
        };
        let seq = self.undo.push(tree, before, &entry);
        if wanted.is_some_and(|wanted| wanted != seq) {
            return Err(bad("has another number than its place says")); // invariant 1
        }
        let pushed = self.undo.last(0)?.expect("just pushed");
        self.share += share_of(&pushed.entry);
        Ok(())
    }
}

impl Store {
    /// Whether no more than `max` changes of a loser are to be undone. Reads its log backwards.
    pub fn is_small_loser(
        source: &dyn LogSource,
        geometry: Geometry,
        loser: &ActiveTxn,
        max: usize,
    ) -> Result<bool> {
        let mut steps = Backwards::new(source, geometry, loser)?;
        for _ in 0..=max {
            if steps.next()?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Brings losers of a crash back as active transactions, to be rolled back by [`Store::undo_losers_step`]. An error
    /// has changed nothing, and says why it cannot be done: then they have to be rolled back from the log (`undo_losers`). Reads the log from the first record of
    /// the oldest on. For a start, before anybody else is let in.
    pub fn revive_losers(
        &self,
        source: &dyn LogSource,
        geometry: Geometry,
        losers: &[ActiveTxn],
    ) -> Result<Revived> {
        let mut reviving: HashMap<TxnId, Reviving> = HashMap::new();
        for loser in losers {
            let undo = UndoLog::new(self.undo.clone());
            reviving.insert(loser.id, Reviving { loser: *loser, undo, seen: Lsn::ZERO, share: 0 });
        }
        let mut touched = Touched::default();
        let logged = losers.iter().filter(|l| l.last != Lsn::ZERO);
        if let Some(from) = logged.map(|l| l.first).min() {
            let mut reader = LogReader::open_sequential(source, geometry, from)?;
            while let Some(rec) = reader.next()? {
                let own = rec.txn.and_then(|link| reviving.get_mut(&link.id));
                touched.record(&rec, own.is_some())?;
                if let Some(r) = own {
                    r.record(&rec)?;
                }
            }
        }
        if let Some(r) = reviving.values().find(|r| r.seen != r.loser.last) {
            let (id, last) = (r.loser.id.0, r.loser.last);
            return Err(Error::corrupt(format!("the log record at {last} of transaction {id} is missing")));
        }
        let shared = self.image_bytes() * touched.pages.len() as u64 + PIECE_BYTES * touched.pieces;
        let mut revived = Revived { changes: 0, needs: HashMap::new(), shared };
        let mut list = self.losers.lock();
        for loser in losers {
            let r = reviving.remove(&loser.id).expect("all are there");
            revived.changes += u64::from(r.undo.next_seq() - 1);
            revived.needs.insert(loser.id, FIRST_PROMISE_BYTES + r.share);
            r.undo.reserve.set_pieces_elsewhere();
            list.push_back(self.txns.register_loser(*loser, loser.first, Box::new(r.undo)));
        }
        Ok(revived)
    }

    /// Sets log space aside for rolling back the losers that are left (invariant 3). An error: there is not so much.
    pub fn set_aside_for_losers(&self, revived: &Revived) -> Result<()> {
        let losers = self.losers.lock();
        let need = |loser: &Arc<Shared>| revived.needs[&loser.id];
        let all = self.env.wal.promise(losers.iter().map(need).sum::<u64>() + revived.shared)?;
        losers.iter().for_each(|loser| Txn::undo_log(loser).reserve.add(need(loser)));
        drop(losers);
        self.keep_for_losers(revived.shared);
        all.keep();
        Ok(())
    }

    /// Rolls back up to `max` changes of the losers; gives how many, with those of a transaction's end. Zero: there is nothing left to undo. A
    /// page that cannot be read is an error that leaves its transaction as it is, its rows locked and its changes seen by nobody, and lets the next one go before
    /// it: it is tried again. One thread at a time.
    pub fn undo_losers_step(&self, max: usize) -> Result<usize> {
        let Some(shared) = self.losers.lock().front().cloned() else { return Ok(0) };
        // Whoever else may end it has done what he can.
        let _call = shared.begin_call();
        self.begin_rolling(&shared);
        for done in 0..max {
            // As to a savepoint before all: what others entered in the lock table because of a row goes with it.
            let undone = self.undo_last(&shared, Savepoint { seq: 1, locks: None }).inspect_err(|e| {
                if e.is_local() {
                    self.end_rolling(&shared);
                    self.losers.lock().rotate_left(1);
                }
            })?;
            if !undone {
                self.remove_undone_files()?;
                self.end_rolled_back(&shared)?;
                let mut losers = self.losers.lock();
                losers.retain(|l| !Arc::ptr_eq(l, &shared)); // another one may have come
                tracing::debug!("transaction {}, which was left, is rolled back", shared.id.0);
                if losers.is_empty() {
                    tracing::info!("all that was left to be rolled back is");
                }
                return Ok(done + 1);
            }
        }
        // Floors may rise between two steps, if there was no space for a while.
        self.end_rolling(&shared);
        Ok(max)
    }

    /// Whether it is one of those that are left to be rolled back.
    pub fn is_loser(&self, id: TxnId) -> bool {
        self.losers.lock().iter().any(|l| l.id == id)
    }

    /// Losers that are still to be rolled back.
    pub fn losers_left(&self) -> Vec<Arc<Shared>> {
        self.losers.lock().iter().cloned().collect()
    }

    /// Steps that are left to roll them back, at most: a change each, and its end for each of them.
    pub fn losers_changes_left(&self) -> u64 {
        let left =
            |l: &Arc<Shared>| 1 + Txn::undo_log(l).last(0).ok().flatten().map_or(0, |e| u64::from(e.seq));
        self.losers_left().iter().map(left).sum()
    }
}
