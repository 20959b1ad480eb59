//! What travels inside CopyData while a log is followed: PostgreSQL's messages, with a payload of our own. Both ends use it.
//!
//! | message | fields, big-endian |
//! | --- | --- |
//! | `w` data | start, end of what may be told, clock: 8 each; payload |
//! | `z` packed | end of what may be told, less the end of these records: varint, zigzag; sum over the records' checksums: 4; a piece of one zstd stream that goes on from message to message: the records without their checksums (`evenkeel::wal::bare`), which go on where those before ended |
//! | `k` keepalive | end of what may be told, clock: 8 each; bits: 1 an answer is wanted, 2 standbys are asked before anything is told, 4 and 8 somebody waits for what is written, applied |
//! | `r` status | written, durable, applied, clock: 8 each; 1: an answer is wanted |
//! | `h` feedback | clock: 8; the place in the log that readers see all before of, 0: they want nothing: 8; nothing: 8. (PostgreSQL has transactions' numbers there) |
//!
//! A payload is a byte for its kind and what follows: `L` the header of a segment, whose life of the log goes on or begins; `R` whole records. `z` is ours: at a few records in a message
//! the head that PostgreSQL's data message has would be a third of it.
//!
//! Invariants
//! 1. What comes from the other end is checked before it is used; memory for it is bounded whatever it says.
//!
//! It must not know who sends.

use std::io;

use evenkeel::archive::ArchiveState;
use evenkeel::base::codec::{Reader, put_varint};
use evenkeel::wal::bare;
use evenkeel::{Lsn, News, Upstream};
use evenkeel_types::datetime::wall_clock_us;
use zstd::stream::raw::{CParameter, DParameter, Decoder, Encoder, InBuffer, Operation, OutBuffer};

/// Version of the payloads, and of the log in them: whoever follows wants this one.
pub(crate) const STREAM_VERSION: &str = "5";
/// zstd's level: more of it would keep up with the log no longer.
const LEVEL: i32 = 1;
/// History that is looked for repetitions, as a power of two: 2 MiB.
const WINDOW_LOG: u32 = 21;
/// Records of a message, unpacked, at most.
pub(crate) const RECORDS_BYTES_MAX: usize = 64 << 20;

/// Kinds of payload.
pub(crate) const LIFE: u8 = b'L';
pub(crate) const RECORDS: u8 = b'R';

/// Bytes of a data message before its payload.
pub(crate) const DATA_HEAD: usize = 25;

/// The head of a data message, without its payload.
pub(crate) fn put_data_head(out: &mut Vec<u8>, start: Lsn, end: Lsn) {
    out.push(b'w');
    out.extend_from_slice(&start.0.to_be_bytes());
    out.extend_from_slice(&end.0.to_be_bytes());
    out.extend_from_slice(&wall_clock_us().to_be_bytes());
}

/// Appends a message with packed records, which stand at `at`.
pub(crate) fn put_packed(
    out: &mut Vec<u8>,
    packer: &mut Packer,
    at: Lsn,
    records: &[u8],
    told: Lsn,
) -> io::Result<()> {
    out.push(b'z');
    let ahead = told.0.wrapping_sub(at.0 + records.len() as u64) as i64;
    put_varint(out, (ahead << 1 ^ ahead >> 63) as u64);
    let mut bare = std::mem::take(&mut packer.bare);
    bare.clear();
    let sum = bare::take_apart(records, &mut bare);
    out.extend_from_slice(&sum.to_be_bytes());
    let packed = packer.pack(&bare, out);
    packer.bare = bare;
    packed
}

/// What a server says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct About {
    pub news: News,
    /// Under which epoch it writes.
    pub epoch: u64,
    /// What of its log is archived, if any.
    pub archived: Option<ArchiveState>,
}

impl About {
    pub fn of(up: Upstream<'_>) -> About {
        About { news: up.news(), epoch: up.epoch(), archived: up.archive_progress() }
    }

    /// But for how far the log may be told.
    pub fn standing(self) -> About {
        About { news: News { told: Lsn::ZERO, ..self.news }, ..self }
    }
}

/// A keepalive.
pub(crate) fn put_keepalive(out: &mut Vec<u8>, about: &About, answer: bool) {
    let news = &about.news;
    out.push(b'k');
    out.extend_from_slice(&news.told.0.to_be_bytes());
    out.extend_from_slice(&wall_clock_us().to_be_bytes());
    let bits = [answer, news.is_asked, news.wants_written, news.wants_applied];
    out.push(bits.iter().rev().fold(0, |all, bit| all << 1 | u8::from(*bit)));
    out.extend_from_slice(&about.epoch.to_be_bytes());
    let archived = about.archived.unwrap_or(ArchiveState { timeline: 0, next: 0, of: 0 });
    out.extend_from_slice(&archived.timeline.to_be_bytes());
    out.extend_from_slice(&archived.next.to_be_bytes());
}

