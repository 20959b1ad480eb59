//! ALTER … RENAME TO and SET SCHEMA of relations and schemas, ALTER SEQUENCE, and ALTER TABLE of views.
//!
//! Must not know: columns and constraints.

use super::exists;
use crate::bind::ident;
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{CREATE, Class};
use crate::catalog::{Catalog, Change, Object, Relation, Schema, Sequence, Table};
use crate::parse::deparse::deparse;
use crate::parse::{AlterAction, AlterStmt, AlterTableStmt, ColumnAction, Name, ObjectKind, TableAction};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast;
use std::sync::Arc;

/// How errors name a kind.
fn word(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Index => "index",
        ObjectKind::Sequence => "sequence",
        ObjectKind::View => "view",
        ObjectKind::MaterializedView => "materialized view",
        _ => "relation",
    }
}

/// What ALTER TABLE does to a view, too; else how the error calls it.
fn action_of_view(action: &TableAction) -> Result<AlterAction, &'static str> {
    use ast::{AlterColumnOperation as OfColumn, AlterTableOperation as Op};
    let TableAction::Sql(op) = action else { return Err("") };
    match &**op {
        Op::RenameColumn { old_column_name, new_column_name } => {
            Ok(AlterAction::RenameColumn(ident(old_column_name), ident(new_column_name)))
        }
        Op::AlterColumn { column_name, op } => match op {
            OfColumn::SetDefault { value } => {
                Ok(AlterAction::Default(ident(column_name), Some(deparse(value))))
            }
            OfColumn::DropDefault => Ok(AlterAction::Default(ident(column_name), None)),
            OfColumn::SetNotNull => Err("ALTER COLUMN ... SET NOT NULL"),
            OfColumn::DropNotNull => Err("ALTER COLUMN ... DROP NOT NULL"),
            OfColumn::SetDataType { .. } => Err("ALTER COLUMN ... SET DATA TYPE"),
            OfColumn::AddGenerated { .. } => Err("ALTER COLUMN ... ADD IDENTITY"),
        },
        Op::AddColumn { .. } => Err("ADD COLUMN"),
        Op::DropColumn { .. } => Err("DROP COLUMN"),
        Op::AddConstraint { .. } => Err("ADD CONSTRAINT"),
        Op::DropConstraint { .. } => Err("DROP CONSTRAINT"),
        _ => Err(""),
    }
}

/// What ALTER TABLE does not do to a materialized view, whose columns are its query's: how the error calls it.
fn refused_of_materialized(action: &TableAction) -> Option<&'static str> {
    match action {
        TableAction::Sql(op) => match &**op {
            ast::AlterTableOperation::RenameColumn { .. } => None,
            _ => match action_of_view(action) {
                Ok(_) => Some("ALTER COLUMN ... SET DEFAULT"),
                Err(what) => Some(what).filter(|w| !w.is_empty()),
            },
        },
        TableAction::AddNotNull { .. } => Some("ADD CONSTRAINT"),
        TableAction::Constraint { .. } => Some("ALTER CONSTRAINT"),
        TableAction::Column(_, action) => match action {
            ColumnAction::AddIdentity { .. } => Some("ALTER COLUMN ... ADD IDENTITY"),
            ColumnAction::SetIdentity { .. } => Some("ALTER COLUMN ... SET"),
            ColumnAction::DropIdentity { .. } => Some("ALTER COLUMN ... DROP IDENTITY"),
            ColumnAction::DropExpression { .. } => Some("ALTER COLUMN ... DROP EXPRESSION"),
            ColumnAction::SetExpression(_) => Some("ALTER COLUMN ... SET EXPRESSION"),
            ColumnAction::Statistics(_) | ColumnAction::Storage(_) => None,
            ColumnAction::Compression(_) | ColumnAction::Options(_) => None,
        },
        _ => None,
    }
}

/// An action that a kind of relation does not know.
fn not_of(kind: &str, what: &str, relation: &str) -> SqlError {
    let why = format!("ALTER action {what} cannot be performed on relation \"{relation}\"");
    SqlError::new(SqlState::WRONG_OBJECT_TYPE, why)
        .with_detail(format!("This operation is not supported for {kind}."))
}

