//! Which partition is next, and making known what a round achieved: the round record, the control file, the log's recycling. Invariants are in
//! the module's README.

use super::drain::Drain;
use super::options::{Cause, RoundOptions};
use super::record::{Quiet, RoundRecord};
use super::round::{Round, Stage, Waits};
use super::stats::{PartitionStats, RoundStats, Stats};
use crate::base::sync::{AtomicBool, AtomicU64, Mutex, Ordering};
use crate::base::{Error, Lsn, Result};
use crate::control::{Control, ControlData, TornPageProtection};
use crate::mtr::Env;
use crate::pool::DoubleWrite;
use crate::store::Store;
use crate::txn::ActiveTxn;
use crate::wal::record::{Kind, put_head};
use std::sync::Arc;
use std::time::Duration;

/// How often who waits for another's checkpoint looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// What rounds hand on to each other.
struct State {
    control: Control,
    data: ControlData,
    drain: Drain,
    /// For the joint schedule: the syncs' share of a round's work.
    sync_share: f64,
    /// A redo point was raised that the control file does not have yet.
    unpublished: bool,
    change: Option<ProtectionChange>,
}

/// A change of torn-page protection that has begun: from the life's start on its log and its writes are such that `to` holds alone once recovery would need
/// nothing that is older (README of `recovery`, "A change of protection").
#[derive(Clone, Copy, Debug)]
pub struct ProtectionChange {
    /// What is to be in force.
    pub to: TornPageProtection,
    /// Where this life of the log began.
    pub start: Lsn,
}

/// The oldest of the redo points; there is at least one partition.
fn oldest_of(redo: &[Lsn]) -> Lsn {
    redo.iter().copied().min().unwrap_or(Lsn::ZERO)
}

/// Runs rounds. One at a time.
pub struct Checkpointer {
    env: Env,
    store: Arc<Store>,
    state: Mutex<State>,
    /// What the control file has.
    published: Mutex<ControlData>,
    /// The oldest redo point that the control file has: recovery would read the log from there.
    known_redo: AtomicU64,
    /// A change of protection is under way.
    changing: AtomicBool,
    /// Log segments kept in all, those to be reused included: from `max_wal_size`.
    pub segment_limit: AtomicU64,
    /// Counters.
    pub stats: Stats,
}

impl Checkpointer {
    /// Takes over the control file. `change` is completed by the round that brings the last redo point into this life.
    pub fn new(
        env: Env,
        store: Arc<Store>,
        control: Control,
        data: ControlData,
        segment_limit: u64,
        change: Option<ProtectionChange>,
    ) -> Checkpointer {
        let stats = Stats::new(&data.redo);
        let known_redo = AtomicU64::new(oldest_of(&data.redo).0);
        let changing = AtomicBool::new(change.is_some());
        let drain = Drain::default();
        let published = Mutex::new(data.clone());
        let state = State { control, data, drain, sync_share: 0.3, unpublished: false, change };
        Checkpointer {
            env,
            store,
            state: Mutex::new(state),
            published,
            known_redo,
            changing,
            segment_limit: AtomicU64::new(segment_limit),
            stats,
        }
    }

    /// What a view shows of each partition.
    pub fn partitions(&self) -> Vec<PartitionStats> {
        let (pool, floors) = (&self.env.pool, &self.env.floors);
        let of = |p| PartitionStats {
            image_floor: floors.get(p),
            dirty_pages: pool.dirty_frames(p),
            unsynced_files: pool.files().unsynced_count(p) as u64,
            images_written: floors.images(p),
            ..self.stats.partition(p)
        };
        (0..pool.partitions().get()).map(of).collect()
    }

    /// What the control file says since the latest round that was made known: where redo from now on begins. Does not wait for a round.
    pub fn published(&self) -> ControlData {
        self.published.lock().clone()
    }

    /// Log that recovery would read if the power failed now, for the redo points alone.
    pub fn log_to_read_bytes(&self) -> u64 {
        self.env.wal.next_lsn().0.saturating_sub(self.known_redo.load(Ordering::Relaxed))
    }

    /// A change of torn-page protection waits for rounds.
    pub fn is_changing_protection(&self) -> bool {
        self.changing.load(Ordering::Relaxed)
    }

