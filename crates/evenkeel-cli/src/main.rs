//! The `evenkeel` command.
//!
//! Duty: its arguments, and which module does what they ask for. Every command returns the process's exit code: 0 good, 1 a
//! problem that was reported, 3 a server whose engine stopped: started again it recovers.
//!
//! It must not know how anything is done.

mod alter_system;
mod backup;
mod bench;
mod bench_checkpoints;
mod bench_recovery;
mod bench_tpcc;
mod bench_tpch;
mod check;
mod cluster;
mod config;
mod config_file;
mod control;
mod create;
mod doctor;
mod folder;
mod in_force;
mod interrupt;
mod lab;
mod lab_disk;
mod logdisk;
mod mark;
mod notify;
mod os_user;
mod output;
mod packaging;
mod passwd;
mod prewarm;
mod recovery_bar;
mod restore;
mod serve;
mod settings;
mod sql;
mod standby;
mod table;
mod time;
mod tls;
mod wal;
mod way_in;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand, ValueEnum};
use evenkeel_client::ConnString;
use evenkeel_lab::bench_commits::{self, Rate};
use tracing_subscriber::filter::LevelFilter;

/// So that `memory_limit` means all memory.
#[global_allocator]
static ALLOCATOR: evenkeel_types::guard::memory::Counting = evenkeel_types::guard::memory::Counting;

/// A transactional storage engine with a PostgreSQL-compatible server.
#[derive(Debug, Parser)]
#[command(name = "evenkeel", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  evenkeel serve                              serve ./evenkeel-data on 127.0.0.1:5433
  psql -h 127.0.0.1 -p 5433 postgres          connect to it
  evenkeel sql ./evenkeel-data 'SELECT 1'     run a statement without a server
  evenkeel backup create                      back up ./evenkeel-data, in use or not, into its archive
  evenkeel check ./evenkeel-data              verify pages, trees and indexes
  evenkeel doctor                             what is wrong with disk, settings, archive, standbys, or will be
  evenkeel restore /srv/archive ./then        go back to any moment of an archived database
  evenkeel logdisk /srv/db                    find the log settings that suit a disk
  evenkeel lab                                the design threads' questions, each answered here in one command
  evenkeel bench commits --embedded           how many durable commits the engine makes here
  evenkeel bench checkpoints                  what checkpoints do to latency, as a table and a page
  evenkeel bench recovery                     how fast a database comes back after a kill, or from an archive
  evenkeel settings                           list all settings with their values and defaults

Each command has its own --help.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve a database to PostgreSQL clients
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Box<ServeArgs>),
    /// Run statements on a database without a server
    #[command(after_help = SQL_EXAMPLES)]
    Sql(SqlArgs),
    /// Verify that a database is in order
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Look into the write-ahead log
    Wal {
        #[command(subcommand)]
        command: wal::WalCommand,
    },
    /// Make, list, verify and remove base backups
    Backup {
        #[command(subcommand)]
        command: backup::BackupCommand,
    },
    /// Name this moment, to restore to
    #[command(after_help = mark::EXAMPLES)]
    Mark(mark::MarkArgs),
    /// Make servers that follow this one, and can take over
    Standby {
        #[command(subcommand)]
        command: standby::StandbyCommand,
    },
    /// Make a primary of a standby
    #[command(after_help = standby::promote::EXAMPLES)]
    Promote(standby::promote::PromoteArgs),
    /// Make a standby of a server that was a primary, without a new copy
    #[command(after_help = standby::rejoin::EXAMPLES)]
    Rejoin(standby::rejoin::RejoinArgs),
    /// Show a cluster, or have a member go
    #[command(after_help = cluster::EXAMPLES)]
    Cluster {
        #[command(subcommand)]
        command: cluster::ClusterCommand,
    },
    /// Restore a database from its archive, as it was at any moment
    #[command(after_help = restore::EXAMPLES)]
    Restore(Box<restore::RestoreArgs>),
    /// Say what is wrong with a database's surroundings, or will be, and what to do about it
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::DoctorArgs),
    /// Ask whether a server is ready
    #[command(after_help = packaging::READY_EXAMPLES)]
    Ready(packaging::ReadyArgs),
    /// Print a script that completes commands and options in a shell
    #[command(after_help = packaging::COMPLETIONS_EXAMPLES)]
    Completions(packaging::CompletionsArgs),
    /// Write manual pages
    #[command(after_help = packaging::MAN_EXAMPLES)]
    Man(packaging::ManArgs),
    /// List all settings: values, defaults, units, what changing them takes
    #[command(after_help = SETTINGS_EXAMPLES)]
    Settings(SettingsArgs),
    /// Measure how this disk takes log output best, and whether it can be trusted
    #[command(after_help = LOGDISK_EXAMPLES)]
    Logdisk(LogdiskArgs),
    /// Answer the design threads' questions on this machine, each in one command: checkpoints, background writer, log, recovery
    #[command(after_help = lab::EXAMPLES)]
    Lab(Box<lab::LabArgs>),
    /// Measure the engine on this machine, beside other servers
    Bench {
        #[command(subcommand)]
        command: BenchCommand,
    },
    /// Make certificates for encrypted connections
    Tls {
        #[command(subcommand)]
        command: tls::TlsCommand,
    },
    /// Make a password's verifier for the configuration file
    #[command(after_help = PASSWD_EXAMPLES)]
    Passwd {
        /// The user's name
        user: String,
    },
}

