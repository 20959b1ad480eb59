//! What is asked of how values and indexes are kept: sizes, compression, summaries of BRIN indexes.

use super::{Eval, lenient, oid_arg, stable, str_arg, volatile};
use crate::binary_io::output_binary;
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

/// The longest value whose length takes one byte.
const SHORT_BYTES_MAX: usize = 126;

/// Bytes of a value of a fixed length, else of its length and what it is made of.
fn column_size(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let d = &a[0];
    let ty = d.natural_type();
    let bytes = match d {
        Datum::Text(_) | Datum::Bpchar(_) | Datum::Citext(_) | Datum::Json(_) | Datum::Bytes(_) => {
            with_length(d.as_str().map_or_else(|| d.as_bytes().map_or(0, <[u8]>::len), str::len))
        }
        Datum::Timetz(..) => 12,
        Datum::Interval(_) => 16,
        Datum::Bool(_)
        | Datum::Int2(_)
        | Datum::Int4(_)
        | Datum::Int8(_)
        | Datum::Float4(_)
        | Datum::Float8(_)
        | Datum::Date(_)
        | Datum::Time(_)
        | Datum::Timestamp(_)
        | Datum::Timestamptz(_)
        | Datum::Oid(_)
        | Datum::Uuid(_)
        | Datum::Lsn(_)
        | Datum::Macaddr(_)
        | Datum::Macaddr8(_)
        | Datum::Xid8(_)
        | Datum::Money(_)
        | Datum::Tid(_) => binary_len(d, ty, ctx),
        Datum::Enum(..) => 4,
        _ => with_length(binary_len(d, ty, ctx)),
    };
    Ok(Datum::Int4(bytes.min(i32::MAX as usize) as i32))
}

fn with_length(bytes: usize) -> usize {
    if bytes <= SHORT_BYTES_MAX { bytes + 1 } else { bytes + 4 }
}

fn binary_len(d: &Datum, ty: T, ctx: &EvalCtx<'_>) -> usize {
    let mut out = Vec::new();
    output_binary(d, ty, -1, ctx.format, &mut out);
    out.len()
}

/// Nothing is compressed, and nothing is kept in chunks with numbers.
fn none(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Null)
}

/// Refuses what is no BRIN index.
fn brin_index(a: &[Datum], ctx: &EvalCtx<'_>) -> Result<(), SqlError> {
    let oid = oid_arg(a, 0);
    let name = || ctx.env.reg_name(T::Regclass, oid).unwrap_or_else(|| oid.to_string());
    let wrong = |why: String| SqlError::new(SqlState::WRONG_OBJECT_TYPE, why);
    match ctx.env.index_def(oid, 0, false) {
        None => Err(wrong(format!("\"{}\" is not an index", name()))),
        Some(text) if !text.contains(" USING brin ") => {
            Err(wrong(format!("\"{}\" is not a BRIN index", name())))
        }
        Some(_) => Ok(()),
    }
}

/// Ranges without a summary: none, as its entries are those of a B-tree.
fn summarized(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    brin_index(a, ctx)?;
    Ok(Datum::Int4(0))
}

fn desummarized(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    brin_index(a, ctx)?;
    Ok(Datum::text(""))
}

/// The modifier of a type that is named; NULL if there is no such type.
fn type_modifier(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let name = str_arg(a, 0);
    let found = match &ctx.format.reg_names {
        Some(names) => {
            names.named_type(name).map(|(_, typmod, domain)| if domain.is_some() { -1 } else { typmod })
        }
        None => super::escapes::named_type(name, ctx).map(|t| t.1),
    };
    match found {
        Ok(typmod) => Ok(Datum::Int4(typmod)),
        Err(e) if e.code == SqlState::UNDEFINED_OBJECT => Ok(Datum::Null),
        Err(e) => Err(e),
    }
}

const ANY: &[T] = &[T::Any];

pub(super) static TABLE: &[ScalarFn] = &[
    stable("pg_column_size", ANY, T::Int4, column_size),
    lenient(stable("pg_column_compression", ANY, T::Text, none)),
    lenient(stable("pg_column_toast_chunk_id", ANY, T::Oid, none)),
    volatile("brin_summarize_new_values", &[T::Regclass], T::Int4, summarized),
    volatile("brin_summarize_range", &[T::Regclass, T::Int8], T::Int4, summarized),
    volatile("brin_desummarize_range", &[T::Regclass, T::Int8], T::Void, desummarized),
    stable("to_regtypemod", &[T::Text], T::Int4, type_modifier),
];
