//! What a session, or a background duty, waits for, as `pg_stat_activity` and `pg_wait_events` name it.
//!
//! Duty: PostgreSQL's names where the thing is the same, names of our own stages else; and where a session is, from which its wait is known.
//!
//! Invariants:
//! 1. Every wait that the engine tells of has a name.
//!
//! Must not know: sessions, views.

use evenkeel::base::blocking::{self, Wait};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// A wait, as views name it.
#[derive(Debug)]
pub struct WaitEvent {
    /// `IO`, `IPC`, `Lock`, …
    pub kind: &'static str,
    /// The wait.
    pub name: &'static str,
    /// A sentence about it.
    pub description: &'static str,
}

const fn event(kind: &'static str, name: &'static str, description: &'static str) -> WaitEvent {
    WaitEvent { kind, name, description }
}

/// A row that another transaction has.
pub static TRANSACTION: WaitEvent = event("Lock", "transactionid", "Waiting for a transaction to finish");
/// A table's lock.
pub static RELATION: WaitEvent = event("Lock", "relation", "Waiting to acquire a lock on a relation");
/// A number's lock.
pub static ADVISORY: WaitEvent = event("Lock", "advisory", "Waiting to acquire an advisory user lock");
static CLIENT_READ: WaitEvent = event("Client", "ClientRead", "Waiting to read data from the client");
static CLIENT_WRITE: WaitEvent = event("Client", "ClientWrite", "Waiting to write data to the client");
static WAL_SYNC: WaitEvent = event("IO", "WalSync", "Waiting for a WAL file to reach durable storage");
static SYNC_REP: WaitEvent =
    event("IPC", "SyncRep", "Waiting for confirmation from a remote server during synchronous replication");
static DATA_READ: WaitEvent = event("IO", "DataFileRead", "Waiting for a read from a relation data file");
static DATA_PREFETCH: WaitEvent =
    event("IO", "DataFilePrefetch", "Waiting for pages of a relation data file that are read ahead");
static WRITE_BACK: WaitEvent =
    event("IO", "DataFileWrite", "Waiting for writes to relation data files that are on their way");
static BUFFER_PIN: WaitEvent = event("BufferPin", "BufferPin", "Waiting for a buffer that nobody uses");
static DOUBLE_WRITE: WaitEvent =
    event("IO", "DoubleWriteSpace", "Waiting for pages in the double-write file to be safe at home");
static WAL_INSERT: WaitEvent =
    event("LWLock", "WALInsert", "Waiting to insert WAL data into a memory buffer");
static BACKUP_READ: WaitEvent = event("IO", "BaseBackupRead", "Waiting for base backup to read from a file");
static COMMAND: WaitEvent =
    event("IPC", "AdministrativeCommand", "Waiting for a backup, the archive, a slot or a promotion");
static WAIT_FOR: WaitEvent =
    event("IPC", "WaitForLsn", "Waiting for WAL to be flushed or replayed, by WAIT FOR");
static DATA_SYNC: WaitEvent =
    event("IO", "DataFileSync", "Waiting for changes to a relation data file to reach durable storage");
static ARCHIVER_MAIN: WaitEvent =
    event("Activity", "ArchiverMain", "Waiting in main loop of archiver process");
/// What starts autovacuum.
pub static AUTOVACUUM_MAIN: WaitEvent =
    event("Activity", "AutovacuumMain", "Waiting in main loop of autovacuum launcher process");
static BGWRITER_MAIN: WaitEvent =
    event("Activity", "BgwriterMain", "Waiting in main loop of background writer process");
/// The checkpointer, where nobody tells what it waits for.
pub static CHECKPOINTER_MAIN: WaitEvent =
    event("Activity", "CheckpointerMain", "Waiting in main loop of checkpointer process");
static PURGE_MAIN: WaitEvent =
    event("Activity", "PurgeMain", "Waiting for versions that no snapshot sees any more");
/// A standby's replay, at the end of what it has received.
pub static RECOVERY_WAL_STREAM: WaitEvent = event(
    "Activity",
    "RecoveryWalStream",
    "Waiting in main loop of startup process for WAL to arrive, during streaming recovery",
);
/// A standby's connection.
pub static WAL_RECEIVER_MAIN: WaitEvent =
    event("Activity", "WalReceiverMain", "Waiting in main loop of WAL receiver process");
/// Whoever sends the log.
pub static WAL_SENDER_MAIN: WaitEvent =
    event("Activity", "WalSenderMain", "Waiting in main loop of WAL sender process");
static WAL_WRITER_MAIN: WaitEvent =
    event("Activity", "WalWriterMain", "Waiting in main loop of WAL writer process");
static CHECKPOINT_WRITE_DELAY: WaitEvent =
    event("Timeout", "CheckpointWriteDelay", "Waiting between writes while performing a checkpoint");
static SLEEP: WaitEvent =
    event("Timeout", "PgSleep", "Waiting due to a call to pg_sleep or a sibling function");

