//! Trees of one page: a root in the file of the tree of trees, no file, until they outgrow it.

mod common;

use common::*;
use evenkeel::io::{CrashPolicy, Disk, SimDisk};
use evenkeel::{Database, TreeId, TxnOptions};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

fn files(disk: &SimDisk) -> Vec<String> {
    disk.list("data").unwrap()
}

fn put(db: &Database, tree: TreeId, key: &[u8], value: &[u8]) {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, key, value).unwrap();
    t.commit().unwrap();
}

fn drop_tree(db: &Database, tree: TreeId) {
    let mut t = db.begin(TxnOptions::default());
    t.drop_tree(tree).unwrap();
    t.commit().unwrap();
    while db.step_purge().unwrap() > 0 {}
}

fn is_there(db: &Database, tree: TreeId) -> bool {
    db.begin(TxnOptions::default()).get(tree, b"k").is_ok()
}

#[test]
fn a_tree_has_a_file_from_when_it_needs_a_second_page() {
    let (disk, db) = fresh(1);
    let before = files(&disk);
    let trees: Vec<TreeId> = (0..40).map(|_| new_tree(&db)).collect();
    trees.iter().for_each(|tree| put(&db, *tree, b"k", b"a value"));
    assert_eq!(files(&disk), before);
    assert_eq!(db.tree_size_bytes(trees[0]).unwrap(), 8192);
    put(&db, trees[3], b"large", &[1; 20_000]);
    (0..200u32).for_each(|i| put(&db, trees[5], &i.to_be_bytes(), &[2; 100]));
    assert_eq!(files(&disk).len(), before.len() + 2);
    assert!(db.tree_size_bytes(trees[5]).unwrap() > 5 * 8192);
    assert_sound(&db, "grown");
    db.close().unwrap();
    drop(db);
    let db = open(&disk, 2).unwrap();
    assert_eq!(committed(&db, trees[3]).unwrap()[&b"large"[..]], [1; 20_000]);
    assert_eq!(committed(&db, trees[5]).unwrap().len(), 201);
    assert!(trees.iter().all(|tree| is_there(&db, *tree)));
    trees.iter().for_each(|tree| drop_tree(&db, *tree));
    assert_eq!(files(&disk), before);
    assert_sound(&db, "dropped");
}

/// The tree lives on as one page when all but a few rows have gone, and keeps its file.
#[test]
fn a_tree_that_shrinks_to_its_root_can_grow_again() {
    let (disk, db) = fresh(2);
    let tree = new_tree(&db);
    for _ in 0..3 {
        (0..300u32).for_each(|i| put(&db, tree, &i.to_be_bytes(), &[2; 100]));
        let mut t = db.begin(TxnOptions::default());
        (1..300u32).for_each(|i| _ = t.delete(tree, &i.to_be_bytes()).unwrap());
        t.commit().unwrap();
        while db.step_purge().unwrap() > 0 {}
        db.vacuum(tree).unwrap();
        assert_sound(&db, "shrunk");
    }
    let crashed = disk.crash_copy(1);
    db.abandon();
    let db = open(&crashed, 3).unwrap();
    assert_eq!(committed(&db, tree).unwrap().len(), 1);
    assert_sound(&db, "recovered");
}

/// A root that is free is another tree's next time; who still has the old id learns that its tree is gone.
#[test]
fn a_root_that_is_used_again_belongs_to_its_new_tree_alone() {
    let (disk, db) = fresh(3);
    let old = new_tree(&db);
    put(&db, old, b"k", b"old");
    drop_tree(&db, old);
    let size = db.tree_size_bytes(TreeId(1)).unwrap();
    for i in 0..100u32 {
        let new = new_tree(&db);
        put(&db, new, b"k", b"new");
        assert!(!is_there(&db, old) && new != old);
        if i % 2 == 0 {
            drop_tree(&db, new);
        } else {
            let mut t = db.begin(TxnOptions::default());
            let never = t.create_tree().unwrap();
            t.put(never, b"k", &vec![0; 30_000 * (i as usize % 3)]).unwrap();
            t.rollback().unwrap();
            assert!(!is_there(&db, never));
            drop_tree(&db, new);
        }
    }
    assert_eq!(db.tree_size_bytes(TreeId(1)).unwrap(), size, "roots are used again");
    assert_sound(&db, "used again");
    drop(disk);
}

