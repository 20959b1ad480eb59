//! Recovery from a base backup and the archive: laying down the pages is not counted, the replay is.
//!
//! It must not know how the load was made.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use evenkeel::archive::{self, ArchiveStore, FolderStore};
use evenkeel::restore::{RestoreOptions, RestoreProgress, restore};
use evenkeel::{BackupOptions, Database, Lsn};

use crate::bench_checkpoints::own_server::engine_options;
use crate::bench_checkpoints::{Error, io_error};

use super::{Trial, crash, files};

/// Opens a database that is shut down, and makes a base backup of it into its archive.
pub fn back_up(program: &Path, folder: &Path, settings: &[(String, String)]) -> Result<(), Error> {
    let database = Database::open(folder, engine_options(program, &crash::row(settings))?)?;
    let made = database.backup(&BackupOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()));
    let closed = database.close();
    made?;
    Ok(closed?)
}

/// Whether the archive in a folder has the log up to this position.
pub fn reaches(folder: &Path, end: Lsn) -> Result<bool, Error> {
    let store = FolderStore::new(folder);
    let names = store.list("wal/").map_err(|e| Error::Options(e.to_string()))?;
    let Some(last) = names.last() else { return Ok(false) };
    let Some((bytes, _)) = store.get(last).map_err(|e| Error::Options(e.to_string()))? else {
        return Ok(false); // it has just given way to the finished segment
    };
    Ok(archive::unpack(&bytes)?.0.end >= end)
}

/// Bytes of log in an archive.
pub fn log_bytes(folder: &Path) -> Result<u64, Error> {
    files::bytes(&folder.join("wal"))
}

/// The same archive without page images.
pub fn strip(from: &Path, to: &Path, level: u64) -> Result<(), Error> {
    files::copy(from, to)?;
    let store = FolderStore::new(to);
    let wrong = |e: archive::StoreError| Error::Options(e.to_string());
    for name in store.list("wal/").map_err(wrong)? {
        let Some((bytes, _)) = store.get(&name).map_err(wrong)? else { continue };
        let (mut cut, timeline) = archive::unpack(&bytes)?;
        archive::strip(&mut cut)?;
        let path = to.join(&name);
        std::fs::write(&path, archive::pack(&cut, timeline, level)?)
            .map_err(io_error(path.display().to_string()))?;
    }
    Ok(())
}

/// Restores into a folder.
pub fn recover(
    program: &Path,
    archive: &Path,
    folder: &Path,
    settings: &[(String, String)],
) -> Result<Trial, Error> {
    files::remove(folder)?;
    files::drop_caches(archive)?;
    let settings = engine_options(program, &crash::row(settings))?;
    let options = RestoreOptions { settings, ..RestoreOptions::default() };
    let this = std::process::id();
    let before = Mutex::new(None);
    let told = |p: &RestoreProgress| {
        // The last of these comes when the pages are in their places.
        if let RestoreProgress::Pages { .. } = p {
            *before.lock().unwrap_or_else(|e| e.into_inner()) = files::read_by(this);
        }
    };
    let restored = restore(Arc::new(FolderStore::new(archive)), folder, &options, &told)?;
    let before = before.into_inner().unwrap_or_else(|e| e.into_inner());
    Ok(Trial {
        seconds: restored.log_time.as_secs_f64(),
        redo_s: Some(restored.redo.time_us as f64 / 1e6),
        read_bytes: files::read_by(this).zip(before).map(|(now, before)| now - before),
        disturbance: None,
    })
}
