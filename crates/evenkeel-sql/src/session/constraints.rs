//! SET CONSTRAINTS.
//!
//! Must not know: how constraints are checked.

use super::Session;
use crate::catalog::{Table, Timing};
use crate::parse::{Name, SetConstraintsStmt};
use evenkeel_types::error::{SqlError, SqlState};
use std::collections::HashSet;

/// A table's constraints that can be deferred or not: OID, name, and when it is checked.
fn timed(t: &Table) -> impl Iterator<Item = (u32, &str, Timing)> {
    let keys = t.foreign_keys.iter().map(|f| (f.oid, &*f.name, f.timing));
    let indexes = t.indexes.iter().filter_map(|i| i.constraint.map(|c| (c, &*i.name, i.timing)));
    let checks = t.checks.iter().map(|c| (c.oid, &*c.name, Timing::default()));
    let not_nulls = t.not_nulls.iter().map(|n| (n.oid, &*n.name, Timing::default()));
    keys.chain(indexes).chain(checks).chain(not_nulls)
}

impl Session {
    pub(super) fn set_constraints(&mut self, s: &SetConstraintsStmt) -> Result<(), SqlError> {
        if !self.is_in_block() {
            self.notice(
                "WARNING",
                SqlState::NO_ACTIVE_SQL_TRANSACTION,
                "SET CONSTRAINTS can only be used in transaction blocks",
            );
        }
        self.refresh_catalog();
        let mut found = HashSet::new();
        for name in &s.names {
            self.find_constraints(name, s.deferred, &mut found)?;
        }
        let all = s.names.is_empty();
        let deferred = &mut self.ensure_txn()?.deferred;
        match all {
            true => deferred.set_all(s.deferred),
            false => found.iter().for_each(|c| deferred.set(*c, s.deferred)),
        }
        if s.deferred { Ok(()) } else { self.check_deferred(&|c| all || found.contains(&c)) }
    }

    /// The constraints of a name: those of the first schema of the path that has some.
    fn find_constraints(
        &self,
        name: &Name,
        deferred: bool,
        found: &mut HashSet<u32>,
    ) -> Result<(), SqlError> {
        let schemas: Vec<u32> = match &name.schema {
            None => self.search_path().to_vec(),
            Some(s) => match self.catalog.schema_named(s) {
                Some(s) => vec![s.oid],
                None => {
                    let message = format!("schema \"{s}\" does not exist");
                    return Err(SqlError::new(SqlState::INVALID_SCHEMA_NAME, message));
                }
            },
        };
        for schema in schemas {
            let mut any = false;
            for t in self.catalog.tables().filter(|t| t.schema == schema) {
                for (oid, _, timing) in timed(t).filter(|(_, n, _)| *n == name.name) {
                    if timing.deferrable {
                        found.insert(oid);
                    } else if deferred {
                        return Err(SqlError::new(
                            SqlState::WRONG_OBJECT_TYPE,
                            format!("constraint \"{}\" is not deferrable", name.name),
                        ));
                    }
                    any = true;
                }
            }
            if any {
                return Ok(());
            }
        }
        let message = format!("constraint \"{name}\" does not exist");
        Err(SqlError::new(SqlState::UNDEFINED_OBJECT, message))
    }
}
