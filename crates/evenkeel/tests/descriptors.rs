//! More trees than the process may have descriptors, and none left at all. The limit is a whole process's: each case runs in a process of its own.

mod common;

use common::new_tree;
use evenkeel::{Database, Options, TreeId, TxnOptions};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::path::Path;

const CHILD: &str = "EVENKEEL_DESCRIPTORS_CHILD";

/// Runs `case` in a process of its own, which may have `limit` descriptors. `name` is the calling test's.
fn with_descriptors(name: &str, limit: u64, case: impl FnOnce(&Path)) {
    if std::env::var_os(CHILD).is_some() {
        let maximum = getrlimit(Resource::Nofile).maximum;
        setrlimit(Resource::Nofile, Rlimit { current: Some(limit), maximum }).unwrap();
        let folder = tempfile::tempdir().unwrap();
        return case(folder.path());
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn open(folder: &Path) -> Database {
    Database::open(folder, Options::default().with("shared_buffers", "1MB").unwrap()).unwrap()
}

/// Larger than a page, so that its tree needs a file.
fn value(i: u32) -> Vec<u8> {
    vec![i as u8; 10_000]
}

fn put(db: &Database, tree: TreeId, i: u32) {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &i.to_be_bytes(), &value(i)).unwrap();
    t.commit().unwrap();
}

#[test]
fn there_may_be_more_trees_than_descriptors() {
    with_descriptors("there_may_be_more_trees_than_descriptors", 64, |folder| {
        let db = open(folder);
        let mut trees = Vec::new();
        for i in 0..150u32 {
            let mut t = db.begin(TxnOptions::default());
            let tree = t.create_tree().unwrap();
            t.put(tree, &i.to_be_bytes(), &value(i)).unwrap();
            t.commit().unwrap();
            trees.push(tree);
        }
        let mut all = db.begin(TxnOptions::default());
        for (i, tree) in trees.iter().enumerate() {
            all.put(*tree, b"again", &value(i as u32)).unwrap();
        }
        all.commit().unwrap();
        db.checkpoint().unwrap();
        trees.iter().for_each(|tree| put(&db, *tree, 7));
        db.abandon();

        let db = open(folder);
        let mut t = db.begin(TxnOptions::default());
        for (i, tree) in trees.iter().enumerate() {
            let i = i as u32;
            for (key, expected) in [(&i.to_be_bytes()[..], i), (b"again", i), (&7u32.to_be_bytes(), 7)] {
                assert_eq!(t.get(*tree, key).unwrap(), Some(value(expected)));
            }
        }
        drop(t);
        let report = evenkeel::check::check_open_database(&db, &mut |_| {}).unwrap();
        assert_eq!(report.problems, Vec::<String>::new());
        db.close().unwrap();
    });
}

#[test]
fn a_creation_is_rolled_back_when_no_descriptor_is_free() {
    with_descriptors("a_creation_is_rolled_back_when_no_descriptor_is_free", 200, |folder| {
        let db = open(folder);
        let tree = new_tree(&db);
        put(&db, tree, 1);
        let mut t = db.begin(TxnOptions::default());
        let created = t.create_tree().unwrap();
        t.put(created, b"key", &value(1)).unwrap();
        // As clients would: sockets, files.
        let mut taken = Vec::new();
        while let Ok(f) = std::fs::File::open("/dev/null") {
            taken.push(f);
        }
        t.rollback().unwrap();
        put(&db, tree, 2);
        let mut t = db.begin(TxnOptions::default());
        let another = t.create_tree().unwrap();
        t.put(another, b"key", &value(3)).unwrap();
        t.commit().unwrap();
        db.checkpoint().unwrap();
        assert!(db.poisoned().is_none());
        drop(taken);
        db.close().unwrap();
        drop(db);
        let db = open(folder);
        let mut t = db.begin(TxnOptions::default());
        assert_eq!(t.get(tree, &2u32.to_be_bytes()).unwrap(), Some(value(2)));
        assert_eq!(t.get(another, b"key").unwrap(), Some(value(3)));
        assert!(t.get(created, b"key").is_err());
    });
}