/// Refuses what ALTER TABLE does not do to a materialized view.
pub(super) fn check_of_materialized(table: &Table, actions: &[TableAction]) -> Result<(), SqlError> {
    match actions.iter().find_map(refused_of_materialized) {
        Some(what) if table.materialized.is_some() => Err(not_of("materialized views", what, &table.name)),
        _ => Ok(()),
    }
}

impl Session {
    /// ALTER TABLE of a view.
    pub(super) fn alter_table_of_view(&mut self, a: &AlterTableStmt, view: &str) -> Result<(), SqlError> {
        let of_view = |action| {
            action_of_view(action).map_err(|what| match what {
                "" => SqlError::new(SqlState::WRONG_OBJECT_TYPE, format!("\"{view}\" is not a table")),
                what => not_of("views", what, view),
            })
        };
        for action in a.actions.iter().map(of_view).collect::<Result<Vec<_>, _>>()? {
            let name = a.name.clone();
            self.alter_object(&AlterStmt { kind: ObjectKind::View, if_exists: false, name, action })?;
        }
        Ok(())
    }

    pub(crate) fn alter_object(&mut self, a: &AlterStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        if a.kind == ObjectKind::Schema {
            return match &a.action {
                AlterAction::Rename(to) => self.rename_schema(&a.name.name, to),
                _ => Err(SqlError::internal("ALTER SCHEMA")),
            };
        }
        self.check_schema_of(&a.name)?;
        let found = match self.catalog.resolve(a.name.schema.as_deref(), &a.name.name, self.search_path()) {
            Err(_) if a.if_exists => None,
            other => other?,
        };
        let Some(relation) = found else {
            if a.if_exists {
                self.skipped(&format!("relation \"{}\" does not exist", a.name.name));
                return Ok(());
            }
            let what = format!("relation \"{}\" does not exist", a.name);
            let missing = || SqlError::new(SqlState::UNDEFINED_TABLE, what);
            return Err(self.missing_schema(&a.name).unwrap_or_else(missing));
        };
        let fits = match (&relation, a.kind) {
            (Relation::Virtual(_), _) => return relation.into_table().map(|_| ()),
            (Relation::Sequence(_), ObjectKind::Sequence | ObjectKind::Table) => true,
            (Relation::Table(_), ObjectKind::Table) => true,
            (Relation::Table(t), ObjectKind::MaterializedView) => t.materialized.is_some(),
            (Relation::View(_), ObjectKind::View) => true,
            (Relation::View(_), ObjectKind::Table) => {
                matches!(a.action, AlterAction::Rename(_) | AlterAction::SetSchema(_))
            }
            (Relation::Index(..), ObjectKind::Table) => matches!(a.action, AlterAction::Rename(_)),
            (Relation::Index(..) | Relation::Table(_), ObjectKind::Index) => true,
            _ => false,
        };
        if !fits {
            let article = if a.kind == ObjectKind::Index { "an" } else { "a" };
            let kind = if a.kind == ObjectKind::Table { "table" } else { word(a.kind) };
            let why = format!("\"{}\" is not {article} {kind}", relation.name());
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
        }
        self.check_owns_relation(&relation)?;
        let is_another = match (&relation, &a.action) {
            (Relation::Sequence(s), AlterAction::Sequence(_)) => {
                self.ensure_txn()?;
                self.lock_object(&s.lock, TableLockMode::ShareRowExclusive, &s.name, false)?;
                self.refresh_catalog();
                !self.find_relation(&a.name).is_ok_and(|now| now.oid() == s.oid)
            }
            (Relation::View(_) | Relation::Index(..) | Relation::Sequence(_), _) => {
                self.is_another_by_now(&a.name, &relation)?
            }
            _ => false,
        };
        if is_another {
            return self.alter_object(a);
        }
        // As it is now that it is locked.
        let relation = self.find_relation(&a.name)?;
        if let AlterAction::Rename(_) = a.action {
            let schema = relation.schema();
            let name = self.catalog.schema(schema).map_or(String::new(), |s| s.name.clone());
            self.check_may(schema, Class::Schema, &name, CREATE)?;
        }
        match (&a.action, relation) {
            (AlterAction::Rename(to), Relation::Table(_)) => self.rename_table(&a.name, to),
            (AlterAction::Rename(to), Relation::Index(t, i)) => self.rename_index(t.oid, i.oid, to),
            (AlterAction::Rename(to), Relation::Sequence(s)) => {
                self.take_name(s.schema, to)?;
                self.put_sequence(Sequence { name: to.clone(), ..(*s).clone() })
            }
            (AlterAction::Rename(to), Relation::View(v)) => {
                self.take_name(v.schema, to)?;
                self.refuse_type_of_rows(v.schema, to, None)?;
                self.move_view(&v, v.schema, to)
            }
            (AlterAction::SetSchema(to), Relation::View(v)) => {
                let schema = self.target_schema(v.schema, to)?;
                if schema == v.schema {
                    return Ok(());
                }
                self.take_name_in(schema, to, &v.name)?;
                self.refuse_type_of_rows(schema, &v.name, Some(to))?;
                self.move_view(&v, schema, &v.name)
            }
            (action, Relation::View(v)) => self.alter_view(&v, action),
            (
                action @ (AlterAction::RenameColumn(..)
                | AlterAction::Default(..)
                | AlterAction::Set(_)
                | AlterAction::Reset(_)),
                Relation::Table(_),
            ) => self.alter_materialized(&a.name, action),
            (AlterAction::SetSchema(to), Relation::Table(_)) => self.move_table(&a.name, to),
            (AlterAction::SetSchema(to), Relation::Sequence(s)) => {
                if s.owned_by.is_some() {
                    return Err(SqlError::unsupported("cannot move an owned sequence into another schema")
                        .with_detail(self.owned_by_detail(&s).unwrap_or_default()));
                }
                let schema = self.target_schema(s.schema, to)?;
                if schema == s.schema {
                    return Ok(());
                }
                self.take_name_in(schema, to, &s.name)?;
                self.put_sequence(Sequence { schema, ..(*s).clone() })
            }
            (AlterAction::Sequence(options), Relation::Sequence(s)) => self.alter_sequence(&s, options),
            _ => Err(SqlError::internal("ALTER of a relation")),
        }
    }

