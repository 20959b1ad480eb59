//! The session as the server uses it: prepare, bind, run with row limits, sync, implicit transactions, and what is bounded.

mod support;

use evenkeel::io::{SimDisk, SimOptions};
use evenkeel::{Database, Direction, KeyRange, Options, TreeId, TxnOptions};
use evenkeel_sql::{Datum, Instance, Progress, Type};
use std::sync::Arc;
use support::{Client, Output, TestDb};

#[test]
fn parameter_types_come_from_their_context() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key, b bigint, c text, d timestamp, n numeric(5,2), ch char(3))");
    let cases = [
        ("select * from t where a = $1", vec![Type::Int4]),
        ("select * from t where b between $1 and $2", vec![Type::Int8, Type::Int8]),
        ("update t set b = b + $1 where a = $2", vec![Type::Int8, Type::Int4]),
        (
            "insert into t (a, c, d, n) values ($1, $2, $3, $4)",
            vec![Type::Int4, Type::Text, Type::Timestamp, Type::Numeric],
        ),
        ("select * from t where c like $1", vec![Type::Text]),
        ("select * from t where a = any($1)", vec![Type::Int4Array]),
        ("select * from t where a in ($1, $2)", vec![Type::Int4, Type::Int4]),
        ("select $1", vec![Type::Text]),
        ("select $1::int + 1", vec![Type::Int4]),
        ("select length($1)", vec![Type::Text]),
        ("select * from t limit $1 offset $2", vec![Type::Int8, Type::Int8]),
        ("select case when a = $1 then $2 else c end from t", vec![Type::Int4, Type::Text]),
        ("insert into t (a, c) select $1, $2", vec![Type::Int4, Type::Text]),
        ("select * from t where ch = $1", vec![Type::Bpchar]),
    ];
    for (sql, types) in cases {
        let stmt = c.session.prepare(sql, &[]).unwrap_or_else(|e| panic!("{sql}: {e}"));
        assert_eq!(stmt.param_types(), types, "{sql}");
    }
    let declared = c.session.prepare("select $1", &[Type::Date.oid()]).unwrap();
    assert_eq!(declared.param_types(), [Type::Date]);
}

#[test]
fn pgbench_statements_run_prepared() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table accounts (aid int primary key, abalance int, filler char(84))");
    c.ok("create table history (tid int, aid int, delta int, mtime timestamp, filler char(22))");
    c.ok("insert into accounts select g, 0, '' from generate_series(1, 100) g");
    let update =
        c.session.prepare("UPDATE accounts SET abalance = abalance + $1 WHERE aid = $2;", &[]).unwrap();
    let select = c.session.prepare("SELECT abalance FROM accounts WHERE aid = $1;", &[]).unwrap();
    let insert = c
        .session
        .prepare("INSERT INTO history (tid, aid, delta, mtime) VALUES ($1, $2, $3, CURRENT_TIMESTAMP);", &[])
        .unwrap();
    let begin = c.session.prepare("BEGIN;", &[]).unwrap();
    let end = c.session.prepare("END;", &[]).unwrap();
    for n in 1..=20 {
        let (delta, aid) = (Datum::Int4(n * 7 - 50), Datum::Int4(n));
        let runs = [
            (&begin, vec![]),
            (&update, vec![delta.clone(), aid.clone()]),
            (&select, vec![aid.clone()]),
            (&insert, vec![Datum::Int4(1), aid, delta]),
            (&end, vec![]),
        ];
        for (stmt, params) in runs {
            let mut portal = c.session.bind(stmt, params).unwrap();
            let mut out = Output::of(&portal);
            assert!(matches!(c.session.run(&mut portal, 0, &mut out).unwrap(), Progress::Done(_)));
            c.session.sync().unwrap();
        }
    }
    assert_eq!(c.session.transaction_status(), b'I');
    assert_eq!(c.value("select sum(abalance) - (select sum(delta) from history) from accounts"), "0");
}

#[test]
fn a_portal_gives_its_rows_in_pieces() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key)");
    c.ok("insert into t select generate_series(1, 10)");
    for sql in [
        "select a from t",
        "select a from t where a > 0 order by a",
        "update t set a = a + 100 returning a - 100",
    ] {
        c.ok("begin");
        let stmt = c.session.prepare(sql, &[]).unwrap();
        let mut portal = c.session.bind(&stmt, vec![]).unwrap();
        let mut out = Output::of(&portal);
        assert!(matches!(c.session.run(&mut portal, 4, &mut out).unwrap(), Progress::Suspended));
        assert_eq!(out.rows.len(), 4);
        // What happens meanwhile does not show.
        c.ok("delete from t");
        while let Progress::Suspended = c.session.run(&mut portal, 4, &mut out).unwrap() {}
        let got: Vec<_> = out.rows.iter().filter_map(|r| r[0].as_i64()).collect();
        assert_eq!(got, (1..=10).collect::<Vec<_>>(), "{sql}");
        drop(portal);
        c.ok("rollback");
    }
}

