//! Transactions of a session: implicit and explicit ones, savepoints, failure.
//!
//! Invariants:
//! 1. At a commit the engine commits first; once that is durable, changes of the catalog are published; then table locks are released.
//! 2. A failed transaction holds no engine transaction, unless savepoints may bring it back.
//!
//! Must not know: statements other than transaction control.

use super::Session;
use super::rollback::{Undoing, roll_back, roll_back_to};
use crate::catalog::locks::{ObjectLock, TableLockMode, Wait};
use crate::catalog::statistics::TableStatistics;
use crate::catalog::{Change, Changed, Object, Table, TableShared};
use crate::exec::deferred::{Deferred, DeferredMark};
use crate::exec::statistics;
use crate::of_database::bump;
use crate::parse::{IsolationLevel, TxnModes, TxnStmt};
use crate::tally::TransactionEnd;
use evenkeel::{Basis, Durability, Isolation, Lsn, Savepoint, Transaction, TxnOptions};
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;
use std::sync::atomic::Ordering;

struct Mark {
    name: String,
    savepoint: Savepoint,
    changes: usize,
    settings: usize,
    /// READ ONLY, once more when the subtransaction ends.
    read_only: bool,
    /// Table locks.
    held: crate::catalog::locks::HeldMark,
    advisory: usize,
    large_objects: u64,
    notify: (usize, usize),
    deferred: DeferredMark,
    /// What had been done to the rows of tables, how many had been emptied, and analyzed.
    changed: Vec<(u32, Changed)>,
    emptied: usize,
    analyzed: usize,
}

/// What was learned of a table's values.
pub(crate) struct Analyzed {
    pub shared: Arc<TableShared>,
    pub what: Learned,
}

/// The same, by whom.
pub(crate) enum Learned {
    /// ANALYZE found it, in so many microseconds.
    Found(TableStatistics, u64),
    /// It was given.
    Given(statistics::Change),
}

/// A transaction of a session.
pub(crate) struct Txn {
    /// The how manieth of its session it is.
    pub number: u64,
    /// Invariant 2.
    pub engine: Option<Transaction>,
    /// It has failed, and is on its way back to the last savepoint.
    undoing: Option<Undoing>,
    pub isolation: IsolationLevel,
    pub read_only: bool,
    /// Said, and shown: no snapshot has to be waited for.
    pub deferrable: bool,
    /// Begun by BEGIN.
    pub explicit: bool,
    pub failed: bool,
    pub started_us: i64,
    pub statement_us: i64,
    /// Definition changes, in order.
    pub changes: Vec<Change>,
    /// What was learned of tables' values.
    pub analyzed: Vec<Analyzed>,
    /// Tables that it has emptied.
    emptied: Vec<(u32, Arc<TableShared>)>,
    /// The committed version and the number of changes that the session's catalog was merged from.
    pub merged_from: u64,
    pub merged_changes: usize,
    /// REPEATABLE READ: the catalog version when the snapshot was taken.
    pub snapshot_version: Option<u64>,
    /// A statement that changes definitions is at work, which sees what is there now, whatever the isolation.
    sees_newest: bool,
    /// It reads a standby, which may take over and end it.
    pub of_standby: bool,
    /// A statement has run: the isolation level is fixed.
    pub used: bool,
    /// Constraints that are checked at its end.
    pub deferred: Deferred,
    marks: Vec<Mark>,
}

impl Txn {
    /// Whether there are savepoints.
    pub fn is_in_subtransaction(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Whether it has changed a table's definition.
    pub fn has_changed(&self, table: u32) -> bool {
        self.changes.iter().any(|c| matches!(c, Change::Put(Object::Table(t)) if t.oid == table))
    }

    /// REPEATABLE READ and SERIALIZABLE keep one snapshot.
    pub fn keeps_snapshot(&self) -> bool {
        matches!(self.isolation, IsolationLevel::RepeatableRead | IsolationLevel::Serializable)
    }

    /// The catalog version when the snapshot was taken that the statement has, if that is the whole transaction's.
    pub fn kept_version(&self) -> Option<u64> {
        self.snapshot_version.filter(|_| !self.sees_newest)
    }

    /// Whether the statement that is at work has the snapshot of the whole transaction.
    pub fn is_in_kept_snapshot(&self) -> bool {
        self.keeps_snapshot() && !self.sees_newest
    }
}

impl Session {
    /// Whether a table's rows, if there are any, were made since the last savepoint: it was created or truncated then.
    pub(super) fn is_new_in_subtransaction(&self, table: &Table) -> bool {
        let Some(t) = &self.txn else { return false };
        let is_its = |c: &Change| matches!(c, Change::Put(Object::Table(x)) if x.oid == table.oid && x.heap.tree == table.heap.tree);
        let (before, since) = t.changes.split_at(t.marks.last().map_or(0, |m| m.changes));
        let committed = self.part.current();
        let was_there = committed.table(table.oid).is_some_and(|x| x.heap.tree == table.heap.tree);
        !was_there && !before.iter().any(is_its) && since.iter().any(is_its)
    }

