//! A way out of code that cannot fail: a library's parser, a sort.
//!
//! Such code calls something of ours again and again: a comparison, a question to a dialect. There [`Watch::look`] unwinds to [`Watch::run`] when the statement must
//! not go on. Nothing is printed, and what lies between has no effects that anybody sees.
//!
//! Must not know: what is run.

use super::{check, check_text};
use crate::error::SqlError;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What is unwound with.
struct Stopped;

/// Looks every so often whether the statement may go on.
#[derive(Debug)]
pub struct Watch {
    looks: Cell<u32>,
    every: u32,
    of_text: bool,
    why: RefCell<Option<SqlError>>,
}

impl Watch {
    /// For work on data: one look in `every` counts.
    pub fn of_data(every: u32) -> Watch {
        Watch { looks: Cell::new(0), every, of_text: false, why: RefCell::default() }
    }

    /// For work on a statement's text, which is bounded in memory.
    pub fn of_text(every: u32) -> Watch {
        Watch { of_text: true, ..Watch::of_data(every) }
    }

    /// Runs what looks, or says why it was stopped.
    pub fn run<T>(&self, f: impl FnOnce() -> T) -> Result<T, SqlError> {
        match catch_unwind(AssertUnwindSafe(f)) {
            Ok(result) => Ok(result),
            Err(panic) if panic.is::<Stopped>() => {
                Err(self.why.take().unwrap_or_else(|| SqlError::internal("stopped by another")))
            }
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Returns if the statement may go on.
    #[inline]
    pub fn look(&self) {
        let n = self.looks.get() + 1;
        self.looks.set(n);
        if n >= self.every {
            self.looks.set(0);
            self.look_now();
        }
    }

    #[cold]
    fn look_now(&self) {
        let result = if self.of_text { check_text() } else { check() };
        if let Err(e) = result {
            self.why.replace(Some(e));
            resume_unwind(Box::new(Stopped));
        }
    }
}
