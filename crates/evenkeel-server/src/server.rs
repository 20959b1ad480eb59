//! A running server: listeners, the start and the end of connections, shutdown.
//!
//! Duty: the life of connections from accept to the last byte. A connection starts on a thread of its own, where its client may take its time; the stages stand in [`Shared::connection`]. From then on the workers serve it.
//!
//! Stopping: no new connections; each session is told to end, its client gets 57P01; a client that does not even take that
//! message is cut off after [`LAST_WORDS_TIMEOUT`]; sessions that still run after [`SHUTDOWN_GRACE`] are left to the engine's
//! own closing.
//!
//! It must not know the protocol beyond the last error message.

use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use evenkeel::Lsn;
use evenkeel::base::duty;
use evenkeel::base::poison::panic_text;
use evenkeel_sql::guard::memory;
use evenkeel_sql::{ServerHooks, SessionParams, SqlState};
use parking_lot::{Mutex, RwLock};
use pgwire::messages::startup::Authentication;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing::{debug, error, info, warn};

use crate::auth::{Users, fill_random};
use crate::backend::{Backend, Deadline, Registered, Registry, Slot, StopReason};
use crate::errors::{End, fatal};
pub use crate::listener::OWNER_PORT;
pub use crate::listener::StartError;
use crate::listener::{Listener, bind_all, bind_owner};
use crate::service::Service;
use crate::session::{ClientSession, Environment, News, ObjectLimits, Step, internal_error};
use crate::settings::{Id, ServerSettings};
use crate::startup::{authenticate, read_request};
use crate::stream::Stream;
use crate::timer::Timer;
use crate::wire::input::InputBuffer;
use crate::wire::output::OutputBuffer;
use crate::workers::{HangupHook, Log, Turns, Workers};

/// So many more than `max_connections` may be starting at a time, apart from those that have started: whoever has been at it longest gives way to the next, so
/// that many who say nothing keep nobody out.
const EXTRA_CONNECTIONS: usize = 32;
/// Connections beyond `max_connections` for the owner, by way of the folder.
const OWNER_CONNECTIONS: usize = 4;
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
    workers: Arc<Workers>,
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

    /// Binds one more, in the folder of the database, which is open: for its owner, who needs no password. See [`OWNER_PORT`].
    pub fn bind_in_folder(&mut self, folder: &Path) -> Result<(), StartError> {
        self.0.push(bind_owner(folder)?);
        Ok(())
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
        memory::set_limit(settings.memory_limit_bytes());
        let Listeners(listeners) = listeners;
        let mut addresses = Vec::new();
        let mut sockets = Vec::new();
        for listener in &listeners {
            match listener {
                Listener::Tcp(l) => addresses.push(l.local_addr()?),
                Listener::Unix(_, file) => sockets.push(file.path.clone()),
                Listener::Owner(_, file) => debug!(socket = %file.path.display(), "listening for the owner"),
            }
        }
        let mut decoy_key = [0; 32];
        fill_random(&mut decoy_key)?;
        let registry = Registry::new();
        let told = service.clone();
        let (timer, timer_thread) = Timer::start(registry.clone(), move |why| told.fail(why))?;
        let log = Box::new(ServiceLog(service.clone()));
        let limit = match settings.number(Id::SessionWorkers) as usize {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let workers = Workers::start(log, limit, settings.time(Id::SessionPoll))?;
        let config = RwLock::new(Arc::new(Config { settings, users, session_defaults }));
        let stopping = AtomicBool::new(false);
        let shared = Arc::new(Shared { service, config, registry, timer, workers, decoy_key, stopping });
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
        let (accepting, wanted, told) = (shared.clone(), shared.clone(), shared.clone());
        let accepting = duty::spawn(
            "accept",
            move || accept_loop(&accepting, &listeners, &woken),
            move || !wanted.stopping.load(Ordering::SeqCst),
            move |why| told.service.fail(why),
        )?;
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
        memory::set_limit(settings.memory_limit_bytes());
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
            self.shared.workers.stop();
            threads.drain(..).for_each(join);
            if !empty {
                warn!(sessions = registry.connections(), "sessions did not end in time");
            }
        }
        empty || registry.connections() == 0
    }
}

impl<S: Service> Server<S> {
    /// Frees the listeners and tells the sessions to end, and waits for that for so long at most: where nothing can be answered any more, and the process is
    /// about to end.
    pub fn give_up(&self, patience: Duration) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        let _ = self.wake.shutdown(std::net::Shutdown::Both);
        let registry = &self.shared.registry;
        for backend in registry.all() {
            backend.stop(StopReason::Shutdown);
        }
        registry.wait_until_empty(Instant::now() + patience);
    }
}

impl<S: Service> Drop for Server<S> {
    fn drop(&mut self) {
        self.shutdown();
    }
}

