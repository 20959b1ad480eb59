//! Rows that somebody else changed while a statement waited for them, under READ COMMITTED: the results are PostgreSQL 18's.

mod support;

use evenkeel_sql::Progress;
use std::thread;
use support::{Client, Output, TestDb};

/// `ta` has the rows (6, 10) and (7, 10), `ch` one row that refers to 6 and three that refer to 7.
fn families() -> (TestDb, Client) {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table ta (id int primary key, d int)");
    c.ok("create table ch (id int primary key, p int, x int)");
    c.ok("insert into ta values (6, 10), (7, 10)");
    c.ok("insert into ch values (61, 6, 0), (71, 7, 0), (72, 7, 1), (73, 7, 2)");
    (db, c)
}

/// Runs `waits` while `first` is uncommitted, then commits that; the tag and the rows of the one that waited.
fn race(db: &TestDb, a: &mut Client, first: &str, waits: &'static str) -> (String, Vec<String>) {
    let mut b = db.session();
    a.ok("begin");
    a.ok(first);
    let other = thread::spawn(move || {
        let out = b.ok(waits);
        let rows = out.rows.iter().map(|r| b.texts(r, &out.columns).join("|")).collect();
        (out.tag, rows)
    });
    while db.waiters() == 0 {
        assert!(!other.is_finished(), "{waits} does not wait for {first}");
        thread::yield_now();
    }
    a.ok("commit");
    other.join().unwrap()
}

fn check(first: &str, waits: &'static str, tag: &str, rows: &[&str], ta: &[&str]) {
    let (db, mut a) = families();
    let (got, given) = race(&db, &mut a, first, waits);
    assert_eq!((got.as_str(), given), (tag, rows.iter().map(|r| (*r).to_owned()).collect()), "{waits}");
    assert_eq!(a.rows("select id, d from ta order by id"), ta, "{waits}");
}

const SEVEN: &str = "update ta set d = 42 where id = 7";

#[test]
fn a_row_that_joins_several_is_judged_by_its_new_version_at_each_match() {
    let kept = ["6|11", "7|42"];
    check(
        SEVEN,
        "update ta set d = ta.d + 1 from ch where ch.p = ta.id and ta.d = 10",
        "UPDATE 1",
        &[],
        &kept,
    );
    check(SEVEN, "delete from ta using ch where ch.p = ta.id and ta.d = 10", "DELETE 1", &[], &["7|42"]);
    check(
        SEVEN,
        "update ta set d = ta.d + ch.x from ch where ch.p = ta.id and ch.x > 0 returning ta.id, ta.d, ch.id",
        "UPDATE 1",
        &["7|43|72"],
        &["6|10", "7|43"],
    );
    check(
        SEVEN,
        "delete from ta using ch where ch.p = ta.id and ta.d > 20 - ch.x * 10 returning ta.d, ch.x",
        "DELETE 1",
        &["42|2"],
        &["6|10"],
    );
}

#[test]
fn locked_rows_come_in_their_newest_version_at_each_match() {
    let rest = ["6|10", "7|42"];
    for sql in [
        "select ta.d, ch.id from ta join ch on ch.p = ta.id where ta.id = 7 order by ch.id for update",
        "select ta.d, ch.id from ta join ch on ch.p = ta.id where ta.id = 7 order by ch.id for share",
        "select ta.d, ch.id from ta, ch where ch.p = ta.id and ta.id = 7 order by ch.id for no key update of ta",
        "select ta.d, ch.id from ta left join ch on ch.p = ta.id where ta.id = 7 order by ch.id for update of ta",
    ] {
        check(SEVEN, sql, "SELECT 3", &["42|71", "42|72", "42|73"], &rest);
    }
    check(
        SEVEN,
        "select ta.d from ta join ch on ch.p = ta.id where ta.d = 10 for update of ta",
        "SELECT 1",
        &["10"],
        &rest,
    );
}

