//! Opening, wiring and closing a database.

use super::backup::BackupProgress;
use super::give_up;
use super::log_damage::{self, Healing};
use super::options::Options;
use super::protection;
use super::recovering::{Past, ReadPast, read_past};
use super::restore;
use super::settings::{DEFS, Id, Live, parse};
use super::stats::Stats;
use super::transaction::Transaction;
use crate::archive::{self, ArchiveStore, Archiver};
use crate::base::sync::{
    self, AtomicBool, AtomicU64, AtomicUsize, Condvar, Instant, JoinHandle, Mutex, Ordering, RwLock,
    RwLockReadGuard, planted,
};
use crate::base::{Error, Lsn, PAGE_BYTES, PartitionCount, Poison, Result, TreeId, TxnId};
use crate::checkpoint::{Cause, Checkpointer, PartitionStats, RoundOptions, RoundStats, Stage, Waits};
use crate::control::{Control, ControlData};
use crate::io::{Disk, OsDisk};
use crate::mtr::{Env, Floors};
use crate::pool::{DoubleWrite, Files, Pool};
use crate::recovery::RedoStats;
use crate::settings::{Context, Mistake, Shown, find};
use crate::store::{Store, Txn, TxnOptions, UndoSpace, VacuumStats, undo_losers};
use crate::txn::{Interrupt, TxnManager, UpperWaits};
use crate::wal::segment::{Geometry, Header};
use crate::wal::source::LogSource;
use crate::wal::{self, CommitStats, Wal};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Names that a folder may hold before a database is created in it.
const OWN_NAMES: [&str; 4] = [crate::io::LOCK_FILE, "evenkeel.toml", "control.new", "undo.scratch"];
/// How long `close` waits for open transactions to notice.
const CLOSE_WAIT: Duration = Duration::from_secs(5);

/// What a life of the log begins with.
pub(super) struct Beginning<'d> {
    pub disk: &'d Arc<dyn Disk>,
    pub options: Options,
    pub lock: Box<dyn Send + Sync>,
    pub rng: fastrand::Rng,
    pub undo: UndoSpace,
    pub pool: Arc<Pool>,
    pub poison: Arc<Poison>,
    pub protecting: protection::Protecting,
    pub past: Past,
    pub archive_store: Option<Arc<dyn ArchiveStore>>,
    /// The log of this life stays, although nothing archives it yet.
    pub keep_log: bool,
}

/// Everything behind a `Database`; transactions and threads hold it too.
pub(super) struct Core {
    pub(super) env: Env,
    pub(super) store: Arc<Store>,
    pub(super) checkpointer: Checkpointer,
    pub(super) has_threads: bool,
    pub(super) closing: Mutex<bool>,
    pub(super) wake: Condvar,
    /// Held by a purge step, and by a check, which finds what it has listed at its beginning.
    pub(super) purging: Mutex<()>,
    /// Forced checkpoints that wait: paced rounds stop sleeping.
    pub(super) hurry: AtomicUsize,
    /// There is log to be given back.
    pub(super) round_wanted: AtomicBool,
    closed: AtomicBool,
    values: Live,
    /// By this start.
    pub(super) torn_pages_repaired: u64,
    /// Of this start.
    redo_stats: RedoStats,
    pub(super) archiver: Option<Archiver>,
    pub(super) opened: Instant,
    /// Held by whoever makes a base backup.
    pub(super) backing_up: Mutex<()>,
    pub(super) backup_shown: Mutex<Option<BackupProgress>>,
    /// Held for reading by whoever is at work without a transaction.
    at_work: RwLock<()>,
    // Last: the folder stays locked until everything else is gone, or nothing can write any more.
    lock: Mutex<Option<Box<dyn Send + Sync>>>,
}

/// An open database. Clones share it; the last one dropped closes it.
#[derive(Clone)]
pub struct Database(Arc<Handle>);

