//! The log: bytes in order, durable when asked. See `README.md` for the algorithm.
//!
//! Must not know: frames, pages' meaning, transactions' rules. It moves bytes.

#![doc = include_str!("README.md")]

mod ahead;
pub mod bare;
pub mod dump;
pub mod end;
pub mod files;
pub mod find;
mod gang;
#[cfg(test)]
mod gang_tests;
mod hold;
mod horizon;
mod insert;
#[cfg(test)]
mod insert_tests;
mod publication;
mod quorum;
pub mod reader;
pub mod receiving;
pub mod record;
pub mod segment;
pub mod sending;
mod simulate;
pub mod source;
mod space;
mod stages;
pub mod stats;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
pub mod testing;
mod tuning;
mod turns;
mod write;

/// Parts of the commit path, for a model of them alone.
#[cfg(feature = "model")]
pub mod parts {
    pub use super::gang::{Gang, Log};
    pub use super::publication::Publication;
    pub use super::stages::{Stats, Written};
    pub use super::tuning::Tuning;
}

pub use horizon::{Follower, Horizon, News, Waiting};
#[doc(hidden)]
pub use quorum::Quorum; // for simulations
pub use quorum::{Level, SyncState, Synchronous};
pub use space::Promise;
pub use stages::{CommitStage, CommitStats, FlushTimes, Stats};
pub use tuning::{DEPTH_MAX, Tuning};

use crate::base::blocking::{Wait, wait};
use crate::base::sync::{AtomicBool, AtomicU64, Condvar, Instant, Mutex, Ordering};
use crate::base::{Error, Lsn, Poison, Repeated, Result};
use crate::io::{AlignedBuf, Disk, File};
use segment::{Geometry, Header, LOG_BLOCK};
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

/// After so many steps that found nothing new the log writer sleeps until something is logged.
const QUIET_STEPS: u32 = 10;

/// What the log writer is asked for; more includes less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Wanted {
    #[default]
    Nothing,
    WholeBlocks,
    Flush,
}

/// The log of an open database.
pub struct Wal {
    geometry: Geometry,
    incarnation: u64,
    poison: Arc<Poison>,
    inserter: insert::Inserter,
    gang: gang::Gang,
    space: space::Space,
    /// The last, half-filled block on its way to disk. Never contended: at most one write in flight ends within a block (turns, invariant 3).
    tail: Mutex<AlignedBuf>,
    writer_wanted: Mutex<Wanted>,
    /// The log writer is asked for whole blocks when the log's end passes this.
    write_ahead_at: AtomicU64,
    simulated: simulate::Simulated,
    writer_wake: Condvar,
    /// The log writer's steps in a row that found nothing new, and the log's end at the last.
    quiet: Mutex<(u32, Lsn)>,
    /// Space ahead cannot be made ready.
    lack: Repeated,
    closing: AtomicBool,
    /// No record may follow: set by a clean shutdown.
    sealed: AtomicBool,
    /// How far the log was durable by the latest record that says so.
    told_flushed: AtomicU64,
    /// Counters.
    pub stats: Stats,
    /// Settings.
    pub tuning: Tuning,
}

impl Wal {
    /// Starts a new life of the log in a fresh segment (segment invariant 2). `first` names the segment, the incarnation and where
    /// the one before ended; the segments `older` stay for recovery until recycled, those before `needed_from` may be reused at once: so a
    /// start on a full disk finds space.
    pub fn start(
        disk: Arc<dyn Disk>,
        geometry: Geometry,
        first: Header,
        mut older: Vec<u64>,
        needed_from: u64,
        ring_bytes: u64,
        poison: Arc<Poison>,
    ) -> Result<Wal> {
        let needed = older.partition_point(|s| *s < needed_from);
        let mut spare: VecDeque<u64> = older.drain(..needed).collect();
        let file = match (segment::prepare(&*disk, &first, None), spare.front()) {
            (Err(Error::OutOfSpace { .. }), Some(&old)) => {
                let file = segment::prepare(&*disk, &first, Some(old))?;
                spare.pop_front();
                file
            }
            (Err(Error::OutOfSpace { what }), None) => {
                return Err(Error::OutOfSpace {
                    what: format!("{what}: the start needs {} bytes for it", first.segment_bytes),
                });
            }
            (done, _) => done?,
        };
        let wal = Wal::new(disk, geometry, first, Some(file), ring_bytes, poison);
        wal.adopt_older(older, spare);
        Ok(wal)
    }

