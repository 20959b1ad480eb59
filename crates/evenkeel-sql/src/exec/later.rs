//! Index entries of many new rows, and of many that are deleted, written some time after the rows, in the order of their keys: neighbours are in one leaf, which is
//! found once.
//!
//! Invariants:
//! 1. Only entries of indexes that are not unique are kept back: nothing is found out by writing them, nobody waits for it, and no error names a row.
//! 2. They are written before the statement ends. Until then nobody reads them: the statement sees no row of its own, others none that is not committed.
//! 3. A statement of a few rows keeps nothing back.
//! 4. An entry is either put in or taken out: it has the id of its row, and no statement deletes what it has inserted.
//!
//! Rejected: to do so with unique indexes as well. The first duplicate by key is another row than the first by its place in the statement, which errors name.
//!
//! Must not know: where rows come from.

use super::Cx;
use super::entries::delete_entry;
use super::keys::RowEntries;
use crate::catalog::uses::Pages;
use crate::catalog::{Index, Table};
use evenkeel_types::error::SqlError;

/// So many rows of a statement are written with their entries.
const FIRST_ROWS: u64 = 256;
/// What is kept back at most of all indexes together.
const KEPT_BYTES: usize = 16 << 20;
/// Beyond the key and the value.
const ENTRY_BYTES: usize = size_of::<Entry>();
/// Longer keys may be too long, which an error says of their row.
const KEY_BYTES_MAX: usize = 1000;

/// An entry that is kept back: the first bytes of its key, and where all of them are, followed by its value.
#[derive(Clone, Copy)]
struct Entry {
    head: u64,
    at: u32,
    key_len: u16,
    value_len: u16,
}

#[derive(Default)]
struct OfIndex {
    bytes: Vec<u8>,
    new: Vec<Entry>,
    /// Those of rows that were deleted; they have no values.
    gone: Vec<Entry>,
}

/// Entries that are kept back, by the index's place in its table.
#[derive(Default)]
pub struct Later {
    rows: u64,
    kept_bytes: usize,
    indexes: Vec<OfIndex>,
}

impl Later {
    /// A row is about to be written or deleted; true if its entries may be kept back.
    pub fn begins_row(&mut self) -> bool {
        self.rows += 1;
        self.rows > FIRST_ROWS
    }

    /// Keeps entries of a row back, of one that was deleted if `are_gone`; false: they are to be written now.
    pub fn push(
        &mut self,
        table: &Table,
        place: usize,
        (entries, are_gone): (&RowEntries, bool),
        cx: &mut Cx<'_>,
    ) -> Result<bool, SqlError> {
        if table.indexes[place].unique || entries.keys().any(|k| k.len() > KEY_BYTES_MAX) {
            return Ok(false);
        }
        if self.indexes.len() < table.indexes.len() {
            self.indexes.resize_with(table.indexes.len(), OfIndex::default);
        }
        let of = &mut self.indexes[place];
        let value: &[u8] = if are_gone { &[] } else { &entries.value };
        let mut bytes = 0;
        for key in entries.keys() {
            let at = of.bytes.len();
            of.bytes.extend_from_slice(key);
            of.bytes.extend_from_slice(value);
            let mut head = [0; 8];
            let shown = key.len().min(8);
            head[..shown].copy_from_slice(&key[..shown]);
            let kept = if are_gone { &mut of.gone } else { &mut of.new };
            kept.push(Entry {
                head: u64::from_be_bytes(head),
                at: at as u32,
                key_len: key.len() as u16,
                value_len: value.len() as u16,
            });
            bytes += key.len() + value.len() + ENTRY_BYTES;
        }
        self.kept_bytes += bytes;
        cx.run.memory.grow(bytes)?;
        let budget = &cx.run.budget;
        if self.kept_bytes >= KEPT_BYTES.min(budget.maintenance_bytes).min(budget.statement_bytes / 4) {
            self.write(table, cx)?;
        }
        Ok(true)
    }

    /// Writes what was kept back. (2)
    pub fn write(&mut self, table: &Table, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        for (place, of) in self.indexes.iter_mut().enumerate() {
            let (index, before) = (&table.indexes[place], Pages::now());
            if !of.bytes.is_empty() {
                of.write(table, index, cx)?;
                table.shared.uses.index(index.oid).add_pages(before.since());
            }
        }
        cx.run.memory.shrink(std::mem::take(&mut self.kept_bytes));
        Ok(())
    }
}

impl OfIndex {
    fn write(&mut self, table: &Table, index: &Index, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        let OfIndex { bytes, new, gone } = self;
        let key = |e: &Entry| &bytes[e.at as usize..][..usize::from(e.key_len)];
        for entries in [&mut *new, &mut *gone] {
            entries.sort_unstable_by(|a, b| a.head.cmp(&b.head).then_with(|| key(a).cmp(key(b))));
        }
        for e in new.iter() {
            cx.check_interrupt()?;
            let value = &bytes[e.at as usize + usize::from(e.key_len)..][..usize::from(e.value_len)];
            cx.txn.insert(index.tree, key(e), value)?;
        }
        for e in gone.iter() {
            cx.check_interrupt()?;
            delete_entry(table, index, key(e), cx)?;
        }
        new.clear();
        gone.clear();
        bytes.clear();
        Ok(())
    }
}
