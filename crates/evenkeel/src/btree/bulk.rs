//! Filling an empty tree from below: leaves from left to right, each level above as the one below gets done, the root last.
//!
//! Invariants
//! 1. Until the root is written, which is one mini-transaction, the tree is empty: whatever ends the work before leaves pages that nobody can reach, and
//!    that are given back, or go with the file.
//! 2. A page is written once, whole, when its right neighbour's block and first key are known.
//! 3. A tree that fits its root takes no block.
//! 4. Between two calls nothing is latched: the work may go on in another call, by [`Parts`], or never.

use super::Tree;
use super::entry::{inner_item, inner_key, leaf_key, separator};
use crate::base::codec::put_bytes;
use crate::base::{Error, PAGE_BYTES, Result};
use crate::mtr::{Env, Mtr, record_bound};
use crate::page::{Kind, Op, Page, ROOM_BYTES, SLOT_BYTES};
use crate::space::{FileSpace, ROOT_BLOCK, note_cut};

/// Bytes of a page that are filled: the rest is room for what comes later, as PostgreSQL's `fillfactor` of 90.
const FILLED_BYTES: usize = ROOM_BYTES / 10 * 9;
/// Room that a high key takes beside its bytes.
const HIGH_BYTES: usize = 8;

/// A page that is being put together.
struct Level {
    /// Its block, which is set aside, once it is known that it will not be the root.
    block: Option<u32>,
    /// Its items one after the other, and where each ends.
    items: Vec<u8>,
    ends: Vec<u32>,
    /// What its range begins with; empty for the leftmost.
    low: Vec<u8>,
}

impl Level {
    fn new(block: Option<u32>, low: Vec<u8>) -> Level {
        Level { block, items: Vec::with_capacity(PAGE_BYTES), ends: Vec::new(), low }
    }

    /// What they take of a page.
    fn bytes(&self) -> usize {
        self.items.len() + self.ends.len() * SLOT_BYTES
    }

    fn push(&mut self, item: &[u8]) {
        self.items.extend_from_slice(item);
        self.ends.push(self.items.len() as u32);
    }

    fn start_of_last(&self) -> usize {
        self.ends.len().checked_sub(2).map_or(0, |n| self.ends[n] as usize)
    }

    fn last(&self) -> Option<&[u8]> {
        self.ends.last().map(|_| &self.items[self.start_of_last()..])
    }

    fn pop(&mut self) -> Option<Vec<u8>> {
        let item = self.items.split_off(self.start_of_last());
        self.ends.pop().map(|_| item)
    }

    /// As the log's records have them.
    fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(PAGE_BYTES + PAGE_BYTES / 8);
        let mut from = 0;
        for end in &self.ends {
            put_bytes(&mut out, &self.items[from..*end as usize]);
            from = *end as usize;
        }
        out
    }
}

/// What there is of a tree that is being filled. Dropped, it leaves its blocks to the tree, which is to go away.
#[derive(Default)]
pub struct Parts {
    levels: Vec<Level>,
    /// Blocks of pages that are written, and that nobody can reach yet.
    written: Vec<u32>,
}

/// A tree that is being filled.
pub struct Bulk<'t> {
    tree: &'t Tree,
    env: &'t Env,
    parts: &'t mut Parts,
}

fn key_of(level: usize, item: &[u8]) -> &[u8] {
    if level == 0 { leaf_key(item) } else { inner_key(item) }
}

