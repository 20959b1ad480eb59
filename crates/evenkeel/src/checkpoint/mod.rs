//! Partitioned checkpoints. See `README.md`.
//!
//! Must not know: what transactions do beyond their ids and LSNs; SQL.

#![doc = include_str!("README.md")]

mod record;
mod round;

pub use record::RoundRecord;
pub use round::{Checkpointer, Pace, RoundStats, Stage};
