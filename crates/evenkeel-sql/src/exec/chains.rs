//! The numbers of rows by the hashes of their keys: what hash joins and sets of rows look rows up by. The rows themselves are their owners'.
//!
//! Twelve bytes a row, and four a bucket, in three pieces of memory. A map with a list for each hash, which this took the place of, took an allocation and sixty bytes a row.
//!
//! Invariants:
//! 1. Numbers ascend from 0, one for each hash that was added.
//! 2. Until `link` all that was only `put` is in no chain. After it the chain of a hash gives its rows in the order of their numbers; `add` puts a row before all others.
//!
//! Must not know: rows, keys.

use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::admit;
use evenkeel_types::guard::build::make_room;

/// No row.
const NONE: u32 = u32::MAX;
const BUCKETS_MIN: usize = 16;

/// Memory that a row takes here, about.
pub const CHAIN_BYTES: usize = size_of::<u64>() + 2 * size_of::<u32>();

/// Rows by hash.
#[derive(Default)]
pub struct Chains {
    hashes: Vec<u64>,
    /// The row after each in its bucket.
    next: Vec<u32>,
    /// The first row of each bucket; a power of two of them, or none.
    heads: Vec<u32>,
}

impl Chains {
    /// How many buckets there are.
    pub fn buckets(&self) -> usize {
        self.heads.len()
    }

    /// Its bits are mixed once more: partitions have gone by some of them.
    #[inline]
    fn bucket(hash: u64, buckets: usize) -> usize {
        (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - buckets.trailing_zeros())) as usize
    }

    /// The next row, which is not looked for before `link`.
    pub fn put(&mut self, hash: u64) -> Result<u32, SqlError> {
        let number = u32::try_from(self.hashes.len()).ok().filter(|n| *n < NONE).ok_or_else(|| {
            SqlError::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                "a hash table cannot have more than 4 billion rows",
            )
        })?;
        make_room(&mut self.hashes, 1)?;
        make_room(&mut self.next, 1)?;
        self.hashes.push(hash);
        self.next.push(NONE);
        Ok(number)
    }

    /// The next row, which is found from now on.
    pub fn add(&mut self, hash: u64) -> Result<u32, SqlError> {
        let number = self.put(hash)?;
        if self.hashes.len() > self.heads.len() {
            self.link()?;
        } else {
            let bucket = Chains::bucket(hash, self.heads.len());
            self.next[number as usize] = std::mem::replace(&mut self.heads[bucket], number);
        }
        Ok(number)
    }

    /// Puts all rows into chains.
    pub fn link(&mut self) -> Result<(), SqlError> {
        // Twice as many buckets as rows at most: those that are added next have room.
        let buckets = (self.hashes.len() + 1).next_power_of_two().max(BUCKETS_MIN);
        if buckets > self.heads.capacity() {
            admit(buckets * size_of::<u32>())?;
        }
        self.heads.clear();
        self.heads.resize(buckets, NONE);
        for n in (0..self.hashes.len()).rev() {
            let head = &mut self.heads[Chains::bucket(self.hashes[n], buckets)];
            self.next[n] = std::mem::replace(head, n as u32);
        }
        Ok(())
    }

    /// The first row of a hash.
    #[inline]
    pub fn first(&self, hash: u64) -> Option<u32> {
        if self.heads.is_empty() {
            return None;
        }
        self.of_hash(self.heads[Chains::bucket(hash, self.heads.len())], hash)
    }

    /// The next row of the same hash.
    #[inline]
    pub fn after(&self, row: u32, hash: u64) -> Option<u32> {
        self.of_hash(*self.next.get(row as usize)?, hash)
    }

    #[inline]
    fn of_hash(&self, mut row: u32, hash: u64) -> Option<u32> {
        while row != NONE && self.hashes[row as usize] != hash {
            row = self.next[row as usize];
        }
        (row != NONE).then_some(row)
    }

    /// All rows of a hash.
    pub fn of(&self, hash: u64) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.first(hash), move |row| self.after(*row, hash)).map(|n| n as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn rows_of_a_hash_are_found_as_in_a_map() {
        let seed = fastrand::u64(..);
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..200 {
            let (mut chains, mut map) = (Chains::default(), HashMap::<u64, Vec<usize>>::new());
            let hashes = rng.u64(1..300);
            for n in 0..rng.usize(0..500) {
                // Such as differ in their highest bits alone, too.
                let hash = rng.u64(..hashes) << [0, 50][rng.usize(..2)];
                let is_linked = rng.bool();
                let number = if is_linked { chains.add(hash) } else { chains.put(hash) };
                assert_eq!(number.unwrap() as usize, n);
                map.entry(hash).or_default().push(n);
                if rng.u8(..20) == 0 {
                    chains.link().unwrap();
                }
            }
            chains.link().unwrap();
            for (hash, rows) in &map {
                assert_eq!(chains.of(*hash).collect::<Vec<_>>(), *rows, "seed {seed}");
            }
            assert_eq!(chains.of(hashes + 7).next(), None);
            let last = chains.hashes.len();
            chains.add(3).unwrap();
            assert_eq!(chains.of(3).collect::<Vec<_>>().iter().max(), Some(&last), "seed {seed}");
        }
    }
}
