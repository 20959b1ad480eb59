//! INSERT, UPDATE and DELETE: rows, their index entries, and the constraints on them.
//!
//! Under READ COMMITTED a row that another transaction has changed meanwhile is read anew, the condition is checked on its new version,
//! and the change is applied to that (`Write::Changed`); under REPEATABLE READ the engine refuses with 40001.
//!
//! Invariants:
//! 1. A row's index entries are changed only after the row itself, whose lock they are under.
//! 2. Foreign keys are checked at the end of the statement, or at once where the outcome cannot differ.
//!
//! Must not know: SQL syntax, sessions.

use super::Cx;
use super::conflict;
use super::eval::{eval, holds};
use super::foreign::Pending;
use super::keys::entry_key;
use super::node::{self, State, buffer};
use crate::catalog::{Index, Table};
use crate::error::{SqlError, SqlState};
use crate::plan::{DeletePlan, InsertPlan, InsertSource, PlanKind, Returning, Target, UpdatePlan};
use crate::types::{Datum, Type, decode_columns, decode_row, encode_row, encode_rowid, to_text};
use evenkeel::{LockMode, Write};

/// Gets RETURNING's rows.
pub type Emit<'e> = &'e mut dyn FnMut(&[Datum]) -> Result<(), SqlError>;

/// Buffers that a statement reuses for each row.
#[derive(Default)]
pub struct Scratch {
    /// A stored row.
    pub stored: Vec<u8>,
    /// An index key.
    pub key: Vec<u8>,
    /// Another one.
    pub old_key: Vec<u8>,
    /// A row id.
    pub row_id: Vec<u8>,
}

/// Runs a statement that changes rows; returns how many.
pub fn run(cx: &mut Cx<'_>, emit: Emit<'_>) -> Result<u64, SqlError> {
    match &cx.plan.kind {
        PlanKind::Insert(p) => insert(p, cx, emit),
        PlanKind::Update(p) => update(p, cx, emit),
        PlanKind::Delete(p) => delete(p, cx, emit),
        PlanKind::Query(_) => Err(SqlError::internal("not a change")),
    }
}

/// Evaluates RETURNING over a row and hands it out.
pub fn give(
    returning: &Returning,
    row: &[Datum],
    cx: &mut Cx<'_>,
    emit: &mut dyn FnMut(&[Datum]) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let values = returning.exprs.iter().map(|e| eval(e, row, cx)).collect::<Result<Vec<_>, _>>()?;
    emit(&values)
}

fn insert(p: &InsertPlan, cx: &mut Cx<'_>, emit: Emit<'_>) -> Result<u64, SqlError> {
    let target = &cx.plan.targets[p.target];
    let width = target.table.columns.len();
    let mut row = vec![Datum::Null; width + 1];
    let mut writer = Inserter { scratch: Scratch::default(), pending: Pending::default() };
    let mut count = 0;
    let mut one = |row: &mut Vec<Datum>, writer: &mut Inserter, cx: &mut Cx<'_>| -> Result<(), SqlError> {
        let done = match &p.conflict {
            None => {
                writer.insert(target, row, cx)?;
                true
            }
            Some(c) => conflict::insert(c, target, writer, row, cx)?,
        };
        if done {
            count += 1;
            if let Some(r) = &p.returning {
                give(r, row, cx, emit)?;
            }
        }
        Ok(())
    };
    match &p.source {
        InsertSource::Rows(rows) => {
            for exprs in rows {
                cx.check_interrupt()?;
                for (n, e) in exprs.iter().enumerate() {
                    row[n] = eval(e, &[], cx)?;
                }
                one(&mut row, &mut writer, cx)?;
            }
        }
        InsertSource::Query(query, exprs) => {
            let mut st = State::new(&query.root);
            let mut source = buffer(query);
            while node::next(&query.root, &mut st, &mut source, cx)? {
                for (n, e) in exprs.iter().enumerate() {
                    row[n] = eval(e, &source, cx)?;
                }
                one(&mut row, &mut writer, cx)?;
            }
        }
    }
    writer.pending.check(cx)?;
    Ok(count)
}

