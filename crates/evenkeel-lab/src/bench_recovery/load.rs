//! The load before the kill: pgbench's own transactions, and what it says about them.
//!
//! It must not know which server it is.

use std::path::Path;
use std::time::Duration;

use crate::bench_checkpoints::load::pgbench;
use crate::bench_checkpoints::temporary::Process;
use crate::bench_checkpoints::{Error, Progress};
use crate::bench_commits::ConnString;

use super::Options;
use super::run::Clock;

/// Which of pgbench's transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// `-N`: an account and the history.
    SimpleUpdate,
    /// The branches and tellers, too.
    TpcbLike,
}

impl Builtin {
    /// pgbench's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::SimpleUpdate => "simple-update",
            Builtin::TpcbLike => "tpcb-like",
        }
    }
}

const WAIT_STEP: Duration = Duration::from_millis(100);

/// Transactions that were confirmed, and how many a second.
pub struct Done {
    pub transactions: u64,
    pub tps: f64,
}

/// Runs pgbench for the time it is to run. `words` takes what it says.
pub fn run(
    options: &Options,
    to: &ConnString,
    words: &Path,
    clock: &mut Clock<'_>,
    progress: &mut dyn Progress,
) -> Result<Done, Error> {
    let mut command = pgbench::command(&options.pgbench, to);
    command.args(["-n", "-M", "prepared", "-b", options.builtin.name()]);
    command.args(["-c", &options.clients.to_string(), "-j", &options.jobs.min(options.clients).to_string()]);
    command.args(["-T", &options.seconds.to_string()]);
    let mut process = Process::start(command, "pgbench", words.into())?;
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

fn parse(said: &str) -> Option<Done> {
    let after = |lead: &str| {
        let (_, rest) = said.split_once(lead)?;
        Some(rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.to_owned())
    };
    Some(Done {
        transactions: after("number of transactions actually processed: ")?.parse().ok()?,
        tps: after("tps = ")?.parse().ok()?,
    })
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
}
