//! The check of a standby that follows nobody meanwhile: as that of a primary, as far as its log is replayed, and it stays what it is.
//!
//! Must not know: how pages are checked.

use super::check::{Progress, Report, check_open_database};
use super::check_log::read_log;
use super::database::Database;
use super::standby::Standby;
use crate::base::sync;
use crate::base::{Error, Lsn, Result};
use crate::wal::segment::Geometry;
use crate::wal::source::LogSource;
use std::time::Duration;

/// How often a wait looks.
const LOOK: Duration = Duration::from_millis(5);

/// Checks an open standby, whose replay is held up from then on. Gives its database as well, for whoever has more to check. Blocks until it can be read. `InvalidArgument`: it cannot be.
pub fn check_standby(standby: &Standby, progress: &mut dyn FnMut(Progress)) -> Result<(Database, Report)> {
    let db = readable(standby)?;
    standby.pause_replay(true);
    while !standby.replay_pause().1 {
        standby.poisoned().map_or(Ok(()), Err)?;
        sync::sleep(LOOK);
    }
    let mut report = check_open_database(&db, progress)?;
    let (shared, data) = (standby.shared(), standby.shared().rounds.published());
    let from = data.redo.iter().copied().fold(data.log_needed, Lsn::min);
    let (end, source): (Lsn, &dyn LogSource) = (standby.durable().lsn, &&*shared.disk);
    if from < end {
        read_log(source, Geometry { segment_bytes: data.segment_bytes }, from, end, &mut report)?;
    }
    Ok((db, report))
}

fn readable(standby: &Standby) -> Result<Database> {
    let end = standby.durable().lsn;
    let refused = |why: &str| Err(Error::InvalidArgument(format!("the standby cannot be checked: {why}")));
    if standby.promotable(end) == Lsn::ZERO {
        return refused(
            "the log that makes its copy whole was not received yet. Let it follow its primary first",
        );
    }
    loop {
        standby.poisoned().map_or(Ok(()), Err)?;
        if let Some(db) = standby.database() {
            return Ok(db);
        }
        if !standby.may_be_read() {
            return refused("it cannot be read; its log says why");
        }
        sync::sleep(LOOK);
    }
}
