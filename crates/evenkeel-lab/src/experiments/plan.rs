//! What each experiment compares, and the steps that it consists of.
//!
//! Invariants
//! 1. A step's key names all that its figures depend on: a step with the same key need not be done again.
//!
//! It must not know how steps are done.

use evenkeel::Preset;

use super::{Error, Experiment, Options};
use crate::bench_checkpoints::rows::{HELD_BACK, OUTSIDE_SYNC};
use crate::bench_checkpoints::{self, Error as BenchError, LoadKind, Row, RowArgs, rows};
use crate::bench_commits::Wire;
use crate::bench_recovery::{self, Mix, PostgresOptions};
use crate::bench_tpcc;
use crate::turns::Wanted;

/// A row of ours: what it is called, what it is, and the settings that make it.
pub struct Compared {
    /// Short.
    pub label: &'static str,
    /// One sentence, with the mechanism's id.
    pub meaning: &'static str,
    /// A named group of settings.
    pub preset: Option<&'static str>,
    /// Settings on top of it.
    pub settings: &'static [(&'static str, &'static str)],
    /// It is measured with `--quick`, too.
    quick: bool,
}

const fn row(
    label: &'static str,
    meaning: &'static str,
    preset: Option<&'static str>,
    settings: &'static [(&'static str, &'static str)],
    quick: bool,
) -> Compared {
    Compared { label, meaning, preset, settings, quick }
}

const A: &[Compared] = &[
    row(
        "classic",
        "one checkpoint over all pages in buffer order, synced at its end",
        Some("classic"),
        &[],
        true,
    ),
    row("16 partitions", "S1: sixteen rounds, each in buffer order", Some("horikawa-2015"), &[], true),
    row("sort + flush", "S2: sorted writes, write-out asked for early", Some("coelho-sort-flush"), &[], true),
    row("file batches", "S3: files in sixteen batches, a sync each", Some("riggs-file-batches"), &[], false),
    row("phases", "S4: writes in the first half, syncs in the second", Some("vondra-phases"), &[], false),
    row("evenkeel", "S1 and S2 together, past the system's cache: the defaults", None, &[], true),
];

const B: &[Compared] = &[
    row(
        "full scan",
        "S7: a share of all dirty pages, by a scan of the pool; the baseline",
        Some("bgwriter-full-scan"),
        &[],
        true,
    ),
    row(
        "2 % of the pool",
        "S8: what is dirty in the next 2 % in eviction order",
        Some("bgwriter-lru-percent"),
        &[],
        true,
    ),
    row("100 pages", "S9: the next 100 dirty pages in eviction order", Some("bgwriter-lru-pages"), &[], true),
    row(
        "dirty chain",
        "S10: dirty pages ahead of the hands, found without looking at clean ones; the default",
        Some("bgwriter-dirty-chain"),
        &[],
        true,
    ),
    row("T2 only", "S11: only pages that were used again", Some("bgwriter-t2-only"), &[], true),
    row(
        "two speeds",
        "S12: near the hands often, far away now and then",
        Some("bgwriter-two-speed"),
        &[],
        true,
    ),
    row(
        "no bgwriter",
        "clients write the pages that they push out themselves",
        None,
        &[("bgwriter_maxpages", "0")],
        true,
    ),
    row(
        "outside sync",
        "S13: no background writer, buffered files, and sync() from outside every 5 to 10 seconds",
        Some("classic"),
        &[("bgwriter_maxpages", "0"), (OUTSIDE_SYNC, "5-10")],
        true,
    ),
];

const C: &[Compared] = &[
    row(
        "one write at a time",
        "S14: whoever gets the turn writes for all who wait",
        None,
        &[("wal_flush_depth", "1")],
        true,
    ),
    row(
        "four in flight",
        "S15: up to four log writes beside one another",
        None,
        &[("wal_flush_depth", "4")],
        true,
    ),
    row(
        "commit_delay 1 ms",
        "S14 with the pause that it was to make needless",
        None,
        &[("wal_flush_depth", "1"), ("commit_delay", "1000")],
        true,
    ),
    row(
        "fsync off",
        "nothing is durable: what is left when the disk costs nothing",
        None,
        &[("fsync", "off")],
        true,
    ),
];

