//! Restore to any moment: the state is the model's at that moment, whatever the moment, the backup and the timeline; and an archive that cannot give it says what it can.

mod common;

use common::moments::{GEOMETRY, Load, Point, State, assert_is, commits, restore, to};
use common::{assert_sound, disk, small};
use evenkeel::archive::{
    ArchiveStore, Keep, Manifest, MemoryStore, StoreError, StoreFault, Unwanted, Version, backup_folder,
    inspect, object_name, plan_removal, remove, unpack, verify,
};
use evenkeel::base::TxnId;
use evenkeel::io::{CrashPolicy, SimDisk};
use evenkeel::recovery::Target;
use evenkeel::restore::{self as restoring, RestoreOptions, restore_on};
use evenkeel::wal::segment::{self, Header};
use evenkeel::{BackupOptions, BackupProgress, Database, Lsn, TxnOptions, Which};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An archive with a history: three backups under load, the last two laid upon those before, and log before, between and behind them.
struct Past {
    store: MemoryStore,
    points: Vec<Point>,
    backups: Vec<Manifest>,
    disk: SimDisk,
}

fn past(seed: u64) -> Past {
    past_of(seed, 120, 3)
}

fn past_of(seed: u64, steps: u32, backups: usize) -> Past {
    let (disk, store) = (disk(seed), MemoryStore::new());
    let mut load = Load::open(&disk, &store, seed, "here", State::new());
    load.run(steps);
    let mut made: Vec<Manifest> = Vec::new();
    for n in 0..backups {
        let incremental = made.last().map(|m| Which::Id(m.id.clone())).filter(|_| n > 0);
        made.push(load.backup(&BackupOptions { incremental, ..BackupOptions::default() }));
        load.run(steps);
    }
    let points = load.end(true);
    Past { store, points, backups: made, disk }
}

impl Past {
    /// Moments that can be restored.
    fn reachable(&self) -> Vec<&Point> {
        let first = Lsn::from(self.backups[0].end);
        self.points.iter().filter(|p| p.lsn >= first).collect()
    }

    fn last(&self) -> &Point {
        self.points.last().unwrap()
    }
}

#[test]
fn the_end_of_the_log_is_restored() {
    let past = past(1);
    let (disk, done) = restore(&past.store, &to(Target::Latest)).unwrap();
    assert_eq!(done.plan.backup, past.backups[2].id, "the newest backup");
    assert_eq!(done.plan.chain.len(), 3);
    assert!(done.reached.lsn >= past.last().lsn && done.redo.records > 0 && done.fetched_bytes > 0);
    assert_is(&disk, &past.last().state, "the end");
}

#[test]
fn twenty_random_moments_are_restored() {
    let seeds: u64 = std::env::var("EVENKEEL_RESTORE_SEEDS").map_or(2, |v| v.parse().unwrap());
    for seed in 10..10 + seeds {
        let past = past(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let reachable = past.reachable();
        let times = commits(&past.store, 1);
        for n in 0..20 {
            let point = reachable[rng.usize(..reachable.len())];
            let (target, state) = match n % 4 {
                0 => (Target::Lsn(point.lsn), &point.state),
                1 => match (&point.name, point.txid) {
                    (Some(name), _) => (Target::Name(name.clone()), &point.state),
                    (None, Some(id)) => (Target::Txn(TxnId(id)), &point.state),
                    (None, None) => continue,
                },
                // In the middle of a record: the one before is the last.
                2 => (Target::Lsn(Lsn(point.lsn.0 + 1)), &point.state),
                _ => {
                    let Some((ms, state)) = time_target(&past, &times, point) else { continue };
                    (Target::TimeMs(ms), state)
                }
            };
            let what = format!("seed {seed}, {target:?}");
            let (disk, done) =
                restore(&past.store, &to(target.clone())).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(Lsn::from(past.backups[0].end) <= done.reached.lsn, "{what}");
            // Where the new timeline begins: behind the last record that was redone, and no further.
            match target {
                Target::TimeMs(ms) => {
                    let later = times.iter().find(|(end, t)| *t > ms && *end > past.backups[0].end.into());
                    assert!(done.reached.lsn < later.expect("one is later").0, "{what}");
                }
                _ => assert_eq!(done.reached.lsn, point.lsn, "{what}"),
            }
            assert_is(&disk, state, &what);
        }
    }
}

/// The time of a commit near the point, and the state before the first commit that is later than that.
fn time_target<'p>(past: &'p Past, times: &[(Lsn, u64)], point: &Point) -> Option<(u64, &'p Arc<State>)> {
    let (_, ms) = times.iter().find(|(end, _)| *end >= point.lsn)?;
    let first_end = past.backups[0].ended_ms;
    let later = times.iter().find(|(end, t)| t > ms && *end > past.backups[0].end.into())?;
    let last = past.points.iter().rfind(|p| p.lsn < later.0)?;
    (*ms >= first_end).then_some((*ms, &last.state))
}

