//! A log that is received (S25): records of somebody else's log, written where they stand there.
//!
//! Invariants
//! 1. What is written follows on what is there, in the life that it belongs to, and every record was checked: the network is trusted as little as the disk.
//! 2. A life is durable to its end before the header of the next one is written: whoever finds that header may take the end that it names for durable. Should nothing come of
//!    the next one, its segment goes before anything more is written in the life before.
//! 3. `durable` has passed a sync of everything before it. Behind it there may be anything after a crash. After a write or a sync that failed nothing is
//!    written and nothing becomes durable any more: another sync would succeed, and prove nothing. Making segments ready is no such write: it changes nothing of the log that
//!    is here, happens before what is to be written in them, and may be tried again.
//! 4. Once an epoch is promised, nothing more is taken from a sender of an earlier one: whoever asks then how far this log is hears of everything that such a sender will ever be told to be durable here.
//!
//! Must not know: who sends, what records mean.

use super::record::{frame_is_intact, parse_frame};
use super::segment::{self, Geometry, Header, LOG_BLOCK};
use crate::base::sync::{AtomicU64, Ordering};
use crate::base::{Error, Lsn, Result};
use crate::io::{AlignedBuf, Disk, File, read_exact_at, write_all_at};
use std::collections::VecDeque;
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;

/// The log that is being received, open at its end.
pub struct Receiver {
    disk: Arc<dyn Disk>,
    geometry: Geometry,
    database_id: u64,
    /// The life that is received, as its present segment's header says.
    life: Option<Header>,
    file: Option<Arc<dyn File>>,
    /// Everything before this is written.
    at: Lsn,
    durable: Lsn,
    /// The block that `at` lies in.
    tail: AlignedBuf,
    /// Files with writes that are not durable.
    unsynced: Vec<(u64, Arc<dyn File>)>,
    /// From here on the log is here: an LSN.
    oldest: Arc<AtomicU64>,
    /// Segments that nobody needs any more, to be used again.
    spare: VecDeque<u64>,
    /// Segments behind the log's end that may have been made ready, in vain (invariant 2).
    in_vain: Vec<u64>,
    /// A write or a sync has failed: what is there is for a start to find out.
    failed: bool,
    /// Nothing is taken from whoever writes under an earlier epoch (invariant 4).
    promised: u64,
    /// Under which epoch whoever sends at this moment writes.
    sender: u64,
}

impl Receiver {
    /// Goes on at `at`: where the log in the folder ends, durably, if `has_log`. With nothing there, a header has to come first.
    pub fn resume(
        disk: Arc<dyn Disk>,
        geometry: Geometry,
        database_id: u64,
        at: Lsn,
        has_log: bool,
    ) -> Result<Receiver> {
        let segment = geometry.segment_of(at);
        let mut r = Receiver {
            disk,
            geometry,
            database_id,
            life: None,
            file: None,
            at,
            durable: at,
            tail: AlignedBuf::new(LOG_BLOCK as usize),
            unsynced: Vec::new(),
            oldest: Arc::new(AtomicU64::new(at.0)),
            spare: VecDeque::new(),
            in_vain: Vec::new(),
            failed: false,
            promised: 0,
            sender: 0,
        };
        // At the very end of a segment there need not be a next one.
        if let Some((file, header)) = segment::open(&*r.disk, segment)? {
            let used = (at.0 % LOG_BLOCK) as usize;
            let block = geometry.offset_of(at) & !(LOG_BLOCK - 1);
            read_exact_at(&*file, &mut r.tail, block)
                .map_err(|e| Error::io(format!("reading log segment {}", segment::path(segment)), e))?;
            r.tail[used..].fill(0);
            (r.life, r.file) = (Some(header), Some(file));
        } else if has_log && at > geometry.start_of(segment) {
            return Err(Error::corrupt(format!(
                "log segment {} is missing or damaged",
                segment::path(segment)
            )));
        } else if let Some((_, header)) = segment::open(&*r.disk, segment.wrapping_sub(1))? {
            r.life = Some(header);
        }
        if has_log {
            let first = segment::first_before(&*r.disk, segment)?;
            r.oldest.store(geometry.start_of(first).min(at).0, Ordering::SeqCst);
        }
        Ok(r)
    }

    /// Of its segments.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// From here on the log is here, as far as it ever was: a copy's begins in the midst of a segment.
    pub fn oldest(&self) -> &Arc<AtomicU64> {
        &self.oldest
    }

    /// Where the next record belongs.
    pub fn position(&self) -> Lsn {
        self.at
    }

    /// Everything before this is durable.
    pub fn durable(&self) -> Lsn {
        self.durable
    }

    /// The life that is received; 0: none yet.
    pub fn life(&self) -> u64 {
        self.life.map_or(0, |h| h.incarnation)
    }

