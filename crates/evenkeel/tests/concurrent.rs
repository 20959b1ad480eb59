//! Many threads on one database, with its background threads, on a real file system.

mod common;

use common::*;
use evenkeel::{
    Database, Direction, Error, Interrupt, Isolation, KeyRange, LockMode, Locked, Options, Transaction,
    TreeId, TxnOptions, WaitPolicy, Write,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

fn on_disk() -> (tempfile::TempDir, Database) {
    let dir = tempfile::tempdir().unwrap();
    let options = Options::default()
        .with("shared_buffers", "2MB")
        .and_then(|o| o.with("wal_segment_size", "1MB"))
        .and_then(|o| o.with("max_wal_size", "4MB"))
        .unwrap();
    let db = Database::open(dir.path(), options).unwrap();
    (dir, db)
}

fn number(v: &[u8]) -> i64 {
    i64::from_le_bytes(v.try_into().unwrap())
}

/// Adds to an account under READ COMMITTED, re-evaluating as a server would.
fn add(t: &mut Transaction, tree: TreeId, key: &[u8], amount: i64) -> evenkeel::Result<()> {
    t.begin_statement();
    let mut balance = number(&t.get(tree, key)?.expect("the account exists"));
    loop {
        match t.update(tree, key, &(balance + amount).to_le_bytes(), LockMode::NoKeyUpdate)? {
            Write::Done => return Ok(()),
            Write::Changed(v) => balance = number(&v),
            other => panic!("{other:?}"),
        }
    }
}

fn sum(t: &mut Transaction, tree: TreeId) -> i64 {
    rows(t, tree).unwrap().values().map(|v| number(v)).sum()
}

#[test]
fn transfers_keep_the_sum_and_deadlocks_are_broken() {
    const ACCOUNTS: u32 = 20;
    let (_dir, db) = on_disk();
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    for i in 0..ACCOUNTS {
        t.insert(tree, &i.to_be_bytes(), &1000i64.to_le_bytes()).unwrap();
    }
    t.commit().unwrap();
    let (deadlocks, conflicts, done) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|s| {
        let workers: Vec<_> = (0..6u64)
            .map(|n| {
                let (db, deadlocks, conflicts) = (&db, &deadlocks, &conflicts);
                s.spawn(move || {
                    let mut rng = fastrand::Rng::with_seed(n);
                    for _ in 0..300 {
                        let (a, b) = (rng.u32(0..ACCOUNTS), rng.u32(0..ACCOUNTS));
                        if a == b {
                            continue;
                        }
                        let isolation =
                            if n % 2 == 0 { Isolation::ReadCommitted } else { Isolation::RepeatableRead };
                        let mut t = db.begin(TxnOptions { isolation, ..TxnOptions::default() });
                        let result = add(&mut t, tree, &a.to_be_bytes(), -5)
                            .and_then(|()| add(&mut t, tree, &b.to_be_bytes(), 5));
                        match result.and_then(|()| t.commit().map(drop)) {
                            Ok(()) => {}
                            Err(Error::Deadlock(_)) => _ = deadlocks.fetch_add(1, Ordering::Relaxed),
                            Err(Error::SerializationFailure) => _ = conflicts.fetch_add(1, Ordering::Relaxed),

                            Err(e) => panic!("{e}"),
                        }
                    }
                })
            })
            .collect();
        let reader = s.spawn(|| {
            let mut looks = 0;
            while !done.load(Ordering::Relaxed) || looks < 10 {
                let mut t =
                    db.begin(TxnOptions { isolation: Isolation::RepeatableRead, ..TxnOptions::default() });
                assert_eq!(sum(&mut t, tree), 1000 * i64::from(ACCOUNTS), "every snapshot is consistent");
                looks += 1;
            }
        });
        workers.into_iter().for_each(|w| w.join().unwrap());
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    assert_eq!(sum(&mut db.begin(TxnOptions::default()), tree), 1000 * i64::from(ACCOUNTS));
    assert_eq!(db.stats().lock_entries, 0, "all locks are released");
}

#[test]
fn threads_inserting_deleting_and_scanning_agree_with_their_models() {
    let (dir, db) = on_disk();
    let tree = new_tree(&db);
    let models: Vec<Rows> = std::thread::scope(|s| {
        let workers: Vec<_> = (0..4u8)
            .map(|n| {
                let db = &db;
                s.spawn(move || {
                    let (mut rng, mut model) = (fastrand::Rng::with_seed(u64::from(n)), Rows::new());
                    for _ in 0..150 {
                        let (mut t, mut next) = (db.begin(TxnOptions::default()), model.clone());
                        for _ in 0..rng.u32(1..40) {
                            // Keys of the threads interleave on the same leaves.
                            let key = [&rng.u16(0..3000).to_be_bytes()[..], &[n]].concat();
                            t.begin_statement();
                            if rng.bool() {
                                let value = vec![rng.u8(..); rng.usize(0..400)];
                                t.put(tree, &key, &value).unwrap();
                                next.insert(key, value);
                            } else {
                                let there = t.delete(tree, &key).unwrap() == Write::Done;
                                assert_eq!(there, next.remove(&key).is_some());
                            }
                        }
                        if rng.u8(0..5) == 0 {
                            t.rollback().unwrap();
                        } else {
                            t.commit().unwrap();
                            model = next;
                        }
                        let direction = if rng.bool() { Direction::Forward } else { Direction::Backward };
                        let mut t = db.begin(TxnOptions::default());
                        let mut c = t.cursor(tree, KeyRange::all(), direction).unwrap();
                        let mut mine = Rows::new();
                        while let Some((k, v)) = c.next(&mut t).unwrap() {
                            if k[2] == n {
                                assert!(
                                    mine.insert(k.to_vec(), v.to_vec()).is_none(),
                                    "thread {n}: a row came twice"
                                );
                            }
                        }
                        assert_eq!(mine, model, "thread {n}");
                    }
                    model
                })
            })
            .collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    });
    let all: Rows = models.into_iter().flatten().collect();
    assert_eq!(committed(&db, tree).unwrap(), all);
    db.close().unwrap();
    drop(db);
    let db = Database::open(dir.path(), Options::default().without_threads()).unwrap();
    assert_eq!(committed(&db, tree).unwrap(), all);
    assert_sound(&db, "after a busy life");
}

#[test]
fn a_deadlock_has_one_victim() {
    let (_dir, db) = on_disk();
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"a", b"0").unwrap();
    t.put(tree, b"b", b"0").unwrap();
    t.commit().unwrap();
    let barrier = std::sync::Barrier::new(2);
    let results: Vec<Result<(), Error>> = std::thread::scope(|s| {
        let run = |first: &'static [u8], second: &'static [u8]| {
            let (db, barrier) = (&db, &barrier);
            s.spawn(move || {
                let mut t = db.begin(TxnOptions::default());
                _ = t.lock(tree, first, LockMode::Update, WaitPolicy::Block)?;
                barrier.wait();
                _ = t.lock(tree, second, LockMode::Update, WaitPolicy::Block)?;
                t.commit().map(drop)
            })
        };
        let (x, y) = (run(b"a", b"b"), run(b"b", b"a"));
        vec![x.join().unwrap(), y.join().unwrap()]
    });
    assert_eq!(results.iter().filter(|r| matches!(r, Err(Error::Deadlock(_)))).count(), 1, "{results:?}");
    assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 1, "{results:?}");
}

