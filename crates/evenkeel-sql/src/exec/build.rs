//! Filling a new index, and checking rows that are there already against new constraints.
//!
//! Entries are gathered up to `maintenance_work_mem`, sorted, and beyond that merged from temporary files; the tree is filled from below with them
//! (`Transaction::fill`): nobody else can reach it before the commit, so entries need no versions, no undo and no way down.
//!
//! Must not know: DDL statements.

use super::change::index_key_text;
use super::eval::eval;
use super::keys::{RowEntries, row_id_of, too_long};
use super::sort::{Merge, few_runs};
use super::spill::{Budget, TempFile};
use super::unique::unique_key;
use super::{Cx, change};
use crate::catalog::uses::Used;
use crate::catalog::{Index, Table};
use crate::plan::expr::Expr;
use crate::plan::form::IndexForm;
use crate::plan::{FkCheck, SortKey};
use crate::progress::Work;
use evenkeel::{Direction, KeyRange, LockMode, Write};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stop::Watch;
use evenkeel_types::{Collation, Datum, decode_rowid, encode_row};
use std::sync::Arc;

/// Entries in memory: keys and values in one piece, and where each begins.
#[derive(Default)]
pub(super) struct Entries {
    bytes: Vec<u8>,
    /// The key's first bytes as a number, where it begins, its length, and that of the value behind it.
    places: Vec<(u64, u32, u16, u16)>,
}

/// Most bytes of entries in memory: places are 32 bits.
const ENTRIES_BYTES_MAX: usize = 1 << 30;

impl Entries {
    pub(super) fn push(&mut self, key: &[u8], value: &[u8]) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let own = &self.bytes[from..];
        let mut first = [0; 8];
        first.iter_mut().zip(own).for_each(|(to, b)| *to = *b);
        // What is too long for a place is too long for a tree, which says so.
        let len = own.len().min(usize::from(u16::MAX)) as u16;
        self.places.push((u64::from_be_bytes(first), from as u32, len, value.len() as u16));
        self.bytes.extend_from_slice(value);
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<(u64, u32, u16, u16)>()
    }

    fn key(bytes: &[u8], place: (u64, u32, u16, u16)) -> &[u8] {
        &bytes[place.1 as usize..][..usize::from(place.2)]
    }

    pub(super) fn get(&self, n: usize) -> Option<(&[u8], &[u8])> {
        let place = *self.places.get(n)?;
        let key = Entries::key(&self.bytes, place);
        Some((key, &self.bytes[place.1 as usize + key.len()..][..usize::from(place.3)]))
    }

    pub(super) fn sort(&mut self) -> Result<(), SqlError> {
        let watch = Watch::of_data(512);
        let bytes = &self.bytes;
        watch.run(|| {
            self.places.sort_unstable_by(|a, b| {
                watch.look();
                a.0.cmp(&b.0).then_with(|| Entries::key(bytes, *a).cmp(Entries::key(bytes, *b)))
            });
        })
    }

    /// Writes them as a sorted run.
    fn spill(&mut self, budget: &Budget) -> Result<Arc<TempFile>, SqlError> {
        self.sort()?;
        let mut file = TempFile::create(budget)?;
        for n in 0..self.places.len() {
            if let Some((key, id)) = self.get(n) {
                file.push(&[Datum::Bytes(key.into()), Datum::Bytes(id.into())], &[])?;
            }
        }
        *self = Entries::default();
        file.finish()
    }
}

/// Between some rows, or entries: makes way for others, perhaps.
pub type Pace<'p> = &'p mut dyn FnMut() -> Result<(), SqlError>;

/// Rows, or entries, after which that is asked.
const PACE_ROWS: u64 = 64;

