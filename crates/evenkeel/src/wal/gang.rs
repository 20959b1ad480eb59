//! The ganged flush (S14, S15): one device write carries every commit that is queued when it starts.
//!
//! Whoever finds nobody taking a gang takes the turn; everybody else queues. The holder of the turn waits, if that costs nothing (`hold`), then takes
//! the newest completed position, passes the turn on if another write may start beside this one, and writes by itself. Whoever ends a
//! write releases those that are durable now, in order of arrival, and hands the turn to the first that is not. A queue of one pays no
//! thread hand-over: the committer writes by itself. The rules of the queue are in `turns`.
//!
//! Invariants
//! 1. `flushed` only grows, and only after the device confirmed every byte before it.
//! 2. No lock is held over a write.
//! 3. After a failed write nobody is ever told that a later position is durable.
//!
//! Must not know: segments, records, rings (they are behind [`Log`]).

use super::hold::Hold;
use super::stages::{CommitStage, Stats, Written};
use super::tuning::Tuning;
use super::turns::{Arrival, Flight, Next, Turns};
use crate::base::sync::{
    AtomicU32, AtomicU64, Condvar, Instant, Mutex, Ordering, Thread, current, park, planted, sleep, yield_now,
};
use crate::base::{Error, Lsn, Poison, Result};
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

const WAITING: u32 = 0;
const RELEASED: u32 = 1;
const LEAD: u32 = 2;

/// What the gang needs of the log around it.
pub trait Log {
    /// The end of what is completely in the ring.
    fn completed(&self) -> Lsn;
    /// The end of what has a place.
    fn reserved(&self) -> Lsn;
    /// Blocks until everything before `upto`, which has a place, is completely in the ring.
    fn await_completed(&self, upto: Lsn);
    /// Logs how far the log is durable, unless that is known or there is no room.
    fn tell_flushed(&self);
    /// Closes the open block, so that the next record begins a block, if there is room for that. Gives the end of what has a place.
    fn close_block(&self) -> Lsn;
    /// Writes durably.
    fn write(&self, from: Lsn, to: Lsn) -> Result<Written>;
    /// Asks the log writer thread to flush.
    fn ask_writer(&self);
    /// Whether nothing is to be acknowledged any more.
    fn poison(&self) -> &Poison;
    /// What the settings say.
    fn tuning(&self) -> &Tuning;
    /// Where commits and writes are counted.
    fn stats(&self) -> &Stats;
}

/// Where a waiting thread is told how its wait ended.
pub(super) struct Cell {
    state: AtomicU32,
    thread: Thread,
    since: Instant,
    /// When it was released, microseconds after `since`.
    released_us: AtomicU64,
}

pub(super) enum Wake {
    Thread(Arc<Cell>),
    Task(Waker, Instant),
}

pub(super) struct State {
    pub(super) turns: Turns<Wake>,
    pub(super) hold: Hold,
    last_end: Option<Instant>,
    /// Commits counted when the last gang was taken.
    taken_commits: u64,
    /// How many more are likely to come before the next gang is worth taking: as many as the last carried, and those it left behind.
    expected: u64,
    /// So many wait for whatever comes.
    watchers: usize,
}

/// The queue at the flush.
pub struct Gang {
    block_bytes: u64,
    flushed: AtomicU64,
    /// The end of the last record before it, as far as is known.
    flushed_records: AtomicU64,
    pub(super) state: Mutex<State>,
    arrived: Condvar,
    /// More has become durable, or nothing will any more.
    grown: Condvar,
    /// Commits whose records are complete, since the start. Not requests: one thread may wait for many of them.
    commits: AtomicU64,
    /// The holder of the turn sleeps until there are so many.
    pub(super) awaited: AtomicU64,
    /// Whether more than one commit is expected before the next gang.
    crowded: AtomicU32,
    /// Of the holder of the turn: turns still to go without making way, and how many the next vain try costs.
    resting: AtomicU32,
    rest: AtomicU32,
}

/// Most turns that go without making way after one that took too long.
const REST_MAX: u32 = 1024;
/// Longer than that is too long: those who run instead are not about to commit.
const MAKE_WAY_MAX: Duration = Duration::from_millis(1);

