//! Settings of a session: names, defaults, values and their checks; SET, SET LOCAL, RESET and what a rollback restores.
//!
//! Must not know: statements, the engine's own settings (they are shown and set through the database).

use crate::catalog::views::SettingRow;
use crate::error::{SqlError, SqlState};
use crate::parse::IsolationLevel;
use crate::types::{FormatOptions, parse_timezone};
use std::collections::BTreeMap;
use std::time::Duration;

/// What values a setting has.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Bool,
    Int(i64, i64),
    /// Milliseconds, with units in text.
    Time,
    /// Kilobytes, with units in text.
    Memory,
    Enum(&'static [&'static str]),
    Text,
    /// Shown, never changed.
    Fixed,
}

struct Def {
    name: &'static str,
    default: &'static str,
    kind: Kind,
    /// Reported to the client when it changes, under this name.
    report: Option<&'static str>,
    description: &'static str,
}

const fn def(name: &'static str, default: &'static str, kind: Kind, description: &'static str) -> Def {
    Def { name, default, kind, report: None, description }
}

const fn reported(
    name: &'static str,
    report: &'static str,
    default: &'static str,
    kind: Kind,
    description: &'static str,
) -> Def {
    Def { name, default, kind, report: Some(report), description }
}

const ISOLATION: Kind =
    Kind::Enum(&["serializable", "repeatable read", "read committed", "read uncommitted"]);
const LEVELS: Kind = Kind::Enum(&[
    "debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error", "fatal", "panic",
]);

