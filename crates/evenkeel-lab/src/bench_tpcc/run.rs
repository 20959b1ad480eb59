//! The runs: the servers take turns, and their tables are checked in the end.
//!
//! Invariants
//! 1. Servers alternate, every other time in the opposite order: ratios compare neighbours in time.
//! 2. Tables that were made go in the end, also after an error, as far as their server still answers.
//!
//! It must not know how results are shown.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::schema::SCHEMA;
use super::terminal::Terminal;
use super::{Checkpoints, Figures, KINDS, Kind, Options, Report, Server, consistency, load};
use crate::bench_checkpoints::events::{self, Happened, Place, Tables};
use crate::bench_checkpoints::prepare::{CONTROL_NAME, patiently};
use crate::bench_checkpoints::{Error, Event, Progress, Watched, server_error};
use crate::bench_commits::Load;
use crate::bench_commits::schedule::Schedule;
use crate::bench_commits::window::PATIENCE_S;
use crate::disturbance::{Disturbance, Probe};
use crate::logdisk::sample::Latencies;
use crate::machine::machine;
use crate::turns::{Clock, Served, Wanted, with_servers};
use evenkeel_client::{ConnString, Connection};

/// A terminal that waits looks so often whether it is to end.
const WAIT_STEP: Duration = Duration::from_millis(50);
/// What loading a warehouse and a last check of it take, for the first guess at the end.
const LOAD_GUESS_S: f64 = 4.0;
const CHECK_GUESS_S: f64 = 1.0;

/// A server that is measured.
struct Target {
    to: ConnString,
    is_own: bool,
    name: String,
    settings: Vec<(String, String)>,
    load_seconds: Option<f64>,
    new_orders_per_minute: Vec<f64>,
    ended: [u64; 5],
    latencies: [Latencies; 5],
    unfinished: u64,
    run_again: u64,
    checkpoints: Vec<Checkpoints>,
    events: Vec<Happened>,
    disturbance: Option<Disturbance>,
}

/// Measures. Blocks; ends soon after `stop` is set.
pub fn run(options: &Options, stop: &AtomicBool, progress: &mut dyn Progress) -> Result<Report, Error> {
    let servers = (options.servers.against.len() + 1) as f64;
    let run_s = f64::from(options.seconds + options.warm_up_seconds);
    let warehouses = f64::from(options.warehouses);
    let left_s = servers * (warehouses * (LOAD_GUESS_S + CHECK_GUESS_S) + run_s * f64::from(options.runs));
    let mut clock = Clock::new(left_s, stop, progress);
    let wanted = &options.servers;
    let measure = |servers: &[Served], clock: &mut Clock<'_>| {
        let mut targets: Vec<Target> = servers.iter().map(Target::new).collect();
        measured(options, &mut targets, clock)?;
        Ok(targets)
    };
    let remove = |server: &Served| {
        if options.keep {
            return Ok(());
        }
        let removed = Connection::open(&server.to, CONTROL_NAME).and_then(|mut c| load::remove(&mut c));
        removed.map_err(server_error(&server.name)) // invariant 2
    };
    let targets = with_servers(wanted, options.terminals, &mut clock, measure, remove)?;
    let servers: Vec<Server> = targets.into_iter().map(Target::report).collect();
    Ok(Report {
        command: options.command.clone(),
        machine: machine(wanted.url.is_none().then_some(wanted.parent())),
        warehouses: options.warehouses,
        terminals: options.terminals,
        think: options.think,
        curve: options.curve.as_ref().map(ToString::to_string),
        batches: options.batches,
        seconds: options.seconds,
        warnings: warnings(wanted, &servers),
        servers,
    })
}

/// Why the figures may mislead.
fn warnings(wanted: &Wanted, servers: &[Server]) -> Vec<String> {
    let unfinished = servers.iter().filter(|s| s.unfinished > 0).map(|s| {
        format!(
            "{}: transactions were not begun {PATIENCE_S} s after the counted time: {}; response times are at least what is said here",
            s.name, s.unfinished
        )
    });
    unfinished.chain(wanted.in_memory()).collect()
}

fn measured(options: &Options, targets: &mut [Target], clock: &mut Clock<'_>) -> Result<(), Error> {
    for target in targets.iter_mut() {
        target.fill(options, clock)?;
        clock.left_s -= f64::from(options.warehouses) * LOAD_GUESS_S;
    }
    for n in 0..options.runs {
        let mut turn: Vec<&mut Target> = targets.iter_mut().collect();
        if n % 2 == 1 {
            turn.reverse(); // invariant 1
        }
        for target in turn {
            target.measure(n, options, clock)?;
        }
    }
    for target in targets {
        let mut control = Connection::open(&target.to, CONTROL_NAME).map_err(server_error(&target.name))?;
        let path = format!("SET search_path = {SCHEMA}");
        control.query(&path).map_err(server_error(&target.name))?;
        let name = target.name.clone();
        consistency::check(&mut control, &target.name, &mut |n| {
            clock.tell(&format!("{name}: consistency condition {n} of 12"))
        })?;
        clock.left_s -= f64::from(options.warehouses) * CHECK_GUESS_S;
    }
    Ok(())
}

