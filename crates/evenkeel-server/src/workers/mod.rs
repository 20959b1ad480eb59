//! A few threads that serve all sessions by turns.
//!
//! Duty: a session is stepped when its client has sent something or the log has become durable for its reply. One worker at a time watches all
//! sockets and then steps the sessions it found; in the best case one thread reads, executes and answers a burst of messages of many clients
//! without anybody being put to sleep or woken. At most `session_workers` threads are *attached*, that is, free to run; one that is about to wait (the engine says so, `blocking`)
//! is detached, and another goes on in its place. Replies that wait for the log are collected: one worker waits for all of them, so the
//! commits of a burst make one gang (S14). Rejected: a thread a session. Waking and switching threads was two thirds of a transaction's cost.
//!
//! The states of a session are in [`Condition`], what a worker may do next in [`Work`].
//!
//! Invariants
//! 1. A session is stepped by one worker at a time. What happens to it meanwhile is kept (`news`) and makes it go again: no event is lost.
//! 2. While a session is ready, or a reply owed and nobody waits for the log, or nobody watches the sockets, a worker is attached, or
//!    on its way to be.
//! 3. A worker that took more than a tick for one step is detached: a long statement holds up nobody else.
//! 4. Who watches the sockets stays awake only while all sessions wait for their clients: otherwise the core is another's.
//!
//! It must not know the protocol or statements.
#![doc = include_str!("README.md")]

mod run;
#[cfg(test)]
mod tests;

use foldhash::fast::RandomState;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Duration;

use evenkeel::Lsn;
use evenkeel::base::duty;
use parking_lot::{Condvar, Mutex};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, eventfd};
use tracing::warn;

use crate::errors::End;
use crate::idle::Poller;
use crate::session::{News, Step};

/// Stack of a worker: statements nest, and untouched stack costs nothing, bytes.
const STACK_BYTES: usize = 8 << 20;
/// A step that takes longer than one to two of these has its worker detached.
const TICK: Duration = Duration::from_millis(2);
/// After so many ticks without work the watch sleeps.
const QUIET_TICKS: u32 = 50;
/// An idle worker ends after this time.
const IDLE_MAX: Duration = Duration::from_secs(30);
/// Workers beyond one for each session: some may be busy with the last words of sessions that are gone.
const ENDING_MAX: usize = 64;
/// So many ready sessions for each attached worker call another: fewer are done before it is awake.
const CROWD: usize = 4;
/// Events taken at a time.
const EVENTS: usize = 64;
/// What the wake-up's events are named.
const WAKE: u64 = u64::MAX;

/// Tells a session that its client is gone; it must not block.
pub(crate) type HangupHook = Arc<dyn Fn() + Send + Sync>;

/// A session, as the workers see it.
pub(crate) trait Turns: Send {
    /// Goes on until it has to wait.
    fn step(&mut self, news: News) -> Step;
    /// In place of a step, where the log it waited for failed.
    fn step_after_failure(&mut self) -> Step;
    /// What is called when the client has gone while a worker steps the session, if anything is.
    fn hangup_hook(&self) -> Option<HangupHook> {
        None
    }
    /// The session is over. May block.
    fn end(self: Box<Self>, end: End);
}

/// The log, as the workers see it.
pub(crate) trait Log: Send + Sync {
    /// Everything before this is durable.
    fn durable_lsn(&self) -> Lsn;
    /// Waits that are worth having at a time.
    fn flush_depth(&self) -> usize;
    /// Blocks until everything before `lsn` is durable; false if it will not be.
    fn wait_durable(&self, lsn: Lsn) -> bool;
    /// Is told that a worker, or the watch, has ended unexpectedly: nobody knows whom it leaves unserved.
    fn fail(&self, why: String);
}

/// Where a session is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Condition {
    /// Its client is to send something.
    Waiting,
    /// In the queue.
    Ready,
    /// A worker steps it.
    Running,
    /// Its reply waits for the log.
    Owed,
}

struct Entry {
    condition: Condition,
    /// None while it is stepped.
    session: Option<Box<dyn Turns>>,
    /// For the time while it is stepped.
    hangup: Option<HangupHook>,
    /// What happened since its last step began, if anything did. (1)
    news: Option<News>,
    /// The log it waited for failed.
    log_failed: bool,
    /// The last flush before which it was stepped.
    epoch: u64,
}

/// How a session goes on.
enum How {
    With(News),
    AfterLogFailed,
}

/// What a worker does next.
enum Work {
    Step(u64, Box<dyn Turns>, How),
    /// Wait for the log.
    Flush(Lsn),
    /// Watch the sockets; nobody else is at work for a client.
    Poll {
        alone: bool,
    },
    Quit,
}

