//! The engine's one error type.
//!
//! What is durable on error: an operation that returns an error has changed nothing that a later commit would keep,
//! except where the variant says otherwise. After `Poisoned` nothing further is acknowledged; restart recovers.

use super::corruption::Corruption;
use super::deadlock::Circle;
use super::ids::{FileId, PageId, TreeId};
use crate::settings::Mistake;
use std::io;
use std::sync::Arc;

/// Result of engine calls.
pub type Result<T> = std::result::Result<T, Error>;

/// Whether an error says that there is no space left: the disk full, the quota used up, the file at its limit.
pub fn is_out_of_space(error: &io::Error) -> bool {
    match error.raw_os_error() {
        Some(code) => matches!(code, libc::ENOSPC | libc::EDQUOT | libc::EFBIG),
        None => matches!(
            error.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
        ),
    }
}

/// Why an engine call failed. Cheap to clone: a poisoned engine hands the same error to everybody.
#[derive(thiserror::Error, Debug, Clone)]
#[non_exhaustive]
pub enum Error {
    /// An insert met a live entry with the same key (SQLSTATE 23505).
    #[error("an entry with this key exists already")]
    DuplicateKey,
    /// REPEATABLE READ met a version newer than its snapshot (40001): retry the transaction.
    #[error("could not serialize access due to concurrent update")]
    SerializationFailure,
    /// REPEATABLE READ was to change a row that somebody deleted since its snapshot (40001): retry the transaction.
    #[error("could not serialize access due to concurrent delete")]
    ConcurrentDelete,
    /// This transaction was chosen to break a circle of waits, its own first (40P01): retry it.
    #[error("deadlock detected")]
    Deadlock(Circle),
    /// NOWAIT met a lock, or a wait outlasted `lock_timeout` (55P03).
    #[error("could not obtain the lock in time")]
    LockNotAvailable,
    /// `Interrupt::cancel` was called while waiting (57014).
    #[error("canceled by request")]
    Canceled,
    /// A commit's wait for standbys was canceled, or cut short (40003): it has happened here, and a failover may lose it.
    #[error("the transaction is in doubt: it is committed here, but standbys have not confirmed it yet")]
    InDoubt,
    /// The snapshot needs versions that were dropped because undo outgrew `undo_spill_limit` (72000).
    #[error("snapshot too old: its versions outgrew undo_spill_limit")]
    SnapshotTooOld,
    /// The lock table is full (53200); see `max_locks`.
    #[error("out of row locks: raise max_locks")]
    OutOfLocks,
    /// The statement waits for a row lock outside (`Transaction::set_waits_outside`): the call is to be made again once that is granted.
    #[error("waiting for a row lock")]
    WaitsOutside,
    /// Space could not be obtained (53100): the statement fails, everything else goes on.
    #[error("no space left for {what}")]
    OutOfSpace {
        /// What was being obtained.
        what: String,
    },
    /// The disk was full, and the transaction, idle, kept log from being recycled: it was rolled back (53100).
    #[error("transaction was rolled back: the disk is full, and it kept log from being recycled")]
    LogPinnedTooLong,
    /// The key is longer than a page can index (54000).
    #[error("key of {len} bytes exceeds the limit of {max}")]
    KeyTooLong {
        /// Its length in bytes.
        len: usize,
        /// The limit in bytes.
        max: usize,
    },
    /// The value is too long (54000).
    #[error("value of {len} bytes exceeds the limit of {max}")]
    ValueTooLong {
        /// Its length in bytes.
        len: usize,
        /// The limit in bytes.
        max: usize,
    },
    /// The tree does not exist, or not for this transaction.
    #[error("tree {} does not exist", .0.0)]
    NoSuchTree(TreeId),
    /// A setting does not take a value, or there is none of the name (22023, 42704, 55P02).
    #[error(transparent)]
    Setting(#[from] Mistake),
    /// A write in a read-only transaction (25006).
    #[error("cannot write in a read-only transaction")]
    ReadOnly,
    /// A write in a database that can only be read, for this reason (25006).
    #[error("the database can only be read: {0}")]
    ReadOnlyDatabase(String),
    /// Inside the engine only: a reader of a standby is to load the page where it holds up nobody.
    #[error("{0} is not in memory")]
    NotResident(PageId),
    /// The database was closed (57P01).
    #[error("the database is shut down")]
    Closed,
    /// A caller's mistake: unknown setting, bad value, misuse (22023).
    #[error("{0}")]
    InvalidArgument(String),
    /// There is no replication slot of this name (42704).
    #[error("replication slot \"{0}\" does not exist")]
    NoSuchSlot(String),
    /// The name is taken (42710).
    #[error("replication slot \"{0}\" already exists")]
    SlotExists(String),
    /// Somebody else has the replication slot (55006).
    #[error("replication slot \"{name}\" is active{}", for_whom(*.pid))]
    SlotInUse {
        /// Its name.
        name: String,
        /// Of the session that has it, if it has said.
        pid: Option<i32>,
    },
    /// Another process, or another handle of this one, has the folder open.
    #[error("{0}")]
    AlreadyOpen(String),
    /// The log that comes is of an epoch before the one that was promised to be followed: its sender may have been replaced. Another one may come any time.
    #[error(
        "the log that was sent is of epoch {sender}, and epoch {promised} was promised to follow: its sender may have been replaced"
    )]
    Superseded {
        /// Under which its sender writes.
        sender: u64,
        /// The earliest that is followed.
        promised: u64,
    },
    /// Bytes on disk are not what was written (XX001).
    #[error("data corrupted: {0}")]
    Corrupt(Corruption),
    /// An I/O call failed without harm beyond its statement (58030).
    #[error("{what}: {source}")]
    Io {
        /// The operation and the file.
        what: String,
        /// The system's error.
        source: Arc<io::Error>,
    },
    /// A log or data write or sync failed: what is on disk is unknown, so nothing more is acknowledged until a restart
    /// has recovered (XX000).
    #[error("the engine stopped: {0}; restart it to recover")]
    Poisoned(String),
}

