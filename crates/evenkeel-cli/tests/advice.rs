//! What users are told who named the wrong thing, or stopped a command.

mod common;

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use common::{evenkeel, run, stderr, stdout};
use rustix::process::{Pid, Signal, kill_process};

fn refused(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}{}", stdout(&output), stderr(&output));
    stderr(&output)
}

#[test]
fn a_folder_without_a_database_is_called_so_by_whoever_wants_one() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("holiday.jpg"), "x").unwrap();
    let path = dir.path().to_str().unwrap();
    let commands: [&[&str]; 4] = [
        &["check", path],
        &["sql", path, "SELECT 1"],
        &["mark", "x", "--data", path],
        &["backup", "create", "--data", path],
    ];
    for command in commands {
        let said = refused(command);
        assert!(said.contains("no database") && said.contains("holiday.jpg"), "{command:?}: {said}");
        assert!(!said.contains("choose"), "{command:?}: {said}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing was left in it");
}

#[test]
fn a_place_without_an_archive_is_called_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    assert!(refused(&["backup", "list", path]).contains("no archive"));
    let database = dir.path().join("db");
    let database = database.to_str().unwrap();
    assert!(run(&["sql", "--create", database, "SELECT 1"]).status.success());
    let target = dir.path().join("restored");
    for command in [&["restore", database, target.to_str().unwrap()][..], &["wal", "verify", database]] {
        assert!(refused(command).contains("holds a database, not an archive"), "{command:?}");
    }
    assert!(refused(&["backup", "list", "file://relative"]).contains("three slashes"));
}

#[test]
fn a_port_alone_is_no_address() {
    let output = run(&["serve", "--listen", "5455"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("127.0.0.1:5455"), "{}", stderr(&output));
}

#[test]
fn settings_are_found_by_a_part_of_their_names() {
    let found = stdout(&run(&["settings", "checkpoint_fsync", "archive_url", "--csv"]));
    let names: Vec<&str> = found.lines().skip(1).filter_map(|l| l.split(',').next()).collect();
    assert_eq!(names, ["archive_url", "checkpoint_fsync_delay_ratio", "checkpoint_fsync_delay_threshold"]);
    assert!(refused(&["settings", "no_such_thing"]).contains("no_such_thing"));
}

#[test]
fn a_benchmark_says_at_once_what_it_cannot_use() {
    let dir = tempfile::tempdir().unwrap();
    let bin = dir.path().to_str().unwrap();
    let output = dir.path().join("no/such/file.json");
    let said = refused(&["bench", "recovery", "--json", output.to_str().unwrap()]);
    assert!(said.contains("file.json") || said.contains("pgbench"), "{said}");
    let said = refused(&["bench", "recovery", "--data", bin, "--postgres-bin", bin]);
    assert!(said.contains("initdb") || said.contains("pgbench"), "{said}");
    assert_eq!(run(&["bench", "checkpoints", "--rate", "500%"]).status.code(), Some(2));
}

#[test]
fn a_stopped_command_says_what_it_leaves() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let mut child = evenkeel(&[
        "sql",
        "--create",
        data,
        "CREATE TABLE t(a int); INSERT INTO t VALUES (1)",
        "SELECT 7",
        "-",
        "--csv",
    ])
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "7"));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains("interrupted") && said.contains("rolled back"), "{said}");
    assert_eq!(stdout(&run(&["sql", data, "SELECT a FROM t", "--csv", "--tuples-only"])), "1\n");
}
