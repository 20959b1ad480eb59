//! Functions on dates, timestamps and intervals, and the clocks.

use super::{Eval, f, float_arg, int_arg, lenient, stable, str_arg, volatile};
use crate::cast::{checked_date, date_to_timestamptz, timestamp_to_date, timestamptz_to_timestamp};
use crate::datetime::calendar::{
    Fields, UNIX_EPOCH_US, US_PER_DAY, US_PER_SECOND, in_timestamp_range, is_finite_date, is_finite_ts,
};
use crate::datetime::interval::{age, round_us, timestamp_add, timestamptz_add};
use crate::datetime::units::{self, Extracted};
use crate::datetime::zone::{DisplacementError, local_us, offset_of_local, parse_displacement};
use crate::datetime::{self, NamedZone, interval_out_of_range, timestamp_out_of_range};
use crate::datum::{Datum, Interval};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::text_float::general;
use crate::text_io::to_text;
use crate::ty::Type as T;
use jiff::tz::{Offset, TimeZone};
use std::cmp::Ordering;

fn us(a: &[Datum], i: usize) -> i64 {
    match a.get(i) {
        Some(Datum::Timestamp(v) | Datum::Timestamptz(v)) => *v,
        _ => 0,
    }
}

fn days(a: &[Datum], i: usize) -> i32 {
    match a.get(i) {
        Some(Datum::Date(v)) => *v,
        _ => 0,
    }
}

fn interval(a: &[Datum], i: usize) -> Interval {
    match a.get(i) {
        Some(Datum::Interval(v)) => *v,
        _ => Interval::default(),
    }
}

fn now(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(ctx.txn_timestamp))
}

fn statement_timestamp(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(ctx.stmt_timestamp))
}

fn clock_timestamp(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(ctx.env.clock_us()))
}

fn timeofday(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let pattern = "Dy Mon DD HH24:MI:SS.US YYYY TZ";
    let now = ctx.env.clock_us();
    let text = datetime::timestamp_to_char(
        local_us(&ctx.format.timezone, now),
        Some((&ctx.format.timezone, now)),
        pattern,
    )?;
    Ok(text.map_or(Datum::Null, Datum::from))
}

fn current_date(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Date(timestamp_to_date(local_us(&ctx.format.timezone, ctx.txn_timestamp))?))
}

fn localtimestamp(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(timestamptz_to_timestamp(ctx.txn_timestamp, ctx.format)?))
}

/// Microseconds to so many digits of a second, as the argument says.
fn to_digits(us: i64, a: &[Datum], name: &str) -> Result<i64, SqlError> {
    let digits = u32::try_from(int_arg(a, 0)).map_err(|_| {
        let why = format!("{name}({}) precision must not be negative", int_arg(a, 0));
        SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
    })?;
    Ok(round_us(us, digits.min(6)).unwrap_or(us))
}

fn now_to(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(to_digits(ctx.txn_timestamp, a, "TIMESTAMP")?))
}

fn localtimestamp_to(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let now = timestamptz_to_timestamp(ctx.txn_timestamp, ctx.format)?;
    Ok(Datum::Timestamp(to_digits(now, a, "TIMESTAMP")?))
}

fn extract_any(a: &[Datum], ctx: &EvalCtx<'_>) -> Extracted {
    let unit = str_arg(a, 0);
    match &a[1] {
        Datum::Date(v) => units::extract_date(unit, *v),
        Datum::Timestamp(v) => units::extract_timestamp(unit, *v, None),
        Datum::Timestamptz(v) => {
            let tz = &ctx.format.timezone;
            units::extract_timestamp(
                unit,
                if is_finite_ts(*v) { local_us(tz, *v) } else { *v },
                Some((tz, *v)),
            )
        }
        _ => units::extract_interval(unit, &interval(a, 1)),
    }
}

fn extract(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(extract_any(a, ctx)?.map_or(Datum::Null, Datum::Numeric))
}

fn date_part(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(extract_any(a, ctx)?.map_or(Datum::Null, |n| Datum::Float8(units::as_double(str_arg(a, 0), &n))))
}

