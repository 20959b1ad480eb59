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
//! # What to know before the first surprise
//!
//! * **Threads.** A [`Database`] is cloned into as many threads as one likes; a [`Transaction`] is one thread's at a time, and may be handed on. Whoever panics with a transaction in his hands rolls
//!   it back.
//! * **Waits.** Reads wait for nobody. Who changes or locks a row that another transaction has changed waits for that one's end, for ever unless [`Transaction::set_lock_timeout`] or an
//!   [`Interrupt`] says otherwise; circles of waiting threads are found ([`Error::Deadlock`]). Two transactions of one thread are no circle that anybody could find: the second waits for the first, which
//!   its own thread does not go on with.
//! * **Keys and values** are bytes, in the order of bytes; both may be empty. A key has at most 1,900 bytes ([`Error::KeyTooLong`]), a value 1 GiB ([`Error::ValueTooLong`]), in one piece of memory. A
//!   range whose end lies before its start has no rows.
//! * **Ranges** are read by a [`Cursor`], which sees what was there when it was made, whatever the transaction or others write meanwhile, so whoever reads may change what he has just read:
//!
//! ```
//! # use evenkeel::{Database, Direction, KeyRange, Options, TreeId, TxnOptions};
//! # fn forget(db: &Database, tree: TreeId) -> evenkeel::Result<()> {
//! let mut txn = db.begin(TxnOptions::default());
//! let mut rows = txn.cursor(tree, KeyRange::prefix(b"session/"), Direction::Forward)?;
//! while let Some((key, _)) = rows.next(&mut txn)? {
//!     let key = key.to_vec();
//!     txn.remove(tree, &key)?;
//! }
//! txn.commit()?;
//! # Ok(())
//! # }
//! # let dir = tempfile::tempdir().unwrap();
//! # let db = Database::open(dir.path(), Options::default()).unwrap();
//! # let mut txn = db.begin(TxnOptions::default());
//! # let tree = txn.open_tree("t").unwrap();
//! # for key in ["session", "session/1", "session/2"] {
//! #     txn.put(tree, key.as_bytes(), b"").unwrap();
//! # }
//! # txn.commit().unwrap();
//! # forget(&db, tree).unwrap();
//! # let mut txn = db.begin(TxnOptions::default());
//! # let mut left = txn.cursor(tree, KeyRange::prefix(b""), Direction::Forward).unwrap();
//! # assert_eq!(left.next(&mut txn).unwrap().map(|(key, _)| key.to_vec()).as_deref(), Some(&b"session"[..]));
//! # assert!(left.next(&mut txn).unwrap().is_none());
//! ```
//!
//! * **Cursors and savepoints** are of the transaction that made them; with another, or one of another database, they give [`Error::InvalidArgument`]. Moments are of one
//!   database, which is not looked at.
//! * **The end.** A folder is one handle's at a time, also within a process ([`Error::AlreadyOpen`]). [`Database::close`], or dropping the last clone, ends it: transactions that are open fail with
//!   [`Error::Closed`] from then on, nothing of them remains, and the folder is free once the last of them is dropped. Without it, as after a crash, the next start recovers.
//! * **After [`Error::Poisoned`]** a write of the log or the data has failed: nothing more is acknowledged until the database was closed and opened again.
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
    Direction, Durability, Filling, Isolation, KeyRange, Locked, MayPass, Moment, NextEntry, Sight,
    TxnOptions, VacuumStats, Write,
};
pub use txn::{
    Interrupt, LockMode, LongWait, RowWait, SnapshotIds, Status as TransactionStatus, UpperWaits, WaitPolicy,
};
pub use wal::{CommitStage, CommitStats, Follower, Level, News, SyncState, Synchronous, Waiting};
