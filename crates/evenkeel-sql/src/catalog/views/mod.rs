//! System views: virtual tables whose rows are made from the catalog and the session when they are read.
//!
//! Must not know: the executor, SQL text.
//!
#![doc = include_str!("README.md")]

mod access;
pub mod casts;
pub mod classes;
mod collations;
pub mod comments;
mod configured;
pub mod constraints;
mod derived;
mod domains;
pub mod empty;
mod extended;
pub mod extensions;
pub mod index_text;
pub mod information;
mod information_constraints;
mod information_routines;
mod information_types;
mod large_objects;
mod limits;
pub mod members;
pub mod narrow;
pub mod opclass;
pub mod pretty;
mod privileges;
mod progress;
pub mod properties;
mod replication;
pub mod roles;
mod seen;
pub mod server;
pub mod settings;
pub mod signatures;
pub mod stat_statements;
mod stats;
mod stats_objects;
pub mod stored;
pub mod type_io;
pub mod types;
mod values;

use super::large_objects::Descriptors;
use super::wait_events::WaitEvent;
use super::{Catalog, Index, PG_CATALOG_OID, Table, View};
use evenkeel::settings::Shown;
use evenkeel::{Moment, TreeId};
use evenkeel_types::error::SqlError;
use evenkeel_types::inet::Inet;
use evenkeel_types::{AdvisoryKey, Datum, FormatOptions, Type};
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

/// Makes the rows of a view.
pub type Rows = fn(&Catalog, &dyn ViewContext) -> Result<Vec<Vec<Datum>>, SqlError>;

/// Rows that all sessions share.
pub type SharedRows = Arc<[Box<[Datum]>]>;

/// A virtual table.
pub struct VirtualTable {
    /// Its OID: PostgreSQL's own where that is fixed.
    pub oid: u32,
    /// Its schema.
    pub schema: u32,
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [(&'static str, Type)],
    /// A view rather than a table, as `pg_class.relkind` says.
    pub is_view: bool,
    /// Its rows.
    pub rows: Rows,
}

impl VirtualTable {
    /// Its rows depend on the catalog alone, and are many: columns, functions, operators, collations.
    pub fn is_of_definitions(&self) -> bool {
        matches!(self.oid, 1249 | 1255 | 2617 | 3456)
    }
}

/// Whether it is a view of this server's own state, whose rows rest on no definition as long as [`ViewContext::may_tell_definitions`] is asked where they have a name from there.
pub fn is_of_server(oid: u32) -> bool {
    const ALL: [u32; 17] = [
        server::PG_STAT_ACTIVITY.oid,
        replication::PG_REPLICATION_SLOTS.oid,
        replication::PG_STAT_REPLICATION.oid,
        replication::PG_STAT_WAL_RECEIVER.oid,
        replication::EVENKEEL_STAT_STANDBY.oid,
        settings::PG_SETTINGS.oid,
        configured::PG_FILE_SETTINGS.oid,
        stats::PG_STAT_WAL.oid,
        stats::PG_STAT_ARCHIVER.oid,
        stats::PG_STAT_PROGRESS_BASEBACKUP.oid,
        stats::PG_STAT_IO.oid,
        stats::PG_STAT_BGWRITER.oid,
        stats::PG_STAT_CHECKPOINTER.oid,
        stats::PG_STAT_RECOVERY_PREFETCH.oid,
        stats::EVENKEEL_STAT_COMMIT.oid,
        stats::EVENKEEL_STAT_COMMIT_HISTOGRAM.oid,
        stats::EVENKEEL_STAT_CHECKPOINT_PARTITIONS.oid,
    ];
    ALL.contains(&oid)
}

/// A table of `pg_catalog`.
const fn table(
    oid: u32,
    name: &'static str,
    columns: &'static [(&'static str, Type)],
    rows: Rows,
) -> VirtualTable {
    VirtualTable { oid, schema: PG_CATALOG_OID, name, columns, is_view: false, rows }
}

/// A view of `pg_catalog`.
const fn view(
    oid: u32,
    name: &'static str,
    columns: &'static [(&'static str, Type)],
    rows: Rows,
) -> VirtualTable {
    VirtualTable { oid, schema: PG_CATALOG_OID, name, columns, is_view: true, rows }
}

