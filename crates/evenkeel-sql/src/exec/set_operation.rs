//! UNION ALL, INTERSECT and EXCEPT, by a table of the right side's rows. UNION without ALL is a DISTINCT above.
//!
//! Rows that do not fit into the table go to files, those of both sides that have the same hash to the same part; parts are taken up one after the other.
//!
//! Invariants:
//! 1. A row of the left side that is in the table is judged by it: all rows of the right side that are alike were counted there. Of one that is not, the like may be in a part, if there are parts.
//!
//! Must not know: where rows come from.

use super::Cx;
use super::node::{self, State, buffer};
use super::rowset::{RowSet, hash_row};
use super::spill::{LEVELS_MAX, Partitions, TempFile, TempReader};
use crate::plan::{Query, SetOp};
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use std::sync::Arc;

/// What is done, and the sides.
#[derive(Clone, Copy)]
pub struct Operation<'a> {
    /// Which.
    pub op: SetOp,
    /// Duplicates count.
    pub all: bool,
    /// The side whose rows are given.
    pub left: &'a Query,
    /// The other.
    pub right: &'a Query,
    /// Columns of each.
    pub width: usize,
}

/// Rows of both sides that are told apart later.
struct Part {
    left: Option<Arc<TempFile>>,
    right: Option<Arc<TempFile>>,
    /// How often they were divided before.
    level: u32,
}

/// State of a set operation.
pub struct SetOpState {
    left: State,
    right: State,
    left_row: Vec<Datum>,
    right_row: Vec<Datum>,
    left_done: bool,
    /// The right side, with how often each row may still match.
    seen: RowSet,
    counts: Vec<u64>,
    right_read: bool,
    /// Rows for which there was no room.
    left_parts: Option<Partitions>,
    right_parts: Option<Partitions>,
    waiting: Vec<Part>,
    /// The part that is being looked at: its left and right rows; None: the inputs.
    part: Option<(Option<TempReader>, Option<TempReader>, u32)>,
}

impl SetOpState {
    /// Before the first row.
    pub fn new(left: &Query, right: &Query) -> SetOpState {
        SetOpState {
            left: State::new(&left.root),
            right: State::new(&right.root),
            left_row: buffer(left),
            right_row: buffer(right),
            left_done: false,
            seen: RowSet::default(),
            counts: Vec::new(),
            right_read: false,
            left_parts: None,
            right_parts: None,
            waiting: Vec::new(),
            part: None,
        }
    }

    /// Begins again.
    pub fn reset(&mut self, left: &Query, right: &Query, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        node::reset(&left.root, &mut self.left, cx)?;
        node::reset(&right.root, &mut self.right, cx)?;
        self.seen.clear(&mut cx.run.memory);
        self.counts.clear();
        (self.left_done, self.right_read) = (false, false);
        (self.left_parts, self.right_parts) = (None, None);
        self.waiting.clear();
        if self.part.take().is_some() {
            // Rows of files have no room for what else the inputs' have.
            (self.left_row, self.right_row) = (buffer(left), buffer(right));
        }
        Ok(())
    }

    fn level(&self) -> u32 {
        self.part.as_ref().map_or(0, |p| p.2 + 1)
    }

    fn is_full(&self, cx: &Cx<'_>) -> bool {
        self.seen.bytes() > cx.run.budget.hash_mem_bytes && self.level() < LEVELS_MAX
    }

