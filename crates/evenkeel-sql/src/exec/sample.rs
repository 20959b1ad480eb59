//! Which rows TABLESAMPLE draws: by a hash of the seed and of a row's id, or of the number of a block of row ids.
//!
//! Invariants:
//! 1. What is drawn depends on the seed, the percentage and the ids of rows alone, and a smaller percentage draws some of what a greater one does.
//! 2. Without REPEATABLE a scan has a seed of its own, which stays as it begins again.
//!
//! Must not know: what is read of the rows.

use super::Cx;
use super::eval::eval;
use crate::plan::{Method, Sample};
use evenkeel::{KeyRange, TreeId};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, decode_rowid, encode_rowid};
use std::ops::Bound;

/// So many row ids are a block.
const BLOCK_ROWS: u64 = 64;

/// A sample that is being drawn.
pub struct Drawing {
    seed: u64,
    /// Hashes below are drawn.
    cutoff: u64,
    is_by_block: bool,
    /// The next block, and the one behind the last; of rows one by one there are none.
    blocks: std::ops::Range<u64>,
}

impl Drawing {
    /// Looks at the values; `own`: a seed for who has none.
    pub fn begin(
        sample: &Sample,
        tree: TreeId,
        own: u64,
        row: &[Datum],
        cx: &mut Cx<'_>,
    ) -> Result<Drawing, SqlError> {
        let percent = match eval(&sample.percent, row, cx)? {
            Datum::Float4(p) => f64::from(p),
            _ => {
                let message = "TABLESAMPLE parameter cannot be null";
                return Err(SqlError::new(SqlState::INVALID_TABLESAMPLE_ARGUMENT, message));
            }
        };
        let seed = match &sample.seed {
            None => own,
            Some(seed) => match eval(seed, row, cx)? {
                // Zero is zero, whatever its sign.
                Datum::Float8(s) => mixed((s + 0.0).to_bits()),
                _ => {
                    let message = "TABLESAMPLE REPEATABLE parameter cannot be null";
                    return Err(SqlError::new(SqlState::INVALID_TABLESAMPLE_REPEAT, message));
                }
            },
        };
        if !(0.0..=100.0).contains(&percent) {
            let message = "sample percentage must be between 0 and 100";
            return Err(SqlError::new(SqlState::INVALID_TABLESAMPLE_ARGUMENT, message));
        }
        let cutoff = ((HASHES as f64) * percent / 100.0).round_ties_even() as u64;
        let blocks = match sample.method {
            Method::Bernoulli => 0..0,
            Method::System => match cx.db.max_key(tree)? {
                None => 0..0,
                Some(key) => 0..decode_rowid(&key)? / BLOCK_ROWS + 1,
            },
        };
        Ok(Drawing { seed, cutoff, is_by_block: sample.method == Method::System, blocks })
    }

    /// Whether a row is drawn, by its key: of a block that is all are.
    pub fn draws(&self, key: &[u8]) -> Result<bool, SqlError> {
        Ok(self.is_by_block || self.has(decode_rowid(key)?))
    }

    fn has(&self, n: u64) -> bool {
        hash(self.seed, n) < self.cutoff
    }

    /// The next block that is drawn: the keys of its rows.
    pub fn next_block(&mut self, cx: &Cx<'_>) -> Result<Option<KeyRange>, SqlError> {
        while let Some(n) = self.blocks.next() {
            if n % 1024 == 0 {
                cx.check_interrupt()?;
            }
            if self.has(n) {
                let key = |id: u64| {
                    let mut key = Vec::new();
                    encode_rowid(id, &mut key);
                    key
                };
                let (start, end) = (key(n * BLOCK_ROWS), key((n + 1).saturating_mul(BLOCK_ROWS)));
                return Ok(Some(KeyRange { start: Bound::Included(start), end: Bound::Excluded(end) }));
            }
        }
        Ok(None)
    }
}

/// How many hashes there are.
const HASHES: u64 = 1 << 32;

fn hash(seed: u64, n: u64) -> u64 {
    mixed(seed ^ mixed(n)) % HASHES
}

/// The finalizer of SplitMix64.
fn mixed(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_all_is_drawn_and_more_by_more() {
        let drawn = |seed: u64, percent: u64| {
            let drawing = Drawing { seed, cutoff: HASHES * percent / 100, is_by_block: false, blocks: 0..0 };
            (0..100_000).filter(|n| drawing.has(*n)).collect::<Vec<u64>>()
        };
        for seed in 0..8 {
            let (few, many) = (drawn(seed, 10), drawn(seed, 40));
            assert!((9_000..11_000).contains(&few.len()) && (38_500..41_500).contains(&many.len()));
            assert!(few.iter().all(|n| many.binary_search(n).is_ok()));
        }
        assert!(drawn(1, 0).is_empty());
        assert_eq!(drawn(1, 100).len(), 100_000);
        assert_ne!(drawn(1, 10), drawn(2, 10));
    }
}
