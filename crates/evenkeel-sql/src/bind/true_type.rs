//! `information_schema._pg_truetypid` and `_pg_truetypmod`, which take a row of `pg_attribute` and one of `pg_type`: catalogs have no row types here, so that a call
//! is bound as the expression which it is defined as, over columns of the relations that it names.
//!
//! It must not know what the relations are.

use super::func::row_name;
use super::{Binder, Typed};
use crate::parse::parse_expression;
use evenkeel_types::error::SqlError;
use evenkeel_types::quote_ident;
use sqlparser::ast::Expr as Ast;

impl Binder<'_> {
    /// The value of a call; None: it is of another function, or takes no rows.
    pub(super) fn true_type(&mut self, name: &str, args: &[&Ast]) -> Result<Option<Typed>, SqlError> {
        let (of_type, of_column) = match name {
            "_pg_truetypid" => ("typbasetype", "atttypid"),
            "_pg_truetypmod" => ("typtypmod", "atttypmod"),
            _ => return Ok(None),
        };
        let [Some(column), Some(ty)] = [args.first(), args.get(1)].map(|a| a.and_then(|a| row_name(a)))
        else {
            return Ok(None);
        };
        let (column, ty) = (quote_ident(&column), quote_ident(&ty));
        let text = format!("CASE WHEN {ty}.typtype = 'd' THEN {ty}.{of_type} ELSE {column}.{of_column} END");
        self.expr(&*parse_expression(&text)?).map(Some)
    }
}
