//! Fields of dates, timestamps and intervals (`extract`, `date_part`) and truncation to a unit (`date_trunc`).

use jiff::tz::TimeZone;

use super::calendar::in_timestamp_range;
use super::calendar::{
    EPOCH_JULIAN, Fields, UNIX_EPOCH_US, US_PER_DAY, US_PER_SECOND, day_of_week, day_of_year,
    days_from_civil, is_finite_ts, iso_week, iso_week_start,
};
use super::interval_text::Split;
use super::keywords::{self, Unit};
use super::timestamp_out_of_range;
use super::zone::{local_us, offset_at, offset_of_local};
use crate::datum::Interval;
use crate::error::{SqlError, SqlState};
use crate::numeric::Numeric;

fn unknown(unit: &str, type_name: &str) -> SqlError {
    SqlError::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("unit \"{unit}\" not recognized for type {type_name}"),
    )
}

/// A unit that can be truncated to, or is refused as one that is none for the type.
fn parse_trunc_unit(name: &str, type_name: &str) -> Result<Unit, SqlError> {
    match parse_unit(name, type_name)? {
        Unit::Dow | Unit::IsoDow | Unit::Doy | Unit::IsoYear | Unit::Julian | Unit::Epoch => {
            Err(unknown(&name.to_lowercase(), type_name))
        }
        unit => Ok(unit),
    }
}

fn unsupported(unit: &str, type_name: &str) -> SqlError {
    SqlError::unsupported(format!("unit \"{unit}\" not supported for type {type_name}"))
}

/// The unit of a name in any case.
fn parse_unit(name: &str, type_name: &str) -> Result<Unit, SqlError> {
    keywords::unit(&name.to_lowercase()).ok_or_else(|| unknown(&name.to_lowercase(), type_name))
}

fn millis(us: i64) -> Numeric {
    Numeric::from_parts(i128::from(us), 3)
}

fn seconds(us: i64) -> Numeric {
    Numeric::from_parts(i128::from(us), 6)
}

/// Century or millennium of an astronomical year: 2000 is in the 20th, there is no century 0.
fn period(year: i64, length: i64) -> i64 {
    if year > 0 { (year + length - 1) / length } else { -((length - 1 - (year - 1)) / length) }
}

/// The year as `extract` gives it: -1 for 1 BC.
fn signed_year(year: i64) -> i64 {
    if year > 0 { year } else { year - 1 }
}

/// What is extracted: a value, or NULL for an infinite input's field that does not grow.
pub type Extracted = Result<Option<Numeric>, SqlError>;

/// A field of an infinite value: infinite if the field grows without end, else NULL.
fn of_infinite(unit: Unit, negative: bool) -> Extracted {
    use Unit as U;
    match unit {
        U::Year | U::Decade | U::Century | U::Millennium | U::Julian | U::IsoYear | U::Epoch => {
            Ok(Some(if negative { Numeric::NEG_INFINITY } else { Numeric::INFINITY }))
        }
        _ => Ok(None),
    }
}

/// What is extracted as `date_part` gives it: seconds and their parts are added up as numbers of double precision.
pub fn as_double(name: &str, value: &Numeric) -> f64 {
    let value = value.to_f64_lossy();
    let parts = |us: f64| (us as i64 / US_PER_SECOND, us as i64 % US_PER_SECOND);
    match parse_unit(name, "") {
        Ok(Unit::Second) => {
            let (second, us) = parts((value * 1e6).round());
            second as f64 + us as f64 / 1e6
        }
        Ok(Unit::Millisecond) => {
            let (second, us) = parts((value * 1e3).round());
            second as f64 * 1e3 + us as f64 / 1e3
        }
        _ => value,
    }
}

