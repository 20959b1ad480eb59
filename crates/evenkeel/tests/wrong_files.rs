//! Files of a database that are gone, cut short, emptied, or of another time, as a partial copy or a repaired file system leaves them: each is refused, or reported by whoever meets it, or does no
//! harm; acknowledged rows are never missing in silence.
//!
//! `EVENKEEL_WRONG_FILES_SHOW=1` prints what came of each.

mod common;

use common::pair::{LONG, Pair, SLOT, open_standby, try_send_up_to};
use common::*;
use evenkeel::io::{Access, CrashPolicy, Disk, OpenMode, SimDisk, write_all_at};
use evenkeel::{Database, Error, Lsn, Options, TreeId, TxnOptions};
use std::collections::BTreeMap;
use std::io::IoSlice;
use std::sync::Arc;

const PROTECTIONS: [&str; 3] = ["full_page_writes", "double_write", "atomic"];

fn options(seed: u64, protection: &str) -> Options {
    small(seed)
        .with("torn_page_protection", protection)
        .and_then(|o| o.with("double_write_size", "128kB"))
        .and_then(|o| o.with("max_wal_size", "1MB"))
        .unwrap()
}

fn open_under(disk: &SimDisk, seed: u64, protection: &str) -> evenkeel::Result<Database> {
    Database::open_on(Arc::new(disk.clone()), options(seed, protection))
}

/// All files of a folder.
fn files(disk: &SimDisk) -> Vec<String> {
    let mut all: Vec<String> =
        disk.list("").unwrap().into_iter().filter(|n| n != "lock" && n != "undo.scratch").collect();
    for dir in ["data", "wal"] {
        all.extend(disk.list(dir).unwrap().into_iter().map(|n| format!("{dir}/{n}")));
    }
    all
}

/// Puts bytes in the place of a file, which may be missing.
fn put_file(disk: &SimDisk, path: &str, bytes: &[u8]) {
    let file = disk.open(path, OpenMode::CreateIfMissing, Access::Buffered).unwrap();
    file.truncate(0).unwrap();
    write_all_at(&*file, &mut [IoSlice::new(bytes)], 0).unwrap();
    file.sync().unwrap();
}

/// A database with a past: as it was then, and as it is now, closed or killed, with all that it has.
struct Told {
    then: SimDisk,
    now: SimDisk,
    trees: Vec<TreeId>,
    rows: BTreeMap<TreeId, Rows>,
    protection: &'static str,
    state: &'static str,
}

impl Told {
    fn new(seed: u64, protection: &'static str, state: &'static str) -> Told {
        let disk = disk(seed);
        let mut db = open_under(&disk, seed, protection).unwrap();
        let trees: Vec<TreeId> = (0..3).map(|_| new_tree(&db)).collect();
        let work = |db: &Database, from: u64, to: u64| {
            for n in from..to {
                let tree = trees[n as usize % 3];
                write(db, tree, n).unwrap();
                if n % 9 == 0 {
                    let mut t = db.begin(TxnOptions::default());
                    t.put(tree, &n.to_be_bytes(), &vec![n as u8; 20_000]).unwrap();
                    t.commit().unwrap();
                }
                match n % 12 {
                    5 => db.step_round().unwrap(),
                    7 => drop(db.step_clean().unwrap()),
                    9 => drop(db.step_purge().unwrap()),
                    _ => {}
                }
            }
        };
        work(&db, 0, 60);
        // A start between: another life of the log.
        let then = match state {
            "closed" => {
                db.close().unwrap();
                drop(db);
                let then = disk.kill_copy();
                db = open_under(&disk, seed + 1, protection).unwrap();
                then
            }
            _ => disk.kill_copy(),
        };
        work(&db, 60, 200);
        let rows = trees.iter().map(|t| (*t, committed(&db, *t).unwrap())).collect();
        if state == "closed" {
            db.close().unwrap();
        }
        let now = disk.kill_copy();
        db.abandon();
        Told { then, now, trees, rows, protection, state }
    }

    /// A copy of how it is now, to be changed.
    fn copy(&self) -> SimDisk {
        self.now.crash_copy_with(CrashPolicy::KeepAll, 1)
    }