/// `date_part` of a date goes through timestamp, so it knows hours.
fn date_part_date(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let ts = crate::cast::date_to_timestamp(days(a, 1))?;
    let field = units::extract_timestamp(str_arg(a, 0), ts, None)?;
    Ok(field.map_or(Datum::Null, |n| Datum::Float8(units::as_double(str_arg(a, 0), &n))))
}

fn trunc_ts(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(units::trunc_timestamp(str_arg(a, 0), us(a, 1))?))
}

fn trunc_tstz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let tz = zone_or_own(a, 2, ctx)?;
    Ok(Datum::Timestamptz(units::trunc_timestamptz(str_arg(a, 0), us(a, 1), &tz)?))
}

fn trunc_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(units::trunc_interval(str_arg(a, 0), &interval(a, 1))?))
}

fn date_bin_ts(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(units::date_bin(&interval(a, 0), us(a, 1), us(a, 2))?))
}

fn date_bin_tstz(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(units::date_bin(&interval(a, 0), us(a, 1), us(a, 2))?))
}

fn age_ts(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let zoned = matches!(a[0], Datum::Timestamptz(_));
    let tz = &ctx.format.timezone;
    let local = |v: i64| if zoned && is_finite_ts(v) { local_us(tz, v) } else { v };
    if a.len() == 1 {
        // Against midnight of today.
        let today = local_us(tz, ctx.txn_timestamp).div_euclid(US_PER_DAY) * US_PER_DAY;
        return Ok(Datum::Interval(age(today, local(us(a, 0)))?));
    }
    Ok(Datum::Interval(age(local(us(a, 0)), local(us(a, 1)))?))
}

fn isfinite(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Bool(match &a[0] {
        Datum::Date(v) => is_finite_date(*v),
        Datum::Interval(v) => v.is_finite(),
        _ => is_finite_ts(us(a, 0)),
    }))
}

pub(super) fn zone(name: &str, ctx: &EvalCtx<'_>) -> Result<NamedZone, SqlError> {
    NamedZone::of(name, &ctx.format.timezone).ok_or_else(|| {
        SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("time zone \"{name}\" not recognized"))
    })
}

/// The zone of an argument, or that of the session if there is none.
fn zone_or_own(a: &[Datum], i: usize, ctx: &EvalCtx<'_>) -> Result<TimeZone, SqlError> {
    if a.len() > i { Ok(zone(str_arg(a, i), ctx)?.into_zone()) } else { Ok(ctx.format.timezone.clone()) }
}

/// What AT TIME ZONE is given: an interval may be longer than any zone's offset.
enum ZoneArg {
    Named(NamedZone),
    /// Seconds east.
    Offset(i64),
}

fn zone_arg(a: &[Datum], ctx: &EvalCtx<'_>) -> Result<ZoneArg, SqlError> {
    match &a[0] {
        Datum::Interval(v) if v.months == 0 && v.days == 0 => Ok(ZoneArg::Offset(v.us / US_PER_SECOND)),
        Datum::Interval(v) => Err(no_zone(v)),
        _ => zone(str_arg(a, 0), ctx).map(ZoneArg::Named),
    }
}

/// Why an interval with months or days, or without end, is no zone.
pub(super) fn no_zone(v: &Interval) -> SqlError {
    let shown = to_text(&Datum::Interval(*v), T::Interval, -1, &Default::default()).unwrap_or_default();
    let why = if v.is_finite() { "must not include months or days" } else { "must be finite" };
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("interval time zone \"{shown}\" {why}"))
}

/// `timestamp AT LOCAL`: the instant at which clocks of the session show it.
fn at_local_ts(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let local = us(a, 0);
    if !is_finite_ts(local) {
        return Ok(Datum::Timestamptz(local));
    }
    let offset = offset_of_local(&ctx.format.timezone, &Fields::of(local));
    let r = local.checked_sub(offset * US_PER_SECOND);
    r.filter(|r| in_timestamp_range(*r)).map(Datum::Timestamptz).ok_or_else(timestamp_out_of_range)
}

/// `timestamptz AT LOCAL`: what clocks of the session show.
fn at_local_tstz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let instant = us(a, 0);
    if !is_finite_ts(instant) {
        return Ok(Datum::Timestamp(instant));
    }
    let r = Some(local_us(&ctx.format.timezone, instant));
    r.filter(|r| in_timestamp_range(*r)).map(Datum::Timestamp).ok_or_else(timestamp_out_of_range)
}

