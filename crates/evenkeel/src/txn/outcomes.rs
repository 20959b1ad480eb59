//! What became of the latest transactions: a bit for each id.
//!
//! Only those of this start are known, and of them as many as there is room for. Who asks is a client that lost its connection while it committed.
//!
//! Must not know: who is active.

/// Ids that are remembered: some minutes of a busy server.
const KEPT: u64 = 1 << 22;
const BITS: u64 = u64::BITS as u64;

/// What is known of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// No transaction has that id so far.
    NotYet,
    /// It is at work.
    Active,
    /// It has committed.
    Committed,
    /// It was rolled back.
    RolledBack,
}

fn has(bits: &[u64], id: u64) -> bool {
    let (at, bit) = place(id);
    bits.get(at).is_some_and(|word| word & bit != 0)
}

fn set(bits: &mut Vec<u64>, id: u64) {
    let (at, bit) = place(id);
    if at >= bits.len() {
        bits.resize(at + 1, 0);
    }
    bits[at] |= bit;
}

/// See above. Memory is taken as ids are given out.
pub(super) struct Outcomes {
    first: u64,
    /// Whether it committed, by its id modulo `KEPT`.
    committed: Vec<u64>,
    /// On a standby, where ids are met that end in the log, and others that do not: whether it was rolled back.
    rolled_back: Vec<u64>,
}

fn place(id: u64) -> (usize, u64) {
    let at = id % KEPT;
    ((at / BITS) as usize, 1 << (at % BITS))
}

impl Outcomes {
    /// Of ids from `first` on.
    pub fn new(first: u64) -> Outcomes {
        Outcomes { first, committed: Vec::new(), rolled_back: Vec::new() }
    }

    /// A transaction has got its id.
    pub fn begin(&mut self, id: u64) {
        let (at, bit) = place(id);
        for bits in [&mut self.committed, &mut self.rolled_back] {
            if let Some(word) = bits.get_mut(at) {
                *word &= !bit;
            }
        }
    }

    /// All of these have got theirs, the last included.
    pub fn begin_all(&mut self, first: u64, last: u64) {
        if last - first >= KEPT {
            self.committed.clear();
            self.rolled_back.clear();
        } else {
            (first..=last).for_each(|id| self.begin(id));
        }
    }

    /// It has committed.
    pub fn set_committed(&mut self, id: u64) {
        set(&mut self.committed, id);
    }

    /// It was rolled back, on a standby.
    pub fn set_rolled_back(&mut self, id: u64) {
        set(&mut self.rolled_back, id);
    }

    /// As `of`, on a standby.
    pub fn of_met(&self, id: u64, next: u64) -> Option<Status> {
        if id >= next || next - id > KEPT {
            return None;
        }
        match (has(&self.committed, id), has(&self.rolled_back, id)) {
            (true, _) => Some(Status::Committed),
            (_, true) => Some(Status::RolledBack),
            _ => None,
        }
    }

    /// What became of one that has ended; `next`: ids from there on were not given out.
    pub fn of(&self, id: u64, next: u64) -> Option<Status> {
        if id < self.first || id >= next || next - id > KEPT {
            return None;
        }
        Some(if has(&self.committed, id) { Status::Committed } else { Status::RolledBack })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_known() {
        let mut outcomes = Outcomes::new(10);
        for id in 10..10 + 2 * KEPT {
            outcomes.begin(id);
            if id % 3 == 0 {
                outcomes.set_committed(id);
            }
        }
        let next = 10 + 2 * KEPT;
        for id in [next - 1, next - 2, next - 3, next - KEPT, next - KEPT + 1] {
            let was = if id % 3 == 0 { Status::Committed } else { Status::RolledBack };
            assert_eq!(outcomes.of(id, next), Some(was), "{id}");
        }
        assert_eq!(outcomes.of(next - KEPT - 1, next), None);
        assert_eq!(outcomes.of(next, next), None);
        let mut outcomes = Outcomes::new(1);
        outcomes.set_committed(12);
        outcomes.set_rolled_back(13);
        let of = |o: &Outcomes, next| [11, 12, 13].map(|id| o.of_met(id, next));
        assert_eq!(of(&outcomes, 20), [None, Some(Status::Committed), Some(Status::RolledBack)]);
        outcomes.begin_all(20, 13 + KEPT);
        assert_eq!(of(&outcomes, 14 + KEPT), [None; 3]);
        assert_eq!(outcomes.of_met(12 + KEPT, 14 + KEPT), None);
        let outcomes = Outcomes::new(10);
        assert_eq!((outcomes.of(9, 12), outcomes.of(10, 12)), (None, Some(Status::RolledBack)));
    }
}
