//! Restoring a base backup and the log behind it to any moment. The stages stand in [`restore_on`] in the order in which they happen.
//!
//! Invariants
//! 1. As of `engine/unfinished.rs`: until everything is durable the folder is no database, and nothing that is written needs protection against a crash.
//! 2. A restored database is shut down cleanly. Its log goes on in a new life, in segments that no timeline of the archive has, and is kept for the archive.
//!
//! See `README.md`.

#![doc = include_str!("README.md")]

pub(super) mod fetch;
pub(super) mod log;
mod pages;
mod plan;
mod rivals;
mod standby;

use super::backup::civil;
use super::database::Database;
use super::opening::{Beginning, not_ours};
use super::options::Options;
use super::protection::Protecting;
use super::recovering::{Past, redo_options};
use super::settings::Id;
use super::unfinished;
use crate::archive::{ArchiveState, ArchiveStore, History};
use crate::base::clock;
use crate::base::sync::{AtomicU64, Instant, Ordering};
use crate::base::{Error, Lsn, PAGE_BYTES, PartitionCount, Poison, Result};
use crate::control::{Control, ControlData, Role, TornPageProtection};
use crate::io::Disk;
use crate::pool::{Files, Pool};
use crate::recovery::{RecoveryProgress, RedoStats, Redone, Target, redo_log};
use crate::store::UndoSpace;
use fetch::Fetch;
use log::ArchivedLog;
pub(super) use pages::write_chunk;
use plan::Plan;
pub use standby::{BackupOf, standby, standby_on};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What to restore, and how.
#[derive(Clone, Debug)]
pub struct RestoreOptions {
    /// The moment.
    pub target: Target,
    /// The backup to begin with; else the newest that ends before the moment.
    pub backup: Option<String>,
    /// The timeline to follow; else the newest that has log, unless another one was written beside it and has another state then.
    pub timeline: Option<u32>,
    /// Objects fetched at a time.
    pub workers: usize,
    /// Log segments in memory ahead of the replay.
    pub window: usize,
    /// Attempts of each call to the store.
    pub attempts: u32,
    /// The engine's settings: `shared_buffers`, `recovery_workers` and so on. `archive_url` does not count.
    pub settings: Options,
}

impl Default for RestoreOptions {
    fn default() -> RestoreOptions {
        RestoreOptions {
            target: Target::Latest,
            backup: None,
            timeline: None,
            workers: 4,
            window: 8,
            attempts: 6,
            settings: Options::default(),
        }
    }
}

/// A moment in the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The position behind its last record.
    pub lsn: Lsn,
    /// When the last commit up to there happened, milliseconds since the Unix epoch; `None`: there is none in the log that was read.
    pub commit_ms: Option<u64>,
}

/// What a restore will do.
#[derive(Clone, Debug)]
pub struct PlanSummary {
    /// The backup.
    pub backup: String,
    /// What its maker called it.
    pub label: String,
    /// Where it ended: earlier moments need an earlier backup.
    pub backup_end: Lsn,
    /// When, milliseconds since the Unix epoch.
    pub backup_ended_ms: u64,
    /// The backups that it is laid upon, and itself; the first stands alone.
    pub chain: Vec<String>,
    /// Timelines whose log is replayed.
    pub timelines: Vec<u32>,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files.
    pub data_bytes: u64,
    /// Objects with pages to fetch.
    pub chunks: u64,
    /// Their bytes.
    pub chunk_bytes: u64,
    /// Log segments to fetch, at most.
    pub segments: u64,
    /// Their bytes in the archive.
    pub segment_bytes: u64,
    /// Where the replay begins.
    pub log_from: Lsn,
    /// Where it ends; a name or a transaction has been looked up.
    pub target: Target,
    /// Where the log ends that can be replayed.
    pub end: Moment,
    /// Why it cannot be replayed further, although there is more.
    pub broken: Option<String>,
}

