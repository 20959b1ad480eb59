//! `pg_stat_get_db_*`: figures of a database, one by one; they are those of `pg_stat_database`.

use super::{Eval, stable};
use crate::datum::Datum;
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

macro_rules! figures {
    ($($sql:literal $ty:ident;)*) => {
        pub(super) const TABLE: &[ScalarFn] = &[$(
            stable($sql, &[T::Oid], T::$ty, {
                fn figure(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
                    let oid = a.first().and_then(Datum::as_oid).unwrap_or(0);
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
}
