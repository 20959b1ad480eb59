//! `log_lock_waits`: waits for locks that last longer than `deadlock_timeout`, told to the log while they last and again when they have ended well.
//!
//! A thread of its own looks at who waits, as long as a session wants to hear of it: so a wait costs the same whether it blocks a thread or is one outside of any call, and
//! nothing at all if it is short. Waits for rows, tables, names and numbers are told of alike.
//!
//! Invariants:
//! 1. Nothing is logged with a mutex of a lock table held: both tables give what is to be told as values.
//! 2. The thread lives while a session has `log_lock_waits` on; the last such session ends it and waits for its end, so that it never outlives the instance.
//!
//! Must not know: how locks are kept.

use super::Session;
use super::logged::Logging;
use crate::catalog::locks::{ObjectLock, TableLockMode, Waiting};
use crate::instance::{Instance, SessionInfo};
use evenkeel::base::duty;
use evenkeel::{LockMode, TreeId};
use evenkeel_types::decode_rowid;
use parking_lot::{Condvar, Mutex};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long nobody looks, at most and at least.
const LOOK_MAX: Duration = Duration::from_millis(50);
const LOOK_MIN: Duration = Duration::from_millis(1);
/// While there is a wait of which it was told, which may end.
const LOOK_FOR_END: Duration = Duration::from_millis(10);

/// What a session wants of its waits.
#[derive(Clone, Copy)]
pub(crate) struct LogsWaits {
    after: Duration,
    logging: Logging,
}

/// The thread that looks, and how many sessions want it.
#[derive(Default)]
pub(crate) struct LockWatch {
    wanted: Mutex<Wanted>,
    end: Arc<End>,
}

#[derive(Default)]
struct Wanted {
    sessions: usize,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct End {
    is_wanted: Mutex<bool>,
    changed: Condvar,
}

impl LockWatch {
    fn enter(&self, instance: &Arc<Instance>) {
        let mut wanted = self.wanted.lock();
        wanted.sessions += 1;
        if wanted.thread.is_some() {
            return;
        }
        *self.end.is_wanted.lock() = true;
        let (weak, end) = (Arc::downgrade(instance), self.end.clone());
        let run = move || watch(&weak, &end);
        let failed = |why| tracing::error!("log_lock_waits: {why}");
        match duty::spawn("lock waits", run, || false, failed) {
            Ok(thread) => wanted.thread = Some(thread),
            Err(e) => {
                tracing::warn!(error = %e, "waits for locks are not logged: no thread could be started")
            }
        }
    }

    fn leave(&self) {
        let mut wanted = self.wanted.lock();
        wanted.sessions = wanted.sessions.saturating_sub(1);
        if wanted.sessions > 0 {
            return;
        }
        *self.end.is_wanted.lock() = false;
        self.end.changed.notify_all();
        if let Some(thread) = wanted.thread.take() {
            let _ = thread.join(); // (2)
        }
    }
}

impl Session {
    /// The settings have changed.
    pub(super) fn set_logs_waits(&self) {
        let wants = self.settings.is_on("log_lock_waits").then(|| LogsWaits {
            after: Duration::from_micros(self.settings.number("deadlock_timeout").max(0) as u64),
            logging: self.logging,
        });
        let is_wanted = wants.is_some();
        let before = std::mem::replace(&mut *self.info.logs_waits.lock(), wants).is_some();
        match (before, is_wanted) {
            (false, true) => self.instance.lock_watch.enter(&self.instance),
            (true, false) => self.instance.lock_watch.leave(),
            _ => {}
        }
    }

    /// The session ends.
    pub(super) fn log_no_waits(&self) {
        if self.info.logs_waits.lock().take().is_some() {
            self.instance.lock_watch.leave();
        }
    }
}

fn watch(instance: &Weak<Instance>, end: &End) {
    let mut long = HashSet::new();
    loop {
        let Some(instance) = instance.upgrade() else { return };
        let pause = instance.log_long_waits(&mut long);
        drop(instance);
        let mut is_wanted = end.is_wanted.lock();
        if *is_wanted {
            end.changed.wait_for(&mut is_wanted, pause);
        }
        if !*is_wanted {
            return;
        }
    }
}

/// A wait as it is told.
struct Told {
    owner: u64,
    waited: Duration,
    granted: bool,
    mode: String,
    object: String,
    holders: Vec<i32>,
    queue: Vec<i32>,
    /// Of a row: what is done to it.
    context: Option<String>,
}

fn pids(pids: &[i32]) -> String {
    pids.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")
}

impl Told {
    fn message(&self, pid: i32) -> String {
        let (mode, object, us) = (&self.mode, &self.object, self.waited.as_micros());
        let what = if self.granted { "acquired" } else { "still waiting for" };
        format!("process {pid} {what} {mode} on {object} after {}.{:03} ms", us / 1000, us % 1000)
    }

    fn detail(&self) -> Option<String> {
        let noun = if self.holders.len() == 1 { "Process" } else { "Processes" };
        let (holders, queue) = (pids(&self.holders), pids(&self.queue));
        (!self.granted).then(|| format!("{noun} holding the lock: {holders}. Wait queue: {queue}."))
    }
}

/// The lock of a tuple that PostgreSQL takes before it waits for who holds a row: it is the queue.
pub(super) fn tuple_lock(mode: LockMode) -> TableLockMode {
    match mode {
        LockMode::KeyShare => TableLockMode::AccessShare,
        LockMode::Share => TableLockMode::RowShare,
        LockMode::NoKeyUpdate => TableLockMode::Exclusive,
        LockMode::Update => TableLockMode::AccessExclusive,
    }
}

/// What is done to a row that is wanted so. Whoever changes a row of another table, as foreign keys do, wants less of it than whoever changes it.
fn doing(statement: &str, mode: LockMode) -> &'static str {
    let word = statement.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let is = |w: &str| word.eq_ignore_ascii_case(w);
    match mode {
        LockMode::KeyShare | LockMode::Share => "locking",
        _ if is("select") || is("insert") || is("values") || is("table") => "locking",
        _ if is("delete") => "deleting",
        _ => "updating",
    }
}

