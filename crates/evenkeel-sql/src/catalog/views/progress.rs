//! How far long commands are, with PostgreSQL's names and words.
//!
//! Where PostgreSQL counts blocks of a table, there are none here to count: rows are.
//!
//! Must not know: the commands.

use super::{ViewContext, VirtualTable, text, view};
use crate::progress::{Kind, WorkShown};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type};
use std::sync::atomic::{AtomicU64, Ordering};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] =
    &[&PG_STAT_PROGRESS_CREATE_INDEX, &PG_STAT_PROGRESS_COPY, &PG_STAT_PROGRESS_ANALYZE];

fn number(n: &AtomicU64) -> Datum {
    Datum::Int8(n.load(Ordering::Relaxed) as i64)
}

/// Rows of the commands of a kind: who runs them, and what `particulars` says, which is null to who may not see it.
fn rows(
    cx: &dyn ViewContext,
    kind: Kind,
    columns: usize,
    particulars: fn(&WorkShown) -> Vec<Datum>,
) -> Result<Vec<Vec<Datum>>, SqlError> {
    let works = cx.progress().into_iter().filter(|w| w.work.kind == kind);
    let row = |w: WorkShown| {
        let mut row = vec![Datum::Int4(w.pid), Datum::Oid(w.database), text(&w.database_name)];
        if w.is_visible {
            row.extend(particulars(&w));
        }
        row.resize(columns, Datum::Null);
        row
    };
    Ok(works.map(row).collect())
}

static PG_STAT_PROGRESS_CREATE_INDEX: VirtualTable = view(
    12463,
    "pg_stat_progress_create_index",
    &[
        ("pid", Type::Int4),
        ("datid", Type::Oid),
        ("datname", Type::Name),
        ("relid", Type::Oid),
        ("index_relid", Type::Oid),
        ("command", Type::Text),
        ("phase", Type::Text),
        ("lockers_total", Type::Int8),
        ("lockers_done", Type::Int8),
        ("current_locker_pid", Type::Int8),
        ("blocks_total", Type::Int8),
        ("blocks_done", Type::Int8),
        ("tuples_total", Type::Int8),
        ("tuples_done", Type::Int8),
        ("partitions_total", Type::Int8),
        ("partitions_done", Type::Int8),
    ],
    |_, cx| {
        rows(cx, Kind::CreateIndex, 16, |w| {
            let (w, none) = (&w.work, || Datum::Int8(0));
            let mut row = vec![Datum::Oid(w.relation), Datum::Oid(w.index), text(w.command), text(w.phase())];
            row.extend([none(), none(), none(), none(), none()]);
            row.extend([number(&w.total), number(&w.done), none(), none()]);
            row
        })
    },
);

static PG_STAT_PROGRESS_COPY: VirtualTable = view(
    12462,
    "pg_stat_progress_copy",
    &[
        ("pid", Type::Int4),
        ("datid", Type::Oid),
        ("datname", Type::Name),
        ("relid", Type::Oid),
        ("command", Type::Text),
        ("type", Type::Text),
        ("bytes_processed", Type::Int8),
        ("bytes_total", Type::Int8),
        ("tuples_processed", Type::Int8),
        ("tuples_excluded", Type::Int8),
        ("tuples_skipped", Type::Int8),
    ],
    |_, cx| {
        rows(cx, Kind::Copy, 11, |w| {
            let w = &w.work;
            // The client's data, whose size is not known; no files are read or written here.
            let mut row = vec![Datum::Oid(w.relation), text(w.command), text("PIPE")];
            row.extend([number(&w.bytes), Datum::Int8(0), number(&w.done), number(&w.excluded)]);
            row.push(number(&w.skipped));
            row
        })
    },
);

static PG_STAT_PROGRESS_ANALYZE: VirtualTable = view(
    12460,
    "pg_stat_progress_analyze",
    &[
        ("pid", Type::Int4),
        ("datid", Type::Oid),
        ("datname", Type::Name),
        ("relid", Type::Oid),
        ("phase", Type::Text),
        ("sample_blks_total", Type::Int8),
        ("sample_blks_scanned", Type::Int8),
        ("ext_stats_total", Type::Int8),
        ("ext_stats_computed", Type::Int8),
        ("child_tables_total", Type::Int8),
        ("child_tables_done", Type::Int8),
        ("current_child_table_relid", Type::Oid),
        ("delay_time", Type::Float8),
    ],
    |_, cx| {
        rows(cx, Kind::Analyze, 13, |w| {
            let (w, none) = (&w.work, || Datum::Int8(0));
            let mut row = vec![Datum::Oid(w.relation), text(w.phase()), number(&w.total), number(&w.done)];
            row.extend([none(), none(), none(), none(), Datum::Oid(0), Datum::Float8(0.0)]);
            row
        })
    },
);
