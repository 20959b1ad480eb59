//! Changes in WITH clauses beside other sessions: rows that somebody else has changed are judged again, in each part of the statement.

mod support;

use std::sync::mpsc;
use std::time::Duration;
use support::TestDb;

/// Runs `statement` in another session while `held` is not committed yet, and commits that once it waits.
fn beside(db: &TestDb, held: &str, statement: &str) -> Vec<String> {
    let mut first = db.session();
    first.ok("begin");
    first.ok(held);
    std::thread::scope(|s| {
        let (to, from) = mpsc::channel();
        let mut second = db.session();
        s.spawn(move || to.send(second.rows(statement)).expect("sent"));
        for _ in 0..1000 {
            if db.waiters() > 0 {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(db.waiters(), 1, "{statement} does not wait");
        first.ok("commit");
        from.recv_timeout(Duration::from_secs(20)).expect("the statement ends")
    })
}

fn database() -> TestDb {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table t (id int primary key, v int, s int generated always as (v * 2) stored, w int generated always as (v * 3) virtual)");
    a.ok("create table log (id int, v int)");
    a.ok("insert into t values (1, 10), (2, 10), (3, 10)");
    db
}

#[test]
fn a_row_is_judged_again_in_its_part() {
    let db = database();
    let statement = "with x as (update t set v = v + 1 where v = 10 returning id, v, s, w) insert into log select id, v from x returning *";
    let mut rows = beside(&db, "update t set v = 20 where id = 2", statement);
    rows.sort();
    assert_eq!(rows, ["1|11", "3|11"]);
    let mut a = db.session();
    assert_eq!(a.rows("select id, v, s, w from t order by id"), ["1|11|22|33", "2|20|40|60", "3|11|22|33"]);
}

#[test]
fn it_is_changed_in_its_newest_version() {
    let db = database();
    let statement =
        "with x as (update t set v = v + 1 where w >= 30 returning id, v, s, w) select * from x order by id";
    let rows = beside(&db, "update t set v = 20 where id = 2", statement);
    assert_eq!(rows, ["1|11|22|33", "2|21|42|63", "3|11|22|33"]);
}

#[test]
fn the_snapshot_stays_that_of_the_statement() {
    let db = database();
    // The part that is read last began with the others: it does not see what was committed while the first one waited.
    let statement = "with x as (delete from t where id = 2 returning v) select (select sum(v) from x), (select sum(v) from t), (select count(*) from log)";
    let rows =
        beside(&db, "with a as (insert into log values (7, 7)) update t set v = 50 where id = 2", statement);
    assert_eq!(rows, ["50|30|0"]);
    let mut a = db.session();
    assert_eq!(a.rows("select id, v from t order by id"), ["1|10", "3|10"]);
}

#[test]
fn an_unread_part_waits_at_the_end() {
    let db = database();
    let rows = beside(
        &db,
        "delete from t where id = 3",
        "with x as (update t set v = 0 where id >= 2) insert into log values (1, 1) returning v",
    );
    assert_eq!(rows, ["1"]);
    let mut a = db.session();
    assert_eq!(a.rows("select id, v from t order by id"), ["1|10", "2|0"]);
}

#[test]
fn a_portal_with_a_row_limit_runs_all_parts() {
    let db = database();
    let mut a = db.session();
    let out = a
        .extended("with x as (update t set v = $1 returning id) select id from x", &[Some("5")])
        .expect("runs");
    assert_eq!(out.rows.len(), 3);
    assert_eq!(a.value("select count(*) from t where v = 5 and s = 10"), "3");
    db.check();
}

#[test]
fn a_conflict_on_a_computed_key_is_resolved_again() {
    let db = database();
    let statement = "insert into t (id, v) values (9, 20) on conflict (s) do update set v = t.v + 1 returning id, v, s, w";
    db.session().ok("update t set v = id * 100 where id <> 2");
    db.session().ok("create unique index on t (s)");
    let rows = beside(&db, "update t set v = 20 where id = 2", statement);
    assert_eq!(rows, ["2|21|42|63"]);
    db.check();
}

const MERGE: &str = "merge into t using (values (2, 5)) s(id, n) on t.id = s.id and t.v < 100 when matched and t.v = 10 then update set v = n when matched then update set v = t.v + n when not matched then insert (id, v) values (s.id + 100, n) returning merge_action(), t.id, t.v, s, w";

#[test]
fn merge_looks_at_its_clauses_anew() {
    let db = database();
    let statement = MERGE.replace("s, w", "t.s, t.w");
    assert_eq!(beside(&db, "update t set v = 20 where id = 2", &statement), ["UPDATE|2|25|50|75"]);
    // It matches no more.
    assert_eq!(beside(&db, "update t set v = 200 where id = 2", &statement), ["INSERT|102|5|10|15"]);
}

#[test]
fn merge_inserts_for_a_row_that_is_gone() {
    let db = database();
    let statement = MERGE.replace("s, w", "t.s, t.w");
    assert_eq!(beside(&db, "delete from t where id = 2", &statement), ["INSERT|102|5|10|15"]);
    db.check();
}
