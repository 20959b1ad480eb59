//! How far facts may be told: the one place that answers it (decision 013, 4; design rule "nothing is told that a crash could take back").
//!
//! Whoever tells somebody outside a fact – that a commit happened, a row, that there is none, the number that a sequence gave, an error that gives one of these
//! away – asks here whether the log that the fact rests on may be told. A server alone may tell what is durable in its own log. With synchronous standbys it
//! is what they have confirmed as well (`quorum.rs`); on a standby, what its primary says may be told.
//!
//! Invariants
//! 1. [`Horizon::told`] never falls, and what lies before it survives whatever the server promises to survive. On a standby that goes on along another branch of the log it falls to the fork: what lies
//!    behind is not what was told.
//! 2. Nobody but log, pool, checkpoints and archive asks what is flushed: those need what is on their own disk, and tell nothing.
//! 3. A wait that ends with an error has told nothing, and changes nothing for anybody else who meets the same fact.
//! 4. Until the log that was there at the start may be told, whoever reads rests on all of it: commits of another life are not known one by one.
//! 5. With a lease, nothing is told once it is over: somebody else may tell other facts by then. It bounds what is read here; what keeps commits from being told is the quorum, whose members take no
//!    log from a server that was replaced.
//!
//! Must not know: what the facts are, how standbys are spoken to.

use super::Wal;
use super::quorum::{Level, Quorum, SyncState, Synchronous};
use crate::base::clock::boot_us;
use crate::base::sync::{AtomicBool, AtomicU64, Condvar, Instant, Mutex, Ordering};
use crate::base::{Basis, Error, Lsn, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

/// How often a wait looks whether it was canceled.
const LOOK: Duration = Duration::from_millis(20);

/// How far facts may be told.
#[derive(Clone)]
pub struct Horizon(Arc<Inner>);

struct Inner {
    wal: Arc<Wal>,
    /// What is flushed is not enough.
    is_asked: AtomicBool,
    /// The log here is another server's, which is durable there: `told` alone counts.
    is_standby: bool,
    /// By [`Level`], where somebody is asked.
    told: [AtomicU64; Level::COUNT],
    /// Invariant 4; 0: no more.
    floor: AtomicU64,
    /// Somebody has waited for each of the levels.
    wanted: [AtomicBool; Level::COUNT],
    /// Nobody is to wait any more, nor told anything.
    has_ended: AtomicBool,
    /// Nothing is told from here on, by `base::clock::boot_us` (5); `u64::MAX`: there is no lease.
    lease_us: AtomicU64,
    state: Mutex<State>,
    grown: Condvar,
}

#[derive(Default)]
struct State {
    quorum: Quorum,
    /// Tasks that wait, by level, and in the order of their places.
    waiting: [BTreeMap<(Lsn, u64), Waker>; Level::COUNT],
    next: u64,
}

/// What a primary tells those who follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct News {
    /// How far facts may be told.
    pub told: Lsn,
    /// Standbys are asked first.
    pub is_asked: bool,
    /// Somebody waits until standbys have written something.
    pub wants_written: bool,
    /// Somebody waits until standbys have applied something.
    pub wants_applied: bool,
}

/// A task that is registered to be woken, until this is dropped.
pub struct Waiting {
    horizon: Horizon,
    level: Level,
    key: (Lsn, u64),
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.horizon.0.state.lock().waiting[self.level as usize].remove(&self.key);
    }
}

/// A standby that follows, until this is dropped.
pub struct Follower {
    horizon: Horizon,
    number: u64,
}

impl Follower {
    /// It has said how far it is.
    pub fn confirm(&self, written: Lsn, durable: Lsn, applied: Lsn) {
        // Whatever it claims.
        let flushed = self.horizon.0.wal.flushed();
        let number = self.number;
        let (written, durable, applied) = (written.min(flushed), durable.min(flushed), applied.min(flushed));
        self.horizon.change(|q| q.confirm(number, written, durable, applied));
    }

    /// What it is to those who wait, and its place in `synchronous_standby_names`; 0: none.
    pub fn state(&self) -> (SyncState, usize) {
        self.horizon.0.state.lock().quorum.state(self.number)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let number = self.number;
        self.horizon.change(|q| q.leave(number));
    }
}

impl Horizon {
    /// Of a server whose own log is all that its facts rest on, until [`Horizon::ask`].
    pub fn new(wal: Arc<Wal>) -> Horizon {
        Horizon::with(wal, false)
    }

    /// Of a standby: nothing may be told before [`Horizon::follow`].
    pub fn of_standby(wal: Arc<Wal>) -> Horizon {
        Horizon::with(wal, true)
    }

