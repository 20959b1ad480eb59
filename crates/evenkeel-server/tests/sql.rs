//! The server on the real SQL layer and engine, as clients use it.

mod common;

use std::net::TcpStream;
use std::time::Duration;

use common::sql::Sql;
use common::*;

/// The rows of a simple query, values joined with commas; panics on an error.
fn rows(c: &mut Client, sql: &str) -> Vec<String> {
    c.send(&[query(sql)]);
    let replies = c.until_ready();
    if let Some(e) = replies.iter().find(|r| r.kind == 'E') {
        panic!("{sql}: {e:?}");
    }
    let value = |v: Option<String>| v.unwrap_or_else(|| "NULL".into());
    let text = |r: &Reply| values(r).into_iter().map(value).collect::<Vec<_>>().join(",");
    replies.iter().filter(|r| r.kind == 'D').map(text).collect()
}

fn code(c: &mut Client, sql: &str) -> String {
    c.error(&[query(sql)]).field(b'C').unwrap()
}

#[test]
fn a_session_reports_what_drivers_need() {
    let sql = Sql::new();
    let address = sql.server.as_ref().unwrap().addresses()[0];
    let mut c = Client::new(TcpStream::connect(address).unwrap());
    let replies = c.start(&[
        ("user", "postgres"),
        ("application_name", "test"),
        ("options", "-c extra_float_digits=2"),
    ]);
    let reported: Vec<String> =
        replies.iter().filter(|r| r.kind == 'S').map(|r| r.text().replace('\0', "=")).collect();
    for name in [
        "server_version",
        "server_encoding=UTF8",
        "client_encoding=UTF8",
        "DateStyle=ISO, MDY",
        "TimeZone",
        "integer_datetimes=on",
        "standard_conforming_strings=on",
        "IntervalStyle=postgres",
        "application_name=test",
    ] {
        assert!(reported.iter().any(|r| r.starts_with(name)), "{name} in {reported:?}");
    }
    assert_eq!(rows(&mut c, "SHOW extra_float_digits"), ["2"]);
    c.send(&[query("SET application_name = 'other'")]);
    let replies = c.until_ready();
    assert_eq!((kinds(&replies).as_str(), replies[1].text().as_str()), ("CSZi", "application_name\0other"));
}

#[test]
fn unknown_settings_at_start_are_fatal() {
    let sql = Sql::new();
    let address = sql.server.as_ref().unwrap().addresses()[0];
    let mut c = Client::new(TcpStream::connect(address).unwrap());
    c.send(&[startup_packet(3 << 16, &[("user", "postgres"), ("no_such_setting", "1")])]);
    let e = c.last_words();
    assert_eq!((e.field(b'S').unwrap().as_str(), e.field(b'C').unwrap().as_str()), ("FATAL", "42704"));
}

#[test]
fn an_unknown_role_is_refused() {
    let sql = Sql::new();
    let address = sql.server.as_ref().unwrap().addresses()[0];
    let mut c = Client::new(TcpStream::connect(address).unwrap());
    c.send(&[startup_packet(3 << 16, &[("user", "nobody")])]);
    let e = c.last_words();
    assert_eq!(e.field(b'M').unwrap(), "role \"nobody\" does not exist");
    assert_eq!((e.field(b'S').unwrap().as_str(), e.field(b'C').unwrap().as_str()), ("FATAL", "28000"));
}

#[test]
fn prepared_statements_read_and_write_tables() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(&mut c, "CREATE TABLE accounts(aid int PRIMARY KEY, balance int, filler char(10))");
    let mut insert = vec![parse("ins", "INSERT INTO accounts VALUES ($1, $2, $3)", &[])];
    for i in 0..100 {
        let (id, balance) = (i.to_string(), (i * 2).to_string());
        let params = [Some(id.as_bytes()), Some(balance.as_bytes()), None];
        insert.extend([bind("", "ins", &[], &params, &[]), execute("", 0)]);
    }
    insert.push(sync());
    assert_eq!(c.ask(&insert), format!("1{}Zi", "2C".repeat(100)));
    let select = parse("sel", "SELECT balance FROM accounts WHERE aid = $1", &[]);
    assert_eq!(c.ask(&[select, describe('S', "sel"), sync()]), "1tTZi");
    for i in [0, 50, 99] {
        let id = i.to_string();
        c.send(&[
            bind("", "sel", &[], &[Some(id.as_bytes())], &[]),
            describe('P', ""),
            execute("", 0),
            sync(),
        ]);
        let replies = c.until_ready();
        assert_eq!(kinds(&replies), "2TDCZi");
        assert_eq!(values(&replies[2]), [Some((i * 2).to_string())]);
    }
    let binary = 7i32.to_be_bytes();
    c.send(&[bind("", "sel", &[1], &[Some(&binary)], &[1]), execute("", 0), sync()]);
    let replies = c.until_ready();
    assert_eq!(replies[1].body, [0, 1, 0, 0, 0, 4, 0, 0, 0, 14]);
}

