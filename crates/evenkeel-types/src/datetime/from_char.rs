//! `to_date` and `to_timestamp`: reading text by a pattern.
//!
//! As in PostgreSQL, a field with the value 0 counts as not given, and a field may be given twice only with the same value.

use jiff::tz::TimeZone;

use super::abbreviation::NamedZone;
use super::calendar::{
    EPOCH_JULIAN, Fields, US_PER_DAY, US_PER_SECOND, civil_from_days, days_from_civil, days_in_month,
    in_timestamp_range, is_leap_year, iso_week_start,
};
use super::interval::round_us;
use super::pattern::{Item, Key, Pattern, parse};
use super::to_char::{DAY_NAMES, MONTH_NAMES, ROMAN};
use crate::error::{SqlError, SqlState};

/// What the fields said; 0 is nothing.
#[derive(Default)]
pub(super) struct Found {
    /// Whether the fields seen are those of ISO weeks (or of months).
    iso: Option<bool>,
    year: i64,
    /// Digits of the field that gave the year.
    year_digits: u32,
    century: i64,
    bc: bool,
    month: i64,
    day: i64,
    day_of_year: i64,
    week: i64,
    week_of_month: i64,
    /// 1 is Sunday.
    weekday: i64,
    julian: i64,
    hour: i64,
    twelve_hours: bool,
    pm: bool,
    minute: i64,
    second: i64,
    ms: i64,
    us: i64,
    /// Digits of a second that the pattern has.
    digits: Option<u32>,
    seconds_of_day: i64,
    pub zone_sign: i64,
    pub zone_hours: i64,
    pub zone_minutes: i64,
    pub zone: Option<NamedZone>,
}

pub(super) fn format_error(message: String) -> SqlError {
    SqlError::new(SqlState::INVALID_DATETIME_FORMAT, message)
}

pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub rest: &'a str,
    pub session: &'a TimeZone,
}

fn is_separator(c: char) -> bool {
    c.is_ascii_punctuation()
}

impl<'a> Reader<'a> {
    fn skip_spaces(&mut self) -> usize {
        let trimmed = self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
        let n = self.rest.len() - trimmed.len();
        self.rest = trimmed;
        n
    }

    pub fn skip_char(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }

    /// An integer of at most `len` characters; exactly as many if the next field follows without a separator.
    fn int(&mut self, len: usize, greedy: bool, name: &str) -> Result<i64, SqlError> {
        self.skip_spaces();
        let window = if greedy { self.rest.len() } else { len };
        let copy: String = self.rest.chars().take(if greedy { len } else { window }).collect();
        if !greedy && copy.chars().count() < len {
            return Err(format_error(format!("source string too short for \"{name}\" formatting field"))
                .with_detail(format!(
                    "Field requires {len} characters, but only {} remain.",
                    copy.chars().count()
                ))
                .with_hint("If your source string is not fixed-width, try using the \"FM\" modifier."));
        }
        let b = self.rest.as_bytes();
        let signed = usize::from(matches!(b.first(), Some(b'+' | b'-')));
        let digits =
            b[signed..].iter().take(window.saturating_sub(signed)).take_while(|c| c.is_ascii_digit()).count();
        let used = signed + digits;
        let invalid = || format_error(format!("invalid value \"{copy}\" for \"{name}\""));
        if digits == 0 {
            return Err(invalid().with_detail("Value must be an integer."));
        }
        if !greedy && used < len {
            return Err(invalid()
                .with_detail(format!("Field requires {len} characters, but only {used} could be parsed."))
                .with_hint("If your source string is not fixed-width, try using the \"FM\" modifier."));
        }
        let text = self.rest[..used].strip_prefix('+').unwrap_or(&self.rest[..used]);
        let v: i32 = text.parse().map_err(|_| {
            SqlError::new(
                SqlState::DATETIME_FIELD_OVERFLOW,
                format!("value for \"{name}\" in source string is out of range"),
            )
            .with_detail(format!("Value must be in the range {} to {}.", i32::MIN, i32::MAX))
        })?;
        self.rest = &self.rest[used..];
        Ok(i64::from(v))
    }

    /// As [`Reader::int`], with the number of characters taken.
    fn counted(&mut self, len: usize, greedy: bool, name: &str) -> Result<(i64, u32), SqlError> {
        self.skip_spaces();
        let before = self.rest.len();
        let v = self.int(len, greedy, name)?;
        Ok((v, (before - self.rest.len()) as u32))
    }

