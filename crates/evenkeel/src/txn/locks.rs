//! Row locks: PostgreSQL's four modes, with deadlock detection. As there, a request that no holder stands against is granted past those who wait; the
//! others wait in order.
//!
//! A writer's lock is its id in the row; the table holds only conflicts and explicit locks. Who has to wait for an active writer first enters
//! that writer as holder, then queues behind it: from then on all locks of the row are entered.
//!
//! What a holder took itself (`explicit`) is noted in order, so that a rollback to a savepoint gives back what was taken since. What others entered for
//! what it wrote (`implicit`) follows the row: undoing the write takes it away (`put_back`).
//!
//! Who only wants to know how others end (`Purpose`) stands in the same queue, but holds nobody up and is held up by no other that waits, and takes nothing.
//!
//! Invariants
//! 1. Holders of an object are pairwise compatible. A waiter conflicted with a holder when it came.
//! 2. A wait that would close a cycle of waits is refused at once: its owner is the victim. Unless the cycle goes through a mere place in a queue, and
//!    another order of that queue dissolves it. Waits for locks of the layer above count: they are
//!    announced by `begin_upper_wait` and followed through [`UpperWaits`]. Every search runs under this table's mutex, after its own wait has been
//!    entered and before the next begins, so a cycle has exactly one victim.
//! 3. The number of (holder, waiter) entries is bounded by `max_locks`, but for writers of rows that others wait for.

mod circle;
mod long;
mod shown;

pub use long::LongWait;
pub use shown::RowWait;

use super::{Interrupt, Shared};
use crate::base::blocking::{Wait, wait};
use crate::base::histogram::{Counts, Histogram};
use crate::base::sync::{self, AtomicBool, AtomicUsize, Instant, Mutex, Ordering, Thread, counter};
use crate::base::{Error, LockMode, Result, TreeId, TxnId};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What to do about a conflicting lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitPolicy {
    /// Wait for it.
    Block,
    /// Fail with `LockNotAvailable`.
    NoWait,
    /// Report the row as skipped.
    SkipLocked,
}

/// What a request is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The lock.
    Hold,
    /// To wait until nobody else holds one that stands against it. Nothing is held then.
    Pass,
    /// To wait until what this transaction has written of the row is decided, or undone. Nothing is held then.
    PassWriter(TxnId),
}

/// A row's name in the lock table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RowKey {
    /// Its tree.
    pub tree: TreeId,
    /// Its key.
    pub key: Box<[u8]>,
}

/// How a request ended.
pub enum Outcome {
    /// The lock is held, or need not be waited for.
    Granted,
    /// Queued: let go of every latch, then `LockTable::wait`.
    Queued(Ticket),
    /// Not available, and the policy is `SkipLocked`.
    Skipped,
}

/// A place in a queue.
pub struct Ticket {
    cell: Arc<WaitCell>,
    row: RowKey,
    txn: TxnId,
}

/// Locks of a layer above, for the deadlock search. Sessions are named by the numbers of their interrupts.
pub trait UpperWaits: Send + Sync {
    /// Whom a session waits for at this moment, in locks of that layer. Called with the lock table's mutex held: must not call back.
    fn blockers(&self, session: u64) -> Vec<u64>;
}

impl Ticket {
    /// What is waited for.
    pub fn row(&self) -> &RowKey {
        &self.row
    }
}

struct WaitCell {
    granted: AtomicBool,
    /// The waiter has to roll back: it pins too much log.
    doomed: AtomicBool,
    thread: Thread,
    /// Told in place of the thread, which does not wait.
    session: OnceLock<Arc<Interrupt>>,
}

impl WaitCell {
    fn wake(&self) {
        match self.session.get() {
            Some(session) => session.nudge(),
            None => self.thread.unpark(),
        }
    }
}

struct Waiter {
    txn: TxnId,
    mode: LockMode,
    purpose: Purpose,
    cell: Arc<WaitCell>,
    since: Instant,
    /// It was told of that it lasts: its session, and whom it waited for.
    told: Option<(u64, Vec<TxnId>)>,
}

struct Holder {
    txn: TxnId,
    /// What it took itself.
    explicit: Option<LockMode>,
    /// What others entered because it has written the row.
    implicit: Option<LockMode>,
}

