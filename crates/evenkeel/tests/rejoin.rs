//! A server that was a primary follows the one that took over: whatever both have done since, it becomes what the other one is (decision 013, 17).

mod common;

use common::pair::{
    LONG, Pair, SLOT, durable_end, open_standby, primary_options, pump_up_to, rows_of, seeds,
};
use common::{assert_sound, open_with};
use evenkeel::io::{Disk, SimCall, SimDisk};
use evenkeel::{
    CopyOptions, CopyPiece, Database, Error, Have, Lsn, Rejoining, Result, Standby, StandbyCopy, TreeId,
    TxnOptions, log_end_on,
};
use std::sync::{Arc, Mutex};

const AT_ONCE: CopyOptions = CopyOptions { rate_bytes_per_s: 0, level: 1, fast_checkpoint: false };

/// What it took.
#[derive(Debug, Default)]
struct Took {
    fork: Lsn,
    pages_bytes: usize,
}

/// The folder rejoins `db` by a new slot, as the command has it. With `pieces` it is cut short after so many.
fn rejoin(disk: &SimDisk, db: &Database, slot: &str, pieces: Option<usize>) -> Result<Took> {
    let rejoining = Rejoining::open_on(Arc::new(disk.clone()))?;
    assert_eq!(rejoining.database_id(), db.database_id());
    let fork = db.upstream().fork(&rejoining.lives())?.expect("they have a log in common");
    let have = Have::decode(&rejoining.have(fork)?.encode()).expect("as it was written");
    db.upstream().create_slot(slot, true)?;
    let mut rejoining = Some(rejoining);
    let mut copy: Option<StandbyCopy> = None;
    let mut took = Took { fork, ..Took::default() };
    let (mut whole, mut n) = (None, 0);
    db.upstream().copy_base(slot, &AT_ONCE, Some(&have), &mut |piece| {
        if pieces.is_some_and(|max| n >= max) {
            return Err(Error::Canceled);
        }
        n += 1;
        match piece {
            CopyPiece::Label(label, _) => {
                copy = Some(rejoining.take().expect("one label").begin(label, fork, "the other")?);
                Ok(())
            }
            CopyPiece::Lives(text) => copy.as_mut().expect("a label came").lives(text),
            CopyPiece::Pages(packed, _) => {
                took.pages_bytes += packed.len();
                copy.as_mut().expect("a label came").pages(packed)
            }
            CopyPiece::End(at) => {
                whole = Some(at);
                Ok(())
            }
        }
    })?;
    copy.expect("a label came").finish(whole.expect("it ended"))?;
    Ok(took)
}

/// Everything that its log has been sent to a standby, and is replayed there.
fn follow(db: &Database, slot: &str, standby: &Standby, rng: &mut fastrand::Rng) {
    let end = durable_end(db);
    pump_up_to(db.upstream(), slot, standby, rng, true, Lsn::MAX);
    assert!(standby.wait_replayed(end, LONG).unwrap() && standby.is_whole());
}

