//! Sessions that wait for one another: row locks, re-evaluation under READ COMMITTED, refusal under REPEATABLE READ, deadlocks, table locks.

mod support;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use support::{Client, TestDb, started};

/// Runs a statement on a thread of its own; the client comes back with the outcome: the command tag or the SQLSTATE.
fn start(mut client: Client, sql: &'static str) -> mpsc::Receiver<(Client, Result<String, String>)> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let outcome = match client.simple(sql, "") {
            Ok(mut out) => Ok(out.pop().map(|o| o.tag).unwrap_or_default()),
            Err(e) => Err(e.code.as_str().to_owned()),
        };
        let _ = send.send((client, outcome));
    });
    receive
}

/// Waits until a statement waits for a row; it must not end instead.
fn until_waiting(db: &TestDb, outcome: &mpsc::Receiver<(Client, Result<String, String>)>) {
    while db.waiters() == 0 {
        if let Ok((_, ended)) = outcome.try_recv() {
            panic!("it does not wait: {ended:?}");
        }
        thread::yield_now();
    }
}

/// Waits until a session waits for another: its statement is active and stays so.
fn until_active(observer: &mut Client, text: &str) {
    let sql =
        format!("select count(*) from pg_stat_activity where state = 'active' and query like '{text}%'");
    while observer.value(&sql) != "1" {
        thread::yield_now();
    }
}

fn accounts(rows: &str) -> (TestDb, Client) {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, v int, k int)");
    c.ok(&format!("insert into t values {rows}"));
    (db, c)
}

#[test]
fn an_update_waits_and_is_applied_to_the_new_version() {
    let (db, mut a) = accounts("(1, 10, 0)");
    a.ok("begin");
    a.ok("update t set v = v + 1 where id = 1");
    let other = start(db.session(), "update t set v = v * 2 where id = 1");
    until_active(&mut a, "update t set v = v * 2");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Ok("UPDATE 1".into()));
    assert_eq!(a.value("select v from t"), "22");
}

#[test]
fn a_row_that_no_longer_qualifies_is_left_alone() {
    let (db, mut a) = accounts("(1, 10, 0), (2, 10, 0)");
    a.ok("begin");
    a.ok("update t set v = 99 where id = 1");
    let other = start(db.session(), "update t set k = 1 where v = 10");
    until_active(&mut a, "update t set k");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Ok("UPDATE 1".into()));
    assert_eq!(a.rows("select id, v, k from t order by id"), ["1|99|0", "2|10|1"]);
}

#[test]
fn a_deleted_row_is_not_updated() {
    let (db, mut a) = accounts("(1, 10, 0)");
    a.ok("begin");
    a.ok("delete from t where id = 1");
    let other = start(db.session(), "update t set v = 5 where id = 1");
    until_active(&mut a, "update t set v = 5");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Ok("UPDATE 0".into()));
}

#[test]
fn an_index_follows_a_row_whose_key_changed_meanwhile() {
    let (db, mut a) = accounts("(1, 10, 0)");
    a.ok("create index t_k on t (k)");
    a.ok("begin");
    a.ok("update t set k = 5 where id = 1");
    let other = start(db.session(), "update t set k = k + 1 where id = 1");
    until_active(&mut a, "update t set k = k");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Ok("UPDATE 1".into()));
    assert_eq!(a.rows("select id from t where k = 6"), ["1"]);
    assert!(a.rows("select id from t where k = 5").is_empty());
    assert!(a.rows("select id from t where k = 0").is_empty());
}

#[test]
fn repeatable_read_refuses_a_row_changed_meanwhile() {
    let (db, mut a) = accounts("(1, 10, 0)");
    let mut b = db.session();
    b.ok("begin isolation level repeatable read");
    assert_eq!(b.value("select v from t"), "10");
    a.ok("update t set v = 11");
    assert_eq!(b.value("select v from t"), "10");
    assert_eq!(b.err("update t set v = 12"), "40001");
    b.ok("rollback");
}

#[test]
fn for_update_gives_the_newest_version() {
    let (db, mut a) = accounts("(1, 10, 0)");
    a.ok("begin");
    a.ok("update t set v = 77 where id = 1");
    let (send, receive) = mpsc::channel();
    let mut b = db.session();
    let waiter = thread::spawn(move || {
        b.ok("begin");
        send.send(()).unwrap();
        b.value("select v from t where id = 1 for update")
    });
    receive.recv().unwrap();
    until_active(&mut a, "select v from t where id = 1 for update");
    a.ok("commit");
    assert_eq!(waiter.join().unwrap(), "77");
}

