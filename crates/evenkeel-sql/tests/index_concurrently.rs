//! CREATE INDEX, REINDEX and DROP INDEX CONCURRENTLY beside sessions that read and write: they go on, and the index agrees with the rows.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use support::started::{Started, seed, start, until_phase, until_waits};
use support::{Client, TestDb};

fn states(c: &mut Client) -> Vec<String> {
    c.rows(
        "select c.relname, indisvalid, indisready from pg_index join pg_class c on c.oid = indexrelid \
         where indrelid = 't'::regclass order by 1",
    )
}

#[test]
fn writers_go_on_while_an_index_waits_for_an_older_one() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok(
        "create table t (id int primary key, v int); insert into t select g, g from generate_series(1, 50) g",
    );
    let mut old = db.session();
    old.ok("begin; update t set v = v + 1000 where id = 7; delete from t where id = 50");
    let build = start(db.session(), "create index concurrently t_v on t (v)");
    until_phase(&mut c, "waiting for writers before build");
    // Nobody stands behind it.
    c.ok("set lock_timeout = '5s'");
    c.ok("update t set v = v + 2000 where id = 8; delete from t where id = 9; insert into t values (60, 60)");
    assert_eq!(c.value("select count(*) from t where v = 60"), "1");
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|f|f"]);
    old.ok("commit");
    assert_eq!(build.recv().unwrap().1, Ok("CREATE INDEX".into()));
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|t|t"]);
    let all = "select id, v from t where v > 0 order by v, id";
    let by_index = c.rows(all);
    assert_eq!(by_index.len(), 49);
    for expected in ["7|1007", "8|2008", "60|60"] {
        assert!(by_index.iter().any(|r| r == expected), "{expected} of {by_index:?}");
    }
    db.check();
}

#[test]
fn the_last_rows_may_go_while_an_index_is_filled() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok(
        "create table t (id int primary key, v int); insert into t select g, g from generate_series(1, 20) g",
    );
    for last in [20, 1] {
        let mut old = db.session();
        old.ok(&format!("begin; delete from t where id >= {last}"));
        let build = start(db.session(), "create unique index concurrently t_v on t (v)");
        until_phase(&mut c, "waiting for writers before build");
        old.ok("commit");
        assert_eq!(build.recv().unwrap().1, Ok("CREATE INDEX".into()));
        db.check();
        c.ok("insert into t values (99, 20); delete from t where id = 99; drop index t_v");
    }
}

#[test]
fn a_row_that_is_being_changed_is_waited_for_and_holds_nobody_up() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, v int); insert into t select g, g from generate_series(1, 600) g");
    // Whoever locks rows without writing them is no writer: the build goes past them.
    let mut locks = db.session();
    locks.ok("begin; select * from t where id = 5 for update");
    c.ok("create index concurrently t_v on t (v)");
    locks.ok("rollback");
    c.ok("drop index t_v");
    // One that changes rows once the index is written.
    let ((mut first, build), mut second) = build_beside(&db, "create unique index concurrently t_v on t (v)");
    second
        .ok("update t set v = -5 where id = 5; update t set v = 5 where id = 6; delete from t where id = 7");
    second.ok("insert into t values (3000, 1300)"); // until it has gone, twice
    first.ok("commit");
    until_waits(&mut c, "create unique index");
    // Rows that the build has come past, or not, are free for others.
    c.ok("set lock_timeout = '5s'");
    c.ok("update t set v = v + 5000 where id between 20 and 40");
    assert_eq!(c.rows("select id from t where id = 50 for update nowait"), ["50"]);
    second.ok("delete from t where id = 3000; commit");
    assert_eq!(build.recv().unwrap().1, Ok("CREATE INDEX".into()));
    assert_eq!(c.rows("select id from t where v in (-5, 5, 7, 1300) order by v"), ["5", "6", "300"]);
    assert_eq!(c.err("insert into t values (2000, 5)"), "23505");
    db.check();
}

