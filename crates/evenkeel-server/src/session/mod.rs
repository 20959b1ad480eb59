//! One client's session after it has started: the message loop.
//!
//! Duty: take messages in order, keep the protocol's state (batch, skipping after an error, COPY), report errors, and end each
//! batch with ReadyForQuery and one write. The stages of a message stand in [`ClientSession::step`] and
//! [`ClientSession::message`]; what each kind of message does is in `simple.rs`, `extended.rs`, `function_call.rs` and `copy.rs`.
//!
//! Invariants:
//! * S1: replies are sent at Sync or the end of a simple query, at Flush, when much has gathered, and before waiting for a
//!   client that may itself be waiting (an error in a batch, COPY data). Nothing is sent in the midst of a batch otherwise.
//! * S2: the interrupt is cleared only between batches, and the stop is looked for after it (backend.rs, B1).
//! * S3: a step blocks for statements and for clients that do not read, never for input; nor for the log where a reply is due: it
//!   returns, and is called again when there is more, or the log is durable.
//!
//! It must not know how statements are executed, nor by which thread it is stepped.
#![doc = include_str!("README.md")]

mod copy;
mod extended;
mod function_call;
mod link;
mod objects;
mod rows;
mod simple;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::Lsn;
use evenkeel_sql::{Notice, ReplyWait, SqlError, SqlState, Timeouts};
use evenkeel_types::guard::memory;

use crate::backend::{Backend, Deadline, StopReason};
use crate::errors::{End, Failure, fatal};
use crate::service::{Service, SqlSession};
use crate::timer::Timer;
use crate::wire::frontend::{Message, Target};
use crate::wire::input::InputBuffer;
use crate::wire::output::OutputBuffer;
use crate::wire::recode::to_utf8;

use link::{Link, Sent};
pub(crate) use objects::ObjectLimits;
use objects::Objects;

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
pub(crate) struct Environment<S: Service> {
    pub service: Arc<S>,
    pub backend: Arc<Backend>,
    pub timer: Arc<Timer>,
    pub limits: ObjectLimits,
    pub max_message_bytes: usize,
    /// So long a client that has been let in waits for standbys to confirm what it is told first.
    pub greeting_limit: Duration,
}

/// What a session waits for between two steps.
#[derive(Debug)]
pub(crate) enum Step {
    /// More input.
    Input,
    /// The log, up to here: a reply is due.
    Durable(Lsn),
    /// A row lock, or standbys: the session's interrupt is nudged.
    Nudge,
    /// Nothing: others may go first.
    Again,
    /// It is over.
    End(End),
}

/// What was heard of a session's socket since its last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// It may have something to read.
    pub input: bool,
    /// The client has closed its side, or there is an error.
    pub hangup: bool,
}

/// Time for what a client has sent before it closed its side.
const GONE_LIMIT: Duration = Duration::from_millis(50);

/// Messages that one step takes at most.
const STEP_MESSAGES: u32 = 256;

/// A started session. Portals and statements go before what executes them.
pub(crate) struct ClientSession<S: Service> {
    objects: Objects<S::Session>,
    mode: Mode<S::Session>,
    /// Data of a COPY that is still to be handed on.
    copy_input: Vec<u8>,
    sql: S::Session,
    out: OutputBuffer,
    link: Link<S>,
    backend: Arc<Backend>,
    timer: Arc<Timer>,
    max_message_bytes: usize,
    /// The client was not greeted yet, and waits for that so long at most.
    greeting: Option<Duration>,
    /// As of the last statement that may have changed them.
    timeouts: Timeouts,
    /// A batch or simple query has begun and not ended.
    working: bool,
    /// The statement's time limit runs.
    timing: bool,
    /// A limit on the wait for input runs.
    idling: bool,
    /// While transactions have a limit: when the one that is open began, as the timer counts.
    transaction_began_us: Option<u64>,
    /// The message at hand waits for a lock, and is to be taken again.
    waits: bool,
    /// It has been put back.
    is_put_back: bool,
    /// A reply waits for standbys,
    awaits: bool,
    /// and that wait has a time limit of its own.
    times_await: bool,
    /// The socket was read empty, and nothing has been heard of it since.
    drained: bool,
    /// The client has closed its side, or something is wrong with it: reading tells.
    hangup: bool,
    /// The client may be waiting for what is in `out`.
    urgent: bool,
    /// What is in `out` goes before anything else.
    due: bool,
}