const SERVE_EXAMPLES: &str = "The database is created in an empty or missing folder.

Examples:
  evenkeel serve
  evenkeel serve --data /srv/db --set shared_buffers=1GB
  evenkeel serve --listen 127.0.0.1:5433 --listen [::1]:5433
  evenkeel serve --data /srv/db --config /etc/evenkeel.toml --listen 0.0.0.0:5432

The configuration file is TOML: setting names as keys, and verifiers of passwords in [users].
    shared_buffers = \"1GB\"
    max_connections = 100
    [users]
    ann = \"SCRAM-SHA-256$4096:...\"     # from: evenkeel passwd ann

Clients on this machine are trusted unless local_authentication is scram-sha-256. Listening on any
other address needs [users]; whoever comes in there must give a password. Where the database's
folder has a pg_hba.conf, in PostgreSQL's format, that decides instead.

With ssl = on, connections are encrypted for clients that ask for it: evenkeel tls create makes
the certificate.

Signals: SIGTERM and SIGINT finish cleanly, a second one exits at once; SIGHUP reads the
configuration, certificates and pg_hba.conf again.

Exit codes: 0 after a clean stop, 1 if it could not start or stop, 3 if the engine had to stop (a
failed write, a defect): started again it recovers. A service manager is told of readiness
(sd_notify): Type=notify.";

/// How to serve.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    /// Folder of the database
    #[arg(long, value_name = "DIR", default_value = "./evenkeel-data")]
    pub data: PathBuf,
    /// Listen here instead of listen_addresses and port; may be repeated
    #[arg(long, value_name = "ADDR:PORT", value_parser = listen)]
    pub listen: Vec<String>,
    /// Show metrics for Prometheus and a live page here; the same as --set metrics_listen=ADDR:PORT
    #[arg(long, value_name = "ADDR:PORT", value_parser = listen)]
    pub metrics_listen: Option<String>,
    /// Configuration file [default: DIR/evenkeel.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Start from a named group of settings; an unknown name lists them
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Set a setting, over the configuration file and the preset; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// How much to log, to standard error
    #[arg(long, value_enum, default_value_t = LogLevel::Info)]
    pub log_level: LogLevel,
    /// Be a member of this cluster, which elects who leads, and fails over by itself: etcd://HOST:PORT[,HOST:PORT…]/NAME
    #[arg(long, value_name = "URL")]
    pub cluster: Option<evenkeel_cluster::ClusterUrl>,
    #[command(flatten)]
    pub membership: cluster::Membership,
    /// It ends, at once, when standard input does: whoever started it is gone
    #[arg(long, hide = true)]
    pub bound: bool,
    /// Orders come on standard input
    #[arg(long, hide = true)]
    pub member: bool,
    /// The log belongs to this epoch
    #[arg(long, hide = true)]
    pub epoch: Option<u64>,
    /// What was promised
    #[arg(long, hide = true)]
    pub promised: Option<u64>,
    /// Whom to ask
    #[arg(long, hide = true)]
    pub synchronous: Option<String>,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LogLevel {
    /// What went wrong.
    Error,
    /// And what may.
    Warn,
    /// And what the server does.
    Info,
    /// And each connection.
    Debug,
    /// And more than anyone wants.
    Trace,
}

