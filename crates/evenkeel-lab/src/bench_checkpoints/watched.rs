//! The counters of a server under any load, and what its checkpoints did meanwhile (W7).
//!
//! It must not know what the load is.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::Error;
use super::cycles::{Activity, activity};
use super::monitor::SqlMonitor;
use super::sampler::sample;
use super::trace::Reading;
use evenkeel_client::ConnString;

/// A connection that reads them about every second.
pub(crate) struct Watched {
    monitor: SqlMonitor,
    readings: Vec<Reading>,
}

impl Watched {
    /// Connects. Blocks.
    pub fn connect(to: &ConnString, name: &str) -> Result<Watched, Error> {
        Ok(Watched { monitor: SqlMonitor::connect(to, name, None)?, readings: Vec::new() })
    }

    /// Reads until `ended` is set; `origin` is when the counted time begins.
    pub fn until(&mut self, origin: Instant, ended: &AtomicBool) {
        self.readings = sample(&mut self.monitor, origin, ended);
    }

    /// What checkpoints did in so many counted seconds.
    pub fn activity(&self, seconds: u32) -> Activity {
        activity(&self.readings, seconds, 1)
    }
}