#[test]
fn a_batch_is_one_transaction() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(&mut c, "CREATE TABLE t(a int PRIMARY KEY)");
    let run = |sql: &str| [parse("", sql, &[]), bind("", "", &[], &[], &[]), execute("", 0)].concat();
    let e = c.error(&[run("INSERT INTO t VALUES (1)"), run("INSERT INTO t VALUES (1)"), sync()]);
    assert_eq!(e.field(b'C').unwrap(), "23505");
    assert_eq!(e.field(b'n').unwrap(), "t_pkey");
    assert_eq!(rows(&mut c, "SELECT count(*) FROM t"), ["0"]);
    assert_eq!(code(&mut c, "INSERT INTO t VALUES (2); INSERT INTO t VALUES (2)"), "23505");
    assert_eq!(rows(&mut c, "SELECT count(*) FROM t"), ["0"]);
    assert_eq!(code(&mut c, "INSERT INTO t VALUES (3); COMMIT; INSERT INTO t VALUES (3)"), "23505");
    assert_eq!(rows(&mut c, "SELECT a FROM t"), ["3"]);
}

#[test]
fn portals_stay_open_across_executes_in_a_transaction() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(&mut c, "CREATE TABLE t(a int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 10)");
    rows(&mut c, "BEGIN");
    let open =
        [parse("", "SELECT a FROM t ORDER BY a", &[]), bind("p", "", &[], &[], &[]), execute("p", 4), sync()];
    assert_eq!(c.ask(&open), "12DDDDsZt");
    rows(&mut c, "DELETE FROM t");
    c.send(&[execute("p", 0), sync()]);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "DDDDDDCZt");
    assert_eq!(replies[6].text(), "SELECT 6");
    rows(&mut c, "ROLLBACK");
    assert_eq!(rows(&mut c, "SELECT count(*) FROM t"), ["10"]);
}

/// As PostgreSQL has it: what gives rows has none left, and what gives none is not done twice.
#[test]
fn a_portal_that_has_run_does_not_run_again() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(&mut c, "CREATE TABLE t(a int)");
    let twice = |sql: &str| {
        [parse("", sql, &[]), bind("p", "", &[], &[], &[]), execute("p", 0), execute("p", 0), sync()].concat()
    };
    for once in ["INSERT INTO t VALUES (1)", "CREATE TABLE u(a int)", "TRUNCATE t", "SET work_mem = '1MB'"] {
        let e = c.error(&[twice(once)]);
        assert_eq!(e.field(b'C').unwrap(), "55000", "{once}");
        assert_eq!(e.field(b'M').unwrap(), "portal \"p\" cannot be run", "{once}");
    }
    let tags = |c: &mut Client, sql: &str| {
        c.send(&[twice(sql)]);
        let replies = c.until_ready();
        let tags: Vec<_> = replies.iter().filter(|r| r.kind == 'C').map(Reply::text).collect();
        (kinds(&replies), tags.join(", "))
    };
    let told = |kinds: &str, tags: &str| (kinds.to_owned(), tags.to_owned());
    assert_eq!(tags(&mut c, "SELECT 1"), told("12DCCZi", "SELECT 1, SELECT 0"));
    assert_eq!(
        tags(&mut c, "INSERT INTO t VALUES (2) RETURNING a"),
        told("12DCCZi", "INSERT 0 1, INSERT 0 0")
    );
    assert_eq!(
        tags(&mut c, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) INSERT INTO t VALUES (3)").0,
        "12DDDCCZi"
    );
    assert_eq!(rows(&mut c, "SELECT a FROM t ORDER BY a"), ["2", "3"]);
}

#[test]
fn copy_goes_in_and_out() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(&mut c, "CREATE TABLE t(a int PRIMARY KEY, b text)");
    let data = frame(b'd', b"1\tone\n2\t\\N\n3\tth");
    c.send(&[query("COPY t FROM STDIN"), data, frame(b'd', b"ree\n"), frame(b'c', b"")]);
    let replies = c.until_ready();
    assert_eq!((kinds(&replies).as_str(), replies[1].text().as_str()), ("GCZi", "COPY 3"));
    c.send(&[query("COPY t TO STDOUT")]);
    let replies = c.until_ready();
    let data: String = replies
        .iter()
        .filter(|r| r.kind == 'd')
        .map(|r| String::from_utf8_lossy(&r.body).into_owned())
        .collect();
    assert_eq!(data, "1\tone\n2\t\\N\n3\tthree\n");
    c.send(&[query("COPY t FROM STDIN"), frame(b'd', b"4\tx\nfour\tx\n"), frame(b'c', b"")]);
    assert_eq!(kinds(&c.until_ready()), "GEZi");
    assert_eq!(rows(&mut c, "SELECT count(*) FROM t"), ["3"]);
}

