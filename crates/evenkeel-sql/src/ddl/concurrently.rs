//! CREATE INDEX, REINDEX and DROP INDEX CONCURRENTLY: whoever reads and writes the table goes on.
//!
//! | step | transaction | what others do with the index from then on |
//! | --- | --- | --- |
//! | 1 | the index is known, and filled with the rows of a moment | nothing |
//! | 2 | all who write the table without it are waited for; then, many: rows that have been changed since lose entries (`exec/backfill.rs`) | take its entries away with their rows, and add none |
//! | 3 | it is partial: all who add none are waited for; then, many: rows that have been changed since that moment get their entries | write it |
//! | 4 | it is valid | read it, in snapshots that are younger |
//!
//! Nobody who adds entries, and finds one there already, is misled by what a row had at that moment: such entries have gone before. Where the moment's versions took too much room
//! and were given up, the index begins anew, and all rows get their entries in step 3.
//!
//! Step 2 is there because a statement goes on with the newest version of a row that others have changed: one that does not know the index would leave the
//! entries of those who do.
//!
//! REINDEX does 1 to 3 with an index beside the old one (`_ccnew`), and 4 exchanges the two; the old one (`_ccold`) then goes as by DROP INDEX, which takes the
//! steps back: partial, until all who may read it have ended; only losing entries, until all who add some have; unused, until all who take some have; dropped.
//!
//! A transaction with a snapshot of its own (REPEATABLE READ) that is older than a visit to a row, and changes that row, may be refused with 40001: the
//! entry is newer than its snapshot. Waiting for all snapshots before the first entry was the other way; few of them ever come to the table.
//!
//! Invariants:
//! 1. From the first step to the last the session holds SHARE UPDATE EXCLUSIVE on the table: nobody else changes its definition.
//! 2. An index that is read has an entry of every row that its readers can see.
//! 3. Whoever adds entries to an index shares the table with nobody who does not take them away with their rows; what was filled in step 1 is looked through for that.
//! 4. An index that could not be filled is left behind, not valid, and takes no entries: it constrains nobody.
//!
//! Must not know: how entries are found.

use crate::catalog::locks::TableLockMode;
use crate::catalog::{Index, IndexState, Table};
use crate::exec::Cx;
use crate::exec::backfill::{self, Backfill, Changed, Filled, Next, Pass, Visited};
use crate::exec::build::build_index;
use crate::instance::Instance;
use crate::progress::{self, Work};
use crate::session::Session;
use evenkeel::base::blocking;
use evenkeel::{Durability, Error, Interrupt, Moment};
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Who may write an index of a table: holders of whatever conflicts with this.
const WRITERS: TableLockMode = TableLockMode::Share;

/// How often a row is visited that others are always in the way of.
const MAX_TRIES: usize = 10_000;

/// How long rows get their entries before it is looked whether others work.
const TURN: Duration = Duration::from_millis(4);
/// The longest rest between two turns.
const REST_MAX: Duration = Duration::from_millis(400);

/// Who may read it.
const READERS: TableLockMode = TableLockMode::AccessExclusive;

/// Phases of `progress::INDEX_PHASES`.
const SCAN: usize = 1;
const WAIT_FOR_WRITERS: usize = 4;
const WAIT_BEFORE_UNUSED: usize = 5;
const WAIT_BEFORE_DROP: usize = 6;

/// While other sessions are at work an index is filled `concurrent_index_share` percent of the time: their commits wait for the log of this, and for the processor.
struct Pace {
    instance: Arc<Instance>,
    interrupt: Arc<Interrupt>,
    owner: u64,
    share: u32,
    began: Instant,
}

impl Pace {
    fn of(s: &Session) -> Pace {
        Pace {
            instance: s.instance.clone(),
            interrupt: s.interrupt.clone(),
            owner: s.info.owner,
            share: s.settings.number("concurrent_index_share").clamp(1, 100) as u32,
            began: Instant::now(),
        }
    }

