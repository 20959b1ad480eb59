//! What an application holds: a transaction, a cursor, the future of a commit.

use super::core::Core;
use super::savepoints::{Savepoint, Savepoints};
use crate::base::{Basis, Error, Lsn, Result, TreeId};
use crate::store::{self, Direction, Durability, KeyRange, Locked, MayPass, Moment, Sight, Txn, Write};
use crate::txn::{Interrupt, LockMode, SnapshotIds, Status, WaitPolicy};
use crate::wal::{Level, Waiting};
use std::future::Future;
use std::ops::Bound;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// A transaction. Used by one thread at a time; dropping it rolls it back.
///
/// It sees its own changes. Each call is a statement of its own: under READ COMMITTED it sees what is committed when it begins, under REPEATABLE READ what was when the
/// first one did. Who needs several calls that see the same, and not what they change, begins statements ([`Transaction::begin_statement`]).
///
/// Every call is atomic: if it fails, nothing of it remains, and the transaction can go on (but where a page cannot be read that is to be changed back:
/// then it can only be rolled back; after an error that [`Error::is_retryable`] it should be
/// rolled back and tried again; after `Poisoned` nothing helps but a restart).
///
/// Reads never wait for locks. What they return may rest on a commit that is not on stable storage yet; by default the call waits for it,
/// so that nothing an application learns can be lost. [`Transaction::defer_durability`] leaves that wait to the caller.
pub struct Transaction {
    core: Arc<Core>,
    txn: Option<Txn>,
    deferred: bool,
    /// Each call is a statement of its own: the caller has begun none.
    steps: bool,
    /// Trees that it keeps from being dropped.
    kept: Vec<TreeId>,
    /// What `begin_newest` has put aside.
    aside: Option<store::Outer>,
    savepoints: Savepoints,
}

/// The statement that an inner one interrupts, see [`Transaction::begin_inner`].
pub struct Interrupted(store::Outer);

impl Transaction {
    pub(super) fn new(core: Arc<Core>, txn: Txn) -> Transaction {
        core.open.begin();
        Transaction {
            core,
            txn: Some(txn),
            deferred: false,
            steps: true,
            kept: Vec::new(),
            aside: None,
            savepoints: Savepoints::default(),
        }
    }

    fn txn(&mut self) -> &mut Txn {
        self.txn.as_mut().expect("a transaction that has ended cannot be reached")
    }

    fn on_tree<R>(&mut self, tree: TreeId, f: impl FnOnce(&Core, &mut Txn) -> Result<R>) -> Result<R> {
        if tree < store::FIRST_USER_TREE {
            return Err(Error::NoSuchTree(tree)); // the engine's own
        }
        self.call(f)
    }

    /// A call about rows of a tree.
    fn on_rows<R>(&mut self, tree: TreeId, f: impl FnOnce(&Core, &mut Txn) -> Result<R>) -> Result<R> {
        let steps = self.steps;
        self.on_tree(tree, |c, t| {
            if steps {
                c.store.begin_step(t);
            }
            f(c, t)
        })
    }

    /// A call that changes rows of a tree: which is there, and stays until the transaction has ended. Who begins statements sees to that himself, as SQL does by its table locks.
    fn on_changed<R>(&mut self, tree: TreeId, f: impl FnOnce(&Core, &mut Txn) -> Result<R>) -> Result<R> {
        if self.steps && tree > store::FIRST_USER_TREE && !self.kept.contains(&tree) {
            self.call(|c, t| c.store.keep_tree(t, tree))?;
            self.kept.push(tree);
        }
        self.on_rows(tree, f)
    }

