//! What a snapshot sees.

use super::manager::TxnManager;
use crate::base::TxnId;
use std::sync::Arc;

/// The transactions that had committed at a moment. Registered with the manager while it lives, so that the versions it needs are kept.
pub struct Snapshot {
    pub(super) manager: Arc<TxnManager>,
    /// Ids from here on are not seen.
    pub(super) end: u64,
    /// Ids below `end` that were active, ascending.
    pub(super) active: Box<[u64]>,
    /// Number of commits before it.
    pub(super) commits: u64,
    pub(super) definitions: u64,
}

impl Snapshot {
    /// Whether it sees what the transaction wrote.
    pub fn sees(&self, id: TxnId) -> bool {
        id.0 < self.end
            && match self.active.first() {
                Some(&oldest) if id.0 >= oldest => self.active.binary_search(&id.0).is_err(),
                _ => true,
            }
            && !self.manager.late().hides(id.0, self.commits)
    }

    /// Commits before it, counted from the start of a standby, that changed definitions: two snapshots with the same number see the same definitions.
    pub fn definitions(&self) -> u64 {
        self.definitions
    }

    /// Whether the versions that it needs may be gone.
    pub fn is_too_old(&self) -> bool {
        self.manager.expired(self.commits)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.manager.unregister_snapshot(self.commits);
    }
}
