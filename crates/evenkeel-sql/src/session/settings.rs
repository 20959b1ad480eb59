//! Settings of a session: names, defaults, values and their checks; SET, SET LOCAL, RESET and what a rollback restores.
//!
//! Must not know: statements, the engine's own settings (they are shown and set through the database).

use super::layers::{Configured, Given, Layers};
use super::only;
use super::unused;
use crate::parse::IsolationLevel;
use evenkeel::settings::{Context, Def, KB, Kind, Line, MS, Mistake, Shown, Value, boolean};
use evenkeel_types::encoding::Encoding;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{FormatOptions, parse_timezone};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

pub(super) struct SessionDef {
    pub(super) def: Def,
    /// Reported to the client when it changes, under this name.
    report: Option<&'static str>,
}

/// What values a setting has, and its bounds.
pub(super) type Values = (Kind, i64, i64);

pub(super) const BOOL: Values = (Kind::Bool, 0, 1);
const TIME: Values = (Kind::Time { unit: MS, grain: MS }, 0, i32::MAX as i64 * MS);
/// A time, or -1 for none.
const TIME_OR_OFF: Values = (Kind::Time { unit: MS, grain: MS }, -MS, i32::MAX as i64 * MS);
pub(super) const TEXT: Values = (Kind::Text, 0, 0);
/// A size of files, or -1.
const FILES: Values = (Kind::Memory { unit: KB, grain: KB }, -KB, i32::MAX as i64 * KB);
/// Shown, never changed.
pub(super) const FIXED: Values = (Kind::Fixed, 0, 0);

pub(super) const fn int(min: i64, max: i64) -> Values {
    (Kind::Integer, min, max)
}

const fn memory(min_kb: i64) -> Values {
    (Kind::Memory { unit: KB, grain: KB }, min_kb * KB, i32::MAX as i64 * KB)
}

pub(super) const fn choice(words: &'static [&'static str]) -> Values {
    (Kind::Choice(words), 0, 0)
}

pub(super) const fn def(
    name: &'static str,
    default: &'static str,
    (kind, min, max): Values,
    description: &'static str,
) -> SessionDef {
    let context = if matches!(kind, Kind::Fixed) { Context::Internal } else { Context::User };
    SessionDef { def: Def { name, kind, default, min, max, context, description }, report: None }
}

/// One that only superusers change.
pub(super) const fn superusers(
    name: &'static str,
    default: &'static str,
    values: Values,
    description: &'static str,
) -> SessionDef {
    let plain = def(name, default, values, description);
    SessionDef { def: Def { context: Context::Superuser, ..plain.def }, report: None }
}

const fn reported(
    name: &'static str,
    report: &'static str,
    default: &'static str,
    values: Values,
    description: &'static str,
) -> SessionDef {
    SessionDef { report: Some(report), ..def(name, default, values, description) }
}

const ISOLATION: Values = choice(&["serializable", "repeatable read", "read committed", "read uncommitted"]);
const LEVELS: Values =
    choice(&["debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"]);
const LOGGED_LEVELS: Values = choice(&[
    "debug5", "debug4", "debug3", "debug2", "debug1", "info", "notice", "warning", "error", "log", "fatal",
    "panic",
]);

