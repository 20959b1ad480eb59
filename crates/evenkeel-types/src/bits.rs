//! Strings of bits, `bit(n)` and `bit varying(n)`: a byte that says how many bits of the last byte are none of them, and bytes that have the first bit in front.
//!
//! Invariants:
//! 1. There are as many bytes as the bits take, and bits behind the last are zero.
//!
//! Must not know: functions and operators.

use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::guard::Pace;
use crate::guard::build::{joined_bytes, make_room};
use crate::ty::Type;
use std::cmp::Ordering;

/// The longest, in bits.
pub const MAX_BITS: usize = (i32::MAX - 7) as usize;

/// A string of bits that is being made, or looked at.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    /// How many.
    pub len: usize,
    /// The bits. (1)
    pub bytes: &'a [u8],
}

fn too_long() -> SqlError {
    SqlError::new(
        SqlState::PROGRAM_LIMIT_EXCEEDED,
        format!("bit string length exceeds the maximum allowed ({MAX_BITS})"),
    )
}

/// A value of so many bits; those of the bytes that are beyond become zero.
pub fn made(len: usize, mut bytes: Vec<u8>) -> Result<Datum, SqlError> {
    if len > MAX_BITS {
        return Err(too_long());
    }
    bytes.resize(len.div_ceil(8), 0);
    let unused = (8 * bytes.len() - len) as u8;
    if let (Some(last), rest @ 1..) = (bytes.last_mut(), len % 8) {
        *last &= 0xFF << (8 - rest);
    }
    Ok(Datum::Bits(joined_bytes([&[unused], &bytes])?))
}