struct Handle {
    core: Arc<Core>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Held by whoever shuts down: everybody else who closes waits for the end.
    shutdown: Mutex<()>,
    abandoned: AtomicBool,
}

impl Core {
    pub(super) fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }

    /// As `check_open`, for work without a transaction: while it goes on, nobody else gets the folder.
    pub(super) fn enter(&self) -> Result<RwLockReadGuard<'_, ()>> {
        let at_work = self.at_work.read();
        self.check_open()?;
        Ok(at_work)
    }

    pub(super) fn live(&self, id: Id) -> u64 {
        self.values.number(id)
    }

    /// Rolls back an idle transaction that pins log on a full disk. Then purges after finished transactions; with none waiting, sweeps a tree that a
    /// crash may have left dead entries in.
    pub(super) fn purge_step(&self, max: usize) -> Result<usize> {
        let _purging = self.purging.lock();
        self.doom_log_pinner();
        if self.store.abort_doomed()? > 0 {
            self.want_round();
        }
        let done = self.store.purge_step(max)?;
        if done > 0 {
            return Ok(done);
        }
        self.store.sweep_step().map(usize::from)
    }

    /// The engine is poisoned: whoever waits for anything of it waits no longer.
    fn stopped(&self, why: &Error) {
        if planted("poison wakes nobody") {
            return;
        }
        self.env.wal.poisoned();
        self.store.locks.stop(why.clone());
        self.env.pool.release_cleaners();
        drop(self.closing.lock()); // whoever is about to pause has looked by now, or will see it
        self.wake.notify_all();
    }

    /// Hands the log the settings that concern it.
    fn tune_log(&self) {
        let tuning = &self.env.wal.tuning;
        tuning.set_depth(self.live(Id::WalFlushDepth));
        tuning.set_flush_after(self.live(Id::WalWriterFlushAfter));
        tuning.set_commit_delay(self.live(Id::CommitDelay), self.live(Id::CommitSiblings));
        self.env.wal.retune();
    }

    pub(super) fn live_time(&self, id: Id) -> Duration {
        Duration::from_micros(self.live(id))
    }
}

