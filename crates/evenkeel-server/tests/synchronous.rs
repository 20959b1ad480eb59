//! Synchronous commit: what standbys have not confirmed is told to nobody, whatever becomes of whoever waits for it (S25; decision 013, 4 to 6).

mod common;

use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::*;
use evenkeel::{Database, Options, Synchronous};
use evenkeel_server::{Server, SqlService, Users};
use evenkeel_sql::Instance;

/// Long enough for anything that ends at all.
const LONG: Duration = Duration::from_secs(60);
/// Long enough for what would come if it did not have to wait.
const A_WHILE: Duration = Duration::from_millis(150);

struct Primary {
    server: Option<Server<SqlService>>,
    database: Database,
    folder: tempfile::TempDir,
}

impl Primary {
    fn new() -> Primary {
        Primary::start(tempfile::tempdir().unwrap(), "")
    }

    fn start(folder: tempfile::TempDir, names: &str) -> Primary {
        let whom = Synchronous::parse(names).unwrap();
        let options = Options::default()
            .with("shared_buffers", "16MB")
            .and_then(|o| o.with("fsync", "off"))
            .unwrap()
            .with_synchronous(whom);
        let database = Database::open(folder.path(), options).unwrap();
        let instance = Instance::open(database.clone()).unwrap();
        let service = Arc::new(SqlService::new(instance));
        let set = settings(&[("synchronous_standby_names", names)]);
        let server = Server::start(service, set, Users::new(), Vec::new()).unwrap();
        Primary { server: Some(server), database, folder }
    }

    fn server(&self) -> &Server<SqlService> {
        self.server.as_ref().unwrap()
    }

    fn connect(&self, params: &[(&str, &str)]) -> Client {
        let mut c = Client::new(TcpStream::connect(self.server().addresses()[0]).unwrap());
        c.start(params);
        c
    }

    fn client(&self) -> Client {
        self.connect(&[("user", "postgres")])
    }

    /// From now on these are asked.
    fn ask(&self, names: &str) {
        let set = settings(&[("synchronous_standby_names", names)]);
        assert_eq!(self.server().reload(&set, Users::new(), Vec::new()), [""; 0]);
    }

    /// Somebody of this name follows.
    fn follower(&self, name: &str) -> Follower {
        let mut c =
            self.connect(&[("user", "postgres"), ("replication", "true"), ("application_name", name)]);
        let at = self.database.durable_lsn();
        c.send(&[query(&format!("START_REPLICATION PHYSICAL {at} (life '0', compression 'off')"))]);
        assert_eq!(c.receive().kind, 'W');
        Follower(c)
    }

    /// All that is logged.
    fn end(&self) -> u64 {
        let end = self.database.insert_lsn();
        self.database.wait_durable(end).unwrap();
        end.0
    }

    fn restart(mut self, names: &str) -> Primary {
        drop(self.server.take());
        self.database.close().unwrap();
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        drop(self);
        Primary::start(folder, names)
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        drop(self.server.take());
        let _ = self.database.close();
    }
}

/// One that takes the log for what it is, and says what it is told to say.
struct Follower(Client);

impl Follower {
    fn confirm(&mut self, written: u64, durable: u64, applied: u64) {
        let mut status = vec![b'r'];
        for n in [written, durable, applied, 0] {
            status.extend_from_slice(&n.to_be_bytes());
        }
        status.push(0);
        self.0.send(&[frame(b'd', &status)]);
    }

    fn has(&mut self, lsn: u64) {
        self.confirm(lsn, lsn, lsn);
    }

    /// What the primary says may be told, once it is said to be `expected` or more.
    fn is_told(&mut self, expected: u64) {
        loop {
            let message = self.0.receive();
            let at = if message.body[0] == b'w' { 9 } else { 1 };
            if u64::from_be_bytes(message.body[at..at + 8].try_into().unwrap()) >= expected {
                return;
            }
        }
    }
}

