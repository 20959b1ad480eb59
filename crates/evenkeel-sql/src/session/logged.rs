//! What the log is told of a session: errors and notices from `log_min_messages` on, and what `metered` has to tell; with who it was, and from `log_min_error_statement`
//! on with the statement.
//!
//! Invariants:
//! 1. No password is logged: of statements about roles the text without literals is.
//! 2. An error is logged once, when the client is told of it.
//!
//! Must not know: where the log goes, formats.

use super::settings::Settings;
use super::tag::command_of;
use super::{Notice, Session};
use crate::exec::spill::LargeFiles;
use crate::instance::SessionInfo;
use crate::of_database::bump;
use crate::parse::normal;
use evenkeel_types::datetime::calendar::{UNIX_EPOCH_US, wall_clock_us};
use evenkeel_types::error::{SqlError, SqlState};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::Level;

/// The longest text of a statement that is logged, in bytes.
const LOGGED_BYTES_MAX: usize = 64 << 10;

/// How severe a message is for the log, as PostgreSQL orders them: LOG is more than ERROR.
fn rank(level: &str) -> u8 {
    const LEVELS: [&str; 12] = [
        "debug5", "debug4", "debug3", "debug2", "debug1", "info", "notice", "warning", "error", "log",
        "fatal", "panic",
    ];
    let level = if level == "DEBUG" { "debug1" } else { level };
    LEVELS.iter().position(|l| l.eq_ignore_ascii_case(level)).unwrap_or(0) as u8
}

/// `log_error_verbosity`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Verbosity {
    Terse,
    #[default]
    Default,
    Verbose,
}

/// What of a session is logged, read from the settings when they change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Logging {
    from: u8,
    statement_from: u8,
    verbosity: Verbosity,
}

impl Logging {
    pub(super) fn read(s: &Settings) -> Logging {
        Logging {
            from: rank(s.get("log_min_messages").unwrap_or("warning")),
            statement_from: rank(s.get("log_min_error_statement").unwrap_or("error")),
            verbosity: match s.get("log_error_verbosity") {
                Some("terse") => Verbosity::Terse,
                Some("verbose") => Verbosity::Verbose,
                _ => Verbosity::Default,
            },
        }
    }
}

/// A connection, as the log knows it: what is told before and after its session has the session's beginning, and is counted with what the session tells.
#[derive(Clone, Debug)]
pub struct LogOrigin {
    pub(crate) began_us: i64,
    lines: Arc<AtomicU64>,
}

impl Default for LogOrigin {
    /// It begins now.
    fn default() -> LogOrigin {
        LogOrigin { began_us: wall_clock_us(), lines: Arc::default() }
    }
}

impl LogOrigin {
    /// When it began, in microseconds since 1970.
    pub fn unix_us(&self) -> i64 {
        self.began_us - UNIX_EPOCH_US
    }

    /// The number of a message that is told now.
    pub fn next_line(&self) -> u64 {
        self.lines.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// What a session is at when something is told of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doing {
    /// The statement, or how it idles.
    tag: String,
    query_id: Option<i64>,
    transaction: Option<u64>,
    /// The how manieth transaction of the session it is; 0: none is open.
    number: Option<u64>,
}

/// What failed, for an error that is told next.
#[derive(Debug)]
pub(crate) struct Failed {
    text: Arc<str>,
    doing: Doing,
}

/// A message for the log.
struct Told<'a> {
    severity: &'a str,
    code: SqlState,
    message: &'a str,
    detail: Option<&'a str>,
    hint: Option<&'a str>,
    context: Option<&'a str>,
    position: Option<usize>,
    statement: Option<&'a str>,
}

/// The text of a statement as it may be logged. (1)
pub(super) fn logged_text(text: &str) -> String {
    if text.to_ascii_lowercase().contains("password") {
        return normal::of(text).text;
    }
    match normal::cut(text, LOGGED_BYTES_MAX) {
        whole if whole.len() == text.len() => whole.to_owned(),
        begin => format!("{begin}..."),
    }
}

impl Session {
    /// A message of severity LOG.
    pub(super) fn log(&self, message: &str, detail: Option<&str>) {
        self.log_as("LOG", message, detail);
    }

    /// A message.
    pub(super) fn log_as(&self, severity: &str, message: &str, detail: Option<&str>) {
        if rank(severity) >= self.logging.from {
            let code = SqlState::SUCCESSFUL_COMPLETION;
            self.tell_log(&Told {
                severity,
                code,
                message,
                detail,
                hint: None,
                context: None,
                position: None,
                statement: None,
            });
        }
    }

    /// A client is told of this error.
    pub fn count_error(&self, error: &SqlError) {
        self.instance.tally.error(&error.code);
        let counts = &self.info.counts;
        bump(&counts.deadlocks, u64::from(error.code == SqlState::DEADLOCK_DETECTED));
        bump(&counts.damaged, u64::from(error.code == SqlState::DATA_CORRUPTED));
    }

    /// Its client went without a word.
    pub fn count_abandoned(&self) {
        bump(&self.info.counts.abandoned, 1);
    }

    /// An error of which the client is told. (2)
    pub fn log_error(&mut self, e: &SqlError) {
        let (text, doing) = self.failed.take().map(|f| (f.text, f.doing)).unzip();
        if e.severity_fatal {
            let counts = &self.info.counts;
            let is_killed = e.code == SqlState::ADMIN_SHUTDOWN;
            bump(if is_killed { &counts.killed } else { &counts.fatal }, 1);
        }
        let severity = if e.severity_fatal { "FATAL" } else { "ERROR" };
        if rank(severity) < self.logging.from {
            return;
        }
        let has_statement = rank(severity) >= self.logging.statement_from;
        let statement = text.filter(|t| has_statement && !t.is_empty()).map(|t| logged_text(&t));
        let told = Told {
            severity,
            code: e.code,
            message: &e.message,
            detail: e.detail_log.as_deref().or(e.detail.as_deref()),
            hint: e.hint.as_deref(),
            context: e.context.as_deref(),
            position: e.position,
            statement: statement.as_deref(),
        };
        self.logging.tell(&self.info, &told, &doing.unwrap_or_else(|| self.doing()));
    }

