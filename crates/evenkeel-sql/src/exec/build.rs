//! Filling a new index, and checking rows that are there already against new constraints.
//!
//! Keys are gathered in batches of bounded memory, sorted, and inserted in order, so that leaves are filled from left to right.
//!
//! Must not know: DDL statements.

use super::change::key_text;
use super::eval::eval;
use super::keys::entry_key;
use super::{Cx, change};
use crate::catalog::{Index, Table};
use crate::plan::FkCheck;
use crate::plan::expr::Expr;
use evenkeel::{Direction, KeyRange, LockMode, Write};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, decode_columns, decode_row, decode_rowid, encode_row};

/// Key bytes in one batch.
const BATCH_BYTES: usize = 8 << 20;

/// Fills an index from its table; the statement's snapshot must see every row.
pub fn build_index(table: &Table, index: &Index, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let mut wanted: Vec<usize> = index.columns.iter().map(|c| c.column).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut row = vec![Datum::Null; table.columns.len()];
    let mut cursor = cx.txn.cursor(table.heap.tree, KeyRange::all(), Direction::Forward)?;
    let mut batch: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut bytes = 0;
    let limit = BATCH_BYTES.min(cx.run.memory.left_bytes() / 2).max(64 << 10);
    loop {
        cx.check_interrupt()?;
        let entry = match cursor.next(cx.txn)? {
            None => None,
            Some((id, stored)) => {
                decode_columns(stored, &table.types, &wanted, &mut row)?;
                let mut key = Vec::with_capacity(16);
                entry_key(index, &table.types, &row, decode_rowid(id)?, &mut key);
                Some((key, id.to_vec()))
            }
        };
        let end = entry.is_none();
        if let Some((key, id)) = entry {
            bytes += key.len() + id.len() + 64;
            batch.push((key, id));
        }
        if end || bytes >= limit {
            batch.sort_unstable();
            for (key, id) in batch.drain(..) {
                if let Err(e) = cx.txn.insert(index.tree, &key, &id) {
                    return Err(build_error(e, table, index, &id, cx));
                }
            }
            bytes = 0;
        }
        if end {
            return Ok(());
        }
    }
}

fn build_error(e: evenkeel::Error, table: &Table, index: &Index, id: &[u8], cx: &mut Cx<'_>) -> SqlError {
    if !matches!(e, evenkeel::Error::DuplicateKey) {
        return e.into();
    }
    let error = SqlError::new(
        SqlState::UNIQUE_VIOLATION,
        format!("could not create unique index \"{}\"", index.name),
    )
    .with_table(change::schema_name(table, cx), &table.name)
    .with_constraint(&index.name);
    let mut row = Vec::new();
    match cx.txn.get(table.heap.tree, id) {
        Ok(Some(stored)) if decode_row(&stored, &table.types, &mut row).is_ok() => {
            let columns: Vec<usize> = index.columns.iter().map(|c| c.column).collect();
            error.with_detail(format!("Key {} is duplicated.", key_text(table, &columns, &row, cx)))
        }
        _ => error,
    }
}

/// Gets each row of a table.
pub type Visit<'v> = &'v mut dyn FnMut(&mut Vec<Datum>, &mut Cx<'_>) -> Result<(), SqlError>;

/// Visits every row of a table, all columns decoded and the row id behind them.
pub fn for_each_row(table: &Table, cx: &mut Cx<'_>, f: Visit<'_>) -> Result<u64, SqlError> {
    let mut cursor = cx.txn.cursor(table.heap.tree, KeyRange::all(), Direction::Forward)?;
    let mut row = Vec::new();
    let mut count = 0;
    while let Some((id, stored)) = cursor.next(cx.txn)? {
        row.clear();
        decode_row(stored, &table.types, &mut row)?;
        row.push(Datum::Int8(decode_rowid(id)? as i64));
        f(&mut row, cx)?;
        count += 1;
        cx.check_interrupt()?;
    }
    Ok(count)
}

/// Checks that a column has no NULLs.
pub fn check_not_null(table: &Table, column: usize, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    for_each_row(table, cx, &mut |row, cx| {
        if row[column].is_null() {
            return Err(SqlError::new(
                SqlState::NOT_NULL_VIOLATION,
                format!(
                    "column \"{}\" of relation \"{}\" contains null values",
                    table.columns[column].name, table.name
                ),
            )
            .with_table(change::schema_name(table, cx), &table.name)
            .with_column(&table.columns[column].name));
        }
        Ok(())
    })
    .map(|_| ())
}

/// Checks a condition on every row.
pub fn check_condition(table: &Table, name: &str, condition: &Expr, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    for_each_row(table, cx, &mut |row, cx| {
        if matches!(eval(condition, row, cx)?, Datum::Bool(false)) {
            return Err(SqlError::new(
                SqlState::CHECK_VIOLATION,
                format!("check constraint \"{name}\" of relation \"{}\" is violated by some row", table.name),
            )
            .with_table(change::schema_name(table, cx), &table.name)
            .with_constraint(name));
        }
        Ok(())
    })
    .map(|_| ())
}

/// Checks a foreign key of every row. The referenced table is locked against writers, and at READ COMMITTED the statement's snapshot is younger than that lock.
pub fn check_foreign_key(table: &Table, fk: &FkCheck, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    for_each_row(table, cx, &mut |row, cx| {
        let nulls = fk.fk.columns.iter().filter(|c| row[**c].is_null()).count();
        if nulls > 0 && (!fk.fk.match_full || nulls == fk.fk.columns.len()) {
            return Ok(());
        }
        match cx.is_snapshot_isolation {
            true => super::foreign::check_parent(fk, table, row, cx),
            false => super::foreign::check_parent_of_locked_table(fk, table, row, cx),
        }
    })
    .map(|_| ())
}

/// Gives a column a value in every row.
pub fn fill_column(table: &Table, column: usize, value: &Expr, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let (mut key, mut stored) = (Vec::new(), Vec::new());
    for_each_row(table, cx, &mut |row, cx| {
        let id = row.pop().and_then(|d| d.as_i64()).unwrap_or(0) as u64;
        row[column] = eval(value, &[], cx)?;
        key.clear();
        evenkeel_types::encode_rowid(id, &mut key);
        stored.clear();
        encode_row(row, &table.types, &mut stored);
        match cx.txn.update(table.heap.tree, &key, &stored, LockMode::Update)? {
            Write::Done => Ok(()),
            _ => Err(evenkeel::Error::SerializationFailure.into()),
        }
    })
    .map(|_| ())
}
