//! The horizon of a quorum, without a network: who waits for it, what ends such a wait, what a standby makes of it (decision 013, 4 to 6 and 14).

mod common;

use common::pair::{LONG, Pair, SLOT, durable_end, open_standby, send_up_to};
use common::{disk, open_with, small};
use evenkeel::{
    Basis, Database, Durability, Error, Interrupt, Level, LockMode, Locked, Lsn, Options, Standby,
    Synchronous, Transaction, TreeId, TxnOptions, WaitPolicy,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn whom(text: &str) -> Option<Synchronous> {
    Synchronous::parse(text).unwrap()
}

fn begin(db: &Database, durability: Durability) -> Transaction {
    db.begin(TxnOptions { durability, ..TxnOptions::default() })
}

fn tree(db: &Database) -> TreeId {
    let mut t = db.begin(TxnOptions::default());
    let tree = t.create_tree().unwrap();
    t.commit().unwrap();
    tree
}

fn no() -> bool {
    false
}

#[test]
fn a_commit_ends_with_the_quorum_with_a_cancel_or_with_the_database() {
    let disk = disk(1);
    let db = open_with(&disk, small(1));
    let tree = tree(&db);
    db.set_synchronous(whom("b"));
    let follower = db.enter_follower("b");
    let put = |durability, key: &[u8]| {
        let mut t = begin(&db, durability);
        t.put(tree, key, b"v").unwrap();
        t
    };
    // Each level is asked for what it says.
    for (durability, level) in [
        (Durability::RemoteWrite, Level::Written),
        (Durability::Sync, Level::Durable),
        (Durability::RemoteApply, Level::Applied),
    ] {
        let basis = put(durability, b"a").commit_visible().unwrap();
        assert_eq!((basis, durability.level()), (Basis::all(basis.local), level));
        db.wait_durable(basis.local).unwrap();
        let has = |w: Lsn, d: Lsn, a: Lsn| {
            follower.confirm(w, d, a);
            db.is_told(basis, level).unwrap()
        };
        let end = basis.local;
        assert!(!has(Lsn::ZERO, Lsn::ZERO, Lsn::ZERO));
        assert_eq!(has(end, Lsn::ZERO, Lsn::ZERO), level == Level::Written);
        assert_eq!(has(end, end, Lsn::ZERO), level <= Level::Durable);
        assert!(has(end, end, end));
    }
    // It cannot confirm what is not there.
    follower.confirm(Lsn::MAX, Lsn::MAX, Lsn::MAX);
    assert!(db.told_lsn() <= db.durable_lsn());
    // Local ones wait for nobody, and say so of what others make of them.
    let t = put(Durability::Local, b"mine");
    assert!(t.commit().unwrap() > db.told_lsn());
    let mut reader = db.begin(TxnOptions::default());
    assert!(reader.get(tree, b"mine").unwrap().is_some());
    assert_eq!(reader.observed().quorum, Lsn::ZERO);
    drop(reader);

    let told = AtomicBool::new(false);
    std::thread::scope(|s| {
        // Told by the follower.
        let waiter = s.spawn(|| {
            let lsn = put(Durability::Sync, b"b").commit().unwrap();
            assert!(told.load(Ordering::SeqCst));
            lsn
        });
        std::thread::sleep(Duration::from_millis(50));
        told.store(true, Ordering::SeqCst);
        let end = durable_end(&db);
        follower.confirm(end, end, end);
        assert!(waiter.join().unwrap() <= end);
        // Canceled.
        let interrupt = Interrupt::new();
        let canceled = s.spawn({
            let interrupt = interrupt.clone();
            let mut t = put(Durability::Sync, b"c");
            t.set_interrupt(Some(interrupt));
            move || t.commit()
        });
        std::thread::sleep(Duration::from_millis(50));
        interrupt.cancel();
        assert!(matches!(canceled.join().unwrap(), Err(Error::InDoubt)));
        // Which changes nothing for who meets it.
        let mut reader = db.begin(TxnOptions::default());
        reader.defer_durability();
        assert!(reader.get(tree, b"c").unwrap().is_some());
        assert!(!db.is_told(reader.observed(), Level::Durable).unwrap());
        drop(reader);
        // Closed: it is there, and who asked is told no more than that it may be.
        let closed = s.spawn(|| put(Durability::Sync, b"d").commit());
        std::thread::sleep(Duration::from_millis(50));
        db.close().unwrap();
        assert!(matches!(closed.join().unwrap(), Err(Error::InDoubt)));
    });
    drop(follower);
    drop(db);
    let db = open_with(&disk, small(1001));
    let mut t = db.begin(TxnOptions::default());
    assert!(t.get(tree, b"d").unwrap().is_some());
}

/// Whoever puts a row back is not asked whether there is one; who deleted it is.
#[test]
fn that_a_row_is_gone_rests_on_its_deletion() {
    let db = open_with(&disk(1), small(1));
    let tree = tree(&db);
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"k", b"v").unwrap();
    t.commit().unwrap();
    db.set_synchronous(whom("b"));
    let mut t = begin(&db, Durability::Sync);
    _ = t.delete(tree, b"k").unwrap();
    let deletion = t.commit_visible().unwrap();
    let mut again = db.begin(TxnOptions::default());
    again.defer_durability();
    again.put(tree, b"k", b"w").unwrap();
    let mut t = db.begin(TxnOptions::default());
    t.defer_durability();
    assert_eq!(t.lock(tree, b"k", LockMode::KeyShare, WaitPolicy::Block).unwrap(), Locked::Gone);
    assert!(t.observed().quorum >= deletion.quorum);
    drop((again, t));
    db.close().unwrap();
}

