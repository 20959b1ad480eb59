//! Ids, the active set, snapshots, commit order. Invariants are in the module's README.

use super::late::Late;
use super::outcomes::{Outcomes, Status};
use super::snapshot::Snapshot;
use super::unmet::Unmet;
use crate::base::sync::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Instant, Mutex, Ordering, RwLock, counter,
    planted,
};
use crate::base::{Basis, Lsn, TxnId};
use foldhash::fast::RandomState;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Committed transactions that are kept whole; of more, the oldest are handed out so that their undo is kept elsewhere.
const KEPT_MAX: usize = 128;
/// So many are handed out at a time.
const OLD_BATCH: usize = 32;

/// A transaction as others see it.
pub struct Shared {
    /// Its id.
    pub id: TxnId,
    /// Lower bound of its first record's LSN.
    pub first_lsn: Lsn,
    last_lsn: AtomicU64,
    /// LSN of its first record (0 = none).
    first_record: AtomicU64,
    finished: AtomicBool,
    /// Its commit or abort record has its place in the log.
    ended: AtomicBool,
    /// What must be safe before anybody may tell of its commit: the commit, or, as far as it asked for less, what it rests on (0 = nothing, or not
    /// committed).
    commit_basis: AtomicBasis,
    /// What must be safe before anybody may tell that the rows which it met, and perhaps updated, exist with these keys.
    keys_basis: AtomicBasis,
    /// Its place among the commits, set under the manager's lock.
    commit_number: AtomicU64,
    /// The row layer's undo.
    pub undo: Box<dyn Any + Send + Sync>,
    /// The disk is full, and it pins log: it has to roll back.
    pub doomed: AtomicBool,
    /// For the row layer: what is to be done once nobody needs its undo.
    pub owes: AtomicU8,
    /// Calls of its owner under way, or `TAKEN`.
    calls: AtomicU32,
}

/// A [`Basis`] that is set once, before whoever reads it may.
#[derive(Default)]
struct AtomicBasis {
    local: AtomicU64,
    quorum: AtomicU64,
}

impl AtomicBasis {
    fn set(&self, basis: Basis) {
        self.local.store(basis.local.0, Ordering::Release);
        self.quorum.store(basis.quorum.0, Ordering::Release);
    }

    fn get(&self) -> Basis {
        Basis {
            local: Lsn(self.local.load(Ordering::Acquire)),
            quorum: Lsn(self.quorum.load(Ordering::Acquire)),
        }
    }
}

/// A transaction that was active at a position of the log, as a round record lists it and recovery finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActiveTxn {
    /// Its id.
    pub id: TxnId,
    /// LSN of its first record.
    pub first: Lsn,
    /// LSN of its latest record.
    pub last: Lsn,
}

/// Somebody else is ending the transaction, or has.
const TAKEN: u32 = 1 << 31;

/// A call of a transaction's owner: until it ends nobody else may end the transaction.
pub struct Call(Arc<Shared>);

impl std::ops::Deref for Call {
    type Target = Arc<Shared>;
    fn deref(&self) -> &Arc<Shared> {
        &self.0
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let before = self.0.calls.fetch_sub(1, Ordering::SeqCst);
        debug_assert!(before & !TAKEN > 0);
    }
}

impl Shared {
    fn new(id: TxnId, first_lsn: Lsn, undo: Box<dyn Any + Send + Sync>) -> Shared {
        Shared {
            id,
            first_lsn,
            last_lsn: AtomicU64::new(0),
            first_record: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            commit_basis: AtomicBasis::default(),
            keys_basis: AtomicBasis::default(),
            commit_number: AtomicU64::new(0),
            undo,
            doomed: AtomicBool::new(false),
            owes: AtomicU8::new(0),
            calls: AtomicU32::new(0),
        }
    }

    /// Begins a call of the owner (calls nest); `None` if somebody else has taken the transaction to end it.
    pub fn begin_call(self: &Arc<Self>) -> Option<Call> {
        let free = |n: u32| (n & TAKEN == 0).then_some(n + 1);
        self.calls.fetch_update(Ordering::SeqCst, Ordering::SeqCst, free).ok().map(|_| Call(self.clone()))
    }

