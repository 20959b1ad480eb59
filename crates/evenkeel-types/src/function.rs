//! What a function, an operator and an aggregate are, and what they may ask of the session.
//!
//! The binder resolves a name to a table entry once; the executor then calls the entry's `call` with values of exactly the types that
//! `resolve` gave. Functions that need the catalog or the session ask [`Env`], which the session implements; its defaults are those of
//! an empty catalog.
//!
//! Must not know: the catalog, the executor.

use super::datum::{ArrayDatum, Datum};
use super::format::FormatOptions;
use super::ty::Type;
use crate::error::{SqlError, SqlState};
use crate::funcs::random::Generator;
use evenkeel::Lsn;
use std::cell::Cell;
use std::sync::Arc;

/// Whether a call may be evaluated ahead of time, as `pg_proc.provolatile`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Volatility {
    /// Depends on the arguments only: may be folded when planning.
    Immutable,
    /// Constant within a statement.
    Stable,
    /// May differ at each call, or has effects.
    Volatile,
}

/// What a function call may look at besides its arguments.
pub struct EvalCtx<'a> {
    /// Formats and time zone of the session.
    pub format: &'a FormatOptions,
    /// Start of the transaction, microseconds since 2000-01-01 UTC.
    pub txn_timestamp: i64,
    /// Start of the statement, microseconds since 2000-01-01 UTC.
    pub stmt_timestamp: i64,
    /// Largest single value that a function may build, in bytes; more is an error `54000`.
    pub max_value_bytes: usize,
    /// The session.
    pub env: &'a dyn Env,
}

impl EvalCtx<'_> {
    /// Refuses to build a value of `len` bytes if that is more than the statement may.
    pub fn check_len(&self, len: usize) -> Result<(), SqlError> {
        if len > MAX_VALUE_BYTES {
            return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "requested length too large"));
        }
        if len > self.max_value_bytes {
            return Err(SqlError::new(SqlState::OUT_OF_MEMORY, "out of memory").with_detail(format!(
                "A value of {len} bytes exceeds the statement's memory of {} bytes.",
                self.max_value_bytes
            )));
        }
        Ok(())
    }

    /// As `check_len`, and takes the memory for making the value and keeping it: for what is made at one go.
    pub fn make_len(&self, len: usize) -> Result<(), SqlError> {
        self.check_len(len)?;
        crate::guard::admit(len.saturating_mul(2))
    }
}

/// The longest pattern of `to_char` and its like, in bytes: what is made of it is a hundred times as large.
const MAX_PATTERN_BYTES: usize = 256 << 10;

/// Refuses a pattern that is too long to be split into its parts.
pub fn check_pattern(pattern: &str) -> Result<(), SqlError> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "format specification is too long")
            .with_detail(format!("It has {} bytes; {MAX_PATTERN_BYTES} are allowed.", pattern.len())));
    }
    Ok(())
}

/// What an object is, and its names: without an identity it is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectIdentity {
    /// Its kind, as `table` or `table column`.
    pub kind: String,
    /// Its schema, in quotes where it needs them.
    pub schema: Option<String>,
    /// Its name with its schema tells it apart; else None. In quotes where it needs them.
    pub name: Option<String>,
    /// All that tells it apart.
    pub identity: Option<String>,
    /// What `pg_get_object_address` takes: names.
    pub names: Vec<String>,
    /// And arguments.
    pub args: Vec<String>,
}

/// Largest value of any type, in bytes: 1 GiB less a header.
pub const MAX_VALUE_BYTES: usize = (1 << 30) - 5;

