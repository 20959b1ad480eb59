//! `pg_input_is_valid` of a domain, or of a type with parts of domains: whose constraints the types' own input does not look at.
//!
//! Must not know: how values are read.

use super::{Binder, Typed};
use crate::parse::parse_expression;
use crate::plan::expr::Expr;
use crate::plan::json_query::{Behavior, JsonQuery, JsonQueryKind, Wrapper};
use evenkeel_types::error::SqlError;
use evenkeel_types::{CastContext, Datum, Type};
use sqlparser::ast::Expr as Ast;

impl Binder<'_> {
    /// Whether a text is one of a value of the type that is named; None: its own input knows.
    pub(super) fn input_is_valid(&mut self, items: &[Typed]) -> Result<Option<Typed>, SqlError> {
        let [text, named] = items else { return Ok(None) };
        let Expr::Const(Datum::Text(name)) = &named.expr else { return Ok(None) };
        let Ok(cast) = parse_expression(&format!("null::{name}")) else { return Ok(None) };
        let Ast::Cast { data_type, .. } = &*cast else { return Ok(None) };
        let Ok(named) = self.unshown(|b| b.data_type(data_type)) else { return Ok(None) };
        let checks = match named.domain {
            Some(oid) => self.domain_checks(oid)?,
            None => self.checks_within(named.ty)?,
        };
        if named.domain.is_none() && checks.is_none() {
            return Ok(None);
        }
        // A string in JSON is what the type reads, and what fails is NULL.
        let text = self.coerce(text.clone(), Type::Text, -1, CastContext::Implicit)?;
        let document = self.call("to_jsonb", vec![Typed::new(text.clone(), Type::Text)])?;
        let path = Typed::new(Expr::Const(Datum::text("$")), Type::Unknown);
        let query = JsonQuery {
            kind: JsonQueryKind::Value,
            context: document.expr,
            path: self.coerce(path, Type::Jsonpath, -1, CastContext::Explicit)?,
            passing: Vec::new(),
            column: None,
            ty: named.ty,
            typmod: named.typmod,
            domain: None,
            checks,
            wrapper: Wrapper::Without,
            keeps_quotes: false,
            on_empty: Behavior::Null,
            on_error: Behavior::Null,
        };
        let is_made = Expr::Distinct(Box::new((Expr::JsonQuery(Box::new(query)), Expr::null())), false);
        let case = crate::plan::expr::Case {
            operand: None,
            branches: vec![(Expr::IsNull(Box::new(text), false), Expr::null())],
            otherwise: is_made,
        };
        Ok(Some(Typed::new(Expr::Case(Box::new(case)), Type::Bool)))
    }
}
