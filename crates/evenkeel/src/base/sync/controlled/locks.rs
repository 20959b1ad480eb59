//! Locks and condition variables of the model.
//!
//! Invariants
//! 1. A lock is free or held by somebody who goes on: whoever lets go of it wakes everybody who waits for it, and they look again.
//! 2. Like `parking_lot`'s, a read lock is not given while somebody waits to write, and a condition variable never wakes without cause.
//!
//! Must not know: what is locked.

use super::threads::{self, Task, let_time_pass, until};
use super::{point, yield_now};
use parking_lot::lock_api::{self, GuardNoSend};
use shuttle::rand::Rng;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Longest timed wait, in turns of the others.
const TURNS_MAX: u32 = 8;

/// As `parking_lot`'s.
pub type Mutex<T> = lock_api::Mutex<RawMutex, T>;
/// As `parking_lot`'s.
pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, RawMutex, T>;
/// As `parking_lot`'s.
pub type RwLock<T> = lock_api::RwLock<RawRwLock, T>;
/// As `parking_lot`'s.
pub type RwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, RawRwLock, T>;
/// As `parking_lot`'s.
pub type RwLockWriteGuard<'a, T> = lock_api::RwLockWriteGuard<'a, RawRwLock, T>;

/// Who holds a lock, and who waits for it.
struct Holding {
    writer: bool,
    readers: usize,
    writers_waiting: usize,
    waiting: Vec<Task>,
}

/// A lock of any kind. The inner lock is never contended: one thread goes on at a time, and none is put off while it holds it.
struct Raw(parking_lot::Mutex<Holding>);

impl Raw {
    const fn new() -> Raw {
        let holding = Holding { writer: false, readers: 0, writers_waiting: 0, waiting: Vec::new() };
        Raw(parking_lot::Mutex::new(holding))
    }

    fn lock(&self) {
        point();
        let mut waits = false;
        until(|me| {
            let mut h = self.0.lock();
            if !h.writer && h.readers == 0 {
                h.writer = true;
                h.writers_waiting -= usize::from(waits);
                return true;
            }
            h.writers_waiting += usize::from(!waits);
            waits = true;
            h.waiting.push(me());
            false
        });
    }

    fn try_lock(&self) -> bool {
        point();
        let mut h = self.0.lock();
        let free = !h.writer && h.readers == 0;
        h.writer |= free;
        free
    }

    fn lock_shared(&self, overtakes: bool) {
        point();
        until(|me| {
            let mut h = self.0.lock();
            if !h.writer && (overtakes || h.writers_waiting == 0) {
                h.readers += 1;
                return true;
            }
            h.waiting.push(me());
            false
        });
    }

    fn try_lock_shared(&self) -> bool {
        point();
        let mut h = self.0.lock();
        let free = !h.writer && h.writers_waiting == 0;
        h.readers += usize::from(free);
        free
    }

    fn unlock(&self) {
        self.let_go(|h| {
            assert!(h.writer, "a lock that is let go of is held");
            h.writer = false;
        });
    }

    fn unlock_shared(&self) {
        self.let_go(|h| h.readers -= 1);
    }

    fn let_go(&self, change: impl FnOnce(&mut Holding)) {
        let waiting = {
            let mut h = self.0.lock();
            change(&mut h);
            std::mem::take(&mut h.waiting)
        };
        waiting.iter().for_each(Task::wake);
    }

    fn is_locked(&self) -> bool {
        let h = self.0.lock();
        h.writer || h.readers > 0
    }
}

/// What [`Mutex`] locks.
pub struct RawMutex(Raw);

// SAFETY: `Raw` gives a lock to one at a time, and gives it again only when it was let go of.
unsafe impl lock_api::RawMutex for RawMutex {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: RawMutex = RawMutex(Raw::new());
    type GuardMarker = GuardNoSend;

    fn lock(&self) {
        self.0.lock();
    }

    fn try_lock(&self) -> bool {
        self.0.try_lock()
    }

    unsafe fn unlock(&self) {
        self.0.unlock();
    }

    fn is_locked(&self) -> bool {
        self.0.is_locked()
    }
}

