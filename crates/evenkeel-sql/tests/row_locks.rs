//! Who waits for whom: row locks beside waiting sessions, savepoints that give them back, queues that a deadlock reorders. As PostgreSQL 18 does.

mod support;

use std::sync::mpsc;
use std::thread;
use support::{Client, TestDb};

fn three_rows() -> (TestDb, Client) {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, v int)");
    c.ok("insert into t values (1, 0), (2, 0), (3, 0)");
    (db, c)
}

/// A session in a transaction that has run these.
fn open(db: &TestDb, sql: &[&str]) -> Client {
    let mut c = db.session();
    c.ok("begin");
    sql.iter().for_each(|s| drop(c.ok(s)));
    c
}

type Ended = mpsc::Receiver<(Client, Result<String, String>)>;

/// Runs a statement in a thread of its own; comes back once so many wait for rows.
fn waits(db: &TestDb, mut c: Client, sql: &'static str, waiters: usize) -> Ended {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let result = c.simple(sql, "").map(|o| o[0].tag.clone()).map_err(|e| e.code.as_str().to_owned());
        let _ = send.send((c, result));
    });
    while db.waiters() < waiters {
        thread::yield_now();
    }
    receive
}

#[test]
fn a_rollback_to_a_savepoint_gives_locks_back() {
    let (db, _) = three_rows();
    let mut a = open(&db, &["savepoint s", "select * from t where id = 1 for update"]);
    let mut b = db.session();
    assert_eq!(b.err("select * from t where id = 1 for key share nowait"), "55P03");
    a.ok("rollback to s");
    b.ok("select * from t where id = 1 for update nowait");
    a.ok("rollback");
}

#[test]
fn a_lock_taken_before_the_savepoint_is_as_strong_again_as_it_was() {
    let (db, _) = three_rows();
    let mut b = db.session();
    let share = ["select * from t where id = 1 for share", "savepoint s", "update t set v = 1 where id = 1"];
    let mut a = open(&db, &share);
    assert_eq!(b.err("select * from t where id = 1 for share nowait"), "55P03");
    a.ok("rollback to s");
    b.ok("select * from t where id = 1 for share nowait");
    assert_eq!(b.err("select * from t where id = 1 for no key update nowait"), "55P03");
    a.ok("rollback");
    let written =
        ["update t set v = 1 where id = 1", "savepoint s", "select * from t where id = 1 for update"];
    let mut a = open(&db, &written);
    assert_eq!(b.err("select * from t where id = 1 for key share nowait"), "55P03");
    a.ok("rollback to s");
    b.ok("select * from t where id = 1 for key share nowait");
    assert_eq!(b.err("select * from t where id = 1 for share nowait"), "55P03");
}

#[test]
fn who_waits_for_a_change_goes_on_when_that_is_undone() {
    let (db, _) = three_rows();
    let mut a = open(&db, &["savepoint s", "update t set v = 1 where id = 1", "insert into t values (4, 0)"]);
    let b = waits(&db, db.session(), "update t set v = v + 10 where id = 1", 1);
    let c = waits(&db, db.session(), "insert into t values (4, 7)", 2);
    a.ok("rollback to s");
    assert_eq!(b.recv().unwrap().1, Ok("UPDATE 1".into()));
    assert_eq!(c.recv().unwrap().1, Ok("INSERT 0 1".into()));
    a.ok("commit");
    assert_eq!(a.rows("select id, v from t where id in (1, 4) order by id"), ["1|10", "4|7"]);
}

#[test]
fn a_failed_subtransaction_holds_up_nobody() {
    let (db, _) = three_rows();
    let mut a = open(&db, &["savepoint s", "update t set v = 1 where id = 1"]);
    let b = waits(&db, db.session(), "update t set v = v + 10 where id = 1", 1);
    assert_eq!(a.err("select 1 / 0"), "22012");
    assert_eq!(b.recv().unwrap().1, Ok("UPDATE 1".into()));
    a.ok("rollback to s");
    a.ok("commit");
    assert_eq!(a.value("select v from t where id = 1"), "10");
}

#[test]
fn a_shared_lock_passes_those_who_wait_for_a_stronger_one() {
    let (db, _) = three_rows();
    let mut a = open(&db, &["select * from t where id = 1 for share"]);
    let b = waits(&db, db.session(), "update t set v = 1 where id = 1", 1);
    let mut c = open(&db, &["select * from t where id = 1 for share nowait"]);
    a.ok("commit");
    assert_eq!(db.waiters(), 1, "the second share holds it up");
    c.ok("commit");
    assert_eq!(b.recv().unwrap().1, Ok("UPDATE 1".into()));
}

