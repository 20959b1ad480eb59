//! The life of a connection, from its first byte to its last.
//!
//! Duty: the stages of a connection stand in [`Shared::connection`]. It starts on a thread of its own, where its client may take its time; from its session on the workers serve it, and who follows the
//! log stays on that thread.
//!
//! It must not know the protocol beyond the last error message.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use evenkeel::Lsn;
use evenkeel::base::poison::panic_text;
use evenkeel_sql::{SessionParams, SqlError, SqlState, WalSender};
use pgwire::messages::startup::Authentication;
use tracing::{debug, error, info, warn};

use crate::admission::{Doors, admit};
use crate::backend::{Backend, Deadline, Registered, Slot, StopReason};
use crate::errors::{End, fatal};
use crate::replication::{May, Replication};
use crate::server::{Config, LAST_WORDS_TIMEOUT, Shared};
use crate::service::Service;
use crate::session::{ClientSession, Environment, News, ObjectLimits, Step, internal_error};
use crate::settings::{Id, ServerSettings};
use crate::startup::{StartupRequest, read_request};
use crate::wire::input::InputBuffer;
use crate::wire::output::OutputBuffer;
use crate::workers::{HangupHook, Turns};

/// Connections beyond `max_connections` for the owner, by way of the folder.
const OWNER_CONNECTIONS: usize = 4;

impl<S: Service> Shared<S> {
    /// A connection up to its session, which the workers get; a panic ends it alone (W3).
    pub fn start_session(self: &Arc<Shared<S>>, registered: Registered) {
        let backend = registered.backend.clone();
        let config = self.config();
        let started = catch_unwind(AssertUnwindSafe(|| self.connection(&config, &backend)));
        let (session, whose, input, slot) = match started {
            Ok(Ok(Some(started))) => started,
            Ok(Ok(None)) => return self.finish(&backend, End::Terminated, false),
            Ok(Err(end)) => return self.finish(&backend, end, false),
            Err(panic) => return self.finish(&backend, panicked(backend.pid, &*panic), false),
        };
        let id = self.workers.reserve();
        let workers = Arc::downgrade(&self.workers);
        backend.interrupt.set_on_nudge(Box::new(move || {
            if let Some(workers) = workers.upgrade() {
                workers.nudge(id);
            }
        }));
        let client = Client { session, whose, input, slot, registered, shared: self.clone() };
        if let Err(e) = self.workers.add(id, backend.stream.fd(), Box::new(client)) {
            self.finish(&backend, e.into(), false);
        }
    }

    /// The end of a connection. `is_logged`: its session has told the log of the error that it ends with.
    fn finish(&self, backend: &Backend, end: End, is_logged: bool) {
        let pid = backend.pid;
        let peer = Peer::of(backend);
        backend.disarm();
        match end {
            End::Terminated => {
                debug!(pid, "session ended");
                backend.stream.say_goodbye();
            }
            End::Disconnected(e) => debug!(pid, error = %e, "the client is gone"),
            End::Fatal(e) => {
                if !is_logged {
                    error!(
                        pid,
                        started_us = backend.log_origin.unix_us(),
                        line = backend.log_origin.next_line(),
                        severity = "FATAL",
                        sqlstate = e.code.as_str(),
                        host = peer.host,
                        port = peer.port,
                        detail = e.detail_log.as_ref().or(e.detail.as_ref()),
                        hint = e.hint,
                        "{}",
                        e.message
                    );
                }
                say_last_words(backend, &e);
            }
        }
    }

