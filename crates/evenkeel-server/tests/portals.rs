//! Portals in pieces, cursors as portals, and batches as transactions, as PostgreSQL 18 answers them.

mod common;

use common::sql::Sql;
use common::*;

fn run(c: &mut Client, sql: &str) {
    let told = c.ask(&[query(sql)]);
    assert!(!told.contains('E'), "{sql}: {told}");
}

/// What a client is told, without what every message is answered with: rows, tags, `s` for a portal that is suspended, and errors.
fn told(replies: &[Reply]) -> Vec<String> {
    let cell = |v: Option<String>| v.unwrap_or_else(|| "NULL".into());
    let tell = |r: &Reply| match r.kind {
        'D' => values(r).into_iter().map(cell).collect::<Vec<_>>().join(","),
        'C' => r.text(),
        'E' => format!("{} {}", r.field(b'C').unwrap(), r.field(b'M').unwrap()),
        other => other.to_string(),
    };
    replies.iter().filter(|r| "DCEs".contains(r.kind)).map(tell).collect()
}

/// One statement, so many times executed with a row limit.
fn pieces(c: &mut Client, sql: &str, max_rows: i32, times: usize) -> Vec<String> {
    let mut all = vec![parse("", sql, &[]), bind("", "", &[], &[], &[])];
    all.extend(std::iter::repeat_n(execute("", max_rows), times));
    all.push(sync());
    c.send(&all);
    told(&c.until_ready())
}

/// Several statements in one batch.
fn batch(c: &mut Client, statements: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for sql in statements {
        all.extend([parse("", sql, &[]), bind("", "", &[], &[], &[]), execute("", 0)]);
    }
    all.push(sync());
    c.send(&all);
    told(&c.until_ready())
}

#[test]
fn rows_come_in_pieces_whatever_gives_them() {
    let sql = Sql::new();
    let mut c = sql.session();
    run(&mut c, "create table t (a int); insert into t select generate_series(1, 5)");
    run(&mut c, "prepare five as select generate_series(1, 5)");
    let mut in_pieces = |sql: &str, max_rows, times| {
        run(&mut c, "begin; declare c cursor for select generate_series(1, 9)");
        let told = pieces(&mut c, sql, max_rows, times);
        run(&mut c, "rollback");
        told.join(" ")
    };
    let returning = "update t set a = a + 1 returning a";
    assert_eq!(in_pieces(returning, 2, 3), "2 3 s 4 5 s 6 UPDATE 1");
    assert_eq!(in_pieces(returning, 5, 2), "2 3 4 5 6 s UPDATE 0");
    assert_eq!(in_pieces("update t set a = a + 1", 2, 1), "UPDATE 5");
    assert_eq!(in_pieces("fetch 5 from c", 2, 4), "1 2 s 3 4 s 5 FETCH 1 FETCH 0");
    assert_eq!(in_pieces("fetch 4 from c", 2, 4), "1 2 s 3 4 s FETCH 0 FETCH 0");
    assert_eq!(in_pieces("fetch 2 from c", 0, 2), "1 2 FETCH 2 FETCH 0");
    assert_eq!(in_pieces("move 4 from c", 2, 1), "MOVE 4");
    assert_eq!(in_pieces("show work_mem", 1, 3), "4MB s SHOW SHOW");
    assert_eq!(in_pieces("values (1), (2), (3)", 2, 3), "1 2 s 3 SELECT 1 SELECT 0");
    assert_eq!(in_pieces("execute five", 2, 4), "1 2 s 3 4 s 5 SELECT 1 SELECT 0");
    assert_eq!(in_pieces("create temp table u as select 1", 1, 1), "SELECT 1");
    let explained = in_pieces("explain (costs off) select 1 from t where a = 2", 1, 4);
    assert_eq!(explained.matches(" s").count(), 2, "{explained}");
    assert!(explained.ends_with("EXPLAIN EXPLAIN"), "{explained}");
    let all = in_pieces("show all", 100, 20);
    assert!(all.matches(" s ").count() > 2 && all.ends_with(" SHOW"), "{all}");
}

