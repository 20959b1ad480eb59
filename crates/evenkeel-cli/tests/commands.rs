//! The commands as a user runs them.

mod common;

use common::{Serving, evenkeel, run, stderr, stdout};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
#[test]
fn help_shows_every_command_with_examples() {
    let text = stdout(&run(&["--help"]));
    for word in [
        "serve",
        "sql",
        "check",
        "doctor",
        "wal",
        "logdisk",
        "lab",
        "bench",
        "settings",
        "passwd",
        "Examples:",
    ] {
        assert!(text.contains(word), "{word}");
    }
    for command in ["serve", "sql", "check", "doctor", "logdisk", "lab", "passwd"] {
        assert!(stdout(&run(&[command, "--help"])).contains("Example"), "{command}");
    }
}

#[test]
fn a_server_keeps_what_it_was_told_through_a_clean_stop() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("missing").join("data");
    let server = Serving::start(&data, &[]);
    let mut c = server.client();
    assert_eq!(c.query("CREATE TABLE t(a int PRIMARY KEY); INSERT INTO t VALUES (7)"), [""; 0]);
    server.signal(Signal::TERM);
    assert!(c.until_ready()[0].contains("57P01"));
    let (code, log) = server.finish();
    assert_eq!(code, 0, "{log}");

    let server = Serving::start(&data, &[]);
    assert_eq!(server.client().query("SELECT a FROM t"), ["7"]);
    server.signal(Signal::INT);
    assert_eq!(server.finish().0, 0);
}

#[test]
fn a_killed_server_keeps_what_it_was_told() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &[]);
    assert_eq!(server.client().query("CREATE TABLE t(a int PRIMARY KEY); INSERT INTO t VALUES (7)"), [""; 0]);
    server.signal(Signal::KILL);
    server.finish();
    let output = run(&["sql", dir.path().to_str().unwrap(), "SELECT a FROM t", "--csv"]);
    assert_eq!(stdout(&output), "a\n7\n", "{}", stderr(&output));
}

#[test]
fn a_reload_is_logged_and_a_bad_one_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &[]);
    std::fs::write(dir.path().join("evenkeel.toml"), "max_connection = 3").unwrap();
    server.signal(Signal::HUP);
    let mut c = server.client();
    assert_eq!(c.query("SELECT 1").len(), 1);
    server.signal(Signal::TERM);
    let (code, log) = server.finish();
    assert_eq!(code, 0);
    assert!(log.contains("max_connection"), "{log}");
}

#[test]
fn a_folder_in_use_is_said_so() {
    let dir = tempfile::tempdir().unwrap();
    let _server = Serving::start(dir.path(), &[]);
    let output = run(&["sql", dir.path().to_str().unwrap(), "SELECT 1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("in use"), "{}", stderr(&output));
}

#[test]
fn a_folder_with_foreign_files_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("holiday.jpg"), "x").unwrap();
    let data = dir.path().to_str().unwrap();
    let output = run(&["serve", "--data", data, "--set", "port=0", "--set", "unix_socket_directories="]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("holiday.jpg"), "{}", stderr(&output));
    assert!(!dir.path().join("data").exists());
}

#[test]
fn sql_needs_a_database_unless_it_may_create_one() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let data = data.to_str().unwrap();
    let output = run(&["sql", data, "SELECT 1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no database"));
    assert!(run(&["sql", "--create", data, "SELECT 1"]).status.success());
}

