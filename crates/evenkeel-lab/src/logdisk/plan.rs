//! The run: its phases in order, each built on what those before it found.
//!
//! Invariants
//! 1. Time is divided evenly over the measurements that are left, so that the whole takes what was given, whatever single ones took.
//! 2. A method that is not available is measured no further.
//! 3. Every phase makes two passes over its measurements, so that a disturbance does not fall on one of them alone; how far the two lie apart
//!    tells what differences mean.
//!
//! Not every combination is measured: the method is chosen on single writes, when to start, the treatment of the half-filled block and
//! the depth on that method. Streams write the engine's blocks; other sizes are measured for what they tell of the disk.
//!
//! It must not know how a choice is justified, or how anything is written.

use std::sync::atomic::AtomicBool;

use super::choose::{self, Choice};
use super::report::{Outcome, Phase, Report, Row, Table};
use super::rig::{FILE_BYTES, LaneSpec, Refusal, Rig};
use super::sample::Sample;
use super::spec::{Growth, Method, Spec, Start, Tail, Way};
use super::stream::{GANG_BYTES_MAX, Limit, Stopped, measure};
use super::{Error, Options, Progress, period, warn};

/// Block sizes that are measured; the first is the engine's, and that of the other measurements.
pub const BLOCKS: [u32; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
/// Writes in flight, beyond one.
pub const DEPTHS: [u32; 4] = [2, 4, 8, 16];
/// Clients of the streams: alone, a few, many.
pub const CLIENTS: [u32; 3] = [1, 8, 64];
/// Log of a small transaction.
pub const SMALL_BYTES: u32 = 200;
/// Log of one that inserts a few hundred rows.
pub const LARGE_BYTES: u32 = 16 << 10;
/// Times that each measurement is made.
const PASSES: usize = 2;
/// Measurements of each phase, if everything is available.
const PLANNED: [usize; 7] = [6, 3, 7, 13, 16, 16, 3];
/// Shortest time box.
const BOX_NS_MIN: u64 = 20_000_000;
/// What would begin after so many times the given time is left out.
const OVERTIME: f64 = 1.1;
/// Longest pause before a write when a period is looked for: most of a revolution, so that the writes begin anywhere in one.
const PROBE_US_MAX: u32 = 8_000;
/// Record of such a write.
pub const PROBE_BYTES: u32 = 8;
/// Writes of those that are not durable: whatever they leave in caches has to be written by somebody later.
const BASELINE_WRITES: u64 = 300;
/// On disks that write faster nothing is held back or delayed: a commit's way through the machine takes as long. The engine's flusher has the same bound.
pub const HOLD_WRITE_US_MIN: f64 = 1000.0;
/// Parts of a write's time in which a later start is tried; and how many of them a hold may take, as in the engine.
pub const HOLD_STEPS: u32 = 8;
/// The longest hold, in such steps.
pub const HOLD_STEPS_MAX: u32 = 6;
/// The probe gets so many time boxes.
const PROBE_BOXES: u64 = 4;

struct Run<'a> {
    rig: &'a mut dyn Rig,
    stop: &'a AtomicBool,
    progress: &'a mut dyn Progress,
    table: Table,
    end_ns: u64,
    /// Measurements that are left in this phase, and in those after it.
    left_here: usize,
    left_after: usize,
    measured: u64,
    /// Ends of the writes of the probe.
    probe_ends_ns: Vec<u64>,
}

