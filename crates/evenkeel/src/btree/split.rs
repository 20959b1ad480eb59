//! Splits: making room on a page, and telling the parent.

use super::Tree;
use super::descend::{Unfinished, find_child};
use super::entry::{inner_child, inner_item, inner_key, leaf_key, separator};
use crate::base::codec::put_bytes;
use crate::base::{Error, PageId, Result};
use crate::mtr::{Env, Mtr, record_bound};
use crate::page::{Kind, Op, Page, SLOT_BYTES, flag};
use crate::pool::PageWrite;
use crate::space::{FileSpace, ROOT_BLOCK};

/// What goes where when a page is split at slot `at`.
struct Cut {
    at: usize,
    separator: Vec<u8>,
    /// Items from `at` on, length-prefixed.
    moved: Vec<u8>,
}

fn items(page: &[u8], from: usize, to: usize) -> Vec<u8> {
    let mut out = Vec::new();
    (from..to).for_each(|i| put_bytes(&mut out, Page(page).item(i)));
    out
}

/// Chooses the cut. In the middle by bytes; at the end for a key behind all others on the rightmost page, so that ascending loads leave
/// full pages.
fn cut(page: &[u8], key: &[u8]) -> Cut {
    let p = Page(page);
    let n = p.slot_count();
    debug_assert!(n >= 2);
    let key_of = |i: usize| if p.level() == 0 { leaf_key(p.item(i)) } else { inner_key(p.item(i)) };
    let at = if p.right() == 0 && key > key_of(n - 1) {
        n - 1
    } else {
        let total: usize = (0..n).map(|i| p.item(i).len() + SLOT_BYTES).sum();
        let mut sum = 0;
        let half = (0..n).position(|i| {
            sum += p.item(i).len() + SLOT_BYTES;
            sum >= total / 2
        });
        (half.unwrap_or(n / 2) + 1).clamp(1, n - 1)
    };
    let separator = if p.level() == 0 { separator(key_of(at - 1), key_of(at)) } else { key_of(at) }.to_vec();
    Cut { at, separator, moved: items(page, at, n) }
}

impl Tree {
    /// Splits the leaf that holds `key` unless it has `need` bytes free by now. Space and log are obtained before anything is latched. Gives the
    /// leaves that came into being: none, one, or two where the root was split.
    pub fn make_room(&self, env: &Env, key: &[u8], need: usize) -> Result<Vec<PageId>> {
        let _descent = self.space.descend()?;
        self.split_level(env, key, 0, need)
    }

    fn split_level(&self, env: &Env, key: &[u8], level: u8, need: usize) -> Result<Vec<PageId>> {
        let promise = env.wal.promise(record_bound(5, 2 * crate::base::PAGE_BYTES))?;
        let mut got = self.space.obtain(env, 2)?;
        // Not reachable yet, so latching them first breaks no order (tree invariant 4).
        let mut a = env.pool.fresh(self.id(got.blocks[0]))?;
        let mut b = env.pool.fresh(self.id(got.blocks[1]))?;
        let Some(mut page) = self.page_for_write(env, key, level, Unfinished::MustEnd)? else {
            return Err(Error::in_file(self.space.file(), format!("level {level} vanished")));
        };
        if Page(&page).free_bytes() >= need {
            return Ok(Vec::new());
        }
        if Page(&page).slot_count() < 2 {
            return Err(Error::of_page(page.id(), "full with a single item"));
        }
        let cut = cut(&page, key);
        if self.block_of(page.id()) == ROOT_BLOCK {
            self.split_root(env, &mut page, &mut a, &mut b, &cut)?;
            let made = vec![a.id(), b.id()];
            drop((page, a, b));
            self.space.taken(&mut got, 2);
            return Ok(made);
        }
        let left = page.id().block.0;
        let used = [got.blocks[0]];
        let mut maps = self.space.latch_maps(env, &used)?;
        let (right, flags, high) = {
            let p = Page(&page);
            (p.right(), p.flags(), p.high().map(<[u8]>::to_vec))
        };
        let n = Page(&page).slot_count();
        let mut m = Mtr::new();
        m.page(&mut a)
            .op(Op::Init { kind: Kind::Tree, level, flags: 0, right })
            .op(Op::InsertMany { slot: 0, items: &cut.moved });
        if high.is_some() {
            m.op(Op::High(high.as_deref()));
        }
        m.page(&mut page)
            .op(Op::Remove { from: cut.at, to: n })
            .op(Op::High(Some(&cut.separator)))
            .op(Op::Right(used[0]))
            .op(Op::Flags(flags | flag::SPLIT_UNFINISHED));
        FileSpace::mark(&mut m, &mut maps, &used, true);
        env.commit(m)?;
        let made = vec![a.id()];
        drop((page, a, b, maps, promise));
        self.space.taken(&mut got, 1);
        drop(got);
        match self.finish_split(env, left, level, &cut.separator) {
            // The split itself has happened, and made room: a later writer finishes it (tree invariant 3).
            Err(Error::OutOfSpace { .. } | Error::Io { .. }) if level == 0 => Ok(made),
            done => done.map(|()| made),
        }
    }

