//! Several sessions that wait for one row or key: how that ends lets all of them go on. As PostgreSQL 18 does.

mod support;

use std::time::Duration;
use support::TestDb;
use support::started::{Started, start, until_waits};

/// How a statement has ended, which nothing holds up.
fn ended(statement: Started) -> (support::Client, Result<String, String>) {
    statement.recv_timeout(Duration::from_secs(60)).expect("it goes on")
}

#[test]
fn nobody_waits_for_who_has_waited_for_a_row_that_is_gone() {
    let db = TestDb::new();
    let mut observer = db.session();
    observer.ok("create table t (id int primary key, v int); insert into t values (1, 1), (2, 2)");
    let mut a = db.session();
    a.ok("begin; delete from t where id = 1");
    let mut statements = Vec::new();
    for sql in [
        "select * from t where id = 1 for update",
        "update t set v = v + 1 where id = 1",
        "delete from t where id = 1",
    ] {
        let mut c = db.session();
        c.ok("begin");
        statements.push(start(c, sql));
        until_waits(&mut observer, sql);
    }
    a.ok("commit");
    // Each of them is still in its transaction.
    let (mut clients, outcomes): (Vec<_>, Vec<_>) = statements.into_iter().map(ended).unzip();
    let tags = ["SELECT 0", "UPDATE 0", "DELETE 0"];
    assert_eq!(outcomes, tags.map(|t| Ok(t.to_owned())));
    clients.iter_mut().for_each(|c| drop(c.ok("rollback")));
    db.check();
}

#[test]
fn a_row_that_is_gone_makes_no_deadlock() {
    let db = TestDb::new();
    let mut observer = db.session();
    observer.ok("create table t (id int primary key, v int); insert into t values (1, 1), (2, 2)");
    let (mut a, mut b, mut c) = (db.session(), db.session(), db.session());
    a.ok("begin; delete from t where id = 1");
    b.ok("begin");
    let first = start(b, "update t set v = 10 where id = 1");
    until_waits(&mut observer, "update t set v = 10");
    c.ok("begin; update t set v = v + 1 where id = 2");
    let second = start(c, "update t set v = 20 where id = 1");
    until_waits(&mut observer, "update t set v = 20");
    a.ok("commit");
    let (b, outcome) = ended(first);
    assert_eq!(outcome, Ok("UPDATE 0".into()));
    let other = start(b, "update t set v = v + 1 where id = 2; commit");
    let (mut c, outcome) = ended(second);
    assert_eq!(outcome, Ok("UPDATE 0".into()));
    c.ok("commit");
    assert_eq!(ended(other).1, Ok("COMMIT".into()));
    assert_eq!(observer.rows("table t"), ["2|4"]);
}

/// One of them inserts, the others find its row, whichever of the table's indexes decides.
#[test]
fn upserts_that_wait_for_a_key_to_be_free_are_all_done() {
    let ends = [
        ("delete from k", "commit"),
        ("update k set id = 50, a = 50, b = 50", "commit"),
        ("delete from k; insert into k values (1, 1, 1, 0)", "rollback"),
    ];
    for (change, end) in ends {
        for (arbiter, inserted) in [("id", "(1, 9, 9)"), ("a", "(8, 1, 8)"), ("b", "(7, 7, 1)")] {
            let db = TestDb::new();
            let mut a = db.session();
            a.ok("create table k (id int primary key, a int unique, b int unique, n int default 0)");
            a.ok("insert into k values (1, 1, 1, 0)");
            a.ok("begin");
            a.ok(change);
            let sql = format!(
                "insert into k (id, a, b) values {inserted} on conflict ({arbiter}) do update set n = k.n + 1"
            );
            let statements: Vec<_> = (0..3).map(|_| start(db.session(), &sql)).collect();
            let mut observer = db.session();
            while db.waiters() < 3 {
                std::thread::yield_now();
            }
            a.ok(end);
            for statement in statements {
                assert_eq!(ended(statement).1, Ok("INSERT 0 1".into()), "{change}: {sql}");
            }
            let expected = if end == "rollback" { "3" } else { "2" };
            let there = format!("select n from k where ({arbiter}) = (1)");
            assert_eq!(observer.value(&there), expected, "{change}: {sql}");
            db.check();
        }
    }
}

/// By whatever it is waited.
#[test]
fn a_wait_that_takes_too_long_is_called_the_same_everywhere() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table t (id int primary key); create table u (k int unique deferrable)");
    a.ok("begin; insert into t values (1); insert into u values (1)");
    let mut b = db.session();
    b.ok("set lock_timeout = '1ms'");
    for (sql, data) in [
        ("insert into t values (1)", ""),
        ("insert into u values (1)", ""),
        ("copy t from stdin", "1\n"),
        ("copy u from stdin", "1\n"),
    ] {
        let error = b.simple(sql, data).err().map(|e| (e.code.as_str().to_owned(), e.message.clone()));
        let expected = ("55P03".to_owned(), "canceling statement due to lock timeout".to_owned());
        assert_eq!(error, Some(expected), "{sql}");
    }
}
