//! A standby from nothing to a primary, by the commands and over the network: what a client was told before the primary died is there afterwards.

mod common;

use common::following::{SOON, caught_up, conninfo, create, reader, wait_for};
use common::{Client, Serving, run, stderr, stdout};
use rustix::process::Signal;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => copy_folder(&entry.path(), &target),
            kind if kind.is_file() => drop(std::fs::copy(entry.path(), target).unwrap()),
            _ => {}
        }
    }
}

#[test]
fn a_standby_follows_through_crashes_of_both_and_takes_over() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let mut primary = Serving::start(&a, &[]);
    let mut c = primary.client();
    c.query("CREATE TABLE t (n int PRIMARY KEY, s text)");
    c.query("INSERT INTO t SELECT g, repeat('x', 100) FROM generate_series(1, 5000) g");
    let said = create(&b, &conninfo(&primary), &[]).unwrap();
    assert!(said.contains("slot there is \"b\"") && said.contains("evenkeel serve"), "{said}");
    assert!(create(&b, &conninfo(&primary), &[]).unwrap_err().contains("not empty"));
    let refused = create(&dir.path().join("c"), &conninfo(&primary), &["--slot", "b"]).unwrap_err();
    assert!(refused.contains("already") && refused.contains("--slot"), "{refused}");

    // It is down while rows are added and a table goes, and catches up.
    c.query("INSERT INTO t SELECT g, 'y' FROM generate_series(5001, 6000) g; CREATE TABLE gone (a int); DROP TABLE gone");
    let mut standby = Serving::start(&b, &SOON);
    caught_up(&mut c);
    let mut r = reader(&standby);
    assert_eq!(r.query("SELECT count(*) FROM t"), ["6000"]);
    assert_eq!(c.query("SELECT slot_name, active FROM pg_replication_slots").join(","), "b\0\0\0\u{1}t");

    // Crashes of the standby, and of the primary, whose next life it follows into.
    for round in 0..3 {
        standby.signal(Signal::KILL);
        c.query(&format!("UPDATE t SET s = 'round {round}' WHERE n % 7 = 0"));
        drop(standby);
        standby = Serving::start(&b, &SOON);
        caught_up(&mut c);
        primary.signal(Signal::KILL);
        let port = primary.port.to_string();
        drop(primary);
        primary = Serving::start_at(&a, &port, &[]);
        c = primary.client();
        c.query(&format!("INSERT INTO t VALUES ({}, 'after')", 10_000 + round));
        caught_up(&mut c);
    }

    // A clean stop hands over all that was committed, also what was not waited for.
    for n in 0..20 {
        c.query(&format!("SET synchronous_commit = off; INSERT INTO t SELECT {n} * 1000 + g, 'last' FROM generate_series(100000, 100999) g"));
    }
    let count = c.query("SELECT count(*) FROM t");
    primary.signal(Signal::TERM);
    let (code, of_primary) = primary.finish();
    assert_eq!(code, 0);
    let copy = dir.path().join("copy");
    standby.signal(Signal::TERM);
    let (code, of_standby) = standby.finish();
    assert_eq!(code, 0);
    copy_folder(&b, &copy);
    let output = run(&["promote", "--data", copy.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let output = run(&["sql", copy.to_str().unwrap(), "SELECT count(*) FROM t", "--tuples-only"]);
    assert_eq!(stdout(&output).trim(), count[0], "{}\n{of_primary}\n{of_standby}", stderr(&output));
    let primary = Serving::start(&a, &[]);
    let text = format!("primary_conninfo={}", conninfo(&primary));
    let standby = Serving::start(&b, &[SOON[0], SOON[1], "--set", &text]);
    c = primary.client();
    caught_up(&mut c);

    let sum = "SELECT count(*)::text || ' ' || sum(n)::text || ' ' || sum(length(s))::text FROM t";
    let before = c.query(sum);
    caught_up(&mut c);
    primary.signal(Signal::KILL);
    drop(primary);
    let output = run(&["promote", "--data", b.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut c = standby.client();
    assert_eq!(c.query(sum), before);
    assert_eq!(c.query("INSERT INTO t VALUES (0, 'new')"), [""; 0]);
    let output = run(&["promote", "--data", b.to_str().unwrap()]);
    assert!(!output.status.success() && stderr(&output).contains("not in progress"), "{}", stderr(&output));
    standby.signal(Signal::TERM);
    assert_eq!(standby.finish().0, 0);
    let output = run(&["check", b.to_str().unwrap()]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
}

/// Whoever stops a server cleanly and starts it again has a log that goes on in a segment without a record: nothing comes that could be replayed.
#[test]
fn a_standby_of_a_primary_that_nobody_writes_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let primary = Serving::start(&a, &[]);
    primary
        .client()
        .query("CREATE TABLE t (n int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 1000)");
    primary.signal(Signal::TERM);
    assert_eq!(primary.finish().0, 0);
    let primary = Serving::start(&a, &[]);
    create(&b, &conninfo(&primary), &[]).unwrap();
    let mut standby = Serving::start(&b, &SOON);
    for signal in [Signal::KILL, Signal::TERM] {
        assert_eq!(reader(&standby).query("SELECT count(*) FROM t"), ["1000"]);
        caught_up(&mut primary.client());
        standby.signal(signal);
        standby.finish();
        standby = Serving::start(&b, &SOON);
    }
    assert_eq!(reader(&standby).query("SELECT sum(n) FROM t"), ["500500"]);
    let mut c = primary.client();
    c.query("INSERT INTO t SELECT generate_series(1001, 2000)");
    caught_up(&mut c);
    assert_eq!(reader(&standby).query("SELECT count(*) FROM t"), ["2000"]);
}

/// libpq goes on to the next of several hosts only if it is told so before it is let in.
#[test]
fn a_standby_that_cannot_be_read_says_so_before_it_asks_for_a_password() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let primary = Serving::start(&a, &[]);
    create(&b, &conninfo(&primary), &[]).unwrap();
    let standby = Serving::start(&b, &[SOON[0], SOON[1], "--set", "hot_standby=off"]);
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", standby.port)).unwrap();
    stream.write_all(b"\0\0\0\x17\0\x03\0\0user\0postgres\0\0").unwrap();
    let mut said = Vec::new();
    stream.read_to_end(&mut said).unwrap();
    let text = String::from_utf8_lossy(&said);
    assert!(said[0] == b'E' && text.contains("C57P03") && text.contains("cannot be read yet"), "{text:?}");
}

#[test]
fn a_standby_is_read_while_definitions_change_and_sessions_go_on_as_a_primarys() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let primary = Serving::start(&a, &[]);
    let mut c = primary.client();
    c.query("CREATE TABLE t (n int PRIMARY KEY, s text); CREATE SEQUENCE q");
    c.query("INSERT INTO t SELECT g, repeat('x', 100) FROM generate_series(1, 1000) g");
    create(&b, &conninfo(&primary), &[]).unwrap();
    let standby = Serving::start(&b, &SOON);
    caught_up(&mut c);
    let (mut r, mut old) = (reader(&standby), reader(&standby));

    let is_standby = "SELECT pg_is_in_recovery(), current_setting('in_hot_standby'), current_setting('transaction_read_only')";
    assert_eq!(r.query(is_standby), ["t\0\0\0\u{2}on\0\0\0\u{2}on"]);
    for refused in [
        "INSERT INTO t VALUES (0)",
        "SELECT * FROM t FOR UPDATE",
        "SELECT nextval('q')",
        "CREATE TABLE x (a int)",
        "VACUUM t",
        "SELECT txid_current()",
    ] {
        let said = r.query(refused).join("");
        assert!(said.contains("25006"), "{refused}: {said}");
    }
    for (refused, code, why) in [
        ("ANALYZE t", "25006", "cannot execute ANALYZE during recovery"),
        ("VACUUM t", "25006", "cannot execute VACUUM during recovery"),
        ("REINDEX TABLE t", "25006", "cannot execute REINDEX during recovery"),
        ("LOCK TABLE t IN EXCLUSIVE MODE", "25006", "cannot execute LOCK TABLE during recovery"),
        ("COPY t FROM STDIN", "25006", "cannot execute COPY FROM in a read-only transaction"),
        ("SELECT pg_create_restore_point('x')", "55000", "recovery is in progress"),
        ("SELECT pg_switch_wal()", "55000", "recovery is in progress"),
        ("SELECT pg_clear_relation_stats('public', 't')", "25006", "read-only transaction"),
    ] {
        let said = r.query(refused).join("");
        assert!(said.contains(code) && said.contains(why), "{refused}: {said}");
    }
    assert_eq!(r.query("CHECKPOINT"), [""; 0]);
    r.query("BEGIN; LOCK TABLE t IN ROW EXCLUSIVE MODE; COMMIT");
    assert!(r.query("BEGIN READ WRITE").join("").contains("0A000"));
    assert!(r.query("SELECT pg_current_wal_lsn()").join("").contains("55000"));

    // What is defined over there is known here with the rows, and not before.
    old.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(old.query("SELECT count(*) FROM t"), ["1000"]);
    c.query("CREATE TABLE more AS SELECT g AS a FROM generate_series(1, 10) g");
    c.query("ALTER TABLE t ADD COLUMN extra int DEFAULT 7");
    c.query("CREATE INDEX on_s ON t (s, n)");
    c.query("INSERT INTO t SELECT g, 'y', 8 FROM generate_series(1001, 3000) g");
    c.query("SELECT nextval('q')");
    caught_up(&mut c);
    assert_eq!(r.query("SELECT count(*), sum(extra) FROM t"), ["3000\0\0\0\u{5}23000"]);
    assert_eq!(r.query("SELECT min(n) FROM t WHERE s = 'y'"), ["1001"]);
    assert_eq!(r.query("SELECT sum(a) FROM more"), ["55"]);
    assert_eq!(r.query("SELECT last_value >= 1 FROM q"), ["t"]);
    assert_eq!(old.query("SELECT count(*) FROM t"), ["1000"]);
    assert!(old.query("SELECT * FROM more").join("").contains("42P01"));
    old.query("ROLLBACK");
    assert_eq!(old.query("SELECT sum(a) FROM more"), ["55"]);
    // One's own writes are read by waiting for them.
    c.query("UPDATE t SET extra = 9 WHERE n = 1");
    let lsn = c.query("SELECT pg_current_wal_lsn()").join("");
    assert_eq!(r.query(&format!("WAIT FOR LSN '{lsn}' WITH (TIMEOUT '60s')")), ["success"]);
    assert_eq!(r.query("SELECT extra FROM t WHERE n = 1"), ["9"]);
    let far = "WAIT FOR LSN 'FFFF/0' WITH (TIMEOUT 50";
    assert_eq!(r.query(&format!("{far}, NO_THROW)")), ["timeout"]);
    assert!(r.query(&format!("{far})")).join("").contains("57014"));
    assert_eq!(c.query(&format!("WAIT FOR LSN '{lsn}' WITH (NO_THROW)")), ["not in recovery"]);
    assert_eq!(c.query(&format!("WAIT FOR LSN '{lsn}' WITH (MODE 'primary_flush')")), ["success"]);
    c.query("UPDATE t SET extra = 7 WHERE n = 1");
    caught_up(&mut c);

    // A pause holds what comes until it is to go on.
    let state = "SELECT pg_get_wal_replay_pause_state()";
    assert_eq!(r.query(state), ["not paused"]);
    r.query("SELECT pg_wal_replay_pause()");
    assert_eq!(r.query("SELECT pg_is_wal_replay_paused()"), ["t"]);
    while r.query(state) != ["paused"] {
        std::thread::sleep(Duration::from_millis(10));
    }
    c.query("UPDATE t SET extra = 9 WHERE n = 1");
    let lsn = c.query("SELECT pg_current_wal_lsn()").join("");
    assert_eq!(r.query(&format!("WAIT FOR LSN '{lsn}' WITH (TIMEOUT 300, NO_THROW)")), ["timeout"]);
    assert_eq!(r.query("SELECT extra FROM t WHERE n = 1"), ["7"]);
    r.query("SELECT pg_wal_replay_resume()");
    assert_eq!(r.query(&format!("WAIT FOR LSN '{lsn}' WITH (TIMEOUT '60s')")), ["success"]);
    assert_eq!(r.query("SELECT extra FROM t WHERE n = 1"), ["9"]);
    for of_standby in ["pg_wal_replay_pause()", "pg_is_wal_replay_paused()"] {
        assert!(c.query(&format!("SELECT {of_standby}")).join("").contains("55000"));
    }
    c.query("UPDATE t SET extra = 7 WHERE n = 1");

    // What goes over there stays for whoever has seen it, as the primary is told of readers.
    old.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(old.query("SELECT sum(n) FROM t"), ["4501500"]);
    std::thread::sleep(Duration::from_millis(400));
    c.query("DROP TABLE more; DELETE FROM t WHERE n > 2000");
    c.query("VACUUM t");
    caught_up(&mut c);
    std::thread::sleep(Duration::from_millis(400));
    assert!(r.query("SELECT * FROM more").join("").contains("42P01"));
    assert_eq!(r.query("SELECT count(*) FROM t"), ["2000"]);
    assert_eq!(old.query("SELECT sum(n) FROM t"), ["4501500"]);
    assert_eq!(old.query("SELECT sum(a) FROM more"), ["55"]);
    old.query("COMMIT");
    c.query("INSERT INTO t SELECT g, 'y', 8 FROM generate_series(2001, 3000) g");
    caught_up(&mut c);

    let shown = "SELECT status, slot_name FROM pg_stat_wal_receiver";
    assert_eq!(r.query(shown), ["streaming\0\0\0\u{1}b"]);
    let shown = "SELECT readers_held > 0 AND snapshots_expired = 0 AND feedback_lsn IS NOT NULL FROM evenkeel_stat_standby";
    assert_eq!(r.query(shown), ["t"]);
    assert_eq!(c.query("SELECT count(*) FROM evenkeel_stat_standby"), ["0"]);

    // It takes over: sessions go on, and write; what is open fails.
    old.query("BEGIN");
    old.query("SELECT count(*) FROM t");
    r.query("PREPARE add AS INSERT INTO t VALUES ($1, 'new')");
    primary.signal(Signal::KILL);
    assert_eq!(r.query("SELECT pg_promote()"), ["t"]);
    let said = old.query("SELECT count(*) FROM t").join("");
    assert!(said.contains("40001"), "{said}");
    old.query("ROLLBACK");
    assert_eq!(r.query("EXECUTE add(5000)"), [""; 0]);
    assert_eq!(old.query("SELECT count(*) FROM t"), ["3001"]);
    assert_eq!(r.query(is_standby), ["f\0\0\0\u{3}off\0\0\0\u{3}off"]);
    assert_eq!(old.query("SELECT nextval('q') > 1"), ["t"]);
    assert!(r.query("SELECT pg_promote()").join("").contains("55000"));
    standby.signal(Signal::TERM);
    assert_eq!(standby.finish().0, 0);
}

#[test]
fn a_primary_that_has_nothing_to_say_is_asked_and_not_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    // By itself this primary says something four times a minute.
    let primary = Serving::start(&a, &[]);
    create(&b, &conninfo(&primary), &[]).unwrap();
    let _standby = Serving::start(
        &b,
        &["--set", "wal_receiver_timeout=2s", "--set", "wal_receiver_status_interval=10min"],
    );
    let mut c = primary.client();
    caught_up(&mut c);
    let who = "SELECT pid, backend_start FROM pg_stat_replication";
    let before = c.query(who);
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(c.query(who), before, "it was given up");
}

