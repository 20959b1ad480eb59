//! The archive of a server that was lost: whoever takes over archives the end of its log, which it may have had no time for, and goes on under a timeline of its own.

mod common;

use common::moments::{Load, State, assert_is, restore, to};
use common::pair::{SLOT, pump_up_to, seeds, standby_options};
use common::{committed, disk};
use evenkeel::archive::{MemoryStore, StoreFault, histories, verify};
use evenkeel::io::SimDisk;
use evenkeel::recovery::Target;
use evenkeel::restore::RestoreOptions;
use evenkeel::{BackupOptions, Lsn, Options, Standby};
use std::sync::Arc;

fn options(seed: u64, store: &MemoryStore, place: &str) -> Options {
    let options = standby_options(seed).with("max_wal_size", "256kB").expect("valid");
    options.with_archive_store(Arc::new(store.clone())).with_archive_place(place)
}

fn open(disk: &SimDisk, seed: u64, store: &MemoryStore, place: &str) -> Standby {
    Standby::open_on(Arc::new(disk.clone()), options(seed, store, place)).expect("a standby opens")
}

/// Of a database that was shut down cleanly.
fn copy_of(disk: &SimDisk) -> SimDisk {
    let copy = disk.kill_copy();
    Standby::adopt(&copy).expect("a clean copy is adopted");
    copy
}

/// Takes over, and stops. Gives how often log was missing that the archive lacks.
fn take_over(standby: Standby, state: &State, what: &str) -> u64 {
    let db = standby.promote().expect("promoted");
    for (tree, rows) in state {
        assert_eq!(committed(&db, *tree).unwrap(), *rows, "{what}");
    }
    db.close().expect("close");
    db.archive_stats().expect("it archives").gaps
}