/// `timestamp AT TIME ZONE z`: the instant at which clocks in the zone show it.
fn at_zone_ts(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (zone, local) = (zone_arg(a, ctx)?, us(a, 1));
    if !is_finite_ts(local) {
        return Ok(Datum::Timestamptz(local));
    }
    let offset = match zone {
        ZoneArg::Named(tz) => tz.offset_of_local(&Fields::of(local)),
        ZoneArg::Offset(seconds) => seconds,
    };
    let r = offset.checked_mul(US_PER_SECOND).and_then(|us| local.checked_sub(us));
    r.filter(|r| in_timestamp_range(*r)).map(Datum::Timestamptz).ok_or_else(timestamp_out_of_range)
}

/// `timestamptz AT TIME ZONE z`: what clocks in the zone show.
fn at_zone_tstz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (zone, instant) = (zone_arg(a, ctx)?, us(a, 1));
    if !is_finite_ts(instant) {
        return Ok(Datum::Timestamp(instant));
    }
    let r = match zone {
        ZoneArg::Named(tz) => Some(instant.saturating_add(tz.offset_at(instant) * US_PER_SECOND)),
        ZoneArg::Offset(seconds) => seconds.checked_mul(US_PER_SECOND).and_then(|us| instant.checked_add(us)),
    };
    r.filter(|r| in_timestamp_range(*r)).map(Datum::Timestamp).ok_or_else(timestamp_out_of_range)
}

fn make_date(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (y, m, d) = (int_arg(a, 0), int_arg(a, 1), int_arg(a, 2));
    let bad = || {
        SqlError::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            format!("date field value out of range: {y}-{m:02}-{d:02}"),
        )
    };
    // Years are turned into those before Christ.
    let days = units::make_days(y, m, d).filter(|_| y != i64::from(i32::MIN)).ok_or_else(bad)?;
    checked_date(days).map_err(|_| {
        SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, format!("date out of range: {y}-{m:02}-{d:02}"))
    })
}

fn make_local(a: &[Datum]) -> Result<i64, SqlError> {
    let (y, mo, d, h, mi) = (int_arg(a, 0), int_arg(a, 1), int_arg(a, 2), int_arg(a, 3), int_arg(a, 4));
    let s = float_arg(a, 5);
    let days = units::make_days(y, mo, d).ok_or_else(|| {
        SqlError::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            format!("date field value out of range: {y}-{mo:02}-{d:02}"),
        )
    })?;
    let second_us = (s * 1e6).round_ties_even();
    let total = (h * 60 + mi) as f64 * 60e6 + second_us;
    let valid = (0..=24).contains(&h) && (0..=59).contains(&mi) && (0.0..=60e6).contains(&second_us);
    if !valid || total > US_PER_DAY as f64 {
        return Err(SqlError::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            format!("time field value out of range: {h}:{mi:02}:{:0>2}", general(s)),
        ));
    }
    days.checked_mul(US_PER_DAY)
        .and_then(|t| t.checked_add(total as i64))
        .filter(|t| in_timestamp_range(*t))
        .ok_or_else(|| {
            SqlError::new(
                SqlState::DATETIME_FIELD_OVERFLOW,
                format!("timestamp out of range: {y}-{mo:02}-{d:02} {h}:{mi:02}:{:0>2}", general(s)),
            )
        })
}

fn make_timestamp(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamp(make_local(a)?))
}

fn make_timestamptz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let local = make_local(a)?;
    let tz = match a.get(6) {
        Some(_) => zone_of_make(str_arg(a, 6), ctx)?,
        None => ctx.format.timezone.clone().into(),
    };
    let r = local - tz.offset_of_local(&Fields::of(local)) * US_PER_SECOND;
    if in_timestamp_range(r) { Ok(Datum::Timestamptz(r)) } else { Err(timestamp_out_of_range()) }
}

