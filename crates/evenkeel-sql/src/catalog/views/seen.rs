//! Whom `information_schema` and `pg_stats` show what: who has the owner's privileges, or may do something with it, as PostgreSQL has it.
//!
//! Invariants
//! 1. Nothing of a column's values or of a relation's definition is shown to a role that PostgreSQL hides it from.
//!
//! Must not know: what the views show.

use super::ViewContext;
use crate::catalog::Catalog;
use crate::catalog::security::Security;
use crate::catalog::security::acl::{
    CREATE, Class, DELETE, INSERT, Privileges, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE, USAGE,
};

/// What shows a column, or a relation by one of its columns.
const OF_COLUMN: Privileges = SELECT | INSERT | UPDATE | REFERENCES;
/// What shows a relation's constraints.
const TO_CHANGE: Privileges = INSERT | UPDATE | DELETE | TRUNCATE | REFERENCES | TRIGGER;

/// What the current role sees.
pub(super) struct Seen<'a> {
    security: &'a Security,
    role: u32,
    all: bool,
}

impl<'a> Seen<'a> {
    pub(super) fn of(catalog: &'a Catalog, cx: &dyn ViewContext) -> Seen<'a> {
        let (security, role) = (catalog.security(), cx.role());
        Seen { security, role, all: security.is_superuser(role) }
    }

    /// What has an owner whose privileges the role has.
    pub(super) fn owns(&self, oid: u32) -> bool {
        self.all || self.security.owns(self.role, oid)
    }

    fn may(&self, oid: u32, class: Class, of: Privileges) -> bool {
        self.owns(oid) || self.security.mask(self.role, oid, class, of) != 0
    }

    fn may_with_column(&self, oid: u32, of: Privileges, is_it: impl Fn(i16) -> bool) -> bool {
        let Some(access) = self.security.access(oid) else { return false };
        let mut columns = access.columns.iter().filter(|(n, _)| is_it(**n));
        columns.any(|(_, acl)| acl.mask(self.security, self.role, access.owner, of) != 0)
    }

    /// A table or view.
    pub(super) fn relation(&self, oid: u32) -> bool {
        self.may(oid, Class::Table, OF_COLUMN | TO_CHANGE) || self.may_with_column(oid, OF_COLUMN, |_| true)
    }

    /// The constraints of a table.
    pub(super) fn constraints(&self, oid: u32) -> bool {
        self.may(oid, Class::Table, TO_CHANGE)
            || self.may_with_column(oid, INSERT | UPDATE | REFERENCES, |_| true)
    }

    /// A column of a table or view, counted from 0.
    pub(super) fn column(&self, oid: u32, column: usize) -> bool {
        let n = column as i16 + 1;
        self.may(oid, Class::Table, OF_COLUMN) || self.may_with_column(oid, OF_COLUMN, |c| c == n)
    }

    /// The values of a column. The owner may have no right to read them.
    pub(super) fn values(&self, oid: u32, column: usize) -> bool {
        let (s, n) = (self.security, column as i16 + 1);
        self.all
            || s.mask(self.role, oid, Class::Table, SELECT) != 0
            || self.may_with_column(oid, SELECT, |c| c == n)
    }

    pub(super) fn schema(&self, oid: u32) -> bool {
        self.may(oid, Class::Schema, CREATE | USAGE)
    }

    pub(super) fn sequence(&self, oid: u32) -> bool {
        self.may(oid, Class::Sequence, SELECT | UPDATE | USAGE)
    }
}
