//! The archiver: finished segments, in order, to the store. A plain step; the engine's thread calls it.
//!
//! Invariants
//! 1. Segment n + 1 is put only after n was found in the store with the content it must have.
//! 2. The log's archived floor, below which segments may be recycled, rises only behind such a segment.
//! 3. An object once made is never replaced; one that is there with other content is an error, and stays.
//! 4. Only log that is durable here goes there; of an earlier life, only what the next one's header says belongs to it.

use super::ahead::{self, LifeStart};
use super::cut::{Cut, EndOfLog};
use super::owner::{BEAT, Owner, Place, Watched, failed, owner_object};
use super::pack::{pack, unpack};
use super::state::ArchiveState;
use super::store::{ArchiveStore, StoreError};
use super::strip;
use super::timeline::{History, claim};
use super::verify::parse_name;
use crate::base::clock;
use crate::base::sync::Mutex;
use crate::base::{Error, Lsn, Result};
use crate::io::{AlignedBuf, Disk, read_exact_at};
use crate::wal::Wal;
use crate::wal::segment::{self, Header};
use std::sync::Arc;
use std::time::Duration;

/// Waits after failures: the first, and the longest.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// Between looks at another owner that may live.
const WATCH_PAUSE: Duration = Duration::from_secs(5);
/// Segments' worth of free disk at which a database that waits for its archive takes no more writes.
const RESERVE_SEGMENTS: u64 = 8;

/// Folder of the segments of a timeline.
pub fn folder(timeline: u32) -> String {
    format!("wal/{timeline:08x}/")
}

/// A segment's object.
pub fn object_name(timeline: u32, segment: u64) -> String {
    format!("{}{segment:016x}.seg", folder(timeline))
}

/// What may be set, read anew at each step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArchiveSettings {
    /// The segment being written is archived as far as it goes after so long; zero: only when it is full.
    pub timeout: Duration,
    /// Take images out.
    pub strip: bool,
    /// zstd's level, 0 for none.
    pub level: u64,
    /// Log that may wait for the archive before writes are refused; 0: any.
    pub lag_bytes_max: u64,
}

/// What the archiver did.
#[derive(Clone, Debug, Default)]
pub struct ArchiveStats {
    /// Where to.
    pub url: String,
    /// Under which timeline.
    pub timeline: u32,
    /// Segments archived, partial ones not counted.
    pub archived: u64,
    /// Their bytes of log.
    pub log_bytes: u64,
    /// The bytes that they take in the archive.
    pub stored_bytes: u64,
    /// The last one's object.
    pub last_archived: Option<String>,
    /// When, microseconds since the Unix epoch.
    pub last_archived_us: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// The object of the last that did.
    pub last_failed: Option<String>,
    /// When.
    pub last_failed_us: u64,
    /// Why.
    pub last_error: Option<String>,
    /// Log that is durable here and not archived.
    pub lag_bytes: u64,
    /// How long the oldest finished segment has waited.
    pub oldest_wait: Duration,
    /// Writes are refused until the archive has caught up.
    pub writes_refused: bool,
    /// Times that log was missing which the archive lacks.
    pub gaps: u64,
}

struct Inner {
    state: ArchiveState,
    owner: Owner,
    /// It was the owner in this run (owner invariant 2).
    owned: bool,
    watched: Option<Watched>,
    /// When it last gave a sign of life.
    beat_at: Duration,
    failures: u32,
    not_before: Duration,
    /// The oldest unarchived segment is finished since.
    waiting_since: Option<Duration>,
    /// What was last archived of the unfinished segment, and when anything was last.
    partial: Option<(u64, Lsn, String)>,
    partial_at: Duration,
    /// There may be others: a call that put or removed one has failed, or may have been done all the same.
    stray_partials: bool,
    /// For waits that are not all the same.
    rng: fastrand::Rng,
}

