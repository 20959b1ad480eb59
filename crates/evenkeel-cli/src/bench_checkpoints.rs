//! `evenkeel bench checkpoints`: its arguments, and what happens to the result.
//!
//! It must not know how anything is measured.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use evenkeel_client::ConnString;
use evenkeel_lab::bench_checkpoints::rows::setting;
use evenkeel_lab::bench_checkpoints::{
    self, CLIENTS_MAX, Event, LoadKind, Options, Progress, Rate, RowArgs, find_pgbench,
};
use evenkeel_lab::bench_commits::Wire;
use evenkeel_lab::curve::Curve;
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::bench::command_line;
use crate::output::Outputs;
use crate::{CliError, io_error};

/// Steps of the progress bar.
const BAR_STEPS: u64 = 1000;

pub(crate) const EXAMPLES: &str =
    "Each row of the table is a system with settings. Our server is started for each row, by this program, on a
database that is created and loaded once and goes at the end; PostgreSQL (15 or later) runs already. Each row
runs once at each rate; latency counts from when a transaction was due. The tables are pgbench's, in the
database that --against names; they go if they were not there before. Of PostgreSQL's settings those are
changed that --checkpoint-timeout, --max-wal-size and --against-set name, by ALTER SYSTEM, and put back in the
end, also after Ctrl-C; that takes a superuser. If every --against names the folder of a Unix socket
(host=/run/postgresql), the clients of ours use one, too; else all use TCP.

Rows:
  --preset NAME,...               a row for each named group of settings (evenkeel settings --help)
  --row 'label: name=value ...'   a row of your own; preset=NAME is one of its pairs, and outside_sync=5-10, which
                                  calls sync() from outside every 5 to 10 seconds
  --with-held-back                the first row without any checkpoint: what is left is the load itself
  --against CONNSTRING            a running server
Without --preset and --row, the one row of ours is the server as it comes.

A load that changes: --curve takes a sine from a low to a high rate, steps, or a file with a line 'seconds rate' for
each change; +spikes:5x@20s/5min multiplies the rate by 5 for 20 s, once at a random moment of every five minutes (the
same in each row). --event has something happen beside it, first after half its interval: archive[=ROWS] (10,000
accounts are changed and copied away), load[=ROWS] (a new table), index (built and dropped CONCURRENTLY), reader[=TIME] (a snapshot
that is kept), sh=COMMAND (with PGHOST, PGPORT, PGUSER, PGDATABASE: a backup). The worst minutes are shown with what
happened in them, all minutes on the page; rows are compared by their median and worst minutes, without those in
which the machine itself stood still.

A series of 5 minutes a row takes long: --resume FILE keeps finished runs, and takes them from there when the
same command is given again; rows, rates and --runs may be added.

Examples:
  evenkeel bench checkpoints --seconds 60 --checkpoint-timeout 20s
  evenkeel bench checkpoints --preset classic,evenkeel --with-held-back --scale 50 --rate 0,4000 \\
      --checkpoint-timeout 30s --against 'host=127.0.0.1 port=5432 user=postgres dbname=b' --resume series.json
  evenkeel bench checkpoints --row '4: checkpoint_partitions=4' --row '64: checkpoint_partitions=64' --data /srv/disk
  evenkeel bench checkpoints --load wire --seconds 10800 --curve 'sine:30-300/min@20min+spikes:10x@30s/10min' \\
      --event archive@1h --event index@90min --event reader=5min@1h
  evenkeel bench checkpoints --load embedded --rate-share 0.7 --set shared_buffers=256MB";

