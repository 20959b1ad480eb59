//! DROP and TRUNCATE.
//!
//! Must not know: how objects are made.

use super::{depends, several_depended_on};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{Class, TRUNCATE};
use crate::catalog::store::CATALOG_TREE;
use crate::catalog::{
    Change, Heap, Index, IndexState, Kind, Relation, Schema, Sequence, Table, UserType, View, codec,
};
use crate::parse::{DropStmt, Name, ObjectKind, TruncateStmt};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::ty::FIRST_COMPOSITE_OID;
use std::sync::Arc;

impl Session {
    pub(crate) fn drop_objects(&mut self, d: &DropStmt) -> Result<(), SqlError> {
        match d.kind {
            ObjectKind::Table => self.drop_tables(d),
            ObjectKind::Index if d.concurrently && d.names.len() > 1 => Err(SqlError::unsupported(
                "DROP INDEX CONCURRENTLY does not support dropping multiple objects",
            )),
            ObjectKind::Index if d.concurrently && d.cascade => {
                Err(SqlError::unsupported("DROP INDEX CONCURRENTLY does not support CASCADE"))
            }
            ObjectKind::Index if d.concurrently => {
                self.refuse_in_block("DROP INDEX CONCURRENTLY")?;
                d.names.iter().try_for_each(|n| self.drop_index(n, d.if_exists, true, false))
            }
            ObjectKind::Index => {
                d.names.iter().try_for_each(|n| self.drop_index(n, d.if_exists, false, d.cascade))
            }
            ObjectKind::Sequence => d.names.iter().try_for_each(|n| self.drop_sequence(n, d)),
            ObjectKind::Schema => d.names.iter().try_for_each(|n| self.drop_schema(n, d)),
            ObjectKind::View => self.drop_views(d, false),
            ObjectKind::Type | ObjectKind::Domain => self.drop_types(d),
            ObjectKind::Collation => self.drop_collations(d),
            ObjectKind::Extension => self.drop_extensions(d),
            ObjectKind::MaterializedView => self.drop_views(d, true),
        }
    }

    fn missing(&mut self, kind: &str, name: &Name) {
        self.skipped(&format!("{kind} \"{}\" does not exist", name.name));
    }

