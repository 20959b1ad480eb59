//! Arithmetic of places in the log: what lies between two, and places so many bytes off.

use super::op;
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::numeric::Numeric;
use crate::ty::Type as T;

type Eval = Result<Datum, SqlError>;

fn number(lsn: &Datum) -> Numeric {
    match lsn {
        Datum::Lsn(v) => Numeric::from(*v),
        _ => Numeric::from(0u64),
    }
}

/// Bytes of log from the second place to the first; also `pg_wal_lsn_diff`.
pub fn minus(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Numeric(number(&a[0]).sub(&number(&a[1]))?))
}

/// A place `bytes` behind `lsn`, or before it.
fn moved(lsn: &Datum, bytes: &Datum, forward: bool) -> Eval {
    let Datum::Numeric(bytes) = bytes else { return Ok(Datum::Null) };
    if bytes.is_nan() {
        let what = if forward { "cannot add NaN to pg_lsn" } else { "cannot subtract NaN from pg_lsn" };
        return Err(SqlError::unsupported(what));
    }
    let out_of_range = || SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "pg_lsn out of range");
    let place = if forward { number(lsn).add(bytes)? } else { number(lsn).sub(bytes)? };
    if place.is_infinite() {
        return Err(SqlError::unsupported("cannot convert infinity to pg_lsn"));
    }
    place.round(0)?.to_string().parse().map(Datum::Lsn).map_err(|_| out_of_range())
}

/// `pg_lsn(n)`: the place so many bytes from the log's beginning.
pub fn of_number(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let Datum::Numeric(n) = &a[0] else { return Ok(Datum::Null) };
    if n.is_nan() {
        return Err(SqlError::unsupported("cannot convert NaN to pg_lsn"));
    }
    if n.is_infinite() {
        return Err(SqlError::unsupported("cannot convert infinity to pg_lsn"));
    }
    let out_of_range = || SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "pg_lsn out of range");
    n.round(0)?.to_string().parse().map(Datum::Lsn).map_err(|_| out_of_range())
}

fn plus(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    moved(&a[0], &a[1], true)
}

fn plus_reversed(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    moved(&a[1], &a[0], true)
}

fn minus_bytes(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    moved(&a[0], &a[1], false)
}

pub(super) const TABLE: &[ScalarFn] = &[
    op("-", &[T::PgLsn, T::PgLsn], T::Numeric, minus),
    op("+", &[T::PgLsn, T::Numeric], T::PgLsn, plus),
    op("+", &[T::Numeric, T::PgLsn], T::PgLsn, plus_reversed),
    op("-", &[T::PgLsn, T::Numeric], T::PgLsn, minus_bytes),
];