impl Instance {
    /// Logs what is to be told of waits; how long nobody has to look again. `long`: sessions of whose waits it was told, while these last.
    fn log_long_waits(&self, long: &mut HashSet<u64>) -> Duration {
        let mut wants: HashMap<u64, (Arc<SessionInfo>, LogsWaits)> = HashMap::new();
        self.each_session(|s| {
            if let Some(w) = *s.logs_waits.lock() {
                wants.insert(s.owner, (s.clone(), w));
            }
        });
        let after: HashMap<u64, Duration> = wants.iter().map(|(o, (_, w))| (*o, w.after)).collect();
        let pause = after.values().min().map_or(LOOK_MAX, |a| (*a / 4).clamp(LOOK_MIN, LOOK_MAX));
        if long.is_empty() && self.database().lock_waiters() == 0 && self.locks.waiters() == 0 {
            return pause;
        }
        if !long.is_empty() {
            // Of those that ended otherwise nothing will be heard; of those that were granted it is below, once more.
            let (rows, objects) = (self.database().lock_waiting_sessions(), self.locks.waits());
            long.retain(|owner| rows.contains(owner) || objects.contains_key(owner));
        }
        let (rows, next_row) = self.database().long_row_waits(&after);
        let (objects, next_object) = self.locks.long_waits(&after);
        let mut told = Vec::new();
        if !rows.is_empty() {
            let known = self.each_session(|s| (s.interrupt.transaction(), s.pid));
            for w in rows {
                let holds = |txn: &Option<u64>| txn.is_some_and(|t| w.holders.iter().any(|h| h.0 == t));
                let holders = known.iter().filter(|(txn, _)| holds(txn)).map(|(_, pid)| *pid).collect();
                let info = wants.get(&w.session).map(|(info, _)| info);
                let row = (w.tree, &*w.key, w.mode);
                let context = info.and_then(|info| self.context_of(row, &info.activity.lock().query.clone()));
                told.push(Told {
                    owner: w.session,
                    waited: w.waited,
                    granted: w.granted,
                    mode: "ShareLock".to_owned(),
                    object: format!("transaction {}", w.holders.first().map_or(0, |h| h.0)),
                    holders,
                    queue: w.queue.iter().map(|o| self.pid_of(*o)).collect(),
                    context,
                });
            }
        }
        for w in objects {
            let (holders, queue) = match w.granted {
                true => Default::default(),
                false => w.waiting.stands(w.owner),
            };
            told.push(Told {
                owner: w.owner,
                waited: w.waited,
                granted: w.granted,
                mode: w.waiting.mode.catalog_name().to_owned(),
                object: self.name_of_locked(&w.waiting),
                holders: holders.iter().map(|o| self.pid_of(*o)).collect(),
                queue: queue.iter().map(|o| self.pid_of(*o)).collect(),
                context: None,
            });
        }
        for t in told {
            if t.granted {
                long.remove(&t.owner)
            } else {
                long.insert(t.owner)
            };
            if let Some((info, wants)) = wants.get(&t.owner) {
                wants.logging.log_of(
                    info,
                    &t.message(info.pid),
                    (t.detail().as_deref(), t.context.as_deref()),
                );
            }
        }
        let next = [next_row, next_object].into_iter().flatten().min();
        let until = next.map_or(pause, |at| at.saturating_duration_since(Instant::now()));
        let pause = if long.is_empty() { pause } else { pause.min(LOOK_FOR_END) };
        until.min(pause).max(LOOK_MIN)
    }

    /// What a statement does to the row that it waits for, in PostgreSQL's words. A row has no place that it could be named by, but a number.
    pub(super) fn context_of(
        &self,
        (tree, key, mode): (TreeId, &[u8], LockMode),
        statement: &str,
    ) -> Option<String> {
        self.catalogs().ok()?.iter().flat_map(|c| c.tables()).find_map(|t| {
            if t.heap.tree == tree {
                let row = decode_rowid(key).ok()?;
                let doing = doing(statement, mode);
                return Some(format!("while {doing} tuple (0,{row}) in relation \"{}\"", t.name));
            }
            let index = t.indexes.iter().find(|i| i.tree == tree)?;
            Some(format!("while inserting index tuple in relation \"{}\"", index.name))
        })
    }

    /// A locked object, in PostgreSQL's words.
    pub(super) fn name_of_locked(&self, w: &Waiting) -> String {
        if let Some(k) = w.advisory {
            return format!("advisory lock [{},{},{},{}]", k.database, k.class, k.object, k.part);
        }
        match self.table_of_lock(&w.lock) {
            Some((oid, database)) => format!("relation {oid} of database {database}"),
            None => format!("\"{}\"", w.what), // its name is locked, or it is not committed yet
        }
    }

    /// The OID of the table that a tree has the rows of, and of its database.
    pub(crate) fn table_of_tree(&self, tree: TreeId) -> Option<(u32, u32)> {
        self.catalogs().ok()?.iter().find_map(|c| {
            let found = c.tables().find(|t| t.heap.tree == tree)?;
            Some((found.oid, c.database))
        })
    }

    fn table_of_lock(&self, lock: &Arc<ObjectLock>) -> Option<(u32, u32)> {
        self.catalogs().ok()?.iter().find_map(|c| {
            let found = c.tables().find(|t| Arc::ptr_eq(&t.shared.lock, lock))?;
            Some((found.oid, c.database))
        })
    }
}
