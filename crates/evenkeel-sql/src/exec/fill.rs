//! Rows for an empty tree that the transaction has made: of a table that is new, or written anew, or of a materialized view that is refreshed. They are put there from below.
//!
//! Invariants:
//! 1. The tree goes away if the statement is rolled back, or the transaction to a savepoint before it: the caller knows. Of rows that have no versions (COPY … FREEZE, REFRESH, CLUSTER) he knows besides that
//!    nobody else sees the tree before the transaction commits; the others are the transaction's, as if it had inserted them.
//! 2. The table has no indexes and no foreign keys so far; its tree is empty until the end.
//!
//! Must not know: where rows come from.

use super::Cx;
use super::change::{Writer, check_row, generate};
use crate::plan::Target;
use evenkeel::{Filling, TreeId};
use evenkeel_types::error::SqlError;
use evenkeel_types::{Datum, Type, encode_row};

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
    /// Of a table that the transaction has made; None: it has indexes, or rows already. `is_frozen`: snapshots that are older than the transaction see the rows, too.
    pub fn new(target: &Target, is_frozen: bool, cx: &mut Cx<'_>) -> Result<Option<Filler>, SqlError> {
        if !target.table.indexes.is_empty() || !target.foreign_keys.is_empty() {
            return Ok(None);
        }
        let tree = target.table.heap.tree;
        let mut filling = if is_frozen { Filling::new(tree) } else { Filling::of_transaction(tree) };
        match cx.txn.fill_on(&mut filling, &mut |_, _| Ok(false)) {
            Ok(()) => Ok(Some(Filler::of(filling))),
            Err(evenkeel::Error::InvalidArgument(_)) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Of a tree that the transaction has made, for rows that are its own.
    pub fn of_tree(tree: TreeId) -> Filler {
        Filler::of(Filling::of_transaction(tree))
    }

    /// The same of rows that were there before: snapshots that are older than the transaction see them, too.
    pub fn of_moved_rows(tree: TreeId) -> Filler {
        Filler::of(Filling::new(tree))
    }

    fn of(filling: Filling) -> Filler {
        Filler { filling, bytes: Vec::new(), ends: Vec::new() }
    }

    /// Adds a row to a table.
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
        self.push_row(&writer.scratch.row_id, &row[..table.columns.len()], &table.types, cx)
    }

    /// Adds a row as it is. Their ids ascend.
    pub fn push_row(
        &mut self,
        row_id: &[u8],
        row: &[Datum],
        types: &[Type],
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        self.bytes.extend_from_slice(row_id);
        let key_end = self.bytes.len();
        encode_row(row, types, &mut self.bytes);
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