/// A name, or a displacement with a sign that counts east, unlike that of a POSIX zone.
fn zone_of_make(name: &str, ctx: &EvalCtx<'_>) -> Result<NamedZone, SqlError> {
    let invalid = |m: String| SqlError::new(SqlState::INVALID_PARAMETER_VALUE, m);
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(invalid(format!("invalid input syntax for type numeric time zone: \"{name}\""))
            .with_hint("Numeric time zones must have \"-\" or \"+\" as first character."));
    }
    let range = || invalid(format!("numeric time zone \"{name}\" out of range"));
    match parse_displacement(name) {
        Ok(seconds) => Ok(TimeZone::fixed(Offset::from_seconds(seconds as i32).map_err(|_| range())?).into()),
        Err(DisplacementError::Range) => Err(range()),
        Err(DisplacementError::Format) => zone(name, ctx),
    }
}

fn make_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let part = |i: usize| if a.len() > i { int_arg(a, i) } else { 0 };
    let build = || {
        let months = part(0).checked_mul(12)?.checked_add(part(1))?;
        let days = part(2).checked_mul(7)?.checked_add(part(3))?;
        let seconds = if a.len() > 6 { float_arg(a, 6) } else { 0.0 };
        let seconds_us = (seconds * 1e6).round_ties_even();
        (seconds_us.abs() < 9.2e18).then_some(())?;
        let us =
            (part(4) * 3600 + part(5) * 60).checked_mul(US_PER_SECOND)?.checked_add(seconds_us as i64)?;
        Some(Interval::new(i32::try_from(months).ok()?, i32::try_from(days).ok()?, us))
    };
    if a.len() > 6 && float_arg(a, 6).is_finite() {
        crate::ops::checked_f64(float_arg(a, 6) * 1e6, false, true)?;
    }
    build().map(Datum::Interval).ok_or_else(interval_out_of_range)
}

fn to_timestamp_epoch(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let s = float_arg(a, 0);
    let error = |what: String| SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, what);
    if s.is_nan() {
        return Err(error("timestamp cannot be NaN".into()));
    }
    if s.is_infinite() {
        return Ok(Datum::Timestamptz(if s > 0.0 {
            datetime::TS_INFINITY
        } else {
            datetime::TS_NEG_INFINITY
        }));
    }
    let us = ((s + (UNIX_EPOCH_US / US_PER_SECOND) as f64) * 1e6).round_ties_even();
    if us.abs() < 9.3e18 && in_timestamp_range(us as i64) {
        Ok(Datum::Timestamptz(us as i64))
    } else {
        Err(error(format!("timestamp out of range: \"{}\"", general(s))))
    }
}

fn justify_hours(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(interval(a, 0).justify_hours()?))
}

fn justify_days(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(interval(a, 0).justify_days()?))
}

fn justify_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Interval(interval(a, 0).justify_interval()?))
}

fn date_add(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let tz = zone_or_own(a, 2, ctx)?;
    Ok(Datum::Timestamptz(timestamptz_add(us(a, 0), &interval(a, 1), &tz)?))
}

fn date_subtract(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let tz = zone_or_own(a, 2, ctx)?;
    Ok(Datum::Timestamptz(timestamptz_add(us(a, 0), &interval(a, 1).neg()?, &tz)?))
}

/// `(a, b) OVERLAPS (c, d)` on timestamps, or on a start and a length.
/// A period with an end that is not known overlaps another where that end does not matter.
fn overlaps(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let period = |start: usize| -> Result<Option<(i64, Option<i64>)>, SqlError> {
        let (from, to) = (&a[start], &a[start + 1]);
        let known = |i: usize| (!a[i].is_null()).then(|| us(a, i));
        let end = match (known(start), to) {
            (Some(from), Datum::Interval(v)) => Some(timestamp_add(from, v)?),
            (None, Datum::Interval(_)) => None,
            _ => known(start + 1),
        };
        Ok(match (from.is_null(), end) {
            (true, None) => None,
            (true, Some(end)) => Some((end, None)),
            (false, None) => Some((us(a, start), None)),
            (false, Some(end)) => Some((end.min(us(a, start)), Some(end.max(us(a, start))))),
        })
    };
    let (first, second) = (period(0)?, period(2)?);
    let (Some((s1, e1)), Some((s2, e2))) = (first, second) else { return Ok(Datum::Null) };
    // Half-open, except that an empty period contains its one point.
    let answer = match s1.cmp(&s2) {
        Ordering::Greater => e2.and_then(|e2| if s1 < e2 { Some(true) } else { e1.map(|_| false) }),
        Ordering::Less => e1.and_then(|e1| if s2 < e1 { Some(true) } else { e2.map(|_| false) }),
        Ordering::Equal => e1.and(e2).map(|_| true),
    };
    Ok(answer.map_or(Datum::Null, Datum::Bool))
}

