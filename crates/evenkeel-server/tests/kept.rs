//! What a connection keeps is read again by the definitions and settings of now: values that are bound, literals of a text that is parsed again, roles that settings name.

mod common;

use common::sql::Sql;
use common::*;

/// The first values of the rows.
fn firsts(c: &mut Client, parts: &[Vec<u8>]) -> Vec<String> {
    c.send(parts);
    let replies = c.until_ready();
    if let Some(e) = replies.iter().find(|r| r.kind == 'E') {
        panic!("{e:?}");
    }
    replies.iter().filter(|r| r.kind == 'D').map(|r| values(r)[0].clone().unwrap_or_default()).collect()
}

fn run(c: &mut Client, sql: &str) -> Vec<String> {
    firsts(c, &[query(sql)])
}

#[test]
fn values_are_bound_by_the_definitions_of_now() {
    let sql = Sql::new();
    let (mut a, mut b) = (sql.session(), sql.session());
    run(&mut a, "CREATE TYPE mood AS ENUM ('a', 'z'); CREATE TABLE t (m mood)");
    firsts(&mut a, &[parse("put", "INSERT INTO t VALUES ($1) RETURNING m", &[]), sync()]);
    let put =
        |label: &'static str| [bind("", "put", &[], &[Some(label.as_bytes())], &[]), execute("", 0), sync()];
    assert_eq!(firsts(&mut a, &put("a")), ["a"]);
    run(&mut b, "ALTER TYPE mood ADD VALUE 'n'");
    assert_eq!(firsts(&mut a, &put("n")), ["n"], "another session has made it");
    run(&mut b, "ALTER TYPE mood RENAME VALUE 'a' TO 'A'; ALTER TYPE mood RENAME VALUE 'n' TO 'a'");
    assert_eq!(firsts(&mut a, &put("a")), ["a"]);
    assert_eq!(run(&mut b, "SELECT string_agg(m::text, ',' ORDER BY m) FROM t"), ["A,a,a"], "the new a");
}

#[test]
fn a_text_that_is_parsed_again_reads_its_literals_again() {
    let sql = Sql::new();
    let mut c = sql.session();
    let text = "SELECT extract(epoch FROM timestamptz '2001-01-01 00:00')::int";
    let ask = |name: &'static str| [bind("", name, &[], &[], &[]), execute("", 0), sync()];
    run(&mut c, "SET TimeZone = 'UTC'");
    firsts(&mut c, &[parse("one", text, &[]), sync()]);
    let utc = firsts(&mut c, &ask("one"));
    run(&mut c, "SET TimeZone = 'Asia/Tokyo'");
    assert_eq!(firsts(&mut c, &ask("one")), utc, "a prepared statement keeps what it has read");
    firsts(&mut c, &[parse("two", text, &[]), sync()]);
    let tokyo = firsts(&mut c, &ask("two"));
    assert_ne!(tokyo, utc, "another one does not, although the first was executed since");
    assert_eq!(run(&mut c, text), tokyo);
}

#[test]
fn a_role_that_is_renamed_or_gone_makes_nobody_stronger() {
    let sql = Sql::new();
    let (mut c, mut other) = (sql.session(), sql.session());
    run(&mut c, "CREATE TABLE secret (n int); INSERT INTO secret VALUES (1)");
    for change in ["ALTER ROLE weak RENAME TO weaker", "DROP ROLE weak"] {
        run(&mut other, "CREATE ROLE weak; CREATE ROLE also");
        run(&mut c, "SET ROLE weak");
        run(&mut other, change);
        run(&mut c, "BEGIN; SET LOCAL ROLE also; COMMIT");
        let e = c.error(&[query("SELECT n FROM secret")]);
        assert_eq!(e.field(b'C').as_deref(), Some("42501"), "{change}");
        run(&mut c, "RESET ROLE");
        assert_eq!(run(&mut c, "SELECT n FROM secret"), ["1"]);
        run(&mut other, "DROP ROLE IF EXISTS weaker; DROP ROLE also");
    }
    // A name that is said again is looked up again.
    run(&mut other, "CREATE ROLE weak; GRANT SELECT ON secret TO weak");
    run(&mut c, "SET ROLE weak");
    run(&mut other, "ALTER ROLE weak RENAME TO strong; CREATE ROLE weak");
    run(&mut c, "SET ROLE weak");
    let e = c.error(&[query("SELECT n FROM secret")]);
    assert_eq!(e.field(b'C').as_deref(), Some("42501"));
}

