//! A transaction's own state.

use super::Store;
use super::undo::UndoLog;
use crate::base::clock;
use crate::base::sync::{Ordering, planted};
use crate::base::{Basis, Error, Lsn, Result, TreeId, TxnId};
use crate::btree::entry::{Head, flag};
use crate::txn::{Call, Finished, Interrupt, Shared, Snapshot, SnapshotIds, Status, Ticket};
use crate::wal::record::{self, Kind, TxnLink};
use crate::wal::{Horizon, Level};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Log bytes promised with the first write: commit or abort record, and the beginning of a rollback.
pub(super) const FIRST_PROMISE_BYTES: u64 = 1024;

/// What a transaction sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// Each statement sees what had committed when it began.
    #[default]
    ReadCommitted,
    /// The whole transaction sees what had committed at its first statement; a conflict is `SerializationFailure`.
    RepeatableRead,
}

/// When a commit counts: `synchronous_commit`. Where no standbys are asked, all but `Async` are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// At once; a crash may lose the last moments (the log writer flushes every `wal_writer_delay`).
    Async,
    /// When its record is on stable storage here; a failover may lose it.
    Local,
    /// When, besides, the standbys that are asked have handed it to their operating systems.
    RemoteWrite,
    /// When it is on their stable storage as well.
    #[default]
    Sync,
    /// When their readers see it, too.
    RemoteApply,
}

impl Durability {
    /// What standbys have to have done with what somebody of this kind is told, his own commits aside that ask for none.
    pub fn level(self) -> Level {
        match self {
            Durability::RemoteWrite => Level::Written,
            Durability::RemoteApply => Level::Applied,
            Durability::Async | Durability::Local | Durability::Sync => Level::Durable,
        }
    }
}

/// How to begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TxnOptions {
    /// What it sees.
    pub isolation: Isolation,
    /// When its commit counts.
    pub durability: Durability,
    /// Refuses writes.
    pub read_only: bool,
}

/// A place to roll back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Savepoint {
    /// Own writes with this sequence or a later one are undone.
    pub(super) seq: u32,
    /// How many row locks had been taken; None: they stay.
    pub(super) locks: Option<usize>,
}

impl Savepoint {
    /// Whether less was changed there than at `other`, which is the same transaction's.
    pub fn is_before(self, other: Savepoint) -> bool {
        self.seq < other.seq
    }
}

/// What a statement sees, kept for a later one.
#[derive(Clone)]
pub struct Moment(Arc<Snapshot>);

impl Moment {
    /// Whether it sees what the transaction wrote.
    pub(super) fn sees(&self, id: TxnId) -> bool {
        self.0.sees(id)
    }

    /// Fails once the versions that it needs may be gone.
    pub(super) fn check_age(&self) -> Result<()> {
        if self.0.is_too_old() { Err(Error::SnapshotTooOld) } else { Ok(()) }
    }
}

/// What a statement sees, own changes included, kept for reads that come later in its transaction.
#[derive(Clone)]
pub struct Sight {
    snapshot: Arc<Snapshot>,
    statement_seq: u32,
}

/// The statement that an inner one interrupts.
pub(crate) struct Outer {
    options: TxnOptions,
    snapshot: Option<Arc<Snapshot>>,
    statement_seq: u32,
    rechecked: HashMap<TreeId, Rechecked>,
    waits_outside: bool,
}

/// Keys and the version of each that was handed out: writer and its sequence.
type Rechecked = HashMap<Box<[u8]>, (TxnId, u32)>;

