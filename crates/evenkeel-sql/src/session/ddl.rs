//! Definition statements: what they share, and DROP, TRUNCATE, REINDEX, sequences and schemas.
//!
//! A definition statement locks the tables concerned, begins its statement (so its snapshot is younger than the lock), changes trees and
//! catalog rows in the session's transaction, and notes the change for the session's own view of the catalog.
//!
//! Must not know: how the catalog is stored.

use super::Session;
use crate::catalog::locks::TableLockMode;
use crate::catalog::store::{CATALOG_TREE, write_change};
use crate::catalog::{Change, Heap, Index, Kind, Object, Relation, Schema, Sequence, Table, codec};
use crate::exec::{Cx, RunState, build};
use crate::parse::{CreateSequenceStmt, DropStmt, Name, ObjectKind, SequenceOptions, TruncateStmt};
use crate::plan::Plan;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast;
use std::sync::Arc;

impl Session {
    /// Runs a definition statement; returns its tag.
    pub(super) fn definition(&mut self, s: &ast::Statement) -> Result<String, SqlError> {
        use ast::Statement as S;
        let (what, result) = match s {
            S::CreateTable(c) => {
                self.check_writable("CREATE TABLE")?;
                match &c.query {
                    Some(q) => return self.create_table_as(c, q),
                    None => ("CREATE TABLE", self.create_table(c)),
                }
            }
            S::CreateIndex(c) => {
                self.check_writable("CREATE INDEX")?;
                ("CREATE INDEX", self.create_index(c))
            }
            S::AlterTable(a) => {
                self.check_writable("ALTER TABLE")?;
                ("ALTER TABLE", self.alter_table(a))
            }
            S::CreateSchema { schema_name, if_not_exists, .. } => {
                self.check_writable("CREATE SCHEMA")?;
                ("CREATE SCHEMA", self.create_schema(schema_name, *if_not_exists))
            }
            other => {
                let text = other.to_string();
                let verb: Vec<&str> = text.split_whitespace().take(2).collect();
                return Err(SqlError::unsupported(format!("{} is not supported", verb.join(" "))));
            }
        };
        result?;
        Ok(what.to_owned())
    }

    /// Writes a change into the catalog and into the session's view of it.
    pub(super) fn record(&mut self, change: Change) -> Result<(), SqlError> {
        write_change(self.engine()?, &change)?;
        if let Some(t) = &mut self.txn {
            t.changes.push(change);
        }
        self.refresh_catalog();
        Ok(())
    }

    pub(super) fn put_table(&mut self, table: Table) -> Result<Arc<Table>, SqlError> {
        let table = Arc::new(table);
        self.record(Change::Put(Object::Table(table.clone())))?;
        Ok(table)
    }

    /// Locks a name in a schema against others who would create it too.
    pub(super) fn lock_name(&mut self, schema: u32, name: &str) -> Result<(), SqlError> {
        self.ensure_txn()?;
        let lock = self.instance.locks.name_lock(schema, name);
        self.lock_object(&lock, TableLockMode::AccessExclusive, name, false)?;
        self.refresh_catalog();
        Ok(())
    }

    /// Locks a table and returns it as it is once the lock is held.
    pub(super) fn lock_table(&mut self, name: &Name, mode: TableLockMode) -> Result<Arc<Table>, SqlError> {
        self.ensure_txn()?;
        loop {
            let table = self.find_table(name)?;
            self.lock_object(&table.shared.lock, mode, &table.name, false)?;
            let now = self.find_table(name)?;
            if now.oid == table.oid {
                return Ok(now);
            }
        }
    }

    /// Begins a statement that reads all rows of a table: it must see every committed one, so an old snapshot will not do, unless
    /// the transaction made the table itself.
    pub(super) fn begin_definition(&mut self, table: u32) -> Result<(), SqlError> {
        let has_snapshot =
            self.txn.as_ref().is_some_and(|t| t.keeps_snapshot() && t.snapshot_version.is_some());
        if has_snapshot && self.instance.store.current().table(table).is_some() {
            return Err(SqlError::unsupported(
                "this statement must come before any query of a REPEATABLE READ or SERIALIZABLE transaction",
            ));
        }
        self.begin_statement()
    }