    /// Begins the engine's transaction.
    fn begin(&mut self, explicit: bool, modes: TxnModes) {
        let isolation = modes.isolation.unwrap_or(self.defaults.isolation);
        let read_only = modes.read_only.unwrap_or(self.defaults.read_only) || self.instance.is_standby();
        let deferrable = modes.deferrable.unwrap_or(self.defaults.deferrable);
        let engine = self.begin_engine(isolation);
        let running = self.block.running_us;
        let now = running.unwrap_or_else(|| self.statement_began(evenkeel_types::datetime::wall_clock_us()));
        self.format.now_us = Some(now);
        self.env.begin_changed();
        self.env.set_transaction(isolation, read_only, deferrable);
        self.transactions += 1;
        self.txn = Some(Txn {
            number: self.transactions,
            engine: Some(engine),
            undoing: None,
            isolation,
            read_only,
            deferrable,
            explicit,
            failed: false,
            started_us: now,
            statement_us: now,
            changes: Vec::new(),
            analyzed: Vec::new(),
            emptied: Vec::new(),
            merged_from: 0,
            merged_changes: 0,
            snapshot_version: None,
            sees_newest: false,
            of_standby: self.instance.is_standby(),
            used: false,
            deferred: Deferred::default(),
            marks: Vec::new(),
        });
    }

    /// A transaction of a command that has several of them: its isolation is its own, not the session's.
    pub(crate) fn begin_step(&mut self) -> Result<(), SqlError> {
        let (isolation, read_only) = (Some(IsolationLevel::ReadCommitted), Some(false));
        self.begin(false, TxnModes { isolation, read_only, deferrable: None });
        self.refresh_catalog();
        self.begin_statement()
    }

    /// Waits until all transactions that hold a lock now which conflicts with a mode have ended.
    pub(crate) fn wait_for_holders(
        &mut self,
        lock: &Arc<ObjectLock>,
        mode: TableLockMode,
        what: &str,
    ) -> Result<(), SqlError> {
        let wait = Wait {
            nowait: false,
            timeout: self.defaults.lock_timeout,
            interrupt: &self.interrupt,
            what,
            database: self.instance.database(),
            txn: None,
            advisory: None,
        };
        self.held.lock().wait_for_holders(&self.instance.locks, lock, mode, &wait)
    }

    /// READ ONLY is checked here, statement by statement, with PostgreSQL's message: the engine need not know.
    pub(super) fn begin_engine(&self, isolation: IsolationLevel) -> Transaction {
        let isolation = match isolation {
            IsolationLevel::ReadUncommitted | IsolationLevel::ReadCommitted => Isolation::ReadCommitted,
            // Serializable runs as snapshot isolation.
            IsolationLevel::RepeatableRead | IsolationLevel::Serializable => Isolation::RepeatableRead,
        };
        let durability = self.defaults.durability;
        let mut engine =
            self.instance.database().begin(TxnOptions { isolation, durability, read_only: false });
        // Whoever sends the reply waits once, for `reply` (invariant 2 of the session).
        engine.defer_durability();
        engine.set_interrupt(Some(self.interrupt.clone()));
        engine.set_lock_timeout(self.defaults.lock_timeout);
        engine
    }

    /// A transaction for a statement: the one that is open, or a new implicit one.
    pub(crate) fn ensure_txn(&mut self) -> Result<&mut Txn, SqlError> {
        if self.txn.is_none() {
            self.begin(false, TxnModes::default());
        }
        self.txn.as_mut().ok_or_else(|| SqlError::internal("no transaction"))
    }

