//! Statistics views with PostgreSQL's names, filled from the engine's counters as far as it has them.
//!
//! Must not know: how the engine counts.

use super::{VirtualTable, opt, text, view};
use crate::of_engine::Group;
use evenkeel::histogram::{Counts, bounds};
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[
    &PG_STAT_WAL,
    &PG_STAT_ARCHIVER,
    &PG_STAT_PROGRESS_BASEBACKUP,
    &PG_STAT_IO,
    &EVENKEEL_STAT_COMMIT,
    &EVENKEEL_STAT_COMMIT_HISTOGRAM,
    &PG_STAT_BGWRITER,
    &PG_STAT_CHECKPOINTER,
    &PG_STAT_RECOVERY_PREFETCH,
    &EVENKEEL_STAT_CHECKPOINT_PARTITIONS,
    &PG_STAT_DATABASE,
];

pub(super) fn count(n: u64) -> Datum {
    Datum::Int8(n.min(i64::MAX as u64) as i64)
}

fn bytes(n: u64) -> Datum {
    Datum::Numeric((n.min(i64::MAX as u64) as i64).into())
}

pub(super) fn ms(us: u64) -> Datum {
    Datum::Float8(us as f64 / 1000.0)
}

pub(super) static PG_STAT_WAL: VirtualTable = view(
    12300,
    "pg_stat_wal",
    &[
        ("wal_records", Type::Int8),
        ("wal_fpi", Type::Int8),
        ("wal_bytes", Type::Numeric),
        ("wal_buffers_full", Type::Int8),
        ("wal_write", Type::Int8),
        ("wal_sync", Type::Int8),
        ("wal_write_time", Type::Float8),
        ("wal_sync_time", Type::Float8),
        ("stats_reset", Type::Timestamptz),
    ],
    |_, cx| {
        let totals = cx.engine_totals();
        let s = totals.figures;
        Ok(vec![vec![
            count(s.wal_records),
            count(s.wal_fpi),
            bytes(s.wal_bytes),
            count(s.wal_buffers_full),
            count(s.wal_writes),
            count(s.wal_syncs),
            ms(s.wal_write_us),
            ms(s.wal_sync_us),
            Datum::Timestamptz(totals.since(Group::Wal)),
        ]])
    },
);

// PostgreSQL's columns, then ours. One row; of the archive's own columns most are null without an archive_url.
pub(super) static PG_STAT_ARCHIVER: VirtualTable = view(
    12312,
    "pg_stat_archiver",
    &[
        ("archived_count", Type::Int8),
        ("last_archived_wal", Type::Text),
        ("last_archived_time", Type::Timestamptz),
        ("failed_count", Type::Int8),
        ("last_failed_wal", Type::Text),
        ("last_failed_time", Type::Timestamptz),
        ("stats_reset", Type::Timestamptz),
        ("archive_url", Type::Text),
        ("timeline", Type::Int8),
        ("log_bytes", Type::Int8),
        ("stored_bytes", Type::Int8),
        ("lag_bytes", Type::Int8),
        ("oldest_unarchived_seconds", Type::Float8),
        ("writes_refused", Type::Bool),
        ("gaps", Type::Int8),
        ("last_error", Type::Text),
    ],
    |_, cx| {
        let archive = cx.database().archive_stats();
        let there = archive.is_some();
        let a = archive.unwrap_or_default();
        let at = |us: u64| if us == 0 { Datum::Null } else { Datum::Timestamptz(from_unix_us(us)) };
        let own = |d: Datum| if there { d } else { Datum::Null };
        let totals = cx.engine_totals();
        let (last, s) = (&totals.last, &totals.figures);
        Ok(vec![vec![
            count(s.archived),
            opt(last.done.as_ref().map(|(name, _)| name)),
            at(last.done.as_ref().map_or(0, |(_, us)| *us)),
            count(s.archive_failed),
            opt(last.failed.as_ref().map(|(name, _)| name)),
            at(last.failed.as_ref().map_or(0, |(_, us)| *us)),
            Datum::Timestamptz(totals.since(Group::Archiver)),
            own(text(&a.url)),
            own(count(u64::from(a.timeline))),
            own(count(s.archived_log_bytes)),
            own(count(s.archived_stored_bytes)),
            own(count(a.lag_bytes)),
            own(Datum::Float8(a.oldest_wait.as_secs_f64())),
            own(Datum::Bool(a.writes_refused)),
            own(count(s.archive_gaps)),
            opt(a.last_error.as_ref()),
        ]])
    },
);