impl std::fmt::Debug for VirtualTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A cursor as `pg_cursors` shows it.
#[derive(Clone)]
pub struct CursorRow {
    /// Its name.
    pub name: String,
    /// The statement that made it.
    pub text: String,
    /// WITH HOLD.
    pub holdable: bool,
    /// BINARY.
    pub binary: bool,
    /// It may go backward.
    pub scrollable: bool,
    /// When it was made, microseconds since 2000-01-01 UTC.
    pub created_us: i64,
    /// Where it stands.
    pub stands: Standing,
}

/// Where a cursor stands, for WHERE CURRENT OF.
#[derive(Clone, Default)]
pub struct Standing {
    /// It has outlived its transaction.
    pub is_held: bool,
    /// Tables whose rows it gives; None: its rows are not rows of tables.
    pub tables: Option<std::sync::Arc<[u32]>>,
    /// They are those that it locks.
    pub are_locked: bool,
    /// Their rows' ids; None: it stands on none.
    pub ids: Option<Vec<Option<u64>>>,
}

/// A statement as `pg_prepared_statements` shows it.
pub struct PreparedRow {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// OIDs of the types of its parameters.
    pub param_types: Vec<u32>,
    /// The types of its columns, and the relations and numbers of those that these come from; None: it returns no rows.
    pub columns: Option<Vec<(Type, u32, i16)>>,
    /// By PREPARE, not by the protocol.
    pub from_sql: bool,
    /// When, microseconds since 2000-01-01 UTC.
    pub prepared_us: i64,
    /// Executions with the plan for all values.
    pub generic_plans: i64,
    /// And with one for theirs.
    pub custom_plans: i64,
}

/// A session as `pg_stat_activity` shows it, or what works for all of them: that has no user, no database and no state.
#[derive(Clone, Default)]
pub struct ActivityRow {
    /// Its number.
    pub pid: i32,
    /// Its user, as it came in.
    pub user: String,
    /// The role that it came in as; 0: none, or one that is known by its name alone.
    pub role: u32,
    /// Its database.
    pub database: String,
    /// Its OID.
    pub database_oid: u32,
    /// application_name
    pub application_name: String,
    /// The client's address.
    pub client_addr: Option<String>,
    /// The client's port; -1 on a Unix socket.
    pub client_port: Option<i32>,
    /// When it began, microseconds since 2000-01-01 UTC.
    pub backend_start: Option<i64>,
    /// When its transaction began.
    pub xact_start: Option<i64>,
    /// When its statement began.
    pub query_start: Option<i64>,
    /// When its state changed.
    pub state_change: Option<i64>,
    /// `active`, `idle`, `idle in transaction`, …
    pub state: &'static str,
    /// The id of its transaction, if that has one.
    pub transaction: Option<u64>,
    /// Whoever has an id below this had ended when its snapshot was taken, if it has one.
    pub xmin: Option<u64>,
    /// What it waits for.
    pub wait: Option<&'static WaitEvent>,
    /// Its latest statement.
    pub query: String,
    /// The number that all statements with its normal text have.
    pub query_id: Option<i64>,
    /// PostgreSQL's word for what it is; empty where who looks may not see it.
    pub backend_type: &'static str,
}

/// What is locked.
#[derive(Clone, Copy)]
pub enum LockedObject {
    /// A table of the session's database.
    Relation(u32),
    /// A number.
    Advisory(AdvisoryKey),
    /// The end of a transaction: its id is locked until then.
    Transaction(u64),
    /// The place of whoever is the next to have a row: its table and that's database, and its number.
    Tuple(u32, u32, u64),
}

/// A lock as `pg_locks` shows it.
pub struct LockRow {
    /// What it locks.
    pub object: LockedObject,
    /// The session.
    pub pid: i32,
    /// The mode.
    pub mode: String,
    /// Since when it waits, microseconds since 2000; `None`: it holds it.
    pub waits_since: Option<i64>,
}

