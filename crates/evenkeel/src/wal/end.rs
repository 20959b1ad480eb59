//! Where the log ends, and where it only breaks off.
//!
//! A frame that is not intact may be the end of the log, or damage in log that was durable. What tells them apart stands behind it: each gang says how far the
//! log was durable when it was taken (`Kind::Flushed`), and a life's first segment says where the life before ended.
//!
//! Invariants
//! 1. A place is called damaged only if something intact behind it proves that it was durable: a record of the same life that says so, or a later life that
//!    does not begin there. What a crash may leave (writes in flight that ended out of order, buffered blocks in any order) never does: nothing says that it
//!    is durable before it is.
//! 2. Nothing is changed here.
//!
//! Must not know: what is to be done about it.

use super::reader::LogReader;
use super::record::{self, FLUSHED_FRAME_MAX};
use super::segment::{self, Geometry, Header, LOG_BLOCK};
use super::source::{LogSource, SegmentBytes};
use crate::base::{Error, Lsn, Result};
use crate::io::AlignedBuf;
use std::fmt;

/// What proves that a place was durable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// An intact record at this position says that the log was durable up to `flushed`.
    Record {
        /// Where it stands.
        at: Lsn,
        /// What it says.
        flushed: Lsn,
    },
    /// The first segment of the life that followed says that this one went on to here.
    Successor {
        /// That segment.
        segment: u64,
        /// What it says.
        end: Lsn,
    },
    /// A segment of a life that began somewhere behind, whose own first segment is not to be found.
    LaterLife {
        /// That segment.
        segment: u64,
    },
    /// A segment has bytes, but no header that can be read: headers are durable before a segment gets its name, so it was one of this life or a later one.
    Headless {
        /// That segment.
        segment: u64,
    },
    /// The control file says that the log was durable beyond this.
    Control(Lsn),
}

/// Log that was durable and cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The first position that cannot be read.
    pub at: Lsn,
    /// Its segment.
    pub segment: u64,
    /// The place in the segment's file.
    pub offset: u64,
    /// The life that it belongs to; 0 = nothing of it can be read.
    pub incarnation: u64,
    /// How that is known.
    pub proof: Proof,
    /// What can still be read behind it.
    pub behind: Behind,
}

/// Intact log behind damage, of the same life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Behind {
    /// Where the first intact record that was found begins.
    pub from: Option<Lsn>,
    /// Where the last one ends.
    pub to: Lsn,
    /// Records.
    pub records: u64,
    /// Commits among them.
    pub commits: u64,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the log is damaged at {}, byte {} of segment {}: ",
            self.at,
            self.offset,
            segment::path(self.segment)
        )?;
        match self.proof {
            Proof::Record { at, flushed } => {
                write!(
                    f,
                    "no intact record stands there, but the one at {at} says that the log was durable up to {flushed}"
                )?;
            }
            Proof::Successor { segment: s, end } => {
                write!(
                    f,
                    "no intact record stands there, but segment {} says that the log went on to {end}",
                    segment::path(s)
                )?;
            }
            Proof::LaterLife { segment: s } => {
                write!(
                    f,
                    "no intact record stands there, but segment {} belongs to a later start whose first segment is missing",
                    segment::path(s)
                )?;
            }
            Proof::Headless { segment: s } => {
                write!(
                    f,
                    "no intact record stands there, and the header of segment {} cannot be read",
                    segment::path(s)
                )?;
            }
            Proof::Control(at) => {
                write!(
                    f,
                    "no intact record stands there, but the control file says that the log was durable beyond {at}"
                )?;
            }
        }
        let b = &self.behind;
        match b.from {
            Some(from) => write!(
                f,
                ". Behind the damage at least {} intact records with {} commits were found, from {from} to {}",
                b.records, b.commits, b.to
            ),
            None => write!(f, ". No intact record was found behind the damage"),
        }
    }
}

/// Looks behind `at`, in the life `incarnation`, where no intact record stands: `None` if the log ends there as far as can be known.
pub fn damage_at(
    source: &dyn LogSource,
    geometry: Geometry,
    at: Lsn,
    incarnation: u64,
) -> Result<Option<Damage>> {
    let Some(last) = source.last()? else { return Ok(None) };
    let segment = geometry.segment_of(at);
    let mut proof = None;
    let mut behind = Behind::default();
    for n in segment..=last {
        let Some((bytes, header)) = source.open(n)? else {
            if source.has_bytes(n)? {
                proof.get_or_insert(Proof::Headless { segment: n });
            }
            continue;
        };
        if header.segment_bytes != geometry.segment_bytes {
            continue;
        }
        if header.incarnation != incarnation {
            // A later life. Where it begins somewhere else than here, or its beginning is lost, so is log of this one.
            proof = Some(match header.begins_life() && header.prev_incarnation == incarnation {
                true => Proof::Successor { segment: n, end: header.prev_end },
                false => Proof::LaterLife { segment: n },
            });
            break;
        }
        let stream = stream_of(&bytes, &header)?;
        let from = at.0.saturating_sub(geometry.start_of(n).0) as usize;
        for (place, flushed) in told(&header, &stream, from) {
            if behind.from.is_none() {
                behind = walk(source, geometry, place)?;
            }
            if flushed > at {
                proof = Some(Proof::Record { at: place, flushed });
            }
        }
    }
    let offset = geometry.offset_of(at);
    Ok(proof.map(|proof| Damage { at, segment, offset, incarnation, proof, behind }))
}

/// The records in a segment, from an offset in its stream on, that say how far the log was durable: where they stand, and what they say.
pub fn told<'s>(header: &'s Header, stream: &'s [u8], from: usize) -> impl Iterator<Item = (Lsn, Lsn)> + 's {
    let start = Geometry { segment_bytes: header.segment_bytes }.start_of(header.segment);
    let block = LOG_BLOCK as usize;
    // Most of what lies ahead of the log's end is zeros.
    let is_zero = move |at: usize| stream[at..stream.len().min(at + block)].iter().all(|b| *b == 0);
    let blocks = (from / block * block..stream.len()).step_by(block).filter(move |b| !is_zero(*b));
    let places = blocks.flat_map(move |b| b.max(from)..stream.len().min(b + block));
    places.filter_map(move |i| {
        let lsn = Lsn(start.0 + i as u64);
        let window = &stream[i..stream.len().min(i + FLUSHED_FRAME_MAX)];
        record::flushed_frame(window, lsn, header.incarnation).map(|(flushed, _)| (lsn, flushed))
    })
}

/// A segment's stream bytes.
pub fn stream_of(bytes: &SegmentBytes, header: &Header) -> Result<AlignedBuf> {
    let mut stream = AlignedBuf::new((header.segment_bytes - LOG_BLOCK) as usize);
    bytes
        .read_exact_at(&mut stream, LOG_BLOCK)
        .map_err(|e| Error::io(format!("reading log segment {}", segment::path(header.segment)), e))?;
    Ok(stream)
}

/// Counts the intact records from a place on.
fn walk(source: &dyn LogSource, geometry: Geometry, from: Lsn) -> Result<Behind> {
    let mut reader = LogReader::open_sequential(source, geometry, from)?;
    let mut behind = Behind { from: Some(from), to: from, ..Behind::default() };
    loop {
        match reader.next() {
            Ok(Some(record)) => {
                behind.records += 1;
                behind.commits += u64::from(record.kind == record::Kind::Commit);
                behind.to = record.end;
            }
            Ok(None) | Err(Error::Corrupt(_)) => return Ok(behind),
            Err(e) => return Err(e),
        }
    }
}
