//! A running server: listeners, the start and the end of connections, shutdown.
//!
//! Duty: accept connections, and end them all. What becomes of one stands in `connection.rs`.
//!
//! Stopping: no new connections; each session is told to end, its client gets 57P01; a client that does not even take that
//! message is cut off after [`LAST_WORDS_TIMEOUT`]; sessions that still run after [`SHUTDOWN_GRACE`] are left to the engine's
//! own closing.
//!
//! It must not know the protocol beyond the last error message.

use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use evenkeel::Lsn;
use evenkeel::base::duty;
use evenkeel_client::certificate::Certificate;
use evenkeel_sql::{ClientCertificateShown, Configured, ConnectionShown, Given, ServerHooks, TlsShown};
use evenkeel_types::guard::memory;
use parking_lot::{Mutex, RwLock};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing::{debug, error, info, warn};

use crate::analyzer::Analyzer;
use crate::auth::{Users, fill_random};
use crate::backend::{Backend, Registry, StopReason};
use crate::hba::{self, BadRules, Mapping, Rule};
pub use crate::listener::OWNER_PORT;
pub use crate::listener::StartError;
use crate::listener::{Listener, bind_all, bind_owner};
use crate::monitor::{self, Monitor};
use crate::otlp;
use crate::replication::Senders;
use crate::service::Service;
use crate::settings::{Id, ServerSettings};
use crate::stream::Stream;
use crate::timer::Timer;
use crate::tls::Tls;
use crate::workers::{Log, Workers};

/// So many more than `max_connections` may be starting at a time, apart from those that have started: whoever has been at it longest gives way to the next, so
/// that many who say nothing keep nobody out.
const EXTRA_CONNECTIONS: usize = 32;
/// How long a client may take to accept its last message.
pub(crate) const LAST_WORDS_TIMEOUT: Duration = Duration::from_secs(1);
/// How long standbys may take to confirm the last of the log.
const LAST_LOG_TIMEOUT: Duration = Duration::from_secs(3);
/// How long sessions may take to end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);
/// Pause after the system refused a connection or thread.
const REFUSED_PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// What may change at a reload.
#[derive(Debug)]
pub(crate) struct Config {
    pub settings: ServerSettings,
    pub users: Users,
    /// Of what encrypted connections are made, if they are.
    pub tls: Option<Arc<Tls>>,
    /// Who may come in; None: there is no file that says so.
    pub rules: Option<Arc<Vec<Rule>>>,
    pub mappings: Arc<Vec<Mapping>>,
}

/// What all threads of a server share.
pub(crate) struct Shared<S: Service> {
    pub service: Arc<S>,
    pub config: RwLock<Arc<Config>>,
    /// What sessions begin with, and heed.
    pub configured: Arc<Configured>,
    pub registry: Arc<Registry>,
    pub timer: Arc<Timer>,
    pub workers: Arc<Workers>,
    pub senders: Senders,
    /// Makes the salts of users that do not exist.
    pub decoy_key: [u8; 32],
    pub stopping: AtomicBool,
    /// Of the database, if it has one: what names of files are relative to.
    pub folder: Option<PathBuf>,
}

/// Bound listeners that nobody accepts on yet: their clients wait. To be bound before a database is opened, so that an address
/// which cannot be had is found out before anything is created or recovered.
#[derive(Debug)]
pub struct Listeners {
    listeners: Vec<Listener>,
    metrics: Option<TcpListener>,
    folder: Option<PathBuf>,
}

impl Listeners {
    /// Binds what the settings name.
    /// `folder`: the database's, open or not.
    pub fn bind(
        settings: &ServerSettings,
        users: &Users,
        folder: Option<&Path>,
    ) -> Result<Listeners, StartError> {
        let guarded = !users.is_empty() || folder.is_some_and(hba::exists);
        Ok(Listeners {
            listeners: bind_all(settings, guarded)?,
            metrics: monitor::bind(settings)?,
            folder: folder.map(Path::to_path_buf),
        })
    }