#[test]
fn a_plan_is_made_again_when_the_definition_changed() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("create table t (a int, b int)");
    a.ok("insert into t values (1, 2)");
    let stmt = a.session.prepare("select b from t where a = $1", &[]).unwrap();
    let star = a.session.prepare("select * from t", &[]).unwrap();
    b.ok("create index t_a on t (a)");
    b.ok("alter table t drop column b");
    b.ok("alter table t add column b int default 9");
    let mut portal = a.session.bind(&stmt, vec![Datum::Int4(1)]).unwrap_or_else(|e| panic!("{e}"));
    let mut out = Output::of(&portal);
    a.session.run(&mut portal, 0, &mut out).unwrap();
    a.session.sync().unwrap();
    assert_eq!(out.rows[0][0].as_i64(), Some(9));
    b.ok("alter table t add column c text");
    let refused = a.session.bind(&star, vec![]).err().expect("other columns");
    assert_eq!(refused.code, "0A000");
    a.session.fail();
    // Parsed again it has the new ones.
    let again = a.session.prepare("select * from t", &[]).unwrap();
    assert_eq!(again.columns().map(<[_]>::len), Some(3));
    assert!(a.session.bind(&again, vec![]).is_ok());
    b.ok("drop table t");
    assert_eq!(a.session.bind(&stmt, vec![Datum::Int4(1)]).err().expect("no table").code, "42P01");
}

#[test]
fn thousands_of_keys_of_two_columns_may_be_asked_for() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int, b int)");
    c.ok("insert into t values (5, 25), (6, 35)");
    let keys: Vec<String> = (0..6000).map(|n| format!("t.a = {n} and t.b = {}", n * n)).collect();
    let found = c.ok(&format!("select a from t where {}", keys.join(" or ")));
    assert_eq!(found.rows.len(), 1);
}

#[test]
fn a_plan_shown_as_json_is_of_type_json() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("prepare x as select $1::int");
    for (sql, ty) in [
        ("explain (format json) select 1", Type::Json),
        ("explain (format json) execute x(1)", Type::Json),
        ("explain select 1", Type::Text),
    ] {
        let stmt = c.session.prepare(sql, &[]).unwrap();
        assert_eq!(stmt.columns().unwrap()[0].ty, ty, "{sql}");
        c.session.sync().unwrap();
    }
}

#[test]
fn a_parameter_of_type_void_is_no_argument() {
    let db = TestDb::new();
    let mut a = db.session();
    let call = a.session.prepare("select * from lower($1, $2)", &[2278, 25]).unwrap();
    let mut portal = a.session.bind(&call, vec![Datum::Null, Datum::text("AB")]).unwrap();
    let mut out = Output::of(&portal);
    a.session.run(&mut portal, 0, &mut out).unwrap();
    assert_eq!(out.rows[0][0].as_str(), Some("ab"));
}

#[test]
fn an_implicit_transaction_lasts_to_the_sync() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("create table t (a int primary key)");
    let insert = a.session.prepare("insert into t values ($1)", &[]).unwrap();
    for n in [1, 2] {
        let mut portal = a.session.bind(&insert, vec![Datum::Int4(n)]).unwrap();
        let mut out = Output::of(&portal);
        a.session.run(&mut portal, 0, &mut out).unwrap();
    }
    assert_eq!(b.value("select count(*) from t"), "0");
    assert_eq!(a.session.transaction_status(), b'I');
    a.session.sync().unwrap();
    assert_eq!(b.value("select count(*) from t"), "2");
    // An error undoes what the pipeline did so far.
    for n in [3, 1] {
        let mut portal = a.session.bind(&insert, vec![Datum::Int4(n)]).unwrap();
        let mut out = Output::of(&portal);
        if a.session.run(&mut portal, 0, &mut out).is_err() {
            a.session.fail();
        }
    }
    a.session.sync().unwrap();
    assert_eq!(b.value("select count(*) from t"), "2");
}

#[test]
fn memory_is_bounded() {
    let db = TestDb::new();
    let mut c = db.session();
    // What is sorted or told apart goes to files; what becomes one value cannot.
    let sorted = "select count(*) from (select repeat('x', 1000) || g as s from generate_series(1, 100000) g order by 1) q";
    assert_eq!(c.value(sorted), "100000");
    let hashed =
        "select count(*) from (select distinct repeat('x', 1000) || g from generate_series(1, 100000) g) q";
    assert_eq!(c.value(hashed), "100000");
    let one = "select array_length(array_agg(repeat('x', 1000) || g), 1) from generate_series(1, 100000) g";
    assert_eq!(c.err(one), "53200");
    // The best few of many need little.
    let top = "select s from (select repeat('x', 1000) || g as s from generate_series(1, 100000) g) q order by s desc limit 1";
    assert!(c.value(top).ends_with("x99999"));
    assert_eq!(c.value("select count(*) from generate_series(1, 300000)"), "300000");
    // Each item of a path is a value of its own: all that contain the innermost are many times what they were made of.
    let nested = "(repeat('[', 5000) || '\"' || repeat('x', 20000) || '\"' || repeat(']', 5000))::jsonb";
    let all = format!("select count(*) from json_table({nested}, '$.**' columns (a jsonb path '$'))");
    assert_eq!(c.err(&all), "53200");
    let items = "(select jsonb_agg(g) from generate_series(1, 100000) g)";
    let few = format!("select count(*) from json_table({items}, '$[*]' columns (a int path '$'))");
    assert_eq!(c.value(&few), "100000");
}

