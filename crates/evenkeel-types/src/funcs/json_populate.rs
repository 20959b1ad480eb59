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

/// Whether a value of one type is one of another as it is.
fn is_as_it_is(own: T, asked: T) -> bool {
    own == asked || matches!((own, asked), (T::Varchar, T::Text) | (T::Text, T::Varchar) | (T::Cidr, T::Inet))
}

/// Whether rows of some columns are of those that are asked for, of which some are of domains.
fn must_match(own: &[Attribute], asked: &[Attribute], domains: &[(usize, String)]) -> Result<(), SqlError> {
    let refused = |detail: String| {
        let why = "function return row and query-specified return row do not match";
        Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why).with_detail(detail))
    };
    let (count, wanted) = (own.len(), asked.len());
    if count != wanted {
        let what = if count == 1 { "attribute" } else { "attributes" };
        return refused(format!("Returned row contains {count} {what}, but query expects {wanted}."));
    }
    let domain = |n: usize| domains.iter().find(|d| d.0 == n).map(|d| &d.1);
    let mut pairs = own.iter().zip(asked).enumerate();
    match pairs.find(|(n, (own, asked))| domain(*n).is_some() || !is_as_it_is(own.ty, asked.ty)) {
        None => Ok(()),
        Some((n, (own, asked))) => {
            let wanted = domain(n).cloned().unwrap_or_else(|| asked.ty.sql_name().into_owned());
            let (is, n) = (own.ty.sql_name(), n + 1);
            refused(format!("Returned type {is} at ordinal position {n}, but query expects {wanted}."))
        }
    }
}

/// The values of a record that is asked for with these columns, of which some are of domains.
pub fn record_as(
    record: &Datum,
    asked: &[Attribute],
    domains: &[(usize, String)],
) -> Result<Vec<Datum>, SqlError> {
    let Datum::Record(r) = record else { return Ok(vec![Datum::Null; asked.len()]) };
    must_match(&columns_of(r), asked, domains)?;
    Ok(r.values.clone())
}

/// `json_to_record` and its like: rows of some columns from JSON and, if there is one, the row that they were before, whose own columns they then have.
/// Values that come from JSON, or are not in it, are checked by the numbers of their columns.
pub fn json_records(
    name: &str,
    a: &[Datum],
    (columns, domains): (&[Attribute], &[(usize, String)]),
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
    match &own {
        Some(own) => must_match(own, columns, domains),
        None => Ok(()),
    }
}

const OF_JSONB: &[T] = &[T::AnyElement, T::Jsonb, T::Oid];
const OF_JSON: &[T] = &[T::AnyElement, T::Json, T::Oid];
const ROW: &[(&str, T)] = &[("row", T::Record)];

const OF_HSTORE: &[T] = &[T::AnyElement, T::Hstore, T::Oid];

static POPULATE: [ScalarFn; 3] = [
    lenient(stable("jsonb_populate_record", OF_JSONB, T::AnyElement, one)),
    lenient(stable("json_populate_record", OF_JSON, T::AnyElement, one)),
    lenient(stable("populate_record", OF_HSTORE, T::AnyElement, super::hstore::populate_record)),
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
