//! Where the log ends: what a failed sync left in a cache is not built on, and damage in log that was durable is refused, or healed from the archive, and never
//! taken for the end.

mod common;
use common::*;
use evenkeel::archive::MemoryStore;
use evenkeel::io::{
    Access, CrashPolicy, Disk, Fault, OpenMode, SimCallKind, SimDisk, SimOptions, write_all_at,
};
use evenkeel::{Database, Error, Options, TreeId, TxnOptions};
use std::io::IoSlice;
use std::sync::Arc;

fn put(db: &Database, tree: TreeId, i: u32) -> evenkeel::Result<()> {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &i.to_be_bytes(), &[i as u8; 200])?;
    t.commit().map(drop)
}

fn has(db: &Database, tree: TreeId, i: u32) -> bool {
    committed(db, tree).unwrap().contains_key(&i.to_be_bytes()[..])
}

fn segments(disk: &SimDisk) -> Vec<String> {
    disk.list("wal").unwrap().into_iter().filter(|n| n.len() == 16).map(|n| format!("wal/{n}")).collect()
}

fn aside(disk: &SimDisk) -> usize {
    disk.list("wal").unwrap().iter().filter(|n| n.starts_with("aside-")).count()
}

/// Turns one bit over.
fn flip(disk: &SimDisk, path: &str, offset: usize, bit: u8) {
    let byte = disk.contents(path).unwrap()[offset];
    disk.damage(path, offset as u64, &[byte ^ (1 << bit)]).unwrap();
}

/// A failed sync of the log leaves bytes in the cache that no later sync writes. A restart of the process reads them; what it acknowledges must not depend on
/// them.
#[test]
fn nothing_is_built_on_log_that_only_the_cache_has() {
    for seed in 1..60 {
        let disk = SimDisk::new(SimOptions { seed, log_needs_sync: true, ..SimOptions::default() });
        let db = open(&disk, seed).unwrap();
        let tree = new_tree(&db);
        (0..20).for_each(|i| put(&db, tree, i).unwrap());
        disk.set_fault(Some(Box::new(|c| {
            let is_log = c.kind == SimCallKind::Sync && c.path.starts_with("wal/");
            if is_log { Fault::EioDropped } else { Fault::None }
        })));
        assert!(put(&db, tree, 20).is_err(), "seed {seed}");
        assert!(db.poisoned().is_some());
        disk.set_fault(None);
        let next = disk.kill_copy();
        db.abandon();
        let db = open(&next, seed + 1).unwrap();
        (100..200).for_each(|i| put(&db, tree, i).unwrap());
        let cut = next.crash_copy(seed);
        db.abandon();
        let db = open(&cut, seed + 2).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let rows = committed(&db, tree).unwrap();
        let there = (0..20).chain(100..200).filter(|i: &u32| rows.contains_key(&i.to_be_bytes()[..])).count();
        assert_eq!(there, 120, "seed {seed}: acknowledged commits are lost");
        assert_sound(&db, &format!("seed {seed}"));
    }
}

/// The same for data pages that go through the cache: a round that failed is not made good by the next process's sync.
#[test]
fn nothing_is_built_on_pages_that_only_the_cache_has() {
    for (protection, seed) in
        ["full_page_writes", "double_write"].into_iter().flat_map(|p| (1..25).map(move |s| (p, s)))
    {
        let options = |s| small(s).with("torn_page_protection", protection).unwrap();
        let sim = SimOptions { seed, log_needs_sync: true, data_cached: true, ..SimOptions::default() };
        let disk = SimDisk::new(sim);
        let db = open_with(&disk, options(seed));
        let tree = new_tree(&db);
        (0..200).for_each(|i| put(&db, tree, i).unwrap());
        // The pages are older than the log that is to be redone: it does not make them anew.
        db.checkpoint().unwrap();
        for i in 0..200u32 {
            let mut t = db.begin(TxnOptions::default());
            t.put(tree, &i.to_be_bytes(), &[99; 200]).unwrap();
            t.commit().unwrap();
        }
        disk.set_fault(Some(Box::new(|c| {
            let is_data = c.kind == SimCallKind::Sync && c.path.starts_with("data/");
            if is_data { Fault::EioDropped } else { Fault::None }
        })));
        assert!(db.checkpoint().is_err(), "seed {seed}");
        assert!(db.poisoned().is_some());
        disk.set_fault(None);
        let next = disk.kill_copy();
        db.abandon();
        let db = open_with(&next, options(seed + 1));
        db.checkpoint().unwrap();
        let cut = next.crash_copy(seed);
        db.abandon();
        let db = open_with(&cut, options(seed + 2));
        let rows = committed(&db, tree).unwrap_or_else(|e| panic!("{protection}, seed {seed}: {e}"));
        let newest = rows.values().filter(|v| v[..] == [99; 200]).count();
        assert_eq!((rows.len(), newest), (200, 200), "{protection}, seed {seed}: acknowledged rows are lost");
        assert_sound(&db, &format!("{protection}, seed {seed}"));
    }
}