impl Target {
    fn new(server: &Served) -> Target {
        Target {
            to: server.to.clone(),
            is_own: server.is_own,
            name: server.name.clone(),
            settings: server.settings.clone(),
            load_seconds: None,
            new_orders_per_minute: Vec::new(),
            latencies: KINDS.map(|_| Latencies::new()),
            ended: [0; 5],
            unfinished: 0,
            run_again: 0,
            checkpoints: Vec::new(),
            events: Vec::new(),
            disturbance: None,
        }
    }

    fn fill(&mut self, options: &Options, clock: &mut Clock<'_>) -> Result<(), Error> {
        let mut control = Connection::open(&self.to, CONTROL_NAME).map_err(server_error(&self.name))?;
        if options.keep && load::warehouses(&mut control) == Some(options.warehouses) {
            return Ok(());
        }
        let (begin, mut done) = (Instant::now(), 0.0);
        let what = |done: f64| format!("{}: filling the tables, {:.0} %", self.name, done * 100.0);
        load::load(&self.to, &self.name, options.warehouses, options.seed, &mut |share| {
            done = share.unwrap_or(done);
            clock.tell(&what(done))
        })?;
        self.load_seconds = Some(begin.elapsed().as_secs_f64());
        Ok(())
    }

    /// One run.
    fn measure(&mut self, n: u32, options: &Options, clock: &mut Clock<'_>) -> Result<(), Error> {
        let what = format!("{}: run {} of {}", self.name, n + 1, options.runs);
        let mut control = Connection::open(&self.to, CONTROL_NAME).map_err(server_error(&self.name))?;
        // Each begins without another's pages to write.
        patiently(&mut control, &self.name, "CHECKPOINT", &mut |_| clock.tell(&what))?;
        let mut terminals = Vec::new();
        for t in 0..options.terminals {
            let seed = options.seed ^ (u64::from(n + 1) << 32) ^ u64::from(t);
            let warehouse = t % options.warehouses + 1;
            terminals.push((Terminal::open(&self.to, &self.name, options, seed, warehouse)?, t));
        }
        let begin = Instant::now();
        let counted = begin + Duration::from_secs(options.warm_up_seconds.into());
        let end = counted + Duration::from_secs(options.seconds.into());
        let (ended, stopped) = (AtomicBool::new(false), AtomicBool::new(false));
        let counted_time = CountedTime { from: counted, to: end, ended: &ended, stopped: &stopped };
        let mut watched = Watched::connect(&self.to, &self.name)?;
        let probe = Probe::start_at(counted, self.is_own);
        let tables = Tables::Tpcc(options.warehouses);
        let place = Place { to: &self.to, name: &self.name, tables };
        let (results, happened): (Vec<Result<Counts, Error>>, _) = std::thread::scope(|scope| {
            let beside = |event| {
                let (place, ended) = (&place, &ended);
                scope.spawn(move || Event::now_and_then(event, place, counted, ended))
            };
            let events: Vec<_> = options.events.iter().map(beside).collect();
            let watching = scope.spawn(|| watched.until(counted, &ended));
            let paces = |t| {
                let curve = options.curve.as_ref()?;
                let load = Load {
                    clients: options.terminals,
                    seconds: options.seconds.into(),
                    per_s: None,
                    bytes: 0,
                    seed: options.seed ^ u64::from(n),
                    stop: clock.stop,
                };
                Some((Schedule::along(curve, counted - begin, &load, t), begin))
            };
            let spawn = |(terminal, t)| {
                let paces = paces(t);
                scope.spawn(|| counts(terminal, paces, options.think, &counted_time))
            };
            let threads: Vec<_> = terminals.into_iter().map(spawn).collect();
            let mut told = Ok(());
            while Instant::now() < end && !threads.iter().all(|t| t.is_finished()) && told.is_ok() {
                std::thread::sleep(WAIT_STEP);
                told = clock.tell(&what);
                clock.left_s -= WAIT_STEP.as_secs_f64();
            }
            ended.store(true, Ordering::Relaxed);
            // What is under way, and what a curve had come due behind it, is awaited.
            while told.is_ok() && !threads.iter().all(|t| t.is_finished()) {
                std::thread::sleep(WAIT_STEP);
                told = clock.tell(&what);
            }
            stopped.store(told.is_err(), Ordering::Relaxed);
            let joined = threads
                .into_iter()
                .map(|t| t.join().unwrap_or_else(|_| Err(Error::Options("a terminal panicked".into()))));
            let all = joined.collect();
            watching.join().unwrap_or_default();
            let happened: Vec<Happened> =
                events.into_iter().flat_map(|e| e.join().unwrap_or_default()).collect();
            told.map(|()| (all, happened))
        })?;
        if !options.events.is_empty() {
            events::clean_up(&place)?;
        }
        self.events.extend(happened);
        self.disturbance = Disturbance::all(self.disturbance.into_iter().chain(probe.end()));
        let activity = watched.activity(options.seconds);
        let (cycles, write_s, sync_s) = (activity.cycles, activity.write_s, activity.sync_s);
        self.checkpoints.push(Checkpoints { cycles, write_s, sync_s });
        let mut new_orders = 0;
        for result in results {
            let counts = result?;
            new_orders += counts.ended[Kind::NewOrder as usize];
            self.ended.iter_mut().zip(counts.ended).for_each(|(all, one)| *all += one);
            self.unfinished += counts.unfinished;
            self.run_again += counts.run_again;
            for (all, one) in self.latencies.iter_mut().zip(&counts.latencies) {
                all.add(one);
            }
        }
        self.new_orders_per_minute.push(new_orders as f64 * 60.0 / f64::from(options.seconds));
        Ok(())
    }

