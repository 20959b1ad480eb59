//! What a deadlock consists of, so that an error can say it.
//!
//! Must not know: lock tables, who searches them.

use super::ids::TreeId;
use std::sync::Arc;

/// How a row is locked; the conflict table is PostgreSQL's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum LockMode {
    /// A referencing row exists: the key must stay.
    KeyShare,
    /// Nobody may change it.
    Share,
    /// It is being changed, its key is not.
    NoKeyUpdate,
    /// It is being deleted, inserted, or its key changed.
    Update,
}

impl LockMode {
    /// Whether two transactions may not hold these at once.
    pub fn conflicts(self, other: LockMode) -> bool {
        use LockMode::*;
        match self {
            KeyShare => other == Update,
            Share => other >= NoKeyUpdate,
            NoKeyUpdate => other >= Share,
            Update => true,
        }
    }
}

/// A circle of waits, found when its first party began to wait: each waits for the next, the last for the first. Never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circle(pub Arc<[Party]>);

/// Who waits in a circle, and for what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Party {
    /// Its transaction's id, if it has one.
    pub txn: Option<u64>,
    /// The number of its session's interrupt, as far as that is known.
    pub session: Option<u64>,
    /// The row that it waits for; `None`: a lock of the layer above.
    pub row: Option<AwaitedRow>,
}

/// A row that is waited for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AwaitedRow {
    /// Its tree,
    pub tree: TreeId,
    /// its key,
    pub key: Box<[u8]>,
    /// and how it is wanted.
    pub mode: LockMode,
    /// Nobody who holds it is waited for, but one who waits for it, too, and came before.
    pub is_queued: bool,
}
