//! Who follows this server's log: slots and connections, with PostgreSQL's names and columns.
//!
//! Must not know: how the log is sent.

use super::{VirtualTable, opt, text, view, yes};
use crate::catalog::OWNER_OID;
use crate::types::{Datum, Type};
use evenkeel::Lsn;

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_REPLICATION_SLOTS, &PG_STAT_REPLICATION];

fn lsn(at: Lsn) -> Datum {
    if at == Lsn::ZERO { Datum::Null } else { text(at.to_string()) }
}

static PG_REPLICATION_SLOTS: VirtualTable = view(
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
        ("restart_lsn", Type::Text),
        ("confirmed_flush_lsn", Type::Text),
        ("wal_status", Type::Text),
    ],
    |_, cx| {
        let senders = cx.wal_senders();
        let row = |slot: evenkeel::Slot| {
            let pid = senders.iter().find(|s| s.slot.as_deref() == Some(&slot.name)).map(|s| s.pid);
            vec![
                text(&slot.name),
                Datum::Null,
                text("physical"),
                Datum::Null,
                Datum::Null,
                yes(false),
                yes(slot.is_active),
                pid.map_or(Datum::Null, Datum::Int4),
                Datum::Null,
                Datum::Null,
                lsn(slot.restart.unwrap_or(Lsn::ZERO)),
                Datum::Null,
                match slot.restart {
                    None => Datum::Null,
                    Some(_) => text(if slot.is_lost { "lost" } else { "reserved" }),
                },
            ]
        };
        Ok(cx.database().slots().into_iter().map(row).collect())
    },
);

static PG_STAT_REPLICATION: VirtualTable = view(
    12110,
    "pg_stat_replication",
    &[
        ("pid", Type::Int4),
        ("usesysid", Type::Oid),
        ("usename", Type::Name),
        ("application_name", Type::Text),
        ("client_addr", Type::Text),
        ("client_hostname", Type::Text),
        ("client_port", Type::Int4),
        ("backend_start", Type::Timestamptz),
        ("backend_xmin", Type::Xid),
        ("state", Type::Text),
        ("sent_lsn", Type::Text),
        ("write_lsn", Type::Text),
        ("flush_lsn", Type::Text),
        ("replay_lsn", Type::Text),
        ("sync_priority", Type::Int4),
        ("sync_state", Type::Text),
        ("reply_time", Type::Timestamptz),
    ],
    |_, cx| {
        let row = |s: crate::WalSender| {
            vec![
                Datum::Int4(s.pid),
                Datum::Oid(OWNER_OID),
                text(&s.user),
                text(&s.application_name),
                opt(s.client_addr),
                Datum::Null,
                s.client_port.map_or(Datum::Null, |port| Datum::Int4(port.into())),
                Datum::Timestamptz(s.started_us),
                Datum::Null,
                text(s.state),
                lsn(s.sent),
                lsn(s.written),
                lsn(s.durable),
                lsn(s.applied),
                Datum::Int4(0),
                text("async"),
                s.replied_us.map_or(Datum::Null, Datum::Timestamptz),
            ]
        };
        Ok(cx.wal_senders().into_iter().map(row).collect())
    },
);
