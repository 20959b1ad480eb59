//! Waits for rows as views see them.
//!
//! It must not know: sessions but by their numbers.

use super::{Inner, LockTable, Waiter};
use crate::base::sync::Instant;
use crate::base::{LockMode, TreeId, TxnId};

/// A wait for a row at a moment.
#[derive(Clone, Debug)]
pub struct RowWait {
    /// Who waits, by the number of its interrupt,
    pub session: u64,
    /// and its transaction.
    pub txn: TxnId,
    /// Since when.
    pub since: Instant,
    /// The row, by its tree and key,
    pub tree: TreeId,
    /// see there,
    pub key: Box<[u8]>,
    /// and how it is wanted.
    pub mode: LockMode,
    /// Transactions that hold the row against it,
    pub holders: Vec<TxnId>,
    /// and those that wait for it before it.
    pub ahead: Vec<TxnId>,
}

impl LockTable {
    /// Sessions that wait for a row now, by the numbers of their interrupts, as far as they are known.
    pub fn waiting_sessions(&self) -> Vec<u64> {
        let inner = self.inner.lock();
        inner.waits.rows.keys().filter_map(|txn| inner.waits.session_of.get(txn).copied()).collect()
    }

    /// Who waits for a row now, as far as the sessions are known.
    pub fn row_waits(&self) -> Vec<RowWait> {
        if self.waiters() == 0 {
            return Vec::new();
        }
        let inner = self.inner.lock();
        inner.waits.rows.keys().filter_map(|txn| inner.row_wait(*txn)).collect()
    }
}

impl Inner {
    fn row_wait(&self, txn: TxnId) -> Option<RowWait> {
        let session = *self.waits.session_of.get(&txn)?;
        let row = self.waits.rows.get(&txn)?;
        let Waiter { since, mode, .. } = *self.objects.get(row)?.queue.iter().find(|w| w.txn == txn)?;
        let (mut holders, mut ahead) = (Vec::new(), Vec::new());
        self.row_blockers(txn, |by, queued| if queued { ahead.push(by) } else { holders.push(by) });
        Some(RowWait { session, txn, since, tree: row.tree, key: row.key.clone(), mode, holders, ahead })
    }
}