    /// Under which epoch the log that is here was written; 0: under none, or there is no log yet.
    pub fn epoch(&self) -> u64 {
        self.life.map_or(0, |h| h.epoch)
    }

    /// From now on nothing is taken from whoever writes under an earlier epoch (invariant 4). For as long as this is open.
    pub fn promise(&mut self, epoch: u64) {
        self.promised = self.promised.max(epoch);
    }

    /// What comes next is sent by whoever writes under this epoch. `Superseded`: a later one was promised.
    pub fn hear(&mut self, epoch: u64) -> Result<()> {
        self.sender = epoch;
        self.check_sender()
    }

    fn check_sender(&self) -> Result<()> {
        if self.sender < self.promised {
            return Err(Error::Superseded { sender: self.sender, promised: self.promised });
        }
        Ok(())
    }

    /// What follows is of the life that this header, of the segment where it goes on, is about. Nothing changes if it is the one that is received already.
    /// `InvalidArgument`: it does not follow on what is here. Other errors as of [`Receiver::write`].
    pub fn begin_life(&mut self, header: &Header) -> Result<()> {
        let refused = |why: String| Err(Error::InvalidArgument(format!("the log that was sent {why}")));
        self.check_sender()?;
        if header.database_id != self.database_id {
            return refused(format!(
                "is of database {:016x}, this is {:016x}",
                header.database_id, self.database_id
            ));
        }
        if header.segment_bytes != self.geometry.segment_bytes {
            return refused(format!("has segments of {} bytes", header.segment_bytes));
        }
        let start = self.geometry.start_of(header.segment);
        match self.life {
            Some(life) if life.incarnation == header.incarnation => return Ok(()),
            Some(life)
                if (header.prev_incarnation, header.prev_end) != (life.incarnation, self.at)
                    || start < self.at =>
            {
                return refused(format!(
                    "goes on in a life that followed on {} of life {:016x}; here it has come to {} of life {:016x}",
                    header.prev_end, header.prev_incarnation, self.at, life.incarnation
                ));
            }
            // A copy of the files alone: its log may begin in the midst of a segment.
            None if self.geometry.segment_of(self.at) != header.segment => {
                return refused(format!("begins at {start}, what is here ends at {}", self.at));
            }
            _ => {}
        }
        self.sync()?; // invariant 2
        for ready in self.make_ready([*header])? {
            self.enter(ready);
        }
        self.at = self.at.max(start);
        self.durable = self.at;
        Ok(())
    }

    /// Writes whole records of the present life that stand at `from`. `InvalidArgument`: they do not follow on what is here, or are damaged; nothing was written
    /// then. Nor was it after an error with which [`Receiver::has_failed`] is false, such as of a full disk: that may be tried again.
    pub fn write(&mut self, from: Lsn, bytes: &[u8]) -> Result<()> {
        let life = self.check(from, bytes)?;
        let first = self.life.map_or(0, |h| h.segment + 1).max(self.geometry.segment_of(self.at));
        let last = self.geometry.segment_of(Lsn((self.at.0 + bytes.len() as u64).saturating_sub(1)));
        let header = |segment| Header { segment, prev_end: Lsn::ZERO, prev_incarnation: 0, ..life };
        let mut ready = self.make_ready((first..=last).map(header))?.into_iter();
        self.for_good(|r| {
            let mut rest = bytes;
            while !rest.is_empty() {
                let segment = r.geometry.segment_of(r.at);
                if r.life.is_none_or(|h| h.segment != segment) {
                    r.enter(ready.next().expect("all were made ready"));
                }
                let room = r.geometry.start_of(segment + 1).0 - r.at.0;
                let (now, later) = rest.split_at(rest.len().min(room as usize));
                r.put(segment, now)?;
                rest = later;
            }
            Ok(())
        })
    }

    /// Whether a write or a sync has failed: then nothing goes on before the next start (invariant 3).
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Does what must not be tried again once it has failed (invariant 3).
    fn for_good(&mut self, f: impl FnOnce(&mut Receiver) -> Result<()>) -> Result<()> {
        self.check_failed()?;
        self.failed = true;
        f(self)?;
        self.failed = false;
        Ok(())
    }

    fn check_failed(&self) -> Result<()> {
        if self.failed {
            return Err(Error::Poisoned("the log that is received could not be written".into()));
        }
        Ok(())
    }

    fn check(&self, from: Lsn, bytes: &[u8]) -> Result<Header> {
        let refused = |why: String| Err(Error::InvalidArgument(format!("the log that was sent {why}")));
        self.check_sender()?;
        let Some(life) = self.life else { return refused("does not say of which life it is".into()) };
        if from != self.at {
            return refused(format!("goes on at {from}, not at {}", self.at));
        }
        let mut at = 0;
        while at < bytes.len() {
            let frame = parse_frame(&bytes[at..])
                .and_then(|(head, body)| bytes.get(at..at + head + body))
                .filter(|frame| frame_is_intact(frame, Lsn(from.0 + at as u64), life.incarnation));
            let Some(frame) = frame else {
                return refused(format!("has no intact record at {}", Lsn(from.0 + at as u64)));
            };
            at += frame.len();
        }
        Ok(life)
    }

