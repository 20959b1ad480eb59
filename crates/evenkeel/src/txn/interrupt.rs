//! Cancelling a session's waits from another thread.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;

/// A cancel switch shared between a session and whoever may cancel it. A session has one of its own: deadlock searches know it by the switch.
#[derive(Debug)]
pub struct Interrupt {
    id: u64,
    canceled: AtomicBool,
    waiting: Mutex<Option<Thread>>,
}

impl Interrupt {
    /// A switch that is off.
    pub fn new() -> Arc<Interrupt> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Arc::new(Interrupt { id, canceled: AtomicBool::new(false), waiting: Mutex::default() })
    }

    /// No other switch of the process has this number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Turns it on: the session's current or next wait ends with `Error::Canceled`.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::SeqCst);
        if let Some(t) = &*self.waiting.lock() {
            t.unpark();
        }
    }

    /// Turns it off, for the next statement.
    pub fn clear(&self) {
        self.canceled.store(false, Ordering::SeqCst);
    }

    /// Whether it is on.
    pub fn is_canceled(&self) -> bool {
        self.canceled.load(Ordering::SeqCst)
    }

    /// Names the thread to wake while it waits; `None` afterwards.
    pub(crate) fn set_waiting(&self, thread: Option<Thread>) {
        *self.waiting.lock() = thread;
    }
}
