//! Bounds, time limits, cancelling, ending; and that one client's trouble is not another's.

mod common;

use common::*;
use evenkeel_server::{Listeners, OWNER_PORT, Server, StartError, Users, make_verifier};
use std::io::{Read, Write};
use std::sync::Arc;

fn cancel_packet(pid: i32, secret: &[u8]) -> Vec<u8> {
    let mut out = (12 + secret.len() as u32).to_be_bytes().to_vec();
    out.extend_from_slice(&80877102u32.to_be_bytes());
    out.extend_from_slice(&pid.to_be_bytes());
    out.extend_from_slice(secret);
    out
}

#[test]
fn a_statement_is_canceled_on_request() {
    let f = Fixture::new();
    let mut c = f.session();
    c.send(&[query("block")]);
    f.toy.wait_blocked(1);
    let mut other = f.connect();
    other.send(&[cancel_packet(c.pid, b"wron")]);
    assert!(other.try_receive().is_none());
    let mut other = f.connect();
    other.send(&[cancel_packet(c.pid, &c.secret.clone())]);
    assert!(other.try_receive().is_none());
    let replies = c.until_ready();
    assert_eq!(replies[0].field(b'C').unwrap(), "57014");
    assert_eq!(replies[0].field(b'M').unwrap(), "canceling statement due to user request");
    assert_eq!(c.ask(&[query("rows 1")]), "TDCZi");
}

#[test]
fn a_cancel_request_between_statements_does_nothing() {
    let f = Fixture::new();
    let mut c = f.session();
    let mut other = f.connect();
    other.send(&[cancel_packet(c.pid, &c.secret.clone())]);
    assert!(other.try_receive().is_none());
    assert_eq!(c.ask(&[query("rows 1")]), "TDCZi");
}

#[test]
fn a_statement_ends_at_its_time_limit() {
    let f = Fixture::new();
    let mut c = f.session();
    c.ask(&[query("limit statement 10")]);
    let e = c.error(&[query("block")]);
    assert_eq!(e.field(b'M').unwrap(), "canceling statement due to statement timeout");
    let batch = [parse("", "block", &[]), bind("", "", &[], &[], &[]), execute("", 0), sync()];
    assert_eq!(c.error(&batch).field(b'C').unwrap(), "57014");
    c.ask(&[query("limit statement 0")]);
    assert_eq!(c.ask(&[query("rows 1")]), "TDCZi");
}

#[test]
fn idle_sessions_end_at_their_time_limits() {
    let f = Fixture::new();
    let mut c = f.session();
    c.ask(&[query("limit idle_session 10")]);
    assert_eq!(c.last_words().field(b'C').unwrap(), "57P05");
    let mut c = f.session();
    c.ask(&[query("limit idle_in_transaction 10")]);
    c.ask(&[query("begin")]);
    assert_eq!(c.last_words().field(b'C').unwrap(), "25P03");
}

#[test]
fn authentication_has_a_time_limit() {
    let f = Fixture::with(&[("authentication_timeout", "1s")], Users::new());
    let mut c = f.connect();
    c.send(&[vec![0, 0]]);
    assert_eq!(c.last_words().field(b'M').unwrap(), "canceling authentication due to timeout");
}

#[test]
fn connections_are_bounded_and_places_come_back() {
    let f = Fixture::with(&[("max_connections", "2"), ("superuser_reserved_connections", "0")], Users::new());
    let mut first = f.session();
    let _second = f.session();
    let mut third = f.connect();
    third.send(&[startup_packet(3 << 16, &[("user", "x")])]);
    let e = third.last_words();
    assert_eq!((e.field(b'C').unwrap().as_str(), e.field(b'S').unwrap().as_str()), ("53300", "FATAL"));
    first.send(&[frame(b'X', b"")]);
    assert!(first.try_receive().is_none());
    // The place is free before the connection's end is seen, or an instant later.
    loop {
        let mut again = f.connect();
        again.send(&[startup_packet(3 << 16, &[("user", "x")])]);
        if again.receive().kind == 'R' {
            break;
        }
    }
}

