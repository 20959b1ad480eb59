//! The protocol, message by message, as a client sees it.

mod common;

use common::*;
use evenkeel_server::Users;

#[test]
fn a_session_starts_with_its_parameters_and_a_key() {
    let f = Fixture::new();
    let mut c = f.connect();
    let replies =
        c.start(&[("user", "ann"), ("database", "db"), ("DateStyle", "ISO"), ("options", "-c a=1")]);
    assert_eq!(kinds(&replies), "RSKZi");
    assert_eq!(c.secret.len(), 4);
    let started = f.toy.started.lock();
    assert_eq!((started[0].0.as_str(), started[0].1.as_str()), ("ann", "db"));
    assert_eq!(started[0].2, [("a".to_string(), "1".to_string()), ("DateStyle".into(), "ISO".into())]);
}

#[test]
fn encryption_is_declined_once_each() {
    let f = Fixture::new();
    let mut c = f.connect();
    for code in [80877103u32, 80877104] {
        c.send(&[[8u32.to_be_bytes(), code.to_be_bytes()].concat()]);
        let mut answer = [0];
        std::io::Read::read_exact(&mut c.stream, &mut answer).unwrap();
        assert_eq!(answer, *b"N");
    }
    c.start(&[("user", "ann")]);
    assert_eq!(c.ask(&[query("rows 1")]), "TDCZi");
}

#[test]
fn protocol_3_2_gets_a_long_secret_and_newer_ones_are_talked_down() {
    let f = Fixture::new();
    let mut c = f.connect();
    c.start_version(3 << 16 | 2, &[("user", "ann")]);
    assert_eq!(c.secret.len(), 32);
    let mut c = f.connect();
    let replies = c.start_version(3 << 16 | 9999, &[("user", "ann"), ("_pq_.what", "1")]);
    assert_eq!(kinds(&replies), "vRSKZi");
    assert_eq!(replies[0].body, b"\0\x03\0\x02\0\0\0\x01_pq_.what\0");
    let mut c = f.connect();
    c.send(&[startup_packet(2 << 16, &[("user", "ann")])]);
    assert_eq!(c.last_words().field(b'C').unwrap(), "0A000");
}

#[test]
fn what_is_no_startup_packet_is_answered_by_nothing() {
    let f = Fixture::new();
    // Good-bye before anything else, as a client says that was closed before it was open; HTTP; a length of nothing.
    for bytes in [&b"X\0\0\0\x04"[..], b"GET / HTTP/1.1\r\n\r\n", &[0; 8], &[0x7f; 64]] {
        let mut c = f.connect();
        c.send(&[bytes.to_vec()]);
        assert!(c.try_receive().is_none(), "{bytes:?}");
    }
}

#[test]
fn a_bad_setting_at_start_is_fatal() {
    let f = Fixture::new();
    let mut c = f.connect();
    c.send(&[startup_packet(3 << 16, &[("user", "ann"), ("nonsense", "1")])]);
    let e = c.last_words();
    assert_eq!((e.field(b'S').unwrap().as_str(), e.field(b'C').unwrap().as_str()), ("FATAL", "42704"));
}

#[test]
fn a_simple_query_runs_its_statements_in_turn() {
    let mut c = Fixture::new().session_owned();
    assert_eq!(c.ask(&[query("rows 2; affect 3; rows 0")]), "TDDCCTCZi");
    assert_eq!(c.ask(&[query("")]), "IZi");
    assert_eq!(c.ask(&[query(" ; ")]), "IZi");
    assert_eq!(c.ask(&[query("affect 1; fail; affect 2")]), "CEZi");
    assert_eq!(c.ask(&[query("affect 1; oops")]), "EZi");
}

#[test]
fn transaction_status_is_told() {
    let mut c = Fixture::new().session_owned();
    assert_eq!(c.ask(&[query("begin")]), "CZt");
    assert_eq!(c.ask(&[query("fail")]), "EZe");
    assert_eq!(c.error(&[query("rows 1")]).field(b'C').unwrap(), "25P02");
    c.send(&[query("commit")]);
    let replies = c.until_ready();
    assert_eq!((kinds(&replies).as_str(), replies[0].text().as_str()), ("CZi", "ROLLBACK"));
}

#[test]
fn errors_carry_their_fields() {
    let mut c = Fixture::new().session_owned();
    let e = c.error(&[query("fail")]);
    let field = |code| e.field(code).unwrap_or_default();
    assert_eq!(
        (field(b'S').as_str(), field(b'V').as_str(), field(b'C').as_str()),
        ("ERROR", "ERROR", "22012")
    );
    assert_eq!((field(b'M').as_str(), field(b'H').as_str()), ("division by zero", "do not"));
    assert_eq!(c.error(&[query("oops")]).field(b'P').unwrap(), "1");
}

