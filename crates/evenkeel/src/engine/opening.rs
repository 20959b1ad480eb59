//! Opening a database: the folder and its locks, what the past has left, a new life of the log, and its losers undone.
//!
//! Invariants
//! 1. Nothing is written in a folder that is refused.
//! 2. A new life of the log begins in a segment of its own (segment invariant 2), behind all that redo has read.
//! 3. The control file names the new life before anything is logged in it. So one that says that the log was closed, and where, is older than its folder if there is log behind, and is refused.
//!
//! Must not know: what the duties do once it is open.

use super::closed_files;
use super::core::{Core, Primary, StartStats, slot_floor};
use super::database::Database;
use super::feedback::Hold;
use super::lives;
use super::log_damage::{self, Healing};
use super::options::Options;
use super::recovering::{Past, ReadPast, read_past};
use super::settings::Id;
use super::slots::Slots;
use super::{give_up, protection, unfinished};
use crate::archive::{self, ArchiveStore, Archiver};
use crate::base::sync::{AtomicU64, Mutex};
use crate::base::{Error, Lsn, PAGE_BYTES, PartitionCount, Poison, Result};
use crate::checkpoint::Checkpointer;
use crate::control::{Control, ControlData, Role, TornPageProtection};
use crate::io::{Disk, OsDisk};
use crate::mtr::{Env, Floors};
use crate::pool::{DoubleWrite, Files, Pool};
use crate::recovery::{self, LifeEnd};
use crate::store::{Store, UndoSpace, undo_losers};
use crate::txn::{ActiveTxn, TxnManager};
use crate::wal::segment::{self, Geometry, Header};
use crate::wal::source::LogSource;
use crate::wal::{self, Horizon, Wal};
use std::path::Path;
use std::sync::Arc;

/// Changes of a transaction that are rolled back before anybody is let in: some hundredths of a second's work, if its pages are at hand.
const UNDONE_AT_ONCE: usize = 1_000;
/// What a creation that was cut short leaves.
const OWN_NAMES: [&str; 2] = ["control.new", "undo.scratch"];

/// What a life of the log begins with.
pub(super) struct Beginning<'d> {
    pub disk: &'d Arc<dyn Disk>,
    pub options: Options,
    pub lock: Box<dyn Send + Sync>,
    pub rng: fastrand::Rng,
    pub undo: Arc<UndoSpace>,
    pub pool: Arc<Pool>,
    pub poison: Arc<Poison>,
    pub protecting: protection::Protecting,
    pub past: Past,
    pub archive_store: Option<Arc<dyn ArchiveStore>>,
    /// See [`Opened`].
    pub are_files_known: bool,
}

/// A database is created only in a folder that holds nothing else; nothing is left in one that is refused.
pub(super) fn refuse_foreign_folder(disk: &dyn Disk) -> Result<()> {
    if Control::exists(disk)? {
        return Ok(());
    }
    // Files come into these folders only after the control file: without one they are the rest of some other database.
    for dir in [wal::segment::DIR, "data"] {
        let exists = disk.exists(dir).map_err(|e| Error::io(format!("looking for the folder {dir}"), e))?;
        if exists
            && !disk.list(dir).map_err(|e| Error::io(format!("listing the folder {dir}"), e))?.is_empty()
        {
            return Err(Error::corrupt(format!(
                "the folder \"{dir}\" has files, but there is no control file: restore it, or choose an empty or missing folder"
            )));
        }
    }
    let names = disk.list("").map_err(|e| Error::io("listing the database folder", e))?;
    match names.iter().find(|n| !unfinished::may_lie_beside(n) && !OWN_NAMES.contains(&n.as_str())) {
        None => Ok(()),
        Some(foreign) => Err(Error::InvalidArgument(format!(
            "the folder holds no database, but other files (\"{foreign}\" …): choose an empty or missing folder"
        ))),
    }
}

