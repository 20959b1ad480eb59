//! Operators on arrays: concatenation, containment, overlap.

use super::op;
use crate::compare::equal;
use crate::datum::{ArrayDatum, Datum};
use crate::error::SqlError;
use crate::funcs::arrays as f;
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::ty::Type as T;

type Eval = Result<Datum, SqlError>;

fn holds(a: &ArrayDatum, x: &Datum, pace: &mut Pace) -> Result<bool, SqlError> {
    for y in &a.values {
        pace.step()?;
        if !y.is_null() && equal(x, y) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn contains(a: &ArrayDatum, b: &ArrayDatum) -> Result<bool, SqlError> {
    let mut pace = Pace::default();
    for x in &b.values {
        // A NULL is contained in nothing.
        if x.is_null() || !holds(a, x, &mut pace)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn pair(a: &[Datum]) -> Result<(&ArrayDatum, &ArrayDatum), SqlError> {
    match (a[0].as_array(), a[1].as_array()) {
        (Some(x), Some(y)) => Ok((x, y)),
        _ => Err(SqlError::internal("an array was expected")),
    }
}

fn contains_op(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = pair(a)?;
    Ok(Datum::Bool(contains(x, y)?))
}

fn contained_op(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = pair(a)?;
    Ok(Datum::Bool(contains(y, x)?))
}

fn overlaps(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = pair(a)?;
    let mut pace = Pace::default();
    for v in x.values.iter().filter(|v| !v.is_null()) {
        if holds(y, v, &mut pace)? {
            return Ok(Datum::Bool(true));
        }
    }
    Ok(Datum::Bool(false))
}

const AA: &[T] = &[T::AnyArray, T::AnyArray];

/// Concatenation takes NULL for an empty array.
const fn lenient(name: &'static str, args: &'static [T], ret: T, call: crate::ScalarCall) -> ScalarFn {
    let mut f = op(name, args, ret, call);
    f.strict = false;
    f
}

pub(super) static TABLE: &[ScalarFn] = &[
    lenient("||", AA, T::AnyArray, f::array_cat),
    lenient("||", &[T::AnyArray, T::AnyElement], T::AnyArray, f::array_append),
    lenient("||", &[T::AnyElement, T::AnyArray], T::AnyArray, f::array_prepend),
    op("@>", AA, T::Bool, contains_op),
    op("<@", AA, T::Bool, contained_op),
    op("&&", AA, T::Bool, overlaps),
];
