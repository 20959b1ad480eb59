//! The load before the kill: its tables, pgbench running it, what pgbench says about it, and whether all of that is there afterwards.
//!
//! It must not know which server it is.

use std::path::Path;
use std::time::Duration;

use crate::bench_checkpoints::load::pgbench;
use crate::bench_checkpoints::prepare::{self, Tick};
use crate::bench_checkpoints::temporary::Process;
use crate::bench_checkpoints::{Error, Progress, io_error, server_error};
use evenkeel_client::ConnString;
use evenkeel_client::Connection;

use super::run::Clock;
use super::tpcc::{self, Confirmed, scripts};
use super::{NAME, Options};

/// Which transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mix {
    /// pgbench's `-N`: an account and the history.
    SimpleUpdate,
    /// pgbench's own: the branches and tellers, too.
    TpcbLike,
    /// Orders, payments, deliveries: `tpcc`.
    TpccLike,
}

impl Mix {
    /// As the command line names it.
    pub fn name(self) -> &'static str {
        match self {
            Mix::SimpleUpdate => "simple-update",
            Mix::TpcbLike => "tpcb-like",
            Mix::TpccLike => "tpcc-like",
        }
    }
}

const WAIT_STEP: Duration = Duration::from_millis(100);

/// Transactions that were confirmed, and how many a second.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub transactions: u64,
    pub tps: f64,
    /// Of the TPC-C-like mix.
    confirmed: Confirmed,
}

/// Creates and fills the tables on a new server. `words` takes what pgbench says. Blocks.
pub fn tables(
    options: &Options,
    to: &ConnString,
    name: &str,
    words: &Path,
    tick: Tick<'_>,
) -> Result<(), Error> {
    match options.mix {
        Mix::TpccLike => tpcc::load(to, name, options.scale, tick),
        _ => prepare::load(to, name, Some((&options.pgbench, words)), options.scale, tick),
    }
}

/// Brings the server into the state in which a run begins. Blocks.
pub fn before_run(
    options: &Options,
    control: &mut Connection,
    name: &str,
    tick: Tick<'_>,
) -> Result<(), Error> {
    match options.mix {
        Mix::TpccLike => prepare::patiently(control, name, "CHECKPOINT", tick),
        _ => prepare::before_run(control, name, tick),
    }
}

/// Runs pgbench for the time it is to run. `folder` takes scripts and what it says.
pub fn run(
    options: &Options,
    to: &ConnString,
    folder: &Path,
    clock: &mut Clock<'_>,
    progress: &mut dyn Progress,
) -> Result<Done, Error> {
    let mut command = pgbench::command(&options.pgbench, to);
    command.args(["-n", "-M", "prepared"]);
    match options.mix {
        Mix::TpccLike => {
            command.args(["-D", &format!("{}={}", scripts::WAREHOUSES, options.scale)]);
            for script in scripts::all() {
                let path = folder.join(script.name);
                std::fs::write(&path, script.text).map_err(io_error(path.display().to_string()))?;
                command.args(["-f", &format!("{}@{}", path.display(), script.weight)]);
            }
        }
        mix => _ = command.args(["-b", mix.name()]),
    }
    command.args(["-c", &options.clients.to_string(), "-j", &options.jobs.min(options.clients).to_string()]);
    command.args(["-T", &options.seconds.to_string()]);
    let mut process = Process::start(command, "pgbench", folder.join("pgbench.log"))?;
    loop {
        if let Some(status) = process.ended()? {
            if !status.success() {
                return Err(process.error(status));
            }
            break;
        }
        clock.tick(progress)?;
        std::thread::sleep(WAIT_STEP);
    }
    let said = process.words();
    parse(&said).ok_or_else(|| process.error("it does not say how many transactions it made"))
}

/// An acknowledged transaction is never lost: what the load leaves behind shows each.
pub fn look(options: &Options, to: &ConnString, name: &str, done: &Done) -> Result<(), Error> {
    if options.mix == Mix::TpccLike {
        return tpcc::look(to, name, options.scale, done.confirmed);
    }
    let mut control = Connection::open(to, NAME).map_err(server_error(name))?;
    let found = control.value("SELECT count(*) FROM pgbench_history").map_err(server_error(name))?;
    let found: u64 = found.and_then(|n| n.parse().ok()).unwrap_or(0);
    if found < done.transactions {
        return Err(Error::Options(format!(
            "{name} has lost transactions: {found} of {} that it had confirmed are there",
            done.transactions
        )));
    }
    Ok(())
}

fn parse(said: &str) -> Option<Done> {
    let after = |lead: &str| {
        let (_, rest) = said.split_once(lead)?;
        Some(rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.to_owned())
    };
    Some(Done {
        transactions: after("number of transactions actually processed: ")?.parse().ok()?,
        tps: after("tps = ")?.parse().ok()?,
        confirmed: Confirmed {
            new_orders: of_script(said, scripts::NEW_ORDER),
            payments: of_script(said, scripts::PAYMENT),
        },
    })
}

/// Transactions of one of several scripts: `SQL script 1: FILE`, its weight in the next line, their number in the one after.
fn of_script(said: &str, file: &str) -> u64 {
    let mut lines = said.lines().skip_while(|l| !(l.starts_with("SQL script") && l.ends_with(file))).skip(1);
    let count =
        lines.find_map(|l| l.trim_start().strip_prefix("- ")?.split_once(" transactions (")?.0.parse().ok());
    count.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pgbench_says_what_it_did() {
        let said = "number of transactions actually processed: 202105\nnumber of failed transactions: 0 (0.000%)\n\
                    latency average = 2.375 ms\ntps = 3368.625521 (without initial connection time)\n";
        let done = parse(said).unwrap();
        assert_eq!((done.transactions, done.tps), (202_105, 3368.625521));
        assert!(parse("pgbench: error").is_none());
    }

    #[test]
    fn pgbench_says_what_each_script_did() {
        let said = "SQL script 1: /tmp/x/new-order.sql\n - weight: 45 (targets 45.0% of total)\n - 14031 transactions (45.1% of total, tps = 467.5)\n \
                    - number of failed transactions: 0 (0.000%)\nSQL script 2: /tmp/x/payment.sql\n - weight: 43 (targets 43.0% of total)\n \
                    - 13370 transactions (42.9% of total, tps = 445.4)\n";
        assert_eq!(of_script(said, scripts::NEW_ORDER), 14_031);
        assert_eq!(of_script(said, scripts::PAYMENT), 13_370);
        assert_eq!(of_script(said, "delivery.sql"), 0);
    }
}
