//! CREATE INDEX and REINDEX.
//!
//! Must not know: how indexes are filled (`exec::build`).

use super::constraint::key_column_missing;
use super::{choose_name, exists, generated, name_of};
use crate::bind::{ident, split_name};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{CREATE, Class, MAINTAIN};
use crate::catalog::{Index, IndexColumn, IndexExtra, OpClass, Relation, Table, Timing};
use crate::exec::build;
use crate::parse::{AlterIndexStmt, IndexAction, Name, ObjectKind};
use crate::session::Session;
use evenkeel::TreeId;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast;
use std::sync::Arc;

/// Most columns of an index.
const MAX_INDEX_COLUMNS: usize = 32;

fn operator_class(name: &ast::ObjectName, ty: Type) -> Result<OpClass, SqlError> {
    let (schema, name) = split_name(name)?;
    let known = OpClass::named(&name).filter(|_| schema.is_none_or(|s| s == "pg_catalog"));
    let Some((class, takes)) = known else {
        return Err(SqlError::new(
            SqlState::UNDEFINED_OBJECT,
            format!("operator class \"{name}\" does not exist for access method \"btree\""),
        ));
    };
    if !takes(ty) {
        let m = format!("operator class \"{name}\" does not accept data type {}", ty.sql_name());
        return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, m));
    }
    Ok(class)
}

/// Refuses a storage parameter that PostgreSQL's B-trees do not have.
fn check_index_parameter(name: &str) -> Result<(), SqlError> {
    if ["fillfactor", "deduplicate_items"].contains(&name) {
        return Ok(());
    }
    Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("unrecognized parameter \"{name}\"")))
}

/// `WITH (…)` as `pg_class.reloptions` shows it.
fn index_options(with: &[ast::Expr]) -> Result<Vec<String>, SqlError> {
    let mut out = Vec::new();
    for e in with {
        let (name, value) = match e {
            ast::Expr::Identifier(name) => (ident(name), "true".to_owned()),
            ast::Expr::BinaryOp { left, op: ast::BinaryOperator::Eq, right } => match &**left {
                ast::Expr::Identifier(name) => (ident(name), right.to_string().to_lowercase()),
                _ => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in index parameters")),
            },
            _ => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in index parameters")),
        };
        check_index_parameter(&name)?;
        out.push(format!("{name}={}", value.trim_matches('\'')));
    }
    Ok(out)
}