/// A failed sync of the control file: the next process must not overwrite the one slot that is on the disk while the other is in a cache only.
#[test]
fn a_control_file_that_only_the_cache_has_is_written_again_first() {
    for seed in 1..12 {
        let sim = SimOptions { seed, log_needs_sync: true, data_cached: true, ..SimOptions::default() };
        let disk = SimDisk::new(sim);
        let db = open(&disk, seed).unwrap();
        let tree = new_tree(&db);
        // The slot before the last durable one speaks of log that is not there any more.
        for round in 0..4 {
            (0..250).for_each(|i| put(&db, tree, round * 250 + i).unwrap());
            db.checkpoint().unwrap();
        }
        (1000..4000).for_each(|i| put(&db, tree, i).unwrap());
        disk.set_fault(Some(Box::new(|c| {
            let is_control = c.kind == SimCallKind::Sync && &*c.path == "control";
            if is_control { Fault::EioDropped } else { Fault::None }
        })));
        assert!(db.checkpoint().is_err(), "seed {seed}");
        disk.set_fault(None);
        let next = disk.kill_copy();
        db.abandon();
        // The power fails at any of the next start's first writes.
        let crashes: Arc<std::sync::Mutex<Vec<SimDisk>>> = Arc::default();
        let seen = crashes.clone();
        let mut n = 0;
        next.set_hook(Some(Box::new(move |call, disk| {
            if &*call.path == "control" {
                n += 1;
                let mut seen = seen.lock().unwrap();
                seen.push(disk.crash_copy(seed * 100 + n));
                if call.kind == SimCallKind::Write {
                    let torn = disk.crash_copy_with(CrashPolicy::LoseUnsynced, n);
                    torn.damage("control", call.offset + 512, &[0xAA; 512]).unwrap();
                    seen.push(torn);
                }
            }
        })));
        let db = open(&next, seed + 1).unwrap();
        next.set_hook(None);
        db.abandon();
        let crashes = std::mem::take(&mut *crashes.lock().unwrap());
        assert!(crashes.len() >= 4, "{}", crashes.len());
        for crash in crashes {
            let db = open(&crash, seed + 2).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert_eq!(committed(&db, tree).unwrap().len(), 4000, "seed {seed}");
        }
    }
}

/// A killed database with `rows` acknowledged rows, of which those from 100 on are in the log only. The log segments that hold these.
fn killed(seed: u64, rows: u32) -> (SimDisk, TreeId, Vec<String>) {
    let (disk, db) = fresh(seed);
    let tree = new_tree(&db);
    (0..100).for_each(|i| put(&db, tree, i).unwrap());
    db.checkpoint().unwrap();
    let before = segments(&disk);
    (100..rows).for_each(|i| put(&db, tree, i).unwrap());
    let killed = disk.kill_copy();
    db.abandon();
    let last = before.last().unwrap().clone();
    let log = segments(&killed).into_iter().filter(|s| *s >= last).collect();
    (killed, tree, log)
}

