//! A server that is a member of a cluster, from the inside: its agent is the process that started it, and gives orders on its standard input; what it has to say goes to its standard output. Both are
//! lines of JSON; lines that are none are for people.
//!
//! Invariants
//! 1. Without its agent it ends, at once: nobody would keep its lease.
//! 2. Its lease is what the agent last said, whatever the server is doing at that moment.
//!
//! Must not know: stores, elections.

use std::io::{BufRead, Write, stdin, stdout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use evenkeel::{Basis, Database, Level, Standby, Synchronous};
use evenkeel_server::ReceiverShown;
use serde::{Deserialize, Serialize};
use tracing::{error, warn};

use crate::serve::Request;
use crate::{CliError, io_error};

/// Between two reports of how the server is.
const REPORT: Duration = Duration::from_millis(200);

/// What the agent wants.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// Take nothing from leaders of earlier epochs, and say how the log is.
    Promise(u64),
    /// Take over under this epoch, asking these.
    TakeOver { epoch: u64, synchronous: String },
    /// Ask these from now on, and say when they have everything.
    Ask(String),
    /// Tell until then, by the clock since the machine's start, in microseconds.
    Lease(u64),
    /// Follow this server; a connection on which nothing comes for so long is begun anew.
    Follow { conninfo: String, slot: String, silence_max_ms: u64 },
    /// Follow nobody.
    Unfollow,
    /// Say how it is.
    Report,
}

/// What the server says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    /// It has promised, and this is its log.
    Promised { epoch: u64, log_epoch: u64, lsn: u64, is_whole: bool },
    /// It has taken over, or why not.
    TookOver { epoch: u64, error: Option<String> },
    /// They have everything.
    Asked(String),
    /// How it is.
    State(State),
    /// It ends by itself, for this reason.
    Ends(String),
    /// It ends, has told its last, and its followers have that.
    Drained,
}

/// How a server is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// It leads, as far as it is concerned.
    pub is_primary: bool,
    /// How far its log is durable.
    pub lsn: u64,
    /// What it has is a whole database.
    pub is_whole: bool,
    /// It is connected to the one that it follows.
    pub is_following: bool,
    /// Its log is not a part of that one's.
    pub is_parted: bool,
    /// Its database.
    pub database_id: u64,
    /// A flush of its log is under way: how many have ended before.
    #[serde(default)]
    pub flushing: Option<u64>,
}

/// An agent gives orders.
static IS_MEMBER: AtomicBool = AtomicBool::new(false);
/// What the agent last said of the lease.
static LEASE_US: AtomicU64 = AtomicU64::new(0);
/// Whom it is to ask.
static SYNCHRONOUS: Mutex<String> = Mutex::new(String::new());

/// Whether an agent gives orders.
pub(crate) fn is_member() -> bool {
    IS_MEMBER.load(Ordering::SeqCst)
}

/// As `synchronous_standby_names`, if an agent gives orders.
pub(crate) fn synchronous() -> Option<String> {
    is_member().then(|| SYNCHRONOUS.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

/// Whom to ask from now on.
pub(crate) fn set_synchronous(names: &str) {
    names.clone_into(&mut SYNCHRONOUS.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Puts the lease in force that the agent has given (2), before anybody is let in.
pub(crate) fn lease(database: &Database) {
    if is_member() {
        database.lease(LEASE_US.load(Ordering::SeqCst));
    }
}

/// Begins to take orders.
pub(crate) fn start(requests: &mpsc::Sender<Request>, synchronous: &str) -> Result<(), CliError> {
    IS_MEMBER.store(true, Ordering::SeqCst);
    set_synchronous(synchronous);
    let (orders, reports) = (requests.clone(), requests.clone());
    let listen = move || {
        for line in stdin().lock().lines() {
            match line.map(|line| serde_json::from_str(&line)) {
                Ok(Ok(order)) => {
                    if let Order::Lease(until_us) = order {
                        LEASE_US.store(until_us, Ordering::SeqCst);
                    }
                    let _ = orders.send(Request::Order(order));
                }
                Ok(Err(e)) => error!(error = %e, "an order of the agent's is not understood"),
                Err(_) => break,
            }
        }
        eprintln!("evenkeel: the agent is gone: this server ends at once; its next start recovers");
        std::process::exit(1); // (1)
    };
    std::thread::Builder::new().name("orders".into()).spawn(listen).map_err(io_error("a thread"))?;
    let report = move || {
        while reports.send(Request::Order(Order::Report)).is_ok() {
            std::thread::sleep(REPORT);
        }
    };
    std::thread::Builder::new().name("reports".into()).spawn(report).map_err(io_error("a thread"))?;
    Ok(())
}

/// Says something to the agent.
pub(crate) fn say(word: &Word) {
    let line = serde_json::to_string(word).expect("numbers and strings");
    let mut out = stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush()); // without its agent it ends
}

/// Says why this server ends by itself, if an agent gives orders.
pub(crate) fn ends(why: &evenkeel::Error) {
    if is_member() {
        say(&Word::Ends(why.to_string()));
    }
}

/// Says that nothing is to be told any more, and that the followers have what was, if an agent gives orders.
pub(crate) fn drained() {
    if is_member() {
        say(&Word::Drained);
    }
}

/// Carries out an order, as a primary. `reload` reads the configuration anew.
pub(crate) fn as_primary(order: &Order, database: &Database, reload: impl FnOnce()) {
    match order {
        Order::Lease(_) => lease(database),
        Order::Ask(names) => {
            // In force whatever becomes of the configuration files; they are read for what is shown.
            let whom = match Synchronous::parse(names) {
                Ok(whom) => whom,
                Err(e) => return error!(error = %e, "whom to ask is not understood"),
            };
            set_synchronous(names);
            database.set_synchronous(whom);
            reload();
            let (names, database) = (names.clone(), database.clone());
            // What is logged behind that is told only when they have it, and so all before.
            let wait = move || {
                let done = database
                    .mark("members of the cluster change")
                    .and_then(|at| database.wait_told(Basis::all(at), Level::Durable, &|| false));
                match done {
                    Ok(()) => say(&Word::Asked(names)),
                    Err(e) => warn!(error = %e, "whether the members have everything is not known"),
                }
            };
            if let Err(e) = std::thread::Builder::new().name("asks".into()).spawn(wait) {
                error!(error = %e, "no thread to wait for the members");
            }
        }
        Order::Report => say(&Word::State(State {
            is_primary: true,
            lsn: database.durable_lsn().0,
            is_whole: true,
            database_id: database.database_id(),
            flushing: database.flushing(),
            ..State::default()
        })),
        Order::Promise(_) | Order::TakeOver { .. } | Order::Follow { .. } | Order::Unfollow => {
            error!(?order, "an order for a standby, and this is a primary");
        }
    }
}

/// Says how a standby is.
pub(crate) fn report(standby: &Standby, shown: &ReceiverShown) {
    say(&Word::State(State {
        is_primary: false,
        lsn: standby.durable().lsn.0,
        is_whole: standby.is_whole(),
        is_following: shown.get().is_some(),
        is_parted: shown.is_parted(),
        database_id: standby.database_id(),
        flushing: None,
    }));
}

/// Makes a promise, and says how the log is.
pub(crate) fn promise(standby: &Standby, epoch: u64) {
    match standby.promise(epoch) {
        Ok((log_epoch, lsn)) => {
            let is_whole = standby.is_whole();
            say(&Word::Promised { epoch, log_epoch, lsn: lsn.0, is_whole });
        }
        Err(e) => error!(error = %e, "the promise could not be made"),
    }
}
