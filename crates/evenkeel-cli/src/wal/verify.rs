//! `evenkeel wal verify`: is an archive whole?

use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

use evenkeel::archive::{self, Report};

use super::VerifyArgs;
use crate::backup::store;
use crate::interrupt::say_when_interrupted;
use crate::{CliError, io_error};

/// Lists what is wrong, and what can be replayed; exit code 1 if anything is wrong.
pub(crate) fn verify(args: &VerifyArgs) -> Result<ExitCode, CliError> {
    let store = store(&args.archive)?;
    say_when_interrupted("not everything was read")?;
    let show = stderr().is_terminal();
    let report = archive::verify_segments(&*store, &|_, _| true, &mut |done, total| {
        if show {
            eprint!("\r{done} of {total} segments ");
        }
    })?;
    if show {
        eprint!("\r\x1b[K");
    }
    if report.segments == 0 && report.problems.is_empty() {
        return Err(CliError::Folder(format!("there is no log archive at {}", args.archive)));
    }
    let text = if args.json { json(&report) } else { text(&report) };
    stdout().write_all(text.as_bytes()).map_err(io_error("standard output"))?;
    Ok(if report.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn text(report: &Report) -> String {
    let mut out = String::new();
    for problem in &report.problems {
        out.push_str(&format!("{problem}\n"));
    }
    for s in &report.stretches {
        out.push_str(&format!(
            "timeline {}: segments {:016x} to {:016x}, log from {} to {}\n",
            s.timeline, s.first, s.last, s.from, s.to
        ));
    }
    let outcome = match report.problems.len() {
        0 => "no problems found".to_string(),
        n => format!("{n} problems found"),
    };
    out.push_str(&format!(
        "{} segments, {} without images, {} records, {} bytes of log in {} bytes: {outcome}\n",
        report.segments, report.stripped, report.records, report.log_bytes, report.stored_bytes
    ));
    out
}

fn json(report: &Report) -> String {
    let stretches: Vec<_> = report
        .stretches
        .iter()
        .map(|s| {
            serde_json::json!({
                "timeline": s.timeline,
                "first": format!("{:016x}", s.first),
                "last": format!("{:016x}", s.last),
                "from": s.from.to_string(),
                "to": s.to.to_string(),
            })
        })
        .collect();
    let object = serde_json::json!({
        "segments": report.segments,
        "stripped": report.stripped,
        "records": report.records,
        "log_bytes": report.log_bytes,
        "stored_bytes": report.stored_bytes,
        "stretches": stretches,
        "problems": report.problems,
    });
    format!("{object}\n")
}
