//! LISTEN and NOTIFY between sessions: who is told what, when, and in which order. As PostgreSQL 18 does.

mod support;

use support::{Client, TestDb};

/// What a session is told now: `channel payload`.
fn told(c: &mut Client) -> Vec<String> {
    c.session.take_notifications().iter().map(|n| format!("{} {}", n.channel, n.payload)).collect()
}

fn listener(db: &TestDb, channels: &[&str]) -> Client {
    let mut c = db.session();
    channels.iter().for_each(|ch| drop(c.ok(&format!("listen {ch}"))));
    c
}

#[test]
fn listeners_are_told_at_the_commit_in_its_order() {
    let db = TestDb::new();
    let (mut a, mut b) = (listener(&db, &["one", "two"]), listener(&db, &["two"]));
    let (mut x, mut y) = (db.session(), db.session());
    x.ok("begin");
    x.ok("notify one, 'x1'");
    x.ok("select pg_notify('two', 'x2')");
    y.ok("notify two, 'y'");
    assert_eq!((told(&mut a), told(&mut b)), (vec!["two y".into()], vec!["two y".into()]));
    x.ok("commit");
    assert_eq!(told(&mut a), ["one x1", "two x2"]);
    assert_eq!(told(&mut b), ["two x2"]);
    assert!(told(&mut x).is_empty());
    x.ok("begin");
    x.ok("notify one");
    x.ok("rollback");
    assert!(told(&mut a).is_empty());
}

#[test]
fn a_busy_listener_is_told_after_its_transaction() {
    let db = TestDb::new();
    let (mut a, mut b) = (listener(&db, &["c"]), db.session());
    a.ok("begin");
    a.ok("select 1");
    b.ok("notify c, 'meanwhile'");
    assert!(told(&mut a).is_empty());
    a.ok("commit");
    assert_eq!(told(&mut a), ["c meanwhile"]);
}

#[test]
fn duplicates_are_folded_and_savepoints_take_back() {
    let db = TestDb::new();
    let mut a = listener(&db, &["c"]);
    a.ok("begin");
    a.ok("notify c, '1'");
    a.ok("notify c, '2'");
    a.ok("notify c, '1'");
    a.ok("notify c");
    a.ok("notify c, ''");
    a.ok("savepoint s");
    a.ok("notify c, '2'");
    a.ok("notify c, '3'");
    a.ok("listen other");
    a.ok("rollback to s");
    a.ok("notify c, '4'");
    a.ok("savepoint s2");
    a.ok("notify c, '5'");
    assert_eq!(a.err("select 1/0"), "22012");
    a.ok("rollback to s2");
    a.ok("notify c, '3'");
    a.ok("commit");
    assert_eq!(told(&mut a), ["c 1", "c 2", "c ", "c 4", "c 3"]);
    assert_eq!(a.rows("select * from pg_listening_channels()"), ["c"]);
}

#[test]
fn listening_begins_and_ends_at_the_commit() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("begin");
    a.ok("listen c");
    a.ok("notify c, 'own'");
    b.ok("notify c, 'too early'");
    assert!(a.rows("select * from pg_listening_channels()").is_empty());
    a.ok("commit");
    assert_eq!(told(&mut a), ["c own"]);
    a.ok("begin");
    a.ok("unlisten *");
    b.ok("notify c, 'still'");
    a.ok("rollback");
    assert_eq!(told(&mut a), ["c still"]);
    b.ok("notify c, 'waits'");
    a.ok("unlisten c");
    b.ok("notify c, 'too late'");
    assert!(told(&mut a).is_empty());
    a.ok("listen c");
    a.ok("listen \"D\"");
    assert_eq!(a.rows("select * from pg_listening_channels()"), ["D", "c"]);
    a.ok("discard all");
    b.ok("notify c");
    assert!(told(&mut a).is_empty());
}

#[test]
fn channels_and_payloads_have_limits() {
    let db = TestDb::new();
    let mut a = listener(&db, &["c"]);
    a.ok("select pg_notify('c', repeat('x', 7999))");
    assert_eq!(told(&mut a)[0].len(), 8001);
    assert_eq!(a.err("select pg_notify('c', repeat('x', 8000))"), "22023");
    assert_eq!(a.err("select pg_notify('', 'x')"), "22023");
    assert_eq!(a.err("select pg_notify(null, 'x')"), "22023");
    assert_eq!(a.err("select pg_notify(repeat('c', 64), 'x')"), "22023");
    a.ok("select pg_notify('c', null)");
    assert_eq!(told(&mut a), ["c "]);
    assert_eq!(a.err("notify"), "42601");
    assert_eq!(a.err("listen a.b"), "42601");
}

#[test]
fn a_listener_that_does_not_read_fills_the_queue() {
    let db = TestDb::new();
    let (mut a, mut b) = (listener(&db, &["c"]), db.session());
    assert_eq!(b.rows("select pg_notification_queue_usage()"), ["0"]);
    a.ok("begin");
    let many = "select pg_notify('c', repeat('x', 7900) || g) from generate_series(1, 1500) g";
    let mut filled = (0..10).filter_map(|_| b.simple(many, "").err().map(|e| e.code.as_str().to_owned()));
    assert_eq!(filled.next().as_deref(), Some("54000"));
    b.ok("select 1 where pg_notification_queue_usage() > 0.5");
    // Who notifies of something else is not concerned.
    b.ok("notify d");
    drop(a);
    b.ok("notify c");
    assert_eq!(b.rows("select pg_notification_queue_usage()"), ["0"]);
}
