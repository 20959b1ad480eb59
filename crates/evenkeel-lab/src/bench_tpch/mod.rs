#![doc = include_str!("README.md")]

mod load;
pub mod queries;
mod run;
pub mod schema;
mod show;
pub mod statements;

use serde::Serialize;

use crate::disturbance::Disturbance;
use crate::turns::Wanted;

pub use run::run;
pub use show::write_text;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which servers.
    pub servers: Wanted,
    /// Size of the tables: 1 is about a gigabyte of rows.
    pub scale: f64,
    /// Runs of each query that count, on each server; one goes before them.
    pub runs: u32,
    /// The queries, by their numbers; all if it is empty.
    pub only: Vec<u32>,
    /// These instead of the queries, each in a transaction that is rolled back.
    pub statements: Vec<String>,
    /// Leave the tables, and take them as they are if they are there.
    pub keep: bool,
    /// The command line, as it may be shown.
    pub command: String,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The command line.
    pub command: String,
    /// Processors, system and disk.
    pub machine: String,
    /// Size of the tables.
    pub scale: f64,
    /// The queries, or statements, by their numbers.
    pub queries: Vec<u32>,
    /// The statements that were run instead of the queries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<String>,
    /// Each server's.
    pub servers: Vec<Server>,
    /// Why the figures may mislead.
    pub warnings: Vec<String>,
}

/// A server's figures.
#[derive(Debug, Serialize)]
pub struct Server {
    /// Product and version.
    pub name: String,
    /// Settings that say what statements may take.
    pub settings: Vec<(String, String)>,
    /// Seconds that filling its tables took; None: they were there.
    pub load_seconds: Option<f64>,
    /// Seconds of each run of each query.
    pub seconds: Vec<Vec<f64>>,
    /// How many rows each query gave.
    pub rows: Vec<usize>,
    /// Queries whose rows are not the first server's; of statements, which may leave open which rows they give: whose number is not.
    pub differ: Vec<u32>,
    /// What the machine did meanwhile.
    pub disturbance: Option<Disturbance>,
}
