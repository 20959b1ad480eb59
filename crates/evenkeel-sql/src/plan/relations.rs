//! Sets of a FROM clause's relations, by their numbers.
//!
//! A bit for each; up to 128 relations, which is nearly always enough, take no allocation.
//!
//! Invariant 1. The last word is not zero: equal sets are equal words.
//!
//! Must not know: what relations are.

use smallvec::SmallVec;

const WORD_BITS: usize = u64::BITS as usize;

/// A set of relations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relations(SmallVec<[u64; 2]>);

impl Relations {
    /// One relation.
    pub fn one(n: usize) -> Relations {
        let mut set = Relations::default();
        set.insert(n);
        set
    }

    /// The first so many, by the bits of a word.
    pub fn of_bits(bits: u64) -> Relations {
        Relations(if bits == 0 { SmallVec::new() } else { SmallVec::from_slice(&[bits]) })
    }

    /// Whether one is in it.
    pub fn contains(&self, n: usize) -> bool {
        self.word(n / WORD_BITS) >> (n % WORD_BITS) & 1 != 0
    }

    /// Adds one.
    pub fn insert(&mut self, n: usize) {
        if self.0.len() <= n / WORD_BITS {
            self.0.resize(n / WORD_BITS + 1, 0);
        }
        self.0[n / WORD_BITS] |= 1 << (n % WORD_BITS);
    }

    /// Takes one away.
    pub fn remove(&mut self, n: usize) {
        if let Some(word) = self.0.get_mut(n / WORD_BITS) {
            *word &= !(1 << (n % WORD_BITS));
        }
        while self.0.last() == Some(&0) {
            self.0.pop(); // invariant 1
        }
    }

    /// Adds all of another set.
    pub fn extend(&mut self, other: &Relations) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn word(&self, i: usize) -> u64 {
        self.0.get(i).copied().unwrap_or(0)
    }

    /// Whether each is in one of the others.
    pub fn is_within(&self, others: &[&Relations]) -> bool {
        self.0.iter().enumerate().all(|(i, w)| w & !others.iter().fold(0, |all, o| all | o.word(i)) == 0)
    }

    /// Whether one is in both.
    pub fn meets(&self, other: &Relations) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// The numbers, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        let in_word = |(i, w): (usize, u64)| {
            (0..WORD_BITS).filter(move |b| w >> b & 1 != 0).map(move |b| i * WORD_BITS + b)
        };
        self.0.iter().copied().enumerate().flat_map(in_word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_is_a_set() {
        let mut rng = fastrand::Rng::with_seed(5);
        let draw = |rng: &mut fastrand::Rng| -> BTreeSet<usize> {
            let max = rng.usize(1..400);
            (0..rng.usize(0..6)).map(|_| rng.usize(0..max)).collect()
        };
        let set = |model: &BTreeSet<usize>| {
            let mut set = Relations::default();
            model.iter().for_each(|n| set.insert(*n));
            set
        };
        for _ in 0..20_000 {
            let (a, b, c) = (draw(&mut rng), draw(&mut rng), draw(&mut rng));
            let (x, y, z) = (set(&a), set(&b), set(&c));
            assert_eq!(x.numbers().collect::<BTreeSet<_>>(), a);
            assert_eq!((x.is_empty(), x == y), (a.is_empty(), a == b));
            assert_eq!(x.meets(&y), !a.is_disjoint(&b));
            assert_eq!(x.is_within(&[&y, &z]), a.iter().all(|n| b.contains(n) || c.contains(n)));
            let mut all = x.clone();
            all.extend(&y);
            assert_eq!(all, set(&a.union(&b).copied().collect()));
            if let Some(n) = a.iter().next() {
                let mut rest = x.clone();
                rest.remove(*n);
                assert_eq!(rest, set(&a.iter().skip(1).copied().collect()));
            }
        }
        assert_eq!(Relations::of_bits(0b1001), set(&BTreeSet::from([0, 3])));
        assert!(
            Relations::of_bits(0).is_empty()
                && Relations::one(70).contains(70)
                && !Relations::one(70).contains(6)
        );
        assert_eq!(Relations::one(130), set(&BTreeSet::from([130])));
    }
}
