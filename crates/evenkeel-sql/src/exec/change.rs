//! INSERT, UPDATE and DELETE: rows, their index entries, and the constraints on them.
//!
//! Under READ COMMITTED a row that another transaction has changed meanwhile comes back locked and new (`Write::Changed`); the match is judged again
//! with that version, and the change is applied to it. Under REPEATABLE READ the engine refuses with 40001.
//!
//! Invariants:
//! 1. A row's index entries are changed only after the row itself, whose lock they are under.
//! 2. Foreign keys are checked at the end of the statement, or at once where the outcome cannot differ.
//!
//! Must not know: SQL syntax, sessions.

use super::Cx;
use super::conflict::{self, Inserted};
use super::entries::{delete_entry, update_entry};
use super::eval::{eval, holds};
use super::foreign::{Pending, wait_for_references};
use super::keys::{RowEntries, key_values, too_long};
use super::later::Later;
use super::merge;
use super::node::{self, State, buffer};
use super::recheck::holds_again;
use super::rowset::same;
use super::subquery::exactly;
use super::told::{may_tell_key, of_row};
use crate::catalog::uses::Pages;
use crate::catalog::views::index_text::index_key;
use crate::catalog::views::pretty::pretty_text;
use crate::catalog::{Changed, Generated, Index, Table};
use crate::plan::form::IndexForm;
use crate::plan::{
    DeletePlan, InsertPlan, InsertSource, Plan, PlanKind, Returning, Target, UpdatePlan, ViewCheck,
};
use evenkeel::{LockMode, Locked, TreeId, WaitPolicy, Write};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, Type, encode_row, encode_rowid, to_text};
use smallvec::SmallVec;

/// Gets RETURNING's rows.
pub type Emit<'e> = &'e mut dyn FnMut(&[Datum]) -> Result<(), SqlError>;

/// Buffers that a statement reuses for each row.
#[derive(Default)]
pub struct Scratch {
    /// A stored row.
    pub stored: Vec<u8>,
    /// Index entries of a row.
    pub entries: RowEntries,
    /// Those of the row that it was.
    old_entries: RowEntries,
    /// A row id.
    pub row_id: Vec<u8>,
    /// A changed row.
    new: Vec<Datum>,
    /// The last row that was updated needed no index to be changed: 1, or 0.
    pub hot: u64,
    /// Pages of the table that were looked at to write,
    heap_pages: Pages,
    /// and of its indexes.
    index_pages: SmallVec<[Pages; 4]>,
}

impl Scratch {
    fn count_index(&mut self, n: usize, before: Pages) {
        if self.index_pages.len() <= n {
            self.index_pages.resize(n + 1, Pages::default());
        }
        self.index_pages[n].add(before.since());
    }

    /// Counts what was looked at of a table.
    pub fn tell_pages(&mut self, table: &Table) {
        let uses = &table.shared.uses;
        uses.table().add_pages(std::mem::take(&mut self.heap_pages));
        for (index, pages) in table.indexes.iter().zip(self.index_pages.drain(..)) {
            if !pages.is_none() {
                uses.index(index.oid).add_pages(pages);
            }
        }
    }
}

/// A statement that changes rows, under way. When it has to wait for a row lock outside of the call, it goes on with the row that it stopped at.
pub struct Change {
    /// The common table expression whose it is.
    cte: Option<usize>,
    source: Source,
    /// The row in the buffer is still to be written.
    is_held: bool,
    /// There are no more rows.
    is_at_end: bool,
    writer: Writer,
    /// Rows changed, or returned where it is a query.
    count: u64,
}

/// Where its rows come from.
enum Source {
    /// VALUES: the next row, and its buffer.
    Rows(usize, Vec<Datum>),
    /// INSERT … SELECT: the query, its buffer, and the row.
    Query(State, Vec<Datum>, Vec<Datum>),
    /// The rows that UPDATE and DELETE visit, or that are read, and their buffer.
    Visit(State, Vec<Datum>),
}

