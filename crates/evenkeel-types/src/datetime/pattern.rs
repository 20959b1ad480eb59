//! The patterns of `to_char`, `to_date` and `to_timestamp` for dates and times, split into fields and literal text.

use crate::error::{SqlError, SqlState};
use crate::function::check_pattern;

/// A field of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Key {
    AmPm { dots: bool },
    Era { dots: bool },
    Century,
    DayName,
    DayAbbreviation,
    DayOfYear,
    IsoDayOfYear,
    Day,
    DayOfWeek,
    IsoDayOfWeek,
    Fraction(u32),
    Hour24,
    Hour12,
    IsoWeek,
    IsoYear(u32),
    Julian,
    Minute,
    Month,
    MonthName,
    MonthAbbreviation,
    Millisecond,
    Offset,
    Quarter,
    RomanMonth,
    SecondsOfDay,
    Second,
    ZoneHours,
    ZoneMinutes,
    Zone,
    Microsecond,
    Week,
    WeekOfMonth,
    YearComma,
    Year(u32),
}

/// How a word is spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Case {
    Upper,
    Lower,
    Title,
}

/// A part of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A field.
    Field {
        /// Which.
        key: Key,
        /// Its name as the pattern spells it.
        name: String,
        /// `FM`: no padding.
        fill: bool,
        /// `TH` or `th`: an ordinal suffix, upper case or not.
        ordinal: Option<bool>,
        /// How names are spelled.
        case: Case,
    },
    /// A blank or punctuation, which input may replace by another or leave out.
    Separator(char),
    /// Text that is copied, and that input skips.
    Literal(char),
}

/// A pattern.
pub struct Pattern {
    /// Its parts.
    pub items: Vec<Item>,
    /// `FX`: input must match exactly.
    pub exact: bool,
}

/// Names of fields, longer ones before their own prefixes.
const KEYS: &[(&str, Key)] = &[
    ("A.D.", Key::Era { dots: true }),
    ("A.M.", Key::AmPm { dots: true }),
    ("AD", Key::Era { dots: false }),
    ("AM", Key::AmPm { dots: false }),
    ("B.C.", Key::Era { dots: true }),
    ("BC", Key::Era { dots: false }),
    ("CC", Key::Century),
    ("DAY", Key::DayName),
    ("DDD", Key::DayOfYear),
    ("DD", Key::Day),
    ("DY", Key::DayAbbreviation),
    ("D", Key::DayOfWeek),
    ("FF1", Key::Fraction(1)),
    ("FF2", Key::Fraction(2)),
    ("FF3", Key::Fraction(3)),
    ("FF4", Key::Fraction(4)),
    ("FF5", Key::Fraction(5)),
    ("FF6", Key::Fraction(6)),
    ("HH24", Key::Hour24),
    ("HH12", Key::Hour12),
    ("HH", Key::Hour12),
    ("IDDD", Key::IsoDayOfYear),
    ("ID", Key::IsoDayOfWeek),
    ("IW", Key::IsoWeek),
    ("IYYY", Key::IsoYear(4)),
    ("IYY", Key::IsoYear(3)),
    ("IY", Key::IsoYear(2)),
    ("I", Key::IsoYear(1)),
    ("J", Key::Julian),
    ("MI", Key::Minute),
    ("MM", Key::Month),
    ("MONTH", Key::MonthName),
    ("MON", Key::MonthAbbreviation),
    ("MS", Key::Millisecond),
    ("OF", Key::Offset),
    ("P.M.", Key::AmPm { dots: true }),
    ("PM", Key::AmPm { dots: false }),
    ("Q", Key::Quarter),
    ("RM", Key::RomanMonth),
    ("SSSSS", Key::SecondsOfDay),
    ("SSSS", Key::SecondsOfDay),
    ("SS", Key::Second),
    ("TZH", Key::ZoneHours),
    ("TZM", Key::ZoneMinutes),
    ("TZ", Key::Zone),
    ("US", Key::Microsecond),
    ("WW", Key::Week),
    ("W", Key::WeekOfMonth),
    ("Y,YYY", Key::YearComma),
    ("YYYY", Key::Year(4)),
    ("YYY", Key::Year(3)),
    ("YY", Key::Year(2)),
    ("Y", Key::Year(1)),
];

