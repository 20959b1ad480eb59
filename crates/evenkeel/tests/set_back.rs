//! A folder behind its own archive: set back to an earlier state it goes on in a timeline of its own, and both histories can be restored; without the end of its log it is not opened as if that
//! had never been.

mod common;

use common::moments::{Load, State, assert_is, commits, restore, to};
use common::{archived, assert_sound, committed, disk, new_tree, open_with};
use evenkeel::archive::{ArchiveStore, MemoryStore, verify};
use evenkeel::io::{Disk, SimDisk};
use evenkeel::recovery::Target;
use evenkeel::restore::RestoreOptions;
use evenkeel::{BackupOptions, Database, Lsn, TreeId, TxnOptions};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A history that has ended: the state at its end, and its timeline.
type Ended = (u32, Arc<State>);

fn restored_is(store: &MemoryStore, timeline: Option<u32>, state: &State, what: &str) {
    let options = RestoreOptions { timeline, ..to(Target::Latest) };
    let (disk, done) = restore(store, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(done.redo.records > 0, "{what}");
    assert_is(&disk, state, what);
}

/// From snapshots of a running and of a closed database, again and again: one of the first timeline, then one of each that follows.
#[test]
fn a_folder_that_was_set_back_goes_on_in_a_timeline_of_its_own() {
    for seed in 60..66 {
        let (mut disk, store) = (disk(seed), MemoryStore::new());
        let mut load = Load::open(&disk, &store, seed, "here", State::new());
        load.run(100);
        load.backup(&BackupOptions::default());
        let mut ended: Vec<Ended> = Vec::new();
        // Each start draws the number of its life by a seed of its own.
        let life = |round: u32, n: u64| seed * 1000 + u64::from(round) * 10 + n;
        for round in 1..4u32 {
            let what = format!("seed {seed}, round {round}");
            load.run(60 + 40 * (seed as u32 % 3));
            let snapshot = if (seed + u64::from(round)).is_multiple_of(2) {
                let points = load.end(true);
                let closed = disk.kill_copy();
                let state = State::clone(&points.last().unwrap().state);
                load = Load::open(&disk, &store, life(round, 0), "here", state.clone());
                (closed, state)
            } else {
                (disk.kill_copy(), load.state.clone())
            };
            // A little of it is beyond the snapshot, within its segment; or a lot, over many.
            load.run(if round == 2 { 4 } else { 200 });
            let points = load.end(true);
            ended.push((round, points.last().unwrap().state.clone()));
            // What the archive has of the history that ended is all there; the folder knows an earlier state.
            let mut state;
            (disk, state) = snapshot;
            // Starts in between that have no archive: what they log is in neither history of the archive.
            let between = (seed + u64::from(round)) % 3;
            for n in 0..between {
                let db = open_with(&disk, common::small(life(round, 2 + n)));
                let tree = *state.keys().next().unwrap();
                for k in 0..40 * n * n {
                    let (key, value) = ([b"between".as_slice(), &[n as u8, k as u8]].concat(), vec![7; 900]);
                    let mut t = db.begin(TxnOptions::default());
                    t.put(tree, &key, &value).unwrap();
                    t.commit().unwrap();
                    state.get_mut(&tree).unwrap().insert(key, value);
                }
                if n == 0 { db.close().unwrap() } else { db.abandon() }
            }
            load = Load::open(&disk, &store, life(round, 1), "here", state);
            load.run(50);
            load.archive();
            let timeline = load.db.archive_stats().unwrap().timeline;
            let is_ahead = points.last().unwrap().lsn > load.points.first().map_or(Lsn::ZERO, |p| p.lsn);
            assert!(timeline == round + 1 || !is_ahead, "{what}: timeline {timeline}");
            assert_eq!(load.db.archive_stats().unwrap().failed, 0, "{what}");
            if between > 0 {
                load.backup(&BackupOptions::default());
            }
        }
        let points = load.end(true);
        ended.push((4, points.last().unwrap().state.clone()));
        let report = verify(&store).unwrap();
        // What was logged without an archive is not there: a backup was taken behind it.
        let gap = |p: &&String| p.contains("which no other timeline reaches");
        let wrong: Vec<_> = report.problems.iter().filter(|p| !gap(p)).collect();
        assert!(wrong.is_empty(), "seed {seed}: {wrong:?}");
        restored_is(&store, None, &ended.last().unwrap().1, &format!("seed {seed}, the newest"));
        for (timeline, state) in &ended {
            restored_is(&store, Some(*timeline), state, &format!("seed {seed}, timeline {timeline}"));
        }
    }
}

/// The files that say so are two; the power fails at each of their writes.
#[test]
fn leaving_a_timeline_survives_a_power_cut() {
    for first in [true, false] {
        let (disk, store) = (disk(7), MemoryStore::new());
        let mut load = Load::open(&disk, &store, 7, "here", State::new());
        load.run(100);
        load.backup(&BackupOptions::default());
        let mut base = (disk.kill_copy(), load.state.clone());
        load.run(150);
        load.end(true);
        if !first {
            // The second timeline is the one to be left.
            let mut again = Load::open(&base.0, &store, 8, "here", base.1);
            again.run(100);
            again.archive();
            base = (base.0.kill_copy(), again.state.clone());
            again.run(150);
            again.end(true);
        }
        let cuts: Arc<Mutex<Vec<SimDisk>>> = Arc::default();
        let seen = cuts.clone();
        let mut load = Load::open(&base.0, &store, 9, "here", base.1.clone());
        base.0.set_hook(Some(Box::new(move |call, disk| {
            if call.path.starts_with("archive") || call.path.starts_with("timeline") || call.path.is_empty() {
                let mut seen = seen.lock().unwrap();
                let n = seen.len() as u64;
                seen.push(disk.crash_copy(n));
            }
        })));
        load.archive();
        base.0.set_hook(None);
        load.end(false);
        let cuts = std::mem::take(&mut *cuts.lock().unwrap());
        assert!(cuts.len() >= 6, "{}", cuts.len());
        for (n, cut) in cuts.iter().enumerate() {
            let what = format!("first {first}, cut {n}");
            let mut load = Load::open(cut, &store, 100 + n as u64, "here", base.1.clone());
            load.run(60);
            load.archive();
            let stats = load.db.archive_stats().unwrap();
            assert_eq!(stats.failed, 0, "{what}: {:?}", stats.last_error);
            let timeline = stats.timeline;
            assert!(timeline > if first { 1 } else { 2 }, "{what}");
            let points = load.end(true);
            restored_is(&store, Some(timeline), &points.last().unwrap().state, &what);
        }
        let report = verify(&store).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
    }
}

/// Where the newest commit ends. What comes is of a later millisecond.
fn newest(load: &Load) -> Lsn {
    std::thread::sleep(Duration::from_millis(5));
    load.points.last().unwrap().lsn
}

/// Of a moment between the fork and the set-back only the timeline that was left has the state: it is not restored from the fork without a word.
#[test]
fn a_moment_that_only_the_timeline_that_was_left_had_is_not_restored_from_the_fork() {
    let (disk, store) = (disk(70), MemoryStore::new());
    let mut load = Load::open(&disk, &store, 70, "here", State::new());
    load.run(100);
    load.backup(&BackupOptions::default());
    load.run(60);
    let common = (newest(&load), load.state.clone());
    load.run(20);
    let (snapshot, at_fork) = (disk.kill_copy(), load.state.clone());
    let idle = newest(&load);
    load.run(200);
    let left = (newest(&load), load.state.clone());
    load.run(60);
    let last = newest(&load);
    let at_end = load.end(true).last().unwrap().state.clone();
    let mut load = Load::open(&snapshot, &store, 71, "here", at_fork.clone());
    load.run(80);
    load.archive();
    let after = (newest(&load), load.state.clone());
    load.run(60);
    load.end(true);
    // A millisecond behind a commit.
    let ms = |timeline, lsn: Lsn| commits(&store, timeline).iter().rfind(|c| c.0 <= lsn).unwrap().1 + 1;
    let (common, left, after) =
        ((ms(1, common.0), common.1), (ms(1, left.0), left.1), (ms(2, after.0), after.1));
    let (idle, back_ms) = (ms(1, idle), ms(1, last));

    let restore_to = |ms: u64, timeline: Option<u32>| {
        restore(&store, &RestoreOptions { timeline, ..to(Target::TimeMs(ms)) })
    };
    let is = |ms: u64, timeline, state: &State, what: &str| {
        assert_is(&restore_to(ms, timeline).unwrap_or_else(|e| panic!("{what}: {e}")).0, state, what);
    };
    is(common.0, None, &common.1, "before the fork");
    is(idle, None, &at_fork, "where they part both have the same");
    is(after.0, None, &after.1, "behind the set-back");
    is(left.0, Some(1), &left.1, "of the timeline that was left");
    is(left.0, Some(2), &at_fork, "of the other one, if it is named");
    restored_is(&store, Some(1), &at_end, "the end of what was left");
    for ms in [left.0, back_ms] {
        let e = restore_to(ms, None).map(drop).unwrap_err().to_string();
        for told in ["timeline 2 began later than that moment", "--timeline 1", "--timeline 2"] {
            assert!(e.contains(told), "{e}");
        }
    }
}

fn put(db: &Database, tree: TreeId, i: u32) {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &i.to_be_bytes(), &[i as u8; 200]).unwrap();
    t.commit().unwrap();
}

