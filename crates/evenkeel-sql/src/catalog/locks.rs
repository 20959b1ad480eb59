//! Table-level locks: PostgreSQL's eight modes, held until the transaction ends.
//!
//! Each lockable object has its own small mutex, so that statements on different tables never meet, and compatible modes on the same
//! table cost one short critical section. A session remembers what its transaction holds and asks only once for each mode.
//!
//! Invariants:
//! 1. A mode is granted only if it conflicts with nothing that others hold, and with no earlier waiter unless the owner holds
//!    a lock on the object already (so that upgrades do not queue behind those who wait for it).
//!    Who waits for those who hold it to be done once asks for nothing, and stands in nobody's way.
//! 2. Waiting holds no mutex but the object's own, inside the condition variable.
//! 3. A waiter announces itself to the engine's lock table, whose search follows row locks and these: a cycle has one victim, at once, unless the waiter that
//!    closes it only stands behind others in a queue: then it passes them. The engine asks
//!    for [`UpperWaits::blockers`] with its mutex held, so nobody calls the engine while holding a mutex of this file.
//!
//! Must not know: tables, the catalog.

use super::advisory::AdvisoryTable;
use super::wait_events::{self, WaitEvent};
use evenkeel::base::blocking;
use evenkeel::histogram::Histogram;
use evenkeel::{Database, Interrupt, UpperWaits};
use evenkeel_types::AdvisoryKey;
use evenkeel_types::error::{SqlError, SqlState};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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

    pub(super) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The modes in a bit set.
pub(crate) fn modes_of(mask: u8) -> impl Iterator<Item = TableLockMode> {
    ALL.into_iter().filter(move |m| mask & m.bit() != 0)
}

/// Whoever holds locks: a session, by the number of its interrupt.
pub type OwnerId = u64;

/// What an owner holds.
#[derive(Clone, Copy)]
struct Grant {
    owner: OwnerId,
    /// The modes, as bits.
    mask: u8,
    /// Which of the object's grants it is: owners come back.
    number: u64,
}

#[derive(Default)]
struct State {
    granted: Vec<Grant>,
    queue: Vec<(OwnerId, TableLockMode)>,
    /// How many grants there have been.
    grants: u64,
    /// How many wait for others to be done, and for no lock.
    watchers: usize,
}

impl State {
    fn held_by(&self, owner: OwnerId) -> u8 {
        self.granted.iter().find(|g| g.owner == owner).map_or(0, |g| g.mask)
    }

    /// Who holds what conflicts with a mode; with `until`, of those who held something before that grant.
    fn against(
        &self,
        owner: OwnerId,
        mode: TableLockMode,
        until: Option<u64>,
    ) -> impl Iterator<Item = OwnerId> {
        let is_against = move |g: &&Grant| {
            g.owner != owner && g.mask & mode.conflicts() != 0 && until.is_none_or(|u| g.number < u)
        };
        self.granted.iter().filter(is_against).map(|g| g.owner)
    }

    /// Who stands in the way of `owner`.
    fn blockers(&self, owner: OwnerId, mode: TableLockMode, until: Option<u64>) -> Vec<OwnerId> {
        let mut found: Vec<OwnerId> = self.against(owner, mode, until).collect();
        if until.is_none() && self.held_by(owner) == 0 {
            let earlier = self.queue.iter().take_while(|(o, _)| *o != owner);
            found.extend(earlier.filter(|(_, m)| m.bit() & mode.conflicts() != 0).map(|(o, _)| *o)); // invariant 1
        }
        found
    }

    /// Whether nobody holds what conflicts with it.
    fn is_compatible(&self, owner: OwnerId, mode: TableLockMode) -> bool {
        self.against(owner, mode, None).next().is_none()
    }

    fn is_free(&self, owner: OwnerId, mode: TableLockMode) -> bool {
        let conflicts = mode.conflicts();
        if !self.is_compatible(owner, mode) {
            return false;
        }
        self.queue.is_empty()
            || self.held_by(owner) != 0
            || !self.queue.iter().take_while(|(o, _)| *o != owner).any(|(_, m)| m.bit() & conflicts != 0)
    }