#[test]
fn copy_out_has_a_row_in_each_message() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(&mut c, "CREATE TABLE t(a int PRIMARY KEY, b text)");
    rows(&mut c, "INSERT INTO t VALUES (1, 'one'), (2, NULL), (3, 'x')");
    let bodies = |c: &mut Client, text: &str| -> Vec<Vec<u8>> {
        c.send(&[query(text)]);
        c.until_ready().into_iter().filter(|r| r.kind == 'd').map(|r| r.body.to_vec()).collect()
    };
    let lines = bodies(&mut c, "COPY t TO STDOUT (HEADER)");
    assert_eq!(lines, [&b"a\tb\n"[..], b"1\tone\n", b"2\t\\N\n", b"3\tx\n"]);
    let parts = bodies(&mut c, "COPY t TO STDOUT (FORMAT binary)");
    let head = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
    let first = [&head[..], b"\0\x02\0\0\0\x04\0\0\0\x01\0\0\0\x03one"].concat();
    let second = b"\0\x02\0\0\0\x04\0\0\0\x02\xff\xff\xff\xff";
    assert_eq!(
        (parts.len(), &parts[0], &parts[1][..], &parts[3][..]),
        (4, &first, &second[..], &b"\xff\xff"[..])
    );

    // And back, cut at every place.
    let whole = parts.concat();
    for cut in 0..=whole.len() {
        rows(&mut c, "TRUNCATE t");
        let (a, b) = whole.split_at(cut);
        c.send(&[query("COPY t FROM STDIN BINARY"), frame(b'd', a), frame(b'd', b), frame(b'c', b"")]);
        assert_eq!(c.until_ready()[1].text(), "COPY 3", "cut at {cut}");
    }
    assert_eq!(rows(&mut c, "SELECT a, b FROM t"), ["1,one", "2,NULL", "3,x"]);
    let mut failure = |data: &[u8]| {
        c.send(&[query("COPY t FROM STDIN BINARY"), frame(b'd', data), frame(b'c', b"")]);
        c.until_ready()[1].field(b'M').unwrap_or_default()
    };
    for (data, message) in [
        (&b""[..], "COPY file signature not recognized"),
        (b"PGCOPX\n", "COPY file signature not recognized"),
        (&head[..11], "invalid COPY file header (missing flags)"),
        (&head[..15], "invalid COPY file header (missing length)"),
        (&[&head[..], b"\0\x01"].concat(), "row field count is 1, expected 2"),
        (&[&head[..], b"\0\x02\0\0\0\x04\0\0"].concat(), "unexpected EOF in COPY data"),
        (
            &[&head[..], b"\0\x02\0\0\0\x03\0\0\x01\xff\xff\xff\xff"].concat(),
            "insufficient data left in message",
        ),
        (&[&head[..], b"\0\x02\0\0\0\x04\0\0\0\x09\xff\xff\xff\xfe"].concat(), "invalid field size"),
        (&[&head[..], b"\xff\xffx"].concat(), "received copy data after EOF marker"),
    ] {
        assert_eq!(failure(data), message, "{data:?}");
    }
}

#[test]
fn strings_are_in_the_clients_encoding() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(&mut c, "SET client_encoding = 'latin1'");
    let mut text = b"SELECT '\xe9' AS \"\xe9\", length('\xe9')\0".to_vec();
    c.send(&[frame(b'Q', &text)]);
    let replies = c.until_ready();
    assert!(replies[0].body.windows(2).any(|w| w == b"\xe9\0"), "the column's name");
    assert_eq!(&replies[1].body[2..], b"\0\0\0\x01\xe9\0\0\0\x011");
    text = "SELECT chr(8364)\0".into();
    c.send(&[frame(b'Q', &text)]);
    assert_eq!(c.until_ready()[1].field(b'C').unwrap(), "22P05");
    c.send(&[frame(b'Q', b"SELECT * FROM \"\xe9\"\0")]);
    let replies = c.until_ready();
    assert!(replies[0].body.windows(3).any(|w| w == b"\"\xe9\""), "the error's text");
}

#[test]
fn a_wait_for_a_row_can_be_canceled() {
    let sql = Sql::new();
    let (mut a, mut b) = (sql.session(), sql.session());
    rows(&mut a, "CREATE TABLE t(a int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0)");
    rows(&mut a, "BEGIN; UPDATE t SET n = 1");
    rows(&mut b, "SET statement_timeout = 50");
    let e = b.error(&[query("UPDATE t SET n = 2")]);
    assert_eq!(e.field(b'M').unwrap(), "canceling statement due to statement timeout");
    rows(&mut b, "SET statement_timeout = 0");
    rows(&mut a, "COMMIT");
    rows(&mut b, "UPDATE t SET n = n + 1");
    assert_eq!(rows(&mut b, "SELECT n FROM t"), ["2"]);
}

#[test]
fn a_statements_time_runs_out_between_messages_too() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(&mut c, "SET statement_timeout = 50");
    c.send(&[parse("s", "SELECT $1::varchar", &[]), flush()]);
    assert_eq!(c.receive().kind, '1');
    std::thread::sleep(Duration::from_millis(200));
    let e = c.error(&[describe('S', "s"), sync()]);
    assert_eq!(e.field(b'C').unwrap(), "57014");
    assert_eq!(e.field(b'M').unwrap(), "canceling statement due to statement timeout");
    // It was that of one batch.
    rows(&mut c, "SET statement_timeout = 0");
    assert_eq!(
        kinds(&{
            c.send(&[describe('S', "s"), sync()]);
            c.until_ready()
        }),
        "tTZi"
    );
}

#[test]
fn a_client_that_leaves_rolls_back_and_frees_its_locks() {
    let sql = Sql::new();
    let (mut a, mut b) = (sql.session(), sql.session());
    rows(&mut a, "CREATE TABLE t(a int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0)");
    rows(&mut a, "BEGIN; UPDATE t SET n = 1");
    b.send(&[query("UPDATE t SET n = n + 10")]);
    drop(a);
    assert_eq!(kinds(&b.until_ready()), "CZi");
    assert_eq!(rows(&mut b, "SELECT n FROM t"), ["10"]);
}

#[test]
fn sessions_write_at_once() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(
        &mut c,
        "CREATE TABLE t(a int PRIMARY KEY, n int); INSERT INTO t SELECT i, 0 FROM generate_series(0, 9) AS i",
    );
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut c = sql.session();
                c.ask(&[parse("u", "UPDATE t SET n = n + 1 WHERE a = $1", &[]), sync()]);
                for i in 0..100 {
                    let id = (i % 10).to_string();
                    let batch = [bind("", "u", &[], &[Some(id.as_bytes())], &[]), execute("", 0), sync()];
                    assert_eq!(c.ask(&batch), "2CZi");
                }
            });
        }
    });
    assert_eq!(rows(&mut c, "SELECT sum(n) FROM t"), ["400"]);
}

