//! Our server after a kill: started again on what the kill left.
//!
//! It must not know how the load was made.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::bench_checkpoints::own_server::OwnServer;
use crate::bench_checkpoints::prepare::optional;
use crate::bench_checkpoints::rows::{Row, System};
use crate::bench_checkpoints::{Error, server_error};
use evenkeel_client::ConnString;
use evenkeel_client::Connection;

use super::{NAME, Trial, files};

const REDO_SECONDS: &str = "SELECT seconds FROM pg_stat_recovery_prefetch";

/// Our server with these settings.
pub fn row(settings: &[(String, String)]) -> Row {
    let system = System::Own { preset: None, settings: settings.to_vec(), held_back: false };
    Row { label: "evenkeel".into(), system }
}

/// Starts the server on a folder out of the caches; `look` looks whether all is there.
pub fn recover(
    program: &Path,
    folder: &Path,
    settings: &[(String, String)],
    words: &Path,
    stop: &AtomicBool,
    look: impl FnOnce(&ConnString) -> Result<(), Error>,
) -> Result<Trial, Error> {
    files::drop_caches(folder)?;
    let begin = Instant::now();
    let mut server = OwnServer::start(program, folder, &row(settings), 1, None, words.into(), stop)?;
    let seconds = begin.elapsed().as_secs_f64();
    let read_bytes = files::read_by(server.id());
    let to = server.to().clone();
    let looked = look(&to).map_err(|e| server.explain(e));
    let redo_s = looked.and_then(|()| {
        let mut control = Connection::open(&to, NAME).map_err(server_error(NAME))?;
        let redo = optional(control.value(REDO_SECONDS)).map_err(server_error(NAME))?;
        Ok(redo.flatten().and_then(|s| s.parse().ok()))
    })?;
    Ok(Trial { seconds, redo_s, read_bytes, disturbance: None })
}
