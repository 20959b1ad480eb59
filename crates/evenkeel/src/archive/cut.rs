//! A cut: a segment's part of the record stream, up to where the log ends in it, apart from the file that holds it.
//!
//! Invariants
//! 1. `stream` holds the bytes from the segment's start to `end`, and `end` is at most the segment's end.
//! 2. Records stand one behind the other from `first` on, up to `end` or into the next segment.
//!
//! Must not know: how cuts are stored.

use crate::base::{Error, Lsn, Result};
use crate::wal::find::{first_record, next_record};
use crate::wal::record::{self, Record};
use crate::wal::segment::{Geometry, Header, LOG_BLOCK};
use std::ops::Range;

/// What is known about where the log ends in a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndOfLog {
    /// It ends at this position, or goes on behind the segment if the position lies there.
    At(Lsn),
    /// Nothing: the segment's records say it. Refused where intact records stand behind one that is not.
    Unknown,
}

/// See the file's head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The segment's header.
    pub header: Header,
    /// The first record that begins, and ends, in the segment.
    pub first: Option<Lsn>,
    /// Where the log ends in the segment.
    pub end: Lsn,
    /// The stream's bytes (invariant 1).
    pub stream: Vec<u8>,
    /// Where images were stripped from the stream: zeros, as offsets in it, ascending.
    pub holes: Vec<Range<usize>>,
}

/// A record's place in a stream: offset, length of the frame's head, length of the frame.
pub(super) struct Frame {
    pub at: usize,
    pub head: usize,
    pub len: usize,
}

impl Cut {
    /// From the bytes of a segment file.
    pub fn from_file(file: &[u8], end: EndOfLog) -> Result<Cut> {
        let header = Header::decode(file)
            .ok_or_else(|| Error::corrupt("no log segment: its header is damaged, or of another version"))?;
        check_size(&header)?;
        let Some(stream) = file.get(LOG_BLOCK as usize..header.segment_bytes as usize) else {
            return Err(Error::corrupt(format!(
                "log segment {:016x} is shorter than the {} bytes that its header says",
                header.segment, header.segment_bytes
            )));
        };
        let geometry = Geometry { segment_bytes: header.segment_bytes };
        let start = geometry.start_of(header.segment);
        let last = geometry.start_of(header.segment + 1);
        let first = first_record(&header, stream)?;
        let end = match end {
            EndOfLog::At(end) if end < start => {
                return Err(Error::corrupt(format!(
                    "log segment {:016x} begins behind the log's end {end}",
                    header.segment
                )));
            }
            EndOfLog::At(end) => end.min(last),
            EndOfLog::Unknown => find_end(&header, stream, first)?,
        };
        let stream = stream[..(end.0 - start.0) as usize].to_vec();
        let first = first.filter(|f| *f < end || header.begins_life());
        Ok(Cut { header, first, end, stream, holes: Vec::new() })
    }

    /// The position of the stream's first byte.
    pub fn start(&self) -> Lsn {
        self.geometry().start_of(self.header.segment)
    }

    /// Segment arithmetic.
    pub fn geometry(&self) -> Geometry {
        Geometry { segment_bytes: self.header.segment_bytes }
    }

    /// Whether the log fills the segment.
    pub fn is_full(&self) -> bool {
        self.end == self.geometry().start_of(self.header.segment + 1)
    }

    /// Walks the records that begin and end in the cut. `Corrupt`: they do not lead to its end (invariant 2).
    pub(super) fn frames(&self) -> Result<Vec<Frame>> {
        let Some(first) = self.first else { return Ok(Vec::new()) };
        let mut at = (first.0 - self.start().0) as usize;
        let mut frames = Vec::new();
        while let Some((head, len)) = intact(&self.header, &self.stream, at) {
            frames.push(Frame { at, head, len });
            at += len;
        }
        if at < self.stream.len() && !goes_on_behind(&self.stream[at..]) {
            return Err(Error::corrupt(format!(
                "log segment {:016x}: no intact record at {}, and the log goes on to {}",
                self.header.segment,
                Lsn(self.start().0 + at as u64),
                self.end
            )));
        }
        Ok(frames)
    }

    /// Hands each record that begins and ends in the cut to `each`.
    pub fn records(&self, each: &mut dyn FnMut(&Record<'_>)) -> Result<()> {
        for f in self.frames()? {
            let lsn = Lsn(self.start().0 + f.at as u64);
            let body = &self.stream[f.at + f.head..f.at + f.len];
            each(&Record::decode(body, lsn, Lsn(lsn.0 + f.len as u64))?);
        }
        Ok(())
    }
}

/// Segment sizes that there can be: what follows is bounded by them.
pub(super) fn check_size(h: &Header) -> Result<()> {
    let sizes = (1 << 16)..=(1 << 30);
    let last = (1u64 << 62) / h.segment_bytes.max(1);
    if h.segment_bytes.is_power_of_two() && sizes.contains(&h.segment_bytes) && h.segment < last {
        return Ok(());
    }
    Err(Error::corrupt(format!("log segment {:x} of {} bytes", h.segment, h.segment_bytes)))
}

/// Head and frame length of the intact record at an offset.
fn intact(header: &Header, stream: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = &stream[at..];
    let (head, body) = record::parse_frame(&rest[..rest.len().min(14)])?;
    let frame = rest.get(..head + body)?;
    let start = Geometry { segment_bytes: header.segment_bytes }.start_of(header.segment);
    record::frame_is_intact(frame, Lsn(start.0 + at as u64), header.incarnation)
        .then_some((head, head + body))
}

/// Whether these last bytes of a stream can be the beginning of a record that ends behind them.
pub fn goes_on_behind(rest: &[u8]) -> bool {
    match record::parse_frame(&rest[..rest.len().min(14)]) {
        Some((head, body)) => head + body > rest.len(),
        // Too short for a length.
        None => rest.len() < 14 && rest.get(4..).is_none_or(|l| l.iter().all(|b| b & 0x80 != 0)),
    }
}

fn find_end(header: &Header, stream: &[u8], first: Option<Lsn>) -> Result<Lsn> {
    let geometry = Geometry { segment_bytes: header.segment_bytes };
    let start = geometry.start_of(header.segment);
    let full = geometry.start_of(header.segment + 1);
    // The part of one long record, or damaged from its beginning: all is kept.
    let Some(first) = first else { return Ok(full) };
    let mut at = (first.0 - start.0) as usize;
    while let Some((_, len)) = intact(header, stream, at) {
        at += len;
    }
    if goes_on_behind(&stream[at..]) {
        return Ok(full);
    }
    if let Some(later) = next_record(header, stream, at, usize::MAX)? {
        return Err(Error::corrupt(format!(
            "log segment {:016x} is damaged: no intact record at {}, but one at {}",
            header.segment,
            Lsn(start.0 + at as u64),
            Lsn(start.0 + later as u64)
        )));
    }
    Ok(Lsn(start.0 + at as u64))
}
