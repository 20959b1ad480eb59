#![doc = include_str!("README.md")]

mod crash;
mod files;
mod from_archive;
mod load;
mod postgres;
mod run;
mod show;
mod tpcc;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use crate::bench_checkpoints::{Error, Progress};
use crate::disturbance::Disturbance;
pub use load::Mix;
pub use run::run;
pub use show::write_text;
pub(crate) use show::{HEADINGS, cells_of};

const NAME: &str = "evenkeel bench recovery";

/// From what a database is recovered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Its own folder, after a kill.
    Crash,
    /// A base backup from before the load, and the archive with page images as they were.
    Copied,
    /// The same without images (S22).
    Stripped,
}

impl Source {
    /// As the table names it.
    pub fn name(self) -> &'static str {
        match self {
            Source::Crash => "crash",
            Source::Copied => "archive, copied",
            Source::Stripped => "archive, stripped",
        }
    }
}

/// A line of the table for one of our databases.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// From what.
    pub source: Source,
    /// The log was written with page images (`full_page_writes`); else under `double_write`.
    pub images: bool,
    /// `recovery_prefetch`.
    pub prefetch: bool,
}

/// Every combination that makes sense: those of thread E, and crash recovery.
pub fn rows(crash: bool, archive: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let kinds = [(Source::Crash, true), (Source::Crash, false)].into_iter().filter(|_| crash);
    let archived = [(Source::Copied, false), (Source::Copied, true), (Source::Stripped, true)]
        .into_iter()
        .filter(|_| archive);
    for (source, images) in kinds.chain(archived) {
        rows.extend([false, true].map(|prefetch| Row { source, images, prefetch }));
    }
    rows
}

/// A PostgreSQL to start for the measurement.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// The folder with `initdb` and `postgres`.
    pub bin: PathBuf,
    /// Settings of its configuration file.
    pub settings: Vec<(String, String)>,
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// Lines of our own.
    pub rows: Vec<Row>,
    /// A PostgreSQL beside them.
    pub postgres: Option<PostgresOptions>,
    /// The pgbench to use.
    pub pgbench: PathBuf,
    /// The transactions.
    pub mix: Mix,
    /// pgbench's clients.
    pub clients: u32,
    /// Its threads.
    pub jobs: u32,
    /// Their scale: of pgbench's tables, or warehouses.
    pub scale: u32,
    /// Seconds of load before the kill.
    pub seconds: u32,
    /// Recoveries of each line; medians are shown.
    pub runs: u32,
    /// Settings of all our lines.
    pub settings: Vec<(String, String)>,
    /// Make the folders here. None: the current folder.
    pub data: Option<PathBuf>,
    /// The program that serves.
    pub program: PathBuf,
    /// The command line as it may be shown.
    pub command: String,
}

/// What the load did before the kill.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loaded {
    /// Which: a line's `load` is its place in the list.
    pub label: String,
    /// Transactions that were confirmed.
    pub transactions: u64,
    /// Of them a second.
    pub tps: f64,
    /// Log that it wrote, bytes.
    pub log_bytes: Option<u64>,
    /// Page images in it.
    pub images: Option<u64>,
}

/// One recovery.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Trial {
    /// From the start of the program, or of the replay of an archive, until it could be used.
    pub seconds: f64,
    /// Of these, redo.
    pub redo_s: Option<f64>,
    /// Read from the disk, bytes.
    pub read_bytes: Option<u64>,
    /// What the machine did meanwhile.
    #[serde(default)]
    pub disturbance: Option<Disturbance>,
}

/// A line of the table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// What was recovered.
    pub label: String,
    /// Prefetching.
    pub prefetch: Option<bool>,
    /// The load.
    pub load: usize,
    /// The archive's bytes, log only.
    pub archive_bytes: Option<u64>,
    /// Each recovery.
    pub trials: Vec<Trial>,
    /// The median one, figure by figure.
    pub median: Trial,
}

impl Line {
    /// Its label, with what is prefetched.
    pub fn name(&self) -> String {
        let prefetch = match self.prefetch {
            Some(true) => ", prefetch",
            Some(false) => ", no prefetch",
            None => "",
        };
        format!("{}{prefetch}", self.label)
    }
}

/// All of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// How to measure it again.
    pub command: String,
    /// On what.
    pub machine: String,
    /// Under which load, in words.
    pub load: String,
    /// What the loads did.
    pub loads: Vec<Loaded>,
    /// The lines.
    pub lines: Vec<Line>,
    /// Why the figures may mislead.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Report {
    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain values")
    }
}
