//! Operators on arrays: concatenation, containment, overlap.

use super::op;
use crate::error::SqlError;
use crate::types::compare::equal;
use crate::types::datum::{ArrayDatum, Datum};
use crate::types::funcs::arrays as f;
use crate::types::function::{EvalCtx, ScalarFn};
use crate::types::ty::Type as T;

type Eval = Result<Datum, SqlError>;

fn contains(a: &ArrayDatum, b: &ArrayDatum) -> bool {
    // A NULL is contained in nothing.
    b.values.iter().all(|x| !x.is_null() && a.values.iter().any(|y| !y.is_null() && equal(x, y)))
}

fn pair(a: &[Datum]) -> Result<(&ArrayDatum, &ArrayDatum), SqlError> {
    match (a[0].as_array(), a[1].as_array()) {
        (Some(x), Some(y)) => Ok((x, y)),
        _ => Err(SqlError::internal("an array was expected")),
    }
}

fn contains_op(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = pair(a)?;
    Ok(Datum::Bool(contains(x, y)))
}

fn contained_op(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = pair(a)?;
    Ok(Datum::Bool(contains(y, x)))
}

fn overlaps(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = pair(a)?;
    Ok(Datum::Bool(
        x.values.iter().any(|v| !v.is_null() && y.values.iter().any(|w| !w.is_null() && equal(v, w))),
    ))
}

const AA: &[T] = &[T::AnyArray, T::AnyArray];

/// Concatenation takes NULL for an empty array.
const fn lenient(name: &'static str, args: &'static [T], ret: T, call: crate::types::ScalarCall) -> ScalarFn {
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