    /// Tells why nothing is done.
    pub(super) fn skipped(&mut self, why: &str) {
        self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, format!("{why}, skipping"));
    }

    /// Looks up what a DROP names; None: missing, and that is allowed.
    pub(super) fn drop_target(
        &mut self,
        name: &Name,
        kind: &str,
        if_exists: bool,
    ) -> Result<Option<Relation>, SqlError> {
        self.refresh_catalog();
        self.check_schema_of(name)?;
        let found = match self.catalog.resolve(name.schema.as_deref(), &name.name, self.search_path()) {
            Err(_) if if_exists => None,
            other => other?,
        };
        if found.is_none() {
            let no_schema = self.missing_schema(name);
            if !if_exists {
                let code =
                    if kind == "index" { SqlState::UNDEFINED_OBJECT } else { SqlState::UNDEFINED_TABLE };
                let why = || SqlError::new(code, format!("{kind} \"{}\" does not exist", name.name));
                return Err(no_schema.unwrap_or_else(why));
            }
            match no_schema {
                Some(e) => self.skipped(&e.message),
                None => self.missing(kind, name),
            }
        }
        Ok(found)
    }

    fn drop_tables(&mut self, d: &DropStmt) -> Result<(), SqlError> {
        let mut tables: Vec<Arc<Table>> = Vec::new();
        for name in &d.names {
            match self.drop_target(name, "table", d.if_exists)? {
                None => {}
                Some(relation) if matches!(&relation, Relation::Table(t) if t.materialized.is_none()) => {
                    self.check_owns_or_schema(&relation)?;
                    let t = self.lock_table(name, TableLockMode::AccessExclusive)?;
                    if !tables.iter().any(|x| x.oid == t.oid) {
                        tables.push(t);
                    }
                }
                Some(other) => {
                    return Err(SqlError::new(
                        SqlState::WRONG_OBJECT_TYPE,
                        format!("\"{}\" is not a table", other.name()),
                    )
                    .with_hint(drop_hint(&other)));
                }
            }
        }
        self.drop_table_list(&tables, d.cascade, true)
    }

    /// Drops tables. `told`: what goes with them is told.
    pub(super) fn drop_table_list(
        &mut self,
        tables: &[Arc<Table>],
        cascade: bool,
        told: bool,
    ) -> Result<(), SqlError> {
        if tables.is_empty() {
            return Ok(());
        }
        let oids: Vec<u32> = tables.iter().map(|t| t.oid).collect();
        let relations: Vec<Relation> = tables.iter().cloned().map(Relation::Table).collect();
        let mut cascaded = Vec::new();
        if !cascade {
            self.refuse_referenced(tables, &relations)?;
        }
        for t in tables {
            let children: Vec<Arc<Table>> =
                self.catalog.referencing_tables(t.oid).filter(|c| !oids.contains(&c.oid)).cloned().collect();
            for child in children {
                let names: Vec<String> =
                    child.foreign_keys.iter().filter(|f| f.parent == t.oid).map(|f| f.name.clone()).collect();
                let of = self.told(&Relation::Table(child.clone()));
                let constraints: Vec<String> =
                    names.iter().map(|n| format!("constraint {n} on {of}")).collect();
                self.lock_object(&child.shared.lock, TableLockMode::AccessExclusive, &child.name, false)?;
                self.refresh_catalog();
                let Some(current) = self.catalog.table(child.oid).cloned() else { continue };
                let mut changed = (*current).clone();
                changed.foreign_keys.retain(|f| f.parent != t.oid);
                self.begin_definition()?;
                self.put_table(changed)?;
                cascaded.extend(constraints);
            }
        }
        self.drop_readers(&relations, cascade, &mut cascaded)?;
        let sequences: Vec<Arc<Sequence>> = oids.iter().flat_map(|t| self.sequences_of(*t)).collect();
        let gone: Vec<(u32, Option<usize>)> = oids.iter().map(|t| (*t, None)).collect();
        let what = format!("table {}", self.catalog.qualified_name(&relations[0], self.search_path()));
        self.release_sequences(&sequences, &gone, &what, cascade, &mut cascaded)?;
        if told {
            self.tell_cascades(&cascaded);
        }
        tables.iter().try_for_each(|t| self.refuse_in_use(t, "DROP TABLE"))?;
        self.refresh_catalog();
        self.begin_definition()?;
        for t in tables {
            // As it is now that it is locked.
            let Some(t) = self.catalog.table(t.oid).cloned() else { continue };
            for s in self.sequences_of(t.oid) {
                self.remove_sequence(&s)?;
            }
            let database = self.catalog.database;
            let engine = self.engine()?;
            for i in &t.indexes {
                engine.drop_tree(i.tree)?;
            }
            engine.drop_tree(t.heap.tree)?;
            engine.remove(CATALOG_TREE, &codec::key_in(database, Kind::Statistics, t.oid))?;
            self.record(Change::Remove(Kind::Table, t.oid))?;
        }
        Ok(())
    }

    /// Refuses to drop tables that foreign keys of others refer to, with all that depends on them.
    fn refuse_referenced(&mut self, tables: &[Arc<Table>], relations: &[Relation]) -> Result<(), SqlError> {
        let mut lines = Vec::new();
        for (t, told) in tables.iter().zip(relations) {
            let told = self.told(told);
            for child in self.catalog.referencing_tables(t.oid) {
                if tables.iter().any(|t| t.oid == child.oid) {
                    continue;
                }
                let of = self.told(&Relation::Table(child.clone()));
                let keys = child.foreign_keys.iter().filter(|f| f.parent == t.oid);
                lines.extend(keys.map(|f| format!("constraint {} on {of} depends on {told}", f.name)));
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        let mut e = match relations {
            [one] => depends("table", &self.catalog.qualified_name(one, self.search_path()), &[]),
            _ => several_depended_on(),
        };
        if let Err(readers) = self.drop_readers(relations, false, &mut Vec::new()) {
            lines.extend(readers.detail.clone());
        }
        e.detail = Some(lines.join("\n"));
        Err(e)
    }

    pub(super) fn drop_index(
        &mut self,
        name: &Name,
        if_exists: bool,
        concurrently: bool,
        cascade: bool,
    ) -> Result<(), SqlError> {
        let Some(relation) = self.drop_target(name, "index", if_exists)? else { return Ok(()) };
        let Relation::Index(table, index) = relation else {
            let e = SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not an index", relation.name()),
            );
            return Err(e.with_hint(drop_hint(&relation)));
        };
        self.check_owns_or_schema(&Relation::Index(table.clone(), index.clone()))?;
        if index.constraint.is_some() {
            let of = self.table_told(&table);
            let told = self.told(&Relation::Index(table.clone(), index.clone()));
            let why = format!("cannot drop {told} because constraint {} on {of} requires it", index.name);
            return Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, why)
                .with_hint(format!("You can drop constraint {} on {of} instead.", index.name)));
        }
        self.ensure_txn()?;
        // Nobody else knows a temporary table.
        let concurrently = concurrently && !self.catalog.is_temporary(table.schema);
        let mode =
            if concurrently { TableLockMode::ShareUpdateExclusive } else { TableLockMode::AccessExclusive };
        self.lock_object(&table.shared.lock, mode, &table.name, false)?;
        self.refresh_catalog();
        // The name may stand for another by now, or for nothing.
        if !self.find_relation(name).is_ok_and(|now| now.oid() == index.oid) {
            return self.drop_index(name, if_exists, concurrently, cascade);
        }
        let Some(table) = self.catalog.table(table.oid).cloned() else { return Ok(()) };
        self.begin_definition()?;
        if concurrently {
            return self.drop_index_concurrently(&table, index.oid);
        }
        self.remove_index(&table, index.oid, cascade).map(|_| ())
    }

    /// Refuses to take away an index that foreign keys rest on.
    pub(super) fn refuse_rested_on(&self, table: &Table, oid: u32) -> Result<(), SqlError> {
        let Some(index) = table.indexes.iter().find(|i| i.oid == oid) else { return Ok(()) };
        for child in self.catalog.referencing_tables(table.oid) {
            let names = keys_on(child, oid);
            if !names.is_empty() {
                return Err(self.rests_on(table, index, child, &names));
            }
        }
        Ok(())
    }

    /// Takes an index away, with foreign keys that rest on it if that is allowed.
    pub(super) fn remove_index(
        &mut self,
        table: &Table,
        oid: u32,
        cascade: bool,
    ) -> Result<Arc<Table>, SqlError> {
        let mut changed = table.clone();
        if let Some(n) = changed.indexes.iter().position(|i| i.oid == oid) {
            let index = changed.indexes[n].clone();
            let children: Vec<Arc<Table>> = self.catalog.referencing_tables(table.oid).cloned().collect();
            for child in children {
                let names = keys_on(&child, oid);
                if names.is_empty() {
                    continue;
                }
                if !cascade {
                    return Err(self.rests_on(table, &index, &child, &names));
                }
                let of = self.table_told(&child);
                for n in &names {
                    let told = format!("drop cascades to constraint {n} on {of}");
                    self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, told);
                }
                self.lock_object(&child.shared.lock, TableLockMode::AccessExclusive, &child.name, false)?;
                if child.oid == table.oid {
                    changed.foreign_keys.retain(|f| f.parent_index != oid);
                } else {
                    self.refresh_catalog();
                    if let Some(mut c) = self.catalog.table(child.oid).map(|c| (**c).clone()) {
                        c.foreign_keys.retain(|f| f.parent_index != oid);
                        self.put_table(c)?;
                    }
                }
            }
            changed.indexes.remove(n);
            self.engine()?.drop_tree(index.tree)?;
        }
        self.put_table(changed)
    }

    fn drop_schema(&mut self, name: &Name, d: &DropStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        if let Some(schema) = self.catalog.schema_named(&name.name).cloned() {
            self.check_owns(schema.oid, "schema", &schema.name)?;
            // Whoever makes something in it is waited for.
            self.lock_name(0, &name.name)?;
            self.refresh_catalog();
        }
        let Some(schema) = self.catalog.schema_named(&name.name).cloned() else {
            if d.if_exists {
                self.missing("schema", name);
                return Ok(());
            }
            return Err(SqlError::new(
                SqlState::INVALID_SCHEMA_NAME,
                format!("schema \"{name}\" does not exist"),
            ));
        };
        if crate::session::is_system_schema(schema.oid) {
            return Err(SqlError::new(
                SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
                format!("cannot drop schema {} because it is required by the database system", schema.name),
            ));
        }
        self.check_owns(schema.oid, "schema", &schema.name)?;
        if !d.cascade {
            self.check_is_empty(&schema)?;
        }
        self.drop_objects_of(&schema, true)?;
        self.record(Change::Remove(Kind::Schema, schema.oid))
    }

    fn check_is_empty(&self, schema: &Schema) -> Result<(), SqlError> {
        let what: Vec<String> = self.objects_of(schema).into_iter().map(|o| o.1).collect();
        if what.is_empty() { Ok(()) } else { Err(depends("schema", &schema.name, &what)) }
    }

    /// What stands in a schema, by OID, as it is told of.
    fn objects_of(&self, schema: &Schema) -> Vec<(u32, String)> {
        let path = self.search_path();
        let of = |s: u32| s == schema.oid;
        let tables = self.catalog.tables().filter(|t| of(t.schema)).cloned().map(Relation::Table);
        let views = self.catalog.views().filter(|v| of(v.schema)).cloned().map(Relation::View);
        let sequences = self.catalog.sequences().filter(|s| of(s.schema) && s.owned_by.is_none());
        let relations = tables.chain(views).chain(sequences.cloned().map(Relation::Sequence));
        let relations = relations.map(|r| (r.oid(), self.told(&r)));
        let types = self.catalog.types().filter(|t| of(t.schema));
        let types =
            types.filter_map(|t| Some((t.oid, format!("type {}", self.catalog.type_name(t.oid, path)?))));
        let collations = self.catalog.collations().filter(|c| of(c.schema));
        let collations =
            collations.map(|c| (c.oid, format!("collation {}", self.catalog.shown_collation(c.oid, path))));
        let extensions = self.catalog.extensions().filter(|e| of(e.schema));
        let extensions =
            extensions.map(|e| (e.oid, format!("extension {}", evenkeel_types::quote_ident(&e.name))));
        let mut all: Vec<(u32, String)> =
            relations.chain(types).chain(collations).chain(extensions).collect();
        // Composite types have their numbers from a place of their own on.
        all.sort_by_key(|o| o.0 % FIRST_COMPOSITE_OID);
        all
    }

    /// Drops a session's temporary objects.
    pub(crate) fn drop_temp_objects(&mut self, schema: u32) -> Result<(), SqlError> {
        match self.catalog.schema(schema).cloned() {
            Some(schema) => self.drop_objects_of(&schema, false),
            None => Ok(()),
        }
    }

    /// The same, with their schema.
    pub(crate) fn drop_temp_schema(&mut self, schema: u32) -> Result<(), SqlError> {
        self.drop_temp_objects(schema)?;
        self.record(Change::Remove(Kind::Schema, schema))
    }

    /// Drops temporary tables.
    pub(crate) fn drop_temp_tables(&mut self, tables: &[Arc<Table>]) -> Result<(), SqlError> {
        for t in tables {
            self.lock_object(&t.shared.lock, TableLockMode::AccessExclusive, &t.name, false)?;
        }
        self.drop_table_list(tables, true, false)
    }

    /// Drops what is in a schema. `told`: what that is is told.
    fn drop_objects_of(&mut self, schema: &Schema, told: bool) -> Result<(), SqlError> {
        let tables: Vec<Arc<Table>> =
            self.catalog.tables().filter(|t| t.schema == schema.oid).cloned().collect();
        let views: Vec<Arc<View>> =
            self.catalog.views().filter(|v| v.schema == schema.oid).cloned().collect();
        let types: Vec<Arc<UserType>> =
            self.catalog.types().filter(|t| t.schema == schema.oid).cloned().collect();
        let cascaded = self.objects_of(schema);
        self.ensure_txn()?;
        for t in &tables {
            self.lock_object(&t.shared.lock, TableLockMode::AccessExclusive, &t.name, false)?;
        }
        self.drop_table_list(&tables, true, false)?;
        let views: Vec<Relation> =
            views.into_iter().filter(|v| self.catalog.view(v.oid).is_some()).map(Relation::View).collect();
        self.drop_view_list(&views, true)?;
        let mut beyond: Vec<String> = cascaded.into_iter().map(|c| c.1).collect();
        let collations: Vec<u32> =
            self.catalog.collations().filter(|c| c.schema == schema.oid).map(|c| c.oid).collect();
        for oid in collations {
            self.drop_collation(oid, true, &mut beyond)?;
        }
        if told {
            self.tell_cascades(&beyond);
        }
        if !types.is_empty() {
            let names =
                types.iter().map(|t| Name { schema: Some(schema.name.clone()), name: t.name.clone() });
            let (kind, names) = (ObjectKind::Type, names.collect());
            self.drop_types(&DropStmt { kind, concurrently: false, if_exists: true, names, cascade: true })?;
        }
        self.begin_definition()?;
        let left: Vec<Arc<Sequence>> =
            self.catalog.sequences().filter(|s| s.schema == schema.oid).cloned().collect();
        let mut cascaded = Vec::new();
        self.release_sequences(&left, &[], "", true, &mut cascaded)?;
        if told {
            self.tell_cascades(&cascaded);
        }
        for s in left {
            self.remove_sequence(&s)?;
        }
        self.drop_extensions_of(schema.oid)
    }

    pub(crate) fn truncate(&mut self, t: &TruncateStmt) -> Result<(), SqlError> {
        let mut tables: Vec<Arc<Table>> = Vec::new();
        for name in &t.tables {
            if let Relation::Table(m) = self.find_relation(name)?
                && m.materialized.is_some()
            {
                let why = format!("\"{}\" is not a table", m.name);
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
            }
            let table = self.lock_table_for(name, TableLockMode::AccessExclusive, TRUNCATE)?;
            if !tables.iter().any(|x| x.oid == table.oid) {
                tables.push(table);
            }
        }
        let mut n = 0;
        while let Some(table) = tables.get(n).cloned() {
            n += 1;
            // Nobody refers to it anew now that it is locked; somebody may have while it was waited for.
            self.refresh_catalog();
            self.refuse_in_use(&table, "TRUNCATE")?;
            let children: Vec<Arc<Table>> = self.catalog.referencing_tables(table.oid).cloned().collect();
            for child in children {
                if tables.iter().any(|x| x.oid == child.oid) {
                    continue;
                }
                if !t.cascade {
                    return Err(SqlError::unsupported(
                        "cannot truncate a table referenced in a foreign key constraint",
                    )
                    .with_detail(format!("Table \"{}\" references \"{}\".", child.name, table.name))
                    .with_hint(format!(
                        "Truncate table \"{}\" at the same time, or use TRUNCATE ... CASCADE.",
                        child.name
                    )));
                }
                self.check_may(child.oid, Class::Table, &child.name, TRUNCATE)?;
                self.lock_object(&child.shared.lock, TableLockMode::AccessExclusive, &child.name, false)?;
                self.notice(
                    "NOTICE",
                    SqlState::SUCCESSFUL_COMPLETION,
                    format!("truncate cascades to table \"{}\"", child.name),
                );
                tables.push(child);
            }
        }
        self.refresh_catalog();
        self.begin_definition()?;
        for table in tables {
            // As it is now that it is locked.
            let Some(mut changed) = self.catalog.table(table.oid).map(|t| (**t).clone()) else { continue };
            self.empty(&mut changed)?;
            self.put_table(changed)?;
            if t.restart_identity {
                let owned: Vec<Arc<Sequence>> = self
                    .catalog
                    .sequences()
                    .filter(|s| s.owned_by.is_some_and(|(o, _, _)| o == table.oid))
                    .cloned()
                    .collect();
                for s in owned {
                    self.check_owns(s.oid, "sequence", &s.name)?;
                    self.restart_sequence(&s)?;
                }
            }
        }
        Ok(())
    }
}