#[test]
fn any_backup_before_the_moment_will_do() {
    let past = past(2);
    let point = past.last();
    for m in &past.backups {
        let options = RestoreOptions { backup: Some(m.id.clone()), ..to(Target::Lsn(point.lsn)) };
        let (disk, done) = restore(&past.store, &options).unwrap();
        assert_eq!(done.plan.backup, m.id);
        assert_is(&disk, &point.state, &m.id);
    }
    // Without a backup named, the newest that ends before the moment is taken.
    let between = past.points.iter().rfind(|p| p.lsn < past.backups[1].end.into()).unwrap();
    let plan = restoring::plan(Arc::new(past.store.clone()), &to(Target::Lsn(between.lsn))).unwrap();
    assert_eq!(plan.backup, past.backups[0].id);
}

#[test]
fn the_end_of_a_backup_is_the_first_moment_that_it_gives() {
    let past = past(13);
    for m in &past.backups {
        let end = Lsn::from(m.end);
        let point = past.points.iter().rfind(|p| p.lsn <= end).unwrap();
        let (disk, done) = restore(&past.store, &to(Target::Lsn(end))).unwrap();
        assert_eq!((&done.plan.backup, done.reached.lsn), (&m.id, end));
        assert_is(&disk, &point.state, &m.id);
        let plan = restoring::plan(Arc::new(past.store.clone()), &to(Target::TimeMs(m.ended_ms))).unwrap();
        assert_eq!(plan.backup, m.id, "it had ended by then");
    }
}

/// The clock says that a backup had ended by a time, the log that a commit before the backup's end is later: its pages do not fit together there.
#[test]
fn a_time_before_the_end_of_the_backup_in_the_log_is_refused_whatever_the_clock_said() {
    // On a fast machine they may all fall into one millisecond.
    let found = (14..60).find_map(|seed| {
        let past = past(seed);
        let m = past.backups[2].clone();
        let times = commits(&past.store, 1);
        // The last that differs from those before it: replay stops there, behind the begin of the backup.
        let during: Vec<_> =
            times.iter().filter(|(end, _)| (m.start.into()..m.end.into()).contains(end)).collect();
        let ms = during.windows(2).rfind(|w| w[0].1 < w[1].1)?[0].1;
        Some((past, m, ms))
    });
    let (past, m, ms) = found.expect("commits beside the backup, a millisecond apart");
    let set_back = Manifest { ended_ms: ms, ..m.clone() };
    past.store.overwrite(&format!("{}manifest.json", backup_folder(&m.id)), set_back.encode());
    let e = restore(&past.store, &to(Target::TimeMs(ms))).unwrap_err().to_string();
    assert!(e.contains(&m.id) && e.contains("clock may have been set back"), "{e}");
    let options = RestoreOptions { backup: Some(past.backups[0].id.clone()), ..to(Target::TimeMs(ms)) };
    restore(&past.store, &options).unwrap();
}

#[test]
fn moments_that_cannot_be_reached_are_refused_before_anything_is_written() {
    let past = past(3);
    let refused = |options: &RestoreOptions| {
        let disk = disk(9);
        let e =
            restore_on(Arc::new(past.store.clone()), Arc::new(disk.clone()), options, &|_| {}).unwrap_err();
        assert!(disk.contents("restoring").is_err(), "nothing is written");
        e.to_string()
    };
    let before = Lsn(Lsn::from(past.backups[0].end).0 - 1);
    let e = refused(&to(Target::Lsn(before)));
    assert!(e.contains("the oldest backup") && e.contains(&past.backups[0].id), "{e}");
    let e = refused(&to(Target::TimeMs(past.backups[0].ended_ms - 1)));
    assert!(e.contains("only later moments can be reached"), "{e}");
    let e = refused(&to(Target::Lsn(Lsn(past.last().lsn.0 + 100_000_000))));
    assert!(e.contains("is not in the archive") && e.contains("the last commit at"), "{e}");
    let e = refused(&to(Target::TimeMs(u64::MAX / 2)));
    assert!(e.contains("no commit later than") && e.contains("the log ends at"), "{e}");
    let last_ms = commits(&past.store, 1).last().unwrap().1;
    let e = refused(&to(Target::TimeMs(last_ms)));
    assert!(e.contains("no commit later than"), "others of that millisecond may have followed: {e}");
    let e = refused(&to(Target::Name("nobody put this".into())));
    assert!(e.contains("no restore point \"nobody put this\""), "{e}");
    let e = refused(&to(Target::Txn(TxnId(1 << 40))));
    assert!(e.contains("no commit of transaction"), "{e}");
    let e = refused(&RestoreOptions { backup: Some("none".into()), ..to(Target::Latest) });
    assert!(e.contains("no backup \"none\""), "{e}");
    let e = refused(&RestoreOptions { timeline: Some(7), ..to(Target::Latest) });
    assert!(e.contains("no log of timeline 7"), "{e}");
    let e = restore(&MemoryStore::new(), &to(Target::Latest)).unwrap_err().to_string();
    assert!(e.contains("there is no log in the archive"), "{e}");
}