// PostgreSQL's columns, then ours. A row while a backup is being made.
pub(super) static PG_STAT_PROGRESS_BASEBACKUP: VirtualTable = view(
    12313,
    "pg_stat_progress_basebackup",
    &[
        ("pid", Type::Int4),
        ("phase", Type::Text),
        ("backup_total", Type::Int8),
        ("backup_streamed", Type::Int8),
        ("tablespaces_total", Type::Int8),
        ("tablespaces_streamed", Type::Int8),
        ("backup_id", Type::Text),
        ("stored_bytes", Type::Int8),
        ("kept_bytes", Type::Int8),
        ("files_total", Type::Int8),
        ("files_copied", Type::Int8),
    ],
    |_, cx| {
        let row = |p: evenkeel::BackupProgress| {
            vec![
                Datum::Int4(p.pid),
                text(p.phase.name()),
                count(p.total_bytes),
                count(p.copied_bytes),
                Datum::Int8(1),
                Datum::Int8(i64::from(p.files > 0 && p.files_copied == p.files)),
                text(&p.id),
                count(p.stored_bytes),
                count(p.kept_bytes),
                count(p.files),
                count(p.files_copied),
            ]
        };
        Ok(cx.database().backup_progress().map(row).into_iter().collect())
    },
);

/// A moment of the Unix epoch in PostgreSQL's.
fn from_unix_us(us: u64) -> i64 {
    const EPOCHS_APART_US: i64 = 946_684_800_000_000;
    us.min(i64::MAX as u64) as i64 - EPOCHS_APART_US
}

// PostgreSQL 18 moved the log's writes and syncs here.
pub(super) static PG_STAT_IO: VirtualTable = view(
    12307,
    "pg_stat_io",
    &[
        ("backend_type", Type::Text),
        ("object", Type::Text),
        ("context", Type::Text),
        ("reads", Type::Int8),
        ("read_bytes", Type::Numeric),
        ("read_time", Type::Float8),
        ("writes", Type::Int8),
        ("write_bytes", Type::Numeric),
        ("write_time", Type::Float8),
        ("writebacks", Type::Int8),
        ("writeback_time", Type::Float8),
        ("extends", Type::Int8),
        ("extend_bytes", Type::Numeric),
        ("extend_time", Type::Float8),
        ("hits", Type::Int8),
        ("evictions", Type::Int8),
        ("reuses", Type::Int8),
        ("fsyncs", Type::Int8),
        ("fsync_time", Type::Float8),
        ("stats_reset", Type::Timestamptz),
    ],
    |_, cx| {
        let totals = cx.engine_totals();
        let (s, since) = (totals.figures, Datum::Timestamptz(totals.since(Group::Io)));
        let mut row = vec![text("client backend"), text("wal"), text("normal")];
        row.extend((0..3).map(|_| Datum::Null));
        row.extend([count(s.io_wal_writes), bytes(s.io_wal_bytes), ms(s.io_wal_write_us)]);
        row.extend((0..8).map(|_| Datum::Null));
        row.extend([count(s.io_wal_syncs), ms(s.io_wal_sync_us), since.clone()]);
        // Data pages: who wrote them. What a backend writes, it had to write to get a frame. What others than backends read is not counted apart,
        // nor what others than checkpoints sync, which is next to nothing.
        let relation = |who: &str, reads: Option<u64>, writes: u64, syncs: bool| {
            let size = |n: u64| bytes(n.saturating_mul(evenkeel::PAGE_BYTES as u64));
            let own = |n: u64| reads.map_or(Datum::Null, |_| count(n));
            let mut row = vec![text(who), text("relation"), text("normal")];
            row.extend([reads.map_or(Datum::Null, count), reads.map_or(Datum::Null, size)]);
            row.push(reads.map_or(Datum::Null, |_| ms(s.io_read_us)));
            row.extend([count(writes), size(writes), Datum::Null]);
            row.extend((0..5).map(|_| Datum::Null));
            row.extend([own(s.io_hits), own(s.io_evictions)]);
            row.push(Datum::Null);
            match syncs {
                true => row.extend([count(s.io_syncs), ms(s.io_sync_us)]),
                false => row.extend([Datum::Null, Datum::Null]),
            }
            row.push(since.clone());
            row
        };
        Ok(vec![
            row,
            relation("client backend", Some(s.io_reads), s.io_backend, false),
            relation("background writer", None, s.io_clean, false),
            relation("checkpointer", None, s.io_checkpoint, true),
        ])
    },
);

