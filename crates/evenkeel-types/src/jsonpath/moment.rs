//! Dates and times among items: `.datetime()` and its like, comparisons, text.
//!
//! What would need the session's zone fails unless the path is evaluated for a function that may use it (`_tz`); that error always counts, as in PostgreSQL.
//!
//! Must not know: functions and operators of SQL.

use super::item::Item;
use super::run::{Answer, Done, Found, Run};
use super::{Id, Timed};
use crate::cast::{CastContext, cast};
use crate::datetime::calendar::{Fields, US_PER_DAY, US_PER_SECOND};
use crate::datetime::standard;
use crate::datetime::zone::offset_of_local;
use crate::datetime::{write_date, write_time, write_timestamp};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::format::{DateStyle, FormatOptions};
use crate::numeric::Numeric;
use crate::text_io::{round_time, round_timestamp};
use crate::ty::{Type, typmod_from_args};
use std::cmp::Ordering;

/// The formats that are tried without a template, in this order.
const FORMATS: [&str; 13] = [
    "yyyy-mm-dd",
    "HH24:MI:SS.USTZ",
    "HH24:MI:SSTZ",
    "HH24:MI:SS.US",
    "HH24:MI:SS",
    "yyyy-mm-dd HH24:MI:SS.USTZ",
    "yyyy-mm-dd HH24:MI:SSTZ",
    "yyyy-mm-dd\"T\"HH24:MI:SS.USTZ",
    "yyyy-mm-dd\"T\"HH24:MI:SSTZ",
    "yyyy-mm-dd HH24:MI:SS.US",
    "yyyy-mm-dd HH24:MI:SS",
    "yyyy-mm-dd\"T\"HH24:MI:SS.US",
    "yyyy-mm-dd\"T\"HH24:MI:SS",
];

/// The longest text that can be a moment, bytes.
const TEXT_BYTES_MAX: usize = 1 << 10;

/// 0A000: the session's zone would be needed.
fn needs_zone(from: &str, to: &str) -> SqlError {
    SqlError::unsupported(format!("cannot convert value from {from} to {to} without time zone usage"))
        .with_hint("Use *_tz() function for time zone support.")
}

fn write_offset(west: i32, out: &mut Vec<u8>) {
    let east = -i64::from(west);
    let s = east.abs();
    let sign = if east < 0 { '-' } else { '+' };
    out.extend_from_slice(format!("{sign}{:02}:{:02}", s / 3600, s / 60 % 60).as_bytes());
    if s % 60 != 0 {
        out.extend_from_slice(format!(":{:02}", s % 60).as_bytes());
    }
}

