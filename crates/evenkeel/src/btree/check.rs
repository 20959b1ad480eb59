//! The verifier of a tree: order, fences, links, levels. Reads every page of the tree; nobody may change it meanwhile.

use super::Tree;
use super::entry::{inner_child, inner_key, leaf_key, parse};
use crate::base::{PageId, Result};
use crate::btree::entry::LeafItem;
use crate::mtr::Env;
use crate::page::{Kind, Page, flag};
use crate::pool::PageRead;
use crate::space::ROOT_BLOCK;
use std::collections::BTreeSet;

/// What was found.
#[derive(Default, Debug)]
pub struct TreeReport {
    /// Blocks that belong to the tree's pages.
    pub blocks: BTreeSet<u32>,
    /// Leaf items.
    pub items: u64,
    /// Levels.
    pub height: u8,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// Most problems listed for a tree: one torn link shows up many times.
const MAX_PROBLEMS: usize = 50;

/// A page that its parent names, or its left half, and the lowest key that it may have.
type Child = (u32, Vec<u8>);

/// What a check has found so far.
struct Found<'l> {
    report: TreeReport,
    /// Is given each leaf item.
    leaf: &'l mut dyn FnMut(LeafItem<'_>) -> Result<()>,
    /// The level below.
    next: Vec<Child>,
}

impl Found<'_> {
    fn problem(&mut self, at: PageId, why: impl std::fmt::Display) {
        self.report.problems.push(format!("{at}: {why}"));
    }

    /// A page's items: their order, their range, and that each can be read.
    fn items(&mut self, p: Page<'_>, at: PageId, low: &[u8]) -> Result<()> {
        let is_leaf = p.level() == 0;
        let mut last: Option<&[u8]> = None;
        for slot in 0..p.slot_count() {
            let item = p.item(slot);
            let key = if is_leaf { leaf_key(item) } else { inner_key(item) };
            if last.is_some_and(|l| l >= key) {
                self.problem(at, format!("slot {slot}: keys out of order"));
            }
            if (slot > 0 || is_leaf) && key < low || p.high().is_some_and(|h| key >= h) {
                self.problem(at, format!("slot {slot}: key outside the page's range"));
            }
            last = Some(key);
            if is_leaf {
                self.report.items += 1;
                match parse(item) {
                    Ok(i) => (self.leaf)(i)?,
                    Err(e) => self.problem(at, format!("slot {slot}: {e}")),
                }
            } else {
                let key = if slot == 0 { low } else { key };
                match inner_child(item) {
                    Ok(child) => self.next.push((child, key.to_vec())),
                    Err(e) => self.problem(at, format!("slot {slot}: {e}")),
                }
            }
        }
        if !is_leaf && p.slot_count() == 0 {
            self.problem(at, "inner page without children");
        }
        Ok(())
    }

    /// A page's right link and high key: what follows it, if anything does.
    fn right(&mut self, p: Page<'_>, at: PageId, following: Option<&Child>) {
        let fits = match (p.high(), following) {
            (Some(high), Some((block, low))) => high == &low[..] && p.right() == *block,
            (None, None) => p.right() == 0,
            _ => false,
        };
        if !fits {
            let says = following.map(|f| f.0);
            let why =
                format!("right link {} and high key do not fit the parent, which says {says:?}", p.right());
            self.problem(at, why);
        }
    }
}

impl Tree {
    /// Checks the tree level by level from the root, and calls `leaf` with every leaf item in order.
    pub fn check(&self, env: &Env, mut leaf: impl FnMut(LeafItem<'_>) -> Result<()>) -> Result<TreeReport> {
        let mut found = Found { report: TreeReport::default(), leaf: &mut leaf, next: Vec::new() };
        let mut level: Vec<Child> = vec![(ROOT_BLOCK, Vec::new())];
        let mut expected: Option<u8> = None;
        loop {
            let mut this_level = expected;
            for (i, (block, low)) in level.iter().enumerate() {
                if found.report.problems.len() >= MAX_PROBLEMS {
                    return Ok(found.report);
                }
                let Some(page) = self.node(env, *block, &mut found) else { continue };
                let (p, at, following) = (Page(&page), self.id(*block), level.get(i + 1));
                if p.has(flag::DEAD) {
                    found.problem(at, "dead, but its parent names it");
                }
                let this = *this_level.get_or_insert(p.level());
                if p.level() != this {
                    found.problem(at, format!("level {} among level {this}", p.level()));
                    continue;
                }
                found.items(p, at, low)?;
                match p.high() {
                    // An unfinished split: the parent does not know the right half yet.
                    Some(high) if p.has(flag::SPLIT_UNFINISHED) => {
                        self.check_half(env, (p.right(), high.to_vec()), this, following, &mut found)?;
                    }
                    high => {
                        if high.is_none() && p.has(flag::SPLIT_UNFINISHED) {
                            found.problem(at, "split unfinished without a high key");
                        }
                        found.right(p, at, following);
                    }
                }
            }
            let Some(this) = this_level else { return Ok(found.report) };
            found.report.height = found.report.height.max(this + 1);
            if this == 0 {
                return Ok(found.report);
            }
            expected = Some(this - 1);
            level = std::mem::take(&mut found.next);
        }
    }

    /// The right half of a page that was split, which no parent names yet: a part of its level.
    fn check_half(
        &self,
        env: &Env,
        (block, low): Child,
        level: u8,
        following: Option<&Child>,
        found: &mut Found<'_>,
    ) -> Result<()> {
        let Some(page) = self.node(env, block, found) else { return Ok(()) };
        let (p, at) = (Page(&page), self.id(block));
        if p.level() != level || p.has(flag::SPLIT_UNFINISHED) || p.has(flag::DEAD) {
            found.problem(at, "dead, a second unfinished split in a row, or wrong level");
            return Ok(());
        }
        found.items(p, at, &low)?;
        found.right(p, at, following);
        Ok(())
    }

    /// A page of the tree that was not met before; what else it is, or that it cannot be read, is a problem.
    fn node<'p>(&self, env: &'p Env, block: u32, found: &mut Found<'_>) -> Option<PageRead<'p>> {
        let at = self.id(block);
        if !found.report.blocks.insert(block) {
            found.problem(at, "reached twice");
            return None;
        }
        let page = match env.pool.read(at) {
            Ok(page) => page,
            Err(e) => {
                found.report.problems.push(e.to_string());
                return None;
            }
        };
        if Page(&page).kind() != Some(Kind::Tree) {
            found.problem(at, format!("kind {:?} in a tree", Page(&page).kind()));
            return None;
        }
        Some(page)
    }
}
