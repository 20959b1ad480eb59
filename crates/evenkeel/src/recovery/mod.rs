//! Crash recovery. See `README.md`.
//!
//! Must not know: SQL; how the log is written.

#![doc = include_str!("README.md")]

mod run;

pub use run::{Recovered, redo_log};
