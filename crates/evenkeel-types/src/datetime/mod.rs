//! Dates, timestamps and intervals: the calendar, time zones, text input and output, arithmetic.
//!
//! Times are microseconds since 2000-01-01, dates are days since then; the calendar is the proleptic Gregorian one, with a year 0
//! (1 BC) inside and BC years in text. `Date` and `Timestamp` values of MAX and MIN are the infinities (see `datum`).
//!
//! Must not know: datums of other types, sessions.

pub(crate) mod abbreviation;
pub mod calendar;
mod from_char;
pub mod interval;
mod interval_fields;
mod interval_iso;
mod interval_text;
mod keywords;
mod lexer;
mod output;
mod parse;
mod pattern;
pub mod standard;
pub mod time;
mod to_char;
pub mod units;
pub mod zone;

pub use abbreviation::NamedZone;
pub use calendar::{
    DATE_INFINITY, DATE_NEG_INFINITY, Fields, TS_INFINITY, TS_NEG_INFINITY, days_from_civil, is_finite_date,
    is_finite_ts, wall_clock_us,
};
pub use from_char::{to_date, to_timestamp};
pub use interval_fields::IntervalFields;
pub use interval_text::{parse_interval, write_interval};
pub use output::{write_date, write_timestamp, write_timestamptz};
pub use parse::{parse_date, parse_timestamp, parse_timestamptz};
pub use time::{parse_time, parse_timetz, write_time, write_timetz};
pub use to_char::{interval_to_char, timestamp_to_char};
pub use zone::parse_timezone;

use crate::error::{SqlError, SqlState};

#[cold]
pub(super) fn timestamp_out_of_range() -> SqlError {
    SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "timestamp out of range")
}

#[cold]
pub(super) fn date_out_of_range() -> SqlError {
    SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "date out of range")
}

#[cold]
pub(super) fn interval_out_of_range() -> SqlError {
    SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "interval out of range")
}
