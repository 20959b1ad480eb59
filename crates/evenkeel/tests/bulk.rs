//! Trees that are filled from below: what is in them, what a crash leaves, and what a standby makes of their log.

mod common;

use common::pair::{LONG, Pair, durable_end, open_standby};
use common::*;
use evenkeel::io::{SimCall, SimDisk};
use evenkeel::{Database, Error, Filling, Isolation, LockMode, TreeId, TxnOptions, Write};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Keys that differ early or late, short ones and such of the greatest length.
fn drawn(rng: &mut fastrand::Rng, n: usize) -> Rows {
    let longest = [8, 40, 1900][rng.usize(..3)];
    let mut rows = Rows::new();
    while rows.len() < n {
        let mut key = vec![rng.u8(..3); rng.usize(..longest)];
        key.extend((rows.len() as u32).to_be_bytes().iter().skip(rng.usize(..2)));
        key.truncate(1900);
        // Now and then one that has no room on a page.
        let len = if rng.usize(..200) == 0 { rng.usize(2000..20_000) } else { rng.usize(..60) };
        rows.insert(key, vec![rng.u8(..); len]);
    }
    rows
}

fn pieces(seed: u64) -> Option<usize> {
    [None, Some(1), Some(37), Some(36)][seed as usize % 4]
}

fn given<'r>(
    rows: &'r [(&'r Vec<u8>, &'r Vec<u8>)],
) -> impl FnMut(&mut Vec<u8>, &mut Vec<u8>) -> evenkeel::Result<bool> + 'r {
    let mut rest = rows.iter();
    move |key, value| {
        let Some((k, v)) = rest.next() else { return Ok(false) };
        key.clone_from(k);
        value.clone_from(v);
        Ok(true)
    }
}

/// In one go, or in pieces of so many; pieces of odd lengths as rows of the transaction.
fn fill(db: &Database, rows: &Rows, piece: Option<usize>) -> evenkeel::Result<TreeId> {
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree()?;
    let rows: Vec<_> = rows.iter().collect();
    match piece {
        None => t.fill(tree, &mut given(&rows))?,
        Some(n) => {
            let mut filling =
                if n.is_multiple_of(2) { Filling::new(tree) } else { Filling::of_transaction(tree) };
            for piece in rows.chunks(n) {
                t.fill_on(&mut filling, &mut given(piece))?;
                assert!(t.get(tree, piece[0].0)?.is_none(), "it is empty until the end");
            }
            t.end_filling(filling)?;
        }
    }
    t.commit()?;
    Ok(tree)
}

#[test]
fn a_filled_tree_has_what_it_was_given_and_lives_on() {
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (disk, db) = fresh(seed);
        let n = [0, 1, 2, 5, 40, 300, 3000][rng.usize(..7)];
        let mut rows = drawn(&mut rng, n);
        let tree = fill(&db, &rows, pieces(seed)).unwrap();
        assert_eq!(committed(&db, tree).unwrap(), rows, "seed {seed}");
        assert_sound(&db, &format!("seed {seed}, filled"));
        let keys: Vec<Vec<u8>> = rows.keys().cloned().collect();
        let mut t = db.begin(TxnOptions::default());
        for key in keys.iter().filter(|_| rng.u8(..4) == 0) {
            _ = t.delete(tree, key).unwrap();
            rows.remove(key);
        }
        for i in 0..200u32 {
            let mut key = keys.get(rng.usize(..keys.len().max(1))).cloned().unwrap_or_default();
            key.truncate(1800);
            key.extend(i.to_be_bytes());
            t.put(tree, &key, b"later").unwrap();
            rows.insert(key, b"later".to_vec());
        }
        t.commit().unwrap();
        while db.step_purge().unwrap() > 0 {}
        assert_eq!(committed(&db, tree).unwrap(), rows, "seed {seed}");
        assert_sound(&db, &format!("seed {seed}, changed"));
        db.close().unwrap();
        drop(db);
        let db = open(&disk, seed).unwrap();
        assert_eq!(committed(&db, tree).unwrap(), rows, "seed {seed}");
        assert_sound(&db, &format!("seed {seed}, opened again"));
    }
}