    /// The character before what is left.
    fn before(&self) -> Option<char> {
        self.text[..self.text.len() - self.rest.len()].chars().next_back()
    }

    /// One of some words in any case; its index.
    fn word(&mut self, words: &[&str], name: &str) -> Result<usize, SqlError> {
        for (i, w) in words.iter().enumerate() {
            if self.rest.len() >= w.len()
                && self.rest.is_char_boundary(w.len())
                && self.rest[..w.len()].eq_ignore_ascii_case(w)
            {
                self.rest = &self.rest[w.len()..];
                return Ok(i);
            }
        }
        let shown: String = self.rest.chars().take_while(|c| !c.is_whitespace()).collect();
        Err(format_error(format!("invalid value \"{shown}\" for \"{name}\""))
            .with_detail("The given value did not match any of the allowed values for this field."))
    }
}

/// Whether the field at `i` may take as many digits as there are: nothing that could be a digit follows it.
pub(super) fn is_greedy(p: &Pattern, i: usize) -> bool {
    match &p.items[i] {
        Item::Field { fill: true, .. } | Item::Field { ordinal: Some(_), .. } => return true,
        _ => {}
    }
    match p.items.get(i + 1) {
        None => true,
        Some(Item::Field { key, .. }) => !key.is_numeric(),
        Some(Item::Separator(c) | Item::Literal(c)) => !c.is_ascii_digit(),
    }
}

fn read(text: &str, pattern: &str, session: &TimeZone) -> Result<Found, SqlError> {
    let p = parse(pattern)?;
    let mut r = Reader { text, rest: text, session };
    let mut found = Found::default();
    // Blanks skipped beyond what the pattern asked for.
    let mut extra: i64 = 0;
    for (i, item) in p.items.iter().enumerate() {
        if r.rest.is_empty() {
            break;
        }
        let is_field = matches!(item, Item::Field { .. });
        if !p.exact && (is_field || i == 0) {
            extra += r.skip_spaces() as i64;
        }
        match item {
            Item::Separator(_) if p.exact => r.skip_char(),
            Item::Separator(_) => {
                extra -= 1;
                if r.rest.starts_with(|c: char| c.is_ascii_whitespace() || is_separator(c)) {
                    r.skip_char();
                    extra += 1;
                }
            }
            Item::Literal(_) if !p.exact && extra > 0 => extra -= 1,
            Item::Literal(_) => r.skip_char(),
            Item::Field { key, name, ordinal, .. } => {
                take(&mut r, *key, name, is_greedy(&p, i), extra > 0, &mut found)?;
                if ordinal.is_some() {
                    r.skip_char();
                    r.skip_char();
                }
                if !p.exact {
                    extra = r.skip_spaces() as i64;
                }
            }
        }
    }
    Ok(found)
}

/// An integer of at most so many characters, as C's `scanf` takes it; one that is too large is the largest.
fn scan_int(rest: &mut &str, most: usize) -> Option<i64> {
    let text = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let signed = usize::from(text.starts_with(['+', '-']));
    let digits = text.bytes().take(most).skip(signed).take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return None;
    }
    let (number, behind) = text.split_at(signed + digits);
    *rest = behind;
    Some(number.parse().unwrap_or(if number.starts_with('-') { i64::MIN } else { i64::MAX }))
}

/// Sets a field that may be given once, or again with the same value.
fn set(slot: &mut i64, v: i64, name: &str) -> Result<(), SqlError> {
    if *slot != 0 && *slot != v {
        return Err(format_error(format!("conflicting values for \"{name}\" field in formatting string"))
            .with_detail("This value contradicts a previous setting for the same field type."));
    }
    *slot = v;
    Ok(())
}

/// A year of fewer than four digits means the one nearest to 2020.
fn adjust_year(v: i64) -> i64 {
    match v {
        ..70 => v + 2000,
        70..100 => v + 1900,
        100..520 => v + 2000,
        520..1000 => v + 1000,
        _ => v,
    }
}

/// Whether a field belongs to ISO weeks, to months, or to neither.
fn convention(key: Key) -> Option<bool> {
    match key {
        Key::IsoDayOfWeek | Key::IsoDayOfYear | Key::IsoWeek | Key::IsoYear(_) => Some(true),
        Key::DayOfWeek
        | Key::DayOfYear
        | Key::Day
        | Key::Month
        | Key::MonthName
        | Key::MonthAbbreviation
        | Key::RomanMonth
        | Key::Week
        | Key::WeekOfMonth
        | Key::Year(_)
        | Key::YearComma => Some(false),
        _ => None,
    }
}

