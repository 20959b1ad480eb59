//! The one thread that watches all time limits.
//!
//! Duty: sleep until the earliest deadline of any session, then let it fire. A session that has no time limit set costs
//! nothing; one that has costs two atomic operations for each statement, because the timer is woken only for a deadline
//! earlier than the one it sleeps for.
//!
//! It must not know what deadlines are for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use evenkeel::base::duty;
use parking_lot::{Condvar, Mutex};

use crate::backend::{Backend, Deadline, Registry};

/// Watches the deadlines of a registry's sessions.
pub(crate) struct Timer {
    registry: Arc<Registry>,
    /// The time the thread sleeps until, µs since the registry's start.
    next_us: AtomicU64,
    stopping: Mutex<bool>,
    wake: Condvar,
}

impl Timer {
    /// Starts the thread; `failed` is told if it panics.
    pub fn start(
        registry: Arc<Registry>,
        failed: impl FnOnce(String) + Send + 'static,
    ) -> std::io::Result<(Arc<Timer>, JoinHandle<()>)> {
        let timer = Arc::new(Timer {
            registry,
            next_us: AtomicU64::new(u64::MAX),
            stopping: Mutex::new(false),
            wake: Condvar::new(),
        });
        let runs = timer.clone();
        let thread = duty::spawn("timer", move || runs.run(), || false, failed)?;
        Ok((timer, thread))
    }

    /// Arms a session's deadline, `limit` from now. The caller runs that session.
    pub fn arm(&self, backend: &Backend, limit: Duration, what: Deadline) {
        let at_us = self.after(limit);
        backend.arm_at(at_us, what);
        if at_us < self.next_us.load(Ordering::SeqCst) {
            // The lock is free only while the thread sleeps, so that it cannot miss this.
            let _asleep = self.stopping.lock();
            self.next_us.fetch_min(at_us, Ordering::SeqCst);
            self.wake.notify_one();
        }
    }

    /// The deadline that follows that of a statement, which is armed and comes first.
    pub fn follow(&self, backend: &Backend, limit: Duration, what: Deadline) {
        backend.follow_at(self.after(limit), what);
    }

    fn after(&self, limit: Duration) -> u64 {
        let limit_us = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        self.registry.now_us().saturating_add(limit_us).min(u64::MAX >> 4)
    }

    /// µs since the registry's start.
    pub fn now_us(&self) -> u64 {
        self.registry.now_us()
    }

    /// Ends the thread; nothing fires afterwards.
    pub fn stop(&self) {
        *self.stopping.lock() = true;
        self.wake.notify_one();
    }

    fn run(&self) {
        let mut stopping = self.stopping.lock();
        while !*stopping {
            // From here on every arm() takes the lock, and thereby waits for us to sleep.
            self.next_us.store(u64::MAX, Ordering::SeqCst);
            match self.registry.fire_deadlines() {
                None => self.wake.wait(&mut stopping),
                Some(next_us) => {
                    self.next_us.store(next_us, Ordering::SeqCst);
                    let sleep_us = next_us.saturating_sub(self.registry.now_us());
                    self.wake.wait_for(&mut stopping, Duration::from_micros(sleep_us));
                }
            }
        }
    }
}
