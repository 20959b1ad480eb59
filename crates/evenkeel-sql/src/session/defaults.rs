//! Settings that transactions and statements need, read once when they change: reading them by name is too slow for each.
//!
//! Must not know: who heeds them.

use super::Session;
use super::settings::Settings;
use crate::parse::IsolationLevel;
use evenkeel::Durability;
use std::time::Duration;

/// Time limits of a session, for whoever runs its statements: `None` is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// `statement_timeout`: after it the session's interrupt is to be canceled.
    pub statement: Option<Duration>,
    /// `transaction_timeout`: after it the session is to end.
    pub transaction: Option<Duration>,
    /// `idle_in_transaction_session_timeout`
    pub idle_in_transaction: Option<Duration>,
    /// `idle_session_timeout`
    pub idle: Option<Duration>,
}

/// What transactions begin with, and time limits.
#[derive(Clone, Copy)]
pub(crate) struct Defaults {
    pub isolation: IsolationLevel,
    pub read_only: bool,
    pub deferrable: bool,
    pub durability: Durability,
    pub lock_timeout: Option<Duration>,
    pub is_replica: bool,
    /// `standard_conforming_strings = off`: a backslash in `'…'` begins an escape.
    pub has_escapes: bool,
    pub timeouts: Timeouts,
}

impl Defaults {
    pub(crate) fn read(s: &Settings) -> Defaults {
        Defaults {
            isolation: s.isolation("default_transaction_isolation"),
            read_only: s.is_on("default_transaction_read_only"),
            deferrable: s.is_on("default_transaction_deferrable"),
            durability: match s.get("synchronous_commit") {
                Some("off") => Durability::Async,
                Some("local") => Durability::Local,
                Some("remote_write") => Durability::RemoteWrite,
                Some("remote_apply") => Durability::RemoteApply,
                _ => Durability::Sync,
            },
            lock_timeout: s.duration("lock_timeout"),
            is_replica: s.get("session_replication_role") == Some("replica"),
            has_escapes: s.get("standard_conforming_strings") == Some("off"),
            timeouts: Timeouts {
                statement: s.duration("statement_timeout"),
                transaction: s.duration("transaction_timeout"),
                idle_in_transaction: s.duration("idle_in_transaction_session_timeout"),
                idle: s.duration("idle_session_timeout"),
            },
        }
    }
}

impl Session {
    /// Before a message: takes over what has become of the configuration; whether that is anything. A transaction that has failed is over first.
    pub fn take_configuration(&mut self) -> bool {
        let is_failed = self.txn.as_ref().is_some_and(|t| t.failed);
        if is_failed || !self.settings.take_configured() {
            return false;
        }
        let _entered = self.enter();
        self.settings_changed();
        true
    }
}
