//! Statements on threads of their own, and what others see of them.

use super::Client;
use std::sync::mpsc;
use std::thread;

/// The seed of this run, which is printed: `EVENKEEL_SEED`.
pub fn seed() -> u64 {
    let seed = match std::env::var("EVENKEEL_SEED") {
        Ok(v) => v.parse().expect("EVENKEEL_SEED must be a number"),
        Err(_) => fastrand::u64(..1 << 32),
    };
    println!("EVENKEEL_SEED={seed}");
    seed
}

/// A statement under way.
pub type Started = mpsc::Receiver<(Client, Result<String, String>)>;

/// Runs a statement on a thread of its own; the client comes back with the outcome: the command tag or the SQLSTATE.
pub fn start(mut client: Client, sql: &str) -> Started {
    let (send, receive) = mpsc::channel();
    let sql = sql.to_owned();
    thread::spawn(move || {
        let outcome = match client.simple(&sql, "") {
            Ok(mut out) => Ok(out.pop().map(|o| o.tag).unwrap_or_default()),
            Err(e) => Err(e.code.as_str().to_owned()),
        };
        let _ = send.send((client, outcome));
    });
    receive
}

/// Waits until a command of indexes is in a phase.
pub fn until_phase(observer: &mut Client, phase: &str) {
    let sql = format!("select count(*) from pg_stat_progress_create_index where phase = '{phase}'");
    while observer.value(&sql) != "1" {
        thread::yield_now();
    }
}

/// Waits until a statement waits for a lock.
pub fn until_waits(observer: &mut Client, text: &str) {
    let sql = format!(
        "select count(*) from pg_stat_activity where state = 'active' and wait_event_type = 'Lock' and query like '{text}%'"
    );
    while observer.value(&sql) != "1" {
        thread::yield_now();
    }
}
