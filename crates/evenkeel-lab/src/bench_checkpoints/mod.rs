#![doc = include_str!("README.md")]

mod chart;
mod cycles;
mod digest;
pub mod events;
pub mod figures;
mod html;
pub(crate) mod load;
pub mod minutes;
mod monitor;
mod outside;
pub(crate) mod own_server;
mod pgbench_log;
mod postgres;
pub(crate) mod prepare;
pub mod result;
pub mod rows;
mod run;
mod sampler;
mod show;
pub mod state;
mod store;
pub(crate) mod temporary;
#[cfg(test)]
pub(crate) mod tests;
mod trace;
mod watched;

use std::io;
use std::path::PathBuf;

pub use html::html;
pub(crate) use html::traces as html_traces;
pub use load::pgbench::find as find_pgbench;
pub(crate) use monitor::stolen_s;
pub(crate) use outside::shell;
pub use result::Report;
pub use rows::{Rate, Row, RowArgs, System, rows};
pub use run::run;
pub use show::write_text;
pub(crate) use show::{column_meanings, text_tables, worst_tables};
pub(crate) use watched::Watched;

pub use events::Event;

use crate::curve::Curve;
use evenkeel_client::ConnString;
use evenkeel_client::WireError;

/// More clients than any server takes.
pub const CLIENTS_MAX: u32 = 1000;
/// Accounts of one unit of scale, as pgbench has them.
pub const ACCOUNTS_PER_SCALE: u64 = 100_000;

/// What issues the transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadKind {
    /// The real pgbench, found here.
    Pgbench(PathBuf),
    /// Clients of ours over the wire, with the same statements.
    Wire,
    /// Threads in this process on the embedded engine, with the same reads and writes.
    Embedded,
}

impl LoadKind {
    /// As it is named on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            LoadKind::Pgbench(_) => "pgbench",
            LoadKind::Wire => "wire",
            LoadKind::Embedded => "embedded",
        }
    }
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// The systems, each with its settings.
    pub rows: Vec<Row>,
    /// Servers that are running already; rows name them by their place here.
    pub servers: Vec<ConnString>,
    /// What issues the transactions.
    pub load: LoadKind,
    /// Clients at the same time.
    pub clients: u32,
    /// Threads of pgbench.
    pub jobs: u32,
    /// pgbench's scale.
    pub scale: u32,
    /// Each row runs once at each of these.
    pub rates: Vec<Rate>,
    /// The rate of all rows follows it, instead of those (W5).
    pub curve: Option<Curve>,
    /// What happens now and then beside the load (W5).
    pub events: Vec<Event>,
    /// Shares are of the first row's full speed, not of each row's own.
    pub share_of_first: bool,
    /// A transaction that took longer is late; when throttled, one that could not even begin within it is skipped.
    pub limit_ms: f64,
    /// Seconds that count.
    pub seconds: u32,
    /// Seconds of load before them.
    pub warm_up_seconds: u32,
    /// Times that each row runs at each rate.
    pub runs: u32,
    /// Settings of running servers, for as long as they are measured.
    pub server_settings: Vec<(String, String)>,
    /// Load the tables anew for each run.
    pub fresh: bool,
    /// The folder of our database is made here. None: the current folder.
    pub data: Option<PathBuf>,
    /// Leave that folder, and the tables on running servers, for the next time.
    pub keep_data: bool,
    /// Leave that folder, which goes with something else.
    pub keep_folder: bool,
    /// A shell command that is run before each row of a running server, to restart it say.
    pub before_running: Option<String>,
    /// pgbench's log files go here. None: memory, or a temporary place.
    pub log_dir: Option<PathBuf>,
    /// The program that serves.
    pub program: PathBuf,
    /// Finished runs are kept in this file, and taken from it.
    pub resume: Option<PathBuf>,
    /// The command line as it may be shown.
    pub command: String,
}

impl Options {
    /// Whether clients use Unix sockets: if those of all running servers do, so do ours, and else TCP.
    pub fn over_sockets(&self) -> bool {
        !self.servers.is_empty() && self.servers.iter().all(|to| to.host.starts_with('/'))
    }
}

/// Is told how far the series is.
pub trait Progress {
    /// So many seconds of so many, about, are over; this is being done.
    fn at(&mut self, done_s: f64, total_s: f64, what: &str);
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// What was asked for makes no sense.
    #[error("{0}")]
    Options(String),
    /// The engine says no.
    #[error(transparent)]
    Engine(#[from] evenkeel::Error),
    /// A server, or the way to it.
    #[error("{name}: {source}")]
    Server {
        /// Which.
        name: String,
        /// Why.
        source: WireError,
    },
    /// A program that was started for the measurement failed.
    #[error("{program}: {why}")]
    Child {
        /// Which.
        program: String,
        /// The end of what it said.
        why: String,
    },
    /// Files.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
}

/// An I/O error with what was tried.
pub(crate) fn io_error(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
    let what = what.into();
    move |source| Error::Io { what, source }
}

/// An error of the server with this name.
pub(crate) fn server_error(name: &str) -> impl Fn(WireError) -> Error + '_ {
    move |source| Error::Server { name: name.into(), source }
}
