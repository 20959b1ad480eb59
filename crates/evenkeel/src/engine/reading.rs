//! A standby that is read while it replays: a database that nobody writes, over the pages that replay changes (S25, decision 013, 11 to 13).
//!
//! Invariants
//! 1. Readers lose nothing that replay needs: whatever keeps them from being served shuts the gate, and the replay goes on.
//!
//! Must not know: how waves are made, how the log comes here.

use super::core::{Core, StartStats};
use super::database::Database;
use super::options::Options;
use super::replaying::ADVICE;
use super::settings::Id;
use super::slots::Slots;
use crate::base::sync::{AtomicBool, AtomicU64, Mutex, Ordering};
use crate::base::{Error, Lsn, Poison, Result, TreeId};
use crate::checkpoint::RoundRecord;
use crate::control::ControlData;
use crate::io::Disk;
use crate::mtr::{Env, Floors};
use crate::pool::Pool;
use crate::recovery::{LifeEnd, Readers};
use crate::store::gate::{Gate, GateStats};
use crate::store::replayed::Replayed;
use crate::store::{Store, UndoSpace};
use crate::txn::{ActiveTxn, TxnManager};
use crate::wal::record::Record;
use crate::wal::segment::{Geometry, Header};
use crate::wal::{Horizon, Wal};
use std::sync::Arc;
use std::time::Duration;

/// What a standby has of its own that is read with.
pub(super) struct Ground<'a> {
    pub disk: &'a Arc<dyn Disk>,
    pub options: &'a Options,
    pub data: &'a ControlData,
    /// Where the log ends that was received.
    pub end: LifeEnd,
    pub pool: &'a Arc<Pool>,
    pub undo: &'a Arc<UndoSpace>,
    pub poison: &'a Arc<Poison>,
    pub slots: &'a Arc<Slots>,
}

/// The readers of a standby.
pub(super) struct Reading {
    replayed: Replayed,
    database: Database,
    /// Readers are in, as far as replay is concerned. Read for each record.
    is_open: AtomicBool,
    /// They cannot be served until the next start.
    is_broken: AtomicBool,
    /// Those that are no older have what they want kept by the primary; `None`: nobody has.
    kept_for: Option<Duration>,
    /// Where the replay began.
    redo: Vec<Lsn>,
    /// Trees, with their roots, at whose files nobody has looked since.
    unlooked: Mutex<Vec<(TreeId, Option<u32>)>>,
    /// What is wrong with those at which somebody has.
    wrong: Mutex<Vec<String>>,
}

impl Reading {
    /// Nobody is let in yet. `None`: `hot_standby` is off.
    pub fn new(ground: &Ground<'_>) -> Result<Option<Reading>> {
        let Ground { disk, options, data, end, pool, undo, poison, slots } = *ground;
        if !options.is_on(Id::HotStandby) {
            return Ok(None);
        }
        let geometry = Geometry { segment_bytes: data.segment_bytes };
        let header = Header {
            segment_bytes: geometry.segment_bytes,
            database_id: data.database_id,
            segment: geometry.segment_of(end.at),
            incarnation: end.incarnation,
            prev_end: end.at,
            prev_incarnation: end.incarnation,
            stripped: false,
            epoch: 0,
        };
        let wal = Arc::new(Wal::idle(disk.clone(), geometry, header, poison.clone()));
        let floors = Arc::new(Floors::new(pool.partitions(), end.at, false));
        let env = Env {
            last_change: Arc::new(AtomicU64::new(0)),
            horizon: Horizon::of_standby(wal.clone()),
            wal,
            pool: pool.clone(),
            floors,
            is_between_waves: true,
        };
        let gate = Arc::new(Gate::new(not_yet()));
        let txns = TxnManager::new(data.next_txn);
        let locks = options.get(Id::MaxLocks) as usize;
        let store = Store::new(env, txns, locks, undo.clone(), data.next_file).with_gate(gate.clone());
        let store = Arc::new(store);
        let core = Core::new(
            data.database_id,
            store.clone(),
            None,
            slots.clone(),
            options,
            StartStats::default(),
            Box::new(()), // the standby has the folder's
        );
        Ok(Some(Reading {
            replayed: Replayed::new(store, gate, options.definitions()),
            database: Database::serving(core)?,
            is_open: AtomicBool::new(false),
            is_broken: AtomicBool::new(false),
            kept_for: options
                .is_on(Id::HotStandbyFeedback)
                .then(|| Duration::from_micros(options.get(Id::HotStandbyFeedbackMaxAge))),
            redo: data.redo.clone(),
            unlooked: Mutex::default(),
            wrong: Mutex::default(),
        }))
    }

