//! What is told of sessions that wait for rows, tables and numbers: by `pg_locks`, and by who is the victim of a deadlock. As PostgreSQL 18 has it.

mod support;

use std::time::Duration;
use support::started::{Started, start, until_waits};
use support::{Client, TestDb};

const PID: &str = "select pg_backend_pid()";

/// Who stands in whose way by `pg_locks` alone: each thing that is waited for, and who holds it.
const IN_THE_WAY: &str = "select w.pid, w.locktype, w.mode, h.pid, h.mode from pg_locks w join pg_locks h
    on (h.locktype, h.pid <> w.pid, h.granted) = (w.locktype, true, true)
    and (h.database, h.relation, h.page, h.tuple) is not distinct from (w.database, w.relation, w.page, w.tuple)
    and (h.transactionid, h.classid, h.objid, h.objsubid) is not distinct from (w.transactionid, w.classid, w.objid, w.objsubid)
    where not w.granted and w.waitstart <= now() + interval '1 minute' order by 1, 2";

fn ended(statement: Started) -> (Client, Result<String, String>) {
    statement.recv_timeout(Duration::from_secs(60)).expect("it goes on")
}

#[test]
fn locks_show_who_waits_for_a_row_and_behind_whom() {
    let db = TestDb::new();
    let mut observer = db.session();
    observer.ok("create table t (id int primary key, v int); insert into t values (1, 1), (2, 2)");
    let (mut a, mut b, mut c) = (db.session(), db.session(), db.session());
    let pids = [&mut a, &mut b, &mut c].map(|s| s.value(PID));
    a.ok("begin; update t set v = 3 where id = 1");
    let first = start(b, "update t set v = 4 where id = 1");
    until_waits(&mut observer, "update t set v = 4");
    let second = start(c, "delete from t where id = 1");
    until_waits(&mut observer, "delete from t");
    let [a_pid, b_pid, c_pid] = &pids;
    assert_eq!(
        observer.rows(IN_THE_WAY),
        [
            format!("{b_pid}|transactionid|ShareLock|{a_pid}|ExclusiveLock"),
            format!("{c_pid}|tuple|AccessExclusiveLock|{b_pid}|ExclusiveLock"),
        ]
    );
    let of_a = "select count(*) from pg_locks l join pg_stat_activity a
        on l.pid = a.pid and l.transactionid::text = a.backend_xid::text and l.granted";
    assert_eq!(observer.value(of_a), "3");
    a.ok("commit");
    assert_eq!(ended(first).1, Ok("UPDATE 1".into()));
    assert_eq!(ended(second).1, Ok("DELETE 1".into()));
    assert_eq!(observer.value("select count(*) from pg_locks where locktype <> 'relation'"), "0");
}

/// The id of a transaction that is in its first statement is known.
#[test]
fn who_holds_a_row_in_its_first_statement_is_found() {
    let db = TestDb::new();
    let mut observer = db.session();
    observer.ok("create table t (id int primary key, v int); insert into t values (1, 1)");
    observer.ok("create table other (id int primary key); insert into other values (1)");
    let (mut a, mut b, mut c) = (db.session(), db.session(), db.session());
    let (b_pid, c_pid) = (b.value(PID), c.value(PID));
    a.ok("begin; insert into other values (2)");
    let sql = "with u as (update t set v = 2 returning id) insert into other select id + 1 from u";
    let first = start(b, sql);
    until_waits(&mut observer, "with u as");
    let second = start(c, "update t set v = 9");
    until_waits(&mut observer, "update t set v = 9");
    assert_eq!(observer.value(&format!("select pg_blocking_pids({c_pid})")), format!("{{{b_pid}}}"));
    a.ok("rollback");
    assert_eq!(ended(first).1, Ok("INSERT 0 1".into()));
    assert_eq!(ended(second).1, Ok("UPDATE 1".into()));
}

/// Runs two statements that wait for each other; gives the victim's error, told in the numbers of the two: `a` began to wait first.
fn deadlock(
    db: &TestDb,
    (first, second): (&str, &str),
    (a_then, b_then): (&str, &str),
) -> [Option<String>; 3] {
    let mut observer = db.session();
    let (mut a, mut b) = (db.session(), db.session());
    let (a_pid, b_pid) = (a.value(PID), b.value(PID));
    a.ok(&format!("begin; {first}"));
    b.ok(&format!("begin; {second}"));
    let waits = start(a, a_then);
    until_waits(&mut observer, a_then);
    let ids = observer.rows("select pid, backend_xid from pg_stat_activity where backend_xid is not null");
    let e = b.simple(b_then, "").err().expect("it is the victim");
    assert_eq!((e.code.as_str(), e.message.as_str()), ("40P01", "deadlock detected"));
    b.session.fail();
    b.ok("rollback");
    assert!(ended(waits).1.is_ok());
    let log = e.detail_log.as_deref().expect("the log has more");
    let of_log =
        format!("{}\nProcess {b_pid}: {b_then}\nProcess {a_pid}: {a_then}", e.detail.as_deref().unwrap());
    assert_eq!(log, of_log);
    let shown = |text: &str| {
        let mut text = text.to_owned();
        for id in &ids {
            let (pid, xid) = id.split_once('|').unwrap();
            let name = if pid == a_pid { "A" } else { "B" };
            text = text.replace(&format!("transaction {xid};"), &format!("transaction of {name};"));
        }
        text.replace(&format!("rocess {a_pid}"), "rocess A").replace(&format!("rocess {b_pid}"), "rocess B")
    };
    [&e.detail, &e.hint, &e.context].map(|part| part.as_deref().map(shown))
}

#[test]
fn a_deadlock_says_who_waited_for_whom() {
    let db = TestDb::new();
    let mut s = db.session();
    s.ok("create table t (id int primary key, v int); insert into t values (1, 1), (2, 2)");
    s.ok("create table u (id int)");
    let hint = Some("See server log for query details.".to_owned());
    let (oid, database) = (
        s.value("select 'u'::regclass::oid"),
        s.value("select oid from pg_database where datname = current_database()"),
    );

    let rows = deadlock(
        &db,
        ("update t set v = 10 where id = 1", "update t set v = 20 where id = 2"),
        ("update t set v = 11 where id = 2", "update t set v = 21 where id = 1"),
    );
    let detail = "Process B waits for ShareLock on transaction of A; blocked by process A.\n\
                  Process A waits for ShareLock on transaction of B; blocked by process B.";
    let context = Some("while updating tuple (0,1) in relation \"t\"".to_owned());
    assert_eq!(rows, [Some(detail.to_owned()), hint.clone(), context]);

    let mixed = deadlock(
        &db,
        ("select pg_advisory_lock(7)", "lock table u in share mode"),
        ("insert into u values (1)", "select pg_advisory_lock(7)"),
    );
    let detail = format!(
        "Process B waits for ExclusiveLock on advisory lock [{database},0,7,1]; blocked by process A.\n\
         Process A waits for RowExclusiveLock on relation {oid} of database {database}; blocked by process B."
    );
    assert_eq!(mixed, [Some(detail), hint, None]);
    db.check();
}
