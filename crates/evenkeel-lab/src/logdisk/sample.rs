//! What a measurement counted, and the figures made from it.
//!
//! It must not know what was measured.

use hdrhistogram::Histogram;
use serde::Serialize;

/// Latencies in nanoseconds, to three digits.
pub struct Latencies(Histogram<u64>);

/// Longest latency that is told apart.
const LATENCY_NS_MAX: u64 = 3_600_000_000_000;

impl Latencies {
    /// None yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Latencies {
        Latencies(Histogram::new_with_bounds(1, LATENCY_NS_MAX, 3).expect("constant bounds are valid"))
    }

    /// Counts one.
    pub fn record(&mut self, ns: u64) {
        self.0.saturating_record(ns.max(1));
    }

    /// Counts those of another in.
    pub fn add(&mut self, other: &Latencies) {
        self.0.add(&other.0).expect("the same bounds");
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Their mean, in microseconds.
    pub fn mean_us(&self) -> f64 {
        self.0.mean() / 1e3
    }

    /// Their standard deviation, in microseconds.
    pub fn deviation_us(&self) -> f64 {
        self.0.stdev() / 1e3
    }

    /// How many took how long, in nanoseconds to three digits.
    pub fn buckets(&self) -> Vec<(u64, u64)> {
        self.0.iter_recorded().map(|v| (v.value_iterated_to(), v.count_at_value())).collect()
    }

    /// The latency that this share (0 to 1) of all does not exceed, in microseconds.
    pub fn at_us(&self, quantile: f64) -> f64 {
        self.0.value_at_quantile(quantile) as f64 / 1e3
    }
}

/// Raw counts.
pub struct Sample {
    /// From the first counted start to the last counted end, over all passes.
    pub elapsed_ns: u64,
    /// Device writes.
    pub writes: u64,
    /// Commits released.
    pub commits: u64,
    /// Log bytes of those.
    pub record_bytes: u64,
    /// Bytes given to the device.
    pub written_bytes: u64,
    /// Of these, what holds nothing for good.
    pub padding_bytes: u64,
    /// Of these, what had been written before.
    pub rewritten_bytes: u64,
    /// From the start of a write to its end.
    pub write: Latencies,
    /// From a commit's arrival to its release.
    pub commit: Latencies,
    /// When the first writes ended.
    pub write_ends_ns: Vec<u64>,
}

impl Sample {
    /// Nothing yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Sample {
        Sample {
            elapsed_ns: 0,
            writes: 0,
            commits: 0,
            record_bytes: 0,
            written_bytes: 0,
            padding_bytes: 0,
            rewritten_bytes: 0,
            write: Latencies::new(),
            commit: Latencies::new(),
            write_ends_ns: Vec::new(),
        }
    }

    /// Counts another pass of the same measurement in.
    pub fn add(&mut self, other: Sample) {
        self.elapsed_ns += other.elapsed_ns;
        self.writes += other.writes;
        self.commits += other.commits;
        self.record_bytes += other.record_bytes;
        self.written_bytes += other.written_bytes;
        self.padding_bytes += other.padding_bytes;
        self.rewritten_bytes += other.rewritten_bytes;
        self.write.add(&other.write);
        self.commit.add(&other.commit);
        self.write_ends_ns.extend(other.write_ends_ns);
    }

    /// How far the medians of two passes lie apart, as a share of the larger. None if one of them is empty.
    pub fn spread(&self, other: &Sample) -> Option<f64> {
        let (a, b) = (self.commit.at_us(0.5), other.commit.at_us(0.5));
        (self.commits > 0 && other.commits > 0).then(|| (a - b).abs() / a.max(b))
    }

    /// The figures; None if nothing was counted.
    pub fn figures(&self) -> Option<Figures> {
        if self.commits == 0 || self.elapsed_ns == 0 {
            return None;
        }
        let seconds = self.elapsed_ns as f64 / 1e9;
        let commits = self.commits as f64;
        Some(Figures {
            writes: self.writes,
            write_us_p50: self.write.at_us(0.5),
            write_us_p99: self.write.at_us(0.99),
            commit_us_p50: self.commit.at_us(0.5),
            commit_us_p99: self.commit.at_us(0.99),
            commits_per_s: commits / seconds,
            writes_per_s: self.writes as f64 / seconds,
            log_mb_per_s: self.record_bytes as f64 / seconds / 1e6,
            commits_per_write: commits / self.writes as f64,
            written_bytes_per_commit: self.written_bytes as f64 / commits,
            padding_bytes_per_commit: self.padding_bytes as f64 / commits,
            rewritten_bytes_per_commit: self.rewritten_bytes as f64 / commits,
        })
    }
}

/// What a reader wants to know of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Device writes that were counted.
    pub writes: u64,
    /// Median time of a write.
    pub write_us_p50: f64,
    /// 99th percentile of it.
    pub write_us_p99: f64,
    /// Median wait of a commit.
    pub commit_us_p50: f64,
    /// 99th percentile of it.
    pub commit_us_p99: f64,
    /// Commits a second.
    pub commits_per_s: f64,
    /// Device writes a second.
    pub writes_per_s: f64,
    /// Megabytes of records a second: neither padding nor rewriting counts.
    pub log_mb_per_s: f64,
    /// Size of a gang.
    pub commits_per_write: f64,
    /// Bytes given to the device for one commit.
    pub written_bytes_per_commit: f64,
    /// Log bytes wasted for good.
    pub padding_bytes_per_commit: f64,
    /// Bytes written again.
    pub rewritten_bytes_per_commit: f64,
}