/// Nothing has come within a while.
fn is_silent(c: &mut Client) -> bool {
    c.stream.set_read_timeout(Some(A_WHILE)).unwrap();
    let silent = c.stream.peek(&mut [0]).is_err();
    c.stream.set_read_timeout(Some(LONG)).unwrap();
    silent
}

fn ok(c: &mut Client, sql: &str) -> Vec<String> {
    c.send(&[query(sql)]);
    answer(c)
}

/// The first column of the rows of what was asked before.
fn answer(c: &mut Client) -> Vec<String> {
    let replies = c.until_ready();
    assert!(!replies.iter().any(|r| r.kind == 'E'), "{replies:?}");
    replies.iter().filter(|r| r.kind == 'D').map(|r| values(r)[0].clone().unwrap_or_default()).collect()
}

fn fails(c: &mut Client, code: &str) -> Reply {
    let replies = c.until_ready();
    let error = replies.iter().find(|r| r.kind == 'E').unwrap_or_else(|| panic!("{replies:?}"));
    assert_eq!(error.field(b'C').as_deref(), Some(code), "{error:?}");
    assert!(!replies.iter().any(|r| r.kind == 'D' || r.kind == 'C'), "nothing was told: {replies:?}");
    error.clone()
}

#[test]
fn a_commit_waits_for_standbys_and_so_does_whoever_meets_it() {
    let primary = Primary::new();
    let (mut a, mut b) = (primary.client(), primary.client());
    ok(&mut a, "CREATE TABLE t (n int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2)");
    let mut f = primary.follower("b");
    primary.ask("b");
    a.send(&[query("UPDATE t SET v = 10 WHERE n = 1")]);
    assert!(is_silent(&mut a), "nobody has it");
    // Others see it, and are not told; what rests on nothing of it is.
    b.send(&[query("SELECT v FROM t WHERE n = 1")]);
    assert!(is_silent(&mut b), "the row is a secret yet");
    let mut c = primary.client();
    assert_eq!(ok(&mut c, "SELECT v FROM t WHERE n = 2"), ["2"]);
    let waits = "SELECT state || ' ' || wait_event_type || ' ' || wait_event FROM pg_stat_activity WHERE query LIKE '%n = 1'";
    assert_eq!(ok(&mut c, waits), ["active IPC SyncRep"; 2]);
    c.send(&[query("INSERT INTO t VALUES (1, 0)")]);
    assert!(!is_silent(&mut c), "that the key is there was told long ago");
    fails(&mut c, "23505");
    assert_eq!(ok(&mut c, "SELECT 1"), ["1"]);
    // Only what is durable there counts.
    f.confirm(primary.end(), 0, 0);
    assert!(is_silent(&mut a));
    f.has(primary.end());
    assert_eq!(answer(&mut a), [""; 0]);
    assert_eq!(answer(&mut b), ["10"]);
    f.is_told(primary.end());

    // One who asks for less waits for less, and is told of others' no sooner.
    ok(&mut c, "SET synchronous_commit = local");
    let began = Instant::now();
    ok(&mut c, "UPDATE t SET v = 20 WHERE n = 2");
    assert_eq!(ok(&mut b, "SELECT v FROM t WHERE n = 2"), ["20"]);
    a.send(&[query("UPDATE t SET v = 11 WHERE n = 1")]);
    assert!(is_silent(&mut a));
    c.send(&[query("SELECT v FROM t WHERE n = 1")]);
    assert!(is_silent(&mut c), "it is another's");
    // Nor of what it makes of them.
    let mut d = primary.client();
    ok(&mut d, "SET synchronous_commit = local");
    d.send(&[query("UPDATE t SET v = v + 1 WHERE n = 1 RETURNING v")]);
    assert!(is_silent(&mut d));
    f.has(primary.end());
    assert_eq!(
        (answer(&mut a), answer(&mut c), answer(&mut d)),
        (vec![], vec!["11".into()], vec!["12".into()])
    );
    // Nobody is asked any more: whoever waits is told.
    a.send(&[query("UPDATE t SET v = 13 WHERE n = 1")]);
    assert!(is_silent(&mut a));
    primary.ask("");
    assert_eq!(answer(&mut a), [""; 0]);
    assert!(began.elapsed() < LONG);
}