const D: &[Compared] = &[
    row(
        "off-0.7",
        "no pauses: writes up to 0.7 of the interval, then all syncs",
        Some("classic"),
        &[("checkpoint_completion_target", "0.7")],
        true,
    ),
    row(
        "v3-0.7",
        "S19: a pause after each slow sync",
        Some("kondo-v3"),
        &[("checkpoint_completion_target", "0.7")],
        true,
    ),
    row(
        "v3-0.9",
        "S19, writes up to 0.9",
        Some("kondo-v3"),
        &[("checkpoint_completion_target", "0.9")],
        true,
    ),
    row(
        "v4-0.7",
        "S20: writes and syncs on one schedule",
        Some("kondo-v4"),
        &[("checkpoint_completion_target", "0.7")],
        true,
    ),
    row("v4-0.9", "S20, up to 0.9", Some("kondo-v4"), &[("checkpoint_completion_target", "0.9")], true),
    row("evenkeel", "sixteen rounds, sorted, past the system's cache: the defaults", None, &[], true),
];

/// The rows of ours. Recovery has none: its lines are kinds of recovery.
pub fn compared(experiment: Experiment, quick: bool) -> Vec<&'static Compared> {
    let all = match experiment {
        Experiment::PartitionedCheckpoints => A,
        Experiment::Bgwriter => B,
        Experiment::GangedLog => C,
        Experiment::CheckpointSchedule => D,
        Experiment::Recovery => &[],
    };
    all.iter().filter(|row| row.quick || !quick).collect()
}

impl Compared {
    /// All settings, those of the preset too, but for what is done from outside.
    pub fn all_settings(&self) -> Vec<(String, String)> {
        let preset = self.preset.and_then(|name| Preset::find(name).ok()).map_or(&[][..], |p| p.settings);
        let all = preset.iter().chain(self.settings).filter(|(name, _)| *name != OUTSIDE_SYNC);
        all.map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    /// As `bench checkpoints` takes it.
    fn free(&self) -> String {
        let preset = self.preset.map(|p| format!(" preset={p}")).unwrap_or_default();
        let settings: String = self.settings.iter().map(|(n, v)| format!(" {n}={v}")).collect();
        format!("{}:{preset}{settings}", self.label)
    }
}

/// A step, and what its figures depend on (invariant 1).
pub struct Step {
    pub key: String,
    pub what: What,
    /// Seconds that it takes, about.
    pub estimate_s: f64,
}

/// Which bench.
pub enum What {
    Checkpoints(Box<bench_checkpoints::Options>),
    Commits { rows: Vec<(String, Vec<(String, String)>)> },
    Tpcc { label: String, run: u32, foreign: bool, options: Box<bench_tpcc::Options> },
    Recovery(Box<bench_recovery::Options>),
}

/// The steps of an experiment. Running servers are asked what they are.
pub fn steps(options: &Options) -> Result<Vec<Step>, Error> {
    let all = compared(options.experiment, options.size.quick);
    if !all.is_empty() && wanted(options).is_empty() && options.against.is_empty() {
        let names: Vec<&str> = all.iter().map(|row| row.label).collect();
        let why = format!("no row has any of that in its name; there are {}", names.join(", "));
        return Err(Error::Bench(BenchError::Options(why)));
    }
    let mut steps = match options.experiment {
        Experiment::PartitionedCheckpoints | Experiment::Bgwriter => checkpoints(options)?,
        Experiment::GangedLog => vec![commits(options)],
        Experiment::CheckpointSchedule => tpcc(options)?,
        Experiment::Recovery => vec![recovery(options)?],
    };
    for step in steps.iter_mut() {
        step.key += &options.disk.map_or(String::new(), |d| format!(", {}", d.line()));
    }
    Ok(steps)
}

/// Seconds that the steps take, about, with what is told without asking servers.
pub fn estimate_s(options: &Options) -> f64 {
    let own = wanted(options).len() + usize::from(options.experiment == Experiment::PartitionedCheckpoints);
    let rows = (own + options.against.len()) as f64;
    let size = &options.size;
    let runs = f64::from(size.runs);
    let each_s = size.seconds + f64::from(size.warm_up_seconds);
    let scale = f64::from(size.scale);
    let points = size.clients.len() as f64;
    let rates = if options.curve.is_some() { 1.0 } else { size.rates.len().max(1) as f64 };
    let slower = options.disk.map_or(1.0, |d| d.slower);
    slower
        * match options.experiment {
            Experiment::PartitionedCheckpoints | Experiment::Bgwriter => {
                points * (scale * LOAD_S + rows * runs * rates * (each_s + AROUND_S))
            }
            Experiment::GangedLog => 5.0 + points * rows * runs * size.seconds * WITH_WARM_UP,
            Experiment::CheckpointSchedule => rows * runs * (each_s + scale * WAREHOUSE_S + AROUND_S),
            Experiment::Recovery => {
                let postgres = f64::from(u8::from(options.postgres_bin.is_some()));
                (2.0 + postgres) * (size.seconds * 1.5 + scale * LOAD_S)
                    + (10.0 + 2.0 * postgres) * runs * (2.0 + size.seconds / 3.0)
            }
        }
}

/// Loading one unit of scale; a warehouse with the check in the end; what surrounds a run. On a machine of no special kind.
const LOAD_S: f64 = 0.5;
const WAREHOUSE_S: f64 = 6.0;
const AROUND_S: f64 = 6.0;
const WITH_WARM_UP: f64 = 1.25;

/// The rows that were asked for.
pub fn wanted(options: &Options) -> Vec<&'static Compared> {
    let all = compared(options.experiment, options.size.quick);
    all.into_iter()
        .filter(|row| {
            options.only.is_empty() || options.only.iter().any(|part| row.label.contains(part.as_str()))
        })
        .collect()
}