    /// Takes the transaction from its owner, to end it. False while a call of the owner is under way, if it has ended, and if it was taken before.
    pub fn take(&self) -> bool {
        // `finished` changes inside a call, so after the exchange it is settled.
        self.calls.compare_exchange(0, TAKEN, Ordering::SeqCst, Ordering::SeqCst).is_ok()
            && !self.is_finished()
    }

    /// Whether a call of the owner is under way.
    pub fn is_at_work(&self) -> bool {
        self.calls.load(Ordering::SeqCst) & !TAKEN > 0
    }

    /// Whether it was taken from its owner.
    pub fn is_taken(&self) -> bool {
        self.calls.load(Ordering::SeqCst) & TAKEN != 0
    }

    /// LSN of its latest record (0 = none).
    pub fn last_lsn(&self) -> Lsn {
        Lsn(self.last_lsn.load(Ordering::Acquire))
    }

    /// LSN of its first record (0 = none).
    pub fn first_record(&self) -> Lsn {
        Lsn(self.first_record.load(Ordering::Acquire))
    }

    /// Notes its latest record, inside the reservation.
    pub fn set_last_lsn(&self, lsn: Lsn) {
        if self.first_record() == Lsn::ZERO {
            self.first_record.store(lsn.0, Ordering::Release);
        }
        self.last_lsn.store(lsn.0, Ordering::Release);
    }

    /// Notes that its last record has its place: called inside the reservation, so that a round record's table never lists a transaction
    /// whose end lies before the analysis start.
    pub fn set_ended(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    /// Whether its last record has its place.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Whether it has committed or rolled back.
    pub fn is_finished(&self) -> bool {
        self.finished.load(Ordering::SeqCst)
    }

    /// What must be safe before anybody tells of its commit.
    pub fn commit_basis(&self) -> Basis {
        self.commit_basis.get()
    }

    /// What must be safe before anybody tells of the keys of rows that it updated without changing their keys.
    pub fn keys_basis(&self) -> Basis {
        self.keys_basis.get()
    }

    /// Its place among the commits (0 = it has not committed).
    pub fn commit_number(&self) -> u64 {
        self.commit_number.load(Ordering::Acquire)
    }

    /// Notes [`Shared::keys_basis`], before it finishes.
    pub fn set_keys_basis(&self, basis: Basis) {
        self.keys_basis.set(basis);
    }
}

struct Inner {
    next: u64,
    active: BTreeMap<u64, Arc<Shared>>,
    /// Committed, still kept (invariant 3), in commit order.
    kept: VecDeque<Arc<Shared>>,
    /// At so many of them they are looked through behind one whose commit may not be told.
    look_through_at: usize,
    /// Those that were handed out, and came back whole, by commit number.
    kept_whole: BTreeMap<u64, Arc<Shared>>,
    /// Ids of both, and of those that are handed out at this moment.
    kept_ids: BTreeSet<u64>,
    commits: u64,
    /// The same, for whoever looks without the lock.
    commits_shown: Arc<counter::AtomicU64>,
    /// Record of the latest of them.
    last_record: Lsn,
    /// Registered snapshots by number of commits before them.
    snapshots: BTreeMap<u64, Registered>,
    /// On a standby: all before this place in the log was replayed.
    replayed: Lsn,
    /// And the newest commit that was published ends here.
    published: Lsn,
    /// Snapshots that were given up for what replay took away.
    expired_by_replay: u64,
    /// Commits that were replayed and changed definitions.
    definitions: u64,
    /// Ids of all that have ended and are in the log lie below.
    ended_below: u64,
    outcomes: Outcomes,
    /// Of a standby.
    unmet: Unmet,
}

/// Snapshots with the same number of commits before them.
struct Registered {
    count: usize,
    /// On a standby: when the last of them was taken, and up to where the log had been replayed at the first.
    since: Option<Instant>,
    replayed: Lsn,
}

/// What became of finished transactions.
#[derive(Default)]
pub struct Ended {
    /// Nobody needs them any more: their undo may go.
    pub gone: Vec<Arc<Shared>>,
    /// An old snapshot needs what they replaced, and there are many: their undo is to be kept elsewhere ([`TxnManager::moved`]).
    pub old: Vec<Arc<Shared>>,
}

impl Inner {
    /// A commit that waits for standbys which are away must not keep those behind it that wait for nobody: they are taken out from between. The work is in
    /// proportion to what has come since the last time.
    fn look_through(&mut self, seen: u64, safe: Basis, ended: &mut Ended) {
        let mut kept = VecDeque::with_capacity(self.kept.len());
        for t in self.kept.drain(..) {
            let may_be_told = t.commit_basis().is_within(safe);
            if may_be_told && t.commit_number.load(Ordering::Relaxed) <= seen {
                ended.gone.push(t);
            } else if may_be_told {
                ended.old.push(t);
            } else {
                kept.push_back(t);
            }
        }
        self.kept = kept;
        self.look_through_at = (2 * self.kept.len()).max(KEPT_MAX + OLD_BATCH);
    }