impl Session {
    pub(super) fn index_columns(
        &self,
        table: &Table,
        columns: &[ast::IndexColumn],
        is_key: bool,
    ) -> Result<Vec<IndexColumn>, SqlError> {
        if columns.len() > MAX_INDEX_COLUMNS {
            return Err(SqlError::new(
                SqlState::TOO_MANY_COLUMNS,
                format!("cannot use more than {MAX_INDEX_COLUMNS} columns in an index"),
            ));
        }
        let mut out = Vec::new();
        for c in columns {
            let ast::Expr::Identifier(i) = &c.column.expr else {
                return Err(SqlError::unsupported("indexes on expressions are not supported"));
            };
            let name = ident(i);
            let column = table.column(&name).ok_or_else(|| key_column_missing(&name, is_key))?;
            let desc = matches!(c.column.options.sort, Some(ast::OrderBySort::Desc));
            let nulls_first = c.column.options.nulls_first.unwrap_or(desc);
            let class = match &c.operator_class {
                Some(name) => operator_class(name, table.types[column])?,
                None if !table.types[column].is_ordered() => {
                    let ty = table.types[column].sql_name();
                    let why =
                        format!("data type {ty} has no default operator class for access method \"btree\"");
                    return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why).with_hint(
                        "You must specify an operator class for the index or define a default operator class for the data type.",
                    ));
                }
                None => OpClass::Own,
            };
            out.push(IndexColumn { column, desc, nulls_first, class });
        }
        Ok(out)
    }

    pub(super) fn create_index(&mut self, c: &ast::CreateIndex) -> Result<(), SqlError> {
        if c.concurrently {
            self.refuse_in_block("CREATE INDEX CONCURRENTLY")?;
        }
        if c.predicate.is_some() {
            return Err(SqlError::unsupported("partial indexes are not supported"));
        }
        if !c.include.is_empty() {
            return Err(SqlError::unsupported("INCLUDE columns are not supported"));
        }
        match &c.using {
            None | Some(ast::IndexType::BTree) => {}
            Some(other) => {
                return Err(SqlError::unsupported(format!(
                    "access method \"{}\" is not supported; only btree is",
                    other.to_string().to_lowercase()
                )));
            }
        }
        // Writers wait; another index on the same table waits too, since both change the table's catalog row.
        let table_name = name_of(&c.table_name)?;
        if let Ok(Relation::Sequence(s)) = self.find_relation(&table_name) {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("cannot create index on relation \"{}\"", s.name),
            )
            .with_detail("This operation is not supported for sequences."));
        }
        let table = self.lock_own_table(&table_name, TableLockMode::ShareRowExclusive)?;
        if let Some(schema) = self.catalog.schema(table.schema) {
            self.check_may(schema.oid, Class::Schema, &schema.name, CREATE)?;
        }
        let columns = self.index_columns(&table, &c.columns, false)?;
        generated::refuse_index(&table, columns.iter().map(|c| c.column), "indexes")?;
        let catalog = self.catalog.clone();
        let taken = |n: &str| catalog.relation_in(table.schema, n).is_some();
        let name = match &c.name {
            Some(n) => split_name(n)?.1,
            None => {
                let list: Vec<&str> = columns.iter().map(|c| table.columns[c.column].name.as_str()).collect();
                choose_name(&table.name, &list.join("_"), "idx", &taken)
            }
        };
        self.lock_name(table.schema, &name)?;
        if self.catalog.relation_in(table.schema, &name).is_some() {
            if c.if_not_exists {
                self.already_exists(&name);
                return Ok(());
            }
            return Err(exists(&name));
        }
        self.begin_definition(table.oid)?;
        let index = Index {
            oid: self.instance.store.new_oid()?,
            name,
            tree: TreeId(0),
            columns,
            unique: c.unique,
            timing: Timing::default(),
            nulls_not_distinct: c.nulls_distinct == Some(false),
            primary: false,
            constraint: None,
            extra: IndexExtra { options: index_options(&c.with)?, ..IndexExtra::default() },
            since_version: 0,
        };
        let index = self.build_index(&table, index)?;
        let mut changed = (*table).clone();
        changed.indexes.push(Arc::new(index));
        self.put_table(changed).map(|_| ())
    }

    /// ALTER INDEX, but for its name.
    pub(crate) fn alter_index(&mut self, a: &AlterIndexStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        let found = self.catalog.resolve(a.name.schema.as_deref(), &a.name.name, self.search_path())?;
        let what = format!("relation \"{}\" does not exist", a.name);
        let (table, index) = match found {
            Some(Relation::Index(t, i)) => (t, i),
            Some(other) => {
                let why = format!("\"{}\" is not an index", other.name());
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
            }
            None if a.if_exists => {
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, what + ", skipping");
                return Ok(());
            }
            None => return Err(SqlError::new(SqlState::UNDEFINED_TABLE, what)),
        };
        let names: Vec<&String> = match &a.action {
            IndexAction::Set(list) => list.iter().map(|(name, _)| name).collect(),
            IndexAction::Reset(names) => names.iter().collect(),
            IndexAction::Statistics => {
                let why = "ALTER INDEX ... ALTER COLUMN ... SET STATISTICS is not supported";
                return Err(SqlError::unsupported(why));
            }
        };
        names.into_iter().try_for_each(|n| check_index_parameter(n))?;
        let (table, oid) = (table.oid, index.oid);
        self.ensure_txn()?;
        let Some(table) = self.catalog.table(table).cloned() else { return Ok(()) };
        self.lock_object(&table.shared.lock, TableLockMode::ShareUpdateExclusive, &table.name, false)?;
        self.refresh_catalog();
        self.begin_statement()?;
        let Some(mut changed) = self.catalog.table(table.oid).map(|t| (**t).clone()) else { return Ok(()) };
        if let Some(index) = changed.indexes.iter_mut().find(|i| i.oid == oid) {
            let index = Arc::make_mut(index);
            match &a.action {
                IndexAction::Set(list) => list.iter().for_each(|(name, value)| {
                    let value = value.as_deref().unwrap_or("true");
                    index.extra.options.retain(|x| !x.starts_with(&format!("{name}=")));
                    index.extra.options.push(format!("{name}={value}"));
                }),
                IndexAction::Reset(names) => {
                    index.extra.options.retain(|x| !names.iter().any(|n| x.starts_with(&format!("{n}="))));
                }
                IndexAction::Statistics => {}
            }
        }
        self.put_table(changed).map(|_| ())
    }

    pub(crate) fn reindex(&mut self, kind: ObjectKind, name: &Name) -> Result<(), SqlError> {
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
        self.check_may(table.oid, Class::Table, &table.name, MAINTAIN)?;
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

    /// Makes an index's tree and fills it.
    pub(crate) fn build_index(&mut self, table: &Table, mut index: Index) -> Result<Index, SqlError> {
        index.tree = self.engine()?.create_tree()?;
        index.since_version = u64::MAX;
        self.with_bare_cx(|cx| build::build_index(table, &index, cx))?;
        Ok(index)
    }
}
