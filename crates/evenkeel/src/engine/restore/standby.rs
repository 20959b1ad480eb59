//! A standby of a base backup: its pages, and no log. That comes from whom it follows, who has it or takes it from the archive (S25).
//!
//! Invariants
//! 1. As of `engine/unfinished.rs`.
//! 2. Nothing is written before the caller has agreed: pages of a branch that the other server's log never had would be taken for its own.
//!
//! Must not know: who is followed.

use super::super::base_copy::log_needed;
use super::fetch::Fetch;
use super::log::ArchivedLog;
use super::{OnProgress, RestoreOptions, RestoreProgress, plan};
use super::{control_data, mark, must_have_room, put_pages};
use crate::archive::ArchiveStore;
use crate::base::{Error, Lsn, Result};
use crate::control::{Control, Role, TornPageProtection};
use crate::engine::opening::not_ours;
use crate::engine::standby::Position;
use crate::engine::unfinished;
use crate::io::Disk;
use std::path::Path;
use std::sync::Arc;

/// Which backup of what a standby is made of.
#[derive(Clone, Debug)]
pub struct BackupOf {
    /// The backup's name.
    pub id: String,
    /// The database.
    pub database_id: u64,
    /// The log that the standby needs first.
    pub needs: Lsn,
    /// The log makes it whole up to here; whoever is followed has to have had this place in this life.
    pub end: Position,
    /// Bytes of its files.
    pub bytes: u64,
}

/// Makes a standby in an empty or missing folder; see [`standby_on`].
pub fn standby(
    store: Arc<dyn ArchiveStore>,
    dir: impl AsRef<Path>,
    options: &RestoreOptions,
    agree: &mut dyn FnMut(&BackupOf) -> Result<()>,
    progress: OnProgress<'_>,
) -> Result<BackupOf> {
    let os = options.settings.os_options();
    unfinished::fill(dir.as_ref(), os, |disk| standby_on(store, disk, options, agree, progress))
}

/// Makes a standby of the backup that a restore with these options would begin with, on any disk. `agree` looks whether whom it is to follow had that log, and may refuse (2). Errors as of
/// [`restore_on`](super::restore_on). Blocks.
pub fn standby_on(
    store: Arc<dyn ArchiveStore>,
    disk: Arc<dyn Disk>,
    options: &RestoreOptions,
    agree: &mut dyn FnMut(&BackupOf) -> Result<()>,
    progress: OnProgress<'_>,
) -> Result<BackupOf> {
    let _lock = disk.lock().map_err(not_ours)?;
    unfinished::refuse_non_empty(&*disk)?;
    let fetch = Fetch::new(store, options.attempts);
    // Which timeline is meant is for whom it follows to say: `agree` asks.
    let plan = plan::make(&fetch, options, true)?;
    must_have_room(&*disk, &plan)?;
    let mut data = control_data(&plan)?;
    let log = ArchivedLog::new(&fetch, &plan.map, plan.last, 1);
    data.log_needed = log_needed(&log, plan.map.geometry, data.log_needed)?;
    let top = plan.layers.top();
    let of = BackupOf {
        id: top.id.clone(),
        database_id: top.database_id,
        needs: data.log_needed,
        end: Position { life: top.end_incarnation, lsn: top.end.into() },
        bytes: plan.summary.data_bytes,
    };
    agree(&of)?;
    progress(&RestoreProgress::Planned(Box::new(plan.summary.clone())));
    mark(&*disk, fetch.store(), &plan)?;
    unfinished::clear(&*disk)?;
    put_pages(&disk, &fetch, &plan, options, progress)?;
    data.redo.iter_mut().for_each(|redo| *redo = (*redo).max(of.needs));
    data.role = Role::Standby;
    (data.received, data.whole_at, data.whole_life) = (of.needs, of.end.lsn, of.end.life);
    data.told = Lsn(1); // who is followed may ask others before it tells anything: it says so
    // All is durable, and nothing of it torn.
    data.protection = TornPageProtection::DoubleWrite;
    if data.whole_at < of.needs {
        return Err(Error::corrupt(format!("backup \"{}\" ends before its log begins", of.id)));
    }
    Control::create(&*disk, &data)?;
    unfinished::unmark(&*disk)?;
    Ok(of)
}
