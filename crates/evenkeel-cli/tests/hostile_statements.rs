//! Hostile statements against a real server, as far as an ordinary test has time: `cargo xtask hostile` has more.

use std::path::Path;
use std::time::Duration;
use xtask::hostile::attack::Seen;
use xtask::hostile::client::{Answer, Client};
use xtask::hostile::server::Served;
use xtask::hostile::{statements_that_have_hurt, whatever_is_nested};

const MEMORY_LIMIT_BYTES: u64 = 1 << 30;
const CLIENTS: u64 = 2;
/// Reactions take far less on a machine that has nothing else to do.
const REACTION_MAX: Duration = Duration::from_secs(10);

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_evenkeel"))
}

fn passed(seen: Result<Seen, String>) {
    let seen = seen.unwrap();
    println!("{seen}");
    assert!(seen.reaction < REACTION_MAX, "{seen}");
}

#[test]
fn whatever_is_nested_or_chained() {
    passed(whatever_is_nested(program(), 1, 400, CLIENTS, 1_000_000, MEMORY_LIMIT_BYTES));
}

#[test]
fn what_has_hurt() {
    passed(statements_that_have_hurt(program(), CLIENTS, 100_000, MEMORY_LIMIT_BYTES));
}

/// Within the time that the clients have for an answer, a minute.
#[test]
fn what_could_go_on_for_ever_ends_with_its_time() {
    let served = Served::start(program(), &["shared_buffers=64MB".into()]).unwrap();
    let mut c = Client::connect(served.address).unwrap();
    assert_eq!(c.ask("set statement_timeout = '200ms'").unwrap(), None);
    for sql in [
        "select ('0.' || repeat('9', 16000))::numeric ^ 0.5",
        "select array_fill(0, array[5000000])::text[]",
        "select btrim(repeat('a', 20000000), repeat('b', 100000) || 'a')",
        "select array_fill(0, array[300000]) && array_fill(1, array[300000])",
        "select array_append(array_fill(0, array[300000]), 1) @> array_fill(1, array[300000])",
        "select repeat('a', 40000) ~ (repeat('a?', 20000) || 'b')",
        "select regexp_match(repeat('a', 4000), repeat('(a)?', 2000))",
        "select position(repeat('ab', 20000000) || 'b' in repeat('ab', 60000000))",
    ] {
        let (code, _) = c.ask(sql).unwrap().unwrap_or_default();
        assert!(["57014", "53200", "2201B"].contains(&&*code), "{sql}: {code}");
    }
}

/// A row of 50 MB that a client does not read, by a statement that has locked a row.
fn stuck(served: &Served, timeout: &str) -> Client {
    let mut c = Client::connect(served.address).unwrap();
    assert_eq!(c.ask(&format!("set statement_timeout = '{timeout}'")).unwrap(), None);
    c.send("update t set a = a + 1 returning repeat('x', 50000000)").unwrap();
    std::thread::sleep(Duration::from_secs(1));
    c
}

#[test]
fn a_client_that_does_not_read_holds_nobody_up_longer_than_its_statement_may_take() {
    let served = Served::start(program(), &["shared_buffers=64MB".into()]).unwrap();
    let mut other = Client::connect(served.address).unwrap();
    assert_eq!(other.ask("create table t (a int); insert into t values (1)").unwrap(), None);
    assert_eq!(other.ask("set lock_timeout = '20s'").unwrap(), None);
    let change = "update t set a = a + 1";

    let mut deaf = stuck(&served, "0");
    deaf.canceller()().unwrap();
    assert_eq!(other.ask(change).unwrap(), None, "a cancel request");
    let code = |answer: Answer| answer.map_or("ok".into(), |(code, _)| code);
    assert_eq!(code(deaf.answer().unwrap()), "57014");
    assert_eq!(deaf.ask("select 1").unwrap(), None);

    let mut deaf = stuck(&served, "500ms");
    assert_eq!(other.ask(change).unwrap(), None, "statement_timeout");
    assert_eq!(code(deaf.answer().unwrap()), "57014");

    let mut deaf = stuck(&served, "0");
    let others = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()";
    assert_eq!(other.ask(others).unwrap(), None);
    assert_eq!(other.ask(change).unwrap(), None, "pg_terminate_backend");
    assert!(deaf.answer().is_err());
}

#[test]
fn small_statements_go_on_where_large_ones_use_up_the_memory() {
    passed(statements_that_have_hurt(program(), 6, 100_000, 256 << 20));
}

#[test]
fn what_the_process_has_not_is_refused_and_others_go_on() {
    let served =
        Served::start(program(), &["memory_limit=400MB".into(), "shared_buffers=64MB".into()]).unwrap();
    let (mut c, mut other) =
        (Client::connect(served.address).unwrap(), Client::connect(served.address).unwrap());
    let code = |answer: Answer| answer.map_or("ok".into(), |(code, _)| code);
    let values = |n: usize| format!("select {}", vec!["repeat('a', 50000000)"; n].join(", "));
    assert_eq!(code(c.ask(&values(30)).unwrap()), "53200");
    assert_eq!(code(other.ask("select length(repeat('a', 1000))").unwrap()), "ok");
    assert_eq!(code(c.ask(&values(1)).unwrap()), "ok");
    assert_eq!(code(c.ask("select count(*) from generate_series(1, 100000)").unwrap()), "ok");
}

/// A message that the process has no memory for is dropped, and the session goes on with the next.
#[test]
fn a_message_without_memory_is_refused_and_its_session_goes_on() {
    let settings = ["memory_limit=160MB", "shared_buffers=16MB", "max_message_size=512MB"].map(String::from);
    let served = Served::start(program(), &settings).unwrap();
    let mut c = Client::connect(served.address).unwrap();
    let refused = |answer: Answer| {
        let (code, message) = answer.expect("there is no room for it");
        assert_eq!(code, "53200", "{message}");
    };
    let large = format!("select 1{}", " ".repeat(250_000_000));
    assert_eq!(c.ask("begin; create table t (a text)").unwrap(), None);
    refused(c.ask(&large).unwrap());
    let (code, _) = c.ask("select 1").unwrap().expect("the transaction has failed");
    assert_eq!(code, "25P02");
    assert_eq!(c.ask("rollback; create table t (a text); select 1").unwrap(), None);
    c.send_extended(&large).unwrap();
    refused(c.answer().unwrap());
    refused(c.ask(&large).unwrap());
    assert_eq!(c.ask("select * from t").unwrap(), None);
    drop(large);
    let lacks = served.log().matches("FATAL:").count();
    assert_eq!(lacks, 0, "{}", served.log());
}