    /// Of a standby, for whoever reads: nothing can be logged, and nothing has to be waited for.
    pub fn idle(disk: Arc<dyn Disk>, geometry: Geometry, first: Header, poison: Arc<Poison>) -> Wal {
        Wal::new(disk, geometry, first, None, 2 * LOG_BLOCK, poison)
    }

    fn new(
        disk: Arc<dyn Disk>,
        geometry: Geometry,
        first: Header,
        file: Option<Arc<dyn File>>,
        ring_bytes: u64,
        poison: Arc<Poison>,
    ) -> Wal {
        let start = geometry.start_of(first.segment);
        Wal {
            geometry,
            incarnation: first.incarnation,
            poison,
            inserter: insert::Inserter::new(start, ring_bytes),
            gang: gang::Gang::new(start, LOG_BLOCK),
            space: space::Space::new(disk, geometry, first, file),
            tail: Mutex::new(AlignedBuf::new(LOG_BLOCK as usize)),
            writer_wanted: Mutex::new(Wanted::Nothing),
            write_ahead_at: AtomicU64::new(u64::MAX),
            simulated: simulate::Simulated::default(),
            writer_wake: Condvar::new(),
            quiet: Mutex::new((0, start)),
            lack: Repeated::default(),
            closing: AtomicBool::new(false),
            sealed: AtomicBool::new(false),
            told_flushed: AtomicU64::new(start.0),
            stats: Stats::default(),
            tuning: Tuning::default(),
        }
    }

    /// Every byte before this is on stable storage.
    pub fn flushed(&self) -> Lsn {
        self.gang.flushed()
    }

    /// Every byte before this is on stable storage, and a record ends there: after a crash the log goes on from there at least. `flushed` may lie within a record, of which nothing is left then.
    pub fn flushed_records(&self) -> Lsn {
        self.gang.flushed_records()
    }

    /// The record of a commit that is to be flushed has been inserted: the gangs count them.
    pub fn commit_logged(&self) {
        self.gang.commit_logged();
    }

    /// Blocks until the log is durable up to `target`. An error means that it may not be: the engine is poisoned then.
    pub fn flush(&self, target: Lsn) -> Result<()> {
        let mut _waiting = None;
        if self.flushed() < target {
            _waiting = Some(wait(Wait::LogFlush));
            self.settle_simulated()?;
        }
        self.gang.flush(self, target)
    }

    /// Flushes everything complete and what tasks wait for: the log writer's step.
    pub fn flush_completed(&self) -> Result<()> {
        self.settle_simulated()?;
        self.gang.flush_completed(self)
    }

    /// Registers a task to be woken once the log is durable up to `target`. True if it already is (or never will be: then
    /// `flush` returns the error). Someone else must flush: the log writer is asked to.
    pub(crate) fn wake_when_flushed(&self, target: Lsn, waker: &Waker) -> bool {
        self.is_closing() || self.gang.wake_when_flushed(self, target, waker)
    }

    /// Blocks until the log is durable beyond `at`, or there is news, or the time has come, or the engine is poisoned. Has nothing written. Gives how far it is.
    pub fn wait_flushed_beyond(&self, at: Lsn, until: Instant, is_news: &dyn Fn() -> bool) -> Lsn {
        self.gang.wait_beyond(self, at, until, is_news)
    }

    /// Whoever waits for more durable log looks whether there is news.
    pub(crate) fn wake_watchers(&self) {
        self.gang.wake_watchers();
    }

    /// The stop switch shared with the rest of the engine.
    pub fn poison(&self) -> &Arc<Poison> {
        &self.poison
    }

    /// The engine is poisoned: wakes everybody who waits here, the log writer too. Nobody is told of durability that is not there.
    pub fn poisoned(&self) {
        self.gang.fail(&self.stats);
        self.fail_copies();
        self.ask_writer(Wanted::Flush);
    }

    /// Segment arithmetic.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// This life of the log.
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// Under which election it is written; 0: under none.
    pub fn epoch(&self) -> u64 {
        self.space.epoch()
    }

    /// Asks the log writer thread for something.
    fn ask_writer(&self, what: Wanted) {
        let mut wanted = self.writer_wanted.lock();
        *wanted = what.max(*wanted);
        drop(wanted);
        self.writer_wake.notify_one();
    }

