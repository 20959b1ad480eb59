//! `evenkeel bench tpcc`: its arguments, and what happens to the result.
//!
//! It must not know how anything is measured.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use evenkeel_client::ConnString;
use evenkeel_lab::bench_checkpoints::rows::setting;
use evenkeel_lab::bench_checkpoints::{CLIENTS_MAX, Event};
use evenkeel_lab::bench_tpcc::{self, Options, WAREHOUSES_MAX};
use evenkeel_lab::curve::Curve;
use evenkeel_lab::turns::Wanted;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::bench::command_line;
use crate::bench_checkpoints::Shown;
use crate::output::Outputs;
use crate::{CliError, io_error};

pub(crate) const EXAMPLES: &str =
    "TPC-C as its specification has it, but that terminals neither key nor think unless --think is given: five
transactions, prepared statements over the wire, all twelve consistency conditions in the end. Our server runs on a
new database in the current folder or --data, which goes in the end, or is the one at --url. Servers named by
--against take turns with it; each has the tables in its schema evenkeel_tpcc, which goes, too, unless --keep is given.

With --think there should be ten terminals for each warehouse; each then makes about one new order in 50 seconds.

Examples:
  evenkeel bench tpcc --warehouses 4 --terminals 8 --seconds 60
  evenkeel bench tpcc --runs 5 --seconds 120 --against 'host=127.0.0.1 port=5432 user=postgres dbname=postgres'
  evenkeel bench tpcc --warehouses 10 --terminals 100 --think --seconds 1800 --json tpcc.json
  evenkeel bench tpcc --seconds 3600 --curve 'sine:10-60@20min+spikes:5x@30s/10min'
  evenkeel bench tpcc --url postgresql://ann@db/b --keep";

/// What to measure, and where.
#[derive(Debug, Args)]
pub(crate) struct TpccArgs {
    /// Size of the tables, about 100 MB each
    #[arg(long, short, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=i64::from(WAREHOUSES_MAX)))]
    pub warehouses: u32,
    /// Connections that run one transaction after another
    #[arg(long, short, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=i64::from(CLIENTS_MAX)))]
    pub terminals: u32,
    /// Terminals key and think as the specification says
    #[arg(long)]
    pub think: bool,
    /// Transactions of all terminals a second, as a curve: sine:30-300/min@10min, steps:100/s@60s,400/s@30s, file:PATH, +spikes:5x@20s/5min; response times count from when each was due
    #[arg(long, value_name = "CURVE", conflicts_with = "think")]
    pub curve: Option<Curve>,
    /// Something large beside it (W5): archive[=ROWS]@1h, load[=ROWS]@10min, index@30min, reader[=TIME]@15min, sh=COMMAND@10min; may be repeated
    #[arg(long, value_name = "EVENT")]
    pub event: Vec<Event>,
    /// Send the statements for the lines of an order one by one, instead of as batches
    #[arg(long)]
    pub no_batches: bool,
    /// Seconds of a run that count
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=864_000))]
    pub seconds: u32,
    /// Seconds of load before them
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=86_400))]
    pub warm_up: u32,
    /// Runs of each server; medians are shown
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Of the rows and of the terminals' choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
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

/// Servers that are measured.
#[derive(Debug, Args)]
pub(crate) struct ServersArgs {
    /// Measure the server there instead of starting one
    #[arg(long, value_name = "CONNSTRING", conflicts_with_all = ["data", "set"])]
    pub url: Option<ConnString>,
    /// Measure this server, too, in turns; may be repeated
    #[arg(long, value_name = "CONNSTRING")]
    pub against: Vec<ConnString>,
    /// A setting of our server; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// Make our server's folder in this one [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

impl ServersArgs {
    pub(crate) fn wanted(&self) -> Result<Wanted, CliError> {
        Ok(Wanted {
            url: self.url.clone(),
            against: self.against.clone(),
            settings: self.set.clone(),
            data: self.data.clone(),
            program: std::env::current_exe().map_err(io_error("this program"))?,
        })
    }
}

/// Measures and prints.
pub(crate) fn tpcc(args: &TpccArgs) -> Result<ExitCode, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(io_error("signal handler"))?;
    }
    let options = Options {
        servers: args.servers.wanted()?,
        warehouses: args.warehouses,
        terminals: args.terminals,
        think: args.think,
        curve: args.curve.clone(),
        events: args.event.clone(),
        batches: !args.no_batches,
        seconds: args.seconds,
        warm_up_seconds: args.warm_up,
        runs: args.runs,
        seed: args.seed,
        keep: args.keep,
        command: command_line(std::env::args().skip(1)),
    };
    let _outputs = Outputs::try_out(args.json.as_deref())?;
    let mut progress = Shown::new();
    let measured = bench_tpcc::run(&options, &stop, &mut progress);
    progress.end();
    let report = measured?;
    bench_tpcc::write_text(&report, &mut stdout().lock())
        .and_then(|()| stdout().flush())
        .map_err(io_error("standard output"))?;
    if let Some(file) = &args.json {
        std::fs::write(file, report.to_json() + "\n").map_err(io_error(file.display().to_string()))?;
    }
    Ok(ExitCode::SUCCESS)
}