#[test]
fn a_future_resolves_with_the_quorum() {
    let dir = tempfile::tempdir().unwrap();
    let db = Database::open(dir.path(), Options::default().with("shared_buffers", "4MB").unwrap()).unwrap();
    let tree = tree(&db);
    db.set_synchronous(whom("ANY 1 (b, c)"));
    let follower = db.enter_follower("c");
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"a", b"v").unwrap();
    let mut commit = std::pin::pin!(t.commit_async());
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::task::Waker::from(std::sync::Arc::new(Unpark(std::thread::current())));
    let mut cx = std::task::Context::from_waker(&waker);
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(100) {
        assert!(commit.as_mut().poll(&mut cx).is_pending());
        std::thread::park_timeout(Duration::from_millis(5));
    }
    let end = durable_end(&db);
    follower.confirm(end, end, end);
    loop {
        if let std::task::Poll::Ready(done) = commit.as_mut().poll(&mut cx) {
            assert!(done.unwrap() <= end);
            break;
        }
        assert!(began.elapsed() < LONG);
        std::thread::park();
    }
    db.close().unwrap();
}

/// What a start finds, whoever has been told of it: whoever reads anything waits for all of it, whoever reads nothing for nothing.
#[test]
fn a_start_begins_untold() {
    let disk = disk(2);
    let db = open_with(&disk, small(2));
    let tree = tree(&db);
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"a", b"v").unwrap();
    t.commit().unwrap();
    let copies = [disk.kill_copy(), {
        db.close().unwrap();
        disk.kill_copy()
    }];
    for (n, copy) in copies.iter().enumerate() {
        let db = open_with(copy, small(1000 + n as u64).with_synchronous(whom("b")));
        let mut t = db.begin(TxnOptions::default());
        t.defer_durability();
        assert_eq!(t.observed(), Basis::NONE);
        t.get(tree, b"none").unwrap();
        let basis = t.observed();
        assert!(!db.is_told(basis, Level::Durable).unwrap(), "that there is none is a fact as well");
        let follower = db.enter_follower("b");
        let end = db.durable_lsn();
        assert!(!db.is_told(basis, Level::Durable).unwrap());
        follower.confirm(end, end, end);
        db.wait_told(basis, Level::Durable, &no).unwrap();
        let mut later = db.begin(TxnOptions::default());
        later.defer_durability();
        later.get(tree, b"a").unwrap();
        assert_eq!(later.observed(), Basis::NONE);
        drop((t, later));
        db.close().unwrap();
    }
}

fn read(standby: &Standby, tree: TreeId, key: &[u8]) -> (Option<Vec<u8>>, bool) {
    let db = standby.database().expect("it can be read");
    let mut t = db.begin(TxnOptions::default());
    t.defer_durability();
    let value = t.get(tree, key).unwrap();
    let told = db.is_told(t.observed(), Level::Durable).unwrap();
    (value, told)
}