#[test]
fn json_table_can_be_canceled() {
    let db = TestDb::new();
    let many = "(select jsonb_agg(g) from generate_series(1, 1000) g)";
    let nested = "columns (nested '$' columns (x int path '$'))";
    for sql in [
        // Many rows of little, and one path that takes long.
        format!("select count(*) from generate_series(1, 1000000) g, json_table({many}, '$[*]' {nested})"),
        format!(
            "select count(*) from json_table({many}, '$ ? (exists(@[*] ? (exists($[*] ? (exists($[*] ? (@ > 1000)))))))' {nested})"
        ),
    ] {
        let mut c = db.session();
        let interrupt = c.interrupt.clone();
        let canceler = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            interrupt.cancel();
        });
        assert_eq!(c.err(&sql), "57014", "{sql}");
        canceler.join().unwrap();
    }
}

/// Sets of relations have no bound, so that a condition is never checked before all that it reads is there.
#[test]
fn hundreds_of_relations_are_joined() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table one (id int primary key, v int)");
    c.ok("insert into one select g, g from generate_series(1, 5) g");
    for n in [63, 64, 65, 127, 128, 129, 130, 257] {
        let joins: String = (1..n).map(|i| format!(" join one x{i} on x{i}.id = x{}.id", i - 1)).collect();
        let last = n - 1;
        let (from, middle) = (format!("one x0{joins}"), n / 2);
        let sum =
            c.value(&format!("select count(*) + 100 * sum(x{last}.v) from {from} where x{middle}.id > 2"));
        assert_eq!(sum, "1203", "{n} relations");
        let lefts = from.replace(" join", " left join");
        let sum = c.value(&format!("select count(*) + 100 * sum(x{last}.v) from {lefts} and x{last}.id > 2"));
        assert_eq!(sum, "1205", "{n} relations");
    }
}

#[test]
fn rows_have_at_most_as_many_entries_as_postgresql_s() {
    let db = TestDb::new();
    let mut c = db.session();
    let list = |n: usize| vec!["1"; n].join(",");
    for (n, ok) in [(1664, true), (1665, false), (70_000, false)] {
        for text in [
            format!("select {}", list(n)),
            format!("values ({})", list(n)),
            format!("select row({})", list(n)),
            format!("select ({}) is null", list(n)),
        ] {
            if ok {
                c.ok(&text);
            } else {
                assert_eq!(c.err(&text), "54011")
            };
        }
    }
    c.ok("create table t (a int, b int)");
    let wide = "*,".repeat(832);
    c.ok(&format!("insert into t values (1, 2) returning {}", &wide[..wide.len() - 1]));
    assert_eq!(c.err(&format!("insert into t values (1, 2) returning {wide}a")), "54011");
    assert_eq!(c.err(&format!("select {wide}* from t")), "54011");
}