/// A transaction at work. Dropping it without an end is a bug of the engine facade, which rolls back.
pub struct Txn {
    pub(super) options: TxnOptions,
    pub(super) shared: Option<Arc<Shared>>,
    pub(super) snapshot: Option<Arc<Snapshot>>,
    /// Own versions with this sequence or a later one belong to the current statement and are not seen by it.
    pub(super) statement_seq: u32,
    pub(super) observed: Basis,
    /// As `observed`, for who tells only of keys (invariant 4).
    observed_keys: Basis,
    /// What own versions may rest on although no answer has waited for it.
    derived: Basis,
    pub(super) interrupt: Option<Arc<Interrupt>>,
    pub(super) lock_timeout: Option<Duration>,
    /// The current statement may wait outside, and does.
    pub(super) waits_outside: bool,
    pub(super) queued: Option<Ticket>,
    /// Newest committed versions handed to the caller for re-evaluation in this statement: they may be written although the
    /// snapshot does not see them.
    pub(super) rechecked: HashMap<TreeId, Rechecked>,
    /// Wrote or locked something that only the log knows.
    pub(super) logged: bool,
    pub(super) deletes: bool,
    pub(super) pending: bool,
    /// Its changes from this one on were to be undone, and could not be: it can only go back.
    pub(super) half_way: Option<(u32, Error)>,
}

impl Txn {
    /// Under READ COMMITTED, lets go of the statement's snapshot: the next read takes a new one.
    pub fn release_snapshot(&mut self) {
        if self.options.isolation == Isolation::ReadCommitted {
            self.snapshot = None;
        }
    }

    /// As [`Snapshot::oldest`], of the snapshot that it has.
    pub fn snapshot_oldest(&self) -> Option<u64> {
        self.snapshot.as_ref().map(|s| s.oldest())
    }

    /// Begins. Nothing is registered before the first statement.
    pub fn new(options: TxnOptions) -> Txn {
        Txn {
            options,
            shared: None,
            snapshot: None,
            statement_seq: 0,
            observed: Basis::NONE,
            observed_keys: Basis::NONE,
            derived: Basis::NONE,
            interrupt: None,
            lock_timeout: None,
            waits_outside: false,
            queued: None,
            rechecked: HashMap::new(),
            logged: false,
            deletes: false,
            pending: false,
            half_way: None,
        }
    }

    /// Its id, after the first write or row lock.
    pub fn id(&self) -> Option<TxnId> {
        self.shared.as_ref().map(|s| s.id)
    }

    /// Views see the id with its session.
    pub(super) fn show_id(&self, id: Option<TxnId>) {
        if let Some(i) = &self.interrupt {
            i.set_transaction(id);
        }
    }

    /// What must be safe before anything this transaction learned is told.
    pub fn observed(&self) -> Basis {
        self.observed
    }

    /// Blocks until what it has learned may be told, or it is canceled.
    pub fn wait_until_told(&self, horizon: &Horizon) -> Result<()> {
        let is_canceled = || self.interrupt.as_ref().is_some_and(|i| i.is_canceled());
        horizon.wait(self.observed, self.level(), &is_canceled)
    }

    /// Who may cancel its waits.
    pub fn interrupt(&self) -> Option<Arc<Interrupt>> {
        self.interrupt.clone()
    }

    /// What standbys have to have done with it.
    pub fn level(&self) -> Level {
        self.options.durability.level()
    }

    /// As its snapshot has it ([`Snapshot::definitions`]); `None` without one.
    pub fn definitions(&self) -> Option<u64> {
        self.snapshot.as_ref().map(|s| s.definitions())
    }

    /// Sets who may cancel its waits.
    pub fn set_interrupt(&mut self, i: Option<Arc<Interrupt>>) {
        self.interrupt = i;
    }

    /// Bounds its lock waits.
    pub fn set_lock_timeout(&mut self, t: Option<Duration>) {
        self.lock_timeout = t;
    }

    /// Whether the statement that begins waits for row locks outside, as long as it has changed nothing.
    pub fn set_waits_outside(&mut self, yes: bool) {
        self.waits_outside = yes;
    }

    /// Whether a statement waits outside.
    pub fn is_waiting_outside(&self) -> bool {
        self.queued.is_some()
    }

    /// Changes when its commit counts.
    pub fn set_durability(&mut self, d: Durability) {
        self.options.durability = d;
    }

    /// The answer to what was done since `observed` was `since` depends on the rows' keys only, not on their other columns: it need not
    /// wait for updates that left the keys alone. What this transaction wrote may rest on such updates; reading it back waits for them.
    pub fn told_keys_only(&mut self, since: Basis) {
        self.derived = self.derived.max(self.observed);
        self.observed = self.observed_keys.max(since);
    }