    /// Runs one round for the partition with the oldest redo point. A round that finds no log space for its record has moved nothing and is
    /// none (its `redo` is zero): a later one will. Any other failure poisons the engine.
    pub fn round(&self, options: &RoundOptions, waits: &dyn Waits, cause: Cause) -> Result<RoundStats> {
        let mut state = self.state.lock();
        let oldest = state.data.redo.iter().enumerate().min_by_key(|(_, l)| **l).map_or(0, |(p, _)| p);
        match self.round_of(&mut state, oldest, options, waits, cause) {
            Err(Error::OutOfSpace { what }) => {
                tracing::warn!("a checkpoint round will be tried again: no space left for {what}");
                Ok(RoundStats { partition: oldest, ..RoundStats::default() })
            }
            other => other,
        }
    }

    /// A whole cycle, each partition once: a forced checkpoint. Blocks until everything that was logged before the call is durable at
    /// home. Gives the first floor: what was logged after it may not be at home. `Canceled`: as `waits` said; what came home stays there.
    pub fn cycle(&self, options: &RoundOptions, waits: &dyn Waits) -> Result<Lsn> {
        let mut state = loop {
            // Another's cycle may take long.
            if let Some(state) = self.state.try_lock_for(LOOK) {
                break state;
            }
            if waits.is_canceled() {
                return Err(Error::Canceled);
            }
        };
        let mut first = Lsn::MAX;
        for partition in 0..state.data.redo.len() {
            first = first.min(self.round_of(&mut state, partition, options, waits, Cause::Request)?.redo);
        }
        if state.unpublished {
            self.publish(&mut state)?; // clean partitions at the end
        }
        Ok(first)
    }

    fn round_of(
        &self,
        state: &mut State,
        partition: usize,
        options: &RoundOptions,
        waits: &dyn Waits,
        cause: Cause,
    ) -> Result<RoundStats> {
        if self.env.floors.are_held() {
            self.store.refill_reserves(); // perhaps there is room again (invariant 6)
        }
        let _whole = self.env.wal.poison().on_panic("a checkpoint round");
        let mut round = Round::new(&self.env, &self.stats, options, waits, partition);
        round
            .bring_home(&mut state.drain, &mut state.sync_share)
            .and_then(|floor| {
                debug_assert!(state.data.redo[partition] <= floor);
                debug_assert!(floor <= self.env.floors.get(partition)); // invariant 1
                state.data.redo[partition] = floor;
                state.unpublished = true;
                // Invariant 5: without I/O, it is made known with the next round that had some, or as soon as a segment of log or the end
                // of a change of protection is to be had for it.
                let oldest = oldest_of(&state.data.redo);
                let gain = oldest.0.saturating_sub(self.known_redo.load(Ordering::Relaxed));
                // A transaction may have kept log until now.
                let geometry = self.env.wal.geometry();
                let free = geometry.segment_of(self.store.txns.oldest_first_lsn(oldest).min(oldest));
                let frees = free > geometry.segment_of(state.data.log_needed);
                let completes = state.change.is_some_and(|change| oldest >= change.start);
                let worth_it = gain >= geometry.usable() || frees || completes;
                if round.stats.pages > 0 || round.stats.syncs > 0 || worth_it {
                    self.publish(state)?;
                }
                let stats = round.publish(floor);
                self.stats.ended(&stats, cause);
                Ok(stats)
            })
            .inspect_err(|_| self.stats.enter(partition, Stage::Published)) // it runs no more
            .map_err(|e| match e {
                // No room for the round record: everything is at home, only the redo point is not known to be. A later round will tell.
                e @ (Error::Poisoned(_) | Error::OutOfSpace { .. } | Error::Closed | Error::Canceled) => e,
                e => self.env.wal.poison().set(format!("checkpoint failed: {e}")),
            })
    }