/// Ships the log of an open database.
pub struct Archiver {
    disk: Arc<dyn Disk>,
    wal: Arc<Wal>,
    store: Arc<dyn ArchiveStore>,
    /// The header of the first segment of the present life.
    life: Header,
    /// Those before it, as far as they are known, and it, oldest first.
    lives: Vec<LifeStart>,
    /// Under which timeline the log is archived up to where this one goes on, while this one has no number.
    parent: Option<u32>,
    inner: Mutex<Inner>,
    stats: Mutex<ArchiveStats>,
}

impl Archiver {
    /// Goes on where `state` says. Puts nothing before the first step; but segments are kept for it from here on.
    pub fn new(
        disk: Arc<dyn Disk>,
        wal: Arc<Wal>,
        store: Arc<dyn ArchiveStore>,
        life: Header,
        lives: Vec<LifeStart>,
        state: ArchiveState,
        place: Place,
    ) -> Archiver {
        wal.set_archived(wal.geometry().start_of(state.next));
        let owner = Owner { database_id: life.database_id, place, run: life.incarnation };
        // Of a standby that took over the end of the parent's log is still to come; what a restore leaves has been cut off from it.
        let history = (state.timeline == 0).then(|| History::read_file(&*disk).ok().flatten()).flatten();
        let parent = history
            .filter(|h| state.next <= wal.geometry().segment_of(Lsn::from(h.switch)))
            .map(|h| h.parent);
        let stats =
            ArchiveStats { url: store.describe(), timeline: state.timeline, ..ArchiveStats::default() };
        Archiver {
            disk,
            wal,
            store,
            life,
            lives,
            parent,
            inner: Mutex::new(Inner {
                state,
                owner,
                owned: false,
                watched: None,
                beat_at: Duration::ZERO,
                failures: 0,
                not_before: Duration::ZERO,
                waiting_since: None,
                partial: None,
                partial_at: Duration::ZERO,
                stray_partials: false,
                rng: fastrand::Rng::with_seed(life.incarnation),
            }),
            stats: Mutex::new(stats),
        }
    }

    /// A snapshot of what it did.
    pub fn stats(&self) -> ArchiveStats {
        let mut stats = self.stats.lock().clone();
        stats.lag_bytes = self.wal.flushed().0.saturating_sub(self.wal.archived().0);
        stats
    }

    /// Archives one finished segment, or, when its time has come, what there is of the next. `now` is any clock that goes forwards. Gives the number of
    /// segments archived. After a failure it waits, longer each time, unless `at_once`. Blocks for the store.
    pub fn step(&self, settings: &ArchiveSettings, now: Duration, at_once: bool) -> Result<usize> {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        let finished = self.is_finished(inner.state.next);
        inner.waiting_since = if finished { inner.waiting_since.or(Some(now)) } else { None };
        let done =
            if now < inner.not_before && !at_once { Ok(0) } else { self.attempt(inner, settings, now) };
        if done.as_ref().is_ok_and(|n| *n > 0) {
            inner.waiting_since = None;
        }
        let behind = self.is_finished(inner.state.next);
        self.guard_space(settings, behind);
        let waited = inner.waiting_since.map_or(Duration::ZERO, |since| now.saturating_sub(since));
        self.stats.lock().oldest_wait = waited;
        if let Err(e) = &done
            && is_waiting(e)
        {
            if inner.not_before <= now {
                inner.not_before = now + WATCH_PAUSE;
            }
        } else if let Err(e) = &done {
            inner.failures = inner.failures.saturating_add(1);
            let longest = BACK_OFF.0.saturating_mul(1 << (inner.failures - 1).min(10)).min(BACK_OFF.1);
            // Between half of it and all: many databases that lost their store do not come back to it all at once.
            let wait = longest.mul_f64(0.5 + inner.rng.f64() / 2.0);
            inner.not_before = now + wait;
            let mut stats = self.stats.lock();
            stats.failed += 1;
            stats.last_failed = Some(object_name(inner.state.timeline, inner.state.next));
            stats.last_failed_us = clock::wall_us();
            stats.last_error = Some(e.to_string());
            tracing::warn!(
                "archiving log segment {:016x} failed {} times in a row, next attempt in {:.1} s: {e}; the oldest finished segment has waited {} s, {} bytes of log are not archived",
                inner.state.next,
                inner.failures,
                wait.as_secs_f64(),
                waited.as_secs(),
                self.wal.flushed().0.saturating_sub(self.wal.archived().0)
            );
        }
        done
    }