/// How much a holder of the turn takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Everything completed.
    All,
    /// Whole blocks: the log writer's, ahead of those who commit.
    WholeBlocks,
}

impl Gang {
    /// Of a log that is durable up to `start`, written in blocks of so many bytes.
    pub fn new(start: Lsn, block_bytes: u64) -> Gang {
        let state = State {
            turns: Turns::new(start, block_bytes),
            hold: Hold::default(),
            last_end: None,
            taken_commits: 0,
            expected: 1,
            watchers: 0,
        };
        Gang {
            block_bytes,
            flushed: AtomicU64::new(start.0),
            flushed_records: AtomicU64::new(start.0),
            state: Mutex::new(state),
            arrived: Condvar::new(),
            grown: Condvar::new(),
            commits: AtomicU64::new(0),
            awaited: AtomicU64::new(u64::MAX),
            crowded: AtomicU32::new(0),
            resting: AtomicU32::new(0),
            rest: AtomicU32::new(0),
        }
    }

    /// The record of a commit that is to be flushed is complete.
    pub(super) fn commit_logged(&self) {
        let commits = self.commits.fetch_add(1, Ordering::SeqCst) + 1;
        if commits >= self.awaited.load(Ordering::SeqCst) {
            // The holder of the turn sleeps inside the condition variable, or looks again before it does.
            drop(self.state.lock());
            self.arrived.notify_one();
        }
    }

    /// Every byte before this is on stable storage.
    pub fn flushed(&self) -> Lsn {
        Lsn(self.flushed.load(Ordering::Acquire))
    }

    /// A record ends there, and every byte before it is on stable storage. Not beyond `flushed`, which the log writer has end within records.
    pub(super) fn flushed_records(&self) -> Lsn {
        Lsn(self.flushed_records.load(Ordering::Acquire))
    }

    /// Blocks until the log is durable up to `target`. An error means that it may not be: the engine is poisoned then.
    pub fn flush(&self, log: &impl Log, target: Lsn) -> Result<()> {
        if self.flushed() >= target {
            return Ok(());
        }
        log.poison().check()?;
        if target > log.reserved() {
            return Err(Error::InvalidArgument(format!("{target} lies behind the end of the log")));
        }
        let since = Instant::now();
        // The write of this thread, once it has made one: then the request is counted as a rider.
        let mut own: Option<Written> = None;
        loop {
            let mut state = self.state.lock();
            match state.turns.arrive(target, log.tuning().depth()) {
                Arrival::Durable => {
                    own.iter().for_each(|w| acknowledged_by_itself(log.stats(), since, w));
                    return Ok(());
                }
                Arrival::Failed => return Err(failure(log)),
                Arrival::Turn => drop(state),
                Arrival::Wait => {
                    let cell = Arc::new(Cell {
                        state: AtomicU32::new(WAITING),
                        thread: current(),
                        since,
                        released_us: AtomicU64::new(0),
                    });
                    state.turns.wait(target, true, Wake::Thread(cell.clone()));
                    drop(state);
                    if cell.wait() == RELEASED {
                        let released = Duration::from_micros(cell.released_us.load(Ordering::Relaxed));
                        log.stats()
                            .reached(CommitStage::Acknowledged, since.elapsed().saturating_sub(released));
                        return if self.flushed() >= target { Ok(()) } else { Err(failure(log)) };
                    }
                }
            }
            let w = self.lead(log, target, Extent::All)?;
            // Written by this thread; durable unless an earlier write is still in flight.
            if self.flushed() >= target {
                acknowledged_by_itself(log.stats(), since, &w);
                return Ok(());
            }
            own = Some(w);
        }
    }

    /// Flushes everything complete and what tasks wait for: the log writer's step.
    pub fn flush_completed(&self, log: &impl Log) -> Result<()> {
        // A queued task's record may still be being copied: wait for it rather than for the next step.
        let task = self.state.lock().turns.farthest_task();
        self.flush(log, log.completed().max(task.unwrap_or(Lsn::ZERO)))
    }

