//! Text of the binary floating-point types, as PostgreSQL writes and reads it.

use crate::error::{SqlError, SqlState};

/// Appends a `double precision`: the shortest text that reads back the same, or, with `extra_float_digits` 0 or less, that many more
/// digits than 15.
pub fn write_f64(v: f64, extra_float_digits: i32, out: &mut Vec<u8>) {
    if special(v, out) {
        return;
    }
    if extra_float_digits > 0 {
        let same = |t: &str| t.parse() == Ok(v);
        let tie = may_be_tie(v);
        return layout(&refine(format!("{v:e}"), 53, tie, same, |digits| format!("{v:.digits$e}")), 15, out);
    }
    rounded(v, (15 + extra_float_digits).max(1) as usize, out);
}

/// Appends a `real`; see [`write_f64`], with 6 digits.
pub fn write_f32(v: f32, extra_float_digits: i32, out: &mut Vec<u8>) {
    if special(f64::from(v), out) {
        return;
    }
    if extra_float_digits > 0 {
        let same = |t: &str| t.parse() == Ok(v);
        let tie = may_be_tie(f64::from(v));
        return layout(&refine(format!("{v:e}"), 24, tie, same, |digits| format!("{v:.digits$e}")), 6, out);
    }
    rounded(f64::from(v), (6 + extra_float_digits).max(1) as usize, out);
}

/// Whether a float can lie exactly between two decimals of at most 17 digits: it is then a multiple of 2^-25, as the last digit's power
/// of ten is at least 10^-24.
fn may_be_tie(v: f64) -> bool {
    (v * 33_554_432.0).fract() == 0.0
}

/// Digits and power of ten of `d.ddde±x`.
fn digits_and_exponent(scientific: &str) -> Option<(u64, i32, usize)> {
    let (mantissa, exponent) = scientific.split_once('e')?;
    let mut digits = 0u64;
    let mut count = 0;
    for b in mantissa.bytes().filter(u8::is_ascii_digit) {
        digits = digits.checked_mul(10)?.checked_add(u64::from(b - b'0'))?;
        count += 1;
    }
    Some((digits, exponent.parse::<i32>().ok()? + 1 - count as i32, count))
}

/// Whether `digits * 10^exponent` lies exactly between two neighbouring floats of a precision in bits: its odd part then has one bit
/// more than they have.
fn is_midpoint(digits: u64, exponent: i32, precision: u32) -> bool {
    if digits == 0 {
        return false;
    }
    let odd = if exponent >= 0 {
        // A factor of 5^24 alone has too many bits.
        if exponent > 23 {
            return false;
        }
        u128::from(digits) * 5u128.pow(exponent as u32)
    } else {
        let Some(fives) = 5u64.checked_pow(exponent.unsigned_abs()) else { return false };
        if !digits.is_multiple_of(fives) {
            return false;
        }
        u128::from(digits / fives)
    };
    let odd = odd >> odd.trailing_zeros();
    128 - odd.leading_zeros() == precision + 1
}

/// PostgreSQL's choice among the shortest texts of a float: not one that lies on the boundary to the neighbouring float, and of two
/// that are equally near the one with the even digit. `shortest` is any shortest one.
fn refine(
    shortest: String,
    precision: u32,
    may_be_tie: bool,
    same: impl Fn(&str) -> bool,
    rounded_to: impl Fn(usize) -> String,
) -> String {
    let Some((digits, exponent, count)) = digits_and_exponent(&shortest) else { return shortest };
    // Fewer digits than a float always keeps can neither lie on a boundary nor be one of two.
    let kept = precision * 3 / 10;
    if (count as u32) < kept && exponent <= 0 {
        return shortest;
    }
    let acceptable =
        |t: &str| same(t) && digits_and_exponent(t).is_some_and(|(d, e, _)| !is_midpoint(d, e, precision));
    if is_midpoint(digits, exponent, precision) {
        return (count..17).map(&rounded_to).find(|t| acceptable(t)).unwrap_or(shortest);
    }
    if !may_be_tie {
        return shortest;
    }
    let even = rounded_to(count - 1);
    if even != shortest && acceptable(&even) { even } else { shortest }
}

fn special(v: f64, out: &mut Vec<u8>) -> bool {
    let text: &[u8] = if v.is_nan() {
        b"NaN"
    } else if v == f64::INFINITY {
        b"Infinity"
    } else if v == f64::NEG_INFINITY {
        b"-Infinity"
    } else {
        return false;
    };
    out.extend_from_slice(text);
    true
}