#[test]
fn a_flipped_bit_in_the_middle_of_the_log_is_refused_and_nothing_is_removed() {
    let (disk, tree, log) = killed(1, 2000);
    let mut rng = fastrand::Rng::with_seed(7);
    let (mut refused, mut harmless, mut lost_end) = (0, 0, 0);
    for _ in 0..120 {
        let copy = disk.crash_copy_with(CrashPolicy::KeepAll, 1);
        let path = &log[rng.usize(..log.len())];
        let offset = rng.usize(..65536);
        flip(&copy, path, offset, rng.u8(..8));
        let before = segments(&copy);
        match open(&copy, 2) {
            Ok(db) => {
                let n = committed(&db, tree).unwrap().len();
                // Of the last gang nothing behind it proves that it was durable.
                assert!(n >= 1999, "{path} at {offset}: {n} of 2000 rows are left");
                if n == 2000 { harmless += 1 } else { lost_end += 1 }
            }
            Err(Error::Corrupt(why)) => {
                refused += 1;
                assert!(why.what.contains("damaged at") && why.to_string().contains("wal give-up"), "{why}");
                assert_eq!(segments(&copy), before, "nothing is removed");
                assert_eq!(aside(&copy), 0);
            }
            Err(e) => panic!("{path} at {offset}: {e}"),
        }
    }
    println!("{refused} refused, {harmless} harmless, {lost_end} in the last gang");
    assert!(refused > 60 && lost_end < 10);
}

/// Segments are made in order, and get their names with their headers: one that the log goes on in was there, whatever is left of it.
#[test]
fn a_segment_that_is_gone_where_the_log_goes_on_is_missed() {
    let (disk, db) = fresh(2);
    let tree = new_tree(&db);
    (0..100).for_each(|i| put(&db, tree, i).unwrap());
    db.checkpoint().unwrap();
    let before = segments(&disk);
    (100..900).for_each(|i| put(&db, tree, i).unwrap());
    // The next one is ready before it is needed.
    let used = segments(&disk);
    while segments(&disk).len() == used.len() {
        put(&db, tree, 1000).unwrap();
        db.step_log_writer().unwrap();
    }
    assert!(used.len() > before.len() + 2);
    let rows = committed(&db, tree).unwrap();
    let killed = disk.kill_copy();
    db.abandon();
    for victim in &used[before.len() - 1..] {
        for left in [None, Some(0), Some(4096), Some(30_000 / 4096 * 4096)] {
            let copy = killed.crash_copy_with(CrashPolicy::KeepAll, 1);
            match left {
                None => copy.remove(victim).unwrap(),
                Some(bytes) => {
                    let file = copy.open(victim, OpenMode::Existing, Access::Buffered).unwrap();
                    file.truncate(bytes).unwrap();
                }
            }
            let before = segments(&copy);
            match open(&copy, 3) {
                Ok(db) => assert!(
                    committed(&db, tree).unwrap() == rows,
                    "{victim}, {left:?} bytes left: rows are lost"
                ),
                Err(Error::Corrupt(why)) => assert!(why.what.contains("damaged at"), "{why}"),
                Err(e) => panic!("{victim}: {e}"),
            }
            if left.is_none() {
                assert_eq!(segments(&copy), before, "nothing is removed");
            }
        }
    }
}

/// Names in the log's folder that no log reaches, as a file system may have made of others: nobody counts up to them.
#[test]
fn a_stray_name_in_the_logs_folder_holds_up_nothing() {
    for name in ["ffffffffffffffff", "7fffffffffffffff", "0000000100000002", "00000000f0000000"] {
        for bytes in [&b""[..], b"something"] {
            let (disk, tree, _) = killed(3, 200);
            let file = disk.open(&format!("wal/{name}"), OpenMode::CreateNew, Access::Buffered).unwrap();
            write_all_at(&*file, &mut [IoSlice::new(bytes)], 0).unwrap();
            let began = std::time::Instant::now();
            match open(&disk, 4) {
                Ok(db) => assert_eq!(committed(&db, tree).unwrap().len(), 200),
                Err(e) => assert!(e.to_string().contains("damaged at"), "{name}: {e}"),
            }
            assert!(began.elapsed().as_secs() < 20, "{name}");
        }
    }
}