// One row for each distribution: how many requests a log write carried, how long the write took, and how long commits took from stage to stage.
pub(super) static EVENKEEL_STAT_COMMIT: VirtualTable = view(
    12308,
    "evenkeel_stat_commit",
    &[
        ("measure", Type::Text),
        ("unit", Type::Text),
        ("samples", Type::Int8),
        ("total", Type::Int8),
        ("mean", Type::Float8),
        ("p50_at_most", Type::Int8),
        ("p99_at_most", Type::Int8),
        ("max", Type::Int8),
    ],
    |_, cx| {
        let stats = cx.database().commit_stats();
        let row = |(measure, unit, c): (&str, &str, &Counts)| {
            let shares = [c.at_most(0.5), c.at_most(0.99), c.max];
            let mut row =
                vec![text(measure), text(unit), count(c.samples()), count(c.sum), Datum::Float8(c.mean())];
            row.extend(shares.map(count));
            row
        };
        Ok(stats.named().into_iter().map(row).collect())
    },
);

// The same distributions in full: values from `at_least` to `at_most`, inclusive.
pub(super) static EVENKEEL_STAT_COMMIT_HISTOGRAM: VirtualTable = view(
    12309,
    "evenkeel_stat_commit_histogram",
    &[
        ("measure", Type::Text),
        ("unit", Type::Text),
        ("at_least", Type::Int8),
        ("at_most", Type::Int8),
        ("count", Type::Int8),
    ],
    |_, cx| {
        let stats = cx.database().commit_stats();
        let mut rows = Vec::new();
        for (measure, unit, counts) in stats.named() {
            for (bucket, n) in counts.buckets.iter().enumerate().filter(|(_, n)| **n > 0) {
                let (low, high) = bounds(bucket);
                rows.push(vec![text(measure), text(unit), count(low), count(high), count(*n)]);
            }
        }
        Ok(rows)
    },
);

pub(super) static PG_STAT_BGWRITER: VirtualTable = view(
    12301,
    "pg_stat_bgwriter",
    &[
        ("buffers_clean", Type::Int8),
        ("maxwritten_clean", Type::Int8),
        ("buffers_alloc", Type::Int8),
        ("buffers_backend", Type::Int8),
        ("stats_reset", Type::Timestamptz),
    ],
    |_, cx| {
        let totals = cx.engine_totals();
        let s = totals.figures;
        Ok(vec![vec![
            count(s.buffers_clean),
            count(s.maxwritten_clean),
            count(s.buffers_alloc),
            count(s.buffers_backend),
            Datum::Timestamptz(totals.since(Group::Bgwriter)),
        ]])
    },
);

