//! The physical changes of a page and their bytes in the log.
//!
//! Encoding: kind byte, then the fields in order; integers are varints, byte strings carry a varint length. In the last operation on a page the kind byte
//! may have the bit `LAST`: then its byte string has no length and ends with the operations.

use super::Kind;
use crate::base::Result;
use crate::base::codec::{Reader, put_bytes, put_varint};

/// One change of one page. Borrowed from the record, or from the caller that builds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op<'a> {
    /// Empties the page. The first op of a page taken into use: redo needs no earlier content.
    Init {
        /// New use.
        kind: Kind,
        /// Level in its tree.
        level: u8,
        /// See [`super::flag`].
        flags: u16,
        /// Right link or next block.
        right: u32,
    },
    /// A new item before slot `slot`.
    Insert {
        /// Place.
        slot: usize,
        /// Bytes.
        item: &'a [u8],
    },
    /// As `Insert`, for an item of many zeros: which bytes are not, a bit each, and these.
    InsertSparse {
        /// Place.
        slot: usize,
        /// Length of the item in bytes, at most [`SPARSE_BYTES_MAX`].
        len: usize,
        /// `len` bits, the first is the lowest.
        bits: &'a [u8],
        /// The bytes that are not zero.
        bytes: &'a [u8],
    },
    /// Several new items from slot `slot` on, each with a varint length (bulk: split, merge).
    InsertMany {
        /// Place of the first.
        slot: usize,
        /// Concatenated varint-length-prefixed items.
        items: &'a [u8],
    },
    /// Removes slots `from..to`.
    Remove {
        /// First.
        from: usize,
        /// One past the last.
        to: usize,
    },
    /// Changes an item: new length (the tail is cut, or grown by zeros), then byte ranges (see `op::diff`).
    Patch {
        /// Which.
        slot: usize,
        /// New length in bytes, if it changes.
        len: Option<usize>,
        /// `(offset delta, bytes)*`: each as varint, varint-length-prefixed bytes.
        ranges: &'a [u8],
    },
    /// Sets the right link.
    Right(u32),
    /// Sets the flags.
    Flags(u16),
    /// Sets (`Some`) or clears the high key.
    High(Option<&'a [u8]>),
    /// Overwrites raw bytes behind the header (overflow data, map header).
    Bytes {
        /// Offset in the page.
        at: usize,
        /// New bytes.
        bytes: &'a [u8],
    },
    /// Sets (`on`) or clears `count` bits of the bitmap that starts at byte `base` of the page.
    Bits {
        /// New value.
        on: bool,
        /// Byte offset of the bitmap.
        base: usize,
        /// First bit.
        first: usize,
        /// How many.
        count: usize,
    },
}

const INIT: u8 = 1;
const INSERT: u8 = 2;
const INSERT_MANY: u8 = 3;
const REMOVE: u8 = 4;
const PATCH: u8 = 5;
const RIGHT: u8 = 6;
const FLAGS: u8 = 7;
const HIGH: u8 = 8;
const NO_HIGH: u8 = 9;
const BYTES: u8 = 10;
const SET_BITS: u8 = 11;
const CLEAR_BITS: u8 = 12;
const PATCH_SAME: u8 = 13;
const INSERT_SPARSE: u8 = 14;
const LAST: u8 = 128;
/// Longest item whose zeros are left out.
pub const SPARSE_BYTES_MAX: usize = 512;

/// Appends the bytes of an operation that none on the same page follows.
pub fn encode_last_op(op: &Op<'_>, out: &mut Vec<u8>) {
    let (slot, bytes) = match *op {
        Op::Insert { slot, item } if is_sparse(item) => {
            out.push(INSERT_SPARSE);
            put_varint(out, slot as u64);
            put_varint(out, item.len() as u64);
            let bit = |(i, b): (usize, &u8)| u8::from(*b != 0) << i;
            out.extend(item.chunks(8).map(|eight| eight.iter().enumerate().map(bit).sum::<u8>()));
            out.extend(item.iter().filter(|b| **b != 0));
            return;
        }
        Op::Insert { slot, item } => {
            out.push(INSERT | LAST);
            (slot, item)
        }
        Op::Patch { slot, len: None, ranges } => {
            out.push(PATCH_SAME | LAST);
            (slot, ranges)
        }
        _ => return encode_op(op, out),
    };
    put_varint(out, slot as u64);
    out.extend_from_slice(bytes);
}