#[test]
fn levels_ask_for_what_they_say() {
    let primary = Primary::new();
    let mut a = primary.client();
    ok(&mut a, "CREATE TABLE t (n int PRIMARY KEY)");
    let mut f = primary.follower("b");
    primary.ask("b");
    let mut n = 0;
    let mut waits = |level: &str, a: &mut Client| {
        n += 1;
        a.send(&[query(&format!("SET synchronous_commit = {level}; INSERT INTO t VALUES ({n})"))]);
    };
    waits("remote_write", &mut a);
    assert!(is_silent(&mut a));
    f.confirm(primary.end(), 0, 0);
    answer(&mut a);
    waits("on", &mut a);
    assert!(is_silent(&mut a));
    f.confirm(primary.end(), 0, 0);
    assert!(is_silent(&mut a));
    f.confirm(primary.end(), primary.end(), 0);
    answer(&mut a);
    waits("remote_apply", &mut a);
    assert!(is_silent(&mut a));
    f.confirm(primary.end(), primary.end(), 0);
    assert!(is_silent(&mut a));
    f.confirm(primary.end(), 0, primary.end());
    assert!(is_silent(&mut a), "what is applied, and not durable, can be lost");
    f.has(primary.end());
    answer(&mut a);
    // It is of the transaction, also where the session goes back afterwards.
    a.send(&[query("SET synchronous_commit = off; BEGIN; SET LOCAL synchronous_commit = on; INSERT INTO t VALUES (100); COMMIT; SELECT 1")]);
    assert!(is_silent(&mut a));
    f.has(primary.end());
    assert_eq!(answer(&mut a), ["1"]);
    waits("off", &mut a);
    answer(&mut a);
}

#[test]
fn two_of_three_are_enough_and_one_of_a_name_is_one() {
    let primary = Primary::new();
    let mut a = primary.client();
    ok(&mut a, "CREATE TABLE t (n int PRIMARY KEY)");
    let (mut b, mut again, mut c) = (primary.follower("b"), primary.follower("b"), primary.follower("c"));
    primary.ask("ANY 2 (b, c, d)");
    a.send(&[query("INSERT INTO t VALUES (1)")]);
    assert!(is_silent(&mut a));
    b.has(primary.end());
    again.has(primary.end());
    assert!(is_silent(&mut a), "they are the same standby, for all that is known");
    c.has(primary.end());
    answer(&mut a);
    let mut e = primary.follower("e");
    let states = "SELECT application_name || ' ' || sync_state || ' ' || sync_priority FROM pg_stat_replication ORDER BY pid";
    assert_eq!(ok(&mut a, states), ["b async 0", "b quorum 1", "c quorum 2", "e async 0"]);
    primary.ask("FIRST 1 (c, b)");
    assert_eq!(ok(&mut a, states), ["b async 0", "b potential 2", "c sync 1", "e async 0"]);
    a.send(&[query("INSERT INTO t VALUES (2)")]);
    assert!(is_silent(&mut a));
    again.has(primary.end());
    e.has(primary.end());
    assert!(is_silent(&mut a));
    drop(c);
    answer(&mut a);
}

