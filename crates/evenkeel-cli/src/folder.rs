//! The database's folder: is there one, and can it be had?

use std::io;
use std::path::Path;

use evenkeel::may_lie_beside;

use crate::{CliError, io_error};

const CONTROL_FILE: &str = "control";
/// What a database cannot be without, whole or damaged, and what a restore leaves that was cut short.
const OF_A_DATABASE: [&str; 4] = [CONTROL_FILE, "data", "wal", "restoring"];

/// What a folder holds.
pub(crate) enum Content {
    /// It is missing, or empty but for what says how a database is to be served, and a lock: opening it creates one.
    Nothing,
    /// A database, or what is left of one: the engine knows.
    Database,
    /// Other files, such as this one.
    Other(String),
}

/// Looks into a folder.
pub(crate) fn content(folder: &Path) -> Result<Content, CliError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Content::Nothing),
        Err(e) => return Err(io_error(folder.display().to_string())(e)),
    };
    let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    let names: Vec<String> = names.filter(|n| !may_lie_beside(n)).collect();
    Ok(match names.first() {
        None => Content::Nothing,
        Some(_) if names.iter().any(|n| OF_A_DATABASE.contains(&n.as_str())) => Content::Database,
        Some(other) => Content::Other(other.clone()),
    })
}

/// Whether a folder is surely a database's: an archive has folders of the same names.
pub(crate) fn is_database(folder: &Path) -> bool {
    folder.join(CONTROL_FILE).is_file()
}

/// Refuses a folder without a database: opening it would create one, or fail with advice for those who want to.
pub(crate) fn must_hold_database(folder: &Path) -> Result<(), CliError> {
    let why = match content(folder)? {
        Content::Database => return Ok(()),
        Content::Nothing => "evenkeel serve creates one".to_owned(),
        Content::Other(name) => format!("it holds other files, such as \"{name}\""),
    };
    Err(CliError::Folder(format!("there is no database in {} ({why})", folder.display())))
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
