//! Reads dates and timestamps: the second half, which gives the lexer's tokens their meaning.
//!
//! The rules for ambiguous numbers are PostgreSQL's: a number of three or more digits where a date begins is a year; otherwise the
//! DateOrder setting says what comes first; six or more digits run together are yymmdd, yyyymmdd or hhmmss.
//!
//! Must not know: where the result is stored.

use super::abbreviation::NamedZone;
use super::calendar::{
    DATE_INFINITY, DATE_NEG_INFINITY, EPOCH_JULIAN, Fields, TS_INFINITY, TS_NEG_INFINITY, UNIX_EPOCH_DAYS,
    US_PER_DAY, US_PER_SECOND, civil_from_days, days_from_civil, days_in_month, in_date_range,
    in_timestamp_range, wall_clock_us,
};
use super::keywords::{self, Word};
use super::lexer::{Kind, Token, tokens};
use super::zone::{DisplacementError, local_us, named_timezone, offset_of_local, parse_displacement};
use crate::error::{SqlError, SqlState};
use crate::format::{DateOrder, FormatOptions};

/// Why an input is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Bad {
    Format,
    Range,
    /// The fields fit, but not what they amount to.
    Total,
    /// Day or month out of range: perhaps given in another order.
    DayMonthRange,
    Displacement,
    Zone(String),
}

type Parsed<T> = Result<T, Bad>;

fn error(bad: Bad, input: &str, type_name: &str) -> SqlError {
    match bad {
        Bad::Format => SqlError::new(
            SqlState::INVALID_DATETIME_FORMAT,
            format!("invalid input syntax for type {type_name}: \"{input}\""),
        ),
        Bad::Range | Bad::Total => SqlError::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            format!("date/time field value out of range: \"{input}\""),
        ),
        Bad::DayMonthRange => error(Bad::Range, input, type_name)
            .with_hint("Perhaps you need a different \"DateStyle\" setting."),
        Bad::Displacement => SqlError::new(
            SqlState::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
            format!("time zone displacement out of range: \"{input}\""),
        ),
        Bad::Zone(zone) => {
            SqlError::new(SqlState::INVALID_PARAMETER_VALUE, format!("time zone \"{zone}\" not recognized"))
        }
    }
}

/// Reads a `date`.
pub fn parse_date(s: &str, o: &FormatOptions) -> Result<i32, SqlError> {
    if let Some(days) = iso_date(s.as_bytes()) {
        return Ok(days);
    }
    let days = match decode(s, o).map_err(|b| error(b, s, "date"))? {
        Decoded::Infinity => return Ok(DATE_INFINITY),
        Decoded::NegInfinity => return Ok(DATE_NEG_INFINITY),
        Decoded::Epoch => UNIX_EPOCH_DAYS,
        Decoded::Point { fields, .. } => fields.days(),
    };
    if !in_date_range(days) {
        return Err(SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, format!("date out of range: \"{s}\"")));
    }
    Ok(days as i32)
}

/// Reads a `timestamp`; a zone in the input is ignored, as SQL says.
pub fn parse_timestamp(s: &str, o: &FormatOptions) -> Result<i64, SqlError> {
    if let Some(us) = iso_timestamp(s.as_bytes()) {
        return Ok(us);
    }
    match decode(s, o).map_err(|b| error(b, s, "timestamp"))? {
        Decoded::Infinity => Ok(TS_INFINITY),
        Decoded::NegInfinity => Ok(TS_NEG_INFINITY),
        Decoded::Epoch => Ok(UNIX_EPOCH_DAYS * US_PER_DAY),
        Decoded::Point { fields, .. } => fields.timestamp().ok_or_else(|| timestamp_range(s)),
    }
}

