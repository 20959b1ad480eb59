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

use super::database::{Core, Database};
use crate::archive::{
    self, ArchiveStore, Archiver, BackupChunk, BackupFile, CHUNK_BLOCKS, Chunk, Copier, Found,
    MANIFEST_VERSION, Manifest, Parent, Position, Uploader, WORKERS, alive_name, backup_folder, chunk_name,
    label_name, manifest_name,
};
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, Result};
use crate::control::ControlData;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Longest label.
pub const LABEL_BYTES_MAX: usize = 200;
/// How often progress is told while something is waited for.
const LOOK: Duration = Duration::from_millis(100);
/// Waits between attempts to get the end of the log archived, the first and the longest.
const REACH_BACK_OFF: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));
/// Such attempts where there are no threads, and so no time.
const REACH_ATTEMPTS: u32 = 16;
/// How often a backup says that it is still being made: retention leaves it alone for longer than that.
const SIGN_OF_LIFE: Duration = Duration::from_secs(3600);

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
        core.check_open()?;
        let Some(archiver) = &core.archiver else {
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
        archiver.claim()?;
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

    /// Where the archive is, if there is one.
    pub fn archive_store(&self) -> Option<std::sync::Arc<dyn ArchiveStore>> {
        self.core().archiver.as_ref().map(|a| a.store().clone())
    }
}

/// Takes down what `backup_progress` shows.
struct Shown<'a>(&'a Core);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        *self.0.backup_shown.lock() = None;
    }
}

/// Progress, pace, and when to stop.
struct Watch<'a> {
    core: &'a Core,
    progress: OnProgress<'a>,
    shown: BackupProgress,
    rate: u64,
    /// Not before this may more be read.
    not_before: Instant,
    sign_of_life: Instant,
}

impl<'a> Watch<'a> {
    fn new(core: &'a Core, options: &BackupOptions, progress: OnProgress<'a>) -> Watch<'a> {
        let now = Instant::now();
        let rate = if core.has_threads { options.rate_bytes_per_s } else { 0 };
        let shown = BackupProgress { pid: options.pid, ..BackupProgress::default() };
        Watch { core, progress, shown, rate, not_before: now, sign_of_life: now }
    }

    fn enter(&mut self, phase: BackupPhase) -> Result<()> {
        self.shown.phase = phase;
        self.look()
    }

    /// Tells how far it is. An error ends the backup.
    fn look(&mut self) -> Result<()> {
        *self.core.backup_shown.lock() = Some(self.shown.clone());
        go_on(self.core)?;
        match (self.progress)(&self.shown) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Canceled),
        }
    }

    /// So many bytes were copied: waits until more may be. What was not used of the rate while something else was waited for is not made up for.
    fn pace(&mut self, bytes: u64) -> Result<()> {
        self.shown.copied_bytes += bytes;
        self.look()?;
        if self.rate > 0 {
            let share = Duration::from_secs_f64(bytes as f64 / self.rate as f64);
            self.not_before = self.not_before.max(Instant::now()) + share;
            self.wait_until(self.not_before)?;
        }
        Ok(())
    }

    fn wait_until(&mut self, until: Instant) -> Result<()> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.core.pause(left.min(LOOK));
            self.look()?;
        }
    }
}

/// Whether the database is to go on.
fn go_on(core: &Core) -> Result<()> {
    core.env.wal.poison().check()?;
    if *core.closing.lock() { Err(Error::Closed) } else { Ok(()) }
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
        core.forced_checkpoint(true)?;
    }
    let data = loop {
        let data = core.checkpointer.published();
        let Some(at) = missing_log(core, archiver, data.log_needed)? else { break data };
        // Log that was never archived is no base. A checkpoint makes it needless, unless an open transaction began in it.
        if checkpointed {
            return Err(Error::InvalidArgument(format!(
                "the archive lacks log that this backup would need, from {at} on; an old transaction may be open"
            )));
        }
        core.forced_checkpoint(true)?;
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

fn new_label(data: &ControlData, timeline: u32, start: Lsn, parent: Option<String>, name: &str) -> Manifest {
    let begun_ms = now_ms();
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
    let database_id = core.checkpointer.published().database_id;
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
            return Err(Error::Corrupt(format!("the archive lacks \"{name}\" of backup \"{}\"", m.id)));
        }
    }
    Ok(())
}

