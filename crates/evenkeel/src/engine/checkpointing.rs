//! When rounds run, and how: the settings' side of checkpoints.
//!
//! Must not know: what a round does.

use super::core::Core;
use super::settings::Id;
use super::threads::{LOOK_REST_MAX, Rest};
use crate::base::blocking::{Wait, wait};
use crate::base::sync::{Instant, Ordering};
use crate::base::{Lsn, Result};
use crate::checkpoint::{
    Cause, Order, RoundOptions, RoundStats, Speed, SyncPolicy, Urgency, Waits, WithoutWaits,
};
use crate::txn::Interrupt;
use std::cell::Cell;
use std::time::Duration;

/// How often the checkpointer looks whether a round is due.
const LOOK: Duration = Duration::from_millis(50);
/// Time between two writes of what replication slots have come to.
pub(super) const SAVE: Duration = Duration::from_secs(10);
/// Pause after a round that failed.
const RETRY: Duration = Duration::from_secs(1);

/// The waits of paced rounds: cut short by a forced checkpoint, by a lack of space, and by the end.
struct Paced<'a> {
    core: &'a Core,
    /// What the round was told last.
    told: Cell<Urgency>,
}

impl Paced<'_> {
    fn new(core: &Core) -> Paced<'_> {
        Paced { core, told: Cell::new(Urgency::Calm) }
    }

    fn now(&self, closing: bool) -> Urgency {
        if closing || self.core.env.wal.poison().is_set() {
            Urgency::AtOnce
        } else if self.core.hurry.load(Ordering::Relaxed) > 0
            || self.core.round_wanted.load(Ordering::Relaxed)
        {
            Urgency::Hurry
        } else {
            Urgency::Calm
        }
    }
}

impl Waits for Paced<'_> {
    fn urgency(&self) -> Urgency {
        let closing = *self.core.closing.lock();
        self.told.set(self.now(closing));
        self.told.get()
    }

    fn pause(&self, time: Duration) {
        let _waiting = wait(Wait::RoundPause);
        let until = Instant::now() + time;
        let mut closing = self.core.closing.lock();
        while self.now(*closing) == self.told.get()
            && !self.core.wake.wait_until(&mut closing, until).timed_out()
        {}
    }
}

/// While it lives, paced rounds hurry up: somebody waits for a forced checkpoint. There may be several.
struct Hurry<'a>(&'a Core);

impl Hurry<'_> {
    fn begin(core: &Core) -> Hurry<'_> {
        let _closing = core.closing.lock(); // whoever is about to pause has looked by now, or will see it
        core.hurry.fetch_add(1, Ordering::Relaxed);
        core.wake.notify_all();
        Hurry(core)
    }
}

impl Drop for Hurry<'_> {
    fn drop(&mut self) {
        self.0.hurry.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The waits of checkpoints that somebody waits for: cut short when the database closes, or when that somebody does not want it any more.
struct Forced<'a> {
    core: &'a Core,
    interrupt: Option<&'a Interrupt>,
}

impl Waits for Forced<'_> {
    fn urgency(&self) -> Urgency {
        let closing = *self.core.closing.lock() || self.core.env.wal.poison().is_set();
        if closing { Urgency::AtOnce } else { Urgency::Hurry }
    }

    fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut closing = self.core.closing.lock();
        while !*closing && !self.core.env.wal.poison().is_set() && !self.is_canceled() {
            let now = Instant::now();
            if now >= until {
                break;
            }
            // A cancel wakes nobody here.
            let look = if self.interrupt.is_some() { until.min(now + LOOK) } else { until };
            self.core.wake.wait_until(&mut closing, look);
        }
    }

    fn is_canceled(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::is_canceled)
    }
}

/// How rounds are to be run by these settings.
pub(super) fn round_options(setting: &dyn Fn(Id) -> u64, speed: Speed) -> RoundOptions {
    let ratio = |id| setting(id) as f64 / 100.0;
    let time = |id| Duration::from_micros(setting(id));
    RoundOptions {
        order: Order::ALL[setting(Id::CheckpointOrder) as usize],
        file_batches: setting(Id::CheckpointFileBatches) as usize,
        sync: SyncPolicy::ALL[setting(Id::CheckpointSync) as usize],
        sync_delay: time(Id::CheckpointSyncDelay),
        fsync_delay_ratio: ratio(Id::CheckpointFsyncDelayRatio),
        fsync_delay_threshold: time(Id::CheckpointFsyncDelayThreshold),
        flush_after: setting(Id::CheckpointFlushAfter),
        flush_slowdown: setting(Id::CheckpointFlushSlowdown) as f64,
        speed,
    }
}