/// Whoever holds an explicit lock and then writes may do so past those who wait. They must not be granted later what conflicts with the write.
#[test]
fn a_write_under_an_explicit_lock_counts_as_one_for_those_who_wait() {
    let (_dir, db) = on_disk();
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree().unwrap();
    t.put(tree, b"k", b"0").unwrap();
    t.commit().unwrap();
    let (mut writer, mut other) = (db.begin(TxnOptions::default()), db.begin(TxnOptions::default()));
    for (t, mode) in [(&mut writer, LockMode::KeyShare), (&mut other, LockMode::NoKeyUpdate)] {
        _ = t.lock(tree, b"k", mode, WaitPolicy::Block).unwrap();
    }
    let interrupt = Interrupt::new();
    let waiting = |n: usize| {
        while db.lock_waiters() < n {
            std::thread::yield_now();
        }
    };
    let lock = |mode: LockMode, interrupt: Option<Arc<Interrupt>>| {
        let mut t = db.begin(TxnOptions::default());
        t.set_interrupt(interrupt);
        t.lock(tree, b"k", mode, WaitPolicy::Block).map(drop)
    };
    std::thread::scope(|s| {
        let strong = s.spawn(|| lock(LockMode::Update, Some(interrupt.clone())));
        waiting(1);
        let behind = s.spawn(|| lock(LockMode::Share, None));
        waiting(2);
        other.rollback().unwrap();
        assert_eq!(db.lock_waiters(), 2, "one for the key share, the other behind it");
        assert_eq!(writer.update(tree, b"k", b"1", LockMode::NoKeyUpdate).unwrap(), Write::Done);
        interrupt.cancel();
        assert!(matches!(strong.join().unwrap(), Err(Error::Canceled)));
        writer.begin_statement();
        assert_eq!(writer.update(tree, b"k", b"2", LockMode::NoKeyUpdate).unwrap(), Write::Done);
        writer.commit().unwrap();
        behind.join().unwrap().expect("it waited for the writer, and nobody for it");
    });
}