#[test]
fn other_relations_keep_the_versions_that_were_matched() {
    // Only the locked alias is read anew.
    check(
        SEVEN,
        "select a.d, b.d from ta a, ta b where a.id = b.id and a.id = 7 for update of a",
        "SELECT 1",
        &["42|10"],
        &["6|10", "7|42"],
    );
    check(
        SEVEN,
        "select a.d, b.d from ta a, ta b where a.id = b.id and a.id = 7 for update",
        "SELECT 1",
        &["42|42"],
        &["6|10", "7|42"],
    );
    check(
        SEVEN,
        "update ta set d = ta.d + o.d from ta o where o.id = ta.id and ta.id = 7",
        "UPDATE 1",
        &[],
        &["6|10", "7|52"],
    );
}

#[test]
fn the_outer_side_of_a_join_is_not_disturbed_by_a_newer_version() {
    let (db, mut a) = families();
    a.ok("create index ch_p on ch (p, x)");
    a.ok("analyze");
    let sql = "select ta.id, ta.d, ch.id from ta join ch on ch.p = ta.id and ch.x < ta.d order by ta.id, ch.id for update of ta";
    let (_, rows) = race(&db, &mut a, "update ta set d = 1 where id = 7", sql);
    assert_eq!(rows, ["6|10|61", "7|1|71"]);
}

#[test]
fn a_side_that_no_longer_matches_becomes_null() {
    check(
        "update ta set d = 1 where id = 7",
        "select ta.id, ta.d, ch.id from ta left join ch on ch.p = ta.id and ch.x < ta.d where ta.id = 7 order by ch.id for update of ta",
        "SELECT 3",
        &["7|1|71", "7|1|", "7|1|"],
        &["6|10", "7|1"],
    );
}

/// What stands under an outer join is there or missing as a whole: a relation of it that nothing is read of, or only a NULL, does not take its neighbours away.
#[test]
fn a_side_of_several_relations_is_there_though_nothing_is_read_of_one() {
    let around = [
        ("ta.d - 10", "ta left join (b cross join c) on c.id = ta.id", "6|32|42"),
        ("ta.d - 10", "ta left join (c cross join b) on c.id = ta.id", "6|32|42"),
        ("ta.d - 10", "ta left join (b join c on b.k is null) on c.id = ta.id", "6|32|42"),
        ("ta.d - 10", "ta left join (b left join c on c.id = 6) on true", "6|32|42"),
        ("ta.d - 10", "ta left join (c left join b on b.k = c.id) on c.id = ta.id", "6|32|42"),
        ("ta.d - 10", "ta join (b left join c on c.id = 7) on true", "6|32|"),
        ("ta.d - 10", "ta left join (b full join c on b.k = c.id) on c.id = ta.id", "6|32|42"),
    ];
    for (d, from, row) in around {
        let (db, mut a) = families();
        a.ok("create table b (k int)");
        a.ok("insert into b values (null)");
        a.ok("create table c (id int, x int)");
        a.ok("insert into c values (6, 42)");
        let sql = format!("select ta.id, {d}, c.x from {from} where ta.id = 6 for update of ta");
        let (_, rows) = race(&db, &mut a, "update ta set d = 42 where id = 6", String::leak(sql));
        assert_eq!(rows, [row], "{from}");
    }
    let (db, mut a) = families();
    a.ok("create table b (k int)");
    a.ok("insert into b values (null)");
    let waits = "update ta set d = ta.d + 1 from b full join (values (1)) v (k) on v.k = b.k where ta.id = 6 and v.k is null returning ta.d";
    assert_eq!(race(&db, &mut a, "update ta set d = 42 where id = 6", waits).1, ["43"]);
}

#[test]
fn inserted_rows_come_from_newest_versions() {
    let (db, mut a) = families();
    a.ok("create table log (d int, c int)");
    let sql =
        "insert into log select ta.d, ch.id from ta join ch on ch.p = ta.id where ta.id = 7 for update of ta";
    assert_eq!(race(&db, &mut a, SEVEN, sql).0, "INSERT 0 3");
    assert_eq!(a.rows("select d, c from log order by c"), ["42|71", "42|72", "42|73"]);
}

