//! Pages whose write home is cut short, under each torn-page protection and across changes from one to another. The crash enumeration meets these
//! cases by chance; here they happen for certain.

mod common;

use common::workload::PROTECTIONS;
use common::*;
use evenkeel::base::PAGE_BYTES;
use evenkeel::io::{CrashPolicy, Disk, SimCall, SimCallKind, SimDisk, SimOptions};
use evenkeel::{Database, Error, Options, TreeId, TxnOptions};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};

const SIDE_FILE: &str = "double_write";

fn options(protection: &str) -> Options {
    small(1)
        .with("torn_page_protection", protection)
        .and_then(|o| o.with("double_write_size", "128kB"))
        .and_then(|o| o.with("checkpoint_partitions", "1"))
        .unwrap()
}

fn open_as(disk: &SimDisk, protection: &str) -> evenkeel::Result<Database> {
    Database::open_on(Arc::new(disk.clone()), options(protection))
}

fn put(db: &Database, tree: TreeId, i: u32, value: &[u8]) {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &i.to_be_bytes(), value).unwrap();
    t.commit().unwrap();
}

/// A tree with rows that are at home, and others that are not.
fn half_home(db: &Database) -> TreeId {
    let tree = new_tree(db);
    for i in 0..40 {
        put(db, tree, i, &[1; 600]);
    }
    db.checkpoint().unwrap();
    for i in 0..40 {
        put(db, tree, i, &[2; 600]);
    }
    tree
}

fn assert_rows(db: &Database, tree: TreeId, byte: u8, what: &str) {
    let rows = committed(db, tree).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(rows.len(), 40, "{what}");
    assert!(rows.values().all(|v| v[..] == [byte; 600]), "{what}");
    assert_sound(db, what);
}

/// Runs some work with a function that sees each changing call.
fn watched(disk: &SimDisk, mut see: impl FnMut(&SimCall, &SimDisk) + Send + 'static, work: impl FnOnce()) {
    disk.set_hook(Some(Box::new(move |call, disk| see(call, disk))));
    work();
    disk.set_hook(None);
}

/// Crashes in the middle of each page that is written home: its first half has arrived, nothing else of what is not durable has.
fn torn_at_home(disk: &SimDisk, work: impl FnOnce()) -> Vec<(String, SimDisk)> {
    half_at_home(disk, 0..PAGE_BYTES / 2, work)
}

/// As `torn_at_home`, with this half.
fn half_at_home(disk: &SimDisk, half: Range<usize>, work: impl FnOnce()) -> Vec<(String, SimDisk)> {
    let found: Arc<Mutex<Vec<(String, SimDisk)>>> = Arc::default();
    let sink = found.clone();
    let see = move |call: &SimCall, disk: &SimDisk| {
        if call.kind != SimCallKind::Write || !call.path.starts_with("data/") {
            return;
        }
        let new = disk.contents(&call.path).unwrap();
        for at in (call.offset..call.offset + call.len).step_by(PAGE_BYTES) {
            let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, call.index);
            let before = crashed.contents(&call.path).unwrap();
            let page = |of: &[u8]| of[at as usize..at as usize + PAGE_BYTES].to_vec();
            let (before, new) = (page(&before), page(&new));
            let rest = |page: &[u8]| [&page[..half.start], &page[half.end..]].concat();
            // Halves that are the same would make no tear.
            if before[half.clone()] != new[half.clone()] && rest(&before) != rest(&new) {
                crashed.damage(&call.path, at + half.start as u64, &new[half.clone()]).unwrap();
                sink.lock().unwrap().push((format!("{} at {at}", call.path), crashed));
            }
        }
    };
    watched(disk, see, work);
    let found = std::mem::take(&mut *found.lock().unwrap());
    assert!(!found.is_empty(), "a page can be torn");
    found
}

#[test]
fn a_page_torn_at_home_is_repaired_from_the_side_file_or_the_log_and_else_reported() {
    for protection in ["double_write", "full_page_writes", "off"] {
        let disk = disk(1);
        let db = open_as(&disk, protection).unwrap();
        let tree = half_home(&db);
        let crashes = torn_at_home(&disk, || db.checkpoint().unwrap());
        assert_eq!(db.stats().wal_fpi > 0, protection == "full_page_writes");
        assert_eq!(db.stats().double_write_batches > 0, protection == "double_write");
        db.abandon();
        for (what, crashed) in crashes {
            let what = format!("{protection}, {what}");
            match open_as(&crashed, protection) {
                Err(Error::Corrupt(why)) if protection == "off" => {
                    assert!(why.what.contains("checksum does not match"), "{what}: {why}");
                }
                Err(e) => panic!("{what}: {e}"),
                Ok(_) if protection == "off" => panic!("{what}: nobody noticed"),
                Ok(db) => {
                    let repaired = db.stats().torn_pages_repaired;
                    assert_eq!(repaired, u64::from(protection == "double_write"), "{what}");
                    assert_rows(&db, tree, 2, &what);
                    db.abandon();
                }
            }
        }
    }
}