#[test]
fn sql_prints_results_and_errors_as_psql_does() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let output = run(&[
        "sql",
        "--create",
        data,
        "CREATE TABLE t(a int PRIMARY KEY, b text)",
        "INSERT INTO t VALUES (1, 'x'), (20, NULL)",
        "SELECT * FROM t ORDER BY a",
    ]);
    let expected = "CREATE TABLE\nINSERT 0 2\n a  | b \n----+---\n  1 | x\n 20 |\n(2 rows)\n\n";
    assert_eq!(stdout(&output), expected, "{}", stderr(&output));

    let output = run(&["sql", data, "SELECT a FROM t WHERE a = 1", "SELECT\n  nope FROM t", "SELECT 3"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), " a \n---\n 1\n(1 row)\n\n");
    let errors = stderr(&output);
    assert!(
        errors.starts_with("ERROR:  column \"nope\" does not exist\nLINE 2:   nope FROM t\n          ^\n"),
        "{errors}"
    );

    let mut child = evenkeel(&["sql", data, "COPY t FROM STDIN"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"3\tthree\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(stdout(&run(&["sql", data, "-t", "COPY t TO STDOUT"])), "1\tx\n20\t\\N\n3\tthree\n");
}

#[test]
fn a_sound_database_checks_clean() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let script = "CREATE TABLE t(a int PRIMARY KEY, b text); CREATE INDEX ON t(b DESC, a);
        INSERT INTO t SELECT i, 'value ' || i FROM generate_series(1, 2000) AS i; DELETE FROM t WHERE a % 3 = 0";
    let output = run(&["sql", "--create", data, script]);
    assert!(output.status.success(), "{}", stderr(&output));
    let output = run(&["check", data]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let output = run(&["wal", "dump", data]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!output.stdout.is_empty());
}

#[test]
fn the_log_is_filtered_and_added_up() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let script = "CREATE TABLE t(a int PRIMARY KEY); INSERT INTO t SELECT i FROM generate_series(1, 50) AS i";
    assert!(run(&["sql", "--create", data, script]).status.success());
    let all = stdout(&run(&["wal", "dump", data, "--json"]));
    let field = |line: &str, name: &str| {
        let rest = line.split(&format!("\"{name}\":")).nth(1)?.to_string();
        Some(rest.split([',', '}']).next().unwrap().trim_matches('"').to_string())
    };
    let commit = all.lines().find(|l| l.contains("\"kind\":\"Commit\"")).expect("a commit");
    let (txid, time) = (field(commit, "txid").unwrap(), field(commit, "time_ms").unwrap());
    let of_one = stdout(&run(&["wal", "dump", data, "--json", "--txid", &txid]));
    assert!(of_one.lines().count() > 1);
    assert!(of_one.lines().all(|l| field(l, "txid").as_ref() == Some(&txid)), "{of_one}");
    let page = all.lines().find(|l| l.contains("\"blocks\"")).expect("a change");
    let page = format!("{}/{}", field(page, "file").unwrap(), field(page, "block").unwrap());
    let of_page = stdout(&run(&["wal", "dump", "--data", data, "--page", &page]));
    assert!(of_page.lines().count() > 1);
    assert!(of_page.lines().all(|l| l.contains(&page) || l.starts_with("end of the log")), "{of_page}");
    assert!(time.parse::<u64>().unwrap() > 1_700_000_000_000, "{time}");
    let later = stdout(&run(&["wal", "dump", data, "--until", "1980-01-01T00:00:00Z"]));
    assert_eq!(later.lines().count(), 1, "nothing was committed then: {later}");
    let stats = stdout(&run(&["wal", "dump", data, "--stats", "--json"]));
    assert!(stats.contains("\"commit\":{\"records\":"), "{stats}");
    let lines = all.lines().count();
    assert!(stats.contains(&format!("\"total\":{{\"records\":{lines},")), "{lines}: {stats}");
    // The same from the files themselves.
    let files = dir.path().join("wal");
    assert_eq!(stdout(&run(&["wal", "dump", files.to_str().unwrap(), "--json"])), all);
    let e = run(&["wal", "dump", dir.path().join("control").to_str().unwrap()]);
    assert!(!e.status.success() && stderr(&e).contains("no log segment"), "{}", stderr(&e));
}