#[test]
fn a_canceled_wait_is_in_doubt_and_changes_nothing_for_others() {
    let primary = Primary::new();
    let mut a = primary.client();
    ok(&mut a, "CREATE TABLE t (n int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1)");
    let mut f = primary.follower("b");
    primary.ask("b");
    // By its own limit; a read that waits ends as any other statement does.
    ok(&mut a, "SET statement_timeout = '50ms'");
    a.send(&[query("UPDATE t SET v = 2")]);
    let e = fails(&mut a, "40003");
    assert!(e.field(b'M').unwrap().contains("statement timeout"), "{e:?}");
    assert!(e.field(b'D').unwrap().contains("already committed locally"), "{e:?}");
    a.send(&[query("SELECT v FROM t")]);
    fails(&mut a, "57014");
    a.send(&[query("BEGIN")]);
    answer(&mut a);
    a.send(&[query("SELECT v FROM t")]);
    fails(&mut a, "57014");
    a.send(&[query("SELECT 1")]);
    fails(&mut a, "25P02");
    a.send(&[query("ROLLBACK")]);
    answer(&mut a);
    // In a batch of the extended protocol, before its end.
    a.send(&[parse("", "SELECT v FROM t", &[]), bind("", "", &[], &[], &[]), execute("", 0), flush()]);
    assert_eq!(a.receive().field(b'C').as_deref(), Some("57014"));
    a.send(&[sync()]);
    assert_eq!(a.receive().kind, 'Z');
    // By somebody else; who waits is not told either, and is told in the end.
    ok(&mut a, "SET statement_timeout = 0");
    let mut b = primary.client();
    b.send(&[query("SELECT v FROM t")]);
    assert!(is_silent(&mut b));
    a.send(&[query("UPDATE t SET v = 3")]);
    assert!(is_silent(&mut a));
    let mut other = primary.client();
    ok(&mut other, &format!("SELECT pg_cancel_backend({})", a.pid));
    fails(&mut a, "40003");
    assert!(is_silent(&mut b));
    // Whoever goes leaves nothing; whoever is made to go is told nothing.
    a.send(&[query("UPDATE t SET v = 4")]);
    assert!(is_silent(&mut a));
    let pid = a.pid;
    ok(&mut other, &format!("SELECT pg_terminate_backend({pid})"));
    let last: Vec<_> = std::iter::from_fn(|| a.try_receive()).collect();
    assert_eq!(last.len(), 1, "{last:?}");
    assert_eq!(last[0].field(b'C').as_deref(), Some("57P01"));
    let mut gone = primary.client();
    gone.send(&[query("UPDATE t SET v = 5")]);
    assert!(is_silent(&mut gone));
    drop(gone);
    f.has(primary.end());
    assert_eq!(answer(&mut b).len(), 1);
    assert_eq!(ok(&mut b, "SELECT v FROM t"), ["5"]);
}

#[test]
fn rows_that_are_sent_midway_wait_too() {
    let primary = Primary::new();
    let mut a = primary.client();
    ok(
        &mut a,
        "CREATE TABLE t (n int PRIMARY KEY, s text); INSERT INTO t SELECT g, repeat('x', 100) FROM generate_series(1, 5000) g",
    );
    let mut f = primary.follower("b");
    primary.ask("b");
    a.send(&[query("UPDATE t SET s = 'y' WHERE n = 1")]);
    assert!(is_silent(&mut a));
    let mut b = primary.client();
    b.send(&[query("SELECT n || s FROM t ORDER BY n")]);
    assert!(is_silent(&mut b));
    let mut c = primary.client();
    ok(&mut c, &format!("SELECT pg_cancel_backend({})", b.pid));
    fails_after_rows(&mut b);
    b.send(&[query("SELECT n || s FROM t ORDER BY n")]);
    assert!(is_silent(&mut b));
    f.has(primary.end());
    answer(&mut a);
    assert_eq!(answer(&mut b).len(), 5000);
}

/// It fails, and has told of no row.
fn fails_after_rows(c: &mut Client) {
    let replies = c.until_ready();
    assert!(!replies.iter().any(|r| r.kind == 'D'), "nothing was told");
    assert!(replies.iter().any(|r| r.field(b'C').as_deref() == Some("57014")), "{replies:?}");
}

