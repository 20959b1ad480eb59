//! B-link trees over the pages of one file. See `README.md`.
//!
//! Must not know: transactions, visibility; a leaf item is a key and bytes to it (`entry.rs` gives the layout, the row layer the
//! meaning).

#![doc = include_str!("README.md")]

pub mod check;
mod descend;
pub mod entry;
mod merge;
mod scan;
mod split;

pub use merge::is_sparse;
pub use scan::{LeafBefore, LeafFrom};

use crate::base::{FileId, PageId};
use crate::page::{Page, ROOM_BYTES, SLOT_BYTES};
use crate::space::FileSpace;

/// Longest key.
pub const MAX_KEY_BYTES: usize = 1900;
/// Longest leaf item; longer values go to overflow chains. Four fit a page.
pub const MAX_ITEM_BYTES: usize = ROOM_BYTES / 4 - SLOT_BYTES - 8;

/// A tree. Its root is block 1 of its file, for ever.
pub struct Tree {
    /// The file's space.
    pub space: FileSpace,
}

impl Tree {
    /// The tree in an existing file.
    pub fn new(file: FileId) -> Tree {
        Tree { space: FileSpace::new(file) }
    }

    fn id(&self, block: u32) -> PageId {
        PageId::new(self.space.file(), block)
    }

    /// Whether `page` takes an item of `new` bytes as a new slot, or in place of one of `old` bytes.
    pub fn fits(page: &[u8], old: Option<usize>, new: usize) -> bool {
        match old {
            None => Page(page).free_bytes() >= new + SLOT_BYTES,
            Some(old) => Page(page).free_bytes() + old >= new,
        }
    }
}
