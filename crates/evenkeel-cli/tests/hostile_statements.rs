//! Statements that nest and chain every construct of the grammar, simple and by Parse, against a real server: it never aborts, it answers afterwards, and its memory
//! stays within `memory_limit`. Shown are the slowest reaction to a cancel, the largest resident memory, and the slowest answer that a small client beside it had.
//!
//! `EVENKEEL_HOSTILE_SECONDS` (8), `EVENKEEL_HOSTILE_CLIENTS` (2), `EVENKEEL_HOSTILE_SEED` (1) and `EVENKEEL_HOSTILE_BYTES` (1000000) choose longer runs; with
//! `EVENKEEL_HOSTILE_SHOW=1` each statement that took long to stop is printed.

#[path = "hostile/client.rs"]
mod client;
#[path = "hostile/grammar.rs"]
mod grammar;

use client::{Client, Served, resident_bytes};
use grammar::{Dice, known, statement};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

/// The server's limit, and what it may be passed by.
const MEMORY_LIMIT_BYTES: u64 = 1 << 30;
const OVERSHOOT: f64 = 1.1;
/// After this time a statement is canceled, if it was not before.
const PATIENCE: Duration = Duration::from_millis(400);

fn environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// What was seen.
#[derive(Default)]
struct Seen {
    statements: AtomicU64,
    canceled: AtomicU64,
    slowest: Mutex<(Duration, String)>,
    answers: Mutex<std::collections::BTreeMap<String, u64>>,
    resident: AtomicU64,
    bystander: Mutex<Duration>,
    done: AtomicBool,
}

fn shown(sql: &str) -> String {
    let head: String = sql.chars().take(90).collect();
    format!("{} bytes: {head}", sql.len())
}

/// Runs one statement, cancels it after `patience`, and notes how long that took.
fn one(c: &mut Client, sql: &str, extended: bool, patience: Duration, seen: &Seen) {
    let fail = |e: std::io::Error| -> ! { panic!("{}: {e}", shown(sql)) };
    let (over, waiting) = mpsc::channel::<()>();
    let cancel = c.canceller();
    let watch = std::thread::spawn(move || {
        if waiting.recv_timeout(patience).is_ok() {
            return None;
        }
        let began = Instant::now();
        // A cancel that comes between two statements of a string is the client's to repeat.
        loop {
            cancel().unwrap();
            if waiting.recv_timeout(Duration::from_millis(20)).is_ok() {
                return Some(began.elapsed());
            }
        }
    });
    let sent = if extended { c.send_extended(sql) } else { c.send(sql) };
    sent.unwrap_or_else(|e| fail(e));
    let answer = c.answer().unwrap_or_else(|e| fail(e));
    let _ = over.send(());
    seen.statements.fetch_add(1, Relaxed);
    let code = answer.map_or("ok".into(), |(code, message)| {
        assert!(code != "XX000", "{}: {message}", shown(sql));
        code
    });
    *seen.answers.lock().unwrap().entry(code).or_default() += 1;
    if let Some(took) = watch.join().unwrap() {
        seen.canceled.fetch_add(1, Relaxed);
        if took > Duration::from_millis(100) && environment("EVENKEEL_HOSTILE_SHOW", 0) == 1 {
            println!("{took:?} to stop: {}", shown(sql));
        }
        let mut slowest = seen.slowest.lock().unwrap();
        if took > slowest.0 {
            *slowest = (took, shown(sql));
        }
    }
    c.ask("rollback; deallocate all").unwrap_or_else(|e| fail(e));
}

fn prepare(served: &Served) {
    let mut c = Client::connect(served.address).unwrap();
    assert_eq!(
        c.ask("create table t (a int, b text); insert into t values (1, 'a'), (2, 'b')").unwrap(),
        None
    );
}

fn serve() -> Served {
    Served::start(&[
        format!("memory_limit={MEMORY_LIMIT_BYTES}B"),
        "shared_buffers=64MB".into(),
        "max_message_size=128MB".into(),
    ])
}

