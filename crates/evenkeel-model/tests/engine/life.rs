//! A life of a small database under the scheduler: sessions, readers and every duty at once, a power cut at a call of the disk drawn by the seed, and the life
//! after it.
//!
//! Must not know: how schedules are chosen.

use crate::explore;
use crate::history::{Came, History, Moment, Rows};
use evenkeel_model::base::sync::{self, point};
use evenkeel_model::io::{Access, Fault, SimCall, SimDisk, SimOptions};
use evenkeel_model::{
    Database, Direction, Durability, Error, Isolation, KeyRange, Options, Transaction, TreeId, TxnOptions,
    Write,
};
use shuttle::rand::{Rng, thread_rng};
use shuttle::thread::{self, JoinHandle};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Keys that sessions fight for.
const HOT_KEYS: usize = 4;
/// Rows that fill more pages than the pool has frames.
const FILLERS: usize = 72;
const FILLER_BYTES: usize = 7000;

/// Who is there in a life, and what they do.
#[derive(Clone, Copy)]
pub struct Cast {
    /// Sessions that write.
    pub sessions: usize,
    /// Transactions of each, and turns of each reader and duty.
    pub times: usize,
    /// Most rows that a transaction writes besides its mark.
    pub writes: usize,
    /// Sessions that read all rows, twice in a snapshot.
    pub readers: usize,
    /// Sessions that read pages which are not in the pool.
    pub scanners: usize,
    /// Sessions that create trees and drop them.
    pub churners: usize,
    /// Rounds, cleaners, purges, log writers.
    pub duties: [usize; 4],
    /// One write in so many is of a row that fills a page; none if zero.
    pub large_one_in: u32,
    /// Calls that change the disk among which the power cut is drawn; if it comes after the last one, the life ends without.
    pub calls: u64,
    /// Whether a call to the disk fails, too.
    pub fails: bool,
}

/// What a life begins with.
#[derive(Clone)]
struct Start {
    disk: SimDisk,
    rows: Rows,
    tree: TreeId,
    fillers: TreeId,
}

/// What a power cut left, and who had been told what.
struct Cut {
    disk: SimDisk,
    at: Moment,
}

/// Everybody of a life shares it.
struct Life {
    db: Database,
    tree: TreeId,
    fillers: TreeId,
    cast: Cast,
    history: Arc<History>,
    cut: Arc<Mutex<Option<Cut>>>,
}

