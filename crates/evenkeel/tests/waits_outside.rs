//! Statements that wait for row locks outside of the call, as a server with few threads lets them.

mod common;

use common::*;
use evenkeel::{
    Database, Error, Interrupt, LockMode, Options, Transaction, TreeId, TxnOptions, WaitPolicy, Write,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

struct Stage {
    _dir: tempfile::TempDir,
    db: Database,
    tree: TreeId,
}

impl Stage {
    /// Rows `a` and `b` with value `0`.
    fn new() -> Stage {
        let dir = tempfile::tempdir().unwrap();
        let db = Database::open(dir.path(), Options::default().with("fsync", "off").unwrap()).unwrap();
        let tree = new_tree(&db);
        let mut t = db.begin(TxnOptions::default());
        t.insert(tree, b"a", b"0").unwrap();
        t.insert(tree, b"b", b"0").unwrap();
        t.commit().unwrap();
        Stage { _dir: dir, db, tree }
    }

    /// A transaction that waits outside; how often it was nudged; its switch.
    fn session(&self) -> (Transaction, Arc<AtomicU64>, Arc<Interrupt>) {
        let (interrupt, nudges) = (Interrupt::new(), Arc::new(AtomicU64::new(0)));
        let counted = nudges.clone();
        interrupt.set_on_nudge(Box::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        }));
        let mut t = self.db.begin(TxnOptions::default());
        t.set_interrupt(Some(interrupt.clone()));
        t.set_waits_outside(true);
        (t, nudges, interrupt)
    }

    fn update(&self, t: &mut Transaction, key: &[u8], value: &[u8]) -> evenkeel::Result<Write> {
        t.begin_statement();
        t.update(self.tree, key, value, LockMode::NoKeyUpdate)
    }

    fn is_free(&self, key: &[u8]) -> bool {
        let mut t = self.db.begin(TxnOptions::default());
        t.begin_statement();
        t.lock(self.tree, key, LockMode::Update, WaitPolicy::NoWait).is_ok()
    }
}

fn waits(r: evenkeel::Result<Write>) -> bool {
    matches!(r, Err(Error::WaitsOutside))
}

#[test]
fn the_statement_is_run_again_with_the_lock_held() {
    let s = Stage::new();
    let (mut first, ..) = s.session();
    assert_eq!(s.update(&mut first, b"a", b"1").unwrap(), Write::Done);
    let (mut second, nudges, _) = s.session();
    assert!(waits(s.update(&mut second, b"a", b"2")));
    assert!(second.is_waiting_outside() && !second.wait_is_over().unwrap());
    assert_eq!((nudges.load(Ordering::SeqCst), s.db.lock_waiters()), (0, 1));
    first.commit().unwrap();
    assert_eq!((nudges.load(Ordering::SeqCst), s.db.lock_waiters()), (1, 0));
    assert!(!s.is_free(b"a"), "the lock is the waiter's before it has run again");
    assert!(second.wait_is_over().unwrap() && !second.is_waiting_outside());
    // A new statement sees what the first has written, so nothing has changed meanwhile.
    assert_eq!(s.update(&mut second, b"a", b"2").unwrap(), Write::Done);
    second.commit().unwrap();
    assert!(s.is_free(b"a"));
}

#[test]
fn a_cancel_ends_the_wait() {
    let s = Stage::new();
    let (mut first, ..) = s.session();
    _ = s.update(&mut first, b"a", b"1").unwrap();
    let (mut second, nudges, interrupt) = s.session();
    assert!(waits(s.update(&mut second, b"a", b"2")));
    interrupt.cancel();
    assert_eq!(nudges.load(Ordering::SeqCst), 1);
    assert!(matches!(second.wait_is_over(), Err(Error::Canceled)));
    assert_eq!(s.db.lock_waiters(), 0);
    interrupt.clear();
    assert!(second.wait_is_over().unwrap());
    first.commit().unwrap();
    assert_eq!(nudges.load(Ordering::SeqCst), 1, "it waits no more");
    assert!(s.is_free(b"a"));
}

#[test]
fn an_end_while_it_waits_leaves_the_queue() {
    let s = Stage::new();
    let (mut first, ..) = s.session();
    _ = s.update(&mut first, b"a", b"1").unwrap();
    let (mut second, ..) = s.session();
    let (mut third, nudges, _) = s.session();
    assert!(waits(s.update(&mut second, b"a", b"2")) && waits(s.update(&mut third, b"a", b"3")));
    second.rollback().unwrap();
    assert_eq!(s.db.lock_waiters(), 1);
    first.rollback().unwrap();
    assert_eq!(nudges.load(Ordering::SeqCst), 1);
    assert_eq!(s.update(&mut third, b"a", b"3").unwrap(), Write::Done);
    drop(third);
    assert!(s.is_free(b"a"));
}

