//! The server's own settings, in one table: for the configuration file, `--help`, SHOW and the documentation.
//!
//! Engine settings are the engine's, session settings are SQL's. Text forms and units are PostgreSQL's: `256MB`, `60s`.
//!
//! It must not know where values come from (file, command line).

use std::time::Duration;

use evenkeel::Synchronous;
use evenkeel::settings::{
    Context, DAY, Def, GB, KB, Kind, MB, MIN, MS, Mistake, S, Shown, TB, Value, Values, find,
};
use evenkeel_types::guard::memory;

use crate::stream::Keepalive;

/// Which setting; the index into [`TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Id {
    ListenAddresses,
    Port,
    UnixSocketDirectories,
    UnixSocketPermissions,
    LocalAuthentication,
    MaxConnections,
    ReservedConnections,
    SuperuserReservedConnections,
    AuthenticationTimeout,
    MaxMessageSize,
    MaxPreparedStatements,
    MaxPortals,
    SessionStatementMemory,
    StatementMemory,
    MemoryLimit,
    Ssl,
    SslCertFile,
    SslKeyFile,
    SslCaFile,
    SslCrlFile,
    SslMinProtocolVersion,
    SslMaxProtocolVersion,
    TcpKeepalivesIdle,
    TcpKeepalivesInterval,
    TcpKeepalivesCount,
    TcpUserTimeout,
    SessionPoll,
    SessionWorkers,
    LogConnections,
    LogDisconnections,
    LogDestination,
    LoggingCollector,
    LogDirectory,
    LogFilename,
    LogFileMode,
    LogRotationAge,
    LogRotationSize,
    LogTruncateOnRotation,
    LogLinePrefix,
    LogTimezone,
    PgStatStatementsMax,
    PgStatStatementsSave,
    Autovacuum,
    AutovacuumNaptime,
    AutovacuumAnalyzeThreshold,
    AutovacuumAnalyzeScaleFactor,
    MaxWalSenders,
    WalSenderTimeout,
    WalSenderImages,
    WalSenderCompression,
    SynchronousStandbyNames,
    PrimaryConninfo,
    PrimarySlotName,
    WalReceiverTimeout,
    WalReceiverStatusInterval,
    WalRetrieveRetryInterval,
    MetricsListen,
    MetricsHosts,
    MetricsTokenFile,
    OtlpEndpoint,
    OtlpSampleRate,
    Autoprewarm,
    AutoprewarmInterval,
}

const INT: i64 = i32::MAX as i64;
const BYTES: Kind = Kind::Memory { unit: 1, grain: 1 };
const KILOBYTES: Kind = Kind::Memory { unit: KB, grain: KB };
const MEGABYTES: Kind = Kind::Memory { unit: MB, grain: MB };
const BLOCKS: Kind = Kind::Memory { unit: 8 * KB, grain: 8 * KB };
const MILLISECONDS: Kind = Kind::Time { unit: MS, grain: 1 };

const fn unused(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    (min, max): (i64, i64),
    context: Context,
) -> Def {
    Def { name, kind, default, min, max, context, description: "Accepted and not used." }
}