/// How far a restore is.
#[derive(Clone, Debug)]
pub enum RestoreProgress {
    /// This will be done.
    Planned(Box<PlanSummary>),
    /// Pages are fetched and put in their places.
    Pages {
        /// Bytes of objects done.
        done_bytes: u64,
        /// Bytes of all.
        total_bytes: u64,
    },
    /// The log is replayed.
    Log {
        /// Segments fetched so far.
        segments: u64,
        /// How many there are at most.
        segments_total: u64,
        /// What redo says.
        redo: RecoveryProgress,
    },
    /// Transactions that had not committed are undone, and everything is made durable.
    Finishing,
}

/// What was restored.
#[derive(Clone, Debug)]
pub struct Restored {
    /// What was planned.
    pub plan: PlanSummary,
    /// The moment that was reached.
    pub reached: Moment,
    /// Transactions that had not committed by then.
    pub undone: u64,
    /// Bytes fetched in all.
    pub fetched_bytes: u64,
    /// What redo did.
    pub redo: RedoStats,
    /// Time for the pages.
    pub pages_time: Duration,
    /// Time for the log.
    pub log_time: Duration,
    /// Time for everything.
    pub time: Duration,
}

/// Told of progress, from any thread.
pub type OnProgress<'a> = &'a (dyn Fn(&RestoreProgress) + Sync);

/// What a restore would do; also finds out whether the objects are there and the moment can be reached. Blocks for the store.
pub fn plan(store: Arc<dyn ArchiveStore>, options: &RestoreOptions) -> Result<PlanSummary> {
    Ok(plan::make(&Fetch::new(store, options.attempts), options, false)?.summary)
}

/// Restores into an empty or missing folder; see [`restore_on`].
pub fn restore(
    store: Arc<dyn ArchiveStore>,
    dir: impl AsRef<Path>,
    options: &RestoreOptions,
    progress: OnProgress<'_>,
) -> Result<Restored> {
    let dir = dir.as_ref();
    let os = options.settings.os_options();
    unfinished::fill(dir, os, |disk| restore_on(store, disk, options, progress))
}

/// Restores to a moment, on any disk. The result is a database that was shut down cleanly. `InvalidArgument`: there is no such backup or moment, or the folder is not
/// empty. `Corrupt`: the archive is damaged; the error names the object, and the last moment that can be reached. A restore that was cut short, or
/// failed, is begun anew by calling this again. Blocks.
pub fn restore_on(
    store: Arc<dyn ArchiveStore>,
    disk: Arc<dyn Disk>,
    options: &RestoreOptions,
    progress: OnProgress<'_>,
) -> Result<Restored> {
    let began = Instant::now();
    let lock = disk.lock().map_err(not_ours)?;
    let lock: Arc<Box<dyn Send + Sync>> = Arc::new(lock);
    unfinished::refuse_non_empty(&*disk)?;

    let fetch = Fetch::new(store, options.attempts);
    let plan = plan::make(&fetch, options, false)?;
    must_have_room(&*disk, &plan)?;
    progress(&RestoreProgress::Planned(Box::new(plan.summary.clone())));

    mark(&*disk, fetch.store(), &plan)?;
    unfinished::clear(&*disk)?;
    let pages_began = Instant::now();
    put_pages(&disk, &fetch, &plan, options, progress)?;
    let pages_time = pages_began.elapsed();

    let log_began = Instant::now();
    let log = ArchivedLog::new(&fetch, &plan.map, plan.last, options.window);
    let replayed = log.with_workers(options.workers, |log| {
        replay(&disk, log, &plan, options, Box::new(lock.clone()), progress)
    })?;
    unfinished::unmark(&*disk)?;
    Ok(Restored {
        reached: replayed.reached,
        undone: replayed.undone,
        fetched_bytes: fetch.bytes(),
        redo: replayed.redo,
        pages_time,
        log_time: log_began.elapsed(),
        time: began.elapsed(),
        plan: plan.summary,
    })
}

