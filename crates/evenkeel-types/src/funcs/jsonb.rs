//! Functions on `jsonb`: what is in it, and changes of it. The operators are the same functions.

use super::{Eval, bool_arg, f, lenient, str_arg, variadic};
use crate::datum::{ArrayDatum, Datum};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::{kept_bytes, string_of};
use crate::json::edit::{self, Action, Change};
use crate::json::{Jsonb, Kind, Value, encode, output};
use crate::ty::Type as T;

/// The `jsonb` argument `i`.
pub(crate) fn jsonb_arg(a: &[Datum], i: usize) -> Result<Jsonb<'_>, SqlError> {
    match a.get(i) {
        Some(Datum::Jsonb(b)) => Ok(Jsonb(b)),
        _ => Err(SqlError::internal("a jsonb was expected")),
    }
}

pub(crate) fn mistake(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// Bytes that are a text.
pub(super) fn text_datum(bytes: Vec<u8>) -> Eval {
    match string_of(bytes)? {
        Ok(text) => super::part(&text),
        Err(_) => Err(SqlError::internal("JSON that is no text")),
    }
}

/// A part of a value, to keep.
pub(crate) fn kept(value: Option<Jsonb<'_>>) -> Eval {
    Ok(match value {
        Some(v) => Datum::Jsonb(kept_bytes(v.0)?),
        None => Datum::Null,
    })
}

/// A part of a value as text.
pub(crate) fn kept_text(value: Option<Jsonb<'_>>) -> Eval {
    match value.map(output::as_text).transpose()?.flatten() {
        Some(text) => text_datum(text),
        None => Ok(Datum::Null),
    }
}

fn made(value: Value<'_>) -> Eval {
    Ok(Datum::Jsonb(encode(value)?))
}

fn field(a: &[Datum]) -> Result<Option<Jsonb<'_>>, SqlError> {
    Ok(match jsonb_arg(a, 0)?.kind() {
        Kind::Object(pairs) => pairs.find(str_arg(a, 1)),
        _ => None,
    })
}

fn element(a: &[Datum]) -> Result<Option<Jsonb<'_>>, SqlError> {
    let value = jsonb_arg(a, 0)?;
    Ok(match value.kind() {
        Kind::Array(items) => items.at(super::int_arg(a, 1)),
        Kind::Object(_) => None,
        // A scalar is as an array that has it alone.
        _ => Some(value).filter(|_| matches!(super::int_arg(a, 1), 0 | -1)),
    })
}

/// `jsonb -> text`
pub fn object_field(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    kept(field(a)?)
}

/// `jsonb ->> text`
pub fn object_field_text(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    kept_text(field(a)?)
}

/// `jsonb -> integer`
pub fn array_element(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    kept(element(a)?)
}

/// `jsonb ->> integer`
pub fn array_element_text(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    kept_text(element(a)?)
}

/// The steps of a path; nothing if one of them is NULL.
pub(super) fn steps(path: &ArrayDatum) -> Option<Vec<&str>> {
    path.values.iter().map(Datum::as_str).collect()
}

fn path_arg(a: &[Datum], i: usize) -> Result<&ArrayDatum, SqlError> {
    a[i].as_array().ok_or_else(|| SqlError::internal("an array was expected"))
}

fn at_path(a: &[Datum]) -> Result<Option<Jsonb<'_>>, SqlError> {
    let value = jsonb_arg(a, 0)?;
    Ok(steps(path_arg(a, 1)?).and_then(|steps| edit::at_path(value, &steps)))
}

/// `jsonb #> text[]`
pub fn extract_path(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    kept(at_path(a)?)
}

/// `jsonb #>> text[]`
pub fn extract_path_text(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    kept_text(at_path(a)?)
}

/// Where a list of arguments leads to.
fn at_listed(a: &[Datum]) -> Result<Option<Jsonb<'_>>, SqlError> {
    let steps: Option<Vec<&str>> = a[1..].iter().map(Datum::as_str).collect();
    let value = jsonb_arg(a, 0)?;
    Ok(steps.and_then(|steps| edit::at_path(value, &steps)))
}

fn extract_listed(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    kept(at_listed(a)?)
}

fn extract_listed_text(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    kept_text(at_listed(a)?)
}