#[test]
fn subqueries_that_are_joins_keep_the_row_that_they_found() {
    let key = "update ta set id = 8 where id = 7";
    let (db, mut a) = families();
    a.ok("insert into ch values (81, 8, 0)");
    let moved = |tag: &str, sql: &'static str, first: &str, db: &TestDb, a: &mut Client| {
        assert_eq!(race(db, a, first, sql).0, tag, "{sql}");
    };
    // The row is now 8, and 8 has a child too, but not the one that was found.
    moved("UPDATE 1", "update ta set d = 11 where id in (select p from ch)", key, &db, &mut a);
    moved(
        "UPDATE 1",
        "update ta set d = 12 where exists (select 1 from ch where p = ta.id)",
        "update ta set id = 7 where id = 8",
        &db,
        &mut a,
    );
    // Values that the subquery does not read may change.
    moved(
        "UPDATE 2",
        "update ta set d = 13 where exists (select 1 from ch where p = ta.id)",
        SEVEN,
        &db,
        &mut a,
    );
    // NOT EXISTS found nothing, and is not asked again.
    a.ok("insert into ta values (9, 0)");
    moved(
        "DELETE 1",
        "delete from ta where not exists (select 1 from ch where p = ta.id)",
        "update ta set d = 1 where id = 9",
        &db,
        &mut a,
    );
    // Others are computed anew from the snapshot.
    moved(
        "UPDATE 0",
        "update ta set d = d + 1 where d < (select sum(x) from ch where p = ta.id) * 5",
        SEVEN,
        &db,
        &mut a,
    );
}

/// Of a subquery in FROM that is taken apart, or whose conditions are moved into it, the WHERE over it stands for other columns than it was written for.
#[test]
fn what_exists_finds_in_a_subquery_is_found_again() {
    let found = ["6|10", "7|43"];
    for waits in [
        "update ta set d = d + 1 where id = 7 and exists (select 1 from (select p from ch where x >= 0) s where s.p = ta.id) returning d",
        "update ta set d = d + 1 where id = 7 and exists (select 1 from (select p, count(*) from ch group by p) s where s.p = ta.id) returning d",
        "update ta set d = d + 1 where id = 7 and exists (select 1 from (select p, row_number() over (partition by p) n from ch) s where s.p = ta.id and s.n = 1) returning d",
        "update ta set d = d + 1 where id = 7 and exists (with w as (select p from ch) select 1 from w where w.p = ta.id) returning d",
        "update ta set d = d + 1 where id = 7 and exists (select 1 from ch left join ch c on c.p = ch.p where ch.p = ta.id) returning d",
        "update ta set d = d + 1 where id = 7 and exists (select 1 from (select p, x from ch) s where s.p = ta.id and exists (select 1 from ch where ch.x = s.x)) returning d",
        "update ta set d = ta.d + s.one from (select id, 1 as one from ta t where exists (select 1 from (select p from ch) c where c.p = t.id)) s where s.id = ta.id and ta.id = 7 returning ta.d",
    ] {
        check(SEVEN, waits, "UPDATE 1", &["43"], &found);
    }
    check(
        SEVEN,
        "update ta set d = d + 1 where id = 7 and exists (select 1 from (select p from ch) s where s.p = ta.id and ta.d = 10) returning d",
        "UPDATE 0",
        &[],
        &["6|10", "7|42"],
    );
}

