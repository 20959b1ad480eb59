//! The one log reader (S23): recovery, `evenkeel wal dump` and everything later that looks at the log read through it.
//!
//! Invariants
//! 1. Reading stops at the first place where no intact record of the current incarnation stands. Only the header of a later segment that
//!    names exactly this place and incarnation as its past lets it go on, in that segment. What such a header says outranks bytes: intact records
//!    behind the end that it names do not count.
//! 2. A read error is an error, never an end of the log: a log is not cut because a disk hiccuped.
//! 3. Who follows a log that is being written (`follow`) gets no record that ends behind the limit, and nothing that was fetched before a limit counts behind it.

use super::ahead::{Piece, ReadAhead};
use super::end::{self, Ahead, Damage};
use super::record::{self, Record};
use super::segment::{self, Geometry, Header, LOG_BLOCK};
use super::source::{LogSource, SegmentBytes};
use crate::base::{Error, Lsn, Result};
use crate::io::AlignedBuf;

/// Bytes fetched at a time.
const READ_AHEAD: u64 = 256 * 1024;
/// The same for who reads much of the log from beginning to end.
const SEQUENTIAL_READ_AHEAD: u64 = 2 << 20;
/// Longest frame head.
pub(crate) const HEAD_BYTES: usize = 14;

/// A frame that was found and checked.
struct Found {
    /// Where it begins in the window; `None`: it was copied to `frame`, as it lies in two windows.
    at: Option<usize>,
    head: usize,
    body: usize,
}

struct Open {
    bytes: SegmentBytes,
    header: Header,
}

/// A record's bytes, checked and not decoded.
pub struct Frame<'r> {
    /// Its position.
    pub lsn: Lsn,
    /// Head and body.
    pub bytes: &'r [u8],
    /// Bytes of the head.
    pub head: usize,
}

/// Reads records one after another.
pub struct LogReader<'d> {
    source: &'d dyn LogSource,
    geometry: Geometry,
    segment: Option<Open>,
    incarnation: u64,
    /// Where the present life ended, by the header of the one behind it (invariant 1).
    life_end: Option<Lsn>,
    /// Nothing behind this is read (invariant 3).
    limit: Lsn,
    /// The window ends where it does because of the limit.
    is_limited: bool,
    /// Where the next record is looked for.
    at: Lsn,
    /// Fetched file bytes of `segment`: file offset of the first, and the bytes.
    window_at: u64,
    /// The position of the first of them.
    window_from: Lsn,
    window: AlignedBuf,
    window_len: usize,
    frame: Vec<u8>,
    /// What follows on the window is being read meanwhile.
    ahead: Option<ReadAhead>,
}

