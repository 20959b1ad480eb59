//! Online base backups: begin, copy, end. The stages stand in [`Database::backup`] in the order in which they happen.
//!
//! A backup goes into the database's own archive, as it is of no use without the log there.
//!
//! Invariants
//! 1. The label is in the archive before anything else of a backup, the manifest after everything: whoever finds a manifest has a whole backup, and the log
//!    from `log_needed` to `end` beside it.
//! 2. A chunk is stored only when the log up to its newest page is durable, and a label only when the log up to its `start` is: what is stored belongs to
//!    this database's history, whatever crashes.
//! 3. One backup at a time.
//!
//! Must not know: how pages are copied (`archive/backup.rs`) or objects stored (`archive/upload.rs`).

mod copy;
mod watch;

pub(super) use watch::civil;

use super::core::Core;
use super::database::Database;
use crate::archive::{
    self, ArchiveStore, Archiver, Found, MANIFEST_VERSION, Manifest, Position, backup_folder, label_name,
    manifest_name,
};
use crate::base::clock;
use crate::base::sync::Instant;
use crate::base::{Error, Lsn, Result};
use crate::control::ControlData;
use copy::copy;
use std::ops::ControlFlow;
use std::time::Duration;
use watch::{Shown, Watch, again_all, new_id, put};

/// Longest label.
pub const LABEL_BYTES_MAX: usize = 200;
/// How often progress is told while something is waited for.
const LOOK: Duration = Duration::from_millis(100);
/// Waits between attempts to get the end of the log archived, the first and the longest.
const REACH_BACK_OFF: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));
/// Such attempts where there are no threads, and so no time.
const REACH_ATTEMPTS: u32 = 16;

/// Which backup is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Which {
    /// The latest of this database and timeline that will do.
    Latest,
    /// The one of this name.
    Id(String),
}

/// How to make a backup.
#[derive(Clone, Debug)]
pub struct BackupOptions {
    /// What to call it, for people; may be empty.
    pub label: String,
    /// Pages are read at most so fast, bytes a second; 0: as fast as it goes.
    pub rate_bytes_per_s: u64,
    /// Leave out what has not changed since that one.
    pub incremental: Option<Which>,
    /// Go on with one that was not completed. Its label, and what it is laid upon, stay.
    pub resume: Option<Which>,
    /// zstd's level, 0 for nearly none.
    pub level: u64,
    /// Checkpoint first, as fast as `checkpoint_forced_rate` allows: a restore has less log to replay. Otherwise the redo points are taken as the rounds have
    /// left them, and nothing is written that would not be written anyway.
    pub fast_checkpoint: bool,
    /// How long the end of the log may take to reach the archive.
    pub archive_wait: Duration,
    /// Number of the session that asked for it, shown with the progress; 0: none.
    pub pid: i32,
}

impl Default for BackupOptions {
    fn default() -> BackupOptions {
        BackupOptions {
            label: String::new(),
            rate_bytes_per_s: 0,
            incremental: None,
            resume: None,
            level: 1,
            fast_checkpoint: false,
            archive_wait: Duration::from_secs(600),
            pid: 0,
        }
    }
}

/// Where a backup is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BackupPhase {
    /// Looking at the archive.
    #[default]
    Starting,
    /// Checkpointing.
    Checkpoint,
    /// Copying files.
    Copying,
    /// Waiting until the archive has the log up to the end.
    WaitingForArchive,
}

impl BackupPhase {
    /// PostgreSQL's name for it, in `pg_stat_progress_basebackup`.
    pub fn name(self) -> &'static str {
        match self {
            BackupPhase::Starting => "initializing",
            BackupPhase::Checkpoint => "waiting for checkpoint to finish",
            BackupPhase::Copying => "streaming database files",
            BackupPhase::WaitingForArchive => "waiting for wal archiving to finish",
        }
    }
}

/// How far a backup is.
#[derive(Clone, Debug, Default)]
pub struct BackupProgress {
    /// Its name; empty before it has one.
    pub id: String,
    /// As in the options.
    pub pid: i32,
    /// What it is doing.
    pub phase: BackupPhase,
    /// Bytes of the files to be copied.
    pub total_bytes: u64,
    /// Bytes of them that have been.
    pub copied_bytes: u64,
    /// Bytes of chunks that an earlier attempt had stored.
    pub kept_bytes: u64,
    /// Bytes stored.
    pub stored_bytes: u64,
    /// Number of files.
    pub files: u64,
    /// Files that have been copied.
    pub files_copied: u64,
}

