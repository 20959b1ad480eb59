//! Arithmetic of times of day.

use super::op;
use crate::datetime::calendar::{US_PER_SECOND, in_timestamp_range, is_finite_date};
use crate::datetime::{time, timestamp_out_of_range};
use crate::datum::{Datum, Interval};
use crate::error::SqlError;
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

type Eval = Result<Datum, SqlError>;

fn interval(d: &Datum) -> Interval {
    match d {
        Datum::Interval(v) => *v,
        _ => Interval::default(),
    }
}

fn moved(at: &Datum, by: &Datum, forward: bool) -> Eval {
    let by = interval(by);
    match at {
        Datum::Time(us) => Ok(Datum::Time(time::moved(*us, &by, forward)?)),
        Datum::Timetz(us, west) => Ok(Datum::Timetz(time::moved(*us, &by, forward)?, *west)),
        _ => Err(SqlError::internal("a time was expected")),
    }
}

fn plus(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    moved(&a[0], &a[1], true)
}

fn plus_reversed(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    moved(&a[1], &a[0], true)
}

fn minus(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    moved(&a[0], &a[1], false)
}

fn between(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    match (&a[0], &a[1]) {
        (Datum::Time(x), Datum::Time(y)) => Ok(Datum::Interval(Interval::new(0, 0, x - y))),
        _ => Err(SqlError::internal("two times were expected")),
    }
}

fn on_day(day: &Datum, at: &Datum) -> Eval {
    let Datum::Date(days) = day else { return Err(SqlError::internal("a date was expected")) };
    let midnight = crate::cast::date_to_timestamp(*days)?;
    let infinite = !is_finite_date(*days);
    let checked = |us: i64| Some(us).filter(|us| in_timestamp_range(*us)).ok_or_else(timestamp_out_of_range);
    match at {
        Datum::Time(_) if infinite => Ok(Datum::Timestamp(midnight)),
        Datum::Time(us) => Ok(Datum::Timestamp(checked(midnight + us)?)),
        Datum::Timetz(..) if infinite => Ok(Datum::Timestamptz(midnight)),
        Datum::Timetz(us, west) => {
            Ok(Datum::Timestamptz(checked(midnight + us + i64::from(*west) * US_PER_SECOND)?))
        }
        _ => Err(SqlError::internal("a time was expected")),
    }
}

pub(crate) fn day_plus_time(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    on_day(&a[0], &a[1])
}

fn time_plus_day(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    on_day(&a[1], &a[0])
}

pub(super) static TABLE: &[ScalarFn] = &[
    op("+", &[T::Time, T::Interval], T::Time, plus),
    op("+", &[T::Interval, T::Time], T::Time, plus_reversed),
    op("-", &[T::Time, T::Interval], T::Time, minus),
    op("-", &[T::Time, T::Time], T::Interval, between),
    op("+", &[T::Timetz, T::Interval], T::Timetz, plus),
    op("+", &[T::Interval, T::Timetz], T::Timetz, plus_reversed),
    op("-", &[T::Timetz, T::Interval], T::Timetz, minus),
    op("+", &[T::Date, T::Time], T::Timestamp, day_plus_time),
    op("+", &[T::Time, T::Date], T::Timestamp, time_plus_day),
    op("+", &[T::Date, T::Timetz], T::Timestamptz, day_plus_time),
    op("+", &[T::Timetz, T::Date], T::Timestamptz, time_plus_day),
];