/// A worker, as the others see it.
struct Worker {
    parked: Arc<Parked>,
    attached: bool,
    /// Does not give its place away for the wait it begins, unless that takes long.
    stays: bool,
    /// It was called to wait for the log, which takes no place.
    errand: bool,
    /// Counts what it did.
    turns: u64,
    /// As of the last tick.
    seen: u64,
}

/// Where an idle worker sleeps.
#[derive(Default)]
struct Parked {
    thread: OnceLock<Thread>,
    called: AtomicBool,
}

#[derive(Default)]
struct State {
    sessions: HashMap<u64, Entry, RandomState>,
    next_session: u64,
    ready: VecDeque<u64>,
    owed: Vec<(Lsn, u64)>,
    /// What workers wait for the log to reach.
    flushes: Vec<Lsn>,
    /// A worker was called to wait for what is owed.
    flush_called: bool,
    /// Flushes so far, and the sessions stepped since the last.
    epoch: u64,
    stepped: usize,
    workers: HashMap<u64, Worker, RandomState>,
    next_worker: u64,
    attached: usize,
    /// Idle workers; the last to come is the first to go.
    idle: Vec<u64>,
    /// Who watches the sockets, and whether it sleeps there.
    poller: Option<u64>,
    poller_sleeps: bool,
    watch_sleeps: bool,
    stopped: bool,
}

/// The workers of a server.
pub(crate) struct Workers {
    log: Box<dyn Log>,
    limit: usize,
    epoll: OwnedFd,
    wake: OwnedFd,
    state: Mutex<State>,
    /// Mirror of `ready`'s length, for the polling worker.
    ready: AtomicUsize,
    patience: Mutex<Poller>,
    watch: Condvar,
}

impl Workers {
    /// Starts the first worker and the watch. `limit` threads run at a time; one watches the sockets for `poll` before it sleeps.
    pub fn start(log: Box<dyn Log>, limit: usize, poll: Duration) -> io::Result<Arc<Workers>> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        epoll::add(&epoll, &wake, EventData::new_u64(WAKE), EventFlags::IN)?;
        let workers = Arc::new(Workers {
            log,
            limit: limit.max(1),
            epoll,
            wake,
            state: Mutex::default(),
            ready: AtomicUsize::new(0),
            patience: Mutex::new(Poller::new(poll)),
            watch: Condvar::new(),
        });
        workers.spawn(&mut workers.state.lock())?;
        let (watch, told) = (workers.clone(), workers.clone());
        duty::spawn("watch", move || watch.watch(), || false, move |why| told.log.fail(why))?;
        Ok(workers)
    }

    /// A number for a session that is to be added.
    pub fn reserve(&self) -> u64 {
        let mut s = self.state.lock();
        s.next_session += 1;
        s.next_session
    }

    /// Serves a session from now on, whose number was reserved and whose socket is `stream`.
    pub fn add(
        self: &Arc<Workers>,
        id: u64,
        stream: BorrowedFd<'_>,
        session: Box<dyn Turns>,
    ) -> io::Result<()> {
        // Events before the session is there are lost, but its first step reads.
        let events = EventFlags::IN | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.epoll, stream, EventData::new_u64(id), events)?;
        let mut s = self.state.lock();
        let news = Some(News { input: true, hangup: false });
        let entry = Entry {
            condition: Condition::Ready,
            hangup: session.hangup_hook(),
            session: Some(session),
            news,
            log_failed: false,
            epoch: 0,
        };
        s.sessions.insert(id, entry);
        self.push_ready(&mut s, id);
        self.call_for_work(&mut s);
        Ok(())
    }

    /// No more events of a session's socket, which is about to close.
    pub fn forget(&self, stream: BorrowedFd<'_>) {
        // It fails only for a socket that was never added.
        let _ = epoll::delete(&self.epoll, stream);
    }

    /// Something happened to a session: it is stepped, before those who wait for less. It may have got a lock that others wait for.
    pub fn nudge(self: &Arc<Workers>, id: u64) {
        let mut s = self.state.lock();
        if self.mark_ready(&mut s, id, News::default()) {
            s.ready.rotate_right(1);
            self.call_for_work(&mut s);
        }
    }

    /// The workers end once no session is left.
    pub fn stop(&self) {
        let mut s = self.state.lock();
        s.stopped = true;
        for worker in s.workers.values() {
            worker.parked.call();
        }
        self.watch.notify_all();
        drop(s);
        self.wake_poller();
    }

    /// Whether it was not ready before. (1)
    fn mark_ready(&self, s: &mut State, id: u64, news: News) -> bool {
        let Some(entry) = s.sessions.get_mut(&id) else { return false };
        let known = entry.news.get_or_insert_default();
        known.input |= news.input;
        known.hangup |= news.hangup;
        if entry.condition != Condition::Waiting {
            return false;
        }
        entry.condition = Condition::Ready;
        self.push_ready(s, id);
        true
    }

    fn push_ready(&self, s: &mut State, id: u64) {
        s.ready.push_back(id);
        self.ready.store(s.ready.len(), Ordering::Release);
    }

    /// Sees to it that somebody does what there is to do. (2)
    fn call_for_work(self: &Arc<Workers>, s: &mut State) {
        if s.poller_sleeps {
            if !s.ready.is_empty() || s.is_flush_due(self.log.flush_depth()) {
                s.poller_sleeps = false;
                self.wake_poller();
            }
        } else if s.poller.is_none() && s.attached < self.limit {
            self.call(s);
        }
    }

    /// Wakes an idle worker, or makes one.
    fn call(self: &Arc<Workers>, s: &mut State) {
        if let Some(id) = s.idle.pop() {
            s.workers[&id].parked.call();
        } else if s.workers.len() < s.sessions.len() + self.limit + ENDING_MAX
            && let Err(e) = self.spawn(s)
        {
            // The watch calls again.
            warn!(error = %e, "could not start a thread for the sessions");
        }
    }

    fn spawn(self: &Arc<Workers>, s: &mut State) -> io::Result<()> {
        s.next_worker += 1;
        let id = s.next_worker;
        let parked = Arc::new(Parked::default());
        let worker = Worker {
            parked: parked.clone(),
            attached: false,
            stays: false,
            errand: false,
            turns: 0,
            seen: 0,
        };
        let (workers, told) = (self.clone(), self.clone());
        let run = move || {
            let _ = parked.thread.set(std::thread::current());
            workers.work(id, &parked);
        };
        // Idle ones end when they like.
        duty::spawn_with_stack(STACK_BYTES, "worker", run, || false, move |why| told.log.fail(why))?;
        s.workers.insert(id, worker);
        Ok(())
    }

    fn wake_poller(&self) {
        // It fails only when it is raised already, by as much as it can be.
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }
}