/// Whatever is wrong with what it is given, the tree stays as it was.
#[test]
fn what_does_not_ascend_fills_nothing() {
    let (_disk, db) = fresh(1);
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree().unwrap();
    for (n, bad) in [(3u32, 2u32), (4000, 3999), (4000, 1)] {
        let mut i = 0;
        let filled = t.fill(tree, &mut |key, value| {
            key.clear();
            key.extend(if i == n { bad } else { i }.to_be_bytes());
            value.resize(20, 1);
            i += 1;
            Ok(i < n + 10)
        });
        assert!(matches!(filled, Err(Error::DuplicateKey)), "{filled:?}");
        assert_eq!(rows(&mut t, tree).unwrap(), Rows::new());
    }
    let too_long = t.fill(tree, &mut |key, _| {
        key.resize(1901, 0);
        Ok(true)
    });
    assert!(matches!(too_long, Err(Error::KeyTooLong { .. })));
    t.put(tree, b"k", b"v").unwrap();
    let filled = t.fill(tree, &mut |_, _| Ok(false));
    assert!(matches!(filled, Err(Error::InvalidArgument(_))), "{filled:?}");
    t.commit().unwrap();
    assert_eq!(committed(&db, tree).unwrap(), BTreeMap::from([(b"k".to_vec(), b"v".to_vec())]));
    while db.step_purge().unwrap() > 0 {}
    assert_sound(&db, "after all");
}

#[test]
fn a_rollback_takes_all_of_it_away() {
    let (disk, db) = fresh(3);
    let before = {
        use evenkeel::io::Disk;
        disk.list("data").unwrap()
    };
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree().unwrap();
    let mut i = 0u32;
    t.fill(tree, &mut |key, value| {
        key.clear();
        key.extend(i.to_be_bytes());
        value.resize(100, 1);
        i += 1;
        Ok(i < 5000)
    })
    .unwrap();
    assert_eq!(rows(&mut t, tree).unwrap().len(), 4999);
    drop(t);
    while db.step_purge().unwrap() > 0 {}
    use evenkeel::io::Disk;
    assert_eq!(disk.list("data").unwrap(), before);
    assert_sound(&db, "rolled back");
}

/// A crash at any call that changes the disk leaves all of it, or nothing.
#[test]
fn a_crash_at_any_write_leaves_all_or_nothing() {
    let (mut whole, mut nothing) = (0, 0);
    for seed in 0..6 {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0xb01d);
        let expected = drawn(&mut rng, 400);
        let mut at = 0;
        loop {
            let (disk, db) = fresh(seed);
            let taken: Arc<Mutex<Option<SimDisk>>> = Arc::default();
            let (into, salt, wanted) = (taken.clone(), rng.u64(..), disk.calls() + at);
            disk.set_hook(Some(Box::new(move |call: &SimCall, disk: &SimDisk| {
                let mut into = into.lock().unwrap();
                if call.index >= wanted && into.is_none() {
                    *into = Some(disk.crash_copy(salt));
                }
            })));
            let tree = fill(&db, &expected, pieces(seed)).unwrap();
            db.close().unwrap();
            disk.set_hook(None);
            let Some(crashed) = taken.lock().unwrap().take() else { break };
            let db = open(&crashed, seed).unwrap();
            while db.rollback_changes_left() > 0 || db.step_purge().unwrap() > 0 {}
            match committed(&db, tree) {
                Ok(rows) => {
                    assert_eq!(rows, expected, "seed {seed}, call {at}");
                    whole += 1;
                }
                Err(Error::NoSuchTree(_)) => nothing += 1,
                Err(e) => panic!("seed {seed}, call {at}: {e}"),
            }
            assert_sound(&db, &format!("seed {seed}, call {at}"));
            at += 1;
        }
    }
    assert!(whole > 10 && nothing > 10, "{whole} crashes left it, {nothing} did not");
}

#[test]
fn a_standby_has_it_too() {
    for seed in 0..8 {
        let mut pair = Pair::new(seed ^ 0xb01d);
        let standby = open_standby(&pair.copy, seed);
        (0..20).for_each(|_| pair.step());
        pair.pump(&standby, true);
        let rows = drawn(&mut pair.rng, 2000);
        let tree = fill(&pair.db, &rows, pieces(seed)).unwrap();
        (0..20).for_each(|_| pair.step());
        let end = durable_end(&pair.db);
        pair.pump(&standby, true);
        assert!(standby.wait_replayed(end, LONG).unwrap(), "seed {seed}");
        let db = standby.promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(committed(&db, tree).unwrap(), rows, "seed {seed}");
        while db.rollback_changes_left() > 0 {
            std::thread::yield_now();
        }
        assert_sound(&db, &format!("seed {seed}"));
    }
}

