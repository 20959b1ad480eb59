//! Figures that functions give one by one.
//!
//! Must not know: the functions' arguments and types.

use super::{EPOCH_MS, SessionEnv};
use crate::catalog::PG_CATALOG_OID;
use crate::catalog::uses::Used;
use crate::catalog::views::by_name;
use evenkeel_types::{Datum, Type};
use std::sync::atomic::Ordering::Relaxed;

impl SessionEnv {
    /// A figure by the name of the function that gives it; None: there is none.
    pub(super) fn figure(&self, name: &str, oid: u32) -> Option<Datum> {
        match name {
            "current_query" => Some(Datum::Text(self.info.activity.lock().query.clone())),
            "pg_stat_get_numscans" => {
                let whole = self.catalog.table(oid).map(|t| t.shared.uses.of_table());
                Some(Datum::Int8(whole.or_else(|| self.uses_of_index(oid))?.scans as i64))
            }
            "pg_stat_get_tuples_returned" => {
                let whole = self.catalog.table(oid).map(|t| t.shared.uses.of_table());
                Some(Datum::Int8(whole.or_else(|| self.uses_of_index(oid))?.read as i64))
            }
            "pg_stat_get_tuples_fetched" => {
                let Some(t) = self.catalog.table(oid) else {
                    return Some(Datum::Int8(self.uses_of_index(oid)?.fetched as i64));
                };
                let uses = &t.shared.uses;
                let by_indexes = t.indexes.iter().map(|i| uses.of_index(i.oid).fetched).sum::<u64>();
                Some(Datum::Int8((uses.of_table().fetched + by_indexes) as i64))
            }
            "pg_stat_get_lastscan" => {
                let whole = self.catalog.table(oid).map(|t| t.shared.uses.of_table());
                let us = whole.or_else(|| self.uses_of_index(oid))?.last_us;
                (us != 0).then_some(Datum::Timestamptz(us))
            }
            "pg_stat_get_tuples_inserted"
            | "pg_stat_get_tuples_updated"
            | "pg_stat_get_tuples_deleted"
            | "pg_stat_get_tuples_hot_updated" => {
                let changes = &self.catalog.table(oid)?.shared.changes;
                let n = match name {
                    "pg_stat_get_tuples_inserted" => &changes.inserted,
                    "pg_stat_get_tuples_updated" => &changes.updated,
                    "pg_stat_get_tuples_hot_updated" => &changes.hot_updated,
                    _ => &changes.deleted,
                };
                Some(Datum::Int8(n.load(Relaxed) as i64))
            }
            "pg_stat_get_mod_since_analyze" | "pg_stat_get_ins_since_vacuum" => {
                let changes = &self.catalog.table(oid)?.shared.changes;
                let n = match name {
                    "pg_stat_get_mod_since_analyze" => changes.since_analyze.load(Relaxed) as i64,
                    _ => changes.inserted_since_vacuum.load(Relaxed) as i64,
                };
                Some(Datum::Int8(n))
            }
            "pg_stat_get_live_tuples" => {
                let t = self.catalog.table(oid)?;
                Some(Datum::Int8(t.shared.live_rows().unwrap_or(0.0) as i64))
            }
            "pg_last_wal_receive_lsn" => Some(Datum::Lsn(self.instance.replay()?.received.0)),
            "pg_last_wal_replay_lsn" => Some(Datum::Lsn(self.instance.replay()?.replayed.0)),
            "pg_last_xact_replay_timestamp" => {
                let ms = self.instance.replay()?.last_commit_ms?;
                Some(Datum::Timestamptz((ms as i64 - EPOCH_MS) * 1000))
            }
            "pg_stat_get_blocks_fetched" | "pg_stat_get_blocks_hit" => {
                let whole = self.catalog.table(oid).map(|t| t.shared.uses.of_table());
                let pages = whole.or_else(|| self.uses_of_index(oid))?.pages;
                let all = if name.ends_with("_hit") { pages.hits } else { pages.hits + pages.reads };
                Some(Datum::Int8(all as i64))
            }
            "control_redo_lsn" => {
                let partitions = self.instance.database().checkpoint_partitions();
                Some(Datum::Lsn(partitions.iter().map(|p| p.redo).min()?.0))
            }
            "control_checkpoint_time" => {
                let ms = self.instance.database().stats().checkpoint_last_ms;
                (ms != 0).then(|| Datum::Timestamptz((ms as i64 - EPOCH_MS) * 1000))
            }
            "next_transaction" => Some(Datum::Int8(self.instance.database().transaction_ids().1 as i64)),
            "tablespace_bytes" => {
                let (db, all) = (self.instance.database(), self.instance.catalogs().ok()?);
                let of_tables = all
                    .iter()
                    .flat_map(|c| c.tables())
                    .flat_map(|t| std::iter::once(t.heap.tree).chain(t.indexes.iter().map(|i| i.tree)));
                let trees = of_tables.chain(all.iter().filter_map(|c| c.large_objects()));
                Some(Datum::Int8(trees.map(|tree| db.tree_size_bytes(tree).unwrap_or(0)).sum::<u64>() as i64))
            }
            "tablespace_databases" if oid == 1663 => {
                Some(Datum::array(Type::Oid, self.catalog.databases().map(|d| Datum::Oid(d.oid)).collect()))
            }
            "replica_identity_index" => Some(Datum::Oid(self.catalog.table(oid)?.primary_key()?.oid)),
            "backends" => {
                let (sessions, pid) = self.sessions()?;
                let numbers =
                    sessions.into_iter().filter_map(|mut row| Some(std::mem::take(row.get_mut(pid)?)));
                Some(Datum::array(Type::Int4, numbers.collect()))
            }
            "system_identifier" => Some(Datum::Int8(self.instance.database().database_id() as i64)),
            "pg_current_wal_insert_lsn" => Some(Datum::Lsn(self.instance.database().insert_lsn().0)),
            // What is written is durable: there is no step between.
            "pg_current_wal_lsn" | "pg_current_wal_flush_lsn" => {
                Some(Datum::Lsn(self.instance.database().durable_lsn().0))
            }
            _ => match name.strip_prefix("pg_stat_get_db_") {
                Some(figure) => self.database_figure(figure, oid),
                None => match name.strip_prefix("pg_stat_get_backend_") {
                    Some(figure) => self.session_figure(figure, oid),
                    None => self.work_figure(name, oid),
                },
            },
        }
    }

