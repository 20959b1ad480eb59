//! The partition that a window is in: its rows are read as they are needed, up to the first of the next one.
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

/// The rows of one partition after the other.
pub struct Spool {
    input: State,
    buffer: Vec<Datum>,
    rows: NumberedRows,
    /// What divides the rows into partitions, of the present one.
    key: Row,
    /// The first row of the next partition: its key and its record.
    pending: Option<(Row, Row)>,
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
            pending: None,
            complete: true,
            ended: false,
        }
    }

    /// Begins again.
    pub fn reset(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.rows.clear(cx);
        (self.pending, self.complete, self.ended) = (None, true, false);
        node::reset(&w.input, &mut self.input, cx)
    }

    fn read(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<Option<(Row, Row)>, SqlError> {
        if self.ended || !node::next(&w.input, &mut self.input, &mut self.buffer, cx)? {
            self.ended = true;
            return Ok(None);
        }
        let key = w.window.partition.iter().map(|e| eval(e, &self.buffer, cx)).collect::<Result<Row, _>>()?;
        let record = w.record.iter().map(|e| eval(e, &self.buffer, cx)).collect::<Result<Row, _>>()?;
        Ok(Some((key, record)))
    }

    /// Goes on with the next partition, which has a row; false: there is none.
    pub fn next_partition(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<bool, SqlError> {
        self.rows.clear(cx);
        let first = match self.pending.take() {
            Some(first) => Some(first),
            None => self.read(w, cx)?,
        };
        let Some((key, record)) = first else { return Ok(false) };
        (self.key, self.complete) = (key, false);
        self.rows.push(record, cx)?;
        Ok(true)
    }

    /// Reads to the end of the partition, and keeps nothing of it.
    pub fn skip_rest(&mut self, w: &WindowAgg, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.rows.clear(cx);
        while !self.complete {
            cx.check_interrupt()?;
            match self.read(w, cx)? {
                None => self.complete = true,
                Some((key, _)) if key.iter().zip(self.key.iter()).all(|(a, b)| same(a, b)) => {}
                Some(next) => (self.pending, self.complete) = (Some(next), true),
            }
        }
        Ok(())
    }

    /// No further row is asked for.
    pub fn end(&mut self, cx: &mut Cx<'_>) {
        self.rows.clear(cx);
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
                Some((key, record)) if key.iter().zip(self.key.iter()).all(|(a, b)| same(a, b)) => {
                    self.rows.push(record, cx)?;
                }
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

    /// A row that `has` found.
    pub fn get(&mut self, n: u64) -> Result<&Row, SqlError> {
        self.rows.get(n)
    }

    /// Rows before this one are not asked for any more.
    pub fn drop_before(&mut self, n: u64, cx: &mut Cx<'_>) {
        self.rows.drop_before(n, cx);
    }
}
