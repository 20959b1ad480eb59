//! Text of dates and timestamps in the four DateStyles.

use super::calendar::{
    DATE_INFINITY, DATE_NEG_INFINITY, Fields, TS_INFINITY, TS_NEG_INFINITY, US_PER_SECOND, day_of_week,
};
use super::zone::{abbreviation_at, offset_at};
use crate::format::{DateOrder, DateStyle, FormatOptions};

pub(super) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
pub(super) const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/// Appends a number with at least `width` digits.
pub(super) fn pad(out: &mut Vec<u8>, v: i64, width: usize) {
    let mut buffer = [0u8; 20];
    let mut at = buffer.len();
    let mut rest = v.unsigned_abs();
    while rest != 0 || buffer.len() - at < width.max(1) {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    if v < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&buffer[at..]);
}

/// Appends a fraction of a second without trailing zeros, if there is one.
pub(super) fn fraction(out: &mut Vec<u8>, us: i64) {
    if us == 0 {
        return;
    }
    out.push(b'.');
    pad(out, us, 6);
    while out.last() == Some(&b'0') {
        out.pop();
    }
}

/// The year as people write it: 1 BC instead of 0.
pub(super) fn shown_year(year: i64) -> i64 {
    if year > 0 { year } else { 1 - year }
}

fn era(out: &mut Vec<u8>, year: i64) {
    if year <= 0 {
        out.extend_from_slice(b" BC");
    }
}

/// Appends a `date`.
pub fn write_date(days: i32, o: &FormatOptions, out: &mut Vec<u8>) {
    match days {
        DATE_INFINITY => return out.extend_from_slice(b"infinity"),
        DATE_NEG_INFINITY => return out.extend_from_slice(b"-infinity"),
        _ => {}
    }
    let f = Fields::of_days(i64::from(days));
    match o.datestyle {
        DateStyle::Iso => ymd(&f, out),
        DateStyle::Postgres if o.dateorder == DateOrder::Dmy => triple(f.day, f.month, f.year, b'-', out),
        DateStyle::Postgres => triple(f.month, f.day, f.year, b'-', out),
        DateStyle::Sql if o.dateorder == DateOrder::Dmy => triple(f.day, f.month, f.year, b'/', out),
        DateStyle::Sql => triple(f.month, f.day, f.year, b'/', out),
        DateStyle::German => triple(f.day, f.month, f.year, b'.', out),
    }
    era(out, f.year);
}

fn ymd(f: &Fields, out: &mut Vec<u8>) {
    pad(out, shown_year(f.year), 4);
    out.push(b'-');
    pad(out, f.month, 2);
    out.push(b'-');
    pad(out, f.day, 2);
}

fn triple(a: i64, b: i64, year: i64, separator: u8, out: &mut Vec<u8>) {
    pad(out, a, 2);
    out.push(separator);
    pad(out, b, 2);
    out.push(separator);
    pad(out, shown_year(year), 4);
}

pub(super) fn clock(f: &Fields, out: &mut Vec<u8>) {
    pad(out, f.hour, 2);
    out.push(b':');
    pad(out, f.minute, 2);
    out.push(b':');
    pad(out, f.second, 2);
    fraction(out, f.us);
}

/// Appends a displacement: `+02`, `+05:30`, `-00:53:28`.
pub(super) fn write_offset(seconds_east: i64, out: &mut Vec<u8>) {
    out.push(if seconds_east < 0 { b'-' } else { b'+' });
    let s = seconds_east.abs();
    pad(out, s / 3600, 2);
    if s % 3600 != 0 {
        out.push(b':');
        pad(out, s / 60 % 60, 2);
        if s % 60 != 0 {
            out.push(b':');
            pad(out, s % 60, 2);
        }
    }
}

/// Appends a `timestamp`.
pub fn write_timestamp(us: i64, o: &FormatOptions, out: &mut Vec<u8>) {
    match us {
        TS_INFINITY => out.extend_from_slice(b"infinity"),
        TS_NEG_INFINITY => out.extend_from_slice(b"-infinity"),
        _ => write_fields(&Fields::of(us), None, o, out),
    }
}

/// Appends a `timestamptz` in the session's zone.
pub fn write_timestamptz(us: i64, o: &FormatOptions, out: &mut Vec<u8>) {
    match us {
        TS_INFINITY => return out.extend_from_slice(b"infinity"),
        TS_NEG_INFINITY => return out.extend_from_slice(b"-infinity"),
        _ => {}
    }
    let offset = offset_at(&o.timezone, us);
    let f = Fields::of(us.saturating_add(offset * US_PER_SECOND));
    write_fields(&f, Some((offset, us)), o, out);
}

fn write_fields(f: &Fields, zone: Option<(i64, i64)>, o: &FormatOptions, out: &mut Vec<u8>) {
    if o.datestyle == DateStyle::Iso {
        ymd(f, out);
        out.push(b' ');
        clock(f, out);
        if let Some((offset, _)) = zone {
            write_offset(offset, out);
        }
        return era(out, f.year);
    }
    match o.datestyle {
        DateStyle::Postgres => {
            out.extend_from_slice(DAYS[day_of_week(f.days()) as usize].as_bytes());
            out.push(b' ');
            let month = MONTHS[(f.month - 1) as usize].as_bytes();
            if o.dateorder == DateOrder::Dmy {
                pad(out, f.day, 2);
                out.push(b' ');
                out.extend_from_slice(month);
            } else {
                out.extend_from_slice(month);
                out.push(b' ');
                pad(out, f.day, 2);
            }
            out.push(b' ');
            clock(f, out);
            out.push(b' ');
            pad(out, shown_year(f.year), 4);
        }
        DateStyle::German => {
            triple(f.day, f.month, f.year, b'.', out);
            out.push(b' ');
            clock(f, out);
        }
        _ => {
            if o.dateorder == DateOrder::Dmy {
                triple(f.day, f.month, f.year, b'/', out);
            } else {
                triple(f.month, f.day, f.year, b'/', out);
            }
            out.push(b' ');
            clock(f, out);
        }
    }
    if let Some((offset, us)) = zone {
        let name = abbreviation_at(&o.timezone, us);
        // A zone without a name shows its displacement.
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            out.push(b' ');
            out.extend_from_slice(name.as_bytes());
        } else {
            if o.datestyle == DateStyle::Postgres {
                out.push(b' ');
            }
            write_offset(offset, out);
        }
    }
    era(out, f.year);
}
