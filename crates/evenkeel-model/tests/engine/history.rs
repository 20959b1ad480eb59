//! What the sessions of a life did, and whether rows that somebody found agree with it.
//!
//! Each transaction puts a row of its own, its mark, so rows tell which transactions they contain. Then all the rest is settled: what these transactions wrote, in
//! the order in which they had the rows' locks, and nothing of others.
//!
//! Invariants
//! 1. Everything is noted between two points of the scheduler: no lock of the model is needed.
//!
//! Must not know: how rows came to where they were found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Keys and values.
pub type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// How far a transaction has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Came {
    /// At work, or rolled back.
    Nowhere,
    /// Its commit was called.
    ToCommit,
    /// Its commit returned: others see it.
    ToVisible,
    /// Somebody was told of it: it is durable.
    ToTold,
}

struct Txn {
    is_sync: bool,
    came: Came,
    /// When, key and value; none for a deletion.
    writes: Vec<(u64, Vec<u8>, Option<Vec<u8>>)>,
}

/// The transactions of a life, by number.
#[derive(Default)]
pub struct History {
    life: usize,
    base: Rows,
    inner: Mutex<(u64, Vec<Txn>)>,
}

/// How far each transaction had come at some moment.
#[derive(Clone, Debug)]
pub struct Moment(Vec<Came>);

impl History {
    /// Of a life, by its number, that began with these rows.
    pub fn new(life: usize, base: Rows) -> History {
        History { life, base, inner: Mutex::default() }
    }

    /// The key of a transaction's mark.
    pub fn mark(&self, txn: usize) -> Vec<u8> {
        format!("mark {} {txn:03}", self.life).into_bytes()
    }

    /// A transaction begins.
    pub fn begin(&self, is_sync: bool) -> usize {
        let txns = &mut self.inner.lock().unwrap().1;
        txns.push(Txn { is_sync, came: Came::Nowhere, writes: Vec::new() });
        txns.len() - 1
    }

    /// It has written: the row's lock is its own.
    pub fn wrote(&self, txn: usize, key: &[u8], value: Option<&[u8]>) {
        let (clock, txns) = &mut *self.inner.lock().unwrap();
        *clock += 1;
        txns[txn].writes.push((*clock, key.to_vec(), value.map(<[u8]>::to_vec)));
    }

    /// Number of its writes.
    pub fn writes(&self, txn: usize) -> usize {
        self.inner.lock().unwrap().1[txn].writes.len()
    }

    /// It took back all but so many writes.
    pub fn rolled_back_to(&self, txn: usize, writes: usize) {
        self.inner.lock().unwrap().1[txn].writes.truncate(writes);
    }

    /// It has come so far.
    pub fn came(&self, txn: usize, came: Came) {
        let txn = &mut self.inner.lock().unwrap().1[txn];
        txn.came = txn.came.max(came);
    }

    /// Somebody was told of these transactions.
    pub fn told(&self, of: &BTreeSet<usize>) {
        for txn in of {
            if self.inner.lock().unwrap().1[*txn].is_sync {
                self.came(*txn, Came::ToTold);
            }
        }
    }

    /// How far everybody has come.
    pub fn now(&self) -> Moment {
        Moment(self.inner.lock().unwrap().1.iter().map(|t| t.came).collect())
    }

    /// Checks rows that were found: of the transactions that had come to `must` at `since` all are there, and of those that had not come to their commit at
    /// `until` none is. They are all rows whose keys are `among` those that were looked for. Gives the transactions that are there.
    pub fn check(
        &self,
        rows: &Rows,
        among: fn(&[u8]) -> bool,
        since: &Moment,
        must: Came,
        until: &Moment,
        what: &str,
    ) -> BTreeSet<usize> {
        let txns = &self.inner.lock().unwrap().1;
        let there: BTreeSet<usize> = (0..txns.len()).filter(|t| rows.contains_key(&self.mark(*t))).collect();
        for (txn, came) in since.0.iter().enumerate() {
            assert!(
                *came < must || there.contains(&txn),
                "{what}: transaction {txn} is lost: it had come {came:?}"
            );
        }
        for txn in &there {
            let came = until.0.get(*txn).copied().unwrap_or(Came::Nowhere);
            assert!(came >= Came::ToCommit, "{what}: transaction {txn} is there, and has not committed");
        }
        let mut writes: Vec<_> = there.iter().flat_map(|t| &txns[*t].writes).collect();
        writes.sort_unstable();
        let mut expected = self.base.clone();
        for (_, key, value) in writes {
            match value {
                Some(value) => _ = expected.insert(key.clone(), value.clone()),
                None => _ = expected.remove(key),
            }
        }
        expected.retain(|key, _| among(key));
        let shown = |rows: &Rows| -> BTreeMap<String, String> {
            let text = |b: &[u8]| String::from_utf8_lossy(&b[..b.len().min(12)]).into_owned();
            rows.iter().map(|(k, v)| (text(k), format!("{} ({})", text(v), v.len()))).collect()
        };
        assert!(
            *rows == expected,
            "{what}: with the transactions {there:?} there should be {:#?}, not {:#?}",
            shown(&expected),
            shown(rows)
        );
        there
    }
}