/// In alphabetical order of names.
static USED: &[SessionDef] = &[
    reported(
        "application_name",
        "application_name",
        "",
        TEXT,
        "Sets the application name to be reported in statistics.",
    ),
    def("array_nulls", "on", BOOL, "Enables input of NULL elements in arrays."),
    def("block_size", "8192", FIXED, "Shows the size of a page in bytes."),
    def("bytea_output", "hex", choice(&["escape", "hex"]), "Sets the output format for bytea."),
    superusers("auto_explain.log_analyze", "off", BOOL, "Has plans in the log say what their nodes did."),
    superusers(
        "auto_explain.log_buffers",
        "off",
        BOOL,
        "Has them say which pages were used, with log_analyze.",
    ),
    superusers(
        "auto_explain.log_format",
        "text",
        choice(&["text", "xml", "json", "yaml"]),
        "Sets the format of plans in the log.",
    ),
    superusers(
        "auto_explain.log_level",
        "log",
        choice(&["debug5", "debug4", "debug3", "debug2", "debug1", "info", "notice", "warning", "log"]),
        "Sets the level of plans in the log.",
    ),
    superusers(
        "auto_explain.log_min_duration",
        "-1",
        TIME_OR_OFF,
        "Logs the plans of statements that take at least that long; 0: all; -1: none.",
    ),
    superusers(
        "auto_explain.log_parameter_max_length",
        "-1",
        (Kind::Memory { unit: 1, grain: 1 }, -1, i32::MAX as i64),
        "Cuts values of parameters that are logged with plans to so many bytes; -1: not at all; 0: logs none.",
    ),
    superusers(
        "auto_explain.log_settings",
        "off",
        BOOL,
        "Has plans in the log tell settings that are not the default.",
    ),
    superusers(
        "auto_explain.log_timing",
        "on",
        BOOL,
        "Has them tell the time of each node, with log_analyze.",
    ),
    superusers(
        "auto_explain.log_verbose",
        "off",
        BOOL,
        "Has them tell what each node gives, and the schemas of tables.",
    ),
    superusers(
        "auto_explain.log_wal",
        "off",
        BOOL,
        "Has them tell the log that was written, with log_analyze.",
    ),
    superusers(
        "auto_explain.sample_rate",
        "1",
        (Kind::Ratio, 0, 100),
        "The part of the statements that is looked at.",
    ),
    def("check_function_bodies", "on", BOOL, "Checks routine bodies when they are created."),
    reported("client_encoding", "client_encoding", "UTF8", TEXT, "Sets the client's character set encoding."),
    def("client_min_messages", "notice", LEVELS, "Sets the message levels that are sent to the client."),
    superusers(
        "compute_query_id",
        "auto",
        choice(&["auto", "on", "off"]),
        "Computes the numbers of statements, without which they are not counted.",
    ),
    def(
        "concurrent_index_share",
        "50",
        int(1, 100),
        "Sets the percentage of the time in which CREATE INDEX and REINDEX CONCURRENTLY work while other sessions do.",
    ),
    reported("datestyle", "DateStyle", "ISO, MDY", TEXT, "Sets the display format for date and time values."),
    def("data_checksums", "on", FIXED, "Shows whether pages carry checksums."),
    superusers(
        "deadlock_timeout",
        "1s",
        (TIME.0, MS, TIME.2),
        "Sets how long a lock is waited for before log_lock_waits tells of it; a deadlock is found at once.",
    ),
    def(
        "debug_assertions",
        "off",
        FIXED,
        "Shows whether the server was built with assertions of PostgreSQL's.",
    ),
    def(
        "default_statistics_target",
        "100",
        int(1, 10000),
        "Sets how many common values and parts of a histogram ANALYZE finds for a column, from 300 times as many rows.",
    ),
    def(
        "default_transaction_deferrable",
        "off",
        BOOL,
        "Sets the default deferrable status of new transactions.",
    ),
    def(
        "default_transaction_isolation",
        "read committed",
        ISOLATION,
        "Sets the transaction isolation level of each new transaction.",
    ),
    reported(
        "default_transaction_read_only",
        "default_transaction_read_only",
        "off",
        BOOL,
        "Sets the default read-only status of new transactions.",
    ),
    def("default_with_oids", "off", BOOL, "There are no tables with OIDs: it can only be off."),
    def(
        "extra_float_digits",
        "1",
        int(-15, 3),
        "Sets the number of digits displayed for floating-point values.",
    ),
    def(
        "hash_mem_multiplier",
        "2",
        (Kind::Ratio, 100, 100_000),
        "Multiple of work_mem that one hash table has.",
    ),
    def(
        "idle_in_transaction_session_timeout",
        "0",
        TIME,
        "Ends a session that idles in a transaction for that long.",
    ),
    def("idle_session_timeout", "0", TIME, "Ends a session that idles for that long."),
    reported("in_hot_standby", "in_hot_standby", "off", FIXED, "Shows whether hot standby is active."),
    reported("integer_datetimes", "integer_datetimes", "on", FIXED, "Shows whether datetimes are integers."),
    reported(
        "intervalstyle",
        "IntervalStyle",
        "postgres",
        choice(&["postgres", "postgres_verbose", "sql_standard", "iso_8601"]),
        "Sets the display format for interval values.",
    ),
    def("is_superuser", "on", FIXED, "Shows whether the user is a superuser."),
    superusers("lo_compat_privileges", "off", BOOL, "Leaves out checks of privileges on large objects."),
    def("lock_timeout", "0", TIME, "Sets the longest wait for a lock."),
    superusers("log_duration", "off", BOOL, "Logs the duration of each completed statement."),
    superusers(
        "log_error_verbosity",
        "default",
        choice(&["terse", "default", "verbose"]),
        "Sets what of a message is logged: terse leaves DETAIL, HINT and CONTEXT out; verbose has the SQLSTATE in text, too.",
    ),
    superusers(
        "log_min_duration_sample",
        "-1",
        TIME_OR_OFF,
        "Logs a part of the statements that take at least that long, as log_statement_sample_rate says; -1: none.",
    ),
    superusers("log_lock_waits", "off", BOOL, "Logs long lock waits."),
    superusers(
        "log_min_duration_statement",
        "-1",
        TIME_OR_OFF,
        "Logs statements that take at least that long; 0: all; -1: none.",
    ),
    superusers(
        "log_min_error_statement",
        "error",
        LOGGED_LEVELS,
        "Logs the statements that cause errors as severe as that.",
    ),
    superusers(
        "log_min_messages",
        "warning",
        LOGGED_LEVELS,
        "Sets the message levels of sessions that are logged.",
    ),
    superusers(
        "log_parameter_max_length",
        "-1",
        (Kind::Memory { unit: 1, grain: 1 }, -1, i32::MAX as i64),
        "Cuts values of parameters that are logged with statements to so many bytes; -1: not at all.",
    ),
    superusers(
        "log_statement",
        "none",
        choice(&["none", "ddl", "mod", "all"]),
        "Sets which statements are logged before they are run.",
    ),
    superusers(
        "log_statement_sample_rate",
        "1",
        (Kind::Ratio, 0, 100),
        "The part of the statements beyond log_min_duration_sample that is logged.",
    ),
    superusers("log_temp_files", "-1", FILES, "Logs temporary files of that size and more; -1: none."),
    def(
        "maintenance_work_mem",
        "64MB",
        memory(64),
        "Sets the memory for making an index, before its entries go to temporary files.",
    ),
    def("max_function_args", "100", FIXED, "Shows the maximum number of function arguments."),
    def("max_identifier_length", "63", FIXED, "Shows the maximum identifier length."),
    def("max_index_keys", "32", FIXED, "Shows the maximum number of index keys."),
    def("max_prepared_transactions", "0", FIXED, "There are no prepared transactions."),
    superusers(
        "pg_stat_statements.track",
        "top",
        choice(&["none", "top", "all"]),
        "Selects which statements are counted in pg_stat_statements.",
    ),
    superusers("pg_stat_statements.track_planning", "off", BOOL, "Counts the making of plans, too."),
    superusers(
        "pg_stat_statements.track_utility",
        "on",
        BOOL,
        "Counts statements that are no queries or changes of rows, too.",
    ),
    def(
        "password_encryption",
        "scram-sha-256",
        choice(&["md5", "scram-sha-256"]),
        "Chooses the algorithm for encrypting passwords.",
    ),
    def(
        "plan_cache_mode",
        "auto",
        choice(&["auto", "force_generic_plan", "force_custom_plan"]),
        "Controls the planner's selection of custom or generic plan.",
    ),
    def("role", "none", TEXT, "Sets the current role."),
    def("row_security", "on", BOOL, "Enables row security."),
    reported(
        "search_path",
        "search_path",
        "\"$user\", public",
        TEXT,
        "Sets the schema search order for names that are not schema-qualified.",
    ),
    reported(
        "server_encoding",
        "server_encoding",
        "UTF8",
        FIXED,
        "Shows the server's character set encoding.",
    ),
    def("server_version", super::SERVER_VERSION, FIXED, "Shows the server version."),
    def("server_version_num", "180000", FIXED, "Shows the server version as an integer."),
    reported(
        "session_authorization",
        "session_authorization",
        "",
        TEXT,
        "Sets the current user of the session.",
    ),
    superusers(
        "session_replication_role",
        "origin",
        choice(&["origin", "replica", "local"]),
        "replica: foreign keys are neither checked nor carried out, as when rows are copied from a database where they were.",
    ),
    reported(
        "standard_conforming_strings",
        "standard_conforming_strings",
        "on",
        BOOL,
        "Causes '...' strings to treat backslashes literally.",
    ),
    def(
        "shared_preload_libraries",
        "pg_stat_statements,auto_explain",
        FIXED,
        "Shows what is built in that PostgreSQL loads at its start.",
    ),
    def("statement_timeout", "0", TIME, "Sets the longest duration of a statement."),
    def(
        "synchronous_commit",
        "on",
        choice(&["local", "remote_write", "remote_apply", "on", "off"]),
        "Sets whether a commit waits until it is durable.",
    ),
    superusers(
        "temp_file_limit",
        "-1",
        FILES,
        "Sets how much all temporary files of the session may take together; -1: any amount.",
    ),
    reported(
        "timezone",
        "TimeZone",
        "UTC",
        TEXT,
        "Sets the time zone for displaying and interpreting time stamps.",
    ),
    def("track_commit_timestamp", "off", FIXED, "Times of commits are not kept."),
    def("transaction_deferrable", "off", BOOL, "Whether the transaction is deferrable."),
    def(
        "transaction_isolation",
        "read committed",
        ISOLATION,
        "Shows the current transaction's isolation level.",
    ),
    def("transaction_read_only", "off", BOOL, "Shows the current transaction's read-only status."),
    def("transaction_timeout", "0", TIME, "Ends a session whose transaction lasts for that long."),
    def(
        "wal_block_size",
        "8192",
        FIXED,
        "Shows the size of a block of the log in bytes, as PostgreSQL counts.",
    ),
    def("wal_level", "replica", FIXED, "The log always has what standbys and archives need."),
    def(
        "work_mem",
        "4MB",
        memory(64),
        "Sets the memory of one sort or of rows that are kept, before they go to temporary files.",
    ),
];

