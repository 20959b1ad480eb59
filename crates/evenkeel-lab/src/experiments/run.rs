//! Runs the steps of an experiment, and puts together what they gave.
//!
//! Invariants
//! 1. A step that is kept is not done again; one that was interrupted goes on with its own finished runs, where its bench keeps them.
//! 2. Servers that were started end and folders go, whatever happens.
//!
//! It must not know how results are shown.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::outcome::{Kept, Outcome, Report};
pub use super::plan::estimate_s;
use super::plan::{Step, What, steps};
use super::{Error, Options};
use crate::bench_checkpoints::own_server::OwnServer;
use crate::bench_checkpoints::temporary::TemporaryDir;
use crate::bench_checkpoints::{Progress, Row, System, io_error, shell};
use crate::bench_commits::{self, Load, Plan, Sample, Target, Wire};
use crate::machine::machine;
use crate::{bench_checkpoints, bench_recovery, bench_tpcc};

/// Runs it. Blocks; ends soon after `stop` is set.
pub fn run(options: &Options, stop: &AtomicBool, progress: &mut dyn Progress) -> Result<Report, Error> {
    let begin = Instant::now();
    let parent = options.parent();
    std::fs::create_dir_all(&parent).map_err(io_error(parent.display().to_string()))?;
    let mut kept = Kept::open(options.resume.as_deref())?;
    let steps = steps(options)?;
    let todo_s = |from: usize, kept: &Kept| -> f64 {
        steps[from..].iter().filter(|s| kept.find(&s.key).is_none()).map(|s| s.estimate_s).sum()
    };
    let folder = TemporaryDir::new(&parent, "evenkeel-lab")?; // invariant 2
    for (n, step) in steps.iter().enumerate() {
        if kept.find(&step.key).is_some() {
            continue; // invariant 1
        }
        let left_s = todo_s(n + 1, &kept);
        let done_s = begin.elapsed().as_secs_f64();
        let of = if steps.len() > 1 { format!("step {} of {}: ", n + 1, steps.len()) } else { String::new() };
        let mut part = Part { inner: progress, done_s, left_s, estimate_s: step.estimate_s, of };
        let outcome = once(options, step, &folder, &kept, stop, &mut part)?;
        kept.add(&step.key, outcome)?;
        if let Some(own) = kept.beside(&step.key) {
            // Of a bench that keeps nothing there is no such file.
            let _ = std::fs::remove_file(own);
        }
    }
    let outcomes = steps.iter().filter_map(|s| kept.find(&s.key).cloned()).collect();
    Ok(Report {
        experiment: options.experiment,
        quick: options.size.quick,
        command: options.command.clone(),
        machine: match options.disk {
            Some(disk) => format!("{}; {}", machine(Some(&parent)), disk.line()),
            None => machine(Some(&parent)),
        },
        circumstances: circumstances(options),
        outcomes,
        seconds: begin.elapsed().as_secs_f64(),
    })
}

fn once(
    options: &Options,
    step: &Step,
    folder: &TemporaryDir,
    kept: &Kept,
    stop: &AtomicBool,
    part: &mut Part<'_>,
) -> Result<Outcome, Error> {
    Ok(match &step.what {
        What::Checkpoints(bench) => {
            let bench = bench_checkpoints::Options {
                data: Some(folder.path().into()),
                resume: kept.beside(&step.key),
                ..(**bench).clone()
            };
            Outcome::Checkpoints(bench_checkpoints::run(&bench, stop, part)?)
        }
        What::Commits { rows } => Outcome::Commits(commits(options, rows, folder, stop, part)?),
        What::Tpcc { label, run, foreign, options: bench } => {
            before_foreign(options, *foreign)?;
            let mut report = bench_tpcc::run(bench, stop, part)?;
            for server in &mut report.servers {
                server.name.clone_from(label);
            }
            Outcome::Tpcc { label: label.clone(), run: *run, report }
        }
        What::Recovery(bench) => Outcome::Recovery(bench_recovery::run(bench, stop, part)?),
    })
}

fn before_foreign(options: &Options, foreign: bool) -> Result<(), Error> {
    match options.before_against.as_ref().filter(|_| foreign) {
        Some(command) => Ok(shell(command)?),
        None => Ok(()),
    }
}