/// In alphabetical order of names.
static DEFS: &[Def] = &[
    reported(
        "application_name",
        "application_name",
        "",
        Kind::Text,
        "Sets the application name to be reported in statistics.",
    ),
    def("array_nulls", "on", Kind::Bool, "Enables input of NULL elements in arrays."),
    def("bytea_output", "hex", Kind::Enum(&["escape", "hex"]), "Sets the output format for bytea."),
    def("check_function_bodies", "on", Kind::Bool, "Checks routine bodies when they are created."),
    reported(
        "client_encoding",
        "client_encoding",
        "UTF8",
        Kind::Text,
        "Sets the client's character set encoding.",
    ),
    def("client_min_messages", "notice", LEVELS, "Sets the message levels that are sent to the client."),
    def("constraint_exclusion", "partition", Kind::Text, "Accepted and not used."),
    def("cursor_tuple_fraction", "0.1", Kind::Text, "Accepted and not used."),
    reported(
        "datestyle",
        "DateStyle",
        "ISO, MDY",
        Kind::Text,
        "Sets the display format for date and time values.",
    ),
    def(
        "deadlock_timeout",
        "1s",
        Kind::Time,
        "Bounds the time until a deadlock is found: it is found at once.",
    ),
    def("debug_print_plan", "off", Kind::Bool, "Accepted and not used."),
    def("default_statistics_target", "100", Kind::Int(1, 10000), "Accepted and not used."),
    def("default_table_access_method", "heap", Kind::Text, "Accepted and not used."),
    def("default_tablespace", "", Kind::Text, "Accepted and not used."),
    def("default_toast_compression", "pglz", Kind::Text, "Accepted and not used."),
    def(
        "default_transaction_deferrable",
        "off",
        Kind::Bool,
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
        Kind::Bool,
        "Sets the default read-only status of new transactions.",
    ),
    def("effective_cache_size", "4GB", Kind::Text, "Accepted and not used."),
    def("effective_io_concurrency", "1", Kind::Int(0, 1000), "Accepted and not used."),
    def("enable_bitmapscan", "on", Kind::Bool, "Accepted and not used."),
    def("enable_hashagg", "on", Kind::Bool, "Accepted and not used."),
    def("enable_hashjoin", "on", Kind::Bool, "Accepted and not used."),
    def("enable_indexonlyscan", "on", Kind::Bool, "Accepted and not used."),
    def("enable_indexscan", "on", Kind::Bool, "Accepted and not used."),
    def("enable_material", "on", Kind::Bool, "Accepted and not used."),
    def("enable_mergejoin", "on", Kind::Bool, "Accepted and not used."),
    def("enable_nestloop", "on", Kind::Bool, "Accepted and not used."),
    def("enable_seqscan", "on", Kind::Bool, "Accepted and not used."),
    def("enable_sort", "on", Kind::Bool, "Accepted and not used."),
    def(
        "extra_float_digits",
        "1",
        Kind::Int(-15, 3),
        "Sets the number of digits displayed for floating-point values.",
    ),
    def("from_collapse_limit", "8", Kind::Int(1, i32::MAX as i64), "Accepted and not used."),
    def("geqo", "on", Kind::Bool, "Accepted and not used."),
    def("gin_fuzzy_search_limit", "0", Kind::Int(0, i32::MAX as i64), "Accepted and not used."),
    def(
        "idle_in_transaction_session_timeout",
        "0",
        Kind::Time,
        "Ends a session that idles in a transaction for that long.",
    ),
    def("idle_session_timeout", "0", Kind::Time, "Ends a session that idles for that long."),
    reported("in_hot_standby", "in_hot_standby", "off", Kind::Fixed, "Shows whether hot standby is active."),
    reported(
        "integer_datetimes",
        "integer_datetimes",
        "on",
        Kind::Fixed,
        "Shows whether datetimes are integers.",
    ),
    reported(
        "intervalstyle",
        "IntervalStyle",
        "postgres",
        Kind::Enum(&["postgres", "postgres_verbose", "sql_standard", "iso_8601"]),
        "Sets the display format for interval values.",
    ),
    def("is_superuser", "on", Kind::Fixed, "Shows whether the user is a superuser."),
    def("jit", "off", Kind::Bool, "Accepted and not used."),
    def("join_collapse_limit", "8", Kind::Int(1, i32::MAX as i64), "Accepted and not used."),
    def("lc_collate", "C", Kind::Fixed, "Shows the collation order."),
    def("lc_ctype", "C", Kind::Fixed, "Shows the character classification."),
    def("lc_messages", "C", Kind::Text, "Accepted and not used."),
    def("lc_monetary", "C", Kind::Text, "Accepted and not used."),
    def("lc_numeric", "C", Kind::Text, "Accepted and not used."),
    def("lc_time", "C", Kind::Text, "Accepted and not used."),
    def("lock_timeout", "0", Kind::Time, "Sets the longest wait for a lock."),
    def("lo_compat_privileges", "off", Kind::Bool, "Accepted and not used."),
    def("log_min_duration_statement", "-1", Kind::Text, "Accepted and not used."),
    def("log_statement", "none", Kind::Text, "Accepted and not used."),
    def("maintenance_work_mem", "64MB", Kind::Memory, "Accepted and not used."),
    def("max_identifier_length", "63", Kind::Fixed, "Shows the maximum identifier length."),
    def("max_index_keys", "32", Kind::Fixed, "Shows the maximum number of index keys."),
    def("max_parallel_workers_per_gather", "0", Kind::Int(0, 1024), "Accepted and not used."),
    def("plan_cache_mode", "auto", Kind::Text, "Accepted and not used."),
    def("quote_all_identifiers", "off", Kind::Bool, "Accepted and not used."),
    def("random_page_cost", "4", Kind::Text, "Accepted and not used."),
    def("role", "none", Kind::Text, "Sets the current role."),
    def("row_security", "on", Kind::Bool, "Enables row security."),
    reported(
        "search_path",
        "search_path",
        "\"$user\", public",
        Kind::Text,
        "Sets the schema search order for names that are not schema-qualified.",
    ),
    reported(
        "server_encoding",
        "server_encoding",
        "UTF8",
        Kind::Fixed,
        "Shows the server's character set encoding.",
    ),
    def("seq_page_cost", "1", Kind::Text, "Accepted and not used."),
    def("server_version", "18.0", Kind::Fixed, "Shows the server version."),
    def("server_version_num", "180000", Kind::Fixed, "Shows the server version as an integer."),
    def("session_authorization", "", Kind::Text, "Shows the session's user."),
    def(
        "session_replication_role",
        "origin",
        Kind::Enum(&["origin", "replica", "local"]),
        "Accepted and not used.",
    ),
    reported(
        "standard_conforming_strings",
        "standard_conforming_strings",
        "on",
        Kind::Bool,
        "Causes '...' strings to treat backslashes literally.",
    ),
    def("statement_timeout", "0", Kind::Time, "Sets the longest duration of a statement."),
    def("synchronize_seqscans", "on", Kind::Bool, "Accepted and not used."),
    def(
        "synchronous_commit",
        "on",
        Kind::Enum(&["local", "remote_write", "remote_apply", "on", "off"]),
        "Sets whether a commit waits until it is durable.",
    ),
    def("temp_buffers", "8MB", Kind::Text, "Accepted and not used."),
    reported(
        "timezone",
        "TimeZone",
        "UTC",
        Kind::Text,
        "Sets the time zone for displaying and interpreting time stamps.",
    ),
    def("transaction_deferrable", "off", Kind::Bool, "Whether the transaction is deferrable."),
    def(
        "transaction_isolation",
        "read committed",
        ISOLATION,
        "Shows the current transaction's isolation level.",
    ),
    def("transaction_read_only", "off", Kind::Bool, "Shows the current transaction's read-only status."),
    def("transaction_timeout", "0", Kind::Time, "Sets the longest duration of a transaction."),
    def("transform_null_equals", "off", Kind::Bool, "Accepted and not used."),
    def(
        "work_mem",
        "4MB",
        Kind::Memory,
        "Accepted and not used: statement memory is a setting of the server.",
    ),
    def("xmlbinary", "base64", Kind::Text, "Accepted and not used."),
    def("xmloption", "content", Kind::Text, "Accepted and not used."),
];

