//! The catalog as it is read for a few relations, and the way from a constraint to its table: who asks of one among ten thousand does not go through all.
//!
//! Invariants:
//! 1. A narrowed catalog lists fewer relations, and finds every object by its OID or name as the whole one does.
//! 2. With an index its table is listed.
//!
//! Must not know: what is asked of the relations.

use super::shared_map::OidMap;
use super::{Catalog, Table};
use std::sync::Arc;

impl Catalog {
    /// The same, which lists these relations alone.
    pub fn narrowed(&self, relations: &[u32]) -> Catalog {
        let tables = relations.iter().filter_map(|oid| self.indexes.get(*oid));
        let mut only: Vec<u32> = relations.iter().chain(tables).copied().collect();
        only.sort_unstable();
        only.dedup();
        Catalog { only: Some(only.into()), ..self.clone() }
    }

    /// Whether a relation is listed.
    pub fn lists(&self, relation: u32) -> bool {
        self.only.as_ref().is_none_or(|only| only.binary_search(&relation).is_ok())
    }

    /// What is listed of a map of relations, in the order of OIDs.
    pub(super) fn listed<'c, V: Clone>(&'c self, all: &'c OidMap<V>) -> impl Iterator<Item = &'c V> {
        let whole = self.only.is_none().then(|| all.values());
        let few = self.only.iter().flat_map(|only| only.iter()).filter_map(|oid| all.get(*oid));
        whole.into_iter().flatten().chain(few)
    }

    /// The relations of a name, in whatever schema, but for types and system views.
    pub fn relations_named(&self, name: &str) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        for t in self.tables() {
            found.extend((t.name == name).then_some(t.oid));
            found.extend(t.indexes.iter().filter(|i| i.name == name).map(|i| i.oid));
        }
        found.extend(self.sequences().filter(|s| s.name == name).map(|s| s.oid));
        found.extend(self.views().filter(|v| v.name == name).map(|v| v.oid));
        found
    }

    /// The table of a constraint; None: it is a domain's, or there is none.
    pub fn table_of_constraint(&self, oid: u32) -> Option<&Arc<Table>> {
        self.table(*self.constraints.get(oid)?)
    }
}

impl Table {
    /// Its constraints, those that indexes enforce among them.
    pub fn constraint_oids(&self) -> impl Iterator<Item = u32> {
        let by_indexes = self.indexes.iter().filter_map(|i| i.constraint);
        let checks = self.checks.iter().map(|c| c.oid);
        let not_nulls = self.not_nulls.iter().map(|n| n.oid);
        by_indexes.chain(checks).chain(not_nulls).chain(self.foreign_keys.iter().map(|f| f.oid))
    }
}
