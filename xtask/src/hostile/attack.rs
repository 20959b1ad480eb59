//! Several clients that attack, one beside them that asks for little ten times a second, and what was seen of it all.

use super::client::{Answer, Client};
use super::server::Served;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

/// What was seen.
#[derive(Default, Clone)]
pub struct Seen {
    /// Statements that were sent.
    pub statements: u64,
    /// Those that were canceled.
    pub canceled: u64,
    /// The slowest reaction to a cancel, and of what.
    pub reaction: Duration,
    slowest: String,
    /// How often each SQLSTATE came.
    pub answers: BTreeMap<String, u64>,
    /// The most memory that was resident.
    pub resident_bytes: u64,
    /// The slowest answer that the client beside them had.
    pub beside: Duration,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} statements, {} canceled; slowest reaction {:.0?} ({}); resident {} MB; slowest answer beside them {:.0?}; {:?}",
            self.statements,
            self.canceled,
            self.reaction,
            self.slowest,
            self.resident_bytes >> 20,
            self.beside,
            self.answers,
        )
    }
}

/// The head of a statement.
pub fn shown(sql: &str) -> String {
    let head: String = sql.chars().take(90).collect();
    if head.len() == sql.len() { head } else { format!("{head}… ({} bytes)", sql.len()) }
}

/// How one statement went.
pub struct Went {
    /// How it ended.
    pub answer: Answer,
    /// If it was canceled: how long it then took to end, and what the clock said meanwhile.
    pub reaction: Option<(Duration, Duration)>,
}

/// Runs one statement, and cancels it `patience` after it was sent; `clock` is a second one to look at.
pub fn one(
    c: &mut Client,
    sql: &str,
    extended: bool,
    patience: Duration,
    clock: impl Fn() -> Duration + Send,
) -> io::Result<Went> {
    // Until the last byte of a message has come there is nothing to cancel.
    if extended { c.send_extended(sql) } else { c.send(sql) }?;
    let (over, waiting) = mpsc::channel::<()>();
    let cancel = c.canceller();
    std::thread::scope(|s| {
        let watch = s.spawn(move || {
            if waiting.recv_timeout(patience).is_ok() {
                return Ok::<_, io::Error>(None);
            }
            let (began, was) = (Instant::now(), clock());
            // A cancel that comes between two statements of a string is the client's to repeat.
            loop {
                cancel()?;
                if waiting.recv_timeout(Duration::from_millis(20)).is_ok() {
                    return Ok(Some((began.elapsed(), clock().saturating_sub(was))));
                }
            }
        });
        let answer = c.answer();
        let _ = over.send(());
        let reaction = watch.join().map_err(|_| io::Error::other("the watch panicked"))?;
        Ok(Went { answer: answer?, reaction: reaction? })
    })
}

/// The clients' common notes.
pub struct Notes {
    seen: Mutex<Seen>,
    done: AtomicBool,
}

impl Notes {
    /// Runs a statement as [`one`] does, and notes how it went. It fails for what must not happen.
    pub fn run(&self, c: &mut Client, sql: &str, extended: bool, patience: Duration) -> Result<(), String> {
        let failed = |e: io::Error| format!("{}: {e}", shown(sql));
        let went = one(c, sql, extended, patience, || Duration::ZERO).map_err(failed)?;
        let code = match went.answer {
            None => "ok".to_owned(),
            Some((code, message)) if code == "XX000" => return Err(format!("{}: {message}", shown(sql))),
            Some((code, _)) => code,
        };
        {
            let mut seen = self.seen.lock().map_err(|e| e.to_string())?;
            seen.statements += 1;
            *seen.answers.entry(code).or_default() += 1;
            if let Some((reaction, _)) = went.reaction {
                seen.canceled += 1;
                if reaction > seen.reaction {
                    (seen.reaction, seen.slowest) = (reaction, shown(sql));
                }
            }
        }
        c.ask("rollback; deallocate all").map_err(failed)?;
        Ok(())
    }
}

/// Attacks with several clients, each doing `work` with its number. It fails if the server ends, forsakes a client, or says that something is wrong within it.
pub fn attack(
    served: &mut Served,
    clients: u64,
    work: impl Fn(u64, &mut Client, &Notes) -> Result<(), String> + Sync,
) -> Result<Seen, String> {
    let notes = Notes { seen: Mutex::default(), done: AtomicBool::new(false) };
    let address = served.address;
    let result = std::thread::scope(|s| {
        let beside = s.spawn(|| {
            let failed = |e: io::Error| format!("the client beside them: {e}");
            let mut c = Client::connect(address).map_err(failed)?;
            while !notes.done.load(Relaxed) {
                let began = Instant::now();
                if let Some((code, message)) = c.ask("select 1").map_err(failed)? {
                    return Err(format!("the client beside them: {code}: {message}"));
                }
                let mut seen = notes.seen.lock().map_err(|e| e.to_string())?;
                seen.beside = seen.beside.max(began.elapsed());
                drop(seen);
                std::thread::sleep(Duration::from_millis(100));
            }
            Ok(())
        });
        let (notes, work) = (&notes, &work);
        let hostile: Vec<_> = (0..clients)
            .map(|n| {
                s.spawn(move || {
                    let mut c = Client::connect(address).map_err(|e| e.to_string())?;
                    c.ask("set statement_timeout = '20s'").map_err(|e| e.to_string())?;
                    work(n, &mut c, notes)
                })
            })
            .collect();
        let mut results: Vec<_> = hostile.into_iter().map(|h| h.join()).collect();
        notes.done.store(true, Relaxed);
        results.push(beside.join());
        results.into_iter().try_for_each(|r| r.unwrap_or_else(|_| Err("a client panicked".into())))
    });
    if !served.is_alive() {
        return Err(format!("the server has ended: {}", served.log()));
    }
    result?;
    let mut seen = notes.seen.into_inner().map_err(|e| e.to_string())?;
    seen.resident_bytes = served.resident_bytes_max();
    Ok(seen)
}