    fn next_left(&mut self, o: Operation<'_>, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        match &mut self.part {
            None => node::next(&o.left.root, &mut self.left, &mut self.left_row, cx),
            Some((reader, ..)) => read(reader, &mut self.left_row, cx),
        }
    }

    fn next_right(&mut self, o: Operation<'_>, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        match &mut self.part {
            None => node::next(&o.right.root, &mut self.right, &mut self.right_row, cx),
            Some((_, reader, _)) => read(reader, &mut self.right_row, cx),
        }
    }

    /// Counts the rows of the right side.
    fn count_right(&mut self, o: Operation<'_>, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        while self.next_right(o, cx)? {
            let row = &self.right_row[..o.width];
            if let Some(n) = self.seen.find(row) {
                self.counts[n] += 1;
            } else if self.is_full(cx) {
                let level = self.level();
                let parts = self.right_parts.get_or_insert_with(|| Partitions::new(level));
                parts.push(hash_row(row), row, &[], &cx.run.budget)?;
            } else {
                self.seen.insert(row, &mut cx.run.memory)?;
                self.counts.push(1);
            }
        }
        Ok(())
    }

    /// Whether a row of the left side is given now.
    fn judge(&mut self, o: Operation<'_>, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let row = &self.left_row[..o.width];
        if let Some(n) = self.seen.find(row) {
            let matches = self.counts[n] > 0;
            // Of a row that is to be given once, the first match is the last.
            match (o.op, o.all) {
                (_, true) => self.counts[n] = self.counts[n].saturating_sub(1),
                (SetOp::Intersect, false) => self.counts[n] = 0,
                (_, false) => {}
            }
            return Ok(matches == (o.op == SetOp::Intersect));
        }
        let is_known = self.right_parts.is_none();
        match (o.op, o.all) {
            (SetOp::Intersect, _) if is_known => return Ok(false),
            (SetOp::Except, true) if is_known => return Ok(true),
            (SetOp::Except, false) if is_known && !self.is_full(cx) => {
                // As if it had been on the right side: it is given once.
                self.seen.insert(row, &mut cx.run.memory)?;
                self.counts.push(1);
                return Ok(true);
            }
            _ => {}
        }
        let level = self.level();
        let parts = self.left_parts.get_or_insert_with(|| Partitions::new(level));
        parts.push(hash_row(row), row, &[], &cx.run.budget)?;
        Ok(false)
    }

    /// Goes on with the next part; false: there is none.
    fn next_part(&mut self, o: Operation<'_>, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let level = self.level();
        if let Some(left) = self.left_parts.take() {
            let mut right = match self.right_parts.take() {
                Some(parts) => parts.finish()?,
                None => Vec::new(),
            };
            for (n, left) in left.finish()?.into_iter().enumerate() {
                let right = right.get_mut(n).and_then(Option::take);
                if left.is_some() && (right.is_some() || o.op == SetOp::Except) {
                    self.waiting.push(Part { left, right, level });
                }
            }
        }
        self.right_parts = None;
        let Some(part) = self.waiting.pop() else { return Ok(false) };
        self.seen.clear(&mut cx.run.memory);
        self.counts.clear();
        let reader = |f: Option<Arc<TempFile>>| f.map(TempReader::new);
        self.part = Some((reader(part.left), reader(part.right), part.level));
        (self.left_done, self.right_read) = (false, false);
        Ok(true)
    }

    /// The next row.
    pub fn next(&mut self, o: Operation<'_>, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        if o.op == SetOp::Union {
            return self.next_of_both(o, row, cx);
        }
        loop {
            if !std::mem::replace(&mut self.right_read, true) {
                self.count_right(o, cx)?;
            }
            if !self.next_left(o, cx)? {
                if !self.next_part(o, cx)? {
                    return Ok(false);
                }
            } else if self.judge(o, cx)? {
                row[..o.width].clone_from_slice(&self.left_row[..o.width]);
                return Ok(true);
            }
        }
    }

    /// The left side's rows, then the right side's.
    fn next_of_both(
        &mut self,
        o: Operation<'_>,
        row: &mut [Datum],
        cx: &mut Cx<'_>,
    ) -> Result<bool, SqlError> {
        if !self.left_done {
            if self.next_left(o, cx)? {
                row[..o.width].clone_from_slice(&self.left_row[..o.width]);
                return Ok(true);
            }
            self.left_done = true;
        }
        if !self.next_right(o, cx)? {
            return Ok(false);
        }
        row[..o.width].clone_from_slice(&self.right_row[..o.width]);
        Ok(true)
    }
}

/// The next row of a file, if there is one.
fn read(reader: &mut Option<TempReader>, row: &mut Vec<Datum>, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
    cx.check_interrupt()?;
    match reader {
        Some(reader) => reader.next(row),
        None => Ok(false),
    }
}
