//! What a standby's readers want is kept here: a follower names the place in the log up to which its oldest reader sees everything, and what was replaced or deleted behind
//! that stays, as if a snapshot of that moment were here (decision 013, 13).
//!
//! A place in the log becomes a number of commits by samples, taken while the log is sent: the newest one that lies before the place. So a little too much is kept, and never
//! too little.
//!
//! Invariants
//! 1. A sample's commits have their records before its place.
//! 2. What a follower that goes has said stays in its slot (`slots.rs`), and so does, after a start of this server, that it has said something: all is kept until it says it anew.
//!
//! Must not know: who follows, how it is told.

use super::core::Core;
use super::slots::Wish;
use crate::base::Lsn;
use crate::base::sync::{Instant, Mutex};
use crate::txn::TxnManager;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Time between samples, at least.
const SAMPLE: Duration = Duration::from_millis(5);
/// Samples that are kept; of more, each second goes.
const SAMPLES_MAX: usize = 4096;

#[derive(Default)]
struct State {
    /// Places, and commits before them; ascending. Before the first nothing is known.
    samples: VecDeque<(Lsn, u64)>,
    sampled: Option<Instant>,
    held: Option<Hold>,
}

/// Keeps what a snapshot of this number of commits would, until it is dropped.
pub struct Hold {
    txns: Arc<TxnManager>,
    commits: u64,
}

impl Hold {
    pub(super) fn new(txns: Arc<TxnManager>, commits: u64) -> Hold {
        txns.hold(commits);
        Hold { txns, commits }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.txns.unhold(self.commits);
    }
}

/// What one follower's readers want. Kept until it is dropped.
pub struct Feedback(Who);

enum Who {
    /// A primary keeps it itself.
    Keeps(Keeper),
    /// A standby tells whom it follows.
    HandsOn(Wish),
}

struct Keeper {
    core: Arc<Core>,
    state: Mutex<State>,
}

impl Feedback {
    pub(super) fn kept(core: Arc<Core>) -> Feedback {
        Feedback(Who::Keeps(Keeper { core, state: Mutex::default() }))
    }

    pub(super) fn handed_on(wish: Wish) -> Feedback {
        Feedback(Who::HandsOn(wish))
    }

    /// To be called now and then while log is sent. Costs next to nothing.
    pub fn sample(&self) {
        if let Who::Keeps(keeper) = &self.0 {
            keeper.sample();
        }
    }

    /// The follower's readers see all before this place, and want what was there then.
    pub fn heard(&self, wanted_from: Lsn) {
        match &self.0 {
            Who::Keeps(keeper) => keeper.heard(wanted_from),
            Who::HandsOn(wish) => wish.set(wanted_from),
        }
    }

    /// What it keeps here, for whoever keeps that on.
    pub fn into_hold(self) -> Option<Hold> {
        match self.0 {
            Who::Keeps(keeper) => keeper.state.into_inner().held,
            Who::HandsOn(_) => None,
        }
    }
}

impl Keeper {
    fn sample(&self) {
        let mut state = self.state.lock();
        if state.sampled.is_some_and(|at| at.elapsed() < SAMPLE) {
            return;
        }
        state.sampled = Some(Instant::now());
        let commits = self.core.store.txns.commits(); // first (invariant 1)
        let at = self.core.env.wal.next_lsn();
        if state.samples.back().is_some_and(|(before, _)| *before == at) {
            return;
        }
        state.samples.push_back((at, commits));
        if state.samples.len() > SAMPLES_MAX {
            let mut n = 0;
            state.samples.retain(|_| {
                n += 1;
                n % 2 == 0
            });
        }
    }

    fn heard(&self, wanted_from: Lsn) {
        let mut state = self.state.lock();
        let known = state.samples.partition_point(|(at, _)| *at <= wanted_from);
        // Of what lies before the first sample all is kept that is there.
        let commits = known.checked_sub(1).map_or(0, |i| state.samples[i].1);
        // The one that was found may be asked for again.
        state.samples.drain(..known.saturating_sub(1));
        if state.held.as_ref().is_none_or(|held| held.commits != commits) {
            // The new one is there before the old one goes.
            state.held = Some(Hold::new(self.core.store.txns.clone(), commits));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Database, Options};
    use crate::io::{SimDisk, SimOptions};
    use crate::store::{FIRST_USER_TREE, TxnOptions};

    fn commit(db: &Database, n: u8) -> Lsn {
        let mut t = db.begin(TxnOptions::default());
        t.put(FIRST_USER_TREE, b"key", &[n]).unwrap();
        t.commit().unwrap()
    }

    #[test]
    fn what_was_replaced_behind_the_place_is_kept_and_no_longer() {
        let disk = Arc::new(SimDisk::new(SimOptions::default()));
        let db = Database::open_on(disk, Options::default().without_threads().with_seed(1)).unwrap();
        let delete = |key: &[u8]| {
            let mut t = db.begin(TxnOptions::default());
            t.remove(FIRST_USER_TREE, key).unwrap();
            t.commit().unwrap()
        };
        commit(&db, 1);
        let feedback = db.upstream().feedback();
        let purged = || {
            while db.step_purge().unwrap() > 0 {}
            db.max_key(FIRST_USER_TREE).unwrap().is_none()
        };
        // Nothing is known of the place: all is kept.
        feedback.heard(Lsn(1));
        delete(b"key");
        assert!(!purged());
        feedback.sample();
        let sampled = db.insert_lsn();
        feedback.heard(Lsn(sampled.0 - 1));
        assert!(!purged(), "the delete lies behind the place, for all that is known");
        feedback.heard(sampled);
        assert!(purged());
        // The follower has gone.
        commit(&db, 2);
        feedback.heard(sampled);
        delete(b"key");
        assert!(!purged());
        drop(feedback);
        assert!(purged());
    }
}