    /// Makes the whole blocks that are complete durable: the log writer's step ahead of a commit. Whoever is writing already is waited for, so that the log
    /// writer is not asked again meanwhile.
    pub fn flush_whole_blocks(&self, log: &impl Log) -> Result<()> {
        log.poison().check()?;
        let mut state = self.state.lock();
        let target = self.block_of(log.completed());
        let arrival = state.turns.arrive(target, log.tuning().depth());
        drop(state);
        match arrival {
            Arrival::Turn => self.lead(log, target, Extent::WholeBlocks).map(drop),
            _ => self.flush(log, target),
        }
    }

    /// Registers a task to be woken once the log is durable up to `target`. True if it need not wait. Someone else must flush:
    /// the log writer is asked to.
    pub(super) fn wake_when_flushed(&self, log: &impl Log, target: Lsn, waker: &Waker) -> bool {
        let mut state = self.state.lock();
        if self.flushed() >= target || log.poison().is_set() {
            return true; // the caller's own flush finds out
        }
        state.turns.forget(|w, t| t == target && matches!(w, Wake::Task(other, _) if other.will_wake(waker)));
        state.turns.wait(target, false, Wake::Task(waker.clone(), Instant::now()));
        let unled = target > state.turns.taken() && !state.turns.is_taking();
        drop(state);
        if unled {
            log.ask_writer();
        }
        false
    }

    /// Blocks until the log is durable beyond `at`, or there is news, or the time has come, or the engine is poisoned. Has nothing written. Gives how far it is.
    pub(super) fn wait_beyond(
        &self,
        log: &impl Log,
        at: Lsn,
        until: Instant,
        is_news: &dyn Fn() -> bool,
    ) -> Lsn {
        let mut state = self.state.lock();
        state.watchers += 1;
        while self.flushed() <= at
            && !is_news()
            && !log.poison().is_set()
            && !self.grown.wait_until(&mut state, until).timed_out()
        {}
        state.watchers -= 1;
        self.flushed()
    }

    /// Whoever waits in [`Gang::wait_beyond`] looks whether there is news.
    pub(super) fn wake_watchers(&self) {
        let is_watched = self.state.lock().watchers > 0;
        if is_watched {
            self.grown.notify_all();
        }
    }

    /// The engine is poisoned: nobody waits any longer for what no write carries. What is being written may still become durable, and is told then.
    pub(super) fn fail(&self, stats: &Stats) {
        let mut state = self.state.lock();
        state.turns.fail();
        let released = state.turns.released();
        drop(state);
        self.arrived.notify_all();
        self.grown.notify_all();
        released.into_iter().for_each(|who| who.release(stats, None));
    }

    fn block_of(&self, lsn: Lsn) -> Lsn {
        Lsn(lsn.0 & !(self.block_bytes - 1))
    }

    /// A turn, and the write that it leads to. Called by the holder of the turn.
    fn lead(&self, log: &impl Log, target: Lsn, extent: Extent) -> Result<Written> {
        let mut turn = Turn { gang: self, log, flight: None, done: false };
        log.await_completed(target);
        if extent == Extent::All {
            self.hold(log);
            self.make_way();
        }
        let Some(flight) = self.take(log, extent) else {
            turn.done = true;
            return Err(failure(log));
        };
        debug_assert!(flight.to >= target, "a gang carries its leader");
        turn.flight = Some(flight);
        let result = log.write(flight.from, flight.to);
        turn.done = true;
        let written = result.as_ref().ok().copied();
        self.finish(log, flight, result)?;
        written.ok_or_else(|| failure(log))
    }

    /// Ends the turn: the gang is everything completed by now, so that all who queued meanwhile ride along.
    fn take(&self, log: &impl Log, extent: Extent) -> Option<Flight> {
        // Before the end is taken: all that is counted lies before it.
        let commits = self.commits.load(Ordering::SeqCst);
        let depth = log.tuning().depth();
        if extent == Extent::All {
            log.tell_flushed();
        }
        let end = match extent {
            Extent::WholeBlocks => self.block_of(log.completed()),
            Extent::All if depth > 1 && self.state.lock().turns.expects_company() => {
                let end = log.close_block();
                log.await_completed(end);
                end
            }
            Extent::All => log.completed(),
        };
        let mut state = self.state.lock();
        let carried = if extent == Extent::All { commits - state.taken_commits } else { 0 };
        state.taken_commits += carried;
        let flight = state.turns.take(end, carried, extent == Extent::All);
        let next = state.turns.hand_on(depth);
        drop(state);
        pass_on(log, next);
        flight
    }