#[test]
fn the_queue_is_served_in_order() {
    let s = Stage::new();
    let (mut first, ..) = s.session();
    _ = s.update(&mut first, b"a", b"1").unwrap();
    let mut queue: Vec<_> = (0..5).map(|_| s.session()).collect();
    for (t, ..) in &mut queue {
        assert!(waits(s.update(t, b"a", b"2")));
    }
    first.commit().unwrap();
    for i in 0..queue.len() {
        let nudged: Vec<u64> = queue.iter().map(|(_, n, _)| n.load(Ordering::SeqCst)).collect();
        let expected: Vec<u64> = (0..queue.len()).map(|j| u64::from(j <= i)).collect();
        assert_eq!(nudged, expected);
        let t = &mut queue[i].0;
        assert!(t.wait_is_over().unwrap());
        assert_eq!(s.update(t, b"a", b"2").unwrap(), Write::Done);
        let ended = std::mem::replace(t, s.db.begin(TxnOptions::default()));
        ended.commit().unwrap();
    }
}

#[test]
fn a_deadlock_has_its_victim_although_nobody_blocks() {
    let s = Stage::new();
    let (mut first, ..) = s.session();
    let (mut second, ..) = s.session();
    _ = s.update(&mut first, b"a", b"1").unwrap();
    _ = s.update(&mut second, b"b", b"2").unwrap();
    assert!(waits(s.update(&mut first, b"b", b"1")));
    assert!(matches!(s.update(&mut second, b"a", b"2"), Err(Error::Deadlock(_))));
    second.rollback().unwrap();
    assert!(first.wait_is_over().unwrap());
    assert_eq!(s.update(&mut first, b"b", b"1").unwrap(), Write::Done);
    first.commit().unwrap();
}

/// A waits for C, which waits behind B, which waits for A: but C asks for nothing that A stands against, so B and C change places.
#[test]
fn a_circle_through_a_place_in_a_queue_is_no_deadlock() {
    let s = Stage::new();
    let (mut a, mut b, mut c, mut d) = (s.session().0, s.session().0, s.session().0, s.session().0);
    let lock = |t: &mut Transaction, key: &[u8], mode| {
        t.begin_statement();
        t.lock(s.tree, key, mode, WaitPolicy::Block).map(drop)
    };
    lock(&mut a, b"a", LockMode::KeyShare).unwrap();
    lock(&mut d, b"a", LockMode::NoKeyUpdate).unwrap();
    lock(&mut c, b"b", LockMode::Update).unwrap();
    assert!(matches!(lock(&mut b, b"a", LockMode::Update), Err(Error::WaitsOutside)));
    assert!(matches!(lock(&mut c, b"a", LockMode::Share), Err(Error::WaitsOutside)), "for d");
    d.rollback().unwrap();
    assert_eq!(s.db.lock_waiters(), 2, "nobody stands against c but b, who came before");
    assert!(waits(s.update(&mut a, b"b", b"a")), "not a deadlock");
    assert!(c.wait_is_over().unwrap(), "it has b's place");
    c.commit().unwrap();
    assert!(a.wait_is_over().unwrap());
    assert_eq!(s.update(&mut a, b"b", b"a").unwrap(), Write::Done);
    assert!(!b.wait_is_over().unwrap());
    a.commit().unwrap();
    assert!(b.wait_is_over().unwrap());
    lock(&mut b, b"a", LockMode::Update).unwrap();
}

/// A session waits for another in the layer above, which waits for a row: each has an entry in one place only, and both are one circle.
#[test]
fn a_circle_through_the_layer_above_is_a_deadlock() {
    struct Above(u64, u64);
    impl evenkeel::UpperWaits for Above {
        fn blockers(&self, session: u64) -> Vec<u64> {
            if session == self.0 { vec![self.1] } else { Vec::new() }
        }
    }
    let s = Stage::new();
    let (mut a, _, one) = s.session();
    let (mut b, _, two) = s.session();
    s.db.set_upper_waits(Arc::new(Above(two.id(), one.id())));
    _ = s.update(&mut a, b"a", b"1").unwrap();
    _ = s.update(&mut b, b"b", b"1").unwrap();
    assert!(waits(s.update(&mut a, b"b", b"2")));
    let id = b.id();
    assert!(
        matches!(s.db.begin_upper_wait(two.id(), id), Err(Error::Deadlock(_))),
        "b would wait for a, which waits for b"
    );
    b.rollback().unwrap();
    assert!(a.wait_is_over().unwrap());
    let (mut c, _, _) = s.session();
    assert!(waits(s.update(&mut c, b"a", b"2")));
    s.db.begin_upper_wait(two.id(), None).unwrap();
    assert!(!c.wait_is_over().unwrap(), "nobody waits for it");
    s.db.end_upper_wait(two.id());
    a.rollback().unwrap();
    assert!(c.wait_is_over().unwrap());
}