/// An empty list of bytes with room for so many bits.
pub fn room(bits: usize) -> Result<Vec<u8>, SqlError> {
    if bits > MAX_BITS {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    make_room(&mut bytes, bits.div_ceil(8))?;
    Ok(bytes)
}

impl<'a> Bits<'a> {
    /// Those of a value's bytes.
    pub fn kept(bytes: &'a [u8]) -> Bits<'a> {
        let (unused, bytes) = bytes.split_first().unwrap_or((&0, &[]));
        Bits { len: (8 * bytes.len()).saturating_sub(usize::from(*unused)), bytes }
    }

    /// Those of a value.
    pub fn of(d: &'a Datum) -> Option<Bits<'a>> {
        match d {
            Datum::Bits(kept) => Some(Bits::kept(kept)),
            _ => None,
        }
    }

    /// Bit `i`; zero beyond the end.
    pub fn get(&self, i: usize) -> bool {
        self.bytes.get(i / 8).is_some_and(|b| b >> (7 - i % 8) & 1 == 1)
    }

    /// The eight bits from one on; zero beyond the end.
    pub fn eight(&self, from: usize) -> u8 {
        let byte = |i: usize| self.bytes.get(i).copied().unwrap_or(0);
        let (at, shift) = (from / 8, from % 8);
        if shift == 0 { byte(at) } else { byte(at) << shift | byte(at + 1) >> (8 - shift) }
    }

    /// Appends those from one on, so many, to bits that end at a byte.
    pub fn copy(&self, from: usize, len: usize, out: &mut Vec<u8>) -> Result<(), SqlError> {
        let mut pace = Pace::default();
        make_room(out, len.div_ceil(8))?;
        for i in 0..len.div_ceil(8) {
            pace.bytes(1)?;
            out.push(self.eight(from + 8 * i));
        }
        Ok(())
    }

    /// A part.
    pub fn part(&self, from: usize, len: usize) -> Result<Datum, SqlError> {
        let from = from.min(self.len);
        let len = len.min(self.len - from);
        let mut out = room(len)?;
        self.copy(from, len, &mut out)?;
        made(len, out)
    }

    /// One after the other.
    pub fn joined(parts: &[Bits<'_>]) -> Result<Datum, SqlError> {
        let total: usize = parts.iter().map(|p| p.len).sum();
        let (mut out, mut len) = (room(total)?, 0);
        let mut pace = Pace::default();
        for part in parts {
            let shift = len % 8;
            if shift == 0 {
                part.copy(0, part.len, &mut out)?;
            } else {
                // What is there of the last byte is filled up first.
                for i in 0..part.len.div_ceil(8) {
                    pace.bytes(1)?;
                    let byte = part.eight(8 * i);
                    if let Some(last) = out.last_mut() {
                        *last |= byte >> shift;
                    }
                    out.push(byte << (8 - shift));
                }
            }
            len += part.len;
            out.truncate(len.div_ceil(8));
        }
        made(len, out)
    }

    /// Their order: by bits, and a string that begins another comes before it.
    pub fn order(&self, other: &Bits<'_>) -> Ordering {
        let n = self.bytes.len().min(other.bytes.len());
        self.bytes[..n].cmp(&other.bytes[..n]).then(self.len.cmp(&other.len))
    }

    /// Appends them as text.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), SqlError> {
        make_room(out, self.len)?;
        let mut pace = Pace::default();
        for i in 0..self.len {
            pace.bytes(1)?;
            out.push(if self.get(i) { b'1' } else { b'0' });
        }
        Ok(())
    }

    /// The integer of a width that they are.
    pub fn to_integer(&self, width: usize) -> Option<i64> {
        if self.len > width {
            return None;
        }
        let v = (0..self.len).fold(0u64, |v, i| v << 1 | u64::from(self.get(i)));
        Some(if width == 32 { i64::from(v as u32 as i32) } else { v as i64 })
    }
}

/// The last bits of an integer; more than it has are those of its sign.
pub fn of_integer(v: i64, len: usize) -> Result<Datum, SqlError> {
    let mut out = room(len)?;
    let bit = |i: usize| {
        let from_end = len - 1 - i;
        if from_end >= 64 { v < 0 } else { v >> from_end & 1 == 1 }
    };
    let mut pace = Pace::default();
    for i in (0..len).step_by(8) {
        pace.step()?;
        out.push((i..(i + 8).min(len)).fold(0, |b, n| b | u8::from(bit(n)) << (7 - n % 8)));
    }
    made(len, out)
}

/// Reads `101`, `b101` or `x1F`.
pub fn parse(s: &str) -> Result<Datum, SqlError> {
    let (digits, is_hex) = match s.as_bytes().first() {
        Some(b'b' | b'B') => (&s[1..], false),
        Some(b'x' | b'X') => (&s[1..], true),
        _ => (s, false),
    };
    let (width, kind) = if is_hex { (4, "hexadecimal") } else { (1, "binary") };
    let len = digits.len() * width;
    let mut out = room(len)?;
    let (mut byte, mut filled) = (0u8, 0);
    let mut pace = Pace::default();
    for c in digits.chars() {
        pace.bytes(1)?;
        let Some(digit) = c.to_digit(1 << width) else {
            let why = format!("\"{c}\" is not a valid {kind} digit");
            return Err(SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, why));
        };
        byte |= (digit as u8) << (8 - width - filled);
        filled += width;
        if filled == 8 {
            out.push(byte);
            (byte, filled) = (0, 0);
        }
    }
    if filled > 0 {
        out.push(byte);
    }
    made(len, out)
}

/// Fits to a modifier: an explicit cast cuts, and of `bit(n)` fills up.
pub fn fit(d: Datum, ty: Type, typmod: i32, is_explicit: bool) -> Result<Datum, SqlError> {
    let (Some(bits), Ok(wanted)) = (Bits::of(&d), usize::try_from(typmod)) else { return Ok(d) };
    match ty {
        _ if bits.len == wanted => Ok(d),
        Type::Bit if is_explicit => {
            let mut out = room(wanted)?;
            bits.copy(0, wanted, &mut out)?;
            made(wanted, out)
        }
        Type::Bit => Err(SqlError::new(
            SqlState::STRING_DATA_LENGTH_MISMATCH,
            format!("bit string length {} does not match type bit({wanted})", bits.len),
        )),
        _ if bits.len < wanted => Ok(d),
        _ if is_explicit => bits.part(0, wanted),
        _ => Err(SqlError::new(
            SqlState::STRING_DATA_RIGHT_TRUNCATION,
            format!("bit string too long for type bit varying({wanted})"),
        )),
    }
}
