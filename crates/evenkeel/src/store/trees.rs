//! Creating, dropping and finding trees.

use super::handle::Txn;
use super::overflow::GivenBack;
use super::reserve::IMAGE_BYTES;
use super::undo::UndoLog;
use super::undo_entry::EntryRef;
use super::{
    Direction, FIRST_USER_TREE, KeyRange, Locked, PENDING, SYSTEM_TREES, Store, TREES, Write, log_undo,
    overflow, purge,
};
use crate::base::codec::{Reader, put_varint};
use crate::base::sync::Ordering;
use crate::base::{Error, Lsn, PageId, Result, TreeId, TxnId};
use crate::btree::entry::{self, Head, LEAF_HEAD_BYTES};
use crate::btree::{Bulk, MAX_ITEM_BYTES, Parts, Tree, find_leaf};
use crate::mtr::{Mtr, record_bound};
use crate::page::{Kind, Op, Page};
use crate::space::{FileSpace, map_of, remove_dropped};
use crate::txn::{ActiveTxn, LockMode, Shared, WaitPolicy};
use std::collections::HashMap;
use std::sync::Arc;

/// Log bytes for undoing a creation, the image of a map page aside: the drop of its file, and the record that frees its root.
pub(super) const TREE_BYTES: u64 = 512;

/// What keys of names in the tree of trees begin with; those of numbers are eight bytes long.
const TREE_NAME: &[u8] = b"tree name";

/// A tree that is being filled in several calls.
pub struct Filling {
    tree: TreeId,
    /// What its entries begin with: of the transaction, once that has filled something, or nobody's.
    head: Option<Head>,
    parts: Parts,
    /// The first blocks of large values.
    chains: Vec<u32>,
}

impl Filling {
    /// Of a tree that the transaction has created, and that is empty. The entries have no versions: whoever may read the tree sees them.
    pub fn new(tree: TreeId) -> Filling {
        let head = Head { txn: TxnId::FROZEN, ..Head::default() };
        Filling { tree, head: Some(head), parts: Parts::default(), chains: Vec::new() }
    }

    /// The same, with entries that are the transaction's, as if it had inserted them: snapshots that do not see it do not see them, either. They need no undo, as the
    /// tree goes away with them.
    pub fn of_transaction(tree: TreeId) -> Filling {
        Filling { head: None, ..Filling::new(tree) }
    }

    /// Its tree.
    pub fn tree(&self) -> TreeId {
        self.tree
    }
}

/// Puts the next key and value of a tree that is filled in place of what is there; false: there is none.
pub type NextEntry<'e> = dyn FnMut(&mut Vec<u8>, &mut Vec<u8>) -> Result<bool> + 'e;

/// The root's block as the tree of trees and the pending tree write it.
fn root_in(value: &[u8]) -> Result<Option<u32>> {
    let mut r = Reader::new(value, "place of a root");
    if r.is_empty() { Ok(None) } else { Ok(Some(r.varint_max(u32::MAX as usize)? as u32)) }
}

/// Which tree has a name.
fn named(value: &[u8]) -> Result<TreeId> {
    Reader::new(value, "tree of a name").varint().map(TreeId)
}

fn tree_at(id: TreeId, root: Option<u32>) -> Tree {
    match root {
        Some(root) => Tree::with_root(id.file(), PageId::new(TREES.file(), root)),
        None => Tree::new(id.file()),
    }
}

impl Store {
    pub(super) fn open_tree(&self, id: TreeId) -> Result<Arc<Tree>> {
        let trees_tree = (id > FIRST_USER_TREE).then(|| self.tree(TREES)).transpose()?;
        // Looked for under the lock: whoever removes a tree forgets it only after its file and its root have gone.
        let mut trees = self.trees.write();
        if let Some(tree) = trees.get(&id) {
            return Ok(tree.clone());
        }
        let root = match trees_tree {
            Some(trees_tree) => self.root_of(&trees_tree, id)?,
            None => None,
        };
        if root.is_none() && self.env.pool.files().get(id.file())?.is_none() {
            // Nobody can have dropped one of these.
            return Err(
                match SYSTEM_TREES.contains(&id).then(|| self.env.pool.files().must_get(id.file())) {
                    Some(Err(missing)) => missing,
                    _ => Error::NoSuchTree(id),
                },
            );
        }
        let tree = Arc::new(tree_at(id, root));
        trees.insert(id, tree.clone());
        self.sweeps.lock().opened(id);
        Ok(tree)
    }

