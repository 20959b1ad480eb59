//! CLUSTER beside others, rolled back, and after a start.

mod support;

use support::TestDb;

/// No index has both columns, so the rows are read as they lie.
const IN_ORDER: &str = "select string_agg(a::text || left(b::text, 0), ',') from t";

#[test]
fn rows_lie_in_the_order_of_the_index_and_nothing_else_changes() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key, b int, v text)");
    c.ok("create index tb on t (b)");
    c.ok("insert into t select i, -i, repeat('x', case when i % 3 = 0 then 20000 else i end) from generate_series(1, 9) i");
    c.ok("delete from t where a = 4; update t set v = v || '!' where a = 5");
    let sums = c.value("select sum(a), sum(length(v)) from t");
    c.ok("begin; cluster t using tb");
    assert_eq!(c.value(IN_ORDER), "9,8,7,6,5,3,2,1");
    c.ok("rollback");
    assert_eq!(c.value(IN_ORDER), "1,2,3,5,6,7,8,9");
    assert_eq!(c.value("select count(*) from pg_index where indisclustered"), "0");
    db.check();
    c.ok("cluster t using tb");
    c.ok("insert into t values (4, 0, 'new')");
    c.ok("begin; savepoint s; cluster t using t_pkey; rollback to s; commit");
    db.check();
    drop(c);
    let db = db.reopen();
    let mut c = db.session();
    assert_eq!(c.value(IN_ORDER), "9,8,7,6,5,3,2,1,4");
    assert_eq!(c.value("select sum(a), sum(length(v)) from t where a <> 4"), sums);
    assert_eq!(c.value("select v from t where a = 4"), "new");
    c.ok("cluster");
    assert_eq!(c.value(IN_ORDER), "9,8,7,6,5,3,2,1,4");
    db.check();
}

#[test]
fn an_older_snapshot_goes_on_seeing_rows() {
    let db = TestDb::new();
    let (mut c, mut older) = (db.session(), db.session());
    c.ok("create table t (a int primary key, b int); insert into t values (1, 2), (2, 1)");
    c.ok("create index tb on t (b)");
    older.ok("begin isolation level repeatable read");
    assert_eq!(older.value("select 1"), "1");
    c.ok("cluster t using tb");
    assert_eq!(older.value(IN_ORDER), "2,1");
    assert_eq!(older.value("select b from t where a = 1"), "2");
    assert_eq!(older.value("select a from t where b = 1"), "2");
    older.ok("commit");
    db.check();
}
