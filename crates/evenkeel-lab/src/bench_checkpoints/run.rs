//! The series: every row at every rate, so many times.
//!
//! Invariants
//! 1. Rows take turns: a run measures all rows at all rates before the next run does, every other run in the opposite order. What else happens on the machine falls on all.
//! 2. A server is measured only while no other one that was started here runs.
//! 3. Processes end, settings go back, and folders go, whatever happens: each is owned by a guard.
//!
//! It must not know how results are shown.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use evenkeel::Database;

use super::cycles::activity;
use super::digest::{Digest, Figured};
use super::events::{self, Place, Tables};
use super::load::embedded::{Embedded, EngineMonitor};
use super::load::{Load, Spec, pgbench::Pgbench, wire::Wire};
use super::monitor::SqlMonitor;
use super::outside::{self, shell};
use super::own_server::{OwnServer, engine_options, settings_of};
use super::postgres::Changed;
use super::prepare::{self, CONTROL_NAME, before_run, optional};
use super::result::{Report, RunResult, lines};
use super::rows::{Rate, Row, System, rates};
use super::sampler::{Monitor, Stalls, sample};
use super::state::{Conditions, State};
use super::store::Store;
use super::temporary::{TemporaryDir, place_off};
use super::trace::Trace;
use super::{Error, LoadKind, Options, Progress, server_error};
use crate::bench_commits::wire::name_of;
use crate::disturbance::Probe;
use crate::machine::{in_memory, machine, niceness};
use evenkeel_client::ConnString;
use evenkeel_client::Connection;

/// Starting, loading caches and a checkpoint before a run take about this, as long as nothing better is known.
const AROUND_A_RUN_S: f64 = 8.0;
/// A throttled row that reaches less than this share of its rate is overloaded.
const RATE_REACHED_MIN: f64 = 0.97;
/// Where each partition stands at the end.
const PARTITIONS: &str = "SELECT partition, redo_lsn, image_floor, dirty_pages, unsynced_files, write_time, sync_time, images_written, rounds, end_lsn \
     FROM evenkeel_stat_checkpoint_partitions ORDER BY partition";
/// What is shown of a server's settings.
const SETTINGS: [&str; 14] = [
    "shared_buffers",
    "checkpoint_timeout",
    "max_wal_size",
    "checkpoint_completion_target",
    "checkpoint_partitions",
    "checkpoint_flush_after",
    "full_page_writes",
    "fsync",
    "synchronous_commit",
    "wal_sync_method",
    "data_checksums",
    "bgwriter_delay",
    "bgwriter_maxpages",
    "bgwriter_policy",
];

/// Runs the series. Blocks; ends soon after `stop` is set.
pub fn run(options: &Options, stop: &AtomicBool, progress: &mut dyn Progress) -> Result<Report, Error> {
    let begin = Instant::now();
    check(options)?;
    let state = State::open(options.resume.as_deref(), Conditions::of(options))?;
    let rates = match options.curve {
        Some(_) => vec![Rate::Curve],
        None => rates(&options.rates),
    };
    let data_parent = options.data.clone().unwrap_or_else(|| ".".into());
    let off = options.log_dir.clone().unwrap_or_else(|| place_off(&data_parent));
    let scratch = TemporaryDir::new(&off, "evenkeel-bench-checkpoints")?;
    let store = Store::new(options, &data_parent)?;
    let left =
        turns(options, &rates).filter(|(row, rate, run)| state.find(row, *rate, *run).is_none()).count();
    let run_s = f64::from(options.warm_up_seconds + options.seconds);
    let clock = Clock { begin, done: 0, left, run_s, what: String::new(), step: Instant::now() };
    let mut series = Series { options, stop, progress, state, scratch, store, clock };
    let measured = series.run_all(&rates);
    let cleaned = series.store.clean_up(options);
    measured?;
    cleaned?;
    let mut report = Report {
        command: options.command.clone(),
        machine: machine(Some(&data_parent)),
        load: format!(
            "{}{}",
            options.load.name(),
            if options.over_sockets() { " over Unix sockets" } else { "" }
        ),
        clients: options.clients,
        scale: options.scale,
        seconds: options.seconds,
        warm_up_seconds: options.warm_up_seconds,
        limit_ms: options.limit_ms,
        lines: lines(series.state.results(), &rates, &options.rows),
        results: Vec::new(),
        warnings: Vec::new(),
    };
    let wanted = |r: &&RunResult| options.rows.contains(&r.row) && rates.contains(&r.rate);
    report.results = series.state.results().iter().filter(wanted).cloned().collect();
    report.warnings = warnings(&report);
    if options.rows.iter().any(Row::is_own) {
        report.warnings.extend(in_memory(&data_parent));
    }
    Ok(report)
}