#[test]
fn a_stripped_log_fills_to_the_same_records() {
    let dir = tempfile::tempdir().unwrap();
    let (data, out) = (dir.path().join("db"), dir.path().join("stripped"));
    let (data, out) = (data.to_str().unwrap(), out.to_str().unwrap());
    let script = "CREATE TABLE t(a int PRIMARY KEY, b text);
        INSERT INTO t SELECT i, 'value ' || i FROM generate_series(1, 5000) AS i";
    assert!(run(&["sql", "--create", data, script]).status.success());
    assert!(run(&["sql", data, "UPDATE t SET b = 'x' || b"]).status.success());
    let wal = format!("{data}/wal");
    let plain = |json: String| -> Vec<String> {
        let lines = json.lines().map(|l| {
            // Images apart, the records are the same.
            let mut parts: Vec<_> = l.split(',').filter(|p| !p.contains("image_bytes")).collect();
            parts.retain(|p| !p.contains("stripped_bytes"));
            parts.join(",")
        });
        lines.collect()
    };
    let before = stdout(&run(&["wal", "dump", &wal, "--json"]));
    assert!(before.contains("image_bytes"));
    for _ in 0..2 {
        let output = run(&["wal", "strip", &wal, "-o", out]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let stripped = stdout(&run(&["wal", "dump", out, "--json"]));
    assert!(stripped.contains("stripped_bytes") && !stripped.contains("image_bytes"));
    assert_eq!(plain(stripped.clone()), plain(before));
    let filled = dir.path().join("filled");
    let filled = filled.to_str().unwrap();
    assert!(run(&["wal", "fill", out, "-o", filled]).status.success());
    assert_eq!(stdout(&run(&["wal", "dump", filled, "--json"])), stripped);
    let refused = run(&["wal", "strip", &format!("{data}/control"), "-o", out]);
    assert!(!refused.status.success() && stderr(&refused).contains("no log segment"), "{}", stderr(&refused));
}

/// The next segment is made ready before it is needed: that is no log.
#[test]
fn the_log_of_a_running_server_is_stripped_and_filled() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (data, out, filled) = (path("db"), path("stripped"), path("filled"));
    let server = Serving::start(Path::new(&data), &["--set", "wal_segment_size=1MB"]);
    let mut c = server.client();
    let rows = "CREATE TABLE t(a int PRIMARY KEY, b text); INSERT INTO t SELECT i, repeat('x', 100) FROM generate_series(1, 20000) AS i";
    assert_eq!(c.query(rows), [""; 0]);
    let wal = format!("{data}/wal");
    let written = || std::fs::read_dir(&wal).unwrap().count();
    let begin = std::time::Instant::now();
    while written() < 4 && begin.elapsed().as_secs() < 60 {
        assert_eq!(c.query("UPDATE t SET b = b || 'y' WHERE a % 10 = 0"), [""; 0]);
    }
    for (command, from, to) in [("strip", &wal, &out), ("fill", &out, &filled)] {
        let output = run(&["wal", command, from, "-o", to]);
        assert!(output.status.success(), "{command}: {}", stderr(&output));
    }
    let end = |of: &str| stdout(&run(&["wal", "dump", of, "--json"])).lines().count();
    assert!(end(&filled) > 1000, "{}", end(&filled));
    server.signal(Signal::KILL);
}

#[test]
fn an_archive_is_verified() {
    let dir = tempfile::tempdir().unwrap();
    let (data, archive) = (dir.path().join("db"), dir.path().join("archive"));
    std::fs::create_dir(&data).unwrap();
    let url = format!("archive_url = \"file://{}\"\nwal_segment_size = \"64kB\"\n", archive.display());
    std::fs::write(data.join("evenkeel.toml"), url).unwrap();
    let (data, archive) = (data.to_str().unwrap(), archive.to_str().unwrap());
    assert!(!run(&["wal", "verify", archive]).status.success());
    let script = "CREATE TABLE t(a int PRIMARY KEY, b text);
        INSERT INTO t SELECT i, 'value ' || i FROM generate_series(1, 5000) AS i";
    let output = run(&["sql", "--create", data, script]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(run(&["sql", data, "UPDATE t SET b = 'x' || b"]).status.success());
    let output = run(&["wal", "verify", archive]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("timeline 1: segments 0000000000000001"), "{}", stdout(&output));
    let segment = dir.path().join("archive/wal/00000001/0000000000000003.seg");
    std::fs::remove_file(segment).unwrap();
    let output = run(&["wal", "verify", &format!("file://{archive}"), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("a gap: segments 0000000000000003"), "{}", stdout(&output));
}

#[test]
fn a_damaged_page_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let script = "CREATE TABLE t(a int PRIMARY KEY, b text);
        INSERT INTO t SELECT i, 'value ' || i FROM generate_series(1, 5000) AS i";
    assert!(run(&["sql", "--create", data, script]).status.success());
    let largest = largest_data_file(dir.path());
    let mut bytes = std::fs::read(&largest).unwrap();
    let at = 8192 * 3 + 4000;
    bytes[at] ^= 0x40;
    std::fs::write(&largest, bytes).unwrap();
    let output = run(&["check", data]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(!stdout(&output).is_empty());
}

/// The largest file outside of the log, by its size.
fn largest_data_file(data: &Path) -> std::path::PathBuf {
    let mut folders = vec![data.to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                if entry.file_name() != "wal" {
                    folders.push(entry.path());
                }
            } else {
                files.push((entry.metadata().unwrap().len(), entry.path()));
            }
        }
    }
    files.into_iter().max().unwrap().1
}

#[test]
fn a_password_becomes_a_line_of_the_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let mut child =
        evenkeel(&["passwd", "ann"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"secret\n").unwrap();
    let line = stdout(&child.wait_with_output().unwrap());
    assert!(line.starts_with("ann = \"SCRAM-SHA-256$4096:"));
    std::fs::write(dir.path().join("evenkeel.toml"), format!("[users]\n{line}")).unwrap();
    // Only with users may it listen to strangers.
    let server = Serving::start(dir.path(), &["--set", "listen_addresses=127.0.0.1,0.0.0.0:0"]);
    server.signal(Signal::TERM);
    assert_eq!(server.finish().0, 0);
}

#[test]
fn wrong_settings_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    for (set, word) in
        [("nonsense=1", "nonsense"), ("port=x", "port"), ("shared_buffers=lots", "shared_buffers")]
    {
        let output = run(&["serve", "--data", data, "--set", set]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    }
    let output = run(&["serve", "--data", data, "--listen", "0.0.0.0:0"]);
    assert!(stderr(&output).contains("passwords"), "{}", stderr(&output));
}

#[test]
fn a_server_says_where_its_files_are_and_where_it_was_called() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let server = Serving::start(&data, &[]);
    let mut c = server.client();
    let data = data.canonicalize().unwrap();
    for (name, file) in
        [("config_file", "evenkeel.toml"), ("hba_file", "pg_hba.conf"), ("ident_file", "pg_ident.conf")]
    {
        let shown = c.query(&format!("SHOW {name}"));
        assert_eq!(shown, [data.join(file).to_str().unwrap()], "{name}");
    }
    assert_eq!(c.query("SELECT current_setting('data_directory')"), [data.to_str().unwrap()]);
    let called = "SELECT inet_server_addr() = '127.0.0.1' AND inet_server_port() = current_setting('port')::int AND inet_client_port() > 0 AND inet_client_port() = (SELECT client_port FROM pg_stat_activity WHERE pid = pg_backend_pid())";
    assert_eq!(c.query(called), ["t"]);
    let mut by_name =
        c.query("SELECT setting FROM pg_settings WHERE name IN ('data_directory', 'hba_file') ORDER BY name");
    assert_eq!(by_name.pop(), Some(data.join("pg_hba.conf").to_str().unwrap().to_owned()));
    server.signal(Signal::KILL);
}