/// A moment as XML Schema writes it, whatever the session's style is.
pub(super) fn text(d: &Datum, west: i32) -> String {
    let o = FormatOptions { datestyle: DateStyle::Iso, ..FormatOptions::default() };
    let mut out = Vec::new();
    let timestamp = |us: i64, out: &mut Vec<u8>| {
        write_timestamp(us, &o, out);
        if let Some(blank) = out.iter_mut().find(|b| **b == b' ') {
            *blank = b'T';
        }
    };
    match d {
        Datum::Date(days) => write_date(*days, &o, &mut out),
        Datum::Time(us) => write_time(*us, &mut out),
        Datum::Timetz(us, west) => {
            write_time(*us, &mut out);
            write_offset(*west, &mut out);
        }
        Datum::Timestamp(us) => timestamp(*us, &mut out),
        Datum::Timestamptz(us) => {
            timestamp(us.saturating_sub(i64::from(west) * US_PER_SECOND), &mut out);
            write_offset(west, &mut out);
        }
        _ => {}
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// How two moments compare; `None`: they do not.
pub(super) fn compare(
    a: &Datum,
    b: &Datum,
    zoned: bool,
    o: &FormatOptions,
) -> Result<Option<Ordering>, SqlError> {
    use Type::{Date, Time, Timestamp, Timestamptz, Timetz};
    let (from, to) = (a.natural_type(), b.natural_type());
    let zone = |from: &str, to: &str| if zoned { Ok(()) } else { Err(needs_zone(from, to)) };
    let same = |a: &Datum, b: &Datum| Ok(Some(crate::compare(a, b)));
    let as_type = |d: &Datum, ty: Type| cast(d.clone(), d.natural_type(), ty, -1, CastContext::Explicit, o);
    // A date that no timestamp is at lies before or after all of them.
    let beyond = |d: &Datum, ty: Type| match d {
        Datum::Date(days) if zoned || ty == Timestamp => {
            let e = as_type(d, ty).err().filter(|e| e.code == SqlState::DATETIME_FIELD_OVERFLOW);
            e.map(|_| days.cmp(&0))
        }
        _ => None,
    };
    if let Some(order) = beyond(a, to).or_else(|| beyond(b, from).map(Ordering::reverse)) {
        return Ok(Some(order));
    }
    match (from, to) {
        _ if from == to => same(a, b),
        (Date, Timestamp) => same(&as_type(a, Timestamp)?, b),
        (Timestamp, Date) => same(a, &as_type(b, Timestamp)?),
        (Date | Timestamp, Timestamptz) => {
            zone(if from == Date { "date" } else { "timestamp" }, "timestamptz")?;
            same(&as_type(a, Timestamptz)?, b)
        }
        (Timestamptz, Date | Timestamp) => {
            zone(if to == Date { "date" } else { "timestamp" }, "timestamptz")?;
            same(a, &as_type(b, Timestamptz)?)
        }
        (Time, Timetz) => {
            zone("time", "timetz")?;
            same(&as_type(a, Timetz)?, b)
        }
        (Timetz, Time) => {
            zone("time", "timetz")?;
            same(a, &as_type(b, Timetz)?)
        }
        _ => Ok(None),
    }
}

impl<'a> Run<'a> {
    fn datetime_argument(&self, method: &str, at: &Item<'a>) -> Result<Result<String, Answer>, SqlError> {
        match at {
            Item::Str(s) => Ok(Ok(s.to_string())),
            _ => {
                let state = SqlState::INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME;
                self.wrong_kind(state, method, "a string").map(Err)
            }
        }
    }

    fn not_recognized(&self, what: &str, text: &str, has_hint: bool) -> Done {
        if !self.raises {
            return Ok(Answer::Failed);
        }
        let message = format!("{what} format is not recognized: \"{text}\"");
        let e = SqlError::new(SqlState::INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME, message);
        Err(if has_hint {
            e.with_hint("Use a datetime template argument to specify the input data format.")
        } else {
            e
        })
    }

    /// A moment by the first of the formats that fits.
    fn recognized(&self, text: &str) -> Option<(Datum, i32)> {
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        FORMATS.iter().find_map(|format| standard::read(text, format, &self.format.timezone).ok())
    }

    /// `.datetime()`
    pub(super) fn datetime(
        &mut self,
        id: Id,
        template: Option<&str>,
        at: &Item<'a>,
        found: Found<'_, 'a>,
    ) -> Done {
        let text = match self.datetime_argument("datetime", at)? {
            Ok(text) => text,
            Err(answer) => return Ok(answer),
        };
        let (moment, west) = match template {
            Some(template) => match standard::read(&text, template, &self.format.timezone) {
                Ok(read) => read,
                Err(e) => return self.soften(e),
            },
            None => match self.recognized(&text) {
                Some(read) => read,
                None => return self.not_recognized("datetime", &text, true),
            },
        };
        self.next(id, &Item::Moment(moment, west), found)
    }

    /// `.time()` and its like.
    pub(super) fn timed(
        &mut self,
        id: Id,
        timed: Timed,
        digits: Option<&Numeric>,
        at: &Item<'a>,
        found: Found<'_, 'a>,
    ) -> Done {
        self.timed_or_date(id, Some(timed), digits, at, found)
    }

    /// The same, and `.date()`.
    pub(super) fn timed_or_date(
        &mut self,
        id: Id,
        timed: Option<Timed>,
        digits: Option<&Numeric>,
        at: &Item<'a>,
        found: Found<'_, 'a>,
    ) -> Done {
        let name = timed.map_or("date", Timed::name);
        let text = match self.datetime_argument(name, at)? {
            Ok(text) => text,
            Err(answer) => return Ok(answer),
        };
        let mut precision = None;
        if let Some(digits) = digits {
            let Ok(n) = digits.to_i32() else {
                return self.fail(SqlState::INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME, || {
                    format!(
                        "time precision of jsonpath item method .{name}() is out of range for type integer"
                    )
                });
            };
            precision = Some(i64::from(n));
        }
        let Some((read, west)) = self.recognized(&text) else {
            return self.not_recognized(name, &text, false);
        };
        let (to, pg_name) = match timed {
            None => (Type::Date, "date"),
            Some(Timed::Time) => (Type::Time, "time"),
            Some(Timed::TimeTz) => (Type::Timetz, "timetz"),
            Some(Timed::Timestamp) => (Type::Timestamp, "timestamp"),
            Some(Timed::TimestampTz) => (Type::Timestamptz, "timestamptz"),
        };
        let from = read.natural_type();
        let is_time = |ty| matches!(ty, Type::Time | Type::Timetz);
        let has_no_zone = |ty| matches!(ty, Type::Date | Type::Time | Type::Timestamp);
        let fits = match (from, to) {
            (Type::Date, to) if is_time(to) => false,
            (Type::Timestamp, Type::Timetz) => false,
            (from, to) => is_time(to) || !is_time(from),
        };
        if !fits {
            return self.not_recognized(name, &text, false);
        }
        // From one with a zone to one without, or back.
        let crosses = has_no_zone(from) != has_no_zone(to);
        if crosses && !self.zoned {
            return Err(needs_zone(&from.pg_name(), pg_name));
        }
        let mut west = west;
        if to == Type::Timestamptz && from != to {
            let local = match &read {
                Datum::Date(days) => i64::from(*days).saturating_mul(US_PER_DAY),
                Datum::Timestamp(us) => *us,
                _ => 0,
            };
            west = -offset_of_local(&self.format.timezone, &Fields::of(local)) as i32;
        }
        let moment = cast(read, from, to, -1, CastContext::Explicit, self.format)?;
        let moment = match precision {
            Some(digits) => rounded(moment, typmod_from_args(to, &[digits])?)?,
            None => moment,
        };
        self.next(id, &Item::Moment(moment, west), found)
    }
}

fn rounded(d: Datum, typmod: i32) -> Result<Datum, SqlError> {
    Ok(match d {
        Datum::Time(us) => Datum::Time(round_time(us, Type::Time, typmod)),
        Datum::Timetz(us, west) => Datum::Timetz(round_time(us, Type::Timetz, typmod), west),
        Datum::Timestamp(us) => Datum::Timestamp(round_timestamp(us, Type::Timestamp, typmod)?),
        Datum::Timestamptz(us) => Datum::Timestamptz(round_timestamp(us, Type::Timestamptz, typmod)?),
        d => d,
    })
}