/// A rollback of much does not keep its session waiting: nobody sees anything of what is still to be undone, and whoever writes the same rows waits for that.
#[test]
fn much_is_undone_beside_the_session() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table t (id int primary key, v int)");
    a.ok("insert into t select g, 0 from generate_series(1, 150000) g");
    for how in ["rollback", "an error", "an error outside of a transaction"] {
        match how {
            "rollback" => {
                a.ok("begin");
                a.ok("update t set v = v + 1");
                a.ok("insert into t select g, 0 from generate_series(150001, 200000) g");
                a.ok("rollback");
            }
            "an error" => {
                a.ok("begin");
                a.ok("delete from t where id > 1");
                assert_eq!(a.err("select 1 / 0"), "22012");
            }
            _ => assert_eq!(a.err("update t set v = 7 / (150000 - id)"), "22012"),
        }
        // The first row that was written is the last one to be put back.
        let mut b = db.session();
        let row = if how == "an error" { 2 } else { 1 };
        let locked = format!("select v from t where id = {row} for update nowait");
        assert_eq!(b.err(&locked), "55P03", "{how}: it is still being undone");
        if how == "an error" {
            assert_eq!(a.err("select 1"), "25P02");
            a.ok("rollback");
        }
        assert_eq!(a.rows("select count(*), sum(v) from t"), ["150000|0"], "{how}: nothing of it is seen");
        a.ok(&format!("update t set v = 5 where id = {row}"));
        assert_eq!(b.value(&locked), "5", "{how}: it was waited for");
        a.ok("update t set v = 0");
    }
    a.ok("begin");
    a.ok("update t set v = 9");
    a.ok("rollback");
    drop(a);
    let db = db.reopen();
    assert_eq!(
        db.session().rows("select count(*), sum(v) from t"),
        ["150000|0"],
        "the end of the database came between"
    );
}

/// A statement that fails behind a savepoint answers at once, however much it changed; going back to the savepoint waits, giving up everything does not.
#[test]
fn much_behind_a_savepoint_is_undone_beside_the_session() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table t (id int primary key, v int)");
    a.ok("insert into t select g, 0 from generate_series(1, 150000) g");
    let mut b = db.session();
    let first = "select v from t where id = 1 for update nowait";
    for whole in [false, true] {
        a.ok("begin");
        a.ok(if whole { "insert into t values (-5, 0)" } else { "insert into t values (0, 0)" });
        a.ok("savepoint s");
        assert_eq!(a.err("update t set v = 7 / (150000 - id) where id > 0"), "22012");
        assert_eq!(b.err(first), "55P03", "it is still being undone");
        assert_eq!(a.err("select 1"), "25P02");
        if whole {
            a.ok("rollback");
            assert_eq!(b.err(first), "55P03", "nobody waited for it");
            assert_eq!(a.rows("select count(*), sum(v) from t"), ["150001|0"]);
        } else {
            a.ok("rollback to s");
            b.ok(first);
            assert_eq!(b.rows("select count(*) from t"), ["150000"]);
            a.ok("update t set v = v + 1 where id = 1");
            assert_eq!(a.rows("select count(*), sum(v) from t"), ["150001|1"]);
            a.ok("update t set v = v - 1 where id = 1");
            a.ok("commit");
        }
    }
    b.ok("update t set v = 0 where id = 1");
    assert_eq!(a.rows("select count(*), sum(v) from t"), ["150001|0"]);
    // The session goes while it is undone.
    a.ok("begin");
    a.ok("insert into t values (-1, 0)");
    a.ok("savepoint s");
    assert_eq!(a.err("update t set v = 7 / (150000 - id) where id > 0"), "22012");
    drop(a);
    b.ok("insert into t values (-1, 1)");
    assert_eq!(b.rows("select count(*), sum(v) from t"), ["150002|1"]);
}

