//! `pg_export_snapshot` and SET TRANSACTION SNAPSHOT.

mod support;

use support::{Client, TestDb};

const TAKE: &str = "begin isolation level repeatable read";

fn export(c: &mut Client) -> String {
    c.value("select pg_export_snapshot()")
}

fn set(name: &str) -> String {
    format!("set transaction snapshot '{name}'")
}

fn rows(c: &mut Client) -> String {
    c.value("select string_agg(i || '=' || n, ' ' order by i) from t")
}

/// Begins a transaction that sees what the snapshot does.
fn taken(c: &mut Client, begin: &str, name: &str) {
    c.ok(begin);
    c.ok(&set(name));
}

/// What becomes of taking it in a transaction that begins so.
fn refused(c: &mut Client, begin: &str, name: &str) -> String {
    c.ok(begin);
    let code = c.err(&set(name));
    c.ok("rollback");
    code
}

fn with_rows() -> TestDb {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (i int primary key, n int)");
    c.ok("insert into t values (1, 1), (2, 2)");
    db
}

#[test]
fn who_takes_a_snapshot_sees_what_was_seen_and_holds_it() {
    let db = with_rows();
    let (mut own, mut other, mut third) = (db.session(), db.session(), db.session());
    for level in ["read committed", "repeatable read", "serializable"] {
        own.ok(&format!("begin isolation level {level}"));
        let name = export(&mut own);
        own.ok("insert into t values (3, 3)"); // not seen: it was not committed
        third.ok("insert into t values (4, 4)");
        taken(&mut other, TAKE, &name);
        assert_eq!(rows(&mut other), "1=1 2=2", "{level}");
        assert_eq!(other.err(&set(&name)), "25001");
        other.ok("rollback");
        taken(&mut other, "begin isolation level repeatable read, read only", &name);
        let second = export(&mut own);
        assert_eq!(second, format!("{}-2", name.strip_suffix("-1").unwrap()));
        own.ok("commit");
        // It is held by who has taken it: what it sees is not cleaned away.
        third.ok("update t set n = n + 10");
        third.ok("delete from t where i = 2");
        third.ok("vacuum t");
        assert_eq!(rows(&mut other), "1=1 2=2", "{level}");
        for gone in [&name, &second] {
            assert_eq!(refused(&mut third, TAKE, gone), "42704", "{level}");
        }
        other.ok("commit");
        third.ok("truncate t");
        third.ok("insert into t values (1, 1), (2, 2)");
    }
}

#[test]
fn changes_are_checked_and_indexes_chosen_by_the_snapshot() {
    let db = with_rows();
    let (mut own, mut other, mut third) = (db.session(), db.session(), db.session());
    own.ok("begin");
    let name = export(&mut own);
    third.ok("update t set n = 100 where i = 1");
    taken(&mut other, TAKE, &name);
    other.ok("update t set n = 50 where i = 2");
    assert_eq!(other.err("update t set n = 50 where i = 1"), "40001");
    other.ok("rollback");
    // The index has no entry for the old row.
    third.ok("insert into t select g, g from generate_series(1000, 9000) g");
    third.ok("create index on t (n)");
    third.ok("analyze t");
    taken(&mut other, TAKE, &name);
    assert_eq!(other.value("select count(*) from t where n = 1"), "1");
    assert_eq!(other.value("select count(*) from t where n in (100, 1000)"), "0");
}

#[test]
fn what_cannot_be_taken_or_exported_is_refused_as_in_postgresql() {
    let db = with_rows();
    let (mut own, mut other) = (db.session(), db.session());
    own.ok(TAKE);
    let name = export(&mut own);
    assert_eq!(refused(&mut other, "begin", &name), "0A000");
    assert_eq!(refused(&mut other, "begin isolation level serializable", &name), "0A000");
    assert_eq!(other.err(&set(&name)), "0A000");
    for before in ["select 1", "savepoint s"] {
        other.ok(TAKE);
        other.ok(before);
        assert_eq!(other.err(&set(&name)), "25001", "{before}");
        other.ok("rollback");
    }
    for (wrong, code) in [("xyz", "22023"), ("", "22023"), ("00000000-00000000-9", "42704")] {
        assert_eq!(refused(&mut other, TAKE, wrong), code, "{wrong}");
    }
    assert_eq!(other.err("set transaction snapshot 5"), "42601");
    assert_eq!(other.err("set transaction snapshot default"), "42601");
    assert_eq!(other.err(&format!("set local transaction snapshot '{name}'")), "0A000");
    own.ok("commit");
    own.ok("begin isolation level serializable, read only");
    let name = export(&mut own);
    assert_eq!(refused(&mut other, "begin isolation level serializable", &name), "0A000");
    let deferrable = "begin isolation level serializable, read only, deferrable";
    assert_eq!(refused(&mut other, deferrable, &name), "0A000");
    taken(&mut other, "begin isolation level serializable, read only", &name);
    assert_eq!(rows(&mut other), "1=1 2=2");
    other.ok("rollback");
    own.ok("commit");
    own.ok("begin");
    own.ok("savepoint s");
    assert_eq!(own.err("select pg_export_snapshot()"), "25001");
    own.ok("rollback to s");
    own.ok("release s");
    export(&mut own);
    own.ok("rollback");
    assert_eq!(own.value("select pg_export_snapshot() is null"), "f"); // and is gone with its transaction
    own.ok("create database elsewhere");
    let mut elsewhere = Client::within(&db.instance, "elsewhere", &[]).expect("session begins");
    elsewhere.ok("begin");
    let name = export(&mut elsewhere);
    assert_eq!(refused(&mut other, TAKE, &name), "0A000");
}

#[test]
fn a_transaction_that_has_failed_gives_nobody_what_it_saw() {
    let db = with_rows();
    let (mut own, mut other) = (db.session(), db.session());
    own.ok("begin");
    let name = export(&mut own);
    own.ok("savepoint s");
    assert_eq!(own.err("select 1 / 0"), "22012");
    taken(&mut other, TAKE, &name); // it may go back to the savepoint
    other.ok("rollback");
    own.ok("rollback");
    own.ok("begin");
    let name = export(&mut own);
    assert_eq!(own.err("select 1 / 0"), "22012");
    assert_eq!(refused(&mut other, TAKE, &name), "55000");
    own.ok("rollback");
    assert_eq!(refused(&mut other, TAKE, &name), "42704");
    own.ok("begin");
    let name = export(&mut own);
    drop(own);
    assert_eq!(refused(&mut other, TAKE, &name), "42704");
}
