//! Publication: which reservations have their bytes in the ring.
//!
//! Each reservation has a ticket, in order of place; its slot says when the copy is done. `completed` is the end of the longest prefix of done tickets.
//!
//! Invariants
//! 1. `completed` passes a ticket's end only after that ticket and all before it were published.
//! 2. A slot is used again only after its ticket was retired.
//! 3. Whoever waits for a position wakes once every ticket before it was published: either the publisher sees the waiter, or the waiter sees the
//!    publisher's slot.
//!
//! Must not know: bytes, records, places.

use crate::base::sync::{AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, Ordering};

#[derive(Default)]
struct Slot {
    /// End of the record; valid once `done` is the ticket plus one.
    end: AtomicU64,
    done: AtomicU64,
}

/// The bookkeeping of copies under way.
pub struct Publication {
    slots: Vec<Slot>,
    retired: AtomicU64,
    completed: AtomicU64,
    waiting: AtomicUsize,
    wait_lock: Mutex<()>,
    wait: Condvar,
    /// One: nobody waits any more.
    failed: AtomicU32,
}

impl Publication {
    /// Begins at a position, with room for so many reservations under way.
    pub fn new(start: u64, slots: usize) -> Publication {
        Publication {
            slots: (0..slots).map(|_| Slot::default()).collect(),
            retired: AtomicU64::new(0),
            completed: AtomicU64::new(start),
            waiting: AtomicUsize::new(0),
            wait_lock: Mutex::new(()),
            wait: Condvar::new(),
            failed: AtomicU32::new(0),
        }
    }

    /// The end of the completed prefix.
    pub fn completed(&self) -> u64 {
        self.completed.load(Ordering::SeqCst)
    }

    /// Whether a ticket may be given out (invariant 2).
    pub fn has_slot(&self, ticket: u64) -> bool {
        ticket < self.retired.load(Ordering::SeqCst) + self.slots.len() as u64
    }

    /// The reservation with this ticket, which ends at `end`, has its bytes in place.
    pub fn publish(&self, ticket: u64, end: u64) {
        let slot = self.slot(ticket);
        slot.end.store(end, Ordering::Relaxed);
        slot.done.store(ticket + 1, Ordering::SeqCst);
        self.advance();
        if self.waiting.load(Ordering::SeqCst) > 0 {
            drop(self.wait_lock.lock());
            self.wait.notify_all();
        }
    }

    /// Blocks until everything before `target` is published, all of which has tickets; or until `fail`.
    pub fn await_completed(&self, target: u64) {
        if self.completed() >= target {
            return;
        }
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut lock = self.wait_lock.lock();
        self.advance();
        while self.completed() < target && self.failed.load(Ordering::SeqCst) == 0 {
            self.wait.wait(&mut lock);
            self.advance();
        }
        drop(lock);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Some ticket will perhaps never be published: ends every wait, now and from now on.
    pub fn fail(&self) {
        self.failed.store(1, Ordering::SeqCst);
        drop(self.wait_lock.lock());
        self.wait.notify_all();
    }

    /// How many wait.
    #[cfg(test)]
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    fn slot(&self, ticket: u64) -> &Slot {
        &self.slots[(ticket % self.slots.len() as u64) as usize]
    }

    /// Retires every done ticket at the front.
    fn advance(&self) {
        loop {
            let r = self.retired.load(Ordering::SeqCst);
            let slot = self.slot(r);
            if slot.done.load(Ordering::SeqCst) != r + 1 {
                return;
            }
            let end = slot.end.load(Ordering::Relaxed);
            // Whoever wins publishes; a slot is reused only after it was retired, so a stale `end` cannot win.
            if self.retired.compare_exchange(r, r + 1, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                self.completed.fetch_max(end, Ordering::SeqCst);
            }
        }
    }
}
