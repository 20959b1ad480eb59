//! A standby that is read while it replays: what a reader sees is what the primary showed at some moment, and stays so.

mod common;

use common::pair::{LONG, Pair, durable_end, open_standby, rows_of, seeds};
use common::{Rows, rows};
use evenkeel::{Database, Error, Isolation, Standby, Transaction, TreeId, TxnOptions};
use std::collections::BTreeMap;

const REPEATABLE: TxnOptions = TxnOptions {
    isolation: Isolation::RepeatableRead,
    read_only: false,
    durability: evenkeel::Durability::Sync,
};

/// Somebody who has read, and reads again.
struct Reader {
    txn: Transaction,
    saw: BTreeMap<TreeId, Rows>,
}

impl Reader {
    fn new(db: &Database, trees: &[TreeId]) -> Reader {
        let mut txn = db.begin(REPEATABLE);
        let saw = trees.iter().map(|tree| (*tree, rows(&mut txn, *tree).expect("readable"))).collect();
        Reader { txn, saw }
    }

    /// Whether it sees what it saw; false: its snapshot is too old.
    fn reads_again(&mut self, context: &str) -> bool {
        for (tree, saw) in &self.saw {
            match rows(&mut self.txn, *tree) {
                Ok(now) => assert!(now == *saw, "{context}: {tree:?} changed under a snapshot"),
                Err(Error::SnapshotTooOld) => return false,
                Err(e) => panic!("{context}: {e}"),
            }
            let some = saw.keys().nth(saw.len() / 2);
            match some.map(|key| self.txn.get(*tree, key)) {
                None | Some(Err(Error::SnapshotTooOld)) => {}
                Some(got) => assert_eq!(got.expect("readable").as_ref(), some.map(|k| &saw[k]), "{context}"),
            }
        }
        true
    }
}

fn readable(standby: &Standby, context: &str) -> Database {
    standby.database().unwrap_or_else(|| panic!("{context}: the standby can be read"))
}

#[test]
fn readers_see_what_the_primary_showed_and_go_on_seeing_it() {
    let (mut kept, mut expired) = (0, 0);
    for seed in 0..seeds(16) {
        let context = format!("seed {seed}");
        let mut pair = Pair::new(seed ^ 0x4ead);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut standby = open_standby(&pair.copy, seed);
        let mut readers: Vec<Reader> = Vec::new();
        for _ in 0..300 {
            pair.step();
            if rng.u8(..8) > 0 {
                continue;
            }
            let end = durable_end(&pair.db);
            pair.pump(&standby, true);
            assert!(standby.wait_replayed(end, LONG).unwrap(), "{context}");
            let db = readable(&standby, &context);
            assert!(rows_of(&db, &pair.trees) == pair.rows(), "{context}: other rows");
            readers.retain_mut(|r| {
                let sees = r.reads_again(&context);
                *if sees { &mut kept } else { &mut expired } += 1;
                sees && rng.u8(..4) > 0
            });
            readers.push(Reader::new(&db, &pair.trees));
            if rng.u8(..10) == 0 {
                readers.clear();
                drop(db);
                // As a crash would, or not.
                if rng.bool() {
                    standby.close().expect("close");
                } else {
                    drop(standby);
                }
                standby = open_standby(&pair.copy, seed);
            }
        }
    }
    eprintln!("kept {kept} expired {expired}");
    assert!(kept > 4 * expired.max(10), "{kept} went on seeing it, {expired} did not");
}

#[test]
fn a_standby_is_not_written() {
    let mut pair = Pair::new(1);
    while pair.trees.is_empty() {
        pair.step();
    }
    let standby = open_standby(&pair.copy, 1);
    let end = durable_end(&pair.db);
    pair.pump(&standby, true);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    let db = readable(&standby, "here");
    let mut t = db.begin(TxnOptions::default());
    let refused = |e| matches!(e, Err(Error::ReadOnlyDatabase(_)));
    assert!(refused(t.put(pair.trees[0], b"key", b"value")));
    assert!(refused(t.create_tree().map(drop)));
    assert!(refused(t.drop_tree(pair.trees[0])));
    assert!(refused(t.assign_id().map(drop)));
    t.commit().expect("nothing to commit");
    for refused_too in [
        db.checkpoint(),
        db.vacuum(pair.trees[0]).map(drop),
        db.mark("here").map(drop),
        db.create_slot("a", true).map(drop),
        db.step_purge().map(drop),
        db.step_log_writer(),
    ] {
        assert!(refused(refused_too));
    }
    // A promotion ends it, and its readers.
    let mut t = db.begin(TxnOptions::default());
    t.get(pair.trees[0], b"key").expect("readable");
    let promoted = standby.promote().expect("promoted");
    assert!(matches!(t.get(pair.trees[0], b"key"), Err(Error::Closed)));
    assert_eq!(rows_of(&promoted, &pair.trees), pair.rows());
    promoted.close().expect("closed, whatever handles of the standby there are");
    drop((t, db));
}
