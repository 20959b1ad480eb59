//! A mixed workload with a model, and what is checked at a crash.

use super::{Rows, assert_sound, rows, small};
use evenkeel::checkpoint::SyncPolicy;
use evenkeel::io::{SimCall, SimDisk, SimOptions};
use evenkeel::{
    Database, Durability, Isolation, LockMode, Lsn, Options, Savepoint, Transaction, TreeId, TxnOptions,
    Write,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Committed contents: rows of each tree.
pub type State = BTreeMap<TreeId, Rows>;

/// What varies between workloads.
#[derive(Clone, Debug)]
pub struct WorkloadOptions {
    pub steps: u32,
    pub partitions: &'static str,
    /// Torn-page protection, one of [`PROTECTIONS`].
    pub protection: &'static str,
    /// Another protection now and then: at a restart, in a recovery, and in the recovery after it.
    pub changes_protection: bool,
    pub double_write_size: &'static str,
    /// Check only every n-th call (1 = each).
    pub stride: u64,
    /// Log writes in flight, at most; beyond 1 they are submitted and ended step by step, in any order.
    pub flush_depth: u64,
    /// Order, batches and syncs of rounds.
    pub checkpoint_order: &'static str,
    pub checkpoint_sync: &'static str,
    pub file_batches: &'static str,
}

/// Those that hold on a disk that tears.
pub const PROTECTIONS: [&str; 3] = ["full_page_writes", "double_write", "atomic"];

impl WorkloadOptions {
    pub fn varied(seed: u64) -> WorkloadOptions {
        WorkloadOptions {
            steps: 120,
            partitions: ["1", "4", "16", "64"][(seed % 4) as usize],
            protection: PROTECTIONS[(seed / 4 % 3) as usize],
            changes_protection: !(seed / 12).is_multiple_of(3),
            double_write_size: ["128kB", "256kB", "2MB"][(seed / 24 % 3) as usize],
            stride: 1,
            flush_depth: 1,
            checkpoint_order: ["sorted", "buffer", "sorted"][(seed / 4 % 3) as usize],
            checkpoint_sync: SyncPolicy::NAMES[(seed / 12 % 5) as usize],
            file_batches: ["1", "3"][(seed / 60 % 2) as usize],
        }
    }

    pub fn database(&self, seed: u64) -> Options {
        small(seed)
            .with("checkpoint_partitions", self.partitions)
            .and_then(|o| o.with("wal_flush_depth", &self.flush_depth.to_string()))
            .and_then(|o| o.with("checkpoint_order", self.checkpoint_order))
            .and_then(|o| o.with("checkpoint_sync", self.checkpoint_sync))
            .and_then(|o| o.with("checkpoint_file_batches", self.file_batches))
            .and_then(|o| o.with("torn_page_protection", self.protection))
            .and_then(|o| o.with("double_write_size", self.double_write_size))
            .and_then(|o| o.with("recovery_workers", ["1", "2", "4", "64"][(seed / 3 % 4) as usize]))
            .and_then(|o| o.with("recovery_prefetch", ["on", "off"][(seed / 7 % 2) as usize]))
            .and_then(|o| o.with("recovery_look_ahead", ["64kB", "8MB"][(seed / 5 % 2) as usize]))
            .and_then(|o| o.with("rollback_after_open", ["on", "off"][(seed / 11 % 2) as usize]))
            .expect("valid settings")
    }

    /// As these, with another protection every second time if it may change.
    fn perhaps_changed(&self, salt: u64) -> WorkloadOptions {
        let mut rng = fastrand::Rng::with_seed(salt ^ 0x70e);
        let mut options = self.clone();
        if self.changes_protection && rng.bool() {
            options.protection = PROTECTIONS[rng.usize(..PROTECTIONS.len())];
        }
        options
    }
}

/// States that a crash may leave: the last durable one and everything committed after it.
#[derive(Clone, Default)]
pub struct Expected {
    pub states: Vec<Arc<State>>,
}

#[derive(Default)]
pub struct Counts {
    pub points: AtomicU64,
    pub recoveries: AtomicU64,
    /// Torn pages that recoveries repaired from the double-write file.
    pub repaired: AtomicU64,
    /// Times that files were synced for want of room in it.
    pub home_syncs: AtomicU64,
    /// Most log writes that were in flight at a crash.
    pub in_flight_max: AtomicU64,
    /// Log writes that ended before one that was submitted earlier.
    pub out_of_order: AtomicU64,
    /// Bytes of padding.
    pub padding_bytes: AtomicU64,
}

/// Log writes in flight: the number of each in the log, and of its parts on the disk.
struct Flights {
    disk: SimDisk,
    rng: fastrand::Rng,
    parts: BTreeMap<u64, Vec<u64>>,
    counts: Arc<Counts>,
}

impl Flights {
    /// One of them, whichever, is durable on the disk now; its number.
    fn end_one(&mut self, numbers: &[u64]) -> u64 {
        let i = self.rng.usize(..numbers.len());
        if i > 0 {
            self.counts.out_of_order.fetch_add(1, Ordering::Relaxed);
        }
        for part in self.parts.remove(&numbers[i]).expect("submitted") {
            self.disk.complete_log_write(part);
        }
        numbers[i]
    }
}

enum Delta {
    Put(TreeId, Vec<u8>, Vec<u8>),
    Delete(TreeId, Vec<u8>),
    Create(TreeId),
    Drop(TreeId),
}

struct Open {
    txn: Transaction,
    deltas: Vec<Delta>,
    savepoints: Vec<(Savepoint, usize)>,
    /// Own key space, so that transactions of one thread never wait for each other.
    slot: u8,
    durability: Durability,
}

pub struct Workload {
    rng: fastrand::Rng,
    options: WorkloadOptions,
    seed: u64,
    state: State,
    expected: Arc<Mutex<Expected>>,
    flights: Arc<Mutex<Flights>>,
    /// Synchronous commits that nobody waited for: where each ends in the log, and its state.
    unsettled: Vec<(Lsn, Arc<State>)>,
}

const SLOTS: u8 = 3;
/// The key space of transactions that begin and commit within a step.
const BURST_SLOT: u8 = 7;

/// Trees that open transactions are dropping.
fn doomed(open: &[Open]) -> Vec<TreeId> {
    let drops = open.iter().flat_map(|o| &o.deltas);
    drops.filter_map(|d| if let Delta::Drop(t) = d { Some(*t) } else { None }).collect()
}

impl Workload {
    /// Runs a workload and checks a crash at every changing call.
    pub fn run(seed: u64, options: &WorkloadOptions) -> Arc<Counts> {
        // Some disks need a sync after a log write; there are none of those in flight by halves.
        let log_needs_sync = options.flush_depth == 1 && seed % 5 == 4;
        let disk = SimDisk::new(SimOptions {
            seed,
            log_needs_sync,
            atomic_unit_max_bytes: 16384,
            ..SimOptions::default()
        });
        let counts = Arc::new(Counts::default());
        let expected = Arc::new(Mutex::new(Expected { states: vec![Arc::new(State::new())] }));
        let hook = {
            let (counts, expected, options) = (counts.clone(), expected.clone(), options.clone());
            move |call: &SimCall, disk: &SimDisk| {
                let n = counts.points.fetch_add(1, Ordering::Relaxed);
                counts.in_flight_max.fetch_max(disk.deferred_log_writes().len() as u64, Ordering::Relaxed);
                if n.is_multiple_of(options.stride) {
                    let expected = expected.lock().unwrap().clone();
                    let what =
                        format!("workload seed {seed}, call {} ({:?} {})", call.index, call.kind, call.path);
                    let copy = disk.crash_copy(seed ^ call.index.rotate_left(32));
                    // What a killed process leaves still lies in caches; a crashed disk has none left.
                    let killed = n.is_multiple_of(4).then(|| disk.kill_copy());
                    let check = || {
                        check_crash(&copy, killed.as_ref(), &expected, &options, &what, &counts, call.index)
                    };
                    // The engine around this hook holds latches and the flush: unwinding through it would only hide the finding.
                    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_err() {
                        eprintln!("rerun with EVENKEEL_CRASH_SEED={seed} EVENKEEL_CRASH_POINTS=1");
                        std::process::exit(101);
                    }
                }
            }
        };
        disk.set_hook(Some(Box::new(hook)));
        let mut w = Workload {
            rng: fastrand::Rng::with_seed(seed),
            options: options.clone(),
            seed,
            state: State::new(),
            expected,
            flights: Arc::new(Mutex::new(Flights {
                disk: disk.clone(),
                rng: fastrand::Rng::with_seed(seed ^ 0xf11),
                parts: BTreeMap::new(),
                counts: counts.clone(),
            })),
            unsettled: Vec::new(),
        };
        let db = w.steps(&disk, options.steps);
        // The end of a life is a crash point like any other; then close cleanly and look.
        counts.padding_bytes.fetch_add(db.stats().wal_padding_bytes, Ordering::Relaxed);
        w.count(&db);
        db.close().unwrap_or_else(|e| panic!("workload seed {seed}: close: {e}"));
        drop(db);
        disk.set_hook(None);
        let db = w.open(&disk);
        assert_eq!(
            read_state(&db, &w.state).as_ref(),
            Some(&w.state),
            "workload seed {seed}: after a clean restart"
        );
        assert_sound(&db, &format!("workload seed {seed}: after a clean restart"));
        counts
    }

    fn open(&self, disk: &SimDisk) -> Database {
        let db = Database::open_on(Arc::new(disk.clone()), self.options.database(self.seed))
            .unwrap_or_else(|e| panic!("workload seed {}: open: {e}", self.seed));
        let flights = self.flights.clone();
        db.log().simulate_ends(Box::new(move |numbers| flights.lock().unwrap().end_one(numbers)));
        db
    }

    /// Small transactions one after the other, each with a log write of its own; then some of the writes end.
    fn burst(&mut self, db: &Database, open: &[Open]) {
        let doomed = doomed(open);
        for _ in 0..self.rng.u64(2..self.options.flush_depth + 3) {
            let txn = db.begin(TxnOptions::default());
            let mut o = Open {
                txn,
                deltas: Vec::new(),
                savepoints: Vec::new(),
                slot: BURST_SLOT,
                durability: Durability::Sync,
            };
            self.write(&mut o, &doomed);
            self.commit(o);
            self.submit(db);
        }
        for _ in 0..self.rng.u64(0..self.options.flush_depth) {
            self.log_step(db);
        }
    }

    /// Submits a log write, if there is something to write and it may go beside the others.
    fn submit(&mut self, db: &Database) {
        let disk = self.flights.lock().unwrap().disk.clone();
        let before = disk.deferred_log_writes();
        disk.defer_log_writes(true);
        let submitted = db.log().simulate_submit(self.rng.u8(0..4) > 0).expect("submit");
        disk.defer_log_writes(false);
        if let Some(number) = submitted {
            let parts = disk.deferred_log_writes().into_iter().filter(|p| !before.contains(p)).collect();
            self.flights.lock().unwrap().parts.insert(number, parts);
        }
        self.settle_flushed(db);
    }

    /// Submits a log write, or ends one.
    fn log_step(&mut self, db: &Database) {
        let log = db.log();
        let numbers: Vec<u64> = self.flights.lock().unwrap().parts.keys().copied().collect();
        if numbers.is_empty() || self.rng.u8(0..3) == 0 {
            self.submit(db);
        } else {
            let number = self.flights.lock().unwrap().end_one(&numbers);
            log.simulate_end(number, true).expect("a write ends");
        }
        self.settle_flushed(db);
    }

    /// Commits up to the flushed end of the log are durable.
    fn settle_flushed(&mut self, db: &Database) {
        let flushed = Lsn(db.stats().wal_flushed_lsn);
        let Some(i) = self.unsettled.iter().rposition(|(lsn, _)| *lsn <= flushed) else { return };
        let (_, durable) = self.unsettled.drain(..=i).next_back().expect("found");
        let mut e = self.expected.lock().unwrap();
        let first = e.states.iter().position(|s| Arc::ptr_eq(s, &durable)).expect("an expected state");
        e.states.drain(..first);
    }

    fn steps(&mut self, disk: &SimDisk, steps: u32) -> Database {
        let mut db = self.open(disk);
        let mut open: Vec<Open> = Vec::new();
        for _ in 0..steps {
            if self.options.flush_depth > 1 {
                self.log_step(&db);
                if self.rng.u8(0..6) == 0 {
                    self.burst(&db, &open);
                }
            }
            match self.rng.u8(0..100) {
                0..=1 => {
                    // Restart, cleanly or not at all politely (open transactions are rolled back by dropping them).
                    open.clear();
                    db.close().expect("close");
                    self.count(&db);
                    drop(db);
                    self.settle();
                    self.options = self.options.perhaps_changed(self.rng.u64(..));
                    db = self.open(disk);
                }
                2..=9 => db.step_round().expect("round"),
                10..=12 => drop(db.step_clean().expect("clean")),
                13..=18 => drop(db.step_purge().expect("purge")),
                19..=20 => {
                    let trees: Vec<TreeId> = self.state.keys().copied().collect();
                    if let Some(tree) = self.pick(&trees) {
                        db.vacuum(tree).expect("vacuum");
                    }
                }
                21 => db.checkpoint().expect("checkpoint"),
                22..=24 => {
                    db.step_log_writer().expect("log writer");
                    self.settle();
                }
                _ => self.transaction_step(&db, &mut open),
            }
        }
        while let Some(o) = open.pop() {
            self.commit(o);
        }
        db
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.rng.usize(0..from.len())]) }
    }

    /// Counts what a life did that a test may want to have seen.
    fn count(&self, db: &Database) {
        let syncs = db.stats().double_write_home_syncs;
        self.flights.lock().unwrap().counts.home_syncs.fetch_add(syncs, Ordering::Relaxed);
    }

    /// Everything committed so far is durable.
    fn settle(&mut self) {
        let mut e = self.expected.lock().unwrap();
        let last = e.states.last().cloned();
        e.states = last.into_iter().collect();
        self.unsettled.clear();
    }

    fn transaction_step(&mut self, db: &Database, open: &mut Vec<Open>) {
        let free: Vec<u8> = (0..SLOTS).filter(|s| open.iter().all(|o| o.slot != *s)).collect();
        if open.is_empty() || (self.rng.u8(0..10) == 0 && !free.is_empty()) {
            let slot = self.pick(&free).expect("a slot is free");
            let durability = if self.rng.u8(0..4) == 0 { Durability::Async } else { Durability::Sync };
            let isolation =
                if self.rng.bool() { Isolation::ReadCommitted } else { Isolation::RepeatableRead };
            let txn = db.begin(TxnOptions { durability, isolation, ..TxnOptions::default() });
            open.push(Open { txn, deltas: Vec::new(), savepoints: Vec::new(), slot, durability });
        }
        let i = self.rng.usize(0..open.len());
        match self.rng.u8(0..20) {
            0..=2 => {
                let o = open.swap_remove(i);
                self.commit(o);
            }
            3 => {
                let o = open.swap_remove(i);
                o.txn.rollback().expect("rollback");
            }
            4 => {
                let o = &mut open[i];
                let sp = o.txn.savepoint();
                o.savepoints.push((sp, o.deltas.len()));
            }
            5 => {
                let o = &mut open[i];
                if let Some((sp, n)) = o.savepoints.pop() {
                    o.txn.rollback_to(sp).expect("rollback to savepoint");
                    o.deltas.truncate(n);
                }
            }
            6 if self.state.len() < 5 => {
                let o = &mut open[i];
                let tree = o.txn.create_tree().expect("create tree");
                o.deltas.push(Delta::Create(tree));
            }
            7 if self.rng.u8(0..3) == 0 => self.drop_tree(open, i),
            _ => {
                // Nobody uses a tree that another transaction is dropping: the layer above has table locks for that.
                let doomed = doomed(open);
                for _ in 0..self.rng.u32(1..12) {
                    self.write(&mut open[i], &doomed);
                }
            }
        }
    }

    /// A tree is dropped only if nobody else uses it: the layer above has table locks for that.
    fn drop_tree(&mut self, open: &mut [Open], i: usize) {
        let used = |t: TreeId| {
            open.iter().enumerate().any(|(j, o)| {
                j != i
                    && o.deltas.iter().any(|d| match d {
                        Delta::Put(x, ..) | Delta::Delete(x, _) | Delta::Create(x) | Delta::Drop(x) => {
                            *x == t
                        }
                    })
            })
        };
        let dropped =
            |t: TreeId| open.iter().any(|o| o.deltas.iter().any(|d| matches!(d, Delta::Drop(x) if *x == t)));
        let trees: Vec<TreeId> = self.state.keys().copied().filter(|t| !used(*t) && !dropped(*t)).collect();
        if let Some(tree) = self.pick(&trees) {
            let o = &mut open[i];
            o.txn.begin_statement();
            match o.txn.drop_tree(tree) {
                Ok(()) => o.deltas.push(Delta::Drop(tree)),
                // Its creation is newer than this transaction's snapshot.
                Err(evenkeel::Error::NoSuchTree(_) | evenkeel::Error::SerializationFailure) => {}
                Err(e) => panic!("workload seed {}: drop: {e}", self.seed),
            }
        }
    }

    fn write(&mut self, o: &mut Open, doomed: &[TreeId]) {
        // Trees that this transaction may use: committed ones and its own, less its drops.
        let mut trees: Vec<TreeId> = self.state.keys().copied().collect();
        for d in &o.deltas {
            if let Delta::Create(t) = d {
                trees.push(*t);
            }
        }
        trees.retain(|t| !doomed.contains(t));
        let Some(tree) = self.pick(&trees) else { return };
        let number = if self.rng.bool() { self.rng.u16(0..40) } else { self.rng.u16(0..2000) };
        let mut key = vec![o.slot];
        key.extend_from_slice(&number.to_be_bytes());
        key.resize(3 + usize::from(number % 5) * 40, b'k');
        let len = match self.rng.u8(0..40) {
            0 => self.rng.usize(2500..30_000),
            1..=5 => self.rng.usize(600..1900),
            _ => self.rng.usize(0..300),
        };
        let byte = self.rng.u8(..);
        let value = vec![byte; len];
        o.txn.begin_statement();
        let seed = self.seed;
        match self.rng.u8(0..10) {
            0..=2 => {
                if o.txn.delete(tree, &key).unwrap_or_else(|e| failed(seed, e)) == Write::Done {
                    o.deltas.push(Delta::Delete(tree, key));
                }
            }
            3..=5 => match o.txn.insert(tree, &key, &value) {
                Ok(()) => o.deltas.push(Delta::Put(tree, key, value)),
                Err(evenkeel::Error::DuplicateKey) => {}
                Err(e) => failed(seed, e),
            },
            6..=7 => {
                let mode = if self.rng.bool() { LockMode::Update } else { LockMode::NoKeyUpdate };
                if o.txn.update(tree, &key, &value, mode).unwrap_or_else(|e| failed(seed, e)) == Write::Done {
                    o.deltas.push(Delta::Put(tree, key, value));
                }
            }
            _ => {
                o.txn.put(tree, &key, &value).unwrap_or_else(|e| failed(seed, e));
                o.deltas.push(Delta::Put(tree, key, value));
            }
        }
    }

    fn commit(&mut self, o: Open) {
        // A transaction that wrote nothing waits for nothing: asynchronous commits before it stay undecided.
        let sync = o.durability == Durability::Sync && !o.deltas.is_empty();
        let mut next = self.state.clone();
        for d in o.deltas {
            match d {
                Delta::Put(t, k, v) => drop(next.entry(t).or_default().insert(k, v)),
                Delta::Delete(t, k) => drop(next.entry(t).or_default().remove(&k)),
                Delta::Create(t) => drop(next.insert(t, Rows::new())),
                Delta::Drop(t) => drop(next.remove(&t)),
            }
        }
        let state = Arc::new(next.clone());
        self.expected.lock().unwrap().states.push(state.clone());
        if sync && self.options.flush_depth > 1 && self.rng.u8(0..20) > 0 {
            let lsn =
                o.txn.commit_visible().unwrap_or_else(|e| panic!("workload seed {}: commit: {e}", self.seed));
            self.unsettled.push((lsn.local, state));
            self.state = next;
            return;
        }
        o.txn.commit().unwrap_or_else(|e| panic!("workload seed {}: commit: {e}", self.seed));
        self.state = next;
        if sync {
            self.settle();
        }
    }
}