#[test]
fn a_wait_ends_with_a_timeout_a_cancel_or_the_holder() {
    let (_dir, db) = on_disk();
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"k", b"0").unwrap();
    t.commit().unwrap();
    let mut holder = db.begin(TxnOptions::default());
    holder.put(tree, b"k", b"1").unwrap();
    let mut t = db.begin(TxnOptions::default());
    t.set_lock_timeout(Some(Duration::from_millis(10)));
    assert!(matches!(t.update(tree, b"k", b"x", LockMode::NoKeyUpdate), Err(Error::LockNotAvailable)));
    t.set_lock_timeout(None);
    let interrupt = Interrupt::new();
    t.set_interrupt(Some(interrupt.clone()));
    std::thread::scope(|s| {
        let i: &Arc<Interrupt> = &interrupt;
        s.spawn(move || i.cancel());
        assert!(matches!(t.update(tree, b"k", b"x", LockMode::NoKeyUpdate), Err(Error::Canceled)));
    });
    interrupt.clear();
    t.begin_statement(); // it sees the row as it was, whoever is faster
    std::thread::scope(|s| {
        let waiter = s.spawn(|| t.lock(tree, b"k", LockMode::Update, WaitPolicy::Block));
        holder.commit().unwrap();
        assert_eq!(waiter.join().unwrap().unwrap(), Locked::Changed(b"1".to_vec()));
    });
}

/// The interrupt is raised once the reader is past everything that asks for each row.
#[test]
fn reading_a_large_value_can_be_stopped() {
    let (_dir, db) = on_disk();
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"k", &vec![7; 100_000]).unwrap();
    t.commit().unwrap();
    let interrupt = Interrupt::new();
    interrupt.cancel();
    let mut t = db.begin(TxnOptions::default());
    t.set_interrupt(Some(interrupt.clone()));
    assert!(matches!(t.get(tree, b"k"), Err(Error::Canceled)));
    interrupt.clear();
    let mut cursor = t.cursor(tree, KeyRange::all(), Direction::Forward).unwrap();
    assert_eq!(cursor.next(&mut t).unwrap().unwrap().1.len(), 100_000);
    assert_eq!(t.get(tree, b"k").unwrap().unwrap().len(), 100_000);
}

#[test]
fn commit_futures_resolve_when_the_commit_is_durable() {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let (_dir, db) = on_disk();
    let tree = new_tree(&db);
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut cx = std::task::Context::from_waker(&waker);
    let mut futures: Vec<_> = (0..50u32)
        .map(|i| {
            let mut t = db.begin(TxnOptions::default());
            t.insert(tree, &i.to_be_bytes(), b"v").unwrap();
            Box::pin(t.commit_async())
        })
        .collect();
    while !futures.is_empty() {
        let mut durable = Vec::new();
        futures.retain_mut(|f| match std::future::Future::poll(f.as_mut(), &mut cx) {
            std::task::Poll::Ready(lsn) => {
                durable.push(lsn.unwrap());
                false
            }
            std::task::Poll::Pending => true,
        });
        let flushed = db.stats().wal_flushed_lsn;
        assert!(durable.iter().all(|l| l.0 <= flushed));
        if durable.is_empty() {
            std::thread::park();
        }
    }
    assert_eq!(committed(&db, tree).unwrap().len(), 50);
}

#[test]
fn one_process_and_one_handle_at_a_time() {
    let (dir, db) = on_disk();
    assert!(matches!(Database::open(dir.path(), Options::default()), Err(Error::AlreadyOpen(_))));
    drop(db);
    Database::open(dir.path(), Options::default()).unwrap();
}

#[test]
fn a_closed_database_is_free_although_handles_of_it_live() {
    let (dir, db) = on_disk();
    let (other, tree) = (db.clone(), new_tree(&db));
    db.close().unwrap();
    let again = Database::open(dir.path(), Options::default()).unwrap();
    // They can do nothing to it.
    assert!(matches!(other.checkpoint(), Err(Error::Closed)));
    assert!(matches!(other.max_key(tree), Err(Error::Closed)));
    assert!(matches!(other.step_log_writer(), Err(Error::Closed)));
    let mut t = other.begin(TxnOptions::default());
    assert!(matches!(t.put(tree, b"k", b"v"), Err(Error::Closed)));
    drop((t, other, db));
    again.close().unwrap();
}