/// A field of a timestamp in local fields `us`; for a `timestamptz`, with the instant and its zone.
pub fn extract_timestamp(name: &str, us: i64, zone: Option<(&TimeZone, i64)>) -> Extracted {
    let type_name = if zone.is_some() { "timestamp with time zone" } else { "timestamp without time zone" };
    let unit = parse_unit(name, type_name)?;
    let name = &*name.to_lowercase();
    let probe = zone.map_or(us, |(_, instant)| instant);
    if !is_finite_ts(probe) {
        return of_infinite(unit, probe < 0);
    }
    let f = Fields::of(us);
    let int = |v: i64| Ok(Some(Numeric::from(v)));
    match unit {
        Unit::Microsecond => int(f.second * US_PER_SECOND + f.us),
        Unit::Millisecond => Ok(Some(millis(f.second * US_PER_SECOND + f.us))),
        Unit::Second => Ok(Some(seconds(f.second * US_PER_SECOND + f.us))),
        Unit::Minute => int(f.minute),
        Unit::Hour => int(f.hour),
        Unit::Epoch => Ok(Some(match probe.checked_sub(UNIX_EPOCH_US) {
            Some(us) => seconds(us),
            // PostgreSQL divides what 64 bits do not hold, to fewer digits.
            None => Numeric::from_i128(i128::from(probe) - i128::from(UNIX_EPOCH_US))
                .div(&Numeric::from(US_PER_SECOND))?
                .round(6)?,
        })),
        Unit::Julian => {
            let days = Numeric::from(f.days() + EPOCH_JULIAN);
            let part = Numeric::from(f.time_us()).div(&Numeric::from(US_PER_DAY))?;
            Ok(Some(days.add(&part)?))
        }
        Unit::Timezone | Unit::TimezoneHour | Unit::TimezoneMinute => {
            let Some((tz, instant)) = zone else { return Err(unsupported(name, type_name)) };
            let offset = offset_at(tz, instant);
            int(match unit {
                Unit::Timezone => offset,
                Unit::TimezoneHour => offset / 3600,
                _ => offset / 60 % 60,
            })
        }
        _ => int(date_field(unit, &f).ok_or_else(|| unsupported(name, type_name))?),
    }
}

fn date_field(unit: Unit, f: &Fields) -> Option<i64> {
    Some(match unit {
        Unit::Day => f.day,
        Unit::Month => f.month,
        Unit::Quarter => (f.month - 1) / 3 + 1,
        Unit::Year => signed_year(f.year),
        Unit::Decade => f.year.div_euclid(10),
        Unit::Century => period(f.year, 100),
        Unit::Millennium => period(f.year, 1000),
        Unit::Week => iso_week(f.days()).1,
        Unit::IsoYear => signed_year(iso_week(f.days()).0),
        Unit::Dow => day_of_week(f.days()),
        Unit::IsoDow => match day_of_week(f.days()) {
            0 => 7,
            d => d,
        },
        Unit::Doy => day_of_year(f),
        _ => return None,
    })
}

/// A field of a date.
pub fn extract_date(name: &str, days: i32) -> Extracted {
    const TYPE: &str = "date";
    let unit = parse_unit(name, TYPE)?;
    let name = &*name.to_lowercase();
    let in_date = !matches!(
        unit,
        Unit::Microsecond
            | Unit::Millisecond
            | Unit::Second
            | Unit::Minute
            | Unit::Hour
            | Unit::Timezone
            | Unit::TimezoneHour
            | Unit::TimezoneMinute
    );
    if !in_date {
        return Err(unsupported(name, TYPE));
    }
    if !super::is_finite_date(days) {
        return of_infinite(unit, days < 0);
    }
    let f = Fields::of_days(i64::from(days));
    Ok(Some(Numeric::from(match unit {
        Unit::Epoch => i64::from(days) * (US_PER_DAY / US_PER_SECOND) - UNIX_EPOCH_US / US_PER_SECOND,
        Unit::Julian => i64::from(days) + EPOCH_JULIAN,
        _ => date_field(unit, &f).ok_or_else(|| unsupported(name, TYPE))?,
    })))
}

/// A field of a time of day; `west`: of one with a zone, so many seconds west.
pub fn extract_time(name: &str, us: i64, west: Option<i32>) -> Result<Numeric, SqlError> {
    let type_name = if west.is_some() { "time with time zone" } else { "time without time zone" };
    let unit = parse_unit(name, type_name)?;
    let in_minute = us % (60 * US_PER_SECOND);
    Ok(match (unit, west) {
        (Unit::Microsecond, _) => Numeric::from(in_minute),
        (Unit::Millisecond, _) => millis(in_minute),
        (Unit::Second, _) => seconds(in_minute),
        (Unit::Minute, _) => Numeric::from(us / (60 * US_PER_SECOND) % 60),
        (Unit::Hour, _) => Numeric::from(us / (3600 * US_PER_SECOND)),
        (Unit::Epoch, west) => seconds(us + i64::from(west.unwrap_or(0)) * US_PER_SECOND),
        (Unit::Timezone, Some(west)) => Numeric::from(-i64::from(west)),
        (Unit::TimezoneHour, Some(west)) => Numeric::from(-i64::from(west) / 3600),
        (Unit::TimezoneMinute, Some(west)) => Numeric::from(-i64::from(west) / 60 % 60),
        _ => return Err(unsupported(&name.to_lowercase(), type_name)),
    })
}

