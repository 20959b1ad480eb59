//! The log of an open database for who follows it (S25).
//!
//! Invariants
//! 1. Only what is durable here is sent, and with it how far it may be told: a follower tells others no more than that.
//!
//! Must not know: how it is sent; who follows.

use super::base_copy::log_needed;
use super::core::Core;
use super::database::Database;
use super::restore::fetch::Fetch;
use super::restore::log::ArchivedLog;
use super::slots::{Slot, SlotUse};
use super::standby::Position;
use crate::archive::{self, ArchiveState, Archiver, LogMap};
use crate::base::sync::Instant;
use crate::base::{Basis, Error, Lsn, Result};
use crate::wal::segment::Header;
use crate::wal::sending::{Piece, Sender};
use crate::wal::source::{LogSource, SegmentBytes};
use crate::wal::{News, Wal};
use std::time::Duration;

/// Attempts to read the archive, before the follower is to come again.
const ATTEMPTS: u32 = 3;

/// The log from a position on, piece by piece.
pub struct LogStream<'d> {
    database: &'d Database,
    sender: Sender<'d>,
    /// What is not here is read from the archive.
    has_archive: bool,
}

impl LogStream<'_> {
    /// The next piece, about `bytes` long. `None`: there is nothing more for now; `position` is what to wait for then. Blocks for the disk.
    pub fn next(&mut self, bytes: usize) -> Result<Option<Piece<'_>>> {
        let core = self.database.core();
        let wal = &core.env.wal;
        wal.poison().check()?;
        if *core.closing.lock() {
            return Err(Error::Closed);
        }
        if !self.has_archive && self.sender.position() < wal.oldest_lsn() {
            return Err(gone(self.sender.position(), wal));
        }
        let durable = self.database.durable_lsn();
        let at = self.sender.position();
        match self.sender.next(durable, bytes)? {
            // Archived and removed here since the archive was listed: another attempt finds it there.
            None if self.has_archive && at < durable => Err(gone(at, wal)),
            piece => Ok(piece),
        }
    }

    /// Blocks until there may be a next piece, or other news than these, or `within` is over.
    pub fn wait(&self, news: &News, within: Duration) {
        let until = Instant::now() + within;
        self.database.core().env.horizon.wait_beyond(self.sender.position(), news, until);
    }

    /// Where the next piece begins.
    pub fn position(&self) -> Lsn {
        self.sender.position()
    }
}

fn gone(at: Lsn, wal: &Wal) -> Error {
    Error::InvalidArgument(format!(
        "the log from {at} on is not here any more, only from {} on, and not in an archive: it was not kept, for want of a replication slot",
        wal.oldest_lsn()
    ))
}

/// What the archive has of the log, for a follower who needs what is not here any more.
struct Archived {
    fetch: Fetch,
    map: LogMap,
    last: u64,
}

impl Archived {
    fn list(core: &Core, archiver: &Archiver) -> Result<Archived> {
        let wal = &core.env.wal;
        let fetch = Fetch::new(archiver.store().clone(), ATTEMPTS);
        let legs = archive::lineage(&archive::histories(fetch.store())?, archiver.state().timeline)?;
        let geometry = wal.geometry();
        let map = fetch.again(|s| LogMap::read(s, geometry, core.database_id, legs.clone()))?;
        Ok(Archived { fetch, map, last: geometry.segment_of(wal.archived()) })
    }

    fn log(&self) -> ArchivedLog<'_> {
        ArchivedLog::new(&self.fetch, &self.map, self.last, 1)
    }
}

/// The log, from the archive where it is not here. What is neither here nor was in the archive when that was listed is had by another attempt.
struct AllLog<'a> {
    here: &'a dyn LogSource,
    archived: Option<ArchivedLog<'a>>,
}

impl LogSource for AllLog<'_> {
    fn open(&self, segment: u64) -> Result<Option<(SegmentBytes, Header)>> {
        match (self.here.open(segment)?, &self.archived) {
            (Some(here), _) => Ok(Some(here)),
            (None, Some(archived)) => archived.open(segment),
            (None, None) => Ok(None),
        }
    }

    fn peek(&self, segment: u64) -> Result<Option<Header>> {
        self.here.peek(segment)
    }
}

impl Database {
    /// Which database this is: its copies and standbys are the same.
    pub fn database_id(&self) -> u64 {
        self.core().database_id
    }

    /// What those who follow are to know besides the log. Asked behind [`LogStream::next`] and told before what that gave, no log is taken for such as may be told that may not.
    pub fn log_news(&self) -> News {
        self.core().env.horizon.news()
    }

    /// Under which epoch the log is written ([`Options::with_epoch`](super::options::Options::with_epoch)).
    pub fn epoch(&self) -> u64 {
        self.core().env.wal.epoch()
    }