/// Told of progress; may end the backup, which can be resumed then.
pub type OnProgress<'a> = &'a mut dyn FnMut(&BackupProgress) -> ControlFlow<()>;

impl Database {
    /// Makes a base backup while the database is in use, into its own archive. Blocks until the archive has it and the log up to its end. After a failure
    /// what was stored stays for `resume`. `InvalidArgument`: there is no archive, or not the backup that was named, or one is being made already. `Canceled`: `progress` said
    /// so. `Corrupt` names a damaged page.
    pub fn backup(&self, options: &BackupOptions, progress: OnProgress<'_>) -> Result<Manifest> {
        let core = self.core();
        let _at_work = core.enter()?;
        let Some(archiver) = &core.primary().archiver else {
            return Err(Error::InvalidArgument(
                "a base backup is of no use without the log: set archive_url, and restart".into(),
            ));
        };
        let Some(_one) = core.backing_up.try_lock() else {
            return Err(Error::InvalidArgument("a backup is being made already".into()));
        };
        if options.label.len() > LABEL_BYTES_MAX || options.label.chars().any(char::is_control) {
            return Err(Error::InvalidArgument(format!(
                "a backup's label has at most {LABEL_BYTES_MAX} bytes and no control characters"
            )));
        }
        let _shown = Shown(core);
        let mut watch = Watch::new(core, options, progress);
        watch.look()?;
        patiently(core, "another server had it", options.archive_wait, &mut watch, |now| {
            archiver.claim(now).map(|()| true)
        })?;
        let (label, resumed) = match &options.resume {
            Some(which) => (find_label(core, archiver, which)?, true),
            None => (begin(core, archiver, options, &mut watch)?, false),
        };
        watch.shown.id.clone_from(&label.id);
        let files = copy(core, &**archiver.store(), &label, resumed, options, &mut watch)?;
        end(self, archiver, Manifest { files, ..label }, options, &mut watch)
    }

    /// How far the backup is that is being made at this moment, if one is.
    pub fn backup_progress(&self) -> Option<BackupProgress> {
        self.core().backup_shown.lock().clone()
    }
}

/// Stage 1: where redo will begin; the label.
fn begin(
    core: &Core,
    archiver: &Archiver,
    options: &BackupOptions,
    watch: &mut Watch<'_>,
) -> Result<Manifest> {
    let store = &**archiver.store();
    let wal = &core.env.wal;
    let timeline = archiver.state().timeline;
    let parent = match &options.incremental {
        Some(which) => Some(find_parent(core, store, timeline, which)?),
        None => None,
    };
    watch.enter(BackupPhase::Checkpoint)?;
    let mut checkpointed = options.fast_checkpoint;
    if checkpointed {
        core.forced_checkpoint(None)?;
    }
    let data = loop {
        let data = core.primary().checkpointer.published();
        let Some(at) = missing_log(core, archiver, data.log_needed)? else { break data };
        // Log that was never archived is no base. A checkpoint makes it needless, unless an open transaction began in it.
        if checkpointed {
            return Err(Error::InvalidArgument(format!(
                "the archive lacks log that this backup would need, from {at} on; an old transaction may be open"
            )));
        }
        core.forced_checkpoint(None)?;
        checkpointed = true;
    };
    let start = wal.next_lsn();
    wal.flush(start)?; // invariant 2
    let label = new_label(&data, timeline, start, parent, &options.label);
    put(core, store, &label_name(&label.id), &label.encode())?;
    tracing::info!(
        "backup {} has begun: redo from {}, log from {}",
        label.id,
        min_redo(&data),
        data.log_needed
    );
    Ok(label)
}

fn min_redo(data: &ControlData) -> Lsn {
    data.redo.iter().copied().min().unwrap_or(data.log_needed)
}

