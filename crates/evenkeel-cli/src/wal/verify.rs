//! `evenkeel wal verify`: is an archive whole?

use std::io::{Write, stdout};
use std::path::Path;
use std::process::ExitCode;

use evenkeel::archive::{self, Report};

use super::VerifyArgs;
use crate::{CliError, io_error};

/// Lists what is wrong, and what can be replayed; exit code 1 if anything is wrong.
pub(crate) fn verify(args: &VerifyArgs) -> Result<ExitCode, CliError> {
    let url = if args.archive.contains("://") {
        args.archive.clone()
    } else {
        let path = Path::new(&args.archive).canonicalize().map_err(io_error(args.archive.clone()))?;
        format!("file://{}", path.display())
    };
    let store = evenkeel_archive::open(&url)?;
    let report = archive::verify(&*store)?;
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
            format!(
                "{{\"timeline\":{},\"first\":\"{:016x}\",\"last\":\"{:016x}\",\"from\":\"{}\",\"to\":\"{}\"}}",
                s.timeline, s.first, s.last, s.from, s.to
            )
        })
        .collect();
    // Problems hold names of objects, which may hold anything.
    let problems: Vec<_> = report.problems.iter().map(|p| quoted(p)).collect();
    format!(
        "{{\"segments\":{},\"stripped\":{},\"records\":{},\"log_bytes\":{},\"stored_bytes\":{},\"stretches\":[{}],\"problems\":[{}]}}\n",
        report.segments,
        report.stripped,
        report.records,
        report.log_bytes,
        report.stored_bytes,
        stretches.join(","),
        problems.join(",")
    )
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
