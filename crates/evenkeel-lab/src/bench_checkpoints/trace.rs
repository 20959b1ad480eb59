//! What the system's counters say, second by second.
//!
//! Counters are read about every second, not exactly; values at the seconds' ends are interpolated between the readings around them.
//!
//! It must not know where readings come from, or what checkpoints are.

use serde::{Deserialize, Serialize};

/// Counters at one moment. What a system does not tell is None. All but the gauges only grow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Log records.
    pub wal_records: Option<f64>,
    /// Full-page images.
    pub wal_images: Option<f64>,
    /// Log bytes.
    pub wal_bytes: Option<f64>,
    /// Checkpoints or rounds begun.
    pub checkpoints_begun: Option<f64>,
    /// Checkpoints or rounds finished.
    pub checkpoints_done: Option<f64>,
    /// Milliseconds in which finished ones wrote.
    pub write_ms: Option<f64>,
    /// Milliseconds in which finished ones synced.
    pub sync_ms: Option<f64>,
    /// Pages written by the checkpointer.
    pub by_checkpointer: Option<f64>,
    /// Pages written by the background writer.
    pub by_cleaner: Option<f64>,
    /// Times that the background writer stopped at its limit.
    pub maxwritten: Option<f64>,
    /// Frames given out.
    pub allocated: Option<f64>,
    /// Pages that clients' own processes wrote.
    pub by_backends: Option<f64>,
    /// Pages by which they extended files.
    pub extended: Option<f64>,
    /// Gauge: dirty pages.
    pub dirty_pages: Option<f64>,
    /// Gauge: log that recovery would read.
    pub recovery_bytes: Option<f64>,
    /// Gauge: log whose records recovery would apply, for a page on average: the mean over the partitions.
    pub applied_bytes: Option<f64>,
    /// Seconds of processor time of the server.
    pub cpu_s: Option<f64>,
    /// Seconds of processor time that the machine wanted and other machines on the same hardware had.
    pub stolen_s: Option<f64>,
    /// Milliseconds in which the whole machine stood still.
    pub stalled_ms: Option<f64>,
    /// Gauge: memory that is resident, of the server.
    pub resident_bytes: Option<f64>,
    /// Rounds of each partition.
    pub rounds: Vec<f64>,
    /// Gauge: files with writes that are not synced, over all partitions.
    pub unsynced_files: Option<f64>,
}

/// Counters with the time since the counted time began, in seconds.
#[derive(Clone, Debug)]
pub struct Reading {
    /// When.
    pub at_s: f64,
    /// What.
    pub counters: Counters,
}

/// A value for each second; None where the system does not tell.
pub type Series = Vec<Option<f64>>;

/// What happened in each second, and the gauges at its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Log records.
    pub wal_records: Series,
    /// Full-page images.
    pub wal_images: Series,
    /// Log bytes.
    pub wal_bytes: Series,
    /// Pages written by the checkpointer.
    pub by_checkpointer: Series,
    /// Pages written by the background writer.
    pub by_cleaner: Series,
    /// Times that the background writer stopped at its limit.
    pub maxwritten: Series,
    /// Frames given out.
    pub allocated: Series,
    /// Pages that clients' own processes wrote.
    pub by_backends: Series,
    /// Pages by which they extended files.
    pub extended: Series,
    /// Milliseconds in which the checkpointer wrote; some systems tell only when a checkpoint ends.
    pub write_ms: Series,
    /// As above, synced.
    pub sync_ms: Series,
    /// Dirty pages.
    pub dirty_pages: Series,
    /// Log that recovery would read.
    pub recovery_bytes: Series,
    /// Of it, what recovery would apply for a page on average.
    pub applied_bytes: Series,
    /// Files with writes that are not synced.
    pub unsynced_files: Series,
    /// Processor time of the server, in seconds.
    pub cpu_s: Series,
    /// Processor time that other machines on the same hardware had, in seconds.
    pub stolen_s: Series,
    /// Milliseconds in which the whole machine stood still.
    pub stalled_ms: Series,
    /// Resident memory of the server.
    pub resident_bytes: Series,
}