#[test]
fn nesting_is_bounded_on_a_small_stack() {
    let db = TestDb::new();
    let mut c = db.session();
    let run = move || {
        for sql in [
            format!("select {}1{}", "(".repeat(50_000), ")".repeat(50_000)),
            format!("select {}1", "- ".repeat(50_000)),
            format!("select 1{}", "+1".repeat(100_000)),
            format!("select {} 1", "not ".repeat(100_000)),
            format!("select true{}", " and true".repeat(100_000)),
            "select 1 union ".repeat(50_000) + "select 1",
            format!("select {}1{}", "array[".repeat(20_000), "]".repeat(20_000)),
            format!("select 1{}", "::text".repeat(100_000)),
        ] {
            let code = c.err(&sql);
            assert!(["54001", "42601", "54000"].contains(&code.as_str()), "{code} for {}", &sql[..40]);
        }
        // What is within the bounds works.
        c.ok(&format!("select 1{}", "+1".repeat(250)));
        c.ok(&format!("select true{}", " and true".repeat(900)));
        c.ok(&format!("select 1 in ({}1)", "2,".repeat(20_000)));
        c.ok(&format!("select {}1{}", "(".repeat(40), ")".repeat(40)));
        // Parts of one column that are assigned to are a list, however many they are.
        c.ok("create type pair as (x int, y int); create table parts (a int[], p pair[]); insert into parts values (null, null)");
        let all = |each: &dyn Fn(u32) -> String| (1..=3000).map(each).collect::<Vec<_>>().join(", ");
        c.ok(&format!("update parts set {}", all(&|n| format!("a[{n}] = {n}"))));
        c.ok(&format!("update parts set {}", all(&|n| format!("p[{}].x = {n}", n / 2 + 1))));
        c.ok(&format!(
            "insert into parts ({}) values ({})",
            all(&|n| format!("a[{n}]")),
            all(&|n| n.to_string())
        ));
        let told = c.rows("select a[3000], p[1501].x, cardinality(a) from parts order by p");
        assert_eq!(told, ["3000|3000|3000", "3000||3000"]);
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_definition_and_its_rows_survive_a_reopen() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let db = evenkeel::Database::open(folder.path().join("d"), evenkeel::Options::default()).unwrap();
        (db.clone(), evenkeel_sql::Instance::open(db).unwrap())
    };
    let session = |i: &std::sync::Arc<evenkeel_sql::Instance>| {
        let interrupt = evenkeel::Interrupt::new();
        let params = evenkeel_sql::SessionParams {
            user: "u".into(),
            database: "postgres".into(),
            application_name: String::new(),
            client_addr: None,
            client_port: None,
            server_addr: None,
            system_user: None,
            configured: Default::default(),
            settings: vec![],
            backend_pid: 1,
            interrupt: interrupt.clone(),
            statement_memory_bytes: 8 << 20,
            as_owner: true,
            log_origin: Default::default(),
        };
        support::Client { session: i.session(params).unwrap(), interrupt }
    };
    {
        let (db, instance) = open();
        let mut c = session(&instance);
        c.ok("create table t (id serial primary key, v text default 'x' not null check (v <> ''), p int references t)");
        c.ok("create unique index t_v on t (v desc)");
        c.ok("insert into t (v) values ('a'), ('b')");
        c.ok("analyze t");
        c.ok("create type mood as enum ('sad', 'ok')");
        c.ok("alter type mood add value 'fine' before 'ok'");
        c.ok("create table m (id int generated always as identity, m mood default 'fine' check (m <> 'sad'), j jsonb, g int generated always as (id * 2) stored)");
        c.ok("insert into m (j) values ('{\"a\": 1}')");
        c.ok("create index m_j on m using gin (j)");
        c.ok("create unique index m_fine on m (id) include (m) where m = 'fine'");
        c.ok("create view mv as select m.id, m, v from m join t using (id)");
        c.ok("create materialized view counts as select m, count(*) as n from mv group by m");
        c.ok("alter type mood rename value 'fine' to 'good'");
        c.ok("create extension pgcrypto");
        drop(c);
        drop(instance);
        db.close().unwrap();
    }
    let (db, instance) = open();
    let mut c = session(&instance);
    assert_eq!(c.rows("select id, v from t order by v desc"), ["2|b", "1|a"]);
    assert_eq!(c.rows("select * from mv"), ["1|good|a"]);
    assert_eq!(c.rows("select * from counts"), ["good|1"]);
    c.ok("insert into m (j) values ('{\"b\": 2}')");
    assert_eq!(c.rows("select m, g = id * 2 from m where j @> '{\"b\": 2}'"), ["good|t"]);
    assert_eq!(c.err("insert into m (m) values ('sad')"), "23514");
    assert_eq!(c.err("insert into m (m) values ('fine')"), "22P02");
    c.ok("delete from m where id = 1");
    assert_eq!(c.rows("select * from counts"), ["good|1"]);
    c.ok("refresh materialized view counts");
    assert!(c.rows("select * from counts").is_empty());
    assert_eq!(c.rows("select extname from pg_extension order by 1"), ["pgcrypto", "plpgsql"]);
    assert!(
        c.value("select last_value from t_id_seq").parse::<i64>().unwrap() >= 2,
        "before anybody asks for the next"
    );
    assert_eq!(c.err("insert into t (v) values ('a')"), "23505");
    assert_eq!(c.err("insert into t (v) values ('')"), "23514");
    assert_eq!(c.err("insert into t (v, p) values ('c', 99)"), "23503");
    c.ok("insert into t (v) values ('c')");
    assert!(c.value("select max(id) from t").parse::<i64>().unwrap() > 2);
    assert_eq!(c.value("select count(*) from pg_constraint where conrelid = 't'::regclass"), "5");
    drop(c);
    drop(instance);
    db.close().unwrap();
}

#[test]
fn settings_that_clients_watch_are_reported() {
    let db = TestDb::new();
    let mut c =
        db.session_with(&[("DateStyle", "ISO, DMY"), ("default_transaction_isolation", "serializable")]);
    let initial = c.session.initial_parameters();
    let get = |name: &str| initial.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
    assert_eq!(get("server_encoding"), Some("UTF8"));
    assert_eq!(get("DateStyle"), Some("ISO, DMY"));
    assert!(get("server_version").is_some_and(|v| v.starts_with("18.0")));
    assert_eq!(c.value("show transaction_isolation"), "serializable");
    c.ok("set timezone = 'Europe/Paris'");
    assert_eq!(c.session.take_parameter_changes(), [("TimeZone".to_owned(), "Europe/Paris".to_owned())]);
    c.ok("begin");
    c.ok("set application_name = 'x'");
    c.session.take_parameter_changes();
    c.ok("rollback");
    assert_eq!(c.session.take_parameter_changes(), [("application_name".to_owned(), "test".to_owned())]);
}

#[test]
fn time_limits_follow_every_way_of_setting_them() {
    let db = TestDb::new();
    let mut c = db.session_with(&[("statement_timeout", "9s")]);
    let limit = |c: &Client| c.session.timeouts().statement.map(|d| d.as_millis());
    assert_eq!(limit(&c), Some(9000));
    c.ok("set statement_timeout = '5s'");
    assert_eq!(limit(&c), Some(5000));
    c.ok("begin");
    c.ok("set local statement_timeout = '1s'");
    c.ok("savepoint s");
    c.ok("set statement_timeout = '2s'");
    assert_eq!(limit(&c), Some(2000));
    c.ok("rollback to s");
    assert_eq!(limit(&c), Some(1000));
    c.ok("commit");
    assert_eq!(limit(&c), Some(5000));
    c.ok("select set_config('statement_timeout', '3s', false)");
    assert_eq!(limit(&c), Some(3000));
    c.ok("reset statement_timeout");
    assert_eq!(limit(&c), Some(9000));
    c.ok("set statement_timeout = 0");
    assert_eq!(limit(&c), None);
    c.ok("discard all");
    assert_eq!(limit(&c), Some(9000));
}

