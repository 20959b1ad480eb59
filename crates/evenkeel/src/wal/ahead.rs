//! Reads the next piece of a segment while the one before is taken apart.
//!
//! Invariants
//! 1. At most one piece is on its way. Whoever asks for another one lets go of it.
//! 2. The thread ends with its owner, which waits for it.
//!
//! Must not know: what the log says, what comes next in it.

use super::source::SegmentBytes;
use crate::base::sync::{Builder, Condvar, JoinHandle, Mutex};
use crate::io::AlignedBuf;
use std::io;
use std::sync::Arc;

/// A piece of a segment's file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// The segment.
    pub segment: u64,
    /// Where in its file.
    pub at: u64,
    /// Bytes.
    pub len: usize,
}

/// What the thread and its owner hand to each other.
enum Desk {
    /// The owner has the buffer.
    Empty,
    /// To be read.
    Asked(SegmentBytes, Piece, AlignedBuf),
    /// The thread has it.
    Reading,
    /// Whether it was read.
    Done(AlignedBuf, bool),
    /// The owner is gone.
    Closed,
}

struct Shared {
    desk: Mutex<Desk>,
    changed: Condvar,
}

pub(super) struct ReadAhead {
    shared: Arc<Shared>,
    on_its_way: Option<Piece>,
    spare: Option<AlignedBuf>,
    thread: Option<JoinHandle<()>>,
}

impl Shared {
    fn put(&self, what: Desk) {
        *self.desk.lock() = what;
        self.changed.notify_all();
    }

    fn run(&self) {
        loop {
            let mut desk = self.desk.lock();
            let (bytes, piece, mut buffer) = loop {
                match std::mem::replace(&mut *desk, Desk::Reading) {
                    Desk::Asked(bytes, piece, buffer) => break (bytes, piece, buffer),
                    Desk::Closed => return,
                    other => *desk = other,
                }
                self.changed.wait(&mut desk);
            };
            drop(desk);
            let read = bytes.read_exact_at(&mut buffer[..piece.len], piece.at).is_ok();
            self.put(Desk::Done(buffer, read));
        }
    }
}

impl ReadAhead {
    /// With a buffer for pieces up to its length.
    pub fn start(buffer: AlignedBuf) -> io::Result<ReadAhead> {
        let shared = Arc::new(Shared { desk: Mutex::new(Desk::Empty), changed: Condvar::new() });
        let its = shared.clone();
        let thread = Builder::new().name("evenkeel-log-ahead".into()).spawn(move || its.run())?;
        Ok(ReadAhead { shared, on_its_way: None, spare: Some(buffer), thread: Some(thread) })
    }

    /// Has a piece read.
    pub fn ask(&mut self, bytes: SegmentBytes, piece: Piece) {
        self.take_any();
        if let Some(buffer) = self.spare.take() {
            self.shared.put(Desk::Asked(bytes, piece, buffer));
            self.on_its_way = Some(piece);
        }
    }

    /// The piece from there on, into `window`, if it is the one that was asked for: its length. Blocks until it is read. `None`: it is not, or could not be read,
    /// and is to be read again by who wants to know why.
    pub fn take(&mut self, segment: u64, at: u64, window: &mut AlignedBuf) -> Option<usize> {
        let piece = self.on_its_way.filter(|p| (p.segment, p.at) == (segment, at))?;
        if !self.take_any() {
            return None;
        }
        std::mem::swap(window, self.spare.as_mut().expect("it was just put there"));
        Some(piece.len)
    }

    /// Waits for what is on its way; whether it was read.
    fn take_any(&mut self) -> bool {
        if self.on_its_way.take().is_none() {
            return false;
        }
        let mut desk = self.shared.desk.lock();
        loop {
            match std::mem::replace(&mut *desk, Desk::Empty) {
                Desk::Done(buffer, read) => {
                    self.spare = Some(buffer);
                    return read;
                }
                other => *desk = other,
            }
            self.shared.changed.wait(&mut desk);
        }
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.take_any();
        self.shared.put(Desk::Closed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::Lsn;
    use crate::io::{Disk, SimDisk, SimOptions};
    use crate::wal::reader::LogReader;
    use crate::wal::segment::path;
    use crate::wal::source::LogSource;
    use crate::wal::{Wal, testing};
    use std::sync::Arc;

    /// Positions of all records, and where reading ended or failed.
    fn read(disk: &SimDisk, from: Lsn, ahead: bool) -> (Vec<Lsn>, Lsn) {
        let disk: &dyn Disk = disk;
        let source: &dyn LogSource = &disk;
        let geometry = crate::wal::segment::Geometry { segment_bytes: 64 << 10 };
        let mut reader = LogReader::open_sequential(source, geometry, from).unwrap();
        if ahead {
            reader.read_ahead();
        }
        let mut records = Vec::new();
        while let Ok(Some(r)) = reader.next() {
            records.push(r.lsn);
        }
        (records, reader.position())
    }

    #[test]
    fn a_log_that_is_read_ahead_is_the_same_log() {
        let disk = SimDisk::new(SimOptions::default());
        let wal = testing::start(&disk, 64 << 10, Arc::default());
        let start = wal.flushed();
        for n in 0..300 {
            let body = vec![7; 1 + n * 37 % 3000];
            let _promise = wal.promise(Wal::record_bytes(body.len())).unwrap();
            wal.insert(&body, |_| true).unwrap().unwrap();
            wal.flush_completed().unwrap();
        }
        let (records, end) = read(&disk, start, false);
        assert!(records.len() > 300 && end == wal.flushed());
        assert_eq!(read(&disk, start, true), (records.clone(), end));
        // From anywhere, and up to a segment that is damaged.
        for from in [records[17], records[100], *records.last().unwrap()] {
            assert_eq!(read(&disk, from, true), read(&disk, from, false));
        }
        disk.damage(&path(3), 20_000, &[0xFF; 100]).unwrap();
        assert_eq!(read(&disk, start, true), read(&disk, start, false));
        disk.damage(&path(3), 0, &[0; 100]).unwrap();
        let (some, _) = read(&disk, start, true);
        assert!(some.len() < records.len() && some == read(&disk, start, false).0);
    }
}