/// A page goes home when its log is durable. One that is newer than the end of the log says that the log went on, where nothing in the log itself does.
#[test]
fn a_page_that_is_newer_than_the_log_says_that_log_is_missing() {
    let options = |s| small(s).with("torn_page_protection", "double_write").unwrap();
    let disk = disk(27);
    let db = open_with(&disk, options(27));
    let tree = new_tree(&db);
    (0..3000).for_each(|i| put(&db, tree, i).unwrap());
    db.checkpoint().unwrap();
    let first = segments(&disk).last().unwrap().clone();
    // More pages than the pool has frames: some go home.
    for i in (0..6000u32).map(|n| n * 7) {
        let mut t = db.begin(TxnOptions::default());
        let value: Vec<u8> = (0..200).map(|n| (i as usize * 7 + n * n) as u8).collect();
        t.put(tree, &(i % 3000).to_be_bytes(), &value).unwrap();
        t.commit().unwrap();
    }
    while db.step_clean().unwrap() > 0 {}
    let killed = disk.kill_copy();
    db.abandon();
    let log: Vec<String> = segments(&killed).into_iter().filter(|s| *s > first).collect();
    assert!(log.len() > 3);
    // Nothing of the log is left that could tell.
    log[1..].iter().for_each(|s| killed.remove(s).unwrap());
    let start = |seed| Database::open_on(Arc::new(killed.clone()), options(seed));
    let e = start(28).map(drop).unwrap_err().to_string();
    assert!(e.contains("has a change that was logged up to"), "{e}");
    assert_eq!(start(29).map(drop).unwrap_err().to_string(), e, "nothing was changed");
    let from: evenkeel::Lsn = e.rsplit("--from ").next().unwrap().trim().parse().unwrap();
    let given = evenkeel::give_up_log_on(Arc::new(killed.clone()), from).unwrap();
    assert!(given.newer_pages > 0);
    for seed in [30, 31] {
        let db = start(seed).unwrap();
        assert!(db.read_only_because().unwrap().contains("given up"));
        db.close().unwrap();
    }
}

#[test]
fn the_message_says_where_the_damage_is_and_what_lies_behind() {
    let (disk, _, log) = killed(1, 2000);
    flip(&disk, &log[1], 20000, 0);
    let why = open(&disk, 2).map(drop).unwrap_err().to_string();
    assert!(why.contains(&log[1]) && why.contains("durable up to"), "{why}");
    let commits: u64 = why.split(" commits").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert!(commits > 500, "{why}");
    // It says so again, as nothing was changed.
    assert_eq!(open(&disk, 3).map(drop).unwrap_err().to_string(), why);
}

#[test]
fn a_lost_or_misdirected_log_write_is_found() {
    for (seed, fault) in (1..20).flat_map(|s| [(s, Fault::Lost), (s, Fault::Misdirected(32768))]) {
        let (disk, db) = fresh(seed);
        let tree = new_tree(&db);
        (0..50).for_each(|i| put(&db, tree, i).unwrap());
        let mut done = false;
        disk.set_fault(Some(Box::new(move |c| {
            // A commit's write, not the last one before the crash, of whole blocks that no later write repeats.
            let is_it = !done && c.kind == SimCallKind::Write && c.path.starts_with("wal/") && c.len >= 8192;
            done |= is_it;
            if is_it { fault } else { Fault::None }
        })));
        let mut big = db.begin(TxnOptions::default());
        for i in 1000..1060u32 {
            big.put(tree, &i.to_be_bytes(), &[7; 200]).unwrap();
        }
        big.commit().unwrap();
        (50..100).for_each(|i| put(&db, tree, i).unwrap());
        disk.set_fault(None);
        let cut = disk.crash_copy(seed);
        db.abandon();
        match open(&cut, seed + 1) {
            Ok(db) => assert_eq!(committed(&db, tree).unwrap().len(), 160, "seed {seed}, {fault:?}"),
            Err(e) => assert!(e.to_string().contains("damaged at"), "seed {seed}, {fault:?}: {e}"),
        }
    }
}

