//! B-link trees over the pages of one file, the root perhaps apart. See `README.md`.
//!
//! Must not know: transactions, visibility; a leaf item is a key and bytes to it (`entry.rs` gives the layout, the row layer the
//! meaning).

#![doc = include_str!("README.md")]

mod bulk;
pub mod check;
mod descend;
pub mod entry;
mod merge;
mod place;
mod scan;
mod split;

pub use bulk::{Bulk, Parts};
pub use descend::find_leaf;
pub use merge::is_sparse;
pub use scan::{LeafBefore, LeafFrom};

use crate::base::sync::{AtomicU64, Ordering};
use crate::base::{FileId, PageId};
use crate::page::{Page, ROOM_BYTES, SLOT_BYTES};
use crate::space::{FileSpace, ROOT_BLOCK};

/// Longest key.
pub const MAX_KEY_BYTES: usize = 1900;
/// Longest leaf item; longer values go to overflow chains. Four fit a page.
pub const MAX_ITEM_BYTES: usize = ROOM_BYTES / 4 - SLOT_BYTES - 8;

/// A tree. Its root never moves: it is block 1 of the tree's file, or a page of another file.
pub struct Tree {
    /// The file's space.
    pub space: FileSpace,
    root: PageId,
    /// Of this process: what threads remember is of this tree, not of another database's with the same number.
    serial: u64,
}

fn next_serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Tree {
    /// The tree in an existing file.
    pub fn new(file: FileId) -> Tree {
        let root = PageId::new(file, ROOT_BLOCK);
        Tree { space: FileSpace::new(file), root, serial: next_serial() }
    }

    /// The tree whose root is a page of another file; `file` is made when it outgrows that.
    pub fn with_root(file: FileId, root: PageId) -> Tree {
        Tree { space: FileSpace::with_root(file, root), root, serial: next_serial() }
    }

    /// The root, if it is a page of another file.
    pub fn root_elsewhere(&self) -> Option<PageId> {
        (self.root.file != self.space.file()).then_some(self.root)
    }

    /// The page that tree links mean by a block. The root, wherever it is, goes by the name of block 1.
    fn id(&self, block: u32) -> PageId {
        if block == ROOT_BLOCK { self.root } else { PageId::new(self.space.file(), block) }
    }

    fn block_of(&self, page: PageId) -> u32 {
        if page == self.root { ROOT_BLOCK } else { page.block.0 }
    }

    /// Whether `page` takes an item of `new` bytes as a new slot, or in place of one of `old` bytes.
    pub fn fits(page: &[u8], old: Option<usize>, new: usize) -> bool {
        match old {
            None => Page(page).free_bytes() >= new + SLOT_BYTES,
            Some(old) => Page(page).free_bytes() + old >= new,
        }
    }
}
