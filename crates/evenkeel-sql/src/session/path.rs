//! The schemas that are searched for names, and the one that new objects go to.
//!
//! Must not know: what is searched for.

use super::Session;
use crate::catalog::PG_CATALOG_OID;
use crate::catalog::security::acl::{Class, USAGE};
use evenkeel_types::error::{SqlError, SqlState};

impl Session {
    /// Another catalog: who acts and what is searched may be others.
    pub(super) fn catalog_changed(&mut self) {
        if self.search_path_for == self.catalog.version {
            return;
        }
        self.read_authority();
        let names = self.settings.search_path(&self.role_name(self.authority.current));
        // Before all others, unless the setting has a place for it.
        let own = self.own_temp_schema();
        let mut path: Vec<u32> = own.into_iter().filter(|_| !names.iter().any(|n| n == "pg_temp")).collect();
        if !names.iter().any(|n| n == "pg_catalog") {
            path.push(PG_CATALOG_OID);
        }
        let implicit = path.len();
        self.creation_schema = None;
        self.temporary.is_first = false;
        for name in names {
            if name == "pg_catalog" {
                if !path.contains(&PG_CATALOG_OID) {
                    path.push(PG_CATALOG_OID);
                    self.creation_schema.get_or_insert(PG_CATALOG_OID);
                }
            } else if name == "pg_temp" {
                self.temporary.is_first |= self.creation_schema.is_none();
                path.extend(own);
            } else if let Some(s) = self.catalog.schema_named(&name)
                && !path.contains(&s.oid)
                && self.may(s.oid, Class::Schema, USAGE)
            {
                path.push(s.oid);
                self.creation_schema.get_or_insert(s.oid);
            }
        }
        self.search_path = path;
        self.search_path_for = self.catalog.version;
        self.env.update(self.catalog.clone(), &self.search_path, &self.settings, &self.authority);
        self.env.implicit = implicit;
        let defines = self.txn.as_ref().is_some_and(|t| !t.changes.is_empty());
        self.env.set_committed(defines.then(|| self.part.current()));
    }

    /// Schemas searched for names: the session's temporary objects and `pg_catalog` first, unless the setting has a place for them.
    pub(crate) fn search_path(&self) -> &[u32] {
        &self.search_path
    }

    /// No schema of a user's comes before `pg_catalog`, whichever there are.
    pub(super) fn searches_catalog_first(&self) -> bool {
        let names = self.settings.search_path(&self.role_name(self.authority.current));
        names.iter().position(|n| n == "pg_catalog").is_none_or(|n| n == 0)
    }

    /// The schema that new objects go to.
    pub(crate) fn creation_schema(&self) -> Result<u32, SqlError> {
        self.creation_schema.ok_or_else(|| {
            SqlError::new(SqlState::INVALID_SCHEMA_NAME, "no schema has been selected to create in")
        })
    }
}
