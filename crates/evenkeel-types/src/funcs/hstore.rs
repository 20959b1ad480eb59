//! Functions and operators of the extension `hstore`.
//!
//! Must not know: whether the extension was asked for.

use super::{Eval, f, lenient, stable, str_arg};
use crate::datum::{ArrayDatum, Datum, Dim, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::guard::build::make_room;
use crate::hstore::{self, Hstore, Pair, datum, made, null_key};
use crate::json::encode;
use crate::json::make::{attributes_of, field_name};
use crate::ops::op;
use crate::text_io::{input_text, to_text};
use crate::ty::Type as T;
use crate::user::{self, Attribute};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

fn hstore_arg(a: &[Datum], n: usize) -> Result<Hstore<'_>, SqlError> {
    match a.get(n) {
        Some(Datum::Hstore(b)) => Ok(Hstore(b)),
        _ => Err(SqlError::internal("an hstore was expected")),
    }
}

fn array_arg(a: &[Datum], n: usize) -> Result<&ArrayDatum, SqlError> {
    a.get(n).and_then(Datum::as_array).ok_or_else(|| SqlError::internal("an array was expected"))
}

fn key(d: &Datum) -> Option<&[u8]> {
    d.as_str().map(str::as_bytes)
}

/// The keys that an array names; NULL is none.
fn keys_arg(a: &[Datum], n: usize) -> Result<impl Iterator<Item = &[u8]>, SqlError> {
    Ok(array_arg(a, n)?.values.iter().filter_map(key))
}

fn texts(parts: impl Iterator<Item = Eval>) -> Result<Vec<Datum>, SqlError> {
    let (mut out, mut pace) = (Vec::new(), Pace::default());
    for part in parts {
        pace.step()?;
        make_room(&mut out, 1)?;
        out.push(part?);
    }
    Ok(out)
}

fn of_texts(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match key(&a[0]) {
        Some(name) => made(vec![(Cow::Borrowed(name), key(&a[1]).map(Cow::Borrowed))]),
        None => Ok(Datum::Null),
    }
}

fn of_array(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    hstore::of_array(array_arg(a, 0)?)
}

fn of_arrays(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let wrong = |why: &str| Err(SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, why));
    let Datum::Array(keys) = &a[0] else { return Ok(Datum::Null) };
    let values = a[1].as_array();
    if keys.dims.len() > 1 || values.is_some_and(|v| v.dims.len() > 1) {
        return wrong("wrong number of array subscripts");
    }
    if values.is_some_and(|v| v.dims != keys.dims) {
        return wrong("arrays must have same bounds");
    }
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    make_room(&mut pairs, keys.values.len())?;
    for (n, name) in keys.values.iter().enumerate() {
        let value = values.and_then(|v| v.values.get(n)).and_then(key);
        pairs.push((Cow::Borrowed(key(name).ok_or_else(null_key)?), value.map(Cow::Borrowed)));
    }
    made(pairs)
}

/// The fields of a row. Behind it stands, if its type has a name, that type's OID, which a row that is NULL does not tell.
fn of_row(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    let text = |s: String| Cow::Owned(s.into_bytes());
    match (&a[0], a.get(1)) {
        (Datum::Record(r), _) => {
            let attributes = attributes_of(r, ctx.format);
            for (n, (value, ty)) in r.values.iter().zip(&r.types).enumerate() {
                let name = field_name(r, n, attributes.as_ref()).into_owned();
                let value = if value.is_null() { None } else { Some(to_text(value, *ty, -1, ctx.format)?) };
                pairs.push((text(name), value.map(text)));
            }
        }
        (_, Some(Datum::Oid(of))) => {
            let attributes = user::attributes(*of, ctx.format.reg_names.as_ref())?;
            pairs.extend(attributes.iter().map(|a| (text(a.name.clone()), None)));
        }
        _ => return Ok(Datum::Null),
    }
    made(pairs)
}

