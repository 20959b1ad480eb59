//! What other threads may do to a session: cancel its statement, end it, time it out.
//!
//! Duty: one [`Backend`] for each session and the [`Registry`] of them, by which cancel requests, the timer and the shutdown
//! find it.
//!
//! Invariants:
//! * B1: a stop is stored before the session is woken, and the session looks for it after it cleared its interrupt and before
//!   it starts a statement or reads: a stop is never slept through.
//! * B2: a deadline either fires or is disarmed, never both: whoever takes it out of the atomic owns it, and a disarming
//!   session waits for a timer that is just firing.
//!
//! It must not know statements or the protocol.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use evenkeel::Interrupt;
use evenkeel_sql::{BACKGROUND_PIDS_FROM, LogOrigin, SqlError, SqlState};
use parking_lot::{Condvar, Mutex};

use crate::errors::fatal;
use crate::stream::Stream;

/// Why a session must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum StopReason {
    Shutdown = 1,
    AuthenticationTimeout = 2,
    IdleInTransaction = 3,
    IdleSession = 4,
    TransactionTimeout = 5,
}

impl StopReason {
    fn from_u8(v: u8) -> Option<StopReason> {
        Some(match v {
            1 => StopReason::Shutdown,
            2 => StopReason::AuthenticationTimeout,
            3 => StopReason::IdleInTransaction,
            4 => StopReason::IdleSession,
            5 => StopReason::TransactionTimeout,
            _ => return None,
        })
    }

    /// The last error that the client gets.
    pub fn to_error(self) -> SqlError {
        match self {
            StopReason::Shutdown => {
                fatal(SqlState::ADMIN_SHUTDOWN, "terminating connection due to administrator command")
            }
            StopReason::AuthenticationTimeout => {
                fatal(SqlState::QUERY_CANCELED, "canceling authentication due to timeout")
            }
            StopReason::IdleInTransaction => fatal(
                SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                "terminating connection due to idle-in-transaction timeout",
            ),
            StopReason::IdleSession => {
                fatal(SqlState::IDLE_SESSION_TIMEOUT, "terminating connection due to idle-session timeout")
            }
            StopReason::TransactionTimeout => {
                fatal(SqlState::TRANSACTION_TIMEOUT, "terminating connection due to transaction timeout")
            }
        }
    }
}

/// What happens at a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deadline {
    /// The statement is canceled.
    Statement,
    /// The session ends.
    Stop(StopReason),
}

impl Deadline {
    fn code(self) -> u64 {
        match self {
            Deadline::Statement => 1,
            Deadline::Stop(r) => 2 + r as u64,
        }
    }

    fn from_code(code: u64) -> Option<Deadline> {
        match code {
            1 => Some(Deadline::Statement),
            n => StopReason::from_u8((n as u8).wrapping_sub(2)).map(Deadline::Stop),
        }
    }
}

/// Bits of an armed deadline that say what it is; the rest is its time in µs since the registry's start.
const CODE_BITS: u32 = 4;
/// Nothing armed.
const UNARMED: u64 = 0;
/// The timer has taken the deadline and acts on it now.
const FIRING: u64 = 15;

/// Why the interrupt was raised.
const BY_REQUEST: u8 = 0;
const BY_TIMEOUT: u8 = 1;

/// One session, as other threads see it.
pub(crate) struct Backend {
    /// Its synthetic process id.
    pub pid: i32,
    secret: [u8; 32],
    pub interrupt: Arc<Interrupt>,
    pub stream: Stream,
    pub log_origin: LogOrigin,
    secret_bytes: AtomicUsize,
    stop: AtomicU8,
    cancel_cause: AtomicU8,
    deadline: AtomicU64,
    /// What is armed when a statement's deadline has passed and the statement goes on.
    next_deadline: AtomicU64,
    /// When the client was found gone, µs since the registry's start; 0: it is there.
    gone_at_us: AtomicU64,
}

impl Backend {
    pub fn new(pid: i32, secret: [u8; 32], stream: Stream) -> Backend {
        Backend {
            pid,
            secret,
            interrupt: Interrupt::new(),
            stream,
            log_origin: LogOrigin::default(),
            secret_bytes: AtomicUsize::new(4),
            stop: AtomicU8::new(0),
            cancel_cause: AtomicU8::new(BY_REQUEST),
            deadline: AtomicU64::new(UNARMED),
            next_deadline: AtomicU64::new(UNARMED),
            gone_at_us: AtomicU64::new(0),
        }
    }

    /// Clients of protocol 3.2 are told the whole secret, older ones 4 bytes of it.
    pub fn use_long_secret(&self) {
        self.secret_bytes.store(32, Ordering::SeqCst);
    }

