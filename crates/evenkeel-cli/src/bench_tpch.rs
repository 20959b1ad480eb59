//! `evenkeel bench tpch`: its arguments, and what happens to the result.
//!
//! It must not know how anything is measured.

use std::io::{ErrorKind, Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use evenkeel_lab::bench_tpch::{self, Options, statements};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::bench::command_line;
use crate::bench_checkpoints::Shown;
use crate::bench_tpcc::ServersArgs;
use crate::output::Outputs;
use crate::{CliError, io_error};

pub(crate) const EXAMPLES: &str =
    "The 22 queries of TPC-H with the parameters that its specification gives for validation, one after the other. Our
server runs on a new database in the current folder or --data, which goes in the end, or is the one at --url.
Servers named by --against take turns with it, and their rows are compared with the first server's; each has the
tables in its schema evenkeel_tpch, which goes, too, unless --keep is given.

Examples:
  evenkeel bench tpch
  evenkeel bench tpch --runs 5 --against 'host=127.0.0.1 port=5432 user=postgres dbname=postgres'
  evenkeel bench tpch --shapes --against 'host=127.0.0.1 port=5432 user=postgres dbname=postgres'
  evenkeel bench tpch --scale 1 --only 1,6,18 --set work_mem=64MB --json tpch.json";

/// What to measure, and where.
#[derive(Debug, Args)]
pub(crate) struct TpchArgs {
    /// Size of the tables: 1 is about a gigabyte
    #[arg(long, short, value_name = "SCALE", default_value_t = 0.1, value_parser = scale)]
    pub scale: f64,
    /// Runs of each query that count, after one that does not; medians are shown
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Only these queries
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=bench_tpch::queries::QUERIES as i64))]
    pub only: Vec<u32>,
    /// Instead of the queries: a hundred shapes of statements over the same tables, each in a transaction that is rolled back
    #[arg(long, conflicts_with = "only")]
    pub shapes: bool,
    /// Instead of the queries: the statements of this file, one a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["only", "shapes"])]
    pub statements: Option<PathBuf>,
    /// Which servers
    #[command(flatten)]
    pub servers: ServersArgs,
    /// Leave the tables on the servers, and take them as they are if they are there
    #[arg(long)]
    pub keep: bool,
    /// Put everything into this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(scale) if (0.01..=1000.0).contains(&scale) => Ok(scale),
        _ => Err("a number from 0.01 to 1000".into()),
    }
}

/// Measures and prints.
pub(crate) fn tpch(args: &TpchArgs) -> Result<ExitCode, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(io_error("signal handler"))?;
    }
    let statements = match (&args.statements, args.shapes) {
        (Some(file), _) => {
            let text = std::fs::read_to_string(file).map_err(io_error(file.display().to_string()))?;
            let found = statements::of_text(&text);
            if found.is_empty() {
                let none = std::io::Error::new(ErrorKind::InvalidData, "there is no statement in it");
                return Err(io_error(file.display().to_string())(none));
            }
            found
        }
        (None, true) => statements::of_text(statements::SHAPES),
        (None, false) => Vec::new(),
    };
    let options = Options {
        statements,
        servers: args.servers.wanted()?,
        scale: args.scale,
        runs: args.runs,
        only: args.only.clone(),
        keep: args.keep,
        command: command_line(std::env::args().skip(1)),
    };
    let _outputs = Outputs::try_out(args.json.as_deref())?;
    let mut progress = Shown::new();
    let measured = bench_tpch::run(&options, &stop, &mut progress);
    progress.end();
    let report = measured?;
    bench_tpch::write_text(&report, &mut stdout().lock())
        .and_then(|()| stdout().flush())
        .map_err(io_error("standard output"))?;
    if let Some(file) = &args.json {
        std::fs::write(file, report.to_json() + "\n").map_err(io_error(file.display().to_string()))?;
    }
    let all_same = report.servers.iter().all(|s| s.differ.is_empty());
    Ok(if all_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
