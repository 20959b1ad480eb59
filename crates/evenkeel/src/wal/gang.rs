//! The ganged flush (S14): one device write carries every commit that is queued when it starts.
//!
//! A commit's stages: *inserted* (record copied into the ring) → *written* and *flushed* (one step here: the log is written with
//! O_DSYNC) → *acknowledged* (the waiter returns). Whoever finds nobody flushing becomes the leader; everybody else queues. The leader
//! takes the newest completed position *after* it has its turn, writes once, releases those satisfied in order of arrival, and hands the
//! turn to the first that is not. A queue of one pays no thread hand-over: the committer writes by itself.
//!
//! Invariants
//! 1. `flushed` only grows, and only after the device confirmed every byte before it.
//! 2. At most one leader at a time; `leading` stays true while the turn is handed over.
//! 3. After a failed write nobody is ever told that a later position is durable.

use super::Wal;
use crate::base::blocking::about_to_block;
use crate::base::{Error, Lsn, Result};
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Waker;
use std::thread::Thread;
use std::time::{Duration, Instant};

const WAITING: u32 = 0;
const SATISFIED: u32 = 1;
const LEAD: u32 = 2;

/// Where a waiting thread is told how its wait ended.
struct Cell {
    state: AtomicU32,
    thread: Thread,
}

enum Wake {
    Thread(Arc<Cell>),
    Task(Waker),
}

struct Waiter {
    target: Lsn,
    wake: Wake,
}

#[derive(Default)]
struct State {
    leading: bool,
    queue: VecDeque<Waiter>,
}

/// The queue at the flush.
#[derive(Default)]
pub(super) struct Gang {
    state: Mutex<State>,
    /// The leader's: turns still to go without making way, and how many the next vain try costs.
    resting: AtomicU32,
    rest: AtomicU32,
}

/// Most turns that go without making way after one that took too long.
const REST_MAX: u32 = 1024;
/// Longer than that is too long: those who run instead are not about to commit.
const MAKE_WAY_MAX: Duration = Duration::from_millis(1);

impl Gang {
    /// Where every core is busy, lets those who can run do so before the gang is taken: most of them are on their way to a commit, and
    /// will ride along. On an idle core this costs a third of a microsecond; where somebody else's long computation got the core
    /// instead, it is left alone for more and more turns. Called by the leader only.
    fn make_way(&self) {
        let resting = self.resting.load(Ordering::Relaxed);
        if resting > 0 {
            self.resting.store(resting - 1, Ordering::Relaxed);
            return;
        }
        let start = Instant::now();
        std::thread::yield_now();
        let rest = self.rest.load(Ordering::Relaxed);
        if start.elapsed() > MAKE_WAY_MAX {
            self.resting.store(rest, Ordering::Relaxed);
            self.rest.store((rest * 2).clamp(1, REST_MAX), Ordering::Relaxed);
        } else if rest > 0 {
            self.rest.store(rest / 2, Ordering::Relaxed);
        }
    }
}

impl Wal {
    /// Blocks until the log is durable up to `target`. An error means that it may not be: the engine is poisoned then.
    pub fn flush(&self, target: Lsn) -> Result<()> {
        if self.flushed() >= target {
            return Ok(());
        }
        about_to_block();
        let mut state = self.gang.state.lock();
        if self.flushed() >= target {
            return Ok(());
        }
        self.poison.check()?;
        if target > self.next_lsn() {
            return Err(Error::InvalidArgument(format!("{target} lies behind the end of the log")));
        }
        if state.leading {
            let cell = Arc::new(Cell { state: AtomicU32::new(WAITING), thread: std::thread::current() });
            state.queue.push_back(Waiter { target, wake: Wake::Thread(cell.clone()) });
            drop(state);
            loop {
                match cell.state.load(Ordering::Acquire) {
                    WAITING => std::thread::park(),
                    SATISFIED => {
                        return if self.flushed() >= target { Ok(()) } else { Err(self.poison_error()) };
                    }
                    _ => break,
                }
            }
        } else {
            state.leading = true;
            drop(state);
        }
        self.lead(target)
    }

