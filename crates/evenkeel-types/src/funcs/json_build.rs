//! Functions that make `json` and `jsonb` of SQL values.

use super::jsonb::{mistake, text_datum};
use super::{Eval, bool_arg, f, lenient, stable, variadic};
use crate::datum::{ArrayDatum, Datum, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::json::{Value, encode, make, output};
use crate::ty::Type as T;
use std::borrow::Cow;
use std::sync::Arc;

pub(super) fn json_datum(bytes: Vec<u8>) -> Eval {
    match text_datum(bytes)? {
        Datum::Text(s) => Ok(Datum::Json(s)),
        other => Ok(other),
    }
}

fn to_json(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let mut out = Vec::new();
    make::write(&a[0], a[0].natural_type(), bool_arg(a, 1), ctx.format, &mut out)?;
    json_datum(out)
}

fn to_jsonb(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if let Datum::Jsonb(_) = a[0] {
        return Ok(a[0].clone());
    }
    Ok(Datum::Jsonb(encode(make::value(&a[0], a[0].natural_type(), ctx.format)?)?))
}

fn odd(name: &str) -> SqlError {
    mistake("argument list must have even number of elements")
        .with_hint(format!("The arguments of {name}() must consist of alternating keys and values."))
}

pub(super) fn null_key() -> SqlError {
    SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key")
}

fn build_object(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if !a.len().is_multiple_of(2) {
        return Err(odd("json_build_object"));
    }
    let mut out = vec![b'{'];
    for (i, pair) in a.chunks_exact(2).enumerate() {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        if pair[0].is_null() {
            return Err(null_key());
        }
        output::write_string(&make::key(&pair[0], pair[0].natural_type(), ctx.format)?, &mut out)?;
        out.extend_from_slice(b" : ");
        make::write(&pair[1], pair[1].natural_type(), false, ctx.format, &mut out)?;
    }
    out.push(b'}');
    json_datum(out)
}

fn build_object_b(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    if !a.len().is_multiple_of(2) {
        return Err(odd("jsonb_build_object"));
    }
    let mut pairs = Vec::with_capacity(a.len() / 2);
    for (i, pair) in a.chunks_exact(2).enumerate() {
        if pair[0].is_null() {
            return Err(mistake(format!("argument {}: key must not be null", 2 * i + 1)));
        }
        let key = make::key(&pair[0], pair[0].natural_type(), ctx.format)?;
        pairs.push((Cow::Owned(key), make::value(&pair[1], pair[1].natural_type(), ctx.format)?));
    }
    Ok(Datum::Jsonb(encode(Value::Object(pairs))?))
}

pub(super) fn build_array(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let mut out = vec![b'['];
    for (i, d) in a.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        make::write(d, d.natural_type(), false, ctx.format, &mut out)?;
    }
    out.push(b']');
    json_datum(out)
}

pub(super) fn build_array_b(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let items = a.iter().map(|d| make::value(d, d.natural_type(), ctx.format));
    Ok(Datum::Jsonb(encode(Value::Array(items.collect::<Result<_, _>>()?))?))
}

type TextPairs<'a> = Vec<(&'a str, Option<&'a str>)>;

/// Keys and values of one array, or of two.
fn text_pairs(a: &[Datum]) -> Result<TextPairs<'_>, SqlError> {
    let wrong = |m: &str| SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, m);
    let array = |i: usize| a[i].as_array().ok_or_else(|| SqlError::internal("an array was expected"));
    let first = array(0)?;
    let pairs: Vec<(&Datum, &Datum)> = if a.len() == 2 {
        let second = array(1)?;
        if first.dims.len() > 1 || first.dims.len() != second.dims.len() {
            return Err(wrong("wrong number of array subscripts"));
        }
        if first.values.len() != second.values.len() {
            return Err(wrong("mismatched array dimensions"));
        }
        first.values.iter().zip(&second.values).collect()
    } else {
        check_pairs(first, wrong)?;
        first.values.chunks_exact(2).map(|pair| (&pair[0], &pair[1])).collect()
    };
    let mut pace = Pace::default();
    for (key, _) in &pairs {
        pace.step()?;
        if key.is_null() {
            return Err(null_key());
        }
    }
    Ok(pairs.into_iter().map(|(key, value)| (key.as_str().unwrap_or(""), value.as_str())).collect())
}