/// The body of a function.
pub type ScalarCall = fn(&[Datum], &EvalCtx<'_>) -> Result<Datum, SqlError>;

/// One function or operator.
#[derive(Clone, Copy)]
pub struct ScalarFn {
    /// The SQL name, lower case, without schema.
    pub name: &'static str,
    /// Argument types; the last repeats once or more if `variadic`.
    pub args: &'static [Type],
    /// Whether the last argument repeats.
    pub variadic: bool,
    /// Result type; if polymorphic, see [`super::resolve::result_type`].
    pub ret: Type,
    /// NULL in any argument gives NULL without a call. The caller checks; `call` of a strict function may assume non-null arguments.
    pub strict: bool,
    /// Whether the call may be folded.
    pub volatile: Volatility,
    /// The body.
    pub call: ScalarCall,
}

/// What of the transaction itself a function asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsksTransaction {
    /// Its id, which it gets if it has none.
    Id,
    /// Its id, or NULL.
    IdIfAssigned,
    /// What the statement sees.
    Snapshot,
    /// What the statement sees, kept for others to begin with.
    Export,
    /// What became of the transaction with an id.
    Status,
    /// Whose a row is.
    WriterOfRow,
    /// Something of a large object, whose rows it reads and writes.
    LargeObject,
    /// That statistics be what it gives.
    Statistics,
}

impl ScalarFn {
    /// What it asks of the transaction: it takes that itself, so the executor answers.
    pub fn asks_transaction(&self) -> Option<AsksTransaction> {
        Some(match self.name {
            "pg_current_xact_id" | "txid_current" | "evenkeel_writer" => AsksTransaction::Id,
            "pg_current_xact_id_if_assigned" | "txid_current_if_assigned" => AsksTransaction::IdIfAssigned,
            "pg_current_snapshot" | "txid_current_snapshot" => AsksTransaction::Snapshot,
            "pg_export_snapshot" => AsksTransaction::Export,
            "pg_xact_status" | "txid_status" => AsksTransaction::Status,
            "evenkeel_writer_of_row" => AsksTransaction::WriterOfRow,
            "loread" | "lowrite" | "has_largeobject_privilege" => AsksTransaction::LargeObject,
            "pg_restore_relation_stats"
            | "pg_restore_attribute_stats"
            | "pg_clear_relation_stats"
            | "pg_clear_attribute_stats" => AsksTransaction::Statistics,
            name if name.starts_with("lo_") => AsksTransaction::LargeObject,
            _ => return None,
        })
    }
}

/// Whether a value's text depends on its type: several share the representation.
pub fn is_named_by_type(ty: Type) -> bool {
    ty.is_reg() || matches!(ty, Type::Cidr | Type::Char)
}

impl ScalarFn {
    /// Whether its argument `n` may be of any type, or of none: what SQL/JSON constructs of its arguments, texts if they have no type, has no such.
    pub fn takes_any(&self, n: usize) -> bool {
        let declared = self.args.get(n).or(self.args.last().filter(|_| self.variadic));
        declared == Some(&Type::Any) && !matches!(self.name, "json_array" | "json_object")
    }

    /// Whether it writes values of any type as text, which some types' values alone do not tell: the binder gives it those as texts.
    pub fn writes_values(&self) -> bool {
        matches!(self.name, "concat" | "concat_ws" | "format" | "to_json" | "to_jsonb")
            || self.name.starts_with("json") && matches!(self.args, [Type::Any, ..] | [Type::AnyElement])
    }
}

impl std::fmt::Debug for ScalarFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({:?}) -> {:?}", self.name, self.args, self.ret)
    }
}

/// State of one aggregate over one group.
pub trait AggState: Send {
    /// Of an ordered-set aggregate: its direct arguments, and how many rows follow. Called once, before the first of them.
    fn begin(&mut self, direct: &[Datum], rows: u64) -> Result<(), SqlError> {
        let _ = (direct, rows);
        Ok(())
    }
    /// Takes in one row's arguments (as many as the aggregate has; nulls are passed and skipped by those that skip them).
    fn update(&mut self, args: &[Datum], ctx: &EvalCtx<'_>) -> Result<(), SqlError>;
    /// The result. Called once.
    fn finish(&mut self) -> Result<Datum, SqlError>;
    /// Memory held, in bytes.
    fn memory_bytes(&self) -> usize;
    /// The result so far, of a state that goes on: for a window whose frame grows. `None`: only [`AggState::finish`] can tell.
    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        Ok(None)
    }
    /// Takes back a row that was taken in: for a window whose frame moves. `false`: it cannot, and the state is of no more use.
    fn remove(&mut self, args: &[Datum]) -> Result<bool, SqlError> {
        let _ = args;
        Ok(false)
    }
}

