//! Rows that an aggregate wants in order: kept until their group is given, in memory up to `work_mem` and in sorted runs in temporary files beyond.
//!
//! Must not know: groups.

use super::sort::{Merge, few_runs, spilled};
use super::sortable::{Sortable, bytes_of};
use super::spill::TempFile;
use super::{Cx, Row};
use crate::plan::SortKey;
use evenkeel_types::error::SqlError;
use evenkeel_types::{AggState, Datum};
use std::sync::Arc;

/// The rows of one aggregate of one group, as (keys, arguments).
#[derive(Default)]
pub(super) struct InOrder {
    rows: Sortable,
    runs: Vec<Arc<TempFile>>,
    count: u64,
    bytes: usize,
}

impl InOrder {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Memory that they take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// One more.
    pub fn push(&mut self, order: &[SortKey], keys: Row, args: Row, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let (mut keys, mut args) = (keys.into_vec(), args.into_vec());
        let bytes = bytes_of(&keys, &args);
        cx.run.memory.grow(bytes)?;
        self.bytes += bytes;
        self.count += 1;
        self.rows.push(order, &mut keys, &mut args)?;
        if self.bytes > cx.run.budget.work_mem_bytes && self.rows.len() > 1 {
            self.spill(order, cx)?;
        }
        Ok(())
    }

    fn spill(&mut self, order: &[SortKey], cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.runs.push(spilled(order, &mut self.rows, cx)?);
        cx.run.memory.shrink(std::mem::take(&mut self.bytes));
        Ok(())
    }

    /// Gives them to the aggregates that want them: their keys, if these are what they are of. None is left.
    pub fn give(
        &mut self,
        order: &[SortKey],
        of_keys: bool,
        states: &mut [&mut dyn AggState],
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        if self.runs.is_empty() {
            self.rows.sort(order)?;
            for (keys, args) in self.rows.iter() {
                cx.check_interrupt()?;
                let values = if of_keys { keys } else { args };
                states.iter_mut().try_for_each(|state| state.update(values, &cx.eval))?;
            }
            self.rows = Sortable::default();
            cx.run.memory.shrink(std::mem::take(&mut self.bytes));
            return Ok(());
        }
        if !self.rows.is_empty() {
            self.spill(order, cx)?;
        }
        let runs = few_runs(order, std::mem::take(&mut self.runs), &cx.run.budget, cx)?;
        let mut merge = Merge::new(order, runs)?;
        let mut row: Vec<Datum> = Vec::new();
        while merge.next(&mut row)? {
            cx.check_interrupt()?;
            let (keys, args) = row.split_at(order.len());
            let values = if of_keys { keys } else { args };
            states.iter_mut().try_for_each(|state| state.update(values, &cx.eval))?;
        }
        Ok(())
    }
}
