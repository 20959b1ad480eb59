//! One entry of undo: what a change replaced, and its bytes.
//!
//! Bytes: sequence varint; kind u8; tree varint; LSN of the transaction's record before varint; then by kind
//! * 1 insert: key length varint, key;
//! * 2 change, 5 delete: key length varint, key; head before: flags u8, transaction varint, sequence varint; value length varint, value;
//! * 3 chain: first block varint;
//! * 4 tree: nothing.
//!
//! They never outlive the process (`undo_space.rs`).

use crate::base::codec::{Reader, put_bytes, put_varint};
use crate::base::{Lsn, Result, TreeId, TxnId};
use crate::btree::entry::Head;

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
        value: Vec<u8>,
    },
    /// An overflow chain was begun.
    Chain {
        /// Its first block.
        head: u32,
    },
    /// The tree was created.
    Tree,
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
    /// See [`Entry::Chain`].
    Chain(u32),
    /// See [`Entry::Tree`].
    Tree,
}

impl EntryRef<'_> {
    pub(super) fn encode(&self, seq: u32, tree: TreeId, prev_lsn: Lsn, out: &mut Vec<u8>) {
        let kind = match self {
            EntryRef::Insert(_) => 1,
            EntryRef::Change(false, ..) => 2,
            EntryRef::Change(true, ..) => 5,
            EntryRef::Chain(_) => 3,
            EntryRef::Tree => 4,
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
            EntryRef::Chain(block) => put_varint(out, u64::from(*block)),
            EntryRef::Tree => {}
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
        3 => skip_varints(&mut r, 1)?,
        4 => {}
        _ => return Err(r.bad("unknown kind")),
    }
    Ok(Span { seq, len: bytes.len() - r.rest().len(), has_version: matches!(kind, 2 | 5) })
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
            Entry::Change { delete: kind == 5, key, head, value: r.bytes()?.to_vec() }
        }
        3 => Entry::Chain { head: r.varint()? as u32 },
        4 => Entry::Tree,
        _ => return Err(r.bad("unknown kind")),
    };
    Ok(UndoEntry { seq, tree, prev_lsn, entry })
}
