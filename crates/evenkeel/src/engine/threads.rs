//! Background duties: each a named thread around a plain step.
//!
//! Invariant 1: a duty that panics, or ends before the database is closed, poisons the engine: nobody else does its work.

use super::core::Core;
use super::duties::Duty;
use super::settings::Id;
use crate::base::blocking::{Wait, wait};
use crate::base::sync::{JoinHandle, Ordering};
use crate::base::{Lsn, Repeated, Result, duty};
use crate::pool::{CleanerOptions, CleanerPolicy, CleanerStep};
use crate::txn::Shared;
use std::sync::Arc;
use std::time::Duration;

/// Pause of the purge thread when there is nothing to do.
const PURGE_PAUSE: Duration = Duration::from_millis(20);
/// Trees whose files are looked at before a pause.
const LOOKED_AT: usize = 32;
/// Transactions purged after in one step.
const PURGE_BATCH: usize = 256;

/// The longest pause of a duty when nothing has been logged for some time; for the checkpointer, which log that comes suddenly must not overtake, less.
const REST_MAX: Duration = Duration::from_millis(1600);
pub(super) const LOOK_REST_MAX: Duration = Duration::from_millis(800);

/// The pauses of a background duty: as its setting says while the log grows, and longer and longer while it does not, so that an idle database lets the
/// machine sleep.
pub(super) struct Rest {
    seen: Lsn,
    times: u32,
    longest: Duration,
}

impl Rest {
    pub(super) fn new(core: &Core) -> Rest {
        Rest::of(core, REST_MAX)
    }

    /// With pauses up to `longest`.
    pub(super) fn of(core: &Core, longest: Duration) -> Rest {
        Rest { seen: core.env.wal.next_lsn(), times: 1, longest }
    }

    /// The next pause.
    pub(super) fn next(&mut self, core: &Core, pause: Duration) -> Duration {
        let end = core.env.wal.next_lsn();
        self.times = if end == self.seen { self.times.saturating_mul(2) } else { 1 };
        self.seen = end;
        pause.saturating_mul(self.times).min(self.longest.max(pause))
    }
}

impl Core {
    /// Starts all of them.
    pub(super) fn start_threads(self: &Arc<Self>) -> std::io::Result<Vec<JoinHandle<()>>> {
        let spawn = |name: &str, run: fn(&Core)| {
            let (core, wanted, told) = (self.clone(), self.clone(), self.clone());
            duty::spawn(
                name,
                move || run(&core),
                move || wanted.keep_running(),
                move |why| _ = told.env.wal.poison().set(why),
            )
        };
        let mut threads = vec![
            spawn("wal-writer", |c| {
                let _duty = c.duties.enter(Duty::LogWriter);
                while c.env.wal.writer_step(c.live_time(Id::WalWriterDelay)) {}
            })?,
            spawn("checkpointer", |c| {
                let _duty = c.duties.enter(Duty::Checkpointer);
                c.run_checkpointer();
            })?,
            spawn("bgwriter", |c| {
                let _duty = c.duties.enter(Duty::BackgroundWriter);
                c.run_cleaner();
            })?,
            spawn("bgwriter-2", Core::run_cleaner_helper)?,
            spawn("bgwriter-3", Core::run_cleaner_helper)?,
            spawn("bgwriter-4", Core::run_cleaner_helper)?,
            spawn("purge", |c| {
                let _duty = c.duties.enter(Duty::Purge);
                let mut rest = Rest::new(c);
                let trouble = Repeated::default();
                while c.keep_running() {
                    match c.purge_step(PURGE_BATCH) {
                        Ok(0) if c.look_at_files_step(LOOKED_AT).0 > 0 => {
                            c.rest(PURGE_PAUSE, Wait::PurgeIdle)
                        }
                        Ok(0) => c.rest(rest.next(c, PURGE_PAUSE), Wait::PurgeIdle),
                        Ok(_) => {}
                        Err(e) => {
                            if trouble.is_due() {
                                tracing::warn!("purge will try again: {e}");
                            }
                            c.pause(Duration::from_secs(1));
                        }
                    }
                }
            })?,
        ];
        if self.primary().archiver.is_some() {
            threads.push(spawn("archiver", Core::run_archiver)?);
        }
        Ok(threads)
    }

    /// Waits, or returns at once when the database is closing or poisoned.
    pub(super) fn pause(&self, d: Duration) {
        let mut closing = self.closing.lock();
        if !*closing && !self.env.wal.poison().is_set() {
            self.wake.wait_for(&mut closing, d);
        }
    }

    /// The same, of a duty that has nothing to do, as those see who look.
    pub(super) fn rest(&self, d: Duration, what: Wait) {
        let _waiting = wait(what);
        self.pause(d);
    }

    pub(super) fn keep_running(&self) -> bool {
        !*self.closing.lock() && !self.env.wal.poison().is_set()
    }

    fn run_cleaner(&self) {
        let mut rest = Rest::new(self);
        while self.keep_running() {
            let Ok(step) = self.clean_step() else { return }; // poisoned; it was logged
            let delay = self.live_time(Id::BgwriterDelay);
            let delay = if step.written > 0 { delay } else { rest.next(self, delay) };
            // Called early by whoever finds no clean page, as long as that helps; or from a long rest.
            let may_be_called = step.written > 0 || delay >= REST_MAX;
            let _waiting = wait(Wait::BackgroundWriterIdle);
            if may_be_called && self.cleaner_options().policy.follows_the_hands() {
                self.env.pool.wait_for_call(Some(delay));
            } else {
                self.pause(delay);
            }
        }
    }

