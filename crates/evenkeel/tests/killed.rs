//! A process is killed between any two calls to the disk. The next life builds on what it finds, of which nothing may be durable yet: names of files
//! as little as their bytes. What that life acknowledges must survive the power cut that follows.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use common::*;
use evenkeel::io::{CrashPolicy, SimCall, SimDisk};
use evenkeel::{Database, TreeId, TxnOptions};

const SECOND_LIFE: u32 = u32::MAX;

fn put(db: &Database, tree: TreeId, i: u32, value: &[u8]) {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &i.to_be_bytes(), value).unwrap();
    t.commit().unwrap();
}

/// Two lives on what a kill left, the second of them behind a power cut.
fn live_on(killed: &SimDisk, tree: TreeId, acknowledged: u32, what: &SimCall) {
    let second = open(killed, 92).unwrap_or_else(|e| panic!("{what:?}: {e}"));
    let mut rows = committed(&second, tree).unwrap();
    assert!(rows.len() >= acknowledged as usize, "{what:?}: {} of {acknowledged} rows", rows.len());
    put(&second, tree, SECOND_LIFE, b"second life");
    rows.insert(SECOND_LIFE.to_be_bytes().to_vec(), b"second life".to_vec());
    let cut = killed.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
    second.abandon();
    let third = open(&cut, 93).unwrap_or_else(|e| panic!("{what:?}: {e}"));
    assert_eq!(committed(&third, tree).unwrap(), rows, "{what:?}: what the second life acknowledged");
    assert_sound(&third, &format!("{what:?}"));
    third.abandon();
}

#[test]
fn what_is_acknowledged_after_a_kill_survives_the_power_cut_behind_it() {
    let (disk, db) = fresh(91);
    let tree = new_tree(&db);
    let acknowledged = Arc::new(AtomicU32::new(0));
    let (seen, calls) = (acknowledged.clone(), Arc::new(AtomicU32::new(0)));
    let counted = calls.clone();
    disk.set_hook(Some(Box::new(move |call, disk| {
        counted.fetch_add(1, Ordering::Relaxed);
        live_on(&disk.kill_copy(), tree, seen.load(Ordering::Relaxed), call);
    })));
    // Several segments of log are begun and recycled, files come and go.
    for i in 0..400 {
        put(&db, tree, i, &[i as u8; 1500]);
        acknowledged.store(i + 1, Ordering::Relaxed);
        if i % 30 == 29 {
            let other = new_tree(&db);
            put(&db, other, i, b"other");
            db.checkpoint().unwrap();
        }
    }
    disk.set_hook(None);
    let calls = calls.load(Ordering::Relaxed);
    assert!(calls > 400, "{calls} kills");
    db.abandon();
}
