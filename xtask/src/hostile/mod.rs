//! Hostile statements against a real server: whatever is nested, chained, large or long, it never aborts, reacts to a cancel, and keeps within its memory.
//!
//! The parts: what takes long in one place, and how soon it ends when it is canceled (`stops`); statements that have hurt (`known`); whatever the
//! grammar nests and chains (`grammar`); memory and a benchmark beside eight such clients, at several limits (`memory`). The ordinary tests run short ones.

pub mod attack;
pub mod client;
pub mod grammar;
pub mod known;
pub mod memory;
pub mod richer;
pub mod server;
pub mod stops;
pub mod values;

use crate::args;
use attack::{Seen, attack};
use client::Client;
use grammar::{Dice, statement};
use server::Served;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Resident memory may be so many times the limit.
pub const OVERSHOOT: f64 = 1.1;
/// After this time a statement is canceled, if it was not before.
const PATIENCE: Duration = Duration::from_millis(400);
/// Clients of the long runs.
const CLIENTS: u64 = 8;
/// Connections that say nothing.
const SILENT: usize = 500;

/// How much, and which.
pub struct Options {
    seed: u64,
    statements: u64,
    seconds: u64,
    only: Option<String>,
    /// Use the release build.
    pub release: bool,
    /// This program, instead of one that is built.
    pub program: Option<PathBuf>,
}

const PARTS: [&str; 6] = ["stops", "rich", "values", "known", "grammar", "memory"];

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut o =
            Options { seed: 1, statements: 5000, seconds: 60, only: None, release: false, program: None };
        args::each(args, &["--release"], |name, value| {
            match name {
                "--release" => o.release = true,
                "--program" => o.program = Some(value.text.into()),
                "--seed" => o.seed = value.number()?,
                "--statements" => o.statements = value.number()?,
                "--seconds" => o.seconds = value.number()?,
                "--only" if PARTS.contains(&value.text) => o.only = Some(value.text.into()),
                "--only" => return Err(format!("--only takes one of {}", PARTS.join(", "))),
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        Ok(o)
    }
}

/// Runs all parts, or one, and prints what each has shown.
pub fn run(o: &Options, binary: &Path) -> Result<(), String> {
    println!("hostile statements, seed {}", o.seed);
    let is_wanted = |part: &str| o.only.as_deref().is_none_or(|only| only == part);
    let mut table = Vec::new();
    if let Some(part @ ("rich" | "values")) = o.only.as_deref() {
        return stops::run(binary, Some(part));
    }
    if is_wanted("stops") {
        stops::run(binary, None)?;
    }
    if is_wanted("known") {
        silence(binary)?;
        let seen = statements_that_have_hurt(binary, CLIENTS, usize::MAX, 1 << 30)?;
        table.push(("statements that have hurt".to_owned(), seen));
    }
    if is_wanted("grammar") {
        let seen = whatever_is_nested(binary, o.seed, o.statements, CLIENTS, 1_000_000, 1 << 30)?;
        table.push((format!("the grammar, {} statements", o.statements), seen));
    }
    let mut failed = Ok(());
    if is_wanted("memory") {
        failed = memory::run(binary, o.seconds);
    }
    for (what, seen) in table {
        println!("{what}: {seen}");
    }
    failed
}

/// What all servers here are told.
pub fn serve(binary: &Path, memory_limit_bytes: u64) -> Result<Served, String> {
    let served = Served::start(
        binary,
        &[
            format!("memory_limit={memory_limit_bytes}B"),
            "shared_buffers=64MB".into(),
            "max_message_size=128MB".into(),
        ],
    )?;
    let mut c = Client::connect(served.address).map_err(|e| e.to_string())?;
    match c.ask("create table t (a int, b text); insert into t values (1, 'a'), (2, 'b')") {
        Ok(None) => Ok(served),
        other => Err(format!("the tables were not made: {other:?}")),
    }
}

/// The largest resident memory of a run, against its limit.
pub fn keeps_within(seen: &Seen, memory_limit_bytes: u64) -> Result<(), String> {
    if seen.resident_bytes as f64 <= memory_limit_bytes as f64 * OVERSHOOT {
        return Ok(());
    }
    let (resident, limit) = (seen.resident_bytes >> 20, memory_limit_bytes >> 20);
    Err(format!("resident memory of {resident} MB passed memory_limit of {limit} MB"))
}

/// Statements that nest and chain every construct of the grammar.
pub fn whatever_is_nested(
    binary: &Path,
    seed: u64,
    statements: u64,
    clients: u64,
    max_bytes: usize,
    memory_limit_bytes: u64,
) -> Result<Seen, String> {
    let mut served = serve(binary, memory_limit_bytes)?;
    let begun = AtomicU64::new(0);
    let seen = attack(&mut served, clients, |n, c, notes| {
        let mut dice = Dice::new(seed << 16 | n);
        while begun.fetch_add(1, Relaxed) < statements {
            let sql = statement(&mut dice, max_bytes);
            let extended = dice.below(2) == 0;
            let patience = PATIENCE.mul_f64(1.0 / (1 + dice.below(20)) as f64);
            notes.run(c, &sql, extended, patience)?;
        }
        Ok(())
    })?;
    keeps_within(&seen, memory_limit_bytes)?;
    Ok(seen)
}

/// Statements that have hurt: each client takes all whose text is at most so long, and begins with another one.
pub fn statements_that_have_hurt(
    binary: &Path,
    clients: u64,
    max_bytes: usize,
    memory_limit_bytes: u64,
) -> Result<Seen, String> {
    let mut known = known::known();
    known.retain(|sql| sql.len() <= max_bytes);
    let mut served = serve(binary, memory_limit_bytes)?;
    let seen = attack(&mut served, clients, |n, c, notes| {
        let first = n as usize * known.len() / clients as usize;
        let in_turn = known.iter().cycle().skip(first).take(known.len());
        in_turn.enumerate().try_for_each(|(i, sql)| notes.run(c, sql, i.is_multiple_of(2), PATIENCE))
    })?;
    keeps_within(&seen, memory_limit_bytes)?;
    Ok(seen)
}

/// Connections that say nothing keep nobody out.
fn silence(binary: &Path) -> Result<(), String> {
    let served = Served::start(binary, &["max_connections=50".into()])?;
    let silent: Vec<_> =
        (0..SILENT).filter_map(|_| std::net::TcpStream::connect(served.address).ok()).collect();
    let began = std::time::Instant::now();
    let mut c = Client::connect(served.address).map_err(|e| format!("beside silent connections: {e}"))?;
    match c.ask("select 1") {
        Ok(None) => {
            println!("beside {} silent connections a session began in {:.0?}", silent.len(), began.elapsed())
        }
        other => return Err(format!("beside silent connections: {other:?}")),
    }
    Ok(())
}
