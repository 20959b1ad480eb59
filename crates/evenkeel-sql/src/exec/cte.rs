//! Common table expressions: run once for all that read them. A recursive one is run as far as it is read: it may have no end.
//!
//! Invariants
//! 1. Rows of a recursive one are those of its first term, then those of its step over the rows that came last, until there are none.
//! 2. The number of the turn is put aside before each turn of a step: whatever within the step keeps rows knows from it, as from any value of an enclosing level, when to forget them.
//!
//! Must not know: who reads.

use super::Cx;
use super::change::Change;
use super::node::{self, State, buffer};
use super::numbered::NumberedRows;
use super::seen::Seen;
use super::spill::{RowStore, StoreReader};
use crate::plan::explain::{CHANGE, key_of_change};
use crate::plan::{CteReading, CteStep};
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use std::sync::Arc;

/// What is kept of a common table expression.
#[derive(Default)]
pub struct CteRun {
    rows: Option<Arc<RowStore>>,
    /// The values of enclosing levels that it was run with.
    read: Vec<Datum>,
    recursion: Option<Box<Recursion>>,
    /// What a recursive one gave last.
    work: Option<Arc<RowStore>>,
}

/// State of a scan of one.
#[derive(Default)]
pub struct CteState {
    begun: bool,
    rows: Option<Arc<RowStore>>,
    reader: StoreReader,
    /// Of a recursive one, the next row.
    at: u64,
}

/// A recursive one that is being run.
struct Recursion {
    /// The first term, until it has no more.
    first: Option<(State, Vec<Datum>)>,
    step: (State, Vec<Datum>),
    rows: NumberedRows,
    /// What the step goes on with.
    next: RowStore,
    has_next: bool,
    ended: bool,
    /// UNION: the rows that there were.
    seen: Seen,
}

impl CteState {
    /// Begins again.
    pub fn reset(&mut self, reading: CteReading) {
        (self.begun, self.at) = (false, 0);
        self.reader.rewind();
        if reading != CteReading::Kept {
            (self.rows, self.reader) = (None, StoreReader::default());
        }
    }

    /// The next row.
    pub fn next(
        &mut self,
        number: usize,
        reading: CteReading,
        row: &mut [Datum],
        cx: &mut Cx<'_>,
    ) -> Result<bool, SqlError> {
        if reading == CteReading::Work {
            let rows = match &self.rows {
                Some(rows) => rows,
                None => match &cx.run.ctes[number].work {
                    Some(work) => self.rows.insert(work.clone()),
                    None => return Err(SqlError::internal("no recursive term runs")),
                },
            };
            return self.reader.next(rows, row);
        }
        if !std::mem::replace(&mut self.begun, true) && reading == CteReading::Anew {
            forget_if_changed(number, cx);
        }
        let Some(step) = &cx.plan.ctes[number].step else {
            let rows = match &self.rows {
                Some(rows) => rows,
                None => self.rows.insert(all_rows(number, cx)?),
            };
            return self.reader.next(rows, row);
        };
        let mut recursion = match cx.run.ctes[number].recursion.take() {
            Some(recursion) => recursion,
            None => Box::new(Recursion::new(number, step, cx)),
        };
        while recursion.rows.len() <= self.at {
            if !recursion.more(number, step, cx)? {
                break;
            }
        }
        let has_row = recursion.rows.len() > self.at;
        if has_row {
            let values = recursion.rows.get(self.at)?;
            row[..values.len()].clone_from_slice(values);
            self.at += 1;
        }
        cx.run.ctes[number].recursion = Some(recursion);
        Ok(has_row)
    }
}

/// Gives up what was made of other values of enclosing levels.
fn forget_if_changed(number: usize, cx: &mut Cx<'_>) {
    let read: Vec<Datum> =
        cx.plan.ctes[number].reads.iter().map(|slot| cx.run.outer[*slot].clone()).collect();
    let run = &mut cx.run.ctes[number];
    let is_same =
        run.read.len() == read.len()
            && run.read.iter().zip(&read).all(|(a, b)| {
                super::rowset::same(&super::subquery::exactly(a), &super::subquery::exactly(b))
            });
    if is_same {
        return;
    }
    let CteRun { rows, recursion, work, .. } = std::mem::replace(run, CteRun { read, ..CteRun::default() });
    for mut store in [rows, work].into_iter().flatten().filter_map(|r| Arc::try_unwrap(r).ok()) {
        store.clear(cx);
    }
    if let Some(mut r) = recursion {
        r.rows.clear(cx);
        r.next.clear(cx);
        r.seen.clear(&mut cx.run.memory);
    }
}