pub(super) fn take(
    r: &mut Reader<'_>,
    key: Key,
    name: &str,
    greedy: bool,
    skipped: bool,
    f: &mut Found,
) -> Result<(), SqlError> {
    if let Some(iso) = convention(key)
        && *f.iso.get_or_insert(iso) != iso
    {
        return Err(format_error("invalid combination of date conventions".into())
            .with_hint("Do not mix Gregorian and ISO week date conventions in a formatting template."));
    }
    match key {
        // A displacement may stand for the name of a zone.
        Key::Zone if !r.rest.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            take(r, Key::Offset, name, greedy, skipped, f)?;
        }
        Key::AmPm { dots } => {
            let words = if dots { ["a.m.", "p.m."] } else { ["am", "pm"] };
            f.pm = r.word(&words, name)? == 1;
            f.twelve_hours = true;
        }
        Key::Era { dots } => {
            let words = if dots { ["a.d.", "b.c."] } else { ["ad", "bc"] };
            f.bc = r.word(&words, name)? == 1;
        }
        Key::Hour12 => {
            set(&mut f.hour, r.int(2, greedy, name)?, name)?;
            f.twelve_hours = true;
        }
        Key::Hour24 => set(&mut f.hour, r.int(2, greedy, name)?, name)?,
        Key::Minute => set(&mut f.minute, r.int(2, greedy, name)?, name)?,
        Key::Second => set(&mut f.second, r.int(2, greedy, name)?, name)?,
        Key::Millisecond => {
            let (v, used) = r.counted(3, greedy, name)?;
            set(&mut f.ms, v * 10i64.pow(3u32.saturating_sub(used)), name)?;
        }
        Key::Microsecond | Key::Fraction(_) => {
            let len = if let Key::Fraction(n) = key { *f.digits.insert(n) } else { 6 };
            let (v, used) = r.counted(len as usize, greedy, name)?;
            set(&mut f.us, v * 10i64.pow(6u32.saturating_sub(used)), name)?;
        }
        Key::SecondsOfDay => set(&mut f.seconds_of_day, r.int(name.len(), greedy, name)?, name)?,
        Key::Zone => {
            // The longest that is one.
            let letters = r.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
            let found = (1..=letters.min(10))
                .rev()
                .find_map(|len| Some((len, NamedZone::abbreviated(&r.rest[..len], r.session)?)));
            let Some((len, zone)) = found else {
                let word: String = r.rest.chars().take_while(|c| !c.is_whitespace()).collect();
                return Err(format_error(format!("invalid value \"{word}\" for \"{name}\""))
                    .with_detail("Time zone abbreviation is not recognized."));
            };
            f.zone = Some(zone);
            r.rest = &r.rest[len..];
        }
        Key::Offset | Key::ZoneHours => {
            // The sign may have been taken for a separator.
            f.zone_sign = match r.rest.chars().next() {
                Some(c @ ('+' | '-' | ' ')) => {
                    r.skip_char();
                    if c == '-' { -1 } else { 1 }
                }
                _ if skipped && r.before() == Some('-') => -1,
                _ => 1,
            };
            set(&mut f.zone_hours, r.int(2, greedy, name)?, name)?;
            if key == Key::Offset && r.rest.starts_with(':') {
                r.skip_char();
                set(&mut f.zone_minutes, r.int(2, greedy, name)?, name)?;
            }
        }
        Key::ZoneMinutes => {
            if f.zone_sign == 0 {
                f.zone_sign = 1;
            }
            set(&mut f.zone_minutes, r.int(2, greedy, name)?, name)?;
        }
        Key::MonthName => set(&mut f.month, r.word(&MONTH_NAMES, name)? as i64 + 1, name)?,
        Key::MonthAbbreviation => {
            let words: Vec<&str> = MONTH_NAMES.iter().map(|n| &n[..3]).collect();
            set(&mut f.month, r.word(&words, name)? as i64 + 1, name)?;
        }
        Key::Month => set(&mut f.month, r.int(2, greedy, name)?, name)?,
        Key::DayName => set(&mut f.weekday, r.word(&DAY_NAMES, name)? as i64 + 1, name)?,
        Key::DayAbbreviation => {
            let words: Vec<&str> = DAY_NAMES.iter().map(|n| &n[..3]).collect();
            set(&mut f.weekday, r.word(&words, name)? as i64 + 1, name)?;
        }
        Key::DayOfYear | Key::IsoDayOfYear => {
            set(&mut f.day_of_year, r.int(name.len().min(3), greedy, name)?, name)?
        }
        Key::Day => set(&mut f.day, r.int(2, greedy, name)?, name)?,
        Key::DayOfWeek => set(&mut f.weekday, r.int(1, greedy, name)?, name)?,
        Key::IsoDayOfWeek => {
            let d = r.int(1, greedy, name)?;
            set(&mut f.weekday, if d >= 7 { 1 } else { d + 1 }, name)?;
        }
        Key::Week | Key::IsoWeek => set(&mut f.week, r.int(2, greedy, name)?, name)?,
        Key::WeekOfMonth => set(&mut f.week_of_month, r.int(1, greedy, name)?, name)?,
        // A quarter is read and not used: it says too little.
        Key::Quarter => drop(r.int(1, greedy, name)?),
        Key::Century => set(&mut f.century, r.int(2, greedy, name)?, name)?,
        Key::YearComma => {
            let (shown, mut rest) = (r.rest, r.rest);
            let found = scan_int(&mut rest, usize::MAX).and_then(|thousands| {
                rest = rest.strip_prefix(',')?;
                Some((thousands, scan_int(&mut rest, 3)?))
            });
            let Some((thousands, years)) = found else {
                return Err(format_error(format!("invalid value \"{shown}\" for \"Y,YYY\"")));
            };
            r.rest = rest;
            f.year_digits = 4;
            let year = i32::try_from(i128::from(thousands) * 1000 + i128::from(years)).map_err(|_| {
                let why = "value for \"Y,YYY\" in source string is out of range";
                SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, why)
            })?;
            set(&mut f.year, i64::from(year), name)?;
        }
        Key::Year(digits) | Key::IsoYear(digits) => {
            let (v, used) = r.counted(digits as usize, greedy, name)?;
            set(&mut f.year, if digits < 4 && used < 4 { adjust_year(v) } else { v }, name)?;
            f.year_digits = digits;
        }
        Key::RomanMonth => {
            // Longer numerals first, so that VIII is not read as V.
            let mut order: Vec<usize> = (0..12).collect();
            order.sort_by_key(|i| std::cmp::Reverse(ROMAN[*i].len()));
            let words: Vec<&str> = order.iter().map(|i| ROMAN[*i]).collect();
            let i = r.word(&words, name)?;
            set(&mut f.month, order[i] as i64 + 1, name)?;
        }
        Key::Julian => set(&mut f.julian, r.int(1, greedy, name)?, name)?,
    }
    Ok(())
}