/// The same of definitions: their locks go at once, and whoever defines the same table meets rows that are still being put back, or trees that are.
#[test]
fn definitions_are_undone_beside_the_session() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table t (id int primary key, v int)");
    a.ok("insert into t select g, g from generate_series(1, 60000) g");
    let mut b = db.session();
    let undone = [
        "alter table t add column w int default 7 + (random() * 0)::int",
        "alter table t alter v type text",
        "create index i on t (v); update t set v = v + 1",
        "truncate t; insert into t select g, 0 from generate_series(1, 20000) g",
    ];
    let then = [
        "alter table t add column w int default 8; alter table t drop column w",
        "alter table t alter v type bigint; alter table t alter v type int",
        "create index i on t (v); drop index i",
        "alter table t rename v to x; alter table t rename x to v",
        "update t set v = v + 1; update t set v = v - 1",
    ];
    for sql in undone {
        for (n, next) in then.into_iter().enumerate() {
            a.ok("begin");
            a.simple(sql, "").unwrap();
            let catalog_is_locked = n == 0 && sql.starts_with("alter table t add");
            a.ok("rollback");
            if catalog_is_locked {
                let row = "select v from t where id = 1 for update nowait";
                assert_eq!(b.err(row), "55P03", "{sql}: it is still being undone");
            }
            let by = if n % 2 == 0 { &mut a } else { &mut b };
            for s in next.split("; ") {
                by.ok(s);
            }
            assert_eq!(b.rows("select count(*), sum(v) from t"), ["60000|1800030000"], "{sql}; {next}");
            assert_eq!(a.rows("select * from t where id = 9"), ["9|9"], "{sql}; {next}");
        }
    }
    a.ok("begin");
    a.ok("alter table t add column w int default 7 + (random() * 0)::int");
    a.ok("rollback");
    b.ok("drop table t");
    a.ok("create table t (id int)");
    drop((a, b));
    let db = db.reopen();
    assert_eq!(db.session().rows("select count(*) from t"), ["0"]);
}

/// The parents of a new foreign key are judged as they are once their table is locked, whatever the statement had to wait for.
#[test]
fn a_new_foreign_key_sees_what_happened_while_it_waited() {
    let alone = "alter table c add foreign key (p) references t";
    // These read before they wait for the other table.
    let second = "alter table c add check (p > 0), add foreign key (p) references t";
    let column = "alter table c add q int default 2 references t";
    for (isolation, sql) in [
        ("read committed", alone),
        ("read committed", second),
        ("read committed", column),
        ("repeatable read", alone),
        ("repeatable read", second),
    ] {
        let (db, mut a) = accounts("(1, 1, 1), (2, 2, 2)");
        a.ok("create table c (id int primary key, p int)");
        a.ok("insert into c values (1, 2)");
        a.ok("begin");
        a.ok("delete from t where id = 2");
        let mut b = db.session();
        b.ok(&format!("set default_transaction_isolation = '{isolation}'"));
        let other = start(b, sql);
        until_active(&mut a, "alter table c add");
        a.ok("commit");
        let (b, outcome) = other.recv().unwrap();
        assert_eq!(outcome, Err("23503".into()), "{isolation}: {sql}");
        a.ok("begin");
        a.ok("insert into t values (2, 2, 2)");
        let other = start(b, sql);
        until_active(&mut a, "alter table c add");
        a.ok("commit");
        let (_, outcome) = other.recv().unwrap();
        assert_eq!(outcome, Ok("ALTER TABLE".into()), "{isolation}: {sql}");
    }
}

#[test]
fn of_two_sessions_in_a_deadlock_one_gives_way() {
    let (db, mut a) = accounts("(1, 0, 0), (2, 0, 0)");
    let mut b = db.session();
    a.ok("begin");
    b.ok("begin");
    a.ok("update t set v = 1 where id = 1");
    b.ok("update t set v = 1 where id = 2");
    let other = start(b, "update t set v = 2 where id = 1");
    let mine =
        a.simple("update t set v = 2 where id = 2", "").map(|_| ()).map_err(|e| e.code.as_str().to_owned());
    a.ok("rollback");
    let theirs = other.recv().unwrap().1;
    let victims = [mine == Err("40P01".into()), theirs == Err("40P01".into())];
    assert_eq!(victims.iter().filter(|v| **v).count(), 1, "{mine:?} {theirs:?}");
}

#[test]
fn a_duplicate_key_waits_for_the_one_who_inserted_it() {
    let (db, mut a) = accounts("(1, 0, 0)");
    a.ok("begin");
    a.ok("insert into t values (5, 0, 0)");
    let other = start(db.session(), "insert into t values (5, 1, 1)");
    until_active(&mut a, "insert into t values (5, 1");
    a.ok("rollback");
    assert_eq!(other.recv().unwrap().1, Ok("INSERT 0 1".into()));
    a.ok("begin");
    a.ok("insert into t values (6, 0, 0)");
    let other = start(db.session(), "insert into t values (6, 1, 1)");
    until_active(&mut a, "insert into t values (6, 1");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Err("23505".into()));
}

