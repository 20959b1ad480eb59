//! What stops the engine, and who is told: everybody who waits.

mod common;
use common::*;
use evenkeel::io::{SimCall, SimCallKind, SimDisk};
use evenkeel::{Database, Durability, Error, Interrupt, LockMode, Options, TreeId, TxnOptions, WaitPolicy};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

/// Long enough for a test that would hang otherwise.
const HANGS: Duration = Duration::from_secs(60);

/// A small database with threads that do nothing by themselves.
fn quiet(disk: &SimDisk) -> Database {
    let settings = [
        ("shared_buffers", "512kB"),
        ("wal_segment_size", "64kB"),
        ("wal_buffers", "256kB"),
        ("wal_writer_delay", "10s"),
        ("checkpoint_timeout", "1h"),
        ("bgwriter_delay", "10s"),
    ];
    let with = |o: Options, (name, value): &(&str, &str)| o.with(name, value).unwrap();
    open_with(disk, settings.iter().fold(Options::default().with_seed(5), with))
}

fn put(db: &Database, tree: TreeId, key: u32) -> evenkeel::Result<()> {
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, &key.to_be_bytes(), &[7; 100])?;
    t.commit().map(drop)
}

fn is_poisoned<T>(r: &evenkeel::Result<T>) -> bool {
    matches!(r, Err(Error::Poisoned(_)))
}

struct Told(mpsc::Sender<()>);

impl Wake for Told {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(());
    }
}

#[test]
fn whoever_waits_for_a_commit_is_woken_when_something_else_stops_the_engine() {
    let disk = disk(5);
    let db = quiet(&disk);
    let tree = new_tree(&db);
    let hold = Arc::new(AtomicBool::new(true));
    let (entered, is_held) = mpsc::channel();
    let (held, entered) = (hold.clone(), once(entered));
    disk.set_gate(Some(Arc::new(move |c: &SimCall| {
        if c.kind == SimCallKind::Write && c.path.starts_with("wal/") && !c.path.contains("new-") {
            entered();
            while held.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
        }
    })));
    let mut futures = Vec::new();
    let (woken, is_woken) = mpsc::channel();
    for i in 0..2 {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, &[i], b"v").unwrap();
        let mut future = Box::pin(t.commit_async());
        let waker = Waker::from(Arc::new(Told(woken.clone())));
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        futures.push(future);
        if i == 0 {
            is_held.recv_timeout(HANGS).unwrap();
        }
    }
    // The second is carried by no write. So is a thread's, behind it.
    let mut waits = db.begin(TxnOptions::default());
    waits.put(tree, b"w", b"v").unwrap();
    let lsn = waits.commit_visible().unwrap().newest();
    let (ended, has_ended) = mpsc::channel();
    std::thread::scope(|s| {
        let db = &db;
        s.spawn(move || ended.send(db.wait_durable(lsn)).unwrap());
        db.poison("something else".into());
        is_woken.recv_timeout(HANGS).expect("the future that no write carries is woken");
        assert!(is_poisoned(&has_ended.recv_timeout(HANGS).unwrap()));
        hold.store(false, Ordering::SeqCst);
        is_woken.recv_timeout(HANGS).expect("so is the one whose write has ended");
    });
    let waker = Waker::noop();
    let mut again = |i: usize| futures[i].as_mut().poll(&mut Context::from_waker(waker));
    assert!(matches!(again(0), std::task::Poll::Ready(Ok(_))), "its write has ended well");
    assert!(matches!(again(1), std::task::Poll::Ready(Err(Error::Poisoned(_)))));
    disk.set_gate(None);
}

/// Sends once.
fn once(send: mpsc::Sender<()>) -> impl Fn() + Send + Sync {
    let send = std::sync::Mutex::new(Some(send));
    move || {
        if let Some(send) = send.lock().unwrap().take() {
            let _ = send.send(());
        }
    }
}

#[test]
fn whoever_waits_for_a_row_is_woken_by_a_stop_and_by_a_close() {
    for closes in [false, true] {
        let disk = disk(6);
        let db = quiet(&disk);
        let tree = new_tree(&db);
        put(&db, tree, 1).unwrap();
        let mut holder = db.begin(TxnOptions::default());
        let key = 1u32.to_be_bytes();
        _ = holder.lock(tree, &key, LockMode::Update, WaitPolicy::Block).unwrap();
        let (ended, has_ended) = mpsc::channel();
        std::thread::scope(|s| {
            let db = &db;
            s.spawn(move || {
                let mut t = db.begin(TxnOptions::default());
                let got = t.lock(tree, &1u32.to_be_bytes(), LockMode::Update, WaitPolicy::Block);
                drop(t);
                ended.send(got.map(drop)).unwrap();
            });
            while db.lock_waiters() == 0 {
                std::thread::yield_now();
            }
            if closes {
                s.spawn(move || db.close().unwrap());
            } else {
                db.poison("something else".into());
            }
            let got = has_ended.recv_timeout(HANGS).expect("the waiter is woken");
            assert!(if closes { matches!(got, Err(Error::Closed)) } else { is_poisoned(&got) }, "{got:?}");
            drop(holder);
        });
    }
}

