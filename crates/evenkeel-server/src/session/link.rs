//! The way out: the only place where reply bytes leave.
//!
//! Duty: no byte goes before everything that the replies could tell of is durable (W1); then one write.
//!
//! It must not know messages.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::Lsn;
use evenkeel::base::blocking::about_to_block;

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
}

impl<S: Service> Link<S> {
    pub fn new(service: Arc<S>, backend: Arc<Backend>) -> Link<S> {
        Link { service, backend, durable_lsn: Lsn(0) }
    }

    /// Sends everything in `out` while a statement still runs, after whatever that may have met. Blocks; but when the statement is to end, false: what is
    /// left in `out`, perhaps from the midst of a message, goes when the client reads again.
    pub fn send_midway(&mut self, out: &mut OutputBuffer) -> Result<bool, End> {
        self.wait_until_durable(out, self.service.newest_lsn())?;
        self.write(out, true)
    }

    /// Sends everything in `out`, which tells of nothing newer than `reply_lsn`. Blocks.
    pub fn send(&mut self, out: &mut OutputBuffer, reply_lsn: Lsn) -> Result<(), End> {
        self.wait_until_durable(out, reply_lsn)?;
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

    /// As `send`, but does nothing and returns false while `reply_lsn` is not durable. Blocks only for a client that does not read.
    pub fn send_if_durable(&mut self, out: &mut OutputBuffer, reply_lsn: Lsn) -> Result<bool, End> {
        if !self.is_durable(out, reply_lsn) {
            return Ok(false);
        }
        self.write(out, false)
    }

    /// Whether all of it went.
    fn write(&self, out: &mut OutputBuffer, of_statement: bool) -> Result<bool, End> {
        if out.bytes.is_empty() {
            return Ok(true);
        }
        let mut sent = self.backend.stream.write_now(&out.bytes)?;
        if sent < out.bytes.len() {
            about_to_block();
        }
        while sent < out.bytes.len() {
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
        }
        out.clear();
        Ok(true)
    }
}