#[test]
fn settings_are_listed_with_the_values_of_a_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("x.toml");
    std::fs::write(&config, "max_connections = 7\nwork_mem = \"8MB\"\ncheckpoint_timeout = \"90s\"").unwrap();
    let config = config.to_str().unwrap();
    let data = dir.path().to_str().unwrap();
    let args = ["settings", "--data", data, "--config", config, "--set", "shared_buffers=64MB", "--csv"];
    let text = stdout(&run(&args));
    for line in [
        "max_connections,7,200,\"\",reload,",
        "work_mem,8MB,4MB,kB,SET,",
        "checkpoint_timeout,90s,5min,s,reload,",
        "shared_buffers,64MB,128MB,8kB,restart,",
        "statement_timeout,0,0,ms,SET,",
    ] {
        assert!(text.lines().any(|l| l.starts_with(line)), "{line} in {text}");
    }
    let wrong = run(&["settings", "--data", data, "--set", "statement_timeout=soon"]);
    assert!(stderr(&wrong).contains("command line: statement_timeout"), "{}", stderr(&wrong));
}

#[test]
fn a_disk_is_measured_and_only_known_settings_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, file) = (dir.path().join("disk"), dir.path().join("evenkeel.toml"));
    std::fs::create_dir(&disk).unwrap();
    std::fs::write(&file, "# mine\nport = 6000\n").unwrap();
    let (disk_name, file_name) = (disk.to_str().unwrap(), file.to_str().unwrap());
    let output = run(&["logdisk", disk_name, "--seconds", "2", "--json", "--write", file_name]);
    let json = stdout(&output);
    // On a busy machine nothing is written.
    let reliable = json.contains("\"reliable\": true");
    assert_eq!(output.status.code(), Some(if reliable { 0 } else { 1 }), "{}", stderr(&output));
    assert!(json.starts_with('{') && json.contains("\"wal_sync_method\""), "{json}");
    assert!(stderr(&output).contains("7 of 7") && stderr(&output).contains(file_name), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(&disk).unwrap().count(), 0);
    // Whatever was written, a server would take it.
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# mine\nport = 6000\n"), "{text}");
    assert!(run(&["settings", "--config", file_name]).status.success(), "{text}");
}

