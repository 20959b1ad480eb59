//! `jsonb_populate_record` and its like: rows of composite types from JSON. Behind their own arguments they get the OID of the type, which a row that is NULL does not tell.
//!
//! Must not know: how a value becomes one of a type (`json::populate`).

use super::{Eval, lenient, stable};
use crate::datum::{Datum, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::json::populate::record;
use crate::json::{Jsonb, Kind, read};
use crate::sets::{Rows, SetFn};
use crate::ty::Type as T;
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
    let refused = |why: String| Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
    let (before, json, of) = given(a)?;
    let Some(json) = json else { return Ok(()) };
    let items = match Jsonb(&json).kind() {
        Kind::Array(items) => items,
        _ => return refused(format!("cannot call {name} on a non-array")),
    };
    for v in items.iter() {
        if !matches!(v.kind(), Kind::Object(_)) {
            return refused(format!("argument of {name} must be an array of objects"));
        }
        out.push([record(v, of, before, ctx.format)?])?;
    }
    Ok(())
}

fn many_b(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    many(a, ctx, out, "jsonb_populate_recordset")
}

fn many_of_text(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    many(a, ctx, out, "json_populate_recordset")
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
