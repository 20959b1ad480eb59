//! One client's session after it has started: the message loop.
//!
//! Duty: take messages in order, keep the protocol's state (batch, skipping after an error, COPY), report errors, and end each
//! batch with ReadyForQuery and one write. The stages of a message stand in [`ClientSession::run`] and
//! [`ClientSession::message`]; what each kind of message does is in `simple.rs`, `extended.rs` and `copy.rs`.
//!
//! Invariants:
//! * S1: replies are flushed at Sync or the end of a simple query, at Flush, when much has gathered, and before waiting for a
//!   client that may itself be waiting (an error in a batch, COPY data). Nothing is flushed in the midst of a batch otherwise.
//! * S2: the interrupt is cleared only between batches, and the stop is looked for after it (backend.rs, B1).
//!
//! It must not know how statements are executed.
#![doc = include_str!("README.md")]

mod copy;
mod extended;
mod link;
mod objects;
mod rows;
mod simple;
mod wake;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use evenkeel_sql::{SqlError, SqlState};

use crate::backend::{Backend, Deadline, StopReason};
use crate::errors::{End, Failure, fatal};
use crate::idle::Poller;
use crate::service::{Service, SqlSession, Timeouts};
use crate::timer::Timer;
use crate::wire::frontend::{Message, Target};
use crate::wire::input::InputBuffer;
use crate::wire::output::OutputBuffer;

use link::Link;
pub(crate) use objects::ObjectLimits;
use objects::Objects;
use wake::Wake;

/// What the next message is taken for.
enum Mode<Q: SqlSession> {
    /// Anything.
    Normal,
    /// An error was reported inside a batch: everything up to Sync is passed over.
    SkipToSync,
    /// A COPY takes the client's data.
    CopyIn(Q::CopyIn, AfterCopy<Q>),
}

/// How to go on when a COPY is complete.
enum AfterCopy<Q: SqlSession> {
    /// With the rest of a simple query.
    Script(std::vec::IntoIter<Q::Statement>),
    /// With the batch.
    Batch,
}

/// What a session is started with.
pub(crate) struct Environment<'a, S: Service> {
    pub service: &'a S,
    pub backend: &'a Backend,
    pub timer: &'a Timer,
    pub poller: Poller,
    pub limits: ObjectLimits,
    pub max_message_bytes: usize,
}

/// A started session. Portals and statements go before what executes them.
pub(crate) struct ClientSession<'a, S: Service> {
    objects: Objects<S::Session>,
    mode: Mode<S::Session>,
    sql: S::Session,
    out: OutputBuffer,
    link: Link<'a, S>,
    backend: &'a Backend,
    timer: &'a Timer,
    poller: Poller,
    max_message_bytes: usize,
    /// Wakes it from waiting for COPY data; made for the first COPY.
    wake: Option<Arc<Wake>>,
    /// As of the last statement that may have changed them.
    timeouts: Timeouts,
    /// A batch or simple query has begun and not ended.
    working: bool,
    /// The statement's time limit runs.
    timing: bool,
    /// The client may be waiting for what is in `out`.
    urgent: bool,
}

