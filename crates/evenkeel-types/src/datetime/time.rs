//! Times of day: `time` and `timetz`.
//!
//! Invariants:
//! 1. A time lies between 0 and a day, both included; a zone less than 16 hours from UTC.
//!
//! Must not know: functions.

use super::calendar::{Fields, US_PER_DAY, US_PER_SECOND, is_finite_ts, wall_clock_us};
use super::output::{clock, write_offset};
use super::parse::{TimeZoneOfTime, decode_time};
use super::zone::{local_us, offset_at, offset_of_local};
use crate::datum::{Datum, Interval};
use crate::error::{SqlError, SqlState};
use crate::format::FormatOptions;

/// The farthest that a zone is from UTC, in seconds.
const ZONE_LIMIT_SECONDS: i32 = 16 * 3600;

/// Whether a zone may be so many seconds west. (1)
pub fn is_zone(west: i32) -> bool {
    (-ZONE_LIMIT_SECONDS + 1..ZONE_LIMIT_SECONDS).contains(&west)
}

/// Reads a `time`; a zone in the input is ignored.
pub fn parse_time(s: &str, o: &FormatOptions) -> Result<i64, SqlError> {
    decode_time(s, o, "time").map(|(us, _)| us)
}

/// Reads a `timetz`: the time, and seconds west. Without a zone in the input, it is that of the session today.
pub fn parse_timetz(s: &str, o: &FormatOptions) -> Result<(i64, i32), SqlError> {
    let (us, zone) = decode_time(s, o, "time with time zone")?;
    let east = match zone {
        TimeZoneOfTime::Offset(east) => east,
        TimeZoneOfTime::Own => offset_today(us, o),
    };
    Ok((us, -east as i32))
}

/// The offset of the session's zone at a time of today, in seconds east.
fn offset_today(us: i64, o: &FormatOptions) -> i64 {
    let now = o.now_us.unwrap_or_else(wall_clock_us);
    let midnight = local_us(&o.timezone, now).div_euclid(US_PER_DAY) * US_PER_DAY;
    offset_of_local(&o.timezone, &Fields::of(midnight + us))
}

/// Appends a `time`.
pub fn write_time(us: i64, out: &mut Vec<u8>) {
    let mut f = Fields::default();
    f.set_time(us);
    clock(&f, out);
}

/// Appends a `timetz`.
pub fn write_timetz(us: i64, west: i32, out: &mut Vec<u8>) {
    write_time(us, out);
    write_offset(-i64::from(west), out);
}

/// A time so far from another, round the clock.
pub fn moved(us: i64, by: &Interval, forward: bool) -> Result<i64, SqlError> {
    if !by.is_finite() {
        let what =
            if forward { "add infinite interval to time" } else { "subtract infinite interval from time" };
        return Err(SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, format!("cannot {what}")));
    }
    let by = by.us % US_PER_DAY;
    Ok((if forward { us + by } else { us - by }).rem_euclid(US_PER_DAY))
}

/// A value of another type as a `time`, NULL for what is infinite; nothing if there is no such cast.
pub fn to_time(d: &Datum, o: &FormatOptions) -> Result<Option<Datum>, SqlError> {
    let us = match d {
        Datum::Timetz(us, _) => *us,
        Datum::Interval(i) if !i.is_finite() => {
            let m = "cannot convert infinite interval to time";
            return Err(SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, m));
        }
        Datum::Interval(i) => i.us.rem_euclid(US_PER_DAY),
        Datum::Timestamp(us) | Datum::Timestamptz(us) if !is_finite_ts(*us) => return Ok(Some(Datum::Null)),
        Datum::Timestamp(us) => us.rem_euclid(US_PER_DAY),
        Datum::Timestamptz(us) => local_us(&o.timezone, *us).rem_euclid(US_PER_DAY),
        _ => return Ok(None),
    };
    Ok(Some(Datum::Time(us)))
}

/// A value of another type as a `timetz`; nothing if there is no such cast.
pub fn to_timetz(d: &Datum, o: &FormatOptions) -> Option<Datum> {
    Some(match d {
        Datum::Time(us) => Datum::Timetz(*us, -offset_today(*us, o) as i32),
        Datum::Timestamptz(us) if !is_finite_ts(*us) => Datum::Null,
        Datum::Timestamptz(us) => {
            let east = offset_at(&o.timezone, *us);
            Datum::Timetz((us + east * US_PER_SECOND).rem_euclid(US_PER_DAY), -east as i32)
        }
        _ => return None,
    })
}

/// The same moment of the day in a zone so many seconds east.
pub fn in_zone(us: i64, west: i32, east: i64) -> (i64, i32) {
    let moved = us + (i64::from(west) + east) * US_PER_SECOND;
    (moved.rem_euclid(US_PER_DAY), -east as i32)
}
