//! Crash recovery. See `README.md`.
//!
//! Must not know: SQL; how the log is written.

#![doc = include_str!("README.md")]

mod repair;
mod run;
mod target;

pub use repair::repair_torn_pages;
pub use run::{Recovered, redo_log, sync_all};
pub use target::Target;