#[test]
fn a_folder_that_is_not_empty_is_refused() {
    let past = past_of(4, 40, 1);
    let store = || Arc::new(past.store.clone());
    let e = restore_on(store(), Arc::new(past.disk.kill_copy()), &to(Target::Latest), &|_| {}).unwrap_err();
    assert!(e.to_string().contains("not empty"), "{e}");
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("somebody's")).unwrap();
    let e = restoring::restore(store(), dir.path(), &to(Target::Latest), &|_| {}).unwrap_err();
    assert!(e.to_string().contains("somebody's"), "{e}");
    let into = dir.path().join("new");
    restoring::restore(store(), &into, &to(Target::Latest), &|_| {}).unwrap();
    let db = Database::open(&into, small(5)).unwrap();
    assert_sound(&db, "in a folder");
}

#[test]
fn missing_and_damaged_segments_are_named_with_the_last_moment_that_can_be_reached() {
    let past = past(5);
    let geometry = common::moments::GEOMETRY;
    let end = Lsn::from(past.backups[2].end);
    let segment = geometry.segment_of(end) + 2;
    let name = object_name(1, segment);
    assert!(past.store.get(&name).unwrap().is_some(), "long enough a log");
    type Spoiler = fn(&MemoryStore, &str);
    let spoilers: [(&str, Spoiler); 2] = [
        ("missing", |s, n| s.delete(n).unwrap()),
        ("damaged", |s, n| {
            let mut bytes = s.get(n).unwrap().unwrap().0;
            let at = bytes.len() / 2;
            bytes[at] ^= 0x10;
            s.overwrite(n, bytes);
        }),
    ];
    for (what, spoil) in spoilers {
        let store = past.store.copy();
        spoil(&store, &name);
        assert!(!verify(&store).unwrap().problems.is_empty(), "{what}");
        let e = restore(&store, &to(Target::Latest)).unwrap_err().to_string();
        assert!(e.contains(&name) && e.contains("last moment that can be reached"), "{what}: {e}");
        // That moment is restored.
        let lsn: Lsn = e.split("--to-lsn ").nth(1).unwrap().trim().parse().unwrap();
        let point = past.points.iter().rfind(|p| p.lsn <= lsn).unwrap();
        let (disk, _) = restore(&store, &to(Target::Lsn(lsn))).unwrap();
        assert_is(&disk, &point.state, what);
        let e = restore(&store, &to(Target::Lsn(past.last().lsn))).unwrap_err().to_string();
        assert!(e.contains(&name), "{what}: {e}");
    }
}

/// The last segment of a life is missing, not left out: the life behind it says that there was log in it.
#[test]
fn a_segment_that_is_missing_between_two_lives_is_a_gap() {
    let (one, store) = (disk(17), MemoryStore::new());
    let mut load = Load::open(&one, &store, 17, "here", State::new());
    load.run(60);
    load.backup(&BackupOptions::default());
    load.run(60);
    let state = load.state.clone();
    let before = load.end(true);
    let mut load = Load::open(&one, &store, 18, "here", state);
    load.run(60);
    (0..60).for_each(|_| load.archive());
    load.end(true);
    restore(&store, &to(Target::Latest)).unwrap();
    let last = GEOMETRY.segment_of(before.last().unwrap().lsn);
    let begins_life = |n| {
        let (bytes, _) = store.get(&object_name(1, n)).unwrap().unwrap();
        unpack(&bytes).unwrap().0.header.begins_life()
    };
    let next = (last..last + 3).find(|n| begins_life(*n)).expect("a life behind it");
    let name = object_name(1, next - 1);
    store.delete(&name).unwrap();
    let e = restore(&store, &to(Target::Latest)).unwrap_err().to_string();
    assert!(e.contains(&format!("\"{name}\" is missing")) && e.contains("can be reached"), "{e}");
}

#[test]
fn damaged_backups_are_refused_with_the_name_of_the_object() {
    let past = past(6);
    // Of the newest backup: of those that it is laid upon, not all are needed, as files may have gone since.
    let newest = backup_folder(&past.backups.last().unwrap().id);
    let chunks: Vec<String> =
        past.store.list(&newest).unwrap().into_iter().filter(|n| n.ends_with(".pages")).collect();
    for name in chunks.iter().step_by(chunks.len() / 6 + 1) {
        let store = past.store.copy();
        let mut bytes = store.get(name).unwrap().unwrap().0;
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        store.overwrite(name, bytes);
        let e = restore(&store, &to(Target::Latest)).unwrap_err().to_string();
        // The one before it gives the same, if it is not laid upon what is damaged.
        let before = format!("--backup {}", past.backups[past.backups.len() - 2].id);
        assert!(e.contains(name.as_str()) && e.contains(&before), "{e}");
        store.delete(name).unwrap();
        let e = restore(&store, &to(Target::Latest)).unwrap_err().to_string();
        assert!(e.contains(name.as_str()) && e.contains("missing") && e.contains(&before), "{e}");
    }
}

#[test]
fn a_plan_says_what_a_restore_does() {
    let past = past(7);
    let plan = restoring::plan(Arc::new(past.store.clone()), &to(Target::Latest)).unwrap();
    let (_, done) = restore(&past.store, &to(Target::Latest)).unwrap();
    assert_eq!((plan.backup, plan.chain, plan.end), (done.plan.backup, done.plan.chain, done.plan.end));
    assert_eq!(plan.end.lsn, done.reached.lsn);
    assert_eq!(plan.end.commit_ms, done.reached.commit_ms);
    assert!(plan.chunk_bytes + plan.segment_bytes <= done.fetched_bytes);
}

