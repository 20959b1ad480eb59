//! Defaults of columns, as they are stored: a sequence stands in them by its OID, so that it can be renamed and moved.
//!
//! Must not know: whether a default fits its column (`bind`).

use crate::bind::split_name;
use crate::catalog::{Catalog, Relation};
use crate::parse::deparse::deparse;
use crate::session::Session;
use evenkeel_types::error::SqlError;
use evenkeel_types::{Type, split_qualified};
use sqlparser::ast::{DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};

/// A call of a function of sequences.
pub(super) fn of_sequence(function: &str, oid: u32) -> String {
    format!("{function}({})", Catalog::kept_relation(oid))
}

/// The function and the name of the sequence, if an expression is a call with nothing else.
fn call(e: &Expr) -> Option<(&'static str, &str)> {
    let Expr::Function(Function { name, args: FunctionArguments::List(list), .. }) = e else { return None };
    let (_, called) = split_name(name).ok()?;
    let called = ["nextval", "currval"].into_iter().find(|f| *f == called)?;
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = &list.args[..] else { return None };
    let mut argument = argument;
    while let Expr::Cast { expr, data_type, .. } = argument {
        let is_name = matches!(data_type, DataType::Text | DataType::Regclass);
        argument = if is_name { expr } else { return None };
    }
    match argument {
        Expr::Value(v) => match &v.value {
            Value::SingleQuotedString(s) => Some((called, s)),
            _ => None,
        },
        _ => None,
    }
}

impl Session {
    /// The text of a default as it is stored.
    pub(super) fn stored_default(&mut self, e: &Expr) -> Result<String, SqlError> {
        self.refresh_catalog();
        let Some((function, name)) = call(e) else { return Ok(deparse(e)) };
        let Some(mut parts) = split_qualified(name) else { return Ok(deparse(e)) };
        let last = parts.pop().unwrap_or_default();
        match self.catalog.resolve(parts.pop().as_deref(), &last, self.search_path())? {
            Some(Relation::Sequence(s)) => Ok(of_sequence(function, s.oid)),
            // What is wrong with it is found when it is bound.
            _ => Ok(deparse(e)),
        }
    }
}

/// A default of a type that users made, where its column gets another: what is a mere literal goes on being one of that type.
pub(super) fn of_former(text: String, from: Type) -> String {
    let Some(oid) = from.kept_oid() else { return text };
    let is_literal =
        |e: &Expr| matches!(e, Expr::Value(v) if matches!(v.value, Value::SingleQuotedString(_)));
    match crate::parse::parse_expression(&text) {
        Ok(e) if is_literal(&e) => {
            format!("{text}::{}{}", Catalog::kept_type_name(oid), if from.is_array() { "[]" } else { "" })
        }
        _ => text,
    }
}

/// A default that is a mere literal, with its type, as PostgreSQL keeps it.
pub(super) fn typed(text: String, ty: Type) -> String {
    let Ok(e) = crate::parse::parse_expression(&text) else { return text };
    let name = || match ty.kept_oid() {
        Some(oid) => Catalog::kept_type_name(oid) + if ty.is_array() { "[]" } else { "" },
        None => evenkeel_types::format_type(ty, -1),
    };
    match &*e {
        Expr::Value(v) => match &v.value {
            Value::Null => format!("NULL::{}", name()),
            Value::SingleQuotedString(_) if ty.user_oid().is_none() => {
                format!("{text}::{}", name())
            }
            _ => text,
        },
        _ => text,
    }
}