    /// Something is about to be read: whatever is found rests on that (horizon invariant 4).
    pub(super) fn rest_on(&mut self, floor: Basis) {
        self.observed = self.observed.max(floor);
        self.observed_keys = self.observed_keys.max(floor);
    }

    /// Another's committed version was met (invariant 4). If it was committed asynchronously, only what it rests on is to be waited for.
    pub(super) fn observe(&mut self, writer: &Shared, head: Head) {
        let basis = writer.commit_basis();
        self.observed = self.observed.max(basis);
        let keys_changed = head.has(flag::INSERTED | flag::DELETED | flag::KEY_CHANGED);
        self.observed_keys = self.observed_keys.max(if keys_changed { basis } else { writer.keys_basis() });
    }

    /// An own version was met.
    pub(super) fn observe_own(&mut self) {
        self.observed = self.observed.max(self.derived);
    }

    pub(super) fn check_interrupt(&self) -> Result<()> {
        match &self.interrupt {
            Some(i) if i.is_canceled() => Err(Error::Canceled),
            _ => Ok(()),
        }
    }

    /// Fails once somebody else has taken the transaction, to roll it back. Asked after reading, too: what was read may lack own writes then. So may what one reads that is half
    /// undone.
    pub(super) fn check_not_taken(&self) -> Result<()> {
        match (&self.shared, &self.half_way) {
            (Some(s), _) if s.is_taken() => Err(Error::LogPinnedTooLong),
            (_, Some((_, e))) => Err(e.clone()),
            _ => Ok(()),
        }
    }

    pub(super) fn undo_log(shared: &Shared) -> &UndoLog {
        shared.undo.downcast_ref().expect("undo of this layer")
    }

    /// A place for a call to go back to, should it fail: locks stay.
    pub fn savepoint(&self) -> Savepoint {
        Savepoint { seq: self.shared.as_ref().map_or(1, |s| Txn::undo_log(s).next_seq()), locks: None }
    }

    /// Changes that a rollback would undo one by one.
    pub fn changes(&self) -> u64 {
        u64::from(self.savepoint().seq - 1)
    }

    /// As `changes`, of those since the savepoint.
    pub fn changes_since(&self, sp: Savepoint) -> u64 {
        u64::from(self.savepoint().seq.saturating_sub(sp.seq))
    }
}

impl Store {
    /// A savepoint here.
    pub fn savepoint(&self, t: &Txn) -> Savepoint {
        Savepoint { locks: Some(t.id().map_or(0, |id| self.locks.taken(id))), ..t.savepoint() }
    }

    /// Begins a statement: a new snapshot under READ COMMITTED, and own earlier writes become visible.
    pub fn begin_statement(&self, t: &mut Txn) {
        if t.snapshot.is_none() || t.options.isolation == Isolation::ReadCommitted {
            t.snapshot = None; // unregister first: it may be the oldest
            t.snapshot = Some(self.txns.snapshot(self.env.wal.next_lsn()));
        }
        t.statement_seq = t.savepoint().seq;
        t.rechecked.clear();
    }

    /// As `begin_statement`, for a call that is a statement of its own: a snapshot that misses no commit stays.
    pub fn begin_step(&self, t: &mut Txn) {
        match &t.snapshot {
            Some(s) if s.commits() == self.txns.commits() => {
                t.statement_seq = t.savepoint().seq;
                t.rechecked.clear();
            }
            _ => self.begin_statement(t),
        }
    }

    /// What the current statement sees.
    pub fn moment(&self, t: &mut Txn) -> Result<Moment> {
        self.snapshot(t).map(Moment)
    }

    /// Begins a statement that sees what another one of the transaction saw, and own earlier writes.
    pub fn begin_statement_at(&self, t: &mut Txn, moment: &Moment) {
        t.snapshot = Some(moment.0.clone());
        t.statement_seq = t.savepoint().seq;
        t.rechecked.clear();
    }

    /// What the current statement sees, own changes included.
    pub fn sight(&self, t: &mut Txn) -> Result<Sight> {
        let statement_seq = t.statement_seq;
        let snapshot = self.snapshot(t)?;
        t.statement_seq = statement_seq; // as the statement began, also if its snapshot was let go of meanwhile
        Ok(Sight { snapshot, statement_seq })
    }

