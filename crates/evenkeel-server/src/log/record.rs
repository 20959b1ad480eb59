//! A message of the log, whoever it comes from.
//!
//! Duty: take an event's fields apart. What is known of the session that it concerns, and the parts that an error has, go to their places; any other field is told behind
//! the message, as `name=value`.
//!
//! It must not know: formats, where the log goes.

use std::fmt::{Debug, Write};

use jiff::Timestamp;
use tracing::Level;
use tracing::field::{Field, Visit};

/// How a message is called whose event does not say.
fn severity_of(level: Level) -> &'static str {
    match level {
        Level::ERROR => "ERROR",
        Level::WARN => "WARNING",
        Level::INFO => "LOG",
        Level::DEBUG => "DEBUG1",
        Level::TRACE => "DEBUG5",
    }
}

/// What is told of a session with each of its messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    pub user: Option<String>,
    pub database: Option<String>,
    pub application: Option<String>,
    pub host: Option<String>,
    pub port: Option<i64>,
    /// When it began, in microseconds since 1970.
    pub started_us: Option<i64>,
    pub transaction: Option<i64>,
    pub query_id: Option<i64>,
    pub tag: Option<String>,
    /// The session's number of the transaction.
    pub virtual_id: Option<String>,
}

/// A message.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub time: Timestamp,
    pub severity: String,
    pub sqlstate: Option<String>,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    pub context: Option<String>,
    pub statement: Option<String>,
    /// In the statement, in characters from 1.
    pub position: Option<i64>,
    /// The code is shown in text, too (`log_error_verbosity`).
    pub is_verbose: bool,
    /// The session's number; `None`: it is the process's own.
    pub pid: Option<i64>,
    /// The how manieth of its session, or of the process.
    pub line: u64,
    pub origin: Origin,
}

impl Record {
    /// One of the process's own.
    pub fn own(severity: &str, message: String) -> Record {
        Record {
            time: Timestamp::now(),
            severity: severity.to_owned(),
            sqlstate: None,
            message,
            detail: None,
            hint: None,
            context: None,
            statement: None,
            position: None,
            is_verbose: false,
            pid: None,
            line: 0,
            origin: Origin::default(),
        }
    }

    /// Of an event.
    pub fn of(event: &tracing::Event<'_>) -> Record {
        let mut record = Record::own(severity_of(*event.metadata().level()), String::new());
        let mut fields = Fields { record: &mut record, others: String::new() };
        event.record(&mut fields);
        let others = fields.others;
        record.message.push_str(&others);
        record
    }

    /// About how much memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        let len = |s: &Option<String>| s.as_ref().map_or(0, String::capacity);
        let o = &self.origin;
        let parts = [&self.detail, &self.hint, &self.context, &self.statement, &self.sqlstate];
        let whose = [&o.user, &o.database, &o.application, &o.host, &o.tag, &o.virtual_id];
        size_of::<Record>() + self.message.capacity() + parts.into_iter().chain(whose).map(len).sum::<usize>()
    }

    /// The session's identity, as PostgreSQL makes it: when it began and its number.
    pub fn session_id(&self, process: &Process) -> String {
        let (started_us, pid) = match self.pid {
            Some(pid) => (self.origin.started_us.unwrap_or_else(|| self.time.as_microsecond()), pid),
            None => (process.started.as_microsecond(), i64::from(process.id)),
        };
        format!("{:x}.{pid:x}", started_us.div_euclid(1_000_000))
    }

    /// When its session began, or the process.
    pub fn session_start(&self, process: &Process) -> Timestamp {
        let started = self.origin.started_us.and_then(|us| Timestamp::from_microsecond(us).ok());
        started.unwrap_or(if self.pid.is_some() { self.time } else { process.started })
    }

    /// Its session's number, or the process's.
    pub fn shown_pid(&self, process: &Process) -> i64 {
        self.pid.unwrap_or_else(|| i64::from(process.id))
    }

    /// As PostgreSQL calls it.
    pub fn backend_type(&self) -> &'static str {
        if self.pid.is_some() { "client backend" } else { "postmaster" }
    }
}

/// Whose log it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Process {
    pub id: u32,
    pub started: Timestamp,
}

/// Puts fields to their places.
struct Fields<'a> {
    record: &'a mut Record,
    others: String,
}

impl Fields<'_> {
    fn place(&mut self, name: &str) -> Option<&mut Option<String>> {
        let r = &mut *self.record;
        Some(match name {
            "sqlstate" => &mut r.sqlstate,
            "detail" => &mut r.detail,
            "hint" => &mut r.hint,
            "context" => &mut r.context,
            "statement" => &mut r.statement,
            "user" => &mut r.origin.user,
            "database" => &mut r.origin.database,
            "application" => &mut r.origin.application,
            "host" => &mut r.origin.host,
            "tag" => &mut r.origin.tag,
            "virtual_id" => &mut r.origin.virtual_id,
            _ => return None,
        })
    }

    fn number(&mut self, name: &str, value: i64) -> bool {
        let r = &mut *self.record;
        let place = match name {
            "pid" => &mut r.pid,
            "position" => &mut r.position,
            "port" => &mut r.origin.port,
            "started_us" => &mut r.origin.started_us,
            "transaction" => &mut r.origin.transaction,
            "query_id" => &mut r.origin.query_id,
            "line" => {
                r.line = value as u64;
                return true;
            }
            _ => return false,
        };
        *place = Some(value);
        true
    }

    fn other(&mut self, name: &str, value: &dyn Debug) {
        let _ = write!(self.others, " {name}={value:?}");
    }
}

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.record.message),
            "severity" => value.clone_into(&mut self.record.severity),
            name => match self.place(name) {
                Some(place) => *place = Some(value.to_owned()),
                None => self.other(name, &value),
            },
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        if !self.number(field.name(), value) {
            self.other(field.name(), &value);
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match i64::try_from(value) {
            Ok(value) => self.record_i64(field, value),
            Err(_) => self.other(field.name(), &value),
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        match field.name() {
            "verbose" => self.record.is_verbose = value,
            name => self.other(name, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.record.message = format!("{value:?}"),
            name => {
                if let Some(place) = self.place(name) {
                    *place = Some(format!("{value:?}"));
                } else {
                    self.other(name, value);
                }
            }
        }
    }
}