/// A batch is cut short: no home write has begun, and none of it may be missed or taken for good.
#[test]
fn a_batch_torn_in_the_side_file_leaves_the_pages_at_home_as_they_are() {
    let disk = disk(2);
    let db = open_as(&disk, "double_write").unwrap();
    let tree = half_home(&db);
    let found: Arc<Mutex<Vec<(String, SimDisk)>>> = Arc::default();
    let sink = found.clone();
    let see = move |call: &SimCall, disk: &SimDisk| {
        if call.kind != SimCallKind::Write || *call.path != *SIDE_FILE {
            return;
        }
        let new = disk.contents(SIDE_FILE).unwrap();
        let whole = call.offset as usize..(call.offset + call.len) as usize;
        // The beginning arrives up to some sector, or all but the head, or all but one sector of a page.
        let (from, to) = (whole.start, whole.end);
        for part in [from..from + 512, from..from + 4096, from..to - 512, from + 4096..to] {
            let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, call.index);
            crashed.damage(SIDE_FILE, part.start as u64, &new[part.clone()]).unwrap();
            sink.lock().unwrap().push((format!("batch at {from}, {part:?} of it"), crashed));
        }
    };
    watched(&disk, see, || db.checkpoint().unwrap());
    db.abandon();
    let crashes = std::mem::take(&mut *found.lock().unwrap());
    assert!(crashes.len() >= 4);
    for (what, crashed) in crashes {
        let db = open_as(&crashed, "double_write").unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(db.stats().torn_pages_repaired, 0, "{what}");
        assert_rows(&db, tree, 2, &what);
        db.abandon();
    }
}

/// A page is written home twice without a sync between. The first write is torn on the disk, the batch of the second in the side file: the first
/// batch must still be there.
#[test]
fn a_page_torn_by_one_write_is_repaired_although_the_batch_of_the_next_is_torn() {
    let disk = disk(3);
    let db = open_as(&disk, "double_write").unwrap();
    // Its step writes every dirty page, however much it is used.
    db.set_setting("bgwriter_policy", "full_scan").unwrap();
    db.set_setting("bgwriter_percent", "100").unwrap();
    let tree = new_tree(&db);
    for i in 0..10 {
        put(&db, tree, i, &[1; 600]);
    }
    db.checkpoint().unwrap();
    let path = "data/1".to_owned(); // where the roots of small trees are
    let clean = |byte: u8| {
        for i in 0..10 {
            put(&db, tree, i, &[byte; 600]);
        }
        assert!(db.step_clean().unwrap() > 0);
    };
    let old = disk.contents(&path).unwrap();
    clean(2);
    let first = disk.contents(&path).unwrap();
    let torn: Vec<usize> = (0..old.len() / PAGE_BYTES)
        .map(|i| i * PAGE_BYTES)
        .filter(|&at| old[at..at + PAGE_BYTES] != first[at..at + PAGE_BYTES])
        .collect();
    let found: Arc<Mutex<Vec<SimDisk>>> = Arc::default();
    let sink = found.clone();
    let (pages, from) = (torn.clone(), path.clone());
    let see = move |call: &SimCall, disk: &SimDisk| {
        if call.kind == SimCallKind::Write && *call.path == *SIDE_FILE {
            let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, call.index);
            for &at in &pages {
                crashed.damage(&from, at as u64, &first[at..at + 4096]).unwrap();
            }
            let new = disk.contents(SIDE_FILE).unwrap();
            let part = call.offset as usize..(call.offset + call.len) as usize - 1024;
            crashed.damage(SIDE_FILE, call.offset, &new[part]).unwrap();
            sink.lock().unwrap().push(crashed);
        }
    };
    watched(&disk, see, || clean(3));
    db.abandon();
    let crashes = std::mem::take(&mut *found.lock().unwrap());
    assert!(!torn.is_empty() && !crashes.is_empty());
    for crashed in crashes {
        let db = open_as(&crashed, "double_write").unwrap();
        assert!(db.stats().torn_pages_repaired > 0);
        let rows = committed(&db, tree).unwrap();
        assert!(rows.len() == 10 && rows.values().all(|v| v[..] == [3; 600]));
        assert_sound(&db, "repaired from the first batch");
        db.abandon();
    }
}