#[test]
fn on_conflict_do_update_sees_a_row_committed_meanwhile() {
    let (db, mut a) = accounts("(1, 0, 0)");
    a.ok("begin");
    a.ok("insert into t values (5, 100, 0)");
    let other = start(
        db.session(),
        "insert into t values (5, 1, 1) on conflict (id) do update set v = t.v + excluded.v",
    );
    until_active(&mut a, "insert into t values (5, 1");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Ok("INSERT 0 1".into()));
    assert_eq!(a.value("select v from t where id = 5"), "101");
}

#[test]
fn a_parent_cannot_go_while_a_child_is_being_inserted() {
    let (db, mut a) = accounts("(1, 0, 0)");
    a.ok("create table c (id int primary key, t_id int references t)");
    a.ok("begin");
    a.ok("insert into c values (1, 1)");
    let other = start(db.session(), "delete from t where id = 1");
    until_active(&mut a, "delete from t");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Err("23503".into()));
    // An update that keeps the key does not wait for a child.
    a.ok("begin");
    a.ok("insert into c values (2, 1)");
    let mut b = db.session();
    b.ok("set lock_timeout = '1s'");
    b.ok("update t set v = 5 where id = 1");
    a.ok("commit");
}

#[test]
fn a_child_cannot_come_while_its_parent_is_being_deleted() {
    let (db, mut a) = accounts("(1, 0, 0)");
    a.ok("create table c (id int primary key, t_id int references t)");
    a.ok("begin");
    a.ok("delete from t where id = 1");
    let other = start(db.session(), "insert into c values (1, 1)");
    until_active(&mut a, "insert into c");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Err("23503".into()));
}

#[test]
fn a_parent_deleted_under_an_old_snapshot_is_refused_when_it_has_children() {
    let (db, mut a) = accounts("(1, 0, 0)");
    a.ok("create table c (id int primary key, t_id int references t)");
    let mut b = db.session();
    b.ok("begin isolation level repeatable read");
    assert_eq!(b.value("select count(*) from t"), "1");
    a.ok("insert into c values (1, 1)");
    assert!(["40001", "23503"].contains(&b.err("delete from t where id = 1").as_str()));
    b.ok("rollback");
}

#[test]
fn definitions_wait_for_writers_and_writers_for_definitions() {
    let (db, mut a) = accounts("(1, 0, 0)");
    a.ok("begin");
    a.ok("insert into t values (2, 0, 0)");
    let other = start(db.session(), "create index t_v on t (v)");
    until_active(&mut a, "create index");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Ok("CREATE INDEX".into()));
    assert_eq!(a.value("select count(*) from t where v = 0"), "2");
    a.ok("begin");
    a.ok("alter table t add column w int default 4");
    let other = start(db.session(), "insert into t values (3, 0, 0)");
    until_active(&mut a, "insert into t values (3");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Ok("INSERT 0 1".into()));
    assert_eq!(a.rows("select id, w from t order by id"), ["1|4", "2|4", "3|4"]);
}

#[test]
fn an_index_younger_than_a_snapshot_is_not_read_through_it() {
    let (db, mut a) = accounts("(1, 7, 0)");
    let mut b = db.session();
    b.ok("begin isolation level repeatable read");
    assert_eq!(b.value("select count(*) from t"), "1");
    a.ok("update t set v = 8");
    a.ok("create index t_v on t (v)");
    assert_eq!(b.rows("select id from t where v = 7"), ["1"]);
    assert!(b.rows("select id from t where v = 8").is_empty());
    b.ok("commit");
    assert_eq!(b.rows("select id from t where v = 8"), ["1"]);
}

#[test]
fn two_sessions_create_a_table_of_one_name_one_after_the_other() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("begin");
    a.ok("create table same (a int)");
    let other = start(db.session(), "create table same (b int)");
    until_active(&mut a, "create table same (b");
    a.ok("commit");
    assert_eq!(other.recv().unwrap().1, Err("42P07".into()));
}

#[test]
fn a_cancel_ends_a_wait() {
    let (db, mut a) = accounts("(1, 0, 0)");
    a.ok("begin");
    a.ok("update t set v = 1");
    let b = db.session();
    let interrupt = b.interrupt.clone();
    let other = start(b, "update t set v = 2");
    until_active(&mut a, "update t set v = 2");
    interrupt.cancel();
    assert_eq!(other.recv().unwrap().1, Err("57014".into()));
}

