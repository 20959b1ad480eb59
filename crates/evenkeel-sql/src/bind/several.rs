//! Several columns that are set at once: `SET (a, b) = (SELECT …)`, and `= ROW(t.*)`.
//!
//! Must not know: which columns.

use super::compare::with_output;
use super::expr::row_items;
use super::named::with_rows;
use super::row::is_all_fields;
use super::{Binder, Typed};
use crate::plan::Column;
use crate::plan::expr::{Expr, SubqueryUse};
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::{self, Expr as Ast};

fn subquery_of(e: &Ast) -> Option<&ast::Query> {
    match e {
        Ast::Subquery(q) => Some(q),
        Ast::Nested(e) => subquery_of(e),
        _ => None,
    }
}

impl Binder<'_> {
    /// The columns of the one row of a subquery.
    fn columns_of(&mut self, value: &Ast, query: &ast::Query, count: usize) -> Result<Vec<Typed>, SqlError> {
        let (number, args, columns) = self.subquery(query)?;
        if columns.len() != count {
            let why = "number of columns does not match number of values";
            return Err(self.at_start(SqlError::new(SqlState::SYNTAX_ERROR, why), value));
        }
        // It is computed for each column.
        if count > 1 && self.subplans[number].is_volatile() {
            return Err(SqlError::unsupported(
                "a multiple-column UPDATE from a sub-SELECT with volatile functions is not supported",
            ));
        }
        let types: std::sync::Arc<[Type]> = columns.iter().map(|c| c.ty).collect();
        let row = Expr::Row(types, (0..count).map(Expr::Column).collect());
        with_output(&mut self.subplans[number], [row].into());
        let row = Expr::Subquery(number, Box::new(SubqueryUse::Scalar), args);
        let field = |(n, c): (usize, &Column)| Typed {
            expr: Expr::field(row.clone(), n, &c.name),
            ty: c.ty,
            typmod: c.typmod,
        };
        Ok(columns.iter().enumerate().map(field).collect())
    }

    /// What several columns are set to, if the values are told only when they are bound: by a subquery, or by rows among the values whose fields these are.
    pub(super) fn values_of(&mut self, value: &Ast, count: usize) -> Result<Option<Vec<Typed>>, SqlError> {
        if let Some(query) = subquery_of(value) {
            return self.columns_of(value, query, count).map(Some);
        }
        let spelled = match value {
            Ast::Function(f) => with_rows(f).map(Ast::Function),
            _ => None,
        };
        let items = row_items(spelled.as_ref().unwrap_or(value));
        let Some(items) = items.filter(|items| items.iter().any(|e| is_all_fields(e))) else {
            return Ok(None);
        };
        let values = self.row_values(items.into_iter())?;
        if values.len() == count {
            return Ok(Some(values));
        }
        let why = "number of columns does not match number of values";
        Err(self.at_start(SqlError::new(SqlState::SYNTAX_ERROR, why), value))
    }
}