/// What is known of a batch in the side file: its place, and the files written from it that no sync has covered.
struct Placed {
    place: Range<u64>,
    unsynced: BTreeSet<String>,
}

#[test]
fn a_place_in_the_side_file_is_used_again_only_after_the_home_sync() {
    let disk = disk(4);
    let db = open_as(&disk, "double_write").unwrap();
    let trees: Vec<TreeId> = (0..3).map(|_| new_tree(&db)).collect();
    let mut placed: Vec<Placed> = Vec::new();
    let reused: Arc<Mutex<u32>> = Arc::default();
    let count = reused.clone();
    let see = move |call: &SimCall, _: &SimDisk| {
        let home = call.path.starts_with("data/");
        match call.kind {
            SimCallKind::Write if *call.path == *SIDE_FILE => {
                let place = call.offset..call.offset + call.len;
                placed.retain(|p| {
                    let again = p.place.start < place.end && place.start < p.place.end;
                    assert!(!again || p.unsynced.is_empty(), "{call:?}: {:?} are not synced", p.unsynced);
                    *count.lock().unwrap() += u32::from(again);
                    !again
                });
                placed.push(Placed { place, unsynced: BTreeSet::new() });
            }
            SimCallKind::Write if home => {
                placed.last_mut().expect("a batch").unsynced.insert(call.path.to_string());
            }
            SimCallKind::Sync if home => placed.iter_mut().for_each(|p| _ = p.unsynced.remove(&*call.path)),
            _ => {}
        }
    };
    watched(&disk, see, || {
        for i in 0..600 {
            put(&db, trees[i as usize % 3], i * 7 % 200, &[i as u8; 1200]);
            if i % 7 == 0 {
                db.step_clean().unwrap();
            }
            if i % 60 == 59 {
                db.step_round().unwrap();
            }
        }
    });
    assert!(*reused.lock().unwrap() > 50, "{}", *reused.lock().unwrap());
    assert!(db.stats().double_write_home_syncs > 5, "{}", db.stats().double_write_home_syncs);
    assert_sound(&db, "small side file");
}

/// An image in the log takes a page back that is at home as it was later. What redo writes home then is older than what is there, and tears like anything else.
#[test]
fn a_page_that_redo_has_taken_back_is_repaired() {
    let disk = disk(22);
    // More pages than there are frames; the first records behind the redo point have no images, later ones have.
    let db = open_as(&disk, "double_write").unwrap();
    let tree = new_tree(&db);
    let write = |db: &Database, value| (0..400).for_each(|i| put(db, tree, i, &[value; 1500]));
    write(&db, 1);
    db.checkpoint().unwrap();
    write(&db, 2);
    db.abandon();
    let db = open_as(&disk, "full_page_writes").unwrap();
    write(&db, 3);
    write(&db, 4);
    db.abandon();
    // The page's LSN stands in its first half. Little is applied at a time, so that pages go home in between.
    let crashes = half_at_home(&disk, PAGE_BYTES / 2..PAGE_BYTES, || {
        open_with(&disk, options("double_write").with("recovery_look_ahead", "64kB").unwrap()).abandon();
    });
    let mut repaired = 0;
    for (what, crashed) in crashes {
        let db = open_as(&crashed, "double_write").unwrap_or_else(|e| panic!("{what}: {e}"));
        repaired += db.stats().torn_pages_repaired;
        let rows = committed(&db, tree).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(rows.len() == 400 && rows.values().all(|v| v[..] == [4; 1500]), "{what}");
        db.abandon();
    }
    assert!(repaired > 50, "{repaired} were repaired");
}

/// A page that rots is not taken for a torn one: neither copies of an earlier life nor older ones of this life stand in for it.
#[test]
fn old_copies_never_stand_in_for_a_page_that_is_damaged_otherwise() {
    let disk = disk(5);
    let db = open_as(&disk, "double_write").unwrap();
    let tree = half_home(&db);
    db.close().unwrap();
    drop(db);
    let db = open_as(&disk, "double_write").unwrap();
    let path = format!("data/{}", tree.0);
    let leaf = 2 * PAGE_BYTES as u64;
    // The next life writes nothing home.
    let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
    db.abandon();
    let block = crashed.contents(&path).unwrap()[leaf as usize..][..PAGE_BYTES].to_vec();
    let batch = crashed.contents(SIDE_FILE).unwrap();
    assert!(batch.chunks(4096).any(|c| c == &block[..4096]), "an earlier life's copy of it is there");
    crashed.damage(&path, leaf + 5000, &[0xAA; 100]).unwrap();
    let db = open_as(&crashed, "double_write").unwrap();
    assert_eq!(db.stats().torn_pages_repaired, 0);
    match committed(&db, tree) {
        Err(Error::Corrupt(why)) => assert!(why.what.contains("checksum does not match"), "{why}"),
        other => panic!("{:?}", other.map(|r| r.len())),
    }
    db.abandon();
}

