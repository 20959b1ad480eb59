//! What an operator sees of a running server, by HTTP: metrics for Prometheus, and a live page for browsers.
//!
//! Duty: the listener of `metrics_listen`. Who may see it stands in `access.rs`, what there is in `export.rs` and `page.rs`.
//!
//! Invariants:
//! 1. Nothing here changes anything: requests are GET or HEAD.
//! 2. What is seen elsewhere than on this machine is encrypted: on an address that is not loopback nothing is answered without TLS.
//! 3. Nothing here takes a latch that a commit waits for, and nothing waits for it: answers are made on a thread of its own, one at a time, from counters.
//!
//! It must not know how figures are counted.

mod access;
mod export;
mod families;
mod page;
mod process;

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tracing::{debug, info};

use crate::http::{Answer, Handler, HttpServer, Request, Way};
use crate::listener::StartError;
use crate::server::{Config, Shared};
use crate::service::Service;
use crate::settings::{Id, ServerSettings};
use crate::stream::is_loopback;
use access::{Access, read_token};
use export::Told;
use page::{Around, Lookout};
use process::Process;

const PLAIN: &str = "text/plain; charset=utf-8";
/// How often the archive is asked for its backups; it may be far away, and cost.
const LOOK_FOR_BACKUPS: Duration = Duration::from_secs(300);

/// Binds what `metrics_listen` names; None: nothing.
pub(crate) fn bind(settings: &ServerSettings) -> Result<Option<TcpListener>, StartError> {
    let text = settings.text(Id::MetricsListen).trim();
    if text.is_empty() {
        return Ok(None);
    }
    let address = crate::listener::resolve_one(text)?;
    if !is_loopback(&address) && settings.number(Id::Ssl) == 0 {
        return Err(StartError::MetricsInTheOpen(address)); // (2)
    }
    let bound = TcpListener::bind(address);
    Ok(Some(
        bound.map_err(|source| StartError::Bind { what: format!("{address} (metrics_listen)"), source })?,
    ))
}

/// The listener, at work until it is dropped.
pub(crate) struct Monitor {
    server: HttpServer,
}

impl Monitor {
    /// Starts to answer.
    pub fn start<S: Service>(listener: TcpListener, shared: &Arc<Shared<S>>) -> std::io::Result<Monitor> {
        let local = listener.local_addr()?;
        let handler = Shown {
            shared: Arc::downgrade(shared),
            local: is_loopback(&local),
            scrapes: AtomicU64::new(0),
            config: Mutex::new(None),
            backups: Arc::default(),
            top: Lookout::default(),
        };
        let server = HttpServer::start(listener, "metrics", Arc::new(handler))?;
        info!(address = %server.address(), "metrics are shown");
        Ok(Monitor { server })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }
}

/// What was last made of a configuration.
struct Read {
    of: Weak<Config>,
    hosts: Vec<String>,
    token: Option<String>,
}

struct Shown<S: Service> {
    shared: Weak<Shared<S>>,
    local: bool,
    scrapes: AtomicU64,
    config: Mutex<Option<Arc<Read>>>,
    backups: Arc<Backups>,
    top: Lookout,
}

impl<S: Service> Shown<S> {
    /// What the settings come to: read anew when they have been.
    fn read(&self, shared: &Shared<S>, config: &Arc<Config>) -> Arc<Read> {
        let mut kept = self.config.lock();
        if let Some(read) = kept.as_ref().filter(|r| std::ptr::eq(r.of.as_ptr(), Arc::as_ptr(config))) {
            return read.clone();
        }
        let file = config.settings.text(Id::MetricsTokenFile);
        let folder = shared.folder.as_deref().unwrap_or(std::path::Path::new(""));
        let read = Arc::new(Read {
            of: Arc::downgrade(config),
            hosts: config.settings.list(Id::MetricsHosts),
            token: if file.is_empty() { None } else { read_token(&folder.join(file)) },
        });
        *kept = Some(read.clone());
        read
    }

    fn metrics(&self, shared: &Shared<S>, config: &Config, accept: Option<&str>) -> Answer {
        let began = Instant::now();
        let observed = shared.service.observe();
        let is_made = observed.as_ref().is_some_and(|o| o.backup.is_some());
        let told = Told {
            last_backup_s: self.backups.latest_s(&*shared.service, is_made),
            standby: if observed.is_none() { shared.service.observe_standby() } else { None },
            observed,
            process: Process::now(),
            connections: shared.registry.connections() as u64,
            max_connections: config.settings.number(Id::MaxConnections),
            scrapes: self.scrapes.fetch_add(1, Ordering::Relaxed) + 1,
            gathered_s: began.elapsed().as_secs_f64(),
        };
        let (text, kind) = export::encode(told, accept);
        Answer::new(200, kind, text)
    }