/// What views may ask of the session and the database.
pub trait ViewContext {
    /// A function is about to be called that may wait, in a transaction with this id.
    fn note_transaction(&self, id: Option<u64>);
    /// Refuses a change in a transaction that is READ ONLY; `what` is about to make it.
    fn check_writable(&self, what: &str) -> Result<(), SqlError>;
    /// Warns the client.
    fn warn(&self, message: String);
    /// A number that no object has had.
    fn new_oid(&self) -> Result<u32, SqlError>;
    /// Sees to it that a role stays until the transaction ends.
    fn keep_role(&self, role: u32) -> Result<(), SqlError>;
    /// Gives others what the statement sees, with the catalog's version then: the name that it has among them.
    fn export_snapshot(&self, moment: Moment, version: u64) -> Result<String, SqlError>;
    /// The large objects that the transaction has open.
    fn large_objects(&self) -> &RefCell<Descriptors>;
    /// The tree of the database's large objects, as of now.
    fn large_object_tree(&self) -> Option<TreeId>;
    /// The same, made if there is none.
    fn make_large_objects(&self) -> Result<TreeId, SqlError>;
    /// A large object is gone, and with it will be what is said of it.
    fn note_unlinked(&self, oid: u32);
    /// The database's name.
    fn database_name(&self) -> String;
    /// The query of a view, or of a materialized one, as it is shown.
    fn shown_view(&self, oid: u32) -> String;
    /// The names of a view's columns, or of a materialized one, and from where each comes: a relation's OID and a column's number, or zeros.
    fn view_origins(&self, oid: u32) -> Vec<(String, u32, i16)>;
    /// The condition of a CHECK, as it is shown.
    fn shown_check(&self, catalog: &Catalog, oid: u32) -> String;
    /// An index of a table with its expressions and its predicate as they are shown.
    fn shown_index<'i>(&self, table: &Arc<Table>, index: &'i Index) -> Cow<'i, Index>;
    /// The default of a column of a table, as it is shown.
    fn shown_value(&self, stored: &str, table: u32) -> String;
    /// Whether rows can be inserted through a view, and updated and deleted.
    fn is_updatable(&self, catalog: &Catalog, view: &View) -> (bool, bool);
    /// Whether a column of a view, counted from 0, can be changed.
    fn is_column_updatable(&self, catalog: &Catalog, view: &View, column: usize) -> bool;
    /// The schemas in which names without one are looked up.
    fn search_path(&self) -> &[u32];
    /// Rows of a table that depend on the catalog alone, as they are kept for all who have that catalog; `None`: they are not.
    fn kept_rows(&self, catalog: &Catalog, table: &VirtualTable) -> Result<Option<SharedRows>, SqlError>;
    /// The current role.
    fn role(&self) -> u32;
    /// How values are written, with the names of what users made.
    fn format(&self) -> FormatOptions;
    /// Settings in alphabetical order.
    fn settings(&self) -> Vec<Shown>;
    /// Whether the definitions of now may be told to anybody: until then names are those that who is concerned came in with.
    fn may_tell_definitions(&self) -> bool;
    /// Sessions.
    fn activity(&self) -> Vec<ActivityRow>;
    /// What was done in a database, and when that was reset.
    fn database_totals(&self, database: u32) -> (crate::of_database::Totals, Option<i64>);
    /// What the transaction did to the rows of a table.
    fn changed_in_transaction(&self, table: u32) -> super::Changed;
    /// What the engine has counted, and since when.
    fn engine_totals(&self) -> crate::of_engine::EngineTotals;
    /// Commands that tell how far they are.
    fn progress(&self) -> Vec<crate::progress::WorkShown>;
    /// Table locks held.
    fn locks(&self) -> Vec<LockRow>;
    /// How far a standby is; `None` on a primary.
    fn replay(&self) -> Option<crate::status::ReplayState>;
    /// A standby's connection to its primary.
    fn wal_receiver(&self) -> Option<crate::status::WalReceiver>;
    /// Statements that were counted.
    fn counted(&self) -> Vec<stat_statements::CountedRow>;
    /// How often counts had to go, and when all were reset.
    fn counted_info(&self) -> (u64, i64);
    /// Replication connections.
    fn wal_senders(&self) -> Vec<crate::status::WalSender>;
    /// Clients' connections, as far as they are told.
    fn connections(&self) -> Vec<crate::status::ConnectionShown>;
    /// Lines of the configuration's files, as they are now.
    fn file_settings(&self) -> Vec<crate::status::FileSettingShown>;
    /// Lines of `pg_hba.conf`, as the file is now.
    fn hba_rules(&self) -> Vec<crate::status::HbaShown>;
    /// Lines of `pg_ident.conf`, as the file is now.
    fn ident_mappings(&self) -> Vec<crate::status::IdentShown>;
    /// The storage engine.
    fn database(&self) -> &evenkeel::Database;
    /// When the server started, microseconds since 2000-01-01 UTC.
    fn start_time_us(&self) -> i64;
    /// The last value of a sequence, and whether it was handed out.
    fn sequence_state(&self, oid: u32) -> Result<(i64, bool), SqlError>;
    /// Whether values of a sequence are told.
    fn may_tell_sequence(&self, oid: u32) -> bool;
    /// Whether what others do is told: membership of `pg_read_all_stats`.
    fn sees_all_stats(&self) -> bool;
    /// The session's cursors.
    fn cursors(&self) -> Vec<CursorRow>;
    /// The row of a table that a cursor stands on; None: an outer join found none.
    fn current_row(&self, cursor: &str, table: &Table) -> Result<Option<u64>, SqlError>;
    /// Prepared statements with names.
    fn prepared_statements(&self) -> Vec<PreparedRow>;
}

