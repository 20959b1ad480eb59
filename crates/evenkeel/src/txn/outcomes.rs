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

/// See above. Memory is taken as ids are given out.
pub(super) struct Outcomes {
    first: u64,
    /// Whether it committed, by its id modulo `KEPT`.
    committed: Vec<u64>,
}

fn place(id: u64) -> (usize, u64) {
    let at = id % KEPT;
    ((at / BITS) as usize, 1 << (at % BITS))
}

impl Outcomes {
    /// Of ids from `first` on.
    pub fn new(first: u64) -> Outcomes {
        Outcomes { first, committed: Vec::new() }
    }

    /// A transaction has got its id.
    pub fn begin(&mut self, id: u64) {
        let (at, bit) = place(id);
        if let Some(word) = self.committed.get_mut(at) {
            *word &= !bit;
        }
    }

    /// It has committed.
    pub fn set_committed(&mut self, id: u64) {
        let (at, bit) = place(id);
        if at >= self.committed.len() {
            self.committed.resize(at + 1, 0);
        }
        self.committed[at] |= bit;
    }

    /// What became of one that has ended; `next`: ids from there on were not given out.
    pub fn of(&self, id: u64, next: u64) -> Option<Status> {
        if id < self.first || id >= next || next - id > KEPT {
            return None;
        }
        let (at, bit) = place(id);
        let committed = self.committed.get(at).is_some_and(|word| word & bit != 0);
        Some(if committed { Status::Committed } else { Status::RolledBack })
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
        let outcomes = Outcomes::new(10);
        assert_eq!((outcomes.of(9, 12), outcomes.of(10, 12)), (None, Some(Status::RolledBack)));
    }
}
