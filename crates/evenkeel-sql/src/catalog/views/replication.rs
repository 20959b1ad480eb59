//! Who follows this server's log: slots and connections, with PostgreSQL's names and columns.
//!
//! Must not know: how the log is sent.

use super::{VirtualTable, opt, text, view, yes};
use evenkeel::Lsn;
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] =
    &[&PG_REPLICATION_SLOTS, &PG_STAT_REPLICATION, &PG_STAT_WAL_RECEIVER, &EVENKEEL_STAT_STANDBY];

fn lsn(at: Lsn) -> Datum {
    if at == Lsn::ZERO { Datum::Null } else { Datum::Lsn(at.0) }
}

pub(super) static PG_REPLICATION_SLOTS: VirtualTable = view(
    12109,
    "pg_replication_slots",
    &[
        ("slot_name", Type::Name),
        ("plugin", Type::Name),
        ("slot_type", Type::Text),
        ("datoid", Type::Oid),
        ("database", Type::Name),
        ("temporary", Type::Bool),
        ("active", Type::Bool),
        ("active_pid", Type::Int4),
        ("xmin", Type::Xid),
        ("catalog_xmin", Type::Xid),
        ("restart_lsn", Type::PgLsn),
        ("confirmed_flush_lsn", Type::PgLsn),
        ("wal_status", Type::Text),
        ("safe_wal_size", Type::Int8),
        ("two_phase", Type::Bool),
        ("two_phase_at", Type::PgLsn),
        ("inactive_since", Type::Timestamptz),
        ("conflicting", Type::Bool),
        ("invalidation_reason", Type::Text),
        ("failover", Type::Bool),
        ("synced", Type::Bool),
    ],
    |_, cx| {
        let row = |slot: evenkeel::Slot| {
            vec![
                text(&slot.name),
                Datum::Null,
                text("physical"),
                Datum::Null,
                Datum::Null,
                yes(slot.is_temporary),
                yes(slot.is_active),
                slot.pid.map_or(Datum::Null, Datum::Int4),
                Datum::Null,
                Datum::Null,
                lsn(slot.restart.unwrap_or(Lsn::ZERO)),
                Datum::Null,
                match slot.restart {
                    _ if slot.is_lost => text("lost"),
                    Some(_) => text("reserved"),
                    None => Datum::Null,
                },
                Datum::Null,
                yes(false),
                Datum::Null,
                Datum::Null,
                Datum::Null,
                if slot.is_lost { text("wal_removed") } else { Datum::Null },
                yes(false),
                yes(false),
            ]
        };
        Ok(cx.database().slots().into_iter().map(row).collect())
    },
);

pub(super) static PG_STAT_REPLICATION: VirtualTable = view(
    12110,
    "pg_stat_replication",
    &[
        ("pid", Type::Int4),
        ("usesysid", Type::Oid),
        ("usename", Type::Name),
        ("application_name", Type::Text),
        ("client_addr", Type::Inet),
        ("client_hostname", Type::Text),
        ("client_port", Type::Int4),
        ("backend_start", Type::Timestamptz),
        ("backend_xmin", Type::Xid),
        ("state", Type::Text),
        ("sent_lsn", Type::PgLsn),
        ("write_lsn", Type::PgLsn),
        ("flush_lsn", Type::PgLsn),
        ("replay_lsn", Type::PgLsn),
        // The lags are not measured.
        ("write_lag", Type::Interval),
        ("flush_lag", Type::Interval),
        ("replay_lag", Type::Interval),
        ("sync_priority", Type::Int4),
        ("sync_state", Type::Text),
        ("reply_time", Type::Timestamptz),
    ],
    |catalog, cx| {
        let (sees_all, may_tell) = (cx.sees_all_stats(), cx.may_tell_definitions());
        let row = |s: crate::status::WalSender| {
            let named = catalog.security().role_named(&s.user).filter(|_| may_tell);
            let role = named.map_or(Datum::Null, |r| Datum::Oid(r.oid));
            if !sees_all {
                let nothing = std::iter::repeat_n(Datum::Null, 17);
                return [Datum::Int4(s.pid), role, text(&s.user)].into_iter().chain(nothing).collect();
            }
            vec![
                Datum::Int4(s.pid),
                role,
                text(&s.user),
                text(&s.application_name),
                super::address(s.client_addr.as_deref()),
                Datum::Null,
                s.client_port.map_or(Datum::Null, |port| Datum::Int4(port.into())),
                Datum::Timestamptz(s.started_us),
                Datum::Null,
                text(s.state),
                lsn(s.sent),
                lsn(s.written),
                lsn(s.durable),
                lsn(s.applied),
                Datum::Null,
                Datum::Null,
                Datum::Null,
                Datum::Int4(s.sync_priority),
                text(s.sync_state),
                s.replied_us.map_or(Datum::Null, Datum::Timestamptz),
            ]
        };
        Ok(cx.wal_senders().into_iter().map(row).collect())
    },
);