/// Fills an index, whose tree is new, with the rows that the statement sees.
pub fn build_index(
    table: &Table,
    index: &Index,
    form: Option<&IndexForm>,
    work: &Work,
    pace: Pace<'_>,
    cx: &mut Cx<'_>,
) -> Result<(), SqlError> {
    let mut wanted: Vec<usize> = index.read_columns().collect();
    wanted.sort_unstable();
    wanted.dedup();
    let budget = cx.run.budget.of_maintenance();
    let limit = budget.work_mem_bytes.min(cx.run.memory.left_bytes() / 2).clamp(64 << 10, ENTRIES_BYTES_MAX);
    cx.run.memory.grow(limit)?;
    let mut row = vec![Datum::Null; table.columns.len()];
    let mut cursor = cx.txn.cursor(table.heap.tree, KeyRange::all(), Direction::Forward)?;
    let (mut entries, mut runs, mut of_row) = (Entries::default(), Vec::new(), RowEntries::default());
    let (mut rows, mut found) = (0, 0);
    // How many there are is what was last counted or estimated.
    work.enter(1, table.shared.live_rows().map_or(0, |n| n as u64));
    while let Some((id, stored)) = cursor.next(cx.txn)? {
        cx.check_interrupt()?;
        rows += 1;
        work.done(rows);
        if rows % PACE_ROWS == 0 {
            pace()?;
        }
        table.decode_columns(stored, &wanted, &mut row)?;
        let row_id = decode_rowid(id)?;
        of_row.find(index, form, &table.types, &row, row_id, cx)?;
        of_row.keys().for_each(|key| {
            found += 1;
            entries.push(key, &of_row.value);
        });
        if entries.held_bytes() >= limit {
            runs.push(entries.spill(&budget)?);
        }
    }
    drop(cursor);
    let used = Used { scans: 1, read: rows, last_us: cx.eval.stmt_timestamp, ..Used::default() };
    table.shared.uses.table().add(used);
    cx.run.rows.returned += rows;
    work.enter(2, found);
    let mut merge = None;
    if runs.is_empty() {
        entries.sort()?;
    } else {
        if !entries.places.is_empty() {
            runs.push(entries.spill(&budget)?);
        }
        let keys = [SortKey {
            expr: Expr::null(),
            desc: false,
            nulls_first: false,
            collation: Collation::default(),
        }];
        let runs = few_runs(&keys, runs, &budget, cx)?;
        merge = Some(Merge::new(&keys, runs)?);
    }
    let (mut at, mut read, mut last, mut failed) = (0, Vec::new(), Vec::new(), None);
    work.enter(3, found);
    let mut loaded = 0;
    let filled = cx.txn.fill(index.tree, &mut |key, id| {
        key.clear();
        id.clear();
        match &mut merge {
            None => {
                let Some((k, i)) = entries.get(at) else { return Ok(false) };
                key.extend_from_slice(k);
                id.extend_from_slice(i);
                at += 1;
            }
            Some(merge) => match merge.next(&mut read) {
                Ok(false) => return Ok(false),
                Ok(true) => {
                    if let [Datum::Bytes(k), Datum::Bytes(i)] = &read[..] {
                        key.extend_from_slice(k);
                        id.extend_from_slice(i);
                    }
                }
                Err(e) => {
                    failed = Some(e);
                    return Err(evenkeel::Error::Canceled);
                }
            },
        }
        last.clone_from(id);
        loaded += 1;
        work.done(loaded);
        if loaded % PACE_ROWS == 0
            && let Err(e) = pace()
        {
            failed = Some(e);
            return Err(evenkeel::Error::Canceled);
        }
        Ok(true)
    });
    cx.run.memory.shrink(limit);
    match (failed, filled) {
        (Some(e), _) => Err(e),
        (None, Err(e)) => Err(build_error(e, table, index, form, row_id_of(&last), cx)),
        (None, Ok(())) if index.timing.deferrable => check_unique(table, index, cx),
        (None, Ok(())) => Ok(()),
    }
}

/// A deferrable constraint's entries have row ids; equal keys are neighbours all the same.
fn check_unique(table: &Table, index: &Index, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let (mut before, mut row) = (Vec::new(), Vec::new());
    let mut cursor = cx.txn.cursor(index.tree, KeyRange::all(), Direction::Forward)?;
    while let Some((key, id)) = cursor.next(cx.txn)? {
        cx.check_interrupt()?;
        let id = row_id_of(id);
        let own = &key[..key.len().saturating_sub(id.len())];
        if before == own {
            let id = id.to_vec();
            row.clear();
            if let Some(stored) = cx.txn.get(table.heap.tree, &id)? {
                table.decode_row(&stored, &mut row)?;
                if unique_key(index, &table.types, &row).is_some() {
                    return Err(build_error(evenkeel::Error::DuplicateKey, table, index, None, &id, cx));
                }
            }
        } else {
            before.clear();
            before.extend_from_slice(own);
        }
    }
    Ok(())
}

pub(super) fn build_error(
    e: evenkeel::Error,
    table: &Table,
    index: &Index,
    form: Option<&IndexForm>,
    id: &[u8],
    cx: &mut Cx<'_>,
) -> SqlError {
    if let evenkeel::Error::KeyTooLong { len, max } = e {
        return too_long(len, max, index);
    }
    if !matches!(e, evenkeel::Error::DuplicateKey) {
        return e.into();
    }
    let name = &index.name;
    let error = if index.exclusion {
        let why = format!("could not create exclusion constraint \"{name}\"");
        SqlError::new(SqlState::EXCLUSION_VIOLATION, why)
    } else {
        SqlError::new(SqlState::UNIQUE_VIOLATION, format!("could not create unique index \"{name}\""))
    }
    .with_table(change::schema_name(table, cx), &table.name)
    .with_constraint(&index.name);
    let mut row = Vec::new();
    match cx.txn.get(table.heap.tree, id) {
        Ok(Some(stored)) if table.decode_row(&stored, &mut row).is_ok() => {
            let key = index_key_text(table, index, form, &row, cx);
            error.with_detail(match index.exclusion {
                true => format!("Key {key} conflicts with key {key}."),
                false => format!("Key {key} is duplicated."),
            })
        }
        _ => error,
    }
}