    /// Splits the root: its items go to two new pages, and it becomes their parent.
    fn split_root<'p>(
        &self,
        env: &'p Env,
        root: &mut PageWrite<'p>,
        a: &mut PageWrite<'p>,
        b: &mut PageWrite<'p>,
        cut: &Cut,
    ) -> Result<()> {
        let (level, flags) = (Page(root).level(), Page(root).flags());
        let blocks = [a.id().block.0, b.id().block.0];
        let kept = items(root, 0, cut.at);
        let mut maps = self.space.latch_maps(env, &blocks)?;
        let mut m = Mtr::new();
        m.page(root)
            .op(Op::Init { kind: Kind::Tree, level: level + 1, flags, right: 0 })
            .op(Op::Insert { slot: 0, item: &inner_item(blocks[0], &[]) })
            .op(Op::Insert { slot: 1, item: &inner_item(blocks[1], &cut.separator) });
        m.page(a)
            .op(Op::Init { kind: Kind::Tree, level, flags: 0, right: blocks[1] })
            .op(Op::InsertMany { slot: 0, items: &kept })
            .op(Op::High(Some(&cut.separator)));
        m.page(b)
            .op(Op::Init { kind: Kind::Tree, level, flags: 0, right: 0 })
            .op(Op::InsertMany { slot: 0, items: &cut.moved });
        FileSpace::mark(&mut m, &mut maps, &blocks, true);
        env.commit(m).map(|_| ())
    }

    /// Inserts the missing parent item of `left`'s right neighbour and clears the flag. `high` is `left`'s high key as seen. Does nothing if
    /// somebody else was faster.
    pub(super) fn finish_split(&self, env: &Env, left: u32, level: u8, high: &[u8]) -> Result<()> {
        loop {
            let promise = env.wal.promise(record_bound(2, 2 * super::MAX_KEY_BYTES + 256))?;
            let Some(mut parent) = self.page_for_write(env, high, level + 1, Unfinished::MustEnd)? else {
                // Finished by somebody else, merged again, and the tree became lower: fine, if the page says so.
                let page = env.pool.read(self.id(left))?;
                let p = Page(&page);
                if p.has(flag::DEAD) || !p.has(flag::SPLIT_UNFINISHED) || p.level() != level {
                    return Ok(());
                }
                return Err(Error::in_file(self.space.file(), format!("block {left} has no parent")));
            };
            // Top-down (tree invariant 4). The child was here a moment ago, so this rarely waits for the disk.
            let mut child = env.pool.write(self.id(left))?;
            let (right, flags, still) = {
                let p = Page(&child);
                let still = p.has(flag::SPLIT_UNFINISHED) && !p.has(flag::DEAD) && p.level() == level;
                (p.right(), p.flags(), still && p.high() == Some(high))
            };
            if !still {
                return Ok(());
            }
            if Page(&parent).slot_count() == 0 {
                return Err(Error::of_page(parent.id(), "inner page without children"));
            }
            let slot = find_child(&parent, high, false);
            if inner_child(Page(&parent).item(slot))? != left {
                return Err(Error::of_page(
                    parent.id(),
                    format!("expected block {left} below, found another page"),
                ));
            }
            let item = inner_item(right, high);
            if !Tree::fits(&parent, None, item.len()) {
                drop((parent, child, promise));
                self.split_level(env, high, level + 1, item.len() + SLOT_BYTES)?;
                continue;
            }
            let mut m = Mtr::new();
            m.page(&mut parent).op(Op::Insert { slot: slot + 1, item: &item });
            m.page(&mut child).op(Op::Flags(flags & !flag::SPLIT_UNFINISHED));
            return env.commit(m).map(|_| ());
        }
    }
}