    fn report(self) -> Server {
        let figures = |((kind, &count), l): ((&Kind, &u64), &Latencies)| Figures {
            kind: kind.name().into(),
            count,
            mean_ms: l.mean_us() / 1e3,
            deviation_ms: l.deviation_us() / 1e3,
            p50_ms: l.at_us(0.5) / 1e3,
            p90_ms: l.at_us(0.9) / 1e3,
            p99_ms: l.at_us(0.99) / 1e3,
            max_ms: l.at_us(1.0) / 1e3,
            buckets: l.buckets(),
        };
        Server {
            kinds: KINDS.iter().zip(&self.ended).zip(&self.latencies).map(figures).collect(),
            name: self.name,
            settings: self.settings,
            load_seconds: self.load_seconds,
            new_orders_per_minute: self.new_orders_per_minute,
            unfinished: self.unfinished,
            run_again: self.run_again,
            consistent: true,
            checkpoints: self.checkpoints,
            events: self.events,
            disturbance: self.disturbance,
        }
    }
}

/// The time that is counted.
struct CountedTime<'a> {
    from: Instant,
    to: Instant,
    /// It is over.
    ended: &'a AtomicBool,
    /// Nothing is awaited any more.
    stopped: &'a AtomicBool,
}

/// What a terminal counted.
struct Counts {
    /// Confirmed within the counted time.
    ended: [u64; 5],
    /// Of these, and of what was due in it and ended behind it: from when it was due, or first begun.
    latencies: [Latencies; 5],
    /// Of the latter, what was not even begun long after it.
    unfinished: u64,
    run_again: u64,
}

impl Counts {
    fn record(&mut self, kind: Kind, due: Instant, now: Instant) {
        self.latencies[kind as usize].record(now.saturating_duration_since(due).as_nanos() as u64);
    }
}

/// Runs transactions until the end, and what was due before it.
fn counts(
    mut terminal: Terminal,
    mut paces: Option<(Schedule, Instant)>,
    think: bool,
    time: &CountedTime<'_>,
) -> Result<Counts, Error> {
    let &CountedTime { from, to, ended, stopped } = time;
    let patience = to + Duration::from_secs(PATIENCE_S);
    let latencies = KINDS.map(|_| Latencies::new());
    let mut counts = Counts { ended: [0; 5], latencies, unfinished: 0, run_again: 0 };
    let wait = |time: Duration| {
        let until = Instant::now() + time;
        while !ended.load(Ordering::Relaxed) && Instant::now() < until {
            std::thread::sleep(WAIT_STEP.min(until.saturating_duration_since(Instant::now())));
        }
    };
    loop {
        let kind = terminal.draw();
        if think {
            wait(Duration::from_secs_f64(kind.key_seconds()));
        }
        let due = match &mut paces {
            Some((schedule, begin)) => *begin + Duration::from_nanos(schedule.next_ns(0)),
            None => Instant::now(),
        };
        wait(due.min(to).saturating_duration_since(Instant::now()));
        if due >= to || stopped.load(Ordering::Relaxed) {
            break;
        }
        let now = Instant::now();
        if now >= patience {
            counts.unfinished += 1;
            counts.record(kind, due, now);
            continue;
        }
        let again = terminal.run(kind)?;
        let now = Instant::now();
        if now >= from {
            counts.record(kind, due, now);
            counts.ended[kind as usize] += u64::from(now < to);
            counts.run_again += u64::from(again);
        }
        if think {
            let time = terminal.thinking(kind);
            wait(time);
        }
    }
    Ok(counts)
}