fn options(seed: u64, threads: bool) -> Options {
    let pick = |list: &[&'static str], salt: u64| list[(seed / salt) as usize % list.len()];
    let settings = [
        ("shared_buffers", "512kB"),
        ("wal_segment_size", "64kB"),
        ("wal_buffers", "256kB"),
        ("max_wal_size", "256kB"),
        ("checkpoint_partitions", "2"),
        ("double_write_size", "128kB"),
        ("torn_page_protection", pick(&["full_page_writes", "full_page_writes", "double_write"], 1)),
        ("wal_flush_depth", pick(&["1", "3"], 3)),
        ("recovery_workers", "2"),
        ("recovery_prefetch_threads", "1"),
        ("checkpoint_timeout", "30s"),
    ];
    let options = Options::default().with_seed(seed);
    let options = if threads { options } else { options.without_threads() };
    settings.iter().fold(options, |o, (name, value)| o.with(name, value).expect("a valid setting"))
}

/// A database with a few rows in one page that is nearly full, and a tree that fills the pool.
fn start() -> Start {
    static START: OnceLock<Start> = OnceLock::new();
    START
        .get_or_init(|| {
            let made = Arc::new(Mutex::new(None));
            let sink = made.clone();
            std::thread::spawn(move || explore::aside(move || *sink.lock().unwrap() = Some(make_start())))
                .join()
                .expect("the start is made");
            let start = made.lock().unwrap().take();
            start.expect("made")
        })
        .clone()
}

fn make_start() -> Start {
    let disk = SimDisk::new(SimOptions::default());
    let db = Database::open_on(Arc::new(disk.clone()), options(0, false)).expect("a new database opens");
    let mut t = db.begin(TxnOptions::default());
    let (tree, fillers) = (t.create_tree().unwrap(), t.create_tree().unwrap());
    for key in 0..HOT_KEYS {
        t.put(tree, &hot_key(key), &[b'0'; 1500]).unwrap();
    }
    for key in 0..FILLERS {
        t.put(fillers, &filler_key(key), &[b'0'; FILLER_BYTES]).unwrap();
    }
    t.commit().unwrap();
    let rows = all_rows(&db, tree, fillers);
    db.close().unwrap();
    drop(db);
    Start { disk, rows, tree, fillers }
}

fn hot_key(n: usize) -> Vec<u8> {
    format!("hot {n}").into_bytes()
}

fn filler_key(n: usize) -> Vec<u8> {
    format!("filler {n:02}").into_bytes()
}

fn is_filler(key: &[u8]) -> bool {
    key.starts_with(b"filler")
}

fn all_rows(db: &Database, tree: TreeId, fillers: TreeId) -> Rows {
    let mut t = db.begin(TxnOptions::default());
    let mut all = rows(&mut t, tree).expect("rows");
    all.extend(rows(&mut t, fillers).expect("rows"));
    all
}

fn rows(t: &mut Transaction, tree: TreeId) -> Result<Rows, Error> {
    let mut out = Rows::new();
    let mut cursor = t.cursor(tree, KeyRange::all(), Direction::Forward)?;
    while let Some((k, v)) = cursor.next(t)? {
        out.insert(k.to_vec(), v.to_vec());
    }
    Ok(out)
}

fn chance(one_in: u32) -> bool {
    thread_rng().gen_range(0..one_in) == 0
}

impl Life {
    /// Whether there is still anything to be done for.
    fn goes_on(&self) -> bool {
        self.cut.lock().unwrap().is_none()
    }

    /// A transaction that puts its mark and changes rows that others change, too.
    fn transact(&self) -> Result<(), Error> {
        let is_sync = !chance(6);
        let txn = self.history.begin(is_sync);
        let options = TxnOptions {
            isolation: if chance(3) { Isolation::RepeatableRead } else { Isolation::ReadCommitted },
            durability: if is_sync { Durability::Sync } else { Durability::Async },
            ..TxnOptions::default()
        };
        let mut t = self.db.begin(options);
        match self.write(&mut t, txn) {
            Ok(()) if !chance(5) => {
                self.history.came(txn, Came::ToCommit);
                t.commit()?;
                self.history.came(txn, if is_sync { Came::ToTold } else { Came::ToVisible });
                Ok(())
            }
            Ok(()) | Err(Error::Deadlock(_) | Error::SerializationFailure | Error::ConcurrentDelete) => {
                t.rollback()
            }
            Err(e) => {
                t.rollback()?;
                Err(e)
            }
        }
    }

    fn write(&self, t: &mut Transaction, txn: usize) -> Result<(), Error> {
        let writes = thread_rng().gen_range(0..=self.cast.writes);
        let marks_at = thread_rng().gen_range(0..=writes);
        for n in 0..=writes {
            if n == marks_at {
                self.put(t, txn, &self.history.mark(txn))?;
                continue;
            }
            let before = self.history.writes(txn);
            let savepoint = chance(6).then(|| t.savepoint());
            if self.cast.large_one_in > 0 && chance(self.cast.large_one_in) {
                self.put(t, txn, &filler_key(thread_rng().gen_range(0..FILLERS)))?;
            } else {
                self.write_hot(t, txn, &hot_key(thread_rng().gen_range(0..HOT_KEYS)))?;
            }
            if let Some(savepoint) = savepoint {
                t.rollback_to(savepoint)?;
                self.history.rolled_back_to(txn, before);
            }
        }
        Ok(())
    }

    fn write_hot(&self, t: &mut Transaction, txn: usize, key: &[u8]) -> Result<(), Error> {
        if !chance(4) {
            return self.put(t, txn, key);
        }
        t.begin_statement();
        if t.delete(self.tree, key)? == Write::Done {
            self.history.wrote(txn, key, None);
        }
        Ok(())
    }

    fn put(&self, t: &mut Transaction, txn: usize, key: &[u8]) -> Result<(), Error> {
        let (tree, len) = match is_filler(key) {
            true => (self.fillers, FILLER_BYTES),
            false => (self.tree, thread_rng().gen_range(8..1800)),
        };
        let mut value = format!("{txn} ").into_bytes();
        value.resize(len, b'.');
        t.begin_statement();
        t.put(tree, key, &value)?;
        self.history.wrote(txn, key, Some(&value));
        Ok(())
    }

    /// Reads a row, or everything, twice in one snapshot.
    fn read(&self) -> Result<(), Error> {
        let since = self.history.now();
        let isolation = Isolation::RepeatableRead;
        let mut t = self.db.begin(TxnOptions { isolation, ..TxnOptions::default() });
        if chance(2) {
            let key = hot_key(thread_rng().gen_range(0..HOT_KEYS));
            let found = t.get(self.tree, &key)?;
            assert!(t.get(self.tree, &key)? == found, "a snapshot has changed");
            return Ok(());
        }
        let found = rows(&mut t, self.tree)?;
        let not_filler = |key: &[u8]| !is_filler(key);
        let now = self.history.now();
        let there = self.history.check(&found, not_filler, &since, Came::ToVisible, &now, "a reader");
        self.history.told(&there);
        assert!(found == rows(&mut t, self.tree)?, "a snapshot has changed");
        Ok(())
    }

    /// Reads what is not in the pool.
    fn scan(&self) -> Result<(), Error> {
        let mut t = self.db.begin(TxnOptions::default());
        for _ in 0..3 {
            let key = filler_key(thread_rng().gen_range(0..FILLERS));
            let value = t.get(self.fillers, &key)?;
            assert_eq!(value.map(|v| v.len()), Some(FILLER_BYTES), "a row that fills a page");
        }
        Ok(())
    }

    /// A tree comes, grows beyond its first page, and goes; unless something of that is rolled back.
    fn churn(&self) -> Result<(), Error> {
        let mut t = self.db.begin(TxnOptions::default());
        let tree = t.create_tree()?;
        (0..10u8).try_for_each(|key| t.put(tree, &[key], &[key; 1500]))?;
        if chance(3) {
            return t.rollback();
        }
        t.commit()?;
        let mut t = self.db.begin(TxnOptions::default());
        t.drop_tree(tree)?;
        if chance(3) { t.rollback() } else { t.commit().map(drop) }
    }

    /// Whether a call may end so: only where the disk fails.
    fn may_fail(&self, e: &Error) -> bool {
        self.cast.fails && matches!(e, Error::Io { .. } | Error::OutOfSpace { .. } | Error::Poisoned(_))
    }
}

type Work = fn(&Life) -> Result<(), Error>;

fn spawn(life: &Arc<Life>, times: usize, work: Work) -> JoinHandle<()> {
    let life = life.clone();
    thread::spawn(move || {
        for _ in (0..times).take_while(|_| life.goes_on()) {
            if let Err(e) = work(&life) {
                assert!(life.may_fail(&e), "{e}");
            }
        }
    })
}

/// The database as it opens, quietly; and its rows.
fn open(start: &Start, seed: u64) -> (Database, Rows) {
    sync::quietly(|| {
        let db = Database::open_on(Arc::new(start.disk.clone()), options(seed, false)).expect("a start");
        let found = all_rows(&db, start.tree, start.fillers);
        (db, found)
    })
}

fn assert_sound(db: &Database, what: &str) {
    let report = evenkeel_model::check::check_open_database(db, &mut |_| {}).expect("check runs");
    assert!(report.problems.is_empty(), "{what}: {:#?}", report.problems);
}

/// A call to the disk takes its time, and sometimes as long as everybody else has something to do.
fn be_slow(call: &SimCall) {
    if call.kind.is_mutating() && chance(4) {
        sync::yield_now();
    }
    (0..thread_rng().gen_range(1..16)).for_each(|_| point());
}

/// Names of figures, and their sums over all lives.
static FIGURES: Mutex<BTreeMap<&str, u64>> = Mutex::new(BTreeMap::new());

fn count(db: &Database) {
    let s = db.stats();
    let mut figures = FIGURES.lock().unwrap();
    for (name, n) in [
        ("commits", s.commits),
        ("log writes", s.wal_writes),
        ("pages written by rounds", s.buffers_checkpoint),
        ("by the cleaner", s.buffers_clean),
        ("by who needed a frame", s.buffers_backend),
        ("evictions", s.buffer_evictions),
        ("rounds", s.checkpoint_rounds),
        ("rounds that waited for others' writes", s.checkpoint_write_back_waits),
        ("double-write batches", s.double_write_batches),
        ("torn pages repaired", s.torn_pages_repaired),
    ] {
        *figures.entry(name).or_default() += n;
    }
}

/// Prints them.
pub fn show() {
    for (name, n) in &*FIGURES.lock().unwrap() {
        println!("{name}: {n}");
    }
}

/// Has a call fail that changes what the disk holds of this kind of files.
fn fail_once(disk: &SimDisk, kind: &'static str, number: u64) {
    let how = [Fault::Eio, Fault::EioDropped, Fault::Enospc][thread_rng().gen_range(0..3)];
    let mut left = number;
    disk.set_fault(Some(Box::new(move |call| {
        let is_meant = call.kind.is_mutating() && call.path.starts_with(kind);
        left = left.wrapping_sub(u64::from(is_meant));
        if is_meant && left == u64::MAX { how } else { Fault::None }
    })));
}

/// Lets everybody work at a database that was opened, and gives what a power cut left.
fn live(start: &Start, db: Database, history: &Arc<History>, seed: u64, cast: Cast) -> Cut {
    let cut: Arc<Mutex<Option<Cut>>> = Arc::default();
    let (sink, known) = (cut.clone(), history.clone());
    // A call of any file, or of one kind of them: some are rare.
    let kinds = [("", cast.calls), ("wal/", 20), ("data/", 20), ("control", 6)];
    let (kind, calls) = kinds[thread_rng().gen_range(0..if cast.duties[0] > 0 { 4 } else { 2 })];
    let mut left = thread_rng().gen_range(0..calls);
    let mut newest = (Arc::<str>::from(""), 0);
    start.disk.set_hook(Some(Box::new(move |call, disk| {
        let place = (call.path.clone(), call.offset);
        if call.access == Some(Access::Log) && call.offset > 0 {
            *FIGURES.lock().unwrap().entry("log writes that were overtaken").or_default() +=
                u64::from(place < newest);
            newest = place;
        }
        if !call.path.starts_with(kind) {
            return;
        }
        if left == 0 {
            let cut = Cut { disk: disk.crash_copy(seed), at: known.now() };
            sink.lock().unwrap().get_or_insert(cut);
        }
        left = left.wrapping_sub(1);
    })));
    start.disk.set_gate(Some(Arc::new(be_slow)));
    if cast.fails {
        fail_once(&start.disk, kind, thread_rng().gen_range(0..calls));
    }
    let (tree, fillers) = (start.tree, start.fillers);
    let life = Arc::new(Life { db, tree, fillers, cast, history: history.clone(), cut });
    let mut threads = Vec::new();
    let mut take_part = |number: usize, work: Work| {
        threads.extend((0..number).map(|_| spawn(&life, cast.times, work)));
    };
    take_part(cast.sessions, Life::transact);
    take_part(cast.readers, Life::read);
    take_part(cast.scanners, Life::scan);
    take_part(cast.churners, Life::churn);
    take_part(cast.duties[0], |life| life.db.step_round());
    take_part(cast.duties[1], |life| life.db.step_clean().map(drop));
    take_part(cast.duties[2], |life| life.db.step_purge().map(drop));
    take_part(cast.duties[3], |life| life.db.step_log_writer());
    threads.into_iter().for_each(|t| t.join().expect("no thread panicked"));
    start.disk.set_hook(None);
    start.disk.set_gate(None);
    start.disk.set_fault(None);
    sync::quietly(|| {
        let life = Arc::into_inner(life).expect("everybody has gone");
        count(&life.db);
        *FIGURES.lock().unwrap().entry("poisoned").or_default() += u64::from(life.db.poisoned().is_some());
        let taken = life.cut.lock().unwrap().take();
        let cut = taken.unwrap_or_else(|| {
            if life.db.poisoned().is_some() {
                return Cut { disk: start.disk.crash_copy(seed), at: history.now() };
            }
            let now = history.now();
            let found = all_rows(&life.db, tree, fillers);
            history.told(&history.check(&found, |_| true, &now, Came::ToVisible, &now, "at the end"));
            assert_sound(&life.db, "at the end");
            Cut { disk: start.disk.crash_copy(seed), at: history.now() }
        });
        life.db.abandon();
        cut
    })
}

/// A start that redoes the log with its own threads, sessions beside the duties' own loops, a shutdown while they are at work, and another start.
pub fn with_its_own_threads(cast: Cast) {
    let seed = thread_rng().gen_range(0..1 << 32);
    let template = start();
    let mut start = Start { disk: template.disk.kill_copy(), ..template };
    let (db, _) = open(&start, seed);
    let history = Arc::new(History::new(0, std::mem::take(&mut start.rows)));
    let cut = live(&start, db, &history, seed, Cast { fails: false, ..cast });
    start.disk = cut.disk;
    let db = Database::open_on(Arc::new(start.disk.clone()), options(seed, true)).expect("a start");
    let found = all_rows(&db, start.tree, start.fillers);
    history.check(&found, |_| true, &cut.at, Came::ToTold, &cut.at, "after a power cut");
    let history = Arc::new(History::new(1, found));
    if cast.fails {
        fail_once(&start.disk, "", thread_rng().gen_range(0..cast.calls));
    }
    let (tree, fillers) = (start.tree, start.fillers);
    let life = Arc::new(Life { db, tree, fillers, cast, history: history.clone(), cut: Arc::default() });
    let sessions: Vec<_> = (0..cast.sessions).map(|_| spawn(&life, cast.times, Life::transact)).collect();
    sessions.into_iter().for_each(|t| t.join().expect("no thread panicked"));
    let closed = life.db.close();
    assert!(closed.is_ok() || life.db.poisoned().is_some(), "a shutdown: {closed:?}");
    drop(Arc::into_inner(life).expect("everybody has gone"));
    start.disk.set_fault(None);
    let must = if closed.is_ok() { Came::ToVisible } else { Came::ToTold };
    start.disk = start.disk.crash_copy(seed);
    let (db, found) = open(&start, seed);
    let now = history.now();
    history.check(&found, |_| true, &now, must, &now, "after a shutdown");
    sync::quietly(|| {
        assert_sound(&db, "after a shutdown");
        db.abandon();
    });
}

/// A life, a power cut, a second life that begins with the recovery, another cut, and a last look.
pub fn two_lives(cast: Cast) {
    let seed = thread_rng().gen_range(0..1 << 32);
    let template = start();
    let mut start = Start { disk: template.disk.kill_copy(), ..template };
    let (mut db, found) = open(&start, seed);
    assert!(found == start.rows, "a start changed rows");
    for life in 0..2 {
        let history = Arc::new(History::new(life, std::mem::take(&mut start.rows)));
        let cut = live(&start, db, &history, seed, cast);
        start.disk = cut.disk;
        (db, start.rows) = open(&start, seed);
        sync::quietly(|| assert_sound(&db, "after a power cut"));
        history.check(&start.rows, |_| true, &cut.at, Came::ToTold, &cut.at, "after a power cut");
    }
    sync::quietly(|| db.abandon());
}