#[test]
fn who_is_nobodys_primary_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b, other) = (dir.path().join("a"), dir.path().join("b"), dir.path().join("other"));
    let (primary, foreign) = (Serving::start(&a, &[]), Serving::start(&other, &[]));
    let nobody = create(&b, "host=127.0.0.1 port=1 user=postgres", &[]).unwrap_err();
    assert!(nobody.contains("connection to server at \"127.0.0.1\", port 1 failed"), "{nobody}");
    create(&b, &conninfo(&primary), &["--slot", "mine"]).unwrap();
    let text = format!("primary_conninfo={}", conninfo(&foreign));
    let standby = Serving::start(&b, &["--set", &text, SOON[0], SOON[1]]);
    std::thread::sleep(Duration::from_millis(500));
    // It has no whole copy yet, so that it cannot take over either.
    let output = run(&["promote", "--data", b.to_str().unwrap()]);
    assert!(stderr(&output).contains("cannot take over"), "{}", stderr(&output));
    standby.signal(Signal::TERM);
    let (code, log) = standby.finish();
    assert!(code == 0 && log.contains("another database"), "{log}");
    // A folder of a primary is none of a standby, and the other way round.
    drop(primary);
    let output = run(&["promote", "--data", a.to_str().unwrap()]);
    assert!(stderr(&output).contains("primary's"), "{}", stderr(&output));
    let output = run(&["sql", b.to_str().unwrap(), "SELECT 1"]);
    assert!(stderr(&output).contains("standby's"), "{}", stderr(&output));
    // Nobody there: nothing is left of the attempt.
    let nobody = dir.path().join("nobody");
    assert!(create(&nobody, "host=127.0.0.1 port=1 user=x", &[]).is_err() && !nobody.exists());
}

