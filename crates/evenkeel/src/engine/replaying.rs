//! What the threads of a standby share, and do: they replay the log as it becomes durable, and bring pages home by rounds (S25).
//!
//! Invariants
//! 1. As of `standby.rs`, 1 and 2.
//! 2. Where commits are held back, nothing is replayed from the first commit on that is later than the control file says: a start knows by that from where on no page at home has
//!    anything, and lets readers in there, although there is more log. What lies before is replayed without delay: it may be at home in parts.
//!
//! Must not know: how the log comes here, who opens and promotes.

use super::checkpointing::{SAVE, round_options};
use super::core::slot_floor;
use super::options::Options;
use super::reading::Reading;
use super::recovering::redo_options;
use super::settings::Id;
use super::slots::Slots;
use crate::archive::ArchiveState;
use crate::base::clock::wall_ms;
use crate::base::sync::{AtomicBool, AtomicU64, AtomicUsize, Condvar, Instant, Mutex, Ordering, RwLock};
use crate::base::{Error, Lsn, Poison, Result};
use crate::checkpoint::{
    Cause, Following, Ground, Known, RoundOptions, RoundStats, Speed, Urgency, Waits, WithoutWaits,
};
use crate::control::ControlData;
use crate::io::Disk;
use crate::pool::Pool;
use crate::recovery::{Applied, LifeEnd, Readers, Recovered, Tail, follow_log};
use crate::wal;
use crate::wal::receiving::Receiver;
use crate::wal::source::LogSource;
use std::sync::Arc;
use std::time::Duration;

/// What helps when the log cannot be replayed.
pub(super) const ADVICE: &str =
    "With the server stopped, put back what was lost, or make the standby anew (evenkeel standby create)";
/// How often it is written down how far the log is durable here.
const CONFIRM: Duration = Duration::from_secs(1);
/// How often the duty of the rounds looks whether one is due.
const LOOK: Duration = Duration::from_millis(100);
/// How long a replay that finds no space waits before it looks again.
const RETRY: Duration = Duration::from_secs(1);
/// The control file says of commits that are held back up to when they may have been replayed; so far ahead, milliseconds, that it need not say so for each.
const AHEAD_MS: u64 = 10_000;
/// The time that it says where none is held back.
const ANY_MS: u64 = u64::MAX;
/// Trees whose files are looked at before a pause.
const LOOKED_AT: usize = 32;
/// Log segments that are kept to be used again.
const SPARE_SEGMENTS: usize = 2;

#[derive(Default)]
pub(super) struct State {
    /// The log that may be replayed.
    pub durable: Lsn,
    pub applied: Option<Applied>,
    /// Rounds that wait for a floor.
    pub waiting: usize,
    /// The replay is to end, and everything with it.
    pub stopping: bool,
    /// It is to be promoted: what was received is replayed at once.
    pub hurry: bool,
    /// The replay waits: all before a commit is applied for which it is too early, or there is no space for what is next.
    pub is_delayed: bool,
    /// Nothing is replayed until somebody says so.
    pub is_paused: bool,
    /// What the replay came to.
    pub ended: Option<Result<Recovered>>,
}

/// What the primary may tell, as it says.
pub(super) struct Told {
    pub at: Lsn,
    /// It asks for more than its own disk.
    pub is_restricted: bool,
}

/// What is known of commits that are held back (2).
pub(super) struct Held {
    /// What the control file said at the start; 0: nothing.
    before_ms: u64,
    /// What it says since the replay has come to where nothing was ever replayed; 0: it has not.
    now_ms: u64,
    /// The latest commit that was replayed since the start.
    latest_ms: u64,
    /// The next commit may be at home.
    may_be_home: bool,
}

impl Held {
    pub fn new(before_ms: u64) -> Held {
        Held { before_ms, now_ms: 0, latest_ms: 0, may_be_home: true }
    }
}

pub(super) struct Shared {
    pub held: Mutex<Held>,
    pub told: Mutex<Told>,
    pub options: Options,
    pub pool: Arc<Pool>,
    pub poison: Arc<Poison>,
    pub receiver: Mutex<Receiver>,
    pub state: Mutex<State>,
    /// Something of the state has changed.
    pub changed: Condvar,
    pub rounds: Following,
    /// Is told whenever more was applied.
    pub on_applied: RwLock<Option<Arc<dyn Fn() + Send + Sync>>>,
    /// Who reads meanwhile.
    pub reading: Option<Reading>,
    /// Flushes of the received log: rounds let them pass.
    pub log_stats: wal::Stats,
    pub disk: Arc<dyn Disk>,
    /// Of those who follow this one.
    pub slots: Arc<Slots>,
    /// The replay is to pause: at the next commit, or where the log ends.
    pub pausing: AtomicBool,
    /// From here on the log is here: an LSN, by the receiver.
    pub oldest: Arc<AtomicU64>,
    /// Nobody is to follow any more.
    pub leaving: AtomicBool,
    /// Those who wait for more to be sent.
    pub watchers: AtomicUsize,
    /// Somebody found the disk full: rounds are to give log back at once.
    pub lacking: AtomicBool,
    /// What the primary has archived, once it has said so.
    pub archived: Mutex<Option<Option<ArchiveState>>>,
    /// What the file says of that.
    pub archive_file: Mutex<Option<ArchiveState>>,
}

