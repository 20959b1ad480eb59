//! Definitions: each rests on what there is, names are unique, and every tree of the engine belongs to one table or index.
//!
//! Invariants:
//! 1. Nobody defines anything meanwhile. What a crash cut short may still be about to be undone: it is no one's yet, and no problem.
//!
//! Must not know: rows.

use super::Problems;
use crate::catalog::security::Stored;
use crate::catalog::store::CATALOG_TREE;
use crate::catalog::{
    Catalog, DATABASE_OID, EXPRESSION, FIRST_USER_OID, Object, Relation, StoredQuery, Table, large_objects,
};
use evenkeel::{Database, TreeId, TxnOptions};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Type, quote_ident};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Tells what is wrong between trees and those whose they are, in all databases; gives the trees that are missing.
pub(super) fn check_trees(
    db: &Database,
    catalogs: &[Arc<Catalog>],
    problems: &mut Problems<'_>,
) -> Result<BTreeSet<TreeId>, SqlError> {
    let there: BTreeSet<TreeId> = db.trees()?.into_iter().filter(|t| *t != CATALOG_TREE).collect();
    let mut owners: BTreeMap<TreeId, String> = BTreeMap::new();
    let mut missing = BTreeSet::new();
    let of_tables = catalogs.iter().flat_map(|c| c.tables().flat_map(|t| trees_of(c, t)));
    let of_large_objects = catalogs.iter().filter_map(|c| {
        Some((
            c.large_objects()?,
            format!("the large objects of database {}", quote_ident(c.database_name())),
        ))
    });
    for (tree, owner) in of_tables.chain(of_large_objects) {
        if !there.contains(&tree) {
            missing.insert(tree);
            problems.add(|| format!("{owner}: its tree {} is missing", tree.0));
        }
        if let Some(other) = owners.insert(tree, owner) {
            problems.add(|| format!("tree {} belongs to {other} and to {}", tree.0, owners[&tree]));
        }
    }
    let named = db.begin(TxnOptions::default()).tree_names()?;
    // The names are an application's that has the engine built in.
    owners.extend(named.into_iter().map(|(name, tree)| (tree, name)));
    for tree in there.iter().filter(|t| !owners.contains_key(t)) {
        problems.add(|| format!("tree {} belongs to no table and no index", tree.0));
    }
    Ok(missing)
}

/// Tells what is wrong between the definitions of a database.
pub(super) fn check(catalog: &Catalog, problems: &mut Problems<'_>) {
    let mut objects = Objects { catalog, problems };
    catalog.tables().for_each(|t| objects.table(t));
    objects.others();
    objects.beside();
    objects.names();
}

fn shown(catalog: &Catalog, t: &Table) -> String {
    let schema = catalog.schema(t.schema).map_or("?", |s| s.name.as_str());
    format!("table {}.{}", quote_ident(schema), quote_ident(&t.name))
}

fn trees_of(catalog: &Catalog, t: &Table) -> Vec<(TreeId, String)> {
    let of = shown(catalog, t);
    let indexes = t.indexes.iter().map(|i| (i.tree, format!("index {} of {of}", quote_ident(&i.name))));
    let mut all: Vec<_> = indexes.collect();
    all.push((t.heap.tree, of));
    all
}

struct Objects<'a, 'p, 't> {
    catalog: &'a Catalog,
    problems: &'p mut Problems<'t>,
}