    /// Binds one more, in the folder of the database, which is open: for its owner, who needs no password. See [`OWNER_PORT`].
    pub fn bind_in_folder(&mut self, folder: &Path) -> Result<(), StartError> {
        self.listeners.push(bind_owner(folder)?);
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
    analyzer: Arc<Analyzer>,
    monitor: Option<Monitor>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<S: Service> Server<S> {
    /// Binds the listeners and starts to accept. `session_defaults` are settings that every session starts with.
    pub fn start(
        service: Arc<S>,
        settings: ServerSettings,
        users: Users,
        session_defaults: Vec<(String, Given)>,
    ) -> Result<Server<S>, StartError> {
        let listeners = Listeners::bind(&settings, &users, None)?;
        Server::start_on(listeners, service, settings, users, session_defaults)
    }

    /// Starts to accept on listeners that are bound already, for the same settings and users.
    pub fn start_on(
        listeners: Listeners,
        service: Arc<S>,
        settings: ServerSettings,
        users: Users,
        session_defaults: Vec<(String, Given)>,
    ) -> Result<Server<S>, StartError> {
        let (superusers, others) =
            (settings.number(Id::SuperuserReservedConnections), settings.number(Id::ReservedConnections));
        let max = settings.number(Id::MaxConnections);
        if superusers + others >= max {
            return Err(StartError::Reserved { superusers, others, max });
        }
        memory::set_limit(settings.memory_limit_bytes());
        let Listeners { listeners, metrics, folder } = listeners;
        let tls = Tls::load(&settings, folder.as_deref())?;
        let spans = otlp::start(&settings)?;
        let rules = hba::load(folder.as_deref(), tls.is_some())?.map(Arc::new);
        let mappings = Arc::new(hba::load_maps(folder.as_deref()).unwrap_or_else(|e| {
            warn!("{e}: nobody is let in by way of it");
            Vec::new()
        }));
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
        let config = RwLock::new(Arc::new(Config { settings, users, tls, rules, mappings }));
        let stopping = AtomicBool::new(false);
        let senders = Senders::default();
        let shown = senders.clone();
        let shared = Arc::new(Shared {
            service,
            config,
            configured: Configured::new(session_defaults),
            registry,
            timer,
            workers,
            senders,
            decoy_key,
            stopping,
            folder,
        });
        let (weak, port) = (Arc::downgrade(&shared), addresses.first().map(SocketAddr::port));
        let (ruled, mapped) = (weak.clone(), weak.clone());
        let (sessions, connected) = (shared.registry.clone(), shared.registry.clone());
        shared.service.set_server(ServerHooks {
            settings: Box::new(move || match weak.upgrade() {
                Some(shared) => shared.config().settings.rows(port),
                None => Vec::new(),
            }),
            terminate: Box::new(move |pid| sessions.stop(pid, StopReason::Shutdown)),
            wal_senders: Box::new(move || shown.all()),
            connections: Box::new(move || connected.started().iter().map(|b| connection_shown(b)).collect()),
            log_files: Box::new(crate::log::paths),
            rotate_log: Box::new(crate::log::rotate),
            hba_rules: Box::new(move || match ruled.upgrade() {
                Some(s) => hba::shown(s.folder.as_deref(), s.config().settings.number(Id::Ssl) != 0),
                None => Vec::new(),
            }),
            ident_mappings: Box::new(move || match mapped.upgrade() {
                Some(s) => hba::maps_shown(s.folder.as_deref()),
                None => Vec::new(),
            }),
            spans,
        });
        let (wake, woken) = UnixStream::pair()?;
        let (accepting, wanted, told) = (shared.clone(), shared.clone(), shared.clone());
        let accepting = duty::spawn(
            "accept",
            move || accept_loop(&accepting, &listeners, &woken),
            move || !wanted.stopping.load(Ordering::SeqCst),
            move |why| told.service.fail(why),
        )?;
        let told = shared.service.clone();
        let (analyzer, analyzing) = Analyzer::start(shared.clone(), move |why| told.fail(why))?;
        for address in &addresses {
            info!(%address, "listening");
        }
        for socket in &sockets {
            info!(socket = %socket.display(), "listening");
        }
        let monitor = metrics.map(|listener| Monitor::start(listener, &shared)).transpose()?;
        let threads = Mutex::new(vec![accepting, timer_thread, analyzing]);
        Ok(Server { shared, addresses, sockets, wake, analyzer, monitor, threads })
    }

    /// The TCP addresses it listens on.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where its metrics are, if it shows them.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.monitor.as_ref().map(Monitor::address)
    }

    /// The Unix sockets it listens on.
    pub fn unix_sockets(&self) -> &[PathBuf] {
        &self.sockets
    }

    /// Takes over what may change while it runs; names the settings that need a restart. Sessions that have started take over
    /// their settings, and keep the limits of memory they started with.
    pub fn reload(
        &self,
        new: &ServerSettings,
        users: Users,
        session_defaults: Vec<(String, Given)>,
    ) -> Vec<&'static str> {
        let mut config = self.shared.config.write();
        let mut settings = config.settings.clone();
        let need_restart = settings.reload(new);
        memory::set_limit(settings.memory_limit_bytes());
        if let Some(folder) = &self.shared.folder {
            crate::log::configure(&settings, folder);
        }
        if settings.synchronous() != config.settings.synchronous() {
            self.shared.service.set_synchronous(settings.synchronous());
        }
        let folder = self.shared.folder.as_deref();
        let kept = |e: &BadRules| error!("{} was not reloaded", e.file());
        let rules = hba::load(folder, settings.number(Id::Ssl) != 0).inspect_err(kept);
        let rules = match rules {
            Ok(None) if config.rules.is_some() => {
                // Doors do not open because a file has gone.
                error!("there is no {} any more: its rules stay in force", hba::RULES);
                config.rules.clone()
            }
            Ok(rules) => rules.map(Arc::new),
            Err(_) => config.rules.clone(),
        };
        let mappings = hba::load_maps(folder).inspect_err(kept);
        let mappings = mappings.map_or_else(|_| config.mappings.clone(), Arc::new);
        let tls = Tls::load(&settings, folder).unwrap_or_else(|e| {
            error!("{e}");
            error!("SSL configuration was not reloaded");
            config.tls.clone()
        });
        *config = Arc::new(Config { settings, users, tls, rules, mappings });
        self.shared.configured.set(session_defaults);
        need_restart
    }