/// A build that waits for one transaction, which is open in the first client, and another one that writes the index, open in the second, which has to write
/// before the first ends.
fn build_beside(db: &TestDb, sql: &str) -> ((Client, Started), Client) {
    let mut c = db.session();
    let (mut oldest, mut first) = (db.session(), db.session());
    oldest.ok("begin; update t set v = 1300 where id = 300"); // it has its new entry last
    let build = start(db.session(), sql);
    until_phase(&mut c, "waiting for writers before build");
    first.ok("begin; lock table t in row exclusive mode"); // what it changes is waited for before
    oldest.ok("commit");
    while c.value(
        "select count(*) from pg_index where indrelid = 't'::regclass and indisready and not indisvalid",
    ) != "1"
    {
        thread::yield_now();
    }
    let mut second = db.session();
    second.ok("begin");
    ((first, build), second)
}

#[test]
fn a_statement_that_does_not_know_the_index_leaves_no_entry() {
    for (waits, found) in [("update t set v = v + 1 where id = 5", "101"), ("delete from t where id = 5", "")]
    {
        let db = TestDb::new();
        let mut c = db.session();
        c.ok("create table t (id int primary key, v int); insert into t select g, g from generate_series(1, 20) g");
        let mut a = db.session();
        a.ok("begin; select * from t where id = 5 for update");
        let waiting = start(db.session(), waits);
        until_waits(&mut c, &waits[..6]);
        let build = start(db.session(), "create index concurrently t_v on t (v)");
        until_phase(&mut c, "waiting for writers before build");
        a.ok("update t set v = 100 where id = 5; commit"); // it knows the index
        assert!(waiting.recv().unwrap().1.is_ok());
        assert_eq!(build.recv().unwrap().1, Ok("CREATE INDEX".into()));
        assert_eq!(c.rows("select v from t where v >= 100 order by v").join(","), found);
        db.check();
    }
}

#[test]
fn who_is_canceled_keeps_no_lock() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok(
        "create table t (id int primary key, v int); insert into t values (1, 1); create index t_v on t (v)",
    );
    for sql in [
        "drop index concurrently t_v",
        "reindex table concurrently t",
        "create index concurrently t_w on t (v)",
    ] {
        let mut reader = db.session();
        reader.ok("begin; select * from t; update t set v = v");
        let command = db.session();
        let interrupt = command.interrupt.clone();
        let command = start(command, sql);
        until_waits(&mut c, &sql[..10]);
        interrupt.cancel();
        let (_idle, outcome) = command.recv().unwrap();
        assert_eq!(outcome, Err("57014".into()), "{sql}");
        reader.ok("rollback");
        c.ok("set lock_timeout = '5s'; alter table t add column x int; alter table t drop column x");
    }
    db.check();
}

#[test]
fn snapshots_that_are_older_than_an_index_are_not_told_wrong() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, u int unique deferrable initially deferred)");
    c.ok("insert into t select g, g from generate_series(1, 20) g; create table r (t int references t)");
    let mut old = db.session();
    old.ok("begin isolation level repeatable read; select 1");
    c.ok("reindex table concurrently t");
    old.ok("insert into t values (99, 5)");
    let refused = old.err("commit");
    assert!(["23505", "40001"].contains(&&*refused), "{refused}");
    old.ok("begin isolation level repeatable read; select 1");
    c.ok("reindex table concurrently t");
    let refused = old.simple("insert into r values (7)", "").err().map(|e| e.code.as_str().to_owned());
    assert!(refused.as_deref().is_none_or(|e| e == "40001"), "{refused:?}");
    old.ok("rollback");
    // Two that look at a key that is unique in the end, while the tree under it is exchanged.
    let mut one = db.session();
    one.ok("set session characteristics as transaction isolation level read committed");
    one.ok("begin; insert into t values (100, 50); set constraints all immediate");
    let reindex = start(db.session(), "reindex index concurrently t_u_key");
    until_waits(&mut c, "reindex");
    let other = start(db.session(), "insert into t values (101, 50)");
    thread::sleep(std::time::Duration::from_millis(100));
    one.ok("commit");
    assert_eq!(reindex.recv().unwrap().1, Ok("REINDEX".into()));
    assert_eq!(other.recv().unwrap().1, Err("23505".into()));
    assert_eq!(c.value("select count(*) from t where u = 50"), "1");
    db.check();
}