#[test]
fn a_lock_reaches_into_a_subquery_in_from() {
    let rest = ["6|10", "7|42"];
    for sql in [
        "select s.d from (select id, d from ta where d > 0) s where s.id = 7 for update",
        "select s.d from (select * from (select id, d from ta) i) s, ch where ch.id = 71 and s.id = ch.p for share of s",
    ] {
        check(SEVEN, sql, "SELECT 1", &["42"], &rest);
    }
    check(
        SEVEN,
        "select s.d from (select id, d from ta) s, ta o where o.id = 7 and s.id = 7 for update of o",
        "SELECT 1",
        &["10"],
        &rest,
    );
    let (_db, mut a) = families();
    assert_eq!(a.err("select * from (select d from ta group by d) s for update"), "0A000");
    let sql = "select ta.id from (select d from ta group by d) s, ta for update of ta";
    assert_eq!(a.ok(sql).tag, "SELECT 2", "a subquery that is not named stays as it is");
}

#[test]
fn a_row_locked_by_a_subquery_is_changed_in_its_newest_version() {
    check(
        SEVEN,
        "update ta set d = d + 1 where id in (select id from ta where id = 7 for update)",
        "UPDATE 1",
        &[],
        &["6|10", "7|43"],
    );
}

#[test]
fn under_repeatable_read_children_that_came_or_went_since_count() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    for (action, came) in [("", "23503"), (" on delete set null", "40001")] {
        a.ok("drop table if exists c; drop table if exists p");
        a.ok("create table p (id int primary key)");
        a.ok(&format!("create table c (id int primary key, p int references p{action})"));
        a.ok("insert into p values (1), (2), (3)");
        a.ok("insert into c values (11, 1), (12, 1), (31, 3)");
        for change in ["insert into c values (13, 1)", "update c set p = 1 where id = 31"] {
            b.ok("begin isolation level repeatable read");
            b.ok("select * from p");
            a.ok(change);
            assert_eq!(b.err("delete from p where id = 1"), came, "{action} {change}");
            b.ok("rollback");
        }
        a.ok("delete from c where id in (12, 13, 31)");
        b.ok("begin isolation level repeatable read");
        b.ok("select * from p");
        a.ok("update c set p = 2 where id = 11");
        assert_eq!(b.ok("delete from p where id = 1").tag, "DELETE 1", "{action}");
        b.ok("rollback");
    }
}

#[test]
fn under_repeatable_read_a_parent_that_is_not_seen_is_none() {
    let (db, mut a) = families();
    a.ok("delete from ch; alter table ch add foreign key (p) references ta");
    let mut b = db.session();
    b.ok("begin isolation level repeatable read");
    b.ok("select * from ta");
    a.ok("insert into ta values (8, 0)");
    assert_eq!(b.err("insert into ch values (81, 8, 0)"), "23503");
    b.ok("rollback");
    b.ok("begin isolation level repeatable read");
    b.ok("insert into ta values (9, 0)");
    b.ok("insert into ch values (91, 9, 0)");
    a.ok("delete from ta where id = 8");
    assert_eq!(b.err("insert into ch values (81, 8, 0)"), "40001", "it sees the parent, which is gone");
    b.ok("rollback");
}

#[test]
fn other_failures_of_a_statement_come_before_a_missing_parent() {
    let (_db, mut a) = families();
    a.ok("alter table ch add foreign key (p) references ta");
    assert_eq!(a.err("insert into ch values (90, 99, 0), (61, 6, 0)"), "23505");
    assert_eq!(a.err("insert into ch values (90, 99, 0), (91, 6, 0)"), "23503");
    assert_eq!(a.value("select count(*) from ch"), "4");
}

#[test]
fn other_failures_of_a_statement_come_before_a_parent_that_has_changed() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("create table p (id int primary key)");
    a.ok("create table c (id int primary key, p int references p)");
    a.ok("insert into p values (1), (2); insert into c values (11, 1), (12, 1)");
    b.ok("begin isolation level repeatable read");
    b.ok("select * from p");
    a.ok("update p set id = 3 where id = 2; delete from c where id = 12");
    let mut told = |sql: &str| {
        b.ok("savepoint s");
        let e = b.simple(sql, "").err().unwrap();
        b.ok("rollback to s");
        e.message.to_string()
    };
    let text = "could not serialize access due to concurrent";
    assert!(told("insert into c values (21, 2), (11, 1)").contains("duplicate key"));
    assert_eq!(told("update c set p = 2 where id in (11, 12)"), format!("{text} delete"));
    assert_eq!(told("insert into c values (21, 2)"), format!("{text} update"));
}

