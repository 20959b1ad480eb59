//! Values of which a part is another: `SET a[1].f = …`.
//!
//! Invariants:
//! 1. What the column had is computed once, however deep a part is and however many assignments there are; these make no expression deeper than one does.
//!
//! Must not know: columns, expressions.

use super::arrays::check_size;
use super::jsonb::jsonb_arg;
use super::{Eval, f, lenient, variadic};
use crate::datum::{ArrayDatum, Datum, Dim, MAX_DIMS, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::collect;
use crate::json::edit::assigned;
use crate::json::value::{Value, encode};
use crate::ty::Type as T;
use std::sync::Arc;

/// `part_assign(value, part, arguments, step, argument, …, part, …)`: the value in which parts are others, one after the other. Each is followed by the number of arguments that
/// its way has, and each step of the way has two: a row of NULLs of the composite type and the number of the field from 0; the OID of the element's type and the
/// subscripts, or, of a slice, its lower and upper bounds and which of them are given, as bits; whether the first subscript is a number, and the path, of a `jsonb`. That
/// into an `hstore` has one: the key. No name leads to it.
pub static PART_ASSIGN: ScalarFn =
    lenient(variadic(f("part_assign", &[T::Any, T::Any, T::Any], T::Any, part_assign)));

fn part_assign(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let wrong = || SqlError::internal("an assignment to a part");
    let (whole, mut rest) = a.split_first().ok_or_else(wrong)?;
    let mut whole = whole.clone();
    while let [part, Datum::Int4(count), after @ ..] = rest {
        let (steps, others) = after.split_at_checked(*count as usize).ok_or_else(wrong)?;
        whole = with_part(&whole, part, steps, ctx)?;
        rest = others;
    }
    if rest.is_empty() { Ok(whole) } else { Err(wrong()) }
}

fn with_part(whole: &Datum, part: &Datum, steps: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    match steps {
        [] => Ok(part.clone()),
        [Datum::Record(empty), Datum::Int4(at), deeper @ ..] => {
            let at = *at as usize;
            let row = if let Datum::Record(r) = whole { r } else { empty };
            let old = row.values.get(at).unwrap_or(&Datum::Null);
            let new = with_part(old, part, deeper, ctx)?;
            let mut values = row.values.clone();
            values.resize(empty.values.len(), Datum::Null);
            values[at] = new;
            let (types, of) = (empty.types.clone(), empty.of);
            Ok(Datum::Record(Arc::new(RecordDatum { types, values, names: None, of })))
        }
        [Datum::Oid(element), lower, upper @ Datum::Array(_), Datum::Int4(given)] => {
            let element =
                T::from_stored_oid(*element).ok_or_else(|| SqlError::internal("an element's type"))?;
            with_slice(whole, part, element, &bounds(lower, upper, *given)?, ctx)
        }
        [Datum::Oid(element), places, deeper @ ..] => {
            let element =
                T::from_stored_oid(*element).ok_or_else(|| SqlError::internal("an element's type"))?;
            with_element(whole, part, (element, places, deeper), ctx)
        }
        [Datum::Text(key)] => super::hstore::with_value(whole, key, part),
        [Datum::Null] => Err(null_subscript("hstore")),
        [Datum::Bool(is_array), path] => {
            let path = path.as_array().ok_or_else(|| SqlError::internal("a path into a jsonb"))?;
            let steps: Option<Vec<&str>> = path.values.iter().map(Datum::as_str).collect();
            let steps = steps.ok_or_else(|| null_subscript("jsonb"))?;
            let empty = if *is_array { Value::Array(Vec::new()) } else { Value::Object(Vec::new()) };
            let whole = if whole.is_null() { Datum::Jsonb(encode(empty)?) } else { whole.clone() };
            let part = if part.is_null() { Datum::Jsonb(encode(Value::Null)?) } else { part.clone() };
            let pair = [whole, part];
            Ok(Datum::Jsonb(encode(assigned(jsonb_arg(&pair, 0)?, &steps, jsonb_arg(&pair, 1)?, 0)?)?))
        }
        _ => Err(SqlError::internal("a step to a part")),
    }
}

fn null_subscript(of: &str) -> SqlError {
    SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, format!("{of} subscript in assignment must not be null"))
}