/// A row of some attributes from an `hstore`; those that it does not name are as they were before.
fn populated(
    from: &[u8],
    attributes: &[Attribute],
    before: Option<&RecordDatum>,
    ctx: &EvalCtx<'_>,
) -> Result<RecordDatum, SqlError> {
    let mut values = Vec::with_capacity(attributes.len());
    for (n, a) in attributes.iter().enumerate() {
        values.push(match Hstore(from).find(a.name.as_bytes()) {
            None => before.and_then(|r| r.values.get(n)).cloned().unwrap_or(Datum::Null),
            Some(None) => Datum::Null,
            Some(Some(v)) => input_text(hstore::as_text(v)?, a.ty, a.typmod, ctx.format)?,
        });
    }
    Ok(RecordDatum::new(attributes.iter().map(|a| a.ty).collect(), values))
}

fn row_arg(a: &[Datum], n: usize) -> Option<&RecordDatum> {
    if let Some(Datum::Record(r)) = a.get(n) { Some(r) } else { None }
}

/// (SQL) `populate_record(row, hstore)`, with the OID of the row's type behind.
pub(super) fn populate_record(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (Datum::Hstore(from), Datum::Oid(of)) = (&a[1], &a[2]) else { return Ok(a[0].clone()) };
    let attributes = user::attributes(*of, ctx.format.reg_names.as_ref())?;
    let row = populated(from, &attributes, row_arg(a, 0), ctx)?;
    Ok(Datum::Record(Arc::new(RecordDatum { of: *of, ..row })))
}

/// The same of a row of no such type, with the names, types and modifiers of its fields behind.
fn populate_fields(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let Datum::Hstore(from) = &a[1] else { return Ok(a[0].clone()) };
    let [names, types, typmods] = [array_arg(a, 2)?, array_arg(a, 3)?, array_arg(a, 4)?];
    let mut attributes = Vec::with_capacity(names.values.len());
    for ((name, ty), typmod) in names.values.iter().zip(&types.values).zip(&typmods.values) {
        attributes.push(Attribute {
            name: name.as_str().unwrap_or_default().to_owned(),
            ty: ty
                .as_oid()
                .and_then(T::from_stored_oid)
                .ok_or_else(|| SqlError::internal("a field's type"))?,
            typmod: typmod.as_i64().unwrap_or(-1) as i32,
            domain: None,
        });
    }
    let row = populated(from, &attributes, row_arg(a, 0), ctx)?;
    let names = attributes.into_iter().map(|a| a.name).collect();
    Ok(Datum::Record(Arc::new(RecordDatum { names: Some(names), ..row })))
}

fn fetchval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    datum(hstore_arg(a, 0)?.get(str_arg(a, 1).as_bytes()))
}

fn slice_array(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (from, keys) = (hstore_arg(a, 0)?, array_arg(a, 1)?);
    let values = texts(keys.values.iter().map(|k| datum(key(k).and_then(|k| from.get(k)))))?;
    let dims = keys.dims.clone();
    Ok(Datum::Array(Arc::new(ArrayDatum { element: T::Text, dims, values: values.into() })))
}

fn slice(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let from = hstore_arg(a, 0)?;
    let found = keys_arg(a, 1)?.filter_map(|k| Some((Cow::Borrowed(k), from.find(k)?.map(Cow::Borrowed))));
    made(found.collect())
}

fn exists(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(hstore_arg(a, 0)?.find(str_arg(a, 1).as_bytes()).is_some()))
}

fn exists_any(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let from = hstore_arg(a, 0)?;
    Ok(Datum::Bool(keys_arg(a, 1)?.any(|k| from.find(k).is_some())))
}

fn exists_all(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let from = hstore_arg(a, 0)?;
    Ok(Datum::Bool(keys_arg(a, 1)?.all(|k| from.find(k).is_some())))
}

fn defined(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(hstore_arg(a, 0)?.get(str_arg(a, 1).as_bytes()).is_some()))
}

fn delete_key(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let gone = str_arg(a, 1).as_bytes();
    made(hstore_arg(a, 0)?.pairs().filter(|p| *p.0 != *gone).collect())
}

