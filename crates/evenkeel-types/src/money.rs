//! `money`: a number of cents, written as the locale `C` writes amounts: `$1,234.56`, `-$1.00`.
//!
//! Invariants:
//! 1. What [`write`] gives, [`parse`] reads back to the same number.
//!
//! Must not know: functions and operators.

use crate::cast::out_of_range;
use crate::error::{SqlError, SqlState};
use crate::numeric::Numeric;
use crate::ty::Type;

/// Digits behind the point.
const DIGITS: u32 = 2;
/// Cents of one.
const CENTS: i64 = 10i64.pow(DIGITS);

/// What the C library calls a space in that locale.
fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t'..=b'\r')
}

fn skip_spaces(mut b: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = b
        && is_space(*first)
    {
        b = rest;
    }
    b
}

/// Behind spaces, and one sign of the currency with more of them.
fn skip_currency(b: &[u8]) -> &[u8] {
    let b = skip_spaces(b);
    skip_spaces(b.strip_prefix(b"$").unwrap_or(b))
}

/// Reads an amount as PostgreSQL does: the sign of the currency before or behind the number's own, commas anywhere among the digits, a minus behind them,
/// a parenthesis as a minus. No digits are zero; the third one behind the point rounds, away from zero.
pub fn parse(s: &str) -> Result<i64, SqlError> {
    let out_of_range = || {
        let why = format!("value \"{s}\" is out of range for type money");
        SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, why)
    };
    let mut rest = skip_currency(s.as_bytes());
    let mut negative = false;
    if let [sign @ (b'-' | b'(' | b'+'), after @ ..] = rest {
        negative = *sign != b'+';
        rest = after;
    }
    rest = skip_currency(rest);
    // Below zero there is one number more than above.
    let mut value = 0i64;
    let (mut seen_point, mut behind) = (false, 0);
    let shifted = |value: i64| value.checked_mul(10).ok_or_else(out_of_range);
    while let [b, after @ ..] = rest {
        match b {
            b'0'..=b'9' if behind < DIGITS => {
                value = shifted(value)?.checked_sub(i64::from(b - b'0')).ok_or_else(out_of_range)?;
                behind += u32::from(seen_point);
            }
            b'.' if !seen_point => seen_point = true,
            b',' => {}
            _ => break,
        }
        rest = after;
    }
    if rest.first().is_some_and(|b| (b'5'..=b'9').contains(b)) {
        value = value.checked_sub(1).ok_or_else(out_of_range)?;
    }
    for _ in behind..DIGITS {
        value = shifted(value)?;
    }
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    for b in &rest[digits..] {
        match b {
            b'-' => negative = true,
            b')' | b'+' | b'$' => {}
            b if is_space(*b) => {}
            _ => {
                let why = format!("invalid input syntax for type money: \"{s}\"");
                return Err(SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, why));
            }
        }
    }
    if negative { Ok(value) } else { value.checked_neg().ok_or_else(out_of_range) }
}

/// Appends it as text.
pub fn write(cents: i64, out: &mut Vec<u8>) {
    if cents < 0 {
        out.push(b'-');
    }
    out.push(b'$');
    let (whole, part) = (cents.unsigned_abs() / CENTS as u64, cents.unsigned_abs() % CENTS as u64);
    let digits = whole.to_string();
    for (n, digit) in digits.bytes().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(b',');
        }
        out.push(digit);
    }
    out.extend_from_slice(format!(".{part:02}").as_bytes());
}

/// As a number, with two digits behind the point.
pub fn to_numeric(cents: i64) -> Numeric {
    Numeric::from_parts(i128::from(cents), DIGITS)
}

/// The amount nearest to a number.
pub fn of_numeric(n: &Numeric) -> Result<i64, SqlError> {
    n.mul(&Numeric::from(CENTS))?.to_i64()
}

/// An amount without cents. What is too much for it, PostgreSQL calls too much for a `bigint`.
pub fn of_integer(v: i64) -> Result<i64, SqlError> {
    v.checked_mul(CENTS).ok_or_else(|| out_of_range(Type::Int8))
}

/// Appends a number below a thousand in words.
fn write_number(n: usize, out: &mut String) {
    const SMALL: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 10] =
        ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let (hundreds, below) = (n / 100, n % 100);
    if hundreds > 0 {
        *out += SMALL[hundreds];
        *out += " hundred";
        match below {
            0 => return,
            1..20 => *out += " and ",
            _ => *out += " ",
        }
    }
    match below {
        0..20 => *out += SMALL[below],
        _ => {
            *out += TENS[below / 10];
            if !below.is_multiple_of(10) {
                *out += " ";
                *out += SMALL[below % 10];
            }
        }
    }
}

/// The amount in English, with two blanks where a part of it is zero, as PostgreSQL writes it.
pub fn words(cents: i64) -> String {
    const PARTS: [(&str, u64); 5] = [
        ("quadrillion", 1_000_000_000_000_000),
        ("trillion", 1_000_000_000_000),
        ("billion", 1_000_000_000),
        ("million", 1_000_000),
        ("thousand", 1000),
    ];
    let mut out = String::new();
    if cents < 0 {
        out += "minus ";
    }
    let (dollars, cents) = (cents.unsigned_abs() / CENTS as u64, cents.unsigned_abs() % CENTS as u64);
    for (name, of) in PARTS {
        let n = (dollars / of % 1000) as usize;
        if n > 0 {
            write_number(n, &mut out);
            out += " ";
            out += name;
            out += " ";
        }
    }
    let n = (dollars % 1000) as usize;
    if n > 0 || dollars == 0 {
        write_number(n, &mut out);
    }
    out += if dollars == 1 { " dollar and " } else { " dollars and " };
    write_number(cents as usize, &mut out);
    out += if cents == 1 { " cent" } else { " cents" };
    out[..1].make_ascii_uppercase();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_come_back() {
        let mut rng = fastrand::Rng::with_seed(7);
        let random = (0..2000).map(|n| rng.i64(..) >> (n % 60));
        for cents in [i64::MIN, i64::MAX, 0, 1, -1, 99, 100, -100_000, 99_999].into_iter().chain(random) {
            let mut text = Vec::new();
            write(cents, &mut text);
            assert_eq!(parse(std::str::from_utf8(&text).unwrap()).unwrap(), cents);
        }
    }

    #[test]
    fn a_minus_may_be_a_parenthesis_or_behind() {
        for (text, cents) in [
            ("", 0),
            ("$", 0),
            ("(1)", -100),
            ("($123,456.78)", -12_345_678),
            (" $ - $ 1.005 ", -101),
            ("1.2,3", 123),
            ("1-", -100),
            ("1.999$", 200),
            ("$$1", 100),
            ("+1)", 100),
        ] {
            assert_eq!(parse(text).unwrap(), cents, "{text}");
        }
        for text in ["1e3", "1.2.3", "--1", "$$$1", "1 2", "a", "1\u{a0}", "(1))x"] {
            assert_eq!(parse(text).unwrap_err().code, SqlState::INVALID_TEXT_REPRESENTATION, "{text}");
        }
    }
}
