//! One folder, one process: whatever becomes of the lock file and of the folder's name.

mod common;

use common::{Serving, run, stderr, stdout};
use std::path::Path;

/// Everything that opens a folder for itself.
fn openers(data: &str) -> Vec<Vec<&str>> {
    let serve = vec!["serve", "--data", data, "--set", "port=0", "--set", "unix_socket_directories="];
    let insert = "INSERT INTO t VALUES (666)";
    vec![
        serve,
        vec!["sql", data, insert],
        vec!["check", data],
        vec!["backup", "create", "--data", data],
        vec!["mark", "m", "--data", data],
    ]
}

/// None of them gets the folder of a running server.
fn nobody_gets_in(data: &Path, what: &str) {
    for args in openers(data.to_str().unwrap()) {
        let output = run(&args);
        assert_eq!(output.status.code(), Some(1), "{what}, {args:?}: {}", stdout(&output));
        let said = stderr(&output);
        assert!(said.contains("in use by another process"), "{what}, {args:?}: {said}");
    }
}

/// A container that is stopped in its first second, for instance.
#[test]
fn a_first_start_that_was_killed_while_it_measured_is_made_up_for() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    std::fs::create_dir(&data).unwrap();
    let left =
        ["evenkeel-logdisk-4000000-zeros.tmp", "evenkeel-logdisk-4000000-log.tmp", "evenkeel.toml.new"];
    left.iter().for_each(|name| std::fs::write(data.join(name), "").unwrap());
    // Somebody is at it.
    let file = std::fs::File::open(data.join(left[0])).unwrap();
    file.lock().unwrap();
    let serve = openers(data.to_str().unwrap()).remove(0);
    let output = run(&serve);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("another process measures the disk"), "{}", stderr(&output));
    drop(file);
    let server = Serving::start(&data, &[]);
    assert_eq!(server.client().query("SELECT 1"), ["1"]);
    assert!(left[..2].iter().all(|name| !data.join(name).exists()));
}

#[test]
fn a_second_server_gets_no_folder_whatever_became_of_its_lock() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let server = Serving::start(&data, &[]);
    let mut c = server.client();
    assert_eq!(c.query("CREATE TABLE t(a int PRIMARY KEY); INSERT INTO t VALUES (0)"), [""; 0]);
    // The way in for backups and marks: without it they would open the folder themselves.
    std::fs::remove_file(data.join(".s.PGSQL.1")).unwrap();
    let lock = data.join("lock");
    let foreign = dir.path().join("foreign");
    std::fs::write(&foreign, "theirs").unwrap();

    nobody_gets_in(&data, "nothing happened");
    std::fs::remove_file(&lock).unwrap();
    nobody_gets_in(&data, "the lock is gone");
    std::fs::write(&lock, "1\n").unwrap();
    nobody_gets_in(&data, "another lock is there");
    std::fs::remove_file(&lock).unwrap();
    std::os::unix::fs::symlink(&foreign, &lock).unwrap();
    nobody_gets_in(&data, "the lock is a link");
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "theirs");
    std::fs::remove_file(&lock).unwrap();
    let moved = dir.path().join("moved");
    std::fs::rename(&data, &moved).unwrap();
    nobody_gets_in(&moved, "the folder has another name");
    // All that is in it, in another folder.
    let other = dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    for entry in std::fs::read_dir(&moved).unwrap() {
        let entry = entry.unwrap();
        std::fs::rename(entry.path(), other.join(entry.file_name())).unwrap();
    }
    nobody_gets_in(&other, "the files have another folder");
    for entry in std::fs::read_dir(&other).unwrap() {
        let entry = entry.unwrap();
        std::fs::rename(entry.path(), moved.join(entry.file_name())).unwrap();
    }

    assert_eq!(c.query("INSERT INTO t VALUES (1)"), [""; 0]);
    server.signal(rustix::process::Signal::TERM);
    let (code, log) = server.finish();
    assert_eq!(code, 0, "{log}");
    let output = run(&["sql", moved.to_str().unwrap(), "SELECT a FROM t ORDER BY a", "--tuples-only"]);
    assert_eq!(stdout(&output).split_whitespace().collect::<Vec<_>>(), ["0", "1"], "{}", stderr(&output));
}

#[test]
fn a_copy_is_a_database_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let output = run(&["sql", data.to_str().unwrap(), "CREATE TABLE t(a int)", "--create"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let copy = dir.path().join("copy");
    let copied = std::process::Command::new("cp").arg("-a").args([&data, &copy]).status().unwrap();
    assert!(copied.success());
    let (first, second) = (Serving::start(&data, &[]), Serving::start(&copy, &[]));
    for (server, n) in [(&first, 1), (&second, 2)] {
        assert_eq!(server.client().query(&format!("INSERT INTO t VALUES ({n})")), [""; 0]);
    }
}

/// The log on a disk of its own, by a link, which a copy of the folder has as well.
#[test]
fn a_copy_does_not_write_to_the_log_of_the_original() {
    for linked in ["wal", "data"] {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("db");
        drop(Serving::start(&data, &[]));
        let elsewhere = dir.path().join("elsewhere");
        std::fs::rename(data.join(linked), &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, data.join(linked)).unwrap();
        let copy = dir.path().join("copy");
        let copied = std::process::Command::new("cp").arg("-a").args([&data, &copy]).status().unwrap();
        assert!(copied.success());
        let server = Serving::start(&data, &[]);
        let output = run(&["sql", copy.to_str().unwrap(), "SELECT 1"]);
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains("in use by another process"), "{linked}: {said}");
        drop(server);
        let output = run(&["sql", data.to_str().unwrap(), "SELECT 1"]);
        assert!(output.status.success(), "{linked}: {}", stderr(&output));
    }
}

#[test]
fn a_folder_that_is_being_restored_is_taken_too() {
    let dir = tempfile::tempdir().unwrap();
    let (data, archive) = (dir.path().join("db"), dir.path().join("archive"));
    std::fs::create_dir(&data).unwrap();
    let setting = format!("archive_url = \"file://{}\"\n", archive.display());
    std::fs::write(data.join("evenkeel.toml"), setting).unwrap();
    let db = data.to_str().unwrap();
    for args in [vec!["sql", db, "CREATE TABLE t(a int)", "--create"], vec!["backup", "create", "--data", db]]
    {
        let output = run(&args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    }
    // As another process that works there holds it, whatever becomes of the lock file.
    let target = dir.path().join("target");
    std::fs::create_dir(&target).unwrap();
    let held = std::fs::File::open(&target).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    let output = run(&["restore", archive.to_str().unwrap(), target.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stderr(&output).contains("another process"), "{}", stderr(&output));
    drop(held);
    let output = run(&["restore", archive.to_str().unwrap(), target.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
}
