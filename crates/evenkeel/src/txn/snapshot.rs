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
    /// Ids below `end` from which on nobody had ended who is in the log.
    pub(super) ended_below: u64,
    /// Number of commits before it.
    pub(super) commits: u64,
    pub(super) definitions: u64,
}

impl Snapshot {
    /// How many transactions had committed before it.
    pub fn commits(&self) -> u64 {
        self.commits
    }

    /// Whether it sees what the transaction wrote.
    pub fn sees(&self, id: TxnId) -> bool {
        id.0 < self.end
            && match self.active.first() {
                Some(&oldest) if id.0 >= oldest => self.active.binary_search(&id.0).is_err(),
                _ => true,
            }
            && !self.manager.late().hides(id.0, self.commits)
    }

    /// Whoever has an id below this had ended.
    pub fn oldest(&self) -> u64 {
        self.active.first().copied().unwrap_or(self.end)
    }

    /// What it sees, told by ids; of a primary.
    pub fn ids(&self) -> SnapshotIds {
        let active = self.active.iter().copied().take_while(|id| *id < self.ended_below);
        SnapshotIds { end: self.ended_below, active: active.collect() }
    }

    /// What it sees, told by ids; of a standby. Ids that may still come, of whoever was at work at the snapshot's place in the log and has changed nothing so far, are
    /// among those at work. `None`: the log has not said yet which these are.
    pub fn replayed_ids(&self) -> Option<SnapshotIds> {
        let mut active = self.manager.unseen(self.ended_below, self.commits)?;
        active.extend(self.active.iter().copied().take_while(|id| *id < self.ended_below));
        active.sort_unstable();
        active.dedup();
        Some(SnapshotIds { end: self.ended_below, active })
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

/// What a snapshot sees, told by ids alone, for who keeps that longer than the snapshot, and longer than the server runs.
///
/// Its end is not the next id: ids of transactions that logged nothing are given out again after a crash, and whoever has one then must not count as seen. All that it
/// counts as seen had their ends, or changes, in the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SnapshotIds {
    /// Whoever has an id from here on had changed nothing that others could see.
    pub end: u64,
    /// Ids below it of those that were at work, ascending.
    pub active: Vec<u64>,
}

impl SnapshotIds {
    /// Whether the snapshot sees what the transaction changed, if that committed.
    pub fn sees(&self, id: u64) -> bool {
        id < self.end && self.active.binary_search(&id).is_err()
    }

    /// Whoever has an id below this had ended.
    pub fn oldest(&self) -> u64 {
        self.active.first().copied().unwrap_or(self.end)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.manager.unregister_snapshot(self.commits);
    }
}
