//! The round record's payload: begin LSN varint; number of partitions varint, redo LSN of each varint; next transaction id varint; next tree id
//! varint; number of transactions varint, then (id varint, LSN of its first record varint, bytes from there to its latest record varint)
//! each; then, if it is known, the id up to which it says who is at work without having logged anything varint, number of these varint, id varint each.

use crate::base::codec::{Reader, put_varint};
use crate::base::{Lsn, MAX_FILE_ID, PartitionCount, Result, TxnId};
use crate::txn::ActiveTxn;

/// The longest varint, in bytes.
const VARINT_BYTES_MAX: usize = 10;
/// Everything but redo points and transactions, the record's own head included, at most.
const HEAD_BYTES_MAX: usize = 64 + 5 * VARINT_BYTES_MAX;

/// What a round record says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoundRecord {
    /// Analysis starts here: everybody who had begun before and not ended is in the table, which was captured here or, if it would have been too long, later.
    pub begin: Lsn,
    /// Redo vector.
    pub redo: Vec<Lsn>,
    /// Next transaction id.
    pub next_txn: u64,
    /// Next tree id.
    pub next_tree: u64,
    /// Active transactions that have logged something.
    pub active: Vec<ActiveTxn>,
    /// Those that have not; `None`: it does not say.
    pub quiet: Option<Quiet>,
}

/// Who was at work where a round record begins, and had logged nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quiet {
    /// Of the ids below this
    pub below: u64,
    /// only these may have their first record later.
    pub ids: Vec<u64>,
}

impl RoundRecord {
    /// Keeps the payload below `bytes_max`: what the table has no room for, analysis finds in the log by beginning there, where the eldest left out did.
    /// The log is kept from there on anyway, as it has been needed for their rollback.
    pub fn shorten(&mut self, bytes_max: usize) {
        let mut room = bytes_max.saturating_sub(HEAD_BYTES_MAX + self.redo.len() * VARINT_BYTES_MAX);
        // Nobody needs to know: the next record may say it.
        let quiet_bytes = |q: &Quiet| (q.ids.len() + 2) * VARINT_BYTES_MAX;
        self.quiet.take_if(|q| quiet_bytes(q) > room / 4);
        room -= self.quiet.as_ref().map_or(0, quiet_bytes);
        let kept = room / (3 * VARINT_BYTES_MAX);
        if self.active.len() <= kept {
            return;
        }
        self.active.sort_unstable_by_key(|t| t.first);
        let left_out = self.active.split_off(kept);
        self.begin = self.begin.min(left_out[0].first);
    }

    /// Appends the payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_varint(out, self.begin.0);
        put_varint(out, self.redo.len() as u64);
        self.redo.iter().for_each(|l| put_varint(out, l.0));
        put_varint(out, self.next_txn);
        put_varint(out, self.next_tree);
        put_varint(out, self.active.len() as u64);
        for t in &self.active {
            put_varint(out, t.id.0);
            put_varint(out, t.first.0);
            put_varint(out, t.last.0 - t.first.0);
        }
        if let Some(q) = &self.quiet {
            put_varint(out, q.below);
            put_varint(out, q.ids.len() as u64);
            q.ids.iter().for_each(|id| put_varint(out, *id));
        }
    }

    /// Reads a payload.
    pub fn decode(payload: &[u8]) -> Result<RoundRecord> {
        let mut r = Reader::new(payload, "round record");
        let begin = Lsn(r.varint()?);
        let n = r.varint_max(PartitionCount::MAX)?;
        let redo = (0..n).map(|_| r.varint().map(Lsn)).collect::<Result<_>>()?;
        let (next_txn, next_tree) = (r.varint()?, r.varint()?);
        let n = r.varint_max(r.rest().len())?;
        let mut active = Vec::new();
        for _ in 0..n {
            let (id, first) = (TxnId(r.varint()?), Lsn(r.varint()?));
            let last = Lsn(first.0.saturating_add(r.varint()?));
            active.push(ActiveTxn { id, first, last });
        }
        if next_txn > TxnId::MAX.0 + 1 || next_tree > MAX_FILE_ID || active.iter().any(|t| t.id >= TxnId::MAX)
        {
            return Err(r.bad("an id is out of range"));
        }
        // Older versions do not say it.
        let mut quiet = None;
        if !r.is_empty() {
            let (below, n) = (r.varint()?, r.varint_max(r.rest().len())?);
            quiet = Some(Quiet { below, ids: (0..n).map(|_| r.varint()).collect::<Result<_>>()? });
        }
        Ok(RoundRecord { begin, redo, next_txn, next_tree, active, quiet })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_too_long_leaves_out_who_began_last_and_analysis_begins_with_them() {
        let txn = |n: u64| ActiveTxn { id: TxnId(n), first: Lsn((1 << 60) + n), last: Lsn(1 << 61) };
        let whole = RoundRecord {
            begin: Lsn(1 << 61),
            redo: vec![Lsn(1 << 60); PartitionCount::MAX],
            next_txn: 50_000,
            next_tree: 99,
            active: (0..20_000).rev().map(txn).collect(),
            quiet: Some(Quiet { below: 50_000, ids: (30_000..30_100).collect() }),
        };
        for max in [2_000, 100_000, 1 << 20, 1 << 24] {
            let mut short = whole.clone();
            short.shorten(max);
            let mut bytes = Vec::new();
            short.encode(&mut bytes);
            assert!(bytes.len() <= max, "{} of {max}", bytes.len());
            let (kept, all) = (short.active.len() as u64, whole.active.len() as u64);
            assert!(
                short.active.iter().all(|t| t.id.0 < kept) && (max < 1 << 20 || kept == all),
                "{max}: {kept}"
            );
            assert_eq!(short.quiet.is_some(), max > 2_000);
            assert_eq!(RoundRecord::decode(&bytes).unwrap(), short);
            assert_eq!(short.begin, if kept < all { txn(kept).first } else { whole.begin });
        }
    }
}