    fn leave(&mut self, shared: &Shared) {
        let was = self.active.remove(&shared.id.0);
        assert!(was.is_some(), "a transaction finishes once");
        if shared.last_lsn() != Lsn::ZERO {
            self.ended_below = self.ended_below.max(shared.id.0 + 1);
        }
    }

    /// From now on snapshots see its commit.
    fn publish(&mut self, shared: &Arc<Shared>, wait_for: Basis) {
        self.leave(shared);
        self.outcomes.set_committed(shared.id.0);
        self.commits += 1;
        self.commits_shown.store(self.commits, Ordering::Release);
        shared.commit_number.store(self.commits, Ordering::Release);
        shared.commit_basis.set(wait_for);
        self.kept.push_back(shared.clone());
        self.kept_ids.insert(shared.id.0);
        shared.finished.store(true, Ordering::SeqCst);
    }

    fn register_snapshot(&mut self, commits: u64) {
        let replayed = self.replayed;
        let new = Registered { count: 0, since: None, replayed };
        let registered = self.snapshots.entry(commits).or_insert(new);
        registered.count += 1;
        // A primary asks nobody for anything, and takes many more of them than it reads clocks gladly.
        if replayed != Lsn::ZERO {
            registered.since = Some(Instant::now());
        }
    }

    /// The oldest commit that some snapshot does not see is the one behind this. It stays true: no snapshot that is taken later sees less.
    fn seen_by_all(&self) -> u64 {
        self.snapshots.keys().next().copied().unwrap_or(self.commits)
    }
}

/// A commit whose record has its place.
struct Logged {
    shared: Arc<Shared>,
    record: Lsn,
    wait_for: Basis,
}

/// All transactions of a database.
pub struct TxnManager {
    inner: Mutex<Inner>,
    /// As in `inner`.
    commits_shown: Arc<counter::AtomicU64>,
    /// Commits that nobody has published yet, in the order of their records (invariant 7).
    logged: Mutex<VecDeque<Logged>>,
    /// How many they are, for whoever takes a snapshot: nearly always none.
    logged_count: AtomicUsize,
    by_id: RwLock<HashMap<u64, Arc<Shared>, RandomState>>,
    settled: AtomicU64,
    expired_below: AtomicU64,
    /// Of a standby.
    late: Late,
    /// As in `inner`.
    definitions: AtomicU64,
}

/// How a transaction ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finished {
    /// Others may not tell of it before this is safe: the end of a synchronous commit's record, or, as far as it asked for less, what it rests on.
    Committed {
        /// What that is.
        wait_for: Basis,
    },
    /// Everything was put back.
    RolledBack,
}

impl TxnManager {
    /// A manager that hands out ids from `next` on.
    pub fn new(next: u64) -> Arc<TxnManager> {
        let next = next.max(1);
        let commits_shown = Arc::new(counter::AtomicU64::new(0));
        Arc::new(TxnManager {
            commits_shown: commits_shown.clone(),
            inner: Mutex::new(Inner {
                next,
                active: BTreeMap::new(),
                kept: VecDeque::new(),
                look_through_at: KEPT_MAX + OLD_BATCH,
                kept_whole: BTreeMap::new(),
                kept_ids: BTreeSet::new(),
                commits: 0,
                commits_shown,
                last_record: Lsn::ZERO,
                snapshots: BTreeMap::new(),
                replayed: Lsn::ZERO,
                published: Lsn::ZERO,
                expired_by_replay: 0,
                definitions: 0,
                ended_below: next,
                outcomes: Outcomes::new(next),
                unmet: Unmet::default(),
            }),
            logged: Mutex::default(),
            logged_count: AtomicUsize::new(0),
            by_id: RwLock::default(),
            settled: AtomicU64::new(next),
            expired_below: AtomicU64::new(0),
            late: Late::default(),
            definitions: AtomicU64::new(0),
        })
    }

