//! Figures one by one: `pg_stat_get_db_*` of a database, those of `pg_stat_database`; `pg_stat_get_backend_*` of a session, those of `pg_stat_activity`; how long work on a table took.

use super::{Eval, stable};
use crate::datum::Datum;
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

/// What has figures: an object by its OID, a session by its number.
fn number(a: &[Datum]) -> u32 {
    match a.first() {
        Some(Datum::Int4(n)) => *n as u32,
        other => other.and_then(Datum::as_oid).unwrap_or(0),
    }
}

macro_rules! figures {
    ($($sql:literal $ty:ident;)*) => {
        pub(super) const TABLE: &[ScalarFn] = &[$(
            stable($sql, &[T::Oid], T::$ty, {
                fn figure(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
                    let oid = number(a);
                    Ok(ctx.env.statistic($sql, oid).unwrap_or(match T::$ty {
                        T::Int4 => Datum::Int4(0),
                        T::Int8 => Datum::Int8(0),
                        T::Float8 => Datum::Float8(0.0),
                        _ => Datum::Null,
                    }))
                }
                figure
            }),
        )*];
    };
}

figures! {
    "pg_stat_get_db_numbackends" Int4;
    "pg_stat_get_db_xact_commit" Int8;
    "pg_stat_get_db_xact_rollback" Int8;
    "pg_stat_get_db_blocks_fetched" Int8;
    "pg_stat_get_db_blocks_hit" Int8;
    "pg_stat_get_db_tuples_returned" Int8;
    "pg_stat_get_db_tuples_fetched" Int8;
    "pg_stat_get_db_tuples_inserted" Int8;
    "pg_stat_get_db_tuples_updated" Int8;
    "pg_stat_get_db_tuples_deleted" Int8;
    "pg_stat_get_db_conflict_all" Int8;
    "pg_stat_get_db_temp_files" Int8;
    "pg_stat_get_db_temp_bytes" Int8;
    "pg_stat_get_db_deadlocks" Int8;
    "pg_stat_get_db_checksum_failures" Int8;
    "pg_stat_get_db_checksum_last_failure" Timestamptz;
    "pg_stat_get_db_blk_read_time" Float8;
    "pg_stat_get_db_blk_write_time" Float8;
    "pg_stat_get_db_session_time" Float8;
    "pg_stat_get_db_active_time" Float8;
    "pg_stat_get_db_idle_in_transaction_time" Float8;
    "pg_stat_get_db_sessions" Int8;
    "pg_stat_get_db_sessions_abandoned" Int8;
    "pg_stat_get_db_sessions_fatal" Int8;
    "pg_stat_get_db_sessions_killed" Int8;
    "pg_stat_get_db_stat_reset_time" Timestamptz;
    "pg_stat_get_total_vacuum_time" Float8;
    "pg_stat_get_total_autovacuum_time" Float8;
    "pg_stat_get_total_analyze_time" Float8;
    "pg_stat_get_total_autoanalyze_time" Float8;
}

macro_rules! of_sessions {
    ($($sql:literal $ty:ident;)*) => {
        pub(super) const SESSIONS: &[ScalarFn] = &[$(
            stable($sql, &[T::Int4], T::$ty, {
                fn figure(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
                    Ok(ctx.env.statistic($sql, number(a)).unwrap_or(Datum::Null))
                }
                figure
            }),
        )*];
    };
}

of_sessions! {
    "pg_stat_get_backend_activity" Text;
    "pg_stat_get_backend_activity_start" Timestamptz;
    "pg_stat_get_backend_client_addr" Inet;
    "pg_stat_get_backend_client_port" Int4;
    "pg_stat_get_backend_dbid" Oid;
    "pg_stat_get_backend_pid" Int4;
    "pg_stat_get_backend_start" Timestamptz;
    "pg_stat_get_backend_userid" Oid;
    "pg_stat_get_backend_wait_event" Text;
    "pg_stat_get_backend_wait_event_type" Text;
    "pg_stat_get_backend_xact_start" Timestamptz;
}
