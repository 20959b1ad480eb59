//! CLUSTER: a table's rows in the order of one of its indexes.
//!
//! Rows lie in the order of their ids, which they are given as they come. So the index is filled anew, which puts its entries into their order, the rows are read as
//! these name them, and each gets the next id in a new tree; the table's indexes are made of that. What is inserted later comes behind them, as in PostgreSQL.
//!
//! Invariants:
//! 1. There are as many rows afterwards as before, or the statement fails.
//! 2. A transaction whose snapshot is older sees the rows as they are now, rather than none: what was before is in the tree that goes.
//!
//! Must not know: how indexes are filled.

use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{Class, MAINTAIN};
use crate::catalog::{Heap, Index, Relation, Table};
use crate::exec::build;
use crate::exec::fill::Filler;
use crate::parse::{ClusterStmt, Name};
use crate::session::Session;
use evenkeel_types::encode_rowid;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

impl Session {
    pub(crate) fn cluster(&mut self, c: &ClusterStmt) -> Result<(), SqlError> {
        let Some(name) = &c.table else { return self.cluster_all(c.verbose) };
        self.refresh_catalog();
        let table = self.cluster_target(name)?;
        self.check_may(table.oid, Class::Table, &table.name, MAINTAIN)?;
        self.ensure_txn()?;
        self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        self.refresh_catalog();
        // The name may stand for something else by now, or for nothing.
        let now = self.cluster_target(name)?;
        if now.oid != table.oid {
            return self.cluster(c);
        }
        self.check_may(now.oid, Class::Table, &now.name, MAINTAIN)?;
        let index = match &c.index {
            Some(index) => self.clustering_index(&now, index)?,
            None => marked(&now).ok_or_else(|| {
                let why = format!("there is no previously clustered index for table \"{}\"", now.name);
                SqlError::new(SqlState::UNDEFINED_OBJECT, why)
            })?,
        };
        self.cluster_table(&now, &index, c.verbose)
    }

    fn cluster_target(&self, name: &Name) -> Result<Arc<Table>, SqlError> {
        match self.find_relation(name)? {
            Relation::Table(t) => Ok(t),
            other => {
                let why = format!("\"{}\" is not a table or materialized view", other.name());
                Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why))
            }
        }
    }

    /// All that were clustered before, each in a transaction of its own.
    fn cluster_all(&mut self, verbose: bool) -> Result<(), SqlError> {
        self.refuse_in_block("CLUSTER")?;
        self.commit_implicit()?;
        self.refresh_catalog();
        let tables: Vec<Arc<Table>> =
            self.catalog.tables().filter(|t| t.marks.clustered_on.is_some()).cloned().collect();
        for table in tables {
            if !self.may_maintain(table.oid, &table.name, "CLUSTER") {
                continue;
            }
            self.ensure_txn()?;
            self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
            self.refresh_catalog();
            if let Some(table) = self.catalog.table(table.oid).cloned()
                && let Some(index) = marked(&table)
            {
                self.cluster_table(&table, &index, verbose)?;
            }
            self.commit_implicit()?;
        }
        Ok(())
    }

    fn cluster_table(
        &mut self,
        table: &Arc<Table>,
        index: &Arc<Index>,
        verbose: bool,
    ) -> Result<(), SqlError> {
        self.refuse_in_use(table, "CLUSTER")?;
        if verbose {
            let schema = self.catalog.schema(table.schema).map_or(String::new(), |s| s.name.clone());
            let what = format!("clustering \"{schema}.{}\" using sequential scan and sort", table.name);
            self.notice("INFO", SqlState::SUCCESSFUL_COMPLETION, what);
        }
        self.begin_definition()?;
        let mut changed = (**table).clone();
        changed.heap = self.heap_in_order(table, index)?;
        changed.missing.clear();
        changed.marks.clustered_on = Some(index.oid);
        self.engine()?.drop_tree(table.heap.tree)?;
        for n in 0..changed.indexes.len() {
            let index = (*changed.indexes[n]).clone();
            let old = index.tree;
            changed.indexes[n] = Arc::new(self.build_index_by("CLUSTER", &changed, index)?);
            self.engine()?.drop_tree(old)?;
        }
        self.put_table(changed).map(|_| ())
    }

    /// A new tree with the rows in the order of an index.
    fn heap_in_order(&mut self, table: &Arc<Table>, index: &Arc<Index>) -> Result<Arc<Heap>, SqlError> {
        let order = self.build_index_by("CLUSTER", table, (**index).clone())?;
        let heap = Heap::new(self.engine()?.create_tree()?);
        let types = table.types.clone();
        self.with_bare_cx(|cx| {
            let (mut key, mut filler, mut moved) = (Vec::new(), Filler::of_moved_rows(heap.tree), 0u64);
            build::for_each_in_order(table, &order, cx, &mut |row, cx| {
                moved += 1;
                row.pop(); // its former id
                key.clear();
                encode_rowid(moved, &mut key);
                filler.push_row(&key, row, &types, cx)
            })?;
            filler.finish(cx)?;
            let mut rows = 0u64;
            build::for_each_row(table, cx, &mut |_, _| {
                rows += 1;
                Ok(())
            })?;
            match rows == moved {
                true => Ok(()),
                false => Err(SqlError::internal("rows that an index does not have")), // (1)
            }
        })?;
        self.engine()?.drop_tree(order.tree)?;
        Ok(heap)
    }
}

/// The index that a table was last clustered on.
fn marked(table: &Table) -> Option<Arc<Index>> {
    table.indexes.iter().find(|i| table.marks.clustered_on == Some(i.oid)).cloned()
}
