//! The database's folder: is there one, and can it be had?

use std::io;
use std::path::Path;

use evenkeel::io::LOCK_FILE;

use crate::config::FILE_NAME;
use crate::{CliError, io_error};

/// Refuses a folder that is missing, or empty but for a configuration file and a lock: opening it would create a database.
pub(crate) fn must_hold_database(folder: &Path) -> Result<(), CliError> {
    let holds_files = match std::fs::read_dir(folder) {
        Ok(entries) => entries.flatten().any(|e| e.file_name() != FILE_NAME && e.file_name() != LOCK_FILE),
        Err(e) if e.kind() == io::ErrorKind::NotFound => false,
        Err(e) => return Err(io_error(folder.display().to_string())(e)),
    };
    if holds_files {
        return Ok(());
    }
    Err(CliError::Folder(format!(
        "there is no database in {} (evenkeel serve creates one)",
        folder.display()
    )))
}

/// An error of opening a folder, in the words of a command that wants it for itself.
pub(crate) fn explain(e: evenkeel::Error, folder: &Path) -> CliError {
    match e {
        evenkeel::Error::AlreadyOpen(_) => CliError::Folder(format!(
            "{} is in use by another process, a server probably: connect to it with psql, or stop it first",
            folder.display()
        )),
        e => e.into(),
    }
}
