//! Writing and locking through views beside other sessions: as if the statement named the table.

mod support;

use std::sync::mpsc;
use std::thread;
use support::{Client, TestDb};

fn with_view() -> TestDb {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, v int, on_view bool default true)");
    c.ok("insert into t values (1, 0), (2, 0), (3, 0)");
    c.ok("create view seen as select id, v, on_view from t where on_view with check option");
    c.ok("create view twice as select id, v from seen where v < 100");
    db
}

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
fn for_update_of_a_view_locks_the_tables_row() {
    let db = with_view();
    let mut a = open(&db, &["select * from twice where id = 1 for update"]);
    let mut b = db.session();
    assert_eq!(b.err("select * from t where id = 1 for key share nowait"), "55P03");
    assert_eq!(b.err("select * from seen where id = 1 for update nowait"), "55P03");
    b.ok("select * from seen where id = 2 for update nowait");
    a.ok("rollback");
    b.ok("select * from twice where id = 1 for update nowait");
}

#[test]
fn a_row_that_left_the_view_meanwhile_is_not_changed() {
    let db = with_view();
    let mut a = open(&db, &["update t set on_view = false where id = 1"]);
    let b = waits(&db, db.session(), "update twice set v = 7 where id = 1", 1);
    let c = waits(&db, db.session(), "delete from seen where id = 1", 2);
    a.ok("commit");
    assert_eq!(b.recv().unwrap().1, Ok("UPDATE 0".into()));
    assert_eq!(c.recv().unwrap().1, Ok("DELETE 0".into()));
}

#[test]
fn a_row_that_is_still_seen_is_changed_in_its_newest_version() {
    let db = with_view();
    let mut a = open(&db, &["update seen set v = v + 1 where id = 1"]);
    let b = waits(&db, db.session(), "update twice set v = v + 10 where id = 1", 1);
    a.ok("commit");
    assert_eq!(b.recv().unwrap().1, Ok("UPDATE 1".into()));
    assert_eq!(db.session().rows("select v from t where id = 1"), ["11"]);
}

#[test]
fn a_check_option_judges_the_newest_version() {
    let db = with_view();
    let mut a = open(&db, &["update t set v = 5 where id = 2"]);
    let b = waits(&db, db.session(), "update seen set on_view = v < 5 where id = 2", 1);
    a.ok("commit");
    assert_eq!(b.recv().unwrap().1, Err("44000".into()));
}

#[test]
fn a_key_taken_through_a_view_is_waited_for() {
    let db = with_view();
    let mut a = open(&db, &["insert into twice values (9, 9)"]);
    let b = waits(
        &db,
        db.session(),
        "insert into seen values (9, 1) on conflict (id) do update set v = seen.v + 1",
        1,
    );
    a.ok("commit");
    assert_eq!(b.recv().unwrap().1, Ok("INSERT 0 1".into()));
    assert_eq!(db.session().rows("select v from t where id = 9"), ["10"]);
}
