//! What a reload of the configuration does: to sessions that are open, with lines that are wrong, and what `pg_settings` and `pg_file_settings` tell of it.

mod common;

use common::{Client, Serving};
use std::path::Path;
use std::time::{Duration, Instant};

fn asked(c: &mut Client, sql: &str) -> String {
    c.query(sql).join("\n")
}

/// Reloads, and waits until a question has another answer.
fn reload_until(c: &mut Client, sql: &str, expected: &str) {
    c.query("SELECT pg_reload_conf()");
    let began = Instant::now();
    loop {
        let answer = asked(c, sql);
        if answer == expected {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{sql}: {answer}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn configure(dir: &Path, text: &str) {
    std::fs::write(dir.join("evenkeel.toml"), text).unwrap();
}

#[test]
fn open_sessions_take_over_what_they_have_not_set_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &[]);
    let (mut c, mut other) = (server.client(), server.client());
    other.query("ALTER ROLE postgres SET lock_timeout = '4s'");
    let mut of_role = server.client();
    other.query("SET statement_timeout = '1min'");
    other.query("BEGIN");
    for (name, value) in [
        ("work_mem", "6MB"),
        ("statement_timeout", "2min"),
        ("lock_timeout", "5s"),
        ("app.own", "7"),
        ("timezone", "Asia/Tokyo"),
    ] {
        c.query(&format!("ALTER SYSTEM SET {name} = '{value}'"));
    }
    reload_until(&mut c, "SHOW work_mem", "6MB");
    assert_eq!(asked(&mut other, "SHOW work_mem"), "6MB");
    assert_eq!(asked(&mut other, "SHOW statement_timeout"), "1min");
    assert_eq!(asked(&mut other, "SHOW app.own"), "7");
    assert_eq!(asked(&mut other, "SELECT to_timestamp(0)::text"), "1970-01-01 09:00:00+09");
    assert_eq!(asked(&mut other, "SHOW lock_timeout"), "5s");
    assert_eq!(asked(&mut of_role, "SHOW lock_timeout"), "4s");
    other.query("COMMIT");
    other.query("RESET statement_timeout");
    assert_eq!(asked(&mut other, "SHOW statement_timeout"), "2min");
    other.query("SET work_mem = '1MB'");
    c.query("ALTER SYSTEM RESET ALL");
    reload_until(&mut c, "SHOW work_mem", "4MB");
    assert_eq!(asked(&mut other, "SHOW work_mem"), "1MB");
    other.query("DISCARD ALL");
    assert_eq!(asked(&mut other, "SHOW work_mem"), "4MB");
    assert_eq!(asked(&mut other, "SHOW timezone"), "UTC");
}

#[test]
fn a_time_limit_that_a_reload_brings_holds_for_the_next_statement() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &[]);
    let (mut c, mut other) = (server.client(), server.client());
    c.query("ALTER SYSTEM SET statement_timeout = '100ms'");
    reload_until(&mut c, "SHOW statement_timeout", "100ms");
    let told = asked(&mut other, "SELECT pg_sleep(20)");
    assert!(told.contains("canceling statement due to statement timeout"), "{told}");
}