    /// Runs a call, then waits for the durability of what it met (store invariant 4), also when it failed: the error tells something too. A wait that fails takes back what the
    /// call did.
    fn call<R>(&mut self, f: impl FnOnce(&Core, &mut Txn) -> Result<R>) -> Result<R> {
        self.core.check_open()?;
        let txn = self.txn.as_mut().expect("a transaction that has ended cannot be reached");
        if self.deferred {
            return f(&self.core, txn);
        }
        let before = txn.savepoint();
        let result = f(&self.core, txn);
        if let Err(e) = txn.wait_until_told(&self.core.env.horizon) {
            if result.is_ok() && txn.changes_since(before) > 0 {
                self.core.store.rollback_to(txn, before)?;
            }
            return Err(e);
        }
        result
    }

    /// Leaves the wait for the durability of what calls return to the caller: nothing may be told to anybody before
    /// `Database::wait_told(observed(), …)`. For servers that answer in batches.
    pub fn defer_durability(&mut self) {
        self.deferred = true;
    }

    /// Its id: given with the first write or row lock.
    pub fn id(&self) -> Option<u64> {
        self.txn.as_ref().and_then(Txn::id).map(|i| i.0)
    }

    /// Its id, given now if it has none. That changes nothing: its commit leaves no trace in the log.
    pub fn assign_id(&mut self) -> Result<u64> {
        self.call(|c, t| c.store.assign_id(t)).map(|id| id.0)
    }

    /// What the current statement sees, told by ids, so that it can be kept and asked later, after a crash or a failover too. `None` on a standby whose log has not
    /// said yet who may still come: no round record was met since its start.
    pub fn snapshot_ids(&mut self) -> Result<Option<SnapshotIds>> {
        if self.core.primary.is_none() {
            return self.call(|c, t| c.store.replayed_ids(t));
        }
        self.call(|c, t| c.store.snapshot_ids(t)).map(Some)
    }

    /// What became of a transaction, by its id. `None`: it is not known any more, as of transactions before the last start, or, on a standby, of those that changed nothing.
    pub fn status_of(&mut self, id: u64) -> Result<Option<Status>> {
        if self.core.primary.is_none() {
            return self.call(|c, t| Ok(c.store.replayed_status(t, id)));
        }
        self.call(|c, t| Ok(c.store.status_of(t, id)))
    }

    /// Whoever has an id below this had ended when the snapshot was taken that it has now. `None`: it has none.
    pub fn snapshot_oldest(&self) -> Option<u64> {
        self.txn.as_ref().and_then(Txn::snapshot_oldest)
    }

    /// Names who may cancel its waits and long scans.
    pub fn set_interrupt(&mut self, i: Option<Arc<Interrupt>>) {
        self.txn().set_interrupt(i);
    }

    /// Bounds each wait for a lock; `None` = wait for ever.
    pub fn set_lock_timeout(&mut self, d: Option<Duration>) {
        self.txn().set_lock_timeout(d);
    }

    /// Changes when its commit counts.
    pub fn set_durability(&mut self, d: Durability) {
        self.txn().set_durability(d);
    }

    /// Whether the statement that begins now may wait for row locks outside of the call: then, as long as it has changed nothing, a call
    /// that would have to wait fails with `WaitsOutside`, its place in the queue is kept, and the session's interrupt is nudged
    /// (`Interrupt::set_on_nudge`) once `wait_is_over` has something to say. After that the same call is made again, in the same statement: it finds the
    /// row locked and perhaps changed. No effect with a lock timeout or without such an interrupt.
    pub fn set_waits_outside(&mut self, yes: bool) {
        self.steps &= !yes;
        self.txn().set_waits_outside(yes);
    }

    /// Whether a wait outside has ended, and the lock is held; true without one. An error ends the wait: canceled, or rolled back by the engine.
    pub fn wait_is_over(&mut self) -> Result<bool> {
        self.call(|c, t| c.store.wait_is_over(t))
    }

    /// Whether a statement waits outside.
    pub fn is_waiting_outside(&self) -> bool {
        self.txn.as_ref().is_some_and(Txn::is_waiting_outside)
    }

