//! JSON_EXISTS, JSON_VALUE and JSON_QUERY.
//!
//! Must not know: where rows come from.

use super::Cx;
use super::eval::{check_domain, eval};
use crate::plan::expr::Expr;
use crate::plan::json_query::{Behavior, JsonQuery, JsonQueryKind, Wrapper};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::build::kept;
use evenkeel_types::json::{Jsonb, Kind, Value, encode, output, populate};
use evenkeel_types::jsonpath::{Answer, Item, Path, Variables, exists, query};
use evenkeel_types::{Datum, Type, input_text, to_text};
use std::sync::Arc;

/// What was found.
enum Found {
    Nothing,
    /// An error, where errors do not count.
    Error,
    Value(Datum),
}

/// Computes it.
pub fn json_query(q: &JsonQuery, row: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    let (context, path) = (eval(&q.context, row, cx)?, eval(&q.path, row, cx)?);
    let mut passed = Vec::with_capacity(q.passing.len());
    for (name, ty, e) in &q.passing {
        passed.push((name.clone(), eval(e, row, cx)?, *ty));
    }
    let (Datum::Jsonb(context), Datum::Jsonpath(path)) = (&context, &path) else {
        return Ok(Datum::Null);
    };
    found(q, Jsonb(context), path, &passed, row, cx)
}

/// The value of a column of JSON_TABLE, in an item.
pub(super) fn found_in(
    q: &JsonQuery,
    item: Jsonb<'_>,
    passed: &[(String, Datum, Type)],
    cx: &mut Cx<'_>,
) -> Result<Datum, SqlError> {
    let Expr::Const(Datum::Jsonpath(path)) = &q.path else {
        return Err(SqlError::internal("the path of a column"));
    };
    found(q, item, path, passed, &[], cx)
}

