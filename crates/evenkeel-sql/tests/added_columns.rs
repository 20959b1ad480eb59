//! Columns that are added while snapshots stand.

mod support;

use support::TestDb;

const BEGIN: &str = "begin isolation level repeatable read";

#[test]
fn a_snapshot_that_is_older_than_a_column_does_not_read_it() {
    let db = TestDb::new();
    let (mut older, mut other) = (db.session(), db.session());
    other.ok("create table t (id int primary key, a int); insert into t values (1, 7)");
    other.ok("create view v as select * from t");
    older.ok(BEGIN);
    older.ok("select count(*) from pg_class");
    other.ok("alter table t add b int not null default 3, add c int, add g int generated always as (a * 2) virtual");
    // What has no values is nobody's business.
    assert_eq!(older.rows("select id, a, c, g from t"), ["1|7||14"]);
    assert_eq!(older.rows("table v"), ["1|7"]);
    for sql in [
        "select b from t",
        "table t",
        "select t from t",
        "select 1 from t where b is null",
        "copy t to stdout",
    ] {
        older.ok("savepoint s");
        assert_eq!(older.err(sql), "40001", "{sql}");
        older.ok("rollback to s");
    }
    older.ok("commit");
    assert_eq!(older.rows("select b from t"), ["3"]);
    older.ok(BEGIN);
    assert_eq!(older.rows("table t"), ["1|7|3||14"]);
}

#[test]
fn a_transaction_reads_the_columns_that_it_has_added_itself() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key); insert into t values (1)");
    c.ok(BEGIN);
    assert_eq!(c.rows("table t"), ["1"]);
    c.ok("alter table t add b int default 3");
    assert_eq!(c.rows("table t"), ["1|3"]);
    c.ok("commit");
    assert_eq!(c.rows("table t"), ["1|3"]);
}