/// What writing a row needs.
#[derive(Default)]
pub struct Writer {
    /// Buffers.
    pub scratch: Scratch,
    /// Foreign keys to check at the end.
    pub pending: Pending,
    /// Index entries to write at the end, or before.
    pub later: Later,
    /// What was done to rows.
    pub changed: Changed,
}

/// Counts what a statement did to the rows of a table.
pub fn tell(changed: Changed, table: &Table, cx: &mut Cx<'_>) {
    table.shared.changes.add(changed);
    cx.run.changed.push((table.oid, changed));
    let rows = &mut cx.run.rows;
    rows.inserted += changed.inserted;
    rows.updated += changed.updated;
    rows.deleted += changed.deleted;
}

/// Runs a statement that changes rows, in one go; returns how many.
pub fn run(cx: &mut Cx<'_>, emit: Emit<'_>) -> Result<u64, SqlError> {
    Change::new(cx.plan, None)?.run(false, cx, emit)
}

/// What a plan does, or the change of one of its common table expressions.
fn kind_of(plan: &Plan, cte: Option<usize>) -> Result<&PlanKind, SqlError> {
    match cte {
        None => Ok(&plan.kind),
        Some(n) => plan.ctes[n].change.as_deref().ok_or_else(|| SqlError::internal("not a change")),
    }
}

/// The table that is changed.
fn target_of(kind: &PlanKind) -> Option<usize> {
    match kind {
        PlanKind::Query(_) => None,
        PlanKind::Insert(p) => Some(p.target),
        PlanKind::Update(p) => Some(p.target),
        PlanKind::Delete(p) => Some(p.target),
        PlanKind::Merge(p) => Some(p.target),
    }
}

impl Change {
    /// Of a plan, or of one of its common table expressions; not begun.
    pub fn new(plan: &Plan, cte: Option<usize>) -> Result<Change, SqlError> {
        let row = |target: usize| vec![Datum::Null; plan.targets[target].table.columns.len() + 1];
        let source = match kind_of(plan, cte)? {
            PlanKind::Insert(p) => match &p.source {
                InsertSource::Rows(_) => Source::Rows(0, row(p.target)),
                InsertSource::Query(q, _) => Source::Query(State::new(&q.root), buffer(q), row(p.target)),
            },
            PlanKind::Update(p) => Source::Visit(State::new(&p.rows.input), vec![Datum::Null; p.rows.width]),
            PlanKind::Delete(p) => Source::Visit(State::new(&p.rows.input), vec![Datum::Null; p.rows.width]),
            PlanKind::Merge(p) => Source::Visit(State::new(&p.rows.input), vec![Datum::Null; p.rows.width]),
            PlanKind::Query(q) => Source::Visit(State::new(&q.root), buffer(q)),
        };
        Ok(Change { cte, source, is_held: false, is_at_end: false, writer: Writer::default(), count: 0 })
    }

    /// Runs it to its end; returns how many rows it changed. `outside`: writing a row may fail with `WaitsOutside` as long as nothing is changed; it is
    /// to be run on then, once the lock is granted.
    pub fn run(&mut self, outside: bool, cx: &mut Cx<'_>, emit: Emit<'_>) -> Result<u64, SqlError> {
        // What common table expressions have changed cannot be changed twice.
        let outside = outside && !cx.plan.has_changing_ctes();
        while self.step(outside, cx, emit)? {}
        self.end(cx)?;
        if cx.plan.has_changing_ctes() {
            super::cte::make_left_changes(cx)?;
            finish_all(cx)?;
        }
        Ok(self.count)
    }

    /// Runs one of a common table expression until it has returned some rows; false: it is at its end, and has returned none.
    pub fn run_some(&mut self, cx: &mut Cx<'_>, given: &mut Vec<Vec<Datum>>) -> Result<bool, SqlError> {
        while given.len() < ROWS_AT_ONCE {
            let more = self.step(false, cx, &mut |row| {
                given.push(row.to_vec());
                Ok(())
            })?;
            if !more {
                if given.is_empty() {
                    self.end(cx)?;
                    return Ok(false);
                }
                break;
            }
        }
        Ok(true)
    }