/// Restores until it works, on what a crash at every n-th call of the disk has left.
#[test]
fn a_restore_that_is_cut_short_begins_anew() {
    let past = past_of(8, 60, 2);
    let disk = disk(8);
    let stride: u64 = std::env::var("EVENKEEL_RESTORE_STRIDE").map_or(23, |v| v.parse().unwrap());
    let (calls, store) = (Arc::new(AtomicU64::new(0)), past.store.clone());
    let state = past.last().state.clone();
    let (counted, checked) = (calls.clone(), Arc::new(AtomicU64::new(0)));
    let seen = checked.clone();
    disk.set_hook(Some(Box::new(move |call, disk| {
        if !counted.fetch_add(1, Ordering::Relaxed).is_multiple_of(stride) {
            return;
        }
        let what = format!("crash at call {} ({:?} {})", call.index, call.kind, call.path);
        let check = |copy: SimDisk| {
            let begun = copy.contents("restoring").is_ok();
            if begun {
                let e = Database::open_on(Arc::new(copy.kill_copy()), small(1)).map(drop).unwrap_err();
                assert!(e.to_string().contains("Run evenkeel restore"), "{what}: {e}");
            }
            // The marker goes last: without it there is nothing yet, or everything.
            let done = copy.contents("control").is_ok() && !begun;
            if !done {
                let again =
                    restore_on(Arc::new(store.clone()), Arc::new(copy.clone()), &to(Target::Latest), &|_| {});
                again.unwrap_or_else(|e| panic!("{what}: {e}"));
            }
            assert_is(&copy, &state, &what);
        };
        let copies = [disk.crash_copy(call.index), disk.kill_copy()];
        let all = || copies.into_iter().for_each(check);
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(all)).is_err() {
            eprintln!("failed at {what}");
            std::process::exit(101);
        }
        seen.fetch_add(1, Ordering::Relaxed);
    })));
    restore_on(Arc::new(past.store.clone()), Arc::new(disk.clone()), &to(Target::Latest), &|_| {}).unwrap();
    disk.set_hook(None);
    assert!(checked.load(Ordering::Relaxed) >= 5, "{}", calls.load(Ordering::Relaxed));
    assert_is(&disk, &past.last().state, "undisturbed");
}

/// A call that fails is no end of the log, and no damage: nothing shorter is restored, and nobody is told to be content with less.
#[test]
fn a_single_call_that_fails_is_an_error_of_the_store() {
    let past = past_of(12, 60, 2);
    for fails in (0..).step_by(2) {
        let failed = Arc::new(AtomicU64::new(0));
        let (seen, mut n) = (failed.clone(), 0);
        past.store.set_faults(Some(Box::new(move |_, _| {
            n += 1;
            if n - 1 != fails {
                return StoreFault::None;
            }
            seen.fetch_add(1, Ordering::Relaxed);
            StoreFault::Fail
        })));
        let target = [Target::Latest, Target::Lsn(past.last().lsn)][fails as usize / 2 % 2].clone();
        let done = restore(&past.store, &to(target));
        past.store.set_faults(None);
        match done {
            Ok((disk, _)) => {
                assert_is(&disk, &past.last().state, &format!("call {fails}"));
                // Fetched ahead, and of no use to a target before it.
                if failed.load(Ordering::Relaxed) == 0 {
                    assert!(fails > 20);
                    break;
                }
            }
            Err(e) => {
                let e = e.to_string();
                assert!(e.contains("simulated") && !e.contains("can be reached"), "call {fails}: {e}");
            }
        }
    }
}

/// A page that is newer in the pool than at home when it is copied, and goes home before the next backup, which leaves it out: the copy must be that of the
/// pool, as neither the pages of the second backup nor the log behind it have the change.
#[test]
fn a_page_that_is_newer_in_the_pool_is_copied_from_there() {
    let (first, store) = (disk(19), MemoryStore::new());
    let mut load = Load::open(&first, &store, 19, "here", State::new());
    load.run(40);
    load.db.checkpoint().unwrap();
    let tree = *load.state.keys().next().unwrap();
    let mut t = load.db.begin(TxnOptions::default());
    t.put(tree, b"new", b"in the pool").unwrap();
    t.commit().unwrap();
    load.state.get_mut(&tree).unwrap().insert(b"new".to_vec(), b"in the pool".to_vec());
    let goes_on = &mut |_: &BackupProgress| ControlFlow::Continue(());
    let parent = load.db.backup(&BackupOptions::default(), goes_on).unwrap();
    load.db.checkpoint().unwrap();
    let incremental = BackupOptions { incremental: Some(Which::Id(parent.id)), ..BackupOptions::default() };
    load.db.backup(&incremental, goes_on).unwrap();
    load.mark();
    let point = load.end(true).pop().unwrap();
    let (disk, done) = restore(&store, &to(Target::Latest)).unwrap();
    assert_eq!(done.plan.chain.len(), 2);
    assert_is(&disk, &point.state, "from both");
}

