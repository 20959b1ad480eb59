//! What a statement may take of the process: time, memory and stack.
//!
//! A session *enters* before it parses, binds or runs something; from then on any code below asks [`check`] now and then, however deep it is and
//! whatever it was given, and stops with the error that it gets. A loop over data of any size holds a [`Pace`]; a function that is about to make
//! something large asks [`admit`] first; recursion over what was parsed runs on [`stack::with_depth`].
//!
//! Invariants:
//! 1. Between two checks lies at most a few milliseconds' work: one row, [`PACE_BYTES`] of text, [`PACE_STEPS`] steps of a loop.
//! 2. The statement that would pass the process's limit fails with 53200; one that holds next to nothing goes on (`memory`).
//!
//! Must not know: what is computed.
#![doc = include_str!("README.md")]

pub mod build;
pub mod discard;
pub mod memory;
pub mod stack;
pub mod stop;

use crate::error::{SqlError, SqlState};
use evenkeel::Interrupt;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Bytes that may be worked on between two checks.
pub const PACE_BYTES: usize = 64 << 10;
/// Cheap steps between two checks.
pub const PACE_STEPS: usize = 4096;

/// Tokens, syntax tree and plan may take so many times what a statement's rows may.
const TEXT_SHARE: usize = 2;

struct Running {
    interrupt: Arc<Interrupt>,
    /// What the thread held when it began.
    began_bytes: isize,
    /// What it took and another thread freed (`discard`), if one was ever asked to.
    freed: Option<Arc<AtomicIsize>>,
    /// Bound of what a statement's text may grow to while it is parsed and planned.
    limit_bytes: usize,
}

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
    static AT_LEAVE: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// What is dear and kept by the thread is given back by this once it no longer works for the session. There is one.
pub fn at_leave(give_back: fn()) {
    AT_LEAVE.set(Some(give_back));
}

/// Until it is dropped, the thread works for a session.
pub struct Entered(Option<Running>);

/// The thread works for the session with this interrupt. Within another's work, that goes on counting.
pub fn enter(interrupt: &Arc<Interrupt>, limit_bytes: usize) -> Entered {
    RUNNING.with_borrow_mut(|r| {
        let began_bytes = r.as_ref().map_or_else(memory::thread_bytes, |r| r.began_bytes);
        let freed = r.as_mut().map(|r| r.freed.get_or_insert_default().clone());
        let limit_bytes = limit_bytes.saturating_mul(TEXT_SHARE);
        Entered(r.replace(Running { interrupt: interrupt.clone(), began_bytes, freed, limit_bytes }))
    })
}

impl Drop for Entered {
    fn drop(&mut self) {
        let is_outermost = self.0.is_none();
        if is_outermost && let Some(give_back) = AT_LEAVE.take() {
            give_back();
        }
        memory::settle();
        RUNNING.with_borrow_mut(|r| *r = self.0.take());
        if is_outermost {
            memory::trim();
        }
    }
}

/// What the statement holds by now, as far as this thread took it.
pub fn own_bytes() -> usize {
    let own = |r: &Running| {
        let elsewhere = r.freed.as_ref().map_or(0, |f| f.load(Ordering::Relaxed));
        usize::try_from(memory::thread_bytes() - r.began_bytes - elsewhere).unwrap_or(0)
    };
    RUNNING.with_borrow(|r| r.as_ref().map_or(0, own))
}

/// Where is counted what others free for the present statement.
fn freed_elsewhere() -> Arc<AtomicIsize> {
    RUNNING
        .with_borrow_mut(|r| r.as_mut().map(|r| r.freed.get_or_insert_default().clone()))
        .unwrap_or_default()
}

fn is_canceled() -> bool {
    RUNNING.with_borrow(|r| r.as_ref().is_some_and(|r| r.interrupt.is_canceled()))
}

/// Fails if the statement was canceled, or the process has no memory left for it. (1)
pub fn check() -> Result<(), SqlError> {
    if is_canceled() {
        return Err(evenkeel::Error::Canceled.into());
    }
    if memory::is_tight() { with_what_is_freed(|| memory::check(own_bytes())) } else { Ok(()) }
}

/// Asks again, if what others are freeing may be what lacks.
fn with_what_is_freed(ask: impl Fn() -> Result<(), SqlError>) -> Result<(), SqlError> {
    ask().or_else(|e| if discard::wait(is_canceled) { ask() } else { Err(e) })
}

/// As [`check`], and fails if what was made of a statement's text is more than a statement may hold.
pub fn check_text() -> Result<(), SqlError> {
    check()?;
    let limit = RUNNING.with_borrow(|r| r.as_ref().map_or(usize::MAX, |r| r.limit_bytes));
    if own_bytes() > limit {
        return Err(memory::out_of_memory(format!(
            "The statement's text needs more than the {} kB that a statement may hold.",
            limit >> 10
        )));
    }
    Ok(())
}

/// Fails unless `bytes` more may be taken; what is then allocated is counted against them, until the next check.
pub fn admit(bytes: usize) -> Result<(), SqlError> {
    if bytes < PACE_BYTES {
        return Ok(());
    }
    check()?;
    with_what_is_freed(|| memory::admit(bytes, own_bytes()))
}

/// Calls [`check`] every so often.
#[derive(Default)]
pub struct Pace(usize);

impl Pace {
    /// A loop goes round.
    #[inline]
    pub fn step(&mut self) -> Result<(), SqlError> {
        self.bytes(PACE_BYTES / PACE_STEPS)
    }

    /// So many bytes were worked on.
    #[inline]
    pub fn bytes(&mut self, n: usize) -> Result<(), SqlError> {
        self.0 += n;
        if self.0 < PACE_BYTES {
            return Ok(());
        }
        self.0 = 0;
        check()
    }
}

/// 54001, as PostgreSQL words it.
pub fn too_deep() -> SqlError {
    SqlError::new(SqlState::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
        .with_hint("The statement nests expressions too deeply, or chains too many operators.")
}
