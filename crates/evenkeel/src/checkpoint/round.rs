//! A round, stage by stage. Invariants are in the module's README.

use super::record::RoundRecord;
use crate::base::{Error, Lsn, PageId, Result};
use crate::control::{Control, ControlData, TornPageProtection};
use crate::mtr::Env;
use crate::pool::{BATCH_PAGES, WriteReason};
use crate::store::Store;
use crate::txn::ActiveTxn;
use crate::wal::record::{Kind, put_head};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Where a round is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Before its first step.
    Begin,
    /// The floor is raised; dirty pages are to be listed.
    FloorRaised,
    /// Pages are being written.
    Writing,
    /// Written; waiting for other writers' write-backs.
    AwaitingWriteBacks,
    /// Syncing files.
    Syncing,
    /// Everything below the floor is durable at home.
    Durable,
    /// The round record is flushed and the control file synced.
    Published,
}

/// Called between page writes with (written, total): sleeps if the round is ahead of its time. False = hurry.
pub type Pace<'a> = dyn FnMut(usize, usize) + 'a;

/// What a round did.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundStats {
    /// Its partition.
    pub partition: usize,
    /// Pages that were dirty at its start.
    pub pages: usize,
    /// Pages that it wrote itself.
    pub written: usize,
    /// Files synced.
    pub syncs: u64,
    /// Time writing, pacing included, microseconds.
    pub write_us: u64,
    /// Time syncing, microseconds.
    pub sync_us: u64,
    /// The partition's new redo point.
    pub redo: Lsn,
}

struct State {
    control: Control,
    data: ControlData,
}

/// Runs rounds. One at a time.
pub struct Checkpointer {
    env: Env,
    store: Arc<Store>,
    state: Mutex<State>,
    /// Log segments kept in all, those to be reused included: from `max_wal_size`.
    pub segment_limit: AtomicU64,
    /// Rounds published.
    pub rounds: AtomicU64,
    /// Pages written by rounds: see `pool::Stats::written_round`. Total times, microseconds.
    pub write_us: AtomicU64,
    /// Time in syncs, microseconds.
    pub sync_us: AtomicU64,
}

impl Checkpointer {
    /// Takes over the control file.
    pub fn new(
        env: Env,
        store: Arc<Store>,
        control: Control,
        data: ControlData,
        segment_limit: u64,
    ) -> Checkpointer {
        Checkpointer {
            env,
            store,
            state: Mutex::new(State { control, data }),
            segment_limit: AtomicU64::new(segment_limit),
            rounds: AtomicU64::new(0),
            write_us: AtomicU64::new(0),
            sync_us: AtomicU64::new(0),
        }
    }

    /// The redo vector.
    pub fn redo(&self) -> Vec<Lsn> {
        self.state.lock().data.redo.clone()
    }

    /// Runs one round for the partition with the oldest redo point. A round that finds no log space for its record has moved nothing and is
    /// none (its `redo` is zero): a later one will. Any other failure poisons the engine.
    pub fn round(&self, pace: &mut Pace<'_>) -> Result<RoundStats> {
        let mut state = self.state.lock();
        let oldest = state.data.redo.iter().enumerate().min_by_key(|(_, l)| **l).map_or(0, |(p, _)| p);
        match self.round_of(&mut state, oldest, pace) {
            Err(Error::OutOfSpace { what }) => {
                tracing::warn!("a checkpoint round will be tried again: no space left for {what}");
                Ok(RoundStats { partition: oldest, ..RoundStats::default() })
            }
            other => other,
        }
    }

    /// A whole cycle, each partition once: a forced checkpoint. Blocks until everything that was logged before the call is durable at
    /// home. Gives the first floor: what was logged after it may not be at home.
    pub fn cycle(&self, pace: &mut Pace<'_>) -> Result<Lsn> {
        let mut state = self.state.lock();
        let mut first = Lsn::MAX;
        for partition in 0..state.data.redo.len() {
            first = first.min(self.round_of(&mut state, partition, pace)?.redo);
        }
        Ok(first)
    }

    fn round_of(&self, state: &mut State, partition: usize, pace: &mut Pace<'_>) -> Result<RoundStats> {
        self.stages(state, partition, pace).map_err(|e| match e {
            // No room for the round record: everything is at home, only the redo point has not moved. A later round will move it.
            e @ (Error::Poisoned(_) | Error::OutOfSpace { .. } | Error::Closed) => e,
            e => self.env.wal.poison().set(format!("checkpoint failed: {e}")),
        })
    }

