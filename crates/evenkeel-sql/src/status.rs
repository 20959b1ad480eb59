//! What system views tell of replication: a standby's replay, its connection to the primary, and who follows the log here.
//!
//! Must not know: who finds it out.

use evenkeel::{GateStats, Lsn};

/// What a standby tells of its replay.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplayState {
    /// The log was received up to here,
    pub written: Lsn,
    /// and is durable up to here.
    pub received: Lsn,
    /// All before this was replayed.
    pub replayed: Lsn,
    /// When the last commit that was replayed happened, milliseconds since the Unix epoch.
    pub last_commit_ms: Option<u64>,
    /// The place in the log that the primary was told of for the readers here.
    pub wanted_from: Option<Lsn>,
    /// How readers were held up by waves of changes.
    pub held: GateStats,
    /// Snapshots that were given up because replay took away what they needed.
    pub expired: u64,
}

/// The connection to the primary, as `pg_stat_wal_receiver` shows it.
#[derive(Clone, Debug, Default)]
pub struct WalReceiver {
    /// PostgreSQL's word for what it does.
    pub status: &'static str,
    /// Where it began to follow.
    pub started: Lsn,
    /// When something came last, microseconds since 2000-01-01 UTC.
    pub heard_us: i64,
    /// The slot there.
    pub slot: Option<String>,
    /// The primary's name or address, and its port.
    pub host: String,
    /// See `host`.
    pub port: u16,
    /// How it is reached, without secrets.
    pub conninfo: String,
}

/// A connection that follows the log, or copies the files, as `pg_stat_replication` shows it.
#[derive(Clone, Debug)]
pub struct WalSender {
    /// Its number among the connections.
    pub pid: i32,
    /// Who it came in as.
    pub user: String,
    /// What it calls itself.
    pub application_name: String,
    /// Where from; none on a Unix socket.
    pub client_addr: Option<String>,
    /// Its port there.
    pub client_port: Option<u16>,
    /// When it came, microseconds since 2000-01-01 UTC.
    pub started_us: i64,
    /// PostgreSQL's word for what it does.
    pub state: &'static str,
    /// The slot it uses.
    pub slot: Option<String>,
    /// The log was sent up to here; zero: nothing of it yet.
    pub sent: Lsn,
    /// It has received that up to here,
    pub written: Lsn,
    /// durably up to here,
    pub durable: Lsn,
    /// and replayed up to here.
    pub applied: Lsn,
    /// When it said so, microseconds since 2000-01-01 UTC.
    pub replied_us: Option<i64>,
    /// What it is to those who wait for standbys, in PostgreSQL's words, and its place in `synchronous_standby_names`; 0: none.
    pub sync_state: &'static str,
    /// See above.
    pub sync_priority: i32,
}