/// Files that the log behind the backup does not change are as durable as the others: a power cut right after the restore takes nothing.
#[test]
fn what_was_restored_is_durable() {
    let (first, store) = (disk(16), MemoryStore::new());
    let mut load = Load::open(&first, &store, 16, "here", State::new());
    load.run(150);
    load.db.checkpoint().unwrap();
    load.backup(&BackupOptions::default());
    let points = load.end(true);
    for target in [Target::Latest, Target::Lsn(points.last().unwrap().lsn)] {
        let Ok((disk, _)) = restore(&store, &to(target.clone())) else {
            panic!("{target:?}");
        };
        let cut = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
        assert_is(&cut, &points.last().unwrap().state, "after a power cut");
    }
}

#[test]
fn a_store_that_fails_ends_the_restore_and_the_next_begins_anew() {
    let past = past_of(9, 60, 2);
    let disk = disk(9);
    for fails_at in (0..).step_by(5) {
        let mut n = 0;
        past.store.set_faults(Some(Box::new(move |_, _| {
            n += 1;
            if n > fails_at { StoreFault::Fail } else { StoreFault::None }
        })));
        let options = RestoreOptions { workers: 0, ..to(Target::Latest) };
        let done = restore_on(Arc::new(past.store.clone()), Arc::new(disk.clone()), &options, &|_| {});
        past.store.set_faults(None);
        match done {
            Ok(_) => {
                assert!(fails_at > 10);
                break;
            }
            Err(e) => assert!(e.to_string().contains("simulated"), "{e}"),
        }
    }
    assert_is(&disk, &past.last().state, "at last");
}

#[test]
fn a_restored_database_archives_to_a_timeline_of_its_own() {
    let past = past(20);
    let middle = past.reachable()[past.reachable().len() / 2].clone();
    let (disk, done) = restore(&past.store, &to(Target::Lsn(middle.lsn))).unwrap();
    let names = past.store.list("wal/00000001/").unwrap();
    let before: Vec<_> = names.iter().map(|n| past.store.get(n).unwrap().unwrap().0).collect();

    let mut two = Load::open(&disk, &past.store, 21, "elsewhere", (*middle.state).clone());
    two.run(150);
    two.backup(&BackupOptions::default());
    two.run(60);
    let points_two = two.end(true);
    let report = verify(&past.store).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert!(report.stretches.iter().any(|s| s.timeline == 2));
    // What was there is as it was.
    for (name, bytes) in names.iter().zip(&before) {
        assert_eq!(past.store.get(name).unwrap().unwrap().0, *bytes, "{name}");
    }

    // The newest timeline is what is restored if none is named, from either side of the switch.
    let (end, _) = restore(&past.store, &to(Target::Latest)).unwrap();
    assert_is(&end, &points_two.last().unwrap().state, "the end of timeline 2");
    let across = points_two.iter().find(|p| p.lsn > done.reached.lsn).unwrap();
    let options = RestoreOptions { backup: Some(past.backups[0].id.clone()), ..to(Target::Lsn(across.lsn)) };
    let (disk_across, crossed) = restore(&past.store, &options).unwrap();
    assert_eq!(crossed.plan.timelines, [1, 2]);
    assert_is(&disk_across, &across.state, "from a backup of timeline 1 to a moment on timeline 2");

    // A third, from the second; and back to the first.
    let mut three = Load::open(&disk_across, &past.store, 22, "third", (*across.state).clone());
    three.run(120);
    let points_three = three.end(true);
    let report = verify(&past.store).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    let options = RestoreOptions { timeline: Some(3), ..to(Target::Latest) };
    let (end, _) = restore(&past.store, &options).unwrap();
    assert_is(&end, &points_three.last().unwrap().state, "the end of timeline 3");
    let options = RestoreOptions { timeline: Some(1), ..to(Target::Latest) };
    let (end, _) = restore(&past.store, &options).unwrap();
    assert_is(&end, &past.last().state, "the end of timeline 1");
    let options = RestoreOptions { timeline: Some(2), ..to(Target::Latest) };
    let (end, _) = restore(&past.store, &options).unwrap();
    assert_is(&end, &points_two.last().unwrap().state, "the end of timeline 2, although it was left");
    // What is not in the history that is followed may be in another: the error says so.
    let e = restore(&past.store, &to(Target::Txn(TxnId(1 << 40)))).unwrap_err().to_string();
    assert!(
        e.contains("no commit of transaction") && e.contains("timeline 3") && e.contains("one: 1, 2"),
        "{e}"
    );
    let named = RestoreOptions { timeline: Some(3), ..to(Target::Txn(TxnId(1 << 40))) };
    let e = restore(&past.store, &named).unwrap_err().to_string();
    assert!(e.contains("no commit of transaction") && !e.contains("--timeline"), "{e}");
    // Retention has no use for the log of timeline 1 any more; what goes on from it is whole all the same.
    let keep = Unwanted::AllBut(Keep { last: 1, for_ms: None });
    let plan = plan_removal(&past.store, &keep, u64::MAX).unwrap();
    let of_one = plan.log.iter().filter(|name| name.starts_with("wal/00000001/")).count();
    assert!(of_one > 3, "{plan:?}");
    // Cut short behind the switch, and whole.
    let behind = object_name(1, GEOMETRY.segment_of(done.reached.lsn) + 1);
    let mut oldest = plan.clone();
    oldest.log.retain(|name| *name < behind);
    for plan in [oldest, plan] {
        remove(&past.store, &plan, &mut |_| {}).unwrap();
        let report = verify(&past.store).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
    }
    let options = RestoreOptions { timeline: Some(2), ..to(Target::Latest) };
    let (end, _) = restore(&past.store, &options).unwrap();
    assert_is(&end, &points_two.last().unwrap().state, "timeline 2, whose backup was kept");
}

