//! A standby that is read while it replays: what a reader sees is what the primary showed at some moment, and stays so.

mod common;

use common::pair::{LONG, Pair, SLOT, durable_end, open_standby, pump, rows_of, seeds};
use common::{Rows, rows};
use evenkeel::{Database, Error, Isolation, Lsn, Standby, Transaction, TreeId, TxnOptions};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long readers and waves meet.
const WHILE: Duration = Duration::from_secs(2);

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
    assert!(kept > expired.max(10) && expired > 0, "{kept} went on seeing it, {expired} did not");
}

/// What readers want is kept by a primary that is told of it, and no longer than they want it.
#[test]
fn a_primary_that_hears_of_readers_takes_nothing_away_from_them() {
    let mut kept = 0;
    for seed in 0..seeds(8) {
        let context = format!("seed {seed}");
        let mut pair = Pair::new(seed ^ 0xfeed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let standby = open_standby(&pair.copy, seed);
        let feedback = pair.db.upstream().feedback();
        let mut readers: Vec<Reader> = Vec::new();
        for _ in 0..300 {
            pair.step_while_copied();
            feedback.sample();
            if rng.u8(..8) > 0 {
                continue;
            }
            let end = durable_end(&pair.db);
            feedback.sample();
            pair.pump(&standby, true);
            assert!(standby.wait_replayed(end, LONG).unwrap(), "{context}");
            feedback.heard(standby.feedback().expect("it is on, and the standby can be read"));
            let db = readable(&standby, &context);
            readers.retain_mut(|r| {
                assert!(r.reads_again(&context), "{context}: somebody's snapshot is too old");
                kept += 1;
                rng.u8(..8) > 0
            });
            readers.push(Reader::new(&db, &pair.trees));
        }
        readers.clear();
        // What nobody wants any more goes.
        std::thread::sleep(Duration::from_millis(6));
        pair.open.clear();
        let end = durable_end(&pair.db);
        feedback.sample();
        pair.pump(&standby, true);
        assert!(standby.wait_replayed(end, LONG).unwrap(), "{context}");
        feedback.heard(standby.feedback().expect("as before"));
        while pair.db.step_purge().unwrap() > 0 {}
        assert_eq!(pair.db.stats().purge_backlog, 0, "{context}");
    }
    assert!(kept > 500, "{kept} read again");
}

/// What readers want outlives their follower's connection and the primary, however that ends.
#[test]
fn what_readers_want_is_kept_while_nobody_says_it() {
    let (mut kept, mut waited) = (0, 0);
    for seed in 0..seeds(8) {
        let context = format!("seed {seed}");
        let mut pair = Pair::new(seed ^ 0xf11d);
        let mut rng = fastrand::Rng::with_seed(seed);
        let standby = open_standby(&pair.copy, seed);
        let mut feedback = pair.db.upstream().feedback();
        let mut readers: Vec<Reader> = Vec::new();
        let catch_up = |pair: &mut Pair, feedback: &evenkeel::Feedback| {
            let end = durable_end(&pair.db);
            std::thread::sleep(Duration::from_millis(6));
            feedback.sample();
            pair.pump(&standby, true);
            assert!(standby.wait_replayed(end, LONG).unwrap(), "{context}");
        };
        let say = |pair: &Pair, feedback: &evenkeel::Feedback| {
            let wanted = standby.feedback().expect("it is on, and the standby can be read");
            feedback.heard(wanted);
            pair.db.upstream().use_slot(SLOT).unwrap().wants(Some(wanted)).unwrap();
        };
        for _ in 0..10 {
            (0..rng.usize(1..40)).for_each(|_| pair.step_while_copied());
            catch_up(&mut pair, &feedback);
            readers.retain_mut(|r| {
                assert!(r.reads_again(&context), "{context}: somebody's snapshot is too old");
                kept += 1;
                rng.u8(..4) > 0
            });
            readers.push(Reader::new(&readable(&standby, &context), &pair.trees));
            say(&pair, &feedback);
            (0..rng.usize(1..20)).for_each(|_| pair.step_while_copied());
            pair.open.clear();
            durable_end(&pair.db);
            // Its connection ends, and perhaps the primary.
            let user = pair.db.upstream().use_slot(SLOT).unwrap();
            user.leave(feedback.into_hold());
            drop(user);
            match rng.u8(..3) {
                0 => {}
                1 => pair.restart(),
                _ => {
                    let home = pair.home.kill_copy();
                    let before = std::mem::replace(&mut pair.home, home);
                    pair.seed += 1000;
                    let next = common::open_with(&pair.home, common::pair::primary_options(pair.seed));
                    std::mem::replace(&mut pair.db, next).abandon();
                    drop(before);
                }
            }
            // The purge has all the time that it wants, before the follower is back.
            while pair.db.step_purge().unwrap() > 0 {}
            waited += pair.db.stats().purge_backlog;
            feedback = pair.db.upstream().feedback();
        }
        readers.clear();
        catch_up(&mut pair, &feedback);
        say(&pair, &feedback);
        while pair.db.step_purge().unwrap() > 0 {}
        assert_eq!(pair.db.stats().purge_backlog, 0, "{context}: nobody wants it any more");
        let evenkeel::Slot { wanted_from, .. } = pair.db.slots().remove(0);
        assert!(wanted_from.is_some(), "{context}");
    }
    assert!(kept > 100 && waited > 10, "{kept} read again, {waited} waited");
}

/// A follower that stays away is waited for only so long.
#[test]
fn readers_of_a_follower_that_stays_away_are_given_up() {
    let mut pair = Pair::new(3);
    let tree = common::new_tree(&pair.db);
    pair.trees = vec![tree];
    common::write(&pair.db, tree, 1).unwrap();
    pair.db.upstream().use_slot(SLOT).unwrap().wants(Some(Lsn(1))).unwrap();
    pair.db.close().unwrap();
    let options = common::pair::primary_options(9000);
    let db = common::open_with(&pair.home, options.with("hot_standby_feedback_max_age", "1s").unwrap());
    let delete = |db: &Database| {
        let mut t = db.begin(TxnOptions::default());
        let keys: Vec<Vec<u8>> = rows(&mut t, tree).unwrap().into_keys().collect();
        keys.iter().for_each(|key| drop(t.delete(tree, key).unwrap()));
        t.commit().unwrap();
    };
    delete(&db);
    while db.step_purge().unwrap() > 0 {}
    assert!(db.stats().purge_backlog > 0, "its follower may come back");
    let began = Instant::now();
    while db.stats().purge_backlog > 0 {
        assert!(began.elapsed() < LONG);
        db.step_purge().unwrap();
    }
    assert_eq!(db.slots()[0].wanted_from, None);
}

/// A session remembers where it found a key. That block is cut off, and is free again when the file has grown: what the standby's file still has there is not taken for the leaf.
#[test]
fn a_place_behind_a_cut_is_not_remembered() {
    let mut pair = Pair::new(4);
    let tree = common::new_tree(&pair.db);
    let put = |db: &Database, keys: std::ops::Range<u32>| {
        let mut t = db.begin(TxnOptions::default());
        keys.for_each(|key| t.put(tree, &key.to_be_bytes(), &[7; 1000]).unwrap());
        t.commit().unwrap();
    };
    let catch_up = |pair: &mut Pair, standby: &Standby| {
        let end = durable_end(&pair.db);
        pair.pump(standby, true);
        assert!(standby.wait_replayed(end, LONG).unwrap());
    };
    let standby = open_standby(&pair.copy, 4);
    put(&pair.db, 1000..1100);
    catch_up(&mut pair, &standby);
    // Its stop brings the leaves home.
    standby.close().unwrap();
    let standby = open_standby(&pair.copy, 4);
    put(&pair.db, 1000..1001);
    catch_up(&mut pair, &standby);
    let last = 1099u32.to_be_bytes();
    // Places are a thread's own.
    std::thread::scope(|scope| {
        let (ask, asked) = std::sync::mpsc::channel::<()>();
        let (say, said) = std::sync::mpsc::channel();
        let db = readable(&standby, "at first");
        scope.spawn(move || {
            while asked.recv().is_ok() {
                let mut t = db.begin(TxnOptions::default());
                let found = (0..4).map(|_| t.get(tree, &last).unwrap().is_some()).last();
                say.send(found).unwrap();
            }
        });
        let is_found = || {
            ask.send(()).unwrap();
            said.recv_timeout(LONG).unwrap().unwrap()
        };
        assert!(is_found());
        let size = pair.db.tree_size_bytes(tree).unwrap();
        let mut t = pair.db.begin(TxnOptions::default());
        (1014..1100u32).for_each(|key| drop(t.delete(tree, &key.to_be_bytes()).unwrap()));
        t.commit().unwrap();
        while pair.db.step_purge().unwrap() > 0 {}
        assert!(pair.db.vacuum(tree).unwrap().blocks_cut > 0, "the file was not cut");
        catch_up(&mut pair, &standby);
        // Until it has that many blocks again, of which a few are used.
        let all = 0..200u32;
        all.take_while(|_| pair.db.tree_size_bytes(tree).unwrap() < size)
            .for_each(|n| put(&pair.db, n * 5..n * 5 + 5));
        catch_up(&mut pair, &standby);
        readable(&standby, "at last").prewarm(tree, 0..u32::MAX).unwrap();
        assert!(!is_found(), "what was deleted is there");
        drop(ask);
    });
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
    assert!(t.snapshot_ids().is_ok());
    t.commit().expect("nothing to commit");
    for refused_too in [
        db.checkpoint(),
        db.vacuum(pair.trees[0]).map(drop),
        db.mark("here").map(drop),
        db.upstream().create_slot("a", true).map(drop),
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

/// Accounts, by number; a balance is the first byte of a value, whose length changes from move to move.
const ACCOUNTS: u16 = 600;
const BALANCE: u8 = 100;

fn value_of(rng: &mut fastrand::Rng, balance: u8) -> Vec<u8> {
    let long = if rng.u8(..50) == 0 { 20_000 } else { 200 };
    let mut value = vec![0; rng.usize(1..long)];
    value[0] = balance;
    value
}

/// Moves some of what an account has to another, which may be in the other tree, or lets an account move there.
fn transfer(db: &Database, trees: [TreeId; 2], rng: &mut fastrand::Rng) -> evenkeel::Result<()> {
    let mut t = db.begin(TxnOptions::default());
    let mut find = |t: &mut Transaction| -> evenkeel::Result<_> {
        let key = rng.u16(..ACCOUNTS).to_be_bytes();
        for tree in trees {
            if let Some(value) = t.get(tree, &key)? {
                return Ok((tree, key, value[0]));
            }
        }
        panic!("an account is gone");
    };
    let (from, to) = (find(&mut t)?, find(&mut t)?);
    let other = if from.0 == trees[0] { trees[1] } else { trees[0] };
    if from.1 == to.1 {
        _ = t.delete(from.0, &from.1)?;
        t.put(other, &from.1, &value_of(rng, from.2))?;
    } else {
        let amount = rng.u8(..=from.2).min(u8::MAX - to.2);
        t.put(from.0, &from.1, &value_of(rng, from.2 - amount))?;
        t.put(to.0, &to.1, &value_of(rng, to.2 + amount))?;
    }
    if rng.u8(..10) > 0 {
        t.commit()?;
    }
    Ok(())
}

/// Number of accounts, and what they have in all.
fn sum(t: &mut Transaction, trees: [TreeId; 2]) -> evenkeel::Result<(usize, u64)> {
    let (mut n, mut all) = (0, 0);
    for tree in trees {
        for (_, value) in rows(t, tree)? {
            n += 1;
            all += u64::from(value[0]);
        }
    }
    Ok((n, all))
}

/// With threads: nobody ever sees half a transaction, a tree in the midst of a split, or a large value that is another's.
#[test]
fn whoever_reads_while_waves_are_applied_sees_whole_transactions() {
    for seed in 0..seeds(3) {
        let pair = Pair::new(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut t = pair.db.begin(TxnOptions::default());
        let trees = [t.create_tree().unwrap(), t.create_tree().unwrap()];
        for n in 0..ACCOUNTS {
            t.put(trees[usize::from(n % 2)], &n.to_be_bytes(), &value_of(&mut rng, BALANCE)).unwrap();
        }
        t.commit().unwrap();
        let standby = open_standby(&pair.copy, seed);
        let end = durable_end(&pair.db);
        pump(&pair.db, &standby, &mut rng, true);
        assert!(standby.wait_replayed(end, LONG).unwrap());
        let (over, reads, expired) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for reader in 0..3 {
                let (db, over, reads, expired) = (readable(&standby, "here"), &over, &reads, &expired);
                scope.spawn(move || {
                    let mut rng = fastrand::Rng::with_seed(seed ^ reader);
                    while !over.load(Ordering::Relaxed) {
                        let mut t = db.begin(REPEATABLE);
                        for _ in 0..rng.u8(1..3) {
                            match sum(&mut t, trees) {
                                Ok(all) => assert_eq!(
                                    all,
                                    (usize::from(ACCOUNTS), u64::from(ACCOUNTS) * u64::from(BALANCE)),
                                    "seed {seed}"
                                ),
                                Err(Error::SnapshotTooOld) => {
                                    expired.fetch_add(1, Ordering::Relaxed);
                                    break;
                                }
                                Err(e) => panic!("seed {seed}: {e}"),
                            }
                            reads.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
            let began = Instant::now();
            while began.elapsed() < WHILE || reads.load(Ordering::Relaxed) < 50 {
                assert!(began.elapsed() < LONG, "seed {seed}: nobody reads");
                for _ in 0..rng.usize(1..40) {
                    transfer(&pair.db, trees, &mut rng).unwrap();
                }
                while rng.u8(..4) > 0 && pair.db.step_purge().unwrap() > 0 {}
                if rng.u8(..8) == 0 {
                    pair.db.step_round().unwrap();
                    pair.db.vacuum(trees[0]).unwrap();
                }
                durable_end(&pair.db);
                pump(&pair.db, &standby, &mut rng, true);
            }
            over.store(true, Ordering::Relaxed);
        });
        let end = durable_end(&pair.db);
        pump(&pair.db, &standby, &mut rng, true);
        assert!(standby.wait_replayed(end, LONG).unwrap());
        assert!(rows_of(&readable(&standby, "here"), &trees) == rows_of(&pair.db, &trees), "seed {seed}");
        assert!(standby.read_stats().0.times > 0);
        eprintln!(
            "seed {seed}: {} reads, {} expired, {:?}",
            reads.load(Ordering::Relaxed),
            expired.load(Ordering::Relaxed),
            standby.read_stats()
        );
    }
}

/// Commits of the last moments are held back, by the clock, and a promotion waits for nothing.
#[test]
fn commits_are_replayed_no_sooner_than_they_may() {
    let mut pair = Pair::new(5);
    let options = common::pair::standby_options(5).with("recovery_min_apply_delay", "1h").unwrap();
    let standby = Standby::open_on(std::sync::Arc::new(pair.copy.clone()), options).expect("opens");
    let tree = common::new_tree(&pair.db);
    pair.trees = vec![tree];
    common::write(&pair.db, tree, 1).unwrap();
    let end = durable_end(&pair.db);
    pump(&pair.db, &standby, &mut fastrand::Rng::new(), true);
    assert_eq!(standby.durable().lsn, end, "it is received at once");
    assert!(!standby.wait_replayed(end, Duration::from_millis(200)).unwrap());
    let expected = pair.rows();
    // Stopped, it has not replayed it, and goes on holding it back.
    standby.close().expect("close");
    let options = common::pair::standby_options(6).with("recovery_min_apply_delay", "1h").unwrap();
    let standby = Standby::open_on(std::sync::Arc::new(pair.copy.clone()), options).expect("opens");
    assert!(!standby.wait_replayed(end, Duration::from_millis(200)).unwrap());
    let promoted = standby.promote().expect("promoted");
    assert_eq!(rows_of(&promoted, &pair.trees), expected);
    // A short delay is over soon.
    let mut pair = Pair::new(7);
    let options = common::pair::standby_options(7).with("recovery_min_apply_delay", "30ms").unwrap();
    let standby = Standby::open_on(std::sync::Arc::new(pair.copy.clone()), options).expect("opens");
    pair.trees = vec![common::new_tree(&pair.db)];
    let end = durable_end(&pair.db);
    pump(&pair.db, &standby, &mut fastrand::Rng::new(), true);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    assert!(rows_of(&readable(&standby, "here"), &pair.trees) == pair.rows());
}

/// What was held back is held back by the next life as well, with any delay, and what was replayed can be read at once.
#[test]
fn a_standby_that_holds_commits_back_can_be_read_after_each_start() {
    for (seed, first) in [(9, "0"), (10, "1h")] {
        let mut pair = Pair::new(seed);
        let open = |disk: &evenkeel::io::SimDisk, delay: &str| {
            let options =
                common::pair::standby_options(seed).with("recovery_min_apply_delay", delay).unwrap();
            Standby::open_on(std::sync::Arc::new(disk.clone()), options).expect("opens")
        };
        pair.trees = vec![common::new_tree(&pair.db)];
        let (mut rng, tree) = (fastrand::Rng::with_seed(seed), pair.trees[0]);
        let mut standby = open(&pair.copy, first);
        let mut write = |standby: &Standby, value| {
            common::write(&pair.db, tree, value).unwrap();
            let end = durable_end(&pair.db);
            pump(&pair.db, standby, &mut rng, true);
            end
        };
        let end = write(&standby, 1);
        // Of the first life without a delay all was replayed.
        let replayed = standby.wait_replayed(end, Duration::from_millis(300)).unwrap();
        assert_eq!(replayed, first == "0");
        let mut shown = replayed.then(|| pair.rows());
        let mut disk = pair.copy.clone();
        for (n, (cleanly, delay)) in
            [(true, "1h"), (false, "1h"), (true, "2h"), (false, "30min")].into_iter().enumerate()
        {
            if cleanly {
                standby.close().expect("close");
            } else {
                disk = disk.kill_copy();
                drop(standby);
            }
            standby = open(&disk, delay);
            let began = std::time::Instant::now();
            while standby.database().is_none() {
                assert!(began.elapsed() < LONG, "{first}, {delay}: it can be read");
                std::thread::sleep(Duration::from_millis(1));
            }
            let rows = rows_of(&readable(&standby, "soon"), &pair.trees);
            assert_eq!(rows, *shown.get_or_insert(rows.clone()), "{first}, {delay}: what was held back is");
            let end = write(&standby, 10 + n as u64);
            assert!(!standby.wait_replayed(end, Duration::from_millis(100)).unwrap(), "{first}, {delay}");
            assert_eq!(standby.durable().lsn, end);
        }
        assert_ne!(Some(pair.rows()), shown);
        let promoted = standby.promote().expect("promoted");
        assert_eq!(rows_of(&promoted, &pair.trees), pair.rows());
    }
}

/// A pause holds where the log ends, and at the next commit; it ends when somebody says so, and with a stop or a promotion.
#[test]
fn a_replay_pauses_until_it_is_told_to_go_on() {
    let mut pair = Pair::new(8);
    let open = |pair: &Pair, seed| {
        let disk = std::sync::Arc::new(pair.copy.clone());
        Standby::open_on(disk, common::pair::standby_options(seed)).expect("opens")
    };
    let more = |pair: &Pair, standby: &Standby| {
        common::write(&pair.db, pair.trees[0], 1).unwrap();
        let end = durable_end(&pair.db);
        pump(&pair.db, standby, &mut fastrand::Rng::new(), true);
        end
    };
    let paused = |standby: &Standby| {
        while standby.replay_pause() != (true, true) {
            std::thread::sleep(Duration::from_millis(1));
        }
        standby.replayed()
    };
    pair.trees = vec![common::new_tree(&pair.db)];
    let standby = open(&pair, 8);
    let end = more(&pair, &standby);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    assert_eq!(standby.replay_pause(), (false, false));
    standby.pause_replay(true);
    let at = paused(&standby);
    let end = more(&pair, &standby);
    assert!(!standby.wait_replayed(end, Duration::from_millis(200)).unwrap());
    assert_eq!((standby.replayed(), standby.durable().lsn), (at, end), "it is received all the same");
    standby.pause_replay(false);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    assert_eq!(standby.replay_pause(), (false, false));
    // Stopped, it goes on with its next start.
    standby.pause_replay(true);
    paused(&standby);
    let end = more(&pair, &standby);
    standby.close().expect("close");
    let standby = open(&pair, 9);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    standby.pause_replay(true);
    paused(&standby);
    more(&pair, &standby);
    let expected = pair.rows();
    let promoted = standby.promote().expect("promoted");
    assert_eq!(rows_of(&promoted, &pair.trees), expected);
}