/// Every setting of the server, in the order of [`Id`]; behind them those that do nothing.
#[rustfmt::skip]
pub const TABLE: &[Def] = &[
    Def { name: "listen_addresses", kind: Kind::Text, default: "127.0.0.1", min: 0, max: 0, context: Context::Postmaster,
        description: "Addresses to listen on, separated by commas, each with an optional :port; empty: only the Unix socket. \
         Any address that is not loopback needs passwords, or a pg_hba.conf." },
    Def { name: "port", kind: Kind::Integer, default: "5433", min: 0, max: 65535, context: Context::Postmaster,
        description: "Port of TCP listeners, and in the Unix socket's name; 0 takes a free one." },
    Def { name: "unix_socket_directories", kind: Kind::Text, default: "/tmp", min: 0, max: 0, context: Context::Postmaster,
        description: "Directories for the Unix socket, separated by commas; empty: none." },
    Def { name: "unix_socket_permissions", kind: Kind::Mode, default: "0777", min: 0, max: 0o777, context: Context::Postmaster,
        description: "Who may connect to the Unix socket, as an octal file mode." },
    Def { name: "local_authentication", kind: Kind::Choice(&["trust", "scram-sha-256"]), default: "trust", min: 0, max: 0, context: Context::Sighup,
        description: "How clients on this machine prove who they are, where there is no pg_hba.conf. Others always need a password (scram-sha-256) then." },
    Def { name: "max_connections", kind: Kind::Integer, default: "200", min: 1, max: 100_000, context: Context::Sighup,
        description: "Sessions at a time. They share the threads of session_workers." },
    Def { name: "reserved_connections", kind: Kind::Integer, default: "0", min: 0, max: 262_143, context: Context::Postmaster,
        description: "Of max_connections so many are kept for roles with the privileges of pg_use_reserved_connections, and for superusers." },
    Def { name: "superuser_reserved_connections", kind: Kind::Integer, default: "3", min: 0, max: 262_143, context: Context::Postmaster,
        description: "Of max_connections so many are kept for superusers alone." },
    Def { name: "authentication_timeout", kind: Kind::Time { unit: S, grain: S }, default: "1min", min: S, max: 10 * MIN, context: Context::Sighup,
        description: "Time for a client to start its session." },
    Def { name: "max_message_size", kind: Kind::Memory { unit: 1, grain: 1 }, default: "256MB", min: 64 * KB, max: GB - 1, context: Context::Sighup,
        description: "Largest message taken from a client: a statement, its parameters, a piece of COPY data." },
    Def { name: "max_prepared_statements", kind: Kind::Integer, default: "10000", min: 1, max: 10_000_000, context: Context::Sighup,
        description: "Prepared statements that one session may keep." },
    Def { name: "max_portals", kind: Kind::Integer, default: "1000", min: 1, max: 1_000_000, context: Context::Sighup,
        description: "Open portals that one session may keep." },
    Def { name: "session_statement_memory", kind: Kind::Memory { unit: 1, grain: 1 }, default: "512MB", min: 64 * KB, max: TB, context: Context::Sighup,
        description: "Bytes of statement text and bound parameters that one session may keep." },
    Def { name: "statement_memory", kind: Kind::Memory { unit: 1, grain: 1 }, default: "256MB", min: MB, max: TB, context: Context::Sighup,
        description: "Memory for one statement's sorts, hash tables and row sets; more is an error (53200)." },
    Def { name: "memory_limit", kind: Kind::Memory { unit: 1, grain: 1 }, default: "0", min: 0, max: 1 << 50, context: Context::Sighup,
        description: "Memory of the whole process: buffers, undo, statements, clients' messages. A statement that would pass it fails (53200). \
         0: three quarters of the machine's, or of its control group's." },
    Def { name: "ssl", kind: Kind::Bool, default: "off", min: 0, max: 0, context: Context::Sighup,
        description: "Encrypt TCP connections of clients that ask for it, by TLS. evenkeel tls create makes certificate and key." },
    Def { name: "ssl_cert_file", kind: Kind::Text, default: "server.crt", min: 0, max: 0, context: Context::Sighup,
        description: "File of the server's certificate, and of those that lead to its root, in PEM; relative to the database's folder." },
    Def { name: "ssl_key_file", kind: Kind::Text, default: "server.key", min: 0, max: 0, context: Context::Sighup,
        description: "File of the server's private key, in PEM, readable by its owner alone; relative to the database's folder." },
    Def { name: "ssl_ca_file", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Sighup,
        description: "File of the certificates that sign clients' certificates, in PEM; empty: clients show none." },
    Def { name: "ssl_crl_file", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Sighup,
        description: "File of the clients' certificates that are revoked, in PEM; empty: none are." },
    Def { name: "ssl_min_protocol_version", kind: Kind::Choice(&["TLSv1.2", "TLSv1.3"]), default: "TLSv1.2", min: 0, max: 0, context: Context::Sighup,
        description: "Oldest version of TLS that clients may use." },
    Def { name: "ssl_max_protocol_version", kind: Kind::Choice(&["", "TLSv1.2", "TLSv1.3"]), default: "", min: 0, max: 0, context: Context::Sighup,
        description: "Newest version of TLS that clients may use; empty: the newest there is." },
    Def { name: "tcp_keepalives_idle", kind: Kind::Time { unit: S, grain: S }, default: "0", min: 0, max: DAY, context: Context::Sighup,
        description: "Idle time before a keepalive is sent to a TCP client; 0: the system's default." },
    Def { name: "tcp_keepalives_interval", kind: Kind::Time { unit: S, grain: S }, default: "0", min: 0, max: DAY, context: Context::Sighup,
        description: "Time between keepalives that are not answered; 0: the system's default." },
    Def { name: "tcp_keepalives_count", kind: Kind::Integer, default: "0", min: 0, max: 127, context: Context::Sighup,
        description: "Unanswered keepalives after which a client is given up; 0: the system's default." },
    Def { name: "tcp_user_timeout", kind: Kind::Time { unit: MS, grain: MS }, default: "0", min: 0, max: DAY, context: Context::Sighup,
        description: "Time that sent data may stay unacknowledged before a TCP client is given up; 0: the system's default." },
    Def { name: "session_poll", kind: Kind::Time { unit: 1, grain: 1 }, default: "200us", min: 0, max: 10_000, context: Context::Postmaster,
        description: "Time that the sockets are watched, offering the core to others, before the watching worker sleeps, if nobody else is at work; 0: none." },
    Def { name: "session_workers", kind: Kind::Integer, default: "0", min: 0, max: 1024, context: Context::Postmaster,
        description: "Threads that serve sessions at a time, not counting those that wait; 0: one for each core." },
    Def { name: "log_connections", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Sighup,
        description: "What of connections is logged, separated by commas: receipt, authentication, authorization, setup_durations, all; on: the first three; empty: nothing." },
    Def { name: "log_disconnections", kind: Kind::Bool, default: "off", min: 0, max: 0, context: Context::Sighup,
        description: "Log the end of each session, and how long it was." },
    Def { name: "log_destination", kind: Kind::Text, default: "stderr", min: 0, max: 0, context: Context::Sighup,
        description: "Formats of the log, separated by commas: stderr (text), csvlog, jsonlog. Without logging_collector the first one goes to standard error." },
    Def { name: "logging_collector", kind: Kind::Bool, default: "off", min: 0, max: 0, context: Context::Sighup,
        description: "The log goes to files." },
    Def { name: "log_directory", kind: Kind::Text, default: "log", min: 0, max: 0, context: Context::Sighup,
        description: "Folder of the log's files; relative to the database's folder." },
    Def { name: "log_filename", kind: Kind::Text, default: "evenkeel-%Y-%m-%d_%H%M%S.log", min: 0, max: 0, context: Context::Sighup,
        description: "Names of the log's files, with the escapes of strftime; csvlog and jsonlog have .csv and .json in place of .log." },
    Def { name: "log_file_mode", kind: Kind::Mode, default: "0600", min: 0, max: 0o777, context: Context::Sighup,
        description: "Permissions of the log's files, as an octal file mode." },
    Def { name: "log_rotation_age", kind: Kind::Time { unit: MIN, grain: MIN }, default: "1d", min: 0, max: 365 * DAY, context: Context::Sighup,
        description: "Age at which a file of the log ends; 0: none." },
    Def { name: "log_rotation_size", kind: Kind::Memory { unit: KB, grain: KB }, default: "10MB", min: 0, max: TB, context: Context::Sighup,
        description: "Size at which a file of the log ends; 0: none." },
    Def { name: "log_truncate_on_rotation", kind: Kind::Bool, default: "off", min: 0, max: 0, context: Context::Sighup,
        description: "A file of the log whose name comes again after log_rotation_age is emptied, not appended to." },
    Def { name: "log_line_prefix", kind: Kind::Text, default: "%m [%p] ", min: 0, max: 0, context: Context::Sighup,
        description: "What lines of the log begin with, in text: %m time, %p session, %u user, %d database, %a application, %h host, %e SQLSTATE, %l line, %c session id, %s its start, %x transaction, %Q query id, %q nothing more but in sessions." },
    Def { name: "log_timezone", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Sighup,
        description: "Time zone of the log's times; empty: the machine's." },
    Def { name: "pg_stat_statements.max", kind: Kind::Integer, default: "5000", min: 100, max: 1_000_000, context: Context::Sighup,
        description: "Statements that are counted apart in pg_stat_statements; of more the least used go." },
    Def { name: "pg_stat_statements.save", kind: Kind::Bool, default: "on", min: 0, max: 0, context: Context::Postmaster,
        description: "Keep what was counted in pg_stat_statements when the server is stopped." },
    Def { name: "autovacuum", kind: Kind::Bool, default: "on", min: 0, max: 0, context: Context::Sighup,
        description: "Analyze tables by itself once enough of their rows have changed. (Old versions of rows are always removed.)" },
    Def { name: "autovacuum_naptime", kind: Kind::Time { unit: S, grain: S }, default: "1min", min: S, max: 24 * DAY, context: Context::Sighup,
        description: "Time between two looks for tables to analyze." },
    Def { name: "autovacuum_analyze_threshold", kind: Kind::Integer, default: "50", min: 0, max: i32::MAX as i64, context: Context::Sighup,
        description: "Rows that have to have changed before a table is analyzed, beside their share." },
    Def { name: "autovacuum_analyze_scale_factor", kind: Kind::Ratio, default: "0.1", min: 0, max: 10_000, context: Context::Sighup,
        description: "Share of a table's rows that has to have changed before it is analyzed, beside the threshold." },
    Def { name: "max_wal_senders", kind: Kind::Integer, default: "10", min: 0, max: 1000, context: Context::Sighup,
        description: "Replication connections at a time, apart from max_connections: standbys, and copies that are made for new ones (S25)." },
    Def { name: "wal_sender_timeout", kind: Kind::Time { unit: MS, grain: MS }, default: "1min", min: 0, max: DAY, context: Context::Sighup,
        description: "A standby that says nothing for so long is given up; 0: never." },
    Def { name: "wal_sender_images", kind: Kind::Choice(&["strip", "keep"]), default: "strip", min: 0, max: 0, context: Context::Sighup,
        description: "Whether standbys get the log's page images. strip: they need none, and the log is a tenth without them (S22)." },
    Def { name: "wal_sender_compression", kind: Kind::Choice(&["zstd", "off"]), default: "zstd", min: 0, max: 0, context: Context::Sighup,
        description: "How the log is packed on its way to standbys." },
    Def { name: "synchronous_standby_names", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Sighup,
        description: "Standbys that are to have what is told, by their slots' names: n (b, c), or ANY n (b, c); a star is everyone. Until they do, nobody is told of it (S25)." },
    Def { name: "primary_conninfo", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Sighup,
        description: "Of a standby: the server that it follows, as a connection string." },
    Def { name: "primary_slot_name", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Sighup,
        description: "Of a standby: the replication slot there that keeps log for it." },
    Def { name: "wal_receiver_timeout", kind: Kind::Time { unit: MS, grain: MS }, default: "1min", min: 0, max: DAY, context: Context::Sighup,
        description: "Of a standby: a primary that says nothing for so long is given up, and asked anew; 0: never." },
    Def { name: "wal_receiver_status_interval", kind: Kind::Time { unit: S, grain: S }, default: "10s", min: S, max: DAY, context: Context::Sighup,
        description: "Of a standby: it tells its primary how far it is so often at least, and whenever more of the log is durable here." },
    Def { name: "wal_retrieve_retry_interval", kind: Kind::Time { unit: MS, grain: MS }, default: "5s", min: MS, max: DAY, context: Context::Sighup,
        description: "Of a standby: time between attempts to reach the primary." },
    Def { name: "metrics_listen", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Postmaster,
        description: "Address and port where Prometheus finds metrics, and a browser a live page, by HTTP: 127.0.0.1:9187, say; with ssl by HTTPS. Any address that is not loopback needs ssl. Empty: nowhere." },
    Def { name: "metrics_hosts", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Sighup,
        description: "Names, separated by commas, by which the server may be called there, besides addresses and localhost." },
    Def { name: "metrics_token_file", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Sighup,
        description: "File of a token that lets its holder see metrics and the live page, one word, readable by its owner alone; relative to the database's folder. \
         Superusers and members of pg_monitor see them with their passwords, whether it is set or not." },
    Def { name: "otlp_endpoint", kind: Kind::Text, default: "", min: 0, max: 0, context: Context::Postmaster,
        description: "Where spans of statements go, by OTLP over HTTP, such as http://127.0.0.1:4318; empty: nowhere. The text of statements goes without its values. \
         Needs a build with the feature otlp." },
    Def { name: "otlp_sample_rate", kind: Kind::Ratio, default: "1", min: 0, max: 100, context: Context::Postmaster,
        description: "Which share of statements gives a span. Those that name a trace of their client (traceparent in a comment) are kept if that is." },
    Def { name: "pg_prewarm.autoprewarm", kind: Kind::Bool, default: "on", min: 0, max: 0, context: Context::Postmaster,
        description: "Keep which pages are in the buffers, and load them after the next start." },
    Def { name: "pg_prewarm.autoprewarm_interval", kind: Kind::Time { unit: S, grain: S }, default: "5min", min: 0, max: 24 * DAY, context: Context::Postmaster,
        description: "Time between two lists of the pages in the buffers; 0: only when the server ends." },
    // What tunes parts of PostgreSQL's that are not here: clients and scripts set it. No Id has it.
    unused("autovacuum_vacuum_cost_delay", MILLISECONDS, "2ms", (-MS, 100 * MS), Context::Sighup),
    unused("autovacuum_vacuum_cost_limit", Kind::Integer, "-1", (-1, 10_000), Context::Sighup),
    unused("autovacuum_vacuum_insert_scale_factor", Kind::Ratio, "0.2", (0, 10_000), Context::Sighup),
    unused("autovacuum_vacuum_insert_threshold", Kind::Integer, "1000", (-1, INT), Context::Sighup),
    unused("autovacuum_vacuum_max_threshold", Kind::Integer, "100000000", (-1, INT), Context::Sighup),
    unused("autovacuum_work_mem", KILOBYTES, "-1", (-KB, INT * KB), Context::Sighup),
    unused("autovacuum_worker_slots", Kind::Integer, "16", (1, 262_143), Context::Postmaster),
    unused("bgwriter_flush_after", BLOCKS, "512kB", (0, 256 * 8 * KB), Context::Sighup),
    unused("bgwriter_lru_maxpages", Kind::Integer, "100", (0, 1 << 30), Context::Sighup),
    unused("bgwriter_lru_multiplier", Kind::Ratio, "2", (0, 1000), Context::Sighup),
    unused("commit_timestamp_buffers", BLOCKS, "0", (0, GB), Context::Postmaster),
    unused("dynamic_shared_memory_type", Kind::Choice(&["posix", "sysv", "mmap"]), "posix", (0, 0), Context::Postmaster),
    unused("file_extend_method", Kind::Choice(&["posix_fallocate", "write_zeros"]), "posix_fallocate", (0, 0), Context::Sighup),
    unused("huge_page_size", KILOBYTES, "0", (0, INT * KB), Context::Postmaster),
    unused("huge_pages", Kind::Choice(&["off", "on", "try"]), "try", (0, 0), Context::Postmaster),
    unused("io_max_combine_limit", BLOCKS, "128kB", (8 * KB, 128 * 8 * KB), Context::Postmaster),
    unused("io_max_concurrency", Kind::Integer, "-1", (-1, 1024), Context::Postmaster),
    unused("io_method", Kind::Choice(&["sync", "worker", "io_uring"]), "worker", (0, 0), Context::Postmaster),
    unused("io_workers", Kind::Integer, "3", (1, 32), Context::Sighup),
    unused("jit_provider", Kind::Text, "llvmjit", (0, 0), Context::Postmaster),
    unused("max_active_replication_origins", Kind::Integer, "10", (0, 262_143), Context::Postmaster),
    unused("max_locks_per_transaction", Kind::Integer, "64", (10, INT), Context::Postmaster),
    unused("max_parallel_apply_workers_per_subscription", Kind::Integer, "2", (0, 1024), Context::Sighup),
    unused("max_pred_locks_per_page", Kind::Integer, "2", (0, INT), Context::Sighup),
    unused("max_pred_locks_per_relation", Kind::Integer, "-2", (-INT - 1, INT), Context::Sighup),
    unused("max_pred_locks_per_transaction", Kind::Integer, "64", (10, INT), Context::Postmaster),
    unused("max_sync_workers_per_subscription", Kind::Integer, "2", (0, 262_143), Context::Sighup),
    unused("min_dynamic_shared_memory", MEGABYTES, "0", (0, INT * MB), Context::Postmaster),
    unused("min_wal_size", MEGABYTES, "80MB", (2 * MB, INT * MB), Context::Sighup),
    unused("multixact_member_buffers", BLOCKS, "256kB", (16 * 8 * KB, GB), Context::Postmaster),
    unused("multixact_offset_buffers", BLOCKS, "128kB", (16 * 8 * KB, GB), Context::Postmaster),
    unused("notify_buffers", BLOCKS, "128kB", (16 * 8 * KB, GB), Context::Postmaster),
    unused("recovery_init_sync_method", Kind::Choice(&["fsync", "syncfs"]), "fsync", (0, 0), Context::Sighup),
    unused("serializable_buffers", BLOCKS, "256kB", (16 * 8 * KB, GB), Context::Postmaster),
    unused("shared_memory_type", Kind::Choice(&["sysv", "mmap"]), "mmap", (0, 0), Context::Postmaster),
    unused("subtransaction_buffers", BLOCKS, "0", (0, GB), Context::Postmaster),
    unused("track_activity_query_size", BYTES, "1kB", (100, MB), Context::Postmaster),
    unused("transaction_buffers", BLOCKS, "0", (0, GB), Context::Postmaster),
    unused("wal_decode_buffer_size", BYTES, "512kB", (64 * KB, GB - 1), Context::Postmaster),
    unused("wal_log_hints", Kind::Bool, "off", (0, 0), Context::Postmaster),
];