/// Rolling back takes more log than a restored database may have: it is kept all the same until it is archived, or its timeline would begin with a hole.
#[test]
fn what_the_restore_itself_logs_is_archived() {
    let (first, store) = (disk(25), MemoryStore::new());
    let mut load = Load::open(&first, &store, 25, "here", State::new());
    load.db.set_setting("archive_timeout", "1s").unwrap();
    load.run(60);
    let tree = *load.state.keys().next().unwrap();
    load.backup(&BackupOptions::default());
    let mut large = load.db.begin(TxnOptions::default());
    for n in 0..12_000u32 {
        large.put(tree, &[&[0xFE], &n.to_be_bytes()[..]].concat(), b"").unwrap();
        if n % 500 == 0 {
            load.archive();
        }
    }
    load.mark();
    (0..40).for_each(|_| load.archive());
    std::mem::forget(large); // it never ends
    let point = load.end(false).pop().unwrap();
    let settings = small(26).with("max_wal_size", "256kB").unwrap();
    let target = Target::Name(point.name.clone().unwrap());
    let (disk, done) = restore(&store, &RestoreOptions { settings, ..to(target) }).unwrap();
    assert_eq!(done.reached.lsn, point.lsn);
    let new = segment::list(&disk).unwrap();
    // All that the new life logged, and more than the settings allow.
    let begin = GEOMETRY.segment_of(done.reached.lsn) + 1;
    assert!(new.iter().copied().eq(begin..begin + new.len() as u64) && new.len() > 5, "{begin}: {new:?}");
    assert_is(&disk, &point.state, "restored");
    let mut two = Load::open(&disk, &store, 27, "there", (*point.state).clone());
    two.run(20);
    (0..80).for_each(|_| two.archive());
    let points = two.end(true);
    let report = verify(&store).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    let (end, _) = restore(&store, &to(Target::Latest)).unwrap();
    assert_is(&end, &points.last().unwrap().state, "the end of timeline 2");
}

#[test]
fn the_first_database_archives_on_beside_the_restored_one() {
    let (disk, store) = (disk(30), MemoryStore::new());
    let mut one = Load::open(&disk, &store, 30, "here", State::new());
    one.run(80);
    one.backup(&BackupOptions::default());
    one.run(80);
    for _ in 0..20 {
        one.archive();
    }
    let (disk_two, restored) = restore(&store, &to(Target::Latest)).unwrap();
    let state = one.points.iter().rfind(|p| p.lsn <= restored.reached.lsn).unwrap().state.clone();
    let mut two = Load::open(&disk_two, &store, 31, "there", (*state).clone());
    for _ in 0..8 {
        one.run(20);
        two.run(20);
    }
    // A second writer to the new timeline is refused.
    let copy = common::archived(32, &store).with_archive_place("a copy");
    let copy = Database::open_on(Arc::new(disk_two.kill_copy()), copy).unwrap();
    let refused = (1..40).find_map(|n| copy.step_archive(Duration::from_secs(n * 1000)).err());
    let e = refused.expect("refused").to_string();
    assert!(e.contains("a copy of this database") && e.contains("there"), "{e}");
    copy.abandon();
    let (one, two) = (one.end(true), two.end(true));
    let report = verify(&store).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    for (timeline, points) in [(1, one.clone()), (2, two)] {
        let options = RestoreOptions { timeline: Some(timeline), ..to(Target::Latest) };
        let (end, _) = restore(&store, &options).unwrap();
        assert_is(&end, &points.last().unwrap().state, &format!("timeline {timeline}"));
    }
    // Which of the two is meant is not guessed; of a moment before they parted it does not matter.
    let fork = restored.reached.lsn;
    let of_one = one.iter().rfind(|p| p.lsn > fork && p.name.is_some()).unwrap();
    let named = Target::Name(of_one.name.clone().unwrap());
    let now = Target::TimeMs(u64::MAX / 2);
    for target in [Target::Latest, Target::Lsn(Lsn(fork.0 + 1)), named, now] {
        let e = restore(&store, &to(target.clone())).unwrap_err().to_string();
        let both = e.contains("timeline 1, up to") && e.contains("its last commit at");
        assert!(both && e.contains("--timeline"), "{target:?}: {e}");
        let e = restore(&store, &RestoreOptions { timeline: Some(2), ..to(target.clone()) });
        assert!(e.is_ok() || target != Target::Latest, "{target:?}");
    }
    let before = one.iter().rfind(|p| p.lsn <= fork).unwrap();
    let (there, _) = restore(&store, &to(Target::Lsn(before.lsn))).unwrap();
    assert_is(&there, &before.state, "before they parted");
}