fn found(
    q: &JsonQuery,
    value: Jsonb<'_>,
    path: &Path,
    passed: &[(String, Datum, Type)],
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Datum, SqlError> {
    let raises = q.on_error == Behavior::Error;
    let variables = Variables::Named(passed);
    if q.kind == JsonQueryKind::Exists {
        return match exists(path, value, variables, raises, true, cx.eval.format)? {
            Answer::Failed => behave(q, &q.on_error, row, cx),
            answer => match softened(of_bool(q, answer == Answer::Found, cx).map(Found::Value), raises)? {
                Found::Value(value) => Ok(value),
                _ => behave(q, &q.on_error, row, cx),
            },
        };
    }
    let found = {
        let (answer, items) = query(path, value, variables, raises, true, cx.eval.format)?;
        if answer == Answer::Failed {
            Found::Error
        } else {
            let made =
                if q.kind == JsonQueryKind::Value { single(q, &items, cx) } else { several(q, &items, cx) };
            softened(made, raises)?
        }
    };
    match found {
        Found::Value(value) => match softened(checked(q, value, cx).map(Found::Value), raises)? {
            Found::Value(value) => Ok(value),
            _ => behave(q, &q.on_error, row, cx),
        },
        Found::Error => behave(q, &q.on_error, row, cx),
        Found::Nothing if q.on_empty == Behavior::Error => {
            let why = match &q.column {
                Some(column) => format!("no SQL/JSON item found for specified path of column \"{column}\""),
                None => "no SQL/JSON item found for specified path".to_owned(),
            };
            Err(SqlError::new(SqlState::NO_SQL_JSON_ITEM, why))
        }
        Found::Nothing => behave(q, &q.on_empty, row, cx),
    }
}

/// Whether an error is the statement's, whatever it was about.
fn is_hard(e: &SqlError) -> bool {
    matches!(e.code.class(), "53" | "54" | "57" | "58" | "XX")
}

/// Errors are something found where they do not count, unless they are the statement's.
fn softened(made: Result<Found, SqlError>, raises: bool) -> Result<Found, SqlError> {
    match made {
        Err(e) if !raises && !is_hard(&e) => Ok(Found::Error),
        made => made,
    }
}

fn checked(q: &JsonQuery, value: Datum, cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    if let Some(checks) = &q.checks {
        check_domain(checks, &value, cx)?;
    }
    Ok(value)
}

/// What ON EMPTY or ON ERROR gives.
fn behave(q: &JsonQuery, b: &Behavior, row: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    let value = match b {
        Behavior::Error | Behavior::Null | Behavior::Unknown => Datum::Null,
        Behavior::True | Behavior::False => {
            of_bool(q, *b == Behavior::True, cx).map_err(|e| not_returned(q, b, &e))?
        }
        Behavior::EmptyArray => empty(q, b, Value::Array(Vec::new()), cx)?,
        Behavior::EmptyObject => empty(q, b, Value::Object(Vec::new()), cx)?,
        // What no value of a domain is does not become one here, either.
        Behavior::Default(e) => match eval(e, row, cx) {
            Ok(Datum::Jsonb(made)) if q.ty != Type::Jsonb => {
                returned(q, Jsonb(&made), cx).map_err(|e| not_returned(q, b, &e))?
            }
            Ok(value) => value,
            Err(e) if e.code.class() == "23" => return Err(not_returned(q, b, &e)),
            Err(e) => return Err(e),
        },
    };
    checked(q, value, cx).map_err(|e| not_returned(q, b, &e))
}

/// Something empty as a value of the type.
fn empty(q: &JsonQuery, b: &Behavior, value: Value, cx: &Cx<'_>) -> Result<Datum, SqlError> {
    returned(q, Jsonb(&encode(value)?), cx).map_err(|e| if is_hard(&e) { e } else { not_returned(q, b, &e) })
}

/// What a behavior gives is no value of the type.
fn not_returned(q: &JsonQuery, b: &Behavior, e: &SqlError) -> SqlError {
    if q.on_error == Behavior::Error {
        return e.clone();
    }
    let on = if std::ptr::eq(b, &q.on_error) { "ERROR" } else { "EMPTY" };
    let why = format!("could not coerce ON {on} expression ({}) to the RETURNING type", b.name());
    SqlError::new(SqlState::DATATYPE_MISMATCH, why).with_detail(e.message.clone())
}

/// What JSON_EXISTS, or a column with EXISTS, gives.
fn of_bool(q: &JsonQuery, value: bool, cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    let made = match q.ty {
        Type::Bool => Datum::Bool(value),
        Type::Int4 => Datum::Int4(i32::from(value)),
        ty if ty.element().is_some() || ty.is_row() => returned(q, Jsonb(&encode(Value::Bool(value))?), cx)?,
        ty => input_text(if value { "true" } else { "false" }, ty, q.typmod, cx.eval.format)?,
    };
    checked(q, made, cx)
}

/// The one scalar of JSON_VALUE.
fn single(q: &JsonQuery, items: &[Item<'_>], cx: &Cx<'_>) -> Result<Found, SqlError> {
    let refused = |state| {
        let of = q.place();
        Err(SqlError::new(state, format!("JSON path expression {of} must return single scalar item")))
    };
    let text = match items {
        [] => return Ok(Found::Nothing),
        [Item::Null] => return Ok(Found::Value(Datum::Null)),
        [Item::Container(_)] => return refused(SqlState::SQL_JSON_SCALAR_REQUIRED),
        [item] if matches!(q.ty, Type::Json | Type::Jsonb) => {
            let made = encode(item.value())?;
            return returned(q, Jsonb(&made), cx).map(Found::Value);
        }
        // A domain's values are made as JSON's are.
        [Item::Bool(b)] if q.domain.is_some() => b.to_string(),
        [Item::Bool(b)] => (if *b { "t" } else { "f" }).to_owned(),
        [Item::Number(n)] => n.to_string(),
        [Item::Str(s)] => s.to_string(),
        [Item::Moment(d, _)] => to_text(d, d.natural_type(), -1, cx.eval.format)?,
        _ => return refused(SqlState::MORE_THAN_ONE_SQL_JSON_ITEM),
    };
    input_text(&text, q.ty, q.typmod, cx.eval.format).map(Found::Value)
}

/// The items of JSON_QUERY.
fn several(q: &JsonQuery, items: &[Item<'_>], cx: &Cx<'_>) -> Result<Found, SqlError> {
    let wraps = match q.wrapper {
        Wrapper::Without => false,
        Wrapper::Conditional => items.len() > 1,
        Wrapper::Unconditional => true,
    };
    let made: Arc<[u8]> = match items {
        [] => return Ok(Found::Nothing),
        items if wraps => encode(Value::Array(items.iter().map(Item::value).collect()))?,
        [item] => encode(item.value())?,
        _ => {
            let why = format!(
                "JSON path expression {} must return single item when no wrapper is requested",
                q.place()
            );
            return Err(SqlError::new(SqlState::MORE_THAN_ONE_SQL_JSON_ITEM, why)
                .with_hint("Use the WITH WRAPPER clause to wrap SQL/JSON items into an array."));
        }
    };
    returned(q, Jsonb(&made), cx).map(Found::Value)
}

/// A `jsonb` as a value of the type that is returned.
fn returned(q: &JsonQuery, value: Jsonb<'_>, cx: &Cx<'_>) -> Result<Datum, SqlError> {
    let is_string = matches!(value.kind(), Kind::Str(_));
    if q.ty == Type::Jsonb && (q.keeps_quotes || !is_string) {
        return Ok(Datum::Jsonb(Arc::from(value.0)));
    }
    // Without quotes all is text, and one of these only as it is written in SQL.
    if (q.ty.element().is_some() || q.ty.is_row()) && q.keeps_quotes {
        if is_string || matches!(value.kind(), Kind::Null) {
            let (code, why) = match q.ty.is_row() {
                true => (SqlState::INVALID_PARAMETER_VALUE, "cannot call populate_composite on a scalar"),
                false => (SqlState::INVALID_TEXT_REPRESENTATION, "expected JSON array"),
            };
            return Err(SqlError::new(code, why));
        }
        return populate::value(populate::Given::Value(value), q.ty, q.typmod, cx.eval.format);
    }
    let text = match value.kind() {
        Kind::Str(s) if !q.keeps_quotes => s.to_owned(),
        _ => {
            let mut out = Vec::new();
            output::write(value, false, &mut out)?;
            String::from_utf8_lossy(&out).into_owned()
        }
    };
    match q.ty {
        Type::Json if q.keeps_quotes || !is_string => Ok(Datum::Json(kept(&text)?)),
        ty => input_text(&text, ty, q.typmod, cx.eval.format),
    }
}
