//! A bitmap of two levels: bits, and which words of them are not zero. The next set bit is found at the cost of a word for each 4096 clear ones.
//!
//! Invariants
//! 1. A summary bit is set whenever its word has been set and nobody is in the middle of `set`: `set` writes the word first, `clear` looks
//!    at the word again after it has cleared the summary bit.
//!
//! Must not know: what a bit stands for.

use crate::base::sync::{AtomicU64, Ordering::SeqCst};
use std::ops::Range;

/// The bitmap. All calls are lock-free.
pub struct DirtyBits {
    words: Box<[AtomicU64]>,
    summary: Box<[AtomicU64]>,
}

impl DirtyBits {
    /// All bits clear.
    pub fn new(bits: usize) -> DirtyBits {
        let words = bits.div_ceil(64);
        let zeros = |n: usize| (0..n).map(|_| AtomicU64::new(0)).collect();
        DirtyBits { words: zeros(words), summary: zeros(words.div_ceil(64)) }
    }

    /// Sets a bit.
    pub fn set(&self, bit: usize) {
        let w = bit / 64;
        self.words[w].fetch_or(1 << (bit % 64), SeqCst);
        if self.summary[w / 64].load(SeqCst) & (1 << (w % 64)) == 0 {
            self.summary[w / 64].fetch_or(1 << (w % 64), SeqCst);
        }
    }

    /// Clears a bit.
    pub fn clear(&self, bit: usize) {
        let (w, mask) = (bit / 64, 1 << (bit % 64));
        if self.words[w].load(SeqCst) & mask == 0 {
            return;
        }
        if self.words[w].fetch_and(!mask, SeqCst) == mask {
            self.summary[w / 64].fetch_and(!(1 << (w % 64)), SeqCst);
            if self.words[w].load(SeqCst) != 0 {
                self.summary[w / 64].fetch_or(1 << (w % 64), SeqCst);
            }
        }
    }

    /// The first set bit in a range.
    pub fn next_in(&self, range: Range<usize>) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            let w = at / 64;
            let word = self.words[w].load(SeqCst) & (u64::MAX << (at % 64));
            if word != 0 {
                return Some(w * 64 + word.trailing_zeros() as usize).filter(|b| *b < range.end);
            }
            at = self.next_word(w + 1, range.end.div_ceil(64))? * 64;
        }
        None
    }

    /// The first word that is not zero from `from` on, below `end`.
    fn next_word(&self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        while at < end {
            let s = at / 64;
            let summary = self.summary[s].load(SeqCst) & (u64::MAX << (at % 64));
            if summary != 0 {
                return Some(s * 64 + summary.trailing_zeros() as usize).filter(|w| *w < end);
            }
            at = (s + 1) * 64;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_next_set_bit_is_the_one_of_a_sorted_set() {
        let seed = fastrand::u64(..);
        let mut rng = fastrand::Rng::with_seed(seed);
        for bits in [1, 63, 64, 65, 4096, 10_000] {
            let (map, mut model) = (DirtyBits::new(bits), BTreeSet::new());
            for _ in 0..3000 {
                let bit = rng.usize(..bits);
                if rng.u8(0..5) < 2 {
                    map.set(bit);
                    model.insert(bit);
                } else {
                    map.clear(bit);
                    model.remove(&bit);
                }
                let (a, b) = (rng.usize(..=bits), rng.usize(..=bits));
                let range = a.min(b)..a.max(b);
                let expected = model.range(range.clone()).next().copied();
                assert_eq!(map.next_in(range.clone()), expected, "seed {seed}, {bits} bits, {range:?}");
            }
        }
    }

    #[test]
    fn words_without_a_bit_are_passed_over() {
        let map = DirtyBits::new(64 * 64 * 2);
        for bit in [0, 64 * 7 + 3, 64 * 63 + 63, 64 * 64 + 1] {
            map.set(bit);
            assert_eq!(map.next_word(0, 128), Some(bit / 64));
            map.clear(bit);
            assert_eq!(map.next_word(0, 128), None, "{bit}");
        }
    }
}