/// Opens or creates the control file, and takes it.
fn open_control(
    disk: &dyn Disk,
    options: &Options,
    role: Role,
    rng: &mut fastrand::Rng,
) -> Result<(Control, ControlData, Box<dyn Send + Sync>)> {
    if Control::exists(disk)? {
        let lock = Control::lock(disk).map_err(not_ours)?;
        let (mut control, data) = Control::open(disk)?;
        if data.complete && data.role != role {
            return Err(Error::InvalidArgument(match data.role {
                Role::Standby => "the folder is a standby's, which follows another server: open it as one, or promote it".into(),
                Role::Primary => "the folder is a primary's, which follows nobody: open it as a database, or make a standby of a copy".into(),
            }));
        }
        if data.complete {
            control.harden(&data)?;
            return Ok((control, data, lock));
        }
    }
    for dir in [wal::segment::DIR, "data"] {
        disk.create_dir(dir).map_err(|e| Error::io(format!("creating the folder {dir}"), e))?;
        // Left by a creation that was cut short.
        for name in disk.list(dir).map_err(|e| Error::io(format!("listing the folder {dir}"), e))? {
            disk.remove(&format!("{dir}/{name}"))
                .map_err(|e| Error::io(format!("removing {dir}/{name}"), e))?;
        }
    }
    DoubleWrite::remove(disk)?;
    let partitions =
        PartitionCount::new(options.get(Id::CheckpointPartitions) as u32).expect("checked by the setting");
    let data = ControlData {
        // Positive where it is shown as a signed number, as PostgreSQL's is.
        database_id: rng.u64(1..1 << 63),
        segment_bytes: options.get(Id::WalSegmentSize),
        partitions,
        clean: true,
        complete: false,
        role: Role::Primary,
        received: Lsn::ZERO,
        whole_at: Lsn::ZERO,
        whole_life: 0,
        replayed_to_ms: 0,
        told: Lsn::ZERO,
        protection: options.protection(),
        double_write_life: 0,
        round: Lsn::ZERO,
        log_needed: Lsn::ZERO,
        next_file: 17,
        next_txn: 1,
        end: Lsn::ZERO,
        end_incarnation: 0,
        epoch: 0,
        redo: vec![Lsn::ZERO; partitions.get()],
    };
    let control = Control::create(disk, &data)?;
    Ok((control, data, Control::lock(disk).map_err(not_ours)?))
}

/// What is wrong with a folder that cannot be opened says what helps.
fn with_advice(e: Error) -> Error {
    match e {
        Error::Corrupt(why) => Error::Corrupt(why.or_advice(closed_files::ADVICE)),
        e => e,
    }
}

/// Somebody has the folder.
pub(super) fn not_ours(e: std::io::Error) -> Error {
    match e.kind() {
        std::io::ErrorKind::WouldBlock => {
            Error::AlreadyOpen(format!("another process has this database open ({e}); stop it first"))
        }
        std::io::ErrorKind::ResourceBusy => Error::AlreadyOpen(
            "this process has this database open already: close it first, and let go of its transactions"
                .into(),
        ),
        _ => Error::io("locking the database folder", e),
    }
}

/// A folder that is open, and nothing of its log was read for its meaning.
pub(super) struct Opened {
    pub control: Control,
    pub data: ControlData,
    pub file_lock: Box<dyn Send + Sync>,
    pub rng: fastrand::Rng,
    pub undo: Arc<UndoSpace>,
    pub pool: Arc<Pool>,
    pub poison: Arc<Poison>,
    pub protecting: protection::Protecting,
    /// Where the log ends, if it was not closed.
    pub life_end: Option<LifeEnd>,
    /// The data files are those that were closed, but for what was told.
    pub are_files_known: bool,
}

/// Opens a folder, which is locked, in its role: what is in it is durable then, and whole.
pub(super) fn open_folder(
    disk: &Arc<dyn Disk>,
    options: &Options,
    role: Role,
    protection: TornPageProtection,
) -> Result<Opened> {
    let atomic = protection::check(&**disk, protection)?;
    let mut rng = options.rng();
    let (mut control, mut data, file_lock) = open_control(&**disk, options, role, &mut rng)?;
    wal::segment::check_owner(&**disk, data.database_id)?;
    if data.clean && data.complete {
        let geometry = Geometry { segment_bytes: data.segment_bytes };
        wal::segment::check_closed(&**disk, geometry, data.end, data.end_incarnation)?;
    }
    let files = Arc::new(Files::new(disk.clone()));
    let are_files_known = closed_files::verify(&**disk, &data, &files)?;
    wal::segment::remove_unfinished(&**disk)?;
    protection::refuse_stripped_log(&**disk, &data)?;
    // First of all, as it gives space back.
    let spill = options.get(Id::UndoSpillLimit);
    let undo = Arc::new(UndoSpace::new(disk.clone(), options.get(Id::UndoBuffers), spill)?);
    let poison = Arc::new(Poison::default());
    // The number of partitions may change only when no redo vector counts.
    let wanted =
        PartitionCount::new(options.get(Id::CheckpointPartitions) as u32).expect("checked by the setting");
    let partitions = if data.clean { wanted } else { data.partitions };
    if partitions != wanted {
        tracing::warn!("checkpoint_partitions stays {} until the next clean start", partitions.get());
    }
    let frames = options.get(Id::SharedBuffers) as usize / PAGE_BYTES;
    Pool::has_room_for(frames)?;
    let pool = Arc::new(Pool::new(frames, partitions, files, poison.clone()));
    let life_end = match (data.clean, role) {
        (true, _) => None,
        (false, Role::Primary) => recovery::sync_all(&**disk, &pool, &data)?,
        (false, Role::Standby) => Some(recovery::sync_received(&**disk, &pool, &data)?),
    };
    let protecting = protection::begin(
        &**disk,
        &pool,
        &mut control,
        &mut data,
        protection,
        options.get(Id::DoubleWriteSize),
        atomic,
    )?;
    Ok(Opened { control, data, file_lock, rng, undo, pool, poison, protecting, life_end, are_files_known })
}

