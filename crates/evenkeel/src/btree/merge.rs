//! Merges: an emptied page's neighbour takes over its range, and the block is freed.

use super::Tree;
use super::descend::{Unfinished, expect_tree_page, find_child};
use super::entry::inner_child;
use crate::base::codec::put_bytes;
use crate::base::{Error, Result, TreeId};
use crate::mtr::{Env, Mtr, record_bound};
use crate::page::{Kind, Op, Page, ROOM_BYTES, flag};
use crate::pool::PageWrite;
use crate::space::{FileSpace, ROOT_BLOCK};

/// A page with fewer bytes in use than this is worth merging.
const SPARSE_BYTES: usize = ROOM_BYTES / 8;
/// A merge must leave room, or the next insert would split again.
const FULL_BYTES: usize = ROOM_BYTES * 4 / 5;

fn used(page: &[u8]) -> usize {
    ROOM_BYTES - Page(page).free_bytes()
}

/// Whether a leaf or inner page has become so empty that its items belong elsewhere.
pub fn is_sparse(page: &[u8]) -> bool {
    used(page) < SPARSE_BYTES
}

impl Tree {
    /// The tree's id.
    pub fn tree_id(&self) -> TreeId {
        self.space.file().tree()
    }

    /// Tries to merge the page of `level` that holds `key` with a neighbour under the same parent, and goes on upwards while parents become
    /// sparse. Giving up (no neighbour, no room, an unfinished split) is no error.
    pub fn merge_around(&self, env: &Env, key: &[u8], mut level: u8) -> Result<()> {
        loop {
            let _descent = self.space.descend()?;
            if !self.merge_once(env, key, level)? {
                return Ok(());
            }
            level += 1;
            if self.collapse_root(env)? {
                return Ok(());
            }
        }
    }

    /// One merge below the parent that holds `key`. True if it happened and the parent is sparse now.
    fn merge_once(&self, env: &Env, key: &[u8], level: u8) -> Result<bool> {
        let promise = env.wal.promise(record_bound(5, 2 * crate::base::PAGE_BYTES))?;
        let Some(mut parent) = self.page_for_write(env, key, level + 1, Unfinished::MustEnd)? else {
            return Ok(false);
        };
        let n = Page(&parent).slot_count();
        let at = find_child(&parent, key, false);
        // The left one of the pair: the page itself takes its right neighbour in, or is taken in by its left one.
        let left_slot = match (at, n) {
            (_, 0 | 1) => return Ok(false),
            (0, _) => 0,
            (at, _) => at - 1,
        };
        let child = |slot: usize| inner_child(Page(&parent).item(slot));
        let (left_block, right_block) = (child(left_slot)?, child(left_slot + 1)?);
        let here = self.block_of(parent.id());
        if left_block == right_block
            || [left_block, right_block].iter().any(|b| *b == here || *b == ROOT_BLOCK)
        {
            return Err(Error::of_page(parent.id(), "a child is named twice, or is its own parent"));
        }
        let mut left = env.pool.write(self.id(left_block))?;
        let mut right = env.pool.write(self.id(right_block))?;
        expect_tree_page(&left, left.id())?;
        expect_tree_page(&right, right.id())?;
        let (l, r) = (Page(&left), Page(&right));
        let busy = |p: Page<'_>| p.flags() & (flag::SPLIT_UNFINISHED | flag::DEAD) != 0 || p.level() != level;
        if busy(l) || busy(r) || l.right() != right_block {
            return Ok(false);
        }
        let sparse = is_sparse(&left) || is_sparse(&right);
        if !sparse || used(&left) + used(&right) > FULL_BYTES {
            return Ok(false);
        }
        let (slots, next) = (l.slot_count(), r.right());
        let high = r.high().map(<[u8]>::to_vec);
        let mut moved = Vec::new();
        (0..r.slot_count()).for_each(|i| put_bytes(&mut moved, r.item(i)));
        let freed = [right_block];
        let mut maps = self.space.latch_maps(env, &freed)?;
        let mut m = Mtr::new();
        m.page(&mut left).op(Op::High(high.as_deref())).op(Op::Right(next));
        if !moved.is_empty() {
            m.op(Op::InsertMany { slot: slots, items: &moved });
        }
        m.page(&mut right).op(Op::Init { kind: Kind::Tree, level, flags: flag::DEAD, right: next });
        m.page(&mut parent).op(Op::Remove { from: left_slot + 1, to: left_slot + 2 });
        FileSpace::mark(&mut m, &mut maps, &freed, false);
        self.space.quarantine(right_block);
        env.commit(m)?;
        drop(promise);
        Ok(is_sparse(&parent))
    }

    /// A root with one child takes its items in, and the tree is a level lower. True if the root has (or had) nothing more to give.
    fn collapse_root(&self, env: &Env) -> Result<bool> {
        let promise = env.wal.promise(record_bound(4, 2 * crate::base::PAGE_BYTES))?;
        let mut root = env.pool.write(self.id(ROOT_BLOCK))?;
        let level = Page(&root).level();
        if level == 0 || Page(&root).slot_count() != 1 {
            return Ok(level == 0);
        }
        let block = inner_child(Page(&root).item(0))?;
        if block == ROOT_BLOCK {
            return Err(Error::of_page(root.id(), "the root names itself"));
        }
        let mut child = env.pool.write(self.id(block))?;
        expect_tree_page(&child, child.id())?;
        let c = Page(&child);
        if c.flags() != 0 || c.right() != 0 || c.level() + 1 != level {
            return Ok(true);
        }
        let mut moved = Vec::new();
        (0..c.slot_count()).for_each(|i| put_bytes(&mut moved, c.item(i)));
        self.take_in(env, &mut root, &mut child, level - 1, &moved)?;
        drop(promise);
        Ok(true)
    }

    fn take_in<'p>(
        &self,
        env: &'p Env,
        root: &mut PageWrite<'p>,
        child: &mut PageWrite<'p>,
        level: u8,
        moved: &[u8],
    ) -> Result<()> {
        let freed = [child.id().block.0];
        let flags = Page(root).flags();
        let mut maps = self.space.latch_maps(env, &freed)?;
        let mut m = Mtr::new();
        m.page(root).op(Op::Init { kind: Kind::Tree, level, flags, right: 0 });
        if !moved.is_empty() {
            m.op(Op::InsertMany { slot: 0, items: moved });
        }
        m.page(child).op(Op::Init { kind: Kind::Tree, level, flags: flag::DEAD, right: 0 });
        FileSpace::mark(&mut m, &mut maps, &freed, false);
        self.space.quarantine(freed[0]);
        env.commit(m).map(|_| ())
    }
}