#[test]
fn a_transaction_that_outlives_its_database_keeps_the_folder_and_is_named_as_the_reason() {
    let (dir, db) = on_disk();
    let t = db.begin(TxnOptions::default());
    db.close().unwrap();
    match Database::open(dir.path(), Options::default()) {
        Err(Error::AlreadyOpen(why)) => assert!(why.contains("this process"), "{why}"),
        other => panic!("{:?}", other.err()),
    }
    drop(t);
    drop(db);
    Database::open(dir.path(), Options::default()).unwrap();
}

#[test]
fn a_rollback_under_way_does_not_keep_a_closed_database() {
    let (dir, db) = on_disk();
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    for i in 0u32..100_000 {
        t.put(tree, &i.to_be_bytes(), b"v").unwrap();
    }
    let (begins, has_begun) = std::sync::mpsc::channel();
    let undoing = std::thread::spawn(move || {
        begins.send(()).unwrap();
        t.rollback()
    });
    has_begun.recv().unwrap();
    db.close_within(std::time::Duration::ZERO).unwrap();
    // Nobody who closes can know of a rollback beside a session that is gone.
    let again = Database::open(dir.path(), Options::default()).unwrap();
    let undone = undoing.join().unwrap();
    assert!(matches!(undone, Err(Error::Closed)), "{undone:?}");
    assert_eq!(committed(&again, tree).unwrap().len(), 0);
    again.close().unwrap();
}

/// A tree goes while others vacuum it, write to it and read it: they get a clear error, and no page of it is written home after its file.
#[test]
fn a_tree_is_dropped_under_everybody_who_uses_it() {
    let (_dir, db) = on_disk();
    let others = |db: &Database, tree: TreeId, n: u32| -> evenkeel::Result<()> {
        for i in 0u32.. {
            match n {
                0 => drop(db.vacuum(tree)?),
                1 => {
                    let mut t = db.begin(TxnOptions::default());
                    t.put(tree, &(i % 500).to_be_bytes(), &vec![n as u8; 100 + (i % 20) as usize * 200])?;
                    t.commit()?;
                }
                _ => drop(committed(db, tree)?),
            }
        }
        Ok(())
    };
    for round in 0..10u32 {
        let tree = new_tree(&db);
        let mut t = db.begin(TxnOptions::default());
        for i in 0..300u32 {
            t.put(tree, &i.to_be_bytes(), &[1; 700]).unwrap();
        }
        t.commit().unwrap();
        let mut t = db.begin(TxnOptions::default());
        for i in 0..300u32 {
            _ = t.delete(tree, &i.to_be_bytes()).unwrap();
        }
        t.commit().unwrap();
        std::thread::scope(|s| {
            let users: Vec<_> = (0..3)
                .map(|n| {
                    let (db, others) = (&db, &others);
                    s.spawn(move || others(db, tree, n))
                })
                .collect();
            let mut t = db.begin(TxnOptions::default());
            t.drop_tree(tree).unwrap();
            t.commit().unwrap();
            if round % 2 == 0 {
                db.step_round().unwrap();
            }
            for u in users {
                let ended = u.join().unwrap();
                assert!(matches!(ended, Err(Error::NoSuchTree(t)) if t == tree), "round {round}: {ended:?}");
            }
        });
        assert!(db.poisoned().is_none(), "round {round}: {:?}", db.poisoned());
        assert!(matches!(committed(&db, tree), Err(Error::NoSuchTree(_))));
    }
    db.checkpoint().unwrap();
    assert_sound(&db, "after ten drops");
}

