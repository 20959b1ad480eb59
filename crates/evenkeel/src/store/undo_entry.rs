//! One entry of undo: what a change replaced, and its bytes.
//!
//! Bytes: sequence varint; kind u8; tree varint; LSN of the transaction's record before varint; then by kind
//! * 1 insert: key length varint, key;
//! * 2 change, 5 delete: key length varint, key; head before: flags u8, transaction varint, sequence varint; value length varint, value;
//! * 3 chain: first block varint;
//! * 4 tree: nothing;
//! * 6 tree of an earlier life: its root's block in the file of the tree of trees, plus one, varint; 0 = it is elsewhere;
//! * 7 change of an earlier life: key and head as for 2; 0 varint, or the length of the value before, plus one, if it changed; byte ranges that turn the newer
//!   value into the older one (`page::Op::Patch` encoding), with their length before them.
//!
//! They never outlive the process (`undo_space.rs`).

use crate::base::codec::{Reader, put_bytes, put_varint};
use crate::base::{Error, Lsn, Result, TreeId, TxnId};
use crate::btree::entry::Head;
use crate::page;

/// What one change replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// An entry was made out of nothing.
    Insert {
        /// Its key.
        key: Vec<u8>,
    },
    /// An entry was overwritten, or marked deleted (`delete`: then it is to be purged one day).
    Change {
        /// Whether the change was a delete.
        delete: bool,
        /// Its key.
        key: Vec<u8>,
        /// The version head before.
        head: Head,
        /// The stored value before.
        old: Old,
    },
    /// An overflow chain was begun.
    Chain {
        /// Its first block.
        head: u32,
    },
    /// The tree was created.
    Tree {
        /// Its root's block in the file of the tree of trees, as the log says; `None`: the tree is open and knows it, or has a file of its own.
        root: Option<u32>,
    },
}

/// A value before a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Old {
    /// All of it.
    Value(Vec<u8>),
    /// What the log says of it: how it differs from the value after the change.
    Ranges {
        /// Its length, if that is another.
        len: Option<usize>,
        /// Ranges on the newer value.
        ranges: Vec<u8>,
    },
}

impl Old {
    /// The value, given the one after the change.
    pub fn before(self, newer: &[u8]) -> Result<Vec<u8>> {
        match self {
            Old::Value(value) => Ok(value),
            Old::Ranges { len, ranges } => patched(newer, len, &ranges),
        }
    }
}

/// The older value that ranges make of a newer one.
pub(super) fn patched(newer: &[u8], len: Option<usize>, ranges: &[u8]) -> Result<Vec<u8>> {
    let len = len.unwrap_or(newer.len());
    let mut value = newer[..newer.len().min(len)].to_vec();
    value.resize(len, 0);
    if page::patch(&mut value, ranges)? {
        Ok(value)
    } else {
        Err(Error::corrupt("undo information does not fit its row"))
    }
}

/// An entry with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UndoEntry {
    /// Its sequence.
    pub seq: u32,
    /// The tree it concerns.
    pub tree: TreeId,
    /// LSN of the transaction's record before the one that it belongs to: where undo goes on.
    pub prev_lsn: Lsn,
    /// What to put back.
    pub entry: Entry,
}

/// An entry to be pushed, borrowed.
pub enum EntryRef<'a> {
    /// See [`Entry::Insert`].
    Insert(&'a [u8]),
    /// See [`Entry::Change`]: delete, key, head, value.
    Change(bool, &'a [u8], Head, &'a [u8]),
    /// The same of an earlier life: key, head, length, ranges.
    Ranges(&'a [u8], Head, Option<usize>, &'a [u8]),
    /// See [`Entry::Chain`].
    Chain(u32),
    /// See [`Entry::Tree`].
    Tree,
    /// The same of an earlier life: root.
    OldTree(Option<u32>),
}