impl Core {
    fn round_options(&self, speed: Speed) -> RoundOptions {
        round_options(&|id| self.live(id), speed)
    }

    /// A cycle as fast as `checkpoint_forced_rate` allows.
    pub(super) fn forced_checkpoint(&self, interrupt: Option<&Interrupt>) -> Result<Lsn> {
        if !self.has_threads {
            return self.last_checkpoint();
        }
        let options = self.round_options(Speed::Rate(self.live(Id::CheckpointForcedRate)));
        let _hurry = Hurry::begin(self);
        self.primary().checkpointer.cycle(&options, &Forced { core: self, interrupt })
    }

    /// A cycle without regard to anybody: of a shutdown, where nobody else is at work.
    pub(super) fn last_checkpoint(&self) -> Result<Lsn> {
        self.primary().checkpointer.cycle(&self.round_options(Speed::AtOnce), &WithoutWaits)
    }

    /// One round without pauses: the checkpointer's step.
    pub(super) fn round_step(&self) -> Result<RoundStats> {
        self.primary().checkpointer.round(&self.round_options(Speed::AtOnce), &WithoutWaits, Cause::Request)
    }

    /// Rounds are due by log volume and by time: a cycle takes at most `max_wal_size` of log and `checkpoint_timeout`. Log that an open transaction or the archive keeps
    /// beyond that makes none due: no round could give it back.
    pub(super) fn run_checkpointer(&self) {
        let mut last_lsn = self.env.wal.next_lsn();
        let mut last_time = Instant::now();
        let mut rest = Rest::of(self, LOOK_REST_MAX);
        let mut saved = Instant::now();
        while self.keep_running() {
            if saved.elapsed() >= SAVE {
                saved = Instant::now();
                // Until then log is kept that nobody needs.
                self.slots.save().unwrap_or_else(|e| tracing::warn!("{e}"));
            }
            let n = self.env.pool.partitions().get() as u64;
            // The oldest redo point is up to N + 1 rounds old when its round ends: that much log has to fit.
            let log_bytes = (self.live(Id::MaxWalSize) / (n + 1)).max(1);
            let interval = self.live_time(Id::CheckpointTimeout) / n as u32;
            self.rest(rest.next(self, LOOK).min(interval.max(LOOK)), Wait::CheckpointerIdle);
            let logged = self.env.wal.next_lsn().0 - last_lsn.0;
            // An idle database has nothing to checkpoint (rounds themselves log a little), once a crash would find little to read.
            let little = self.env.wal.geometry().segment_bytes + 4096 * n;
            let idle = self.dirty_pages() == 0
                && self.primary().checkpointer.log_to_read_bytes() < little
                && !self.primary().checkpointer.is_changing_protection();
            let cause = if last_time.elapsed() >= interval {
                Cause::Time
            } else if logged >= log_bytes {
                Cause::Log
            } else if self.round_wanted.load(Ordering::SeqCst) {
                Cause::Request
            } else {
                continue;
            };
            if !self.round_wanted.swap(false, Ordering::SeqCst) && idle {
                continue;
            }
            (last_lsn, last_time) = (self.env.wal.next_lsn(), Instant::now());
            let target = self.live(Id::CheckpointCompletionTarget) as f64 / 100.0;
            let options = self.round_options(Speed::Paced { interval, log_bytes, target });
            match self.primary().checkpointer.round(&options, &Paced::new(self), cause) {
                Ok(r) => self.log_round(&r, cause, last_time.elapsed()),
                Err(_) if self.env.wal.poison().is_set() => return, // it was logged
                Err(e) => {
                    tracing::warn!("a checkpoint round failed, will try again: {e}");
                    self.pause(RETRY);
                }
            }
        }
    }

