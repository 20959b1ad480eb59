//! A round, stage by stage: brings a partition's pages home. Invariants are in the module's README.
//!
//! Must not know: why it is run, what is made known of it.

use super::drain::Drain;
use super::options::{Order, RoundOptions, Speed, SyncPolicy};
use super::pace::{Pace, pause_for_rate};
use super::plan::{Plan, neighbours};
use super::stats::{RoundStats, Stats};
use crate::base::blocking::{Wait, wait};
use crate::base::sync::{self, Instant, planted};
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, PageId, Poison, Result};
use crate::mtr::Env;
use crate::pool::{BATCH_PAGES, Pool, WriteReason};
use crate::wal::{self, FlushTimes};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// Where a round is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Stage {
    /// Before its first step.
    Begin,
    /// The floor is raised; dirty pages are to be listed.
    FloorRaised,
    /// Pages are being written, and files synced that had their last write.
    Writing,
    /// Written; waiting for other writers' write-backs.
    AwaitingWriteBacks,
    /// Syncing files.
    Syncing,
    /// Everything below the floor is durable at home.
    Durable,
    /// The redo point is raised, and known unless nothing was to be done.
    Published,
}

impl Stage {
    /// All, in order.
    pub const ALL: [Stage; 7] = [
        Stage::Begin,
        Stage::FloorRaised,
        Stage::Writing,
        Stage::AwaitingWriteBacks,
        Stage::Syncing,
        Stage::Durable,
        Stage::Published,
    ];
}

/// Whether a round may take its time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Urgency {
    /// As its options say.
    Calm,
    /// Somebody waits for a checkpoint: without regard to the schedule, but with regard to others' commits.
    Hurry,
    /// Without any pause.
    AtOnce,
}

/// What a round brings home, and the log that goes on beside it: one that is written here, or one that is received.
pub trait Ground {
    /// Where the pages are.
    fn pool(&self) -> &Pool;
    /// The engine's stop switch.
    fn poison(&self) -> &Poison;
    /// How far the log has come.
    fn log_end(&self) -> Lsn;
    /// Raises a partition's floor, and gives it: what the log says of the partition's pages before it is in the pool, or at home. `None`: not now.
    fn raise_floor(&self, partition: usize) -> Option<Lsn>;
    /// Flushes of the log, which the round lets pass.
    fn log_stats(&self) -> &wal::Stats;
}

impl Ground for Env {
    fn pool(&self) -> &Pool {
        &self.pool
    }

    fn poison(&self) -> &Poison {
        self.wal.poison()
    }

    fn log_end(&self) -> Lsn {
        self.wal.next_lsn()
    }

    fn raise_floor(&self, partition: usize) -> Option<Lsn> {
        self.floors.raise(partition, &self.wal)
    }

    fn log_stats(&self) -> &wal::Stats {
        &self.wal.stats
    }
}

/// How a round waits.
pub trait Waits {
    /// Whether there is time.
    fn urgency(&self) -> Urgency;
    /// Sleeps, or returns early when the urgency has changed.
    fn pause(&self, time: Duration);
    /// Whether nobody wants the checkpoint any more.
    fn is_canceled(&self) -> bool {
        false
    }
    /// The time by which rounds are paced: since some moment, never backwards.
    fn now(&self) -> Duration {
        sync::uptime()
    }
}

/// Never waits: for steps in simulations, and where nobody else is at work.
pub struct WithoutWaits;

impl Waits for WithoutWaits {
    fn urgency(&self) -> Urgency {
        Urgency::AtOnce
    }
    fn pause(&self, _: Duration) {}
}

/// Shortest and longest wait between two looks whether a log flush has ended.
const FLUSH_LOOK: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(2));
/// So many times as long as a flush without a burst before it takes, the round waits for one; then it syncs by itself.
const IDLE_LOG: f64 = 4.0;
/// That wait, at least and at most: what was learnt from one slow flush must not hold up every burst for long.
const IDLE_LOG_BOUNDS: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(500));
/// Others' commits are no reason to hold back any more once so many times a round's log was logged since its start: log space is at stake.
const LOG_AT_STAKE: u64 = 2;
/// Weight of the newest round in the syncs' share of the work.
const NEWEST: f64 = 0.25;