/// A server for each row, all at once: each does nothing while another is measured.
fn commits(
    options: &Options,
    rows: &[(String, Vec<(String, String)>)],
    folder: &TemporaryDir,
    stop: &AtomicBool,
    part: &mut Part<'_>,
) -> Result<bench_commits::Report, Error> {
    let size = &options.size;
    let clients_max = size.clients.iter().copied().max().unwrap_or(1);
    let (mut servers, mut targets): (Vec<OwnServer>, Vec<Box<dyn Target>>) = (Vec::new(), Vec::new());
    for (n, (label, settings)) in rows.iter().enumerate() {
        part.at(0.0, size.seconds, &format!("starting a server: {label}"));
        let system = System::Own { preset: None, settings: settings.clone(), held_back: false };
        let row = Row { label: label.clone(), system };
        let (data, words) =
            (folder.path().join(format!("log-{n}")), folder.path().join(format!("log-{n}.words")));
        let server = OwnServer::start(&options.program, &data, &row, clients_max, None, words, stop)?;
        targets.push(Box::new(Labelled { label: label.clone(), wire: Wire::connect(server.to())? }));
        servers.push(server);
    }
    before_foreign(options, !options.against.is_empty())?;
    for to in &options.against {
        targets.push(Box::new(Wire::connect(to)?));
    }
    let bench = bench_commits::Options {
        clients: size.clients.clone(),
        seconds: size.seconds,
        runs: size.runs,
        rate: None,
        bytes: 100,
    };
    let plan =
        Plan { command: options.command.clone(), folder: Some(options.parent()), raw: false, alone: false };
    let report = bench_commits::run(&plan, &bench, targets, stop, part)?;
    for server in servers {
        server.stop()?;
    }
    Ok(report)
}

/// A server of ours by its row's name.
struct Labelled {
    label: String,
    wire: Wire,
}

impl Target for Labelled {
    fn name(&self) -> &str {
        &self.label
    }

    fn settings(&self) -> &[(String, String)] {
        self.wire.settings()
    }

    fn place(&self) -> String {
        self.wire.place()
    }

    fn prepare(&mut self, clients: u32) -> Result<(), bench_commits::Error> {
        self.wire.prepare(clients)
    }

    fn load(&mut self, load: &Load<'_>) -> Result<Sample, bench_commits::Error> {
        self.wire.load(load)
    }

    fn clean_up(&mut self) -> Result<(), bench_commits::Error> {
        self.wire.clean_up()
    }
}

/// A step's progress as a part of the whole.
struct Part<'a> {
    inner: &'a mut dyn Progress,
    done_s: f64,
    left_s: f64,
    estimate_s: f64,
    of: String,
}

impl Progress for Part<'_> {
    fn at(&mut self, done_s: f64, total_s: f64, what: &str) {
        self.inner.at(
            self.done_s + done_s,
            self.done_s + total_s + self.left_s,
            &format!("{}{what}", self.of),
        );
    }
}

impl bench_commits::Progress for Part<'_> {
    fn step(&mut self, share: f64, what: &str) {
        self.at(share * self.estimate_s, self.estimate_s, what);
    }
}

fn circumstances(options: &Options) -> String {
    use super::Experiment::{Bgwriter, CheckpointSchedule, GangedLog, PartitionedCheckpoints, Recovery};
    let size = &options.size;
    let clients: Vec<String> = size.clients.iter().map(ToString::to_string).collect();
    let clients = clients.join(", ");
    let runs = if size.runs == 1 { "one run".into() } else { format!("{} runs", size.runs) };
    let curve = options.curve.iter().map(|c| format!("; rate: {c}"));
    let events = options.events.iter().map(|e| format!("; beside it: {}", e.text));
    let changing: String = curve.chain(events).collect();
    let load =
        if options.pgbench.is_some() && options.curve.is_none() { "pgbench" } else { "clients of our own" };
    match options.experiment {
        GangedLog => format!(
            "W3: one-row inserts, a table for each client, one durable commit each; {clients} clients; {runs} of {} s each, in turns",
            size.seconds
        ),
        CheckpointSchedule => format!(
            "W4{}: TPC-C, {} warehouses, {clients} terminals {}; {runs} of {} s after {} s; checkpoint_timeout {}, shared_buffers {}{changing}",
            if changing.is_empty() { "" } else { ", W5" },
            size.scale,
            if options.think { "that key and think" } else { "without keying and thinking" },
            size.whole_seconds(),
            size.warm_up_seconds,
            size.checkpoint_timeout,
            size.shared_buffers
        ),
        Recovery => format!(
            "W6: pgbench's simple update, scale {}, {clients} clients for {} s without checkpoints, then a kill; {runs} of each recovery; shared_buffers {}",
            size.scale,
            size.whole_seconds(),
            size.shared_buffers
        ),
        PartitionedCheckpoints | Bgwriter => format!(
            "{}{}: pgbench's simple update by {load}, scale {}, {clients} clients; {runs} of {} s after {} s; checkpoint_timeout {}, shared_buffers {}{changing}",
            if options.experiment == Bgwriter { "W1" } else { "W1, W2" },
            if changing.is_empty() { "" } else { ", W5" },
            size.scale,
            size.whole_seconds(),
            size.warm_up_seconds,
            size.checkpoint_timeout,
            size.shared_buffers
        ),
    }
}
