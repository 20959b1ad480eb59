//! Time zones: names and specifications, and the offset of an instant or of a local time.
//!
//! Zone rules come from `jiff`, whose calendar ends with the year 9999; later instants use the rules of the same place in the 400-year
//! cycle, as PostgreSQL does.
//!
//! Offsets are seconds east of Greenwich.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use super::calendar::{Fields, UNIX_EPOCH_US, US_PER_DAY, US_PER_SECOND};

/// Days of 400 years.
const CYCLE_DAYS: i64 = 146_097;
/// Largest hour of a numeric displacement.
const MAX_OFFSET_HOURS: i64 = 15;

pub(super) fn instant(us: i64) -> Option<jiff::Timestamp> {
    const CYCLE_US: i64 = CYCLE_DAYS * US_PER_DAY;
    // 9996-01-01: beyond it, go back whole cycles.
    const LIMIT_US: i64 = 2_921_575 * US_PER_DAY;
    let us = if us >= LIMIT_US { us - ((us - LIMIT_US) / CYCLE_US + 1) * CYCLE_US } else { us };
    jiff::Timestamp::from_microsecond(us.checked_sub(UNIX_EPOCH_US)?).ok()
}

/// Offset of a zone at an instant (microseconds since 2000-01-01 UTC).
pub fn offset_at(tz: &TimeZone, us: i64) -> i64 {
    if let Ok(fixed) = tz.to_fixed_offset() {
        return i64::from(fixed.seconds());
    }
    instant(us).map_or(0, |t| i64::from(tz.to_offset(t).seconds()))
}

/// Abbreviation of a zone at an instant: `CEST`.
pub fn abbreviation_at(tz: &TimeZone, us: i64) -> String {
    match instant(us) {
        Some(t) => tz.to_offset_info(t).abbreviation().to_string(),
        None => String::new(),
    }
}

/// Whether a zone observes daylight-saving time at an instant.
pub fn is_dst_at(tz: &TimeZone, us: i64) -> bool {
    instant(us).is_some_and(|t| tz.to_offset_info(t).dst().is_dst())
}

/// Offset of a zone at a local time. A time that a change skips counts as before the change, one that occurs twice as after it.
pub fn offset_of_local(tz: &TimeZone, f: &Fields) -> i64 {
    if let Ok(fixed) = tz.to_fixed_offset() {
        return i64::from(fixed.seconds());
    }
    let year = if f.year > 9996 { 9596 + (f.year - 9596) % 400 } else { f.year };
    let local = DateTime::new(
        year as i16,
        f.month as i8,
        f.day as i8,
        f.hour.min(23) as i8,
        f.minute as i8,
        f.second.min(59) as i8,
        0,
    );
    let Ok(local) = local else { return 0 };
    let offset = match tz.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Gap { before, .. } => before,
        AmbiguousOffset::Fold { after, .. } => after,
    };
    i64::from(offset.seconds())
}

/// Local time of an instant in a zone, in microseconds; saturates at the ends of `i64`.
pub fn local_us(tz: &TimeZone, us: i64) -> i64 {
    us.saturating_add(offset_at(tz, us) * US_PER_SECOND)
}

/// The zone that a TimeZone setting or an AT TIME ZONE operand denotes, and the name to show for it: an IANA name in any case, a POSIX
/// specification (`EST5EDT`, `<+03>-3`, whose sign counts west), or a number of hours east.
pub fn parse_timezone(text: &str) -> Option<(TimeZone, String)> {
    let text = text.trim();
    if let Some(found) = hours_east(text) {
        return Some(found);
    }
    named_timezone(text)
}

