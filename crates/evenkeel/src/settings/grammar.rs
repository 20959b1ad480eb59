//! How the values of settings are written: PostgreSQL's grammar, for engine, server, SQL and command line alike.
//!
//! Invariants
//! 1. What is printed reads back as the same value.
//! 2. No text makes a value that its base unit cannot hold: it is an error.

/// Units of memory, in bytes.
pub(super) const MEMORY: &[(&str, i64)] =
    &[("B", 1), ("kB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30), ("TB", 1 << 40)];
/// Units of time, in microseconds.
pub(super) const TIME: &[(&str, i64)] = &[
    ("us", 1),
    ("ms", 1000),
    ("s", 1_000_000),
    ("min", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

/// Why a text is no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoNumber {
    /// It does not begin with one, or something else follows.
    Syntax,
    /// What follows is none of the units.
    Unit,
    /// No value can hold it.
    Range,
}

/// On or off: any beginning of a word that no other word has.
pub fn boolean(text: &str) -> Option<bool> {
    let text = text.trim().to_ascii_lowercase();
    let begins = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    if text == "1" || text == "on" || begins("true", 1) || begins("yes", 1) {
        Some(true)
    } else if text == "0" || begins("off", 2) || begins("false", 1) || begins("no", 1) {
        Some(false)
    } else {
        None
    }
}

/// A number with a unit or without, in base units: `1.5min`, `0x10`, `-1`. A number without a unit counts `bare` of them. What is no multiple of `grain` is
/// rounded to the nearest.
pub(super) fn number(text: &str, bare: i64, grain: i64, units: &[(&str, i64)]) -> Result<i64, NoNumber> {
    let text = text.trim();
    let (number, unit) = text.split_at(number_length(text));
    let unit = unit.trim_start();
    if !number.bytes().any(|b| b.is_ascii_digit()) {
        return Err(NoNumber::Syntax);
    }
    let size = match unit {
        "" => bare,
        unit => units.iter().find(|(name, _)| *name == unit).ok_or(NoNumber::Unit)?.1,
    };
    if let Some(n) = whole(number) {
        let n = n.checked_mul(i128::from(size)).ok_or(NoNumber::Range)?;
        if n % i128::from(grain) == 0 {
            return i64::try_from(n).map_err(|_| NoNumber::Range);
        }
        return rounded(n as f64, grain);
    }
    let n: f64 = number.parse().map_err(|_| NoNumber::Syntax)?;
    let mut n = n * size as f64;
    // As PostgreSQL does: to the next smaller unit first, so that 30.1GB is a whole number of megabytes.
    if let Some(smaller) = units.iter().rev().map(|(_, s)| *s).find(|s| *s < size) {
        n = (n / smaller as f64).round_ties_even() * smaller as f64;
    }
    rounded(n, grain)
}

fn rounded(n: f64, grain: i64) -> Result<i64, NoNumber> {
    let n = (n / grain as f64).round_ties_even() * grain as f64;
    // Invariant 2: 2^63 itself is none.
    if n.abs() < i64::MAX as f64 { Ok(n as i64) } else { Err(NoNumber::Range) }
}

/// Bytes of the number that a text begins with.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    if text[sign..].starts_with("0x") || text[sign..].starts_with("0X") {
        return sign + 2 + bytes[sign + 2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
    }
    let mut end = sign + digits(sign);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

/// A whole number: decimal, hexadecimal, or octal behind a zero.
fn whole(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.bytes().next()?.is_ascii_digit() {
        return None;
    }
    let (radix, digits) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => (16, digits),
        None if digits.len() > 1 && digits.starts_with('0') && !digits.contains(['8', '9']) => (8, digits),
        None => (10, digits),
    };
    let n = i128::from_str_radix(digits, radix).ok()?;
    Some(if negative { -n } else { n })
}

/// A value with the largest unit that it is a multiple of.
pub(super) fn print(value: i64, units: &[(&str, i64)]) -> String {
    match units.iter().rev().find(|(_, size)| value % size == 0) {
        Some((unit, size)) if value != 0 => format!("{}{unit}", value / size),
        _ => value.to_string(),
    }
}

/// The name of a unit of this size.
pub(super) fn unit_name(size: i64, units: &[(&'static str, i64)]) -> &'static str {
    units.iter().find(|(_, s)| *s == size).map_or("8kB", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_postgresql_reads_them() {
        let ms = |text: &str| number(text, 1000, 1000, TIME).map(|us| us / 1000);
        for (text, expected) in [
            ("5s", Ok(5000)),
            (" 1.5 min ", Ok(90_000)),
            ("250", Ok(250)),
            ("-1", Ok(-1)),
            ("0x10", Ok(16)),
            ("010", Ok(8)),
            ("089", Ok(89)),
            ("1e3", Ok(1000)),
            ("1e", Err(NoNumber::Unit)),
            (".5s", Ok(500)),
            ("499us", Ok(0)),
            ("501us", Ok(1)),
            ("1.0004s", Ok(1000)),
            ("", Err(NoNumber::Syntax)),
            ("s", Err(NoNumber::Syntax)),
            ("1 parsec", Err(NoNumber::Unit)),
            ("1 S", Err(NoNumber::Unit)),
            ("1s 2", Err(NoNumber::Unit)),
            ("--1", Err(NoNumber::Syntax)),
            ("nan", Err(NoNumber::Syntax)),
            ("inf", Err(NoNumber::Syntax)),
            ("1e400", Err(NoNumber::Range)),
            ("99999999999999999999d", Err(NoNumber::Range)),
            ("170141183460469231731687303715884105727d", Err(NoNumber::Range)),
            ("999999999999999999999999999999999999999999", Err(NoNumber::Range)),
        ] {
            assert_eq!(ms(text), expected, "{text:?}");
        }
        assert_eq!(number("30.1GB", 1, 1, MEMORY), Ok(30822 << 20));
        assert_eq!(number("1.5", 1 << 20, 1, MEMORY), Ok(3 << 19));
    }

    #[test]
    fn words_of_booleans_may_be_cut_where_that_is_clear() {
        for text in ["on", "TRUE", "t", "tr", "y", "yes", "1", " on "] {
            assert_eq!(boolean(text), Some(true), "{text}");
        }
        for text in ["off", "of", "F", "no", "n", "0"] {
            assert_eq!(boolean(text), Some(false), "{text}");
        }
        for text in ["o", "", "2", "onn", "truer", "nope"] {
            assert_eq!(boolean(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_printed_reads_back() {
        for value in [0, 1, -1, 999, 1000, 90_000_000, 86_400_000_000, i64::MAX, i64::MIN + 1] {
            assert_eq!(number(&print(value, TIME), 1, 1, TIME), Ok(value));
            assert_eq!(number(&print(value, MEMORY), 1, 1, MEMORY), Ok(value));
        }
        assert_eq!(print(90_000_000, TIME), "90s");
        assert_eq!(print(0, MEMORY), "0");
    }
}
