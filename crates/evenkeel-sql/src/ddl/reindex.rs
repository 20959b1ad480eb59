//! REINDEX, of an index, a table, a schema or the database.
//!
//! Must not know: how indexes are filled, how that goes concurrently (`concurrently`).

use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{Class, MAINTAIN};
use crate::catalog::{Relation, Table};
use crate::parse::{Name, ReindexStmt, Reindexed};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

impl Session {
    pub(crate) fn reindex(&mut self, r: &ReindexStmt) -> Result<(), SqlError> {
        let many = match r.what {
            Reindexed::Index | Reindexed::Table => None,
            Reindexed::Schema => Some("REINDEX SCHEMA"),
            Reindexed::Database => Some("REINDEX DATABASE"),
            Reindexed::System => Some("REINDEX SYSTEM"),
        };
        if let Some(what) = many {
            self.refuse_in_block(what)?;
        }
        if r.concurrently {
            self.refuse_in_block("REINDEX CONCURRENTLY")?;
        }
        self.refresh_catalog();
        match (r.what, &r.name) {
            (Reindexed::Index | Reindexed::Table, Some(name)) => {
                let (table, only) = self.reindex_target(r.what, name)?;
                self.check_may(table.oid, Class::Table, &table.name, MAINTAIN)?;
                if only.is_none() && table.indexes.is_empty() {
                    let concurrently =
                        if r.concurrently { " that can be reindexed concurrently" } else { "" };
                    let what = format!("table \"{}\" has no indexes{concurrently}", table.name);
                    let what = if r.concurrently { what } else { what + " to reindex" };
                    self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, what);
                    return Ok(());
                }
                self.ensure_txn()?;
                let mode = if r.concurrently {
                    TableLockMode::ShareUpdateExclusive
                } else {
                    TableLockMode::AccessExclusive
                };
                self.lock_object(&table.shared.lock, mode, &table.name, false)?;
                self.refresh_catalog();
                // The name may stand for something else by now, or for nothing.
                let (now, only_now) = self.reindex_target(r.what, name)?;
                if (now.oid, only_now) != (table.oid, only) {
                    return self.reindex(r);
                }
                self.check_may(now.oid, Class::Table, &now.name, MAINTAIN)?;
                self.reindex_table(&now, only, r)
            }
            (Reindexed::Schema, Some(name)) => {
                let schema = self.catalog.schema_named(&name.name).map(|s| (s.oid, s.name.clone()));
                let Some((oid, name)) = schema else {
                    let what = format!("schema \"{}\" does not exist", name.name);
                    return Err(SqlError::new(SqlState::INVALID_SCHEMA_NAME, what));
                };
                self.check_owns(oid, "schema", &name)?;
                self.reindex_all(&|t| t.schema == oid, r)
            }
            (what, name) => {
                if name.as_ref().is_some_and(|n| n.name != self.catalog.database_name()) {
                    return Err(SqlError::unsupported("can only reindex the currently open database"));
                }
                self.check_owns(self.catalog.database, "database", self.catalog.database_name())?;
                match what {
                    // What the system knows is in no table that has indexes.
                    Reindexed::System if r.concurrently => {
                        Err(SqlError::unsupported("cannot reindex system catalogs concurrently"))
                    }
                    Reindexed::System => Ok(()),
                    _ => self.reindex_all(&|_| true, r),
                }
            }
        }
    }

    fn reindex_target(&self, what: Reindexed, name: &Name) -> Result<(Arc<Table>, Option<u32>), SqlError> {
        let (noun, other) = match (what, self.find_relation(name)?) {
            (Reindexed::Index, Relation::Index(t, i)) => return Ok((t, Some(i.oid))),
            (Reindexed::Table, Relation::Table(t)) => return Ok((t, None)),
            (Reindexed::Index, other) => ("an index", other),
            (_, other) => ("a table or materialized view", other),
        };
        let why = format!("\"{}\" is not {noun}", other.name());
        Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why))
    }

    /// Each table in a transaction of its own.
    fn reindex_all(&mut self, wanted: &dyn Fn(&Table) -> bool, r: &ReindexStmt) -> Result<(), SqlError> {
        self.commit_implicit()?;
        let tables: Vec<Arc<Table>> =
            self.catalog.tables().filter(|t| wanted(t) && !t.indexes.is_empty()).cloned().collect();
        for table in tables {
            if !self.may_maintain(table.oid, &table.name, "REINDEX") {
                continue;
            }
            self.reindex_table(&table, None, r)?;
            self.commit_implicit()?;
        }
        Ok(())
    }

    /// Fills a table's indexes anew, or one of them.
    fn reindex_table(
        &mut self,
        table: &Arc<Table>,
        only: Option<u32>,
        r: &ReindexStmt,
    ) -> Result<(), SqlError> {
        // Nobody else knows a temporary table.
        if r.concurrently && !self.catalog.is_temporary(table.schema) {
            return self.reindex_concurrently(table, only, r.verbose);
        }
        self.ensure_txn()?;
        self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        self.refresh_catalog();
        let Some(table) = self.catalog.table(table.oid).cloned() else { return Ok(()) };
        self.begin_definition()?;
        let mut changed = (*table).clone();
        for n in 0..changed.indexes.len() {
            let index = (*changed.indexes[n]).clone();
            if only.is_some_and(|o| o != index.oid) {
                continue;
            }
            let old = index.tree;
            changed.indexes[n] = Arc::new(self.build_index_by("REINDEX", &table, index)?);
            self.engine()?.drop_tree(old)?;
            if r.verbose {
                let what = format!("index \"{}\" was reindexed", changed.indexes[n].name);
                self.notice("INFO", SqlState::SUCCESSFUL_COMPLETION, what);
            }
        }
        self.put_table(changed).map(|_| ())
    }
}