#[test]
fn transfers_from_many_sessions_keep_the_sum() {
    let (db, mut a) = accounts("(1, 100, 0), (2, 100, 0), (3, 100, 0), (4, 100, 0)");
    let workers: Vec<_> = (0..4)
        .map(|w| {
            let mut c = db.session();
            thread::spawn(move || {
                for n in 0..50 {
                    let (x, y) = ((w + n) % 4 + 1, (w + 3 * n + 1) % 4 + 1);
                    c.ok("begin");
                    let moved = c
                        .simple(&format!("update t set v = v - 1 where id = {x}"), "")
                        .and_then(|_| c.simple(&format!("update t set v = v + 1 where id = {y}"), ""));
                    c.ok(if moved.is_ok() { "commit" } else { "rollback" });
                }
            })
        })
        .collect();
    workers.into_iter().for_each(|w| w.join().unwrap());
    assert_eq!(a.value("select sum(v) from t"), "400");
}

#[test]
fn an_index_is_not_built_from_an_old_snapshot() {
    let (db, mut a) = accounts("(1, 7, 0)");
    let mut b = db.session();
    b.ok("begin isolation level repeatable read");
    assert_eq!(b.value("select count(*) from t"), "1");
    a.ok("insert into t values (2, 8, 0)");
    b.ok("create index t_v on t (v)");
    assert_eq!(b.rows("select id from t where v > 0"), ["1"]);
    b.ok("create table own (a int)");
    b.ok("insert into own values (1)");
    b.ok("create index own_a on own (a)");
    b.ok("commit");
    assert_eq!(a.rows("select id from t where v = 8"), ["2"]);
    assert_eq!(a.rows("select a from own where a = 1"), ["1"]);
}

#[test]
fn a_wait_longer_than_lock_timeout_is_given_up() {
    let (db, mut a) = accounts("(1, 7, 0)");
    a.ok("begin");
    a.ok("update t set v = 8");
    let mut b = db.session();
    b.ok("set lock_timeout = '10ms'");
    assert_eq!(b.err("update t set v = 9"), "55P03");
    assert_eq!(b.err("alter table t add w int"), "55P03");
    a.ok("rollback");
    b.ok("begin read only");
    assert_eq!(b.err("select v from t for update"), "25006");
    b.ok("rollback");
}

#[test]
fn a_count_by_key_does_not_wait_for_another_change_to_be_durable_but_values_do() {
    let (db, mut a) = accounts("(1, 10, 0), (2, 20, 0)");
    let mut b = db.session();
    a.ok("update t set v = 11 where id = 1");
    let first = a.session.reply().local();
    b.ok("begin");
    b.ok("update t set v = v + 1 where id = 1");
    assert!(b.session.reply().local() < first, "a count by key");
    b.ok("update t set v = v + 1 where id = 1 and v > 0");
    assert!(b.session.reply().local() >= first, "the count depends on the value");
    b.ok("commit");
    let mut c = db.session();
    c.ok("begin");
    c.ok("update t set v = v + 1 where id = 1");
    assert!(c.session.reply().local() < first);
    assert_eq!(c.value("select v from t where id = 1"), "14");
    assert!(c.session.reply().local() >= b.session.reply().local(), "its own value rests on the others'");
}

