//! Transactions that a crash cut short, rolled back while others are at work: what is seen, what waits, and what is left, whatever crashes come between.

mod common;
use common::*;
use evenkeel::io::SimDisk;
use evenkeel::{Database, Error, LockMode, Options, PAGE_BYTES, Transaction, TreeId, TxnOptions, WaitPolicy};
use std::collections::BTreeMap;

/// Keys of a tree that everybody may have changed.
const KEYS: u32 = 400;
const LOSERS: usize = 3;

/// What is committed, by tree.
type Model = BTreeMap<TreeId, Rows>;

fn options(seed: u64) -> Options {
    let protection = ["full_page_writes", "double_write"][(seed % 2) as usize];
    let options = small(seed).with("torn_page_protection", protection);
    options.and_then(|o| o.with("max_wal_size", "256kB")).unwrap().leaving_losers()
}

fn value(rng: &mut fastrand::Rng) -> Vec<u8> {
    let len = match rng.u32(..20) {
        0 => rng.usize(3_000..30_000),
        1..4 => 0,
        _ => rng.usize(1..200),
    };
    let mut value = vec![b'a'; len];
    // Some change in a few places only, or not at all.
    for _ in 0..rng.usize(..4).min(len) {
        value[rng.usize(..len)] = rng.u8(..);
    }
    value
}

/// A key of its own for each of so many writers.
fn key(rng: &mut fastrand::Rng, who: usize) -> Vec<u8> {
    let n = rng.u32(..KEYS / 4) * 4 + who as u32;
    [&n.to_be_bytes()[..], b"key"].concat()
}

/// Changes something: in the trees of the model as they are committed, and perhaps in a tree of its own.
fn change(
    t: &mut Transaction,
    own: &mut Option<TreeId>,
    trees: &[TreeId],
    who: usize,
    rng: &mut fastrand::Rng,
) {
    if own.is_none() && rng.u32(..60) == 0 {
        *own = Some(t.create_tree().unwrap());
    }
    let tree = match own {
        Some(own) if rng.u32(..3) == 0 => *own,
        _ => trees[rng.usize(..trees.len())],
    };
    let key = key(rng, who);
    t.begin_statement();
    if rng.u32(..4) == 0 {
        _ = t.delete(tree, &key).unwrap();
    } else {
        t.put(tree, &key, &value(rng)).unwrap();
    }
}

/// A transaction that changes much, takes some of it back, and stays open.
fn loser(db: &Database, trees: &[TreeId], who: usize, rng: &mut fastrand::Rng) -> Transaction {
    let mut t = db.begin(TxnOptions::default());
    let mut own = None;
    for _ in 0..rng.usize(1..8) {
        for _ in 0..rng.usize(..60) {
            change(&mut t, &mut own, trees, who, rng);
        }
        if rng.bool() {
            let (before, savepoint) = (own, t.savepoint());
            for _ in 0..rng.usize(..40) {
                change(&mut t, &mut own, trees, who, rng);
            }
            if rng.bool() {
                t.rollback_to(savepoint).unwrap();
                own = before;
            }
        }
    }
    if rng.u32(..4) == 0 && who == 1 {
        t.drop_tree(trees[2]).unwrap();
    }
    t
}

/// Commits some changes, and does them in the model.
fn commit(db: &Database, model: &mut Model, trees: &[TreeId], rng: &mut fastrand::Rng) {
    let mut t = db.begin(TxnOptions::default());
    for _ in 0..rng.usize(1..20) {
        let (tree, key) = (trees[rng.usize(..trees.len())], key(rng, 0));
        let rows = model.entry(tree).or_default();
        t.begin_statement();
        if rng.u32(..4) == 0 {
            _ = t.delete(tree, &key).unwrap();
            rows.remove(&key);
        } else {
            let value = value(rng);
            t.put(tree, &key, &value).unwrap();
            rows.insert(key, value);
        }
    }
    t.commit().unwrap();
}

