//! DROP SEQUENCE, and what becomes of those that draw from a sequence that goes, with its owner or alone.
//!
//! Invariants:
//! 1. No default and no view is left behind that names a sequence which is gone: they go too, with CASCADE, or the sequence stays.
//!
//! Must not know: how sequences draw.

use super::depends;
use super::drop::drop_hint;
use crate::catalog::locks::TableLockMode;
use crate::catalog::store::CATALOG_TREE;
use crate::catalog::{Catalog, Change, Kind, Relation, Sequence, Table, codec};
use crate::parse::{DropStmt, Name, ObjectKind};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::quote_ident;
use std::sync::Arc;

/// A default that draws from a sequence.
struct User {
    table: u32,
    column: usize,
    sequence: Arc<Sequence>,
}

impl Session {
    pub(super) fn drop_sequence(&mut self, name: &Name, d: &DropStmt) -> Result<(), SqlError> {
        let Some(relation) = self.drop_target(name, "sequence", d.if_exists)? else { return Ok(()) };
        let Relation::Sequence(s) = relation else {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not a sequence", relation.name()),
            )
            .with_hint(drop_hint(&relation)));
        };
        let relation = Relation::Sequence(s.clone());
        self.check_owns_or_schema(&relation)?;
        if self.is_another_by_now(name, &relation)? {
            return self.drop_sequence(name, d);
        }
        let s = self.catalog.sequence(s.oid).cloned().unwrap_or(s);
        if let Some((table, column, true)) = s.owned_by
            && let Some(t) = self.catalog.table(table)
            && let Some(c) = t.columns.get(column).filter(|c| !c.dropped)
        {
            let needed = format!("column {} of {}", c.name, self.told(&Relation::Table(t.clone())));
            let why = format!(
                "cannot drop {} because {needed} requires it",
                self.told(&Relation::Sequence(s.clone()))
            );
            return Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, why)
                .with_hint(format!("You can drop {needed} instead.")));
        }
        let own = self.told(&Relation::Sequence(s.clone()));
        let mut cascaded = Vec::new();
        self.release_sequences(std::slice::from_ref(&s), &[], &own, d.cascade, &mut cascaded)?;
        self.tell_cascades(&cascaded);
        self.begin_definition()?;
        self.remove_sequence(&s)
    }

    pub(super) fn remove_sequence(&mut self, s: &Sequence) -> Result<(), SqlError> {
        let s = self.lock_sequence(s, TableLockMode::AccessExclusive)?;
        self.begin_definition()?;
        self.engine()?.remove(CATALOG_TREE, &codec::key(Kind::SequenceValue, s.values))?;
        self.record(Change::Remove(Kind::Sequence, s.oid))
    }

    /// The sequences that go with a table.
    pub(super) fn sequences_of(&self, table: u32) -> Vec<Arc<Sequence>> {
        let owned = |s: &&Arc<Sequence>| s.owned_by.is_some_and(|(of, ..)| of == table);
        self.catalog.sequences().filter(owned).cloned().collect()
    }

    /// Takes away what draws from sequences that go, or fails (invariant 1), but for what goes itself: `gone` are tables, with a column, or all of it. `what`: that which is
    /// dropped.
    pub(super) fn release_sequences(
        &mut self,
        sequences: &[Arc<Sequence>],
        gone: &[(u32, Option<usize>)],
        what: &str,
        cascade: bool,
        cascaded: &mut Vec<String>,
    ) -> Result<(), SqlError> {
        if sequences.is_empty() {
            return Ok(());
        }
        let users = self.users_of(sequences, gone);
        let domains = self.domains_drawing(sequences);
        let relations: Vec<Relation> = sequences.iter().cloned().map(Relation::Sequence).collect();
        if !cascade && users.is_empty() && domains.is_empty() {
            return self.drop_readers(&relations, false, cascaded);
        }
        if !cascade {
            let of_users = users
                .iter()
                .map(|u| format!("{} depends on {}", self.default_told(u), self.sequence_told(&u.sequence)));
            let of_domains =
                domains.iter().map(|(name, s)| format!("type {name} depends on {}", self.sequence_told(s)));
            let mut lines: Vec<String> = of_users.chain(of_domains).collect();
            if let Err(readers) = self.drop_readers(&relations, false, cascaded) {
                lines.extend(readers.detail.clone());
            }
            let (kind, name) = what.split_once(' ').unwrap_or((what, ""));
            return Err(depends(kind, name, &[]).with_detail(lines.join("\n")));
        }
        self.drop_readers(&relations, true, cascaded)?;
        for user in users {
            let Some(t) = self.catalog.table(user.table).cloned() else { continue };
            self.lock_object(&t.shared.lock, TableLockMode::AccessExclusive, &t.name, false)?;
            self.refresh_catalog();
            // It may have gone, or be another, by the time it is locked.
            let Some(mut changed) = self.catalog.table(user.table).map(|t| (**t).clone()) else { continue };
            cascaded.push(self.default_told(&user));
            changed.columns[user.column].default = None;
            self.begin_definition()?;
            self.put_table(changed)?;
        }
        for (name, _) in domains {
            cascaded.push(format!("type {name}"));
            let (kind, names) =
                (ObjectKind::Domain, vec![Name { schema: Some(name.schema), name: name.name }]);
            self.drop_types(&DropStmt { kind, concurrently: false, if_exists: true, names, cascade: true })?;
        }
        Ok(())
    }

    fn users_of(&self, sequences: &[Arc<Sequence>], gone: &[(u32, Option<usize>)]) -> Vec<User> {
        let mut users = Vec::new();
        for t in self.catalog.tables() {
            for (column, c) in t.live_columns() {
                let is_gone =
                    gone.iter().any(|(table, of)| *table == t.oid && of.is_none_or(|of| of == column));
                let Some(text) = c.default.as_deref().filter(|_| !is_gone) else { continue };
                let drawn = sequences.iter().find(|s| Catalog::text_names_relation(text, s.oid));
                users.extend(drawn.map(|s| User { table: t.oid, column, sequence: s.clone() }));
            }
        }
        users.sort_by_key(|u| (u.table, u.column));
        users
    }

    fn domains_drawing(&self, sequences: &[Arc<Sequence>]) -> Vec<(Qualified, Arc<Sequence>)> {
        let drawing = |t: &Arc<crate::catalog::UserType>| {
            let text = t.domain.as_ref()?.default.as_deref()?;
            let drawn = sequences.iter().find(|s| Catalog::text_names_relation(text, s.oid))?;
            let schema = self.catalog.schema(t.schema)?.name.clone();
            Some((Qualified { schema, name: t.name.clone() }, drawn.clone()))
        };
        self.catalog.types().filter_map(drawing).collect()
    }

    /// A relation as messages call it.
    pub(super) fn told(&self, r: &Relation) -> String {
        let name = self.catalog.qualified_name(r, self.search_path());
        format!("{} {name}", crate::catalog::noun_of(r))
    }

    /// The same of a table as it is now, which may have been changed since the catalog was read.
    pub(super) fn table_told(&self, t: &Table) -> String {
        self.catalog
            .relation(t.oid)
            .map_or_else(|| format!("table {}", quote_ident(&t.name)), |r| self.told(&r))
    }

    fn sequence_told(&self, s: &Arc<Sequence>) -> String {
        self.told(&Relation::Sequence(s.clone()))
    }

    fn default_told(&self, user: &User) -> String {
        let Some(t) = self.catalog.table(user.table) else { return String::new() };
        let column = &t.columns[user.column].name;
        format!("default value for column {column} of {}", self.told(&Relation::Table(t.clone())))
    }
}

/// A domain's name.
struct Qualified {
    schema: String,
    name: String,
}

impl std::fmt::Display for Qualified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quote = evenkeel_types::quote_ident;
        write!(f, "{}.{}", quote(&self.schema), quote(&self.name))
    }
}