/// Whether leaving the zeros out makes an item shorter.
fn is_sparse(item: &[u8]) -> bool {
    let zeros = item.iter().filter(|b| **b == 0).count();
    item.len() <= SPARSE_BYTES_MAX && zeros > item.len().div_ceil(8) + 2
}

/// The item of an [`Op::InsertSparse`], in `buffer`; `None` if its parts do not fit together.
pub fn expand<'b>(
    len: usize,
    bits: &[u8],
    bytes: &[u8],
    buffer: &'b mut [u8; SPARSE_BYTES_MAX],
) -> Option<&'b [u8]> {
    let item = buffer.get_mut(..len)?;
    let mut bytes = bytes.iter();
    for (i, b) in item.iter_mut().enumerate() {
        *b = if bits.get(i / 8)? >> (i % 8) & 1 == 1 { *bytes.next()? } else { 0 };
    }
    bytes.next().is_none().then_some(item)
}

/// Appends the op's bytes.
pub fn encode_op(op: &Op<'_>, out: &mut Vec<u8>) {
    match *op {
        Op::Init { kind, level, flags, right } => {
            out.extend_from_slice(&[INIT, kind as u8, level]);
            put_varint(out, u64::from(flags));
            put_varint(out, u64::from(right));
        }
        Op::Insert { slot, item } => {
            out.push(INSERT);
            put_varint(out, slot as u64);
            put_bytes(out, item);
        }
        Op::InsertSparse { slot, len, bits, bytes } => {
            out.push(INSERT_SPARSE);
            put_varint(out, slot as u64);
            put_varint(out, len as u64);
            out.extend_from_slice(bits);
            out.extend_from_slice(bytes);
        }
        Op::InsertMany { slot, items } => {
            out.push(INSERT_MANY);
            put_varint(out, slot as u64);
            put_bytes(out, items);
        }
        Op::Remove { from, to } => {
            out.push(REMOVE);
            put_varint(out, from as u64);
            put_varint(out, to as u64);
        }
        Op::Patch { slot, len, ranges } => {
            out.push(if len.is_some() { PATCH } else { PATCH_SAME });
            put_varint(out, slot as u64);
            if let Some(len) = len {
                put_varint(out, len as u64);
            }
            put_bytes(out, ranges);
        }
        Op::Right(v) => {
            out.push(RIGHT);
            put_varint(out, u64::from(v));
        }
        Op::Flags(v) => {
            out.push(FLAGS);
            put_varint(out, u64::from(v));
        }
        Op::High(Some(k)) => {
            out.push(HIGH);
            put_bytes(out, k);
        }
        Op::High(None) => out.push(NO_HIGH),
        Op::Bytes { at, bytes } => {
            out.push(BYTES);
            put_varint(out, at as u64);
            put_bytes(out, bytes);
        }
        Op::Bits { on, base, first, count } => {
            out.push(if on { SET_BITS } else { CLEAR_BITS });
            put_varint(out, base as u64);
            put_varint(out, first as u64);
            put_varint(out, count as u64);
        }
    }
}

