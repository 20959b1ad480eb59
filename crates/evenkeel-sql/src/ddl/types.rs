//! Types that users make: CREATE, ALTER and DROP TYPE. What is of composite types alone is in `composite`.
//!
//! The lock on a type's name is the type's: whoever makes a column of it holds it shared, whoever changes or drops it alone.
//!
//! Must not know: how their values are stored.

use super::type_texts::Place;
use super::{depends, exists};
use crate::bind::types::{named_type, place_of};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{CREATE, Class};
use crate::catalog::{
    Catalog, Change, ColumnDef, Domain, Kind, NamedType, Object, Relation, Table, UserType, domain_itself,
    is_domain_array, numbered, relation_of_row_type,
};
use crate::parse::{DropStmt, Name, ObjectKind, TypeAction, TypeStmt};
use crate::session::Session;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Longest label, in bytes.
const LABEL_MAX_BYTES: usize = 63;
/// Locks of types' names are in a space of their own.
const TYPE_NAMES: &str = "type ";

fn already(name: &str) -> SqlError {
    SqlError::new(SqlState::DUPLICATE_OBJECT, format!("type \"{name}\" already exists"))
}

fn check_label(label: &str) -> Result<(), SqlError> {
    if label.len() > LABEL_MAX_BYTES {
        return Err(SqlError::new(SqlState::INVALID_NAME, format!("invalid enum label \"{label}\""))
            .with_detail(format!("Labels must be {LABEL_MAX_BYTES} bytes or less.")));
    }
    Ok(())
}

