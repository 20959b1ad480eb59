//! The round record's payload: begin LSN varint; number of partitions varint, redo LSN of each varint; next transaction id varint; next tree id
//! varint; number of transactions varint, then (id varint, LSN of its first record varint, bytes from there to its latest record varint)
//! each.

use crate::base::codec::{Reader, put_varint};
use crate::base::{Lsn, MAX_FILE_ID, PartitionCount, Result, TxnId};
use crate::txn::ActiveTxn;

/// What a round record says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoundRecord {
    /// Analysis starts here: the table was captured at this end of the log.
    pub begin: Lsn,
    /// Redo vector.
    pub redo: Vec<Lsn>,
    /// Next transaction id.
    pub next_txn: u64,
    /// Next tree id.
    pub next_tree: u64,
    /// Active transactions that have logged something.
    pub active: Vec<ActiveTxn>,
}

impl RoundRecord {
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
        Ok(RoundRecord { begin, redo, next_txn, next_tree, active })
    }
}
