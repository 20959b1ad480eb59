//! The disk without an engine: one durable write after the other, with as many log bytes each as a commit of the engine has.
//!
//! It is measured with `logdisk`'s means: the best of its methods on this disk, one write at a time, the half-filled last block written again as the engine does.
//!
//! It must not know the engine.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::{Error, Load, Sample, Target};
use crate::logdisk::os::OsRig;
use crate::logdisk::rig::{LaneSpec, Refusal, Rig};
use crate::logdisk::sample::Sample as DiskSample;
use crate::logdisk::spec::{Growth, Method, Spec, Tail};
use crate::logdisk::stream::{Limit, Stopped, measure};

const BLOCK_BYTES: u32 = 4096;
/// For choosing the method: passes over all of them, and seconds each.
const PASSES: usize = 2;
const CHOICE_SECONDS: f64 = 0.2;
/// Methods whose median writes differ by less are alike.
const ALIKE: f64 = 0.05;
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
        let mut costs: [Vec<f64>; Method::DURABLE.len()] = Default::default();
        for _ in 0..PASSES {
            for (method, costs) in Method::DURABLE.into_iter().zip(&mut costs) {
                let sample = write_for(&mut rig, method, record_bytes, CHOICE_SECONDS, 1, stop)?;
                costs.extend(sample.filter(|s| s.commits > 0).map(|s| s.write.at_us(0.5)));
            }
        }
        // The quieter pass of each; of those that measure alike the first, as `logdisk` has it.
        let costs = costs.map(|c| c.into_iter().fold(f64::INFINITY, f64::min));
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let best = costs.iter().position(|c| *c <= least * (1.0 + ALIKE)).filter(|_| least.is_finite());
        let Some(method) = best.map(|n| Method::DURABLE[n]) else {
            return Err(Error::Internal("no method of durable writing works here".into()));
        };
        let name = format!("raw, {}", method.name());
        Ok(Raw { rig, record_bytes, method, name })
    }
}

/// Writes for some seconds; None where the method does not exist.
fn write_for(
    rig: &mut OsRig,
    method: Method,
    record_bytes: u32,
    seconds: f64,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Option<DiskSample>, Error> {
    let io = |source| Error::Io { what: format!("writing with {}", method.name()), source };
    let spec = Spec { tail: Tail::Rewrite, record_bytes, ..Spec::raw(method, BLOCK_BYTES, 1) };
    let write_bytes_max = u64::from(record_bytes) + 2 * u64::from(BLOCK_BYTES);
    let lane = LaneSpec { method, depth: 1, write_bytes_max, growth: Growth::ZeroFilled };
    let mut lane = match rig.open(lane) {
        Ok(lane) => lane,
        Err(Refusal::Unavailable(_)) => return Ok(None),
        Err(Refusal::Failed(e)) => return Err(io(e)),
    };
    let limit = Limit { box_ns: (seconds * 1e9) as u64, writes: u64::MAX };
    match measure(&mut *lane, &spec, limit, stop, seed) {
        Ok(sample) => Ok(Some(sample)),
        Err(Stopped::Interrupted) => Err(Error::Interrupted),
        Err(Stopped::Io(e)) => Err(io(e)),
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