    /// Begins a statement of several calls. READ COMMITTED takes a new snapshot; in every isolation own writes made so far are seen by the reads that follow,
    /// and own writes made later are not before the next statement: who changes rows while he reads them meets each once. From the first call of this to the end of the
    /// transaction statements are the caller's; before it each call is a statement of its own.
    pub fn begin_statement(&mut self) {
        self.steps = false;
        let txn = self.txn.as_mut().expect("a transaction that has ended cannot be reached");
        self.core.store.begin_statement(txn);
    }

    /// What the current statement sees, for one that begins later and is to see the same.
    pub fn moment(&mut self) -> Result<Moment> {
        self.steps = false;
        self.call(|c, t| c.store.moment(t))
    }

    /// Begins a statement as [`Transaction::begin_statement`] does, that sees of others what an earlier one, of this transaction or of another, saw.
    pub fn begin_statement_at(&mut self, moment: &Moment) {
        self.steps = false;
        let core = self.core.clone();
        core.store.begin_statement_at(self.txn(), moment);
    }

    /// What the current statement sees, own changes included, for [`Transaction::within`].
    pub fn sight(&mut self) -> Result<Sight> {
        self.steps = false;
        self.call(|c, t| c.store.sight(t))
    }

    /// Runs calls as a statement of their own in the midst of the current one, which goes on behind it as if there had been none: it does not see what they
    /// write. With a `sight` they see what that has; without one they see, in every isolation, what is committed now and all own changes, and a
    /// change of what is newer than the transaction's snapshot is none that it fails for.
    pub fn within<R>(&mut self, sight: Option<&Sight>, f: impl FnOnce(&mut Transaction) -> R) -> R {
        let interrupted = self.begin_inner(sight);
        let result = f(self);
        self.end_inner(interrupted);
        result
    }

    /// [`Transaction::within`] for whose calls stand in no closure: the inner statement lasts until [`Transaction::end_inner`].
    #[must_use = "the statement that is interrupted goes on by it"]
    pub fn begin_inner(&mut self, sight: Option<&Sight>) -> Interrupted {
        self.steps = false;
        let core = self.core.clone();
        Interrupted(core.store.begin_inner(self.txn(), sight))
    }

    /// The statement goes on that [`Transaction::begin_inner`] interrupted.
    pub fn end_inner(&mut self, interrupted: Interrupted) {
        let core = self.core.clone();
        core.store.end_inner(self.txn(), interrupted.0);
    }

    /// Until `end_newest` the transaction is as one of READ COMMITTED: its statements see what is committed when they begin, and what is newer than its own
    /// snapshot may be changed. What it has changed it sees later, too. For who changes definitions: those are always the newest, and so must be the rows that
    /// they are made for.
    pub fn begin_newest(&mut self) {
        if self.aside.is_none() {
            self.steps = false;
            let core = self.core.clone();
            self.aside = Some(core.store.begin_inner(self.txn(), None));
        }
    }

    /// The transaction's own snapshot counts again, from the statement on that begins next.
    pub fn end_newest(&mut self) {
        if let Some(outer) = self.aside.take() {
            let core = self.core.clone();
            core.store.end_inner(self.txn(), outer);
        }
    }

    /// Under READ COMMITTED, lets go of the statement's snapshot until something is read: a statement that may run for long and reads nothing keeps no old
    /// versions from being purged.
    pub fn release_snapshot(&mut self) {
        self.txn().release_snapshot();
    }

    /// The value of a key.
    pub fn get(&mut self, tree: TreeId, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.on_rows(tree, |c, t| c.store.get(t, tree, key))
    }

    /// The transaction that wrote a row as the current statement sees it; `is_newest`, and of a row that it does not see: as the row is.
    pub fn writer_of(&mut self, tree: TreeId, key: &[u8], is_newest: bool) -> Result<Option<u64>> {
        self.on_tree(tree, |c, t| c.store.writer_of(t, tree, key, is_newest)).map(|id| id.map(|id| id.0))
    }