impl<S: Service> ClientSession<S> {
    /// `greeting` is what the client is told first: that it is authenticated.
    pub fn new(env: Environment<S>, sql: S::Session, greeting: OutputBuffer) -> ClientSession<S> {
        ClientSession {
            objects: Objects::new(env.limits),
            mode: Mode::Normal,
            copy_input: Vec::new(),
            timeouts: sql.timeouts(),
            sql,
            out: greeting,
            link: Link::new(env.service, env.backend.clone()),
            backend: env.backend,
            timer: env.timer,
            max_message_bytes: env.max_message_bytes,
            greeting: Some(env.greeting_limit),
            working: false,
            timing: false,
            idling: false,
            transaction_began_us: None,
            waits: false,
            is_put_back: false,
            awaits: false,
            times_await: false,
            drained: false,
            hangup: false,
            urgent: false,
            due: false,
        }
    }

    /// The start of the conversation: the session's parameters, and that it is ready.
    pub fn greet(&mut self) -> Result<(), End> {
        self.out.encoding = self.sql.client_encoding();
        for (name, value) in self.sql.initial_parameters() {
            self.out.parameter_status(&name, &value);
        }
        self.out.backend_key_data(self.backend.pid, self.backend.cancel_secret());
        self.ready()
    }

    /// Goes on as far as it can without waiting for the client or, where a reply is due, for the log. After `Step::End` it must not be
    /// called again.
    pub fn step(&mut self, input: &mut InputBuffer, news: News) -> Step {
        self.drained &= !news.input;
        self.hangup |= news.hangup;
        if news.hangup {
            let now_us = self.timer.now_us();
            match self.is_put_back {
                true => self.backend.client_gone(now_us),
                false => self.backend.note_gone(now_us),
            }
        }
        let end = match self.advance(input) {
            Ok(step) => return step,
            Err(end) => end,
        };
        // What is left to do, such as rolling back, is not to be canceled.
        self.backend.interrupt.clear();
        Step::End(match end {
            // What came before it is still the client's, once it is durable.
            End::Fatal(e) => match self.link.send_last(&mut self.out, &self.sql.reply()) {
                Ok(()) => End::Fatal(e),
                Err(end) => end,
            },
            end => end,
        })
    }

    /// After `Step::Durable`, where the log will not become durable: fails as the log does.
    pub fn step_after_failure(&mut self) -> Step {
        let sent = self.link.send_last(&mut self.out, &self.sql.reply());
        self.backend.interrupt.clear();
        match sent {
            Ok(()) => Step::Again,
            Err(end) => Step::End(end),
        }
    }

    fn advance(&mut self, input: &mut InputBuffer) -> Result<Step, End> {
        for _ in 0..STEP_MESSAGES {
            if self.due {
                if std::mem::take(&mut self.link.gave_up) {
                    self.sql.replied();
                }
                let reply = self.sql.reply();
                match self.link.send_if_told(&mut self.out, &reply, || self.sql.reply_leaves())? {
                    Sent::All => self.sql.replied(),
                    Sent::NeedsLog(lsn) => {
                        self.sql.reply_waits(ReplyWait::Log);
                        return Ok(Step::Durable(lsn));
                    }
                    Sent::NeedsStandbys => {
                        self.sql.reply_waits(ReplyWait::Standbys);
                        self.wait_for_standbys()?;
                        if self.awaits {
                            return Ok(Step::Nudge);
                        }
                        continue;
                    }
                }
                self.end_await();
                self.greeting = None;
                self.due = false;
            }
            if let Some(frame) = input.next_frame(self.max_message_bytes).map_err(End::Fatal)? {
                self.end_idling();
                self.message(frame.kind, input.body(&frame))?;
                self.is_put_back = std::mem::take(&mut self.waits);
                if self.is_put_back {
                    input.put_back(&frame);
                    return Ok(Step::Nudge);
                }
                // Replies without rows gather too: a client that does not read them is not read from.
                self.due |= self.out.bytes.len() >= rows::SEND_BYTES;
            } else if self.urgent {
                self.urgent = false;
                self.due = true;
            } else if !self.copy_input.is_empty() {
                self.feed_copy()?;
            } else if !self.read(input)? {
                return Ok(Step::Input);
            }
        }
        Ok(Step::Again)
    }

