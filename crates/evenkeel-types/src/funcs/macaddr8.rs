//! Functions and operators on `macaddr8`.

use super::{Eval, f};
use crate::datum::Datum;
use crate::function::{EvalCtx, ScalarFn};
use crate::ops::op;
use crate::ty::Type as T;

fn arg(a: &[Datum], i: usize) -> [u8; 8] {
    match a.get(i) {
        Some(Datum::Macaddr8(v)) => *v,
        _ => [0; 8],
    }
}

fn trunc(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let [x, y, z, ..] = arg(a, 0);
    Ok(Datum::Macaddr8([x, y, z, 0, 0, 0, 0, 0]))
}

fn set7bit(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mut v = arg(a, 0);
    v[0] |= 2;
    Ok(Datum::Macaddr8(v))
}

fn not(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Macaddr8(arg(a, 0).map(|b| !b)))
}

fn and(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (arg(a, 0), arg(a, 1));
    Ok(Datum::Macaddr8(std::array::from_fn(|i| x[i] & y[i])))
}

fn or(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (arg(a, 0), arg(a, 1));
    Ok(Datum::Macaddr8(std::array::from_fn(|i| x[i] | y[i])))
}

const M: &[T] = &[T::Macaddr8];
const MM: &[T] = &[T::Macaddr8, T::Macaddr8];

pub(super) const TABLE: &[ScalarFn] =
    &[f("trunc", M, T::Macaddr8, trunc), f("macaddr8_set7bit", M, T::Macaddr8, set7bit)];

pub(crate) static OPERATORS: &[ScalarFn] =
    &[op("~", M, T::Macaddr8, not), op("&", MM, T::Macaddr8, and), op("|", MM, T::Macaddr8, or)];