#[test]
fn a_folder_that_cannot_be_measured_is_named() {
    let output = run(&["logdisk", "/nonexistent/folder"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/nonexistent/folder"), "{}", stderr(&output));
    assert_eq!(run(&["logdisk", "--seconds", "0"]).status.code(), Some(2));
}

#[test]
fn an_interrupted_measurement_leaves_no_files() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = evenkeel(&["logdisk", dir.path().to_str().unwrap()]);
    let mut child = child.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("1 of 7"));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest:?}");
    assert!(rest.iter().any(|l| l.contains("interrupted")), "{rest:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn bench_commits_measures_over_the_wire_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let json = dir.path().join("out.json");
    let output =
        evenkeel(&["bench", "commits", "--clients", "1,3", "--seconds", "0.1", "--runs", "1", "--json"])
            .arg(&json)
            .args(["--set", "shared_buffers=16MB"])
            .current_dir(dir.path())
            .output()
            .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for part in
        ["evenkeel bench commits --clients 1,3", "processor", "commits/s", "gang", "synchronous_commit = on"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let report = std::fs::read_to_string(&json).unwrap();
    assert!(
        report.contains("\"flushes_per_s\": ") && !report.contains("\"flushes_per_s\": null"),
        "{report}"
    );
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "only the result is there");
}