    /// The open transaction's engine part.
    pub(crate) fn engine(&mut self) -> Result<&mut Transaction, SqlError> {
        self.ensure_txn()?.engine.as_mut().ok_or_else(|| SqlError::internal("transaction has failed"))
    }

    /// Whether a statement that waited for a row lock may be run again; true if none did.
    pub(super) fn wait_is_over(&mut self) -> Result<bool, SqlError> {
        match self.txn.as_mut().and_then(|t| t.engine.as_mut()) {
            Some(engine) => Ok(engine.wait_is_over()?),
            None => Ok(true),
        }
    }

    pub(super) fn is_waiting_outside(&self) -> bool {
        self.txn.as_ref().and_then(|t| t.engine.as_ref()).is_some_and(Transaction::is_waiting_outside)
    }

    /// Begins a statement in the engine: own writes become visible, READ COMMITTED sees what committed meanwhile.
    pub(crate) fn begin_statement(&mut self) -> Result<(), SqlError> {
        debug_assert!(self.waiting.is_none(), "a change that waits goes on in its snapshot");
        let version = self.catalog.version;
        let txn = self.ensure_txn()?;
        txn.used = true;
        if txn.keeps_snapshot() && txn.snapshot_version.is_none() {
            txn.snapshot_version = Some(version);
        }
        let engine = self.engine()?;
        engine.begin_statement();
        let oldest = engine.snapshot_oldest().unwrap_or(0);
        self.info.xmin.store(oldest, Ordering::Relaxed);
        Ok(())
    }

    /// Begins a statement that changes definitions: it sees every committed row, and may change the newest version of the catalog's. A snapshot that the transaction has
    /// already is put aside until `end_definition`: the statement's own is younger than the locks that it has taken, and what it then writes the transaction sees.
    pub(crate) fn begin_definition(&mut self) -> Result<(), SqlError> {
        let txn = self.ensure_txn()?;
        if txn.keeps_snapshot() && txn.snapshot_version.is_some() && !txn.sees_newest {
            txn.sees_newest = true;
            self.engine()?.begin_newest();
        }
        self.begin_statement()
    }

    /// The transaction's snapshot counts again.
    pub(crate) fn end_definition(&mut self) {
        if let Some(t) = self.txn.as_mut().filter(|t| t.sees_newest) {
            t.sees_newest = false;
            if let Some(engine) = &mut t.engine {
                engine.end_newest();
            }
        }
    }

    /// Whether a statement that changes definitions sees more than the transaction's snapshot.
    pub(crate) fn sees_newest(&self) -> bool {
        self.txn.as_ref().is_some_and(|t| t.sees_newest)
    }

    /// Takes a table lock until the transaction ends.
    pub(crate) fn lock_object(
        &mut self,
        lock: &Arc<ObjectLock>,
        mode: TableLockMode,
        what: &str,
        nowait: bool,
    ) -> Result<(), SqlError> {
        let wait = Wait {
            nowait,
            timeout: self.defaults.lock_timeout,
            interrupt: &self.interrupt,
            what,
            database: self.instance.database(),
            txn: self.txn.as_ref().and_then(|t| t.engine.as_ref()).and_then(Transaction::id),
            advisory: None,
        };
        self.held.lock().take(&self.instance.locks, lock, mode, &wait)
    }

    /// After a statement: what its reply depends on. `of_catalog`: definitions are among it.
    pub(crate) fn observe(&mut self, of_catalog: bool) {
        if of_catalog {
            self.raise_reply(self.catalog.basis.max(self.instance.database().reading_floor()));
        }
        let (drawn, looked_at) = self.env.sequences_basis();
        self.raise_reply(match self.defaults.durability {
            // Numbers are given for what it commits.
            Durability::Async | Durability::Local => Basis { quorum: Lsn::ZERO, ..drawn },
            _ => drawn,
        });
        self.raise_reply(looked_at);
        if let Some(e) = self.txn.as_ref().and_then(|t| t.engine.as_ref()) {
            let basis = e.observed();
            self.raise_reply(basis);
        }
    }