fn all() -> impl Iterator<Item = &'static SessionDef> {
    USED.iter().chain(unused::DEFS).chain(unused::WATCHED)
}

fn definition(name: &str) -> Option<&'static SessionDef> {
    all().find(|d| d.def.name == name)
}

fn invalid(name: &str, value: &str) -> SqlError {
    let name = definition(name).and_then(|d| d.report).unwrap_or(name);
    SqlError::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("invalid value for parameter \"{name}\": \"{value}\""),
    )
}

/// As long as a name may be, and what is no printable ASCII as its bytes.
fn printable(name: &str) -> String {
    let mut out = String::new();
    for byte in name[..name.floor_char_boundary(NAME_BYTES_MAX)].bytes() {
        match byte {
            b' '..=b'~' => out.push(byte.into()),
            byte => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out
}

/// Refuses what is no name of a setting that a client makes.
fn check_custom_name(name: &str) -> Result<(), SqlError> {
    let is_plain = |part: &str| {
        let mut chars = part.chars();
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        chars.next().is_some_and(is_first) && chars.all(|c| is_first(c) || c.is_ascii_digit() || c == '$')
    };
    if name.split('.').all(is_plain) {
        return Ok(());
    }
    let why = format!("invalid configuration parameter name \"{name}\"");
    Err(SqlError::new(SqlState::INVALID_NAME, why)
        .with_detail("Custom parameter names must be two or more simple identifiers separated by dots."))
}

/// Longest name of an application, in bytes.
const NAME_BYTES_MAX: usize = 63;

/// One change that a rollback undoes.
struct Undo {
    name: String,
    before: Option<String>,
    /// SET LOCAL: undone by a commit too.
    local: bool,
}

/// The settings of one session.
pub struct Settings {
    /// What the session has set.
    values: BTreeMap<String, String>,
    /// What it is without.
    layers: Layers,
    undo: Vec<Undo>,
    changed: Vec<(String, String)>,
    /// What `layers` say of `in_hot_standby`: asked with every statement.
    hot_standby: bool,
}

impl Settings {
    /// With the defaults that are built in.
    pub fn new(user: &str) -> Settings {
        Settings::over(user, Arc::default())
    }

    /// With what the configuration says.
    pub fn over(user: &str, configured: Arc<Configured>) -> Settings {
        let mut s = Settings {
            values: BTreeMap::new(),
            layers: Layers::over(configured),
            undo: Vec::new(),
            changed: Vec::new(),
            hot_standby: false,
        };
        s.keep_shown("session_authorization", user);
        s
    }

    /// Nobody sets it: it is this.
    fn keep_shown(&mut self, name: &str, value: &str) {
        self.layers.put(name, Given::by("override", value.into()));
    }

    /// Takes over what the configuration says by now; whether that is something else than before. The client is told of what it wants to be told of.
    pub fn take_configured(&mut self) -> bool {
        if !self.layers.is_stale() {
            return false;
        }
        let before = self.reported();
        self.layers.take();
        for (before, now) in before.into_iter().zip(self.reported()) {
            if before != now {
                self.changed.retain(|(n, _)| *n != now.0);
                self.changed.push(now);
            }
        }
        true
    }

    /// Whether the session reads a standby: no one sets it, and clients are told.
    pub fn set_hot_standby(&mut self, on: bool) {
        if self.hot_standby != on {
            self.hot_standby = on;
            let value = if on { "on" } else { "off" };
            self.keep_shown("in_hot_standby", value);
            self.keep_shown("transaction_read_only", value);
            self.changed.push(("in_hot_standby".into(), value.into()));
        }
    }

    /// Sets what the session begins with, over what the configuration says. `source`: PostgreSQL's word for who asks for it.
    pub fn set_default(&mut self, name: &str, value: &str, source: &'static str) -> Result<(), SqlError> {
        let name = name.to_ascii_lowercase();
        let value = self.check(&name, value)?;
        self.layers.put(&name, Given::by(source, value));
        Ok(())
    }

    /// Whether there is such a setting (custom ones have a dot).
    pub fn exists(&self, name: &str) -> bool {
        definition(name).is_some() || self.values.contains_key(name) || self.layers.get(name).is_some()
    }

    /// A value, as SHOW prints it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str).or_else(|| self.default(name))
    }

    /// What RESET would set.
    fn default(&self, name: &str) -> Option<&str> {
        match self.layers.get(name) {
            Some(given) => Some(&given.value),
            None => definition(name).map(|d| d.def.default),
        }
    }

    fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or("")
    }

    /// Brings a value into its canonical form.
    fn check(&self, name: &str, value: &str) -> Result<String, SqlError> {
        let Some(SessionDef { def, .. }) = definition(name) else {
            if name.contains('.') {
                check_custom_name(name)?;
                return Ok(value.to_owned());
            }
            return Err(Mistake::Unknown { name: name.into() }.into());
        };
        if let Some(shown) = unused::real(name, value) {
            let shown = shown.map_err(|why| SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why))?;
            only::check(name, &shown)?;
            return Ok(shown);
        }
        if def.kind != Kind::Text {
            let word = match (def.kind, boolean(value)) {
                // More than two words, and yet it takes all that mean on and off.
                (Kind::Choice(words), Some(true)) if words.contains(&"off") => {
                    words.iter().copied().find(|w| *w == "on").unwrap_or(words[0])
                }
                (Kind::Choice(words), Some(false)) if words.contains(&"off") => "off",
                (Kind::Choice(words), None)
                    if words.contains(&"debug2") && value.eq_ignore_ascii_case("debug") =>
                {
                    "debug2"
                }
                _ => value,
            };
            let shown = def.print(&def.parse(word)?);
            only::check(name, &shown)?;
            return Ok(shown);
        }
        only::check(name, value)?;
        match name {
            "client_encoding" => match Encoding::named(value) {
                None => Err(invalid(name, value)),
                Some(e) if !e.is_converted() => Err(invalid(name, value)
                    .with_detail(format!("Conversion between {} and UTF8 is not supported.", e.name()))),
                Some(e) => Ok(e.name().into()),
            },
            "datestyle" => {
                let mut o = FormatOptions::default();
                (o.datestyle, o.dateorder) = self.datestyle();
                (o.datestyle, o.dateorder) = o.parse_datestyle(value).ok_or_else(|| {
                    invalid("DateStyle", value).with_detail(format!("Unrecognized key word: \"{value}\"."))
                })?;
                Ok(o.datestyle_text().to_owned())
            }
            "timezone" => match parse_timezone(value) {
                Some((_, canonical)) => Ok(canonical),
                None => Err(invalid("TimeZone", value)),
            },
            "application_name" => Ok(printable(value)),
            "default_text_search_config" if !value.contains('.') => Ok(format!("pg_catalog.{value}")),
            _ => Ok(value.to_owned()),
        }
    }

    fn datestyle(&self) -> (evenkeel_types::DateStyle, evenkeel_types::DateOrder) {
        let d = FormatOptions::default();
        d.parse_datestyle(self.text("datestyle")).unwrap_or((d.datestyle, d.dateorder))
    }

    /// Whether only superusers may change a setting.
    pub fn is_superusers(name: &str) -> bool {
        definition(&name.to_ascii_lowercase()).is_some_and(|d| d.def.context == Context::Superuser)
    }

    /// Whether nobody changes a setting.
    pub(super) fn is_fixed(name: &str) -> bool {
        definition(name).is_some_and(|d| d.def.context == Context::Internal)
    }

    /// A value that is kept for sessions to come, in its canonical form.
    pub fn check_value(&self, name: &str, value: &str) -> Result<String, SqlError> {
        self.check(name, value)
    }

    /// SET; `None` is DEFAULT. Undone if the transaction rolls back.
    pub fn set(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<(), SqlError> {
        let name = name.to_ascii_lowercase();
        let new = match value {
            Some(v) => Some(self.check(&name, v)?),
            None if definition(&name).is_none() && !name.contains('.') => {
                return Err(Mistake::Unknown { name }.into());
            }
            None => None,
        };
        let before = self.values.get(&name).cloned();
        self.put(&name, new);
        self.undo.push(Undo { name, before, local });
        Ok(())
    }

    fn put(&mut self, name: &str, value: Option<String>) {
        let old = self.text(name).to_owned();
        match value {
            Some(v) => self.values.insert(name.to_owned(), v),
            // One of the client's own is there from when it is first named on, with nothing.
            None if definition(name).is_none() && self.layers.get(name).is_none() => {
                self.values.insert(name.to_owned(), String::new())
            }
            None => self.values.remove(name),
        };
        let now = self.text(name).to_owned();
        if let Some(report) = definition(name).and_then(|d| d.report)
            && old != now
        {
            self.changed.retain(|(n, _)| n != report);
            self.changed.push((report.to_owned(), now));
        }
    }

    /// RESET ALL; whom the session acts as is not reset by it.
    pub fn reset_all(&mut self) {
        let of_roles = |name: &String| matches!(&**name, "role" | "session_authorization");
        for name in self.values.keys().filter(|n| !of_roles(n)).cloned().collect::<Vec<_>>() {
            let before = self.values.get(&name).cloned();
            self.put(&name, None);
            self.undo.push(Undo { name, before, local: false });
        }
    }

    /// How much there is to undo: for savepoints.
    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Undoes changes made since a mark.
    pub fn rollback_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some(u) = self.undo.pop() {
                self.put(&u.name, u.before);
            }
        }
    }

    /// The transaction commits: only SET LOCAL is undone. Tells whether anything was.
    pub fn commit(&mut self) -> bool {
        if self.undo.is_empty() {
            return false;
        }
        let mut any = false;
        let mut stays = HashSet::new();
        for Undo { name, before, local } in std::mem::take(&mut self.undo).into_iter().rev() {
            if !local {
                stays.insert(name);
            } else if !stays.contains(&name) {
                self.put(&name, before);
                any = true;
            }
        }
        any
    }

    /// Reported settings that changed since last asked.
    pub fn take_changes(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.changed)
    }

    /// What nobody sets is now this: the client is told.
    pub fn report(&mut self, name: &str, value: &str) {
        self.keep_shown(name, value);
        self.changed.retain(|(n, _)| n != name);
        self.changed.push((name.into(), value.into()));
    }

    /// Settings that are reported at start-up.
    pub fn reported(&self) -> Vec<(String, String)> {
        USED.iter()
            .filter_map(|d| d.report.map(|r| (r.to_owned(), self.text(d.def.name).to_owned())))
            .collect()
    }

    /// The options of text formats; names of objects are added by the session.
    pub fn format_options(&self) -> FormatOptions {
        let mut o = FormatOptions::default();
        (o.datestyle, o.dateorder) = self.datestyle();
        if let Some(style) = FormatOptions::parse_intervalstyle(self.text("intervalstyle")) {
            o.intervalstyle = style;
        }
        if let Some((tz, name)) = parse_timezone(self.text("timezone")) {
            o.timezone = tz;
            o.timezone_name = name.into();
        }
        o.extra_float_digits = self.text("extra_float_digits").parse().unwrap_or(1);
        o.bytea_hex = self.text("bytea_output") == "hex";
        o.array_nulls = self.is_on("array_nulls");
        o
    }

    /// A whole number, or hundredths.
    pub fn number(&self, name: &str) -> i64 {
        match definition(name).map(|d| d.def.parse(self.text(name))) {
            Some(Ok(Value::Number(n))) => n,
            _ => 0,
        }
    }

    /// A size; less than nothing: there is none.
    pub fn bytes(&self, name: &str) -> i64 {
        self.number(name)
    }

    /// A boolean setting.
    pub fn is_on(&self, name: &str) -> bool {
        self.text(name) == "on"
    }

    /// A time setting; None: 0, which is off.
    pub fn duration(&self, name: &str) -> Option<Duration> {
        match definition(name)?.def.parse(self.text(name)) {
            Ok(Value::Number(us)) if us > 0 => Some(Duration::from_micros(us as u64)),
            _ => None,
        }
    }

    /// An isolation level.
    pub fn isolation(&self, name: &str) -> IsolationLevel {
        IsolationLevel::from_name(self.text(name)).unwrap_or(IsolationLevel::ReadCommitted)
    }

    /// The schemas of search_path, in order, for a current user.
    pub fn search_path(&self, user: &str) -> Vec<String> {
        let mut quoted = false;
        let is_end = |c: char| {
            quoted ^= c == '"';
            c == ',' && !quoted
        };
        self.text("search_path")
            .split(is_end)
            .map(|s| s.trim())
            .map(|s| match s.strip_prefix('"').and_then(|s| s.strip_suffix('"')) {
                Some(quoted) => quoted.replace("\"\"", "\""),
                None => s.to_lowercase(),
            })
            .map(|s| if s == "$user" { user.to_owned() } else { s })
            .filter(|s| !s.is_empty())
            .collect()
    }

    /// All of them.
    pub fn rows(&self) -> Vec<Shown> {
        let row = |d: &SessionDef| {
            let text = self.text(d.def.name);
            let value = d.def.parse(text).unwrap_or_else(|_| Value::Text(text.to_owned()));
            let (source, line) = self.source(d.def.name);
            let name = d.report.unwrap_or(d.def.name).to_owned();
            let mut row = Shown { name, source, line, ..d.def.shown(&value, source) };
            let default = self.default(d.def.name).unwrap_or_default();
            if row.default != default {
                row.default = default.to_owned();
            }
            if source == "session" {
                row.reset_setting = match d.def.parse(default) {
                    Ok(value) => d.def.setting(&value),
                    Err(_) => default.to_owned(),
                };
            }
            row
        };
        let custom = |name: &String| {
            let value = self.text(name).to_owned();
            let default = self.default(name).unwrap_or_default();
            let (source, line) = self.source(name);
            Shown {
                name: name.clone(),
                setting: value.clone(),
                value,
                unit: None,
                description: "Custom setting.".into(),
                context: Context::User,
                kind: "string",
                source,
                line,
                pending_restart: false,
                default: default.to_owned(),
                default_setting: String::new(),
                reset_setting: default.to_owned(),
                bounds: None,
                choices: &[],
            }
        };
        let is_custom = |name: &str| name.contains('.') && definition(name).is_none();
        let of_client = self.values.keys().filter(|name| self.layers.get(name).is_none());
        let customs = self.layers.names().chain(of_client);
        all().map(row).chain(customs.filter(|name| is_custom(name)).map(custom)).collect()
    }

    /// Where a value comes from, and the line where it stands.
    fn source(&self, name: &str) -> (&'static str, Option<Line>) {
        match self.layers.get(name) {
            _ if self.values.contains_key(name) => ("session", None),
            Some(given) => (given.source, given.line.clone()),
            None => ("default", None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_unique() {
        let mut names: Vec<_> = all().map(|d| d.def.name).collect();
        names.sort_unstable();
        names.windows(2).for_each(|two| assert_ne!(two[0], two[1]));
    }

    #[test]
    fn a_rollback_restores_values_and_a_commit_ends_local_ones() {
        let mut s = Settings::new("u");
        s.set("statement_timeout", Some("5s"), false).unwrap();
        assert_eq!(s.get("statement_timeout"), Some("5s"));
        s.rollback_to(0);
        assert_eq!(s.get("statement_timeout"), Some("0"));
        s.set("work_mem", Some("1GB"), true).unwrap();
        s.commit();
        assert_eq!(s.get("work_mem"), Some("4MB"));
    }

    #[test]
    fn times_are_shown_in_the_largest_unit() {
        let mut s = Settings::new("u");
        s.set("lock_timeout", Some("120000"), false).unwrap();
        assert_eq!(s.get("lock_timeout"), Some("2min"));
        assert!(s.set("lock_timeout", Some("soon"), false).is_err());
    }
}
