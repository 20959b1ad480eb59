//! An open database, for callers: begin, look, set, step, close.
//!
//! Invariants
//! 1. Whoever closes returns when the folder can be opened again, or when somebody who is still at work will give it back.

use super::closed_files;
use super::core::Core;
use super::io_counts::{FileKind, FileStats};
use super::settings::{DEFS, Id, parse};
use super::stats::Stats;
use super::transaction::Transaction;
use crate::base::histogram::Counts;
use crate::base::sync::{self, AtomicBool, Instant, JoinHandle, Mutex, Ordering};
use crate::base::{Basis, Error, Lsn, Result, TreeId, TxnId};
use crate::checkpoint::{Cause, PartitionStats, RoundOptions, RoundStats, Stage, Waits};
use crate::recovery::RedoStats;
use crate::settings::{Context, Mistake, Shown, find};
use crate::store::{Store, Txn, TxnOptions, VacuumStats};
use crate::txn::{Interrupt, LongWait, RowWait, UpperWaits};
use crate::wal::{CommitStats, Follower, Level, Synchronous, Waiting, Wal};
use std::collections::HashMap;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

/// Changes that `close` undoes between two looks at the clock.
const UNDONE_AT_A_TIME: usize = 4096;
/// How long `close` waits for open transactions to notice.
const CLOSE_WAIT: Duration = Duration::from_secs(5);
/// How long the last handle, when it is dropped, waits for one of them to end: those of its own thread never do.
const DROP_PATIENCE: Duration = Duration::from_millis(100);

/// A file of the log: its name, and when it was written last.
pub type LogFile = (String, Option<i64>);

/// An open database. Clones share it; the last one dropped closes it.
#[derive(Clone)]
pub struct Database(Arc<Handle>);

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("id", &self.0.core.database_id).finish_non_exhaustive()
    }
}

struct Handle {
    core: Arc<Core>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Held by whoever shuts down: everybody else who closes waits for the end.
    shutdown: Mutex<()>,
    abandoned: AtomicBool,
}