    /// Registers a transaction (invariant 2). `log_end` gives the current end of the log, asked under the manager's lock.
    pub fn register(&self, undo: Box<dyn Any + Send + Sync>, log_end: impl FnOnce() -> Lsn) -> Arc<Shared> {
        let mut inner = self.inner.lock();
        let id = inner.next;
        assert!(id <= TxnId::MAX.0, "transaction ids are used up");
        inner.next += 1;
        inner.outcomes.begin(id);
        let shared = Arc::new(Shared::new(TxnId(id), log_end(), undo));
        inner.active.insert(id, shared.clone());
        self.by_id.write().insert(id, shared.clone());
        shared
    }

    /// The record of a commit has its place: called inside the reservation, so that the order here is the log's. From now on whoever finishes or takes a snapshot may
    /// publish it; `wait_for` as in [`Finished::Committed`].
    pub fn commit_logged(&self, shared: &Arc<Shared>, record: Lsn, wait_for: Basis) {
        shared.set_ended();
        let mut logged = self.logged.lock();
        logged.push_back(Logged { shared: shared.clone(), record, wait_for });
        self.logged_count.store(logged.len(), Ordering::SeqCst);
    }

    /// The next commit to publish. The queue keeps its memory: it is filled inside the reservation, where nothing is allocated that need not be. What stands at `log_end` or
    /// behind it is still inside: whoever saw it would wait for log that is none yet.
    fn next_logged(&self, own: Option<&Arc<Shared>>, log_end: Lsn) -> Option<Logged> {
        let mut logged = self.logged.lock();
        if logged.front().is_none_or(|l| l.record >= log_end) {
            return None;
        }
        let at = if planted("commits are published as their threads come") {
            logged.iter().position(|l| own.is_some_and(|own| Arc::ptr_eq(&l.shared, own)))?
        } else {
            0
        };
        let next = logged.remove(at);
        self.logged_count.store(logged.len(), Ordering::SeqCst);
        next
    }

    /// Makes the commits visible whose records have their places before `log_end` (invariant 7).
    fn publish_logged(&self, inner: &mut Inner, own: Option<&Arc<Shared>>, log_end: Lsn) {
        while let Some(l) = self.next_logged(own, log_end) {
            assert!(l.record > inner.last_record, "transactions invariant 7");
            inner.last_record = l.record;
            inner.publish(&l.shared, l.wait_for);
        }
    }

    /// Takes a transaction out of the active set, and before it all whose commits stand before its own in the log (invariant 7): nobody waits for a thread that does
    /// not get to it. `log_end`: the end of the log, asked behind its own record. Gives what became of others before it.
    pub fn finish(&self, shared: &Arc<Shared>, how: Finished, safe: Basis, log_end: Lsn) -> Ended {
        let mut inner = self.inner.lock();
        match how {
            Finished::Committed { wait_for } => {
                self.publish_logged(&mut inner, Some(shared), log_end);
                // One that has logged nothing is in no queue.
                if !shared.is_finished() {
                    inner.publish(shared, wait_for);
                }
            }
            Finished::RolledBack => {
                inner.leave(shared);
                self.by_id.write().remove(&shared.id.0);
                shared.finished.store(true, Ordering::SeqCst);
            }
        }
        self.settle(&mut inner, safe)
    }

    /// Lets go of finished transactions that every snapshot sees and whose commit may be told (invariant 3).
    pub fn let_go(&self, safe: Basis) -> Ended {
        self.settle(&mut self.inner.lock(), safe)
    }

    fn settle(&self, inner: &mut Inner, safe: Basis) -> Ended {
        let seen = inner.seen_by_all();
        self.late.let_go(seen);
        let mut ended = Ended::default();
        while let Some(t) = inner.kept.front() {
            if t.commit_number.load(Ordering::Relaxed) > seen || !t.commit_basis().is_within(safe) {
                break;
            }
            ended.gone.extend(inner.kept.pop_front());
        }
        while inner.kept_whole.keys().next().is_some_and(|number| *number <= seen) {
            ended.gone.extend(inner.kept_whole.pop_first().map(|(_, t)| t));
        }
        if inner.kept.len() >= inner.look_through_at {
            inner.look_through(seen, safe, &mut ended);
        }
        if !ended.gone.is_empty() {
            self.forget(inner, &ended.gone);
        }
        if inner.kept.len() >= KEPT_MAX + OLD_BATCH {
            while ended.old.len() < OLD_BATCH
                && inner.kept.front().is_some_and(|t| t.commit_basis().is_within(safe))
            {
                ended.old.extend(inner.kept.pop_front());
            }
        }
        let oldest_active = inner.active.keys().next().copied().unwrap_or(inner.next);
        let settled = inner.kept_ids.first().copied().unwrap_or(inner.next).min(oldest_active);
        self.settled.fetch_max(settled, Ordering::Release);
        ended
    }

