//! The disk without an engine: one durable write after the other, with as many log bytes each as a commit of the engine has.
//!
//! It is measured with `logdisk`'s means: the best of its methods on this disk, one write at a time, the half-filled last block written again as the engine does.
//!
//! It must not know the engine.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::{Error, Load, Sample, Target};
use crate::logdisk::os::OsRig;
use crate::logdisk::quick::{quickest, write_for};
use crate::logdisk::spec::Method;

/// For choosing the method: passes over all of them, and seconds each.
const PASSES: usize = 2;
const CHOICE_SECONDS: f64 = 0.2;
/// What a transaction can log at most for a measurement to make sense.
const RECORD_BYTES_MAX: u32 = 1 << 20;

/// The folder's disk, with the best method.
pub struct Raw {
    rig: OsRig,
    record_bytes: u32,
    method: Method,
    name: String,
}

impl Raw {
    /// Prepares the test file and finds the best method. Blocks for two to three seconds.
    pub fn new(folder: &Path, record_bytes: u32, stop: &AtomicBool) -> Result<Raw, Error> {
        let mut rig = OsRig::new(folder, stop)?;
        let record_bytes = record_bytes.clamp(1, RECORD_BYTES_MAX);
        let method = quickest(&mut rig, |_| true, record_bytes, PASSES, CHOICE_SECONDS, stop)?.method;
        let name = format!("raw, {}", method.name());
        Ok(Raw { rig, record_bytes, method, name })
    }
}

impl Target for Raw {
    fn name(&self) -> &str {
        &self.name
    }

    fn settings(&self) -> &[(String, String)] {
        &[]
    }

    fn place(&self) -> String {
        format!("{} log bytes a write", self.record_bytes)
    }

    /// A lone writer is what it is the measure of.
    fn takes(&self, clients: u32) -> bool {
        clients == 1
    }

    fn prepare(&mut self, _clients: u32) -> Result<(), Error> {
        Ok(())
    }

    fn load(&mut self, load: &Load<'_>) -> Result<Sample, Error> {
        let written =
            write_for(&mut self.rig, self.method, self.record_bytes, load.seconds, load.seed, load.stop)?;
        let written = written.ok_or_else(|| Error::Internal("the method is no longer available".into()))?;
        Ok(Sample {
            commits: written.commits,
            elapsed_ns: written.elapsed_ns,
            latencies: written.commit,
            unfinished: 0,
            own: None,
            all_commits: written.commits,
            flushes: Some(written.writes),
            log_bytes: Some(written.record_bytes),
            generator_share: None,
        })
    }

    fn clean_up(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
