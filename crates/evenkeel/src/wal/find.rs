//! Where records begin in the middle of a log: a segment says where a life begins, but not where its own first record does.
//!
//! A record is found by its checksum, which is seeded with its position and with the incarnation, a random number that nobody who fills pages knows.
//!
//! Invariants
//! 1. The work is bounded whatever the bytes are ([`WORK_BYTES_MAX`]).

use super::record::{self, MAX_BODY_BYTES};
use super::segment::{self, Geometry, Header, LOG_BLOCK};
use crate::base::{Error, Lsn, Result};
use crate::io::{AlignedBuf, Disk, read_exact_at};

/// Bytes checksummed in the search for a segment's first record, at most.
const WORK_BYTES_MAX: u64 = 1 << 36;
/// Longest frame: behind so many bytes at the latest a record begins.
const FRAME_BYTES_MAX: usize = MAX_BODY_BYTES + 14;

/// The first record that begins in a segment, of those that end in it too; `stream` are the bytes behind its header. `None`: there is no such record.
pub fn first_record(header: &Header, stream: &[u8]) -> Result<Option<Lsn>> {
    let start = Geometry { segment_bytes: header.segment_bytes }.start_of(header.segment);
    if header.begins_life() {
        return Ok(Some(start));
    }
    Ok(next_record(header, stream, 0, FRAME_BYTES_MAX)?.map(|at| Lsn(start.0 + at as u64)))
}

/// Offset of the first intact record that begins at `from` or up to `within` bytes later in a segment's stream bytes.
pub fn next_record(header: &Header, stream: &[u8], from: usize, within: usize) -> Result<Option<usize>> {
    let start = Geometry { segment_bytes: header.segment_bytes }.start_of(header.segment);
    let mut work = 0;
    for at in from..stream.len().min(from.saturating_add(within)) {
        let rest = &stream[at..];
        let Some((head, body)) = record::parse_frame(&rest[..rest.len().min(14)]) else { continue };
        let Some(frame) = rest.get(..head + body) else { continue };
        // Most places fail here, for a byte's price.
        if !record::may_begin_body(frame[head]) {
            continue;
        }
        work += frame.len() as u64;
        if work > WORK_BYTES_MAX {
            return Err(Error::corrupt(format!(
                "log segment {:016x}: it is not to be found out where its records begin",
                header.segment
            )));
        }
        if record::frame_is_intact(frame, Lsn(start.0 + at as u64), header.incarnation) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// The oldest position in a log folder, or set of segments, where reading can start. `None`: there is none.
pub fn oldest_record(disk: &dyn Disk, geometry: Geometry) -> Result<Option<Lsn>> {
    for n in segment::list(disk)? {
        let Some((file, header)) = segment::open(disk, n)? else { continue };
        if header.segment_bytes != geometry.segment_bytes {
            continue;
        }
        if header.begins_life() {
            return Ok(Some(geometry.start_of(n)));
        }
        let mut stream = AlignedBuf::new(geometry.usable() as usize);
        read_exact_at(&*file, &mut stream, LOG_BLOCK)
            .map_err(|e| Error::io(format!("reading log segment {}", segment::path(n)), e))?;
        if let Some(at) = first_record(&header, &stream)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}
