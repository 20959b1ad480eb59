//! Intervals as ISO 8601 writes them: `P1Y2M3DT4H5M6.7S` by designators, and the alternative forms `P0001-02-03T04:05:06` and `P00010203T040506`.
//!
//! Must not know: the other forms that an interval is read from.

use super::interval_text::Parts;
use super::keywords::Unit;
use super::parse::Bad;
use crate::datum::Interval;

/// Beyond it a number has no exact whole part.
const NUMBER_MAX: f64 = 1e15;
/// Digits of a date without delimiters: `00010203`.
const BASIC_DATE_DIGITS: usize = 8;
/// Digits of a time without delimiters: `040506`.
const BASIC_TIME_DIGITS: usize = 6;

/// What is still to be read.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// A number as C reads it, by its whole part and the rest.
    fn number(&mut self) -> Result<(i64, f64), Bad> {
        let b = self.rest;
        let digits = |from: usize| b[from..].iter().take_while(|c| c.is_ascii_digit()).count();
        if !b.first().is_some_and(|c| c.is_ascii_digit() || matches!(c, b'-' | b'.')) {
            return Err(Bad::Format);
        }
        let mut end = usize::from(b[0] == b'-');
        let whole = digits(end);
        end += whole;
        if b.get(end) == Some(&b'.') {
            let part = digits(end + 1);
            if whole + part > 0 {
                end += 1 + part;
            }
        }
        if matches!(b.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(b.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
        let text = std::str::from_utf8(&b[..end]).map_err(|_| Bad::Format)?;
        let v: f64 = text.parse().map_err(|_| Bad::Format)?;
        self.rest = &b[end..];
        if v.abs() > NUMBER_MAX {
            return Err(Bad::Range);
        }
        Ok((v.trunc() as i64, v - v.trunc()))
    }

    /// The digits that a field begins with.
    fn width(field: &[u8]) -> usize {
        let field = field.strip_prefix(b"-").unwrap_or(field);
        field.iter().take_while(|c| c.is_ascii_digit()).count()
    }
}

/// Reads an interval that begins with P.
pub(super) fn iso8601(s: &str) -> Result<Interval, Bad> {
    let Some(body) = s.strip_prefix('P').filter(|body| !body.is_empty()) else { return Err(Bad::Format) };
    let mut parts = Parts::default();
    let mut r = Reader { rest: body.as_bytes() };
    let mut is_date = true;
    let mut has_field = false;
    while let Some(first) = r.rest.first() {
        if *first == b'T' {
            r.next();
            (is_date, has_field) = (false, false);
            continue;
        }
        let field = r.rest;
        let (whole, part) = r.number()?;
        let designator = r.next();
        let unit = match (designator, is_date) {
            (Some(b'Y'), true) => Unit::Year,
            (Some(b'M'), true) => Unit::Month,
            (Some(b'W'), true) => Unit::Week,
            (Some(b'D'), true) => Unit::Day,
            (Some(b'H'), false) => Unit::Hour,
            (Some(b'M'), false) => Unit::Minute,
            (Some(b'S'), false) => Unit::Second,
            (None | Some(b'T' | b'-'), true) => {
                if has_field {
                    return Err(Bad::Format);
                }
                if designator != Some(b'-') && Reader::width(field) == BASIC_DATE_DIGITS {
                    parts.add(Unit::Year, whole / 10_000, 0.0)?;
                    parts.add(Unit::Month, whole / 100 % 100, 0.0)?;
                    parts.add(Unit::Day, whole % 100, part)?;
                } else {
                    parts.add(Unit::Year, whole, part)?;
                    if designator == Some(b'-') && extended_date(&mut r, &mut parts)? {
                        // The T is still there.
                        continue;
                    }
                }
                if designator != Some(b'T') {
                    break;
                }
                is_date = false;
                continue;
            }
            (None | Some(b':'), false) => {
                if has_field {
                    return Err(Bad::Format);
                }
                if designator.is_none() && Reader::width(field) == BASIC_TIME_DIGITS {
                    parts.add(Unit::Hour, whole / 10_000, 0.0)?;
                    parts.add(Unit::Minute, whole / 100 % 100, 0.0)?;
                    parts.add(Unit::Second, whole % 100, 0.0)?;
                    parts.add(Unit::Microsecond, 0, part)?;
                } else {
                    parts.add(Unit::Hour, whole, part)?;
                    if designator.is_some() {
                        extended_time(&mut r, &mut parts)?;
                    }
                }
                break;
            }
            _ => return Err(Bad::Format),
        };
        parts.add(unit, whole, part)?;
        has_field = true;
    }
    parts.finish(false)
}

/// Months and days behind `P0001-`; whether a time follows.
fn extended_date(r: &mut Reader<'_>, parts: &mut Parts) -> Result<bool, Bad> {
    for unit in [Unit::Month, Unit::Day] {
        let (whole, part) = r.number()?;
        parts.add(unit, whole, part)?;
        match (r.rest.first(), unit) {
            (None, _) => return Ok(false),
            (Some(b'T'), _) => return Ok(true),
            (Some(b'-'), Unit::Month) => {
                r.next();
            }
            _ => break,
        }
    }
    Err(Bad::Format)
}

/// Minutes and seconds behind `T04:`.
fn extended_time(r: &mut Reader<'_>, parts: &mut Parts) -> Result<(), Bad> {
    for unit in [Unit::Minute, Unit::Second] {
        let (whole, part) = r.number()?;
        parts.add(unit, whole, part)?;
        match (r.next(), unit) {
            (None, _) => return Ok(()),
            (Some(b':'), Unit::Minute) => {}
            _ => break,
        }
    }
    Err(Bad::Format)
}
