//! Retention: whatever goes, every backup that stays has its chunks, those that it is laid upon, and its log; also when it is cut short anywhere.
//!
//! `EVENKEEL_RETENTION_RUNS` sets the number of random archives (default 300), `EVENKEEL_RETENTION_SEED` the first seed. A failure prints its seed.

use evenkeel::archive::{
    self, ArchiveStore, BackupChunk, BackupFile, Found, Keep, MAKING_MS, MANIFEST_VERSION, Manifest,
    MemoryStore, Position, StoreFault, Unwanted, alive_name, chunk_name, label_name, manifest_name,
    object_name,
};
use evenkeel::wal::segment::Geometry;
use evenkeel::{Error, Lsn};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const SEGMENT_BYTES: u64 = 1 << 16;
const GEOMETRY: Geometry = Geometry { segment_bytes: SEGMENT_BYTES };
const HOUR_MS: u64 = 3_600_000;
/// "Now" of all archives.
const NOW_MS: u64 = 2_000_000_000_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |v| v.parse().expect("a number"))
}

/// A backup that needs log from one segment to another.
fn manifest(n: u64, parent: Option<&str>, timeline: u32, segments: (u64, u64), begun_ms: u64) -> Manifest {
    let at = |segment| Position::from(GEOMETRY.start_of(segment));
    let chunk = BackupChunk { first: 0, blocks: 4, pages: 4, bytes: 5, crc32c: 1 };
    Manifest {
        version: MANIFEST_VERSION,
        id: format!("b{n:04}"),
        label: String::new(),
        database_id: 7,
        timeline,
        parent: parent.map(str::to_owned),
        begun_ms,
        ended_ms: begun_ms + HOUR_MS,
        segment_bytes: SEGMENT_BYTES,
        partitions: 1,
        redo: vec![at(segments.0)],
        round: Position::default(),
        log_needed: at(segments.0),
        next_file: 20,
        next_txn: 1,
        start: at(segments.0 + 1),
        end: at(segments.1),
        end_incarnation: 1,
        protection: "double_write".into(),
        files: vec![BackupFile { file: 17, blocks: 4, chunks: vec![chunk] }],
    }
}

fn put(store: &MemoryStore, m: &Manifest, complete: bool) {
    let label = Manifest { ended_ms: 0, end: Position::default(), files: Vec::new(), ..m.clone() };
    store.overwrite(&label_name(&m.id), label.encode());
    store.overwrite(&chunk_name(&m.id, 17, 0), b"pages".to_vec());
    if complete {
        store.overwrite(&manifest_name(&m.id), m.encode());
    }
}

/// What must hold of every complete backup that is found.
fn assert_whole(store: &MemoryStore, context: &str) {
    for f in archive::backups(store).unwrap() {
        let Found::Complete(m) = f else { continue };
        for m in archive::chain(store, m.clone()).unwrap_or_else(|e| panic!("{context}: {e}")) {
            assert!(archive::missing_chunks(store, &m).unwrap().is_empty(), "{context}: {}", m.id);
        }
        let (from, to) = (m.log_needed.into(), m.end.into());
        let gap = archive::missing_log(store, m.timeline, GEOMETRY, from, to).unwrap();
        assert_eq!(gap, None, "{context}: log of {}", m.id);
    }
}

fn complete(store: &MemoryStore) -> Vec<Manifest> {
    let one = |f| if let Found::Complete(m) = f { Some(m) } else { None };
    archive::backups(store).unwrap().into_iter().filter_map(one).collect()
}

const HISTORY_OF_2: &str = "timelines/00000002.json";

/// Timeline 2 left timeline 1 there.
fn history_of_2(switch: Position) -> Vec<u8> {
    let history = format!(
        r#"{{"version":1,"database_id":"{:016x}","timeline":2,"parent":1,"switch":"{:016x}","parent_incarnation":"{:016x}","incarnation":"{:016x}","why":"","restored_ms":1}}"#,
        7, switch.0, 1, 2
    );
    history.into_bytes()
}

