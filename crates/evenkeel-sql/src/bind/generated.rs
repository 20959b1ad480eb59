//! Generated columns: how their values are computed, and what their expressions may be; identity columns.
//!
//! Invariants:
//! 1. A stored one is computed by whoever writes its row, after all other columns; a virtual one by whoever reads it: a name of it means its
//!    expression over the row. So neither is ever read while it is being computed, and none can refer to another.
//!
//! Must not know: who writes rows.

use super::{Binder, Frame, Typed};
use crate::catalog::{ColumnDef, Generated, Table};
use crate::plan::Target;
use crate::plan::expr::{Case, Expr};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::NEXT_OF_IDENTITY;
use std::ops::Range;
use std::sync::Arc;

/// How errors call the place.
pub(super) const PLACE: &str = "column generation expressions";

/// Says of an error that it is about a generated column.
pub(super) fn is_generated(e: SqlError, column: &str) -> SqlError {
    e.with_detail(format!("Column \"{column}\" is a generated column."))
}

/// A column's default; an identity column's value is drawn for whoever may insert.
pub(super) fn drawn(mut t: Typed, c: &ColumnDef) -> Typed {
    if c.identity.is_some() {
        t.expr = t.expr.map(&mut |e| match e {
            Expr::Call(f, args) if f.name == NEXT_OF_IDENTITY.name => Expr::Call(&NEXT_OF_IDENTITY, args),
            other => other,
        });
    }
    t
}

/// The columns that an UPDATE changes: those that it sets, and what is computed from them.
pub(super) fn changed_columns(set: &[(usize, Expr)], target: &Target) -> Vec<usize> {
    let mut changed: Vec<usize> = set.iter().map(|s| s.0).collect();
    for (n, e) in &target.generated {
        if e.any(|e| matches!(e, Expr::Column(c) if set.iter().any(|s| s.0 == *c))) && !changed.contains(n) {
            changed.push(*n);
        }
    }
    changed
}

impl Binder<'_> {
    /// How a generated column is computed, over a row of its table.
    pub fn generation(&mut self, table: &Arc<Table>, column: usize) -> Result<Expr, SqlError> {
        let text = table.columns[column].default.as_deref().unwrap_or("NULL");
        let was = std::mem::replace(&mut self.is_generation, true);
        let bound = self.stored_in(text, Some(table), PLACE);
        self.is_generation = was;
        // A mere literal becomes a value here: a label stands in it as what is stored has labels.
        let was = std::mem::replace(&mut self.is_stored, true);
        let value = bound.and_then(|t| self.assign_as(t, table, column, "default expression"));
        self.is_stored = was;
        value
    }

    /// How some of a table's generated columns are computed.
    pub(super) fn generated_columns(
        &mut self,
        table: &Arc<Table>,
        kind: Generated,
        wanted: impl Fn(&ColumnDef) -> bool,
    ) -> Result<Vec<(usize, Expr)>, SqlError> {
        let is_it = |c: &ColumnDef| c.generated == Some(kind) && wanted(c);
        let numbers: Vec<usize> = table.live_columns().filter(|(_, c)| is_it(c)).map(|(n, _)| n).collect();
        numbers.into_iter().map(|n| Ok((n, self.generation(table, n)?))).collect()
    }

    /// What the names of a table's virtual columns mean.
    pub(super) fn virtual_columns(&mut self, table: &Arc<Table>) -> Result<Vec<(usize, Expr)>, SqlError> {
        match self.is_generation {
            true => Ok(Vec::new()),
            false => self.generated_columns(table, Generated::Virtual, |_| true),
        }
    }

    /// Binds the expression of a generated column as it is defined.
    pub fn check_generation(&mut self, table: &Arc<Table>, column: usize) -> Result<Expr, SqlError> {
        let (value, names_row) = self.noting_rows(|b| b.generation(table, column));
        let invalid = |why: String| SqlError::new(SqlState::INVALID_OBJECT_DEFINITION, why);
        if names_row {
            let e = invalid("cannot use whole-row variable in column generation expression".into());
            return Err(e.with_detail("This would cause the generated column to depend on its own value."));
        }
        let value = value?;
        if value.any(|e| matches!(e, Expr::Subquery(..))) {
            return Err(SqlError::unsupported("cannot use subquery in column generation expression"));
        }
        let mut read = Vec::new();
        value.columns(&mut read);
        let generated = |n: &&usize| table.columns.get(**n).is_some_and(|c| c.generated.is_some());
        if let Some(n) = read.iter().find(generated) {
            let name = &table.columns[*n].name;
            let why = format!("cannot use generated column \"{name}\" in column generation expression");
            let e = invalid(why);
            return Err(e.with_detail("A generated column cannot reference another generated column."));
        }
        match super::index::is_immutable(&value) {
            true => Ok(value),
            false => Err(invalid("generation expression is not immutable".into())),
        }
    }

    /// The columns that a condition names, virtual ones among them.
    pub fn columns_named(&mut self, text: &str, table: &Arc<Table>) -> Result<Vec<usize>, SqlError> {
        let was = std::mem::replace(&mut self.is_generation, true);
        let condition = self.check_condition(text, table);
        self.is_generation = was;
        let mut read = Vec::new();
        condition?.columns(&mut read);
        read.sort_unstable();
        read.dedup();
        Ok(read)
    }

    /// The value of a column over a row of its table: of a virtual one, how it is computed.
    pub fn column_value(&mut self, table: &Arc<Table>, column: usize) -> Result<Expr, SqlError> {
        match table.columns[column].generated {
            Some(Generated::Virtual) => self.generation(table, column),
            _ => Ok(Expr::Column(column)),
        }
    }
}

