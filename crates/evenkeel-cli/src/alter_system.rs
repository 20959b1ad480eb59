//! ALTER SYSTEM and `pg_reload_conf()`: a file of settings that SQL writes.
//!
//! Invariants
//! 1. What the next start would not take is not written.
//! 2. One statement at a time reads and writes the file, which is whole and durable at any time.
//!
//! Must not know: what settings mean.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use evenkeel_client::ConnString;
use evenkeel_sql::{AlterSystemStmt, ConfigHooks, SqlError, SqlState};
use evenkeel_types::guard::memory;

use crate::config::{AUTO_FILE_NAME, Config, ConfigError, FILE_NAME};
use crate::config_file::{keep, take_out};
use crate::in_force::InForce;
use crate::serve::{Request, gather};
use crate::{CliError, ServeArgs};

/// For sessions of the database that is served.
pub(crate) fn hooks(args: &ServeArgs, in_force: &Arc<InForce>, send: &mpsc::Sender<Request>) -> ConfigHooks {
    let folder = &args.data;
    let (file, one_at_a_time, send) = (folder.join(AUTO_FILE_NAME), Mutex::new(()), send.clone());
    let (placed, read, args) = (in_force.clone(), in_force.clone(), args.clone());
    ConfigHooks {
        folder: folder.to_path_buf(),
        file: args.config.clone().unwrap_or_else(|| folder.join(FILE_NAME)),
        alter: Box::new(move |change| {
            let _alone = one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
            alter(&file, change)
        }),
        // A server that ends reads nothing any more.
        reload: Box::new(move || _ = send.send(Request::Reload)),
        places: Box::new(move || placed.places()),
        lines: Box::new(move || read.lines(&gather(&args))),
    }
}

fn alter(file: &Path, change: &AlterSystemStmt) -> Result<(), SqlError> {
    let written = match change {
        AlterSystemStmt::Set(name, value) => {
            check(name, value)?;
            keep(file, name, value)
        }
        AlterSystemStmt::Reset(name) => {
            if !is_known(name) {
                return Err(unknown(name));
            }
            take_out(file, Some(name))
        }
        AlterSystemStmt::ResetAll => take_out(file, None),
    };
    written.map_err(|e: CliError| SqlError::new(SqlState::IO_ERROR, e.to_string()))
}

fn unknown(name: &str) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_OBJECT, format!("unrecognized configuration parameter \"{name}\""))
}

fn is_known(name: &str) -> bool {
    Config::knows(name)
}

/// Invariant 1.
fn check(name: &str, value: &str) -> Result<(), SqlError> {
    if !is_known(name) {
        return Err(unknown(name));
    }
    let invalid = |why: String| {
        let message = format!("invalid value for parameter \"{name}\": \"{value}\"");
        SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message).with_detail(why)
    };
    let refused = |e: ConfigError| match e {
        ConfigError::Value { why, .. } => *why,
        e => invalid(e.to_string()),
    };
    let mut config = Config::default();
    config.set("ALTER SYSTEM", name, value).map_err(refused)?;
    config.reach_archive().map_err(refused)?;
    let used = memory::total_bytes();
    if name == "memory_limit" && config.server.memory_limit_bytes().is_some_and(|limit| limit < used) {
        let why = format!("The server uses {} kB now: it would run no statement any more.", used >> 10);
        return Err(invalid(why));
    }
    match name {
        "metrics_listen" if !value.is_empty() => {
            evenkeel_server::check_address(value).map_err(|e| invalid(e.to_string()))
        }
        "primary_conninfo" if !value.is_empty() => {
            value.parse::<ConnString>().map(drop).map_err(|e| invalid(e.to_string()))
        }
        _ => Ok(()),
    }
}