    /// Helps the cleaner while backends find no clean pages: one writer has one page in flight, and a disk serves more.
    fn run_cleaner_helper(&self) {
        while self.keep_running() {
            let called = self.env.pool.wait_for_call(None);
            if !called || !self.keep_running() {
                continue;
            }
            let helps = self.cleaner_options().policy.follows_the_hands();
            match helps.then(|| self.clean_step()) {
                Some(Err(_)) => return, // poisoned; it was logged
                Some(Ok(step)) if step.written > 0 => {}
                _ => self.pause(self.live_time(Id::BgwriterDelay)),
            }
        }
    }

    fn cleaner_options(&self) -> CleanerOptions {
        CleanerOptions {
            policy: CleanerPolicy::ALL[self.live(Id::BgwriterPolicy) as usize],
            max_pages: self.live(Id::BgwriterMaxpages) as usize,
            percent: self.live(Id::BgwriterPercent) as usize,
        }
    }

    /// The cleaner's step as the settings have it now.
    pub(super) fn clean_step(&self) -> Result<CleanerStep> {
        self.env.pool.clean(self.cleaner_options())
    }

    /// After somebody was refused space: if log could be given back but for a transaction that is idle, or waits for a row lock, that one has to roll back; the oldest
    /// first, one at a time. One whose owner is at work meets the full disk itself.
    pub(super) fn doom_log_pinner(&self) {
        if !self.env.wal.take_lack() {
            return;
        }
        let segment = |lsn: Lsn| self.env.wal.geometry().segment_of(lsn);
        let published = self.primary().checkpointer.published();
        let horizon = published.redo.iter().copied().min().unwrap_or(Lsn::ZERO).min(self.env.wal.archived());
        let active = self.store.txns.active();
        let logged = active.iter().filter(|t| t.last_lsn() != Lsn::ZERO);
        let pinner = logged.min_by_key(|t| t.first_lsn).filter(|t| segment(t.first_lsn) < segment(horizon));
        let end = pinner.map_or(horizon, |t| t.first_lsn);
        let redo_lags = pinner.is_none() && segment(horizon) + 1 < segment(self.env.wal.next_lsn());
        if segment(published.log_needed) < segment(end) || redo_lags {
            self.want_round(); // nobody pins that any more, or only the redo points do
            return;
        }
        let is_idle = |t: &Arc<Shared>| !t.is_at_work() || self.store.locks.is_waiting(t.id);
        // What a crash cut short is being rolled back anyway.
        let Some(t) = pinner.filter(|t| is_idle(t) && !self.store.is_loser(t.id)) else { return };
        if !t.doomed.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the disk is full, and transaction {} keeps {} bytes of log: it has to roll back",
                t.id.0,
                self.env.wal.next_lsn().0 - t.first_lsn.0
            );
        }
    }

    /// A round is to run soon, so that log which nobody needs any more is given back; one that runs hurries up.
    pub(super) fn want_round(&self) {
        let _closing = self.closing.lock(); // whoever is about to pause has looked by now, or will see it
        self.round_wanted.store(true, Ordering::SeqCst);
        self.wake.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::engine::{Database, Options};
    use crate::io::{SimDisk, SimOptions};

    #[test]
    fn whoever_closes_second_returns_when_all_is_at_home() {
        for _ in 0..20 {
            let disk = Arc::new(SimDisk::new(SimOptions::default()));
            let db = Database::open_on(disk.clone(), Options::default().without_threads()).unwrap();
            let mut txn = db.begin(Default::default());
            let tree = txn.create_tree().unwrap();
            for key in 0..200u32 {
                txn.insert(tree, &key.to_be_bytes(), &[7; 100]).unwrap();
            }
            txn.commit().unwrap();
            std::thread::scope(|s| {
                for _ in 0..2 {
                    s.spawn(|| {
                        db.close().unwrap();
                        assert!(Control::open(&*disk).unwrap().1.clean);
                    });
                }
            });
        }
    }

    #[test]
    fn a_clean_end_is_a_durable_one() {
        let disk = Arc::new(SimDisk::new(SimOptions::default()));
        let db = Database::open_on(disk.clone(), Options::default().without_threads()).unwrap();
        db.core().last_checkpoint().unwrap();
        let durability = crate::Durability::Async;
        let mut late = db.begin(crate::TxnOptions { durability, ..Default::default() });
        late.create_tree().unwrap();
        late.commit().unwrap();
        let wal = &db.core().env.wal;
        assert!(wal.flushed() < wal.next_lsn(), "what ended since the cycle is not durable by itself");
        assert!(wal.seal_if(|| true));
        db.core().primary().checkpointer.shut_down().unwrap();
        let control = Control::open(&*disk).unwrap().1;
        assert!(control.clean && control.end == wal.flushed());
        db.abandon();
    }

    #[test]
    fn pauses_grow_while_nothing_is_logged_and_not_otherwise() {
        let disk = Arc::new(SimDisk::new(SimOptions::default()));
        let db = Database::open_on(disk, Options::default().without_threads()).unwrap();
        let mut rest = Rest::new(db.core());
        let pause = Duration::from_millis(20);
        let pauses: Vec<u128> = (0..8).map(|_| rest.next(db.core(), pause).as_millis()).collect();
        assert_eq!(pauses, [40, 80, 160, 320, 640, 1280, 1600, 1600]);
        let mut short = Rest::of(db.core(), pause);
        assert_eq!((short.next(db.core(), pause), short.next(db.core(), 2 * pause)), (pause, 2 * pause));
        db.mark("now").unwrap();
        assert_eq!(rest.next(db.core(), pause), pause);
    }
}
