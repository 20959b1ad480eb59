//! Log writes in flight without threads, for simulations that enumerate crashes.
//!
//! Duty: keeps writes that were submitted to a simulated disk until the simulation says that they have ended, in any order. Whoever has to wait
//! for the log meanwhile ends them all first, in the order that the simulation chooses: there is no other thread that could.
//!
//! Must not know: the disk behind the log.

use super::Wal;
use super::stages::Written;
use super::turns::Flight;
use crate::base::Result;
use crate::base::sync::{AtomicUsize, Mutex, Ordering};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Chooses one of the writes in flight, by number, and makes it durable on the disk.
pub type EndOne = Box<dyn Fn(&[u64]) -> u64 + Send + Sync>;

/// The writes in flight of a simulation.
#[derive(Default)]
pub(super) struct Simulated {
    /// Mirror of the number of flights, so that a log without simulation pays one relaxed load.
    count: AtomicUsize,
    flights: Mutex<BTreeMap<u64, (Flight, Written)>>,
    end_one: OnceLock<EndOne>,
}

impl Wal {
    /// Says how writes end when somebody has to wait for them.
    pub fn simulate_ends(&self, end_one: EndOne) {
        let _ = self.simulated.end_one.set(end_one);
    }

    /// Takes a gang and writes it, if something is complete and may be written beside the writes in flight; `closing`: pads, so that another
    /// may follow. Gives the write's number.
    pub fn simulate_submit(&self, closing: bool) -> Result<Option<u64>> {
        let Some((flight, written)) = self.gang.submit(self, closing)? else { return Ok(None) };
        self.simulated.flights.lock().insert(flight.id, (flight, written));
        self.simulated.count.fetch_add(1, Ordering::Relaxed);
        Ok(Some(flight.id))
    }

    /// A write in flight has ended, well or not. Panics if there is none of this number.
    pub fn simulate_end(&self, number: u64, ok: bool) -> Result<()> {
        let (flight, written) = self.simulated.flights.lock().remove(&number).expect("a write in flight");
        self.simulated.count.fetch_sub(1, Ordering::Relaxed);
        let result =
            if ok { Ok(written) } else { Err(self.poison.set("a simulated log write failed".into())) };
        self.gang.finish_submitted(self, flight, result)
    }

    /// Ends all writes in flight.
    pub(super) fn settle_simulated(&self) -> Result<()> {
        if self.simulated.count.load(Ordering::Relaxed) == 0 {
            return Ok(());
        }
        loop {
            let numbers: Vec<u64> = self.simulated.flights.lock().keys().copied().collect();
            let Some(end_one) = self.simulated.end_one.get().filter(|_| !numbers.is_empty()) else {
                return Ok(());
            };
            self.simulate_end(end_one(&numbers), true)?;
        }
    }
}