/// Gets each row of a table.
pub type Visit<'v> = &'v mut dyn FnMut(&mut Vec<Datum>, &mut Cx<'_>) -> Result<(), SqlError>;

/// Visits every row of a table, all columns decoded and the row id behind them.
pub fn for_each_row(table: &Table, cx: &mut Cx<'_>, f: Visit<'_>) -> Result<(), SqlError> {
    let mut cursor = cx.txn.cursor(table.heap.tree, KeyRange::all(), Direction::Forward)?;
    let mut row = Vec::new();
    while let Some((id, stored)) = cursor.next(cx.txn)? {
        table.decode_row(stored, &mut row)?;
        row.push(Datum::Int8(decode_rowid(id)? as i64));
        f(&mut row, cx)?;
        cx.check_interrupt()?;
    }
    Ok(())
}

/// The same in the order of an index that was just filled.
pub fn for_each_in_order(
    table: &Table,
    index: &Index,
    cx: &mut Cx<'_>,
    f: Visit<'_>,
) -> Result<(), SqlError> {
    let mut cursor = cx.txn.cursor(index.tree, KeyRange::all(), Direction::Forward)?;
    let mut row = Vec::new();
    while let Some((_, value)) = cursor.next(cx.txn)? {
        let id = row_id_of(value).to_vec();
        let stored = cx.txn.get(table.heap.tree, &id)?;
        let stored = stored.ok_or_else(|| SqlError::internal("an entry of an index without its row"))?;
        table.decode_row(&stored, &mut row)?;
        row.push(Datum::Int8(decode_rowid(&id)? as i64));
        f(&mut row, cx)?;
        cx.check_interrupt()?;
    }
    Ok(())
}

/// Looks at each row of a table.
type Look<'v> = &'v mut dyn FnMut(&[Datum], &mut Cx<'_>) -> Result<(), SqlError>;

/// Visits every row of a table, decoded as far as some columns go; the row id is behind them all.
fn for_each(table: &Table, mut read: Vec<usize>, cx: &mut Cx<'_>, f: Look<'_>) -> Result<(), SqlError> {
    let width = table.columns.len();
    read.sort_unstable();
    read.dedup();
    read.retain(|c| *c < width);
    let mut cursor = cx.txn.cursor(table.heap.tree, KeyRange::all(), Direction::Forward)?;
    let mut row = vec![Datum::Null; width + 1];
    while let Some((id, stored)) = cursor.next(cx.txn)? {
        table.decode_columns(stored, &read, &mut row)?;
        row[width] = Datum::Int8(decode_rowid(id)? as i64);
        f(&row, cx)?;
        cx.check_interrupt()?;
    }
    Ok(())
}

/// The columns that an expression over a table's row reads.
fn columns_of(e: &Expr) -> Vec<usize> {
    let mut read = Vec::new();
    e.columns(&mut read);
    read
}

/// Checks that a column, whose value this is, has no NULLs.
pub fn check_not_null(table: &Table, column: usize, value: &Expr, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    for_each(table, columns_of(value), cx, &mut |row, cx| {
        if eval(value, row, cx)?.is_null() {
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
}

/// Checks a condition on every row.
pub fn check_condition(table: &Table, name: &str, condition: &Expr, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    for_each(table, columns_of(condition), cx, &mut |row, cx| {
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
}

/// Checks a foreign key of every row. At READ COMMITTED the statement's snapshot is younger than the lock of the referenced table, which keeps writers out unless
/// they heed the key already.
pub fn check_foreign_key(table: &Table, fk: &FkCheck, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    fk.index.check_collations()?;
    for_each(table, fk.fk.columns.clone(), cx, &mut |row, cx| {
        let nulls = fk.fk.columns.iter().filter(|c| row[**c].is_null()).count();
        if nulls > 0 && (!fk.fk.match_full || nulls == fk.fk.columns.len()) {
            return Ok(());
        }
        match cx.is_snapshot_isolation {
            true => super::foreign::check_parent(fk, table, row, cx),
            false => super::foreign::check_parent_of_locked_table(fk, table, row, cx),
        }
    })
}

/// Gives a column a value in every row, which may be made from the row.
pub fn fill_column(table: &Table, column: usize, value: &Expr, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let (mut key, mut stored) = (Vec::new(), Vec::new());
    for_each_row(table, cx, &mut |row, cx| {
        let id = row.pop().and_then(|d| d.as_i64()).unwrap_or(0) as u64;
        row[column] = eval(value, row, cx)?;
        key.clear();
        evenkeel_types::encode_rowid(id, &mut key);
        stored.clear();
        encode_row(row, &table.types, &mut stored);
        match cx.txn.update(table.heap.tree, &key, &stored, LockMode::Update)? {
            Write::Done => Ok(()),
            _ => Err(evenkeel::Error::SerializationFailure.into()),
        }
    })
}