impl Tail for Shared {
    fn wait(&self, at: Lsn) -> Option<Lsn> {
        let mut state = self.state.lock();
        loop {
            if self.poison.is_set() {
                return None;
            }
            let is_held = self.is_held(&mut state);
            if state.durable > at && !is_held {
                return Some(state.durable);
            }
            if state.stopping {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    fn is_new(&self, ms: u64) -> bool {
        let before_ms = self.held.lock().before_ms;
        before_ms != 0 && ms > before_ms
    }

    fn is_early(&self, ms: u64, may_be_home: bool) -> bool {
        let was_known = {
            let mut held = self.held.lock();
            held.may_be_home = may_be_home;
            held.before_ms != 0
        };
        let delay_ms = self.delay_ms();
        let is_early = (delay_ms > 0 && wall_ms() < ms.saturating_add(delay_ms)
            || self.pausing.load(Ordering::Relaxed))
            && !(may_be_home && was_known)
            && !self.state.lock().hurry;
        self.note_replayed((!is_early).then_some(ms));
        is_early
    }

    fn delay(&self, ms: u64) -> bool {
        let due = ms.saturating_add(self.delay_ms());
        let mut state = self.state.lock();
        state.is_delayed = true;
        self.changed.notify_all();
        let goes_on = loop {
            let is_held = self.is_held(&mut state);
            let left = if is_held { u64::MAX } else { due.saturating_sub(wall_ms()) };
            match () {
                () if left == 0 || state.hurry => break true,
                () if state.stopping || self.poison.is_set() => break false,
                // Clocks are set now and then.
                () => _ = self.changed.wait_for(&mut state, Duration::from_millis(left.min(1000))),
            }
        };
        (state.is_delayed, state.is_paused) = (false, false);
        drop(state);
        if goes_on {
            self.note_replayed(Some(ms));
        }
        goes_on && !self.poison.is_set()
    }

    fn lacks(&self, what: &str, again: bool) -> bool {
        if !again {
            tracing::warn!("the replay of the log waits, and tries again: no space left for {what}");
        }
        self.note_lack();
        let until = Instant::now() + RETRY;
        let mut state = self.state.lock();
        state.is_delayed = true;
        self.changed.notify_all();
        let goes_on = loop {
            match () {
                () if state.stopping || self.poison.is_set() => break false,
                () if self.changed.wait_until(&mut state, until).timed_out() => break true,
                () => {}
            }
        };
        state.is_delayed = false;
        goes_on
    }

    fn is_waited_for(&self) -> bool {
        self.state.lock().waiting > 0
    }

    fn applied(&self, applied: Applied) {
        self.state.lock().applied = Some(applied);
        self.changed.notify_all();
        if let Some(tell) = &*self.on_applied.read() {
            tell();
        }
    }
}

impl Ground for Shared {
    fn pool(&self) -> &Pool {
        &self.pool
    }

    fn poison(&self) -> &Poison {
        &self.poison
    }

    fn log_end(&self) -> Lsn {
        self.state.lock().durable
    }

    /// Where the replay is when it has next applied all that it has read.
    fn raise_floor(&self, _: usize) -> Option<Lsn> {
        let mut state = self.state.lock();
        let before = state.applied.as_ref().map(|a| a.at);
        state.waiting += 1;
        let floor = loop {
            let now = state.applied.as_ref().map(|a| a.at);
            let stands = state.is_delayed || state.is_paused;
            if now > before || now == Some(state.durable) || (now.is_some() && stands) {
                break now;
            }
            if self.poison.is_set() || state.ended.is_some() {
                break None;
            }
            self.changed.wait(&mut state);
        };
        state.waiting -= 1;
        floor
    }

    fn log_stats(&self) -> &wal::Stats {
        &self.log_stats
    }
}

/// Waits of a round, cut short when the standby stops.
struct Pauses<'a>(&'a Shared);

impl Waits for Pauses<'_> {
    fn urgency(&self) -> Urgency {
        let lacking = self.0.lacking.load(Ordering::Relaxed);
        let at_once = lacking || self.0.state.lock().stopping || self.0.poison.is_set();
        if at_once { Urgency::AtOnce } else { Urgency::Calm }
    }

    fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut state = self.0.state.lock();
        while !state.stopping
            && !self.0.poison.is_set()
            && !self.0.lacking.load(Ordering::Relaxed)
            && !self.0.changed.wait_until(&mut state, until).timed_out()
        {}
    }

