//! Which statement needs which privilege: a matrix of all of them, as PostgreSQL 18 answers (`privileges.txt`).
//!
//! Each cell is a transaction: a role gets the one privilege, runs the statement, and everything is taken back.

mod support;

use support::{Client, TestDb};

/// A part of the matrix: an object, what is granted on it, and rows of cells with their statement.
struct Part<'a> {
    on: &'a str,
    privileges: Vec<&'a str>,
    rows: Vec<(Vec<&'a str>, &'a str)>,
}

/// What statements are run first, and the parts.
fn read(text: &str) -> (Vec<&str>, Vec<Part<'_>>) {
    let (mut setup, mut parts) = (Vec::new(), Vec::<Part<'_>>::new());
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if let Some(statement) = line.strip_prefix("setup: ") {
            setup.push(statement);
        } else if let Some(head) = line.strip_prefix("on ") {
            let (on, privileges) = head.split_once(": ").expect("privileges");
            parts.push(Part { on, privileges: privileges.split(" | ").collect(), rows: Vec::new() });
        } else {
            let (cells, statement) = line.split_once("  ").expect("a statement");
            let part = parts.last_mut().expect("an object");
            part.rows.push((cells.split(' ').collect(), statement));
        }
    }
    (setup, parts)
}

/// What becomes of a statement of a role that has one privilege.
fn cell(c: &mut Client, on: &str, privilege: &str, statement: &str) -> String {
    c.ok("begin");
    match privilege {
        "NOTHING" => {}
        "OWNER" => {
            // Views are granted on as tables are, and belong to somebody as what they are.
            let object = match on {
                "table v" => "view v",
                "table mv" => "materialized view mv",
                on => on,
            };
            c.ok(&format!("alter {object} owner to m"));
        }
        privilege => drop(c.ok(&format!("grant {privilege} on {on} to m"))),
    }
    c.ok("set local role m");
    let copied = if statement.contains('(') { "7\n" } else { "7\t7\n" };
    let told = match c.simple(statement, copied) {
        Ok(_) => "+".to_owned(),
        Err(e) if e.code.as_str() == "42501" => "-".to_owned(),
        Err(e) => e.code.as_str().to_owned(),
    };
    c.ok("rollback");
    told
}

#[test]
fn each_privilege_allows_what_it_does_in_postgresql() {
    let (setup, parts) = read(include_str!("privileges.txt"));
    let db = TestDb::new();
    let mut c = db.session();
    setup.into_iter().for_each(|s| drop(c.ok(s)));
    let (mut cells, mut wrong) = (0, Vec::new());
    for part in &parts {
        for (wanted, statement) in &part.rows {
            assert_eq!(wanted.len(), part.privileges.len(), "{statement}");
            for (privilege, wanted) in part.privileges.iter().zip(wanted) {
                let told = cell(&mut c, part.on, privilege, statement);
                cells += 1;
                if told != *wanted {
                    wrong.push(format!("{privilege} on {}: {statement}: {told}, not {wanted}", part.on));
                }
            }
        }
    }
    assert!(cells > 2000, "{cells}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
