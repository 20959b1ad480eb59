//! Which pages are in the pool, to have them there again after a restart, and how much room is left for them.
//!
//! Must not know: where that is kept.

use super::Pool;
use super::frame::VALID;
use crate::base::sync::Ordering;
use crate::base::{FileId, PageId};
use std::ops::Range;

impl Pool {
    /// Frames that have no page.
    pub fn unused_frames(&self) -> usize {
        self.order.unused()
    }

    /// The pages that are here, as runs of neighbouring blocks by file. Pages come and go meanwhile: it is a hint.
    pub fn resident(&self) -> Vec<(FileId, Range<u32>)> {
        let is_here = |f: &&super::frame::Frame| f.state.load(Ordering::Acquire) == VALID;
        let mut pages: Vec<PageId> =
            self.frames.iter().filter(is_here).map(super::frame::Frame::id).collect();
        pages.sort_unstable();
        pages.dedup();
        let mut runs: Vec<(FileId, Range<u32>)> = Vec::new();
        for page in pages {
            match runs.last_mut() {
                Some((file, blocks)) if *file == page.file && blocks.end == page.block.0 => blocks.end += 1,
                _ => runs.push((page.file, page.block.0..page.block.0.saturating_add(1))),
            }
        }
        runs
    }
}
