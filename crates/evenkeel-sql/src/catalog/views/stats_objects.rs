//! Statistics of tables, indexes, sequences and databases, with PostgreSQL's names: what is not counted is null.
//!
//! Must not know: how the engine counts.

use super::stats::{count, ms};
use super::{ViewContext, VirtualTable, opt, text, view};
use crate::catalog::uses::{Pages, Used};
use crate::catalog::{Catalog, Sequence, Table, wait_events};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type};
use std::sync::atomic::Ordering;

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[
    &PG_STAT_USER_TABLES,
    &PG_STAT_SYS_TABLES,
    &PG_STAT_ALL_TABLES,
    &PG_STAT_XACT_USER_TABLES,
    &PG_STAT_XACT_SYS_TABLES,
    &PG_STAT_XACT_ALL_TABLES,
    &PG_STATIO_USER_TABLES,
    &PG_STATIO_SYS_TABLES,
    &PG_STATIO_ALL_TABLES,
    &PG_STAT_USER_INDEXES,
    &PG_STAT_SYS_INDEXES,
    &PG_STAT_ALL_INDEXES,
    &PG_STATIO_USER_INDEXES,
    &PG_STATIO_SYS_INDEXES,
    &PG_STATIO_ALL_INDEXES,
    &PG_STATIO_USER_SEQUENCES,
    &PG_STATIO_SYS_SEQUENCES,
    &PG_STATIO_ALL_SEQUENCES,
    &PG_STAT_DATABASE_CONFLICTS,
    &PG_STAT_GSSAPI,
    &PG_WAIT_EVENTS,
];

type Made = Result<Vec<Vec<Datum>>, SqlError>;

/// A relation's OID, schema and name, and nulls for all other columns.
fn row_of(catalog: &Catalog, columns: usize, oid: u32, schema: u32, name: &str) -> Vec<Datum> {
    let mut row = vec![Datum::Null; columns];
    let known = [Datum::Oid(oid), opt(catalog.schema(schema).map(|s| &s.name)), text(name)];
    known.into_iter().enumerate().for_each(|(n, value)| row[n] = value);
    row
}

/// Rows of the users' tables, which `fill` completes,
fn of_users(catalog: &Catalog, columns: usize, fill: fn(&Table, &mut [Datum])) -> Vec<Vec<Datum>> {
    let row = |t: &std::sync::Arc<Table>| {
        let mut row = row_of(catalog, columns, t.oid, t.schema, &t.name);
        fill(t, &mut row);
        row
    };
    catalog.tables().map(row).collect()
}

/// and those of the system's: they are made when they are read, nothing of them is stored, and so all that is counted is zero.
fn of_system(catalog: &Catalog, columns: &[(&str, Type)]) -> Vec<Vec<Datum>> {
    let row = |v: &&'static VirtualTable| {
        let mut row = row_of(catalog, columns.len(), v.oid, v.schema, v.name);
        for (place, (name, ty)) in columns.iter().enumerate() {
            match ty {
                Type::Int8 if !name.starts_with("toast") && !name.starts_with("tidx") => {
                    row[place] = Datum::Int8(0)
                }
                Type::Float8 => row[place] = Datum::Float8(0.0),
                _ => {}
            }
        }
        row
    };
    super::all().iter().filter(|v| !v.is_view).map(row).collect()
}

fn both(mut users: Vec<Vec<Datum>>, system: Vec<Vec<Datum>>) -> Made {
    users.extend(system);
    Ok(users)
}

const TABLE_COLUMNS: &[(&str, Type)] = &[
    ("relid", Type::Oid),
    ("schemaname", Type::Name),
    ("relname", Type::Name),
    ("seq_scan", Type::Int8),
    ("last_seq_scan", Type::Timestamptz),
    ("seq_tup_read", Type::Int8),
    ("idx_scan", Type::Int8),
    ("last_idx_scan", Type::Timestamptz),
    ("idx_tup_fetch", Type::Int8),
    ("n_tup_ins", Type::Int8),
    ("n_tup_upd", Type::Int8),
    ("n_tup_del", Type::Int8),
    ("n_tup_hot_upd", Type::Int8),
    ("n_tup_newpage_upd", Type::Int8),
    ("n_live_tup", Type::Int8),
    ("n_dead_tup", Type::Int8),
    ("n_mod_since_analyze", Type::Int8),
    ("n_ins_since_vacuum", Type::Int8),
    ("last_vacuum", Type::Timestamptz),
    ("last_autovacuum", Type::Timestamptz),
    ("last_analyze", Type::Timestamptz),
    ("last_autoanalyze", Type::Timestamptz),
    ("vacuum_count", Type::Int8),
    ("autovacuum_count", Type::Int8),
    ("analyze_count", Type::Int8),
    ("autoanalyze_count", Type::Int8),
    ("total_vacuum_time", Type::Float8),
    ("total_autovacuum_time", Type::Float8),
    ("total_analyze_time", Type::Float8),
    ("total_autoanalyze_time", Type::Float8),
];

