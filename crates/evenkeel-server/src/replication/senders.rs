//! All replication connections of a server, as its views show them.
//!
//! Invariants
//! 1. There are at most as many as `max_wal_senders` said when the last of them came.
//!
//! It must not know what they send.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use evenkeel::{Database, Follower, Lsn};
use evenkeel_sql::WalSender;
use evenkeel_types::datetime::wall_clock_us;
use parking_lot::{Condvar, Mutex};

use super::wire::Status;

/// See the file's head.
#[derive(Clone, Default)]
pub(crate) struct Senders(Arc<Shared>);

#[derive(Default)]
struct Shared {
    all: Mutex<BTreeMap<i32, Shown>>,
    /// One has gone.
    gone: Condvar,
    /// The server ends: they are to send what there is, and end.
    finishing: AtomicBool,
}

/// What is known of one.
struct Shown {
    sender: WalSender,
    /// While the log is sent.
    follower: Weak<Follower>,
}

/// One of them, until it is dropped.
pub(crate) struct Sending {
    senders: Senders,
    pid: i32,
}

impl Senders {
    /// Enters one; `None`: there are `max` already.
    pub fn enter(&self, sender: WalSender, max: usize) -> Option<Sending> {
        let mut all = self.0.all.lock();
        let pid = sender.pid;
        (all.len() < max).then(|| {
            all.insert(pid, Shown { sender, follower: Weak::new() });
            Sending { senders: self.clone(), pid }
        })
    }

    /// All, by their numbers.
    pub fn all(&self) -> Vec<WalSender> {
        let row = |shown: &Shown| {
            let mut sender = shown.sender.clone();
            if let Some(follower) = shown.follower.upgrade() {
                let (state, priority) = follower.state();
                (sender.sync_state, sender.sync_priority) = (state.name(), priority as i32);
            }
            sender
        };
        self.0.all.lock().values().map(row).collect()
    }
}

impl Senders {
    /// Nobody follows.
    pub fn is_empty(&self) -> bool {
        self.0.all.lock().is_empty()
    }

    /// Whether a connection is one of them.
    pub fn has(&self, pid: i32) -> bool {
        self.0.all.lock().contains_key(&pid)
    }

    /// Has them send all the log that there is, and end when it was confirmed; waits for that, until `deadline` at most. Nobody may log any more.
    pub fn finish(&self, deadline: Instant) {
        self.0.finishing.store(true, Ordering::SeqCst);
        let mut all = self.0.all.lock();
        while !all.is_empty() && !self.0.gone.wait_until(&mut all, deadline).timed_out() {}
    }
}

impl Sending {
    /// See [`Senders::finish`].
    pub fn is_finishing(&self) -> bool {
        self.senders.0.finishing.load(Ordering::SeqCst)
    }

    fn change(&self, f: impl FnOnce(&mut WalSender)) {
        if let Some(sender) = self.senders.0.all.lock().get_mut(&self.pid) {
            f(&mut sender.sender);
        }
    }

    /// The log is sent to it from now on, until what is given is dropped: whoever waits for standbys may count on it.
    pub fn follow(&self, database: &Database) -> Arc<Follower> {
        let mut all = self.senders.0.all.lock();
        let shown = all.get_mut(&self.pid);
        let follower =
            Arc::new(database.enter_follower(shown.as_ref().map_or("", |s| &s.sender.application_name)));
        if let Some(shown) = shown {
            shown.follower = Arc::downgrade(&follower);
        }
        follower
    }

    /// What it does, in PostgreSQL's words, and with which slot.
    pub fn does(&self, state: &'static str, slot: Option<&str>) {
        self.change(|s| (s.state, s.slot) = (state, slot.map(str::to_owned)));
    }

    /// The log was sent up to here.
    pub fn sent(&self, to: Lsn, state: &'static str) {
        self.change(|s| (s.sent, s.state) = (s.sent.max(to), state));
    }

    /// It has said how far it is.
    pub fn confirmed(&self, status: Status) {
        self.change(|s| {
            (s.written, s.durable, s.applied) = (status.written, status.durable, status.applied);
            s.replied_us = Some(wall_clock_us());
        });
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.senders.0.all.lock().remove(&self.pid);
        self.senders.0.gone.notify_all();
    }
}