    /// Rests, if it is time and somebody else works.
    fn make_way(&mut self) -> Result<(), SqlError> {
        let worked = self.began.elapsed();
        if worked < TURN {
            return Ok(());
        }
        if self.share < 100 && self.instance.others_work(self.owner) {
            let until = Instant::now() + (worked * (100 - self.share) / self.share).min(REST_MAX);
            let _waiting = blocking::wait(blocking::Wait::Sleep);
            while Instant::now() < until {
                if self.interrupt.is_canceled() {
                    return Err(Error::Canceled.into());
                }
                std::thread::sleep(until.saturating_duration_since(Instant::now()).min(TURN));
            }
        }
        self.began = Instant::now();
        Ok(())
    }
}

impl Session {
    /// Adds an index to a table that is locked in SHARE UPDATE EXCLUSIVE by the open transaction.
    pub(super) fn add_index_concurrently(&mut self, table: &Table, index: Index) -> Result<(), SqlError> {
        self.held_throughout(table, |s| {
            let oid = index.oid;
            let work = Work::new(progress::Kind::CreateIndex, "CREATE INDEX CONCURRENTLY", table.oid, oid);
            let shown = progress::Shown::new(&s.info.works, work);
            s.fill_beside(table, index, &shown.work, |s| {
                s.set_state(table.oid, oid, IndexState::Valid)?;
                s.commit_implicit()
            })
        })
    }