    fn commit(&mut self) -> Result<(), SqlError> {
        if let Err(e) = self.hold_cursors() {
            self.observe(true);
            self.rollback();
            return Err(e);
        }
        self.end_suspended();
        let ending = self.check_deferred(&|_| true).and_then(|()| {
            self.leave_cursors();
            self.do_on_commit()
        });
        if let Err(e) = ending {
            self.observe(true);
            self.rollback();
            return Err(e);
        }
        let (notes, actions) = self.env.pending_notify().take();
        let instance = self.instance.clone();
        let in_order = match (!notes.is_empty())
            .then(|| instance.notifier.begin(self.info.database_oid, &notes))
            .transpose()
        {
            Ok(guard) => guard,
            Err(e) => {
                self.observe(true);
                self.rollback();
                return Err(e);
            }
        };
        let Some(mut txn) = self.txn.take() else { return Ok(()) };
        self.format.now_us = None;
        let Some(engine) = txn.engine.take() else {
            self.count_transaction(TransactionEnd::Read);
            self.after_rollback(0);
            return Ok(());
        };
        let (level, has_changed) = (engine.level(), engine.id().is_some());
        let observed = engine.observed();
        self.reply.raise(observed, level);
        match engine.commit_visible() {
            Ok(basis) => {
                self.reply.raise(basis, level);
                self.reply.has_committed |= has_changed;
                let end = if has_changed { TransactionEnd::Written } else { TransactionEnd::Read };
                self.count_transaction(end);
                if !txn.changes.is_empty() {
                    // Plans rest on the catalog (on which columns are keys, for one), so nobody plans with what could be lost here, and whoever waits for the
                    // table hears of it only now. If the log could not be written, what was before stays published: the restart decides. Whether standbys have
                    // it is for whoever tells of it to ask: the catalog says what it rests on.
                    if let Err(e) = self.instance.database().wait_durable(basis.local) {
                        self.after_rollback(0);
                        return Err(e.into());
                    }
                    self.instance.store.publish(&self.part, &txn.changes, basis); // invariant 1
                    self.forget_on_commit();
                }
                if !txn.emptied.is_empty() {
                    let changed = self.env.take_changed();
                    for (oid, shared) in txn.emptied {
                        let since = changed.iter().find(|(of, _)| *of == oid);
                        shared.emptied(since.map_or_else(Changed::default, |(_, c)| *c));
                    }
                }
                if !txn.analyzed.is_empty() {
                    let now = evenkeel_types::datetime::wall_clock_us();
                    for Analyzed { shared, what } in txn.analyzed {
                        let kept = &shared.kept;
                        match what {
                            Learned::Found(statistics, us) => {
                                if self.info.pid == 0 { &kept.autoanalyzed } else { &kept.analyzed }
                                    .note(now, us);
                                shared.set_statistics(statistics);
                            }
                            Learned::Given(change) => {
                                let are_rows = matches!(change, statistics::Change::Rows(_));
                                shared.change_statistics(are_rows, |s| change.apply(s));
                            }
                        }
                    }
                    // Plans that were made without them end.
                    self.instance.store.publish(&self.part, &[], Basis::NONE);
                }
                self.release_locks();
                self.env.end_exported();
                self.end_cursors(true);
                if !actions.is_empty() {
                    let whose = (self.info.owner, self.info.database_oid);
                    self.is_listening = instance.notifier.apply(whose, &self.interrupt, &actions);
                }
                if in_order.is_some() {
                    let database = self.info.database_oid;
                    instance.notifier.deliver(database, &notes, self.info.pid, basis.max(observed));
                }
                drop(in_order);
                if self.settings.commit() {
                    self.settings_changed();
                }
                Ok(())
            }
            Err(e) => {
                self.after_rollback(0);
                Err(e.into())
            }
        }
    }

    fn count_transaction(&self, end: TransactionEnd) {
        self.instance.tally.transaction(end);
        let counts = &self.info.counts;
        bump(if end == TransactionEnd::RolledBack { &counts.rollbacks } else { &counts.commits }, 1);
    }

    /// Gives up the locks that end with a transaction.
    fn release_locks(&mut self) {
        self.held.lock().release_all();
        self.env.release_advisory(0);
        self.env.end_large_objects();
    }

    fn after_rollback(&mut self, settings_mark: usize) {
        self.release_locks();
        self.env.end_exported();
        self.env.pending_notify().go_back((0, 0));
        self.end_cursors(false);
        self.format.now_us = None;
        if self.settings.mark() > settings_mark {
            self.settings.rollback_to(settings_mark);
            self.settings_changed();
        }
        self.refresh_catalog();
    }

