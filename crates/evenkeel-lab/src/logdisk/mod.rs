#![doc = include_str!("README.md")]

mod choose;
pub(crate) mod facts;
mod files;
mod lanes;
pub(crate) mod os;
mod period;
mod place;
mod plan;
pub(crate) mod processors;
pub(crate) mod quick;
pub mod report;
pub mod rig;
pub(crate) mod sample;
pub(crate) mod show;
pub mod spec;
pub(crate) mod stream;
#[cfg(test)]
mod tests;
mod uring;
mod warn;
pub(crate) mod words;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

pub use facts::facts;
pub use files::{is_temporary, remove_left_over};
pub use quick::{Quickest, quickest_method};
pub use report::{Advice, Phase, Report};
pub use rig::Facts;
pub use sample::Figures;
pub use show::write_text;
pub use spec::Objective;

/// Seconds of a run unless told otherwise.
pub const DEFAULT_SECONDS: f64 = 45.0;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long to measure, preparations included, about.
    pub seconds: f64,
    /// What the settings are to be best at.
    pub objective: Objective,
}

impl Default for Options {
    fn default() -> Options {
        Options { seconds: DEFAULT_SECONDS, objective: Objective::default() }
    }
}

/// Is told how far the run is.
pub trait Progress {
    /// A phase begins, the n-th (from 0) of all.
    fn phase(&mut self, n: usize, phase: Phase);
    /// A measurement begins; so much of the whole is done (0 to 1).
    fn step(&mut self, share: f64, what: &str);
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder cannot be written to.
    #[error("{}: cannot write test files: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The disk is too full.
    #[error("{}: the test files need {} MB, but only {} MB are free", folder.display(), needs_bytes / 1_000_000, has_bytes / 1_000_000)]
    NoSpace {
        /// The folder.
        folder: PathBuf,
        /// What the test takes.
        needs_bytes: u64,
        /// What there is.
        has_bytes: u64,
    },
    /// A write that should have worked did not.
    #[error("{what}: {source}")]
    Io {
        /// What was measured.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// No method works at all.
    #[error("no method of durable writing works here: {0}")]
    NoMethod(String),
    /// It took so little time that nothing was counted.
    #[error("{0}: nothing could be measured in the given time; try more --seconds")]
    TooShort(String),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// Measures the disk under a folder. Blocks for about `options.seconds`; ends early when `stop` is set, within a write's time. Leaves no
/// files.
pub fn run(
    folder: &Path,
    options: &Options,
    stop: &AtomicBool,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    let mut rig = os::OsRig::new(folder, stop)?;
    plan::run(&mut rig, options, stop, progress)
}