    fn grant(&mut self, owner: OwnerId, mode: TableLockMode) {
        match self.granted.iter_mut().find(|g| g.owner == owner) {
            Some(g) => g.mask |= mode.bit(),
            None => {
                self.granted.push(Grant { owner, mask: mode.bit(), number: self.grants });
                self.grants += 1;
            }
        }
    }

    /// Whether a wait is over; if it was for the lock, it is granted.
    fn ends_wait(&mut self, owner: OwnerId, mode: TableLockMode, until: Option<u64>) -> bool {
        if until.is_some() {
            return self.against(owner, mode, until).next().is_none();
        }
        let is_free = self.is_free(owner, mode);
        if is_free {
            self.grant(owner, mode);
        }
        is_free
    }
}

/// The lock of one object.
#[derive(Default)]
pub struct ObjectLock {
    state: Mutex<State>,
    changed: Condvar,
    /// Somebody has or wants it in ACCESS EXCLUSIVE mode; set with the mutex held.
    is_exclusive: AtomicBool,
}

impl ObjectLock {
    /// Who holds what: (owner, modes as bits).
    pub(crate) fn holders(&self) -> Vec<(OwnerId, u8)> {
        self.state.lock().granted.iter().map(|g| (g.owner, g.mask)).collect()
    }

    /// Whether whoever asks for it now has to wait for one in ACCESS EXCLUSIVE mode. Costs one load where there is none.
    pub(crate) fn is_redefined(&self, owner: OwnerId, mode: TableLockMode) -> bool {
        self.is_exclusive.load(Ordering::Relaxed) && !self.state.lock().is_free(owner, mode)
    }

    fn note_exclusive(&self, state: &State) {
        let bit = M::AccessExclusive.bit();
        let is_so = state.granted.iter().any(|g| g.mask & bit != 0)
            || state.queue.iter().any(|(_, m)| *m == M::AccessExclusive);
        self.is_exclusive.store(is_so, Ordering::Relaxed);
    }

    /// Takes the lock if nobody has to be waited for.
    pub(super) fn try_take(&self, owner: OwnerId, mode: TableLockMode) -> bool {
        let mut state = self.state.lock();
        let free = state.is_free(owner, mode);
        if free {
            state.grant(owner, mode);
            if mode == M::AccessExclusive {
                self.note_exclusive(&state);
            }
        }
        free
    }

    /// Leaves the owner only these modes of what it holds on the object.
    pub(super) fn reduce(&self, owner: OwnerId, modes: u8) {
        let mut state = self.state.lock();
        if let Some(g) = state.granted.iter_mut().find(|g| g.owner == owner) {
            g.mask = modes;
        }
        state.granted.retain(|g| g.mask != 0);
        if self.is_exclusive.load(Ordering::Relaxed) {
            self.note_exclusive(&state);
        }
        if !state.queue.is_empty() || state.watchers > 0 {
            self.changed.notify_all();
        }
    }
}

/// What a session waits for.
#[derive(Clone)]
pub(crate) struct Waiting {
    pub lock: Arc<ObjectLock>,
    pub mode: TableLockMode,
    /// It waits for those who held a conflicting mode before this grant to be done, not for the lock.
    until: Option<u64>,
    /// It is the lock of a number.
    pub advisory: Option<AdvisoryKey>,
    /// What errors call the object.
    pub what: Arc<str>,
    pub since: Instant,
    /// It was told of that it lasts.
    told: bool,
}

impl Waiting {
    /// Who holds the lock against it, and who waits for the lock, in order.
    pub(crate) fn stands(&self, waiter: OwnerId) -> (Vec<OwnerId>, Vec<OwnerId>) {
        let state = self.lock.state.lock();
        let against = state.against(waiter, self.mode, self.until).collect();
        (against, state.queue.iter().map(|(o, _)| *o).collect())
    }

    /// As views name it.
    pub(crate) fn event(&self) -> &'static WaitEvent {
        if self.advisory.is_some() { &wait_events::ADVISORY } else { &wait_events::RELATION }
    }
}

/// A wait that lasts, or was granted after it did.
pub(crate) struct LongWait {
    pub owner: OwnerId,
    pub waiting: Waiting,
    pub waited: Duration,
    pub granted: bool,
}