static ALL: LazyLock<Vec<&'static VirtualTable>> = LazyLock::new(|| {
    let mut all: Vec<&'static VirtualTable> = Vec::new();
    all.extend(classes::TABLES);
    all.extend(constraints::TABLES);
    all.extend(opclass::TABLES);
    all.extend(comments::TABLES);
    all.extend(types::TABLES);
    all.extend(collations::TABLES);
    all.extend(server::TABLES);
    all.extend(privileges::TABLES);
    all.extend(roles::TABLES);
    all.extend(settings::TABLES);
    all.extend(configured::TABLES);
    all.extend(stats::TABLES);
    all.extend(progress::TABLES);
    all.extend(stat_statements::TABLES);
    all.extend(stats_objects::TABLES);
    all.extend(values::TABLES);
    all.extend(replication::TABLES);
    all.extend(stored::TABLES);
    all.extend(large_objects::TABLES);
    all.extend(extended::TABLES);
    all.extend(extensions::TABLES);
    all.extend(access::TABLES);
    all.extend(information::TABLES);
    all.extend(information_constraints::TABLES);
    all.extend(domains::TABLES);
    all.extend(information_types::TABLES);
    all.extend(information_routines::TABLES);
    all.extend(empty::TABLES);
    all.extend(empty::INFORMATION_TABLES);
    all
});

/// OIDs of the catalog tables whose rows other catalog tables speak of.
pub mod class_oid {
    /// `pg_class`
    pub const RELATION: u32 = 1259;
    /// `pg_namespace`
    pub const NAMESPACE: u32 = 2615;
    /// `pg_constraint`
    pub const CONSTRAINT: u32 = 2606;
    /// `pg_database`
    pub const DATABASE: u32 = 1262;
    /// `pg_authid`
    pub const ROLE: u32 = 1260;
    /// `pg_attrdef`
    pub const ATTRDEF: u32 = 2604;
    /// `pg_extension`
    pub const EXTENSION: u32 = 3079;
    /// `pg_type`
    pub const TYPE: u32 = 1247;
    /// `pg_collation`
    pub const COLLATION: u32 = 3456;
    /// `pg_statistic_ext`
    pub const STATISTICS: u32 = 3381;
    /// `pg_rewrite`
    pub const REWRITE: u32 = 2618;
}

/// All of them.
pub fn all() -> &'static [&'static VirtualTable] {
    &ALL
}

/// By OID.
pub fn by_oid(oid: u32) -> Option<&'static VirtualTable> {
    ALL.iter().find(|t| t.oid == oid).copied()
}

/// By schema and name.
pub fn by_name(schema: u32, name: &str) -> Option<&'static VirtualTable> {
    ALL.iter().find(|t| t.schema == schema && t.name == name).copied()
}

