//! How far a redo goes.
//!
//! Must not know: pages; where the log comes from.

use crate::base::{Lsn, TxnId};
use crate::wal::record::{Kind, Record};

/// Where a redo ends. Transactions that have not committed by then are rolled back.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Target {
    /// At the end of the log.
    #[default]
    Latest,
    /// With the last record that ends at or before this position.
    Lsn(Lsn),
    /// Before the first commit that is later than this: milliseconds since the Unix epoch.
    TimeMs(u64),
    /// With this transaction's commit.
    Txn(TxnId),
    /// With the first restore point of this name.
    Name(String),
}

/// What a target says about a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is redone, and so is what follows.
    GoOn,
    /// It is the last that is redone.
    Last,
    /// The one before it was the last.
    Stop,
}

impl Target {
    /// Whether a record is redone.
    pub fn verdict(&self, rec: &Record<'_>) -> Verdict {
        let last_if = |reached| if reached { Verdict::Last } else { Verdict::GoOn };
        match self {
            Target::Latest => Verdict::GoOn,
            Target::Lsn(to) if rec.end > *to => Verdict::Stop,
            Target::Lsn(to) => last_if(rec.end == *to),
            Target::TimeMs(to) if rec.commit_time_ms().is_some_and(|ms| ms > *to) => Verdict::Stop,
            Target::TimeMs(_) => Verdict::GoOn,
            Target::Txn(id) => {
                last_if(rec.kind == Kind::Commit && rec.txn.as_ref().is_some_and(|t| t.id == *id))
            }
            Target::Name(name) => last_if(rec.mark().is_some_and(|(_, n)| n == name)),
        }
    }
}