    /// Rows that the transaction has made or taken away are as they were, when it had done `before`.
    fn take_back_changed(&mut self, before: Vec<(u32, Changed)>) {
        for (oid, mut changed) in self.env.take_changed() {
            if let Some((_, before)) = before.iter().find(|b| b.0 == oid) {
                changed.less(*before);
            }
            if let Some(t) = self.part.current().table(oid) {
                t.shared.changes.roll_back(changed);
            }
        }
        before.into_iter().for_each(|(oid, changed)| self.env.note_changed(oid, changed));
    }

    /// The transaction has emptied a table.
    pub(crate) fn note_emptied(&mut self, table: &Table) {
        let before = self.env.take_changed();
        let others = before.into_iter().filter(|(oid, _)| *oid != table.oid);
        others.for_each(|(oid, changed)| self.env.note_changed(oid, changed));
        if let Some(txn) = &mut self.txn {
            txn.emptied.push((table.oid, table.shared.clone()));
        }
    }

    /// Rolls back and forgets the transaction.
    pub(crate) fn rollback(&mut self) {
        self.waiting = None;
        self.end_suspended();
        if let Some(mut txn) = self.txn.take() {
            self.count_transaction(TransactionEnd::RolledBack);
            if let Some(engine) = txn.engine.take() {
                self.raise_reply(engine.observed());
                roll_back(engine);
            }
        }
        self.take_back_changed(Vec::new());
        self.after_rollback(0);
    }

    pub(crate) fn fail_transaction(&mut self) {
        self.waiting = None;
        // Cursors that were made before the last savepoint go on when the transaction is back there.
        match self.savepoints() {
            0 => {
                self.end_suspended();
                if self.txn.is_some() {
                    self.end_cursors(false);
                }
            }
            n => self.end_cursors_behind(n - 1),
        }
        match &mut self.txn {
            // What SET did since is part of what has failed.
            None if self.settings.mark() > 0 => {
                self.settings.rollback_to(0);
                self.settings_changed();
            }
            None => {}
            Some(t) if !t.explicit => self.rollback(),
            Some(t) => {
                t.failed = true;
                if t.marks.is_empty() {
                    // Locks go at once; what is left is the state until ROLLBACK.
                    self.env.give_up_exported();
                    let engine = t.engine.take();
                    t.changes.clear();
                    if let Some(engine) = engine {
                        self.raise_reply(engine.observed());
                        roll_back(engine);
                    }
                    self.take_back_changed(Vec::new());
                    self.release_locks();
                    self.env.pending_notify().go_back((0, 0));
                } else if let (Some(mark), Some(engine)) = (t.marks.last(), t.engine.take()) {
                    // The subtransaction has failed: nobody waits for its locks any longer.
                    let basis = engine.observed();
                    match roll_back_to(engine, mark.savepoint) {
                        Ok(engine) => t.engine = Some(engine),
                        Err(undoing) => t.undoing = Some(undoing),
                    }
                    self.held.lock().release_since(&mark.held);
                    self.env.release_advisory(mark.advisory);
                    self.env.close_large_objects(mark.large_objects);
                    self.env.pending_notify().go_back(mark.notify);
                    t.changes.truncate(mark.changes);
                    t.merged_changes = usize::MAX;
                    self.raise_reply(basis);
                }
                self.refresh_catalog();
            }
        }
    }

