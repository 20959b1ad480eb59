//! `to_char` of timestamps and intervals.

use jiff::tz::TimeZone;

use super::calendar::{
    EPOCH_JULIAN, Fields, day_of_week, day_of_year, is_finite_ts, iso_week, iso_week_start,
};
use super::interval_text::Split;
use super::output::shown_year;
use super::pattern::{Case, Item, Key, parse};
use super::zone::{abbreviation_at, offset_at};
use crate::datum::Interval;
use crate::error::{SqlError, SqlState};

pub(super) const MONTH_NAMES: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(super) const DAY_NAMES: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
pub(super) const ROMAN: [&str; 12] =
    ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// What is shown: the fields, and what only one of the two kinds of values has.
struct Source<'a> {
    f: Fields,
    interval: bool,
    zone: Option<(&'a TimeZone, i64)>,
}

/// A timestamp (local time in microseconds, and for a `timestamptz` its zone and instant) by a pattern; `None` for NULL.
pub fn timestamp_to_char(
    us: i64,
    zone: Option<(&TimeZone, i64)>,
    pattern: &str,
) -> Result<Option<String>, SqlError> {
    if pattern.is_empty() || !is_finite_ts(zone.map_or(us, |z| z.1)) {
        return Ok(None);
    }
    write(&Source { f: Fields::of(us), interval: false, zone }, pattern).map(Some)
}

/// An interval by a pattern; `None` for NULL.
pub fn interval_to_char(v: &Interval, pattern: &str) -> Result<Option<String>, SqlError> {
    if pattern.is_empty() || !v.is_finite() {
        return Ok(None);
    }
    let p = Split::of(v);
    let f = Fields {
        year: p.years,
        month: p.months,
        day: p.days,
        hour: p.hours,
        minute: p.minutes,
        second: p.seconds,
        us: p.us,
    };
    write(&Source { f, interval: true, zone: None }, pattern).map(Some)
}

fn not_for_intervals() -> SqlError {
    SqlError::new(SqlState::INVALID_DATETIME_FORMAT, "invalid format specification for an interval value")
        .with_hint("Intervals are not tied to specific calendar dates.")
}

fn cased(s: &str, case: Case) -> String {
    match case {
        Case::Upper => s.to_ascii_uppercase(),
        Case::Lower => s.to_ascii_lowercase(),
        Case::Title => s.to_string(),
    }
}

/// The ordinal suffix of a number.
fn ordinal_suffix(digits: &str, upper: bool) -> &'static str {
    let b = digits.as_bytes();
    let teen = b.len() > 1 && b[b.len() - 2] == b'1';
    let i = match b.last() {
        Some(b'1') if !teen => 0,
        Some(b'2') if !teen => 1,
        Some(b'3') if !teen => 2,
        _ => 3,
    };
    if upper { ["ST", "ND", "RD", "TH"][i] } else { ["st", "nd", "rd", "th"][i] }
}

/// A number with leading zeros, unless fill mode is on; a sign takes a place of its own.
fn number(v: i64, width: usize, fill: bool) -> String {
    if fill {
        v.to_string()
    } else if v < 0 {
        format!("-{:0width$}", -v)
    } else {
        format!("{v:0width$}")
    }
}

fn write(s: &Source<'_>, pattern: &str) -> Result<String, SqlError> {
    let mut out = String::new();
    for item in parse(pattern)?.items {
        match item {
            Item::Separator(c) | Item::Literal(c) => out.push(c),
            Item::Field { key, fill, ordinal, case, .. } => {
                let text = field(s, key, fill, case)?;
                out.push_str(&text);
                if let Some(upper) = ordinal
                    && text.ends_with(|c: char| c.is_ascii_digit())
                {
                    out.push_str(ordinal_suffix(&text, upper));
                }
            }
        }
    }
    Ok(out)
}

