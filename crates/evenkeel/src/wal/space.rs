//! Log space: obtained before it is needed, so that running out of disk fails a statement and never a commit or a rollback.
//!
//! Whoever is going to insert records first *promises* an upper bound of their bytes; segments are made ready until all promises fit.
//!
//! Invariants
//! 1. `allocated - next >= sum of the unspent promises`: an insertion covered by a promise always fits.
//! 2. Segments are made ready in order; `allocated` is the end of the last ready one. At most one more is on its way, the next. What a large transaction had set aside
//!    is given back from the end, down to what promises need.

use super::segment::{self, Geometry, Header, Preparation};
use super::{Wal, record};
use crate::base::sync::{AtomicBool, AtomicU64, Mutex, Ordering};
use crate::base::{Error, Lsn, Result};
use crate::io::{Disk, File};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

/// Kept free beyond all promises: round-end and file records of the engine itself, which must always fit.
const SYSTEM_BYTES: u64 = 16 * 1024;

/// Ready segments beyond all promises that are not given back: the log writer would only make them again.
const AHEAD_SEGMENTS: u64 = 2;

#[derive(Default)]
struct Files {
    open: BTreeMap<u64, Arc<dyn File>>,
    /// Old segments that may be renamed into new ones.
    spare: VecDeque<u64>,
    /// Segments that exist and are not spare.
    kept: BTreeSet<u64>,
}

/// Segment files and the promises on them.
pub(super) struct Space {
    pub(super) disk: Arc<dyn Disk>,
    geometry: Geometry,
    header: Header,
    allocated: AtomicU64,
    promised: AtomicU64,
    /// Everything before this is archived; `u64::MAX` without an archive.
    archived: AtomicU64,
    /// From where on somebody who follows needs the log; asked with the log's end.
    followers: OnceLock<Box<dyn Fn(Lsn) -> Lsn + Send + Sync>>,
    /// Log that may wait for the archive before nothing more is promised.
    archive_lag_max: AtomicU64,
    /// Somebody was refused space since it was asked last.
    lacking: AtomicBool,
    /// The disk is nearly full with log that waits for the archive.
    archive_full: AtomicBool,
    /// What `recycle` was last told: once more segments are archived it holds still.
    recycled: Mutex<Option<(Lsn, usize)>>,
    files: Mutex<Files>,
    /// Serialises making segments ready, outside `files` so that flushes go on meanwhile.
    preparing: Mutex<Ahead>,
    /// Nothing is ever logged here.
    is_idle: bool,
}

/// How far the next segment is on its way: it is made piece by piece, ahead of need.
#[derive(Default)]
struct Ahead {
    /// The segment at the end of what is allocated.
    next: Option<Preparation>,
    /// The end of what was needed at the log writer's step before.
    needed: Option<u64>,
}

/// Bytes of log that are sure to be there. Given back on drop.
pub struct Promise<'a> {
    wal: &'a Wal,
    bytes: u64,
}

impl Promise<'_> {
    /// Keeps the promise beyond the borrow: `Wal::give_back` must be called with the returned number.
    pub fn keep(self) -> u64 {
        let bytes = self.bytes;
        std::mem::forget(self);
        bytes
    }
}

impl Drop for Promise<'_> {
    fn drop(&mut self) {
        self.wal.give_back(self.bytes);
    }
}

impl Space {
    pub(super) fn epoch(&self) -> u64 {
        self.header.epoch
    }

    /// Without a file nothing is ever logged.
    pub(super) fn new(
        disk: Arc<dyn Disk>,
        geometry: Geometry,
        first: Header,
        file: Option<Arc<dyn File>>,
    ) -> Space {
        let mut files = Files::default();
        let (is_idle, ready) = (file.is_none(), first.segment + u64::from(file.is_some()));
        if let Some(file) = file {
            files.open.insert(first.segment, file);
            files.kept.insert(first.segment);
        }
        Space {
            disk,
            geometry,
            is_idle,
            header: Header { prev_end: Lsn::ZERO, prev_incarnation: 0, ..first },
            allocated: AtomicU64::new(geometry.start_of(ready).0),
            promised: AtomicU64::new(0),
            archived: AtomicU64::new(u64::MAX),
            followers: OnceLock::new(),
            archive_lag_max: AtomicU64::new(u64::MAX),
            lacking: AtomicBool::new(false),
            archive_full: AtomicBool::new(false),
            recycled: Mutex::new(None),
            files: Mutex::new(files),
            preparing: Mutex::default(),
        }
    }