/// An archive of some weeks, the latest backup some hours old; log of one timeline, sometimes of a second that left it.
fn random_archive(rng: &mut fastrand::Rng) -> MemoryStore {
    let store = MemoryStore::new();
    let mut backups: Vec<Manifest> = Vec::new();
    let (mut segment, mut at_ms) = (rng.u64(..5), NOW_MS - 24 * HOUR_MS * rng.u64(5..40));
    let mut timeline = 1;
    let mut begins = 0;
    let fork = rng.bool().then(|| rng.u64(3..10));
    for n in 0..rng.u64(1..16) {
        if fork == Some(n) {
            for s in begins..=segment {
                store.overwrite(&object_name(1, s), Vec::new());
            }
            let at = Position::from(GEOMETRY.start_of(segment));
            store.overwrite(HISTORY_OF_2, history_of_2(at));
            timeline = 2;
            segment += 1;
            begins = segment;
        }
        let of_timeline: Vec<&Manifest> = backups.iter().filter(|m| m.timeline == timeline).collect();
        let parent = (rng.u8(..3) > 0)
            .then(|| of_timeline.get(rng.usize(..of_timeline.len().max(1))).map(|m| m.id.clone()))
            .flatten();
        let ends = segment + 1 + rng.u64(..4);
        let needed = segment.saturating_sub(rng.u64(..3)).max(begins);
        let m = manifest(n, parent.as_deref(), timeline, (needed, ends.max(needed + 1)), at_ms);
        let finished = rng.u8(..5) > 0;
        put(&store, &m, finished);
        if !finished && rng.bool() {
            store.overwrite(&alive_name(&m.id, NOW_MS - rng.u64(..3 * MAKING_MS)), Vec::new());
        }
        if finished {
            backups.push(m);
        }
        segment = ends.max(needed + 1) + rng.u64(..6);
        at_ms = (at_ms + HOUR_MS * rng.u64(1..100)).min(NOW_MS - HOUR_MS);
    }
    for s in begins..=segment {
        store.overwrite(&object_name(timeline, s), Vec::new());
    }
    store
}

/// Two databases archive into one archive: production on timeline 1, a copy that was restored for a test on timeline 2.
#[test]
fn a_copys_backups_do_not_push_out_those_of_the_original() {
    let store = MemoryStore::new();
    store.overwrite(HISTORY_OF_2, history_of_2(Position::from(GEOMETRY.start_of(10))));
    (1..=20).for_each(|s| store.overwrite(&object_name(1, s), Vec::new()));
    (11..=40).for_each(|s| store.overwrite(&object_name(2, s), Vec::new()));
    for n in 0..4 {
        put(&store, &manifest(n, None, 1, (2 + 4 * n, 4 + 4 * n), NOW_MS - (90 - n) * HOUR_MS), true);
    }
    for n in 4..7 {
        put(&store, &manifest(n, None, 2, (4 + 4 * n, 6 + 4 * n), NOW_MS - (60 - n) * HOUR_MS), true);
    }
    let owner = |object: &str, signs: Option<u64>| {
        let sign = signs.map_or(String::new(), |ms| format!("boot b\nbeat {ms}\n"));
        let text = format!("evenkeel archive owner 1\ndatabase 0000000000000007\nrun 1\nplace p\n{sign}");
        store.overwrite(object, text.into_bytes());
    };
    let kept = |keep: Keep| archive::plan_removal(&store, &Unwanted::AllBut(keep), NOW_MS).unwrap().kept;
    let two = Keep { last: 2, for_ms: None };
    let of_days = |days: u64| Keep { last: 0, for_ms: Some(days * 24 * HOUR_MS) };
    owner("owner-00000002", Some(NOW_MS - HOUR_MS));
    // Nobody writes to timeline 1 any more.
    for signs in [None, Some(NOW_MS - 30 * 24 * HOUR_MS)] {
        owner("owner", signs);
        assert_eq!(kept(two), ["b0005", "b0006"]);
        assert_eq!(kept(of_days(1)), ["b0006"]);
    }
    owner("owner", Some(NOW_MS - 24 * HOUR_MS));
    assert_eq!(kept(two), ["b0002", "b0003", "b0005", "b0006"]);
    // The latest before that time, of each.
    assert_eq!(kept(of_days(1)), ["b0003", "b0006"]);
    let removal = archive::plan_removal(&store, &Unwanted::AllBut(two), NOW_MS).unwrap();
    assert!(
        removal.log.contains(&object_name(1, 9)) && !removal.log.contains(&object_name(1, 10)),
        "{removal:?}"
    );
    archive::remove(&store, &removal, &mut |_| ()).unwrap();
    assert_whole(&store, "after it");
}

