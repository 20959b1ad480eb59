//! Definitions of every kind, and changes of rows on them, with the power cut at writes to the disk: what is there afterwards is what the last acknowledged step left, or
//! the one in flight, all of it; indexes, constraints, definitions and trees agree; nothing is left of what was dropped, never committed, or temporary; and the database goes on.
//!
//! `EVENKEEL_DDL_SEED` draws the points and what crashes leave (default 1); `EVENKEEL_DDL_POINTS` is how many points are tried, or `all` (default 30);
//! `EVENKEEL_DDL_CALL` tries one again.

#[path = "support/state.rs"]
mod state;
mod support;

use evenkeel::io::{SimCall, SimDisk, SimOptions};
use evenkeel::{Database, Options};
use evenkeel_sql::Instance;
use state::{GOES_ON, GONE_AGAIN, difference, state, steps};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use support::Client;

/// Points that are tried unless more are asked for.
const POINTS: u64 = 30;

fn options(seed: u64) -> Options {
    Options::default()
        .without_threads()
        .with_seed(seed)
        .with("shared_buffers", ["1MB", "512kB"][(seed / 4 % 2) as usize])
        .and_then(|o| o.with("wal_segment_size", "64kB"))
        .and_then(|o| o.with("wal_buffers", "256kB"))
        .and_then(|o| o.with("checkpoint_partitions", "4"))
        .and_then(|o| {
            o.with("torn_page_protection", ["full_page_writes", "double_write"][(seed % 2) as usize])
        })
        .and_then(|o| o.with("rollback_after_open", ["on", "off"][(seed / 2 % 2) as usize]))
        .expect("valid settings")
}

struct Open {
    db: Database,
    instance: Arc<Instance>,
}

fn open(disk: &SimDisk, seed: u64) -> Open {
    let db = Database::open_on(Arc::new(disk.clone()), options(seed)).expect("database opens");
    let instance = Instance::open(db.clone()).expect("catalog opens");
    Open { db, instance }
}

impl Open {
    fn client(&self) -> Client {
        Client::new(&self.instance, &[])
    }

    /// Waits until what the session was told is durable, as whoever sends its replies does.
    fn send(&self, c: &Client) {
        self.db.wait_durable(c.session.reply().local()).expect("durable");
    }

    fn state(&self) -> String {
        let mut c = self.client();
        state(&mut |sql| c.rows(sql))
    }

    fn assert_sound(&self, what: &str) {
        while self.db.step_rollback(1000).expect("rollback") > 0 {}
        let pages = evenkeel::check::check_open_database(&self.db, &mut |_| {}).expect("check runs");
        assert!(pages.problems.is_empty(), "{what}: {:#?}", pages.problems);
        let mut told = Vec::new();
        evenkeel_sql::check::check_indexes(&self.db, &mut |p| told.push(p.to_string())).expect("check runs");
        assert!(told.is_empty(), "{what}: {told:#?}");
    }
}

fn number(name: &str) -> Option<u64> {
    let v = std::env::var(name).ok()?;
    Some(v.parse().unwrap_or_else(|_| panic!("{name} must be a number, not {v:?}")))
}

/// Called at each call that changes the disk, with its point.
type AtCall = Box<dyn FnMut(&SimCall, &SimDisk, Point) + Send>;

/// How many steps are acknowledged, and which of the calls since then it is. Whoever looks at states between steps reads pages, so later calls have other
/// numbers in a run that does, and a few of them are others.
type Point = (usize, u64);

/// A point as one number.
fn number_of((acknowledged, call): Point) -> u64 {
    acknowledged as u64 * 100_000 + call
}

/// What there is after some of the steps.
type States = BTreeMap<usize, String>;

/// Runs the script on a new disk; the states after those steps that are asked for (0: before the first).
fn run(seed: u64, mut at_call: AtCall, wanted: &BTreeSet<usize>) -> States {
    let disk = SimDisk::new(SimOptions { seed, ..SimOptions::default() });
    let open = open(&disk, seed);
    let mut c = open.client();
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let mut states = States::new();
    open.db.checkpoint().expect("checkpoint");
    let counter = acknowledged.clone();
    let mut point = (0, 0);
    disk.set_hook(Some(Box::new(move |call, disk| {
        let acknowledged = counter.load(Ordering::SeqCst);
        point = (acknowledged, if acknowledged == point.0 { point.1 + 1 } else { 0 });
        at_call(call, disk, point)
    })));
    let mut rng = fastrand::Rng::with_seed(seed);
    for (n, step) in steps().into_iter().enumerate() {
        if wanted.contains(&n) {
            states.insert(n, open.state());
        }
        // Of a longer transaction some of the log and of the pages goes out before its end.
        let parts: Vec<&str> =
            if step.starts_with("begin;") { step.split(";\n").collect() } else { vec![step] };
        for part in parts {
            if let Err(e) = c.simple(part, "") {
                panic!("{step}\n{e:?}");
            }
            match rng.u8(0..4) {
                0 => open.db.step_log_writer().expect("log writer"),
                1 => open.db.step_round().expect("round"),
                _ => {}
            }
        }
        open.send(&c);
        acknowledged.fetch_add(1, Ordering::SeqCst);
        match rng.u8(0..8) {
            0 => open.db.step_round().expect("round"),
            1 => drop(open.db.step_clean().expect("clean")),
            2..=4 => drop(open.db.step_purge().expect("purge")),
            _ => {}
        }
    }
    disk.set_hook(None);
    drop(c);
    states.insert(steps().len(), open.state());
    open.assert_sound("at the end");
    states
}

struct Crash {
    disk: SimDisk,
    call: u64,
    what: String,
    acknowledged: usize,
}

