//! What a standby's snapshots see, told by ids, is what they see, and stays true: after later log, starts of either side, and a promotion.

mod common;

use common::pair::{LONG, Pair, durable_end, open_standby, seeds};
use common::{Rows, committed, new_tree, rows};
use evenkeel::{
    Database, Error, Isolation, SnapshotIds, Standby, Transaction, TransactionStatus, TxnOptions,
};
use std::collections::{BTreeMap, BTreeSet};

/// A snapshot, told by ids, and the keys that it saw.
type Kept = (SnapshotIds, BTreeSet<Vec<u8>>);

fn writer(value: &[u8]) -> u64 {
    u64::from_be_bytes(value.try_into().expect("an id"))
}

/// All rows say who wrote them, and none goes.
fn assert_true(kept: &[Kept], now: &Rows, context: &str) {
    for (ids, seen) in kept {
        for (key, value) in now {
            let id = writer(value);
            assert_eq!(ids.sees(id), seen.contains(key), "{context}: {id} in {ids:?}");
            assert!(id >= ids.oldest() || seen.contains(key), "{context}: {id} below {ids:?}");
        }
    }
}

fn repeatable(db: &Database) -> Transaction {
    db.begin(TxnOptions { isolation: Isolation::RepeatableRead, ..TxnOptions::default() })
}

fn caught_up(pair: &mut Pair, standby: &Standby, context: &str) -> Database {
    let end = durable_end(&pair.db);
    pair.pump(standby, true);
    assert!(standby.wait_replayed(end, LONG).unwrap(), "{context}");
    standby.database().expect("it can be read")
}

#[test]
fn what_a_snapshot_of_a_standby_sees_told_by_ids_stays_true() {
    let (mut told, mut unknown, mut gaps, mut known) = (0, 0, 0, 0);
    for seed in 0..seeds(16) {
        let context = format!("seed {seed}");
        let mut pair = Pair::new(seed ^ 0x1d5);
        let mut rng = fastrand::Rng::with_seed(seed);
        let tree = new_tree(&pair.db);
        let mut standby = open_standby(&pair.copy, seed);
        let (mut open, mut ended): (Vec<(Transaction, u64)>, BTreeMap<u64, bool>) = Default::default();
        let mut kept: Vec<Kept> = Vec::new();
        let mut readers: Vec<(Transaction, BTreeSet<Vec<u8>>)> = Vec::new();
        let mut key = 0u32;
        for _ in 0..400 {
            let one = rng.usize(..open.len().max(1));
            match rng.u8(..24) {
                // An id is older than its first record, which may never come.
                0..=4 if open.len() < 8 => {
                    let mut t = pair.db.begin(TxnOptions::default());
                    let id = t.assign_id().unwrap();
                    open.push((t, id));
                }
                5..=10 if !open.is_empty() => {
                    let (t, id) = &mut open[one];
                    key += 1;
                    t.put(tree, &key.to_be_bytes(), &id.to_be_bytes()).unwrap();
                }
                11..=14 if !open.is_empty() => {
                    let (t, id) = open.swap_remove(one);
                    let commits = rng.u8(..4) > 0;
                    if commits {
                        t.commit().unwrap();
                    }
                    ended.insert(id, commits);
                }
                15 => pair.db.step_round().unwrap(),
                16 if rng.u8(..6) == 0 => {
                    open.clear();
                    ended.clear();
                    pair.restart();
                }
                17 if rng.u8(..4) == 0 => {
                    readers.clear();
                    if rng.bool() {
                        standby.close().unwrap();
                    } else {
                        drop(standby);
                    }
                    standby = open_standby(&pair.copy, seed);
                }
                18.. => {
                    let db = caught_up(&mut pair, &standby, &context);
                    let mut t = repeatable(&db);
                    let now = rows(&mut t, tree).unwrap();
                    readers.push((t, now.keys().cloned().collect()));
                    readers.retain_mut(|(t, seen)| match t.snapshot_ids() {
                        Ok(Some(ids)) => {
                            told += 1;
                            gaps += ids.active.len();
                            kept.push((ids, seen.clone()));
                            true
                        }
                        Ok(None) => {
                            unknown += 1;
                            true
                        }
                        Err(Error::SnapshotTooOld) => false,
                        Err(e) => panic!("{context}: {e}"),
                    });
                    if readers.len() > 4 {
                        readers.remove(rng.usize(..4));
                    }
                    if kept.len() > 60 {
                        drop(kept.drain(..20));
                    }
                    assert_true(&kept, &now, &context);
                    let written: BTreeSet<u64> = now.values().map(|v| writer(v)).collect();
                    let mut t = db.begin(TxnOptions::default());
                    for (id, commits) in &ended {
                        let status = t.status_of(*id).unwrap();
                        known += u32::from(status == Some(TransactionStatus::Committed));
                        let fits = match status {
                            Some(TransactionStatus::Committed) => *commits && written.contains(id),
                            Some(TransactionStatus::RolledBack) => !commits,
                            // It has left nothing in the log.
                            Some(TransactionStatus::Active | TransactionStatus::NotYet) => {
                                !written.contains(id)
                            }
                            None => true,
                        };
                        assert!(fits, "{context}: {id}, {commits}, is {status:?}");
                    }
                }
                _ => {}
            }
        }
        // Once nobody is at work, and a round record says so, nobody is said to be.
        open.clear();
        pair.db.checkpoint().unwrap();
        let other = new_tree(&pair.db);
        common::write(&pair.db, other, 1).unwrap();
        let db = caught_up(&mut pair, &standby, &context);
        let mut t = repeatable(&db);
        let now = rows(&mut t, tree).unwrap();
        let ids = t.snapshot_ids().unwrap().expect("a round record was met");
        assert!(now.values().all(|v| writer(v) < ids.oldest()), "{context}: {ids:?}");
        drop((t, db, readers));
        let promoted = standby.promote().unwrap();
        for _ in 0..20 {
            let mut t = promoted.begin(TxnOptions::default());
            let id = t.assign_id().unwrap();
            if rng.bool() {
                key += 1;
                t.put(tree, &key.to_be_bytes(), &id.to_be_bytes()).unwrap();
                t.commit().unwrap();
            }
        }
        assert_true(&kept, &committed(&promoted, tree).unwrap(), &format!("{context}, promoted"));
        promoted.close().unwrap();
    }
    println!("{told} told, {unknown} not known, {gaps} at work in all, {known} known to have committed");
    assert!(told > 1000 && gaps > told && known > 1000 && unknown * 4 < told);
}
