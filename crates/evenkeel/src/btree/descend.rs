//! The way down: one latch at a time, stepping right where a split overtook us.

use super::Tree;
use super::entry::{compare, inner_child, inner_key, leaf_key};
use crate::base::{Error, Result};
use crate::mtr::Env;
use crate::page::{Kind, Page, flag};
use crate::pool::{PageRead, PageWrite};
use crate::space::ROOT_BLOCK;
use std::cmp::Ordering;

/// Steps after which links must run in a circle.
const MAX_STEPS: usize = 100_000;

/// Place of a key among the slots of a leaf: `Ok` = there, `Err` = where it would go.
pub fn find_leaf(page: &[u8], key: &[u8]) -> std::result::Result<usize, usize> {
    let p = Page(page);
    let (mut lo, mut hi) = (0, p.slot_count());
    while lo < hi {
        let mid = (lo + hi) / 2;
        match compare(leaf_key(p.item(mid)), key) {
            Ordering::Less => lo = mid + 1,
            Ordering::Equal => return Ok(mid),
            Ordering::Greater => hi = mid,
        }
    }
    Err(lo)
}

/// The slot of the child whose range holds `key`: the last with key at or below it (`strict`: below it). Slot 0 needs no comparison (tree
/// invariant 2). The page must have a slot.
pub(super) fn find_child(page: &[u8], key: &[u8], strict: bool) -> usize {
    let p = Page(page);
    let (mut lo, mut hi) = (1, p.slot_count());
    while lo < hi {
        let mid = (lo + hi) / 2;
        match compare(inner_key(p.item(mid)), key) {
            Ordering::Less => lo = mid + 1,
            Ordering::Equal if !strict => lo = mid + 1,
            _ => hi = mid,
        }
    }
    lo - 1
}

/// Whether `key` lies at or above the page's high key, so that the search goes on to the right.
pub(super) fn beyond(page: &[u8], key: &[u8]) -> bool {
    Page(page).high().is_some_and(|h| compare(key, h).is_ge())
}

pub(super) fn expect_tree_page(page: &[u8], what: impl std::fmt::Display) -> Result<()> {
    match Page(page).kind() {
        Some(Kind::Tree) => Ok(()),
        k => Err(Error::corrupt(format!("{what}: expected a tree page, found {k:?}"))),
    }
}

/// What a writer does about an unfinished split for whose end there is no space.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// Goes on: it changes items only, and a rollback must not depend on free blocks.
    MayStay,
    /// Fails: it changes the structure (tree invariant 3).
    MustEnd,
}

/// Where the next step of a descent goes.
enum Step {
    Arrived,
    To(u32),
    Restart,
}

impl Tree {
    fn circular(&self) -> Error {
        Error::in_file(self.space.file(), "tree links run in a circle")
    }

    /// One step towards the page of `level` that holds `key`.
    fn step(&self, page: &[u8], block: u32, key: &[u8], level: u8) -> Result<Step> {
        let at = self.id(block);
        expect_tree_page(page, at)?;
        let p = Page(page);
        if p.has(flag::DEAD) {
            return Ok(Step::Restart);
        }
        if beyond(page, key) {
            return match p.right() {
                0 => Err(Error::of_page(at, "high key without a right neighbour")),
                right => Ok(Step::To(right)),
            };
        }
        if p.level() == level {
            return Ok(Step::Arrived);
        }
        if p.level() < level {
            return Ok(Step::Restart); // the root grew or shrank under us
        }
        if p.slot_count() == 0 {
            return Err(Error::of_page(at, "inner page without children"));
        }
        inner_child(p.item(find_child(page, key, false))).map(Step::To)
    }

    /// The leaf that holds `key`, latched for reading. Descents must be registered (`space.descend()`) by the caller.
    pub fn leaf_for_read<'p>(&self, env: &'p Env, key: &[u8]) -> Result<PageRead<'p>> {
        if let Some(block) = self.likely()
            && let Some(page) = env.pool.read_present(self.id(block))
            && self.is_there(&page, key)
        {
            self.arrived(block);
            return Ok(page);
        }
        let mut block = ROOT_BLOCK;
        for _ in 0..MAX_STEPS {
            let page = env.read(self.id(block))?;
            match self.step(&page, block, key, 0)? {
                Step::Arrived => {
                    self.arrived(block);
                    return Ok(page);
                }
                Step::To(next) => block = next,
                Step::Restart => block = ROOT_BLOCK,
            }
        }
        Err(self.circular())
    }

    /// The page of `level` that holds `key`, latched for changing. Finishes unfinished splits on the way (tree invariant 3). `Ok(None)`:
    /// the tree is not that high.
    pub(super) fn page_for_write<'p>(
        &self,
        env: &'p Env,
        key: &[u8],
        level: u8,
        unfinished: Unfinished,
    ) -> Result<Option<PageWrite<'p>>> {
        let mut finish = true;
        let mut block = ROOT_BLOCK;
        // Level of the page that `block` names, once known: then the right latch is taken at once.
        let mut expected: Option<u8> = None;
        for _ in 0..MAX_STEPS {
            if expected != Some(level) {
                let page = env.pool.read(self.id(block))?;
                let step = self.step(&page, block, key, level)?;
                let p = Page(&page);
                if finish && p.has(flag::SPLIT_UNFINISHED) && !p.has(flag::DEAD) {
                    let (at, high) = (p.level(), p.high().unwrap_or_default().to_vec());
                    drop(page);
                    match self.finish_split(env, block, at, &high) {
                        Err(Error::OutOfSpace { .. }) if unfinished == Unfinished::MayStay => finish = false,
                        done => done?,
                    }
                    (block, expected) = (ROOT_BLOCK, None);
                    continue;
                }
                match step {
                    Step::Arrived => expected = Some(level), // again, exclusively
                    Step::To(next) => {
                        expected = Some(if beyond(&page, key) { p.level() } else { p.level() - 1 });
                        block = next;
                    }
                    Step::Restart if block == ROOT_BLOCK && p.level() < level => return Ok(None),
                    Step::Restart => (block, expected) = (ROOT_BLOCK, None),
                }
                continue;
            }
            let page = env.pool.write(self.id(block))?;
            match self.step(&page, block, key, level)? {
                _ if finish && Page(&page).has(flag::SPLIT_UNFINISHED) && !Page(&page).has(flag::DEAD) => {
                    expected = None; // the reading branch finishes it
                }
                Step::Arrived => return Ok(Some(page)),
                Step::To(next) => {
                    expected = if beyond(&page, key) { Some(level) } else { None };
                    block = next;
                }
                Step::Restart => (block, expected) = (ROOT_BLOCK, None),
            }
        }
        Err(self.circular())
    }

    /// The leaf that holds `key`, latched for changing, and the key's place on it.
    pub fn leaf_for_write<'p>(
        &self,
        env: &'p Env,
        key: &[u8],
    ) -> Result<(PageWrite<'p>, std::result::Result<usize, usize>)> {
        if let Some(block) = self.likely()
            && let Some(page) = env.pool.write_present(self.id(block))
            && self.is_there(&page, key)
            && !Page(&page).has(flag::SPLIT_UNFINISHED)
        {
            self.arrived(block);
            let slot = find_leaf(&page, key);
            return Ok((page, slot));
        }
        let page = self.page_for_write(env, key, 0, Unfinished::MayStay)?.expect("every tree has leaves");
        self.arrived(self.block_of(page.id()));
        let slot = find_leaf(&page, key);
        Ok((page, slot))
    }
}