/// Readers of a standby see what is applied, and are told what its primary may tell; also after a crash, and with the primary gone.
#[test]
fn a_standbys_readers_are_told_what_the_primary_may_tell() {
    let mut pair = Pair::new(3);
    let tree = tree(&pair.db);
    let mut rng = fastrand::Rng::with_seed(3);
    let put = |db: &Database, value: &[u8]| {
        let mut t = begin(db, Durability::Local);
        t.put(tree, b"k", value).unwrap();
        t.commit().unwrap();
    };
    put(&pair.db, b"1");
    let standby = open_standby(&pair.copy, 3);
    send_up_to(pair.db.upstream(), SLOT, &standby, &mut rng, true, Lsn::MAX);
    let end = durable_end(&pair.db);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    // Log alone says nothing of what may be told.
    assert_eq!(read(&standby, tree, b"k"), (Some(b"1".into()), false));
    standby.may_tell(end, false).unwrap();
    assert_eq!(read(&standby, tree, b"k"), (Some(b"1".into()), true));
    // The primary asks others from now on: what comes is a secret until it says that it is not.
    put(&pair.db, b"2");
    standby.may_tell(end, true).unwrap();
    send_up_to(pair.db.upstream(), SLOT, &standby, &mut rng, true, Lsn::MAX);
    let second = durable_end(&pair.db);
    assert!(standby.wait_replayed(second, LONG).unwrap());
    assert_eq!(read(&standby, tree, b"k"), (Some(b"2".into()), false));
    // After a crash as well, where nothing is known of single commits.
    let copy = pair.copy.crash_copy(3);
    drop(standby);
    let standby = open_standby(&copy, 1003);
    assert!(standby.wait_replayed(second, LONG).unwrap());
    assert_eq!(read(&standby, tree, b"k"), (Some(b"2".into()), false));
    assert!(!read(&standby, tree, b"none").1);
    standby.may_tell(second, true).unwrap();
    assert_eq!(read(&standby, tree, b"k"), (Some(b"2".into()), true));
    standby.close().unwrap();
    let standby = open_standby(&copy, 2003);
    assert!(standby.wait_replayed(second, LONG).unwrap());
    assert_eq!(read(&standby, tree, b"k"), (Some(b"2".into()), true), "it was said, and written down");
    // Nobody is asked any more: what is here may be told, whether the primary comes back or not.
    standby.may_tell(second, false).unwrap();
    pair.step();
    put(&pair.db, b"3");
    send_up_to(pair.db.upstream(), SLOT, &standby, &mut rng, true, Lsn::MAX);
    let third = durable_end(&pair.db);
    assert!(standby.wait_replayed(third, LONG).unwrap());
    let copy = copy.crash_copy(4);
    drop(standby);
    let standby = open_standby(&copy, 3003);
    assert!(standby.wait_replayed(third, LONG).unwrap());
    assert_eq!(read(&standby, tree, b"k"), (Some(b"3".into()), true));
    // A reader that waits ends with the standby.
    standby.may_tell(third, true).unwrap();
    put(&pair.db, b"4");
    send_up_to(pair.db.upstream(), SLOT, &standby, &mut rng, true, Lsn::MAX);
    assert!(standby.wait_replayed(durable_end(&pair.db), LONG).unwrap());
    std::thread::scope(|s| {
        let db = standby.database().unwrap();
        let reader = s.spawn(move || db.begin(TxnOptions::default()).get(tree, b"k"));
        std::thread::sleep(Duration::from_millis(50));
        let db = standby.promote().unwrap();
        assert!(matches!(reader.join().unwrap(), Err(Error::Closed)));
        assert_eq!(db.begin(TxnOptions::default()).get(tree, b"k").unwrap().unwrap(), b"4");
    });
}

/// What one primary could tell is not what stands at the same places of another one's log.
#[test]
fn behind_a_fork_nothing_is_told_yet() {
    let pair = Pair::new(6);
    let tree = tree(&pair.db);
    let mut rng = fastrand::Rng::with_seed(6);
    let standby = open_standby(&pair.copy, 6);
    send_up_to(pair.db.upstream(), SLOT, &standby, &mut rng, true, Lsn::MAX);
    let other = pair.home.kill_copy();
    // Told by the first, and lost with it.
    standby.may_tell(Lsn(durable_end(&pair.db).0 + (64 << 20)), true).unwrap();
    let db = open_with(&other, small(1006));
    let mut t = begin(&db, Durability::Local);
    t.put(tree, b"k", b"other").unwrap();
    t.commit().unwrap();
    send_up_to(db.upstream(), SLOT, &standby, &mut rng, true, Lsn::MAX);
    let end = durable_end(&db);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    assert_eq!(read(&standby, tree, b"k"), (Some(b"other".into()), false));
    let copy = pair.copy.crash_copy(6);
    drop(standby);
    let standby = open_standby(&copy, 2006);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    assert_eq!(read(&standby, tree, b"k"), (Some(b"other".into()), false), "nor after a crash");
    standby.may_tell(end, true).unwrap();
    assert_eq!(read(&standby, tree, b"k"), (Some(b"other".into()), true));
}