#[test]
fn under_repeatable_read_nothing_is_not_done_because_of_a_row_that_is_not_seen() {
    let (db, mut a) = families();
    let mut b = db.session();
    for (change, id) in [("insert into ta values (8, 0)", 8), ("update ta set d = 11 where id = 6", 6)] {
        b.ok("begin isolation level repeatable read");
        b.ok("select * from ta");
        a.ok(change);
        let sql = format!("insert into ta values ({id}, 1) on conflict do nothing");
        assert_eq!(b.err(&sql), "40001", "{change}");
        b.ok("rollback");
        b.ok("begin isolation level repeatable read");
        assert_eq!(b.ok(&sql).tag, "INSERT 0 0");
        b.ok("commit");
    }
}

#[test]
fn a_row_that_went_is_told_from_one_that_changed() {
    let (db, mut a) = families();
    let mut b = db.session();
    let mut told = |change: &str| {
        b.ok("begin isolation level repeatable read");
        b.ok("select * from ta");
        a.ok(change);
        let e = b.simple("update ta set d = 0 where id = 7", "").err().unwrap();
        b.ok("rollback");
        (e.code.as_str().to_owned(), e.message.to_string())
    };
    let text =
        |word: &str| ("40001".to_owned(), format!("could not serialize access due to concurrent {word}"));
    assert_eq!(told("update ta set d = 1 where id = 7"), text("update"));
    assert_eq!(told("delete from ta where id = 7"), text("delete"));
}

#[test]
fn cascades_and_checks_follow_rows_that_change_meanwhile() {
    let (db, mut a) = families();
    a.ok("alter table ch add foreign key (p) references ta on delete cascade");
    let (tag, _) = race(&db, &mut a, "update ch set p = 6 where id = 71", "delete from ta where id = 7");
    assert_eq!(tag, "DELETE 1");
    assert_eq!(a.rows("select id, p from ch order by id"), ["61|6", "71|6"]);
    a.ok("create table g (id int primary key, c int references ch)");
    a.ok("insert into g values (1, 61)");
    assert_eq!(race(&db, &mut a, "delete from g", "delete from ch where id = 61").0, "DELETE 1");
}

/// Runs a statement that waits outside of the call, and goes on once `a` has committed.
fn outside(db: &TestDb, a: &mut Client, meanwhile: &str, sql: &str) -> Output {
    let mut b = db.session();
    b.interrupt.set_on_nudge(Box::new(|| {}));
    b.session.set_may_wait_outside(true);
    let stmt = b.session.parse_script(sql).unwrap().pop().unwrap();
    let mut portal = b.session.bind(&stmt, Vec::new()).unwrap();
    let mut out = Output::of(&portal);
    assert!(matches!(b.session.run(&mut portal, 0, &mut out).unwrap(), Progress::Waits));
    assert!(matches!(b.session.run(&mut portal, 0, &mut out).unwrap(), Progress::Waits), "still");
    a.ok(meanwhile);
    a.ok("commit");
    // The simple protocol has another portal by then.
    let mut portal = b.session.bind(&stmt, Vec::new()).unwrap();
    let Progress::Done(tag) = b.session.run(&mut portal, 0, &mut out).unwrap() else {
        panic!("it is not done");
    };
    out.tag = tag.to_string();
    b.session.sync().unwrap();
    out
}