    /// Interrupts the statement by an inner one that sees what an earlier statement saw, or, in every isolation, all that is committed now and all own
    /// changes. It waits for locks inside the call: what the outer one has done cannot be taken back.
    pub(crate) fn begin_inner(&self, t: &mut Txn, sight: Option<&Sight>) -> Outer {
        let outer = Outer {
            options: t.options,
            snapshot: t.snapshot.take(),
            statement_seq: t.statement_seq,
            rechecked: std::mem::take(&mut t.rechecked),
            waits_outside: std::mem::replace(&mut t.waits_outside, false),
        };
        match sight {
            Some(s) => (t.snapshot, t.statement_seq) = (Some(s.snapshot.clone()), s.statement_seq),
            None => {
                t.options.isolation = Isolation::ReadCommitted;
                self.begin_statement(t);
            }
        }
        outer
    }

    /// The statement goes on that was interrupted.
    pub(crate) fn end_inner(&self, t: &mut Txn, outer: Outer) {
        t.options = outer.options;
        t.snapshot = outer.snapshot;
        t.statement_seq = outer.statement_seq;
        t.rechecked = outer.rechecked;
        t.waits_outside = outer.waits_outside;
    }

    pub(super) fn snapshot(&self, t: &mut Txn) -> Result<Arc<Snapshot>> {
        if t.snapshot.is_none() {
            self.begin_statement(t);
        }
        t.rest_on(self.env.horizon.floor());
        let s = t.snapshot.clone().expect("a statement has begun");
        if s.is_too_old() { Err(Error::SnapshotTooOld) } else { Ok(s) }
    }

    /// Registers the transaction if need be: it is going to write or lock. As long as the call lasts, nobody else ends it.
    pub(super) fn register(&self, t: &mut Txn) -> Result<Call> {
        self.env.wal.poison().check()?;
        if let Some(e) = self.must_roll_back(t) {
            return Err(e);
        }
        if let Some(s) = &t.shared {
            return s.begin_call().ok_or(Error::LogPinnedTooLong);
        }
        if let Some(why) = self.writes_refused.get() {
            return Err(Error::ReadOnlyDatabase(why.clone()));
        }
        self.snapshot(t)?; // before the id, which its own snapshot need not list
        let promise = self.env.wal.promise(FIRST_PROMISE_BYTES)?;
        let undo = Box::new(UndoLog::new(self.undo.clone()));
        undo.reserve.add(promise.keep());
        let shared = self.txns.register(undo, || self.env.wal.next_lsn());
        t.statement_seq = 1;
        // Nobody can have taken it: it has logged nothing, so it pins nothing.
        let call = shared.begin_call().expect("a new transaction is its owner's");
        t.shared = Some(shared);
        t.show_id(Some(call.id));
        Ok(call)
    }

    /// The transaction's id, given now if need be.
    pub fn assign_id(&self, t: &mut Txn) -> Result<TxnId> {
        let _call = self.register(t)?;
        Ok(t.id().expect("registered"))
    }

    /// What the statement sees, told by ids. Whoever is told of it will keep it, so it rests on all log up to now: after a crash no id below its end is given out again.
    pub fn snapshot_ids(&self, t: &mut Txn) -> Result<SnapshotIds> {
        let ids = self.snapshot(t)?.ids();
        t.rest_on(Basis::all(self.env.wal.next_lsn()));
        Ok(ids)
    }

    /// The same on a standby; `None`: the log has not said yet who may still come.
    pub fn replayed_ids(&self, t: &mut Txn) -> Result<Option<SnapshotIds>> {
        let ids = self.snapshot(t)?.replayed_ids();
        t.rest_on(self.all_replayed());
        Ok(ids)
    }

    /// What became of a transaction, as far as a standby has met it.
    pub fn replayed_status(&self, t: &mut Txn, id: u64) -> Option<Status> {
        let status = self.txns.replayed_status(id);
        t.rest_on(self.all_replayed());
        status
    }

