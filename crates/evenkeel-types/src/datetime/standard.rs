//! Moments read by a template as SQL/JSON has them: what the template says must all be there, and nothing else; what is read tells the type.
//!
//! Must not know: JSON.

use super::calendar::{US_PER_DAY, US_PER_SECOND, in_date_range, in_timestamp_range};
use super::from_char::{Found, Reader, assemble, format_error, is_greedy, take};
use super::pattern::{Item, Key, parse_standard};
use super::{date_out_of_range, timestamp_out_of_range};
use crate::datum::Datum;
use crate::error::SqlError;
use jiff::tz::TimeZone;

/// What a template has fields of.
#[derive(Default)]
struct Parts {
    date: bool,
    time: bool,
    zone: bool,
    digits: Option<u32>,
}

impl Parts {
    fn add(&mut self, key: Key) {
        match key {
            Key::AmPm { .. }
            | Key::Hour12
            | Key::Hour24
            | Key::Minute
            | Key::Second
            | Key::Millisecond
            | Key::Microsecond
            | Key::SecondsOfDay => self.time = true,
            Key::Fraction(digits) => {
                self.time = true;
                self.digits = Some(digits);
            }
            Key::Offset | Key::ZoneHours | Key::ZoneMinutes | Key::Zone => self.zone = true,
            _ => self.date = true,
        }
    }
}

/// A moment, and how many seconds its zone is west of UTC.
pub fn read(text: &str, template: &str, session: &TimeZone) -> Result<(Datum, i32), SqlError> {
    let p = parse_standard(template)?;
    let mut parts = Parts::default();
    for item in &p.items {
        if let Item::Field { key, .. } = item {
            parts.add(*key);
        }
    }
    if p.items.is_empty() {
        return Err(format_error("datetime format is not dated and not timed".into()));
    }
    let mut r = Reader { text, rest: text, session };
    let mut found = Found::default();
    for (i, item) in p.items.iter().enumerate() {
        if r.rest.is_empty() {
            return Err(format_error("input string is too short for datetime format".into()));
        }
        match item {
            Item::Separator(c) if r.rest.starts_with(*c) => r.skip_char(),
            Item::Separator(c) => return Err(format_error(format!("unmatched format separator \"{c}\""))),
            Item::Literal(c) if r.rest.starts_with(*c) => r.skip_char(),
            Item::Literal(c) => return Err(format_error(format!("unmatched format character \"{c}\""))),
            Item::Field { key, name, ordinal, .. } => {
                take(&mut r, *key, name, is_greedy(&p, i), false, &mut found)?;
                if ordinal.is_some() {
                    r.skip_char();
                    r.skip_char();
                }
            }
        }
    }
    if !r.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b').is_empty() {
        return Err(format_error("trailing characters remain in input string after datetime format".into()));
    }
    let t = assemble(&mut found, text)?;
    let east = |name: &str| match (&found.zone, found.zone_sign) {
        (Some(zone), _) => Ok(zone.clone().offset_of_local(&t)),
        (None, 0) => Err(format_error(format!("missing time zone in input string for type {name}"))),
        (None, sign) => Ok(sign * (found.zone_hours * 3600 + found.zone_minutes * 60)),
    };
    let round = |us: i64| match parts.digits {
        Some(digits) => super::interval::round_us(us, digits).unwrap_or(us),
        None => us,
    };
    let stamp = || {
        let us = t.days().checked_mul(US_PER_DAY).and_then(|d| d.checked_add(t.time_us()));
        us.filter(|us| in_timestamp_range(*us)).map(round).ok_or_else(timestamp_out_of_range)
    };
    match (parts.date, parts.time, parts.zone) {
        (true, true, true) => {
            let east = east("timestamptz")?;
            let us = stamp()? - east * US_PER_SECOND;
            if !in_timestamp_range(us) {
                return Err(timestamp_out_of_range());
            }
            Ok((Datum::Timestamptz(us), -east as i32))
        }
        (true, true, false) => Ok((Datum::Timestamp(stamp()?), 0)),
        (true, false, true) => Err(format_error("datetime format is zoned but not timed".into())),
        (true, false, false) => {
            let days = t.days();
            if !in_date_range(days) {
                return Err(date_out_of_range());
            }
            Ok((Datum::Date(days as i32), 0))
        }
        (false, true, true) => {
            let west = -east("timetz")? as i32;
            Ok((Datum::Timetz(round(t.time_us()), west), west))
        }
        (false, true, false) => Ok((Datum::Time(round(t.time_us())), 0)),
        (false, false, _) => Err(format_error("datetime format is not dated and not timed".into())),
    }
}
