//! What the session's replies rest on, and that they have left.
//!
//! Must not know: how they are sent.

use super::{Reply, Session};
use crate::catalog::wait_events::ReplyWait;
use evenkeel::{Basis, Error, Level};
use evenkeel_types::error::SqlError;
use std::time::Instant;

impl Session {
    /// From now on calls return before what they tell is durable: nobody may be told of it before [`Session::reply`] says so. For servers, which answer in batches.
    pub fn defer_durability(&mut self) {
        self.defers_durability = true;
    }

    /// Waits until the outcome of a call may be told, unless that is left to the caller. Of an error, too: it may tell what others have committed.
    pub(super) fn until_told<T>(&mut self, outcome: Result<T, SqlError>) -> Result<T, SqlError> {
        if self.defers_durability {
            return outcome;
        }
        if matches!(self.reply.untold(self.instance.database()), Ok(Some(_))) {
            self.untold.waits_since = Some(Instant::now());
        }
        let told = self.reply.wait(self.instance.database(), &|| self.interrupt.is_canceled());
        let has_committed = self.reply.has_committed;
        self.reply_leaves();
        self.replied();
        match told {
            Ok(()) => outcome,
            Err(Error::Canceled | Error::Closed) if has_committed => Err(Error::InDoubt.into()),
            Err(e) => Err(e.into()),
        }
    }

    /// No byte of a reply may leave before this may be told.
    pub fn reply(&self) -> &Reply {
        &self.reply
    }

    /// The reply is ready, and waits.
    pub fn reply_waits(&mut self, wait: ReplyWait) {
        self.untold.waits_since.get_or_insert_with(Instant::now);
        self.info.place.set_reply_wait(Some(wait));
    }

    /// The reply may leave, and is about to.
    pub fn reply_leaves(&mut self) {
        self.end_wait();
    }

    /// Everything was told, or will not be: what is told from now on rests on what is met from now on.
    pub fn replied(&mut self) {
        self.reply = Reply::default();
        self.untold.waits_since = None;
        self.info.place.set_reply_wait(None);
        if !self.untold_spans.is_empty() {
            self.tell_spans();
        }
    }

    /// What standbys have to have done with what the session is told from now on.
    pub fn reply_level(&self) -> Level {
        self.defaults.durability.level()
    }

    pub(crate) fn raise_reply(&mut self, basis: Basis) {
        self.reply.raise(basis, self.defaults.durability.level());
    }
}