impl Database {
    /// Opens the database in `dir`, recovering it if need be, or creates one in an empty or missing folder. One process at a time: a second
    /// one gets `AlreadyOpen`. Blocks for recovery.
    pub fn open(dir: impl AsRef<Path>, options: Options) -> Result<Database> {
        let dir = dir.as_ref();
        let disk = OsDisk::new(dir, options.os_options())
            .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
        if !Control::exists(&disk)? {
            disk.sync_path().map_err(|e| Error::io(format!("syncing the path {}", dir.display()), e))?;
        }
        let (disk, options) = options.with_place_of(dir).counting(Arc::new(disk));
        Database::open_on(disk, options)
    }

    /// Opens a database on any disk, a simulated one for instance.
    pub fn open_on(disk: Arc<dyn Disk>, options: Options) -> Result<Database> {
        let archive_store = options.archive_store()?;
        unfinished::refuse(&*disk)?;
        refuse_foreign_folder(&*disk)?;
        let mut lock = Some(disk.lock().map_err(not_ours)?);
        let mut healing = Healing::default();
        loop {
            // Anew from the control file on, whenever a damaged segment of the log was replaced.
            let opened = Database::open_locked(&disk, &options, &archive_store, &mut lock, &mut healing);
            if let Some(db) = opened.map_err(with_advice)? {
                return Ok(db);
            }
        }
    }

    /// An attempt to open the folder, which is locked. `None`: a damaged segment was replaced, another attempt will get further.
    fn open_locked(
        disk: &Arc<dyn Disk>,
        options: &Options,
        archive_store: &Option<Arc<dyn ArchiveStore>>,
        lock: &mut Option<Box<dyn Send + Sync>>,
        healing: &mut Healing,
    ) -> Result<Option<Database>> {
        let o = open_folder(disk, options, Role::Primary, options.protection())?;
        let are_files_known = o.are_files_known;
        let Opened {
            mut control, mut data, file_lock, rng, undo, pool, poison, protecting, life_end, ..
        } = o;
        let past = match read_past(&**disk, &pool, options, &control, &data, life_end)? {
            // Without syncs nothing of the log was sure to be there, whatever was archived.
            ReadPast::Read(r) if !options.is_on(Id::Fsync) => {
                Past { clean: data.clean, control, data, recovered: *r }
            }
            ReadPast::Read(r) => match log_damage::lost_end(&**disk, &data, r.end, r.incarnation)? {
                None => Past { clean: data.clean, control, data, recovered: *r },
                Some(damage) => {
                    return Err(log_damage::end_is_lost(&**disk, archive_store.as_deref(), &data, &damage));
                }
            },
            ReadPast::Damaged(damage) => {
                healing.heal(&**disk, archive_store.as_deref(), &mut control, &mut data, &damage)?;
                return Ok(None);
            }
        };
        let source: &dyn LogSource = &&**disk;
        let life = Beginning {
            disk,
            options: options.clone(),
            lock: Box::new((lock.take().expect("the folder is locked once"), file_lock)),
            rng,
            undo,
            pool,
            poison,
            protecting,
            past,
            archive_store: archive_store.clone(),
            are_files_known,
        };
        Database::begin_life(life, source).map(Some)
    }