#[test]
fn a_commit_that_fails_takes_the_place_of_command_complete() {
    let mut c = Fixture::new().session_owned();
    assert_eq!(c.ask(&[query("fail at commit")]), "EZi");
    assert_eq!(c.ask(&[query("affect 1; fail at commit")]), "CEZi");
    let batch = [parse("", "fail at commit", &[]), bind("", "", &[], &[], &[]), execute("", 0), sync()];
    assert_eq!(c.ask(&batch), "12CEZi");
}

#[test]
fn notices_come_before_and_parameters_after_command_complete() {
    let mut c = Fixture::new().session_owned();
    assert_eq!(c.ask(&[query("notice; set TimeZone UTC")]), "NCCSZi");
}

#[test]
fn a_prepared_statement_runs_again_and_again() {
    let mut c = Fixture::new().session_owned();
    assert_eq!(c.ask(&[parse("s", "rows 2", &[]), describe('S', "s"), sync()]), "1tTZi");
    for _ in 0..3 {
        let batch = [bind("", "s", &[], &[], &[]), describe('P', ""), execute("", 0), sync()];
        assert_eq!(c.ask(&batch), "2TDDCZi");
    }
    assert_eq!(c.ask(&[close('S', "s"), close('S', "never was"), sync()]), "33Zi");
    assert_eq!(c.error(&[bind("", "s", &[], &[], &[]), sync()]).field(b'C').unwrap(), "26000");
}

#[test]
fn statements_without_rows_and_without_text_are_described() {
    let mut c = Fixture::new().session_owned();
    let batch = |sql| {
        [parse("", sql, &[]), bind("", "", &[], &[], &[]), describe('P', ""), execute("", 0), sync()].to_vec()
    };
    assert_eq!(c.ask(&batch("affect 1")), "12nCZi");
    assert_eq!(c.ask(&batch("")), "12nIZi");
}

#[test]
fn parameters_and_results_come_in_text_and_binary() {
    let mut c = Fixture::new().session_owned();
    let int4 = 23u32;
    let text = 25u32;
    let batch = [
        parse("", "echo", &[int4, int4, text, 0]),
        bind(
            "",
            "",
            &[0, 1, 0, 0],
            &[Some(b"17"), Some(&18i32.to_be_bytes()), None, Some("é".as_bytes())],
            &[1, 0, 0, 1],
        ),
        describe('P', ""),
        execute("", 0),
        sync(),
    ];
    c.send(&batch);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "12TDCZi");
    let row = &replies[3].body;
    let mut wanted = vec![0, 4, 0, 0, 0, 4, 0, 0, 0, 17, 0, 0, 0, 2];
    wanted.extend_from_slice(b"18\xff\xff\xff\xff\0\0\0\x02\xc3\xa9");
    assert_eq!(*row, wanted);
    let formats: Vec<u8> = replies[2].body[2..].chunks(20).map(|field| field[19]).collect();
    assert_eq!(formats, [1, 0, 0, 1]);
}

#[test]
fn bad_parameters_are_refused() {
    let mut c = Fixture::new().session_owned();
    let mut code = |formats: &[i16], params: &[Option<&[u8]>], results: &[i16]| {
        let e = c.error(&[parse("", "echo", &[23]), bind("", "", formats, params, results), sync()]);
        e.field(b'C').unwrap()
    };
    assert_eq!(code(&[], &[Some(b"x")], &[]), "22P02");
    assert_eq!(code(&[], &[Some(b"\xff")], &[]), "22021");
    assert_eq!(code(&[], &[Some(b"1\0")], &[]), "22021");
    assert_eq!(code(&[2], &[Some(b"1")], &[]), "22023");
    assert_eq!(code(&[], &[], &[]), "08P01");
    assert_eq!(code(&[], &[Some(b"1"), None], &[]), "08P01");
    assert_eq!(code(&[], &[Some(b"1")], &[0, 0]), "08P01");
    assert_ne!(code(&[1], &[Some(b"123")], &[]), "XX000");
}

#[test]
fn after_an_error_everything_up_to_sync_is_passed_over() {
    let mut c = Fixture::new().session_owned();
    let batch = [
        parse("a", "rows 1", &[]),
        parse("", "oops", &[]),
        parse("b", "rows 1", &[]),
        bind("", "a", &[], &[], &[]),
        execute("", 0),
        flush(),
        query("rows 1"),
        sync(),
    ];
    assert_eq!(c.ask(&batch), "1EZi");
    assert_eq!(c.ask(&[describe('S', "a"), sync()]), "tTZi");
    assert_eq!(c.ask(&[describe('S', "b"), sync()]), "EZi");
}

#[test]
fn an_error_in_a_batch_is_told_without_waiting_for_sync() {
    let mut c = Fixture::new().session_owned();
    c.send(&[parse("", "oops", &[])]);
    assert_eq!(c.receive().kind, 'E');
    assert_eq!(c.ask(&[sync()]), "Zi");
}