/// With less no statement would run, not even one that takes the setting back.
const MEMORY_LIMIT_MIN: i64 = 64 * MB;

/// Settings whose texts the log understands.
const LOG_TEXTS: [Id; 3] = [Id::LogDestination, Id::LogFilename, Id::LogTimezone];

/// `log_connections`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogsConnections {
    /// That it has come,
    pub receipt: bool,
    /// who it is,
    pub authentication: bool,
    /// that it may,
    pub authorization: bool,
    /// and how long that took.
    pub durations: bool,
}

impl LogsConnections {
    fn parse(text: &str) -> Result<LogsConnections, String> {
        let mut logs = LogsConnections::default();
        let on =
            LogsConnections { receipt: true, authentication: true, authorization: true, durations: false };
        let words: Vec<String> = text.split(',').map(|w| w.trim().to_ascii_lowercase()).collect();
        match &words[..] {
            // As of old.
            [one] if matches!(&**one, "" | "off" | "false" | "no" | "0") => return Ok(logs),
            [one] if matches!(&**one, "on" | "true" | "yes" | "1") => return Ok(on),
            _ => {}
        }
        for word in words {
            match &*word {
                "all" => logs = LogsConnections { durations: true, ..on },
                "receipt" => logs.receipt = true,
                "authentication" => logs.authentication = true,
                "authorization" => logs.authorization = true,
                "setup_durations" => logs.durations = true,
                _ => return Err(format!("Invalid option \"{word}\".")),
            }
        }
        Ok(logs)
    }
}

