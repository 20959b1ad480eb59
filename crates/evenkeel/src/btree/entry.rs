//! Items of tree pages.
//!
//! Leaf item: flags u8, key length u16, writer's transaction id u48, sequence u32 (all little-endian), key, value; with the flag `PADDED` then
//! padding, whose length stands in its last byte (1 to 254), or, with 255 there, in the u16 before.
//! Inner item: child block u32, key.

use crate::base::codec::{u16_at, u32_at};
use crate::base::{Error, Result, TxnId};
use std::cmp::Ordering;

/// Bytes before the key in a leaf item.
pub const LEAF_HEAD_BYTES: usize = 13;
/// Bytes before the key in an inner item.
pub const INNER_HEAD_BYTES: usize = 4;

/// Flags of a leaf item.
pub mod flag {
    /// The newest version is "not there".
    pub const DELETED: u8 = 1;
    /// The value is a reference to an overflow chain.
    pub const OVERFLOW: u8 = 2;
    /// The writer made this entry out of nothing: there is no older version.
    pub const INSERTED: u8 = 4;
    /// The writer's implicit lock is `Update`, not `NoKeyUpdate`.
    pub const KEY_CHANGED: u8 = 8;
    /// The item's end is room kept for putting back an older, longer version. Of the item, not of the version: heads never carry it.
    pub(super) const PADDED: u8 = 16;
}

/// The version head of a leaf item.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Head {
    /// See [`flag`].
    pub flags: u8,
    /// Last writer.
    pub txn: TxnId,
    /// The writer's undo sequence.
    pub seq: u32,
}

impl Head {
    /// Whether any of these flags is set.
    pub fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// A parsed leaf item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeafItem<'a> {
    /// Version head.
    pub head: Head,
    /// Key.
    pub key: &'a [u8],
    /// Value bytes as stored.
    pub value: &'a [u8],
}

/// Orders keys as slices are. Most are short, and calling memcmp for them costs more than what it does.
#[inline]
pub(super) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let len = a.len();
    if len == b.len() && len <= 16 {
        // Their beginnings, then their ends, which overlap: what both have is equal by then.
        let ends = |k: &[u8]| match len {
            8.. => (first_u64(k), first_u64(&k[len - 8..])),
            4.. => (first_u32(k), first_u32(&k[len - 4..])),
            _ => (k.iter().fold(0, |v, b| v << 8 | u64::from(*b)), 0),
        };
        return ends(a).cmp(&ends(b));
    }
    a.cmp(b)
}

fn first_u64(k: &[u8]) -> u64 {
    k.first_chunk().map_or(0, |c| u64::from_be_bytes(*c))
}

fn first_u32(k: &[u8]) -> u64 {
    k.first_chunk().map_or(0, |c| u64::from(u32::from_be_bytes(*c)))
}

/// The key of a leaf item; empty for a damaged one (which `parse` reports).
pub fn leaf_key(item: &[u8]) -> &[u8] {
    if item.len() < LEAF_HEAD_BYTES {
        return &[];
    }
    let len = usize::from(u16_at(item, 1));
    item.get(LEAF_HEAD_BYTES..LEAF_HEAD_BYTES + len).unwrap_or(&[])
}

#[cold]
fn too_short() -> Error {
    Error::corrupt("leaf item is shorter than its key")
}

/// Parses a leaf item.
#[inline]
pub fn parse(item: &[u8]) -> Result<LeafItem<'_>> {
    if item.len() < LEAF_HEAD_BYTES {
        return Err(too_short());
    }
    let len = usize::from(u16_at(item, 1));
    let key = item.get(LEAF_HEAD_BYTES..LEAF_HEAD_BYTES + len).ok_or_else(too_short)?;
    let mut txn = [0u8; 8];
    txn[..6].copy_from_slice(&item[3..9]);
    let head =
        Head { flags: item[0] & !flag::PADDED, txn: TxnId(u64::from_le_bytes(txn)), seq: u32_at(item, 9) };
    let end = item.len().checked_sub(padding(item)).ok_or_else(too_short)?;
    Ok(LeafItem { head, key, value: item.get(LEAF_HEAD_BYTES + len..end).ok_or_else(too_short)? })
}

/// Bytes of padding at a leaf item's end. May exceed the item if that is damaged (which `parse` reports).
#[inline]
pub fn padding(item: &[u8]) -> usize {
    match item {
        [flags, .., last] if flags & flag::PADDED != 0 => match (last, item.len().checked_sub(3)) {
            (255, Some(at)) => usize::from(u16_at(item, at)).max(3),
            _ => usize::from(*last),
        },
        _ => 0,
    }
}

