//! Partitioned checkpoints. See `README.md`.
//!
//! Must not know: what transactions do beyond their ids and LSNs; SQL.

#![doc = include_str!("README.md")]

mod checkpointer;
mod drain;
mod following;
mod options;
mod pace;
mod plan;
mod record;
mod round;
mod stats;

pub use checkpointer::{Checkpointer, ProtectionChange};
pub use following::{Following, Known};
pub use options::{Cause, Order, RoundOptions, Speed, SyncPolicy};
pub use record::{Quiet, RoundRecord};
pub use round::{Ground, Stage, Urgency, Waits, WithoutWaits};
pub use stats::{PartitionStats, RoundStats, Stats};