    /// A cursor over a range, with the current statement's view.
    pub fn cursor(&mut self, tree: TreeId, range: KeyRange, direction: Direction) -> Result<Cursor> {
        self.on_rows(tree, |c, t| {
            let rows = c.store.cursor(t, tree, range, direction)?;
            Ok(Cursor { rows, of: c.serial })
        })
    }

    /// Inserts a row. Waits for an undecided writer of the same key. A live entry is `DuplicateKey`.
    pub fn insert(&mut self, tree: TreeId, key: &[u8], value: &[u8]) -> Result<()> {
        self.on_changed(tree, |c, t| c.store.insert(t, tree, key, value))
    }

    /// Fills a tree that this transaction has created, and that is empty, in one go; a rollback to a savepoint that is younger than the tree does not take that back: `next` gives ascending keys and their values, and false at the end.
    /// The entries have no versions: nobody else may read the tree before the commit. A key that does not come behind the last is `DuplicateKey`. After
    /// an error the tree is as empty as before.
    pub fn fill(&mut self, tree: TreeId, next: &mut store::NextEntry<'_>) -> Result<()> {
        self.on_tree(tree, |c, t| c.store.fill(t, tree, next))
    }

    /// As `fill`, in several calls: each takes all that `next` gives. The tree is empty until [`Transaction::end_filling`]. After an error, or if it is not
    /// ended, the transaction has to be rolled back to where the tree was not there. Values may be as long as those of inserts.
    pub fn fill_on(&mut self, filling: &mut store::Filling, next: &mut store::NextEntry<'_>) -> Result<()> {
        self.on_tree(filling.tree(), |c, t| c.store.fill_on(t, filling, next))
    }

    /// Ends what `fill_on` has begun: the tree has its entries.
    pub fn end_filling(&mut self, filling: store::Filling) -> Result<()> {
        self.on_tree(filling.tree(), |c, t| c.store.end_filling(t, filling))
    }

    /// Updates the row that the statement sees; waits for an undecided writer. `lock` is `Update` if rows that reference this one must not exist,
    /// else `NoKeyUpdate`.
    pub fn update(&mut self, tree: TreeId, key: &[u8], value: &[u8], lock: LockMode) -> Result<Write> {
        if lock < LockMode::NoKeyUpdate {
            return Err(Error::InvalidArgument("an update locks NoKeyUpdate or Update".into()));
        }
        self.on_changed(tree, |c, t| c.store.update(t, tree, key, value, lock))
    }

    /// Deletes the row that the statement sees; waits for an undecided writer. [`Transaction::remove`] does whatever became of it.
    pub fn delete(&mut self, tree: TreeId, key: &[u8]) -> Result<Write> {
        self.on_changed(tree, |c, t| c.store.delete(t, tree, key))
    }

    /// Inserts a row or overwrites its newest version. Waits for an undecided writer of the same key, without limit unless there is a lock timeout.
    pub fn put(&mut self, tree: TreeId, key: &[u8], value: &[u8]) -> Result<()> {
        self.on_changed(tree, |c, t| c.store.put_row(t, tree, key, value))
    }

    /// Deletes a row's newest version, as `put` overwrites it; waits as `put` does. False: there is none.
    pub fn remove(&mut self, tree: TreeId, key: &[u8]) -> Result<bool> {
        self.on_changed(tree, |c, t| c.store.remove_row(t, tree, key))
    }

    /// Locks a row until the transaction ends.
    pub fn lock(&mut self, tree: TreeId, key: &[u8], mode: LockMode, wait: WaitPolicy) -> Result<Locked> {
        self.on_rows(tree, |c, t| c.store.lock(t, tree, key, mode, wait))
    }

    /// Whether the version of a row that the statement sees is the newest there is, with nobody about to change it. Takes no lock, waits for nobody.
    pub fn is_unchanged(&mut self, tree: TreeId, key: &[u8]) -> Result<bool> {
        self.on_rows(tree, |c, t| c.store.is_unchanged(t, tree, key))
    }

