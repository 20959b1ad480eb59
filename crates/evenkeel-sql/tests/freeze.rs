//! COPY into a table that the transaction has made, with FREEZE and without: rows that are put into its tree from below.

mod support;

use support::{Client, TestDb};

fn lines(from: u32, to: u32) -> String {
    // Now and then a row that has no room on a page.
    let text = |n: u32| if n % 1000 == 7 { "x".repeat(20_000 + n as usize) } else { format!("row {n}") };
    (from..to).map(|n| format!("{n}\t{}\n", text(n))).collect()
}

fn copy(c: &mut Client, data: &str) -> Result<String, String> {
    match c.simple("copy t from stdin (freeze)", data) {
        Ok(outputs) => Ok(outputs[0].tag.clone()),
        Err(e) => Err(e.code.as_str().to_owned()),
    }
}

const SUMS: &str = "select count(*), sum(id), sum(length(v)) from t";

fn sums(from: u32, to: u32) -> String {
    let length = |line: &str| line.split_once('\t').unwrap().1.len();
    let text = lines(from, to);
    let lengths: usize = text.lines().map(length).sum();
    format!("{}|{}|{lengths}", to - from, (from..to).sum::<u32>())
}

#[test]
fn a_new_table_has_its_rows_and_lives_on() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("begin");
    c.ok("create table t (id int not null check (id >= 0), v text)");
    assert_eq!(copy(&mut c, &lines(0, 5000)).unwrap(), "COPY 5000");
    assert_eq!(c.value(SUMS), sums(0, 5000));
    // It has rows now: more come as they would without FREEZE.
    assert_eq!(copy(&mut c, &lines(5000, 6000)).unwrap(), "COPY 1000");
    c.ok("insert into t values (6000, 'row 6000')");
    c.ok("commit");
    assert_eq!(db.session().value(SUMS), sums(0, 6001));
    c.ok("create unique index on t (id)");
    c.ok("delete from t where id >= 3000");
    c.ok("update t set v = v || '!' where id % 2 = 0");
    assert_eq!(c.value("select count(*), count(*) filter (where v like '%!') from t"), "3000|1500");
    db.check();
    drop(c);
    let db = db.reopen();
    assert_eq!(db.session().value("select count(*), sum(id) from t"), "3000|4498500");
    db.check();
}

#[test]
fn a_truncated_table_comes_back_when_the_transaction_rolls_back() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int, v text)");
    c.ok("insert into t values (1, 'before')");
    for end in ["rollback", "rollback to a; commit"] {
        c.ok("begin; savepoint a; truncate t");
        copy(&mut c, &lines(0, 3000)).unwrap();
        assert_eq!(c.value(SUMS), sums(0, 3000));
        c.ok(end);
        assert_eq!(c.rows("select * from t"), ["1|before"]);
        db.check();
    }
    c.ok("begin; truncate t");
    copy(&mut c, "").unwrap();
    c.ok("commit");
    assert_eq!(c.value("select count(*) from t"), "0");
    // With an index rows are written one by one.
    c.ok("create index on t (id)");
    c.ok("begin; truncate t");
    copy(&mut c, &lines(0, 2000)).unwrap();
    c.ok("commit");
    assert_eq!(c.value(SUMS), sums(0, 2000));
    db.check();
}

#[test]
fn a_table_that_others_may_know_is_refused() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int, v text)");
    assert_eq!(copy(&mut c, "").unwrap_err(), "55000");
    for before in [
        "begin; truncate t; savepoint a",
        "begin; alter table t add column w int",
        "begin; truncate t; savepoint a; alter table t add column w int",
        "begin; savepoint a; truncate t; rollback to a",
    ] {
        c.ok(before);
        assert_eq!(copy(&mut c, "").unwrap_err(), "55000", "{before}");
        c.ok("rollback");
    }
    c.ok("begin; savepoint a; truncate t; release a");
    assert_eq!(copy(&mut c, &lines(0, 10)).unwrap(), "COPY 10");
    c.ok("commit");
    assert_eq!(c.err("copy t to stdout (freeze)"), "22023");
}

#[test]
fn a_bad_line_leaves_nothing() {
    let db = TestDb::new();
    let mut c = db.session();
    for data in [lines(0, 4000) + "x\ty\n", lines(0, 4000) + "-1\ty\n", lines(0, 4000) + "\\N\ty\n"] {
        c.ok("begin; create table t (id int not null check (id >= 0), v text)");
        assert!(copy(&mut c, &data).is_err());
        assert_eq!(c.err("select 1"), "25P02");
        c.ok("rollback");
        assert_eq!(c.err("select * from t"), "42P01");
        db.check();
    }
}

fn plain_copy(c: &mut Client, data: &str) {
    c.simple("copy t from stdin", data).unwrap();
}

/// Without FREEZE rows are seen by whom they would be seen if they had been inserted.
#[test]
fn rows_without_freeze_are_of_their_transaction() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int, v text)");
    c.ok("insert into t values (1, 'before')");
    let mut older = db.session();
    older.ok("begin isolation level repeatable read");
    assert_eq!(older.value("select 1"), "1");

    c.ok("begin; truncate t");
    plain_copy(&mut c, &lines(0, 3000));
    assert_eq!(c.value(SUMS), sums(0, 3000));
    c.ok("savepoint a; delete from t where id < 2990; update t set v = 'changed' where id = 2995");
    assert_eq!(c.value("select count(*), count(*) filter (where v = 'changed') from t"), "10|1");
    c.ok("rollback to a");
    assert_eq!(c.value(SUMS), sums(0, 3000));
    // It has rows now: these come one by one, and go back to the savepoint.
    plain_copy(&mut c, &lines(3000, 4000));
    assert_eq!(c.value(SUMS), sums(0, 4000));
    c.ok("rollback to a; commit");
    assert_eq!(
        older.value("select count(*) from t"),
        "0",
        "as PostgreSQL, for which TRUNCATE has no versions"
    );
    older.ok("rollback");
    assert_eq!(db.session().value(SUMS), sums(0, 3000));

    // What came after a savepoint goes with it.
    c.ok("begin; create temp table seen as select 1; truncate t; savepoint a");
    plain_copy(&mut c, &lines(0, 100));
    c.ok("rollback to a; commit");
    assert_eq!(c.value("select count(*) from t"), "0");
    c.ok("create unique index on t (id)");
    db.check();
    drop((c, older));
    let db = db.reopen();
    assert_eq!(db.session().value("select count(*) from t"), "0");
    db.check();
}

/// A cursor goes on seeing what was there when it began.
#[test]
fn a_cursor_of_the_transaction_does_not_see_what_is_copied() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("begin; create table t (id int, v text); declare k cursor for select * from t; fetch k");
    plain_copy(&mut c, &lines(0, 2000));
    assert_eq!(c.rows("fetch all k"), [""; 0]);
    assert_eq!(c.value(SUMS), sums(0, 2000));
    c.ok("commit");
    db.check();
}
