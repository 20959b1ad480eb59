//! Functions that return rows about the session.
//!
//! Must not know: how sessions are kept.

use super::{Rows, SetFn, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::funcs::files;
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

/// What the control file says of checkpoints, as far as there is such a thing here.
fn control_checkpoint(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let figure = |name: &str| ctx.env.statistic(name, 0).unwrap_or(Datum::Null);
    let redo = figure("control_redo_lsn");
    let file = match redo {
        Datum::Lsn(lsn) => Datum::from(ctx.env.log_file_of(lsn)?.0),
        _ => Datum::Null,
    };
    let next = figure("next_transaction").as_i64().map(|id| format!("{}:{}", id >> 32, id as u32));
    let mut row = vec![Datum::Null; CHECKPOINT.len()];
    (row[1], row[2]) = (redo, file);
    // As in `IDENTIFY_SYSTEM`: what begins with a promotion is told by the life of the log.
    (row[3], row[4]) = (Datum::Int4(1), Datum::Int4(1));
    row[5] = Datum::Bool(ctx.env.setting("full_page_writes").as_deref() == Some("on"));
    row[6] = Datum::from(next);
    row[17] = figure("control_checkpoint_time");
    out.push_all(row)
}

/// What was decided when the database was made.
fn control_init(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let number = |name: &str| {
        let value = ctx.env.setting(name).and_then(|v| v.parse().ok());
        value.map_or(Datum::Null, Datum::Int4)
    };
    let segment = ctx.env.log_segments()?.1;
    out.push([
        Datum::Int4(8),
        number("block_size"),
        Datum::Null,
        number("wal_block_size"),
        Datum::Int4(i32::try_from(segment).unwrap_or(i32::MAX)),
        Datum::Int4(64),
        Datum::Int4(32),
        Datum::Null,
        Datum::Null,
        Datum::Bool(true),
        Datum::Int4(1),
        Datum::Bool(true),
    ])
}

/// Where a recovery is to end: nobody waits for one that has not.
fn control_recovery(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let is_known = !ctx.env.is_in_recovery();
    let or_null = |d: Datum| if is_known { d } else { Datum::Null };
    out.push([
        or_null(Datum::Lsn(0)),
        or_null(Datum::Int4(0)),
        or_null(Datum::Lsn(0)),
        or_null(Datum::Lsn(0)),
        or_null(Datum::Bool(false)),
    ])
}

const CHECKPOINT: &[(&str, Type)] = &[
    ("checkpoint_lsn", Type::PgLsn),
    ("redo_lsn", Type::PgLsn),
    ("redo_wal_file", Type::Text),
    ("timeline_id", Type::Int4),
    ("prev_timeline_id", Type::Int4),
    ("full_page_writes", Type::Bool),
    ("next_xid", Type::Text),
    ("next_oid", Type::Oid),
    ("next_multixact_id", Type::Xid),
    ("next_multi_offset", Type::Xid),
    ("oldest_xid", Type::Xid),
    ("oldest_xid_dbid", Type::Oid),
    ("oldest_active_xid", Type::Xid),
    ("oldest_multi_xid", Type::Xid),
    ("oldest_multi_dbid", Type::Oid),
    ("oldest_commit_ts_xid", Type::Xid),
    ("newest_commit_ts_xid", Type::Xid),
    ("checkpoint_time", Type::Timestamptz),
];

const INIT: &[(&str, Type)] = &[
    ("max_data_alignment", Type::Int4),
    ("database_block_size", Type::Int4),
    ("blocks_per_segment", Type::Int4),
    ("wal_block_size", Type::Int4),
    ("bytes_per_wal_segment", Type::Int4),
    ("max_identifier_length", Type::Int4),
    ("max_index_columns", Type::Int4),
    ("max_toast_chunk_size", Type::Int4),
    ("large_object_chunk_size", Type::Int4),
    ("float8_pass_by_value", Type::Bool),
    ("data_page_checksum_version", Type::Int4),
    ("default_char_signedness", Type::Bool),
];

const RECOVERY: &[(&str, Type)] = &[
    ("min_recovery_end_lsn", Type::PgLsn),
    ("min_recovery_end_timeline", Type::Int4),
    ("backup_start_lsn", Type::PgLsn),
    ("backup_end_lsn", Type::PgLsn),
    ("end_of_backup_record_required", Type::Bool),
];

const STAT_FILE: &[(&str, Type)] = &[
    ("size", Type::Int8),
    ("access", Type::Timestamptz),
    ("modification", Type::Timestamptz),
    ("change", Type::Timestamptz),
    ("creation", Type::Timestamptz),
    ("isdir", Type::Bool),
];

const LS_DIR: &[(&str, Type)] = &[("pg_ls_dir", Type::Text)];

/// No table has partitions.
fn no_partitions(_: &[Datum], _: &EvalCtx<'_>, _: &mut Rows) -> Result<(), SqlError> {
    Ok(())
}

/// The numbers of sessions: those of their processes.
fn backends(_: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let Some(Datum::Array(all)) = ctx.env.statistic("backends", 0) else { return Ok(()) };
    all.values.iter().try_for_each(|n| out.push([n.clone()]))
}

/// The databases that have something in a tablespace: all of them in the one that there is for them.
fn databases_in(a: &[Datum], ctx: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let tablespace = a[0].as_oid().unwrap_or(0);
    let Some(Datum::Array(all)) = ctx.env.statistic("tablespace_databases", tablespace) else {
        return Ok(());
    };
    all.values.iter().try_for_each(|n| out.push([n.clone()]))
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
    set("pg_ls_logdir", &[], FILES, files::list_log),
    set("pg_ls_dir", &[Type::Text], LS_DIR, files::list),
    set("pg_ls_dir", &[Type::Text, Type::Bool, Type::Bool], LS_DIR, files::list),
    set("pg_stat_file", &[Type::Text], STAT_FILE, files::stat),
    set("pg_stat_file", &[Type::Text, Type::Bool], STAT_FILE, files::stat),
    set("pg_control_checkpoint", &[], CHECKPOINT, control_checkpoint),
    set("pg_control_init", &[], INIT, control_init),
    set("pg_control_recovery", &[], RECOVERY, control_recovery),
    set(
        "pg_partition_tree",
        &[Type::Regclass],
        &[
            ("relid", Type::Regclass),
            ("parentrelid", Type::Regclass),
            ("isleaf", Type::Bool),
            ("level", Type::Int4),
        ],
        no_partitions,
    ),
    set("pg_ls_tmpdir", &[], FILES, no_files),
    set("pg_stat_get_backend_idset", &[], &[("pg_stat_get_backend_idset", Type::Int4)], backends),
    set("pg_tablespace_databases", &[Type::Oid], &[("pg_tablespace_databases", Type::Oid)], databases_in),
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
