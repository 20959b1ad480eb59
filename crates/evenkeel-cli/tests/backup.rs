//! Backups of a server that runs: by the socket in its folder, and in SQL.

mod common;

use common::{Serving, evenkeel, run, stderr, stdout};
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

/// A statement that fails is the end of a server that is still being asked after so long.
const PATIENCE: Duration = Duration::from_secs(60);

struct Place {
    _dir: tempfile::TempDir,
    data: String,
    archive: String,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        Place { data: path("db"), archive: path("archive"), _dir: dir }
    }

    fn serve(&self) -> Serving {
        let url = format!("archive_url=file://{}", self.archive);
        Serving::start(Path::new(&self.data), &["--set", &url, "--set", "archive_timeout=0"])
    }

    /// A server with some megabytes.
    fn filled(&self) -> Serving {
        let server = self.serve();
        let rows = "CREATE TABLE t (a int PRIMARY KEY, b text); INSERT INTO t SELECT g, repeat(md5(g::text), 20) FROM generate_series(1, 8000) g";
        assert_eq!(server.client().query(rows), [""; 0]);
        server
    }

    fn create(&self, more: &[&str]) -> Output {
        run(&[&["backup", "create", "--data", &self.data], more].concat())
    }

    /// A backup that takes its time.
    fn slow(&self) -> Child {
        let mut command = evenkeel(&["backup", "create", "--data", &self.data, "--rate", "1MB"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

/// Waits until a backup is in the midst of copying.
fn is_copying(server: &Serving) {
    const COPYING: &str =
        "SELECT backup_streamed FROM pg_stat_progress_basebackup WHERE backup_streamed > 1000000";
    let mut c = server.client();
    let begin = Instant::now();
    while c.query(COPYING).is_empty() {
        assert!(begin.elapsed() < PATIENCE, "no backup is seen at work");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn good(output: Output) -> String {
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    stdout(&output).trim().to_owned()
}

#[test]
fn a_running_server_makes_backups_for_whoever_owns_the_folder() {
    let place = Place::new();
    let server = place.filled();
    let first = good(place.create(&["--label", "one"]));
    let mut c = server.client();
    assert_eq!(c.query("UPDATE t SET b = 'x' WHERE a = 5"), [""; 0]);
    // In SQL; its name is what comes.
    let second = c.query("SELECT evenkeel_backup('two', 'incremental=latest, checkpoint=fast')").remove(0);
    assert_eq!(c.query("SELECT count(*) FROM pg_stat_progress_basebackup"), ["0"]);
    let list = good(run(&["backup", "list", &place.archive]));
    assert!(list.contains(&first) && list.contains(&second) && list.contains("two"), "{list}");
    let shown = good(run(&["backup", "show", &place.archive, &second]));
    assert!(shown.contains(&first), "what it is laid upon: {shown}");
    good(run(&["backup", "verify", &place.archive]));
    let json = good(place.create(&["--json"]));
    assert!(json.contains("\"files\""), "{json}");

    for (options, word) in
        [("color=red", "no option"), ("rate=fast", "invalid value"), ("incremental=nobody", "nobody")]
    {
        let e = c.query(&format!("SELECT evenkeel_backup('x', '{options}')")).concat();
        assert!(e.contains("ERROR") && e.contains(word), "{options}: {e}");
    }
    let other = format!("{}-other", place.archive);
    std::fs::create_dir(&other).unwrap();
    let e = place.create(&[&other]);
    assert!(!e.status.success() && stderr(&e).contains("another place"), "{}", stderr(&e));
}

#[test]
fn a_restore_point_is_set_in_the_running_server() {
    let place = Place::new();
    let server = place.filled();
    good(place.create(&[]));
    let marked = good(run(&["mark", "here", "--data", &place.data]));
    assert!(marked.contains('/'), "a position: {marked}");
    assert_eq!(server.client().query("DELETE FROM t"), [""; 0]);
    // It is in the archive by now, without a stop of the server.
    let copy = format!("{}-copy", place.data);
    good(run(&["restore", &place.archive, &copy, "--to-name", "here"]));
    assert_eq!(good(run(&["sql", &copy, "SELECT count(*) FROM t", "--tuples-only"])), "8000");
    // One that was set in SQL is in the archive after pg_switch_wal.
    let mut c = server.client();
    let at = c.query("SELECT pg_create_restore_point('there')").concat();
    let to = format!("{}-there", place.data);
    let plan = || run(&["restore", &place.archive, &to, "--to-name", "there", "--dry-run"]);
    assert!(!plan().status.success());
    let sent = c.query("SELECT pg_switch_wal()").concat();
    assert!(sent.parse::<evenkeel::Lsn>().unwrap() >= at.parse().unwrap(), "{at} {sent}");
    good(plan());
    // An archive that cannot be written takes nothing from the restore point.
    let wal = Path::new(&place.archive).join("wal");
    let away = Path::new(&place.archive).join("wal-away");
    std::fs::rename(&wal, &away).unwrap();
    std::fs::write(&wal, "in the way").unwrap();
    let marked = run(&["mark", "elsewhere", "--data", &place.data]);
    assert!(marked.status.success() && stdout(&marked).contains('/'), "{}", stderr(&marked));
    assert!(stderr(&marked).contains("not in the archive yet"), "{}", stderr(&marked));
    std::fs::remove_file(&wal).unwrap();
    std::fs::rename(&away, &wal).unwrap();
    c.query("SELECT pg_switch_wal()");
    good(run(&["restore", &place.archive, &to, "--to-name", "elsewhere", "--dry-run"]));
}

#[test]
fn an_interrupted_backup_goes_on_where_it_was() {
    let place = Place::new();
    let server = place.filled();
    let child = place.slow();
    is_copying(&server);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success() && stderr(&output).contains("--resume"), "{}", stderr(&output));
    assert_eq!(server.client().query("SELECT count(*) FROM pg_stat_progress_basebackup"), ["0"]);
    good(place.create(&["--resume", "--rate", "0"]));
    let list = good(run(&["backup", "list", &place.archive, "--json"]));
    assert_eq!(list.lines().filter(|l| l.contains("\"id\"")).count(), 1, "{list}");
    good(run(&["backup", "verify", &place.archive]));
}

/// The socket of the server that was killed is still there.
#[test]
fn a_killed_server_is_no_hindrance() {
    let place = Place::new();
    let server = place.filled();
    let child = place.slow();
    is_copying(&server);
    server.signal(Signal::KILL);
    server.finish();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success(), "{}", stdout(&output));
    // By itself: nobody serves; the archive is the one that is named.
    good(place.create(&[&place.archive, "--resume", "--rate", "0"]));
    let server = place.serve();
    assert_eq!(server.client().query("SELECT count(*) FROM t"), ["8000"]);
    good(place.create(&["--incremental"]));
    good(run(&["backup", "verify", &place.archive]));
}