/// Trees without files leave no names in the folder: what number comes next is in the log.
#[test]
fn the_number_of_a_tree_without_a_file_is_not_given_again() {
    let (mut disk, mut db) = fresh(4);
    let mut trees = vec![new_tree(&db)];
    for life in 0..6u64 {
        for _ in 0..3 {
            let tree = new_tree(&db);
            assert!(!trees.contains(&tree));
            put(&db, tree, b"k", &tree.0.to_be_bytes());
            trees.push(tree);
        }
        // Rolled back and not: neither number comes again.
        let mut t = db.begin(TxnOptions::default());
        let loser = t.create_tree().unwrap();
        t.put(loser, b"k", b"v").unwrap();
        db.step_log_writer().unwrap();
        let crashed = if life % 2 == 0 { disk.crash_copy(life) } else { disk.kill_copy() };
        drop(t);
        db.abandon();
        disk = crashed;
        db = open(&disk, 10 + life).unwrap();
        assert!(!is_there(&db, loser) || trees.contains(&loser));
        for tree in &trees[1..] {
            assert_eq!(committed(&db, *tree).unwrap()[&b"k"[..]], tree.0.to_be_bytes());
        }
        assert_sound(&db, &format!("life {life}"));
    }
}

/// What the database has acknowledged: of each tree the value of its key.
type Model = BTreeMap<TreeId, Option<usize>>;

/// Creations, growth, drops and rollbacks of many small trees, crashed at every call that changes the disk.
#[test]
fn many_small_trees_survive_a_crash_at_every_call() {
    for seed in 1..=3u64 {
        let (disk, db) = fresh(seed);
        let model: Arc<Mutex<Model>> = Arc::default();
        let crashes: Arc<Mutex<Vec<(SimDisk, Model)>>> = Arc::default();
        let (m, c) = (model.clone(), crashes.clone());
        let mut calls = 0u64;
        disk.set_hook(Some(Box::new(move |_, disk| {
            calls += 1;
            let policy = match calls % 3 {
                0 => CrashPolicy::LoseUnsynced,
                1 => CrashPolicy::Mixed,
                _ => CrashPolicy::KeepAll,
            };
            c.lock().unwrap().push((disk.crash_copy_with(policy, calls), m.lock().unwrap().clone()));
        })));
        let mut rng = fastrand::Rng::with_seed(seed);
        let check = |crashes: &Mutex<Vec<(SimDisk, Model)>>, after: &Model| {
            for (crashed, before) in std::mem::take(&mut *crashes.lock().unwrap()) {
                let db = open(&crashed, seed + 100).unwrap();
                for (tree, value) in &before {
                    // The step under way may have happened.
                    let allowed = [Some(*value), after.get(tree).copied()];
                    let now = match db.begin(TxnOptions::default()).get(*tree, b"k") {
                        Ok(v) => v.map(|v| v.len()),
                        Err(_) => None,
                    };
                    assert!(
                        allowed.iter().any(|a| a.unwrap_or_default() == now),
                        "tree {}: {now:?}, not one of {allowed:?}",
                        tree.0
                    );
                }
                assert_sound(&db, "after a crash");
                let another = new_tree(&db);
                assert!(!before.contains_key(&another));
                db.abandon();
            }
        };
        for step in 0..60 {
            let kind = rng.u32(..10);
            let known: Vec<TreeId> =
                model.lock().unwrap().iter().filter(|(_, v)| v.is_some()).map(|(t, _)| *t).collect();
            let size = if rng.bool() { 10 } else { 9_000 };
            let mut after = model.lock().unwrap().clone();
            let mut t = db.begin(TxnOptions::default());
            match (kind, rng.choice(&known)) {
                (0..5, _) | (_, None) => {
                    for _ in 0..rng.u32(1..4) {
                        let tree = t.create_tree().unwrap();
                        t.put(tree, b"k", &vec![1; size]).unwrap();
                        after.insert(tree, Some(size));
                    }
                }
                (5..7, Some(tree)) => {
                    t.put(*tree, b"k", &vec![2; size]).unwrap();
                    after.insert(*tree, Some(size));
                }
                (_, Some(tree)) => {
                    t.drop_tree(*tree).unwrap();
                    after.insert(*tree, None);
                }
            }
            if kind == 4 {
                after = model.lock().unwrap().clone();
                t.rollback().unwrap();
            } else {
                t.commit().unwrap();
            }
            *model.lock().unwrap() = after.clone();
            match step % 4 {
                0 => db.step_round().unwrap(),
                1 => _ = db.step_purge().unwrap(),
                2 => _ = db.step_clean().unwrap(),
                _ => {}
            }
            // Those taken before the commit may show the state before; those after it, only the new one.
            check(&crashes, &after);
        }
        disk.set_hook(None);
        assert_sound(&db, "at the end");
    }
}