    /// Where the tree of trees says that a tree's root is: `None` = in the tree's own file. `NoSuchTree` also once the drop of the tree is seen by everybody:
    /// from then on the root may be another tree's.
    fn root_of(&self, trees: &Tree, id: TreeId) -> Result<Option<u32>> {
        let key = id.0.to_be_bytes();
        self.between_waves(|env| {
            let _descent = trees.space.descend()?;
            let leaf = trees.leaf_for_read(env, &key)?;
            let slot = find_leaf(&leaf, &key).map_err(|_| Error::NoSuchTree(id))?;
            let item = entry::parse(Page(&leaf).item(slot))?;
            if item.head.has(entry::flag::DELETED) && !self.is_needed(item.head.txn) {
                return Err(Error::NoSuchTree(id));
            }
            root_in(item.value)
        })
    }

    /// Logs that a tree's file goes, if it has one; gives where that record ends. Blocks until everybody has left the tree; from now on it gives `NoSuchTree`, until it is forgotten.
    /// Freeing a `root` in the file of the tree of trees is left to the caller. The caller may be in no tree and hold no latch. After an error the tree
    /// stays closed, and the call may be repeated. `dropper` as for [`FileSpace::drop_file`]. With a `roller`, the log space is that of its rollback.
    pub(super) fn close_tree(
        &self,
        id: TreeId,
        root: Option<u32>,
        dropper: TxnId,
        roller: Option<&Shared>,
    ) -> Result<(Arc<Tree>, Option<Lsn>)> {
        // It stays in the table, closed, until all of it has gone: nobody can open it afresh meanwhile.
        let tree = {
            let mut trees = self.trees.write();
            trees.entry(id).or_insert_with(|| Arc::new(tree_at(id, root))).clone()
        };
        let room = self.room(roller, record_bound(0, 64))?;
        let logged = tree.space.drop_file(&self.env, dropper)?;
        self.spent(roller, &room, logged.map_or(0, |(bytes, _)| bytes));
        Ok((tree, logged.map(|(_, end)| end)))
    }

    /// Removes a closed tree's file, if it has one. Blocks for the disk.
    pub(super) fn remove_file_of(&self, tree: &Tree, dropped: Option<Lsn>) -> Result<()> {
        dropped.map_or(Ok(()), |end| remove_dropped(&self.env, &[tree.space.file()], end))
    }

    /// Ends what [`Store::close_tree`] began: nothing is left of the tree.
    pub(super) fn forget_tree(&self, tree: &Tree) {
        self.trees.write().remove(&tree.tree_id());
    }

    /// The next tree id that would be used.
    pub fn next_tree(&self) -> u64 {
        self.next_tree.load(Ordering::SeqCst)
    }

    /// Size of a tree's file.
    pub fn tree_bytes(&self, id: TreeId) -> Result<u64> {
        let tree = self.tree(id)?;
        self.between_waves(|env| tree.space.bytes(env))
    }

    /// Loads blocks of a tree's file, as far as it has them; gives how many it has.
    pub fn prewarm(&self, id: TreeId, blocks: std::ops::Range<u32>) -> Result<u32> {
        let tree = self.tree(id)?;
        self.between_waves(|env| tree.space.prewarm(env, blocks.clone()))
    }

    /// Creates the trees that every database has, durably.
    pub fn bootstrap(&self) -> Result<()> {
        for id in SYSTEM_TREES {
            if !FileSpace::new(id.file()).create(&self.env)? {
                return Err(Error::corrupt(format!("data file {} exists in a new database", id.0)));
            }
            self.env.pool.files().sync_created(id.file())?;
        }
        self.env.wal.flush(self.env.wal.completed())
    }

