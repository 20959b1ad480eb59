//! `to_date` and `to_timestamp`: reading text by a pattern.

use jiff::tz::TimeZone;

use super::calendar::{
    EPOCH_JULIAN, Fields, US_PER_DAY, US_PER_SECOND, days_from_civil, days_in_month, in_timestamp_range,
    iso_week_start,
};
use super::pattern::{Item, Key, Pattern, parse};
use super::to_char::{DAY_NAMES, MONTH_NAMES, ROMAN};
use super::zone::{named_timezone, offset_of_local};
use crate::error::{SqlError, SqlState};

/// What the fields said.
#[derive(Default)]
struct Found {
    year: Option<i64>,
    /// Digits of the year that were given.
    year_digits: u32,
    century: Option<i64>,
    bc: bool,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    week: Option<i64>,
    week_of_month: Option<i64>,
    /// 1 is Sunday.
    weekday: Option<i64>,
    iso_year: Option<i64>,
    iso_week: Option<i64>,
    iso_weekday: Option<i64>,
    iso_day_of_year: Option<i64>,
    julian: Option<i64>,
    hour: i64,
    twelve_hours: bool,
    pm: Option<bool>,
    minute: i64,
    second: i64,
    us: i64,
    seconds_of_day: Option<i64>,
    offset_hours: Option<i64>,
    offset_minutes: i64,
    zone_offset: Option<i64>,
    zone: Option<TimeZone>,
}

fn format_error(message: String) -> SqlError {
    SqlError::new(SqlState::INVALID_DATETIME_FORMAT, message)
}

