//! Rows for a table, or for the new tree of a materialized view that is refreshed, that is empty: they are put into its tree from below, without versions (COPY … FREEZE).
//!
//! Invariants:
//! 1. Nobody else sees the tree before the transaction commits, and it goes away if the transaction rolls back: the caller knows.
//! 2. It has no indexes and no foreign keys; its tree is empty until the end.
//!
//! Must not know: where rows come from.

use super::Cx;
use super::change::{Writer, check_row, generate};
use crate::plan::Target;
use evenkeel::Filling;
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, encode_row};

/// Rows are handed to the engine when there are so many bytes of them.
const PIECE_BYTES: usize = 256 << 10;

/// A table that is being filled.
pub struct Filler {
    filling: Filling,
    /// Keys and rows, one after the other, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<(usize, usize)>,
}

impl Filler {
    /// Of a table that the transaction has made; None: it has indexes, or rows already.
    pub fn new(target: &Target, cx: &mut Cx<'_>) -> Result<Option<Filler>, SqlError> {
        if !target.table.indexes.is_empty() || !target.foreign_keys.is_empty() {
            return Ok(None);
        }
        let mut filling = Filling::new(target.table.heap.tree);
        match cx.txn.fill_on(&mut filling, &mut |_, _| Ok(false)) {
            Ok(()) => Ok(Some(Filler { filling, bytes: Vec::new(), ends: Vec::new() })),
            Err(evenkeel::Error::InvalidArgument(_)) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Adds a row.
    pub fn push(
        &mut self,
        target: &Target,
        writer: &mut Writer,
        row: &mut [Datum],
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let table = &*target.table;
        generate(target, row, cx)?;
        check_row(target, row, cx)?;
        writer.new_row_id(table, row, cx)?;
        self.bytes.extend_from_slice(&writer.scratch.row_id);
        let key_end = self.bytes.len();
        encode_row(&row[..table.columns.len()], &table.types, &mut self.bytes);
        self.ends.push((key_end, self.bytes.len()));
        if self.bytes.len() >= PIECE_BYTES { self.flush(cx) } else { Ok(()) }
    }

    /// Hands on what there is.
    fn flush(&mut self, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let Filler { filling, bytes, ends } = self;
        let (mut from, mut rows) = (0, ends.iter());
        cx.txn.fill_on(filling, &mut |key, value| {
            let Some((key_end, end)) = rows.next() else { return Ok(false) };
            key.clear();
            key.extend_from_slice(&bytes[from..*key_end]);
            value.clear();
            value.extend_from_slice(&bytes[*key_end..*end]);
            from = *end;
            Ok(true)
        })?;
        bytes.clear();
        ends.clear();
        Ok(())
    }

    /// The table has its rows.
    pub fn finish(mut self, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        self.flush(cx)?;
        Ok(cx.txn.end_filling(self.filling)?)
    }
}