impl Database {
    /// Starts the duties of an opened database.
    pub(super) fn serving(core: Arc<Core>) -> Result<Database> {
        let threads = if core.has_threads {
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

    /// Whether it is a standby's, to be read.
    pub fn is_standby(&self) -> bool {
        self.core().primary.is_none()
    }

    /// On a standby: as `Transaction::definitions` of one that begins now.
    pub fn definitions(&self) -> u64 {
        self.core().store.txns.definitions()
    }

    /// The log has been reserved up to here; not all of it may be written yet.
    pub fn insert_lsn(&self) -> Lsn {
        self.core().env.wal.next_lsn()
    }

    /// The log is durable here up to this; of a standby: what may be told of what was replayed.
    pub fn durable_lsn(&self) -> Lsn {
        let env = &self.core().env;
        if self.is_standby() { env.horizon.told() } else { env.wal.flushed() }
    }

    /// Whether a flush of the log is under way, and how many have ended before: the same answer again is the same flush still.
    pub fn flushing(&self) -> Option<u64> {
        let stats = &self.core().env.wal.stats;
        let ended = stats.flushes().count;
        stats.is_flushing().then_some(ended)
    }

    /// The log is durable wherever it is asked for up to this.
    pub fn told_lsn(&self) -> Lsn {
        self.core().env.horizon.told()
    }

    /// Not older than anything that anybody may have met so far.
    pub fn newest(&self) -> Basis {
        let core = self.core();
        match self.is_standby() {
            true => Basis { local: Lsn::ZERO, quorum: core.store.txns.replayed_at() },
            false => Basis::all(core.env.wal.next_lsn()),
        }
    }

    /// Log writes that may be in flight at a time: so many threads that wait for the log are worth having.
    pub fn wal_flush_depth(&self) -> usize {
        self.core().env.wal.tuning.depth()
    }

    /// Blocks until the log is durable here up to `lsn`. Whether it may be told is another question where standbys are asked: [`Database::wait_told`].
    pub fn wait_durable(&self, lsn: Lsn) -> Result<()> {
        if self.is_standby() {
            return Ok(()); // of another's log, which was durable there before it came here
        }
        self.core().env.wal.flush(lsn)
    }

    /// Whether a fact that rests on `basis` may be told to somebody who asks for `level`. An error: nothing may any more.
    pub fn is_told(&self, basis: Basis, level: Level) -> Result<bool> {
        self.core().env.horizon.is_told(basis, level)
    }

    /// Blocks until it may be told. `Canceled`: `is_canceled` said so; it is looked at every few milliseconds. `Closed`: the database was closed meanwhile.
    pub fn wait_told(&self, basis: Basis, level: Level, is_canceled: &dyn Fn() -> bool) -> Result<()> {
        self.core().env.horizon.wait(basis, level, is_canceled)
    }

    /// Registers a task to be woken once it may be told; the log here has to be durable ([`Database::wait_durable`]). `None`: it may be already, or never will be.
    pub fn wake_when_told(&self, basis: Basis, level: Level, waker: &Waker) -> Option<Waiting> {
        self.core().env.horizon.wake_when_told(basis, level, waker)
    }

    /// Names the standbys that are asked before anything is told (S25; decision 013, 4): `synchronous_standby_names`. What was told before stays told. Of a standby it
    /// changes nothing: it asks for what its primary asks for.
    pub fn set_synchronous(&self, whom: Option<Synchronous>) {
        if !self.is_standby() {
            self.core().env.horizon.ask(whom, false);
        }
    }

    /// As `set_synchronous`, of a standby that has just taken over and has told nobody anything: what it has is told when they have it.
    pub fn begin_synchronous(&self, whom: Option<Synchronous>) {
        self.core().env.horizon.ask(whom, true);
    }

    /// A standby of this name follows, until what is given is dropped.
    pub fn enter_follower(&self, name: &str) -> Follower {
        self.core().env.horizon.enter(name)
    }

    /// Sessions that wait for a row lock at this moment, by the numbers of their interrupts; known once `set_upper_waits` was called.
    pub fn lock_waiting_sessions(&self) -> Vec<u64> {
        self.core().store.locks.waiting_sessions()
    }

    /// Steps that are left to roll back what a crash cut short, at most: its changes, and one for each transaction; zero once all is done (see `rollback_after_open`).
    pub fn rollback_changes_left(&self) -> u64 {
        self.core().store.losers_changes_left()
    }

    /// Transactions that wait for a row lock at this moment.
    pub fn lock_waiters(&self) -> usize {
        self.core().store.locks.waiters()
    }

    /// The lowest id of a transaction that is open, and the next that is given out.
    pub fn transaction_ids(&self) -> (u64, u64) {
        let txns = &self.core().store.txns;
        (txns.oldest_active(), txns.next_id())
    }

    /// The name of the log file that has a place.
    pub fn log_file_of(&self, lsn: Lsn) -> String {
        format!("{:016x}", self.core().env.wal.geometry().segment_of(lsn))
    }

    /// How many bytes from the beginning of that file the place is.
    pub fn log_offset_of(&self, lsn: Lsn) -> u64 {
        self.core().env.wal.geometry().offset_of(lsn)
    }

    /// The log's files, by name, with when each was written last, microseconds since the Unix epoch, where that is known; and the size of each. Reads the folder.
    pub fn log_files(&self) -> Result<(Vec<LogFile>, u64)> {
        let core = self.core();
        let disk = core.env.pool.files().disk();
        let file = |n: u64| {
            let path = crate::wal::segment::path(n);
            let at = disk.modified_us(&path).map_err(|e| Error::io(format!("looking at {path}"), e))?;
            Ok((format!("{n:016x}"), at))
        };
        let all = crate::wal::segment::list(&**disk)?.into_iter().map(file).collect::<Result<_>>()?;
        Ok((all, core.env.wal.geometry().segment_bytes))
    }

    /// What was read, written and synced of the folder since it was opened, by kinds of files as [`FileKind::ALL`] has them; all zero if it is no folder.
    pub fn io_stats(&self) -> [FileStats; FileKind::ALL.len()] {
        self.core().io_counts.stats()
    }

    /// Deadlocks that were found, of rows and in the layer above, and how long rows were waited for, microseconds.
    pub fn lock_wait_stats(&self) -> (u64, Counts) {
        self.core().store.locks.wait_stats()
    }

    /// Who waits for a row lock at this moment, as far as `lock_waiting_sessions` gives them, and for whom.
    pub fn row_waits(&self) -> Vec<RowWait> {
        self.core().store.locks.row_waits()
    }

    /// What is to be told of waits for rows that last longer than `after` says of their sessions, since the last call, and when there is more at the earliest.
    pub fn long_row_waits(&self, after: &HashMap<u64, Duration>) -> (Vec<LongWait>, Option<Instant>) {
        self.core().store.locks.long_waits(after)
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
        let _at_work = self.core().enter_reading()?;
        self.core().store.tree_bytes(tree)
    }

    /// Loads blocks of a tree's file into the buffers, as far as it has them, in large reads; gives how many of them it has. `NoSuchTree` if it is gone. What cannot
    /// be read is left to whoever needs it. Blocks for the disk.
    pub fn prewarm(&self, tree: TreeId, blocks: std::ops::Range<u32>) -> Result<u32> {
        let _at_work = self.core().enter_reading()?;
        self.core().store.prewarm(tree, blocks)
    }

    /// Buffers that have no page yet.
    pub fn unused_buffers(&self) -> usize {
        self.core().env.pool.unused_frames()
    }

    /// What is in the buffers now, as runs of blocks by tree, for [`Database::prewarm`] after a restart: a hint, as pages come and go.
    pub fn resident(&self) -> Vec<(TreeId, std::ops::Range<u32>)> {
        self.core().env.pool.resident().into_iter().map(|(file, blocks)| (file.tree(), blocks)).collect()
    }

    /// All trees that there are for callers; those of transactions that are not committed are not among them. While nobody creates or drops one.
    pub fn trees(&self) -> Result<Vec<TreeId>> {
        let _at_work = self.core().enter_reading()?;
        self.core().store.committed_trees()
    }

    /// The largest key physically in a tree, whether anybody sees it or not.
    pub fn max_key(&self, tree: TreeId) -> Result<Option<Vec<u8>>> {
        let _at_work = self.core().enter_reading()?;
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

    /// The name of this life of the log: each start of a database that is written begins one.
    pub fn life(&self) -> u64 {
        self.core().env.wal.incarnation()
    }

    /// The life before, if a clean shutdown ended it: what was noted at that moment is true now.
    pub fn life_before(&self) -> Option<u64> {
        self.core().followed
    }

    /// A change of `torn_page_protection` that began with this start waits for rounds: until then the one before holds as well.
    pub fn is_changing_protection(&self) -> bool {
        self.core().primary.as_ref().is_some_and(|p| p.checkpointer.is_changing_protection())
    }

    /// Each checkpoint partition's state.
    pub fn checkpoint_partitions(&self) -> Vec<PartitionStats> {
        self.core().primary.as_ref().map_or_else(Vec::new, |p| p.checkpointer.partitions())
    }

    /// The partition whose round runs at this moment, and its stage.
    pub fn checkpoint_running(&self) -> Option<(usize, Stage)> {
        self.core().primary.as_ref().and_then(|p| p.checkpointer.stats.running())
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
        if place == Id::MaxWalSize as usize
            && let Some(primary) = &self.core().primary
        {
            let segments = self.core().live(Id::MaxWalSize) / self.core().env.wal.geometry().segment_bytes;
            primary.checkpointer.segment_limit.store(segments, Ordering::Relaxed);
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
        self.0.close(CLOSE_WAIT, CLOSE_WAIT)
    }

    /// As `close`, for tests: what is being rolled back, and whoever has a transaction, is waited for so long.
    #[doc(hidden)]
    pub fn close_within(&self, wait: Duration) -> Result<()> {
        self.0.close(wait, wait)
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
        self.core().primary().checkpointer.round(options, waits, Cause::Time)
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

    /// For simulations: looks at the files of all trees, after a start that did not know how they were. Gives what is wrong.
    #[doc(hidden)]
    pub fn step_look_at_files(&self) -> Result<Vec<String>> {
        let _at_work = self.core().enter()?;
        Ok(self.core().look_at_files_step(usize::MAX).1)
    }

    /// For simulations: some of the purge thread's step. Rolls back up to `max` changes of what a crash cut short; gives how many, zero if nothing is left.
    #[doc(hidden)]
    pub fn step_rollback(&self, max: usize) -> Result<usize> {
        let _at_work = self.core().enter()?;
        self.core().undo_losers_step(max)
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

    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.core().store
    }
}

impl Handle {
    fn stop_threads(&self) {
        *self.core.closing.lock() = true;
        self.core.wake.notify_all();
        // A standby's pool goes on, and may be a primary's soon.
        if self.core.primary.is_some() {
            self.core.env.pool.release_cleaners();
        }
        self.core.env.wal.close();
        for t in self.threads.lock().drain(..) {
            let _ = t.join(); // it has told if it panicked
        }
    }

    /// `patience`: so long nobody need end his transaction.
    fn close(&self, wait: Duration, patience: Duration) -> Result<()> {
        let _shutdown = self.shutdown.lock();
        if self.core.closed.swap(true, Ordering::SeqCst) {
            return self.core.env.wal.poison().check();
        }
        self.core.store.locks.stop(Error::Closed);
        self.core.env.horizon.stop(true);
        self.stop_threads();
        if self.core.primary.is_none() {
            return Ok(()); // what there is to close is the standby's
        }
        let closed = self.close_primary(wait, patience);
        self.core.let_go();
        closed
    }

    fn close_primary(&self, wait: Duration, patience: Duration) -> Result<()> {
        self.core.env.wal.poison().check()?;
        // What a crash has left is rolled back as far as there is time; whoever still holds a transaction gets `Closed` from it and drops it.
        let began = sync::Instant::now();
        let has_time = || !self.core.has_threads || began.elapsed() < wait;
        while has_time() {
            match self.core.undo_losers_step(UNDONE_AT_A_TIME) {
                Ok(0) => break,
                Ok(_) => {}
                Err(e) if e.is_local() => break, // the next start's
                Err(e) => return Err(e),
            }
        }
        let deadline = sync::Instant::now() + if self.core.has_threads { wait } else { Duration::ZERO };
        let losers = self.core.store.losers_left().len();
        let (mut open, mut given_up_at) = (usize::MAX, deadline);
        while sync::Instant::now() < given_up_at.min(deadline) {
            let now = self.core.store.txns.active().len();
            if now <= losers {
                break;
            }
            if now != open {
                (open, given_up_at) = (now, sync::Instant::now() + patience);
            }
            sync::sleep(Duration::from_millis(5));
        }
        // A rollback that takes longer, perhaps beside a session that is gone, is the next start's: nobody could wait for its end but by chance.
        self.core.store.stop_rollbacks();
        self.let_rollbacks_end();
        // Asynchronous commits too, whatever becomes of the checkpoint.
        self.core.env.wal.flush(self.core.env.wal.completed())?;
        while matches!(self.core.store.purge_step(256), Ok(256)) {}
        // Clean means: nothing was changed since the cycle began, nobody owes anything but what readers of standbys want, or what cannot be purged, and no record
        // can follow.
        let slots = &self.core.slots;
        let wanted = slots.readers_want_before(Lsn::MAX);
        let (backlog, aside) = (self.core.store.purge_backlog(), self.core.store.set_aside_purges());
        slots.note_owed(wanted && (backlog > 0 || self.core.store.is_past_wanted()) || aside > 0)?;
        for _ in 0..3 {
            let floor = self.core.last_checkpoint()?;
            let (store, env) = (&self.core.store, &self.core.env);
            let quiet = || store.txns.active().is_empty() && env.last_change.load(Ordering::SeqCst) < floor.0;
            if (wanted || store.purge_backlog() <= aside) && env.wal.seal_if(quiet) {
                // Nobody is at work: what was promised is given back, all of it and no more.
                debug_assert_eq!(self.core.env.wal.promised_bytes(), 0);
                let (files, wal) = (env.pool.files(), &env.wal);
                closed_files::note(&**files.disk(), files, wal.next_lsn(), wal.incarnation());
                self.core.primary().checkpointer.shut_down()?;
                self.core.finish_archive();
                return Ok(());
            }
        }
        match self.core.store.losers_changes_left() {
            0 => {
                tracing::warn!("transactions are still open: the next start will recover and roll them back")
            }
            n => tracing::warn!(
                "up to {n} changes are still to be rolled back: the next start will recover and go on with it"
            ),
        }
        Ok(())
    }

    /// Waits until whoever rolls back has noticed that it is no use any more, or is done, and has let go of his transaction.
    fn let_rollbacks_end(&self) {
        if !self.core.has_threads || !self.core.open.are_undone() {
            return;
        }
        let deadline = sync::Instant::now() + CLOSE_WAIT;
        while !self.core.open.are_none() && sync::Instant::now() < deadline {
            sync::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.abandoned.load(Ordering::Relaxed)
            && let Err(e) = self.close(CLOSE_WAIT, DROP_PATIENCE)
        {
            tracing::error!("closing the database failed: {e}");
        }
    }
}
