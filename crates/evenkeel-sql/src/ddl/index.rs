//! CREATE INDEX and REINDEX.
//!
//! Must not know: how indexes are filled (`exec::build`).

use super::constraint::key_column_missing;
use super::{choose_name, exists, name_of};
use crate::bind::{ident, split_name};
use crate::catalog::locks::TableLockMode;
use crate::catalog::{Index, IndexColumn, OpClass, Relation, Table, Timing};
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
        let table = self.lock_table(&table_name, TableLockMode::ShareRowExclusive)?;
        let columns = self.index_columns(&table, &c.columns, false)?;
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
        match found {
            Some(Relation::Index(..)) => {}
            Some(other) => {
                let why = format!("\"{}\" is not an index", other.name());
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
            }
            None if a.if_exists => {
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, what + ", skipping");
                return Ok(());
            }
            None => return Err(SqlError::new(SqlState::UNDEFINED_TABLE, what)),
        }
        Err(SqlError::unsupported(match &a.action {
            IndexAction::Statistics(_) => "ALTER INDEX ... ALTER COLUMN ... SET STATISTICS is not supported",
            IndexAction::Set(_) => "ALTER INDEX ... SET is not supported",
            IndexAction::Reset(_) => "ALTER INDEX ... RESET is not supported",
        }))
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
