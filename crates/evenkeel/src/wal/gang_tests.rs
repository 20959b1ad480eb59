//! The gang over a log of numbers: no ring, no disk; writes end when the test says.

use super::gang::{Gang, Log};
use super::hold::Hold;
use super::stages::{Stats, Written};
use super::tuning::Tuning;
use crate::base::{Error, Lsn, Poison, Result};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::Waker;
use std::thread;
use std::time::{Duration, Instant};

const BLOCK: u64 = 4096;

/// A write that waits for its outcome.
struct Pending {
    from: Lsn,
    to: Lsn,
    outcome: Sender<bool>,
}

/// A log whose records are complete as soon as they have a place.
struct Numbers {
    end: AtomicU64,
    poison: Poison,
    tuning: Tuning,
    stats: Stats,
    /// Where writes go; without it they succeed at once.
    pending: Option<Mutex<Sender<Pending>>>,
    asked: AtomicBool,
}

impl Numbers {
    fn new(depth: u64) -> Numbers {
        let tuning = Tuning::default();
        tuning.set_depth(depth);
        Numbers {
            end: AtomicU64::new(0),
            poison: Poison::default(),
            tuning,
            stats: Stats::default(),
            pending: None,
            asked: AtomicBool::new(false),
        }
    }

    fn held(depth: u64) -> (Numbers, Receiver<Pending>) {
        let (send, receive) = channel();
        (Numbers { pending: Some(Mutex::new(send)), ..Numbers::new(depth) }, receive)
    }

    /// A record of so many bytes; gives its end.
    fn insert(&self, bytes: u64) -> Lsn {
        Lsn(self.end.fetch_add(bytes, Ordering::SeqCst) + bytes)
    }
}

impl Log for Numbers {
    fn completed(&self) -> Lsn {
        Lsn(self.end.load(Ordering::SeqCst))
    }

    fn reserved(&self) -> Lsn {
        self.completed()
    }

    fn await_completed(&self, _: Lsn) {}

    fn tell_flushed(&self) {}

    fn close_block(&self) -> Lsn {
        let close = |end: u64| Some(end.next_multiple_of(BLOCK));
        let _ = self.end.fetch_update(Ordering::SeqCst, Ordering::SeqCst, close);
        self.completed()
    }

    fn write(&self, from: Lsn, to: Lsn) -> Result<Written> {
        let started = Instant::now();
        if let Some(pending) = &self.pending {
            let (outcome, wait) = channel();
            pending.lock().send(Pending { from, to, outcome }).unwrap();
            if !wait.recv().unwrap() {
                return Err(self.poison.set("the write failed".into()));
            }
        }
        let written = Instant::now();
        Ok(Written { started, written, flushed: written })
    }