fn settled(db: &Database) {
    while db.rollback_changes_left() > 0 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Some more work on a database that is none of a pair's.
fn work(db: &Database, trees: &[TreeId], rng: &mut fastrand::Rng) {
    for _ in 0..rng.usize(1..60) {
        match rng.u8(0..10) {
            0 => db.step_round().expect("round"),
            1 => drop(db.step_purge().expect("purge")),
            _ => {
                let mut t = db.begin(TxnOptions::default());
                for _ in 0..rng.usize(1..8) {
                    let tree = trees[rng.usize(..trees.len())];
                    let key = [0, rng.u8(..), rng.u8(..4)];
                    if rng.u8(..4) == 0 {
                        _ = t.delete(tree, &key).expect("delete");
                    } else {
                        t.put(tree, &key, &vec![rng.u8(..); rng.usize(..2000)]).expect("put");
                    }
                }
                t.commit().expect("commit");
            }
        }
    }
}

fn common_trees(pair: &Pair, db: &Database) -> Vec<TreeId> {
    let is_there = |t: &TreeId| db.begin(TxnOptions::default()).get(*t, b"").is_ok();
    pair.trees.iter().copied().filter(is_there).collect()
}

#[test]
fn the_old_primary_becomes_what_the_new_one_is() {
    let mut spared = 0;
    for seed in 0..seeds(16) {
        let mut pair = Pair::new(seed ^ 0x4e10);
        let mut rng = fastrand::Rng::with_seed(seed);
        let standby = open_standby(&pair.copy, seed);
        for _ in 0..150 {
            pair.step();
            if pair.rng.u8(..10) == 0 {
                pair.pump(&standby, true);
            }
        }
        pair.pump(&standby, true);
        // Whatever it has of its own from here on is lost, and no page of it may stay.
        let shared = pair.trees.clone();
        let forked_at = durable_end(&pair.db);
        (0..rng.usize(0..120)).for_each(|_| pair.step());
        let db = standby.promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let there: Vec<TreeId> =
            shared.iter().copied().filter(|t| db.begin(TxnOptions::default()).get(*t, b"").is_ok()).collect();
        if !there.is_empty() {
            work(&db, &there, &mut rng);
        }
        // It is killed, or stops; then it is recovered, which goes on in a life of its own.
        pair.open.clear();
        if rng.bool() {
            pair.db.close().expect("close");
        }
        let home = pair.home.kill_copy();
        open_with(&home, primary_options(seed + 500_000)).close().expect("close");
        // An attempt that is cut short leaves no database, and harms nothing.
        for n in 0..rng.usize(0..3) {
            let after = rng.usize(1..6);
            let cut = rejoin(&home, &db, &format!("cut{n}"), Some(after));
            assert!(matches!(cut, Err(Error::Canceled)), "seed {seed}");
            let why = Database::open_on(Arc::new(home.clone()), primary_options(1)).map(drop).unwrap_err();
            assert!(why.to_string().contains("rejoin"), "seed {seed}: {why}");
            if !there.is_empty() {
                work(&db, &there, &mut rng);
            }
        }
        // Nor does one that the power cuts, wherever it was.
        let mut home = home;
        let mut slot = "a".to_owned();
        for n in 0..rng.usize(0..4) {
            let taken: Arc<Mutex<Option<SimDisk>>> = Arc::default();
            let (at, into, salt) = (home.calls() + rng.u64(1..250), taken.clone(), rng.u64(..));
            home.set_hook(Some(Box::new(move |call: &SimCall, disk: &SimDisk| {
                if call.index == at {
                    *into.lock().unwrap() = Some(disk.crash_copy(salt));
                }
            })));
            let whole = rejoin(&home, &db, &format!("power{n}"), None);
            home.set_hook(None);
            assert!(whole.is_ok(), "seed {seed}: {whole:?}");
            let Some(copy) = taken.lock().unwrap().take() else { break };
            home = copy;
            if Rejoining::open_on(Arc::new(home.clone()))
                .is_err_and(|e| e.to_string().contains("it is a standby"))
            {
                slot = format!("power{n}"); // it was done
                break;
            }
            if !there.is_empty() {
                work(&db, &there, &mut rng);
            }
        }
        if slot != "a" {
            let standby = open_standby(&home, seed + 600_000);
            follow(&db, &slot, &standby, &mut rng);
            let again = standby.promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            settled(&again);
            assert_eq!(rows_of(&again, &there), rows_of(&db, &there), "seed {seed}");
            assert_sound(&again, &format!("seed {seed}"));
            continue;
        }
        if Rejoining::open_on(Arc::new(home.clone())).is_err() {
            continue; // the last attempt was whole
        }
        let took = rejoin(&home, &db, "a", None).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(took.fork <= forked_at, "seed {seed}: {} behind {forked_at}", took.fork);
        let all: usize = home
            .list("data")
            .unwrap()
            .iter()
            .map(|f| home.contents(&format!("data/{f}")).expect("a file").len())
            .sum();
        spared += usize::from(took.pages_bytes < all / 2);
        let standby = open_standby(&home, seed + 600_000);
        if !there.is_empty() {
            work(&db, &there, &mut rng);
        }
        follow(&db, "a", &standby, &mut rng);
        let expected = rows_of(&db, &there);
        let again = standby.promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        settled(&again);
        assert_eq!(rows_of(&again, &there), expected, "seed {seed}");
        assert_sound(&again, &format!("seed {seed}"));
        again.close().expect("close");
        db.close().expect("close");
    }
    assert!(spared > 0, "pages that neither has touched are not sent");
}

/// There and back again: each time what only one of them had is gone, and both are the same.
#[test]
fn two_servers_change_places_again_and_again() {
    let mut pair = Pair::new(77);
    (0..100).for_each(|_| pair.step());
    let mut rng = fastrand::Rng::with_seed(77);
    let standby = open_standby(&pair.copy, 1);
    follow(&pair.db, SLOT, &standby, &mut rng);
    let (mut primary, mut primary_disk) = (pair.db.clone(), pair.home.clone());
    let (mut standby, mut standby_disk) = (standby, pair.copy.clone());
    pair.open.clear();
    let trees = common_trees(&pair, &primary);
    assert!(!trees.is_empty());
    drop(pair);
    for round in 0..8u64 {
        work(&primary, &trees, &mut rng);
        let db = standby.promote().unwrap_or_else(|e| panic!("round {round}: {e}"));
        work(&db, &trees, &mut rng);
        // The old one goes on for a while as if nothing had happened.
        work(&primary, &trees, &mut rng);
        let fork = db.upstream().fork(&primary.lives().unwrap()).unwrap().expect("known");
        let lost = primary.diverged_since(fork).unwrap_or_default();
        primary.close().expect("close");
        drop(primary);
        let took = rejoin(&primary_disk, &db, &format!("s{round}"), None)
            .unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert!(lost.iter().all(|t| t.commit >= took.fork && !t.rows.is_empty()));
        standby = open_standby(&primary_disk, 10_000 + round);
        work(&db, &trees, &mut rng);
        follow(&db, &format!("s{round}"), &standby, &mut rng);
        let reader = standby.database().expect("it can be read");
        assert_eq!(rows_of(&reader, &trees), rows_of(&db, &trees), "round {round}");
        drop(reader);
        (primary, primary_disk, standby_disk) = (db, standby_disk, primary_disk);
    }
    let db = standby.promote().unwrap();
    settled(&db);
    assert_sound(&db, "in the end");
    drop(standby_disk);
}

#[test]
fn what_only_the_old_one_has_is_known_by_transaction_and_row() {
    let mut pair = Pair::new(5);
    let mut rng = fastrand::Rng::with_seed(5);
    let tree = common::new_tree(&pair.db);
    let put = |db: &Database, key: &[u8]| {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, key, b"v").unwrap();
        t.commit().unwrap();
    };
    put(&pair.db, b"both");
    let standby = open_standby(&pair.copy, 5);
    pair.pump(&standby, true);
    let db = standby.promote().unwrap();
    put(&pair.db, b"one");
    let mut undone = pair.db.begin(TxnOptions::default());
    undone.put(tree, b"undone", b"v").unwrap();
    undone.rollback().unwrap();
    let mut both = pair.db.begin(TxnOptions::default());
    both.put(tree, b"two", b"v").unwrap();
    _ = both.delete(tree, b"both").unwrap();
    both.commit().unwrap();
    let mut open = pair.db.begin(TxnOptions::default());
    open.put(tree, b"open", b"v").unwrap();
    let fork = db.upstream().fork(&pair.db.lives().unwrap()).unwrap().unwrap();
    let diverged = pair.db.diverged_since(fork).unwrap();
    let rows: Vec<Vec<&[u8]>> =
        diverged.iter().map(|t| t.rows.iter().map(|(_, key)| &key[..]).collect()).collect();
    assert_eq!(rows, [vec![&b"one"[..]], vec![b"two", b"both"]]);
    assert!(diverged.iter().all(|t| t.commit >= fork && t.time_ms > 0));
    drop(open);
    // Another database has nothing in common; nor has one whose lives are forgotten.
    assert_eq!(db.upstream().fork(&[(12345, Lsn(1))]).unwrap(), None);
    let _ = &mut rng;
}

