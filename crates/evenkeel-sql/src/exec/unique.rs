//! Unique constraints that are DEFERRABLE.
//!
//! Rows may share a key for a while, so the index's entries carry row ids as those of other indexes do, and the key is looked at later. Who looks writes
//! and deletes an entry that is the key alone, which no row has: two transactions that look at one key do so one after the other, and the second
//! sees what the first has committed.
//!
//! Invariants:
//! 1. No entry that is a key alone is ever seen by a reader: the transaction that writes it deletes it at once.
//!
//! Must not know: when keys are looked at.

use super::Cx;
use super::change::index_error;
use super::keys::{RowEntries, encode_column, row_id_of};
use crate::catalog::{Index, Table};
use crate::plan::form::IndexForm;
use evenkeel::{Direction, Error, KeyRange, Transaction, TxnOptions, Write};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type};

/// The key of a row that must be its only one; None: it has NULLs, which are distinct.
pub fn unique_key(index: &Index, types: &[Type], row: &[Datum]) -> Option<Box<[u8]>> {
    let mut key = Vec::new();
    for c in &index.columns {
        if row[c.column].is_null() && !index.nulls_not_distinct {
            return None;
        }
        encode_column(c, &row[c.column], types[c.column], &mut key);
    }
    Some(key.into())
}

/// The row ids of the first two entries that have a key.
fn first_two(txn: &mut Transaction, index: &Index, key: &[u8]) -> Result<Vec<Vec<u8>>, SqlError> {
    let mut cursor = txn.cursor(index.tree, KeyRange::prefix(key), Direction::Forward)?;
    let mut found = Vec::new();
    while found.len() < 2
        && let Some((_, id)) = cursor.next(txn)?
    {
        found.push(row_id_of(id).to_vec());
    }
    Ok(found)
}

/// The row that has an index's key already, as far as it is seen: what is equal need not look alike.
pub fn in_the_way(
    table: &Table,
    index: &Index,
    form: Option<&IndexForm>,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Option<Vec<Datum>> {
    let mut entries = RowEntries::default();
    entries.find(index, form, &table.types, row, 0, cx).ok()?;
    let entry = cx.txn.get(index.tree, entries.only()?).ok()??;
    let stored = cx.txn.get(table.heap.tree, row_id_of(&entry)).ok()??;
    let mut there = Vec::new();
    table.decode_row(&stored, &mut there).is_ok().then_some(there)
}

fn has_key(table: &Table, index: &Index, key: &[u8], stored: &[u8]) -> bool {
    let mut row = Vec::new();
    table.decode_row(stored, &mut row).is_ok()
        && unique_key(index, &table.types, &row).is_some_and(|own| *own == *key)
}

/// Fails if two rows have a key.
pub fn check_key(table: &Table, index: &Index, key: &[u8], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    // Whoever has written a row with the key looks at it before the commit, and is waited for here.
    cx.txn.insert(index.tree, key, &[])?;
    cx.txn.begin_statement();
    match cx.txn.delete(index.tree, key)? {
        Write::Done => {}
        _ => return Err(SqlError::internal("the guard of a unique key is gone")),
    }
    cx.txn.begin_statement();
    let mut found = first_two(cx.txn, index, key)?;
    if cx.is_snapshot_isolation && found.len() == 1 {
        // Somebody may have committed a row with the key since the snapshot.
        let mut latest = cx.db.begin(TxnOptions { read_only: true, ..TxnOptions::default() });
        latest.begin_statement();
        for id in first_two(&mut latest, index, key)? {
            if !found.contains(&id) {
                match cx.txn.check_newest(table.heap.tree, &id, false) {
                    // The row is the snapshot's, or the transaction's own; an entry may be younger than its row (REINDEX CONCURRENTLY).
                    Ok(()) => {
                        let stored = cx.txn.get(table.heap.tree, &id)?;
                        if stored.is_some_and(|s| has_key(table, index, key, &s)) {
                            found.push(id);
                        }
                    }
                    Err(Error::SerializationFailure) => found.push(id),
                    Err(e) => return Err(e.into()),
                }
            }
        }
    }
    let [.., last] = &found[..] else { return Ok(()) };
    if found.len() < 2 {
        return Ok(());
    }
    // Whoever is about to delete one of them, or to give it another key, is waited for; who only has it locked is not.
    for id in &found {
        let stored = cx.txn.newest(table.heap.tree, id)?;
        if stored.is_none_or(|stored| !has_key(table, index, key, &stored)) {
            cx.txn.begin_statement();
            return check_key(table, index, key, cx);
        }
    }
    let mut row = Vec::new();
    let stored = match cx.txn.get(table.heap.tree, last)? {
        Some(stored) => Some(stored),
        None => cx.txn.get(table.heap.tree, &found[0])?,
    };
    if let Some(stored) = stored {
        table.decode_row(&stored, &mut row)?;
    } else {
        row.resize(table.columns.len(), Datum::Null);
    }
    Err(index_error(Error::DuplicateKey, table, index, None, &row, cx))
}
