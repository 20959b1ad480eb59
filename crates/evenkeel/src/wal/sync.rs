//! Locks, atomics and threads of the modules that the model checker runs under its own (`tests/model_check.rs`): they take them from here.

pub use parking_lot::{Condvar, Mutex};
pub use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
pub use std::thread::{Thread, current, park, sleep, yield_now};
