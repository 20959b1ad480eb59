//! What the log says of transactions and of numbers in use.
//!
//! Must not know: pages.

use crate::base::{Error, Lsn, Result, TxnId};
use crate::checkpoint::RoundRecord;
use crate::control::ControlData;
use crate::pool::PageIdHasher;
use crate::store::created_tree;
use crate::txn::ActiveTxn;
use crate::wal::record::{Kind, Record};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Where a transaction began whose first record was not met. No record is there.
const UNKNOWN: Lsn = Lsn::ZERO;

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
        // A small tree has no file.
        if rec.txn.is_some()
            && let Some(tree) = created_tree(rec.undo)?
        {
            self.next_tree = self.next_tree.max(tree.0.saturating_add(1));
        }
        let Some(t) = rec.txn.filter(|_| rec.lsn >= self.tracked_from) else { return Ok(()) };
        self.next_txn = self.next_txn.max(t.id.0 + 1);
        match rec.kind {
            Kind::Commit | Kind::Abort => _ = self.active.remove(&t.id),
            _ => match self.active.get_mut(&t.id) {
                Some(active) => active.last = rec.lsn,
                None => {
                    // One that began before and has ended when the round record's table was captured: its end comes.
                    let first = if t.prev == 0 { rec.lsn } else { UNKNOWN };
                    _ = self.active.insert(t.id, ActiveTxn { id: t.id, first, last: rec.lsn });
                }
            },
        }
        Ok(())
    }

    /// Transactions to undo, the youngest first.
    pub fn losers(self) -> Result<Vec<ActiveTxn>> {
        let mut losers: Vec<ActiveTxn> = self.active.into_values().collect();
        if let Some(t) = losers.iter().find(|t| t.first == UNKNOWN) {
            return Err(Error::corrupt(format!("transaction {} has no first record", t.id.0)));
        }
        losers.sort_unstable_by_key(|t| std::cmp::Reverse(t.id));
        Ok(losers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{FileId, PageId, PartitionCount};
    use crate::control::{Role, TornPageProtection};
    use crate::wal::record::{TxnLink, put_block, put_change_head};

    const BEGIN: Lsn = Lsn(5000);

    fn control() -> ControlData {
        ControlData {
            database_id: 1,
            segment_bytes: 1 << 16,
            partitions: PartitionCount::new(1).unwrap(),
            clean: false,
            complete: true,
            role: Role::Primary,
            received: Lsn::ZERO,
            whole_at: Lsn::ZERO,
            whole_life: 0,
            replayed_to_ms: 0,
            told: Lsn::ZERO,
            protection: TornPageProtection::Off,
            double_write_life: 0,
            round: Lsn(6000),
            log_needed: Lsn(4000),
            next_file: 3,
            next_txn: 10,
            end: Lsn::ZERO,
            end_incarnation: 0,
            epoch: 0,
            redo: vec![Lsn(4000)],
        }
    }

    fn round(active: &[u64]) -> RoundRecord {
        let active =
            active.iter().map(|id| ActiveTxn { id: TxnId(*id), first: Lsn(4100), last: Lsn(4200) }).collect();
        RoundRecord { begin: BEGIN, redo: vec![Lsn(4000)], next_txn: 20, next_tree: 7, active, quiet: None }
    }

    /// A record of a transaction; `prev` as in [`TxnLink`].
    fn record(kind: Kind, lsn: u64, id: u64, prev: u64) -> Record<'static> {
        let txn = Some(TxnLink { id: TxnId(id), prev, undo_next: None });
        Record { lsn: Lsn(lsn), end: Lsn(lsn + 50), kind, txn, undo: &[], blocks: Vec::new(), payload: &[] }
    }

    fn losers(records: &[Record<'_>], active: &[u64]) -> Vec<(u64, u64)> {
        let mut a = Analysis::new(&control(), Some(round(active)));
        records.iter().for_each(|r| a.record(r).unwrap());
        a.losers().unwrap().iter().map(|t| (t.id.0, t.last.0)).collect()
    }

    /// The table of the round record was captured at its `begin`: a record there is behind it, one before is in it.
    #[test]
    fn the_round_records_table_counts_for_what_lies_before_its_begin_and_nothing_else() {
        assert_eq!(losers(&[record(Kind::Change, BEGIN.0, 20, 0)], &[]), [(20, BEGIN.0)]);
        assert_eq!(losers(&[record(Kind::Commit, BEGIN.0, 12, 101)], &[12]), []);
        // Its commit lies before the table, which does not have it.
        assert_eq!(losers(&[record(Kind::Change, BEGIN.0 - 50, 12, 0)], &[]), []);
        // In the middle of a transaction whose beginning was not read.
        assert_eq!(losers(&[record(Kind::Change, BEGIN.0 - 50, 12, 101)], &[12]), [(12, 4200)]);
    }

    #[test]
    fn a_loser_is_who_began_and_has_not_ended() {
        let log = [
            record(Kind::Change, 5100, 20, 0),
            record(Kind::Change, 5200, 21, 0),
            record(Kind::Change, 5300, 22, 0),
            record(Kind::Change, 5400, 20, 1),
            record(Kind::Commit, 5500, 21, 1),
            record(Kind::Abort, 5600, 22, 1),
        ];
        assert_eq!(losers(&log, &[12]), [(20, 5400), (12, 4200)], "the youngest first");
        let mut a = Analysis::new(&control(), Some(round(&[])));
        a.record(&record(Kind::Change, 5100, 20, 1)).unwrap();
        assert!(a.losers().is_err(), "its first record is missing");
        // The table was captured behind the begin, to be shorter: who had ended by then is not in it.
        assert_eq!(losers(&[record(Kind::Change, 5100, 20, 1), record(Kind::Commit, 5200, 20, 1)], &[]), []);
    }

    /// A number that anything in the log bears is not given a second time, whoever knows of it: the control file, the round record, its table or a record.
    #[test]
    fn numbers_in_use_are_not_given_again() {
        let next = |control: &ControlData, round, records: &[Record<'_>]| {
            let mut a = Analysis::new(control, round);
            records.iter().for_each(|r| a.record(r).unwrap());
            (a.next_txn, a.next_tree)
        };
        assert_eq!(next(&control(), None, &[]), (10, 3), "the control file");
        assert_eq!(next(&control(), Some(round(&[])), &[]), (20, 7), "the round record");
        assert_eq!(next(&control(), Some(round(&[25])), &[]), (26, 7), "its table");
        let later = ControlData { next_txn: 90, next_file: 80, ..control() };
        assert_eq!(next(&later, Some(round(&[25])), &[]), (90, 80), "whoever knows most");
        assert_eq!(
            next(&control(), Some(round(&[])), &[record(Kind::Change, 5100, 30, 0)]).0,
            31,
            "a record"
        );
        // Also before the table: its transaction has ended, its file is there.
        let mut body = Vec::new();
        put_change_head(&mut body, None, &[], 1);
        put_block(&mut body, PageId::new(FileId(40), 9), true, false, false, None, b"ops");
        let before = Record::decode(&body, Lsn(4500), Lsn(4600)).unwrap();
        assert_eq!(next(&control(), Some(round(&[])), &[before]).1, 41, "a page");
    }
}