/// A killed database of which all but the last few commits is archived, and its log segments.
fn killed(seed: u64, store: &MemoryStore) -> (SimDisk, TreeId, Vec<String>) {
    let disk = disk(seed);
    let db = open_with(&disk, archived(seed, store).with_archive_place("here"));
    let tree = new_tree(&db);
    (0..100).for_each(|i| put(&db, tree, i));
    db.checkpoint().unwrap();
    for i in 100..2000 {
        put(&db, tree, i);
        if i % 50 == 0 {
            while db.step_archive(Duration::from_secs(u64::from(i))).unwrap() > 0 {}
        }
    }
    let killed = disk.kill_copy();
    db.abandon();
    let log = killed.list("wal").unwrap().into_iter().map(|n| format!("wal/{n}")).collect();
    (killed, tree, log)
}

#[test]
fn a_database_whose_logs_end_is_gone_is_not_opened_without_it() {
    for (seed, from) in [(1, 0), (2, 1), (3, 2), (4, 3)] {
        let store = MemoryStore::new();
        let (disk, tree, log) = killed(seed, &store);
        let mut said = None;
        assert!(log.len() > 5, "{log:?}");
        for gone in &log[from..] {
            disk.remove(gone).unwrap();
        }
        for with_archive in [true, false] {
            let options = if with_archive { archived(seed, &store) } else { common::small(seed) }
                .with_archive_place("here");
            let e = Database::open_on(Arc::new(disk.clone()), options).map(drop).unwrap_err().to_string();
            assert!(e.contains("The end of the log is not in the folder"), "seed {seed}: {e}");
            let named =
                if with_archive { "evenkeel restore gets all of that" } else { "No archive_url is set" };
            assert!(e.contains(named), "seed {seed}: {e}");
            assert_eq!(disk.list("wal").unwrap().len(), from, "nothing was changed");
            let place = e.rsplit("--from ").next().unwrap().trim().parse::<Lsn>().unwrap();
            said = Some(place);
        }
        if from < 2 {
            continue; // pages at home are newer than what is left
        }
        evenkeel::give_up_log_on(Arc::new(disk.clone()), said.unwrap()).unwrap();
        let db = open_with(&disk, archived(seed, &store).with_archive_place("here"));
        let left = committed(&db, tree).unwrap().len();
        assert!((100..2000).contains(&left), "{left}");
        assert_sound(&db, "given up");
    }
}