    /// Looks whether the files of some trees are there, and tells what is wrong: nothing but a reader would miss them, and who takes over must not be the first.
    pub fn look_at_files_step(&self, max: usize) {
        let some: Vec<(TreeId, Option<u32>)> = {
            let mut unlooked = self.unlooked.lock();
            let from = unlooked.len().saturating_sub(max);
            unlooked.split_off(from)
        };
        for (tree, root) in some {
            let what = match self.replayed.store().file_lacks_at_home(tree, root, &self.redo) {
                Ok(None) => continue,
                Ok(Some(why)) => why.with_advice(ADVICE).to_string(),
                Err(_) if !self.are_in() => continue,
                Err(e) => format!("whether data file {} is whole cannot be found out: {e}", tree.0),
            };
            tracing::error!("{what}");
            self.wrong.lock().push(what);
        }
    }

    /// What was found so.
    pub fn wrong_files(&self) -> Vec<String> {
        self.wrong.lock().clone()
    }

    /// How far readers may tell.
    pub fn horizon(&self) -> &Horizon {
        &self.replayed.store().env.horizon
    }

    /// For whoever reads, once it may be read.
    pub fn database(&self) -> Option<Database> {
        self.replayed.gate().is_open().then(|| self.database.clone())
    }

    /// Nobody can be served until the next start.
    pub fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }

    /// The place in the log behind which the primary should take nothing away, for readers; `None`: it may.
    pub fn wanted_from(&self) -> Option<Lsn> {
        let age_max = self.kept_for?;
        self.is_open.load(Ordering::Relaxed).then(|| self.replayed.store().txns.wanted_from(age_max))
    }

    /// How readers were held up by waves, and how many snapshots were given up for what replay took away.
    pub fn stats(&self) -> (GateStats, u64) {
        (self.replayed.gate().stats(), self.replayed.store().txns.expired_by_replay())
    }

    /// Lets nobody read any more. Blocks until nobody is at a page.
    pub fn end(&self) {
        self.replayed.refuse(Error::Closed);
        let _ = self.database.close(); // of a standby it cannot fail
    }

    /// Gives back what was kept for readers. After `end`, once nothing is replayed any more.
    pub fn forget(&self) {
        self.replayed.forget();
    }

    /// Readers cannot be served (invariant 1).
    fn give_up(&self, why: &Error) {
        self.is_broken.store(true, Ordering::Relaxed);
        self.is_open.store(false, Ordering::Relaxed);
        tracing::error!("the standby cannot be read until its next start: {why}");
        self.replayed.refuse(Error::InvalidArgument(format!(
            "the standby cannot be read until its next start: {why}"
        )));
    }

    fn unless_broken(&self, f: impl FnOnce(&Replayed) -> Result<()>) {
        if !self.is_broken.load(Ordering::Relaxed)
            && let Err(e) = f(&self.replayed)
        {
            self.give_up(&e);
        }
    }
}

fn not_yet() -> Error {
    Error::InvalidArgument("the standby has not replayed as much log yet as its pages may have".into())
}

impl Readers for Reading {
    fn begin(&self, active: &[ActiveTxn], next_txn: u64) {
        self.replayed.begin(active, next_txn);
    }

    fn earlier(&self, rec: &Record<'_>) {
        self.unless_broken(|r| r.earlier(rec));
    }

    fn wants_all_before(&self, rec: &Record<'_>) -> bool {
        self.are_in() && self.replayed.wants_all_before(rec)
    }

    fn record(&self, rec: &Record<'_>) {
        self.unless_broken(|r| r.record(rec));
    }

    fn round(&self, round: &RoundRecord) {
        if let Some(quiet) = &round.quiet {
            self.replayed.store().txns.settle_unmet(quiet.below, &quiet.ids);
        }
    }

    fn are_in(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    fn apply(&self, f: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        if self.is_broken.load(Ordering::Relaxed) {
            return f();
        }
        let done = self.replayed.gate().while_closed(|| {
            self.replayed.about_to_apply();
            f()
        });
        if done.is_ok() {
            self.replayed.applied();
        }
        done
    }

    fn open(&self, at: Lsn) {
        self.unless_broken(|r| {
            r.open(at)?;
            r.store().env.horizon.begin_at(at);
            // Nothing is applied meanwhile.
            match r.store().known_trees() {
                Ok(trees) => *self.unlooked.lock() = trees.into_iter().collect(),
                Err(e) => {
                    tracing::warn!("which data files the standby is to have cannot be found out: {e}");
                }
            }
            self.is_open.store(true, Ordering::Relaxed);
            tracing::info!("the standby can be read");
            Ok(())
        });
    }
}
