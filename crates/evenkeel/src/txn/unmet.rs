//! Ids that a standby has not met in the log although it met greater ones: they may still come, or never (`late`).
//!
//! Whoever asks what a snapshot sees, told by ids, is told that these are at work: what he keeps has to be true of them whenever they come. Round records say of all ids
//! below a place which of those without a record may still come, so these do not become many.
//!
//! Must not know: who is at work of those that were met.

use std::collections::{BTreeMap, BTreeSet};

/// More of them are not listed: nobody could use that.
const LISTED_MAX: u64 = 1 << 22;
const BITS: u64 = u64::BITS as u64;

/// See above. On a primary there is nothing in it.
#[derive(Default)]
pub(super) struct Unmet {
    /// A round record has said something: before, nobody knows which ids came before the log that was met.
    is_known: bool,
    /// All below have come, or will not, but for those in `waiting`.
    floor: u64,
    waiting: BTreeSet<u64>,
    /// Which ids from `floor` on were met, by words of bits.
    met: BTreeMap<u64, u64>,
}

impl Unmet {
    /// An id was met.
    pub fn meet(&mut self, id: u64) {
        if id < self.floor {
            self.waiting.remove(&id);
        } else {
            *self.met.entry(id / BITS).or_default() |= 1 << (id % BITS);
        }
    }

    /// Of the ids below `below` that have not been met only those in `open` may still come.
    pub fn settle(&mut self, below: u64, open: &[u64]) {
        self.is_known = true;
        if below < self.floor {
            return; // as an older record said it
        }
        self.waiting = open.iter().copied().filter(|id| self.may_come(*id)).collect();
        self.floor = below;
        self.met = self.met.split_off(&(below / BITS));
    }

    fn may_come(&self, id: u64) -> bool {
        if id < self.floor {
            return self.waiting.contains(&id);
        }
        self.met.get(&(id / BITS)).is_none_or(|word| word & (1 << (id % BITS)) == 0)
    }

    /// Whether an id that was not met may still come; `None`: nobody knows.
    pub fn has(&self, id: u64) -> Option<bool> {
        self.is_known.then(|| self.may_come(id))
    }

    /// Those below `end` that may still come, ascending; `None`: nobody knows, or they are too many.
    pub fn below(&self, end: u64) -> Option<Vec<u64>> {
        if !self.is_known {
            return None;
        }
        let mut found: Vec<u64> = self.waiting.range(..end).copied().collect();
        let mut at = self.floor;
        while at < end {
            let word = at / BITS;
            let next = ((word + 1) * BITS).min(end);
            let met = self.met.get(&word).copied().unwrap_or(0);
            if met != u64::MAX {
                found.extend((at..next).filter(|id| met & (1 << (id % BITS)) == 0));
                if found.len() as u64 > LISTED_MAX {
                    return None;
                }
            }
            at = next;
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_not_met_may_come_until_a_round_record_says_otherwise() {
        let mut unmet = Unmet::default();
        unmet.meet(70);
        assert_eq!((unmet.below(100), unmet.has(3)), (None, None));
        unmet.meet(66);
        // 66 came behind the place of which the record speaks.
        unmet.settle(68, &[5, 66]);
        assert_eq!(unmet.below(72), Some(vec![5, 68, 69, 71]));
        assert_eq!(unmet.below(69), Some(vec![5, 68]));
        assert_eq!([5, 6, 66, 68, 70].map(|id| unmet.has(id)), [true, false, false, true, false].map(Some));
        unmet.meet(5);
        unmet.meet(68);
        assert_eq!(unmet.below(72), Some(vec![69, 71]));
        unmet.settle(200, &[69, 150]);
        assert_eq!((unmet.below(200), unmet.below(201)), (Some(vec![69, 150]), Some(vec![69, 150, 200])));
        unmet.settle(100, &[71]);
        assert_eq!(unmet.below(200), Some(vec![69, 150]), "what an older record says is known");
        unmet.settle(300, &[150]);
        assert_eq!(unmet.below(300), Some(vec![150]));
        assert_eq!(unmet.below(u64::MAX), None, "too many");
    }
}
