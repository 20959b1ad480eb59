//! Room on leaves: a rollback finds the bytes that it puts back still free, so that it never needs a data block.
//!
//! A version that is shorter than the one it replaces keeps the older one's length: the item's end is padding (`entry.rs`). Deletes leave
//! the value where it is. So an entry is never shorter, on its page, than any version that a rollback of its active writer may put back, and
//! putting one back never splits a page, wherever splits and merges have carried the entry. Padding of finished writers goes when its row
//! is written again, when its page is short of room, or with a vacuum.
//!
//! (The other way, promising free blocks for splits that a rollback may need, was not taken: one such split can need a block a level, for
//! each shortened row.)

use super::Store;
use super::reserve::IMAGE_BYTES;
use crate::base::Result;
use crate::btree::{Tree, entry};
use crate::mtr::{Mtr, record_bound};
use crate::page::{self, Op, Page};
use crate::pool::PageWrite;
use crate::txn::Shared;

impl Store {
    /// Makes `need` bytes of room on the leaf of `key`: by dropping padding that no rollback needs any more, else by a split. No latch may be
    /// held; the caller, on behalf of `me`, descends again and looks.
    pub(super) fn make_room(&self, me: &Shared, tree: &Tree, key: &[u8], need: usize) -> Result<()> {
        if self.reclaim(tree, key)? >= need {
            return Ok(());
        }
        let images = self.env.wal.promise(2 * IMAGE_BYTES)?; // a root's split makes two pages
        let made = tree.make_room(&self.env, key, need)?;
        self.set_aside_for_split(me, &made, images);
        Ok(())
    }

    /// Drops padding of finished writers from the leaf of `key`. Gives the bytes free on it then.
    pub(super) fn reclaim(&self, tree: &Tree, key: &[u8]) -> Result<usize> {
        let _promise = self.env.wal.promise(record_bound(1, crate::base::PAGE_BYTES))?;
        let _descent = tree.space.descend()?;
        let (mut page, _) = tree.leaf_for_write(&self.env, key)?;
        let shorter = self.reclaimable(&page)?;
        if shorter.is_empty() {
            return Ok(Page(&page).free_bytes());
        }
        let mut m = Mtr::new();
        m.page(&mut page);
        for (slot, len, ranges) in &shorter {
            m.op(Op::Patch { slot: *slot, len: Some(*len), ranges });
        }
        self.env.commit(m)?;
        Ok(Page(&page).free_bytes())
    }

    /// Whether a leaf has padding that no rollback needs.
    pub(super) fn has_reclaimable(&self, page: &[u8]) -> Result<bool> {
        let p = Page(page);
        for slot in 0..p.slot_count() {
            if entry::padding(p.item(slot)) > 0 && self.is_settled(entry::parse(p.item(slot))?.head) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_settled(&self, head: entry::Head) -> bool {
        self.txns.get(head.txn).is_none_or(|t| t.is_finished())
    }

    /// (slot, new length, ranges) of the items that can be shortened.
    fn reclaimable(&self, page: &PageWrite<'_>) -> Result<Vec<(usize, usize, Vec<u8>)>> {
        let p = Page(page);
        let mut out = Vec::new();
        for slot in 0..p.slot_count() {
            let old = p.item(slot);
            if entry::padding(old) == 0 {
                continue;
            }
            let item = entry::parse(old)?;
            if !self.is_settled(item.head) {
                continue;
            }
            let (mut new, mut ranges) = (Vec::new(), Vec::new());
            entry::put_leaf(&mut new, item.head, item.key, item.value);
            page::diff(old, &new, &mut ranges);
            out.push((slot, new.len(), ranges));
        }
        Ok(out)
    }
}
