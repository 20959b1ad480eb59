//! The figures of a run, as the table shows them.
//!
//! It must not know how they were measured.

use serde::{Deserialize, Serialize};

use super::digest::Second;
use super::result::RunResult;
use super::trace::sum;
pub use crate::median::median as median_of;

/// A second with fewer transactions is as good as a standstill.
const STANDSTILL_TPS: u64 = 10;
/// Images a second are averaged over so many seconds: statistics of PostgreSQL's backends come about once a second.
const SMOOTHING_S: usize = 5;
/// A second counts as undisturbed if no larger share of all processors' time was stolen: clients cannot tell as little from chance.
const UNDISTURBED: f64 = 0.02;

/// What one run gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Transactions a second.
    pub tps: f64,
    /// Its standard deviation over the seconds.
    pub tps_stddev: f64,
    /// Mean latency.
    pub mean_ms: f64,
    /// Its standard deviation.
    pub stddev_ms: f64,
    /// Median latency.
    pub p50_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// 99.9th percentile.
    pub p999_ms: f64,
    /// The slowest.
    pub max_ms: f64,
    /// % of seconds with fewer than 10 transactions.
    pub under_10_percent: f64,
    /// % of seconds with less than half of the median second's.
    pub under_half_percent: f64,
    /// The lowest second against the median one.
    pub lowest_to_median: f64,
    /// The same among the seconds in which other machines on the same hardware had little processor time; None if that is not known.
    pub lowest_undisturbed: Option<f64>,
    /// % of transactions over the limit or never begun.
    pub late_percent: f64,
    /// % of transactions over 100 ms.
    pub over_100_ms_percent: f64,
    /// Transactions that the server refused.
    pub failed: f64,
    /// Finished checkpoints, or cycles of rounds.
    pub cycles: f64,
    /// Seconds of writing in one.
    pub write_s: Option<f64>,
    /// Seconds of syncing in one.
    pub sync_s: Option<f64>,
    /// Both.
    pub total_s: Option<f64>,
    /// PostgreSQL: end of a checkpoint's writing and syncing, against completion target times timeout. Ours: a cycle's length against the timeout.
    pub punctuality: Option<f64>,
    /// Full-page images a second.
    pub images_per_s: Option<f64>,
    /// Their peak, averaged over 5 s, against their mean over whole cycles.
    pub images_peak_to_mean: Option<f64>,
    /// Log in megabytes.
    pub log_mb: Option<f64>,
    /// Log that recovery would have to read, in megabytes, at worst.
    pub recovery_mb_max: Option<f64>,
    /// Log that it would have to apply for a page on average, in megabytes, over the seconds.
    pub applied_mb_mean: Option<f64>,
    /// Pages that the checkpointer wrote.
    pub by_checkpointer: Option<f64>,
    /// Pages that the background writer wrote.
    pub by_cleaner: Option<f64>,
    /// Pages that clients' own processes or threads wrote.
    pub by_backends: Option<f64>,
    /// Pages by which they extended files.
    pub extended: Option<f64>,
    /// Seconds of the server's processor time.
    pub cpu_s: Option<f64>,
    /// Processor time that other machines had, in percent of all.
    pub stolen_percent: Option<f64>,
    /// Times that this machine stood still.
    #[serde(default)]
    pub stalls: Option<f64>,
    /// The longest of them, or late wake-up at all, in milliseconds.
    #[serde(default)]
    pub stall_max_ms: Option<f64>,
}