impl<'d> LogReader<'d> {
    /// A reader that starts at `at`, which must be the position of a record, or the end of the log. Fails if the segment there is missing.
    pub fn open(source: &'d dyn LogSource, geometry: Geometry, at: Lsn) -> Result<LogReader<'d>> {
        LogReader::open_with(source, geometry, at, READ_AHEAD)
    }

    /// As `open`, for reading on and on: fetches more at a time.
    pub fn open_sequential(source: &'d dyn LogSource, geometry: Geometry, at: Lsn) -> Result<LogReader<'d>> {
        LogReader::open_with(source, geometry, at, SEQUENTIAL_READ_AHEAD)
    }

    fn open_with(
        source: &'d dyn LogSource,
        geometry: Geometry,
        at: Lsn,
        read_ahead: u64,
    ) -> Result<LogReader<'d>> {
        let segment = geometry.segment_of(at);
        let mut r = LogReader {
            source,
            geometry,
            segment: None,
            incarnation: 0,
            life_end: None,
            limit: Lsn::MAX,
            is_limited: false,
            at,
            window_at: 0,
            window_from: Lsn::ZERO,
            window: AlignedBuf::new(read_ahead.min(geometry.segment_bytes) as usize),
            window_len: 0,
            frame: Vec::new(),
            ahead: None,
        };
        match source.open(segment)? {
            Some((bytes, header)) => {
                r.check_geometry(&header)?;
                r.incarnation = header.incarnation;
                r.enter(bytes, header)?;
                Ok(r)
            }
            None => {
                Err(Error::corrupt(format!("log segment {} is missing or damaged", segment::path(segment))))
            }
        }
    }

    /// Has what comes next read by a thread while the records before are looked at: the device and the caller need not wait for each other.
    pub fn read_ahead(&mut self) {
        // Without a thread it is read when it is needed.
        self.ahead = ReadAhead::start(AlignedBuf::new(self.window.len())).ok();
    }

    /// Goes to the record at `at`, which is known to exist at or before the present position (undo follows a transaction backwards).
    pub fn seek_back(&mut self, at: Lsn) -> Result<()> {
        let segment = self.geometry.segment_of(at);
        if self.segment.as_ref().is_none_or(|s| s.header.segment != segment) {
            let Some((bytes, header)) = self.source.open(segment)? else {
                return Err(Error::corrupt(format!(
                    "log segment {} is missing or damaged",
                    segment::path(segment)
                )));
            };
            self.check_geometry(&header)?;
            self.incarnation = header.incarnation;
            self.enter(bytes, header)?;
        }
        self.at = at;
        let offset = self.geometry.offset_of(at);
        if self.window_len == 0 || offset < self.window_at {
            // The records to come lie before this one: fetch so that it is near the window's end.
            let back = (self.window.len() as u64).saturating_sub(32 * 1024);
            self.fetch(offset.saturating_sub(back).max(LOG_BLOCK))?;
        }
        Ok(())
    }

    /// Where the log ended for this reader, once `next` has returned `None`; else the position of the next record.
    pub fn position(&self) -> Lsn {
        self.at
    }

    /// The incarnation that `position` belongs to.
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    fn check_geometry(&self, h: &Header) -> Result<()> {
        if h.segment_bytes != self.geometry.segment_bytes {
            return Err(Error::corrupt(format!(
                "log segment {:016x} has {} bytes, the control file says {}",
                h.segment, h.segment_bytes, self.geometry.segment_bytes
            )));
        }
        Ok(())
    }

    /// The log is durable up to here, and may be read; for who reads a log that others write on. `next` gives `None` where nothing more is to be had for now.
    pub fn follow(&mut self, durable: Lsn) {
        debug_assert!(self.ahead.is_none());
        if durable != self.limit && std::mem::take(&mut self.is_limited) {
            self.window_len = 0;
        }
        self.limit = durable;
    }

    /// The next record, or `None` at the end of the log.
    #[allow(clippy::should_implement_trait)] // lends from its own buffer
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        let Some(frame) = self.next_frame()? else { return Ok(None) };
        let end = Lsn(frame.lsn.0 + frame.bytes.len() as u64);
        Record::decode(&frame.bytes[frame.head..], frame.lsn, end).map(Some)
    }

