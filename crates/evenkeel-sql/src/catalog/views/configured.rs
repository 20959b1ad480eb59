//! How the server was built and is configured: `pg_config`, `pg_file_settings`, `pg_backend_memory_contexts`.
//!
//! Must not know: where settings come from.

use super::{VirtualTable, opt, text, view, yes};
use crate::status::FileSettingShown;
use evenkeel_types::{Datum, Type, guard};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_CONFIG, &PG_FILE_SETTINGS, &PG_BACKEND_MEMORY_CONTEXTS];

/// What PostgreSQL tells of its build; it says the same of what was not written down.
const OF_BUILD: [&str; 22] = [
    "BINDIR",
    "DOCDIR",
    "HTMLDIR",
    "INCLUDEDIR",
    "PKGINCLUDEDIR",
    "INCLUDEDIR-SERVER",
    "LIBDIR",
    "PKGLIBDIR",
    "LOCALEDIR",
    "MANDIR",
    "SHAREDIR",
    "SYSCONFDIR",
    "PGXS",
    "CONFIGURE",
    "CC",
    "CPPFLAGS",
    "CFLAGS",
    "CFLAGS_SL",
    "LDFLAGS",
    "LDFLAGS_EX",
    "LDFLAGS_SL",
    "LIBS",
];

static PG_CONFIG: VirtualTable =
    view(12480, "pg_config", &[("name", Type::Text), ("setting", Type::Text)], |_, cx| {
        let mut rows: Vec<_> = OF_BUILD.iter().map(|name| vec![text(name), text("not recorded")]).collect();
        let version = cx.settings().into_iter().find(|s| s.name == "server_version");
        let version = version.map_or_else(|| "18".into(), |s| s.setting);
        rows.push(vec![text("VERSION"), text(format!("PostgreSQL {version}"))]);
        Ok(rows)
    });

// As a reload would find them now.
pub(super) static PG_FILE_SETTINGS: VirtualTable = view(
    12481,
    "pg_file_settings",
    &[
        ("sourcefile", Type::Text),
        ("sourceline", Type::Int4),
        ("seqno", Type::Int4),
        ("name", Type::Text),
        ("setting", Type::Text),
        ("applied", Type::Bool),
        ("error", Type::Text),
    ],
    |_, cx| {
        let row = |(n, s): (i32, FileSettingShown)| {
            vec![
                text(&s.line.file),
                Datum::Int4(s.line.number as i32),
                Datum::Int4(n),
                opt(s.name.as_deref()),
                opt(s.setting.as_deref()),
                yes(s.applied),
                opt(s.error),
            ]
        };
        Ok((1..).zip(cx.file_settings()).map(row).collect())
    },
);

// Sessions are no processes: what there is is the server's, and no part of it is a session's own for long.
static PG_BACKEND_MEMORY_CONTEXTS: VirtualTable = view(
    12482,
    "pg_backend_memory_contexts",
    &[
        ("name", Type::Text),
        ("ident", Type::Text),
        ("type", Type::Text),
        ("level", Type::Int4),
        ("path", Type::Int4Array),
        ("total_bytes", Type::Int8),
        ("total_nblocks", Type::Int8),
        ("free_bytes", Type::Int8),
        ("free_chunks", Type::Int8),
        ("used_bytes", Type::Int8),
    ],
    |_, _| {
        let bytes = Datum::Int8(guard::memory::total_bytes() as i64);
        Ok(vec![vec![
            text("TopMemoryContext"),
            Datum::Null,
            text("AllocSet"),
            Datum::Int4(1),
            Datum::array(Type::Int4, vec![Datum::Int4(1)]),
            bytes.clone(),
            Datum::Int8(1),
            Datum::Int8(0),
            Datum::Int8(0),
            bytes,
        ]])
    },
);