/// Who waits for what, for deadlock detection.
#[derive(Default)]
pub struct LockManager {
    waiting: Mutex<HashMap<OwnerId, Waiting>>,
    /// Waits of which it was told that they last, and that have been granted since.
    granted_late: Mutex<Vec<LongWait>>,
    /// What they were about to wait for who were told of a deadlock and have not told of it yet.
    refused: Mutex<HashMap<OwnerId, Waiting>>,
    /// Locks on names that are about to be created.
    names: Mutex<Names>,
    /// Locks on numbers.
    pub(crate) advisory: AdvisoryTable,
    /// How long was waited, whatever the end; microseconds.
    pub(crate) wait_times: Histogram,
}

#[derive(Default)]
struct Names {
    locks: HashMap<(u32, u32, String), Arc<ObjectLock>>,
    /// So many before those that nobody holds are looked for again.
    limit: usize,
}

/// The least [`Names::limit`].
const NAMES_MAX: usize = 1024;

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
    /// Whose lock table looks for deadlocks.
    pub database: &'a Database,
    /// The owner's transaction there, if it has an id.
    pub txn: Option<u64>,
    /// The number that is locked, if it is one.
    pub advisory: Option<AdvisoryKey>,
}

impl LockManager {
    /// The lock of a name in a schema of a database; 0: of a name that all databases know.
    pub fn name_lock(&self, database: u32, schema: u32, name: &str) -> Arc<ObjectLock> {
        let mut names = self.names.lock();
        if names.locks.len() > names.limit {
            names.locks.retain(|_, lock| Arc::strong_count(lock) > 1);
            names.limit = NAMES_MAX.max(2 * names.locks.len());
        }
        names.locks.entry((database, schema, name.to_owned())).or_default().clone()
    }

    /// How many sessions wait at this moment.
    pub(crate) fn waiters(&self) -> usize {
        self.waiting.lock().len()
    }

    /// For what a session wanted to wait that was told of a deadlock, once.
    pub(crate) fn take_refused(&self, owner: OwnerId) -> Option<Waiting> {
        self.refused.lock().remove(&owner)
    }

    /// Sessions that wait at this moment, and for what.
    pub(crate) fn waits(&self) -> HashMap<OwnerId, Waiting> {
        self.waiting.lock().clone()
    }

    /// What is to be told of waits since the last call, and when there is more at the earliest; `after`: how long the waits of a session last before anything is.
    pub(crate) fn long_waits(&self, after: &HashMap<OwnerId, Duration>) -> (Vec<LongWait>, Option<Instant>) {
        let mut told = std::mem::take(&mut *self.granted_late.lock());
        let (now, mut next): (_, Option<Instant>) = (Instant::now(), None);
        for (owner, w) in self.waiting.lock().iter_mut().filter(|(_, w)| !w.told) {
            let Some(after) = after.get(owner) else { continue };
            let at = w.since + *after;
            if now < at {
                next = Some(next.map_or(at, |n| n.min(at)));
                continue;
            }
            w.told = true;
            told.push(LongWait { owner: *owner, waiting: w.clone(), waited: now - w.since, granted: false });
        }
        (told, next)
    }

    pub(super) fn acquire(
        &self,
        lock: &Arc<ObjectLock>,
        owner: OwnerId,
        mode: TableLockMode,
        wait: &Wait<'_>,
    ) -> Result<(), SqlError> {
        let mut state = lock.state.lock();
        if mode == M::AccessExclusive {
            lock.is_exclusive.store(true, Ordering::Relaxed);
        }
        if state.is_free(owner, mode) {
            state.grant(owner, mode);
            return Ok(());
        }
        if wait.nowait {
            lock.note_exclusive(&state);
            return Err(SqlError::new(
                SqlState::LOCK_NOT_AVAILABLE,
                format!("could not obtain lock on relation \"{}\"", wait.what),
            ));
        }
        state.queue.push((owner, mode));
        self.wait(lock, state, (owner, mode, None), wait)
    }

