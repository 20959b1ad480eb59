//! Lets readers of a standby in between the waves that replay applies (decision 013, 12).
//!
//! A wave changes pages one by one, on several threads: between its first and its last change a tree may have a link to a page that is not made yet. So nobody is
//! inside a tree meanwhile. What a reader takes from one way in to the next is copies and keys, which every state of the tree has an answer to.
//!
//! Invariants
//! 1. Nobody who is inside waits for replay, or goes in once more.
//! 2. Once `shut` has returned nobody is inside, and nobody comes in any more.
//!
//! Must not know: what a wave is.

use crate::base::sync::counter::{AtomicU64, Ordering};
use crate::base::sync::{Instant, RwLock, RwLockReadGuard};
use crate::base::{Error, Result};

/// See above.
pub struct Gate {
    /// Why nobody is let in.
    shut: RwLock<Option<Error>>,
    /// How often it was closed, for how long in all, and at most.
    times: AtomicU64,
    held_us: AtomicU64,
    held_max_us: AtomicU64,
}

/// Somebody is inside.
pub struct Inside<'g> {
    _gate: RwLockReadGuard<'g, Option<Error>>,
}

/// How readers were held up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GateStats {
    /// How often.
    pub times: u64,
    /// For how long in all, microseconds.
    pub held_us: u64,
    /// And at most.
    pub held_max_us: u64,
}

impl Gate {
    /// Shut, for this reason.
    pub fn new(why: Error) -> Gate {
        Gate {
            shut: RwLock::new(Some(why)),
            times: AtomicU64::new(0),
            held_us: AtomicU64::new(0),
            held_max_us: AtomicU64::new(0),
        }
    }

    /// Lets readers in from now on.
    pub fn open(&self) {
        *self.shut.write() = None;
    }

    /// Lets nobody in any more. Blocks until all have left (invariant 2).
    pub fn shut(&self, why: Error) {
        *self.shut.write() = Some(why);
    }

    /// Whether readers are let in, now and then.
    pub fn is_open(&self) -> bool {
        self.shut.read().is_none()
    }

    /// Goes in. Blocks while a wave is applied.
    pub fn enter(&self) -> Result<Inside<'_>> {
        let gate = self.shut.read();
        match &*gate {
            Some(why) => Err(why.clone()),
            None => Ok(Inside { _gate: gate }),
        }
    }

    /// Does something while nobody is inside. If it fails nobody comes in any more.
    pub fn while_closed<R>(&self, f: impl FnOnce() -> Result<R>) -> Result<R> {
        let mut shut = self.shut.write();
        let began = Instant::now();
        // Also when it panics: what was half done is for nobody.
        let before = shut.replace(Error::Closed);
        let done = f();
        *shut = match &done {
            Ok(_) => before,
            Err(e) => Some(e.clone()),
        };
        let us = began.elapsed().as_micros() as u64;
        self.times.fetch_add(1, Ordering::Relaxed);
        self.held_us.fetch_add(us, Ordering::Relaxed);
        self.held_max_us.fetch_max(us, Ordering::Relaxed);
        done
    }

    /// How readers were held up.
    pub fn stats(&self) -> GateStats {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
        GateStats { times: n(&self.times), held_us: n(&self.held_us), held_max_us: n(&self.held_max_us) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn nobody_comes_in_behind_what_was_half_done() {
        let gate = Gate::new(Error::Closed);
        assert!(gate.enter().is_err());
        gate.open();
        assert!(gate.enter().is_ok());
        gate.while_closed(|| Ok(())).unwrap();
        assert!(gate.is_open() && gate.stats().times == 1);
        gate.while_closed(|| Err::<(), _>(Error::Canceled)).unwrap_err();
        assert!(matches!(gate.enter().err(), Some(Error::Canceled)));
        gate.open();
        let panicked =
            catch_unwind(AssertUnwindSafe(|| gate.while_closed(|| -> Result<()> { panic!("half done") })));
        assert!(panicked.is_err() && !gate.is_open());
        // Shut it stays shut.
        gate.while_closed(|| Ok(())).unwrap();
        assert!(!gate.is_open());
    }
}
