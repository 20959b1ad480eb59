//! Who is at work in a tree: a freed block must not be reused while somebody may still follow an old link to it, and a file must not go
//! while anybody uses its pages.
//!
//! Two counters, used in turn. The epoch advances when nobody is left from the one before; a block freed in epoch `e` is safe from epoch
//! `e + 2` on. (A general epoch library would do, but its deferred work runs at times that depend on the whole process; here a single-threaded
//! run is deterministic, which the crash enumeration needs.) Users that follow no links are *visits*: they hold back no block, only the end.
//!
//! Invariants
//! 1. Once `close` has returned nobody is inside, and nobody comes in any more.

use crate::base::sync::{AtomicBool, AtomicU64, Condvar, Mutex, Ordering};

/// Descents into one tree, and visits.
#[derive(Default)]
pub struct Descents {
    epoch: AtomicU64,
    active: [AtomicU64; 2],
    visits: AtomicU64,
    closed: AtomicBool,
    gone: Mutex<()>,
    left: Condvar,
}

/// A descent under way. Ends on drop.
pub struct Descent<'d> {
    all: &'d Descents,
    epoch: u64,
}

/// A use of the tree's pages that follows no links from page to page of the tree. Ends on drop.
pub struct Visit<'d> {
    all: &'d Descents,
}

impl Drop for Descent<'_> {
    fn drop(&mut self) {
        self.all.leave(&self.all.active[(self.epoch & 1) as usize]);
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.all.leave(&self.all.visits);
    }
}

impl Descents {
    /// Begins a descent; `None` once the tree is closed.
    pub fn begin(&self) -> Option<Descent<'_>> {
        loop {
            let epoch = self.epoch.load(Ordering::SeqCst);
            let counter = &self.active[(epoch & 1) as usize];
            counter.fetch_add(1, Ordering::SeqCst);
            if self.is_closed() {
                self.leave(counter);
                return None;
            }
            if self.epoch.load(Ordering::SeqCst) == epoch {
                return Some(Descent { all: self, epoch });
            }
            self.leave(counter);
        }
    }

    /// Begins a visit; `None` once the tree is closed.
    pub fn visit(&self) -> Option<Visit<'_>> {
        self.visits.fetch_add(1, Ordering::SeqCst);
        let visit = Visit { all: self };
        if self.is_closed() { None } else { Some(visit) }
    }

    /// Lets nobody in any more and blocks until everybody has left (invariant 1). The caller may hold no latch and be inside nowhere. May be
    /// called again.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        let mut gone = self.gone.lock();
        while self.active.iter().chain([&self.visits]).any(|n| n.load(Ordering::SeqCst) != 0) {
            self.left.wait(&mut gone);
        }
    }

    /// Whether `close` has begun.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn leave(&self, counter: &AtomicU64) {
        // Whoever sees the switch off left before `close` looked at the counters; whoever sees it on wakes it.
        if counter.fetch_sub(1, Ordering::SeqCst) == 1 && self.is_closed() {
            drop(self.gone.lock());
            self.left.notify_all();
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

    #[test]
    fn a_visit_holds_no_block_back() {
        let d = Descents::default();
        let _visit = d.visit().unwrap();
        assert!(d.all_ended_before(d.now()));
    }

    #[test]
    fn closing_waits_for_everybody_inside_and_lets_nobody_in() {
        let d = Descents::default();
        let inside = AtomicU64::new(0);
        std::thread::scope(|s| {
            for n in 0..4 {
                let (d, inside) = (&d, &inside);
                s.spawn(move || {
                    loop {
                        let (descent, visit);
                        if n % 2 == 0 {
                            descent = d.begin();
                            if descent.is_none() {
                                return;
                            }
                        } else {
                            visit = d.visit();
                            if visit.is_none() {
                                return;
                            }
                        }
                        inside.fetch_add(1, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
            std::thread::yield_now();
            d.close();
            assert_eq!(inside.load(Ordering::SeqCst), 0);
            assert!(d.begin().is_none() && d.visit().is_none());
        });
        d.close();
    }
}