fn field(s: &Source<'_>, key: Key, fill: bool, case: Case) -> Result<String, SqlError> {
    let f = &s.f;
    let calendar_only = matches!(
        key,
        Key::Zone
            | Key::ZoneHours
            | Key::ZoneMinutes
            | Key::Offset
            | Key::Era { .. }
            | Key::MonthName
            | Key::MonthAbbreviation
            | Key::DayName
            | Key::DayAbbreviation
            | Key::DayOfWeek
            | Key::IsoDayOfWeek
            | Key::IsoWeek
            | Key::IsoYear(_)
            | Key::IsoDayOfYear
    );
    if s.interval && calendar_only {
        return Err(not_for_intervals());
    }
    let offset = || s.zone.map_or(0, |(tz, instant)| offset_at(tz, instant));
    let padded = |name: &str, width: usize| {
        let name = cased(name, case);
        if fill { name } else { format!("{name:width$}") }
    };
    let weekday = |f: &Fields| day_of_week(f.days());
    Ok(match key {
        Key::AmPm { dots } => {
            let pm = f.hour % 24 >= 12;
            let text = match (pm, dots) {
                (true, true) => "P.M.",
                (true, false) => "PM",
                (false, true) => "A.M.",
                (false, false) => "AM",
            };
            cased(text, case)
        }
        Key::Era { dots } => {
            let text = match (f.year <= 0, dots) {
                (true, true) => "B.C.",
                (true, false) => "BC",
                (false, true) => "A.D.",
                (false, false) => "AD",
            };
            cased(text, case)
        }
        Key::Hour12 => {
            let h = f.hour % 12;
            number(if h == 0 { 12 } else { h }, 2, fill)
        }
        Key::Hour24 => number(f.hour, 2, fill),
        Key::Minute => number(f.minute, 2, fill),
        Key::Second => number(f.second, 2, fill),
        Key::Fraction(digits) => {
            let v = f.us / 10i64.pow(6 - digits);
            number(v, digits as usize, false)
        }
        Key::Millisecond => number(f.us / 1000, 3, false),
        Key::Microsecond => number(f.us, 6, false),
        Key::SecondsOfDay => number(f.hour * 3600 + f.minute * 60 + f.second, 1, true),
        Key::Zone => match s.zone {
            Some((tz, instant)) => {
                let name = abbreviation_at(tz, instant);
                if case == Case::Lower { name.to_lowercase() } else { name }
            }
            None => String::new(),
        },
        Key::ZoneHours => {
            let o = offset();
            format!("{}{:02}", if o < 0 { '-' } else { '+' }, o.abs() / 3600)
        }
        Key::ZoneMinutes => format!("{:02}", offset().abs() / 60 % 60),
        Key::Offset => {
            let o = offset();
            let hours = number(o.abs() / 3600, 2, fill);
            let minutes = match o.abs() / 60 % 60 {
                0 => String::new(),
                m => format!(":{m:02}"),
            };
            format!("{}{hours}{minutes}", if o < 0 { '-' } else { '+' })
        }
        Key::MonthName => padded(MONTH_NAMES[(f.month - 1) as usize], 9),
        Key::MonthAbbreviation => cased(&MONTH_NAMES[(f.month - 1) as usize][..3], case),
        Key::Month => number(f.month, 2, fill),
        Key::DayName => padded(DAY_NAMES[weekday(f) as usize], 9),
        Key::DayAbbreviation => cased(&DAY_NAMES[weekday(f) as usize][..3], case),
        Key::DayOfYear if s.interval => number(f.year * 360 + f.month * 30 + f.day, 3, fill),
        Key::DayOfYear => number(day_of_year(f), 3, fill),
        Key::IsoDayOfYear => {
            let (year, _) = iso_week(f.days());
            number(f.days() - iso_week_start(year, 1) + 1, 3, fill)
        }
        // The sign of an interval's takes one of the places.
        Key::Day if f.day < 0 => f.day.to_string(),
        Key::Day => number(f.day, 2, fill),
        Key::DayOfWeek => (weekday(f) + 1).to_string(),
        Key::IsoDayOfWeek => match weekday(f) {
            0 => "7".to_string(),
            d => d.to_string(),
        },
        Key::Week if s.interval => number((f.year * 360 + f.month * 30 + f.day - 1) / 7 + 1, 2, fill),
        Key::Week => number((day_of_year(f) - 1) / 7 + 1, 2, fill),
        Key::IsoWeek => number(iso_week(f.days()).1, 2, fill),
        Key::WeekOfMonth => ((f.day - 1) / 7 + 1).to_string(),
        Key::Quarter if f.month == 0 => String::new(),
        Key::Quarter => ((f.month - 1) / 3 + 1).to_string(),
        Key::Century => {
            let c = if s.interval {
                f.year / 100
            } else if f.year > 0 {
                (f.year - 1) / 100 + 1
            } else {
                f.year / 100 - 1
            };
            number(c, 2, fill)
        }
        Key::YearComma => {
            let y = year(s, f.year);
            format!("{},{}", y / 1000, signed_digits(y % 1000))
        }
        Key::Year(digits) => last_digits(year(s, f.year), digits, fill),
        Key::IsoYear(digits) => last_digits(shown_year(iso_week(f.days()).0), digits, fill),
        Key::RomanMonth => {
            // Of an interval: whole years end with December, and months below none are counted from there.
            let place = match (f.month, f.year) {
                (0, 0) => return Ok(String::new()),
                (0, years) if years > 0 => 11,
                (0, _) => 0,
                (months, _) if months < 0 => 12 + months,
                (months, _) => months - 1,
            };
            padded(ROMAN[place.clamp(0, 11) as usize], 4)
        }
        Key::Julian if s.interval => julian_by_formula(f).to_string(),
        Key::Julian => (f.days() + EPOCH_JULIAN).to_string(),
    })
}

fn year(s: &Source<'_>, y: i64) -> i64 {
    if s.interval { y } else { shown_year(y) }
}

/// C's `%03d`.
fn signed_digits(v: i64) -> String {
    if v < 0 { format!("-{:02}", -v) } else { format!("{v:03}") }
}

/// The day that PostgreSQL's formula gives for months and days that no date has.
fn julian_by_formula(f: &Fields) -> i64 {
    let (year, month) =
        if f.month > 2 { (f.year + 4800, f.month + 1) } else { (f.year + 4799, f.month + 13) };
    let century = year / 100;
    year * 365 - 32167 + year / 4 - century + century / 4 + 7834 * month / 256 + f.day
}

fn last_digits(y: i64, digits: u32, fill: bool) -> String {
    match digits {
        4 => number(y, 4, fill),
        d => number(y % 10i64.pow(d), d as usize, fill),
    }
}
