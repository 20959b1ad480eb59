//! Functions that return rows made of what catalogs keep.
//!
//! Must not know: catalogs.

use super::{Rows, SetFn, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::EvalCtx;
use crate::ty::Type;

/// `name=value` of each option.
fn options(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let Datum::Array(list) = &a[0] else { return Ok(()) };
    for option in list.values.iter().filter_map(Datum::as_str) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Datum::text(value)),
            None => (option, Datum::Null),
        };
        out.push([Datum::text(name), value])?;
    }
    Ok(())
}

/// The elements of a vector with their numbers, from 1.
fn expand(a: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let Datum::Array(list) = &a[0] else { return Ok(()) };
    (1..).zip(list.values.iter()).try_for_each(|(n, v)| out.push([v.clone(), Datum::Int4(n)]))
}

/// The state of a sequence.
fn sequence(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let [value, is_called] = &crate::funcs::SEQUENCE_ROW;
    out.push([(value.call)(a, ctx)?, (is_called.call)(a, ctx)?])
}

pub(super) const TABLE: &[SetFn] = &[
    set(
        "pg_options_to_table",
        &[Type::TextArray],
        &[("option_name", Type::Text), ("option_value", Type::Text)],
        options,
    ),
    set(
        "pg_get_sequence_data",
        &[Type::Regclass],
        &[("last_value", Type::Int8), ("is_called", Type::Bool)],
        sequence,
    ),
    set("_pg_expandarray", &[Type::Int2Vector], &[("x", Type::Int2), ("n", Type::Int4)], expand),
    set("_pg_expandarray", &[Type::OidVector], &[("x", Type::Oid), ("n", Type::Int4)], expand),
];