    pub(crate) fn end_implicit(&mut self) -> Result<(), SqlError> {
        match &self.txn {
            Some(t) if !t.explicit && t.failed => {
                self.rollback();
                Ok(())
            }
            Some(t) if !t.explicit => self.commit_untimed(),
            None => {
                // SET outside a transaction takes effect at once.
                if self.settings.mark() > 0 && self.settings.commit() {
                    self.settings_changed();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Commits at the end of a statement: that has done what it has time for.
    fn commit_untimed(&mut self) -> Result<(), SqlError> {
        self.interrupt.set_untimed(true);
        let committed = self.commit();
        self.interrupt.set_untimed(false);
        committed
    }

    /// Commits what an implicit transaction did so far, for statements that have transactions of their own.
    pub(crate) fn commit_implicit(&mut self) -> Result<(), SqlError> {
        if self.txn.as_ref().is_some_and(|t| !t.explicit) { self.commit() } else { Ok(()) }
    }

    fn mark_position(&self, name: &str) -> Result<usize, SqlError> {
        let found = self.txn.as_ref().and_then(|t| t.marks.iter().rposition(|m| m.name == name));
        found.ok_or_else(|| {
            SqlError::new(
                SqlState::INVALID_SAVEPOINT_SPECIFICATION,
                format!("savepoint \"{name}\" does not exist"),
            )
        })
    }

    /// Looks at what constraints have put off; fails if one does not hold.
    pub(crate) fn check_deferred(&mut self, wanted: &dyn Fn(u32) -> bool) -> Result<(), SqlError> {
        let waits = |t: &Txn| !t.failed && t.engine.is_some() && !t.deferred.is_empty();
        if !self.txn.as_ref().is_some_and(waits) {
            return Ok(());
        }
        self.refresh_catalog();
        self.with_bare_cx(|cx| {
            let mut deferred = std::mem::take(cx.deferred);
            let checked = deferred.check(wanted, cx);
            *cx.deferred = deferred;
            checked
        })?;
        if let Some(t) = self.txn.as_mut().filter(|t| t.marks.is_empty()) {
            t.deferred.forget_done();
        }
        Ok(())
    }

    /// Refuses to change the definition of a table that a cursor reads, or of which checks are put off. Keys that are to be unique are looked at now, as SET CONSTRAINTS would: those
    /// that are unique wait for nothing.
    pub(crate) fn refuse_in_use(&mut self, table: &Table, what: &str) -> Result<(), SqlError> {
        let is_unique = |c: u32| table.indexes.iter().any(|i| i.constraint == Some(c));
        match self.check_deferred(&is_unique) {
            Err(e) if ![SqlState::UNIQUE_VIOLATION, SqlState::EXCLUSION_VIOLATION].contains(&e.code) => {
                return Err(e);
            }
            _ => {}
        }
        let why = match () {
            () if self.is_read_by_cursor(table.oid) => "is being used by active queries in this session",
            () if self.txn.as_ref().is_some_and(|t| t.deferred.concerns(table.oid)) => {
                "has pending trigger events"
            }
            () => return Ok(()),
        };
        let why = format!("cannot {what} \"{}\" because it {why}", table.name);
        Err(SqlError::new(SqlState::OBJECT_IN_USE, why))
    }

    /// How many savepoints there are.
    pub(super) fn savepoints(&self) -> usize {
        self.txn.as_ref().map_or(0, |t| t.marks.len())
    }

    /// Transaction control; returns the command tag.
    pub(crate) fn transaction_statement(&mut self, stmt: &TxnStmt) -> Result<&'static str, SqlError> {
        match stmt {
            TxnStmt::Begin(modes, start) => self.begin_block(*modes, *start),
            TxnStmt::Commit { chain } => self.commit_block(*chain),
            TxnStmt::Rollback { chain } => self.rollback_block(*chain),
            TxnStmt::Savepoint(name) => self.set_savepoint(name),
            TxnStmt::Release(name) => self.release_savepoint(name),
            TxnStmt::RollbackTo(name) => self.rollback_to_savepoint(name),
            TxnStmt::SetSnapshot { local: true, .. } => {
                Err(SqlError::unsupported("SET LOCAL TRANSACTION SNAPSHOT is not implemented"))
            }
            TxnStmt::SetSnapshot { name, .. } => {
                self.warn_outside_block()?;
                self.import_snapshot(name)?;
                Ok("SET")
            }
            TxnStmt::SetTransaction(modes) => {
                self.warn_outside_block()?;
                self.apply_modes(*modes)?;
                Ok("SET")
            }
            TxnStmt::SetCharacteristics(modes) => self.set_characteristics(*modes),
        }
    }

    fn begin_block(&mut self, modes: TxnModes, start: bool) -> Result<&'static str, SqlError> {
        match &mut self.txn {
            Some(t) if t.explicit => {
                self.notice(
                    "WARNING",
                    SqlState::ACTIVE_SQL_TRANSACTION,
                    "there is already a transaction in progress",
                );
            }
            Some(_) => {}
            None => {
                self.refuse_to_write_standby(modes)?;
                self.begin(true, modes);
                return Ok(if start { "START TRANSACTION" } else { "BEGIN" });
            }
        }
        self.apply_modes(modes)?;
        // Only now: one that fails makes no block of what several statements of one query have done.
        if let Some(t) = &mut self.txn {
            t.explicit = true;
        }
        Ok(if start { "START TRANSACTION" } else { "BEGIN" })
    }

    fn commit_block(&mut self, chain: bool) -> Result<&'static str, SqlError> {
        let modes = self.chained_modes();
        match &self.txn {
            Some(t) if t.explicit && t.failed => {
                self.rollback();
                if chain {
                    self.begin(true, modes);
                }
                return Ok("ROLLBACK");
            }
            Some(t) if t.explicit => {}
            _ => {
                if chain {
                    self.need_block("COMMIT AND CHAIN")?;
                }
                self.no_transaction();
            }
        }
        self.commit_untimed()?;
        if chain {
            self.begin(true, modes);
        }
        Ok("COMMIT")
    }

    fn rollback_block(&mut self, chain: bool) -> Result<&'static str, SqlError> {
        let modes = self.chained_modes();
        if !self.txn.as_ref().is_some_and(|t| t.explicit) {
            if chain {
                self.need_block("ROLLBACK AND CHAIN")?;
            }
            self.no_transaction();
        }
        self.rollback();
        if chain {
            self.begin(true, modes);
        }
        Ok("ROLLBACK")
    }