struct Reader<'a> {
    rest: &'a str,
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

    fn skip_char(&mut self) {
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
fn is_greedy(p: &Pattern, i: usize) -> bool {
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

fn read(text: &str, pattern: &str) -> Result<Found, SqlError> {
    let p = parse(pattern);
    let mut r = Reader { rest: text };
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
                if r.rest.is_empty() {
                    break;
                }
                take(&mut r, *key, name, is_greedy(&p, i), &mut found)?;
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

/// Sets a field that may be given once, or again with the same value.
fn set(slot: &mut Option<i64>, v: i64, name: &str) -> Result<(), SqlError> {
    match slot {
        Some(old) if *old != v => {
            Err(format_error(format!("conflicting values for \"{name}\" field in formatting string"))
                .with_detail("This value contradicts a previous setting for the same field type."))
        }
        _ => {
            *slot = Some(v);
            Ok(())
        }
    }
}

/// A year of fewer than four digits means the one nearest to 2020, as PostgreSQL reads it.
fn adjust_year(v: i64, digits: u32) -> i64 {
    match digits {
        1 | 2 if v < 70 => v + 2000,
        1 | 2 if v < 100 => v + 1900,
        3 if v < 100 => v + if v < 70 { 2000 } else { 1900 },
        3 if v < 520 => v + 2000,
        3 if v < 1000 => v + 1000,
        _ => v,
    }
}

fn take(r: &mut Reader<'_>, key: Key, name: &str, greedy: bool, f: &mut Found) -> Result<(), SqlError> {
    match key {
        Key::AmPm { .. } => {
            let i = r.word(&["a.m.", "p.m.", "am", "pm"], name)?;
            f.pm = Some(i % 2 == 1);
            f.twelve_hours = true;
        }
        Key::Era { .. } => f.bc = r.word(&["a.d.", "b.c.", "ad", "bc"], name)? % 2 == 1,
        Key::Hour12 => {
            f.hour = r.int(2, greedy, name)?;
            f.twelve_hours = true;
        }
        Key::Hour24 => f.hour = r.int(2, greedy, name)?,
        Key::Minute => f.minute = r.int(2, greedy, name)?,
        Key::Second => f.second = r.int(2, greedy, name)?,
        Key::Millisecond | Key::Microsecond | Key::Fraction(_) => {
            let digits = match key {
                Key::Millisecond => 3,
                Key::Microsecond => 6,
                Key::Fraction(n) => n,
                _ => 6,
            };
            r.skip_spaces();
            let before = r.rest.len();
            let v = r.int(digits as usize, greedy, name)?;
            // Digits stand right after the point: 25 of milliseconds is .25.
            let used = (before - r.rest.len()) as u32;
            let mut us = v * 10i64.pow(6u32.saturating_sub(used.min(6)));
            if used > 6 {
                us = v / 10i64.pow(used - 6);
            }
            f.us = us;
        }
        Key::SecondsOfDay => f.seconds_of_day = Some(r.int(5, greedy, name)?),
        Key::Zone => {
            let end = r
                .rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-')))
                .unwrap_or(r.rest.len());
            let word = &r.rest[..end];
            if let Some((offset, _)) = super::zone_abbreviation(&word.to_ascii_lowercase()) {
                f.zone_offset = Some(offset);
            } else if let Some((tz, _)) = named_timezone(word) {
                f.zone = Some(tz);
            } else {
                return Err(format_error(format!("invalid value \"{word}\" for \"{name}\""))
                    .with_detail("Time zone abbreviation is not recognized."));
            }
            r.rest = &r.rest[end..];
        }
        Key::Offset | Key::ZoneHours => {
            let negative = r.rest.starts_with('-');
            if r.rest.starts_with(['+', '-']) {
                r.skip_char();
            }
            let hours = r.int(2, true, name)?;
            f.offset_hours = Some(if negative { -hours } else { hours });
            if key == Key::Offset && r.rest.starts_with(':') {
                r.skip_char();
                f.offset_minutes = r.int(2, true, name)? * if negative { -1 } else { 1 };
            }
        }
        Key::ZoneMinutes => {
            let m = r.int(2, greedy, name)?;
            f.offset_minutes = if f.offset_hours.is_some_and(|h| h < 0) { -m } else { m };
        }
        Key::MonthName => {
            let i = r.word(&MONTH_NAMES, name)?;
            set(&mut f.month, i as i64 + 1, name)?;
        }
        Key::MonthAbbreviation => {
            let words: Vec<&str> = MONTH_NAMES.iter().map(|n| &n[..3]).collect();
            let i = r.word(&words, name)?;
            set(&mut f.month, i as i64 + 1, name)?;
        }
        Key::Month => {
            let v = r.int(2, greedy, name)?;
            set(&mut f.month, v, name)?;
        }
        Key::DayName => {
            let i = r.word(&DAY_NAMES, name)?;
            set(&mut f.weekday, i as i64 + 1, name)?;
        }
        Key::DayAbbreviation => {
            let words: Vec<&str> = DAY_NAMES.iter().map(|n| &n[..3]).collect();
            let i = r.word(&words, name)?;
            set(&mut f.weekday, i as i64 + 1, name)?;
        }
        Key::DayOfYear => set(&mut f.day_of_year, r.int(3, greedy, name)?, name)?,
        Key::IsoDayOfYear => set(&mut f.iso_day_of_year, r.int(3, greedy, name)?, name)?,
        Key::Day => set(&mut f.day, r.int(2, greedy, name)?, name)?,
        Key::DayOfWeek => set(&mut f.weekday, r.int(1, greedy, name)?, name)?,
        Key::IsoDayOfWeek => set(&mut f.iso_weekday, r.int(1, greedy, name)?, name)?,
        Key::Week => set(&mut f.week, r.int(2, greedy, name)?, name)?,
        Key::IsoWeek => set(&mut f.iso_week, r.int(2, greedy, name)?, name)?,
        Key::WeekOfMonth => set(&mut f.week_of_month, r.int(1, greedy, name)?, name)?,
        // A quarter is read and not used: it says too little.
        Key::Quarter => drop(r.int(1, greedy, name)?),
        Key::Century => set(&mut f.century, r.int(2, greedy, name)?, name)?,
        Key::YearComma => {
            let thousands = r.int(9, true, name)?;
            if !r.rest.starts_with(',') {
                return Err(format_error(format!("invalid input string for \"{name}\"")));
            }
            r.skip_char();
            let rest = r.int(3, true, name)?;
            f.year_digits = 4;
            set(&mut f.year, thousands * 1000 + rest, name)?;
        }
        Key::Year(digits) | Key::IsoYear(digits) => {
            r.skip_spaces();
            let before = r.rest.len();
            let v = r.int(digits as usize, greedy, name)?;
            let used = (before - r.rest.len()) as u32;
            let v = if used < 4 && digits < 4 { adjust_year(v, used) } else { v };
            if matches!(key, Key::IsoYear(_)) {
                set(&mut f.iso_year, v, name)?;
            } else {
                f.year_digits = digits;
                set(&mut f.year, v, name)?;
            }
        }
        Key::RomanMonth => {
            // Longer numerals first, so that VIII is not read as V.
            let mut order: Vec<usize> = (0..12).collect();
            order.sort_by_key(|i| std::cmp::Reverse(ROMAN[*i].len()));
            let words: Vec<&str> = order.iter().map(|i| ROMAN[*i]).collect();
            let i = r.word(&words, name)?;
            set(&mut f.month, order[i] as i64 + 1, name)?;
        }
        Key::Julian => set(&mut f.julian, r.int(9, true, name)?, name)?,
    }
    Ok(())
}

fn out_of_range(text: &str) -> SqlError {
    SqlError::new(
        SqlState::DATETIME_FIELD_OVERFLOW,
        format!("date/time field value out of range: \"{text}\""),
    )
}

/// Days since 2000-01-01 that the date fields mean; 0001-01-01 BC where nothing was said.
fn days(f: &Found, text: &str) -> Result<i64, SqlError> {
    let gregorian_and_iso = f.iso_year.or(f.iso_week).or(f.iso_weekday).or(f.iso_day_of_year).is_some()
        && (f.month.is_some() || f.day.is_some() || f.year.is_some());
    if gregorian_and_iso {
        return Err(format_error("invalid combination of date conventions".into())
            .with_hint("Do not mix Gregorian and ISO week date conventions in a formatting template."));
    }
    if let Some(j) = f.julian {
        return Ok(j - EPOCH_JULIAN);
    }
    if let Some(year) = f.iso_year {
        let year = if f.bc { 1 - year } else { year };
        if let Some(d) = f.iso_day_of_year {
            return Ok(iso_week_start(year, 1) + d - 1);
        }
        let weekday = f.iso_weekday.or(f.weekday.map(|d| if d == 1 { 7 } else { d - 1 })).unwrap_or(1);
        return Ok(iso_week_start(year, f.iso_week.unwrap_or(1)) + weekday - 1);
    }
    let mut year = match (f.year, f.century) {
        (Some(y), Some(c)) if f.year_digits <= 2 => {
            let y = y % 100;
            if y == 0 { c * 100 } else { (c - 1) * 100 + y }
        }
        (Some(y), _) => y,
        (None, Some(c)) => (c - 1) * 100 + 1,
        (None, None) => 0,
    };
    if f.year.is_some() || f.century.is_some() {
        if f.bc {
            year = if year > 0 { 1 - year } else { year };
        } else if year < 0 {
            // A negative year is BC.
            year += 1;
        }
    }
    if let Some(d) = f.day_of_year {
        if f.month.is_none() && f.day.is_none() {
            if f.year.is_none() && !f.bc {
                return Err(format_error("cannot calculate day of year without year information".into()));
            }
            let length = if super::calendar::is_leap_year(year) { 366 } else { 365 };
            if !(1..=length).contains(&d) {
                return Err(out_of_range(text));
            }
            return Ok(days_from_civil(year, 1, 1) + d - 1);
        }
    }
    let mut month = f.month.unwrap_or(1);
    let mut day = f.day.unwrap_or(1);
    if let Some(w) = f.week
        && f.day.is_none()
        && f.month.is_none()
    {
        let start = days_from_civil(year, 1, 1) + (w - 1) * 7;
        let d = Fields::of_days(start);
        (month, day) = (d.month, d.day);
    }
    if let Some(w) = f.week_of_month
        && f.day.is_none()
    {
        day = (w - 1) * 7 + 1;
    }
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return Err(out_of_range(text));
    }
    Ok(days_from_civil(year, month, day))
}

/// `to_date`: days since 2000-01-01 (the caller checks the range).
pub fn to_date(text: &str, pattern: &str) -> Result<i64, SqlError> {
    days(&read(text, pattern)?, text)
}

/// `to_timestamp`: an instant, in the zone that the text gives, else in that of the session.
pub fn to_timestamp(text: &str, pattern: &str, session: &TimeZone) -> Result<i64, SqlError> {
    let f = read(text, pattern)?;
    let days = days(&f, text)?;
    let mut hour = f.hour;
    if f.twelve_hours {
        if !(1..=12).contains(&hour) && !(hour == 0 && f.pm.is_some() && f.seconds_of_day.is_some()) {
            return Err(format_error(format!("hour \"{hour}\" is invalid for the 12-hour clock"))
                .with_hint("Use the 24-hour clock, or give an hour between 1 and 12."));
        }
        match f.pm {
            Some(true) if hour < 12 => hour += 12,
            Some(false) if hour == 12 => hour = 0,
            _ => {}
        }
    }
    let (mut minute, mut second) = (f.minute, f.second);
    if let Some(s) = f.seconds_of_day {
        (hour, minute, second) = (s / 3600, s / 60 % 60, s % 60);
    }
    if !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0..60).contains(&second) {
        return Err(out_of_range(text));
    }
    let time = ((hour * 60 + minute) * 60 + second) * US_PER_SECOND + f.us;
    let local = days.checked_mul(US_PER_DAY).and_then(|d| d.checked_add(time));
    let offset = if let Some(h) = f.offset_hours {
        h * 3600 + f.offset_minutes * 60
    } else if let Some(o) = f.zone_offset {
        o
    } else {
        let mut fields = Fields::of_days(days);
        fields.set_time(time);
        offset_of_local(f.zone.as_ref().unwrap_or(session), &fields)
    };
    local
        .and_then(|l| l.checked_sub(offset * US_PER_SECOND))
        .filter(|us| in_timestamp_range(*us))
        .ok_or_else(|| SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "timestamp out of range"))
}
