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
    for absent in ["secret", "INSERT INTO defined", "too fast", "never sampled", "its time alone"] {
        assert!(!log.contains(absent), "{absent} is logged:\n{log}");
    }
    let alone = log.lines().filter(|l| l.contains("duration: ") && !l.contains("statement: ")).count();
    assert!(alone >= 1, "{log}");
}

/// A statement has taken what its client has waited for.
#[test]
fn durations_have_the_wait_of_the_commit() {
    let dir = tempfile::tempdir().unwrap();
    let slow = ["--set", "commit_delay=50ms", "--set", "commit_siblings=0"];
    let server =
        Serving::start(dir.path(), &[&slow[..], &["--set", "log_min_duration_statement=30ms"]].concat());
    let mut c = server.client();
    c.query("CREATE TABLE t (a int PRIMARY KEY)");
    c.query("INSERT INTO t VALUES (1)");
    c.query("BEGIN");
    c.query("INSERT INTO t VALUES (2)");
    c.query("COMMIT");
    // Before the answer leaves, it is there.
    let log = stopped(server);
    for (statement, is_logged) in
        [("INSERT INTO t VALUES (1)", true), ("INSERT INTO t VALUES (2)", false), ("COMMIT", true)]
    {
        assert_eq!(log.contains(&format!(" ms  statement: {statement}")), is_logged, "{statement}: {log}");
    }
}

#[test]
fn errors_are_logged_with_their_statements_as_the_settings_say() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(
        dir.path(),
        &[
            "--set",
            "log_line_prefix=<%u@%d %e> ",
            "--set",
            "log_connections=on",
            "--set",
            "log_disconnections=on",
        ],
    );
    let mut c = server.client();
    for sql in [
        "SELECT 1 / 0 AS failing",
        "SELEC forged\n<x> ERROR:  nothing",
        "CREATE ROLE r PASSWORD 'secret1' PASSWORD 'secret2'",
        "ALTER ROLE r PASSWORD 'unterminated",
        "SET log_min_error_statement = 'panic'",
        "SELECT no_such_column",
        "SET log_error_verbosity = 'verbose'",
        "SELECT no_such_column",
        "SET log_min_messages = 'notice'",
        "DROP TABLE IF EXISTS noticed",
        "SET log_min_messages = 'fatal'",
        "SELECT 'never logged'::int",
    ] {
        c.query(sql);
    }
    drop(c);
    // Its end is seen before the server's.
    let mut c = server.client();
    while asked(&mut c, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'") != "1"
    {
    }
    let log = stopped(server);
    let has = |text: &str| assert!(log.contains(text), "{text} is missing:\n{log}");
    has("<@ 00000> LOG:  listening");
    has("LOG:  connection received: host=127.0.0.1 port=");
    has("<postgres@postgres 00000> LOG:  connection authorized: user=postgres database=postgres\n");
    has(
        "<postgres@postgres 22012> ERROR:  division by zero\n<postgres@postgres 22012> STATEMENT:  SELECT 1 / 0 AS failing\n",
    );
    has("ERROR:  syntax error at or near \"SELEC\" at character 1\n");
    has("STATEMENT:  SELEC forged\n\t<x> ERROR:  nothing\n");
    has("ERROR:  column \"no_such_column\" does not exist at character 8\n");
    has("ERROR:  42703: column \"no_such_column\" does not exist");
    has("NOTICE:  00000: table \"noticed\" does not exist, skipping");
    has("LOG:  disconnection: session time: 0:00:");
    for absent in ["secret", "unterminated\n", "STATEMENT:  SELECT no_such_column", "never logged"] {
        assert!(!log.contains(absent), "{absent} is logged:\n{log}");
    }
}

/// Files that a folder has, by how their names end, with what is in them.
fn files(dir: &std::path::Path, ending: &str) -> Vec<String> {
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == ending));
    paths.sort();
    paths.iter().map(|p| std::fs::read_to_string(p).unwrap()).collect()
}