impl Holder {
    /// The stronger of the two.
    fn mode(&self) -> Option<LockMode> {
        self.explicit.max(self.implicit)
    }

    fn stands_against(&self, txn: TxnId, mode: LockMode, purpose: Purpose) -> bool {
        match purpose {
            Purpose::PassWriter(writer) => self.txn == writer && self.implicit.is_some(),
            Purpose::Hold | Purpose::Pass => {
                self.txn != txn && self.mode().is_some_and(|m| mode.conflicts(m))
            }
        }
    }
}

#[derive(Default)]
struct Object {
    holders: Vec<Holder>,
    queue: VecDeque<Waiter>,
}

impl Object {
    /// Whether `txn` could hold `mode` beside the holders, or need not wait for any of them.
    fn compatible(&self, txn: TxnId, mode: LockMode, purpose: Purpose) -> bool {
        self.holders.iter().all(|h| !h.stands_against(txn, mode, purpose))
    }

    /// The place in the queue of the first whose wait is over.
    fn next(&self) -> Option<usize> {
        let mut is_held_up = false;
        self.queue.iter().position(|w| {
            let holds = w.purpose == Purpose::Hold;
            let is_over = !(holds && is_held_up) && self.compatible(w.txn, w.mode, w.purpose);
            is_held_up |= holds;
            is_over
        })
    }

    /// The holder's entry, made if need be; true if it was.
    fn holder(&mut self, txn: TxnId) -> (&mut Holder, bool) {
        let found = self.holders.iter().position(|h| h.txn == txn);
        let at = found.unwrap_or(self.holders.len());
        if found.is_none() {
            self.holders.push(Holder { txn, explicit: None, implicit: None });
        }
        (&mut self.holders[at], found.is_none())
    }
}

/// What a transaction holds.
#[derive(Default)]
struct Held {
    /// What it took itself, in order, with what it had of it before.
    explicit: Vec<(RowKey, Option<LockMode>)>,
    /// Rows that others entered for it; some may be given back already.
    implicit: Vec<RowKey>,
}

#[derive(Default)]
struct Inner {
    objects: HashMap<RowKey, Object>,
    held: HashMap<TxnId, Held>,
    waits: Waits,
    upper: Option<Arc<dyn UpperWaits>>,
    entries: Shown,
    /// Waits of which it was told that they last, and that have been granted since.
    granted_late: Vec<LongWait>,
}

/// A number that changes under the lock table's mutex, and is looked at without it.
#[derive(Clone, Default)]
struct Shown(Arc<counter::AtomicUsize>);

impl Shown {
    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, n: usize) {
        self.0.store(n, Ordering::Relaxed);
    }

    fn add(&self, n: usize) {
        self.set(self.get() + n);
    }

    fn take_one(&self) {
        self.set(self.get() - 1);
    }
}

/// Who waits.
#[derive(Default)]
struct Waits {
    /// For a row.
    rows: HashMap<TxnId, RowKey>,
    /// How many these are.
    rows_shown: Shown,
    /// In the layer above.
    upper: HashSet<u64>,
    /// The sessions of the transactions among them, as far as they have one, and back.
    session_of: HashMap<TxnId, u64>,
    txn_of: HashMap<u64, TxnId>,
}

impl Waits {
    fn pair(&mut self, txn: TxnId, session: u64) {
        self.session_of.insert(txn, session);
        self.txn_of.insert(session, txn);
    }

    fn end_row(&mut self, txn: TxnId) {
        self.rows.remove(&txn);
        self.rows_shown.set(self.rows.len());
        if let Some(session) = self.session_of.remove(&txn) {
            self.txn_of.remove(&session);
        }
    }

    fn end_upper(&mut self, session: u64) {
        self.upper.remove(&session);
        if let Some(txn) = self.txn_of.remove(&session) {
            self.session_of.remove(&txn);
        }
    }
}

/// A party of the wait-for graph. A session with a known transaction is named by the transaction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Party {
    Txn(TxnId),
    Session(u64),
}

/// The lock table of a database.
pub struct LockTable {
    inner: Mutex<Inner>,
    /// Number of objects: zero lets writers pass without the mutex.
    objects: AtomicUsize,
    max_entries: usize,
    entries_shown: Shown,
    waiters_shown: Shown,
    /// How long rows were waited for, to the end of the wait, whatever it was; microseconds.
    wait_times: Histogram,
    deadlocks: counter::AtomicU64,
    /// Why nobody waits any more.
    stopped: OnceLock<Error>,
}

