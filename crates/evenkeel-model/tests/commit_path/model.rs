//! The models: threads that insert and flush, over a log of numbers and a disk that remembers what was written.

use evenkeel_model::base::sync::{AtomicU64, Instant, Mutex, Ordering, yield_now};
use evenkeel_model::base::{Lsn, Poison, Result};
use evenkeel_model::wal::parts::{Gang, Log, Publication, Stats, Tuning, Written};
use shuttle::thread;
use std::sync::Arc;

const BLOCK: u64 = 64;
const SLOTS: usize = 3;

/// Writes that ended before one that began earlier in the log, in all runs.
pub static OUT_OF_ORDER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// A log whose records are numbers: `bytes[i]` is 1 once byte `i` is in place.
struct Model {
    next: Mutex<(u64, u64)>,
    bytes: Vec<AtomicU64>,
    published: Publication,
    poison: Poison,
    tuning: Tuning,
    stats: Stats,
    /// The disk: what was written, in the order in which the writes ended.
    written: Mutex<Vec<(u64, u64)>>,
    in_flight: Mutex<Vec<(u64, u64)>>,
    writes: AtomicU64,
    failing: Option<u64>,
}

impl Model {
    fn new(depth: u64, failing: Option<u64>) -> Model {
        let tuning = Tuning::default();
        tuning.set_depth(depth);
        Model {
            next: Mutex::new((0, 0)),
            bytes: (0..32 * BLOCK).map(|_| AtomicU64::new(0)).collect(),
            published: Publication::new(0, SLOTS),
            poison: Poison::default(),
            tuning,
            stats: Stats::default(),
            written: Mutex::new(Vec::new()),
            in_flight: Mutex::new(Vec::new()),
            writes: AtomicU64::new(0),
            failing,
        }
    }

    /// Inserts a record as the log does: a place in order, a copy of its own time, publication.
    fn insert(&self, len: impl Fn(u64) -> u64) -> Lsn {
        let (start, end, ticket) = loop {
            let mut next = self.next.lock();
            let (at, ticket) = *next;
            if self.published.has_slot(ticket) {
                let end = at + len(at);
                *next = (end, ticket + 1);
                break (at, end, ticket);
            }
            drop(next);
            self.published.await_completed(at);
        };
        (start..end).step_by(16).for_each(|i| self.bytes[i as usize].store(1, Ordering::Relaxed));
        self.published.publish(ticket, end);
        Lsn(end)
    }

    fn assert_in_place(&self, from: u64, to: u64) {
        for i in (from.next_multiple_of(16)..to).step_by(16) {
            assert_eq!(
                self.bytes[i as usize].load(Ordering::Relaxed),
                1,
                "byte {i} is completed, but not in place"
            );
        }
    }

    /// Whether everything before `target` was written.
    fn is_durable(&self, target: Lsn) -> bool {
        let mut parts = self.written.lock().clone();
        parts.sort_unstable();
        let end = parts.iter().fold(0, |end, (from, to)| if *from <= end { end.max(*to) } else { end });
        end >= target.0
    }
}

impl Log for Model {
    fn completed(&self) -> Lsn {
        Lsn(self.published.completed())
    }

    fn reserved(&self) -> Lsn {
        Lsn(self.next.lock().0)
    }

    fn await_completed(&self, upto: Lsn) {
        self.published.await_completed(upto.0);
    }

    fn tell_flushed(&self) {}

    fn close_block(&self) -> Lsn {
        if self.reserved().0.is_multiple_of(BLOCK) {
            return self.reserved();
        }
        self.insert(|at| at.next_multiple_of(BLOCK) - at)
    }

    fn write(&self, from: Lsn, to: Lsn) -> Result<Written> {
        let started = Instant::now();
        let blocks = (from.0 / BLOCK, to.0.div_ceil(BLOCK));
        {
            let mut in_flight = self.in_flight.lock();
            let alone = in_flight.iter().all(|f| blocks.1 <= f.0 || f.1 <= blocks.0);
            assert!(alone, "two writes in flight share a block: {blocks:?} and {:?}", *in_flight);
            in_flight.push(blocks);
        }
        self.assert_in_place(from.0, to.0);
        let failed = self.failing == Some(self.writes.fetch_add(1, Ordering::SeqCst));
        // As long as others take for a step or two, or not at all.
        (0..to.0 / 16 % 3 * 4).for_each(|_| yield_now());
        let mut in_flight = self.in_flight.lock();
        in_flight.retain(|f| *f != blocks);
        if in_flight.iter().any(|f| *f < blocks) {
            OUT_OF_ORDER.fetch_add(1, Ordering::Relaxed);
        }
        drop(in_flight);
        if failed {
            return Err(self.poison.set("a write failed".into()));
        }
        self.written.lock().push((from.0, to.0));
        let written = Instant::now();
        Ok(Written { started, written, flushed: written })
    }

    fn ask_writer(&self) {}

    fn poison(&self) -> &Poison {
        &self.poison
    }

    fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

/// Committers, three records each, beside a log writer; perhaps one of the writes fails.
pub fn gang(depth: u64, failing: Option<u64>) {
    let log = Arc::new(Model::new(depth, failing));
    let gang = Arc::new(Gang::new(Lsn(0), BLOCK));
    let committers: Vec<_> = (0..3u64)
        .map(|i| {
            let (log, gang) = (log.clone(), gang.clone());
            thread::spawn(move || {
                for _ in 0..3 {
                    let target = log.insert(|_| 16 * (i + 1));
                    match gang.flush(&*log, target) {
                        Ok(()) => {
                            assert!(log.is_durable(target), "{target:?} was acknowledged and is not durable")
                        }
                        Err(_) => assert!(log.failing.is_some() && log.poison.is_set()),
                    }
                    assert!(log.is_durable(gang.flushed()));
                }
            })
        })
        .collect();
    for _ in 0..2 {
        let _ = gang.flush_whole_blocks(&*log);
        yield_now();
    }
    committers.into_iter().for_each(|c| c.join().unwrap());
    if failing.is_none() {
        gang.flush_completed(&*log).unwrap();
        assert_eq!(gang.flushed(), log.completed());
    }
}

/// More inserters than slots, one that waits for everything, and one that looks at what is completed.
pub fn publication() {
    const RECORDS: u64 = 2;
    let log = Arc::new(Model::new(1, None));
    let inserters: Vec<_> = (0..3)
        .map(|_| {
            let log = log.clone();
            thread::spawn(move || {
                for _ in 0..RECORDS {
                    let end = log.insert(|_| 16);
                    log.await_completed(end);
                    log.assert_in_place(0, end.0);
                }
            })
        })
        .collect();
    let completed = log.completed();
    log.assert_in_place(0, completed.0);
    inserters.into_iter().for_each(|i| i.join().unwrap());
    assert_eq!(log.completed(), log.reserved());
}