    /// What becomes of a copy in which these files were changed.
    fn look(&self, disk: &SimDisk, changed: &[String]) -> &'static str {
        let read = |db: &Database| -> evenkeel::Result<BTreeMap<TreeId, Rows>> {
            self.trees.iter().map(|t| Ok((*t, committed(db, *t)?))).collect()
        };
        let problems = |db: &Database| match evenkeel::check::check_open_database(db, &mut |_| {}) {
            Ok(report) => report.problems,
            Err(e) => vec![e.to_string()],
        };
        let db = match open_under(disk, 77, self.protection) {
            Ok(db) => db,
            Err(e) => {
                assert!(!matches!(e, Error::AlreadyOpen(_) | Error::Poisoned(_)), "{e}");
                // Whoever puts the files back has everything.
                for file in changed {
                    match self.now.contents(file) {
                        Ok(bytes) => put_file(disk, file, &bytes),
                        Err(_) => disk.remove(file).unwrap(),
                    }
                }
                let db = open_under(disk, 79, self.protection)
                    .unwrap_or_else(|again| panic!("{changed:?} put back after \"{e}\": {again}"));
                assert!(read(&db).unwrap() == self.rows, "{changed:?} put back after \"{e}\"");
                return "refused";
            }
        };
        match read(&db) {
            Err(_) => return "told to who reads",
            Ok(rows) if !problems(&db).is_empty() => {
                return if rows == self.rows { "reported, rows are there" } else { "reported" };
            }
            Ok(rows) if rows != self.rows => return "SILENT",
            Ok(_) => {}
        }
        // Nor later, when the log has gone on and the power fails.
        for n in 1000..1200 {
            if write(&db, self.trees[n as usize % 3], n).is_err() {
                return "told to who writes";
            }
        }
        let rows = read(&db).unwrap();
        let cut = disk.crash_copy(5);
        db.abandon();
        match open_under(&cut, 78, self.protection) {
            Err(_) => "told by the next start",
            Ok(db) => match read(&db) {
                Err(_) => "told to who reads",
                Ok(after) if after == rows => "harmless",
                Ok(_) if problems(&db).is_empty() => "SILENT",
                Ok(_) => "reported",
            },
        }
    }

    fn show(&self, what: &str, came: &str) {
        if std::env::var_os("EVENKEEL_WRONG_FILES_SHOW").is_some() {
            println!("{}, {}: {what}: {came}", self.protection, self.state);
        }
    }
}

fn all_told() -> impl Iterator<Item = Told> {
    PROTECTIONS.into_iter().flat_map(|p| ["closed", "killed"].into_iter().map(move |s| Told::new(3, p, s)))
}

