//! `evenkeel bench recovery`: its arguments, and what happens to the result.
//!
//! It must not know how anything is measured.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use evenkeel_lab::bench_checkpoints::rows::setting;
use evenkeel_lab::bench_checkpoints::{CLIENTS_MAX, find_pgbench};
use evenkeel_lab::bench_recovery::{self, Mix, Options, PostgresOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::bench::command_line;
use crate::bench_checkpoints::Shown;
use crate::output::Outputs;
use crate::{CliError, io_error};

pub(crate) const EXAMPLES: &str =
    "Our server runs pgbench on a database of its own with checkpoints held back, and is killed. Then it is started
again on copies of what the kill left, with prefetching and without; and the database is restored from a base
backup and the archive, as it was written and without page images. Before each recovery the files are dropped
from the system's cache. All this once with page images in the log and once without (double_write).

With --postgres-bin a PostgreSQL is made beside it, loaded, killed and started again in the same way. All
folders go at the end; they take several times the size of the database and of the log.

Examples:
  evenkeel bench recovery --seconds 60 --scale 50 --set shared_buffers=1GB
  evenkeel bench recovery --only crash --runs 3 --postgres-bin /usr/lib/postgresql/18/bin \\
      --set shared_buffers=1GB --postgres-set shared_buffers=1GB --postgres-set wal_compression=zstd
  evenkeel bench recovery --load tpcc-like --scale 10 --only archive
  evenkeel bench recovery --only archive --data /srv/slow-disk --json recovery.json";

/// What to measure, and where.
#[derive(Debug, Args)]
pub(crate) struct RecoveryArgs {
    /// Measure one kind of recovery only
    #[arg(long, value_name = "KIND", value_enum)]
    pub only: Option<Only>,
    /// A setting of our server; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// Measure PostgreSQL, too: the folder with its initdb and postgres
    #[arg(long, value_name = "DIR")]
    pub postgres_bin: Option<PathBuf>,
    /// A setting of that PostgreSQL; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, requires = "postgres_bin")]
    pub postgres_set: Vec<(String, String)>,
    /// The transactions, which pgbench runs
    #[arg(long, value_enum, default_value_t = Transactions::SimpleUpdate)]
    pub load: Transactions,
    /// The pgbench to use [default: the one in PATH]
    #[arg(long, value_name = "PATH")]
    pub pgbench: Option<PathBuf>,
    /// Size of the tables: 100,000 accounts each, or a warehouse of about 100 MB each
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub scale: u32,
    /// Clients at the same time
    #[arg(long, short, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=i64::from(CLIENTS_MAX)))]
    pub clients: u32,
    /// Threads of pgbench
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub jobs: u32,
    /// Seconds of load before the kill
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub seconds: u32,
    /// Recoveries of each line; medians are shown
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub runs: u32,
    /// Make all folders in this one [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Put everything into this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Kinds of recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// After a kill
    Crash,
    /// From a base backup and the archive
    Archive,
}

/// What pgbench runs.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Transactions {
    /// An account and the history (-N)
    SimpleUpdate,
    /// Branches and tellers, too
    TpcbLike,
    /// Orders, payments and deliveries in the shares of TPC-C
    TpccLike,
}

/// Measures and prints.
pub(crate) fn recovery(args: &RecoveryArgs) -> Result<ExitCode, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(io_error("signal handler"))?;
    }
    let options = Options {
        rows: bench_recovery::rows(args.only != Some(Only::Archive), args.only != Some(Only::Crash)),
        postgres: args
            .postgres_bin
            .clone()
            .map(|bin| PostgresOptions { bin, settings: args.postgres_set.clone() }),
        pgbench: find_pgbench(args.pgbench.as_deref())?,
        mix: match args.load {
            Transactions::SimpleUpdate => Mix::SimpleUpdate,
            Transactions::TpcbLike => Mix::TpcbLike,
            Transactions::TpccLike => Mix::TpccLike,
        },
        clients: args.clients,
        jobs: args.jobs,
        scale: args.scale,
        seconds: args.seconds,
        runs: args.runs,
        settings: args.set.clone(),
        data: args.data.clone(),
        program: std::env::current_exe().map_err(io_error("this program"))?,
        command: command_line(std::env::args().skip(1)),
    };
    let _outputs = Outputs::try_out(args.json.as_deref())?;
    let mut progress = Shown::new();
    let measured = bench_recovery::run(&options, &stop, &mut progress);
    progress.end();
    let report = measured?;
    bench_recovery::write_text(&report, &mut stdout().lock())
        .and_then(|()| stdout().flush())
        .map_err(io_error("standard output"))?;
    if let Some(file) = &args.json {
        std::fs::write(file, report.to_json() + "\n").map_err(io_error(file.display().to_string()))?;
    }
    Ok(ExitCode::SUCCESS)
}
