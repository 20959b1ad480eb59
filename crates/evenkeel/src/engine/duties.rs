//! Which background duties there are, and what each waits for: for whoever looks.
//!
//! Must not know: what they do.

use super::database::Database;
use crate::base::blocking::{self, Wait};
use crate::base::sync::counter::{AtomicU64, Ordering};

/// A thread that works for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duty {
    /// Writes pages so that the log can go.
    Checkpointer,
    /// Keeps clean pages ready.
    BackgroundWriter,
    /// Makes durable what nobody waits for.
    LogWriter,
    /// Archives the log.
    Archiver,
    /// Takes away what no snapshot sees any more.
    Purge,
}

impl Duty {
    /// All of them, in their order.
    pub const ALL: [Duty; 5] =
        [Duty::Checkpointer, Duty::BackgroundWriter, Duty::LogWriter, Duty::Archiver, Duty::Purge];
}

/// Threads by their duties: the thread's number, and one; 0: there is none.
#[derive(Default)]
pub(super) struct Duties([AtomicU64; Duty::ALL.len()]);

impl Duties {
    /// This thread has the duty until the value is dropped.
    pub fn enter(&self, duty: Duty) -> OnDuty<'_> {
        let number = blocking::thread_number().map_or(0, |n| u64::from(n) + 1);
        self.0[duty as usize].store(number, Ordering::Relaxed);
        OnDuty(&self.0[duty as usize])
    }
}

/// See [`Duties::enter`].
pub(super) struct OnDuty<'a>(&'a AtomicU64);

impl Drop for OnDuty<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl Database {
    /// The duties that are being done, and what each waits for at this moment.
    pub fn duties(&self) -> Vec<(Duty, Option<Wait>)> {
        let thread = |d: &Duty| self.core().duties.0[*d as usize].load(Ordering::Relaxed).checked_sub(1);
        let shown = |d: Duty| thread(&d).map(|n| (d, blocking::wait_of(n as u16)));
        Duty::ALL.into_iter().filter_map(shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;
    use crate::io::{SimDisk, SimOptions};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    #[test]
    fn an_idle_database_shows_what_its_duties_wait_for() {
        let disk = Arc::new(SimDisk::new(SimOptions::default()));
        let db = Database::open_on(disk, Options::default()).unwrap();
        let wanted = [
            (Duty::Checkpointer, Some(Wait::CheckpointerIdle)),
            (Duty::BackgroundWriter, Some(Wait::BackgroundWriterIdle)),
            (Duty::LogWriter, Some(Wait::LogWriterIdle)),
            (Duty::Purge, Some(Wait::PurgeIdle)),
        ];
        let until = Instant::now() + Duration::from_secs(30);
        while db.duties() != wanted {
            assert!(Instant::now() < until, "{:?}", db.duties());
            std::thread::sleep(Duration::from_millis(1));
        }
        db.close().unwrap();
        assert_eq!(db.duties(), []);
    }
}