fn out_of_range(text: &str) -> SqlError {
    SqlError::new(
        SqlState::DATETIME_FIELD_OVERFLOW,
        format!("date/time field value out of range: \"{text}\""),
    )
}

/// The local time that the fields mean: 0001-01-01 BC 00:00 where nothing was said.
pub(super) fn assemble(f: &mut Found, text: &str) -> Result<Fields, SqlError> {
    let mut t = Fields { month: 1, day: 1, ..Fields::default() };
    if f.seconds_of_day != 0 {
        let s = f.seconds_of_day;
        (t.hour, t.minute, t.second) = (s / 3600, s % 3600 / 60, s % 60);
    }
    for (slot, v) in [(&mut t.second, f.second), (&mut t.minute, f.minute), (&mut t.hour, f.hour)] {
        if v != 0 {
            *slot = v;
        }
    }
    if f.twelve_hours {
        if !(1..=12).contains(&t.hour) {
            return Err(format_error(format!("hour \"{}\" is invalid for the 12-hour clock", t.hour))
                .with_hint("Use the 24-hour clock, or give an hour between 1 and 12."));
        }
        if f.pm && t.hour < 12 {
            t.hour += 12;
        } else if !f.pm && t.hour == 12 {
            t.hour = 0;
        }
    }
    let mut date_known = false;
    let (mut month_known, mut day_known) = (false, false);
    set_year(f, &mut t);
    // Fields are 32 bits wide in PostgreSQL.
    let narrow = |v: i64| i32::try_from(v).map(|_| ()).map_err(|_| out_of_range(text));
    narrow(t.year)?;
    if f.julian != 0 {
        (t.year, t.month, t.day) = civil_from_days(f.julian - EPOCH_JULIAN);
        date_known = true;
    }
    let iso = f.iso == Some(true);
    if f.week != 0 {
        if iso {
            let weekday = match f.weekday {
                0 => 0,
                1 => 6,
                d => d - 2,
            };
            (t.year, t.month, t.day) = civil_from_days(iso_week_start(t.year, f.week) + weekday);
            date_known = true;
        } else {
            f.day_of_year = (f.week - 1) * 7 + 1;
            narrow(f.day_of_year)?;
        }
    }
    if f.week_of_month != 0 {
        f.day = (f.week_of_month - 1) * 7 + 1;
        narrow(f.day)?;
    }
    if f.day != 0 {
        t.day = f.day;
        day_known = true;
    }
    if f.month != 0 {
        t.month = f.month;
        month_known = true;
    }
    if f.day_of_year != 0 && (t.month <= 1 || t.day <= 1) {
        if t.year == 0 && !f.bc {
            return Err(format_error("cannot calculate day of year without year information".into()));
        }
        if iso {
            (t.year, t.month, t.day) = civil_from_days(iso_week_start(t.year, 1) + f.day_of_year - 1);
            date_known = true;
        } else {
            let (month, day) = split_day_of_year(t.year, f.day_of_year);
            if t.month <= 1 {
                t.month = month;
            }
            if t.day <= 1 {
                t.day = day;
            }
            (month_known, day_known) = (true, true);
        }
    }
    t.us = f.ms * 1000 + f.us;
    let year_known = date_known || f.year != 0 || f.century != 0;
    let bad_date = (month_known || date_known) && !(1..=12).contains(&t.month)
        || (day_known || date_known) && !(1..=31).contains(&t.day)
        || year_known
            && (month_known || date_known)
            && (day_known || date_known)
            && t.day > days_in_month(t.year, t.month);
    let bad_time = !(0..24).contains(&t.hour)
        || !(0..60).contains(&t.minute)
        || !(0..60).contains(&t.second)
        || !(0..US_PER_SECOND).contains(&t.us);
    if bad_date || bad_time {
        return Err(out_of_range(text));
    }
    if f.zone_sign != 0 && !((0..=15).contains(&f.zone_hours) && (0..60).contains(&f.zone_minutes)) {
        return Err(SqlError::new(
            SqlState::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
            format!("time zone displacement out of range: \"{text}\""),
        ));
    }
    Ok(t)
}

