//! Transaction ids, snapshots, row locks, deadlocks, commit order. See `README.md`.
//!
//! Must not know: trees, pages, what a row is. Undo is an opaque companion of a transaction.

#![doc = include_str!("README.md")]

mod interrupt;
mod late;
pub mod locks;
mod manager;
#[cfg(test)]
mod manager_tests;
mod outcomes;
mod snapshot;
mod unmet;

pub use crate::base::LockMode;
pub use interrupt::Interrupt;
pub use locks::{LockTable, LongWait, Outcome, Purpose, RowKey, RowWait, Ticket, UpperWaits, WaitPolicy};
pub use manager::{ActiveTxn, Call, Ended, Finished, Shared, TxnManager};
pub use outcomes::Status;
pub use snapshot::{Snapshot, SnapshotIds};
