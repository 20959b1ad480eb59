//! How a command reaches a database: by way of the server that has the folder, or by opening the folder itself.
//!
//! A running server listens on a Unix socket in the folder, for the folder's owner alone.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use evenkeel::Database;
use evenkeel_client::ConnString;
use evenkeel_client::{Connection, WireError};
use evenkeel_server::OWNER_PORT;

use crate::cluster::refuse_member;
use crate::config::Config;
use crate::folder::must_hold_database;
use crate::{CliError, io_error};

/// Who the sessions say they are.
const USER: &str = "postgres";

/// A connection to the server that has the folder; None: nobody answers there.
pub(crate) fn connect(data: &Path, program: &str) -> Result<Option<Connection>, CliError> {
    connect_with(data, program, Connection::open)
}

/// As `connect`, for the commands of replication.
pub(crate) fn connect_for_replication(data: &Path, program: &str) -> Result<Option<Connection>, CliError> {
    connect_with(data, program, Connection::open_for_replication)
}

fn connect_with(
    data: &Path,
    program: &str,
    open: impl FnOnce(&ConnString, &str) -> Result<Connection, WireError>,
) -> Result<Option<Connection>, CliError> {
    let folder = match File::open(data) {
        Ok(folder) => folder,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(io_error(data.display().to_string())(e)),
    };
    // By its descriptor: addresses of sockets are short, paths of folders need not be.
    let to = ConnString::local(format!("/proc/self/fd/{}", folder.as_raw_fd()), OWNER_PORT, USER, USER);
    match open(&to, program) {
        Ok(connection) => Ok(Some(connection)),
        Err(WireError::Io(e))
            if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) =>
        {
            Ok(None)
        }
        Err(e) => Err(refused(e)),
    }
}

/// Opens the database in this process. It must be there, and nobody else may have it.
pub(crate) fn open(data: &Path, config: Config) -> Result<Database, CliError> {
    must_hold_database(data)?;
    // What it wrote would be on no quorum.
    refuse_member(data)?;
    Database::open(data, config.engine).map_err(|e| match e {
        evenkeel::Error::AlreadyOpen(_) => CliError::Folder(format!(
            "{} is in use by another process that does not answer in the folder: a server of another version, or another command",
            data.display()
        )),
        e => e.into(),
    })
}

/// The same of a server elsewhere that was to be reached.
pub(crate) fn unreached(server: &ConnString) -> impl Fn(WireError) -> CliError {
    let place = match server.host.starts_with('/') {
        true => format!("on socket \"{}/.s.PGSQL.{}\"", server.host, server.port),
        false => format!("at \"{}\", port {}", server.host, server.port),
    };
    move |e| match e {
        WireError::Server { message, .. } => CliError::Folder(message),
        e => CliError::Folder(format!("connection to server {place} failed: {e}")),
    }
}

/// What the server said, or the connection.
pub(crate) fn refused(e: WireError) -> CliError {
    match e {
        WireError::Server { message, .. } => CliError::Folder(message),
        e => CliError::Folder(format!("the connection to the server: {e}")),
    }
}

/// As a string literal of SQL.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
