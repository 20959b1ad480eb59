//! **evenkeel** – a transactional storage engine whose latency stays level: commits gang, checkpoints never stampede.
//!
//! Ordered trees of byte keys and values, many concurrent writers, snapshot isolation, durable commits.
//!
//! ```
//! use evenkeel::{Database, Options, TxnOptions};
//!
//! # fn main() -> evenkeel::Result<()> {
//! # let dir = tempfile::tempdir().unwrap();
//! # let dir = dir.path();
//! let db = Database::open(dir, Options::default())?;
//! let mut txn = db.begin(TxnOptions::default());
//! let tree = txn.open_tree("accounts")?; // made if there is none of that name
//! txn.put(tree, b"key", b"value")?;
//! assert_eq!(txn.get(tree, b"key")?.as_deref(), Some(&b"value"[..])); // a transaction sees its own changes
//! txn.commit()?; // returns when it is on stable storage
//!
//! let mut txn = db.begin(TxnOptions::default());
//! assert_eq!(txn.get(tree, b"key")?.as_deref(), Some(&b"value"[..]));
//! # drop(txn);
//! db.close()?;
//! # Ok(())
//! # }
//! ```
//!
//! Each call is a statement of its own; [`Transaction::begin_statement`] makes one of several. After an error that [`Error::is_retryable`] the transaction is to be run again.
//! After a fork only one of the two processes may go on with the database. It runs on Linux.
//!
//! Layers, each importing only from those above it: `settings`, `base`, `io`, `page`, `control`, `wal`, `pool`, `mtr`, `space`, `btree`, `txn`, `store`,
//! `checkpoint`, `recovery`, `archive`, `engine`. `docs/ARCHITECTURE.md` maps them.

#![cfg(not(all(test, feature = "model")))] // Tests beside the code run in the ordinary build only.

pub mod archive;
pub mod base;
pub mod btree;
pub mod checkpoint;
pub mod control;
pub mod engine;
pub mod io;
pub mod mtr;
pub mod page;
pub mod pool;
pub mod recovery;
pub mod settings;
pub mod space;
pub mod store;
pub mod txn;
pub mod wal;

pub use archive::{ArchiveStats, ArchiveStore};
pub use base::deadlock::{AwaitedRow, Circle, Party};
pub use base::usage::Usage;
pub use base::{Basis, Corruption, Error, Lsn, PAGE_BYTES, Place, Result, TreeId, histogram};
pub use checkpoint::{PartitionStats, Stage as CheckpointStage};
pub use engine::check;
pub use engine::restore;
pub use engine::{BackupOptions, BackupPhase, BackupProgress, Which};
pub use engine::{CommitFuture, Cursor, Database, Duty, Interrupted, Options, Savepoint, Stats, Transaction};
pub use engine::{
    CopyOptions, CopyPiece, Diverged, FolderState, Have, LogEnd, Rejoining, StandbyCopy, folder_state,
    log_end, log_end_on, may_lie_beside,
};
pub use engine::{
    Feedback, Hold, LogStream, PRESETS, Position, Preset, Slot, SlotUse, Standby, TemporarySlot, Upstream,
};
pub use engine::{FileKind, FileStats};
pub use engine::{GivenUp, give_up_log, give_up_log_on};
pub use recovery::{RecoveryProgress, RedoStats};
pub use store::gate::GateStats;
pub use store::replayed::Defines;
pub use store::{
    Direction, Durability, Filling, Isolation, KeyRange, Locked, Moment, NextEntry, Sight, TxnOptions,
    VacuumStats, Write,
};
pub use txn::{
    Interrupt, LockMode, LongWait, RowWait, SnapshotIds, Status as TransactionStatus, UpperWaits, WaitPolicy,
};
pub use wal::{CommitStage, CommitStats, Follower, Level, News, SyncState, Synchronous, Waiting};