/// A label of a copy that begins now, at the end of the log `start`.
pub(super) fn new_label(
    data: &ControlData,
    timeline: u32,
    start: Lsn,
    parent: Option<String>,
    name: &str,
) -> Manifest {
    let begun_ms = clock::wall_ms();
    Manifest {
        version: MANIFEST_VERSION,
        id: new_id(begun_ms),
        label: name.to_owned(),
        database_id: data.database_id,
        timeline,
        parent,
        begun_ms,
        ended_ms: 0,
        segment_bytes: data.segment_bytes,
        partitions: data.partitions.get() as u32,
        redo: data.redo.iter().copied().map(Position::from).collect(),
        round: data.round.into(),
        log_needed: data.log_needed.into(),
        next_file: data.next_file,
        next_txn: data.next_txn,
        start: start.into(),
        end: Position::default(),
        end_incarnation: 0,
        protection: data.protection.name().to_owned(),
        files: Vec::new(),
    }
}

/// The first position from `from` on that is neither archived nor still to be.
fn missing_log(core: &Core, archiver: &Archiver, from: Lsn) -> Result<Option<Lsn>> {
    let (wal, state) = (&core.env.wal, archiver.state());
    let archived = wal.geometry().start_of(state.next);
    if archived <= from {
        return Ok((wal.oldest_lsn() > from).then_some(from));
    }
    archive::missing_log(&**archiver.store(), state.timeline, wal.geometry(), from, archived)
}

/// The backup to lay the new one upon, with all that it needs.
fn find_parent(core: &Core, store: &dyn ArchiveStore, timeline: u32, which: &Which) -> Result<String> {
    let database_id = core.primary().checkpointer.published().database_id;
    let fits = |m: &Manifest| m.database_id == database_id && m.timeline == timeline;
    let parent = match which {
        Which::Id(id) => archive::manifest(store, id)?,
        Which::Latest => archive::backups(store)?
            .into_iter()
            .rev()
            .find_map(|f| match f {
                Found::Complete(m) if fits(&m) => Some(m),
                _ => None,
            })
            .ok_or_else(|| {
                Error::InvalidArgument(
                    "there is no complete backup of this database and timeline that an incremental one could be laid upon: make a full one"
                        .into(),
                )
            })?,
    };
    if !fits(&parent) {
        return Err(Error::InvalidArgument(format!(
            "backup \"{}\" is of timeline {} of database {:016x}: an incremental one of timeline {timeline} of {database_id:016x} cannot be laid upon it",
            parent.id, parent.timeline, parent.database_id
        )));
    }
    let id = parent.id.clone();
    chain_is_whole(store, parent)?;
    Ok(id)
}

/// Whether every object of a backup and of those below it is there.
fn chain_is_whole(store: &dyn ArchiveStore, top: Manifest) -> Result<()> {
    for m in archive::chain(store, top)? {
        if let Some(name) = archive::missing_chunks(store, &m)?.first() {
            return Err(Error::corrupt(format!("the archive lacks \"{name}\" of backup \"{}\"", m.id)));
        }
    }
    Ok(())
}

/// Stage 1 of a backup that goes on: the label of the earlier attempt.
fn find_label(core: &Core, archiver: &Archiver, which: &Which) -> Result<Manifest> {
    let store = &**archiver.store();
    let database_id = core.primary().checkpointer.published().database_id;
    let timeline = archiver.state().timeline;
    let found = archive::backups(store)?.into_iter().rev().find(|f| match which {
        Which::Id(id) => f.id() == id,
        Which::Latest => {
            matches!(f, Found::Unfinished(m) if m.database_id == database_id && m.timeline == timeline)
        }
    });
    let bad = |why: String| Err(Error::InvalidArgument(why));
    let label = match found {
        Some(Found::Unfinished(m)) => m,
        Some(Found::Complete(m)) => return bad(format!("backup \"{}\" is complete", m.id)),
        Some(Found::Damaged { id, why }) => return bad(format!("backup \"{id}\" cannot go on: {why}")),
        None => {
            return bad("there is no unfinished backup of this database and timeline to go on with".into());
        }
    };
    if label.database_id != database_id || label.timeline != timeline {
        return bad(format!("backup \"{}\" is of another database or timeline", label.id));
    }
    if let Some(at) = missing_log(core, archiver, label.log_needed.into())? {
        return bad(format!(
            "backup \"{}\" cannot go on: the archive has no more log from {at} on, which it needs; delete it, and begin another",
            label.id
        ));
    }
    tracing::info!("backup {} goes on", label.id);
    Ok(label)
}

