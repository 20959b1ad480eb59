//! Where errors are in a statement's text, which psql points at: `error_places.txt` has PostgreSQL's places.

mod support;

use support::TestDb;

const STATEMENTS: &str = include_str!("error_places.txt");

#[test]
fn errors_are_where_postgresql_finds_them() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, v text, n numeric, d date, b bool, j jsonb, ts timestamptz)");
    c.ok("create table u (id int, tid int)");
    let mut wrong = Vec::new();
    for line in STATEMENTS.lines().filter(|l| !l.starts_with("--")) {
        let expected = line.chars().position(|c| c == '§').map(|n| n + 1);
        match c.simple(&line.replace('§', ""), "") {
            Err(e) if e.position == expected => {}
            Err(e) => wrong.push(format!("{line}\n    {} at {:?}", e.message, e.position)),
            Ok(_) => wrong.push(format!("{line}\n    no error")),
        }
    }
    assert!(wrong.is_empty(), "{} are elsewhere:\n{}", wrong.len(), wrong.join("\n"));
}