#[test]
fn whoever_asks_for_a_transaction_s_id_gets_one() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t(a int primary key, x bigint default txid_current())");
    c.ok("begin read only");
    assert_eq!(c.value("select txid_current_if_assigned() is null"), "t");
    let id = c.value("select txid_current()");
    assert!(id.parse::<u64>().is_ok(), "{id:?}");
    assert_eq!(c.value("select txid_current_if_assigned()"), id);
    assert_eq!(c.value("select pg_current_xact_id()"), id);
    c.ok("commit");
    assert_ne!(c.value("select txid_current()"), id, "a transaction of its own");
    c.ok("begin");
    c.ok("insert into t values (1)");
    assert_eq!(c.value("select x = txid_current() from t"), "t");
    c.ok("commit");
}

/// Runs a portal for some rows; the first column of each as text, and whether it is complete.
fn fetch(c: &mut Client, portal: &mut evenkeel_sql::Portal, max_rows: u64) -> (Vec<String>, bool) {
    let mut out = Output::of(portal);
    let done = matches!(c.session.run(portal, max_rows, &mut out).unwrap(), Progress::Done(_));
    (out.rows.iter().map(|r| c.texts(r, &out.columns)[0].clone()).collect(), done)
}

#[test]
fn a_suspended_index_scan_reads_on_without_keeping_the_rest() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, s text)");
    // More than the statement's memory (32 MB).
    c.ok("insert into t select g, repeat('x', 20000) from generate_series(1, 2500) g");
    c.ok("begin");
    let ordered = c.session.prepare("select id, s from t where id > 0 order by id", &[]).unwrap();
    let mut portal = c.session.bind(&ordered, vec![]).unwrap();
    let mut seen = 0;
    loop {
        let (ids, done) = fetch(&mut c, &mut portal, 100);
        for id in ids {
            seen += 1;
            assert_eq!(id, seen.to_string());
        }
        if done {
            break;
        }
    }
    assert_eq!(seen, 2500);
    // Beside another statement it reads on; before a definition it is put aside, into a file, and what finds no room there fails the portal alone.
    let count = c.session.prepare("select count(*) from t", &[]).unwrap();
    for (limit, definition) in [("-1", "create table made (a int)"), ("1MB", "drop table made")] {
        c.ok(&format!("set temp_file_limit = '{limit}'"));
        let mut portal = c.session.bind(&ordered, vec![]).unwrap();
        fetch(&mut c, &mut portal, 1);
        let mut other = c.session.bind(&count, vec![]).unwrap();
        assert_eq!(fetch(&mut c, &mut other, 0).0, ["2500"]);
        assert_eq!(fetch(&mut c, &mut portal, 2).0, ["2", "3"]);
        let made = c.session.prepare(definition, &[]).unwrap();
        let mut made = c.session.bind(&made, vec![]).unwrap();
        fetch(&mut c, &mut made, 0);
        if limit == "-1" {
            assert_eq!(fetch(&mut c, &mut portal, 0).0.len(), 2497);
            continue;
        }
        let mut out = Output::of(&portal);
        let failed = c.session.run(&mut portal, 1, &mut out).map(|_| ()).unwrap_err();
        assert_eq!(failed.code.as_str(), "53400");
    }
    c.session.fail();
    c.ok("rollback");
}

#[test]
fn suspended_portals_keep_their_snapshot_beside_other_statements() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, v int)");
    c.ok("create index t_v on t (v)");
    c.ok("insert into t select g, g from generate_series(1, 20) g");
    c.ok("begin");
    let queries = [
        "select v from t where v > 0 order by v",
        "select v from t where id > 0 order by v + 0",
        "select a.v from t a join t b on a.id = b.id where a.id > 0 order by a.id",
    ];
    let mut portals = Vec::new();
    for sql in queries {
        let stmt = c.session.prepare(sql, &[]).unwrap();
        let mut portal = c.session.bind(&stmt, vec![]).unwrap();
        assert_eq!(fetch(&mut c, &mut portal, 2).0, ["1", "2"]);
        portals.push(portal);
    }
    let stmt = c.session.prepare("update t set v = v + 100", &[]).unwrap();
    let mut update = c.session.bind(&stmt, vec![]).unwrap();
    fetch(&mut c, &mut update, 0);
    for mut portal in portals {
        assert_eq!(fetch(&mut c, &mut portal, 2).0, ["3", "4"]);
        let (rest, done) = fetch(&mut c, &mut portal, 0);
        assert!(done);
        assert_eq!((rest.len(), rest[15].as_str()), (16, "20"));
    }
    let stmt = c.session.prepare(queries[0], &[]).unwrap();
    let mut portal = c.session.bind(&stmt, vec![]).unwrap();
    assert_eq!(fetch(&mut c, &mut portal, 1).0, ["101"]);
    c.ok("commit");
    let mut out = Output::of(&portal);
    let ended = c.session.run(&mut portal, 1, &mut out).map(|_| ()).unwrap_err();
    assert_eq!(ended.code.as_str(), "24000");
}