/// Who goes on beside the restored database, and writes nothing, gives signs of life: that is no other state, and nobody has to say which is meant.
#[test]
fn a_timeline_without_log_behind_the_fork_is_no_rival() {
    let (disk, store) = (disk(33), MemoryStore::new());
    let mut one = Load::open(&disk, &store, 33, "here", State::new());
    one.run(60);
    one.backup(&BackupOptions::default());
    one.run(60);
    one.db.set_setting("archive_timeout", "1s").unwrap();
    for _ in 0..20 {
        one.archive();
    }
    let (disk_two, _) = restore(&store, &to(Target::Latest)).unwrap();
    let mut two = Load::open(&disk_two, &store, 34, "there", one.state.clone());
    for _ in 0..8 {
        two.run(20);
        std::thread::sleep(Duration::from_millis(2));
        one.archive();
    }
    let state = two.end(true).last().unwrap().state.clone();
    std::thread::sleep(Duration::from_millis(2));
    one.archive();
    let signs = [1, 2].map(|t| evenkeel::archive::last_sign_ms(&store, t).unwrap().unwrap());
    assert!(signs[0] > signs[1], "the first one is alive: {signs:?}");
    let (end, _) = restore(&store, &to(Target::Latest)).unwrap();
    assert_is(&end, &state, "the restored one's");
    // One commit, and they are two states.
    one.run(30);
    one.archive();
    one.archive();
    let e = restore(&store, &to(Target::Latest)).unwrap_err().to_string();
    assert!(e.contains("written side by side"), "{e}");
    one.end(false);
}

/// Two servers of one volume's snapshot have written to one archive: what the other one put where a backup ends is not taken for its log.
#[test]
fn log_of_another_life_is_not_laid_over_a_backup() {
    let (disk, store) = (disk(70), MemoryStore::new());
    let mut load = Load::open(&disk, &store, 70, "here", State::new());
    load.run(60);
    load.archive();
    let (clone_disk, clone_store) = (disk.kill_copy(), store.copy());
    load.run(120);
    let m = load.backup(&BackupOptions::default());
    load.end(true);
    restore(&store, &to(Target::Latest)).unwrap();
    assert!(inspect(&store, &m, &mut |_| ()).unwrap().problems.is_empty());
    let clone = common::open_with(&clone_disk, common::archived(71, &clone_store).with_archive_place("here"));
    let tree = common::new_tree(&clone);
    for n in 0..400 {
        common::write(&clone, tree, n).unwrap();
        clone.step_archive(Duration::from_secs(n)).unwrap();
    }
    let last = GEOMETRY.segment_of(Lsn(m.end.0 - 1));
    let theirs = store.list("wal/").unwrap();
    for name in
        theirs.iter().filter(|n| n.trim_end_matches(".seg") >= object_name(1, last).trim_end_matches(".seg"))
    {
        store.delete(name).unwrap();
    }
    for name in clone_store.list("wal/").unwrap().into_iter().filter(|n| *n >= object_name(1, last)) {
        store.overwrite(&name, clone_store.get(&name).unwrap().unwrap().0);
    }
    for target in [Target::Latest, Target::Lsn(m.end.into())] {
        let e = restore(&store, &to(target)).unwrap_err().to_string();
        assert!(e.contains("another life") && e.contains(&object_name(1, last)), "{e}");
    }
    assert!(!inspect(&store, &m, &mut |_| ()).unwrap().problems.is_empty());
}

/// An archive whose database goes on with each look at it.
#[derive(Debug)]
struct Live {
    store: MemoryStore,
    /// It goes on by a few bytes each time: the segment being written is not finished for long.
    slowly: bool,
    load: Mutex<Option<Load>>,
}

impl Live {
    fn go_on(&self) {
        if let Some(load) = self.load.lock().unwrap().as_mut() {
            if self.slowly {
                load.mark()
            } else {
                load.run(6)
            }
            load.archive();
        }
    }
}

impl ArchiveStore for Live {
    fn describe(&self) -> String {
        self.store.describe()
    }
    fn create(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.store.create(name, bytes)
    }
    fn get(&self, name: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        if name.starts_with("wal/") {
            self.go_on();
        }
        self.store.get(name)
    }
    fn replace(&self, name: &str, bytes: &[u8], version: &Version) -> Result<(), StoreError> {
        self.store.replace(name, bytes, version)
    }
    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let names = self.store.list(prefix);
        self.go_on();
        names
    }
    fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.store.delete(name)
    }
}

#[test]
fn a_database_that_goes_on_archiving_is_restored_to_what_was_there() {
    for seed in 35..45 {
        let (disk_one, store) = (disk(seed), MemoryStore::new());
        let mut load = Load::open(&disk_one, &store, seed, "here", State::new());
        load.db.set_setting("archive_timeout", "1s").unwrap();
        load.run(60);
        load.backup(&BackupOptions::default());
        load.run(60);
        load.archive();
        let live = Arc::new(Live { store, slowly: seed % 2 == 0, load: Mutex::new(Some(load)) });
        let copy = disk(seed);
        let done = restore_on(live.clone(), Arc::new(copy.clone()), &to(Target::Latest), &|_| {})
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let points = live.load.lock().unwrap().take().unwrap().end(false);
        let point = points.iter().rfind(|p| p.lsn <= done.reached.lsn).unwrap();
        assert_is(&copy, &point.state, &format!("seed {seed}"));
    }
}

