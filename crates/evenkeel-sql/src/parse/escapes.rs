//! Escapes in `E'…'`, `U&'…'` and `U&"…"`, with PostgreSQL's errors.
//!
//! Must not know: tokens.

use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::{self, Pace};

const PAIR: &str = "invalid Unicode surrogate pair";
const VALUE: &str = "invalid Unicode escape value";

/// An error at a place of a text: characters before it are counted.
pub(super) fn error_at(sql: &str, at: usize, error: SqlError) -> SqlError {
    error.with_position(sql[..at].chars().count() + 1)
}

fn near(sql: &str, at: usize, len: usize, why: &str) -> SqlError {
    let shown: String = match len {
        0 => sql[at..].chars().take(1).collect(),
        len => sql[at..at + len].to_owned(),
    };
    error_at(sql, at, SqlError::new(SqlState::SYNTAX_ERROR, format!("{why} at or near \"{shown}\"")))
}

fn is_high(c: u32) -> bool {
    (0xD800..0xDC00).contains(&c)
}

fn is_low(c: u32) -> bool {
    (0xDC00..0xE000).contains(&c)
}

fn joined(high: u32, low: u32) -> u32 {
    0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF)
}

/// So many hexadecimal digits at a place.
fn digits(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let text = bytes.get(at..at + count)?;
    if !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
}

/// The bytes of an E string between its quotes, from `at` to `end`.
pub(super) fn escaped(sql: &str, mut at: usize, end: usize, out: &mut Vec<u8>) -> Result<(), SqlError> {
    let bytes = sql.as_bytes();
    let mut high: Option<u32> = None;
    let mut pace = Pace::default();
    while at < end {
        pace.step()?;
        let b = bytes[at];
        let next = if b == b'\\' && at + 1 < end { bytes[at + 1] } else { 0 };
        let count = match next {
            b'u' => 4,
            b'U' => 8,
            _ if high.is_some() => return Err(near(sql, at, 0, PAIR)),
            _ => 0,
        };
        if count > 0 {
            let len = count + 2;
            let Some(c) = digits(bytes, at + 2, count).filter(|_| at + len <= end) else {
                let why = SqlError::new(SqlState::INVALID_ESCAPE_SEQUENCE, "invalid Unicode escape");
                let why = why.with_hint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.");
                return Err(error_at(sql, at, why));
            };
            let c = match high.take() {
                Some(high) if is_low(c) => joined(high, c),
                Some(_) => return Err(near(sql, at, len, PAIR)),
                None if is_low(c) => return Err(near(sql, at, len, PAIR)),
                None => c,
            };
            if is_high(c) {
                high = Some(c);
            } else {
                let c = char::from_u32(c).filter(|c| *c != '\0');
                let c = c.ok_or_else(|| near(sql, at, len, VALUE))?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            at += len;
            continue;
        }
        if b == b'\'' {
            out.push(b'\'');
            at += 2;
            continue;
        }
        if b != b'\\' || next == 0 {
            out.push(b);
            at += 1;
            continue;
        }
        let octal = bytes[at + 1..end.min(at + 4)].iter().take_while(|b| matches!(b, b'0'..=b'7')).count();
        let hex =
            bytes[(at + 2).min(end)..end.min(at + 4)].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        match next {
            b'0'..=b'7' => {
                let value = bytes[at + 1..=at + octal].iter().fold(0u32, |v, b| v * 8 + u32::from(b - b'0'));
                out.push(value as u8);
                at += 1 + octal;
            }
            b'x' if hex > 0 => {
                out.push(digits(bytes, at + 2, hex).unwrap_or(0) as u8);
                at += 2 + hex;
            }
            _ => {
                out.push(match next {
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    other => other,
                });
                at += 2;
            }
        }
    }
    match high {
        Some(_) => Err(near(sql, end, 0, PAIR)),
        None => Ok(()),
    }
}

/// The text that the bytes of an E string are.
pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, SqlError> {
    let wrong = |bytes: &[u8]| {
        let list: Vec<String> = bytes.iter().map(|b| format!("0x{b:02x}")).collect();
        let why = format!("invalid byte sequence for encoding \"UTF8\": {}", list.join(" "));
        SqlError::new(SqlState::CHARACTER_NOT_IN_REPERTOIRE, why)
    };
    if bytes.contains(&0) {
        return Err(wrong(&[0]));
    }
    guard::check_text()?;
    String::from_utf8(bytes).map_err(|e| {
        let (at, bytes) = (e.utf8_error().valid_up_to(), e.as_bytes());
        // As many bytes as the first one promises.
        let len = match bytes[at] {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF7 => 4,
            _ => 1,
        };
        wrong(&bytes[at..bytes.len().min(at + len)])
    })
}

/// Whether a character may stand for the backslash.
pub(super) fn is_escape(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let c = chars.next().filter(|c| {
        !c.is_ascii_hexdigit() && !matches!(c, '+' | '\'' | '"' | ' ' | '\t' | '\n' | '\r' | '\x0c' | '\x0b')
    })?;
    (chars.next().is_none() && c.is_ascii()).then_some(c)
}

/// What `U&'…'` or `U&"…"` stands for, whose quotes are undoubled already.
pub(super) fn unicode(text: &str, escape: char) -> Result<String, SqlError> {
    let wrong = |why: &str| SqlError::new(SqlState::SYNTAX_ERROR, why);
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut high) = (0, None);
    let mut pace = Pace::default();
    while let Some(c) = text[at..].chars().next() {
        pace.step()?;
        if c != escape || text[at + 1..].starts_with(escape) {
            if high.is_some() {
                return Err(wrong(PAIR));
            }
            out.push(c);
            at += if c == escape { 2 } else { c.len_utf8() };
            continue;
        }
        let (value, len) = match (digits(bytes, at + 1, 4), bytes.get(at + 1)) {
            (Some(value), _) => (value, 5),
            (None, Some(b'+')) if digits(bytes, at + 2, 6).is_some() => {
                (digits(bytes, at + 2, 6).unwrap_or(0), 8)
            }
            _ => {
                let hint = "Unicode escapes must be \\XXXX or \\+XXXXXX.";
                return Err(wrong("invalid Unicode escape").with_hint(hint));
            }
        };
        if value == 0 || value > 0x10_FFFF {
            return Err(wrong(VALUE));
        }
        let value = match high.take() {
            Some(high) if is_low(value) => joined(high, value),
            Some(_) => return Err(wrong(PAIR)),
            None if is_low(value) => return Err(wrong(PAIR)),
            None => value,
        };
        match char::from_u32(value) {
            Some(c) => out.push(c),
            None => high = Some(value),
        }
        at += len;
    }
    if high.is_some() { Err(wrong(PAIR)) } else { Ok(out) }
}