fn to_char_ts(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(datetime::timestamp_to_char(us(a, 0), None, str_arg(a, 1))?.map_or(Datum::Null, Datum::from))
}

fn to_char_tstz(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (tz, v) = (&ctx.format.timezone, us(a, 0));
    let local = if is_finite_ts(v) { local_us(tz, v) } else { v };
    Ok(datetime::timestamp_to_char(local, Some((tz, v)), str_arg(a, 1))?.map_or(Datum::Null, Datum::from))
}

fn to_char_interval(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(datetime::interval_to_char(&interval(a, 0), str_arg(a, 1))?.map_or(Datum::Null, Datum::from))
}

fn to_date(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    checked_date(datetime::to_date(str_arg(a, 0), str_arg(a, 1), &ctx.format.timezone)?).map_err(|_| {
        SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, format!("date out of range: \"{}\"", str_arg(a, 0)))
    })
}

fn to_timestamp_text(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(datetime::to_timestamp(str_arg(a, 0), str_arg(a, 1), &ctx.format.timezone)?))
}

/// The instant at which clocks of the session show a date and a time; a time with a zone says the instant itself.
fn timestamptz_of_parts(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let day = days(a, 0);
    if !is_finite_date(day) {
        return Ok(Datum::Timestamptz(date_to_timestamptz(day, ctx.format)?));
    }
    let (time, zone) = match &a[1] {
        Datum::Time(us) => (*us, None),
        Datum::Timetz(us, west) => (*us, Some(i64::from(*west))),
        _ => return Err(SqlError::internal("a time was expected")),
    };
    let local = i64::from(day).checked_mul(US_PER_DAY).and_then(|d| d.checked_add(time));
    let instant = local.and_then(|local| {
        let west = zone.unwrap_or_else(|| -offset_of_local(&ctx.format.timezone, &Fields::of(local)));
        local.checked_add(west * US_PER_SECOND)
    });
    instant.filter(|r| in_timestamp_range(*r)).map(Datum::Timestamptz).ok_or_else(timestamp_out_of_range)
}

fn timestamptz_of_date(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Timestamptz(date_to_timestamptz(days(a, 0), ctx.format)?))
}

const NONE: &[T] = &[];
const I: T = T::Int4;
const TS: T = T::Timestamp;
const TZ: T = T::Timestamptz;
const IV: T = T::Interval;
const S: T = T::Text;