impl Objects<'_, '_, '_> {
    fn must(&mut self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.problems.add(text);
        }
    }

    fn has_type(&self, ty: Type) -> bool {
        ty.user_oid().is_none_or(|oid| self.catalog.user_type(oid).is_some())
    }

    fn schema(&mut self, what: &str, schema: u32) {
        let there = self.catalog.schema(schema).is_some();
        self.must(there, || format!("{what}: its schema {schema} does not exist"));
    }

    fn table(&mut self, t: &Table) {
        let what = shown(self.catalog, t);
        self.schema(&what, t.schema);
        let is_live = |c: usize| t.columns.get(c).is_some_and(|c| !c.dropped);
        self.must(t.types.len() == t.columns.len(), || format!("{what}: as many types as columns"));
        for (n, c) in t.live_columns() {
            let name = quote_ident(&c.name);
            self.must(self.has_type(c.ty), || format!("{what}: the type of column {name} does not exist"));
            for relation in c.default.as_deref().map(Catalog::relations_in).into_iter().flatten() {
                let there = self.catalog.relation(relation).is_some();
                self.must(there, || {
                    format!("{what}: what the default of column {name} draws from does not exist")
                });
            }
            let owned = |identity| self.catalog.sequences().any(|s| s.owned_by == Some((t.oid, n, identity)));
            self.must(c.identity.is_none() || owned(true), || {
                format!("{what}: identity column {name} has no sequence")
            });
            if t.not_nulls.iter().any(|n2| n2.column == n) {
                self.must(c.not_null, || format!("{what}: column {name} has a constraint and may be NULL"));
            }
        }
        for i in &t.indexes {
            let index = quote_ident(&i.name);
            let known =
                i.columns.iter().filter(|c| c.column == EXPRESSION).count() == i.extra.expressions.len();
            self.must(known && i.read_columns().all(is_live), || {
                format!("index {index} of {what} is of columns that do not exist")
            });
        }
        for c in &t.checks {
            self.must(c.columns.iter().all(|c| is_live(*c)), || {
                format!("{what}: constraint {} is of columns that do not exist", quote_ident(&c.name))
            });
        }
        for n in &t.not_nulls {
            self.must(is_live(n.column), || {
                format!("{what}: constraint {} is of a column that does not exist", quote_ident(&n.name))
            });
        }
        for f in &t.foreign_keys {
            let index = self.catalog.table(f.parent).and_then(|p| {
                let has = |c: &usize| p.columns.get(*c).is_some_and(|c| !c.dropped);
                let all = f.parent_columns.iter().all(has) && f.columns.len() == f.parent_columns.len();
                p.indexes.iter().find(|i| all && i.oid == f.parent_index && i.is_declared_unique())
            });
            let holds = index.is_some() && f.columns.iter().all(|c| is_live(*c));
            self.must(holds, || {
                format!("{what}: foreign key {} refers to what does not exist", quote_ident(&f.name))
            });
        }
        if let Some(m) = &t.materialized {
            self.query(&what, &m.query);
        }
    }

    /// What a kept query reads.
    fn query(&mut self, what: &str, query: &StoredQuery) {
        for read in &query.reads {
            let there = match self.catalog.relation(read.oid) {
                Some(Relation::Table(t)) => {
                    read.used.iter().all(|c| t.columns.get(*c).is_some_and(|c| !c.dropped))
                }
                Some(Relation::View(v)) => read.used.iter().all(|c| *c < v.columns.len()),
                other => other.is_some(),
            };
            self.must(there, || format!("{what} reads {}, which is not there", quote_ident(&read.name)));
        }
    }

    fn others(&mut self) {
        for s in self.catalog.sequences() {
            let what = format!("sequence {}", quote_ident(&s.name));
            self.schema(&what, s.schema);
            if let Some((table, column, _)) = s.owned_by {
                let owner = self.catalog.table(table).and_then(|t| t.columns.get(column));
                let there = owner.is_some_and(|c| !c.dropped);
                self.must(there, || format!("{what} belongs to a column that does not exist"));
            }
        }
        for v in self.catalog.views() {
            let what = format!("view {}", quote_ident(&v.name));
            self.schema(&what, v.schema);
            let typed = v.columns.iter().all(|c| self.has_type(c.ty));
            self.must(typed, || format!("{what}: the type of a column does not exist"));
            self.query(&what, &v.query);
        }
        for t in self.catalog.types() {
            let what = format!("type {}", quote_ident(&t.name));
            self.schema(&what, t.schema);
            let ordered = t.labels.windows(2).all(|w| w[0].0 < w[1].0);
            let texts: BTreeSet<&str> = t.labels.iter().map(|l| l.1.as_str()).collect();
            self.must(ordered && texts.len() == t.labels.len(), || {
                format!("{what}: its labels are not in order")
            });
        }
        for c in self.catalog.collations() {
            let what = format!("collation {}", quote_ident(&c.name));
            self.schema(&what, c.schema);
            self.must(c.collation().is_ok(), || format!("{what}: there are no such rules"));
        }
        for e in self.catalog.extensions() {
            self.schema(&format!("extension {}", quote_ident(&e.name)), e.schema);
        }
    }

    /// What is said of objects: comments, owners and privileges, memberships.
    fn beside(&mut self) {
        let mut oids: BTreeSet<u32> = self.catalog.databases().map(|d| d.oid).collect();
        for t in self.catalog.tables() {
            let indexes = t.indexes.iter().flat_map(|i| [Some(i.oid), i.constraint]).flatten();
            oids.extend(indexes.chain([t.oid]));
            oids.extend(t.checks.iter().map(|c| c.oid));
            oids.extend(t.foreign_keys.iter().map(|f| f.oid));
            oids.extend(t.not_nulls.iter().map(|n| n.oid));
        }
        oids.extend(self.catalog.sequences().map(|s| s.oid));
        oids.extend(self.catalog.views().map(|v| v.oid));
        oids.extend(self.catalog.types().map(|t| t.oid));
        oids.extend(self.catalog.collations().map(|c| c.oid));
        oids.extend(self.catalog.extensions().map(|e| e.oid));
        oids.extend(self.catalog.schemas().map(|s| s.oid));
        let security = self.catalog.security();
        oids.extend(security.roles().map(|r| r.oid));
        let there = |oid: u32| oid < FIRST_USER_OID || oids.contains(&oid);
        let of_large_objects = |class: u32| class == large_objects::CLASS_OID;
        for c in self.catalog.comments() {
            // Of large objects `large_objects` looks.
            let is_other = |((class, _), _): (&(u32, i32), &String)| !of_large_objects(*class);
            self.must(there(c.oid) || !c.texts.iter().any(is_other), || {
                format!("there is a comment on object {}, which does not exist", c.oid)
            });
        }
        let is_role = |oid: u32| security.role(oid).is_some();
        let mut stored: Vec<Stored> = security.accesses().cloned().map(Stored::Access).collect();
        stored.extend(security.memberships().cloned().map(Stored::Membership));
        stored.extend(security.default_acls().cloned().map(Stored::DefaultAcl));
        for s in stored {
            let key = Object::Security(s.clone()).key().1;
            let (object, roles): (u32, Vec<u32>) = match &s {
                Stored::Access(a) => {
                    let columns = a.columns.values().flat_map(|acl| acl.roles());
                    (
                        a.oid,
                        a.acl.iter().flat_map(|acl| acl.roles()).chain(columns).chain([a.owner]).collect(),
                    )
                }
                Stored::DefaultAcl(d) => (d.schema, d.acl.roles().chain([d.role]).collect()),
                Stored::Membership(m) => (DATABASE_OID, vec![m.role, m.member, m.grantor]),
                _ => continue,
            };
            self.must(there(object), || {
                format!("there are privileges on object {object}, which does not exist")
            });
            // 0 is everybody.
            self.must(roles.iter().all(|r| *r == 0 || is_role(*r)), || {
                format!("privileges or memberships {key} are of a role that does not exist")
            });
        }
    }

    fn names(&mut self) {
        let mut names: BTreeSet<(&str, u32, &str)> = BTreeSet::new();
        let mut doubled = Vec::new();
        let mut take = |kind, schema, name| {
            if !names.insert((kind, schema, name)) {
                doubled.push(format!("there are two {kind} {}", quote_ident(name)));
            }
        };
        for t in self.catalog.tables() {
            take("relations", t.schema, t.name.as_str());
            t.indexes.iter().for_each(|i| take("relations", t.schema, i.name.as_str()));
        }
        self.catalog.sequences().for_each(|s| take("relations", s.schema, s.name.as_str()));
        self.catalog.views().for_each(|v| take("relations", v.schema, v.name.as_str()));
        self.catalog.types().for_each(|t| take("types", t.schema, t.name.as_str()));
        self.catalog.schemas().for_each(|s| take("schemas", 0, s.name.as_str()));
        self.catalog.security().roles().for_each(|r| take("roles", 0, r.name.as_str()));
        self.catalog.databases().for_each(|d| take("databases", 0, d.name.as_str()));
        self.catalog.extensions().for_each(|e| take("extensions", 0, e.name.as_str()));
        doubled.into_iter().for_each(|text| self.problems.add(|| text));
    }
}