fn type_of(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::text(jsonb_arg(a, 0)?.type_name()))
}

fn array_length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match jsonb_arg(a, 0)?.kind() {
        Kind::Array(items) => Ok(Datum::Int4(items.len() as i32)),
        Kind::Object(_) => Err(mistake("cannot get array length of a non-array")),
        _ => Err(mistake("cannot get array length of a scalar")),
    }
}

fn pretty(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mut out = Vec::new();
    output::write(jsonb_arg(a, 0)?, true, &mut out)?;
    text_datum(out)
}

fn strip_nulls(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    made(edit::without_nulls(jsonb_arg(a, 0)?, bool_arg(a, 1), 0)?)
}

/// `jsonb @> jsonb`
pub fn contains(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(edit::contains(jsonb_arg(a, 0)?, jsonb_arg(a, 1)?)?))
}

/// `jsonb <@ jsonb`
pub fn contained(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(edit::contains(jsonb_arg(a, 1)?, jsonb_arg(a, 0)?)?))
}

/// `jsonb ? text`
pub fn exists(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(edit::has_key(jsonb_arg(a, 0)?, str_arg(a, 1))))
}

/// `jsonb ?| text[]`
pub fn exists_any(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let value = jsonb_arg(a, 0)?;
    let mut keys = path_arg(a, 1)?.values.iter().filter_map(Datum::as_str);
    Ok(Datum::Bool(keys.any(|key| edit::has_key(value, key))))
}

/// `jsonb ?& text[]`
pub fn exists_all(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let value = jsonb_arg(a, 0)?;
    let mut keys = path_arg(a, 1)?.values.iter().filter_map(Datum::as_str);
    Ok(Datum::Bool(keys.all(|key| edit::has_key(value, key))))
}

/// `jsonb || jsonb`
pub fn concat(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    made(edit::concatenated(jsonb_arg(a, 0)?, jsonb_arg(a, 1)?)?)
}

/// `jsonb - text`
pub fn delete_key(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    made(edit::without_keys(jsonb_arg(a, 0)?, &[str_arg(a, 1)])?)
}

/// `jsonb - text[]`
pub fn delete_keys(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let keys = path_arg(a, 1)?;
    one_dimension(keys)?;
    let keys: Vec<&str> = keys.values.iter().filter_map(Datum::as_str).collect();
    made(edit::without_keys(jsonb_arg(a, 0)?, &keys)?)
}

/// `jsonb_delete` of several keys.
fn delete_listed(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    if a[0].is_null() {
        return Ok(Datum::Null);
    }
    let keys: Vec<&str> = a[1..].iter().filter_map(Datum::as_str).collect();
    made(edit::without_keys(jsonb_arg(a, 0)?, &keys)?)
}

/// `jsonb - integer`
pub fn delete_element(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    made(edit::without_element(jsonb_arg(a, 0)?, super::int_arg(a, 1))?)
}

fn one_dimension(path: &ArrayDatum) -> Result<(), SqlError> {
    if path.dims.len() > 1 {
        return Err(SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts"));
    }
    Ok(())
}

fn changed<'a>(
    value: Jsonb<'a>,
    path: &'a ArrayDatum,
    new: Jsonb<'a>,
    action: Action,
) -> Result<Value<'a>, SqlError> {
    one_dimension(path)?;
    if !value.is_container() {
        let what = if action == Action::Delete { "delete" } else { "set" };
        return Err(mistake(format!("cannot {what} path in scalar")));
    }
    let path: Vec<Option<&str>> = path.values.iter().map(Datum::as_str).collect();
    Change { path: &path, value: new, action }.apply(value, 0)
}

/// `jsonb #- text[]`
pub fn delete_path(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    made(changed(jsonb_arg(a, 0)?, path_arg(a, 1)?, Jsonb(&[]), Action::Delete)?)
}

fn set(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let action = if a.len() < 4 || bool_arg(a, 3) { Action::Set } else { Action::Replace };
    made(changed(jsonb_arg(a, 0)?, path_arg(a, 1)?, jsonb_arg(a, 2)?, action)?)
}