/// Reads a `timestamptz`; without a zone in the input, the session's applies.
pub fn parse_timestamptz(s: &str, o: &FormatOptions) -> Result<i64, SqlError> {
    match decode(s, o).map_err(|b| error(b, s, "timestamp with time zone"))? {
        Decoded::Infinity => Ok(TS_INFINITY),
        Decoded::NegInfinity => Ok(TS_NEG_INFINITY),
        Decoded::Epoch => Ok(UNIX_EPOCH_DAYS * US_PER_DAY),
        Decoded::Point { fields, offset } => {
            let local = fields.days().checked_mul(US_PER_DAY).and_then(|d| d.checked_add(fields.time_us()));
            let offset = offset.unwrap_or_else(|| offset_of_local(&o.timezone, &fields));
            local
                .and_then(|l| l.checked_sub(offset * US_PER_SECOND))
                .filter(|us| in_timestamp_range(*us))
                .ok_or_else(|| timestamp_range(s))
        }
    }
}

fn timestamp_range(s: &str) -> SqlError {
    SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, format!("timestamp out of range: \"{s}\""))
}

fn two(b: &[u8]) -> Option<i64> {
    (b[0].is_ascii_digit() && b[1].is_ascii_digit())
        .then(|| i64::from(b[0] - b'0') * 10 + i64::from(b[1] - b'0'))
}

/// The common form `YYYY-MM-DD` without any ado; `None` leaves it to the general reader, errors included.
fn iso_date(b: &[u8]) -> Option<i32> {
    if b.len() != 10 || b[4] != b'-' || b[7] != b'-' {
        return None;
    }
    let (y, m, d) = (two(b)? * 100 + two(&b[2..])?, two(&b[5..])?, two(&b[8..])?);
    if y == 0 || !(1..=12).contains(&m) || d < 1 || d > days_in_month(y, m) {
        return None;
    }
    Some(days_from_civil(y, m, d) as i32)
}

/// The common form `YYYY-MM-DD HH:MM:SS[.f]` without a zone.
fn iso_timestamp(b: &[u8]) -> Option<i64> {
    if b.len() < 19 || b.len() > 26 || b[10] != b' ' || b[13] != b':' || b[16] != b':' {
        return None;
    }
    let days = iso_date(&b[..10])?;
    let (h, m, s) = (two(&b[11..])?, two(&b[14..])?, two(&b[17..])?);
    if h > 23 || m > 59 || s > 59 {
        return None;
    }
    let mut us = 0;
    if b.len() > 19 {
        if b[19] != b'.' {
            return None;
        }
        let mut scale = 100_000;
        for &d in &b[20..] {
            if !d.is_ascii_digit() {
                return None;
            }
            us += i64::from(d - b'0') * scale;
            scale /= 10;
        }
    }
    Some(i64::from(days) * US_PER_DAY + ((h * 60 + m) * 60 + s) * US_PER_SECOND + us)
}

enum Decoded {
    Infinity,
    NegInfinity,
    Epoch,
    Point { fields: Fields, offset: Option<i64> },
}

const YEAR: u32 = 1;
const MONTH: u32 = 2;
const DAY: u32 = 4;
const DATE: u32 = YEAR | MONTH | DAY;
const TIME: u32 = 8;
const ZONE: u32 = 16;
const DOY: u32 = 32;
const DST_MODIFIER: u32 = 64;
const AM_PM: u32 = 128;
const ERA: u32 = 256;
const WEEKDAY: u32 = 512;

struct Decoder<'a> {
    order: DateOrder,
    options: &'a FormatOptions,
    f: Fields,
    day_of_year: i64,
    /// What is known so far.
    mask: u32,
    two_digit_year: bool,
    text_month: bool,
    julian: bool,
    bc: bool,
    pm: Option<bool>,
    offset: i64,
    zone: Option<NamedZone>,
    /// It is an abbreviation of an offset, which `dst` may follow.
    takes_dst: bool,
    /// A time of day is read.
    time_only: bool,
}

fn integer(s: &str) -> Parsed<i64> {
    if s.is_empty() || !s.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Bad::Format);
    }
    // Fields are 32-bit in PostgreSQL.
    s.parse::<i32>().map(i64::from).map_err(|_| Bad::Range)
}

