//! Functions that put the elements of an array in another order, or take some of them. Of an array of more dimensions its first is meant.

use super::random::random_below;
use super::{Eval, bool_arg, f, int_arg, volatile};
use crate::compare::compare_nullable;
use crate::datum::{ArrayDatum, Datum, Dim};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::guard::build::make_room;
use crate::guard::discard::Large;
use crate::guard::stop::Watch;
use crate::ty::Type as T;
use std::cmp::Ordering;
use std::sync::Arc;

fn array_arg(a: &[Datum]) -> Result<&ArrayDatum, SqlError> {
    a[0].as_array().ok_or_else(|| SqlError::internal("an array was expected"))
}

/// The parts of the first dimension.
fn parts(a: &ArrayDatum) -> Vec<&[Datum]> {
    match a.dims.first() {
        Some(first) if first.len > 0 => a.values.chunks(a.values.len() / first.len as usize).collect(),
        _ => Vec::new(),
    }
}

/// An array of such parts.
fn joined(a: &ArrayDatum, parts: &[&[Datum]], lower: i32) -> Eval {
    let (mut values, mut pace): (Large<Vec<Datum>>, _) = (Large::default(), Pace::default());
    for part in parts {
        pace.step()?;
        make_room(&mut values, part.len())?;
        values.extend(part.iter().cloned());
    }
    let mut dims = if values.is_empty() { Vec::new() } else { a.dims.clone() };
    if let Some(first) = dims.first_mut() {
        *first = Dim { len: parts.len() as i32, lower };
    }
    Ok(Datum::Array(Arc::new(ArrayDatum { element: a.element, dims, values })))
}

fn lower(a: &ArrayDatum) -> i32 {
    a.dims.first().map_or(1, |d| d.lower)
}

fn reverse(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let a = array_arg(a)?;
    let mut parts = parts(a);
    parts.reverse();
    joined(a, &parts, lower(a))
}

fn sort(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    /// Comparisons between two looks.
    const LOOK_EVERY: u32 = 4096;
    let descending = bool_arg(a, 1);
    let nulls_first = if a.len() > 2 { bool_arg(a, 2) } else { descending };
    let a = array_arg(a)?;
    if a.dims.first().is_some_and(|d| d.len > 1) && !a.element.is_ordered() {
        let message = format!("could not identify a comparison function for type {}", a.element.sql_name());
        return Err(SqlError::unsupported(message));
    }
    let mut parts = parts(a);
    // A NULL within a part makes that none: it is compared as others are.
    let has_parts = a.dims.len() > 1;
    let order = |x: &[Datum], y: &[Datum]| match (x, y) {
        _ if has_parts => parts_order(x, y, descending),
        ([Datum::Null], [Datum::Null]) => Ordering::Equal,
        ([Datum::Null], [_]) if nulls_first => Ordering::Less,
        ([Datum::Null], [_]) => Ordering::Greater,
        ([_], [Datum::Null]) if nulls_first => Ordering::Greater,
        ([_], [Datum::Null]) => Ordering::Less,
        _ => parts_order(x, y, descending),
    };
    let watch = Watch::of_data(LOOK_EVERY);
    watch.run(|| {
        parts.sort_by(|x, y| {
            watch.look();
            order(x, y)
        });
    })?;
    joined(a, &parts, lower(a))
}

fn parts_order(x: &[Datum], y: &[Datum], descending: bool) -> Ordering {
    let differ = |(x, y)| Some(compare_nullable(x, y)).filter(|o| o.is_ne());
    let order = x.iter().zip(y).find_map(differ).unwrap_or(Ordering::Equal);
    if descending { order.reverse() } else { order }
}

/// Brings `wanted` of the parts, chosen at random, to the front.
fn choose(parts: &mut [&[Datum]], wanted: usize, ctx: &EvalCtx<'_>) -> Result<(), SqlError> {
    let mut pace = Pace::default();
    for i in 0..wanted {
        pace.step()?;
        parts.swap(i, i + random_below(ctx, (parts.len() - i - 1) as u64) as usize);
    }
    Ok(())
}

fn shuffle(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let a = array_arg(a)?;
    let mut parts = parts(a);
    let all = parts.len();
    choose(&mut parts, all, ctx)?;
    joined(a, &parts, lower(a))
}

fn sample(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let wanted = int_arg(a, 1);
    let a = array_arg(a)?;
    let mut parts = parts(a);
    let Some(wanted) = usize::try_from(wanted).ok().filter(|n| *n <= parts.len()) else {
        let message = format!("sample size must be between 0 and {}", parts.len());
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
    };
    choose(&mut parts, wanted, ctx)?;
    joined(a, &parts[..wanted], 1)
}

/// How many thresholds, which are in order, a value has reached.
fn width_bucket(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let thresholds = array_arg(&a[1..])?;
    if thresholds.dims.len() > 1 {
        let why = "thresholds must be one-dimensional array";
        return Err(SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, why));
    }
    if thresholds.values.iter().any(Datum::is_null) {
        let why = "thresholds array must not contain NULLs";
        return Err(SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, why));
    }
    let reached = thresholds.values.partition_point(|t| compare_nullable(t, &a[0]).is_le());
    Ok(Datum::Int4(reached as i32))
}

fn bit_count(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let bytes = super::bytes_arg(a, 0);
    let (mut count, mut pace) = (0, Pace::default());
    for piece in bytes.chunks(4096) {
        pace.bytes(piece.len())?;
        count += piece.iter().map(|b| i64::from(b.count_ones())).sum::<i64>();
    }
    Ok(Datum::Int8(count))
}

const A: &[T] = &[T::AnyArray];

pub(super) const TABLE: &[ScalarFn] = &[
    f("array_reverse", A, T::AnyArray, reverse),
    f("array_sort", A, T::AnyArray, sort),
    f("array_sort", &[T::AnyArray, T::Bool], T::AnyArray, sort),
    f("array_sort", &[T::AnyArray, T::Bool, T::Bool], T::AnyArray, sort),
    volatile("array_shuffle", A, T::AnyArray, shuffle),
    volatile("array_sample", &[T::AnyArray, T::Int4], T::AnyArray, sample),
    f("width_bucket", &[T::AnyElement, T::AnyArray], T::Int4, width_bucket),
    f("bit_count", &[T::Bytea], T::Int8, bit_count),
];