fn common_settings(options: &Options) -> Vec<(String, String)> {
    let own = [
        ("checkpoint_timeout", options.size.checkpoint_timeout.as_str()),
        // Checkpoints are to begin by time alone.
        ("max_wal_size", "4GB"),
        ("shared_buffers", &options.size.shared_buffers),
    ];
    let own = own.map(|(name, value)| (name.to_string(), value.to_string()));
    own.into_iter().chain(options.settings.iter().cloned()).collect()
}

fn names_of(options: &Options) -> Result<Vec<(String, evenkeel_client::ConnString)>, Error> {
    // Servers that cannot be reached are found out first.
    options.against.iter().map(|to| Ok((Wire::connect(to)?.product().to_string(), to.clone()))).collect()
}

fn checkpoints(options: &Options) -> Result<Vec<Step>, Error> {
    let size = &options.size;
    let free: Vec<String> = wanted(options).into_iter().map(Compared::free).collect();
    let against = names_of(options)?;
    let set = common_settings(options);
    let held_back = options.experiment == Experiment::PartitionedCheckpoints && !free.is_empty();
    let rows = rows(&RowArgs {
        presets: &[],
        free: &free,
        set: &set,
        against: &against,
        held_back,
        no_own: free.is_empty(),
    })?;
    // pgbench keeps to one rate.
    let pgbench = options.pgbench.clone().filter(|_| options.curve.is_none());
    let load = pgbench.map_or(LoadKind::Wire, LoadKind::Pgbench);
    let total_s = estimate_s(options);
    let step = |clients: &u32| {
        let bench = bench_checkpoints::Options {
            rows: rows.clone(),
            servers: options.against.clone(),
            load: load.clone(),
            clients: *clients,
            jobs: 1,
            scale: size.scale,
            rates: size.rates.clone(),
            curve: options.curve.clone(),
            events: options.events.clone(),
            share_of_first: true,
            limit_ms: 100.0,
            seconds: size.whole_seconds(),
            warm_up_seconds: size.warm_up_seconds,
            runs: size.runs,
            server_settings: against_settings(options),
            fresh: false,
            data: None,
            keep_data: false,
            keep_folder: true,
            before_running: options.before_against.clone(),
            log_dir: None,
            program: options.program.clone(),
            resume: None,
            command: options.command.clone(),
        };
        let key = format!(
            "checkpoints: {clients} clients, {}, scale {}, {:?}, {} s after {} s, {} runs, {:?}, {:?}, {:?}, {rows:?}",
            load.name(),
            size.scale,
            size.rates,
            bench.seconds,
            size.warm_up_seconds,
            size.runs,
            bench.server_settings,
            options.curve.as_ref().map(ToString::to_string),
            options.events.iter().map(|e| &e.text).collect::<Vec<_>>(),
        );
        let estimate_s = total_s / size.clients.len().max(1) as f64;
        Step { key, what: What::Checkpoints(Box::new(bench)), estimate_s }
    };
    Ok(size.clients.iter().map(step).collect())
}

fn against_settings(options: &Options) -> Vec<(String, String)> {
    if options.against.is_empty() {
        return Vec::new();
    }
    let cycle = [("checkpoint_timeout", options.size.checkpoint_timeout.as_str()), ("max_wal_size", "4GB")];
    let cycle = cycle.map(|(name, value)| (name.to_string(), value.to_string()));
    cycle.into_iter().chain(options.against_settings.iter().cloned()).collect()
}