    fn attempt(&self, inner: &mut Inner, settings: &ArchiveSettings, now: Duration) -> Result<usize> {
        let segment = inner.state.next;
        let done = if self.is_finished(segment) {
            self.own(inner, now)?;
            self.ship(inner, settings, segment)?;
            inner.partial_at = now;
            1
        } else {
            if !inner.owned {
                self.own(inner, now)?; // an archive that is somebody else's is told of now, not after the first segment
            }
            if settings.timeout > Duration::ZERO && now.saturating_sub(inner.partial_at) >= settings.timeout {
                self.ship_partial(inner, settings, now)?;
                inner.partial_at = now;
            }
            0
        };
        if now.saturating_sub(inner.beat_at) >= BEAT {
            inner.owner.beat(&*self.store, inner.state.timeline)?;
            inner.beat_at = now;
        }
        inner.failures = 0;
        inner.not_before = Duration::ZERO;
        Ok(done)
    }

    /// Archives what there is of the unfinished segment at once: for a shutdown. Finished ones must have been before.
    pub fn finish(&self, settings: &ArchiveSettings, now: Duration) -> Result<()> {
        if self.inner.lock().failures > 0 {
            return Ok(()); // it was told, and would be slow to fail again
        }
        while self.step(settings, now, true)? > 0 {}
        self.ship_partial(&mut self.inner.lock(), settings, now)
    }

    /// Archives what there is up to `upto`, which is durable here, at once; true if the archive has it then. One attempt. Blocks for the store.
    pub fn reach(&self, settings: &ArchiveSettings, now: Duration, upto: Lsn) -> Result<bool> {
        while self.wal.archived() < upto && self.step(settings, now, true)? > 0 {}
        let mut inner = self.inner.lock();
        if self.wal.archived() < upto {
            self.ship_partial(&mut inner, settings, now)?;
        }
        let in_partial =
            inner.partial.as_ref().is_some_and(|(s, end, _)| *s == inner.state.next && *end >= upto);
        Ok(in_partial || self.wal.archived() >= upto)
    }

    /// Makes sure that the archive is this database's own; `now` as for `step`. Errors as of [`Owner::claim`]. Blocks for the store.
    pub fn claim(&self, now: Duration) -> Result<()> {
        self.own(&mut self.inner.lock(), now)
    }

    /// Where it archives to.
    pub fn store(&self) -> &Arc<dyn ArchiveStore> {
        &self.store
    }

    /// The same, without waiting for a store. A timeline that has no number yet is its parent's continuation to whoever follows: he would go on from there, too, should he
    /// take over now. `None`: it is not.
    pub fn progress(&self) -> Option<ArchiveState> {
        let timeline = match self.stats.lock().timeline {
            0 => self.parent?,
            number => number,
        };
        Some(ArchiveState { timeline, next: self.wal.geometry().segment_of(self.wal.archived()), of: 0 })
    }

    /// Under which timeline, and the first segment that is not archived.
    pub fn state(&self) -> ArchiveState {
        self.inner.lock().state
    }

    fn is_finished(&self, segment: u64) -> bool {
        segment < self.life.segment || self.wal.flushed_records() >= self.wal.geometry().start_of(segment + 1)
    }

    fn own(&self, inner: &mut Inner, now: Duration) -> Result<()> {
        if inner.owned {
            return inner.owner.check(&*self.store, inner.state.timeline);
        }
        let of = crc32c::crc32c(self.store.describe().as_bytes());
        if inner.state.of == of {
            self.must_be_there(inner.state.timeline)?;
        }
        if inner.state.timeline != 1 {
            self.claim_timeline(inner)?;
        }
        inner.owner.claim(&*self.store, inner.state.timeline, &mut inner.watched, now)?;
        if let Some(parted) = ahead::parted(&*self.store, &inner.state, self.wal.geometry(), &self.lives)? {
            self.leave_timeline(inner, parted)?;
            inner.owner.claim(&*self.store, inner.state.timeline, &mut inner.watched, now)?;
        }
        if inner.state.of != of {
            let state = ArchiveState { of, ..inner.state };
            state.write(&*self.disk)?;
            inner.state = state;
        }
        (inner.owned, inner.beat_at) = (true, now);
        Ok(())
    }

