//! The engine's stop switch. A failed write or sync of space that was already obtained leaves unknown bytes on disk; a panic in the midst of a change leaves
//! unknown bytes in memory; a background duty that has ended leaves its work undone. From then on nothing is acknowledged (design: no retry).
//!
//! Invariants
//! 1. Once set it stays set for the life of the engine; the first reason is kept.
//! 2. Everybody who registered is told once, after the switch is set: whoever looks at it before he waits, and is woken by the telling, is not forgotten.

use super::error::{Error, Result};
use super::sync::Mutex;
use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

type Listener = Box<dyn FnOnce(&Error) + Send>;

/// Shared by log, pool and everything above.
#[derive(Default)]
pub struct Poison {
    why: OnceLock<String>,
    listeners: Mutex<Vec<Listener>>,
}

impl fmt::Debug for Poison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Poison").field(&self.why.get()).finish()
    }
}

impl Poison {
    /// Fails once the engine is poisoned.
    pub fn check(&self) -> Result<()> {
        match self.why.get() {
            None => Ok(()),
            Some(why) => Err(Error::Poisoned(why.clone())),
        }
    }

    /// Whether the engine is poisoned.
    pub fn is_set(&self) -> bool {
        self.why.get().is_some()
    }

    /// Poisons the engine and returns the error to hand on. The first reason stays (invariant 1).
    pub fn set(&self, why: String) -> Error {
        let mut first = false;
        let kept = self.why.get_or_init(|| {
            first = true;
            why
        });
        let error = Error::Poisoned(kept.clone());
        if first {
            tracing::error!("engine poisoned: {kept}");
            let listeners = std::mem::take(&mut *self.listeners.lock());
            listeners.into_iter().for_each(|tell| tell(&error));
        }
        error
    }

    /// Has `tell` called once the engine is poisoned, at once if it is: by whichever thread finds out, which may hold locks of its own. So it must not call the
    /// engine, nor wait.
    pub fn on_set(&self, tell: impl FnOnce(&Error) + Send + 'static) {
        let mut listeners = self.listeners.lock();
        match self.check() {
            Ok(()) => listeners.push(Box::new(tell)),
            Err(e) => {
                drop(listeners);
                tell(&e);
            }
        }
    }

    /// Poisons the engine if a panic comes before the guard is dropped: what it goes through must happen wholly.
    pub fn on_panic(&self, what: &'static str) -> OnPanic<'_> {
        OnPanic { poison: self, what, unwinding: std::thread::panicking() }
    }
}

/// See [`Poison::on_panic`].
pub struct OnPanic<'a> {
    poison: &'a Poison,
    what: &'static str,
    /// A panic was under way already: what is done while it unwinds, such as a rollback, is not what panicked.
    unwinding: bool,
}

impl OnPanic<'_> {
    /// Poisons now if there is a panic: for whoever lets others see what it went through before it drops the guard.
    pub fn look(&self) {
        if std::thread::panicking() && !self.unwinding {
            self.poison.set(format!("a panic in the midst of {}", self.what));
        }
    }
}

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        self.look();
    }
}

/// What a panic says.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "a panic without a message",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn everybody_is_told_once_however_late_he_comes() {
        let (poison, told) = (Poison::default(), Arc::new(AtomicUsize::new(0)));
        let tell = |n: usize| {
            let told = told.clone();
            move |e: &Error| {
                assert!(e.to_string().contains("first"));
                told.fetch_add(n, Ordering::Relaxed);
            }
        };
        poison.on_set(tell(1));
        poison.on_set(tell(10));
        assert_eq!(told.load(Ordering::Relaxed), 0);
        poison.set("first".into());
        poison.set("second".into());
        poison.on_set(tell(100));
        assert_eq!(told.load(Ordering::Relaxed), 111);
    }

    #[test]
    fn a_panic_poisons_what_it_interrupts_and_not_what_is_done_while_it_unwinds() {
        struct TidyUp<'a>(&'a Poison);
        impl Drop for TidyUp<'_> {
            fn drop(&mut self) {
                drop(self.0.on_panic("a rollback"));
            }
        }
        let poison = Poison::default();
        drop(poison.on_panic("nothing"));
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let _tidy_up = TidyUp(&poison);
            panic!("elsewhere");
        }));
        assert!(!poison.is_set());
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let _whole = poison.on_panic("a change");
            panic!("here");
        }));
        assert!(poison.check().unwrap_err().to_string().contains("in the midst of a change"));
    }
}
