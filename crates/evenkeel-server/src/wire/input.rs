//! The bytes that a client sent, cut into messages.
//!
//! Duty: one read(2) for each [`InputBuffer::fill`], messages handed out as ranges of one reused buffer.
//!
//! Invariants:
//! * I1: the buffer's size is at most twice the bytes of the unfinished message that have arrived, or [`IDLE_BYTES_MAX`] (W2).
//! * I2: a message's length is checked against its type's bound as soon as its header is there.
//! * I3: a message for which the process has no memory is read to its end and dropped: the connection stays in step, and the session says so.
//!
//! It must not know what messages mean.

use std::io;
use std::ops::Range;

use evenkeel_sql::{SqlError, SqlState};
use evenkeel_types::guard::memory;

use super::frontend::{body_limit, is_known_type};
use crate::errors::fatal;
use crate::stream::Stream;

/// Size of a new buffer, bytes.
const INITIAL_BYTES: usize = 8 << 10;
/// A buffer larger than this shrinks when it is empty, bytes.
const IDLE_BYTES_MAX: usize = 64 << 10;
/// Largest packet before the session starts, as PostgreSQL's, bytes.
pub(crate) const STARTUP_BYTES_MAX: usize = 10_000;
/// Smallest: a length and a code, bytes.
const STARTUP_BYTES_MIN: usize = 8;

/// A complete message: its type and where its body is, if there was memory for it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub kind: u8,
    body: Option<Range<usize>>,
}

/// A message that is dropped (I3).
#[derive(Debug)]
struct Dropped {
    kind: u8,
    /// Bytes of it that have not arrived.
    left: usize,
}

/// Input of one connection.
#[derive(Debug)]
pub(crate) struct InputBuffer {
    buf: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes of the message at `start` that must be there before it is complete, as far as known.
    needed: usize,
    dropped: Option<Dropped>,
    /// The last read took less than there was room for.
    spacious: bool,
}

impl InputBuffer {
    pub fn new() -> InputBuffer {
        InputBuffer {
            buf: vec![0; INITIAL_BYTES],
            start: 0,
            end: 0,
            needed: 0,
            dropped: None,
            spacious: false,
        }
    }

    /// The next complete message, or None when more must be read first. `max_bytes` bounds a message's length.
    pub fn next_frame(&mut self, max_bytes: usize) -> Result<Option<Frame>, SqlError> {
        if let Some(dropped) = &self.dropped {
            if dropped.left > 0 {
                return Ok(None);
            }
            let kind = dropped.kind;
            self.dropped = None;
            return Ok(Some(Frame { kind, body: None }));
        }
        let pending = &self.buf[self.start..self.end];
        let Some(&kind) = pending.first() else { return Ok(None) };
        if !is_known_type(kind) {
            return Err(fatal(SqlState::PROTOCOL_VIOLATION, format!("invalid frontend message type {kind}")));
        }
        let Some(length) = pending.get(1..5) else {
            self.needed = 5;
            return Ok(None);
        };
        let length = i32::from_be_bytes([length[0], length[1], length[2], length[3]]);
        let limit = body_limit(kind, max_bytes);
        if length < 4 || (length as usize) > limit {
            let mut e = fatal(SqlState::PROTOCOL_VIOLATION, "invalid message length");
            if length as usize > limit && length >= 4 {
                e.detail = Some(format!(
                    "A message of type \"{}\" may have {limit} bytes at most, and this one says {length}.",
                    kind as char
                ));
            }
            return Err(e);
        }
        let total = 1 + length as usize;
        if pending.len() < total {
            self.needed = total;
            return Ok(None);
        }
        let body = self.start + 5..self.start + total;
        self.start += total;
        self.needed = 0;
        Ok(Some(Frame { kind, body: Some(body) }))
    }

    /// Makes a message that was just given the next one again.
    pub fn put_back(&mut self, frame: &Frame) {
        match &frame.body {
            Some(body) => {
                debug_assert_eq!(self.start, body.end);
                self.start = body.start - 5;
            }
            None => self.dropped = Some(Dropped { kind: frame.kind, left: 0 }),
        }
    }

