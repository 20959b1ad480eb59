//! Savepoints as an application holds them: whose they are, and whether the transaction still has the place.
//!
//! Invariants
//! 1. A place is gone once the transaction has gone back to before it, whatever it does then: other changes stand there.
//! 2. What is kept for that is one entry for each place that was gone back to and is behind the one before, so never more than the transaction has changes.
//!
//! Must not know: how changes are undone.

use crate::base::sync::counter::{AtomicU64, Ordering};
use crate::base::{Error, Result};
use crate::store;

/// A place in a transaction that it can go back to ([`Transaction::rollback_to`](super::Transaction::rollback_to)), as often as wanted, until it has gone back to before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Savepoint {
    place: store::Savepoint,
    /// Whose it is.
    of: u64,
    /// How often its transaction had gone back.
    rollbacks: u64,
}

/// What a transaction knows of its savepoints.
#[derive(Default)]
pub(super) struct Savepoints {
    /// No other transaction of the process has this number; 0: it has no savepoint.
    of: u64,
    rollbacks: u64,
    /// Where it went back to, and the how many-th time that was: both ascending, as whatever is behind a later place is gone with that.
    went_back: Vec<(u64, store::Savepoint)>,
}

impl Savepoints {
    pub fn make(&mut self, place: store::Savepoint) -> Savepoint {
        if self.of == 0 {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            self.of = NEXT.fetch_add(1, Ordering::Relaxed);
        }
        Savepoint { place, of: self.of, rollbacks: self.rollbacks }
    }

    /// The place of a savepoint, if it is this transaction's and still there.
    pub fn place(&self, sp: Savepoint) -> Result<store::Savepoint> {
        if sp.of != self.of {
            return Err(Error::InvalidArgument("the savepoint is another transaction's".into()));
        }
        let since = self.went_back.partition_point(|(n, _)| *n <= sp.rollbacks);
        match self.went_back.get(since) {
            Some((_, place)) if place.is_before(sp.place) => Err(Error::InvalidArgument(
                "the savepoint is gone: the transaction has gone back to before it".into(),
            )),
            _ => Ok(sp.place),
        }
    }

    /// Changes behind `place` are about to be undone.
    pub fn go_back(&mut self, place: store::Savepoint) {
        self.rollbacks += 1;
        while self.went_back.last().is_some_and(|(_, last)| !last.is_before(place)) {
            self.went_back.pop();
        }
        self.went_back.push((self.rollbacks, place));
    }
}