#[test]
fn mutated_statements_harm_nobody() {
    let sql = Sql::new();
    let mut bystander = sql.session();
    rows(&mut bystander, "CREATE TABLE t(a int PRIMARY KEY, b text); INSERT INTO t VALUES (1, 'x')");
    let statements = [
        "SELECT a, b FROM t WHERE a = 1 ORDER BY b DESC LIMIT 3",
        "INSERT INTO t VALUES (2, 'y') ON CONFLICT DO NOTHING",
        "UPDATE t SET b = b || 'z' WHERE a IN (1, 2, 3)",
        "SELECT count(*), sum(a), max(b) FROM t GROUP BY b HAVING count(*) > 0",
        "SELECT 1 + 2 * 3, 'a' LIKE 'a%', now() - interval '1 day', 1.5::numeric(4,2)",
        "BEGIN; SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; COMMIT",
        "COPY t TO STDOUT",
        "SELECT relname FROM pg_catalog.pg_class WHERE relkind = 'r'",
    ];
    for seed in 1..400 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut c = sql.session();
        rows(&mut c, "SET statement_timeout = '5s'");
        let mut text: Vec<char> = statements[rng.usize(..statements.len())].chars().collect();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..text.len());
            match rng.u8(..4) {
                0 => {
                    text.remove(at);
                }
                1 => text.insert(at, rng.char(' '..='~')),
                2 => text[at] = rng.char(' '..='~'),
                _ => {
                    let piece: Vec<char> =
                        statements[rng.usize(..statements.len())].chars().take(12).collect();
                    text.splice(at..at, piece);
                }
            }
            if text.is_empty() {
                text.push(';');
            }
        }
        let text: String = text.into_iter().collect();
        c.send(&[query(&text)]);
        let replies = if text.to_ascii_lowercase().contains("from stdin") {
            c.send(&[frame(b'c', b"")]);
            c.until_ready()
        } else {
            c.until_ready()
        };
        for e in replies.iter().filter(|r| r.kind == 'E') {
            let code = e.field(b'C').unwrap();
            assert!(!code.starts_with("XX"), "seed {seed}: {text}: {e:?}");
        }
    }
    assert_eq!(rows(&mut bystander, "SELECT count(*) >= 0 FROM t"), ["t"]);
}

#[test]
fn a_copy_that_waits_for_data_ends_at_a_cancel_and_a_time_limit() {
    let sql = Sql::new();
    let (mut c, mut other) = (sql.session(), sql.session());
    rows(&mut c, "CREATE TABLE t(a int)");
    let batch = [parse("", "COPY t FROM STDIN", &[]), bind("", "", &[], &[], &[]), execute("", 0), flush()];
    for (start, response) in [(vec![query("COPY t FROM STDIN")], "G"), (batch.to_vec(), "12G")] {
        c.send(&start);
        c.send(&[frame(b'd', b"1\n2\n")]);
        let first: Vec<Reply> = response.chars().map(|_| c.receive()).collect();
        assert_eq!(kinds(&first), response);
        assert_eq!(rows(&mut other, &format!("SELECT pg_cancel_backend({})", c.pid)), ["t"]);
        let e = c.receive();
        assert_eq!((e.kind, e.field(b'C').unwrap().as_str()), ('E', "57014"));
        assert_eq!(e.field(b'M').unwrap(), "canceling statement due to user request");
        // What the client had under way is passed over.
        c.send(&[frame(b'd', b"3\n"), frame(b'c', b"")]);
        if response == "12G" {
            c.send(&[sync()]);
        }
        assert_eq!(kinds(&c.until_ready()), "Zi");
    }
    rows(&mut c, "SET statement_timeout = 20");
    c.send(&[query("COPY t FROM STDIN")]);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "GEZi");
    assert_eq!(replies[1].field(b'M').unwrap(), "canceling statement due to statement timeout");
    rows(&mut c, "SET statement_timeout = 0");
    assert_eq!(rows(&mut c, "SELECT count(*) FROM t"), ["0"]);
    c.send(&[query("COPY t FROM STDIN"), frame(b'd', b"4\n"), frame(b'c', b"")]);
    assert_eq!(kinds(&c.until_ready()), "GCZi");
    c.send(&[query("COPY t FROM STDIN")]);
    assert_eq!(c.receive().kind, 'G');
    assert_eq!(rows(&mut other, &format!("SELECT pg_terminate_backend({})", c.pid)), ["t"]);
    assert_eq!(c.last_words().field(b'C').unwrap(), "57P01");
    assert_eq!(rows(&mut other, "SELECT pg_terminate_backend(2000000000)"), ["f"]);
}