/// Crashes at every call between a restore and the first segments of its timeline, with a store that loses answers: always one timeline, whole.
#[test]
fn crashes_at_the_switch_of_timelines_leave_one_history() {
    let past = past_of(40, 60, 1);
    let stride: u64 = std::env::var("EVENKEEL_RESTORE_STRIDE").map_or(5, |v| v.parse().unwrap());
    let (disk, _) = restore(&past.store, &to(Target::Latest)).unwrap();
    let state = past.last().state.clone();
    let judge = move |disk: SimDisk, store: MemoryStore, what: &str| {
        let load = Load::open(&disk, &store, 50, "there", (*state).clone());
        let mut load = load;
        for _ in 0..30 {
            load.archive();
        }
        let timeline = load.db.archive_stats().unwrap().timeline;
        assert_eq!(timeline, 2, "{what}: its own timeline is found again");
        let report = verify(&store).unwrap();
        assert!(report.problems.is_empty(), "{what}: {:?}", report.problems);
        load.end(false);
    };
    for lost in [false, true] {
        let (disk, store) = (disk.kill_copy(), past.store.copy());
        let mut n = 0;
        store.set_faults(Some(Box::new(move |what, _| {
            n += 1;
            if lost && what == "creating" && n % 2 == 0 { StoreFault::LoseAnswer } else { StoreFault::None }
        })));
        let calls = AtomicU64::new(0);
        let (seen, judge) = (store.clone(), judge.clone());
        disk.set_hook(Some(Box::new(move |call, disk| {
            if !calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(stride) {
                return;
            }
            let what = format!("crash at call {} ({:?} {}), lost {lost}", call.index, call.kind, call.path);
            let (copy, store) = (disk.crash_copy(call.index), seen.copy());
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| judge(copy, store, &what))).is_err() {
                eprintln!("failed at {what}");
                std::process::exit(101);
            }
        })));
        let options = common::archived(51, &store).with_archive_place("there");
        let db = Database::open_on(Arc::new(disk.clone()), options).unwrap();
        for n in 0..40 {
            let _ = db.step_archive(Duration::from_secs(n * 1000));
        }
        disk.set_hook(None);
        db.close().unwrap();
    }
}

#[test]
fn two_restores_of_one_moment_take_two_timelines() {
    let past = past_of(41, 60, 1);
    for expected in [2, 3] {
        let options = RestoreOptions { timeline: Some(1), ..to(Target::Latest) };
        let (disk, _) = restore(&past.store, &options).unwrap();
        let place = format!("place {expected}");
        let state = (*past.last().state).clone();
        let mut load = Load::open(&disk, &past.store, 60 + u64::from(expected), &place, state);
        load.run(40);
        (0..10).for_each(|_| load.archive());
        assert_eq!(load.db.archive_stats().unwrap().timeline, expected);
        load.end(false);
    }
}

#[test]
fn another_archive_takes_a_restored_database_too() {
    let past = past_of(43, 60, 1);
    let (disk, _) = restore(&past.store, &to(Target::Latest)).unwrap();
    let elsewhere = MemoryStore::new();
    let mut load = Load::open(&disk, &elsewhere, 44, "there", (*past.last().state).clone());
    load.run(40);
    load.backup(&BackupOptions::default());
    load.run(40);
    let points = load.end(true);
    assert!(verify(&elsewhere).unwrap().problems.is_empty());
    let (end, _) = restore(&elsewhere, &to(Target::Latest)).unwrap();
    assert_is(&end, &points.last().unwrap().state, "from the other archive");
    // One of another database does not.
    let foreign = past_of(45, 60, 1).store;
    let (disk, _) = restore(&past.store, &to(Target::Latest)).unwrap();
    let load = Load::open(&disk, &foreign, 46, "there", (*past.last().state).clone());
    let refused = (1..10).find_map(|n| load.db.step_archive(Duration::from_secs(n * 1000)).err());
    assert!(refused.expect("refused").to_string().contains("another database's"));
    load.end(false);
}

#[test]
fn a_crash_recovery_does_not_trust_log_without_images() {
    let disk = disk(42);
    Database::open_on(Arc::new(disk.clone()), small(42)).unwrap().abandon();
    let last = *segment::list(&disk).unwrap().last().unwrap();
    let (_, header) = segment::open(&disk, last).unwrap().unwrap();
    let stripped = Header { stripped: true, ..header };
    disk.damage(&segment::path(last), 0, &stripped.encode()).unwrap();
    let e = Database::open_on(Arc::new(disk.kill_copy()), small(1)).map(drop).unwrap_err().to_string();
    assert!(e.contains("no page images") && e.contains(&segment::path(last)), "{e}");
}