pub(super) static PG_STAT_WAL_RECEIVER: VirtualTable = view(
    12390,
    "pg_stat_wal_receiver",
    &[
        ("pid", Type::Int4),
        ("status", Type::Text),
        ("receive_start_lsn", Type::PgLsn),
        ("receive_start_tli", Type::Int4),
        ("written_lsn", Type::PgLsn),
        ("flushed_lsn", Type::PgLsn),
        ("received_tli", Type::Int4),
        ("last_msg_send_time", Type::Timestamptz),
        ("last_msg_receipt_time", Type::Timestamptz),
        ("latest_end_lsn", Type::PgLsn),
        ("latest_end_time", Type::Timestamptz),
        ("slot_name", Type::Text),
        ("sender_host", Type::Text),
        ("sender_port", Type::Int4),
        ("conninfo", Type::Text),
    ],
    |_, cx| {
        let (Some(r), Some(replay)) = (cx.wal_receiver(), cx.replay()) else { return Ok(Vec::new()) };
        if !cx.sees_all_stats() {
            let nothing = std::iter::repeat_n(Datum::Null, 14);
            return Ok(vec![[Datum::Int4(crate::status::RECEIVER_PID)].into_iter().chain(nothing).collect()]);
        }
        let heard = Datum::Timestamptz(r.heard_us);
        Ok(vec![vec![
            Datum::Int4(crate::status::RECEIVER_PID),
            text(r.status),
            lsn(r.started),
            Datum::Int4(1),
            lsn(replay.written),
            lsn(replay.received),
            Datum::Int4(1),
            Datum::Null,
            heard.clone(),
            lsn(replay.written),
            heard,
            opt(r.slot),
            text(&r.host),
            Datum::Int4(r.port.into()),
            text(&r.conninfo),
        ]])
    },
);

// Of a standby, ours: how far it is, and how its readers fare.
pub(super) static EVENKEEL_STAT_STANDBY: VirtualTable = view(
    12391,
    "evenkeel_stat_standby",
    &[
        ("received_lsn", Type::PgLsn),
        ("durable_lsn", Type::PgLsn),
        ("replayed_lsn", Type::PgLsn),
        ("feedback_lsn", Type::PgLsn),
        ("readers_held", Type::Int8),
        ("readers_held_ms", Type::Float8),
        ("readers_held_max_ms", Type::Float8),
        ("snapshots_expired", Type::Int8),
    ],
    |_, cx| {
        let Some(r) = cx.replay() else { return Ok(Vec::new()) };
        let ms = |us: u64| Datum::Float8(us as f64 / 1000.0);
        Ok(vec![vec![
            lsn(r.written),
            lsn(r.received),
            lsn(r.replayed),
            r.wanted_from.map_or(Datum::Null, lsn),
            Datum::Int8(r.held.times as i64),
            ms(r.held.held_us),
            ms(r.held.held_max_us),
            Datum::Int8(r.expired as i64),
        ]])
    },
);