impl Frame {
    /// Rows in these places may be missing from here on, by an outer join: then virtual columns are NULL like all others.
    pub(super) fn may_lack_rows(&mut self, (rels, names): (usize, usize), places: Range<usize>) {
        for r in &mut self.rels[rels..] {
            r.may_lack |= r.columns.iter().any(|c| c.at().is_some_and(|at| places.contains(&at)));
        }
        let columns =
            self.rels[rels..].iter_mut().flat_map(|r| &mut r.columns).chain(&mut self.names[names..]);
        for c in columns {
            let Some(row) = c.row.filter(|r| places.contains(r)) else { continue };
            if !is_null_of_nulls(&c.expr) {
                let value = std::mem::replace(&mut c.expr, Expr::null());
                c.expr = where_there(Expr::Column(row), value);
            }
        }
    }
}

/// A value of a row, NULL where there is no row: its id is NULL then.
pub(super) fn where_there(id: Expr, value: Expr) -> Expr {
    where_true(Expr::IsNull(Box::new(id), true), value)
}

/// A value, NULL where something is not true.
pub(super) fn where_true(is_there: Expr, value: Expr) -> Expr {
    Expr::Case(Box::new(Case { operand: None, branches: vec![(is_there, value)], otherwise: Expr::null() }))
}

/// Whether an expression is known to be NULL if all columns are.
fn is_null_of_nulls(e: &Expr) -> bool {
    match e {
        Expr::Column(_) => true,
        Expr::Call(f, args) => f.strict && args.iter().any(is_null_of_nulls),
        Expr::Cmp(_, pair) => is_null_of_nulls(&pair.0) || is_null_of_nulls(&pair.1),
        Expr::Cast(c) => is_null_of_nulls(&c.expr),
        Expr::Not(e) => is_null_of_nulls(e),
        // One that an outer join further in has made so.
        Expr::Case(c) => {
            matches!(&c.branches[..], [(Expr::IsNull(x, true), _)] if matches!(**x, Expr::Column(_)))
                && c.otherwise == Expr::null()
        }
        _ => false,
    }
}
