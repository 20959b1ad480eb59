//! The runs: each query on each server in turn, and whether all give the same rows.
//!
//! Invariants
//! 1. Servers alternate, every other time in the opposite order: ratios compare neighbours in time.
//! 2. Tables that were made go in the end, also after an error, as far as their server still answers.
//!
//! It must not know how results are shown.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::queries::{QUERIES, query};
use super::schema::SCHEMA;
use super::{Options, Report, Server, load};
use crate::bench_checkpoints::prepare::CONTROL_NAME;
use crate::bench_checkpoints::{Error, Progress, server_error};
use crate::disturbance::{Disturbance, Probe};
use crate::machine::machine;
use crate::turns::{Clock, Served, with_servers};
use evenkeel_client::Connection;

/// What loading takes at scale 1, and a query, for the first guess at the end.
const LOAD_GUESS_S: f64 = 60.0;
const QUERY_GUESS_S: f64 = 1.5;
/// One that serves many connections.
const CONNECTIONS: u32 = 4;

/// A server that is measured.
struct Target {
    connection: Connection,
    report: Server,
    is_own: bool,
    /// The rows that each query gave, sorted.
    answers: Vec<Vec<String>>,
}

/// Measures. Blocks; ends soon after `stop` is set, with the query that runs.
pub fn run(options: &Options, stop: &AtomicBool, progress: &mut dyn Progress) -> Result<Report, Error> {
    let list: Vec<u32> = match (&options.only[..], options.statements.len()) {
        ([], 0) => (1..=QUERIES as u32).collect(),
        ([], n) => (1..=n as u32).collect(),
        (only, _) => only.to_vec(),
    };
    let servers = (options.servers.against.len() + 1) as f64;
    let queries_s = list.len() as f64 * f64::from(options.runs + 1) * QUERY_GUESS_S;
    let left_s = servers * options.scale * (LOAD_GUESS_S + queries_s);
    let mut clock = Clock::new(left_s, stop, progress);
    let wanted = &options.servers;
    let measure = |servers: &[Served], clock: &mut Clock<'_>| measured(options, &list, servers, clock);
    let remove = |server: &Served| {
        if options.keep {
            return Ok(());
        }
        let removed = Connection::open(&server.to, CONTROL_NAME).and_then(|mut c| load::remove(&mut c));
        removed.map_err(server_error(&server.name)) // invariant 2
    };
    let servers = with_servers(wanted, CONNECTIONS, &mut clock, measure, remove)?;
    Ok(Report {
        command: options.command.clone(),
        machine: machine(wanted.url.is_none().then_some(wanted.parent())),
        scale: options.scale,
        queries: list,
        statements: options.statements.clone(),
        servers,
        warnings: wanted.in_memory().into_iter().collect(),
    })
}

fn measured(
    options: &Options,
    list: &[u32],
    servers: &[Served],
    clock: &mut Clock<'_>,
) -> Result<Vec<Server>, Error> {
    let mut targets = Vec::new();
    for server in servers {
        targets.push(Target::new(server, options, clock)?);
        clock.left_s -= LOAD_GUESS_S * options.scale;
    }
    for n in list {
        let statement = options.statements.get(*n as usize - 1);
        let sql = statement.map_or_else(|| query(*n as usize, options.scale), Clone::clone);
        for run in 0..=options.runs {
            let mut turn: Vec<&mut Target> = targets.iter_mut().collect();
            if run % 2 == 1 {
                turn.reverse(); // invariant 1
            }
            for target in turn {
                clock.tell(&format!("{}: query {n}, run {run} of {}", target.report.name, options.runs))?;
                let probe = Probe::start(target.is_own);
                let seconds = match statement {
                    None => target.run(&sql, run == 0)?,
                    Some(_) => target.run_and_undo(&sql, run == 0)?,
                };
                if run > 0 {
                    let all = target.report.disturbance.into_iter().chain(probe.end());
                    target.report.disturbance = Disturbance::all(all);
                    target.report.seconds.last_mut().expect("run 0 made it").push(seconds);
                }
                clock.left_s -= QUERY_GUESS_S * options.scale;
            }
        }
    }
    let (first, others) = targets.split_first_mut().expect("there is a server");
    for other in others {
        let pairs = first.answers.iter().zip(&other.answers).zip(list);
        let differ = |a: &[String], b: &[String]| match options.statements.is_empty() {
            true => a != b,
            false => a.len() != b.len(),
        };
        other.report.differ = pairs.filter(|((a, b), _)| differ(a, b)).map(|(_, n)| *n).collect();
    }
    Ok(targets.into_iter().map(|t| t.report).collect())
}

impl Target {
    fn new(server: &Served, options: &Options, clock: &mut Clock<'_>) -> Result<Target, Error> {
        let name = &server.name;
        let open = || Connection::open(&server.to, CONTROL_NAME).map_err(server_error(name));
        let mut load_seconds = None;
        if !(options.keep && load::is_there(&mut open()?, options.scale)) {
            let (begin, mut done) = (Instant::now(), 0.0);
            load::load(&server.to, name, options.scale, &mut |share| {
                done = share.unwrap_or(done);
                clock.tell(&format!("{name}: filling the tables, {:.0} %", done * 100.0))
            })?;
            load_seconds = Some(begin.elapsed().as_secs_f64());
        }
        let mut connection = open()?;
        connection.query(&format!("SET search_path = {SCHEMA}")).map_err(server_error(name))?;
        let report = Server {
            name: name.clone(),
            settings: server.settings.clone(),
            load_seconds,
            seconds: Vec::new(),
            rows: Vec::new(),
            differ: Vec::new(),
            disturbance: None,
        };
        Ok(Target { connection, report, is_own: server.is_own, answers: Vec::new() })
    }

    /// The same in a transaction, which is rolled back behind the time that counts.
    fn run_and_undo(&mut self, sql: &str, is_first: bool) -> Result<f64, Error> {
        self.connection.query("BEGIN").map_err(server_error(&self.report.name))?;
        let result = self.run(sql, is_first);
        self.connection.query("ROLLBACK").map_err(server_error(&self.report.name))?;
        result
    }

    /// Runs a query; the first time its rows are kept. Gives its seconds.
    fn run(&mut self, sql: &str, is_first: bool) -> Result<f64, Error> {
        let begin = Instant::now();
        let rows = self.connection.query(sql).map_err(server_error(&self.report.name))?;
        let seconds = begin.elapsed().as_secs_f64();
        if is_first {
            self.report.seconds.push(Vec::new());
            self.report.rows.push(rows.len());
            let line = |row: Vec<Option<String>>| {
                let values = row.into_iter().map(|v| v.unwrap_or_else(|| "NULL".into()));
                values.collect::<Vec<_>>().join("|")
            };
            // Of rows that are equal in what they are ordered by, either may come first.
            let mut lines: Vec<String> = rows.into_iter().map(line).collect();
            lines.sort();
            self.answers.push(lines);
        }
        Ok(seconds)
    }
}
