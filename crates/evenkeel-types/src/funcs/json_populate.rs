//! `jsonb_populate_record` and its like: rows of composite types from JSON. Behind their own arguments they get the OID of the type, which a row that is NULL does not tell.
//!
//! Must not know: how a value becomes one of a type (`json::populate`).

use super::{Eval, lenient, stable};
use crate::datum::{Datum, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::format::FormatOptions;
use crate::function::{EvalCtx, ScalarFn};
use crate::json::populate::{fields, record};
use crate::json::{Jsonb, Kind, read};
use crate::sets::{Rows, SetFn};
use crate::ty::Type as T;
use crate::user::Attribute;
use std::sync::Arc;

/// The row before, the JSON if there is one, and the type.
type Given<'a> = (Option<&'a RecordDatum>, Option<Arc<[u8]>>, u32);

fn given(a: &[Datum]) -> Result<Given<'_>, SqlError> {
    let before = if let Datum::Record(r) = &a[0] { Some(&**r) } else { None };
    let json = match &a[1] {
        Datum::Jsonb(b) => Some(b.clone()),
        Datum::Json(text) => Some(read(text)?),
        _ => None,
    };
    let Datum::Oid(of) = a[2] else { return Err(SqlError::internal("a composite type was expected")) };
    Ok((before, json, of))
}

fn one(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (before, json, of) = given(a)?;
    match json {
        Some(json) => record(Jsonb(&json), of, before, ctx.format),
        None => Ok(a[0].clone()),
    }
}

fn many(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows, name: &str) -> Result<(), SqlError> {
    let (before, json, of) = given(a)?;
    let Some(json) = json else { return Ok(()) };
    each_object(Jsonb(&json), name, |v| out.push([record(v, of, before, ctx.format)?]))
}

/// The objects of an array; errors name the function.
fn each_object(
    json: Jsonb<'_>,
    name: &str,
    mut take: impl FnMut(Jsonb<'_>) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let refused = |why: String| Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
    let items = match json.kind() {
        Kind::Array(items) => items,
        _ if name.starts_with("jsonb") => return refused(format!("cannot call {name} on a non-array")),
        Kind::Object(_) => return refused(format!("cannot call {name} on an object")),
        _ => return refused(format!("cannot call {name} on a scalar")),
    };
    for v in items.iter() {
        if !matches!(v.kind(), Kind::Object(_)) {
            return refused(format!("argument of {name} must be an array of objects"));
        }
        take(v)?;
    }
    Ok(())
}

fn many_b(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    many(a, ctx, out, "jsonb_populate_recordset")
}

fn many_of_text(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    many(a, ctx, out, "json_populate_recordset")
}

/// The fields of a row, as columns.
fn columns_of(row: &RecordDatum) -> Vec<Attribute> {
    let name = |n: usize| {
        let own = row.names.as_ref().and_then(|names| names.get(n)).cloned();
        own.unwrap_or_else(|| format!("f{}", n + 1))
    };
    let column = |(n, ty): (usize, &T)| Attribute { name: name(n), ty: *ty, typmod: -1 };
    row.types.iter().enumerate().map(column).collect()
}

/// Whether rows of some columns are of those that are asked for.
fn must_match(own: &[Attribute], asked: &[Attribute]) -> Result<(), SqlError> {
    let refused = |detail: String| {
        let why = "function return row and query-specified return row do not match";
        Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why).with_detail(detail))
    };
    let (count, wanted) = (own.len(), asked.len());
    if count != wanted {
        let what = if count == 1 { "attribute" } else { "attributes" };
        return refused(format!("Returned row contains {count} {what}, but query expects {wanted}."));
    }
    match own.iter().zip(asked).enumerate().find(|(_, (own, asked))| own.ty != asked.ty) {
        None => Ok(()),
        Some((n, (own, asked))) => {
            let (is, wanted) = (own.ty.sql_name(), asked.ty.sql_name());
            let n = n + 1;
            refused(format!("Returned type {is} at ordinal position {n}, but query expects {wanted}."))
        }
    }
}

/// `json_to_record` and its like: rows of some columns from JSON and, if there is one, the row that they were before, whose own columns they then have.
/// Values that come from JSON, or are not in it, are checked by the numbers of their columns.
pub fn json_records(
    name: &str,
    a: &[Datum],
    columns: &[Attribute],
    o: &FormatOptions,
    check: &mut dyn FnMut(usize, &Datum) -> Result<(), SqlError>,
    out: &mut Rows,
) -> Result<(), SqlError> {
    let before = if let Some(Datum::Record(r)) = a.get(1) { Some(&**r) } else { None };
    let own = before.map(columns_of);
    let shown = own.as_deref().unwrap_or(columns);
    let is_set = name.ends_with("set");
    let json = match &a[0] {
        Datum::Jsonb(b) => Some(b.clone()),
        Datum::Json(text) => Some(read(text)?),
        _ if is_set => return Ok(()),
        _ => None,
    };
    match &json {
        Some(json) if is_set => {
            each_object(Jsonb(json), name, |v| out.push_all(fields(v, shown, before, o, check)?))?;
        }
        Some(json) => out.push_all(fields(Jsonb(json), shown, before, o, check)?)?,
        // As it was before.
        None => {
            let was = |n: usize| before.and_then(|b| b.values.get(n)).cloned().unwrap_or(Datum::Null);
            out.push_all((0..shown.len()).map(was).collect())?;
        }
    }
    must_match(shown, columns)
}

const OF_JSONB: &[T] = &[T::AnyElement, T::Jsonb, T::Oid];
const OF_JSON: &[T] = &[T::AnyElement, T::Json, T::Oid];
const ROW: &[(&str, T)] = &[("row", T::Record)];

static POPULATE: [ScalarFn; 2] = [
    lenient(stable("jsonb_populate_record", OF_JSONB, T::AnyElement, one)),
    lenient(stable("json_populate_record", OF_JSON, T::AnyElement, one)),
];

static POPULATE_SETS: [SetFn; 2] = [
    SetFn { name: "jsonb_populate_recordset", args: OF_JSONB, columns: ROW, strict: false, call: many_b },
    SetFn { name: "json_populate_recordset", args: OF_JSON, columns: ROW, strict: false, call: many_of_text },
];

/// The function of a name. No other way leads to it: whoever calls it knows the type.
pub fn populate(name: &str) -> Option<&'static ScalarFn> {
    POPULATE.iter().find(|f| f.name == name)
}

/// The same of functions that return sets.
pub fn populate_set(name: &str) -> Option<&'static SetFn> {
    POPULATE_SETS.iter().find(|f| f.name == name)
}
