//! The rows that a recursive UNION has given: each is given once. They are kept as they are while there is memory for them; then their numbers alone, by hash, and
//! a row of the same hash is read again among all that were given.
//!
//! Invariants
//! 1. A row's number here is its number among the rows that were given.
//!
//! Must not know: where rows come from.

use super::Memory;
use super::numbered::NumberedRows;
use super::rowset::{HashIndex, RowSet, hash_row, make_index_room, same_row};
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;

/// Memory that a number takes.
const NUMBER_BYTES: usize = 32;

/// What was given.
#[derive(Default)]
pub(super) struct Seen {
    rows: RowSet,
    numbers: Option<Numbers>,
}

/// Rows by their hashes.
#[derive(Default)]
struct Numbers {
    of_hash: HashIndex<u64>,
    /// Others of a hash that is there already.
    more: Vec<(u64, u64)>,
    bytes: usize,
}

impl Seen {
    /// Whether a row is new; it is the next of those that are `given` then.
    pub fn insert(
        &mut self,
        row: &[Datum],
        given: &mut NumberedRows,
        memory: &mut Memory,
    ) -> Result<bool, SqlError> {
        if let Some(numbers) = &mut self.numbers {
            return numbers.insert(row, given, memory);
        }
        let (_, is_new) = self.rows.insert(row, memory)?;
        if is_new && self.rows.bytes() > memory.left_bytes() {
            let hashes: Vec<u64> = self.rows.rows().iter().map(|r| hash_row(r)).collect();
            self.rows.clear(memory);
            let mut numbers = Numbers::default();
            for (n, hash) in hashes.into_iter().enumerate() {
                numbers.add(hash, n as u64, memory)?;
            }
            self.numbers = Some(numbers);
        }
        Ok(is_new)
    }

    /// Forgets all.
    pub fn clear(&mut self, memory: &mut Memory) {
        self.rows.clear(memory);
        memory.shrink(self.numbers.take().map_or(0, |n| n.bytes));
    }
}

impl Numbers {
    fn insert(
        &mut self,
        row: &[Datum],
        given: &mut NumberedRows,
        memory: &mut Memory,
    ) -> Result<bool, SqlError> {
        let hash = hash_row(row);
        let more = self.more.iter().filter(|(h, _)| *h == hash).map(|(_, n)| *n);
        for n in self.of_hash.get(&hash).copied().into_iter().chain(more) {
            if same_row(given.get(n)?, row) {
                return Ok(false);
            }
        }
        self.add(hash, given.len(), memory)?;
        Ok(true)
    }

    fn add(&mut self, hash: u64, n: u64, memory: &mut Memory) -> Result<(), SqlError> {
        memory.grow(NUMBER_BYTES)?;
        self.bytes += NUMBER_BYTES;
        make_index_room(&mut self.of_hash)?;
        if let Some(before) = self.of_hash.insert(hash, n) {
            self.more.push((hash, before));
        }
        Ok(())
    }
}
