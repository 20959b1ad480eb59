//! The way out: the only place where reply bytes leave.
//!
//! Duty: before any byte goes, wait until everything that the replies could tell of is durable (W1), then write once.
//!
//! It must not know messages.

use evenkeel::Lsn;

use crate::backend::Backend;
use crate::errors::End;
use crate::service::Service;
use crate::wire::output::OutputBuffer;

/// A session's socket and what is known to be durable.
pub(crate) struct Link<'a, S: Service> {
    service: &'a S,
    backend: &'a Backend,
    durable_lsn: Lsn,
}

impl<'a, S: Service> Link<'a, S> {
    pub fn new(service: &'a S, backend: &'a Backend) -> Link<'a, S> {
        Link { service, backend, durable_lsn: Lsn(0) }
    }

    /// Sends everything in `out` while a statement still runs, after whatever that may have met. Blocks.
    pub fn send_midway(&mut self, out: &mut OutputBuffer) -> Result<(), End> {
        self.send(out, self.service.newest_lsn())
    }

    /// Sends everything in `out`, which tells of nothing newer than `reply_lsn`. Blocks.
    pub fn send(&mut self, out: &mut OutputBuffer, reply_lsn: Lsn) -> Result<(), End> {
        if out.bytes.is_empty() {
            return Ok(());
        }
        if reply_lsn > self.durable_lsn {
            if let Err(e) = self.service.wait_durable(reply_lsn) {
                // What was to be told may not have happened: the client learns only that.
                out.clear();
                return Err(End::Fatal(e.fatal()));
            }
            self.durable_lsn = reply_lsn;
        }
        self.backend.stream.write_all(&out.bytes)?;
        out.clear();
        Ok(())
    }

    /// What BackendKeyData tells.
    pub fn cancel_secret(&self) -> &'a [u8] {
        self.backend.cancel_secret()
    }
}