    /// The next complete packet of the start-up phase, which has no type byte: its body after the length.
    pub fn next_startup_packet(&mut self) -> Result<Option<Range<usize>>, SqlError> {
        let pending = &self.buf[self.start..self.end];
        let Some(length) = pending.get(..4) else {
            self.needed = 4;
            return Ok(None);
        };
        let length = i32::from_be_bytes([length[0], length[1], length[2], length[3]]);
        if length < STARTUP_BYTES_MIN as i32 || length > STARTUP_BYTES_MAX as i32 {
            return Err(fatal(SqlState::PROTOCOL_VIOLATION, "invalid length of startup packet"));
        }
        if pending.len() < length as usize {
            self.needed = length as usize;
            return Ok(None);
        }
        let body = self.start + 4..self.start + length as usize;
        self.start += length as usize;
        self.needed = 0;
        Ok(Some(body))
    }

    /// The body of a message that `next_frame` gave, valid until the next `fill`; None if there was no memory for it.
    pub fn body(&self, frame: &Frame) -> Option<&[u8]> {
        frame.body.clone().map(|range| &self.buf[range])
    }

    /// The bytes of a range that `next_startup_packet` gave.
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.buf[range]
    }

    /// Reads once, blocking; 0 when the client closed its side.
    pub fn fill(&mut self, stream: &Stream) -> io::Result<usize> {
        self.make_room()?;
        let n = stream.read(&mut self.buf[self.end..])?;
        self.took(n);
        Ok(n)
    }

    /// Reads once what is there already; None when that is nothing.
    pub fn fill_now(&mut self, stream: &Stream) -> Option<io::Result<usize>> {
        if let Err(e) = self.make_room() {
            return Some(Err(e));
        }
        match stream.read_now(&mut self.buf[self.end..]) {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                self.spacious = true;
                None
            }
            Err(e) => Some(Err(e)),
            Ok(n) => {
                self.took(n);
                Some(Ok(n))
            }
        }
    }

    fn took(&mut self, n: usize) {
        let room = self.buf.len() - self.end;
        self.end += n;
        self.spacious = n < room;
        if let Some(dropped) = &mut self.dropped {
            let part = dropped.left.min(self.end - self.start);
            dropped.left -= part;
            self.start += part;
        }
        if n == room && self.buf.len() < IDLE_BYTES_MAX {
            // The client sends in bulk: fewer, larger reads from now on.
            let len = self.buf.len() * 2;
            self.buf.resize(len, 0);
        }
    }

    /// Whether the last read was given more room than it needed.
    pub fn is_spacious(&self) -> bool {
        self.spacious
    }

    /// Whether bytes of an unfinished message wait here.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The first byte that was not taken yet.
    pub fn first_byte(&self) -> Option<u8> {
        self.buf[self.start..self.end].first().copied()
    }

    /// Takes all bytes, whatever they are.
    pub fn take_all(&mut self) -> Vec<u8> {
        let bytes = self.buf[self.start..self.end].to_vec();
        (self.start, self.end, self.needed) = (0, 0, 0);
        bytes
    }

    /// Begins to drop a large message that would pass the process's memory limit; fails where even a small one would.
    fn make_room(&mut self) -> io::Result<()> {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if self.buf.len() > IDLE_BYTES_MAX && self.needed <= IDLE_BYTES_MAX {
                self.buf.truncate(IDLE_BYTES_MAX);
                self.buf.shrink_to_fit();
            }
        }
        if self.start > 0 && (self.end == self.buf.len() || self.start + self.needed > self.buf.len()) {
            self.buf.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buf.len() {
            // Doubling keeps the copying linear; never beyond what the message needs (I1).
            let len = (self.buf.len() * 2).min(self.needed.max(IDLE_BYTES_MAX));
            debug_assert!(len > self.buf.len());
            if memory::admit(len, len).is_err() {
                if len <= IDLE_BYTES_MAX {
                    return Err(io::ErrorKind::OutOfMemory.into());
                }
                self.dropped = Some(Dropped { kind: self.buf[0], left: self.needed - self.end });
                (self.start, self.end, self.needed) = (0, 0, 0);
                self.buf.truncate(IDLE_BYTES_MAX);
                self.buf.shrink_to_fit();
                memory::settle();
                return Ok(());
            }
            self.buf.resize(len, 0);
            memory::settle();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    fn fed(bytes: &[u8]) -> InputBuffer {
        let (mut tx, rx) = UnixStream::pair().unwrap();
        let rx = Stream::unix(rx, false);
        let mut input = InputBuffer::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let n = rest.len().min(4096);
            tx.write_all(&rest[..n]).unwrap();
            rest = &rest[n..];
            let mut got = 0;
            while got < n {
                got += input.fill(&rx).unwrap();
            }
        }
        input
    }

    #[test]
    fn messages_come_out_in_order() {
        let mut input = fed(b"S\0\0\0\x04Q\0\0\0\x06x\0H\0\0");
        let f = input.next_frame(100).unwrap().unwrap();
        assert_eq!((f.kind, input.body(&f)), (b'S', Some(&b""[..])));
        let f = input.next_frame(100).unwrap().unwrap();
        assert_eq!((f.kind, input.body(&f)), (b'Q', Some(&b"x\0"[..])));
        assert_eq!(input.next_frame(100).unwrap(), None);
        assert!(!input.is_empty());
    }

    #[test]
    fn a_claimed_length_allocates_nothing() {
        let mut input = fed(b"Q\x0f\0\0\0");
        assert_eq!(input.next_frame(1 << 30).unwrap(), None);
        assert_eq!(input.buf.len(), INITIAL_BYTES);
    }

    #[test]
    fn the_buffer_grows_with_what_arrived_and_shrinks_after() {
        let mut bytes = b"Q".to_vec();
        bytes.extend_from_slice(&(4 + 300_000i32).to_be_bytes());
        bytes.resize(5 + 300_000, b'x');
        let mut input = InputBuffer::new();
        let (mut tx, rx) = UnixStream::pair().unwrap();
        let rx = Stream::unix(rx, false);
        let writer = std::thread::spawn(move || {
            tx.write_all(&bytes).unwrap();
            tx.write_all(b"S\0\0\0\x04").unwrap();
        });
        let f = loop {
            if let Some(f) = input.next_frame(1 << 20).unwrap() {
                break f;
            }
            input.fill(&rx).unwrap();
            assert!(input.buf.len() <= IDLE_BYTES_MAX.max(2 * (input.end - input.start)));
        };
        assert_eq!(input.body(&f).unwrap().len(), 300_000);
        while input.next_frame(1 << 20).unwrap().is_none() {
            input.fill(&rx).unwrap();
        }
        assert!(input.buf.len() <= 2 * IDLE_BYTES_MAX);
        writer.join().unwrap();
    }

    #[test]
    fn a_dropped_message_leaves_its_neighbours_whole() {
        let mut input = fed(b"S\0\0\0\x04Q\0\0\0\x09abc");
        assert_eq!(input.next_frame(100).unwrap().unwrap().kind, b'S');
        assert_eq!(input.next_frame(100).unwrap(), None);
        // As `make_room` does it where there is no memory.
        input.dropped = Some(Dropped { kind: b'Q', left: 2 });
        (input.start, input.end, input.needed) = (0, 0, 0);
        let (mut tx, rx) = UnixStream::pair().unwrap();
        let rx = Stream::unix(rx, false);
        tx.write_all(b"d").unwrap();
        input.fill(&rx).unwrap();
        assert_eq!(input.next_frame(100).unwrap(), None);
        tx.write_all(b"eS\0\0\0\x04").unwrap();
        input.fill(&rx).unwrap();
        let f = input.next_frame(100).unwrap().unwrap();
        assert_eq!((f.kind, input.body(&f)), (b'Q', None));
        input.put_back(&f);
        let f = input.next_frame(100).unwrap().unwrap();
        assert_eq!((f.kind, input.body(&f)), (b'Q', None));
        let f = input.next_frame(100).unwrap().unwrap();
        assert_eq!((f.kind, input.body(&f)), (b'S', Some(&b""[..])));
    }

    #[test]
    fn lengths_out_of_bounds_are_fatal() {
        for bytes in
            [&b"Q\0\0\0\x03"[..], b"Q\xff\xff\xff\xff", b"Q\x7f\xff\xff\xff", b"S\0\x01\0\0", b"\0\0\0\0\x04"]
        {
            let e = fed(bytes).next_frame(1 << 20).unwrap_err();
            assert!(e.severity_fatal, "{bytes:?}");
        }
        for bytes in [&b"\0\0\0\x07"[..], b"\xff\xff\xff\xff", b"\0\0\x40\0"] {
            assert!(fed(bytes).next_startup_packet().unwrap_err().severity_fatal, "{bytes:?}");
        }
    }
}
