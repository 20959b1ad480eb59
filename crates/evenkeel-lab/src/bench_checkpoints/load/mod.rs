//! What issues the transactions: pgbench's simple update (`-N`), by pgbench itself or by clients of ours.
//!
//! It must not know what is measured beside them.

mod clients;
pub mod embedded;
pub mod pgbench;
pub mod wire;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::Error;
use super::digest::Digest;
use crate::curve::Curve;

/// How much load, and for how long.
pub struct Spec<'a> {
    /// Clients at the same time.
    pub clients: u32,
    /// Threads of pgbench.
    pub jobs: u32,
    /// pgbench's scale.
    pub scale: u32,
    /// Transactions a second of all together; None: as many as possible.
    pub rate_per_s: Option<f64>,
    /// Instead: a rate that changes with the counted time.
    pub curve: Option<&'a Curve>,
    /// When throttled: what could not begin so soon after it was due is skipped.
    pub limit_ms: f64,
    /// When the counted time begins: seconds of warming up from now.
    pub origin: Instant,
    /// The counted time.
    pub seconds: u32,
    /// Of random choices.
    pub seed: u64,
    /// The user wants to stop.
    pub stop: &'a AtomicBool,
}

impl Spec<'_> {
    /// Error if the user wants to stop.
    pub fn check(&self) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// Something that issues transactions.
pub trait Load {
    /// Runs until the counted time is over; what ended goes into the digest. Calls `tick` now and then. Gives what the reader has to know.
    fn run(
        &mut self,
        spec: &Spec<'_>,
        digest: &mut Digest,
        tick: &mut dyn FnMut(),
    ) -> Result<Vec<String>, Error>;
}
