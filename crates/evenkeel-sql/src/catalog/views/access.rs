//! Who comes in, and by which rules: encryption of connections, `pg_hba.conf`, `pg_ident.conf`, with PostgreSQL's names and columns.
//!
//! Must not know: connections, files.

use super::{VirtualTable, opt, text, view, yes};
use crate::status::{ConnectionShown, HbaShown, IdentShown};
use evenkeel_types::{Datum, Numeric, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_STAT_SSL, &PG_HBA_FILE_RULES, &PG_IDENT_FILE_MAPPINGS];

fn texts(all: Option<Vec<String>>) -> Datum {
    all.map_or(Datum::Null, |all| Datum::array(Type::Text, all.iter().map(Datum::text).collect()))
}

static PG_STAT_SSL: VirtualTable = view(
    12253,
    "pg_stat_ssl",
    &[
        ("pid", Type::Int4),
        ("ssl", Type::Bool),
        ("version", Type::Text),
        ("cipher", Type::Text),
        ("bits", Type::Int4),
        ("client_dn", Type::Text),
        ("client_serial", Type::Numeric),
        ("issuer_dn", Type::Text),
    ],
    |_, cx| {
        let row = |c: ConnectionShown| {
            let Some(tls) = c.tls else {
                let nothing = std::iter::repeat_n(Datum::Null, 6);
                return [Datum::Int4(c.pid), yes(false)].into_iter().chain(nothing).collect();
            };
            let (dn, serial, issuer) = match tls.client {
                Some(client) => (Some(client.subject), Some(client.serial), Some(client.issuer)),
                None => (None, None, None),
            };
            let serial = serial.and_then(|s| s.parse::<Numeric>().ok());
            vec![
                Datum::Int4(c.pid),
                yes(true),
                text(tls.version),
                text(&tls.cipher),
                Datum::Int4(tls.bits),
                opt(dn),
                serial.map_or(Datum::Null, Datum::Numeric),
                opt(issuer),
            ]
        };
        Ok(cx.connections().into_iter().map(row).collect())
    },
);

static PG_HBA_FILE_RULES: VirtualTable = view(
    12414,
    "pg_hba_file_rules",
    &[
        ("rule_number", Type::Int4),
        ("file_name", Type::Text),
        ("line_number", Type::Int4),
        ("type", Type::Text),
        ("database", Type::TextArray),
        ("user_name", Type::TextArray),
        ("address", Type::Text),
        ("netmask", Type::Text),
        ("auth_method", Type::Text),
        ("options", Type::TextArray),
        ("error", Type::Text),
    ],
    |_, cx| {
        let row = |r: HbaShown| {
            vec![
                r.number.map_or(Datum::Null, Datum::Int4),
                text(&r.file),
                Datum::Int4(r.line),
                opt(r.kind),
                texts(r.databases),
                texts(r.users),
                opt(r.address),
                opt(r.netmask),
                opt(r.method),
                texts(r.options),
                opt(r.error),
            ]
        };
        Ok(cx.hba_rules().into_iter().map(row).collect())
    },
);

static PG_IDENT_FILE_MAPPINGS: VirtualTable = view(
    12118,
    "pg_ident_file_mappings",
    &[
        ("map_number", Type::Int4),
        ("file_name", Type::Text),
        ("line_number", Type::Int4),
        ("map_name", Type::Text),
        ("sys_name", Type::Text),
        ("pg_username", Type::Text),
        ("error", Type::Text),
    ],
    |_, cx| {
        let row = |r: IdentShown| {
            vec![
                r.number.map_or(Datum::Null, Datum::Int4),
                text(&r.file),
                Datum::Int4(r.line),
                opt(r.map),
                opt(r.system_user),
                opt(r.user),
                opt(r.error),
            ]
        };
        Ok(cx.ident_mappings().into_iter().map(row).collect())
    },
);
