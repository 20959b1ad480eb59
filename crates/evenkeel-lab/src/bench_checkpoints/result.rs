//! The result as values and as JSON.
//!
//! It must not know how anything is measured or shown.

use serde::{Deserialize, Serialize};

use super::cycles::Activity;
use super::digest::{Overall, Second};
use super::events::Happened;
use super::figures::{Figures, median_of};
use super::rows::{Rate, Row};
use super::trace::Trace;
use crate::disturbance::{Disturbance, marked};
use crate::median::quantile_of;

/// One run of one row at one rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// What ran.
    pub row: Row,
    /// What was asked for.
    pub rate: Rate,
    /// That, in transactions a second; None at full speed.
    pub rate_per_s: Option<f64>,
    /// Which of the runs, from 0.
    pub run: u32,
    /// Product and version.
    pub product: String,
    /// Settings that matter, as the server says.
    pub settings: Vec<(String, String)>,
    /// Every second.
    pub seconds: Vec<Second>,
    /// Every minute, or shorter piece of a short run.
    pub minutes: Vec<Second>,
    /// All of them.
    pub overall: Overall,
    /// Counters, second by second.
    pub trace: Trace,
    /// Checkpoints.
    pub activity: Activity,
    /// Of ours, at the end, a row for each partition: its number, redo LSN, image floor, dirty pages, unsynced files, the last round's milliseconds of writing
    /// and of syncing, images, rounds, the log's end.
    #[serde(default)]
    pub partitions: Vec<Vec<Option<String>>>,
    /// What the reader has to know.
    pub notes: Vec<String>,
    /// What the machine did meanwhile.
    #[serde(default)]
    pub disturbance: Option<Disturbance>,
    /// Transactions that the curve asked for in every second; empty without one.
    #[serde(default)]
    pub asked: Vec<f64>,
    /// What happened beside the load.
    #[serde(default)]
    pub events: Vec<Happened>,
}

impl RunResult {
    /// A setting, as the server says.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// A line of the table: a row at a rate, over its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The row's.
    pub label: String,
    /// What was asked for.
    pub rate: Rate,
    /// That, in transactions a second: the median of the runs.
    pub rate_per_s: Option<f64>,
    /// Each run.
    pub runs: Vec<Figures>,
    /// Over the runs.
    pub median: Figures,
    /// Its p99.9 against that of the control row in the same run: the median of the runs.
    pub p999_to_held_back: Option<f64>,
    /// Percentiles of the transactions of all runs together.
    pub pooled: Pooled,
    /// What the machine did meanwhile, over the runs.
    pub disturbance: Option<Disturbance>,
}

impl Line {
    /// Its label, marked if the machine spoilt it.
    pub fn marked(&self) -> String {
        marked(&self.label, self.disturbance)
    }
}

/// Of several runs together, milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pooled {
    /// Median.
    pub p50_ms: f64,
    /// 90th percentile.
    pub p90_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// 99.9th percentile.
    pub p999_ms: f64,
    /// The lowest and the highest 99.9th percentile of a single run.
    pub p999_range_ms: (f64, f64),
}

impl Pooled {
    fn of(runs: &[&RunResult]) -> Pooled {
        let mut buckets: Vec<(u64, u64)> = runs.iter().flat_map(|r| &r.overall.buckets).copied().collect();
        buckets.sort_unstable();
        let at = |quantile: f64| quantile_of(&buckets, quantile) as f64 / 1e3;
        let each = || runs.iter().map(|r| r.overall.p999_ms);
        Pooled {
            p50_ms: at(0.5),
            p90_ms: at(0.9),
            p99_ms: at(0.99),
            p999_ms: at(0.999),
            p999_range_ms: (each().reduce(f64::min).unwrap_or(0.0), each().reduce(f64::max).unwrap_or(0.0)),
        }
    }
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The command line, without passwords.
    pub command: String,
    /// Processors, system, disk.
    pub machine: String,
    /// What issued the transactions.
    pub load: String,
    /// Clients at the same time.
    pub clients: u32,
    /// pgbench's scale.
    pub scale: u32,
    /// Counted seconds of a run.
    pub seconds: u32,
    /// Seconds before them.
    pub warm_up_seconds: u32,
    /// Above it a transaction is late.
    pub limit_ms: f64,
    /// By rate, then row.
    pub lines: Vec<Line>,
    /// Every run.
    pub results: Vec<RunResult>,
    /// Why the figures may mislead.
    pub warnings: Vec<String>,
}

impl Report {
    /// The report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain values with text keys")
    }

    /// The run of a line that stands for it: the one whose p99.9 is in the middle.
    pub fn typical(&self, line: &Line) -> Option<&RunResult> {
        let mut runs: Vec<&RunResult> =
            self.results.iter().filter(|r| r.row.label == line.label && r.rate == line.rate).collect();
        runs.sort_by(|a, b| a.overall.p999_ms.total_cmp(&b.overall.p999_ms));
        runs.get(runs.len().saturating_sub(1) / 2).copied()
    }
}

/// A line for each rate and row that ran, in their order.
pub fn lines(results: &[RunResult], rates: &[Rate], rows: &[Row]) -> Vec<Line> {
    let mut out = Vec::new();
    for rate in rates {
        let control = |run: u32| {
            let mut of_rate = results.iter().filter(|r| r.rate == *rate && r.run == run);
            let ms = of_rate.find(|r| r.row.is_held_back() && rows.contains(&r.row))?.overall.p999_ms;
            Some(ms).filter(|ms| *ms > 0.0)
        };
        for row in rows {
            let runs: Vec<&RunResult> = results.iter().filter(|r| r.row == *row && r.rate == *rate).collect();
            let figures: Vec<Figures> = runs.iter().map(|r| Figures::of(r)).collect();
            let Some(median) = Figures::median(&figures) else { continue };
            let per_s: Vec<f64> = runs.iter().filter_map(|r| r.rate_per_s).collect();
            let to_held_back: Vec<f64> =
                runs.iter().filter_map(|r| Some(r.overall.p999_ms / control(r.run)?)).collect();
            out.push(Line {
                label: row.label.clone(),
                rate: *rate,
                rate_per_s: median_of(&per_s),
                runs: figures,
                median,
                p999_to_held_back: median_of(&to_held_back),
                pooled: Pooled::of(&runs),
                disturbance: Disturbance::all(runs.iter().filter_map(|r| r.disturbance)),
            });
        }
    }
    out
}
