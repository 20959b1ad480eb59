//! What a server logs of statements, and what it counts of them over a restart.

mod common;

use common::{Client, Serving};
use rustix::process::Signal;

fn stopped(server: Serving) -> String {
    server.signal(Signal::TERM);
    let (code, log) = server.finish();
    assert_eq!(code, 0, "{log}");
    log
}

fn asked(c: &mut Client, sql: &str) -> String {
    c.query(sql).join("\n")
}

#[test]
fn statements_are_logged_as_the_settings_say_and_without_passwords() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &["--set", "log_statement=ddl"]);
    let mut c = server.client();
    for sql in [
        "CREATE TABLE defined (a int PRIMARY KEY)",
        "INSERT INTO defined VALUES (1)",
        "CREATE ROLE r LOGIN PASSWORD 'secret1'",
        "SET log_statement = 'none'",
        "SET log_min_duration_statement = 0",
        "SELECT 'timed'",
        "ALTER ROLE r PASSWORD 'secret2'",
        "SELECT 1 / 0 AS failing",
        "SET log_min_duration_statement = '1h'",
        "SELECT 'too fast'",
        "SET log_min_duration_sample = 0",
        "SET log_statement_sample_rate = 0",
        "SELECT 'never sampled'",
        "SET log_statement_sample_rate = 1",
        "SELECT 'always sampled'",
        "SET log_min_duration_sample = -1",
        "SET log_duration = on",
        "SELECT 'its time alone'",
    ] {
        c.query(sql);
    }
    let log = stopped(server);
    let has = |text: &str| assert!(log.contains(text), "{text} is missing:\n{log}");
    has("statement: CREATE TABLE defined (a int PRIMARY KEY)");
    has("statement: CREATE ROLE r LOGIN PASSWORD $1");
    has(" ms  statement: SELECT 'timed'");
    has(" ms  statement: ALTER ROLE r PASSWORD $1");
    has(" ms  statement: SELECT 'always sampled'");
    for absent in
        ["secret", "AS failing", "INSERT INTO defined", "too fast", "never sampled", "its time alone"]
    {
        assert!(!log.contains(absent), "{absent} is logged:\n{log}");
    }
    let alone = log.lines().filter(|l| l.contains("duration: ") && !l.contains("statement: ")).count();
    assert!(alone >= 1, "{log}");
}

#[test]
fn counts_of_statements_are_kept_by_a_stop_and_not_by_a_crash() {
    const CALLS: &str =
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query = 'SELECT $1 AS counted'";
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &[]);
    let mut c = server.client();
    for _ in 0..3 {
        c.query("SELECT 7 AS counted");
    }
    assert_eq!(asked(&mut c, CALLS), "3");
    stopped(server);
    let server = Serving::start(dir.path(), &[]);
    let mut c = server.client();
    c.query("SELECT 8 AS counted");
    assert_eq!(asked(&mut c, CALLS), "4", "kept");
    drop(server);
    let server = Serving::start(dir.path(), &["--set", "pg_stat_statements.save=off"]);
    let mut c = server.client();
    assert_eq!(asked(&mut c, CALLS), "0", "it was killed");
    c.query("SELECT 9 AS counted");
    stopped(server);
    std::fs::write(dir.path().join("pg_stat_statements.json"), "{\"version\": 1, \"entries\": 5}").unwrap();
    let server = Serving::start(dir.path(), &["--set", "pg_stat_statements.max=100"]);
    let mut c = server.client();
    assert_eq!(asked(&mut c, CALLS), "0", "a damaged file is left aside");
    for n in 0..300 {
        c.query(&format!("SELECT 1 AS c{n}"));
    }
    assert_eq!(asked(&mut c, "SELECT count(*) <= 100 FROM pg_stat_statements"), "t");
    assert_eq!(asked(&mut c, "SELECT dealloc > 0 FROM pg_stat_statements_info"), "t");
    let log = stopped(server);
    assert!(log.contains("cannot be understood"), "{log}");
}

#[test]
fn what_a_role_has_set_comes_before_what_the_configuration_says() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &["--set", "work_mem=3MB", "--set", "lock_timeout=7s"]);
    let mut c = server.client();
    assert_eq!(asked(&mut c, "SHOW work_mem"), "3MB");
    c.query("ALTER ROLE postgres SET work_mem = '5MB'");
    let mut c = server.client();
    assert_eq!(asked(&mut c, "SHOW work_mem"), "5MB");
    assert_eq!(asked(&mut c, "SHOW lock_timeout"), "7s");
}