    fn with(wal: Arc<Wal>, is_standby: bool) -> Horizon {
        Horizon(Arc::new(Inner {
            wal,
            is_asked: AtomicBool::new(is_standby),
            is_standby,
            told: Default::default(),
            floor: AtomicU64::new(0),
            wanted: Default::default(),
            has_ended: AtomicBool::new(false),
            lease_us: AtomicU64::new(u64::MAX),
            state: Mutex::default(),
            grown: Condvar::new(),
        }))
    }

    /// From now on these standbys are asked. What may be told at this moment stays told; `from_start`: nothing may be before they have it, the log
    /// that is there included (4).
    pub fn ask(&self, whom: Option<Synchronous>, from_start: bool) {
        let inner = &*self.0;
        assert!(!inner.is_standby, "a standby asks nobody");
        self.change(|q| {
            // Until nobody is asked any more, what is flushed meanwhile is told as well.
            let told = match (from_start, q.is_asked() && whom.is_some()) {
                (true, _) => Lsn::ZERO,
                (false, true) => Lsn(inner.told[Level::Durable as usize].load(Ordering::SeqCst)),
                (false, false) => inner.wal.flushed(),
            };
            if from_start && whom.is_some() {
                inner.floor.store(inner.wal.next_lsn().0, Ordering::SeqCst);
            }
            q.ask(whom, told);
        });
    }

    /// A standby follows from now on.
    pub fn enter(&self, name: &str) -> Follower {
        let mut number = 0;
        self.change(|q| number = q.enter(name));
        Follower { horizon: self.clone(), number }
    }

    fn change(&self, f: impl FnOnce(&mut Quorum)) {
        let inner = &*self.0;
        let mut state = inner.state.lock();
        f(&mut state.quorum);
        if !inner.is_standby {
            let confirmed = state.quorum.confirmed();
            inner.is_asked.store(state.quorum.is_asked(), Ordering::SeqCst);
            self.grow(state, confirmed);
        }
    }

    /// On a standby: the primary may tell all before this.
    pub fn follow(&self, told: Lsn) {
        if told.0 > self.0.told[0].load(Ordering::Acquire) {
            self.grow(self.0.state.lock(), [told; Level::COUNT]);
        }
    }

    /// On a standby: the log goes on from here along another branch (1).
    pub fn branch_at(&self, fork: Lsn) {
        let _state = self.0.state.lock();
        self.0.told.iter().for_each(|told| _ = told.fetch_min(fork.0, Ordering::SeqCst));
    }

    /// On a standby: whoever reads rests on all before this (4).
    pub fn begin_at(&self, replayed: Lsn) {
        self.0.floor.store(replayed.0, Ordering::SeqCst);
        self.grow(self.0.state.lock(), [Lsn::ZERO; Level::COUNT]);
    }

    fn grow(&self, mut state: crate::base::sync::MutexGuard<'_, State>, to: [Lsn; Level::COUNT]) {
        let inner = &*self.0;
        let mut woken = Vec::new();
        let mut has_grown = false;
        for (level, to) in to.into_iter().enumerate() {
            has_grown |= inner.told[level].fetch_max(to.0, Ordering::SeqCst) < to.0;
            let told = self.told_at(level);
            let later = state.waiting[level].split_off(&(Lsn(told.0.saturating_add(1)), 0));
            woken.extend(std::mem::replace(&mut state.waiting[level], later).into_values());
        }
        let floor = inner.floor.load(Ordering::SeqCst);
        if floor > 0 && self.told().0 >= floor {
            inner.floor.store(0, Ordering::SeqCst);
        }
        drop(state);
        if has_grown || !woken.is_empty() {
            inner.grown.notify_all();
            inner.wal.wake_watchers(); // who sends tells followers
        }
        woken.into_iter().for_each(Waker::wake);
    }

    fn told_at(&self, level: usize) -> Lsn {
        if self.is_leased() && boot_us() >= self.0.lease_us.load(Ordering::Relaxed) {
            return Lsn::ZERO;
        }
        match self.0.is_asked.load(Ordering::SeqCst) {
            false => self.0.wal.flushed(),
            true => Lsn(self.0.told[level].load(Ordering::SeqCst)),
        }
    }

    fn is_leased(&self) -> bool {
        self.0.lease_us.load(Ordering::Relaxed) != u64::MAX
    }

    /// From now on facts are told until this time by `base::clock::boot_us`, and whoever reads rests on that (5). 0: none any more.
    pub fn lease(&self, until_us: u64) {
        self.0.lease_us.store(until_us.min(u64::MAX - 1), Ordering::SeqCst);
        // Whoever came when it was over waits.
        self.grow(self.0.state.lock(), [Lsn::ZERO; Level::COUNT]);
    }

    /// Facts that rest on log before this may be told.
    pub fn told(&self) -> Lsn {
        self.told_at(Level::Durable as usize)
    }

