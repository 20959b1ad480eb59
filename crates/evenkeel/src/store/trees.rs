//! Creating, dropping and finding trees.

use super::handle::Txn;
use super::undo::UndoLog;
use super::undo_entry::EntryRef;
use super::{FIRST_USER_TREE, PENDING, Store, TREES, Write, log_undo, overflow, purge};
use crate::base::codec::{Reader, put_varint};
use crate::base::{Error, Result, TreeId};
use crate::btree::{Tree, entry};
use crate::mtr::{Mtr, record_bound};
use crate::page::Page;
use crate::space::FileSpace;
use crate::txn::{ActiveTxn, Shared};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Store {
    pub(super) fn open_tree(&self, id: TreeId) -> Result<Arc<Tree>> {
        // Looked for under the lock: `remove_tree` forgets a tree only after its file has gone.
        let mut trees = self.trees.write();
        if let Some(tree) = trees.get(&id) {
            return Ok(tree.clone());
        }
        if self.env.pool.files().get(id.file())?.is_none() {
            return Err(Error::NoSuchTree(id));
        }
        let tree = Arc::new(Tree::new(id.file()));
        trees.insert(id, tree.clone());
        Ok(tree)
    }

    /// Removes a tree's file for good. Blocks until everybody has left the tree; from now on it gives `NoSuchTree`. The caller may be in no tree
    /// and hold no latch. After an error the tree stays closed, and the call may be repeated.
    /// With a `roller`, the log space is that of its rollback.
    pub(super) fn remove_tree(&self, id: TreeId, roller: Option<&Shared>) -> Result<()> {
        // It stays in the table, closed, until its file has gone: nobody can open it afresh meanwhile.
        let tree = {
            let mut trees = self.trees.write();
            trees.entry(id).or_insert_with(|| Arc::new(Tree::new(id.file()))).clone()
        };
        let room = self.room(roller, record_bound(0, 64))?;
        let logged = tree.space.drop_file(&self.env)?;
        self.spent(roller, &room, logged);
        self.trees.write().remove(&id);
        Ok(())
    }

    /// The next tree id that would be used.
    pub fn next_tree(&self) -> u64 {
        self.next_tree.load(Ordering::SeqCst)
    }

    /// Creates the trees that every database has, durably.
    pub fn bootstrap(&self) -> Result<()> {
        for id in [TREES, PENDING, FIRST_USER_TREE] {
            if !FileSpace::new(id.file()).create(&self.env)? {
                return Err(Error::Corrupt(format!("data file {} exists in a new database", id.0)));
            }
        }
        self.env.wal.flush(self.env.wal.completed())
    }

    /// Creates a tree. It goes away if the transaction rolls back. Blocks for a few syncs.
    pub fn create_tree(&self, t: &mut Txn) -> Result<TreeId> {
        if t.options.read_only {
            return Err(Error::ReadOnly);
        }
        let me = self.register(t)?;
        let undo = Txn::undo_log(&me);
        undo.prepare()?;
        let promise = self.env.wal.promise(record_bound(0, 256))?;
        undo.reserve.add(self.env.wal.promise(512)?.keep());
        let id = loop {
            let id = TreeId(self.next_tree.fetch_add(1, Ordering::SeqCst));
            // The file first, then the record that undoes it: a file without one is removed at the next start.
            if FileSpace::new(id.file()).create(&self.env)? {
                break id;
            }
        };
        let mut payload = Vec::new();
        log_undo::tree(id, &mut payload);
        let seq = undo.push(id, me.last_lsn(), &EntryRef::Tree);
        if let Err(e) = self.commit_change(&me, Mtr::new(), &payload) {
            undo.pop(seq);
            return Err(e);
        }
        drop(promise);
        t.logged = true;
        let sp = super::Savepoint { seq, locks: None };
        if let Err(e) = self.insert(t, TREES, &id.0.to_be_bytes(), &[]) {
            self.rollback_to(t, sp)?;
            return Err(e);
        }
        Ok(id)
    }

    /// Drops a tree. The file goes once the commit is seen by everybody.
    pub fn drop_tree(&self, t: &mut Txn, id: TreeId) -> Result<()> {
        self.tree(id)?;
        let before = t.savepoint();
        let mut value = vec![purge::DROP];
        put_varint(&mut value, id.0);
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
            let leaf = tree.leaf_from(&self.env, &key)?;
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
        self.txns.register_loser(loser, Box::new(UndoLog::new(self.undo.clone())))
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

    /// Whether a tree is dropped and only waits for its file to be removed.
    pub fn is_pending_drop(&self, tree: TreeId) -> Result<bool> {
        let mut found = false;
        self.for_each_item(PENDING, |item| {
            let mut r = Reader::new(item.value, "pending row");
            found |= r.u8()? == purge::DROP && TreeId(r.varint()?) == tree;
            Ok(())
        })?;
        Ok(found)
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

    /// Every tree that exists or is still to be freed.
    pub fn known_trees(&self) -> Result<HashSet<TreeId>> {
        let mut known = HashSet::from([TREES, PENDING, FIRST_USER_TREE]);
        self.for_each_item(TREES, |item| {
            // A dropped tree is known by its pending row, written by the same transaction, as long as its file may exist.
            if item.head.has(entry::flag::DELETED)
                && self.txns.get(item.head.txn).is_none_or(|t| t.is_finished())
            {
                return Ok(());
            }
            if let Ok(id) = item.key.try_into() {
                known.insert(TreeId(u64::from_be_bytes(id)));
            }
            Ok(())
        })?;
        self.for_each_item(PENDING, |item| {
            let mut r = Reader::new(item.value, "pending row");
            if !item.head.has(entry::flag::DELETED) && r.u8()? == purge::DROP {
                known.insert(TreeId(r.varint()?));
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
            if !known.contains(&file.tree()) {
                self.env.pool.discard(file, 0);
                self.env.pool.files().remove(file)?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}
