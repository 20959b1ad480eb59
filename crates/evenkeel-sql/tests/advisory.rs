//! Advisory locks between sessions: who waits, cycles through rows and tables, cancels, and what ends with a session. As PostgreSQL 18 does.

mod support;

use std::sync::mpsc;
use std::thread;
use support::{Client, TestDb};

type Ended = mpsc::Receiver<(Client, Result<String, String>)>;

/// Runs a statement in a thread of its own; comes back once it waits for an advisory lock.
fn waits(db: &TestDb, mut c: Client, sql: &'static str) -> Ended {
    let mut watcher = db.session();
    let before = waiting(&mut watcher);
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let result = c.simple(sql, "").map(|o| o[0].tag.clone()).map_err(|e| e.code.as_str().to_owned());
        let _ = send.send((c, result));
    });
    while waiting(&mut watcher) <= before {
        thread::yield_now();
    }
    receive
}

fn waiting(c: &mut Client) -> usize {
    c.ok("select pid from pg_locks where locktype = 'advisory' and not granted").rows.len()
}

#[test]
fn whoever_waits_gets_it_when_it_is_given_up() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("select pg_advisory_lock(1)");
    let b = waits(&db, db.session(), "select pg_advisory_lock_shared(1)");
    let c = waits(&db, db.session(), "select pg_advisory_xact_lock_shared(1)");
    let events =
        a.ok("select pid from pg_stat_activity where wait_event_type = 'Lock' and wait_event = 'advisory'");
    assert_eq!(events.rows.len(), 2);
    a.ok("select pg_advisory_unlock(1)");
    let (mut b, told) = b.recv().unwrap();
    assert_eq!(told, Ok("SELECT 1".into()));
    let (_c, told) = c.recv().unwrap();
    assert_eq!(told, Ok("SELECT 1".into()));
    let d = waits(&db, a, "select pg_advisory_lock(1)");
    b.ok("select pg_advisory_unlock_all()");
    assert_eq!(d.recv().unwrap().1, Ok("SELECT 1".into()));
}

#[test]
fn a_session_that_ends_gives_up_what_it_has() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("select pg_advisory_lock(1)");
    a.ok("begin");
    a.ok("select pg_advisory_xact_lock(2)");
    let b = waits(&db, db.session(), "select pg_advisory_lock(1), pg_advisory_lock(2)");
    drop(a);
    assert_eq!(b.recv().unwrap().1, Ok("SELECT 1".into()));
}

#[test]
fn a_cycle_through_two_numbers_has_one_victim() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("select pg_advisory_lock(1)");
    b.ok("select pg_advisory_lock(2)");
    let a = waits(&db, a, "select pg_advisory_lock(2)");
    assert_eq!(b.err("select pg_advisory_lock(1)"), "40P01");
    // What the session has is not lost with the statement.
    let mut c = db.session();
    assert!(c.ok("select 1 where pg_try_advisory_lock(2)").rows.is_empty());
    b.ok("select pg_advisory_unlock(2)");
    assert_eq!(a.recv().unwrap().1, Ok("SELECT 1".into()));
}

#[test]
fn a_cycle_through_a_row_locked_in_the_same_statement_is_found() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("create table t (id int primary key)");
    a.ok("insert into t values (1)");
    b.ok("begin");
    b.ok("select pg_advisory_xact_lock(1)");
    // The row is locked, then the number is waited for.
    let a = waits(
        &db,
        a,
        "with l as materialized (select id from t for update) select pg_advisory_lock(id) from l",
    );
    assert_eq!(b.err("select id from t for update"), "40P01");
    b.ok("rollback");
    assert_eq!(a.recv().unwrap().1, Ok("SELECT 1".into()));
}

#[test]
fn a_cycle_through_a_table_is_found() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("create table t (id int primary key)");
    a.ok("begin");
    a.ok("lock table t");
    b.ok("select pg_advisory_lock(1)");
    let a = waits(&db, a, "select pg_advisory_lock(1)");
    assert_eq!(b.err("select * from t"), "40P01");
    b.ok("select pg_advisory_unlock_all()");
    assert_eq!(a.recv().unwrap().1, Ok("SELECT 1".into()));
}

#[test]
fn a_wait_can_be_canceled() {
    let db = TestDb::new();
    let (mut a, b) = (db.session(), db.session());
    a.ok("select pg_advisory_lock(1)");
    let interrupt = b.interrupt.clone();
    let b = waits(&db, b, "select pg_advisory_lock(1)");
    interrupt.cancel();
    assert_eq!(b.recv().unwrap().1, Err("57014".into()));
    a.ok("select pg_advisory_unlock(1)");
    a.ok("select 1 where pg_try_advisory_lock(1)");
}

#[test]
fn a_change_that_waits_for_a_row_does_not_lock_once_more() {
    let db = TestDb::new();
    let (mut a, b) = (db.session(), db.session());
    a.ok("create table t (id int primary key, n int)");
    a.ok("insert into t values (1, 0)");
    a.ok("begin");
    a.ok("update t set n = 1");
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut b = b;
        b.ok("update t set n = 2 where id = 1 and pg_try_advisory_lock(9) returning pg_advisory_lock(8)");
        let _ = send.send(b);
    });
    while db.waiters() == 0 {
        thread::yield_now();
    }
    a.ok("rollback");
    let mut b = receive.recv().unwrap();
    let unlocked = b.ok("select 1 where pg_advisory_unlock(9) and pg_advisory_unlock(8)");
    assert_eq!(unlocked.rows.len(), 1);
    assert!(b.ok("select 1 where pg_advisory_unlock(9) or pg_advisory_unlock(8)").rows.is_empty());
}
