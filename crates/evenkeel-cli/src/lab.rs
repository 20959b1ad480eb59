//! `evenkeel lab`: the list of experiments, an experiment's arguments, and what happens to its report.
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
use evenkeel_lab::bench_checkpoints::{CLIENTS_MAX, Event, Rate, find_pgbench};
use evenkeel_lab::curve::Curve;
use evenkeel_lab::disk::Named;
use evenkeel_lab::experiments::{self, Experiment, Options, Size};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::bench::command_line;
use crate::bench_checkpoints::Shown;
use crate::lab_disk::{self, LabCommand, Under};
use crate::output::Outputs;
use crate::{CliError, io_error};

pub(crate) const EXAMPLES: &str =
    "Without a name it lists the experiments: what each asks, what it compares, and how long it takes. Each makes its
database in the current folder, so that the disk under it is measured, or in --data; all of that goes in the end.
It tells how long it takes, shows how far it is, prints tables with what they mean, and writes a page with
pictures that needs nothing else. It is made of what `evenkeel bench` measures; a conclusion is drawn only where
the runs allow it: more --runs tell finer differences apart.

Beside every row stands what the rest of the machine did meanwhile: processor time that other machines on the same
hardware had (steal), and moments in which nothing here ran (stalls: a thread that sleeps 1 ms woke up over 25 ms
late). A row that they spoilt, or other programs here with over 15 % of the processors' time, is marked with ! and
is never named as the best.

Experiments:
  partitioned-checkpoints   pgbench at full speed and throttled, under each kind of checkpoint
  bgwriter                  pgbench by clients, on tables that do not fit into memory, under each background writer
  ganged-log                durable one-row inserts by clients
  checkpoint-schedule       TPC-C under each schedule of a checkpoint's writes and syncs
  recovery                  a kill, and every way back; needs pgbench

Without pgbench in PATH, and no --pgbench, clients of our own send the same statements.

Examples:
  evenkeel lab
  evenkeel lab ganged-log --quick
  evenkeel lab partitioned-checkpoints --resume lab.json --runs 3
  evenkeel lab bgwriter --clients 8 --seconds 10800 --only 'dirty chain' --only 'full scan' \\
      --curve 'sine:30-300/min@20min+spikes:10x@30s/10min' --event archive@1h
  evenkeel lab ganged-log --disk 7200rpm
  evenkeel lab bgwriter --data /srv/slow-disk --clients 1,8,32 --only 'dirty chain' --only 'outside sync'
  evenkeel lab checkpoint-schedule --against 'host=127.0.0.1 port=5432 user=postgres dbname=b' \\
      --against-before 'systemctl restart postgresql'
  evenkeel lab recovery --postgres-bin /usr/lib/postgresql/18/bin";

