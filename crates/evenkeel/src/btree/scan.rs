//! Leaves in key order, both ways. The caller copies what it needs and comes back with a key: no latch or pin outlives a call.

use super::Tree;
use super::descend::expect_tree_page;
use super::entry::{inner_child, inner_key, leaf_key};
use crate::base::{Error, Result};
use crate::mtr::Env;
use crate::page::{Page, flag};
use crate::pool::PageRead;
use crate::space::ROOT_BLOCK;

/// A leaf for a forward scan: its items from slot `from` on are at or above the key asked for. The scan goes on at the page's high key.
pub struct LeafFrom<'p> {
    /// The leaf.
    pub page: PageRead<'p>,
    /// First slot in range.
    pub from: usize,
}

/// A leaf for a backward scan: its items in slots `..to` are below the bound asked for. The scan goes on below `low`.
pub struct LeafBefore<'p> {
    /// The leaf.
    pub page: PageRead<'p>,
    /// One past the last slot in range.
    pub to: usize,
    /// The leaf's low fence; empty on the leftmost leaf: nothing is further left.
    pub low: Vec<u8>,
}

impl Tree {
    /// The leaf that holds `key` or would.
    pub fn leaf_from<'p>(&self, env: &'p Env, key: &[u8]) -> Result<LeafFrom<'p>> {
        let page = self.leaf_for_read(env, key)?;
        let from = super::descend::find_leaf(&page, key).unwrap_or_else(|at| at);
        Ok(LeafFrom { page, from })
    }

    /// The same, for a scan that comes from the leaf before: mostly all items are in range, which the first one shows. Looking for the place would touch items far from it.
    pub fn next_leaf_from<'p>(&self, env: &'p Env, key: &[u8]) -> Result<LeafFrom<'p>> {
        let page = self.leaf_for_read(env, key)?;
        let p = Page(&page);
        let is_whole = p.slot_count() > 0 && leaf_key(p.item(0)) >= key;
        let from = match is_whole {
            true => 0,
            false => super::descend::find_leaf(&page, key).unwrap_or_else(|at| at),
        };
        Ok(LeafFrom { page, from })
    }

    /// The leaf whose range ends at or holds `bound`, coming from the left; `None` = the rightmost leaf.
    pub fn leaf_before<'p>(&self, env: &'p Env, bound: Option<&[u8]>) -> Result<LeafBefore<'p>> {
        let (mut block, mut low) = (ROOT_BLOCK, Vec::new());
        for _ in 0..100_000 {
            let page = env.read(self.id(block))?;
            expect_tree_page(&page, page.id())?;
            let p = Page(&page);
            if p.has(flag::DEAD) {
                (block, low) = (ROOT_BLOCK, Vec::new());
                continue;
            }
            let right = match (p.high(), bound) {
                (Some(h), Some(b)) => h < b,
                (Some(_), None) => true,
                (None, _) => false,
            };
            if right {
                low = p.high().unwrap_or_default().to_vec();
                block = p.right();
            } else if p.level() == 0 {
                let to = match bound {
                    Some(b) => super::descend::find_leaf(&page, b).unwrap_or_else(|at| at),
                    None => p.slot_count(),
                };
                return Ok(LeafBefore { page, to, low });
            } else if p.slot_count() == 0 {
                return Err(Error::of_page(page.id(), "inner page without children"));
            } else {
                let slot = match bound {
                    Some(b) => super::descend::find_child(&page, b, true),
                    None => p.slot_count() - 1,
                };
                if slot > 0 {
                    low = inner_key(p.item(slot)).to_vec();
                }
                block = inner_child(p.item(slot))?;
            }
        }
        Err(Error::in_file(self.space.file(), "tree links run in a circle"))
    }
}