    /// A notice that arises, whether the client wants it or not.
    pub(super) fn log_notice(&self, n: &Notice) {
        if rank(n.severity) >= self.logging.from {
            let (detail, hint) = (n.detail.as_deref(), n.hint.as_deref());
            self.tell_log(&Told {
                severity: n.severity,
                code: n.code,
                message: &n.message,
                detail,
                hint,
                context: None,
                position: None,
                statement: None,
            });
        }
    }

    /// An error that follows is about this text, of which the second part was at work, if it came so far.
    pub(super) fn set_failed(&mut self, text: &Arc<str>, command: Option<&str>) {
        let mut doing = self.doing_of(command);
        if self.txn.is_none() {
            // The one that it would have been in.
            self.transactions += 1;
            doing.number = Some(self.transactions);
        }
        self.failed = Some(Failed { text: text.clone(), doing });
    }

    /// The same of a text that is as long as its client likes.
    pub(super) fn set_failed_text(&mut self, text: &str, command: Option<&str>) {
        // A little more than is logged, so that it is seen to be cut.
        self.set_failed(&normal::cut(text, LOGGED_BYTES_MAX + 4).into(), command);
    }

    fn doing(&self) -> Doing {
        self.doing_of(self.running.as_deref())
    }

    fn doing_of(&self, command: Option<&str>) -> Doing {
        let tag = match (command, self.transaction_status()) {
            (Some(text), _) => command_of(text),
            (None, b'I') => "idle".into(),
            (None, b'T') => "idle in transaction".into(),
            (None, _) => "idle in transaction (aborted)".into(),
        };
        let txn = self.txn.as_ref();
        Doing {
            tag,
            query_id: self.info.activity.lock().query_id,
            transaction: txn.and_then(|t| t.engine.as_ref()).and_then(|e| e.id()),
            number: Some(match (txn, command) {
                (Some(t), _) => t.number,
                (None, Some(_)) => self.transactions + 1,
                (None, None) => 0,
            }),
        }
    }

    /// Who tells of large temporary files, as PostgreSQL does; they have no names.
    pub(super) fn large_files(&self, from_bytes: u64, folder: &Path) -> LargeFiles {
        let (logging, info, folder) = (self.logging, self.info.clone(), folder.display().to_string());
        let tell = move |bytes| {
            let message = format!("temporary file: path \"{folder}\", size {bytes}");
            logging.log_of(&info, &message, (None, None));
        };
        LargeFiles { from_bytes, tell: Box::new(tell) }
    }

    fn tell_log(&self, told: &Told) {
        self.logging.tell(&self.info, told, &self.doing());
    }
}

impl Logging {
    /// A message of severity LOG about what a session does now, with its statement.
    pub(super) fn log_of(
        &self,
        info: &SessionInfo,
        message: &str,
        (detail, context): (Option<&str>, Option<&str>),
    ) {
        if rank("LOG") < self.from {
            return;
        }
        let (query, query_id) = {
            let a = info.activity.lock();
            (a.query.clone(), a.query_id)
        };
        let transaction = info.interrupt.transaction();
        let doing = Doing { tag: command_of(&query), query_id, transaction, number: None };
        let statement = Some(query).filter(|t| rank("LOG") >= self.statement_from && !t.is_empty());
        let statement = statement.map(|t| logged_text(&t));
        self.tell(
            info,
            &Told {
                severity: "LOG",
                code: SqlState::SUCCESSFUL_COMPLETION,
                message,
                detail,
                hint: None,
                context,
                position: None,
                statement: statement.as_deref(),
            },
            &doing,
        );
    }

    fn tell(&self, info: &SessionInfo, told: &Told, doing: &Doing) {
        let lines = info.log_origin.next_line();
        let application = info.activity.lock().application_name.clone();
        let of_default =
            |part: Option<&str>| part.filter(|_| self.verbosity != Verbosity::Terse).map(str::to_owned);
        let (detail, hint, context) =
            (of_default(told.detail), of_default(told.hint), of_default(told.context));
        macro_rules! tell {
            ($level:expr) => {
                tracing::event!(
                    target: "evenkeel::session",
                    $level,
                    severity = told.severity,
                    sqlstate = told.code.as_str(),
                    pid = i64::from(info.pid),
                    user = &*info.user,
                    database = &*info.database,
                    application,
                    host = info.client_addr.as_deref(),
                    port = info.client_port.map(i64::from),
                    started_us = info.log_origin.unix_us(),
                    line = lines,
                    query_id = doing.query_id,
                    transaction = doing.transaction,
                    tag = &*doing.tag,
                    virtual_id = doing.number.map(|n| format!("{}/{n}", info.pid)),
                    detail,
                    hint,
                    context,
                    position = told.position.map(|p| p as i64),
                    statement = told.statement,
                    verbose = self.verbosity == Verbosity::Verbose,
                    "{}",
                    told.message
                )
            };
        }
        match told.severity {
            "ERROR" | "FATAL" | "PANIC" => tell!(Level::ERROR),
            "WARNING" => tell!(Level::WARN),
            "DEBUG" => tell!(Level::DEBUG),
            _ => tell!(Level::INFO),
        }
    }
}