/// One aggregate function.
#[derive(Clone, Copy)]
pub struct AggFn {
    /// The SQL name.
    pub name: &'static str,
    /// Argument types; `count(*)` has none.
    pub args: &'static [Type],
    /// Result type; if polymorphic, see [`super::resolve::result_type`].
    pub ret: Type,
    /// Makes the state of an empty group, from the argument types that `resolve` gave.
    pub new: fn(&[Type]) -> Box<dyn AggState>,
}

/// How an aggregate takes its rows, as `pg_aggregate.aggkind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AggKind {
    /// As they come, or in an order that the call gives.
    Normal,
    /// WITHIN GROUP: in order, once it was told its direct arguments ([`AggState::begin`]). Of its arguments the last is what rows are ordered by, and
    /// NULLs of that are left out.
    OrderedSet,
    /// WITHIN GROUP: of each row it is told where it stands beside the row that the direct arguments are: -1 before it, 0 as it, 1 behind it. There may be
    /// any number of direct arguments, and rows are ordered by as many.
    Hypothetical,
}

impl AggFn {
    /// How it takes its rows.
    pub fn kind(&self) -> AggKind {
        match self.name {
            "percentile_cont" | "percentile_disc" | "mode" => AggKind::OrderedSet,
            "rank" | "dense_rank" | "percent_rank" | "cume_dist" => AggKind::Hypothetical,
            _ => AggKind::Normal,
        }
    }

    /// Whether of rows that are alike it is to be given one.
    pub fn is_of_distinct(&self) -> bool {
        self.name == "dense_rank"
    }
}

impl std::fmt::Debug for AggFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({:?}) -> {:?}", self.name, self.args, self.ret)
    }
}

/// A kind of catalog object, for lookups that take an OID.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // Named as in the catalog.
pub enum ObjectKind {
    Table,
    Type,
    Function,
    Operator,
    OperatorClass,
    OperatorFamily,
    Collation,
    Conversion,
    Statistics,
    TextSearchConfig,
    TextSearchDictionary,
    TextSearchParser,
    TextSearchTemplate,
}

/// Which size of a relation is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SizeKind {
    /// The relation itself.
    Main,
    /// A table without its indexes.
    Table,
    /// The indexes of a table.
    Indexes,
    /// A table with its indexes.
    Total,
}