    /// Keys of rows from `at` to `end` whose newest versions an earlier moment, perhaps of another transaction, does not see: made, changed or taken away since, or about
    /// to be. Some `max` of them; `at` goes on to where to look next, and is `None` at the end.
    pub fn changed_since(
        &mut self,
        tree: TreeId,
        moment: &Moment,
        at: &mut Option<Bound<Vec<u8>>>,
        end: &[u8],
        max: usize,
    ) -> Result<Vec<Vec<u8>>> {
        self.on_tree(tree, |c, t| c.store.changed_since(t, tree, moment, (at, end), max))
    }

    /// The newest version of a row, whether the statement sees it or not: own ones, and what others have committed. An undecided writer is waited for first.
    /// Takes no lock, and waits for none.
    pub fn newest(&mut self, tree: TreeId, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.on_rows(tree, |c, t| c.store.newest(t, tree, key))
    }

    /// Waits until nobody else holds a lock of a row that stands against `mode`, if somebody does, and takes none: others may come the next moment.
    pub fn wait_for_holders(&mut self, tree: TreeId, key: &[u8], mode: LockMode) -> Result<()> {
        self.on_rows(tree, |c, t| c.store.wait_for_holders(t, tree, key, mode))
    }

    /// Fails with `SerializationFailure` if the statement does not see the newest committed version of a row. `waits`: an undecided writer is waited for
    /// first.
    pub fn check_newest(&mut self, tree: TreeId, key: &[u8], waits: bool) -> Result<()> {
        self.on_rows(tree, |c, t| c.store.check_newest(t, tree, key, waits))
    }

    /// The tree of this name, which is made if there is none; then it goes away if the transaction rolls back. Who comes at the same time waits.
    pub fn open_tree(&mut self, name: &str) -> Result<TreeId> {
        self.call(|c, t| c.store.tree_by_name(t, name))
    }

    /// The trees that have names, in their order.
    pub fn tree_names(&mut self) -> Result<Vec<(String, TreeId)>> {
        self.call(|c, t| c.store.tree_names(t))
    }

    /// Creates a tree without a name: the caller keeps its number. It goes away if the transaction rolls back; nobody else may use it before the commit.
    pub fn create_tree(&mut self) -> Result<TreeId> {
        self.call(|c, t| c.store.create_tree(t))
    }

    /// Drops a tree, and its name; its space is freed once the commit is seen by every snapshot. Waits for those who have changed it; who wants to meanwhile waits for the end of
    /// this transaction, and gets `NoSuchTree` then, under REPEATABLE READ `SerializationFailure`. Not so transactions that begin statements: the caller keeps those from it, as what they
    /// commit to it goes with it.
    pub fn drop_tree(&mut self, tree: TreeId) -> Result<()> {
        self.on_tree(tree, |c, t| c.store.drop_tree(t, tree))
    }

    /// On a standby: how many commits that its snapshot sees changed definitions since the standby's start (`Options::with_definitions`). `None` without a snapshot.
    pub fn definitions(&self) -> Option<u64> {
        self.txn.as_ref().and_then(Txn::definitions)
    }

    /// Changes that a rollback would undo one by one.
    pub fn changes(&self) -> u64 {
        self.txn.as_ref().map_or(0, |t| t.changes())
    }

    /// As `changes`, of those since the savepoint; 0: there is no such place any more.
    pub fn changes_since(&self, sp: Savepoint) -> u64 {
        match (&self.txn, self.savepoints.place(sp)) {
            (Some(t), Ok(place)) => t.changes_since(place),
            _ => 0,
        }
    }

    /// A place to roll back to.
    pub fn savepoint(&mut self) -> Savepoint {
        let core = self.core.clone();
        let place = core.store.savepoint(self.txn());
        self.savepoints.make(place)
    }