/// A later life's first segment says where the one before ended: bytes of the earlier life that come to light behind that do not count.
#[test]
fn what_a_successor_says_of_the_end_outranks_bytes() {
    let (disk, db) = fresh(5);
    let tree = new_tree(&db);
    (0..300).for_each(|i| put(&db, tree, i).unwrap());
    // The log of this life as it would have gone on, had it not crashed before.
    let crashed = disk.crash_copy(1);
    (300..400).for_each(|i| put(&db, tree, i).unwrap());
    let further = disk.crash_copy(1);
    db.abandon();
    let db = open(&crashed, 6).unwrap();
    (1000..1100).for_each(|i| put(&db, tree, i).unwrap());
    let end = crashed.crash_copy(2);
    db.abandon();
    let last_of_first_life = {
        let n: Vec<String> = segments(&end).into_iter().filter(|s| segments(&further).contains(s)).collect();
        let same = |s: &String| {
            let (a, b) = (end.contents(s).unwrap(), further.contents(s).unwrap());
            a[..72] == b[..72] && a != b
        };
        n.into_iter().find(same).expect("the segment in which the first life ended")
    };
    end.damage(&last_of_first_life, 0, &further.contents(&last_of_first_life).unwrap()).unwrap();
    let db = open(&end, 7).unwrap();
    let rows = committed(&db, tree).unwrap();
    assert_eq!(rows.len(), 400, "300 of the first life, 100 of the second");
    assert!(!has(&db, tree, 300) && has(&db, tree, 1099));
}

#[test]
fn damage_before_a_later_life_is_refused_too() {
    let (disk, tree, log) = killed(9, 800);
    let db = open(&disk, 10).unwrap();
    (5000..5050).for_each(|i| put(&db, tree, i).unwrap());
    let end = disk.crash_copy(3);
    db.abandon();
    for victim in &log {
        let copy = end.crash_copy(1);
        flip(&copy, victim, 5000, 3);
        let n = open(&copy, 11).map(|db| committed(&db, tree).unwrap().len());
        match n {
            Ok(n) => assert_eq!(n, 850, "{victim}"),
            Err(e) => assert!(e.to_string().contains("damaged at"), "{victim}: {e}"),
        }
    }
    // The header of the later life's first segment.
    let first = segments(&end).into_iter().find(|s| !log.contains(s) && *s > log[0]).unwrap();
    flip(&end, &first, 20, 0);
    let e = open(&end, 12).map(drop).unwrap_err();
    assert!(e.to_string().contains("damaged at"), "{e}");
}

#[test]
fn a_damaged_segment_comes_back_from_the_archive() {
    for (protection, seed) in
        ["full_page_writes", "double_write"].into_iter().flat_map(|p| (1..8).map(move |s| (p, s)))
    {
        let store = MemoryStore::new();
        let options = |s: u64| -> Options {
            archived(s, &store)
                .with("torn_page_protection", protection)
                .unwrap()
                .with("max_wal_size", "8MB")
                .unwrap()
        };
        let disk = disk(seed);
        let db = open_with(&disk, options(seed));
        let tree = new_tree(&db);
        (0..100).for_each(|i| put(&db, tree, i).unwrap());
        db.checkpoint().unwrap();
        let first = segments(&disk).last().unwrap().clone();
        for i in 100..1500 {
            put(&db, tree, i).unwrap();
            if i % 50 == 0 {
                while db.step_archive(std::time::Duration::from_secs(u64::from(i))).unwrap() > 0 {}
            }
        }
        let killed = disk.kill_copy();
        db.abandon();
        let log: Vec<String> = segments(&killed).into_iter().filter(|s| *s > first).collect();
        let victim = &log[seed as usize % 3];
        flip(&killed, victim, 10_000 + seed as usize * 997, 1);
        let db = Database::open_on(Arc::new(killed.clone()), options(seed + 1))
            .unwrap_or_else(|e| panic!("{protection}, seed {seed}: {e}"));
        assert_eq!(committed(&db, tree).unwrap().len(), 1500, "{protection}, seed {seed}");
        assert_eq!(aside(&killed), 1, "the damaged file is kept");
        (2000..2100).for_each(|i| put(&db, tree, i).unwrap());
        assert_sound(&db, "healed");
        // Crashes go on to be survived while the start still depends on the log without images.
        let cut = killed.crash_copy(seed);
        db.abandon();
        let db = open_with(&cut, options(seed + 2));
        assert_eq!(committed(&db, tree).unwrap().len(), 1600, "{protection}, seed {seed}");
        (0..3).for_each(|_| db.checkpoint().unwrap());
        assert!(!db.is_changing_protection());
        db.close().unwrap();
    }
}