    /// Called after each insertion with its end: where enough waits to be written, the log writer shall write whole blocks (S16), so that the
    /// commit of a large transaction finds little left.
    fn write_ahead(&self, end: u64) {
        // Sequentially consistent, like the store of the log's end before: either this sees that the writer sleeps, or the writer sees the record.
        if end >= self.write_ahead_at.load(Ordering::SeqCst)
            && self.write_ahead_at.swap(u64::MAX, Ordering::Relaxed) != u64::MAX
        {
            self.ask_writer(Wanted::WholeBlocks);
        }
    }

    /// Settings have changed: the log writer, should it sleep for long, goes on by them.
    pub fn retune(&self) {
        self.arm_write_ahead();
        self.ask_writer(Wanted::WholeBlocks); // behind it: what a sleeper is woken by was just overwritten
    }

    /// From here on the log writer wants to be asked when so much more is complete than is flushed now.
    pub fn arm_write_ahead(&self) {
        let at = self.tuning.flush_after_bytes().map_or(u64::MAX, |bytes| self.flushed().0 + bytes);
        self.write_ahead_at.store(at, Ordering::Relaxed);
    }

    /// The log writer's loop body: waits up to `delay` or until asked, then makes log space ready and writes. False once closing.
    ///
    /// What is complete when the delay runs out is flushed, open block and all. Before that whole blocks may go out ahead, again and again; each
    /// time that takes at least what was in the open block the time before. So nothing stays in memory for longer than two delays and the writes between.
    /// Where nothing has been logged for some steps, it sleeps until something is.
    pub fn writer_step(&self, delay: std::time::Duration) -> bool {
        {
            let mut wanted = self.writer_wanted.lock();
            let _waiting = wait(Wait::LogWriterIdle);
            if *wanted == Wanted::Nothing && self.is_quiet() && !self.closing.load(Ordering::Acquire) {
                self.write_ahead_at.store(0, Ordering::SeqCst);
                if self.next_lsn() == self.flushed() && !self.poison.is_set() {
                    self.writer_wake.wait(&mut wanted);
                }
                self.arm_write_ahead();
                // That is what the first record asks for: it has its delay before it.
                if *wanted == Wanted::WholeBlocks {
                    *wanted = Wanted::Nothing;
                }
            }
            if *wanted == Wanted::Nothing
                && !self.closing.load(Ordering::Acquire)
                && self.writer_wake.wait_for(&mut wanted, delay).timed_out()
            {
                *wanted = Wanted::Flush;
            }
        }
        if self.closing.load(Ordering::Acquire) || self.poison.is_set() {
            return false;
        }
        if let Err(e) = self.prepare_ahead()
            && self.lack.is_due()
        {
            tracing::warn!("preparing log space ahead failed, will retry when needed: {e}");
        }
        let _ = self.serve_writer(false); // a failure poisons the engine, and was logged
        let mut quiet = self.quiet.lock();
        let end = self.next_lsn();
        *quiet = (if quiet.1 == end { quiet.0 + 1 } else { 0 }, end);
        true
    }

    /// Whether nothing has been logged for some steps. Asked once, then steps count anew.
    fn is_quiet(&self) -> bool {
        let mut quiet = self.quiet.lock();
        let is = quiet.0 >= QUIET_STEPS;
        if is {
            quiet.0 = 0;
        }
        is
    }

    /// Does what the log writer was asked for, or a flush if the time for that has come. Gives whether there was anything to do.
    pub fn serve_writer(&self, time_is_up: bool) -> Result<bool> {
        let wanted = std::mem::take(&mut *self.writer_wanted.lock());
        let done = match wanted {
            Wanted::Flush => self.flush_completed(),
            _ if time_is_up => self.flush_completed(),
            Wanted::WholeBlocks => self.settle_simulated().and_then(|()| self.gang.flush_whole_blocks(self)),
            Wanted::Nothing => return Ok(false),
        };
        self.arm_write_ahead();
        done.map(|()| true)
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Forbids further records if `quiet` says, with reservations held, that none is owed.
    pub fn seal_if(&self, quiet: impl FnOnce() -> bool) -> bool {
        self.with_reservations_held(|_| {
            let ok = quiet();
            self.sealed.store(ok, Ordering::SeqCst);
            ok
        })
    }

    /// Ends `writer_step` loops.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.ask_writer(Wanted::Flush);
    }
}