    fn forget(&self, inner: &mut Inner, gone: &[Arc<Shared>]) {
        let mut by_id = self.by_id.write();
        for t in gone {
            inner.kept_ids.remove(&t.id.0);
            by_id.remove(&t.id.0);
        }
    }

    /// Takes back transactions that were handed out as old: `moved` are forgotten, for their undo is elsewhere now; `whole` stay.
    pub fn moved(&self, moved: &[Arc<Shared>], whole: Vec<Arc<Shared>>) {
        let mut inner = self.inner.lock();
        self.forget(&mut inner, moved);
        inner.kept_whole.extend(whole.into_iter().map(|t| (t.commit_number(), t)));
    }

    /// The newest commit that every snapshot sees, with all before it.
    pub fn seen_by_all(&self) -> u64 {
        self.inner.lock().seen_by_all()
    }

    /// Registers a transaction that was active when the log ended, so that recovery can undo it; it keeps the log from `first_lsn` on. Before anybody asks for others.
    pub fn register_loser(
        &self,
        loser: ActiveTxn,
        first_lsn: Lsn,
        undo: Box<dyn Any + Send + Sync>,
    ) -> Arc<Shared> {
        let ActiveTxn { id, first, last } = loser;
        let mut inner = self.inner.lock();
        assert!(id.0 < inner.next && !inner.active.contains_key(&id.0));
        let shared = Shared::new(id, first_lsn, undo);
        shared.last_lsn.store(last.0, Ordering::Relaxed);
        shared.first_record.store(first.0, Ordering::Relaxed);
        let shared = Arc::new(shared);
        inner.active.insert(id.0, shared.clone());
        self.by_id.write().insert(id.0, shared.clone());
        self.settled.fetch_min(id.0, Ordering::Release);
        shared
    }

    /// Ids below `next` may be met on pages: of transactions that ended before the log that a standby replays. Before anybody registers.
    pub fn raise_next(&self, next: u64) {
        let mut inner = self.inner.lock();
        inner.next = inner.next.max(next);
        inner.ended_below = inner.ended_below.max(next);
        self.settled.fetch_max(inner.next, Ordering::Release);
    }

    /// Registers a transaction that the log shows at work, on a standby; ids may come in any order (`late`). Before a change of it is applied.
    pub fn register_replayed(
        &self,
        id: TxnId,
        first_lsn: Lsn,
        undo: Box<dyn Any + Send + Sync>,
    ) -> Arc<Shared> {
        let shared = Arc::new(Shared::new(id, first_lsn, undo));
        let mut inner = self.inner.lock();
        inner.unmet.meet(id.0);
        if id.0 >= inner.next {
            let next = inner.next;
            inner.outcomes.begin_all(next, id.0);
            inner.next = id.0 + 1;
        } else {
            self.late.add(id.0);
            self.settled.fetch_min(id.0, Ordering::Release);
        }
        let before = inner.active.insert(id.0, shared.clone());
        assert!(before.is_none(), "a transaction begins once");
        self.by_id.write().insert(id.0, shared.clone());
        shared
    }

    /// The log has a transaction's end, before `end`, and all before it is applied, on a standby. `defines`: its commit changes definitions (see [`Snapshot::definitions`]). Gives
    /// what became of others before it.
    pub fn end_replayed(
        &self,
        shared: &Arc<Shared>,
        committed: bool,
        defines: bool,
        end: Lsn,
        safe: Basis,
    ) -> Ended {
        let mut inner = self.inner.lock();
        inner.ended_below = inner.ended_below.max(shared.id.0 + 1);
        if committed {
            inner.published = inner.published.max(end);
            inner.publish(shared, Basis { local: Lsn::ZERO, quorum: end });
            inner.definitions += u64::from(defines);
            self.definitions.store(inner.definitions, Ordering::Release);
            self.late.end(shared.id.0, inner.commits);
        } else {
            inner.leave(shared);
            inner.outcomes.set_rolled_back(shared.id.0);
            self.by_id.write().remove(&shared.id.0);
            shared.finished.store(true, Ordering::SeqCst);
            // A reader of now may have copied a version of it.
            self.late.end(shared.id.0, inner.commits + 1);
        }
        self.settle(&mut inner, safe)
    }

