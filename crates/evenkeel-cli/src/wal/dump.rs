//! `evenkeel wal dump`: the log in a form that people, or programs, read.

use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;

use evenkeel::Lsn;
use evenkeel::base::{FileId, TxnId};
use evenkeel::wal::dump::{Filter, committed_between, json, line, scan};
use evenkeel::wal::find::oldest_record;
use evenkeel::wal::stats::LogStats;

use super::{DumpArgs, source};
use crate::{CliError, io_error};

/// Prints the records of a range, one to a line, and where the log ends; or sums.
pub(crate) fn dump(args: &DumpArgs) -> Result<ExitCode, CliError> {
    let source = match &args.data {
        Some(data) => source::database(data)?,
        None => source::open(&args.paths)?,
    };
    let (disk, geometry) = (&*source.disk, source.geometry);
    let oldest = oldest_record(disk, geometry)?.or(source.needed);
    let from = match args.from.or(oldest) {
        Some(from) => from,
        None => return Err(CliError::Folder("no record begins and ends in these segments".into())),
    };
    let to = args.to.unwrap_or(Lsn::MAX);
    let mut filter =
        Filter { txn: args.txid.map(TxnId), file: args.file.map(FileId), page: args.page, txns: None };
    if args.since.is_some() || args.until.is_some() {
        let times = (args.since.unwrap_or(0), args.until.unwrap_or(u64::MAX));
        filter.txns = Some(committed_between(disk, geometry, (from, to), times)?);
    }
    let mut out = BufWriter::new(stdout().lock());
    let mut written = Ok(());
    let mut stats = LogStats::default();
    let end = scan(disk, geometry, from, to, &filter, &mut |record| {
        if args.stats {
            stats.add(record);
            return Ok(());
        }
        written = writeln!(out, "{}", if args.json { json(record) } else { line(record) });
        // The error itself stays here; the reader only has to stop.
        written.as_ref().map_err(|e| e.kind().into()).copied()
    });
    let end = end.map_err(|e| match (args.from, e) {
        (Some(from), evenkeel::Error::Corrupt(why)) => {
            let begin = oldest.map_or(String::new(), |o| format!(" (the oldest record is at {o})"));
            CliError::Folder(format!("reading from {from}{begin}: {why}"))
        }
        (_, e) => e.into(),
    })?;
    written
        .and_then(|()| match (args.stats, args.json) {
            (true, true) => writeln!(out, "{}", stats.json()),
            (true, false) => writeln!(out, "{}log from {from} to {end}", stats.table()),
            (false, true) => Ok(()),
            (false, false) => writeln!(out, "end of the log at {end}"),
        })
        .and_then(|()| out.flush())
        .map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}
