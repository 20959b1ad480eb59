//! Functions and operators on strings of bits.

use super::substring::clip;
use super::{Eval, f, int_arg};
use crate::bits::{Bits, made, room};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::Pace;
use crate::ops::op;
use crate::ty::Type as T;

pub(crate) fn arg(a: &[Datum], i: usize) -> Result<Bits<'_>, SqlError> {
    a.get(i).and_then(Bits::of).ok_or_else(|| SqlError::internal("a string of bits was expected"))
}

/// Bit by bit of two strings of one length.
pub(crate) fn combined(
    a: Bits<'_>,
    b: Bits<'_>,
    name: &str,
    combine: impl Fn(u8, u8) -> u8,
) -> Result<Datum, SqlError> {
    if a.len != b.len {
        let why = format!("cannot {name} bit strings of different sizes");
        return Err(SqlError::new(SqlState::STRING_DATA_LENGTH_MISMATCH, why));
    }
    let mut out = room(a.len)?;
    out.extend(a.bytes.iter().zip(b.bytes).map(|(a, b)| combine(*a, *b)));
    made(a.len, out)
}

fn and(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    combined(arg(a, 0)?, arg(a, 1)?, "AND", |a, b| a & b)
}

fn or(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    combined(arg(a, 0)?, arg(a, 1)?, "OR", |a, b| a | b)
}

fn xor(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    combined(arg(a, 0)?, arg(a, 1)?, "XOR", |a, b| a ^ b)
}

fn not(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let bits = arg(a, 0)?;
    let mut out = room(bits.len)?;
    out.extend(bits.bytes.iter().map(|b| !b));
    made(bits.len, out)
}

/// Moved to the front by so many, or to the end.
fn shifted(bits: Bits<'_>, by: i64) -> Eval {
    let n = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX).min(bits.len);
    if by >= 0 {
        let mut out = room(bits.len)?;
        bits.copy(n, bits.len - n, &mut out)?;
        return made(bits.len, out);
    }
    let mut zeros = room(n)?;
    zeros.resize(n.div_ceil(8), 0);
    let kept = bits.part(0, bits.len - n)?;
    let zeros = Bits { len: n, bytes: &zeros };
    Bits::joined(&[zeros, Bits::of(&kept).unwrap_or(zeros)])
}

fn left(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    shifted(arg(a, 0)?, int_arg(a, 1))
}

fn right(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    shifted(arg(a, 0)?, -int_arg(a, 1))
}

fn concat(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Bits::joined(&[arg(a, 0)?, arg(a, 1)?])
}

fn length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(arg(a, 0)?.len as i32))
}

fn octet_length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int4(arg(a, 0)?.bytes.len() as i32))
}

fn count(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Int8(arg(a, 0)?.bytes.iter().map(|b| i64::from(b.count_ones())).sum()))
}

fn substring(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let bits = arg(a, 0)?;
    let (skip, take) = clip(int_arg(a, 1), (a.len() > 2).then(|| int_arg(a, 2)))?;
    bits.part(skip, take.unwrap_or(bits.len))
}

fn overlay(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (bits, new, start) = (arg(a, 0)?, arg(a, 1)?, int_arg(a, 2));
    let count = if a.len() > 3 { int_arg(a, 3) } else { new.len as i64 };
    if start <= 0 {
        return Err(SqlError::new(SqlState::SUBSTRING_ERROR, "negative substring length not allowed"));
    }
    if i32::try_from(start + count).is_err() {
        return Err(SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "integer out of range"));
    }
    let head = bits.part(0, (start - 1) as usize)?;
    let tail = bits.part((start + count - 1).max(0) as usize, bits.len)?;
    let parts: Vec<Bits<'_>> = [Bits::of(&head), Some(new), Bits::of(&tail)].into_iter().flatten().collect();
    Bits::joined(&parts)
}

fn position(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (whole, part) = (arg(a, 0)?, arg(a, 1)?);
    if whole.len == 0 || part.len > whole.len {
        return Ok(Datum::Int4(0));
    }
    let (mut pace, last) = (Pace::default(), part.len % 8);
    let tail = if last == 0 { 0xFF } else { 0xFFu8 << (8 - last) };
    for at in 0..=whole.len - part.len {
        pace.bytes(8)?;
        let mut is_here = true;
        for (i, byte) in part.bytes.iter().enumerate() {
            pace.bytes(1)?;
            let mask = if i + 1 == part.bytes.len() { tail } else { 0xFF };
            is_here = whole.eight(at + 8 * i) & mask == *byte;
            if !is_here {
                break;
            }
        }
        if is_here {
            return Ok(Datum::Int4(at as i32 + 1));
        }
    }
    Ok(Datum::Int4(0))
}

/// A place among the bits.
fn place(bits: Bits<'_>, i: i64) -> Result<usize, SqlError> {
    usize::try_from(i).ok().filter(|i| *i < bits.len).ok_or_else(|| {
        let why = format!("bit index {i} out of valid range (0..{})", bits.len as i64 - 1);
        SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, why)
    })
}

fn get_bit(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let bits = arg(a, 0)?;
    Ok(Datum::Int4(bits.get(place(bits, int_arg(a, 1))?).into()))
}

fn set_bit(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let bits = arg(a, 0)?;
    let (at, new) = (place(bits, int_arg(a, 1))?, int_arg(a, 2));
    if !matches!(new, 0 | 1) {
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "new bit must be 0 or 1"));
    }
    let mut out = room(bits.len)?;
    out.extend_from_slice(bits.bytes);
    let mask = 0x80 >> (at % 8);
    if new == 1 {
        out[at / 8] |= mask;
    } else {
        out[at / 8] &= !mask;
    }
    made(bits.len, out)
}

const B: &[T] = &[T::Bit];
const BB: &[T] = &[T::Bit, T::Bit];
const BI: &[T] = &[T::Bit, T::Int4];
const BII: &[T] = &[T::Bit, T::Int4, T::Int4];
const VV: &[T] = &[T::Varbit, T::Varbit];

pub(crate) static OPERATORS: &[ScalarFn] = &[
    op("&", BB, T::Bit, and),
    op("|", BB, T::Bit, or),
    op("#", BB, T::Bit, xor),
    op("~", B, T::Bit, not),
    op("<<", BI, T::Bit, left),
    op(">>", BI, T::Bit, right),
    op("||", VV, T::Varbit, concat),
];

pub(super) const TABLE: &[ScalarFn] = &[
    f("bitand", BB, T::Bit, and),
    f("bitor", BB, T::Bit, or),
    f("bitxor", BB, T::Bit, xor),
    f("bitnot", B, T::Bit, not),
    f("bitshiftleft", BI, T::Bit, left),
    f("bitshiftright", BI, T::Bit, right),
    f("bitcat", VV, T::Varbit, concat),
    f("length", B, T::Int4, length),
    f("bit_length", B, T::Int4, length),
    f("octet_length", B, T::Int4, octet_length),
    f("bit_count", B, T::Int8, count),
    f("substring", BI, T::Bit, substring),
    f("substring", BII, T::Bit, substring),
    f("overlay", &[T::Bit, T::Bit, T::Int4], T::Bit, overlay),
    f("overlay", &[T::Bit, T::Bit, T::Int4, T::Int4], T::Bit, overlay),
    f("position", BB, T::Int4, position),
    f("get_bit", BI, T::Int4, get_bit),
    f("set_bit", BII, T::Bit, set_bit),
];
