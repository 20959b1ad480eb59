//! Calls of functions by their OIDs, as libpq's large objects make them, and messages that are none.

mod common;

use common::sql::Sql;
use common::*;

/// A call: argument formats, arguments, result format.
fn call(oid: u32, formats: &[i16], args: &[Option<&[u8]>], result: i16) -> Vec<u8> {
    let mut body = oid.to_be_bytes().to_vec();
    body.extend((formats.len() as u16).to_be_bytes());
    formats.iter().for_each(|f| body.extend(f.to_be_bytes()));
    body.extend((args.len() as u16).to_be_bytes());
    for arg in args {
        match arg {
            None => body.extend((-1i32).to_be_bytes()),
            Some(bytes) => {
                body.extend((bytes.len() as i32).to_be_bytes());
                body.extend_from_slice(bytes);
            }
        }
    }
    body.extend(result.to_be_bytes());
    frame(b'F', &body)
}

/// The same with binary arguments and a binary result.
fn binary(oid: u32, args: &[&[u8]]) -> Vec<u8> {
    let args: Vec<_> = args.iter().map(|a| Some(*a)).collect();
    call(oid, &[1], &args, 1)
}

/// What a call gave; None: NULL.
fn result(c: &mut Client, message: Vec<u8>) -> Option<Vec<u8>> {
    c.send(&[message]);
    let replies = c.until_ready();
    let answer = replies
        .iter()
        .find(|r| r.kind == 'V')
        .unwrap_or_else(|| panic!("{:?}", replies.iter().map(|r| (r.kind, r.text())).collect::<Vec<_>>()));
    let (length, value) = answer.body.split_at(4);
    let length = i32::from_be_bytes(length.try_into().unwrap());
    if length < 0 {
        assert!(value.is_empty());
        return None;
    }
    assert_eq!(value.len(), length as usize);
    Some(value.to_vec())
}

fn int(v: i32) -> [u8; 4] {
    v.to_be_bytes()
}

const LO_CREAT: u32 = 957;
const LO_CREATE: u32 = 715;
const LO_OPEN: u32 = 952;
const LO_CLOSE: u32 = 953;
const LOREAD: u32 = 954;
const LOWRITE: u32 = 955;
const LO_LSEEK: u32 = 956;
const LO_PUT: u32 = 3460;
const LO_UNLINK: u32 = 964;

fn value(c: &mut Client, sql: &str) -> String {
    c.send(&[query(sql)]);
    let replies = c.until_ready();
    let row = replies.iter().find(|r| r.kind == 'D').unwrap_or_else(|| panic!("{sql}: {}", kinds(&replies)));
    values(row).remove(0).unwrap_or_default()
}

#[test]
fn a_large_object_is_written_and_read_by_calls() {
    let db = Sql::new();
    let mut c = db.session();
    let oid = result(&mut c, binary(LO_CREAT, &[&int(-1)])).unwrap();
    assert_eq!(c.ask(&[query("begin")]), "CZt");
    let fd = result(&mut c, binary(LO_OPEN, &[&oid, &int(0x60000)])).unwrap();
    assert_eq!(fd, int(0));
    let data: Vec<u8> = (0..100_000u32).map(|n| (n % 251) as u8).collect();
    for piece in data.chunks(8192) {
        let written = result(&mut c, binary(LOWRITE, &[&fd, piece])).unwrap();
        assert_eq!(written, int(piece.len() as i32));
    }
    assert_eq!(result(&mut c, binary(LO_LSEEK, &[&fd, &int(5), &int(0)])).unwrap(), int(5));
    assert_eq!(result(&mut c, binary(LOREAD, &[&fd, &int(200_000)])).unwrap(), data[5..]);
    assert_eq!(result(&mut c, binary(LO_CLOSE, &[&fd])).unwrap(), int(0));
    assert_eq!(c.ask(&[query("commit")]), "CZi");
    // Text, both ways, and formats of their own.
    let number = u32::from_be_bytes(oid.clone().try_into().unwrap()).to_string();
    let text = number.as_bytes();
    let put = call(LO_PUT, &[], &[Some(text), Some(b"3"), Some(b"\\x414243")], 0);
    assert_eq!(result(&mut c, put).unwrap(), b"");
    let put = call(LO_PUT, &[0, 1, 1], &[Some(text), Some(&6i64.to_be_bytes()), Some(b"DEF")], 1);
    assert_eq!(result(&mut c, put).unwrap(), b"");
    assert_eq!(value(&mut c, &format!("select convert_from(lo_get({number}, 3, 6), 'UTF8')")), "ABCDEF");
    // NULL makes a strict function's result.
    assert_eq!(result(&mut c, call(LO_UNLINK, &[1], &[None], 1)), None);
    assert_eq!(result(&mut c, call(LO_UNLINK, &[0], &[Some(text)], 0)).unwrap(), b"1");
    assert_eq!(value(&mut c, "select count(*) from pg_largeobject"), "0");
}

