//! Sequences as functions see them: drawing values, setting them, telling them.
//!
//! Invariants:
//! 1. Whoever draws, sets or tells a value that was drawn holds the sequence's lock in the mode of a writer until its transaction ends, ROLLBACK TO or not: who
//!    changes the sequence waits for that, and is waited for.
//! 2. Values count by the definition that is committed once the lock is held, not by the statement's; by its own if the transaction has changed it.
//!
//! Must not know: how values are kept.

use super::SessionEnv;
use crate::catalog::locks::{TableLockMode, Wait, modes_of};
use crate::catalog::security::acl::{self, Class};
use crate::catalog::{Relation, Sequence};
use crate::session::reg::relation_oid;
use evenkeel::Basis;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Type, quote_ident};
use std::sync::Arc;

impl SessionEnv {
    /// `pg_get_serial_sequence`
    pub(super) fn sequence_of(&self, table: &str, column: &str) -> Result<Option<String>, SqlError> {
        let oid = relation_oid(&self.catalog, &self.path, self.roles.1, table)?;
        let Some(t) = self.catalog.table(oid) else { return Ok(None) };
        let Some(n) = t.column(column) else {
            return Err(SqlError::new(
                SqlState::UNDEFINED_COLUMN,
                format!("column \"{column}\" of relation \"{}\" does not exist", t.name),
            ));
        };
        let owned = self.catalog.sequences().find(|s| s.owned_by.is_some_and(|(t, c, _)| t == oid && c == n));
        Ok(owned.map(|s| {
            let schema = self.catalog.schema(s.schema).map_or("public", |s| &s.name);
            format!("{}.{}", quote_ident(schema), quote_ident(&s.name))
        }))
    }

    /// What must be durable before anything is told that sequences gave: what was drawn for this session, and what others may have drawn.
    pub(crate) fn sequences_basis(&self) -> (Basis, Basis) {
        (self.drawn.get(), self.looked_at.get())
    }

    fn sequence(&self, oid: u32) -> Result<Arc<Sequence>, SqlError> {
        self.catalog.sequence(oid).cloned().ok_or_else(|| match self.catalog.relation(oid) {
            Some(r) => {
                let kind = match r {
                    Relation::Index(..) => "indexes",
                    Relation::View(_) => "views",
                    Relation::Virtual(v) if v.is_view => "views",
                    _ => "tables",
                };
                SqlError::new(SqlState::WRONG_OBJECT_TYPE, format!("cannot open relation \"{}\"", r.name()))
                    .with_detail(format!("This operation is not supported for {kind}."))
            }
            None => {
                SqlError::new(SqlState::UNDEFINED_TABLE, format!("relation with OID {oid} does not exist"))
            }
        })
    }

    /// A sequence, locked (invariant 1), as it is then (invariant 2). Blocks.
    fn locked_sequence(&self, oid: u32) -> Result<Arc<Sequence>, SqlError> {
        let of_statement = self.sequence(oid)?;
        let wait = Wait {
            nowait: false,
            timeout: self.lock_timeout.get(),
            interrupt: &self.info.interrupt,
            what: &of_statement.name,
            database: self.instance.database(),
            txn: self.txn_id.get(),
            advisory: None,
        };
        let (locks, mode) = (&self.instance.locks, TableLockMode::RowExclusive);
        let modes = self.held.lock().take_lasting(locks, &of_statement.lock, mode, &wait)?;
        let is_its_own = modes_of(modes).any(|m| m >= TableLockMode::ShareRowExclusive);
        if is_its_own || self.instance.store.version(&self.part) == self.catalog.version {
            return Ok(of_statement);
        }
        self.part.current().sequence(oid).cloned().ok_or_else(|| {
            SqlError::new(SqlState::INTERNAL_ERROR, format!("could not open relation with OID {oid}"))
        })
    }

    /// Refuses who has none of some privileges on a sequence.
    fn check_sequence(&self, s: &Sequence, any: acl::Privileges) -> Result<(), SqlError> {
        match self.catalog.security().mask(self.roles.1, s.oid, Class::Sequence, any) {
            0 => Err(acl::denied("sequence", &s.name)),
            _ => Ok(()),
        }
    }

    /// Whether the values of a sequence are told: to whoever may select from it, or (`or_uses`) use it.
    pub(super) fn may_tell(&self, oid: u32, or_uses: bool) -> bool {
        let any = if or_uses { acl::SELECT | acl::USAGE } else { acl::SELECT };
        self.catalog.security().mask(self.roles.1, oid, Class::Sequence, any) != 0
    }

    /// Draws a value; `for_identity`: whoever may insert may draw from an identity column's.
    pub(super) fn next_of(&self, oid: u32, for_identity: bool) -> Result<i64, SqlError> {
        let s = self.locked_sequence(oid)?;
        if !self.catalog.is_temporary(s.schema) {
            self.check_writable("nextval()")?;
        }
        if !for_identity {
            self.check_sequence(&s, acl::USAGE | acl::UPDATE)?;
        }
        let next = self.instance.store.sequence_next(&s);
        if next.is_err() {
            let _ = self.state_of(oid); // that it is at its end is told, too
        }
        let (value, basis) = next?;
        self.drawn.set(self.drawn.get().max(basis));
        self.sequences.borrow_mut().insert(oid, value);
        self.last_sequence.set(Some(oid));
        Ok(value)
    }

    pub(super) fn current_of(&self, oid: Option<u32>) -> Result<i64, SqlError> {
        let undefined = |m: String| SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, m);
        // One that is gone has given none.
        let last = self.last_sequence.get().filter(|oid| self.sequence(*oid).is_ok());
        let Some(oid) = oid.or(last) else {
            return Err(undefined("lastval is not yet defined in this session".into()));
        };
        let s = self.locked_sequence(oid)?;
        self.check_sequence(&s, acl::USAGE | acl::SELECT)?;
        let value = self.sequences.borrow().get(&oid).copied();
        value.ok_or_else(|| {
            undefined(format!("currval of sequence \"{}\" is not yet defined in this session", s.name))
        })
    }

    /// What it is declared as.
    pub(super) fn parameters_of(&self, oid: u32) -> Result<([i64; 5], bool, Type), SqlError> {
        if self.catalog.relation(oid).is_some_and(|r| !matches!(r, Relation::Sequence(_))) {
            return Err(SqlError::internal(format!("cache lookup failed for sequence {oid}")));
        }
        let s = self.sequence(oid)?;
        self.check_sequence(&s, acl::SELECT | acl::UPDATE | acl::USAGE)?;
        Ok(([s.start, s.min, s.max, s.increment, s.cache], s.cycle, s.ty))
    }

    pub(super) fn state_of(&self, oid: u32) -> Result<(i64, bool), SqlError> {
        let (value, is_called, basis) = self.instance.store.sequence_state(&*self.sequence(oid)?)?;
        self.looked_at.set(self.looked_at.get().max(basis));
        Ok((value, is_called))
    }

    pub(super) fn set_value_of(&self, oid: u32, value: i64, is_called: bool) -> Result<i64, SqlError> {
        let s = self.locked_sequence(oid)?;
        if !self.catalog.is_temporary(s.schema) {
            self.check_writable("setval()")?;
        }
        self.check_sequence(&s, acl::UPDATE)?;
        let basis = self.instance.store.sequence_set(&s, value, is_called)?;
        self.drawn.set(self.drawn.get().max(basis));
        if is_called {
            self.sequences.borrow_mut().insert(oid, value);
        }
        Ok(value)
    }
}
