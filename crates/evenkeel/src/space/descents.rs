//! Which descents are under way: a freed block must not be reused while somebody may still follow an old link to it.
//!
//! Two counters, used in turn. The epoch advances when nobody is left from the one before; a block freed in epoch `e` is safe from epoch
//! `e + 2` on. (A general epoch library would do, but its deferred work runs at times that depend on the whole process; here a single-threaded
//! run is deterministic, which the crash enumeration needs.)

use std::sync::atomic::{AtomicU64, Ordering};

/// Descents into one tree.
#[derive(Default)]
pub struct Descents {
    epoch: AtomicU64,
    active: [AtomicU64; 2],
}

/// A descent under way. Ends on drop.
pub struct Descent<'d> {
    all: &'d Descents,
    epoch: u64,
}

impl Drop for Descent<'_> {
    fn drop(&mut self) {
        self.all.active[(self.epoch & 1) as usize].fetch_sub(1, Ordering::SeqCst);
    }
}

impl Descents {
    /// Begins a descent.
    pub fn begin(&self) -> Descent<'_> {
        loop {
            let epoch = self.epoch.load(Ordering::SeqCst);
            self.active[(epoch & 1) as usize].fetch_add(1, Ordering::SeqCst);
            if self.epoch.load(Ordering::SeqCst) == epoch {
                return Descent { all: self, epoch };
            }
            self.active[(epoch & 1) as usize].fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// The current epoch.
    pub fn now(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    /// Whether every descent begun in `epoch` or before has ended. Advances the epoch where possible.
    pub fn all_ended_before(&self, epoch: u64) -> bool {
        for _ in 0..2 {
            let now = self.now();
            if now >= epoch + 2 {
                return true;
            }
            // The counter that the next epoch will use must have drained: it belongs to the epoch before this one.
            if self.active[((now + 1) & 1) as usize].load(Ordering::SeqCst) != 0 {
                return false;
            }
            let _ = self.epoch.compare_exchange(now, now + 1, Ordering::SeqCst, Ordering::SeqCst);
        }
        self.now() >= epoch + 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_freed_during_a_descent_waits_for_its_end() {
        let d = Descents::default();
        let descent = d.begin();
        let freed = d.now();
        assert!(!d.all_ended_before(freed));
        assert!(!d.all_ended_before(freed));
        drop(descent);
        assert!(d.all_ended_before(freed));
    }

    #[test]
    fn later_descents_do_not_hold_a_block_back_for_ever() {
        let d = Descents::default();
        let freed = d.now();
        let first = d.begin();
        assert!(!d.all_ended_before(freed));
        let second = d.begin(); // in the advanced epoch
        drop(first);
        assert!(d.all_ended_before(freed));
        drop(second);
    }
}
