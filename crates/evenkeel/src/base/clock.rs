//! The wall clock: what commits, restore points, backups and archives are dated with. The one place that reads it. And the time since the machine started, which goes on while it sleeps: what leases are
//! counted by.
//!
//! Invariants
//! 1. Nothing rests on the wall clock's going forward, nor on two machines' agreeing: durations and deadlines are `base/sync.rs`'s.

use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970-01-01 UTC; 0 on a clock that stands before.
pub fn wall_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

/// Microseconds since 1970-01-01 UTC.
pub fn wall_us() -> u64 {
    wall_ns() / 1000
}

/// Milliseconds since 1970-01-01 UTC.
pub fn wall_ms() -> u64 {
    wall_us() / 1000
}

/// Microseconds since the machine started, sleep included. `CLOCK_MONOTONIC` stands still meanwhile: a server that was put to sleep would believe in a lease that is long over.
pub fn boot_us() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1000
}