    fn stages(&self, state: &mut State, partition: usize, pace: &mut Pace<'_>) -> Result<RoundStats> {
        let pool = &self.env.pool;
        let mut stats = RoundStats { partition, ..RoundStats::default() };
        let mut pages: Vec<PageId> = Vec::new();
        let mut floor = Lsn::ZERO;
        let mut stage = Stage::Begin;
        let mut clock = Instant::now();
        loop {
            self.env.wal.poison().check()?;
            stage = match stage {
                Stage::Begin => {
                    floor =
                        self.env.floors.raise(partition, &self.env.wal).ok_or_else(|| Error::OutOfSpace {
                            what: "a checkpoint: a rollback lives on the log space that was set aside for it"
                                .into(),
                        })?;
                    Stage::FloorRaised
                }
                Stage::FloorRaised => {
                    pages = pool.dirty_pages(partition);
                    pages.sort_unstable();
                    stats.pages = pages.len();
                    Stage::Writing
                }
                Stage::Writing => {
                    let mut done = 0;
                    let neighbours = |a: &PageId, b: &PageId| b.file == a.file && b.block.0 == a.block.0 + 1;
                    for batch in pages.chunk_by(neighbours).flat_map(|run| run.chunks(BATCH_PAGES)) {
                        stats.written += pool.write_batch(batch, WriteReason::Round)?;
                        done += batch.len();
                        pace(done, pages.len());
                    }
                    Stage::AwaitingWriteBacks
                }
                Stage::AwaitingWriteBacks => {
                    pool.wait_write_backs(partition);
                    stats.write_us = clock.elapsed().as_micros() as u64;
                    clock = Instant::now();
                    Stage::Syncing
                }
                Stage::Syncing => {
                    stats.syncs = pool.files().sync_partition(partition)?;
                    stats.sync_us = clock.elapsed().as_micros() as u64;
                    Stage::Durable
                }
                Stage::Durable => {
                    debug_assert!(
                        state.data.redo[partition] <= floor && floor <= self.env.floors.get(partition)
                    );
                    state.data.redo[partition] = floor;
                    stats.redo = floor;
                    self.publish(state)?;
                    Stage::Published
                }
                Stage::Published => {
                    self.env
                        .wal
                        .recycle(state.data.log_needed, self.segment_limit.load(Ordering::Relaxed) as usize);
                    self.rounds.fetch_add(1, Ordering::Relaxed);
                    self.write_us.fetch_add(stats.write_us, Ordering::Relaxed);
                    self.sync_us.fetch_add(stats.sync_us, Ordering::Relaxed);
                    return Ok(stats);
                }
            };
        }
    }

    /// Writes the round record and then the control file.
    fn publish(&self, state: &mut State) -> Result<()> {
        let txns = &self.store.txns;
        // Invariant 3: with reservations held, "latest record" and "ended" are exact for everything before `begin`.
        let (begin, active, oldest) = self.env.wal.with_reservations_held(|next| {
            let active: Vec<_> = txns.active().into_iter().filter(|t| !t.is_ended()).collect();
            // Who has logged nothing yet will do so behind `next`, and pins nothing.
            let logged: Vec<_> = active.iter().filter(|t| t.last_lsn() != Lsn::ZERO).collect();
            let oldest = logged.iter().map(|t| t.first_lsn).min().unwrap_or(next);
            let table =
                logged.iter().map(|t| ActiveTxn { id: t.id, first: t.first_record(), last: t.last_lsn() });
            (next, table.collect::<Vec<_>>(), oldest)
        });
        let record = RoundRecord {
            begin,
            redo: state.data.redo.clone(),
            next_txn: txns.next_id(),
            next_tree: self.store.next_tree(),
            active,
        };
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
        let min_redo = state.data.redo.iter().copied().min().unwrap_or(begin);
        state.data.round = lsn;
        state.data.log_needed = min_redo.min(begin).min(oldest);
        state.data.next_txn = record.next_txn;
        state.data.next_file = record.next_tree;
        state.control.write(&state.data)
    }

    /// Says in the control file, durably, that another torn-page protection is in force, and that what the double-write file holds by now is of no
    /// use any more. After a whole cycle of this life.
    pub fn set_protection(&self, protection: TornPageProtection) -> Result<()> {
        let mut state = self.state.lock();
        let state = &mut *state;
        state.data.protection = protection;
        state.data.double_write_life += 1;
        state.control.write(&state.data)
    }

    /// Writes the control file of a clean shutdown, after a last `cycle` with no writer left.
    pub fn shut_down(&self) -> Result<()> {
        let mut state = self.state.lock();
        let state = &mut *state;
        let end = self.env.wal.next_lsn();
        self.env.wal.flush(end)?;
        state.data.clean = true;
        state.data.end = end;
        state.data.end_incarnation = self.env.wal.incarnation();
        state
            .control
            .write(&state.data)
            .map_err(|e| self.env.wal.poison().set(format!("shutdown failed: {e}")))
    }
}