    /// One row; false: there is none.
    fn step(&mut self, outside: bool, cx: &mut Cx<'_>, emit: Emit<'_>) -> Result<bool, SqlError> {
        if self.is_at_end {
            return Ok(false);
        }
        let Change { cte, source, is_held, is_at_end, writer, count } = self;
        let kind = kind_of(cx.plan, *cte)?;
        if let (PlanKind::Query(q), Source::Visit(st, row)) = (kind, &mut *source) {
            if !node::next(&q.root, st, row, cx)? {
                return Ok(false);
            }
            emit(&row[..q.visible])?;
            *count += 1;
            return Ok(true);
        }
        if !std::mem::replace(is_held, true) && !next_row(kind, source, cx)? {
            (*is_held, *is_at_end) = (false, true);
            return Ok(false);
        }
        // Not while rows are being read: a wait in the middle of a join could not go on.
        cx.txn.set_waits_outside(outside);
        let written = match (kind, &mut *source) {
            (PlanKind::Insert(p), Source::Rows(_, row) | Source::Query(_, _, row)) => {
                insert_row(p, row, writer, cx, emit).map(u64::from)
            }
            (PlanKind::Update(p), Source::Visit(_, row)) => {
                update_match(p, row, writer, cx, emit).map(u64::from)
            }
            (PlanKind::Delete(p), Source::Visit(_, row)) => {
                delete_match(p, row, writer, cx, emit).map(u64::from)
            }
            (PlanKind::Merge(p), Source::Visit(_, row)) => merge::merge_row(p, row, writer, cx, emit),
            _ => Err(SqlError::internal("a change of another plan")),
        };
        cx.txn.set_waits_outside(false);
        *count += written?;
        *is_held = false;
        Ok(true)
    }

    /// What is left to do when all rows are written: at once, or, if others of the statement are still to be written, when they are.
    fn end(&mut self, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let kind = kind_of(cx.plan, self.cte)?;
        let Some(target) = target_of(kind) else { return Ok(()) };
        let mut writer = std::mem::take(&mut self.writer);
        let table = &cx.plan.targets[target];
        tell(writer.changed, &table.table, cx);
        writer.scratch.tell_pages(&table.table);
        if cx.plan.has_changing_ctes() {
            cx.run.unfinished.push((target, writer));
            return Ok(());
        }
        writer.finish(table, cx)
    }
}

/// Rows that a change returns at a time to who keeps them.
const ROWS_AT_ONCE: usize = 64;

/// The end of a statement with several changes: all see the same rows until here, and constraints see what all of them made.
fn finish_all(cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let mut writers = std::mem::take(&mut cx.run.unfinished);
    for (target, writer) in &mut writers {
        writer.later.write(&cx.plan.targets[*target].table, cx)?;
    }
    writers.iter_mut().try_for_each(|(_, writer)| writer.pending.check(cx))
}

/// Makes what common table expressions of a query are still to change, and ends the statement, for who has run the query by himself.
pub fn finish_query(cx: &mut Cx<'_>) -> Result<(), SqlError> {
    if !cx.plan.has_changing_ctes() {
        return Ok(());
    }
    super::cte::make_left_changes(cx)?;
    finish_all(cx)
}

/// Brings the next row into its buffer; false at the end.
fn next_row(kind: &PlanKind, source: &mut Source, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    match (kind, source) {
        (PlanKind::Insert(p), source) => match (&p.source, source) {
            (InsertSource::Rows(rows), Source::Rows(n, row)) => {
                let Some(exprs) = rows.get(*n) else { return Ok(false) };
                *n += 1;
                cx.check_interrupt()?;
                for (n, e) in exprs.iter().enumerate() {
                    row[n] = eval(e, &[], cx)?;
                }
                Ok(true)
            }
            (InsertSource::Query(query, exprs), Source::Query(st, given, row)) => {
                if !node::next(&query.root, st, given, cx)? {
                    return Ok(false);
                }
                for (n, e) in exprs.iter().enumerate() {
                    row[n] = eval(e, given, cx)?;
                }
                Ok(true)
            }
            _ => Err(SqlError::internal("a change of another plan")),
        },
        (PlanKind::Update(p), Source::Visit(st, row)) => node::next(&p.rows.input, st, row, cx),
        (PlanKind::Delete(p), Source::Visit(st, row)) => node::next(&p.rows.input, st, row, cx),
        (PlanKind::Merge(p), Source::Visit(st, row)) => node::next(&p.rows.input, st, row, cx),
        _ => Err(SqlError::internal("a change of another plan")),
    }
}