fn counted(t: &Table, row: &mut [Datum]) {
    let changes = &t.shared.changes;
    let mut set = |name: &str, value: Datum| {
        if let Some(place) = TABLE_COLUMNS.iter().position(|c| c.0 == name) {
            row[place] = value;
        }
    };
    set("n_tup_ins", count(changes.inserted.load(Ordering::Relaxed)));
    set("n_tup_upd", count(changes.updated.load(Ordering::Relaxed)));
    set("n_tup_del", count(changes.deleted.load(Ordering::Relaxed)));
    set("n_tup_hot_upd", count(changes.hot_updated.load(Ordering::Relaxed)));
    // A row stays where it is, and what it was lies in the undo: there is no new page for it, and nothing dead in the table for long.
    set("n_tup_newpage_upd", count(0));
    set("n_dead_tup", count(0));
    set("n_ins_since_vacuum", count(changes.inserted_since_vacuum.load(Ordering::Relaxed)));
    set("n_mod_since_analyze", count(changes.since_analyze.load(Ordering::Relaxed)));
    let uses = &t.shared.uses;
    let at = |us: i64| if us == 0 { Datum::Null } else { Datum::Timestamptz(us) };
    let whole = uses.of_table();
    set("seq_scan", count(whole.scans));
    set("last_seq_scan", at(whole.last_us));
    set("seq_tup_read", count(whole.read));
    if !t.indexes.is_empty() {
        let used: Vec<Used> = t.indexes.iter().map(|i| uses.of_index(i.oid)).collect();
        set("idx_scan", count(used.iter().map(|u| u.scans).sum()));
        set("last_idx_scan", at(used.iter().map(|u| u.last_us).max().unwrap_or(0)));
        set("idx_tup_fetch", count(whole.fetched + used.iter().map(|u| u.fetched).sum::<u64>()));
    }
    let kept = &t.shared.kept;
    for (times, last, total, done) in [
        ("analyze_count", "last_analyze", "total_analyze_time", &kept.analyzed),
        ("autoanalyze_count", "last_autoanalyze", "total_autoanalyze_time", &kept.autoanalyzed),
        ("vacuum_count", "last_vacuum", "total_vacuum_time", &kept.vacuumed),
    ] {
        set(times, count(done.times.load(Ordering::Relaxed)));
        set(last, at(done.last_us.load(Ordering::Relaxed)));
        set(total, ms(done.us.load(Ordering::Relaxed)));
    }
    // What that does in PostgreSQL goes on all the time here.
    set("autovacuum_count", count(0));
    set("total_autovacuum_time", Datum::Float8(0.0));
    let grown = changes.growth.load(Ordering::Relaxed).max(0) as f64;
    set("n_live_tup", Datum::Int8(t.shared.live_rows().unwrap_or(grown) as i64));
}

static PG_STAT_USER_TABLES: VirtualTable =
    view(12304, "pg_stat_user_tables", TABLE_COLUMNS, |c, _| Ok(of_users(c, TABLE_COLUMNS.len(), counted)));
static PG_STAT_SYS_TABLES: VirtualTable =
    view(12440, "pg_stat_sys_tables", TABLE_COLUMNS, |c, _| Ok(of_system(c, TABLE_COLUMNS)));
static PG_STAT_ALL_TABLES: VirtualTable = view(12305, "pg_stat_all_tables", TABLE_COLUMNS, |c, _| {
    both(of_users(c, TABLE_COLUMNS.len(), counted), of_system(c, TABLE_COLUMNS))
});

/// Of a transaction it is counted what it does to rows, not how it finds them.
const XACT_COLUMNS: &[(&str, Type)] = &[
    ("relid", Type::Oid),
    ("schemaname", Type::Name),
    ("relname", Type::Name),
    ("seq_scan", Type::Int8),
    ("seq_tup_read", Type::Int8),
    ("idx_scan", Type::Int8),
    ("idx_tup_fetch", Type::Int8),
    ("n_tup_ins", Type::Int8),
    ("n_tup_upd", Type::Int8),
    ("n_tup_del", Type::Int8),
    ("n_tup_hot_upd", Type::Int8),
    ("n_tup_newpage_upd", Type::Int8),
];

fn in_transaction(catalog: &Catalog, cx: &dyn ViewContext) -> Vec<Vec<Datum>> {
    let row = |t: &std::sync::Arc<Table>| {
        let mut row = row_of(catalog, XACT_COLUMNS.len(), t.oid, t.schema, &t.name);
        let c = cx.changed_in_transaction(t.oid);
        let known = [c.inserted, c.updated, c.deleted, c.hot_updated, 0];
        row.truncate(XACT_COLUMNS.len() - known.len());
        row.extend(known.map(count));
        row
    };
    catalog.tables().map(row).collect()
}