/// Who is elected is told by positions: each opening of a folder goes on in another segment.
#[test]
fn the_end_of_a_log_is_found_without_opening_it() {
    let disk = common::disk(5);
    let db = open_with(&disk, primary_options(5));
    let tree = common::new_tree(&db);
    for n in 0..300 {
        common::write(&db, tree, n).unwrap();
        let end = durable_end(&db);
        let copy = disk.kill_copy();
        let found = log_end_on(Arc::new(copy.clone())).unwrap();
        assert_eq!((found.lsn, found.database_id), (end, db.database_id()));
        if n % 50 == 0 {
            let opened = open_with(&copy, primary_options(6));
            assert!(durable_end(&opened) > end);
            assert!(log_end_on(Arc::new(copy.clone())).is_err(), "somebody has it");
            opened.close().unwrap();
            assert!(log_end_on(Arc::new(copy)).unwrap().lsn > end);
        }
    }
    db.close().unwrap();
    assert_eq!(log_end_on(Arc::new(disk)).unwrap().lsn, db.durable_lsn());
}

/// Places changed on purpose: all of the log was there before the primary went, and its next start needs none of it.
#[test]
fn after_a_clean_stop_nothing_is_only_here() {
    let disk = common::disk(1);
    let options = || primary_options(100_000).keeping_log();
    let db = open_with(&disk, primary_options(100_000));
    let tree = common::new_tree(&db);
    let put = |db: &Database, key: &[u8]| {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, key, b"v").unwrap();
        t.commit().unwrap();
    };
    put(&db, b"both");
    db.close().unwrap();
    let copy = disk.kill_copy();
    Standby::adopt(&copy).unwrap();
    let new = open_standby(&copy, 3).promote().unwrap();
    let db = open_with(&disk, options().with_seed(7));
    let fork = new.upstream().fork(&db.lives().unwrap()).unwrap().unwrap();
    assert_eq!(db.diverged_since(fork).unwrap(), []);
    put(&db, b"here");
    assert_eq!(db.diverged_since(fork).unwrap().len(), 1);
    db.close().unwrap();
    let db = open_with(&disk, primary_options(100_000).with_seed(8)); // its log goes
    assert!(db.diverged_since(fork).unwrap_err().to_string().contains("not here any more"));
}

