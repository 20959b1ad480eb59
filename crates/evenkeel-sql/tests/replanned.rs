//! Statements that plan a query of their own wait for locks like any other: what they read is looked up again once they have them.

mod support;

use support::{Client, TestDb};

/// Runs a statement in a thread; its last column of rows, what it copied, or its SQLSTATE.
fn start(mut c: Client, sql: &str) -> std::thread::JoinHandle<Result<String, String>> {
    let sql = sql.to_owned();
    std::thread::spawn(move || match c.simple(&sql, "") {
        Ok(mut outputs) => {
            let out = outputs.pop().expect("a result");
            let rows: Vec<String> = out.rows.iter().map(|r| c.texts(r, &out.columns).join("|")).collect();
            Ok(if out.copied.is_empty() { rows.join(",") } else { out.copied })
        }
        Err(e) => Err(e.code.as_str().to_owned()),
    })
}

/// Runs `sql` beside a transaction that holds it up, which ends once it waits.
fn beside(change: &str, sql: &str, look: &str) -> (Result<String, String>, Vec<String>) {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table t (a int primary key, b text)");
    a.ok("insert into t select g, 'old' from generate_series(1, 100) g");
    a.ok("create materialized view m as select count(*) as n, max(b) as b from t");
    a.ok("create unique index on m (n)");
    a.ok("begin");
    a.ok(change);
    let other = start(db.session(), sql);
    let mut observer = db.session();
    while observer.value("select count(*) from pg_stat_activity where wait_event = 'relation'") != "1" {
        std::thread::yield_now();
    }
    a.ok("commit");
    let gave = other.join().expect("the thread ends");
    (gave, if look.is_empty() { Vec::new() } else { observer.rows(look) })
}

const EMPTIED: &str = "truncate t; insert into t values (1, 'new')";
const WIDER: &str = "alter table t alter a type bigint, add column c int default 7";

#[test]
fn a_table_made_of_a_query_has_what_there_is_once_it_may_read() {
    let (gave, rows) = beside(EMPTIED, "create table made as select * from t", "select * from made");
    assert_eq!((gave, rows), (Ok(String::new()), vec!["1|new".into()]));
    let (_, rows) = beside(
        WIDER,
        "create table made as select * from t",
        "select sum(c), max(pg_typeof(a)::text) from made",
    );
    assert_eq!(rows, ["700|bigint"]);
}

#[test]
fn a_materialized_view_has_what_there_is_once_it_may_read() {
    // REFRESH reads by the snapshot that it had before it waited, as in PostgreSQL 18; to that a table that was emptied meanwhile is empty.
    for sql in ["refresh materialized view m", "refresh materialized view concurrently m"] {
        let (gave, rows) = beside(EMPTIED, sql, "select * from m");
        assert_eq!((gave, rows), (Ok(String::new()), vec!["0|".into()]), "{sql}");
    }
    let (_, rows) =
        beside(EMPTIED, "create materialized view other as select * from t", "select * from other");
    assert_eq!(rows, ["1|new"]);
}

#[test]
fn copies_and_explanations_read_what_there_is() {
    assert_eq!(beside(EMPTIED, "copy t to stdout", "").0, Ok("1\tnew\n".into()));
    let (gave, _) = beside(WIDER, "copy t to stdout", "");
    assert!(gave.is_ok_and(|text| text.lines().count() == 100 && text.starts_with("1\told\t7\n")));
    let sql = "explain (analyze, costs off, timing off, summary off, buffers off) select b from t";
    assert!(beside(EMPTIED, sql, "").0.is_ok_and(|text| text.contains("rows=1")));
}

#[test]
fn what_was_dropped_or_renamed_meanwhile_is_not_changed() {
    for change in ["drop view v", "alter view v rename to w"] {
        for sql in ["drop view v", "alter view v rename to x", "alter view v rename column a to z"] {
            let gave =
                beside(&format!("create view v as select * from t; commit; begin; {change}"), sql, "").0;
            assert_eq!(gave, Err("42P01".into()), "{change}, {sql}");
        }
        assert_eq!(
            beside(
                &format!("create view v as select * from t; commit; begin; {change}"),
                "drop view if exists v",
                ""
            )
            .0,
            Ok(String::new())
        );
    }
    let change = "create index i on t (b); commit; begin; alter index i rename to j";
    assert_eq!(beside(change, "alter index i rename to j", "").0, Err("42P01".into()));
    for sql in ["reindex index i", "reindex index concurrently i"] {
        assert_eq!(beside(change, sql, "").0, Err("42P01".into()), "{sql}");
    }
    let change = "drop materialized view m; create materialized view m as select 'other' as x";
    assert_eq!(beside(change, "drop materialized view m", "select count(*) from pg_matviews").1, ["0"]);
}