#[test]
fn a_file_that_is_gone_or_cut_short_is_never_missed_in_silence() {
    for told in all_told() {
        let mut silent = Vec::new();
        for file in files(&told.now) {
            let bytes = told.now.contents(&file).unwrap();
            let half = bytes.len() / 2 / 4096 * 4096;
            let changes: [(&str, Option<Vec<u8>>); 4] = [
                ("gone", None),
                ("empty", Some(Vec::new())),
                ("cut short", Some(bytes[..half].to_vec())),
                ("zeros", Some(vec![0; bytes.len()])),
            ];
            for (what, bytes) in changes {
                let copy = told.copy();
                match bytes {
                    None => copy.remove(&file).unwrap(),
                    Some(bytes) => put_file(&copy, &file, &bytes),
                }
                let came = told.look(&copy, std::slice::from_ref(&file));
                told.show(&format!("{file} {what}"), came);
                if came == "SILENT" {
                    silent.push(format!("{}, {}: {file} {what}", told.protection, told.state));
                }
            }
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }
}

/// Sets of files that somebody has put back from an older copy. Data files alone tell nobody how old they are: they are left out where the log that they lack is not needed any more.
#[test]
fn files_of_another_time_are_never_taken_for_todays_in_silence() {
    for told in all_told() {
        let mut silent = Vec::new();
        let is = |kind: &str, file: &str| match kind {
            "control" => file == "control",
            kind => file.starts_with(kind),
        };
        let sets: [&[&str]; 5] =
            [&["control"], &["wal/"], &["control", "wal/"], &["control", "data/"], &["data/", "wal/"]];
        for set in sets {
            let copy = told.copy();
            let of_set = |f: &String| set.iter().any(|kind| is(kind, f));
            let mut changed: Vec<String> = files(&copy).into_iter().filter(of_set).collect();
            for file in &changed {
                copy.remove(file).unwrap();
            }
            for file in files(&told.then).into_iter().filter(of_set) {
                put_file(&copy, &file, &told.then.contents(&file).unwrap());
                if !changed.contains(&file) {
                    changed.push(file);
                }
            }
            let came = told.look(&copy, &changed);
            told.show(&format!("{set:?} of another time"), came);
            if came == "SILENT" {
                silent.push(format!("{}, {}: {set:?}", told.protection, told.state));
            }
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }
}

/// A page that reads as zeros, as where a file system has lost a block, is told by whoever needs it; nobody takes a lost map for one in which nothing is in use.
#[test]
fn a_page_that_reads_as_zeros_is_never_missed_in_silence() {
    for told in [Told::new(5, "full_page_writes", "closed"), Told::new(5, "double_write", "killed")] {
        let mut silent = Vec::new();
        for file in files(&told.now).into_iter().filter(|f| f.starts_with("data/")) {
            let blocks = told.now.contents(&file).unwrap().len() / evenkeel::PAGE_BYTES;
            for block in (0..blocks).step_by(1 + blocks / 12) {
                let copy = told.copy();
                let zeros = vec![0; evenkeel::PAGE_BYTES];
                copy.damage(&file, (block * evenkeel::PAGE_BYTES) as u64, &zeros).unwrap();
                let came = told.look(&copy, std::slice::from_ref(&file));
                told.show(&format!("block {block} of {file}"), came);
                if came == "SILENT" {
                    silent.push(format!("{}, {}: block {block} of {file}", told.protection, told.state));
                }
            }
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }
}

/// Of a closed database each start knows the data files: one that somebody has put back from an older copy is not read, and one that every database has is refused with the folder.
#[test]
fn a_data_file_of_another_time_is_not_believed_after_a_clean_stop() {
    for protection in PROTECTIONS {
        let told = Told::new(4, protection, "closed");
        let data = files(&told.now).into_iter().filter(|f| f.starts_with("data/"));
        let mut put = 0;
        for file in data {
            let Ok(then) = told.then.contents(&file) else { continue };
            if then == told.now.contents(&file).unwrap() {
                continue;
            }
            let copy = told.copy();
            put_file(&copy, &file, &then);
            let came = told.look(&copy, std::slice::from_ref(&file));
            told.show(&format!("{file} of another time"), came);
            let is_system = ["data/1", "data/2", "data/16"].contains(&&file[..]);
            assert_eq!(came, if is_system { "refused" } else { "told to who reads" }, "{protection}: {file}");
            put += 1;
        }
        assert!(put >= 3, "{put}");
    }
}

/// A closed database with a large tree, then, after another start, with a second one.
fn closed_twice() -> (SimDisk, SimDisk, [TreeId; 2]) {
    let disk = disk(8);
    let fill = |seed: u64| {
        let db = open_under(&disk, seed, "double_write").unwrap();
        let tree = new_tree(&db);
        (0..300).for_each(|n| write(&db, tree, n).unwrap());
        db.close().unwrap();
        tree
    };
    let first = fill(8);
    let then = disk.kill_copy();
    let second = fill(9);
    (then, disk, [first, second])
}

/// An older tree of trees does not know the newer files: they are not taken for the rest of a creation.
#[test]
fn an_older_tree_of_trees_costs_no_newer_file() {
    let (then, now, trees) = closed_twice();
    let whole = now.contents("data/1").unwrap();
    put_file(&now, "data/1", &then.contents("data/1").unwrap());
    for _ in 0..2 {
        let e = open_under(&now, 20, "double_write").map(drop).unwrap_err().to_string();
        assert!(e.contains("data/1 is an older one than the one that was closed"), "{e}");
        assert!(e.contains("Nothing was changed") && e.contains("evenkeel restore"), "{e}");
    }
    put_file(&now, "data/1", &whole);
    let db = open_under(&now, 21, "double_write").unwrap();
    for tree in trees {
        assert_eq!(committed(&db, tree).unwrap().len(), 2400);
    }
    assert_sound(&db, "put back");
    db.close().unwrap();
}

#[test]
fn a_tree_whose_file_is_gone_says_what_to_do_and_can_be_dropped() {
    for state in ["closed", "killed"] {
        let (_, disk, [first, second]) = closed_twice();
        if state == "killed" {
            // Its log has nothing of the first tree.
            open_under(&disk, 10, "double_write").unwrap().abandon();
        }
        let name = format!("data/{}", first.0);
        let whole = disk.contents(&name).unwrap();
        disk.remove(&name).unwrap();
        let open = |seed| open_under(&disk, seed, "double_write").unwrap();
        let db = open(11);
        // A start that knows what was closed has told it; another one finds it out by and by.
        let found = db.step_look_at_files().unwrap();
        assert_eq!(found.len(), usize::from(state == "killed"), "{found:?}");
        let e = committed(&db, first).unwrap_err().to_string();
        for told in found.iter().chain([&e]) {
            assert!(
                told.contains(&format!("{name} is missing")) && told.contains("evenkeel restore"),
                "{told}"
            );
        }
        assert!(write(&db, first, 1000).is_err());
        assert_eq!(committed(&db, second).unwrap().len(), 2400, "{state}");
        write(&db, second, 1000).unwrap();
        db.checkpoint().unwrap();
        db.close().unwrap();
        // Also the next start tells it; who puts it back has all.
        let db = open(12);
        assert!(committed(&db, first).is_err(), "{state}");
        db.close().unwrap();
        put_file(&disk, &name, &whole);
        let db = open(13);
        assert_eq!(db.step_look_at_files().unwrap(), [""; 0], "{state}");
        assert_eq!(committed(&db, first).unwrap().len(), 2400, "{state}");
        db.close().unwrap();
        disk.remove(&name).unwrap();
        let db = open(14);
        let mut t = db.begin(TxnOptions::default());
        t.drop_tree(first).unwrap();
        t.commit().unwrap();
        while db.step_purge().unwrap() > 0 {}
        assert_sound(&db, state);
        db.close().unwrap();
        let db = open(15);
        assert_eq!(db.step_look_at_files().unwrap(), [""; 0], "{state}");
        db.close().unwrap();
    }
}

/// A file that is too short is found as well, by its map.
#[test]
fn a_start_after_a_crash_finds_files_that_were_cut_short() {
    let (_, disk, [first, _]) = closed_twice();
    open_under(&disk, 10, "double_write").unwrap().abandon();
    let name = format!("data/{}", first.0);
    let half = disk.contents(&name).unwrap().len() / 2 / 8192 * 8192;
    let whole = disk.contents(&name).unwrap();
    put_file(&disk, &name, &whole[..half]);
    let db = open_under(&disk, 11, "double_write").unwrap();
    let found = db.step_look_at_files().unwrap();
    assert!(found.len() == 1 && found[0].contains("and its map says"), "{found:?}");
    db.abandon();
}

/// A tree with a file of some two hundred blocks, all of it at home.
fn filled(db: &Database) -> TreeId {
    let tree = tree_with_file(db);
    for n in 0..100u64 {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, &n.to_be_bytes(), &vec![n as u8; 15_000]).unwrap();
        t.commit().unwrap();
    }
    db.checkpoint().unwrap();
    tree
}

fn cut_to_a_quarter(disk: &SimDisk, tree: TreeId) -> Vec<u8> {
    let name = format!("data/{}", tree.0);
    let whole = disk.contents(&name).unwrap();
    put_file(disk, &name, &whole[..whole.len() / 4 / 8192 * 8192]);
    whole
}

/// Redo gives files the length that their maps say: of zeros, which is no way to bring back what was there.
#[test]
fn redo_does_not_fill_up_files_that_were_cut_short() {
    for protection in PROTECTIONS {
        let disk = disk(5);
        let db = open_under(&disk, 5, protection).unwrap();
        let tree = filled(&db);
        for n in 100..104u64 {
            let mut t = db.begin(TxnOptions::default());
            t.put(tree, &n.to_be_bytes(), &vec![n as u8; 100_000]).unwrap();
            t.commit().unwrap();
        }
        let rows = committed(&db, tree).unwrap();
        let killed = disk.kill_copy();
        db.abandon();
        let whole = cut_to_a_quarter(&killed, tree);
        match open_under(&killed, 6, protection) {
            Err(Error::Corrupt(why)) => {
                assert!(why.to_string().contains(&format!("data file data/{} has", tree.0)), "{why}");
                assert!(why.advice.is_some() && why.place.is_some(), "{why:?}");
            }
            other => panic!("{protection}: {other:?}"),
        }
        put_file(&killed, &format!("data/{}", tree.0), &whole);
        let db = open_under(&killed, 7, protection).unwrap();
        assert!(committed(&db, tree).unwrap() == rows);
        assert_sound(&db, protection);
    }
}

/// The same of a standby, which stops. One that replays nothing of the tree tells of it all the same, once it can be read.
#[test]
fn a_standby_tells_of_files_that_are_gone_or_cut_short() {
    for (is_gone, is_changed) in [(false, true), (false, false), (true, false)] {
        let mut pair = Pair::new(7);
        let tree = filled(&pair.db);
        let standby = open_standby(&pair.copy, 7);
        // Its redo points follow the primary's rounds; what is behind them redo would bring back.
        for _ in 0..3 {
            write(&pair.db, tree, 0).unwrap();
            pair.db.checkpoint().unwrap();
            pair.pump(&standby, true);
            standby.wait_replayed(standby.durable().lsn, LONG).unwrap();
            standby.checkpoint().unwrap();
        }
        standby.close().unwrap();
        let name = format!("data/{}", tree.0);
        match is_gone {
            true => pair.copy.remove(&name).unwrap(),
            false => drop(cut_to_a_quarter(&pair.copy, tree)),
        }
        let mut t = pair.db.begin(TxnOptions::default());
        match is_changed {
            true => t.put(tree, b"more", &vec![1; 100_000]).unwrap(),
            false => drop(t.create_tree().unwrap()),
        }
        t.commit().unwrap();
        let standby = open_standby(&pair.copy, 8);
        let until = std::time::Instant::now() + LONG;
        let (mut told, mut is_sent) = (Vec::new(), false);
        while told.is_empty() && std::time::Instant::now() < until {
            if !is_sent && standby.poisoned().is_none() {
                let mut rng = fastrand::Rng::with_seed(1);
                // It may stop in the midst of it.
                let _ = try_send_up_to(pair.db.upstream(), SLOT, &standby, &mut rng, true, Lsn::MAX);
                is_sent = true;
            }
            told.extend(standby.wrong_files());
            told.extend(standby.poisoned().map(|e| e.to_string()));
        }
        assert!(
            told.iter().any(|e| e.contains(&format!("data file {name}")) && e.contains("standby create")),
            "{told:?}"
        );
        assert_eq!(standby.poisoned().is_some(), is_changed);
    }
}

/// A file that came after its redo point has a map in memory only, and zeros at home: nothing is wrong with it.
#[test]
fn a_standby_that_was_killed_tells_of_no_file_that_it_has_just_got() {
    let mut pair = Pair::new(9);
    let standby = open_standby(&pair.copy, 9);
    let has_no_map = |disk: &SimDisk, tree: TreeId| {
        let there = disk.contents(&format!("data/{}", tree.0));
        there.is_ok_and(|bytes| bytes.len() >= 8192 && bytes[..8192].iter().all(|b| *b == 0))
    };
    // Some pages of large values go home before the map does.
    let mut killed = None;
    for n in 1..60 {
        let tree = new_tree(&pair.db);
        let mut t = pair.db.begin(TxnOptions::default());
        t.put(tree, b"k", &vec![n; 8000 * n as usize]).unwrap();
        t.commit().unwrap();
        pair.pump(&standby, true);
        standby.wait_replayed(standby.durable().lsn, LONG).unwrap();
        let disk = pair.copy.kill_copy();
        if has_no_map(&disk, tree) {
            killed = Some(disk);
            break;
        }
    }
    standby.close().unwrap();
    let killed = killed.expect("a file whose map is not at home");
    let standby = open_standby(&killed, 10);
    let until = std::time::Instant::now() + LONG;
    while standby.database().is_none() {
        assert!(standby.poisoned().is_none() && std::time::Instant::now() < until);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // It looks at files a few at a time, beside its other work.
    for _ in 0..100 {
        assert_eq!(standby.wrong_files(), Vec::<String>::new());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    standby.close().unwrap();
}

/// Whatever keeps a database from being opened says what helps.
#[test]
fn what_cannot_be_opened_says_what_helps() {
    for state in ["closed", "killed"] {
        let (_, disk, [first, _]) = closed_twice();
        if state == "killed" {
            let db = open_under(&disk, 10, "double_write").unwrap();
            (0..50).for_each(|n| write(&db, first, n).unwrap());
            db.abandon();
        }
        for name in files(&disk) {
            for emptied in [true, false] {
                let copy = disk.kill_copy();
                match emptied {
                    true => put_file(&copy, &name, &[]),
                    false => copy.remove(&name).unwrap(),
                }
                if let Err(e) = open_under(&copy, 30, "double_write") {
                    let e = e.to_string();
                    assert!(e.contains("restore"), "{state}, {name}: {e}");
                    // And which one it is.
                    let number = name.strip_prefix("data/").unwrap_or_default();
                    assert!(
                        e.contains(&format!("file {number}")) || e.contains(&name),
                        "{state}, {name}: {e}"
                    );
                }
            }
        }
    }
}