fn judge(db: &Database, model: &Model, rng: &mut fastrand::Rng, context: &str) {
    for (tree, wanted) in model {
        let found = committed(db, *tree).unwrap_or_else(|e| panic!("{context}: {e}"));
        if found != *wanted {
            let different =
                found.iter().filter(|(k, v)| wanted.get(*k) != Some(v)).map(|(k, v)| (k, v.len()));
            let missing = wanted.iter().filter(|(k, _)| !found.contains_key(*k)).map(|(k, v)| (k, v.len()));
            let (different, missing): (Vec<_>, Vec<_>) = (different.collect(), missing.collect());
            panic!("{context}: tree {}: different {different:?}, missing {missing:?}", tree.0);
        }
        let mut t = db.begin(TxnOptions::default());
        for _ in 0..20 {
            let who = rng.usize(..=LOSERS);
            let key = key(rng, who);
            assert_eq!(t.get(*tree, &key).unwrap(), wanted.get(&key).cloned(), "{context}: tree {}", tree.0);
        }
    }
}

/// Rows of the model that somebody has locked.
fn locked(db: &Database, model: &Model) -> usize {
    let mut locked = 0;
    for (tree, rows) in model {
        for key in rows.keys() {
            let mut t = db.begin(TxnOptions::default());
            match t.lock(*tree, key, LockMode::Update, WaitPolicy::NoWait) {
                Ok(_) => {}
                Err(Error::LockNotAvailable) => locked += 1,
                Err(e) => panic!("{e}"),
            }
        }
    }
    locked
}

fn reopen(disk: &SimDisk, seed: u64) -> Database {
    open_with(disk, options(seed))
}

fn life(seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut disk = disk(seed);
    let mut db = reopen(&disk, seed);
    let trees: Vec<TreeId> = (0..3).map(|_| new_tree(&db)).collect();
    let mut model: Model = trees.iter().map(|t| (*t, Rows::new())).collect();
    // Rows of everybody.
    let mut t = db.begin(TxnOptions::default());
    for tree in &trees {
        for who in 0..=LOSERS {
            for _ in 0..rng.usize(..80) {
                let (key, value) = (key(&mut rng, who), value(&mut rng));
                t.put(*tree, &key, &value).unwrap();
                model.get_mut(tree).unwrap().insert(key, value);
            }
        }
    }
    t.commit().unwrap();
    let mut losers = Vec::new();
    for who in 1..=LOSERS {
        losers.push(loser(&db, &trees, who, &mut rng));
        if rng.bool() {
            commit(&db, &mut model, &trees, &mut rng);
        }
        if rng.u32(..3) == 0 {
            db.step_round().unwrap();
        }
    }
    db.wait_durable(db.insert_lsn()).unwrap();
    let mut had_some = false;
    for lives in 0.. {
        let context = format!("seed {seed}, life {lives}");
        let next = if rng.bool() { disk.kill_copy() } else { disk.crash_copy(rng.u64(..)) };
        losers.drain(..).for_each(std::mem::forget);
        db.abandon();
        disk = next;
        db = reopen(&disk, seed + lives);
        had_some |= db.rollback_changes_left() > 0;
        assert!(lives > 0 || locked(&db, &model) == 0 || had_some, "{context}: rows of nobody are locked");
        let steps = if rng.u32(..3) == 0 { usize::MAX } else { rng.usize(..6) };
        for _ in 0..steps {
            judge(&db, &model, &mut rng, &context);
            match rng.u32(..4) {
                0 => commit(&db, &mut model, &trees, &mut rng),
                1 => {
                    // Log that nobody needs goes.
                    for _ in 0..4 {
                        commit(&db, &mut model, &trees, &mut rng);
                        db.step_round().unwrap();
                    }
                }
                2 => _ = db.step_clean().unwrap(),
                _ => {}
            }
            match rng.bool() {
                true => _ = db.step_purge().unwrap(),
                false => _ = db.step_rollback(rng.usize(1..40)).unwrap(),
            }
            if db.rollback_changes_left() == 0 && steps == usize::MAX {
                break;
            }
        }
        if steps == usize::MAX {
            break;
        }
    }
    let context = format!("seed {seed}, at the end");
    judge(&db, &model, &mut rng, &context);
    assert_eq!(locked(&db, &model), 0, "{context}");
    assert_sound(&db, &context);
    assert!(had_some, "{context}: there was nothing to roll back");
    db.close().unwrap();
    drop(db);
    let db = reopen(&disk, seed);
    judge(&db, &model, &mut rng, &format!("{context}, opened again"));
}

