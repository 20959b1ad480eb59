//! ALTER SYSTEM and `pg_reload_conf()`: a file of settings that SQL writes.
//!
//! Invariants
//! 1. What the next start would not take is not written.
//! 2. One statement at a time reads and writes the file, which is whole and durable at any time.
//!
//! Must not know: what settings mean.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};

use evenkeel_sql::{AlterSystemStmt, ConfigHooks, Instance, SqlError, SqlState};
use evenkeel_types::guard::memory;

use crate::CliError;
use crate::config::{AUTO_FILE_NAME, Config, FILE_NAME};
use crate::config_file::{keep, take_out};
use crate::serve::Request;

/// For the sessions of `instance`, whose database is in `folder`.
pub(crate) fn hooks(
    folder: &Path,
    config: Option<&Path>,
    instance: &Arc<Instance>,
    send: &mpsc::Sender<Request>,
) -> ConfigHooks {
    let (file, instance) = (folder.join(AUTO_FILE_NAME), Arc::downgrade(instance));
    let (one_at_a_time, send) = (Mutex::new(()), send.clone());
    ConfigHooks {
        folder: folder.to_path_buf(),
        file: config.map_or_else(|| folder.join(FILE_NAME), Path::to_path_buf),
        alter: Box::new(move |change| {
            let _alone = one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
            alter(&file, &instance, change)
        }),
        // A server that ends reads nothing any more.
        reload: Box::new(move || _ = send.send(Request::Reload)),
    }
}

fn alter(file: &Path, instance: &Weak<Instance>, change: &AlterSystemStmt) -> Result<(), SqlError> {
    let written = match change {
        AlterSystemStmt::Set(name, value) => {
            check(instance, name, value)?;
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
fn check(instance: &Weak<Instance>, name: &str, value: &str) -> Result<(), SqlError> {
    if !is_known(name) {
        return Err(unknown(name));
    }
    let refused = |e: crate::config::ConfigError| {
        let message = format!("invalid value for parameter \"{name}\": \"{value}\"");
        let mut refused = SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message);
        refused.detail = Some(e.to_string());
        refused
    };
    let mut config = Config::default();
    config.set("ALTER SYSTEM", name, value).map_err(refused)?;
    let used = memory::total_bytes();
    if name == "memory_limit" && config.server.memory_limit_bytes().is_some_and(|limit| limit < used) {
        let why = format!("The server uses {} kB now: it would run no statement any more.", used >> 10);
        return Err(refused(config.error(name, &why)));
    }
    match instance.upgrade() {
        Some(instance) => config.check_session_defaults(&instance).map_err(refused),
        None => Ok(()),
    }
}