impl Figures {
    /// Of one run.
    pub fn of(r: &RunResult) -> Figures {
        let o = &r.overall;
        let tps: Vec<f64> = r.seconds.iter().map(|s| s.transactions as f64).collect();
        let median = median_of(&tps).unwrap_or(0.0);
        let lowest = tps.iter().copied().fold(f64::INFINITY, f64::min);
        let confirmed = (o.transactions + o.behind) as f64;
        let asked = confirmed + o.skipped as f64;
        let timeout_s = r.setting("checkpoint_timeout").and_then(seconds_of);
        let a = &r.activity;
        let total_s = a.write_s.zip(a.sync_s).map(|(w, s)| w + s);
        let punctuality = if r.row.is_own() {
            a.cycle_s.zip(timeout_s).map(|(cycle, timeout)| cycle / timeout)
        } else {
            let target = r.setting("checkpoint_completion_target").and_then(|t| t.parse::<f64>().ok());
            let due_s = target.zip(timeout_s).map(|(target, timeout)| target * timeout);
            total_s.zip(due_s).map(|(total, due)| total / due)
        };
        let images = whole_cycles(&r.trace.wal_images, timeout_s);
        let mean = mean_of(images);
        Figures {
            tps: o.transactions as f64 / (tps.len() as f64).max(1.0),
            tps_stddev: stddev(&tps),
            mean_ms: o.mean_ms,
            stddev_ms: o.stddev_ms,
            p50_ms: o.p50_ms,
            p99_ms: o.p99_ms,
            p999_ms: o.p999_ms,
            max_ms: o.max_ms,
            under_10_percent: percent(&r.seconds, |s| s.transactions < STANDSTILL_TPS),
            under_half_percent: percent(&r.seconds, |s| (s.transactions as f64) < median / 2.0),
            lowest_to_median: if median > 0.0 { lowest / median } else { 0.0 },
            lowest_undisturbed: lowest_undisturbed(&tps, &r.trace.stolen_s),
            late_percent: if asked > 0.0 { (o.late + o.skipped) as f64 * 100.0 / asked } else { 0.0 },
            over_100_ms_percent: o.over_100_ms as f64 * 100.0 / confirmed.max(1.0),
            failed: o.failed as f64,
            cycles: a.cycles,
            write_s: a.write_s,
            sync_s: a.sync_s,
            total_s,
            punctuality,
            images_per_s: mean,
            // Without cycles there is no rush.
            images_peak_to_mean: mean
                .filter(|m| *m > 0.0 && !r.row.is_held_back())
                .zip(peak(images))
                .map(|(mean, peak)| peak / mean),
            log_mb: sum(&r.trace.wal_bytes).map(|b| b / 1e6),
            recovery_mb_max: r
                .trace
                .recovery_bytes
                .iter()
                .flatten()
                .copied()
                .reduce(f64::max)
                .map(|b| b / 1e6),
            applied_mb_mean: mean_of(&r.trace.applied_bytes).map(|b| b / 1e6),
            by_checkpointer: sum(&r.trace.by_checkpointer).map(f64::round),
            by_cleaner: sum(&r.trace.by_cleaner).map(f64::round),
            by_backends: sum(&r.trace.by_backends).map(f64::round),
            extended: sum(&r.trace.extended).map(f64::round),
            cpu_s: sum(&r.trace.cpu_s),
            stolen_percent: mean_of(&r.trace.stolen_s).map(|s| s * 100.0 / processors()),
            stalls: r.disturbance.map(|d| d.stalls as f64),
            stall_max_ms: r.disturbance.map(|d| d.longest_ms),
        }
    }