pub(super) static TABLE: &[ScalarFn] = &[
    stable("now", NONE, TZ, now),
    stable("current_timestamp", NONE, TZ, now),
    stable("current_timestamp", &[I], TZ, now_to),
    stable("transaction_timestamp", NONE, TZ, now),
    stable("statement_timestamp", NONE, TZ, statement_timestamp),
    volatile("clock_timestamp", NONE, TZ, clock_timestamp),
    volatile("timeofday", NONE, S, timeofday),
    stable("current_date", NONE, T::Date, current_date),
    stable("localtimestamp", NONE, TS, localtimestamp),
    stable("localtimestamp", &[I], TS, localtimestamp_to),
    f("extract", &[S, T::Date], T::Numeric, extract),
    f("extract", &[S, TS], T::Numeric, extract),
    stable("extract", &[S, TZ], T::Numeric, extract),
    f("extract", &[S, IV], T::Numeric, extract),
    f("date_part", &[S, T::Date], T::Float8, date_part_date),
    f("date_part", &[S, TS], T::Float8, date_part),
    stable("date_part", &[S, TZ], T::Float8, date_part),
    f("date_part", &[S, IV], T::Float8, date_part),
    f("date_trunc", &[S, TS], TS, trunc_ts),
    stable("date_trunc", &[S, TZ], TZ, trunc_tstz),
    f("date_trunc", &[S, TZ, S], TZ, trunc_tstz),
    f("date_trunc", &[S, IV], IV, trunc_interval),
    f("date_bin", &[IV, TS, TS], TS, date_bin_ts),
    f("date_bin", &[IV, TZ, TZ], TZ, date_bin_tstz),
    f("age", &[TS, TS], IV, age_ts),
    stable("age", &[TZ, TZ], IV, age_ts),
    stable("age", &[TS], IV, age_ts),
    stable("age", &[TZ], IV, age_ts),
    f("isfinite", &[T::Date], T::Bool, isfinite),
    f("isfinite", &[TS], T::Bool, isfinite),
    f("isfinite", &[TZ], T::Bool, isfinite),
    f("isfinite", &[IV], T::Bool, isfinite),
    f("timezone", &[S, TS], TZ, at_zone_ts),
    f("timezone", &[S, TZ], TS, at_zone_tstz),
    f("timezone", &[IV, TS], TZ, at_zone_ts),
    f("timezone", &[IV, TZ], TS, at_zone_tstz),
    stable("timezone", &[TS], TZ, at_local_ts),
    stable("timezone", &[TZ], TS, at_local_tstz),
    f("make_date", &[I, I, I], T::Date, make_date),
    f("make_timestamp", &[I, I, I, I, I, T::Float8], TS, make_timestamp),
    stable("make_timestamptz", &[I, I, I, I, I, T::Float8], TZ, make_timestamptz),
    stable("make_timestamptz", &[I, I, I, I, I, T::Float8, S], TZ, make_timestamptz),
    f("make_interval", NONE, IV, make_interval),
    f("make_interval", &[I], IV, make_interval),
    f("make_interval", &[I, I], IV, make_interval),
    f("make_interval", &[I, I, I], IV, make_interval),
    f("make_interval", &[I, I, I, I], IV, make_interval),
    f("make_interval", &[I, I, I, I, I], IV, make_interval),
    f("make_interval", &[I, I, I, I, I, I], IV, make_interval),
    f("make_interval", &[I, I, I, I, I, I, T::Float8], IV, make_interval),
    f("to_timestamp", &[T::Float8], TZ, to_timestamp_epoch),
    stable("to_timestamp", &[S, S], TZ, to_timestamp_text),
    stable("to_date", &[S, S], T::Date, to_date),
    f("justify_hours", &[IV], IV, justify_hours),
    f("justify_days", &[IV], IV, justify_days),
    f("justify_interval", &[IV], IV, justify_interval),
    stable("date_add", &[TZ, IV], TZ, date_add),
    f("date_add", &[TZ, IV, S], TZ, date_add),
    stable("date_subtract", &[TZ, IV], TZ, date_subtract),
    f("date_subtract", &[TZ, IV, S], TZ, date_subtract),
    lenient(f("overlaps", &[TS, TS, TS, IV], T::Bool, overlaps)),
    lenient(f("overlaps", &[TS, IV, TS, TS], T::Bool, overlaps)),
    lenient(f("overlaps", &[TZ, IV, TZ, IV], T::Bool, overlaps)),
    lenient(f("overlaps", &[TZ, TZ, TZ, IV], T::Bool, overlaps)),
    lenient(f("overlaps", &[TZ, IV, TZ, TZ], T::Bool, overlaps)),
    lenient(f("overlaps", &[TS, TS, TS, TS], T::Bool, overlaps)),
    lenient(f("overlaps", &[TS, IV, TS, IV], T::Bool, overlaps)),
    lenient(f("overlaps", &[TZ, TZ, TZ, TZ], T::Bool, overlaps)),
    stable("to_char", &[TS, S], S, to_char_ts),
    stable("to_char", &[TZ, S], S, to_char_tstz),
    stable("to_char", &[IV, S], S, to_char_interval),
    f("timestamp", &[T::Date, T::Time], TS, crate::ops::day_plus_time),
    stable("timestamptz", &[T::Date], TZ, timestamptz_of_date),
    stable("timestamptz", &[T::Date, T::Time], TZ, timestamptz_of_parts),
    f("timestamptz", &[T::Date, T::Timetz], TZ, timestamptz_of_parts),
];