static PG_STAT_XACT_USER_TABLES: VirtualTable =
    view(12441, "pg_stat_xact_user_tables", XACT_COLUMNS, |c, cx| Ok(in_transaction(c, cx)));
static PG_STAT_XACT_SYS_TABLES: VirtualTable =
    view(12442, "pg_stat_xact_sys_tables", XACT_COLUMNS, |c, _| Ok(of_system(c, XACT_COLUMNS)));
static PG_STAT_XACT_ALL_TABLES: VirtualTable =
    view(12443, "pg_stat_xact_all_tables", XACT_COLUMNS, |c, cx| {
        both(in_transaction(c, cx), of_system(c, XACT_COLUMNS))
    });

/// What statements look at to read and to write rows and entries; not what foreign keys and constraints are checked by.
const TABLE_IO_COLUMNS: &[(&str, Type)] = &[
    ("relid", Type::Oid),
    ("schemaname", Type::Name),
    ("relname", Type::Name),
    ("heap_blks_read", Type::Int8),
    ("heap_blks_hit", Type::Int8),
    ("idx_blks_read", Type::Int8),
    ("idx_blks_hit", Type::Int8),
    ("toast_blks_read", Type::Int8),
    ("toast_blks_hit", Type::Int8),
    ("tidx_blks_read", Type::Int8),
    ("tidx_blks_hit", Type::Int8),
];

/// Large values are in the table itself: there is no toast.
fn table_pages(t: &Table, row: &mut [Datum]) {
    let uses = &t.shared.uses;
    let whole = uses.of_table().pages;
    let mut known = vec![count(whole.reads), count(whole.hits)];
    if !t.indexes.is_empty() {
        let mut all = Pages::default();
        t.indexes.iter().for_each(|i| all.add(uses.of_index(i.oid).pages));
        known.extend([count(all.reads), count(all.hits)]);
    }
    known.into_iter().enumerate().for_each(|(n, value)| row[3 + n] = value);
}

static PG_STATIO_USER_TABLES: VirtualTable =
    view(12340, "pg_statio_user_tables", TABLE_IO_COLUMNS, |c, _| {
        Ok(of_users(c, TABLE_IO_COLUMNS.len(), table_pages))
    });
static PG_STATIO_SYS_TABLES: VirtualTable =
    view(12444, "pg_statio_sys_tables", TABLE_IO_COLUMNS, |c, _| Ok(of_system(c, TABLE_IO_COLUMNS)));
static PG_STATIO_ALL_TABLES: VirtualTable = view(12341, "pg_statio_all_tables", TABLE_IO_COLUMNS, |c, _| {
    both(of_users(c, TABLE_IO_COLUMNS.len(), table_pages), of_system(c, TABLE_IO_COLUMNS))
});