    /// What `pg_stat_database` says of a database.
    fn database_figure(&self, name: &str, oid: u32) -> Option<Datum> {
        let view = by_name(PG_CATALOG_OID, "pg_stat_database")?;
        let rows = (view.rows)(&self.catalog, self).ok()?;
        let row = rows.into_iter().find(|row| row.first().and_then(Datum::as_oid) == Some(oid))?;
        let column = |name: &str| Some(row.get(view.columns.iter().position(|(n, _)| *n == name)?)?.clone());
        match name {
            "blocks_hit" => column("blks_hit"),
            "blocks_fetched" => {
                Some(Datum::Int8(column("blks_hit")?.as_i64()? + column("blks_read")?.as_i64()?))
            }
            "conflict_all" => column("conflicts"),
            "stat_reset_time" => column("stats_reset"),
            name => match name.strip_prefix("tuples_") {
                Some(what) => column(&format!("tup_{what}")),
                None => column(name),
            },
        }
    }

    /// The rows of `pg_stat_activity` of sessions, and where in them their number is.
    fn sessions(&self) -> Option<(Vec<Vec<Datum>>, usize)> {
        let view = by_name(PG_CATALOG_OID, "pg_stat_activity")?;
        let place = |name: &str| view.columns.iter().position(|(n, _)| *n == name);
        let (pid, kind) = (place("pid")?, place("backend_type")?);
        let mut rows = (view.rows)(&self.catalog, self).ok()?;
        rows.retain(|row| row.get(kind).and_then(Datum::as_str) == Some("client backend"));
        Some((rows, pid))
    }

    /// What `pg_stat_activity` says of a session.
    fn session_figure(&self, name: &str, number: u32) -> Option<Datum> {
        let column = match name {
            "activity" => "query",
            "activity_start" => "query_start",
            "dbid" => "datid",
            "start" => "backend_start",
            "userid" => "usesysid",
            name => name,
        };
        let view = by_name(PG_CATALOG_OID, "pg_stat_activity")?;
        let place = view.columns.iter().position(|(n, _)| *n == column)?;
        let (sessions, pid) = self.sessions()?;
        let row = sessions
            .into_iter()
            .find(|row| row.get(pid).and_then(Datum::as_i64) == Some(i64::from(number as i32)))?;
        row.into_iter().nth(place)
    }

    fn uses_of_index(&self, oid: u32) -> Option<Used> {
        let t = self.catalog.tables().find(|t| t.indexes.iter().any(|i| i.oid == oid))?;
        Some(t.shared.uses.of_index(oid))
    }

    /// When a table was vacuumed and analyzed last, and how often.
    fn work_figure(&self, name: &str, oid: u32) -> Option<Datum> {
        let name = name.strip_prefix("pg_stat_get_")?;
        if let Some(work) = name.strip_prefix("total_").and_then(|n| n.strip_suffix("_time")) {
            let kept = &self.catalog.table(oid)?.shared.kept;
            let done = match work {
                "analyze" => &kept.analyzed,
                "autoanalyze" => &kept.autoanalyzed,
                "vacuum" => &kept.vacuumed,
                _ => return None,
            };
            return Some(Datum::Float8(done.us.load(Relaxed) as f64 / 1000.0));
        }
        let (work, is_time) = match name.strip_prefix("last_").and_then(|n| n.strip_suffix("_time")) {
            Some(work) => (work, true),
            None => (name.strip_suffix("_count")?, false),
        };
        let kept = &self.catalog.table(oid)?.shared.kept;
        let done = match work {
            "analyze" => &kept.analyzed,
            "autoanalyze" => &kept.autoanalyzed,
            "vacuum" => &kept.vacuumed,
            // What that does in PostgreSQL goes on all the time here.
            "autovacuum" => return (!is_time).then_some(Datum::Int8(0)),
            _ => return None,
        };
        if !is_time {
            return Some(Datum::Int8(done.times.load(Relaxed) as i64));
        }
        Some(done.last_us.load(Relaxed)).filter(|us| *us != 0).map(Datum::Timestamptz)
    }
}
