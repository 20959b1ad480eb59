//! The bytes of large objects, in rows of a page each.
//!
//! Invariants:
//! 1. What is written is bounded by what is given: of an object that is longer than memory, one page is held at a time.
//!
//! Must not know: who may read and write.

use super::{page_key, read_page_key};
use evenkeel::{Direction, Error, KeyRange, LockMode, Locked, Transaction, TreeId, WaitPolicy, Write};
use evenkeel_types::error::SqlError;
use std::ops::Bound;

/// Bytes of a page: PostgreSQL's.
pub const PAGE_BYTES: usize = 2048;
/// Bytes of the largest object: its pages have numbers of `integer`.
pub const MAX_BYTES: u64 = i32::MAX as u64 * PAGE_BYTES as u64;

/// Keys that are collected before their rows are removed.
const REMOVED_AT_ONCE: usize = 1024;

/// The page that a place is in, and where in that.
fn place_of(at: u64) -> (u32, usize) {
    ((at / PAGE_BYTES as u64) as u32, (at % PAGE_BYTES as u64) as usize)
}

/// The pages of an object from one on.
fn pages_from(oid: u32, page: u32) -> KeyRange {
    KeyRange { start: Bound::Included(page_key(oid, page)), end: Bound::Included(page_key(oid, u32::MAX)) }
}

/// How long an object is: to the end of its last page.
pub fn size(txn: &mut Transaction, tree: TreeId, oid: u32) -> Result<u64, SqlError> {
    let mut cursor = txn.cursor(tree, pages_from(oid, 0), Direction::Backward)?;
    match cursor.next(txn)? {
        None => Ok(0),
        Some((key, bytes)) => {
            let (_, page) = read_page_key(key)?;
            Ok(u64::from(page) * PAGE_BYTES as u64 + bytes.len() as u64)
        }
    }
}

/// Bytes from a place on, which lie all before the object's end; holes are zeros.
pub fn read(txn: &mut Transaction, tree: TreeId, oid: u32, at: u64, len: usize) -> Result<Vec<u8>, SqlError> {
    let mut out = vec![0; len];
    if len == 0 {
        return Ok(out);
    }
    let end = at + len as u64;
    let mut range = pages_from(oid, place_of(at).0);
    range.end = Bound::Included(page_key(oid, place_of(end - 1).0));
    let mut cursor = txn.cursor(tree, range, Direction::Forward)?;
    while let Some((key, bytes)) = cursor.next(txn)? {
        let from = u64::from(read_page_key(key)?.1) * PAGE_BYTES as u64;
        let to = (from + bytes.len() as u64).min(end);
        let start = from.max(at);
        if start < to {
            let (target, source) = ((start - at) as usize, (start - from) as usize);
            let n = (to - start) as usize;
            out[target..target + n].copy_from_slice(&bytes[source..source + n]);
        }
    }
    Ok(out)
}

/// Writes bytes at a place; what lies between the object's end and that is zeros.
pub fn write(
    txn: &mut Transaction,
    tree: TreeId,
    oid: u32,
    at: u64,
    mut bytes: &[u8],
) -> Result<(), SqlError> {
    let (mut page, mut from) = place_of(at);
    while !bytes.is_empty() {
        let (now, rest) = bytes.split_at(bytes.len().min(PAGE_BYTES - from));
        let key = page_key(oid, page);
        if now.len() == PAGE_BYTES {
            txn.put(tree, &key, now)?;
        } else {
            change(txn, tree, &key, |page| {
                page.resize(page.len().max(from + now.len()), 0);
                page[from..from + now.len()].copy_from_slice(now);
            })?;
        }
        (bytes, page, from) = (rest, page + 1, 0);
    }
    Ok(())
}

/// Changes the newest version of a page, or one that is not there.
fn change(
    txn: &mut Transaction,
    tree: TreeId,
    key: &[u8],
    how: impl Fn(&mut Vec<u8>),
) -> Result<(), SqlError> {
    let mut old = txn.get(tree, key)?;
    loop {
        let is_there = old.is_some();
        let mut page = old.take().unwrap_or_default();
        how(&mut page);
        if is_there {
            match txn.update(tree, key, &page, LockMode::NoKeyUpdate)? {
                Write::Done => return Ok(()),
                Write::Changed(newer) => old = Some(newer),
                Write::Gone => {}
                Write::SelfModified => return Ok(txn.put(tree, key, &page)?),
            }
            continue;
        }
        match txn.insert(tree, key, &page) {
            // Somebody else has written it meanwhile.
            Err(Error::DuplicateKey) => {
                old = match txn.lock(tree, key, LockMode::NoKeyUpdate, WaitPolicy::Block)? {
                    Locked::Current(newer) | Locked::Changed(newer) => Some(newer),
                    Locked::Gone | Locked::Skipped => None,
                };
            }
            other => return Ok(other?),
        }
    }
}

/// Makes an object so long: what is behind goes, what is missing is a hole. Its last page is written even if it is empty: it says how long the object is.
pub fn truncate(txn: &mut Transaction, tree: TreeId, oid: u32, len: u64) -> Result<(), SqlError> {
    let (page, left) = place_of(len);
    change(txn, tree, &page_key(oid, page), |page| page.resize(left, 0))?;
    remove_pages(txn, tree, oid, page + 1)
}

/// Removes the pages of an object from one on.
pub fn remove_pages(txn: &mut Transaction, tree: TreeId, oid: u32, from: u32) -> Result<(), SqlError> {
    let mut range = pages_from(oid, from);
    loop {
        let mut keys = Vec::new();
        let mut cursor = txn.cursor(tree, range.clone(), Direction::Forward)?;
        while keys.len() < REMOVED_AT_ONCE
            && let Some((key, _)) = cursor.next(txn)?
        {
            keys.push(key.to_vec());
        }
        drop(cursor);
        for key in &keys {
            // One that has changed meanwhile is locked now, and goes with the next try.
            while let Write::Changed(_) = txn.delete(tree, key)? {}
        }
        match keys.pop() {
            Some(last) if keys.len() + 1 == REMOVED_AT_ONCE => range.start = Bound::Excluded(last),
            _ => return Ok(()),
        }
    }
}