#[test]
fn flush_sends_what_is_there() {
    let mut c = Fixture::new().session_owned();
    c.send(&[parse("", "rows 1", &[]), describe('S', ""), flush()]);
    assert_eq!((c.receive().kind, c.receive().kind, c.receive().kind), ('1', 't', 'T'));
    assert_eq!(c.ask(&[sync()]), "Zi");
}

#[test]
fn batches_can_be_pipelined() {
    let mut c = Fixture::new().session_owned();
    let one = [parse("", "rows 1", &[]), bind("", "", &[], &[], &[]), execute("", 0), sync()].concat();
    let failing = [parse("", "fail", &[]), bind("", "", &[], &[], &[]), execute("", 0), sync()].concat();
    c.send(&[one.clone(), failing, one]);
    assert_eq!(kinds(&c.until_ready()), "12DCZi");
    assert_eq!(kinds(&c.until_ready()), "12EZi");
    assert_eq!(kinds(&c.until_ready()), "12DCZi");
}

#[test]
fn a_portal_gives_its_rows_in_pieces() {
    let mut c = Fixture::new().session_owned();
    c.ask(&[query("begin")]);
    c.send(&[
        parse("", "rows 5", &[]),
        bind("p", "", &[], &[], &[]),
        execute("p", 2),
        execute("p", 2),
        execute("p", 2),
        sync(),
    ]);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "12DDsDDsDCZt");
    assert_eq!(replies[9].text(), "SELECT 1");
    assert_eq!(values(&replies[8]), [Some("4".into()), Some("4".into())]);
}

#[test]
fn portals_end_with_their_transaction() {
    let mut c = Fixture::new().session_owned();
    let open = [parse("s", "rows 5", &[]), bind("p", "s", &[], &[], &[]), execute("p", 1), sync()];
    assert_eq!(c.ask(&open), "12DsZi");
    assert_eq!(c.error(&[execute("p", 1), sync()]).field(b'C').unwrap(), "34000");
    c.ask(&[query("begin")]);
    let batch = [bind("p", "s", &[], &[], &[]), execute("p", 1), sync()];
    assert_eq!(c.ask(&batch), "2DsZt");
    assert_eq!(c.error(&[bind("p", "s", &[], &[], &[]), sync()]).field(b'C').unwrap(), "42P03");
    c.ask(&[query("rollback")]);
    assert_eq!(c.error(&[describe('P', "p"), sync()]).field(b'C').unwrap(), "34000");
}

#[test]
fn names_are_used_once() {
    let mut c = Fixture::new().session_owned();
    assert_eq!(
        c.ask(&[parse("s", "rows 1", &[]), parse("", "rows 1", &[]), parse("", "rows 2", &[]), sync()]),
        "111Zi"
    );
    assert_eq!(c.error(&[parse("s", "rows 1", &[]), sync()]).field(b'C').unwrap(), "42P05");
    assert_eq!(c.ask(&[query("deallocate")]), "CZi");
    assert_eq!(c.ask(&[parse("s", "rows 1", &[]), sync()]), "1Zi");
}

#[test]
fn a_simple_query_drops_the_unnamed_statement() {
    let mut c = Fixture::new().session_owned();
    assert_eq!(c.ask(&[parse("", "rows 1", &[]), sync()]), "1Zi");
    c.ask(&[query("affect 1")]);
    assert_eq!(c.error(&[bind("", "", &[], &[], &[]), sync()]).field(b'C').unwrap(), "26000");
}

#[test]
fn copy_in_takes_data_in_the_simple_protocol() {
    let mut c = Fixture::new().session_owned();
    c.send(&[query("affect 1; copy in; affect 2")]);
    assert_eq!(c.receive().kind, 'C');
    let g = c.receive();
    assert_eq!((g.kind, g.body.as_slice()), ('G', &[0, 0, 3, 0, 0, 0, 0, 0, 0][..]));
    c.send(&[frame(b'd', b"1\n2\n"), frame(b'd', b"3\n"), sync(), flush(), frame(b'c', b"")]);
    let replies = c.until_ready();
    assert_eq!((kinds(&replies).as_str(), replies[0].text().as_str()), ("CCZi", "COPY 3"));
}

#[test]
fn copy_in_takes_data_in_the_extended_protocol() {
    let mut c = Fixture::new().session_owned();
    c.send(&[parse("", "copy in", &[]), bind("", "", &[], &[], &[]), execute("", 0), sync()]);
    assert_eq!((c.receive().kind, c.receive().kind, c.receive().kind), ('1', '2', 'G'));
    assert_eq!(c.ask(&[frame(b'd', b"1\n"), frame(b'c', b""), sync()]), "CZi");
}