impl<'a> Op<'a> {
    /// Reads one op.
    pub fn decode(r: &mut Reader<'a>) -> Result<Op<'a>> {
        const MAX: usize = u32::MAX as usize;
        Ok(match r.u8()? {
            INIT => Op::Init {
                kind: Kind::from_byte(r.u8()?).ok_or_else(|| r.bad("unknown page kind"))?,
                level: r.u8()?,
                flags: r.varint_max(usize::from(u16::MAX))? as u16,
                right: r.varint_max(MAX)? as u32,
            },
            INSERT => Op::Insert { slot: r.varint_max(MAX)?, item: r.bytes()? },
            INSERT_SPARSE => {
                let (slot, len) = (r.varint_max(MAX)?, r.varint_max(SPARSE_BYTES_MAX)?);
                let bits = r.take(len.div_ceil(8))?;
                let bytes = r.take(bits.iter().map(|b| b.count_ones() as usize).sum())?;
                Op::InsertSparse { slot, len, bits, bytes }
            }
            INSERT_MANY => Op::InsertMany { slot: r.varint_max(MAX)?, items: r.bytes()? },
            REMOVE => Op::Remove { from: r.varint_max(MAX)?, to: r.varint_max(MAX)? },
            PATCH => {
                Op::Patch { slot: r.varint_max(MAX)?, len: Some(r.varint_max(MAX)?), ranges: r.bytes()? }
            }
            PATCH_SAME => Op::Patch { slot: r.varint_max(MAX)?, len: None, ranges: r.bytes()? },
            kind if kind == INSERT | LAST => Op::Insert { slot: r.varint_max(MAX)?, item: r.take_rest() },
            kind if kind == PATCH_SAME | LAST => {
                Op::Patch { slot: r.varint_max(MAX)?, len: None, ranges: r.take_rest() }
            }
            RIGHT => Op::Right(r.varint_max(MAX)? as u32),
            FLAGS => Op::Flags(r.varint_max(usize::from(u16::MAX))? as u16),
            HIGH => Op::High(Some(r.bytes()?)),
            NO_HIGH => Op::High(None),
            BYTES => Op::Bytes { at: r.varint_max(MAX)?, bytes: r.bytes()? },
            kind @ (SET_BITS | CLEAR_BITS) => Op::Bits {
                on: kind == SET_BITS,
                base: r.varint_max(MAX)?,
                first: r.varint_max(MAX)?,
                count: r.varint_max(MAX)?,
            },
            _ => return Err(r.bad("unknown page operation")),
        })
    }
}

/// Encodes the byte ranges in which `new` differs from `old`, for [`Op::Patch`]: positions past `old`'s end count as differing.
/// Equal runs shorter than 3 bytes are not worth a range of their own.
pub fn diff(old: &[u8], new: &[u8], out: &mut Vec<u8>) {
    let same = |i: usize| old.get(i) == new.get(i);
    let (mut i, mut done) = (0, 0);
    loop {
        i += common_prefix(&old[i.min(old.len())..], &new[i..]);
        if i == new.len() {
            return;
        }
        let start = i;
        let mut end = i + 1;
        let mut j = end;
        while j < new.len() && j - end < 3 {
            if !same(j) {
                end = j + 1;
            }
            j += 1;
        }
        put_varint(out, (start - done) as u64);
        put_bytes(out, &new[start..end]);
        done = end;
        i = end;
    }
}

/// In how many of their first bytes two slices are the same. Most bytes of most changes are: they are looked at eight at a time.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let word = |w: &[u8]| u64::from_le_bytes(w.try_into().expect("eight bytes"));
    let mut len = 0;
    for (x, y) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        let differing = word(x) ^ word(y);
        if differing != 0 {
            return len + differing.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + a[len..].iter().zip(&b[len..]).take_while(|(x, y)| x == y).count()
}

/// Applies ranges made by [`diff`] to `item`, which already has the new length. False if a range lies outside.
pub fn patch(item: &mut [u8], ranges: &[u8]) -> Result<bool> {
    let mut r = Reader::new(ranges, "patch");
    let mut at = 0usize;
    while !r.is_empty() {
        at = at.saturating_add(r.varint_max(u32::MAX as usize)?);
        let b = r.bytes()?;
        let Some(target) = at.checked_add(b.len()).and_then(|end| item.get_mut(at..end)) else {
            return Ok(false);
        };
        target.copy_from_slice(b);
        at += b.len();
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `diff`, a byte at a time.
    fn bytewise(old: &[u8], new: &[u8]) -> Vec<u8> {
        let differs: Vec<usize> = (0..new.len()).filter(|i| old.get(*i) != new.get(*i)).collect();
        let (mut out, mut done) = (Vec::new(), 0);
        // A place less than four behind the last one belongs to its range.
        for range in differs.chunk_by(|a, b| b - a < 4) {
            let (start, end) = (range[0], range[range.len() - 1] + 1);
            put_varint(&mut out, (start - done) as u64);
            put_bytes(&mut out, &new[start..end]);
            done = end;
        }
        out
    }

    #[test]
    fn ranges_are_where_the_bytes_differ() {
        for seed in 0..5_000 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let old: Vec<u8> = (0..rng.usize(0..80)).map(|_| rng.u8(..)).collect();
            let mut new = old.clone();
            new.resize(rng.usize(0..80), 7);
            for _ in 0..rng.usize(0..6) {
                if let Some(byte) = rng.choice(&mut new) {
                    *byte ^= rng.u8(..);
                }
            }
            let mut ranges = Vec::new();
            diff(&old, &new, &mut ranges);
            assert_eq!(ranges, bytewise(&old, &new), "seed {seed}");
            let mut patched = old.clone();
            patched.resize(new.len(), 0);
            assert!(patch(&mut patched, &ranges).unwrap());
            assert_eq!(patched, new, "seed {seed}");
        }
    }
}
