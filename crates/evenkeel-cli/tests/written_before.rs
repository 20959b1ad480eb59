//! Folders, archives and backups that earlier versions wrote open, with all that was acknowledged then. `fixtures/` has one of each format: a database that was killed
//! with an open transaction, and its archive with a base backup, a restore point and log behind it. A change of a format adds a fixture; none is ever removed.

mod common;

use common::{run, stderr, stdout};
use std::path::{Path, PathBuf};

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|e| (e.path(), e.file_name())).unwrap();
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

fn fixture(name: &str, to: &Path) -> PathBuf {
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name), to);
    to.to_path_buf()
}

fn good(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

fn sql(folder: &str, statement: &str) -> String {
    good(&["sql", folder, statement, "--csv", "--tuples-only"]).trim().to_owned()
}

const SUMS: &str = "SELECT (SELECT count(*) FROM items), (SELECT sum(price) FROM items), (SELECT count(*) FROM orders), (SELECT sum(n) FROM orders)";

#[test]
fn the_first_format_opens() {
    let dir = tempfile::tempdir().unwrap();
    let there = fixture("0.1.0-first", dir.path());
    let folder = there.join("folder").to_str().unwrap().to_owned();
    let archive = there.join("archive").to_str().unwrap().to_owned();

    // Recovery: what was acknowledged is there, the open transaction is not.
    assert_eq!(sql(&folder, SUMS), "301,56587.51,370,1180");
    assert_eq!(
        sql(&folder, "SELECT count(*), max(length(doc)) FROM items WHERE name LIKE 'item 5' OR id = 1000"),
        "2,15000"
    );
    good(&["check", &folder]);
    sql(
        &folder,
        "INSERT INTO orders(item, n) VALUES (1, 1); UPDATE items SET price = price + 1 WHERE id = 1",
    );
    assert_eq!(sql(&folder, SUMS), "301,56588.51,371,1181");
    good(&["check", &folder]);
    assert!(sql(&folder, "SELECT nextval('s')").parse::<i64>().unwrap() > 1, "a sequence never repeats");

    // The archive: whole, and every moment in it can be restored.
    good(&["wal", "verify", &archive]);
    good(&["backup", "verify", &archive]);
    let then = dir.path().join("then").to_str().unwrap().to_owned();
    good(&["restore", &archive, &then, "--to-name", "before-the-end"]);
    assert_eq!(sql(&then, SUMS), "300,56587.50,270,1080");
    let end = dir.path().join("end").to_str().unwrap().to_owned();
    good(&["restore", &archive, &end]);
    assert_eq!(sql(&end, "SELECT count(*) FROM items"), "301");
    good(&["check", &end]);
}
