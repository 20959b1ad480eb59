//! The engine's stop switch. A failed write or sync of space that was already obtained leaves unknown bytes on disk; from then on
//! nothing is acknowledged (design: no retry).
//!
//! Invariants
//! 1. Once set it stays set for the life of the engine; the first reason is kept.

use super::error::{Error, Result};
use std::sync::OnceLock;

/// Shared by log, pool and everything above.
#[derive(Debug, Default)]
pub struct Poison(OnceLock<String>);

impl Poison {
    /// Fails once the engine is poisoned.
    pub fn check(&self) -> Result<()> {
        match self.0.get() {
            None => Ok(()),
            Some(why) => Err(Error::Poisoned(why.clone())),
        }
    }

    /// Whether the engine is poisoned.
    pub fn is_set(&self) -> bool {
        self.0.get().is_some()
    }

    /// Poisons the engine and returns the error to hand on. The first reason stays (invariant 1).
    pub fn set(&self, why: String) -> Error {
        let mut first = false;
        let kept = self.0.get_or_init(|| {
            first = true;
            why
        });
        if first {
            tracing::error!("engine poisoned: {kept}");
        }
        Error::Poisoned(kept.clone())
    }
}