/// Evaluates RETURNING over a row and hands it out: the row of the table as it was, if it was there, and as it is, if it still is.
pub fn give(
    returning: &Returning,
    row: &[Datum],
    (old, new): (Option<&[Datum]>, Option<&[Datum]>),
    cx: &mut Cx<'_>,
    emit: &mut dyn FnMut(&[Datum]) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let with_versions = returning.versions.map(|at| {
        let width = old.or(new).map_or(0, <[Datum]>::len);
        let mut all = Vec::with_capacity(at + 2 * width);
        all.extend_from_slice(&row[..at]);
        for version in [old, new] {
            match version {
                Some(version) => all.extend_from_slice(version),
                None => all.resize(all.len() + width, Datum::Null),
            }
        }
        all
    });
    let row = with_versions.as_deref().unwrap_or(row);
    let values = returning.exprs.iter().map(|e| eval(e, row, cx)).collect::<Result<Vec<_>, _>>()?;
    emit(&values)
}

fn insert_row(
    p: &InsertPlan,
    row: &mut Vec<Datum>,
    writer: &mut Writer,
    cx: &mut Cx<'_>,
    emit: Emit<'_>,
) -> Result<bool, SqlError> {
    let target = &cx.plan.targets[p.target];
    let old = match &p.conflict {
        None => {
            writer.insert(target, row, cx)?;
            None
        }
        Some(c) => {
            let inserted = conflict::insert(c, target, writer, row, cx)?;
            cx.run.tell(|did| match inserted {
                Inserted::New => did.inserted += 1,
                _ => did.conflicting += 1,
            });
            match inserted {
                Inserted::New => None,
                Inserted::Instead(old) => Some(old),
                Inserted::Nothing => return Ok(false),
            }
        }
    };
    match old {
        None => writer.changed.inserted += 1,
        Some(_) => {
            writer.changed.updated += 1;
            writer.changed.hot_updated += writer.scratch.hot;
        }
    }
    check_view(target, &p.view_checks, row, cx)?;
    if let Some(r) = &p.returning {
        give(r, row, (old.as_deref(), Some(row)), cx, emit)?;
    }
    Ok(true)
}

impl Writer {
    /// Checks and writes a row; its row id is put into its last place.
    pub fn insert(&mut self, target: &Target, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let table = &*target.table;
        generate(target, row, cx)?;
        check_row(target, row, cx)?;
        let id = self.new_row_id(table, row, cx)?;
        let are_later = self.later.begins_row();
        for n in 0..table.indexes.len() {
            let (index, form) = (&table.indexes[n], target.forms.get(n));
            self.scratch.entries.find_new(index, form, &table.types, row, id, cx)?;
            if !are_later || !self.later.push(table, n, (&self.scratch.entries, false), cx)? {
                self.insert_entries(target, n, row, cx)?;
            }
        }
        self.insert_stored(target, row, cx)
    }

    /// Does what is left for the end of a statement.
    pub fn finish(&mut self, target: &Target, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.later.write(&target.table, cx)?;
        self.pending.check(cx)
    }

    /// Takes a row id for a new row.
    pub fn new_row_id(&mut self, table: &Table, row: &mut [Datum], cx: &Cx<'_>) -> Result<u64, SqlError> {
        let id = table.heap.new_row_id(cx.db)?;
        row[table.columns.len()] = Datum::Int8(id as i64);
        self.scratch.row_id.clear();
        encode_rowid(id, &mut self.scratch.row_id);
        Ok(id)
    }