/// Each slot by itself: damage, or an error of the medium, in one leaves the other, whichever state the database is in.
#[test]
fn a_control_file_with_one_damaged_slot_opens() {
    for seed in 1..6 {
        let (disk, db) = fresh(seed);
        let tree = new_tree(&db);
        (0..30).for_each(|i| put(&db, tree, i).unwrap());
        let just_created = disk.crash_copy(1);
        db.checkpoint().unwrap();
        (30..60).for_each(|i| put(&db, tree, i).unwrap());
        let running = disk.crash_copy(2);
        db.close().unwrap();
        let clean = disk.crash_copy(3);
        let db = open(&clean.crash_copy(1), seed + 1).unwrap();
        db.abandon();
        let started = {
            let copy = clean.crash_copy(4);
            let db = open(&copy, seed + 1).unwrap();
            put(&db, tree, 60).unwrap();
            let crashed = copy.crash_copy(5);
            db.abandon();
            crashed
        };
        for (state, what, rows) in [
            (&just_created, "created", 30),
            (&running, "running", 60),
            (&clean, "clean", 60),
            (&started, "started", 61),
        ] {
            for slot in 0..2usize {
                let rotten = state.crash_copy(6);
                flip(&rotten, "control", slot * 4096 + 100, 2);
                let db = open(&rotten, seed + 2).unwrap_or_else(|e| panic!("{what}, slot {slot}: {e}"));
                assert_eq!(committed(&db, tree).unwrap().len(), rows, "{what}, slot {slot}");
                drop(db);
                let unreadable = state.crash_copy(7);
                unreadable.set_fault(Some(Box::new(move |c| {
                    let is_it = &*c.path == "control"
                        && c.kind == SimCallKind::Read
                        && (c.offset..c.offset + c.len).contains(&(slot as u64 * 4096));
                    if is_it { Fault::Eio } else { Fault::None }
                })));
                let db = open(&unreadable, seed + 3).unwrap_or_else(|e| panic!("{what}, slot {slot}: {e}"));
                assert_eq!(committed(&db, tree).unwrap().len(), rows, "{what}, slot {slot} unreadable");
            }
        }
    }
}

#[test]
fn giving_up_takes_the_very_place_and_keeps_the_files() {
    let (disk, tree, log) = killed(21, 1500);
    flip(&disk, &log[2], 30_000, 4);
    let e = open(&disk, 2).map(drop).unwrap_err().to_string();
    let from: evenkeel::Lsn = e.rsplit("--from ").next().unwrap().trim().parse().unwrap();
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    let wrong = evenkeel::give_up_log_on(shared.clone(), evenkeel::Lsn(from.0 + 1)).unwrap_err();
    assert!(wrong.to_string().contains("nothing was given up"), "{wrong}");
    assert_eq!(aside(&disk), 0);

    let given = evenkeel::give_up_log_on(shared.clone(), from).unwrap();
    assert_eq!((given.damage.at, given.newer_pages), (from, 0));
    assert!(given.txids.len() > 100 && given.damage.behind.commits == given.txids.len() as u64, "{given:?}");
    assert_eq!(given.set_aside.len(), aside(&disk));

    let db = open(&disk, 3).unwrap();
    let n = committed(&db, tree).unwrap().len();
    // Nothing is lost but what was given up, and at most the damaged record.
    assert!(
        (1500 - given.txids.len() - 1..=1500 - given.txids.len()).contains(&n),
        "{n} {}",
        given.txids.len()
    );
    assert!(db.read_only_because().is_none(), "no page was newer");
    put(&db, tree, 9999).unwrap();
    let report = evenkeel::check::check_open_database(&db, &mut |_| {}).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_eq!(report.notes.len(), given.set_aside.len(), "{:?}", report.notes);
    db.close().unwrap();
    drop(db);
    let again = evenkeel::give_up_log_on(shared, from).unwrap_err();
    assert!(again.to_string().contains("not damaged"), "{again}");
}