/// How far a follower is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    pub written: Lsn,
    pub durable: Lsn,
    pub applied: Lsn,
}

impl Status {
    pub fn put(&self, out: &mut Vec<u8>, answer: bool) {
        out.push(b'r');
        for lsn in [self.written, self.durable, self.applied] {
            out.extend_from_slice(&lsn.0.to_be_bytes());
        }
        out.extend_from_slice(&wall_clock_us().to_be_bytes());
        out.push(u8::from(answer));
    }
}

/// What the follower's readers want.
pub(crate) fn put_feedback(out: &mut Vec<u8>, wanted_from: Option<Lsn>) {
    out.push(b'h');
    out.extend_from_slice(&wall_clock_us().to_be_bytes());
    out.extend_from_slice(&wanted_from.unwrap_or(Lsn::ZERO).0.to_be_bytes());
    out.extend_from_slice(&[0; 8]);
}

/// What a server sends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FromServer<'a> {
    Data {
        start: Lsn,
        end: Lsn,
        payload: &'a [u8],
    },
    /// What may be told ends so far behind these records.
    Packed {
        ahead: i64,
        sum: u32,
        records: &'a [u8],
    },
    Keepalive {
        about: About,
        answer: bool,
    },
}

/// What a follower sends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FromFollower {
    Status { status: Status, answer: bool },
    Feedback(Option<Lsn>),
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..at + 8)?;
    Some(u64::from_be_bytes(word.try_into().ok()?))
}

impl FromServer<'_> {
    /// `None`: it is no such message.
    pub fn decode(body: &[u8]) -> Option<FromServer<'_>> {
        let lsn = |at| number(body, at).map(Lsn);
        match *body.first()? {
            b'w' => Some(FromServer::Data { start: lsn(1)?, end: lsn(9)?, payload: body.get(DATA_HEAD..)? }),
            b'z' => {
                let mut r = Reader::new(&body[1..], "packed log");
                let zigzag = r.varint().ok()?;
                let sum = u32::from_be_bytes(r.take(4).ok()?.try_into().ok()?);
                let ahead = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
                Some(FromServer::Packed { ahead, sum, records: r.rest() })
            }
            b'k' => {
                let (told, bits) = (lsn(1)?, *body.get(17)?);
                let bit = |n: u8| bits >> n & 1 == 1;
                let news = News { told, is_asked: bit(1), wants_written: bit(2), wants_applied: bit(3) };
                let timeline = u32::from_be_bytes(body.get(26..30)?.try_into().ok()?);
                let archived = ArchiveState { timeline, next: number(body, 30)?, of: 0 };
                let archived = Some(archived).filter(|a| a.timeline != 0);
                let about = About { news, epoch: number(body, 18)?, archived };
                Some(FromServer::Keepalive { about, answer: bit(0) })
            }
            _ => None,
        }
    }
}

impl FromFollower {
    /// `None`: it is no such message.
    pub fn decode(body: &[u8]) -> Option<FromFollower> {
        let lsn = |at| number(body, at).map(Lsn);
        match *body.first()? {
            b'r' => {
                let status = Status { written: lsn(1)?, durable: lsn(9)?, applied: lsn(17)? };
                Some(FromFollower::Status { status, answer: *body.get(33)? != 0 })
            }
            b'h' if body.len() == 25 => Some(FromFollower::Feedback(lsn(9).filter(|at| *at != Lsn::ZERO))),
            _ => None,
        }
    }
}

/// Packs one stream piece by piece.
pub(crate) struct Packer {
    encoder: Encoder<'static>,
    /// Used again and again.
    bare: Vec<u8>,
}

impl Packer {
    pub fn new() -> io::Result<Packer> {
        let mut encoder = Encoder::new(LEVEL)?;
        encoder.set_parameter(CParameter::WindowLog(WINDOW_LOG))?;
        Ok(Packer { encoder, bare: Vec::new() })
    }

    /// Appends the packed bytes, all that it takes to unpack them.
    fn pack(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let mut input = InBuffer::around(bytes);
        let mut room = 64 + bytes.len() / 2;
        while input.pos() < bytes.len() {
            self.step(out, room, |encoder, output| encoder.run(&mut input, output).map(|_| 0))?;
            room = room.max(4096);
        }
        while self.step(out, room, |encoder, output| encoder.flush(output))? > 0 {}
        Ok(())
    }

    fn step(
        &mut self,
        out: &mut Vec<u8>,
        room: usize,
        f: impl FnOnce(&mut Encoder<'static>, &mut OutBuffer<'_, [u8]>) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let from = out.len();
        out.resize(from + room, 0);
        let mut output = OutBuffer::around(&mut out[from..]);
        let left = f(&mut self.encoder, &mut output);
        let made = output.pos();
        out.truncate(from + made);
        left
    }
}