/// What can be known to fail fails before anything long starts.
fn check(options: &Options) -> Result<(), Error> {
    if options.curve.is_some() && matches!(options.load, LoadKind::Pgbench(_)) {
        return Err(Error::Options(
            "pgbench keeps to one rate: a curve takes clients of ours, --load wire".into(),
        ));
    }
    if !options.events.is_empty() && options.load == LoadKind::Embedded {
        return Err(Error::Options("events are statements: they need a server, --load wire".into()));
    }
    for row in &options.rows {
        match (&row.system, &options.load) {
            (System::Running { .. }, LoadKind::Embedded) => {
                return Err(Error::Options("running servers cannot be measured embedded".into()));
            }
            (System::Own { .. }, LoadKind::Embedded) => {
                engine_options(&options.program, row)?;
            }
            (System::Own { .. }, _) => drop(settings_of(&options.program, row)?),
            (System::Running { server, place }, _) => {
                // Values that it does not take, too, are found out now.
                Changed::apply(&options.servers[*server], place, &options.server_settings)?.restore()?;
            }
        }
    }
    Ok(())
}

/// Invariant 1.
fn turns<'a>(options: &'a Options, rates: &'a [Rate]) -> impl Iterator<Item = (&'a Row, Rate, u32)> {
    (0..options.runs).flat_map(move |run| {
        rates.iter().flat_map(move |rate| {
            let mut rows: Vec<&Row> = options.rows.iter().collect();
            if run % 2 == 1 {
                rows.reverse();
            }
            rows.into_iter().map(move |row| (row, *rate, run))
        })
    })
}

/// How far the series is.
struct Clock {
    begin: Instant,
    done: usize,
    left: usize,
    run_s: f64,
    what: String,
    /// When the present run began.
    step: Instant,
}

impl Clock {
    fn tell(&self, progress: &mut dyn Progress) {
        let done_s = self.begin.elapsed().as_secs_f64();
        let step_s = self.step.elapsed().as_secs_f64();
        let each_s = match self.done {
            0 => self.run_s + AROUND_A_RUN_S,
            done => (self.step.duration_since(self.begin).as_secs_f64() / done as f64).max(self.run_s),
        };
        let left_s = (each_s * self.left as f64 - step_s).max(0.0);
        progress.at(done_s, done_s + left_s, &self.what);
    }
}

struct Series<'a> {
    options: &'a Options,
    stop: &'a AtomicBool,
    progress: &'a mut dyn Progress,
    state: State,
    scratch: TemporaryDir,
    store: Store,
    clock: Clock,
}

