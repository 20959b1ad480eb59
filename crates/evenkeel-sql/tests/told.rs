//! What may be told before it is durable: nothing that a power cut could take back.

mod support;

use evenkeel::io::{CrashPolicy, Fault, SimCallKind, SimDisk, SimOptions};
use evenkeel::{Database, Options};
use evenkeel_sql::Instance;
use std::sync::Arc;
use std::thread;
use support::Client;

fn start(disk: &SimDisk) -> (Database, Arc<Instance>) {
    let options = Options::default().with("wal_segment_size", "64kB").unwrap();
    let db = Database::open_on(Arc::new(disk.clone()), options.without_threads()).unwrap();
    let instance = Instance::open(db.clone()).unwrap();
    (db, instance)
}

/// Waits until what the session was told is durable, as whoever sends its replies does.
fn send(db: &Database, c: &Client) {
    db.wait_durable(c.session.reply().local()).unwrap();
}

#[test]
fn a_commit_is_durable_when_its_call_returns_unless_that_is_left_to_the_caller() {
    let disk = SimDisk::new(SimOptions::default());
    let (_db, instance) = start(&disk);
    Client::new(&instance, &[]).ok("create table t (id int primary key)");
    let mut c = Client::that_waits(&instance, "b", &[]).unwrap();
    for id in 1..4 {
        c.ok(&format!("insert into t values ({id})"));
        let crashed = disk.crash_copy_with(CrashPolicy::LoseUnsynced, id);
        let (_db, instance) = start(&crashed);
        assert_eq!(Client::new(&instance, &[]).value("select max(id) from t"), id.to_string());
    }
}

#[test]
fn a_definition_whose_log_write_failed_is_seen_by_nobody() {
    let disk = SimDisk::new(SimOptions::default());
    let (db, instance) = start(&disk);
    let mut a = Client::new(&instance, &[]);
    a.ok("create table t (id int primary key)");
    a.ok("insert into t values (1)");
    send(&db, &a);
    a.ok("begin");
    a.ok("drop table t");
    let waiter = instance.clone();
    let b = thread::spawn(move || {
        let mut b = Client::new(&waiter, &[]);
        let read = b.simple("select id from t", "").map(|o| o[0].rows.len());
        read.map_err(|e| e.code.as_str().to_owned())
    });
    let mut observer = Client::new(&instance, &[]);
    while observer.value("select count(*) from pg_stat_activity where wait_event = 'relation'") != "1" {
        thread::yield_now();
    }
    disk.set_fault(Some(Box::new(|call| match call.kind {
        SimCallKind::Write | SimCallKind::Sync => Fault::Eio,
        _ => Fault::None,
    })));
    assert_eq!(a.err("commit"), "XX000");
    assert_eq!(b.join().unwrap(), Ok(1), "the table that the restart will find");
    assert!(a.simple("select id from t", "").is_ok(), "its own session is told the same");
    disk.set_fault(None);
    let (_db, instance) = start(&disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1));
    assert_eq!(Client::new(&instance, &[]).rows("select id from t"), ["1"]);
}

#[test]
fn that_a_value_fits_is_told_when_the_value_is_durable() {
    for set in ["s = v", "s = v + 1", "n = v", "n = n + v"] {
        let disk = SimDisk::new(SimOptions::default());
        let (db, instance) = start(&disk);
        let (mut a, mut b) = (Client::new(&instance, &[]), Client::new(&instance, &[]));
        a.ok("create table t (id int primary key, v int, s smallint, n numeric(3, 0))");
        a.ok("insert into t values (1, 100000, 0, 0)");
        send(&db, &a);
        a.ok("update t set v = 5 where id = 1");
        b.ok("begin");
        let sql = format!("update t set {set} where id = 1");
        assert_eq!(b.ok(&sql).tag, "UPDATE 1");
        // Power is cut before anybody has waited for the log: what would a client have been told by then?
        let cut = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1);
        let (_, after) = start(&cut);
        assert_eq!(Client::new(&after, &[]).err(&sql), "22003", "{set}: its success rested on what is lost");
        assert!(b.session.reply().local() >= a.session.reply().local(), "{set}");
    }
}

#[test]
fn what_a_sequence_gave_is_told_when_it_is_durable_however_it_is_asked_for() {
    for ask in [
        "select last_value, is_called from s",
        "select last_value from pg_sequences where sequencename = 's'",
        "select pg_sequence_last_value('s')",
        "select nextval('s')",
    ] {
        let disk = SimDisk::new(SimOptions::default());
        let (db, instance) = start(&disk);
        let (mut a, mut b) = (Client::new(&instance, &[]), Client::new(&instance, &[]));
        a.ok("create sequence s maxvalue 3");
        send(&db, &a);
        a.ok("select setval('s', 3)");
        assert!(db.durable_lsn() < a.session.reply().local(), "nobody has waited yet");
        // The last of them fails, and says by that how far the sequence is.
        let _ = b.simple(ask, "");
        assert!(b.session.reply().local() >= a.session.reply().local(), "{ask}");
    }
}

#[test]
fn a_sequence_that_is_read_says_what_it_is_then_also_after_a_start() {
    let disk = SimDisk::new(SimOptions::default());
    let (db, instance) = start(&disk);
    let mut c = Client::new(&instance, &[]);
    c.ok("create sequence s");
    c.ok("create sequence unused start 7");
    c.ok("prepare p as select last_value, is_called from s");
    assert_eq!(c.rows("execute p"), ["1|f"]);
    assert_eq!(c.value("select pg_sequence_last_value('s') is null"), "t");
    c.ok("select setval('s', 41)");
    assert_eq!(c.rows("execute p"), ["41|t"]);
    c.ok("begin");
    c.ok("create sequence own start 3");
    assert_eq!(c.rows("select last_value, log_cnt, is_called from own"), ["3|0|f"]);
    c.ok("commit");
    send(&db, &c);
    // Nobody has asked for a value since the start: what a dump would take along.
    let (_db, instance) = start(&disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1));
    let mut c = Client::new(&instance, &[]);
    assert_eq!(c.rows("select last_value, is_called from s"), ["41|t"]);
    assert_eq!(c.rows("select last_value, is_called from unused"), ["7|f"]);
    let listed = "select sequencename, last_value from pg_sequences where last_value is not null";
    assert_eq!(c.rows(listed), ["s|41"]);
    assert_eq!(c.value("select nextval('s')"), "42");
}

/// What is behind its end is not reserved with what is before.
#[test]
fn a_sequence_that_has_begun_again_gives_nothing_twice_after_a_crash() {
    for (options, drawn) in
        [("maxvalue 100", 110), ("increment -1 minvalue -100", 110), ("maxvalue 400 increment 3", 140)]
    {
        let disk = SimDisk::new(SimOptions::default());
        let (db, instance) = start(&disk);
        let mut c = Client::new(&instance, &[]);
        c.ok(&format!("create sequence s {options} cycle"));
        let draw = |c: &mut Client| c.value("select nextval('s')").parse::<i64>().unwrap();
        let all: Vec<i64> = (0..drawn).map(|_| draw(&mut c)).collect();
        let began = all.iter().rposition(|v| *v == all[0]).unwrap();
        assert!(began > 0, "{options}: it has begun again");
        send(&db, &c);
        let (_db, instance) = start(&disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1));
        let next = draw(&mut Client::new(&instance, &[]));
        assert!(!all[began..].contains(&next), "{options}: {next} again, after {:?}", &all[began..]);
    }
}