fn insert(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let action = if bool_arg(a, 3) { Action::InsertAfter } else { Action::InsertBefore };
    made(changed(jsonb_arg(a, 0)?, path_arg(a, 1)?, jsonb_arg(a, 2)?, action)?)
}

fn set_lax(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    const TREATMENTS: &str = "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"";
    if a[0].is_null() || a[1].is_null() || a.get(3).is_some_and(Datum::is_null) {
        return Ok(Datum::Null);
    }
    let treatment = match a.get(4) {
        None => "use_json_null",
        Some(Datum::Null) => return Err(mistake(TREATMENTS)),
        Some(t) => t.as_str().unwrap_or(""),
    };
    if !a[2].is_null() {
        return set(&a[..a.len().min(4)], ctx);
    }
    match treatment {
        "raise_exception" => Err(SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, "JSON value must not be null")
            .with_detail("Exception was raised because null_value_treatment is \"raise_exception\".")
            .with_hint("To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.")),
        "use_json_null" => {
            let mut with_null = a[..a.len().min(4)].to_vec();
            with_null[2] = Datum::Jsonb(encode(Value::Null)?);
            set(&with_null, ctx)
        }
        "delete_key" => delete_path(a, ctx),
        "return_target" => Ok(a[0].clone()),
        _ => Err(mistake(TREATMENTS)),
    }
}

const JJ: &[T] = &[T::Jsonb, T::Jsonb];
const JT: &[T] = &[T::Jsonb, T::Text];
const JTT: &[T] = &[T::Jsonb, T::Text, T::Text];
const JI: &[T] = &[T::Jsonb, T::Int4];
const JA: &[T] = &[T::Jsonb, T::TextArray];
const SET: &[T] = &[T::Jsonb, T::TextArray, T::Jsonb];
const SET_IF: &[T] = &[T::Jsonb, T::TextArray, T::Jsonb, T::Bool];
const SET_LAX: &[T] = &[T::Jsonb, T::TextArray, T::Jsonb, T::Bool, T::Text];

pub(super) const TABLE: &[ScalarFn] = &[
    f("jsonb_object_field", JT, T::Jsonb, object_field),
    f("jsonb_object_field_text", JT, T::Text, object_field_text),
    f("jsonb_array_element", JI, T::Jsonb, array_element),
    f("jsonb_array_element_text", JI, T::Text, array_element_text),
    variadic(f("jsonb_extract_path", JT, T::Jsonb, extract_listed)),
    variadic(f("jsonb_extract_path_text", JT, T::Text, extract_listed_text)),
    f("jsonb_typeof", &[T::Jsonb], T::Text, type_of),
    f("jsonb_array_length", &[T::Jsonb], T::Int4, array_length),
    f("jsonb_pretty", &[T::Jsonb], T::Text, pretty),
    f("jsonb_strip_nulls", &[T::Jsonb], T::Jsonb, strip_nulls),
    f("jsonb_strip_nulls", &[T::Jsonb, T::Bool], T::Jsonb, strip_nulls),
    f("jsonb_contains", JJ, T::Bool, contains),
    f("jsonb_contained", JJ, T::Bool, contained),
    f("jsonb_exists", JT, T::Bool, exists),
    f("jsonb_exists_any", JA, T::Bool, exists_any),
    f("jsonb_exists_all", JA, T::Bool, exists_all),
    f("jsonb_concat", JJ, T::Jsonb, concat),
    f("jsonb_delete", JT, T::Jsonb, delete_key),
    f("jsonb_delete", JI, T::Jsonb, delete_element),
    lenient(variadic(f("jsonb_delete", JTT, T::Jsonb, delete_listed))),
    f("jsonb_delete_path", JA, T::Jsonb, delete_path),
    f("jsonb_set", SET, T::Jsonb, set),
    f("jsonb_set", SET_IF, T::Jsonb, set),
    f("jsonb_insert", SET, T::Jsonb, insert),
    f("jsonb_insert", SET_IF, T::Jsonb, insert),
    lenient(f("jsonb_set_lax", SET, T::Jsonb, set_lax)),
    lenient(f("jsonb_set_lax", SET_IF, T::Jsonb, set_lax)),
    lenient(f("jsonb_set_lax", SET_LAX, T::Jsonb, set_lax)),
];