/// Lower and upper bounds of a slice, as far as they are given.
type Bounds = Vec<(Option<i32>, Option<i32>)>;

fn bounds(lower: &Datum, upper: &Datum, given: i32) -> Result<Bounds, SqlError> {
    let (Some(lower), Some(upper)) = (lower.as_array(), upper.as_array()) else {
        return Err(SqlError::internal("bounds of a slice"));
    };
    let bound = |v: &Datum, bit: usize| match (given & (1 << bit) != 0, v.as_i64()) {
        (false, _) => Ok(None),
        (true, Some(v)) => Ok(Some(v as i32)),
        (true, None) => Err(null_subscript("array")),
    };
    let pairs = lower.values.iter().zip(upper.values.iter()).enumerate();
    pairs.map(|(n, (low, high))| Ok((bound(low, 2 * n)?, bound(high, 2 * n + 1)?))).collect()
}

/// An array in which a slice has the elements of another array, one after the other, whatever shape that has. Of one dimension it grows to where the slice is.
fn with_slice(whole: &Datum, part: &Datum, element: T, bounds: &Bounds, ctx: &EvalCtx<'_>) -> Eval {
    let wrong = |why: &str| SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, why);
    let empty = || ArrayDatum { element, dims: Vec::new(), values: Vec::new().into() };
    let Some(source) = part.as_array() else {
        return Ok(if whole.is_null() { Datum::Array(Arc::new(empty())) } else { whole.clone() });
    };
    let Some(old) = whole.as_array().filter(|x| !x.dims.is_empty()) else {
        let mut dims = Vec::new();
        for bound in bounds {
            let (Some(lower), Some(upper)) = bound else {
                let detail = "When assigning to a slice of an empty array value, slice boundaries must be fully specified.";
                return Err(wrong("array slice subscript must provide both boundaries").with_detail(detail));
            };
            let len = i64::from(*upper) - i64::from(*lower) + 1;
            // A negative length is one that ran over, to PostgreSQL.
            check_size(usize::try_from(len).unwrap_or(usize::MAX))?;
            dims.push(Dim { len: len as i32, lower: *lower });
        }
        let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(d.len as usize)).unwrap_or(usize::MAX);
        check_size(count)?;
        if source.values.len() < count {
            return Err(wrong("source array too small"));
        }
        if count == 0 {
            return Ok(Datum::Array(Arc::new(empty())));
        }
        if let Some(d) = dims.iter().find(|d| d.lower.checked_add(d.len).is_none()) {
            let why =
                format!("array upper bound is too large: {}", i64::from(d.lower) + i64::from(d.len) - 1);
            return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why));
        }
        let values = collect(source.values.iter().take(count).cloned())?;
        return Ok(Datum::Array(Arc::new(ArrayDatum { element, dims, values })));
    };
    if old.dims.len() < bounds.len() {
        return Err(wrong("wrong number of array subscripts"));
    }
    // From where to where, from 0, in the array as it was.
    let mut spans = Vec::with_capacity(old.dims.len());
    for (n, d) in old.dims.iter().enumerate() {
        let (lower, upper) = bounds.get(n).copied().unwrap_or((None, None));
        let from = lower.map_or(0, |l| i64::from(l) - i64::from(d.lower));
        let to = upper.map_or(i64::from(d.len) - 1, |u| i64::from(u) - i64::from(d.lower));
        if from > to {
            return Err(wrong("upper bound cannot be less than lower bound"));
        }
        if old.dims.len() > 1 && (from < 0 || to >= i64::from(d.len)) {
            return Err(wrong("array subscript out of range"));
        }
        spans.push((from, to));
    }
    let mut dims = old.dims.clone();
    let (mut before, mut after) = (0, 0);
    if let ([d], [(from, to)]) = (&mut dims[..], &mut spans[..]) {
        (before, after) = ((-*from).max(0) as usize, (*to + 1 - i64::from(d.len)).max(0) as usize);
        let len = (d.len as usize).saturating_add(before).saturating_add(after);
        check_size(len)?;
        let lower = d.lower - before as i32;
        *d = Dim { len: len as i32, lower };
        if d.lower.checked_add(d.len).is_none() {
            let why =
                format!("array upper bound is too large: {}", i64::from(d.lower) + i64::from(d.len) - 1);
            return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why));
        }
        (*from, *to) = (*from + before as i64, *to + before as i64);
    }
    let count: usize = spans.iter().map(|(from, to)| (to - from + 1) as usize).product();
    if source.values.len() < count {
        return Err(wrong("source array too small"));
    }
    let nulls = |n: usize| std::iter::repeat_n(Datum::Null, n);
    ctx.check_len((old.values.len() + before + after) * size_of::<Datum>())?;
    let mut values = collect(nulls(before).chain(old.values.iter().cloned()).chain(nulls(after)))?;
    for (n, v) in source.values.iter().take(count).enumerate() {
        // Which one of the slice's that is, from its last dimension to its first.
        let (mut rest, mut at, mut stride) = (n, 0, 1);
        for (d, (from, to)) in dims.iter().zip(&spans).rev() {
            let len = (to - from + 1) as usize;
            at += (*from as usize + rest % len) * stride;
            (rest, stride) = (rest / len, stride * d.len as usize);
        }
        values[at] = v.clone();
    }
    Ok(Datum::Array(Arc::new(ArrayDatum { element: old.element, dims, values })))
}

