//! A server under a service manager: it says when it is ready, and ends when its engine has.

mod common;

use common::{Serving, evenkeel, run, stderr, stdout};
use rustix::process::{Pid, Resource, Rlimit, Signal, prlimit};
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Long enough for a test that would hang otherwise.
const HANGS: Duration = Duration::from_secs(60);

#[test]
fn readiness_and_the_end_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(HANGS)).unwrap();
    let data = dir.path().join("db");
    let args = ["serve", "--data", data.to_str().unwrap(), "--set", "port=0", "--set"];
    let mut child = evenkeel(&args)
        .arg("unix_socket_directories=")
        .env("NOTIFY_SOCKET", &path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let said = || {
        let mut got = [0; 1024];
        let n = manager.recv(&mut got).unwrap();
        String::from_utf8_lossy(&got[..n]).into_owned()
    };
    assert!(said().starts_with("READY=1\n"));
    rustix::process::kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(said().starts_with("STOPPING=1\n"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Starts a server to whose files nothing more can be written from some moment on, as if the disk had failed.
fn doomed(data: &str) -> Serving {
    let child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_evenkeel")])
        .args(["serve", "--data", data, "--set", "port=0", "--set", "unix_socket_directories="])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut server = Serving { child, port: 0 };
    for line in BufReader::new(server.child.stdout.take().unwrap()).lines() {
        if let Some(rest) = line.unwrap().trim().strip_prefix("psql -h 127.0.0.1 -p ") {
            server.port = rest.split(' ').next().unwrap().parse().unwrap();
            return server;
        }
    }
    panic!("the server did not start: {:?}", server.finish());
}

#[test]
fn a_server_whose_engine_stopped_ends_by_itself_with_a_message_and_a_code() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let server = doomed(data);
    let (mut c, mut idle) = (server.client(), server.client());
    assert_eq!(c.query("CREATE TABLE t(a int PRIMARY KEY); INSERT INTO t VALUES (1)"), [""; 0]);
    prlimit(
        Some(Pid::from_child(&server.child)),
        Resource::Fsize,
        Rlimit { current: Some(0), maximum: None },
    )
    .unwrap();
    let told = c.query("INSERT INTO t VALUES (2)").join("\n");
    assert!(told.is_empty() || told.contains("XX000") || told.contains("57P01"), "{told}");
    let (code, log) = server.finish();
    assert_eq!(code, 3, "{log}");
    assert!(log.contains("the server ends: the engine stopped"), "{log}");
    assert!(idle.until_ready().iter().all(|e| e.contains("57P01")), "sessions are told, or cut off");
    // The next start recovers.
    let output = run(&["sql", data, "SELECT a FROM t WHERE a = 1", "--tuples-only"]);
    assert_eq!(stdout(&output).trim(), "1", "{}", stderr(&output));
}

#[test]
fn errors_that_concern_whoever_runs_the_server_are_in_its_log() {
    let dir = tempfile::tempdir().unwrap();
    let server = Serving::start(dir.path(), &["--set", "statement_memory=1MB", "--log-level", "error"]);
    let mut c = server.client();
    let told = c.query("SELECT g FROM generate_series(1, 200000) g ORDER BY g DESC").join("");
    assert!(told.contains("53200") || told.contains("53400"), "{told}");
    c.query("DROP TABLE IF EXISTS noticed");
    server.signal(Signal::TERM);
    let (_, log) = server.finish();
    assert!(log.contains("] ERROR:  out of memory\n"), "{log}");
    assert!(log.contains("STATEMENT:  SELECT g FROM generate_series(1, 200000) g"), "{log}");
    assert!(!log.contains("LOG:") && !log.contains("NOTICE:"), "{log}");
}
