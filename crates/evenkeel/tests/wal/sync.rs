//! What `wal/sync.rs` gives, made of the model checker's parts: each call is a point where it may go on with another thread.

pub use shuttle::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
pub use shuttle::thread::{Thread, current, park, sleep, yield_now};
use std::ops::{Deref, DerefMut};

#[derive(Default)]
pub struct Mutex<T>(shuttle::sync::Mutex<T>);

pub struct MutexGuard<'a, T>(Option<shuttle::sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    pub fn new(value: T) -> Mutex<T> {
        Mutex(shuttle::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().expect("no thread panicked")))
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("locked")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("locked")
    }
}

pub struct Condvar(shuttle::sync::Condvar);

/// How a wait with a limit ended.
pub struct Waited;

impl Waited {
    pub fn timed_out(&self) -> bool {
        true
    }
}

impl Condvar {
    pub fn new() -> Condvar {
        Condvar(shuttle::sync::Condvar::new())
    }

    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }

    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let locked = guard.0.take().expect("locked");
        guard.0 = Some(self.0.wait(locked).expect("no thread panicked"));
    }

    /// Time is no part of the model: every limit is over at once.
    pub fn wait_until<T>(&self, _: &mut MutexGuard<'_, T>, _: std::time::Instant) -> Waited {
        yield_now();
        Waited
    }
}