    /// An archive that was this database's own is not begun anew: it may not be mounted, and log that goes into the mount point is lost to it.
    fn must_be_there(&self, timeline: u32) -> Result<()> {
        if timeline == 0 || self.store.get(&owner_object(timeline)).map_err(failed)?.is_some() {
            return Ok(());
        }
        for prefix in [folder(timeline), "backups/".into()] {
            if !self.store.list(&prefix).map_err(failed)?.is_empty() {
                return Ok(());
            }
        }
        Err(Error::InvalidArgument(format!(
            "the archive {} holds nothing of what this server put there: is it mounted? If it was emptied on purpose, set another archive_url, and make a base backup",
            self.store.describe()
        )))
    }

    /// The archive has log up to `end` where this life goes on from an earlier place: it gets a timeline of its own.
    fn leave_timeline(&self, inner: &mut Inner, (from, end): (LifeStart, Lsn)) -> Result<()> {
        let (left, at) = (inner.state.timeline, from.at);
        let own = (self.life.database_id, self.life.incarnation);
        inner.state = ahead::leave(&*self.disk, &inner.state, own, &from, self.wal.geometry())?;
        self.wal.set_archived(self.wal.geometry().start_of(inner.state.next));
        self.stats.lock().timeline = 0;
        self.claim_timeline(inner)?;
        tracing::warn!(
            "the archive {} has log of this database up to {end}, but the log in its folder left that at {at}: the folder was set back to an earlier state, or has lost the end of its log. \
             What is logged from here on is archived under timeline {}. What was committed behind {at} before is in the archive only: restore it with --timeline {left}; \
             and take a base backup of what goes on here",
            self.store.describe(),
            inner.state.timeline
        );
        Ok(())
    }

    /// The timeline of a restored database gets its number, durably here, before anything is archived under it.
    fn claim_timeline(&self, inner: &mut Inner) -> Result<()> {
        let Some(ours) = History::read_file(&*self.disk)? else {
            return Err(Error::corrupt(
                "the file \"timeline\" in the database's folder is missing: it says what was restored",
            ));
        };
        let ours = History { timeline: inner.state.timeline, ..ours };
        let number = claim(&*self.store, &ours)?;
        if number != inner.state.timeline {
            let state = ArchiveState { timeline: number, ..inner.state };
            state.write(&*self.disk)?;
            inner.state = state;
            self.stats.lock().timeline = number;
            tracing::info!("the log is archived under timeline {number} from here on");
        }
        Ok(())
    }

    /// Refuses writes while too much log waits, or the disk has little left for it.
    fn guard_space(&self, settings: &ArchiveSettings, behind: bool) {
        let segment_bytes = self.wal.geometry().segment_bytes;
        // Less than that waits always: the segment being written, and the one on its way.
        let at_least = 2 * segment_bytes;
        let max = if settings.lag_bytes_max == 0 { u64::MAX } else { settings.lag_bytes_max.max(at_least) };
        let reserve = RESERVE_SEGMENTS * segment_bytes;
        let full = behind && matches!(self.disk.free_bytes(), Ok(Some(free)) if free < reserve);
        self.wal.limit_archive_lag(max, full);
        let refused = full || self.wal.flushed().0.saturating_sub(self.wal.archived().0) > max;
        let mut stats = self.stats.lock();
        if refused && !stats.writes_refused {
            tracing::error!("writes are refused until the log archive has caught up: see pg_stat_archiver");
        }
        stats.writes_refused = refused;
    }