    /// Fills the indexes of a table anew, or one of them.
    pub(super) fn reindex_concurrently(
        &mut self,
        table: &Arc<Table>,
        only: Option<u32>,
        verbose: bool,
    ) -> Result<(), SqlError> {
        self.ensure_txn()?;
        self.lock_object(&table.shared.lock, TableLockMode::ShareUpdateExclusive, &table.name, false)?;
        self.refresh_catalog();
        let Some(table) = self.catalog.table(table.oid).cloned() else { return Ok(()) };
        self.held_throughout(&table, |s| {
            for index in table.indexes.iter().filter(|i| only.is_none_or(|o| o == i.oid)) {
                if only.is_none() && !index.is_valid() {
                    let schema = s.catalog.schema(table.schema).map_or("?", |s| &s.name);
                    let what = format!("skipping reindex of invalid index \"{schema}.{}\"", index.name);
                    s.warn(
                        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                        what,
                        "Use DROP INDEX or REINDEX INDEX.",
                    );
                    continue;
                }
                s.reindex_beside(&table, index)?;
                if verbose {
                    let schema = s.catalog.schema(table.schema).map_or("?", |s| &s.name);
                    let what = format!("index \"{schema}.{}\" was reindexed", index.name);
                    s.notice("INFO", SqlState::SUCCESSFUL_COMPLETION, what);
                }
            }
            if only.is_none() && !table.indexes.iter().any(|i| i.is_valid()) {
                let what =
                    format!("table \"{}\" has no indexes that can be reindexed concurrently", table.name);
                s.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, what);
            }
            Ok(())
        })
    }

    fn reindex_beside(&mut self, table: &Table, old: &Index) -> Result<(), SqlError> {
        let work = Work::new(progress::Kind::CreateIndex, "REINDEX CONCURRENTLY", table.oid, old.oid);
        let shown = progress::Shown::new(&self.info.works, work);
        if self.txn.is_none() {
            self.begin_step()?;
        }
        let Some(table) = self.catalog.table(table.oid).cloned() else { return Ok(()) };
        let new_name = self.free_name(&table, &format!("{}_ccnew", old.name))?;
        let new = Index {
            oid: self.instance.store.new_oid()?,
            name: new_name,
            primary: false,
            constraint: None,
            timing: Default::default(),
            ..old.clone()
        };
        let beside = new.oid;
        self.fill_beside(&table, new, &shown.work, |s| s.exchange(table.oid, old, beside))?;
        self.drop_unread(&table, beside, &shown.work)
    }

    /// Has an index that is filled take another's place, and that one its own. Each stays where it is among the table's indexes: all writers come to the trees in
    /// the same order.
    fn exchange(&mut self, table: u32, old: &Index, beside: u32) -> Result<(), SqlError> {
        let gone = || SqlError::internal("an index has gone while it was filled anew");
        let mut changed = self.catalog.table(table).map(|t| (**t).clone()).ok_or_else(gone)?;
        if old.timing.deferrable {
            // Who looks at a key leaves a mark in the tree for others who do: all have to look at the same.
            let lock = changed.shared.lock.clone();
            self.lock_object(&lock, TableLockMode::ShareRowExclusive, &changed.name, false)?;
        }
        let old_name = self.free_name(&changed, &format!("{}_ccold", old.name))?;
        let place = |oid: u32| changed.indexes.iter().position(|i| i.oid == oid).ok_or_else(gone);
        let (at, other) = (place(old.oid)?, place(beside)?);
        let (was, filled) = (changed.indexes[at].clone(), changed.indexes[other].clone());
        changed.indexes[at] =
            Arc::new(Index { tree: was.tree, name: old_name, state: unread(was.state), ..(*filled).clone() });
        changed.indexes[other] = Arc::new(Index {
            tree: filled.tree,
            state: IndexState::Valid,
            since_version: u64::MAX,
            ..(*was).clone()
        });
        self.put_table(changed)?;
        self.commit_implicit()
    }

    /// Takes an index away of a table that is locked in SHARE UPDATE EXCLUSIVE by the open transaction.
    pub(super) fn drop_index_concurrently(&mut self, table: &Table, oid: u32) -> Result<(), SqlError> {
        self.refuse_rested_on(table, oid)?;
        self.held_throughout(table, |s| {
            let work = Work::new(progress::Kind::CreateIndex, "DROP INDEX CONCURRENTLY", table.oid, oid);
            let state = table.indexes.iter().find(|i| i.oid == oid).map_or(IndexState::Unused, |i| i.state);
            s.set_state(table.oid, oid, unread(state))?;
            s.commit_implicit()?;
            s.drop_unread(table, oid, &work)
        })
    }

    /// Takes away an index that nobody begins to read.
    fn drop_unread(&mut self, table: &Table, oid: u32, work: &Work) -> Result<(), SqlError> {
        let lock = &table.shared.lock;
        work.enter(WAIT_BEFORE_UNUSED, 0);
        self.wait_for_holders(lock, READERS, &table.name)?;
        work.enter(WAIT_BEFORE_DROP, 0);
        for state in [IndexState::Deletes, IndexState::Unused] {
            self.begin_step()?;
            let state_now =
                self.catalog.table(table.oid).and_then(|t| t.indexes.iter().find(|i| i.oid == oid));
            // What has not lost entries for a while must not do so again.
            if state_now.is_some_and(|i| i.state != IndexState::Unused) {
                self.set_state(table.oid, oid, state)?;
            }
            self.commit_implicit()?;
            self.wait_for_holders(lock, WRITERS, &table.name)?;
        }
        self.begin_step()?;
        if let Some(table) = self.catalog.table(table.oid).cloned() {
            self.remove_index(&table, oid, false)?;
        }
        self.commit_implicit()
    }

    /// Runs the steps of a command with the table locked from the first to the last (invariant 1).
    fn held_throughout(
        &mut self,
        table: &Table,
        steps: impl FnOnce(&mut Session) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        self.held.lock().keep(Some((&table.shared.lock, TableLockMode::ShareUpdateExclusive)));
        let result = steps(self).and_then(|()| self.commit_implicit());
        self.held.lock().keep(None);
        if self.txn.is_none() {
            self.held.lock().release_all(); // else the end of the transaction does
        }
        result
    }

    /// Adds an index, gives it entries of all rows, and does what makes it valid, in a transaction that is begun for it. If that fails it takes no entries any
    /// more (invariant 4).
    fn fill_beside(
        &mut self,
        table: &Table,
        mut index: Index,
        work: &Work,
        finish: impl FnOnce(&mut Session) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        index.tree = self.engine()?.create_tree()?;
        index.state = IndexState::Unused;
        let oid = index.oid;
        let Some(mut changed) = self.catalog.table(table.oid).map(|t| (**t).clone()) else { return Ok(()) };
        changed.indexes.push(Arc::new(index));
        self.put_table(changed)?;
        self.commit_implicit()?;
        let mut fill = || {
            match self.fill_known(table, oid, work) {
                // The versions that it needed are gone.
                Err(e) if e.code == SqlState::SNAPSHOT_TOO_OLD => self.fill_anew(table, oid, work)?,
                done => done?,
            }
            self.begin_step()
        };
        let filled = fill().and_then(|()| finish(self));
        if filled.is_err() {
            self.rollback();
            // The error that is told is the first.
            let _ = self.begin_step().and_then(|()| {
                self.engine()?.set_interrupt(None); // it may be what has ended the command
                self.set_state(table.oid, oid, IndexState::Unused)?;
                self.commit_implicit()
            });
        }
        filled
    }

    /// An index gets another state; returns once all who write the table know it.
    fn announce(&mut self, table: &Table, oid: u32, state: IndexState, work: &Work) -> Result<(), SqlError> {
        self.begin_step()?;
        self.set_state(table.oid, oid, state)?;
        self.commit_implicit()?;
        work.enter(WAIT_FOR_WRITERS, 0);
        self.wait_for_holders(&table.shared.lock, WRITERS, &table.name)
    }

    fn fill_known(&mut self, table: &Table, oid: u32, work: &Work) -> Result<(), SqlError> {
        let mut pace = Pace::of(self);
        self.begin_fill_step()?;
        // Only a tree of this transaction can be filled from below: without it there would be entries whose chains its rollback gave back.
        self.replace_tree(table.oid, oid)?;
        let moment = self.with_filled(table.oid, oid, |f, cx| {
            let moment = cx.txn.moment()?;
            // What nobody uses has no entries.
            let index = Index { state: IndexState::Partial, ..f.index.clone() };
            build_index(f.table, &index, f.form, work, &mut || pace.make_way(), cx)?;
            Ok(moment)
        })?;
        self.commit_implicit()?;
        self.announce(table, oid, IndexState::Deletes, work)?;
        self.settle((table.oid, oid), &moment, &Pass::TakeAway(&moment), &mut pace)?;
        self.announce(table, oid, IndexState::Partial, work)?;
        self.settle((table.oid, oid), &moment, &Pass::Add, &mut pace)
    }

    /// Does something with each row that has been changed since a moment.
    fn settle(
        &mut self,
        (table, index): (u32, u32),
        moment: &Moment,
        pass: &Pass<'_>,
        pace: &mut Pace,
    ) -> Result<(), SqlError> {
        let mut changed = self.fill_step(table, index, |f, cx| Changed::since(moment, f.table, cx))?;
        loop {
            let rows = self.fill_step(table, index, |f, cx| changed.next(f.table, cx))?;
            if rows.is_empty() {
                return Ok(());
            }
            for row in self.fill_step(table, index, |f, cx| pass.visit(&rows, f, cx))? {
                self.visit_alone((table, index), row, pass)?;
            }
            pace.make_way()?;
        }
    }

    /// Begins anew with an index that some of the writers may write, and gives it the entries of one row after the other.
    fn fill_anew(&mut self, table: &Table, oid: u32, work: &Work) -> Result<(), SqlError> {
        self.rollback();
        self.announce(table, oid, IndexState::Unused, work)?;
        self.begin_step()?;
        self.replace_tree(table.oid, oid)?;
        self.commit_implicit()?;
        self.announce(table, oid, IndexState::Deletes, work)?;
        self.announce(table, oid, IndexState::Partial, work)?;
        work.enter(SCAN, table.shared.live_rows().map_or(0, |n| n as u64));
        self.begin_step()?;
        let mut fill = self.with_bare_cx(|cx| Backfill::new(table, cx))?;
        self.commit_implicit()?;
        let mut pace = Pace::of(self);
        loop {
            match fill.next() {
                Next::Done => return Ok(()),
                Next::Visit => {
                    self.fill_step(table.oid, oid, |f, cx| fill.visit(f, work, cx))?;
                    pace.make_way()?;
                }
                Next::Left => {
                    while let Some(row) = fill.take_left() {
                        self.visit_alone((table.oid, oid), row, &Pass::Add)?;
                    }
                }
            }
        }
    }

    /// Visits a single row, waiting for whoever is in the way.
    fn visit_alone(&mut self, (table, index): (u32, u32), row: u64, pass: &Pass<'_>) -> Result<(), SqlError> {
        for _ in 0..MAX_TRIES {
            match self.fill_step(table, index, |f, cx| pass.visit_alone(row, f, cx))? {
                Visited::Done => return Ok(()),
                Visited::WaitFor(tree, key) => {
                    self.fill_step(table, index, |_, cx| backfill::wait_for(tree, &key, cx))?
                }
            }
        }
        Err(SqlError::new(
            SqlState::LOCK_NOT_AVAILABLE,
            "a row was changed whenever its index entry was to be written",
        ))
    }

    /// Runs something with an index, in a transaction of its own.
    fn fill_step<T>(
        &mut self,
        table: u32,
        index: u32,
        f: impl FnOnce(Filled<'_>, &mut Cx<'_>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.begin_fill_step()?;
        let result = self.with_filled(table, index, f)?;
        self.commit_implicit()?;
        Ok(result)
    }

    fn begin_fill_step(&mut self) -> Result<(), SqlError> {
        self.begin_step()?;
        // The log is waited for once, when the index becomes valid.
        self.engine()?.set_durability(Durability::Async);
        Ok(())
    }

    fn with_filled<T>(
        &mut self,
        table: u32,
        index: u32,
        f: impl FnOnce(Filled<'_>, &mut Cx<'_>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let gone = || SqlError::internal("an index has gone while it was filled");
        let table = self.catalog.table(table).cloned().ok_or_else(gone)?;
        let index = table.indexes.iter().find(|i| i.oid == index).cloned().ok_or_else(gone)?;
        let forms = self.forms_alone(&table, &index)?;
        self.with_bare_cx(|cx| f(Filled { table: &table, index: &index, form: forms.first() }, cx))
    }

    /// Puts an empty tree in the place of an index's that nobody uses, in the open transaction.
    fn replace_tree(&mut self, table: u32, index: u32) -> Result<(), SqlError> {
        let tree = self.engine()?.create_tree()?;
        let Some(mut changed) = self.catalog.table(table).map(|t| (**t).clone()) else { return Ok(()) };
        let Some(index) = changed.indexes.iter_mut().find(|i| i.oid == index) else { return Ok(()) };
        let old = std::mem::replace(&mut Arc::make_mut(index).tree, tree);
        self.put_table(changed)?;
        Ok(self.engine()?.drop_tree(old)?)
    }

    fn set_state(&mut self, table: u32, index: u32, state: IndexState) -> Result<(), SqlError> {
        let Some(mut changed) = self.catalog.table(table).map(|t| (**t).clone()) else { return Ok(()) };
        if let Some(index) = changed.indexes.iter_mut().find(|i| i.oid == index) {
            let index = Arc::make_mut(index);
            index.state = state;
            if state == IndexState::Valid {
                index.since_version = u64::MAX;
            }
        }
        self.put_table(changed).map(|_| ())
    }

    /// A name for an index beside another, locked.
    fn free_name(&mut self, table: &Table, wanted: &str) -> Result<String, SqlError> {
        let catalog = self.catalog.clone();
        let taken = |n: &str| catalog.relation_in(table.schema, n).is_some();
        let (first, suffix) = wanted.rsplit_once('_').unwrap_or((wanted, ""));
        let name = super::choose_name(first, "", suffix, &taken);
        self.lock_name(table.schema, &name)?;
        Ok(name)
    }
}

/// The state of an index that nobody begins to read any more.
fn unread(state: IndexState) -> IndexState {
    match state {
        IndexState::Valid | IndexState::Partial => IndexState::Partial,
        IndexState::Deletes | IndexState::Unused => state,
    }
}
