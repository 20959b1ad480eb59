//! What the session's replies rest on, and that they have left.
//!
//! Invariants
//! 1. An answer about the server alone ([`Rests::Server`]) does not wait for definitions only where nothing else could have been meant by the names of views and functions, and only for who is a
//!    superuser, as he has known since he logged in: what others see is granted to them, and grants are definitions.
//!
//! Must not know: how they are sent.

use super::{Portal, Reply, Session};
use crate::catalog::wait_events::ReplyWait;
use crate::parse::Stmt;
use crate::plan::{Plan, Rests};
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

    /// Whether what a statement tells rests on definitions.
    pub(super) fn tells_of_definitions(&self, portal: &Portal) -> bool {
        match &portal.plan {
            Some(plan) => self.rests_on_definitions(plan),
            None => !matches!(
                *portal.stmt.body.stmt,
                Stmt::Empty
                    | Stmt::Txn(_)
                    | Stmt::Set(_)
                    | Stmt::Show(_)
                    | Stmt::Reset(_)
                    | Stmt::Checkpoint
                    | Stmt::AlterSystem(_)
            ),
        }
    }

    /// Whether a statement tells of this server alone.
    pub fn tells_of_server(&self, portal: &Portal) -> bool {
        portal.plan.as_ref().is_some_and(|plan| !self.rests_on_definitions(plan))
    }

    /// What a plan is made of is told with its shape, before it is run.
    pub(super) fn tell_of_plan(&mut self, plan: &Plan) {
        if self.rests_on_definitions(plan) {
            self.raise_reply(self.catalog.basis);
        }
    }

    fn rests_on_definitions(&self, plan: &Plan) -> bool {
        match plan.rests() {
            Rests::Nothing => false,
            Rests::Server => !(self.authority.is_known_superuser() && self.searches_catalog_first()),
            Rests::Definitions => true,
        }
    }
}