#[test]
fn settings_that_functions_and_ends_of_transactions_change_hold_at_once() {
    let sql = Sql::new();
    let mut c = sql.session();
    run(&mut c, "SET client_encoding = 'UTF8'");
    let do_it =
        |text: &'static str| [parse("", text, &[]), bind("", "", &[], &[], &[]), execute("", 0)].concat();
    let count =
        [parse("", "SELECT octet_length('é')::text", &[]), bind("", "", &[], &[], &[]), execute("", 0)]
            .concat();
    for text in ["SELECT set_config('client_encoding', 'LATIN1', false)", "RESET client_encoding"] {
        let replies = firsts(&mut c, &[do_it(text), count.clone(), sync()]);
        // Two bytes in either, but in LATIN1 each is a character of two bytes.
        let expected = if text.starts_with("SELECT") { "4" } else { "2" };
        assert_eq!(replies.last().map(String::as_str), Some(expected), "{text}");
    }
    let all = [do_it("BEGIN"), do_it("SET client_encoding = 'LATIN1'"), do_it("ROLLBACK"), count, sync()];
    assert_eq!(firsts(&mut c, &all), ["2"]);
}

#[test]
fn what_a_role_may_no_longer_read_show_refuses_at_once() {
    let sql = Sql::new();
    let mut c = sql.session();
    run(&mut c, "CREATE ROLE reader LOGIN; GRANT pg_read_all_settings TO reader");
    let mut reader = sql.session_with(&[("user", "reader"), ("database", "postgres")]);
    assert_eq!(run(&mut reader, "SHOW primary_conninfo").len(), 1);
    run(&mut c, "REVOKE pg_read_all_settings FROM reader");
    let e = reader.error(&[query("SHOW primary_conninfo")]);
    assert_eq!(e.field(b'C').as_deref(), Some("42501"));
}
fn until_one_waits(c: &mut Client) {
    while run(c, "SELECT count(*) FROM pg_locks WHERE NOT granted") == ["0"] {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn what_waits_for_definitions_is_described_as_they_will_be() {
    let sql = Sql::new();
    let (mut a, mut b, mut watch) = (sql.session(), sql.session(), sql.session());
    run(&mut a, "CREATE TABLE t (n int); INSERT INTO t VALUES (1)");
    let ask = [bind("", "", &[], &[], &[]), describe('P', ""), execute("", 0), sync()];
    // In Parse, and in Bind.
    for (n, first) in [parse("", "SELECT * FROM t", &[]), Vec::new()].into_iter().enumerate() {
        if first.is_empty() {
            firsts(&mut b, &[parse("", "SELECT t.* FROM t ORDER BY 1", &[]), sync()]);
        }
        run(
            &mut a,
            &format!("BEGIN; ALTER TABLE t {}", ["ADD c text DEFAULT 'x'", "ALTER n SET DEFAULT 5"][n]),
        );
        b.send(&[first]);
        b.send(&ask);
        until_one_waits(&mut watch);
        run(&mut a, "COMMIT");
        let replies = b.until_ready();
        let row = replies.iter().find(|r| r.kind == 'D').unwrap_or_else(|| panic!("{replies:?}"));
        assert_eq!(values(row), [Some("1".to_owned()), Some("x".to_owned())]);
    }
    // What the client was told before the change is another matter.
    firsts(&mut b, &[parse("", "SELECT * FROM t", &[]), sync()]);
    run(&mut a, "BEGIN; ALTER TABLE t DROP c");
    b.send(&ask);
    until_one_waits(&mut watch);
    run(&mut a, "COMMIT");
    let replies = b.until_ready();
    let error = replies.iter().find(|r| r.kind == 'E').unwrap_or_else(|| panic!("{replies:?}"));
    assert_eq!(error.field(b'M').as_deref(), Some("cached plan must not change result type"));
}