fn failed(seed: u64, e: evenkeel::Error) -> ! {
    panic!("workload seed {seed}: write: {e}")
}

/// The contents of the trees of `like`; `None` if one is missing.
pub fn read_state(db: &Database, like: &State) -> Option<State> {
    let mut t = db.begin(TxnOptions::default());
    let read = |tree: &TreeId, t: &mut Transaction| match rows(t, *tree) {
        Ok(r) => Some((*tree, r)),
        Err(evenkeel::Error::NoSuchTree(_)) => None,
        Err(e) => panic!("reading tree {}: {e}", tree.0),
    };
    like.keys().map(|tree| read(tree, &mut t)).collect()
}

fn matches(db: &Database, expected: &Expected) -> bool {
    expected.states.iter().rev().any(|s| read_state(db, s).as_ref() == Some(&**s))
}

/// Recovers a crashed disk and checks what it holds; then crashes recovery itself, and the life after it.
fn check_crash(
    disk: &SimDisk,
    killed: Option<&SimDisk>,
    expected: &Expected,
    options: &WorkloadOptions,
    what: &str,
    counts: &Arc<Counts>,
    salt: u64,
) {
    let mut rng = fastrand::Rng::with_seed(salt);
    let second: Arc<Mutex<Vec<SimDisk>>> = Arc::default();
    let pick = rng.u64(0..60);
    let hook = {
        let (second, mut n, seed) = (second.clone(), 0u64, rng.u64(..));
        move |_: &SimCall, d: &SimDisk| {
            if n == pick {
                second.lock().unwrap().push(d.crash_copy(seed));
            }
            n += 1;
        }
    };
    disk.set_hook(Some(Box::new(hook)));
    recover_and_check(disk, expected, options, what, counts, salt, true);
    disk.set_hook(None);
    for (i, d) in second.lock().unwrap().drain(..).enumerate() {
        recover_and_check(
            &d,
            expected,
            options,
            &format!("{what}, crashed again in recovery ({i})"),
            counts,
            salt + 1,
            false,
        );
    }
    // Its second life ends in a power cut: what it built on must have been made durable first.
    if let Some(d) = killed {
        recover_and_check(
            d,
            expected,
            options,
            &format!("{what}, as a killed process"),
            counts,
            salt + 2,
            true,
        );
    }
}

