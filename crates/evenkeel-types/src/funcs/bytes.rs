//! Functions on `bytea`: parts, bits, checksums, escapes of LIKE.

use super::substring::index_error;
use super::{Eval, bytes_arg, f, int_arg};
use crate::cast::out_of_range;
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard::build::kept_bytes;
use crate::guard::{Pace, check};
use crate::ty::Type as T;

/// Bytes between two looks.
const CHUNK_BYTES: usize = 64 << 10;

fn made(bytes: &[u8]) -> Eval {
    Ok(Datum::Bytes(kept_bytes(bytes)?))
}

fn reverse(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    ctx.make_len(bytes_arg(a, 0).len())?;
    let mut out = bytes_arg(a, 0).to_vec();
    out.reverse();
    made(&out)
}

/// Where the second first is in the first, counted from 1; nothing is at the front.
fn position(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    check()?;
    let found = memchr::memmem::find(bytes_arg(a, 0), bytes_arg(a, 1));
    Ok(Datum::Int4(found.map_or(0, |at| at as i32 + 1)))
}

fn overlay(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (bytes, new, from) = (bytes_arg(a, 0), bytes_arg(a, 1), int_arg(a, 2));
    let len = if a.len() > 3 { int_arg(a, 3) } else { new.len() as i64 };
    if from <= 0 {
        return Err(SqlError::new(SqlState::SUBSTRING_ERROR, "negative substring length not allowed"));
    }
    i32::try_from(from + len).map_err(|_| out_of_range(T::Int4))?;
    let within = |at: i64| at.clamp(0, bytes.len() as i64) as usize;
    let (before, after) = (&bytes[..within(from - 1)], &bytes[within(from - 1 + len)..]);
    ctx.make_len(before.len() + new.len() + after.len())?;
    made(&[before, new, after].concat())
}

fn trimmed(a: &[Datum], front: bool) -> Eval {
    let (bytes, set) = (bytes_arg(a, 0), bytes_arg(a, 1));
    let other = |b: &u8| !set.contains(b);
    let part = match front {
        true => &bytes[bytes.iter().position(other).unwrap_or(bytes.len())..],
        false => &bytes[..bytes.iter().rposition(other).map_or(0, |n| n + 1)],
    };
    made(part)
}

fn ltrim(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    trimmed(a, true)
}

fn rtrim(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    trimmed(a, false)
}

fn set_bit(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (bytes, n, bit) = (bytes_arg(a, 0), int_arg(a, 1), int_arg(a, 2));
    let at = usize::try_from(n / 8).ok().filter(|at| n >= 0 && *at < bytes.len());
    let at = at.ok_or_else(|| index_error(n, bytes.len() * 8))?;
    if !(0..=1).contains(&bit) {
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "new bit must be 0 or 1"));
    }
    ctx.make_len(bytes.len())?;
    let mut out = bytes.to_vec();
    out[at] = out[at] & !(1 << (n % 8)) | (bit as u8) << (n % 8);
    made(&out)
}

/// A checksum of 32 bits whose polynomial is given with its bits reversed.
fn crc(bytes: &[u8], polynomial: u32) -> Eval {
    let mut table = [0u32; 256];
    for (n, entry) in table.iter_mut().enumerate() {
        *entry = (0..8).fold(n as u32, |c, _| if c & 1 == 1 { c >> 1 ^ polynomial } else { c >> 1 });
    }
    let (mut crc, mut pace) = (u32::MAX, Pace::default());
    for chunk in bytes.chunks(CHUNK_BYTES) {
        pace.bytes(chunk.len())?;
        crc = chunk.iter().fold(crc, |c, b| table[usize::from(c as u8 ^ b)] ^ c >> 8);
    }
    Ok(Datum::Int8(i64::from(!crc)))
}

fn crc32(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    crc(bytes_arg(a, 0), 0xEDB8_8320)
}

fn crc32c(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    crc(bytes_arg(a, 0), 0x82F6_3B78)
}

/// A pattern whose escapes are the byte that is given, as one whose escapes are backslashes; none: it has none.
fn like_escape(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (pattern, escape) = (bytes_arg(a, 0), bytes_arg(a, 1));
    let escape = match escape {
        [] => None,
        [one] => Some(*one),
        _ => {
            return Err(SqlError::new(SqlState::INVALID_ESCAPE_SEQUENCE, "invalid escape string")
                .with_hint("Escape string must be empty or one character."));
        }
    };
    ctx.make_len(2 * pattern.len())?;
    let (mut out, mut after) = (Vec::with_capacity(pattern.len()), false);
    for b in pattern {
        if escape == Some(*b) && !after {
            out.push(b'\\');
            after = true;
            continue;
        }
        if *b == b'\\' && !after {
            out.push(b'\\');
        }
        out.push(*b);
        after = false;
    }
    made(&out)
}

const B: &[T] = &[T::Bytea];
const BB: &[T] = &[T::Bytea, T::Bytea];

pub(super) static TABLE: &[ScalarFn] = &[
    f("reverse", B, T::Bytea, reverse),
    f("position", BB, T::Int4, position),
    f("overlay", &[T::Bytea, T::Bytea, T::Int4], T::Bytea, overlay),
    f("overlay", &[T::Bytea, T::Bytea, T::Int4, T::Int4], T::Bytea, overlay),
    f("ltrim", BB, T::Bytea, ltrim),
    f("rtrim", BB, T::Bytea, rtrim),
    f("set_bit", &[T::Bytea, T::Int8, T::Int4], T::Bytea, set_bit),
    f("crc32", B, T::Int8, crc32),
    f("crc32c", B, T::Int8, crc32c),
    f("like_escape", BB, T::Bytea, like_escape),
];