    /// A line like PostgreSQL's "checkpoint complete".
    fn log_round(&self, r: &RoundStats, cause: Cause, total: Duration) {
        if self.live(Id::LogCheckpoints) == 0 || r.pages == 0 {
            return;
        }
        let seconds = |us: u64| us as f64 / 1e6;
        let share = 100.0 * r.written as f64 / self.env.pool.frame_count() as f64;
        let log = self.env.wal.next_lsn().0.saturating_sub(r.redo.0);
        tracing::info!(
            "checkpoint round complete ({}): partition {}, wrote {} buffers ({share:.1}%) in {} writes, {} bursts; write={:.3} s, sync={:.3} s, \
             total={:.3} s; sync files={}, longest={:.3} s; log since={} kB, redo lsn={}",
            match cause {
                Cause::Time => "time",
                Cause::Log => "wal",
                Cause::Request => "request",
            },
            r.partition,
            r.written,
            r.writes,
            r.bursts,
            seconds(r.write_us),
            seconds(r.sync_us),
            total.as_secs_f64(),
            r.syncs,
            seconds(r.longest_sync_us),
            log / 1024,
            r.redo,
        );
    }

    fn dirty_pages(&self) -> u64 {
        (0..self.env.pool.partitions().get()).map(|p| self.env.pool.dirty_frames(p)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Database, Options};
    use crate::io::{SimDisk, SimOptions};
    use std::sync::{Arc, mpsc};

    /// Long enough for a test that would hang otherwise.
    const HANGS: Duration = Duration::from_secs(30);

    fn database() -> Database {
        let options = Options::default().without_threads();
        Database::open_on(Arc::new(SimDisk::new(SimOptions::default())), options).unwrap()
    }

    #[test]
    fn whoever_waits_for_a_checkpoint_cuts_a_long_pause_short() {
        let db = database();
        let core = db.core();
        let (began, has_begun) = mpsc::channel();
        let (ended, has_ended) = mpsc::channel();
        std::thread::scope(|s| {
            s.spawn(move || {
                let waits = Paced::new(core);
                assert_eq!(waits.urgency(), Urgency::Calm);
                began.send(()).unwrap();
                waits.pause(HANGS * 2);
                ended.send(waits.urgency()).unwrap();
            });
            has_begun.recv().unwrap();
            let _hurry = Hurry::begin(core);
            assert_eq!(has_ended.recv_timeout(HANGS), Ok(Urgency::Hurry));
        });
    }

    #[test]
    fn a_closing_database_cuts_the_pauses_of_a_checkpoint_short() {
        let db = database();
        let core = db.core();
        let (ended, has_ended) = mpsc::channel();
        std::thread::scope(|s| {
            s.spawn(move || {
                let waits = Forced { core, interrupt: None };
                waits.pause(HANGS * 2);
                ended.send(waits.urgency()).unwrap();
            });
            *core.closing.lock() = true;
            core.wake.notify_all();
            assert_eq!(has_ended.recv_timeout(HANGS), Ok(Urgency::AtOnce));
        });
    }

    #[test]
    fn one_of_two_forced_checkpoints_that_ends_leaves_the_other_its_hurry() {
        let db = database();
        let waits = Paced::new(db.core());
        let first = Hurry::begin(db.core());
        let second = Hurry::begin(db.core());
        drop(first);
        assert_eq!(waits.urgency(), Urgency::Hurry);
        drop(second);
        assert_eq!(waits.urgency(), Urgency::Calm);
    }

    /// A transaction that has its number and has logged nothing keeps no log. Once it logs, what was let go of meanwhile must not be said to be needed: a check and a backup
    /// would look for it.
    #[test]
    fn log_that_was_let_go_of_is_not_needed_again() {
        let options = Options::default().without_threads().with("wal_segment_size", "64kB").unwrap();
        let options = options.with("max_wal_size", "512kB").unwrap();
        let db = Database::open_on(Arc::new(SimDisk::new(SimOptions::default())), options).unwrap();
        let mut late = db.begin(Default::default());
        late.assign_id().unwrap();
        let first = db.core().primary().checkpointer.published().log_needed;
        let mut t = db.begin(Default::default());
        let tree = t.create_tree().unwrap();
        t.commit().unwrap();
        for n in 0..40u32 {
            let mut t = db.begin(Default::default());
            for k in 0..10u32 {
                t.put(tree, &(n * 10 + k).to_be_bytes(), &[7; 1000]).unwrap();
            }
            t.commit().unwrap();
            db.checkpoint().unwrap();
        }
        let needed = || db.core().primary().checkpointer.published().log_needed;
        let before = needed();
        assert!(before.0 > first.0 + (256 << 10), "segments were let go of");
        late.put(tree, b"late", b"at last").unwrap();
        db.checkpoint().unwrap();
        assert!(needed() >= before, "{} after {before}", needed());
        let report = crate::check::check_open_database(&db, &mut |_| {}).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
        late.commit().unwrap();
    }
}