impl Session {
    /// Gives a table new trees in place of its own.
    pub(crate) fn empty(&mut self, table: &mut Table) -> Result<(), SqlError> {
        let engine = self.engine()?;
        engine.drop_tree(table.heap.tree)?;
        table.heap = Heap::new(engine.create_tree()?);
        for index in &mut table.indexes {
            engine.drop_tree(index.tree)?;
            let index = Arc::make_mut(index);
            index.tree = engine.create_tree()?;
            index.since_version = u64::MAX;
            index.state = IndexState::Valid;
        }
        self.note_emptied(table);
        Ok(())
    }
}

/// The foreign keys of a table that rest on an index.
fn keys_on(child: &Table, index: u32) -> Vec<String> {
    child.foreign_keys.iter().filter(|f| f.parent_index == index).map(|f| f.name.clone()).collect()
}

impl Session {
    /// Why an index cannot go.
    fn rests_on(&self, table: &Table, index: &Arc<Index>, child: &Table, names: &[String]) -> SqlError {
        let told = match self.catalog.table(table.oid) {
            Some(t) => self.told(&Relation::Index(t.clone(), index.clone())),
            None => format!("index {}", index.name),
        };
        let (kind, shown) = match (index.constraint, told.split_once(' ')) {
            (None, Some((kind, name))) => (kind, name.to_owned()),
            _ => ("constraint", format!("{} on {}", index.name, self.table_told(table))),
        };
        let of = self.table_told(child);
        let lines = names.iter().map(|n| format!("constraint {n} on {of} depends on {told}"));
        let mut e = depends(kind, &shown, &[]);
        e.detail = Some(lines.collect::<Vec<_>>().join("\n"));
        e
    }
}

/// What to use instead.
pub(super) fn drop_hint(r: &Relation) -> &'static str {
    match r {
        Relation::View(_) => "Use DROP VIEW to remove a view.",
        Relation::Table(t) if t.materialized.is_some() => {
            "Use DROP MATERIALIZED VIEW to remove a materialized view."
        }
        Relation::Table(_) => "Use DROP TABLE to remove a table.",
        Relation::Index(..) => "Use DROP INDEX to remove an index.",
        Relation::Sequence(_) => "Use DROP SEQUENCE to remove a sequence.",
        Relation::Virtual(_) => "System catalogs cannot be dropped.",
    }
}
