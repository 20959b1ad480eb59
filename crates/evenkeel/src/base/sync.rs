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

    const PARTS: usize = 16;

    /// A part of a counter, on a cache line of its own (two, as processors fetch them in pairs).
    #[derive(Default, Debug)]
    #[repr(align(128))]
    struct Part(AtomicU64);

    /// A counter that many threads add to all the time: each has a part of it, so that they do not take a cache line from each other.
    #[derive(Default, Debug)]
    pub struct Spread([Part; PARTS]);

    static THREADS: AtomicUsize = AtomicUsize::new(0);
    std::thread_local! {
        static PART: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PARTS;
    }

    impl Spread {
        /// One more.
        pub fn add_one(&self) {
            let part = PART.with(|p| *p);
            self.0[part].0.fetch_add(1, Ordering::Relaxed);
        }

        /// All of it.
        pub fn sum(&self) -> u64 {
            self.0.iter().map(|p| p.0.load(Ordering::Relaxed)).sum()
        }
    }
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
    pub use std::thread_local;
    pub use std::time::Instant;

    /// Time since some moment of the process.
    pub fn uptime() -> std::time::Duration {
        static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
        START.elapsed()
    }

    /// Whether the named mistake was planted, to see whether the model check finds it: never here.
    #[inline(always)]
    pub const fn planted(_: &str) -> bool {
        false
    }
}

#[cfg(not(feature = "model"))]
pub use ordinary::*;