/// Files of the server, by its own functions: a superuser reads all, and others only what is the server's.
fn files_are_read(c: &mut Client) {
    for sql in [
        "SELECT count(*) >= 3 AND min(size) >= 0 AND max(modification) > now() - interval '1 hour' FROM pg_ls_logdir()",
        "SELECT pg_read_file(pg_current_logfile()) <> '' AND pg_read_file(pg_current_logfile(), 0, 4) ~ '^[0-9]{4}$'",
        "SELECT length(pg_read_file(pg_current_logfile(), -3, 10)) = 3",
        "SELECT length(pg_read_binary_file('control')) = size AND NOT isdir FROM pg_stat_file('control')",
        "SELECT isdir AND creation IS NULL FROM pg_stat_file('wal')",
        "SELECT count(*) = 1 FROM pg_ls_dir('.') WHERE pg_ls_dir = 'control'",
        "SELECT count(*) = 2 FROM pg_ls_dir('.', false, true) WHERE pg_ls_dir IN ('.', '..')",
        "SELECT count(*) = 0 FROM pg_ls_dir('nosuch', true, true)",
        "SELECT size IS NULL FROM pg_stat_file('nosuch', true)",
        "SELECT pg_read_file('nosuch', true) IS NULL AND pg_read_file('/etc/passwd', 0, 1) <> ''",
    ] {
        assert_eq!(asked(c, sql), "t", "{sql}");
    }
    for (sql, code) in [
        ("SELECT pg_read_file('nosuch')", "58P01"),
        ("SELECT pg_ls_dir('nosuch')", "58P01"),
        ("SELECT * FROM pg_stat_file('nosuch')", "58P01"),
        ("SELECT pg_read_file('control', 0, -1)", "22023"),
        ("SELECT pg_read_file('control')", "22021"),
    ] {
        let said = c.query(sql).join("");
        assert!(said.contains(code), "{sql}: {said}");
    }
    c.query("CREATE ROLE reading LOGIN; SET ROLE reading");
    assert!(c.query("SELECT pg_read_file('control')").join("").contains("42501"));
    c.query("RESET ROLE");
}

#[test]
fn the_log_goes_to_files_in_all_formats_and_begins_new_ones() {
    let dir = tempfile::tempdir().unwrap();
    let settings = [
        "logging_collector=on",
        "log_destination=stderr,csvlog,jsonlog",
        "log_filename=%H%M%S.log",
        "log_rotation_size=64kB",
        "log_timezone=UTC",
    ];
    let args: Vec<&str> = settings.iter().flat_map(|s| ["--set", s]).collect();
    let server = Serving::start(dir.path(), &args);
    let mut c = server.client();
    assert_eq!(asked(&mut c, "SHOW logging_collector"), "on");
    c.query("SET application_name = 'an \"app\"'");
    c.query("SELECT 1 / 0 AS \"two\nlines\"");
    let path = asked(&mut c, "SELECT pg_current_logfile('jsonlog')");
    assert!(path.ends_with(".json") && path.contains("/log/"), "{path}");
    assert!(asked(&mut c, "SELECT pg_current_logfile()").ends_with(".log"));
    files_are_read(&mut c);
    // A second later its name would be another.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(asked(&mut c, "SELECT pg_rotate_logfile()"), "t");
    c.query("SELECT 2 / 0");
    let log = stopped(server);
    assert_eq!(log, "", "all of it is in the files");
    let of = |ending: &str| files(&dir.path().join("log"), ending);
    assert!(of("json").len() >= 2, "{:?}", of("json"));
    let text = of("log").concat();
    assert!(text.contains("ERROR:  division by zero"), "{text}");
    let lines = of("json").concat();
    let error = lines.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).expect(l));
    let error = error.into_iter().find(|v| v["error_severity"] == "ERROR").expect(&lines);
    assert_eq!(error["statement"], "SELECT 1 / 0 AS \"two\nlines\"");
    assert_eq!(error["application_name"], "an \"app\"");
    assert_eq!(error["state_code"], "22012");
    assert_eq!(error["user"], "postgres");
    assert_eq!(error["remote_host"], "127.0.0.1");
    assert!(
        of("csv")
            .concat()
            .contains(",\"22012\",\"division by zero\",,,,,,\"SELECT 1 / 0 AS \"\"two\nlines\"\"\",")
    );
    // They may hold what tables hold.
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn json_goes_to_standard_error_where_there_are_no_files() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &["--set", "log_destination=jsonlog"]);
    server.client().query("SELECT 1 / 0");
    let log = stopped(server);
    let lines: Vec<&str> = log.lines().filter(|l| l.starts_with('{')).collect();
    assert!(lines.iter().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()), "{log}");
    assert!(lines.iter().any(|l| l.contains("\"division by zero\"")), "{log}");
}

