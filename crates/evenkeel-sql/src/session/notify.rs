//! LISTEN, UNLISTEN, NOTIFY: what a transaction wants is done when it commits.
//!
//! Must not know: the wire protocol, other sessions.

use super::notifier::{ListenAction, Notification};
use super::{CommandTag, Progress, Session};
use crate::parse::ListenStmt;
use evenkeel_types::error::{SqlError, SqlState};

/// PostgreSQL's limits: of a payload, and of a name.
const PAYLOAD_BYTES_MAX: usize = 7999;
const CHANNEL_BYTES_MAX: usize = 63;

/// Refuses what PostgreSQL refuses of a notification.
pub(super) fn check_notification(channel: &str, payload: &str) -> Result<(), SqlError> {
    let bad = |what: &str| Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, what));
    match (channel.len(), payload.len()) {
        (0, _) => bad("channel name cannot be empty"),
        (n, _) if n > CHANNEL_BYTES_MAX => bad("channel name too long"),
        (_, n) if n > PAYLOAD_BYTES_MAX => bad("payload string too long"),
        _ => Ok(()),
    }
}

/// What a standby refuses.
pub(super) fn during_recovery(what: &str) -> SqlError {
    SqlError::new(SqlState::READ_ONLY_SQL_TRANSACTION, format!("cannot execute {what} during recovery"))
}

impl Session {
    pub(super) fn listen(&mut self, stmt: &ListenStmt) -> Result<Progress, SqlError> {
        let is_standby = self.instance.is_standby();
        self.ensure_txn()?;
        let tag = match stmt {
            ListenStmt::Listen(_) if is_standby => return Err(during_recovery("LISTEN")),
            ListenStmt::Notify(..) if is_standby => return Err(during_recovery("NOTIFY")),
            ListenStmt::Listen(channel) => {
                self.env.act(ListenAction::Listen(channel.clone()));
                "LISTEN"
            }
            ListenStmt::Unlisten(Some(channel)) => {
                self.env.act(ListenAction::Unlisten(channel.clone()));
                "UNLISTEN"
            }
            ListenStmt::Unlisten(None) => {
                self.env.act(ListenAction::UnlistenAll);
                "UNLISTEN"
            }
            ListenStmt::Notify(channel, payload) => {
                evenkeel_types::Env::notify(&self.env, channel, payload)?;
                "NOTIFY"
            }
        };
        Ok(Progress::Done(CommandTag::of(tag)))
    }

    /// It may have something to be told that was notified of.
    #[inline]
    pub fn is_listening(&self) -> bool {
        self.is_listening
    }

    /// What the client is to be told that other sessions, or it, have notified of. Only between transactions; what it rests on is the reply's from now on.
    pub fn take_notifications(&mut self) -> Vec<Notification> {
        if !self.is_listening || self.txn.is_some() {
            return Vec::new();
        }
        let taken = self.instance.notifier.take(self.info.owner);
        for n in &taken {
            self.raise_reply(n.basis);
        }
        taken
    }
}