#[test]
fn definitions_and_numbers_are_told_as_late() {
    let primary = Primary::new();
    let mut a = primary.client();
    ok(&mut a, "CREATE SEQUENCE s");
    let mut f = primary.follower("b");
    primary.ask("b");
    a.send(&[query("CREATE TABLE t (n int)")]);
    assert!(is_silent(&mut a));
    let (mut b, mut c, mut d) = (primary.client(), primary.client(), primary.client());
    b.send(&[query("SELECT count(*) FROM t")]);
    assert!(is_silent(&mut b), "that it is there is told by nobody");
    c.send(&[query("SELECT oid FROM pg_class WHERE relname = 't'")]);
    assert!(is_silent(&mut c));
    d.send(&[query("CREATE TABLE t (m int)")]);
    assert!(is_silent(&mut d), "nor by an error");
    assert_eq!(ok(&mut primary.client(), "SELECT 1"), ["1"]);
    assert_eq!(ok(&mut primary.client(), "SELECT pg_is_in_recovery()"), ["f"]);
    f.has(primary.end());
    assert_eq!((answer(&mut a), answer(&mut b)), (vec![], vec!["0".into()]));
    assert_eq!(answer(&mut c).len(), 1);
    fails(&mut d, "42P07");
    a.send(&[query("SELECT nextval('s')")]);
    assert!(is_silent(&mut a));
    ok(&mut b, "SET synchronous_commit = off");
    assert_eq!(ok(&mut b, "SELECT nextval('s')"), ["2"], "its own commits are not asked about either");
    b.send(&[query("SELECT last_value FROM s")]);
    assert!(is_silent(&mut b), "others have drawn, too");
    f.has(primary.end());
    assert_eq!((answer(&mut a), answer(&mut b)), (vec!["1".into()], vec!["2".into()]));
}

/// A session that begins works by what is kept for its role and database; what that is, is told as late as the rest. What is not kept, or what it has set itself, waits for nobody.
#[test]
fn settings_that_are_kept_for_roles_and_databases_are_told_as_late() {
    let primary = Primary::new();
    let mut a = primary.client();
    let mut f = primary.follower("b");
    primary.ask("b");
    a.send(&[query(
        "ALTER ROLE postgres SET my.value = 'new'; ALTER DATABASE postgres SET work_mem = '5MB'",
    )]);
    assert!(is_silent(&mut a));
    let asked = [
        ("SHOW work_mem", "5MB"),
        ("SHOW my.value", "new"),
        ("SELECT current_setting('work_mem')", "5MB"),
        ("SELECT setting FROM pg_settings WHERE name = 'work_mem'", "5120"),
        ("SELECT current_setting('my.value')", "new"),
    ];
    let mut waiting = Vec::new();
    for (sql, value) in asked {
        let mut c = primary.client();
        assert_eq!(ok(&mut c, "SELECT 1"), ["1"]);
        assert_eq!(ok(&mut c, "SHOW maintenance_work_mem"), ["64MB"]);
        assert_eq!(ok(&mut c, "SELECT current_setting('fsync')"), ["off"]);
        c.send(&[query(sql)]);
        assert!(is_silent(&mut c), "{sql}");
        waiting.push((c, sql, value));
    }
    let mut own = primary.client();
    ok(&mut own, "SET work_mem = '7MB'");
    assert_eq!(ok(&mut own, "SHOW work_mem"), ["7MB"]);
    f.has(primary.end());
    answer(&mut a);
    for (mut c, sql, value) in waiting {
        assert_eq!(answer(&mut c), [value], "{sql}");
    }
}