/// What to measure, and where.
#[derive(Debug, Args)]
pub(crate) struct CheckpointsArgs {
    /// A row for each of these presets
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = "Rows")]
    pub preset: Vec<String>,
    /// A row with settings of its own: 'label: name=value ... preset=NAME'; may be repeated
    #[arg(long, value_name = "ROW", help_heading = "Rows")]
    pub row: Vec<String>,
    /// A setting of every row of ours; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Rows")]
    pub set: Vec<(String, String)>,
    /// Add the control row: the first one with its rounds held back
    #[arg(long, help_heading = "Rows")]
    pub with_held_back: bool,
    /// A row for this running server; may be repeated
    #[arg(long, value_name = "CONNSTRING", help_heading = "Rows")]
    pub against: Vec<ConnString>,
    /// A setting of running servers while they are measured; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Rows")]
    pub against_set: Vec<(String, String)>,
    /// A shell command before each row of a running server, to restart it say
    #[arg(long, value_name = "COMMAND", requires = "against", help_heading = "Rows")]
    pub against_before: Option<String>,
    /// Measure running servers only
    #[arg(long, requires = "against", conflicts_with_all = ["preset", "row", "with_held_back"], help_heading = "Rows")]
    pub only_against: bool,
    /// checkpoint_timeout of all rows
    #[arg(long, value_name = "TIME", help_heading = "Rows")]
    pub checkpoint_timeout: Option<String>,
    /// max_wal_size of all rows
    #[arg(long, value_name = "SIZE", help_heading = "Rows")]
    pub max_wal_size: Option<String>,

    /// What issues the transactions
    #[arg(long, value_enum, default_value_t = Kind::Pgbench, help_heading = "Load")]
    pub load: Kind,
    /// The pgbench to use [default: the one in PATH]
    #[arg(long, value_name = "PATH", help_heading = "Load")]
    pub pgbench: Option<PathBuf>,
    /// Size of the tables, 100,000 accounts each
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=20_000), help_heading = "Load")]
    pub scale: u32,
    /// Clients at the same time
    #[arg(long, short, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=i64::from(CLIENTS_MAX)), help_heading = "Load")]
    pub clients: u32,
    /// Threads of pgbench
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Load")]
    pub jobs: u32,
    /// Transactions a second, 0 for full speed, or a share of it (70%): a run of each row for each
    #[arg(long, value_name = "RATE,...", value_delimiter = ',', help_heading = "Load")]
    pub rate: Vec<Rate>,
    /// As --rate with a percentage: 0.7 is 70%
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Load")]
    pub rate_share: Option<f64>,
    /// A rate that changes, instead of --rate: a sine, steps, or a trace from a file (clients of ours: --load wire)
    #[arg(long, value_name = "CURVE", conflicts_with_all = ["rate", "rate_share"], help_heading = "Load")]
    pub curve: Option<Curve>,
    /// What happens now and then beside the load: archive@1h, load@10min, index@30min, reader@15min; may be repeated
    #[arg(long, value_name = "EVENT", help_heading = "Load")]
    pub event: Vec<Event>,
    /// Shares are of the first row's full speed, so that all rows get the same load
    #[arg(long, help_heading = "Load")]
    pub share_of_first: bool,
    /// A transaction over it is late; throttled, one that could not begin within it is skipped
    #[arg(long, value_name = "MS", default_value = "100", value_parser = milliseconds, help_heading = "Load")]
    pub limit_ms: f64,
    /// Seconds that count
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400), help_heading = "Load")]
    pub seconds: u32,
    /// Seconds of load before them
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=86_400), help_heading = "Load")]
    pub warmup_seconds: u32,
    /// Times that each row runs at each rate; medians are shown
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Load")]
    pub runs: u32,

    /// Make our database's folder, evenkeel-bench-checkpoints, in this one [default: the current one]
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub data: Option<PathBuf>,
    /// Load the tables anew for every run; those that were there before on running servers stay as they are
    #[arg(long, help_heading = "Files")]
    pub fresh: bool,
    /// Leave loaded tables for the next time, and use those that are there
    #[arg(long, conflicts_with = "fresh", help_heading = "Files")]
    pub keep_data: bool,
    /// pgbench's logs go here, off the measured disk [default: memory]
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub log_dir: Option<PathBuf>,
    /// The page with the traces
    #[arg(long, value_name = "FILE", default_value = "./checkpoints.html", help_heading = "Files")]
    pub html: PathBuf,
    /// Put everything into this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub json: Option<PathBuf>,
    /// Keep finished runs in this file, and do not repeat those in it
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub resume: Option<PathBuf>,
}

/// What can issue transactions.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Kind {
    /// The real pgbench
    Pgbench,
    /// Clients of ours over the wire, same statements
    Wire,
    /// Threads on the engine without a server, same reads and writes; rows of ours only
    Embedded,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 10.0 => Ok(share),
        _ => Err("expected a share such as 0.7".into()),
    }
}

fn milliseconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(ms) if ms > 0.0 && ms <= 3_600_000.0 => Ok(ms),
        _ => Err("expected milliseconds, up to an hour".into()),
    }
}

