//! Where a transaction is undone: at once if it changed little, else by a thread of its own while the session goes on.
//!
//! Undoing takes as long as doing did, and whoever canceled a statement, or rolls back, is not to wait for that. Nothing of what is being undone is visible to anybody,
//! the session included: what it reads are the versions before. Its row locks are held until it is done, so whoever writes the same rows waits; rows of the catalog
//! are such rows, so a definition that is being undone is changed by nobody else meanwhile. Table and name locks go at once: what they protect from, changes of
//! definitions and of what these rest on, the engine's undo stands (a tree that is dropped meanwhile has nothing to be put back). Rejected: telling the
//! error early and being ready late; clients wait for both.
//!
//! A statement that fails behind a savepoint is undone the same way; the session waits for that when it goes back to the savepoint, as it has to, and not when it
//! rolls back everything.
//!
//! Invariants:
//! 1. When the process ends first, the next start undoes the rest.
//!
//! Must not know: why the transaction ends.

use evenkeel::{Savepoint, Transaction};
use evenkeel_types::guard::memory;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SendError, channel};

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

/// A transaction that goes back to a savepoint, beside its session.
pub(super) struct Undoing(Receiver<Transaction>);

impl Undoing {
    /// Waits until it is there. `None`: it could not be kept, and is rolled back.
    pub fn wait(self) -> Option<Transaction> {
        self.0.recv().ok()
    }
}

/// Undoes what was done since the savepoint; where that is much, beside the session. Whoever lets go of the result meanwhile has all of the transaction rolled back.
pub(super) fn roll_back_to(mut engine: Transaction, to: Savepoint) -> Result<Transaction, Undoing> {
    let changes = engine.changes_since(to);
    let Some(place) = (changes > UNDONE_HERE).then(Place::take).flatten() else {
        undo_to(&mut engine, to);
        return Ok(engine);
    };
    tracing::debug!(changes, "a transaction goes back to a savepoint beside its session");
    let (done, is_done) = channel();
    let beside = move || {
        undo_to(&mut engine, to);
        if let Err(SendError(unwanted)) = done.send(engine) {
            undo(unwanted);
        }
        drop(place);
        memory::settle_thread();
    };
    if let Err(e) = std::thread::Builder::new().name("rollback".into()).spawn(beside) {
        tracing::warn!(error = %e, "no thread for a rollback to a savepoint: the whole transaction is rolled back");
    }
    Err(Undoing(is_done))
}

fn undo_to(engine: &mut Transaction, to: Savepoint) {
    if let Err(e) = engine.rollback_to(to) {
        tracing::warn!(error = %e, "rollback to a savepoint failed");
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
