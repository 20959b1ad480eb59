//! Rows that are found by their number: in memory up to `work_mem`, in blocks of a temporary file beyond.
//!
//! Invariants
//! 1. What is in memory follows what is in the file, without a gap.
//!
//! Must not know: what the rows are for.

use super::spill::{Budget, TempFile};
use super::{Cx, Memory, Row, RunState, row_bytes};
use crate::plan::explain::Did;
use evenkeel_types::error::SqlError;
use std::collections::VecDeque;

/// Bytes of rows that are written, and read again, at one go.
const BLOCK_BYTES: u64 = 32 << 10;
/// Blocks that were read and are kept: a window needs those of the current row, of both ends of its frame, and one more.
const BLOCKS_KEPT: usize = 4;

struct Block {
    /// The number of its first row.
    first: u64,
    from: u64,
    to: u64,
}

/// Rows by number, from 0.
#[derive(Default)]
pub struct NumberedRows {
    rows: VecDeque<Row>,
    /// The number of the first of them.
    first: u64,
    bytes: usize,
    file: Option<TempFile>,
    blocks: Vec<Block>,
    /// Blocks that were read, the one used last at the end.
    read: Vec<(usize, Vec<Row>)>,
}

impl NumberedRows {
    /// For EXPLAIN ANALYZE: what they take.
    pub fn tell(&self, did: &mut Did) {
        did.holds(self.bytes);
        did.disk_bytes = did.disk_bytes.max(self.file.as_ref().map_or(0, TempFile::end));
    }

    /// How many rows there have been.
    pub fn len(&self) -> u64 {
        self.first + self.rows.len() as u64
    }

    /// Appends a row.
    pub fn push(&mut self, row: Row, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let RunState { memory, budget, .. } = &mut *cx.run;
        self.push_to(row, memory, budget)
    }

    /// Appends a row that is counted there.
    pub fn push_to(&mut self, row: Row, memory: &mut Memory, budget: &Budget) -> Result<(), SqlError> {
        let bytes = row_bytes(&row) + 16;
        memory.grow(bytes)?;
        self.bytes += bytes;
        self.rows.push_back(row);
        if self.bytes > budget.work_mem_bytes && self.rows.len() > 1 {
            self.spill(memory, budget)?;
        }
        Ok(())
    }

    /// Writes the older half.
    fn spill(&mut self, memory: &mut Memory, budget: &Budget) -> Result<(), SqlError> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(TempFile::create(budget)?),
        };
        let wanted = budget.work_mem_bytes / 2;
        let (mut first, mut from) = (self.first, file.end());
        while self.bytes > wanted
            && let Some(row) = self.rows.pop_front()
        {
            let bytes = row_bytes(&row) + 16;
            self.bytes -= bytes;
            memory.shrink(bytes);
            file.push(&row, &[])?;
            self.first += 1;
            if file.end() - from >= BLOCK_BYTES {
                self.blocks.push(Block { first, from, to: file.end() });
                (first, from) = (self.first, file.end());
            }
        }
        if file.end() > from {
            self.blocks.push(Block { first, from, to: file.end() });
        }
        file.flush()
    }

    /// A row that is there.
    pub fn get(&mut self, n: u64) -> Result<&Row, SqlError> {
        let missing = || SqlError::internal("a row of a window is not there");
        if n >= self.first {
            return self.rows.get((n - self.first) as usize).ok_or_else(missing);
        }
        let block = self.blocks.partition_point(|b| b.first <= n).checked_sub(1).ok_or_else(missing)?;
        let at = match self.read.iter().position(|(b, _)| *b == block) {
            Some(at) => at,
            None => {
                let Some(file) = &self.file else { return Err(missing()) };
                let rows = file.read_between(self.blocks[block].from, self.blocks[block].to)?;
                if self.read.len() >= BLOCKS_KEPT {
                    self.read.remove(0);
                }
                self.read.push((block, rows));
                self.read.len() - 1
            }
        };
        self.read[at..].rotate_left(1);
        let (_, rows) = self.read.last().ok_or_else(missing)?;
        rows.get((n - self.blocks[block].first) as usize).ok_or_else(missing)
    }

    /// Rows before this one are not asked for any more.
    pub fn drop_before(&mut self, n: u64, cx: &mut Cx<'_>) {
        while self.first < n
            && let Some(row) = self.rows.pop_front()
        {
            let bytes = row_bytes(&row) + 16;
            self.bytes -= bytes;
            cx.run.memory.shrink(bytes);
            self.first += 1;
        }
    }

    /// Gives all up.
    pub fn clear(&mut self, cx: &mut Cx<'_>) {
        cx.run.memory.shrink(self.bytes);
        *self = NumberedRows::default();
    }
}