// SAFETY: as above. Who gets the lock next is up to the scheduler, fair or not.
unsafe impl lock_api::RawMutexFair for RawMutex {
    unsafe fn unlock_fair(&self) {
        self.0.unlock();
    }
}

// SAFETY: as above.
unsafe impl lock_api::RawMutexTimed for RawMutex {
    type Duration = Duration;
    type Instant = threads::Instant;

    fn try_lock_for(&self, timeout: Duration) -> bool {
        for _ in 0..shuttle::rand::thread_rng().gen_range(1..TURNS_MAX) {
            if self.0.try_lock() {
                return true;
            }
            yield_now();
        }
        let_time_pass(timeout);
        false
    }

    fn try_lock_until(&self, timeout: threads::Instant) -> bool {
        self.try_lock_for(timeout.saturating_duration_since(threads::Instant::now()))
    }
}

/// What [`RwLock`] locks, and the latch of a page.
pub struct RawRwLock(Raw);

// SAFETY: `Raw` gives a lock to one writer or to readers, and to others only when they have let go of it.
unsafe impl lock_api::RawRwLock for RawRwLock {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: RawRwLock = RawRwLock(Raw::new());
    type GuardMarker = GuardNoSend;

    fn lock_shared(&self) {
        self.0.lock_shared(false);
    }

    fn try_lock_shared(&self) -> bool {
        self.0.try_lock_shared()
    }

    unsafe fn unlock_shared(&self) {
        self.0.unlock_shared();
    }

    fn lock_exclusive(&self) {
        self.0.lock();
    }

    fn try_lock_exclusive(&self) -> bool {
        self.0.try_lock()
    }

    unsafe fn unlock_exclusive(&self) {
        self.0.unlock();
    }

    fn is_locked(&self) -> bool {
        self.0.is_locked()
    }
}

// SAFETY: as above.
unsafe impl lock_api::RawRwLockRecursive for RawRwLock {
    fn lock_shared_recursive(&self) {
        self.0.lock_shared(true);
    }

    fn try_lock_shared_recursive(&self) -> bool {
        self.0.try_lock_shared()
    }
}

/// As `parking_lot`'s.
#[derive(Default)]
pub struct Condvar(parking_lot::Mutex<VecDeque<Arc<Waiter>>>);

struct Waiter {
    task: Task,
    is_notified: AtomicBool,
}

/// How a timed wait ended.
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether nobody woke the waiter.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

#[allow(missing_docs)]
impl Condvar {
    pub const fn new() -> Condvar {
        Condvar(parking_lot::Mutex::new(VecDeque::new()))
    }

    fn enlist(&self) -> Arc<Waiter> {
        let waiter = Arc::new(Waiter { task: Task::current(), is_notified: AtomicBool::new(false) });
        self.0.lock().push_back(waiter.clone());
        waiter
    }

    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let waiter = self.enlist();
        MutexGuard::unlocked(guard, || until(|_| waiter.is_notified.load(Ordering::SeqCst)));
    }

    /// Time may be over after any number of steps of the others.
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, time: Duration) -> WaitTimeoutResult {
        let waiter = self.enlist();
        MutexGuard::unlocked(guard, || {
            for _ in 0..shuttle::rand::thread_rng().gen_range(1..TURNS_MAX) {
                if waiter.is_notified.load(Ordering::SeqCst) {
                    break;
                }
                yield_now();
            }
        });
        self.0.lock().retain(|w| !Arc::ptr_eq(w, &waiter));
        let timed_out = !waiter.is_notified.load(Ordering::SeqCst);
        if timed_out {
            let_time_pass(time);
        }
        WaitTimeoutResult(timed_out)
    }

    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, end: threads::Instant) -> WaitTimeoutResult {
        self.wait_for(guard, end.saturating_duration_since(threads::Instant::now()))
    }

    pub fn notify_one(&self) -> bool {
        point();
        let first = self.0.lock().pop_front();
        first.inspect(|w| w.notify()).is_some()
    }

    pub fn notify_all(&self) -> usize {
        point();
        let all = std::mem::take(&mut *self.0.lock());
        all.iter().for_each(|w| w.notify());
        all.len()
    }
}

impl Waiter {
    fn notify(&self) {
        self.is_notified.store(true, Ordering::SeqCst);
        self.task.wake();
    }
}
