//! Files of a database that are gone, cut short, emptied, or of another time, as a partial copy or a repaired file system leaves them: each is refused, or reported by whoever meets it, or does no
//! harm; acknowledged rows are never missing in silence.
//!
//! `EVENKEEL_WRONG_FILES_SHOW=1` prints what came of each.

mod common;

use common::*;
use evenkeel::io::{Access, CrashPolicy, Disk, OpenMode, SimDisk, write_all_at};
use evenkeel::{Database, Error, Options, TreeId, TxnOptions};
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