    /// The log says, on a standby, that of the ids below `below` without a record before only those in `open` may have one later.
    pub fn settle_unmet(&self, below: u64, open: &[u64]) {
        self.inner.lock().unmet.settle(below, open);
    }

    /// On a standby: ids below `end` of those that came late, or may still come, to who sees so many commits. An id goes from the latter to the former, so it is in one of them.
    pub(super) fn unseen(&self, end: u64, commits: u64) -> Option<Vec<u64>> {
        let inner = self.inner.lock();
        let mut unseen = inner.unmet.below(end)?;
        unseen.extend(self.late.hidden(end, commits));
        Some(unseen)
    }

    /// What became of a transaction, on a standby; `None`: that is not known. Whoever may still come is at work.
    pub fn replayed_status(&self, id: u64) -> Option<Status> {
        let inner = self.inner.lock();
        if id >= inner.next {
            Some(Status::NotYet)
        } else if inner.active.contains_key(&id) {
            Some(Status::Active)
        } else {
            let ended = inner.outcomes.of_met(id, inner.next);
            ended.or_else(|| inner.unmet.has(id).filter(|may_come| *may_come).map(|_| Status::Active))
        }
    }

    /// All before this place in the log was replayed, and its commits were published, on a standby.
    pub fn replayed(&self, at: Lsn) {
        self.inner.lock().replayed = at;
    }

    /// Not before anything that somebody may see, on a standby.
    pub fn replayed_at(&self) -> Lsn {
        let inner = self.inner.lock();
        inner.replayed.max(inner.published)
    }

    /// The place in the log behind which nothing may be taken away that was before, for the snapshots that are no older than `age_max`; on a standby.
    pub fn wanted_from(&self, age_max: Duration) -> Lsn {
        let inner = self.inner.lock();
        let wanted =
            inner.snapshots.values().find(|r| r.since.is_some_and(|since| since.elapsed() <= age_max));
        wanted.map_or(inner.replayed, |r| r.replayed)
    }

    /// Snapshots that were given up, on a standby, because replay took away what they needed.
    pub fn expired_by_replay(&self) -> u64 {
        self.inner.lock().expired_by_replay
    }

    /// Forgets every transaction, on a standby that nobody reads any more.
    pub fn forget_replayed(&self) {
        let mut inner = self.inner.lock();
        self.expired_below.store(u64::MAX, Ordering::SeqCst);
        inner.snapshots.clear();
        inner.active.clear();
        inner.kept.clear();
        inner.kept_whole.clear();
        inner.kept_ids.clear();
        self.by_id.write().clear();
    }

    /// Keeps what somebody elsewhere needs who sees so many commits, as a snapshot would, until [`TxnManager::unhold`].
    pub fn hold(&self, commits: u64) {
        self.inner.lock().register_snapshot(commits);
    }

    /// Ends a hold.
    pub fn unhold(&self, commits: u64) {
        self.unregister_snapshot(commits);
    }

    /// Gives up the snapshots that do not see the commit of this number; 0: those of now, and all before.
    pub fn expire_before(&self, commit: u64) {
        let mut inner = self.inner.lock();
        let commit = if commit == 0 { inner.commits + 1 } else { commit };
        if inner.snapshots.keys().next().is_some_and(|oldest| *oldest < commit) {
            self.expired_below.fetch_max(commit, Ordering::SeqCst);
            let kept = inner.snapshots.split_off(&commit);
            let gone = std::mem::replace(&mut inner.snapshots, kept);
            inner.expired_by_replay += gone.values().map(|r| r.count as u64).sum::<u64>();
        }
    }

    /// Commits that were replayed and changed definitions, as a snapshot of now has it.
    pub fn definitions(&self) -> u64 {
        self.definitions.load(Ordering::Acquire)
    }