#[test]
fn a_log_that_cannot_be_written_delays_nobody() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path()).unwrap();
    let full = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", full.path().join("full.log")).unwrap();
    let folder = format!("log_directory={}", full.path().display());
    // Nobody reads the server's standard error, and the pipe takes 64 kB; of the files none can be written.
    for collects in ["off", "on"] {
        let collector = format!("logging_collector={collects}");
        let args = [
            "--set",
            "log_statement=all",
            "--set",
            &folder,
            "--set",
            "log_filename=full.log",
            "--set",
            &collector,
        ];
        let server = Serving::start(dir.path(), &args);
        let mut c = server.client();
        c.query("CREATE TABLE IF NOT EXISTS t (a int)");
        let long = format!("INSERT INTO t /* {} */ VALUES (1)", "x".repeat(60_000));
        for _ in 0..80 {
            assert!(c.query(&long).is_empty());
        }
        assert_eq!(asked(&mut c, "SELECT count(*) % 80 FROM t"), "0");
        drop(c);
        let log = stopped(server);
        if collects == "off" {
            assert!(log.contains("messages are lost: they came faster"), "5 MB, of which 4 found room");
        } else {
            assert_eq!(log.matches("the log file cannot be written").count(), 1);
        }
    }
}

#[test]
fn plans_of_slow_statements_are_logged() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &[]);
    let mut c = server.client();
    for sql in [
        "CREATE TABLE t (a int PRIMARY KEY)",
        "SET auto_explain.log_min_duration = '1h'",
        "SELECT 'fast'",
        "SET auto_explain.log_min_duration = 0",
        "SELECT 'estimated' FROM t",
        "SET auto_explain.log_analyze = on",
        "INSERT INTO t SELECT n FROM generate_series(1, 7) n",
        "SELECT a AS measured FROM t WHERE a < 5 ORDER BY a",
        "PREPARE p(int) AS SELECT a FROM t WHERE a = $1",
        "EXECUTE p(3)",
        "SET auto_explain.log_format = 'json'",
        "UPDATE t SET a = a + 10 RETURNING a",
        "SET auto_explain.sample_rate = 0",
        "SELECT 'never looked at'",
    ] {
        let told = c.query(sql);
        assert!(!told.join(" ").contains("ERROR"), "{sql}: {told:?}");
    }
    let log = stopped(server);
    let has = |text: &str| assert!(log.contains(text), "{text} is missing:\n{log}");
    has(" ms  plan:\n\tQuery Text: SELECT 'estimated' FROM t\n\tIndex Only Scan using t_pkey on t  (cost=");
    has("\tQuery Text: INSERT INTO t SELECT n FROM generate_series(1, 7) n\n\tInsert on t");
    has("(actual time=");
    has("rows=4.00 loops=1)");
    has("\t  \"Query Text\": \"UPDATE t SET a = a + 10 RETURNING a\",\n\t  \"Plan\": {");
    has("\"Actual Rows\": 7");
    assert_eq!(log.matches("Query Text").count(), 5, "{log}");
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
    std::fs::write(dir.path().join("pg_stat.counts"), "evenkeel counts 1 00000000\n{}").unwrap();
    let server = Serving::start(dir.path(), &["--set", "pg_stat_statements.max=100"]);
    let mut c = server.client();
    assert_eq!(asked(&mut c, CALLS), "0", "a damaged file is left aside");
    for n in 0..300 {
        c.query(&format!("SELECT 1 AS c{n}"));
    }
    assert_eq!(asked(&mut c, "SELECT count(*) <= 100 FROM pg_stat_statements"), "t");
    assert_eq!(asked(&mut c, "SELECT dealloc > 0 FROM pg_stat_statements_info"), "t");
    let log = stopped(server);
    assert!(log.contains("it is damaged, or of another version; counting begins anew"), "{log}");
}

