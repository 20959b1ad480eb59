//! Text form of `numeric`.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigUint;
use num_bigint::{BigInt, Sign};

use super::{MAX_INTEGER_DIGITS, MAX_SCALE, Numeric, Repr, big_pow10, overflow};
use crate::error::{SqlError, SqlState};

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::with_capacity(24);
        self.write_text(&mut out);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

impl Numeric {
    /// Appends the text form: a sign, at least one digit before the point, and `scale` digits after it.
    pub fn write_text(&self, out: &mut Vec<u8>) {
        let mut buffer = [0u8; 39];
        let big;
        let (negative, digits, scale): (bool, &[u8], usize) = match &self.0 {
            Repr::NaN => return out.extend_from_slice(b"NaN"),
            Repr::PosInf => return out.extend_from_slice(b"Infinity"),
            Repr::NegInf => return out.extend_from_slice(b"-Infinity"),
            Repr::Small { scale, coef } => {
                let mut at = buffer.len();
                let mut m = { coef.0 }.unsigned_abs();
                // Most amounts fit 64 bits, whose division is far cheaper.
                while m > u128::from(u64::MAX) {
                    at -= 1;
                    buffer[at] = b'0' + (m % 10) as u8;
                    m /= 10;
                }
                let mut m = m as u64;
                while m != 0 {
                    at -= 1;
                    buffer[at] = b'0' + (m % 10) as u8;
                    m /= 10;
                }
                ({ coef.0 } < 0, &buffer[at..], usize::from(*scale))
            }
            Repr::Big(b) => {
                big = b.coef.magnitude().to_str_radix(10).into_bytes();
                (b.coef.sign() == Sign::Minus, &big, usize::from(b.scale))
            }
        };
        if negative {
            out.push(b'-');
        }
        if digits.len() > scale {
            let point = digits.len() - scale;
            out.extend_from_slice(&digits[..point]);
            if scale > 0 {
                out.push(b'.');
                out.extend_from_slice(&digits[point..]);
            }
        } else {
            out.push(b'0');
            if scale > 0 {
                out.push(b'.');
                out.resize(out.len() + scale - digits.len(), b'0');
                out.extend_from_slice(digits);
            }
        }
    }
}

fn syntax_error(input: &str) -> SqlError {
    SqlError::new(
        SqlState::INVALID_TEXT_REPRESENTATION,
        format!("invalid input syntax for type numeric: \"{input}\""),
    )
}

impl FromStr for Numeric {
    type Err = SqlError;

    /// Reads PostgreSQL's input syntax: decimal with optional exponent and digit separators, `0x`, `0o` and `0b` integers, `NaN`,
    /// `Infinity`.
    fn from_str(input: &str) -> Result<Numeric, SqlError> {
        let is_space = |c: char| c.is_ascii_whitespace() || c == '\x0b';
        let text = input.trim_matches(is_space);
        let (negative, body) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let bytes = body.as_bytes();
        if !bytes.first().is_some_and(|b| b.is_ascii_digit() || *b == b'.') {
            return match body.to_ascii_lowercase().as_str() {
                "nan" if body.len() == text.len() => Ok(Numeric::NAN),
                "infinity" | "inf" if negative => Ok(Numeric::NEG_INFINITY),
                "infinity" | "inf" => Ok(Numeric::INFINITY),
                _ => Err(syntax_error(input)),
            };
        }
        if bytes[0] == b'0' && bytes.len() > 1 {
            let radix = match bytes[1] {
                b'x' | b'X' => 16,
                b'o' | b'O' => 8,
                b'b' | b'B' => 2,
                _ => 0,
            };
            if radix != 0 {
                return parse_radix(&bytes[2..], radix, negative, input);
            }
        }
        let mut p = Scanner { bytes, at: 0, input };
        let mut digits: Vec<u8> = Vec::with_capacity(bytes.len().min(64));
        p.digits(&mut digits)?;
        let integer_digits = digits.len();
        if p.eat(b'.') {
            if integer_digits > 0 && p.peek() == Some(b'_') {
                return Err(syntax_error(input));
            }
            p.digits(&mut digits)?;
        }
        if digits.is_empty() {
            return Err(syntax_error(input));
        }
        let mut exponent: i64 = 0;
        if p.eat(b'e') || p.eat(b'E') {
            exponent = p.exponent()?;
        }
        if p.at != bytes.len() {
            return Err(syntax_error(input));
        }
        build(negative, &digits, digits.len() - integer_digits, exponent)
    }
}