#[test]
fn many_who_never_say_who_they_are_keep_nobody_out() {
    let mut users = Users::new();
    users.add("ann", &make_verifier("secret").unwrap()).unwrap();
    let pairs = [
        ("max_connections", "2"),
        ("superuser_reserved_connections", "0"),
        ("local_authentication", "scram-sha-256"),
    ];
    let settings = settings(&pairs);
    let folder = tempfile::tempdir().unwrap();
    let mut listeners = Listeners::bind(&settings, &users, None).unwrap();
    listeners.bind_in_folder(folder.path()).unwrap();
    let toy = Arc::new(ToyService(Arc::new(Toy::default())));
    let server = Server::start_on(listeners, toy, settings, users, Vec::new()).unwrap();
    let connect = || Client::new(std::net::TcpStream::connect(server.addresses()[0]).unwrap());
    let ask = |c: &mut Client| c.send(&[startup_packet(3 << 16, &[("user", "ann")])]);
    let owner = || {
        let socket = folder.path().join(format!(".s.PGSQL.{OWNER_PORT}"));
        let mut c = std::os::unix::net::UnixStream::connect(socket).unwrap();
        c.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
        c.write_all(&startup_packet(3 << 16, &[("user", "x")])).unwrap();
        let mut first = [0; 9];
        c.read_exact(&mut first).unwrap();
        assert_eq!(first, *b"R\0\0\0\x08\0\0\0\0", "the owner is let in");
        c
    };
    // Half of them say a name and do not prove it.
    let mut silent = Vec::new();
    for n in 0..200 {
        let mut c = connect();
        if n % 2 == 0 {
            ask(&mut c);
        }
        silent.push(c);
    }
    let _first = owner();
    let mut c = connect();
    ask(&mut c);
    assert_eq!(c.receive().kind, 'R', "asked for a password");
    // Those who keep silent on the owner's socket do not keep him out either.
    let socket = folder.path().join(format!(".s.PGSQL.{OWNER_PORT}"));
    let mute: Vec<_> = (0..200).map(|_| std::os::unix::net::UnixStream::connect(&socket).unwrap()).collect();
    let _second = owner();
    drop((silent, mute));
}

#[test]
fn messages_are_bounded() {
    let f = Fixture::with(&[("max_message_size", "64kB")], Users::new());
    let mut c = f.session();
    assert_eq!(c.ask(&[query(&format!("affect 1{}", " ".repeat(60_000)))]), "CZi");
    c.send(&[b"Q\x00\x01\x00\x05".to_vec()]);
    let e = c.last_words();
    assert_eq!((e.field(b'C').unwrap().as_str(), e.field(b'S').unwrap().as_str()), ("08P01", "FATAL"));
}

#[test]
fn statements_and_portals_are_bounded() {
    let limits =
        [("max_prepared_statements", "2"), ("max_portals", "2"), ("session_statement_memory", "64kB")];
    let f = Fixture::with(&limits, Users::new());
    let mut c = f.session();
    assert_eq!(c.ask(&[parse("a", "rows 1", &[]), parse("b", "rows 1", &[]), sync()]), "11Zi");
    assert_eq!(c.error(&[parse("c", "rows 1", &[]), sync()]).field(b'C').unwrap(), "53400");
    assert_eq!(c.ask(&[close('S', "a"), parse("c", "rows 1", &[]), sync()]), "31Zi");
    c.ask(&[query("begin")]);
    let p = |name| bind(name, "b", &[], &[], &[]);
    assert_eq!(c.ask(&[p("1"), p("2"), sync()]), "22Zt");
    assert_eq!(c.error(&[p("3"), sync()]).field(b'C').unwrap(), "53400");
    c.ask(&[query("rollback")]);
    let big = format!("rows 1{}", " ".repeat(70_000));
    assert_eq!(c.ask(&[close('S', "c"), sync()]), "3Zi");
    assert_eq!(c.error(&[parse("d", &big, &[]), sync()]).field(b'C').unwrap(), "53200");
}