#[test]
fn a_duty_that_panics_stops_the_engine_and_who_asked_is_told() {
    let disk = disk(7);
    let db = quiet(&disk);
    let tree = new_tree(&db);
    disk.set_gate(Some(Arc::new(|_: &SimCall| {
        assert_ne!(std::thread::current().name(), Some("wal-writer"), "the test wants it");
    })));
    let (tell, told) = mpsc::channel();
    db.on_poison(move |e| tell.send(e.clone()).unwrap());
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"k", b"v").unwrap();
    let mut future = Box::pin(t.commit_async());
    let (woken, is_woken) = mpsc::channel();
    let waker = Waker::from(Arc::new(Told(woken)));
    assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    is_woken.recv_timeout(HANGS).unwrap();
    let why = told.recv_timeout(HANGS).unwrap().to_string();
    assert!(why.contains("panic"), "{why}");
    assert!(is_poisoned(&put(&db, tree, 1)) && db.poisoned().is_some());
    let (late, told) = mpsc::channel();
    db.on_poison(move |e| late.send(e.clone()).unwrap());
    told.try_recv().expect("who comes later is told at once");
    disk.set_gate(None);
    assert!(is_poisoned(&db.close()));
    // What it leaves is a database.
    let killed = disk.kill_copy();
    drop((future, db));
    assert_sound(&open(&killed, 8).unwrap(), "after a duty's panic");
}

/// The checkpointer, the cleaner, the purge, the archiver: each by itself.
#[test]
fn every_duty_is_missed() {
    for (name, settings, call) in [
        ("checkpointer", [("checkpoint_timeout", "1s"), ("max_wal_size", "128kB")], "data/"),
        ("bgwriter", [("bgwriter_delay", "10ms"), ("bgwriter_percent", "100")], "data/"),
    ] {
        let disk = disk(9);
        let options = [("shared_buffers", "512kB"), ("wal_segment_size", "64kB"), ("wal_buffers", "256kB")];
        let options = options.iter().chain(&settings).fold(Options::default().with_seed(5), |o, (n, v)| {
            o.with(n, v).unwrap_or_else(|e| panic!("{n}: {e}"))
        });
        let db = open_with(&disk, options);
        let tree = new_tree(&db);
        let (tell, told) = mpsc::channel();
        db.on_poison(move |e| tell.send(e.clone()).unwrap());
        disk.set_gate(Some(Arc::new(move |c: &SimCall| {
            if c.kind == SimCallKind::Write && c.path.starts_with(call) {
                assert_ne!(std::thread::current().name(), Some(name), "the test wants it");
            }
        })));
        let mut n = 0;
        while db.poisoned().is_none() && n < 200_000 {
            let _ = put(&db, tree, n);
            n += 1;
        }
        let why = told.recv_timeout(HANGS).expect(name).to_string();
        assert!(why.contains("panic"), "{name}: {why}");
        disk.set_gate(None);
    }
}

#[test]
fn a_panic_in_the_midst_of_a_page_change_stops_the_engine() {
    let disk = disk(10);
    let db = quiet(&disk);
    let tree = new_tree(&db);
    // The log's ring is full some time, and the write that makes room happens with a page latched.
    disk.set_gate(Some(Arc::new(|c: &SimCall| {
        let mine = std::thread::current().name().is_some_and(|n| n.contains("page_change"));
        assert!(!(mine && c.kind == SimCallKind::Write && c.path.starts_with("wal/0")), "the test wants it");
    })));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut t = db.begin(TxnOptions::default());
        for key in 0..5000u32 {
            t.put(tree, &key.to_be_bytes(), &[7; 1000]).unwrap();
        }
    }));
    disk.set_gate(None);
    assert!(panicked.is_err());
    let why = db.poisoned().expect("poisoned").to_string();
    assert!(why.contains("panic"), "{why}");
    assert!(is_poisoned(&put(&db, tree, 1)));
    let killed = disk.kill_copy();
    drop(db);
    assert_sound(&open(&killed, 8).unwrap(), "after a panic in a change");
}