    pub(super) fn late(&self) -> &Late {
        &self.late
    }

    /// A snapshot of now. It sees every commit whose record has its place before `log_end`, the end of the log: who replays the log may have told of one before its own thread
    /// gets to [`TxnManager::finish`] (invariant 7).
    pub fn snapshot(self: &Arc<Self>, log_end: Lsn) -> Arc<Snapshot> {
        let mut inner = self.inner.lock();
        if self.logged_count.load(Ordering::SeqCst) > 0 {
            self.publish_logged(&mut inner, None, log_end);
        }
        let commits = inner.commits;
        let (end, active) = (inner.next, inner.active.keys().copied().collect());
        let (definitions, ended_below) = (inner.definitions, inner.ended_below);
        if planted("a snapshot is known only after it was taken") {
            drop(inner);
            inner = self.inner.lock();
        }
        inner.register_snapshot(commits);
        drop(inner);
        Arc::new(Snapshot { manager: self.clone(), end, active, ended_below, commits, definitions })
    }

    pub(super) fn unregister_snapshot(&self, commits: u64) {
        let mut inner = self.inner.lock();
        let n = inner.snapshots.get_mut(&commits);
        match n {
            Some(r) if r.count == 1 => {
                inner.snapshots.remove(&commits);
            }
            Some(r) => r.count -= 1,
            None => {} // expired
        }
    }

    /// Gives up the oldest snapshots, those of one moment, unless nothing was committed since: their readers get `SnapshotTooOld`. True if there were any.
    pub fn expire_oldest_snapshots(&self) -> bool {
        let mut inner = self.inner.lock();
        let oldest = inner.seen_by_all();
        if oldest >= inner.commits {
            return false;
        }
        // First, so that whoever finds that something has gone finds out why.
        self.expired_below.fetch_max(oldest + 1, Ordering::SeqCst);
        inner.snapshots.remove(&oldest);
        true
    }

    pub(super) fn expired(&self, commits: u64) -> bool {
        commits < self.expired_below.load(Ordering::SeqCst)
    }

    /// Whether a transaction's versions are durable, and seen by everybody or moved; it may say no for a while after they are.
    pub fn is_settled(&self, id: TxnId) -> bool {
        id.0 < self.settled.load(Ordering::Acquire)
    }

    /// A transaction that is active or still kept whole. `None`: its versions are durable, and seen by everybody or moved.
    pub fn get(&self, id: TxnId) -> Option<Arc<Shared>> {
        if self.is_settled(id) {
            return None;
        }
        self.by_id.read().get(&id.0).cloned()
    }

    /// All that are active.
    pub fn active(&self) -> Vec<Arc<Shared>> {
        self.inner.lock().active.values().cloned().collect()
    }

    /// All that are active among those below the next id, and that id: of one moment, for a round record.
    pub fn active_below(&self) -> (Vec<Arc<Shared>>, u64) {
        let inner = self.inner.lock();
        (inner.active.values().cloned().collect(), inner.next)
    }

    /// The lowest id of an active transaction; the next id if there is none.
    pub fn oldest_active(&self) -> u64 {
        let inner = self.inner.lock();
        inner.active.keys().next().copied().unwrap_or(inner.next)
    }

    /// Whether nobody else is active.
    pub fn is_alone(&self, id: TxnId) -> bool {
        self.inner.lock().active.keys().all(|k| *k == id.0)
    }

    /// Lower bound of the first LSN of every active transaction; `end` if there is none.
    pub fn oldest_first_lsn(&self, end: Lsn) -> Lsn {
        self.inner.lock().active.values().map(|t| t.first_lsn).min().unwrap_or(end)
    }

    /// What became of a transaction of this start, not on a standby; `None`: that is no longer known.
    pub fn status(&self, id: u64) -> Option<Status> {
        let inner = self.inner.lock();
        if id >= inner.next {
            Some(Status::NotYet)
        } else if inner.active.contains_key(&id) {
            Some(Status::Active)
        } else {
            inner.outcomes.of(id, inner.next)
        }
    }

    /// The next id that would be handed out.
    pub fn next_id(&self) -> u64 {
        self.inner.lock().next
    }

    /// Number of commits. Takes no lock: who only looks holds up nobody.
    pub fn commits(&self) -> u64 {
        self.commits_shown.load(Ordering::Acquire)
    }
}