#[test]
fn a_statement_that_waits_outside_keeps_its_snapshot() {
    let (db, mut a) = families();
    a.ok("begin");
    a.ok("update ta set d = d + 10");
    assert_eq!(
        outside(&db, &mut a, "insert into ta values (8, 10), (5, 20)", "delete from ta where d = 10").tag,
        "DELETE 0"
    );
    assert_eq!(a.rows("select id, d from ta order by id"), ["5|20", "6|20", "7|20", "8|10"]);
    a.ok("begin");
    a.ok("update ta set d = d + 10 where id = 6");
    let sql = "update ta set d = ta.d + 1 from ch where ch.p = ta.id and ta.d = 20";
    assert_eq!(outside(&db, &mut a, "update ta set d = 20 where id = 8", sql).tag, "UPDATE 1");
    assert_eq!(a.rows("select id, d from ta order by id"), ["5|20", "6|30", "7|21", "8|20"]);
}

#[test]
fn a_sequence_is_asked_once_although_the_row_waited_outside() {
    let (db, mut a) = families();
    a.ok("create table k (n serial, u int unique)");
    a.ok("begin");
    a.ok("insert into k (u) values (1)");
    let out = outside(&db, &mut a, "delete from k", "insert into k (u) values (1) on conflict do nothing");
    assert_eq!(out.tag, "INSERT 0 1");
    assert_eq!(a.rows("select n, u from k"), ["2|1"]);
}

#[test]
fn a_failed_wait_outside_is_forgotten() {
    let (db, mut a) = families();
    a.ok("begin");
    a.ok(SEVEN);
    let mut b = db.session();
    b.interrupt.set_on_nudge(Box::new(|| {}));
    b.session.set_may_wait_outside(true);
    let stmt = b.session.parse_script("delete from ta where id = 7").unwrap().pop().unwrap();
    let mut portal = b.session.bind(&stmt, Vec::new()).unwrap();
    let mut out = Output::of(&portal);
    assert!(matches!(b.session.run(&mut portal, 0, &mut out).unwrap(), Progress::Waits));
    b.interrupt.cancel();
    assert_eq!(b.session.run(&mut portal, 0, &mut out).err().unwrap().code.as_str(), "57014");
    b.session.fail();
    b.session.sync().unwrap();
    b.interrupt.clear();
    a.ok("rollback");
    b.session.set_may_wait_outside(false);
    assert_eq!(b.ok("update ta set d = 5 where id = 7").tag, "UPDATE 1");
}

#[test]
fn the_old_version_that_is_returned_is_the_one_that_was_waited_for() {
    check(
        SEVEN,
        "update ta set d = ta.d + 1 where id = 7 returning old.d, new.d, old, new",
        "UPDATE 1",
        &["42|43|(7,42)|(7,43)"],
        &["6|10", "7|43"],
    );
    check(
        SEVEN,
        "delete from ta using ch where ch.p = ta.id and ta.id = 7 and ch.x = 0 returning old.d, new.d, old",
        "DELETE 1",
        &["42||(7,42)"],
        &["6|10"],
    );
    check(
        SEVEN,
        "insert into ta values (7, 1) on conflict (id) do update set d = ta.d + excluded.d returning old.d, new.d",
        "INSERT 0 1",
        &["42|43"],
        &["6|10", "7|43"],
    );
    check(
        SEVEN,
        "merge into ta using (values (7)) y(i) on ta.id = y.i when matched then update set d = ta.d + 1 returning old.d, new.d",
        "MERGE 1",
        &["42|43"],
        &["6|10", "7|43"],
    );
    check(
        "delete from ta where id = 7",
        "merge into ta using (values (7)) y(i) on ta.id = y.i when matched then delete when not matched then insert values (i, 1) returning merge_action(), old.d, new.d",
        "MERGE 1",
        &["INSERT||1"],
        &["6|10", "7|1"],
    );
}

