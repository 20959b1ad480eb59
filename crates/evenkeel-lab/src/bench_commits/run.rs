//! The run: every number of clients on every target, in turns.
//!
//! Invariants
//! 1. Targets alternate: each run measures a number of clients on all of them, one after the other, every other run in the opposite order. So whatever
//!    else happens on the machine falls on all alike, and ratios compare neighbours in time.
//! 2. Tables are removed at the end, also after an error, as far as the target still answers.
//!
//! It must not know what a target is.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::raw::Raw;
use super::report::{Figures, Point, Report, TargetFacts};
use super::window::PATIENCE_S;
use super::{Error, Load, Options, Progress, Rate, Sample, Target};
use crate::disturbance::Probe;
use crate::logdisk::processors::Processors;
use crate::logdisk::sample::Latencies;
use crate::machine::{in_memory, machine, niceness};
use crate::median::median;

/// Seconds for finding out how much log a commit writes.
const CALIBRATION_SECONDS: f64 = 0.3;
/// The clients' thread is near its limit above this share of a processor.
const GENERATOR_SHARE_MAX: f64 = 0.9;
/// More than this share of the processors in use by others disturbs.
const OTHERS_BUSY_MAX: f64 = 0.15;
/// A throttled target that reaches less than this share of its rate is overloaded.
const RATE_REACHED_MIN: f64 = 0.97;

/// What to do besides the options.
pub struct Plan {
    /// The command line as it may be shown.
    pub command: String,
    /// A folder on the disk that is measured.
    pub folder: Option<PathBuf>,
    /// Measure the raw disk under that folder, too, beside one client.
    pub raw: bool,
    /// Everything that is measured runs in this process: whatever else uses the processors disturbs.
    pub alone: bool,
}

/// Measures all points on all targets. Blocks; ends soon after `stop` is set.
pub fn run(
    plan: &Plan,
    options: &Options,
    mut targets: Vec<Box<dyn Target>>,
    stop: &AtomicBool,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    let result = measured(plan, options, &mut targets, stop, progress);
    // Invariant 2.
    let cleaned: Vec<Result<(), Error>> = targets.iter_mut().map(|t| t.clean_up()).collect();
    let report = result?;
    cleaned.into_iter().collect::<Result<(), Error>>()?;
    Ok(report)
}

fn measured(
    plan: &Plan,
    options: &Options,
    targets: &mut Vec<Box<dyn Target>>,
    stop: &AtomicBool,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    let begin = Instant::now();
    let processors = Processors::now().filter(|_| plan.alone);
    progress.step(0.0, "preparing");
    let clients_max = options.clients.iter().copied().max().unwrap_or(1);
    for target in targets.iter_mut() {
        target.prepare(clients_max)?;
    }
    let load =
        |clients, seconds, per_s, seed| Load { clients, seconds, per_s, bytes: options.bytes, seed, stop };
    if let (true, Some(folder), Some(first)) = (plan.raw, &plan.folder, targets.first_mut()) {
        progress.step(0.0, "choosing the raw method");
        let sample = first.load(&load(1, CALIBRATION_SECONDS, None, 0))?;
        let bytes = sample.log_bytes.unwrap_or(0).checked_div(sample.all_commits).unwrap_or(0);
        targets.push(Box::new(Raw::new(folder, u32::try_from(bytes).unwrap_or(u32::MAX), stop)?));
    }
    let mut runs: Vec<Vec<Vec<Option<Figures>>>> =
        vec![vec![Vec::new(); targets.len()]; options.clients.len()];
    let mut pooled: Vec<Vec<Pooled>> =
        (0..options.clients.len()).map(|_| (0..targets.len()).map(|_| Pooled::default()).collect()).collect();
    let mut rates: Vec<Option<f64>> = vec![None; options.clients.len()];
    let total = (options.runs as usize * options.clients.len() * targets.len()) as f64;
    let mut done = 0;
    for run in 0..options.runs {
        for (c, &clients) in options.clients.iter().enumerate() {
            let seed = u64::from(run) << 16 | u64::from(clients);
            if rates[c].is_none() {
                rates[c] = rate(options, targets, &load(clients, options.seconds, None, seed), progress)?;
            }
            let mut order: Vec<usize> = (0..targets.len()).collect();
            if run % 2 == 1 {
                order.reverse();
            }
            for t in order {
                let target = &mut targets[t];
                let s = if clients == 1 { "" } else { "s" };
                let what = format!("run {}: {clients} client{s}, {}", run + 1, target.name());
                progress.step(done as f64 / total, &what);
                done += 1;
                let figures = if target.takes(clients) {
                    let probe = Probe::start(target.is_own());
                    let sample: Sample = target.load(&load(clients, options.seconds, rates[c], seed))?;
                    let figures = Figures::of(&sample).ok_or(Error::TooShort(what))?;
                    pooled[c][t].add(sample);
                    Some(Figures { disturbance: probe.end(), ..figures })
                } else {
                    None
                };
                runs[c][t].push(figures);
            }
        }
    }
    let mut points = Vec::new();
    for (((&clients, of_clients), rate), pooled) in options.clients.iter().zip(&runs).zip(&rates).zip(&pooled)
    {
        for (t, figures) in of_clients.iter().enumerate() {
            let some: Vec<Figures> = figures.iter().copied().flatten().collect();
            let Some(all) = &pooled[t].latencies else { continue };
            let Some(median) = Figures::of_runs(&some, all, pooled[t].own.as_ref()) else { continue };
            let ratio = (t > 0).then(|| ratio(&of_clients[0], figures)).flatten();
            points.push(Point { clients, rate_per_s: *rate, target: t, runs: some, median, ratio });
        }
    }
    let is_any_foreign = targets.iter().any(|t| !t.is_own());
    let facts = targets.iter().map(|t| TargetFacts {
        name: t.name().into(),
        place: t.place(),
        settings: t.settings().to_vec(),
    });
    let targets: Vec<TargetFacts> = facts.collect();
    let mut warnings = warnings(&targets, &points);
    warnings.extend(plan.folder.as_deref().and_then(in_memory));
    warnings.extend(disturbance(processors, niceness(), is_any_foreign));
    Ok(Report {
        command: plan.command.clone(),
        machine: machine(plan.folder.as_deref()),
        bytes: options.bytes,
        seconds_per_point: options.seconds,
        runs: options.runs,
        warnings,
        targets,
        points,
        seconds: begin.elapsed().as_secs_f64(),
    })
}