    /// Begins a new life of the log behind what redo has read, undoes what did not commit, and starts the background duties. `source` is the log that was redone.
    pub(super) fn begin_life(mut b: Beginning<'_>, source: &dyn LogSource) -> Result<Database> {
        // First, and so dropped last where this fails: nobody else gets the folder while anything of this life is left.
        let lock = std::mem::replace(&mut b.lock, Box::new(()));
        let geometry = Geometry { segment_bytes: b.past.data.segment_bytes };
        let slots = Slots::open(b.disk.clone())?;
        let last = geometry.segment_of(b.past.recovered.end);
        slots.begin_at(geometry.start_of(segment::first_before(&**b.disk, last)?));
        let kept = slots.keep_from(slot_floor(b.past.recovered.end, b.options.get(Id::MaxSlotWalKeepSize)));
        let (wal, archiver) = b.start_log(geometry, kept)?;
        let start = wal.next_lsn();
        b.name_life(start)?;
        lives::note(&**b.disk, wal.incarnation(), b.past.recovered.incarnation, b.past.recovered.end);
        let Beginning { disk, options, undo, pool, protecting, mut past, are_files_known, .. } = b;

        let floors = Arc::new(Floors::new(pool.partitions(), start, protecting.images));
        let horizon = Horizon::new(wal.clone());
        horizon.ask(options.synchronous().cloned(), true);
        let last_change = Arc::new(AtomicU64::new(start.0));
        let env = Env { last_change, wal, horizon, pool, floors, is_between_waves: false };
        let newest = env.pool.files().list()?.last().map_or(0, |f| f.0 + 1);
        let next_tree = past.recovered.next_tree.max(newest).max(17);
        let txns = TxnManager::new(past.recovered.next_txn);
        let store = Store::new(env.clone(), txns, options.get(Id::MaxLocks) as usize, undo, next_tree);
        roll_back(&store, source, geometry, &past.recovered.losers, &options)?;
        if !past.data.complete {
            store.bootstrap()?;
            past.data.complete = true;
            past.control.write_both(&past.data)?;
        }
        let store = Arc::new(store);
        let segments = options.get(Id::MaxWalSize) / geometry.segment_bytes;
        let database_id = past.data.database_id;
        let change = protecting.change(start);
        let checkpointer = Checkpointer::new(env, store.clone(), past.control, past.data, segments, change);
        // A file that a loser made may be known to nobody else any more, and be removed by its rollback: the next start looks.
        if store.losers_left().is_empty() {
            store.remove_orphans()?;
        }
        slots.keep_for_readers(|| Some(Hold::new(store.txns.clone(), 0)));
        if slots.readers_want_before(start) {
            store.past_is_wanted();
        } else {
            match store.purge_all_pending() {
                // What is set aside for losers may have taken the disk: the next start looks again.
                Err(Error::OutOfSpace { .. }) if !store.losers_left().is_empty() => {}
                // It is dead: a page of it that cannot be read is nobody's who begins to work now.
                Err(e) if e.is_local() => {
                    tracing::warn!("what was dropped or replaced is not given back yet: {e}");
                    store.purge_pending_later();
                }
                done => done?,
            }
        }
        if let Some(why) = give_up::read_only_because(&**disk)? {
            tracing::warn!("the database can only be read: {why}");
            let _ = store.writes_refused.set(why);
        }
        if !past.clean || slots.is_owed() {
            store.sweep_when_opened(store.known_trees()?.into_keys());
        }
        let start_stats = StartStats {
            redo: past.recovered.stats,
            torn_pages_repaired: protecting.repaired,
            followed: past.clean.then_some(past.recovered.incarnation),
        };
        let mut unlooked: Vec<_> =
            if are_files_known { Vec::new() } else { store.known_trees()?.into_iter().collect() };
        unlooked.sort_unstable();
        let primary = Some(Primary { checkpointer, archiver, start, unlooked: Mutex::new(unlooked) });
        Database::serving(Core::new(database_id, store, primary, slots, &options, start_stats, lock))
    }
}