#[test]
fn rows_that_the_source_lacks_stay_such_rows_in_their_new_version() {
    // Judged by the clauses again, but not joined again.
    check(
        SEVEN,
        "merge into ta using (values (6)) y(i) on ta.id = y.i when not matched by source and ta.d > 40 then update set d = ta.d + 1 when not matched by source then delete returning merge_action(), old.d, new.d",
        "MERGE 1",
        &["UPDATE|42|43"],
        &["6|10", "7|43"],
    );
    check(
        SEVEN,
        "merge into ta using (values (6)) y(i) on ta.id = y.i when not matched by source and ta.d = 10 then delete",
        "MERGE 0",
        &[],
        &["6|10", "7|42"],
    );
    check(
        SEVEN,
        "merge into ta using (values (10), (42)) y(i) on ta.id = 7 and ta.d = y.i + 1 when not matched by source and ta.id = 7 then delete returning y.i, old.d",
        "MERGE 1",
        &["|42"],
        &["6|10"],
    );
    check(
        SEVEN,
        "merge into ta using (values (42)) y(i) on ta.d = y.i when matched then delete when not matched by source and ta.id = 7 then update set d = ta.d + 100",
        "MERGE 1",
        &[],
        &["6|10", "7|142"],
    );
}

#[test]
fn a_match_that_is_none_any_more_becomes_two_rows_without_a_match() {
    check(
        "update ta set id = 8 where id = 7",
        "merge into ta using (values (6), (7)) y(i) on ta.id = y.i when matched then update set d = 0 when not matched by source then update set d = 1 when not matched then insert values (y.i, 2) returning merge_action(), y.i, old, new",
        "MERGE 3",
        &["UPDATE|6|(6,10)|(6,0)", "UPDATE|7|(8,10)|(8,1)", "INSERT|7||(7,2)"],
        &["6|0", "7|2", "8|1"],
    );
    check(
        "update ta set id = 8 where id = 7",
        "merge into ta using (values (6), (7)) y(i) on ta.id = y.i when matched then update set d = 0 when not matched by source then delete returning merge_action(), y.i, old, new",
        "MERGE 2",
        &["UPDATE|6|(6,10)|(6,0)", "DELETE|7|(8,10)|"],
        &["6|0"],
    );
    check(
        "delete from ta where id = 7",
        "merge into ta using (values (6), (7)) y(i) on ta.id = y.i when matched then update set d = 0 when not matched by source then delete when not matched then insert values (y.i, 2)",
        "MERGE 2",
        &[],
        &["6|0", "7|2"],
    );
    check(
        "delete from ta where id = 7",
        "merge into ta using (values (6)) y(i) on ta.id = y.i when not matched by source then delete",
        "MERGE 0",
        &[],
        &["6|10"],
    );
}

#[test]
fn a_row_version_that_was_read_is_not_that_of_a_row_changed_since() {
    // The value is the same again; whose it is is not.
    const CHANGED: &str = "update ta set d = 10 where id = 7";
    let (db, mut a) = families();
    a.ok("create table read (id int, version xid)");
    for (waits, tag, rows) in [
        (
            "update ta set d = 1 from read r where r.id = ta.id and ta.xmin = version and ta.id = 7",
            "UPDATE 0",
            &[][..],
        ),
        ("delete from ta where id = 7 and xmin = (select version from read where id = 7)", "DELETE 0", &[]),
        (
            "insert into ta values (7, 1) on conflict (id) do update set d = 1
             where ta.xmin = (select version from read where id = 7)",
            "INSERT 0 0",
            &[],
        ),
        (
            "merge into ta using read r on r.id = ta.id and r.id = 7
             when matched and ta.xmin = version then update set d = 1",
            "MERGE 0",
            &[],
        ),
        // Who takes the row as it has become sees whose that is.
        (
            "update ta set d = d + 1 where id = 7 returning d, xmin = pg_current_xact_id()::xid",
            "UPDATE 1",
            &["11|t"],
        ),
        (
            "select ta.xmin = version from ta join read r on r.id = ta.id where ta.id = 7 for update of ta",
            "SELECT 1",
            &["f"],
        ),
    ] {
        a.ok("delete from read");
        a.ok("insert into read select id, xmin from ta");
        let rows = rows.iter().map(|r| (*r).to_owned()).collect();
        assert_eq!(race(&db, &mut a, CHANGED, waits), (tag.to_owned(), rows), "{waits}");
    }
}
