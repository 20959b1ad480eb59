//! Which bytes a drive's write cache holds: separate ranges, of which the arm takes one at a time.
//!
//! Invariants
//! 1. Ranges neither overlap nor touch.
//! 2. `bytes` is the sum of their lengths.
//!
//! It must not know of time.

use std::collections::BTreeMap;

/// Ranges by where they begin.
#[derive(Debug, Default)]
pub(super) struct Dirty {
    ranges: BTreeMap<u64, u64>,
    bytes: u64,
}

impl Dirty {
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Adds `[at, end)`.
    pub(super) fn add(&mut self, at: u64, end: u64) {
        let (mut from, mut to) = (at, end);
        // Whatever it overlaps or touches becomes a part of it (invariant 1).
        while let Some((&start, &stop)) =
            self.ranges.range(..=to).next_back().filter(|(_, stop)| **stop >= from)
        {
            self.ranges.remove(&start);
            self.bytes -= stop - start;
            from = from.min(start);
            to = to.max(stop);
        }
        self.ranges.insert(from, to);
        self.bytes += to - from;
    }

    /// Takes out `[at, end)`, which lies within one range.
    pub(super) fn remove(&mut self, at: u64, end: u64) {
        let found = self.ranges.range(..=at).next_back().map(|(s, e)| (*s, *e)).filter(|(_, e)| *e >= end);
        let Some((start, stop)) = found else { return };
        self.ranges.remove(&start);
        if start < at {
            self.ranges.insert(start, at);
        }
        if end < stop {
            self.ranges.insert(end, stop);
        }
        self.bytes -= end - at;
    }

    /// Is all of `[at, end)` there?
    pub(super) fn covers(&self, at: u64, end: u64) -> bool {
        self.ranges.range(..=at).next_back().is_some_and(|(_, stop)| *stop >= end)
    }

    /// Up to `n` beginnings of ranges nearest to `place`, half of them on either side where there are as many.
    pub(super) fn near(&self, place: u64, n: usize) -> impl Iterator<Item = (u64, u64)> {
        let up = self.ranges.range(place..).take(n);
        let down = self.ranges.range(..place).rev().take(n / 2);
        let above = n - down.clone().count();
        up.take(above).chain(down).map(|(s, e)| (*s, *e))
    }

    /// Takes all of `other`.
    pub(super) fn take_all(&mut self, other: &mut Dirty) {
        for (at, end) in std::mem::take(&mut other.ranges) {
            self.add(at, end);
        }
        other.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_merge_and_split() {
        let mut dirty = Dirty::default();
        dirty.add(0, 10);
        dirty.add(20, 30);
        assert_eq!(dirty.bytes(), 20);
        dirty.add(10, 20);
        assert!(dirty.covers(0, 30) && dirty.bytes() == 30);
        dirty.add(5, 8);
        assert_eq!((dirty.bytes(), dirty.ranges.len()), (30, 1));
        dirty.remove(10, 20);
        assert!(!dirty.covers(9, 11) && dirty.covers(20, 30) && dirty.bytes() == 20);
        assert_eq!(dirty.near(15, 32).collect::<Vec<_>>(), [(20, 30), (0, 10)]);
        let mut more = Dirty::default();
        more.add(8, 22);
        dirty.take_all(&mut more);
        assert!(dirty.covers(0, 30) && more.is_empty() && more.bytes() == 0);
    }
}
