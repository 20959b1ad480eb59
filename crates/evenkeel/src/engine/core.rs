//! What an open database consists of, and what its duties share.
//!
//! Invariants
//! 1. `lock` is dropped last: the folder stays locked until everything else is gone, or nothing can write any more.
//! 2. Once the log is poisoned nobody waits for anything of the engine (`stopped`).
//!
//! Must not know: how a database is opened, what is done for callers.

use super::backup::BackupProgress;
use super::closed_files::ADVICE;
use super::duties::Duties;
use super::io_counts::IoCounts;
use super::options::Options;
use super::settings::{Id, Live};
use super::slots::Slots;
use crate::archive::Archiver;
use crate::base::sync::{
    AtomicBool, AtomicUsize, Condvar, Instant, Mutex, Ordering, RwLock, RwLockReadGuard, counter, planted,
};
use crate::base::{Error, Lsn, Result, TreeId};
use crate::checkpoint::Checkpointer;
use crate::mtr::Env;
use crate::recovery::RedoStats;
use crate::settings::Value;
use crate::store::Store;
use std::sync::Arc;
use std::time::Duration;

/// Changes of transactions that a crash cut short, undone in one step.
const UNDONE_A_STEP: usize = 256;

/// Log before this is kept for no slot, where `most` bytes are kept; 0: all of it.
pub(super) fn slot_floor(end: Lsn, most: u64) -> Lsn {
    if most == 0 { Lsn::ZERO } else { Lsn(end.0.saturating_sub(most)) }
}

/// Everything behind a `Database`; transactions and threads hold it too.
pub(super) struct Core {
    /// No other one of the process has this number.
    pub(super) serial: u64,
    pub(super) env: Env,
    /// Which database.
    pub(super) database_id: u64,
    pub(super) store: Arc<Store>,
    /// None of a standby that is read.
    pub(super) primary: Option<Primary>,
    /// Of those who follow.
    pub(super) slots: Arc<Slots>,
    pub(super) has_threads: bool,
    pub(super) duties: Duties,
    pub(super) closing: Mutex<bool>,
    pub(super) wake: Condvar,
    /// Held by a purge step, and by a check, which finds what it has listed at its beginning.
    pub(super) purging: Mutex<()>,
    /// Forced checkpoints that wait: paced rounds stop sleeping.
    pub(super) hurry: AtomicUsize,
    /// There is log to be given back.
    pub(super) round_wanted: AtomicBool,
    pub(super) closed: AtomicBool,
    /// Closing it is done.
    over: AtomicBool,
    pub(super) values: Live,
    /// By this start.
    pub(super) torn_pages_repaired: u64,
    /// Of this start.
    pub(super) redo_stats: RedoStats,
    /// The life of the log before this one, if a clean shutdown ended it.
    pub(super) followed: Option<u64>,
    /// Of the folder, if it is one.
    pub(super) io_counts: Arc<IoCounts>,
    pub(super) opened: Instant,
    /// Held by whoever makes a base backup.
    pub(super) backing_up: Mutex<()>,
    pub(super) backup_shown: Mutex<Option<BackupProgress>>,
    /// Transactions that callers have.
    pub(super) open: OpenTransactions,
    /// Held for reading by whoever is at work without a transaction.
    pub(super) at_work: RwLock<()>,
    // Last: the folder stays locked until everything else is gone, or nothing can write any more.
    pub(super) lock: Mutex<Option<Box<dyn Send + Sync>>>,
}

/// How many transactions callers have that can still do something, for `close`.
///
/// No points for the scheduler of `evenkeel-model`, as the count of references was none before them: what one run leaves to be dropped would be counted in the next, and a seed would
/// no longer give the same schedule.
#[derive(Default)]
pub(super) struct OpenTransactions {
    open: counter::AtomicUsize,
    undoing: counter::AtomicUsize,
}

/// While it lives a transaction is being undone, all of it or a part.
pub(super) struct Undoing<'a>(&'a OpenTransactions);

impl OpenTransactions {
    pub fn begin(&self) {
        self.open.fetch_add(1, Ordering::SeqCst);
    }

    /// Nothing is left of one.
    pub fn end(&self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }

    pub fn undoes(&self) -> Undoing<'_> {
        self.undoing.fetch_add(1, Ordering::SeqCst);
        Undoing(self)
    }

    pub fn are_none(&self) -> bool {
        self.open.load(Ordering::SeqCst) == 0
    }

    pub fn are_undone(&self) -> bool {
        self.undoing.load(Ordering::SeqCst) > 0
    }
}

impl Drop for Undoing<'_> {
    fn drop(&mut self) {
        self.0.undoing.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What only a database has that is written.
pub(super) struct Primary {
    pub checkpointer: Checkpointer,
    pub archiver: Option<Archiver>,
    /// Where the log of this life begins.
    pub start: Lsn,
    /// Trees, with their roots, at whose files nobody has looked since the start.
    pub unlooked: Mutex<Vec<(TreeId, Option<u32>)>>,
}

/// What a start did.
#[derive(Default)]
pub(super) struct StartStats {
    pub redo: RedoStats,
    pub torn_pages_repaired: u64,
    /// The life of the log before, if a clean shutdown ended it.
    pub followed: Option<u64>,
}

impl Core {
    /// Wires an opened store to its duties, which are not started yet. `lock`: of the folder.
    pub(super) fn new(
        database_id: u64,
        store: Arc<Store>,
        primary: Option<Primary>,
        slots: Arc<Slots>,
        options: &Options,
        start: StartStats,
        lock: Box<dyn Send + Sync>,
    ) -> Arc<Core> {
        let mut values = options.values().clone();
        // What is, whatever was asked for: the one is fixed at the database's creation, the other until a clean start.
        let segment_bytes = store.env.wal.geometry().segment_bytes;
        values.set(Id::WalSegmentSize as usize, Value::Number(segment_bytes as i64));
        let partitions = store.env.pool.partitions().get();
        values.set(Id::CheckpointPartitions as usize, Value::Number(partitions as i64));
        static NEXT: counter::AtomicU64 = counter::AtomicU64::new(1);
        let core = Arc::new(Core {
            serial: NEXT.fetch_add(1, Ordering::Relaxed),
            env: store.env.clone(),
            database_id,
            store,
            has_threads: primary.is_some() && options.threads(),
            duties: Duties::default(),
            primary,
            slots,
            closing: Mutex::new(false),
            wake: Condvar::new(),
            purging: Mutex::new(()),
            hurry: AtomicUsize::new(0),
            round_wanted: AtomicBool::new(false),
            over: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            values: Live::new(values),
            torn_pages_repaired: start.torn_pages_repaired,
            redo_stats: start.redo,
            followed: start.followed,
            io_counts: options.io_counts(),
            opened: Instant::now(),
            backing_up: Mutex::default(),
            backup_shown: Mutex::default(),
            open: OpenTransactions::default(),
            at_work: RwLock::new(()),
            lock: Mutex::new(Some(lock)),
        });
        let txns = core.store.txns.clone();
        core.env.wal.tuning.set_siblings(Box::new(move || txns.active().len()));
        core.tune_log();
        if core.primary.is_some() {
            let (slots, settings) = (core.slots.clone(), Arc::downgrade(&core));
            core.env.wal.keep_for_followers(Box::new(move |end| {
                slots.keep_from(settings.upgrade().map_or(Lsn::ZERO, |core| core.slot_floor(end)))
            }));
        }
        let all = Arc::downgrade(&core);
        core.env.wal.poison().on_set(move |e| {
            if let Some(core) = all.upgrade() {
                core.stopped(e);
            }
        });
        core
    }

    /// Log before this is kept for no slot.
    fn slot_floor(&self, end: Lsn) -> Lsn {
        slot_floor(end, self.live(Id::MaxSlotWalKeepSize))
    }

    /// Nothing is left of a transaction; the last one at a shutdown gives the folder back.
    pub(super) fn end_transaction(&self) {
        self.open.end();
        if self.over.load(Ordering::SeqCst) {
            self.let_go();
        }
    }

    /// Gives the folder back at a shutdown, although handles of the database may live on: they can do nothing any more. Not while somebody who came in before
    /// is still at work, or has a transaction: then the last of those gives it back.
    pub(super) fn let_go(&self) {
        self.over.store(true, Ordering::SeqCst);
        if let Some(_nobody) = self.at_work.try_write()
            && self.open.are_none()
        {
            self.lock.lock().take();
        }
    }

    pub(super) fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }

    /// What only a primary has. For its duties, and behind `enter`.
    pub(super) fn primary(&self) -> &Primary {
        self.primary.as_ref().expect("a standby has none of a primary's duties")
    }

    /// As `check_open`, for work without a transaction: while it goes on, nobody else gets the folder. Not on a standby.
    pub(super) fn enter(&self) -> Result<RwLockReadGuard<'_, ()>> {
        if self.primary.is_none() {
            return Err(Error::ReadOnlyDatabase(
                "it is a standby, and this is for the server that it follows".into(),
            ));
        }
        self.enter_reading()
    }

    /// As `enter`, of whoever changes nothing.
    pub(super) fn enter_reading(&self) -> Result<RwLockReadGuard<'_, ()>> {
        let at_work = self.at_work.read();
        self.check_open()?;
        Ok(at_work)
    }

    pub(super) fn live(&self, id: Id) -> u64 {
        self.values.number(id)
    }

    /// Rolls back an idle transaction that pins log on a full disk, and some of what a crash cut short. Then purges after finished transactions; with none waiting, sweeps a tree that a
    /// crash may have left dead entries in.
    pub(super) fn purge_step(&self, max: usize) -> Result<usize> {
        let _purging = self.purging.lock();
        self.doom_log_pinner();
        if self.store.abort_doomed()? > 0 {
            self.want_round();
        }
        // What waits for a page that cannot be read keeps nothing else.
        let mut failed = None;
        let mut done = 0;
        for step in [self.store.undo_losers_step(UNDONE_A_STEP), self.store.purge_step(max)] {
            match step {
                Err(e) if e.is_local() => _ = failed.get_or_insert(e),
                step => done += step?,
            }
        }
        if done > 0 {
            return Ok(done);
        }
        let primary = self.primary();
        self.slots.give_up_readers(self.live_time(Id::HotStandbyFeedbackMaxAge));
        // Of what was deleted before this start nothing says who wants it but what the followers' readers say.
        if !self.slots.readers_want_before(primary.start) {
            self.store.past_is_free();
        }
        match self.store.sweep_step()? {
            true => Ok(1),
            false => failed.map_or(Ok(0), Err),
        }
    }

    /// Looks whether the files of some trees are there, after a start that did not know how they were. Gives how many it has looked at, zero when it is done, and what is wrong.
    pub(super) fn look_at_files_step(&self, max: usize) -> (usize, Vec<String>) {
        let some: Vec<(TreeId, Option<u32>)> = {
            let mut unlooked = self.primary().unlooked.lock();
            let from = unlooked.len().saturating_sub(max);
            unlooked.split_off(from)
        };
        let mut wrong = Vec::new();
        for (tree, root) in &some {
            match self.store.file_lacks(*tree, *root) {
                Ok(None) => continue,
                Ok(Some(why)) => wrong.push(why.or_advice(ADVICE).to_string()),
                Err(e) => {
                    wrong.push(format!("whether data file {} is whole cannot be found out: {e}", tree.0))
                }
            }
            wrong.last().into_iter().for_each(|what| tracing::error!("{what}"));
        }
        (some.len(), wrong)
    }

    /// Rolls back some of what a crash cut short.
    pub(super) fn undo_losers_step(&self, max: usize) -> Result<usize> {
        let _purging = self.purging.lock();
        self.store.undo_losers_step(max)
    }

    /// The engine is poisoned: whoever waits for anything of it waits no longer.
    fn stopped(&self, why: &Error) {
        if planted("poison wakes nobody") {
            return;
        }
        self.env.wal.poisoned();
        self.env.horizon.stop(false);
        self.store.locks.stop(why.clone());
        self.env.pool.release_cleaners();
        drop(self.closing.lock()); // whoever is about to pause has looked by now, or will see it
        self.wake.notify_all();
    }

    /// Hands the log the settings that concern it.
    pub(super) fn tune_log(&self) {
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