#[test]
fn a_backup_that_goes_on_is_not_removed() {
    let store = MemoryStore::new();
    (1..=20).for_each(|s| store.overwrite(&object_name(1, s), Vec::new()));
    put(&store, &manifest(0, None, 1, (2, 4), NOW_MS - 90 * HOUR_MS), false);
    put(&store, &manifest(1, None, 1, (6, 8), NOW_MS - 80 * HOUR_MS), true);
    let by_rule = Unwanted::AllBut(Keep { last: 1, for_ms: None });
    let by_name = |force| Unwanted::Ids { ids: vec!["b0000".into()], force };
    let plans =
        [by_rule, by_name(false), by_name(true)].map(|u| archive::plan_removal(&store, &u, NOW_MS).unwrap());
    assert!(plans.iter().all(|p| p.backups == ["b0000"]), "{plans:?}");
    store.overwrite(&alive_name("b0000", NOW_MS), Vec::new());
    for plan in &plans[..2] {
        let e = archive::remove(&store, plan, &mut |_| ()).unwrap_err().to_string();
        assert!(e.contains("goes on meanwhile"), "{e}");
    }
    assert!(store.get(&chunk_name("b0000", 17, 0)).unwrap().is_some());
    archive::remove(&store, &plans[2], &mut |_| ()).unwrap();
    assert!(store.list("backups/b0000").unwrap().is_empty());
}

fn random_rule(rng: &mut fastrand::Rng, store: &MemoryStore) -> Unwanted {
    if rng.bool() {
        let for_ms = rng.bool().then(|| 24 * HOUR_MS * rng.u64(1..20));
        let last = if for_ms.is_none() { rng.usize(1..6) } else { rng.usize(..6) };
        return Unwanted::AllBut(Keep { last, for_ms });
    }
    let mut ids: Vec<String> =
        archive::backups(store).unwrap().iter().map(|f| f.id().to_owned()).filter(|_| rng.bool()).collect();
    if ids.is_empty() {
        ids.push("b0000".into());
    }
    Unwanted::Ids { ids, force: rng.bool() }
}

fn random_run(seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let store = random_archive(&mut rng);
    let context = format!("EVENKEEL_RETENTION_SEED={seed}");
    assert_whole(&store, &context);
    for _ in 0..3 {
        let unwanted = random_rule(&mut rng, &store);
        let before = complete(&store);
        let removal = match archive::plan_removal(&store, &unwanted, NOW_MS) {
            Ok(removal) => removal,
            Err(Error::InvalidArgument(_)) if matches!(unwanted, Unwanted::Ids { .. }) => continue,
            Err(e) => panic!("{context}: {e}"),
        };
        if let Unwanted::AllBut(keep) = &unwanted {
            let newest = before.iter().rev().take(keep.last);
            let window = keep.for_ms.map_or(u64::MAX, |ms| NOW_MS - ms);
            let young = before.iter().filter(|m| m.ended_ms >= window);
            let last_before = before.iter().rev().find(|m| m.ended_ms < window && keep.for_ms.is_some());
            for m in newest.chain(young).chain(last_before) {
                assert!(removal.kept.contains(&m.id), "{context}: {unwanted:?} removes {}", m.id);
            }
        }
        // Cut short at any call.
        let mut left = rng.u32(1..60);
        store.set_faults(Some(Box::new(move |_, _| {
            left = left.saturating_sub(1);
            if left == 0 { StoreFault::Fail } else { StoreFault::None }
        })));
        let done = archive::remove(&store, &removal, &mut |_| {});
        store.set_faults(None);
        assert_whole(&store, &format!("{context}, {unwanted:?}"));
        if done.is_err() {
            let again = archive::plan_removal(&store, &unwanted, NOW_MS);
            if let Ok(removal) = again {
                archive::remove(&store, &removal, &mut |_| {}).unwrap();
            }
            assert_whole(&store, &format!("{context}, the second time"));
        }
        for m in before.iter().filter(|m| removal.kept.contains(&m.id)) {
            assert!(complete(&store).contains(m), "{context}: {} was to be kept", m.id);
        }
    }
}