    /// A message has come, whole: what comes in pieces, and what the client is told unasked, leaves its limit as it is.
    fn end_idling(&mut self) {
        if std::mem::take(&mut self.idling) {
            self.backend.disarm();
        }
    }

    fn end_await(&mut self) {
        self.awaits = false;
        if std::mem::take(&mut self.times_await) {
            self.backend.disarm();
        }
    }

    /// A reply is due, and standbys have not confirmed yet what it tells of. Unless that wait is canceled it goes on: then what is not told is given up, and an error is
    /// told in its place, which rests on nothing. Who logs in is told what his session works by in any case, else nobody could ask for other standbys: after a time, as what may be lost.
    fn wait_for_standbys(&mut self) -> Result<(), End> {
        self.check_stop()?;
        if self.hangup {
            return Err(End::Disconnected(io::ErrorKind::UnexpectedEof.into()));
        }
        if !self.awaits {
            self.awaits = true;
            // In the midst of a batch its limit runs already.
            let limit = self.greeting.or(self.timeouts.statement.filter(|_| !self.timing));
            if let Some(limit) = limit {
                self.end_idling();
                self.times_await = true;
                self.timer.arm(&self.backend, limit, Deadline::Statement);
            }
        }
        if !self.backend.interrupt.is_canceled() {
            return Ok(());
        }
        self.end_await();
        let why = self.backend.cancel_message().to_string();
        self.backend.interrupt.clear();
        if self.greeting.is_some() {
            self.out.notice(&may_be_lost());
            self.sql.replied();
            return Ok(());
        }
        let e = if self.sql.reply().has_committed {
            in_doubt(&why)
        } else {
            let mut e = SqlError::new(SqlState::QUERY_CANCELED, why);
            e.detail = Some("What it has read is not confirmed by the synchronous standbys yet.".into());
            e
        };
        let in_batch = self.working;
        let in_script = matches!(self.mode, Mode::CopyIn(_, AfterCopy::Script(_)));
        self.out.clear();
        self.report(e)?;
        self.sql.replied();
        if in_script {
            // Of a simple query nothing follows that would end it.
            self.ready()?;
        } else if in_batch {
            self.skip_to_sync();
        } else {
            self.out.ready_for_query(self.sql.transaction_status());
        }
        Ok(())
    }