/// Entries of the transaction are seen as if it had inserted them, and change like those.
#[test]
fn rows_that_fill_a_tree_are_of_their_transaction() {
    let (_disk, db) = fresh(6);
    let mut older = db.begin(TxnOptions { isolation: Isolation::RepeatableRead, ..TxnOptions::default() });
    let known = fill(&db, &Rows::new(), None).unwrap();
    assert!(older.get(known, b"k").unwrap().is_none(), "it has its snapshot now");
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree().unwrap();
    let rows: Rows = (0..500u32).map(|i| (i.to_be_bytes().to_vec(), vec![i as u8; 90])).collect();
    let mut filling = Filling::of_transaction(tree);
    let all: Vec<_> = rows.iter().collect();
    for piece in all.chunks(130) {
        t.fill_on(&mut filling, &mut given(piece)).unwrap();
    }
    t.end_filling(filling).unwrap();
    let key = |i: u32| i.to_be_bytes();
    // The filling statement's own snapshot is not what is asked: the next one has all.
    t.begin_statement();
    assert_eq!(t.get(tree, &key(7)).unwrap().unwrap(), rows[&key(7)[..]]);
    let before = t.savepoint();
    assert_eq!(t.update(tree, &key(7), b"other", LockMode::NoKeyUpdate).unwrap(), Write::Done);
    assert_eq!(t.delete(tree, &key(8)).unwrap(), Write::Done);
    t.insert(tree, b"behind", b"").unwrap();
    t.rollback_to(before).unwrap();
    t.begin_statement();
    assert_eq!(t.get(tree, &key(7)).unwrap().unwrap(), rows[&key(7)[..]]);
    assert_eq!(t.delete(tree, &key(9)).unwrap(), Write::Done);
    t.commit().unwrap();

    assert!(older.get(tree, &key(7)).unwrap().is_none(), "made after its snapshot");
    assert!(matches!(older.delete(tree, &key(7)), Err(Error::SerializationFailure)));
    drop(older);
    let mut left = rows.clone();
    left.remove(&key(9)[..]);
    assert_eq!(committed(&db, tree).unwrap(), left);
    assert_sound(&db, "committed");
}

/// What is begun and not ended leaves nothing behind, whatever it had written.
#[test]
fn a_filling_that_is_not_ended_goes_with_its_transaction() {
    use evenkeel::io::Disk;
    let (disk, db) = fresh(5);
    let before = disk.list("data").unwrap();
    for wreck in [false, true] {
        let mut t = db.begin(TxnOptions::default());
        let tree = t.create_tree().unwrap();
        let mut filling = Filling::new(tree);
        let mut i = 0u32;
        let mut fill = |t: &mut evenkeel::Transaction, n: u32| {
            let end = i + n;
            t.fill_on(&mut filling, &mut |key, value| {
                key.clear();
                key.extend(i.to_be_bytes());
                value.clear();
                value.resize(if i.is_multiple_of(100) { 9000 } else { 100 }, 1);
                i += 1;
                Ok(i <= end)
            })
        };
        fill(&mut t, 3000).unwrap();
        fill(&mut t, 3000).unwrap();
        if wreck {
            // Somebody has put something there meanwhile.
            t.put(tree, b"k", b"v").unwrap();
            assert!(matches!(fill(&mut t, 1), Err(Error::InvalidArgument(_))));
        }
        drop(t);
        while db.step_purge().unwrap() > 0 {}
        assert_eq!(disk.list("data").unwrap(), before);
        assert_sound(&db, "rolled back");
    }
}

/// Rows of which some are large; `tell` is called before each.
fn some_rows(
    n: u32,
    mut tell: impl FnMut(u32),
) -> impl FnMut(&mut Vec<u8>, &mut Vec<u8>) -> evenkeel::Result<bool> {
    let mut i = 0;
    move |key, value| {
        tell(i);
        key.clear();
        key.extend(i.to_be_bytes());
        value.clear();
        value.resize(if i.is_multiple_of(50) { 30_000 } else { 100 }, i as u8);
        i += 1;
        Ok(i <= n)
    }
}