    fn put_sequence(&mut self, s: Sequence) -> Result<(), SqlError> {
        self.begin_definition()?;
        self.record(Change::Put(Object::Sequence(Arc::new(s))))
    }

    /// Locks a name that a relation is to have, which nobody may have.
    fn take_name(&mut self, schema: u32, name: &str) -> Result<(), SqlError> {
        self.lock_name(schema, name)?;
        match self.catalog.relation_in(schema, name) {
            Some(_) => Err(exists(name)),
            None => Ok(()),
        }
    }

    /// The same for one that comes from another schema.
    fn take_name_in(&mut self, schema: u32, schema_name: &str, name: &str) -> Result<(), SqlError> {
        self.take_name(schema, name).map_err(|e| {
            if e.code != SqlState::DUPLICATE_TABLE {
                return e;
            }
            let why = format!("relation \"{name}\" already exists in schema \"{schema_name}\"");
            SqlError::new(SqlState::DUPLICATE_TABLE, why)
        })
    }

    fn target_schema(&mut self, from: u32, name: &str) -> Result<u32, SqlError> {
        if self.catalog.is_temporary(from)
            || name == "pg_temp"
            || self.catalog.schema_named(name).is_some_and(|s| s.is_temporary())
        {
            return Err(SqlError::unsupported("cannot move objects into or out of temporary schemas"));
        }
        self.new_name(&Name { schema: Some(name.to_owned()), name: String::new() }).map(|(oid, _)| oid)
    }

    fn rename_table(&mut self, name: &Name, to: &str) -> Result<(), SqlError> {
        let table = self.lock_table(name, TableLockMode::AccessExclusive)?;
        self.take_name(table.schema, to)?;
        self.refuse_type_of_rows(table.schema, to, None)?;
        self.begin_definition()?;
        let mut changed = (*table).clone();
        self.unqualify_expressions(&mut changed, to)?;
        self.put_table(Table { name: to.to_owned(), ..changed }).map(|_| ())
    }

