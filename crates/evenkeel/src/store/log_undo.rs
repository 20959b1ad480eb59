//! Undo information in log records, for recovery.
//!
//! Payload: kind u8, then
//! * 1 insert: nothing more; the key is in the item that the record's first operation inserts;
//! * 2 change: key length varint, key; head before: flags u8, transaction varint, sequence varint; value length before varint; byte
//!   ranges that turn the new value into the old one (`page::Op::Patch` encoding), up to the end;
//! * 5 change of a value that keeps its length: as 2, without the length;
//! * 3 chain: first block varint;
//! * 4 tree, in its own file: tree id varint; the record has no block;
//! * 6 tree with its root in the file of the tree of trees: tree id varint, the root's block varint;
//! * 7 nothing to undo, in a record of no transaction: what it removes is wanted by nobody who sees this transaction, varint. For standbys, whose readers the one who
//!   purges does not know (decision 013, 13).
//!
//! The tree of the others is that of the record's first block. If that is a root in the file of the tree of trees, 128 is added to the kind, and the tree id
//! varint follows it.

use crate::base::codec::{Reader, put_bytes, put_varint};
use crate::base::{Error, Result, TreeId, TxnId};
use crate::btree::entry::{self, Head};
use crate::page::{self, Op};
use crate::wal::record::Record;

/// What recovery has to put back.
#[derive(Debug)]
pub enum LogUndo<'a> {
    /// Remove the entry that the record inserts.
    Insert,
    /// Put the entry's head and value back.
    Change {
        /// Its key.
        key: &'a [u8],
        /// The head before.
        head: Head,
        /// Length of the value before, if it changed.
        len: Option<usize>,
        /// Ranges on the new value.
        ranges: &'a [u8],
    },
    /// Free the chain.
    Chain {
        /// Its first block.
        head: u32,
    },
    /// Drop the tree: its file if it has one, and its root, if that is elsewhere.
    Tree {
        /// Its block in the file of the tree of trees.
        root: Option<u32>,
    },
}

/// The tree that a record's first block does not tell.
const NAMED: u8 = 128;

fn put_kind(kind: u8, tree: Option<TreeId>, out: &mut Vec<u8>) {
    out.push(if tree.is_some() { kind | NAMED } else { kind });
    tree.iter().for_each(|t| put_varint(out, t.0));
}

/// Encodes the undo of an insert, whose record's first operation is the insertion. The `tree` is given if its root is the page, elsewhere.
pub fn insert(tree: Option<TreeId>, out: &mut Vec<u8>) {
    put_kind(1, tree, out);
}

/// Encodes the undo of a change. `tree` as above.
pub fn change(tree: Option<TreeId>, key: &[u8], head: Head, old: &[u8], new: &[u8], out: &mut Vec<u8>) {
    let same = old.len() == new.len();
    put_kind(if same { 5 } else { 2 }, tree, out);
    put_bytes(out, key);
    out.push(head.flags);
    put_varint(out, head.txn.0);
    put_varint(out, u64::from(head.seq));
    if !same {
        put_varint(out, old.len() as u64);
    }
    page::diff(new, old, out);
}

/// Encodes the undo of a chain.
pub fn chain(head: u32, out: &mut Vec<u8>) {
    out.push(3);
    put_varint(out, u64::from(head));
}

/// Encodes the undo of a tree's creation.
pub fn tree(tree: TreeId, root: u32, out: &mut Vec<u8>) {
    out.push(6);
    put_varint(out, tree.0);
    put_varint(out, u64::from(root));
}

/// Encodes that what is removed is wanted by nobody who sees the transaction.
pub fn gone(after: TxnId, out: &mut Vec<u8>) {
    out.push(7);
    put_varint(out, after.0);
}

/// Whom readers must see of whom a record of no transaction removes something, if it does.
pub fn gone_after(undo: &[u8]) -> Result<Option<TxnId>> {
    let mut r = Reader::new(undo, "undo information");
    match undo.first() {
        Some(7) => {
            r.u8()?;
            Ok(Some(TxnId(r.varint()?)))
        }
        _ => Ok(None),
    }
}

/// The tree that a record creates, if it creates one.
pub fn created(undo: &[u8]) -> Result<Option<TreeId>> {
    let mut r = Reader::new(undo, "undo information");
    match undo.first() {
        Some(4 | 6) => {
            r.u8()?;
            Ok(Some(TreeId(r.varint()?)))
        }
        _ => Ok(None),
    }
}

/// The leaf item that a record inserts with its first operation.
pub fn inserted_item(rec: &Record<'_>) -> Result<Vec<u8>> {
    let bad = || Error::corrupt(format!("the log record at {} inserts nothing that it could undo", rec.lsn));
    let ops = rec.blocks.first().ok_or_else(bad)?.ops;
    match Op::decode(&mut Reader::new(ops, "page operation"))? {
        Op::Insert { item, .. } => Ok(item.to_vec()),
        Op::InsertSparse { len, bits, bytes, .. } => {
            let mut buffer = [0; page::SPARSE_BYTES_MAX];
            page::expand(len, bits, bytes, &mut buffer).map(<[u8]>::to_vec).ok_or_else(bad)
        }
        _ => Err(bad()),
    }
}

/// Decodes a record's undo information, which must not be empty: the tree it concerns, and what to put back.
pub fn decode<'a>(rec: &Record<'a>) -> Result<(TreeId, LogUndo<'a>)> {
    let mut r = Reader::new(rec.undo, "undo information");
    let (kind, named) = match r.u8()? {
        kind @ (4 | 6) => (kind, true),
        kind => (kind & !NAMED, kind & NAMED != 0),
    };
    let tree = match rec.blocks.first() {
        _ if named => TreeId(r.varint()?),
        Some(block) => TreeId(block.page.file.0),
        None => return Err(r.bad("a change without a block")),
    };
    let undo = match kind {
        1 => LogUndo::Insert,
        2 | 5 => {
            let key = r.bytes()?;
            let flags = r.u8()?;
            let head = Head { flags, txn: TxnId(r.varint()?), seq: r.varint_max(u32::MAX as usize)? as u32 };
            let len = if kind == 2 { Some(r.varint_max(crate::base::PAGE_BYTES)?) } else { None };
            LogUndo::Change { key, head, len, ranges: r.rest() }
        }
        3 => LogUndo::Chain { head: r.varint_max(u32::MAX as usize)? as u32 },
        4 => LogUndo::Tree { root: None },
        6 => LogUndo::Tree { root: Some(r.varint_max(u32::MAX as usize)? as u32) },
        _ => return Err(r.bad("unknown kind")),
    };
    Ok((tree, undo))
}

/// The row that a record of a transaction changes, by tree and key; `None`: it is about no row.
pub(crate) fn changed_row(rec: &Record<'_>) -> Result<Option<(TreeId, Vec<u8>)>> {
    let (tree, undo) = decode(rec)?;
    Ok(match undo {
        LogUndo::Insert => Some((tree, entry::parse(&inserted_item(rec)?)?.key.to_vec())),
        LogUndo::Change { key, .. } => Some((tree, key.to_vec())),
        LogUndo::Chain { .. } | LogUndo::Tree { .. } => None,
    })
}
