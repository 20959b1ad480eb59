//! Functions and operators on `money`.
//!
//! Invariants:
//! 1. What leaves the range is an error, `22003` of the type's own name; with floats, what leaves theirs before is theirs.

use super::{Eval, f, float_arg, int_arg};
use crate::cast::out_of_range;
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarCall, ScalarFn};
use crate::money;
use crate::ops::{checked_f64, division_by_zero, op};
use crate::ty::Type as T;

fn arg(a: &[Datum], i: usize) -> i64 {
    match a.get(i) {
        Some(Datum::Money(v)) => *v,
        _ => 0,
    }
}

fn made(cents: Option<i64>) -> Eval {
    cents.map(Datum::Money).ok_or_else(|| out_of_range(T::Money))
}

/// The amount nearest to a float; of two the even one.
fn of_float(v: f64) -> Eval {
    let v = v.round_ties_even();
    // The upper bound is the first float beyond; NaN fails both comparisons.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&v);
    made(fits.then_some(v as i64))
}

fn add(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    made(arg(a, 0).checked_add(arg(a, 1)))
}

fn sub(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    made(arg(a, 0).checked_sub(arg(a, 1)))
}

/// How many times the one is the other.
fn ratio(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match arg(a, 1) {
        0 => Err(division_by_zero()),
        by => Ok(Datum::Float8(arg(a, 0) as f64 / by as f64)),
    }
}

fn times_integer(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    made(arg(a, 0).checked_mul(int_arg(a, 1)))
}

fn integer_times(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    made(arg(a, 1).checked_mul(int_arg(a, 0)))
}

fn by_integer(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match int_arg(a, 1) {
        0 => Err(division_by_zero()),
        by => made(arg(a, 0).checked_div(by)),
    }
}

fn product(cents: i64, factor: f64) -> Result<f64, SqlError> {
    checked_f64(cents as f64 * factor, factor.is_infinite(), cents == 0 || factor == 0.0)
}

fn times_float(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    of_float(product(arg(a, 0), float_arg(a, 1))?)
}

fn float_times(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    of_float(product(arg(a, 1), float_arg(a, 0))?)
}

fn by_float(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (cents, by) = (arg(a, 0), float_arg(a, 1));
    if by == 0.0 {
        return Err(division_by_zero());
    }
    of_float(checked_f64(cents as f64 / by, false, cents == 0 || by.is_infinite())?)
}

fn larger(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Money(arg(a, 0).max(arg(a, 1))))
}

fn smaller(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Money(arg(a, 0).min(arg(a, 1))))
}

fn order(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(arg(a, 0).cmp(&arg(a, 1)) as i32))
}

fn words(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::text(money::words(arg(a, 0))))
}

const MM: &[T] = &[T::Money, T::Money];

pub(super) const TABLE: &[ScalarFn] = &[
    f("cashlarger", MM, T::Money, larger),
    f("cashsmaller", MM, T::Money, smaller),
    f("cash_cmp", MM, T::Int4, order),
    f("cash_words", &[T::Money], T::Text, words),
];

pub(crate) fn operators() -> Vec<ScalarFn> {
    const INTEGERS: [ScalarCall; 3] = [times_integer, integer_times, by_integer];
    const FLOATS: [ScalarCall; 3] = [times_float, float_times, by_float];
    /// The type on the right, and on the left.
    const SIDES: &[([T; 2], [T; 2], [ScalarCall; 3])] = &[
        ([T::Money, T::Int2], [T::Int2, T::Money], INTEGERS),
        ([T::Money, T::Int4], [T::Int4, T::Money], INTEGERS),
        ([T::Money, T::Int8], [T::Int8, T::Money], INTEGERS),
        ([T::Money, T::Float4], [T::Float4, T::Money], FLOATS),
        ([T::Money, T::Float8], [T::Float8, T::Money], FLOATS),
    ];
    let mut table =
        vec![op("+", MM, T::Money, add), op("-", MM, T::Money, sub), op("/", MM, T::Float8, ratio)];
    for (right, left, [times, times_left, by]) in SIDES {
        table.push(op("*", right, T::Money, *times));
        table.push(op("*", left, T::Money, *times_left));
        table.push(op("/", right, T::Money, *by));
    }
    table
}