    /// Writes the entries of a new row that were found for an index.
    fn insert_entries(
        &mut self,
        target: &Target,
        n: usize,
        row: &[Datum],
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let (tree, before) = (target.table.indexes[n].tree, Pages::now());
        for key in self.scratch.entries.keys() {
            if let Err(e) = cx.txn.insert(tree, key, &self.scratch.entries.value) {
                return Err(entry_error(e, target, n, row, cx));
            }
        }
        self.scratch.count_index(n, before);
        Ok(())
    }

    /// Writes the row itself, after its entries, and checks its foreign keys.
    pub fn insert_stored(&mut self, target: &Target, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let table = &*target.table;
        self.scratch.stored.clear();
        encode_row(&row[..table.columns.len()], &table.types, &mut self.scratch.stored);
        let before = Pages::now();
        cx.txn.insert(table.heap.tree, &self.scratch.row_id, &self.scratch.stored)?;
        self.scratch.heap_pages.add(before.since());
        for index in table.indexes.iter().filter(|i| i.timing.deferrable) {
            self.pending.unique(table, index, row, cx)?;
        }
        for fk in &target.foreign_keys {
            self.pending.child(fk, table, row, cx)?;
        }
        Ok(())
    }
}

/// Gives a duplicate key of one of a target's indexes PostgreSQL's words.
pub fn entry_error(
    e: evenkeel::Error,
    target: &Target,
    n: usize,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> SqlError {
    index_error(e, &target.table, &target.table.indexes[n], target.forms.get(n), row, cx)
}

/// The same of an index.
pub fn index_error(
    e: evenkeel::Error,
    table: &Table,
    index: &Index,
    form: Option<&IndexForm>,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> SqlError {
    match e {
        evenkeel::Error::DuplicateKey => {
            let key = may_tell_key(table, index, cx).then(|| index_key_text(table, index, form, row, cx));
            // Clients know the constraint, not what REINDEX CONCURRENTLY has beside its index for a while.
            let known = table.indexes.iter().find(|i| index.stands_beside(i));
            let index = known.map_or(index, |i| &**i);
            let name = &index.name;
            if index.exclusion {
                let why = format!("conflicting key value violates exclusion constraint \"{name}\"");
                let detail = match key {
                    None => "Key conflicts with existing key.".to_owned(),
                    Some(key) => {
                        let there = super::unique::in_the_way(table, index, form, row, cx);
                        let there = there
                            .map_or_else(|| key.clone(), |row| index_key_text(table, index, form, &row, cx));
                        format!("Key {key} conflicts with existing key {there}.")
                    }
                };
                SqlError::new(SqlState::EXCLUSION_VIOLATION, why).with_detail(detail)
            } else {
                let why = format!("duplicate key value violates unique constraint \"{name}\"");
                let e = SqlError::new(SqlState::UNIQUE_VIOLATION, why);
                match key {
                    Some(key) => e.with_detail(format!("Key {key} already exists.")),
                    None => e,
                }
            }
            .with_table(schema_name(table, cx), &table.name)
            .with_constraint(&index.name)
        }
        evenkeel::Error::KeyTooLong { len, max } => too_long(len, max, index),
        other => other.into(),
    }
}

/// `(a, lower(b))=(1, x)`
pub fn index_key_text(
    table: &Table,
    index: &Index,
    form: Option<&IndexForm>,
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> String {
    let values = key_values(index, form, row, cx).unwrap_or_default();
    let shown_one = |(n, d): (usize, &Datum)| {
        let typmod = table.columns.get(index.columns[n].column).map_or(-1, |c| c.typmod);
        shown(d, index.key_type(&table.types, n), typmod, cx)
    };
    let values: Vec<String> = values.iter().enumerate().map(shown_one).collect();
    let index = index.shown(cx.catalog, cx.views.search_path());
    let names: Vec<String> =
        (0..index.columns.len()).map(|n| index_key(table, &index, n, Some(&pretty_text))).collect();
    format!("({})=({})", names.join(", "), values.join(", "))
}

/// `(a, b)=(1, 2)`
pub fn key_text(table: &Table, columns: &[usize], row: &[Datum], cx: &Cx<'_>) -> String {
    let values: Vec<Datum> = columns.iter().map(|c| row[*c].clone()).collect();
    values_text(table, columns, &values, cx)
}

/// The same, of the columns' values alone.
pub fn values_text(table: &Table, columns: &[usize], values: &[Datum], cx: &Cx<'_>) -> String {
    let values: Vec<String> = columns
        .iter()
        .zip(values)
        .map(|(c, v)| shown(v, table.types[*c], table.columns[*c].typmod, cx))
        .collect();
    format!("({})=({})", table.column_names(columns.iter().copied()), values.join(", "))
}

pub(super) fn shown(d: &Datum, ty: Type, typmod: i32, cx: &Cx<'_>) -> String {
    if d.is_null() {
        return "null".into();
    }
    // It is for an error's detail.
    to_text(d, ty, typmod, cx.eval.format).unwrap_or_else(|_| "...".into())
}

/// The table's schema by name.
pub fn schema_name(table: &Table, cx: &Cx<'_>) -> String {
    cx.catalog.schema(table.schema).map_or_else(String::new, |s| s.name.clone())
}

/// Computes the generated columns of a row that are stored.
pub fn generate(target: &Target, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    for (n, e) in &target.generated {
        row[*n] = eval(e, row, cx)?;
    }
    Ok(())
}

fn null_value(table: &Table, column: usize, row: &[Datum], cx: &Cx<'_>) -> SqlError {
    let name = &table.columns[column].name;
    let why = format!(
        "null value in column \"{name}\" of relation \"{}\" violates not-null constraint",
        table.name
    );
    of_row(SqlError::new(SqlState::NOT_NULL_VIOLATION, why), table, row, cx)
        .with_table(schema_name(table, cx), &table.name)
        .with_column(name)
}

/// NOT NULL and CHECK.
pub fn check_row(target: &Target, row: &[Datum], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let table = &*target.table;
    for (n, c) in table.columns.iter().enumerate() {
        if c.not_null && !c.dropped && row[n].is_null() && c.generated != Some(Generated::Virtual) {
            return Err(null_value(table, n, row, cx));
        }
    }
    for (n, e) in &target.not_null {
        if eval(e, row, cx)?.is_null() {
            return Err(null_value(table, *n, row, cx));
        }
    }
    for (name, condition) in &target.checks {
        // NULL satisfies a CHECK.
        if matches!(eval(condition, row, cx)?, Datum::Bool(false)) {
            let why = format!("new row for relation \"{}\" violates check constraint \"{name}\"", table.name);
            return Err(of_row(SqlError::new(SqlState::CHECK_VIOLATION, why), table, row, cx)
                .with_table(schema_name(table, cx), &table.name)
                .with_constraint(name));
        }
    }
    Ok(())
}

/// WITH CHECK OPTION, of a row that was written.
pub fn check_view(
    target: &Target,
    checks: &[ViewCheck],
    row: &[Datum],
    cx: &mut Cx<'_>,
) -> Result<(), SqlError> {
    for c in checks {
        if !holds(&c.condition, row, cx)? {
            let why = format!("new row violates check option for view \"{}\"", c.view);
            let e = SqlError::new(SqlState::WITH_CHECK_OPTION_VIOLATION, why);
            return Err(of_row(e, &target.table, row, cx));
        }
    }
    Ok(())
}

/// The row's name in the engine.
pub fn name(target: &Target, row: &[Datum], at: usize) -> Result<(TreeId, u64), SqlError> {
    let id = row[at + target.table.columns.len()].as_i64();
    let id = id.ok_or_else(|| SqlError::internal("row without id"))?;
    Ok((target.table.heap.tree, id as u64))
}

/// Locks a row of which the statement is known to see an older version, and gives the newest.
pub fn newest(
    (tree, id): (TreeId, u64),
    lock: LockMode,
    scratch: &mut Scratch,
    cx: &mut Cx<'_>,
) -> Result<Write, SqlError> {
    scratch.row_id.clear();
    encode_rowid(id, &mut scratch.row_id);
    Ok(match cx.txn.lock(tree, &scratch.row_id, lock, WaitPolicy::Block)? {
        Locked::Current(stored) | Locked::Changed(stored) => Write::Changed(stored),
        Locked::Gone | Locked::Skipped => Write::Gone,
    })
}

/// Changes the row of a match; whether it did.
fn update_match(
    p: &UpdatePlan,
    matched: &[Datum],
    writer: &mut Writer,
    cx: &mut Cx<'_>,
    emit: Emit<'_>,
) -> Result<bool, SqlError> {
    let target = &cx.plan.targets[p.target];
    let width = target.table.columns.len();
    let own = p.at..p.at + width;
    let row_name = name(target, matched, p.at)?;
    let mut is_stale = cx.run.is_outdated(row_name.0, row_name.1);
    let mut fresh: Option<Vec<Datum>> = None;
    let Writer { scratch, pending, changed, .. } = writer;
    loop {
        let row = fresh.as_deref().unwrap_or(matched);
        let mut new = std::mem::take(&mut scratch.new);
        new.clear();
        new.extend_from_slice(&row[p.at..=p.at + width]);
        for (column, e) in &p.set {
            new[*column] = eval(e, row, cx)?;
        }
        generate(target, &mut new, cx)?;
        let written = if std::mem::take(&mut is_stale) {
            // As PostgreSQL, which notices only after this.
            check_row(target, &new, cx)?;
            newest(row_name, p.lock, scratch, cx)?
        } else {
            update_row(target, &p.indexes, p.lock, &row[own.clone()], &new, scratch, pending, cx)?
        };
        scratch.new = new;
        match written {
            Write::Done => break,
            Write::Gone | Write::SelfModified => return Ok(false),
            Write::Changed(stored) => {
                cx.run.add_outdated(row_name.0, row_name.1)?;
                let mut again = matched.to_vec();
                let mut columns = Vec::with_capacity(width);
                target.table.decode_row(&stored, &mut columns)?;
                again[own.clone()].clone_from_slice(&columns);
                if !holds_again(&p.rows.recheck, matched, &mut again, cx)? {
                    return Ok(false);
                }
                fresh = Some(again);
            }
        }
    }
    cx.run.is_written(row_name.0, row_name.1);
    changed.updated += 1;
    changed.hot_updated += scratch.hot;
    check_view(target, &p.view_checks, &scratch.new, cx)?;
    if let Some(r) = &p.returning {
        let mut row = fresh.unwrap_or_else(|| matched.to_vec());
        row[own].swap_with_slice(&mut scratch.new[..width]);
        give(r, &row, (Some(&scratch.new), Some(&row[p.at..=p.at + width])), cx, emit)?;
    }
    Ok(true)
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
    // A key that is set to what it was is not changed: nobody who refers to it has to wait.
    let changes_key = |n: &usize| {
        let index = &table.indexes[*n];
        let mut columns = index.key_columns();
        index.is_key() && columns.any(|c| is_changed(&old[c], &new[c]))
    };
    let keeps_keys = lock == LockMode::Update && !indexes.iter().any(changes_key);
    let lock = if keeps_keys { LockMode::NoKeyUpdate } else { lock };
    if lock == LockMode::Update {
        wait_for_references(target, old, cx)?;
    }
    let before = Pages::now();
    let written = cx.txn.update(table.heap.tree, &scratch.row_id, &scratch.stored, lock)?;
    scratch.heap_pages.add(before.since());
    match written {
        Write::Done => {}
        other => return Ok(other),
    }
    scratch.hot = 1;
    for n in indexes {
        let (index, form) = (&table.indexes[*n], target.forms.get(*n));
        let Scratch { entries, old_entries, hot, .. } = scratch;
        old_entries.find(index, form, &table.types, old, id, cx)?;
        entries.find_new(index, form, &table.types, new, id, cx)?;
        if entries.is_same(old_entries) {
            continue;
        }
        *hot = 0;
        let before = Pages::now();
        for key in old_entries.keys().filter(|k| !entries.has(k)) {
            delete_entry(table, index, key, cx)?;
        }
        for key in entries.keys() {
            if !old_entries.has(key) {
                if let Err(e) = cx.txn.insert(index.tree, key, &entries.value) {
                    return Err(entry_error(e, target, *n, new, cx));
                }
                if index.timing.deferrable {
                    pending.unique(table, index, new, cx)?;
                }
            } else if entries.value != old_entries.value {
                update_entry(table, index, key, &entries.value, cx)?;
            }
        }
        scratch.count_index(*n, before);
    }
    for fk in &target.foreign_keys {
        if fk.fk.columns.iter().any(|c| !same(&old[*c], &new[*c])) {
            pending.child(fk, table, new, cx)?;
        }
    }
    for r in &target.referencing {
        if r.fk.parent_columns.iter().any(|c| is_changed(&old[*c], &new[*c])) {
            pending.parent(target, r, old, Some(new), cx)?;
        }
    }
    Ok(Write::Done)
}

/// Whether a key is another, if only spelled otherwise: those who refer to it follow that, too.
fn is_changed(old: &Datum, new: &Datum) -> bool {
    !same(&exactly(old), &exactly(new))
}

/// Deletes the row of a match; whether it did.
fn delete_match(
    p: &DeletePlan,
    matched: &[Datum],
    writer: &mut Writer,
    cx: &mut Cx<'_>,
    emit: Emit<'_>,
) -> Result<bool, SqlError> {
    let target = &cx.plan.targets[p.target];
    let own = p.at..p.at + target.table.columns.len() + 1;
    let row_name = name(target, matched, p.at)?;
    let mut is_stale = cx.run.is_outdated(row_name.0, row_name.1);
    let mut fresh: Option<Vec<Datum>> = None;
    let Writer { scratch, pending, changed, later } = writer;
    loop {
        let row = fresh.as_deref().unwrap_or(matched);
        let deleted = if std::mem::take(&mut is_stale) {
            newest(row_name, LockMode::Update, scratch, cx)?
        } else {
            delete_row(target, &row[own.clone()], scratch, (pending, Some(&mut *later)), cx)?
        };
        match deleted {
            Write::Done => break,
            Write::Gone | Write::SelfModified => return Ok(false),
            Write::Changed(stored) => {
                cx.run.add_outdated(row_name.0, row_name.1)?;
                let mut again = matched.to_vec();
                target.table.decode_columns(&stored, &p.wanted, &mut again[own.clone()])?;
                if !holds_again(&p.rows.recheck, matched, &mut again, cx)? {
                    return Ok(false);
                }
                fresh = Some(again);
            }
        }
    }
    cx.run.is_written(row_name.0, row_name.1);
    changed.deleted += 1;
    if let Some(r) = &p.returning {
        let row = fresh.as_deref().unwrap_or(matched);
        give(r, row, (Some(&row[own]), None), cx, emit)?;
    }
    Ok(true)
}

/// Deletes a row (its columns and row id) with its index entries, which may be kept back.
pub fn delete_row(
    target: &Target,
    row: &[Datum],
    scratch: &mut Scratch,
    (pending, later): (&mut Pending, Option<&mut Later>),
    cx: &mut Cx<'_>,
) -> Result<Write, SqlError> {
    let table = &*target.table;
    let id = row[table.columns.len()].as_i64().ok_or_else(|| SqlError::internal("row without id"))? as u64;
    scratch.row_id.clear();
    encode_rowid(id, &mut scratch.row_id);
    wait_for_references(target, row, cx)?;
    let before = Pages::now();
    let deleted = cx.txn.delete(table.heap.tree, &scratch.row_id)?;
    scratch.heap_pages.add(before.since());
    match deleted {
        Write::Done => {}
        other => return Ok(other),
    }
    let mut later = later.and_then(|later| later.begins_row().then_some(later));
    for (n, index) in table.indexes.iter().enumerate() {
        scratch.old_entries.find(index, target.forms.get(n), &table.types, row, id, cx)?;
        if let Some(later) = &mut later
            && later.push(table, n, (&scratch.old_entries, true), cx)?
        {
            continue;
        }
        let before = Pages::now();
        for key in scratch.old_entries.keys() {
            delete_entry(table, index, key, cx)?;
        }
        scratch.count_index(n, before);
    }
    for r in &target.referencing {
        pending.parent(target, r, row, None, cx)?;
    }
    Ok(Write::Done)
}
