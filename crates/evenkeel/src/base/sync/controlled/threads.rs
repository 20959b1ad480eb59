//! Threads and the clock of the model.
//!
//! Invariants
//! 1. A thread's park token is its own: waits for locks neither take it nor leave one.
//! 2. The clock goes on by a microsecond whenever it is looked at, and by what a wait was allowed when its time is over.
//!
//! Must not know: what threads do.

use super::point;
use shuttle::thread;
pub use shuttle::thread::{JoinHandle, Scope, ScopedJoinHandle, spawn};
use std::cell::Cell;
use std::io;
use std::ops::{Add, AddAssign, Sub};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

shuttle::thread_local! {
    static TOKEN: Arc<AtomicBool> = Arc::default();
}

thread_local! {
    static CLOCK: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// A thread as its waits know it.
pub(super) struct Task(thread::Thread);

impl Task {
    pub(super) fn current() -> Task {
        Task(thread::current())
    }

    /// Has it look again at what it waits for. A panic ends the run: nobody is woken any more.
    pub(super) fn wake(&self) {
        if !std::thread::panicking() {
            self.0.unpark();
        }
    }
}

/// Waits until `holds`, which is asked again after each wake; it is given what names this thread to those who are to wake it.
pub(super) fn until(mut holds: impl FnMut(&dyn Fn() -> Task) -> bool) {
    while !holds(&Task::current) {
        thread::park();
    }
}

/// As the one of `std`.
#[derive(Clone)]
pub struct Thread {
    task: thread::Thread,
    token: Arc<AtomicBool>,
}

impl Thread {
    /// Lets its present or next `park` return.
    pub fn unpark(&self) {
        point();
        self.token.store(true, Ordering::SeqCst);
        if !std::thread::panicking() {
            self.task.unpark();
        }
    }
}

/// The thread that calls.
pub fn current() -> Thread {
    Thread { task: thread::current(), token: TOKEN.with(Arc::clone) }
}

/// Waits for an `unpark`.
pub fn park() {
    point();
    let token = TOKEN.with(Arc::clone);
    until(|_| token.swap(false, Ordering::SeqCst));
}

/// Waits for an `unpark`, or a turn of the others.
pub fn park_timeout(time: Duration) {
    yield_now();
    if !TOKEN.with(Arc::clone).swap(false, Ordering::SeqCst) {
        let_time_pass(time);
    }
}

/// Lets the others go on.
pub fn yield_now() {
    if !std::thread::panicking() {
        super::count();
        thread::yield_now();
    }
}

/// Lets the others go on, and time pass.
pub fn sleep(time: Duration) {
    let_time_pass(time);
    yield_now();
}

/// As the one of `std`. Shuttle's takes the end of the last thread of a scope around it for the end of its own: so each has a thread more, which ends when the
/// scope waits for its threads and for nothing else.
pub fn scope<'env, T>(work: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T) -> T {
    thread::scope(|scope| {
        let over = Arc::new(AtomicBool::new(false));
        let last = {
            let over = over.clone();
            scope.spawn(move || until(|_| over.load(Ordering::SeqCst)))
        };
        let result = work(scope);
        over.store(true, Ordering::SeqCst);
        last.thread().unpark();
        result
    })
}

/// As the one of `std`. All stacks are of the size that the run says.
#[derive(Default)]
pub struct Builder(thread::Builder);

#[allow(missing_docs)]
impl Builder {
    pub fn new() -> Builder {
        Builder::default()
    }

    pub fn name(self, name: String) -> Builder {
        Builder(self.0.name(name))
    }

    pub fn stack_size(self, _: usize) -> Builder {
        self
    }

    pub fn spawn<T: Send + 'static>(
        self,
        run: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<JoinHandle<T>> {
        self.0.spawn(run)
    }

    pub fn spawn_scoped<'scope, T: Send + 'scope>(
        self,
        scope: &'scope Scope<'scope, '_>,
        run: impl FnOnce() -> T + Send + 'scope,
    ) -> io::Result<ScopedJoinHandle<'scope, T>> {
        Ok(scope.spawn(run))
    }
}

/// As the one of `std`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

#[allow(missing_docs)]
impl Instant {
    pub fn now() -> Instant {
        let_time_pass(Duration::from_micros(1));
        Instant(CLOCK.get())
    }

    pub fn elapsed(&self) -> Duration {
        Instant::now() - *self
    }

    pub fn duration_since(&self, earlier: Instant) -> Duration {
        *self - earlier
    }

    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        *self - earlier
    }

    pub fn checked_add(&self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, time: Duration) -> Instant {
        Instant(self.0 + time)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, time: Duration) {
        self.0 += time;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, time: Duration) -> Instant {
        Instant(self.0 - time)
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// Time since the run began.
pub fn uptime() -> Duration {
    Instant::now().0
}

pub(super) fn let_time_pass(time: Duration) {
    CLOCK.set(CLOCK.get() + time);
}

pub(super) fn reset_clock() {
    CLOCK.set(Duration::ZERO);
}
