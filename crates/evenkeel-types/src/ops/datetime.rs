//! Arithmetic of dates, timestamps and intervals.

use super::{op, stable_op};
use crate::cast::{checked_date, date_to_timestamp};
use crate::datetime::calendar::is_finite_date;
use crate::datetime::date_out_of_range;
use crate::datetime::interval::{timestamp_add, timestamp_diff, timestamptz_add};
use crate::datum::{Datum, Interval};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

type Eval = Result<Datum, SqlError>;

fn days(d: &Datum) -> i32 {
    match d {
        Datum::Date(v) => *v,
        _ => 0,
    }
}

fn us(d: &Datum) -> i64 {
    match d {
        Datum::Timestamp(v) | Datum::Timestamptz(v) => *v,
        _ => 0,
    }
}

fn interval(d: &Datum) -> Interval {
    match d {
        Datum::Interval(v) => *v,
        _ => Interval::default(),
    }
}

fn float(d: &Datum) -> f64 {
    match d {
        Datum::Float8(v) => *v,
        _ => f64::NAN,
    }
}

fn shift_date(date: i32, by: i64) -> Eval {
    if !is_finite_date(date) {
        return Ok(Datum::Date(date));
    }
    checked_date(i64::from(date) + by).map_err(|_| date_out_of_range())
}

fn date_plus_int(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    shift_date(days(&a[0]), a[1].as_i64().unwrap_or(0))
}

fn int_plus_date(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    shift_date(days(&a[1]), a[0].as_i64().unwrap_or(0))
}

fn date_minus_int(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    shift_date(days(&a[0]), -a[1].as_i64().unwrap_or(0))
}

fn date_minus_date(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (x, y) = (days(&a[0]), days(&a[1]));
    if !is_finite_date(x) || !is_finite_date(y) {
        return Err(SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "cannot subtract infinite dates"));
    }
    Ok(Datum::Int4((i64::from(x) - i64::from(y)) as i32))
}

fn date_plus_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(timestamp_add(date_to_timestamp(days(&a[0]))?, &interval(&a[1]))?))
}

fn interval_plus_date(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(timestamp_add(date_to_timestamp(days(&a[1]))?, &interval(&a[0]))?))
}

fn date_minus_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(timestamp_add(date_to_timestamp(days(&a[0]))?, &interval(&a[1]).neg()?)?))
}

fn ts_plus_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(timestamp_add(us(&a[0]), &interval(&a[1]))?))
}

fn interval_plus_ts(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(timestamp_add(us(&a[1]), &interval(&a[0]))?))
}

fn ts_minus_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(timestamp_add(us(&a[0]), &interval(&a[1]).neg()?)?))
}

fn tstz_plus_interval(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(timestamptz_add(us(&a[0]), &interval(&a[1]), &ctx.format.timezone)?))
}

fn interval_plus_tstz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(timestamptz_add(us(&a[1]), &interval(&a[0]), &ctx.format.timezone)?))
}

fn tstz_minus_interval(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(timestamptz_add(us(&a[0]), &interval(&a[1]).neg()?, &ctx.format.timezone)?))
}

fn ts_minus_ts(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(timestamp_diff(us(&a[0]), us(&a[1]))?))
}

fn interval_plus_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(interval(&a[0]).add(&interval(&a[1]))?))
}

fn interval_minus_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(interval(&a[0]).sub(&interval(&a[1]))?))
}

fn interval_times_float(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(interval(&a[0]).mul(float(&a[1]))?))
}

fn float_times_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(interval(&a[1]).mul(float(&a[0]))?))
}

fn interval_over_float(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(interval(&a[0]).div(float(&a[1]))?))
}

pub(super) static TABLE: &[ScalarFn] = &[
    op("+", &[T::Date, T::Int4], T::Date, date_plus_int),
    op("+", &[T::Int4, T::Date], T::Date, int_plus_date),
    op("-", &[T::Date, T::Int4], T::Date, date_minus_int),
    op("-", &[T::Date, T::Date], T::Int4, date_minus_date),
    op("+", &[T::Date, T::Interval], T::Timestamp, date_plus_interval),
    op("+", &[T::Interval, T::Date], T::Timestamp, interval_plus_date),
    op("-", &[T::Date, T::Interval], T::Timestamp, date_minus_interval),
    op("+", &[T::Timestamp, T::Interval], T::Timestamp, ts_plus_interval),
    op("+", &[T::Interval, T::Timestamp], T::Timestamp, interval_plus_ts),
    op("-", &[T::Timestamp, T::Interval], T::Timestamp, ts_minus_interval),
    stable_op("+", &[T::Timestamptz, T::Interval], T::Timestamptz, tstz_plus_interval),
    stable_op("+", &[T::Interval, T::Timestamptz], T::Timestamptz, interval_plus_tstz),
    stable_op("-", &[T::Timestamptz, T::Interval], T::Timestamptz, tstz_minus_interval),
    op("-", &[T::Timestamp, T::Timestamp], T::Interval, ts_minus_ts),
    op("-", &[T::Timestamptz, T::Timestamptz], T::Interval, ts_minus_ts),
    op("+", &[T::Interval, T::Interval], T::Interval, interval_plus_interval),
    op("-", &[T::Interval, T::Interval], T::Interval, interval_minus_interval),
    op("*", &[T::Interval, T::Float8], T::Interval, interval_times_float),
    op("*", &[T::Float8, T::Interval], T::Interval, float_times_interval),
    op("/", &[T::Interval, T::Float8], T::Interval, interval_over_float),
];