    fn ask_writer(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

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

fn gang() -> Gang {
    Gang::new(Lsn(0), BLOCK)
}

/// Blocks until so many requests are queued.
fn await_waiting(gang: &Gang, n: usize) {
    while gang.state.lock().turns.waiting() < n {
        thread::yield_now();
    }
}

#[test]
fn a_request_behind_the_end_of_the_log_is_refused() {
    let log = Numbers::new(1);
    assert!(matches!(gang().flush(&log, Lsn(1)), Err(Error::InvalidArgument(_))));
}

#[test]
fn whoever_comes_during_a_write_rides_with_the_next_one() {
    let (log, writes) = Numbers::held(1);
    let gang = gang();
    thread::scope(|s| {
        let flush = |bytes| {
            let target = log.insert(bytes);
            let (gang, log) = (&gang, &log);
            gang.commit_logged();
            s.spawn(move || gang.flush(log, target))
        };
        let mut all = vec![flush(100)];
        let first = writes.recv().unwrap();
        all.extend([flush(100), flush(100), flush(100)]);
        await_waiting(&gang, 3);
        first.outcome.send(true).unwrap();
        let second = writes.recv().unwrap();
        assert_eq!((second.from, second.to), (Lsn(100), Lsn(400)));
        second.outcome.send(true).unwrap();
        all.into_iter().for_each(|t| t.join().unwrap().unwrap());
    });
    let sizes = log.stats.commit_stats().gang_size;
    assert_eq!((sizes.samples(), sizes.sum, sizes.max), (2, 4, 3));
    let acknowledged = log.stats.commit_stats().acknowledged_us.samples();
    assert_eq!(acknowledged, 4, "every request is counted once in every stage");
    assert_eq!(log.stats.commit_stats().written_us.samples(), 4);
    assert_eq!(log.stats.commit_stats().flushed_us.samples(), 4);
}

#[test]
fn a_held_gang_leaves_as_soon_as_everybody_expected_has_come() {
    let (log, writes) = Numbers::held(1);
    let gang = gang();
    thread::scope(|s| {
        let flush = || {
            let target = log.insert(10);
            let (gang, log) = (&gang, &log);
            gang.commit_logged();
            s.spawn(move || gang.flush(log, target))
        };
        let first = [flush()];
        let write = writes.recv().unwrap();
        let second = [flush(), flush(), flush()];
        await_waiting(&gang, 3);
        // A disk whose hold outlasts any test: the next gang leaves only because it is complete.
        gang.state.lock().hold = Hold::learned(Duration::from_secs(24 * 3600), 6);
        write.outcome.send(true).unwrap();
        first.into_iter().for_each(|t| t.join().unwrap().unwrap());
        while gang.awaited.load(Ordering::SeqCst) == u64::MAX {
            assert!(writes.try_recv().is_err(), "four are expected, and three wait");
        }
        assert_eq!(gang.awaited.load(Ordering::SeqCst), 1 + 4);
        let last = flush();
        writes.recv().unwrap().outcome.send(true).unwrap();
        second.into_iter().for_each(|t| t.join().unwrap().unwrap());
        last.join().unwrap().unwrap();
    });
    assert_eq!(log.stats.commit_stats().gang_size.max, 4);
}

#[test]
fn without_company_the_block_stays_open() {
    let log = Numbers::new(8);
    let gang = gang();
    for _ in 0..3 {
        gang.flush(&log, log.insert(100)).unwrap();
    }
    assert_eq!((gang.flushed(), log.completed()), (Lsn(300), Lsn(300)));
}

#[test]
fn in_company_the_next_write_starts_on_a_block_of_its_own_at_once() {
    let (log, writes) = Numbers::held(4);
    let gang = gang();
    thread::scope(|s| {
        let flush = || {
            let target = log.insert(100);
            let (gang, log) = (&gang, &log);
            s.spawn(move || gang.flush(log, target))
        };
        let alone = flush();
        let first = writes.recv().unwrap();
        let waiting = flush();
        await_waiting(&gang, 1);
        first.outcome.send(true).unwrap();
        alone.join().unwrap().unwrap();
        // Somebody came during the first write: the second leaves a fresh block to the third, which needs no turn to end.
        let second = writes.recv().unwrap();
        assert_eq!((second.from, second.to), (Lsn(100), Lsn(BLOCK)));
        let beside = flush();
        let third = writes.recv().unwrap();
        assert_eq!(third.from, Lsn(BLOCK));
        third.outcome.send(true).unwrap();
        await_waiting(&gang, 1);
        assert_eq!(gang.flushed(), Lsn(100), "the third is written, not durable");
        second.outcome.send(true).unwrap();
        waiting.join().unwrap().unwrap();
        beside.join().unwrap().unwrap();
        assert_eq!(gang.flushed(), third.to);
    });
}

#[test]
fn a_failed_write_stops_everybody_behind_it_and_nobody_before() {
    let (log, writes) = Numbers::held(4);
    let gang = gang();
    thread::scope(|s| {
        let flush = || {
            let target = log.insert(BLOCK);
            let (gang, log) = (&gang, &log);
            let thread = s.spawn(move || gang.flush(log, target));
            (thread, writes.recv().unwrap())
        };
        let (a, first) = flush();
        let (b, second) = flush();
        let (c, third) = flush();
        third.outcome.send(true).unwrap();
        await_waiting(&gang, 1);
        second.outcome.send(false).unwrap();
        assert!(matches!(b.join().unwrap(), Err(Error::Poisoned(_))));
        assert!(
            matches!(c.join().unwrap(), Err(Error::Poisoned(_))),
            "durable itself, but not all before it"
        );
        first.outcome.send(true).unwrap();
        a.join().unwrap().unwrap();
    });
    assert_eq!(gang.flushed(), Lsn(BLOCK));
    assert!(matches!(gang.flush(&log, log.insert(10)), Err(Error::Poisoned(_))));
}

#[test]
fn the_log_writer_takes_whole_blocks_and_leaves_the_open_one() {
    let log = Numbers::new(1);
    let gang = gang();
    log.insert(BLOCK - 1);
    gang.flush_whole_blocks(&log).unwrap();
    assert_eq!(gang.flushed(), Lsn(0));
    log.insert(2);
    gang.commit_logged();
    gang.flush_whole_blocks(&log).unwrap();
    assert_eq!(gang.flushed(), Lsn(BLOCK));
    gang.flush_completed(&log).unwrap();
    assert_eq!(gang.flushed(), Lsn(BLOCK + 1));
    assert_eq!(log.stats.commit_stats().gang_size.buckets[0], 1, "for nobody");
}

#[test]
fn the_log_writer_waits_for_whoever_writes() {
    let (log, writes) = Numbers::held(1);
    let gang = gang();
    thread::scope(|s| {
        let target = log.insert(BLOCK);
        let (gang, log) = (&gang, &log);
        let committer = s.spawn(move || gang.flush(log, target));
        let first = writes.recv().unwrap();
        log.insert(BLOCK);
        let writer = s.spawn(move || gang.flush_whole_blocks(log).map(|()| gang.flushed()));
        await_waiting(gang, 1);
        first.outcome.send(true).unwrap();
        writes.recv().unwrap().outcome.send(true).unwrap();
        committer.join().unwrap().unwrap();
        assert_eq!(writer.join().unwrap().unwrap(), Lsn(2 * BLOCK));
    });
}

#[test]
fn a_task_is_woken_by_the_write_that_somebody_is_asked_for() {
    let log = Numbers::new(1);
    let gang = gang();
    let target = log.insert(10);
    assert!(!gang.wake_when_flushed(&log, target, Waker::noop()));
    assert!(log.asked.load(Ordering::SeqCst));
    gang.flush_completed(&log).unwrap();
    assert!(gang.wake_when_flushed(&log, target, Waker::noop()), "durable now");
    assert_eq!(gang.state.lock().turns.waiting(), 0);
}

#[test]
fn a_task_whose_write_is_on_its_way_asks_nobody() {
    let (log, writes) = Numbers::held(1);
    let gang = gang();
    let target = log.insert(10);
    thread::scope(|s| {
        let writer = s.spawn(|| gang.flush(&log, target));
        let write = writes.recv().unwrap();
        assert!(!gang.wake_when_flushed(&log, target, Waker::noop()), "not durable yet");
        assert!(!log.asked.load(Ordering::SeqCst), "its write has begun");
        write.outcome.send(true).unwrap();
        writer.join().unwrap().unwrap();
    });
}

/// A waker of its own.
struct Somebody;

impl std::task::Wake for Somebody {
    fn wake(self: std::sync::Arc<Self>) {}
}

#[test]
fn a_task_that_asks_again_takes_only_its_own_place() {
    let log = Numbers::new(1);
    let gang = gang();
    let (near, far) = (log.insert(10), log.insert(10));
    let [one, other] = [(); 2].map(|()| Waker::from(std::sync::Arc::new(Somebody)));
    let waiting = |target, waker: &Waker| {
        assert!(!gang.wake_when_flushed(&log, target, waker));
        gang.state.lock().turns.waiting()
    };
    assert_eq!(waiting(near, &one), 1);
    assert_eq!(waiting(near, &one), 1, "asked again");
    assert_eq!(waiting(near, &other), 2, "somebody else, for the same");
    assert_eq!(waiting(far, &one), 3, "the same task, for more");
}