#[test]
fn whatever_goes_what_stays_is_whole() {
    let first = number("EVENKEEL_RETENTION_SEED", 1);
    (first..first + number("EVENKEEL_RETENTION_RUNS", 300)).for_each(random_run);
}

/// Three backups, days apart, and log from the first on.
fn three() -> (MemoryStore, [Manifest; 3]) {
    let store = MemoryStore::new();
    let at = |days: u64| NOW_MS - days * 24 * HOUR_MS;
    let all = [
        manifest(0, None, 1, (2, 5), at(10)),
        manifest(1, Some("b0000"), 1, (10, 12), at(6)),
        manifest(2, None, 1, (20, 22), at(2)),
    ];
    all.iter().for_each(|m| put(&store, m, true));
    (0..30).for_each(|s| store.overwrite(&object_name(1, s), Vec::new()));
    (store, all)
}

fn all_but(last: usize, for_ms: Option<u64>) -> Unwanted {
    Unwanted::AllBut(Keep { last, for_ms })
}

#[test]
fn a_time_is_kept_with_the_backup_before_it() {
    let (store, _) = three();
    let plan = archive::plan_removal(&store, &all_but(0, Some(3 * 24 * HOUR_MS)), NOW_MS).unwrap();
    assert_eq!(
        plan.kept,
        ["b0000", "b0001", "b0002"],
        "the second lies before the time, the first beneath it"
    );
    let plan = archive::plan_removal(&store, &all_but(1, None), NOW_MS).unwrap();
    assert_eq!(plan.backups, ["b0001", "b0000"], "a backup goes before the one beneath it");
    assert_eq!(plan.log.len(), 20);
    assert_eq!(plan.log[0], object_name(1, 0));
    archive::remove(&store, &plan, &mut |_| {}).unwrap();
    assert_eq!(store.list("wal/").unwrap()[0], object_name(1, 20));
    assert!(store.list("backups/b0000").unwrap().is_empty());
    assert!(archive::plan_removal(&store, &all_but(0, None), NOW_MS).is_err(), "a rule that keeps nothing");
}

#[test]
fn log_that_no_kept_backup_leads_to_goes_but_for_its_end() {
    let store = MemoryStore::new();
    let at = |days: u64| NOW_MS - days * 24 * HOUR_MS;
    let (old, new) = (manifest(0, None, 1, (2, 5), at(10)), manifest(1, None, 2, (9, 11), at(2)));
    (0..20).for_each(|s| store.overwrite(&object_name(1, s), Vec::new()));
    (9..14).for_each(|s| store.overwrite(&object_name(2, s), Vec::new()));
    let switch = Position::from(GEOMETRY.start_of(8));
    store.overwrite(HISTORY_OF_2, history_of_2(switch));
    put(&store, &old, true);
    put(&store, &new, true);
    let rule = |last| archive::plan_removal(&store, &all_but(last, None), NOW_MS).unwrap();
    assert_eq!(rule(2).log, [0, 1].map(|s| object_name(1, s)), "what the backup of timeline 1 needs stays");
    let plan = rule(1);
    assert_eq!(plan.backups, ["b0000"]);
    assert_eq!(plan.log, Vec::from_iter((0..19).map(|s| object_name(1, s))));
    archive::remove(&store, &plan, &mut |_| {}).unwrap();
    assert_whole(&store, "timeline 2");
    // Nor does that of a timeline that was left and comes from a kept backup.
    let store = MemoryStore::new();
    put(&store, &old, true);
    (0..20).for_each(|s| store.overwrite(&object_name(1, s), Vec::new()));
    (9..14).for_each(|s| store.overwrite(&object_name(2, s), Vec::new()));
    store.overwrite(HISTORY_OF_2, history_of_2(switch));
    let plan = archive::plan_removal(&store, &all_but(1, None), NOW_MS).unwrap();
    assert_eq!(plan.log, [0, 1].map(|s| object_name(1, s)));
}

