#![doc = include_str!("README.md")]

pub mod embedded;
mod raw;
pub mod report;
mod run;
pub(crate) mod schedule;
mod show;
#[cfg(test)]
mod tests;
pub(crate) mod window;
pub mod wire;

use std::io;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

pub use embedded::Embedded;
pub use report::Report;
pub use run::{Plan, run};
pub use show::write_text;
pub use wire::Wire;

use crate::logdisk;
use crate::logdisk::sample::Latencies;

/// More clients than any server takes.
pub const CLIENTS_MAX: u32 = 1000;
/// Longest row.
pub const BYTES_MAX: u32 = 100_000;

/// What is measured at each point.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Numbers of clients, a point each.
    pub clients: Vec<u32>,
    /// Seconds of a point that are counted.
    pub seconds: f64,
    /// Times that each point is measured.
    pub runs: u32,
    /// How many commits are asked for; None: each client commits again at once.
    pub rate: Option<Rate>,
    /// Bytes of a row besides its key.
    pub bytes: u32,
}

/// How many commits all clients together ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// So many a second.
    PerSecond(f64),
    /// This share of what the first target does at full speed with as many clients.
    Share(f64),
}

impl FromStr for Rate {
    type Err = String;

    /// `5000` or `50%`.
    fn from_str(text: &str) -> Result<Rate, String> {
        let number = |t: &str| t.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
        match text.strip_suffix('%') {
            Some(share) => number(share).filter(|n| *n <= 100.0).map(|n| Rate::Share(n / 100.0)),
            None => number(text).map(Rate::PerSecond),
        }
        .ok_or_else(|| "expected commits a second, or a percentage of full speed, up to 100%".into())
    }
}

/// One measurement.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// Clients that commit at the same time.
    pub clients: u32,
    /// Seconds that are counted, after a warm-up.
    pub seconds: f64,
    /// Commits a second of all together; None: each again at once.
    pub per_s: Option<f64>,
    /// Bytes of a row besides its key.
    pub bytes: u32,
    /// Of the arrivals.
    pub seed: u64,
    /// The user wants to stop.
    pub stop: &'a AtomicBool,
}

/// Raw counts of one measurement.
pub struct Sample {
    /// Commits confirmed in the counted time.
    pub commits: u64,
    /// That time.
    pub elapsed_ns: u64,
    /// From when a commit was due to its confirmation: of those, and of those that were due in the counted time and ended behind it.
    pub latencies: Latencies,
    /// Of the latter, what was not confirmed long after it: their latencies are at least what is counted.
    pub unfinished: u64,
    /// From when it began to its confirmation, where that may be later than due: without the wait for the client's own commits before it.
    pub own: Option<Latencies>,
    /// Commits of the whole, warm-up included; the following two go with them.
    pub all_commits: u64,
    /// Device flushes that the target counted.
    pub flushes: Option<u64>,
    /// Log bytes that it counted.
    pub log_bytes: Option<u64>,
    /// Share of one processor that the clients' thread used.
    pub generator_share: Option<f64>,
}

/// What can be measured.
pub trait Target {
    /// Product and version.
    fn name(&self) -> &str;
    /// Settings that say how durable its commits are, and what they cost.
    fn settings(&self) -> &[(String, String)];
    /// Where it is.
    fn place(&self) -> String;
    /// Whether it runs in this process, or in one that this has started.
    fn is_own(&self) -> bool {
        true
    }
    /// Whether it can be measured with so many clients.
    fn takes(&self, _clients: u32) -> bool {
        true
    }
    /// Makes a table for each client.
    fn prepare(&mut self, clients: u32) -> Result<(), Error>;
    /// Measures. Blocks for the load's time.
    fn load(&mut self, load: &Load<'_>) -> Result<Sample, Error>;
    /// Removes the tables.
    fn clean_up(&mut self) -> Result<(), Error>;
}

/// Is told how far the run is.
pub trait Progress {
    /// A measurement begins; so much of the whole is done (0 to 1).
    fn step(&mut self, share: f64, what: &str);
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The engine says no.
    #[error(transparent)]
    Engine(#[from] evenkeel::Error),
    /// A server, or the way to it.
    #[error("{name}: {source}")]
    Server {
        /// Which.
        name: String,
        /// Why.
        source: evenkeel_client::WireError,
    },
    /// The disk.
    #[error(transparent)]
    Disk(#[from] logdisk::Error),
    /// The disk, while it was written to.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// It took so little time that nothing was counted.
    #[error("{0}: nothing was committed in the given time; try more --seconds")]
    TooShort(String),
    /// Anything else.
    #[error("{0}")]
    Internal(String),
}