fn run(seed: u64) {
    let what = format!("seed {seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let (home, store) = (disk(seed), MemoryStore::new());
    let mut load = Load::open(&home, &store, seed, "here", State::new());
    load.run(rng.u32(20..60));
    let backup = load.backup(&BackupOptions::default());
    load.run(rng.u32(1..40));
    let mut points = load.end(true);
    let mut copy = copy_of(&home);

    let mut load = Load::open(&home, &store, seed + 1000, "here", (*points.last().unwrap().state).clone());
    load.db.upstream().create_slot(SLOT, true).unwrap();
    let mut standby = open(&copy, seed, &store, "there");
    for n in 0..rng.u64(1..8) {
        load.archives = rng.u8(..4) > 0;
        load.run(rng.u32(1..60));
        let until = if rng.bool() { Lsn::MAX } else { Lsn(standby.received().lsn.0 + rng.u64(..200_000)) };
        pump_up_to(load.db.upstream(), SLOT, &standby, &mut rng, true, until);
        standby.primary_has_archived(load.db.upstream().archive_progress()).unwrap();
        // Its rounds let go of log.
        if rng.bool() {
            standby.close().unwrap_or_else(|e| panic!("{what}: {e}"));
            standby = open(&copy, seed + 100 * n, &store, "there");
        }
    }
    // What follows is lost with the primary, and may be in the archive all the same.
    load.run(rng.u32(..30));
    let received = standby.received().lsn;
    points.extend(load.end(rng.bool()));
    let known: Vec<_> = points.iter().filter(|p| p.lsn <= received).cloned().collect();
    let state = known.last().unwrap().state.clone();
    assert_eq!(take_over(standby, &state, &what), 0, "{what}");

    let mut load = Load::open(&copy, &store, seed + 2000, "there", (*state).clone());
    load.run(rng.u32(1..60));
    if rng.bool() {
        let (state, early) = (load.state.clone(), load.end(false));
        points = early;
        copy = copy.kill_copy();
        load = Load::open(&copy, &store, seed + 3000, "there", state);
        load.run(rng.u32(1..30));
    } else {
        points.clear();
    }
    load.mark();
    points.extend(load.end(true));
    let report = verify(&store).unwrap();
    assert_eq!(report.problems, [""; 0], "{what}");
    let history = histories(&store).unwrap().remove(&2).expect("a second timeline").unwrap();
    assert_eq!((history.parent, Lsn::from(history.switch)), (1, received), "{what}");

    let mut end = (*points.last().unwrap().state).clone();
    let (there, done) = restore(&store, &to(Target::Latest)).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_is(&there, &end, &format!("{what}: the end of timeline 2"));
    assert!(done.plan.timelines.ends_with(&[2]), "{what}");
    // Moments of both: whoever had the log then.
    let before: Vec<_> = known.iter().filter(|p| p.lsn >= backup.end.into()).collect();
    for point in [before.first(), before.last()].into_iter().flatten().copied().chain(points.first()) {
        let options = RestoreOptions { timeline: Some(2), ..to(Target::Lsn(point.lsn)) };
        let (there, _) = restore(&store, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_is(&there, &point.state, &format!("{what}: at {}", point.lsn));
    }

    // And again, with nothing left to replay.
    let third = copy_of(&copy);
    assert_eq!(take_over(open(&third, seed + 5000, &store, "elsewhere"), &end, &what), 0, "{what}");
    let mut load = Load::open(&third, &store, seed + 4000, "elsewhere", end);
    load.run(rng.u32(1..30));
    end = load.state.clone();
    load.end(true);
    assert_eq!(verify(&store).unwrap().problems, [""; 0], "{what}");
    let (there, done) = restore(&store, &to(Target::Latest)).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_is(&there, &end, &format!("{what}: the end of timeline 3"));
    assert!(done.plan.timelines.ends_with(&[3]), "{what}");

    // Back before the first takeover, where timeline 2 alone may have the end of the log, and on from there.
    let Some(point) = before.last() else { return };
    let options = RestoreOptions { timeline: Some(2), ..to(Target::Lsn(point.lsn)) };
    let (there, _) = restore(&store, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
    let mut load = Load::open(&there, &store, seed + 6000, "back", (*point.state).clone());
    load.run(rng.u32(1..30));
    end = load.state.clone();
    load.end(true);
    assert_eq!(verify(&store).unwrap().problems, [""; 0], "{what}");
    let (there, done) = restore(&store, &to(Target::Latest)).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_is(&there, &end, &format!("{what}: the end of timeline 4"));
    assert!(done.plan.timelines.ends_with(&[4]), "{what}");
}

#[test]
fn what_the_archive_lacked_comes_with_whoever_takes_over() {
    // 167: a standby that was restarted met changes of a file that it had removed by then, with the drop still to come.
    (0..seeds(12)).chain([167]).for_each(run);
}

/// The first one that took over was lost before its timeline had a number.
#[test]
fn the_second_to_take_over_goes_on_where_the_archive_ends() {
    let (home, store) = (disk(3), MemoryStore::new());
    let mut load = Load::open(&home, &store, 3, "here", State::new());
    load.run(30);
    load.backup(&BackupOptions::default());
    let points = load.end(true);
    let (first, second) = (copy_of(&home), copy_of(&home));
    let mut load = Load::open(&home, &store, 1003, "here", (*points.last().unwrap().state).clone());
    let mut rng = fastrand::Rng::with_seed(3);
    let (one, two) = (open(&first, 3, &store, "there"), open(&second, 4, &store, "elsewhere"));
    load.run(40);
    for (slot, standby) in [(SLOT, &one), ("c", &two)] {
        load.db.upstream().create_slot(slot, true).unwrap();
        pump_up_to(load.db.upstream(), slot, standby, &mut rng, true, Lsn::MAX);
        standby.primary_has_archived(load.db.upstream().archive_progress()).unwrap();
    }
    let state = load.state.clone();
    load.end(false);
    store.set_faults(Some(Box::new(|_, _| StoreFault::Fail)));
    let db = one.promote().unwrap();
    let progress = db.upstream().archive_progress();
    assert_eq!(progress.map(|p| p.timeline), Some(1));
    db.upstream().create_slot("c", true).unwrap();
    pump_up_to(db.upstream(), "c", &two, &mut rng, true, Lsn::MAX);
    two.primary_has_archived(progress).unwrap();
    drop(db);
    store.set_faults(None);
    assert_eq!(take_over(two, &state, "the second"), 0);
    let mut load = Load::open(&second, &store, 2003, "elsewhere", state);
    load.run(20);
    let end = load.state.clone();
    load.end(true);
    assert_eq!(verify(&store).unwrap().problems, [""; 0]);
    let (there, done) = restore(&store, &to(Target::Latest)).unwrap();
    assert_is(&there, &end, "the end of timeline 2");
    assert!(done.plan.timelines.ends_with(&[2]));
}

/// The archive was away for longer than log is kept for it.
#[test]
fn log_that_was_not_kept_is_a_gap_and_the_archive_goes_on_behind_it() {
    let (home, store) = (disk(1), MemoryStore::new());
    let mut load = Load::open(&home, &store, 1, "here", State::new());
    load.run(20);
    let points = load.end(true);
    let copy = copy_of(&home);
    let mut load = Load::open(&home, &store, 1001, "here", (*points.last().unwrap().state).clone());
    load.db.upstream().create_slot(SLOT, true).unwrap();
    load.archives = false;
    let mut rng = fastrand::Rng::with_seed(1);
    for n in 0..6 {
        let kept = options(100 * n, &store, "there").with("max_slot_wal_keep_size", "64kB").unwrap();
        let standby = Standby::open_on(Arc::new(copy.clone()), kept).unwrap();
        load.run(80);
        pump_up_to(load.db.upstream(), SLOT, &standby, &mut rng, true, Lsn::MAX);
        standby.primary_has_archived(load.db.upstream().archive_progress()).unwrap();
        standby.close().unwrap();
    }
    let state = load.state.clone();
    load.end(false);
    assert_eq!(take_over(open(&copy, 7, &store, "there"), &state, "with a gap"), 1);
    let mut load = Load::open(&copy, &store, 2001, "there", state);
    let backup = load.backup(&BackupOptions::default());
    load.run(20);
    let end = load.state.clone();
    load.end(true);
    let (there, done) = restore(&store, &to(Target::Latest)).unwrap();
    assert_eq!(done.plan.backup, backup.id);
    assert_is(&there, &end, "behind the gap");
}
