//! What is finished of a measurement, in a file, so that it can be interrupted and taken up again.
//!
//! Invariants
//! 1. The file is replaced as a whole: it is always complete.
//!
//! It must not know what is kept.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bench_checkpoints::{Error, io_error};

/// What the file has; `None`: there is none, or an empty one.
pub fn take_up<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, Error> {
    if !file.metadata().is_ok_and(|m| m.len() > 0) {
        return Ok(None);
    }
    let text = std::fs::read_to_string(file).map_err(io_error(file.display().to_string()))?;
    serde_json::from_str(&text).map(Some).map_err(|e| no_state(file, &e.to_string()))
}

/// The file is somebody else's, or of another version.
pub fn no_state(file: &Path, why: &str) -> Error {
    Error::Options(format!("{} is no state of this command ({why}); name another file", file.display()))
}

/// Writes it anew. (1)
pub fn replace(file: &Path, content: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string(content).expect("plain values with text keys");
    let mut new = file.as_os_str().to_owned();
    new.push(".new");
    std::fs::write(&new, text)
        .and_then(|()| std::fs::rename(&new, file))
        .map_err(io_error(file.display().to_string()))
}
