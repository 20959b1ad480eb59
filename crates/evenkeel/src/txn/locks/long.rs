//! Waits for rows that last long, for whoever logs them.
//!
//! Invariants:
//! 1. A wait is told of once when it is seen to last, and once more when its lock is granted; of one that ends otherwise only the first. A wait that nobody asked about costs
//!    nothing here.
//!
//! It must not know: logs, settings.

use super::LockTable;
use crate::base::sync::Instant;
use crate::base::{LockMode, TreeId, TxnId};
use std::collections::HashMap;
use std::time::Duration;

/// A wait for a row that lasts longer than its session wants to hear of, or has ended after it did.
#[derive(Clone, Debug)]
pub struct LongWait {
    /// Who waits, by the number of its interrupt.
    pub session: u64,
    /// How long it has waited.
    pub waited: Duration,
    /// The lock is granted.
    pub granted: bool,
    /// The row, by its tree and key,
    pub tree: TreeId,
    /// see there,
    pub key: Box<[u8]>,
    /// and how it is wanted.
    pub mode: LockMode,
    /// Transactions that hold the row against it; of a granted one whom it waited for.
    pub holders: Vec<TxnId>,
    /// The sessions that wait for the row, in order, as far as they are known.
    pub queue: Vec<u64>,
}

impl LockTable {
    /// What is to be told of waits for rows since the last call, and when there is more at the earliest; `after`: how long the waits of a session last before anything is.
    pub fn long_waits(&self, after: &HashMap<u64, Duration>) -> (Vec<LongWait>, Option<Instant>) {
        let mut guard = self.inner.lock();
        let inner = &mut *guard;
        let mut told = std::mem::take(&mut inner.granted_late);
        let (now, mut next): (_, Option<Instant>) = (Instant::now(), None);
        for row in inner.waits.rows.values() {
            let Some(o) = inner.objects.get_mut(row) else { continue };
            let session_of = |txn: TxnId| inner.waits.session_of.get(&txn).copied();
            for at in 0..o.queue.len() {
                let w = &o.queue[at];
                let Some(session) = session_of(w.txn).filter(|_| w.told.is_none()) else { continue };
                let Some(after) = after.get(&session) else { continue };
                if now < w.since + *after {
                    next = Some(next.map_or(w.since + *after, |n| n.min(w.since + *after)));
                    continue;
                }
                let stand = o.holders.iter().filter(|h| h.stands_against(w.txn, w.mode, w.purpose));
                let holders: Vec<TxnId> = stand.map(|h| h.txn).collect();
                let queue = o.queue.iter().filter_map(|w| session_of(w.txn)).collect();
                told.push(LongWait {
                    session,
                    waited: now - w.since,
                    granted: false,
                    tree: row.tree,
                    key: row.key.clone(),
                    mode: w.mode,
                    holders: holders.clone(),
                    queue,
                });
                o.queue[at].told = Some((session, holders));
            }
        }
        (told, next)
    }
}