    fn all_replayed(&self) -> Basis {
        Basis { local: Lsn::ZERO, quorum: self.txns.replayed_at() }
    }

    /// What became of a transaction; who is told of it need not fear that it was lost.
    pub fn status_of(&self, t: &mut Txn, id: u64) -> Option<Status> {
        let status = self.txns.status(id);
        t.rest_on(Basis::all(self.env.wal.next_lsn()));
        status
    }

    /// The link of the transaction's next record.
    pub(super) fn link(shared: &Shared) -> TxnLink {
        let (first, last) = (shared.first_record(), shared.last_lsn());
        let prev = if last == Lsn::ZERO { 0 } else { last.0 - first.0 + 1 };
        TxnLink { id: shared.id, prev, undo_next: None }
    }

    /// As `link`, for its last record, from which nobody goes back.
    pub(super) fn last_link(shared: &Shared) -> TxnLink {
        TxnLink { id: shared.id, prev: 0, undo_next: None }
    }

    /// Commits up to the point where everybody sees it; gives what must be safe before anybody is told.
    pub fn commit_visible(&self, t: &mut Txn) -> Result<Basis> {
        t.snapshot = None;
        let Some(shared) = t.shared.take() else {
            self.let_go();
            return Ok(t.observed);
        };
        let Some(_call) = shared.begin_call() else {
            t.show_id(None);
            return Err(Error::LogPinnedTooLong); // rolled back already, or this very moment
        };
        let _whole = self.env.wal.poison().on_panic("a commit");
        let durability = t.options.durability;
        let sync = durability != Durability::Async;
        // A commit that asks for less may be lost, but what others are told of it must not outlive what it rests on.
        let rests_on = t.observed.max(t.derived);
        let with_record = |end: Lsn, rest: Basis| match durability {
            Durability::Async => rest,
            Durability::Local => Basis { local: end, ..rest },
            Durability::RemoteWrite | Durability::Sync | Durability::RemoteApply => Basis::all(end),
        };
        let mut wait_for = t.observed;
        // Before the record: from then on somebody else may publish it (transactions invariant 7).
        self.will_owe(&shared, t.deletes, t.pending);
        shared.set_keys_basis(t.observed_keys);
        if t.logged {
            let mut body = Vec::with_capacity(32);
            record::put_head(&mut body, Kind::Commit, Some(Store::last_link(&shared)), &[]);
            crate::base::codec::put_varint(&mut body, clock::wall_ms());
            let bytes = record::framed_len(body.len()) as u64;
            let reserved = |at: Lsn| {
                self.txns.commit_logged(&shared, at, with_record(Lsn(at.0 + bytes), rests_on));
            };
            match self.env.log(&body, &reserved) {
                Ok((_, end)) => {
                    if sync {
                        self.env.wal.commit_logged();
                        wait_for = with_record(end, t.observed);
                    }
                }
                Err(e) => {
                    // Poisoned: whether it committed is for recovery to say (it did not).
                    t.shared = Some(shared);
                    return Err(e);
                }
            }
        }
        self.leave(&shared, Finished::Committed { wait_for: rests_on });
        t.show_id(None);
        Ok(wait_for)
    }

    /// Leaves the active set, releases locks and promises, and lets go of what nobody needs.
    pub(super) fn leave(&self, shared: &Arc<Shared>, how: Finished) {
        let early = planted("locks are released before the end is seen");
        if early {
            self.locks.release_all(shared.id);
        }
        let ended = self.txns.finish(shared, how, self.env.horizon.safe(), self.env.wal.next_lsn());
        if !early {
            self.locks.release_all(shared.id);
        }
        self.release_reserve(shared);
        self.settle(ended);
        self.relieve();
    }

    /// Why the transaction can only roll back: the disk is full and it pins log, or it is half undone.
    pub fn must_roll_back(&self, t: &Txn) -> Option<Error> {
        if t.shared.as_ref().is_some_and(|s| s.doomed.load(Ordering::Relaxed)) {
            return Some(Error::LogPinnedTooLong);
        }
        t.half_way.as_ref().map(|(_, e)| e.clone())
    }
}