    /// Waits until all who hold now what conflicts with a mode have given it up once; takes nothing.
    pub(super) fn wait_for_holders(
        &self,
        lock: &Arc<ObjectLock>,
        owner: OwnerId,
        mode: TableLockMode,
        wait: &Wait<'_>,
    ) -> Result<(), SqlError> {
        let mut state = lock.state.lock();
        let until = Some(state.grants);
        if state.ends_wait(owner, mode, until) {
            return Ok(());
        }
        state.watchers += 1;
        self.wait(lock, state, (owner, mode, until), wait)
    }

    fn wait(
        &self,
        lock: &Arc<ObjectLock>,
        state: MutexGuard<'_, State>,
        (owner, mode, until): (OwnerId, TableLockMode, Option<u64>),
        wait: &Wait<'_>,
    ) -> Result<(), SqlError> {
        let since = Instant::now();
        let (lock_of, what) = (lock.clone(), wait.what.into());
        let waiting =
            Waiting { lock: lock_of, mode, until, advisory: wait.advisory, what, since, told: false };
        self.waiting.lock().insert(owner, waiting);
        drop(state); // invariant 3
        let announced = wait.database.begin_upper_wait(owner, wait.txn);
        let mut state = lock.state.lock();
        let result = loop {
            if let Err(e) = &announced {
                // Who waits for nothing but a place in the queue goes first, so that nobody is the victim.
                let is_victim = until.is_some() || !state.is_compatible(owner, mode);
                if matches!(e, evenkeel::Error::Deadlock(_)) && !is_victim {
                    state.grant(owner, mode);
                    break Ok(());
                }
                break Err(e.clone().into());
            }
            if state.ends_wait(owner, mode, until) {
                break Ok(());
            }
            if wait.interrupt.is_canceled() {
                break Err(evenkeel::Error::Canceled.into());
            }
            if wait.timeout.is_some_and(|t| since.elapsed() >= t) {
                break Err(SqlError::new(
                    SqlState::LOCK_NOT_AVAILABLE,
                    "canceling statement due to lock timeout",
                ));
            }
            let _waiting = blocking::wait(blocking::Wait::TableLock);
            lock.changed.wait_for(&mut state, POLL);
        };
        match until {
            Some(_) => state.watchers -= 1,
            None => {
                state.queue.retain(|(o, _)| *o != owner);
                lock.note_exclusive(&state);
                lock.changed.notify_all();
            }
        }
        drop(state);
        if announced.is_ok() {
            wait.database.end_upper_wait(owner);
        }
        let waited = since.elapsed();
        self.wait_times.record_time(waited);
        // At once, so that whoever finds it gone finds what is to be told of it.
        let mut all = self.waiting.lock();
        if let Some(waiting) = all.remove(&owner) {
            match &result {
                Ok(()) if waiting.told => {
                    self.granted_late.lock().push(LongWait { owner, waiting, waited, granted: true });
                }
                Err(e) if e.deadlock.is_some() => _ = self.refused.lock().insert(owner, waiting),
                _ => {}
            }
        }
        drop(all);
        result
    }
}

impl UpperWaits for LockManager {
    fn blockers(&self, session: u64) -> Vec<u64> {
        let waits_for = self.waiting.lock().get(&session).cloned();
        waits_for.map_or_else(Vec::new, |w| w.lock.state.lock().blockers(session, w.mode, w.until))
    }
}

/// The modes held of each lock at a savepoint.
pub struct HeldMark(Box<[u8]>);

/// A lock that a transaction holds.
struct Held {
    lock: Arc<ObjectLock>,
    /// The modes, as bits.
    mask: u8,
    /// Those of them that no ROLLBACK TO gives back.
    lasting: u8,
}

/// What one transaction holds. Released by `release_all` or when dropped.
pub struct HeldLocks {
    owner: OwnerId,
    held: Vec<Held>,
    /// Where in `held` a lock is, by its address: a transaction may hold tens of thousands.
    places: BTreeMap<usize, usize>,
    /// What a command of several transactions holds from the first to the last, among `held`.
    kept: Option<(Arc<ObjectLock>, u8)>,
}

impl HeldLocks {
    /// Nothing yet.
    pub fn new(owner: OwnerId) -> Self {
        HeldLocks { owner, held: Vec::new(), places: BTreeMap::new(), kept: None }
    }