#[test]
fn losers_are_rolled_back_beside_others_whatever_crashes_come_between() {
    for seed in 0..150 {
        life(seed);
    }
}

/// With the duties' own threads: reads see what was before, whoever writes a row waits for the rollback, and a shutdown sees it through.
#[test]
fn a_large_loser_keeps_nobody_waiting_but_those_who_write_its_rows() {
    const ROWS: u32 = 20_000;
    let options = || {
        let options = Options::default().with_seed(7).with("shared_buffers", "1MB");
        options.and_then(|o| o.with("wal_segment_size", "1MB")).unwrap()
    };
    let disk = disk(7);
    let db = open_with(&disk, options());
    let tree = new_tree(&db);
    let mut wanted = Rows::new();
    let mut t = db.begin(TxnOptions::default());
    for i in 0..ROWS {
        t.put(tree, &i.to_be_bytes(), &[1; 50]).unwrap();
        wanted.insert(i.to_be_bytes().to_vec(), vec![1; 50]);
    }
    t.commit().unwrap();
    let mut loser = db.begin(TxnOptions::default());
    for i in 0..2 * ROWS {
        loser.put(tree, &i.to_be_bytes(), &[2; 60]).unwrap();
    }
    db.wait_durable(db.insert_lsn()).unwrap();
    let (killed, killed_too) = (disk.kill_copy(), disk.kill_copy());
    std::mem::forget(loser);
    db.abandon();

    let db = open_with(&killed, options());
    assert!(committed(&db, tree).unwrap() == wanted, "what is being rolled back is not seen");
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &0u32.to_be_bytes(), &[3; 70]).unwrap(); // the last row that is put back
    t.commit().unwrap();
    while db.rollback_changes_left() > 0 {
        std::thread::yield_now();
    }
    wanted.insert(0u32.to_be_bytes().to_vec(), vec![3; 70]);
    assert!(committed(&db, tree).unwrap() == wanted);
    assert_sound(&db, "when all is rolled back");
    db.close().unwrap();
    drop(db);

    let db = open_with(&killed_too, options());
    db.close().unwrap();
    drop(db);
    let db = open_with(&killed_too, options());
    assert_eq!(db.redo_stats().records, 0, "the shutdown was clean");
    wanted.insert(0u32.to_be_bytes().to_vec(), vec![1; 50]);
    assert!(committed(&db, tree).unwrap() == wanted);
    db.close().unwrap();
}

/// Whoever asked for a row of a loser has it once that row is put back, not only when all are.
#[test]
fn a_row_that_was_put_back_is_free() {
    let disk = disk(3);
    let db = reopen(&disk, 3);
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    (0..3u8).for_each(|i| t.put(tree, &[i], &[i]).unwrap());
    t.commit().unwrap();
    let mut loser = db.begin(TxnOptions::default());
    (0..3u8).for_each(|i| loser.put(tree, &[i], &[9]).unwrap());
    db.wait_durable(db.insert_lsn()).unwrap();
    let killed = disk.kill_copy();
    std::mem::forget(loser);
    db.abandon();
    let db = reopen(&killed, 4);
    let free = |key: u8| {
        let mut t = db.begin(TxnOptions::default());
        t.lock(tree, &[key], LockMode::Update, WaitPolicy::NoWait).is_ok()
    };
    for undone in 0..3u8 {
        assert!((0..3).all(|key| free(key) == (key + undone >= 3)), "{undone} are put back");
        db.step_rollback(1).unwrap();
    }
    while db.rollback_changes_left() > 0 {
        db.step_rollback(1).unwrap();
    }
    assert!((0..3).all(free));
    db.close().unwrap();
}

