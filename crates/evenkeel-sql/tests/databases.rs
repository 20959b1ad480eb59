//! Databases: what is in one is not in another; copies; what a restart and a crash leave.

mod support;

use support::{Client, TestDb};

fn within(db: &TestDb, database: &str) -> Client {
    Client::within(&db.instance, database, &[]).expect("session begins")
}

/// The tables and what is in them, of the script below.
fn shown(c: &mut Client) -> String {
    let tables = c.value("select string_agg(relname, ',' order by relname) from pg_class where oid >= 16384");
    let rows = c.value("select string_agg(t::text, ' ' order by a) from public.t");
    let next = c.value("select last_value from t_a_seq");
    let found = c.value("select count(*) from t where doc @> '{\"x\": 1}'");
    let view = c.value("select count(*) from v where m = 'ok'");
    format!("{tables} | {rows} | {next} | {found} | {view}")
}

const SCRIPT: &str = "create type mood as enum ('sad', 'ok');
    create table t (a serial primary key, b text, doc jsonb, m mood default 'ok', c int check (c > 0));
    create index on t using gin (doc);
    create index on t (upper(b)) where c > 1;
    create view v as select a, m from t where m > 'sad';
    create materialized view mv as select count(*) from t;
    comment on table t is 'a table';
    create role ann;
    grant select on t to ann;
    create schema s;
    create table s.t (a int references t);
    insert into t (b, doc, c) select 'b' || n, jsonb_build_object('x', n % 3), n from generate_series(1, 10) n;
    insert into t (b) values (repeat('long', 20000));
    insert into s.t values (1), (2);
    analyze";

#[test]
fn a_copy_is_like_its_template_and_goes_its_own_way() {
    let db = TestDb::new();
    let mut admin = within(&db, "postgres");
    admin.ok("create database one");
    {
        let mut one = within(&db, "one");
        one.ok(SCRIPT);
    }
    admin.ok("create database two template one");
    assert_eq!(admin.value("select count(*) from pg_class where relname = 't'"), "0");
    assert_eq!(admin.err("select * from t"), "42P01");
    let (mut one, mut two) = (within(&db, "one"), within(&db, "two"));
    assert_eq!(shown(&mut one), shown(&mut two));
    assert_eq!(two.value("select obj_description('t'::regclass)"), "a table");
    assert_eq!(two.value("select has_table_privilege('ann', 't', 'select')"), "t");
    two.ok("insert into t (b, doc, m, c) values ('B3', '{\"x\": 1}', 'sad', 9)");
    assert_eq!(two.err("insert into s.t values (99)"), "23503");
    assert_eq!(two.err("insert into t (c) values (0)"), "23514");
    two.ok("alter type mood add value 'happy'; drop table s.t; refresh materialized view mv");
    one.ok("drop view v; create view v as select a, m from t where a < 3");
    one.ok("delete from t where a > 5");
    assert_eq!(two.value("select count(*) from t"), "12");
    assert_eq!(one.value("select count(*) from t"), "5");
    assert_eq!(one.value("select nextval('t_a_seq')"), two.value("select nextval('t_a_seq') - 2"));
    assert_eq!(one.err("select 'happy'::mood"), "22P02");
    // What belongs to all is there at once, and keeps its roles.
    admin.ok("create role late");
    two.ok("grant select on t to late; alter table t owner to late");
    assert_eq!(admin.err("drop role late"), "2BP01");
    drop((one, two, admin));
    db.check();
    let db = db.reopen();
    let (mut one, mut two) = (within(&db, "one"), within(&db, "two"));
    assert_eq!(one.value("select count(*) from t"), "5");
    assert_eq!(two.value("select count(*) from t where b is not null"), "12");
    assert_eq!(two.value("select 'happy'::mood > 'ok'"), "t");
    assert_eq!(one.value("select count(*) from s.t"), "2");
    drop((one, two));
    let after = db.after_crash();
    let mut admin = within(&after, "postgres");
    admin.ok("drop database one");
    assert_eq!(admin.err("drop role late"), "2BP01");
    admin.ok("drop database two");
    admin.ok("drop role late, ann");
    assert_eq!(
        admin.value("select string_agg(datname, ',' order by oid) from pg_database"),
        "template1,template0,postgres"
    );
    drop(admin);
    after.check();
    let again = after.after_crash();
    assert!(Client::within(&again.instance, "one", &[]).is_err());
    again.check();
}

