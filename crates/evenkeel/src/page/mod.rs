//! Page bytes: header, slots, checksum, and the physical changes that a log record can make to them. Pure functions over
//! `[u8; PAGE_BYTES]`.
//!
//! Must not know: frames, files, logs, what a key or a tree is.
//!
//! Layout (little-endian):
//!
//! | offset | width | field |
//! | --- | --- | --- |
//! | 0 | 4 | CRC32C of bytes 4.., seeded with file id and block: a page at the wrong place fails |
//! | 4 | 1 | kind ([`Kind`]) |
//! | 5 | 1 | level (0 = leaf) |
//! | 6 | 2 | flags ([`flag`]) |
//! | 8 | 8 | LSN: end of the last record that changed the page |
//! | 16 | 4 | right link, or next block of a chain (0 = none) |
//! | 20 | 2 | number of slots |
//! | 22 | 2 | start of the item heap, which grows down from the page's end |
//! | 24 | 2 | garbage bytes inside the heap |
//! | 26 | 2+2 | high key: offset and length (0,0 = none, plus infinity) |
//! | 30 | 2 | reserved, zero |
//! | 32 | 4 each | slots: offset u16, length u16 |
//!
//! Invariants
//! 1. Items lie in [heap start, PAGE_BYTES) and slots end at or before the heap start; what lies between is the hole, whose content
//!    has no meaning.
//! 2. Every change is an [`Op`] applied by [`apply`]; run time and redo call the same function on the same bytes.
//! 3. `apply` checks everything it is given: a damaged log or page gives `Error::Corrupt`, never a panic or a write outside the page.

mod apply;
mod op;
mod slots;

pub use apply::{apply, check};
pub use op::{Op, SPARSE_BYTES_MAX, diff, encode_last_op, encode_op, expand, patch};
pub use slots::{Page, PageMut};

use crate::base::{Lsn, PAGE_BYTES, PageId, codec};

/// Bytes before the slots.
pub const HEADER_BYTES: usize = 32;
/// Bytes of a slot.
pub const SLOT_BYTES: usize = 4;
/// Bytes for slots, items and high key.
pub const ROOM_BYTES: usize = PAGE_BYTES - HEADER_BYTES;

/// What a page is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Never initialised (all zeros).
    Unused = 0,
    /// A tree page: slots sorted by key.
    Tree = 1,
    /// A piece of a large value.
    Overflow = 2,
    /// Allocation map.
    Map = 3,
}

impl Kind {
    /// `None` for bytes that no version ever wrote.
    pub fn from_byte(b: u8) -> Option<Kind> {
        match b {
            0 => Some(Kind::Unused),
            1 => Some(Kind::Tree),
            2 => Some(Kind::Overflow),
            3 => Some(Kind::Map),
            _ => None,
        }
    }
}

/// Page flags.
pub mod flag {
    /// The parent has no entry for the right neighbour yet; the next visitor inserts it.
    pub const SPLIT_UNFINISHED: u16 = 1;
    /// Merged away: whoever arrives starts again at the root.
    pub const DEAD: u16 = 2;
    /// On a root that lives apart from its tree: the tree has a file (space invariant 6).
    pub const HAS_FILE: u16 = 4;
}

mod at {
    pub const CRC: usize = 0;
    pub const KIND: usize = 4;
    pub const LEVEL: usize = 5;
    pub const FLAGS: usize = 6;
    pub const LSN: usize = 8;
    pub const RIGHT: usize = 16;
    pub const SLOTS: usize = 20;
    pub const HEAP: usize = 22;
    pub const GARBAGE: usize = 24;
    pub const HIGH_OFF: usize = 26;
    pub const HIGH_LEN: usize = 28;
}

fn seed(id: PageId) -> u32 {
    let mut b = [0u8; 12];
    b[..8].copy_from_slice(&id.file.0.to_le_bytes());
    b[8..].copy_from_slice(&id.block.0.to_le_bytes());
    crc32c::crc32c(&b)
}

/// The checksum that `page` should carry at `id`.
pub fn checksum(page: &[u8], id: PageId) -> u32 {
    crc32c::crc32c_append(seed(id), &page[4..])
}

/// Writes the checksum into the page: done on the copy that goes to disk.
pub fn seal(page: &mut [u8], id: PageId) {
    let crc = checksum(page, id);
    page[at::CRC..at::CRC + 4].copy_from_slice(&crc.to_le_bytes());
}

/// Whether a page read from disk is what was written there. An all-zero page (allocated, never written) is valid.
pub fn verify(page: &[u8], id: PageId) -> bool {
    codec::u32_at(page, at::CRC) == checksum(page, id) || page.iter().all(|&b| b == 0)
}

/// The page's LSN.
pub fn lsn(page: &[u8]) -> Lsn {
    Lsn(codec::u64_at(page, at::LSN))
}

/// Sets the page's LSN.
pub fn set_lsn(page: &mut [u8], lsn: Lsn) {
    page[at::LSN..at::LSN + 8].copy_from_slice(&lsn.0.to_le_bytes());
}

/// The hole of a tree page (invariant 1), as a range that an image may leave out. Empty for other kinds.
pub fn hole(page: &[u8]) -> std::ops::Range<usize> {
    let p = Page(page);
    let (from, to) = (HEADER_BYTES + p.slot_count() * SLOT_BYTES, p.heap_start());
    if p.kind() != Some(Kind::Tree) || from > to || to > PAGE_BYTES {
        return 0..0;
    }
    from..to
}
