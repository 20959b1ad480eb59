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
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

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

/// Steps in a row at which all is looked at, and how often such a window begins.
const WINDOW: usize = 4;
const WINDOW_EVERY: usize = 20;

/// Reads all of it in one snapshot again and again, until told to stop; what was found. Snapshots are taken behind the gate only.
fn read_on(standby: &Serving, gate: Arc<Mutex<()>>, stop: Arc<AtomicBool>) -> JoinHandle<HashSet<String>> {
    let mut c = reader(standby);
    std::thread::spawn(move || {
        let mut found = HashSet::new();
        loop {
            let open = gate.lock().unwrap();
            if stop.load(Ordering::Relaxed) {
                return found;
            }
            c.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
            rows(&mut c, "SELECT count(*) FROM pg_class");
            drop(open);
            found.insert(state_of(&mut c));
            c.query("ROLLBACK");
        }
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
    let (stop, gate) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(())));
    let mut closed = Some(gate.lock().unwrap());
    let reading = read_on(&standby, gate.clone(), stop.clone());

    let (mut states, mut marks) = (Vec::new(), Vec::new());
    let all = steps();
    for (n, step) in all.iter().enumerate() {
        rows(&mut c, step);
        let of_window = n % WINDOW_EVERY;
        if of_window <= WINDOW || n + 1 == all.len() {
            states.push(state_of(&mut c));
        }
        if of_window == 0 {
            caught_up(&mut c);
            assert_same(&format!("on the standby after {step}"), states.last().unwrap(), &state_of(&mut r));
            closed = None;
        } else if of_window == WINDOW {
            closed = Some(gate.lock().unwrap());
        }
        if n % 60 == 40 {
            let name = format!("after step {n}");
            good(&["mark", &name, "--data", &path("a")]);
            marks.push((name, states.last().unwrap().clone()));
        }
    }
    caught_up(&mut c);
    stop.store(true, Ordering::Relaxed);
    drop(closed);
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