/// In the middle all is fetched: the end is there, and says how far the log went.
#[test]
fn segments_that_are_gone_from_the_middle_of_the_log_come_back_from_the_archive() {
    let store = MemoryStore::new();
    let (disk, tree, log) = killed(5, &store);
    for gone in &log[1..4] {
        disk.remove(gone).unwrap();
    }
    let db = open_with(&disk, archived(6, &store).with_archive_place("here"));
    assert_eq!(committed(&db, tree).unwrap().len(), 2000);
    assert_sound(&db, "healed");
    db.close().unwrap();
}

/// What goes on behind the place where log was given up is another history than what is archived behind it.
#[test]
fn log_that_was_given_up_stays_in_the_archives_old_timeline() {
    let store = MemoryStore::new();
    let (disk, tree, log) = killed(8, &store);
    let victim = &log[log.len() / 2];
    let byte = disk.contents(victim).unwrap()[20_000];
    disk.damage(victim, 20_000, &[byte ^ 8]).unwrap();
    let e = Database::open_on(Arc::new(disk.clone()), common::small(9)).map(drop).unwrap_err().to_string();
    let from: Lsn = e.rsplit("--from ").next().unwrap().trim().parse().unwrap();
    evenkeel::give_up_log_on(Arc::new(disk.clone()), from).unwrap();
    for life in 0..3 {
        let db = open_with(&disk, archived(10 + life, &store).with_archive_place("here"));
        let before = committed(&db, tree).unwrap().len();
        assert!(before < 2000, "{before}");
        (5000..5040).for_each(|i| put(&db, tree, i + 100 * life as u32));
        for n in 0..60 {
            db.step_archive(Duration::from_secs(1000 * n)).unwrap();
        }
        assert_eq!(db.archive_stats().unwrap().timeline, 2, "life {life}");
        assert_eq!(db.archive_stats().unwrap().failed, 0);
        db.abandon();
    }
    assert!(store.list("wal/00000002/").unwrap().len() > 1);
    let report = verify(&store).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}