fn must_have_room(disk: &dyn Disk, plan: &Plan) -> Result<()> {
    let needed = plan.summary.data_bytes + 2 * plan.map.geometry.segment_bytes;
    let free = disk.free_bytes().map_err(|e| Error::io("asking for free space", e))?;
    match free {
        // A restore that begins anew has what the one before took.
        Some(free) if free < needed && !unfinished::is_marked(disk).unwrap_or(true) => {
            Err(Error::OutOfSpace {
                what: format!("the restore: it needs {needed} bytes, the disk has {free}"),
            })
        }
        _ => Ok(()),
    }
}

/// From here on the folder is no database.
fn mark(disk: &dyn Disk, store: &dyn ArchiveStore, plan: &Plan) -> Result<()> {
    let text = format!(
        "A restore of backup {} from {} is at work here, or was cut short: this is no database yet.\n",
        plan.summary.backup,
        store.describe()
    );
    unfinished::mark(disk, &text)
}

fn put_pages(
    disk: &Arc<dyn Disk>,
    fetch: &Fetch,
    plan: &Plan,
    options: &RestoreOptions,
    progress: OnProgress<'_>,
) -> Result<()> {
    let done_bytes = AtomicU64::new(0);
    let total_bytes = plan.summary.chunk_bytes;
    let tell = |done_bytes| progress(&RestoreProgress::Pages { done_bytes, total_bytes });
    tell(0);
    let files = Files::new(disk.clone());
    let laid = pages::lay_down(&files, fetch, &plan.layers, options.workers, &|bytes| {
        tell(done_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes);
    });
    laid.map_err(|e| match e {
        Error::Corrupt(why) => Error::corrupt(format!("{why}{}", plan::instead(plan.earlier.as_deref()))),
        e => e,
    })
}

struct Replayed {
    reached: Moment,
    undone: u64,
    redo: RedoStats,
}

/// Redoes the log up to the target, begins a new life behind it, undoes what did not commit, and shuts down.
fn replay(
    disk: &Arc<dyn Disk>,
    log: &ArchivedLog<'_>,
    plan: &Plan,
    options: &RestoreOptions,
    lock: Box<dyn Send + Sync>,
    progress: OnProgress<'_>,
) -> Result<Replayed> {
    let data = control_data(plan)?;
    let settings = &options.settings;
    let poison = Arc::new(Poison::default());
    let frames = settings.get(Id::SharedBuffers) as usize / PAGE_BYTES;
    let files = Arc::new(Files::new(disk.clone()));
    Pool::has_room_for(frames)?;
    let pool = Arc::new(Pool::new(frames, data.partitions, files, poison.clone()));
    let first = plan.map.geometry.segment_of(data.log_needed);
    let how = redo_options(settings, Some(log.end_bound()));
    let tell = |redo: &RecoveryProgress| {
        let segments = log.handed_out(first);
        progress(&RestoreProgress::Log { segments, segments_total: plan.summary.segments, redo: *redo });
    };
    let recovered = match redo_log(log, &pool, &data, &plan.target, &how, &mut |p| tell(p))? {
        Redone::Done(recovered) => *recovered,
        Redone::Damaged(damage) => return Err(Error::corrupt(damage.to_string())),
    };
    let commit_ms = Some(recovered.last_commit_ms).filter(|ms| *ms > 0);
    let reached = Moment { lsn: recovered.end, commit_ms };
    must_have_reached(log, plan, reached, recovered.reached)?;
    log.go_back();

    progress(&RestoreProgress::Finishing);
    let (end, incarnation, undone) = (recovered.end, recovered.incarnation, recovered.losers.len() as u64);
    let redo = recovered.stats;
    let undo = UndoSpace::new(disk.clone(), settings.get(Id::UndoBuffers), settings.get(Id::UndoSpillLimit))?;
    let control = Control::create(&**disk, &data)?;
    let life = Beginning {
        disk,
        options: settings.clone().without_threads().keeping_log().with("rollback_after_open", "off")?,
        lock,
        rng: settings.rng(),
        undo: Arc::new(undo),
        pool,
        poison,
        protecting: Protecting::nothing(),
        past: Past { control, data, recovered, clean: false },
        archive_store: None,
        are_files_known: false,
    };
    let db = Database::begin_life(life, log)?;
    let history = History::new(
        plan.map.database_id,
        plan.map.holder_of(end),
        end,
        incarnation,
        db.log().incarnation(),
        asked(&options.target),
        clock::wall_ms(),
    );
    db.close()?;
    if let Some(e) = db.poisoned() {
        return Err(e);
    }
    drop(db);
    // Its log is archived under a timeline of its own, which gets its number when it is first archived.
    history.write_file(&**disk)?;
    ArchiveState { timeline: 0, next: plan.map.geometry.segment_of(end) + 1, of: 0 }.write(&**disk)?;
    Ok(Replayed { reached, undone, redo })
}

