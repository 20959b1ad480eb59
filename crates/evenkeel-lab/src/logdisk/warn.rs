//! Reasons not to trust the disk, or the figures.
//!
//! A drive that confirms a write which it has not made durable loses commits with the power. It cannot be asked; but it can be caught
//! being faster than it physically could.
//!
//! It must not know what is recommended.

use super::facts::is_memory;
use super::plan::BLOCKS;
use super::report::{Phase, Row, Table};
use super::rig::Facts;
use super::sample::Figures;
use super::spec::{Method, Spec, Tail};
use super::words::{three, time};

/// No medium that keeps its contents without power confirms a write sooner.
const WRITE_US_MIN: f64 = 10.0;
/// A durable write within this factor of one that is not flushed: the flush costs nothing.
const FREE_FLUSH: f64 = 1.05;
/// The same for writes through the page cache, where one that is not synced touches no device at all.
const FREE_SYNC: f64 = 1.5;
/// Revolutions a second of the fastest disk ever sold.
const REVOLUTIONS_PER_S_MAX: f64 = 250.0;
/// So much more than one rewriting of a block in a revolution is no error of measurement.
const REVOLUTION_MARGIN: f64 = 1.25;
/// More than this share of the processors in use by others disturbs.
const OTHERS_BUSY_MAX: f64 = 0.15;
/// And with more than this the figures are the scheduler's.
const OTHERS_BUSY_UNRELIABLE: f64 = 0.5;
/// The same measurement at the beginning and the end may differ by this factor.
const DRIFT: f64 = 1.3;

/// All warnings, the most serious first.
pub fn warnings(
    facts: &Facts,
    table: &Table,
    method: Method,
    revolution_ns: Option<f64>,
    others_busy: Option<f64>,
) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(name) = facts.filesystem.as_deref().filter(|f| is_memory(f)) {
        out.push(format!("{} is {name}: it is memory, and nothing in it outlives the power", facts.folder));
    }
    out.extend(revolutions(facts, table, method, revolution_ns));
    let raw = |m| table.get(Phase::Methods, &Spec::raw(m, BLOCKS[0], 1));
    let base = |m| table.get(Phase::Calibrate, &Spec::raw(m, BLOCKS[0], 1));
    out.extend(raw(method).and_then(|f| too_fast(method, f)));
    for m in [Method::Fdatasync, Method::Fsync, Method::OpenDatasync] {
        out.extend(pair(raw(m), base(Method::Unsynced)).and_then(|(a, b)| free_sync(m, a, b)));
    }
    let direct = pair(raw(Method::Direct), base(Method::Unflushed));
    out.extend(direct.and_then(|(a, b)| free_flush(facts, a, b)));
    out.extend(others_busy.filter(|b| *b > OTHERS_BUSY_MAX).map(|b| {
        format!(
            "other programs used {:.0} % of the processors meanwhile: where they are busy, a thread that waits for the disk waits for a \
             processor, too, often longer. Run it again when they are idle",
            b * 100.0
        )
    }));
    out.extend(repeated(table, method).and_then(|(a, b)| drift(a, b)));
    out
}

/// Figures that may be acted on: the processors were mostly free, and the machine the same at the end as at the beginning.
pub fn is_reliable(table: &Table, method: Method, others_busy: Option<f64>) -> bool {
    let drifted = repeated(table, method).is_some_and(|(a, b)| drift(a, b).is_some());
    !drifted && others_busy.is_none_or(|b| b <= OTHERS_BUSY_UNRELIABLE)
}

/// What was measured both at the beginning and at the end.
fn repeated(table: &Table, method: Method) -> Option<(&Figures, &Figures)> {
    let spec = Spec::raw(method, BLOCKS[0], 1);
    pair(table.get(Phase::Methods, &spec), table.get(Phase::Growth, &spec))
}

fn pair<'a>(a: Option<&'a Figures>, b: Option<&'a Figures>) -> Option<(&'a Figures, &'a Figures)> {
    Some((a?, b?))
}

fn too_fast(method: Method, f: &Figures) -> Option<String> {
    (f.write_us_p50 < WRITE_US_MIN).then(|| {
        format!(
            "a durable write with {} takes {}: no medium that outlives the power confirms so fast. Commits will be lost when it fails",
            method.name(),
            time(f.write_us_p50)
        )
    })
}

fn free_sync(method: Method, durable: &Figures, unsynced: &Figures) -> Option<String> {
    (durable.write_us_p50 <= unsynced.write_us_p50 * FREE_SYNC).then(|| {
        format!(
            "{} costs nothing: {} a write, and {} without it. It does not reach the disk; commits will be lost when the power fails",
            method.name(),
            time(durable.write_us_p50),
            time(unsynced.write_us_p50)
        )
    })
}

fn free_flush(facts: &Facts, durable: &Figures, unflushed: &Figures) -> Option<String> {
    if durable.write_us_p50 > unflushed.write_us_p50 * FREE_FLUSH {
        return None;
    }
    let figures = format!(
        "flushing the drive's cache costs nothing: a durable write takes {}, one that is not flushed {}",
        time(durable.write_us_p50),
        time(unflushed.write_us_p50)
    );
    let meaning = match (facts.volatile_cache, facts.virtual_device) {
        (_, true) => {
            "This is a virtual disk: whether the host makes writes durable cannot be seen from here; ask whoever runs it"
        }
        (Some(false), _) => {
            "The drive says that it has no cache that could lose anything. That is right if it protects it against power loss; look it up"
        }
        _ => {
            "The drive confirms before it writes, unless it protects its cache against power loss; look it up"
        }
    };
    Some(format!("{figures}. {meaning}"))
}

/// Rewriting one block needs a revolution each time, however clever the drive.
fn revolutions(facts: &Facts, table: &Table, method: Method, revolution_ns: Option<f64>) -> Option<String> {
    let flagged = facts.rotational == Some(true) && !facts.virtual_device;
    let (per_s, known) = match revolution_ns {
        Some(ns) => (1e9 / ns, format!("this disk makes {} revolutions a second", three(1e9 / ns))),
        None if flagged => (
            REVOLUTIONS_PER_S_MAX,
            "the disk says that it rotates, and none makes more than 250 revolutions a second".into(),
        ),
        None => return None,
    };
    let of = |r: &&Row| {
        let s = &r.spec;
        r.phase == Phase::Tail && (s.method, s.depth, s.tail, s.clients) == (method, 1, Tail::Rewrite, 1)
    };
    // Started at once, or as late as costs nothing: both are one write of the block after the other.
    let f = table.rows.iter().find(of).and_then(Row::figures)?;
    (f.writes_per_s > per_s * REVOLUTION_MARGIN).then(|| {
        format!(
            "{known}, yet it confirms {} rewritings of the same block a second: it confirms before it writes. Turn its write cache off \
             (hdparm -W 0), unless a battery protects it",
            three(f.writes_per_s)
        )
    })
}

fn drift(first: &Figures, last: &Figures) -> Option<String> {
    let ratio = last.write_us_p50 / first.write_us_p50;
    (!(1.0 / DRIFT..=DRIFT).contains(&ratio)).then(|| {
        format!(
            "the same measurement gave {} at the beginning and {} at the end: other programs used the disk or the processor. \
             Run it again when they do not",
            time(first.write_us_p50),
            time(last.write_us_p50)
        )
    })
}