/// A value for each setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSettings(Values);

impl Default for ServerSettings {
    fn default() -> ServerSettings {
        ServerSettings(Values::of(TABLE))
    }
}

impl ServerSettings {
    /// Whether the server has a setting of this name.
    pub fn has(name: &str) -> bool {
        find(TABLE, name).is_ok()
    }

    /// Sets one from its text.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Mistake> {
        let place = find(TABLE, name)?;
        let value = TABLE[place].parse(value)?;
        if place == Id::MemoryLimit as usize
            && let Value::Number(1..MEMORY_LIMIT_MIN) = value
        {
            let least = TABLE[place].print(&Value::Number(MEMORY_LIMIT_MIN));
            let shown = TABLE[place].print(&value);
            return Err(Mistake::Value {
                message: format!("{shown} is outside the valid range for parameter \"{name}\""),
                hint: Some(format!("It is at least {least}, or 0 for three quarters of the machine's.")),
            });
        }
        if place == Id::SynchronousStandbyNames as usize
            && let Value::Text(text) = &value
            && let Err(why) = Synchronous::parse(text)
        {
            return Err(Mistake::Value {
                message: format!("invalid value for parameter \"{name}\": \"{text}\""),
                hint: Some(format!("{why}. Examples: b, 2 (b, c, d), ANY 1 (b, c)")),
            });
        }
        if place == Id::LogConnections as usize
            && let Value::Text(text) = &value
            && let Err(why) = LogsConnections::parse(text)
        {
            return Err(Mistake::Value {
                message: format!("invalid value for parameter \"{name}\": \"{text}\""),
                hint: Some(why),
            });
        }
        if let Value::Text(text) = &value
            && let Some(id) = LOG_TEXTS.into_iter().find(|id| *id as usize == place)
            && let Err(why) = crate::log::check_setting(id, text)
        {
            return Err(Mistake::Value {
                message: format!("invalid value for parameter \"{name}\": \"{text}\""),
                hint: Some(why),
            });
        }
        self.0.set(place, value);
        Ok(())
    }

    /// The standbys that are asked before anything is told; `None`: none.
    pub fn synchronous(&self) -> Option<Synchronous> {
        Synchronous::parse(self.text(Id::SynchronousStandbyNames)).ok().flatten()
    }

    /// What of connections is logged.
    pub(crate) fn logs_connections(&self) -> LogsConnections {
        LogsConnections::parse(self.text(Id::LogConnections)).unwrap_or_default()
    }

    /// `memory_limit` in bytes, where it is not known how large the machine is: none.
    pub fn memory_limit_bytes(&self) -> Option<usize> {
        match self.number(Id::MemoryLimit) as usize {
            0 => memory::machine_bytes().map(|bytes| bytes / 4 * 3),
            bytes => Some(bytes),
        }
    }

    /// The text of one, as SHOW prints it.
    pub fn show(&self, id: Id) -> String {
        TABLE[id as usize].print(self.0.get(id as usize))
    }

    /// All of them as SHOW and `pg_settings` give them. `port`: the one really listened on, if any.
    pub fn rows(&self, port: Option<u16>) -> Vec<Shown> {
        let mut rows = self.0.shown(TABLE);
        if let Some(port) = port {
            let row = &mut rows[Id::Port as usize];
            row.value = port.to_string();
            row.setting.clone_from(&row.value);
        }
        // What it comes to.
        if self.number(Id::MemoryLimit) == 0
            && let Some(bytes) = self.memory_limit_bytes()
        {
            let limit = Value::Number((bytes >> 20 << 20) as i64);
            let row = &mut rows[Id::MemoryLimit as usize];
            *row = TABLE[Id::MemoryLimit as usize].shown(&limit, row.source);
        }
        rows
    }

    /// Takes over from `new` what may change at run time; names the settings that differ but need a restart.
    pub fn reload(&mut self, new: &ServerSettings) -> Vec<&'static str> {
        self.0.reload(TABLE, &new.0)
    }

    /// The value of a setting that is a number: bytes, microseconds, a count.
    pub fn number(&self, id: Id) -> u64 {
        self.0.number(id as usize) as u64
    }

    /// The value of a setting that is a time.
    pub fn time(&self, id: Id) -> Duration {
        Duration::from_micros(self.number(id))
    }

    pub(crate) fn text(&self, id: Id) -> &str {
        self.0.text(id as usize)
    }

    /// The members of a comma-separated list.
    pub(crate) fn list(&self, id: Id) -> Vec<String> {
        self.text(id).split(',').map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect()
    }

    pub(crate) fn keepalive(&self) -> Keepalive {
        Keepalive {
            idle_s: self.time(Id::TcpKeepalivesIdle).as_secs(),
            interval_s: self.time(Id::TcpKeepalivesInterval).as_secs(),
            count: self.number(Id::TcpKeepalivesCount) as u32,
            user_timeout_ms: self.time(Id::TcpUserTimeout).as_millis() as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_name_their_rows() {
        assert_eq!(TABLE[Id::ListenAddresses as usize].name, "listen_addresses");
        assert_eq!(TABLE[Id::MaxConnections as usize].name, "max_connections");
        assert_eq!(TABLE[Id::SuperuserReservedConnections as usize].name, "superuser_reserved_connections");
        assert_eq!(TABLE[Id::MemoryLimit as usize].name, "memory_limit");
        assert_eq!(TABLE[Id::SslMaxProtocolVersion as usize].name, "ssl_max_protocol_version");
        assert_eq!(TABLE[Id::SessionPoll as usize].name, "session_poll");
        assert_eq!(TABLE[Id::LogConnections as usize].name, "log_connections");
        assert_eq!(TABLE[Id::AutovacuumNaptime as usize].name, "autovacuum_naptime");
        assert_eq!(TABLE[Id::WalSenderImages as usize].name, "wal_sender_images");
        assert_eq!(TABLE[Id::WalRetrieveRetryInterval as usize].name, "wal_retrieve_retry_interval");
        assert_eq!(TABLE[Id::MetricsTokenFile as usize].name, "metrics_token_file");
    }

    #[test]
    fn units_are_read_and_shown() {
        let mut s = ServerSettings::default();
        assert_eq!(s.show(Id::MaxMessageSize), "256MB");
        s.set("max_message_size", "1048576").unwrap();
        assert_eq!(s.show(Id::MaxMessageSize), "1MB");
        s.set("authentication_timeout", "1.5 min").unwrap();
        assert_eq!(s.time(Id::AuthenticationTimeout), Duration::from_secs(90));
        s.set("unix_socket_permissions", "0700").unwrap();
        assert_eq!(s.show(Id::UnixSocketPermissions), "0700");
        s.set("log_connections", "on").unwrap();
        assert_eq!(s.show(Id::LogConnections), "on");
    }

    #[test]
    fn what_of_connections_is_logged_is_a_list() {
        let of = |text: &str| {
            LogsConnections::parse(text).map(|l| [l.receipt, l.authentication, l.authorization, l.durations])
        };
        assert_eq!(of(""), Ok([false; 4]));
        assert_eq!(of("off"), Ok([false; 4]));
        assert_eq!(of("True"), Ok([true, true, true, false]));
        assert_eq!(of("receipt, setup_durations"), Ok([true, false, false, true]));
        assert_eq!(of("ALL"), Ok([true; 4]));
        assert_eq!(of("receipt,on"), Err("Invalid option \"on\".".into()));
        assert!(ServerSettings::default().set("log_connections", "some").is_err());
    }

    #[test]
    fn errors_name_the_setting() {
        let mut s = ServerSettings::default();
        for (name, value) in [
            ("max_connections", "0"),
            ("max_connections", "many"),
            ("memory_limit", "1"),
            ("port", "70000"),
            ("max_message_size", "3 parsecs"),
            ("authentication_timeout", "9999999999999999d"),
            ("local_authentication", "peer"),
        ] {
            assert!(s.set(name, value).unwrap_err().to_string().contains(name), "{name}");
        }
        assert!(matches!(s.set("nope", "1"), Err(Mistake::Unknown { .. })));
        assert_eq!(s, ServerSettings::default());
    }

    #[test]
    fn the_port_and_the_limit_are_shown_as_what_they_come_to() {
        let rows = ServerSettings::default().rows(Some(7));
        assert_eq!((&rows[Id::Port as usize].value[..], &rows[Id::Port as usize].setting[..]), ("7", "7"));
        assert_ne!(rows[Id::MemoryLimit as usize].value, "0");
    }
}