    fn rename_index(&mut self, table: u32, index: u32, to: &str) -> Result<(), SqlError> {
        let Some(t) = self.catalog.table(table).cloned() else { return Err(SqlError::internal("an index")) };
        self.ensure_txn()?;
        self.lock_object(&t.shared.lock, TableLockMode::ShareUpdateExclusive, &t.name, false)?;
        self.take_name(t.schema, to)?;
        let Some(mut changed) = self.catalog.table(table).map(|t| (**t).clone()) else { return Ok(()) };
        let is_constraint = changed.indexes.iter().any(|i| i.oid == index && i.constraint.is_some());
        if is_constraint && Catalog::constraint_exists(&changed, to) {
            let why = format!("constraint \"{to}\" for relation \"{}\" already exists", changed.name);
            return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, why));
        }
        let found = changed.indexes.iter_mut().find(|i| i.oid == index);
        let found = found.ok_or_else(|| {
            SqlError::new(SqlState::UNDEFINED_OBJECT, "the index was dropped by another transaction")
        })?;
        Arc::make_mut(found).name = to.to_owned();
        self.begin_definition()?;
        self.put_table(changed).map(|_| ())
    }

    fn move_table(&mut self, name: &Name, to: &str) -> Result<(), SqlError> {
        let table = self.lock_table(name, TableLockMode::AccessExclusive)?;
        let schema = self.target_schema(table.schema, to)?;
        if schema == table.schema {
            return Ok(());
        }
        self.take_name_in(schema, to, &table.name)?;
        self.refuse_type_of_rows(schema, &table.name, Some(to))?;
        for i in &table.indexes {
            self.take_name_in(schema, to, &i.name)?;
        }
        for s in &table.statistics {
            self.take_statistics_name(schema, &s.name)?;
        }
        let owned: Vec<Arc<Sequence>> = self
            .catalog
            .sequences()
            .filter(|s| s.owned_by.is_some_and(|(t, _, _)| t == table.oid))
            .cloned()
            .collect();
        for s in &owned {
            self.take_name_in(schema, to, &s.name)?;
        }
        self.begin_definition()?;
        let mut changed = (*self.catalog.table(table.oid).cloned().unwrap_or(table)).clone();
        let to = changed.name.clone();
        self.unqualify_expressions(&mut changed, &to)?;
        self.put_table(Table { schema, ..changed })?;
        owned.into_iter().try_for_each(|s| {
            let s = self.lock_sequence(&s, TableLockMode::AccessExclusive)?;
            self.record(Change::Put(Object::Sequence(Arc::new(Sequence { schema, ..(*s).clone() }))))
        })
    }

    fn rename_schema(&mut self, name: &str, to: &str) -> Result<(), SqlError> {
        let missing =
            || SqlError::new(SqlState::INVALID_SCHEMA_NAME, format!("schema \"{name}\" does not exist"));
        let schema = self.catalog.schema_named(name).cloned().ok_or_else(missing)?;
        self.check_owns(schema.oid, "schema", name)?;
        self.check_may_in_database(CREATE)?;
        super::check_schema_name(to)?;
        if crate::session::is_system_schema(schema.oid) {
            let why = format!("permission denied to rename \"{name}\"");
            return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, why)
                .with_detail("System catalog modifications are currently disallowed."));
        }
        self.lock_name(0, name)?;
        self.lock_name(0, to)?;
        if self.catalog.schema_named(to).is_some() {
            let why = format!("schema \"{to}\" already exists");
            return Err(SqlError::new(SqlState::DUPLICATE_SCHEMA, why));
        }
        let now = self.catalog.schema(schema.oid).filter(|s| s.name == name).cloned().ok_or_else(missing)?;
        self.begin_definition()?;
        self.record(Change::Put(Object::Schema(Arc::new(Schema { name: to.to_owned(), ..(*now).clone() }))))
    }
}