/// What a life does after its start: rounds beside writes that change nothing, until the change of protection is complete and beyond. Under `off` nothing
/// is written home once it is in force: it may tear.
fn live_on(db: &Database, tree: TreeId, protection: &str) {
    let write = |rows: Range<u32>| rows.for_each(|i| put(db, tree, i, &[2; 600]));
    if protection == "off" {
        if db.is_changing_protection() {
            write(0..10);
            db.checkpoint().unwrap();
        }
    } else {
        write(0..10);
        db.step_round().unwrap();
        write(5..15);
        db.checkpoint().unwrap();
        write(0..20);
        db.checkpoint().unwrap();
    }
    assert!(!db.is_changing_protection(), "{protection}");
}

/// Every crash that the calls of a start and of the life after it offer.
fn crashes_of_a_start(disk: &SimDisk, tree: TreeId, protection: &str, salt: u64) -> Vec<(String, SimDisk)> {
    let found: Arc<Mutex<Vec<(String, SimDisk)>>> = Arc::default();
    let sink = found.clone();
    let see = move |call: &SimCall, disk: &SimDisk| {
        let what = format!("call {} {:?} {}", call.index, call.kind, call.path);
        for k in 0..2 {
            let crashed = disk.crash_copy(salt ^ (call.index * 10 + k));
            sink.lock().unwrap().push((what.clone(), crashed));
        }
    };
    watched(disk, see, || {
        let db = open_as(disk, protection).unwrap_or_else(|e| panic!("{protection}: {e}"));
        live_on(&db, tree, protection);
        db.abandon();
    });
    std::mem::take(&mut *found.lock().unwrap())
}

/// A database is written under one protection and crashes, is started under another, crashes again before the change is complete or soon after, and is
/// started under a third.
#[test]
fn a_change_of_protection_with_a_crash_before_and_after_it_is_complete() {
    let (mut points, mut repaired) = (0, 0);
    for from in PROTECTIONS {
        let disk = disk(6);
        let partitioned = options(from).with("checkpoint_partitions", "4").unwrap();
        let db = Database::open_on(Arc::new(disk.clone()), partitioned).unwrap();
        let tree = half_home(&db);
        let mut crashes = Vec::new();
        let found: Arc<Mutex<Vec<SimDisk>>> = Arc::default();
        let sink = found.clone();
        let see = move |call: &SimCall, disk: &SimDisk| {
            if call.path.starts_with("data/") {
                (0..3).for_each(|k| sink.lock().unwrap().push(disk.crash_copy(call.index * 10 + k)));
            }
        };
        watched(&disk, see, || db.checkpoint().unwrap());
        crashes.append(&mut found.lock().unwrap());
        db.abandon();
        for (n, first) in crashes.iter().enumerate().step_by(3) {
            for to in PROTECTIONS.into_iter().chain(["off"]) {
                for (i, (what, second)) in
                    crashes_of_a_start(&first.kill_copy(), tree, to, n as u64).into_iter().enumerate()
                {
                    let then = PROTECTIONS[(i + n) % 3];
                    let what = format!("{from}, then {to}, crashed at {what}, then {then}");
                    let db = open_as(&second, then).unwrap_or_else(|e| panic!("{what}: {e}"));
                    assert_rows(&db, tree, 2, &what);
                    points += 1;
                    repaired += db.stats().torn_pages_repaired;
                    db.abandon();
                }
            }
        }
    }
    assert!(points > 1000 && repaired > 10, "{points} points, {repaired} repaired");
}

/// A crash at one of the calls of a start and the life after it, each as likely as the others.
fn crash_in_a_start(disk: &SimDisk, tree: TreeId, protection: &str, seed: u64) -> SimDisk {
    let chosen: Arc<Mutex<Option<SimDisk>>> = Arc::default();
    let sink = chosen.clone();
    let (mut rng, mut n) = (fastrand::Rng::with_seed(seed), 0);
    let see = move |_: &SimCall, disk: &SimDisk| {
        n += 1;
        if rng.u64(..n) == 0 {
            *sink.lock().unwrap() = Some(disk.crash_copy(rng.u64(..)));
        }
    };
    watched(disk, see, || {
        let db = open_as(disk, protection).unwrap_or_else(|e| panic!("seed {seed}, {protection}: {e}"));
        if !seed.is_multiple_of(3) {
            live_on(&db, tree, protection);
        }
        db.abandon();
    });
    chosen.lock().unwrap().take().expect("a start changes the disk")
}

