//! Undo information in log records, for recovery.
//!
//! Payload: kind u8 (as in `undo.rs`), then
//! * 1 insert: key length varint, key;
//! * 2 change, 5 delete: key length varint, key; head before: flags u8, transaction varint, sequence varint; value length before varint; byte
//!   ranges that turn the new value into the old one (`page::Op::Patch` encoding), up to the end;
//! * 3 chain: first block varint;
//! * 4 tree: nothing.
//!
//! The tree is the first varint after the kind in all of them.

use crate::base::codec::{Reader, put_bytes, put_varint};
use crate::base::{Result, TreeId, TxnId};
use crate::btree::entry::Head;
use crate::page;

/// What recovery has to put back.
#[derive(Debug)]
pub enum LogUndo<'a> {
    /// Remove the entry.
    Insert {
        /// Its key.
        key: &'a [u8],
    },
    /// Put the entry's head and value back.
    Change {
        /// Its key.
        key: &'a [u8],
        /// The head before.
        head: Head,
        /// Length of the value before.
        len: usize,
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

/// Encodes the undo of an insert.
pub fn insert(tree: TreeId, key: &[u8], out: &mut Vec<u8>) {
    out.push(1);
    put_varint(out, tree.0);
    put_bytes(out, key);
}

/// Encodes the undo of a change.
pub fn change(tree: TreeId, key: &[u8], head: Head, old: &[u8], new: &[u8], out: &mut Vec<u8>) {
    out.push(2);
    put_varint(out, tree.0);
    put_bytes(out, key);
    out.push(head.flags);
    put_varint(out, head.txn.0);
    put_varint(out, u64::from(head.seq));
    put_varint(out, old.len() as u64);
    page::diff(new, old, out);
}

/// Encodes the undo of a chain.
pub fn chain(tree: TreeId, head: u32, out: &mut Vec<u8>) {
    out.push(3);
    put_varint(out, tree.0);
    put_varint(out, u64::from(head));
}

/// Encodes the undo of a tree's creation.
pub fn tree(tree: TreeId, out: &mut Vec<u8>) {
    out.push(4);
    put_varint(out, tree.0);
}

/// Decodes.
pub fn decode(bytes: &[u8]) -> Result<(TreeId, LogUndo<'_>)> {
    let mut r = Reader::new(bytes, "undo information");
    let kind = r.u8()?;
    let tree = TreeId(r.varint()?);
    let undo = match kind {
        1 => LogUndo::Insert { key: r.bytes()? },
        2 => {
            let key = r.bytes()?;
            let flags = r.u8()?;
            let head = Head { flags, txn: TxnId(r.varint()?), seq: r.varint_max(u32::MAX as usize)? as u32 };
            let len = r.varint_max(crate::base::PAGE_BYTES)?;
            LogUndo::Change { key, head, len, ranges: r.rest() }
        }
        3 => LogUndo::Chain { head: r.varint_max(u32::MAX as usize)? as u32 },
        4 => LogUndo::Tree,
        _ => return Err(r.bad("unknown kind")),
    };
    Ok((tree, undo))
}