    /// Each figure's median over the runs; of the slowest the slowest, of refusals and backends' writes the most. None of nothing.
    pub fn median(runs: &[Figures]) -> Option<Figures> {
        if runs.is_empty() {
            return None;
        }
        let of = |f: fn(&Figures) -> f64| median_of(&runs.iter().map(f).collect::<Vec<_>>()).unwrap_or(0.0);
        let some = |f: fn(&Figures) -> Option<f64>| median_of(&runs.iter().filter_map(f).collect::<Vec<_>>());
        let most = |f: fn(&Figures) -> Option<f64>| runs.iter().filter_map(f).reduce(f64::max);
        Some(Figures {
            tps: of(|f| f.tps),
            tps_stddev: of(|f| f.tps_stddev),
            mean_ms: of(|f| f.mean_ms),
            stddev_ms: of(|f| f.stddev_ms),
            p50_ms: of(|f| f.p50_ms),
            p99_ms: of(|f| f.p99_ms),
            p999_ms: of(|f| f.p999_ms),
            max_ms: most(|f| Some(f.max_ms)).unwrap_or(0.0),
            under_10_percent: of(|f| f.under_10_percent),
            under_half_percent: of(|f| f.under_half_percent),
            lowest_to_median: of(|f| f.lowest_to_median),
            lowest_undisturbed: some(|f| f.lowest_undisturbed),
            late_percent: of(|f| f.late_percent),
            over_100_ms_percent: of(|f| f.over_100_ms_percent),
            failed: most(|f| Some(f.failed)).unwrap_or(0.0),
            cycles: of(|f| f.cycles),
            write_s: some(|f| f.write_s),
            sync_s: some(|f| f.sync_s),
            total_s: some(|f| f.total_s),
            punctuality: some(|f| f.punctuality),
            images_per_s: some(|f| f.images_per_s),
            images_peak_to_mean: some(|f| f.images_peak_to_mean),
            log_mb: some(|f| f.log_mb),
            recovery_mb_max: some(|f| f.recovery_mb_max),
            applied_mb_mean: some(|f| f.applied_mb_mean),
            by_checkpointer: some(|f| f.by_checkpointer),
            by_cleaner: some(|f| f.by_cleaner),
            by_backends: most(|f| f.by_backends),
            extended: some(|f| f.extended),
            cpu_s: some(|f| f.cpu_s),
            stolen_percent: most(|f| f.stolen_percent),
            stalls: most(|f| f.stalls),
            stall_max_ms: most(|f| f.stall_max_ms),
        })
    }
}

fn processors() -> f64 {
    std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64)
}

/// The lowest second against the median one, both among those in which no more was stolen than [`UNDISTURBED`].
fn lowest_undisturbed(tps: &[f64], stolen_s: &[Option<f64>]) -> Option<f64> {
    let quiet = |s: &Option<f64>| s.is_some_and(|s| s <= UNDISTURBED * processors());
    let tps: Vec<f64> = tps.iter().zip(stolen_s).filter(|(_, s)| quiet(s)).map(|(tps, _)| *tps).collect();
    let median = median_of(&tps).filter(|m| *m > 0.0)?;
    tps.into_iter().reduce(f64::min).map(|lowest| lowest / median)
}

/// `30s`, `5min`, `1d`; a bare number is seconds.
pub fn seconds_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "us" => 1e-6,
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    Some(number * unit)
}

/// Of the whole population; 0 of nothing.
fn stddev(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt()
}

fn percent(seconds: &[Second], which: impl Fn(&Second) -> bool) -> f64 {
    seconds.iter().filter(|s| which(s)).count() as f64 / (seconds.len() as f64).max(1.0) * 100.0
}

/// The last whole cycles; everything, if it is less than one.
fn whole_cycles(series: &[Option<f64>], timeout_s: Option<f64>) -> &[Option<f64>] {
    let timeout = timeout_s.map_or(0, |s| s.round() as usize);
    let counted = series.len().checked_div(timeout).unwrap_or(0) * timeout;
    if counted == 0 { series } else { &series[series.len() - counted..] }
}

/// Of what is known.
fn mean_of(series: &[Option<f64>]) -> Option<f64> {
    sum(series).map(|total| total / series.iter().flatten().count() as f64)
}