/// Several starts in a row, each under a protection of its own and each crashed somewhere. Pages that only the rollback of a loser changes are among
/// those that go home: their changes are in the log of a start that was cut short.
#[test]
fn many_starts_cut_short_under_changing_protections() {
    let all = ["full_page_writes", "double_write", "atomic", "off"];
    for from in PROTECTIONS {
        let disk = disk(13);
        let db = open_as(&disk, from).unwrap();
        let other = new_tree(&db);
        for i in 0..40 {
            put(&db, other, i, &[1; 600]);
        }
        let mut loser = db.begin(TxnOptions::default());
        for i in 0..40u32 {
            loser.put(other, &i.to_be_bytes(), &[7; 600]).unwrap();
        }
        let tree = half_home(&db);
        let crashed = disk.crash_copy(1);
        std::mem::forget(loser); // it never ends
        db.abandon();
        for seed in 0..700u64 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut disk = crashed.kill_copy();
            let mut what = format!("seed {seed}: {from}");
            for _ in 0..rng.u32(2..5) {
                let next = all[rng.usize(..all.len())];
                what += &format!(", {next}");
                disk = crash_in_a_start(&disk, tree, next, rng.u64(..));
            }
            let last = PROTECTIONS[rng.usize(..3)];
            what += &format!(", then {last}");
            let db = open_as(&disk, last).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_rows(&db, tree, 2, &what);
            assert_rows(&db, other, 1, &what);
            db.abandon();
        }
    }
}

/// A start under double write rolls a loser back, whose pages no image is logged for, and is cut short before they are home. The next start is under
/// full_page_writes, as the life was that the loser is from: what it writes home must not tear all the same.
#[test]
fn a_rollback_without_images_that_is_cut_short_is_protected_in_the_next_start() {
    let disk = disk(14);
    let db = open_as(&disk, "full_page_writes").unwrap();
    let other = new_tree(&db);
    (0..40).for_each(|i| put(&db, other, i, &[1; 600]));
    let mut loser = db.begin(TxnOptions::default());
    for i in 0..40u32 {
        loser.put(other, &i.to_be_bytes(), &[7; 600]).unwrap();
    }
    db.checkpoint().unwrap();
    let first = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
    std::mem::forget(loser); // it never ends
    db.abandon();
    let found: Arc<Mutex<Option<SimDisk>>> = Arc::default();
    let (sink, path) = (found.clone(), format!("data/{}", other.0));
    let see = move |call: &SimCall, disk: &SimDisk| {
        if call.kind == SimCallKind::Write && *call.path == *path {
            let cut = || disk.crash_copy_with(CrashPolicy::LoseUnsynced, 2);
            sink.lock().unwrap().get_or_insert_with(cut);
        }
    };
    let life = |disk: &SimDisk, protection| {
        let db = open_as(disk, protection).unwrap();
        db.checkpoint().unwrap();
        db.abandon();
    };
    watched(&first, see, || life(&first, "double_write"));
    let second = found.lock().unwrap().take().expect("the rollback's pages go home");
    let crashes = torn_at_home(&second, || life(&second, "full_page_writes"));
    for (what, crashed) in crashes {
        let db = open_as(&crashed, "full_page_writes").unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_rows(&db, other, 1, &what);
        db.abandon();
    }
}

/// The side file of a start that was the last to use it comes back in a crash: its copies are older than the pages, and repair nothing.
#[test]
fn copies_from_before_the_end_of_double_write_repair_nothing() {
    let disk = disk(15);
    let db = open_as(&disk, "double_write").unwrap();
    let tree = half_home(&db);
    let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
    db.abandon();
    let db = open_as(&crashed, "full_page_writes").unwrap();
    db.checkpoint().unwrap();
    assert!(db.stats().double_write_batches > 0);
    (0..40).for_each(|i| put(&db, tree, i, &[3; 600]));
    db.checkpoint().unwrap();
    let again = crashed.crash_copy_with(CrashPolicy::LoseUnsynced, 2);
    db.abandon();
    assert!(again.exists(SIDE_FILE).unwrap(), "its removal was not durable");
    let path = format!("data/{}", tree.0);
    for block in 1..again.contents(&path).unwrap().len() / PAGE_BYTES {
        let rotten = again.kill_copy();
        rotten.damage(&path, (block * PAGE_BYTES) as u64, &[0; 600]).unwrap();
        let db = open_as(&rotten, "full_page_writes").unwrap();
        assert_eq!(db.stats().torn_pages_repaired, 0, "block {block}");
        db.abandon();
    }
}