    /// Fills a tree that this transaction created and that is empty, from below, with what `next` gives: ascending keys with their values; false ends it.
    /// The entries have no versions: whoever may read the tree sees them. So nobody else may before the transaction has committed. A key that does not
    /// come behind the last is `DuplicateKey`. After an error the tree is empty; it goes away if the transaction rolls back.
    pub fn fill(&self, t: &mut Txn, tree: TreeId, next: &mut NextEntry<'_>) -> Result<()> {
        let mut filling = Filling::new(tree);
        let filled = self
            .fill_on(t, &mut filling, next)
            .and_then(|()| self.on_filling(t, &mut filling, |mut b| b.finish()));
        if filled.is_err() {
            // The first error tells what happened; what cannot be given back goes with the tree.
            let _ = self.give_filling_up(t, &mut filling);
        }
        filled
    }

    /// As `fill`, in several calls, each of which takes all that `next` gives; the tree is empty until `end_filling`. After an error, or if it is not
    /// ended, the transaction has to be rolled back to where the tree was not there. A value may be as long as that of an insert.
    pub fn fill_on(&self, t: &mut Txn, filling: &mut Filling, next: &mut NextEntry<'_>) -> Result<()> {
        let (mut key, mut value, mut item) = (Vec::new(), Vec::new(), Vec::new());
        let me = self.begin_write(t)?;
        if self.maker_of(filling.tree)? != Some(me.id) {
            let why = "only a tree that the transaction has created can be filled from below";
            return Err(Error::InvalidArgument(why.into()));
        }
        let of_all = *filling.head.get_or_insert_with(|| {
            // After what made the tree, before whatever comes next.
            let seq = Txn::undo_log(&me).next_seq() - 1;
            Head { flags: entry::flag::INSERTED, txn: me.id, seq }
        });
        let tree = self.tree(filling.tree)?;
        let _descent = tree.space.descend()?;
        let mut bulk = Bulk::new(&tree, &self.env, &mut filling.parts)?;
        while next(&mut key, &mut value)? {
            t.check_interrupt()?;
            Store::check_sizes(&key, &value)?;
            let mut head = of_all;
            item.clear();
            if LEAF_HEAD_BYTES + key.len() + value.len() <= MAX_ITEM_BYTES {
                entry::put_leaf(&mut item, head, &key, &value);
            } else {
                head.flags |= entry::flag::OVERFLOW;
                let given_back = GivenBack::ByFilling(&mut filling.chains);
                let chain = self.write_chain(t, given_back, &tree, &value)?;
                entry::put_leaf(&mut item, head, &key, &chain);
            }
            if bulk.last().is_some_and(|last| entry::leaf_key(last) >= &key[..]) {
                return Err(Error::DuplicateKey);
            }
            bulk.push(&item)?;
        }
        Ok(())
    }

    /// Who has made a tree, or dropped it; as far as that is known.
    fn maker_of(&self, tree: TreeId) -> Result<Option<TxnId>> {
        let (trees, row) = (self.tree(TREES)?, tree.0.to_be_bytes());
        let _descent = trees.space.descend()?;
        let leaf = trees.leaf_from(&self.env, &row)?;
        let p = Page(&leaf.page);
        if leaf.from == p.slot_count() {
            return Ok(None);
        }
        let item = entry::parse(p.item(leaf.from))?;
        Ok((item.key == row).then_some(item.head.txn))
    }

    /// Ends what `fill_on` has begun.
    pub fn end_filling(&self, t: &mut Txn, mut filling: Filling) -> Result<()> {
        self.on_filling(t, &mut filling, |mut b| b.finish())
    }