#[test]
fn sessions_meet_only_within_a_database() {
    let db = TestDb::new();
    let mut a = within(&db, "postgres");
    a.ok("create database other");
    let mut b = within(&db, "other");
    let mut near = within(&db, "postgres");
    for c in [&mut b, &mut near] {
        c.ok("listen news");
    }
    a.ok("notify news, 'x'");
    assert_eq!(near.session.take_notifications().len(), 1);
    assert!(b.session.take_notifications().is_empty());
    a.ok("select pg_advisory_lock(1)");
    assert_eq!(b.value("select pg_try_advisory_lock(1)"), "t");
    assert_eq!(near.value("select pg_try_advisory_lock(1)"), "f");
    // Nobody waits for the other's name.
    a.ok("begin; create table t (a int)");
    b.ok("begin; create table t (b text)");
    a.ok("commit");
    b.ok("commit");
    assert_eq!(
        b.value("select string_agg(datname, ',' order by datname) from pg_stat_activity"),
        "other,postgres,postgres"
    );
    // Settings of the database and of a role within it.
    a.ok("alter database other set work_mem = '9MB'; alter role postgres in database other set work_mem = '10MB'");
    assert_eq!(within(&db, "other").value("show work_mem"), "10MB");
    assert_ne!(within(&db, "postgres").value("show work_mem"), "10MB");
    a.ok("alter database other connection limit 1");
    a.ok("create role ann login");
    let refused = |database: &str| {
        let params = evenkeel_sql::SessionParams {
            user: "ann".into(),
            database: database.into(),
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
            as_owner: false,
            log_origin: Default::default(),
        };
        db.instance.session(params).map(drop).map_err(|e| (e.code.to_string(), e.message.clone()))
    };
    assert_eq!(refused("other").unwrap_err().0, "53300");
    assert_eq!(
        refused("template0").unwrap_err().1,
        "database \"template0\" is not currently accepting connections"
    );
    assert_eq!(
        refused("nowhere").unwrap_err(),
        ("3D000".into(), "database \"nowhere\" does not exist".into())
    );
    a.ok("alter database other connection limit -1; revoke connect on database other from public");
    assert_eq!(refused("other").unwrap_err().1, "permission denied for database \"other\"");
    refused("postgres").unwrap();
}

#[test]
fn a_database_in_use_stays() {
    let db = TestDb::new();
    let mut a = within(&db, "postgres");
    a.ok("create database other");
    let b = within(&db, "other");
    for statement in
        ["drop database other", "alter database other rename to x", "create database x template other"]
    {
        assert_eq!(a.err(statement), "55006", "{statement}");
    }
    drop(b);
    // One that begins meanwhile waits, and finds what there is then.
    std::thread::scope(|s| {
        let instance = &db.instance;
        let comers: Vec<_> =
            (0..4).map(|_| s.spawn(move || Client::within(instance, "other", &[]).map(drop))).collect();
        for n in 0..20 {
            a.ok(&format!("create database n{n} template template0"));
            a.ok(&format!("drop database n{n}"));
        }
        comers.into_iter().for_each(|c| c.join().unwrap().unwrap());
    });
    a.ok("drop database other");
    assert_eq!(a.value("select count(*) from pg_database"), "3");
}

#[test]
fn one_template_is_copied_by_many_at_once() {
    let db = TestDb::new();
    {
        let mut admin = within(&db, "postgres");
        admin.ok("create database pattern");
        within(&db, "pattern").ok("create table t as select n from generate_series(1, 3000) n");
    }
    std::thread::scope(|s| {
        for n in 0..6 {
            let db = &db;
            s.spawn(move || within(db, "postgres").ok(&format!("create database copy{n} template pattern")));
        }
    });
    for n in 0..6 {
        assert_eq!(within(&db, &format!("copy{n}")).value("select count(*), max(n) from t"), "3000|3000");
    }
    // Who drops it waits for those who copy it; it is open to others again.
    assert_eq!(within(&db, "pattern").value("select count(*) from t"), "3000");
    within(&db, "postgres").ok("drop database pattern");
}