/// Writes new rows of one statement.
pub struct Inserter {
    /// Buffers.
    pub scratch: Scratch,
    /// Foreign keys to check at the end.
    pub pending: Pending,
}

impl Inserter {
    /// Checks and writes a row; its row id is put into its last place.
    pub fn insert(&mut self, target: &Target, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let table = &*target.table;
        check_row(target, row, cx)?;
        let id = self.new_row_id(table, row, cx)?;
        for index in &table.indexes {
            self.insert_entry(table, index, row, id, cx)?;
        }
        self.insert_stored(target, row, cx)
    }

    /// Takes a row id for a new row.
    pub fn new_row_id(&mut self, table: &Table, row: &mut [Datum], cx: &Cx<'_>) -> Result<u64, SqlError> {
        let id = table.heap.new_row_id(cx.db)?;
        row[table.columns.len()] = Datum::Int8(id as i64);
        self.scratch.row_id.clear();
        encode_rowid(id, &mut self.scratch.row_id);
        Ok(id)
    }

    /// Writes an index entry of a new row.
    pub fn insert_entry(
        &mut self,
        table: &Table,
        index: &Index,
        row: &[Datum],
        id: u64,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        self.scratch.key.clear();
        entry_key(index, &table.types, row, id, &mut self.scratch.key);
        cx.txn
            .insert(index.tree, &self.scratch.key, &self.scratch.row_id)
            .map_err(|e| entry_error(e, table, index, row, cx))
    }

    /// Writes the row itself, after its entries, and checks its foreign keys.
    pub fn insert_stored(&mut self, target: &Target, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let table = &*target.table;
        self.scratch.stored.clear();
        encode_row(&row[..table.columns.len()], &table.types, &mut self.scratch.stored);
        cx.txn.insert(table.heap.tree, &self.scratch.row_id, &self.scratch.stored)?;
        for fk in &target.foreign_keys {
            self.pending.child(fk, table, row, cx)?;
        }
        Ok(())
    }
}

/// Gives a duplicate key PostgreSQL's words.
pub fn entry_error(e: evenkeel::Error, table: &Table, index: &Index, row: &[Datum], cx: &Cx<'_>) -> SqlError {
    match e {
        evenkeel::Error::DuplicateKey => {
            let columns: Vec<usize> = index.columns.iter().map(|c| c.column).collect();
            SqlError::new(
                SqlState::UNIQUE_VIOLATION,
                format!("duplicate key value violates unique constraint \"{}\"", index.name),
            )
            .with_detail(format!("Key {} already exists.", key_text(table, &columns, row, cx)))
            .with_table(schema_name(table, cx), &table.name)
            .with_constraint(&index.name)
        }
        evenkeel::Error::KeyTooLong { len, max } => SqlError::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("index row size {len} exceeds maximum {max} for index \"{}\"", index.name),
        ),
        other => other.into(),
    }
}

/// `(a, b)=(1, 2)`
pub fn key_text(table: &Table, columns: &[usize], row: &[Datum], cx: &Cx<'_>) -> String {
    let values: Vec<String> =
        columns.iter().map(|c| shown(&row[*c], table.types[*c], table.columns[*c].typmod, cx)).collect();
    format!("({})=({})", table.column_names(columns.iter().copied()), values.join(", "))
}

fn shown(d: &Datum, ty: Type, typmod: i32, cx: &Cx<'_>) -> String {
    if d.is_null() { "null".into() } else { to_text(d, ty, typmod, cx.eval.format) }
}

/// The table's schema by name.
pub fn schema_name(table: &Table, cx: &Cx<'_>) -> String {
    cx.catalog.schema(table.schema).map_or_else(String::new, |s| s.name.clone())
}