/// C's `%g`, for messages.
pub(super) fn general(v: f64) -> String {
    let mut out = Vec::new();
    if !special(v, &mut out) {
        rounded(v, 6, &mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// C's `%.{digits}g`.
fn rounded(v: f64, digits: usize, out: &mut Vec<u8>) {
    let text = format!("{v:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa =
        if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    layout(&format!("{mantissa}e{exponent}"), digits as i32, out);
}

/// Lays out `d.ddde±x`: plain if the exponent is at least -4 and below `limit`, else scientific with two exponent digits.
fn layout(scientific: &str, limit: i32, out: &mut Vec<u8>) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(m) => (true, m),
        None => (false, mantissa),
    };
    if negative {
        out.push(b'-');
    }
    if !(-4..limit).contains(&exponent) {
        out.extend_from_slice(mantissa.as_bytes());
        let sign = if exponent < 0 { '-' } else { '+' };
        out.extend_from_slice(format!("e{sign}{:02}", exponent.abs()).as_bytes());
        return;
    }
    let digits: Vec<u8> = mantissa.bytes().filter(|b| *b != b'.').collect();
    if exponent < 0 {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + (-exponent - 1) as usize, b'0');
        out.extend_from_slice(&digits);
        return;
    }
    let point = exponent as usize + 1;
    if digits.len() <= point {
        out.extend_from_slice(&digits);
        out.resize(out.len() + point - digits.len(), b'0');
    } else {
        out.extend_from_slice(&digits[..point]);
        out.push(b'.');
        out.extend_from_slice(&digits[point..]);
    }
}

/// What a float's text denotes before it is fitted to the type.
enum Spelled<'a> {
    Special(f64),
    Digits(&'a str),
    /// Sign, bits and power of two; of bits beyond sixty the lowest says whether one was set.
    Hexadecimal(&'a str, f64, u64, i32),
}

/// What C's `strtod` reads behind `0x`: digits, a point among them, and a power of two.
fn hexadecimal(text: &str) -> Option<(u64, i32)> {
    let (digits, power) = match text.split_once(['p', 'P']) {
        Some((digits, power)) => {
            let unsigned = power.strip_prefix(['+', '-']).unwrap_or(power);
            if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let far = if power.starts_with('-') { i32::MIN / 2 } else { i32::MAX / 2 };
            (digits, power.parse().unwrap_or(far))
        }
        None => (text, 0),
    };
    let (mut bits, mut exponent, mut is_behind, mut any) = (0u64, power, false, false);
    for c in digits.chars() {
        let Some(digit) = c.to_digit(16) else {
            if c != '.' || is_behind {
                return None;
            }
            is_behind = true;
            continue;
        };
        any = true;
        if bits >> 60 == 0 {
            bits = bits << 4 | u64::from(digit);
            exponent = exponent.saturating_sub(if is_behind { 4 } else { 0 });
        } else {
            bits |= u64::from(digit != 0);
            exponent = exponent.saturating_add(if is_behind { 0 } else { 4 });
        }
    }
    any.then_some((bits, exponent))
}

/// `v * 2^exponent`
fn scaled(v: f64, exponent: i32) -> f64 {
    let exponent = exponent.clamp(-2400, 2400);
    // In steps that stay within the range of a float.
    let (first, second) = (exponent / 3, exponent / 3);
    v * 2f64.powi(first) * 2f64.powi(second) * 2f64.powi(exponent - first - second)
}

fn spelled<'a>(s: &'a str, ty: &str) -> Result<Spelled<'a>, SqlError> {
    let syntax = || {
        SqlError::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("invalid input syntax for type {ty}: \"{s}\""),
        )
    };
    let t = s.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let lower;
    let body = t.strip_prefix(['+', '-']).unwrap_or(t);
    if !body.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        lower = body.to_ascii_lowercase();
        let v = match lower.as_str() {
            "nan" => f64::NAN,
            "inf" | "infinity" => f64::INFINITY,
            _ => return Err(syntax()),
        };
        return Ok(Spelled::Special(if t.starts_with('-') { -v } else { v }));
    }
    if let Some(digits) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        let (bits, exponent) = hexadecimal(digits).ok_or_else(syntax)?;
        let sign = if t.starts_with('-') { -1.0 } else { 1.0 };
        return Ok(Spelled::Hexadecimal(t, sign, bits, exponent));
    }
    // Rust's reader accepts the same decimal syntax; words were dealt with above.
    if body.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')) {
        Ok(Spelled::Digits(t))
    } else {
        Err(syntax())
    }
}

fn out_of_range(s: &str, ty: &str) -> SqlError {
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, format!("\"{s}\" is out of range for type {ty}"))
}

/// Whether the digits before an exponent are all zero.
fn is_zero(t: &str) -> bool {
    t.bytes().take_while(|b| !matches!(b, b'e' | b'E')).all(|b| !matches!(b, b'1'..=b'9'))
}

/// Reads a `double precision`.
pub fn parse_f64(s: &str) -> Result<f64, SqlError> {
    const TY: &str = "double precision";
    match spelled(s, TY)? {
        Spelled::Special(v) => Ok(v),
        Spelled::Hexadecimal(t, sign, bits, exponent) => match scaled(bits as f64, exponent) {
            v if v.is_infinite() || (v == 0.0 && bits != 0) => Err(out_of_range(t, TY)),
            v => Ok(sign * v),
        },
        Spelled::Digits(t) => match t.parse::<f64>() {
            Ok(v) if v.is_infinite() || (v == 0.0 && !is_zero(t)) => Err(out_of_range(t, TY)),
            Ok(v) => Ok(v),
            Err(_) => Err(SqlError::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!("invalid input syntax for type {TY}: \"{s}\""),
            )),
        },
    }
}

/// Reads a `real`.
pub fn parse_f32(s: &str) -> Result<f32, SqlError> {
    const TY: &str = "real";
    match spelled(s, TY)? {
        Spelled::Special(v) => Ok(v as f32),
        Spelled::Hexadecimal(t, sign, bits, exponent) => {
            match scaled(f64::from(bits as f32), exponent) as f32 {
                v if v.is_infinite() || (v == 0.0 && bits != 0) => Err(out_of_range(t, TY)),
                v => Ok(sign as f32 * v),
            }
        }
        Spelled::Digits(t) => match t.parse::<f32>() {
            Ok(v) if v.is_infinite() || (v == 0.0 && !is_zero(t)) => Err(out_of_range(t, TY)),
            Ok(v) => Ok(v),
            Err(_) => Err(SqlError::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!("invalid input syntax for type {TY}: \"{s}\""),
            )),
        },
    }
}