/// The log of a crashed disk, for a failure's message.
fn print_log(disk: &SimDisk) {
    let geometry = evenkeel::wal::segment::Geometry { segment_bytes: 64 << 10 };
    if let Ok(Some(from)) = evenkeel::wal::dump::oldest_start(disk, geometry) {
        let _ = evenkeel::wal::dump::dump(disk, geometry, from, evenkeel::Lsn::MAX, &mut |line| {
            eprintln!("{line}");
            Ok(())
        });
    }
}

fn recover_and_check(
    disk: &SimDisk,
    expected: &Expected,
    options: &WorkloadOptions,
    what: &str,
    counts: &Counts,
    salt: u64,
    second_life: bool,
) {
    counts.recoveries.fetch_add(1, Ordering::Relaxed);
    let untouched = disk.kill_copy();
    let options = options.perhaps_changed(salt);
    let what = &format!("{what}, opened with {}", options.protection);
    let db = match Database::open_on(Arc::new(disk.clone()), options.database(salt)) {
        Ok(db) => db,
        Err(e) => panic!("{what}: recovery failed: {e}"),
    };
    counts.repaired.fetch_add(db.stats().torn_pages_repaired, Ordering::Relaxed);
    if !matches(&db, expected) {
        print_log(&untouched);
        let all: Vec<String> =
            expected.states.iter().map(|s| difference(read_state(&db, s).as_ref(), s)).collect();
        panic!("{what}: no committed state matches: {all:#?}");
    }
    assert_sound(&db, what);
    if !second_life {
        db.abandon();
        return;
    }
    // A second life over the remains: a few commits, a crash, and a third look.
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree().expect("create tree");
    let mut written = Rows::new();
    for i in 0..(salt % 8) as u8 {
        t.put(tree, &[9, i], &[i; 100]).expect("put");
        written.insert(vec![9, i], vec![i; 100]);
    }
    t.commit().expect("commit");
    db.abandon();
    let crashed = disk.crash_copy(salt);
    let db = Database::open_on(Arc::new(crashed), options.perhaps_changed(salt + 1).database(salt + 1))
        .unwrap_or_else(|e| panic!("{what}: recovery after a second life failed: {e}"));
    assert!(matches(&db, expected), "{what}: second life: an old commit is lost");
    assert_eq!(
        rows(&mut db.begin(TxnOptions::default()), tree).ok(),
        Some(written),
        "{what}: second life: a new commit is lost"
    );
    db.abandon();
}

fn difference(found: Option<&State>, wanted: &State) -> String {
    let Some(found) = found else {
        return format!("a tree of {:?} is missing", wanted.keys().collect::<Vec<_>>());
    };
    let mut out = Vec::new();
    for (tree, rows) in wanted {
        let have = &found[tree];
        let lost = rows.iter().filter(|(k, v)| have.get(*k) != Some(v)).count();
        let extra = have.keys().filter(|k| !rows.contains_key(*k)).count();
        if lost + extra > 0 {
            out.push(format!(
                "tree {}: {lost} rows lost or different, {extra} too many, of {}",
                tree.0,
                rows.len()
            ));
        }
    }
    out.join("; ")
}