/// A field of an interval.
pub fn extract_interval(name: &str, v: &Interval) -> Extracted {
    const TYPE: &str = "interval";
    let unit = parse_unit(name, TYPE)?;
    let name = &*name.to_lowercase();
    if !v.is_finite() {
        let negative = *v == Interval::NEG_INFINITY;
        return match unit {
            Unit::Hour
            | Unit::Day
            | Unit::Year
            | Unit::Decade
            | Unit::Century
            | Unit::Millennium
            | Unit::Epoch => Ok(Some(if negative { Numeric::NEG_INFINITY } else { Numeric::INFINITY })),
            Unit::Microsecond
            | Unit::Millisecond
            | Unit::Second
            | Unit::Minute
            | Unit::Week
            | Unit::Month
            | Unit::Quarter => Ok(None),
            _ => Err(unsupported(name, TYPE)),
        };
    }
    let p = Split::of(v);
    let sub_minute = p.seconds * US_PER_SECOND + p.us;
    let int = |v: i64| Ok(Some(Numeric::from(v)));
    match unit {
        Unit::Microsecond => int(sub_minute),
        Unit::Millisecond => Ok(Some(millis(sub_minute))),
        Unit::Second => Ok(Some(seconds(sub_minute))),
        Unit::Minute => int(p.minutes),
        Unit::Hour => int(p.hours),
        Unit::Day => int(p.days),
        Unit::Week => int(p.days / 7),
        Unit::Month => int(p.months),
        Unit::Quarter => int(if v.months >= 0 { p.months / 3 + 1 } else { -((-p.months) / 3 + 1) }),
        Unit::Year => int(p.years),
        Unit::Decade => int(p.years / 10),
        Unit::Century => int(p.years / 100),
        Unit::Millennium => int(p.years / 1000),
        Unit::Epoch => {
            // A year counts 365.25 days here, a month of the rest thirty.
            let days =
                i128::from(p.years) * 146_100 + i128::from(p.months) * 12_000 + i128::from(p.days) * 400;
            let us = days * i128::from(US_PER_DAY) / 400 + i128::from(v.us);
            Ok(Some(Numeric::from_parts(us, 6)))
        }
        _ => Err(unsupported(name, TYPE)),
    }
}

/// Sets the fields below a unit to their first value; false if the unit is none to truncate to.
fn truncate(unit: Unit, f: &mut Fields) -> bool {
    let round_year = |f: &mut Fields, length: i64| {
        f.year = if f.year > 0 {
            (f.year - 1) / length * length + 1
        } else {
            -((length - f.year) / length) * length + 1
        };
    };
    match unit {
        Unit::Week => {
            let (year, week) = iso_week(f.days());
            *f = Fields::of_days(iso_week_start(year, week));
            return true;
        }
        Unit::Millennium => round_year(f, 1000),
        Unit::Century => round_year(f, 100),
        Unit::Decade => f.year = f.year.div_euclid(10) * 10,
        Unit::Quarter => f.month = (f.month - 1) / 3 * 3 + 1,
        Unit::Microsecond
        | Unit::Millisecond
        | Unit::Second
        | Unit::Minute
        | Unit::Hour
        | Unit::Day
        | Unit::Month
        | Unit::Year => {}
        _ => return false,
    }
    let level = match unit {
        Unit::Millennium | Unit::Century | Unit::Decade | Unit::Year => 0,
        Unit::Quarter | Unit::Month => 1,
        Unit::Day => 2,
        Unit::Hour => 3,
        Unit::Minute => 4,
        Unit::Second => 5,
        Unit::Millisecond => 6,
        _ => 7,
    };
    if level < 1 {
        f.month = 1;
    }
    if level < 2 {
        f.day = 1;
    }
    if level < 3 {
        f.hour = 0;
    }
    if level < 4 {
        f.minute = 0;
    }
    if level < 5 {
        f.second = 0;
    }
    if level < 6 {
        f.us = 0;
    } else if level == 6 {
        f.us = f.us / 1000 * 1000;
    }
    true
}