/// Lengthens an item made by [`put_leaf`] to the length of `old`, whose bytes fill the padding, so that the two differ in few places.
pub fn pad(item: &mut Vec<u8>, old: &[u8]) {
    let from = item.len();
    let padding = old.len().saturating_sub(from);
    if padding == 0 {
        return;
    }
    item[0] |= flag::PADDED;
    item.extend_from_slice(&old[from..]);
    let end = item.len();
    match u8::try_from(padding) {
        Ok(n) if n < 255 => item[end - 1] = n,
        _ => {
            item[end - 3..end - 1].copy_from_slice(&(padding as u16).to_le_bytes());
            item[end - 1] = 255;
        }
    }
}

/// Builds a leaf item.
pub fn put_leaf(out: &mut Vec<u8>, head: Head, key: &[u8], value: &[u8]) {
    debug_assert!(head.txn <= TxnId::MAX);
    out.reserve(LEAF_HEAD_BYTES + key.len() + value.len());
    out.push(head.flags);
    out.extend_from_slice(&(key.len() as u16).to_le_bytes());
    out.extend_from_slice(&head.txn.0.to_le_bytes()[..6]);
    out.extend_from_slice(&head.seq.to_le_bytes());
    out.extend_from_slice(key);
    out.extend_from_slice(value);
}

/// The key of an inner item.
pub fn inner_key(item: &[u8]) -> &[u8] {
    item.get(INNER_HEAD_BYTES..).unwrap_or(&[])
}

/// The child of an inner item.
pub fn inner_child(item: &[u8]) -> Result<u32> {
    if item.len() < INNER_HEAD_BYTES {
        return Err(Error::corrupt("inner item without a child"));
    }
    Ok(u32_at(item, 0))
}

/// Builds an inner item.
pub fn inner_item(child: u32, key: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(INNER_HEAD_BYTES + key.len());
    out.extend_from_slice(&child.to_le_bytes());
    out.extend_from_slice(key);
    out
}

/// The shortest key `s` with `left < s <= right`: a prefix of `right`.
pub fn separator<'r>(left: &[u8], right: &'r [u8]) -> &'r [u8] {
    debug_assert!(left < right);
    let common = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    &right[..(common + 1).min(right.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_as_slices() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut equal = 0;
        for _ in 0..200_000 {
            let len = rng.usize(0..20);
            let a: Vec<u8> = (0..len).map(|_| rng.choice([0, 1, 0x7F, 0x80, 0xFF]).unwrap()).collect();
            let mut b = a.clone();
            // They differ in one place, in length, or not at all.
            if rng.u8(0..3) > 0
                && let Some(at) = (len > 0).then(|| rng.usize(0..len))
            {
                b[at] = rng.u8(..);
            }
            if rng.u8(0..4) == 0 {
                b.truncate(rng.usize(0..=len));
            }
            equal += usize::from(a == b);
            assert_eq!(compare(&a, &b), a.cmp(&b), "{a:?} {b:?}");
            assert_eq!(compare(&b, &a), b.cmp(&a), "{b:?} {a:?}");
        }
        assert!(equal > 10_000);
    }

    #[test]
    fn a_leaf_item_round_trips() {
        let head = Head { flags: flag::DELETED, txn: TxnId(0x1234_5678_9ABC), seq: 77 };
        let mut item = Vec::new();
        put_leaf(&mut item, head, b"key", b"value");
        assert_eq!(parse(&item).unwrap(), LeafItem { head, key: b"key", value: b"value" });
        assert_eq!(leaf_key(&item), b"key");
        assert!(parse(&item[..14]).is_err());
    }

    #[test]
    fn padding_of_every_length_is_not_part_of_the_value() {
        for total in 0..700 {
            let (mut item, mut old) = (Vec::new(), Vec::new());
            let head = Head { flags: flag::INSERTED, txn: TxnId(5), seq: 6 };
            put_leaf(&mut item, head, b"key", b"new");
            put_leaf(&mut old, head, b"key", &vec![255; total]);
            let plain = item.clone();
            pad(&mut item, &old);
            assert_eq!(item.len(), plain.len().max(old.len()));
            assert_eq!(padding(&item), item.len() - plain.len());
            assert_eq!(parse(&item).unwrap(), LeafItem { head, key: b"key", value: b"new" });
            let mut again = Vec::new();
            put_leaf(&mut again, head, b"key", b"newer");
            pad(&mut again, &item);
            assert_eq!(parse(&again).unwrap().value, b"newer");
        }
        assert!(parse(&[flag::PADDED; 20]).is_err() && parse(&[255; 20]).is_err());
    }

    #[test]
    fn separators_divide_and_are_short() {
        assert_eq!(separator(b"abc", b"abd"), b"abd");
        assert_eq!(separator(b"abc", b"b12345"), b"b");
        assert_eq!(separator(b"ab", b"abcdef"), b"abc");
        assert_eq!(separator(b"", b"x1"), b"x");
    }
}
