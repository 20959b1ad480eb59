//! Going back in time, as a user does it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_evenkeel")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn good(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output));
    text(&output)
}

fn refused(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", text(&output));
    text(&output)
}

fn sql(data: &Path, statement: &str) -> String {
    good(&["sql", data.to_str().unwrap(), statement, "--tuples-only", "--create"]).trim().to_owned()
}

#[test]
fn a_database_goes_back_to_its_moments() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (data, archive) = (dir.path().join("db"), path("archive"));
    std::fs::create_dir(&data).unwrap();
    let settings = format!("archive_url = \"file://{archive}\"\narchive_timeout = \"1s\"\n");
    std::fs::write(data.join("evenkeel.toml"), settings).unwrap();
    let db = data.to_str().unwrap();

    sql(&data, "CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1)");
    good(&["backup", "create", "--data", db, "--label", "the first"]);
    sql(&data, "INSERT INTO t VALUES (2)");
    good(&["mark", "two rows", "--data", db]);
    sql(&data, "INSERT INTO t SELECT g FROM generate_series(3, 500) g");
    sql(&data, "DELETE FROM t");

    // A plan first; it writes nothing.
    let plan = good(&["restore", &archive, &path("two"), "--to-name", "two rows", "--dry-run"]);
    assert!(plan.contains("the first") && plan.contains("Nothing was written"), "{plan}");
    assert!(!dir.path().join("two").exists());
    let done = good(&["restore", &archive, &path("two"), "--to-name", "two rows"]);
    assert!(done.contains("records/s"), "{done}");
    // To be tried out it is served without the archive, whose restores would follow it from then on.
    let served = |with: &str| done.find(&format!("evenkeel serve --data {}{with}", path("two")));
    assert!(served("\n").unwrap() < served(" --set archive_url=").unwrap(), "{done}");
    good(&["check", &path("two")]);
    assert_eq!(sql(&dir.path().join("two"), "SELECT count(*) FROM t"), "2");
    good(&["restore", &archive, &path("end")]);
    assert_eq!(sql(&dir.path().join("end"), "SELECT count(*) FROM t"), "0");

    let e = refused(&["restore", &archive, &path("two")]);
    assert!(e.contains("not empty"), "{e}");
    let e = refused(&["restore", &archive, &path("x"), "--to-name", "nobody's"]);
    assert!(e.contains("no restore point \"nobody's\""), "{e}");
    let e = refused(&["restore", &archive, &path("x"), "--to", "2100-01-01 00:00:00"]);
    assert!(e.contains("no commit later than") && e.contains("last commit at"), "{e}");
    let e = refused(&["restore", &archive, &path("x"), "--to", "2000-01-01T00:00:00Z"]);
    assert!(e.contains("the oldest backup"), "{e}");
    // Nothing is left of it that could be taken for a database.
    assert!(!dir.path().join("x").exists());
    std::fs::create_dir(dir.path().join("x")).unwrap();
    std::fs::write(dir.path().join("x/lock"), "").unwrap();
    for args in [
        vec!["check", &path("x")],
        vec!["sql", &path("x"), "SELECT 1"],
        vec!["mark", "a", "--data", &path("x")],
    ] {
        let e = refused(&args);
        assert!(e.contains("there is no database"), "{args:?}: {e}");
    }

    // Another timeline, beside the first.
    let two = dir.path().join("two");
    std::fs::copy(data.join("evenkeel.toml"), two.join("evenkeel.toml")).unwrap();
    sql(&two, "INSERT INTO t VALUES (3)");
    let verified = good(&["wal", "verify", &archive]);
    assert!(verified.contains("timeline 2") && verified.contains("no problems"), "{verified}");
    good(&["restore", &archive, &path("three")]);
    assert_eq!(sql(&dir.path().join("three"), "SELECT count(*) FROM t"), "3", "the newest timeline");
    good(&["restore", &archive, &path("one"), "--timeline", "1"]);
    assert_eq!(sql(&dir.path().join("one"), "SELECT count(*) FROM t"), "0", "the first");
}

#[test]
fn moments_are_named_one_way_at_a_time() {
    let output = run(&["restore", "/nowhere", "x", "--to", "2026-01-01", "--to-lsn", "0/1"]);
    assert_eq!(output.status.code(), Some(2));
    for wrong in [["--to", "yesterday"], ["--to-lsn", "x"], ["--timeline", "0"], ["--to-txid", "-1"]] {
        let output = run(&["restore", "/nowhere", "x", wrong[0], wrong[1]]);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    assert!(text(&run(&["restore", "--help"])).contains("--to-name before-the-move"));
}
