//! Errors as the protocol reports them: constructors for the server's own, and why a session ended.
//!
//! It must not know how errors are encoded (`wire/output.rs`).

use std::io;

use evenkeel_sql::{SqlError, SqlState};

/// An ERROR with a code and a message.
pub(crate) fn error(code: SqlState, message: impl Into<String>) -> SqlError {
    SqlError::new(code, message)
}

/// A FATAL error: the session ends after it.
pub(crate) fn fatal(code: SqlState, message: impl Into<String>) -> SqlError {
    error(code, message).fatal()
}

/// 08P01.
pub(crate) fn protocol_violation(message: impl Into<String>) -> SqlError {
    error(SqlState::PROTOCOL_VIOLATION, message)
}

/// Why a session is over.
#[derive(Debug)]
pub(crate) enum End {
    /// The client said goodbye, or its connection was only a cancel request.
    Terminated,
    /// The client's side of the connection is gone: nothing can be told to it.
    Disconnected(io::Error),
    /// To be told to the client as its last message.
    Fatal(SqlError),
}

impl From<io::Error> for End {
    fn from(e: io::Error) -> End {
        End::Disconnected(e)
    }
}

/// How one message failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Reported; the session goes on.
    Statement(SqlError),
    /// The session is over.
    Session(End),
}

impl From<SqlError> for Failure {
    fn from(e: SqlError) -> Failure {
        if e.severity_fatal { Failure::Session(End::Fatal(e)) } else { Failure::Statement(e) }
    }
}

impl From<End> for Failure {
    fn from(e: End) -> Failure {
        Failure::Session(e)
    }
}