/// Recovers, and looks at what is there.
fn look(crash: &Crash, seed: u64, states: &States) {
    let steps = steps();
    let next = steps.get(crash.acknowledged).copied().unwrap_or("the end");
    let what = format!("seed {seed}, call {}, {}, before the end of: {next}", crash.call, crash.what);
    let own = seed ^ crash.call;
    // Some starts are cut short as well, in recovery or in the sweep of temporary objects.
    let again: Arc<Mutex<Option<SimDisk>>> = Arc::default();
    if own.is_multiple_of(3) {
        let (kept, mut left) = (again.clone(), own / 3 % 40);
        crash.disk.set_hook(Some(Box::new(move |call, disk| {
            if left == 0 && kept.lock().unwrap().is_none() {
                *kept.lock().unwrap() = Some(disk.crash_copy(call.index ^ 77));
            }
            left = left.saturating_sub(1);
        })));
    }
    let after = open(&crash.disk, own);
    crash.disk.set_hook(None);
    looks_right(&after, crash.acknowledged, states, &what);
    if own.is_multiple_of(2) {
        let mut c = after.client();
        for sql in GOES_ON.iter().chain(GONE_AGAIN) {
            if let Err(e) = c.simple(sql, "") {
                panic!("{what}: afterwards: {sql}\n{e:?}");
            }
        }
        drop(c);
        after.assert_sound(&format!("{what}: afterwards"));
        looks_right(&after, crash.acknowledged, states, &format!("{what}: afterwards"));
    }
    drop(after);
    let second = again.lock().unwrap().take();
    if let Some(disk) = second {
        looks_right(&open(&disk, own + 1), crash.acknowledged, states, &format!("{what}; and again"));
    }
}

fn looks_right(after: &Open, acknowledged: usize, states: &States, what: &str) {
    after.assert_sound(what);
    // What goes on in steps may leave an index that is not valid; without it all is as before or as after.
    if steps().get(acknowledged).is_some_and(|s| s.contains("index concurrently")) {
        let mut c = after.client();
        let invalid = "select indexrelid::regclass from pg_index where not indisvalid order by 1";
        for index in c.rows(invalid) {
            c.ok(&format!("drop index {index}"));
        }
    }
    let found = after.state();
    let (before, with) = (&states[&acknowledged], states.get(&(acknowledged + 1)));
    if found != *before && Some(&found) != with {
        let with = with.map_or(String::new(), |w| difference(w, &found));
        panic!("{what}: neither as before it\n{}nor as after it\n{with}", difference(before, &found));
    }
    let left = after.client().rows("select nspname from pg_namespace where nspname like 'pg_temp%'");
    assert!(left.is_empty(), "{what}: temporary objects are left: {left:?}");
}

#[test]
fn every_definition_is_there_or_not_wherever_power_is_cut() {
    let seed = number("EVENKEEL_DDL_SEED").unwrap_or(1);
    println!("EVENKEEL_DDL_SEED={seed}");
    // Once to know the points.
    let points_met: Arc<Mutex<Vec<Point>>> = Arc::default();
    let noted = points_met.clone();
    let note = move |_: &SimCall, _: &SimDisk, point: Point| noted.lock().unwrap().push(point);
    run(seed, Box::new(note), &BTreeSet::new());
    let calls = std::mem::take(&mut *points_met.lock().unwrap());
    let points = match (number("EVENKEEL_DDL_CALL"), std::env::var("EVENKEEL_DDL_POINTS").as_deref()) {
        (Some(_), _) => 1,
        (None, Ok("all")) => calls.len(),
        (None, _) => number("EVENKEEL_DDL_POINTS").unwrap_or(POINTS) as usize,
    };
    let mut drawn = calls.clone();
    match number("EVENKEEL_DDL_CALL") {
        Some(only) => drawn.retain(|point| number_of(*point) == only),
        None => fastrand::Rng::with_seed(seed).shuffle(&mut drawn),
    }
    drawn.truncate(points);
    let drawn: BTreeSet<Point> = drawn.into_iter().collect();
    let wanted: BTreeSet<usize> = drawn.iter().flat_map(|(step, _)| [*step, step + 1]).collect();
    // Again, for what crashes there leave.
    let crashes: Arc<Mutex<Vec<Crash>>> = Arc::default();
    let gathered = crashes.clone();
    let at_call = move |call: &SimCall, disk: &SimDisk, point: Point| {
        if drawn.contains(&point) {
            let (call_number, acknowledged) = (number_of(point), point.0);
            let what = format!("{:?} {}", call.kind, call.path);
            let disk = disk.crash_copy(seed ^ call_number.rotate_left(32));
            gathered.lock().unwrap().push(Crash { disk, call: call_number, what, acknowledged });
        }
    };
    let states = run(seed, Box::new(at_call), &wanted);
    let done = crashes.lock().unwrap().len();
    assert!(done * 10 >= points * 9, "{done} of {points} points were met again");
    std::thread::scope(|s| {
        for _ in 0..2 {
            let (crashes, states) = (crashes.clone(), &states);
            s.spawn(move || {
                loop {
                    let Some(crash) = crashes.lock().unwrap().pop() else { return };
                    let looked = std::panic::AssertUnwindSafe(|| look(&crash, seed, states));
                    if let Err(e) = std::panic::catch_unwind(looked) {
                        eprintln!("rerun with EVENKEEL_DDL_SEED={seed} EVENKEEL_DDL_CALL={}", crash.call);
                        std::panic::resume_unwind(e);
                    }
                }
            });
        }
    });
    println!("{done} of {} points, {} steps", calls.len(), steps().len());
}