// PostgreSQL's columns, then ours: of the recovery with which this start began, zero if there was none. The three distances are the largest that there were.
pub(super) static PG_STAT_RECOVERY_PREFETCH: VirtualTable = view(
    12311,
    "pg_stat_recovery_prefetch",
    &[
        ("stats_reset", Type::Timestamptz),
        ("prefetch", Type::Int8),
        ("hit", Type::Int8),
        ("skip_init", Type::Int8),
        ("skip_new", Type::Int8),
        ("skip_fpw", Type::Int8),
        ("skip_rep", Type::Int8),
        ("wal_distance", Type::Int4),
        ("block_distance", Type::Int4),
        ("io_depth", Type::Int4),
        ("reads", Type::Int8),
        ("workers", Type::Int4),
        ("seconds", Type::Float8),
        ("records", Type::Int8),
        ("blocks", Type::Int8),
        ("wal_bytes", Type::Numeric),
    ],
    |_, cx| {
        let s = cx.database().redo_stats();
        let small = |n: u64| Datum::Int4(n.min(i32::MAX as u64) as i32);
        Ok(vec![vec![
            Datum::Timestamptz(cx.start_time_us()),
            count(s.prefetch),
            count(s.hit),
            count(s.skip_init),
            count(s.skip_new),
            count(s.skip_fpw),
            count(s.skip_rep),
            small(s.wal_distance_max),
            small(s.block_distance_max),
            small(s.io_depth_max),
            count(s.reads),
            small(s.workers),
            Datum::Float8(s.time_us as f64 / 1e6),
            count(s.records),
            count(s.blocks),
            bytes(s.log_bytes),
        ]])
    },
);

pub(super) static PG_STAT_CHECKPOINTER: VirtualTable = view(
    12302,
    "pg_stat_checkpointer",
    &[
        ("num_timed", Type::Int8),
        ("num_requested", Type::Int8),
        ("num_done", Type::Int8),
        ("restartpoints_timed", Type::Int8),
        ("restartpoints_req", Type::Int8),
        ("restartpoints_done", Type::Int8),
        ("write_time", Type::Float8),
        ("sync_time", Type::Float8),
        ("buffers_written", Type::Int8),
        ("slru_written", Type::Int8),
        ("stats_reset", Type::Timestamptz),
        // From here on ours: rounds of single partitions, and the round that runs now.
        ("rounds_timed", Type::Int8),
        ("rounds_requested", Type::Int8),
        ("rounds_done", Type::Int8),
        ("write_calls", Type::Int8),
        ("files_synced", Type::Int8),
        ("current_partition", Type::Int4),
        ("current_stage", Type::Text),
    ],
    |_, cx| {
        let totals = cx.engine_totals();
        let s = totals.figures;
        let n = cx.database().checkpoint_partitions().len().max(1) as u64; // a standby shows none
        let (partition, stage) = cx.database().checkpoint_running().unzip();
        Ok(vec![vec![
            count(s.rounds_timed / n),
            count(s.rounds_requested / n),
            count(s.rounds / n),
            count(0),
            count(0),
            count(0),
            ms(s.round_write_us),
            ms(s.round_sync_us),
            count(s.buffers_checkpoint),
            count(0),
            Datum::Timestamptz(totals.since(Group::Checkpointer)),
            count(s.rounds_timed),
            count(s.rounds_requested),
            count(s.rounds),
            count(s.round_write_calls),
            count(s.round_syncs),
            partition.map_or(Datum::Null, |p| Datum::Int4(p as i32)),
            opt(stage.map(|s| format!("{s:?}")).as_deref()),
        ]])
    },
);

