//! Typed views of a page: reading header and slots, and the primitive edits that `apply` is made of.

use super::{HEADER_BYTES, Kind, PAGE_BYTES, SLOT_BYTES, at};
use crate::base::codec::{u16_at, u32_at};

/// A read-only view. The slice must be a whole page.
#[derive(Clone, Copy)]
pub struct Page<'a>(pub &'a [u8]);

impl<'a> Page<'a> {
    /// What the page is used for; `None` if the byte is unknown.
    pub fn kind(self) -> Option<Kind> {
        Kind::from_byte(self.0[at::KIND])
    }

    /// 0 for leaves.
    pub fn level(self) -> u8 {
        self.0[at::LEVEL]
    }

    /// See [`super::flag`].
    pub fn flags(self) -> u16 {
        u16_at(self.0, at::FLAGS)
    }

    /// Whether a flag is set.
    pub fn has(self, flag: u16) -> bool {
        self.flags() & flag != 0
    }

    /// Right neighbour (0 = none).
    pub fn right(self) -> u32 {
        u32_at(self.0, at::RIGHT)
    }

    /// Number of slots.
    pub fn slot_count(self) -> usize {
        usize::from(u16_at(self.0, at::SLOTS))
    }

    /// Start of the item heap.
    pub fn heap_start(self) -> usize {
        match u16_at(self.0, at::HEAP) {
            0 => PAGE_BYTES, // a zeroed page has an empty heap
            n => usize::from(n),
        }
    }

    /// Bytes in the heap that no item uses.
    pub fn garbage(self) -> usize {
        usize::from(u16_at(self.0, at::GARBAGE))
    }

    /// Bytes that an insert (item plus slot) may use, after compaction if need be.
    pub fn free_bytes(self) -> usize {
        (self.heap_start() + self.garbage()).saturating_sub(HEADER_BYTES + self.slot_count() * SLOT_BYTES)
    }

    /// Where a slot's item lies.
    pub fn slot(self, i: usize) -> (usize, usize) {
        let s = HEADER_BYTES + i * SLOT_BYTES;
        (usize::from(u16_at(self.0, s)), usize::from(u16_at(self.0, s + 2)))
    }

    /// A slot's item.
    pub fn item(self, i: usize) -> &'a [u8] {
        debug_assert!(i < self.slot_count());
        let (off, len) = self.slot(i);
        &self.0[off..off + len]
    }

    /// The high key: every key on the page is below it. `None` = no bound.
    pub fn high(self) -> Option<&'a [u8]> {
        let off = usize::from(u16_at(self.0, at::HIGH_OFF));
        let len = usize::from(u16_at(self.0, at::HIGH_LEN));
        (off != 0).then(|| &self.0[off..off + len])
    }
}

/// A view for changes. The slice must be a whole page whose header was checked ([`super::check`]).
pub struct PageMut<'a>(pub &'a mut [u8]);