impl Key {
    /// Whether input for the field is a number.
    pub fn is_numeric(self) -> bool {
        !matches!(
            self,
            Key::AmPm { .. }
                | Key::Era { .. }
                | Key::DayName
                | Key::DayAbbreviation
                | Key::MonthName
                | Key::MonthAbbreviation
                | Key::RomanMonth
                | Key::Zone
                | Key::ZoneHours
                | Key::Offset
        )
    }
}

fn has_prefix(s: &str, prefix: &str) -> bool {
    s.len() >= prefix.len()
        && s.is_char_boundary(prefix.len())
        && s[..prefix.len()].eq_ignore_ascii_case(prefix)
}

/// Splits a pattern.
pub fn parse(pattern: &str) -> Result<Pattern, SqlError> {
    split(pattern, false)
}

/// Splits a template of SQL/JSON: few characters may separate its fields, and other text is quoted.
pub fn parse_standard(pattern: &str) -> Result<Pattern, SqlError> {
    split(pattern, true)
}

fn split(pattern: &str, is_standard: bool) -> Result<Pattern, SqlError> {
    check_pattern(pattern)?;
    let mut items = Vec::new();
    let mut exact = false;
    let mut rest = pattern;
    'next: while !rest.is_empty() {
        if rest.starts_with("FX") || rest.starts_with("fx") {
            exact = true;
            rest = &rest[2..];
            continue;
        }
        // A prefix goes even where no field follows it.
        let prefixed = ["FM", "fm", "TM", "tm"].iter().find_map(|p| rest.strip_prefix(p));
        let (is_filled, is_language) =
            (prefixed.is_some() && has_prefix(rest, "FM"), prefixed.is_some() && has_prefix(rest, "TM"));
        rest = prefixed.unwrap_or(rest);
        let Some(c) = rest.chars().next() else { break };
        let mut body = rest;
        for (name, key) in KEYS {
            if !has_prefix(body, name) {
                continue;
            }
            let spelled = &body[..name.len()];
            // Upper case or lower case throughout, or a name with a capital.
            let is_name =
                matches!(key, Key::DayName | Key::DayAbbreviation | Key::MonthName | Key::MonthAbbreviation);
            let title = is_name && spelled[1..].bytes().all(|b| b.is_ascii_lowercase());
            let lower = spelled.bytes().all(|b| !b.is_ascii_uppercase());
            if spelled != *name && !title && !lower {
                continue;
            }
            let letters: Vec<char> = spelled.chars().filter(char::is_ascii_alphabetic).collect();
            let case = match (letters.first(), letters.get(1)) {
                (Some(a), _) if a.is_ascii_lowercase() => Case::Lower,
                (Some(_), Some(b)) if b.is_ascii_lowercase() => Case::Title,
                _ => Case::Upper,
            };
            body = &body[name.len()..];
            let ordinal = if body.starts_with("TH") {
                Some(true)
            } else if body.starts_with("th") {
                Some(false)
            } else {
                None
            };
            if ordinal.is_some() {
                body = &body[2..];
            }
            if ordinal.is_none() && body.starts_with("SP") {
                body = &body[2..];
            }
            // Names in the language's own words are not padded either.
            let fill = is_filled || is_language && is_name;
            items.push(Item::Field { key: *key, name: spelled.to_string(), fill, ordinal, case });
            rest = body;
            continue 'next;
        }
        if is_standard && c != '"' {
            if !"-./,':; ".contains(c) {
                let message = format!("invalid datetime format separator: \"{c}\"");
                return Err(SqlError::new(SqlState::INVALID_DATETIME_FORMAT, message));
            }
            items.push(Item::Separator(c));
            rest = &rest[1..];
            continue;
        }
        if c == '"' {
            // Quoted text; a backslash takes the next character as it is.
            let mut chars = rest[1..].chars();
            while let Some(q) = chars.next() {
                match q {
                    '"' => break,
                    '\\' => items.extend(chars.next().map(Item::Literal)),
                    q => items.push(Item::Literal(q)),
                }
            }
            rest = chars.as_str();
            continue;
        }
        let mut chars = rest.chars();
        chars.next();
        if c == '\\' && chars.as_str().starts_with('"') {
            chars.next();
            items.push(Item::Literal('"'));
        } else if c.is_ascii_whitespace() || c.is_ascii_punctuation() {
            items.push(Item::Separator(c));
        } else {
            items.push(Item::Literal(c));
        }
        rest = chars.as_str();
    }
    Ok(Pattern { items, exact })
}