impl<'t> Bulk<'t> {
    /// Of an empty tree that nobody else can reach: new parts, or those of an earlier call.
    pub fn new(tree: &'t Tree, env: &'t Env, parts: &'t mut Parts) -> Result<Bulk<'t>> {
        let root = env.pool.read(tree.id(ROOT_BLOCK))?;
        if Page(&root).slot_count() > 0 || Page(&root).level() > 0 {
            return Err(Error::InvalidArgument("a tree that has entries cannot be filled from below".into()));
        }
        Ok(Bulk { tree, env, parts })
    }

    /// The leaf item added last.
    pub fn last(&self) -> Option<&[u8]> {
        self.parts.levels.first().and_then(Level::last)
    }

    /// Adds a leaf item, behind all others.
    pub fn push(&mut self, item: &[u8]) -> Result<()> {
        self.add(0, item)
    }

    fn add(&mut self, level: usize, item: &[u8]) -> Result<()> {
        if self.parts.levels.len() == level {
            self.parts.levels.push(Level::new(None, Vec::new()));
        }
        let page = &self.parts.levels[level];
        if !page.ends.is_empty() && page.bytes() + item.len() + SLOT_BYTES > FILLED_BYTES {
            self.close(level, item)?;
        }
        self.parts.levels[level].push(item);
        Ok(())
    }

    /// Writes a page that another follows, which begins with `next` or with what has no room beside the high key.
    fn close(&mut self, level: usize, next: &[u8]) -> Result<()> {
        let page = &mut self.parts.levels[level];
        let mut moved: Vec<Vec<u8>> = Vec::new();
        let high = loop {
            let first = key_of(level, moved.last().map_or(next, Vec::as_slice));
            let last = page.last().map_or(&[][..], |i| key_of(level, i));
            let high = if level == 0 { separator(last, first) } else { first };
            if page.bytes() + high.len() + HIGH_BYTES <= ROOM_BYTES || page.ends.len() < 2 {
                break high.to_vec();
            }
            moved.extend(page.pop());
        };
        if self.parts.levels[level].block.is_none() {
            self.parts.levels[level].block = self.obtain()?;
        }
        let following = self.obtain()?;
        self.write(level, following.unwrap_or(0), Some(&high))?;
        let page = &mut self.parts.levels[level];
        *page = Level::new(following, high);
        moved.iter().rev().for_each(|item| page.push(item));
        Ok(())
    }

    /// A block that stays set aside.
    fn obtain(&self) -> Result<Option<u32>> {
        Ok(self.tree.space.obtain(self.env, 1)?.keep().pop())
    }

    /// Writes a page, and tells the level above.
    fn write(&mut self, level: usize, right: u32, high: Option<&[u8]>) -> Result<()> {
        let page = &mut self.parts.levels[level];
        let Some(block) = page.block.take() else {
            return Err(Error::corrupt("a page without a block"));
        };
        let mut got = self.tree.space.kept(vec![block]);
        let blocks = [block];
        if self.parts.written.is_empty() {
            // The tree had other leaves if what was in it was rolled back (place invariant 1).
            note_cut();
        }
        let items = page.encoded();
        let item = inner_item(blocks[0], &page.low);
        let promise = self.env.wal.promise(record_bound(2, 2 * PAGE_BYTES))?;
        let mut to = self.env.pool.fresh(self.tree.id(blocks[0]))?;
        let mut maps = self.tree.space.latch_maps(self.env, &blocks)?;
        let mut m = Mtr::new();
        m.page(&mut to)
            .op(Op::Init { kind: Kind::Tree, level: level as u8, flags: 0, right })
            .op(Op::InsertMany { slot: 0, items: &items });
        if high.is_some() {
            m.op(Op::High(high));
        }
        FileSpace::mark(&mut m, &mut maps, &blocks, true);
        self.env.commit(m)?;
        drop((to, maps, promise));
        self.tree.space.taken(&mut got, 1);
        self.parts.written.extend(blocks);
        self.add(level + 1, &item)
    }

    /// Gives the blocks back of what nobody will reach: the tree is as it was. What cannot be given back goes with the file.
    pub fn give_up(self) -> Result<()> {
        let set_aside = self.parts.levels.drain(..).filter_map(|l| l.block);
        drop(self.tree.space.kept(set_aside.collect()));
        for blocks in self.parts.written.chunks(256) {
            let _promise = self.env.wal.promise(record_bound(2, 16 * blocks.len()))?;
            blocks.iter().for_each(|b| self.tree.space.quarantine(*b));
            let mut maps = self.tree.space.latch_maps(self.env, blocks)?;
            let mut m = Mtr::new();
            FileSpace::mark(&mut m, &mut maps, blocks, false);
            self.env.commit(m)?;
        }
        Ok(())
    }

    /// Writes what is left, the root last.
    pub fn finish(&mut self) -> Result<()> {
        let mut level = 0;
        while level + 1 < self.parts.levels.len() {
            self.write(level, 0, None)?;
            level += 1;
        }
        let Some(top) = self.parts.levels.last() else { return Ok(()) };
        let items = top.encoded();
        let _promise = self.env.wal.promise(record_bound(1, 2 * PAGE_BYTES))?;
        let mut root = self.env.pool.write(self.tree.id(ROOT_BLOCK))?;
        let flags = Page(&root).flags();
        if Page(&root).slot_count() > 0 {
            return Err(Error::InvalidArgument("a tree was changed while it was filled from below".into()));
        }
        let mut m = Mtr::new();
        m.page(&mut root)
            .op(Op::Init { kind: Kind::Tree, level: level as u8, flags, right: 0 })
            .op(Op::InsertMany { slot: 0, items: &items });
        self.env.commit(m).map(drop)
    }
}