#[test]
fn by_name_nothing_goes_that_another_is_laid_upon() {
    let (store, _) = three();
    let ids = |ids: &[&str]| Unwanted::Ids { ids: ids.iter().map(|i| (*i).into()).collect(), force: false };
    let e = archive::plan_removal(&store, &ids(&["b0000"]), NOW_MS).unwrap_err().to_string();
    assert!(e.contains("laid upon"), "{e}");
    assert!(archive::plan_removal(&store, &ids(&["b0009"]), NOW_MS).is_err());
    let plan = archive::plan_removal(&store, &ids(&["b0000", "b0001"]), NOW_MS).unwrap();
    assert_eq!((plan.backups.len(), plan.log.len()), (2, 20));
    let plan = archive::plan_removal(&store, &ids(&["b0000", "b0001", "b0002"]), NOW_MS).unwrap();
    assert!(plan.log.is_empty(), "without any backup the log is left alone");
}

#[test]
fn a_backup_in_the_making_is_left_alone_with_its_log() {
    let (store, _) = three();
    let young = manifest(3, Some("b0001"), 1, (15, 30), NOW_MS - 20 * HOUR_MS);
    put(&store, &young, false);
    let old = manifest(4, None, 1, (3, 30), NOW_MS - 30 * HOUR_MS);
    put(&store, &old, false);
    let plan = archive::plan_removal(&store, &all_but(1, None), NOW_MS).unwrap();
    assert_eq!(plan.backups, ["b0004"]);
    assert_eq!(plan.kept, ["b0000", "b0001", "b0002", "b0003"], "what it is to be laid upon stays");
    assert_eq!(plan.log.len(), 2, "from the oldest that stays");
    // A sign of life counts as its begin does.
    store.overwrite(&alive_name("b0004", NOW_MS - HOUR_MS), Vec::new());
    assert!(archive::plan_removal(&store, &all_but(1, None), NOW_MS).unwrap().backups.is_empty());
    let by_name = |force| Unwanted::Ids { ids: vec!["b0004".into()], force };
    assert!(archive::plan_removal(&store, &by_name(false), NOW_MS).is_err());
    assert_eq!(archive::plan_removal(&store, &by_name(true), NOW_MS).unwrap().backups, ["b0004"]);
}

#[test]
fn a_backup_begun_meanwhile_ends_a_removal() {
    let (store, _) = three();
    let plan = archive::plan_removal(&store, &all_but(1, None), NOW_MS).unwrap();
    put(&store, &manifest(5, Some("b0001"), 1, (25, 30), NOW_MS), false);
    let e = archive::remove(&store, &plan, &mut |_| {}).unwrap_err().to_string();
    assert!(e.contains("begun meanwhile"), "{e}");
    assert_eq!(complete(&store).len(), 3);
}

#[test]
fn a_manifest_goes_first_and_a_label_last() {
    let (store, _) = three();
    let plan = archive::plan_removal(&store, &all_but(1, None), NOW_MS).unwrap();
    let calls = Arc::new(AtomicU32::new(0));
    let seen = Arc::new(std::sync::Mutex::new(BTreeMap::new()));
    let (counted, noted) = (calls.clone(), seen.clone());
    store.set_faults(Some(Box::new(move |what, name| {
        let n = counted.fetch_add(1, Ordering::Relaxed);
        if what == "removing" {
            noted.lock().unwrap().insert(name.to_owned(), n);
        }
        StoreFault::None
    })));
    archive::remove(&store, &plan, &mut |_| {}).unwrap();
    let seen = seen.lock().unwrap();
    let at = |name: String| seen[&name];
    assert!(at(manifest_name("b0001")) < at(chunk_name("b0001", 17, 0)));
    assert!(at(chunk_name("b0001", 17, 0)) < at(label_name("b0001")));
    assert!(at(label_name("b0001")) < at(manifest_name("b0000")));
    assert!(
        at(label_name("b0000")) < at(object_name(1, 0)) && at(object_name(1, 0)) < at(object_name(1, 19))
    );
    assert_eq!(GEOMETRY.segment_of(Lsn::from(complete(&store)[0].log_needed)), 20);
}