impl Trace {
    /// Of so many seconds.
    pub fn of(readings: &[Reading], seconds: u32) -> Trace {
        let grown = |f: fn(&Counters) -> Option<f64>| growth(readings, seconds, f);
        let gauge = |f: fn(&Counters) -> Option<f64>| {
            (1..=seconds).map(|s| value_at(readings, f64::from(s), f)).collect()
        };
        Trace {
            wal_records: grown(|c| c.wal_records),
            wal_images: grown(|c| c.wal_images),
            wal_bytes: grown(|c| c.wal_bytes),
            by_checkpointer: grown(|c| c.by_checkpointer),
            by_cleaner: grown(|c| c.by_cleaner),
            maxwritten: grown(|c| c.maxwritten),
            allocated: grown(|c| c.allocated),
            by_backends: grown(|c| c.by_backends),
            extended: grown(|c| c.extended),
            write_ms: grown(|c| c.write_ms),
            sync_ms: grown(|c| c.sync_ms),
            dirty_pages: gauge(|c| c.dirty_pages),
            recovery_bytes: gauge(|c| c.recovery_bytes),
            applied_bytes: gauge(|c| c.applied_bytes),
            unsynced_files: gauge(|c| c.unsynced_files),
            cpu_s: grown(|c| c.cpu_s),
            stolen_s: grown(|c| c.stolen_s),
            stalled_ms: grown(|c| c.stalled_ms),
            resident_bytes: gauge(|c| c.resident_bytes),
        }
    }
}

/// The sum of what is known; None if nothing is.
pub fn sum(series: &[Option<f64>]) -> Option<f64> {
    series.iter().flatten().copied().reduce(|a, b| a + b)
}

fn growth(readings: &[Reading], seconds: u32, f: fn(&Counters) -> Option<f64>) -> Series {
    let at: Vec<Option<f64>> = (0..=seconds).map(|s| value_at(readings, f64::from(s), f)).collect();
    // Statistics may be reset meanwhile.
    at.windows(2).map(|w| Some((w[1]? - w[0]?).max(0.0))).collect()
}

/// The counter at this time, between the readings around it. None outside of them.
pub fn value_at(readings: &[Reading], at_s: f64, f: impl Fn(&Counters) -> Option<f64>) -> Option<f64> {
    let after = readings.partition_point(|r| r.at_s < at_s);
    let b = readings.get(after)?;
    if b.at_s == at_s {
        return f(&b.counters);
    }
    let a = &readings[after.checked_sub(1)?];
    let (from, to) = (f(&a.counters)?, f(&b.counters)?);
    Some(from + (to - from) * (at_s - a.at_s) / (b.at_s - a.at_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at_s: f64, wal_bytes: Option<f64>) -> Reading {
        Reading { at_s, counters: Counters { wal_bytes, dirty_pages: wal_bytes, ..Counters::default() } }
    }

    #[test]
    fn seconds_lie_between_readings() {
        let readings: Vec<Reading> =
            [(-0.5, 0.0), (0.5, 100.0), (1.5, 100.0), (2.5, 300.0)].map(|(t, v)| reading(t, Some(v))).into();
        let trace = Trace::of(&readings, 3);
        assert_eq!(trace.wal_bytes, [Some(50.0), Some(100.0), None]);
        assert_eq!(trace.dirty_pages, [Some(100.0), Some(200.0), None]);
        assert_eq!(trace.wal_images, [None; 3]);
    }

    #[test]
    fn a_reading_at_the_very_second_is_taken_as_it_is() {
        let readings = [reading(0.0, Some(1.0)), reading(1.0, Some(5.0))];
        assert_eq!(Trace::of(&readings, 1).wal_bytes, [Some(4.0)]);
    }

    #[test]
    fn a_missing_value_stays_missing_and_a_reset_is_no_growth() {
        let readings = [reading(0.0, Some(9.0)), reading(1.0, Some(5.0)), reading(2.0, None)];
        assert_eq!(Trace::of(&readings, 2).wal_bytes, [Some(0.0), None]);
        assert_eq!(sum(&[None, Some(1.0), Some(2.0)]), Some(3.0));
        assert_eq!(sum(&[None]), None);
    }
}
