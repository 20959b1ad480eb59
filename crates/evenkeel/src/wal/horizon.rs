//! How far facts may be told: the one place that answers it (decision 013, 4; design rule "nothing is told that a crash could take back").
//!
//! Whoever tells somebody outside a fact – that a commit happened, a row, that there is none, the number that a sequence gave, an error that gives one of these
//! away – asks here whether the log that the fact rests on may be told. A server alone may tell what is durable in its own log. With synchronous standbys it
//! will be what their quorum has confirmed as well, and this is where that is asked.
//!
//! Invariants
//! 1. [`Horizon::told`] never falls, and what lies before it survives whatever the server promises to survive.
//! 2. Nobody but log, pool, checkpoints and archive asks what is flushed: those need what is on their own disk, and tell nothing.
//!
//! Must not know: what the facts are.

use super::Wal;
use crate::base::sync::Instant;
use crate::base::{Lsn, Result};
use std::sync::Arc;
use std::task::Waker;

/// How far facts may be told.
#[derive(Clone)]
pub struct Horizon {
    wal: Arc<Wal>,
}

impl Horizon {
    /// Of a server whose own log is all that its facts rest on.
    pub fn new(wal: Arc<Wal>) -> Horizon {
        Horizon { wal }
    }

    /// Facts that rest on log before this may be told.
    pub fn told(&self) -> Lsn {
        self.wal.flushed()
    }

    /// Blocks until facts that rest on log up to `lsn` may be told. An error means that it may never be: the engine is poisoned then.
    pub fn wait(&self, lsn: Lsn) -> Result<()> {
        self.wal.flush(lsn)
    }

    /// Blocks until facts that rest on log beyond `at` may be told, or the time has come, or they never will be. Has nothing written. Gives how far it is.
    pub fn wait_beyond(&self, at: Lsn, until: Instant) -> Lsn {
        self.wal.wait_flushed_beyond(at, until)
    }

    /// Registers a task to be woken once facts that rest on log up to `lsn` may be told. True if they may be already, or never will be: then
    /// [`Horizon::wait`] says why.
    pub fn wake_when_told(&self, lsn: Lsn, waker: &Waker) -> bool {
        self.wal.wake_when_flushed(lsn, waker)
    }
}
