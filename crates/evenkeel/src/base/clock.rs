//! The wall clock: what commits, restore points, backups and archives are dated with. The one place that reads it.
//!
//! Invariants
//! 1. Nothing rests on its going forward, nor on two machines' agreeing: durations and deadlines are `base/sync.rs`'s.

use std::time::{SystemTime, UNIX_EPOCH};

/// Microseconds since 1970-01-01 UTC; 0 on a clock that stands before.
pub fn wall_us() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64
}

/// Milliseconds since 1970-01-01 UTC.
pub fn wall_ms() -> u64 {
    wall_us() / 1000
}
