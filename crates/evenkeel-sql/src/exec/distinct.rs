//! DISTINCT: the first row of each combination. Combinations that do not fit into memory are told apart later, part by part.
//!
//! Must not know: where rows come from.

use super::Cx;
use super::eval::eval;
use super::node::{self, State};
use super::rowset::{RowSet, hash_row, same_row};
use super::spill::{LEVELS_MAX, Partitions, TempFile, TempReader};
use crate::plan::Distinct;
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use std::sync::Arc;

/// State of DISTINCT.
pub struct DistinctState {
    input: State,
    seen: RowSet,
    /// Rows that wait because their combination is not known, and there is no room for more.
    parts: Option<Partitions>,
    waiting: Vec<(Arc<TempFile>, u32)>,
    /// The part whose rows are looked at, and how often it was divided; None: the input's.
    reader: Option<(TempReader, u32)>,
    key: Vec<Datum>,
    /// Sorted rows: the combination given last.
    last: Option<Vec<Datum>>,
}

impl DistinctState {
    /// Before the first row.
    pub fn new(d: &Distinct) -> DistinctState {
        DistinctState {
            input: State::new(&d.input),
            seen: RowSet::default(),
            parts: None,
            waiting: Vec::new(),
            reader: None,
            key: Vec::new(),
            last: None,
        }
    }

    /// Begins again.
    pub fn reset(&mut self, d: &Distinct, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.seen.clear(&mut cx.run.memory);
        (self.parts, self.reader, self.last) = (None, None, None);
        self.waiting.clear();
        node::reset(&d.input, &mut self.input, cx)
    }

    /// Brings the next row into its places.
    fn read(&mut self, d: &Distinct, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let Some((reader, _)) = &mut self.reader else {
            return node::next(&d.input, &mut self.input, row, cx);
        };
        cx.check_interrupt()?;
        let mut values = Vec::new();
        if !reader.next(&mut values)? {
            return Ok(false);
        }
        d.places.iter().zip(values).for_each(|(p, v)| row[*p] = v);
        Ok(true)
    }

    /// Goes on with the next part; false: there is none.
    fn next_part(&mut self, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        let level = self.reader.as_ref().map_or(0, |r| r.1 + 1);
        if let Some(parts) = self.parts.take() {
            let before = self.waiting.len();
            self.waiting.extend(parts.finish()?.into_iter().flatten().map(|f| (f, level)));
            cx.run.tell(|did| did.put_aside(self.waiting[before..].iter().map(|(f, _)| f.bytes())));
        }
        cx.run.tell(|did| did.holds(self.seen.bytes()));
        let Some((file, level)) = self.waiting.pop() else { return Ok(false) };
        self.seen.clear(&mut cx.run.memory);
        self.reader = Some((TempReader::new(file), level));
        Ok(true)
    }

    /// The next row.
    pub fn next(&mut self, d: &Distinct, row: &mut [Datum], cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        loop {
            if !self.read(d, row, cx)? {
                if !self.next_part(cx)? {
                    return Ok(false);
                }
                continue;
            }
            self.key.clear();
            for k in &d.keys {
                self.key.push(eval(k, row, cx)?);
            }
            if d.sorted {
                if self.last.as_ref().is_some_and(|last| same_row(last, &self.key)) {
                    continue;
                }
                self.last = Some(std::mem::take(&mut self.key));
                return Ok(true);
            }
            let level = self.reader.as_ref().map_or(0, |r| r.1 + 1);
            let is_full = self.seen.bytes() > cx.run.budget.hash_mem_bytes && level < LEVELS_MAX;
            if is_full {
                if self.seen.find(&self.key).is_none() {
                    let values: Vec<Datum> = d.places.iter().map(|p| row[*p].clone()).collect();
                    let parts = self.parts.get_or_insert_with(|| Partitions::new(level));
                    parts.push(hash_row(&self.key), &values, &[], &cx.run.budget)?;
                }
            } else if self.seen.insert(&self.key, &mut cx.run.memory)?.1 {
                return Ok(true);
            }
        }
    }
}