    pub(super) fn allocated(&self) -> u64 {
        self.allocated.load(Ordering::SeqCst)
    }

    /// The file of a ready segment.
    pub(super) fn file(&self, segment: u64) -> Arc<dyn File> {
        self.files
            .lock()
            .open
            .get(&segment)
            .expect("a segment is written only after it was made ready")
            .clone()
    }

    /// Makes segments ready until `upto` fits.
    fn extend(&self, upto: u64) -> Result<()> {
        self.extend_with(&mut self.preparing.lock(), upto)
    }

    fn extend_with(&self, ahead: &mut Ahead, upto: u64) -> Result<()> {
        if self.is_idle {
            return Err(Error::ReadOnlyDatabase("it is a standby".into()));
        }
        while self.allocated() < upto {
            let segment = self.geometry.segment_of(Lsn(self.allocated()));
            let header = Header { segment, ..self.header };
            let file = if let Some(begun) = ahead.next.take() {
                begun.finish(&*self.disk)?
            } else {
                let spare = self.files.lock().spare.pop_front();
                segment::prepare(&*self.disk, &header, spare).or_else(|e| match spare {
                    // A spare that cannot be used is left to the next start.
                    Some(old) => {
                        tracing::warn!("recycling log segment {old:016x} failed: {e}");
                        segment::prepare(&*self.disk, &header, None)
                    }
                    None => Err(e),
                })?
            };
            let mut files = self.files.lock();
            files.open.insert(segment, file);
            files.kept.insert(segment);
            drop(files);
            self.allocated.store(self.geometry.start_of(segment + 1).0, Ordering::SeqCst);
        }
        Ok(())
    }

    /// A step towards the next segment, where log up to `needed` is needed: it is begun when three quarters of a segment are left, and filled in
    /// proportion, to be ready when a quarter is; as much as was logged since the step before is expected until the next.
    fn prepare_a_piece(&self, needed: u64) -> Result<()> {
        let mut ahead = self.preparing.lock();
        let usable = self.geometry.usable();
        let logged = needed.saturating_sub(ahead.needed.replace(needed).unwrap_or(needed)).min(usable);
        let needed = needed + logged;
        let left = self.allocated().saturating_sub(needed);
        let (begin, end) = (usable / 4 * 3, usable / 4);
        if left > begin {
            return Ok(());
        }
        let has_spare = !self.files.lock().spare.is_empty();
        if left <= end || (has_spare && ahead.next.is_none()) {
            // A spare is made ready in one go: it has its zeros, or somebody's old records.
            return self.extend_with(&mut ahead, needed + usable / 2);
        }
        let mut piece = match ahead.next.take() {
            Some(begun) => begun,
            None => {
                let segment = self.geometry.segment_of(Lsn(self.allocated()));
                Preparation::begin(&*self.disk, &Header { segment, ..self.header })?
            }
        };
        let share = (begin - left) as f64 / (begin - end) as f64;
        let full = piece.fill(&*self.disk, (share * self.geometry.segment_bytes as f64) as u64)?;
        ahead.next = Some(piece);
        if full { self.extend_with(&mut ahead, self.allocated() + 1) } else { Ok(()) }
    }
}