/// Microseconds of a fraction such as `.678`, rounded; may be a whole second.
fn fraction_us(s: &str) -> Parsed<i64> {
    let digits = s.strip_prefix('.').ok_or(Bad::Format)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Bad::Format);
    }
    if digits.is_empty() {
        return Ok(0);
    }
    let v: f64 = format!("0.{digits}").parse().map_err(|_| Bad::Format)?;
    Ok((v * 1e6).round_ties_even() as i64)
}

fn decode(input: &str, options: &FormatOptions) -> Parsed<Decoded> {
    let (d, special) = read(input, options, false)?;
    match special {
        Some(Word::Epoch) => Ok(Decoded::Epoch),
        Some(Word::Infinity) => Ok(Decoded::Infinity),
        Some(_) => Ok(Decoded::NegInfinity),
        None => d.finish(),
    }
}

/// The zone of a time of day.
pub(super) enum TimeZoneOfTime {
    /// None was given.
    Own,
    /// Seconds east.
    Offset(i64),
}

/// Reads a time of day, in microseconds since midnight; a date may stand with it.
pub(super) fn decode_time(
    input: &str,
    options: &FormatOptions,
    type_name: &str,
) -> Result<(i64, TimeZoneOfTime), SqlError> {
    let read = || {
        let (d, special) = read(input, options, true)?;
        if special.is_some() { Err(Bad::Format) } else { d.finish_time() }
    };
    read().map_err(|bad| error(bad, input, type_name))
}

fn read<'o>(input: &str, options: &'o FormatOptions, time_only: bool) -> Parsed<(Decoder<'o>, Option<Word>)> {
    let tokens = tokens(input).ok_or(Bad::Format)?;
    let mut d = Decoder {
        order: options.dateorder,
        options,
        f: Fields::default(),
        day_of_year: 0,
        mask: 0,
        two_digit_year: false,
        text_month: false,
        julian: false,
        bc: false,
        pm: None,
        offset: 0,
        zone: None,
        takes_dst: false,
        time_only,
    };
    let mut special = None;
    // A prefix (`j`, `t`) that labels the next token.
    let mut label: Option<Word> = None;
    // A date may stand first with a time of day, if that is next or the name of a zone is last.
    let is_dated = time_only
        && tokens.len() > 1
        && match tokens[0].kind {
            Kind::Date => tokens[1].kind == Kind::Time || tokens[tokens.len() - 1].kind == Kind::Date,
            Kind::Number => tokens[0].text.contains('.') && tokens[tokens.len() - 1].kind == Kind::Date,
            _ => false,
        };
    for (n, token) in tokens.iter().enumerate() {
        let found = match token.kind {
            _ if n == 0 && is_dated => d.date(&token.text)?,
            Kind::Date => d.date_token(token, &mut label)?,
            Kind::Time => {
                if !matches!(label.take(), None | Some(Word::IsoTime)) {
                    return Err(Bad::Format);
                }
                d.time(&token.text)?
            }
            Kind::Signed => {
                d.offset = displacement(&token.text)?;
                ZONE
            }
            Kind::Number => d.number_token(token, &mut label)?,
            Kind::Text | Kind::SignedText if d.is_abbreviation(&token.text) => ZONE,
            Kind::Text | Kind::SignedText => match keywords::word(&token.text) {
                Some(Word::Ignore) => continue,
                Some(w @ (Word::Epoch | Word::Infinity | Word::NegInfinity)) => {
                    special = Some(w);
                    DATE | TIME | ZONE
                }
                Some(w) => d.word(w, &mut label)?,
                None => {
                    // A zone name of letters only.
                    d.zone = Some(named_timezone(&token.text).ok_or(Bad::Format)?.0.into());
                    ZONE
                }
            },
        };
        if found & d.mask != 0 {
            return Err(Bad::Format);
        }
        d.mask |= found;
    }
    if label.is_some() {
        return Err(Bad::Format);
    }
    Ok((d, special))
}

