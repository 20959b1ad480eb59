//! INSERT … ON CONFLICT while REINDEX CONCURRENTLY exchanges the index that decides: no row is there twice, and nobody is refused.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread;
use support::started::{Started, seed, start, until_phase, until_waits};
use support::{Client, TestDb};

/// A REINDEX that has yet to fill the index, and goes on once the client ends its transaction. Whoever begins now knows both indexes.
fn reindex_that_fills(db: &TestDb, index: &str) -> (Client, Started) {
    let mut c = db.session();
    let (mut oldest, mut first) = (db.session(), db.session());
    oldest.ok("begin; update t set n = n where k = 1");
    let reindex = start(db.session(), &format!("reindex index concurrently {index}"));
    until_phase(&mut c, "waiting for writers before build");
    first.ok("begin; update t set n = n where k = 2");
    oldest.ok("commit");
    let is_written =
        "select count(*) from pg_index where indrelid = 't'::regclass and indisready and not indisvalid";
    while c.value(is_written) != "1" {
        thread::yield_now();
    }
    (first, reindex)
}

/// The same, once it has exchanged the two indexes and waits for whoever knows the old one to be valid.
fn until_exchanged(mut first: Client, c: &mut Client) {
    first.ok("commit");
    until_phase(c, "waiting for readers before marking dead");
}

#[test]
fn who_waits_for_a_row_of_before_the_exchange_meets_it_as_a_conflict() {
    let cases = [
        ("insert into t values (100, 0, 100) on conflict (k) do update set n = t.n + 10", "t_pkey", "15"),
        ("insert into t values (100, 0, 7) on conflict (k) do nothing", "t_pkey", "5"),
        ("insert into t values (100, 0, 7) on conflict do nothing", "t_pkey", "5"),
        (
            "insert into t values (100, 0, 7) on conflict on constraint t_pkey do update set n = t.n + 10",
            "t_pkey",
            "15",
        ),
        ("insert into t values (300, 0, 100) on conflict (u) do update set n = t.n + 10", "t_u_key", "15"),
        ("insert into t values (300, 0, 100) on conflict on constraint t_u_key do nothing", "t_u_key", "5"),
        ("insert into t values (300, 0, 100) on conflict do nothing", "t_u_key", "5"),
    ];
    for (sql, index, n) in cases {
        let db = TestDb::new();
        let mut c = db.session();
        c.ok("create table t (k int primary key, n int, u int unique); insert into t select g, 0, g from generate_series(1, 20) g");
        let (mut prepared, mut early) = (db.session(), db.session());
        prepared.ok(&format!("prepare up as {sql}"));
        let (first, reindex) = reindex_that_fills(&db, index);
        // Planned and run by now, and not committed.
        early.ok("begin; insert into t values (100, 5, 100) on conflict do nothing");
        // Waits for it, with the plan of now.
        let before = start(db.session(), sql);
        until_waits(&mut c, "insert into t");
        until_exchanged(first, &mut c);
        // And with the plan of afterwards.
        let (after, executed) = (start(db.session(), sql), start(prepared, "execute up"));
        let waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and (query like 'insert into t%' or query like 'execute%')";
        while c.value(waiting) != "3" {
            thread::yield_now();
        }
        early.ok("commit");
        let tags: Vec<_> = [before, after, executed].into_iter().map(|s| s.recv().unwrap().1).collect();
        let updates = sql.contains("update");
        let tag = if updates { "INSERT 0 1" } else { "INSERT 0 0" };
        assert_eq!(tags, [(); 3].map(|()| Ok(tag.to_owned())), "{sql}");
        assert_eq!(reindex.recv().unwrap().1, Ok("REINDEX".into()), "{sql}");
        let n = if updates { "35" } else { n };
        assert_eq!(c.rows("select n from t where u = 100"), [n], "{sql}");
        assert_eq!(c.value("select count(*) from t"), "21", "{sql}");
        db.check();
    }
}

#[test]
fn a_duplicate_is_told_by_the_name_that_clients_know() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (k int primary key, n int, u int unique); insert into t select g, 0, g from generate_series(1, 20) g");
    let name = |c: &mut Client| {
        let e = c.simple("insert into t values (5, 0, 500)", "").err().expect("it is there");
        assert!(e.message.ends_with("\"t_pkey\""), "{}", e.message);
    };
    let (first, reindex) = reindex_that_fills(&db, "t_pkey");
    name(&mut c);
    let mut reader = db.session();
    reader.ok("begin; select 1 from t");
    until_exchanged(first, &mut c);
    name(&mut c);
    reader.ok("commit");
    assert_eq!(reindex.recv().unwrap().1, Ok("REINDEX".into()));
    name(&mut c);
}