impl Session {
    pub(crate) fn type_statement(&mut self, s: &TypeStmt) -> Result<&'static str, SqlError> {
        self.refresh_catalog();
        match &s.action {
            TypeAction::CreateEnum(labels) => self.create_enum(&s.name, labels).map(|()| "CREATE TYPE"),
            TypeAction::CreateRow(list) => self.create_composite(&s.name, list).map(|()| "CREATE TYPE"),
            action => {
                let is_domain = self.find_type(&s.name).is_ok_and(|t| t.domain.is_some());
                self.alter_type(&s.name, action)?;
                Ok(if is_domain { "ALTER DOMAIN" } else { "ALTER TYPE" })
            }
        }
    }

    /// The type that a definition of the statement says.
    pub(super) fn said_type(&self, t: &ast::DataType) -> Result<NamedType, SqlError> {
        named_type(t, Some((&self.catalog, self.search_path()))).map_err(|e| {
            let is_of_name = matches!(e.code, SqlState::UNDEFINED_OBJECT | SqlState::INVALID_SCHEMA_NAME);
            match place_of(t).filter(|_| is_of_name) {
                Some(place) => self.at(e, place),
                None => e,
            }
        })
    }

    fn create_enum(&mut self, name: &Name, labels: &[String]) -> Result<(), SqlError> {
        let (schema, name) = self.new_name(name)?;
        self.take_type_name(schema, &name)?;
        labels.iter().try_for_each(|label| check_label(label))?;
        self.begin_definition()?;
        let oid = self.instance.store.new_type_oid()?;
        if let Some((_, label)) = labels.iter().enumerate().find(|(n, label)| labels[..*n].contains(label)) {
            let why = "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"";
            let key = format!("Key (enumtypid, enumlabel)=({oid}, {label}) already exists.");
            return Err(SqlError::new(SqlState::UNIQUE_VIOLATION, why).with_detail(key));
        }
        self.put_type(UserType {
            oid,
            schema,
            name,
            labels: numbered(labels.to_vec()),
            domain: None,
            attributes: None,
        })
    }

    /// Locks a name that a type is to have, which neither a type nor a relation may have.
    pub(super) fn take_type_name(&mut self, schema: u32, name: &str) -> Result<(), SqlError> {
        self.lock_type_name(schema, name, TableLockMode::AccessExclusive)?;
        let taken = match self.catalog.relation_in(schema, name) {
            Some(Relation::Index(..) | Relation::Sequence(_)) | None => false,
            Some(_) => true,
        };
        if taken || self.catalog.type_in(schema, name).is_some() {
            return Err(already(name));
        }
        Ok(())
    }

    /// Refuses a relation with rows of a name that a type has.
    pub(super) fn check_no_type(&self, schema: u32, name: &str) -> Result<(), SqlError> {
        match self.catalog.type_in(schema, name) {
            None => Ok(()),
            // It has a place among the relations.
            Some(t) if t.attributes.is_some() => Err(exists(name)),
            Some(_) => Err(already(name).with_hint("A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.")),
        }
    }

    /// Refuses another name or schema for a relation with rows, where a type is called so.
    pub(super) fn refuse_type_of_rows(
        &self,
        schema: u32,
        name: &str,
        moved_to: Option<&str>,
    ) -> Result<(), SqlError> {
        let Some(t) = self.catalog.type_in(schema, name) else { return Ok(()) };
        let mut e = if t.attributes.is_some() { exists(name) } else { already(name) };
        if let Some(to) = moved_to {
            e.message = format!("{} in schema \"{to}\"", e.message);
        }
        Err(e)
    }

    pub(super) fn lock_type_name(
        &mut self,
        schema: u32,
        name: &str,
        mode: TableLockMode,
    ) -> Result<(), SqlError> {
        self.ensure_txn()?;
        let lock = self.name_lock(schema, &format!("{TYPE_NAMES}{name}"));
        self.lock_object(&lock, mode, name, false)?;
        self.refresh_catalog();
        Ok(())
    }

    /// Keeps a type that a new column has as it is, until the end of the transaction.
    pub(super) fn share_type(&mut self, ty: Type) -> Result<(), SqlError> {
        ty.user_oid().map_or(Ok(()), |oid| self.share_type_oid(oid))
    }

    /// The same by its OID.
    pub(super) fn share_type_oid(&mut self, oid: u32) -> Result<(), SqlError> {
        crate::catalog::check_kept(oid, &self.catalog)?;
        let gone =
            || SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type with OID {oid} does not exist"));
        let oid = self.catalog.domain(domain_itself(oid)).map_or(oid, |(t, _)| t.oid);
        let t = self.catalog.user_type(oid).cloned().ok_or_else(gone)?;
        self.lock_type_name(t.schema, &t.name, TableLockMode::AccessShare)?;
        self.catalog.user_type(oid).map(|_| ()).ok_or_else(gone)
    }

    pub(super) fn put_type(&mut self, t: UserType) -> Result<(), SqlError> {
        self.record(Change::Put(Object::Type(Arc::new(t))))
    }

    pub(super) fn find_type(&self, name: &Name) -> Result<Arc<UserType>, SqlError> {
        let missing = || {
            self.missing_schema(name).unwrap_or_else(|| {
                SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist"))
            })
        };
        self.check_schema_of(name)?;
        let found = self.catalog.type_named(name.schema.as_deref(), &name.name, self.search_path());
        let oid = found.and_then(|f| f.domain.or(f.ty.user_oid())).ok_or_else(missing)?;
        if relation_of_row_type(oid).is_some() {
            let why = format!(
                "{} is a table's row type",
                found.map_or_else(String::new, |f| f.ty.sql_name().into_owned())
            );
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why).with_hint("Use ALTER TABLE instead."));
        }
        self.catalog.user_type(oid).cloned().ok_or_else(missing)
    }

    fn alter_type(&mut self, name: &Name, action: &TypeAction) -> Result<(), SqlError> {
        // A composite type's attributes are a relation's columns.
        let named = |e: SqlError| match action {
            TypeAction::Attributes(_) if e.code == SqlState::UNDEFINED_OBJECT => {
                SqlError::new(SqlState::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist"))
            }
            _ => e,
        };
        let t = self.find_type(name).map_err(named)?;
        self.check_owns(t.oid, "type", &t.name)?;
        self.lock_type_name(t.schema, &t.name, TableLockMode::AccessExclusive)?;
        let mut t = (*self.find_type(name).map_err(named)?).clone();
        match action {
            TypeAction::AddValue { label, if_not_exists, place } => {
                check_label(label)?;
                if t.value(label).is_some() {
                    let why = format!("enum label \"{label}\" already exists");
                    if *if_not_exists {
                        self.notice("NOTICE", SqlState::DUPLICATE_OBJECT, format!("{why}, skipping"));
                        return Ok(());
                    }
                    return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
                }
                let at = match place {
                    None => t.labels.len(),
                    Some((before, neighbour)) => {
                        let n = t.labels.iter().position(|l| l.1 == *neighbour).ok_or_else(|| {
                            let why = format!("\"{neighbour}\" is not an existing enum label");
                            SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
                        })?;
                        if *before { n } else { n + 1 }
                    }
                };
                t.insert(at, label.clone()).ok_or_else(|| {
                    SqlError::new(
                        SqlState::PROGRAM_LIMIT_EXCEEDED,
                        format!("too many labels were added between two of type \"{}\"", t.name),
                    )
                })?;
            }
            TypeAction::RenameValue(from, to) => {
                check_label(to)?;
                let Some(n) = t.labels.iter().position(|l| l.1 == *from) else {
                    let why = format!("\"{from}\" is not an existing enum label");
                    return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
                };
                if t.value(to).is_some() {
                    let why = format!("enum label \"{to}\" already exists");
                    return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
                }
                t.labels[n].1.clone_from(to);
            }
            TypeAction::Rename(to) => {
                let schema = self.catalog.schema(t.schema).map_or(String::new(), |s| s.name.clone());
                self.check_may(t.schema, Class::Schema, &schema, CREATE)?;
                self.take_type_name(t.schema, to)?;
                t.name.clone_from(to);
            }
            TypeAction::SetSchema(to) => {
                let (schema, _) = self.new_name(&Name { schema: Some(to.clone()), name: t.name.clone() })?;
                if schema == t.schema {
                    return Ok(());
                }
                if self.catalog.type_in(schema, &t.name).is_some() {
                    let why = format!("type \"{}\" already exists in schema \"{to}\"", t.name);
                    return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
                }
                self.take_type_name(schema, &t.name)?;
                t.schema = schema;
            }
            TypeAction::Attributes(changes) => self.change_attributes(&mut t, changes)?,
            TypeAction::CreateEnum(_) | TypeAction::CreateRow(_) => {
                return Err(SqlError::internal("CREATE TYPE"));
            }
        }
        self.begin_definition()?;
        self.put_type(t)
    }

    /// A row type goes with its table.
    fn refuse_row_type(&self, name: &Name, dropped: ObjectKind) -> Result<(), SqlError> {
        let found = self.catalog.type_named(name.schema.as_deref(), &name.name, self.search_path());
        let relation = found.and_then(|f| relation_of_row_type(f.oid()));
        let Some(relation) = relation.and_then(|oid| self.catalog.relation(oid)) else { return Ok(()) };
        if dropped == ObjectKind::Domain {
            let why = format!("\"{}\" is not a domain", relation.name());
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
        }
        let (kind, shown) = (crate::catalog::noun_of(&relation), relation.name());
        let why = format!("cannot drop type {shown} because {kind} {shown} requires it");
        let hint = format!("You can drop {kind} {shown} instead.");
        Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, why).with_hint(hint))
    }

    pub(super) fn drop_types(&mut self, d: &DropStmt) -> Result<(), SqlError> {
        let mut dropped = Vec::new();
        for name in &d.names {
            self.refresh_catalog();
            let is_builtin = name.schema.as_deref().is_none_or(|s| s == "pg_catalog")
                && Type::from_name(&name.name).is_some();
            if is_builtin {
                let why = format!(
                    "cannot drop type {} because it is required by the database system",
                    Type::from_name(&name.name).map_or(name.name.clone(), |t| t.sql_name().into_owned())
                );
                return Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, why));
            }
            self.refuse_row_type(name, d.kind)?;
            let t = match self.find_type(name) {
                Ok(t) => t,
                Err(e) if d.if_exists && e.code == SqlState::UNDEFINED_OBJECT => {
                    self.skipped(&format!("type \"{}\" does not exist", name.name));
                    continue;
                }
                Err(e) if d.if_exists && e.code == SqlState::INVALID_SCHEMA_NAME => {
                    self.skipped(&e.message);
                    continue;
                }
                Err(e) => return Err(e),
            };
            if d.kind == ObjectKind::Domain && t.domain.is_none() {
                let why = format!("\"{}\" is not a domain", t.name);
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
            }
            if !self.owns(t.schema) {
                self.check_owns(t.oid, "type", &t.name)?;
            }
            self.lock_type_name(t.schema, &t.name, TableLockMode::AccessExclusive)?;
            dropped.push(self.find_type(name)?);
        }
        let mut cascaded = Vec::new();
        for t in &dropped {
            self.drop_users_of_type(t, d.cascade, &mut cascaded)?;
            self.begin_definition()?;
            self.record(Change::Remove(Kind::Type, t.oid))?;
        }
        self.tell_cascades(&cascaded);
        Ok(())
    }

    /// Domains over a type, and how far.
    fn domains_over(&self, t: &UserType) -> Vec<(Arc<UserType>, usize)> {
        let steps = |d: &Domain| match (d.over, d.ty.user_oid()) {
            (Some(over), _) => {
                self.catalog.domain_chain(domain_itself(over)).position(|(o, _)| o.oid == t.oid)
            }
            (None, base) => (base == Some(t.oid)).then_some(0),
        };
        let types = self.catalog.types();
        types.filter_map(|o| Some((o.clone(), steps(o.domain.as_deref()?)?))).collect()
    }

    /// Columns of a type.
    pub(super) fn users_of_type(&self, t: &UserType) -> Vec<(Arc<Table>, usize)> {
        let of = |c: &ColumnDef| match c.domain {
            Some(domain) => domain_itself(domain) == t.oid,
            None => c.ty.user_oid() == Some(t.oid),
        };
        let tables = self.catalog.tables();
        tables
            .flat_map(|table| {
                let columns = table.live_columns().filter(|(_, c)| of(c)).map(|(n, _)| n);
                columns.map(|n| (table.clone(), n)).collect::<Vec<_>>()
            })
            .collect()
    }

    pub(super) fn drop_users_of_type(
        &mut self,
        t: &UserType,
        cascade: bool,
        cascaded: &mut Vec<String>,
    ) -> Result<(), SqlError> {
        let mut columns = self.users_of_type(t);
        let texts = self.texts_naming(t, &columns);
        // A materialized view goes as a whole, like others.
        let kept = columns.extract_if(.., |(table, _)| table.materialized.is_some());
        let kept: BTreeSet<u32> = kept.map(|(table, _)| table.oid).collect();
        let views: Vec<Relation> = self
            .catalog
            .stored_queries()
            .filter(|(r, q)| {
                let is_column = matches!(r, Relation::View(v) if v.columns.iter().any(|c| c.ty.user_oid() == Some(t.oid) || c.domain.map(domain_itself) == Some(t.oid)));
                is_column || kept.contains(&r.oid()) || Catalog::text_has_type(&q.text, t.oid)
            })
            .map(|(r, _)| r)
            .collect();
        let domains = self.domains_over(t);
        let rows = self.attributes_of_type(t);
        let typed: Vec<Arc<Table>> =
            self.catalog.tables().filter(|table| table.marks.of_type == t.oid).cloned().collect();
        let is_alone = typed.is_empty() && columns.is_empty() && views.is_empty() && texts.is_empty();
        if is_alone && domains.is_empty() && rows.is_empty() {
            return Ok(());
        }
        // Table by table: columns and what is kept for them by number, then checks, then indexes.
        let of_columns = columns.iter().map(|(table, n)| {
            let told = format!("column {} of {}", table.columns[*n].name, self.table_told(table));
            let is_array = table.columns[*n].domain.map_or(table.types[*n].is_array(), is_domain_array);
            ((table.oid, Place::Column(*n)), told, if is_array { "[]" } else { "" })
        });
        let of_texts = texts.iter().map(|n| ((n.table.oid, n.place), n.told(), ""));
        let mut of_tables: Vec<_> = of_columns.chain(of_texts).collect();
        of_tables.sort_by_key(|(place, ..)| *place);
        of_tables.dedup_by_key(|(place, ..)| *place);
        let (catalog, path) = (self.catalog.clone(), self.search_path().to_vec());
        let shown = |t: &UserType| catalog.type_name(t.oid, &path).unwrap_or_else(|| t.name.clone());
        if !cascade {
            let line =
                |(_, told, array): &(_, String, &str)| format!("{told} depends on type {}{array}", shown(t));
            let mut what: Vec<String> = of_tables.iter().map(line).collect();
            for (table, n) in &columns {
                let column = &table.columns[*n].name;
                what.extend(self.readers_of_column(table.oid, *n).iter().map(|v| {
                    format!("{} depends on column {column} of {}", self.told(v), self.table_told(table))
                }));
            }
            what.extend(views.iter().map(|v| format!("{} depends on type {}", self.told(v), shown(t))));
            what.extend(
                typed.iter().map(|table| format!("{} depends on type {}", self.table_told(table), shown(t))),
            );
            for (of, name, is_array) in &rows {
                let array = if *is_array { "[]" } else { "" };
                let (of, t) = (shown(of), shown(t));
                what.push(format!("column {name} of composite type {of} depends on type {t}{array}"));
            }
            for (over, n) in &domains {
                if *n > 0 {
                    continue;
                }
                what.push(format!("type {} depends on type {}", shown(over), shown(t)));
                let columns = self.users_of_type(over);
                what.extend(columns.iter().map(|(table, n)| {
                    format!(
                        "column {} of {} depends on type {}",
                        table.columns[*n].name,
                        self.table_told(table),
                        shown(over)
                    )
                }));
            }
            let mut e = depends("type", &shown(t), &[]);
            e.detail = Some(what.join("\n"));
            return Err(e);
        }
        let is_needed = |of: &UserType| {
            self.is_stored(of) || self.catalog.tables().any(|table| table.marks.of_type == of.oid)
        };
        if let Some((of, name, _)) = rows.iter().find(|(of, ..)| is_needed(of)) {
            let why =
                format!("DROP TYPE CASCADE of the type of column {name} of composite type {}", shown(of));
            return Err(SqlError::unsupported(why + " is not supported"));
        }
        for (of, name, _) in &rows {
            let Some(mut of) = self.catalog.user_type(of.oid).map(|of| (**of).clone()) else { continue };
            cascaded.push(format!("column {name} of composite type {}", shown(&of)));
            let left = of.attributes.iter().flat_map(|l| l.iter()).filter(|a| a.name != *name).cloned();
            of.attributes = Some(left.collect());
            self.begin_definition()?;
            self.put_type(of)?;
        }
        for (over, n) in domains {
            if n == 0 && self.catalog.user_type(over.oid).is_some() {
                cascaded.push(format!("type {}", shown(&over)));
                self.drop_users_of_type(&over, true, cascaded)?;
                self.begin_definition()?;
                self.record(Change::Remove(Kind::Type, over.oid))?;
            }
        }
        cascaded.extend(typed.iter().map(|table| format!("table {}", table.name)));
        for table in &typed {
            self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        }
        self.refresh_catalog();
        let typed: Vec<Arc<Table>> =
            typed.iter().filter_map(|table| self.catalog.table(table.oid).cloned()).collect();
        self.drop_table_list(&typed, true, true)?;
        cascaded.extend(of_tables.into_iter().map(|(_, told, _)| told));
        cascaded.extend(views.iter().map(|v| format!("{} {}", crate::catalog::noun_of(v), v.name())));
        self.drop_view_list(&views, true)?;
        self.drop_texts(&texts)?;
        for (table, n) in columns {
            self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
            self.refresh_catalog();
            let Some(now) = self.catalog.table(table.oid).cloned() else { continue };
            let mut changed = (*now).clone();
            let name = changed.columns[n].name.clone();
            if changed.columns[n].dropped {
                continue; // it was computed, too
            }
            self.begin_definition()?;
            self.drop_column(&mut changed, &name, false, true)?;
        }
        Ok(())
    }
}