    /// Flushes what is complete now, if nobody is doing so: the log writer's step.
    pub fn flush_completed(&self) -> Result<()> {
        // A queued task's record may still be being copied: wait for it rather than for the next step.
        let queued = self.gang.state.lock().queue.iter().map(|w| w.target).max();
        self.flush(self.completed().max(queued.unwrap_or(Lsn::ZERO)))
    }

    /// Registers a task to be woken once the log is durable up to `target`. True if it already is (or never will be: then
    /// `flush` returns the error). Someone else must flush: the log writer is asked to.
    pub(crate) fn wake_when_flushed(&self, target: Lsn, waker: &Waker) -> bool {
        let mut state = self.gang.state.lock();
        if self.flushed() >= target || self.poison.is_set() || self.is_closing() {
            return true; // the caller's own flush finds out
        }
        state.queue.retain(|w| !matches!(&w.wake, Wake::Task(t) if t.will_wake(waker) && w.target == target));
        state.queue.push_back(Waiter { target, wake: Wake::Task(waker.clone()) });
        let leading = state.leading;
        drop(state);
        if !leading {
            self.ask_writer();
        }
        false
    }

    /// The leader's turn: write, publish, release. Called with `leading` set.
    fn lead(&self, target: Lsn) -> Result<()> {
        let mut turn = Turn { wal: self, done: false };
        let result = self.await_completed(target).and_then(|()| {
            self.gang.make_way();
            // After the turn is ours: the newest end, so that all who queued meanwhile ride along.
            let end = self.completed();
            self.write_out(self.flushed(), end).map(|()| end)
        });
        turn.done = true;
        let state = self.gang.state.lock();
        match result {
            Ok(end) => {
                debug_assert!(end >= target && end >= self.flushed());
                self.set_flushed(end);
                self.release(state);
                Ok(())
            }
            Err(e) => {
                let e = match e {
                    Error::Poisoned(_) => e,
                    other => self.poison.set(format!("a log write failed: {other}")),
                };
                drop(state);
                self.give_up();
                Err(e)
            }
        }
    }

    /// After poisoning: nobody leads any more, and everybody who waits finds the error.
    fn give_up(&self) {
        let mut state = self.gang.state.lock();
        state.leading = false;
        let queue = std::mem::take(&mut state.queue);
        drop(state);
        queue.into_iter().for_each(|w| signal(w, SATISFIED));
    }

    /// Wakes those satisfied, in order of arrival, and one next leader.
    fn release(&self, mut state: MutexGuard<'_, State>) {
        let flushed = self.flushed();
        let mut satisfied = Vec::new();
        let mut rest = VecDeque::with_capacity(state.queue.len());
        for w in state.queue.drain(..) {
            if w.target <= flushed { satisfied.push(w) } else { rest.push_back(w) }
        }
        let next = rest.iter().position(|w| matches!(w.wake, Wake::Thread(_))).and_then(|i| rest.remove(i));
        state.leading = next.is_some();
        let tasks_left = next.is_none() && !rest.is_empty();
        state.queue = rest;
        drop(state);
        // The next leader first: its write is the long part.
        if let Some(w) = next {
            signal(w, LEAD);
        }
        satisfied.into_iter().for_each(|w| signal(w, SATISFIED));
        if tasks_left {
            self.ask_writer();
        }
    }

    fn poison_error(&self) -> Error {
        self.poison.check().err().unwrap_or(Error::Closed)
    }
}

/// A leader's turn: a panic inside it must not leave everybody waiting.
struct Turn<'a> {
    wal: &'a Wal,
    done: bool,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if !self.done {
            self.wal.poison.set("a panic during a log flush".into());
            self.wal.give_up();
        }
    }
}

fn signal(w: Waiter, how: u32) {
    match w.wake {
        Wake::Thread(cell) => {
            cell.state.store(how, Ordering::Release);
            cell.thread.unpark();
        }
        Wake::Task(waker) => waker.wake(),
    }
}
