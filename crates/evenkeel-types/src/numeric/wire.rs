//! Binary forms of `numeric`: PostgreSQL's wire format, and the compact one of stored rows.
//!
//! Wire, all big-endian 16-bit words:
//!
//! | offset | field | meaning |
//! |---|---|---|
//! | 0 | ndigits | number of base-10000 digits |
//! | 2 | weight | of the first digit, signed: value = sum(digit\[i\] * 10000^(weight - i)) |
//! | 4 | sign | 0 positive, 0x4000 negative, 0xC000 NaN, 0xD000 Infinity, 0xF000 -Infinity |
//! | 6 | dscale | digits shown after the point |
//! | 8 | digits | ndigits words, each 0 to 9999 |
//!
//! Stored: one byte 0xFD -Infinity, 0xFE Infinity, 0xFF NaN; otherwise the scale as one byte (below 0x80) or two (0x80 + high bits,
//! low byte), then the coefficient as a little-endian two's complement integer of the fewest bytes (none for zero).

use num_bigint::{BigInt, BigUint, Sign};

use super::{MAX_SCALE, Numeric, Repr, big_pow10, overflow};
use crate::error::{SqlError, SqlState};

const SIGN_NEGATIVE: u16 = 0x4000;
const SIGN_NAN: u16 = 0xC000;
const SIGN_POS_INF: u16 = 0xD000;
const SIGN_NEG_INF: u16 = 0xF000;

fn invalid(message: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_BINARY_REPRESENTATION, message)
}

impl Numeric {
    /// Appends the wire form.
    pub fn write_binary(&self, out: &mut Vec<u8>) {
        let header = |out: &mut Vec<u8>, n: u16, weight: i16, sign: u16, dscale: u16| {
            out.extend_from_slice(&n.to_be_bytes());
            out.extend_from_slice(&weight.to_be_bytes());
            out.extend_from_slice(&sign.to_be_bytes());
            out.extend_from_slice(&dscale.to_be_bytes());
        };
        match &self.0 {
            Repr::NaN => return header(out, 0, 0, SIGN_NAN, 0),
            Repr::PosInf => return header(out, 0, 0, SIGN_POS_INF, 0),
            Repr::NegInf => return header(out, 0, 0, SIGN_NEG_INF, 0),
            Repr::Small { .. } | Repr::Big(_) => {}
        }
        let (negative, digits, exponent) = self.normal_form();
        // The value is 0.DIGITS * 10^exponent: group by four around the point.
        let weight = (exponent - 1).div_euclid(4);
        let lead = (exponent - 1 - weight * 4 + 1) as usize; // digits in the first group, 1 to 4
        let mut groups: Vec<u16> = Vec::with_capacity(digits.len() / 4 + 2);
        let mut at = 0;
        while at < digits.len() {
            let (from, width) = if at == 0 { (4 - lead, lead) } else { (0, 4) };
            let mut group = 0u16;
            for i in from..4 {
                let d = digits.get(at + i - from).map_or(0, |d| d - b'0');
                group = group * 10 + u16::from(d);
            }
            groups.push(group);
            at += width;
        }
        let weight = if groups.is_empty() { 0 } else { weight };
        let sign = if negative { SIGN_NEGATIVE } else { 0 };
        header(out, groups.len() as u16, weight as i16, sign, self.scale() as u16);
        for g in groups {
            out.extend_from_slice(&g.to_be_bytes());
        }
    }

