//! The database that is served: a standby's, to be read, until the standby has taken over, and the primary's from then on.
//!
//! Invariants
//! 1. It changes at most once, from a standby's to a primary's.
//!
//! Must not know: who uses it.

use evenkeel::Database;
use std::sync::OnceLock;

/// See above.
pub(crate) struct Served {
    first: Database,
    is_standby: bool,
    promoted: OnceLock<Database>,
}

impl Served {
    pub(crate) fn new(first: Database) -> Served {
        Served { is_standby: first.is_standby(), first, promoted: OnceLock::new() }
    }

    /// The database.
    pub(crate) fn get(&self) -> &Database {
        self.promoted.get().unwrap_or(&self.first)
    }

    /// It can only be read, and changes by others' log.
    pub(crate) fn is_standby(&self) -> bool {
        self.is_standby && self.promoted.get().is_none()
    }

    /// From now on it is this one. Only the first call counts.
    pub(crate) fn promote(&self, database: Database) {
        let _ = self.promoted.set(database);
    }
}
