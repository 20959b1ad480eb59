//! The log archive of an open database: the archiver's thread, its steps by hand, and the log up to now on request.
//!
//! Must not know: what an archived segment looks like, which store has it.

use super::core::Core;
use super::database::Database;
use super::duties::Duty;
use super::settings::Id;
use super::threads::Rest;
use crate::archive::{ArchiveSettings, ArchiveStats, ArchiveStore, Archiver};
use crate::base::blocking::Wait;
use crate::base::{Error, Lsn, Result};
use crate::txn::Interrupt;
use std::sync::Arc;
use std::time::Duration;

/// Pause of the archiver when no segment is finished.
const PAUSE: Duration = Duration::from_millis(500);

impl Core {
    pub(super) fn archive_settings(&self) -> ArchiveSettings {
        ArchiveSettings {
            timeout: self.live_time(Id::ArchiveTimeout),
            strip: self.live(Id::ArchivePageImages) == 0,
            level: self.live(Id::ArchiveCompressionLevel),
            lag_bytes_max: self.live(Id::ArchiveMaxLag),
        }
    }

    /// Finished segments go to the archive as soon as they are seen; failures were logged, and are tried again when it is time.
    pub(super) fn run_archiver(&self) {
        let Some(archiver) = &self.primary().archiver else { return };
        let _duty = self.duties.enter(Duty::Archiver);
        let mut rest = Rest::new(self);
        while self.keep_running() {
            let done = archiver.step(&self.archive_settings(), self.opened.elapsed(), false);
            if !matches!(done, Ok(1..)) {
                self.rest(rest.next(self, PAUSE), Wait::ArchiverIdle);
            }
        }
    }

    /// Archives the log up to its end, after the last record. An archive that cannot be reached gets it at the next start.
    pub(super) fn finish_archive(&self) {
        if let Some(archiver) = &self.primary().archiver
            && let Err(e) = archiver.finish(&self.archive_settings(), self.opened.elapsed())
        {
            tracing::warn!("the end of the log is not archived yet, the next start will do it: {e}");
        }
    }
}

impl Database {
    /// What the archiver did; `None` without an `archive_url`.
    pub fn archive_stats(&self) -> Option<ArchiveStats> {
        self.core().primary.as_ref()?.archiver.as_ref().map(Archiver::stats)
    }

    /// Where the archive is, if there is one.
    pub fn archive_store(&self) -> Option<Arc<dyn ArchiveStore>> {
        self.core().primary.as_ref()?.archiver.as_ref().map(|a| a.store().clone())
    }

    /// The archiver's step, at `now` by any clock that goes forwards. Gives the number of segments archived.
    pub fn step_archive(&self, now: Duration) -> Result<usize> {
        let _at_work = self.core().enter()?;
        match &self.core().primary().archiver {
            Some(archiver) => archiver.step(&self.core().archive_settings(), now, false),
            None => Ok(0),
        }
    }

    /// Sends all log there is at this moment to the archive, the unfinished segment too, so that every moment up to now can be restored; gives the log's
    /// position. Blocks until the log is durable here, and until the archive has it if there is one. An error says what the archive said, or `Canceled`: what is
    /// durable here stays so, and the archiver goes on trying.
    pub fn archive_log(&self, interrupt: &Interrupt) -> Result<Lsn> {
        let core = self.core();
        let _at_work = core.enter()?;
        let end = core.env.wal.next_lsn();
        core.env.wal.flush(end)?;
        let Some(archiver) = &core.primary().archiver else { return Ok(end) };
        loop {
            if interrupt.is_canceled() {
                return Err(Error::Canceled);
            }
            core.env.wal.poison().check()?;
            let (settings, now) = (core.archive_settings(), core.opened.elapsed());
            // A segment at a time, so that a long way can be given up.
            if core.env.wal.archived() < end && archiver.step(&settings, now, true)? > 0 {
                continue;
            }
            if archiver.reach(&settings, now, end)? {
                return Ok(end);
            }
        }
    }
}