impl<'a, S: Service> ClientSession<'a, S> {
    /// `greeting` is what the client is told first: that it is authenticated.
    pub fn new(env: Environment<'a, S>, sql: S::Session, greeting: OutputBuffer) -> ClientSession<'a, S> {
        ClientSession {
            objects: Objects::new(env.limits),
            mode: Mode::Normal,
            timeouts: sql.timeouts(),
            sql,
            out: greeting,
            link: Link::new(env.service, env.backend),
            backend: env.backend,
            timer: env.timer,
            poller: env.poller,
            max_message_bytes: env.max_message_bytes,
            wake: None,
            working: false,
            timing: false,
            urgent: false,
        }
    }

    /// Serves the client until one side ends it.
    pub fn run(&mut self, input: &mut InputBuffer) -> End {
        let end = self.serve(input);
        // What is left to do, such as rolling back, is not to be canceled.
        self.backend.interrupt.clear();
        match end {
            Ok(never) => match never {},
            Err(End::Fatal(e)) => {
                // What came before it is still the client's, once it is durable.
                match self.flush() {
                    Ok(()) => End::Fatal(e),
                    Err(end) => end,
                }
            }
            Err(end) => end,
        }
    }

    fn serve(&mut self, input: &mut InputBuffer) -> Result<std::convert::Infallible, End> {
        for (name, value) in self.sql.initial_parameters() {
            self.out.parameter_status(&name, &value);
        }
        self.out.backend_key_data(self.backend.pid, self.link.cancel_secret());
        self.ready()?;
        loop {
            match input.next_frame(self.max_message_bytes).map_err(End::Fatal)? {
                Some(frame) => self.message(frame.kind, input.body(&frame))?,
                None => self.wait_for_input(input)?,
            }
        }
    }

    /// Blocks until more bytes are there.
    fn wait_for_input(&mut self, input: &mut InputBuffer) -> Result<(), End> {
        if self.urgent {
            self.urgent = false;
            self.flush()?;
        }
        if matches!(self.mode, Mode::CopyIn(..)) && !self.await_copy_data()? {
            return Ok(());
        }
        let limit = self.idle_limit();
        if let Some((limit, reason)) = limit {
            self.timer.arm(self.backend, limit, Deadline::Stop(reason));
        }
        self.check_stop()?;
        let stream = &self.backend.stream;
        let read = self.poller.wait(input, |input| input.fill_now(stream), |input| input.fill(stream));
        if limit.is_some() {
            self.backend.disarm();
        }
        self.check_stop()?;
        match read? {
            0 if input.is_empty() && !self.working && self.sql.transaction_status() == b'I' => {
                Err(End::Terminated)
            }
            0 => Err(End::Disconnected(io::ErrorKind::UnexpectedEof.into())),
            _ => Ok(()),
        }
    }

    fn idle_limit(&self) -> Option<(Duration, StopReason)> {
        if self.working {
            return None;
        }
        match self.sql.transaction_status() {
            b'I' => self.timeouts.idle.map(|limit| (limit, StopReason::IdleSession)),
            _ => self.timeouts.idle_in_transaction.map(|limit| (limit, StopReason::IdleInTransaction)),
        }
    }

    fn check_stop(&self) -> Result<(), End> {
        match self.backend.stop_reason() {
            None => Ok(()),
            Some(reason) => Err(End::Fatal(reason.to_error())),
        }
    }

    /// One message, start to end.
    fn message(&mut self, kind: u8, body: &[u8]) -> Result<(), End> {
        self.check_stop()?;
        if kind == b'X' {
            return Err(End::Terminated);
        }
        match &self.mode {
            Mode::Normal => {}
            Mode::SkipToSync if kind == b'S' => {}
            Mode::SkipToSync => return Ok(()),
            Mode::CopyIn(..) => return self.copy_message(kind, body),
        }
        if matches!(kind, b'd' | b'c' | b'f') {
            // The client was still sending COPY data when it failed.
            return Ok(());
        }
        match self.begin_work().map_err(Failure::from).and_then(|()| self.act(kind, body)) {
            Ok(()) => Ok(()),
            Err(Failure::Session(end)) => Err(end),
            Err(Failure::Statement(e)) => {
                self.report(e)?;
                if matches!(kind, b'Q' | b'F' | b'S') {
                    return self.ready();
                }
                self.skip_to_sync();
                Ok(())
            }
        }
    }

    fn act(&mut self, kind: u8, body: &[u8]) -> Result<(), Failure> {
        match Message::decode(kind, body)? {
            Message::Query(sql) => self.simple_query(sql),
            Message::Parse(m) => self.parse(&m),
            Message::Bind(m) => self.bind(&m),
            Message::Describe(target) => self.describe(target),
            Message::Execute { portal, max_rows } => self.execute(portal, max_rows),
            Message::Close(target) => {
                self.objects.close(target);
                if let Target::Statement(name) = target {
                    self.sql.drop_named(name);
                }
                self.out.close_complete();
                Ok(())
            }
            Message::Flush => Ok(self.flush()?),
            Message::Sync => Ok(self.ready()?),
            Message::FunctionCall => {
                Err(SqlError::unsupported("the fast-path function call protocol is not supported").into())
            }
            Message::Terminate | Message::CopyData(_) | Message::CopyDone | Message::CopyFail(_) => Ok(()),
        }
    }

    /// A batch or simple query begins, if it has not; its time limit starts (S2).
    fn begin_work(&mut self) -> Result<(), End> {
        if !self.working {
            self.working = true;
            self.backend.interrupt.clear();
            self.check_stop()?;
        }
        if !self.timing {
            self.timing = true;
            if let Some(limit) = self.timeouts.statement {
                self.timer.arm(self.backend, limit, Deadline::Statement);
            }
        }
        Ok(())
    }

    /// A statement is complete: its time limit no longer runs.
    fn end_statement(&mut self) {
        if self.timing {
            self.timing = false;
            self.backend.disarm();
        }
    }

    /// Tells the client of an error.
    fn report(&mut self, mut e: SqlError) -> Result<(), End> {
        self.end_statement();
        self.check_stop()?;
        if e.code == SqlState::QUERY_CANCELED && self.backend.interrupt.is_canceled() {
            e.message = self.backend.cancel_message().to_string();
            self.backend.interrupt.clear();
            self.check_stop()?;
        }
        self.objects.drop_portals();
        self.sql.fail();
        self.notices();
        if e.severity_fatal {
            return Err(End::Fatal(e));
        }
        self.out.error(&e);
        Ok(())
    }

    fn skip_to_sync(&mut self) {
        self.mode = Mode::SkipToSync;
        self.urgent = true;
    }

    /// Ends a simple query or a batch: implicit transaction, reports, ReadyForQuery, one write.
    fn ready(&mut self) -> Result<(), End> {
        self.end_statement();
        if let Err(e) = self.sql.sync() {
            self.report(e)?;
        }
        self.timeouts = self.sql.timeouts();
        self.mode = Mode::Normal;
        self.working = false;
        let status = self.sql.transaction_status();
        if status == b'I' {
            self.objects.drop_portals();
        }
        self.notices();
        for (name, value) in self.sql.take_parameter_changes() {
            self.out.parameter_status(&name, &value);
        }
        self.out.ready_for_query(status);
        self.flush()
    }

    fn notices(&mut self) {
        for notice in self.sql.take_notices() {
            self.out.notice(&notice);
        }
    }

    fn flush(&mut self) -> Result<(), End> {
        self.link.send(&mut self.out, self.sql.reply_lsn())
    }
}

/// The error of a session whose thread panicked (W3).
pub(crate) fn internal_error() -> SqlError {
    fatal(SqlState::INTERNAL_ERROR, "internal error: the session ends, see the server's log")
}