    /// What a cancel request must know.
    pub fn cancel_secret(&self) -> &[u8] {
        &self.secret[..self.secret_bytes.load(Ordering::SeqCst)]
    }

    /// Whether the session must end, and why (B1).
    pub fn stop_reason(&self) -> Option<StopReason> {
        StopReason::from_u8(self.stop.load(Ordering::SeqCst))
    }

    /// Tells the session to end, and wakes it wherever it waits but in a write.
    pub fn stop(&self, reason: StopReason) {
        let _ = self.stop.compare_exchange(0, reason as u8, Ordering::SeqCst, Ordering::SeqCst);
        self.interrupt.cancel();
        self.stream.stop_reading();
    }

    /// The client has closed its side while a statement runs: that ends, and what follows it has little time.
    pub fn client_gone(&self, now_us: u64) {
        self.note_gone(now_us);
        self.cancel();
    }

    /// The client has closed its side.
    pub fn note_gone(&self, now_us: u64) {
        let _ = self.gone_at_us.compare_exchange(0, now_us.max(1), Ordering::SeqCst, Ordering::SeqCst);
    }

    /// When that was noticed, if it was.
    pub fn gone_at_us(&self) -> Option<u64> {
        Some(self.gone_at_us.load(Ordering::SeqCst)).filter(|at| *at != 0)
    }

    /// Cancels the running statement, if any.
    pub fn cancel(&self) {
        self.cancel_cause.store(BY_REQUEST, Ordering::SeqCst);
        self.interrupt.cancel();
    }

    /// The message of 57014, by what raised it.
    pub fn cancel_message(&self) -> &'static str {
        match self.cancel_cause.swap(BY_REQUEST, Ordering::SeqCst) {
            BY_TIMEOUT => "canceling statement due to statement timeout",
            _ => "canceling statement due to user request",
        }
    }

    /// Takes back the armed deadline. When it is just firing, returns after it has fired (B2).
    pub fn disarm(&self) {
        loop {
            let armed = self.deadline.load(Ordering::SeqCst);
            if armed == UNARMED {
                return;
            }
            if armed == FIRING {
                std::thread::yield_now();
            } else if self
                .deadline
                .compare_exchange(armed, UNARMED, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
            {
                return;
            }
        }
    }

    /// Arms a deadline; only the session's own thread may, and only while none is armed.
    pub(crate) fn arm_at(&self, at_us: u64, what: Deadline) {
        debug_assert_eq!(self.deadline.load(Ordering::SeqCst), UNARMED);
        self.next_deadline.store(UNARMED, Ordering::SeqCst);
        self.deadline.store(at_us << CODE_BITS | what.code(), Ordering::SeqCst);
    }

    /// Arms the one that follows that of a statement.
    pub(crate) fn follow_at(&self, at_us: u64, what: Deadline) {
        self.next_deadline.store(at_us << CODE_BITS | what.code(), Ordering::SeqCst);
    }

    /// When the armed deadline is due, µs since the registry's start.
    pub fn deadline_us(&self) -> Option<u64> {
        let armed = self.deadline.load(Ordering::SeqCst);
        (armed != UNARMED && armed != FIRING).then_some(armed >> CODE_BITS)
    }

    /// Acts on the deadline if it is due.
    pub fn fire_if_due(&self, now_us: u64) {
        let armed = self.deadline.load(Ordering::SeqCst);
        if armed == UNARMED || armed == FIRING || armed >> CODE_BITS > now_us {
            return;
        }
        if self.deadline.compare_exchange(armed, FIRING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return;
        }
        let mut next = UNARMED;
        match Deadline::from_code(armed & ((1 << CODE_BITS) - 1)) {
            // A commit has no limit of its own, but for a client that is gone.
            Some(Deadline::Statement) if self.interrupt.is_untimed() && self.gone_at_us().is_none() => {
                next = self.next_deadline.load(Ordering::SeqCst);
            }
            Some(Deadline::Statement) => {
                self.cancel_cause.store(BY_TIMEOUT, Ordering::SeqCst);
                self.interrupt.cancel();
            }
            Some(Deadline::Stop(reason)) => self.stop(reason),
            None => {}
        }
        self.deadline.store(next, Ordering::SeqCst);
    }
}

/// All connections of a server.
pub(crate) struct Registry {
    epoch: Instant,
    next_pid: AtomicI32,
    sessions: AtomicUsize,
    backends: Mutex<Backends>,
    gone: Condvar,
}

#[derive(Default)]
struct Backends {
    by_pid: HashMap<i32, Arc<Backend>>,
    /// Those that have not shown yet who they are, the eldest first; the owner's apart, so that nobody pushes them out.
    starting: [VecDeque<i32>; 2],
}

