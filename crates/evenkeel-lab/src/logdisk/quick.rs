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

/// Medians of a pass over the methods, µs; infinite: not measured.
type Pass = [f64; Method::DURABLE.len()];

/// Finds the quickest of the methods that `offered` takes, by name; `usual` gives way only to what was quicker in every pass, so that a disturbed
/// measurement changes nothing. Blocks for about a second, on a slow disk for a few; leaves no files.
pub fn quickest_method(
    folder: &Path,
    usual: &str,
    offered: impl Fn(&str) -> bool,
    stop: &AtomicBool,
) -> Result<Quickest, Error> {
    const RECORD_BYTES: u32 = 150;
    const PASSES: usize = 4;
    const SECONDS: f64 = 0.03;
    let mut rig = OsRig::new(folder, stop)?;
    let passes = measure_passes(&mut rig, offered, RECORD_BYTES, PASSES, SECONDS, stop)?;
    let usual = Method::DURABLE.iter().position(|m| m.name() == usual);
    found(pick(&passes, usual))
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
    found(pick(&measure_passes(rig, offered, record_bytes, passes, seconds, stop)?, None))
}

fn measure_passes(
    rig: &mut OsRig,
    offered: impl Fn(&str) -> bool,
    record_bytes: u32,
    passes: usize,
    seconds: f64,
    stop: &AtomicBool,
) -> Result<Vec<Pass>, Error> {
    let mut all = Vec::with_capacity(passes);
    for _ in 0..passes {
        let mut pass = [f64::INFINITY; Method::DURABLE.len()];
        for (method, us) in Method::DURABLE.into_iter().zip(&mut pass).filter(|(m, _)| offered(m.name())) {
            let sample = write_for(rig, method, record_bytes, seconds, 1, stop)?;
            *us = sample.filter(|s| s.commits > 0).map_or(*us, |s| s.write.at_us(0.5));
        }
        all.push(pass);
    }
    Ok(all)
}

/// Which method, and its least median: the first of those that are alike.
fn pick(passes: &[Pass], usual: Option<usize>) -> Option<(usize, f64)> {
    let least = |n: usize| passes.iter().map(|p| p[n]).fold(f64::INFINITY, f64::min);
    // One that could not be measured gives way to any.
    let beaten_by = |n: usize, usual: usize| passes.iter().all(|p| p[n] * (1.0 + ALIKE) < p[usual]);
    let may = |n: &usize| usual.is_none_or(|usual| *n == usual || beaten_by(*n, usual));
    let candidates: Vec<(usize, f64)> = (0..Method::DURABLE.len())
        .filter(may)
        .map(|n| (n, least(n)))
        .filter(|(_, us)| us.is_finite())
        .collect();
    let quickest = candidates.iter().map(|(_, us)| *us).fold(f64::INFINITY, f64::min);
    candidates.into_iter().find(|(_, us)| *us <= quickest * (1.0 + ALIKE))
}

fn found(picked: Option<(usize, f64)>) -> Result<Quickest, Error> {
    match picked {
        Some((n, median_us)) => Ok(Quickest { method: Method::DURABLE[n], median_us }),
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
        let found = quickest_method(folder.path(), "fdatasync", |name| name == "fdatasync", &stop).unwrap();
        assert_eq!(found.name(), "fdatasync");
        assert!(found.median_us > 0.0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(quickest_method(folder.path(), "fdatasync", |_| false, &stop).is_err());
    }

    #[test]
    fn the_usual_method_gives_way_only_to_what_was_quicker_each_time() {
        let pass = |first: f64, second: f64| {
            let mut pass = [f64::INFINITY; Method::DURABLE.len()];
            (pass[0], pass[1]) = (first, second);
            pass
        };
        let noisy = [pass(100.0, 70.0), pass(90.0, 60.0), pass(80.0, 120.0)];
        assert_eq!(pick(&noisy, None), Some((1, 60.0)));
        assert_eq!(pick(&noisy, Some(0)), Some((0, 80.0)), "one pass says otherwise");
        let calm = [pass(100.0, 70.0), pass(95.0, 71.0), pass(102.0, 69.0)];
        assert_eq!(pick(&calm, Some(0)), Some((1, 69.0)));
        assert_eq!(pick(&calm, Some(1)), Some((1, 69.0)));
        let alike = [pass(100.0, 98.0), pass(100.0, 99.0)];
        assert_eq!(pick(&alike, Some(1)), Some((1, 98.0)), "the usual one, where another is no quicker");
        assert_eq!(pick(&calm, Some(2)), Some((1, 69.0)), "the usual one does not exist here");
        assert_eq!(pick(&[pass(f64::INFINITY, f64::INFINITY)], Some(0)), None);
    }
}
