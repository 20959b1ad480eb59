//! The public facade: wiring, threads, options, statistics. See `README.md`.

#![doc = include_str!("README.md")]

mod archiving;
mod backup;
mod base_copy;
mod cascading;
pub mod check;
mod check_log;
mod checkpointing;
mod core;
mod database;
mod duties;
mod feedback;
mod give_up;
mod io_counts;
mod lives;
mod log_damage;
mod mark;
mod opening;
mod options;
mod presets;
mod protection;
mod reading;
mod recovering;
mod rejoining;
mod replaying;
pub mod restore;
mod sending;
mod settings;
mod slots;
mod standby;
mod standby_copy;
mod stats;
mod threads;
mod transaction;
mod unfinished;
mod upstream;

pub use backup::{BackupOptions, BackupPhase, BackupProgress, LABEL_BYTES_MAX, OnProgress, Which};
pub use base_copy::{CopyOptions, CopyPiece};
pub use database::Database;
pub use duties::Duty;
pub use feedback::{Feedback, Hold};
pub use give_up::{GivenUp, give_up_log, give_up_log_on};
pub use io_counts::{FileKind, FileStats};
pub use mark::MARK_BYTES_MAX;
pub use options::Options;
pub use presets::{PRESETS, Preset};
pub use rejoining::{Diverged, Have, Rejoining};
pub use sending::LogStream;
pub use slots::{Slot, SlotUse};
pub use standby::{Position, Standby};
pub use standby_copy::StandbyCopy;
pub use stats::Stats;
pub use transaction::{CommitFuture, Cursor, Interrupted, Transaction};
pub use upstream::Upstream;