// A row a checkpoint partition: where recovery would begin for it, what waits to be written, and its last round.
pub(super) static EVENKEEL_STAT_CHECKPOINT_PARTITIONS: VirtualTable = view(
    12310,
    "evenkeel_stat_checkpoint_partitions",
    &[
        ("partition", Type::Int4),
        ("redo_lsn", Type::PgLsn),
        ("image_floor", Type::PgLsn),
        ("dirty_pages", Type::Int8),
        ("unsynced_files", Type::Int8),
        ("pages_written", Type::Int8),
        ("write_time", Type::Float8),
        ("sync_time", Type::Float8),
        ("images_written", Type::Int8),
        ("rounds", Type::Int8),
        ("redo_bytes", Type::Int8),
        ("end_lsn", Type::PgLsn),
    ],
    |_, cx| {
        let end = cx.database().stats().wal_lsn;
        let row = |(i, p): (usize, evenkeel::PartitionStats)| {
            vec![
                Datum::Int4(i as i32),
                Datum::Lsn(p.redo.0),
                Datum::Lsn(p.image_floor.0),
                count(p.dirty_pages),
                count(p.unsynced_files),
                count(p.pages_written),
                ms(p.write_us),
                ms(p.sync_us),
                count(p.images_written),
                count(p.rounds),
                count(end.saturating_sub(p.redo.0)),
                Datum::Lsn(end),
            ]
        };
        Ok(cx.database().checkpoint_partitions().into_iter().enumerate().map(row).collect())
    },
);

static PG_STAT_DATABASE: VirtualTable = view(
    12303,
    "pg_stat_database",
    &[
        ("datid", Type::Oid),
        ("datname", Type::Name),
        ("numbackends", Type::Int4),
        ("xact_commit", Type::Int8),
        ("xact_rollback", Type::Int8),
        ("blks_read", Type::Int8),
        ("blks_hit", Type::Int8),
        ("tup_returned", Type::Int8),
        ("tup_fetched", Type::Int8),
        ("tup_inserted", Type::Int8),
        ("tup_updated", Type::Int8),
        ("tup_deleted", Type::Int8),
        ("conflicts", Type::Int8),
        ("temp_files", Type::Int8),
        ("temp_bytes", Type::Int8),
        ("deadlocks", Type::Int8),
        ("checksum_failures", Type::Int8),
        ("checksum_last_failure", Type::Timestamptz),
        ("blk_read_time", Type::Float8),
        ("blk_write_time", Type::Float8),
        ("session_time", Type::Float8),
        ("active_time", Type::Float8),
        ("idle_in_transaction_time", Type::Float8),
        ("sessions", Type::Int8),
        ("sessions_abandoned", Type::Int8),
        ("sessions_fatal", Type::Int8),
        ("sessions_killed", Type::Int8),
        ("parallel_workers_to_launch", Type::Int8),
        ("parallel_workers_launched", Type::Int8),
        ("stats_reset", Type::Timestamptz),
    ],
    |catalog, cx| {
        let sessions = cx.activity();
        let row = |d: &std::sync::Arc<crate::catalog::DatabaseRow>| {
            let (t, reset_us) = cx.database_totals(d.oid);
            let in_it = sessions.iter().filter(|a| a.database_oid == d.oid);
            let mut row = vec![Datum::Oid(d.oid), text(&d.name), Datum::Int4(in_it.count() as i32)];
            row.extend([t.commits, t.rollbacks, t.blocks_read, t.blocks_hit].map(count));
            row.extend([t.returned, t.fetched, t.inserted, t.updated, t.deleted].map(count));
            // Only a standby has conflicts, which are not counted by databases.
            row.push(if cx.replay().is_none() { count(0) } else { Datum::Null });
            row.extend([t.temp_files, t.temp_bytes, t.deadlocks].map(count));
            row.extend([count(t.damaged), Datum::Null]); // when that was is in the log
            row.extend([Datum::Float8(0.0), Datum::Float8(0.0)]); // as with track_io_timing = off
            row.extend([t.session_us, t.active_us, t.idle_in_transaction_us].map(ms));
            row.push(count(t.sessions));
            row.extend([t.abandoned, t.fatal, t.killed, 0, 0].map(count));
            row.push(reset_us.map_or(Datum::Null, Datum::Timestamptz));
            row
        };
        Ok(catalog.databases().map(row).collect())
    },
);
