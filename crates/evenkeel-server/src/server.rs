//! A running server: listeners, a thread for each connection, shutdown.
//!
//! Duty: the life of connections from accept to the last byte. The stages stand in [`Shared::connection`].
//!
//! Stopping: no new connections; each session is told to end, its client gets 57P01; a client that does not even take that
//! message is cut off after [`LAST_WORDS_TIMEOUT`]; sessions that still run after [`SHUTDOWN_GRACE`] are left to the engine's
//! own closing.
//!
//! It must not know the protocol beyond the last error message.

use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use evenkeel_sql::{ServerHooks, SessionParams, SqlState};
use parking_lot::{Mutex, RwLock};
use pgwire::messages::startup::Authentication;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing::{debug, error, info, warn};

use crate::auth::{Users, fill_random};
use crate::backend::{Backend, Deadline, Registry, StopReason};
use crate::errors::{End, fatal};
use crate::idle::Poller;
pub use crate::listener::StartError;
use crate::listener::{Listener, bind_all};
use crate::service::Service;
use crate::session::{ClientSession, Environment, ObjectLimits, internal_error};
use crate::settings::{Id, ServerSettings};
use crate::startup::{authenticate, read_request};
use crate::stream::Stream;
use crate::timer::Timer;
use crate::wire::input::InputBuffer;
use crate::wire::output::OutputBuffer;

/// Stack of a session's thread: statements nest, and untouched stack costs nothing, bytes.
const SESSION_STACK_BYTES: usize = 8 << 20;
/// Connections beyond `max_connections` that are let in to be told so, or to cancel a statement.
const EXTRA_CONNECTIONS: usize = 32;
/// How long a client may take to accept its last message.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_secs(1);
/// How long sessions may take to end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);
/// Pause after the system refused a connection or thread.
const REFUSED_PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// What may change at a reload.
#[derive(Debug)]
struct Config {
    settings: ServerSettings,
    users: Users,
    session_defaults: Vec<(String, String)>,
}

/// What all threads of a server share.
struct Shared<S: Service> {
    service: Arc<S>,
    config: RwLock<Arc<Config>>,
    registry: Arc<Registry>,
    timer: Arc<Timer>,
    /// Makes the salts of users that do not exist.
    decoy_key: [u8; 32],
    stopping: AtomicBool,
}

/// Bound listeners that nobody accepts on yet: their clients wait. To be bound before a database is opened, so that an address
/// which cannot be had is found out before anything is created or recovered.
#[derive(Debug)]
pub struct Listeners(Vec<Listener>);

impl Listeners {
    /// Binds what the settings name.
    pub fn bind(settings: &ServerSettings, users: &Users) -> Result<Listeners, StartError> {
        Ok(Listeners(bind_all(settings, !users.is_empty())?))
    }
}

/// A running server. Dropping it shuts it down.
pub struct Server<S: Service> {
    shared: Arc<Shared<S>>,
    addresses: Vec<SocketAddr>,
    sockets: Vec<PathBuf>,
    /// Its other end wakes the accepting thread.
    wake: UnixStream,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<S: Service> Server<S> {
    /// Binds the listeners and starts to accept. `session_defaults` are settings that every session starts with.
    pub fn start(
        service: Arc<S>,
        settings: ServerSettings,
        users: Users,
        session_defaults: Vec<(String, String)>,
    ) -> Result<Server<S>, StartError> {
        let listeners = Listeners::bind(&settings, &users)?;
        Server::start_on(listeners, service, settings, users, session_defaults)
    }

    /// Starts to accept on listeners that are bound already, for the same settings and users.
    pub fn start_on(
        listeners: Listeners,
        service: Arc<S>,
        settings: ServerSettings,
        users: Users,
        session_defaults: Vec<(String, String)>,
    ) -> Result<Server<S>, StartError> {
        let Listeners(listeners) = listeners;
        let mut addresses = Vec::new();
        let mut sockets = Vec::new();
        for listener in &listeners {
            match listener {
                Listener::Tcp(l) => addresses.push(l.local_addr()?),
                Listener::Unix(_, file) => sockets.push(file.path.clone()),
            }
        }
        let mut decoy_key = [0; 32];
        fill_random(&mut decoy_key)?;
        let registry = Registry::new();
        let (timer, timer_thread) = Timer::start(registry.clone())?;
        let config = RwLock::new(Arc::new(Config { settings, users, session_defaults }));
        let stopping = AtomicBool::new(false);
        let shared = Arc::new(Shared { service, config, registry, timer, decoy_key, stopping });
        let (weak, port) = (Arc::downgrade(&shared), addresses.first().map(SocketAddr::port));
        let sessions = shared.registry.clone();
        shared.service.set_server(ServerHooks {
            settings: Box::new(move || match weak.upgrade() {
                Some(shared) => shared.config().settings.rows(port),
                None => Vec::new(),
            }),
            terminate: Box::new(move |pid| sessions.stop(pid, StopReason::Shutdown)),
        });
        let (wake, woken) = UnixStream::pair()?;
        let accepting = std::thread::Builder::new().name("accept".into()).spawn({
            let shared = shared.clone();
            move || accept_loop(&shared, &listeners, &woken)
        })?;
        for address in &addresses {
            info!(%address, "listening");
        }
        for socket in &sockets {
            info!(socket = %socket.display(), "listening");
        }
        Ok(Server { shared, addresses, sockets, wake, threads: Mutex::new(vec![accepting, timer_thread]) })
    }

    /// The TCP addresses it listens on.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The Unix sockets it listens on.
    pub fn unix_sockets(&self) -> &[PathBuf] {
        &self.sockets
    }

    /// Takes over what may change while it runs; names the settings that need a restart. Sessions that have started keep
    /// the limits they started with.
    pub fn reload(
        &self,
        new: &ServerSettings,
        users: Users,
        session_defaults: Vec<(String, String)>,
    ) -> Vec<&'static str> {
        let mut config = self.shared.config.write();
        let mut settings = config.settings.clone();
        let need_restart = settings.reload(new);
        *config = Arc::new(Config { settings, users, session_defaults });
        need_restart
    }