#[test]
fn what_is_counted_of_tables_databases_and_the_engine_is_kept_by_a_stop_and_not_by_a_crash() {
    const COUNTS: &str = "SELECT concat_ws(' ', n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del, seq_scan > 0, idx_scan, \
        analyze_count, last_analyze IS NOT NULL, n_live_tup, n_mod_since_analyze) \
        FROM pg_stat_user_tables WHERE relname = 't'";
    const INDEX: &str = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 't_pkey'";
    const DATABASE: &str = "SELECT concat_ws(' ', tup_inserted, tup_updated, tup_deleted, sessions >= 1) \
        FROM pg_stat_database WHERE datname = current_database()";
    const ENGINE: &str = "SELECT concat_ws(' ', wal_records > 150, (SELECT num_done >= 1 FROM pg_stat_checkpointer), \
        (SELECT sum(hits) > 300 FROM pg_stat_io)) FROM pg_stat_wal";
    const SINCE: &str = "SELECT stats_reset FROM pg_stat_wal";
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pg_stat.counts");
    let all = |c: &mut Client| [COUNTS, INDEX, DATABASE, ENGINE].map(|sql| asked(c, sql));
    let counted = ["102 11 10 1 t 13 1 t 101 1", "13", "102 11 1 t", "t t t"];
    let server = Serving::start(dir.path(), &[]);
    let mut c = server.client();
    c.query("CREATE TABLE t (a int PRIMARY KEY, b int)");
    c.query("SELECT pg_stat_reset()");
    c.query("INSERT INTO t SELECT n, n FROM generate_series(1, 101) n");
    c.query("SELECT sum(b) FROM t");
    for n in 1..=10 {
        c.query(&format!("UPDATE t SET b = 0 WHERE a = {n}"));
    }
    for sql in [
        "UPDATE t SET a = 200 WHERE a = 11",
        "DELETE FROM t WHERE a = 12",
        "ANALYZE t",
        "INSERT INTO t VALUES (300, 1)",
        "SELECT b FROM t WHERE a = 300",
        "CHECKPOINT",
    ] {
        c.query(sql);
    }
    let since = asked(&mut c, SINCE);
    let mut again = server.client();
    assert_eq!(all(&mut again), counted);
    stopped(server);

    let of_first = std::fs::read(&file).unwrap();
    let server = Serving::start(dir.path(), &[]);
    let mut c = server.client();
    assert_eq!(all(&mut c), counted, "kept");
    assert_eq!(asked(&mut c, SINCE), since);
    assert!(!file.exists(), "it is removed at once");
    drop(server);
    std::fs::write(&file, &of_first).unwrap();
    let server = Serving::start(dir.path(), &[]);
    let mut c = server.client();
    assert_eq!(asked(&mut c, INDEX), "0", "it was killed");
    let log = stopped(server);
    assert!(log.contains("the database was not shut down cleanly; counting begins anew"), "{log}");
    std::fs::write(&file, &of_first).unwrap();
    let server = Serving::start(dir.path(), &[]);
    let mut c = server.client();
    assert_eq!(asked(&mut c, INDEX), "0");
    c.query("SELECT pg_stat_reset_shared('wal')");
    assert_eq!(
        asked(
            &mut c,
            "SELECT wal_records < 20 AND stats_reset > now() - interval '1 minute' FROM pg_stat_wal"
        ),
        "t"
    );
    assert_eq!(asked(&mut c, "SELECT stats_reset < now() FROM pg_stat_bgwriter"), "t");
    let log = stopped(server);
    assert!(log.contains("it is of another time of the database, or of another database"), "{log}");
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

#[test]
fn the_lines_of_a_session_have_one_beginning_and_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let settings = ["log_line_prefix=<%c %l> ", "log_connections=on", "log_disconnections=on"];
    let args: Vec<&str> = settings.iter().flat_map(|s| ["--set", s]).collect();
    let server = Serving::start(dir.path(), &args);
    let mut c = server.client();
    for n in 1..4 {
        c.query(&format!("SELECT {n} / 0 AS failing"));
    }
    let took = asked(
        &mut c,
        "SELECT floor(extract(epoch FROM backend_start))::bigint FROM pg_stat_activity WHERE pid = pg_backend_pid()",
    );
    let pid = asked(&mut c, "SELECT pg_backend_pid()");
    drop(c);
    server.client().query("SELECT pg_sleep(0.2)");
    let log = stopped(server);
    let id = format!("<{:x}.{:x} ", took.parse::<i64>().unwrap(), pid.parse::<i64>().unwrap());
    let of_session: Vec<&str> = log.lines().filter(|l| l.starts_with(&id)).collect();
    for told in ["connection received", "connection authorized", "division by zero", "disconnection: "] {
        assert!(of_session.iter().any(|l| l.contains(told)), "{told} is missing:\n{log}");
    }
    for n in 1..4 {
        assert!(log.contains(&format!("{id}{}> STATEMENT:  SELECT {n} / 0 AS failing", n + 3)), "{log}");
    }
}