fn displacement(s: &str) -> Parsed<i64> {
    parse_displacement(s).map_err(|e| match e {
        DisplacementError::Format => Bad::Format,
        DisplacementError::Range => Bad::Displacement,
    })
}

impl Decoder<'_> {
    fn finish_time(mut self) -> Parsed<(i64, TimeZoneOfTime)> {
        if self.mask & DATE == DATE {
            self.validate_date()?;
        }
        self.apply_half()?;
        if self.mask & TIME == 0 {
            return Err(Bad::Format);
        }
        self.check_time()?;
        let has_date = self.mask & DATE == DATE;
        if !has_date {
            // Any day will do for a zone that means the same at all times.
            self.set_date(days_from_civil(2000, 1, 1));
        }
        let zone = match self.zone {
            Some(_) if self.mask & DST_MODIFIER != 0 && !self.takes_dst => return Err(Bad::Format),
            // Its offset is not the same all the year.
            Some(ref zone) if !has_date && !zone.is_fixed() => return Err(Bad::Format),
            Some(zone) if self.takes_dst => {
                TimeZoneOfTime::Offset(self.offset + zone.offset_of_local(&self.f))
            }
            Some(zone) => TimeZoneOfTime::Offset(zone.offset_of_local(&self.f)),
            None if self.mask & ZONE != 0 => TimeZoneOfTime::Offset(self.offset),
            None if self.mask & DST_MODIFIER != 0 => return Err(Bad::Format),
            None if has_date => TimeZoneOfTime::Offset(offset_of_local(&self.options.timezone, &self.f)),
            None => TimeZoneOfTime::Own,
        };
        Ok((self.f.time_us(), zone))
    }

    /// AM and PM.
    fn apply_half(&mut self) -> Parsed<()> {
        if let Some(pm) = self.pm {
            if self.f.hour > 12 {
                return Err(Bad::Range);
            }
            if !pm && self.f.hour == 12 {
                self.f.hour = 0;
            } else if pm && self.f.hour != 12 {
                self.f.hour += 12;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Parsed<Decoded> {
        self.validate_date()?;
        self.apply_half()?;
        if self.mask & DATE != DATE {
            return Err(Bad::Format);
        }
        let offset = match self.zone {
            Some(_) if self.mask & DST_MODIFIER != 0 && !self.takes_dst => return Err(Bad::Format),
            Some(zone) if self.takes_dst => Some(self.offset + zone.offset_of_local(&self.f)),
            Some(zone) => Some(zone.offset_of_local(&self.f)),
            None if self.mask & ZONE != 0 => Some(self.offset),
            None if self.mask & DST_MODIFIER != 0 => return Err(Bad::Format),
            None => None,
        };
        Ok(Decoded::Point { fields: self.f, offset })
    }

    fn validate_date(&mut self) -> Parsed<()> {
        if self.mask & YEAR != 0 && !self.julian {
            if self.bc {
                if self.f.year <= 0 {
                    return Err(Bad::Range);
                }
                self.f.year = 1 - self.f.year;
            } else if self.two_digit_year {
                if self.f.year < 70 {
                    self.f.year += 2000;
                } else if self.f.year < 100 {
                    self.f.year += 1900;
                }
            } else if self.f.year <= 0 {
                return Err(Bad::Range);
            }
        }
        if self.mask & DOY != 0 {
            let days = days_from_civil(self.f.year, 1, 1) + self.day_of_year - 1;
            self.set_date(days);
        }
        if self.mask & MONTH != 0 && !(1..=12).contains(&self.f.month) {
            return Err(Bad::DayMonthRange);
        }
        if self.mask & DAY != 0 && !(1..=31).contains(&self.f.day) {
            return Err(Bad::DayMonthRange);
        }
        if self.mask & DATE == DATE && self.f.day > days_in_month(self.f.year, self.f.month) {
            return Err(Bad::Range);
        }
        Ok(())
    }

    fn set_date(&mut self, days: i64) {
        (self.f.year, self.f.month, self.f.day) = civil_from_days(days);
    }

    fn date_token(&mut self, token: &Token, label: &mut Option<Word>) -> Parsed<u32> {
        let text = token.text.as_str();
        if *label == Some(Word::Julian) && !self.time_only {
            *label = None;
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let day = integer(&text[..end])?;
            self.set_date(day - EPOCH_JULIAN);
            self.julian = true;
            self.offset = displacement(&text[end..])?;
            return Ok(DATE | TIME | ZONE);
        }
        if label.is_some() || self.mask & (MONTH | DAY) == MONTH | DAY || self.time_only {
            if text.starts_with(|c: char| c.is_ascii_digit()) || label.is_some() {
                if !matches!(label.take(), None | Some(Word::IsoTime)) || self.mask & TIME != 0 {
                    return Err(Bad::Format);
                }
                // A time run together, with its displacement: 040506-08.
                let minus = text.find('-').ok_or(Bad::Format)?;
                self.offset = displacement(&text[minus..])?;
                let known = if self.time_only { self.mask | DATE } else { self.mask };
                return Ok(self.run_together(&text[..minus], known)? | ZONE);
            }
            let zone = named_timezone(text).ok_or_else(|| Bad::Zone(text.to_string()))?;
            self.zone = Some(zone.0.into());
            return Ok(ZONE);
        }
        self.date(text)
    }

    fn number_token(&mut self, token: &Token, label: &mut Option<Word>) -> Parsed<u32> {
        let text = token.text.as_str();
        match label.take() {
            Some(Word::Julian) => {
                let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
                self.set_date(integer(whole)? - EPOCH_JULIAN);
                self.julian = true;
                if fraction.is_empty() {
                    return Ok(DATE);
                }
                let part: f64 = format!("0{fraction}").parse().map_err(|_| Bad::Format)?;
                self.f.set_time((part * US_PER_DAY as f64) as i64);
                return Ok(DATE | TIME);
            }
            Some(Word::IsoTime) => {
                let found = self.run_together(text, self.mask | DATE)?;
                return if found == TIME { Ok(TIME) } else { Err(Bad::Format) };
            }
            Some(_) => return Err(Bad::Format),
            None => {}
        }
        if self.time_only {
            return self.run_together(text, self.mask | DATE);
        }
        match text.find('.') {
            Some(_) if self.mask & DATE == 0 => self.date(text),
            Some(point) if point > 2 => self.run_together(text, self.mask),
            None if text.len() >= 6 && (self.mask & DATE == 0 || self.mask & TIME == 0) => {
                self.run_together(text, self.mask)
            }
            _ => self.number(text, self.mask, self.text_month),
        }
    }

    /// Abbreviations of zones come before all other words.
    fn is_abbreviation(&mut self, text: &str) -> bool {
        let Some(zone) = NamedZone::abbreviated(text, &self.options.timezone) else { return false };
        if self.mask & ZONE == 0 {
            (self.takes_dst, self.zone) = (zone.is_fixed(), Some(zone));
        }
        true
    }

    fn word(&mut self, word: Word, label: &mut Option<Word>) -> Parsed<u32> {
        let now = || self.options.now_us.unwrap_or_else(wall_clock_us);
        let today = |shift: i64| local_us(&self.options.timezone, now()).div_euclid(US_PER_DAY) + shift;
        match word {
            // No date stands with a time of day in words.
            Word::Today | Word::Tomorrow | Word::Yesterday | Word::Month(_) | Word::Weekday
                if self.time_only =>
            {
                Err(Bad::Format)
            }
            Word::Now => {
                let local = local_us(&self.options.timezone, now());
                self.offset = (local - now()) / US_PER_SECOND;
                self.f = Fields::of(local);
                Ok(DATE | TIME | ZONE)
            }
            Word::Today => {
                self.set_date(today(0));
                Ok(DATE)
            }
            Word::Tomorrow => {
                self.set_date(today(1));
                Ok(DATE)
            }
            Word::Yesterday => {
                self.set_date(today(-1));
                Ok(DATE)
            }
            Word::AllBalls => {
                self.f.set_time(0);
                self.offset = 0;
                Ok(TIME | ZONE)
            }
            Word::Month(m) => {
                let mut found = MONTH;
                // A number read as the month was the day.
                if self.mask & MONTH != 0
                    && !self.text_month
                    && self.mask & DAY == 0
                    && (1..=31).contains(&self.f.month)
                {
                    self.f.day = self.f.month;
                    found = DAY;
                }
                self.text_month = true;
                self.f.month = m;
                Ok(found)
            }
            Word::DstModifier => {
                self.offset += 3600;
                Ok(DST_MODIFIER)
            }
            Word::AmPm { pm } => {
                self.pm = Some(pm);
                Ok(AM_PM)
            }
            Word::Era { bc } => {
                self.bc = bc;
                Ok(ERA)
            }
            Word::Weekday => Ok(WEEKDAY),
            Word::Julian | Word::IsoTime => {
                if label.is_some() || (word == Word::IsoTime && self.mask & DATE != DATE && !self.time_only) {
                    return Err(Bad::Format);
                }
                *label = Some(word);
                Ok(0)
            }
            Word::Ignore | Word::OtherUnit | Word::Epoch | Word::Infinity | Word::NegInfinity => {
                Err(Bad::Format)
            }
        }
    }

    /// A date with delimiters, and perhaps the name of a month.
    fn date(&mut self, text: &str) -> Parsed<u32> {
        let mut parts: Vec<&str> = Vec::new();
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            while i < bytes.len() && !bytes[i].is_ascii_alphanumeric() {
                i += 1;
            }
            if i == bytes.len() {
                return Err(Bad::Format);
            }
            let start = i;
            let digits = bytes[i].is_ascii_digit();
            while i < bytes.len() && bytes[i].is_ascii_alphanumeric() && bytes[i].is_ascii_digit() == digits {
                i += 1;
            }
            parts.push(&text[start..i]);
            // Whatever stands next is the delimiter, be it a letter.
            i += 1;
        }
        let mut mask = self.mask;
        let mut found = 0;
        let mut text_month = false;
        for part in parts.iter().filter(|p| p.starts_with(|c: char| c.is_ascii_alphabetic())) {
            match keywords::word(part) {
                Some(Word::Ignore) => continue,
                Some(Word::Month(m)) if mask & MONTH == 0 => {
                    self.f.month = m;
                    text_month = true;
                    mask |= MONTH;
                    found |= MONTH;
                }
                _ => return Err(Bad::Format),
            }
        }
        for part in parts.iter().filter(|p| p.starts_with(|c: char| c.is_ascii_digit())) {
            let next = self.number(part, mask, text_month)?;
            if next & mask != 0 {
                return Err(Bad::Format);
            }
            mask |= next;
            found |= next;
        }
        // What came before the date may only have been a zone.
        if mask & !(DOY | ZONE) != DATE {
            return Err(Bad::Format);
        }
        Ok(found)
    }

    /// One number, by what is known already.
    fn number(&mut self, text: &str, mask: u32, text_month: bool) -> Parsed<u32> {
        let point = text.find('.');
        let value = integer(&text[..point.unwrap_or(text.len())])?;
        if let Some(point) = point {
            if point > 2 {
                return self.run_together(text, mask | DATE);
            }
            self.f.us = fraction_us(&text[point..])?;
        }
        let digits = text.len();
        if digits == 3 && mask & DATE == YEAR && (1..=366).contains(&value) {
            self.day_of_year = value;
            return Ok(DOY | MONTH | DAY);
        }
        let is_year = digits >= 3 || self.order == DateOrder::Ymd;
        let field = match mask & DATE {
            0 if is_year => YEAR,
            0 if self.order == DateOrder::Dmy => DAY,
            0 => MONTH,
            YEAR => MONTH,
            MONTH if text_month && is_year => YEAR,
            MONTH => DAY,
            m if m == YEAR | MONTH => {
                if text_month && digits >= 3 && self.two_digit_year {
                    // The first number was the day after all.
                    self.f.day = self.f.year;
                    self.f.year = value;
                    self.two_digit_year = false;
                    return Ok(DAY);
                }
                DAY
            }
            DAY => MONTH,
            m if m == MONTH | DAY => YEAR,
            DATE => return self.run_together(text, mask),
            _ => return Err(Bad::Format),
        };
        match field {
            YEAR => {
                self.f.year = value;
                self.two_digit_year = digits <= 2;
            }
            MONTH => self.f.month = value,
            _ => self.f.day = value,
        }
        Ok(field)
    }

    /// Digits run together: yymmdd, yyyymmdd, hhmm, hhmmss[.f].
    fn run_together(&mut self, text: &str, mask: u32) -> Parsed<u32> {
        let (digits, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Bad::Format);
        }
        let n = digits.len();
        if !fraction.is_empty() {
            self.f.us = fraction_us(fraction)?;
        } else if mask & DATE != DATE && n >= 6 {
            self.f.day = integer(&digits[n - 2..])?;
            self.f.month = integer(&digits[n - 4..n - 2])?;
            self.f.year = integer(&digits[..n - 4])?;
            self.two_digit_year = n == 6;
            return Ok(DATE);
        }
        if mask & TIME == 0 && (n == 6 || n == 4) {
            self.f.hour = integer(&digits[..2])?;
            self.f.minute = integer(&digits[2..4])?;
            self.f.second = if n == 6 { integer(&digits[4..])? } else { 0 };
            return Ok(TIME);
        }
        Err(Bad::Format)
    }

    /// A time with colons.
    fn time(&mut self, text: &str) -> Parsed<u32> {
        let (h, m, s, us) = split_time(text, false)?;
        (self.f.hour, self.f.minute, self.f.second, self.f.us) = (h, m, s, us);
        self.check_time()?;
        Ok(TIME)
    }

    fn check_time(&self) -> Parsed<()> {
        let f = &self.f;
        let over =
            !(0..=24).contains(&f.hour) || !(0..=59).contains(&f.minute) || !(0..=60).contains(&f.second);
        if over || f.time_us() > US_PER_DAY { Err(Bad::Range) } else { Ok(()) }
    }
}

/// Hours, minutes, seconds and microseconds of `h:m` (or `m:s`, if minutes are first), `h:m:s[.f]` or `m:s.f`.
pub(super) fn split_time(text: &str, minutes_first: bool) -> Parsed<(i64, i64, i64, i64)> {
    let (body, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut parts = body.split(':');
    let first = parts.next().unwrap_or("");
    if first.is_empty() || !first.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Bad::Format);
    }
    let first: i64 = first.parse().map_err(|_| Bad::Range)?;
    // Minutes and seconds may be left out after their colon.
    let optional = |s: &str| if s.is_empty() { Ok(0) } else { integer(s) };
    let Some(second) = parts.next() else { return Err(Bad::Format) };
    let second = optional(second)?;
    let third = parts.next();
    if parts.next().is_some() {
        return Err(Bad::Format);
    }
    let us = if fraction.is_empty() { 0 } else { fraction_us(fraction)? };
    let (h, m, s) = match third {
        Some(third) => (first, second, optional(third)?),
        None if fraction.is_empty() && !minutes_first => (first, second, 0),
        None => (0, first, second),
    };
    if !(0..=59).contains(&m) || !(0..=60).contains(&s) {
        return Err(Bad::Range);
    }
    Ok((h, m, s, us))
}