fn failing_row(table: &Table, row: &[Datum], cx: &Cx<'_>) -> String {
    let values: Vec<String> = table
        .live_columns()
        .map(|(n, c)| {
            let mut text = shown(&row[n], c.ty, c.typmod, cx);
            if text.chars().count() > 64 {
                text = text.chars().take(64).collect::<String>() + "...";
            }
            text
        })
        .collect();
    format!("Failing row contains ({}).", values.join(", "))
}

/// NOT NULL and CHECK.
pub fn check_row(target: &Target, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let table = &*target.table;
    for (n, c) in table.columns.iter().enumerate() {
        if c.not_null && !c.dropped && row[n].is_null() {
            return Err(SqlError::new(
                SqlState::NOT_NULL_VIOLATION,
                format!(
                    "null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                    c.name, table.name
                ),
            )
            .with_detail(failing_row(table, row, cx))
            .with_table(schema_name(table, cx), &table.name)
            .with_column(&c.name));
        }
    }
    for (name, condition) in &target.checks {
        // NULL satisfies a CHECK.
        if matches!(eval(condition, row, cx)?, Datum::Bool(false)) {
            return Err(SqlError::new(
                SqlState::CHECK_VIOLATION,
                format!("new row for relation \"{}\" violates check constraint \"{name}\"", table.name),
            )
            .with_detail(failing_row(table, row, cx))
            .with_table(schema_name(table, cx), &table.name)
            .with_constraint(name));
        }
    }
    Ok(())
}

fn update(p: &UpdatePlan, cx: &mut Cx<'_>, emit: Emit<'_>) -> Result<u64, SqlError> {
    let target = &cx.plan.targets[p.target];
    let width = target.table.columns.len();
    let own = p.at..p.at + width;
    let mut st = State::new(&p.input);
    let mut row = vec![Datum::Null; p.width];
    let mut new: Vec<Datum> = Vec::with_capacity(width + 1);
    let mut scratch = Scratch::default();
    let mut pending = Pending::default();
    let mut count = 0;
    while node::next(&p.input, &mut st, &mut row, cx)? {
        let changed = loop {
            new.clear();
            new.extend_from_slice(&row[p.at..=p.at + width]);
            for (column, e) in &p.set {
                new[*column] = eval(e, &row, cx)?;
            }
            let old = &row[own.clone()];
            match update_row(target, &p.indexes, p.lock, old, &new, &mut scratch, &mut pending, cx)? {
                Write::Done => break true,
                Write::Gone | Write::SelfModified => break false,
                Write::Changed(stored) => {
                    let mut fresh = Vec::with_capacity(width);
                    decode_row(&stored, &target.table.types, &mut fresh)?;
                    row[own.clone()].clone_from_slice(&fresh);
                    if let Some(condition) = &p.recheck
                        && !holds(condition, &row, cx)?
                    {
                        break false;
                    }
                }
            }
        };
        if changed {
            count += 1;
            if let Some(r) = &p.returning {
                // The old values come back: a join may still need them.
                row[own.clone()].swap_with_slice(&mut new[..width]);
                let result = give(r, &row, cx, emit);
                row[own.clone()].swap_with_slice(&mut new[..width]);
                result?;
            }
        }
    }
    pending.check(cx)?;
    Ok(count)
}

