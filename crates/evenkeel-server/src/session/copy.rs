//! COPY … FROM STDIN: messages while the client sends data.
//!
//! It must not know sockets.

use evenkeel_sql::{SqlError, SqlState};

use super::{AfterCopy, ClientSession, Mode};
use crate::errors::{End, Failure, error, protocol_violation};
use crate::service::{Service, SqlSession};
use crate::wire::frontend::Message;

/// Data is handed on when there is so much of it, or when no more has arrived, in bytes.
const PIECE_BYTES: usize = 64 << 10;

impl<S: Service> ClientSession<S> {
    /// A message while a COPY is under way.
    pub(super) fn copy_message(&mut self, kind: u8, body: &[u8]) -> Result<(), End> {
        if kind == b'd' && body.len() < PIECE_BYTES {
            // Many clients send each line in a message of its own.
            self.copy_input.extend_from_slice(body);
            return if self.copy_input.len() < PIECE_BYTES { Ok(()) } else { self.feed_copy() };
        }
        if kind != b'f' {
            self.feed_copy()?;
            if !matches!(self.mode, Mode::CopyIn(..)) {
                // That failed: what comes now is no message of a COPY any more, and a Sync is waited for.
                return self.message(kind, Some(body));
            }
        }
        let Mode::CopyIn(copy, _) = &mut self.mode else { return Ok(()) };
        let result = match kind {
            b'd' => self.sql.copy_in_data(copy, body),
            b'c' => return self.copy_done(),
            b'f' => Err(match Message::decode(kind, body) {
                Ok(Message::CopyFail(why)) => {
                    error(SqlState::QUERY_CANCELED, format!("COPY from stdin failed: {why}"))
                }
                Ok(_) => protocol_violation("invalid message format"),
                Err(e) => e,
            }),
            // Clients of the extended protocol send these before they know that a COPY has begun.
            b'H' | b'S' => Ok(()),
            _ => Err(protocol_violation(format!(
                "unexpected message type 0x{kind:02X} during COPY from stdin"
            ))),
        };
        match result {
            Ok(()) => Ok(()),
            Err(e) => self.copy_failed(e),
        }
    }

    /// Hands on the data that has come.
    pub(super) fn feed_copy(&mut self) -> Result<(), End> {
        let Mode::CopyIn(copy, _) = &mut self.mode else { return Ok(()) };
        if self.copy_input.is_empty() {
            return Ok(());
        }
        let result = self.sql.copy_in_data(copy, &self.copy_input);
        self.copy_input.clear();
        result.or_else(|e| self.copy_failed(e))
    }

    /// A COPY that waits for the client's data is a statement that runs: a cancel ends it.
    pub(super) fn end_canceled_copy(&mut self) -> Result<(), End> {
        if matches!(self.mode, Mode::CopyIn(..)) && self.backend.interrupt.is_canceled() {
            self.copy_failed(evenkeel::Error::Canceled.into())?;
        }
        Ok(())
    }

    fn copy_done(&mut self) -> Result<(), End> {
        let Mode::CopyIn(copy, after) = std::mem::replace(&mut self.mode, Mode::Normal) else {
            return Ok(());
        };
        self.copy_input = Vec::new();
        self.sql.set_may_wait_outside(false);
        let was_batch = matches!(after, AfterCopy::Batch);
        let result = match (self.sql.copy_in_finish(copy), after) {
            (Err(e), _) => Err(Failure::from(e)),
            (Ok(tag), AfterCopy::Batch) => {
                self.complete(&tag);
                self.end_statement();
                Ok(())
            }
            (Ok(tag), AfterCopy::Script(rest)) => {
                let last = rest.as_slice().is_empty();
                self.complete_simple(&tag, last).and_then(|()| self.run_script(rest))
            }
        };
        match result {
            Ok(()) => Ok(()),
            Err(Failure::Session(end)) => Err(end),
            Err(Failure::Statement(e)) => self.failed(e, was_batch),
        }
    }

    pub(super) fn copy_failed(&mut self, e: SqlError) -> Result<(), End> {
        let Mode::CopyIn(copy, after) = std::mem::replace(&mut self.mode, Mode::Normal) else {
            return Ok(());
        };
        drop(copy);
        self.copy_input = Vec::new();
        self.failed(e, matches!(after, AfterCopy::Batch))
    }

    fn failed(&mut self, e: SqlError, batch: bool) -> Result<(), End> {
        if e.severity_fatal {
            return Err(End::Fatal(e));
        }
        self.report(e)?;
        if batch {
            self.skip_to_sync();
            Ok(())
        } else {
            self.ready()
        }
    }
}