#[test]
fn a_life_after_a_change_uses_the_side_file_until_its_rounds_have_come_round() {
    for (to, images) in [("full_page_writes", true), ("off", false), ("atomic", false)] {
        let disk = disk(7);
        let db = open_as(&disk, "double_write").unwrap();
        let tree = half_home(&db);
        let crashed = disk.crash_copy(1);
        db.abandon();
        let db = open_as(&crashed, to).unwrap();
        // Redo has pages to write whose changes the log holds without images.
        assert_eq!(crashed.exists(SIDE_FILE).unwrap(), to != "atomic", "{to}");
        assert_eq!(db.is_changing_protection(), to != "atomic", "{to}");
        db.checkpoint().unwrap();
        assert_eq!(db.stats().double_write_batches > 0, to != "atomic", "{to}");
        assert!(!crashed.exists(SIDE_FILE).unwrap() && !db.is_changing_protection(), "{to}");
        let before = db.stats();
        for i in 0..40 {
            put(&db, tree, i, &[3; 600]);
        }
        db.checkpoint().unwrap();
        assert_eq!(db.stats().double_write_batches, before.double_write_batches, "{to}");
        assert_eq!(db.stats().wal_fpi > before.wal_fpi, images, "{to}");
        db.close().unwrap();
        drop(db);
        assert_rows(&open_as(&crashed, to).unwrap(), tree, 3, to);
    }
}

/// Images go on until the control file says that nobody relies on them any more.
#[test]
fn a_life_that_turns_protection_off_logs_images_until_its_rounds_have_come_round() {
    let disk = disk(16);
    let db = open_as(&disk, "full_page_writes").unwrap();
    let tree = half_home(&db);
    let crashed = disk.crash_copy(1);
    db.abandon();
    let db = open_as(&crashed, "off").unwrap();
    put(&db, tree, 0, &[3; 600]);
    let during = db.stats().wal_fpi;
    assert!(during > 0 && db.is_changing_protection());
    db.checkpoint().unwrap();
    assert!(!db.is_changing_protection());
    (0..40).for_each(|i| put(&db, tree, i, &[3; 600]));
    assert_eq!(db.stats().wal_fpi, during);
    db.abandon();
}

#[test]
fn atomic_refuses_to_start_where_the_disk_has_no_atomic_writes_of_a_page() {
    let without = SimDisk::new(SimOptions::default());
    match open_as(&without, "atomic") {
        Err(Error::InvalidArgument(why)) => {
            for part in [
                "torn_page_protection = atomic",
                "8192 bytes",
                "offer none",
                "full_page_writes or double_write",
            ] {
                assert!(why.contains(part), "{why}");
            }
        }
        other => panic!("{:?}", other.map(|_| ())),
    }
    assert!(without.list("").unwrap().is_empty(), "nothing is left behind");
    // A database that has been in use moves to such a disk.
    let tree = {
        let db = open_as(&without, "double_write").unwrap();
        let tree = half_home(&db);
        db.abandon();
        tree
    };
    assert!(matches!(open_as(&without, "atomic"), Err(Error::InvalidArgument(_))));
    assert_rows(&open_as(&without, "double_write").unwrap(), tree, 2, "another protection");
}

#[test]
fn atomic_writes_carry_no_images_and_use_no_side_file() {
    let disk = disk(8);
    let db = open_as(&disk, "atomic").unwrap();
    let tree = half_home(&db);
    let lens: Arc<Mutex<BTreeSet<u64>>> = Arc::default();
    let sink = lens.clone();
    let see = move |call: &SimCall, _: &SimDisk| {
        if call.kind == SimCallKind::Write && call.path.starts_with("data/") {
            assert!(call.len.is_power_of_two() && call.offset.is_multiple_of(call.len), "{call:?}");
            sink.lock().unwrap().insert(call.len);
        }
    };
    watched(&disk, see.clone(), || db.checkpoint().unwrap());
    put(&db, tree, 0, &[2; 601]); // a single page
    put(&db, tree, 0, &[2; 600]);
    watched(&disk, see, || db.checkpoint().unwrap());
    assert_eq!(*lens.lock().unwrap(), BTreeSet::from([8192, 16384]), "neighbours go together");
    assert_eq!((db.stats().wal_fpi, db.stats().double_write_batches), (0, 0));
    assert!(!disk.exists(SIDE_FILE).unwrap());
    assert_rows(&db, tree, 2, "atomic");
}