pub(super) struct Round<'a> {
    ground: &'a dyn Ground,
    shown: &'a Stats,
    options: &'a RoundOptions,
    waits: &'a dyn Waits,
    pub(super) stats: RoundStats,
    plan: Plan,
    done: usize,
    began: Duration,
    began_log: u64,
    pace: Option<Pace>,
    /// Share of the schedule that writes take; syncs take the rest.
    write_share: f64,
    /// Files of the plan known to be finished.
    finished: usize,
    /// Files to be synced, each not before its time.
    due: VecDeque<(Duration, FileId)>,
    synced: BTreeSet<FileId>,
    /// Ranges written that the system was not asked to write out yet.
    pending: Vec<(FileId, u64, u64)>,
    pending_bytes: u64,
    /// Flushes of the log when the burst, or the quiet before it, began.
    flushes: FlushTimes,
    /// The log was idle when so many flushes had ended.
    idle_at: Option<u64>,
}

impl<'a> Round<'a> {
    pub(super) fn new(
        ground: &'a dyn Ground,
        shown: &'a Stats,
        options: &'a RoundOptions,
        waits: &'a dyn Waits,
        partition: usize,
    ) -> Round<'a> {
        Round {
            ground,
            shown,
            options,
            waits,
            stats: RoundStats { partition, ..RoundStats::default() },
            plan: Plan::new(Vec::new(), options.order, 1),
            done: 0,
            began: waits.now(),
            began_log: ground.log_end().0,
            pace: None,
            write_share: 1.0,
            finished: 0,
            due: VecDeque::new(),
            synced: BTreeSet::new(),
            pending: Vec::new(),
            pending_bytes: 0,
            flushes: FlushTimes::default(),
            idle_at: None,
        }
    }

    /// All stages up to `Durable`. Gives the floor: everything of the partition below it is durable at home. `OutOfSpace`: floors are held.
    pub(super) fn bring_home(&mut self, drain: &mut Drain, sync_share: &mut f64) -> Result<Lsn> {
        let (ground, partition) = (self.ground, self.stats.partition);
        let mut floor = Lsn::ZERO;
        let mut stage = Stage::Begin;
        let mut early = planted("dirty pages are listed before the floor rises")
            .then(|| ground.pool().dirty_pages(partition));
        loop {
            ground.poison().check()?;
            self.shown.enter(partition, stage);
            stage = match stage {
                Stage::Begin => {
                    let Some(raised) = ground.raise_floor(partition) else {
                        ground.poison().check()?; // a standby's replay has failed
                        return Err(Error::OutOfSpace {
                            what: "a checkpoint: a rollback lives on the log space that was set aside for it"
                                .into(),
                        });
                    };
                    floor = raised;
                    Stage::FloorRaised
                }
                Stage::FloorRaised => {
                    let pages = early.take().unwrap_or_else(|| ground.pool().dirty_pages(partition));
                    self.plan = Plan::new(pages, self.options.order, self.options.file_batches);
                    self.stats.pages = self.plan.pages();
                    self.set_schedule(*sync_share);
                    Stage::Writing
                }
                Stage::Writing => {
                    self.write(drain)?;
                    Stage::AwaitingWriteBacks
                }
                Stage::AwaitingWriteBacks => {
                    if !planted("a round does not wait for others' writes") {
                        ground.pool().wait_write_backs(partition);
                    }
                    self.stats.write_us =
                        (self.elapsed().as_micros() as u64).saturating_sub(self.stats.sync_us);
                    Stage::Syncing
                }
                Stage::Syncing => {
                    let before = Instant::now();
                    self.sync_the_rest()?;
                    let took = before.elapsed();
                    self.stats.sync_us += took.as_micros() as u64;
                    self.learn_sync_share(sync_share);
                    Stage::Durable
                }
                Stage::Durable | Stage::Published => return Ok(floor),
            };
        }
    }

    /// The last stage, which others did.
    pub(super) fn publish(mut self, floor: Lsn) -> RoundStats {
        self.stats.redo = floor;
        self.shown.enter(self.stats.partition, Stage::Published);
        self.stats
    }

    fn set_schedule(&mut self, sync_share: f64) {
        self.write_share = match self.options.sync {
            SyncPolicy::Phases => 0.5,
            SyncPolicy::Joint => 1.0 - sync_share,
            SyncPolicy::End | SyncPolicy::PerFile | SyncPolicy::Paced => 1.0,
        };
        let log = self.ground.log_end().0;
        if let Speed::Paced { interval, log_bytes, target } = self.options.speed {
            self.pace = Some(Pace::new(interval, log_bytes, target, Duration::ZERO, log));
        }
        (self.began, self.began_log) = (self.waits.now(), log);
    }

    fn write(&mut self, drain: &mut Drain) -> Result<()> {
        let mut capped = self.options.flush_slowdown > 0.0;
        // With a side file before the home writes, one write to it carries whatever is sorted; else a piece is one write.
        let across = self.ground.pool().batches_across_runs();
        self.flushes = self.ground.log_stats().flushes();
        _ = self.ground.log_stats().take_flushes(self.flushes);
        let mut share = 0.0;
        loop {
            capped &= self.log_shares() < LOG_AT_STAKE;
            let max = if capped && self.urgency() < Urgency::AtOnce { drain.pages() } else { BATCH_PAGES };
            let piece: Vec<PageId> = self.plan.piece(self.done, max.min(BATCH_PAGES), across).to_vec();
            if piece.is_empty() {
                break;
            }
            if capped && drain.is_empty() {
                drain.quiet(self.ground.log_stats().take_flushes(self.flushes));
                self.flushes = self.ground.log_stats().flushes();
            }
            if self.waits.is_canceled() {
                drain.forget();
                return Err(Error::Canceled);
            }
            let before = Instant::now();
            self.stats.written += self.ground.pool().write_batch(&piece, WriteReason::Round)?;
            for run in piece.chunk_by(|a, b| neighbours(*a, *b)) {
                self.stats.writes += 1;
                drain.wrote(run.len());
                self.ask_write_out(run);
            }
            let took = before.elapsed();
            self.done += piece.len();
            self.note_finished();
            let burst_is_over = drain.is_full() || self.done == self.plan.pages();
            if capped && burst_is_over {
                self.stats.bursts += 1;
                self.stats.flush_us = drain.quiet_us() as u64;
                self.let_flush_pass(drain, piece[0].file)?;
            }
            if let Speed::Rate(bytes_per_s) = self.options.speed {
                let pause = pause_for_rate((piece.len() * PAGE_BYTES) as u64, bytes_per_s, took);
                if self.urgency() < Urgency::AtOnce && !pause.is_zero() {
                    self.waits.pause(pause);
                }
            }
            share += self.write_share * piece.len() as f64 / self.plan.pages() as f64;
            // A burst is written without a pause: what each has to itself, the way to the data and back, is paid by few.
            if !capped || burst_is_over {
                self.keep_pace(std::mem::take(&mut share))?;
            }
        }
        self.write_out_pending();
        if !capped {
            drain.forget();
        }
        Ok(())
    }

    /// How many times the log that one round may have was logged since its start.
    fn log_shares(&self) -> u64 {
        match self.options.speed {
            Speed::Paced { log_bytes, .. } => {
                self.ground.log_end().0.saturating_sub(self.began_log) / log_bytes.max(1)
            }
            _ => 0,
        }
    }

    /// Whether the next round is due: then nothing is put off any longer.
    fn is_overdue(&self) -> bool {
        match self.options.speed {
            Speed::Paced { interval, .. } => self.elapsed() >= interval || self.log_shares() > 0,
            _ => false,
        }
    }

    fn elapsed(&self) -> Duration {
        self.waits.now().saturating_sub(self.began)
    }

    fn urgency(&self) -> Urgency {
        if self.options.speed == Speed::AtOnce { Urgency::AtOnce } else { self.waits.urgency() }
    }

    /// Files whose last page was written wait for their sync, if the policy syncs them early.
    fn note_finished(&mut self) {
        if self.options.sync != SyncPolicy::PerFile {
            return;
        }
        let files = self.plan.finished(self.finished, self.done);
        let at = self.waits.now() + self.options.sync_delay;
        self.due.extend(files.iter().map(|(_, f)| (at, *f)));
        self.finished += files.len();
    }

    /// Pauses as the schedule says after a share of the work; syncs what becomes due meanwhile.
    fn keep_pace(&mut self, share: f64) -> Result<()> {
        if let Some(pace) = &mut self.pace {
            pace.did(share);
        }
        loop {
            let calm = self.urgency() == Urgency::Calm;
            while let Some(&(at, file)) = self.due.front() {
                if calm && at > self.waits.now() {
                    break;
                }
                self.due.pop_front();
                // What others began to write of it before now is part of what this sync has to cover.
                self.ground.pool().wait_write_backs(self.stats.partition);
                self.sync(file)?;
            }
            let (log, elapsed) = (self.ground.log_end().0, self.elapsed());
            match self.pace.as_mut().and_then(|p| p.pause(elapsed, log)) {
                Some(pause) if calm => self.waits.pause(pause),
                _ => return Ok(()),
            }
            self.ground.poison().check()?;
        }
    }

    /// Waits until a log flush that began behind the burst has ended. While nobody flushes the log nobody is kept waiting either: then the round
    /// goes on, but syncs by itself before more gathers in the drive's cache than the next commit should pay for.
    fn let_flush_pass(&mut self, drain: &mut Drain, file: FileId) -> Result<()> {
        let stats = &self.ground.log_stats();
        // One flush may have been under way when the last write ended.
        let enough = stats.flushes().count + 2;
        let quiet = Duration::from_micros(drain.quiet_us() as u64);
        let idle = quiet.mul_f64(IDLE_LOG).clamp(IDLE_LOG_BOUNDS.0, IDLE_LOG_BOUNDS.1);
        let (mut last, mut since) = (stats.flushes().count, Instant::now());
        while self.urgency() < Urgency::AtOnce {
            let count = stats.flushes().count;
            if count >= enough {
                drain.drained(stats.take_flushes(self.flushes), self.options.flush_slowdown);
                self.flushes = stats.flushes();
                return Ok(());
            }
            if self.idle_at == Some(count) && !stats.is_flushing() {
                break; // nothing has happened since it was found idle
            }
            if count != last {
                (last, since) = (count, Instant::now());
            } else if since.elapsed() > idle && !stats.is_flushing() {
                break;
            }
            self.waits.pause((quiet / 4).clamp(FLUSH_LOOK.0, FLUSH_LOOK.1));
            self.ground.poison().check()?;
        }
        self.idle_at = Some(stats.flushes().count);
        if drain.passed_over() && self.urgency() < Urgency::AtOnce {
            self.make_durable(file)?;
        }
        _ = stats.take_flushes(self.flushes);
        self.flushes = stats.flushes();
        Ok(())
    }

    /// Syncs a file that has writes. Whatever makes a sync fail, a full disk included, the next one cannot make up for it: poisons.
    fn make_durable(&self, file: FileId) -> Result<bool> {
        self.ground.pool().files().sync_if_written(file).map_err(|e| match e {
            e @ Error::Poisoned(_) => e,
            e => self.ground.poison().set(format!("a checkpoint's sync failed: {e}")),
        })
    }

    fn sync(&mut self, file: FileId) -> Result<Duration> {
        let before = Instant::now();
        self.synced.insert(file);
        let waiting = wait(Wait::DataSync);
        let synced = self.make_durable(file)?;
        drop(waiting);
        let took = before.elapsed();
        self.stats.syncs += u64::from(synced);
        self.stats.longest_sync_us = self.stats.longest_sync_us.max(took.as_micros() as u64);
        if self.stats.write_us == 0 {
            self.stats.sync_us += took.as_micros() as u64; // among the writes
        }
        Ok(took)
    }

    /// Every file with a mark in the partition, once a round (invariant 7).
    fn sync_the_rest(&mut self) -> Result<()> {
        while let Some((at, file)) = self.due.pop_front() {
            self.pause_until(at);
            self.sync(file)?;
        }
        let marked = self.ground.pool().files().unsynced(self.stats.partition);
        let rest: Vec<FileId> = marked.into_iter().filter(|f| !self.synced.contains(f)).collect();
        for (i, file) in rest.iter().enumerate() {
            let took = self.sync(*file)?;
            match self.options.sync {
                SyncPolicy::Phases | SyncPolicy::Joint => {
                    self.keep_pace((1.0 - self.write_share) / rest.len() as f64)?;
                }
                SyncPolicy::Paced if took > self.options.fsync_delay_threshold && i + 1 < rest.len() => {
                    self.pause_after_sync(took);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// S19: a multiple of what the sync took, but not beyond the round's time.
    fn pause_after_sync(&self, took: Duration) {
        let Speed::Paced { .. } = self.options.speed else { return };
        self.pause_until(self.waits.now() + took.mul_f64(self.options.fsync_delay_ratio));
    }

    /// Pauses while there is nothing to hurry for.
    fn pause_until(&self, time: Duration) {
        pause_until(self.waits, time, || self.urgency() == Urgency::Calm && !self.is_overdue());
    }

    fn learn_sync_share(&self, share: &mut f64) {
        let Speed::Paced { interval, .. } = self.options.speed else { return };
        if self.options.sync == SyncPolicy::Joint && self.stats.syncs > 0 {
            let now = self.stats.longest_sync_us as f64 * self.stats.syncs as f64
                / (interval.as_micros() as f64).max(1.0);
            *share = (*share + NEWEST * (now - *share)).clamp(0.1, 0.5);
        }
    }

    /// S2: neighbouring ranges together, once `flush_after` bytes have gathered.
    fn ask_write_out(&mut self, run: &[PageId]) {
        if self.options.flush_after == 0 {
            return;
        }
        let (offset, len) = (run[0].offset(), (run.len() * PAGE_BYTES) as u64);
        match self.pending.last_mut() {
            Some((file, at, bytes)) if *file == run[0].file && *at + *bytes == offset => *bytes += len,
            _ => self.pending.push((run[0].file, offset, len)),
        }
        self.pending_bytes += len;
        if self.pending_bytes >= self.options.flush_after {
            self.write_out_pending();
        }
    }

    fn write_out_pending(&mut self) {
        if self.options.order == Order::Buffer {
            self.pending.sort_unstable();
        }
        for (file, offset, len) in self.pending.drain(..) {
            self.ground.pool().files().start_write_out(file, offset, len);
        }
        self.pending_bytes = 0;
    }
}

/// Pauses in ticks until a time, as long as `calm` says. The clock goes on between a look at it and the next.
fn pause_until(waits: &dyn Waits, time: Duration, calm: impl Fn() -> bool) {
    loop {
        let left = time.saturating_sub(waits.now());
        if left.is_zero() || !calm() {
            return;
        }
        waits.pause(left.min(super::pace::TICK));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Each look takes some time, and each pause as long as it is.
    struct Clock(Cell<Duration>, Cell<Duration>);

    impl Waits for Clock {
        fn urgency(&self) -> Urgency {
            Urgency::Calm
        }

        fn pause(&self, time: Duration) {
            self.0.set(self.0.get() + time);
            self.1.set(self.1.get() + time);
        }

        fn now(&self) -> Duration {
            self.0.set(self.0.get() + Duration::from_millis(3));
            self.0.get()
        }
    }

    #[test]
    fn a_pause_ends_at_its_time_or_with_the_calm() {
        let pause = |ms, calm: bool| {
            let clock = Clock(Cell::default(), Cell::default());
            pause_until(&clock, Duration::from_millis(ms), || calm);
            (clock.0.get().as_millis() as u64, clock.1.get().as_millis() as u64)
        };
        for ms in 0..200 {
            let (ended, paused) = pause(ms, true);
            assert!((ms..ms + 4).contains(&ended.max(ms)) && paused <= ms, "{ms}: {ended}, {paused} paused");
            assert!(ms < 4 || paused > 0, "{ms}");
            assert_eq!(pause(ms, false).1, 0);
        }
    }
}