/// The highest mean of neighbouring seconds.
fn peak(series: &[Option<f64>]) -> Option<f64> {
    let width = SMOOTHING_S.min(series.len()).max(1);
    let means = series.windows(width).filter_map(mean_of);
    means.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_checkpoints::tests::result;

    #[test]
    fn a_level_run_has_no_bad_seconds() {
        let f = Figures::of(&result("a", &[100; 10]));
        assert_eq!((f.tps, f.tps_stddev, f.lowest_to_median), (100.0, 0.0, 1.0));
        assert_eq!((f.under_10_percent, f.under_half_percent), (0.0, 0.0));
    }

    #[test]
    fn standstills_and_dips_are_shares_of_the_seconds() {
        let f = Figures::of(&result("a", &[100, 100, 100, 100, 100, 100, 100, 49, 9, 0]));
        assert_eq!((f.under_10_percent, f.under_half_percent), (20.0, 30.0));
        assert_eq!(f.lowest_to_median, 0.0);
        assert!((stddev(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]) - 2.0).abs() < 1e-12);
        assert_eq!(stddev(&[]), 0.0);
    }

    #[test]
    fn a_second_that_was_stolen_is_no_dip() {
        let stolen = [0.0, 0.0, processors(), 0.0].map(Some);
        assert_eq!(lowest_undisturbed(&[100.0, 80.0, 10.0, 100.0], &stolen), Some(0.8));
        assert_eq!(lowest_undisturbed(&[100.0, 80.0], &[Some(processors()), Some(0.0)]), Some(1.0));
        assert_eq!(lowest_undisturbed(&[100.0], &[None]), None);
        assert_eq!(lowest_undisturbed(&[100.0], &[]), None);
    }

    #[test]
    fn skipped_transactions_are_late_ones_that_never_ran() {
        let mut r = result("a", &[50, 50]);
        (r.overall.late, r.overall.skipped) = (10, 100);
        assert_eq!(Figures::of(&r).late_percent, 55.0);
        r.overall = Default::default();
        assert_eq!(Figures::of(&r).late_percent, 0.0);
    }

    #[test]
    fn the_rush_of_images_is_its_smoothed_peak_against_the_mean() {
        let mut r = result("a", &[10; 20]);
        r.settings = vec![("checkpoint_timeout".into(), "10s".into())];
        // The cycle before counts whole cycles only: its first seconds fall away.
        let rush = |s: usize| Some(if s % 10 < 5 { 90.0 } else { 10.0 });
        r.trace.wal_images = (0..20).map(rush).collect();
        let f = Figures::of(&r);
        assert_eq!((f.images_per_s, f.images_peak_to_mean), (Some(50.0), Some(1.8)));
        r.trace.wal_images = vec![Some(7.0); 20];
        assert_eq!(Figures::of(&r).images_peak_to_mean, Some(1.0));
        r.trace.wal_images = vec![Some(0.0); 20];
        assert_eq!(Figures::of(&r).images_peak_to_mean, None);
        assert_eq!(whole_cycles(&[None; 25], Some(10.0)).len(), 20);
        assert_eq!(whole_cycles(&[None; 5], Some(10.0)).len(), 5);
    }

    #[test]
    fn punctuality_is_of_the_cycle_for_ours_and_of_the_target_for_others() {
        let mut r = result("a", &[10; 20]);
        r.settings = vec![
            ("checkpoint_timeout".into(), "30s".into()),
            ("checkpoint_completion_target".into(), "0.9".into()),
        ];
        r.activity.cycle_s = Some(33.0);
        (r.activity.write_s, r.activity.sync_s) = (Some(26.0), Some(1.0));
        assert_eq!(Figures::of(&r).punctuality, Some(1.1));
        r.row.system = crate::bench_checkpoints::System::Running { server: 0, place: "there".into() };
        assert_eq!(Figures::of(&r).punctuality, Some(1.0));
    }

    #[test]
    fn medians_are_of_each_figure_and_the_worst_stays_the_worst() {
        let runs = [(1.0, 5.0), (3.0, 9.0), (2.0, 7.0)].map(|(tps, max_ms)| Figures {
            tps,
            max_ms,
            ..Figures::default()
        });
        let m = Figures::median(&runs).unwrap();
        assert_eq!((m.tps, m.max_ms), (2.0, 9.0));
        assert_eq!(Figures::median(&[]), None);
    }

    #[test]
    fn times_are_read_with_their_units() {
        for (text, s) in [
            ("30s", 30.0),
            ("5min", 300.0),
            ("1d", 86_400.0),
            ("200ms", 0.2),
            ("45", 45.0),
            ("1.5 h", 5400.0),
        ] {
            assert_eq!(seconds_of(text), Some(s), "{text}");
        }
        assert_eq!(seconds_of("soon"), None);
    }
}