#[test]
fn a_copy_can_fail_on_either_side() {
    let mut c = Fixture::new().session_owned();
    c.send(&[query("copy in"), frame(b'd', b"1\n"), frame(b'f', b"no more\0")]);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "GEZi");
    assert_eq!(replies[1].field(b'M').unwrap(), "COPY from stdin failed: no more");
    assert_eq!(replies[1].field(b'C').unwrap(), "57014");

    c.send(&[
        query("copy in"),
        frame(b'd', b"bad"),
        frame(b'd', b"1\n"),
        frame(b'c', b""),
        query("affect 1"),
    ]);
    assert_eq!(kinds(&c.until_ready()), "GEZi");
    assert_eq!(kinds(&c.until_ready()), "CZi");

    c.send(&[parse("", "copy in", &[]), bind("", "", &[], &[], &[]), execute("", 0)]);
    c.send(&[frame(b'd', b"bad"), frame(b'd', b"1\n"), frame(b'c', b""), sync()]);
    assert_eq!(kinds(&c.until_ready()), "12GEZi");

    // Data is handed on together: who fails then still answers the Sync that made it so.
    c.send(&[parse("", "copy in", &[]), bind("", "", &[], &[], &[]), execute("", 0)]);
    c.send(&[frame(b'd', b"bad"), sync(), query("affect 1")]);
    assert_eq!(kinds(&c.until_ready()), "12GEZi");
    assert_eq!(kinds(&c.until_ready()), "CZi");
    let long = vec![b'\n'; 100_000];
    c.send(&[query("copy in"), frame(b'd', b"bad"), frame(b'd', &long), frame(b'c', b""), query("affect 1")]);
    assert_eq!(kinds(&c.until_ready()), "GEZi");
    assert_eq!(kinds(&c.until_ready()), "CZi");
    c.send(&[
        query("copy in"),
        frame(b'd', b"1\n2"),
        frame(b'd', &long),
        frame(b'd', b"3\n"),
        frame(b'c', b""),
    ]);
    assert_eq!(c.until_ready()[1].text(), "COPY 100002");

    c.send(&[query("copy in"), query("affect 1")]);
    let replies = c.until_ready();
    assert_eq!((kinds(&replies).as_str(), replies[1].field(b'C').unwrap().as_str()), ("GEZi", "08P01"));
}

#[test]
fn copy_out_sends_data() {
    let mut c = Fixture::new().session_owned();
    c.send(&[query("copy out 2")]);
    let replies = c.until_ready();
    assert_eq!(kinds(&replies), "HddcCZi");
    assert_eq!(replies[2].text(), "1\tx\n");
    let batch = [parse("", "copy out 1", &[]), bind("", "", &[], &[], &[]), execute("", 0), sync()];
    assert_eq!(c.ask(&batch), "12HdcCZi");
}

#[test]
fn large_results_arrive_whole() {
    let mut c = Fixture::new().session_owned();
    c.send(&[query("rows 3000 1000")]);
    let replies = c.until_ready();
    assert_eq!(replies.len(), 3003);
    assert_eq!(values(&replies[3000])[1].as_ref().unwrap().len(), 1004);
}

#[test]
fn a_call_of_a_function_that_is_not_there_is_harmless() {
    let mut c = Fixture::new().session_owned();
    assert_eq!(c.error(&[frame(b'F', b"\0\0\0\x01\0\0\0\0\0\0")]).field(b'C').unwrap(), "42883");
    assert_eq!(c.ask(&[query("affect 1")]), "CZi");
}

#[test]
fn a_fatal_error_ends_the_session() {
    let mut c = Fixture::new().session_owned();
    c.send(&[query("rows 1; fatal")]);
    let mut replies = Vec::new();
    while let Some(r) = c.try_receive() {
        replies.push(r);
    }
    assert_eq!(kinds(&replies), "TDCE");
    assert_eq!(replies[3].field(b'S').unwrap(), "FATAL");
}

#[test]
fn the_unix_socket_serves_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let f = Fixture::with(&[("unix_socket_directories", dir.path().to_str().unwrap())], Users::new());
    let socket = &f.server.unix_sockets()[0];
    let mut s = std::os::unix::net::UnixStream::connect(socket).unwrap();
    std::io::Write::write_all(&mut s, &startup_packet(3 << 16, &[("user", "ann")])).unwrap();
    let mut first = [0];
    std::io::Read::read_exact(&mut s, &mut first).unwrap();
    assert_eq!(first, *b"R");
    let socket = socket.clone();
    drop(f);
    assert!(!socket.exists());
}

/// A session whose server lives as long as the test's process.
trait SessionOwned {
    fn session_owned(self) -> Client;
}

impl SessionOwned for Fixture {
    fn session_owned(self) -> Client {
        let c = self.session();
        std::mem::forget(self);
        c
    }
}
