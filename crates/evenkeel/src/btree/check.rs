//! The verifier of a tree: order, fences, links, levels. Reads every page of the tree; nobody may change it meanwhile.

use super::Tree;
use super::entry::{inner_child, inner_key, leaf_key, parse};
use crate::base::Result;
use crate::btree::entry::LeafItem;
use crate::mtr::Env;
use crate::page::{Kind, Page, flag};
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

struct Level {
    /// Children in order, with their low fences.
    children: Vec<(u32, Vec<u8>)>,
}

/// Most problems listed for a tree: one torn link shows up many times.
const MAX_PROBLEMS: usize = 50;

impl Tree {
    /// Checks the tree level by level from the root, and calls `leaf` with every leaf item in order.
    pub fn check(&self, env: &Env, mut leaf: impl FnMut(LeafItem<'_>) -> Result<()>) -> Result<TreeReport> {
        let mut report = TreeReport::default();
        let mut level = Level { children: vec![(ROOT_BLOCK, Vec::new())] };
        let mut expected: Option<u8> = None;
        loop {
            let mut next = Level { children: Vec::new() };
            let mut this_level = expected;
            for i in 0..level.children.len() {
                let (block, low) = &level.children[i];
                let following = level.children.get(i + 1);
                let at = self.id(*block);
                if report.problems.len() >= MAX_PROBLEMS {
                    return Ok(report);
                }
                if !report.blocks.insert(*block) {
                    report.problems.push(format!("{at}: reached twice"));
                    continue;
                }
                let page = match env.pool.read(at) {
                    Ok(p) => p,
                    Err(e) => {
                        report.problems.push(e.to_string());
                        continue;
                    }
                };
                let p = Page(&page);
                let mut bad = |why: String| report.problems.push(format!("{at}: {why}"));
                if p.kind() != Some(Kind::Tree) {
                    bad(format!("kind {:?} in a tree", p.kind()));
                    continue;
                }
                if p.has(flag::DEAD) {
                    bad("dead, but its parent names it".into());
                }
                let this = *this_level.get_or_insert(p.level());
                if p.level() != this {
                    bad(format!("level {} among level {this}", p.level()));
                    continue;
                }
                // An unfinished split: the parent does not know the right neighbour yet.
                let mut high = p.high().map(<[u8]>::to_vec);
                let mut right = p.right();
                let mut more = Vec::new();
                if p.has(flag::SPLIT_UNFINISHED) {
                    match &high {
                        Some(h) => more.push((right, h.clone())),
                        None => bad("split unfinished without a high key".into()),
                    }
                }
                if more.is_empty() {
                    match (&high, following) {
                        (Some(h), Some((b, l))) if h == l && right == *b => {}
                        (None, None) if right == 0 => {}
                        _ => bad(format!(
                            "right link {right} and high key do not fit the parent, which says {:?}",
                            following.map(|f| f.0)
                        )),
                    }
                }
                let mut last: Option<Vec<u8>> = None;
                for slot in 0..p.slot_count() {
                    let item = p.item(slot);
                    let key = if this == 0 { leaf_key(item) } else { inner_key(item) };
                    if last.as_deref().is_some_and(|l| l >= key) {
                        bad(format!("slot {slot}: keys out of order"));
                    }
                    if (slot > 0 || this == 0) && key < &low[..] || high.as_deref().is_some_and(|h| key >= h)
                    {
                        bad(format!("slot {slot}: key outside the page's range"));
                    }
                    last = Some(key.to_vec());
                    if this == 0 {
                        report.items += 1;
                        match parse(item) {
                            Ok(i) => leaf(i)?,
                            Err(e) => bad(format!("slot {slot}: {e}")),
                        }
                    } else {
                        let key = if slot == 0 { low.clone() } else { key.to_vec() };
                        next.children.push((inner_child(item)?, key));
                    }
                }
                if this > 0 && p.slot_count() == 0 {
                    bad("inner page without children".into());
                }
                // Neighbours that no parent names yet are checked as part of this level.
                while let Some((block, low)) = more.pop() {
                    let at = self.id(block);
                    if !report.blocks.insert(block) {
                        report.problems.push(format!("{at}: reached twice"));
                        continue;
                    }
                    let page = match env.pool.read(at) {
                        Ok(p) => p,
                        Err(e) => {
                            report.problems.push(e.to_string());
                            continue;
                        }
                    };
                    let p = Page(&page);
                    if p.kind() != Some(Kind::Tree) {
                        report.problems.push(format!("{at}: kind {:?} in a tree", p.kind()));
                        continue;
                    }
                    if p.level() != this || p.has(flag::SPLIT_UNFINISHED) || p.has(flag::DEAD) {
                        report
                            .problems
                            .push(format!("{at}: dead, a second unfinished split in a row, or wrong level"));
                        continue;
                    }
                    let mut last: Option<Vec<u8>> = None;
                    for slot in 0..p.slot_count() {
                        let item = p.item(slot);
                        let key = if this == 0 { leaf_key(item) } else { inner_key(item) };
                        if last.as_deref().is_some_and(|l| l >= key)
                            || (slot > 0 || this == 0) && key < &low[..]
                            || p.high().is_some_and(|h| key >= h)
                        {
                            report.problems.push(format!("{at}: slot {slot}: key out of order or range"));
                        }
                        last = Some(key.to_vec());
                        if this == 0 {
                            report.items += 1;
                            leaf(parse(item)?)?;
                        } else {
                            let key = if slot == 0 { low.clone() } else { key.to_vec() };
                            next.children.push((inner_child(item)?, key));
                        }
                    }
                    (high, right) = (p.high().map(<[u8]>::to_vec), p.right());
                    let fits = match (&high, following) {
                        (Some(h), Some((b, l))) => h == l && right == *b,
                        (None, None) => right == 0,
                        _ => false,
                    };
                    if !fits {
                        report.problems.push(format!("{at}: right link and high key do not fit"));
                    }
                }
            }
            let Some(this) = this_level else { return Ok(report) };
            report.height = report.height.max(this + 1);
            if this == 0 {
                return Ok(report);
            }
            expected = Some(this - 1);
            level = next;
        }
    }
}
