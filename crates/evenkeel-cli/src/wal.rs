//! `evenkeel wal dump`: the log in a form that people read.

use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;

use evenkeel::Lsn;
use evenkeel::control::Control;
use evenkeel::io::{OsDisk, OsOptions};
use evenkeel::wal::dump::{dump as dump_log, oldest_start};
use evenkeel::wal::segment::Geometry;

use crate::folder::must_hold_database;
use crate::{CliError, DumpArgs, io_error};

/// Prints the records of a range, one to a line, and where the log ends.
pub(crate) fn dump(args: DumpArgs) -> Result<ExitCode, CliError> {
    must_hold_database(&args.data)?;
    // Nothing is written, and what a running server has in the system's cache is to be seen.
    let options = OsOptions { direct: false, fsync: false, ..OsOptions::default() };
    let disk = OsDisk::new(&args.data, options).map_err(io_error(args.data.display().to_string()))?;
    let (_, control) = Control::open(&disk)?;
    let geometry = Geometry { segment_bytes: control.segment_bytes };
    let from = match args.from {
        Some(from) => from,
        None => oldest_start(&disk, geometry)?.unwrap_or(control.log_needed),
    };
    let mut out = BufWriter::new(stdout().lock());
    let mut written = Ok(());
    let end = dump_log(&disk, geometry, from, args.to.unwrap_or(Lsn::MAX), &mut |line| {
        written = writeln!(out, "{line}");
        // The error itself stays here; the reader only has to stop.
        written.as_ref().map_err(|e| e.kind().into()).copied()
    })?;
    written.and_then(|()| writeln!(out, "end of the log at {end}")).map_err(io_error("standard output"))?;
    out.flush().map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}
