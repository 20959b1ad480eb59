//! The partition that a window is in: its rows are read as they are needed, up to the first of the next one.
//!
//! What functions read of a row is computed when the row is read, and fails when it is asked for: a row that no frame reaches, or that a FILTER leaves out, fails nobody.
//!
//! Must not know: frames, functions.

use crate::exec::eval::eval;
use crate::exec::node::{self, State};
use crate::exec::numbered::NumberedRows;
use crate::exec::rowset::same;
use crate::exec::{Cx, Row};
use crate::plan::window::WindowAgg;
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use std::collections::BTreeMap;

/// So many errors are kept for whoever asks; one more is told at once.
const FAILED_MAX: usize = 1000;

/// A row of the input.
struct Found {
    key: Row,
    record: Row,
    failed: Vec<(usize, SqlError)>,
}

/// The rows of one partition after the other.
pub struct Spool {
    input: State,
    buffer: Vec<Datum>,
    rows: NumberedRows,
    /// What divides the rows into partitions, of the present one.
    key: Row,
    /// Of each place of a record: the FILTERs without one of which nobody reads it.
    only_under: Box<[Option<Box<[usize]>>]>,
    /// What could not be computed, by row and place.
    failed: BTreeMap<(u64, usize), SqlError>,
    /// The first row of the next partition.
    pending: Option<Found>,
    /// All rows of the partition are here.
    complete: bool,
    /// The input has no more.
    ended: bool,
}

impl Spool {
    /// Before the first row.
    pub fn new(w: &WindowAgg) -> Spool {
        Spool {
            input: State::new(&w.input),
            buffer: vec![Datum::Null; w.width],
            rows: NumberedRows::default(),
            key: Row::default(),
            only_under: only_under(w),
            failed: BTreeMap::new(),
            pending: None,
            complete: true,
            ended: false,
        }
    }

    /// Begins again.
    pub fn reset(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.clear(cx);
        (self.pending, self.complete, self.ended) = (None, true, false);
        node::reset(&w.input, &mut self.input, cx)
    }

    /// The next row's key; false: there is none.
    fn read_key(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<Option<Row>, SqlError> {
        if self.ended || !node::next(&w.input, &mut self.input, &mut self.buffer, cx)? {
            self.ended = true;
            return Ok(None);
        }
        w.window.partition.iter().map(|e| eval(e, &self.buffer, cx)).collect::<Result<Row, _>>().map(Some)
    }

    /// What is kept of the row that was read.
    fn found(&self, key: Row, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<Found, SqlError> {
        let mut found = Found { key, record: vec![Datum::Null; w.record.len()].into(), failed: Vec::new() };
        let mut compute = |at: usize, found: &mut Found| match eval(&w.record[at], &self.buffer, cx) {
            Ok(value) => {
                found.record[at] = value;
                Ok(())
            }
            // What is not about the values ends the statement.
            Err(e) if w.order_at.contains(&at) || e.code.class() != "22" => Err(e),
            Err(e) => {
                found.failed.push((at, e));
                Ok(())
            }
        };
        for (at, _) in self.only_under.iter().enumerate().filter(|(_, under)| under.is_none()) {
            compute(at, &mut found)?;
        }
        for (at, under) in self.only_under.iter().enumerate() {
            let Some(filters) = under else { continue };
            if filters.iter().any(|f| matches!(found.record[*f], Datum::Bool(true))) {
                compute(at, &mut found)?;
            }
        }
        Ok(found)
    }

    fn read(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<Option<Found>, SqlError> {
        let Some(key) = self.read_key(w, cx)? else { return Ok(None) };
        self.found(key, w, cx).map(Some)
    }

    fn is_of_partition(&self, key: &Row) -> bool {
        key.iter().zip(self.key.iter()).all(|(a, b)| same(a, b))
    }

    fn keep(&mut self, found: Found, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let n = self.rows.len();
        for (place, e) in found.failed {
            if self.failed.len() == FAILED_MAX {
                return Err(e);
            }
            self.failed.insert((n, place), e);
        }
        self.rows.push(found.record, cx)?;
        cx.run.tell(|did| self.rows.tell(did));
        Ok(())
    }

    fn clear(&mut self, cx: &mut Cx<'_>) {
        self.rows.clear(cx);
        self.failed.clear();
    }

    /// Goes on with the next partition, which has a row; false: there is none.
    pub fn next_partition(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        self.clear(cx);
        let first = match self.pending.take() {
            Some(first) => Some(first),
            None => self.read(w, cx)?,
        };
        let Some(mut first) = first else { return Ok(false) };
        (self.key, self.complete) = (std::mem::take(&mut first.key), false);
        self.keep(first, cx)?;
        Ok(true)
    }

    /// Reads to the end of the partition, and keeps nothing of it.
    pub fn skip_rest(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.clear(cx);
        while !self.complete {
            cx.check_interrupt()?;
            match self.read_key(w, cx)? {
                None => self.complete = true,
                Some(key) if self.is_of_partition(&key) => {}
                Some(key) => (self.pending, self.complete) = (Some(self.found(key, w, cx)?), true),
            }
        }
        Ok(())
    }

    /// No further row is asked for.
    pub fn end(&mut self, cx: &mut Cx<'_>) {
        self.clear(cx);
        (self.pending, self.complete, self.ended) = (None, true, true);
    }

    /// Whether the partition has a row of this number.
    pub fn has(&mut self, n: u64, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        while n >= self.rows.len() {
            if self.complete {
                return Ok(false);
            }
            match self.read(w, cx)? {
                None => self.complete = true,
                Some(next) if self.is_of_partition(&next.key) => self.keep(next, cx)?,
                Some(next) => (self.pending, self.complete) = (Some(next), true),
            }
        }
        Ok(true)
    }

    /// How many rows the partition has.
    pub fn total(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<u64, SqlError> {
        self.has(u64::MAX, w, cx)?;
        Ok(self.rows.len())
    }

    /// A row that `has` found: what it is ordered by.
    pub fn get(&mut self, n: u64) -> Result<&Row, SqlError> {
        self.rows.get(n)
    }

    /// The same, of which these places are read.
    pub fn read_of(&mut self, n: u64, places: &[usize]) -> Result<&Row, SqlError> {
        if !self.failed.is_empty()
            && let Some(e) = places.iter().find_map(|p| self.failed.get(&(n, *p)))
        {
            return Err(e.clone());
        }
        self.rows.get(n)
    }

    /// Rows before this one are not asked for any more.
    pub fn drop_before(&mut self, n: u64, cx: &mut Cx<'_>) {
        self.rows.drop_before(n, cx);
        if !self.failed.is_empty() {
            self.failed = self.failed.split_off(&(n, 0));
        }
    }
}

/// Of each place of a record: the FILTERs of the calls that read it, if all that read it have one.
fn only_under(w: &WindowAgg) -> Box<[Option<Box<[usize]>>]> {
    let of_place = |at: usize| {
        let of_row = w.live.iter().map(|(from, _)| from).chain(&w.order_at);
        let of_filters = w.calls.iter().filter_map(|c| c.filter.as_ref());
        let readers = || w.calls.iter().filter(|c| c.args.contains(&at));
        if of_row.chain(of_filters).any(|p| *p == at) || readers().next().is_none() {
            return None;
        }
        readers().map(|c| c.filter).collect::<Option<Vec<_>>>().map(Vec::into_boxed_slice)
    };
    (0..w.record.len()).map(of_place).collect()
}
