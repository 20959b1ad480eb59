//! The result of a run, as values and as JSON.
//!
//! It must not know how it is printed as text.

use serde::Serialize;

use super::rig::Facts;
use super::sample::Figures;
use super::spec::{Objective, Spec, Way};

/// No machine is so quiet that less would mean anything.
const MARGIN_MIN: f64 = 0.05;
/// On no machine is more needed: what is twice as quick is quicker.
const MARGIN_MAX: f64 = 0.5;

/// A part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Each method.
    Methods,
    /// What writes cost that are not durable; does it turn?
    Calibrate,
    /// Does a write that starts later end later?
    Hold,
    /// Block sizes, and writes in flight.
    Depths,
    /// The half-filled block.
    Tail,
    /// Many clients, large records.
    Streams,
    /// What the file is.
    Growth,
}

impl Phase {
    /// In the order of running.
    pub const ALL: [Phase; 7] = [
        Phase::Methods,
        Phase::Calibrate,
        Phase::Hold,
        Phase::Depths,
        Phase::Tail,
        Phase::Streams,
        Phase::Growth,
    ];

    /// As a heading.
    pub fn title(self) -> &'static str {
        match self {
            Phase::Calibrate => "calibration: writes that are not durable; writes at random times",
            Phase::Methods => "methods: one durable write after the other",
            Phase::Hold => "late starts: does a write that starts later after the last one end later?",
            Phase::Depths => "block sizes and depths: the device kept busy",
            Phase::Tail => "when to start, and the half-filled block: ganged commits, small records",
            Phase::Streams => "commit streams: many clients, large records",
            Phase::Growth => "files: prepared or growing",
        }
    }
}

/// One measurement and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Part of the run.
    pub phase: Phase,
    /// What was measured.
    pub spec: Spec,
    /// How far the medians of its two passes lay apart, as a share.
    pub spread: Option<f64>,
    /// The figures, or why there are none.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was made.
    Figures(Figures),
    /// It could not be made.
    Unavailable(String),
}

impl Row {
    /// The figures, if there are any.
    pub fn figures(&self) -> Option<&Figures> {
        match &self.outcome {
            Outcome::Figures(f) => Some(f),
            Outcome::Unavailable(_) => None,
        }
    }
}

/// A setting, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// Name.
    pub setting: String,
    /// Value.
    pub value: String,
    /// The reason, with figures.
    pub reason: String,
}

/// What a run found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What the system says of the disk.
    pub facts: Facts,
    /// Revolutions a minute, if the ends of writes show that it turns.
    pub measured_rpm: Option<f64>,
    /// How long after the end of the last write one may start that ends no later for it; 0: it ends later at once.
    pub free_hold_us: u32,
    /// All measurements, in order.
    pub rows: Vec<Row>,
    /// The machine was quiet enough for the settings to be used.
    pub reliable: bool,
    /// Differences up to this share are noise and decided nothing.
    pub margin: f64,
    /// What the settings are best at.
    pub objective: Objective,
    /// How to write the log.
    pub way: Way,
    /// The settings to use.
    pub settings: Vec<Advice>,
    /// What was found besides, with figures: block sizes, files, the half-filled block, threads or io_uring.
    pub findings: Vec<String>,
    /// Reasons not to trust the disk, or the figures.
    pub warnings: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Report {
    /// The report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain values with text keys")
    }
}

/// The rows of a run so far, and how to find one.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// In order of measurement.
    pub rows: Vec<Row>,
}

impl Table {
    /// The figures of a measurement of this phase.
    pub fn get(&self, phase: Phase, spec: &Spec) -> Option<&Figures> {
        self.rows.iter().find(|r| r.phase == phase && r.spec == *spec).and_then(Row::figures)
    }

    /// Smaller differences than this share decide nothing: twice the usual distance between two passes of the same measurement.
    pub fn margin(&self) -> f64 {
        let mut spreads: Vec<f64> = self.rows.iter().filter_map(|r| r.spread).collect();
        spreads.sort_by(f64::total_cmp);
        let usual = spreads.get(spreads.len() / 2).copied().unwrap_or(0.0);
        (2.0 * usual).clamp(MARGIN_MIN, MARGIN_MAX)
    }
}