#[test]
fn a_cursor_runs_as_the_portal_of_its_name() {
    let sql = Sql::new();
    let mut c = sql.session();
    run(&mut c, "begin");
    run(&mut c, "declare c cursor for select generate_series(1, 9)");
    run(&mut c, "declare b binary cursor for select 7");
    c.send(&[execute("c", 2), execute("c", 3), execute("b", 1), describe('P', "b"), sync()]);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "DDsDDDsDsTZt");
    assert_eq!(values(&replies[7]), [Some("7".into())], "BINARY is for FETCH");
    assert_eq!(pieces(&mut c, "fetch c", 0, 1), ["6", "FETCH 1"]);
    c.send(&[execute("c", 0), execute("c", 0), sync()]);
    assert_eq!(told(&c.until_ready()), ["7", "8", "9", "SELECT 3", "SELECT 0"]);
    c.send(&[execute("none", 0), sync()]);
    assert_eq!(told(&c.until_ready()), ["34000 portal \"none\" does not exist"]);
    for lost in [execute("c", 0), describe('P', "c")] {
        assert_eq!(c.error(&[lost, sync()]).field(b'C').unwrap(), "25P02");
    }
    run(&mut c, "rollback");
    // One that is held goes on after other transactions, and after their errors.
    run(&mut c, "begin; declare h cursor with hold for select generate_series(1, 9); commit");
    for rows in [["1", "2"], ["3", "4"]] {
        c.send(&[execute("h", 2), sync()]);
        assert_eq!(told(&c.until_ready()), [rows[0], rows[1], "s"]);
        assert_eq!(c.error(&[query("select 1/0")]).field(b'C').unwrap(), "22012");
    }
    assert_eq!(c.ask(&[close('P', "h"), sync()]), "3Zi");
    assert_eq!(c.error(&[query("fetch h")]).field(b'C').unwrap(), "34000");
}

#[test]
fn a_failed_transaction_describes_nothing_that_gives_rows() {
    let sql = Sql::new();
    let mut c = sql.session();
    run(&mut c, "create table t (a int)");
    assert_eq!(
        c.ask(&[parse("s", "select 1", &[]), parse("n", "insert into t values (1)", &[]), sync()]),
        "11Zi"
    );
    run(&mut c, "begin");
    assert_eq!(c.error(&[query("select 1/0")]).field(b'C').unwrap(), "22012");
    assert_eq!(c.ask(&[describe('S', "s"), sync()]), "EZe");
    assert_eq!(c.ask(&[describe('S', "n"), sync()]), "tnZe");
    assert_eq!(c.error(&[describe('S', "none"), sync()]).field(b'C').unwrap(), "26000");
}

/// What a batch has done is one transaction up to Sync, BEGIN or COMMIT within it apart: what must have one of its own has none.
#[test]
fn a_batch_is_a_transaction_block_behind_its_first_statement() {
    let sql = Sql::new();
    let mut c = sql.session();
    run(&mut c, "create table t (a int)");
    let insert = "insert into t values (1)";
    let mut left = |statements: &[&str]| {
        let told = batch(&mut c, statements);
        if statements.contains(&"begin") && told.last().is_some_and(|last| last.starts_with('2')) {
            run(&mut c, "rollback");
        }
        let rows = pieces(&mut c, "select count(*) from t", 0, 1).remove(0);
        run(&mut c, "truncate t; deallocate all");
        (told.last().unwrap().clone(), rows)
    };
    let refused =
        |what: &str| (format!("25001 {what} cannot run inside a transaction block"), "0".to_owned());
    let ended = |tag: &str, rows: &str| (tag.to_owned(), rows.to_owned());
    for first in [insert, "set application_name = 'x'", "select 1", "vacuum t"] {
        assert_eq!(left(&[first, "vacuum t"]), refused("VACUUM"), "{first}");
    }
    for (last, what) in [
        ("create index concurrently on t (a)", "CREATE INDEX CONCURRENTLY"),
        ("alter system set work_mem = '4MB'", "ALTER SYSTEM"),
        ("discard all", "DISCARD ALL"),
        ("create database other", "CREATE DATABASE"),
    ] {
        assert_eq!(left(&[insert, last]), refused(what));
    }
    assert_eq!(left(&["vacuum t", insert]), ended("INSERT 0 1", "1"));
    assert_eq!(left(&[insert, "commit", "vacuum t"]), ended("VACUUM", "1"));
    assert_eq!(left(&[insert, "commit", insert, "select 1/0"]).1, "1");
    assert_eq!(left(&[insert, "rollback", insert]).1, "1");
    assert_eq!(left(&[insert, "begin", insert, "commit", "select 1/0"]).1, "2");
    assert_eq!(left(&[insert, "begin", insert, "select 1/0"]).1, "0");
    // What must be in a block is in one.
    assert_eq!(left(&[insert, "lock table t"]), ended("LOCK TABLE", "1"));
    assert_eq!(left(&["lock table t", insert]).0, "25P01 LOCK TABLE can only be used in transaction blocks");
    assert_eq!(left(&[insert, "savepoint s"]).0, "25P01 SAVEPOINT can only be used in transaction blocks");
    assert_eq!(left(&["select 1", "declare c cursor for select 7", "fetch c"]).0, "FETCH 1");
    let alone = left(&["declare c cursor for select 7", "fetch c"]).0;
    assert_eq!(alone, "25P01 DECLARE CURSOR can only be used in transaction blocks");
    assert_eq!(left(&[insert, "set constraints all deferred"]), ended("SET CONSTRAINTS", "1"));
    let too_late = left(&["select 1", "set transaction isolation level repeatable read"]).0;
    assert_eq!(too_late, "25001 SET TRANSACTION ISOLATION LEVEL must be called before any query");
}