/// Which experiment, and how.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    pub command: Option<LabCommand>,
    /// The experiment; without it all are listed
    #[arg(value_name = "NAME")]
    pub name: Option<Experiment>,
    /// A first look: fewer rows, small tables, short runs
    #[arg(long)]
    pub quick: bool,

    /// Only rows with this in their names; may be repeated
    #[arg(long, value_name = "PART", help_heading = "What is compared")]
    pub only: Vec<String>,
    /// A setting of every row of ours; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "What is compared")]
    pub set: Vec<(String, String)>,
    /// Compare with this running server, too; may be repeated
    #[arg(long, value_name = "CONNSTRING", help_heading = "What is compared")]
    pub against: Vec<ConnString>,
    /// A setting of running servers while they are measured (checkpoints only); may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "What is compared")]
    pub against_set: Vec<(String, String)>,
    /// A shell command before each row of a running server, to restart it say
    #[arg(long, value_name = "COMMAND", requires = "against", help_heading = "What is compared")]
    pub against_before: Option<String>,
    /// recovery: measure PostgreSQL, too: the folder with its initdb and postgres
    #[arg(long, value_name = "DIR", help_heading = "What is compared")]
    pub postgres_bin: Option<PathBuf>,

    /// Size of the tables: pgbench's scale, or warehouses
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20_000), help_heading = "How much")]
    pub scale: Option<u32>,
    /// Clients at the same time, a point each where the experiment has several
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=i64::from(CLIENTS_MAX)), help_heading = "How much")]
    pub clients: Vec<u32>,
    /// Transactions a second, 0 for full speed, or a share of it (70%); of checkpoints and the background writer
    #[arg(long, value_name = "RATE,...", value_delimiter = ',', help_heading = "How much")]
    pub rate: Vec<Rate>,
    /// A rate that changes, instead of --rate: sine:30-300/min@10min, steps:100/s@60s,400/s@30s, file:PATH; see bench checkpoints --help
    #[arg(long, value_name = "CURVE", conflicts_with = "rate", help_heading = "How much")]
    pub curve: Option<Curve>,
    /// What happens beside the load of partitioned-checkpoints, bgwriter and checkpoint-schedule: archive@1h, load@10min, index@30min, reader@15min; may be repeated
    #[arg(long, value_name = "EVENT", help_heading = "How much")]
    pub event: Vec<Event>,
    /// Seconds of a run that count
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "How much")]
    pub seconds: Option<f64>,
    /// Seconds of load before them
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=86_400), help_heading = "How much")]
    pub warmup_seconds: Option<u32>,
    /// Runs of each row; percentiles are of all together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "How much")]
    pub runs: Option<u32>,
    /// checkpoint_timeout of all rows
    #[arg(long, value_name = "TIME", help_heading = "How much")]
    pub checkpoint_timeout: Option<String>,
    /// shared_buffers of our rows
    #[arg(long, value_name = "SIZE", help_heading = "How much")]
    pub shared_buffers: Option<String>,
    /// checkpoint-schedule: terminals key and think; there should be ten for each warehouse
    #[arg(long, conflicts_with = "curve", help_heading = "How much")]
    pub think: bool,

    /// Make all folders in this one
    #[arg(long, value_name = "DIR", default_value = ".", help_heading = "Files")]
    pub data: PathBuf,
    /// Put a modelled disk under the databases, made in --data and removed in the end: 7200rpm, 15000rpm, ssd, nvme, cloud; needs root
    #[arg(long, value_name = "KIND", help_heading = "Files")]
    pub disk: Option<Named>,
    /// How large that disk is
    #[arg(long, value_name = "SIZE", default_value = "16GB", value_parser = lab_disk::size, requires = "disk", help_heading = "Files")]
    pub disk_size: u64,
    /// The pgbench to use [default: the one in PATH]
    #[arg(long, value_name = "PATH", help_heading = "Files")]
    pub pgbench: Option<PathBuf>,
    /// Keep finished steps in this file, and take them from it
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub resume: Option<PathBuf>,
    /// Where the page goes [default: lab-NAME.html]
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub report: Option<PathBuf>,
    /// Put everything into this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub json: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.1..=864_000.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number from 0.1 to 864000".into()),
    }
}