#[test]
fn a_panic_ends_one_session_only() {
    let f = Fixture::new();
    let mut bystander = f.session();
    let mut c = f.session();
    c.send(&[query("panic")]);
    let e = c.last_words();
    assert_eq!((e.field(b'C').unwrap().as_str(), e.field(b'S').unwrap().as_str()), ("XX000", "FATAL"));
    assert_eq!(bystander.ask(&[query("rows 1")]), "TDCZi");
}

#[test]
fn shutdown_tells_everyone_busy_or_idle() {
    let f = Fixture::new();
    let mut idle = f.session();
    let mut busy = f.session();
    let mut in_transaction = f.session();
    in_transaction.ask(&[query("begin")]);
    busy.send(&[query("block")]);
    f.toy.wait_blocked(1);
    assert!(f.server.shutdown());
    for c in [&mut idle, &mut busy, &mut in_transaction] {
        let e = c.last_words();
        assert_eq!((e.field(b'C').unwrap().as_str(), e.field(b'S').unwrap().as_str()), ("57P01", "FATAL"));
    }
    assert_eq!(f.server.connections(), 0);
    assert!(std::net::TcpStream::connect(f.server.addresses()[0]).is_err());
}

#[test]
fn shutdown_does_not_wait_for_a_client_that_does_not_read() {
    let f = Fixture::new();
    let mut c = f.session();
    c.send(&[query("rows 100000 1000")]);
    assert_eq!(c.receive().kind, 'T');
    assert!(f.server.shutdown());
}

#[test]
fn a_client_that_does_not_read_holds_nobody_up() {
    let f = Fixture::new();
    let mut slow = f.session();
    slow.send(&[query("rows 100000 1000")]);
    let mut other = f.session();
    for _ in 0..100 {
        assert_eq!(other.ask(&[query("rows 1")]), "TDCZi");
    }
}

#[test]
fn no_reply_leaves_before_what_it_tells_is_durable() {
    let f = Fixture::new();
    let mut c = f.session();
    let mut witness = f.session();
    c.send(&[query("write")]);
    // The witness answers twice after the write was sent: the server is alive, and has had its chance to answer too soon.
    witness.ask(&[query("rows 1")]);
    witness.ask(&[query("rows 1")]);
    assert!(!c.has_input());
    f.toy.make_durable(1);
    assert_eq!(kinds(&c.until_ready()), "CZi");
    // A large result after an undurable write waits as well, in its midst.
    c.send(&[query("begin; write; rows 1000 1000")]);
    witness.ask(&[query("rows 1")]);
    assert!(!c.has_input());
    f.toy.make_durable(2);
    assert_eq!(c.until_ready().len(), 1005);
}

#[test]
fn a_broken_log_is_told_in_place_of_the_reply() {
    let f = Fixture::new();
    let mut c = f.session();
    f.toy.break_log();
    c.send(&[query("write")]);
    let e = c.receive();
    assert_eq!((e.kind, e.field(b'S').unwrap().as_str()), ('E', "FATAL"));
    assert!(c.try_receive().is_none());
}

#[test]
fn a_reload_changes_limits_for_new_sessions() {
    let none_kept = ("superuser_reserved_connections", "0");
    let f = Fixture::with(&[none_kept], Users::new());
    let need_restart = f.server.reload(
        &settings(&[("max_connections", "1"), none_kept, ("listen_addresses", "::1")]),
        Users::new(),
        Vec::new(),
    );
    assert_eq!(need_restart, ["listen_addresses"]);
    let _one = f.session();
    let mut two = f.connect();
    two.send(&[startup_packet(3 << 16, &[("user", "x")])]);
    assert_eq!(two.last_words().field(b'C').unwrap(), "53300");
}

#[test]
fn other_listeners_are_refused_without_passwords() {
    let toy = || Arc::new(ToyService(Arc::new(Toy::default())));
    let open = settings(&[("listen_addresses", "0.0.0.0")]);
    let refused = Server::start(toy(), open.clone(), Users::new(), Vec::new());
    assert!(matches!(refused, Err(StartError::NoPasswords(_))));
    let mut users = Users::new();
    users.add("ann", &make_verifier("secret").unwrap()).unwrap();
    Server::start(toy(), open, users, Vec::new()).unwrap();
}
