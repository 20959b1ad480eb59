//! Table-level locks: PostgreSQL's eight modes, held until the transaction ends.
//!
//! Each lockable object has its own small mutex, so that statements on different tables never meet, and compatible modes on the same
//! table cost one short critical section. A session remembers what its transaction holds and asks only once for each mode.
//!
//! Invariants:
//! 1. A mode is granted only if it conflicts with nothing that others hold, and with no earlier waiter unless the owner holds
//!    a lock on the object already (so that upgrades do not queue behind those who wait for it).
//! 2. Waiting holds no mutex but the object's own, inside the condition variable.
//! 3. Deadlocks among table locks are found by the waiter that has waited [`DEADLOCK_AFTER`]. Cycles that pass through row locks of
//!    the engine are not seen here: `lock_timeout`, `statement_timeout` or a cancel ends them.
//!
//! Must not know: tables, the catalog.

use crate::error::{SqlError, SqlState};
use evenkeel::Interrupt;
use parking_lot::{Condvar, Mutex};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a waiter waits before it looks for a deadlock.
const DEADLOCK_AFTER: Duration = Duration::from_millis(500);
/// How often a waiter looks for a cancel request.
const POLL: Duration = Duration::from_millis(20);

/// PostgreSQL's table lock modes, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // PostgreSQL's names.
pub enum TableLockMode {
    AccessShare = 0,
    RowShare,
    RowExclusive,
    ShareUpdateExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive,
}

use TableLockMode as M;

const ALL: [M; 8] = [
    M::AccessShare,
    M::RowShare,
    M::RowExclusive,
    M::ShareUpdateExclusive,
    M::Share,
    M::ShareRowExclusive,
    M::Exclusive,
    M::AccessExclusive,
];

impl TableLockMode {
    /// `ACCESS SHARE` and so on.
    pub fn from_name(name: &str) -> Option<TableLockMode> {
        ALL.into_iter().find(|m| m.sql_name() == name)
    }