/// A database is created only in a folder that holds nothing else; nothing is left in one that is refused.
fn refuse_foreign_folder(disk: &dyn Disk) -> Result<()> {
    if Control::exists(disk)? {
        return Ok(());
    }
    // Files come into these folders only after the control file: without one they are the rest of some other database.
    for dir in [wal::segment::DIR, "data"] {
        let exists = disk.exists(dir).map_err(|e| Error::io(format!("looking for the folder {dir}"), e))?;
        if exists
            && !disk.list(dir).map_err(|e| Error::io(format!("listing the folder {dir}"), e))?.is_empty()
        {
            return Err(Error::Corrupt(format!(
                "the folder \"{dir}\" has files, but there is no control file: restore it, or choose an empty or missing folder"
            )));
        }
    }
    let names = disk.list("").map_err(|e| Error::io("listing the database folder", e))?;
    match names.iter().find(|n| !OWN_NAMES.contains(&n.as_str())) {
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
    rng: &mut fastrand::Rng,
) -> Result<(Control, ControlData, Box<dyn Send + Sync>)> {
    if Control::exists(disk)? {
        let lock = Control::lock(disk).map_err(not_ours)?;
        let (mut control, data) = Control::open(disk)?;
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
        database_id: rng.u64(1..),
        segment_bytes: options.get(Id::WalSegmentSize),
        partitions,
        clean: true,
        complete: false,
        protection: options.protection(),
        double_write_life: 0,
        round: Lsn::ZERO,
        log_needed: Lsn::ZERO,
        next_file: 17,
        next_txn: 1,
        end: Lsn::ZERO,
        end_incarnation: 0,
        redo: vec![Lsn::ZERO; partitions.get()],
    };
    let control = Control::create(disk, &data)?;
    Ok((control, data, Control::lock(disk).map_err(not_ours)?))
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

/// What tells a folder from its copies.
fn place_of(dir: &Path) -> String {
    use std::os::unix::fs::MetadataExt;
    let path = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let inode = std::fs::metadata(&path).map_or(0, |m| m.ino());
    format!("{} (inode {inode})", path.display())
}

impl Database {
    /// Opens the database in `dir`, recovering it if need be, or creates one in an empty or missing folder. One process at a time: a second
    /// one gets `AlreadyOpen`. Blocks for recovery.
    pub fn open(dir: impl AsRef<Path>, options: Options) -> Result<Database> {
        let dir = dir.as_ref();
        let disk = OsDisk::new(dir, options.os_options())
            .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
        let options = match options.archive_place() {
            Some(_) => options,
            None => options.with_archive_place(&place_of(dir)),
        };
        Database::open_on(Arc::new(disk), options)
    }

    /// Opens a database on any disk, a simulated one for instance.
    pub fn open_on(disk: Arc<dyn Disk>, options: Options) -> Result<Database> {
        let archive_store = options.archive_store()?;
        restore::refuse_unfinished(&*disk)?;
        refuse_foreign_folder(&*disk)?;
        let mut lock = Some(disk.lock().map_err(not_ours)?);
        let mut healing = Healing::default();
        loop {
            // Anew from the control file on, whenever a damaged segment of the log was replaced.
            if let Some(db) = Database::open_locked(&disk, &options, &archive_store, &mut lock, &mut healing)?
            {
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
        let atomic = protection::check(&**disk, options.protection())?;
        let mut rng = options.rng();
        let (mut control, mut data, file_lock) = open_control(&**disk, options, &mut rng)?;
        wal::segment::check_owner(&**disk, data.database_id)?;
        wal::segment::remove_unfinished(&**disk)?;
        protection::refuse_stripped_log(&**disk, &data)?;
        // First of all, as it gives space back.
        let undo =
            UndoSpace::new(disk.clone(), options.get(Id::UndoBuffers), options.get(Id::UndoSpillLimit))?;
        let poison = Arc::new(Poison::default());
        let files = Arc::new(Files::new(disk.clone()));
        // The number of partitions may change only when no redo vector counts.
        let wanted = PartitionCount::new(options.get(Id::CheckpointPartitions) as u32)
            .expect("checked by the setting");
        let partitions = if data.clean { wanted } else { data.partitions };
        if partitions != wanted {
            tracing::warn!("checkpoint_partitions stays {} until the next clean start", partitions.get());
        }
        let frames = options.get(Id::SharedBuffers) as usize / PAGE_BYTES;
        Pool::has_room_for(frames)?;
        let pool = Arc::new(Pool::new(frames, partitions, files, poison.clone()));
        let protecting = protection::begin(
            &**disk,
            &pool,
            &mut control,
            &mut data,
            options.protection(),
            options.get(Id::DoubleWriteSize),
            atomic,
        )?;
        let past = match read_past(&**disk, &pool, options, &control, &data)? {
            ReadPast::Read(recovered) => Past { clean: data.clean, control, data, recovered: *recovered },
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
            keep_log: false,
        };
        Database::begin_life(life, source).map(Some)
    }

    /// Begins a new life of the log behind what redo has read, undoes what did not commit, and starts the background duties. `source` is the log that was redone.
    pub(super) fn begin_life(b: Beginning<'_>, source: &dyn LogSource) -> Result<Database> {
        let Beginning {
            disk,
            options,
            lock,
            mut rng,
            undo,
            pool,
            poison,
            protecting,
            mut past,
            archive_store,
            keep_log,
        } = b;
        let partitions = pool.partitions();
        // A new life of the log, in a fresh segment (segment invariant 2).
        let geometry = Geometry { segment_bytes: past.data.segment_bytes };
        let segment = geometry.segment_of(past.recovered.end) + 1;
        log_damage::clear_from(&**disk, segment, past.recovered.end)?;
        let first = Header {
            segment_bytes: geometry.segment_bytes,
            database_id: past.data.database_id,
            segment,
            incarnation: rng.u64(1..),
            prev_end: past.recovered.end,
            prev_incarnation: past.recovered.incarnation,
            stripped: false,
        };
        let older = wal::segment::list(&**disk)?;
        // After a clean shutdown nothing of the log is needed, else all from where the control file says.
        let needed_from = if past.clean { segment } else { geometry.segment_of(past.data.log_needed) };
        // What is not archived stays.
        let archive = match archive_store {
            Some(store) => Some((store, archive::resume(&**disk, segment)?)),
            None => None,
        };
        let needed_from = archive.as_ref().map_or(needed_from, |(_, state)| needed_from.min(state.next));
        let ring = options.get(Id::WalBuffers) & !(wal::segment::LOG_BLOCK - 1);
        let wal = Arc::new(Wal::start(disk.clone(), geometry, first, older, needed_from, ring, poison)?);
        wal.tuning.set_tells_flushed(options.is_on(Id::Fsync));
        if keep_log {
            wal.set_archived(geometry.start_of(segment));
        }
        let archiver = archive.map(|(store, state)| {
            let place = options.archive_place().unwrap_or_default().to_owned();
            Archiver::new(disk.clone(), wal.clone(), store, first, state, place)
        });
        pool.set_wal(wal.clone());
        let start = wal.next_lsn();
        if past.clean {
            past.data.redo = vec![start; partitions.get()];
            past.data.round = Lsn::ZERO;
            past.data.log_needed = start;
        }
        past.data.partitions = partitions;
        past.data.clean = false;
        past.control.write_both(&past.data)?;

        let floors = Arc::new(Floors::new(partitions, start, protecting.images));
        let env = Env { last_change: Arc::new(AtomicU64::new(start.0)), wal, pool, floors };
        let next_tree =
            past.recovered.next_tree.max(env.pool.files().list()?.last().map_or(0, |f| f.0 + 1)).max(17);
        let txns = TxnManager::new(past.recovered.next_txn);
        let store =
            Store::new(env.clone(), txns, options.get(Id::MaxLocks) as usize, Arc::new(undo), next_tree);
        let losers = past.recovered.losers.iter().map(|loser| store.register_loser(*loser)).collect();
        undo_losers(&store, source, geometry, losers)?;
        if !past.data.complete {
            store.bootstrap()?;
            past.data.complete = true;
            past.control.write_both(&past.data)?;
        }
        let store = Arc::new(store);
        let segments = options.get(Id::MaxWalSize) / geometry.segment_bytes;
        let change = protecting.change(start);
        let checkpointer =
            Checkpointer::new(env.clone(), store.clone(), past.control, past.data, segments, change);
        store.remove_orphans()?;
        store.purge_pending(&[])?;
        if let Some(why) = give_up::read_only_because(&**disk)? {
            tracing::warn!("the database can only be read: {why}");
            let _ = store.writes_refused.set(why);
        }
        if !past.clean {
            store.sweep_when_opened(store.known_trees()?.into_keys());
        }

        let core = Arc::new(Core {
            env,
            store,
            checkpointer,
            has_threads: options.threads(),
            closing: Mutex::new(false),
            wake: Condvar::new(),
            purging: Mutex::new(()),
            hurry: AtomicUsize::new(0),
            round_wanted: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            values: Live::new(options.values().clone()),
            torn_pages_repaired: protecting.repaired,
            redo_stats: past.recovered.stats,
            archiver,
            opened: Instant::now(),
            backing_up: Mutex::default(),
            backup_shown: Mutex::default(),
            at_work: RwLock::new(()),
            lock: Mutex::new(Some(lock)),
        });
        let txns = core.store.txns.clone();
        core.env.wal.tuning.set_siblings(Box::new(move || txns.active().len()));
        core.tune_log();
        let all = Arc::downgrade(&core);
        core.env.wal.poison().on_set(move |e| {
            if let Some(core) = all.upgrade() {
                core.stopped(e);
            }
        });
        let threads = if options.threads() {
            core.start_threads().map_err(|e| Error::io("starting a thread", e))?
        } else {
            Vec::new()
        };
        Ok(Database(Arc::new(Handle {
            core,
            threads: Mutex::new(threads),
            shutdown: Mutex::new(()),
            abandoned: AtomicBool::new(false),
        })))
    }

    pub(super) fn core(&self) -> &Arc<Core> {
        &self.0.core
    }

    /// Begins a transaction. Never blocks.
    pub fn begin(&self, options: TxnOptions) -> Transaction {
        Transaction::new(self.core().clone(), Txn::new(options))
    }

    /// Names the locks that a layer above has of its own, so that deadlocks across both kinds are found. To be called before its first wait.
    pub fn set_upper_waits(&self, upper: Arc<dyn UpperWaits>) {
        self.core().store.locks.set_upper_waits(upper);
    }

    /// A session, named by its interrupt's number, begins to wait for a lock of the layer above, where its request is queued already; `txn` is its
    /// transaction's id. Never blocks. `Deadlock`: it would wait for itself, and must give up.
    pub fn begin_upper_wait(&self, session: u64, txn: Option<u64>) -> Result<()> {
        self.core().store.locks.begin_upper_wait(session, txn.map(TxnId))
    }

    /// That wait has ended.
    pub fn end_upper_wait(&self, session: u64) {
        self.core().store.locks.end_upper_wait(session);
    }

    /// The log has been reserved up to here; not all of it may be written yet.
    pub fn insert_lsn(&self) -> Lsn {
        self.core().env.wal.next_lsn()
    }

    /// The log is durable up to here.
    pub fn durable_lsn(&self) -> Lsn {
        self.core().env.wal.flushed()
    }

    /// Log writes that may be in flight at a time: so many threads that wait for the log are worth having.
    pub fn wal_flush_depth(&self) -> usize {
        self.core().env.wal.tuning.depth()
    }

    /// Blocks until the log is durable up to `lsn`.
    pub fn wait_durable(&self, lsn: Lsn) -> Result<()> {
        self.core().env.wal.flush(lsn)
    }

    /// Sessions that wait for a row lock at this moment, by the numbers of their interrupts; known once `set_upper_waits` was called.
    pub fn lock_waiting_sessions(&self) -> Vec<u64> {
        self.core().store.locks.waiting_sessions()
    }

    /// Transactions that wait for a row lock at this moment.
    pub fn lock_waiters(&self) -> usize {
        self.core().store.locks.waiters()
    }

    /// Checkpoints every partition, at most `checkpoint_forced_rate` fast. Blocks until everything logged before is durable at home.
    pub fn checkpoint(&self) -> Result<()> {
        let core = self.core();
        let _at_work = core.enter()?;
        core.forced_checkpoint(None).map(drop)
    }

    /// As [`Database::checkpoint`]; `Canceled` soon after `interrupt` says so. What came home by then stays there.
    pub fn checkpoint_unless(&self, interrupt: &Interrupt) -> Result<()> {
        let core = self.core();
        let _at_work = core.enter()?;
        core.forced_checkpoint(Some(interrupt)).map(drop)
    }

    /// Removes dead entries of a tree that no snapshot needs and gives a free tail of its file back.
    pub fn vacuum(&self, tree: TreeId) -> Result<VacuumStats> {
        let _at_work = self.core().enter()?;
        self.core().store.vacuum(tree, None)
    }

    /// As [`Database::vacuum`]; `Canceled` soon after `interrupt` says so. What was removed by then stays removed.
    pub fn vacuum_unless(&self, tree: TreeId, interrupt: &Interrupt) -> Result<VacuumStats> {
        let _at_work = self.core().enter()?;
        self.core().store.vacuum(tree, Some(interrupt))
    }

    /// Size of a tree's file.
    pub fn tree_size_bytes(&self, tree: TreeId) -> Result<u64> {
        let _at_work = self.core().enter()?;
        let store = &self.core().store;
        store.tree(tree)?.space.bytes(&store.env)
    }

    /// The largest key physically in a tree, whether anybody sees it or not.
    pub fn max_key(&self, tree: TreeId) -> Result<Option<Vec<u8>>> {
        let _at_work = self.core().enter()?;
        self.core().store.max_key(tree)
    }

    /// All counters.
    pub fn stats(&self) -> Stats {
        self.core().stats()
    }

    /// What the recovery of this start did; all zero if there was none.
    pub fn redo_stats(&self) -> RedoStats {
        self.core().redo_stats
    }

    /// A change of `torn_page_protection` that began with this start waits for rounds: until then the one before holds as well.
    pub fn is_changing_protection(&self) -> bool {
        self.core().checkpointer.is_changing_protection()
    }

    /// Each checkpoint partition's state.
    pub fn checkpoint_partitions(&self) -> Vec<PartitionStats> {
        self.core().checkpointer.partitions()
    }

    /// The partition whose round runs at this moment, and its stage.
    pub fn checkpoint_running(&self) -> Option<(usize, Stage)> {
        self.core().checkpointer.stats.running()
    }

    /// How commits became durable, as distributions.
    pub fn commit_stats(&self) -> CommitStats {
        self.core().env.wal.stats.commit_stats()
    }

    /// All settings with their values.
    pub fn settings(&self) -> Vec<Shown> {
        self.core().values.current().shown(&DEFS)
    }

    /// Changes a setting of the open database. `Error::Setting` if there is no such setting, the value is bad, or another one would need a restart.
    pub fn set_setting(&self, name: &str, value: &str) -> Result<()> {
        let place = find(&DEFS, name)?;
        let new = parse(place, value)?;
        let values = &self.core().values;
        if DEFS[place].context == Context::Postmaster {
            if *values.current().get(place) == new {
                return Ok(());
            }
            return Err(Mistake::Fixed { name: name.into(), context: Context::Postmaster }.into());
        }
        values.set(place, new);
        self.core().tune_log();
        if place == Id::MaxWalSize as usize {
            let segments = self.core().live(Id::MaxWalSize) / self.core().env.wal.geometry().segment_bytes;
            self.core().checkpointer.segment_limit.store(segments, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Why the engine stopped, if it did: nothing is acknowledged any more, and everybody who waits gets this error. Opening the database anew recovers.
    pub fn poisoned(&self) -> Option<Error> {
        self.core().env.wal.poison().check().err()
    }

    /// Has `tell` called when the engine stops (see [`Database::poisoned`]), at once if it has: by whichever thread finds out. It must not call the database,
    /// nor wait; it may tell somebody who then ends the process, or opens the database anew once this one is closed and dropped.
    pub fn on_poison(&self, tell: impl FnOnce(&Error) + Send + 'static) {
        self.core().env.wal.poison().on_set(tell);
    }

    /// Stops the engine: for a layer above that cannot go on, such as a server whose threads have ended.
    pub fn poison(&self, why: String) -> Error {
        self.core().env.wal.poison().set(why)
    }

    /// Shuts down cleanly: open transactions fail with `Closed`, everything goes home, the next start needs no recovery. Idempotent:
    /// whoever comes second waits until the first is done. The folder can be opened again when this returns and no transaction of this database is left, whatever
    /// handles of it are.
    pub fn close(&self) -> Result<()> {
        self.0.close()
    }

    /// For simulations: forgets the database as a crash would, without a clean shutdown.
    #[doc(hidden)]
    pub fn abandon(self) {
        self.0.abandoned.store(true, Ordering::Relaxed);
        self.0.stop_threads();
    }

    /// One unpaced round: the checkpointer's step.
    pub fn step_round(&self) -> Result<()> {
        let _at_work = self.core().enter()?;
        self.core().round_step().map(|_| ())
    }

    /// For simulations: a round on a clock of the caller's. Gives what it did.
    #[doc(hidden)]
    pub fn step_round_with(&self, options: &RoundOptions, waits: &dyn Waits) -> Result<RoundStats> {
        let _at_work = self.core().enter()?;
        self.core().checkpointer.round(options, waits, Cause::Time)
    }

    /// The cleaner's step. Gives the number of pages written.
    pub fn step_clean(&self) -> Result<usize> {
        let _at_work = self.core().enter()?;
        self.core().clean_step().map(|s| s.written)
    }

    /// The purge thread's step: gives the number of things it did.
    pub fn step_purge(&self) -> Result<usize> {
        let _at_work = self.core().enter()?;
        self.core().purge_step(16)
    }

    /// The log writer's step.
    pub fn step_log_writer(&self) -> Result<()> {
        let _at_work = self.core().enter()?;
        self.core().env.wal.prepare_ahead()?;
        self.core().env.wal.serve_writer(true).map(drop)
    }

    /// For simulations: the log writer's step if it was asked for one, without its clock.
    #[doc(hidden)]
    pub fn step_log_writer_if_asked(&self) -> Result<bool> {
        let _at_work = self.core().enter()?;
        self.core().env.wal.serve_writer(false)
    }

    /// For simulations: the log, to keep writes in flight without threads.
    #[doc(hidden)]
    pub fn log(&self) -> &Wal {
        &self.core().env.wal
    }

    pub(super) fn store(&self) -> &Arc<Store> {
        &self.core().store
    }
}

impl Handle {
    fn stop_threads(&self) {
        *self.core.closing.lock() = true;
        self.core.wake.notify_all();
        self.core.env.pool.release_cleaners();
        self.core.env.wal.close();
        for t in self.threads.lock().drain(..) {
            let _ = t.join(); // it has told if it panicked
        }
    }

    fn close(&self) -> Result<()> {
        let _shutdown = self.shutdown.lock();
        if self.core.closed.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        self.core.store.locks.stop(Error::Closed);
        self.stop_threads();
        self.core.env.wal.poison().check()?;
        // Whoever still holds a transaction gets `Closed` from it and drops it.
        let deadline = sync::Instant::now() + if self.core.has_threads { CLOSE_WAIT } else { Duration::ZERO };
        while !self.core.store.txns.active().is_empty() && sync::Instant::now() < deadline {
            sync::sleep(Duration::from_millis(5));
        }
        // Asynchronous commits too, whatever becomes of the checkpoint.
        self.core.env.wal.flush(self.core.env.wal.completed())?;
        while matches!(self.core.store.purge_step(256), Ok(256)) {}
        // Clean means: nothing was changed since the cycle began, nobody owes anything, and no record can follow.
        for _ in 0..3 {
            let floor = self.core.last_checkpoint()?;
            let (store, env) = (&self.core.store, &self.core.env);
            let quiet = || store.txns.active().is_empty() && env.last_change.load(Ordering::SeqCst) < floor.0;
            if store.purge_backlog() == 0 && env.wal.seal_if(quiet) {
                self.core.checkpointer.shut_down()?;
                self.core.finish_archive();
                self.let_go();
                return Ok(());
            }
        }
        tracing::warn!("transactions are still open: the next start will recover and roll them back");
        Ok(())
    }
}

impl Handle {
    /// Gives the folder back at a clean shutdown, although handles of the database may live on: they can do nothing any more. Not while somebody who came in before
    /// is still at work, or has a transaction: then the last of them gives it back.
    fn let_go(&self) {
        if let Some(_nobody) = self.core.at_work.try_write()
            && Arc::strong_count(&self.core) == 1
        {
            self.core.lock.lock().take();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.abandoned.load(Ordering::Relaxed)
            && let Err(e) = self.close()
        {
            tracing::error!("closing the database failed: {e}");
        }
    }
}
