//! How to open a database.

use super::settings::{DEFS, Def, Id, Setting};
use crate::base::Result;

/// Settings for `Database::open`. Start from `Options::default()`.
#[derive(Clone, Debug)]
pub struct Options {
    values: [u64; DEFS.len()],
    threads: bool,
    seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options { values: std::array::from_fn(|i| DEFS[i].default), threads: true, seed: None }
    }
}

impl Options {
    /// Sets one by name, with units: `options.set("shared_buffers", "256MB")`. An unknown name or a bad value is `InvalidArgument`.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let i = Def::find(name)?;
        self.values[i] = DEFS[i].parse(value)?;
        Ok(())
    }

    /// As `set`, for chains.
    pub fn with(mut self, name: &str, value: &str) -> Result<Options> {
        self.set(name, value)?;
        Ok(self)
    }

    /// All settings with the values chosen here.
    pub fn settings(&self) -> Vec<Setting> {
        DEFS.iter().zip(self.values).map(|(d, v)| d.shown(v)).collect()
    }

    /// No background threads: the caller drives the duties by `Database::step_…`. For simulations.
    pub fn without_threads(mut self) -> Options {
        self.threads = false;
        self
    }

    /// Draws log incarnations and the like from this seed, for runs that can be repeated.
    pub fn with_seed(mut self, seed: u64) -> Options {
        self.seed = Some(seed);
        self
    }

    pub(super) fn get(&self, id: Id) -> u64 {
        self.values[id as usize]
    }

    pub(super) fn value(&self, i: usize) -> u64 {
        self.values[i]
    }

    pub(super) fn is_on(&self, id: Id) -> bool {
        self.get(id) != 0
    }

    pub(super) fn threads(&self) -> bool {
        self.threads
    }

    pub(super) fn rng(&self) -> fastrand::Rng {
        self.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed)
    }
}