#[test]
fn definitions_that_waited_for_an_index_keep_it() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id serial primary key, v int); insert into t (v) select g from generate_series(1, 20) g");
    for (before, sql) in [
        ("set search_path = public", "drop sequence t_id_seq cascade"),
        ("create schema s; alter table t set schema s; set search_path = s", "drop schema s cascade"),
    ] {
        c.ok(before);
        let (mut writer, mut builder) = (db.session(), db.session());
        writer.ok("set search_path = s, public; begin; update t set v = v");
        builder.ok("set search_path = s, public");
        let build = start(builder, "create index concurrently on t (v)");
        until_phase(&mut c, "waiting for writers before build");
        let definition = start(db.session(), sql);
        until_waits(&mut c, sql);
        writer.ok("commit");
        assert_eq!(build.recv().unwrap().1, Ok("CREATE INDEX".into()));
        assert!(definition.recv().unwrap().1.is_ok(), "{sql}");
        let valid = "select count(*) from pg_index i join pg_class c on c.oid = i.indrelid where relname = 't' and indisvalid";
        assert_eq!(c.value(valid), if sql.starts_with("drop schema") { "0" } else { "2" }, "{sql}");
        db.check();
    }
}

#[test]
fn what_is_not_unique_leaves_an_index_that_nobody_uses() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, v int); insert into t select g, g from generate_series(1, 900) g");
    c.ok("insert into t values (1000, 450)");
    assert_eq!(c.err("create unique index concurrently t_v on t (v)"), "23505");
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|f|f"]);
    c.ok("insert into t values (1001, 1)"); // it constrains nobody
    c.ok("update t set v = v + 1 where id < 10; delete from t where id = 3");
    db.check();
    assert_eq!(c.err("insert into t values (1, 1) on conflict (v) do nothing"), "42P10");
    assert_eq!(c.err("create table r (v int references t (v))"), "42830");
    assert_eq!(c.err("alter table t add constraint k unique using index t_v"), "55000");
    assert_eq!(c.err("reindex index concurrently t_v"), "23505");
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|f|f", "t_v_ccnew|f|f"]);
    let mut db = db.reopen();
    let mut c = db.session();
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|f|f", "t_v_ccnew|f|f"]);
    c.ok("delete from t where id > 900; update t set v = -id where id < 20");
    c.ok("drop index concurrently t_v_ccnew");
    c.ok("reindex index concurrently t_v");
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|t|t"]);
    assert_eq!(c.err("insert into t values (2000, 450)"), "23505");
    db.check();
    // What rows had when it was not used is in nobody's way when it goes.
    c.ok("insert into t values (2001, 9001)");
    assert_eq!(c.err("reindex index concurrently pg_class"), "42809");
    c.ok("drop index t_v; insert into t values (3001, 450)");
    assert_eq!(c.err("create unique index concurrently t_v on t (v)"), "23505");
    c.ok("delete from t where v between 1 and 440; insert into t select g, g from generate_series(5001, 5400) g");
    c.ok("insert into t select 6000 + g, g from generate_series(100, 200) g; delete from t where id = 3001");
    let mut reader = db.session();
    reader.ok("begin; select 1 from t");
    let goes = start(db.session(), "reindex index concurrently t_v");
    until_phase(&mut c, "waiting for readers before marking dead");
    c.ok("insert into t select 7000 + g, g from generate_series(20, 60) g"); // their old entries are in the tree that goes
    reader.ok("commit");
    assert_eq!(goes.recv().unwrap().1, Ok("REINDEX".into()));
    db.check();
    // Who is canceled leaves one, too,
    c.ok("drop index t_v");
    let mut writer = db.session();
    writer.ok("begin; update t set v = v where id = 450");
    let canceled = db.session();
    let interrupt = canceled.interrupt.clone();
    let build = start(canceled, "create index concurrently t_v on t (v)");
    until_phase(&mut c, "waiting for writers before build");
    interrupt.cancel();
    assert_eq!(build.recv().unwrap().1, Err("57014".into()));
    writer.ok("commit");
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|f|f"]);
    // and who has to give up, and emptying the table makes it whole.
    c.ok("drop index t_v");
    writer.ok("begin; update t set v = v where id = 450");
    c.ok("set lock_timeout = '50ms'");
    assert_eq!(c.err("create index concurrently t_v on t (v)"), "55P03");
    writer.ok("commit");
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|f|f"]);
    c.ok("truncate t; insert into t values (1, 1)");
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|t|t"]);
    db = db.reopen();
    db.check();
}

