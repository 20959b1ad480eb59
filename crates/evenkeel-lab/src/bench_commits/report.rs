//! Figures of points and runs, their medians and ratios, as values and as JSON.
//!
//! It must not know how they are measured or printed.

use crate::disturbance::Disturbance;
use crate::logdisk::sample::Latencies;
use crate::median::median;
use serde::{Deserialize, Serialize};

use super::Sample;

/// What one run of one point gave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Commits confirmed within the window.
    pub commits: u64,
    /// Commits a second.
    pub commits_per_s: f64,
    /// Flushes a second, by the server's own count.
    pub flushes_per_s: Option<f64>,
    /// Size of a gang.
    pub commits_per_flush: Option<f64>,
    /// Log bytes of a commit.
    pub log_bytes_per_commit: Option<f64>,
    /// Median latency.
    pub p50_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// The slowest.
    pub max_ms: f64,
    /// Due within the window and not confirmed long after it: latencies are at least what is said here.
    #[serde(default)]
    pub unfinished: u64,
    /// Median and 99th percentile from when a commit began, where that may be later than due.
    pub own_p50_ms: Option<f64>,
    /// As above.
    pub own_p99_ms: Option<f64>,
    /// Share of one processor that the clients' thread used, where it is apart.
    pub generator_share: Option<f64>,
    /// What the machine did meanwhile.
    #[serde(default)]
    pub disturbance: Option<Disturbance>,
}

impl Figures {
    /// None if nothing was committed.
    pub fn of(sample: &Sample) -> Option<Figures> {
        if sample.commits == 0 || sample.elapsed_ns == 0 {
            return None;
        }
        let commits_per_s = sample.commits as f64 / (sample.elapsed_ns as f64 / 1e9);
        // Flushes were counted over the warm-up, too.
        let all = sample.all_commits as f64;
        let commits_per_flush = sample.flushes.filter(|n| *n > 0).map(|n| all / n as f64);
        Some(Figures {
            commits: sample.commits,
            commits_per_s,
            flushes_per_s: commits_per_flush.map(|gang| commits_per_s / gang),
            commits_per_flush,
            log_bytes_per_commit: sample.log_bytes.map(|n| n as f64 / all),
            p50_ms: sample.latencies.at_us(0.5) / 1e3,
            p99_ms: sample.latencies.at_us(0.99) / 1e3,
            max_ms: sample.latencies.at_us(1.0) / 1e3,
            unfinished: sample.unfinished,
            own_p50_ms: sample.own.as_ref().map(|own| own.at_us(0.5) / 1e3),
            own_p99_ms: sample.own.as_ref().map(|own| own.at_us(0.99) / 1e3),
            generator_share: sample.generator_share,
            disturbance: None,
        })
    }

    /// As [`Figures::median`], with percentiles of the transactions of all runs together.
    pub fn of_runs(runs: &[Figures], all: &Latencies, own: Option<&Latencies>) -> Option<Figures> {
        Some(Figures {
            p50_ms: all.at_us(0.5) / 1e3,
            p99_ms: all.at_us(0.99) / 1e3,
            own_p50_ms: own.map(|own| own.at_us(0.5) / 1e3),
            own_p99_ms: own.map(|own| own.at_us(0.99) / 1e3),
            ..Figures::median(runs)?
        })
    }

    /// Each figure's median over the runs; of the slowest the slowest.
    fn median(runs: &[Figures]) -> Option<Figures> {
        let of = |f: &dyn Fn(&Figures) -> f64| median(&runs.iter().map(f).collect::<Vec<_>>());
        let of_some =
            |f: &dyn Fn(&Figures) -> Option<f64>| median(&runs.iter().filter_map(f).collect::<Vec<_>>());
        Some(Figures {
            commits: runs.iter().map(|f| f.commits).sum(),
            commits_per_s: of(&|f| f.commits_per_s)?,
            flushes_per_s: of_some(&|f| f.flushes_per_s),
            commits_per_flush: of_some(&|f| f.commits_per_flush),
            log_bytes_per_commit: of_some(&|f| f.log_bytes_per_commit),
            p50_ms: of(&|f| f.p50_ms)?,
            p99_ms: of(&|f| f.p99_ms)?,
            max_ms: runs.iter().map(|f| f.max_ms).fold(0.0, f64::max),
            unfinished: runs.iter().map(|f| f.unfinished).sum(),
            own_p50_ms: of_some(&|f| f.own_p50_ms),
            own_p99_ms: of_some(&|f| f.own_p99_ms),
            generator_share: of_some(&|f| f.generator_share),
            disturbance: Disturbance::all(runs.iter().filter_map(|f| f.disturbance)),
        })
    }
}