    /// The schema and name that a new object gets.
    pub(super) fn new_name(&self, name: &Name) -> Result<(u32, String), SqlError> {
        let schema = match &name.schema {
            None => self.creation_schema()?,
            Some(s) => {
                let schema = self.catalog.schema_named(s).ok_or_else(|| {
                    SqlError::new(SqlState::INVALID_SCHEMA_NAME, format!("schema \"{s}\" does not exist"))
                })?;
                schema.oid
            }
        };
        if super::env::is_system_schema(schema) {
            return Err(SqlError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied to create \"{name}\"").replace('"', "\""),
            )
            .with_detail("System catalog modifications are currently disallowed."));
        }
        Ok((schema, name.name.clone()))
    }

    /// Runs something with the context of an executor that has no plan.
    pub(super) fn with_bare_cx<T>(
        &mut self,
        f: impl FnOnce(&mut Cx<'_>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let plan = Plan::nothing(self.catalog.version);
        let mut run = RunState::new(&plan, &self.budget);
        self.with_cx(&plan, &[], &mut run, f)
    }

    /// Makes an index's tree and fills it.
    pub(super) fn build_index(&mut self, table: &Table, mut index: Index) -> Result<Index, SqlError> {
        index.tree = self.engine()?.create_tree()?;
        index.since_version = u64::MAX;
        self.with_bare_cx(|cx| build::build_index(table, &index, cx))?;
        Ok(index)
    }

    pub(super) fn drop_objects(&mut self, d: &DropStmt) -> Result<(), SqlError> {
        match d.kind {
            ObjectKind::Table => self.drop_tables(d),
            ObjectKind::Index => d.names.iter().try_for_each(|n| self.drop_index(n, d.if_exists)),
            ObjectKind::Sequence => d.names.iter().try_for_each(|n| self.drop_sequence(n, d)),
            ObjectKind::Schema => d.names.iter().try_for_each(|n| self.drop_schema(n, d)),
            ObjectKind::View | ObjectKind::Other => {
                for n in &d.names {
                    self.refresh_catalog();
                    if !d.if_exists {
                        return Err(SqlError::new(
                            SqlState::UNDEFINED_TABLE,
                            format!("view \"{n}\" does not exist"),
                        ));
                    }
                    self.missing("view", n);
                }
                Ok(())
            }
        }
    }

    fn missing(&mut self, kind: &str, name: &Name) {
        self.notice(
            "NOTICE",
            SqlState::SUCCESSFUL_COMPLETION,
            format!("{kind} \"{name}\" does not exist, skipping"),
        );
    }

    /// Looks up what a DROP names; None: missing, and that is allowed.
    fn drop_target(
        &mut self,
        name: &Name,
        kind: &str,
        if_exists: bool,
    ) -> Result<Option<Relation>, SqlError> {
        self.refresh_catalog();
        let found = match self.catalog.resolve(name.schema.as_deref(), &name.name, self.search_path()) {
            Err(_) if if_exists => None,
            other => other?,
        };
        if found.is_none() {
            if !if_exists {
                let code =
                    if kind == "index" { SqlState::UNDEFINED_OBJECT } else { SqlState::UNDEFINED_TABLE };
                return Err(SqlError::new(code, format!("{kind} \"{name}\" does not exist")));
            }
            self.missing(kind, name);
        }
        Ok(found)
    }

    fn drop_tables(&mut self, d: &DropStmt) -> Result<(), SqlError> {
        let mut tables: Vec<Arc<Table>> = Vec::new();
        for name in &d.names {
            match self.drop_target(name, "table", d.if_exists)? {
                None => {}
                Some(Relation::Table(_)) => {
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
        self.drop_table_list(&tables, d.cascade)
    }

    pub(super) fn drop_table_list(&mut self, tables: &[Arc<Table>], cascade: bool) -> Result<(), SqlError> {
        if tables.is_empty() {
            return Ok(());
        }
        let oids: Vec<u32> = tables.iter().map(|t| t.oid).collect();
        for t in tables {
            let children: Vec<Arc<Table>> =
                self.catalog.referencing_tables(t.oid).filter(|c| !oids.contains(&c.oid)).cloned().collect();
            for child in children {
                let names: Vec<String> =
                    child.foreign_keys.iter().filter(|f| f.parent == t.oid).map(|f| f.name.clone()).collect();
                if !cascade {
                    return Err(depends(
                        "table",
                        &t.name,
                        &names
                            .iter()
                            .map(|n| format!("constraint {n} on table {}", child.name))
                            .collect::<Vec<_>>(),
                    ));
                }
                self.lock_object(&child.shared.lock, TableLockMode::AccessExclusive, &child.name, false)?;
                self.refresh_catalog();
                let Some(current) = self.catalog.table(child.oid).cloned() else { continue };
                let mut changed = (*current).clone();
                changed.foreign_keys.retain(|f| f.parent != t.oid);
                self.begin_statement()?;
                self.put_table(changed)?;
                for n in names {
                    self.notice(
                        "NOTICE",
                        SqlState::SUCCESSFUL_COMPLETION,
                        format!("drop cascades to constraint {n} on table {}", child.name),
                    );
                }
            }
        }
        self.begin_statement()?;
        for t in tables {
            let sequences: Vec<Arc<Sequence>> = self
                .catalog
                .sequences()
                .filter(|s| s.owned_by.is_some_and(|(table, _, _)| table == t.oid))
                .cloned()
                .collect();
            for s in sequences {
                self.remove_sequence(&s)?;
            }
            let engine = self.engine()?;
            for i in &t.indexes {
                engine.drop_tree(i.tree)?;
            }
            engine.drop_tree(t.heap.tree)?;
            engine.delete(CATALOG_TREE, &codec::key(Kind::Statistics, t.oid))?;
            self.record(Change::Remove(Kind::Table, t.oid))?;
        }
        Ok(())
    }

    fn drop_index(&mut self, name: &Name, if_exists: bool) -> Result<(), SqlError> {
        let Some(relation) = self.drop_target(name, "index", if_exists)? else { return Ok(()) };
        let Relation::Index(table, index) = relation else {
            let e = SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not an index", relation.name()),
            );
            return Err(e.with_hint(drop_hint(&relation)));
        };
        if index.constraint.is_some() {
            return Err(SqlError::new(
                SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
                format!(
                    "cannot drop index {} because constraint {} on table {} requires it",
                    index.name, index.name, table.name
                ),
            )
            .with_hint(format!("You can drop constraint {} on table {} instead.", index.name, table.name)));
        }
        self.ensure_txn()?;
        self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        self.refresh_catalog();
        let Some(table) = self.catalog.table(table.oid).cloned() else { return Ok(()) };
        self.begin_statement()?;
        self.remove_index(&table, index.oid, false).map(|_| ())
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
                let names: Vec<String> = child
                    .foreign_keys
                    .iter()
                    .filter(|f| f.parent_index == oid)
                    .map(|f| f.name.clone())
                    .collect();
                if names.is_empty() {
                    continue;
                }
                if !cascade {
                    let (kind, shown) = if index.constraint.is_some() {
                        ("constraint", format!("{} on table {}", index.name, table.name))
                    } else {
                        ("index", index.name.clone())
                    };
                    let lines: Vec<String> = names
                        .iter()
                        .map(|n| {
                            format!("constraint {n} on table {} depends on index {}", child.name, index.name)
                        })
                        .collect();
                    let mut e = depends(kind, &shown, &[]);
                    e.detail = Some(lines.join("\n"));
                    return Err(e);
                }
                for n in &names {
                    self.notice(
                        "NOTICE",
                        SqlState::SUCCESSFUL_COMPLETION,
                        format!("drop cascades to constraint {n} on table {}", child.name),
                    );
                }
                self.lock_object(&child.shared.lock, TableLockMode::AccessExclusive, &child.name, false)?;
                if child.oid == table.oid {
                    changed.foreign_keys.retain(|f| f.parent_index != oid);
                } else {
                    let mut c = (*child).clone();
                    c.foreign_keys.retain(|f| f.parent_index != oid);
                    self.put_table(c)?;
                }
            }
            changed.indexes.remove(n);
            self.engine()?.drop_tree(index.tree)?;
        }
        self.put_table(changed)
    }

    fn drop_sequence(&mut self, name: &Name, d: &DropStmt) -> Result<(), SqlError> {
        let Some(relation) = self.drop_target(name, "sequence", d.if_exists)? else { return Ok(()) };
        let Relation::Sequence(s) = relation else {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not a sequence", relation.name()),
            )
            .with_hint(drop_hint(&relation)));
        };
        if let Some((table, column, _)) = s.owned_by
            && let Some(t) = self.catalog.table(table).cloned()
            && t.columns.get(column).is_some_and(|c| !c.dropped && c.default.is_some())
        {
            if !d.cascade {
                let what = format!("default value for column {} of table {}", t.columns[column].name, t.name);
                return Err(depends("sequence", &s.name, &[what]));
            }
            self.lock_object(&t.shared.lock, TableLockMode::AccessExclusive, &t.name, false)?;
            let mut changed = (*t).clone();
            changed.columns[column].default = None;
            changed.columns[column].identity = None;
            self.begin_statement()?;
            self.put_table(changed)?;
        }
        self.begin_statement()?;
        self.remove_sequence(&s)
    }

    /// It begins again, for everybody once this transaction has committed.
    fn restart_sequence(&mut self, s: &Sequence) -> Result<(), SqlError> {
        // The old row stays until the next start: removing it here would lock it, and whoever takes a value of the old ones meanwhile would wait for us.
        let values = self.instance.store.new_oid()?;
        let restarted = Sequence { values, shared: Arc::default(), ..s.clone() };
        self.record(Change::Put(Object::Sequence(Arc::new(restarted))))
    }

    fn remove_sequence(&mut self, s: &Sequence) -> Result<(), SqlError> {
        self.engine()?.delete(CATALOG_TREE, &codec::key(Kind::SequenceValue, s.values))?;
        self.record(Change::Remove(Kind::Sequence, s.oid))
    }

    fn drop_schema(&mut self, name: &Name, d: &DropStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
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
        if super::env::is_system_schema(schema.oid) {
            return Err(SqlError::new(
                SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
                format!("cannot drop schema {} because it is required by the database system", schema.name),
            ));
        }
        let tables: Vec<Arc<Table>> =
            self.catalog.tables().filter(|t| t.schema == schema.oid).cloned().collect();
        let sequences: Vec<Arc<Sequence>> =
            self.catalog.sequences().filter(|s| s.schema == schema.oid).cloned().collect();
        let is_empty = tables.is_empty() && sequences.is_empty();
        if !d.cascade && !is_empty {
            let mut what: Vec<String> =
                tables.iter().map(|t| format!("table {}.{}", schema.name, t.name)).collect();
            what.extend(sequences.iter().map(|s| format!("sequence {}.{}", schema.name, s.name)));
            return Err(depends("schema", &schema.name, &what));
        }
        self.ensure_txn()?;
        for t in &tables {
            self.lock_object(&t.shared.lock, TableLockMode::AccessExclusive, &t.name, false)?;
        }
        self.drop_table_list(&tables, true)?;
        self.begin_statement()?;
        let left: Vec<Arc<Sequence>> =
            self.catalog.sequences().filter(|s| s.schema == schema.oid).cloned().collect();
        for s in left {
            self.remove_sequence(&s)?;
        }
        self.record(Change::Remove(Kind::Schema, schema.oid))
    }

    pub(super) fn truncate(&mut self, t: &TruncateStmt) -> Result<(), SqlError> {
        let mut tables: Vec<Arc<Table>> = Vec::new();
        for name in &t.tables {
            let table = self.lock_table(name, TableLockMode::AccessExclusive)?;
            if !tables.iter().any(|x| x.oid == table.oid) {
                tables.push(table);
            }
        }
        let mut n = 0;
        while let Some(table) = tables.get(n).cloned() {
            n += 1;
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
                self.lock_object(&child.shared.lock, TableLockMode::AccessExclusive, &child.name, false)?;
                self.notice(
                    "NOTICE",
                    SqlState::SUCCESSFUL_COMPLETION,
                    format!("truncate cascades to table \"{}\"", child.name),
                );
                tables.push(child);
            }
        }
        self.begin_statement()?;
        for table in tables {
            let mut changed = (*table).clone();
            let engine = self.engine()?;
            engine.drop_tree(table.heap.tree)?;
            changed.heap = Heap::new(engine.create_tree()?);
            for index in &mut changed.indexes {
                engine.drop_tree(index.tree)?;
                let index = Arc::make_mut(index);
                index.tree = engine.create_tree()?;
                index.since_version = u64::MAX;
            }
            self.put_table(changed)?;
            if t.restart_identity {
                let owned: Vec<Arc<Sequence>> = self
                    .catalog
                    .sequences()
                    .filter(|s| s.owned_by.is_some_and(|(o, _, _)| o == table.oid))
                    .cloned()
                    .collect();
                for s in owned {
                    self.restart_sequence(&s)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn reindex(&mut self, kind: ObjectKind, name: &Name) -> Result<(), SqlError> {
        self.refresh_catalog();
        let (table, only) = match (kind, self.find_relation(name)?) {
            (ObjectKind::Index, Relation::Index(t, i)) => (t, Some(i.oid)),
            (ObjectKind::Table, Relation::Table(t)) => (t, None),
            (_, other) => {
                return Err(SqlError::new(
                    SqlState::WRONG_OBJECT_TYPE,
                    format!("\"{}\" cannot be reindexed so", other.name()),
                ));
            }
        };
        self.ensure_txn()?;
        self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        self.refresh_catalog();
        let Some(table) = self.catalog.table(table.oid).cloned() else { return Ok(()) };
        self.begin_definition(table.oid)?;
        let mut changed = (*table).clone();
        for n in 0..changed.indexes.len() {
            let index = (*changed.indexes[n]).clone();
            if only.is_some_and(|o| o != index.oid) {
                continue;
            }
            let old = index.tree;
            changed.indexes[n] = Arc::new(self.build_index(&table, index)?);
            self.engine()?.drop_tree(old)?;
        }
        self.put_table(changed).map(|_| ())
    }

    fn create_schema(&mut self, name: &ast::SchemaName, if_not_exists: bool) -> Result<(), SqlError> {
        let name = match name {
            ast::SchemaName::Simple(n) | ast::SchemaName::NamedAuthorization(n, _) => {
                crate::bind::split_name(n)?.1
            }
            ast::SchemaName::UnnamedAuthorization(i) => crate::bind::ident(i),
        };
        self.lock_name(0, &name)?;
        if self.catalog.schema_named(&name).is_some() {
            if if_not_exists {
                self.notice(
                    "NOTICE",
                    SqlState::DUPLICATE_SCHEMA,
                    format!("schema \"{name}\" already exists, skipping"),
                );
                return Ok(());
            }
            return Err(SqlError::new(
                SqlState::DUPLICATE_SCHEMA,
                format!("schema \"{name}\" already exists"),
            ));
        }
        if name.starts_with("pg_") {
            return Err(SqlError::new(
                SqlState::RESERVED_NAME,
                format!("unacceptable schema name \"{name}\""),
            )
            .with_detail("The prefix \"pg_\" is reserved for system schemas."));
        }
        self.begin_statement()?;
        let oid = self.instance.store.new_oid()?;
        self.record(Change::Put(Object::Schema(Arc::new(Schema { oid, name }))))
    }

    pub(super) fn create_sequence(&mut self, s: &CreateSequenceStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        let (schema, name) = self.new_name(&s.name)?;
        self.lock_name(schema, &name)?;
        if self.catalog.relation_in(schema, &name).is_some() {
            if s.if_not_exists {
                self.already_exists(&name);
                return Ok(());
            }
            return Err(exists(&name));
        }
        let ty = match s.options.data_type.as_deref() {
            None => Type::Int8,
            Some(t) => match Type::from_name(t) {
                Some(ty @ (Type::Int2 | Type::Int4 | Type::Int8)) => ty,
                _ => {
                    return Err(SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        "sequence type must be smallint, integer, or bigint",
                    ));
                }
            },
        };
        let owned_by = match &s.options.owned_by {
            None => None,
            Some((table, column)) => {
                let t = self.find_table(table)?;
                let n = t.find_column(column)?;
                Some((t.oid, n, false))
            }
        };
        self.begin_statement()?;
        self.new_sequence(schema, name, ty, &s.options, owned_by).map(|_| ())
    }

    /// Makes a sequence; returns its OID.
    pub(super) fn new_sequence(
        &mut self,
        schema: u32,
        name: String,
        ty: Type,
        o: &SequenceOptions,
        owned_by: Option<(u32, usize, bool)>,
    ) -> Result<u32, SqlError> {
        if let Some(cache) = o.cache.filter(|c| *c < 1) {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("CACHE ({cache}) must be greater than zero"),
            ));
        }
        let increment = o.increment.unwrap_or(1);
        if increment == 0 {
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "INCREMENT must not be zero"));
        }
        let (least, most) = match ty {
            Type::Int2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
            Type::Int4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        for (what, given) in [("MAXVALUE", o.max), ("MINVALUE", o.min)] {
            if let Some(v) = given.filter(|v| !(least..=most).contains(v)) {
                return Err(SqlError::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("{what} ({v}) is out of range for sequence data type {}", ty.sql_name()),
                ));
            }
        }
        let min = o.min.unwrap_or(if increment > 0 { 1 } else { least });
        let max = o.max.unwrap_or(if increment > 0 { most } else { -1 });
        let start = o.start.unwrap_or(if increment > 0 { min } else { max });
        if min >= max {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("MINVALUE ({min}) must be less than MAXVALUE ({max})"),
            ));
        }
        if !(min..=max).contains(&start) {
            let message = if start < min {
                format!("START value ({start}) cannot be less than MINVALUE ({min})")
            } else {
                format!("START value ({start}) cannot be greater than MAXVALUE ({max})")
            };
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
        let oid = self.instance.store.new_oid()?;
        let cache = o.cache.unwrap_or(1);
        let sequence = Sequence {
            oid,
            schema,
            name,
            ty,
            start,
            increment,
            min,
            max,
            cycle: o.cycle,
            cache,
            owned_by,
            values: oid,
            shared: Arc::default(),
        };
        self.record(Change::Put(Object::Sequence(Arc::new(sequence))))?;
        Ok(oid)
    }

    pub(super) fn already_exists(&mut self, name: &str) {
        self.notice(
            "NOTICE",
            SqlState::DUPLICATE_TABLE,
            format!("relation \"{name}\" already exists, skipping"),
        );
    }
}

/// What to use instead.
fn drop_hint(r: &Relation) -> &'static str {
    match r {
        Relation::Table(_) => "Use DROP TABLE to remove a table.",
        Relation::Index(..) => "Use DROP INDEX to remove an index.",
        Relation::Sequence(_) => "Use DROP SEQUENCE to remove a sequence.",
        Relation::Virtual(_) => "System catalogs cannot be dropped.",
    }
}

/// `relation "x" already exists`
pub(super) fn exists(name: &str) -> SqlError {
    SqlError::new(SqlState::DUPLICATE_TABLE, format!("relation \"{name}\" already exists"))
}

/// `cannot drop … because other objects depend on it`
pub(super) fn depends(kind: &str, name: &str, dependents: &[String]) -> SqlError {
    let lines: Vec<String> = dependents.iter().map(|d| format!("{d} depends on {kind} {name}")).collect();
    SqlError::new(
        SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
        format!("cannot drop {kind} {name} because other objects depend on it"),
    )
    .with_detail(lines.join("\n"))
    .with_hint("Use DROP ... CASCADE to drop the dependent objects too.")
}