    /// What rests on no more than this may be told; once nobody is told anything any more, all that is durable here.
    pub fn safe(&self) -> Basis {
        let quorum = if self.has_ended() { Lsn::MAX } else { self.told() };
        Basis { local: self.flushed(), quorum }
    }

    fn flushed(&self) -> Lsn {
        if self.0.is_standby { Lsn::MAX } else { self.0.wal.flushed() }
    }

    /// What whoever reads rests on, whatever he finds (4).
    pub fn floor(&self) -> Basis {
        let least = u64::from(self.is_leased());
        Basis { local: Lsn::ZERO, quorum: Lsn(self.0.floor.load(Ordering::Relaxed).max(least)) }
    }

    /// Whether others are asked before anything is told.
    pub fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::Relaxed)
    }

    /// Whether anybody has waited for a level since the start.
    pub fn is_wanted(&self, level: Level) -> bool {
        self.0.wanted[level as usize].load(Ordering::Relaxed)
    }

    /// Those who send are to know what is waited for.
    fn want(&self, level: Level) {
        if !self.is_wanted(level) {
            self.0.wanted[level as usize].store(true, Ordering::SeqCst);
            self.0.wal.wake_watchers();
        }
    }

    /// Whether a fact may be told to somebody who asks for this level. An error: nothing may any more.
    pub fn is_told(&self, basis: Basis, level: Level) -> Result<bool> {
        let told = basis.local <= self.flushed() && basis.quorum <= self.told_at(level as usize);
        if !told {
            self.0.wal.poison().check()?;
            if self.has_ended() {
                return Err(Error::Closed);
            }
        }
        Ok(told)
    }

    /// Blocks until a fact may be told to somebody who asks for this level. `is_canceled`: he waits no longer. An error has told nothing (3).
    pub fn wait(&self, basis: Basis, level: Level, is_canceled: &dyn Fn() -> bool) -> Result<()> {
        let inner = &*self.0;
        if !inner.is_standby {
            inner.wal.flush(basis.newest())?;
        }
        if basis.quorum <= self.told_at(level as usize) {
            return Ok(());
        }
        self.want(level);
        let mut state = inner.state.lock();
        while basis.quorum > self.told_at(level as usize) {
            inner.wal.poison().check()?;
            if self.has_ended() {
                return Err(Error::Closed);
            }
            if is_canceled() {
                return Err(Error::Canceled);
            }
            inner.grown.wait_for(&mut state, LOOK);
        }
        Ok(())
    }

    /// What those who follow are to know.
    pub fn news(&self) -> News {
        News {
            told: self.told(),
            is_asked: self.is_asked(),
            wants_written: self.is_wanted(Level::Written),
            wants_applied: self.is_wanted(Level::Applied),
        }
    }

    /// Blocks until log beyond `sent` is durable here, or there are other news, or the time has come. Has nothing written.
    pub fn wait_beyond(&self, sent: Lsn, news: &News, until: Instant) {
        self.0.wal.wait_flushed_beyond(sent, until, &|| self.news() != *news);
    }

    /// Registers a task to be woken once a fact may be told; its log here is durable. `None`: it may be already, or never will be ([`Horizon::is_told`]).
    pub fn wake_when_told(&self, basis: Basis, level: Level, waker: &Waker) -> Option<Waiting> {
        self.want(level);
        let mut state = self.0.state.lock();
        let over = self.has_ended() || self.0.wal.poison().is_set();
        if over || basis.quorum <= self.told_at(level as usize) {
            return None;
        }
        let key = (basis.quorum, state.next);
        state.next += 1;
        state.waiting[level as usize].insert(key, waker.clone());
        Some(Waiting { horizon: self.clone(), level, key })
    }

    /// As [`Wal::wake_when_flushed`]: of the part that is here.
    pub fn wake_when_flushed(&self, basis: Basis, waker: &Waker) -> bool {
        self.0.is_standby || self.0.wal.wake_when_flushed(basis.newest(), waker)
    }

    /// Everybody who waits is woken, and finds that nothing more is told: the engine is poisoned, or `for_good`, closed.
    pub fn stop(&self, for_good: bool) {
        let mut state = self.0.state.lock();
        if for_good {
            self.0.has_ended.store(true, Ordering::SeqCst);
        }
        let woken: Vec<_> = state.waiting.iter_mut().flat_map(std::mem::take).map(|(_, w)| w).collect();
        drop(state);
        self.0.grown.notify_all();
        woken.into_iter().for_each(Waker::wake);
    }

    /// Whether nobody is to wait any more.
    fn has_ended(&self) -> bool {
        self.0.has_ended.load(Ordering::SeqCst)
    }
}