    fn ship(&self, inner: &mut Inner, settings: &ArchiveSettings, segment: u64) -> Result<()> {
        let name = object_name(inner.state.timeline, segment);
        let exists = |n| {
            let file = segment::path(n);
            self.disk.exists(&file).map_err(|e| Error::io(format!("looking for {file}"), e))
        };
        // Where none follows it is one that was left over, to be used again: where its log ends nobody knows.
        let is_followed = || {
            let skips = || segment::open(&*self.disk, segment + 2);
            Ok::<_, Error>(exists(segment + 1)? || skips()?.is_some_and(|(_, h)| h.begins_life()))
        };
        if segment < self.life.segment && !(exists(segment)? && is_followed()?) {
            return self.pass_missing(inner, segment, &name);
        }
        let mut cut = self.cut(segment)?;
        let end = cut.end;
        let packed = prepare(&mut cut, inner.state.timeline, settings)?;
        let stored = match self.store.create(&name, &packed) {
            Ok(()) => {
                // The answer is not believed: what was stored is read back.
                let there = self.store.get(&name).map_err(failed)?;
                if there.is_none_or(|(bytes, _)| bytes != packed) {
                    return Err(Error::corrupt(format!(
                        "the archive does not give \"{name}\" back as it was put"
                    )));
                }
                packed.len()
            }
            Err(StoreError::Exists(_)) => self.must_be_same(&name, cut)?,
            Err(e) => return Err(failed(e)),
        };
        {
            let mut stats = self.stats.lock();
            stats.archived += 1;
            stats.log_bytes += self.wal.geometry().usable();
            stats.stored_bytes += stored as u64;
            stats.last_archived = Some(name);
            stats.last_archived_us = clock::wall_us();
        }
        self.advance(inner, segment + 1);
        self.drop_partials(inner, segment, end);
        Ok(())
    }

    /// Everything before `next` is archived.
    fn advance(&self, inner: &mut Inner, next: u64) {
        inner.state.next = next;
        // A hint: without it the next start finds the objects there.
        if let Err(e) = inner.state.write(&*self.disk) {
            tracing::warn!("remembering what is archived failed, will be made up for: {e}");
        }
        self.wal.set_archived(self.wal.geometry().start_of(next));
    }

    /// A segment is in the archive already: an attempt whose answer was lost. Gives its size there.
    fn must_be_same(&self, name: &str, mut ours: Cut) -> Result<usize> {
        let Some((bytes, _)) = self.store.get(name).map_err(failed)? else {
            return Err(Error::corrupt(format!("the archive's \"{name}\" comes and goes")));
        };
        let (mut theirs, _) = unpack(&bytes)?;
        let size = bytes.len();
        // It may have been stripped or not, and compressed otherwise: the log in it counts.
        strip(&mut ours)?;
        strip(&mut theirs)?;
        if ours != theirs {
            return Err(Error::corrupt(format!(
                "the archive has another log in \"{name}\": it is not this database's history, or another server writes to it"
            )));
        }
        Ok(size)
    }

    /// A segment of an earlier life is not here: archived already, never needed, or lost.
    fn pass_missing(&self, inner: &mut Inner, segment: u64, name: &str) -> Result<()> {
        let geometry = self.wal.geometry();
        let next_here =
            segment::list(&*self.disk)?.into_iter().find(|s| *s > segment).unwrap_or(self.life.segment);
        if self.store.get(name).map_err(failed)?.is_some() {
            self.advance(inner, segment + 1);
            return Ok(());
        }
        // A life that ended where its segment did: the next begins one further.
        let skipped = segment::open(&*self.disk, next_here)?.is_some_and(|(_, h)| {
            next_here == segment + 1 && h.begins_life() && h.prev_end == geometry.start_of(segment)
        });
        if !skipped {
            tracing::error!(
                "log segments {segment:016x} to {:016x} are gone and were never archived: the archive has a gap, take a new base backup",
                next_here - 1
            );
            self.stats.lock().gaps += 1;
        }
        self.advance(inner, next_here);
        Ok(())
    }