fn text(s: impl AsRef<str>) -> Datum {
    Datum::text(s)
}

/// The address of a client.
fn address(text: Option<&str>) -> Datum {
    text.and_then(|t| Inet::parse(t, false).ok()).map_or(Datum::Null, Datum::Inet)
}

fn opt(s: Option<impl AsRef<str>>) -> Datum {
    s.map_or(Datum::Null, Datum::text)
}

fn yes(b: bool) -> Datum {
    Datum::Bool(b)
}

#[cfg(test)]
mod tests {
    use super::{VirtualTable, all};
    use crate::catalog::INFORMATION_SCHEMA_OID;
    use std::collections::{BTreeMap, HashSet};

    /// Views and tables that are not there: what they tell of is not known here, or not told.
    const ABSENT: [&str; 4] = [
        "information_schema.sql_features",
        "information_schema.sql_implementation_info",
        "information_schema.sql_parts",
        "information_schema.sql_sizing",
    ];
    /// One that has fewer columns, and one with a column of another type.
    const OTHERWISE: [&str; 2] = ["pg_catalog.pg_statistic", "pg_catalog.pg_attribute"];
    /// Those with columns of ours, or of releases before 18.
    const MORE: [&str; 9] = [
        "pg_catalog.pg_attribute",
        "pg_catalog.pg_collation",
        "pg_catalog.pg_database",
        "pg_catalog.pg_stat_archiver",
        "pg_catalog.pg_stat_bgwriter",
        "pg_catalog.pg_stat_checkpointer",
        "pg_catalog.pg_stat_progress_basebackup",
        "pg_catalog.pg_stat_recovery_prefetch",
        "pg_catalog.pg_stat_wal",
    ];

    /// The type that stands for one of PostgreSQL's that is not there.
    fn told(ty: &str) -> &str {
        match ty {
            "aclitem[]" | "pg_statistic[]" => "text[]",
            "anyarray" | "pg_node_tree" | "pg_ndistinct" | "pg_dependencies" | "pg_mcv_list" => "text",
            ty => ty,
        }
    }

    fn name(v: &VirtualTable) -> String {
        let schema = if v.schema == INFORMATION_SCHEMA_OID { "information_schema" } else { "pg_catalog" };
        format!("{schema}.{}", v.name)
    }

    #[test]
    fn views_have_the_columns_that_postgresql_gives_them() {
        let text = include_str!("postgres18.txt").replace("\n  ", " ");
        type Columns<'a> = Vec<(&'a str, &'a str)>;
        let mut wanted: BTreeMap<&str, (&str, Columns<'_>)> = BTreeMap::new();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let (what, columns) = line.split_once(": ").unwrap();
            let (name, kind) = what.split_once(' ').unwrap();
            let columns = columns.split(", ").map(|c| c.split_once(' ').unwrap());
            wanted.insert(name, (kind, columns.map(|(n, ty)| (n, told(ty))).collect()));
        }
        let (mut found, mut wrong) = (HashSet::new(), Vec::new());
        for v in all() {
            let name = name(v);
            let Some((kind, wanted)) = wanted.get(&*name) else { continue };
            found.insert(name.clone());
            let mut has: Vec<(&str, String)> =
                v.columns.iter().map(|c| (c.0, c.1.sql_name().into_owned())).collect();
            if MORE.contains(&&*name) {
                has.retain(|h| wanted.iter().any(|w| w.0 == h.0));
            }
            let same = has.iter().map(|h| (h.0, &*h.1)).eq(wanted.iter().copied());
            if (same && v.is_view == (*kind == "view")) == OTHERWISE.contains(&&*name) {
                wrong.push(format!("otherwise: {name}"));
            }
        }
        for name in wanted.keys() {
            if found.contains(*name) == ABSENT.contains(name) {
                wrong.push(format!("absent: {name}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn no_two_views_have_the_same_oid_or_name() {
        let (mut oids, mut names) = (HashSet::new(), HashSet::new());
        for v in all() {
            assert!(oids.insert(v.oid), "{} has the OID of another", v.name);
            assert!(names.insert((v.schema, v.name)), "{} is there twice", v.name);
        }
    }
}
