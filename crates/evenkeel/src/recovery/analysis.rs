//! What the log says of transactions and of numbers in use.
//!
//! Must not know: pages.

use crate::base::{Error, Lsn, Result, TxnId};
use crate::checkpoint::RoundRecord;
use crate::control::ControlData;
use crate::pool::PageIdHasher;
use crate::txn::ActiveTxn;
use crate::wal::record::{Kind, Record};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Transactions that have begun and not ended, and the next numbers, as of the last record seen.
pub(super) struct Analysis {
    active: HashMap<TxnId, ActiveTxn, BuildHasherDefault<PageIdHasher>>,
    /// Transactions are tracked from here on; before, the round record's table counts.
    tracked_from: Lsn,
    pub next_txn: u64,
    pub next_tree: u64,
}

impl Analysis {
    /// As of the round record, if there is one, else from the first record on.
    pub fn new(control: &ControlData, round: Option<RoundRecord>) -> Analysis {
        let mut a = Analysis {
            active: HashMap::default(),
            tracked_from: Lsn::ZERO,
            next_txn: control.next_txn,
            next_tree: control.next_file,
        };
        if let Some(round) = round {
            a.tracked_from = round.begin;
            let after_active = round.active.iter().map(|t| t.id.0 + 1).max().unwrap_or(0);
            a.next_txn = a.next_txn.max(round.next_txn).max(after_active);
            a.next_tree = a.next_tree.max(round.next_tree);
            a.active.extend(round.active.into_iter().map(|t| (t.id, t)));
        }
        a
    }

    /// Takes note of a record.
    pub fn record(&mut self, rec: &Record<'_>) -> Result<()> {
        for block in &rec.blocks {
            self.next_tree = self.next_tree.max(block.page.file.0 + 1);
        }
        let Some(t) = rec.txn.filter(|_| rec.lsn >= self.tracked_from) else { return Ok(()) };
        self.next_txn = self.next_txn.max(t.id.0 + 1);
        match rec.kind {
            Kind::Commit | Kind::Abort => _ = self.active.remove(&t.id),
            _ => match self.active.get_mut(&t.id) {
                Some(active) => active.last = rec.lsn,
                None if t.prev != 0 => {
                    return Err(Error::Corrupt(format!("transaction {} has no first record", t.id.0)));
                }
                None => {
                    _ = self.active.insert(t.id, ActiveTxn { id: t.id, first: rec.lsn, last: rec.lsn });
                }
            },
        }
        Ok(())
    }

    /// Transactions to undo, the youngest first.
    pub fn losers(self) -> Vec<ActiveTxn> {
        let mut losers: Vec<ActiveTxn> = self.active.into_values().collect();
        losers.sort_unstable_by_key(|t| std::cmp::Reverse(t.id));
        losers
    }
}