/// Asks for these standbys from now on, as an operator does.
fn ask_for(c: &mut Client, names: &str) {
    assert_eq!(c.query(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'")), [""; 0]);
    assert_eq!(c.query("SELECT pg_reload_conf()"), ["t"]);
    wait_for(c, "SHOW synchronous_standby_names", names);
}

#[test]
fn what_a_client_was_told_with_a_synchronous_standby_is_there_after_a_failover() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let primary = Serving::start(&a, &[]);
    let mut c = primary.client();
    c.query("CREATE TABLE t (n int PRIMARY KEY)");
    create(&b, &conninfo(&primary), &[]).unwrap();
    let mut standby = Serving::start(&b, &SOON);
    caught_up(&mut c);
    ask_for(&mut c, "b");
    let state = "SELECT application_name, sync_state FROM pg_stat_replication";
    wait_for(&mut c, state, "b\0\0\0\u{4}sync");
    // What was told over here is seen over there, at once.
    let mut r = reader(&standby);
    for n in 1..=100 {
        c.query(&format!("SET synchronous_commit = remote_apply; INSERT INTO t VALUES ({n})"));
        assert_eq!(r.query("SELECT count(*) FROM t"), [n.to_string()]);
    }
    for level in ["remote_write", "on", "local", "off"] {
        c.query(&format!(
            "SET synchronous_commit = {level}; DELETE FROM t WHERE n = 100; INSERT INTO t VALUES (100)"
        ));
    }
    // Without it nothing is told, not even after a crash.
    standby.signal(Signal::KILL);
    drop(standby);
    c.query("SET synchronous_commit = on; SET statement_timeout = '200ms'");
    let said = c.query("INSERT INTO t VALUES (101)").join("");
    assert!(said.contains("40003"), "{said}");
    let port = primary.port.to_string();
    primary.signal(Signal::KILL);
    drop(primary);
    let primary = Serving::start_at(&a, &port, &[]);
    let mut c = primary.client();
    assert_eq!(c.query("SHOW synchronous_standby_names"), ["b"]);
    c.query("SET statement_timeout = '200ms'");
    let said = c.query("SELECT count(*) FROM t").join("");
    assert!(said.contains("57014"), "{said}");
    standby = Serving::start(&b, &SOON);
    c.query("SET statement_timeout = 0");
    assert_eq!(c.query("SELECT count(*) FROM t"), ["101"]);
    c.query("INSERT INTO t VALUES (102)");
    // It takes over, and asks nobody: the setting is the other one's.
    primary.signal(Signal::KILL);
    drop(primary);
    let mut r = reader(&standby);
    assert_eq!(r.query("SELECT pg_promote()"), ["t"]);
    assert_eq!(r.query("SELECT count(*) FROM t"), ["102"]);
    r.query("INSERT INTO t VALUES (103)");
    standby.signal(Signal::TERM);
    assert_eq!(standby.finish().0, 0);
}

#[test]
fn alter_system_changes_what_the_next_reload_and_the_next_start_read() {
    let dir = tempfile::tempdir().unwrap();
    let a = dir.path().join("a");
    let server = Serving::start(&a, &[]);
    let mut c = server.client();
    c.query("ALTER SYSTEM SET max_wal_senders TO 3");
    c.query("ALTER SYSTEM SET checkpoint_timeout = '77s'");
    c.query("ALTER SYSTEM SET work_mem = '5MB'");
    assert_eq!(c.query("SHOW max_wal_senders"), ["10"], "not before it is read");
    assert_eq!(c.query("SELECT pg_reload_conf()"), ["t"]);
    wait_for(&mut c, "SHOW max_wal_senders", "3");
    wait_for(&mut c, "SHOW checkpoint_timeout", "77s");
    for (refused, code) in [
        ("ALTER SYSTEM SET nonsense = 1", "42704"),
        ("ALTER SYSTEM RESET nonsense", "42704"),
        ("ALTER SYSTEM SET max_wal_senders = 'many'", "22023"),
        ("ALTER SYSTEM SET synchronous_standby_names = 'any 2'", "22023"),
        ("ALTER SYSTEM SET work_mem = 'x'", "22023"),
        ("ALTER SYSTEM SET", "42601"),
    ] {
        let said = c.query(refused).join("");
        assert!(said.contains(code), "{refused}: {said}");
    }
    c.query("BEGIN");
    assert!(c.query("ALTER SYSTEM RESET ALL").join("").contains("25001"));
    c.query("ROLLBACK");
    c.query("ALTER SYSTEM RESET max_wal_senders");
    c.query("ALTER SYSTEM SET checkpoint_timeout = DEFAULT");
    c.query("SELECT pg_reload_conf()");
    wait_for(&mut c, "SHOW max_wal_senders", "10");
    wait_for(&mut c, "SHOW checkpoint_timeout", "5min");
    c.query("ALTER SYSTEM SET max_connections = 7");
    server.signal(Signal::TERM);
    assert_eq!(server.finish().0, 0);
    let server = Serving::start(&a, &["--set", "max_wal_senders=4"]);
    let mut c = server.client();
    assert_eq!(c.query("SHOW max_connections"), ["7"]);
    assert_eq!(c.query("SHOW work_mem"), ["5MB"]);
    c.query("ALTER SYSTEM RESET ALL");
    assert_eq!(std::fs::read_to_string(a.join("evenkeel.auto.toml")).unwrap().trim(), "");
}

fn rejoin(folder: &Path, to: &Serving) -> String {
    let output = run(&["rejoin", folder.to_str().unwrap(), "--to", &conninfo(to)]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

#[test]
fn the_old_primary_follows_the_new_one_and_what_only_it_had_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let place = format!("file://{}", dir.path().join("archive").display());
    let archive = format!("archive_url={place}");
    let serve = |folder: &Path| Serving::start(folder, &[SOON[0], SOON[1], "--set", &archive]);
    let primary = serve(&a);
    let mut c = primary.client();
    c.query("CREATE TABLE t (n int PRIMARY KEY, s text); INSERT INTO t SELECT g, repeat('x', 200) FROM generate_series(1, 20000) g");
    create(&b, &conninfo(&primary), &[]).unwrap();
    let standby = serve(&b);
    caught_up(&mut c);
    // What is committed from here on reaches nobody.
    standby.signal(Signal::KILL);
    drop(standby);
    c.query("INSERT INTO t VALUES (-1, 'only ''here'''), (-2, NULL); DELETE FROM t WHERE n = 7; CREATE TABLE lost (a int); INSERT INTO lost VALUES (1)");
    c.query("BEGIN; UPDATE t SET s = 'open' WHERE n < 100");
    primary.signal(Signal::KILL);
    drop(primary);
    let output = run(&["promote", "--data", b.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut new = serve(&b);
    let mut c = new.client();
    c.query(
        "UPDATE t SET s = 'new' WHERE n % 100 = 0; CREATE TABLE more (a int); INSERT INTO more VALUES (5)",
    );

    let said = rejoin(&a, &new);
    assert!(said.contains("transactions that only this server had"), "{said}");
    let exported = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path());
    let exported = exported.filter(|p| p.to_string_lossy().contains("a.diverged-")).collect::<Vec<_>>();
    let text = std::fs::read_to_string(&exported[0]).unwrap();
    for line in [
        "\"n\" = '-1', \"s\" = 'only ''here'''",
        "n = '-2', s = NULL",
        "deleted",
        "public.lost row 1: a = '1'",
    ] {
        let plain = line.replace('"', "");
        assert!(text.replace('"', "").contains(&plain), "{line}: {text}");
    }
    assert!(!text.contains("open"), "{text}");
    let mut old = serve(&a);
    let sums = "SELECT count(*)::text || ' ' || sum(n)::text || ' ' || sum(length(s))::text FROM t";
    for round in 0..3 {
        caught_up(&mut c);
        let mut r = reader(&old);
        assert_eq!(r.query(sums), c.query(sums), "round {round}");
        assert!(r.query("SELECT * FROM lost").join("").contains("42P01"));
        // And back again.
        c.query(&format!("UPDATE t SET s = 'round {round}' WHERE n % 7 = {round}"));
        new.signal(if round == 1 { Signal::TERM } else { Signal::KILL });
        let _ = new.finish();
        let output =
            run(&["promote", "--data", if round % 2 == 0 { a.to_str() } else { b.to_str() }.unwrap()]);
        assert!(output.status.success(), "{}", stderr(&output));
        let (behind, ahead) = if round % 2 == 0 { (&b, old) } else { (&a, old) };
        c = ahead.client();
        c.query(&format!("INSERT INTO t VALUES ({}, 'after')", 100_000 + round));
        rejoin(behind, &ahead);
        old = serve(behind);
        new = ahead;
    }
    caught_up(&mut c);
    assert_eq!(reader(&old).query(sums), c.query(sums));
    old.signal(Signal::TERM);
    assert_eq!(old.finish().0, 0);
    new.signal(Signal::TERM);
    assert_eq!(new.finish().0, 0);
    // Nobody rejoins whom it has nothing in common with; a standby stays one.
    let other = Serving::start(&dir.path().join("other"), &[]);
    let output = run(&["rejoin", b.to_str().unwrap(), "--to", &conninfo(&other)]);
    assert!(!output.status.success() && stderr(&output).contains("another database"), "{}", stderr(&output));
    let output = run(&["promote", "--data", b.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    // Each that took over has archived under a timeline of its own, from where the archive ended on.
    assert!(dir.path().join("archive/timelines/00000005.json").exists());
    let output = run(&["wal", "verify", &place]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    for folder in [&a, &b] {
        let output = run(&["check", folder.to_str().unwrap()]);
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    }
    let output = run(&["rejoin", a.to_str().unwrap(), "--to", &conninfo(&other)]);
    assert!(!output.status.success() && stderr(&output).contains("another database"), "{}", stderr(&output));
}

#[test]
fn a_standby_and_a_backup_have_all_databases() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b, archive, c) =
        (dir.path().join("a"), dir.path().join("b"), dir.path().join("archive"), dir.path().join("c"));
    let url = format!("archive_url={}", archive.display());
    let primary = Serving::start(&a, &["--set", &url]);
    let mut admin = primary.client();
    admin.query("CREATE DATABASE one");
    let mut one = primary.client_in("one");
    one.query("CREATE TABLE t (n int PRIMARY KEY, s text); INSERT INTO t VALUES (1, 'one')");
    create(&b, &conninfo(&primary), &[]).unwrap();
    let standby = Serving::start(&b, &SOON);
    caught_up(&mut admin);
    reader(&standby);
    let mut of_one = standby.client_in("one");
    assert_eq!(of_one.query("SELECT s FROM t"), ["one"]);
    // One that comes later, with the rows of its template.
    drop(one);
    wait_for(&mut admin, "SELECT count(*) FROM pg_stat_activity WHERE datname = 'one'", "0");
    assert_eq!(admin.query("CREATE DATABASE two TEMPLATE one"), [""; 0]);
    let mut two = primary.client_in("two");
    two.query("INSERT INTO t VALUES (2, 'two'); CREATE INDEX ON t (s)");
    caught_up(&mut admin);
    assert_eq!(of_one.query("SELECT pg_database_size('two') > 0"), ["t"], "nobody has been in it here");
    let mut of_two = standby.client_in("two");
    assert_eq!(of_two.query("SELECT string_agg(s, ',' ORDER BY n) FROM t"), ["one,two"]);
    assert_eq!(of_one.query("SELECT count(*) FROM t"), ["1"]);
    assert_eq!(of_one.query("SELECT current_database()"), ["one"]);
    let output = run(&["backup", "create", "--data", a.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    admin.query("DROP DATABASE one");
    caught_up(&mut admin);
    let said = of_one.query("SELECT count(*) FROM t").join("");
    assert!(said.contains("3D000"), "{said}");
    assert_eq!(of_two.query("SELECT count(*) FROM pg_database"), ["4"]);
    // The backup has both; the standby takes over with the one that is left.
    primary.signal(Signal::KILL);
    assert_eq!(of_two.query("SELECT pg_promote()"), ["t"]);
    assert_eq!(of_two.query("INSERT INTO t VALUES (3, 'three')"), [""; 0]);
    assert_eq!(of_two.query("CREATE DATABASE three"), [""; 0]);
    assert_eq!(standby.client_in("three").query("SELECT current_database()"), ["three"]);
    let output = run(&["restore", archive.to_str().unwrap(), c.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let restored = Serving::start(&c, &[]);
    assert_eq!(restored.client_in("two").query("SELECT count(*) FROM t WHERE s >= 'one'"), ["2"]);
    let names = "SELECT string_agg(datname, ',' ORDER BY datname) FROM pg_database WHERE NOT datistemplate";
    let names = restored.client().query(names).join("");
    assert!(names == "one,postgres,two" || names == "postgres,two", "{names}");
    for (server, folder) in [(restored, c), (standby, b)] {
        server.signal(Signal::TERM);
        assert_eq!(server.finish().0, 0);
        let output = run(&["check", folder.to_str().unwrap()]);
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    }
}

#[test]
fn a_standby_is_checked_and_stays_one() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let primary = Serving::start(&a, &[]);
    let mut c = primary.client();
    c.query("CREATE TABLE t (n int PRIMARY KEY, s text); CREATE INDEX ON t (s)");
    c.query("INSERT INTO t SELECT g, repeat('x', g % 100) FROM generate_series(1, 5000) g");
    create(&b, &conninfo(&primary), &[]).unwrap();
    let check = || {
        let output = run(&["check", b.to_str().unwrap()]);
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    // A copy whose log was not received yet.
    let (code, told) = check();
    assert!(
        code == Some(1) && told.contains("its copy is not whole") || told.contains("not received"),
        "{told}"
    );
    // Somebody is in the midst of something all the time.
    let mut other = primary.client();
    other.query(
        "BEGIN; CREATE TABLE u (n int PRIMARY KEY, s text); INSERT INTO u VALUES (1, repeat('z', 5000))",
    );
    other.query("DELETE FROM t WHERE n % 5 = 0; UPDATE t SET s = 'other' WHERE n % 5 = 1");
    for signal in [Signal::TERM, Signal::KILL] {
        let standby = Serving::start(&b, &SOON);
        c.query("INSERT INTO t SELECT max(n) + 1, 'more' FROM t; UPDATE t SET s = 'y' WHERE n % 5 = 2");
        caught_up(&mut c);
        reader(&standby);
        standby.signal(signal);
        drop(standby);
        let (code, told) = check();
        assert!(code == Some(0) && told.contains("no problems found"), "{signal:?}: {told}");
        assert!(told.contains("1 tables, 500"), "{signal:?}: {told}");
    }
    // It follows as ever, with what came meanwhile.
    c.query("INSERT INTO t SELECT max(n) + 1, 'more' FROM t");
    let standby = Serving::start(&b, &SOON);
    caught_up(&mut c);
    assert_eq!(reader(&standby).query("SELECT count(*) FROM t"), ["5003"]);
    // Nothing is left to be replayed, which would have brought pages into memory.
    assert_eq!(other.query("ROLLBACK"), [""; 0]);
    c.query("CHECKPOINT");
    caught_up(&mut c);
    standby.signal(Signal::TERM);
    assert_eq!(standby.finish().0, 0);
    let (code, told) = check();
    assert!(code == Some(0) && told.contains("no problems found"), "{told}");
    // Damage is found.
    let data = std::fs::read_dir(b.join("data")).unwrap().map(|e| e.unwrap().path());
    let largest = data.max_by_key(|p| std::fs::metadata(p).unwrap().len()).unwrap();
    let mut bytes = std::fs::read(&largest).unwrap();
    bytes.iter_mut().skip(1000).step_by(4096).for_each(|b| *b ^= 0xFF);
    std::fs::write(&largest, bytes).unwrap();
    let (code, told) = check();
    assert!(code == Some(1) && told.contains("problems found"), "{told}");
}

/// Its delay stands on the command line of its server, which a check does not see: what is held back stays so.
#[test]
fn a_delayed_standby_that_is_checked_goes_on_holding_back() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let primary = Serving::start(&a, &[]);
    let mut c = primary.client();
    c.query("CREATE TABLE t (n int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 100)");
    create(&b, &conninfo(&primary), &[]).unwrap();
    let standby = Serving::start(&b, &SOON);
    caught_up(&mut c);
    reader(&standby);
    standby.signal(Signal::TERM);
    assert_eq!(standby.finish().0, 0);
    let delayed = [SOON[0], SOON[1], "--set", "recovery_min_apply_delay=1h"];
    let standby = Serving::start(&b, &delayed);
    c.query("INSERT INTO t VALUES (101)");
    wait_for(&mut c, "SELECT flush_lsn >= pg_current_wal_flush_lsn() FROM pg_stat_replication", "t");
    standby.signal(Signal::TERM);
    assert_eq!(standby.finish().0, 0);
    for _ in 0..2 {
        let output = run(&["check", b.to_str().unwrap()]);
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    }
    let standby = Serving::start(&b, &delayed);
    assert_eq!(reader(&standby).query("SELECT count(*) FROM t"), ["100"], "it is not replayed by a check");
}
