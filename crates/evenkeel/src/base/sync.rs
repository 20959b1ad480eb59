//! Locks, condition variables, atomics, threads and the clock: every module above `io` takes them from here.
//!
//! Duty: in the ordinary build these are the names of `parking_lot` and `std`, nothing else. In the build of `evenkeel-model` (feature `model`) the same names are
//! parts of a controlled scheduler, and each use is a point where another thread may go on (`sync/controlled.rs`).
//!
//! Invariants
//! 1. The ordinary build has no wrapper: what a name costs is what `parking_lot` and `std` cost, and [`planted`] is `false` at compile time.
//!
//! Must not know: what is locked or counted.

/// Atomics of statistics: nothing is decided by them, so they are no points for a scheduler.
pub mod counter {
    pub use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
}

#[cfg(feature = "model")]
mod controlled;

#[cfg(feature = "model")]
pub use controlled::*;

#[cfg(not(feature = "model"))]
mod ordinary {
    pub use parking_lot::{
        Condvar, Mutex, MutexGuard, RawRwLock, RwLock, RwLockReadGuard, RwLockWriteGuard, lock_api,
    };
    pub use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
    pub use std::thread::{
        Builder, JoinHandle, Scope, ScopedJoinHandle, Thread, current, park, park_timeout, scope, sleep,
        yield_now,
    };
    pub use std::time::Instant;

    /// Whether the named mistake was planted, to see whether the model check finds it: never here.
    #[inline(always)]
    pub const fn planted(_: &str) -> bool {
        false
    }
}

#[cfg(not(feature = "model"))]
pub use ordinary::*;