/// Attacks with several clients, beside one that asks for little ten times a second.
fn attack(served: &mut Served, seen: &Seen, clients: u64, work: impl Fn(u64, &mut Client) + Sync) {
    let (address, pid) = (served.address, served.pid());
    std::thread::scope(|s| {
        s.spawn(|| {
            let mut c = Client::connect(address).unwrap();
            while !seen.done.load(Relaxed) {
                let began = Instant::now();
                assert_eq!(c.ask("select 1").unwrap(), None, "the client beside them");
                let took = began.elapsed();
                let mut slowest = seen.bystander.lock().unwrap();
                *slowest = took.max(*slowest);
                drop(slowest);
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        s.spawn(|| {
            while !seen.done.load(Relaxed) {
                seen.resident.fetch_max(resident_bytes(pid), Relaxed);
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let work = &work;
        let hostile: Vec<_> = (0..clients)
            .map(|n| {
                s.spawn(move || {
                    let mut c = Client::connect(address).unwrap();
                    c.ask("set statement_timeout = '20s'").unwrap();
                    work(n, &mut c);
                })
            })
            .collect();
        let failed = hostile.into_iter().filter_map(|h| h.join().err()).count();
        seen.done.store(true, Relaxed);
        assert_eq!(failed, 0, "{}", served.log());
    });
    assert!(served.is_alive(), "the server has ended: {}", served.log());
    let slowest = seen.slowest.lock().unwrap();
    println!(
        "{} statements, {} canceled; slowest reaction {:?} ({}); resident {} MB of {} MB; slowest answer beside them {:?}; {:?}",
        seen.statements.load(Relaxed),
        seen.canceled.load(Relaxed),
        slowest.0,
        slowest.1,
        seen.resident.load(Relaxed) >> 20,
        MEMORY_LIMIT_BYTES >> 20,
        seen.bystander.lock().unwrap(),
        seen.answers.lock().unwrap(),
    );
    let most = (MEMORY_LIMIT_BYTES as f64 * OVERSHOOT) as u64;
    assert!(seen.resident.load(Relaxed) <= most, "resident memory passed memory_limit");
}

#[test]
fn whatever_is_nested_or_chained() {
    let (seed, seconds) =
        (environment("EVENKEEL_HOSTILE_SEED", 1), environment("EVENKEEL_HOSTILE_SECONDS", 8));
    let max = environment("EVENKEEL_HOSTILE_BYTES", 1_000_000) as usize;
    println!("EVENKEEL_HOSTILE_SEED={seed}");
    let mut served = serve();
    prepare(&served);
    let seen = Seen::default();
    let end = Instant::now() + Duration::from_secs(seconds);
    attack(&mut served, &seen, environment("EVENKEEL_HOSTILE_CLIENTS", 2), |n, c| {
        let mut dice = Dice::new(seed << 16 | n);
        while Instant::now() < end {
            let sql = statement(&mut dice, max);
            let extended = dice.below(2) == 0;
            let patience = PATIENCE.mul_f64(1.0 / (1 + dice.below(20)) as f64);
            one(c, &sql, extended, patience, &seen);
        }
    });
}

#[test]
fn statements_that_have_hurt() {
    let clients = environment("EVENKEEL_HOSTILE_CLIENTS", 2);
    let known = known();
    // The short run takes those whose text is small, and each by one client.
    let is_long = std::env::var("EVENKEEL_HOSTILE_SECONDS").is_ok();
    let mut served = serve();
    prepare(&served);
    let seen = Seen::default();
    attack(&mut served, &seen, clients, |n, c| {
        for (i, sql) in known.iter().enumerate() {
            if is_long || (i as u64 % clients == n && sql.len() < 1_000_000) {
                let patience = if is_long { PATIENCE } else { PATIENCE / 4 };
                one(c, sql, (i as u64 + n).is_multiple_of(2), patience, &seen);
            }
        }
    });
}

#[test]
fn what_the_process_has_not_is_refused_and_others_go_on() {
    let served = Served::start(&["memory_limit=400MB".into(), "shared_buffers=64MB".into()]);
    let (mut c, mut other) =
        (Client::connect(served.address).unwrap(), Client::connect(served.address).unwrap());
    let code = |answer: client::Answer| answer.map_or("ok".into(), |(code, _)| code);
    let values = |n: usize| format!("select {}", vec!["repeat('a', 50000000)"; n].join(", "));
    assert_eq!(code(c.ask(&values(30)).unwrap()), "53200");
    assert_eq!(code(other.ask("select length(repeat('a', 1000))").unwrap()), "ok");
    assert_eq!(code(c.ask(&values(1)).unwrap()), "ok");
    assert_eq!(code(c.ask("select count(*) from generate_series(1, 100000)").unwrap()), "ok");
}
