//! ALTER TABLE … CLUSTER ON and REPLICA IDENTITY: kept, to be shown. DISABLE and ENABLE TRIGGER: whether foreign keys are looked at.
//!
//! Must not know: how they are stored.

use crate::catalog::{Index, ReplicaIdentity, Table};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast;
use std::sync::Arc;

impl Session {
    pub(super) fn cluster_on(&mut self, table: &mut Table, index: Option<&str>) -> Result<(), SqlError> {
        table.marks.clustered_on = match index {
            None => None,
            Some(name) => Some(self.clustering_index(table, name)?.oid),
        };
        self.put_table(table.clone()).map(|_| ())
    }

    /// An index that can give a table's rows their order.
    pub(super) fn clustering_index(&self, table: &Table, name: &str) -> Result<Arc<Index>, SqlError> {
        let index =
            index_of(table, name).map_err(|e| match self.catalog.relation_in(table.schema, name) {
                Some(_) => {
                    let why = format!("\"{name}\" is not an index for table \"{}\"", table.name);
                    SqlError::new(SqlState::WRONG_OBJECT_TYPE, why)
                }
                None => e,
            })?;
        let refuse = |why: &str| Err(SqlError::unsupported(format!("cannot cluster on {why} \"{name}\"")));
        if index.extra.method != crate::catalog::IndexMethod::Btree {
            return Err(SqlError::unsupported(format!(
                "cannot cluster on index \"{name}\" because access method does not support clustering"
            )));
        }
        if index.extra.predicate.is_some() {
            return refuse("partial index");
        }
        if !index.is_valid() {
            return refuse("invalid index");
        }
        Ok(index)
    }

    /// ENABLE or DISABLE TRIGGER: of the triggers that there might be those of foreign keys alone are, under names that nobody knows.
    pub(super) fn switch_triggers(
        &mut self,
        table: &mut Table,
        which: &ast::Ident,
        off: bool,
    ) -> Result<(), SqlError> {
        let word = |w: &str| which.quote_style.is_none() && which.value.eq_ignore_ascii_case(w);
        if word("user") {
            return Ok(());
        }
        if !word("all") {
            return Err(no_trigger(table, which));
        }
        let is_parent = || self.catalog.referencing_tables(table.oid).next().is_some();
        if (table.foreign_keys.is_empty() && !is_parent()) || table.marks.triggers_off == off {
            return Ok(());
        }
        if !self.authority.is_superuser {
            let oid = table.foreign_keys.first().map_or(table.oid, |f| f.oid);
            let why = format!("permission denied: \"RI_ConstraintTrigger_c_{oid}\" is a system trigger");
            return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, why));
        }
        table.marks.triggers_off = off;
        self.put_table(table.clone()).map(|_| ())
    }

    pub(super) fn replica_identity(
        &mut self,
        table: &mut Table,
        identity: &ast::ReplicaIdentity,
    ) -> Result<(), SqlError> {
        table.marks.replica_identity = match identity {
            ast::ReplicaIdentity::Default => ReplicaIdentity::Default,
            ast::ReplicaIdentity::Nothing => ReplicaIdentity::Nothing,
            ast::ReplicaIdentity::Full => ReplicaIdentity::Full,
            ast::ReplicaIdentity::Index(name) => {
                let index = index_of(table, &crate::bind::ident(name))?;
                let refuse = |why: &str| {
                    let message = format!("cannot use {why} \"{}\" as replica identity", index.name);
                    Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message))
                };
                if !index.is_declared_unique() {
                    return refuse("non-unique index");
                }
                if index.timing.deferrable {
                    return Err(SqlError::unsupported(format!(
                        "cannot use non-immediate index \"{}\" as replica identity",
                        index.name
                    )));
                }
                if !index.extra.expressions.is_empty() {
                    return Err(SqlError::unsupported(format!(
                        "cannot use expression index \"{}\" as replica identity",
                        index.name
                    )));
                }
                if index.extra.predicate.is_some() {
                    return Err(SqlError::unsupported(format!(
                        "cannot use partial index \"{}\" as replica identity",
                        index.name
                    )));
                }
                if let Some(c) = index.columns.iter().find(|c| !table.columns[c.column].not_null) {
                    let message = format!(
                        "index \"{}\" cannot be used as replica identity because column \"{}\" is nullable",
                        index.name, table.columns[c.column].name
                    );
                    return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message));
                }
                ReplicaIdentity::Index(index.oid)
            }
        };
        self.put_table(table.clone()).map(|_| ())
    }
}

/// That a table has no such trigger.
pub(super) fn no_trigger(table: &Table, name: &ast::Ident) -> SqlError {
    let why = format!("trigger \"{}\" for table \"{}\" does not exist", crate::bind::ident(name), table.name);
    SqlError::new(SqlState::UNDEFINED_OBJECT, why)
}

fn index_of(table: &Table, name: &str) -> Result<Arc<Index>, SqlError> {
    table.indexes.iter().find(|i| i.name == name).cloned().ok_or_else(|| {
        let message = format!("index \"{name}\" for table \"{}\" does not exist", table.name);
        SqlError::new(SqlState::UNDEFINED_OBJECT, message)
    })
}
