//! A standby that others follow: it hands on the log that it received, its files, and what readers downstream want (S25).
//!
//! Invariants
//! 1. As of `upstream.rs`. What it may tell is what its primary said; what it has durable counts for nobody who waits there.
//! 2. Whoever follows holds the standby open; once it is to end, or to take over, whoever does is sent away at once.
//!
//! Must not know: how anything is sent.

use super::feedback::Feedback;
use super::replaying::Shared;
use super::slots::Slots;
use super::standby::{Position, Standby};
use super::upstream::{Followed, Upstream};
use crate::archive::{ArchiveState, Archiver};
use crate::base::sync::{Instant, Ordering, RwLockReadGuard};
use crate::base::{Error, Lsn, Result};
use crate::control::ControlData;
use crate::pool::Pool;
use crate::wal::News;
use crate::wal::segment::Geometry;
use std::sync::Arc;
use std::time::Duration;

impl Standby {
    /// For whoever follows this standby, or copies it.
    pub fn upstream(&self) -> Upstream<'_> {
        Upstream(self.shared(), None)
    }

    /// It ends, or takes over: whoever follows it is sent away from now on (invariant 2).
    pub fn send_away(&self) {
        let shared = self.shared();
        shared.leaving.store(true, Ordering::SeqCst);
        drop(shared.state.lock()); // whoever is about to wait has looked by now, or will see it
        shared.changed.notify_all();
    }
}

impl Shared {
    /// There may be more to send, or to say.
    pub(super) fn tell_watchers(&self) {
        if self.watchers.load(Ordering::SeqCst) > 0 {
            drop(self.state.lock());
            self.changed.notify_all();
        }
    }
}

impl Followed for Shared {
    fn enter(&self) -> Result<Option<RwLockReadGuard<'_, ()>>> {
        self.check().map(|()| None)
    }

    fn check(&self) -> Result<()> {
        self.poison.check()?;
        if self.leaving.load(Ordering::SeqCst) { Err(Error::Closed) } else { Ok(()) }
    }

    fn database_id(&self) -> u64 {
        self.rounds.database_id()
    }

    fn geometry(&self) -> Geometry {
        self.receiver.lock().geometry()
    }

    fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    fn slots(&self) -> &Arc<Slots> {
        &self.slots
    }

    fn position(&self) -> Position {
        let receiver = self.receiver.lock();
        Position { life: receiver.life(), lsn: receiver.durable() }
    }

    fn oldest(&self) -> Lsn {
        Lsn(self.oldest.load(Ordering::SeqCst))
    }

    fn durable(&self) -> Lsn {
        self.state.lock().durable // not the receiver's: it is locked while it syncs
    }

    fn reserved(&self) -> Lsn {
        self.durable() // nothing is replayed before
    }

    fn end(&self) -> Lsn {
        self.durable()
    }

    fn flush(&self, to: Lsn) -> Result<()> {
        debug_assert!(to <= self.durable(), "pages are not ahead of the durable log");
        Ok(())
    }

    fn epoch(&self) -> u64 {
        self.receiver.lock().epoch()
    }

    fn news(&self) -> News {
        let told = self.told.lock();
        News { told: told.at, is_asked: told.is_restricted, ..News::default() }
    }

    fn wait_beyond(&self, sent: Lsn, news: &News, until: Instant) {
        self.watchers.fetch_add(1, Ordering::SeqCst);
        let mut state = self.state.lock();
        while state.durable <= sent
            && self.check().is_ok()
            && self.news() == *news
            && !self.changed.wait_until(&mut state, until).timed_out()
        {}
        drop(state);
        self.watchers.fetch_sub(1, Ordering::SeqCst);
    }

    fn pause(&self, rest: Duration) {
        let until = Instant::now() + rest;
        let mut state = self.state.lock();
        while self.check().is_ok() && !self.changed.wait_until(&mut state, until).timed_out() {}
    }

    fn published(&self) -> Result<ControlData> {
        if self.state.lock().applied.is_none() {
            return Err(Error::InvalidArgument(
                "the standby's own copy is not whole yet: nobody can begin with its files. Let it follow for a while".into(),
            ));
        }
        Ok(self.rounds.published())
    }

    fn checkpoint(&self) -> Result<()> {
        self.published()?;
        self.bring_all_home()
    }

    fn archiver(&self) -> Option<&Archiver> {
        None // its archive is its primary's
    }

    fn archive_progress(&self) -> Option<ArchiveState> {
        let said = *self.archived.lock();
        said.unwrap_or_else(|| *self.archive_file.lock())
    }

    fn feedback(&self) -> Feedback {
        Feedback::handed_on(self.slots.wish())
    }
}
