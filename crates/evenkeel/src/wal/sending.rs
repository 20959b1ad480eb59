//! The log as it is sent to who follows it: whole records in pieces, without page images if wanted (S25), and at the start of each life its header.
//!
//! Invariants
//! 1. A piece is whole records of one life, one behind the other; the next one goes on where it ended, or a life's header comes between.
//! 2. Nothing is given that is not durable here.
//! 3. A record that begins in one segment and ends in another keeps its images, as in the archive (`archive/strip.rs`): who takes over archives segments behind those that were archived, and of
//!    such a record one half comes from either.
//!
//! Must not know: who follows, how it is sent.

use super::reader::LogReader;
use super::record::{Record, frame_checksum, image_places, parse_frame, strip_images};
use super::segment::{self, Geometry, Header};
use super::source::LogSource;
use crate::base::{Error, Lsn, Result};
use std::collections::VecDeque;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'p> {
    /// What follows is of this life, and stands in this segment, from its first byte on if the header says that the life begins there.
    Life(Header),
    /// Records, from this position on.
    Log(Lsn, &'p [u8]),
}

/// Reads the log for one follower.
pub struct Sender<'d> {
    source: &'d dyn LogSource,
    geometry: Geometry,
    reader: LogReader<'d>,
    strip: bool,
    /// Where it began.
    from: Lsn,
    /// The life that the follower was told.
    life: u64,
    /// Lives that it is to be told next.
    lives: VecDeque<Header>,
    /// Records of a piece.
    bytes: Vec<u8>,
    held: Option<Held>,
}

/// A record that was read and belongs to no piece yet: another life begins with it.
struct Held {
    lsn: Lsn,
    life: u64,
    bytes: Vec<u8>,
}

impl<'d> Sender<'d> {
    /// From a record's position on, or the end of the log. `strip`: page images become zeros. `Corrupt`: the log there is not to be had (any more).
    pub fn new(source: &'d dyn LogSource, geometry: Geometry, from: Lsn, strip: bool) -> Result<Sender<'d>> {
        let reader = LogReader::open(source, geometry, from)?;
        Ok(Sender {
            source,
            geometry,
            reader,
            strip,
            from,
            life: 0,
            lives: VecDeque::new(),
            bytes: Vec::new(),
            held: None,
        })
    }

    /// Where the next record is looked for.
    pub fn position(&self) -> Lsn {
        self.held.as_ref().map_or_else(|| self.reader.position(), |held| held.lsn)
    }

    /// The next piece of what is durable, `bytes` long or a record more. `None`: there is nothing for now.
    pub fn next(&mut self, durable: Lsn, bytes: usize) -> Result<Option<Piece<'_>>> {
        if self.lives.is_empty()
            && let Some(held) = &self.held
            && held.life != self.life
        {
            self.lives = self.lives_up_to(self.header(held.lsn)?)?;
        }
        if let Some(header) = self.lives.pop_front() {
            self.life = header.incarnation;
            return Ok(Some(Piece::Life(header)));
        }
        let mut from = self.position();
        match self.held.take() {
            Some(held) => self.bytes = held.bytes,
            None => self.bytes.clear(),
        }
        self.reader.follow(durable);
        while self.bytes.len() < bytes {
            let Some(frame) = self.reader.next_frame()? else { break };
            let (lsn, at) = (frame.lsn, self.bytes.len());
            self.bytes.extend_from_slice(frame.bytes);
            let life = self.reader.incarnation();
            let last = Lsn(lsn.0 + (self.bytes.len() - at) as u64 - 1);
            // Invariant 3.
            if self.strip && self.geometry.segment_of(lsn) == self.geometry.segment_of(last) {
                strip(&mut self.bytes[at..], lsn, life)?;
            }
            if life != self.life {
                self.held = Some(Held { lsn, life, bytes: self.bytes.split_off(at) }); // invariant 1
                break;
            }
            if at == 0 {
                from = lsn;
            }
        }
        match (self.bytes.is_empty(), &self.held) {
            (false, _) => Ok(Some(Piece::Log(from, &self.bytes))),
            (true, Some(_)) => self.next(durable, bytes),
            (true, None) => match self.life_without_records()? {
                Some(header) => {
                    self.lives = self.lives_up_to(header)?;
                    self.next(durable, bytes)
                }
                None => Ok(None),
            },
        }
    }

    /// A life, and those before it that the follower was not told, as no record is theirs.
    fn lives_up_to(&self, last: Header) -> Result<VecDeque<Header>> {
        let mut lives = VecDeque::from([last]);
        while let Some(first) = lives.front().filter(|h| h.begins_life()) {
            let is_known = match self.life {
                0 => self.geometry.start_of(first.segment) <= self.from,
                life => first.prev_incarnation == life,
            };
            if is_known {
                break;
            }
            let before = self.source.open(self.geometry.segment_of(first.prev_end))?;
            match before.filter(|(_, h)| h.incarnation == first.prev_incarnation) {
                Some((_, header)) => lives.push_front(header),
                None => break,
            }
        }
        Ok(lives)
    }

    /// A life that has begun and has no record yet, which the follower was not told: so that who has everything knows it.
    fn life_without_records(&mut self) -> Result<Option<Header>> {
        let (at, life) = (self.reader.position(), self.reader.incarnation());
        if life == self.life || at != self.geometry.start_of(self.geometry.segment_of(at)) {
            return Ok(None);
        }
        let begins = self.source.peek(self.geometry.segment_of(at))?;
        Ok(begins.filter(|h| h.begins_life() && h.incarnation == life))
    }

    fn header(&self, at: Lsn) -> Result<Header> {
        let segment = self.geometry.segment_of(at);
        let header = self.source.open(segment)?.map(|(_, header)| header);
        header.ok_or_else(|| Error::corrupt(format!("log segment {} went", segment::path(segment))))
    }
}

/// Strips a frame's images, and makes its checksum anew.
fn strip(frame: &mut [u8], lsn: Lsn, incarnation: u64) -> Result<()> {
    let (head, len) = parse_frame(frame).expect("the reader has checked it");
    let end = Lsn(lsn.0 + (head + len) as u64);
    let places = image_places(&Record::decode(&frame[head..], lsn, end)?);
    if !places.is_empty() {
        strip_images(&mut frame[head..], &places);
        let checksum = frame_checksum(frame, lsn, incarnation);
        frame[..4].copy_from_slice(&checksum.to_le_bytes());
    }
    Ok(())
}
