//! What a backup waits for, and by what: progress, pace, attempts; and its name.
//!
//! Must not know: what is copied.

use super::super::core::Core;
use super::{BackupOptions, BackupPhase, BackupProgress, LOOK, OnProgress};
use crate::archive::{self, ArchiveStore};
use crate::base::sync::{AtomicBool, Instant, Ordering};
use crate::base::{Error, Result};
use std::ops::ControlFlow;
use std::time::Duration;

/// Takes down what `backup_progress` shows.
pub struct Shown<'a>(pub &'a Core);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        *self.0.backup_shown.lock() = None;
    }
}

/// Progress, pace, and when to stop.
pub struct Watch<'a> {
    core: &'a Core,
    progress: OnProgress<'a>,
    pub shown: BackupProgress,
    rate: u64,
    /// Not before this may more be read.
    not_before: Instant,
    pub sign_of_life: Instant,
}

impl<'a> Watch<'a> {
    pub fn new(core: &'a Core, options: &BackupOptions, progress: OnProgress<'a>) -> Watch<'a> {
        let now = Instant::now();
        let rate = if core.has_threads { options.rate_bytes_per_s } else { 0 };
        let shown = BackupProgress { pid: options.pid, ..BackupProgress::default() };
        Watch { core, progress, shown, rate, not_before: now, sign_of_life: now }
    }

    pub fn enter(&mut self, phase: BackupPhase) -> Result<()> {
        self.shown.phase = phase;
        self.look()
    }

    /// Tells how far it is. An error ends the backup.
    pub fn look(&mut self) -> Result<()> {
        *self.core.backup_shown.lock() = Some(self.shown.clone());
        go_on(self.core)?;
        match (self.progress)(&self.shown) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Canceled),
        }
    }

    /// So many bytes were copied: waits until more may be. What was not used of the rate while something else was waited for is not made up for.
    pub fn pace(&mut self, bytes: u64) -> Result<()> {
        self.shown.copied_bytes += bytes;
        self.look()?;
        if self.rate > 0 {
            let share = Duration::from_secs_f64(bytes as f64 / self.rate as f64);
            self.not_before = self.not_before.max(Instant::now()) + share;
            self.wait_until(self.not_before)?;
        }
        Ok(())
    }

    pub fn wait_until(&mut self, until: Instant) -> Result<()> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.core.pause(left.min(LOOK));
            self.look()?;
        }
    }
}

/// Whether the database is to go on.
pub fn go_on(core: &Core) -> Result<()> {
    core.env.wal.poison().check()?;
    if *core.closing.lock() { Err(Error::Closed) } else { Ok(()) }
}
pub fn pause(core: &Core, stopped: &AtomicBool, time: Duration) -> Result<()> {
    if core.has_threads {
        let until = Instant::now() + time;
        while Instant::now() < until && !stopped.load(Ordering::Relaxed) {
            core.pause(LOOK.min(until.saturating_duration_since(Instant::now())));
            go_on(core)?;
        }
    }
    if stopped.load(Ordering::Relaxed) { Err(Error::Canceled) } else { Ok(()) }
}

/// Calls the store until it does not fail, a few times.
pub fn again<T>(core: &Core, call: impl FnMut() -> std::result::Result<T, archive::StoreError>) -> Result<T> {
    archive::again(&|time| pause(core, &AtomicBool::new(false), time), call)
}

/// The same for what calls it several times, and gives the engine's errors.
pub fn again_all<T>(core: &Core, mut call: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 0..4 {
        match call() {
            Err(Error::Io { .. }) => pause(core, &AtomicBool::new(false), Duration::from_secs(1))?,
            done => return done,
        }
    }
    call()
}

pub fn put(core: &Core, store: &dyn ArchiveStore, name: &str, bytes: &[u8]) -> Result<()> {
    archive::put(store, name, bytes, &|time| pause(core, &AtomicBool::new(false), time))
}

/// A name that sorts by time: `20260102T030405Z-0a1b2c3d`.
pub fn new_id(now_ms: u64) -> String {
    let seconds = now_ms / 1000;
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!(
        "{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z-{:08x}",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60,
        fastrand::Rng::new().u32(..)
    )
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar. Years are taken to begin in March, so that leap days end them.
pub fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // since 0000-03-01
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_when() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(59), (1970, 3, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_454), (2026, 1, 1));
        assert!(new_id(1_767_322_845_000).starts_with("20260102T030045Z-"));
    }
}