/// Owners that pin log on a full disk lose their transactions while they are idle or wait for locks, never in the middle of a call.
#[test]
fn transactions_are_taken_from_their_owners_wholly_or_not_at_all() {
    let disk = disk(1);
    let options = Options::default()
        .with("shared_buffers", "2MB")
        .and_then(|o| o.with("wal_segment_size", "64kB"))
        .and_then(|o| o.with("max_wal_size", "256kB"))
        .and_then(|o| o.with("checkpoint_partitions", "4"))
        .unwrap();
    let db = open_with(&disk, options);
    let (tree, log) = (new_tree(&db), new_tree(&db));
    disk.set_capacity(disk.used_bytes() + (6 << 20));
    let (stop, taken, kept) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let models: Vec<Rows> = std::thread::scope(|s| {
        let writer = s.spawn(|| {
            let mut i = 0u32;
            while !stop.load(Ordering::Relaxed) {
                if std::time::Instant::now() > until {
                    stop.store(true, Ordering::Relaxed);
                }
                let durability = evenkeel::Durability::Async;
                let mut t = db.begin(TxnOptions { durability, ..TxnOptions::default() });
                let mut put = |k: u32| t.put(log, &k.to_be_bytes(), &i.to_le_bytes().repeat(400));
                match (0..20).try_for_each(&mut put).and_then(|()| t.commit()) {
                    Ok(_) | Err(Error::OutOfSpace { .. }) => {}
                    Err(e) => panic!("{e}"),
                }
                i += 1;
            }
        });
        let workers: Vec<_> = (0..4u8)
            .map(|n| {
                let (db, taken, kept, stop) = (&db, &taken, &kept, &stop);
                s.spawn(move || {
                    let (mut rng, mut model) = (fastrand::Rng::with_seed(u64::from(n)), Rows::new());
                    while !stop.load(Ordering::Relaxed)
                        && (taken.load(Ordering::Relaxed) < 20 || kept.load(Ordering::Relaxed) < 20)
                    {
                        let (mut t, mut next) = (db.begin(TxnOptions::default()), model.clone());
                        let mut run = || -> evenkeel::Result<()> {
                            for _ in 0..rng.u32(1..60) {
                                // One row is everybody's: others wait for it.
                                let shared = rng.u8(0..40) == 0;
                                let key = if shared { vec![9; 4] } else { vec![n, rng.u8(..), rng.u8(0..4)] };
                                let value = vec![rng.u8(..); rng.usize(0..300)];
                                t.begin_statement();
                                t.put(tree, &key, &value)?;
                                if !shared {
                                    next.insert(key.clone(), value.clone());
                                    t.begin_statement();
                                    assert_eq!(
                                        t.get(tree, &key)?,
                                        Some(value),
                                        "own writes are seen, or an error"
                                    );
                                }
                            }
                            let pause = db.stats().wal_lsn + rng.u64(0..8 << 20);
                            while db.stats().wal_lsn < pause && !stop.load(Ordering::Relaxed) {
                                std::thread::yield_now(); // an idle client
                            }
                            Ok(())
                        };
                        match run().and_then(|()| t.commit().map(drop)) {
                            Ok(()) => {
                                model = next;
                                kept.fetch_add(1, Ordering::Relaxed);
                            }
                            Err(Error::LogPinnedTooLong) => _ = taken.fetch_add(1, Ordering::Relaxed),
                            Err(Error::Deadlock(_) | Error::OutOfSpace { .. }) => {}
                            Err(e) => panic!("{e}"),
                        }
                    }
                    model
                })
            })
            .collect();
        let models = workers.into_iter().map(|w| w.join().unwrap()).collect();
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        models
    });
    let (taken, kept) = (taken.into_inner(), kept.into_inner());
    assert!(taken >= 20 && kept >= 20, "{taken} taken, {kept} kept: {:?}", db.stats());
    let mut found = committed(&db, tree).unwrap();
    found.remove(&[9; 4][..]);
    let all: Rows = models.into_iter().flatten().collect();
    assert!(found == all);
    assert_eq!(db.stats().lock_entries, 0, "all locks are released");
    assert_sound(&db, "after many aborts from outside");
}

/// Re-evaluating every row of a large statement takes time by the row, not by the square of the rows.
#[test]
fn a_statement_may_re_evaluate_many_rows() {
    const ROWS: u32 = 30_000;
    let (_dir, db) = on_disk();
    let tree = new_tree(&db);
    let write = |n: i64| {
        let mut t = db.begin(TxnOptions::default());
        (0..ROWS).for_each(|i| t.put(tree, &i.to_be_bytes(), &n.to_le_bytes()).unwrap());
        t.commit().unwrap();
    };
    write(1);
    let mut t = db.begin(TxnOptions::default());
    t.begin_statement();
    assert!(t.get(tree, &0u32.to_be_bytes()).unwrap().is_some());
    write(2);
    for i in 0..ROWS {
        let key = i.to_be_bytes();
        let newest = t.update(tree, &key, &7i64.to_le_bytes(), LockMode::NoKeyUpdate).unwrap();
        assert_eq!(newest, Write::Changed(2i64.to_le_bytes().to_vec()));
        let done = t.update(tree, &key, &7i64.to_le_bytes(), LockMode::NoKeyUpdate).unwrap();
        assert_eq!(done, Write::Done);
    }
    t.commit().unwrap();
    assert_eq!(sum(&mut db.begin(TxnOptions::default()), tree), 7 * i64::from(ROWS));
}
