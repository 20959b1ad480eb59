//! The log's part of `evenkeel check`: every record that recovery or the archive would need, and what was set aside.
//!
//! Must not know: pages.

use super::check::Report;
use super::database::Database;
use crate::base::{Error, Lsn, Result};
use crate::wal::end::stream_of;
use crate::wal::find::first_record;
use crate::wal::reader::LogReader;
use crate::wal::segment::{self, Geometry};
use crate::wal::source::LogSource;

/// Reads the log of an open database in which nobody writes, from where it is needed to its end.
pub(super) fn check_log(db: &Database, report: &mut Report) -> Result<()> {
    let core = db.core();
    let (wal, disk) = (&core.env.wal, core.env.pool.files().disk());
    for path in segment::set_aside_paths(&**disk)? {
        report.notes.push(format!(
            "{path}: log that was set aside, since it was damaged or nothing proves that it was durable; nothing reads it, remove it when you no longer want it"
        ));
    }
    if let Some(why) = db.read_only_because() {
        report.problems.push(format!("the database can only be read: {why}"));
    }
    // To the end of a record: what is durable by itself may end in the middle of one, where the log writer went ahead by whole blocks.
    let (geometry, end) = (wal.geometry(), wal.completed());
    wal.flush(end)?;
    let needed = core.primary().checkpointer.published().log_needed.min(wal.archived());
    if needed >= end {
        return Ok(()); // at a segment's boundary there need not be a next one
    }
    let source: &dyn LogSource = &&**disk;
    let Some(from) = first_from(source, geometry, needed, report)? else { return Ok(()) };
    read_log(source, geometry, from, end, report)
}

/// Reads the log from a record on, up to where it ends.
pub(super) fn read_log(
    source: &dyn LogSource,
    geometry: Geometry,
    from: Lsn,
    end: Lsn,
    report: &mut Report,
) -> Result<()> {
    let mut reader = LogReader::open_sequential(source, geometry, from)?;
    loop {
        match reader.next() {
            Ok(Some(_)) => report.log_records += 1,
            Ok(None) => break,
            Err(Error::Corrupt(why)) => {
                report.problems.push(format!("log record at {}: {why}", reader.position()));
                return Ok(());
            }
            Err(e) => return Err(e),
        }
    }
    report.log_bytes += reader.position().0.saturating_sub(from.0);
    if reader.position() < end {
        report.problems.push(match reader.damage()? {
            Some(damage) => damage.to_string(),
            None => format!("the log cannot be read past {}, but goes on to {end}", reader.position()),
        });
    }
    Ok(())
}

/// The first record from which the log can be read to all of `needed`.
fn first_from(
    source: &dyn LogSource,
    geometry: Geometry,
    needed: Lsn,
    report: &mut Report,
) -> Result<Option<Lsn>> {
    let n = geometry.segment_of(needed);
    let Some((bytes, header)) = source.open(n)? else {
        // A life that ended with its segment: the next begins one further.
        if source.peek(n + 1)?.is_some_and(|h| h.begins_life() && h.prev_end == geometry.start_of(n)) {
            return Ok(Some(geometry.start_of(n + 1)));
        }
        report.problems.push(format!("log segment {} is missing or damaged", segment::path(n)));
        return Ok(None);
    };
    if header.begins_life() {
        return Ok(Some(geometry.start_of(n)));
    }
    let first = first_record(&header, &stream_of(&bytes, &header)?)?;
    if first.is_none() {
        report.problems.push(format!("log segment {} has no intact record", segment::path(n)));
    }
    Ok(first)
}
