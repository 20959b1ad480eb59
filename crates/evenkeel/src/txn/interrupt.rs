//! Cancelling a session's waits from another thread.

use crate::base::TxnId;
use crate::base::sync::{AtomicBool, AtomicU64, Mutex, Ordering, Thread, counter, fence};
use std::sync::{Arc, OnceLock};

/// A cancel switch shared between a session and whoever may cancel it. A session has one of its own: deadlock searches know it by the switch.
pub struct Interrupt {
    id: u64,
    canceled: AtomicBool,
    untimed: AtomicBool,
    waiting: Mutex<Option<Thread>>,
    /// The id of the session's transaction; 0: it has none.
    txn: counter::AtomicU64,
    on_nudge: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Interrupt {
    /// A switch that is off.
    pub fn new() -> Arc<Interrupt> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Arc::new(Interrupt {
            id,
            canceled: AtomicBool::new(false),
            untimed: AtomicBool::new(false),
            waiting: Mutex::default(),
            txn: counter::AtomicU64::new(0),
            on_nudge: OnceLock::new(),
        })
    }

    /// No other switch of the process has this number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The id of the session's transaction, as soon as that has one and until it has let go of its locks. For views: it may have changed when this returns.
    pub fn transaction(&self) -> Option<u64> {
        Some(self.txn.load(Ordering::Relaxed)).filter(|id| *id > 0)
    }

    /// The session's transaction has got its id, or has ended.
    pub(crate) fn set_transaction(&self, id: Option<TxnId>) {
        self.txn.store(id.map_or(0, |id| id.0), Ordering::Relaxed);
    }

    /// Turns it on: the session's current or next wait ends with `Error::Canceled`.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::SeqCst);
        if let Some(t) = &*self.waiting.lock() {
            t.unpark();
        }
        self.nudge();
    }

    /// Tells whoever runs the session that it may go on, or must look why not.
    pub fn nudge(&self) {
        // Pairs with the fence in `set_on_nudge`: one of the two sees what the other stored.
        fence(Ordering::SeqCst);
        if let Some(f) = self.on_nudge.get() {
            f();
        }
    }

    /// Names what makes a session go on that waits outside of any call: for its cancellation, or for a lock (`Transaction::wait_outside`). Only the
    /// first call counts. The session must look at what it waits for between this call and such a wait. It must not call back.
    pub fn set_on_nudge(&self, f: Box<dyn Fn() + Send + Sync>) {
        let _ = self.on_nudge.set(f);
        fence(Ordering::SeqCst);
    }

    /// Whether anybody is told by `nudge`.
    pub(crate) fn can_nudge(&self) -> bool {
        self.on_nudge.get().is_some()
    }

    /// Turns it off, for the next statement.
    pub fn clear(&self) {
        self.canceled.store(false, Ordering::SeqCst);
    }

    /// Whether what the session does now has no limit of time: it is canceled by request alone.
    pub fn is_untimed(&self) -> bool {
        self.untimed.load(Ordering::SeqCst)
    }

    /// Says so, or that it has one again.
    pub fn set_untimed(&self, untimed: bool) {
        self.untimed.store(untimed, Ordering::SeqCst);
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

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupt")
            .field("id", &self.id)
            .field("canceled", &self.canceled)
            .finish_non_exhaustive()
    }
}
