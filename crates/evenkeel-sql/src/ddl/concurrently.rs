//! CREATE INDEX, REINDEX and DROP INDEX CONCURRENTLY: whoever reads and writes the table goes on.
//!
//! | step | transaction | what others do with the index from then on |
//! | --- | --- | --- |
//! | 1 | the index is known, and partial; then all who write the table without it are waited for | write it |
//! | 2 | many: rows get their entries (`exec/backfill.rs`) | |
//! | 3 | it is valid | read it, in snapshots that are younger |
//!
//! REINDEX does 1 and 2 with an index beside the old one (`_ccnew`), and 3 exchanges their trees; the old one (`_ccold`) then goes as by DROP INDEX: it is
//! partial until all who may read it have ended, unused until all who may write it have, and dropped.
//!
//! A transaction with a snapshot of its own (REPEATABLE READ) that is older than an entry, and changes its row, is refused with 40001: the entry is newer
//! than its snapshot. Waiting for all snapshots before the first entry was the other way; none of them need ever come to the table.
//!
//! Invariants:
//! 1. From the first step to the last the session holds SHARE UPDATE EXCLUSIVE on the table: nobody else changes its definition.
//! 2. An index that is read has an entry of every row that its readers can see.
//! 3. What fails leaves an index that is not valid and, unless the server ended, not used: it costs writers nothing, and constrains nobody.
//!
//! Must not know: how entries are found.

use crate::catalog::locks::TableLockMode;
use crate::catalog::{Index, IndexState, Table};
use crate::exec::Cx;
use crate::exec::backfill::{self, Backfill, Filled, Next, Visited};
use crate::progress::{self, Work};
use crate::session::Session;
use evenkeel::Durability;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

/// Who may write an index of a table: holders of whatever conflicts with this.
const WRITERS: TableLockMode = TableLockMode::Share;

/// Who may read it.
const READERS: TableLockMode = TableLockMode::AccessExclusive;

/// Phases of `progress::INDEX_PHASES`.
const SCAN: usize = 1;
const WAIT_FOR_WRITERS: usize = 4;
const WAIT_BEFORE_UNUSED: usize = 5;
const WAIT_BEFORE_DROP: usize = 6;

