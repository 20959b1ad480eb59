//! The round record's payload: begin LSN varint; number of partitions varint, redo LSN of each varint; next transaction id varint; next tree id
//! varint; number of transactions varint, then (id varint, LSN of its latest record varint) each.

use crate::base::codec::{Reader, put_varint};
use crate::base::{Lsn, MAX_FILE_ID, PartitionCount, Result, TxnId};

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
    /// Active transactions with the LSN of their latest record.
    pub active: Vec<(TxnId, Lsn)>,
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
        for (id, last) in &self.active {
            put_varint(out, id.0);
            put_varint(out, last.0);
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
        let active: Vec<(TxnId, Lsn)> =
            (0..n).map(|_| Ok((TxnId(r.varint()?), Lsn(r.varint()?)))).collect::<Result<_>>()?;
        if next_txn > TxnId::MAX.0 + 1
            || next_tree > MAX_FILE_ID
            || active.iter().any(|(t, _)| *t >= TxnId::MAX)
        {
            return Err(r.bad("an id is out of range"));
        }
        Ok(RoundRecord { begin, redo, next_txn, next_tree, active })
    }
}