    /// Sleeps while a later start costs nothing, until all who are expected have come; and as long as `commit_delay` says.
    fn hold(&self, log: &impl Log) {
        let tuning = log.tuning();
        if tuning.depth() == 1 {
            let mut state = self.state.lock();
            let hold = state.hold.get();
            if !hold.is_zero()
                && let Some(deadline) = state.last_end.map(|end| end + hold)
            {
                let awaited = state.taken_commits + state.expected;
                self.awaited.store(awaited, Ordering::SeqCst);
                while self.commits.load(Ordering::SeqCst) < awaited
                    && !log.poison().is_set()
                    && !self.arrived.wait_until(&mut state, deadline).timed_out()
                {}
                self.awaited.store(u64::MAX, Ordering::SeqCst);
            }
        }
        if let Some(delay) = tuning.commit_delay() {
            sleep(delay);
        }
    }

    /// Where every core is busy, lets those who can run do so before the gang is taken: most of them are on their way to a commit, and
    /// will ride along. On an idle core this costs a microsecond; where somebody else's long computation got the core
    /// instead, it is left alone for more and more turns. Called by the holder of the turn only.
    fn make_way(&self) {
        if self.crowded.load(Ordering::Relaxed) == 0 {
            return; // a lone committer
        }
        let resting = self.resting.load(Ordering::Relaxed);
        if resting > 0 {
            self.resting.store(resting - 1, Ordering::Relaxed);
            return;
        }
        let start = Instant::now();
        yield_now();
        let rest = self.rest.load(Ordering::Relaxed);
        if start.elapsed() > MAKE_WAY_MAX {
            self.resting.store(rest, Ordering::Relaxed);
            self.rest.store((rest * 2).clamp(1, REST_MAX), Ordering::Relaxed);
        } else if rest > 0 {
            self.rest.store(rest / 2, Ordering::Relaxed);
        }
    }

    /// A write has ended: publish, release those satisfied, and hand the turn on.
    fn finish(&self, log: &impl Log, flight: Flight, result: Result<Written>) -> Result<()> {
        let failed = result.as_ref().err().map(|e| match e {
            Error::Poisoned(_) => e.clone(),
            other => log.poison().set(format!("a log write failed: {other}")),
        });
        let (stats, depth) = (log.stats(), log.tuning().depth());
        let mut state = self.state.lock();
        let mut carried = 0;
        state.turns.finish(flight.id, result.is_ok(), |commits| {
            stats.gang_size.record(commits);
            carried += commits;
        });
        self.flushed_records.store(state.turns.flushed_records().0, Ordering::Release);
        self.flushed.store(state.turns.flushed().0, Ordering::Release);
        if planted("a write that overtook another counts at once") {
            self.flushed.store(flight.to.0, Ordering::Release);
        }
        if let Ok(w) = &result {
            if let Some(last) = state.last_end.filter(|last| depth == 1 && *last <= w.started) {
                state.hold.observe(w.started - last, w.flushed - last);
            }
            state.last_end = Some(w.flushed);
        }
        let released = state.turns.released();
        if carried > 0 {
            state.expected =
                carried + self.commits.load(Ordering::SeqCst).saturating_sub(state.taken_commits);
            self.crowded.store(u32::from(state.expected > 1), Ordering::Relaxed);
        }
        let next = state.turns.hand_on(depth);
        let is_watched = state.watchers > 0;
        drop(state);
        // The next leader first: its write is the long part.
        pass_on(log, next);
        if is_watched {
            self.grown.notify_all();
        }
        released.into_iter().for_each(|who| who.release(stats, result.as_ref().ok()));
        failed.map_or(Ok(()), Err)
    }
}