#[test]
fn a_panic_elsewhere_ends_its_own_transaction_alone() {
    let (_disk, db) = fresh(11);
    let tree = new_tree(&db);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut t = db.begin(TxnOptions::default());
        for key in 0..500u32 {
            t.put(tree, &key.to_be_bytes(), &[7; 300]).unwrap();
        }
        panic!("the application's");
    }));
    assert!(panicked.is_err() && db.poisoned().is_none());
    assert!(committed(&db, tree).unwrap().is_empty(), "it was rolled back");
    put(&db, tree, 1).unwrap();
    assert_sound(&db, "after a panic outside");
}

/// A round's record lists the transactions that are active: more of them than a record, or the log's ring, has room for.
#[test]
fn twenty_thousand_active_writers_hold_up_no_round_and_recovery_finds_each() {
    let disk = disk(4);
    let db = open_with(&disk, small(4).with("undo_buffers", "1GB").unwrap());
    let tree = new_tree(&db);
    let begin = |key: u32| {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, &key.to_be_bytes(), &[1; 8]).unwrap();
        t
    };
    let mut open_ones: Vec<_> = (0..20_000).map(begin).collect();
    // Some are gone when the round comes that began after others which are not.
    for (n, t) in open_ones.drain(5_000..).enumerate().collect::<Vec<_>>() {
        match n % 3 {
            0 => drop(t.commit_visible().unwrap()),
            1 => drop(t),
            _ => open_ones.push(t),
        }
    }
    db.step_round().unwrap();
    for t in open_ones.drain(..1_000) {
        t.commit_visible().unwrap();
    }
    let kept = open_ones.len();
    for partition in 0..4 {
        db.step_round().unwrap_or_else(|e| panic!("{partition}: {e}"));
    }
    db.wait_durable(db.insert_lsn()).unwrap();
    assert!(kept >= 9_000);
    let wanted = committed(&db, tree).unwrap();
    assert_eq!(wanted.len(), 5_000 + 1_000);
    let killed = disk.kill_copy();
    let again = open(&killed, 5).unwrap();
    assert_eq!(committed(&again, tree).unwrap(), wanted);
    assert_sound(&again, "after recovery");
    std::mem::forget(open_ones);
    db.abandon();
}

/// The log writer sleeps while nothing is logged; whatever is logged then wakes it.
#[test]
fn an_asynchronous_commit_after_a_quiet_time_is_durable_soon() {
    let disk = disk(13);
    let options = Options::default().with_seed(13).with("shared_buffers", "512kB");
    let options = options.and_then(|o| o.with("wal_segment_size", "64kB"));
    let db = open_with(&disk, options.and_then(|o| o.with("wal_writer_delay", "1ms")).unwrap());
    let tree = new_tree(&db);
    let (_never, nothing) = mpsc::channel::<()>();
    for key in 0..20u32 {
        let _ = nothing.recv_timeout(Duration::from_millis(u64::from(key) * 5));
        if key == 15 {
            db.set_setting("wal_writer_flush_after", "1MB").unwrap();
        }
        let mut t = db.begin(TxnOptions { durability: Durability::Async, ..TxnOptions::default() });
        t.put(tree, &key.to_be_bytes(), b"v").unwrap();
        t.commit().unwrap();
        let (end, since) = (db.insert_lsn(), std::time::Instant::now());
        while db.durable_lsn() < end {
            assert!(since.elapsed() < HANGS, "key {key}");
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_tiny_rate_of_forced_checkpoints_holds_up_neither_a_cancel_nor_a_shutdown() {
    let disk = disk(12);
    let db = quiet(&disk);
    db.set_setting("checkpoint_forced_rate", "1kB").unwrap();
    let tree = new_tree(&db);
    for key in 0..200 {
        put(&db, tree, key).unwrap();
    }
    std::thread::scope(|s| {
        let (db, interrupt) = (&db, Interrupt::new());
        let mut ended = Vec::new();
        // The second waits for the first.
        for _ in 0..2 {
            let (end, has_ended) = mpsc::channel();
            let interrupt = interrupt.clone();
            s.spawn(move || end.send(db.checkpoint_unless(&interrupt)).unwrap());
            ended.push(has_ended);
        }
        while db.checkpoint_running().is_none() {
            std::thread::yield_now();
        }
        interrupt.cancel();
        for e in ended {
            assert!(matches!(e.recv_timeout(HANGS).unwrap(), Err(Error::Canceled)));
        }
    });
    assert!(db.poisoned().is_none());
    let (end, has_ended) = mpsc::channel();
    std::thread::spawn(move || end.send(db.close()).unwrap());
    has_ended.recv_timeout(HANGS).expect("it closes").unwrap();
    assert_eq!(open(&disk, 8).unwrap().redo_stats().records, 0, "the shutdown was clean");
}
