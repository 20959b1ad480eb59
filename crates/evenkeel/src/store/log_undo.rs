//! Undo information in log records, for recovery.
//!
//! Payload: kind u8, then
//! * 1 insert: nothing more; the key is in the item that the record's first operation inserts;
//! * 2 change: key length varint, key; head before: flags u8, transaction varint, sequence varint; value length before varint; byte
//!   ranges that turn the new value into the old one (`page::Op::Patch` encoding), up to the end;
//! * 5 change of a value that keeps its length: as 2, without the length;
//! * 3 chain: first block varint;
//! * 4 tree: tree id varint.
//!
//! The tree is that of the record's first block, but for a tree's creation, whose record has none.

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
    /// Drop the tree's file.
    Tree,
}

/// Encodes the undo of an insert, whose record's first operation is the insertion.
pub fn insert(out: &mut Vec<u8>) {
    out.push(1);
}

/// Encodes the undo of a change.
pub fn change(key: &[u8], head: Head, old: &[u8], new: &[u8], out: &mut Vec<u8>) {
    let same = old.len() == new.len();
    out.push(if same { 5 } else { 2 });
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
pub fn tree(tree: TreeId, out: &mut Vec<u8>) {
    out.push(4);
    put_varint(out, tree.0);
}

/// The key of the entry that a record inserts with its first operation.
pub fn inserted_key(rec: &Record<'_>) -> Result<Vec<u8>> {
    let bad = || Error::Corrupt(format!("the log record at {} inserts nothing that it could undo", rec.lsn));
    let ops = rec.blocks.first().ok_or_else(bad)?.ops;
    match Op::decode(&mut Reader::new(ops, "page operation"))? {
        Op::Insert { item, .. } => Ok(entry::parse(item)?.key.to_vec()),
        Op::InsertSparse { len, bits, bytes, .. } => {
            let mut buffer = [0; page::SPARSE_BYTES_MAX];
            let item = page::expand(len, bits, bytes, &mut buffer).ok_or_else(bad)?;
            Ok(entry::parse(item)?.key.to_vec())
        }
        _ => Err(bad()),
    }
}

/// Decodes a record's undo information, which must not be empty: the tree it concerns, and what to put back.
pub fn decode<'a>(rec: &Record<'a>) -> Result<(TreeId, LogUndo<'a>)> {
    let mut r = Reader::new(rec.undo, "undo information");
    let kind = r.u8()?;
    let tree = match rec.blocks.first() {
        _ if kind == 4 => TreeId(r.varint()?),
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
        4 => LogUndo::Tree,
        _ => return Err(r.bad("unknown kind")),
    };
    Ok((tree, undo))
}