    /// Writes stream bytes of one segment: whole blocks, the last one with zeros behind.
    fn put(&mut self, segment: u64, bytes: &[u8]) -> Result<()> {
        let used = (self.at.0 % LOG_BLOCK) as usize;
        let mut buf = AlignedBuf::new((used + bytes.len()).next_multiple_of(LOG_BLOCK as usize));
        buf[..used].copy_from_slice(&self.tail[..used]);
        buf[used..used + bytes.len()].copy_from_slice(bytes);
        let file = self.file.as_ref().expect("the segment is open");
        let block = self.geometry.offset_of(self.at) & !(LOG_BLOCK - 1);
        write_all_at(&**file, &mut [IoSlice::new(&buf)], block)
            .map_err(|e| Error::io(format!("writing log segment {}", segment::path(segment)), e))?;
        let last = buf.len() - LOG_BLOCK as usize;
        self.tail.copy_from_slice(&buf[last..]);
        self.at = Lsn(self.at.0 + bytes.len() as u64);
        if file.log_needs_sync() && self.unsynced.last().is_none_or(|(s, _)| *s != segment) {
            self.unsynced.push((segment, file.clone()));
        }
        Ok(())
    }

    /// Makes segments behind the log's end ready to be written in. An error has changed nothing of the log (invariant 3).
    fn make_ready(
        &mut self,
        headers: impl IntoIterator<Item = Header>,
    ) -> Result<Vec<(Header, Arc<dyn File>)>> {
        self.check_failed()?;
        self.remove_in_vain()?;
        let mut ready = Vec::new();
        for header in headers {
            self.in_vain.push(header.segment);
            ready.push((header, self.prepare(&header)?));
        }
        self.in_vain.clear();
        Ok(ready)
    }

    /// Of one that is not in use only the header counts (invariant 2).
    fn remove_in_vain(&mut self) -> Result<()> {
        if self.in_vain.is_empty() {
            return Ok(());
        }
        for segment in &self.in_vain {
            let name = segment::path(*segment);
            match self.disk.remove(&name) {
                Err(e) if e.kind() != ErrorKind::NotFound => {
                    return Err(Error::io(format!("removing log segment {name}"), e));
                }
                _ => {}
            }
        }
        self.disk.sync_dir(segment::DIR).map_err(|e| Error::io("syncing the log folder", e))?;
        self.in_vain.clear();
        Ok(())
    }

    fn prepare(&mut self, header: &Header) -> Result<Arc<dyn File>> {
        while let Some(old) = self.spare.pop_front() {
            match segment::prepare(&*self.disk, header, Some(old)) {
                Ok(file) => return Ok(file),
                // It is found again by `recycle`.
                Err(e) => tracing::warn!("recycling log segment {old:016x} failed: {e}"),
            }
        }
        segment::prepare(&*self.disk, header, None)
    }

    fn enter(&mut self, (header, file): (Header, Arc<dyn File>)) {
        (self.life, self.file) = (Some(header), Some(file));
        self.tail.fill(0);
    }

    /// Makes durable what was written. An error: whether it is durable is for the next start to find out.
    pub fn sync(&mut self) -> Result<Lsn> {
        self.for_good(|r| {
            for (segment, file) in r.unsynced.drain(..) {
                file.sync()
                    .map_err(|e| Error::io(format!("syncing log segment {}", segment::path(segment)), e))?;
            }
            Ok(())
        })?;
        self.durable = self.at;
        Ok(self.durable)
    }

    /// Nobody needs what lies before `horizon` any more: of the segments wholly before it, `keep` may be used again, the others are removed.
    pub fn recycle(&mut self, horizon: Lsn, keep: usize) -> Result<()> {
        // The one that ends here stays, too: its header says which life, and epoch, is received.
        let last = Lsn(self.durable.0.saturating_sub(1));
        let first = self.geometry.segment_of(horizon.min(last));
        self.oldest.fetch_max(self.geometry.start_of(first).0, Ordering::SeqCst);
        for old in segment::list(&*self.disk)?.into_iter().filter(|s| *s < first) {
            if self.spare.contains(&old) {
                continue;
            }
            if self.spare.len() < keep {
                self.spare.push_back(old);
                continue;
            }
            let name = segment::path(old);
            self.disk.remove(&name).map_err(|e| Error::io(format!("removing log segment {name}"), e))?;
        }
        Ok(())
    }
}