impl LockTable {
    /// An empty table with room for `max_locks` entries (invariant 3).
    pub fn new(max_locks: usize) -> LockTable {
        let inner = Inner::default();
        LockTable {
            entries_shown: inner.entries.clone(),
            waiters_shown: inner.waits.rows_shown.clone(),
            wait_times: Histogram::default(),
            deadlocks: counter::AtomicU64::new(0),
            inner: Mutex::new(inner),
            objects: AtomicUsize::new(0),
            max_entries: max_locks,
            stopped: OnceLock::new(),
        }
    }

    /// Whether no row is locked explicitly. A writer asks under its exclusive latch; explicit locks on a row are only entered under its latch
    /// or behind a holder that is entered already, so the answer holds while the latch does.
    pub fn is_empty(&self) -> bool {
        self.objects.load(Ordering::SeqCst) == 0
    }

    /// Whether `txn` may write the row as far as explicit locks go, and how strong its lock is then. If others hold or await such locks, the write's own
    /// lock is entered among them.
    pub fn allows(&self, txn: TxnId, tree: TreeId, key: &[u8], mode: LockMode) -> Option<LockMode> {
        if self.is_empty() {
            return Some(mode);
        }
        let mut inner = self.inner.lock();
        let row = RowKey { tree, key: key.into() };
        match inner.objects.get(&row) {
            None => Some(mode),
            Some(o) if !o.compatible(txn, mode, Purpose::Hold) => None,
            Some(_) => inner.take(txn, row, mode),
        }
    }

    /// Requests a lock, or to wait for others, under the row's latch. `writer`: the row's active writer and its implicit mode, entered as a holder first.
    pub fn request(
        &self,
        me: &Shared,
        row: RowKey,
        (mode, purpose): (LockMode, Purpose),
        writer: Option<(&Shared, LockMode)>,
        policy: WaitPolicy,
    ) -> Result<Outcome> {
        let mut guard = self.inner.lock();
        let inner = &mut *guard;
        if inner.entries.get() + 2 > self.max_entries {
            return Err(Error::OutOfLocks);
        }
        let new = !inner.objects.contains_key(&row);
        let object = inner.objects.entry(row.clone()).or_default();
        if new {
            self.objects.fetch_add(1, Ordering::SeqCst);
        }
        // A writer that finished meanwhile has released, or will release, under this mutex: it is not entered any more.
        if let Some((w, m)) = writer.filter(|(w, _)| !w.is_finished()) {
            let (holder, is_new) = object.holder(w.id);
            if holder.implicit.replace(holder.implicit.map_or(m, |had| had.max(m))).is_none() {
                inner.held.entry(w.id).or_default().implicit.push(row.clone());
            }
            inner.entries.add(usize::from(is_new));
        }
        if object.compatible(me.id, mode, purpose) {
            match purpose {
                Purpose::Hold => _ = inner.take(me.id, row, mode),
                Purpose::Pass | Purpose::PassWriter(_) => self.drop_unneeded(inner, &row),
            }
            return Ok(Outcome::Granted);
        }
        let holds = object.holders.iter().any(|h| h.txn == me.id);
        match policy {
            WaitPolicy::Block => {}
            WaitPolicy::NoWait => return Err(Error::LockNotAvailable),
            WaitPolicy::SkipLocked => return Ok(Outcome::Skipped),
        }
        let (granted, doomed) = (AtomicBool::new(false), AtomicBool::new(false));
        let cell = Arc::new(WaitCell { granted, doomed, thread: sync::current(), session: OnceLock::new() });
        let waiter =
            Waiter { txn: me.id, mode, purpose, cell: cell.clone(), since: Instant::now(), told: None };
        // Who holds already and wants more goes first: the queue could not move before it anyway.
        if holds {
            object.queue.push_front(waiter)
        } else {
            object.queue.push_back(waiter)
        }
        inner.entries.add(1);
        inner.waits.rows.insert(me.id, row.clone());
        inner.waits.rows_shown.set(inner.waits.rows.len());
        if let Some(circle) = self.deadlock(inner, Party::Txn(me.id)) {
            self.leave_queue(inner, me.id, &row);
            self.deadlocks.fetch_add(1, Ordering::Relaxed);
            return Err(Error::Deadlock(circle));
        }
        Ok(Outcome::Queued(Ticket { cell, row, txn: me.id }))
    }