/// Measures, prints, and writes the page.
pub(crate) fn checkpoints(args: &CheckpointsArgs) -> Result<ExitCode, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(io_error("signal handler"))?;
    }
    let options = options(args)?;
    let _outputs =
        Outputs::try_out([Some(&args.html), args.json.as_ref()].into_iter().flatten().map(|f| &**f))?;
    let mut progress = Shown::new();
    let measured = bench_checkpoints::run(&options, &stop, &mut progress);
    progress.end();
    let report = measured.map_err(|e| match e {
        bench_checkpoints::Error::Interrupted => {
            let kept = options.resume.as_ref().filter(|file| file.exists());
            let hint = kept.map(|f| format!("; finished runs are in {}", f.display())).unwrap_or_default();
            CliError::Folder(format!("interrupted{hint}"))
        }
        e => e.into(),
    })?;
    let mut out = stdout().lock();
    bench_checkpoints::write_text(&report, &mut out)
        .and_then(|()| writeln!(out, "\ntraces: {}", args.html.display()))
        .and_then(|()| out.flush())
        .map_err(io_error("standard output"))?;
    std::fs::write(&args.html, bench_checkpoints::html(&report))
        .map_err(io_error(args.html.display().to_string()))?;
    if let Some(file) = &args.json {
        std::fs::write(file, report.to_json() + "\n").map_err(io_error(file.display().to_string()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn options(args: &CheckpointsArgs) -> Result<Options, CliError> {
    let load = match args.load {
        Kind::Pgbench => LoadKind::Pgbench(find_pgbench(args.pgbench.as_deref())?),
        Kind::Wire => LoadKind::Wire,
        Kind::Embedded => LoadKind::Embedded,
    };
    let cycle = [("checkpoint_timeout", &args.checkpoint_timeout), ("max_wal_size", &args.max_wal_size)];
    let cycle = cycle.into_iter().filter_map(|(name, value)| Some((name.to_string(), value.clone()?)));
    let cycle: Vec<(String, String)> = cycle.collect();
    let mut against = Vec::new();
    for to in &args.against {
        // Servers that cannot be reached are found out first.
        against.push((Wire::connect(to)?.product().to_string(), to.clone()));
    }
    let set: Vec<_> = cycle.iter().chain(&args.set).cloned().collect();
    let rows = bench_checkpoints::rows(&RowArgs {
        presets: &args.preset,
        free: &args.row,
        set: &set,
        against: &against,
        held_back: args.with_held_back,
        no_own: args.only_against,
    })?;
    let mut rates = args.rate.clone();
    rates.extend(args.rate_share.map(Rate::Share));
    Ok(Options {
        rows,
        servers: args.against.clone(),
        load,
        clients: args.clients,
        jobs: args.jobs,
        scale: args.scale,
        rates,
        curve: args.curve.clone(),
        events: args.event.clone(),
        share_of_first: args.share_of_first,
        limit_ms: args.limit_ms,
        seconds: args.seconds,
        warm_up_seconds: args.warmup_seconds,
        runs: args.runs,
        server_settings: cycle.iter().chain(&args.against_set).cloned().collect(),
        fresh: args.fresh,
        data: args.data.clone(),
        keep_data: args.keep_data,
        keep_folder: false,
        before_running: args.against_before.clone(),
        log_dir: args.log_dir.clone(),
        program: std::env::current_exe().map_err(io_error("this program"))?,
        resume: args.resume.clone(),
        command: command_line(std::env::args().skip(1)),
    })
}

/// Progress on standard error: a bar on a terminal, a line for each step otherwise.
pub(crate) struct Shown {
    bar: Option<ProgressBar>,
    /// The last step that got a line.
    last: String,
}

impl Shown {
    pub(crate) fn new() -> Shown {
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {wide_msg}");
        let bar = style.ok().filter(|_| stderr().is_terminal());
        let bar = bar.map(|style| ProgressBar::new(BAR_STEPS).with_style(style));
        Shown { bar, last: String::new() }
    }

    pub(crate) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.end();
    }
}

impl Progress for Shown {
    fn at(&mut self, done_s: f64, total_s: f64, what: &str) {
        let share = if total_s > 0.0 { done_s / total_s } else { 0.0 };
        match &self.bar {
            Some(bar) => {
                bar.set_message(format!("{what} · {} left", time_left(total_s - done_s)));
                bar.set_position((share * BAR_STEPS as f64) as u64);
            }
            None if self.last != what => {
                self.last = what.into();
                // Nobody may be reading.
                let _ = writeln!(
                    stderr(),
                    "{:3.0} %  {what}, {} left",
                    share * 100.0,
                    time_left(total_s - done_s)
                );
            }
            None => {}
        }
    }
}

/// `45 s`, `12 min`, `1 h 05 min`.
fn time_left(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    match seconds {
        0..100 => format!("{seconds} s"),
        100..3600 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_short_to_read() {
        for (seconds, text) in [(-1.0, "0 s"), (45.4, "45 s"), (661.0, "12 min"), (3900.0, "1 h 05 min")] {
            assert_eq!(time_left(seconds), text);
        }
    }
}