#[test]
fn prepare_and_the_protocol_share_their_names() {
    let sql = Sql::new();
    let mut c = sql.session();
    assert_eq!(c.ask(&[parse("p", "SELECT $1::int + 1", &[]), sync()]), "1Zi");
    assert_eq!(rows(&mut c, "EXECUTE p(4)"), ["5"]);
    assert_eq!(rows(&mut c, "SELECT name, from_sql FROM pg_prepared_statements"), ["p,f"]);
    assert_eq!(code(&mut c, "PREPARE p AS SELECT 1"), "42P05");
    rows(&mut c, "DEALLOCATE p");
    assert_eq!(code(&mut c, "EXECUTE p(4)"), "26000");
    assert_eq!(c.error(&[bind("", "p", &[], &[Some(b"4")], &[]), sync()]).field(b'C').unwrap(), "26000");
    assert_eq!(c.error(&[describe('S', "p"), sync()]).field(b'C').unwrap(), "26000");

    rows(&mut c, "PREPARE q(int) AS SELECT $1 * 2");
    assert_eq!(c.error(&[parse("q", "SELECT 1", &[]), sync()]).field(b'C').unwrap(), "42P05");
    c.send(&[
        describe('S', "q"),
        bind("", "q", &[], &[Some(b"21")], &[]),
        describe('P', ""),
        execute("", 0),
        sync(),
    ]);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "tT2TDCZi");
    assert_eq!(values(&replies[4]), [Some("42".into())]);
    assert_eq!(c.ask(&[close('S', "q"), sync()]), "3Zi");
    assert_eq!(code(&mut c, "EXECUTE q(1)"), "26000");

    for all in ["DEALLOCATE ALL", "DISCARD ALL"] {
        rows(&mut c, "PREPARE q AS SELECT 1");
        assert_eq!(c.ask(&[parse("p", "SELECT 2", &[]), sync()]), "1Zi");
        rows(&mut c, all);
        assert_eq!(rows(&mut c, "SELECT count(*) FROM pg_prepared_statements"), ["0"]);
        for name in ["p", "q"] {
            let e = c.error(&[bind("", name, &[], &[], &[]), sync()]);
            assert_eq!(e.field(b'C').unwrap(), "26000", "{all} {name}");
        }
    }
    // What is no query is executed too.
    assert_eq!(c.ask(&[parse("b", "BEGIN", &[]), sync()]), "1Zi");
    c.send(&[query("EXECUTE b")]);
    assert_eq!(kinds(&c.until_ready()), "CZt");
}

#[test]
fn settings_of_server_and_engine_are_shown_with_their_units() {
    let sql = Sql::new();
    let mut c = sql.session();
    let port = sql.server.as_ref().unwrap().addresses()[0].port().to_string();
    for (name, value) in [
        ("max_connections", "200"),
        ("port", port.as_str()),
        ("listen_addresses", "127.0.0.1"),
        ("unix_socket_directories", ""),
        ("authentication_timeout", "1min"),
        ("shared_buffers", "16MB"),
        ("fsync", "off"),
        ("checkpoint_timeout", "5min"),
    ] {
        assert_eq!(rows(&mut c, &format!("SHOW {name}")), [value]);
        assert_eq!(rows(&mut c, &format!("SELECT current_setting('{name}')")), [value]);
        let all = rows(&mut c, "SHOW ALL");
        assert!(all.iter().any(|r| r.starts_with(&format!("{name},{value},"))), "{name} in {all:?}");
    }
    let in_units = "SELECT setting, unit, context, vartype FROM pg_settings WHERE name = ";
    assert_eq!(rows(&mut c, &format!("{in_units}'shared_buffers'")), ["2048,8kB,postmaster,integer"]);
    assert_eq!(rows(&mut c, &format!("{in_units}'checkpoint_timeout'")), ["300,s,sighup,integer"]);
    assert_eq!(rows(&mut c, &format!("{in_units}'max_connections'")), ["200,NULL,sighup,integer"]);
    rows(&mut c, "SET statement_timeout = '2min'");
    assert_eq!(rows(&mut c, &format!("{in_units}'statement_timeout'")), ["120000,ms,user,integer"]);
    let bounds = "SELECT vartype, min_val, max_val, enumvals FROM pg_settings WHERE name = ";
    assert_eq!(rows(&mut c, &format!("{bounds}'shared_buffers'")), ["integer,64,8589934592,NULL"]);
    assert_eq!(rows(&mut c, &format!("{bounds}'checkpoint_completion_target'")), ["real,0,1,NULL"]);
    assert_eq!(
        rows(&mut c, &format!("{bounds}'local_authentication'")),
        ["enum,NULL,NULL,{trust,scram-sha-256}"]
    );
    assert_eq!(rows(&mut c, &format!("{bounds}'fsync'")), ["bool,NULL,NULL,NULL"]);
    // What is not a session's is not set by one, whatever the value.
    for (sql, sqlstate) in [
        ("SET max_connections = 3", "55P02"),
        ("SET shared_buffers = '1GB'", "55P02"),
        ("SET shared_buffers = 'lots'", "55P02"),
        ("SET checkpoint_timeout = '2min'", "55P02"),
        ("SET LOCAL checkpoint_timeout = '2min'", "55P02"),
        ("RESET checkpoint_timeout", "55P02"),
        ("SELECT set_config('checkpoint_timeout', '2min', false)", "55P02"),
        ("SET statement_timeout = '5 parsec'", "22023"),
        ("SET work_mem = '1kB'", "22023"),
        ("SET no_such = 1", "42704"),
        ("SHOW no_such", "42704"),
    ] {
        assert_eq!(code(&mut c, sql), sqlstate, "{sql}");
    }
    for (sql, shown) in [
        ("SET statement_timeout = '1.5min'", "90s"),
        ("SET work_mem = '0x100'", "256kB"),
        ("SET synchronous_commit = 'f'", "off"),
        ("SET extra_float_digits = -1", "-1"),
    ] {
        rows(&mut c, sql);
        let name = sql.split(' ').nth(1).unwrap();
        assert_eq!(rows(&mut c, &format!("SHOW {name}")), [shown], "{sql}");
    }
}