/// Latencies of all runs of a point.
#[derive(Default)]
struct Pooled {
    latencies: Option<Latencies>,
    own: Option<Latencies>,
}

impl Pooled {
    fn add(&mut self, sample: Sample) {
        for (all, more) in [(&mut self.latencies, Some(sample.latencies)), (&mut self.own, sample.own)] {
            match (all.as_mut(), more) {
                (Some(all), Some(more)) => all.add(&more),
                (None, more) => *all = more,
                (Some(_), None) => {}
            }
        }
    }
}

/// What all targets are asked for with so many clients.
fn rate(
    options: &Options,
    targets: &mut [Box<dyn Target>],
    load: &Load<'_>,
    progress: &mut dyn Progress,
) -> Result<Option<f64>, Error> {
    let share = match options.rate {
        None => return Ok(None),
        Some(Rate::PerSecond(rate)) => return Ok(Some(rate)),
        Some(Rate::Share(share)) => share,
    };
    let Some(first) = targets.first_mut() else { return Ok(None) };
    let what = format!("full speed of {} clients", load.clients);
    progress.step(0.0, &what);
    let full = Figures::of(&first.load(load)?).ok_or(Error::TooShort(what))?;
    Ok(Some(full.commits_per_s * share))
}

/// Commits a second of the one against those of the other, run by run.
fn ratio(ours: &[Option<Figures>], theirs: &[Option<Figures>]) -> Option<f64> {
    let pairs = ours.iter().zip(theirs).filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?)));
    median(&pairs.map(|(a, b)| a.commits_per_s / b.commits_per_s).collect::<Vec<_>>())
}

/// What the rest of the machine did to the figures.
fn disturbance(since: Option<Processors>, niceness: i32, is_any_foreign: bool) -> Vec<String> {
    let mut out = Vec::new();
    let others = since.and_then(|since| Some(Processors::now()?.others_since(&since)));
    out.extend(others.filter(|share| *share > OTHERS_BUSY_MAX).map(|share| {
        format!(
            "other programs used {:.0} % of the processors meanwhile; run it again when they do not",
            share * 100.0
        )
    }));
    if niceness > 0 && is_any_foreign {
        out.push(format!(
            "this process is niced ({niceness}), other servers perhaps are not: where processors are busy, ratios say nothing"
        ));
    }
    out
}

/// Why the figures may mislead.
fn warnings(targets: &[TargetFacts], points: &[Point]) -> Vec<String> {
    let mut out = Vec::new();
    for target in targets {
        let off: Vec<String> = target
            .settings
            .iter()
            .filter(|(name, value)| matches!(name.as_str(), "fsync" | "synchronous_commit") && value == "off")
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        if !off.is_empty() {
            out.push(format!("{}: commits are not durable ({})", target.name, off.join(", ")));
        }
    }
    let first = targets.first().map(|t| &t.settings[..]).unwrap_or_default();
    for other in targets.iter().skip(1) {
        for name in ["fsync", "synchronous_commit", "full_page_writes"] {
            let of =
                |settings: &[(String, String)]| settings.iter().find(|s| s.0 == name).map(|s| s.1.clone());
            if let (Some(a), Some(b)) = (of(first), of(&other.settings))
                && a != b
            {
                out.push(format!("{name} differs: {} has {a}, {} has {b}", targets[0].name, other.name));
            }
        }
    }
    for p in points {
        let name = &targets[p.target].name;
        let clients = if p.clients == 1 { "1 client".into() } else { format!("{} clients", p.clients) };
        let spoilt = p.median.disturbance.and_then(|d| d.spoils());
        out.extend(spoilt.map(|why| format!("{name}, {clients}: {why}; measure it again")));
        if p.median.unfinished > 0 {
            let (n, max_s) = (p.median.unfinished, p.median.max_ms / 1e3);
            out.push(format!(
                "{name}, {clients}: commits were not confirmed {PATIENCE_S} s after the counted time: {n}; the oldest had waited {max_s:.0} s, \
                 and latencies are at least what is said here"
            ));
        }
        if p.median.generator_share.is_some_and(|share| share > GENERATOR_SHARE_MAX) {
            out.push(format!("{name}, {clients}: the clients' thread was at its limit, not the server"));
        }
        if let Some(rate) = p.rate_per_s.filter(|r| p.median.commits_per_s < r * RATE_REACHED_MIN) {
            out.push(format!(
                "{name}, {clients}: {rate:.0} commits/s are more than it can do; latencies grow with time"
            ));
        }
    }
    out
}