/// Stage 3: a record behind every page that was copied, the log up to it in the archive, the manifest.
fn end(
    db: &Database,
    archiver: &Archiver,
    mut m: Manifest,
    options: &BackupOptions,
    watch: &mut Watch<'_>,
) -> Result<Manifest> {
    let core = db.core();
    let store = &**archiver.store();
    let end = db.mark(&format!("backup {}", m.id))?;
    m.end = end.into();
    m.end_incarnation = core.env.wal.incarnation();
    watch.enter(BackupPhase::WaitingForArchive)?;
    patiently(core, "it falls behind", options.archive_wait, watch, |now| {
        archiver.reach(&core.archive_settings(), now, end)
    })?;
    let geometry = core.env.wal.geometry();
    let missing =
        again_all(core, || archive::missing_log(store, m.timeline, geometry, m.log_needed.into(), end))?;
    if let Some(at) = missing {
        return Err(Error::corrupt(format!(
            "backup \"{}\" is not complete: somebody removed log from the archive that it needs, from {at} on",
            m.id
        )));
    }
    again_all(core, || archive::check_end(store, &m))?;
    is_left(core, store, &m)?;
    if let Some(parent) = &m.parent {
        chain_is_whole(store, archive::manifest(store, parent)?)?;
    }
    m.ended_ms = clock::wall_ms();
    debug_assert!(Manifest::decode(&m.encode()).is_ok_and(|read| read == m));
    put(core, store, &manifest_name(&m.id), &m.encode())?;
    if let Err(e @ Error::Corrupt(_)) = is_left(core, store, &m) {
        store
            .delete(&manifest_name(&m.id))
            .map_err(|e| Error::io("the log archive", std::io::Error::other(e)))?;
        return Err(e);
    }
    for name in store.list(&alive_name_prefix(&m.id)).unwrap_or_default() {
        let _ = store.delete(&name); // of no use any more, and no harm
    }
    tracing::info!(
        "backup {} is complete: {} bytes of files, {} bytes stored, restorable from {end} on",
        m.id,
        watch.shown.copied_bytes,
        m.files.iter().flat_map(|f| &f.chunks).map(|c| c.bytes).sum::<u64>()
    );
    Ok(m)
}

/// Whether what was copied is there still: somebody may have removed the backup, when it looked like one that was cut short.
fn is_left(core: &Core, store: &dyn ArchiveStore, m: &Manifest) -> Result<()> {
    let mut lost = again_all(core, || archive::missing_chunks(store, m))?;
    if again_all(core, || archive::label(store, &m.id))?.is_none() {
        lost.push(archive::label_name(&m.id));
    }
    match lost.first() {
        None => Ok(()),
        Some(name) => Err(Error::corrupt(format!(
            "backup \"{}\" is not complete: somebody removed \"{name}\" and {} more objects meanwhile; make another one",
            m.id,
            lost.len() - 1
        ))),
    }
}

/// Tries until the archive does it, for so long at most; `behind` says why it has not yet, where it gives no error.
fn patiently(
    core: &Core,
    behind: &str,
    longest: Duration,
    watch: &mut Watch<'_>,
    mut attempt: impl FnMut(Duration) -> Result<bool>,
) -> Result<()> {
    let deadline = Instant::now() + longest;
    let mut wait = REACH_BACK_OFF.0;
    let mut attempts = 0;
    loop {
        attempts += 1;
        let last = match attempt(core.opened.elapsed()) {
            Ok(true) => return Ok(()),
            Ok(false) => None,
            // Another owner, or other log in our place: time does not help.
            Err(e @ (Error::InvalidArgument(_) | Error::Corrupt(_))) => return Err(e),
            Err(e) => Some(e),
        };
        let over = if core.has_threads { Instant::now() >= deadline } else { attempts >= REACH_ATTEMPTS };
        if over {
            let why = last.map_or_else(|| behind.to_owned(), |e| e.to_string());
            return Err(Error::InvalidArgument(format!(
                "the backup is not complete: its log did not reach the archive within {} s ({why}); once it does, go on with the backup",
                longest.as_secs()
            )));
        }
        watch.look()?;
        if core.has_threads {
            watch.wait_until(Instant::now() + wait)?;
            wait = (wait * 2).min(REACH_BACK_OFF.1);
        }
    }
}

fn alive_name_prefix(id: &str) -> String {
    format!("{}alive-", backup_folder(id))
}