/// Waits until so many statements wait for row locks.
fn until_waiting(sql: &Sql, n: usize) {
    while sql.database.lock_waiters() != n {
        std::thread::yield_now();
    }
}

/// A server with one worker, and a session that holds the row 1 of table `t`.
fn held_row() -> (Sql, Client) {
    let sql = Sql::with_settings(&[("session_workers", "1")]);
    let mut holder = sql.session();
    rows(&mut holder, "CREATE TABLE t(a int PRIMARY KEY, b int)");
    rows(&mut holder, "INSERT INTO t VALUES (1, 0), (2, 0)");
    rows(&mut holder, "BEGIN");
    rows(&mut holder, "UPDATE t SET b = b + 1 WHERE a = 1");
    (sql, holder)
}

#[test]
fn a_hot_row_is_counted_up_by_everybody() {
    let (sql, mut holder) = held_row();
    let mut clients: Vec<Client> = (0..20).map(|_| sql.session()).collect();
    for (i, c) in clients.iter_mut().enumerate() {
        match i % 4 {
            0 => c.send(&[query("UPDATE t SET b = b + 1 WHERE a = 1 RETURNING b")]),
            1 => c.send(&[query("UPDATE t SET b = b + 1 WHERE a = 1; SELECT 1")]),
            2 => {
                let update = parse("", "UPDATE t SET b = b + $1 WHERE a = 1", &[]);
                c.send(&[update, bind("", "", &[], &[Some(b"1")], &[]), execute("", 0), sync()]);
            }
            _ => c.send(&[query("INSERT INTO t VALUES (1, 0) ON CONFLICT (a) DO UPDATE SET b = t.b + 1")]),
        }
        until_waiting(&sql, i + 1);
    }
    rows(&mut holder, "COMMIT");
    let mut returned = Vec::new();
    for (i, c) in clients.iter_mut().enumerate() {
        let replies = c.until_ready();
        match i % 4 {
            0 => {
                assert_eq!(kinds(&replies), "TDCZi");
                returned.push(values(&replies[1])[0].clone().unwrap());
            }
            1 => assert_eq!(kinds(&replies), "CTDCZi"),
            2 => assert_eq!(kinds(&replies), "12CZi"),
            _ => assert_eq!(kinds(&replies), "CZi"),
        }
    }
    assert_eq!(rows(&mut holder, "SELECT b FROM t WHERE a = 1"), ["21"]);
    let in_order: Vec<String> = (0..5).map(|i| (2 + 4 * i).to_string()).collect();
    assert_eq!(returned, in_order, "first come, first served");
}

#[test]
fn who_waits_for_a_row_can_be_canceled_timed_out_and_lost() {
    let (sql, mut holder) = held_row();
    let mut canceled = sql.session();
    canceled.send(&[query("UPDATE t SET b = 10 WHERE a = 1")]);
    until_waiting(&sql, 1);
    rows(&mut holder, &format!("SELECT pg_cancel_backend({})", canceled.pid));
    let replies = canceled.until_ready();
    assert_eq!(replies[0].field(b'C').unwrap(), "57014");
    assert_eq!(rows(&mut canceled, "SELECT b FROM t WHERE a = 1"), ["0"]);

    rows(&mut canceled, "SET statement_timeout = '10ms'");
    assert_eq!(code(&mut canceled, "UPDATE t SET b = 10 WHERE a = 1"), "57014");
    rows(&mut canceled, "SET statement_timeout = 0");
    rows(&mut canceled, "SET lock_timeout = '10ms'");
    assert_eq!(code(&mut canceled, "UPDATE t SET b = 10 WHERE a = 1"), "55P03");

    let mut terminated = sql.session();
    terminated.send(&[query("UPDATE t SET b = 10 WHERE a = 1")]);
    until_waiting(&sql, 1);
    rows(&mut holder, &format!("SELECT pg_terminate_backend({})", terminated.pid));
    assert_eq!(terminated.last_words().field(b'C').unwrap(), "57P01");
    until_waiting(&sql, 0);

    let mut timed = sql.session();
    rows(&mut timed, "SET transaction_timeout = '50ms'");
    timed.send(&[query("UPDATE t SET b = 10 WHERE a = 1")]);
    assert_eq!(timed.last_words().field(b'C').unwrap(), "25P04");
    until_waiting(&sql, 0);

    let mut lost = sql.session();
    lost.send(&[query("UPDATE t SET b = 10 WHERE a = 1")]);
    until_waiting(&sql, 1);
    drop(lost);
    drop(canceled);
    wait_until_alone(&mut holder);
    until_waiting(&sql, 0);
    rows(&mut holder, "COMMIT");
    assert_eq!(rows(&mut holder, "SELECT b FROM t WHERE a = 1"), ["1"]);
}

#[test]
fn two_sessions_on_one_worker_cannot_lock_each_other_out() {
    let (sql, mut first) = held_row();
    let mut second = sql.session();
    rows(&mut second, "BEGIN");
    rows(&mut second, "UPDATE t SET b = 5 WHERE a = 2");
    second.send(&[query("UPDATE t SET b = 5 WHERE a = 1")]);
    until_waiting(&sql, 1);
    assert_eq!(code(&mut first, "UPDATE t SET b = 6 WHERE a = 2"), "40P01");
    rows(&mut first, "ROLLBACK");
    assert_eq!(kinds(&second.until_ready()), "CZt");
    rows(&mut second, "COMMIT");
    assert_eq!(rows(&mut first, "SELECT b FROM t ORDER BY a"), ["5", "5"]);
}