#[test]
fn the_log_s_statistics_have_postgresql_s_names_and_the_commits_distributions() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key)");
    for i in 0..5 {
        c.ok(&format!("insert into t values ({i})"));
    }
    let truth = |c: &mut Client, sql: &str| {
        let rows = c.ok(sql).rows;
        assert!(matches!(rows[..], [ref row] if matches!(row[..], [Datum::Bool(true)])), "{sql}: {rows:?}");
    };
    truth(
        &mut c,
        "select wal_records > 0 and wal_fpi >= 0 and wal_bytes > 0 and wal_buffers_full = 0 and wal_write > 0 and wal_sync = 0
            and wal_write_time >= 0 and wal_sync_time = 0 from pg_stat_wal",
    );
    truth(
        &mut c,
        "select writes > 0 and write_bytes > 0 and fsyncs = 0 from pg_stat_io where object = 'wal'",
    );
    truth(
        &mut c,
        "select pg_current_wal_lsn() = pg_current_wal_flush_lsn() and pg_current_wal_insert_lsn()::text like '0/%'",
    );
    truth(&mut c, "select pg_switch_wal() <= pg_current_wal_lsn()"); // without an archive there is nothing to send
    truth(
        &mut c,
        "select archived_count = 0 and failed_count = 0 and last_archived_wal is null and archive_url is null from pg_stat_archiver",
    );
    truth(
        &mut c,
        "select prefetch + hit + skip_init + skip_new + skip_fpw + skip_rep = 0 and wal_distance = 0 and io_depth = 0 and records = 0 and seconds = 0
            from pg_stat_recovery_prefetch",
    );
    let measures = c.ok("select measure from evenkeel_stat_commit order by 1").rows;
    let names: Vec<String> = measures.iter().map(|r| format!("{:?}", r[0])).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    truth(
        &mut c,
        "select samples > 0 and total > 0 and max > 0 from evenkeel_stat_commit where measure = 'gang_size'",
    );
    truth(
        &mut c,
        "select bool_and(s.samples = h.n) from evenkeel_stat_commit s
            join (select measure, sum(count) as n from evenkeel_stat_commit_histogram group by measure) h using (measure)",
    );
}

#[test]
fn a_restarted_identity_is_undone_with_its_transaction() {
    let db = TestDb::new();
    let (mut c, mut other) = (db.session(), db.session());
    c.ok("create table t (id int generated by default as identity primary key, s serial, v int)");
    c.ok("insert into t (v) select g from generate_series(1, 40) g");
    c.ok("begin");
    c.ok("truncate t restart identity");
    c.ok("insert into t (v) values (0), (0)");
    assert_eq!(c.rows("select id, s from t order by id"), ["1|1", "2|2"]);
    c.ok("rollback");
    // The next value would be a duplicate had the sequence stayed at its start.
    c.ok("insert into t (v) values (41)");
    let last: Vec<i64> =
        c.value("select id from t where v = 41").split('|').map(|n| n.parse().unwrap()).collect();
    assert!(last[0] > 40, "{last:?}");
    assert_eq!(c.value("select count(*) from t"), "41");

    // Whoever draws from it waits for that; afterwards it goes on, for more than a batch of values.
    other.ok("set lock_timeout = '50ms'");
    c.ok("begin");
    c.ok("truncate t restart identity");
    assert_eq!(other.err("select nextval('t_s_seq')"), "55P03");
    c.ok("rollback");
    other.ok("select nextval('t_s_seq') from generate_series(1, 100)");
    c.ok("truncate t restart identity");
    other.ok("insert into t (v) values (1)");
    c.ok("insert into t (v) values (2)");
    assert_eq!(c.rows("select id, s, v from t order by id"), ["1|1|1", "2|2|2"]);
    // It goes on so after the next start, which leaves no values but those in use.
    drop((c, other));
    let db = db.reopen();
    assert_eq!(stored_sequence_values(db.instance.database()), 2);
    let mut c = db.session();
    c.ok("insert into t (v) values (3)");
    assert_eq!(c.value("select id >= 3 and s >= 3 from t where v = 3"), "t");
    c.ok("truncate t restart identity");
    c.ok("insert into t (v) values (3)");
    assert_eq!(c.rows("select id, s from t"), ["1|1"]);
}

/// Rows of the catalog that hold a sequence's values.
fn stored_sequence_values(db: &Database) -> usize {
    let mut txn = db.begin(TxnOptions::default());
    txn.begin_statement();
    let mut cursor = txn.cursor(TreeId(16), KeyRange::prefix(&[4]), Direction::Forward).unwrap();
    std::iter::from_fn(|| cursor.next(&mut txn).unwrap().map(drop)).count()
}