    /// The stages of a connection up to its session. None: it was for a cancel request.
    fn connection(&self, config: &Config, backend: &Arc<Backend>) -> Result<Option<Started<S>>, End> {
        let settings = &config.settings;
        backend.stream.prepare(&settings.keepalive())?;
        let limit = settings.time(Id::AuthenticationTimeout);
        self.timer.arm(backend, limit, Deadline::Stop(StopReason::AuthenticationTimeout));
        let mut input = InputBuffer::new();
        let mut out = OutputBuffer::default();
        let began = Instant::now();
        let logs = settings.logs_connections();
        let peer = Peer::of(backend);
        if logs.receipt {
            info!(
                pid = backend.pid,
                started_us = backend.log_origin.unix_us(),
                line = backend.log_origin.next_line(),
                host = peer.host,
                port = peer.port,
                "connection received: {}",
                peer.shown()
            );
        }

        // 1. Who is it?
        let Some(request) = read_request(&mut input, backend, &self.registry, config.tls.as_deref())? else {
            return Ok(None);
        };
        request.negotiate(&mut out);
        if request.minor_version >= 2 {
            backend.use_long_secret();
        }

        if !request.replication
            && let Some(e) = self.service.is_away()
        {
            return Err(End::Fatal(e.fatal()));
        }

        // 2. May it?
        let trusted = backend.stream.is_owner();
        let users = || {
            let mut users = config.users.clone();
            if !users.has(&request.user)
                && let Some(verifier) = self.service.verifier(&request.user)?
                && let Err(e) = users.add(&request.user, &verifier)
            {
                debug!(pid = backend.pid, error = %e, "a role's password cannot be used");
            }
            Ok(users)
        };
        let doors = Doors {
            settings,
            users: &users,
            is_member: &|user, role| {
                self.service.is_member(user, role).unwrap_or_else(|e| {
                    warn!(error = %e, "membership in a role could not be looked up");
                    false
                })
            },
            tls: config.tls.as_deref(),
            rules: config.rules.as_ref().map(|rules| rules.as_slice()),
            mappings: &config.mappings,
            decoy_key: &self.decoy_key,
            why_no_password: &|user| self.service.why_no_password(user),
        };
        let asked = Instant::now();
        let system_user = admit(&doors, &request, &mut input, backend, &mut out)?;
        let authenticated = asked.elapsed();
        out.authentication(&Authentication::Ok);

        if request.replication {
            let user = &request.user;
            let may = (|| {
                if trusted {
                    return Ok(May { promote: true, examine: true });
                }
                self.service.check_may_replicate(user, config.users.has(user))?;
                let (promote, examine) = (self.service.is_superuser(user)?, self.service.may_examine(user)?);
                Ok(May { promote, examine })
            })();
            let may = may.map_err(|e: SqlError| End::Fatal(e.fatal()))?;
            return Err(self.replicate(config, backend, (request, may), input, out));
        }

        // 3. Is there room? Asked only now: who has not shown who he is takes nobody's place.
        let max = settings.number(Id::MaxConnections) as usize;
        let max = if backend.stream.is_owner() { max + OWNER_CONNECTIONS } else { max };
        let Some((slot, free)) = self.registry.take_slot(max) else {
            return Err(End::Fatal(fatal(SqlState::TOO_MANY_CONNECTIONS, "sorry, too many clients already")));
        };
        if !trusted {
            self.check_reserved(settings, &request.user, free as u64)
                .map_err(|e: SqlError| End::Fatal(e.fatal()))?;
        }
        self.registry.has_started(backend.pid);

        // 4. Its session.
        if logs.authorization {
            let (user, database) = (&*request.user, &*request.database);
            let encryption = match backend.stream.tls() {
                Some(tls) => format!(" SSL enabled (protocol={}, cipher={})", tls.version, tls.cipher),
                None => String::new(),
            };
            let application = match &*request.application_name {
                "" => String::new(),
                name => format!(" application_name={name}"),
            };
            info!(
                pid = backend.pid,
                started_us = backend.log_origin.unix_us(),
                line = backend.log_origin.next_line(),
                host = peer.host,
                port = peer.port,
                user,
                database,
                tag = "authentication",
                "connection authorized: user={user} database={database}{application}{encryption}"
            );
        }
        let whose = Whose {
            user: request.user.clone(),
            database: request.database.clone(),
            application: request.application_name.clone(),
            since: Instant::now(),
        };
        let session = self.service.session(SessionParams {
            user: request.user,
            database: request.database,
            application_name: request.application_name,
            client_addr: peer.host.clone(),
            client_port: backend.stream.peer().map(|p| p.port()),
            server_addr: backend.stream.local(),
            system_user,
            configured: self.configured.clone(),
            settings: request.settings,
            backend_pid: backend.pid,
            interrupt: backend.interrupt.clone(),
            statement_memory_bytes: settings.number(Id::StatementMemory) as usize,
            as_owner: backend.stream.is_owner(),
            log_origin: backend.log_origin.clone(),
        });
        let session = match session {
            Ok(session) => session,
            Err(e) => {
                backend.stream.write_all(&out.bytes)?;
                return Err(End::Fatal(e.fatal()));
            }
        };
        backend.disarm();

        // 5. Its statements.
        let environment = Environment {
            service: self.service.clone(),
            backend: backend.clone(),
            timer: self.timer.clone(),
            limits: ObjectLimits {
                statements: settings.number(Id::MaxPreparedStatements) as usize,
                portals: settings.number(Id::MaxPortals) as usize,
                bytes: settings.number(Id::SessionStatementMemory) as usize,
            },
            max_message_bytes: settings.number(Id::MaxMessageSize) as usize,
            greeting_limit: settings.time(Id::AuthenticationTimeout),
        };
        let mut session = ClientSession::new(environment, session, out);
        session.greet()?;
        if logs.durations {
            let ms = |time: Duration| time.as_secs_f64() * 1000.0;
            // Sessions are no processes: there is nothing to fork.
            info!(
                pid = backend.pid,
                started_us = backend.log_origin.unix_us(),
                line = backend.log_origin.next_line(),
                host = peer.host,
                port = peer.port,
                user = &*whose.user,
                database = &*whose.database,
                application = &*whose.application,
                "connection ready: setup total={:.3} ms, fork=0.000 ms, authentication={:.3} ms",
                ms(began.elapsed()),
                ms(authenticated)
            );
        }
        Ok(Some((session, whose, input, slot)))
    }