/// Lists, or measures and reports.
pub(crate) fn run(args: &LabArgs) -> Result<ExitCode, CliError> {
    if let Some(LabCommand::Disk { command }) = &args.command {
        return lab_disk::run(command);
    }
    let Some(experiment) = args.name else {
        let of = |experiment, quick| options(args, experiment, quick, None, PathBuf::new());
        experiments::write_list(&mut stdout().lock(), &of).map_err(io_error("standard output"))?;
        return Ok(ExitCode::SUCCESS);
    };
    refuse_what_it_has_not(args, experiment)?;
    // One that was named has to be there.
    let pgbench = match &args.pgbench {
        Some(path) => Some(find_pgbench(Some(path))?),
        None => find_pgbench(None).ok(),
    };
    let program = std::env::current_exe().map_err(io_error("this program"))?;
    let mut options = options(args, experiment, args.quick, pgbench, program);
    let page = args.report.clone().unwrap_or_else(|| format!("lab-{}.html", experiment.name()).into());
    let _outputs = Outputs::try_out([page.as_path()].into_iter().chain(args.json.as_deref()))?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(io_error("signal handler"))?;
    }
    eprintln!("{}", before(&options));
    let under = args.disk.map(|d| Under::create(d.0, args.disk_size, &args.data)).transpose()?;
    if let Some(under) = &under {
        options.data = Some(under.dir().into());
    }
    let mut progress = Shown::new();
    let measured = experiments::run(&options, &stop, &mut progress);
    progress.end();
    drop(under);
    let report = measured.map_err(|e| match e {
        e if e.is_interrupt() => {
            let kept = options.resume.as_ref().map(|f| {
                let files = experiments::kept_files(f);
                let files: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
                match files.is_empty() {
                    true => "; nothing was finished that could be kept".into(),
                    false => format!(
                        "; what is finished is in {}: the same command goes on from there",
                        files.join(" and ")
                    ),
                }
            });
            CliError::Folder(format!("interrupted{}", kept.unwrap_or_default()))
        }
        experiments::Error::Bench(e) => e.into(),
        experiments::Error::Commits(e) => e.into(),
    })?;
    let mut out = stdout().lock();
    experiments::write_text(&report, &mut out)
        .and_then(|()| writeln!(out, "\nreport: {}", page.display()))
        .and_then(|()| out.flush())
        .map_err(io_error("standard output"))?;
    std::fs::write(&page, experiments::html(&report)).map_err(io_error(page.display().to_string()))?;
    if let Some(file) = &args.json {
        std::fs::write(file, report.to_json() + "\n").map_err(io_error(file.display().to_string()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An option that nobody reads would be found out after an hour, or never.
fn refuse_what_it_has_not(args: &LabArgs, experiment: Experiment) -> Result<(), CliError> {
    use Experiment::{Bgwriter, CheckpointSchedule, GangedLog, PartitionedCheckpoints, Recovery};
    const CHECKPOINTS: &[Experiment] = &[PartitionedCheckpoints, Bgwriter];
    const LOADED: &[Experiment] = &[PartitionedCheckpoints, Bgwriter, CheckpointSchedule];
    const ON_TABLES: &[Experiment] = &[PartitionedCheckpoints, Bgwriter, CheckpointSchedule, Recovery];
    const OF_ROWS: &[Experiment] = &[PartitionedCheckpoints, Bgwriter, GangedLog, CheckpointSchedule];
    const BY_PGBENCH: &[Experiment] = &[PartitionedCheckpoints, Bgwriter, Recovery];
    let options: [(bool, &str, &[Experiment]); 13] = [
        (!args.only.is_empty(), "only", OF_ROWS),
        (!args.against_set.is_empty(), "against-set", BY_PGBENCH),
        (args.against_before.is_some(), "against-before", OF_ROWS),
        (args.postgres_bin.is_some(), "postgres-bin", &[Recovery]),
        (args.scale.is_some(), "scale", ON_TABLES),
        (!args.rate.is_empty(), "rate", CHECKPOINTS),
        (args.curve.is_some(), "curve", LOADED),
        (!args.event.is_empty(), "event", LOADED),
        (args.warmup_seconds.is_some(), "warmup-seconds", LOADED),
        (args.checkpoint_timeout.is_some(), "checkpoint-timeout", LOADED),
        (args.shared_buffers.is_some(), "shared-buffers", ON_TABLES),
        (args.think, "think", &[CheckpointSchedule]),
        (args.pgbench.is_some(), "pgbench", BY_PGBENCH),
    ];
    let name = experiment.name();
    for (is_given, option, of) in options {
        if is_given && !of.contains(&experiment) {
            let of: Vec<&str> = of.iter().map(|e| e.name()).collect();
            return Err(CliError::Folder(format!(
                "{name} has nothing to do with --{option}: it is of {}",
                of.join(", ")
            )));
        }
    }
    if args.clients.len() > 1 && matches!(experiment, CheckpointSchedule | Recovery) {
        return Err(CliError::Folder(format!("{name} takes one number of --clients")));
    }
    Ok(())
}

/// What is going to happen.
fn before(options: &Options) -> String {
    let minutes = (experiments::estimate_s(options) / 60.0).ceil().max(1.0);
    let kept = match &options.resume {
        // One step.
        _ if matches!(options.experiment, Experiment::GangedLog | Experiment::Recovery) => {
            "and nothing is kept of a part".into()
        }
        Some(file) => format!("what is finished is kept in {}", file.display()),
        None => "with --resume FILE it could be taken up again".into(),
    };
    format!(
        "{}: about {minutes:.0} minute{}; Ctrl-C ends it, {kept}",
        options.experiment.name(),
        if minutes > 1.0 { "s" } else { "" }
    )
}

fn options(
    args: &LabArgs,
    experiment: Experiment,
    quick: bool,
    pgbench: Option<PathBuf>,
    program: PathBuf,
) -> Options {
    let usual = Size::of(experiment, quick);
    let or = |given: &Option<String>, usual: String| given.clone().unwrap_or(usual);
    let size = Size {
        quick,
        scale: args.scale.unwrap_or(usual.scale),
        clients: if args.clients.is_empty() { usual.clients } else { args.clients.clone() },
        rates: if args.rate.is_empty() { usual.rates } else { args.rate.clone() },
        seconds: args.seconds.unwrap_or(usual.seconds),
        warm_up_seconds: args.warmup_seconds.unwrap_or(usual.warm_up_seconds),
        runs: args.runs.unwrap_or(usual.runs),
        checkpoint_timeout: or(&args.checkpoint_timeout, usual.checkpoint_timeout),
        shared_buffers: or(&args.shared_buffers, usual.shared_buffers),
    };
    Options {
        experiment,
        size,
        settings: args.set.clone(),
        only: args.only.clone(),
        curve: args.curve.clone(),
        events: args.event.clone(),
        against: args.against.clone(),
        against_settings: args.against_set.clone(),
        before_against: args.against_before.clone(),
        postgres_bin: args.postgres_bin.clone(),
        think: args.think,
        pgbench,
        disk: args.disk.map(|d| d.0),
        data: Some(args.data.clone()),
        program,
        resume: args.resume.clone(),
        command: command_line(std::env::args().skip(1)),
    }
}