#[test]
fn a_disk_too_full_for_the_side_file_says_so_at_the_start() {
    let disk = disk(9);
    let db = open_as(&disk, "full_page_writes").unwrap();
    let tree = half_home(&db);
    db.close().unwrap();
    drop(db);
    let room = |bytes: u64| disk.set_capacity(disk.used_bytes() + bytes);
    room(100 << 10);
    match open_as(&disk, "double_write") {
        Err(Error::OutOfSpace { what }) => {
            assert!(what.contains("131072 bytes") && what.contains("double_write_size"), "{what}");
        }
        other => panic!("{:?}", other.map(|_| ())),
    }
    assert!(!disk.exists(SIDE_FILE).unwrap());
    room(10 << 20);
    let db = open_as(&disk, "double_write").unwrap();
    assert_rows(&db, tree, 2, "with room");
    db.abandon();
    // Once it is there, a start needs no room for it.
    disk.set_capacity(0);
    assert_rows(&open_as(&disk, "double_write").unwrap(), tree, 2, "on a full disk");
}

#[test]
fn the_side_file_changes_its_size_with_the_setting() {
    let disk = disk(10);
    let mut tree = None;
    for size in ["128kB", "1MB", "200kB", "200kB"] {
        let db = Database::open_on(
            Arc::new(disk.clone()),
            options("double_write").with("double_write_size", size).unwrap(),
        )
        .unwrap();
        let tree = *tree.get_or_insert_with(|| new_tree(&db));
        for i in 0..40 {
            put(&db, tree, i, &[4; 600]);
        }
        let bytes = disk.contents(SIDE_FILE).unwrap().len();
        assert_eq!(
            bytes,
            [("128kB", 131072), ("1MB", 1 << 20), ("200kB", 204800)].iter().find(|s| s.0 == size).unwrap().1
        );
        db.close().unwrap();
    }
    assert_rows(&open_as(&disk, "double_write").unwrap(), tree.unwrap(), 4, "at the end");
}

/// Backends, the cleaner and rounds write at the same time through a side file that has room for a few batches.
#[test]
fn threads_share_a_small_side_file() {
    for protection in ["double_write", "atomic"] {
        let disk = disk(11);
        let threaded = || {
            Options::default()
                .with("shared_buffers", "1MB")
                .and_then(|o| o.with("wal_segment_size", "256kB"))
                .and_then(|o| o.with("max_wal_size", "1MB"))
                .and_then(|o| o.with("bgwriter_delay", "1ms"))
                .and_then(|o| o.with("torn_page_protection", protection))
                .and_then(|o| o.with("double_write_size", "128kB"))
                .unwrap()
        };
        let db = Database::open_on(Arc::new(disk.clone()), threaded()).unwrap();
        let trees: Vec<TreeId> = (0..4).map(|_| new_tree(&db)).collect();
        std::thread::scope(|s| {
            for (n, tree) in trees.iter().enumerate() {
                let db = &db;
                s.spawn(move || {
                    for i in 0..800u32 {
                        put(db, *tree, i * 37 % 400, &[n as u8; 1500]);
                        if i % 200 == 199 {
                            db.checkpoint().unwrap();
                        }
                    }
                });
            }
        });
        let stats = db.stats();
        let crashed = disk.crash_copy(1);
        db.abandon();
        if protection == "double_write" {
            assert!(stats.double_write_batches > 100 && stats.double_write_home_syncs > 0, "{stats:?}");
        }
        let db = Database::open_on(Arc::new(crashed), threaded().without_threads()).unwrap();
        for (n, tree) in trees.iter().enumerate() {
            let rows = committed(&db, *tree).unwrap();
            assert!(rows.len() == 400 && rows.values().all(|v| v[..] == [n as u8; 1500]));
        }
        assert_sound(&db, protection);
        db.abandon();
    }
}

#[test]
fn a_side_file_on_a_real_file_system() {
    let dir = tempfile::tempdir().unwrap();
    let threaded = || {
        Options::default()
            .with("shared_buffers", "1MB")
            .and_then(|o| o.with("wal_segment_size", "1MB"))
            .and_then(|o| o.with("torn_page_protection", "double_write"))
            .and_then(|o| o.with("double_write_size", "256kB"))
            .unwrap()
    };
    let db = Database::open(dir.path(), threaded()).unwrap();
    let trees: Vec<TreeId> = (0..3).map(|_| new_tree(&db)).collect();
    std::thread::scope(|s| {
        for tree in &trees {
            let db = &db;
            s.spawn(move || {
                let mut t = db.begin(TxnOptions::default());
                for i in 0..600u32 {
                    t.put(*tree, &(i * 37 % 400).to_be_bytes(), &[5; 1500]).unwrap();
                }
                t.commit().unwrap();
                db.checkpoint().unwrap();
            });
        }
    });
    let stats = db.stats();
    assert!(stats.double_write_batches > 0 && stats.wal_fpi == 0, "{stats:?}");
    assert_eq!(std::fs::metadata(dir.path().join(SIDE_FILE)).unwrap().len(), 256 << 10);
    db.abandon();
    let db = Database::open(dir.path(), threaded()).unwrap();
    for tree in &trees {
        assert!(committed(&db, *tree).unwrap().len() == 400);
    }
    assert_sound(&db, "after a restart");
}