fn all_rows(number: usize, cx: &mut Cx<'_>) -> Result<Arc<RowStore>, SqlError> {
    if let Some(rows) = &cx.run.ctes[number].rows {
        return Ok(rows.clone());
    }
    if cx.plan.ctes[number].change.is_some() {
        return changed_rows(number, cx);
    }
    let query = &cx.plan.ctes[number].query;
    let mut st = State::new(&query.root);
    let mut own = buffer(query);
    let mut rows = RowStore::default();
    while node::next(&query.root, &mut st, &mut own, cx)? {
        rows.push(&own[..query.visible], cx)?;
    }
    rows.finish()?;
    cx.run.tell(|did| rows.tell(did));
    let rows = Arc::new(rows);
    cx.run.ctes[number].rows = Some(rows.clone());
    Ok(rows)
}

/// Makes a change, in one go, and keeps what it returns.
fn changed_rows(number: usize, cx: &mut Cx<'_>) -> Result<Arc<RowStore>, SqlError> {
    let mut rows = RowStore::default();
    let mut given = Vec::new();
    let key = cx.plan.ctes[number].change.as_ref().map_or(CHANGE, |change| key_of_change(change));
    let above = cx.run.measured.as_mut().map(|all| all.run(key));
    let mut change = Change::new(cx.plan, Some(number))?;
    // A few rows at a time: storing them wants the context, which the change has.
    while change.run_some(cx, &mut given)? {
        for row in given.drain(..) {
            rows.push(&row, cx)?;
        }
    }
    if let (Some(all), Some(above)) = (&mut cx.run.measured, above) {
        all.run(above);
    }
    rows.finish()?;
    cx.run.tell(|did| rows.tell(did));
    let rows = Arc::new(rows);
    cx.run.ctes[number].rows = Some(rows.clone());
    Ok(rows)
}

/// The end of a statement: changes that nobody has read, or not to their end, are made, the last one first, as PostgreSQL makes them.
pub fn make_left_changes(cx: &mut Cx<'_>) -> Result<(), SqlError> {
    for number in (0..cx.plan.ctes.len()).rev() {
        if cx.plan.ctes[number].change.is_some() && cx.run.ctes[number].rows.is_none() {
            changed_rows(number, cx)?;
        }
    }
    Ok(())
}

impl Recursion {
    fn new(number: usize, step: &CteStep, cx: &Cx<'_>) -> Recursion {
        let first = &cx.plan.ctes[number].query;
        Recursion {
            first: Some((State::new(&first.root), buffer(first))),
            step: (State::new(&step.query.root), buffer(&step.query)),
            rows: NumberedRows::default(),
            next: RowStore::default(),
            has_next: false,
            ended: false,
            seen: Seen::default(),
        }
    }

    /// Adds a row; false: there is none (invariant 1).
    fn more(&mut self, number: usize, step: &CteStep, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let width = step.query.visible;
        while !self.ended {
            let first = &cx.plan.ctes[number].query;
            let found = match &mut self.first {
                Some((st, own)) => node::next(&first.root, st, own, cx)?.then(|| &own[..width]),
                None => {
                    let (st, own) = &mut self.step;
                    node::next(&step.query.root, st, own, cx)?.then(|| &own[..width])
                }
            };
            let Some(row) = found else {
                self.begin_step(number, step, cx)?;
                continue;
            };
            if step.all || self.seen.insert(row, &mut self.rows, &mut cx.run.memory)? {
                self.next.push(row, cx)?;
                self.has_next = true;
                self.rows.push(row.into(), cx)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Has the step run over the rows that came last.
    fn begin_step(&mut self, number: usize, step: &CteStep, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.first = None;
        self.ended = !std::mem::take(&mut self.has_next);
        let mut work = std::mem::take(&mut self.next);
        work.finish()?;
        let before = cx.run.ctes[number].work.replace(Arc::new(work));
        // It goes on counting where the whole is run again, with other values of enclosing levels.
        let turn = &mut cx.run.outer[step.slot];
        *turn = Datum::Int8(if let Datum::Int8(before) = turn { *before + 1 } else { 1 });
        node::reset(&step.query.root, &mut self.step.0, cx)?;
        if let Some(Ok(mut before)) = before.map(Arc::try_unwrap) {
            before.clear(cx);
        }
        Ok(())
    }
}
