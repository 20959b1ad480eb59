//! Where the log ends, and where it only breaks off.
//!
//! A frame that is not intact may be the end of the log, or damage in log that was durable. What tells them apart stands behind it: each gang says how far the
//! log was durable when it was taken (`Kind::Flushed`), and a life's first segment says where the life before ended.
//!
//! Invariants
//! 1. A place is called damaged only if something intact behind it proves that it was durable: a record of the same life that says so, a later life that
//!    does not begin there, a segment that was made after one that is missing, a note that it was archived, or a page that went home after its log. What a crash may leave (writes in flight that ended out of order, buffered
//!    blocks in any order) never does: nothing says that it is durable before it is.
//! 2. Nothing is changed here.
//!
//! Must not know: what is to be done about it.

use super::reader::{HEAD_BYTES, LogReader};
use super::record::{self, FLUSHED_FRAME_MAX, FLUSHED_HEAD, FLUSHED_KIND_AT};
use super::segment::{self, Geometry, Header, LOG_BLOCK};
use super::source::{LogSource, SegmentBytes};
use crate::base::{Error, Lsn, Result};
use crate::io::AlignedBuf;
use std::fmt;

/// Bytes read at a time behind the log's end.
const LOOK_BYTES: u64 = 2 << 20;

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
    /// The folder's note about its archive says that everything before this segment was archived; only what is durable is.
    Archived {
        /// The segment.
        before: u64,
    },
    /// The segment where the log goes on is not there, but one behind it, of the same life, is: segments are made in order.
    Missing {
        /// That segment.
        segment: u64,
        /// The one behind it.
        behind: u64,
    },
    /// A page at home has a change of which the log knows nothing: it went there after its log was durable.
    Page {
        /// Its file.
        file: u64,
        /// Its block.
        block: u32,
        /// Where the record of its last change ended.
        lsn: Lsn,
    },
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
            Proof::Missing { segment: s, behind } => {
                write!(
                    f,
                    "it goes on in segment {}, which is missing, although segment {} is there",
                    segment::path(s),
                    segment::path(behind)
                )?;
            }
            Proof::Archived { before } => {
                write!(
                    f,
                    "no intact record stands there, but all log before segment {} was durable, and archived",
                    segment::path(before)
                )?;
            }
            Proof::Page { file, block, lsn } => {
                write!(
                    f,
                    "no intact record stands there, but block {block} of data file {file} has a change that was logged up to {lsn}"
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

/// What stands behind the place where reading ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ahead {
    /// Why it cannot be the end; `None`: the log ends there as far as can be known.
    pub damage: Option<Damage>,
    /// Segments behind the one of the place that have no log of their life in them.
    pub bare: Vec<u64>,
}

/// Looks behind `at`, in the life `incarnation`, where no intact record stands. Reads all of it.
pub fn look_ahead(source: &dyn LogSource, geometry: Geometry, at: Lsn, incarnation: u64) -> Result<Ahead> {
    let Some(mut there) = source.there()? else { return Ok(Ahead::default()) };
    let segment = geometry.segment_of(at);
    there.retain(|n| *n >= segment);
    let mut proof = None;
    let mut behind = Behind::default();
    let mut bare = Vec::new();
    let straddles = straddles(source, geometry, at)?;
    // Where reading wanted to go on: there was log, or was to be at once, when the segment was made.
    let wanted = if at == geometry.start_of(segment) { segment } else { segment + u64::from(straddles) };
    let mut is_missing = !there.contains(&wanted);
    for n in there {
        let Some((bytes, header)) = source.open(n)? else {
            // One that was wanted has lost its header also if it is empty.
            if n == wanted || source.has_bytes(n)? {
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
        if n > wanted && std::mem::take(&mut is_missing) {
            proof.get_or_insert(Proof::Missing { segment: wanted, behind: n });
        }
        // Never used, unless it lost its first block: then that is what reading stopped at, if nothing else is damaged.
        if n > segment && !(n == segment + 1 && straddles) && !segment::is_used(&bytes, &header)? {
            bare.push(n);
            continue;
        }
        let from = at.max(geometry.start_of(n));
        let mut any = false;
        let mut piece_at = from.0 - geometry.start_of(n).0;
        let mut piece = AlignedBuf::new(LOOK_BYTES.min(header.segment_bytes - LOG_BLOCK) as usize);
        loop {
            let (start, stream) = read_piece(&bytes, &header, piece_at, &mut piece)?;
            for (place, flushed) in
                told(stream, start, header.incarnation).filter(|(place, _)| *place >= from)
            {
                any = true;
                if behind.from.is_none() {
                    behind = walk(source, geometry, place)?;
                }
                if flushed > at {
                    proof = Some(Proof::Record { at: place, flushed });
                }
            }
            let next = start.0 - geometry.start_of(n).0 + stream.len() as u64;
            if next >= geometry.usable() {
                break;
            }
            // A record that the piece cuts through stands in the next one.
            piece_at = next - LOG_BLOCK;
        }
        if n > segment && !any {
            bare.push(n);
        }
    }
    let offset = geometry.offset_of(at);
    let damage = proof.map(|proof| Damage { at, segment, offset, incarnation, proof, behind });
    Ok(Ahead { damage, bare })
}

/// Whether a record that begins at `at` may go on in the next segment.
fn straddles(source: &dyn LogSource, geometry: Geometry, at: Lsn) -> Result<bool> {
    let n = geometry.segment_of(at);
    let Some((bytes, header)) = source.open(n)? else { return Ok(true) };
    let left = geometry.start_of(n + 1).0 - at.0;
    if header.segment_bytes != geometry.segment_bytes || left < HEAD_BYTES as u64 {
        return Ok(true);
    }
    let mut blocks = AlignedBuf::new(2 * LOG_BLOCK as usize);
    let (start, stream) = read_piece(&bytes, &header, at.0 - geometry.start_of(n).0, &mut blocks)?;
    let head = &stream[(at.0 - start.0) as usize..][..HEAD_BYTES];
    Ok(record::parse_frame(head).is_some_and(|(head, body)| (head + body) as u64 > left))
}

/// The records in stream bytes, the first of which stands at `start`, that say how far the log was durable: where they stand, and what they say.
pub fn told(stream: &[u8], start: Lsn, incarnation: u64) -> impl Iterator<Item = (Lsn, Lsn)> + '_ {
    const ZEROS: [u8; LOG_BLOCK as usize] = [0; LOG_BLOCK as usize];
    let block = ZEROS.len();
    // Most of what lies ahead of the log's end is zeros.
    let blocks = (0..stream.len())
        .step_by(block)
        .filter(move |b| stream[*b..stream.len().min(b + block)] != ZEROS[..block.min(stream.len() - b)]);
    blocks
        .flat_map(move |b| {
            // The kind's byte may lie in the next block.
            let kinds =
                (b + FLUSHED_KIND_AT).min(stream.len())..stream.len().min(b + block + FLUSHED_KIND_AT);
            memchr::memchr_iter(FLUSHED_HEAD, &stream[kinds]).map(move |i| b + i)
        })
        .filter_map(move |i| {
            let window = &stream[i..stream.len().min(i + FLUSHED_FRAME_MAX)];
            let lsn = Lsn(start.0 + i as u64);
            record::flushed_frame(window, lsn, incarnation).map(|(flushed, _)| (lsn, flushed))
        })
}

/// Reads stream bytes of a segment into `piece`, from the block that `at`, counted from the segment's first stream byte, lies in: as many as there is room for, and
/// there are. Gives the position of the first.
pub fn read_piece<'p>(
    bytes: &SegmentBytes,
    header: &Header,
    at: u64,
    piece: &'p mut AlignedBuf,
) -> Result<(Lsn, &'p [u8])> {
    let geometry = Geometry { segment_bytes: header.segment_bytes };
    let at = at & !(LOG_BLOCK - 1);
    let n = (geometry.usable() - at).min(piece.len() as u64) as usize;
    bytes
        .read_exact_at(&mut piece[..n], LOG_BLOCK + at)
        .map_err(|e| Error::io(format!("reading log segment {}", segment::path(header.segment)), e))?;
    Ok((Lsn(geometry.start_of(header.segment).0 + at), &piece[..n]))
}

/// Whether a segment has log of its life in it. Reads all of it.
pub fn has_told(bytes: &SegmentBytes, header: &Header) -> Result<bool> {
    let stream = stream_of(bytes, header)?;
    let start = Geometry { segment_bytes: header.segment_bytes }.start_of(header.segment);
    Ok(told(&stream, start, header.incarnation).next().is_some())
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const LIFE: u64 = 77;
    const AT: Geometry = Geometry { segment_bytes: 8 << 20 };

    /// Segments 1 to 3 of one life, in memory.
    struct Segments(Vec<Vec<u8>>);

    impl Segments {
        fn new() -> Segments {
            let header = |segment| Header {
                segment_bytes: AT.segment_bytes,
                database_id: 1,
                segment,
                incarnation: LIFE,
                prev_end: Lsn::ZERO,
                prev_incarnation: 0,
                stripped: false,
                epoch: 0,
            };
            let file = |n| {
                let mut bytes = vec![0; AT.segment_bytes as usize];
                bytes[..LOG_BLOCK as usize].copy_from_slice(&header(n).encode());
                bytes
            };
            Segments((1..=3).map(file).collect())
        }

        fn tell(&mut self, at: Lsn, distance: u64) {
            let body = record::flushed_body(distance);
            let (head, n) = record::frame_head(&body, at, LIFE);
            let file = &mut self.0[AT.segment_of(at) as usize - 1];
            file[LOG_BLOCK as usize] = 1; // used from its beginning on
            let from = AT.offset_of(at) as usize;
            file[from..from + n].copy_from_slice(&head[..n]);
            file[from + n..from + n + body.len()].copy_from_slice(&body);
        }
    }

    impl LogSource for Segments {
        fn open(&self, segment: u64) -> Result<Option<(SegmentBytes, Header)>> {
            let Some(file) = segment.checked_sub(1).and_then(|n| self.0.get(n as usize)) else {
                return Ok(None);
            };
            let bytes: Arc<[u8]> = file.as_slice().into();
            Ok(Header::decode(file).map(|h| (SegmentBytes::Memory(bytes), h)))
        }

        fn there(&self) -> Result<Option<Vec<u64>>> {
            Ok(Some((1..=self.0.len() as u64).collect()))
        }
    }

    /// Wherever the record that proves damage stands, also where two of the pieces that are read meet, or two blocks.
    #[test]
    fn what_tells_is_found_at_every_place() {
        let at = Lsn(AT.start_of(1).0 + 5000);
        let none = look_ahead(&Segments::new(), AT, at, LIFE).unwrap();
        assert_eq!(none, Ahead { damage: None, bare: vec![2, 3] });
        // The first piece of the first segment begins at the block of `at`.
        let first_end = AT.start_of(1).0 + LOG_BLOCK + LOOK_BYTES;
        let later_end = AT.start_of(2).0 + LOOK_BYTES;
        let block = AT.start_of(3).0 + LOG_BLOCK;
        for edge in [first_end, later_end, later_end + LOOK_BYTES - LOG_BLOCK, block] {
            for place in (edge - 9..edge + 2).map(Lsn) {
                let mut log = Segments::new();
                log.tell(place, 3);
                let found = look_ahead(&log, AT, at, LIFE).unwrap();
                let proof = found.damage.as_ref().map(|d| d.proof.clone());
                assert_eq!(proof, Some(Proof::Record { at: place, flushed: Lsn(place.0 - 3) }), "at {place}");
                let used = AT.segment_of(place);
                let bare: Vec<u64> = (2..=3).filter(|n| *n != used).collect();
                assert_eq!(found.bare, bare, "at {place}");
            }
        }
    }

    /// A segment whose first block was never written is not read, except where the first block may be what is damaged.
    #[test]
    fn a_lost_first_block_does_not_hide_what_is_behind() {
        let next = AT.start_of(2);
        for (from_end, body, is_read) in
            [(40, 20, false), (40, 36, true), (14, 10, true), (14, 5, false), (13, 1, true)]
        {
            let at = Lsn(next.0 - from_end);
            let mut log = Segments::new();
            let (head, n) = record::frame_head(&vec![2; body], at, LIFE);
            let offset = AT.offset_of(at) as usize;
            let n = n.min(from_end as usize);
            log.0[0][offset..offset + n].copy_from_slice(&head[..n]);
            log.tell(Lsn(next.0 + 5 * LOG_BLOCK), 1);
            log.0[1][LOG_BLOCK as usize] = 0;
            let found = look_ahead(&log, AT, at, LIFE).unwrap();
            assert_eq!(found.damage.is_some(), is_read, "{body} bytes, {from_end} before the end");
        }
    }

    /// What was in flight behind the end proves nothing, but its segment is not bare.
    #[test]
    fn what_was_in_flight_is_kept() {
        let at = Lsn(AT.start_of(2).0 - 100);
        let mut log = Segments::new();
        let place = Lsn(AT.start_of(2).0 + 200);
        log.tell(place, place.0 - at.0);
        assert_eq!(look_ahead(&log, AT, at, LIFE).unwrap(), Ahead { damage: None, bare: vec![3] });
        log.tell(place, place.0 - at.0 - 1);
        assert!(look_ahead(&log, AT, at, LIFE).unwrap().damage.is_some());
    }
}