/// Rolls back the transactions that a crash cut short, or, where that takes long, brings them back to be rolled back while others are at work.
fn roll_back(
    store: &Store,
    source: &dyn LogSource,
    geometry: Geometry,
    losers: &[ActiveTxn],
    options: &Options,
) -> Result<()> {
    if losers.is_empty() {
        return Ok(());
    }
    let from_log = |losers: &[ActiveTxn]| {
        let losers = losers.iter().map(|loser| store.register_loser(*loser)).collect();
        undo_losers(store, source, geometry, losers)
    };
    if !options.is_on(Id::RollbackAfterOpen) {
        return from_log(losers);
    }
    // Those with few changes at once, however much others log between these, and whoever else has many. Without threads all are brought back all the same: simulations
    // want to see it.
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for loser in losers {
        let is_small = options.threads()
            && !options.leaves_losers()
            && Store::is_small_loser(source, geometry, loser, UNDONE_AT_ONCE)?
            && store.can_undo(source, geometry, loser)?;
        if is_small { small.push(*loser) } else { large.push(*loser) }
    }
    from_log(&small)?;
    if large.is_empty() {
        return Ok(());
    }
    let revived = match store.revive_losers(source, geometry, &large) {
        Ok(revived) => revived,
        Err(e) if matches!(e, Error::Poisoned(_)) || options.leaves_losers() => return Err(e),
        Err(e) => {
            tracing::info!("transactions that the crash cut short are rolled back before the start: {e}");
            return from_log(&large);
        }
    };
    let leave = options.leaves_losers() || options.threads();
    match leave.then(|| store.set_aside_for_losers(&revived)) {
        Some(Ok(())) => tracing::info!(
            "{} changes of {} transactions that the crash cut short are rolled back while others are at work",
            revived.changes,
            large.len()
        ),
        // With nobody else at work it needs the least space.
        Some(Err(Error::OutOfSpace { .. })) | None => loop {
            match store.undo_losers_step(usize::MAX) {
                Ok(0) => break,
                Ok(_) => {}
                Err(e) if e.is_local() => {
                    tracing::warn!("a transaction that the crash cut short cannot be rolled back now: {e}");
                    store.set_aside_for_losers(&revived)?;
                    break;
                }
                Err(e) => return Err(e),
            }
        },
        Some(Err(e)) => return Err(e),
    }
    Ok(())
}

impl Beginning<'_> {
    /// The log in a fresh segment (invariant 2), and what archives it.
    fn start_log(&mut self, geometry: Geometry, kept: Lsn) -> Result<(Arc<Wal>, Option<Archiver>)> {
        let disk = self.disk;
        let recovered = &self.past.recovered;
        let segment = geometry.segment_of(recovered.end) + 1;
        archive::lower(&**disk, segment)?; // of a standby that takes over its primary had archived more
        log_damage::clear_from(&**disk, segment, recovered.end, &recovered.bare)?;
        let first = Header {
            segment_bytes: geometry.segment_bytes,
            database_id: self.past.data.database_id,
            segment,
            incarnation: self.rng.u64(1..),
            prev_end: recovered.end,
            prev_incarnation: recovered.incarnation,
            stripped: false,
            epoch: self.options.epoch().unwrap_or(self.past.data.epoch),
        };
        let older = wal::segment::list(&**disk)?;
        // After a clean shutdown nothing of the log is needed, else all from where the control file says.
        let needed_from =
            if self.past.clean { segment } else { geometry.segment_of(self.past.data.log_needed) };
        // What is not archived stays.
        let archive = match self.archive_store.take() {
            Some(store) => Some((store, archive::resume(&**disk, segment)?)),
            None => None,
        };
        let needed_from = archive.as_ref().map_or(needed_from, |(_, state)| needed_from.min(state.next));
        let mut needed_from = needed_from.min(geometry.segment_of(kept));
        if self.options.keeps_log() {
            needed_from = needed_from.min(older.first().copied().unwrap_or(segment));
        }
        let ring = self.options.get(Id::WalBuffers) & !(wal::segment::LOG_BLOCK - 1);
        let poison = self.poison.clone();
        let wal = Arc::new(Wal::start(disk.clone(), geometry, first, older, needed_from, ring, poison)?);
        wal.tuning.set_tells_flushed(self.options.is_on(Id::Fsync));
        if self.options.keeps_log() {
            wal.set_archived(geometry.start_of(needed_from));
        }
        let archiver = archive.map(|(store, state)| {
            let place = self.options.archive_place().cloned().unwrap_or_default();
            Archiver::new(
                disk.clone(),
                wal.clone(),
                store,
                first,
                lives::before(&**disk, &first),
                state,
                place,
            )
        });
        self.pool.set_wal(wal.clone());
        if give_up::read_only_because(&**disk)?.is_none() {
            self.pool.set_gap(self.past.recovered.end, wal.next_lsn());
        }
        Ok((wal, archiver))
    }

    /// Writes the new life, which begins at `start`, into the control file (invariant 3).
    fn name_life(&mut self, start: Lsn) -> Result<()> {
        let partitions = self.pool.partitions();
        let data = &mut self.past.data;
        data.epoch = self.options.epoch().unwrap_or(data.epoch);
        if self.past.clean {
            data.redo = vec![start; partitions.get()];
            data.round = Lsn::ZERO;
            data.log_needed = start;
        }
        data.partitions = partitions;
        data.clean = false;
        self.past.control.write_both(data)
    }
}
