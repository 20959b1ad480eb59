//! What a server does at one moment, for whoever watches it: plain values, out of all counters that there are.
//!
//! Invariants:
//! 1. Nothing is taken that a commit waits for: counters are read without locks; of the mutexes here one is taken when sessions come and go, each session's own for a few
//!    words of it, and the lock table's only while somebody waits there.
//! 2. Nothing here reads files, or asks another machine.
//!
//! Must not know: how it is shown.

use crate::catalog::wait_events;
use crate::counted::{Counts, Entry};
use crate::instance::{Instance, SessionInfo};
use crate::status::{ReplayState, WalReceiver, WalSender};
use crate::tally::Tallied;
use evenkeel::{
    ArchiveStats, BackupProgress, CheckpointStage, CommitStats, FileKind, FileStats, PartitionStats, Slot,
    Stats,
};
use evenkeel_types::guard::memory;
use std::collections::HashMap;
use std::sync::Arc;

/// See above. Times of day in microseconds since 2000-01-01 UTC.
#[derive(Clone, Debug)]
pub struct Observed {
    /// When this was.
    pub now_us: i64,
    /// When the database was opened.
    pub started_us: i64,
    /// The engine's counters.
    pub engine: Stats,
    /// What was done with files, by kinds as `FileKind::ALL` has them.
    pub io: [FileStats; FileKind::ALL.len()],
    /// How commits became durable.
    pub commits: CommitStats,
    /// Checkpoint partitions; none on a standby.
    pub partitions: Vec<PartitionStats>,
    /// The partition whose round runs.
    pub running: Option<(usize, CheckpointStage)>,
    /// Changes of transactions that a crash cut short, to be rolled back yet.
    pub rollback_left: u64,
    /// The archive, if there is one.
    pub archive: Option<ArchiveStats>,
    /// A backup that is being made.
    pub backup: Option<BackupProgress>,
    /// Replication slots.
    pub slots: Vec<Slot>,
    /// Who follows the log.
    pub senders: Vec<WalSender>,
    /// Of a standby: its replay, and its connection to the primary.
    pub replay: Option<ReplayState>,
    /// See above.
    pub receiver: Option<WalReceiver>,
    /// Deadlocks found.
    pub deadlocks: u64,
    /// How long rows were waited for, microseconds.
    pub row_waits: evenkeel::histogram::Counts,
    /// How long tables and numbers were waited for, microseconds.
    pub table_waits: evenkeel::histogram::Counts,
    /// Transactions that wait for a row now.
    pub row_waiters: u64,
    /// Sessions that wait for a table or a number now.
    pub table_waiters: u64,
    /// Statements and transactions by kind.
    pub tallied: Tallied,
    /// Sessions, the server's own not counted.
    pub sessions: Vec<SessionShown>,
    /// Memory that is allocated, and how much may be; 0: that is not known.
    pub memory_bytes: u64,
    /// See above.
    pub memory_limit_bytes: u64,
}

/// A session.
#[derive(Clone, Debug)]
pub struct SessionShown {
    /// Its number.
    pub pid: i32,
    /// Who has logged in.
    pub user: String,
    /// Where.
    pub database: String,
    /// What the client calls itself.
    pub application_name: String,
    /// `active`, `idle`, `idle in transaction`, …
    pub state: &'static str,
    /// What it waits for: `transactionid` (a row), `relation` or `advisory`.
    pub waits_for: Option<&'static str>,
    /// That, or another wait, as `pg_wait_events` names it.
    pub wait_event: Option<&'static str>,
    /// Sessions that it waits for, as far as they are known.
    pub blocked_by: Vec<i32>,
    /// Its latest statement.
    pub query: Arc<str>,
    /// When that began, and its transaction.
    pub query_start_us: Option<i64>,
    /// See above.
    pub xact_start_us: Option<i64>,
}

/// A statement, of all that `pg_stat_statements` counts.
#[derive(Clone, Debug)]
pub struct CountedStatement {
    /// Its number.
    pub number: i64,
    /// The database's, by its OID.
    pub database: u32,
    /// Its normal text: no literals.
    pub text: Arc<str>,
    /// What its executions took.
    pub counts: Counts,
}

impl Instance {
    /// What the server does now. (1, 2)
    pub fn observe(&self) -> Observed {
        let db = self.database();
        let (deadlocks, row_waits) = db.lock_wait_stats();
        Observed {
            now_us: evenkeel_types::datetime::wall_clock_us(),
            started_us: self.started_us,
            engine: db.stats(),
            io: db.io_stats(),
            commits: db.commit_stats(),
            partitions: db.checkpoint_partitions(),
            running: db.checkpoint_running(),
            rollback_left: db.rollback_changes_left(),
            archive: db.archive_stats(),
            backup: db.backup_progress(),
            slots: db.slots(),
            senders: self.wal_senders(),
            replay: self.replay(),
            receiver: self.receiver(),
            deadlocks,
            row_waits,
            table_waits: self.locks.wait_times.snapshot(),
            row_waiters: db.lock_waiters() as u64,
            table_waiters: self.locks.waiters() as u64,
            tallied: self.tally.sum(),
            sessions: self.sessions_shown(),
            memory_bytes: memory::total_bytes() as u64,
            memory_limit_bytes: memory::limit_bytes().unwrap_or(0) as u64,
        }
    }

    fn sessions_shown(&self) -> Vec<SessionShown> {
        let blocked = self.blocked();
        let tables = if blocked.is_empty() { HashMap::new() } else { self.locks.waits() };
        let shown = |s: &Arc<SessionInfo>| {
            let by = blocked.iter().find(|(owner, _)| *owner == s.owner).map(|(_, by)| by.clone());
            let lock = by.as_ref().map(|_| match tables.get(&s.owner) {
                None => &wait_events::TRANSACTION,
                Some(w) => w.event(),
            });
            let a = s.activity.lock();
            let (state, wait) = s.state(&a);
            SessionShown {
                pid: s.pid,
                user: s.user.clone(),
                database: s.database.clone(),
                application_name: a.application_name.clone(),
                state,
                waits_for: lock.map(|w| w.name),
                wait_event: lock.or(wait).map(|w| w.name),
                blocked_by: by.unwrap_or_default(),
                query: a.query.clone(),
                query_start_us: a.query_start,
                xact_start_us: a.xact_start,
            }
        };
        let mut all = self.each_session(shown);
        all.retain(|s| s.pid != 0);
        all
    }

    /// All statements that are counted, with what was counted of each since it is.
    pub fn statements(&self) -> Vec<CountedStatement> {
        let of = |e: Arc<Entry>| CountedStatement {
            number: e.key.statement,
            database: e.key.database,
            text: e.text.clone(),
            counts: e.counts(),
        };
        self.counts.all().into_iter().map(of).collect()
    }
}
