//! The server and its sessions: databases, activity, locks.
//!
//! Must not know: how the figures are kept.

use super::{LockedObject, VirtualTable, table, text, view, yes};
use evenkeel_types::datetime;
use evenkeel_types::sets::zones;
use evenkeel_types::{Datum, TimeZone, Type, parse_timezone};

const DEFAULT_TABLESPACE_OID: u32 = 1663;

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[
    &PG_DATABASE,
    &PG_TABLESPACE,
    &PG_STAT_ACTIVITY,
    &PG_LOCKS,
    &PG_PREPARED_STATEMENTS,
    &PG_CURSORS,
    &PG_TIMEZONE_NAMES,
    &PG_TIMEZONE_ABBREVS,
];

static PG_DATABASE: VirtualTable = table(
    1262,
    "pg_database",
    &[
        ("oid", Type::Oid),
        ("datname", Type::Name),
        ("datdba", Type::Oid),
        ("encoding", Type::Int4),
        ("datlocprovider", Type::Char),
        ("datistemplate", Type::Bool),
        ("datallowconn", Type::Bool),
        ("dathasloginevt", Type::Bool),
        ("datconnlimit", Type::Int4),
        ("datfrozenxid", Type::Xid),
        ("datminmxid", Type::Xid),
        ("dattablespace", Type::Oid),
        ("datcollate", Type::Text),
        ("datctype", Type::Text),
        ("datlocale", Type::Text),
        ("daticulocale", Type::Text),
        ("daticurules", Type::Text),
        ("datcollversion", Type::Text),
        ("datacl", Type::TextArray),
    ],
    |catalog, cx| {
        let row = |d: &std::sync::Arc<crate::catalog::DatabaseRow>| {
            vec![
                Datum::Oid(d.oid),
                text(&d.name),
                super::roles::owner_of(catalog, d.oid),
                Datum::Int4(6),
                text(d.locale.provider.to_string()),
                yes(d.is_template),
                yes(d.allow_connections),
                yes(false),
                Datum::Int4(d.connection_limit),
                Datum::Oid(cx.database().transaction_ids().0 as u32),
                Datum::Oid(1),
                Datum::Oid(DEFAULT_TABLESPACE_OID),
                text(&d.locale.collate),
                text(&d.locale.ctype),
                d.locale.locale.as_ref().map_or(Datum::Null, text),
                // As it was called before version 17.
                d.locale.locale.as_ref().filter(|_| d.locale.provider == 'i').map_or(Datum::Null, text),
                Datum::Null,
                match d.locale.collation() {
                    // Nothing can be made in the empty template that rests on a version.
                    Ok(_) if d.locale.provider == 'b' && d.name != "template0" => text("1"),
                    Ok(c) if !c.is_bytewise() => text(evenkeel_types::collation::VERSION),
                    _ => Datum::Null,
                },
                super::roles::acl_of(catalog, d.oid),
            ]
        };
        Ok(catalog.databases().map(row).collect())
    },
);

static PG_TABLESPACE: VirtualTable = table(
    1213,
    "pg_tablespace",
    &[
        ("oid", Type::Oid),
        ("spcname", Type::Name),
        ("spcowner", Type::Oid),
        ("spcacl", Type::TextArray),
        ("spcoptions", Type::TextArray),
    ],
    |catalog, _| {
        let row = |oid, name: &str| {
            let (owner, acl) = (super::roles::owner_of(catalog, oid), super::roles::acl_of(catalog, oid));
            vec![Datum::Oid(oid), text(name), owner, acl, Datum::Null]
        };
        Ok(vec![row(DEFAULT_TABLESPACE_OID, "pg_default"), row(1664, "pg_global")])
    },
);

pub(super) static PG_STAT_ACTIVITY: VirtualTable = view(
    12204,
    "pg_stat_activity",
    &[
        ("datid", Type::Oid),
        ("datname", Type::Name),
        ("pid", Type::Int4),
        ("leader_pid", Type::Int4),
        ("usesysid", Type::Oid),
        ("usename", Type::Name),
        ("application_name", Type::Text),
        ("client_addr", Type::Inet),
        ("client_hostname", Type::Text),
        ("client_port", Type::Int4),
        ("backend_start", Type::Timestamptz),
        ("xact_start", Type::Timestamptz),
        ("query_start", Type::Timestamptz),
        ("state_change", Type::Timestamptz),
        ("wait_event_type", Type::Text),
        ("wait_event", Type::Text),
        ("state", Type::Text),
        ("backend_xid", Type::Xid),
        ("backend_xmin", Type::Xid),
        ("query_id", Type::Int8),
        ("query", Type::Text),
        ("backend_type", Type::Text),
    ],
    |_, cx| {
        let time = |t: Option<i64>| t.map_or(Datum::Null, Datum::Timestamptz);
        let or_null = |s: &str| if s.is_empty() { Datum::Null } else { text(s) };
        let mut rows = Vec::new();
        for a in cx.activity() {
            rows.push(vec![
                if a.database_oid == 0 { Datum::Null } else { Datum::Oid(a.database_oid) },
                or_null(&a.database),
                Datum::Int4(a.pid),
                Datum::Null,
                if a.role == 0 { Datum::Null } else { Datum::Oid(a.role) },
                or_null(&a.user),
                text(&a.application_name),
                super::address(a.client_addr.as_deref()),
                Datum::Null,
                a.client_port.map_or(Datum::Null, Datum::Int4),
                time(a.backend_start),
                time(a.xact_start),
                time(a.query_start),
                time(a.state_change),
                a.wait.map_or(Datum::Null, |w| text(w.kind)),
                a.wait.map_or(Datum::Null, |w| text(w.name)),
                or_null(a.state),
                a.transaction.map_or(Datum::Null, |id| Datum::Oid(id as u32)),
                a.xmin.map_or(Datum::Null, |id| Datum::Oid(id as u32)),
                a.query_id.map_or(Datum::Null, Datum::Int8),
                text(&a.query),
                or_null(a.backend_type),
            ]);
        }
        Ok(rows)
    },
);

