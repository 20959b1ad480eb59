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
    other.ok("alter table t add b int not null default 3 + (random() * 0)::int, add c int, add g int generated always as (a * 2) virtual");
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

/// What is the same in all rows is in no row: any snapshot reads it, and so does whoever opens the folder later.
#[test]
fn a_value_of_all_rows_is_read_in_every_snapshot_and_after_a_restart() {
    let db = TestDb::new();
    let (mut older, mut other) = (db.session(), db.session());
    other.ok("create table t (id int primary key, a text); insert into t select g, 'r' || g from generate_series(1, 3) g");
    older.ok(BEGIN);
    older.ok("select count(*) from pg_class");
    other.ok("update t set a = 'new' where id = 2");
    other.ok("alter table t add b int not null default 3, add c text default 'x' || 1, add d numeric(5, 2) default 1.5");
    other.ok("insert into t values (4, 'r4'); update t set a = 'newer' where id = 3; create index on t (b)");
    assert_eq!(
        older.rows("select * from t order by id"),
        ["1|r1|3|x1|1.50", "2|r2|3|x1|1.50", "3|r3|3|x1|1.50"]
    );
    older.ok("commit");
    let now = ["1|r1|3|x1|1.50", "2|new|3|x1|1.50", "3|newer|3|x1|1.50", "4|r4|3|x1|1.50"];
    assert_eq!(older.rows("select * from t order by id"), now);
    let undone = "begin; alter table t alter b set default 8, add e int default 9, drop c; insert into t (id) values (5); rollback";
    older.ok(undone);
    assert_eq!(older.rows("select * from t order by id"), now);
    drop((older, other));
    let db = db.reopen();
    let mut c = db.session();
    assert_eq!(c.rows("select * from t order by id"), now);
    assert_eq!(c.rows("set enable_seqscan = off; select count(*) from t where b = 3"), ["4"]);
    c.ok("alter table t alter d type numeric(7, 2), alter c type varchar, alter b type bigint");
    assert_eq!(c.rows("select * from t order by id"), now);
    drop(c);
    let db = db.reopen();
    assert_eq!(db.session().rows("select * from t order by id"), now);
    db.check();
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