fn commits(options: &Options) -> Step {
    let size = &options.size;
    let of = |row: &'static Compared| {
        let settings = options.settings.iter().cloned().chain(row.all_settings()).collect();
        (row.label.to_string(), settings)
    };
    let rows: Vec<(String, Vec<(String, String)>)> = wanted(options).into_iter().map(of).collect();
    let against: Vec<String> = options.against.iter().map(ToString::to_string).collect();
    let key = format!(
        "commits: {:?} clients, {} s, {} runs, {rows:?}, {against:?}",
        size.clients, size.seconds, size.runs
    );
    Step { key, what: What::Commits { rows }, estimate_s: estimate_s(options) }
}

fn tpcc(options: &Options) -> Result<Vec<Step>, Error> {
    let size = &options.size;
    let against = names_of(options)?;
    let mut rows: Vec<(String, Wanted)> = Vec::new();
    let blank = Wanted {
        url: None,
        against: Vec::new(),
        settings: Vec::new(),
        data: Some(options.parent()),
        program: options.program.clone(),
    };
    for row in wanted(options) {
        let settings = common_settings(options).into_iter().chain(row.all_settings()).collect();
        rows.push((row.label.into(), Wanted { settings, ..blank.clone() }));
    }
    rows.extend(against.into_iter().map(|(name, to)| (name, Wanted { url: Some(to), ..blank.clone() })));
    let each_s = estimate_s(options) / (rows.len() as f64 * f64::from(size.runs)).max(1.0);
    let mut steps = Vec::new();
    for run in 0..size.runs {
        let mut turn: Vec<&(String, Wanted)> = rows.iter().collect();
        if run % 2 == 1 {
            turn.reverse();
        }
        for (label, servers) in turn {
            let bench = bench_tpcc::Options {
                servers: servers.clone(),
                warehouses: size.scale,
                terminals: size.clients.first().copied().unwrap_or(1),
                think: options.think,
                curve: options.curve.clone(),
                events: options.events.clone(),
                batches: true,
                seconds: size.whole_seconds(),
                warm_up_seconds: size.warm_up_seconds,
                runs: 1,
                seed: u64::from(run) + 1,
                keep: false,
                command: options.command.clone(),
            };
            let to = servers.url.as_ref().map(ToString::to_string).unwrap_or_default();
            let key = format!(
                "tpcc: {label} {to}, run {run}, {} warehouses, {} terminals, think {}, {:?}, {:?}, {} s after {} s, {:?}",
                size.scale,
                bench.terminals,
                options.think,
                options.curve.as_ref().map(ToString::to_string),
                options.events.iter().map(|e| &e.text).collect::<Vec<_>>(),
                bench.seconds,
                size.warm_up_seconds,
                servers.settings
            );
            let foreign = servers.url.is_some();
            let what = What::Tpcc { label: label.clone(), run, foreign, options: Box::new(bench) };
            steps.push(Step { key, what, estimate_s: each_s });
        }
    }
    Ok(steps)
}

fn recovery(options: &Options) -> Result<Step, Error> {
    let size = &options.size;
    let wrong = |why: &str| Error::Bench(BenchError::Options(why.into()));
    let Some(pgbench) = options.pgbench.clone() else {
        return Err(wrong(
            "recovery needs pgbench: install PostgreSQL's client programs, or say where it is with --pgbench",
        ));
    };
    if !options.against.is_empty() {
        return Err(wrong(
            "a running server is not killed: with --postgres-bin a PostgreSQL is made for it, and killed",
        ));
    }
    let mut settings = options.settings.clone();
    settings.insert(0, ("shared_buffers".into(), size.shared_buffers.clone()));
    let postgres = options.postgres_bin.clone().map(|bin| PostgresOptions {
        bin,
        settings: [("shared_buffers".into(), size.shared_buffers.clone())]
            .into_iter()
            .chain(options.against_settings.iter().cloned())
            .collect(),
    });
    let bench = bench_recovery::Options {
        rows: bench_recovery::rows(true, true),
        postgres,
        pgbench,
        mix: Mix::SimpleUpdate,
        clients: size.clients.first().copied().unwrap_or(1),
        jobs: 1,
        scale: size.scale,
        seconds: size.whole_seconds(),
        runs: size.runs,
        settings,
        data: Some(options.parent()),
        program: options.program.clone(),
        command: options.command.clone(),
    };
    let key = format!(
        "recovery: {} clients, scale {}, {} s, {} runs, {:?}, postgres {:?}",
        bench.clients, bench.scale, bench.seconds, bench.runs, bench.settings, bench.postgres
    );
    Ok(Step { key, what: What::Recovery(Box::new(bench)), estimate_s: estimate_s(options) })
}

/// Is it the row that nothing is measured with but the load itself?
pub fn is_control(row: &Row) -> bool {
    row.label == HELD_BACK
}