fn listen(text: &str) -> Result<String, String> {
    if text.is_empty() || text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!(
            "expected an address and a port, such as 127.0.0.1:{}",
            if text.is_empty() { "5433" } else { text }
        ));
    }
    Ok(text.to_owned())
}

const SETTINGS_EXAMPLES: &str =
    "Values are those that `evenkeel serve` would start with, given the same --data, --config and --set. A
setting changes by a restart, by a reload (SIGHUP), or by SET in a session.

Examples:
  evenkeel settings
  evenkeel settings checkpoint bgwriter
  evenkeel settings --config /etc/evenkeel.toml --set shared_buffers=1GB
  evenkeel settings --preset kondo-v4
  evenkeel settings --csv";

/// Which configuration, and how to print it.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Only those with one of these in their names
    #[arg(value_name = "PART")]
    pub names: Vec<String>,
    /// Folder of the database, for the configuration file in it
    #[arg(long, value_name = "DIR", default_value = "./evenkeel-data")]
    pub data: PathBuf,
    /// Configuration file [default: DIR/evenkeel.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Start from a named group of settings, and print it; an unknown name lists them
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Set a setting, over the configuration file and the preset; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Print comma-separated values
    #[arg(long)]
    pub csv: bool,
}

const SQL_EXAMPLES: &str =
    "Each argument is one script of statements, run as one transaction unless it says otherwise; - reads
one from standard input. COPY ... FROM STDIN takes its data from there, too.

Examples:
  evenkeel sql ./evenkeel-data 'CREATE TABLE t(a int PRIMARY KEY)' 'INSERT INTO t VALUES (1), (2)'
  evenkeel sql ./evenkeel-data 'SELECT * FROM t' --csv
  evenkeel sql ./evenkeel-data - < schema.sql

Exit code: 0 when every statement succeeded, 1 at the first that did not.";

/// What to run, and how to print it.
#[derive(Debug, Args)]
pub(crate) struct SqlArgs {
    /// Folder of the database
    #[arg(value_name = "DIR")]
    pub data: PathBuf,
    /// Statements, or - for standard input
    #[arg(value_name = "STATEMENT", required = true)]
    pub statements: Vec<String>,
    /// Print results as comma-separated values
    #[arg(long)]
    pub csv: bool,
    /// Print rows only: no headings, row counts or command tags
    #[arg(short, long)]
    pub tuples_only: bool,
    /// Create the database if the folder is empty or missing
    #[arg(long)]
    pub create: bool,
    /// Set a setting; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

const CHECK_EXAMPLES: &str =
    "Checks every page's checksum, every tree's order and links, every index against its table, that all
space is accounted for, and that the log that may be needed can be read. Opening recovers the database first if that is needed. No server may have it.
A standby is checked as far as it has replayed, and stays one: it goes on when it is served again.

Example:
  evenkeel check ./evenkeel-data

Exit code: 0 when nothing is wrong; 1 otherwise, with one line for each problem.";

/// What to check.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Folder of the database
    #[arg(value_name = "DIR")]
    pub data: PathBuf,
    /// Set a setting; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

const LOGDISK_EXAMPLES: &str =
    "Writes test files of some 50 MB into DIR as the engine writes its log: with every method of making
writes durable, several block sizes and depths, streams of commits from 1 to 64 clients. Prints what it
measured and the settings to use, with reasons; and warns when the drive confirms sooner than it could
have written. Files are removed at the end, also after Ctrl-C. Nothing else should use the disk.

Examples:
  evenkeel logdisk /srv/db
  evenkeel logdisk /srv/db --for throughput --write /srv/db/evenkeel.toml
  evenkeel logdisk --quick --json > disk.json

Exit code: 0 when it was measured, with or without warnings; 1 otherwise, and when --write changed
nothing because the machine was too busy for the figures to be reliable.";

/// What to measure, and what to do with it.
#[derive(Debug, Args)]
pub(crate) struct LogdiskArgs {
    /// Folder on the disk that is to hold the log
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// What the settings are to be best at
    #[arg(long = "for", value_name = "GOAL", value_enum, default_value_t = Goal::Latency)]
    pub goal: Goal,
    /// How long to measure, about [default: 45]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Measure for 10 seconds only
    #[arg(long, conflicts_with = "seconds")]
    pub quick: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Put the settings that this version has into this configuration file; keep what else is there
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
}

/// What log settings can be best at.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Goal {
    /// Commits wait least
    Latency,
    /// Most commits and megabytes a second
    Throughput,
    /// Least log
    Space,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (1.0..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number from 1 to 86400".into()),
    }
}

