//! What a statement needs to be allowed to do.
//!
//! Invariants:
//! 1. One need for each relation that is read or changed under one name of a role; columns are named where they are known, and privileges on them suffice.
//! 2. A plan belongs to one version of the catalog, so whoever passed once passes again.
//!
//! Must not know: sessions, the executor.

use crate::catalog::Catalog;
use crate::catalog::security::Security;
use crate::catalog::security::acl::{self, Class, Privileges, denied};
use evenkeel_types::error::SqlError;
use parking_lot::Mutex;
use std::collections::BTreeSet;

/// What a statement needs of one relation.
#[derive(Clone, Debug, Default)]
pub struct Need {
    /// The relation.
    pub relation: u32,
    /// The role that needs it, if it is not the one that runs the statement: the owner of a view that reads the relation.
    pub by: Option<u32>,
    /// Privileges on the whole, or on the columns below.
    pub privileges: Privileges,
    /// Columns that are read.
    pub selected: BTreeSet<i16>,
    /// Columns that are given values by INSERT.
    pub inserted: BTreeSet<i16>,
    /// Columns that are given values by UPDATE.
    pub updated: BTreeSet<i16>,
}

/// What a statement needs.
#[derive(Debug, Default)]
pub struct Needs {
    /// Of relations.
    pub relations: Vec<Need>,
    /// Functions that it calls.
    pub functions: BTreeSet<&'static str>,
    /// It names an object of another kind, of whose definition nothing may be left in the plan: a type that a user made, a relation as a literal.
    pub names_objects: bool,
    /// Roles that have it all (invariant 2).
    passed: Mutex<Vec<u32>>,
}

impl Needs {
    /// The place of the need of a relation.
    pub fn of(&mut self, relation: u32, by: Option<u32>, privileges: Privileges) -> usize {
        let found = self.relations.iter().position(|n| n.relation == relation && n.by == by);
        let at = found.unwrap_or_else(|| {
            self.relations.push(Need { relation, by, ..Need::default() });
            self.relations.len() - 1
        });
        self.relations[at].privileges |= privileges;
        at
    }

    /// Refuses what others than whoever runs the statement need and lack: owners of views.
    pub fn check_others(&self, catalog: &Catalog) -> Result<(), SqlError> {
        self.relations.iter().filter(|n| n.by.is_some()).try_for_each(|n| n.check(catalog, 0))
    }

    /// Refuses a role that lacks something. Superusers lack nothing, and are not asked.
    pub fn check(&self, catalog: &Catalog, role: u32) -> Result<(), SqlError> {
        if self.passed.lock().contains(&role) {
            return Ok(());
        }
        for need in &self.relations {
            need.check(catalog, role)?;
        }
        self.check_functions(catalog, role)?;
        self.passed.lock().push(role);
        Ok(())
    }

    /// Refuses a role that may not call one of the functions.
    pub fn check_functions(&self, catalog: &Catalog, role: u32) -> Result<(), SqlError> {
        let s = catalog.security();
        for name in &self.functions {
            let may_call = match crate::catalog::views::types::function_oid(name) {
                Some(oid) => s.mask(role, oid, Class::Function, acl::EXECUTE) != 0,
                // One that returns a set: it has no row in pg_proc, and nothing is granted on it.
                None => s.may_call_by_default(role, name),
            };
            if !may_call {
                return Err(denied("function", name));
            }
        }
        Ok(())
    }
}

impl Need {
    fn check(&self, catalog: &Catalog, role: u32) -> Result<(), SqlError> {
        let s = catalog.security();
        let role = self.by.unwrap_or(role);
        let mut wanted = self.privileges;
        if !self.selected.is_empty() {
            wanted |= acl::SELECT;
        }
        let Some(relation) = catalog.relation(self.relation) else { return Ok(()) };
        let class = class_of(&relation);
        let lacks = wanted & !s.mask(role, self.relation, class, wanted);
        let by_columns =
            [(acl::SELECT, &self.selected), (acl::INSERT, &self.inserted), (acl::UPDATE, &self.updated)];
        let of_columns = acl::SELECT | acl::INSERT | acl::UPDATE;
        let has = lacks & !of_columns == 0
            && by_columns
                .iter()
                .all(|(p, columns)| lacks & p == 0 || self.has_on_columns(s, role, *p, columns));
        if has { Ok(()) } else { Err(denied(crate::catalog::noun_of(&relation), relation.name())) }
    }

    /// Whether a role has a privilege on all columns that are named, or on any if none is.
    fn has_on_columns(&self, s: &Security, role: u32, p: Privileges, columns: &BTreeSet<i16>) -> bool {
        let Some(access) = s.access(self.relation) else { return false };
        let has = |acl: &acl::Acl| acl.mask(s, role, access.owner, p) != 0;
        match columns.is_empty() {
            true => access.columns.values().any(has),
            false => columns.iter().all(|c| access.columns.get(c).is_some_and(has)),
        }
    }
}

/// The kind of object that a relation is, as privileges know it.
fn class_of(relation: &crate::catalog::Relation) -> Class {
    match relation {
        crate::catalog::Relation::Sequence(_) => Class::Sequence,
        _ => Class::Table,
    }
}
