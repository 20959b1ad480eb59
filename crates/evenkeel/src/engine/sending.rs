//! The log of a server for who follows it (S25), from its archive where it is not here any more.
//!
//! Invariants
//! 1. As of `upstream.rs`.
//!
//! Must not know: how it is sent; who follows.

use super::restore::fetch::Fetch;
use super::restore::log::ArchivedLog;
use super::standby::Position;
use super::upstream::{Followed, Upstream};
use crate::archive::{self, Archiver, LogMap};
use crate::base::sync::Instant;
use crate::base::{Error, Lsn, Result};
use crate::wal::News;
use crate::wal::segment::Header;
use crate::wal::sending::{Piece, Sender};
use crate::wal::source::{LogSource, SegmentBytes};
use std::time::Duration;

/// Attempts to read the archive, before the follower is to come again.
const ATTEMPTS: u32 = 3;

/// The log from a position on, piece by piece.
pub struct LogStream<'d> {
    up: &'d dyn Followed,
    sender: Sender<'d>,
    /// What is not here is read from the archive.
    has_archive: bool,
    /// How far the log was durable when there was no next piece.
    seen: Lsn,
}

impl LogStream<'_> {
    /// The next piece, about `bytes` long. `None`: there is nothing more for now; `position` is what to wait for then. Blocks for the disk.
    pub fn next(&mut self, bytes: usize) -> Result<Option<Piece<'_>>> {
        self.up.check()?;
        let (at, oldest) = (self.sender.position(), self.up.oldest());
        if !self.has_archive && at < oldest {
            return Err(gone(at, oldest));
        }
        let durable = self.up.durable();
        let piece = self.sender.next(durable, bytes)?;
        if piece.is_none() {
            self.seen = durable;
            let oldest = self.up.oldest();
            // Archived and removed here since the archive was listed: another attempt finds it there.
            if self.has_archive && at < oldest {
                return Err(gone(at, oldest));
            }
        }
        Ok(piece)
    }

    /// Blocks until there may be a next piece, or other news than these, or `within` is over.
    pub fn wait(&self, news: &News, within: Duration) {
        // The durable end may lie within the next record, of which there is more to come then.
        self.up.wait_beyond(self.sender.position().max(self.seen), news, Instant::now() + within);
    }

    /// Where the next piece begins.
    pub fn position(&self) -> Lsn {
        self.sender.position()
    }
}

fn gone(at: Lsn, oldest: Lsn) -> Error {
    Error::InvalidArgument(format!(
        "the log from {at} on is not here any more, only from {oldest} on, and not in an archive: no replication slot kept it so long (max_slot_wal_keep_size bounds what one keeps). Stopped, evenkeel rejoin brings the follower what is missing, without a new copy"
    ))
}

/// What the archive has of the log, for a follower who needs what is not here any more.
struct Archived {
    fetch: Fetch,
    map: LogMap,
    last: u64,
}

impl Archived {
    fn list(up: &dyn Followed, archiver: &Archiver) -> Result<Archived> {
        let fetch = Fetch::new(archiver.store().clone(), ATTEMPTS);
        // Its state is asked for only where there is no other way: whoever ships holds it, for as long as the store takes.
        let at = archiver.progress().unwrap_or_else(|| archiver.state());
        let legs = archive::lineage(&archive::histories(fetch.store())?, at.timeline, &|n| {
            archive::has_log(fetch.store(), n)
        })?;
        let (geometry, id) = (up.geometry(), up.database_id());
        let map = fetch.again(|s| LogMap::read(s, geometry, id, legs.clone()))?;
        Ok(Archived { fetch, map, last: at.next })
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

impl Upstream<'_> {
    /// Gives `f` the log from a position on, with or without page images. `InvalidArgument`: the position is not one of this log, or is not here any more. The log is not
    /// kept for it.
    pub fn with_log_stream<R>(
        self,
        from: Position,
        images: bool,
        f: impl FnOnce(&mut LogStream<'_>) -> Result<R>,
    ) -> Result<R> {
        let up = self.0;
        let _at_work = up.enter()?;
        let durable = up.durable();
        if from.lsn > durable {
            return Err(Error::InvalidArgument(format!(
                "the position {} lies behind the end of this log, {durable}: the other server has log that this one never had",
                from.lsn
            )));
        }
        let disk = up.pool().files().disk().clone();
        let here: &dyn LogSource = &&*disk;
        let archive = match up.archiver() {
            Some(archiver) if from.lsn < up.oldest() => Some(Archived::list(up, archiver)?),
            _ => None,
        };
        let archived = archive.as_ref().map(Archived::log);
        let all = AllLog { here, archived };
        let source: &dyn LogSource = if all.archived.is_some() { &all } else { here };
        let reaches_to = if all.archived.is_some() { Lsn::ZERO } else { up.oldest() };
        let from = begin_at(source, up, reaches_to, from)?;
        let sender = Sender::new(source, up.geometry(), from, !images)?;
        f(&mut LogStream { up, sender, has_archive: all.archived.is_some(), seen: Lsn::ZERO })
    }
}

/// Where to read on for who has come to `from`: there, or, if its life ended just there, where the next one begins.
fn begin_at(source: &dyn LogSource, up: &dyn Followed, oldest: Lsn, from: Position) -> Result<Lsn> {
    let segment = up.geometry().segment_of(from.lsn.max(oldest));
    let start = up.geometry().start_of(segment);
    let header = source.open(segment)?.map(|(_, header)| header);
    let has_ended = |h: &Header| (h.prev_incarnation, h.prev_end) == (from.life, from.lsn);
    // Its life may have ended here before it came so far: the header behind it says so.
    let next = source.peek(segment + 1)?.filter(|h| h.begins_life() && h.prev_incarnation == from.life);
    if let Some(next) = next.filter(|h| from.life != 0 && h.prev_end < from.lsn) {
        return Err(Error::InvalidArgument(format!(
            "the other server's log has left this one: it has come to {} of life {:016x}, which ended at {} here. Stopped, evenkeel rejoin has it follow this one, without a new copy",
            from.lsn, from.life, next.prev_end
        )));
    }
    match header {
        Some(h) if from.lsn <= start && has_ended(&h) => Ok(start),
        _ if from.lsn < oldest => Err(gone(from.lsn, up.oldest())),
        None if from.lsn < up.oldest() => Err(gone(from.lsn, up.oldest())),
        // Who has only a copy of the files knows of no life.
        Some(h) if h.incarnation == from.life || from.life == 0 => Ok(from.lsn),
        _ => Err(Error::InvalidArgument(format!(
            "the other server's log has left this one: at {} it is in life {:016x}, this one in {:016x}. Stopped, evenkeel rejoin has it follow this one, without a new copy",
            from.lsn,
            from.life,
            header.map_or(0, |h| h.incarnation)
        ))),
    }
}