#[test]
fn two_that_insert_the_same_row_never_wait_for_each_other() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (k int primary key, n int, u int unique)");
    let mut one = db.session();
    one.ok("begin; insert into t values (1, 0, 7)");
    // It may not have its key of u before that of k.
    let other = start(db.session(), "insert into t values (1, 0, 5) on conflict (u) do update set n = 9");
    until_waits(&mut c, "insert into t");
    one.ok("set lock_timeout = '5s'; insert into t values (2, 0, 5); commit");
    let outcome = other.recv().unwrap().1;
    assert_eq!(outcome, Err("23505".into()));
    // What decides is looked at first: nobody waits for another key if it is there.
    one.ok("begin; insert into t values (3, 0, 8)");
    c.ok("set lock_timeout = '5s'");
    assert_eq!(c.ok("insert into t values (3, 0, 5) on conflict (u) do nothing").tag, "INSERT 0 0");
    assert_eq!(c.ok("insert into t values (3, 0, 5) on conflict (u) do update set n = 9").tag, "INSERT 0 1");
    one.ok("rollback");
    assert_eq!(c.rows("select * from t order by k"), ["1|0|7", "2|9|5"]);
    db.check();
}

#[test]
fn who_waits_for_a_row_does_not_hold_its_key() {
    for (then, rows) in [
        ("delete from t where k = 1", vec!["1|0|1"]),
        ("update t set k = 7, u = 7 where k = 1", vec!["1|0|1", "7|5|7"]),
        ("update t set u = 9 where k = 1", vec!["1|105|9"]),
    ] {
        let db = TestDb::new();
        let mut c = db.session();
        c.ok("create table t (k int primary key, n int, u int unique); insert into t values (1, 0, 1)");
        let mut one = db.session();
        one.ok("begin; update t set n = 5 where k = 1");
        let sql = "insert into t values (1, 0, 1) on conflict (k) do update set n = t.n + 100";
        let other = start(db.session(), sql);
        until_waits(&mut c, "insert into t");
        one.ok(&format!("set lock_timeout = '5s'; {then}"));
        one.ok("commit");
        assert_eq!(other.recv().unwrap().1, Ok("INSERT 0 1".into()), "{then}");
        assert_eq!(c.rows("select * from t order by k"), rows, "{then}");
        db.check();
    }
}

/// Counters by key, which sessions raise, take away and begin anew, while the indexes that decide are exchanged again and again.
#[test]
fn counters_stay_right_while_indexes_are_exchanged() {
    let seed = seed();
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (k int primary key, n int not null, u int unique)");
    let (stop, raised, made) =
        (Arc::new(AtomicBool::new(false)), Arc::new(AtomicI64::new(0)), Arc::new(AtomicU64::new(0)));
    let writers: Vec<_> = (0..4u64)
        .map(|n| {
            let (mut c, stop, raised, made) = (db.session(), stop.clone(), raised.clone(), made.clone());
            thread::spawn(move || {
                let mut rng = fastrand::Rng::with_seed(seed ^ n << 40);
                c.ok("prepare up (int) as insert into t values ($1, 1, $1) on conflict (k) do update set n = t.n + 1");
                c.ok("prepare up_u (int) as insert into t values ($1, 1, $1) on conflict (u) do update set n = t.n + 1");
                while !stop.load(Ordering::Relaxed) {
                    let k = rng.u32(1..6);
                    let (sql, by) = match rng.u8(0..8) {
                        0 | 1 => (format!("execute up ({k})"), 1),
                        2 => (format!("execute up_u ({k})"), 1),
                        3 => (
                            format!("insert into t values ({k}, 1, {k}) on conflict on constraint t_pkey do update set n = t.n + 1"),
                            1,
                        ),
                        4 => (format!("begin; execute up ({k}); execute up_u ({}); commit", k + 1), 2),
                        5 => (format!("begin; insert into t values ({k}, 1, {k}) on conflict (u) do update set n = t.n + 1; rollback"), 0),
                        6 => (format!("insert into t values ({k}, 0, {k}) on conflict do nothing"), 0),
                        _ => {
                            let gone = c.rows(&format!("delete from t where k = {k} returning n"));
                            let gone: i64 = gone.iter().map(|n| n.parse::<i64>().unwrap()).sum();
                            raised.fetch_sub(gone, Ordering::Relaxed);
                            continue;
                        }
                    };
                    if let Err(e) = c.simple(&sql, "") {
                        panic!("seed {seed}: {sql}: {e:?}");
                    }
                    raised.fetch_add(by, Ordering::Relaxed);
                    made.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for round in 0..60 {
        c.ok(["reindex index concurrently t_pkey", "reindex table concurrently t"][round % 2]);
        if writers.iter().any(thread::JoinHandle::is_finished) {
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    writers.into_iter().for_each(|w| w.join().unwrap());
    assert_eq!(
        c.value("select coalesce(sum(n), 0) from t"),
        raised.load(Ordering::Relaxed).to_string(),
        "seed {seed}"
    );
    assert_eq!(c.value("select count(*) from t where k <> u"), "0");
    println!("{} statements", made.load(Ordering::Relaxed));
    db.check();
}