    /// The value of a setting of the server, or of one that the configuration gives sessions, as SHOW prints it.
    pub fn shown(&self, name: &str) -> Option<String> {
        let own = self.shared.config().settings.rows(None).into_iter().find(|row| row.name == name);
        own.map(|row| row.value).or_else(|| self.shared.configured.value(name))
    }

    /// The standbys that the settings name, as they are now.
    pub fn synchronous(&self) -> Option<evenkeel::Synchronous> {
        self.shared.config().settings.synchronous()
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
        self.analyzer.stop();
        let mut threads = self.threads.lock();
        let deadline = Instant::now() + SHUTDOWN_GRACE;
        let registry = &self.shared.registry;
        let mut empty = false;
        if !threads.is_empty() {
            join(threads.remove(0));
            // Sessions first; who follows the log gets what they did before it is told to end.
            let senders = &self.shared.senders;
            for backend in registry.all().iter().filter(|b| !senders.has(b.pid)) {
                backend.stop(StopReason::Shutdown);
            }
            registry.wait_until(Instant::now() + LAST_WORDS_TIMEOUT, |pid| senders.has(pid));
            if !senders.is_empty() {
                // What was committed without a wait, too. If it cannot be made durable, the engine has said so.
                let _ = self.shared.service.wait_durable(self.shared.service.newest().local);
                senders.finish(Instant::now() + LAST_LOG_TIMEOUT);
            }
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
        self.analyzer.stop();
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

/// As `pg_stat_ssl` has it.
fn connection_shown(backend: &Backend) -> ConnectionShown {
    let client = |c: &Certificate| ClientCertificateShown {
        subject: c.subject(),
        serial: c.serial(),
        issuer: c.issuer(),
    };
    let tls = backend.stream.tls().map(|tls| TlsShown {
        version: tls.version,
        cipher: tls.cipher.clone(),
        bits: tls.bits,
        client: tls.client.as_deref().map(client),
    });
    ConnectionShown { pid: backend.pid, tls }
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
    let (shared, backend) = (shared.clone(), registered.backend.clone());
    match thread.spawn(move || shared.start_session(registered)) {
        Ok(_) => true,
        Err(e) => {
            warn!(error = %e, "could not start a thread for a connection");
            // As PostgreSQL says it, in the old protocol's form: nobody has asked for one yet.
            let _ = backend.stream.write_now(no_thread(&e).as_bytes());
            false
        }
    }
}

/// What a client is told for which the system has no thread.
fn no_thread(e: &std::io::Error) -> String {
    let why = e.to_string();
    let why = why.split(" (os error").next().unwrap_or_default();
    format!("Ecould not fork new process for connection: {why}\n\0")
}

impl<S: Service> Shared<S> {
    pub fn config(&self) -> Arc<Config> {
        self.config.read().clone()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// libpq takes it for an error of a server that speaks the old protocol, and shows it.
    #[test]
    fn who_gets_no_thread_is_told_in_the_old_form() {
        let told = no_thread(&std::io::Error::from_raw_os_error(11));
        let expected = "Ecould not fork new process for connection: Resource temporarily unavailable\n\0";
        assert_eq!(told, expected);
    }
}