    /// Blocks until a queued request is granted. No latch may be held.
    pub fn wait(
        &self,
        ticket: Ticket,
        interrupt: Option<&Interrupt>,
        timeout: Option<Duration>,
    ) -> Result<()> {
        let deadline = timeout.map(|t| Instant::now() + t);
        if let Some(i) = interrupt {
            self.name_session(&ticket, i.id())?;
            i.set_waiting(Some(sync::current()));
        }
        let mut why = None;
        let is_granted = ticket.cell.granted.load(Ordering::SeqCst);
        let _waiting = (!is_granted).then(|| wait(Wait::RowLock));
        while !ticket.cell.granted.load(Ordering::SeqCst) {
            if interrupt.is_some_and(Interrupt::is_canceled) {
                why = Some(Error::Canceled);
                break;
            }
            if ticket.cell.doomed.load(Ordering::SeqCst) {
                why = Some(Error::LogPinnedTooLong);
                break;
            }
            if let Some(e) = self.stopped.get() {
                why = Some(e.clone());
                break;
            }
            match deadline.map(|d| d.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => {
                    why = Some(Error::LockNotAvailable);
                    break;
                }
                Some(left) => sync::park_timeout(left),
                None => sync::park(),
            }
        }
        if let Some(i) = interrupt {
            i.set_waiting(None);
        }
        let Some(why) = why else { return Ok(()) };
        let mut inner = self.inner.lock();
        if ticket.cell.granted.load(Ordering::SeqCst) {
            return Ok(()); // granted at the last moment
        }
        self.leave_queue(&mut inner, ticket.txn, &ticket.row);
        Err(why)
    }

    /// In place of `wait`: does not block, and nudges the session once `is_over` would say something new. True if the request is granted already.
    pub fn wait_outside(&self, ticket: &Ticket, session: &Arc<Interrupt>) -> Result<bool> {
        self.name_session(ticket, session.id())?;
        let _ = ticket.cell.session.set(session.clone());
        // Whoever granted it before that has set this before.
        Ok(ticket.cell.granted.load(Ordering::SeqCst))
    }

    /// Whether a request that waits outside is over. After an error it is out of the queue.
    pub fn is_over(&self, ticket: &Ticket) -> Result<bool> {
        let mut inner = self.inner.lock();
        let cell = &ticket.cell;
        if cell.granted.load(Ordering::SeqCst) {
            return Ok(true);
        }
        let why = match cell.session.get() {
            Some(session) if session.is_canceled() => Error::Canceled,
            _ if cell.doomed.load(Ordering::SeqCst) => Error::LogPinnedTooLong,
            _ => match self.stopped.get() {
                Some(e) => e.clone(),
                None => return Ok(false),
            },
        };
        self.leave_queue(&mut inner, ticket.txn, &ticket.row);
        Err(why)
    }

    /// Ends every wait, now and from now on, with this error: the engine stops.
    pub fn stop(&self, why: Error) {
        let _ = self.stopped.set(why);
        let inner = self.inner.lock();
        inner.objects.values().flat_map(|o| &o.queue).for_each(|w| w.cell.wake());
    }

    /// Whether a transaction waits for a row lock.
    pub fn is_waiting(&self, txn: TxnId) -> bool {
        self.inner.lock().waits.rows.contains_key(&txn)
    }

    /// Ends the wait of a transaction that has to roll back, if it waits: its call fails with `LogPinnedTooLong`.
    pub fn end_wait(&self, txn: TxnId) {
        let inner = self.inner.lock();
        let Some(o) = inner.waits.rows.get(&txn).and_then(|row| inner.objects.get(row)) else { return };
        if let Some(w) = o.queue.iter().find(|w| w.txn == txn) {
            w.cell.doomed.store(true, Ordering::SeqCst);
            w.cell.wake();
        }
    }