/// What has a privilege checked on it.
#[derive(Clone, Debug)]
pub enum PrivilegeTarget {
    /// An object by name, and which kind: `"table"`, `"schema"`, `"database"`, …
    Name(&'static str, String),
    /// An object by OID.
    Oid(&'static str, u32),
    /// A column of a relation.
    Column(Box<PrivilegeTarget>, PrivilegeColumn),
}

/// What an `aclitem` says.
#[derive(Clone, Debug)]
pub struct AclEntry {
    /// Who granted.
    pub grantor: u32,
    /// Who has; 0: everybody.
    pub grantee: u32,
    /// What, and whether with the grant option.
    pub privileges: Vec<(&'static str, bool)>,
}

/// A column that has a privilege checked on it.
#[derive(Clone, Debug)]
pub enum PrivilegeColumn {
    /// By its name.
    Name(String),
    /// By its number.
    Number(i16),
}

/// What an advisory lock is on.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct AdvisoryKey {
    /// The database: the session's, which says so.
    pub database: u32,
    /// The upper half of one number, or the first of two.
    pub class: u32,
    /// The rest.
    pub object: u32,
    /// 1: one number, 2: two.
    pub part: i16,
}

/// How an advisory lock is taken.
#[derive(Clone, Copy, Debug)]
pub struct AdvisoryMode {
    /// Others may share it.
    pub shared: bool,
    /// It goes with the transaction.
    pub of_transaction: bool,
}

/// A file of the log: its name, and when it was written last.
pub type LogFile = (String, Option<i64>);

/// What functions may ask of the session. Every method has a default that suits a session without a catalog.
#[allow(unused_variables)]
pub trait Env {
    /// Name of the database.
    fn current_database(&self) -> String {
        "evenkeel".into()
    }
    /// The effective user.
    fn current_user(&self) -> String {
        "evenkeel".into()
    }
    /// The user that authenticated.
    fn session_user(&self) -> String {
        self.current_user()
    }
    /// `SYSTEM_USER`
    fn system_user(&self) -> Option<String> {
        None
    }
    /// The schema search path that exists; with `implicit`, including `pg_catalog`.
    fn current_schemas(&self, implicit: bool) -> Vec<String> {
        if implicit { vec!["pg_catalog".into(), "public".into()] } else { vec!["public".into()] }
    }
    /// The schema of the session's temporary objects, 0 if there is none.
    fn my_temp_schema(&self) -> u32 {
        0
    }
    /// Whether a schema has the temporary objects of another session.
    fn is_other_temp_schema(&self, _oid: u32) -> bool {
        false
    }
    /// The text of `version()`.
    fn version(&self) -> String {
        concat!("PostgreSQL 18.0 (evenkeel ", env!("CARGO_PKG_VERSION"), ")").into()
    }
    /// The number that cancel requests and `pg_stat_activity` use for this session.
    fn backend_pid(&self) -> i32 {
        0
    }
    /// Refuses to say the value of a setting that the role may not see.
    fn check_may_examine(&self, name: &str) -> Result<(), SqlError> {
        Ok(())
    }
    /// Over TCP, the ports of the client and of the server.
    fn ports(&self) -> Option<(u16, u16)> {
        None
    }
    /// Over TCP, the address that the client called.
    fn server_addr(&self) -> Option<String> {
        None
    }
    /// The client's address, if it came over TCP.
    fn client_addr(&self) -> Option<String> {
        None
    }
    /// Value of a setting; `None` if there is no such setting.
    fn setting(&self, name: &str) -> Option<String> {
        None
    }
    /// Changes a setting, without a value to its default, and returns its new value.
    fn set_setting(&self, name: &str, value: Option<&str>, local: bool) -> Result<Arc<str>, SqlError> {
        Err(SqlError::new(
            SqlState::UNDEFINED_OBJECT,
            format!("unrecognized configuration parameter \"{name}\""),
        ))
    }
    /// Blocks for a time, or until the session is canceled.
    fn sleep_us(&self, us: u64) -> Result<(), SqlError> {
        let _waiting = evenkeel::base::blocking::wait(evenkeel::base::blocking::Wait::Sleep);
        std::thread::sleep(std::time::Duration::from_micros(us));
        Ok(())
    }
    /// Takes an advisory lock, once more if it is held already; false: it is another's, and is not waited for. Blocks if it is to wait.
    fn advisory_lock(&self, key: AdvisoryKey, mode: AdvisoryMode, wait: bool) -> Result<bool, SqlError> {
        Err(SqlError::unsupported("advisory locks are not supported"))
    }
    /// Gives up an advisory lock that the session took, once; false, and a warning: it has none.
    fn advisory_unlock(&self, key: AdvisoryKey, shared: bool) -> bool {
        false
    }
    /// Gives up all advisory locks that the session took.
    fn advisory_unlock_all(&self) {}
    /// `pg_notify`: listeners to a channel are told once the transaction commits.
    fn notify(&self, channel: &str, payload: &str) -> Result<(), SqlError> {
        Err(SqlError::unsupported("NOTIFY is not supported"))
    }
    /// Channels that the session listens to.
    fn listening_channels(&self) -> Vec<String> {
        Vec::new()
    }
    /// How full the queue of notifications is, from 0 to 1.
    fn notification_queue_usage(&self) -> f64 {
        0.0
    }
    /// Wall clock, microseconds since 2000-01-01 UTC.
    fn clock_us(&self) -> i64 {
        super::datetime::wall_clock_us()
    }
    /// The generator of its random numbers, if it keeps one.
    fn generator(&self) -> Option<&Cell<Generator>> {
        None
    }
    /// Cancels what another session runs; false if there is no such session.
    fn cancel_backend(&self, pid: i32) -> Result<bool, SqlError> {
        Ok(false)
    }
    /// Forgets what statements have taken, of a role, in a database and of a statement (0: of all), or the shortest and longest times alone; when.
    fn reset_statement_counts(
        &self,
        (role, database): (u32, u32),
        statement: i64,
        extremes_only: bool,
    ) -> Result<i64, SqlError> {
        Err(SqlError::unsupported("statements are not counted"))
    }
    /// `pg_stat_reset_single_table_counters`
    fn reset_counts_of(&self, relation: u32) {}
    /// Has what is counted of the database and its tables begin again.
    fn reset_database_counts(&self) -> Result<(), SqlError> {
        Err(SqlError::unsupported("nothing is counted"))
    }
    /// Has what is counted of all databases together begin again: all of it, or what PostgreSQL calls by this name; false: there is no such thing.
    fn reset_shared_counts(&self, target: Option<&str>) -> Result<bool, SqlError> {
        Err(SqlError::unsupported("nothing is counted"))
    }
    /// Ends another session; false if there is no such session.
    fn terminate_backend(&self, pid: i32) -> Result<bool, SqlError> {
        Ok(false)
    }
    /// `pg_create_restore_point`: names this moment in the log. Blocks until it is durable; gives the position behind it.
    fn create_restore_point(&self, name: &str) -> Result<Lsn, SqlError> {
        Err(SqlError::unsupported("restore points are not supported"))
    }
    /// `pg_create_physical_replication_slot`: gives from where on the log is kept, if it is. Durable when it returns.
    fn create_slot(&self, name: &str, reserve: bool) -> Result<Option<Lsn>, SqlError> {
        Err(SqlError::unsupported("replication slots are not supported"))
    }
    /// `pg_drop_replication_slot`. Durable when it returns.
    fn drop_slot(&self, name: &str) -> Result<(), SqlError> {
        Err(SqlError::unsupported("replication slots are not supported"))
    }
    /// `pg_switch_wal`: sends all log to the archive, the unfinished segment too. Blocks until it is there, or the session is canceled; gives the
    /// position it has then.
    fn switch_wal(&self) -> Result<Lsn, SqlError> {
        Err(SqlError::unsupported("there is no log"))
    }
    /// `evenkeel_backup`: makes a base backup and gives its name. Blocks until it is complete, or the session is canceled.
    fn backup(&self, label: &str, options: &str) -> Result<String, SqlError> {
        Err(SqlError::unsupported("base backups are not supported"))
    }
    /// `pg_promote`: a standby takes over. Blocks until it has.
    fn promote(&self) -> Result<(), SqlError> {
        Err(SqlError::unsupported("there is no standby"))
    }
    /// `pg_rotate_logfile`: has the log begin new files; false where it goes to none.
    fn rotate_log(&self) -> bool {
        false
    }
    /// Files of the log, by their format (`pg_current_logfile`).
    fn log_files(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// `pg_reload_conf`: has the server read its settings anew, soon.
    fn reload(&self) -> Result<(), SqlError> {
        Err(SqlError::unsupported("there is no server"))
    }
    /// Has a standby's replay pause, or go on, if that is asked; whether it is to pause, and whether it does.
    fn replay_pause(&self, pauses: Option<bool>) -> Result<(bool, bool), SqlError> {
        Err(SqlError::unsupported("there is no standby"))
    }
    /// Whether the server replays a log.
    fn is_in_recovery(&self) -> bool {
        false
    }
    /// When the server and its configuration were started: (postmaster start, configuration load), microseconds since 2000-01-01 UTC.
    fn start_times_us(&self) -> (i64, i64) {
        let now = self.clock_us();
        (now, now)
    }
    /// OID of what a name denotes, for `to_regclass` and its like; the name may be qualified and quoted. `None`: no such thing.
    fn reg_oid(&self, ty: Type, name: &str) -> Result<Option<u32>, SqlError> {
        Ok(None)
    }
    /// Name of what an OID denotes, qualified and quoted as needed.
    fn reg_name(&self, ty: Type, oid: u32) -> Option<String> {
        None
    }
    /// Name of a role; `None` if there is none.
    fn role_name(&self, oid: u32) -> Option<String> {
        None
    }
    /// Whether an object is found by its bare name; `None` if there is no such object.
    fn is_visible(&self, kind: ObjectKind, oid: u32) -> Option<bool> {
        match kind {
            ObjectKind::Type => Type::from_oid(oid).map(|_| true),
            _ => None,
        }
    }
    /// `pg_get_indexdef`: column 0 is the whole definition.
    fn index_def(&self, oid: u32, column: i32, pretty: bool) -> Option<String> {
        None
    }
    /// `pg_indexam_has_property`
    fn method_property(&self, method: u32, property: &str) -> Option<bool> {
        None
    }
    /// `pg_index_has_property`, and of a column `pg_index_column_has_property`
    fn index_property(&self, index: u32, column: Option<i32>, property: &str) -> Option<bool> {
        None
    }
    /// `pg_get_object_address`
    fn object_address(
        &self,
        kind: &str,
        names: &ArrayDatum,
        args: &ArrayDatum,
    ) -> Result<(u32, u32, i32), SqlError> {
        Err(SqlError::unsupported("there are no objects"))
    }
    /// At which place of an index, from 1, a column of its table stands.
    fn index_position(&self, index: u32, column: i16) -> Option<i32> {
        None
    }
    /// `pg_identify_object`
    fn identify_object(&self, class: u32, oid: u32, part: i32) -> Result<ObjectIdentity, SqlError> {
        Err(SqlError::unsupported("there are no objects"))
    }
    /// `pg_describe_object`
    fn describe_object(&self, class: u32, oid: u32, part: i32) -> Result<Option<String>, SqlError> {
        Ok(None)
    }
    /// `pg_get_constraintdef`
    fn constraint_def(&self, oid: u32, pretty: bool) -> Option<String> {
        None
    }
    /// `pg_get_expr`: expressions are stored as their SQL text, so that is the answer.
    fn expression(&self, stored: &str, relation: u32, pretty: bool) -> Option<String> {
        Some(stored.into())
    }
    /// What can be done with rows through a relation, or with one of its columns, as `pg_relation_is_updatable` has it.
    fn updatable(&self, relation: u32, column: Option<i16>) -> i32 {
        let _ = (relation, column);
        0
    }
    /// `pg_get_viewdef`
    fn view_def(&self, oid: u32, pretty: bool) -> Option<String> {
        None
    }
    /// `pg_get_triggerdef`
    fn trigger_def(&self, oid: u32, pretty: bool) -> Option<String> {
        None
    }
    /// `pg_get_ruledef`
    fn rule_def(&self, oid: u32, pretty: bool) -> Option<String> {
        None
    }
    /// `pg_get_partkeydef`
    fn partition_key_def(&self, oid: u32) -> Option<String> {
        None
    }
    /// `pg_get_statisticsobjdef`
    fn statistics_def(&self, oid: u32) -> Option<String> {
        None
    }
    /// `pg_get_statisticsobjdef_columns`
    fn statistics_columns(&self, oid: u32) -> Option<String> {
        None
    }
    /// `pg_get_functiondef`
    fn function_def(&self, oid: u32) -> Option<String> {
        None
    }
    /// `pg_get_function_result`
    fn function_result(&self, oid: u32) -> Option<String> {
        None
    }
    /// `pg_get_function_arguments`
    fn function_arguments(&self, oid: u32) -> Option<String> {
        None
    }
    /// The comment on an object of the named catalog (`pg_class`, …), or on its column `subid`.
    fn comment(&self, oid: u32, catalog: Option<&str>, subid: i32) -> Option<String> {
        None
    }
    /// Ancestors of a partition, itself first; empty if the relation is no partition.
    fn partition_ancestors(&self, oid: u32) -> Vec<u32> {
        Vec::new()
    }
    /// Bytes that a relation occupies; `None` if there is no such relation.
    fn relation_size_bytes(&self, oid: u32, kind: SizeKind) -> Result<Option<i64>, SqlError> {
        Ok(None)
    }
    /// Loads blocks of a table or index into the buffers, the last one included; gives how many they are. `None`: it has no blocks.
    fn prewarm(&self, oid: u32, first: Option<i64>, last: Option<i64>) -> Result<Option<i64>, SqlError> {
        Ok(None)
    }
    /// Bytes that a database occupies, by name; `None` if there is none.
    fn database_size_bytes(&self, name: &str) -> Result<Option<i64>, SqlError> {
        Ok(None)
    }
    /// Name of a database by OID.
    fn database_name(&self, oid: u32) -> Option<String> {
        None
    }
    /// Path of the file that holds a relation, relative to the data folder.
    fn relation_file_path(&self, oid: u32) -> Option<String> {
        None
    }
    /// `has_*_privilege`; `role` is `None` for the current user. `None`: the object does not exist.
    fn has_privilege(
        &self,
        role: Option<&str>,
        target: &PrivilegeTarget,
        privilege: &str,
    ) -> Result<Option<bool>, SqlError> {
        Ok(Some(true))
    }
    /// `acldefault`: the list of an object of a kind that has none of its own; `None`: there is no such kind.
    fn acl_default(&self, kind: &str, owner: u32) -> Option<Vec<String>> {
        None
    }
    /// What an `aclitem` says.
    fn acl_item(&self, text: &str) -> Result<AclEntry, SqlError> {
        Err(SqlError::unsupported("privileges are not supported"))
    }
    /// `makeaclitem`
    fn acl_text(
        &self,
        grantee: u32,
        grantor: u32,
        privileges: &str,
        grantable: bool,
    ) -> Result<String, SqlError> {
        Err(SqlError::unsupported("privileges are not supported"))
    }
    /// Whether the values of a sequence are told: to whoever may select from it, or (`or_uses`) use it.
    fn may_tell_sequence(&self, oid: u32, or_uses: bool) -> bool {
        true
    }
    /// `nextval`; `for_identity`: it is an identity column's value, for which no privilege is asked.
    fn sequence_next(&self, oid: u32, for_identity: bool) -> Result<i64, SqlError> {
        Err(SqlError::unsupported("sequences are not supported"))
    }
    /// `currval`; `None` for `lastval`.
    fn sequence_current(&self, oid: Option<u32>) -> Result<i64, SqlError> {
        Err(SqlError::unsupported("sequences are not supported"))
    }
    /// The last value of a sequence, and whether it was handed out.
    fn sequence_state(&self, oid: u32) -> Result<(i64, bool), SqlError> {
        Err(SqlError::unsupported("sequences are not supported"))
    }
    /// `setval`
    fn sequence_set(&self, oid: u32, value: i64, is_called: bool) -> Result<i64, SqlError> {
        Err(SqlError::unsupported("sequences are not supported"))
    }
    /// `pg_get_serial_sequence`
    fn serial_sequence(&self, table: &str, column: &str) -> Result<Option<String>, SqlError> {
        Ok(None)
    }
    /// Sessions that the one with this number waits for, as far as they are known.
    fn blocking_pids(&self, pid: i32) -> Vec<i32> {
        Vec::new()
    }
    /// What a sequence is declared as: start, least and largest value, step, values in advance; whether it begins again; its type.
    fn sequence_parameters(&self, oid: u32) -> Result<([i64; 5], bool, Type), SqlError> {
        Err(SqlError::unsupported("sequences are not supported"))
    }
    /// The name of the log file that has a place, and how many bytes from its beginning that is.
    fn log_file_of(&self, lsn: u64) -> Result<(String, u64), SqlError> {
        Err(SqlError::unsupported("there is no log"))
    }
    /// The log's files, by name, with when each was written last, microseconds since 2000-01-01 UTC, and the size of each.
    fn log_segments(&self) -> Result<(Vec<LogFile>, u64), SqlError> {
        Err(SqlError::unsupported("there is no log"))
    }
    /// `pg_stat_get_*`, `pg_current_wal_lsn` and other figures that are one number or text by name; `None` gives NULL.
    fn statistic(&self, name: &str, oid: u32) -> Option<Datum> {
        None
    }
}

/// The session of tests and of constant folding: every method is the default.
pub struct NoEnv;

impl Env for NoEnv {}
