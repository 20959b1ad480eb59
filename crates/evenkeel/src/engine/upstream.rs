//! A server whose log is followed and whose files are copied: a primary, or a standby that hands on what it receives (S25, cascading).
//!
//! Duty: one face of both for whoever sends: slots, the log, a copy of the files, what readers downstream want. What only one of them can do is refused by it.
//!
//! Invariants
//! 1. Only what is durable here is sent, and with it how far it may be told: a follower tells others no more than that.
//!
//! Must not know: how anything is sent; who follows.

use super::base_copy::log_needed;
use super::database::Database;
use super::feedback::Feedback;
use super::lives::Lives;
use super::slots::{Slot, SlotUse, Slots, TemporarySlot};
use super::standby::Position;
use crate::archive::{ArchiveState, Archiver};
use crate::base::sync::{Instant, RwLockReadGuard};
use crate::base::{Basis, Error, Lsn, Result};
use crate::control::ControlData;
use crate::pool::Pool;
use crate::wal::News;
use crate::wal::segment::Geometry;
use std::sync::Arc;
use std::time::Duration;

/// What it takes to be followed and copied.
pub(super) trait Followed: Sync {
    /// While what is given lives, nobody else gets the folder. An error: it is closed.
    fn enter(&self) -> Result<Option<RwLockReadGuard<'_, ()>>>;
    /// An error: it ends, or has failed.
    fn check(&self) -> Result<()>;
    fn database_id(&self) -> u64;
    fn geometry(&self) -> Geometry;
    fn pool(&self) -> &Arc<Pool>;
    fn slots(&self) -> &Arc<Slots>;
    /// How far the log is durable here, and in which life it is.
    fn position(&self) -> Position;
    /// How far the log is durable here. Does not block.
    fn durable(&self) -> Lsn;
    /// From here on the log is here.
    fn oldest(&self) -> Lsn;
    /// All that pages may hold is logged before this, whole or not yet.
    fn reserved(&self) -> Lsn;
    /// Of that, what is whole.
    fn end(&self) -> Lsn;
    /// Makes the log durable up to here. Blocks for the disk.
    fn flush(&self, to: Lsn) -> Result<()>;
    /// Under which epoch the log is written.
    fn epoch(&self) -> u64;
    fn news(&self) -> News;
    /// Blocks until log beyond `sent` is durable here, or there are other news, or the time has come.
    fn wait_beyond(&self, sent: Lsn, news: &News, until: Instant);
    /// Rests for so long, or until it ends.
    fn pause(&self, rest: Duration);
    /// What the control file has. An error: what is here is of no one moment.
    fn published(&self) -> Result<ControlData>;
    /// Brings all pages home. Blocks for the disk.
    fn checkpoint(&self) -> Result<()>;
    /// Where log is that is not here any more.
    fn archiver(&self) -> Option<&Archiver>;
    /// Under which timeline, and up to which segment, the log is archived; `None`: it is not, as far as is known.
    fn archive_progress(&self) -> Option<ArchiveState>;
    /// For one follower.
    fn feedback(&self) -> Feedback;
}

/// See the file's head. Given by [`Database::upstream`](super::database::Database::upstream) and [`Standby::upstream`](super::standby::Standby::upstream).
#[derive(Clone, Copy)]
pub struct Upstream<'u>(pub(super) &'u dyn Followed, pub(super) Option<i32>);