    fn set_savepoint(&mut self, name: &str) -> Result<&'static str, SqlError> {
        self.need_block("SAVEPOINT")?;
        let (settings, held) = (self.settings.mark(), self.held.lock().mark());
        let advisory = self.env.advisory_mark();
        let large_objects = self.env.large_objects_mark();
        let notify = self.env.pending_notify().mark();
        let savepoint = self.engine()?.savepoint();
        if let Some(t) = &mut self.txn {
            let (changes, read_only) = (t.changes.len(), t.read_only);
            let (name, deferred) = (name.to_owned(), t.deferred.mark());
            t.marks.push(Mark {
                name,
                savepoint,
                changes,
                settings,
                read_only,
                held,
                advisory,
                large_objects,
                notify,
                deferred,
                changed: self.env.changed(),
                emptied: t.emptied.len(),
                analyzed: t.analyzed.len(),
            });
        }
        Ok("SAVEPOINT")
    }

    fn release_savepoint(&mut self, name: &str) -> Result<&'static str, SqlError> {
        self.need_block("RELEASE SAVEPOINT")?;
        let n = self.mark_position(name)?;
        self.merge_cursors(n);
        if let Some(t) = &mut self.txn {
            t.read_only = t.marks[n].read_only;
            t.marks.truncate(n);
            self.env.set_transaction(t.isolation, t.read_only, t.deferrable);
        }
        Ok("RELEASE")
    }

    fn rollback_to_savepoint(&mut self, name: &str) -> Result<&'static str, SqlError> {
        self.need_block("ROLLBACK TO SAVEPOINT")?;
        let n = self.mark_position(name)?;
        self.end_cursors_behind(n);
        let (mut settings, mut changed) = (self.settings.mark(), None);
        if let Some(t) = &mut self.txn {
            if let Some(undoing) = t.undoing.take() {
                t.engine = undoing.wait();
                if t.engine.is_none() {
                    return Err(SqlError::internal("the transaction could not be kept"));
                }
            }
            t.marks.truncate(n + 1);
            let mark = &t.marks[n];
            if let Some(engine) = &mut t.engine {
                engine.rollback_to(mark.savepoint)?;
            }
            self.held.lock().release_since(&mark.held);
            self.env.release_advisory(mark.advisory);
            self.env.close_large_objects(mark.large_objects);
            self.env.pending_notify().go_back(mark.notify);
            t.changes.truncate(mark.changes);
            t.merged_changes = usize::MAX;
            t.deferred.go_back(&mark.deferred);
            t.emptied.truncate(mark.emptied);
            t.analyzed.truncate(mark.analyzed);
            changed = Some(mark.changed.clone());
            settings = mark.settings;
            t.read_only = mark.read_only;
            t.failed = false;
            self.env.set_transaction(t.isolation, t.read_only, t.deferrable);
        }
        if self.settings.mark() > settings {
            self.settings.rollback_to(settings);
            self.settings_changed();
        }
        self.take_back_changed(changed.unwrap_or_default());
        self.refresh_catalog();
        Ok("ROLLBACK")
    }
}