/// PostgreSQL's other encodings, without punctuation.
const ENCODINGS: &[&str] = &[
    "big5",
    "euccn",
    "eucjp",
    "eucjis2004",
    "euckr",
    "euctw",
    "gb18030",
    "gbk",
    "iso88591",
    "iso885915",
    "iso88595",
    "iso88596",
    "iso88597",
    "iso88598",
    "johab",
    "koi8",
    "koi8r",
    "koi8u",
    "latin1",
    "latin2",
    "latin3",
    "latin4",
    "latin5",
    "latin6",
    "latin7",
    "latin8",
    "latin9",
    "latin10",
    "shiftjis2004",
    "sjis",
    "uhc",
    "win866",
    "win874",
    "win1250",
    "win1251",
    "win1252",
    "win1253",
    "win1254",
    "win1255",
    "win1256",
    "win1257",
    "win1258",
    "windows1252",
];

fn definition(name: &str) -> Option<&'static Def> {
    DEFS.iter().find(|d| d.name == name)
}

fn invalid(name: &str, value: &str) -> SqlError {
    SqlError::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("invalid value for parameter \"{name}\": \"{value}\""),
    )
}

fn parse_bool(value: &str) -> Option<bool> {
    let v = value.trim().to_ascii_lowercase();
    let is = |word: &str, least: usize| v.len() >= least && word.starts_with(&v);
    if v == "1" || v == "on" || is("true", 1) || is("yes", 1) {
        Some(true)
    } else if v == "0" || is("off", 2) || is("false", 1) || is("no", 1) {
        Some(false)
    } else {
        None
    }
}

