//! The directories of the simulated disk.
//!
//! Duty: which name leads to which file, now and durably, and what a power cut may leave of it.
//!
//! Invariants:
//!
//! 1. `current` is `durable` with all of `pending` applied in order.
//! 2. Every operation is in one directory, and a sync of that directory makes it durable.
//! 3. On a crash, of the pending operations on one name a prefix survives; a rename, which is on two, survives in
//!    both or in neither.
//!
//! Must not know: what is in the files.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::Arc;

use fastrand::Rng;

use super::super::parent_of;
use super::CrashPolicy;

pub(super) type FileId = u64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Dir,
    File(FileId),
}

type Map = BTreeMap<Arc<str>, Entry>;

/// The names of a disk. A copy costs its pending operations.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    current: Arc<Map>,
    durable: Arc<Map>,
    pending: Vec<NameOp>,
    /// Number of the latest operation.
    seq: u64,
}

#[derive(Clone, Debug)]
struct NameOp {
    seq: u64,
    change: Change,
}

#[derive(Clone, Debug)]
enum Change {
    Create { path: Arc<str>, entry: Entry },
    Remove { path: Arc<str> },
    Rename { from: Arc<str>, to: Arc<str> },
}

impl Change {
    fn apply(&self, map: &mut Map) {
        match self {
            Change::Create { path, entry } => {
                map.insert(Arc::clone(path), *entry);
            }
            Change::Remove { path } => {
                map.remove(path);
            }
            Change::Rename { from, to } => {
                if let Some(entry) = map.remove(from) {
                    map.insert(Arc::clone(to), entry);
                }
            }
        }
    }

    fn names(&self) -> [&Arc<str>; 2] {
        match self {
            Change::Create { path, .. } | Change::Remove { path } => [path, path],
            Change::Rename { from, to } => [from, to],
        }
    }
}

impl Names {
    pub(super) fn get(&self, path: &str) -> Option<Entry> {
        self.current.get(path).copied()
    }

    /// The file of this name.
    pub(super) fn file(&self, path: &str) -> io::Result<FileId> {
        match self.get(path) {
            Some(Entry::File(id)) => Ok(id),
            Some(Entry::Dir) => Err(io::Error::from_raw_os_error(libc::EISDIR)),
            None => Err(io::Error::from_raw_os_error(libc::ENOENT)),
        }
    }

    /// Checks that a directory exists; `""` always does.
    pub(super) fn check_is_dir(&self, dir: &str) -> io::Result<()> {
        match self.get(dir) {
            Some(Entry::Dir) => Ok(()),
            None if dir.is_empty() => Ok(()),
            Some(Entry::File(_)) => Err(io::Error::from_raw_os_error(libc::ENOTDIR)),
            None => Err(io::Error::from_raw_os_error(libc::ENOENT)),
        }
    }

    pub(super) fn create(&mut self, path: Arc<str>, entry: Entry) -> io::Result<()> {
        self.check_is_dir(parent_of(&path))?;
        debug_assert!(self.get(&path).is_none(), "{path} exists");
        self.change(Change::Create { path, entry });
        Ok(())
    }

    pub(super) fn remove(&mut self, path: Arc<str>) {
        self.change(Change::Remove { path });
    }

    pub(super) fn rename(&mut self, from: Arc<str>, to: Arc<str>) {
        self.change(Change::Rename { from, to });
    }

    /// The names of the files in a directory, sorted.
    pub(super) fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        self.check_is_dir(dir)?;
        let files = self.current.iter().filter(|(_, entry)| **entry != Entry::Dir);
        let inside = files.filter(|(path, _)| parent_of(path) == dir);
        Ok(inside.map(|(path, _)| path.rsplit('/').next().unwrap_or(path).to_owned()).collect())
    }

    /// The paths and ids of all files, in the order of their paths.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Arc<str>, FileId)> {
        self.current.iter().filter_map(|(path, entry)| match entry {
            Entry::File(id) => Some((path, *id)),
            Entry::Dir => None,
        })
    }

    /// The files that a crash may bring back though they have no name now, and all that have one.
    pub(super) fn reachable(&self) -> HashSet<FileId> {
        let created = self.pending.iter().filter_map(|op| match &op.change {
            Change::Create { entry, .. } => Some(*entry),
            _ => None,
        });
        let entries = self.current.values().chain(self.durable.values()).copied().chain(created);
        let ids = entries.filter_map(|entry| match entry {
            Entry::File(id) => Some(id),
            Entry::Dir => None,
        });
        ids.collect()
    }

    fn change(&mut self, change: Change) {
        self.seq += 1;
        change.apply(Arc::make_mut(&mut self.current));
        self.pending.push(NameOp { seq: self.seq, change });
    }

    /// Issues a sync of a directory: what to hand to [`Names::complete_sync`].
    pub(super) fn begin_sync(&self) -> u64 {
        self.seq
    }

    /// Operations in the directory that happened before the sync was issued are durable from here on.
    pub(super) fn complete_sync(&mut self, dir: &str, upto: u64) {
        let covered = |op: &NameOp| op.seq <= upto && parent_of(op.change.names()[0]) == dir;
        if self.pending.iter().any(covered) {
            let durable = Arc::make_mut(&mut self.durable);
            self.pending.iter().filter(|op| covered(op)).for_each(|op| op.change.apply(durable));
            self.pending.retain(|op| !covered(op));
        }
        if self.pending.is_empty() {
            self.durable = Arc::clone(&self.current);
        }
    }

    /// The names after a power cut (invariant 3), all durable.
    pub(super) fn crashed(&self, policy: CrashPolicy, rng: &mut Rng) -> Names {
        let keep_all = match policy {
            // One time in four everything, one time in four nothing, else a coin for each.
            CrashPolicy::Mixed => [Some(true), Some(false), None, None][rng.usize(..4)],
            CrashPolicy::KeepAll => Some(true),
            CrashPolicy::LoseUnsynced => Some(false),
        };
        if self.pending.is_empty() || keep_all == Some(false) {
            return Names::settled(Arc::clone(&self.durable));
        }
        if keep_all == Some(true) {
            return Names::settled(Arc::clone(&self.current));
        }
        let mut map = Map::clone(&self.durable);
        let mut broken: HashSet<&Arc<str>> = HashSet::new();
        for op in &self.pending {
            let names = op.change.names();
            if names.iter().any(|name| broken.contains(name)) || rng.u8(..) >= 160 {
                broken.extend(names);
            } else {
                op.change.apply(&mut map);
            }
        }
        Names::settled(Arc::new(map))
    }

    fn settled(mut map: Arc<Map>) -> Names {
        let is_lost = |map: &Map, path: &str| {
            let parent = parent_of(path);
            !parent.is_empty() && map.get(parent) != Some(&Entry::Dir)
        };
        // A lost directory loses all in it; parents sort before their children.
        if map.keys().any(|path| is_lost(&map, path)) {
            let mut kept = Map::new();
            for (path, entry) in map.iter() {
                if !is_lost(&kept, path) {
                    kept.insert(Arc::clone(path), *entry);
                }
            }
            map = Arc::new(kept);
        }
        Names { current: Arc::clone(&map), durable: map, pending: Vec::new(), seq: 0 }
    }
}