#[test]
fn repeatable_read_still_refuses_what_changed_while_it_waited() {
    let (sql, mut holder) = held_row();
    let mut other = sql.session();
    rows(&mut other, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    other.send(&[query("UPDATE t SET b = 10 WHERE a = 1")]);
    until_waiting(&sql, 1);
    rows(&mut holder, "COMMIT");
    assert_eq!(other.until_ready()[0].field(b'C').unwrap(), "40001");
}

/// Something that goes on for hours.
const ENDLESS: &str = "select count(*) from generate_series(1,100000) a, generate_series(1,100000) b";

/// Waits until no other session is left.
fn wait_until_alone(c: &mut Client) {
    while rows(c, "select count(*) from pg_stat_activity where backend_type = 'client backend'")[0] != "1" {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_statement_ends_with_its_client() {
    let sql = Sql::new();
    let mut other = sql.session();
    for statement in
        [ENDLESS.to_owned(), format!("select 1; {ENDLESS}; {ENDLESS}"), "select 1;".repeat(20_000)]
    {
        let mut c = sql.session();
        c.send(&[
            query(&statement),
            parse("", ENDLESS, &[]),
            bind("", "", &[], &[], &[]),
            execute("", 0),
            sync(),
        ]);
        drop(c);
        wait_until_alone(&mut other);
    }
}

#[test]
fn a_session_can_be_ended_whatever_it_does() {
    let sql = Sql::new();
    let mut other = sql.session();
    let endless_rows = "select repeat('x', 1000) from generate_series(1, 1000000000)";
    for statement in
        [ENDLESS, endless_rows, &format!("copy ({endless_rows}) to stdout"), &"select 1;".repeat(200_000)]
    {
        // It does not read: what it asked for waits in the sockets.
        let mut c = sql.session();
        c.send(&[query(statement)]);
        rows(&mut other, &format!("select pg_terminate_backend({})", c.pid));
        wait_until_alone(&mut other);
    }
}

#[test]
fn an_error_is_told_however_long_it_is() {
    let sql = Sql::new();
    let mut c = sql.session();
    assert_eq!(code(&mut c, &format!("select \"{}\"", "x".repeat(50_000))), "42703");
    assert_eq!(code(&mut c, &format!("select '{}", "x".repeat(100_000))), "42601");
}

#[test]
fn a_table_that_has_changed_is_analyzed_by_itself() {
    let sql = Sql::with_settings(&[("autovacuum_naptime", "1s"), ("autovacuum_analyze_threshold", "20")]);
    let mut c = sql.session();
    rows(&mut c, "create table t (id int primary key, k int)");
    rows(&mut c, "create table u (id int primary key)");
    rows(&mut c, "insert into t select g, g % 4 from generate_series(1, 1000) g");
    rows(&mut c, "insert into u select g from generate_series(1, 15) g");
    let known = "select attname, n_distinct from pg_stats where tablename = 't' order by 1";
    while rows(&mut c, known) != ["id,-1", "k,4"] {
        std::thread::sleep(Duration::from_millis(20));
    }
    let live = "select relname, n_live_tup, n_tup_ins from pg_stat_user_tables order by 1";
    assert_eq!(rows(&mut c, live), ["t,1000,1000", "u,15,15"]);
    // While somebody has the table to himself it is left alone, and done later.
    rows(&mut c, "begin; lock table t in access exclusive mode; delete from t where id > 300");
    std::thread::sleep(Duration::from_millis(1200));
    rows(&mut c, "commit");
    let done = "select reltuples from pg_class where relname = 't'";
    while rows(&mut c, done) != ["300"] {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What a NotificationResponse says.
fn notification(r: &Reply) -> (String, String) {
    let texts = String::from_utf8_lossy(&r.body[4..]).into_owned();
    let mut parts = texts.split('\0').map(str::to_owned);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

#[test]
fn a_transaction_has_a_time_limit_of_its_own() {
    let sql = Sql::new();
    let ends = |c: &mut Client| assert_eq!(c.last_words().field(b'C').unwrap(), "25P04");
    // Idle in it, and at work in it; it counts from its first statement, or from when the limit was set.
    let mut c = sql.session();
    rows(&mut c, "set transaction_timeout = '500ms'; set statement_timeout = '1h'");
    rows(&mut c, "begin");
    ends(&mut c);
    let mut c = sql.session();
    rows(&mut c, "set transaction_timeout = '500ms'; set idle_in_transaction_session_timeout = '1h'");
    rows(&mut c, "begin");
    c.send(&[query(ENDLESS)]);
    ends(&mut c);
    let mut c = sql.session();
    rows(&mut c, "begin");
    rows(&mut c, "set transaction_timeout = '500ms'");
    ends(&mut c);
    let mut c = sql.session();
    rows(&mut c, "set transaction_timeout = '500ms'");
    c.send(&[parse("", ENDLESS, &[]), bind("", "", &[], &[], &[]), execute("", 0), sync()]);
    ends(&mut c);
    // One after the other is not one, and a failed one has ended.
    let mut c = sql.session();
    rows(&mut c, "set transaction_timeout = '1s'");
    for _ in 0..6 {
        rows(&mut c, "begin");
        rows(&mut c, "select pg_sleep(0.25)");
        rows(&mut c, "commit");
    }
    rows(&mut c, "begin");
    assert_eq!(code(&mut c, "select 1/0"), "22012");
    std::thread::sleep(Duration::from_millis(1200));
    rows(&mut c, "rollback");
    rows(&mut c, "set transaction_timeout = 0; begin; select 1");
    std::thread::sleep(Duration::from_millis(1200));
    rows(&mut c, "commit");
}

/// Neither a part of a message nor what it is told unasked keeps a session from being idle.
#[test]
fn a_session_that_dribbles_or_listens_is_idle() {
    let sql = Sql::new();
    let mut talks = sql.session();
    let mut listens = sql.session();
    rows(&mut listens, "listen x; set idle_session_timeout = '500ms'");
    let mut dribbles = sql.session();
    rows(&mut dribbles, "set idle_in_transaction_session_timeout = '500ms'");
    rows(&mut dribbles, "begin");
    let message = query(&format!("select '{}'", "x".repeat(1000)));
    let others = "select count(*) from pg_stat_activity where backend_type = 'client backend'";
    for byte in message {
        dribbles.try_send(&[byte]);
        rows(&mut talks, "notify x");
        if rows(&mut talks, others) == ["1"] {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("they are still there");
}

#[test]
fn idle_sessions_are_notified_at_once_and_busy_ones_after_their_transaction() {
    let sql = Sql::new();
    let (mut a, mut b) = (sql.session(), sql.session());
    rows(&mut a, "LISTEN c");
    b.send(&[query("NOTIFY c, 'one'")]);
    assert_eq!(kinds(&b.until_ready()), "CZi");
    let told = a.receive();
    assert_eq!((told.kind, notification(&told)), ('A', ("c".into(), "one".into())));
    assert_ne!(told.body[..4], [0; 4], "the number of who sent it");
    // Its own come before it is ready.
    assert_eq!(a.ask(&[query("NOTIFY c, 'own'")]), "CAZi");
    assert_eq!(a.ask(&[query("BEGIN")]), "CZt");
    rows(&mut b, "NOTIFY c, 'two'");
    assert_eq!(a.ask(&[query("SELECT 1")]), "TDCZt");
    a.send(&[query("COMMIT")]);
    let replies = a.until_ready();
    assert_eq!(kinds(&replies), "CAZi");
    assert_eq!(notification(&replies[1]), ("c".into(), "two".into()));
    // A pool's reset.
    let reset = "SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;";
    assert_eq!(a.ask(&[query(reset)]), "TDCCCCZi");
    rows(&mut b, "NOTIFY c, 'three'");
    assert_eq!(a.ask(&[query("SELECT 1")]), "TDCZi");
}

#[test]
fn cursors_and_named_portals_are_the_same() {
    let sql = Sql::new();
    let mut c = sql.session();
    rows(&mut c, "BEGIN");
    let open = [
        parse("", "SELECT g FROM generate_series(1, $1) g", &[23]),
        bind("p", "", &[], &[Some(b"9")], &[]),
        execute("p", 2),
        sync(),
    ];
    assert_eq!(c.ask(&open), "12DDsZt");
    assert_eq!(rows(&mut c, "SELECT name, is_scrollable FROM pg_cursors"), ["p,f"]);
    assert_eq!(rows(&mut c, "FETCH 2 FROM p"), ["3", "4"]);
    assert_eq!(c.ask(&[query("MOVE FORWARD 2 IN p")]), "CZt");
    assert_eq!(c.ask(&[execute("p", 2), sync()]), "DDsZt");
    c.send(&[execute("p", 0), sync()]);
    let replies = c.until_ready();
    assert_eq!((kinds(&replies).as_str(), replies[1].text().as_str()), ("DCZt", "SELECT 1"));
    assert_eq!(c.ask(&[query("CLOSE p")]), "CZt");
    assert_eq!(
        c.ask(&[parse("", "SELECT 1", &[]), bind("p", "", &[], &[], &[]), close('P', "p"), sync()]),
        "123Zt"
    );
    // DECLARE takes parameters.
    let declare = "DECLARE d CURSOR FOR SELECT $1 || 'x', $2 + 1";
    let open = [
        parse("", declare, &[25, 23]),
        describe('S', ""),
        bind("", "", &[], &[Some(b"a"), Some(b"41")], &[]),
        execute("", 0),
        sync(),
    ];
    assert_eq!(c.ask(&open), "1tn2CZt");
    // psycopg asks for a cursor's columns like this.
    assert_eq!(c.ask(&[describe('P', "d"), sync()]), "TZt");
    let fetch =
        [parse("", "FETCH d", &[]), describe('S', ""), bind("", "", &[], &[], &[]), execute("", 0), sync()];
    c.send(&fetch);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "1tT2DCZt");
    assert_eq!(values(&replies[4]), [Some("ax".into()), Some("42".into())]);
    // A BINARY one speaks binary to the simple protocol.
    rows(&mut c, "DECLARE b BINARY CURSOR FOR SELECT 258");
    c.send(&[query("FETCH b")]);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "TDCZt");
    assert_eq!(replies[1].body[6..], [0, 0, 1, 2]);
    let taken = [parse("", "SELECT 1", &[]), bind("d", "", &[], &[], &[]), sync()];
    c.send(&taken);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "1EZe");
    assert_eq!(replies[1].field(b'C').as_deref(), Some("42P03"));
    rows(&mut c, "ROLLBACK");
}
