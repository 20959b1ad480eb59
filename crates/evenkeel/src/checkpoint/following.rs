//! Rounds of a standby: they bring home what was replayed. Nothing is logged for them; what a round achieved is known by the control file alone, together with
//! a round record of the log that was received, whose table of transactions is true whoever's pages they are.
//!
//! Invariants
//! 1. As of the module's README, 1 and 4; a floor is a place up to which all was replayed.
//! 2. A redo point is made known only with a round record that is durable here: without one, nobody could tell who was active there.
//!
//! Must not know: where the log comes from, how it is replayed.

use super::drain::Drain;
use super::options::{Cause, RoundOptions};
use super::record::RoundRecord;
use super::round::{Ground, Round, Waits};
use super::stats::{RoundStats, Stats};
use crate::base::sync::Mutex;
use crate::base::{Error, Lsn, Result};
use crate::control::{Control, ControlData};

/// What rounds hand on to each other.
struct Running {
    drain: Drain,
    sync_share: f64,
}

struct State {
    control: Control,
    data: ControlData,
}

/// What the log says, for the control file.
pub struct Known {
    /// It is durable here up to this.
    pub received: Lsn,
    /// The newest round record before that was replayed, and where it stands.
    pub round: Option<(Lsn, RoundRecord)>,
    /// Next unused transaction id.
    pub next_txn: u64,
    /// Next unused tree id.
    pub next_tree: u64,
}

/// Runs rounds of a standby. One at a time.
pub struct Following {
    running: Mutex<Running>,
    /// Taken behind `running`, and for a write of the control file only.
    state: Mutex<State>,
    /// Counters.
    pub stats: Stats,
}

impl Following {
    /// Takes over the control file.
    pub fn new(control: Control, data: ControlData) -> Following {
        let stats = Stats::new(&data.redo);
        let running = Mutex::new(Running { drain: Drain::default(), sync_share: 0.3 });
        Following { running, state: Mutex::new(State { control, data }), stats }
    }

    /// Runs a round for the partition with the oldest redo point. Gives from where on the log is still needed. `OutOfSpace`: there was no floor to be had. Any other failure
    /// poisons, but for `Canceled`.
    pub fn round(
        &self,
        ground: &dyn Ground,
        options: &RoundOptions,
        waits: &dyn Waits,
        cause: Cause,
        known: &dyn Fn() -> Known,
    ) -> Result<(RoundStats, Lsn)> {
        let mut running = self.running.lock();
        let running = &mut *running;
        let redo = self.state.lock().data.redo.clone();
        let oldest = redo.iter().enumerate().min_by_key(|(_, l)| **l).map_or(0, |(p, _)| p);
        let _whole = ground.poison().on_panic("a checkpoint round");
        let mut round = Round::new(ground, &self.stats, options, waits, oldest);
        let done = round.bring_home(&mut running.drain, &mut running.sync_share).and_then(|floor| {
            // At a start the replay begins farther back than the redo points.
            let floor = floor.max(redo[oldest]);
            let needed = self.state.lock().publish(oldest, floor, known())?;
            Ok((floor, needed))
        });
        let (floor, needed) = done.map_err(|e| match e {
            e @ (Error::Poisoned(_) | Error::OutOfSpace { .. } | Error::Canceled) => e,
            e => ground.poison().set(format!("checkpoint failed: {e}")),
        })?;
        let stats = round.publish(floor);
        self.stats.ended(&stats, cause);
        Ok((stats, needed))
    }

    /// Says how far the log that was received is durable, and may be told (0: all of it), if that is not what the control file has.
    pub fn confirm(&self, received: Lsn, told: Lsn) -> Result<()> {
        let mut state = self.state.lock();
        let state = &mut *state;
        if received > state.data.received || told != state.data.told {
            state.data.received = received.max(state.data.received);
            state.data.told = told;
            state.control.write(&state.data)?;
        }
        Ok(())
    }

    /// Says that nothing is replayed from the first commit on that is later than this ([`ControlData::replayed_to_ms`]), in both slots: no start may go back behind it.
    pub fn hold(&self, replayed_to_ms: u64) -> Result<()> {
        let mut state = self.state.lock();
        let state = &mut *state;
        if state.data.replayed_to_ms != replayed_to_ms {
            state.data.replayed_to_ms = replayed_to_ms;
            state.control.write_both(&state.data)?;
        }
        Ok(())
    }

    /// Which database.
    pub fn database_id(&self) -> u64 {
        self.state.lock().data.database_id
    }

    /// What the control file has.
    pub fn published(&self) -> ControlData {
        self.state.lock().data.clone()
    }

    /// From here on the standby needs its log.
    pub fn log_needed(&self) -> Lsn {
        self.state.lock().data.log_needed
    }

    /// Gives the control file back.
    pub fn into_control(self) -> (Control, ControlData) {
        let state = self.state.into_inner();
        (state.control, state.data)
    }
}

impl State {
    fn publish(&mut self, partition: usize, floor: Lsn, known: Known) -> Result<Lsn> {
        let data = &mut self.data;
        data.received = data.received.max(known.received);
        // Invariant 2: nor may anything else that writes the control file make it known.
        if known.round.is_none() && data.round == Lsn::ZERO {
            return Ok(data.log_needed);
        }
        data.redo[partition] = floor;
        if let Some((at, record)) = &known.round {
            debug_assert!(*at < data.received);
            let active = record.active.iter().map(|t| t.first).min().unwrap_or(Lsn::MAX);
            let redo = data.redo.iter().copied().min().unwrap_or(Lsn::ZERO);
            data.round = *at;
            data.log_needed = redo.min(record.begin).min(active);
            data.next_txn = data.next_txn.max(known.next_txn);
            data.next_file = data.next_file.max(known.next_tree);
        }
        self.control.write(data)?;
        Ok(data.log_needed)
    }
}