/// What to measure.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Durable commits a second, commits a flush, and latency, by number of clients
    #[command(after_help = COMMITS_EXAMPLES)]
    Commits(Box<CommitsArgs>),
    /// What checkpoints do to latency, second by second: presets, settings, other servers
    #[command(after_help = bench_checkpoints::EXAMPLES)]
    Checkpoints(Box<bench_checkpoints::CheckpointsArgs>),
    /// How fast a database comes back after a kill, and from an archive
    #[command(after_help = bench_recovery::EXAMPLES)]
    Recovery(Box<bench_recovery::RecoveryArgs>),
    /// TPC-C: new orders a minute and response times, here and on other servers
    #[command(after_help = bench_tpcc::EXAMPLES)]
    Tpcc(Box<bench_tpcc::TpccArgs>),
    /// TPC-H: seconds of its 22 queries, and their rows beside other servers'
    #[command(after_help = bench_tpch::EXAMPLES)]
    Tpch(Box<bench_tpch::TpchArgs>),
}

const COMMITS_EXAMPLES: &str =
    "Each client inserts rows into a table of its own and commits each durably. Without --embedded the clients
come over the wire: to a server started in this process on the same folder, or to the one at --url.
With --against the same runs on other servers in turn; ratios are taken within each run. The tables, named
evenkeel_bench_0 and so on, are created anew and removed, and so is the folder if --data does not name it.

A point takes --seconds and a fifth more to warm up; all of them, times runs, times servers. With
--rate commits are due at random times whatever becomes of them, and latency counts from when they
were due; a share, such as 50%, is of what the first target does at full speed.

Connection strings are postgresql://user:password@host:port/database or 'host=... port=... user=...
dbname=...'; PGPASSWORD counts, and so do libpq's sslmode, sslrootcert and their like.

Examples:
  evenkeel bench commits --embedded --raw --clients 1
  evenkeel bench commits --data /srv/db --set shared_buffers=1GB
  evenkeel bench commits --against postgresql://postgres@127.0.0.1:5432/postgres --runs 5
  evenkeel bench commits --clients 8 --rate 50% --seconds 10
  evenkeel bench commits --url postgresql://ann@db/b --json commits.json";

/// What to measure, and where.
#[derive(Debug, Args)]
pub(crate) struct CommitsArgs {
    /// Call the engine in this process, without a server
    #[arg(long, conflicts_with_all = ["url", "against"])]
    pub embedded: bool,
    /// Folder of the database; created if it is empty or missing [default: a new one here, removed in the end]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Measure the server there instead of starting one
    #[arg(long, value_name = "CONNSTRING", conflicts_with_all = ["data", "set"])]
    pub url: Option<ConnString>,
    /// Measure this server, too, in turns; may be repeated
    #[arg(long, value_name = "CONNSTRING")]
    pub against: Vec<ConnString>,
    /// Numbers of clients, a point each
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,4,8,16,64", value_parser = clients)]
    pub clients: Vec<u32>,
    /// Seconds of a point, after its warm-up
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = point_seconds)]
    pub seconds: f64,
    /// Times that each point is measured; medians are shown
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Commits a second of all clients together, or a share of full speed (50%) [default: each commits again at once]
    #[arg(long, value_name = "N|SHARE%", conflicts_with = "raw")]
    pub rate: Option<Rate>,
    /// Bytes of a row besides its key
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=i64::from(bench_commits::BYTES_MAX)))]
    pub bytes: u32,
    /// Set a setting of the database; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Measure the bare disk, too: one durable write at a time with as many bytes as a commit has
    #[arg(long, requires = "embedded")]
    pub raw: bool,
    /// Put the result with every run into this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

