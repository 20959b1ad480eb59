//! Crash recovery. See `README.md`.
//!
//! Must not know: SQL; how the log is written.

#![doc = include_str!("README.md")]

mod analysis;
mod apply;
mod crew;
mod files;
mod follow;
mod harden;
mod options;
mod repair;
mod run;
mod target;
mod wave;

pub use follow::{Applied, Readers, Tail, follow_log};
pub use harden::LifeEnd;
pub use options::{RecoveryProgress, RedoOptions, RedoStats};
pub use repair::repair_torn_pages;
pub use run::{Recovered, Redone, redo_log, sync_all, sync_received};
pub use target::Target;
