//! EXCLUDE whose operators are all `=`: no two rows have the same values, so that it is a unique index by another name.
//!
//! What it lets be written where UNIQUE does not: expressions and a WHERE in a table's definition (Tryton's models have such constraints). Other operators
//! need indexes that find what overlaps, and are refused.
//!
//! Must not know: how indexes are filled.

use super::constraint::{Rows, index_timing};
use super::index::check_method;
use crate::bind::ident;
use crate::catalog::{Index, IndexMethod, IndexState, Table};
use crate::session::Session;
use evenkeel::TreeId;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast;

fn method_of(name: Option<&ast::Ident>) -> Result<IndexMethod, SqlError> {
    let name = name.map_or_else(|| "btree".to_owned(), ident);
    match &*name {
        "btree" => Ok(IndexMethod::Btree),
        "hash" => Ok(IndexMethod::Hash),
        "gin" | "brin" => Err(SqlError::unsupported(format!(
            "access method \"{name}\" does not support exclusion constraints"
        ))),
        "gist" | "spgist" => Err(SqlError::unsupported(format!(
            "exclusion constraints of access method \"{name}\" are not supported; those of btree and hash are"
        ))),
        _ => {
            let why = format!("access method \"{name}\" does not exist");
            Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why))
        }
    }
}

fn check_operator(operator: &ast::ExcludeConstraintOperator) -> Result<(), SqlError> {
    let name = match operator {
        ast::ExcludeConstraintOperator::Token(name) => name,
        ast::ExcludeConstraintOperator::PGOperator(parts) => parts.last().map_or("", |p| p),
    };
    match name {
        "=" => Ok(()),
        other => Err(SqlError::unsupported(format!(
            "exclusion constraints with operator {other} are not supported; those with = are"
        ))),
    }
}

impl Session {
    /// Adds an exclusion constraint to a table, and looks at the rows that are there.
    pub(super) fn add_exclusion(
        &mut self,
        table: &mut Table,
        e: &ast::ExcludeConstraint,
        rows: Rows,
    ) -> Result<(), SqlError> {
        let timing = index_timing(&e.characteristics)?;
        let method = method_of(e.index_method.as_ref())?;
        e.elements.iter().try_for_each(|e| check_operator(&e.operator))?;
        let items: Vec<ast::IndexColumn> = e.elements.iter().map(|e| e.column.clone()).collect();
        check_method(method, false, (&items, &e.include))?;
        let (columns, extra, names) = self.index_of_parts(
            table,
            method,
            (&items, &e.include),
            (e.where_clause.as_deref(), &[]),
            "unique constraints",
        )?;
        if timing.deferrable && !(extra.expressions.is_empty() && extra.predicate.is_none()) {
            let why = "deferrable exclusion constraints with expressions or WHERE are not supported";
            return Err(SqlError::unsupported(why));
        }
        let index = Index {
            oid: 0,
            name: String::new(),
            tree: TreeId(0),
            columns,
            unique: !timing.deferrable,
            timing,
            nulls_not_distinct: false,
            primary: false,
            exclusion: true,
            constraint: None,
            extra,
            state: IndexState::Valid,
            since_version: 0,
        };
        let named = names.join("_");
        self.add_constraint_index(table, index, (e.name.as_ref(), &named, "excl"), ("EXCLUDE", rows))
    }
}
