//! Transactions that a standby meets late: their first record stands behind those of younger ones.
//!
//! A transaction has its id before it logs anything, and may never log anything. So who replays the log meets ids with gaps, and cannot tell whether one that is missing
//! will come. A snapshot is taken for granted to see ids below its end that were not active; of one that comes later its place among the commits decides. (Rejected: all
//! ids of a gap count as active until a round record says that they are over. Ten million row locks make ten million of them, and each snapshot a list.)
//!
//! Invariants
//! 1. An id is here before a change of its transaction is applied, and until every snapshot sees its end.
//!
//! Must not know: who has begun.

use crate::base::sync::{AtomicU64, Mutex, Ordering, RwLock};
use std::collections::{BTreeMap, VecDeque};

/// Of a transaction that is at work.
const AT_WORK: u64 = u64::MAX;

/// See above.
#[derive(Default)]
pub(super) struct Late {
    /// All ids are below this. A primary has none: it pays for one comparison.
    below: AtomicU64,
    /// And from here on, if there are any.
    from: AtomicU64,
    /// The number of commits that a snapshot must have before it, to see what it did.
    ids: RwLock<BTreeMap<u64, u64>>,
    /// Those that have ended: (that number, id), ascending.
    ended: Mutex<VecDeque<(u64, u64)>>,
}

impl Late {
    /// A transaction came late.
    pub fn add(&self, id: u64) {
        let mut ids = self.ids.write();
        ids.insert(id, AT_WORK);
        self.bounds(&ids);
    }

    /// A transaction has ended, if it was one of these: snapshots with so many commits before them see that. Called with numbers that do not fall, but for one that
    /// was rolled back, which may be one ahead.
    pub fn end(&self, id: u64, number: u64) {
        if let Some(n) = self.ids.write().get_mut(&id) {
            *n = number;
            self.ended.lock().push_back((number, id));
        }
    }

    /// Every snapshot has so many commits before it.
    pub fn let_go(&self, seen: u64) {
        if self.below.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut ended = self.ended.lock();
        while ended.front().is_some_and(|(number, _)| *number <= seen) {
            let gone = ended.pop_front();
            let mut ids = self.ids.write();
            gone.and_then(|(_, id)| ids.remove(&id));
            self.bounds(&ids);
        }
    }

    fn bounds(&self, ids: &BTreeMap<u64, u64>) {
        let of = |id: Option<(&u64, &u64)>| id.map_or(0, |(id, _)| *id);
        self.from.store(of(ids.first_key_value()), Ordering::SeqCst);
        self.below.store(ids.last_key_value().map_or(0, |(id, _)| id + 1), Ordering::SeqCst);
    }

    /// Ids below `end` of which a snapshot with so many commits before it sees nothing because they came late.
    pub fn hidden(&self, end: u64, commits: u64) -> Vec<u64> {
        self.ids.read().range(..end).filter(|(_, number)| **number > commits).map(|(id, _)| *id).collect()
    }

    /// Whether a snapshot with so many commits before it does not see a transaction because that came late.
    pub fn hides(&self, id: u64, commits: u64) -> bool {
        id < self.below.load(Ordering::SeqCst)
            && id >= self.from.load(Ordering::SeqCst)
            && self.ids.read().get(&id).is_some_and(|n| *n > commits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_came_late_is_seen_by_the_number_of_commits() {
        let late = Late::default();
        assert!(!late.hides(5, 0));
        late.add(5);
        late.add(3);
        assert!(late.hides(5, 100) && late.hides(3, 100) && !late.hides(4, 0));
        late.end(5, 11);
        assert!(late.hides(5, 10) && !late.hides(5, 11));
        assert_eq!(
            (late.hidden(6, 10), late.hidden(6, 11), late.hidden(3, 10)),
            (vec![3, 5], vec![3], vec![])
        );
        late.let_go(10);
        assert!(late.hides(5, 10));
        late.let_go(11);
        assert!(!late.hides(5, 10) && late.hides(3, 100));
        late.end(3, 12);
        late.end(4, 12);
        late.let_go(u64::MAX);
        assert_eq!(late.below.load(Ordering::SeqCst), 0);
    }
}