    /// As LOCK TABLE spells it.
    pub fn sql_name(self) -> &'static str {
        match self {
            M::AccessShare => "ACCESS SHARE",
            M::RowShare => "ROW SHARE",
            M::RowExclusive => "ROW EXCLUSIVE",
            M::ShareUpdateExclusive => "SHARE UPDATE EXCLUSIVE",
            M::Share => "SHARE",
            M::ShareRowExclusive => "SHARE ROW EXCLUSIVE",
            M::Exclusive => "EXCLUSIVE",
            M::AccessExclusive => "ACCESS EXCLUSIVE",
        }
    }

    /// As `pg_locks.mode` spells it.
    pub fn catalog_name(self) -> String {
        let words: Vec<String> =
            self.sql_name().split(' ').map(|w| format!("{}{}", &w[..1], w[1..].to_lowercase())).collect();
        words.concat() + "Lock"
    }

    /// The modes it conflicts with, as bits.
    const fn conflicts(self) -> u8 {
        match self {
            M::AccessShare => 0b1000_0000,
            M::RowShare => 0b1100_0000,
            M::RowExclusive => 0b1111_0000,
            M::ShareUpdateExclusive => 0b1111_1000,
            M::Share => 0b1110_1100,
            M::ShareRowExclusive => 0b1111_1100,
            M::Exclusive => 0b1111_1110,
            M::AccessExclusive => 0b1111_1111,
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The modes in a bit set.
pub(crate) fn modes_of(mask: u8) -> impl Iterator<Item = TableLockMode> {
    ALL.into_iter().filter(move |m| mask & m.bit() != 0)
}

/// Whoever holds locks: a session.
pub type OwnerId = u64;

#[derive(Default)]
struct State {
    granted: Vec<(OwnerId, u8)>,
    queue: Vec<(OwnerId, TableLockMode)>,
}

impl State {
    fn held_by(&self, owner: OwnerId) -> u8 {
        self.granted.iter().find(|(o, _)| *o == owner).map_or(0, |(_, mask)| *mask)
    }

    /// Who stands in the way of `owner`.
    fn blockers(&self, owner: OwnerId, mode: TableLockMode) -> Vec<OwnerId> {
        let conflicts = mode.conflicts();
        let mut found: Vec<OwnerId> = self
            .granted
            .iter()
            .filter(|(o, mask)| *o != owner && mask & conflicts != 0)
            .map(|(o, _)| *o)
            .collect();
        if self.held_by(owner) == 0 {
            let earlier = self.queue.iter().take_while(|(o, _)| *o != owner);
            found.extend(earlier.filter(|(_, m)| m.bit() & conflicts != 0).map(|(o, _)| *o)); // invariant 1
        }
        found
    }

    fn is_free(&self, owner: OwnerId, mode: TableLockMode) -> bool {
        let conflicts = mode.conflicts();
        if self.granted.iter().any(|(o, mask)| *o != owner && mask & conflicts != 0) {
            return false;
        }
        self.queue.is_empty()
            || self.held_by(owner) != 0
            || !self.queue.iter().take_while(|(o, _)| *o != owner).any(|(_, m)| m.bit() & conflicts != 0)
    }

    fn grant(&mut self, owner: OwnerId, mode: TableLockMode) {
        match self.granted.iter_mut().find(|(o, _)| *o == owner) {
            Some((_, mask)) => *mask |= mode.bit(),
            None => self.granted.push((owner, mode.bit())),
        }
    }
}

/// The lock of one object.
#[derive(Default)]
pub struct ObjectLock {
    state: Mutex<State>,
    changed: Condvar,
}

impl ObjectLock {
    /// Who holds what: (owner, modes as bits).
    pub(crate) fn holders(&self) -> Vec<(OwnerId, u8)> {
        self.state.lock().granted.clone()
    }

    /// Gives up everything the owner holds on the object.
    fn release(&self, owner: OwnerId) {
        let mut state = self.state.lock();
        state.granted.retain(|(o, _)| *o != owner);
        if !state.queue.is_empty() {
            self.changed.notify_all();
        }
    }
}

/// Who waits for what, for deadlock detection.
#[derive(Default)]
pub struct LockManager {
    waiting: Mutex<HashMap<OwnerId, (Arc<ObjectLock>, TableLockMode)>>,
    /// Locks on names that are about to be created.
    names: Mutex<HashMap<(u32, String), Arc<ObjectLock>>>,
}

/// How to wait.
pub struct Wait<'a> {
    /// Fail at once instead of waiting.
    pub nowait: bool,
    /// `lock_timeout`.
    pub timeout: Option<Duration>,
    /// Cancels the wait.
    pub interrupt: &'a Interrupt,
    /// What the error calls the object.
    pub what: &'a str,
}

impl LockManager {
    /// The lock of a name in a schema.
    pub fn name_lock(&self, schema: u32, name: &str) -> Arc<ObjectLock> {
        let mut names = self.names.lock();
        if names.len() > 1024 {
            names.retain(|_, lock| Arc::strong_count(lock) > 1);
        }
        names.entry((schema, name.to_owned())).or_default().clone()
    }

    fn acquire(
        &self,
        lock: &Arc<ObjectLock>,
        owner: OwnerId,
        mode: TableLockMode,
        wait: &Wait<'_>,
    ) -> Result<(), SqlError> {
        let mut state = lock.state.lock();
        if state.is_free(owner, mode) {
            state.grant(owner, mode);
            return Ok(());
        }
        if wait.nowait {
            return Err(SqlError::new(
                SqlState::LOCK_NOT_AVAILABLE,
                format!("could not obtain lock on relation \"{}\"", wait.what),
            ));
        }
        state.queue.push((owner, mode));
        self.waiting.lock().insert(owner, (lock.clone(), mode));
        let since = Instant::now();
        let mut next_check = DEADLOCK_AFTER;
        let result = loop {
            if state.is_free(owner, mode) {
                state.grant(owner, mode);
                break Ok(());
            }
            if wait.interrupt.is_canceled() {
                break Err(evenkeel::Error::Canceled.into());
            }
            let waited = since.elapsed();
            if wait.timeout.is_some_and(|t| waited >= t) {
                break Err(SqlError::new(
                    SqlState::LOCK_NOT_AVAILABLE,
                    "canceling statement due to lock timeout",
                ));
            }
            if waited >= next_check {
                next_check = waited + DEADLOCK_AFTER;
                drop(state);
                let deadlock = self.has_cycle(owner);
                state = lock.state.lock();
                if deadlock && !state.is_free(owner, mode) {
                    break Err(SqlError::new(SqlState::DEADLOCK_DETECTED, "deadlock detected"));
                }
                continue;
            }
            lock.changed.wait_for(&mut state, POLL);
        };
        state.queue.retain(|(o, _)| *o != owner);
        lock.changed.notify_all();
        drop(state);
        self.waiting.lock().remove(&owner);
        result
    }

    fn has_cycle(&self, start: OwnerId) -> bool {
        let waiting: HashMap<OwnerId, (Arc<ObjectLock>, TableLockMode)> = self.waiting.lock().clone();
        let mut seen = HashSet::new();
        let mut todo = vec![start];
        while let Some(owner) = todo.pop() {
            let Some((lock, mode)) = waiting.get(&owner) else { continue };
            for blocker in lock.state.lock().blockers(owner, *mode) {
                if blocker == start {
                    return true;
                }
                if seen.insert(blocker) {
                    todo.push(blocker);
                }
            }
        }
        false
    }
}

/// What one transaction holds. Released by `release_all` or when dropped.
pub struct HeldLocks {
    owner: OwnerId,
    held: Vec<(Arc<ObjectLock>, u8)>,
}

impl HeldLocks {
    /// Nothing yet.
    pub fn new(owner: OwnerId) -> Self {
        HeldLocks { owner, held: Vec::new() }
    }

    /// Takes a lock unless it is held already. Blocks.
    pub fn take(
        &mut self,
        manager: &LockManager,
        lock: &Arc<ObjectLock>,
        mode: TableLockMode,
        wait: &Wait<'_>,
    ) -> Result<(), SqlError> {
        let at = self.held.iter().position(|(l, _)| Arc::ptr_eq(l, lock));
        if let Some(i) = at
            && self.held[i].1 & mode.bit() != 0
        {
            return Ok(());
        }
        manager.acquire(lock, self.owner, mode, wait)?;
        match at {
            Some(i) => self.held[i].1 |= mode.bit(),
            None => self.held.push((lock.clone(), mode.bit())),
        }
        Ok(())
    }

    /// Gives up everything.
    pub fn release_all(&mut self) {
        for (lock, _) in self.held.drain(..) {
            lock.release(self.owner);
        }
    }
}

impl Drop for HeldLocks {
    fn drop(&mut self) {
        self.release_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait<'a>(interrupt: &'a Interrupt, nowait: bool) -> Wait<'a> {
        Wait { nowait, timeout: None, interrupt, what: "t" }
    }

    #[test]
    fn compatible_modes_share_and_others_do_not() {
        let manager = LockManager::default();
        let lock = Arc::new(ObjectLock::default());
        let interrupt = Interrupt::new();
        let (mut a, mut b) = (HeldLocks::new(1), HeldLocks::new(2));
        a.take(&manager, &lock, M::RowExclusive, &wait(&interrupt, true)).unwrap();
        b.take(&manager, &lock, M::RowExclusive, &wait(&interrupt, true)).unwrap();
        let refused = b.take(&manager, &lock, M::Share, &wait(&interrupt, true)).unwrap_err();
        assert_eq!(refused.code, "55P03");
        a.release_all();
        b.take(&manager, &lock, M::AccessExclusive, &wait(&interrupt, true)).unwrap();
    }

    #[test]
    fn the_conflict_table_is_symmetric() {
        for a in ALL {
            for b in ALL {
                assert_eq!(a.conflicts() & b.bit() != 0, b.conflicts() & a.bit() != 0, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_cycle_of_waiters_is_found() {
        let manager = Arc::new(LockManager::default());
        let (x, y) = (Arc::new(ObjectLock::default()), Arc::new(ObjectLock::default()));
        let interrupt = Interrupt::new();
        let mut a = HeldLocks::new(1);
        a.take(&manager, &x, M::AccessExclusive, &wait(&interrupt, false)).unwrap();
        let (m, x2, y2) = (manager.clone(), x.clone(), y.clone());
        let other = std::thread::spawn(move || {
            let interrupt = Interrupt::new();
            let mut b = HeldLocks::new(2);
            b.take(&m, &y2, M::AccessExclusive, &wait(&interrupt, false)).unwrap();
            b.take(&m, &x2, M::AccessExclusive, &wait(&interrupt, false)).is_err()
        });
        while y.holders().is_empty() {
            std::thread::yield_now();
        }
        let mine = a.take(&manager, &y, M::AccessExclusive, &wait(&interrupt, false)).is_err();
        drop(a);
        let theirs = other.join().unwrap();
        assert!(mine || theirs, "one of the two is the victim");
    }
}