impl Backends {
    fn has_started(&mut self, pid: i32) {
        self.starting.iter_mut().for_each(|pids| pids.retain(|p| *p != pid));
    }
}

/// Keeps a connection registered until it is dropped.
pub(crate) struct Registered {
    registry: Arc<Registry>,
    pub backend: Arc<Backend>,
}

/// One of the `max_connections` places, until it is dropped.
pub(crate) struct Slot(Arc<Registry>);

impl Registry {
    pub fn new() -> Arc<Registry> {
        Arc::new(Registry {
            epoch: Instant::now(),
            next_pid: AtomicI32::new(1),
            sessions: AtomicUsize::new(0),
            backends: Mutex::default(),
            gone: Condvar::new(),
        })
    }

    /// µs since the registry's start.
    pub fn now_us(&self) -> u64 {
        self.epoch.elapsed().as_micros() as u64
    }

    /// Number of connections, those that are still starting included.
    pub fn connections(&self) -> usize {
        self.backends.lock().by_pid.len()
    }

    /// Registers a new connection. The secret must be random. Of more than `starting_max` that have not started, the one that came first is cut off.
    pub fn register(
        self: &Arc<Registry>,
        stream: Stream,
        secret: [u8; 32],
        starting_max: usize,
    ) -> Registered {
        let mut backends = self.backends.lock();
        let pid = loop {
            let pid = self.next_pid.fetch_add(1, Ordering::Relaxed);
            if pid <= 0 || pid >= BACKGROUND_PIDS_FROM {
                self.next_pid.store(1, Ordering::Relaxed);
            } else if !backends.by_pid.contains_key(&pid) {
                break pid;
            }
        };
        let starting = usize::from(stream.is_owner());
        let backend = Arc::new(Backend::new(pid, secret, stream));
        backends.by_pid.insert(pid, backend.clone());
        backends.starting[starting].push_back(pid);
        if backends.starting[starting].len() > starting_max
            && let Some(eldest) = backends.starting[starting].pop_front()
            && let Some(eldest) = backends.by_pid.get(&eldest)
        {
            eldest.stream.cut();
        }
        Registered { registry: self.clone(), backend }
    }

    /// A connection is not to give way to others any more.
    pub fn has_started(&self, pid: i32) {
        self.backends.lock().has_started(pid);
    }

    /// Takes one of `max` places for a session, and tells how many are free then.
    pub fn take_slot(self: &Arc<Registry>, max: usize) -> Option<(Slot, usize)> {
        self.sessions
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| (n < max).then_some(n + 1))
            .ok()
            .map(|n| (Slot(self.clone()), max - n - 1))
    }

    /// Cancels the statement of session `pid` if `secret` is its own; silently nothing otherwise.
    pub fn cancel(&self, pid: i32, secret: &[u8]) {
        let backend = self.backends.lock().by_pid.get(&pid).cloned();
        if let Some(b) = backend
            && same(secret, b.cancel_secret())
        {
            b.cancel();
        }
    }

    /// Tells session `pid` to end; false if there is none.
    pub fn stop(&self, pid: i32, reason: StopReason) -> bool {
        let backend = self.backends.lock().by_pid.get(&pid).cloned();
        backend.inspect(|b| b.stop(reason)).is_some()
    }

    /// All connections now.
    pub fn all(&self) -> Vec<Arc<Backend>> {
        self.backends.lock().by_pid.values().cloned().collect()
    }

    /// Those that have shown who they are, in the order of their numbers.
    pub fn started(&self) -> Vec<Arc<Backend>> {
        let backends = self.backends.lock();
        let is_starting = |pid: &i32| backends.starting.iter().any(|pids| pids.contains(pid));
        let mut all: Vec<_> =
            backends.by_pid.iter().filter(|(pid, _)| !is_starting(pid)).map(|(_, b)| b.clone()).collect();
        all.sort_by_key(|b| b.pid);
        all
    }

    /// Acts on all deadlines that are due; returns when the next one is.
    pub fn fire_deadlines(&self) -> Option<u64> {
        let now_us = self.now_us();
        let backends = self.all();
        for b in &backends {
            b.fire_if_due(now_us);
        }
        backends.iter().filter_map(|b| b.deadline_us()).min()
    }

    /// Waits until no connection is left, until `deadline` at most.
    pub fn wait_until_empty(&self, deadline: Instant) -> bool {
        self.wait_until(deadline, |_| false)
    }

    /// Waits until only such connections are left as may `stay`, until `deadline` at most.
    pub fn wait_until(&self, deadline: Instant, stay: impl Fn(i32) -> bool) -> bool {
        let mut backends = self.backends.lock();
        loop {
            let done = backends.by_pid.keys().all(|pid| stay(*pid));
            if done || self.gone.wait_until(&mut backends, deadline).timed_out() {
                return done || backends.by_pid.keys().all(|pid| stay(*pid));
            }
        }
    }
}

