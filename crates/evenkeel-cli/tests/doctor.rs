//! The doctor beside servers that do not start, that wait for others, and that were started otherwise than their folder says.

mod common;

use common::{Serving, evenkeel, run, stderr, stdout};
use rustix::process::Signal;
use std::path::Path;
use std::time::{Duration, Instant};

/// Its exit code, and what it finds wrong or doubtful.
fn look(data: &Path, more: &[&str]) -> (Option<i32>, String) {
    let output = run(&[&["doctor", "--problems", "--data", data.to_str().unwrap()], more].concat());
    (output.status.code(), stdout(&output) + &stderr(&output))
}

#[test]
fn a_folder_in_which_no_server_can_start_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let start = || drop(Serving::start(&data, &[]));
    start();
    assert!(!look(&data, &[]).1.contains("no server can start"), "{:?}", look(&data, &[]));
    std::fs::rename(data.join("wal"), data.join("elsewhere")).unwrap();
    let (code, told) = look(&data, &[]);
    assert!(code == Some(2) && told.contains("the folder \"wal\" is missing"), "{told}");
    // There, and empty: the disk that was to be mounted.
    std::fs::create_dir(data.join("wal")).unwrap();
    let (code, told) = look(&data, &[]);
    assert!(code == Some(2) && told.contains("no server can start here"), "{told}");
    std::fs::remove_dir(data.join("wal")).unwrap();
    std::fs::rename(data.join("elsewhere"), data.join("wal")).unwrap();
    // After a crash as well.
    let server = Serving::start(&data, &[]);
    server.client().query("CREATE TABLE t (a int)");
    server.signal(Signal::KILL);
    drop(server);
    assert!(!look(&data, &[]).1.contains("no server can start"), "{:?}", look(&data, &[]));
    let wal: Vec<_> = std::fs::read_dir(data.join("wal")).unwrap().map(|e| e.unwrap().path()).collect();
    wal.iter().for_each(|path| std::fs::remove_file(path).unwrap());
    let (code, told) = look(&data, &[]);
    assert!(code == Some(2) && told.contains("where a recovery begins, is missing"), "{told}");

    let mut control = std::fs::read(data.join("control")).unwrap();
    control.iter_mut().step_by(100).for_each(|b| *b ^= 1);
    std::fs::write(data.join("control"), control).unwrap();
    let (code, told) = look(&data, &[]);
    assert!(code == Some(2) && told.contains("neither slot is whole"), "{told}");
}

/// A table's file that was lost while no server ran is told by the doctor and by the start; others can be read, and its readers are told what to do.
#[test]
fn a_data_file_that_is_gone_is_told_before_anybody_misses_it() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let server = Serving::start(&data, &[]);
    let mut c = server.client();
    c.query("CREATE TABLE t (a text); INSERT INTO t SELECT repeat('x', 1000) FROM generate_series(1, 100)");
    c.query("CREATE TABLE u (a text); INSERT INTO u SELECT repeat('x', 1000) FROM generate_series(1, 100)");
    let number = c.query("SELECT relfilenode FROM pg_class WHERE relname = 't'").remove(0);
    server.signal(Signal::TERM);
    assert_eq!(server.finish().0, 0);
    assert!(!look(&data, &[]).1.contains("data file"));
    let (file, aside) = (data.join("data").join(&number), dir.path().join("aside"));
    std::fs::rename(&file, &aside).unwrap();
    let (code, told) = look(&data, &[]);
    assert!(code == Some(2) && told.contains(&format!("data file data/{number} is missing")), "{told}");
    let server = Serving::start(&data, &[]);
    let mut c = server.client();
    assert_eq!(c.query("SELECT count(*) FROM u"), ["100"]);
    let e = c.query("SELECT count(*) FROM t").concat();
    assert!(e.contains(&format!("data file data/{number} is missing")), "{e}");
    server.signal(Signal::TERM);
    let (code, log) = server.finish();
    assert_eq!(code, 0);
    assert!(
        log.contains(&format!("data file data/{number} is missing")) && log.contains("evenkeel restore"),
        "{log}"
    );
    std::fs::rename(&aside, &file).unwrap();
    assert!(!look(&data, &[]).1.contains("data file"));
    assert_eq!(Serving::start(&data, &[]).client().query("SELECT count(*) FROM t"), ["100"]);
}

#[test]
fn the_archive_is_the_one_that_the_server_writes_to() {
    let dir = tempfile::tempdir().unwrap();
    let (data, archive) = (dir.path().join("db"), format!("file://{}", dir.path().join("archive").display()));
    let set = format!("archive_url={archive}");
    let server = Serving::start(&data, &["--set", &set]);
    assert!(run(&["backup", "create", "--data", data.to_str().unwrap()]).status.success());
    // It was told on its command line, and nobody else was.
    let (_, told) = look(&data, &[]);
    assert!(!told.contains("there is no archive") && told.contains(&archive), "{told}");
    drop(server);
    assert!(look(&data, &[]).1.contains("there is no archive"));
    // One that was started without it.
    let server = Serving::start(&data, &[]);
    let (_, told) = look(&data, &["--set", &set]);
    assert!(told.contains("archives nothing"), "{told}");
    drop(server);
    // Another database will never archive there.
    let other = dir.path().join("other");
    drop(Serving::start(&other, &[]));
    let (code, told) = look(&other, &["--set", &set]);
    assert!(code == Some(2) && told.contains("is another database's"), "{told}");
}

#[test]
fn a_primary_without_its_synchronous_standbys_is_told_and_soon() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let server = Serving::start(&data, &[]);
    server.client().query("CREATE TABLE t (a int)");
    drop(server);
    std::fs::write(data.join("evenkeel.toml"), "synchronous_standby_names = 'ANY 2 (b, c)'\n").unwrap();
    // It answers nothing that a failover could lose; how it is found to be up must not rest on that.
    let mut started = evenkeel(&["serve", "--data", data.to_str().unwrap(), "--listen", "127.0.0.1:0"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let told = loop {
        let (code, told) = look(&data, &[]);
        if !told.contains("commits wait") && began.elapsed() < Duration::from_secs(30) {
            continue;
        }
        assert_eq!(code, Some(2), "{told}");
        break told;
    };
    started.kill().unwrap();
    started.wait().unwrap();
    assert!(told.contains("commits wait for standbys (ANY 2 (b, c)), and none is there"), "{told}");
    assert!(!told.contains("does not answer"), "{told}");
}