impl EntryRef<'_> {
    pub(super) fn encode(&self, seq: u32, tree: TreeId, prev_lsn: Lsn, out: &mut Vec<u8>) {
        let kind = match self {
            EntryRef::Insert(_) => 1,
            EntryRef::Change(false, ..) => 2,
            EntryRef::Change(true, ..) => 5,
            EntryRef::Chain(_) => 3,
            EntryRef::Tree => 4,
            EntryRef::OldTree(_) => 6,
            EntryRef::Ranges(..) => 7,
        };
        put_varint(out, u64::from(seq));
        out.push(kind);
        put_varint(out, tree.0);
        put_varint(out, prev_lsn.0);
        match self {
            EntryRef::Insert(key) => put_bytes(out, key),
            EntryRef::Change(_, key, head, value) => {
                put_bytes(out, key);
                out.push(head.flags);
                put_varint(out, head.txn.0);
                put_varint(out, u64::from(head.seq));
                put_bytes(out, value);
            }
            EntryRef::Ranges(key, head, len, ranges) => {
                put_bytes(out, key);
                out.push(head.flags);
                put_varint(out, head.txn.0);
                put_varint(out, u64::from(head.seq));
                put_varint(out, len.map_or(0, |l| l as u64 + 1));
                put_bytes(out, ranges);
            }
            EntryRef::Chain(block) => put_varint(out, u64::from(*block)),
            EntryRef::Tree => {}
            EntryRef::OldTree(root) => put_varint(out, root.map_or(0, |r| u64::from(r) + 1)),
        }
    }
}

/// What can be told of an entry without decoding it.
pub(super) struct Span {
    pub(super) seq: u32,
    /// Its length in bytes.
    pub(super) len: usize,
    /// It has an older version of a row.
    pub(super) has_version: bool,
}

/// The span of the entry that these bytes begin with.
pub(super) fn span(bytes: &[u8]) -> Result<Span> {
    let mut r = Reader::new(bytes, "undo entry");
    let seq = r.varint()? as u32;
    let kind = r.u8()?;
    skip_varints(&mut r, 2)?;
    match kind {
        1 => _ = r.bytes()?,
        2 | 5 => {
            r.bytes()?;
            r.u8()?;
            skip_varints(&mut r, 2)?;
            r.bytes()?;
        }
        7 => {
            r.bytes()?;
            r.u8()?;
            skip_varints(&mut r, 3)?;
            r.bytes()?;
        }
        3 | 6 => skip_varints(&mut r, 1)?,
        4 => {}
        _ => return Err(r.bad("unknown kind")),
    }
    Ok(Span { seq, len: bytes.len() - r.rest().len(), has_version: matches!(kind, 2 | 5 | 7) })
}

fn skip_varints(r: &mut Reader<'_>, n: usize) -> Result<()> {
    (0..n).try_for_each(|_| r.varint().map(drop))
}

/// The entry that these bytes begin with.
pub(super) fn decode(bytes: &[u8]) -> Result<UndoEntry> {
    let mut r = Reader::new(bytes, "undo entry");
    let seq = r.varint()? as u32;
    let kind = r.u8()?;
    let tree = TreeId(r.varint()?);
    let prev_lsn = Lsn(r.varint()?);
    let entry = match kind {
        1 => Entry::Insert { key: r.bytes()?.to_vec() },
        2 | 5 => {
            let key = r.bytes()?.to_vec();
            let flags = r.u8()?;
            let head = Head { flags, txn: TxnId(r.varint()?), seq: r.varint()? as u32 };
            Entry::Change { delete: kind == 5, key, head, old: Old::Value(r.bytes()?.to_vec()) }
        }
        7 => {
            let key = r.bytes()?.to_vec();
            let flags = r.u8()?;
            let head = Head { flags, txn: TxnId(r.varint()?), seq: r.varint()? as u32 };
            let len = r.varint_max(crate::base::PAGE_BYTES + 1)?.checked_sub(1);
            Entry::Change { delete: false, key, head, old: Old::Ranges { len, ranges: r.bytes()?.to_vec() } }
        }
        3 => Entry::Chain { head: r.varint()? as u32 },
        4 => Entry::Tree { root: None },
        6 => Entry::Tree { root: r.varint_max(u32::MAX as usize + 1)?.checked_sub(1).map(|r| r as u32) },
        _ => return Err(r.bad("unknown kind")),
    };
    Ok(UndoEntry { seq, tree, prev_lsn, entry })
}