/// Compares in a time that does not depend on where they differ.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |acc, (x, y)| acc | (x ^ y)) == 0
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut backends = self.registry.backends.lock();
        backends.by_pid.remove(&self.backend.pid);
        backends.has_started(self.backend.pid);
        drop(backends);
        self.registry.gone.notify_all();
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.sessions.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    fn backend(registry: &Arc<Registry>) -> Registered {
        registry.register(Stream::unix(UnixStream::pair().unwrap().0, false), [7; 32], 100)
    }

    #[test]
    fn only_the_right_secret_cancels() {
        let registry = Registry::new();
        let b = backend(&registry);
        registry.cancel(b.backend.pid, &[7, 7, 7, 8]);
        registry.cancel(b.backend.pid, &[]);
        registry.cancel(b.backend.pid + 1, &[7; 4]);
        assert!(!b.backend.interrupt.is_canceled());
        registry.cancel(b.backend.pid, &[7; 4]);
        assert!(b.backend.interrupt.is_canceled());
        assert_eq!(b.backend.cancel_message(), "canceling statement due to user request");
    }

    #[test]
    fn a_deadline_fires_once_and_only_when_due() {
        let registry = Registry::new();
        let b = backend(&registry);
        b.backend.arm_at(1000, Deadline::Statement);
        b.backend.fire_if_due(999);
        assert!(!b.backend.interrupt.is_canceled());
        assert_eq!(b.backend.deadline_us(), Some(1000));
        b.backend.fire_if_due(1000);
        assert!(b.backend.interrupt.is_canceled());
        assert_eq!(b.backend.deadline_us(), None);
        assert_eq!(b.backend.cancel_message(), "canceling statement due to statement timeout");
        b.backend.disarm();
    }

    #[test]
    fn what_has_no_limit_goes_on_to_the_next_deadline() {
        let registry = Registry::new();
        let b = backend(&registry);
        b.backend.arm_at(5, Deadline::Statement);
        b.backend.follow_at(9, Deadline::Stop(StopReason::TransactionTimeout));
        b.backend.interrupt.set_untimed(true);
        b.backend.fire_if_due(6);
        assert!(!b.backend.interrupt.is_canceled());
        assert_eq!(b.backend.deadline_us(), Some(9));
        b.backend.fire_if_due(9);
        assert_eq!(b.backend.stop_reason(), Some(StopReason::TransactionTimeout));
    }

    #[test]
    fn every_stop_reason_survives_the_deadline_word() {
        let reasons = [
            StopReason::Shutdown,
            StopReason::AuthenticationTimeout,
            StopReason::IdleInTransaction,
            StopReason::IdleSession,
        ];
        for reason in reasons {
            let registry = Registry::new();
            let b = backend(&registry);
            b.backend.arm_at(5, Deadline::Stop(reason));
            b.backend.fire_if_due(5);
            assert_eq!(b.backend.stop_reason(), Some(reason));
        }
    }

    #[test]
    fn of_too_many_that_start_the_eldest_gives_way_and_the_owner_to_nobody() {
        let registry = Registry::new();
        let come = |owner: bool| {
            let (stream, client) = UnixStream::pair().unwrap();
            (registry.register(Stream::unix(stream, owner), [7; 32], 2), client)
        };
        let is_cut = |(_, client): &(Registered, UnixStream)| {
            client.set_nonblocking(true).unwrap();
            matches!(std::io::Read::read(&mut &*client, &mut [0]), Ok(0))
        };
        let owner = come(true);
        let started = come(false);
        registry.has_started(started.0.backend.pid);
        let gone = come(false);
        drop(gone);
        let silent: Vec<_> = (0..5).map(|_| come(false)).collect();
        let cut: Vec<bool> = silent.iter().map(is_cut).collect();
        assert_eq!(cut, [true, true, true, false, false]);
        assert!(!is_cut(&owner) && !is_cut(&started));
    }

    #[test]
    fn slots_come_back() {
        let registry = Registry::new();
        let first = registry.take_slot(2);
        assert!(first.as_ref().is_some_and(|(_, free)| *free == 1) && registry.take_slot(1).is_none());
        drop(first);
        assert!(registry.take_slot(1).is_some_and(|(_, free)| free == 0));
    }
}