#[test]
fn any_function_may_be_called_and_what_it_does_is_of_a_transaction() {
    let db = Sql::new();
    let mut c = db.session();
    let oid = |c: &mut Client, f: &str| -> u32 {
        value(c, &format!("select '{f}'::regprocedure::oid")).parse().unwrap()
    };
    let upper = oid(&mut c, "upper(text)");
    assert_eq!(result(&mut c, call(upper, &[], &[Some("grün".as_bytes())], 0)).unwrap(), "GRÜN".as_bytes());
    let power = oid(&mut c, "power(float8,float8)");
    assert_eq!(result(&mut c, call(power, &[], &[Some(b"2"), Some(b"10")], 0)).unwrap(), b"1024");
    let by = oid(&mut c, "pg_backend_pid()");
    assert_eq!(result(&mut c, call(by, &[], &[], 1)).unwrap().len(), 4);
    // Those of an extension are where that is.
    c.ask(&[query("create schema s; create extension hstore schema s")]);
    let defined = oid(&mut c, "s.defined(s.hstore,text)");
    assert_eq!(result(&mut c, call(defined, &[], &[Some(b"a=>1"), Some(b"a")], 0)).unwrap(), b"t");
    c.ask(&[query("drop extension hstore")]);
    assert_eq!(c.error(&[call(defined, &[], &[None, None], 0)]).field(b'C').unwrap(), "42883");
    c.ask(&[query("begin")]);
    result(&mut c, binary(LO_CREATE, &[&int(4711)]));
    c.ask(&[query("rollback")]);
    assert_eq!(value(&mut c, "select count(*) from pg_largeobject_metadata"), "0");
    // Privileges are looked at.
    c.ask(&[query("create role nobody; set role nobody")]);
    let reload = oid(&mut c, "pg_reload_conf()");
    assert_eq!(c.error(&[call(reload, &[], &[], 0)]).field(b'C').unwrap(), "42501");
    let mut n = c.error(&[call(764, &[], &[Some(b"/etc/passwd")], 0)]);
    assert_eq!(n.field(b'C').unwrap(), "42501");
    c.ask(&[query("reset role")]);
    n = c.error(&[call(764, &[], &[Some(b"/etc/passwd")], 0)]);
    assert_eq!(n.field(b'C').unwrap(), "0A000");
}

#[test]
fn a_call_that_fails_is_answered_and_the_session_goes_on() {
    let db = Sql::new();
    let mut c = db.session();
    let one: &[u8] = &int(1);
    let cases: &[(Vec<u8>, &str, &str)] = &[
        (call(1, &[], &[], 0), "42883", "function with OID 1 does not exist"),
        (call(u32::MAX, &[], &[], 0), "42883", "function with OID 4294967295 does not exist"),
        (
            binary(LO_OPEN, &[one]),
            "08P01",
            "function call message contains 1 arguments but function requires 2",
        ),
        (
            call(LO_OPEN, &[1, 1, 1], &[Some(one), Some(one)], 1),
            "08P01",
            "function call message contains 3 argument formats but 2 arguments",
        ),
        (call(LO_CLOSE, &[2], &[Some(one)], 1), "22023", "unsupported format code: 2"),
        (call(LO_CLOSE, &[1], &[Some(one)], 7), "22023", "unsupported format code: 7"),
        (call(LO_CLOSE, &[0], &[Some(b"x")], 0), "22P02", "invalid input syntax for type integer: \"x\""),
        (
            call(LO_CLOSE, &[0], &[Some(b"\xff")], 0),
            "22021",
            "invalid byte sequence for encoding \"UTF8\": 0xff",
        ),
        (binary(LO_CLOSE, &[b"abc"]), "08P01", "insufficient data left in message"),
        (binary(LO_CLOSE, &[one]), "42704", "invalid large-object descriptor: 1"),
        (binary(LO_UNLINK, &[one]), "42704", "large object 1 does not exist"),
    ];
    for (message, code, text) in cases {
        let e = c.error(std::slice::from_ref(message));
        assert_eq!((e.field(b'C').as_deref(), e.field(b'M').as_deref()), (Some(*code), Some(*text)));
        assert_eq!(c.ask(&[query("select 1")]), "TDCZi");
    }
    // In a transaction it is the end of that.
    assert_eq!(c.ask(&[query("begin")]), "CZt");
    assert_eq!(c.error(&[binary(LO_UNLINK, &[one])]).field(b'C').unwrap(), "42704");
    assert_eq!(c.error(&[binary(LO_CREATE, &[one])]).field(b'C').unwrap(), "25P02");
    assert_eq!(c.error(&[call(1, &[], &[], 0)]).field(b'C').unwrap(), "25P02");
    assert_eq!(c.ask(&[query("rollback")]), "CZi");
    // Behind an error of a batch it is skipped up to Sync.
    assert_eq!(c.ask(&[parse("", "selec", &[]), binary(LO_CREATE, &[one]), sync()]), "EZi");
    assert_eq!(value(&mut c, "select count(*) from pg_largeobject_metadata"), "0");
}

#[test]
fn a_message_that_is_no_call_is_a_violation_and_no_more() {
    let db = Sql::new();
    let mut c = db.session();
    let whole = call(LO_OPEN, &[1, 1], &[Some(&int(4711)), Some(&int(0x40000))], 1)[5..].to_vec();
    for end in 0..whole.len() {
        let e = c.error(&[frame(b'F', &whole[..end])]);
        assert_eq!(e.field(b'C').unwrap(), "08P01", "cut at {end}");
    }
    let e = c.error(&[frame(b'F', &[&whole[..], b"x"].concat())]);
    assert_eq!(e.field(b'M').unwrap(), "invalid message format");
    // Counts and lengths that nothing follows.
    for at in 0..whole.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bad = whole.clone();
            bad[at] = byte;
            c.send(&[frame(b'F', &bad)]);
            let replies = c.until_ready();
            assert!(matches!(replies[0].kind, 'E' | 'V'), "byte {at} is {byte}: {}", kinds(&replies));
            c.ask(&[query("rollback")]);
        }
    }
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..2000 {
        let body: Vec<u8> = (0..rng.usize(..64)).map(|_| rng.u8(..)).collect();
        let oid = [LO_CREATE, LO_OPEN, LOREAD, LOWRITE, LO_PUT][rng.usize(..5)];
        c.send(&[frame(b'F', &[&oid.to_be_bytes()[..], &body].concat())]);
        c.until_ready();
    }
    assert_eq!(value(&mut c, "select 'alive'"), "alive");
}
