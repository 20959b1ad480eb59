//! The names of `sync.rs` under a controlled scheduler (shuttle): one thread of a model goes on at a time, and at each point it is decided anew which.
//!
//! Duty: the points themselves, what may be planted, and the choice when there are points. Everything happens inside a run of shuttle.
//!
//! Invariants
//! 1. Each lock, atomic operation, wait and wake of the engine is a point, before it has its effect, unless this is a quiet time. A wait for another thread is one always.
//! 2. A wait ends because its condition holds, and tells nothing else: whoever is woken looks again. So a wake too many does no harm, and one too few is
//!    found, as a deadlock.
//! 3. Time passes only here (`threads.rs`), and what threads remember is forgotten at the end of a run: the same choices give the same run.
//!
//! Must not know: what is locked or counted.

mod atomics;
mod locks;
mod threads;

pub use atomics::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, fence};
pub use locks::{Condvar, Mutex, MutexGuard, RawRwLock, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use parking_lot::lock_api;
pub use shuttle::thread_local;
pub use std::sync::atomic::Ordering;
pub use threads::{
    Builder, Instant, JoinHandle, Scope, ScopedJoinHandle, Thread, current, park, park_timeout, scope, sleep,
    spawn, uptime, yield_now,
};

use std::cell::{Cell, RefCell};

/// A run with more points than this does not end.
const POINTS_MAX: u64 = 200_000;

std::thread_local! {
    static POINTS: Cell<u64> = const { Cell::new(0) };
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static PLANTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A point: another thread may go on here.
pub fn point() {
    if !QUIET.get() && !std::thread::panicking() {
        count();
        shuttle::thread::sleep(std::time::Duration::ZERO);
    }
}

/// Fails where a run goes round in circles.
fn count() {
    POINTS.set(POINTS.get() + 1);
    assert!(POINTS.get() < POINTS_MAX, "the run does not end");
}

/// Begins a run: its clock stands at nothing, and this mistake is planted in it; none if the name is empty.
pub fn begin_run(planted: &str) {
    QUIET.set(false);
    POINTS.set(0);
    threads::reset_clock();
    PLANTED.set(planted.to_owned());
}

/// Does `work` in a quiet time: nobody else goes on at a point, only at waits. For what comes before and after the part that is looked at.
pub fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let before = QUIET.replace(true);
    let result = work();
    QUIET.set(before);
    result
}

/// Whether the named mistake was planted, to see whether the model check finds it.
pub fn planted(name: &str) -> bool {
    PLANTED.with_borrow(|p| p == name)
}