    fn on_filling(
        &self,
        t: &mut Txn,
        filling: &mut Filling,
        f: impl FnOnce(Bulk<'_>) -> Result<()>,
    ) -> Result<()> {
        self.begin_write(t)?;
        let tree = self.tree(filling.tree)?;
        let _descent = tree.space.descend()?;
        f(Bulk::new(&tree, &self.env, &mut filling.parts)?)
    }

    /// Gives back what was filled of a tree, and what nothing will name. Also of who was canceled.
    fn give_filling_up(&self, t: &mut Txn, filling: &mut Filling) -> Result<()> {
        let _call = self.register(t)?;
        let tree = self.tree(filling.tree)?;
        let _descent = tree.space.descend()?;
        Bulk::new(&tree, &self.env, &mut filling.parts)?.give_up()?;
        self.free_chains_of_filling(&tree, &filling.chains)
    }

    /// Creates a tree: an empty root in the file of the tree of trees; a file of its own comes when it outgrows that (space invariant 6). It goes away if
    /// the transaction rolls back. Waits for no device.
    pub fn create_tree(&self, t: &mut Txn) -> Result<TreeId> {
        if t.options.read_only {
            return Err(Error::ReadOnly);
        }
        let me = self.register(t)?;
        let undo = Txn::undo_log(&me);
        undo.prepare()?;
        let trees = self.tree(TREES)?;
        let promise = self.env.wal.promise(record_bound(2, 256))?;
        let rollback = self.env.wal.promise(TREE_BYTES + IMAGE_BYTES)?;
        let mut got = trees.space.obtain(&self.env, 1)?;
        let root = PageId::new(TREES.file(), got.blocks[0]);
        let id = TreeId(self.next_tree.fetch_add(1, Ordering::SeqCst));
        let seq = {
            let mut page = self.env.pool.fresh(root)?;
            let mut maps = trees.space.latch_maps(&self.env, &got.blocks)?;
            let mut m = Mtr::new();
            m.page(&mut page).op(Op::Init { kind: Kind::Tree, level: 0, flags: 0, right: 0 });
            FileSpace::mark(&mut m, &mut maps, &got.blocks, true);
            let mut payload = Vec::new();
            log_undo::tree(id, root.block.0, &mut payload);
            let seq = undo.push(id, me.last_lsn(), &EntryRef::Tree);
            if let Err(e) = self.commit_change(&me, m, &payload) {
                undo.pop(seq);
                return Err(e);
            }
            seq
        };
        drop(promise);
        trees.space.taken(&mut got, 1);
        self.trees.write().insert(id, Arc::new(tree_at(id, Some(root.block.0))));
        self.set_aside(&me, PageId::new(root.file, map_of(root.block.0)), TREE_BYTES, rollback);
        t.logged = true;
        let sp = super::Savepoint { seq, locks: None };
        let mut value = Vec::new();
        put_varint(&mut value, u64::from(root.block.0));
        if let Err(e) = self.insert(t, TREES, &id.0.to_be_bytes(), &value) {
            self.rollback_to(t, sp)?;
            return Err(e);
        }
        Ok(id)
    }

    /// The tree of this name, made if there is none. Whatever the transaction's isolation, it is the newest one.
    pub fn tree_by_name(&self, t: &mut Txn, name: &str) -> Result<TreeId> {
        let key = [TREE_NAME, name.as_bytes()].concat();
        let outer = self.begin_inner(t, None);
        let found = self.tree_of_name(t, &key);
        self.end_inner(t, outer);
        found
    }

    fn tree_of_name(&self, t: &mut Txn, key: &[u8]) -> Result<TreeId> {
        loop {
            let known = self.get(t, TREES, key)?;
            // Its name is all that is left of one that was dropped.
            if let Some(id) = known.as_deref().map(named).transpose()?
                && self.get(t, TREES, &id.0.to_be_bytes())?.is_some()
            {
                return Ok(id);
            }
            let before = self.savepoint(t);
            let id = self.create_tree(t)?;
            let mut value = Vec::new();
            put_varint(&mut value, id.0);
            let is_named = match known {
                None => match self.insert(t, TREES, key, &value) {
                    Err(Error::DuplicateKey) => Ok(false),
                    done => done.map(|()| true),
                },
                Some(_) => {
                    self.update(t, TREES, key, &value, LockMode::NoKeyUpdate).map(|w| w == Write::Done)
                }
            };
            if let Ok(true) = is_named {
                return Ok(id);
            }
            // Somebody was faster, or it failed: without the tree in any case.
            self.rollback_to(t, before)?;
            is_named?;
            self.begin_statement(t);
        }
    }

    /// The trees that have names at this moment, in their order.
    pub fn tree_names(&self, t: &mut Txn) -> Result<Vec<(String, TreeId)>> {
        let outer = self.begin_inner(t, None);
        let names = self.named_trees(t);
        self.end_inner(t, outer);
        names
    }

    fn named_trees(&self, t: &mut Txn) -> Result<Vec<(String, TreeId)>> {
        let mut names = Vec::new();
        let mut rows = self.cursor(t, TREES, KeyRange::prefix(TREE_NAME), Direction::Forward)?;
        while let Some((key, value)) = rows.next(self, t)? {
            let name = String::from_utf8_lossy(&key[TREE_NAME.len()..]).into_owned();
            names.push((name, named(value)?));
        }
        let mut left = Vec::new();
        for (name, id) in names {
            if self.get(t, TREES, &id.0.to_be_bytes())?.is_some() {
                left.push((name, id));
            }
        }
        Ok(left)
    }

    /// Keeps a tree from being dropped until the transaction ends. Waits for whoever is dropping it; one that somebody is only making is not there.
    pub fn keep_tree(&self, t: &mut Txn, id: TreeId) -> Result<()> {
        if t.options.read_only {
            return Err(Error::ReadOnly);
        }
        self.begin_step(t);
        match self.lock(t, TREES, &id.0.to_be_bytes(), LockMode::KeyShare, WaitPolicy::Block)? {
            Locked::Current(_) | Locked::Changed(_) => Ok(()),
            Locked::Gone | Locked::Skipped => Err(Error::NoSuchTree(id)),
        }
    }

    /// Drops a tree. File and root go once the commit is seen by everybody.
    pub fn drop_tree(&self, t: &mut Txn, id: TreeId) -> Result<()> {
        let root = self.tree(id)?.root_elsewhere();
        let before = t.savepoint();
        let mut value = vec![purge::DROP];
        put_varint(&mut value, id.0);
        root.iter().for_each(|root| put_varint(&mut value, u64::from(root.block.0)));
        let done = match self.delete(t, TREES, &id.0.to_be_bytes()) {
            Ok(Write::Done) => self.add_pending(t, &value),
            Ok(Write::SelfModified) => {
                t.statement_seq = t.savepoint().seq; // created and dropped by one statement
                match self.delete(t, TREES, &id.0.to_be_bytes()) {
                    Ok(Write::Done) => self.add_pending(t, &value),
                    Ok(_) => Err(Error::NoSuchTree(id)),
                    Err(e) => Err(e),
                }
            }
            Ok(_) => Err(Error::NoSuchTree(id)),
            Err(e) => Err(e),
        };
        done.map_err(|e| match self.rollback_to(t, before) {
            Ok(()) => e,
            Err(worse) => worse,
        })
    }

    /// Calls `f` with every item of a leaf level, whatever its state.
    pub(crate) fn for_each_item(
        &self,
        tree: TreeId,
        mut f: impl FnMut(entry::LeafItem<'_>) -> Result<()>,
    ) -> Result<()> {
        let tree = self.tree(tree)?;
        let _descent = tree.space.descend()?;
        let mut at = Some(Vec::new());
        while let Some(key) = at {
            let leaf = loop {
                match tree.leaf_from(&self.env, &key) {
                    // Of a standby, whose replay holds still for this.
                    Err(Error::NotResident(id)) => drop(self.env.pool.read(id)?),
                    leaf => break leaf?,
                }
            };
            let p = Page(&leaf.page);
            for slot in leaf.from..p.slot_count() {
                f(entry::parse(p.item(slot))?)?;
            }
            at = p.high().map(<[u8]>::to_vec);
        }
        Ok(())
    }

    /// Registers a transaction that recovery has to undo.
    pub fn register_loser(&self, loser: ActiveTxn) -> Arc<Shared> {
        // The log is kept whole until it is undone.
        self.txns.register_loser(loser, Lsn::ZERO, Box::new(UndoLog::new(self.undo.clone())))
    }

    /// Chains that wait to be freed: (tree, first block).
    pub fn pending_chains(&self) -> Result<Vec<(TreeId, u32)>> {
        let mut out = Vec::new();
        self.for_each_item(PENDING, |item| {
            let mut r = Reader::new(item.value, "pending row");
            if !item.head.has(entry::flag::DELETED) && r.u8()? == purge::CHAIN {
                out.push((TreeId(r.varint()?), r.varint_max(u32::MAX as usize)? as u32));
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// Calls `f` with each block of the chain that a stored reference names, until it says to stop.
    pub fn chain_blocks(&self, tree: TreeId, reference: &[u8], f: &mut dyn FnMut(u32) -> bool) -> Result<()> {
        let open = self.tree(tree)?;
        let _visit = open.space.visit()?;
        overflow::blocks(&self.env, tree, reference, f)
    }

    /// Calls `f` with each block from the first to the end of a chain, until it says to stop.
    pub fn chain_blocks_from(&self, tree: TreeId, head: u32, f: &mut dyn FnMut(u32) -> bool) -> Result<()> {
        let open = self.tree(tree)?;
        let _visit = open.space.visit()?;
        overflow::blocks_from(&self.env, tree, head, f)
    }

    /// The trees that are not dropped for good, with the blocks of their roots as in [`Store::known_trees`].
    pub fn live_trees(&self) -> Result<HashMap<TreeId, Option<u32>>> {
        let mut live = HashMap::from([(TREES, None), (PENDING, None), (FIRST_USER_TREE, None)]);
        self.for_each_item(TREES, |item| {
            if item.head.has(entry::flag::DELETED)
                && self.txns.get(item.head.txn).is_none_or(|t| t.is_finished())
            {
                return Ok(());
            }
            if let Ok(id) = item.key.try_into() {
                live.insert(TreeId(u64::from_be_bytes(id)), root_in(item.value)?);
            }
            Ok(())
        })?;
        Ok(live)
    }

    /// The trees of the layer above that committed transactions have made and not dropped.
    pub fn committed_trees(&self) -> Result<Vec<TreeId>> {
        let mut trees = vec![FIRST_USER_TREE];
        self.for_each_item(TREES, |item| {
            let is_committed = self.txns.get(item.head.txn).is_none_or(|t| t.is_finished());
            // What is being dropped is there still.
            if item.head.has(entry::flag::DELETED) != is_committed
                && let Ok(id) = item.key.try_into()
            {
                trees.push(TreeId(u64::from_be_bytes(id)));
            }
            Ok(())
        })?;
        Ok(trees)
    }

    /// Every tree that exists or is still to be freed, with its root's block if that is in the file of the tree of trees.
    pub fn known_trees(&self) -> Result<HashMap<TreeId, Option<u32>>> {
        let mut known = self.live_trees()?;
        // A dropped tree is known by its pending row, written by the same transaction, as long as anything of it may exist.
        self.for_each_item(PENDING, |item| {
            let mut r = Reader::new(item.value, "pending row");
            if !item.head.has(entry::flag::DELETED) && r.u8()? == purge::DROP {
                let id = TreeId(r.varint()?);
                known.insert(id, root_in(r.rest())?);
            }
            Ok(())
        })?;
        Ok(known)
    }

    /// Removes data files that no committed transaction knows: left by a crash between creating a file and logging it. At start, after undo.
    pub fn remove_orphans(&self) -> Result<usize> {
        let known = self.known_trees()?;
        let mut removed = 0;
        for file in self.env.pool.files().list()? {
            if !known.contains_key(&file.tree()) {
                self.env.pool.discard(file, 0);
                self.env.pool.files().remove(file)?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}