#[test]
fn a_full_disk_keeps_no_database_with_restarted_sequences_from_opening() {
    let disk = SimDisk::new(SimOptions::default());
    let open = || {
        let options = Options::default().with("wal_segment_size", "64kB").unwrap();
        Database::open_on(Arc::new(disk.clone()), options.without_threads()).unwrap()
    };
    let db = open();
    let instance = Instance::open(db.clone()).unwrap();
    let mut c = Client::new(&instance, &[]);
    c.ok("create table t (a serial, b int)");
    for _ in 0..3 {
        c.ok("insert into t (b) values (1), (2)");
        c.ok("truncate t restart identity");
    }
    c.ok("insert into t (b) values (1), (2)");
    drop((c, instance));
    let left = stored_sequence_values(&db);
    assert!(left > 1, "{left}");
    db.close().unwrap();
    drop(db);

    let db = open();
    disk.set_capacity(disk.used_bytes());
    while db.mark("fills the log").is_ok() {}
    let instance = Instance::open(db.clone()).unwrap();
    assert_eq!(stored_sequence_values(&db), left, "nothing could be removed");
    let mut c = Client::new(&instance, &[]);
    assert_eq!(c.rows("select a, b from t order by 1"), ["1|1", "2|2"]);
    assert_eq!(c.err("insert into t (b) values (3)"), "53100");
    disk.set_capacity(u64::MAX);
    c.ok("insert into t (b) values (3)");
    assert_eq!(c.value("select count(distinct a) from t"), "3");
    drop((c, instance));
    db.close().unwrap();
    drop(db);

    let db = open();
    Instance::open(db.clone()).unwrap();
    assert_eq!(stored_sequence_values(&db), 1);
    db.close().unwrap();
}

/// EXPLAIN tells which pages, log and temporary files a statement used, and where.
#[test]
fn explain_tells_what_was_used() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table used (id int primary key, v text)");
    c.ok("checkpoint");
    let of = |plan: &str, key: &str| -> Vec<u64> {
        let all: serde_json::Value = serde_json::from_str(plan).expect("JSON");
        let mut found = Vec::new();
        let mut node = &all[0]["Plan"];
        while node.is_object() {
            found.push(node[key].as_u64().expect("a count"));
            node = &node["Plans"][0];
        }
        found
    };
    let explain = "explain (analyze, buffers, wal, format json) ";
    let plan = c.value(&format!("{explain} insert into used select g, g from generate_series(1, 100) g"));
    let (records, bytes) = (of(&plan, "WAL Records"), of(&plan, "WAL Bytes"));
    assert!(records[0] >= 100 && bytes[0] > 2000, "{plan}");
    assert_eq!((records[1], bytes[1]), (0, 0), "{plan}");
    assert!(of(&plan, "Shared Dirtied Blocks")[0] > 0, "{plan}");

    let plan = c.value(&format!("{explain} select v from used where id = 7"));
    assert!((2..10).contains(&of(&plan, "Shared Hit Blocks")[0]), "{plan}");
    assert_eq!(of(&plan, "WAL Records"), [0], "{plan}");
    let whole = c.value(&format!("{explain} select count(*) from used"));
    assert_eq!(of(&whole, "Shared Hit Blocks")[0], of(&whole, "Shared Hit Blocks")[1], "{whole}");

    c.ok("set work_mem = '64kB'");
    let sorted = "select g from generate_series(1, 30000) g order by -g";
    let plan = c.value(&format!("{explain} {sorted}"));
    let (written, read) = (of(&plan, "Temp Written Blocks"), of(&plan, "Temp Read Blocks"));
    assert!(written[0] > 20 && read[0] >= written[0] / 2, "{plan}");
    assert_eq!(of(&plan, "Temp Written Blocks").last(), Some(&0), "{plan}");
    let text = c.rows(&format!("explain analyze {sorted}")).join("\n");
    assert!(text.contains("Buffers: ") && text.contains("temp read="), "{text}");
}

/// A session of a user that proved nothing but its name.
fn log_in(db: &TestDb, user: &str, as_owner: bool) -> Result<evenkeel_sql::Session, evenkeel_sql::SqlError> {
    db.instance.session(evenkeel_sql::SessionParams {
        user: user.into(),
        database: "b".into(),
        application_name: String::new(),
        client_addr: None,
        client_port: None,
        server_addr: None,
        system_user: None,
        configured: Default::default(),
        settings: Vec::new(),
        backend_pid: 7,
        interrupt: evenkeel::Interrupt::new(),
        statement_memory_bytes: 8 << 20,
        as_owner,
        log_origin: Default::default(),
    })
}

#[test]
fn only_roles_that_may_log_in_get_a_session() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create role closed");
    c.ok("create role one login connection limit 1");
    c.ok("create role away login");
    c.ok("revoke connect on database b from public");
    c.ok("grant connect on database b to one, closed");
    let refused = |user: &str| match log_in(&db, user, false) {
        Ok(_) => panic!("{user} has got in"),
        Err(e) => (e.code.as_str().to_owned(), e.message.clone()),
    };
    let role = |what: &str| ("28000".to_owned(), what.to_owned());
    assert_eq!(refused("nobody"), role("role \"nobody\" does not exist"));
    assert_eq!(refused("closed"), role("role \"closed\" is not permitted to log in"));
    assert_eq!(refused("away").0, "42501");
    let first = log_in(&db, "one", false).map_err(|e| e.message.clone()).expect("within its limit");
    assert_eq!(refused("one"), ("53300".into(), "too many connections for role \"one\"".into()));
    drop(first);
    assert!(log_in(&db, "one", false).is_ok());
    // The folder's owner always gets in: as the role that it names, or as the bootstrap role.
    for (user, role) in [("nobody", "postgres"), ("closed", "closed")] {
        let mut session = log_in(&db, user, true).map_err(|e| e.message.clone()).expect("the owner gets in");
        let told = session.initial_parameters();
        assert!(told.contains(&("session_authorization".into(), role.into())), "{told:?}");
    }
}