fn delete_keys(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mut gone: Vec<&[u8]> = keys_arg(a, 1)?.collect();
    gone.sort_unstable();
    made(hstore_arg(a, 0)?.pairs().filter(|p| gone.binary_search(&&*p.0).is_err()).collect())
}

fn delete_pairs(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let gone = hstore_arg(a, 1)?;
    made(hstore_arg(a, 0)?.pairs().filter(|p| gone.find(&p.0) != Some(p.1.as_deref())).collect())
}

/// Of a key that both have the right one's value stays.
fn concat(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (left, right) = (hstore_arg(a, 0)?, hstore_arg(a, 1)?);
    made(right.pairs().chain(left.pairs()).collect())
}

fn contains(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(hstore_arg(a, 0)?.contains(hstore_arg(a, 1)?)))
}

fn contained(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(hstore_arg(a, 1)?.contains(hstore_arg(a, 0)?)))
}

fn akeys(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::array(T::Text, texts(hstore_arg(a, 0)?.iter().map(|(k, _)| datum(Some(k))))?))
}

fn avals(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::array(T::Text, texts(hstore_arg(a, 0)?.iter().map(|(_, v)| datum(v)))?))
}

fn alternating(a: &[Datum]) -> Result<Vec<Datum>, SqlError> {
    texts(hstore_arg(a, 0)?.iter().flat_map(|(k, v)| [datum(Some(k)), datum(v)]))
}

fn to_array(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::array(T::Text, alternating(a)?))
}

fn to_matrix(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let values = alternating(a)?;
    let rows = Dim { len: values.len() as i32 / 2, lower: 1 };
    let dims = if values.is_empty() { Vec::new() } else { vec![rows, Dim { len: 2, lower: 1 }] };
    Ok(Datum::Array(Arc::new(ArrayDatum { element: T::Text, dims, values: values.into() })))
}

fn to_json(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    hstore::to_json(hstore_arg(a, 0)?, false)
}

fn to_json_loose(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    hstore::to_json(hstore_arg(a, 0)?, true)
}

fn to_jsonb(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Jsonb(encode(hstore_arg(a, 0)?.json(false)?)?))
}

fn to_jsonb_loose(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Jsonb(encode(hstore_arg(a, 0)?.json(true)?)?))
}

fn compare(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(hstore_arg(a, 0)?.compare(hstore_arg(a, 1)?) as i32))
}

macro_rules! comparisons {
    ($($call:ident $test:expr;)*) => {
        $(fn $call(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
            let test: fn(Ordering) -> bool = $test;
            Ok(Datum::Bool(test(hstore_arg(a, 0)?.compare(hstore_arg(a, 1)?))))
        })*
    };
}

comparisons! {
    eq Ordering::is_eq;
    ne Ordering::is_ne;
    lt Ordering::is_lt;
    le Ordering::is_le;
    gt Ordering::is_gt;
    ge Ordering::is_ge;
}

/// `h['key'] = value`, of a value that may be NULL: then the pair is all there is.
pub(super) fn with_value(whole: &Datum, name: &str, part: &Datum) -> Eval {
    let pair: Pair<'_> = (Cow::Borrowed(name.as_bytes()), key(part).map(Cow::Borrowed));
    match whole {
        Datum::Hstore(b) => made(std::iter::once(pair).chain(Hstore(b).pairs()).collect()),
        _ => made(vec![pair]),
    }
}

const H: &[T] = &[T::Hstore];
const HH: &[T] = &[T::Hstore, T::Hstore];
const HT: &[T] = &[T::Hstore, T::Text];
const HA: &[T] = &[T::Hstore, T::TextArray];
const TT: &[T] = &[T::Text, T::Text];

