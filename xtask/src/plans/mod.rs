//! Random conditions over indexes of several columns, timed beside PostgreSQL 18: the same rows, and what takes many times as long, which is a plan that is missing.
//!
//! Query n of seed s is the first of seed s + n. Each runs several times on both sides, in turns, and the least times are compared: what else the machine does makes
//! times longer, never shorter.
//!
//! Must not know: how either side plans.

mod grammar;

use crate::args;
use crate::clients;
use crate::pairs::wire::{Answer, Client, Place};
use grammar::{Grammar, Query, SCHEMA};
use std::time::{Duration, Instant, SystemTime};

/// Times below this are not called slow.
const SLOW: Duration = Duration::from_millis(15);
/// So many times as long is slow.
const SLOW_TIMES: f64 = 5.0;

/// What to run.
pub struct Options {
    postgres: Place,
    evenkeel: Option<Place>,
    seed: u64,
    queries: u64,
    runs: u32,
    release: bool,
    /// The tables are there.
    keep: bool,
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let (mut postgres, mut evenkeel, mut release, mut keep) = (None, None, false, false);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (mut seed, mut queries, mut runs) = (now.as_secs() * 1_000_000, 400, 3);
        args::each(args, &["--release", "--keep"], |name, value| {
            match name {
                "--release" => release = true,
                "--keep" => keep = true,
                "--postgres" => postgres = Some(Place::parse(value.text)?),
                "--evenkeel" => evenkeel = Some(Place::parse(value.text)?),
                "--seed" => seed = value.number()?,
                "--queries" => queries = value.number()?,
                "--runs" => runs = value.number::<u32>()?.max(1),
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        let postgres =
            postgres.ok_or("--postgres 'host=… port=… user=… dbname=…' names the server to compare with")?;
        Ok(Options { postgres, evenkeel, seed, queries, runs, release, keep })
    }
}

/// Runs the queries; fails if any gives other rows.
pub fn run(o: &Options) -> Result<(), String> {
    clients::with_server(o.evenkeel.as_ref(), o.release, "plans", |place| compare(o, place))
}

fn connect(place: &Place, keep: bool) -> Result<Client, String> {
    let mut client = Client::connect(place)?;
    if !keep {
        for statement in SCHEMA.split(';').filter(|s| !s.trim().is_empty()) {
            must(client.query(statement)?)?;
        }
    }
    // Ours plans for one processor.
    must(
        client
            .query("set statement_timeout = '30s'; set max_parallel_workers_per_gather = 0; set jit = off")?,
    )?;
    Ok(client)
}

fn must(answer: Answer) -> Result<(), String> {
    match answer.error {
        None => Ok(()),
        Some((code, message)) => Err(format!("{code}: {message}")),
    }
}

fn timed(client: &mut Client, sql: &str) -> Result<(Answer, Duration), String> {
    let began = Instant::now();
    let answer = client.query(sql)?;
    Ok((answer, began.elapsed()))
}

fn compare(o: &Options, place: &Place) -> Result<(), String> {
    let (mut theirs, mut ours) = (connect(&o.postgres, o.keep)?, connect(place, o.keep)?);
    println!("seed {}, {} queries, {} runs each", o.seed, o.queries, o.runs);
    let (mut times, mut differ) = (Vec::new(), 0);
    for n in 0..o.queries {
        let seed = o.seed.wrapping_add(n);
        let q = Grammar::new(seed).query();
        let (mut least, mut answers) = ((Duration::MAX, Duration::MAX), None);
        for _ in 0..o.runs {
            let (a, of_a) = timed(&mut theirs, &q.sql)?;
            let (b, of_b) = timed(&mut ours, &q.sql)?;
            least = (least.0.min(of_a), least.1.min(of_b));
            answers = Some((a, b));
        }
        let Some((a, b)) = answers else { continue };
        if !is_same(&q, &a, &b) {
            differ += 1;
            println!(
                "--seed {seed} --queries 1 differs: {} rows, PostgreSQL {}\n  {}",
                b.rows.len(),
                a.rows.len(),
                q.sql
            );
            for (who, answer) in [("evenkeel", &b), ("PostgreSQL", &a)] {
                if let Some((code, why)) = &answer.error {
                    println!("  {who}: {code} {why}");
                }
            }
        }
        let ratio = least.1.as_secs_f64() / least.0.as_secs_f64().max(1e-9);
        times.push(ratio);
        if least.1 > SLOW && ratio > SLOW_TIMES {
            println!(
                "--seed {seed} --queries 1 is slow: {:.1?}, PostgreSQL {:.1?}\n  {}",
                least.1, least.0, q.sql
            );
        }
    }
    let mean = (times.iter().map(|t| t.ln()).sum::<f64>() / times.len().max(1) as f64).exp();
    let within = times.iter().filter(|t| **t <= 3.0).count();
    println!(
        "{} queries: {mean:.2} of PostgreSQL's time in the geometric mean, {within} within 3 times, {differ} differ",
        times.len()
    );
    if differ == 0 { Ok(()) } else { Err(format!("{differ} queries differ")) }
}

fn is_same(q: &Query, a: &Answer, b: &Answer) -> bool {
    if a.error.is_some() || b.error.is_some() {
        return a.error.as_ref().map(|e| &e.0) == b.error.as_ref().map(|e| &e.0);
    }
    let sorted = |rows: &[String]| {
        let mut rows = rows.to_vec();
        if !q.is_ordered {
            rows.sort();
        }
        rows
    };
    sorted(&a.rows) == sorted(&b.rows)
}
