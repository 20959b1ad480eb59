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
use evenkeel_types::json::deeper;
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
        let asked = ask.class.asked(ask.operator, &value);
        let rows = rows_asked(index, ask.column, &asked, cx)?;
        found = Some(met(found, rows));
        if found.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
    }
    Ok(found.unwrap_or_default())
}

fn met(before: Option<Vec<u64>>, rows: Vec<u64>) -> Vec<u64> {
    match before {
        None => rows,
        Some(before) => both(&before, &rows),
    }
}

/// The rows that what is asked of a column leads to, in order.
fn rows_asked(index: &Index, column: usize, asked: &Asked, cx: &mut Cx<'_>) -> Result<Vec<u64>, SqlError> {
    let prefix = |key: &Vec<u8>| {
        let mut prefix = vec![column_prefix(column)];
        prefix.extend_from_slice(key);
        prefix
    };
    let mut found = None;
    match asked {
        Asked::Nothing => {}
        Asked::Everything => return together(index, &[vec![column_prefix(column)]], cx),
        Asked::Any(keys) => {
            let prefixes: Vec<Vec<u8>> = keys.iter().map(prefix).collect();
            return together(index, &prefixes, cx);
        }
        Asked::All(keys) => {
            for key in keys {
                let rows = together(index, &[prefix(key)], cx)?;
                found = Some(met(found, rows));
                if found.as_ref().is_some_and(Vec::is_empty) {
                    break;
                }
            }
        }
        Asked::Both(list) => {
            for asked in list {
                let rows = deeper(|| rows_asked(index, column, asked, cx))?;
                found = Some(met(found, rows));
                if found.as_ref().is_some_and(Vec::is_empty) {
                    break;
                }
            }
        }
        Asked::Either(list) => {
            let mut all = Vec::new();
            for asked in list {
                all.extend(deeper(|| rows_asked(index, column, asked, cx))?);
            }
            all.sort_unstable();
            all.dedup();
            found = Some(all);
        }
    }
    Ok(found.unwrap_or_default())
}
