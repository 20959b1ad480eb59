//! `pg_stat_statements` and `pg_stat_statements_info`, with the columns of PostgreSQL 18's extension. They are there without CREATE EXTENSION, too.
//!
//! Must not know: how statements are counted.

use super::stats::count;
use super::{VirtualTable, view};
use crate::counted::{Counts, Times};
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_STAT_STATEMENTS, &PG_STAT_STATEMENTS_INFO];

/// A statement as the view shows it to who looks.
pub struct CountedRow {
    /// Who ran it.
    pub role: u32,
    /// Where.
    pub database: u32,
    /// Its number and normal text; None: who looks may not see them.
    pub statement: Option<(i64, std::sync::Arc<str>)>,
    /// What it took.
    pub counts: Counts,
}

static PG_STAT_STATEMENTS: VirtualTable = view(
    12470,
    "pg_stat_statements",
    &[
        ("userid", Type::Oid),
        ("dbid", Type::Oid),
        ("toplevel", Type::Bool),
        ("queryid", Type::Int8),
        ("query", Type::Text),
        ("plans", Type::Int8),
        ("total_plan_time", Type::Float8),
        ("min_plan_time", Type::Float8),
        ("max_plan_time", Type::Float8),
        ("mean_plan_time", Type::Float8),
        ("stddev_plan_time", Type::Float8),
        ("calls", Type::Int8),
        ("total_exec_time", Type::Float8),
        ("min_exec_time", Type::Float8),
        ("max_exec_time", Type::Float8),
        ("mean_exec_time", Type::Float8),
        ("stddev_exec_time", Type::Float8),
        ("rows", Type::Int8),
        ("shared_blks_hit", Type::Int8),
        ("shared_blks_read", Type::Int8),
        ("shared_blks_dirtied", Type::Int8),
        ("shared_blks_written", Type::Int8),
        ("local_blks_hit", Type::Int8),
        ("local_blks_read", Type::Int8),
        ("local_blks_dirtied", Type::Int8),
        ("local_blks_written", Type::Int8),
        ("temp_blks_read", Type::Int8),
        ("temp_blks_written", Type::Int8),
        ("shared_blk_read_time", Type::Float8),
        ("shared_blk_write_time", Type::Float8),
        ("local_blk_read_time", Type::Float8),
        ("local_blk_write_time", Type::Float8),
        ("temp_blk_read_time", Type::Float8),
        ("temp_blk_write_time", Type::Float8),
        ("wal_records", Type::Int8),
        ("wal_fpi", Type::Int8),
        ("wal_bytes", Type::Numeric),
        ("wal_buffers_full", Type::Int8),
        ("jit_functions", Type::Int8),
        ("jit_generation_time", Type::Float8),
        ("jit_inlining_count", Type::Int8),
        ("jit_inlining_time", Type::Float8),
        ("jit_optimization_count", Type::Int8),
        ("jit_optimization_time", Type::Float8),
        ("jit_emission_count", Type::Int8),
        ("jit_emission_time", Type::Float8),
        ("jit_deform_count", Type::Int8),
        ("jit_deform_time", Type::Float8),
        ("parallel_workers_to_launch", Type::Int8),
        ("parallel_workers_launched", Type::Int8),
        ("stats_since", Type::Timestamptz),
        ("minmax_stats_since", Type::Timestamptz),
    ],
    |_, cx| {
        const PAGE_BYTES: u64 = evenkeel::PAGE_BYTES as u64;
        let times = |t: &Times| {
            let ms = [t.total_ms, t.min_ms, t.max_ms, t.mean_ms, t.deviation_ms()];
            [Datum::Int8(t.count)].into_iter().chain(ms.map(Datum::Float8))
        };
        let none = |n: usize| std::iter::repeat_n(count(0), n);
        let row = |r: CountedRow| {
            let (c, u) = (&r.counts, &r.counts.engine);
            let (number, text) = match r.statement {
                Some((number, text)) => (Datum::Int8(number), Datum::Text(text)),
                None => (Datum::Null, Datum::text("<insufficient privilege>")),
            };
            let mut row = vec![Datum::Oid(r.role), Datum::Oid(r.database), Datum::Bool(true), number, text];
            row.extend(times(&c.plans));
            row.extend(times(&c.calls));
            row.extend([c.rows, u.hits, u.reads, u.dirtied, u.written].map(count));
            row.extend(none(4));
            row.extend([c.temp_read_bytes, c.temp_written_bytes].map(|b| count(b.div_ceil(PAGE_BYTES))));
            row.extend(std::iter::repeat_n(Datum::Float8(0.0), 6));
            row.extend([count(u.records), count(u.images)]);
            row.push(Datum::Numeric((u.log_bytes.min(i64::MAX as u64) as i64).into()));
            row.push(count(0));
            for _ in 0..5 {
                row.extend([count(0), Datum::Float8(0.0)]);
            }
            row.extend(none(2));
            row.extend([Datum::Timestamptz(c.since_us), Datum::Timestamptz(c.extremes_since_us)]);
            row
        };
        Ok(cx.counted().into_iter().map(row).collect())
    },
);

static PG_STAT_STATEMENTS_INFO: VirtualTable = view(
    12471,
    "pg_stat_statements_info",
    &[("dealloc", Type::Int8), ("stats_reset", Type::Timestamptz)],
    |_, cx| {
        let (dealloc, reset_us) = cx.counted_info();
        Ok(vec![vec![count(dealloc), Datum::Timestamptz(reset_us)]])
    },
);