/// Indexes' names, and nulls. The system's relations have none.
fn indexes(catalog: &Catalog, columns: usize, fill: fn(&Table, u32, &mut Vec<Datum>)) -> Made {
    let mut rows = Vec::new();
    for t in catalog.tables() {
        for i in &t.indexes {
            let mut row = vec![
                Datum::Oid(t.oid),
                Datum::Oid(i.oid),
                opt(catalog.schema(t.schema).map(|s| &s.name)),
                text(&t.name),
                text(&i.name),
            ];
            fill(t, i.oid, &mut row);
            row.resize(columns, Datum::Null);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn index_used(t: &Table, oid: u32, row: &mut Vec<Datum>) {
    let used = t.shared.uses.of_index(oid);
    let last = if used.last_us == 0 { Datum::Null } else { Datum::Timestamptz(used.last_us) };
    row.extend([count(used.scans), last, count(used.read), count(used.fetched)]);
}

fn index_pages(t: &Table, oid: u32, row: &mut Vec<Datum>) {
    let pages = t.shared.uses.of_index(oid).pages;
    row.extend([count(pages.reads), count(pages.hits)]);
}

const INDEX_COLUMNS: &[(&str, Type)] = &[
    ("relid", Type::Oid),
    ("indexrelid", Type::Oid),
    ("schemaname", Type::Name),
    ("relname", Type::Name),
    ("indexrelname", Type::Name),
    ("idx_scan", Type::Int8),
    ("last_idx_scan", Type::Timestamptz),
    ("idx_tup_read", Type::Int8),
    ("idx_tup_fetch", Type::Int8),
];

static PG_STAT_USER_INDEXES: VirtualTable =
    view(12306, "pg_stat_user_indexes", INDEX_COLUMNS, |c, _| indexes(c, INDEX_COLUMNS.len(), index_used));
static PG_STAT_SYS_INDEXES: VirtualTable =
    view(12445, "pg_stat_sys_indexes", INDEX_COLUMNS, |_, _| Ok(Vec::new()));
static PG_STAT_ALL_INDEXES: VirtualTable =
    view(12446, "pg_stat_all_indexes", INDEX_COLUMNS, |c, _| indexes(c, INDEX_COLUMNS.len(), index_used));

const INDEX_IO_COLUMNS: &[(&str, Type)] = &[
    ("relid", Type::Oid),
    ("indexrelid", Type::Oid),
    ("schemaname", Type::Name),
    ("relname", Type::Name),
    ("indexrelname", Type::Name),
    ("idx_blks_read", Type::Int8),
    ("idx_blks_hit", Type::Int8),
];

static PG_STATIO_USER_INDEXES: VirtualTable =
    view(12447, "pg_statio_user_indexes", INDEX_IO_COLUMNS, |c, _| {
        indexes(c, INDEX_IO_COLUMNS.len(), index_pages)
    });
static PG_STATIO_SYS_INDEXES: VirtualTable =
    view(12448, "pg_statio_sys_indexes", INDEX_IO_COLUMNS, |_, _| Ok(Vec::new()));
static PG_STATIO_ALL_INDEXES: VirtualTable =
    view(12449, "pg_statio_all_indexes", INDEX_IO_COLUMNS, |c, _| {
        indexes(c, INDEX_IO_COLUMNS.len(), index_pages)
    });

const SEQUENCE_IO_COLUMNS: &[(&str, Type)] = &[
    ("relid", Type::Oid),
    ("schemaname", Type::Name),
    ("relname", Type::Name),
    ("blks_read", Type::Int8),
    ("blks_hit", Type::Int8),
];

fn sequences(catalog: &Catalog, _: &dyn ViewContext) -> Made {
    let columns = SEQUENCE_IO_COLUMNS.len();
    // A value is drawn in memory, and of those that are written many lie in a page of the catalog.
    let row = |s: &std::sync::Arc<Sequence>| {
        let mut row = row_of(catalog, columns, s.oid, s.schema, &s.name);
        row[3..].fill(count(0));
        row
    };
    Ok(catalog.sequences().map(row).collect())
}

static PG_STATIO_USER_SEQUENCES: VirtualTable =
    view(12450, "pg_statio_user_sequences", SEQUENCE_IO_COLUMNS, sequences);
static PG_STATIO_SYS_SEQUENCES: VirtualTable =
    view(12451, "pg_statio_sys_sequences", SEQUENCE_IO_COLUMNS, |_, _| Ok(Vec::new()));
static PG_STATIO_ALL_SEQUENCES: VirtualTable =
    view(12452, "pg_statio_all_sequences", SEQUENCE_IO_COLUMNS, sequences);

// Only a standby cancels what stands in the way of the log that it follows; there it is not counted by causes.
static PG_STAT_DATABASE_CONFLICTS: VirtualTable = view(
    12453,
    "pg_stat_database_conflicts",
    &[
        ("datid", Type::Oid),
        ("datname", Type::Name),
        ("confl_tablespace", Type::Int8),
        ("confl_lock", Type::Int8),
        ("confl_snapshot", Type::Int8),
        ("confl_bufferpin", Type::Int8),
        ("confl_deadlock", Type::Int8),
        ("confl_active_logicalslot", Type::Int8),
    ],
    |catalog, cx| {
        let none = if cx.replay().is_none() { Datum::Int8(0) } else { Datum::Null };
        let row = |d: &std::sync::Arc<crate::catalog::DatabaseRow>| {
            let mut row = vec![Datum::Oid(d.oid), text(&d.name)];
            row.resize(8, none.clone());
            row
        };
        Ok(catalog.databases().map(row).collect())
    },
);

// There is no GSSAPI: nobody came in by it.
static PG_STAT_GSSAPI: VirtualTable = view(
    12454,
    "pg_stat_gssapi",
    &[
        ("pid", Type::Int4),
        ("gss_authenticated", Type::Bool),
        ("principal", Type::Text),
        ("encrypted", Type::Bool),
        ("credentials_delegated", Type::Bool),
    ],
    |_, cx| {
        let no = || Datum::Bool(false);
        let row = |c: crate::status::ConnectionShown| vec![Datum::Int4(c.pid), no(), Datum::Null, no(), no()];
        Ok(cx.connections().into_iter().map(row).collect())
    },
);

// What `pg_stat_activity` can say that a session waits for.
static PG_WAIT_EVENTS: VirtualTable = view(
    12455,
    "pg_wait_events",
    &[("type", Type::Text), ("name", Type::Text), ("description", Type::Text)],
    |_, _| Ok(wait_events::ALL.map(|e| vec![text(e.kind), text(e.name), text(e.description)]).to_vec()),
);
