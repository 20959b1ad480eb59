//! Where a transaction is undone: at once if it changed little, else by a thread of its own while the session goes on.
//!
//! Undoing takes as long as doing did, and whoever canceled a statement, or rolls back, is not to wait for that. Nothing of what is being undone is visible to anybody,
//! the session included: what it reads are the versions before. Its row locks are held until it is done, so whoever writes the same rows waits; rows of the catalog
//! are such rows, so a definition that is being undone is changed by nobody else meanwhile. Table and name locks go at once: what they protect from, changes of
//! definitions and of what these rest on, the engine's undo stands (a tree that is dropped meanwhile has nothing to be put back). Rejected: telling the
//! error early and being ready late; clients wait for both.
//!
//! Invariants:
//! 1. When the process ends first, the next start undoes the rest.
//!
//! Must not know: why the transaction ends.

use crate::guard::memory;
use evenkeel::Transaction;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Changes that are undone on the spot: some hundredths of a second's work.
const UNDONE_HERE: u64 = 5_000;
/// Transactions that are undone beside their sessions at the same time; more would take memory and processors from everybody.
const BESIDE_MAX: usize = 4;

static BESIDE: AtomicUsize = AtomicUsize::new(0);

struct Place;

impl Place {
    fn take() -> Option<Place> {
        let free = |n: usize| (n < BESIDE_MAX).then_some(n + 1);
        BESIDE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, free).ok().map(|_| Place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        BESIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Rolls back, beside the session where much was changed.
pub(super) fn roll_back(engine: Transaction) {
    let changes = engine.changes();
    let Some(place) = (changes > UNDONE_HERE).then(Place::take).flatten() else { return undo(engine) };
    tracing::debug!(changes, "a transaction is undone beside its session");
    let beside = move || {
        undo(engine);
        drop(place);
        memory::settle_thread();
    };
    // If there is no thread to be had, dropping the transaction undoes it here.
    if let Err(e) = std::thread::Builder::new().name("rollback".into()).spawn(beside) {
        tracing::debug!(error = %e, "no thread for a rollback");
    }
}

fn undo(engine: Transaction) {
    // A transaction that cannot be rolled back now is by the next start.
    if let Err(e) = engine.rollback() {
        tracing::warn!(error = %e, "rollback failed");
    }
}