fn check_pairs(array: &ArrayDatum, wrong: impl Fn(&str) -> SqlError) -> Result<(), SqlError> {
    match &array.dims[..] {
        [] => Ok(()),
        [one] if one.len % 2 == 0 => Ok(()),
        [_] => Err(wrong("array must have even number of elements")),
        [_, two] if two.len == 2 => Ok(()),
        [_, _] => Err(wrong("array must have two columns")),
        _ => Err(wrong("wrong number of array subscripts")),
    }
}

fn object(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mut out = vec![b'{'];
    for (i, (key, value)) in text_pairs(a)?.into_iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        output::write_string(key, &mut out)?;
        out.extend_from_slice(b" : ");
        match value {
            Some(v) => output::write_string(v, &mut out)?,
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
    json_datum(out)
}

fn object_b(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let value = |v: Option<_>| v.map_or(Value::Null, |v: &str| Value::Str(v.into()));
    let pairs = text_pairs(a)?.into_iter().map(|(key, v)| (Cow::Borrowed(key), value(v)));
    Ok(Datum::Jsonb(encode(Value::Object(pairs.collect()))?))
}

fn named_record(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (Datum::Record(r), Some(names)) = (&a[0], a[1].as_array()) else { return Ok(a[0].clone()) };
    let names = names.values.iter().map(|n| n.as_str().unwrap_or("").to_owned()).collect();
    let record =
        RecordDatum { types: r.types.clone(), values: r.values.clone(), names: Some(names), of: r.of };
    Ok(Datum::Record(Arc::new(record)))
}

fn composite_row(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (Datum::Record(r), Datum::Oid(of)) = (&a[0], &a[1]) else { return Ok(Datum::Null) };
    let record = RecordDatum { types: r.types.clone(), values: r.values.clone(), names: None, of: *of };
    Ok(Datum::Record(Arc::new(record)))
}

/// Makes of a row one of a composite type, by its OID, whose attributes it has. No name leads to it.
pub static COMPOSITE_ROW: ScalarFn = f("composite_row", &[T::Record, T::Oid], T::Record, composite_row);

/// Gives the fields of a row their names: for rows of which JSON is made. No name leads to it.
pub static NAMED_RECORD: ScalarFn = f("named_record", &[T::Record, T::TextArray], T::Record, named_record);

const ANY: &[T] = &[T::Any];
const TEXTS: &[T] = &[T::TextArray];
const TEXTS_2: &[T] = &[T::TextArray, T::TextArray];

pub(super) const TABLE: &[ScalarFn] = &[
    stable("to_json", &[T::AnyElement], T::Json, to_json),
    stable("to_jsonb", &[T::AnyElement], T::Jsonb, to_jsonb),
    stable("array_to_json", &[T::AnyArray], T::Json, to_json),
    stable("array_to_json", &[T::AnyArray, T::Bool], T::Json, to_json),
    stable("row_to_json", &[T::Record], T::Json, to_json),
    stable("row_to_json", &[T::Record, T::Bool], T::Json, to_json),
    variadic(lenient(stable("json_build_object", ANY, T::Json, build_object))),
    lenient(stable("json_build_object", &[], T::Json, build_object)),
    variadic(lenient(stable("jsonb_build_object", ANY, T::Jsonb, build_object_b))),
    lenient(stable("jsonb_build_object", &[], T::Jsonb, build_object_b)),
    variadic(lenient(stable("json_build_array", ANY, T::Json, build_array))),
    lenient(stable("json_build_array", &[], T::Json, build_array)),
    variadic(lenient(stable("jsonb_build_array", ANY, T::Jsonb, build_array_b))),
    lenient(stable("jsonb_build_array", &[], T::Jsonb, build_array_b)),
    f("json_object", TEXTS, T::Json, object),
    f("json_object", TEXTS_2, T::Json, object),
    f("jsonb_object", TEXTS, T::Jsonb, object_b),
    f("jsonb_object", TEXTS_2, T::Jsonb, object_b),
];