    /// Sessions above are known from here on: the search is repeated with their waits.
    fn name_session(&self, ticket: &Ticket, session: u64) -> Result<()> {
        let mut inner = self.inner.lock();
        if inner.upper.is_none() || !inner.waits.rows.contains_key(&ticket.txn) {
            return Ok(()); // nobody above waits for locks, or it is granted already
        }
        inner.waits.pair(ticket.txn, session);
        // Without a wait above the search at the request has seen everything; one that begins later searches itself.
        if inner.waits.upper.is_empty() {
            return Ok(());
        }
        let Some(circle) = self.deadlock(&mut inner, Party::Txn(ticket.txn)) else { return Ok(()) };
        self.leave_queue(&mut inner, ticket.txn, &ticket.row);
        self.deadlocks.fetch_add(1, Ordering::Relaxed);
        Err(Error::Deadlock(circle))
    }

    /// Names the locks of the layer above, before its first wait.
    pub fn set_upper_waits(&self, upper: Arc<dyn UpperWaits>) {
        self.inner.lock().upper = Some(upper);
    }

    /// A session, in `txn` if that has an id, begins to wait in the layer above, where its request is queued already. `Deadlock`: it must not, and is
    /// not entered.
    pub fn begin_upper_wait(&self, session: u64, txn: Option<TxnId>) -> Result<()> {
        let mut inner = self.inner.lock();
        if let Some(t) = txn {
            inner.waits.pair(t, session);
        }
        inner.waits.upper.insert(session);
        let start = txn.map_or(Party::Session(session), Party::Txn);
        let Some(circle) = self.deadlock(&mut inner, start) else { return Ok(()) };
        inner.waits.end_upper(session);
        self.deadlocks.fetch_add(1, Ordering::Relaxed);
        Err(Error::Deadlock(circle))
    }

    /// That wait has ended.
    pub fn end_upper_wait(&self, session: u64) {
        self.inner.lock().waits.end_upper(session);
    }

    /// Releases everything that a finished transaction holds or waits for, and grants what can be granted, in order.
    pub fn release_all(&self, txn: TxnId) {
        if self.is_empty() {
            return;
        }
        let mut guard = self.inner.lock();
        let inner = &mut *guard;
        if let Some(row) = inner.waits.rows.get(&txn).cloned() {
            // It waited outside. Unless its owner ended it, that is to hear of it.
            let queue = inner.objects.get(&row).map(|o| &o.queue);
            let cell = queue.and_then(|q| q.iter().find(|w| w.txn == txn)).map(|w| w.cell.clone());
            self.leave_queue(inner, txn, &row);
            if let Some(cell) = cell {
                cell.doomed.store(true, Ordering::SeqCst);
                cell.wake();
            }
        }
        let held = inner.held.remove(&txn).unwrap_or_default();
        for row in held.explicit.into_iter().map(|(row, _)| row).chain(held.implicit) {
            self.change_holder(inner, txn, &row, |h| (h.explicit, h.implicit) = (None, None));
        }
    }

    /// How many locks a transaction has taken itself so far: a place to go back to.
    pub fn taken(&self, txn: TxnId) -> usize {
        if self.is_empty() {
            return 0;
        }
        self.inner.lock().held.get(&txn).map_or(0, |h| h.explicit.len())
    }

    /// Gives back what a transaction has taken since `taken` said so much, and grants what can be granted.
    pub fn release_since(&self, txn: TxnId, taken: usize) {
        if self.is_empty() {
            return;
        }
        let mut guard = self.inner.lock();
        let inner = &mut *guard;
        while let Some(held) = inner.held.get_mut(&txn).filter(|h| h.explicit.len() > taken) {
            let Some((row, before)) = held.explicit.pop() else { break };
            self.change_holder(inner, txn, &row, |h| h.explicit = before);
        }
        inner.forget_if_nothing(txn);
    }

    /// A transaction has undone a write of a row; `left`: the lock that its earlier writes of it imply.
    pub fn put_back(&self, txn: TxnId, row: &RowKey, left: Option<LockMode>) {
        if self.is_empty() {
            return;
        }
        let mut guard = self.inner.lock();
        let inner = &mut *guard;
        self.change_holder(inner, txn, row, |h| h.implicit = h.implicit.and(left));
        if left.is_none()
            && let Some(held) = inner.held.get_mut(&txn)
        {
            if let Some(at) = held.implicit.iter().rposition(|r| r == row) {
                held.implicit.swap_remove(at);
            }
            inner.forget_if_nothing(txn);
        }
    }

