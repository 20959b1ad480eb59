//! Sets of rows, where NULLs are equal to one another: DISTINCT, UNION, groups and hash joins.
//!
//! Must not know: what the rows are for.

use super::chains::{CHAIN_BYTES, Chains};
use super::{Memory, Row, row_bytes};
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::admit;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::guard::discard::Large;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

/// Hashes are mixed already.
#[derive(Default)]
pub struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, v: u64) {
        self.0 = v;
    }
}

/// Hashes of rows to what is kept for them.
pub type HashIndex<T> = HashMap<u64, T, BuildHasherDefault<Identity>>;

/// Room for one more, admitted where it has to grow.
pub fn make_index_room<T>(index: &mut HashIndex<T>) -> Result<(), SqlError> {
    if index.len() == index.capacity() {
        // Twice as many places, up to twice as many as there are entries.
        admit((index.len() + 1).saturating_mul(4 * (size_of::<(u64, T)>() + 1)))?;
        index.reserve(1);
    }
    Ok(())
}

/// The hash of some values; equal integers of different widths hash alike.
pub fn hash_row(row: &[Datum]) -> u64 {
    // The same in every process, as PostgreSQL's: rows that went to files come back in the same order.
    const STATE: FixedState = FixedState::with_seed(0x9E37_79B9);
    let mut h = STATE.build_hasher();
    for d in row {
        match d {
            Datum::Null => h.write_u8(0),
            Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_) => h.write_i64(d.as_i64().unwrap_or(0)),
            d => evenkeel_types::hash(d, &mut h),
        }
    }
    h.finish()
}

/// Equality where NULLs are equal.
pub fn same(a: &Datum, b: &Datum) -> bool {
    match (a, b) {
        (Datum::Null, Datum::Null) => true,
        (Datum::Null, _) | (_, Datum::Null) => false,
        (
            Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_),
            Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_),
        ) => a.as_i64() == b.as_i64(),
        _ => evenkeel_types::equal(a, b),
    }
}

/// Equality of rows where NULLs are equal.
pub fn same_row(a: &[Datum], b: &[Datum]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// A set of rows with a number for each.
#[derive(Default)]
pub struct RowSet {
    rows: Large<Vec<Row>>,
    chains: Chains,
    bytes: usize,
}

impl RowSet {
    /// The number of a row that is in the set.
    pub fn find(&self, row: &[Datum]) -> Option<usize> {
        self.find_hashed(hash_row(row), row)
    }

    fn find_hashed(&self, hash: u64, row: &[Datum]) -> Option<usize> {
        self.chains.of(hash).find(|n| same_row(&self.rows[*n], row))
    }

    /// The row's number, and whether it is new.
    pub fn insert(&mut self, row: &[Datum], memory: &mut Memory) -> Result<(usize, bool), SqlError> {
        let hash = hash_row(row);
        if let Some(n) = self.find_hashed(hash, row) {
            return Ok((n, false));
        }
        let bytes = row_bytes(row) + size_of::<Row>() + CHAIN_BYTES;
        memory.grow(bytes)?;
        self.bytes += bytes;
        make_room(&mut self.rows, 1)?;
        let n = self.chains.add(hash)?;
        self.rows.push(row.into());
        Ok((n as usize, true))
    }

    /// The rows in the order of their numbers.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Memory that it occupies.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Empties it.
    pub fn clear(&mut self, memory: &mut Memory) {
        memory.shrink(self.bytes);
        *self = RowSet::default();
    }
}