    /// Takes a lock unless it is held already. Blocks.
    pub fn take(
        &mut self,
        manager: &LockManager,
        lock: &Arc<ObjectLock>,
        mode: TableLockMode,
        wait: &Wait<'_>,
    ) -> Result<(), SqlError> {
        self.take_until_end(manager, lock, (mode, false), wait)
    }

    /// Takes a lock that no ROLLBACK TO gives back; returns the modes that are held of it, as bits. Blocks.
    pub fn take_lasting(
        &mut self,
        manager: &LockManager,
        lock: &Arc<ObjectLock>,
        mode: TableLockMode,
        wait: &Wait<'_>,
    ) -> Result<u8, SqlError> {
        self.take_until_end(manager, lock, (mode, true), wait)?;
        let at = self.places.get(&Arc::as_ptr(lock).addr());
        Ok(at.map_or(0, |i| self.held[*i].mask))
    }

    fn take_until_end(
        &mut self,
        manager: &LockManager,
        lock: &Arc<ObjectLock>,
        (mode, lasts): (TableLockMode, bool),
        wait: &Wait<'_>,
    ) -> Result<(), SqlError> {
        let address = Arc::as_ptr(lock).addr();
        let at = self.places.get(&address).copied();
        let lasting = if lasts { mode.bit() } else { 0 };
        if let Some(held) = at.map(|i| &mut self.held[i])
            && held.mask & mode.bit() != 0
        {
            held.lasting |= lasting;
            return Ok(());
        }
        manager.acquire(lock, self.owner, mode, wait)?;
        match at {
            Some(i) => {
                self.held[i].mask |= mode.bit();
                self.held[i].lasting |= lasting;
            }
            None => {
                self.places.insert(address, self.held.len());
                self.held.push(Held { lock: lock.clone(), mask: mode.bit(), lasting });
            }
        }
        Ok(())
    }

    /// What is held now, to go back to.
    pub fn mark(&self) -> HeldMark {
        HeldMark(self.held.iter().map(|h| h.mask).collect())
    }

    /// Gives up what was taken since the mark, but for what lasts.
    pub fn release_since(&mut self, mark: &HeldMark) {
        for (n, held) in self.held.iter_mut().enumerate() {
            let left = mark.0.get(n).copied().unwrap_or(0) | held.lasting;
            if held.mask != left {
                held.mask = left;
                held.lock.reduce(self.owner, left);
            }
        }
        let since = self.held.split_off(mark.0.len().min(self.held.len()));
        for held in since {
            let address = Arc::as_ptr(&held.lock).addr();
            if held.mask == 0 {
                self.places.remove(&address);
            } else {
                self.places.insert(address, self.held.len());
                self.held.push(held);
            }
        }
    }

    /// Keeps a mode that is held of a lock through ends of transactions, or, with None, nothing any more: the next end releases it.
    pub fn keep(&mut self, kept: Option<(&Arc<ObjectLock>, TableLockMode)>) {
        self.kept = kept.map(|(lock, mode)| (lock.clone(), mode.bit()));
    }

    /// Waits until all who hold now what conflicts with a mode have given it up once. Blocks.
    pub fn wait_for_holders(
        &self,
        manager: &LockManager,
        lock: &Arc<ObjectLock>,
        mode: TableLockMode,
        wait: &Wait<'_>,
    ) -> Result<(), SqlError> {
        manager.wait_for_holders(lock, self.owner, mode, wait)
    }

    /// Gives up everything but what is kept.
    pub fn release_all(&mut self) {
        self.places.clear();
        for held in self.held.drain(..) {
            let kept = self.kept.as_ref().filter(|(k, _)| Arc::ptr_eq(k, &held.lock));
            held.lock.reduce(self.owner, kept.map_or(0, |(_, mask)| *mask));
        }
        if let Some((lock, mask)) = &self.kept {
            self.places.insert(Arc::as_ptr(lock).addr(), 0);
            self.held.push(Held { lock: lock.clone(), mask: *mask, lasting: 0 });
        }
    }
}