#[test]
fn a_value_that_is_no_good_keeps_no_other_from_being_taken_and_an_unknown_name_does() {
    let dir = tempfile::tempdir().unwrap();
    configure(dir.path(), "log_min_duration_statement = '1h'\nmax_wal_senders = 4\n");
    let server = Serving::start(dir.path(), &[]);
    let mut c = server.client();
    configure(
        dir.path(),
        "work_mem = '5MB'\nlog_min_duration_statement = 'long'\nmax_wal_senders = 'few'\ncheckpoint_timeout = 'x'\n",
    );
    reload_until(&mut c, "SHOW work_mem", "5MB");
    assert_eq!(asked(&mut c, "SHOW log_min_duration_statement"), "1h");
    assert_eq!(asked(&mut c, "SHOW max_wal_senders"), "4");
    assert_eq!(asked(&mut c, "SHOW checkpoint_timeout"), "5min");
    let lines = "SELECT concat_ws('|', sourceline, seqno, name, setting, applied, error) FROM pg_file_settings ORDER BY seqno";
    let failed = "setting could not be applied";
    let expected = [
        "1|1|work_mem|5MB|t".to_owned(),
        format!("2|2|log_min_duration_statement|long|f|{failed}"),
        format!("3|3|max_wal_senders|few|f|{failed}"),
        format!("4|4|checkpoint_timeout|x|f|{failed}"),
    ];
    assert_eq!(c.query(lines), expected);
    configure(dir.path(), "work_mem = '6MB'\nno_such = 1\n");
    c.query("SELECT pg_reload_conf()");
    assert_eq!(
        c.query(lines),
        ["1|1|work_mem|6MB|f", "2|2|no_such|1|f|unrecognized configuration parameter"]
    );
    configure(dir.path(), "work_mem = '6MB'\nrandom_page_cost = 1.5\n");
    reload_until(&mut c, "SHOW random_page_cost", "1.5");
    server.signal(rustix::process::Signal::TERM);
    let (_, log) = server.finish();
    let file = dir.path().join("evenkeel.toml").display().to_string();
    for what in ["unaffected changes were applied", "no changes were applied"] {
        assert!(log.contains(&format!("configuration file \"{file}\" contains errors; {what}")), "{log}");
    }
}

#[test]
fn settings_say_where_they_come_from_and_what_waits_for_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    configure(dir.path(), "\nwork_mem = '5MB'\n");
    let server = Serving::start(dir.path(), &["--set", "lock_timeout=7s"]);
    let mut c = server.client();
    c.query("ALTER SYSTEM SET wal_buffers = '8MB'");
    c.query("ALTER SYSTEM SET random_page_cost = 1.1");
    reload_until(&mut c, "SHOW random_page_cost", "1.1");
    let mut told = |name: &str| {
        let columns = "concat_ws('|', setting, reset_val, boot_val, source, regexp_replace(sourcefile, '.*/', ''), sourceline, pending_restart)";
        asked(&mut c, &format!("SELECT {columns} FROM pg_settings WHERE name = '{name}'"))
    };
    assert_eq!(told("work_mem"), "5120|5120|4096|configuration file|evenkeel.toml|2|f");
    assert_eq!(told("random_page_cost"), "1.1|1.1|4|configuration file|evenkeel.auto.toml|2|f");
    assert_eq!(told("lock_timeout"), "7000|7000|0|command line|f");
    assert_eq!(told("wal_buffers"), "2048|2048|2048|default|t");
    assert_eq!(told("statement_timeout"), "0|0|0|default|f");
    c.query("ALTER ROLE postgres SET statement_timeout = '8s'");
    let mut c = server.client();
    c.query("SET work_mem = '1MB'");
    let columns = "concat_ws('|', name, setting, reset_val, source, sourceline)";
    let of = "FROM pg_settings WHERE name IN ('statement_timeout', 'work_mem') ORDER BY name";
    let expected = ["statement_timeout|8000|8000|user", "work_mem|1024|5120|session"];
    assert_eq!(c.query(&format!("SELECT {columns} {of}")), expected);
    c.query("ALTER SYSTEM RESET wal_buffers");
    let pending = "SELECT pending_restart FROM pg_settings WHERE name = 'wal_buffers'";
    reload_until(&mut c, pending, "f");
}

#[test]
fn alter_system_refuses_what_the_next_start_would() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &[]);
    let mut c = server.client();
    for (name, value) in [
        ("archive_url", "foo://bar"),
        ("metrics_listen", "foo"),
        ("primary_conninfo", "no such"),
        ("work_mem", "x"),
    ] {
        let told = asked(&mut c, &format!("ALTER SYSTEM SET {name} = '{value}'"));
        assert!(told.contains(&format!("invalid value for parameter \"{name}\": \"{value}\"")), "{told}");
    }
    let told = asked(&mut c, "ALTER SYSTEM SET work_mem = 1");
    assert!(told.contains("1 kB is outside the valid range for parameter \"work_mem\""), "{told}");
    assert!(!dir.path().join("evenkeel.auto.toml").exists());
}