fn set_year(f: &Found, t: &mut Fields) {
    let century = if f.bc { -f.century } else { f.century };
    if f.year != 0 {
        if f.century != 0 && f.year_digits <= 2 {
            // The two low digits of a year of that century; the 21st runs from 2001 to 2100.
            let low = f.year % 100;
            t.year = match (low, century >= 0) {
                (0, true) => century * 100,
                (0, false) => century * 100 + 1,
                (_, true) => (century - 1) * 100 + low,
                (_, false) => (century + 1) * 100 - low + 1,
            };
        } else {
            t.year = if f.bc { -f.year } else { f.year };
            // 1 BC is the year 0.
            if t.year < 0 {
                t.year += 1;
            }
        }
    } else if f.century != 0 {
        t.year = if century >= 0 { (century - 1) * 100 + 1 } else { century * 100 + 1 };
    }
}

/// Month and day of a day of the year; one past its end gives a day that no month has.
fn split_day_of_year(year: i64, day_of_year: i64) -> (i64, i64) {
    let mut rest = day_of_year;
    for month in 1..=12 {
        let length = days_in_month(year, month);
        if rest <= length {
            return (month, rest);
        }
        rest -= length;
    }
    (13, day_of_year - if is_leap_year(year) { 366 } else { 365 })
}

/// `to_date`: days since 2000-01-01 (the caller checks the range).
pub fn to_date(text: &str, pattern: &str, session: &TimeZone) -> Result<i64, SqlError> {
    let t = assemble(&mut read(text, pattern, session)?, text)?;
    Ok(days_from_civil(t.year, t.month, t.day))
}

/// `to_timestamp`: an instant, in the zone that the text gives, else in that of the session.
pub fn to_timestamp(text: &str, pattern: &str, session: &TimeZone) -> Result<i64, SqlError> {
    let mut f = read(text, pattern, session)?;
    let t = assemble(&mut f, text)?;
    let offset = if f.zone_sign != 0 {
        f.zone_sign * (f.zone_hours * 3600 + f.zone_minutes * 60)
    } else {
        f.zone.unwrap_or_else(|| session.clone().into()).offset_of_local(&t)
    };
    t.days()
        .checked_mul(US_PER_DAY)
        .and_then(|d| d.checked_add(t.time_us() - offset * US_PER_SECOND))
        .and_then(|us| f.digits.map_or(Some(us), |digits| round_us(us, digits)))
        .filter(|us| in_timestamp_range(*us))
        .ok_or_else(|| SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "timestamp out of range"))
}
