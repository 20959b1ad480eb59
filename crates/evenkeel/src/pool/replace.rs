//! Which frame to give up: takes one for a page that is to come in. The lists are in `car.rs`, their lock in `order.rs`.

use super::car::{DIRTY_WINDOW, Found, SWEEP_MAX, Sweep};
use super::frame::{OWNED, VALID};
use super::{Pool, WriteReason};
use crate::base::blocking::{Wait, wait};
use crate::base::sync::{self, Ordering};
use crate::base::usage;
use crate::base::{Error, Result};
use std::time::Duration;

/// Pause when everything is in use at this moment.
const IN_USE_PAUSE: Duration = Duration::from_micros(200);
/// Such pauses before a search gives up while all is pinned: pins are short, and an error is not.
const PINNED_PAUSES: u32 = 50;
/// Such pauses before a search gives up while pages are being written: only a disk that hangs takes that long.
const WRITING_PAUSES: u32 = 300_000;

impl Pool {
    /// Takes a frame out of circulation for the caller, evicting a page if need be. Unused frames first, then clean ones; a dirty one is
    /// written by the caller and counted. Must not be called under an exclusive tree latch (pool invariant 7).
    pub(super) fn take_frame(&self) -> Result<u32> {
        self.stats.allocations.fetch_add(1, Ordering::Relaxed);
        let mut sweep = Sweep::default();
        let (mut pauses, mut called) = (0, false);
        loop {
            let found = match self.order.take(&self.frames, &mut sweep) {
                Ok(frame) => return Ok(frame),
                Err(found) => found,
            };
            if sweep.dirty >= DIRTY_WINDOW / 4 && !called {
                self.call_cleaner();
                called = true;
            }
            match found {
                Found::Victim(frame, list) => {
                    if self.evict(frame) {
                        return Ok(frame);
                    }
                    self.order.give_back(&self.frames, list, frame);
                }
                Found::Dirty(frame) => {
                    // Not written if it is in use after all: then the next search finds it pinned.
                    let written = self.write_back(self.frames[frame as usize].id(), WriteReason::Backend)?;
                    usage::written(written as u64);
                }
                Found::Again if sweep.steps < 8 * self.frames.len() + SWEEP_MAX => {}
                Found::Again | Found::InUse | Found::Empty => {
                    self.poison.check()?;
                    let writing = self.frames.iter().any(|f| f.writing.load(Ordering::Relaxed));
                    pauses += 1;
                    if pauses > if writing { WRITING_PAUSES } else { PINNED_PAUSES } {
                        return Err(Error::InvalidArgument(format!(
                            "no buffer is free: all {} are pinned at once; raise shared_buffers or lower the number of connections",
                            self.frames.len()
                        )));
                    }
                    let _waiting = wait(Wait::BufferPin);
                    sync::sleep(IN_USE_PAUSE);
                    sweep.steps = 0;
                    sweep.pinned = [0; 2];
                }
            }
        }
    }

    /// Takes a clean, unpinned page out of the table; false if it is in use again.
    fn evict(&self, frame: u32) -> bool {
        let f = &self.frames[frame as usize];
        let id = f.id();
        let mut shard = self.shard(id).write();
        // Under the shard's write lock no new pin can come (pool invariant 1).
        if shard.get(&id) != Some(&frame)
            || f.pins.load(Ordering::Acquire) != 0
            || f.dirty.load(Ordering::Acquire)
            || f.writing.load(Ordering::Acquire)
            || f.state.compare_exchange(VALID, OWNED, Ordering::AcqRel, Ordering::Relaxed).is_err()
        {
            return false;
        }
        shard.remove(&id);
        self.stats.evictions.fetch_add(1, Ordering::Relaxed);
        true
    }
}