impl Series<'_> {
    fn run_all(&mut self, rates: &[Rate]) -> Result<(), Error> {
        let options = self.options;
        let total = turns(options, rates).count();
        // Tables that do not fit are found out before anything long begins.
        for row in &options.rows {
            if let System::Running { server, place } = &row.system {
                self.store.begin_running(&options.servers[*server], place, options)?;
            }
        }
        for (n, (row, rate, run)) in turns(options, rates).enumerate() {
            if self.state.find(row, rate, run).is_some() {
                continue;
            }
            self.clock.what = format!("{} of {total}: {}, {rate}", n + 1, row.label);
            self.clock.step = Instant::now();
            self.tick()?;
            let result = self.one(row, rate, run)?;
            self.state.add(result)?;
            (self.clock.done, self.clock.left) = (self.clock.done + 1, self.clock.left - 1);
        }
        Ok(())
    }

    /// Tells how far it is; error if the user wants to stop.
    fn tick(&mut self) -> Result<(), Error> {
        self.clock.tell(self.progress);
        if self.stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn one(&mut self, row: &Row, rate: Rate, run: u32) -> Result<RunResult, Error> {
        let rate_per_s = self.rate_per_s(row, rate, run)?;
        let blank = RunResult {
            row: row.clone(),
            rate,
            rate_per_s,
            run,
            product: String::new(),
            settings: Vec::new(),
            seconds: Vec::new(),
            minutes: Vec::new(),
            overall: Default::default(),
            trace: Trace::default(),
            activity: Default::default(),
            partitions: Vec::new(),
            notes: Vec::new(),
            disturbance: None,
            asked: options_asked(self.options),
            events: Vec::new(),
        };
        match (&row.system, &self.options.load) {
            (System::Own { .. }, LoadKind::Embedded) => self.embedded(blank),
            (System::Own { .. }, _) => self.own(blank),
            (System::Running { server, place }, _) => {
                self.running(blank, &self.options.servers[*server], place)
            }
        }
    }

    /// Shares are of the row's own full speed in the same run, as other machines on the host may slow down one run more than the
    /// next; or of the first row's. The control row always gets the load of the row that it controls.
    fn rate_per_s(&self, row: &Row, rate: Rate, run: u32) -> Result<Option<f64>, Error> {
        let share = match rate {
            Rate::Full | Rate::Curve => return Ok(None),
            Rate::PerSecond(rate) => return Ok(Some(rate)),
            Rate::Share(share) => share,
        };
        let first = self.options.share_of_first || row.is_held_back();
        let of = if first { &self.options.rows[0] } else { row };
        let full = self
            .state
            .find(of, Rate::Full, run)
            .map(|r| r.overall.transactions as f64 / f64::from(self.options.seconds) * share);
        let full = full.filter(|rate| *rate > 0.0);
        full.map(Some).ok_or_else(|| {
            Error::Options(format!("\"{}\" did nothing at full speed to take a share of", of.label))
        })
    }

    /// A row of ours over the wire.
    fn own(&mut self, blank: RunResult) -> Result<RunResult, Error> {
        let (options, row) = (self.options, blank.row.clone());
        let fresh = self.store.begin_own(options)?;
        let mut server = self.start(&row)?;
        if fresh {
            let loaded = self.load_tables(&server.to().clone(), &row.label);
            loaded.map_err(|e| server.explain(e))?;
            self.store.own_loaded(options, None)?;
            // As every later run, the first one begins after a start.
            server.stop()?;
            server = self.start(&row)?;
        }
        let (to, process) = (server.to().clone(), server.id());
        let result = self.over_the_wire(blank, &to, Some(process)).map_err(|e| server.explain(e))?;
        server.stop()?;
        Ok(result)
    }

    fn start(&mut self, row: &Row) -> Result<OwnServer, Error> {
        let words: PathBuf = self.scratch.path().join("server.log");
        let data = self.store.database();
        let socket = self.options.over_sockets().then(|| self.scratch.path());
        OwnServer::start(&self.options.program, &data, row, self.options.clients, socket, words, self.stop)
    }

    fn load_tables(&mut self, to: &ConnString, name: &str) -> Result<(), Error> {
        let (options, words) = (self.options, self.scratch.path().join("pgbench.log"));
        let program = match &options.load {
            LoadKind::Pgbench(program) => Some((program.as_path(), words.as_path())),
            _ => None,
        };
        let what = std::mem::take(&mut self.clock.what);
        let mut tick = |share: Option<f64>| {
            let percent = share.map(|s| format!(", {:.0} %", s * 100.0)).unwrap_or_default();
            self.clock.what = format!("{what}: loading scale {}{percent}", options.scale);
            self.tick()
        };
        let loaded = prepare::load(to, name, program, options.scale, &mut tick);
        self.clock.what = what;
        loaded
    }

    /// A server that is running already.
    fn running(&mut self, blank: RunResult, to: &ConnString, place: &str) -> Result<RunResult, Error> {
        let options = self.options;
        if let Some(command) = &options.before_running {
            self.clock.what = format!("{}: {command}", blank.row.label);
            self.tick()?;
            shell(command)?;
        }
        if self.store.begin_running(to, place, options)? {
            self.load_tables(to, place)?;
        }
        let changed = Changed::apply(to, place, &options.server_settings)?;
        let result = self.over_the_wire(blank, to, None)?;
        changed.restore()?;
        Ok(result)
    }

    fn over_the_wire(
        &mut self,
        mut result: RunResult,
        to: &ConnString,
        process: Option<u32>,
    ) -> Result<RunResult, Error> {
        let name = result.row.label.clone();
        let wrong = server_error(&name);
        let mut control = Connection::open(to, CONTROL_NAME).map_err(&wrong)?;
        before_run(&mut control, &name, &mut |_| self.tick())?;
        let version = control.value("SELECT version()").map_err(&wrong)?.unwrap_or_default();
        result.product = name_of(&version);
        for setting in SETTINGS {
            let value = optional(control.value(&format!("SHOW {setting}"))).map_err(&wrong)?.flatten();
            result.settings.extend(value.map(|v| (setting.to_string(), v)));
        }
        let mut monitor = SqlMonitor::connect(to, &name, process)?;
        let log_dir = self.scratch.path().to_path_buf();
        let place = Place { to, name: &name, tables: Tables::Pgbench(self.options.scale) };
        let mut result = match &self.options.load {
            LoadKind::Pgbench(program) => {
                let mut load = Pgbench { program, to, log_dir: &log_dir };
                self.measure(result, &mut load, &mut monitor, Some(&place))
            }
            _ => self.measure(result, &mut Wire { to, name: &name }, &mut monitor, Some(&place)),
        }?;
        if !self.options.events.is_empty() {
            events::clean_up(&place)?;
        }
        result.partitions = optional(control.query(PARTITIONS)).map_err(&wrong)?.unwrap_or_default();
        Ok(result)
    }

    /// A row of ours without a server.
    fn embedded(&mut self, mut result: RunResult) -> Result<RunResult, Error> {
        let options = self.options;
        let engine = engine_options(&options.program, &result.row)?;
        let fresh = self.store.begin_own(options)?;
        let folder = self.store.database();
        let what = self.clock.what.clone();
        let trees = match self.store.trees().filter(|_| !fresh) {
            Some(trees) => trees,
            None => {
                let mut tick = |share: f64| {
                    self.clock.what =
                        format!("{what}: loading scale {}, {:.0} %", options.scale, share * 100.0);
                    self.tick()
                };
                super::load::embedded::load(&folder, engine.clone(), options.scale, &mut tick)?
            }
        };
        self.clock.what = what;
        let database = Database::open(&folder, engine)?;
        result.product = format!("evenkeel {}, embedded", env!("CARGO_PKG_VERSION"));
        let shown = database.settings().into_iter().filter(|s| SETTINGS.contains(&s.name.as_str()));
        result.settings = shown.map(|s| (s.name, s.value)).collect();
        let measured =
            Embedded::prepare(&database, trees, &mut || self.tick()).and_then(|(mut load, trees)| {
                self.store.own_loaded(options, Some(trees))?;
                self.measure(result, &mut load, &mut EngineMonitor(database.clone()), None)
            });
        let closed = database.close();
        let result = measured?;
        closed?;
        Ok(result)
    }

    /// The load with its samples.
    fn measure(
        &mut self,
        mut result: RunResult,
        load: &mut dyn Load,
        monitor: &mut dyn Monitor,
        place: Option<&Place<'_>>,
    ) -> Result<RunResult, Error> {
        let options = self.options;
        let mut digest = Digest::new(options.seconds, options.limit_ms);
        let spec = Spec {
            clients: options.clients,
            jobs: options.jobs,
            scale: options.scale,
            rate_per_s: result.rate_per_s,
            curve: options.curve.as_ref(),
            limit_ms: options.limit_ms,
            origin: Instant::now() + Duration::from_secs(u64::from(options.warm_up_seconds)),
            seconds: options.seconds,
            seed: u64::from(result.run) + 1,
            stop: self.stop,
        };
        let ended = AtomicBool::new(false);
        let probe = Probe::start_at(spec.origin, matches!(result.row.system, System::Own { .. }));
        let (clock, progress) = (&self.clock, &mut *self.progress);
        let syncing = result.row.outside_sync();
        let (ran, readings, synced, happened) = std::thread::scope(|scope| {
            let events =
                place.into_iter().flat_map(|place| options.events.iter().map(move |event| (event, place)));
            let (origin, ended_too) = (spec.origin, &ended);
            let events: Vec<_> = events
                .map(|(event, place)| scope.spawn(move || event.now_and_then(place, origin, ended_too)))
                .collect();
            let syncs = syncing.map(|between| {
                scope.spawn({
                    let ended = &ended;
                    move || outside::sync_now_and_then(between, ended)
                })
            });
            let mut monitor = Stalls { monitor, probe: &probe };
            let ended = &ended;
            let sampler = scope.spawn(move || sample(&mut monitor, origin, ended));
            let ran = load.run(&spec, &mut digest, &mut || clock.tell(progress));
            ended.store(true, Ordering::Relaxed);
            let synced = syncs.map(|s| s.join().unwrap_or_default());
            let happened = events.into_iter().flat_map(|e| e.join().unwrap_or_default()).collect();
            (ran, sampler.join().unwrap_or_default(), synced, happened)
        });
        result.disturbance = probe.end();
        result.events = happened;
        result.notes = ran?;
        result.settings.extend(synced.map(|said| ("sync()".to_string(), said)));
        Figured { seconds: result.seconds, minutes: result.minutes, overall: result.overall } =
            digest.finish();
        result.trace = Trace::of(&readings, options.seconds);
        let partitions = result.setting("checkpoint_partitions").and_then(|n| n.parse().ok()).unwrap_or(1);
        result.activity = activity(&readings, options.seconds, partitions);
        Ok(result)
    }
}