    /// Number of connections.
    pub fn connections(&self) -> usize {
        self.shared.registry.connections()
    }

    /// Ends all sessions and frees the listeners. Blocks until the sessions are over, or have been given up on: false.
    pub fn shutdown(&self) -> bool {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Closing our end is what wakes it.
        let _ = self.wake.shutdown(std::net::Shutdown::Both);
        let mut threads = self.threads.lock();
        let deadline = Instant::now() + SHUTDOWN_GRACE;
        let registry = &self.shared.registry;
        let mut empty = false;
        if !threads.is_empty() {
            join(threads.remove(0));
            for backend in registry.all() {
                backend.stop(StopReason::Shutdown);
            }
            empty = registry.wait_until_empty(Instant::now() + LAST_WORDS_TIMEOUT);
            if !empty {
                for backend in registry.all() {
                    backend.stream.cut();
                }
                empty = registry.wait_until_empty(deadline);
            }
            self.shared.timer.stop();
            threads.drain(..).for_each(join);
            if !empty {
                warn!(sessions = registry.connections(), "sessions did not end in time");
            }
        }
        empty || registry.connections() == 0
    }
}

impl<S: Service> Drop for Server<S> {
    fn drop(&mut self) {
        self.shutdown();
    }
}

fn join(thread: JoinHandle<()>) {
    if thread.join().is_err() {
        error!("a thread of the server panicked");
    }
}

/// Accepts until the other end of `woken` is closed.
fn accept_loop<S: Service>(shared: &Arc<Shared<S>>, listeners: &[Listener], woken: &UnixStream) {
    let mut refused = false;
    while !shared.stopping.load(Ordering::SeqCst) {
        let mut fds = vec![PollFd::new(woken, PollFlags::IN)];
        if !refused {
            fds.extend(listeners.iter().map(|l| PollFd::new(l, PollFlags::IN)));
        }
        match poll(&mut fds, refused.then_some(&REFUSED_PAUSE)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => {
                error!(error = %e, "cannot wait for connections");
                return;
            }
        }
        refused = false;
        for (listener, fd) in listeners.iter().zip(fds.iter().skip(1)) {
            if fd.revents().is_empty() {
                continue;
            }
            match listener.accept() {
                Ok(stream) => refused |= !start_connection(shared, stream),
                Err(e)
                    if matches!(
                        e.kind(),
                        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::Interrupted
                    ) => {}
                Err(e) if e.kind() == std::io::ErrorKind::ConnectionAborted => {}
                Err(e) => {
                    warn!(error = %e, "could not accept a connection");
                    refused = true;
                }
            }
        }
    }
}

/// Gives a connection its thread; false when the system has none.
fn start_connection<S: Service>(shared: &Arc<Shared<S>>, stream: Stream) -> bool {
    let max = shared.config().settings.number(Id::MaxConnections) as usize;
    if shared.registry.connections() >= max + EXTRA_CONNECTIONS {
        debug!("too many connections: one was closed unheard");
        return true;
    }
    let mut secret = [0; 32];
    if let Err(e) = fill_random(&mut secret) {
        warn!(error = %e, "no randomness for a connection's secret");
        return false;
    }
    // Registered here, so that a shutdown which has joined this thread finds every connection.
    let registered = shared.registry.register(stream, secret);
    let thread = std::thread::Builder::new()
        .name(format!("session {}", registered.backend.pid))
        .stack_size(SESSION_STACK_BYTES);
    let shared = shared.clone();
    match thread.spawn(move || {
        shared.serve(&registered.backend);
        drop(registered);
    }) {
        Ok(_) => true,
        Err(e) => {
            warn!(error = %e, "could not start a thread for a connection");
            false
        }
    }
}