    fn is_canceled(&self) -> bool {
        self.0.state.lock().stopping
    }
}

impl Shared {
    fn delay_ms(&self) -> u64 {
        self.options.get(Id::RecoveryMinApplyDelay) / 1000
    }

    /// Before anything is replayed: where no commit is held back, any may be replayed from now on (2).
    pub fn begin_held(&self) -> Result<()> {
        if self.delay_ms() == 0 { self.rounds.hold(ANY_MS) } else { Ok(()) }
    }

    /// A commit is about to be replayed, or held back: what the control file says must hold first (2).
    fn note_replayed(&self, ms: Option<u64>) {
        let mut held = self.held.lock();
        held.latest_ms = held.latest_ms.max(ms.unwrap_or(0));
        let is_said = held.now_ms != 0 && held.latest_ms <= held.now_ms;
        if self.delay_ms() == 0 || held.may_be_home || is_said {
            return;
        }
        let now_ms = match self.state.lock().hurry {
            true => ANY_MS,
            false => held.latest_ms.max((wall_ms() + AHEAD_MS).saturating_sub(self.delay_ms())).max(1),
        };
        match self.rounds.hold(now_ms) {
            Ok(()) => held.now_ms = now_ms,
            Err(e) => _ = self.poison.set(format!("writing the control file failed: {e}")),
        }
    }

    /// Whether the replay, which has applied all before, is not to go on for now.
    fn is_held(&self, state: &mut State) -> bool {
        let is_held = self.pausing.load(Ordering::Relaxed) && !state.hurry;
        if is_held != std::mem::replace(&mut state.is_paused, is_held) {
            self.changed.notify_all();
        }
        is_held
    }