#[test]
fn a_key_that_is_set_to_what_it_was_is_not_locked() {
    let (db, _) = three_rows();
    let _a = open(&db, &["update t set id = 1, v = 2 where id = 1"]);
    let mut b = db.session();
    b.ok("select * from t where id = 1 for key share nowait");
    assert_eq!(b.err("select * from t where id = 1 for share nowait"), "55P03");
}

#[test]
fn a_place_in_a_queue_makes_no_deadlock() {
    let (db, _) = three_rows();
    let a = open(&db, &["select * from t where id = 1 for key share"]);
    let mut d = open(&db, &["select * from t where id = 1 for no key update"]);
    let c = open(&db, &["update t set v = 1 where id = 2"]);
    let b = waits(&db, db.session(), "delete from t where id = 1", 1);
    let c = waits(&db, c, "select * from t where id = 1 for share", 2);
    d.ok("commit");
    assert_eq!(db.waiters(), 2, "nobody stands against the share but who came before it");
    let a = waits(&db, a, "update t set v = 2 where id = 2", 2);
    let (mut c, shared) = c.recv().unwrap();
    assert_eq!(shared, Ok("SELECT 1".into()));
    c.ok("commit");
    let (mut a, updated) = a.recv().unwrap();
    assert_eq!(updated, Ok("UPDATE 1".into()));
    a.ok("commit");
    assert_eq!(b.recv().unwrap().1, Ok("DELETE 1".into()));
}

#[test]
fn a_place_in_a_table_s_queue_makes_no_deadlock() {
    let (db, mut observer) = three_rows();
    observer.ok("create table u (id int)");
    let mut until = |n: &str| {
        while observer.value("select count(*) from pg_stat_activity where wait_event = 'relation'") != n {
            thread::yield_now();
        }
    };
    let start = |c: Client, sql: &'static str| waits(&db, c, sql, 0);
    let d1 = open(&db, &["lock table t in access share mode"]);
    let mut d2 = open(&db, &["lock table u in access share mode"]);
    let e1 = start(open(&db, &[]), "lock table t in access exclusive mode");
    until("1");
    let e2 = start(open(&db, &[]), "lock table u in access exclusive mode");
    until("2");
    let d1 = start(d1, "lock table u in access share mode");
    until("3");
    d2.ok("lock table t in access share mode");
    d2.ok("commit");
    let (mut e2, locked) = e2.recv().unwrap();
    assert_eq!(locked, Ok("LOCK TABLE".into()));
    e2.ok("commit");
    let (mut d1, locked) = d1.recv().unwrap();
    assert_eq!(locked, Ok("LOCK TABLE".into()));
    d1.ok("commit");
    assert_eq!(e1.recv().unwrap().1, Ok("LOCK TABLE".into()));
}

#[test]
fn table_locks_are_given_back_with_their_savepoint() {
    let (db, _) = three_rows();
    let mut a =
        open(&db, &["lock table t in row share mode", "savepoint s", "lock table t in exclusive mode"]);
    let mut b = open(&db, &["savepoint s"]);
    assert_eq!(b.err("lock table t in row exclusive mode nowait"), "55P03");
    b.ok("rollback to s");
    a.ok("rollback to s");
    b.ok("lock table t in row exclusive mode nowait");
    assert_eq!(b.err("lock table t in access exclusive mode nowait"), "55P03");
}

#[test]
fn read_only_cannot_be_lifted_in_a_subtransaction_and_ends_with_it() {
    let (_db, mut a) = three_rows();
    a.ok("begin");
    a.ok("set transaction read only");
    a.ok("savepoint x");
    assert_eq!(a.err("set transaction read write"), "25001");
    a.ok("rollback to x");
    assert_eq!(a.err("update t set v = 1"), "25006");
    a.ok("rollback");
    a.ok("begin");
    a.ok("savepoint x");
    assert_eq!(a.err("set transaction isolation level repeatable read"), "25001");
    a.ok("rollback to x");
    a.ok("set transaction read only");
    a.ok("release x");
    a.ok("update t set v = 1 where id = 1");
    a.ok("commit");
}

#[test]
fn deadlock_timeout_is_a_setting() {
    let (_db, mut a) = three_rows();
    assert_eq!(a.value("show deadlock_timeout"), "1s");
    a.ok("set deadlock_timeout = '100ms'");
    assert_eq!(a.value("show deadlock_timeout"), "100ms");
}
