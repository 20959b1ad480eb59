//! What keeps a server that was replaced from telling anything: its standbys take no more of its log, its lease ends (S25; decision 013, 18).

mod common;

use common::pair::{
    LONG, Pair, SLOT, durable_end, open_standby, primary_options, send_up_to, standby_options,
};
use common::{disk, new_tree, open_with, small};
use evenkeel::base::clock::boot_us;
use evenkeel::{Basis, Error, Level, Lsn, Standby, Synchronous, TxnOptions};
use std::sync::Arc;
use std::time::Duration;

fn refused(done: evenkeel::Result<()>) {
    let e = done.unwrap_err();
    assert!(matches!(e, Error::Superseded { .. }), "{e}");
}

#[test]
fn who_has_promised_takes_nothing_from_an_earlier_epoch() {
    let pair = Pair::new(1);
    let tree = new_tree(&pair.db);
    let put = |db: &evenkeel::Database, key: &[u8]| {
        let mut t = db.begin(TxnOptions::default());
        t.put(tree, key, b"v").unwrap();
        t.commit().unwrap();
    };
    put(&pair.db, b"1");
    let standby = open_standby(&pair.copy, 1);
    let mut rng = fastrand::Rng::with_seed(1);
    send_up_to(pair.db.upstream(), SLOT, &standby, &mut rng, true, Lsn::MAX);
    let (epoch, end) = standby.promise(7).unwrap();
    assert_eq!((epoch, end), (0, durable_end(&pair.db)));
    refused(standby.receive(end, b""));
    refused(standby.hear(6));
    assert_eq!(standby.promise(3).unwrap(), (0, end), "a promise stays");
    refused(standby.hear(6));
    standby.hear(7).unwrap();

    // It takes over, and its log says under which epoch, across starts however they come about.
    let whom = Synchronous::parse("c").unwrap();
    let db = standby.promote_in(7, whom).unwrap();
    assert_eq!(db.epoch(), 7);
    assert!(db.told_lsn() < db.insert_lsn(), "those that it asks have to have it first");
    db.set_synchronous(None);
    put(&db, b"2");
    db.upstream().create_slot("c", true).unwrap();
    db.close().unwrap();
    drop(db);
    let copy = pair.copy.kill_copy();
    Standby::adopt(&copy).unwrap();
    let db = open_with(&pair.copy, primary_options(4));
    assert_eq!(db.epoch(), 7, "after a clean stop");
    put(&db, b"3");
    let crashed = pair.copy.kill_copy();
    let again = open_with(&crashed, primary_options(5));
    assert_eq!(again.epoch(), 7, "after a crash");
    drop(again);

    let third = Standby::open_on(Arc::new(copy.clone()), standby_options(9)).unwrap();
    third.promise(7).unwrap();
    refused(third.hear(0));
    third.hear(db.epoch()).unwrap();
    send_up_to(db.upstream(), "c", &third, &mut rng, true, Lsn::MAX);
    assert_eq!(third.promise(8).unwrap(), (7, durable_end(&db)));
    third.close().unwrap();
    let third = Standby::open_on(Arc::new(copy), standby_options(10)).unwrap();
    assert_eq!(third.epoch(), 7);
    let db = third.promote_in(9, None).unwrap();
    assert_eq!(db.epoch(), 9);
}

#[test]
fn behind_its_lease_a_server_tells_nothing() {
    let db = open_with(&disk(1), small(1));
    let tree = new_tree(&db);
    let mut t = db.begin(TxnOptions::default());
    t.put(tree, b"k", b"v").unwrap();
    t.commit().unwrap();
    db.lease(boot_us() + LONG.as_micros() as u64);
    let look = || {
        let mut t = db.begin(TxnOptions::default());
        t.defer_durability();
        assert!(t.get(tree, b"k").unwrap().is_some());
        t.observed()
    };
    let basis = look();
    assert!(basis != Basis::NONE && db.is_told(basis, Level::Durable).unwrap());
    db.lease(0);
    assert!(!db.is_told(basis, Level::Durable).unwrap());
    assert!(!db.is_told(look(), Level::Written).unwrap());
    assert!(db.is_told(Basis::NONE, Level::Durable).unwrap(), "what rests on no data");
    std::thread::scope(|s| {
        let waiter = s.spawn(|| db.wait_told(basis, Level::Durable, &|| false).map(|()| boot_us()));
        std::thread::sleep(Duration::from_millis(60));
        let renewed = boot_us();
        db.lease(renewed + 1_000_000_000);
        assert!(waiter.join().unwrap().unwrap() >= renewed);
    });
    db.close().unwrap();
}
