//! The rows that an inverted index (GIN) has for what is asked of it.
//!
//! An entry's key is the number of the index's column, the key of what was taken from the value, and the row id: entries of one key lie in the order of
//! their rows, so that sets of rows are merged as they are read.
//!
//! Invariants:
//! 1. What is found contains every row of which all conditions are true; whoever asks looks at the conditions again.
//!
//! Must not know: plans above the scan.

use super::Cx;
use super::eval::eval;
use super::keys::row_id_of;
use crate::catalog::Index;
use crate::plan::InvertedAsk;
use evenkeel::{Direction, KeyRange};
use evenkeel_types::error::SqlError;
use evenkeel_types::inverted::Asked;
use evenkeel_types::{Datum, decode_rowid};

/// What the key of an entry begins with.
pub fn column_prefix(column: usize) -> u8 {
    column as u8
}

/// The ids of the rows that entries with a prefix lead to, in the order of the entries.
fn rows_of(index: &Index, prefix: &[u8], cx: &mut Cx<'_>) -> Result<Vec<u64>, SqlError> {
    let mut cursor = cx.txn.cursor(index.tree, KeyRange::prefix(prefix), Direction::Forward)?;
    let mut rows = Vec::new();
    while let Some((_, value)) = cursor.next(cx.txn)? {
        cx.check_interrupt()?;
        if rows.len() == rows.capacity() {
            let more = rows.capacity().max(64);
            cx.run.memory.grow(more * size_of::<u64>())?;
            rows.reserve_exact(more);
        }
        rows.push(decode_rowid(row_id_of(value))?);
    }
    Ok(rows)
}

fn forget(rows: &Vec<u64>, cx: &mut Cx<'_>) {
    cx.run.memory.shrink(rows.capacity() * size_of::<u64>());
}

fn together(index: &Index, prefixes: &[Vec<u8>], cx: &mut Cx<'_>) -> Result<Vec<u64>, SqlError> {
    let mut all = Vec::new();
    for prefix in prefixes {
        let rows = rows_of(index, prefix, cx)?;
        cx.run.memory.grow(rows.len() * size_of::<u64>())?;
        forget(&rows, cx);
        all.extend(rows);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

fn both(a: &[u64], b: &[u64]) -> Vec<u64> {
    let (mut at, mut found) = (0, Vec::new());
    for row in a {
        while b.get(at).is_some_and(|r| r < row) {
            at += 1;
        }
        if b.get(at) == Some(row) {
            found.push(*row);
        }
    }
    found
}

/// The rows that may satisfy all that is asked, in order. (1)
pub fn find(
    index: &Index,
    asks: &[InvertedAsk],
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<Vec<u64>, SqlError> {
    let mut found: Option<Vec<u64>> = None;
    for ask in asks {
        let value = eval(&ask.value, row, cx)?;
        let prefix = |key: &Vec<u8>| {
            let mut prefix = vec![column_prefix(ask.column)];
            prefix.extend_from_slice(key);
            prefix
        };
        let mut sets = Vec::new();
        match ask.class.asked(ask.operator, &value) {
            Asked::Nothing => return Ok(Vec::new()),
            Asked::Everything => sets.push(vec![vec![column_prefix(ask.column)]]),
            Asked::Any(keys) => sets.push(keys.iter().map(prefix).collect()),
            Asked::All(keys) => sets.extend(keys.iter().map(|key| vec![prefix(key)])),
        }
        for prefixes in sets {
            let rows = together(index, &prefixes, cx)?;
            found = Some(match found {
                None => rows,
                Some(before) => both(&before, &rows),
            });
            if found.as_ref().is_some_and(Vec::is_empty) {
                return Ok(Vec::new());
            }
        }
    }
    Ok(found.unwrap_or_default())
}