/// Redo has ended: with the target, or for good reason.
fn must_have_reached(log: &ArchivedLog<'_>, plan: &Plan, end: Moment, reached: bool) -> Result<()> {
    let trouble = log.trouble().map(|(_, e)| e.to_string());
    let broken = match trouble.or_else(|| plan.broken.clone()) {
        Some(why) => Some(why),
        None if reached && plan.target != Target::Latest => None,
        None => plan::ends_well(log, &plan.map, end.lsn, log.last())?.err(),
    };
    if !reached || (plan.target == Target::Latest && broken.is_some()) {
        return Err(plan::not_reached(&plan.target, end, broken.as_deref()));
    }
    let backup_end = plan.summary.backup_end;
    if end.lsn < backup_end {
        return Err(Error::InvalidArgument(format!(
            "the moment asked for lies before the end of backup \"{}\", {backup_end} (the server's clock may have been set back): choose an earlier backup with --backup",
            plan.summary.backup
        )));
    }
    Ok(())
}

/// What the control file said when the backup began.
fn control_data(plan: &Plan) -> Result<ControlData> {
    let m = plan.layers.top();
    let partitions = PartitionCount::new(m.partitions)
        .ok_or_else(|| Error::corrupt(format!("backup \"{}\": {} partitions", m.id, m.partitions)))?;
    Ok(ControlData {
        database_id: m.database_id,
        segment_bytes: m.segment_bytes,
        partitions,
        clean: false,
        complete: true,
        role: Role::Primary,
        received: Lsn::ZERO,
        whole_at: Lsn::ZERO,
        whole_life: 0,
        replayed_to_ms: 0,
        told: Lsn::ZERO,
        protection: TornPageProtection::Off, // invariant 1
        double_write_life: 0,
        round: m.round.into(),
        log_needed: m.log_needed.into(),
        next_file: m.next_file,
        next_txn: m.next_txn,
        end: Lsn::ZERO,
        end_incarnation: 0,
        epoch: 0,
        redo: m.redo.iter().map(|p| Lsn::from(*p)).collect(),
    })
}

/// A target, for people.
fn asked(target: &Target) -> String {
    match target {
        Target::Latest => "restored to the end of the log".into(),
        Target::Lsn(to) => format!("restored to position {to}"),
        Target::TimeMs(to) => format!("restored to {}", utc(*to)),
        Target::Txn(id) => format!("restored to the commit of transaction {}", id.0),
        Target::Name(name) => format!("restored to the restore point \"{name}\""),
    }
}

/// A time, for people, as `--to` reads it.
pub fn utc(ms: u64) -> String {
    let seconds = ms / 1000;
    let (of_day, (year, month, day)) = (seconds % 86_400, civil(seconds / 86_400));
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}.{:03}Z",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60,
        ms % 1000
    )
}