    /// As `next`, the bytes alone.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>> {
        let found = loop {
            if self.at >= self.limit {
                return Ok(None);
            }
            let found =
                if self.life_end.is_some_and(|end| self.at >= end) { None } else { self.find_frame()? };
            let end = found.as_ref().map_or(self.at.0, |f| self.at.0 + (f.head + f.body) as u64);
            match found {
                Some(_) if end > self.limit.0 => return Ok(None), // invariant 3
                Some(found) if self.life_end.is_none_or(|life_end| end <= life_end.0) => break found,
                _ if self.jump()? => {}
                _ => return Ok(None),
            }
        };
        let lsn = self.at;
        self.at = Lsn(lsn.0 + (found.head + found.body) as u64);
        let bytes = match found.at {
            Some(at) => &self.window[at..at + found.head + found.body],
            None => &self.frame[..],
        };
        Ok(Some(Frame { lsn, bytes, head: found.head }))
    }

    /// Finds the frame at `at` and checks it.
    fn find_frame(&mut self) -> Result<Option<Found>> {
        if let Some(at) = self.in_window()
            && let Some((head, body)) = record::parse_frame(&self.window[at..at + HEAD_BYTES])
            && at + head + body <= self.window_len
        {
            let intact =
                record::frame_is_intact(&self.window[at..at + head + body], self.at, self.incarnation);
            return Ok(intact.then_some(Found { at: Some(at), head, body }));
        }
        self.copy_frame()
    }

    /// Where the window has the bytes at `at`, if it has enough of them for a frame's head. The window lies in one segment: no division for each record.
    fn in_window(&self) -> Option<usize> {
        let at = self.at.0.checked_sub(self.window_from.0)?;
        (at <= self.window_len.checked_sub(HEAD_BYTES)? as u64).then_some(at as usize)
    }

    /// As `find_frame`, for a frame of which the window has less than all.
    fn copy_frame(&mut self) -> Result<Option<Found>> {
        let mut peek = [0u8; HEAD_BYTES];
        let got = self.read(self.at, &mut peek)?;
        let Some((head, body)) = record::parse_frame(&peek[..got]) else { return Ok(None) };
        self.frame.resize(head + body, 0);
        let mut frame = std::mem::take(&mut self.frame);
        let got = self.read(self.at, &mut frame);
        self.frame = frame;
        if got? < head + body || !record::frame_is_intact(&self.frame, self.at, self.incarnation) {
            return Ok(None);
        }
        Ok(Some(Found { at: None, head, body }))
    }

    /// Goes to the next life of the log, if a segment says that it began exactly here (invariant 1).
    fn jump(&mut self) -> Result<bool> {
        let segment = self.geometry.segment_of(self.at) + 1;
        let Some((bytes, header)) = self.source.open(segment)? else { return Ok(false) };
        self.check_geometry(&header)?;
        if header.prev_end != self.at || header.prev_incarnation != self.incarnation {
            return Ok(false);
        }
        self.incarnation = header.incarnation;
        self.at = self.geometry.start_of(segment);
        self.enter(bytes, header)?;
        Ok(true)
    }

    /// Copies stream bytes from `from` on; fewer than asked where the incarnation's segments end.
    fn read(&mut self, from: Lsn, out: &mut [u8]) -> Result<usize> {
        let mut done = 0;
        while done < out.len() {
            let at = Lsn(from.0 + done as u64);
            if at >= self.limit || !self.go_to_segment(self.geometry.segment_of(at))? {
                break;
            }
            let offset = self.geometry.offset_of(at);
            if offset < self.window_at
                || offset >= self.window_at + self.window_len as u64
                || self.window_len == 0
            {
                self.fetch(offset)?;
            }
            let skip = (offset - self.window_at) as usize;
            let n = (self.window_len - skip).min(out.len() - done);
            out[done..done + n].copy_from_slice(&self.window[skip..skip + n]);
            done += n;
        }
        Ok(done)
    }

    fn go_to_segment(&mut self, segment: u64) -> Result<bool> {
        if self.segment.as_ref().is_some_and(|s| s.header.segment == segment) {
            return Ok(true);
        }
        let Some((bytes, header)) = self.source.open(segment)? else { return Ok(false) };
        self.check_geometry(&header)?;
        if header.incarnation != self.incarnation {
            return Ok(false);
        }
        self.enter(bytes, header)?;
        Ok(true)
    }

    /// Goes to a segment, and looks whether the next one says where the life of this one ended.
    fn enter(&mut self, bytes: SegmentBytes, header: Header) -> Result<()> {
        let next = self.source.peek(header.segment + 1)?;
        let successor = next.filter(|h| h.begins_life() && h.prev_incarnation == header.incarnation);
        self.life_end = successor.map(|h| h.prev_end);
        self.segment = Some(Open { bytes, header });
        self.window_len = 0;
        Ok(())
    }

    /// What is wrong where reading ended, once `next` has returned `None`; `None`: the log ends there as far as can be known. Reads all that lies behind.
    pub fn damage(&self) -> Result<Option<Damage>> {
        Ok(self.look_ahead()?.damage)
    }

    /// What stands behind the place where reading ended, once `next` has returned `None`. Reads all of it.
    pub fn look_ahead(&self) -> Result<Ahead> {
        end::look_ahead(self.source, self.geometry, self.at, self.incarnation)
    }

    fn fetch(&mut self, offset: u64) -> Result<()> {
        let open = self.segment.as_ref().expect("a segment is open");
        let (at, segment) = (offset & !(LOG_BLOCK - 1), open.header.segment);
        let mut end = open.header.segment_bytes;
        self.is_limited = self.geometry.segment_of(self.limit) == segment;
        if self.is_limited {
            end = self.geometry.offset_of(self.limit).next_multiple_of(LOG_BLOCK);
        }
        self.window_len = 0;
        let read = self.ahead.as_mut().and_then(|ahead| ahead.take(segment, at, &mut self.window));
        let len = match read {
            Some(len) => len,
            None => {
                let len = (end - at).min(self.window.len() as u64) as usize;
                open.bytes
                    .read_exact_at(&mut self.window[..len], at)
                    .map_err(|e| Error::io(format!("reading log segment {}", segment::path(segment)), e))?;
                len
            }
        };
        self.window_at = at;
        self.window_from = Lsn(self.geometry.start_of(segment).0 + at - LOG_BLOCK);
        self.window_len = len;
        self.ask_ahead(at + len as u64);
        Ok(())
    }

    /// Has the piece read that follows on the window, which ends at `end` of the segment's file.
    fn ask_ahead(&mut self, end: u64) {
        let (Some(ahead), Some(open)) = (&mut self.ahead, &self.segment) else { return };
        debug_assert!(self.limit == Lsn::MAX); // invariant 3
        let most = self.window.len() as u64;
        let (bytes, segment, at) = if end < open.header.segment_bytes {
            (open.bytes.clone(), open.header.segment, end)
        } else {
            // What is wrong with it matters only to who gets there.
            match self.source.open(open.header.segment + 1) {
                Ok(Some((bytes, header))) => (bytes, header.segment, LOG_BLOCK),
                Ok(None) | Err(_) => return,
            }
        };
        let len = (open.header.segment_bytes - at).min(most) as usize;
        ahead.ask(bytes, Piece { segment, at, len });
    }
}
