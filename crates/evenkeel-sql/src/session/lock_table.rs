//! LOCK TABLE.
//!
//! Invariants:
//! 1. A view is locked by its name, as whoever defines views locks it; with it all that its query reads, views within views too, in the same mode.
//! 2. What a view reads must be allowed to be locked to the view's owner, or to whoever asks if the view says so.
//!
//! Must not know: how locks are kept.

use super::Session;
use crate::catalog::locks::TableLockMode;
use crate::catalog::{Relation, Table, View, noun_of};
use crate::parse::LockStmt;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

/// How a statement locks.
#[derive(Clone, Copy)]
struct How {
    mode: TableLockMode,
    nowait: bool,
}

impl Session {
    pub(super) fn lock_tables(&mut self, l: &LockStmt) -> Result<(), SqlError> {
        let mode = TableLockMode::from_name(&l.mode).unwrap_or(TableLockMode::AccessExclusive);
        let how = How { mode, nowait: l.nowait };
        let role = self.authority.current;
        for name in &l.tables {
            loop {
                self.refresh_catalog();
                let relation = self.find_relation(name)?;
                match &relation {
                    Relation::View(view) => self.lock_view(view, role, how, &mut Vec::new())?,
                    Relation::Table(t) if t.materialized.is_none() => self.lock_one(t, role, how)?,
                    Relation::Virtual(_) => _ = relation.clone().into_table()?,
                    other => {
                        let why = format!("cannot lock relation \"{}\"", other.name());
                        let kind = match noun_of(other) {
                            "index" => "indexes",
                            "materialized view" => "materialized views",
                            _ => "sequences",
                        };
                        let error = SqlError::new(SqlState::WRONG_OBJECT_TYPE, why);
                        return Err(error.with_detail(format!("This operation is not supported for {kind}.")));
                    }
                }
                // The name may stand for something else by now.
                self.refresh_catalog();
                if self.find_relation(name)?.oid() == relation.oid() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn lock_one(&mut self, table: &Arc<Table>, role: u32, how: How) -> Result<(), SqlError> {
        self.check_may_lock(table.oid, "table", &table.name, role, how.mode)?;
        self.lock_object(&table.shared.lock, how.mode, &table.name, how.nowait)
    }

    /// `above`: the views that are being locked because of which.
    fn lock_view(
        &mut self,
        view: &Arc<View>,
        role: u32,
        how: How,
        above: &mut Vec<u32>,
    ) -> Result<(), SqlError> {
        self.check_may_lock(view.oid, "view", &view.name, role, how.mode)?;
        let lock = self.name_lock(view.schema, &view.name);
        self.lock_object(&lock, how.mode, &view.name, how.nowait)?;
        self.refresh_catalog();
        // Its definition is what it is from here on.
        let Some(view) = self.catalog.view(view.oid).cloned() else { return Ok(()) };
        let reader = match view.is_invoker() {
            true => self.authority.current,
            false => self.security().owner(view.oid),
        };
        above.push(view.oid);
        for read in &view.query.reads {
            match self.catalog.relation(read.oid) {
                Some(Relation::Table(t)) if t.materialized.is_none() => self.lock_one(&t, reader, how)?,
                Some(Relation::View(v)) if !above.contains(&v.oid) => {
                    self.lock_view(&v, reader, how, above)?;
                }
                _ => {}
            }
        }
        above.pop();
        Ok(())
    }
}
