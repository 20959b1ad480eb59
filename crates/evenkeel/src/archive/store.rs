//! Where an archive lies: named objects, made whole or not at all. Blocking; may be slow, may fail, may lose an answer.
//!
//! Invariants
//! 1. `create` makes an object only where none is, `replace` only over the version that was read: of two writers one is refused.
//!
//! Must not know: what objects hold.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::base::sync::Mutex;

/// Why a store did not do it.
#[derive(thiserror::Error, Debug, Clone)]
#[non_exhaustive]
pub enum StoreError {
    /// `create`: there is an object of this name.
    #[error("\"{0}\" exists already")]
    Exists(String),
    /// `replace`: the object is not the version that was read.
    #[error("\"{0}\" was changed by somebody else")]
    Changed(String),
    /// It failed, or its answer was lost: it may have been done.
    #[error("{what} \"{name}\": {why}")]
    Failed {
        /// The operation.
        what: &'static str,
        /// The object.
        name: String,
        /// The cause.
        why: String,
    },
}

/// Which version of an object was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Version(pub String);

/// See the file's head.
pub trait ArchiveStore: Send + Sync + fmt::Debug {
    /// Where it is, for people; without secrets.
    fn describe(&self) -> String;

    /// Makes an object. `Exists` if there is one.
    fn create(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError>;

    /// The object's bytes and version, if it is there.
    fn get(&self, name: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError>;

    /// The object's length in bytes, if it is there.
    fn len_bytes(&self, name: &str) -> Result<Option<u64>, StoreError> {
        Ok(self.get(name)?.map(|(bytes, _)| bytes.len() as u64))
    }

    /// Puts other bytes in the place of the version that was read. `Changed` if it is no longer there.
    fn replace(&self, name: &str, bytes: &[u8], version: &Version) -> Result<(), StoreError>;

    /// Names of all objects that begin with `prefix`, sorted.
    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError>;

    /// As `list`, each with its length in bytes.
    fn list_sizes(&self, prefix: &str) -> Result<Vec<(String, u64)>, StoreError> {
        let mut sizes = Vec::new();
        for name in self.list(prefix)? {
            if let Some(bytes) = self.len_bytes(&name)? {
                sizes.push((name, bytes));
            }
        }
        Ok(sizes)
    }

    /// Removes an object; no error if it is not there.
    fn delete(&self, name: &str) -> Result<(), StoreError>;
}

/// What a fault function is told: the operation and the object's name. It says what goes wrong.
pub type Faults = Box<dyn FnMut(&str, &str) -> StoreFault + Send>;

/// What goes wrong in a [`MemoryStore`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreFault {
    /// Nothing.
    None,
    /// The call fails and has no effect.
    Fail,
    /// The call has its effect and its answer is lost.
    LoseAnswer,
    /// The call is refused, without effect, as if an object of the name were there: another call for it is under way.
    Busy,
}

/// Objects in memory, for tests. Clones share them.
#[derive(Clone, Default)]
pub struct MemoryStore {
    objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    faults: Arc<Mutex<Option<Faults>>>,
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl MemoryStore {
    /// An empty one.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// A store of its own with the objects that are there now, and no faults.
    pub fn copy(&self) -> MemoryStore {
        MemoryStore { objects: Arc::new(Mutex::new(self.objects.lock().clone())), faults: Arc::default() }
    }

    /// Lets a function decide what goes wrong.
    pub fn set_faults(&self, faults: Option<Faults>) {
        *self.faults.lock() = faults;
    }

    /// Sets an object's bytes, whatever was there: damage, or another writer.
    pub fn overwrite(&self, name: &str, bytes: Vec<u8>) {
        self.objects.lock().insert(name.into(), bytes);
    }

    fn call<R>(
        &self,
        what: &'static str,
        name: &str,
        f: impl FnOnce(&mut BTreeMap<String, Vec<u8>>) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let fault = self.faults.lock().as_mut().map_or(StoreFault::None, |faults| faults(what, name));
        let failed = || StoreError::Failed { what, name: name.into(), why: "simulated".into() };
        match fault {
            StoreFault::Fail => return Err(failed()),
            StoreFault::Busy => return Err(StoreError::Exists(name.into())),
            StoreFault::None | StoreFault::LoseAnswer => {}
        }
        let done = f(&mut self.objects.lock());
        if fault == StoreFault::LoseAnswer { Err(failed()) } else { done }
    }
}

/// A version by content.
pub(super) fn version_of(bytes: &[u8]) -> Version {
    Version(format!("{:08x}-{}", crc32c::crc32c(bytes), bytes.len()))
}

impl ArchiveStore for MemoryStore {
    fn describe(&self) -> String {
        "memory".into()
    }

    fn create(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.call("creating", name, |objects| {
            if objects.contains_key(name) {
                return Err(StoreError::Exists(name.into()));
            }
            objects.insert(name.into(), bytes.to_vec());
            Ok(())
        })
    }

    fn get(&self, name: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        self.call("reading", name, |objects| Ok(objects.get(name).map(|b| (b.clone(), version_of(b)))))
    }

    fn replace(&self, name: &str, bytes: &[u8], version: &Version) -> Result<(), StoreError> {
        self.call("replacing", name, |objects| match objects.get_mut(name) {
            Some(there) if version_of(there) == *version => {
                *there = bytes.to_vec();
                Ok(())
            }
            _ => Err(StoreError::Changed(name.into())),
        })
    }

    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        self.call("listing", prefix, |objects| {
            Ok(objects.keys().filter(|k| k.starts_with(prefix)).cloned().collect())
        })
    }

    fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.call("removing", name, |objects| {
            objects.remove(name);
            Ok(())
        })
    }
}
