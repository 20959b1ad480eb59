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
use crate::wal::end::{stream_of, told};
use crate::wal::reader::LogReader;
use crate::wal::segment::{self, Geometry, Header, LOG_BLOCK};
use crate::wal::source::{LogSource, SegmentBytes};
use std::io::IoSlice;

/// Bytes written at a time.
const PIECE_BYTES: u64 = 1 << 20;

/// Writes the doubtful end of the last life's log again. `round` is the position of a record that is known to be durable, or zero. Gives the range of the log
/// that was written. Blocks for the device.
pub fn harden_log(disk: &dyn Disk, geometry: Geometry, round: Lsn) -> Result<Option<(Lsn, Lsn)>> {
    let Some((from, known)) = doubtful(disk, geometry, round)? else { return Ok(None) };
    let source: &dyn LogSource = &disk;
    let mut reader = LogReader::open(source, geometry, from)?;
    loop {
        match reader.next() {
            Ok(Some(_)) => {}
            // Undecodable: whoever reads it for its meaning says so.
            Ok(None) | Err(Error::Corrupt(_)) => break,
            Err(e) => return Err(e),
        }
    }
    let (mut at, end) = (Lsn(known.0 & !(LOG_BLOCK - 1)), reader.position());
    let range = (at, end);
    while at < end {
        let n = geometry.segment_of(at);
        let upto = end.min(geometry.start_of(n + 1));
        rewrite(disk, geometry, n, at, upto)?;
        at = upto;
    }
    Ok(Some(range))
}

/// Where to read the last life on from to find its end, and up to where it is known to be durable. `None`: there is no log.
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
        let stream = stream_of(&SegmentBytes::File(file), &header)?;
        if let Some(last) = told(&header, &stream, 0).last() {
            return Ok(Some(last));
        }
    }
    // Nothing says how far it was durable, so all of the life is in doubt, or all behind the round that the control file knows.
    let Some(first) = life else { return Ok(None) };
    let start = geometry.start_of(first.segment);
    let from = if round >= start { Some(round) } else { first.begins_life().then_some(start) };
    Ok(from.map(|from| (from, from)))
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