#[test]
fn a_statement_that_has_changed_something_blocks() {
    let s = Stage::new();
    let (mut first, ..) = s.session();
    _ = s.update(&mut first, b"b", b"1").unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let (mut t, ..) = s.session();
            t.begin_statement();
            assert_eq!(t.update(s.tree, b"a", b"2", LockMode::NoKeyUpdate).unwrap(), Write::Done);
            let written = t.update(s.tree, b"b", b"2", LockMode::NoKeyUpdate).unwrap();
            assert!(!t.is_waiting_outside());
            t.rollback().unwrap();
            written
        });
        while s.db.lock_waiters() == 0 {
            std::thread::yield_now();
        }
        first.commit().unwrap();
        assert_eq!(second.join().unwrap(), Write::Changed(b"1".to_vec()));
    });
}

#[test]
fn a_lock_timeout_needs_a_call_that_blocks() {
    let s = Stage::new();
    let (mut first, ..) = s.session();
    _ = s.update(&mut first, b"a", b"1").unwrap();
    let (mut second, ..) = s.session();
    second.set_lock_timeout(Some(Duration::from_millis(1)));
    assert!(matches!(s.update(&mut second, b"a", b"2"), Err(Error::LockNotAvailable)));
}

#[test]
fn a_statement_goes_on_after_its_wait_in_the_snapshot_that_it_began_with() {
    let s = Stage::new();
    let (mut first, ..) = s.session();
    _ = s.update(&mut first, b"a", b"1").unwrap();
    let (mut second, ..) = s.session();
    second.defer_durability();
    second.begin_statement();
    assert_eq!(second.get(s.tree, b"b").unwrap(), Some(b"0".to_vec()));
    assert!(waits(second.update(s.tree, b"a", b"2", LockMode::NoKeyUpdate)));
    let met = second.observed().newest();
    let (mut third, ..) = s.session();
    _ = s.update(&mut third, b"b", b"3").unwrap();
    third.commit().unwrap();
    first.commit().unwrap();
    assert!(second.wait_is_over().unwrap());
    assert_eq!(second.get(s.tree, b"b").unwrap(), Some(b"0".to_vec()), "no new snapshot");
    assert!(second.observed().newest() >= met, "what it met before the wait still counts");
    let again = second.update(s.tree, b"a", b"2", LockMode::NoKeyUpdate).unwrap();
    assert_eq!(again, Write::Changed(b"1".to_vec()), "the row is to be looked at again");
    assert_eq!(second.update(s.tree, b"a", b"2", LockMode::NoKeyUpdate).unwrap(), Write::Done);
    second.commit().unwrap();
}

#[test]
fn a_waiter_that_pins_log_on_a_full_disk_is_rolled_back_and_told() {
    let dir = tempfile::tempdir().unwrap();
    let disk = disk(1);
    let options = Options::default()
        .with("wal_segment_size", "64kB")
        .and_then(|o| o.with("max_wal_size", "256kB"))
        .and_then(|o| o.with("checkpoint_partitions", "4"))
        .unwrap();
    let db = open_with(&disk, options);
    let (tree, log) = (new_tree(&db), new_tree(&db));
    let s = Stage { _dir: dir, db, tree };
    let mut t = s.db.begin(TxnOptions::default());
    t.insert(tree, b"a", b"0").unwrap();
    t.insert(tree, b"b", b"0").unwrap();
    t.commit().unwrap();
    let (mut waiter, nudges, _) = s.session();
    _ = s.update(&mut waiter, b"b", b"1").unwrap();
    let (mut holder, ..) = s.session();
    // The holder has logged nothing, so it pins nothing.
    holder.begin_statement();
    _ = holder.lock(tree, b"a", LockMode::Update, WaitPolicy::Block).unwrap();
    assert!(waits(s.update(&mut waiter, b"a", b"1")));
    disk.set_capacity(disk.used_bytes() + (2 << 20));
    let until = std::time::Instant::now() + Duration::from_secs(60);
    let mut i = 0u32;
    while nudges.load(Ordering::SeqCst) == 0 && std::time::Instant::now() < until {
        i += 1;
        let mut t = s.db.begin(TxnOptions::default());
        match t.put(log, b"k", &i.to_le_bytes().repeat(800)).and_then(|()| t.commit()) {
            Ok(_) | Err(Error::OutOfSpace { .. }) => {}
            Err(e) => panic!("{e}"),
        }
    }
    assert!(nudges.load(Ordering::SeqCst) > 0, "who waits outside hears of its end");
    assert!(matches!(waiter.wait_is_over(), Err(Error::LogPinnedTooLong)));
    assert_eq!(s.db.lock_waiters(), 0);
    drop(waiter);
    holder.rollback().unwrap();
    assert!(s.is_free(b"a") && s.is_free(b"b"));
}
