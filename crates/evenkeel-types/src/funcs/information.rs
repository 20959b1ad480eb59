//! Functions of `information_schema`, that tell of a column's type and modifier what the schema's views show of it.

use super::{Eval, f as plain, int_arg, oid_arg};
use crate::datum::Datum;
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::{Type as T, format_type};

/// What texts without a limit are told to take.
const OCTETS_MAX: i32 = 1 << 30;
/// Bytes of a character of UTF-8, the one encoding of a database here.
const CHARACTER_OCTETS: i32 = 4;
/// Of a length and of precision and scale, in front of the modifier.
const HEADER: i32 = 4;

fn column(a: &[Datum]) -> (Option<T>, i32) {
    (T::from_oid(oid_arg(a, 0)), int_arg(a, 1) as i32)
}

fn int(n: Option<i32>) -> Eval {
    Ok(n.map_or(Datum::Null, Datum::Int4))
}

fn max_length(ty: Option<T>, typmod: i32) -> Option<i32> {
    match ty? {
        _ if typmod == -1 => None,
        T::Bpchar | T::Varchar => typmod.checked_sub(HEADER),
        T::Bit | T::Varbit => Some(typmod),
        _ => None,
    }
}

fn char_max_length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (ty, typmod) = column(a);
    int(max_length(ty, typmod))
}

fn char_octet_length(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (ty, typmod) = column(a);
    if !matches!(ty, Some(T::Text | T::Bpchar | T::Varchar)) {
        return Ok(Datum::Null);
    }
    match typmod {
        -1 => int(Some(OCTETS_MAX)),
        _ => int(max_length(ty, typmod).and_then(|l| l.checked_mul(CHARACTER_OCTETS))),
    }
}

/// A part of the modifier of a `numeric`.
fn of_numeric(typmod: i32, shift: u32) -> Option<i32> {
    if typmod == -1 { None } else { Some((typmod.wrapping_sub(HEADER) >> shift) & 0xffff) }
}

fn numeric_precision(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (ty, typmod) = column(a);
    int(match ty {
        Some(T::Int2) => Some(16),
        Some(T::Int4) => Some(32),
        Some(T::Int8) => Some(64),
        Some(T::Float4) => Some(24),
        Some(T::Float8) => Some(53),
        Some(T::Numeric) => of_numeric(typmod, 16),
        _ => None,
    })
}

fn numeric_radix(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    int(match column(a).0 {
        Some(T::Int2 | T::Int4 | T::Int8 | T::Float4 | T::Float8) => Some(2),
        Some(T::Numeric) => Some(10),
        _ => None,
    })
}

fn numeric_scale(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (ty, typmod) = column(a);
    int(match ty {
        Some(T::Int2 | T::Int4 | T::Int8) => Some(0),
        Some(T::Numeric) => of_numeric(typmod, 0),
        _ => None,
    })
}

fn datetime_precision(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    const DIGITS: i32 = 6;
    // Of the modifier of an interval, which has its fields beside them.
    const ALL_DIGITS: i32 = 0xffff;
    let (ty, typmod) = column(a);
    int(match ty {
        Some(T::Date) => Some(0),
        Some(T::Time | T::Timestamp | T::Timestamptz | T::Timetz) if typmod >= 0 => Some(typmod),
        Some(T::Interval) if typmod >= 0 && typmod & 0xffff != ALL_DIGITS => Some(typmod & 0xffff),
        Some(T::Time | T::Timestamp | T::Timestamptz | T::Timetz | T::Interval) => Some(DIGITS),
        _ => None,
    })
}

/// The fields of an interval, as `DAY TO SECOND(3)`.
fn interval_type(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (Some(T::Interval), typmod) = column(a) else { return Ok(Datum::Null) };
    let shown = format_type(T::Interval, typmod);
    let fields = shown
        .strip_prefix("interval")
        .map(|s| s.trim_start_matches(|c: char| "()".contains(c) || c.is_ascii_digit()));
    Ok(fields.and_then(|s| s.strip_prefix(' ')).map_or(Datum::Null, |s| Datum::from(s.to_uppercase())))
}

/// At which place of an index a column of the table stands.
fn index_position(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let column = a[1].as_i64().and_then(|n| i16::try_from(n).ok());
    int(a[0].as_oid().zip(column).and_then(|(index, column)| ctx.env.index_position(index, column)))
}

const COLUMN: &[T] = &[T::Oid, T::Int4];

const fn f(name: &'static str, ret: T, run: fn(&[Datum], &EvalCtx<'_>) -> Eval) -> ScalarFn {
    plain(name, COLUMN, ret, run)
}

/// The functions of this file.
pub(super) static TABLE: &[ScalarFn] = &[
    f("_pg_char_max_length", T::Int4, char_max_length),
    f("_pg_char_octet_length", T::Int4, char_octet_length),
    f("_pg_numeric_precision", T::Int4, numeric_precision),
    f("_pg_numeric_precision_radix", T::Int4, numeric_radix),
    f("_pg_numeric_scale", T::Int4, numeric_scale),
    f("_pg_datetime_precision", T::Int4, datetime_precision),
    super::stable("_pg_index_position", &[T::Oid, T::Int2], T::Int4, index_position),
    f("_pg_interval_type", T::Text, interval_type),
];