fn for_whom(pid: Option<i32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" for PID {pid}"))
}

impl Error {
    /// Bytes on disk are not what was written, in these words.
    pub fn corrupt(what: impl Into<Corruption>) -> Error {
        Error::Corrupt(what.into())
    }

    /// As `corrupt`, of a page.
    pub fn of_page(id: PageId, what: impl std::fmt::Display) -> Error {
        Error::Corrupt(Corruption::of_page(id, what))
    }

    /// As `corrupt`, of pages of a file.
    pub fn in_file(file: FileId, what: impl std::fmt::Display) -> Error {
        Error::Corrupt(Corruption::in_file(file, what))
    }

    /// Wraps an I/O error with what was being done. ENOSPC becomes `OutOfSpace`; what cannot be written at all says what to do instead.
    pub fn io(what: impl Into<String>, e: io::Error) -> Error {
        let what = what.into();
        if is_out_of_space(&e) {
            return Error::OutOfSpace { what };
        }
        let e = match e.kind() {
            kind @ io::ErrorKind::ReadOnlyFilesystem => io::Error::new(
                kind,
                "the file system can only be read, and a database is written to whenever it is opened: copy its folder to where that can be done",
            ),
            _ => e,
        };
        Error::Io { what, source: Arc::new(e) }
    }

    /// Whether the transaction, rolled back and run again, may do better.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Error::SerializationFailure
                | Error::ConcurrentDelete
                | Error::Deadlock(_)
                | Error::SnapshotTooOld
                | Error::LogPinnedTooLong
        )
    }

    /// Whether it is one of some page or file, not of the whole engine.
    pub fn is_local(&self) -> bool {
        matches!(self, Error::Corrupt(_) | Error::Io { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_that_can_only_be_read_says_what_to_do() {
        let e = Error::io("locking the folder", io::Error::from_raw_os_error(libc::EROFS));
        assert!(e.to_string().contains("copy its folder"), "{e}");
        let e = Error::io("locking the folder", io::Error::from_raw_os_error(libc::EACCES));
        assert!(e.to_string().contains("os error"), "{e}");
    }
}