/// `5s`, `100`, `1.5 min` to milliseconds.
fn parse_ms(value: &str) -> Option<i64> {
    let v = value.trim();
    let digits = v.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(v.len());
    let number: f64 = v[..digits].parse().ok()?;
    let factor = match v[digits..].trim() {
        "" | "ms" => 1.0,
        "us" => 0.001,
        "s" => 1000.0,
        "min" => 60_000.0,
        "h" => 3_600_000.0,
        "d" => 86_400_000.0,
        _ => return None,
    };
    let ms = (number * factor).round();
    (ms.abs() < 1e15).then_some(ms as i64)
}

/// `4MB`, `4096` to kilobytes.
fn parse_kb(value: &str) -> Option<i64> {
    let v = value.trim();
    let digits = v.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(v.len());
    let number: f64 = v[..digits].parse().ok()?;
    let factor = match v[digits..].trim() {
        "B" => 1.0 / 1024.0,
        "" | "kB" => 1.0,
        "MB" => 1024.0,
        "GB" => 1048576.0,
        "TB" => 1073741824.0,
        _ => return None,
    };
    let kb = (number * factor).round();
    (kb.abs() < 1e15).then_some(kb as i64)
}

fn show_kb(kb: i64) -> String {
    for (unit, factor) in [("TB", 1 << 30), ("GB", 1 << 20), ("MB", 1 << 10)] {
        if kb % factor == 0 {
            return format!("{}{unit}", kb / factor);
        }
    }
    format!("{kb}kB")
}

fn show_ms(ms: i64) -> String {
    for (unit, factor) in [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)] {
        if ms != 0 && ms % factor == 0 {
            return format!("{}{unit}", ms / factor);
        }
    }
    if ms == 0 { "0".into() } else { format!("{ms}ms") }
}

/// One change that a rollback undoes.
struct Undo {
    name: String,
    before: Option<String>,
    /// SET LOCAL: undone by a commit too.
    local: bool,
}

/// The settings of one session.
pub struct Settings {
    /// Values that differ from the default.
    values: BTreeMap<String, String>,
    /// Defaults of this session (start-up packet).
    session_defaults: BTreeMap<String, String>,
    undo: Vec<Undo>,
    changed: Vec<(String, String)>,
}

impl Settings {
    /// With the defaults.
    pub fn new(user: &str, application_name: &str) -> Settings {
        let mut s = Settings {
            values: BTreeMap::new(),
            session_defaults: BTreeMap::new(),
            undo: Vec::new(),
            changed: Vec::new(),
        };
        s.session_defaults.insert("session_authorization".into(), user.into());
        if !application_name.is_empty() {
            s.session_defaults.insert("application_name".into(), application_name.into());
        }
        s
    }

    /// Sets a default from the start-up packet.
    pub fn set_default(&mut self, name: &str, value: &str) -> Result<(), SqlError> {
        let name = name.to_ascii_lowercase();
        let value = self.check(&name, value)?;
        self.session_defaults.insert(name, value);
        Ok(())
    }

    /// Whether there is such a setting (custom ones have a dot).
    pub fn exists(&self, name: &str) -> bool {
        definition(name).is_some() || self.values.contains_key(name)
    }

    /// A value, as SHOW prints it.
    pub fn get(&self, name: &str) -> Option<&str> {
        if let Some(v) = self.values.get(name).or_else(|| self.session_defaults.get(name)) {
            return Some(v);
        }
        definition(name).map(|d| d.default)
    }

    fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or("")
    }

    /// Brings a value into its canonical form.
    fn check(&self, name: &str, value: &str) -> Result<String, SqlError> {
        let Some(def) = definition(name) else {
            if name.contains('.') {
                return Ok(value.to_owned());
            }
            return Err(SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("unrecognized configuration parameter \"{name}\""),
            ));
        };
        match def.kind {
            Kind::Fixed => {
                return Err(SqlError::new(
                    SqlState::CANT_CHANGE_RUNTIME_PARAM,
                    format!("parameter \"{name}\" cannot be changed"),
                ));
            }
            Kind::Bool => {
                let Some(b) = parse_bool(value) else {
                    return Err(SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        format!("parameter \"{name}\" requires a Boolean value"),
                    ));
                };
                return Ok(if b { "on" } else { "off" }.into());
            }
            Kind::Int(min, max) => {
                let v: i64 = value.trim().parse().map_err(|_| invalid(name, value))?;
                if !(min..=max).contains(&v) {
                    return Err(SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        format!("{v} is outside the valid range for parameter \"{name}\" ({min} .. {max})"),
                    ));
                }
                return Ok(v.to_string());
            }
            Kind::Time => {
                let ms = parse_ms(value).ok_or_else(|| invalid(name, value))?;
                if !(0..=i64::from(i32::MAX)).contains(&ms) {
                    return Err(SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        format!(
                            "{ms} ms is outside the valid range for parameter \"{name}\" (0 ms .. {} ms)",
                            i32::MAX
                        ),
                    ));
                }
                return Ok(show_ms(ms));
            }
            Kind::Memory => {
                let kb = parse_kb(value).ok_or_else(|| {
                    let e = invalid(name, value);
                    if value.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
                        e.with_hint(
                            "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\".",
                        )
                    } else {
                        e
                    }
                })?;
                let least = if name == "work_mem" { 64 } else { 100 };
                if !(least..=i64::from(i32::MAX)).contains(&kb) {
                    return Err(SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        format!(
                            "{kb} kB is outside the valid range for parameter \"{name}\" ({least} kB .. {} kB)",
                            i32::MAX
                        ),
                    ));
                }
                return Ok(show_kb(kb));
            }
            Kind::Enum(words) => {
                let lower = value.trim().to_ascii_lowercase();
                let lower = match (name, lower.as_str()) {
                    ("synchronous_commit", "true" | "yes" | "1") => "on".to_owned(),
                    ("synchronous_commit", "false" | "no" | "0") => "off".to_owned(),
                    _ => lower,
                };
                return if words.contains(&lower.as_str()) {
                    Ok(lower)
                } else {
                    Err(invalid(name, value).with_hint(format!("Available values: {}.", words.join(", "))))
                };
            }
            Kind::Text => {}
        }
        match name {
            "client_encoding" => {
                let plain = value.to_ascii_lowercase().replace(['-', '_', ' '], "");
                match plain.as_str() {
                    "utf8" | "unicode" => Ok("UTF8".into()),
                    "sqlascii" => Ok("SQL_ASCII".into()),
                    other if !ENCODINGS.contains(&other) => Err(invalid(name, value)),
                    _ => Err(SqlError::unsupported(format!(
                        "client_encoding \"{value}\" is not supported; only UTF8 is"
                    ))),
                }
            }
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
            "session_authorization" => {
                if value == self.text("session_authorization") {
                    return Ok(value.to_owned());
                }
                Err(SqlError::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("role \"{value}\" does not exist"),
                ))
            }
            "role" => {
                if value == "none" || value == self.text("session_authorization") {
                    return Ok(value.to_owned());
                }
                Err(SqlError::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("role \"{value}\" does not exist"),
                ))
            }
            "application_name" => Ok(value
                .chars()
                .map(|c| if c.is_ascii() && !c.is_control() { c } else { '?' })
                .take(63)
                .collect()),
            _ => Ok(value.to_owned()),
        }
    }

    fn datestyle(&self) -> (crate::types::DateStyle, crate::types::DateOrder) {
        let d = FormatOptions::default();
        d.parse_datestyle(self.text("datestyle")).unwrap_or((d.datestyle, d.dateorder))
    }

    /// SET; `None` is DEFAULT. Undone if the transaction rolls back.
    pub fn set(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<(), SqlError> {
        let name = name.to_ascii_lowercase();
        let new = match value {
            Some(v) => Some(self.check(&name, v)?),
            None if definition(&name).is_none() && !name.contains('.') => {
                return Err(SqlError::new(
                    SqlState::UNDEFINED_OBJECT,
                    format!("unrecognized configuration parameter \"{name}\""),
                ));
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

    /// RESET ALL.
    pub fn reset_all(&mut self) {
        for name in self.values.keys().cloned().collect::<Vec<_>>() {
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
        let mut any = false;
        for n in (0..self.undo.len()).rev() {
            // A later plain SET of the same name stays.
            if self.undo[n].local {
                let name = self.undo[n].name.clone();
                if !self.undo[n + 1..].iter().any(|u| u.name == name && !u.local) {
                    let before = self.undo[n].before.clone();
                    self.put(&name, before);
                    any = true;
                }
            }
        }
        self.undo.clear();
        any
    }

    /// Reported settings that changed since last asked.
    pub fn take_changes(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.changed)
    }

    /// Settings that are reported at start-up.
    pub fn reported(&self) -> Vec<(String, String)> {
        DEFS.iter().filter_map(|d| d.report.map(|r| (r.to_owned(), self.text(d.name).to_owned()))).collect()
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
        o
    }

    /// A boolean setting.
    pub fn is_on(&self, name: &str) -> bool {
        self.text(name) == "on"
    }

    /// A time setting; None: 0, which is off.
    pub fn duration(&self, name: &str) -> Option<Duration> {
        parse_ms(self.text(name)).filter(|ms| *ms > 0).map(|ms| Duration::from_millis(ms as u64))
    }

    /// An isolation level.
    pub fn isolation(&self, name: &str) -> IsolationLevel {
        IsolationLevel::from_name(self.text(name)).unwrap_or(IsolationLevel::ReadCommitted)
    }

    /// The schemas of search_path, in order.
    pub fn search_path(&self) -> Vec<String> {
        let user = self.text("session_authorization").to_owned();
        self.text("search_path")
            .split(',')
            .map(|s| s.trim())
            .map(|s| match s.strip_prefix('"').and_then(|s| s.strip_suffix('"')) {
                Some(quoted) => quoted.replace("\"\"", "\""),
                None => s.to_lowercase(),
            })
            .map(|s| if s == "$user" { user.clone() } else { s })
            .filter(|s| !s.is_empty())
            .collect()
    }

    /// All of them.
    pub fn rows(&self) -> Vec<SettingRow> {
        let mut rows: Vec<SettingRow> = DEFS
            .iter()
            .map(|d| SettingRow {
                name: d.report.unwrap_or(d.name).to_owned(),
                value: self.text(d.name).to_owned(),
                unit: match d.kind {
                    Kind::Time => Some("ms".to_owned()),
                    Kind::Memory => Some("kB".to_owned()),
                    _ => None,
                },
                description: d.description.to_owned(),
                context: if d.kind == Kind::Fixed { "internal" } else { "user" },
                kind: match d.kind {
                    Kind::Bool => "bool",
                    Kind::Int(..) | Kind::Time | Kind::Memory => "integer",
                    Kind::Enum(_) => "enum",
                    Kind::Text | Kind::Fixed => "string",
                },
                source: if self.values.contains_key(d.name) { "session" } else { "default" },
                default: d.default.to_owned(),
            })
            .collect();
        for (name, value) in self.values.iter().filter(|(n, _)| n.contains('.')) {
            rows.push(SettingRow {
                name: name.clone(),
                value: value.clone(),
                unit: None,
                description: "Custom setting.".into(),
                context: "user",
                kind: "string",
                source: "session",
                default: String::new(),
            });
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_unique() {
        for (n, d) in DEFS.iter().enumerate() {
            assert!(DEFS[n + 1..].iter().all(|o| o.name != d.name), "{}", d.name);
        }
    }

    #[test]
    fn a_rollback_restores_values_and_a_commit_ends_local_ones() {
        let mut s = Settings::new("u", "");
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
        let mut s = Settings::new("u", "");
        s.set("lock_timeout", Some("120000"), false).unwrap();
        assert_eq!(s.get("lock_timeout"), Some("2min"));
        assert!(s.set("lock_timeout", Some("soon"), false).is_err());
    }
}