/// All of them, by kinds and names.
pub static ALL: [&WaitEvent; 28] = [
    &ARCHIVER_MAIN,
    &AUTOVACUUM_MAIN,
    &BGWRITER_MAIN,
    &CHECKPOINTER_MAIN,
    &PURGE_MAIN,
    &RECOVERY_WAL_STREAM,
    &WAL_RECEIVER_MAIN,
    &WAL_SENDER_MAIN,
    &WAL_WRITER_MAIN,
    &BUFFER_PIN,
    &CLIENT_READ,
    &CLIENT_WRITE,
    &BACKUP_READ,
    &DATA_PREFETCH,
    &DATA_READ,
    &DATA_SYNC,
    &WRITE_BACK,
    &DOUBLE_WRITE,
    &WAL_SYNC,
    &COMMAND,
    &SYNC_REP,
    &WAIT_FOR,
    &ADVISORY,
    &RELATION,
    &TRANSACTION,
    &WAL_INSERT,
    &CHECKPOINT_WRITE_DELAY,
    &SLEEP,
];

/// The name of what the engine tells of. (1)
pub fn of_engine(wait: Wait) -> &'static WaitEvent {
    match wait {
        Wait::DataRead => &DATA_READ,
        Wait::DataPrefetch => &DATA_PREFETCH,
        Wait::WriteBack => &WRITE_BACK,
        Wait::BufferPin => &BUFFER_PIN,
        Wait::DoubleWriteSpace => &DOUBLE_WRITE,
        Wait::LogFlush => &WAL_SYNC,
        Wait::LogInsert => &WAL_INSERT,
        Wait::RowLock => &TRANSACTION,
        Wait::TableLock => &RELATION,
        Wait::BackupRead => &BACKUP_READ,
        Wait::Command => &COMMAND,
        Wait::Replay => &WAIT_FOR,
        Wait::Sleep => &SLEEP,
        Wait::ClientWrite => &CLIENT_WRITE,
        Wait::DataSync => &DATA_SYNC,
        Wait::RoundPause => &CHECKPOINT_WRITE_DELAY,
        Wait::CheckpointerIdle => &CHECKPOINTER_MAIN,
        Wait::BackgroundWriterIdle => &BGWRITER_MAIN,
        Wait::LogWriterIdle => &WAL_WRITER_MAIN,
        Wait::ArchiverIdle => &ARCHIVER_MAIN,
        Wait::PurgeIdle => &PURGE_MAIN,
    }
}

/// What a reply waits for that is ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ReplyWait {
    /// The log is to be durable up to what it tells of.
    Log = 1,
    /// Standbys are to confirm that.
    Standbys,
}

/// Where a session is. Who looks sees it a moment late.
#[derive(Default, Debug)]
pub struct Place {
    /// The number of the thread that runs it, and one; 0: none does.
    thread: AtomicU32,
    /// A [`ReplyWait`], or 0.
    reply: AtomicU8,
}

impl Place {
    /// This thread runs the session from now on.
    pub fn enter_thread(&self) {
        self.thread.store(blocking::thread_number().map_or(0, |n| u32::from(n) + 1), Ordering::Relaxed);
    }

    /// No thread runs it.
    pub fn leave_thread(&self) {
        self.thread.store(0, Ordering::Relaxed);
    }

    /// What its reply waits for; None: it has left.
    pub fn set_reply_wait(&self, wait: Option<ReplyWait>) {
        self.reply.store(wait.map_or(0, |w| w as u8), Ordering::Relaxed);
    }

    /// What its reply waits for, if anything.
    pub fn reply_wait(&self) -> Option<&'static WaitEvent> {
        match self.reply.load(Ordering::Relaxed) {
            0 => None,
            w if w == ReplyWait::Log as u8 => Some(&WAL_SYNC),
            _ => Some(&SYNC_REP),
        }
    }

    /// What it waits for, locks aside; `is_idle`: it has nothing to do.
    pub fn wait(&self, is_idle: bool) -> Option<&'static WaitEvent> {
        if is_idle {
            return Some(&CLIENT_READ);
        }
        let number = self.thread.load(Ordering::Relaxed).checked_sub(1)?;
        blocking::wait_of(number as u16).map(of_engine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_listed_once_by_kinds_and_names() {
        let keys: Vec<_> = ALL.iter().map(|e| (e.kind.to_ascii_lowercase(), e.name)).collect();
        let mut sorted = keys.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(keys, sorted);
        assert!(Wait::ALL.into_iter().all(|w| ALL.iter().any(|e| std::ptr::eq(*e, of_engine(w)))));
    }

    #[test]
    fn a_session_waits_for_what_its_thread_waits_for() {
        let place = Place::default();
        let name = |idle| place.wait(idle).map(|e| e.name);
        let waiting = blocking::wait(Wait::LogFlush);
        assert_eq!((name(false), name(true)), (None, Some("ClientRead")));
        place.enter_thread();
        assert_eq!(name(false), Some("WalSync"));
        drop(waiting);
        assert_eq!(name(false), None);
        place.set_reply_wait(Some(ReplyWait::Standbys));
        assert_eq!(place.reply_wait().map(|e| e.name), Some("SyncRep"));
        place.set_reply_wait(None);
        assert!(place.reply_wait().is_none());
        let waiting = blocking::wait(Wait::Sleep);
        place.leave_thread();
        assert_eq!(name(false), None);
        drop(waiting);
    }
}