fn join(thread: JoinHandle<()>) {
    let _ = thread.join(); // it has told if it panicked
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
    let max = shared.config().settings.number(Id::MaxConnections) as usize + EXTRA_CONNECTIONS;
    let mut secret = [0; 32];
    if let Err(e) = fill_random(&mut secret) {
        warn!(error = %e, "no randomness for a connection's secret");
        return false;
    }
    // Registered here, so that a shutdown which has joined this thread finds every connection.
    let registered = shared.registry.register(stream, secret, max);
    let thread = std::thread::Builder::new().name(format!("start {}", registered.backend.pid));
    let shared = shared.clone();
    match thread.spawn(move || shared.start_session(registered)) {
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

    /// A connection up to its session, which the workers get; a panic ends it alone (W3).
    fn start_session(self: &Arc<Shared<S>>, registered: Registered) {
        let backend = registered.backend.clone();
        let config = self.config();
        let started = catch_unwind(AssertUnwindSafe(|| self.connection(&config, &backend)));
        let (session, input, slot) = match started {
            Ok(Ok(Some(started))) => started,
            Ok(Ok(None)) => return self.finish(&backend, End::Terminated),
            Ok(Err(end)) => return self.finish(&backend, end),
            Err(panic) => return self.finish(&backend, panicked(backend.pid, &*panic)),
        };
        let id = self.workers.reserve();
        let workers = Arc::downgrade(&self.workers);
        backend.interrupt.set_on_nudge(Box::new(move || {
            if let Some(workers) = workers.upgrade() {
                workers.nudge(id);
            }
        }));
        let client = Client { session, input, slot, registered, shared: self.clone() };
        if let Err(e) = self.workers.add(id, backend.stream.fd(), Box::new(client)) {
            self.finish(&backend, e.into());
        }
    }

    /// The end of a connection.
    fn finish(&self, backend: &Backend, end: End) {
        let pid = backend.pid;
        backend.disarm();
        match end {
            End::Terminated => debug!(pid, "session ended"),
            End::Disconnected(e) => debug!(pid, error = %e, "the client is gone"),
            End::Fatal(e) => {
                if e.code == SqlState::ADMIN_SHUTDOWN {
                    debug!(pid, "session ended by shutdown");
                } else if e.code.is_for_the_log() {
                    warn!(pid, sqlstate = e.code.as_str(), error = %e, "session ended with an error");
                } else {
                    info!(pid, error = %e, "session ended with an error");
                }
                say_last_words(backend, &e);
            }
        }
        if self.config().settings.number(Id::LogConnections) == 1 {
            info!(pid, "disconnection");
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

        // 1. Who is it?
        let Some(request) = read_request(&mut input, backend, &self.registry)? else {
            return Ok(None);
        };
        request.negotiate(&mut out);
        if request.minor_version >= 2 {
            backend.use_long_secret();
        }

        // 2. May it?
        let trusted = backend.stream.is_owner();
        if !trusted && (!backend.stream.is_local() || settings.show(Id::LocalAuthentication) != "trust") {
            authenticate(&mut input, backend, &config.users, &request.user, &self.decoy_key, &mut out)?;
        }
        out.authentication(&Authentication::Ok);

        // 3. Is there room? Asked only now: who has not shown who he is takes nobody's place.
        let max = settings.number(Id::MaxConnections) as usize;
        let max = if backend.stream.is_owner() { max + OWNER_CONNECTIONS } else { max };
        let Some(slot) = self.registry.take_slot(max) else {
            return Err(End::Fatal(fatal(SqlState::TOO_MANY_CONNECTIONS, "sorry, too many clients already")));
        };
        self.registry.has_started(backend.pid);

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
            service: self.service.clone(),
            backend: backend.clone(),
            timer: self.timer.clone(),
            limits: ObjectLimits {
                statements: settings.number(Id::MaxPreparedStatements) as usize,
                portals: settings.number(Id::MaxPortals) as usize,
                bytes: settings.number(Id::SessionStatementMemory) as usize,
            },
            max_message_bytes: settings.number(Id::MaxMessageSize) as usize,
        };
        let mut session = ClientSession::new(environment, session, out);
        session.greet()?;
        Ok(Some((session, input, slot)))
    }
}

/// A session, what its client sent, and its place.
type Started<S> = (ClientSession<S>, InputBuffer, Slot);

/// A connection that has its session, as the workers serve it.
struct Client<S: Service> {
    session: ClientSession<S>,
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
        let Client { session, slot, registered, shared, .. } = *self;
        let backend = &registered.backend;
        shared.workers.forget(backend.stream.fd());
        // What it began is rolled back before the client hears of the end.
        drop(session);
        drop(slot);
        shared.finish(backend, end);
    }
}

/// A service's log.
struct ServiceLog<S: Service>(Arc<S>);

impl<S: Service> Log for ServiceLog<S> {
    fn durable_lsn(&self) -> Lsn {
        self.0.durable_lsn()
    }

    fn flush_depth(&self) -> usize {
        self.0.flush_depth()
    }

    fn wait_durable(&self, lsn: Lsn) -> bool {
        self.0.wait_durable(lsn).is_ok()
    }

    fn fail(&self, why: String) {
        self.0.fail(why);
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
    let sent = backend
        .stream
        .set_write_timeout(Some(LAST_WORDS_TIMEOUT))
        .and_then(|()| backend.stream.write_all(&out.bytes));
    match sent {
        Ok(()) => backend.stream.linger(LAST_WORDS_TIMEOUT),
        Err(e) => debug!(pid = backend.pid, error = %e, "the client did not take its last message"),
    }
}
