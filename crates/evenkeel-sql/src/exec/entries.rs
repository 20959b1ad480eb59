//! Changes of single index entries of rows that this statement has changed.
//!
//! Must not know: which rows these are, and when it is done.

use super::Cx;
use crate::catalog::{Index, Table};
use evenkeel::{LockMode, Write};
use evenkeel_types::error::{SqlError, SqlState};

/// Deletes an index entry of a row that is locked.
pub(super) fn delete_entry(
    table: &Table,
    index: &Index,
    key: &[u8],
    cx: &mut Cx<'_>,
) -> Result<(), SqlError> {
    // A version newer than the snapshot is reported (and locked) first: the row's lock makes it ours to delete.
    for _ in 0..2 {
        match cx.txn.delete(index.tree, key)? {
            Write::Done => return Ok(()),
            Write::Changed(_) => {}
            Write::Gone | Write::SelfModified => break,
        }
    }
    lacks_entry(table, index)
}

/// Gives an entry of a row that is locked other INCLUDE columns.
pub(super) fn update_entry(
    table: &Table,
    index: &Index,
    key: &[u8],
    value: &[u8],
    cx: &mut Cx<'_>,
) -> Result<(), SqlError> {
    for _ in 0..2 {
        match cx.txn.update(index.tree, key, value, LockMode::NoKeyUpdate)? {
            Write::Done => return Ok(()),
            Write::Changed(_) => {}
            Write::Gone | Write::SelfModified => break,
        }
    }
    lacks_entry(table, index)
}

/// An entry is not there: an index that is not valid may lack it, and who fills it finds the row as it is now.
fn lacks_entry(table: &Table, index: &Index) -> Result<(), SqlError> {
    if !index.is_valid() {
        return Ok(());
    }
    Err(SqlError::new(
        SqlState::INDEX_CORRUPTED,
        format!("index \"{}\" lacks an entry for a row of table \"{}\"", index.name, table.name),
    ))
}
