//! What an open database was before: nothing to do after a clean shutdown, else recovery as the settings say, and its progress.
//!
//! Must not know: how redo works.

use super::give_up;
use super::options::Options;
use super::settings::Id;
use crate::base::{Lsn, Result};
use crate::control::{Control, ControlData};
use crate::io::Disk;
use crate::pool::Pool;
use crate::recovery::{
    LifeEnd, Recovered, RecoveryProgress, RedoOptions, RedoStats, Redone, Target, redo_log,
};
use crate::wal::end::Damage;
use crate::wal::segment::{self, Geometry};
use std::time::Duration;

/// Time between two lines in the log while a recovery goes on.
const LOG_INTERVAL: Duration = Duration::from_secs(5);
/// Time between two calls of whoever asked to be told.
const TELL_INTERVAL: Duration = Duration::from_millis(100);

/// What the control file and the log said about the database's last life.
pub(super) struct Past {
    pub control: Control,
    pub data: ControlData,
    pub recovered: Recovered,
    pub clean: bool,
}

/// What reading the past came to.
pub(super) enum ReadPast {
    /// All of it was read, and redone.
    Read(Box<Recovered>),
    /// Log that was durable cannot be read.
    Damaged(Box<Damage>),
}

/// How the settings want the log redone.
pub(super) fn redo_options(options: &Options, end_estimate: Option<Lsn>) -> RedoOptions {
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let workers = match options.get(Id::RecoveryWorkers) {
        0 if options.threads() => cores(),
        n => n.max(1),
    };
    RedoOptions {
        workers: workers.min(64) as usize,
        threads: options.threads(),
        prefetch: options.is_on(Id::RecoveryPrefetch),
        prefetch_threads: options.get(Id::RecoveryPrefetchThreads) as usize,
        look_ahead_bytes: options.get(Id::RecoveryLookAhead),
        end_estimate,
        life_end: None,
        rewrite: false,
        may_lag: false,
        lengths_hold: options.is_on(Id::Fsync),
    }
}

/// Reports of a recovery that goes on: to the log, and to whoever asked.
struct Reports<'o> {
    options: &'o Options,
    logged: Duration,
    told: Duration,
}

impl Reports<'_> {
    fn report(&mut self, p: &RecoveryProgress) {
        if let Some(listener) = self.options.recovery_listener()
            && (p.finished || p.elapsed >= self.told + TELL_INTERVAL)
        {
            self.told = p.elapsed;
            listener.0(*p);
        }
        if !p.finished && p.elapsed >= self.logged + LOG_INTERVAL {
            self.logged = p.elapsed;
            let left = p.time_left().map_or(String::new(), |t| format!(", at most {:.0?} left", t));
            tracing::info!("redo has reached {}: {}{left}", p.at, rate(p.log_bytes(), p.records, p.elapsed));
        }
    }
}

fn rate(log_bytes: u64, records: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-6);
    format!(
        "{records} records, {:.1} MB in {seconds:.2} s ({:.1} MB/s, {:.0} records/s)",
        log_bytes as f64 / 1e6,
        log_bytes as f64 / 1e6 / seconds,
        records as f64 / seconds
    )
}

/// Reads what there is to know of the past, and redoes the log if the last life was not shut down cleanly; `life_end` is what `sync_all` said of the
/// log's end. Blocks for that.
pub(super) fn read_past(
    disk: &dyn Disk,
    pool: &Pool,
    options: &Options,
    control: &Control,
    data: &ControlData,
    life_end: Option<LifeEnd>,
) -> Result<ReadPast> {
    if data.clean {
        let recovered = Recovered {
            end: data.end,
            incarnation: data.end_incarnation,
            losers: Vec::new(),
            next_txn: data.next_txn,
            next_tree: data.next_file,
            redo: data.redo.clone(),
            stats: RedoStats::default(),
            last_commit_ms: 0,
            reached: true,
            bare: Vec::new(),
        };
        return Ok(ReadPast::Read(recovered.into()));
    }
    tracing::info!("the database was not shut down cleanly: recovering");
    let geometry = Geometry { segment_bytes: data.segment_bytes };
    let end_estimate = segment::list(disk)?.last().map(|last| geometry.start_of(last + 1));
    let may_lag = give_up::read_only_because(disk)?.is_some();
    let how = RedoOptions {
        life_end,
        rewrite: control.is_cached(),
        may_lag,
        ..redo_options(options, end_estimate)
    };
    let mut reports = Reports { options, logged: Duration::ZERO, told: Duration::ZERO };
    let r = match redo_log(&disk, pool, data, &Target::Latest, &how, &mut |p| reports.report(p))? {
        Redone::Done(recovered) => recovered,
        Redone::Damaged(damage) => return Ok(ReadPast::Damaged(damage)),
    };
    let s = &r.stats;
    tracing::info!(
        "redo done up to {} by {} workers: {}; {} blocks changed, {} pages read ahead in {} reads; {} transactions to undo",
        r.end,
        s.workers,
        rate(s.log_bytes, s.records, Duration::from_micros(s.time_us)),
        s.blocks,
        s.prefetch,
        s.reads,
        r.losers.len()
    );
    Ok(ReadPast::Read(r))
}