static PG_LOCKS: VirtualTable = view(
    12205,
    "pg_locks",
    &[
        ("locktype", Type::Text),
        ("database", Type::Oid),
        ("relation", Type::Oid),
        ("page", Type::Int4),
        ("tuple", Type::Int2),
        ("virtualxid", Type::Text),
        ("transactionid", Type::Xid),
        ("classid", Type::Oid),
        ("objid", Type::Oid),
        ("objsubid", Type::Int2),
        ("virtualtransaction", Type::Text),
        ("pid", Type::Int4),
        ("mode", Type::Text),
        ("granted", Type::Bool),
        ("fastpath", Type::Bool),
        ("waitstart", Type::Timestamptz),
    ],
    |catalog, cx| {
        let row = |l: super::LockRow| {
            let mut row = vec![Datum::Null; 16];
            let kind = match l.object {
                LockedObject::Relation(oid) => {
                    (row[1], row[2]) = (Datum::Oid(catalog.database), Datum::Oid(oid));
                    "relation"
                }
                LockedObject::Advisory(k) => {
                    row[1] = Datum::Oid(k.database);
                    (row[7], row[8], row[9]) =
                        (Datum::Oid(k.class), Datum::Oid(k.object), Datum::Int2(k.part));
                    "advisory"
                }
                LockedObject::Transaction(id) => {
                    row[6] = Datum::Oid(id as u32);
                    "transactionid"
                }
                LockedObject::Tuple(table, database, number) => {
                    (row[1], row[2]) = (Datum::Oid(database), Datum::Oid(table));
                    (row[3], row[4]) =
                        (Datum::Int4((number >> 15) as i32), Datum::Int2((number & 0x7fff) as i16));
                    "tuple"
                }
            };
            (row[0], row[11], row[12]) = (text(kind), Datum::Int4(l.pid), text(&l.mode));
            (row[13], row[14]) = (yes(l.waits_since.is_none()), yes(false));
            row[15] = l.waits_since.map_or(Datum::Null, Datum::Timestamptz);
            row
        };
        Ok(cx.locks().into_iter().map(row).collect())
    },
);

static PG_CURSORS: VirtualTable = view(
    12108,
    "pg_cursors",
    &[
        ("name", Type::Text),
        ("statement", Type::Text),
        ("is_holdable", Type::Bool),
        ("is_binary", Type::Bool),
        ("is_scrollable", Type::Bool),
        ("creation_time", Type::Timestamptz),
    ],
    |_, cx| {
        let row = |c: super::CursorRow| {
            let created = Datum::Timestamptz(c.created_us);
            vec![text(c.name), text(c.text), yes(c.holdable), yes(c.binary), yes(c.scrollable), created]
        };
        Ok(cx.cursors().into_iter().map(row).collect())
    },
);

static PG_PREPARED_STATEMENTS: VirtualTable = view(
    12206,
    "pg_prepared_statements",
    &[
        ("name", Type::Text),
        ("statement", Type::Text),
        ("prepare_time", Type::Timestamptz),
        ("parameter_types", Type::RegtypeArray),
        ("result_types", Type::RegtypeArray),
        ("from_sql", Type::Bool),
        ("generic_plans", Type::Int8),
        ("custom_plans", Type::Int8),
    ],
    |catalog, cx| {
        let mut rows = Vec::new();
        let types = |t: Vec<u32>| Datum::array(Type::Regtype, t.into_iter().map(Datum::Oid).collect());
        let of_column = |(ty, relation, number): (Type, u32, i16)| {
            catalog.domain_of_column(relation, number).unwrap_or_else(|| ty.oid())
        };
        for p in cx.prepared_statements() {
            rows.push(vec![
                text(p.name),
                text(p.text),
                Datum::Timestamptz(p.prepared_us),
                types(p.param_types),
                p.columns.map_or(Datum::Null, |list| types(list.into_iter().map(of_column).collect())),
                yes(p.from_sql),
                Datum::Int8(p.generic_plans),
                Datum::Int8(p.custom_plans),
            ]);
        }
        Ok(rows)
    },
);

static PG_TIMEZONE_NAMES: VirtualTable = view(
    12207,
    "pg_timezone_names",
    &[("name", Type::Text), ("abbrev", Type::Text), ("utc_offset", Type::Interval), ("is_dst", Type::Bool)],
    |_, _| Ok(zones::timezone_names(datetime::wall_clock_us()).into_iter().map(Vec::from).collect()),
);

static PG_TIMEZONE_ABBREVS: VirtualTable = view(
    12209,
    "pg_timezone_abbrevs",
    &[("abbrev", Type::Text), ("utc_offset", Type::Interval), ("is_dst", Type::Bool)],
    |_, cx| {
        let own = cx.settings().into_iter().find(|s| s.name.eq_ignore_ascii_case("timezone"));
        let zone = own.and_then(|s| parse_timezone(&s.value)).map_or(TimeZone::UTC, |(zone, _)| zone);
        let rows = zones::timezone_abbreviations(&zone, datetime::wall_clock_us());
        Ok(rows.into_iter().map(Vec::from).collect())
    },
);