    fn live(&self, shared: &Shared<S>, config: &Config) -> Answer {
        let (status, said) = match shared.service.observe() {
            None => {
                let why = match shared.service.observe_standby() {
                    Some(_) => {
                        "it is a standby that cannot be read: hot_standby is off, or it has log to replay first"
                    }
                    None => "the database cannot be used yet",
                };
                (503, serde_json::json!({ "why": why }))
            }
            Some(observed) => {
                let around = Around {
                    connections: shared.registry.connections() as u64,
                    max_connections: config.settings.number(Id::MaxConnections),
                    last_backup_s: self.backups.latest_s(&*shared.service, observed.backup.is_some()),
                };
                let top = self.top.get(|| shared.service.statements());
                (200, page::snapshot(&observed, &top, &around))
            }
        };
        Answer::new(status, "application/json", said.to_string())
    }
}

impl<S: Service> Handler for Shown<S> {
    fn answer(&self, request: &Request) -> Answer {
        let Some(shared) = self.shared.upgrade() else {
            return Answer::new(503, PLAIN, "It is about to end.\n");
        };
        let config = shared.config();
        let read = self.read(&shared, &config);
        let access = Access {
            service: &*shared.service,
            users: &config.users,
            decoy_key: &shared.decoy_key,
            hosts: &read.hosts,
            token: read.token.as_deref(),
        };
        let mut answer = match access.check(request) {
            Err(refused) => refused,
            Ok(()) if !matches!(request.method.as_str(), "GET" | "HEAD") => {
                let mut refused = Answer::new(405, PLAIN, "Only GET and HEAD are understood.\n");
                refused.headers.push(("allow", "GET, HEAD".into()));
                refused
            }
            Ok(()) => match request.path.as_str() {
                "/metrics" => self.metrics(&shared, &config, request.accept.as_deref()),
                "/live.json" => self.live(&shared, &config),
                path => page::part(path)
                    .unwrap_or_else(|| Answer::new(404, PLAIN, "There is / for browsers, and /metrics.\n")),
            },
        };
        answer.headers.extend([
            ("cache-control", "no-store".to_owned()),
            ("x-content-type-options", "nosniff".to_owned()),
        ]);
        answer
    }

    fn way(&self) -> Way {
        let Some(shared) = self.shared.upgrade() else { return Way::Closed };
        match &shared.config().tls {
            Some(tls) => Way::Encrypted(tls.http.clone()),
            None if self.local => Way::Plain,
            None => Way::Closed, // (2)
        }
    }
}

/// When the latest backup ended. The archive is asked on a thread of its own, once in a while.
#[derive(Default)]
struct Backups(Mutex<Looked>);

#[derive(Default)]
struct Looked {
    latest_s: Option<f64>,
    at: Option<Instant>,
    is_looking: bool,
    is_made: bool,
}

impl Backups {
    /// `is_made`: one is being made, after which what was found is old.
    fn latest_s<S: Service>(self: &Arc<Self>, service: &S, is_made: bool) -> Option<f64> {
        let mut looked = self.0.lock();
        let was_made = std::mem::replace(&mut looked.is_made, is_made) && !is_made;
        let is_old = was_made || looked.at.is_none_or(|at| at.elapsed() > LOOK_FOR_BACKUPS);
        if is_old
            && !looked.is_looking
            && let Some(store) = service.archive_store()
        {
            let to = self.clone();
            let look = move || {
                let found = evenkeel::archive::backups(&*store);
                let mut looked = to.0.lock();
                (looked.at, looked.is_looking) = (Some(Instant::now()), false);
                match found {
                    Ok(found) => {
                        let ended = found.iter().filter_map(|f| f.manifest()).map(|m| m.ended_ms).max();
                        looked.latest_s = ended.map(|ms| ms as f64 / 1000.0);
                    }
                    Err(e) => debug!(error = %e, "the archive's backups could not be listed"),
                }
            };
            looked.is_looking = std::thread::Builder::new().name("backups".into()).spawn(look).is_ok();
        }
        looked.latest_s
    }
}