    /// Reads the wire form.
    pub fn read_binary(bytes: &[u8]) -> Result<Numeric, SqlError> {
        let word = |i: usize| bytes.get(i * 2..i * 2 + 2).map(|b| u16::from_be_bytes([b[0], b[1]]));
        let short = || SqlError::new(SqlState::PROTOCOL_VIOLATION, "insufficient data left in message");
        let (Some(n), Some(weight), Some(sign), Some(dscale)) = (word(0), word(1), word(2), word(3)) else {
            return Err(short());
        };
        if bytes.len() < 8 + usize::from(n) * 2 {
            return Err(short());
        }
        if bytes.len() > 8 + usize::from(n) * 2 {
            return Err(invalid("incorrect binary data format"));
        }
        match sign {
            SIGN_NAN => return Ok(Numeric::NAN),
            SIGN_POS_INF => return Ok(Numeric::INFINITY),
            SIGN_NEG_INF => return Ok(Numeric::NEG_INFINITY),
            0 | SIGN_NEGATIVE => {}
            _ => return Err(invalid("invalid sign in external \"numeric\" value")),
        }
        if u32::from(dscale) > MAX_SCALE {
            return Err(invalid("invalid scale in external \"numeric\" value"));
        }
        let mut digits = Vec::with_capacity(usize::from(n) * 4);
        for i in 0..usize::from(n) {
            let d = word(4 + i).unwrap_or(u16::MAX);
            if d > 9999 {
                return Err(invalid("invalid digit in external \"numeric\" value"));
            }
            digits.extend_from_slice(&[
                b'0' + (d / 1000) as u8,
                b'0' + (d / 100 % 10) as u8,
                b'0' + (d / 10 % 10) as u8,
                b'0' + (d % 10) as u8,
            ]);
        }
        let Some(magnitude) = BigUint::parse_bytes(&digits, 10) else {
            return Ok(Numeric::from_parts(0, u32::from(dscale)));
        };
        let sign = if sign == SIGN_NEGATIVE { Sign::Minus } else { Sign::Plus };
        let coefficient = BigInt::from_biguint(sign, magnitude);
        // The coefficient stands at 10000^(weight - n + 1); the value is cut to dscale digits, as PostgreSQL does.
        let power = (i64::from(weight as i16) - i64::from(n) + 1) * 4 + i64::from(dscale);
        let coefficient = if power >= 0 {
            if power > 300_000 {
                return Err(overflow());
            }
            coefficient * big_pow10(power as u32)
        } else {
            coefficient / big_pow10((-power) as u32)
        };
        Numeric::from_big(coefficient, u32::from(dscale))
    }

    /// Appends the stored form.
    pub fn write_stored(&self, out: &mut Vec<u8>) {
        let scale = match &self.0 {
            Repr::NaN => return out.push(0xFF),
            Repr::PosInf => return out.push(0xFE),
            Repr::NegInf => return out.push(0xFD),
            Repr::Small { scale, .. } => *scale,
            Repr::Big(b) => b.scale,
        };
        if scale < 0x80 {
            out.push(scale as u8);
        } else {
            out.push(0x80 | (scale >> 8) as u8);
            out.push(scale as u8);
        }
        match &self.0 {
            Repr::Small { coef, .. } => {
                let v = coef.0;
                if v == 0 {
                    return;
                }
                let bytes = v.to_le_bytes();
                // Bits needed besides copies of the sign.
                let bits = 129 - if v < 0 { v.leading_ones() } else { v.leading_zeros() };
                out.extend_from_slice(&bytes[..(bits as usize).div_ceil(8)]);
            }
            Repr::Big(b) => out.extend_from_slice(&b.coef.to_signed_bytes_le()),
            _ => {}
        }
    }

    /// Reads the stored form; `None` if it is not one.
    pub fn read_stored(bytes: &[u8]) -> Option<Numeric> {
        let (&first, rest) = bytes.split_first()?;
        let (scale, rest) = match first {
            0xFD..=0xFF => {
                return rest.is_empty().then_some(match first {
                    0xFF => Numeric::NAN,
                    0xFE => Numeric::INFINITY,
                    _ => Numeric::NEG_INFINITY,
                });
            }
            0..0x80 => (u32::from(first), rest),
            _ => {
                let (&low, rest) = rest.split_first()?;
                (u32::from(first & 0x7F) << 8 | u32::from(low), rest)
            }
        };
        if scale > MAX_SCALE {
            return None;
        }
        if rest.len() <= 16 {
            let fill = if rest.last().is_some_and(|b| b & 0x80 != 0) { 0xFF } else { 0 };
            let mut wide = [fill; 16];
            wide[..rest.len()].copy_from_slice(rest);
            return Some(Numeric::from_parts(i128::from_le_bytes(wide), scale));
        }
        Numeric::from_big(BigInt::from_signed_bytes_le(rest), scale).ok()
    }
}