/// Those of them that a client is told when it is let in, too; but nobody is kept out for ever.
#[test]
fn who_logs_in_is_told_kept_settings_as_late_or_that_they_may_be_lost() {
    let primary = Primary::new();
    let mut a = primary.client();
    let mut f = primary.follower("b");
    let ask = |limit: &str| {
        let set = settings(&[("synchronous_standby_names", "b"), ("authentication_timeout", limit)]);
        assert_eq!(primary.server().reload(&set, Users::new(), Vec::new()), [""; 0]);
    };
    let stranger = || {
        let mut c = Client::new(TcpStream::connect(primary.server().addresses()[0]).unwrap());
        c.send(&[startup_packet(3 << 16, &[("user", "postgres"), ("database", "postgres")])]);
        c
    };
    let greeting = |c: &mut Client| {
        let mut told = String::new();
        while !told.contains("Z \"I\"") {
            told += &format!("{:?}\n", c.receive());
        }
        told
    };
    ask("1min");
    a.send(&[query("ALTER ROLE postgres SET timezone = 'Europe/Paris'")]);
    assert!(is_silent(&mut a));
    let mut waits = stranger();
    assert!(is_silent(&mut waits));
    f.has(primary.end());
    answer(&mut a);
    assert!(greeting(&mut waits).contains("Europe/Paris"));
    // The standby says no more.
    ask("1s");
    a.send(&[query("ALTER ROLE postgres SET timezone = 'Europe/Rome'")]);
    assert!(is_silent(&mut a));
    let mut c = stranger();
    assert!(greeting(&mut c).contains("Europe/Rome"));
    let warning = c.receive();
    assert!(warning.kind == 'N' && warning.field(b'M').unwrap().contains("that a failover may lose"));
    assert_eq!(ok(&mut c, "SELECT 1"), ["1"]);
    f.has(primary.end());
    answer(&mut a);
}

/// What a start finds may have been told to nobody before it, so it is told to nobody before standbys have it.
#[test]
fn after_a_restart_nothing_is_told_before_standbys_have_it() {
    let primary = Primary::new();
    let mut a = primary.client();
    ok(&mut a, "CREATE TABLE t (n int PRIMARY KEY); INSERT INTO t VALUES (1)");
    drop(a);
    let primary = primary.restart("b");
    let (mut a, mut b) = (primary.client(), primary.client());
    assert_eq!(ok(&mut b, "SELECT 1"), ["1"]);
    a.send(&[query("SELECT n FROM t")]);
    assert!(is_silent(&mut a));
    b.send(&[query("SELECT * FROM nonsense")]);
    assert!(is_silent(&mut b), "that there is no such table");
    let mut c = primary.client();
    ok(&mut c, "SET synchronous_commit = local");
    c.send(&[query("INSERT INTO t VALUES (1)")]);
    assert!(is_silent(&mut c), "that there is such a key");
    let mut f = primary.follower("b");
    assert!(is_silent(&mut a), "it has said nothing yet");
    f.has(primary.end());
    assert_eq!(answer(&mut a), ["1"]);
    fails(&mut b, "42P01");
    fails(&mut c, "23505");
}

#[test]
fn a_shutdown_waits_for_no_standby() {
    let primary = Primary::new();
    let mut a = primary.client();
    ok(&mut a, "CREATE TABLE t (n int PRIMARY KEY)");
    primary.ask("b");
    a.send(&[query("INSERT INTO t VALUES (1)")]);
    assert!(is_silent(&mut a));
    let began = Instant::now();
    let primary = primary.restart("");
    assert!(began.elapsed() < Duration::from_secs(30));
    let last: Vec<_> = std::iter::from_fn(|| a.try_receive()).collect();
    assert!(last.iter().all(|r| r.kind == 'E'), "nothing but an error: {last:?}");
    assert_eq!(ok(&mut primary.client(), "SELECT n FROM t"), ["1"], "it was committed here");
}

