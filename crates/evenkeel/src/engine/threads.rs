//! Background duties: each a named thread around a plain step.

use super::database::Core;
use super::settings::Id;
use crate::base::Lsn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the checkpointer looks whether a round is due.
const LOOK: Duration = Duration::from_millis(50);
/// Pause of the purge thread when there is nothing to do.
const PURGE_PAUSE: Duration = Duration::from_millis(20);
/// Pause of the archiver when no segment is finished.
const ARCHIVE_PAUSE: Duration = Duration::from_millis(500);
/// Transactions purged after in one step.
const PURGE_BATCH: usize = 256;

impl Core {
    /// Starts all of them.
    pub(super) fn start_threads(self: &Arc<Self>) -> std::io::Result<Vec<JoinHandle<()>>> {
        let spawn = |name: &str, run: fn(&Core)| {
            let core = self.clone();
            std::thread::Builder::new().name(name.into()).spawn(move || run(&core))
        };
        let mut threads = vec![
            spawn("wal-writer", |c| while c.env.wal.writer_step(c.live_time(Id::WalWriterDelay)) {})?,
            spawn("checkpointer", Core::run_checkpointer)?,
            spawn("bgwriter", Core::run_cleaner)?,
            spawn("purge", |c| {
                while c.keep_running() {
                    match c.purge_step(PURGE_BATCH) {
                        Ok(0) => c.pause(PURGE_PAUSE),
                        Ok(_) => {}
                        Err(e) => {
                            tracing::warn!("purge will try again: {e}");
                            c.pause(Duration::from_secs(1));
                        }
                    }
                }
            })?,
        ];
        if self.archiver.is_some() {
            threads.push(spawn("archiver", Core::run_archiver)?);
        }
        Ok(threads)
    }

    /// Finished segments go to the archive as soon as they are seen; failures were logged, and are tried again when it is time.
    fn run_archiver(&self) {
        let Some(archiver) = &self.archiver else { return };
        while self.keep_running() {
            let done = archiver.step(&self.archive_settings(), self.opened.elapsed(), false);
            if !matches!(done, Ok(1..)) {
                self.pause(ARCHIVE_PAUSE);
            }
        }
    }

    /// Waits, or returns at once when the database is closing.
    fn pause(&self, d: Duration) {
        let mut closing = self.closing.lock();
        if !*closing {
            self.wake.wait_for(&mut closing, d);
        }
    }

    fn keep_running(&self) -> bool {
        !*self.closing.lock() && !self.env.wal.poison().is_set()
    }

    fn run_cleaner(&self) {
        let mut seen = 0;
        while self.keep_running() {
            let max = self.live(Id::BgwriterMaxpages) as usize;
            if self.env.pool.clean_ahead(&mut seen, max).is_err() {
                return; // poisoned; it was logged
            }
            self.pause(self.live_time(Id::BgwriterDelay));
        }
    }

    /// Rounds are due by log volume and by time: a cycle takes at most `max_wal_size` of log and `checkpoint_timeout`.
    fn run_checkpointer(&self) {
        let mut last_lsn = self.env.wal.next_lsn();
        let mut last_time = Instant::now();
        while self.keep_running() {
            self.pause(LOOK);
            let n = self.env.pool.partitions().get() as u64;
            // The oldest redo point is up to N + 1 rounds old when its round ends: that much log has to fit.
            let bytes = (self.live(Id::MaxWalSize) / (n + 1)).max(1);
            let interval = self.live_time(Id::CheckpointTimeout) / n as u32;
            let logged = self.env.wal.next_lsn().0 - last_lsn.0;
            self.doom_log_pinners();
            // An idle database has nothing to checkpoint: rounds themselves log a little.
            let idle = logged < 4096 * n && self.dirty_pages() == 0;
            if (logged < bytes && last_time.elapsed() < interval) || idle {
                continue;
            }
            let target = self.live(Id::CheckpointCompletionTarget) as f64 / 100.0;
            let (start_lsn, start) = (self.env.wal.next_lsn(), Instant::now());
            // Ahead of both clocks: sleep; behind either: go on.
            let mut pace = |done: usize, total: usize| {
                let progress = done as f64 / total.max(1) as f64;
                loop {
                    let by_time = start.elapsed().as_secs_f64() / (interval.as_secs_f64() * target).max(1e-9);
                    let by_log =
                        (self.env.wal.next_lsn().0 - start_lsn.0) as f64 / (bytes as f64 * target).max(1.0);
                    let ahead = progress - by_time.max(by_log);
                    if ahead <= 0.0 || *self.closing.lock() || self.hurry.load(Ordering::Relaxed) {
                        return;
                    }
                    self.pause(Duration::from_secs_f64(
                        (ahead * interval.as_secs_f64() * target).clamp(0.0005, 0.05),
                    ));
                }
            };
            (last_lsn, last_time) = (start_lsn, start);
            match self.checkpointer.round(&mut pace) {
                Ok(r) => tracing::debug!(
                    "round of partition {}: {} of {} pages, {} syncs, write {} us, sync {} us, redo {}",
                    r.partition,
                    r.written,
                    r.pages,
                    r.syncs,
                    r.write_us,
                    r.sync_us,
                    r.redo
                ),
                Err(_) if self.env.wal.poison().is_set() => return, // it was logged
                Err(e) => {
                    tracing::warn!("a checkpoint round failed, will try again: {e}");
                    self.pause(Duration::from_secs(1));
                }
            }
        }
    }

    fn dirty_pages(&self) -> u64 {
        (0..self.env.pool.partitions().get()).map(|p| self.env.pool.dirty_frames(p)).sum()
    }

    /// Marks transactions that pin more than four times `max_wal_size` of log: their next call fails and they must roll back.
    pub(super) fn doom_log_pinners(&self) {
        let limit = self.live(Id::MaxWalSize).saturating_mul(4);
        let horizon = Lsn(self.env.wal.next_lsn().0.saturating_sub(limit));
        for t in self.store.txns.active() {
            if t.first_lsn < horizon && t.last_lsn() != Lsn::ZERO && !t.doomed.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "transaction {} pins more than four times max_wal_size of log: it has to roll back",
                    t.id.0
                );
            }
        }
    }
}
