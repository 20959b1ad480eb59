//! What was in the buffers comes back after a restart, and whatever the list of it holds, the server starts.

mod common;

use common::Serving;
use rustix::process::Signal;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// Starts a server, waits for a line of its log that has one of these words, ends it, and gives the line.
fn told(data: &Path, words: &'static [&'static str]) -> String {
    let mut server = Serving::start(data, &[]);
    let log = BufReader::new(server.child.stderr.take().unwrap());
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || log.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    let line = loop {
        let line = lines.recv_timeout(Duration::from_secs(60)).unwrap();
        if words.iter().any(|w| line.contains(w)) {
            break line;
        }
    };
    server.signal(Signal::TERM);
    assert!(server.child.wait().unwrap().success());
    line
}

#[test]
fn the_buffers_are_loaded_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("db");
    let server = Serving::start(&data, &[]);
    let mut client = server.client();
    client.query("create table t (a int primary key, b text)");
    client.query("insert into t select i, repeat('x', 200) from generate_series(1, 5000) i");
    server.signal(Signal::TERM);
    assert_eq!(server.finish().0, 0);
    let line = told(&data, &["autoprewarm"]);
    let words: Vec<&str> = line.split("loaded ").nth(1).unwrap().split(' ').collect();
    let (loaded, listed): (u64, u64) = (words[0].parse().unwrap(), words[2].parse().unwrap());
    assert!(loaded > 100 && loaded == listed, "{line}");

    // Of trees that are gone, and of blocks behind the end, nothing is loaded.
    let list = data.join("pg_prewarm.blocks");
    std::fs::write(&list, "evenkeel buffers 1\n999999 0 50\n1 0 4294967295\n").unwrap();
    let line = told(&data, &["autoprewarm loaded", "panicked"]);
    assert!(line.contains("of 4294967345 blocks"), "{line}");
    std::fs::write(&list, b"\xff\xfenothing of ours").unwrap();
    let line = told(&data, &["pg_prewarm.blocks is not used", "autoprewarm"]);
    assert!(line.contains("is not used"), "{line}");
    // It was replaced by a good one.
    assert!(told(&data, &["autoprewarm", "is not used"]).contains("loaded"));
}