    /// Undoes everything since the savepoint. Row locks taken since are given back, or are as strong again as they were. After an error of some page or file the
    /// transaction can do nothing but try that again, go back farther, or roll back. `InvalidArgument`: the savepoint is another transaction's, or this one has gone back to before it; nothing
    /// was undone.
    pub fn rollback_to(&mut self, sp: Savepoint) -> Result<()> {
        self.core.check_open()?;
        let sp = match self.savepoints.place(sp) {
            Ok(place) => place,
            // Of one that is stuck on its way back it is told why.
            Err(e) => return Err(self.core.clone().store.must_roll_back(self.txn()).unwrap_or(e)),
        };
        if self.txn().changes_since(sp) > 0 {
            self.savepoints.go_back(sp);
        }
        self.kept.clear();
        self.call(|c, t| {
            let _undoing = c.open.undoes();
            c.store.rollback_to(t, sp)
        })
    }

    /// What its calls met that may not be safe yet.
    pub fn observed(&self) -> Basis {
        self.txn.as_ref().map_or(Basis::NONE, Txn::observed)
    }

    /// What standbys have to have done with what it tells.
    pub fn level(&self) -> Level {
        self.txn.as_ref().map_or(Level::default(), Txn::level)
    }

    /// Says that the answer to what was done since `observed` was `since` depends on the rows' keys only: on which keys there are, not on
    /// the values. An update without key changes may then still be on its way to the disk when the answer leaves. Needs [`Transaction::defer_durability`].
    pub fn told_keys_only(&mut self, since: Basis) {
        self.txn().told_keys_only(since);
    }

    /// Commits and waits until the commit is as safe as its `Durability` says. Gives the LSN behind it. On `Poisoned` the transaction may or may not have been committed when
    /// the database is opened again, on `InDoubt` it has been here, and a failover may lose it: the wait for standbys was canceled, or the database was closed meanwhile. On any
    /// other error it has not been committed.
    pub fn commit(mut self) -> Result<Lsn> {
        let txn = self.txn();
        let (interrupt, level, has_changed) = (txn.interrupt(), txn.level(), txn.id().is_some());
        let basis = self.make_visible()?;
        let is_canceled = || interrupt.as_ref().is_some_and(|i| i.is_canceled());
        match self.core.env.horizon.wait(basis, level, &is_canceled) {
            Err(Error::Canceled | Error::Closed) if has_changed => Err(Error::InDoubt),
            waited => waited.map(|()| basis.newest()),
        }
    }

    /// Commits without the wait: everybody sees it when this returns, and it is safe once `Database::wait_told` of what is given returns. Nobody
    /// may be told before.
    pub fn commit_visible(mut self) -> Result<Basis> {
        self.make_visible()
    }

    /// Commits; the future resolves when the commit is as safe as its `Durability` says. The log is flushed by the log writer thread, or ganged with others'.
    pub fn commit_async(mut self) -> CommitFuture {
        let level = self.txn().level();
        let basis = self.make_visible();
        CommitFuture { core: self.core.clone(), basis, level, waiting: None }
    }

    fn make_visible(&mut self) -> Result<Basis> {
        let core = self.core.clone();
        // Of a standby nothing is committed, also when it has ended.
        if core.primary.is_some() {
            core.check_open()?;
        }
        let txn = self.txn();
        if let Some(e) = core.store.must_roll_back(txn) {
            core.store.rollback(txn)?;
            return Err(e);
        }
        let basis = core.store.commit_visible(txn)?;
        self.txn = None;
        core.end_transaction();
        Ok(basis)
    }

    /// Rolls back. An error poisons the engine, but for `Closed`: the database was closed meanwhile. Recovery then finishes the rollback. Where a page cannot be read that is to be
    /// changed back, it is tried again later, and this is no error; what the transaction has changed stays locked until then.
    pub fn rollback(mut self) -> Result<()> {
        self.undo()
    }