impl<S: Service> Shared<S> {
    fn config(&self) -> Arc<Config> {
        self.config.read().clone()
    }

    /// A connection from start to end; a panic ends it alone (W3).
    fn serve(&self, backend: &Backend) {
        let config = self.config();
        let pid = backend.pid;
        let end = match catch_unwind(AssertUnwindSafe(|| self.connection(&config, backend))) {
            Ok(Ok(end)) | Ok(Err(end)) => end,
            Err(panic) => {
                let what = panic
                    .downcast_ref::<&str>()
                    .map(|s| s.to_string())
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_default();
                error!(pid, panic = %what, "a session panicked");
                End::Fatal(internal_error())
            }
        };
        backend.disarm();
        match end {
            End::Terminated => debug!(pid, "session ended"),
            End::Disconnected(e) => debug!(pid, error = %e, "the client is gone"),
            End::Fatal(e) => {
                if e.code == SqlState::ADMIN_SHUTDOWN {
                    debug!(pid, "session ended by shutdown");
                } else {
                    info!(pid, error = %e, "session ended with an error");
                }
                say_last_words(backend, &e);
            }
        }
        if config.settings.number(Id::LogConnections) == 1 {
            info!(pid, "disconnection");
        }
    }

    /// The stages of a connection.
    fn connection(&self, config: &Config, backend: &Backend) -> Result<End, End> {
        let settings = &config.settings;
        backend.stream.prepare(&settings.keepalive())?;
        let limit = Duration::from_secs(settings.number(Id::AuthenticationTimeout));
        self.timer.arm(backend, limit, Deadline::Stop(StopReason::AuthenticationTimeout));
        let mut input = InputBuffer::new();
        let mut out = OutputBuffer::default();

        // 1. Who is it?
        let Some(request) = read_request(&mut input, backend, &self.registry)? else {
            return Ok(End::Terminated);
        };
        request.negotiate(&mut out);
        if request.minor_version >= 2 {
            backend.use_long_secret();
        }

        // 2. Is there room?
        let max = settings.number(Id::MaxConnections) as usize;
        let Some(_slot) = self.registry.take_slot(max) else {
            return Err(End::Fatal(fatal(SqlState::TOO_MANY_CONNECTIONS, "sorry, too many clients already")));
        };

        // 3. May it?
        if !backend.stream.is_local() || settings.text(Id::LocalAuthentication) != "trust" {
            authenticate(&mut input, backend, &config.users, &request.user, &self.decoy_key, &mut out)?;
        }
        out.authentication(&Authentication::Ok);

        // 4. Its session.
        let peer = backend.stream.peer();
        if settings.number(Id::LogConnections) == 1 {
            info!(pid = backend.pid, user = request.user, database = request.database, ?peer, "connection");
        } else {
            debug!(pid = backend.pid, user = request.user, database = request.database, ?peer, "connection");
        }
        let session = self.service.session(SessionParams {
            user: request.user,
            database: request.database,
            application_name: request.application_name,
            client_addr: peer.map(|p| p.ip().to_canonical().to_string()),
            settings: config.session_defaults.iter().cloned().chain(request.settings).collect(),
            backend_pid: backend.pid,
            interrupt: backend.interrupt.clone(),
            statement_memory_bytes: settings.number(Id::StatementMemory) as usize,
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
            service: &*self.service,
            backend,
            timer: &self.timer,
            poller: Poller::new(Duration::from_micros(settings.number(Id::SessionPoll))),
            limits: ObjectLimits {
                statements: settings.number(Id::MaxPreparedStatements) as usize,
                portals: settings.number(Id::MaxPortals) as usize,
                bytes: settings.number(Id::SessionStatementMemory) as usize,
            },
            max_message_bytes: settings.number(Id::MaxMessageSize) as usize,
        };
        Ok(ClientSession::new(environment, session, out).run(&mut input))
    }
}

/// Sends the last error, if the client takes it.
fn say_last_words(backend: &Backend, e: &evenkeel_sql::SqlError) {
    let mut out = OutputBuffer::default();
    out.error(e);
    let sent = backend
        .stream
        .set_write_timeout(Some(LAST_WORDS_TIMEOUT))
        .and_then(|()| backend.stream.write_all(&out.bytes));
    match sent {
        Ok(()) => backend.stream.linger(LAST_WORDS_TIMEOUT),
        Err(e) => debug!(pid = backend.pid, error = %e, "the client did not take its last message"),
    }
}