/// Also when all that can be done is to set files aside, since the damaged segment has no header any more.
#[test]
fn what_was_given_up_stays_given_up_after_a_power_cut() {
    for (offset, seed) in [(30_000, 24), (40, 25)] {
        let (disk, tree, log) = killed(seed, 1500);
        flip(&disk, &log[2], offset, 4);
        let e = open(&disk, 2).map(drop).unwrap_err().to_string();
        let from: evenkeel::Lsn = e.rsplit("--from ").next().unwrap().trim().parse().unwrap();
        evenkeel::give_up_log_on(Arc::new(disk.clone()), from).unwrap();
        let cut = disk.crash_copy_with(CrashPolicy::LoseUnsynced, seed);
        let (cut, killed) = (open(&cut, 3).unwrap(), open(&disk.kill_copy(), 3).unwrap());
        assert!(has(&cut, tree, 99), "header or middle, at {offset}");
        assert!(committed(&cut, tree).unwrap() == committed(&killed, tree).unwrap(), "at {offset}");
    }
}

/// Pages that went home after the damaged place hold what can neither be undone nor completed: the database is for reading only, and says so for ever.
#[test]
fn with_newer_pages_at_home_it_can_only_be_read() {
    let (disk, db) = fresh(22);
    let tree = new_tree(&db);
    (0..100).for_each(|i| put(&db, tree, i).unwrap());
    db.checkpoint().unwrap();
    let last = segments(&disk).last().unwrap().clone();
    for i in 100..3000 {
        put(&db, tree, i).unwrap();
    }
    // Pages go home behind the damage to come, without a round that would make the log unneeded.
    while db.step_clean().unwrap() > 0 {}
    let disk2 = disk.kill_copy();
    db.abandon();
    let log: Vec<String> = segments(&disk2).into_iter().filter(|s| *s > last).collect();
    flip(&disk2, &log[0], 30_000, 4);
    let e = open(&disk2, 2).map(drop).unwrap_err().to_string();
    let from: evenkeel::Lsn = e.rsplit("--from ").next().unwrap().trim().parse().unwrap();
    let given = evenkeel::give_up_log_on(Arc::new(disk2.clone()), from).unwrap();
    assert!(given.newer_pages > 0);
    for seed in [3, 4] {
        let db = open(&disk2, seed).unwrap();
        assert!(db.read_only_because().unwrap().contains("given up"));
        assert!(matches!(put(&db, tree, 1), Err(Error::ReadOnlyDatabase(_))));
        assert!(has(&db, tree, 50));
        let report = evenkeel::check::check_open_database(&db, &mut |_| {}).unwrap();
        assert!(report.problems.iter().any(|p| p.contains("can only be read")), "{:?}", report.problems);
        db.close().unwrap();
    }
}

#[test]
fn check_reads_the_log() {
    let (disk, db) = fresh(23);
    let tree = new_tree(&db);
    (0..1500).for_each(|i| put(&db, tree, i).unwrap());
    let report = evenkeel::check::check_open_database(&db, &mut |_| {}).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert!(report.log_records > 1500 && report.log_bytes > 1500 * 200, "{report:?}");
    let victim = segments(&disk)[1].clone();
    flip(&disk, &victim, 20_000, 1);
    let report = evenkeel::check::check_open_database(&db, &mut |_| {}).unwrap();
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    assert!(report.problems[0].contains(&victim), "{:?}", report.problems);
    db.abandon();
}

