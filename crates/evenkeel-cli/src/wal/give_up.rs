//! `evenkeel wal give-up`: going on without log behind damage, and what that costs.
//!
//! It must not know how damage is found.

use std::io::{Write, stdout};
use std::process::ExitCode;

use evenkeel::{GivenUp, give_up_log};

use super::GiveUpArgs;
use crate::config::Config;
use crate::folder::{explain, must_hold_database};
use crate::time::local;
use crate::{CliError, io_error};

/// Transactions listed by their ids, at most.
const LISTED: usize = 50;

/// Does it, and prints what was given up.
pub(crate) fn give_up(args: &GiveUpArgs) -> Result<ExitCode, CliError> {
    must_hold_database(&args.data)?;
    let config = Config::load(None, &args.data, None, &args.set)?;
    let given = give_up_log(&args.data, &config.engine, args.from).map_err(|e| explain(e, &args.data))?;
    print(&given, &args.data.display().to_string()).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

fn print(given: &GivenUp, data: &str) -> std::io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{}.", given.damage)?;
    writeln!(out, "Given up: everything from {} on.", given.damage.at)?;
    match given.commit_times_ms {
        Some((first, last)) => writeln!(
            out,
            "{} commits that can still be read there are lost, from {} to {}, besides those in the damaged part.",
            given.txids.len(),
            local(first),
            local(last)
        )?,
        None => writeln!(out, "No commit can be read there; those in the damaged part are lost.")?,
    }
    if !given.txids.is_empty() {
        let ids: Vec<String> = given.txids.iter().take(LISTED).map(u64::to_string).collect();
        let more = if given.txids.len() > LISTED { ", ..." } else { "" };
        writeln!(out, "Their transaction ids: {}{more}", ids.join(", "))?;
    }
    for path in &given.set_aside {
        writeln!(out, "Kept: {data}/{path}")?;
    }
    if given.newer_pages > 0 {
        writeln!(
            out,
            "{} pages are newer than that: the database opens for reading only. Take out what it has, or restore a backup.",
            given.newer_pages
        )?;
    } else {
        writeln!(out, "No page is newer than that: the database opens as after a crash at that moment.")?;
    }
    Ok(())
}
