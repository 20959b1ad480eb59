//! What the session's replies rest on, and that they have left.
//!
//! Must not know: how they are sent.

use super::{Reply, Session};
use crate::catalog::wait_events::ReplyWait;
use evenkeel::{Basis, Level};

impl Session {
    /// No byte of a reply may leave before this may be told.
    pub fn reply(&self) -> &Reply {
        &self.reply
    }

    /// The reply is ready, and waits.
    pub fn reply_waits(&self, wait: ReplyWait) {
        self.info.place.set_reply_wait(Some(wait));
    }

    /// Everything was told, or will not be: what is told from now on rests on what is met from now on.
    pub fn replied(&mut self) {
        self.reply = Reply::default();
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