impl Wal {
    /// Obtains log space for records of up to `bytes` in all (frames included). Fails with `OutOfSpace`, harming nobody.
    pub fn promise(&self, bytes: u64) -> Result<Promise<'_>> {
        let s = &self.space;
        self.check_archive()?;
        let total = s.promised.fetch_add(bytes, Ordering::SeqCst) + bytes;
        let promise = Promise { wal: self, bytes };
        let need = self.next_lsn().0 + total + SYSTEM_BYTES;
        if need > s.allocated() {
            s.extend(need).inspect_err(|e| self.note_lack(e))?;
        }
        Ok(promise)
    }

    /// An error was that the disk is full: somebody is to look whether log can be given back.
    pub fn note_lack(&self, e: &Error) {
        if matches!(e, Error::OutOfSpace { .. }) {
            self.space.lacking.store(true, Ordering::SeqCst);
        }
    }

    /// Whether space was lacking since the last call.
    pub fn take_lack(&self) -> bool {
        self.space.lacking.load(Ordering::Relaxed) && self.space.lacking.swap(false, Ordering::SeqCst)
    }

    /// Log that waits for the archive fills the disk: before it is full, nothing more is promised.
    fn check_archive(&self) -> Result<()> {
        let s = &self.space;
        let lag = self.next_lsn().0.saturating_sub(s.archived.load(Ordering::Relaxed));
        let max = s.archive_lag_max.load(Ordering::Relaxed);
        let why = if lag > max {
            format!("more than archive_max_lag, {max} bytes, allows")
        } else if s.archive_full.load(Ordering::Relaxed) {
            "and the disk is nearly full".into()
        } else {
            return Ok(());
        };
        Err(Error::OutOfSpace {
            what: format!("log: {lag} bytes of it wait to be archived, {why}; pg_stat_archiver says why"),
        })
    }

    /// Everything before this is archived: what lies before may be recycled as soon as recovery does not need it. Without an archive this is never called.
    pub fn set_archived(&self, upto: Lsn) {
        self.space.archived.store(upto.0, Ordering::SeqCst);
        if let Some((horizon, limit)) = *self.space.recycled.lock() {
            self.recycle_files(horizon, limit);
        }
    }

    /// Who follows says from now on, given the log's end, from where on the log is needed for that. Once; it must not call the log.
    pub fn keep_for_followers(&self, needed: Box<dyn Fn(Lsn) -> Lsn + Send + Sync>) {
        assert!(self.space.followers.set(needed).is_ok(), "followers are known once");
    }

    /// Everything before this is archived; the largest position without an archive.
    pub fn archived(&self) -> Lsn {
        Lsn(self.space.archived.load(Ordering::SeqCst))
    }

    /// From here on nothing is promised while more than so many bytes wait for the archive, or while `full`.
    pub fn limit_archive_lag(&self, bytes: u64, full: bool) {
        self.space.archive_lag_max.store(bytes, Ordering::Relaxed);
        self.space.archive_full.store(full, Ordering::Relaxed);
    }

    /// As `promise`, of space that is ready already; `None` if there is not enough.
    pub(super) fn promise_what_is_there(&self, bytes: u64) -> Option<Promise<'_>> {
        let s = &self.space;
        let total = s.promised.fetch_add(bytes, Ordering::SeqCst) + bytes;
        let promise = Promise { wal: self, bytes };
        (self.next_lsn().0 + total + SYSTEM_BYTES <= s.allocated()).then_some(promise)
    }

    /// Returns promised bytes that `Promise::keep` took out.
    pub fn give_back(&self, bytes: u64) {
        let before = self.space.promised.fetch_sub(bytes, Ordering::SeqCst);
        debug_assert!(before >= bytes);
    }

    /// Bytes that are promised, and were not given back.
    pub fn promised_bytes(&self) -> u64 {
        self.space.promised.load(Ordering::SeqCst)
    }

    /// Bytes to promise for a record with a body of `body` bytes.
    pub fn record_bytes(body: usize) -> u64 {
        record::framed_len(body) as u64
    }

    /// Gets on with the next segment ahead of need: the log writer's step.
    pub fn prepare_ahead(&self) -> Result<()> {
        let s = &self.space;
        s.prepare_a_piece(self.next_lsn().0 + s.promised.load(Ordering::SeqCst) + SYSTEM_BYTES)
    }

    /// Tells which log recovery no longer needs: segments wholly below `horizon`, and archived, are kept for reuse while there are fewer than `limit` in all, else
    /// removed.
    pub fn recycle(&self, horizon: Lsn, limit: usize) {
        *self.space.recycled.lock() = Some((horizon, limit));
        self.recycle_files(horizon, limit);
    }

    fn recycle_files(&self, horizon: Lsn, limit: usize) {
        let s = &self.space;
        let followed = s.followers.get().map_or(Lsn::MAX, |needed| needed(self.next_lsn()));
        let first_needed =
            s.geometry.segment_of(horizon.min(self.flushed()).min(self.archived()).min(followed));
        let mut doomed = Vec::new();
        {
            let mut files = s.files.lock();
            let needed = files.kept.split_off(&first_needed);
            let room = limit.saturating_sub(needed.len()).max(1);
            for old in std::mem::replace(&mut files.kept, needed) {
                files.open.remove(&old);
                files.spare.push_back(old);
            }
            let surplus = files.spare.len().saturating_sub(room);
            doomed.extend(files.spare.drain(..surplus));
        }
        for old in doomed {
            // Nothing depends on it: the next start finds it again.
            if let Err(e) = s.disk.remove(&segment::path(old)) {
                tracing::warn!("removing log segment {old:016x} failed: {e}");
            }
        }
        if let Err(e) = self.give_back_ahead(limit) {
            tracing::warn!("log space that is not needed any more stays: {e}");
        }
    }

    /// Removes segments that are ready beyond what is promised, from the end, while there are more than `limit` in all.
    fn give_back_ahead(&self, limit: usize) -> Result<()> {
        let s = &self.space;
        if s.files.lock().kept.len() <= limit {
            return Ok(());
        }
        let mut ahead = s.preparing.lock();
        while s.files.lock().kept.len() > limit {
            let (old, last) = (s.allocated(), s.geometry.segment_of(Lsn(s.allocated())) - 1);
            let end = s.geometry.start_of(last).0;
            let is_needed = |next: Lsn| {
                let need = next.0 + s.promised.load(Ordering::SeqCst) + SYSTEM_BYTES;
                need + AHEAD_SEGMENTS * s.geometry.usable() > end
            };
            if is_needed(self.next_lsn()) {
                return Ok(());
            }
            // First, then the promises are looked at again: whoever promises meanwhile sees it, and waits for `preparing`; or is seen here. Nobody inserts meanwhile: what he
            // was promised would seem not to be there, where it is put back at once.
            let is_taken = self.with_reservations_held(|next| {
                s.allocated.store(end, Ordering::SeqCst);
                let is_taken = !is_needed(next);
                if !is_taken {
                    s.allocated.store(old, Ordering::SeqCst);
                }
                is_taken
            });
            if !is_taken {
                return Ok(());
            }
            if let Some(begun) = ahead.next.take() {
                begun.give_up(&*s.disk)?;
            }
            let mut files = s.files.lock();
            files.open.remove(&last);
            files.kept.remove(&last);
            drop(files);
            let name = segment::path(last);
            s.disk.remove(&name).map_err(|e| Error::io(format!("removing log segment {name}"), e))?;
        }
        Ok(())
    }

    /// Declares that these segments exist already (kept from before this start), and that `spare` may be reused.
    pub(super) fn adopt_older(&self, older: Vec<u64>, spare: VecDeque<u64>) {
        let mut files = self.space.files.lock();
        files.kept.extend(older);
        files.spare.extend(spare);
    }

    /// Whether a record of `bytes` fits without a promise: for the engine's own records when space has run out.
    pub fn has_room(&self, bytes: u64) -> bool {
        let s = &self.space;
        self.next_lsn().0 + s.promised.load(Ordering::SeqCst) + bytes <= s.allocated()
    }

    /// First position that is still on disk.
    pub fn oldest_lsn(&self) -> Lsn {
        let files = self.space.files.lock();
        self.space.geometry.start_of(*files.kept.first().expect("the open segment is kept"))
    }
}