/// One session waits for what another holds, long enough to be logged, and gets it.
fn wait_for(server: &Serving, hold: &[&str], wait: &str, give: &str) {
    let (mut holder, mut waiter) = (server.client(), server.client());
    for sql in hold {
        holder.query(sql);
    }
    waiter.query("SET deadlock_timeout = '30ms'");
    std::thread::scope(|s| {
        let waits = s.spawn(|| waiter.query(wait));
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        while asked(&mut holder, waiting) != "1" {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
        holder.query(give);
        waits.join().unwrap();
    });
    // It is told once the thread that looks has seen it.
    std::thread::sleep(std::time::Duration::from_millis(100));
}

#[test]
fn waits_for_locks_that_last_are_logged_and_that_they_ended() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &["--set", "log_lock_waits=on"]);
    let mut c = server.client();
    c.query("CREATE TABLE t (a int PRIMARY KEY, b int)");
    c.query("INSERT INTO t VALUES (1, 1)");
    let oid = asked(&mut c, "SELECT 't'::regclass::oid");
    let database = asked(&mut c, "SELECT oid FROM pg_database WHERE datname = current_database()");
    let row = ["BEGIN", "UPDATE t SET b = 2 WHERE a = 1"];
    wait_for(&server, &row, "UPDATE t SET b = 3 WHERE a = 1", "COMMIT");
    wait_for(&server, &row, "SELECT b FROM t WHERE a = 1 FOR UPDATE", "ROLLBACK");
    wait_for(&server, &row, "DELETE FROM t WHERE a = 1", "COMMIT");
    wait_for(&server, &["BEGIN", "INSERT INTO t VALUES (5)"], "INSERT INTO t VALUES (5)", "ROLLBACK");
    let table = ["BEGIN", "LOCK TABLE t IN ACCESS EXCLUSIVE MODE"];
    wait_for(&server, &table, "SELECT count(*) FROM t", "COMMIT");
    wait_for(
        &server,
        &["SELECT pg_advisory_lock(7)"],
        "SELECT pg_advisory_lock(7)",
        "SELECT pg_advisory_unlock(7)",
    );
    let log = stopped(server);
    let count = |text: &str| log.matches(text).count();
    assert_eq!(count(" still waiting for ShareLock on transaction "), 4, "{log}");
    assert_eq!(count(" acquired ShareLock on transaction "), 4, "{log}");
    for (doing, what) in [
        ("updating tuple (0,1)", "t"),
        ("locking tuple (0,1)", "t"),
        ("deleting tuple (0,1)", "t"),
        ("inserting index tuple", "t_pkey"),
    ] {
        assert_eq!(count(&format!("CONTEXT:  while {doing} in relation \"{what}\"")), 2, "{doing}: {log}");
    }
    for (mode, object) in [
        ("AccessShareLock", format!("relation {oid} of database {database}")),
        ("ExclusiveLock", format!("advisory lock [{database},0,7,1]")),
    ] {
        assert_eq!(count(&format!(" still waiting for {mode} on {object} after ")), 1, "{log}");
        assert_eq!(count(&format!(" acquired {mode} on {object} after ")), 1, "{log}");
    }
    assert_eq!(count("Process holding the lock: "), 6, "{log}");
    assert!(!log.contains("Process holding the lock: 0") && !log.contains("Wait queue: ."), "{log}");
    assert!(count("SELECT b FROM t WHERE a = 1 FOR UPDATE") >= 1, "{log}");
}

