//! What may be set about the log while it is open.
//!
//! Must not know: where settings come from.

use crate::base::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::time::Duration;

/// How many transactions are open that may commit soon.
type Siblings = Box<dyn Fn() -> usize + Send + Sync>;

/// The settings of an open log.
pub struct Tuning {
    depth: AtomicUsize,
    commit_delay_us: AtomicU64,
    commit_siblings: AtomicUsize,
    flush_after_bytes: AtomicU64,
    tells_flushed: AtomicBool,
    siblings: OnceLock<Siblings>,
}

/// Most log writes in flight.
pub const DEPTH_MAX: u64 = 32;

impl Default for Tuning {
    /// One write at a time, no delay, no writes ahead.
    fn default() -> Tuning {
        Tuning {
            depth: AtomicUsize::new(1),
            commit_delay_us: AtomicU64::new(0),
            commit_siblings: AtomicUsize::new(0),
            flush_after_bytes: AtomicU64::new(0),
            tells_flushed: AtomicBool::new(true),
            siblings: OnceLock::new(),
        }
    }
}

impl std::fmt::Debug for Tuning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tuning").field("depth", &self.depth).finish_non_exhaustive()
    }
}

impl Tuning {
    /// Log writes in flight at a time, 1 to [`DEPTH_MAX`].
    pub fn set_depth(&self, depth: u64) {
        self.depth.store(depth.clamp(1, DEPTH_MAX) as usize, Ordering::Relaxed);
    }

    /// How long a flush waits for company, and how many other transactions must be open for that.
    pub fn set_commit_delay(&self, us: u64, siblings: u64) {
        self.commit_siblings.store(siblings as usize, Ordering::Relaxed);
        self.commit_delay_us.store(us, Ordering::Relaxed);
    }

    /// Log that is complete but not written, in bytes, at which whole blocks are written without anybody waiting for them; 0: never.
    pub fn set_flush_after(&self, bytes: u64) {
        self.flush_after_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Whether the log says how far it is durable: not if "durable" means nothing (`fsync = off`).
    pub fn set_tells_flushed(&self, on: bool) {
        self.tells_flushed.store(on, Ordering::Relaxed);
    }

    pub(super) fn tells_flushed(&self) -> bool {
        self.tells_flushed.load(Ordering::Relaxed)
    }

    /// Tells how to count open transactions. The first call counts.
    pub fn set_siblings(&self, count: Siblings) {
        let _ = self.siblings.set(count);
    }

    /// Log writes in flight at most.
    pub fn depth(&self) -> usize {
        self.depth.load(Ordering::Relaxed)
    }

    pub(super) fn flush_after_bytes(&self) -> Option<u64> {
        Some(self.flush_after_bytes.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
    }

    /// The delay before a flush now, if there is to be one.
    pub(super) fn commit_delay(&self) -> Option<Duration> {
        let us = self.commit_delay_us.load(Ordering::Relaxed);
        if us == 0 {
            return None;
        }
        let open = self.siblings.get().map_or(0, |count| count());
        (open >= self.commit_siblings.load(Ordering::Relaxed)).then(|| Duration::from_micros(us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_flush_is_delayed_only_while_enough_others_have_transactions_open() {
        let tuning = Tuning::default();
        let open = Arc::new(AtomicUsize::new(4));
        let count = open.clone();
        tuning.set_siblings(Box::new(move || count.load(Ordering::Relaxed)));
        assert_eq!(tuning.commit_delay(), None, "off by default");
        tuning.set_commit_delay(250, 5);
        assert_eq!(tuning.commit_delay(), None);
        open.store(5, Ordering::Relaxed);
        assert_eq!(tuning.commit_delay(), Some(Duration::from_micros(250)));
    }

    #[test]
    fn the_depth_stays_within_its_limits() {
        let tuning = Tuning::default();
        for (asked, got) in [(0, 1), (7, 7), (100, DEPTH_MAX as usize)] {
            tuning.set_depth(asked);
            assert_eq!(tuning.depth(), got);
        }
    }
}
