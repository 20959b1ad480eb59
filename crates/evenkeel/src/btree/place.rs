//! Where this thread last arrived in trees: what is near that is found there, without a descent.
//!
//! Rows that are loaded, or read in the order of a key, go to one leaf many times in turn. A leaf that is remembered is looked at first, if that has lately been worth while; whether it holds a key, it says itself.
//!
//! Invariants
//! 1. A page is taken for the leaf of a key only by what it says under its latch: it is a leaf of the tree's file that is not dead, its first key is not above the key, and its high key is.
//!    Ranges of leaves do not meet (tree invariant 1), so there is no other, and what is remembered was reached once: not of another database, where the block may be a leaf that nobody can reach, of
//!    a tree that is being filled. A place may be wrong. Of a block that was cut off since (`space::cuts`) the pool may
//!    have what the file still has, which does not say that it is dead: such places do not count, and it is asked behind the latch. Nor do those from before the tree began
//!    to be filled: a block that was given back may be a leaf again that nobody can reach, and stays one if the filling is given up.
//! 2. Only trees whose root is elsewhere are remembered: a file that has a root may be that of the tree of trees, which has the roots of others.
//!
//! Rejected: to remember the path, so as to begin halfway: the pages above are in the processor's cache.
//!
//! Must not know: what is read or written.

use super::Tree;
use super::descend::beyond;
use super::entry::{compare, leaf_key};
use crate::base::sync;
use crate::page::{Kind, Page, flag};
use crate::space::{ROOT_BLOCK, cuts};
use std::cell::Cell;

/// Trees that a thread remembers, at most.
const PLACES: usize = 64;
/// How many leaves in turn may be others before a place is not looked at any more.
const SCORE_MAX: u8 = 3;

#[derive(Clone, Copy)]
struct Place {
    tree: u64,
    block: u32,
    /// How often it was the next time as well, lately.
    score: u8,
    /// `space::cuts` at that time.
    cuts: u64,
}

sync::thread_local! {
    static ALL: [Cell<Place>; PLACES] = const { [const { Cell::new(Place { tree: 0, block: 0, score: 0, cuts: 0 }) }; PLACES] };
}

impl Tree {
    /// The leaf that is worth a look.
    pub(super) fn likely(&self) -> Option<u32> {
        let place = ALL.with(|all| all[self.serial as usize % PLACES].get());
        (place.tree == self.serial && place.score > 0 && place.cuts == cuts()).then_some(place.block)
    }

    /// Whether the page of the remembered block, latched, is the leaf of a key (1).
    pub(super) fn is_there(&self, page: &[u8], key: &[u8]) -> bool {
        is_leaf_of(page, key) && ALL.with(|all| all[self.serial as usize % PLACES].get()).cuts == cuts()
    }

    /// A descent ended here, or was not needed.
    pub(super) fn arrived(&self, block: u32) {
        if block == ROOT_BLOCK || self.root_elsewhere().is_none() {
            return;
        }
        ALL.with(|all| {
            let cell = &all[self.serial as usize % PLACES];
            let before = cell.get();
            let now = cuts();
            let score = match before {
                p if p.tree != self.serial || p.cuts != now => 0,
                p if p.block == block => SCORE_MAX.min(p.score + 1),
                p => p.score.saturating_sub(1),
            };
            cell.set(Place { tree: self.serial, block, score, cuts: now });
        });
    }
}

/// Whether a page, of which nothing else is known, is the leaf of a key (1).
fn is_leaf_of(page: &[u8], key: &[u8]) -> bool {
    let p = Page(page);
    p.kind() == Some(Kind::Tree)
        && p.level() == 0
        && !p.has(flag::DEAD)
        && p.slot_count() > 0
        && compare(leaf_key(p.item(0)), key).is_le()
        && !beyond(page, key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{FileId, PageId};

    #[test]
    fn a_place_is_looked_at_while_it_is_worth_while() {
        let elsewhere = PageId::new(FileId(1), 9);
        let tree = Tree::with_root(FileId(40), elsewhere);
        assert_eq!(tree.likely(), None);
        tree.arrived(7);
        assert_eq!(tree.likely(), None, "once says nothing");
        tree.arrived(7);
        assert_eq!(tree.likely(), Some(7));
        tree.arrived(8);
        assert_eq!(tree.likely(), None);
        (0..5).for_each(|_| tree.arrived(8));
        tree.arrived(9);
        assert_eq!(tree.likely(), Some(9), "the next leaf of a scan");
        // Another tree in the same place, and one whose file may have the roots of others.
        let mut other = Tree::with_root(FileId(40), elsewhere);
        other.serial = tree.serial + PLACES as u64;
        other.arrived(3);
        assert_eq!(tree.likely(), None);
        let own = Tree::new(FileId(41));
        (0..5).for_each(|_| own.arrived(8));
        assert_eq!(own.likely(), None);
        (0..5).for_each(|_| tree.arrived(ROOT_BLOCK));
        assert_eq!(tree.likely(), None);
    }
}