impl Drop for HeldLocks {
    fn drop(&mut self) {
        self.kept = None;
        self.release_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two owners, and the database that looks for deadlocks.
    struct Two {
        manager: Arc<LockManager>,
        database: Database,
        interrupts: [Arc<Interrupt>; 2],
        _folder: tempfile::TempDir,
    }

    impl Two {
        fn new() -> Two {
            let folder = tempfile::tempdir().unwrap();
            let mut options = evenkeel::Options::default();
            options.set("fsync", "off").unwrap();
            let database = Database::open(folder.path(), options).unwrap();
            let manager = Arc::new(LockManager::default());
            database.set_upper_waits(manager.clone());
            Two { manager, database, interrupts: [Interrupt::new(), Interrupt::new()], _folder: folder }
        }

        fn owner(&self, n: usize) -> HeldLocks {
            HeldLocks::new(self.interrupts[n].id())
        }

        fn take(
            &self,
            held: &mut HeldLocks,
            lock: &Arc<ObjectLock>,
            mode: M,
            nowait: bool,
        ) -> Result<(), SqlError> {
            let interrupt = self.interrupts.iter().find(|i| i.id() == held.owner).unwrap();
            let database = &self.database;
            let wait =
                Wait { nowait, timeout: None, interrupt, what: "t", database, txn: None, advisory: None };
            held.take(&self.manager, lock, mode, &wait)
        }
    }

    #[test]
    fn going_back_leaves_what_lasts() {
        let two = Two::new();
        let (first, lasting) = (Arc::new(ObjectLock::default()), Arc::new(ObjectLock::default()));
        let (mut a, mut b) = (two.owner(0), two.owner(1));
        let mark = a.mark();
        two.take(&mut a, &first, M::AccessExclusive, true).unwrap();
        let (interrupt, database) = (&two.interrupts[0], &two.database);
        let wait =
            Wait { nowait: true, timeout: None, interrupt, what: "s", database, txn: None, advisory: None };
        let modes = a.take_lasting(&two.manager, &lasting, M::RowExclusive, &wait).unwrap();
        assert_eq!(modes, M::RowExclusive.bit());
        two.take(&mut a, &lasting, M::Share, true).unwrap();
        a.release_since(&mark);
        two.take(&mut b, &first, M::AccessExclusive, true).unwrap();
        assert_eq!(two.take(&mut b, &lasting, M::Share, true).unwrap_err().code, "55P03");
        two.take(&mut b, &lasting, M::RowExclusive, true).unwrap();
        b.release_all();
        two.take(&mut a, &lasting, M::RowExclusive, true).unwrap();
        a.release_all();
        two.take(&mut b, &lasting, M::AccessExclusive, true).unwrap();
    }

    #[test]
    fn compatible_modes_share_and_others_do_not() {
        let two = Two::new();
        let lock = Arc::new(ObjectLock::default());
        let (mut a, mut b) = (two.owner(0), two.owner(1));
        two.take(&mut a, &lock, M::RowExclusive, true).unwrap();
        two.take(&mut b, &lock, M::RowExclusive, true).unwrap();
        let refused = two.take(&mut b, &lock, M::Share, true).unwrap_err();
        assert_eq!(refused.code, "55P03");
        a.release_all();
        two.take(&mut b, &lock, M::AccessExclusive, true).unwrap();
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
    fn a_cycle_of_waiters_has_one_victim() {
        let two = Two::new();
        let (x, y) = (Arc::new(ObjectLock::default()), Arc::new(ObjectLock::default()));
        let (mut a, mut b) = (two.owner(0), two.owner(1));
        two.take(&mut a, &x, M::AccessExclusive, false).unwrap();
        two.take(&mut b, &y, M::AccessExclusive, false).unwrap();
        let run = |mut held: HeldLocks, lock| two.take(&mut held, lock, M::AccessExclusive, false).is_err();
        let victims = std::thread::scope(|s| {
            let (y, x) = (&y, &x);
            let one = s.spawn(move || run(a, y));
            let other = s.spawn(move || run(b, x));
            [one.join().unwrap(), other.join().unwrap()]
        });
        assert_eq!(victims.iter().filter(|v| **v).count(), 1);
    }
}