/// What the curve asks for in every second.
fn options_asked(options: &Options) -> Vec<f64> {
    options.curve.as_ref().map_or(Vec::new(), |curve| curve.seconds(options.seconds))
}

/// Transactions a second that a row has to reach at least; arrivals are random, so that few of them may be fewer by chance.
fn reached_min(asked: f64, seconds: u32) -> f64 {
    asked * RATE_REACHED_MIN - 3.0 * (asked / f64::from(seconds.max(1))).sqrt()
}

/// Why the figures may mislead.
fn warnings(report: &Report) -> Vec<String> {
    let mut out = Vec::new();
    for r in &report.results {
        let failed = r.events.iter().find_map(|e| Some((&e.what, e.error.as_ref()?)));
        out.extend(failed.map(|(what, why)| format!("{}: {what} failed: {why}", r.row.label)));
        out.extend(r.notes.iter().map(|note| format!("{}, {}: {note}", r.row.label, r.rate)));
    }
    for line in &report.lines {
        let (label, rate) = (&line.label, line.rate);
        let spoilt = line.disturbance.and_then(|d| d.spoils());
        out.extend(spoilt.map(|why| format!("{label}, {rate}: {why}; measure it again")));
        if let Some(asked) =
            line.rate_per_s.filter(|asked| line.median.tps < reached_min(*asked, report.seconds))
        {
            out.push(format!("{label}: {asked:.0}/s are more than it can do ({:.0}/s)", line.median.tps));
        }
        if line.median.failed > 0.0 {
            out.push(format!("{label}, {rate}: {} transactions failed", line.median.failed));
        }
        let Some(r) = report.typical(line) else { continue };
        for name in ["fsync", "synchronous_commit"] {
            if r.setting(name) == Some("off") {
                out.push(format!("{label}: commits are not durable ({name} = off)"));
            }
        }
        if !r.row.is_held_back() && line.median.cycles < 1.0 {
            out.push(format!("{label}, {rate}: no checkpoint cycle ended in the counted time"));
        }
    }
    if niceness() > 0 && report.results.iter().any(|r| !r.row.is_own()) {
        out.push(format!(
            "this process and what it starts are niced ({}), other servers perhaps are not",
            niceness()
        ));
    }
    out.dedup();
    out
}
