//! Definitions of every kind where the log brings them: on a standby that is read meanwhile, on that standby once it has taken over, and in databases restored from the archive
//! to moments in the midst of it. Everywhere there is what the primary had.

mod common;
#[path = "../../evenkeel-sql/tests/support/state.rs"]
mod state;

use common::following::{SOON, caught_up, conninfo, create, reader};
use common::{Client, Serving, run, stderr, stdout};
use rustix::process::Signal;
use state::{GOES_ON, GONE_AGAIN, difference, state, steps};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The rows of a query that must not fail.
fn rows(c: &mut Client, sql: &str) -> Vec<String> {
    let rows = c.query(sql);
    assert!(rows.iter().all(|r| !is_error(r)), "{sql}\n{rows:?}");
    rows
}

fn is_error(row: &str) -> bool {
    row.starts_with("SERROR\0") || row.starts_with("SFATAL\0")
}

fn state_of(c: &mut Client) -> String {
    state(&mut |sql| rows(c, sql))
}

fn assert_same(what: &str, expected: &str, found: &str) {
    assert!(expected == found, "{what}\n{}", difference(expected, found));
}

fn good(args: &[&str]) {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}{}", stdout(&output), stderr(&output));
}

fn goes_on(c: &mut Client) {
    for sql in GOES_ON.iter().chain(GONE_AGAIN) {
        rows(c, sql);
    }
}

/// Reads all of it in one snapshot again and again, until told to stop; what was found. Definitions that go meanwhile may end the attempt.
fn read_on(standby: &Serving, stop: Arc<AtomicBool>) -> std::thread::JoinHandle<HashSet<String>> {
    let mut c = reader(standby);
    std::thread::spawn(move || {
        let mut found = HashSet::new();
        while !stop.load(Ordering::Relaxed) {
            c.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
            let mut failed = None;
            let seen = state(&mut |sql| {
                let rows = if failed.is_none() { c.query(sql) } else { Vec::new() };
                failed = failed.take().or_else(|| rows.iter().find(|r| is_error(r)).cloned());
                rows
            });
            c.query("ROLLBACK");
            match failed {
                None => _ = found.insert(seen),
                Some(e) => panic!("a read of the standby failed: {e}"),
            }
        }
        found
    })
}

#[test]
fn definitions_of_every_kind_are_the_same_on_standbys_and_in_restored_databases() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let archive = format!("archive_url=file://{}", path("archive"));
    let primary = Serving::start(Path::new(&path("a")), &["--set", &archive, "--set", "archive_timeout=1s"]);
    let mut c = primary.client();
    good(&["backup", "create", "--data", &path("a"), &format!("file://{}", path("archive"))]);
    create(Path::new(&path("b")), &conninfo(&primary), &[]).unwrap();
    let standby = Serving::start(Path::new(&path("b")), &SOON);
    let mut r = reader(&standby);
    let stop = Arc::new(AtomicBool::new(false));
    let reading = read_on(&standby, stop.clone());

    let mut states = vec![state_of(&mut c)];
    let mut marks = Vec::new();
    for (n, step) in steps().into_iter().enumerate() {
        rows(&mut c, step);
        let now = state_of(&mut c);
        if n % 10 == 9 {
            caught_up(&mut c);
            assert_same(&format!("on the standby after {step}"), &now, &state_of(&mut r));
        }
        if n % 50 == 49 {
            let name = format!("after step {n}");
            good(&["mark", &name, "--data", &path("a")]);
            marks.push((name, now.clone()));
        }
        states.push(now);
    }
    caught_up(&mut c);
    stop.store(true, Ordering::Relaxed);
    let seen = reading.join().expect("the reader goes on to the end");
    println!("{} states were seen on the standby, of {}", seen.len(), states.len());
    for found in &seen {
        let nearest = states.iter().min_by_key(|s| difference(s, found).len()).unwrap();
        assert_same("seen on the standby, and no state of the primary", nearest, found);
    }

    let last = states.last().unwrap();
    primary.signal(Signal::TERM);
    assert_eq!(primary.finish().0, 0);
    good(&["check", &path("a")]);
    rows(&mut r, "SELECT pg_promote()");
    let mut promoted = standby.client();
    assert_same("on the promoted standby", last, &state_of(&mut promoted));
    goes_on(&mut promoted);
    assert_same("on the promoted standby, afterwards", last, &state_of(&mut promoted));
    standby.signal(Signal::TERM);
    assert_eq!(standby.finish().0, 0);
    good(&["check", &path("b")]);

    for (n, (name, expected)) in marks.iter().enumerate() {
        let to = path(&format!("restored{n}"));
        good(&["restore", &format!("file://{}", path("archive")), &to, "--to-name", name]);
        let restored = Serving::start(Path::new(&to), &[]);
        let mut c = restored.client();
        assert_same(&format!("restored to {name}"), expected, &state_of(&mut c));
        goes_on(&mut c);
        restored.signal(Signal::TERM);
        assert_eq!(restored.finish().0, 0);
        good(&["check", &to]);
    }
}