#[test]
fn an_update_by_key_whose_success_depends_on_values_waits_for_them() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table p (a int unique, b int unique)");
    a.ok("create table t (id int primary key, v int, k int not null, n int, u int, f int references p (a), check (v >= 0), s smallint, n3 numeric(3, 0), n9 numeric, b bigint, r real)");
    a.ok("create index t_u on t (u)");
    a.ok("create table child (id int primary key, a int references p (b))");
    a.ok("insert into p values (1, 1), (2, 2)");
    a.ok("insert into t values (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0)");
    let told_early = |a: &mut Client, change: &str, sql: &str| {
        for _ in 0..100 {
            a.ok(change);
            let first = a.session.reply().local();
            let mut b = db.session();
            b.ok("begin");
            assert_eq!(b.ok(sql).tag, "UPDATE 1");
            let early = b.session.reply().local() < first;
            // Nobody waits for what is durable already: the other change may have become that in the meantime, where a processor is hard to get.
            let is_durable = format!("select pg_current_wal_flush_lsn() >= '{first}'");
            if !early || db.session().value(&is_durable) == "f" {
                return early;
            }
        }
        panic!("each change is durable at once");
    };
    let change = "update t set v = v + 10, k = k + 1, n = 5, u = u + 1 where id = 1";
    let cases = [
        ("k = k + 1", true),
        ("k = k * 2 - 1, n = 7", true),
        ("n = n + 1.5", false), // rounded to an int it may not fit
        ("n = id + 1", true),
        ("v = 5", true),
        ("f = 2", true),
        ("b = k", true),
        ("n9 = k * 2", true),
        ("b = b + k, r = k", true),
        // Who is told that the value fits is told something of it.
        ("s = k", false),
        ("s = s + 1::smallint", true),
        ("s = s + 1", false),
        ("n3 = k", false),
        ("n3 = n3 + 1", false),
        ("k = b", false),
        ("r = n9", false),
        ("v = v - 10", false),
        ("k = n", false),
        ("n = 10 / v", false),
        ("n = (select max(v) from t)", false),
        ("u = 77", false), // the entry that goes was written by the other change
        ("u = k", false),
        ("f = v / v", false),
    ];
    for (set, early) in cases {
        assert_eq!(told_early(&mut a, change, &format!("update t set {set} where id = 1")), early, "{set}");
    }
    a.ok("insert into child values (1, 1)");
    let change = "update child set a = null where id = 1";
    assert!(
        !told_early(&mut a, change, "update p set b = 9 where a = 1"),
        "nobody refers to the key any more"
    );
}

#[test]
fn a_sequences_value_is_told_when_its_reservation_is_durable() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("create sequence s");
    let before = a.session.reply().local();
    assert_eq!(a.value("select nextval('s')"), "1");
    let reserved = a.session.reply().local();
    assert!(reserved > before);
    assert_eq!(b.value("select nextval('s')"), "2");
    assert!(b.session.reply().local() >= reserved, "it rests on the same reservation");
    b.value("select setval('s', 100)");
    assert!(b.session.reply().local() > reserved);
}

/// Session a holds a row and wants a table lock, b holds the table and wants the row. Who waits first is not certain, the aim is. The outcomes.
fn across_both_kinds(a_first: bool) -> [Result<String, String>; 2] {
    let (db, mut a) = accounts("(1, 0, 0)");
    a.ok("create table u (id int)");
    let (mut b, mut observer) = (db.session(), db.session());
    a.ok("begin");
    b.ok("begin");
    a.ok("update t set v = 1 where id = 1");
    b.ok("lock table u in access exclusive mode");
    let (first, second) = ("select * from u", "update t set v = 2 where id = 1");
    let (a, b) = if a_first {
        let a = start(a, first);
        until_active(&mut observer, first);
        (a, start(b, second))
    } else {
        let b = start(b, second);
        until_active(&mut observer, "update t set v = 2");
        (start(a, first), b)
    };
    // The survivor goes on when the victim has rolled back.
    let outcomes = [a, b].map(|r| {
        thread::spawn(move || {
            let (mut client, outcome) = r.recv().unwrap();
            client.ok("rollback");
            outcome
        })
    });
    outcomes.map(|o| o.join().unwrap())
}

#[test]
fn a_deadlock_across_a_table_and_a_row_has_one_victim_at_once() {
    for a_first in [true, false] {
        let outcomes = across_both_kinds(a_first);
        let victims = outcomes.iter().filter(|o| **o == Err("40P01".into())).count();
        assert_eq!(victims, 1, "{outcomes:?}");
        assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 1, "{outcomes:?}");
    }
}

#[test]
fn a_deadlock_of_readers_that_hold_tables_and_a_first_row_lock_is_found() {
    // Neither has a transaction id before it waits: the reader's first row lock is the wait itself.
    let (db, mut a) = accounts("(1, 0, 0)");
    a.ok("create table u (id int)");
    let mut b = db.session();
    let mut c = db.session();
    a.ok("begin");
    a.ok("select count(*) from u");
    b.ok("begin");
    b.ok("update t set v = 1 where id = 1");
    let waiting = start(a, "update t set v = 2 where id = 1");
    until_active(&mut c, "update t set v = 2");
    let mine =
        b.simple("alter table u add column x int", "").map(|_| ()).map_err(|e| e.code.as_str().to_owned());
    b.ok("rollback");
    let theirs = waiting.recv().unwrap().1;
    let victims = [mine == Err("40P01".into()), theirs == Err("40P01".into())];
    assert_eq!(victims.iter().filter(|v| **v).count(), 1, "{mine:?} {theirs:?}");
}

