//! Functions that return rows about the session.
//!
//! Must not know: how sessions are kept.

use super::{Rows, SetFn, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::EvalCtx;
use crate::ty::Type;

fn listening_channels(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    ctx.env.listening_channels().into_iter().try_for_each(|channel| out.push([Datum::from(channel)]))
}

/// PostgreSQL 18's numbers, and this database's own.
fn control_system(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let id = ctx.env.statistic("system_identifier", 0).unwrap_or(Datum::Null);
    out.push([
        Datum::Int4(1800),
        Datum::Int4(202_506_291),
        id,
        Datum::Timestamptz(ctx.env.start_times_us().0),
    ])
}

fn log_segments(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let (names, bytes) = ctx.env.log_segments()?;
    names.into_iter().try_for_each(|(name, at)| {
        out.push([Datum::from(name), Datum::Int8(bytes as i64), at.map_or(Datum::Null, Datum::Timestamptz)])
    })
}

/// Temporary files have no names here, and end with whoever writes them.
fn no_files(_: &[Datum], _: &EvalCtx<'_>, _: &mut Rows) -> Result<(), SqlError> {
    Ok(())
}

const FILES: &[(&str, Type)] =
    &[("name", Type::Text), ("size", Type::Int8), ("modification", Type::Timestamptz)];

pub(super) static TABLE: &[SetFn] = &[
    set("pg_listening_channels", &[], &[("pg_listening_channels", Type::Text)], listening_channels),
    set("pg_ls_waldir", &[], FILES, log_segments),
    set("pg_ls_tmpdir", &[], FILES, no_files),
    set("pg_ls_tmpdir", &[Type::Oid], FILES, no_files),
    set(
        "pg_control_system",
        &[],
        &[
            ("pg_control_version", Type::Int4),
            ("catalog_version_no", Type::Int4),
            ("system_identifier", Type::Int8),
            ("pg_control_last_modified", Type::Timestamptz),
        ],
        control_system,
    ),
];