    /// Writes the round record and then the control file, and gives log back.
    fn publish(&self, state: &mut State) -> Result<()> {
        let txns = &self.store.txns;
        // Invariant 3: with reservations held, "latest record" and "ended" are exact for everything before `begin`.
        let (begin, active, quiet, oldest) = self.env.wal.with_reservations_held(|next| {
            let (active, below) = txns.active_below();
            let active: Vec<_> = active.into_iter().filter(|t| !t.is_ended()).collect();
            // Who has logged nothing yet will do so behind `next`, and pins nothing.
            let logged: Vec<_> = active.iter().filter(|t| t.last_lsn() != Lsn::ZERO).collect();
            let oldest = logged.iter().map(|t| t.first_lsn).min().unwrap_or(next);
            let table =
                logged.iter().map(|t| ActiveTxn { id: t.id, first: t.first_record(), last: t.last_lsn() });
            let quiet = active.iter().filter(|t| t.last_lsn() == Lsn::ZERO).map(|t| t.id.0).collect();
            (next, table.collect::<Vec<_>>(), Quiet { below, ids: quiet }, oldest)
        });
        let mut record = RoundRecord {
            begin,
            redo: state.data.redo.clone(),
            next_txn: txns.next_id(),
            next_tree: self.store.next_tree(),
            active,
            quiet: Some(quiet),
        };
        record.shorten(self.env.wal.body_bytes_max());
        let begin = record.begin;
        let mut body = Vec::new();
        put_head(&mut body, Kind::Round, None, &[]);
        record.encode(&mut body);
        let bytes = crate::wal::Wal::record_bytes(body.len());
        let promise = self.env.wal.promise(bytes);
        if let (Err(e), false) = (&promise, self.env.wal.has_room(bytes)) {
            return Err(e.clone());
        }
        let (lsn, end) = self.env.wal.insert(&body, |_| true)?.expect("no condition was given");
        drop(promise);
        self.env.wal.flush(end)?;
        let min_redo = oldest_of(&state.data.redo);
        state.data.round = lsn;
        // What was let go of is not needed: `first_lsn` is only a lower bound, and who had logged nothing by then has its first record behind that.
        state.data.log_needed = min_redo.min(begin).min(oldest).max(state.data.log_needed);
        debug_assert!(state.data.log_needed <= min_redo);
        state.data.next_txn = record.next_txn;
        state.data.next_file = record.next_tree;
        // With the same write: what is behind the redo points and what protects it are one statement.
        let changed = state.change.take_if(|change| min_redo >= change.start);
        if let Some(change) = changed {
            state.data.protection = change.to;
            state.data.double_write_life += 1;
        }
        // Its space is its own: a disk that is full for it has failed, and is no reason to try again.
        let failed = |e| self.env.wal.poison().set(format!("a checkpoint's end failed: {e}"));
        let written = match changed {
            Some(_) => state.control.write_both(&state.data), // control invariant 3
            None => state.control.write(&state.data),
        };
        written.map_err(failed)?;
        state.unpublished = false;
        self.published.lock().clone_from(&state.data);
        self.known_redo.store(min_redo.0, Ordering::Relaxed);
        if let Some(change) = changed {
            self.complete(change);
        }
        let segments = self.segment_limit.load(Ordering::Relaxed) as usize;
        self.env.wal.recycle(state.data.log_needed, segments); // invariant 4
        Ok(())
    }

    /// The control file says that another protection is in force: what held until then ends. Others may be at work.
    fn complete(&self, change: ProtectionChange) {
        if change.to != TornPageProtection::DoubleWrite {
            self.env.pool.end_double_write();
            // It is of no use to anybody; a crash may bring it back all the same.
            if let Err(e) = DoubleWrite::remove(&**self.env.pool.files().disk()) {
                tracing::warn!("{e}: it is of no use any more, the next start will try again");
            }
        }
        self.env.floors.set_images(change.to == TornPageProtection::FullPageWrites);
        self.changing.store(false, Ordering::Relaxed);
        tracing::info!("torn_page_protection is now {}", change.to.name());
    }

    /// Writes the control file of a clean shutdown, after a last `cycle` with no writer left.
    pub fn shut_down(&self) -> Result<()> {
        let mut state = self.state.lock();
        let state = &mut *state;
        let end = self.env.wal.next_lsn();
        self.env.wal.flush(end)?; // somebody's last transaction may have ended since the cycle
        state.data.clean = true;
        state.data.end = end;
        state.data.end_incarnation = self.env.wal.incarnation();
        state
            .control
            .write_both(&state.data) // control invariant 3
            .map_err(|e| self.env.wal.poison().set(format!("shutdown failed: {e}")))
    }
}