/// As in PostgreSQL, whose utility statements take their snapshot before their locks.
#[test]
fn a_refresh_that_waits_sees_what_was_there_before() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, d int); insert into t select g, g * 10 from generate_series(1, 5) g");
    c.ok("create materialized view mv as select count(*) as c, sum(d) as s from t; create unique index on mv (c)");
    for (n, how) in ["", " concurrently"].into_iter().enumerate() {
        let mut one = db.session();
        one.ok(&format!("begin; update t set d = d + 1; alter table t add column x{n} int default 7"));
        let refresh = started::start(db.session(), &format!("refresh materialized view{how} mv"));
        started::until_waits(&mut c, "refresh");
        one.ok("commit");
        assert!(refresh.recv().unwrap().1.is_ok());
        assert_eq!(c.rows("select * from mv"), [format!("5|{}", 150 + 5 * n)], "{how}");
        c.ok(&format!("refresh materialized view{how} mv"));
        assert_eq!(c.rows("select * from mv"), [format!("5|{}", 155 + 5 * n)], "{how}");
    }
    // What the transaction itself has written is seen.
    c.ok("begin; insert into t (id, d) values (6, 40); refresh materialized view mv; commit");
    assert_eq!(c.rows("select * from mv"), ["6|200"]);
    db.check();
}

/// As in PostgreSQL, where they are frozen: a snapshot that is older than the refresh finds neither the old rows nor none.
#[test]
fn a_refresh_gives_its_rows_to_older_snapshots() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, d int); insert into t select g, g * 10 from generate_series(1, 5) g");
    c.ok("create materialized view mv as select id, d from t; create unique index on mv (id)");
    let mut older = db.session();
    older.ok("begin isolation level repeatable read");
    assert_eq!(older.value("select count(*) from t"), "5");
    c.ok("insert into t values (6, 60); refresh materialized view mv");
    assert_eq!(older.value("select count(*) from t"), "5");
    assert_eq!(older.value("select count(*), sum(d) from mv"), "6|210");
    assert_eq!(older.value("select d from mv where id = 6"), "60");
    older.ok("commit");
    // Rolled back, it leaves what was there.
    c.ok("begin; delete from t where id > 2; refresh materialized view mv; rollback");
    assert_eq!(c.value("select count(*) from mv"), "6");
    assert_eq!(c.value("select d from mv where id = 5"), "50");
    db.check();
}

/// REFRESH … CONCURRENTLY does not wait for who reads, nor they for it; one after the other refreshes.
#[test]
fn a_view_is_read_while_it_is_refreshed() {
    let db = TestDb::new();
    let (mut a, mut b, mut c) = (db.session(), db.session(), db.session());
    a.ok("create table t (a int primary key, b int)");
    a.ok("insert into t select i, i from generate_series(1, 100) i");
    a.ok("create materialized view m as select * from t");
    a.ok("create unique index on m (a)");
    b.ok("set lock_timeout = '1ms'");
    c.ok("set lock_timeout = '1ms'");
    a.ok("begin isolation level repeatable read");
    assert_eq!(a.rows("select count(*), sum(b) from m"), ["100|5050"]);
    b.ok("update t set b = 0 where a = 50");
    b.ok("delete from t where a > 90");
    b.ok("begin");
    b.ok("refresh materialized view concurrently m");
    assert_eq!(c.rows("select count(*), sum(b) from m"), ["100|5050"]);
    for waits in ["refresh materialized view concurrently m", "refresh materialized view m"] {
        assert_eq!(c.err(waits), "55P03", "{waits}");
    }
    b.ok("commit");
    assert_eq!(c.rows("select count(*), sum(b) from m"), ["90|4045"]);
    assert_eq!(a.rows("select count(*), sum(b) from m"), ["100|5050"]);
    assert_eq!(b.err("refresh materialized view m"), "55P03");
    a.ok("commit");
    assert_eq!(a.rows("select count(*), sum(b) from m where a = 50"), ["1|0"]);
    // By a snapshot that is older than what others refreshed there is nothing to change.
    a.ok("begin isolation level repeatable read");
    assert_eq!(a.rows("select 1"), ["1"]);
    b.ok("update t set b = 1 where a = 50");
    b.ok("refresh materialized view concurrently m");
    a.ok("refresh materialized view concurrently m; commit");
    assert_eq!(a.rows("select count(*), sum(b) from m where a = 50"), ["1|1"]);
    db.check();
}