/// Runs all phases and draws the conclusions.
pub fn run(
    rig: &mut dyn Rig,
    options: &Options,
    stop: &AtomicBool,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    let facts = rig.facts();
    let end_ns = (options.seconds * 1e9) as u64;
    let mut run = Run {
        rig,
        stop,
        progress,
        table: Table::default(),
        end_ns,
        left_here: 0,
        left_after: 0,
        measured: 0,
        probe_ends_ns: Vec::new(),
    };
    let block = BLOCKS[0];

    // Methods come first: the probe for a period needs one that works.
    run.phase(Phase::Methods, &Method::DURABLE.map(|m| Spec::raw(m, block, 1)))?;
    let method = choose::method(&run.table).ok_or_else(|| Error::NoMethod(run.refusals()))?;

    let mut probe = Spec::raw(method, block, 1);
    // The same block each time: another lies at another angle.
    (probe.tail, probe.record_bytes, probe.think_us_max) = (Tail::Rewrite, PROBE_BYTES, PROBE_US_MAX);
    let baselines = [Method::Unsynced, Method::Unflushed].map(|m| Spec::raw(m, block, 1));
    run.phase(Phase::Calibrate, &[baselines[0], baselines[1], probe])?;
    let revolution_ns = period::revolution_ns(&run.probe_ends_ns);

    let write_us =
        run.table.get(Phase::Methods, &Spec::raw(method, block, 1)).map_or(0.0, |f| f.write_us_p50);
    if write_us >= HOLD_WRITE_US_MIN {
        run.phase(Phase::Hold, &choose::hold_specs(method, write_us))?;
    }
    let free_hold_us = choose::free_hold_us(&run.table, method, write_us);

    run.phase(Phase::Depths, &depth_specs(method, &run.table))?;
    let deep = choose::deep_method(&run.table, method);

    let ways = choose::ways(method, deep, free_hold_us, write_us);
    let tail = |way: &Way| [1, 8].map(|clients| Spec::stream(*way, block, clients, SMALL_BYTES));
    run.phase(Phase::Tail, &ways.iter().flat_map(tail).collect::<Vec<_>>())?;
    let finalists = choose::finalists(&ways);

    let many = [(CLIENTS[2], SMALL_BYTES)].into_iter().chain(CLIENTS.map(|clients| (clients, LARGE_BYTES)));
    let streams: Vec<Spec> = finalists
        .iter()
        .flat_map(|way| many.clone().map(|(clients, bytes)| Spec::stream(*way, block, clients, bytes)))
        .collect();
    run.phase(Phase::Streams, &streams)?;

    let growths = [Growth::ZeroFilled, Growth::Fallocated, Growth::Growing];
    run.phase(Phase::Growth, &growths.map(|growth| Spec { growth, ..Spec::raw(method, BLOCKS[0], 1) }))?;

    let others = run.rig.others_busy();
    let seconds = run.rig.now_ns() as f64 / 1e9;
    let table = run.table;
    let choice = Choice { table: &table, method, write_us, free_hold_us, ways: &ways, finalists: &finalists };
    let way = choice.way(options.objective);
    Ok(Report {
        reliable: warn::is_reliable(&table, method, others),
        margin: table.margin(),
        measured_rpm: revolution_ns.map(|ns| 60e9 / ns),
        free_hold_us,
        objective: options.objective,
        way,
        settings: choice.settings(way, options.objective),
        findings: choice.findings(),
        warnings: warn::warnings(&facts, &table, method, revolution_ns, others),
        facts,
        rows: table.rows,
        seconds,
    })
}

/// Block sizes at depth 1; depths with threads and with io_uring; large blocks in depth.
fn depth_specs(method: Method, table: &Table) -> Vec<Spec> {
    let threads = choose::threads_method(table);
    let uring = table.get(Phase::Methods, &Spec::raw(Method::IoUring, BLOCKS[0], 1)).map(|_| Method::IoUring);
    let mut specs: Vec<Spec> = BLOCKS[1..].iter().map(|&b| Spec::raw(method, b, 1)).collect();
    for method in [threads, uring].into_iter().flatten() {
        specs.extend(DEPTHS.map(|depth| Spec::raw(method, BLOCKS[0], depth)));
    }
    specs.extend(threads.map(|m| Spec::raw(m, BLOCKS[4], DEPTHS[1])));
    specs
}