    /// Takes what the client has sent; false if that is nothing, and nothing is left to do before it sends more.
    fn read(&mut self, input: &mut InputBuffer) -> Result<bool, End> {
        self.end_canceled_copy()?;
        if self.due || self.urgent {
            return Ok(true);
        }
        self.check_stop()?;
        if !self.working && self.notifications() {
            self.due = true;
            return Ok(true);
        }
        let read = if self.drained { None } else { input.fill_now(&self.backend.stream) };
        // Less than there was room for is all there was: what comes later, or the client's end, is news.
        self.drained = !self.hangup && input.is_spacious();
        match read {
            None => {
                if let Some((limit, reason)) = self.idle_limit().filter(|_| !self.idling) {
                    self.idling = true;
                    self.timer.arm(&self.backend, limit, Deadline::Stop(reason));
                }
                self.check_stop()?;
                Ok(false)
            }
            Some(read) => {
                self.check_stop()?;
                if read.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::OutOfMemory) {
                    return Err(End::Fatal(no_memory_for_a_message().fatal()));
                }
                match read? {
                    0 if input.is_empty() && !self.working && self.sql.transaction_status() == b'I' => {
                        Err(End::Terminated)
                    }
                    0 => Err(End::Disconnected(io::ErrorKind::UnexpectedEof.into())),
                    _ => Ok(true),
                }
            }
        }
    }

    fn idle_limit(&self) -> Option<(Duration, StopReason)> {
        if self.working {
            return None;
        }
        match self.sql.transaction_status() {
            b'I' => self.timeouts.idle.map(|limit| (limit, StopReason::IdleSession)),
            _ => {
                let idle =
                    self.timeouts.idle_in_transaction.map(|limit| (limit, StopReason::IdleInTransaction));
                let whole = self.transaction_left();
                idle.into_iter()
                    .chain(whole.map(|limit| (limit, StopReason::TransactionTimeout)))
                    .min_by_key(|l| l.0)
            }
        }
    }

    /// How long the transaction may still last, if there is a limit. One that has failed is over, but for whoever goes back to a savepoint.
    fn transaction_left(&self) -> Option<Duration> {
        let (limit, began_us) = (self.timeouts.transaction?, self.transaction_began_us?);
        if self.sql.transaction_status() == b'E' {
            return None;
        }
        let passed_us = self.timer.now_us().saturating_sub(began_us);
        Some(limit.saturating_sub(Duration::from_micros(passed_us)))
    }

    fn check_stop(&self) -> Result<(), End> {
        match self.backend.stop_reason() {
            None => Ok(()),
            Some(reason) => Err(End::Fatal(reason.to_error())),
        }
    }

    /// One message, start to end. Without a body: one for which there was no memory.
    fn message(&mut self, kind: u8, body: Option<&[u8]>) -> Result<(), End> {
        self.check_stop()?;
        if kind == b'X' {
            return Err(End::Terminated);
        }
        match &self.mode {
            Mode::Normal => {}
            Mode::SkipToSync if kind == b'S' => {}
            Mode::SkipToSync => return Ok(()),
            Mode::CopyIn(..) => {
                return match body {
                    Some(body) => self.copy_message(kind, body),
                    None => self.copy_failed(no_memory_for_a_message()),
                };
            }
        }
        if matches!(kind, b'd' | b'c' | b'f') {
            // The client was still sending COPY data when it failed.
            return Ok(());
        }
        self.link.level = self.sql.reply_level();
        let acted =
            self.begin_work(!matches!(kind, b'H' | b'C')).map_err(Failure::from).and_then(|()| match body {
                Some(body) => self.act(kind, body),
                None => Err(no_memory_for_a_message().into()),
            });
        match acted {
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
        let encoding = self.out.encoding;
        if encoding.is_passed_on() {
            return self.act_on(Message::decode(kind, body)?);
        }
        let body = to_utf8(kind, body, encoding)?;
        self.act_on(Message::decode(kind, &body)?)
    }

    fn act_on(&mut self, message: Message<'_>) -> Result<(), Failure> {
        use Message as M;
        let in_batch =
            matches!(message, M::Parse(_) | M::Bind(_) | M::Describe(_) | M::Execute { .. } | M::Close(_));
        if in_batch && self.working && self.backend.interrupt.is_canceled() {
            // Its time may have run out between two messages, of which the second evaluates nothing.
            return Err(
                SqlError::new(SqlState::QUERY_CANCELED, "canceling statement due to user request").into()
            );
        }
        match message {
            Message::Query(sql) => self.simple_query(sql),
            Message::Parse(m) => self.parse(&m),
            Message::Bind(m) => self.bind(&m),
            Message::Describe(target) => self.describe(target),
            Message::Execute { portal, max_rows } => self.execute(portal, max_rows),
            Message::Close(target) => {
                self.objects.close(target);
                match target {
                    Target::Statement(name) => self.sql.drop_named(name),
                    Target::Portal(name) => self.sql.drop_portal(name),
                }
                self.out.close_complete();
                Ok(())
            }
            Message::Flush => {
                self.due = true;
                Ok(())
            }
            Message::Sync => Ok(self.ready()?),
            Message::FunctionCall(m) => self.function_call(&m),
            Message::Terminate | Message::CopyData(_) | Message::CopyDone | Message::CopyFail(_) => Ok(()),
        }
    }

    /// A batch or simple query begins, if it has not; its time limit starts (S2), if the message is one that has something done (`times`).
    fn begin_work(&mut self, times: bool) -> Result<(), End> {
        if !self.working {
            self.working = true;
            self.backend.interrupt.clear();
            if self.sql.take_configuration() {
                self.timeouts = self.sql.timeouts();
                self.out.encoding = self.sql.client_encoding();
            }
        }
        self.check_stop()?;
        let last = self.time_left()?;
        if times && !self.timing {
            self.timing = true;
            if self.timeouts.transaction.is_some() && self.transaction_began_us.is_none() {
                self.transaction_began_us = Some(self.timer.now_us());
            }
            let statement = self.timeouts.statement.into_iter().chain(last).min();
            let statement = statement.map(|limit| (limit, Deadline::Statement));
            let whole =
                self.transaction_left().map(|limit| (limit, Deadline::Stop(StopReason::TransactionTimeout)));
            if let Some((limit, what)) = whole.into_iter().chain(statement).min_by_key(|l| l.0) {
                self.timer.arm(&self.backend, limit, what);
                if let (Deadline::Statement, Some((limit, whole))) = (what, whole) {
                    self.timer.follow(&self.backend, limit, whole);
                }
            }
        }
        Ok(())
    }

    /// What statements of a client that is gone still have: it may have sent them and not wanted to know.
    fn time_left(&self) -> Result<Option<Duration>, End> {
        let Some(gone_at_us) = self.backend.gone_at_us() else { return Ok(None) };
        let passed = Duration::from_micros(self.timer.now_us().saturating_sub(gone_at_us));
        match GONE_LIMIT.checked_sub(passed) {
            Some(left) if !left.is_zero() => Ok(Some(left)),
            _ => Err(End::Disconnected(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// A statement is complete: its time limit no longer runs.
    fn end_statement(&mut self) {
        if self.timing {
            self.timing = false;
            self.backend.disarm();
        }
    }

    /// The session ends with an error, which is the log's, too.
    pub fn log_end(&mut self, e: &SqlError) {
        self.sql.log_error(e);
    }

    /// The client went without a word.
    pub fn abandon(&mut self) {
        self.sql.abandon();
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
        if self.link.gave_up && self.sql.reply().has_committed {
            // What was given up told of a commit.
            let why = std::mem::take(&mut e.message);
            e = in_doubt(&why);
        }
        self.sql.fail();
        // A portal that was made before the last savepoint goes on when the transaction is back there.
        let may_go_on = self.sql.transaction_status() == b'E';
        let sql = &mut self.sql;
        self.objects.drop_portals_but(|name, portal| {
            let goes_on = may_go_on && S::Session::is_portal_kept(portal);
            if !goes_on {
                sql.drop_portal(name);
            }
            goes_on
        });
        self.sql.count_error(&e);
        self.notices();
        if e.severity_fatal {
            return Err(End::Fatal(e));
        }
        self.sql.log_error(&e);
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
        self.out.encoding = self.sql.client_encoding();
        self.mode = Mode::Normal;
        self.working = false;
        let status = self.sql.transaction_status();
        if status == b'I' {
            self.objects.drop_portals();
            self.transaction_began_us = None;
        } else if self.timeouts.transaction.is_some() && self.transaction_began_us.is_none() {
            // Since it was set.
            self.transaction_began_us = Some(self.timer.now_us());
        }
        self.notices();
        for (name, value) in self.sql.take_parameter_changes() {
            self.out.parameter_status(&name, &value);
        }
        self.notifications();
        self.out.ready_for_query(status);
        self.due = true;
        Ok(())
    }

    /// What other sessions have notified of; whether there was anything.
    fn notifications(&mut self) -> bool {
        if !self.sql.is_listening() {
            return false;
        }
        let all = self.sql.take_notifications();
        all.iter().for_each(|n| self.out.notification(n));
        !all.is_empty()
    }

    fn notices(&mut self) {
        for notice in self.sql.take_notices() {
            self.out.notice(&notice);
        }
    }
}

/// The error of a session whose thread panicked (W3).
pub(crate) fn internal_error() -> SqlError {
    fatal(SqlState::INTERNAL_ERROR, "internal error: the session ends, see the server's log")
}

/// What a client is told that was let in without what he works by being confirmed.
fn may_be_lost() -> Notice {
    Notice {
        severity: "WARNING",
        code: SqlState::WARNING,
        message: "the session begins with settings that a failover may lose".into(),
        detail: Some(
            "They are kept for its role or database, and the synchronous standbys have not confirmed them yet."
                .into(),
        ),
        hint: None,
    }
}

/// The error of a commit whose wait for standbys was canceled.
fn in_doubt(why: &str) -> SqlError {
    let mut e = SqlError::from(evenkeel::Error::InDoubt);
    e.message = format!("canceling wait for synchronous replication: {why}");
    e.detail = Some(
        "The transaction has already committed locally, but might not have been replicated to the standby."
            .into(),
    );
    e
}

fn no_memory_for_a_message() -> SqlError {
    memory::out_of_memory("The message is too large.".into())
}
