//! Purge: removing delete-marked entries that nobody can see, and freeing what the pending tree names.
//!
//! A page that cannot be read, or a file that cannot be removed, keeps those waiting who need it, and nobody else: what fails so is set aside, and tried again
//! when there is nothing else to do, or at the next start. It is dead: nobody misses it meanwhile.
//!
//! Pending row: key = transaction id and sequence (big-endian); value = kind, then for `CHAIN`: tree varint, first block varint; for `DROP`:
//! tree varint, then the root's block in the file of the tree of trees, varint, if it is there.

use super::handle::Txn;
use super::history;
use super::undo_entry::Entry;
use super::{PENDING, Store, TREES, log_undo};
use crate::base::codec::Reader;
use crate::base::sync::Ordering;
use crate::base::{Error, FileId, Lsn, PageId, Result, TreeId, TxnId};
use crate::btree::entry::{self, flag};
use crate::btree::{Tree, is_sparse};
use crate::mtr::{Mtr, record_bound};
use crate::page::{Op, Page};
use crate::space::{FileSpace, remove_dropped};
use crate::txn::{Ended, Interrupt, Shared};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// A pending row that names an overflow chain.
pub(super) const CHAIN: u8 = 1;
/// A pending row that names a dropped tree.
pub(super) const DROP: u8 = 2;

/// Files that go together.
const DROPPED_MAX: usize = 256;

/// A transaction has marked rows deleted.
const OWES_DELETES: u8 = 1;
/// It has rows in the pending tree.
const OWES_PENDING: u8 = 2;
/// Transactions that wait by themselves; those behind them are put together.
const QUEUE_MAX: usize = 256;

/// A dropped tree that is closed: the record that its file goes is in the log. Pending as before until the file has gone.
pub(super) struct Dropped {
    /// Where that record ends.
    end: Lsn,
    tree: Arc<Tree>,
    root: Option<u32>,
    /// Of its pending row.
    key: Vec<u8>,
    after: TxnId,
}

/// What there is to purge.
#[derive(Clone)]
pub(super) enum Owed {
    /// After one transaction.
    Transaction(Arc<Shared>),
    /// After many.
    Many(Arc<history::Owed>),
}

fn gone(after: TxnId) -> Vec<u8> {
    let mut note = Vec::new();
    log_undo::gone(after, &mut note);
    note
}