/// The disk fills up while a loser is rolled back: it lives on what was set aside, whatever is to be undone, and whatever others have split meanwhile. Once there is
/// space again rounds go on, although it is not done.
#[test]
fn a_full_disk_stops_no_rollback_of_a_loser() {
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let disk = disk(seed);
        let db = reopen(&disk, seed);
        let trees: Vec<TreeId> = (0..3).map(|_| new_tree(&db)).collect();
        let mut model: Model = trees.iter().map(|t| (*t, Rows::new())).collect();
        (0..30).for_each(|_| commit(&db, &mut model, &trees, &mut rng));
        // A row here and there on many pages.
        let wide = new_tree(&db);
        let wide_key = |n: u32| n.to_be_bytes().to_vec();
        let mut t = db.begin(TxnOptions::default());
        for n in 0..1500 {
            let value: Vec<u8> = (0..400).map(|_| rng.u8(..)).collect();
            t.put(wide, &wide_key(4 * n), &value).unwrap();
            model.entry(wide).or_default().insert(wide_key(4 * n), value);
        }
        t.commit().unwrap();
        let mut loser = db.begin(TxnOptions::default());
        for i in 0..rng.u32(1..300) {
            loser.begin_statement();
            if seed % 3 == 0 {
                // In a few bytes only, so that little is set aside for the change itself.
                let mut value = model[&wide][&wide_key(20 * i)].clone();
                value[5] ^= 1;
                loser.put(wide, &wide_key(20 * i), &value).unwrap();
                continue;
            }
            let tree = if rng.u32(..50) == 0 { loser.create_tree().unwrap() } else { trees[rng.usize(..3)] };
            let large = if seed % 3 == 1 { 10 } else { 1 };
            let len = if rng.u32(..large) == 0 { rng.usize(9_000..200_000) } else { rng.usize(..100) };
            let key = [&(4 * rng.u32(..KEYS / 4) + 1).to_be_bytes()[..], b"key"].concat();
            loser.put(tree, &key, &vec![i as u8; len]).unwrap();
        }
        // Splits after its last record.
        (0..10).for_each(|_| commit(&db, &mut model, &trees, &mut rng));
        let mut t = db.begin(TxnOptions::default());
        for n in 0..rng.u32(..1500) {
            t.put(wide, &wide_key(4 * n + 1), &[6; 300]).unwrap();
            model.entry(wide).or_default().insert(wide_key(4 * n + 1), vec![6; 300]);
        }
        t.commit().unwrap();
        db.wait_durable(db.insert_lsn()).unwrap();
        let killed = disk.kill_copy();
        std::mem::forget(loser);
        db.abandon();

        let db = reopen(&killed, seed + 1);
        let step = |n: usize| db.step_rollback(n).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        (0..rng.usize(..4)).for_each(|_| _ = step(rng.usize(1..20)));
        killed.set_capacity(killed.used_bytes());
        // Somebody takes what is left of the log.
        let mut t = db.begin(TxnOptions::default());
        let mut n = 0u32;
        let full = loop {
            n += 1;
            let key = [&(4 * rng.u32(..KEYS / 4) + 2).to_be_bytes()[..], b"key"].concat();
            if let Err(e) = t.put(trees[0], &key, &[n as u8; 700]) {
                break e;
            }
        };
        assert!(matches!(full, Error::OutOfSpace { .. }), "seed {seed}: {full}");
        let mut taken = Vec::new();
        while let Ok(promise) = db.log().promise(256) {
            taken.push(promise);
        }
        let goes_on = rng.bool();
        while db.rollback_changes_left() > 0 && !(goes_on && rng.u32(..4) == 0) {
            step(rng.usize(1..60));
        }
        taken.clear();
        drop(t);
        killed.set_capacity(u64::MAX);
        step(1);
        (0..4).for_each(|_| db.step_round().unwrap_or_else(|e| panic!("seed {seed}: a round: {e}")));
        while db.rollback_changes_left() > 0 {
            step(100);
        }
        judge(&db, &model, &mut rng, &format!("seed {seed}"));
        assert_sound(&db, &format!("seed {seed}"));
        db.close().unwrap();
    }
}