/// For simulations: the steps of a write one by one, without waiting for anything but copies under way.
impl Gang {
    /// Takes a gang and writes it, if there is something to take and it may be taken beside those in flight; `closing`: leave a fresh block to the
    /// next. The caller finishes it later.
    pub(super) fn submit(&self, log: &impl Log, closing: bool) -> Result<Option<(Flight, Written)>> {
        let target = log.completed();
        let mut state = self.state.lock();
        if target <= state.turns.taken() || state.turns.arrive(target, log.tuning().depth()) != Arrival::Turn
        {
            return Ok(None);
        }
        drop(state);
        let mut turn = Turn { gang: self, log, flight: None, done: false };
        if closing {
            log.tell_flushed();
            log.await_completed(log.close_block());
        }
        let Some(flight) = self.take(log, Extent::All) else {
            turn.done = true;
            return Err(failure(log));
        };
        turn.flight = Some(flight);
        let result = log.write(flight.from, flight.to);
        turn.done = true;
        match result {
            Ok(written) => Ok(Some((flight, written))),
            Err(e) => self.finish(log, flight, Err(e)).map(|()| None),
        }
    }

    /// A submitted write has ended.
    pub(super) fn finish_submitted(
        &self,
        log: &impl Log,
        flight: Flight,
        written: Result<Written>,
    ) -> Result<()> {
        self.finish(log, flight, written)
    }
}

impl Cell {
    fn wait(&self) -> u32 {
        loop {
            match self.state.load(Ordering::Acquire) {
                WAITING => park(),
                state => return state,
            }
        }
    }

    fn signal(&self, how: u32) {
        if planted("a waiter is woken before it is told why") {
            self.thread.unpark();
            return self.state.store(how, Ordering::Release);
        }
        self.state.store(how, Ordering::Release);
        self.thread.unpark();
    }
}

impl Wake {
    /// Its wait is over.
    fn release(self, stats: &Stats, written: Option<&Written>) {
        let since = match &self {
            Wake::Thread(cell) => cell.since,
            Wake::Task(_, since) => *since,
        };
        if let Some(w) = written {
            // A request that came during the write, for what the write carried, waited less than for all of it.
            stats.reached(CommitStage::Written, w.written.saturating_duration_since(since));
            stats.reached(CommitStage::Flushed, w.flushed.saturating_duration_since(w.written.max(since)));
        }
        match self {
            Wake::Thread(cell) => {
                let us = written.map_or(0, |w| w.flushed.saturating_duration_since(since).as_micros() as u64);
                cell.released_us.store(us, Ordering::Relaxed);
                cell.signal(RELEASED);
            }
            Wake::Task(waker, _) => waker.wake(),
        }
    }
}

/// A request whose own thread wrote it, and need not be woken.
fn acknowledged_by_itself(stats: &Stats, since: Instant, w: &Written) {
    stats.reached(CommitStage::Written, w.written.saturating_duration_since(since));
    stats.reached(CommitStage::Flushed, w.flushed.saturating_duration_since(w.written));
    stats.reached(CommitStage::Acknowledged, Duration::ZERO);
}

fn pass_on(log: &impl Log, next: Next<Wake>) {
    match next.leader {
        Some(Wake::Thread(cell)) => cell.signal(LEAD),
        Some(Wake::Task(..)) => unreachable!("a task leads nobody"),
        None if next.only_tasks => log.ask_writer(),
        None => {}
    }
}

fn failure(log: &impl Log) -> Error {
    log.poison().check().err().unwrap_or(Error::Closed)
}

/// A turn and its write: a panic inside must not leave everybody waiting.
struct Turn<'a, L: Log> {
    gang: &'a Gang,
    log: &'a L,
    flight: Option<Flight>,
    done: bool,
}

impl<L: Log> Drop for Turn<'_, L> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let e = self.log.poison().set("a panic during a log flush".into());
        match self.flight {
            Some(flight) => drop(self.gang.finish(self.log, flight, Err(e))),
            None => {
                let mut state = self.gang.state.lock();
                state.turns.give_up_turn();
                let released = state.turns.released();
                drop(state);
                released.into_iter().for_each(|who| who.release(self.log.stats(), None));
            }
        }
    }
}