/// The log writer goes ahead by whole blocks: what is durable then ends in the middle of a record, which is not damage.
#[test]
fn check_reads_a_log_whose_last_record_is_half_durable() {
    let disk = disk(24);
    let options = Options::default().with("wal_writer_flush_after", "8kB").unwrap();
    let db = open_with(&disk, options.with("wal_writer_delay", "10s").unwrap());
    let tree = new_tree(&db);
    let (mut met, start) = (0, std::time::Instant::now());
    for i in 0u32.. {
        let durability = evenkeel::Durability::Async;
        let mut t = db.begin(TxnOptions { durability, ..TxnOptions::default() });
        t.put(tree, &i.to_be_bytes(), &[7; 1500]).unwrap();
        t.commit().unwrap();
        let stats = db.stats();
        if stats.wal_flushed_lsn.is_multiple_of(4096) && stats.wal_flushed_lsn < stats.wal_lsn {
            assert_sound(&db, "with half a record on disk");
            met += 1;
        }
        if met == 20 {
            break;
        }
        assert!(start.elapsed().as_secs() < 60, "the log writer does not go ahead: {i} rows");
    }
    db.abandon();
}

/// Where nothing is made durable, nothing says that it is: after a power cut the log has holes, and is no more damaged than was asked for.
#[test]
fn without_fsync_holes_in_the_log_are_its_end() {
    for (fsync, refused) in [("off", false), ("on", true)] {
        let disk = disk(31);
        let db = open_with(&disk, small(31).with("fsync", fsync).unwrap());
        let tree = new_tree(&db);
        (0..500).for_each(|i| put(&db, tree, i).unwrap());
        let cut = disk.crash_copy(1);
        db.abandon();
        let segment = segments(&cut)[1].clone();
        flip(&cut, &segment, 20_000, 0);
        assert_eq!(open(&cut, 32).is_err(), refused, "fsync = {fsync}");
    }
}

/// A life without syncs says nothing of how far its log was durable, and leaves a transaction to be undone from all of it. The next life syncs: once it is
/// open, a power cut must not take what that undo needs.
#[test]
fn a_start_makes_all_log_durable_that_the_life_before_left_in_a_cache() {
    let disk = SimDisk::new(SimOptions { seed: 41, log_needs_sync: true, ..SimOptions::default() });
    let db = open(&disk, 41).unwrap();
    let tree = new_tree(&db);
    db.close().unwrap();
    drop(db);
    disk.set_fault(Some(Box::new(|c| {
        let is_log = c.kind == SimCallKind::Sync && c.path.starts_with("wal/");
        if is_log { Fault::Lost } else { Fault::None }
    })));
    let db = open_with(&disk, small(42).with("fsync", "off").unwrap());
    (0..100).for_each(|i| put(&db, tree, i).unwrap());
    let mut unfinished = db.begin(TxnOptions::default());
    (0..1500u32).for_each(|i| unfinished.put(tree, &i.to_be_bytes(), &[7; 150]).unwrap());
    db.step_round().unwrap();
    put(&db, tree, 2000).unwrap();
    assert!(segments(&disk).len() > 4, "the round's record lies far behind the transaction's first");
    disk.set_fault(None);
    let killed = disk.kill_copy();
    std::mem::forget(unfinished);
    db.abandon();
    let db = open(&killed, 43).unwrap();
    let cut = killed.crash_copy_with(CrashPolicy::LoseUnsynced, 44);
    db.abandon();
    let db = open(&cut, 45).unwrap_or_else(|e| panic!("the log that the undo needs is gone: {e}"));
    let rows = committed(&db, tree).unwrap();
    assert_eq!(rows.len(), 101);
    assert!(rows.iter().all(|(k, v)| v == &[k[3]; 200]), "the rows as they were before the transaction");
    assert_sound(&db, "after all");
}