/// Writes a changed row; `new` has the row id in its last place.
#[allow(clippy::too_many_arguments)] // What one row needs; a struct would be built for each.
pub fn update_row(
    target: &Target,
    indexes: &[usize],
    lock: LockMode,
    old: &[Datum],
    new: &[Datum],
    scratch: &mut Scratch,
    pending: &mut Pending,
    cx: &mut Cx<'_>,
) -> Result<Write, SqlError> {
    let table = &*target.table;
    let width = table.columns.len();
    check_row(target, new, cx)?;
    let id = new[width].as_i64().ok_or_else(|| SqlError::internal("row without id"))? as u64;
    scratch.row_id.clear();
    encode_rowid(id, &mut scratch.row_id);
    scratch.stored.clear();
    encode_row(&new[..width], &table.types, &mut scratch.stored);
    match cx.txn.update(table.heap.tree, &scratch.row_id, &scratch.stored, lock)? {
        Write::Done => {}
        other => return Ok(other),
    }
    for n in indexes {
        let index = &table.indexes[*n];
        scratch.old_key.clear();
        entry_key(index, &table.types, old, id, &mut scratch.old_key);
        scratch.key.clear();
        entry_key(index, &table.types, new, id, &mut scratch.key);
        if scratch.old_key != scratch.key {
            delete_entry(table, index, &scratch.old_key, cx)?;
            cx.txn
                .insert(index.tree, &scratch.key, &scratch.row_id)
                .map_err(|e| entry_error(e, table, index, new, cx))?;
        }
    }
    for fk in &target.foreign_keys {
        if fk.fk.columns.iter().any(|c| !super::rowset::same(&old[*c], &new[*c])) {
            pending.child(fk, table, new, cx)?;
        }
    }
    for r in &target.referencing {
        if r.fk.parent_columns.iter().any(|c| !super::rowset::same(&old[*c], &new[*c])) {
            pending.parent(target, r, old, Some(new), cx)?;
        }
    }
    Ok(Write::Done)
}

/// Deletes an index entry of a row that is locked.
fn delete_entry(table: &Table, index: &Index, key: &[u8], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    // A version newer than the snapshot is reported (and locked) first: the row's lock makes it ours to delete.
    for _ in 0..2 {
        match cx.txn.delete(index.tree, key)? {
            Write::Done => return Ok(()),
            Write::Changed(_) => {}
            Write::Gone | Write::SelfModified => break,
        }
    }
    Err(SqlError::new(
        SqlState::INDEX_CORRUPTED,
        format!("index \"{}\" lacks an entry for a row of table \"{}\"", index.name, table.name),
    ))
}

fn delete(p: &DeletePlan, cx: &mut Cx<'_>, emit: Emit<'_>) -> Result<u64, SqlError> {
    let target = &cx.plan.targets[p.target];
    let width = target.table.columns.len();
    let own = p.at..p.at + width + 1;
    let mut st = State::new(&p.input);
    let mut row = vec![Datum::Null; p.width];
    let mut scratch = Scratch::default();
    let mut pending = Pending::default();
    let mut count = 0;
    while node::next(&p.input, &mut st, &mut row, cx)? {
        let gone = loop {
            match delete_row(target, &row[own.clone()], &mut scratch, &mut pending, cx)? {
                Write::Done => break true,
                Write::Gone | Write::SelfModified => break false,
                Write::Changed(stored) => {
                    decode_columns(&stored, &target.table.types, &p.wanted, &mut row[own.clone()])?;
                    if let Some(condition) = &p.recheck
                        && !holds(condition, &row, cx)?
                    {
                        break false;
                    }
                }
            }
        };
        if gone {
            count += 1;
            if let Some(r) = &p.returning {
                give(r, &row, cx, emit)?;
            }
        }
    }
    pending.check(cx)?;
    Ok(count)
}

/// Deletes a row (its columns and row id) with its index entries.
pub fn delete_row(
    target: &Target,
    row: &[Datum],
    scratch: &mut Scratch,
    pending: &mut Pending,
    cx: &mut Cx<'_>,
) -> Result<Write, SqlError> {
    let table = &*target.table;
    let id = row[table.columns.len()].as_i64().ok_or_else(|| SqlError::internal("row without id"))? as u64;
    scratch.row_id.clear();
    encode_rowid(id, &mut scratch.row_id);
    match cx.txn.delete(table.heap.tree, &scratch.row_id)? {
        Write::Done => {}
        other => return Ok(other),
    }
    for index in &table.indexes {
        scratch.old_key.clear();
        entry_key(index, &table.types, row, id, &mut scratch.old_key);
        delete_entry(table, index, &scratch.old_key, cx)?;
    }
    for r in &target.referencing {
        pending.parent(target, r, row, None, cx)?;
    }
    Ok(Write::Done)
}