impl Owed {
    fn is(&self, other: &Owed) -> bool {
        match (self, other) {
            (Owed::Transaction(a), Owed::Transaction(b)) => Arc::ptr_eq(a, b),
            (Owed::Many(a), Owed::Many(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn transactions(&self) -> usize {
        match self {
            Owed::Transaction(_) => 1,
            Owed::Many(chunk) => chunk.transactions,
        }
    }
}

/// What a vacuum did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VacuumStats {
    /// Live entries met.
    pub entries: u64,
    /// Dead entries removed.
    pub purged: u64,
    /// Dead entries that a snapshot may still need.
    pub kept: u64,
    /// Blocks cut off the file's end.
    pub blocks_cut: u32,
}

/// Trees that a crash may have left dead entries in: the undo that would name them is gone.
#[derive(Default)]
pub(super) struct Sweeps {
    /// Not opened since. Reading them all at a start would cost more than the entries do.
    unopened: HashSet<TreeId>,
    due: VecDeque<Sweep>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sweep {
    Tree(TreeId),
    /// All pending rows.
    Pending,
}

impl Sweeps {
    pub(super) fn opened(&mut self, tree: TreeId) {
        if self.unopened.remove(&tree) {
            self.due.push_back(Sweep::Tree(tree));
        }
    }

    fn pending(&mut self) {
        if !self.due.contains(&Sweep::Pending) {
            self.due.push_back(Sweep::Pending);
        }
    }
}

impl Store {
    /// Has each of these trees swept by [`Store::sweep_step`], once it is in use.
    pub fn sweep_when_opened(&self, trees: impl IntoIterator<Item = TreeId>) {
        let open = self.trees.read();
        let mut sweeps = self.sweeps.lock();
        sweeps.unopened.extend(trees);
        let mut opened: Vec<TreeId> = open.keys().copied().collect();
        opened.sort_unstable(); // simulations want the same order each time
        opened.into_iter().for_each(|tree| sweeps.opened(tree));
    }

    /// Sweeps a tree that a crash may have left dead entries in; false if none is due.
    pub fn sweep_step(&self) -> Result<bool> {
        if self.is_past_wanted() {
            return Ok(false);
        }
        let Some(next) = self.sweeps.lock().due.pop_back() else { return Ok(false) };
        let swept = match next {
            Sweep::Tree(tree) => self.sweep(tree, None).map(drop),
            Sweep::Pending => self.purge_all_pending(),
        };
        match swept {
            Ok(()) | Err(Error::NoSuchTree(_)) => Ok(true),
            Err(e) => {
                self.sweeps.lock().due.push_front(next); // behind all others
                Err(e)
            }
        }
    }

    /// Notes what there will be to purge after a transaction that is about to commit.
    pub(super) fn will_owe(&self, shared: &Shared, deletes: bool, pending: bool) {
        if deletes || pending {
            let owes = if deletes { OWES_DELETES } else { 0 } | if pending { OWES_PENDING } else { 0 };
            shared.owes.store(owes, Ordering::Relaxed);
            self.owing.fetch_add(1, Ordering::SeqCst);
        }
        Txn::undo_log(shared).keep_for_snapshots(true);
    }

    /// Lets go of what nobody needs any more, and moves what only old snapshots need to where it can be spilled.
    pub fn let_go(&self) {
        self.settle(self.txns.let_go(self.env.horizon.safe()));
    }

    pub(super) fn settle(&self, ended: Ended) {
        for t in ended.gone.into_iter().filter(|t| t.owes.load(Ordering::Relaxed) != 0) {
            // A long queue may be spilled, too.
            if self.to_purge.lock().len() < QUEUE_MAX || !self.move_to_history(&t) {
                Txn::undo_log(&t).keep_for_snapshots(false);
                self.to_purge.lock().push_back(Owed::Transaction(t));
            }
        }
        if !ended.old.is_empty() {
            let (moved, whole): (Vec<_>, Vec<_>) =
                ended.old.into_iter().partition(|t| self.move_to_history(t));
            for undo in whole.iter().map(|t| Txn::undo_log(t)) {
                undo.seal();
                undo.keep_for_snapshots(true);
            }
            self.txns.moved(&moved, whole);
        }
        if !self.history.is_empty() {
            let owed = self.history.let_go(self.txns.seen_by_all());
            self.to_purge.lock().extend(owed.into_iter().map(|o| Owed::Many(Arc::new(o))));
        }
    }

    /// False for a transaction with so much undo that it keeps it by itself.
    fn move_to_history(&self, t: &Shared) -> bool {
        let owes = t.owes.load(Ordering::Relaxed);
        let txn = history::Moved {
            id: t.id,
            commit: t.commit_number(),
            deletes: owes & OWES_DELETES != 0,
            pending: owes & OWES_PENDING != 0,
        };
        let kept =
            Txn::undo_log(t).with_small(history::SMALL_BYTES_MAX, |entries| self.history.add(&txn, entries));
        // What it had deleted it has taken back: there is nothing to purge.
        if kept == Some(false) && owes != 0 {
            self.owing.fetch_sub(1, Ordering::SeqCst);
        }
        kept.is_some()
    }

    /// Keeps undo within its limits: what is too much for memory is spilled, and what is too much to spill for snapshots goes with the oldest of them.
    pub(super) fn relieve(&self) {
        let spilled = self.undo.spill().inspect_err(|e| tracing::warn!("undo stays in memory: {e}"));
        while (spilled.is_err() && self.undo.is_short_of_memory()) || self.undo.snapshots_keep_too_much() {
            if !self.txns.expire_oldest_snapshots() {
                return;
            }
            self.let_go();
        }
    }

    /// Readers of standbys may want what transactions of before this start have deleted, until [`Store::past_is_free`].
    pub fn past_is_wanted(&self) {
        self.wanted_below.store(self.txns.next_id(), Ordering::SeqCst);
        self.purge_pending_later();
    }

    /// Has all pending rows looked at by [`Store::sweep_step`].
    pub fn purge_pending_later(&self) {
        self.sweeps.lock().pending();
    }

    /// Whether they may.
    pub fn is_past_wanted(&self) -> bool {
        self.wanted_below.load(Ordering::SeqCst) > 0
    }

    /// They do not, or not any more.
    pub fn past_is_free(&self) {
        self.wanted_below.store(0, Ordering::SeqCst);
    }

    /// Whether a committed transaction is not seen by everybody, or not durable; or has not committed.
    pub(super) fn is_needed(&self, id: TxnId) -> bool {
        if id.0 < self.wanted_below.load(Ordering::SeqCst) {
            return true;
        }
        // In this order: it is in the history before the manager forgets it.
        self.txns.get(id).is_some() || self.history.has(id)
    }

    /// Purges after transactions that are done for everybody: the purge thread's step. Gives the number of things handled. What fails for a page or a file of its
    /// own is set aside, and fails here only when there is nothing else to do.
    pub fn purge_step(&self, max: usize) -> Result<usize> {
        let done = self.purge_some(max);
        match (done, self.end_drops()) {
            (Ok(done), Err(e)) if done > 0 && e.is_local() => Ok(done),
            (done, removed) => removed.and(done),
        }
    }

    fn purge_some(&self, max: usize) -> Result<usize> {
        self.let_go();
        self.undo.trim();
        for done in 0..max {
            let Some(owed) = self.to_purge.lock().front().cloned() else {
                return if done > 0 { Ok(done) } else { self.purge_aside() };
            };
            let failed = match self.purge_after(&owed) {
                Ok(()) => false,
                Err(e) if e.is_local() => true,
                Err(e) => return Err(e),
            };
            // Only now: after an error it is tried again from the beginning, which does no harm. Somebody else may have been as far.
            let mut queue = self.to_purge.lock();
            if queue.front().is_some_and(|o| o.is(&owed)) {
                queue.pop_front();
                if failed {
                    self.aside.lock().push(owed);
                } else {
                    self.owing.fetch_sub(owed.transactions(), Ordering::SeqCst);
                }
            }
        }
        Ok(max)
    }

    /// Tries again what was set aside. The first error is told.
    fn purge_aside(&self) -> Result<usize> {
        let (mut done, mut first) = (0, None);
        let again = std::mem::take(&mut *self.aside.lock());
        for owed in again {
            match self.purge_after(&owed) {
                Ok(()) => {
                    self.owing.fetch_sub(owed.transactions(), Ordering::SeqCst);
                    done += 1;
                }
                Err(e) => {
                    self.aside.lock().push(owed);
                    first.get_or_insert(e);
                }
            }
        }
        first.map_or(Ok(done), Err)
    }

    /// Transactions after which something could not be purged.
    pub fn set_aside_purges(&self) -> usize {
        self.aside.lock().iter().map(Owed::transactions).sum()
    }

    fn purge_after(&self, owed: &Owed) -> Result<()> {
        match owed {
            Owed::Transaction(shared) => {
                // A chunk at a time: a transaction may have deleted more than fits into memory.
                for chunk in 0.. {
                    let Some(entries) = Txn::undo_log(shared).chunk(chunk)? else { break };
                    for e in entries {
                        if let Entry::Change { delete: true, key, .. } = e.entry {
                            self.purge_entry(e.tree, &key, Some((shared.id, e.seq)))?;
                        }
                    }
                }
                self.purge_pending(&shared.id.0.to_be_bytes())
            }
            Owed::Many(chunk) => chunk.each(
                |txn, tree, key, seq| self.purge_entry(tree, key, Some((txn, seq))).map(drop),
                |txn| self.purge_pending(&txn.0.to_be_bytes()),
            ),
        }
    }

    /// Committed transactions after which there is something to purge, now or once no snapshot needs it.
    pub fn purge_backlog(&self) -> usize {
        self.owing.load(Ordering::SeqCst)
    }

    /// Removes a dead entry if it is still the one meant and nobody can see it. A tree that is gone is no error.
    fn purge_entry(&self, tree_id: TreeId, key: &[u8], expect: Option<(TxnId, u32)>) -> Result<bool> {
        match self.purge_entry_of(tree_id, key, expect) {
            Err(Error::NoSuchTree(_)) => Ok(false),
            other => other,
        }
    }

    fn purge_entry_of(&self, tree_id: TreeId, key: &[u8], expect: Option<(TxnId, u32)>) -> Result<bool> {
        let tree = self.tree(tree_id)?;
        let promise = self.env.wal.promise(record_bound(1, 128))?;
        let descent = tree.space.descend()?;
        let (mut page, slot) = tree.leaf_for_write(&self.env, key)?;
        let Ok(at) = slot else { return Ok(false) };
        let head = entry::parse(Page(&page).item(at))?.head;
        let meant = expect.is_none_or(|(txn, seq)| (head.txn, head.seq) == (txn, seq));
        if !meant || !head.has(flag::DELETED) || self.is_needed(head.txn) {
            return Ok(false);
        }
        let mut m = Mtr::new();
        m.page(&mut page).op(Op::Remove { from: at, to: at + 1 });
        self.env.commit_with(m, None, &gone(head.txn), &|_| {})?;
        let sparse = is_sparse(&page);
        drop((page, descent, promise));
        if sparse {
            self.tidy_up(&tree, key)?;
        }
        Ok(true)
    }

    /// Carries out the pending rows whose key begins with `prefix` and that everybody sees. One that fails for a page or a file of its own keeps none behind it; the
    /// first error is told in the end.
    fn purge_pending(&self, prefix: &[u8]) -> Result<()> {
        let (mut from, mut first) = (prefix.to_vec(), None);
        loop {
            let next = self.next_pending(&from)?.filter(|(key, ..)| key.starts_with(prefix));
            let Some((key, head, value)) = next else { return first.map_or(Ok(()), Err) };
            from.clone_from(&key);
            from.push(0);
            if self.is_needed(head.txn) || head.has(flag::DELETED) {
                continue;
            }
            match self.carry_out(&key, &value, head.txn) {
                Err(e) if e.is_local() => _ = first.get_or_insert(e),
                done => done?,
            }
        }
    }

    /// Carries out all pending rows that everybody sees.
    pub fn purge_all_pending(&self) -> Result<()> {
        let done = self.purge_pending(&[]);
        self.end_drops().and(done)
    }

    /// Removes the files of dropped trees: all with one flush of the log and one sync of their folder. What fails is tried again by the next call, or at the next start.
    fn end_drops(&self) -> Result<()> {
        let mut first = self.try_to_remove_undone_files();
        let dropped = std::mem::take(&mut *self.dropped.lock());
        let Some(end) = dropped.iter().map(|d| d.end).max() else { return first };
        let files: Vec<FileId> = dropped.iter().map(|d| d.tree.space.file()).collect();
        let together = remove_dropped(&self.env, &files, end);
        for d in dropped {
            // One that cannot be removed keeps no other.
            let removed = match &together {
                Ok(()) => Ok(()),
                Err(_) => self.remove_file_of(&d.tree, Some(d.end)),
            };
            if let Err(e) = removed.and_then(|()| self.end_drop(&d)) {
                self.dropped.lock().push(d);
                first = first.and(Err(e));
            }
        }
        first
    }

    /// The creation of a file's tree was undone, and the record that the file goes ends at `end`: it goes with others, at the latest when the rollback ends (rollback invariant 3).
    pub(super) fn file_is_undone(&self, file: FileId, end: Lsn) -> Result<()> {
        let are_many = {
            let mut all = self.undone_files.lock();
            all.push((file, end));
            all.len() >= DROPPED_MAX
        };
        if are_many { self.remove_undone_files() } else { Ok(()) }
    }

    /// Removes them. What cannot be removed is tried again by purge, or at the next start, and keeps no rollback: only a poisoned engine is an error.
    pub(super) fn remove_undone_files(&self) -> Result<()> {
        match self.try_to_remove_undone_files() {
            Err(e @ Error::Poisoned(_)) => Err(e),
            Err(e) => {
                tracing::warn!("files of tables whose creation was rolled back are not given back yet: {e}");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// With one flush of the log and one sync of their folder.
    fn try_to_remove_undone_files(&self) -> Result<()> {
        let all = std::mem::take(&mut *self.undone_files.lock());
        let Some(end) = all.iter().map(|(_, end)| *end).max() else { return Ok(()) };
        let files: Vec<FileId> = all.iter().map(|(file, _)| *file).collect();
        remove_dropped(&self.env, &files, end).inspect_err(|_| self.undone_files.lock().extend(all))
    }

    /// Of one whose file has gone, if it had one.
    fn end_drop(&self, dropped: &Dropped) -> Result<()> {
        let trees = self.tree(TREES)?;
        self.remove_pending(&dropped.key, dropped.root.map(|root| (&*trees, root)), dropped.after)?;
        self.forget_tree(&dropped.tree);
        Ok(())
    }

    /// Carries out a pending row, of the transaction `after`.
    fn carry_out(&self, key: &[u8], value: &[u8], after: TxnId) -> Result<()> {
        let mut r = Reader::new(value, "pending row");
        let (kind, tree) = (r.u8()?, TreeId(r.varint()?));
        match kind {
            CHAIN => self.free_chain(key, tree, r.varint_max(u32::MAX as usize)? as u32, after),
            DROP => {
                let root = match r.is_empty() {
                    true => None,
                    false => Some(r.varint_max(u32::MAX as usize)? as u32),
                };
                if self.dropped.lock().iter().any(|d| d.key == key) {
                    return Ok(());
                }
                let (tree, logged) = self.close_tree(tree, root, after, None)?;
                let dropped =
                    Dropped { end: logged.unwrap_or_default(), tree, root, key: key.to_vec(), after };
                if logged.is_none() {
                    return self.end_drop(&dropped);
                }
                let are_many = {
                    let mut all = self.dropped.lock();
                    all.push(dropped);
                    all.len() >= DROPPED_MAX
                };
                if are_many { self.end_drops() } else { Ok(()) }
            }
            _ => Err(r.bad("unknown kind")),
        }
    }

    #[allow(clippy::type_complexity)] // key, head, value of one row
    fn next_pending(&self, from: &[u8]) -> Result<Option<(Vec<u8>, entry::Head, Vec<u8>)>> {
        let tree = self.tree(PENDING)?;
        let _descent = tree.space.descend()?;
        let mut at = from.to_vec();
        loop {
            let leaf = tree.leaf_from(&self.env, &at)?;
            let p = Page(&leaf.page);
            if leaf.from < p.slot_count() {
                let item = entry::parse(p.item(leaf.from))?;
                return Ok(Some((item.key.to_vec(), item.head, item.value.to_vec())));
            }
            match p.high() {
                Some(high) => at = high.to_vec(),
                None => return Ok(None),
            }
        }
    }

    fn free_chain(&self, pending_key: &[u8], tree_id: TreeId, head: u32, after: TxnId) -> Result<()> {
        let rest = self.tree(tree_id).and_then(|tree| {
            let _visit = tree.space.visit()?;
            self.free_chain_rest(&tree, head, after, None)?;
            self.remove_pending(pending_key, Some((&tree, head)), after)
        });
        match rest {
            Err(Error::NoSuchTree(id)) if id == tree_id => self.remove_pending(pending_key, None, after),
            other => other,
        }
    }

    /// Removes a pending row, in the same record as the last block that it stands for (store invariant 7): the first page of its chain, the root of its
    /// tree. `after`: whose commit it carries out.
    fn remove_pending(
        &self,
        key: &[u8],
        last: Option<(&crate::btree::Tree, u32)>,
        after: TxnId,
    ) -> Result<()> {
        let pending = self.tree(PENDING)?;
        let promise = self.env.wal.promise(record_bound(3, 256))?;
        let descent = pending.space.descend()?;
        let (mut page, slot) = pending.leaf_for_write(&self.env, key)?;
        let Ok(at) = slot else { return Ok(()) };
        let mut maps = match last {
            Some((tree, block)) => {
                debug_assert_eq!(
                    Page(&self.env.pool.read(PageId::new(tree.space.file(), block))?).right(),
                    0,
                    "the rest was freed first"
                );
                tree.space.latch_maps(&self.env, &[block])?
            }
            None => Vec::new(),
        };
        let mut m = Mtr::new();
        m.page(&mut page).op(Op::Remove { from: at, to: at + 1 });
        if let Some((tree, block)) = last {
            FileSpace::mark(&mut m, &mut maps, &[block], false);
            tree.space.quarantine(block);
        }
        self.env.commit_with(m, None, &gone(after), &|_| {})?;
        let sparse = is_sparse(&page);
        drop((page, maps, descent, promise));
        if sparse {
            self.tidy_up(&pending, key)?;
        }
        Ok(())
    }

    /// Sweeps a whole tree for dead entries, then trims the file's free tail.
    pub fn vacuum(&self, tree_id: TreeId, interrupt: Option<&Interrupt>) -> Result<VacuumStats> {
        let mut stats = self.sweep(tree_id, interrupt)?;
        stats.blocks_cut = self.tree(tree_id)?.space.trim(&self.env)?;
        Ok(stats)
    }

    /// Looks at every entry of a tree and removes the dead ones: finds what a crash left, whose undo is gone. `Canceled` soon after `interrupt` says so.
    pub fn sweep(&self, tree_id: TreeId, interrupt: Option<&Interrupt>) -> Result<VacuumStats> {
        self.let_go();
        let tree = self.tree(tree_id)?;
        let mut stats = VacuumStats::default();
        let mut at: Option<Vec<u8>> = Some(Vec::new());
        while let Some(key) = at {
            if interrupt.is_some_and(Interrupt::is_canceled) {
                return Err(Error::Canceled);
            }
            let mut dead = Vec::new();
            let padded;
            {
                let _descent = tree.space.descend()?;
                let leaf = tree.leaf_from(&self.env, &key)?;
                let p = Page(&leaf.page);
                for slot in leaf.from..p.slot_count() {
                    let item = entry::parse(p.item(slot))?;
                    if !item.head.has(flag::DELETED) {
                        stats.entries += 1;
                    } else if self.is_needed(item.head.txn) {
                        stats.kept += 1;
                    } else {
                        dead.push(item.key.to_vec());
                    }
                }
                padded = self.has_reclaimable(&leaf.page)?;
                at = p.high().map(<[u8]>::to_vec);
            }
            if padded {
                self.reclaim(&tree, &key)?;
            }
            for key in dead {
                stats.purged += u64::from(self.purge_entry(tree_id, &key, None)?);
            }
        }
        Ok(stats)
    }
}
