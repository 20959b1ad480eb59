#![doc = include_str!("README.md")]

pub(crate) mod consistency;
mod load;
mod random;
mod run;
pub mod schema;
mod show;
pub mod statements;
mod terminal;

use serde::{Deserialize, Serialize};

use crate::bench_checkpoints::Event;
use crate::bench_checkpoints::events::Happened;
use crate::curve::Curve;
use crate::disturbance::Disturbance;
use crate::turns::Wanted;

pub use run::run;
pub use show::write_text;

/// More warehouses than any disk here holds; each takes about 100 MB.
pub const WAREHOUSES_MAX: u32 = 10_000;

/// The transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Kind {
    /// Takes an order.
    NewOrder,
    /// Takes a payment.
    Payment,
    /// Looks at a customer's last order.
    OrderStatus,
    /// Delivers an order of each district.
    Delivery,
    /// Counts what is running out.
    StockLevel,
}

/// All, in the specification's order.
pub const KINDS: [Kind; 5] =
    [Kind::NewOrder, Kind::Payment, Kind::OrderStatus, Kind::Delivery, Kind::StockLevel];

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NewOrder => "New-Order",
            Kind::Payment => "Payment",
            Kind::OrderStatus => "Order-Status",
            Kind::Delivery => "Delivery",
            Kind::StockLevel => "Stock-Level",
        }
    }

    /// How long its input is keyed (5.2.5.7), seconds.
    fn key_seconds(self) -> f64 {
        match self {
            Kind::NewOrder => 18.0,
            Kind::Payment => 3.0,
            _ => 2.0,
        }
    }

    /// How long is thought after it, on average (5.2.5.7), seconds.
    fn think_seconds(self) -> f64 {
        match self {
            Kind::NewOrder | Kind::Payment => 12.0,
            Kind::OrderStatus => 10.0,
            _ => 5.0,
        }
    }

    /// Of a hundred ninety must be answered within this (5.2.5.7), seconds.
    pub fn response_seconds_max(self) -> f64 {
        if self == Kind::StockLevel { 20.0 } else { 5.0 }
    }
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which servers.
    pub servers: Wanted,
    /// Size of the tables.
    pub warehouses: u32,
    /// Terminals: connections that run one transaction after another.
    pub terminals: u32,
    /// They key and think.
    pub think: bool,
    /// Transactions of all terminals are due along it (W5), and response times count from then.
    pub curve: Option<Curve>,
    /// What happens beside it (W5).
    pub events: Vec<Event>,
    /// The statements for the lines of an order are sent as batches.
    pub batches: bool,
    /// Seconds of a run that count.
    pub seconds: u32,
    /// Seconds of load before them.
    pub warm_up_seconds: u32,
    /// Runs of each server.
    pub runs: u32,
    /// Of the tables and the terminals' choices.
    pub seed: u64,
    /// Leave the tables, and take them as they are if they are there.
    pub keep: bool,
    /// The command line, as it may be shown.
    pub command: String,
}

/// What was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The command line.
    pub command: String,
    /// Processors, system and disk.
    pub machine: String,
    /// Size of the tables.
    pub warehouses: u32,
    /// Connections.
    pub terminals: u32,
    /// Whether they keyed and thought.
    pub think: bool,
    /// The rate that they followed.
    #[serde(default)]
    pub curve: Option<String>,
    /// Whether the lines of an order were sent as batches.
    pub batches: bool,
    /// Seconds of a run.
    pub seconds: u32,
    /// Each server's.
    pub servers: Vec<Server>,
    /// Why the figures may mislead.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// A server's figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Server {
    /// Product and version.
    pub name: String,
    /// Settings that say how durable its commits are, and what they cost.
    pub settings: Vec<(String, String)>,
    /// Seconds that filling its tables took; None: they were there.
    pub load_seconds: Option<f64>,
    /// New orders a minute of each run, those that are rolled back included.
    pub new_orders_per_minute: Vec<f64>,
    /// Of all runs together.
    pub kinds: Vec<Figures>,
    /// Transactions that were due within the counted time, and not begun long after it: they count with what they had waited.
    #[serde(default)]
    pub unfinished: u64,
    /// Transactions that were run again after a deadlock or a failed serialization.
    pub run_again: u64,
    /// All conditions of 3.3.2 held in the end.
    pub consistent: bool,
    /// What happened beside them, in all runs; seconds since the counted time of its run began.
    #[serde(default)]
    pub events: Vec<Happened>,
    /// What checkpoints did, run by run (W7).
    #[serde(default)]
    pub checkpoints: Vec<Checkpoints>,
    /// What the machine did meanwhile, over the runs.
    #[serde(default)]
    pub disturbance: Option<Disturbance>,
}

/// Response times of a kind of transaction, milliseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // They are what their names say.
pub struct Figures {
    pub kind: String,
    pub count: u64,
    pub mean_ms: f64,
    pub deviation_ms: f64,
    pub p50_ms: f64,
    pub p90_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
    /// How many took how long, nanoseconds to three digits: to pool with those of other measurements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<(u64, u64)>,
}

/// What checkpoints did in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checkpoints {
    /// Checkpoints, or cycles of rounds, that ended.
    pub cycles: f64,
    /// Seconds of writing in one.
    pub write_s: Option<f64>,
    /// Seconds of syncing in one.
    pub sync_s: Option<f64>,
}
