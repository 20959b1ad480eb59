//! What a folder is, and whether what a start needs first of all is there, without opening it: for who wants to know why no server runs.
//!
//! Must not know: what is in pages and log; who asks.

use super::closed_files;
use super::options::Options;
use crate::base::{Error, Lsn, Result};
use crate::control::{Control, Role};
use crate::io::{Disk, OsDisk};
use crate::pool::Files;
use crate::wal::segment::{self, Geometry};
use std::path::Path;
use std::sync::Arc;

/// See [`folder_state`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderState {
    /// Whose it is.
    pub database_id: u64,
    /// It follows another server.
    pub is_standby: bool,
    /// Data files that are not as they were closed, each told.
    pub wrong_files: Vec<String>,
}

/// Reads the control file of a database's folder and, unless somebody has it open, looks for the log that a start would read and for data files. Changes nothing, and takes no lock. `Corrupt`: something is damaged or missing.
pub fn folder_state(dir: impl AsRef<Path>, options: &Options, is_open: bool) -> Result<FolderState> {
    let dir = dir.as_ref();
    let disk = OsDisk::new(dir, options.os_options())
        .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
    let (_, data) = Control::open(&disk)?;
    let mut wrong_files = Vec::new();
    if data.complete && !is_open {
        for name in [segment::DIR, "data"] {
            if !disk.exists(name).map_err(|e| Error::io(format!("looking for the folder {name}"), e))? {
                return Err(Error::corrupt(format!("the folder \"{name}\" is missing")));
            }
        }
        segment::check_owner(&disk, data.database_id)?;
        let geometry = Geometry { segment_bytes: data.segment_bytes };
        if data.clean {
            segment::check_closed(&disk, geometry, data.end, data.end_incarnation)?;
            let disk: Arc<dyn Disk> = Arc::new(disk);
            let wrong = closed_files::wrong(&*disk, &data, &Files::new(disk.clone())).unwrap_or_default();
            wrong_files.extend(wrong.unwrap_or_default().into_iter().map(|w| w.what));
        } else {
            let from = data.redo.iter().copied().fold(data.log_needed, Lsn::min);
            log_is_there(&disk, geometry, from, data.role)?;
        }
    }
    Ok(FolderState { database_id: data.database_id, is_standby: data.role == Role::Standby, wrong_files })
}

fn log_is_there(disk: &dyn Disk, geometry: Geometry, from: Lsn, role: Role) -> Result<()> {
    let first = geometry.segment_of(from);
    let there = segment::list(disk)?;
    // A life may have ended with its segment, and left the next one out. A standby may have to receive it yet.
    let is_there = there.iter().any(|n| *n == first || *n == first + 1);
    if is_there || role == Role::Standby {
        return Ok(());
    }
    Err(Error::corrupt(format!(
        "the log from {from} on, where a recovery begins, is missing: there is no segment \"{}\"",
        segment::path(first)
    )))
}