    /// Refuses who takes a place that is kept for others, and leaves so many free.
    fn check_reserved(&self, settings: &ServerSettings, user: &str, free: u64) -> Result<(), SqlError> {
        let superusers = settings.number(Id::SuperuserReservedConnections);
        if free >= superusers + settings.number(Id::ReservedConnections) || self.service.is_superuser(user)? {
            return Ok(());
        }
        let role = "pg_use_reserved_connections";
        let whose = match free >= superusers {
            false => "roles with the SUPERUSER attribute".to_owned(),
            true if self.service.has_privileges_of(user, role)? => return Ok(()),
            true => format!("roles with privileges of the \"{role}\" role"),
        };
        let why = format!("remaining connection slots are reserved for {whose}");
        Err(SqlError::new(SqlState::TOO_MANY_CONNECTIONS, why))
    }

    /// Whoever follows the log is served here to the end, on a thread of its own.
    fn replicate(
        &self,
        config: &Config,
        backend: &Arc<Backend>,
        (request, may): (StartupRequest, May),
        input: InputBuffer,
        out: OutputBuffer,
    ) -> End {
        let peer = backend.stream.peer();
        let sender = WalSender {
            pid: backend.pid,
            user: request.user,
            application_name: request.application_name,
            client_addr: peer.map(|p| p.ip().to_canonical().to_string()),
            client_port: peer.map(|p| p.port()),
            started_us: evenkeel_types::datetime::wall_clock_us(),
            state: "startup",
            slot: None,
            sent: Lsn::ZERO,
            written: Lsn::ZERO,
            durable: Lsn::ZERO,
            applied: Lsn::ZERO,
            replied_us: None,
            sync_state: "async",
            sync_priority: 0,
        };
        let max = config.settings.number(Id::MaxWalSenders) as usize;
        let Some(sending) = self.senders.enter(sender, max) else {
            let message = format!(
                "number of requested standby connections exceeds \"max_wal_senders\" (currently {max})"
            );
            return End::Fatal(fatal(SqlState::TOO_MANY_CONNECTIONS, message));
        };
        self.registry.has_started(backend.pid);
        backend.disarm();
        info!(pid = backend.pid, ?peer, "replication connection");
        let (followed, promote) = (|| self.service.followed(), || self.service.promote());
        Replication::new(&followed, (&promote, may), backend, &config.settings, input, out, Arc::new(sending))
            .run()
    }
}