    /// Changes a holder's entry, drops it if nothing is left of it, and grants what can be granted.
    fn change_holder(&self, inner: &mut Inner, txn: TxnId, row: &RowKey, change: impl FnOnce(&mut Holder)) {
        let Some(o) = inner.objects.get_mut(row) else { return };
        let Some(at) = o.holders.iter().position(|h| h.txn == txn) else { return };
        change(&mut o.holders[at]);
        if o.holders[at].mode().is_none() {
            o.holders.remove(at);
            inner.entries.take_one();
        }
        self.grant(inner, row);
    }

    fn leave_queue(&self, inner: &mut Inner, txn: TxnId, row: &RowKey) {
        inner.waits.end_row(txn);
        if let Some(o) = inner.objects.get_mut(row) {
            if let Some(w) = o.queue.iter().find(|w| w.txn == txn) {
                self.wait_times.record_time(w.since.elapsed());
            }
            o.queue.retain(|w| w.txn != txn);
            inner.entries.take_one();
        }
        self.grant(inner, row); // others may have waited for this waiter only
    }

    /// A row that a transaction has waited for turned out to be gone: the lock, if it is the last that it took, is of no use, and others wait for it in vain.
    pub fn give_back_last(&self, txn: TxnId, row: &RowKey) {
        if self.is_empty() {
            return;
        }
        let mut guard = self.inner.lock();
        let inner = &mut *guard;
        let Some(held) = inner.held.get_mut(&txn) else { return };
        let Some((_, before)) = held.explicit.pop_if(|(last, _)| last == row) else { return };
        self.change_holder(inner, txn, row, |h| h.explicit = before);
        inner.forget_if_nothing(txn);
    }

    /// Grants from the queue's front, and lets go who only waits; drops an object that nobody needs.
    fn grant(&self, inner: &mut Inner, row: &RowKey) {
        while let Some(o) = inner.objects.get_mut(row) {
            let Some(w) = o.next().and_then(|at| o.queue.remove(at)) else { break };
            inner.entries.take_one();
            inner.waits.end_row(w.txn);
            let waited = w.since.elapsed();
            self.wait_times.record_time(waited);
            if let Some((session, holders)) = w.told {
                inner.granted_late.push(LongWait {
                    session,
                    waited,
                    granted: true,
                    tree: row.tree,
                    key: row.key.clone(),
                    mode: w.mode,
                    holders,
                    queue: Vec::new(),
                });
            }
            if w.purpose == Purpose::Hold {
                inner.take(w.txn, row.clone(), w.mode);
            }
            w.cell.granted.store(true, Ordering::SeqCst);
            w.cell.wake();
        }
        self.drop_unneeded(inner, row);
    }

    fn drop_unneeded(&self, inner: &mut Inner, row: &RowKey) {
        let Some(o) = inner.objects.get(row) else { return };
        if o.holders.is_empty() && o.queue.is_empty() {
            inner.objects.remove(row);
            self.objects.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Transactions that wait for a row now, for statistics.
    pub fn waiters(&self) -> usize {
        self.waiters_shown.get()
    }

    /// Deadlocks found since the start, and how long rows were waited for, microseconds.
    pub fn wait_stats(&self) -> (u64, Counts) {
        (self.deadlocks.load(Ordering::Relaxed), self.wait_times.snapshot())
    }

    #[cfg(test)]
    pub(super) fn holders(&self) -> usize {
        self.inner.lock().held.len()
    }

    /// Number of lock entries, for statistics.
    pub fn entries(&self) -> usize {
        self.entries_shown.get()
    }
}

impl Inner {
    /// Who holds nothing has no entry: `release_all` does not look for it once there are no locks at all.
    fn forget_if_nothing(&mut self, txn: TxnId) {
        if self.held.get(&txn).is_some_and(|held| held.explicit.is_empty() && held.implicit.is_empty()) {
            self.held.remove(&txn);
        }
    }

    /// Adds to what a transaction holds itself; gives that.
    fn take(&mut self, txn: TxnId, row: RowKey, mode: LockMode) -> Option<LockMode> {
        let (holder, is_new) = self.objects.entry(row.clone()).or_default().holder(txn);
        self.entries.add(usize::from(is_new));
        if holder.explicit < Some(mode) {
            let before = holder.explicit.replace(mode);
            self.held.entry(txn).or_default().explicit.push((row, before));
            return Some(mode);
        }
        holder.explicit
    }
}