/// A cursor locks the rows that it gives, not those that it has yet to give.
#[test]
fn a_cursor_for_update_locks_what_is_fetched() {
    let db = TestDb::new();
    let (mut a, mut b, mut c) = (db.session(), db.session(), db.session());
    a.ok(
        "create table t (id int primary key, v int); insert into t select g, 0 from generate_series(1, 10) g",
    );
    for s in [&mut a, &mut b, &mut c] {
        s.ok("set lock_timeout = '1ms'");
    }
    b.ok("begin; update t set v = 1 where id = 5");
    a.ok("begin; declare c cursor for select * from t order by id for update; fetch 1 from c");
    a.ok("update t set v = 2 where current of c");
    a.ok("insert into t values (11, 0)");
    c.ok("update t set v = 3 where id = 9");
    assert_eq!(c.err("update t set v = 3 where id = 1"), "55P03");
    assert_eq!(a.rows("fetch 3 from c"), ["2|0", "3|0", "4|0"]);
    assert_eq!(c.err("update t set v = 3 where id = 4"), "55P03");
    b.ok("commit");
    // As they are now, under READ COMMITTED.
    assert_eq!(a.rows("fetch all from c"), ["5|1", "6|0", "7|0", "8|0", "9|3", "10|0"]);
    a.ok("commit");
    // A row that is locked elsewhere fails the FETCH that comes to it.
    b.ok("begin; update t set v = 1 where id = 3");
    a.ok("begin; declare c cursor for select * from t order by id for update nowait; fetch 1 from c");
    a.ok("update t set v = 3 where current of c");
    assert_eq!(a.rows("fetch 1 from c"), ["2|0"]);
    assert_eq!(a.err("fetch 1 from c"), "55P03");
    a.ok("rollback");
    b.ok("rollback");
    // What others commit between two fetches is not seen, however it is read.
    a.ok("begin; declare c cursor for select x.id, y.v from t x join t y on y.id = x.id order by x.id; fetch 1 from c");
    b.ok("update t set v = 100; delete from t where id > 2");
    assert_eq!(a.rows("select count(*), max(v) from t"), ["2|100"]);
    assert_eq!(a.rows("fetch 3 from c"), ["2|0", "3|0", "4|0"]);
    a.ok("commit");
    db.check();
}

/// A deferrable key that somebody is about to give up is waited for.
#[test]
fn a_deferrable_key_is_free_once_who_deletes_it_has_committed() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table t (id int unique deferrable, v int); insert into t values (1, 1)");
    for (end, expected) in [("rollback", Err("23505".to_owned())), ("commit", Ok("INSERT 0 1".to_owned()))] {
        a.ok("begin; delete from t where id = 1");
        let outcome = start(db.session(), "insert into t values (1, 2)");
        until_waiting(&db, &outcome);
        a.ok(end);
        assert_eq!(outcome.recv().unwrap().1, expected, "{end}");
    }
    assert_eq!(a.rows("select * from t"), ["1|2"]);
    db.check();
}

/// What an open transaction waits and commits by is what its settings say, however they came to say it.
#[test]
fn an_open_transaction_follows_its_settings() {
    let db = TestDb::new();
    let mut a = db.session();
    a.ok("create table t (id int primary key, v int); insert into t values (1, 1)");
    for how in ["rollback to s", "reset lock_timeout", "select set_config('lock_timeout', '0', true)"] {
        a.ok("begin; update t set v = v + 1 where id = 1");
        let mut b = db.session();
        b.ok("begin; savepoint s; set local lock_timeout = '1ms'");
        b.ok("insert into t values (2, 2)");
        b.ok(how);
        let outcome = start(b, "update t set v = 10 where id = 1");
        until_waiting(&db, &outcome);
        a.ok("commit");
        assert_eq!(outcome.recv().unwrap().1, Ok("UPDATE 1".to_owned()), "{how}");
    }
    a.ok("begin; update t set v = v + 1 where id = 1");
    let mut b = db.session();
    b.ok("begin; insert into t values (2, 2); select set_config('lock_timeout', '1ms', true)");
    let outcome = start(b, "update t set v = 10 where id = 1");
    let ended = outcome.recv_timeout(Duration::from_secs(30)).map(|(_, ended)| ended);
    a.ok("rollback");
    assert_eq!(ended, Ok(Err("55P03".to_owned())));
    db.check();
}