    /// What is to be archived of a finished segment (invariant 4).
    fn cut(&self, segment: u64) -> Result<Cut> {
        let geometry = self.wal.geometry();
        if segment >= self.life.segment {
            return self.cut_to(segment, self.wal.flushed());
        }
        for next in [segment + 1, segment + 2] {
            let Some((_, h)) = segment::open(&*self.disk, next)? else { continue };
            if next == segment + 1 && !h.begins_life() {
                return self.cut_to(segment, Lsn::MAX);
            }
            if h.begins_life() && geometry.segment_of(h.prev_end) <= next {
                return self.cut_to(segment, h.prev_end);
            }
        }
        Err(Error::corrupt(format!(
            "log segment {}, which follows one that is to be archived, is missing or damaged",
            segment::path(segment + 1)
        )))
    }

    fn cut_to(&self, segment: u64, end: Lsn) -> Result<Cut> {
        let name = segment::path(segment);
        let Some((file, header)) = segment::open(&*self.disk, segment)? else {
            return Err(Error::corrupt(format!("log segment {name} is missing or damaged")));
        };
        let mut bytes = AlignedBuf::new(header.segment_bytes as usize);
        read_exact_at(&*file, &mut bytes, 0)
            .map_err(|e| Error::io(format!("reading log segment {name}"), e))?;
        Cut::from_file(&bytes, EndOfLog::At(end))
    }

    fn ship_partial(&self, inner: &mut Inner, settings: &ArchiveSettings, now: Duration) -> Result<()> {
        let (segment, end) = (inner.state.next, self.wal.flushed_records());
        let start = self.wal.geometry().start_of(segment);
        let nothing_new = inner.partial.as_ref().is_some_and(|(s, e, _)| *s == segment && *e >= end);
        if end <= start || nothing_new || self.is_finished(segment) {
            return Ok(());
        }
        self.own(inner, now)?;
        let mut cut = self.cut_to(segment, end)?;
        let packed = prepare(&mut cut, inner.state.timeline, settings)?;
        let name = format!("{}{segment:016x}-{:016x}.partial", folder(inner.state.timeline), end.0);
        let certain = !std::mem::replace(&mut inner.stray_partials, true);
        match self.store.create(&name, &packed) {
            Ok(()) => {}
            Err(StoreError::Exists(_)) => drop(self.must_be_same(&name, cut)?),
            Err(e) => return Err(failed(e)),
        }
        let before = inner.partial.replace((segment, end, name));
        if let Some((_, _, old)) = before.filter(|(s, _, _)| *s == segment) {
            self.store.delete(&old).map_err(failed)?;
        }
        inner.stray_partials = !certain;
        Ok(())
    }

    /// Removes what was archived of a segment before it was finished. Leaving some does no harm. The store is asked what there is only where that is not known, that is
    /// for an earlier life's segments and after failures: the answer may take as long as the archive is large.
    fn drop_partials(&self, inner: &mut Inner, segment: u64, end: Lsn) {
        let known = inner.partial.take().filter(|(s, _, _)| *s == segment);
        let names = if segment < self.life.segment || inner.stray_partials {
            let all = self.store.list(&format!("{}{segment:016x}-", folder(inner.state.timeline)));
            // One that goes on behind what was shipped has what nothing else has.
            let is_less = |name: &String| parse_name(name).is_some_and(|(_, _, to)| to <= end);
            all.map(|names| names.into_iter().filter(is_less).collect())
        } else {
            Ok(known.into_iter().map(|(_, _, name)| name).collect())
        };
        let removed =
            names.and_then(|names: Vec<String>| names.iter().try_for_each(|n| self.store.delete(n)));
        inner.stray_partials = removed.is_err();
        if let Err(e) = removed {
            tracing::warn!("removing partial segments failed: {e}");
        }
    }
}

/// Whether it is another owner that is waited for: nothing has failed.
fn is_waiting(e: &Error) -> bool {
    matches!(e, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::WouldBlock)
}

/// Packs a cut, its images taken out or not; either way its records were looked at.
fn prepare(cut: &mut Cut, timeline: u32, settings: &ArchiveSettings) -> Result<Vec<u8>> {
    if settings.strip {
        strip(cut)?;
    } else {
        cut.frames()?;
    }
    pack(cut, timeline, settings.level)
}