/// What it measures is looked at in `lab.rs`: filling the tables takes long.
#[test]
fn bench_tpcc_says_what_is_wrong_before_it_begins() {
    let dir = tempfile::tempdir().unwrap();
    let json = dir.path().join("tpcc.json");
    let out = evenkeel(&["bench", "tpcc", "--url", "host=127.0.0.1 port=1 user=x dbname=x", "--json"]);
    let out = { out }.arg(&json).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("127.0.0.1:1/x"), "{}", stderr(&out));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn bench_tpch_measures_compares_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (data, json) = (dir.path().to_str().unwrap(), dir.path().join("tpch.json"));
    let args = ["bench", "tpch", "--scale", "0.01", "--runs", "1", "--data", data, "--set", "fsync=off"];
    let out = evenkeel(&args).args(["--json", json.to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{said}{}", String::from_utf8_lossy(&out.stderr));
    assert!(said.contains("TPC-H, scale 0.01"), "{said}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let server = &report["servers"][0];
    assert_eq!(server["seconds"].as_array().unwrap().len(), 22);
    // Four groups of lines, one sum, one promotion, and the seven codes of countries.
    for (query, rows) in [(1, 4), (6, 1), (14, 1), (22, 7)] {
        assert_eq!(server["rows"][query - 1], rows, "query {query}: {}", server["rows"]);
    }
    std::fs::remove_file(&json).unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn bench_tpch_takes_statements_and_undoes_them() {
    let dir = tempfile::tempdir().unwrap();
    let (file, json) = (dir.path().join("own.sql"), dir.path().join("own.json"));
    std::fs::write(&file, "-- Two lines that change, and what is seen then.\ndelete from region\nalter table region add more int default 5;\nselect r_regionkey, r_name from region\n").unwrap();
    let args = ["bench", "tpch", "--scale", "0.01", "--runs", "2", "--set", "fsync=off", "--statements"];
    let out =
        evenkeel(&args).arg(&file).arg("--json").arg(&json).arg("--data").arg(dir.path()).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{said}{}", stderr(&out));
    assert!(said.contains("alter table region add more int default 5\n"), "{said}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!(report["statements"].as_array().unwrap().len(), 3);
    assert_eq!(report["servers"][0]["rows"], serde_json::json!([0, 0, 5]));
    std::fs::write(&file, "-- nothing\n").unwrap();
    let out = evenkeel(&args).arg(&file).arg("--data").arg(dir.path()).output().unwrap();
    assert!(
        !out.status.success() && stderr(&out).contains("there is no statement in it"),
        "{}",
        stderr(&out)
    );
}

/// Measures checkpoints for a second; gives the JSON, after a look that nothing is left but what was asked for.
fn bench_checkpoints(more: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (data, html, json) = (path(""), path("page.html"), path("all.json"));
    let mut args = vec!["bench", "checkpoints", "--data", &data, "--html", &html, "--json", &json];
    args.extend(["--scale", "1", "--seconds", "1", "--warmup-seconds", "0", "--clients", "2"]);
    args.extend(["--set", "shared_buffers=32MB", "--with-held-back"]);
    args.extend(more);
    let output = run(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("\nrounds held back  "), "{}", stdout(&output));
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("<h3>evenkeel</h3>") && page.contains("<h3>rounds held back</h3>"));
    let mut left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["all.json", "page.html"]);
    std::fs::read_to_string(&json).unwrap()
}

#[test]
fn bench_checkpoints_measures_the_embedded_engine() {
    let json = bench_checkpoints(&["--load", "embedded"]);
    assert!(json.contains("\"load\":\"embedded\"") && json.contains("1d"), "{json}");
}

#[test]
fn bench_checkpoints_starts_servers_of_its_own() {
    let json = bench_checkpoints(&["--load", "wire"]);
    assert!(json.contains("\"product\":\"evenkeel"), "{json}");
}

#[test]
fn bench_checkpoints_says_what_is_wrong_before_it_begins() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().display().to_string();
    let html = dir.path().join("page.html").display().to_string();
    for (more, expected) in [
        (["--pgbench", "/no/such/pgbench"], "there is no pgbench at /no/such/pgbench"),
        (["--against", "host=127.0.0.1 port=1 user=x dbname=x"], "127.0.0.1:1/x"),
        (["--row", "x: no_such_setting=1"], "no_such_setting"),
    ] {
        let mut args = vec!["bench", "checkpoints", "--data", &data, "--html", &html];
        args.extend(more);
        if more[0] != "--pgbench" {
            args.extend(["--load", "wire"]);
        }
        let output = run(&args);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
fn bench_commits_compares_with_another_server_that_asks_for_a_password() {
    let dir = tempfile::tempdir().unwrap();
    let mut passwd =
        evenkeel(&["passwd", "ann"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    passwd.stdin.take().unwrap().write_all(b"s3cret\n").unwrap();
    let verifier = stdout(&passwd.wait_with_output().unwrap());
    let config = format!("local_authentication = \"scram-sha-256\"\n[users]\n{verifier}");
    std::fs::write(dir.path().join("evenkeel.toml"), config).unwrap();
    let server = Serving::start(dir.path(), &[]);
    let against = |password: &str| format!("postgresql://ann:{password}@127.0.0.1:{}/postgres", server.port);
    let bench = |password: &str| {
        let data = dir.path().join("bench");
        let mut command =
            evenkeel(&["bench", "commits", "--clients", "2", "--seconds", "0.1", "--runs", "1"]);
        command.args(["--against", &against(password), "--data"]).arg(data);
        command.args(["--set", "shared_buffers=16MB"]).output().unwrap()
    };
    let good = bench("s3cret");
    let text = stdout(&good);
    assert!(good.status.success(), "{}", stderr(&good));
    assert!(text.contains("ratio") && !text.contains("s3cret"), "{text}");
    let bad = bench("wrong");
    assert!(!bad.status.success() && stderr(&bad).contains("28P01"), "{}", stderr(&bad));
}

/// A damaged log: the start says what can be done, and doing it says what it costs.
#[test]
fn a_damaged_log_is_refused_and_can_be_given_up_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let server = Serving::start(&data, &["--set", "wal_segment_size=64kB", "--set", "checkpoint_timeout=1h"]);
    let mut client = server.client();
    client.query("CREATE TABLE t (a int PRIMARY KEY, b text)");
    for i in 0..40 {
        client.query(&format!(
            "INSERT INTO t SELECT g, repeat('x', 200) FROM generate_series({}, {}) g",
            i * 10,
            i * 10 + 9
        ));
    }
    drop(client);
    server.signal(rustix::process::Signal::KILL);
    drop(server);
    let data = data.to_str().unwrap();
    let segment = format!("{data}/wal/0000000000000002");
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes[20_000] ^= 1;
    std::fs::write(&segment, bytes).unwrap();

    let refused = run(&["sql", data, "SELECT count(*) FROM t"]);
    assert_eq!(refused.status.code(), Some(1));
    let message = stderr(&refused);
    assert!(message.contains("damaged at") && message.contains("evenkeel wal give-up"), "{message}");
    let from = message.trim().rsplit(' ').next().unwrap().to_owned();
    let given = run(&["wal", "give-up", data, "--from", &from]);
    assert!(given.status.success(), "{}", stderr(&given));
    let text = stdout(&given);
    assert!(text.contains("are lost") && text.contains("Kept: "), "{text}");
    let rows = run(&["sql", data, "SELECT count(*) % 10 FROM t", "--tuples-only", "--csv"]);
    assert_eq!(stdout(&rows).trim(), "0", "whole transactions: {}", stderr(&rows));
    let check = run(&["check", data]);
    assert!(check.status.success() && stdout(&check).contains("note: wal/aside-"), "{}", stdout(&check));
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let data = data.to_str().unwrap();
    let look = |more: &[&str]| {
        let output = run(&[&["doctor", "--data", data], more].concat());
        (output.status.code(), stdout(&output))
    };
    let (code, told) = look(&[]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("there is no database in") && told.contains("→ name its folder"), "{told}");

    let server = Serving::start(std::path::Path::new(data), &[]);
    let (code, told) = look(&["--json"]);
    assert_eq!(code, Some(1), "there is no archive: {told}");
    let found: Vec<serde_json::Value> = told.lines().map(|l| serde_json::from_str(l).expect(l)).collect();
    let of = |area: &str| found.iter().filter(|f| f["area"] == area).collect::<Vec<_>>();
    for area in ["folder", "disk", "machine", "settings", "archive", "server"] {
        assert!(!of(area).is_empty(), "{area}: {told}");
    }
    assert!(of("server").iter().all(|f| f["level"] == "ok"), "{told}");
    assert!(of("archive")[0]["remedy"].as_str().unwrap().contains("archive_url"), "{told}");
    assert!(found.iter().all(|f| f["level"] != "wrong"), "{told}");

    // Somebody is in the midst of something, a slot waits for nobody, and a setting is not safe.
    let mut c = server.client();
    c.query("SELECT pg_create_physical_replication_slot('gone', true)");
    let (code, told) = look(&["--problems", "--set", "fsync=off", "--set", "memory_limit=900TB"]);
    assert_eq!(code, Some(2), "{told}");
    for text in [
        "fsync is off",
        "memory_limit (900 TB) is more",
        "nobody follows by slot \"gone\"",
        "pg_drop_replication_slot('gone')",
    ] {
        assert!(told.contains(text), "{text}: {told}");
    }
    assert!(!told.lines().any(|l| l.starts_with("ok")), "{told}");
    drop(server);

    std::fs::write(dir.path().join("db/evenkeel.toml"), "no_such_setting = 1\n").unwrap();
    let (code, told) = look(&["--problems"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("the configuration cannot be read") && told.contains("no_such_setting"), "{told}");
}

#[test]
fn packages_find_completions_manual_pages_and_whether_a_server_is_ready() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&run(&["completions", shell]));
        assert!(script.contains("evenkeel") && script.contains("checkpoints"), "{shell}");
    }
    let dir = tempfile::tempdir().unwrap();
    let man = dir.path().join("man1");
    assert!(run(&["man", man.to_str().unwrap()]).status.success());
    let page = std::fs::read_to_string(man.join("evenkeel-serve.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("metrics"), "{page}");

    let data = dir.path().join("db");
    let ready = || {
        let output = run(&["ready", "--data", data.to_str().unwrap()]);
        (output.status.code(), stdout(&output))
    };
    assert_eq!(ready().0, Some(2));
    let server = Serving::start(&data, &[]);
    let (code, told) = ready();
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("it answers"), "{told}");
    drop(server);
    assert_eq!(ready().0, Some(2));
}

/// What the files of `ops` start is what there is.
#[test]
fn the_unit_and_the_container_name_commands_that_there_are() {
    let of = |name: &str| std::fs::read_to_string(Path::new("../../ops").join(name)).unwrap();
    let unit = of("systemd/evenkeel.service");
    assert!(unit.contains("Type=notify") && unit.contains("evenkeel serve --data"), "{unit}");
    let container = of("container/Containerfile");
    assert!(container.contains("\"ready\"") && container.contains("USER evenkeel"), "{container}");
    // By systemd itself, where it is there; it wants the program where the unit has it.
    let Ok(verified) = std::process::Command::new("systemd-analyze")
        .args(["verify", "--man=no", "../../ops/systemd/evenkeel.service"])
        .output()
    else {
        eprintln!("systemd-analyze is not there: the unit was not verified");
        return;
    };
    let told = stderr(&verified);
    let bad = |line: &&str| {
        line.contains("evenkeel.service")
            && (line.contains("Unknown") || line.contains("Failed to parse") || line.contains("Invalid"))
    };
    assert_eq!(told.lines().filter(bad).collect::<Vec<_>>(), Vec::<&str>::new(), "{told}");
}

/// Who lays out a machine does so before the first start: rules, certificates and secrets lie in the folder by then.
#[test]
fn a_folder_may_hold_what_says_how_it_is_served_before_there_is_a_database() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let created = run(&["tls", "create", "--data", data.to_str().unwrap(), "--host", "db.example.org"]);
    assert!(created.status.success() && data.join("server.key").is_file(), "{}", stderr(&created));
    std::fs::write(data.join("metrics.token"), "a token that nobody guesses\n").unwrap();
    std::fs::write(data.join("pg_hba.conf"), "local all all trust\nhost all all 127.0.0.1/32 trust\n")
        .unwrap();
    std::fs::create_dir(data.join("lost+found")).unwrap();
    let server = Serving::start(&data, &["--set", "ssl=on"]);
    assert_eq!(server.client().query("SELECT 1"), ["1"]);
    let backup = format!("file://{}", dir.path().join("archive").display());
    drop(server);
    let server = Serving::start(&data, &["--set", &format!("archive_url={backup}")]);
    assert!(run(&["backup", "create", "--data", data.to_str().unwrap()]).status.success());
    drop(server);
    // Into such a folder there are restores as well, and what was there stays.
    let restored = dir.path().join("restored");
    std::fs::create_dir_all(restored.join("lost+found")).unwrap();
    std::fs::write(restored.join("server.crt"), "mine").unwrap();
    let output = run(&["restore", &backup, restored.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(restored.join("server.crt")).unwrap(), "mine");
    // Other files are somebody's.
    let other = dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("thesis.txt"), "mine").unwrap();
    let other = other.to_str().unwrap();
    for refused in [run(&["tls", "create", "--data", other]), run(&["restore", &backup, other])] {
        assert!(!refused.status.success() && stderr(&refused).contains("thesis.txt"), "{}", stderr(&refused));
    }
}