    /// Has the replay pause, or go on.
    pub fn pause(&self, pauses: bool) {
        // With the lock, so that whoever is about to wait looks again.
        let _state = self.state.lock();
        self.pausing.store(pauses, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// The log is durable up to here. Called with the receiver's lock, so that it only rises.
    pub fn may_replay(&self, durable: Lsn) {
        self.state.lock().durable = durable;
        self.changed.notify_all();
    }

    pub fn run_replay(&self, disk: &dyn Disk, from: &ControlData, end: LifeEnd) {
        let source: &dyn LogSource = &disk;
        let how = redo_options(&self.options, None);
        let readers = self.reading.as_ref().map(|r| r as &dyn Readers);
        let ended = follow_log(source, &self.pool, from, end, &how, self, readers);
        // One that was stopped while it waited for space has lost nothing.
        let is_stopped = |e: &Error| matches!(e, Error::OutOfSpace { .. }) && self.state.lock().stopping;
        if let Err(e) = &ended
            && !is_stopped(e)
        {
            let e = match e.clone() {
                Error::Corrupt(why) => Error::Corrupt(why.with_advice(ADVICE)),
                e => e,
            };
            self.poison.set(format!("the replay of the log failed: {e}"));
        }
        self.state.lock().ended = Some(ended);
        self.changed.notify_all();
    }

    /// The disk is full: what log nobody needs is to be given back now.
    pub fn note_lack(&self) {
        let _state = self.state.lock(); // whoever is about to pause has looked by now, or will see it
        self.lacking.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// A round for each partition: then no redo point keeps log that could go.
    fn give_back_log(&self, waits: &dyn Waits) -> Result<()> {
        let options = round_options(&|id| self.options.get(id), Speed::AtOnce);
        for _ in 0..self.pool.partitions().get() {
            self.round(&options, waits, Cause::Request)?;
        }
        Ok(())
    }

    fn known(&self) -> Known {
        let received = self.receiver.lock().durable();
        let state = self.state.lock();
        let applied = state.applied.as_ref();
        Known {
            received,
            round: applied.and_then(|a| a.round.clone()),
            next_txn: applied.map_or(0, |a| a.next_txn),
            next_tree: applied.map_or(0, |a| a.next_tree),
        }
    }

    fn round(&self, options: &RoundOptions, waits: &dyn Waits, cause: Cause) -> Result<RoundStats> {
        let (stats, needed) = self.rounds.round(self, options, waits, cause, &|| self.known())?;
        let recycled = self.not_archived().and_then(|kept| {
            self.receiver.lock().recycle(needed.min(kept).min(self.wanted_by_slots()), SPARE_SEGMENTS)
        });
        // What cannot be removed now is found by the next round.
        if let Err(e) = recycled {
            tracing::warn!("{e}");
        }
        Ok(stats)
    }

    /// Writes down what the primary has archived, as it said. Gives what is written.
    pub fn note_archived(&self) -> Result<Option<ArchiveState>> {
        let mut file = self.archive_file.lock();
        if let Some(said) = *self.archived.lock()
            && said != *file
        {
            match said {
                Some(state) => state.write(&*self.disk)?,
                None => ArchiveState::remove(&*self.disk)?,
            }
            *file = said;
        }
        Ok(*file)
    }

    /// Log from here on whoever takes over would have to archive, so far as it is kept for that.
    fn not_archived(&self) -> Result<Lsn> {
        let Some(state) = self.note_archived()? else { return Ok(Lsn::MAX) };
        let receiver = self.receiver.lock();
        let floor = slot_floor(receiver.position(), self.options.get(Id::MaxSlotWalKeepSize));
        Ok(receiver.geometry().start_of(state.next).max(floor))
    }

    /// Log from here on is kept for those who follow this one.
    fn wanted_by_slots(&self) -> Lsn {
        self.slots.keep_from(slot_floor(self.log_end(), self.options.get(Id::MaxSlotWalKeepSize)))
    }

    fn has_dirty_pages(&self) -> bool {
        (0..self.pool.partitions().get()).any(|p| self.pool.dirty_frames(p) > 0)
    }

    pub fn bring_all_home(&self) -> Result<()> {
        self.give_back_log(&WithoutWaits)?;
        self.slots.save()?;
        self.confirm()
    }

    /// Writes down how far the log is durable.
    pub fn confirm(&self) -> Result<()> {
        let received = self.receiver.lock().durable();
        let told = {
            let told = self.told.lock();
            if told.is_restricted { told.at.max(Lsn(1)) } else { Lsn::ZERO }
        };
        self.rounds.confirm(received, told)
    }

    /// Rounds by time and by the log that was received, and once a second what is durable.
    pub fn run_rounds(&self) {
        let n = self.pool.partitions().get() as u64;
        let setting = |id| self.options.get(id);
        let log_bytes = (setting(Id::MaxWalSize) / (n + 1)).max(1);
        let interval = Duration::from_micros(setting(Id::CheckpointTimeout)) / n as u32;
        let target = setting(Id::CheckpointCompletionTarget) as f64 / 100.0;
        let options = round_options(&setting, Speed::Paced { interval, log_bytes, target });
        let (mut last_lsn, mut last_time, mut confirmed) = (self.log_end(), Instant::now(), Instant::now());
        let waits = Pauses(self);
        let mut saved = Instant::now();
        while !waits.is_canceled() && !self.poison.is_set() {
            waits.pause(LOOK.min(interval));
            if confirmed.elapsed() >= CONFIRM {
                if let Err(e) = self.confirm() {
                    self.poison.set(format!("writing the control file failed: {e}"));
                    return;
                }
                confirmed = Instant::now();
                self.slots
                    .give_up_readers(Duration::from_micros(self.options.get(Id::HotStandbyFeedbackMaxAge)));
            }
            self.reading.iter().for_each(|reading| reading.look_at_files_step(LOOKED_AT));
            if saved.elapsed() >= SAVE {
                saved = Instant::now();
                // Until then log is kept that nobody needs.
                self.slots.save().unwrap_or_else(|e| tracing::warn!("{e}"));
            }
            let lacking = self.lacking.swap(false, Ordering::Relaxed);
            let logged = self.log_end().0.saturating_sub(last_lsn.0);
            let cause = if lacking {
                Cause::Request
            } else if logged >= log_bytes {
                Cause::Log
            } else if last_time.elapsed() >= interval && (logged > 0 || self.has_dirty_pages()) {
                Cause::Time
            } else {
                continue;
            };
            (last_lsn, last_time) = (self.log_end(), Instant::now());
            let done = match cause {
                Cause::Request => self.give_back_log(&waits),
                _ => self.round(&options, &waits, cause).map(drop),
            };
            match done {
                Ok(()) | Err(Error::Canceled) => {}
                Err(_) if self.poison.is_set() => return,
                Err(e) => tracing::warn!("a checkpoint round failed, will try again: {e}"),
            }
        }
    }
}