#[test]
fn a_deadlock_is_logged_with_the_statements_of_all_who_waited() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &[]);
    let (mut a, mut b) = (server.client(), server.client());
    a.query("CREATE TABLE t (a int PRIMARY KEY, b int)");
    a.query("INSERT INTO t VALUES (1, 1), (2, 2)");
    for (c, n) in [(&mut a, 1), (&mut b, 2)] {
        c.query("BEGIN");
        c.query(&format!("UPDATE t SET b = 0 WHERE a = {n}"));
    }
    let (of_a, of_b) = ("UPDATE t SET b = 3 WHERE a = 2", "UPDATE t SET b = 4 WHERE a = 1");
    std::thread::scope(|s| {
        s.spawn(|| a.query(of_a));
        s.spawn(|| b.query(of_b));
    });
    let log = stopped(server);
    assert_eq!(log.matches("ERROR:  deadlock detected").count(), 1, "{log}");
    assert!(log.contains(&format!(": {of_a}\n")) && log.contains(&format!(": {of_b}\n")), "{log}");
    assert!(log.contains("HINT:  See server log for query details."), "{log}");
}

/// In the form that programs which read PostgreSQL's log know.
#[test]
fn large_temporary_files_are_logged_with_whose_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &["--set", "log_line_prefix=<%u@%d> "]);
    let mut c = server.client();
    c.query("SET work_mem = '64kB'");
    c.query("SET log_temp_files = '100kB'");
    let sort = "SELECT count(*) FROM (SELECT i FROM generate_series(1, 50000) i ORDER BY i DESC OFFSET 1) x";
    assert_eq!(asked(&mut c, sort), "49999");
    c.query("SET log_temp_files = -1");
    let log = stopped(server);
    let line = log.lines().find(|l| l.contains("temporary file")).unwrap_or_else(|| panic!("{log}"));
    let path = format!("<postgres@postgres> LOG:  temporary file: path \"{}\", size ", dir.path().display());
    let size = line.strip_prefix(&path).and_then(|s| s.parse::<u64>().ok());
    assert!(size.is_some_and(|n| n >= 100 << 10), "{line}");
    assert!(log.contains(&format!("<postgres@postgres> STATEMENT:  {sort}")), "{log}");
}

