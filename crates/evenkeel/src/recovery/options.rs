//! How a redo goes about its work, and what it says of it.
//!
//! Must not know: settings' names; who reads the figures.

use super::harden::LifeEnd;
use crate::base::Lsn;
use std::time::Duration;

/// How a redo goes about its work.
#[derive(Clone, Debug)]
pub struct RedoOptions {
    /// Workers that apply changes, each to the partitions that are its own; at least one. One is the calling thread.
    pub workers: usize,
    /// Threads may be started. Without them the calling thread does everything, the workers' shares one after the other.
    pub threads: bool,
    /// Pages are read before their turn comes.
    pub prefetch: bool,
    /// Threads that read them: reads in flight, at most.
    pub prefetch_threads: usize,
    /// Decoded changes that wait for their turn, in bytes of memory, at most.
    pub look_ahead_bytes: u64,
    /// Where the log ends at the latest, as far as that is known: for reports of progress.
    pub end_estimate: Option<Lsn>,
    /// Where reading will end, as [`super::sync_all`] found it: what stands behind is looked at meanwhile.
    pub life_end: Option<LifeEnd>,
    /// Every page that the log changes is written home again, also if it has its changes: it may have come from a page cache.
    pub rewrite: bool,
    /// Pages may be newer than the log: its end was given up, and nobody is going to change them.
    pub may_lag: bool,
    /// What was synced is there: so a file has the blocks that its map gave it before its redo point.
    pub lengths_hold: bool,
}

impl Default for RedoOptions {
    /// Everything on the calling thread.
    fn default() -> RedoOptions {
        RedoOptions {
            workers: 1,
            threads: false,
            prefetch: true,
            prefetch_threads: 16,
            look_ahead_bytes: 32 << 20,
            end_estimate: None,
            life_end: None,
            rewrite: false,
            may_lag: false,
            lengths_hold: false,
        }
    }
}

/// How far a redo has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RecoveryProgress {
    /// Where it began.
    pub from: Lsn,
    /// Where it is.
    pub at: Lsn,
    /// Where the log ends at the latest, if that is known.
    pub end_estimate: Option<Lsn>,
    /// Records read.
    pub records: u64,
    /// Time since it began.
    pub elapsed: Duration,
    /// It is over.
    pub finished: bool,
}

impl RecoveryProgress {
    /// Bytes of log read.
    pub fn log_bytes(&self) -> u64 {
        self.at.0.saturating_sub(self.from.0)
    }

    /// The share that is done, as far as the end is known.
    pub fn share(&self) -> Option<f64> {
        let all = self.end_estimate?.0.checked_sub(self.from.0).filter(|n| *n > 0)?;
        Some((self.log_bytes() as f64 / all as f64).min(1.0))
    }

    /// Time that is left at the rate so far, at most.
    pub fn time_left(&self) -> Option<Duration> {
        let share = self.share().filter(|s| *s > 0.0)?;
        Duration::try_from_secs_f64(self.elapsed.as_secs_f64() * (1.0 - share) / share).ok()
    }
}

/// What a redo did. All zero if there was none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RedoStats {
    /// Records read.
    pub records: u64,
    /// Blocks changed.
    pub blocks: u64,
    /// Bytes of log read.
    pub log_bytes: u64,
    /// Time, microseconds.
    pub time_us: u64,
    /// Workers.
    pub workers: u64,
    /// Pages read ahead.
    pub prefetch: u64,
    /// Reads for them: neighbours share one.
    pub reads: u64,
    /// Pages that were in the pool.
    pub hit: u64,
    /// Pages not read since their first change initialises them.
    pub skip_init: u64,
    /// Changes of blocks that do not exist (any more).
    pub skip_new: u64,
    /// Pages not read since their first change carries an image.
    pub skip_fpw: u64,
    /// Changes of pages that were looked at within the look-ahead before.
    pub skip_rep: u64,
    /// The most log that waited for its turn, bytes.
    pub wal_distance_max: u64,
    /// The most pages that it was about.
    pub block_distance_max: u64,
    /// The most reads in flight.
    pub io_depth_max: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_tells_share_and_time_left() {
        let p = RecoveryProgress {
            from: Lsn(1000),
            at: Lsn(2000),
            end_estimate: Some(Lsn(5000)),
            records: 7,
            elapsed: Duration::from_secs(2),
            finished: false,
        };
        assert_eq!((p.log_bytes(), p.share()), (1000, Some(0.25)));
        assert_eq!(p.time_left(), Some(Duration::from_secs(6)));
        let unknown = RecoveryProgress { end_estimate: None, ..p };
        assert_eq!((unknown.share(), unknown.time_left()), (None, None));
        let none = RecoveryProgress { end_estimate: Some(Lsn(1000)), at: Lsn(1000), ..p };
        assert_eq!((none.share(), none.time_left()), (None, None));
    }
}