/// Nothing of it stays, wherever it was canceled: the tree is empty, and is filled by another call or used otherwise; also behind a savepoint.
#[test]
fn a_filling_that_is_canceled_leaves_an_empty_tree() {
    use evenkeel::{Direction, Interrupt, KeyRange};
    for (round, at) in [0, 1, 50, 51, 500, 1999].into_iter().enumerate() {
        for behind_savepoint in [false, true] {
            let (disk, db) = fresh(6);
            let mut t = db.begin(TxnOptions::default());
            let tree = t.create_tree().unwrap();
            let sp = t.savepoint();
            let interrupt = Interrupt::new();
            t.set_interrupt(Some(interrupt.clone()));
            let e = t.fill(tree, &mut some_rows(2000, |i| _ = (i == at).then(|| interrupt.cancel())));
            assert!(matches!(e, Err(Error::Canceled)), "{e:?}");
            t.set_interrupt(None);
            if behind_savepoint {
                t.rollback_to(sp).unwrap();
            }
            assert!(
                t.cursor(tree, KeyRange::all(), Direction::Forward).unwrap().next(&mut t).unwrap().is_none()
            );
            let rows = match round % 3 {
                0 => {
                    t.fill(tree, &mut some_rows(700, |_| {})).unwrap();
                    700
                }
                1 => {
                    t.put(tree, b"k", b"v").unwrap();
                    1
                }
                _ => 0,
            };
            t.commit().unwrap();
            while db.step_purge().unwrap() > 0 {}
            assert_eq!(committed(&db, tree).unwrap().len(), rows, "at {at}");
            assert_sound(&db, "canceled"); // no block is left that nothing refers to
            db.close().unwrap();
            assert_sound(&common::open(&disk, 6).unwrap(), "canceled, after a start");
        }
    }
}

/// What was filled stays filled, its large values too, behind a rollback to a savepoint that is younger than the tree.
#[test]
fn a_rollback_to_a_savepoint_takes_nothing_from_a_filled_tree() {
    let (disk, db) = fresh(7);
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree().unwrap();
    let sp = t.savepoint();
    t.fill(tree, &mut some_rows(500, |_| {})).unwrap();
    t.put(tree, b"later", b"v").unwrap();
    t.rollback_to(sp).unwrap();
    t.commit().unwrap();
    while db.step_purge().unwrap() > 0 {}
    let rows = committed(&db, tree).unwrap();
    assert_eq!(rows.len(), 500);
    assert!(rows.values().enumerate().all(|(i, v)| v.len() == if i % 50 == 0 { 30_000 } else { 100 }));
    assert_sound(&db, "rolled back to a savepoint");
    db.close().unwrap();
    assert_sound(&common::open(&disk, 7).unwrap(), "after a start");
}

/// Leaves that a thread remembers of a tree may be those that a filling took next, and gave back.
#[test]
fn what_was_given_back_is_no_leaf_that_is_remembered() {
    let key = |n: u32| n.to_be_bytes().to_vec();
    for rows in [100, 400] {
        let (_disk, db) = fresh(8);
        let mut t = db.begin(TxnOptions::default());
        let tree = t.create_tree().unwrap();
        let sp = t.savepoint();
        for n in 0..rows {
            t.put(tree, &key(n), &[1; 100]).unwrap();
        }
        for _ in 0..5 {
            assert!(t.get(tree, &key(rows / 3)).unwrap().is_some());
        }
        t.rollback_to(sp).unwrap();
        for round in 0..100 {
            let mut n = 0;
            let e = t.fill(tree, &mut |k, v| {
                k.clear();
                k.extend(key(n.min(rows - 5)));
                v.clear();
                v.resize(100, 2);
                n += 1;
                Ok(true)
            });
            assert!(matches!(e, Err(Error::DuplicateKey)), "{e:?}");
            for n in 0..rows {
                assert_eq!(t.get(tree, &key(n)).unwrap(), None, "{n} of {rows}, round {round}");
            }
        }
        t.put(tree, &key(rows / 3), b"v").unwrap();
        t.commit().unwrap();
        assert_eq!(committed(&db, tree).unwrap().len(), 1, "{rows}");
        assert_sound(&db, "given back");
    }
}