pub(super) const TABLE: &[ScalarFn] = &[
    lenient(f("hstore", TT, T::Hstore, of_texts)),
    lenient(f("tconvert", TT, T::Hstore, of_texts)),
    f("hstore", &[T::TextArray], T::Hstore, of_array),
    lenient(f("hstore", &[T::TextArray, T::TextArray], T::Hstore, of_arrays)),
    lenient(stable("hstore", &[T::Record], T::Hstore, of_row)),
    f("fetchval", HT, T::Text, fetchval),
    f("slice_array", HA, T::TextArray, slice_array),
    f("slice", HA, T::Hstore, slice),
    f("isexists", HT, T::Bool, exists),
    f("exist", HT, T::Bool, exists),
    f("exists_any", HA, T::Bool, exists_any),
    f("exists_all", HA, T::Bool, exists_all),
    f("isdefined", HT, T::Bool, defined),
    f("defined", HT, T::Bool, defined),
    f("delete", HT, T::Hstore, delete_key),
    f("delete", HA, T::Hstore, delete_keys),
    f("delete", HH, T::Hstore, delete_pairs),
    f("hs_concat", HH, T::Hstore, concat),
    f("hs_contains", HH, T::Bool, contains),
    f("hs_contained", HH, T::Bool, contained),
    f("akeys", H, T::TextArray, akeys),
    f("avals", H, T::TextArray, avals),
    f("hstore_to_array", H, T::TextArray, to_array),
    f("hstore_to_matrix", H, T::TextArray, to_matrix),
    f("hstore_to_json", H, T::Json, to_json),
    f("hstore_to_json_loose", H, T::Json, to_json_loose),
    f("hstore_to_jsonb", H, T::Jsonb, to_jsonb),
    f("hstore_to_jsonb_loose", H, T::Jsonb, to_jsonb_loose),
    f("hstore_cmp", HH, T::Int4, compare),
    f("hstore_eq", HH, T::Bool, eq),
    f("hstore_ne", HH, T::Bool, ne),
    f("hstore_lt", HH, T::Bool, lt),
    f("hstore_le", HH, T::Bool, le),
    f("hstore_gt", HH, T::Bool, gt),
    f("hstore_ge", HH, T::Bool, ge),
];

pub(crate) const OPERATORS: &[ScalarFn] = &[
    op("->", HT, T::Text, fetchval),
    op("->", HA, T::TextArray, slice_array),
    op("||", HH, T::Hstore, concat),
    op("?", HT, T::Bool, exists),
    op("?|", HA, T::Bool, exists_any),
    op("?&", HA, T::Bool, exists_all),
    op("@>", HH, T::Bool, contains),
    op("<@", HH, T::Bool, contained),
    op("-", HT, T::Hstore, delete_key),
    op("-", HA, T::Hstore, delete_keys),
    op("-", HH, T::Hstore, delete_pairs),
    op("%%", H, T::TextArray, to_array),
    op("%#", H, T::TextArray, to_matrix),
    op("=", HH, T::Bool, eq),
    op("<>", HH, T::Bool, ne),
    op("#<#", HH, T::Bool, lt),
    op("#<=#", HH, T::Bool, le),
    op("#>#", HH, T::Bool, gt),
    op("#>=#", HH, T::Bool, ge),
];

/// `hstore(row)` of a row whose type has a name; behind the row stands that type's OID. No name leads to it.
pub static HSTORE_OF_ROW: ScalarFn = lenient(stable("hstore", &[T::Record, T::Oid], T::Hstore, of_row));

/// `populate_record(row, hstore)` of a row of no composite type; behind it stand the names, the types' OIDs and the modifiers of its fields. No name leads to it.
pub static HSTORE_INTO_FIELDS: ScalarFn = lenient(stable(
    "populate_record",
    &[T::Record, T::Hstore, T::TextArray, T::OidArray, T::Int4Array],
    T::Record,
    populate_fields,
));

/// Whether a function is the extension's.
pub(super) fn has(f: &ScalarFn) -> bool {
    TABLE.iter().chain(OPERATORS).any(|own| own.name == f.name && own.args == f.args)
}

/// The same of a name.
pub(crate) fn has_name(name: &str) -> bool {
    name == "populate_record" || TABLE.iter().any(|own| own.name == name)
}