/// Assembles `digits / 10^fraction * 10^exponent`, after checking the size (so that a hostile length costs nothing).
fn build(negative: bool, digits: &[u8], fraction: usize, exponent: i64) -> Result<Numeric, SqlError> {
    let significant = match digits.iter().position(|&d| d != b'0') {
        Some(first) => &digits[first..],
        None => &[],
    };
    let scale = fraction as i64 - exponent;
    let shown = scale.max(0);
    if shown > i64::from(MAX_SCALE) {
        return Err(overflow());
    }
    if significant.is_empty() {
        return Ok(Numeric::from_parts(0, shown as u32));
    }
    if significant.len() as i64 - scale > i64::from(MAX_INTEGER_DIGITS) {
        return Err(overflow());
    }
    let zeros = (-scale).max(0) as u32;
    if significant.len() + zeros as usize <= 38 {
        let mut v = 0i128;
        for &d in significant {
            v = v * 10 + i128::from(d - b'0');
        }
        v *= super::POW10[zeros as usize];
        return Ok(Numeric::from_parts(if negative { -v } else { v }, shown as u32));
    }
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    let magnitude = BigUint::parse_bytes(significant, 10).unwrap_or_default();
    Numeric::from_big(BigInt::from_biguint(sign, magnitude) * big_pow10(zeros), shown as u32)
}

fn parse_radix(bytes: &[u8], radix: u32, negative: bool, input: &str) -> Result<Numeric, SqlError> {
    let mut digits = Vec::with_capacity(bytes.len());
    let mut separated = true; // an underscore may follow the prefix, but not another underscore
    for (i, &b) in bytes.iter().enumerate() {
        if b == b'_' {
            if i > 0 && !separated || i + 1 == bytes.len() {
                return Err(syntax_error(input));
            }
            separated = false;
        } else if char::from(b).is_digit(radix) {
            digits.push(b);
            separated = true;
        } else {
            return Err(syntax_error(input));
        }
    }
    if digits.is_empty() {
        return Err(syntax_error(input));
    }
    let significant = digits.iter().position(|&d| d != b'0').map_or(&digits[..0], |i| &digits[i..]);
    // 131072 decimal digits are 435412 bits.
    if significant.len() as u64 * u64::from(radix.ilog2()) > 436_000 {
        return Err(overflow());
    }
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    Numeric::from_big(BigInt::from_biguint(sign, BigUint::parse_bytes(&digits, radix).unwrap_or_default()), 0)
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    input: &'a str,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, b: u8) -> bool {
        let found = self.peek() == Some(b);
        self.at += usize::from(found);
        found
    }

    /// Digits with single underscores between them.
    fn digits(&mut self, out: &mut Vec<u8>) -> Result<(), SqlError> {
        let start = self.at;
        while let Some(b) = self.peek() {
            match b {
                b'0'..=b'9' => out.push(b),
                b'_' if self.at > start && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) => {}
                b'_' => return Err(syntax_error(self.input)),
                _ => break,
            }
            self.at += 1;
        }
        Ok(())
    }

    fn exponent(&mut self) -> Result<i64, SqlError> {
        let negative = if self.eat(b'-') {
            true
        } else {
            self.eat(b'+');
            false
        };
        let mut digits = Vec::new();
        self.digits(&mut digits)?;
        if digits.is_empty() {
            return Err(syntax_error(self.input));
        }
        let mut v: i64 = 0;
        for d in digits {
            v = v * 10 + i64::from(d - b'0');
            if v > i64::from(i32::MAX / 2) {
                return Err(overflow());
            }
        }
        Ok(if negative { -v } else { v })
    }
}

impl Numeric {
    /// `d.ddde+xx` with a number of digits after the point; zero has exponent 0. The value must be finite.
    pub fn to_scientific(&self, digits_after_point: usize) -> String {
        let shape = |exponent: i64, digits: &str| {
            let mut s = String::new();
            let (whole, part) = digits.split_at(digits.len().saturating_sub(digits_after_point));
            s.push_str(whole);
            if digits_after_point > 0 {
                s.push('.');
                s.push_str(part);
            }
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{s}e{sign}{:02}", exponent.abs())
        };
        if self.is_zero() {
            return shape(0, &"0".repeat(digits_after_point + 1));
        }
        let exponent = i64::from(self.digits()) - 1 - i64::from(self.scale());
        let places = digits_after_point as i64 - exponent;
        let rounded = self.abs().to_scale(places, true).unwrap_or_else(|_| self.abs());
        let mut digits: String = rounded.to_string().chars().filter(char::is_ascii_digit).collect();
        // What 9.99 is rounded up to stays 10.0, as PostgreSQL writes it.
        digits = digits.trim_start_matches('0').to_string();
        // Rounding before the point left zeros that are not wanted.
        if places < 0 {
            digits.truncate(digits.len().saturating_sub((-places) as usize));
        }
        while digits.len() < digits_after_point + 1 {
            digits.push('0');
        }
        let text = shape(exponent, &digits);
        if self.signum() < 0 { format!("-{text}") } else { text }
    }

    /// The nearest integer, if the value is finite and it fits 64 bits.
    pub fn to_scale_integer(&self) -> Option<i64> {
        self.to_i64().ok()
    }
}
