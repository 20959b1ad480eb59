//! Filling an empty tree from below: leaves from left to right, each level above as the one below gets done, the root last.
//!
//! Invariants
//! 1. Until the root is written, which is one mini-transaction, the tree is empty: whatever ends the work before leaves pages that nobody can reach, and
//!    that are given back, or go with the file.
//! 2. A page is written once, whole, when its right neighbour's block and first key are known.
//! 3. A tree that fits its root takes no block.

use super::Tree;
use super::entry::{inner_item, inner_key, leaf_key, separator};
use crate::base::codec::put_bytes;
use crate::base::{Error, PAGE_BYTES, Result};
use crate::mtr::{Env, Mtr, record_bound};
use crate::page::{Kind, Op, Page, ROOM_BYTES, SLOT_BYTES};
use crate::space::{Blocks, FileSpace, ROOT_BLOCK};

/// Bytes of a page that are filled: the rest is room for what comes later, as PostgreSQL's `fillfactor` of 90.
const FILLED_BYTES: usize = ROOM_BYTES / 10 * 9;
/// Room that a high key takes beside its bytes.
const HIGH_BYTES: usize = 8;

/// A page that is being put together.
struct Level<'t> {
    /// Its block, once it is known that it will not be the root.
    block: Option<Blocks<'t>>,
    items: Vec<Vec<u8>>,
    bytes: usize,
    /// What its range begins with; empty for the leftmost.
    low: Vec<u8>,
}

impl Level<'_> {
    fn push(&mut self, item: Vec<u8>) {
        self.bytes += item.len() + SLOT_BYTES;
        self.items.push(item);
    }
}

/// A tree that is being filled.
pub struct Bulk<'t> {
    tree: &'t Tree,
    env: &'t Env,
    levels: Vec<Level<'t>>,
    /// Blocks of pages that are written, and that nobody can reach yet.
    written: Vec<u32>,
}

fn key_of(level: usize, item: &[u8]) -> &[u8] {
    if level == 0 { leaf_key(item) } else { inner_key(item) }
}

impl<'t> Bulk<'t> {
    /// Of an empty tree that nobody else can reach.
    pub fn new(tree: &'t Tree, env: &'t Env) -> Result<Bulk<'t>> {
        let root = env.pool.read(tree.id(ROOT_BLOCK))?;
        if Page(&root).slot_count() > 0 || Page(&root).level() > 0 {
            return Err(Error::InvalidArgument("a tree that has entries cannot be filled from below".into()));
        }
        Ok(Bulk { tree, env, levels: Vec::new(), written: Vec::new() })
    }

    /// The leaf item added last.
    pub fn last(&self) -> Option<&[u8]> {
        self.levels.first().and_then(|l| l.items.last()).map(Vec::as_slice)
    }

    /// Adds a leaf item, behind all others.
    pub fn push(&mut self, item: Vec<u8>) -> Result<()> {
        self.add(0, item)
    }

    fn add(&mut self, level: usize, item: Vec<u8>) -> Result<()> {
        if self.levels.len() == level {
            self.levels.push(Level { block: None, items: Vec::new(), bytes: 0, low: Vec::new() });
        }
        let page = &self.levels[level];
        if !page.items.is_empty() && page.bytes + item.len() + SLOT_BYTES > FILLED_BYTES {
            self.close(level, &item)?;
        }
        self.levels[level].push(item);
        Ok(())
    }

    /// Writes a page that another follows, which begins with `next` or with what has no room beside the high key.
    fn close(&mut self, level: usize, next: &[u8]) -> Result<()> {
        let page = &mut self.levels[level];
        let mut moved: Vec<Vec<u8>> = Vec::new();
        let high = loop {
            let first = key_of(level, moved.last().map_or(next, Vec::as_slice));
            let last = page.items.last().map_or(&[][..], |i| key_of(level, i));
            let high = if level == 0 { separator(last, first) } else { first };
            if page.bytes + high.len() + HIGH_BYTES <= ROOM_BYTES || page.items.len() < 2 {
                break high.to_vec();
            }
            if let Some(item) = page.items.pop() {
                page.bytes -= item.len() + SLOT_BYTES;
                moved.push(item);
            }
        };
        if self.levels[level].block.is_none() {
            self.levels[level].block = Some(self.tree.space.obtain(self.env, 1)?);
        }
        let following = self.tree.space.obtain(self.env, 1)?;
        self.write(level, following.blocks[0], Some(&high))?;
        let page = &mut self.levels[level];
        *page = Level { block: Some(following), items: Vec::new(), bytes: 0, low: high };
        moved.into_iter().rev().for_each(|item| page.push(item));
        Ok(())
    }

    /// Writes a page, and tells the level above.
    fn write(&mut self, level: usize, right: u32, high: Option<&[u8]>) -> Result<()> {
        let page = &mut self.levels[level];
        let Some(mut got) = page.block.take() else {
            return Err(Error::Corrupt("a page without a block".into()));
        };
        let blocks = [got.blocks[0]];
        let mut items = Vec::with_capacity(PAGE_BYTES);
        page.items.iter().for_each(|i| put_bytes(&mut items, i));
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
        self.written.extend(blocks);
        self.add(level + 1, item)
    }

    /// Gives the blocks back of what nobody will reach: the tree is as it was. What cannot be given back goes with the file.
    pub fn give_up(self) -> Result<()> {
        for blocks in self.written.chunks(256) {
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
        while level + 1 < self.levels.len() {
            self.write(level, 0, None)?;
            level += 1;
        }
        let Some(top) = self.levels.last() else { return Ok(()) };
        let mut items = Vec::with_capacity(PAGE_BYTES);
        top.items.iter().for_each(|i| put_bytes(&mut items, i));
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