/// Stage 1 of a backup that goes on: the label of the earlier attempt.
fn find_label(core: &Core, archiver: &Archiver, which: &Which) -> Result<Manifest> {
    let store = &**archiver.store();
    let database_id = core.checkpointer.published().database_id;
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

/// Stage 2: the files.
fn copy(
    core: &Core,
    store: &dyn ArchiveStore,
    label: &Manifest,
    resumed: bool,
    options: &BackupOptions,
    watch: &mut Watch<'_>,
) -> Result<Vec<BackupFile>> {
    let parent = match &label.parent {
        Some(id) => Some(Parent::new(&archive::manifest(store, id)?)),
        None => None,
    };
    let stopped = AtomicBool::new(false);
    let pause = |time| pause(core, &stopped, time);
    let uploader = Uploader::new(store, &label.id, options.level, &pause);
    let mut copying = Copying {
        core,
        store,
        label,
        parent,
        uploader: &uploader,
        copier: Copier::new(&core.env.pool, &core.env.wal),
        there: BTreeSet::new(),
        files: BTreeMap::new(),
        watch,
    };
    if resumed {
        copying.there = again(core, || store.list(&backup_folder(&label.id)))?.into_iter().collect();
        copying.sign_of_life()?;
    }
    let done = if core.has_threads {
        std::thread::scope(|s| {
            for n in 0..WORKERS {
                let spawned = std::thread::Builder::new()
                    .name(format!("backup-{n}"))
                    .spawn_scoped(s, || uploader.work());
                if let Err(e) = spawned {
                    uploader.close();
                    return Err(Error::io("starting a thread", e));
                }
            }
            let done = copying.run();
            stopped.store(true, Ordering::Relaxed);
            uploader.close();
            done
        })
    } else {
        copying.run()
    };
    done?;
    for (file, chunk) in uploader.take_done() {
        copying.files.entry(file).or_default().push(chunk);
    }
    Ok(assemble(copying.files))
}

struct Copying<'a, 'w> {
    core: &'a Core,
    store: &'a dyn ArchiveStore,
    label: &'a Manifest,
    parent: Option<Parent>,
    uploader: &'a Uploader<'a>,
    copier: Copier<'a>,
    /// Objects of an earlier attempt.
    there: BTreeSet<String>,
    files: BTreeMap<FileId, Vec<BackupChunk>>,
    watch: &'a mut Watch<'w>,
}

impl Copying<'_, '_> {
    fn run(&mut self) -> Result<()> {
        let files = self.core.env.pool.files().list()?;
        let mut lengths = Vec::with_capacity(files.len());
        for file in files {
            // Dropped meanwhile: the log says so.
            if let Some(blocks) = Copier::blocks(self.core.env.pool.files(), file)? {
                lengths.push((file, blocks));
            }
        }
        let shown = &mut self.watch.shown;
        shown.files = lengths.len() as u64;
        shown.total_bytes = lengths.iter().map(|(_, blocks)| bytes_of(*blocks)).sum();
        self.watch.enter(BackupPhase::Copying)?;
        for (file, blocks) in lengths {
            self.files.entry(file).or_default();
            self.file(file, blocks)?;
            self.watch.shown.files_copied += 1;
        }
        let (uploader, watch) = (self.uploader, &mut *self.watch);
        uploader.finish(&mut || told(uploader, watch))
    }

    fn file(&mut self, file: FileId, blocks: u32) -> Result<()> {
        let mut first = 0;
        while first < blocks {
            if self.watch.sign_of_life.elapsed() > SIGN_OF_LIFE {
                self.sign_of_life()?;
            }
            if let Some(kept) = self.kept(file, first)? {
                let (bytes, whole) = (bytes_of(kept.blocks), kept.blocks == CHUNK_BLOCKS);
                first += kept.blocks;
                self.files.entry(file).or_default().push(kept);
                self.watch.shown.kept_bytes += bytes;
                self.watch.shown.copied_bytes += bytes;
                self.watch.look()?;
                if !whole {
                    return Ok(()); // the file ended here at that time; what came later is in the log
                }
                continue;
            }
            let wanted = CHUNK_BLOCKS.min(blocks - first);
            let (uploader, watch) = (self.uploader, &mut *self.watch);
            let mut pace = |bytes| {
                watch.shown.stored_bytes = uploader.stored_bytes.load(Ordering::Relaxed);
                watch.pace(bytes)
            };
            let copied = self.copier.chunk(file, first, wanted, self.parent.as_ref(), &mut pace)?;
            first += copied.chunk.blocks();
            if copied.chunk.blocks() > 0 {
                self.core.env.wal.flush(copied.lsn)?; // invariant 2
                self.store(copied.chunk)?;
            }
            if copied.cut_short {
                break;
            }
        }
        Ok(())
    }

    fn store(&mut self, chunk: Chunk) -> Result<()> {
        let (uploader, watch) = (self.uploader, &mut *self.watch);
        if self.core.has_threads {
            return uploader.hand_over(chunk, &mut || told(uploader, watch));
        }
        let done = uploader.store_now(&chunk)?;
        self.files.entry(chunk.file()).or_default().push(done);
        told(uploader, watch)
    }

    /// The chunk that an earlier attempt has stored, if it is good. One that is not is removed.
    fn kept(&mut self, file: FileId, first: u32) -> Result<Option<BackupChunk>> {
        let name = chunk_name(&self.label.id, file.0, first);
        if !self.there.contains(&name) {
            return Ok(None);
        }
        let Some((bytes, _)) = again(self.core, || self.store.get(&name))? else { return Ok(None) };
        match Chunk::decode(&bytes) {
            Ok(chunk) if (chunk.file(), chunk.first()) == (file, first) => Ok(Some(BackupChunk {
                first,
                blocks: chunk.blocks(),
                pages: chunk.pages(),
                bytes: bytes.len() as u64,
                crc32c: crc32c::crc32c(&bytes),
            })),
            _ => {
                tracing::warn!("\"{name}\" is damaged: it is made anew");
                again(self.core, || self.store.delete(&name))?;
                Ok(None)
            }
        }
    }

    /// Says that this backup is being made: retention leaves it alone.
    fn sign_of_life(&mut self) -> Result<()> {
        self.watch.sign_of_life = Instant::now();
        put(self.core, self.store, &alive_name(&self.label.id, now_ms()), b"alive\n")
    }
}

fn told(uploader: &Uploader<'_>, watch: &mut Watch<'_>) -> Result<()> {
    watch.shown.stored_bytes = uploader.stored_bytes.load(Ordering::Relaxed);
    watch.look()
}

/// Files of chunks that came in any order.
fn assemble(files: BTreeMap<FileId, Vec<BackupChunk>>) -> Vec<BackupFile> {
    let one = |(file, mut chunks): (FileId, Vec<BackupChunk>)| {
        chunks.sort_unstable_by_key(|c| c.first);
        let blocks = chunks.last().map_or(0, |c| c.first + c.blocks);
        BackupFile { file: file.0, blocks, chunks }
    };
    files.into_iter().map(one).collect()
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
    reach(core, archiver, end, options.archive_wait, watch)?;
    let geometry = core.env.wal.geometry();
    let missing =
        again_all(core, || archive::missing_log(store, m.timeline, geometry, m.log_needed.into(), end))?;
    if let Some(at) = missing {
        return Err(Error::Corrupt(format!(
            "backup \"{}\" is not complete: somebody removed log from the archive that it needs, from {at} on",
            m.id
        )));
    }
    if let Some(parent) = &m.parent {
        chain_is_whole(store, archive::manifest(store, parent)?)?;
    }
    m.ended_ms = now_ms();
    debug_assert!(Manifest::decode(&m.encode()).is_ok_and(|read| read == m));
    put(core, store, &manifest_name(&m.id), &m.encode())?;
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

/// Waits until the archive has the log up to `end`.
fn reach(core: &Core, archiver: &Archiver, end: Lsn, longest: Duration, watch: &mut Watch<'_>) -> Result<()> {
    let deadline = Instant::now() + longest;
    let mut wait = REACH_BACK_OFF.0;
    let mut attempts = 0;
    loop {
        attempts += 1;
        let last = match archiver.reach(&core.archive_settings(), core.opened.elapsed(), end) {
            Ok(true) => return Ok(()),
            Ok(false) => None,
            // Another owner, or other log in our place: time does not help.
            Err(e @ (Error::InvalidArgument(_) | Error::Corrupt(_))) => return Err(e),
            Err(e) => Some(e),
        };
        let over = if core.has_threads { Instant::now() >= deadline } else { attempts >= REACH_ATTEMPTS };
        if over {
            let why = last.map_or_else(|| "it falls behind".to_owned(), |e| e.to_string());
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

fn pause(core: &Core, stopped: &AtomicBool, time: Duration) -> Result<()> {
    if core.has_threads {
        let until = Instant::now() + time;
        while Instant::now() < until && !stopped.load(Ordering::Relaxed) {
            core.pause(LOOK.min(until.saturating_duration_since(Instant::now())));
            go_on(core)?;
        }
    }
    if stopped.load(Ordering::Relaxed) { Err(Error::Canceled) } else { Ok(()) }
}

/// Calls the store until it does not fail, a few times.
fn again<T>(core: &Core, call: impl FnMut() -> std::result::Result<T, archive::StoreError>) -> Result<T> {
    archive::again(&|time| pause(core, &AtomicBool::new(false), time), call)
}

/// The same for what calls it several times, and gives the engine's errors.
fn again_all<T>(core: &Core, mut call: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 0..4 {
        match call() {
            Err(Error::Io { .. }) => pause(core, &AtomicBool::new(false), Duration::from_secs(1))?,
            done => return done,
        }
    }
    call()
}

fn put(core: &Core, store: &dyn ArchiveStore, name: &str, bytes: &[u8]) -> Result<()> {
    archive::put(store, name, bytes, &|time| pause(core, &AtomicBool::new(false), time))
}

fn alive_name_prefix(id: &str) -> String {
    format!("{}alive-", backup_folder(id))
}

fn bytes_of(blocks: u32) -> u64 {
    u64::from(blocks) * PAGE_BYTES as u64
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// A name that sorts by time: `20260102T030405Z-0a1b2c3d`.
fn new_id(now_ms: u64) -> String {
    let seconds = now_ms / 1000;
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!(
        "{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z-{:08x}",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60,
        fastrand::Rng::new().u32(..)
    )
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar. Years are taken to begin in March, so that leap days end them.
pub(super) fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // since 0000-03-01
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_when() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(59), (1970, 3, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_454), (2026, 1, 1));
        assert!(new_id(1_767_322_845_000).starts_with("20260102T030045Z-"));
    }
}