impl Run<'_> {
    fn phase(&mut self, phase: Phase, specs: &[Spec]) -> Result<(), Error> {
        let n = Phase::ALL.iter().position(|p| *p == phase).unwrap_or(0);
        self.progress.phase(n, phase);
        self.left_after = PASSES * Phase::ALL[n + 1..].iter().map(|p| PLANNED[*p as usize]).sum::<usize>();
        self.left_here = PASSES * specs.len();
        let mut first = Vec::new();
        for spec in specs {
            first.push(self.pass(spec)?);
            self.left_here -= 1;
        }
        for (spec, first) in specs.iter().zip(first) {
            let (outcome, spread) = match first {
                Ok(first) => match self.pass(spec)? {
                    Ok(second) => self.joined(spec, first, Some(second))?,
                    Err(_) => self.joined(spec, first, None)?,
                },
                Err(why) => (Outcome::Unavailable(why), None),
            };
            self.left_here -= 1;
            self.table.rows.push(Row { phase, spec: *spec, spread, outcome });
        }
        Ok(())
    }

    /// The figures of two passes, or of one if there was no time for the other.
    fn joined(
        &mut self,
        spec: &Spec,
        mut sample: Sample,
        second: Option<Sample>,
    ) -> Result<(Outcome, Option<f64>), Error> {
        let mut ends_ns = sample.write_ends_ns.clone();
        let mut spread = None;
        if let Some(second) = second {
            spread = sample.spread(&second);
            // Of one pass: the other's clock began elsewhere.
            if second.writes > sample.writes {
                ends_ns.clone_from(&second.write_ends_ns);
            }
            sample.add(second);
        }
        if spec.think_us_max == PROBE_US_MAX {
            self.probe_ends_ns = ends_ns;
        }
        let figures = sample.figures().ok_or_else(|| Error::TooShort(describe(spec)))?;
        Ok((Outcome::Figures(figures), spread))
    }

    /// One pass over a measurement, or why it is not available.
    fn pass(&mut self, spec: &Spec) -> Result<Result<Sample, String>, Error> {
        let what = describe(spec);
        let now = self.rig.now_ns();
        self.progress.step((now as f64 / self.end_ns as f64).min(0.99), &what);
        let left = (self.left_here + self.left_after) as u64;
        let mut box_ns = (self.end_ns.saturating_sub(now) / left.max(1)).max(BOX_NS_MIN);
        if spec.think_us_max == PROBE_US_MAX {
            box_ns *= PROBE_BOXES;
        }
        let io = |source| Error::Io { what: what.clone(), source };
        let lane_spec = LaneSpec {
            method: spec.method,
            depth: spec.depth,
            write_bytes_max: write_bytes_max(spec),
            growth: spec.growth,
        };
        if now as f64 > self.end_ns as f64 * OVERTIME {
            return Ok(Err("left out: the disk is so slow that the time was over".into()));
        }
        let mut lane = match self.rig.open(lane_spec) {
            Ok(lane) => lane,
            Err(Refusal::Unavailable(why)) => return Ok(Err(why)),
            Err(Refusal::Failed(e)) => return Err(io(e)),
        };
        self.measured += 1;
        let baseline = matches!(spec.method, Method::Unsynced | Method::Unflushed);
        let limit = Limit { box_ns, writes: if baseline { BASELINE_WRITES } else { u64::MAX } };
        let sample = measure(&mut *lane, spec, limit, self.stop, self.measured).map_err(|e| match e {
            Stopped::Interrupted => Error::Interrupted,
            Stopped::Io(e) => io(e),
        })?;
        Ok(Ok(sample))
    }

    fn refusals(&self) -> String {
        let mut reasons: Vec<String> = Vec::new();
        for row in &self.table.rows {
            if let Outcome::Unavailable(why) = &row.outcome {
                reasons.push(format!("{}: {why}", row.spec.method.name()));
            }
        }
        reasons.join("; ")
    }
}

/// The longest write of a stream: its largest gang, and a block before and after.
fn write_bytes_max(spec: &Spec) -> u64 {
    let gang = u64::from(spec.record_bytes) * if spec.ganged { u64::from(spec.clients) } else { 1 };
    let bytes = gang.min(GANG_BYTES_MAX).max(u64::from(spec.record_bytes)) + 2 * u64::from(spec.block_bytes);
    assert!(bytes < FILE_BYTES / 4, "gangs are small against the file");
    bytes
}

/// One measurement in a few words.
fn describe(spec: &Spec) -> String {
    let kib = spec.block_bytes / 1024;
    let (method, depth) = (spec.method.name(), spec.depth);
    match (spec.growth, spec.ganged, spec.think_us_max) {
        (Growth::ZeroFilled, false, 0) if spec.start != Start::AtOnce => format!("{method}, {}", spec.start),
        (Growth::ZeroFilled, false, 0) => format!("{method}, {kib} KiB, depth {depth}"),
        (Growth::ZeroFilled, false, _) => "does the disk turn?".into(),
        (Growth::ZeroFilled, true, _) => {
            let (clients, tail, bytes) = (spec.clients, spec.tail.name(), spec.record_bytes);
            format!("{method}, depth {depth}, {tail}, {}, {clients} clients, {bytes} bytes", spec.start)
        }
        (growth, ..) => format!("{method}, {} file", growth.name()),
    }
}
