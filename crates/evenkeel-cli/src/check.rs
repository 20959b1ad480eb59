//! `evenkeel check`: is everything in order?
//!
//! First the engine's part (pages, trees, space), then SQL's (indexes against tables), on one opening of the database.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

use evenkeel::check::{Progress, Report, check_open_database, check_standby};
use evenkeel::{Database, Standby};
use evenkeel_sql::check::check_indexes;

use crate::config::Config;
use crate::folder::{explain, must_hold_database};
use crate::interrupt::say_when_interrupted;
use crate::recovery_bar::show_recovery;
use crate::{CheckArgs, CliError, io_error};

/// The longest `recovery_min_apply_delay` that there is.
const LONGEST_DELAY: &str = "24h";

/// Lists what is wrong; exit code 1 if anything is.
pub(crate) fn run(args: CheckArgs) -> Result<ExitCode, CliError> {
    must_hold_database(&args.data)?;
    say_when_interrupted("the check did not get to its end; the database is as safe as after any crash")?;
    let config = Config::load(None, &args.data, None, &args.set)?;
    if Standby::is_one(&args.data)? {
        // It is read for that, and goes on as it was once it is served again: nothing is replayed but what it needs to be read, whatever its delay is.
        let options =
            config.engine.with("hot_standby", "on")?.with("recovery_min_apply_delay", LONGEST_DELAY)?;
        let standby = Standby::open(&args.data, options).map_err(|e| explain(e, &args.data))?;
        let outcome = with_progress(|p| check_standby(&standby, p))
            .and_then(|(database, pages)| tell_of(&database, &pages));
        let closed = standby.close();
        let problems = outcome?;
        closed?;
        return Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let options = show_recovery(config.engine.without_threads());
    let database = Database::open(&args.data, options).map_err(|e| explain(e, &args.data))?;
    let outcome =
        with_progress(|p| check_open_database(&database, p)).and_then(|pages| tell_of(&database, &pages));
    let closed = database.close();
    let problems = outcome?;
    closed?;
    Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks, and shows how far that is on a terminal.
fn with_progress<T>(
    check: impl FnOnce(&mut dyn FnMut(Progress)) -> evenkeel::Result<T>,
) -> Result<T, CliError> {
    let show_progress = stderr().is_terminal();
    let found = check(&mut |p| {
        if show_progress {
            eprint!("\r{} of {} trees, {} pages ", p.trees_done, p.trees, p.pages);
        }
    })?;
    if show_progress {
        eprintln!();
    }
    Ok(found)
}

/// Checks what SQL has as well, and tells of all. The number of problems found.
fn tell_of(database: &Database, pages: &Report) -> Result<u64, CliError> {
    let mut problems = pages.problems.len() as u64;
    let mut written = Ok(());
    let mut tell = |problem: &str| {
        if written.is_ok() {
            written = writeln!(stdout(), "{problem}");
        }
    };
    pages.problems.iter().for_each(|p| tell(p));
    pages.notes.iter().for_each(|n| tell(&format!("note: {n}")));
    let rows = match check_indexes(database, &mut tell) {
        Ok(rows) => {
            problems += rows.problems;
            Some(rows)
        }
        // Expected when pages are damaged; a finding of its own when they are not.
        Err(e) => {
            problems += 1;
            tell(&format!("tables could not be compared with their indexes: {}", e.message));
            None
        }
    };
    written.map_err(io_error("standard output"))?;
    let rows = rows.unwrap_or_default();
    let summary = format!(
        "{} trees, {} pages, {} entries, {} log records; {} tables, {} rows, {} indexes: {}",
        pages.trees,
        pages.pages,
        pages.entries,
        pages.log_records,
        rows.tables,
        rows.rows,
        rows.indexes,
        if problems == 0 { "no problems found".to_string() } else { format!("{problems} problems found") }
    );
    writeln!(stdout(), "{summary}").map_err(io_error("standard output"))?;
    Ok(problems)
}