/// While it waits for a writer, others change so much that what the moment needs is given up: then all rows get their entries by inserts.
#[test]
fn an_index_is_filled_anew_when_its_moment_is_gone() {
    let db = TestDb::with(&[("undo_buffers", "128kB"), ("undo_spill_limit", "1MB")]);
    let mut c = db.session();
    c.ok("create table t (id int primary key, v int, pad text); insert into t select g, g, '' from generate_series(1, 500) g");
    for unique in ["", "unique "] {
        let mut writer = db.session();
        writer.ok("begin; update t set v = -7 where id = 7; delete from t where id = 500");
        let build = start(db.session(), &format!("create {unique}index concurrently t_v on t (v)"));
        until_phase(&mut c, "waiting for writers before build");
        let mut reader = db.session();
        reader.ok("begin isolation level repeatable read; select 1");
        for n in 0.. {
            assert!(n < 200, "the moment outlives its limit");
            c.ok("update t set pad = repeat('x', 100) || random() where id between 100 and 300");
            c.ok("update t set v = v + 1000 where id = 8; update t set v = v - 1000 where id = 8");
            db.engine().step_purge().unwrap();
            match reader.simple("select count(*) from t", "") {
                Ok(_) => {}
                Err(e) => {
                    assert_eq!(e.code.as_str(), "72000");
                    break;
                }
            }
        }
        writer.ok("commit");
        assert_eq!(build.recv().unwrap().1, Ok("CREATE INDEX".into()));
        assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|t|t"]);
        assert_eq!(c.rows("select id from t where v in (-7, 7, 8, 500) order by v"), ["7", "8"]);
        db.check();
        c.ok("drop index t_v; update t set v = 7 where id = 7; insert into t values (500, 500)");
    }
    db.check();
}

#[test]
fn an_index_goes_once_its_readers_have_ended() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok(
        "create table t (id int primary key, v int); insert into t select g, g from generate_series(1, 50) g",
    );
    c.ok("create index t_v on t (v)");
    let mut reader = db.session();
    reader.ok("begin isolation level repeatable read; declare x cursor for select id from t where v > 10 order by v");
    assert_eq!(reader.rows("fetch 1 from x"), ["11"]);
    let drop = start(db.session(), "drop index concurrently t_v");
    let waits =
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like 'drop index%'";
    while c.value(waits) != "1" {
        thread::yield_now();
    }
    c.ok("set lock_timeout = '5s'");
    c.ok("update t set v = 100 where id = 12; delete from t where id = 13; insert into t values (90, 90)");
    assert_eq!(reader.rows("fetch 3 from x"), ["12", "13", "14"]);
    assert_eq!(reader.value("select v from t where v = 12"), "12");
    reader.ok("commit");
    assert_eq!(drop.recv().unwrap().1, Ok("DROP INDEX".into()));
    assert_eq!(states(&mut c), ["t_pkey|t|t"]);
    // Filled anew below a reader.
    c.ok("create index t_v on t (v)");
    reader.ok("begin isolation level repeatable read; declare x cursor for select id from t where v < 30 order by v");
    assert_eq!(reader.rows("fetch 1 from x"), ["1"]);
    let again = start(db.session(), "reindex table concurrently t");
    until_phase(&mut c, "waiting for readers before marking dead");
    c.ok("update t set v = 200 where id = 2; delete from t where id = 3; insert into t values (91, 4)");
    assert_eq!(c.rows("select id from t where v = 4 order by id"), ["4", "91"]);
    assert_eq!(reader.rows("fetch 4 from x"), ["2", "3", "4", "5"]);
    reader.ok("commit");
    assert_eq!(again.recv().unwrap().1, Ok("REINDEX".into()));
    assert_eq!(states(&mut c), ["t_pkey|t|t", "t_v|t|t"]);
    db.check();
}