/// All zones that have a name, in the order of their names. Reads the rules of each: some 600 small files, or what is built in.
pub fn zones() -> Vec<(String, TimeZone)> {
    let mut names: Vec<String> = jiff::tz::db().available().map(|n| n.to_string()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().filter_map(|n| TimeZone::get(&n).ok().map(|tz| (n, tz))).collect()
}

/// As [`parse_timezone`], without the plain number of hours.
pub fn named_timezone(text: &str) -> Option<(TimeZone, String)> {
    if text.is_empty() || text.len() > 255 {
        return None;
    }
    if text.eq_ignore_ascii_case("utc") {
        return Some((TimeZone::UTC, "UTC".into()));
    }
    if let Ok(tz) = TimeZone::get(text) {
        let name = tz.iana_name().unwrap_or(text).to_string();
        return Some((tz, name));
    }
    if let Some(seconds) = posix_fixed(text) {
        let tz = TimeZone::fixed(Offset::from_seconds(-(seconds as i32)).ok()?);
        return Some((tz, text.to_ascii_uppercase()));
    }
    if let Some(rules) = posix_of_two_names(text) {
        return TimeZone::posix(&rules).ok().map(|tz| (tz, text.to_ascii_uppercase()));
    }
    if text.contains(',') || text.starts_with('<') {
        return TimeZone::posix(text).ok().map(|tz| (tz, text.to_ascii_uppercase()));
    }
    None
}

/// `-8`, `5.5`: hours east of Greenwich, shown as PostgreSQL spells such a zone (`<-08>+08`).
fn hours_east(text: &str) -> Option<(TimeZone, String)> {
    let hours: f64 = text.parse().ok()?;
    if !hours.is_finite() || hours.abs() > 167.0 {
        return None;
    }
    let seconds = (hours * 3600.0).round() as i64;
    let tz = TimeZone::fixed(Offset::from_seconds(i32::try_from(seconds).ok()?).ok()?);
    if seconds == 0 {
        return Some((tz, "<+00>+00".into()));
    }
    let part = |seconds: i64| {
        let (sign, s) = (if seconds < 0 { '-' } else { '+' }, seconds.abs());
        let mut t = format!("{sign}{:02}", s / 3600);
        if s % 3600 != 0 {
            t.push_str(&format!(":{:02}", s / 60 % 60));
        }
        if s % 60 != 0 {
            t.push_str(&format!(":{:02}", s % 60));
        }
        t
    };
    Some((tz, format!("<{}>{}", part(seconds), part(-seconds))))
}

/// Seconds *west* of a POSIX specification without daylight-saving time: an abbreviation (possibly empty or in `<>`) and an offset.
fn posix_fixed(text: &str) -> Option<i64> {
    let rest = match text.strip_prefix('<') {
        Some(t) => t.split_once('>')?.1,
        None => text.trim_start_matches(|c: char| c.is_ascii_alphabetic()),
    };
    let (sign, digits) = match rest.as_bytes().first()? {
        b'-' => (-1, &rest[1..]),
        b'+' => (1, &rest[1..]),
        b'0'..=b'9' => (1, rest),
        _ => return None,
    };
    let mut seconds = 0;
    for (i, part) in digits.split(':').enumerate() {
        if i > 2 || part.is_empty() || part.len() > 2 || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        seconds += part.parse::<i64>().ok()? * [3600, 60, 1][i];
    }
    (seconds <= 24 * 3600 * 7).then_some(sign * seconds)
}

/// `FOO8BAR`, which names a summer time and not when it is: the rules of the United States, as in PostgreSQL.
fn posix_of_two_names(text: &str) -> Option<String> {
    let name = |s: &str| s.bytes().take_while(u8::is_ascii_alphabetic).count();
    let first = name(text);
    let rest = &text[first..];
    let offset = rest.bytes().take_while(|c| matches!(c, b'+' | b'-' | b':' | b'0'..=b'9')).count();
    let second = &rest[offset..];
    let is_two = first >= 3 && offset > 0 && second.len() >= 3 && name(second) == second.len();
    is_two.then(|| format!("{text},M3.2.0,M11.1.0"))
}

/// Why a numeric displacement is refused.
pub enum DisplacementError {
    /// Not of the form.
    Format,
    /// Hours, minutes or seconds out of range.
    Range,
}

/// A displacement with a leading sign, `+02`, `-0330`, `+05:30`: seconds east.
pub fn parse_displacement(text: &str) -> Result<i64, DisplacementError> {
    let (sign, mut rest) = match text.as_bytes().first() {
        Some(b'+') => (1, &text[1..]),
        Some(b'-') => (-1, &text[1..]),
        _ => return Err(DisplacementError::Format),
    };
    let digits = rest.len();
    let mut parts = [leading_number(&mut rest)?, 0, 0];
    if rest.is_empty() && digits > 2 {
        // Run together: hhmm.
        parts = [parts[0] / 100, parts[0] % 100, 0];
    } else {
        for slot in &mut parts[1..] {
            match rest.strip_prefix(':') {
                Some(r) => rest = r,
                None => break,
            }
            *slot = leading_number(&mut rest)?;
        }
    }
    let [h, m, s] = parts;
    // The range is judged before what follows, as PostgreSQL does.
    if h > MAX_OFFSET_HOURS || m > 59 || s > 59 {
        return Err(DisplacementError::Range);
    }
    if digits == 0 || !rest.is_empty() {
        return Err(DisplacementError::Format);
    }
    Ok(sign * ((h * 60 + m) * 60 + s))
}

/// Takes the digits that a text begins with; none count as 0.
fn leading_number(rest: &mut &str) -> Result<i64, DisplacementError> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (head, tail) = rest.split_at(end);
    *rest = tail;
    if head.is_empty() { Ok(0) } else { head.parse().map_err(|_| DisplacementError::Range) }
}