#[test]
fn who_cannot_rejoin_is_told_so() {
    let pair = Pair::new(9);
    let refused = |disk: &SimDisk, why: &str| {
        let e = Rejoining::open_on(Arc::new(disk.clone())).map(drop).unwrap_err().to_string();
        assert!(e.contains(why), "{e}");
    };
    refused(&pair.copy, "it is a standby");
    refused(&common::disk(1), "no database");
    let killed = pair.home.kill_copy();
    refused(&killed, "not stopped cleanly");
    // Another database's copy.
    let other = Pair::new(10);
    let disk = pair.home.clone();
    pair.db.close().unwrap();
    drop(pair);
    let rejoining = Rejoining::open_on(Arc::new(disk.clone())).unwrap();
    assert_eq!(other.db.upstream().fork(&rejoining.lives()).unwrap(), None);
    let mut rejoining = Some(rejoining);
    let ended = other.db.upstream().copy_base(SLOT, &AT_ONCE, None, &mut |piece| match piece {
        CopyPiece::Label(label, _) => rejoining.take().unwrap().begin(label, Lsn(1), "another").map(drop),
        _ => unreachable!("refused before"),
    });
    assert!(ended.unwrap_err().to_string().contains("another database"));
    open_with(&disk, primary_options(100_000)).close().unwrap();
}

/// A file that was cut on the old branch and grew again, or that an attempt had no time to fill.
#[test]
fn a_page_of_zeros_is_none_that_one_has() {
    let pair = Pair::new(21);
    let mut rng = fastrand::Rng::with_seed(21);
    let tree = common::tree_with_file(&pair.db);
    let mut t = pair.db.begin(TxnOptions::default());
    (0..200u8).for_each(|n| t.put(tree, &[n], &[n; 900]).unwrap());
    t.commit().unwrap();
    let standby = open_standby(&pair.copy, 21);
    follow(&pair.db, SLOT, &standby, &mut rng);
    let db = standby.promote().unwrap();
    pair.db.close().unwrap();
    db.checkpoint().unwrap(); // no log brings them back
    let page = evenkeel::PAGE_BYTES;
    let path = format!("data/{}", tree.0);
    let blocks = pair.home.contents(&path).unwrap().len() / page;
    assert!(blocks > 10);
    (3..blocks).for_each(|n| pair.home.damage(&path, (n * page) as u64, &vec![0; page]).unwrap());
    rejoin(&pair.home, &db, "a", None).unwrap();
    let standby = open_standby(&pair.home, 1021);
    follow(&db, "a", &standby, &mut rng);
    let again = standby.promote().unwrap();
    assert_eq!(rows_of(&again, &[tree]), rows_of(&db, &[tree]));
}