/// Unpacks it.
pub(crate) struct Unpacker(Decoder<'static>);

impl Unpacker {
    pub fn new() -> io::Result<Unpacker> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
        Ok(Unpacker(decoder))
    }

    /// What a piece holds, [`RECORDS_BYTES_MAX`] at most (invariant 1).
    pub fn unpack(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        let mut input = InBuffer::around(bytes);
        loop {
            let from = out.len();
            if from >= RECORDS_BYTES_MAX {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a message holds too much"));
            }
            out.resize(from + (4 * bytes.len()).clamp(4096, 1 << 20), 0);
            let room = out.len() - from;
            let mut output = OutBuffer::around(&mut out[from..]);
            self.0.run(&mut input, &mut output)?;
            let made = output.pos();
            out.truncate(from + made);
            // With room left over nothing more is to be had of it.
            if input.pos() == bytes.len() && made < room {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_as_they_went() {
        let mut out = Vec::new();
        put_data_head(&mut out, Lsn(5), Lsn(9));
        assert_eq!(out.len(), DATA_HEAD);
        out.extend_from_slice(b"Rx");
        let data = FromServer::Data { start: Lsn(5), end: Lsn(9), payload: b"Rx" };
        assert_eq!(FromServer::decode(&out), Some(data));
        assert!((0..DATA_HEAD).all(|n| FromServer::decode(&out[..n]).is_none()));
        let mut out = Vec::new();
        for bits in 0..8 {
            let news = News {
                told: Lsn(7),
                is_asked: bits & 1 > 0,
                wants_written: bits & 2 > 0,
                wants_applied: bits & 4 > 0,
            };
            out.clear();
            let archived = (bits > 3).then_some(ArchiveState { timeline: bits, next: 1 << 40, of: 0 });
            let about = About { news, epoch: 1 << 33, archived };
            put_keepalive(&mut out, &about, bits == 5);
            let expected = FromServer::Keepalive { about, answer: bits == 5 };
            assert_eq!(FromServer::decode(&out), Some(expected));
            assert!((0..out.len()).all(|n| FromServer::decode(&out[..n]).is_none()));
        }
        let status = Status { written: Lsn(3), durable: Lsn(2), applied: Lsn(1) };
        let mut out = Vec::new();
        status.put(&mut out, false);
        assert_eq!(FromFollower::decode(&out), Some(FromFollower::Status { status, answer: false }));
        assert!((0..out.len()).all(|n| FromFollower::decode(&out[..n]).is_none()));
        for wanted in [None, Some(Lsn(77))] {
            let mut out = Vec::new();
            put_feedback(&mut out, wanted);
            assert_eq!(FromFollower::decode(&out), Some(FromFollower::Feedback(wanted)));
            assert!((0..out.len()).all(|n| FromFollower::decode(&out[..n]).is_none()));
        }
        assert_eq!(FromServer::decode(b"x"), None);
        let mut packer = Packer::new().unwrap();
        for told in [0, 500, 501, 502, 1 << 62] {
            let mut out = Vec::new();
            put_packed(&mut out, &mut packer, Lsn(501), &[], Lsn(told)).unwrap();
            let Some(FromServer::Packed { ahead, sum: 0, .. }) = FromServer::decode(&out) else {
                panic!("{out:?}");
            };
            assert_eq!(501u64.wrapping_add_signed(ahead), told);
            assert!((0..6).all(|n| FromServer::decode(&out[..n]).is_none()));
        }
    }

    #[test]
    fn what_was_packed_is_unpacked_message_by_message() {
        let (mut packer, mut unpacker) = (Packer::new().unwrap(), Unpacker::new().unwrap());
        let mut rng = fastrand::Rng::with_seed(3);
        let words: Vec<u8> = (0..50_000).map(|_| rng.u8(..)).collect();
        let (mut packed_bytes, mut bytes) = (0, 0);
        for n in [1, 10, 0, 100, 5000, 40_000, 300_000, 2, 1_000_000] {
            let text: Vec<u8> = words.iter().cycle().skip(rng.usize(..1000)).take(n).copied().collect();
            let (mut packed, mut back) = (Vec::new(), Vec::new());
            packer.pack(&text, &mut packed).unwrap();
            unpacker.unpack(&packed, &mut back).unwrap();
            assert!(back == text, "{n}");
            (packed_bytes, bytes) = (packed_bytes + packed.len(), bytes + n);
        }
        assert!(packed_bytes < 70_000 && bytes > 1_300_000, "history counts: {packed_bytes}");
        assert!(unpacker.unpack(b"nonsense, and more of it", &mut Vec::new()).is_err());
    }

    #[test]
    fn a_message_that_swells_is_refused() {
        let mut packer = Packer::new().unwrap();
        let mut packed = Vec::new();
        packer.pack(&vec![0; RECORDS_BYTES_MAX + 5_000_000], &mut packed).unwrap();
        let mut out = Vec::new();
        let refused = Unpacker::new().unwrap().unpack(&packed, &mut out).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
    }
}