    fn undo(&mut self) -> Result<()> {
        let Some(mut txn) = self.txn.take() else { return Ok(()) };
        let undoing = self.core.open.undoes();
        let undone = self.core.store.rollback(&mut txn);
        drop(txn);
        self.core.end_transaction();
        drop(undoing);
        undone
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        match self.undo() {
            Ok(()) => {}
            Err(e @ Error::Closed) => {
                tracing::debug!("a dropped transaction is rolled back by the next start: {e}")
            }
            Err(e) => tracing::error!("rolling back a dropped transaction failed: {e}"),
        }
    }
}

impl std::fmt::Debug for Transaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transaction").field("id", &self.id()).finish_non_exhaustive()
    }
}

/// A position in a tree. Holds the snapshot of the statement that made it, until it is dropped; no latch, no pin.
pub struct Cursor {
    rows: store::Cursor,
    /// The database that it is of.
    of: u64,
}

impl Cursor {
    /// The next visible row, key and value, valid until the next call. `txn`: the transaction that made it; another one of the same database may be given only as long as that one had changed nothing
    /// then.
    pub fn next(&mut self, txn: &mut Transaction) -> Result<Option<(&[u8], &[u8])>> {
        self.next_tested(txn, None)
    }

    /// As `next`, and rows whose values the test is sure not to want may be passed over, which spares copying them: not all of them are, as that takes settled rows whose values lie in their
    /// entries. The test is asked under a latch: see [`MayPass`].
    pub fn next_passing(
        &mut self,
        txn: &mut Transaction,
        test: MayPass<'_>,
    ) -> Result<Option<(&[u8], &[u8])>> {
        self.next_tested(txn, Some(test))
    }

    /// How many rows tests have passed over since this was asked last.
    pub fn take_passed_over(&mut self) -> u64 {
        self.rows.take_passed_over()
    }

    #[inline]
    fn next_tested(
        &mut self,
        txn: &mut Transaction,
        test: Option<MayPass<'_>>,
    ) -> Result<Option<(&[u8], &[u8])>> {
        let Transaction { core, txn, deferred, .. } = txn;
        core.check_open()?;
        let t = txn.as_mut().expect("a transaction that has ended cannot be reached");
        if self.of != core.serial {
            return Err(Error::InvalidArgument("a cursor is its database's".into()));
        }
        if self.rows.own().is_some_and(|own| t.id() != Some(own)) {
            return Err(Error::InvalidArgument("a cursor is its transaction's".into()));
        }
        let is_there = self.rows.advance(&core.store, t, test)?;
        if !*deferred && let Err(e) = t.wait_until_told(&core.env.horizon) {
            if is_there {
                self.rows.step_back();
            }
            return Err(e);
        }
        Ok(is_there.then(|| self.rows.row()))
    }
}

impl Cursor {
    /// The row that `next` gave last, until it is called again.
    pub fn row(&self) -> Option<(&[u8], &[u8])> {
        self.rows.current()
    }
}

impl std::fmt::Debug for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cursor").finish_non_exhaustive()
    }
}

/// Resolves when a commit is safe; see [`Transaction::commit_async`].
pub struct CommitFuture {
    core: Arc<Core>,
    basis: Result<Basis>,
    level: Level,
    waiting: Option<Waiting>,
}

impl std::fmt::Debug for CommitFuture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommitFuture").field("basis", &self.basis).finish_non_exhaustive()
    }
}

impl Future for CommitFuture {
    type Output = Result<Lsn>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Lsn>> {
        let basis = match &self.basis {
            Ok(basis) => *basis,
            Err(e) => return Poll::Ready(Err(e.clone())),
        };
        let horizon = self.core.env.horizon.clone();
        // Without a log writer thread nobody else would flush.
        if self.core.has_threads && !horizon.wake_when_flushed(basis, cx.waker()) {
            return Poll::Pending;
        }
        self.waiting = horizon.wake_when_told(basis, self.level, cx.waker());
        if self.waiting.is_some() {
            return Poll::Pending;
        }
        Poll::Ready(match horizon.wait(basis, self.level, &|| false) {
            Err(Error::Closed) => Err(Error::InDoubt),
            waited => waited.map(|()| basis.newest()),
        })
    }
}