/// A session, what its client sent, and its place.
type Started<S> = (ClientSession<S>, Whose, InputBuffer, Slot);

/// Whose session it is, for the log.
struct Whose {
    user: String,
    database: String,
    application: String,
    since: Instant,
}

/// A connection that has its session, as the workers serve it.
struct Client<S: Service> {
    session: ClientSession<S>,
    whose: Whose,
    input: InputBuffer,
    slot: Slot,
    registered: Registered,
    shared: Arc<Shared<S>>,
}

impl<S: Service> Client<S> {
    /// A panic ends this session alone (W3).
    fn guarded(&mut self, step: impl FnOnce(&mut Self) -> Step) -> Step {
        let pid = self.registered.backend.pid;
        catch_unwind(AssertUnwindSafe(|| step(self)))
            .unwrap_or_else(|panic| Step::End(panicked(pid, &*panic)))
    }
}

impl<S: Service> Turns for Client<S> {
    fn step(&mut self, news: News) -> Step {
        self.guarded(|client| client.session.step(&mut client.input, news))
    }

    fn step_after_failure(&mut self) -> Step {
        self.guarded(|client| client.session.step_after_failure())
    }

    fn hangup_hook(&self) -> Option<HangupHook> {
        let (registry, backend) = (self.shared.registry.clone(), self.registered.backend.clone());
        Some(Arc::new(move || backend.client_gone(registry.now_us())))
    }

    fn end(self: Box<Self>, end: End) {
        let Client { mut session, whose, slot, registered, shared, .. } = *self;
        let backend = &registered.backend;
        shared.workers.forget(backend.stream.fd());
        let is_logged = match &end {
            End::Fatal(e) => {
                session.log_end(e);
                true
            }
            End::Disconnected(_) => {
                session.abandon();
                false
            }
            End::Terminated => false,
        };
        if shared.config().settings.number(Id::LogDisconnections) == 1 {
            let Whose { user, database, application, since } = &whose;
            let (peer, lasted) = (Peer::of(backend), since.elapsed());
            let (s, ms) = (lasted.as_secs(), lasted.subsec_millis());
            let time = format!("{}:{:02}:{:02}.{ms:03}", s / 3600, s / 60 % 60, s % 60);
            info!(
                pid = backend.pid,
                started_us = backend.log_origin.unix_us(),
                line = backend.log_origin.next_line(),
                host = peer.host,
                port = peer.port,
                user = &**user,
                database = &**database,
                application = &**application,
                tag = "idle",
                "disconnection: session time: {time} user={user} database={database} {}",
                peer.shown()
            );
        }
        // What it began is rolled back before the client hears of the end.
        drop(session);
        drop(slot);
        shared.finish(backend, end, is_logged);
    }
}

/// Where a client is, as the log has it.
struct Peer {
    host: Option<String>,
    port: Option<i64>,
}

impl Peer {
    fn of(backend: &Backend) -> Peer {
        let peer = backend.stream.peer();
        Peer {
            host: peer.map(|p| p.ip().to_canonical().to_string()),
            port: peer.map(|p| i64::from(p.port())),
        }
    }

    /// As PostgreSQL tells it.
    fn shown(&self) -> String {
        match (&self.host, self.port) {
            (Some(host), Some(port)) => format!("host={host} port={port}"),
            _ => "host=[local]".into(),
        }
    }
}

/// How a session ends whose code panicked.
fn panicked(pid: i32, panic: &(dyn std::any::Any + Send)) -> End {
    error!(pid, panic = panic_text(panic), "a session panicked");
    End::Fatal(internal_error())
}

/// Sends the last error, if the client takes it.
fn say_last_words(backend: &Backend, e: &evenkeel_sql::SqlError) {
    let mut out = OutputBuffer::default();
    out.error(e);
    match backend.stream.write_within(&out.bytes, LAST_WORDS_TIMEOUT) {
        Ok(()) => backend.stream.linger(LAST_WORDS_TIMEOUT),
        Err(e) => debug!(pid = backend.pid, error = %e, "the client did not take its last message"),
    }
}