/// Whoever looks why nothing is answered is answered: by what this server alone knows, and no failover takes away.
#[test]
fn what_a_server_says_of_itself_waits_for_nobody() {
    let primary = Primary::new();
    let mut a = primary.client();
    ok(
        &mut a,
        "CREATE ROLE plain LOGIN IN ROLE pg_monitor; CREATE TABLE t (n int); CREATE TYPE mood AS ENUM ('sad'); CREATE DOMAIN positive AS int CHECK (VALUE > 0);
         CREATE VIEW v AS SELECT pid FROM pg_stat_activity; CREATE SCHEMA s; CREATE TABLE s.pg_stat_wal (n int);
         SELECT pg_create_physical_replication_slot('c')",
    );
    let plain = primary.connect(&[("user", "plain"), ("database", "postgres")]);
    drop((a, plain));
    let primary = primary.restart("b");
    let mut a = primary.client();
    let _f = primary.follower("b");
    let told = [
        ("SELECT application_name, usename, sync_state FROM pg_stat_replication", "b"),
        ("SELECT count(*) FROM pg_stat_replication WHERE usesysid IS NULL", "1"),
        ("SELECT slot_name FROM pg_replication_slots", "c"),
        ("SELECT setting FROM pg_settings WHERE name = 'work_mem'", "4096"),
        ("SELECT usename FROM pg_stat_activity WHERE pid = pg_backend_pid()", "postgres"),
        (
            "SELECT count(*), current_setting('max_connections') FROM pg_stat_activity WHERE backend_type = 'client backend'",
            "1",
        ),
        (
            "SELECT extract(epoch FROM now() - backend_start)::bigint / 60 FROM pg_stat_activity WHERE backend_start < now() + interval '1 h' ORDER BY backend_start DESC LIMIT 1",
            "0",
        ),
        (
            "SELECT CASE WHEN pg_is_in_recovery() THEN 0 ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), pg_current_wal_lsn()) END, (SELECT status FROM pg_stat_wal_receiver) FROM pg_stat_archiver",
            "0",
        ),
        (
            "SELECT count(*) FROM pg_stat_activity a LEFT JOIN pg_stat_replication r USING (pid) WHERE r.pid IS NOT NULL",
            "1",
        ),
        ("SELECT count(*) FROM pg_catalog.pg_stat_io WHERE false", "0"),
        ("SELECT pg_drop_replication_slot('c')", ""),
    ];
    for (sql, first) in told {
        assert_eq!(ok(&mut a, sql), [first], "{sql}");
    }
    ok(
        &mut a,
        "SELECT * FROM pg_stat_activity; SELECT * FROM pg_stat_replication; SELECT * FROM pg_settings",
    );
    // In the extended protocol, which tells the shape of the answer first.
    a.send(&[parse("", "SELECT slot_name FROM pg_replication_slots", &[]), describe('S', ""), sync()]);
    assert!(a.until_ready().iter().any(|r| r.kind == 'T'));

    // What a failover could lose is told by none of them.
    let mut waiting: Vec<(&str, Client)> = Vec::new();
    for sql in [
        "SELECT datname FROM pg_database",
        "SELECT pid FROM v",
        "SELECT pid FROM pg_stat_activity WHERE EXISTS (SELECT FROM t)",
        "SELECT pid, 't'::regclass FROM pg_stat_activity",
        "SELECT 't'::regclass::oid",
        "SELECT 'sad'::mood",
        "SELECT 'sad'::mood IS NULL",
        "SELECT 5::positive + 1",
        "SELECT has_table_privilege('t', 'select') FROM pg_stat_activity",
        "SELECT pid FROM pg_stat_activity JOIN pg_roles ON usesysid = oid",
        "SELECT wal_records FROM pg_stat_wal LEFT JOIN (SELECT 1 FROM t LIMIT 1) ON false",
        "SET search_path = s, pg_catalog; SELECT * FROM pg_stat_wal",
        "SET search_path = x, pg_catalog; SELECT wal_records FROM pg_stat_wal",
        "SET ROLE plain;SELECT pid FROM pg_stat_activity",
        "SELECT pg_drop_replication_slot('nobody')",
    ] {
        let mut c = primary.client();
        let (before, sql) = sql.split_once("; ").unwrap_or(("", sql));
        ok(&mut c, before);
        c.send(&[query(sql)]);
        waiting.push((sql, c));
    }
    let mut plain = primary.connect(&[("user", "plain"), ("database", "postgres")]);
    plain.send(&[query("SELECT query FROM pg_stat_activity")]);
    waiting.push(("as a member of pg_monitor", plain));
    for (sql, c) in &mut waiting {
        assert!(is_silent(c), "{sql}");
    }
}