impl Session {
    /// Adds an index to a table that is locked in SHARE UPDATE EXCLUSIVE by the open transaction.
    pub(super) fn add_index_concurrently(&mut self, table: &Table, index: Index) -> Result<(), SqlError> {
        self.held_throughout(table, |s| {
            let work =
                Work::new(progress::Kind::CreateIndex, "CREATE INDEX CONCURRENTLY", table.oid, index.oid);
            let shown = progress::Shown::new(&s.info.works, work);
            let oid = index.oid;
            s.fill_beside(table, index, &shown.work)?;
            s.begin_step()?;
            s.change_index(table.oid, oid, |i| {
                i.state = IndexState::Valid;
                i.since_version = u64::MAX;
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
                    let what = format!("index \"{}\" was reindexed", index.name);
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
        self.fill_beside(&table, new, &shown.work)?;
        self.begin_step()?;
        let Some(mut changed) = self.catalog.table(table.oid).map(|t| (**t).clone()) else { return Ok(()) };
        let old_name = self.free_name(&changed, &format!("{}_ccold", old.name))?;
        let place = |oid: u32| changed.indexes.iter().position(|i| i.oid == oid);
        let (Some(at), Some(other)) = (place(old.oid), place(beside)) else {
            return Err(SqlError::internal("an index has gone while it was filled anew"));
        };
        let (old_tree, new_tree) = (changed.indexes[at].tree, changed.indexes[other].tree);
        let old_state = changed.indexes[at].state;
        let index = Arc::make_mut(&mut changed.indexes[at]);
        (index.tree, index.state, index.since_version) = (new_tree, IndexState::Valid, u64::MAX);
        let index = Arc::make_mut(&mut changed.indexes[other]);
        (index.tree, index.name, index.state) = (old_tree, old_name, unread(old_state));
        self.put_table(changed)?;
        self.commit_implicit()?;
        self.drop_unread(&table, beside, &shown.work)
    }

    /// Takes an index away of a table that is locked in SHARE UPDATE EXCLUSIVE by the open transaction.
    pub(super) fn drop_index_concurrently(&mut self, table: &Table, oid: u32) -> Result<(), SqlError> {
        self.refuse_rested_on(table, oid)?;
        self.held_throughout(table, |s| {
            let work = Work::new(progress::Kind::CreateIndex, "DROP INDEX CONCURRENTLY", table.oid, oid);
            s.change_index(table.oid, oid, |i| i.state = unread(i.state))?;
            s.commit_implicit()?;
            s.drop_unread(table, oid, &work)
        })
    }

    /// Takes away an index that nobody begins to read.
    fn drop_unread(&mut self, table: &Table, oid: u32, work: &Work) -> Result<(), SqlError> {
        let lock = &table.shared.lock;
        work.enter(WAIT_BEFORE_UNUSED, 0);
        self.wait_for_holders(lock, READERS, &table.name)?;
        self.begin_step()?;
        self.change_index(table.oid, oid, |i| i.state = IndexState::Unused)?;
        self.commit_implicit()?;
        work.enter(WAIT_BEFORE_DROP, 0);
        self.wait_for_holders(lock, READERS, &table.name)?;
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
        self.held.keep(Some((&table.shared.lock, TableLockMode::ShareUpdateExclusive)));
        let result = steps(self).and_then(|()| self.commit_implicit());
        self.held.keep(None);
        if result.is_ok() {
            self.held.release_all();
        }
        result
    }

    /// Adds an index and gives it entries of all rows; it is not valid then. If that fails it is not used any more (invariant 3).
    fn fill_beside(&mut self, table: &Table, mut index: Index, work: &Work) -> Result<(), SqlError> {
        index.tree = self.engine()?.create_tree()?;
        index.state = IndexState::Partial;
        let oid = index.oid;
        let Some(mut changed) = self.catalog.table(table.oid).map(|t| (**t).clone()) else { return Ok(()) };
        changed.indexes.push(Arc::new(index));
        self.put_table(changed)?;
        self.commit_implicit()?;
        let filled = self.fill_known(table, oid, work);
        if filled.is_err() {
            self.rollback();
            // The error that is told is the first.
            let _ = self.begin_step().and_then(|()| {
                self.engine()?.set_interrupt(None); // it may be what has ended the command
                self.change_index(table.oid, oid, |i| i.state = IndexState::Unused)?;
                self.commit_implicit()
            });
        }
        filled
    }

    fn fill_known(&mut self, table: &Table, oid: u32, work: &Work) -> Result<(), SqlError> {
        work.enter(WAIT_FOR_WRITERS, 0);
        self.wait_for_holders(&table.shared.lock, WRITERS, &table.name)?;
        work.enter(SCAN, table.shared.live_rows().map_or(0, |n| n as u64));
        self.begin_step()?;
        let mut fill = self.with_bare_cx(|cx| Backfill::new(table, cx))?;
        self.commit_implicit()?;
        loop {
            match fill.next() {
                Next::Done => return Ok(()),
                Next::Visit => self.fill_step(table.oid, oid, |f, cx| fill.visit(f, work, cx))?,
                Next::Left => {
                    while let Some(row) = fill.take_left() {
                        self.fill_row(table.oid, oid, row, &fill)?;
                    }
                }
            }
        }
    }

    /// Gives a single row its entries, waiting for whoever is in the way.
    fn fill_row(&mut self, table: u32, index: u32, row: u64, fill: &Backfill) -> Result<(), SqlError> {
        loop {
            match self.fill_step(table, index, |f, cx| fill.visit_one(row, f, cx))? {
                Visited::Done => return Ok(()),
                Visited::WaitFor(tree, key) => {
                    self.fill_step(table, index, |_, cx| backfill::wait_for(tree, &key, cx))?
                }
            }
        }
    }

    /// Runs something with an index, in a transaction of its own.
    fn fill_step<T>(
        &mut self,
        table: u32,
        index: u32,
        f: impl FnOnce(Filled<'_>, &mut Cx<'_>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.begin_step()?;
        // The log is waited for once, when the index becomes valid.
        self.engine()?.set_durability(Durability::Async);
        let gone = || SqlError::internal("an index has gone while it was filled");
        let table = self.catalog.table(table).cloned().ok_or_else(gone)?;
        let index = table.indexes.iter().find(|i| i.oid == index).cloned().ok_or_else(gone)?;
        let forms = self.forms_alone(&table, &index)?;
        let result =
            self.with_bare_cx(|cx| f(Filled { table: &table, index: &index, form: forms.first() }, cx))?;
        self.commit_implicit()?;
        Ok(result)
    }

    fn change_index(
        &mut self,
        table: u32,
        index: u32,
        change: impl FnOnce(&mut Index),
    ) -> Result<(), SqlError> {
        let Some(mut changed) = self.catalog.table(table).map(|t| (**t).clone()) else { return Ok(()) };
        if let Some(index) = changed.indexes.iter_mut().find(|i| i.oid == index) {
            change(Arc::make_mut(index));
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

/// The state of an index that nobody begins to read any more. One that was not written for a while must not be written again: entries of rows that have
/// gone since would stand in the way of others.
fn unread(state: IndexState) -> IndexState {
    match state {
        IndexState::Valid | IndexState::Partial => IndexState::Partial,
        IndexState::Unused => IndexState::Unused,
    }
}
