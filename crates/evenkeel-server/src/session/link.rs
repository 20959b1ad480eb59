//! The way out: the only place where reply bytes leave.
//!
//! Duty: no byte goes before everything that the replies could tell of is durable (W1); then one write.
//!
//! It must not know messages.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use std::task::{Wake, Waker};

use evenkeel::base::blocking::{Wait, wait};
use evenkeel::{Level, Lsn, Waiting};
use evenkeel_sql::Reply;

use crate::backend::Backend;
use crate::errors::End;
use crate::service::Service;
use crate::wire::output::OutputBuffer;

/// How often a session that waits for its client to read looks whether it, or its statement, is to end.
const STOP_POLL: Duration = Duration::from_millis(50);

/// A session's socket and what is known to be durable.
pub(crate) struct Link<S: Service> {
    service: Arc<S>,
    backend: Arc<Backend>,
    durable_lsn: Lsn,
    /// What standbys have to have done with what leaves in the midst of a statement.
    pub level: Level,
    /// What was in `out` was given up, with what it rests on.
    pub gave_up: bool,
    waker: Waker,
    waiting: Option<Waiting>,
}

/// What became of a reply that is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sent {
    /// It went.
    All,
    /// It waits for the log, up to here.
    NeedsLog(Lsn),
    /// It waits for standbys: the session's interrupt will be nudged.
    NeedsStandbys,
}

/// Has the session stepped.
struct Nudge(Arc<Backend>);

impl Wake for Nudge {
    fn wake(self: Arc<Self>) {
        self.0.interrupt.nudge();
    }
}

impl<S: Service> Link<S> {
    pub fn new(service: Arc<S>, backend: Arc<Backend>) -> Link<S> {
        let waker = Waker::from(Arc::new(Nudge(backend.clone())));
        let level = Level::default();
        Link { service, backend, durable_lsn: Lsn(0), level, gave_up: false, waker, waiting: None }
    }

    /// Sends everything in `out` while a statement still runs, after whatever that may have met. Blocks; but when the statement is to end, false: what is
    /// left in `out`, perhaps from the midst of a message, goes when the client reads again, or, if standbys were waited for, not at all.
    pub fn send_midway(&mut self, out: &mut OutputBuffer) -> Result<bool, End> {
        let newest = self.service.newest();
        self.wait_until_durable(out, newest.local)?;
        let (backend, level) = (&self.backend, self.level);
        let is_canceled = || backend.interrupt.is_canceled() || backend.stop_reason().is_some();
        match self.service.wait_told(newest, level, &is_canceled) {
            Ok(true) => self.write(out, true),
            Ok(false) => {
                out.clear();
                self.gave_up = true;
                Ok(false)
            }
            Err(e) => {
                out.clear();
                Err(End::Fatal(e.fatal()))
            }
        }
    }

    /// Sends what is in `out` as the last that is sent, unless standbys would have to be waited for: then nothing of it. Blocks for the log.
    pub fn send_last(&mut self, out: &mut OutputBuffer, reply: &Reply) -> Result<(), End> {
        self.wait_until_durable(out, reply.local())?;
        if self.gave_up || !matches!(self.service.untold(reply), Ok(None)) {
            out.clear();
        }
        self.write(out, false).map(|_| ())
    }

    fn wait_until_durable(&mut self, out: &mut OutputBuffer, lsn: Lsn) -> Result<(), End> {
        if !self.is_durable(out, lsn) {
            if let Err(e) = self.service.wait_durable(lsn) {
                // What was to be told may not have happened: the client learns only that.
                out.clear();
                return Err(End::Fatal(e.fatal()));
            }
            self.durable_lsn = lsn;
        }
        Ok(())
    }

    fn is_durable(&mut self, out: &OutputBuffer, lsn: Lsn) -> bool {
        if !out.bytes.is_empty() && lsn > self.durable_lsn {
            self.durable_lsn = self.service.durable_lsn();
            return lsn <= self.durable_lsn;
        }
        true
    }

    /// Sends everything in `out`, if it may be told, and says so before. Blocks only for a client that does not read.
    pub fn send_if_told(
        &mut self,
        out: &mut OutputBuffer,
        reply: &Reply,
        told: impl FnOnce(),
    ) -> Result<Sent, End> {
        if !self.is_durable(out, reply.local()) {
            return Ok(Sent::NeedsLog(reply.local()));
        }
        if !out.bytes.is_empty() {
            self.waiting = None;
            loop {
                let untold = self.service.untold(reply).map_err(|e| {
                    out.clear();
                    End::Fatal(e.fatal())
                })?;
                let Some((basis, level)) = untold else { break };
                self.waiting = self.service.wake_when_told(basis, level, &self.waker);
                if self.waiting.is_some() {
                    return Ok(Sent::NeedsStandbys);
                }
            }
        }
        told();
        self.write(out, false)?;
        Ok(Sent::All)
    }

    /// Whether all of it went.
    fn write(&self, out: &mut OutputBuffer, of_statement: bool) -> Result<bool, End> {
        if out.bytes.is_empty() {
            return Ok(true);
        }
        let mut sent = self.backend.stream.write_now(&out.bytes)?;
        let mut done = sent == out.bytes.len() && self.backend.stream.flush_now()?;
        let _waiting = (!done).then(|| wait(Wait::ClientWrite));
        while !done {
            // A session that is told to end does not wait for a client that does not read.
            if self.backend.stop_reason().is_some() {
                out.clear();
                return Err(End::Disconnected(io::ErrorKind::TimedOut.into()));
            }
            if of_statement && self.backend.interrupt.is_canceled() {
                out.bytes.drain(..sent);
                return Ok(false);
            }
            self.backend.stream.wait_writable(STOP_POLL)?;
            sent += self.backend.stream.write_now(&out.bytes[sent..])?;
            done = sent == out.bytes.len() && self.backend.stream.flush_now()?;
        }
        out.clear();
        Ok(true)
    }
}