#[test]
fn views_are_written_through_after_a_restart() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, a text, n int)");
    c.ok("create view v as select id, a as label, n from t where n > 0 with local check option");
    c.ok("create view w as select id, label from v where id < 100 with check option");
    c.ok("alter view v alter column n set default 7");
    drop(c);
    let db = db.reopen();
    let mut c = db.session();
    c.ok("insert into w values (1, 'x')");
    assert_eq!(c.rows("select * from t"), ["1|x|7"]);
    assert_eq!(c.err("insert into w values (100, 'x')"), "44000");
    assert_eq!(c.err("update v set n = 0"), "44000");
    c.ok("update w set label = 'y' where id = 1");
    assert_eq!(c.rows("select label from v"), ["y"]);
}

#[test]
fn domains_outlive_a_restart() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create domain pos as int default 5 not null check (value > 0)");
    c.ok("create domain even as pos constraint is_even check (value % 2 = 0)");
    c.ok("create table t (id int, p pos, e even default 2)");
    c.ok("create view v as select e, id::pos as i from t");
    c.ok("alter domain even add check (value < 10) not valid");
    c.ok("insert into t (id) values (1)");
    let look = "select (select array_agg(conname || convalidated || pg_get_constraintdef(oid) order by conname) from pg_constraint where contypid <> 0), \
                (select array_agg(atttypid::regtype order by attrelid, attnum) from pg_attribute where attrelid in ('t'::regclass, 'v'::regclass) and attnum > 0)";
    let before = c.rows(look);
    drop(c);
    let db = db.reopen();
    let mut c = db.session();
    assert_eq!(c.rows(look), before);
    assert_eq!(c.rows("select * from t"), ["1|5|2"]);
    assert_eq!(c.err("insert into t values (2, 0, 2)"), "23514");
    assert_eq!(c.err("insert into t values (2, 1, 12)"), "23514");
    assert_eq!(c.err("insert into t values (2, null, 2)"), "23502");
    assert_eq!(c.err("drop domain pos"), "2BP01");
    c.ok("drop domain pos cascade");
    assert_eq!(c.rows("select * from t"), ["1"]);
}

#[test]
fn roles_and_privileges_outlive_a_restart() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create role a login password 'secret'");
    c.ok("create role b in role a");
    c.ok("create table t (x int)");
    c.ok("alter table t owner to a");
    c.ok("grant select (x) on t to b");
    c.ok("alter default privileges for role a grant select on tables to b");
    c.ok("alter role a set work_mem = '7MB'");
    let look = "select (select array_agg(rolname || coalesce(left(rolpassword, 6), '')) from pg_authid where oid >= 16384), \
                (select relowner::regrole from pg_class where relname = 't'), (select attacl from pg_attribute where attname = 'x' and attacl is not null), \
                (select array_agg(member::regrole::text) from pg_auth_members where roleid = 'a'::regrole), (select defaclacl from pg_default_acl), \
                (select setconfig from pg_db_role_setting)";
    let before = c.rows(look);
    drop(c);
    let db = db.reopen();
    let mut c = db.session();
    assert_eq!(c.rows(look), before);
    assert_eq!(c.err("drop role a"), "2BP01");
    // Its settings are those of its sessions.
    let session = log_in(&db, "a", false).map_err(|e| e.message.clone()).expect("it may log in");
    let mut a = support::Client { session, interrupt: evenkeel::Interrupt::new() };
    assert_eq!(a.value("show work_mem"), "7MB");
    assert_eq!(a.err("create role c"), "42501");
}

#[test]
fn users_of_the_configuration_become_roles() {
    let db = TestDb::new();
    let users = [("ann".to_owned(), "SCRAM-SHA-256$4096:c2FsdA==$a:b".to_owned())];
    db.instance.adopt_users(&users, Some("me")).expect("the first time");
    let mut c = db.session();
    let look =
        "select rolname, rolsuper, rolcanlogin, rolpassword from pg_authid where oid >= 16384 order by 1";
    assert_eq!(c.rows(look), ["ann|t|t|SCRAM-SHA-256$4096:c2FsdA==$a:b", "me|t|t|"]);
    c.ok("drop role me");
    c.ok("alter role ann nosuperuser noreplication");
    db.instance.adopt_users(&users, Some("me")).expect("again");
    assert_eq!(c.rows(look), ["ann|f|t|SCRAM-SHA-256$4096:c2FsdA==$a:b"]);
    let role = db.instance.login_role("ann").expect("the catalog is there").expect("it is a role");
    assert!(role.can_login && !role.may_replicate && role.verifier.is_some());
    assert!(db.instance.login_role("me").expect("the catalog is there").is_none());
    c.ok("create role g role ann");
    assert!(db.instance.is_member_of("ann", "g").expect("the catalog is there"));
    assert!(!db.instance.is_member_of("postgres", "g").expect("superusers are members by grants only"));
}
