//! Snapshots that transactions have exported (`pg_export_snapshot`), by the names that others begin with them by.
//!
//! Invariants:
//! 1. A snapshot that is here is held as its transaction's own is: nothing that it sees is purged. It goes when that transaction ends; whoever has taken it by then
//!    holds it for himself.
//!
//! Must not know: sessions, statements.

use crate::parse::IsolationLevel;
use evenkeel::Moment;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// A snapshot, and whose it is.
#[derive(Clone)]
pub(crate) struct Exported {
    pub database: u32,
    pub pid: i32,
    pub isolation: IsolationLevel,
    pub read_only: bool,
    /// What a standby saw is nothing that it sees once it has taken over.
    pub of_standby: bool,
    /// The catalog's version when it was taken.
    pub version: u64,
    /// None: the transaction has failed, and not ended.
    pub moment: Option<Moment>,
}

/// All that there are.
#[derive(Default)]
pub(crate) struct ExportedSnapshots {
    by_name: Mutex<BTreeMap<String, Exported>>,
    /// Transactions that have exported some.
    transactions: AtomicU32,
}

impl ExportedSnapshots {
    /// A number for a transaction, of which no name here has been made.
    pub fn new_transaction(&self) -> u32 {
        self.transactions.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps one.
    pub fn put(&self, name: String, exported: Exported) {
        self.by_name.lock().insert(name, exported);
    }

    /// The one of a name.
    pub fn get(&self, name: &str) -> Option<Exported> {
        self.by_name.lock().get(name).cloned()
    }

    /// Lets go of what these see, whose transaction has failed.
    pub fn give_up(&self, names: &[String]) {
        let mut all = self.by_name.lock();
        let moments: Vec<_> =
            names.iter().filter_map(|n| all.get_mut(n).and_then(|e| e.moment.take())).collect();
        drop(all);
        drop(moments); // their end is the engine's affair, under its own locks
    }

    /// Forgets these.
    pub fn remove(&self, names: &[String]) {
        let mut all = self.by_name.lock();
        let gone: Vec<_> = names.iter().filter_map(|n| all.remove(n)).collect();
        drop(all);
        drop(gone);
    }
}