fn clients(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(n) if (1..=bench_commits::CLIENTS_MAX).contains(&n) => Ok(n),
        _ => Err(format!("expected numbers from 1 to {}, with commas", bench_commits::CLIENTS_MAX)),
    }
}

fn point_seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.05..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number from 0.05 to 86400".into()),
    }
}

const PASSWD_EXAMPLES: &str =
    "Asks for the password, or reads it as a line from standard input, and prints the line that belongs under
[users] in the configuration file. The verifier does not reveal the password.

Example:
  evenkeel passwd ann >> evenkeel.toml";

fn main() -> ExitCode {
    let cli = Cli::parse();
    // A file that may not grow is an error of whoever wants it to (EFBIG), not the end of the process; what cannot be had is left as it is.
    let _ = signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), Arc::default());
    // A server logs as it is told. Whoever opens a folder by another command is told of what may go wrong, a healed log say.
    if matches!(
        cli.command,
        Command::Sql(_) | Command::Check(_) | Command::Doctor(_) | Command::Mark(_) | Command::Backup { .. }
    ) {
        let warnings = tracing_subscriber::fmt().without_time().with_target(false).with_ansi(false);
        warnings.with_max_level(LevelFilter::WARN).with_writer(std::io::stderr).init();
    }
    let result = match cli.command {
        Command::Serve(args) if args.cluster.is_some() => cluster::run(*args),
        Command::Serve(args) => serve::run(&args),
        Command::Cluster { command } => cluster::manage(&command),
        Command::Sql(args) => sql::run(args),
        Command::Check(args) => check::run(args),
        Command::Wal { command } => wal::run(command),
        Command::Backup { command } => backup::run(command),
        Command::Mark(args) => mark::run(&args),
        Command::Standby { command } => standby::run(&command),
        Command::Promote(args) => standby::promote::run(&args),
        Command::Rejoin(args) => standby::rejoin::run(&args),
        Command::Logdisk(args) => logdisk::run(&args),
        Command::Lab(args) => lab::run(&args),
        Command::Bench { command: BenchCommand::Commits(args) } => bench::commits(&args),
        Command::Bench { command: BenchCommand::Checkpoints(args) } => bench_checkpoints::checkpoints(&args),
        Command::Bench { command: BenchCommand::Recovery(args) } => bench_recovery::recovery(&args),
        Command::Bench { command: BenchCommand::Tpcc(args) } => bench_tpcc::tpcc(&args),
        Command::Bench { command: BenchCommand::Tpch(args) } => bench_tpch::tpch(&args),
        Command::Restore(args) => restore::run(&args),
        Command::Ready(args) => packaging::ready(&args),
        Command::Completions(args) => packaging::completions(&args),
        Command::Man(args) => packaging::man(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Settings(args) => settings::run(&args),
        Command::Tls { command } => tls::run(&command),
        Command::Passwd { user } => passwd::run(&user),
    };
    // What a server has told is written before its process ends.
    evenkeel_server::log::flush(std::time::Duration::from_secs(1));
    match result {
        Ok(code) => code,
        // Whoever reads our output, such as head, has seen enough.
        Err(CliError::Io { source, .. }) if source.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("evenkeel: {e}");
            ExitCode::FAILURE
        }
    }
}

/// What stops a command before or after its own reporting.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] config::ConfigError),
    /// The engine says no.
    #[error("{0}")]
    Engine(#[from] evenkeel::Error),
    /// The SQL layer says no.
    #[error("{}", .0.message)]
    Sql(#[from] evenkeel_sql::SqlError),
    /// The server could not start.
    #[error(transparent)]
    Start(#[from] evenkeel_server::StartError),
    /// The disk could not be measured.
    #[error(transparent)]
    Logdisk(#[from] evenkeel_lab::logdisk::Error),
    /// The commits could not be measured.
    #[error(transparent)]
    Bench(#[from] evenkeel_lab::bench_commits::Error),
    /// Checkpoints could not be measured.
    #[error(transparent)]
    Checkpoints(#[from] evenkeel_lab::bench_checkpoints::Error),
    /// Files or streams.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The folder cannot be used.
    #[error("{0}")]
    Folder(String),
}

/// An I/O error with what was tried.
pub(crate) fn io_error(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> CliError {
    let what = what.into();
    move |source| CliError::Io { what, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