impl PageMut<'_> {
    /// The read-only view.
    pub fn view(&self) -> Page<'_> {
        Page(self.0)
    }

    fn put_u16(&mut self, at: usize, v: usize) {
        debug_assert!(v <= usize::from(u16::MAX));
        self.0[at..at + 2].copy_from_slice(&(v as u16).to_le_bytes());
    }

    pub(super) fn set_flags(&mut self, v: u16) {
        self.put_u16(at::FLAGS, usize::from(v));
    }

    pub(super) fn set_right(&mut self, v: u32) {
        self.0[at::RIGHT..at::RIGHT + 4].copy_from_slice(&v.to_le_bytes());
    }

    fn set_slot(&mut self, i: usize, off: usize, len: usize) {
        let s = HEADER_BYTES + i * SLOT_BYTES;
        self.put_u16(s, off);
        self.put_u16(s + 2, len);
    }

    /// Empties the page: zeros but for kind, level, flags and right link.
    pub(super) fn init(&mut self, kind: Kind, level: u8, flags: u16, right: u32) {
        let lsn = super::lsn(self.0);
        self.0.fill(0);
        super::set_lsn(self.0, lsn);
        self.0[at::KIND] = kind as u8;
        self.0[at::LEVEL] = level;
        self.set_flags(flags);
        self.set_right(right);
        self.put_u16(at::HEAP, PAGE_BYTES);
    }

    /// Obtains `len` contiguous heap bytes beside `extra_slots` new slots; `None` if there is no room.
    fn obtain(&mut self, len: usize, extra_slots: usize) -> Option<usize> {
        let slots_end = HEADER_BYTES + (self.view().slot_count() + extra_slots) * SLOT_BYTES;
        if self.view().heap_start() < slots_end + len {
            if self.view().heap_start() + self.view().garbage() < slots_end + len {
                return None;
            }
            self.compact();
        }
        let off = self.view().heap_start().checked_sub(len)?;
        if off < slots_end {
            return None;
        }
        self.put_u16(at::HEAP, off);
        Some(off)
    }

    fn add_garbage(&mut self, len: usize) {
        let g = self.view().garbage() + len;
        self.put_u16(at::GARBAGE, g);
    }

    /// Moves all items to the page's end, in slot order, so that no garbage is left. Deterministic.
    fn compact(&mut self) {
        let mut fresh = [0u8; PAGE_BYTES];
        let mut end = PAGE_BYTES;
        if let Some(high) = self.view().high() {
            end -= high.len();
            fresh[end..end + high.len()].copy_from_slice(high);
            let len = high.len();
            self.put_u16(at::HIGH_OFF, end);
            self.put_u16(at::HIGH_LEN, len);
        }
        for i in 0..self.view().slot_count() {
            let item = self.view().item(i);
            end -= item.len();
            fresh[end..end + item.len()].copy_from_slice(item);
            let len = item.len();
            self.set_slot(i, end, len);
        }
        self.0[end..].copy_from_slice(&fresh[end..]);
        self.put_u16(at::HEAP, end);
        self.put_u16(at::GARBAGE, 0);
    }

    /// Inserts an item as slot `i`; false if there is no room or no such place.
    pub(super) fn insert(&mut self, i: usize, item: &[u8]) -> bool {
        let n = self.view().slot_count();
        if i > n || item.is_empty() {
            return false;
        }
        let Some(off) = self.obtain(item.len(), 1) else { return false };
        self.0[off..off + item.len()].copy_from_slice(item);
        let s = HEADER_BYTES + i * SLOT_BYTES;
        let e = HEADER_BYTES + n * SLOT_BYTES;
        self.0.copy_within(s..e, s + SLOT_BYTES);
        self.set_slot(i, off, item.len());
        self.put_u16(at::SLOTS, n + 1);
        true
    }

    /// Removes slots `from..to`.
    pub(super) fn remove(&mut self, from: usize, to: usize) {
        let n = self.view().slot_count();
        let freed: usize = (from..to).map(|i| self.view().slot(i).1).sum();
        let (s, e) = (HEADER_BYTES + from * SLOT_BYTES, HEADER_BYTES + to * SLOT_BYTES);
        self.0.copy_within(e..HEADER_BYTES + n * SLOT_BYTES, s);
        self.put_u16(at::SLOTS, n - (to - from));
        self.add_garbage(freed);
    }

    /// Gives slot `i` a new length, keeping the first `min(old, new)` bytes; false if there is no room.
    pub(super) fn resize(&mut self, i: usize, new_len: usize) -> bool {
        let (off, len) = self.view().slot(i);
        if new_len == len {
            return true;
        }
        if new_len < len {
            self.set_slot(i, off, new_len);
            self.add_garbage(len - new_len);
            return true;
        }
        let mut old = [0u8; PAGE_BYTES];
        old[..len].copy_from_slice(&self.0[off..off + len]);
        // The old bytes count as garbage while room is sought, so that compaction may drop them.
        let slots_end = HEADER_BYTES + self.view().slot_count() * SLOT_BYTES;
        if self.view().heap_start() + self.view().garbage() + len < slots_end + new_len {
            return false;
        }
        self.set_slot(i, PAGE_BYTES, 0);
        self.add_garbage(len);
        let new_off = self.obtain(new_len, 0).expect("room was just checked");
        self.0[new_off..new_off + len].copy_from_slice(&old[..len]);
        self.0[new_off + len..new_off + new_len].fill(0);
        self.set_slot(i, new_off, new_len);
        true
    }

    /// The bytes of slot `i`'s item.
    pub(super) fn item_mut(&mut self, i: usize) -> &mut [u8] {
        let (off, len) = self.view().slot(i);
        &mut self.0[off..off + len]
    }

    /// Sets or clears the high key; false if there is no room.
    pub(super) fn set_high(&mut self, high: Option<&[u8]>) -> bool {
        let old = usize::from(u16_at(self.0, at::HIGH_LEN));
        self.put_u16(at::HIGH_OFF, 0);
        self.put_u16(at::HIGH_LEN, 0);
        self.add_garbage(old);
        let Some(high) = high else { return true };
        // A zero-length high key would have no offset of its own; keys are never empty on a bound.
        if high.is_empty() {
            return false;
        }
        let Some(off) = self.obtain(high.len(), 0) else { return false };
        self.0[off..off + high.len()].copy_from_slice(high);
        self.put_u16(at::HIGH_OFF, off);
        self.put_u16(at::HIGH_LEN, high.len());
        true
    }
}
