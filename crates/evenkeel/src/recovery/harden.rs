//! The end of the log, made durable for certain before anything builds on it.
//!
//! What a killed process wrote may lie in the page cache only, and after a failed sync the kernel may have marked it clean: then a later sync writes
//! nothing and succeeds. So the bytes that no successful sync of that process is known to cover are read and written again. Which these are the log says
//! itself: each gang tells how far the log was durable when it was taken.
//!
//! Invariants
//! 1. Bytes are written over themselves only: whatever is left of it after a power cut is what was there.
//! 2. When it returns, every byte before the end of the last life's intact records is durable, if the disk keeps what it confirms.
//!
//! Must not know: what records mean.

use crate::base::{Error, Lsn, Result};
use crate::io::{Access, AlignedBuf, Disk, OpenMode, read_exact_at, write_all_at};
use crate::wal::end::{read_piece, told};
use crate::wal::reader::LogReader;
use crate::wal::segment::{self, Geometry, Header, LOG_BLOCK};
use crate::wal::source::{LogSource, SegmentBytes};
use std::io::IoSlice;

/// Bytes that are looked at to find the log's end: most gangs are smaller, so that each such piece of log has a record that tells.
const PROBE_BYTES: u64 = 64 * 1024;
/// Bytes written at a time.
const PIECE_BYTES: u64 = 1 << 20;

/// Where a life of the log ends, as far as can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LifeEnd {
    /// The first position without an intact record.
    pub at: Lsn,
    /// The life.
    pub incarnation: u64,
}

/// Writes the doubtful end of the last life's log again. `round` is the position of a record that is known to be durable, or zero. Gives where the log ends, if
/// there is any. Blocks for the device.
pub fn harden_log(disk: &dyn Disk, geometry: Geometry, round: Lsn) -> Result<Option<LifeEnd>> {
    let Some((from, mut known)) = doubtful(disk, geometry, round)? else { return Ok(None) };
    let source: &dyn LogSource = &disk;
    let mut reader = LogReader::open(source, geometry, from)?;
    loop {
        match reader.next() {
            Ok(Some(record)) => known = known.max(record.flushed().unwrap_or(known)),
            // Undecodable: whoever reads it for its meaning says so.
            Ok(None) | Err(Error::Corrupt(_)) => break,
            Err(e) => return Err(e),
        }
    }
    let end = reader.position();
    write_again(disk, geometry, Lsn(known.0 & !(LOG_BLOCK - 1)), end)?;
    Ok(Some(LifeEnd { at: end, incarnation: reader.incarnation() }))
}

fn write_again(disk: &dyn Disk, geometry: Geometry, mut at: Lsn, end: Lsn) -> Result<()> {
    while at < end {
        let n = geometry.segment_of(at);
        let upto = end.min(geometry.start_of(n + 1));
        rewrite(disk, geometry, n, at, upto)?;
        at = upto;
    }
    Ok(())
}

/// As [`harden_log`], of a log that was received: what it says of durability was true of the disk that it was written on. `received` is the position of a record, or an
/// end of log, up to which it is durable here.
pub fn harden_received(disk: &dyn Disk, geometry: Geometry, received: Lsn) -> Result<LifeEnd> {
    let source: &dyn LogSource = &disk;
    let segment = geometry.segment_of(received);
    if segment::open(disk, segment)?.is_none() {
        // Nothing came behind the end of the one before.
        let before =
            segment::open(disk, segment.wrapping_sub(1))?.map_or(0, |(_, header)| header.incarnation);
        return Ok(LifeEnd { at: received, incarnation: before });
    }
    let mut reader = LogReader::open(source, geometry, received)?;
    loop {
        match reader.next() {
            Ok(Some(_)) => {}
            Ok(None) | Err(Error::Corrupt(_)) => break,
            // Behind it there may be log that was confirmed.
            Err(e) => return Err(e),
        }
    }
    let end = reader.position();
    write_again(disk, geometry, Lsn(received.0 & !(LOG_BLOCK - 1)), end)?;
    Ok(LifeEnd { at: end, incarnation: reader.incarnation() })
}

/// Where to read the last life on from to find its end, and up to where it is known to be durable. `None`: there is no log.
///
/// Looks for a place near the end, by few reads: any place that tells is a right one, only that more is read from one that lies farther back.
fn doubtful(disk: &dyn Disk, geometry: Geometry, round: Lsn) -> Result<Option<(Lsn, Lsn)>> {
    let mut life: Option<Header> = None;
    for n in segment::list(disk)?.into_iter().rev() {
        let Some((file, header)) = segment::open(disk, n)? else { continue };
        if header.segment_bytes != geometry.segment_bytes {
            continue;
        }
        if life.is_some_and(|h| h.incarnation != header.incarnation) {
            break;
        }
        life = Some(header);
        if let Some(late) = told_late(&SegmentBytes::File(file), &header)? {
            return Ok(Some(late));
        }
    }
    // Nothing says how far it was durable, so all of the life is in doubt, or all behind the round that the control file knows.
    let Some(first) = life else { return Ok(None) };
    let start = geometry.start_of(first.segment);
    let from = if round >= start { Some(round) } else { first.begins_life().then_some(start) };
    Ok(from.map(|from| (from, from)))
}

/// A record near the end of a segment's log that says how far the log was durable: where it stands, and what it says. `None`: the segment's first bytes have
/// none, as those of a segment that was never used.
fn told_late(bytes: &SegmentBytes, header: &Header) -> Result<Option<(Lsn, Lsn)>> {
    let mut piece = AlignedBuf::new((PROBE_BYTES + LOG_BLOCK) as usize);
    let mut last_of = |n: u64| -> Result<Option<(Lsn, Lsn)>> {
        let (start, stream) = read_piece(bytes, header, n * PROBE_BYTES, &mut piece)?;
        Ok(told(stream, start, header.incarnation).last())
    };
    let Some(mut found) = last_of(0)? else { return Ok(None) };
    let (mut with, mut without) = (0, (header.segment_bytes - LOG_BLOCK).div_ceil(PROBE_BYTES));
    while without - with > 1 {
        let middle = with + (without - with) / 2;
        match last_of(middle)? {
            Some(later) => (with, found) = (middle, later),
            None => without = middle,
        }
    }
    Ok(Some(found))
}

fn rewrite(disk: &dyn Disk, geometry: Geometry, n: u64, from: Lsn, to: Lsn) -> Result<()> {
    let name = segment::path(n);
    let ctx = |e| Error::io(format!("writing the end of the log, in segment {name}, once more"), e);
    let file = disk.open(&name, OpenMode::Existing, Access::Log).map_err(ctx)?;
    let (mut at, end) = (geometry.offset_of(from), geometry.offset_of(from) + (to.0 - from.0));
    let end = end.next_multiple_of(LOG_BLOCK);
    while at < end {
        let mut bytes = AlignedBuf::new((end - at).min(PIECE_BYTES) as usize);
        read_exact_at(&*file, &mut bytes, at).map_err(ctx)?;
        write_all_at(&*file, &mut [IoSlice::new(&bytes)], at).map_err(ctx)?;
        at += bytes.len() as u64;
    }
    file.sync().map_err(ctx)
}