/// `date_trunc` of a timestamp.
pub fn trunc_timestamp(name: &str, us: i64) -> Result<i64, SqlError> {
    const TYPE: &str = "timestamp without time zone";
    let unit = parse_trunc_unit(name, TYPE)?;
    let mut f = if is_finite_ts(us) { Fields::of(us) } else { Fields::of(0) };
    if !truncate(unit, &mut f) {
        return Err(unsupported(&name.to_lowercase(), TYPE));
    }
    if !is_finite_ts(us) {
        return Ok(us);
    }
    f.timestamp().ok_or_else(timestamp_out_of_range)
}

/// `date_trunc` of a timestamptz, in local time of a zone.
pub fn trunc_timestamptz(name: &str, us: i64, tz: &TimeZone) -> Result<i64, SqlError> {
    const TYPE: &str = "timestamp with time zone";
    let unit = parse_trunc_unit(name, TYPE)?;
    let mut f = if is_finite_ts(us) { Fields::of(local_us(tz, us)) } else { Fields::of(0) };
    if !truncate(unit, &mut f) {
        return Err(unsupported(&name.to_lowercase(), TYPE));
    }
    if !is_finite_ts(us) {
        return Ok(us);
    }
    // Below a day the offset stays that of the instant, so that an hour which occurs twice is told apart.
    let small =
        matches!(unit, Unit::Microsecond | Unit::Millisecond | Unit::Second | Unit::Minute | Unit::Hour);
    let offset = if small { offset_at(tz, us) } else { offset_of_local(tz, &f) };
    let local = f.days() * US_PER_DAY + f.time_us();
    let r = local - offset * US_PER_SECOND;
    if super::calendar::in_timestamp_range(r) { Ok(r) } else { Err(timestamp_out_of_range()) }
}

/// `date_trunc` of an interval.
pub fn trunc_interval(name: &str, v: &Interval) -> Result<Interval, SqlError> {
    const TYPE: &str = "interval";
    let unit = parse_trunc_unit(name, TYPE)?;
    let lower = name.to_lowercase();
    let months = |n: i32| Interval::new(v.months / n * n, 0, 0);
    let time = |n: i64| Interval::new(v.months, v.days, v.us / n * n);
    if matches!(unit, Unit::Week) {
        return Err(unsupported(&lower, TYPE).with_detail("Months usually have fractional weeks."));
    }
    let truncated = match unit {
        Unit::Millennium => months(12_000),
        Unit::Century => months(1200),
        Unit::Decade => months(120),
        Unit::Year => months(12),
        Unit::Quarter => months(3),
        Unit::Month => months(1),
        Unit::Day => Interval::new(v.months, v.days, 0),
        Unit::Hour => time(3_600_000_000),
        Unit::Minute => time(60_000_000),
        Unit::Second => time(1_000_000),
        Unit::Millisecond => time(1000),
        Unit::Microsecond => time(1),
        _ => return Err(unsupported(&lower, TYPE)),
    };
    Ok(if v.is_finite() { truncated } else { *v })
}

/// `date_bin`: the start of the stride of a length from an origin that a timestamp is in.
pub fn date_bin(stride: &Interval, us: i64, origin: i64) -> Result<i64, SqlError> {
    let bad = |m: &str| SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, m);
    if !is_finite_ts(us) {
        return Ok(us);
    }
    if !is_finite_ts(origin) {
        return Err(bad("origin out of range"));
    }
    if !stride.is_finite() {
        return Err(bad("timestamps cannot be binned into infinite intervals"));
    }
    if stride.months != 0 {
        return Err(SqlError::unsupported(
            "timestamps cannot be binned into intervals containing months or years",
        ));
    }
    let length = i64::from(stride.days)
        .checked_mul(US_PER_DAY)
        .and_then(|d| d.checked_add(stride.us))
        .ok_or_else(super::interval_out_of_range)?;
    if length <= 0 {
        return Err(bad("stride must be greater than zero"));
    }
    let delta = us.checked_sub(origin).ok_or_else(super::interval_out_of_range)?;
    let bin = delta.div_euclid(length).checked_mul(length).and_then(|d| origin.checked_add(d));
    bin.filter(|us| in_timestamp_range(*us)).ok_or_else(super::timestamp_out_of_range)
}

/// Days since 2000-01-01 of a date given by its parts (a negative year is BC), if it exists.
pub fn make_days(year: i64, month: i64, day: i64) -> Option<i64> {
    if year == 0 || !(1..=12).contains(&month) {
        return None;
    }
    let y = if year < 0 { year + 1 } else { year };
    (day >= 1 && day <= super::calendar::days_in_month(y, month)).then(|| days_from_civil(y, month, day))
}