/// An array in which an element is another: of one dimension it grows to where that is.
fn with_element(
    whole: &Datum,
    part: &Datum,
    (element, places, deeper): (T, &Datum, &[Datum]),
    ctx: &EvalCtx<'_>,
) -> Eval {
    let places = places.as_array().ok_or_else(|| SqlError::internal("subscripts"))?;
    let places: Option<Vec<i32>> = places.values.iter().map(|v| v.as_i64().map(|v| v as i32)).collect();
    let places = places.ok_or_else(|| null_subscript("array"))?;
    let limit = |why: String| SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why);
    if places.len() > MAX_DIMS {
        let n = places.len();
        return Err(limit(format!(
            "number of array dimensions ({n}) exceeds the maximum allowed ({MAX_DIMS})"
        )));
    }
    let old = whole.as_array().filter(|x| !x.dims.is_empty());
    let Some(old) = old else {
        if let Some(p) = places.iter().find(|p| **p == i32::MAX) {
            return Err(limit(format!("array upper bound is too large: {p}")));
        }
        let dims = places.iter().map(|p| Dim { len: 1, lower: *p }).collect();
        let values = vec![with_part(&Datum::Null, part, deeper, ctx)?].into();
        return Ok(Datum::Array(Arc::new(ArrayDatum { element, dims, values })));
    };
    let wrong = |why: &str| SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, why);
    if old.dims.len() != places.len() {
        return Err(wrong("wrong number of array subscripts"));
    }
    let (mut dims, mut at) = (old.dims.clone(), 0usize);
    let (mut before, mut after) = (0usize, 0usize);
    for (d, p) in old.dims.iter().zip(&places) {
        let offset = i64::from(*p) - i64::from(d.lower);
        let is_inside = (0..i64::from(d.len)).contains(&offset);
        match (is_inside, &mut dims[..]) {
            (true, _) => at = at * d.len as usize + offset as usize,
            // It and what is between it and the rest.
            (false, [only]) if offset < 0 => {
                before = offset.unsigned_abs() as usize;
                check_size(before.saturating_add(d.len as usize))?;
                *only = Dim { len: d.len + before as i32, lower: *p };
            }
            (false, [only]) => {
                after = offset as usize + 1 - d.len as usize;
                check_size(after.saturating_add(d.len as usize))?;
                (at, only.len) = (offset as usize, offset as i32 + 1);
            }
            (false, _) => return Err(wrong("array subscript out of range")),
        }
    }
    let nulls = |n: usize| std::iter::repeat_n(Datum::Null, n);
    ctx.check_len((old.values.len() + before + after) * size_of::<Datum>())?;
    let mut values = collect(nulls(before).chain(old.values.iter().cloned()).chain(nulls(after)))?;
    values[at] = with_part(&values[at], part, deeper, ctx)?;
    Ok(Datum::Array(Arc::new(ArrayDatum { element: old.element, dims, values })))
}