#[test]
fn who_closes_a_circle_with_a_build_is_told() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, v int); insert into t values (1, 1)");
    let mut writer = db.session();
    writer.ok("begin; update t set v = 2");
    let build = start(db.session(), "create index concurrently t_v on t (v)");
    until_phase(&mut c, "waiting for writers before build");
    // It waits for the build's lock on the table, which waits for it.
    assert_eq!(writer.err("alter table t add column n int"), "40P01");
    writer.ok("rollback");
    assert_eq!(build.recv().unwrap().1, Ok("CREATE INDEX".into()));
    db.check();
}

/// Indexes of every kind come and go while rows are written; in the end all agree with the rows, and answers are the same with them and without.
#[test]
fn indexes_come_and_go_under_load() {
    let seed = seed();
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, u int, a int, s text, tags text[])");
    c.ok("insert into t select g, g, g % 50, 'x' || g % 7, array['a' || g % 5, 'b' || g % 3] \
         from generate_series(1, 3000) g");
    let (stop, writes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let writers: Vec<_> = (0..3u64)
        .map(|n| {
            let (mut c, stop, writes) = (db.session(), stop.clone(), writes.clone());
            thread::spawn(move || {
                let mut rng = fastrand::Rng::with_seed(seed ^ n << 40);
                let mut next = 10_000 * (n + 1);
                while !stop.load(Ordering::Relaxed) {
                    let (id, x) = (rng.u32(1..3000), rng.u32(0..60));
                    next += 1;
                    let sql = match rng.u8(0..8) {
                        0 => format!("insert into t values ({next}, {next}, {x}, 'x{x}', array['a{x}'])"),
                        1 => format!("delete from t where id = {id}"),
                        2 => format!("update t set a = {x} where id = {id}"),
                        3 => format!("update t set u = u + 100000, s = s || 'y' where id = {id}"),
                        4 => format!("update t set tags = array['b{x}', 'c'] where a = {x} and id > {id}"),
                        5 => format!("update t set a = a where id between {id} and {id} + 20"),
                        6 => format!(
                            "begin; update t set a = a + 1, u = -u where id = {id}; \
                             update t set s = 'z' where id = {id} + 1; rollback"
                        ),
                        _ => format!(
                            "insert into t values ({id}, {id}, {x}, 'x', null) on conflict (id) do update set a = {x}"
                        ),
                    };
                    match c.simple(&sql, "") {
                        Ok(_) => {}
                        // Two that lock rows in different order; a number that is there again.
                        Err(e) if ["40P01", "23505"].contains(&e.code.as_str()) => {
                            let _ = c.simple("rollback", "");
                        }
                        Err(e) => panic!("seed {seed}: {sql}: {e:?}"),
                    }
                    writes.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let mut rng = fastrand::Rng::with_seed(seed);
    let indexes = [
        "unique index concurrently i on t (u)",
        "index concurrently i on t (a)",
        "index concurrently i on t (a desc, s) include (u)",
        "index concurrently i on t (upper(s), (a + 1)) where a < 40",
        "index concurrently i on t using gin (tags)",
        "index concurrently i on t using hash (s)",
    ];
    for round in 0..24 {
        let index = indexes[rng.usize(0..indexes.len())];
        match c.simple(&format!("create {index}"), "") {
            Ok(_) => {}
            Err(e) if e.code.as_str() == "23505" => {
                c.ok("drop index concurrently i"); // numbers that are there twice for a while
                continue;
            }
            Err(e) => panic!("seed {seed}, round {round}: {index}: {e:?}"),
        }
        if rng.bool() {
            match c.simple("reindex index concurrently i", "") {
                Ok(_) => {}
                Err(e) => panic!("seed {seed}, round {round}: reindex of {index}: {e:?}"),
            }
        }
        let query = |a: &str| format!("select count(*), sum(a), sum(u) from t where {a} between 3 and 30");
        c.ok("begin isolation level repeatable read");
        assert_eq!(
            c.rows(&query("a")),
            c.rows(&query("a + 0")), // without the index
            "seed {seed}, round {round}: {index}"
        );
        c.ok("commit");
        db.check_rows();
        if rng.bool() {
            c.ok("drop index concurrently i");
        } else {
            c.ok("drop index i");
        }
    }
    stop.store(true, Ordering::Relaxed);
    writers.into_iter().for_each(|w| w.join().unwrap());
    println!("{} writes", writes.load(Ordering::Relaxed));
    db.check();
}
