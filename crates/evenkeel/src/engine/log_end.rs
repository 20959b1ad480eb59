//! How far the log of a primary's folder goes, without opening it: for elections, where positions are compared. An opening begins a new life of the log in another segment, and who was
//! looked at would be ahead of everybody.
//!
//! Must not know: what the log says; who elects.

use super::opening::not_ours;
use super::options::Options;
use crate::base::{Error, Lsn, Result};
use crate::control::Control;
use crate::io::{Disk, OsDisk};
use crate::wal::reader::LogReader;
use crate::wal::segment::Geometry;
use crate::wal::source::LogSource;
use std::path::Path;
use std::sync::Arc;

/// See [`log_end`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogEnd {
    /// Whose log.
    pub database_id: u64,
    /// Under which epoch it was last written; 0: under none.
    pub epoch: u64,
    /// Where it ends.
    pub lsn: Lsn,
}

/// Reads the log of a folder that nobody has open, from where a recovery would, to its end. Changes nothing. `Corrupt`: it is damaged before that. Blocks.
pub fn log_end(dir: impl AsRef<Path>, options: &Options) -> Result<LogEnd> {
    let dir = dir.as_ref();
    let disk = OsDisk::new(dir, options.os_options())
        .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
    log_end_on(Arc::new(disk))
}

/// As `log_end`, on any disk.
pub fn log_end_on(disk: Arc<dyn Disk>) -> Result<LogEnd> {
    let _locks = (disk.lock().map_err(not_ours)?, Control::lock(&*disk).map_err(not_ours)?);
    let (_, data) = Control::open(&*disk)?;
    let (database_id, epoch) = (data.database_id, data.epoch);
    if data.clean {
        return Ok(LogEnd { database_id, epoch, lsn: data.end });
    }
    let source: &dyn LogSource = &&*disk;
    let from = data.redo.iter().copied().min().unwrap_or(data.log_needed).min(data.log_needed);
    let mut reader =
        LogReader::open_sequential(source, Geometry { segment_bytes: data.segment_bytes }, from)?;
    while reader.next_frame()?.is_some() {}
    match reader.damage()? {
        None => Ok(LogEnd { database_id, epoch, lsn: reader.position() }),
        Some(damage) => Err(Error::corrupt(damage.to_string())),
    }
}