impl<'u> Upstream<'u> {
    /// As this one, for the session of this number: slots that it uses say so, and its temporary ones it may use and drop.
    pub fn by(self, pid: i32) -> Upstream<'u> {
        Upstream(self.0, Some(pid))
    }

    /// Which database this is: its copies and standbys are the same.
    pub fn database_id(self) -> u64 {
        self.0.database_id()
    }

    /// How far the log is durable here, and in which life it is.
    pub fn position(self) -> Position {
        self.0.position()
    }

    /// How far the log is durable here.
    pub fn durable(self) -> Lsn {
        self.0.durable()
    }

    /// What those who follow are to know besides the log. Asked behind [`LogStream::next`](super::sending::LogStream::next) and told before what that gave, no log is taken for such as may be told that may not.
    pub fn news(self) -> News {
        self.0.news()
    }

    /// Under which epoch the log is written ([`Options::with_epoch`](super::options::Options::with_epoch)).
    pub fn epoch(self) -> u64 {
        self.0.epoch()
    }

    /// Under which timeline, and up to which segment, the log is archived; `None`: it is not, as far as is known.
    pub fn archive_progress(self) -> Option<ArchiveState> {
        self.0.archive_progress()
    }

    /// Up to where a server with these lives of its log, youngest first, has the same log as this one. `None`: nowhere, as far as is known. Blocks for the disk.
    pub fn fork(self, lives: &[(u64, Lsn)]) -> Result<Option<Lsn>> {
        let own = Lives::read(&**self.0.pool().files().disk())?;
        let at = self.position();
        Ok(own.fork(at.life, at.lsn, lives))
    }

    /// What one follower's readers want is kept by what this gives.
    pub fn feedback(self) -> Feedback {
        self.0.feedback()
    }

    /// Creates a replication slot, durably; with `reserve` the log is kept for it from now on, as far back as a start would need it. Gives from where on that is. Blocks
    /// for the disk.
    pub fn create_slot(self, name: &str, reserve: bool) -> Result<Option<Lsn>> {
        let slots = self.0.slots();
        let create = |restart| slots.create(name, restart).map(|()| restart);
        self.keeping_log(reserve, &create, &|_| slots.drop_slot(name, None))
    }

    /// As [`Upstream::create_slot`], of one that goes with what this gives, and with the server.
    pub fn create_temporary_slot(self, name: &str, reserve: bool) -> Result<TemporarySlot> {
        let create = |restart| self.0.slots().create_temporary(name, restart, self.1);
        self.keeping_log(reserve, &create, &|slot| {
            drop(slot);
            Ok(())
        })
    }

    /// Creates a slot by `create`, which gets from where on the log is to be kept.
    fn keeping_log<T>(
        self,
        reserve: bool,
        create: &dyn Fn(Option<Lsn>) -> Result<T>,
        undo: &dyn Fn(T) -> Result<()>,
    ) -> Result<T> {
        let _at_work = self.0.enter()?;
        if !reserve {
            return create(None);
        }
        loop {
            let disk = self.0.pool().files().disk();
            let lsn = log_needed(&&**disk, self.0.geometry(), self.0.published()?.log_needed)?;
            let created = create(Some(lsn))?;
            // A round may have let go of it meanwhile, and has published a later place then.
            if self.0.oldest() <= lsn {
                return Ok(created);
            }
            undo(created)?;
        }
    }

    /// Drops a replication slot, durably. Blocks for the disk. `SlotInUse`: somebody else uses it.
    pub fn drop_slot(self, name: &str) -> Result<()> {
        let _at_work = self.0.enter()?;
        self.0.slots().drop_slot(name, self.1)
    }

    /// All replication slots.
    pub fn slots(self) -> Vec<Slot> {
        self.0.slots().list()
    }

    /// Begins to use a replication slot. `SlotInUse`: somebody does already.
    pub fn use_slot(self, name: &str) -> Result<SlotUse> {
        let _at_work = self.0.enter()?;
        self.0.slots().take(name, self.1)
    }
}

impl Followed for Database {
    fn enter(&self) -> Result<Option<RwLockReadGuard<'_, ()>>> {
        self.core().enter().map(Some)
    }

    fn check(&self) -> Result<()> {
        let core = self.core();
        core.check_open()?;
        core.env.wal.poison().check()?;
        if *core.closing.lock() { Err(Error::Closed) } else { Ok(()) }
    }

    fn database_id(&self) -> u64 {
        self.core().database_id
    }

    fn geometry(&self) -> Geometry {
        self.core().env.wal.geometry()
    }

    fn pool(&self) -> &Arc<Pool> {
        &self.core().env.pool
    }

    fn slots(&self) -> &Arc<Slots> {
        &self.core().slots
    }

    fn position(&self) -> Position {
        let wal = &self.core().env.wal;
        Position { life: wal.incarnation(), lsn: wal.flushed() }
    }

    fn oldest(&self) -> Lsn {
        self.core().env.wal.oldest_lsn()
    }

    fn durable(&self) -> Lsn {
        self.core().env.wal.flushed()
    }

    fn reserved(&self) -> Lsn {
        self.core().env.wal.next_lsn()
    }

    fn end(&self) -> Lsn {
        self.core().env.wal.completed()
    }

    fn flush(&self, to: Lsn) -> Result<()> {
        self.core().env.wal.flush(to).map(drop)
    }

    fn epoch(&self) -> u64 {
        self.core().env.wal.epoch()
    }

    fn news(&self) -> News {
        self.core().env.horizon.news()
    }

    fn wait_beyond(&self, sent: Lsn, news: &News, until: Instant) {
        self.core().env.horizon.wait_beyond(sent, news, until);
    }

    fn pause(&self, rest: Duration) {
        if self.core().has_threads {
            self.core().pause(rest);
        }
    }

    fn published(&self) -> Result<ControlData> {
        Ok(self.core().primary().checkpointer.published())
    }

    fn checkpoint(&self) -> Result<()> {
        self.core().forced_checkpoint(None).map(drop)
    }

    fn archiver(&self) -> Option<&Archiver> {
        self.core().primary().archiver.as_ref()
    }

    fn archive_progress(&self) -> Option<ArchiveState> {
        self.core().primary().archiver.as_ref()?.progress()
    }

    fn feedback(&self) -> Feedback {
        Feedback::kept(self.core().clone())
    }
}

impl Database {
    /// For whoever follows this database, or copies it: of a primary only.
    pub fn upstream(&self) -> Upstream<'_> {
        Upstream(self, None)
    }

    /// Which database this is: its copies and standbys are the same.
    pub fn database_id(&self) -> u64 {
        self.core().database_id
    }

    /// All replication slots, of a standby that is read as well.
    pub fn slots(&self) -> Vec<Slot> {
        self.core().slots.list()
    }

    /// Drops a replication slot, durably, of a standby that is read as well. Blocks for the disk.
    pub fn drop_slot(&self, name: &str) -> Result<()> {
        let _at_work = self.core().enter_reading()?;
        self.core().slots.drop_slot(name, None)
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
}