/// A page that cannot be read, on which a transaction that a crash cut short has changed a row: the database starts, and everything else of it can be read and
/// written. Once the page can be read again the transaction is rolled back.
#[test]
fn a_damaged_page_that_a_loser_has_changed_keeps_nothing_else() {
    for (seed, waits) in [(41, false), (42, true)] {
        let options = |seed| if waits { options(seed) } else { small(seed) };
        let mut disk = disk(seed);
        let db = open_with(&disk, options(seed));
        let (damaged, other) = (new_tree(&db), new_tree(&db));
        for tree in [damaged, other] {
            let mut t = db.begin(TxnOptions::default());
            (0..400u32).for_each(|i| t.put(tree, &i.to_be_bytes(), &[1; 200]).unwrap());
            t.commit().unwrap();
        }
        let mut losers: Vec<Transaction> = (0..2).map(|_| db.begin(TxnOptions::default())).collect();
        for (n, loser) in losers.iter_mut().enumerate() {
            let rows = 200 * n as u32..200 * n as u32 + 50;
            rows.for_each(|i| loser.put(damaged, &i.to_be_bytes(), &[2; 200]).unwrap());
            loser.put(other, &(n as u32).to_be_bytes(), &[2; 200]).unwrap();
        }
        db.checkpoint().unwrap();
        let crashed = disk.kill_copy();
        losers.into_iter().for_each(|l| l.rollback().unwrap());
        drop(db);
        disk = crashed;
        let path = format!("data/{}", damaged.0);
        let bytes = disk.contents(&path).unwrap();
        let has_row = |b: &usize| {
            bytes[b * PAGE_BYTES..][..PAGE_BYTES]
                .windows(204)
                .any(|w| w[..4] == 20u32.to_be_bytes() || w[..4] == 220u32.to_be_bytes())
        };
        let block = (1..bytes.len() / PAGE_BYTES).find(has_row).expect("a page with a changed row");
        let (at, good) = ((block * PAGE_BYTES + 6000) as u64, bytes[block * PAGE_BYTES + 6000]);
        disk.damage(&path, at, &[!good]).unwrap();
        for round in 0..3 {
            let db = open_with(&disk, options(seed + round));
            assert!((0..20).any(|_| matches!(db.step_purge(), Err(Error::Corrupt(_)))), "it is told");
            let found = committed(&db, other).unwrap();
            assert_eq!(found.len(), 400);
            assert!(found.values().all(|v| v[0] != 2), "nobody sees what was not committed");
            let mut t = db.begin(TxnOptions::default());
            t.put(other, &(300 + round as u32).to_be_bytes(), &[3; 200]).unwrap();
            t.commit().unwrap();
            assert!(matches!(committed(&db, damaged), Err(Error::Corrupt(_))));
            match round {
                1 => disk = disk.crash_copy(1),
                _ => db.close().unwrap(),
            }
        }
        // Dropping what is damaged ends it,
        let copy = disk.crash_copy(2);
        let db = open_with(&copy, options(seed));
        let mut t = db.begin(TxnOptions::default());
        t.drop_tree(damaged).unwrap();
        t.commit().unwrap();
        while !matches!(db.step_purge(), Ok(0)) {}
        assert_eq!(db.stats().purge_backlog, 0);
        db.close().unwrap();
        let db = open_with(&copy, options(seed));
        assert!(db.life_before().is_some(), "it was closed cleanly");
        assert_sound(&db, "after it was dropped");
        // and so does its being read again.
        disk.damage(&path, at, &[good]).unwrap();
        let db = open_with(&disk, options(seed));
        while db.step_purge().unwrap() > 0 {}
        assert!(committed(&db, damaged).unwrap().values().all(|v| v[..] == [1; 200]));
        assert_eq!(db.lock_waiters(), 0);
        let mut t = db.begin(TxnOptions::default());
        t.put(damaged, &20u32.to_be_bytes(), &[4; 200]).expect("its lock is gone");
        t.commit().unwrap();
        assert_sound(&db, "at the end");
        db.close().unwrap();
    }
}
