//! Functions on times of day.

use super::datetime::zone;
use super::{Eval, f, float_arg, int_arg, lenient, stable, str_arg};
use crate::datetime::calendar::US_PER_DAY;
use crate::datetime::{interval::round_us, time, units};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::text_float::general;
use crate::ty::Type as T;
use std::cmp::Ordering;

fn parts(d: &Datum) -> (i64, Option<i32>) {
    match d {
        Datum::Time(us) => (*us, None),
        Datum::Timetz(us, west) => (*us, Some(*west)),
        _ => (0, None),
    }
}

fn extract(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (us, west) = parts(&a[1]);
    Ok(Datum::Numeric(units::extract_time(str_arg(a, 0), us, west)?))
}

fn date_part(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (us, west) = parts(&a[1]);
    let value = units::extract_time(str_arg(a, 0), us, west)?;
    Ok(Datum::Float8(units::as_double(str_arg(a, 0), &value)))
}

fn rounded(d: Datum, a: &[Datum]) -> Datum {
    let digits = int_arg(a, 0).clamp(0, 6) as u32;
    let round = |us| if a.is_empty() { us } else { round_us(us, digits).unwrap_or(us) };
    match d {
        Datum::Time(us) => Datum::Time(round(us)),
        Datum::Timetz(us, west) => Datum::Timetz(round(us), west),
        d => d,
    }
}

fn localtime(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let now = time::to_time(&Datum::Timestamptz(ctx.txn_timestamp), ctx.format)?;
    Ok(rounded(now.unwrap_or(Datum::Null), a))
}

fn current_time(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let now = time::to_timetz(&Datum::Timestamptz(ctx.txn_timestamp), ctx.format);
    Ok(rounded(now.unwrap_or(Datum::Null), a))
}

fn make_time(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (h, mi, s) = (int_arg(a, 0), int_arg(a, 1), float_arg(a, 2));
    let second_us = (s * 1e6).round_ties_even();
    let valid = (0..=24).contains(&h) && (0..=59).contains(&mi) && (0.0..=60e6).contains(&second_us);
    let total = if valid { (h * 60 + mi) * 60_000_000 + second_us as i64 } else { i64::MAX };
    if total > US_PER_DAY {
        return Err(SqlError::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            format!("time field value out of range: {h}:{mi:02}:{:0>2}", general(s)),
        ));
    }
    Ok(Datum::Time(total))
}

fn timezone(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (us, west) = parts(&a[1]);
    let east = zone(str_arg(a, 0), ctx)?.offset_at(ctx.txn_timestamp);
    let (us, west) = time::in_zone(us, west.unwrap_or(0), east);
    Ok(Datum::Timetz(us, west))
}

fn timezone_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (us, west) = parts(&a[1]);
    let Datum::Interval(by) = &a[0] else { return Err(SqlError::internal("an interval was expected")) };
    if by.months != 0 || by.days != 0 {
        return Err(super::datetime::no_zone(by));
    }
    let (us, west) = time::in_zone(us, west.unwrap_or(0), by.us / 1_000_000);
    Ok(Datum::Timetz(us, west))
}

fn timezone_own(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (us, west) = parts(&a[0]);
    let east = crate::datetime::zone::offset_at(&ctx.format.timezone, ctx.txn_timestamp);
    let (us, west) = time::in_zone(us, west.unwrap_or(0), east);
    Ok(Datum::Timetz(us, west))
}

/// `(a, b) OVERLAPS (c, d)`: half-open periods, but an empty one has its one point.
fn overlaps(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let period = |i: usize| -> Result<Option<(Datum, Option<Datum>)>, SqlError> {
        let (from, to) = (&a[i], &a[i + 1]);
        let end = match to {
            Datum::Interval(_) if from.is_null() => Datum::Null,
            Datum::Interval(by) => match from {
                Datum::Time(us) => Datum::Time(time::moved(*us, by, true)?),
                other => other.clone(),
            },
            other => other.clone(),
        };
        Ok(match (from.is_null(), end.is_null()) {
            (true, true) => None,
            (true, false) => Some((end, None)),
            (false, true) => Some((from.clone(), None)),
            (false, false) if crate::compare::compare(from, &end).is_gt() => Some((end, Some(from.clone()))),
            (false, false) => Some((from.clone(), Some(end))),
        })
    };
    let (Some((s1, e1)), Some((s2, e2))) = (period(0)?, period(2)?) else { return Ok(Datum::Null) };
    let before = |x: &Datum, y: &Datum| crate::compare::compare(x, y).is_lt();
    let answer = match crate::compare::compare(&s1, &s2) {
        Ordering::Greater => e2.and_then(|e2| if before(&s1, &e2) { Some(true) } else { e1.map(|_| false) }),
        Ordering::Less => e1.and_then(|e1| if before(&s2, &e1) { Some(true) } else { e2.map(|_| false) }),
        Ordering::Equal => e1.and(e2).map(|_| true),
    };
    Ok(answer.map_or(Datum::Null, Datum::Bool))
}

const S: T = T::Text;
const TI: T = T::Time;
const TZ: T = T::Timetz;
const IV: T = T::Interval;

pub(super) const TABLE: &[ScalarFn] = &[
    f("extract", &[S, TI], T::Numeric, extract),
    f("extract", &[S, TZ], T::Numeric, extract),
    f("date_part", &[S, TI], T::Float8, date_part),
    f("date_part", &[S, TZ], T::Float8, date_part),
    stable("localtime", &[], TI, localtime),
    stable("localtime", &[T::Int4], TI, localtime),
    stable("current_time", &[], TZ, current_time),
    stable("current_time", &[T::Int4], TZ, current_time),
    f("make_time", &[T::Int4, T::Int4, T::Float8], TI, make_time),
    stable("timezone", &[S, TZ], TZ, timezone),
    f("timezone", &[IV, TZ], TZ, timezone_interval),
    stable("timezone", &[TZ], TZ, timezone_own),
    lenient(f("overlaps", &[TI, TI, TI, TI], T::Bool, overlaps)),
    lenient(f("overlaps", &[TI, IV, TI, IV], T::Bool, overlaps)),
    lenient(f("overlaps", &[TI, TI, TI, IV], T::Bool, overlaps)),
    lenient(f("overlaps", &[TI, IV, TI, TI], T::Bool, overlaps)),
    lenient(f("overlaps", &[TZ, TZ, TZ, TZ], T::Bool, overlaps)),
];