    /// Facts are told until this time by [`boot_us`](crate::base::clock::boot_us) from now on, and none behind it; may be said again and again. 0: none any more. Whoever asks meanwhile waits.
    pub fn lease(&self, until_us: u64) {
        self.core().env.horizon.lease(until_us);
    }

    /// What whoever reads anything rests on.
    pub fn reading_floor(&self) -> Basis {
        self.core().env.horizon.floor()
    }

    /// Under which timeline, and up to which segment, the log is archived; `None`: it is not, as far as is known.
    pub fn archive_progress(&self) -> Option<ArchiveState> {
        self.core().primary.as_ref()?.archiver.as_ref()?.progress()
    }

    /// How far the log is durable here, and in which life it is.
    pub fn log_position(&self) -> Position {
        Position { life: self.core().env.wal.incarnation(), lsn: self.durable_lsn() }
    }

    /// Creates a replication slot, durably; with `reserve` the log is kept for it from now on, as far back as a start would need it. Gives from where on that is. Blocks
    /// for the disk.
    pub fn create_slot(&self, name: &str, reserve: bool) -> Result<Option<Lsn>> {
        let core = self.core();
        let _at_work = core.enter()?;
        let wal = &core.env.wal;
        if !reserve {
            return core.primary().slots.create(name, None).map(|()| None);
        }
        loop {
            let lsn = log_needed(core, &core.primary().checkpointer.published())?;
            core.primary().slots.create(name, Some(lsn))?;
            // A round may have let go of it meanwhile, and has published a later place then.
            if wal.oldest_lsn() <= lsn {
                return Ok(Some(lsn));
            }
            core.primary().slots.drop_slot(name)?;
        }
    }

    /// Drops a replication slot, durably. Blocks for the disk.
    pub fn drop_slot(&self, name: &str) -> Result<()> {
        let _at_work = self.core().enter()?;
        self.core().primary().slots.drop_slot(name)
    }

    /// All replication slots.
    pub fn slots(&self) -> Vec<Slot> {
        self.core().primary.as_ref().map_or_else(Vec::new, |p| p.slots.list())
    }

    /// Begins to use a replication slot. `SlotInUse`: somebody does already.
    pub fn use_slot(&self, name: &str) -> Result<SlotUse> {
        let _at_work = self.core().enter()?;
        self.core().primary().slots.take(name)
    }

    /// Gives `f` the log from a position on, with or without page images. `InvalidArgument`: the position is not one of this log, or is not here any more. The log is not
    /// kept for it.
    pub fn with_log_stream<R>(
        &self,
        from: Position,
        images: bool,
        f: impl FnOnce(&mut LogStream<'_>) -> Result<R>,
    ) -> Result<R> {
        let core = self.core();
        let _at_work = core.enter()?;
        let wal = &core.env.wal;
        if from.lsn > wal.flushed() {
            return Err(Error::InvalidArgument(format!(
                "the position {} lies behind the end of this log, {}: the other server has log that this one never had",
                from.lsn,
                wal.flushed()
            )));
        }
        let disk = core.env.pool.files().disk().clone();
        let here: &dyn LogSource = &&*disk;
        let archive = match &core.primary().archiver {
            Some(archiver) if from.lsn < wal.oldest_lsn() => Some(Archived::list(core, archiver)?),
            _ => None,
        };
        let archived = archive.as_ref().map(Archived::log);
        let all = AllLog { here, archived };
        let source: &dyn LogSource = if all.archived.is_some() { &all } else { here };
        let oldest = if all.archived.is_some() { Lsn::ZERO } else { wal.oldest_lsn() };
        let from = begin_at(source, wal, oldest, from)?;
        let sender = Sender::new(source, wal.geometry(), from, !images)?;
        f(&mut LogStream { database: self, sender, has_archive: all.archived.is_some() })
    }
}

/// Where to read on for who has come to `from`: there, or, if its life ended just there, where the next one begins.
fn begin_at(source: &dyn LogSource, wal: &Wal, oldest: Lsn, from: Position) -> Result<Lsn> {
    let segment = wal.geometry().segment_of(from.lsn.max(oldest));
    let start = wal.geometry().start_of(segment);
    let header = source.open(segment)?.map(|(_, header)| header);
    let has_ended = |h: &Header| (h.prev_incarnation, h.prev_end) == (from.life, from.lsn);
    match header {
        Some(h) if from.lsn <= start && has_ended(&h) => Ok(start),
        _ if from.lsn < oldest => Err(gone(from.lsn, wal)),
        None if from.lsn < wal.oldest_lsn() => Err(gone(from.lsn, wal)),
        // Who has only a copy of the files knows of no life.
        Some(h) if h.incarnation == from.life || from.life == 0 => Ok(from.lsn),
        _ => Err(Error::InvalidArgument(format!(
            "the other server's log has left this one: at {} it is in life {:016x}, this one in {:016x}",
            from.lsn,
            from.life,
            header.map_or(0, |h| h.incarnation)
        ))),
    }
}
