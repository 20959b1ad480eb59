//! How many data files are open at a time.
//!
//! Duty: close the descriptors of data files that were not used lately, so that a database may have more files than its process may have open; and the
//! process's limit.
//!
//! Invariants:
//!
//! 1. At most `max` data files have a descriptor, but for those that are in use by a call at this moment.
//! 2. A file in use is never closed ([`OsFile::close_if_idle`]); nothing is waited for here but its sync.
//!
//! Must not know: what files are for.

use std::collections::VecDeque;
use std::io;
use std::sync::Weak;

use parking_lot::Mutex;
use rustix::process::{Resource, Rlimit};

use super::file::OsFile;

/// The data files with a descriptor.
#[derive(Debug)]
pub(super) struct Descriptors {
    max: usize,
    /// The clock's hand is at the front. Each file is there once while it has a descriptor, and perhaps some that are gone.
    open: Mutex<VecDeque<Weak<OsFile>>>,
}

impl Descriptors {
    pub(super) fn new(max: usize) -> Descriptors {
        Descriptors { max: max.max(1), open: Mutex::default() }
    }

    /// A file has a descriptor now: others may have to give up theirs.
    pub(super) fn opened(&self, file: &Weak<OsFile>) {
        let mut len = {
            let mut open = self.open.lock();
            open.push_back(file.clone());
            open.len()
        };
        while len > self.max && self.close_one() {
            len = self.open.lock().len();
        }
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn open(&self) -> usize {
        self.open.lock().iter().filter(|f| f.upgrade().is_some_and(|f| f.has_descriptor())).count()
    }

    /// Closes the descriptor of a file that was not used lately, or at least is not in use; false if there is none.
    pub(super) fn close_one(&self) -> bool {
        // Twice round: the first pass may find all of them used.
        let mut looks = 2 * self.open.lock().len();
        while looks > 0 {
            looks -= 1;
            let Some(next) = self.open.lock().pop_front() else { return false };
            let Some(file) = next.upgrade() else { return true }; // it was closed with its handle
            // Outside the lock: it may have to be synced.
            if !file.take_used() && file.close_if_idle() {
                return true;
            }
            self.open.lock().push_back(next);
        }
        false
    }
}

/// How many descriptors this process may have.
pub fn descriptor_limit() -> usize {
    let limit = rustix::process::getrlimit(Resource::Nofile).current;
    limit.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX))
}

/// Raises the limit on this process's descriptors as far as it is allowed to, and gives it. For programs: a library leaves the process's limits alone.
pub fn raise_descriptor_limit() -> io::Result<usize> {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        rustix::process::setrlimit(
            Resource::Nofile,
            Rlimit { current: limit.maximum, maximum: limit.maximum },
        )?;
    }
    Ok(descriptor_limit())
}
