//! Which method of durable writing is quickest, in a moment: for a new database, and as the measure of an engine.
//!
//! One write at a time, each of a record's bytes, the half-filled last block written again as the engine does.
//!
//! It must not know what a method is called elsewhere.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::Error;
use super::os::OsRig;
use super::rig::{LaneSpec, Refusal, Rig};
use super::sample::Sample;
use super::spec::{Growth, Method, Spec, Tail};
use super::stream::{Limit, Stopped, measure};

const BLOCK_BYTES: u32 = 4096;
/// Methods whose median writes differ by less are alike: the first of them is taken, as `logdisk` does.
const ALIKE: f64 = 0.05;

/// The method that was found.
#[derive(Clone, Copy, Debug)]
pub struct Quickest {
    pub(crate) method: Method,
    /// Its median write, µs.
    pub median_us: f64,
}

impl Quickest {
    /// Its name, as in `wal_sync_method`.
    pub fn name(&self) -> &'static str {
        self.method.name()
    }
}

/// Finds the quickest of the methods that `offered` takes, by name. Blocks for about half a second on a quick disk, two on a slow one; leaves no files.
pub fn quickest_method(
    folder: &Path,
    offered: impl Fn(&str) -> bool,
    stop: &AtomicBool,
) -> Result<Quickest, Error> {
    const RECORD_BYTES: u32 = 150;
    const SECONDS: f64 = 0.06;
    quickest(&mut OsRig::new(folder, stop)?, offered, RECORD_BYTES, 1, SECONDS, stop)
}

/// The quickest of the methods offered: of so many passes over all of them, so many seconds each, the quieter one counts.
pub(crate) fn quickest(
    rig: &mut OsRig,
    offered: impl Fn(&str) -> bool,
    record_bytes: u32,
    passes: usize,
    seconds: f64,
    stop: &AtomicBool,
) -> Result<Quickest, Error> {
    let mut least = [f64::INFINITY; Method::DURABLE.len()];
    for _ in 0..passes {
        for (method, least) in Method::DURABLE.into_iter().zip(&mut least).filter(|(m, _)| offered(m.name()))
        {
            let sample = write_for(rig, method, record_bytes, seconds, 1, stop)?;
            *least = sample.filter(|s| s.commits > 0).map_or(*least, |s| s.write.at_us(0.5).min(*least));
        }
    }
    let quickest = least.iter().copied().fold(f64::INFINITY, f64::min);
    let found = least.iter().position(|us| *us <= quickest * (1.0 + ALIKE)).filter(|_| quickest.is_finite());
    match found {
        Some(n) => Ok(Quickest { method: Method::DURABLE[n], median_us: least[n] }),
        None => Err(Error::NoMethod("none was measured".into())),
    }
}

/// Writes for some seconds; None where the method does not exist.
pub(crate) fn write_for(
    rig: &mut OsRig,
    method: Method,
    record_bytes: u32,
    seconds: f64,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Option<Sample>, Error> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_offered_is_found_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        let found = quickest_method(folder.path(), |name| name == "fdatasync", &stop).unwrap();
        assert_eq!(found.name(), "fdatasync");
        assert!(found.median_us > 0.0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(quickest_method(folder.path(), |_| false, &stop).is_err());
    }
}
