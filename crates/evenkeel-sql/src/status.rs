//! What system views tell of replication: a standby's replay, its connection to the primary, and who follows the log here.
//!
//! Must not know: who finds it out.

use evenkeel::settings::Line;
use evenkeel::{GateStats, Lsn, Standby};

/// From here on numbers are none of sessions of clients: `pg_stat_activity` shows by them what works for all.
pub const BACKGROUND_PIDS_FROM: i32 = i32::MAX - 4095;
/// That of a standby's connection to its primary.
pub const RECEIVER_PID: i32 = BACKGROUND_PIDS_FROM + 17;

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

impl ReplayState {
    /// As a standby says.
    pub fn of(standby: &Standby) -> ReplayState {
        let (held, expired) = standby.read_stats();
        ReplayState {
            written: standby.received().lsn,
            received: standby.durable().lsn,
            replayed: standby.replayed(),
            last_commit_ms: standby.last_commit_ms(),
            wanted_from: standby.feedback(),
            held,
            expired,
        }
    }
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

/// A client's connection, as `pg_stat_ssl` shows it.
#[derive(Clone, Debug)]
pub struct ConnectionShown {
    /// Its number among the connections.
    pub pid: i32,
    /// Its encryption, if it has any.
    pub tls: Option<TlsShown>,
}

/// A connection's encryption.
#[derive(Clone, Debug)]
pub struct TlsShown {
    /// `TLSv1.3`, say.
    pub version: &'static str,
    /// In OpenSSL's words.
    pub cipher: String,
    /// Of its key.
    pub bits: i32,
    /// The certificate that the client has shown.
    pub client: Option<ClientCertificateShown>,
}

/// A client's certificate.
#[derive(Clone, Debug)]
pub struct ClientCertificateShown {
    /// Whose it is.
    pub subject: String,
    /// Its number, in decimal.
    pub serial: String,
    /// Who signed it.
    pub issuer: String,
}

/// A line of a configuration file, as `pg_file_settings` shows it.
#[derive(Clone, Debug)]
pub struct FileSettingShown {
    /// Where it is.
    pub line: Line,
    /// What it sets; None: it is not understood.
    pub name: Option<String>,
    /// To what.
    pub setting: Option<String>,
    /// Whether a reload would take it.
    pub applied: bool,
    /// Why not.
    pub error: Option<&'static str>,
}

/// A line of `pg_hba.conf`, as `pg_hba_file_rules` shows it.
#[derive(Clone, Debug, Default)]
pub struct HbaShown {
    /// Its place among the rules; none for one that has an error.
    pub number: Option<i32>,
    /// Where it stands.
    pub file: String,
    /// See above.
    pub line: i32,
    /// `local`, `host`, …
    pub kind: Option<String>,
    /// Whom it is for.
    pub databases: Option<Vec<String>>,
    /// See above.
    pub users: Option<Vec<String>>,
    /// From where.
    pub address: Option<String>,
    /// See above.
    pub netmask: Option<String>,
    /// How they show who they are.
    pub method: Option<String>,
    /// `name=value`
    pub options: Option<Vec<String>>,
    /// What is wrong with it.
    pub error: Option<String>,
}

/// A line of `pg_ident.conf`, as `pg_ident_file_mappings` shows it.
#[derive(Clone, Debug, Default)]
pub struct IdentShown {
    /// Its place among the lines; none for one that has an error.
    pub number: Option<i32>,
    /// Where it stands.
    pub file: String,
    /// See above.
    pub line: i32,
    /// The map.
    pub map: Option<String>,
    /// Who someone is elsewhere,
    pub system_user: Option<String>,
    /// and who he may be here.
    pub user: Option<String>,
    /// What is wrong with it.
    pub error: Option<String>,
}
