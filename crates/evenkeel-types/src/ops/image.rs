//! `*=`, `*<` and their like: rows compared by how their values are kept, not by what their types say about them.
//!
//! Invariants
//! 1. Equal are values of one image alone: `1.0` and `1.00` are not. NULL equals NULL, and comes last.
//!
//! Must not know: tables.

use super::op;
use crate::binary_io::output_binary;
use crate::datum::{Datum, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type;
use std::cmp::Ordering;

const RR: &[Type] = &[Type::Record, Type::Record];

pub(super) const TABLE: &[ScalarFn] = &[
    op("*=", RR, Type::Bool, |a, c| asked(a, c, Ordering::is_eq)),
    op("*<>", RR, Type::Bool, |a, c| asked(a, c, Ordering::is_ne)),
    op("*<", RR, Type::Bool, |a, c| asked(a, c, Ordering::is_lt)),
    op("*<=", RR, Type::Bool, |a, c| asked(a, c, Ordering::is_le)),
    op("*>", RR, Type::Bool, |a, c| asked(a, c, Ordering::is_gt)),
    op("*>=", RR, Type::Bool, |a, c| asked(a, c, Ordering::is_ge)),
];

fn asked(a: &[Datum], ctx: &EvalCtx<'_>, holds: fn(Ordering) -> bool) -> Result<Datum, SqlError> {
    match a {
        [Datum::Record(a), Datum::Record(b)] => compared(a, b, ctx).map(|o| Datum::Bool(holds(o))),
        _ => Ok(Datum::Null),
    }
}

fn compared(a: &RecordDatum, b: &RecordDatum, ctx: &EvalCtx<'_>) -> Result<Ordering, SqlError> {
    let wrong = |why: String| SqlError::new(SqlState::DATATYPE_MISMATCH, why);
    for (n, (x, y)) in a.values.iter().zip(&b.values).enumerate() {
        let (of_x, of_y) = (a.types[n], b.types[n]);
        if of_x != of_y {
            return Err(wrong(format!(
                "cannot compare dissimilar column types {} and {} at record column {}",
                of_x.sql_name(),
                of_y.sql_name(),
                n + 1
            )));
        }
        let order = match (x.is_null(), y.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => match (word(x), word(y)) {
                (Some(x), Some(y)) => x.cmp(&y),
                _ => bytes(x, of_x, ctx).cmp(&bytes(y, of_y, ctx)),
            },
        };
        if order.is_ne() {
            return Ok(order);
        }
    }
    if a.values.len() != b.values.len() {
        return Err(wrong("cannot compare record types with different numbers of columns".to_owned()));
    }
    Ok(Ordering::Equal)
}

/// What PostgreSQL keeps in a word, without a sign.
fn word(d: &Datum) -> Option<u64> {
    Some(match d {
        Datum::Bool(v) => u64::from(*v),
        Datum::Int2(v) => i64::from(*v) as u64,
        Datum::Int4(v) | Datum::Date(v) => i64::from(*v) as u64,
        Datum::Int8(v) | Datum::Timestamp(v) | Datum::Timestamptz(v) | Datum::Time(v) => *v as u64,
        Datum::Float4(v) => i64::from(v.to_bits() as i32) as u64,
        Datum::Float8(v) => v.to_bits(),
        Datum::Oid(v) => u64::from(*v),
        Datum::Enum(_, n) => *n,
        _ => return None,
    })
}

fn bytes(d: &Datum, ty: Type, ctx: &EvalCtx<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    output_binary(d, ty, -1, ctx.format, &mut out);
    out
}