/// Changes the side file's heads, with a good checksum afterwards.
fn forge(disk: &SimDisk, change: impl Fn(&mut [u8])) {
    let bytes = disk.contents(SIDE_FILE).unwrap();
    for (i, block) in bytes.chunks(4096).enumerate().filter(|(_, b)| b.starts_with(b"EVKLDBW1")) {
        let mut head = block.to_vec();
        change(&mut head);
        let crc = crc32c::crc32c(&head[12..]);
        head[8..12].copy_from_slice(&crc.to_le_bytes());
        disk.damage(SIDE_FILE, i as u64 * 4096, &head).unwrap();
    }
}

/// What a side file says about a torn page is believed only if all of it fits; else the page is reported as damaged.
#[test]
fn a_forged_or_foreign_side_file_repairs_nothing_and_harms_nothing() {
    let disk = disk(12);
    let db = open_as(&disk, "double_write").unwrap();
    let tree = half_home(&db);
    let crashes = torn_at_home(&disk, || db.checkpoint().unwrap());
    db.abandon();
    type Change = fn(&mut [u8]);
    let changes: [(&str, Change, bool); 9] = [
        ("nothing", |_| {}, true),
        ("another database", |h| h[16] ^= 1, false),
        ("another life", |h| h[24] ^= 1, false),
        ("another place", |h| h[41] ^= 1, false),
        ("no pages", |h| h[12..16].fill(0), false),
        ("too many pages", |h| h[12..16].fill(0xFF), true),
        ("files that cannot be", |h| h[48..56].fill(0xFF), false),
        (
            "blocks behind the end",
            |h| (0..128).for_each(|i| h[48 + 24 * i + 8..48 + 24 * i + 12].fill(0xFF)),
            false,
        ),
        ("other checksums", |h| (0..128).for_each(|i| h[48 + 24 * i + 12] ^= 1), false),
    ];
    for (what, change, good) in changes {
        let (_, crashed) = &crashes[0];
        let crashed = crashed.kill_copy();
        forge(&crashed, change);
        match open_as(&crashed, "double_write") {
            Ok(db) if good => assert_rows(&db, tree, 2, what),
            Err(Error::Corrupt(why)) if !good => {
                assert!(why.what.contains("checksum does not match"), "{what}: {why}")
            }
            other => panic!("{what}: {:?}", other.map(|_| ())),
        }
    }
}

/// Nothing is dirty, and so little log was written that no round would be made known for its sake.
#[test]
fn a_change_of_protection_is_completed_on_an_idle_database() {
    let disk = disk(17);
    let with_partitions = |protection| options(protection).with("checkpoint_partitions", "4").unwrap();
    let open = |protection| Database::open_on(Arc::new(disk.clone()), with_partitions(protection)).unwrap();
    let db = open("double_write");
    let tree = half_home(&db);
    db.checkpoint().unwrap();
    db.abandon();
    let db = open("full_page_writes");
    for _ in 0..4 {
        assert!(db.is_changing_protection());
        db.step_round().unwrap();
    }
    assert!(!db.is_changing_protection() && !disk.exists(SIDE_FILE).unwrap());
    assert_rows(&db, tree, 2, "idle");
    db.abandon();
}

#[test]
fn a_change_waits_until_every_partition_has_had_its_round() {
    let disk = disk(77);
    let options = |how| small(77).with("torn_page_protection", how).unwrap();
    let db = Database::open_on(Arc::new(disk.clone()), options("double_write")).unwrap();
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    for key in 0..3000u32 {
        t.insert(tree, &key.to_be_bytes(), &[7; 400]).unwrap();
    }
    t.commit().unwrap();
    let db = Database::open_on(Arc::new(disk.crash_copy(77)), options("full_page_writes")).unwrap();
    let partitions = db.checkpoint_partitions().len();
    assert!(partitions > 1 && db.is_changing_protection());
    // The log of the life before has no images, and its redo points count as long as one of them is there.
    for round in 1..partitions {
        db.step_round().unwrap();
        assert!(db.is_changing_protection(), "after {round} of {partitions} rounds");
    }
    db.step_round().unwrap();
    assert!(!db.is_changing_protection());
}
