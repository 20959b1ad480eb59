//! Temporary tables end with their session, and after a crash with the next start.

mod support;

use support::TestDb;

const LEFT: &str = "select (select count(*) from pg_class where relpersistence = 't') + (select count(*) from pg_namespace where nspname like 'pg_temp%')";

#[test]
fn they_go_with_their_session() {
    let db = TestDb::new();
    let mut watcher = db.session();
    let mut a = db.session();
    let mut b = db.session();
    a.ok("create temp table t (a serial primary key, b text unique)");
    a.ok("create temp sequence s");
    a.ok("create temp view v as select * from t");
    a.ok("insert into t (b) values ('x')");
    b.ok("create temp table t (a int)");
    assert_eq!(watcher.err("select * from pg_temp.t"), "42P01");
    let schema = a.value("select nspname from pg_namespace where oid = pg_my_temp_schema()");
    let refused = watcher.err(&format!("select * from {schema}.t"));
    assert_eq!(refused, "0A000");
    // One that has a transaction open, failed or not, ends as well.
    a.ok("begin");
    a.ok("insert into t (b) values ('y')");
    drop(a);
    assert_eq!(watcher.value(LEFT), "2");
    b.ok("begin");
    b.err("select 1 / 0");
    drop(b);
    assert_eq!(watcher.value(LEFT), "0");
    // The number is free again.
    let mut c = db.session();
    c.ok("create temp table t (a int)");
    assert_eq!(c.value("select nspname from pg_namespace where oid = pg_my_temp_schema()"), schema);
    drop(c);
    drop(watcher);
    db.check();
}

#[test]
fn they_are_dropped_after_a_crash() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table kept (a int)");
    a.ok("create unlogged table logged (a int)");
    a.ok("insert into kept values (1)");
    a.ok("insert into logged values (1)");
    a.ok("create temp table t (a serial primary key, b text)");
    a.ok("create index on t (b)");
    a.ok("insert into t (b) select 'x' from generate_series(1, 100)");
    a.ok("create temp sequence s");
    a.ok("create temp view v as select t.b from t, kept");
    let after = db.after_crash();
    let mut b = after.session();
    assert_eq!(b.value(LEFT), "0");
    assert_eq!(b.value("select count(*) from pg_class where oid >= 16384"), "2");
    // Unlogged tables are logged.
    assert_eq!(b.value("select (select a from kept) + (select a from logged)"), "2");
    drop(b);
    after.check();
    assert_eq!(a.value("select count(*) from v"), "100");
}

#[test]
fn an_interrupted_session_drops_them_too() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create temp table t (a int)");
    a.interrupt.cancel();
    drop(a);
    assert_eq!(db.session().value(LEFT), "0");
}