#[test]
fn lines_have_the_command_the_transactions_and_the_statements_number() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &["--set", "log_line_prefix=<%i;%v;%x;%Q>"]);
    let mut c = server.client();
    c.query("CREATE TABLE t (a int PRIMARY KEY)");
    c.query("SELECT 1 FROM t");
    for sql in ["SELEC 1", "BEGIN", "SELEC 2", "ROLLBACK", "SELECT no_such FROM t"] {
        c.query(sql);
    }
    let pid = asked(&mut c, "SELECT pg_backend_pid()");
    c.query("BEGIN");
    c.query("INSERT INTO t VALUES (1)");
    let xid = asked(&mut c, "SELECT pg_current_xact_id()");
    c.query("UPDATE t SET a = 1 / (a - 1)");
    c.query("ROLLBACK");
    c.query("PREPARE p AS SELECT 'prepared'");
    c.query("SET log_statement = 'all'");
    c.query("EXECUTE p");
    let log = stopped(server);
    let has = |text: &str| assert!(log.contains(text), "{text} is missing:\n{log}");
    has(&format!("<idle;{pid}/3;0;0>ERROR:  syntax error at or near \"SELEC\""));
    has(&format!("<idle in transaction;{pid}/4;0;0>ERROR:  syntax error"));
    has(&format!("<SELECT;{pid}/5;0;0>ERROR:  column \"no_such\" does not exist"));
    let begin = format!("<UPDATE;{pid}/7;{xid};");
    let line = log.lines().find(|l| l.starts_with(&begin) && l.contains("division by zero"));
    let line = line.unwrap_or_else(|| panic!("{begin} is missing:\n{log}"));
    assert!(!line.contains(";0>"), "{line}");
    has("LOG:  statement: EXECUTE p");
    has("DETAIL:  prepare: PREPARE p AS SELECT 'prepared'");
}

/// What a client hears that answers with a password, and what it is asked for.
fn comes(server: &Serving, user: &str, password: &str) -> String {
    use std::io::Write;
    let mut c = Client(std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap());
    let text = format!("user\0{user}\0database\0postgres\0\0");
    c.0.write_all(&(text.len() as u32 + 8).to_be_bytes()).unwrap();
    c.0.write_all(b"\0\x03\0\0").unwrap();
    c.0.write_all(text.as_bytes()).unwrap();
    c.0.write_all(b"p").unwrap();
    c.0.write_all(&(password.len() as u32 + 5).to_be_bytes()).unwrap();
    c.0.write_all(format!("{password}\0").as_bytes()).unwrap();
    c.until_ready().join("\n")
}

#[test]
fn who_was_let_in_is_logged_and_why_not_with_the_rule() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let server = Serving::start(&data, &["--set", "log_connections=authentication"]);
    let mut c = server.client();
    for sql in [
        "CREATE ROLE bob LOGIN PASSWORD 'secret'",
        "CREATE ROLE bare LOGIN",
        "CREATE ROLE late LOGIN PASSWORD 'secret' VALID UNTIL '2001-01-01'",
    ] {
        c.query(sql);
    }
    std::fs::write(
        data.join("pg_hba.conf"),
        "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 password\n",
    )
    .unwrap();
    c.query("SELECT pg_reload_conf()");
    let rule = || asked(&mut server.client(), "SELECT count(*) FROM pg_hba_file_rules");
    while rule() != "2" || !comes(&server, "bob", "wrong").contains("password authentication failed") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    server.client();
    for (user, password) in [("bare", "x"), ("late", "secret"), ("nobody", "x"), ("bob", "secret")] {
        let told = comes(&server, user, password);
        assert!(!told.contains("matched") && !told.contains("User"), "{told}");
    }
    let log = stopped(server);
    let has = |text: &str| assert!(log.contains(text), "{text} is missing:\n{log}");
    has("connection authenticated: user=\"postgres\" method=trust");
    has("connection authenticated: user=\"postgres\" method=trust (");
    has("connection authenticated: identity=\"bob\" method=password (");
    has("pg_hba.conf:2)");
    assert!(!log.contains("connection received") && !log.contains("connection authorized"), "{log}");
    let matched = "\tConnection matched file \"";
    for why in [
        "Password does not match for user \"bob\".",
        "User \"bare\" has no password assigned.",
        "User \"late\" has an expired password.",
        "Role \"nobody\" does not exist.",
    ] {
        has(&format!("DETAIL:  {why}\n{matched}"));
    }
    has("line 2: \"host all all 127.0.0.1/32 password\"\n");
}
