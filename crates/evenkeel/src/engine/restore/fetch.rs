//! Fetching objects, again and again where the store fails.
//!
//! Must not know: what objects hold.

use crate::archive::{ArchiveStore, StoreError, Version};
use crate::base::sync::{self, AtomicU64, Ordering};
use crate::base::{Error, Result};
use std::sync::Arc;
use std::time::Duration;

/// Waits between attempts: the first, and the longest.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(15));

/// The archive, as a restore reads it: a store that tries again.
#[derive(Debug)]
pub(in crate::engine) struct Fetch {
    store: Arc<dyn ArchiveStore>,
    attempts: u32,
    bytes: AtomicU64,
}

impl Fetch {
    pub fn new(store: Arc<dyn ArchiveStore>, attempts: u32) -> Fetch {
        Fetch { store, attempts: attempts.max(1), bytes: AtomicU64::new(0) }
    }

    pub fn store(&self) -> &dyn ArchiveStore {
        self
    }

    /// Bytes fetched so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Calls the store until it does not fail, so often.
    pub fn again<T>(
        &self,
        call: impl FnMut(&dyn ArchiveStore) -> std::result::Result<T, StoreError>,
    ) -> Result<T> {
        self.attempt(call).map_err(|e| Error::io("the archive", std::io::Error::other(e)))
    }

    fn attempt<T>(
        &self,
        mut call: impl FnMut(&dyn ArchiveStore) -> std::result::Result<T, StoreError>,
    ) -> std::result::Result<T, StoreError> {
        let mut attempt = 1;
        loop {
            match call(&*self.store) {
                Err(e) if attempt < self.attempts => {
                    let longest = BACK_OFF.0.saturating_mul(1 << (attempt - 1).min(10)).min(BACK_OFF.1);
                    let wait = longest.mul_f64(0.5 + fastrand::f64() / 2.0);
                    tracing::warn!("{e}; next attempt in {:.1} s", wait.as_secs_f64());
                    sync::sleep(wait);
                    attempt += 1;
                }
                done => return done,
            }
        }
    }

    /// An object's bytes; `None`: it is not there.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let got = self.again(|store| store.get(name))?.map(|(bytes, _)| bytes);
        self.bytes.fetch_add(got.as_ref().map_or(0, |b| b.len() as u64), Ordering::Relaxed);
        Ok(got)
    }
}

/// A restore only reads: what would change the archive is handed on as it is.
impl ArchiveStore for Fetch {
    fn describe(&self) -> String {
        self.store.describe()
    }

    fn create(&self, name: &str, bytes: &[u8]) -> std::result::Result<(), StoreError> {
        self.store.create(name, bytes)
    }

    fn get(&self, name: &str) -> std::result::Result<Option<(Vec<u8>, Version)>, StoreError> {
        self.attempt(|store| store.get(name))
    }

    fn len_bytes(&self, name: &str) -> std::result::Result<Option<u64>, StoreError> {
        self.attempt(|store| store.len_bytes(name))
    }

    fn replace(&self, name: &str, bytes: &[u8], version: &Version) -> std::result::Result<(), StoreError> {
        self.store.replace(name, bytes, version)
    }

    fn list(&self, prefix: &str) -> std::result::Result<Vec<String>, StoreError> {
        self.attempt(|store| store.list(prefix))
    }

    fn list_sizes(&self, prefix: &str) -> std::result::Result<Vec<(String, u64)>, StoreError> {
        self.attempt(|store| store.list_sizes(prefix))
    }

    fn delete(&self, name: &str) -> std::result::Result<(), StoreError> {
        self.store.delete(name)
    }
}
