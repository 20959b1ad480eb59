//! Servers that take turns in a measurement over the wire: ours, started on a new database or found at an address, and others; and how far it all is.
//!
//! Invariants
//! 1. A server of ours that was started ends with its folder, also after an error.
//!
//! It must not know what is measured.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::bench_checkpoints::own_server::OwnServer;
use crate::bench_checkpoints::prepare::CONTROL_NAME;
use crate::bench_checkpoints::temporary::TemporaryDir;
use crate::bench_checkpoints::{Error, Progress, Row, System, server_error};
use crate::bench_commits::wire::name_of;
use crate::machine::in_memory;
use evenkeel_client::{ConnString, Connection};

const NAME: &str = "evenkeel";
/// What decides whether a commit is durable, what that costs, and what statements may take.
const SETTINGS: [&str; 7] = [
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_sync_method",
    "shared_buffers",
    "max_wal_size",
    "work_mem",
];

/// Which servers.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The first; None: ours is started on a new database.
    pub url: Option<ConnString>,
    /// More, which take turns with it.
    pub against: Vec<ConnString>,
    /// Settings of our server.
    pub settings: Vec<(String, String)>,
    /// Where its folder is made.
    pub data: Option<PathBuf>,
    /// Our program.
    pub program: PathBuf,
}

impl Wanted {
    /// Where our server's folder is made.
    pub(crate) fn parent(&self) -> &Path {
        self.data.as_deref().unwrap_or(Path::new("."))
    }

    /// Says so where that is no disk.
    pub(crate) fn in_memory(&self) -> Option<String> {
        if self.url.is_some() { None } else { in_memory(self.parent()) }
    }
}

/// A server that answers.
pub(crate) struct Served {
    pub to: ConnString,
    /// Product and version.
    pub name: String,
    pub settings: Vec<(String, String)>,
    /// It was started for this, and goes.
    pub is_own: bool,
}

/// How far it all is.
pub(crate) struct Clock<'a> {
    begin: Instant,
    /// What is to come, about.
    pub left_s: f64,
    pub stop: &'a AtomicBool,
    progress: &'a mut dyn Progress,
}

impl<'a> Clock<'a> {
    pub fn new(left_s: f64, stop: &'a AtomicBool, progress: &'a mut dyn Progress) -> Clock<'a> {
        Clock { begin: Instant::now(), left_s, stop, progress }
    }

    pub fn tell(&mut self, what: &str) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let done_s = self.begin.elapsed().as_secs_f64();
        self.progress.at(done_s, done_s + self.left_s, what);
        Ok(())
    }
}

/// Starts what is to be started, and has something measured on all. `remove` clears a server that stays. Blocks.
pub(crate) fn with_servers<T>(
    wanted: &Wanted,
    connections: u32,
    clock: &mut Clock<'_>,
    measure: impl FnOnce(&[Served], &mut Clock<'_>) -> Result<T, Error>,
    remove: impl Fn(&Served) -> Result<(), Error>,
) -> Result<T, Error> {
    let mut own = None;
    let first = match &wanted.url {
        Some(url) => url.clone(),
        None => {
            clock.tell("starting the server")?;
            let folder = TemporaryDir::new(wanted.parent(), "evenkeel-bench")?;
            let system = System::Own { preset: None, settings: wanted.settings.clone(), held_back: false };
            let row = Row { label: NAME.into(), system };
            let (data, words) = (folder.path().join("data"), folder.path().join("words"));
            let server =
                OwnServer::start(&wanted.program, &data, &row, connections, None, words, clock.stop)?;
            let to = server.to().clone();
            own = Some((server, folder));
            to
        }
    };
    let mut servers = Vec::new();
    for (n, to) in [&first].into_iter().chain(&wanted.against).enumerate() {
        servers.push(served(to, n == 0 && own.is_some())?);
    }
    let measured = measure(&servers, clock);
    for server in servers.iter().filter(|s| !s.is_own) {
        let removed = remove(server);
        if measured.is_ok() {
            removed?;
        }
    }
    let Some((mut server, _folder)) = own else { return measured };
    let measured = measured.map_err(|e| server.explain(e))?;
    server.stop()?;
    Ok(measured)
}

fn served(to: &ConnString, is_own: bool) -> Result<Served, Error> {
    let shown = to.to_string();
    let wrong = server_error(&shown);
    let mut control = Connection::open(to, CONTROL_NAME).map_err(&wrong)?;
    let version = control.value("SELECT version()").map_err(&wrong)?.unwrap_or_default();
    let mut settings = Vec::new();
    for name in SETTINGS {
        // One that a server does not know is not told.
        if let Ok(Some(value)) = control.value(&format!("SHOW {name}")) {
            settings.push((name.to_string(), value));
        }
    }
    Ok(Served { to: to.clone(), name: name_of(&version), settings, is_own })
}