/// The first segment that must stay for the archive, given what is remembered; and where to go on.
pub fn resume(disk: &dyn Disk, life: u64) -> Result<ArchiveState> {
    match ArchiveState::read(disk)? {
        Some(state) => Ok(ArchiveState { next: state.next.min(life), ..state }),
        None => {
            let state = ArchiveState { timeline: 1, next: life, of: 0 };
            state.write(disk)?;
            Ok(state)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::MemoryStore;
    use crate::io::{SimDisk, SimOptions};
    use crate::wal::record::padding;
    use crate::wal::{segment, testing};

    /// Its last record need not be followed by another one.
    #[test]
    fn a_segment_is_finished_with_its_last_byte() {
        let disk = SimDisk::new(SimOptions::default());
        let wal = Arc::new(testing::start(&disk, 256 << 10, Arc::default()));
        wal.tuning.set_tells_flushed(false); // nothing but what is logged here
        let (_, first) = segment::open(&disk, 1).unwrap().unwrap();
        let state = resume(&disk, 1).unwrap();
        let store = Arc::new(MemoryStore::default());
        let archiver = Archiver::new(
            Arc::new(disk.clone()),
            wal.clone(),
            store,
            first,
            Vec::new(),
            state,
            Place::default(),
        );
        let settings = ArchiveSettings { timeout: Duration::ZERO, strip: true, level: 0, lag_bytes_max: 0 };
        let mut left = wal.geometry().usable();
        while left > 0 {
            assert_eq!(archiver.step(&settings, Duration::ZERO, true).unwrap(), 0);
            let bytes = left.min(20_000);
            let _promise = wal.promise(bytes).unwrap();
            wal.insert(&padding(bytes), |_| true).unwrap().unwrap();
            wal.flush(wal.completed()).unwrap();
            left -= bytes;
        }
        assert_eq!(wal.flushed(), wal.geometry().start_of(2));
        assert_eq!(archiver.step(&settings, Duration::ZERO, true).unwrap(), 1);
    }

    /// Of a record of which only the beginning is durable a crash leaves nothing: what ends within one is not archived, as a whole segment or as a part.
    #[test]
    fn nothing_is_archived_that_ends_within_a_record() {
        let disk = SimDisk::new(SimOptions::default());
        let wal = Arc::new(testing::start(&disk, 256 << 10, Arc::default()));
        wal.tuning.set_tells_flushed(false);
        let (_, first) = segment::open(&disk, 1).unwrap().unwrap();
        let (state, store) = (resume(&disk, 1).unwrap(), Arc::new(MemoryStore::default()));
        let of_store: Arc<dyn ArchiveStore> = store.clone();
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        let archiver =
            Archiver::new(shared, wal.clone(), of_store, first, Vec::new(), state, Place::default());
        let timeout = Duration::from_secs(1);
        let settings = ArchiveSettings { timeout, strip: true, level: 0, lag_bytes_max: 0 };
        let mut now = Duration::ZERO;
        let log = |bytes: u64| {
            let _promise = wal.promise(bytes).unwrap();
            wal.insert(&padding(bytes), |_| true).unwrap().unwrap();
        };
        let ends = [Lsn(wal.geometry().start_of(1).0 + 20_000), wal.geometry().start_of(2)];
        for end in ends {
            while end.0 - wal.completed().0 > 4_000 {
                log(4_000);
                wal.flush(wal.completed()).unwrap();
            }
            let record = wal.completed();
            log(20_000);
            testing::flush_whole_blocks(&wal);
            assert!(wal.flushed() > end.max(record) && wal.flushed() < wal.completed());
            now += Duration::from_secs(10);
            assert_eq!(archiver.step(&settings, now, true).unwrap(), 0);
            let parts: Vec<_> = store.list("wal/").unwrap().iter().filter_map(|n| parse_name(n)).collect();
            assert_eq!(parts.iter().map(|p| p.2).max(), Some(record), "{parts:?}");
            wal.flush(wal.completed()).unwrap();
        }
        now += Duration::from_secs(10);
        assert_eq!(archiver.step(&settings, now, true).unwrap(), 1);
    }
}