impl State {
    /// Gives a worker one of the `limit` places, if it has none and one is free.
    fn attach(&mut self, id: u64, limit: usize) -> bool {
        let Some(worker) = self.workers.get_mut(&id) else { return false };
        worker.turns += 1;
        if !worker.attached && self.attached < limit {
            worker.attached = true;
            self.attached += 1;
        }
        worker.attached
    }

    /// Takes its place; false if it had none.
    fn detach(&mut self, id: u64) -> bool {
        let Some(worker) = self.workers.get_mut(&id) else { return false };
        let had = std::mem::take(&mut worker.attached);
        self.attached -= usize::from(had);
        had
    }

    /// A worker waits for the log on behalf of everybody; `alone`: nobody else is at work.
    fn begin_flush(&mut self, id: u64, depth: usize, alone: bool) -> Option<Work> {
        self.flush_called = false;
        let target = self.due_flush(depth)?;
        self.flushes.push(target);
        (self.epoch, self.stepped) = (self.epoch + 1, 0);
        self.workers.get_mut(&id)?.stays = alone;
        Some(Work::Flush(target))
    }

    /// What to wait for next: the first reply owed, if all waits under way are for later ones; or the first behind them, if one more is worth having.
    fn due_flush(&self, depth: usize) -> Option<Lsn> {
        let first = self.owed.iter().map(|(lsn, _)| *lsn).min()?;
        if self.flushes.iter().all(|flush| first < *flush) {
            return Some(first);
        }
        let last = *self.flushes.iter().max().filter(|_| self.flushes.len() < depth)?;
        self.owed.iter().map(|(lsn, _)| *lsn).filter(|lsn| *lsn > last).min()
    }

    fn is_flush_due(&self, depth: usize) -> bool {
        !self.flush_called && self.due_flush(depth).is_some()
    }

    fn is_attached(&self, id: u64) -> bool {
        self.workers.get(&id).is_some_and(|w| w.attached)
    }
}

impl Parked {
    fn call(&self) {
        self.called.store(true, Ordering::Release);
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    fn take_call(&self) -> bool {
        self.called.swap(false, Ordering::AcqRel)
    }

    /// Sleeps until called, for `limit` at most: then false.
    fn wait(&self, limit: Duration) -> bool {
        let deadline = std::time::Instant::now() + limit;
        loop {
            if self.take_call() {
                return true;
            }
            let left = deadline.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return false;
            }
            std::thread::park_timeout(left);
        }
    }
}