/// One line of the table: a number of clients on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Clients.
    pub clients: u32,
    /// Commits a second that were asked for; None: as many as possible.
    pub rate_per_s: Option<f64>,
    /// Which target, by its place in the report.
    pub target: usize,
    /// Each run.
    pub runs: Vec<Figures>,
    /// Over the runs: medians, and percentiles of all transactions together.
    pub median: Figures,
    /// Commits a second of the first target against those of this one: the median over the runs.
    pub ratio: Option<f64>,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetFacts {
    /// Product and version.
    pub name: String,
    /// Where it is.
    pub place: String,
    /// Settings that matter.
    pub settings: Vec<(String, String)>,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The command line, without passwords.
    pub command: String,
    /// Processors, system, disk.
    pub machine: String,
    /// Bytes of a row besides its key.
    pub bytes: u32,
    /// Seconds of a point.
    pub seconds_per_point: f64,
    /// Runs of a point.
    pub runs: u32,
    /// What was measured; ratios compare the first with the others.
    pub targets: Vec<TargetFacts>,
    /// All points, by clients, then target.
    pub points: Vec<Point>,
    /// Why the figures may mislead.
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

#[cfg(test)]
/// Also what other tests show.
pub mod tests {
    use super::*;

    /// Two seconds with latencies of 1 to 100 ms.
    pub fn sample(commits: u64, flushes: u64) -> Sample {
        let mut latencies = Latencies::new();
        (1..=100).for_each(|ms| latencies.record(ms * 1_000_000));
        Sample {
            commits,
            elapsed_ns: 2_000_000_000,
            latencies,
            unfinished: 0,
            own: None,
            all_commits: commits * 11 / 10,
            flushes: Some(flushes),
            log_bytes: Some(commits * 11 * 20),
            generator_share: Some(0.25),
        }
    }

    #[test]
    fn figures_follow_from_the_counts() {
        let f = Figures::of(&sample(1000, 275)).unwrap();
        assert_eq!(f.commits_per_s, 500.0);
        assert_eq!(f.commits_per_flush, Some(4.0));
        assert_eq!(f.flushes_per_s, Some(125.0));
        assert_eq!(f.log_bytes_per_commit, Some(200.0));
        assert!(
            (f.p50_ms - 50.0).abs() < 0.1 && (f.p99_ms - 99.0).abs() < 0.1 && (f.max_ms - 100.0).abs() < 0.1
        );
        assert_eq!(Figures::of(&sample(0, 0)), None);
        assert_eq!(Figures::of(&sample(1000, 0)).unwrap().commits_per_flush, None);
    }

    #[test]
    fn medians_are_of_each_figure_and_the_slowest_stays_the_slowest() {
        let runs: Vec<Figures> = [100, 300, 200]
            .into_iter()
            .map(|n| Figures { max_ms: n as f64, ..Figures::of(&sample(n, 10)).unwrap() })
            .collect();
        let m = Figures::median(&runs).unwrap();
        assert_eq!((m.commits_per_s, m.max_ms, m.commits), (100.0, 300.0, 600));
        assert_eq!(Figures::median(&[]), None);
    }

    /// A stall in one run of three is not lost among the others.
    #[test]
    fn percentiles_are_of_the_transactions_of_all_runs() {
        let mut all = Latencies::new();
        let runs: Vec<Figures> = [1, 100, 1]
            .into_iter()
            .map(|ms: u64| {
                let mut latencies = Latencies::new();
                (0..100).for_each(|_| latencies.record(ms * 1_000_000));
                all.add(&latencies);
                Figures::of(&Sample { latencies, ..sample(100, 10) }).unwrap()
            })
            .collect();
        let pooled = Figures::of_runs(&runs, &all, None).unwrap();
        assert!((pooled.p50_ms - 1.0).abs() < 0.01 && (pooled.p99_ms - 100.0).abs() < 0.1, "{pooled:?}");
        assert_eq!(pooled.own_p99_ms, None);
    }
}
