//! Open data files, and which of them were written since their last sync.
//!
//! Invariants
//! 1. A (file, partition) mark is set after a write completed, and carries its number. A sync clears, when it has succeeded, the marks of its file whose
//!    number had been given when it was issued: any thread may sync, and a mark goes only when its write is durable.
//! 2. A handle in the table belongs to a file that has its name: names go under the table's lock.
//! 3. A sync of a file makes its name durable too: whatever of it counts as durable can be found again.
//! 4. A file that is refused is read and written by nobody; it can be removed.

use crate::base::sync::{Mutex, RwLock};
use crate::base::{Corruption, Error, FileId, Lsn, MAX_FILE_ID, Poison, Result};
use crate::io::{Access, Disk, File, OpenMode};
use foldhash::fast::RandomState;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::ErrorKind;
use std::sync::{Arc, OnceLock};

/// Folder of the data files.
pub const DIR: &str = "data";

/// What helps when a file is not the one that belongs there.
pub const LOST: &str =
    "With the server stopped, put the file back that belongs there, or restore a backup (evenkeel restore)";

/// The data files of a database.
pub struct Files {
    disk: Arc<dyn Disk>,
    open: RwLock<HashMap<FileId, Arc<dyn File>, RandomState>>,
    marks: Mutex<Marks>,
    /// Those that are not what they should be, and why (4).
    refused: OnceLock<HashMap<FileId, Corruption>>,
}

#[derive(Default)]
struct Marks {
    /// The number of the latest write that no sync has covered, of each (file, partition) that has one.
    unsynced: BTreeMap<(FileId, usize), u64>,
    /// Number of the latest completed write, over all files.
    completed: u64,
    /// The number that had been given when the latest successful sync of a file was issued.
    synced: HashMap<FileId, u64>,
    /// Files that were created, and whose names no sync of the folder has covered.
    unnamed: HashSet<FileId>,
    /// Of files that were written: the LSN of the newest page that went home, and its block. It is there as long as the file is not cut before it.
    newest: HashMap<FileId, (Lsn, u32)>,
}

impl Marks {
    fn mark_unsynced(&mut self, file: FileId, partitions: u64) -> u64 {
        self.completed += 1;
        let mut rest = partitions;
        while rest != 0 {
            self.unsynced.insert((file, rest.trailing_zeros() as usize), self.completed);
            rest &= rest - 1;
        }
        self.completed
    }
}

/// A data file's path.
pub fn path(file: FileId) -> String {
    format!("{DIR}/{}", file.0)
}

impl Files {
    /// No file is open at first.
    pub fn new(disk: Arc<dyn Disk>) -> Files {
        Files { disk, open: RwLock::default(), marks: Mutex::default(), refused: OnceLock::new() }
    }

    /// The disk below.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// The handle of an existing file. `Ok(None)` if there is none; an error if it is refused.
    pub fn get(&self, file: FileId) -> Result<Option<Arc<dyn File>>> {
        if let Some(why) = self.refused.get().and_then(|refused| refused.get(&file)) {
            return Err(Error::Corrupt(why.clone()));
        }
        if let Some(f) = self.open.read().get(&file) {
            return Ok(Some(f.clone()));
        }
        // Opened under the lock, so that a handle of a file that is just being removed cannot come in after it (invariant 2).
        let mut open = self.open.write();
        if let Some(f) = open.get(&file) {
            return Ok(Some(f.clone()));
        }
        match self.disk.open(&path(file), OpenMode::Existing, Access::Pages) {
            Ok(f) => Ok(Some(open.entry(file).or_insert(f).clone())),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io(format!("opening data file {}", path(file)), e)),
        }
    }

    /// The handle of a file that must exist.
    pub fn must_get(&self, file: FileId) -> Result<Arc<dyn File>> {
        self.get(file)?.ok_or_else(|| {
            let why = Corruption::of_file(file, format!("data file {} is missing", path(file)));
            Error::Corrupt(why.with_advice(LOST))
        })
    }

    /// Lets nobody read or write these files (4), for the reasons given. Once, at a start.
    pub fn refuse(&self, why: HashMap<FileId, Corruption>) {
        if !why.is_empty() {
            let _ = self.refused.set(why);
        }
    }

    /// Whether there is such a file, whatever is in it.
    pub fn is_there(&self, file: FileId) -> Result<bool> {
        self.disk
            .exists(&path(file))
            .map_err(|e| Error::io(format!("looking for data file {}", path(file)), e))
    }

    /// A file's length in bytes, whatever is in it; it is not kept open for that. `None` if there is none.
    pub fn bytes(&self, file: FileId) -> Result<Option<u64>> {
        let ctx = |e| Error::io(format!("looking at data file {}", path(file)), e);
        let open = self.open.read().get(&file).cloned();
        let handle = match open {
            Some(handle) => handle,
            None => match self.disk.open(&path(file), OpenMode::Existing, Access::Pages) {
                Ok(handle) => handle,
                Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
                Err(e) => return Err(ctx(e)),
            },
        };
        match handle.len() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(ctx(e)),
        }
    }

    /// Of each file of which it is known: the LSN of the newest page that is at home, and its block.
    pub fn newest(&self) -> HashMap<FileId, (Lsn, u32)> {
        self.marks.lock().newest.clone()
    }

    /// What is known of that from an earlier life.
    pub fn know_newest(&self, known: impl Iterator<Item = (FileId, (Lsn, u32))>) {
        self.marks.lock().newest.extend(known);
    }

    /// Creates an empty file; its name is durable after its next sync (invariant 3). `Ok(None)`: the number is taken.
    pub fn create(&self, file: FileId) -> Result<Option<Arc<dyn File>>> {
        let ctx = |e| Error::io(format!("creating data file {}", path(file)), e);
        let handle = match self.disk.open(&path(file), OpenMode::CreateNew, Access::Pages) {
            Ok(f) => f,
            Err(e) if e.kind() == ErrorKind::AlreadyExists => return Ok(None),
            Err(e) => return Err(ctx(e)),
        };
        self.marks.lock().unnamed.insert(file);
        self.open.write().insert(file, handle.clone());
        Ok(Some(handle))
    }

    /// Removes a file. Its pages must have left the pool. A missing one is no error.
    pub fn remove(&self, file: FileId) -> Result<()> {
        self.remove_all(&[file])
    }

    /// Removes files, with one sync of the folder. The first error is told, and keeps no other file.
    pub fn remove_all(&self, files: &[FileId]) -> Result<()> {
        let removed = files.iter().map(|file| self.unlink(*file)).fold(Ok(()), Result::and);
        removed.and(self.disk.sync_dir(DIR).map_err(|e| Error::io("syncing the data folder", e)))
    }

    fn unlink(&self, file: FileId) -> Result<()> {
        let ctx = |e| Error::io(format!("removing data file {}", path(file)), e);
        let mut open = self.open.write();
        // The last handle is closed outside the lock: that is when the system frees the file's space.
        let handle = open.remove(&file);
        let mut marks = self.marks.lock();
        marks.unsynced.retain(|(f, _), _| *f != file);
        marks.synced.remove(&file);
        marks.unnamed.remove(&file);
        marks.newest.remove(&file);
        drop(marks);
        let removed = self.disk.remove(&path(file));
        drop(open);
        drop(handle);
        match removed {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(ctx(e)),
            _ => Ok(()),
        }
    }

    /// Numbers of the files in the folder, ascending.
    pub fn list(&self) -> Result<Vec<FileId>> {
        let names = self.disk.list(DIR).map_err(|e| Error::io("listing the data folder", e))?;
        let mut out: Vec<FileId> =
            names.iter().filter_map(|n| n.parse().ok()).filter(|n| *n < MAX_FILE_ID).map(FileId).collect();
        out.sort_unstable();
        Ok(out)
    }

    /// Notes a completed write of pages of these partitions, a bit each (invariant 1), and the LSN and the block of the newest of them. Gives its number.
    pub(super) fn mark_written(&self, file: FileId, partitions: u64, newest: (Lsn, u32)) -> u64 {
        let mut marks = self.marks.lock();
        let known = marks.newest.entry(file).or_insert(newest);
        *known = newest.max(*known);
        marks.mark_unsynced(file, partitions)
    }

    /// As of a write of pages of which nothing else is to be known.
    pub(super) fn mark_unsynced(&self, file: FileId, partitions: u64) -> u64 {
        self.marks.lock().mark_unsynced(file, partitions)
    }

    /// Makes the next round of a partition sync the file, whether or not it has pages to write.
    pub fn owe_sync(&self, file: FileId, partition: usize) {
        self.mark_unsynced(file, 1 << partition);
    }

    /// Whether a sync has covered this completed write of a file (invariant 1). Not known of a file that was removed.
    pub(super) fn is_synced(&self, file: FileId, write: u64) -> bool {
        self.marks.lock().synced.get(&file).is_some_and(|upto| *upto >= write)
    }

    /// Syncs a file. If it was removed, its removal is made durable instead. Gives the number up to which its completed writes are of no concern any
    /// more. On error the caller poisons the engine: what is durable is unknown.
    pub(super) fn sync_file(&self, file: FileId) -> Result<u64> {
        let upto = self.marks.lock().completed;
        let synced = self.get(file)?.map(|handle| handle.sync());
        match synced {
            // Removed meanwhile, when it had no descriptor.
            Some(Err(e)) if e.kind() == ErrorKind::NotFound && self.get(file)?.is_none() => {
                self.sync_names()?
            }
            Some(synced) => {
                synced.map_err(|e| Error::io(format!("syncing data file {}", path(file)), e))?;
                if self.marks.lock().unnamed.contains(&file) {
                    self.sync_names()?;
                }
                let mut marks = self.marks.lock();
                // The file's own marks alone: there may be many files.
                let of_file = marks.unsynced.range((file, 0)..=(file, usize::MAX));
                let covered: Vec<_> = of_file.filter(|(_, n)| **n <= upto).map(|(mark, _)| *mark).collect();
                covered.iter().for_each(|mark| _ = marks.unsynced.remove(mark));
                let synced = marks.synced.entry(file).or_default();
                *synced = upto.max(*synced);
            }
            None => self.sync_names()?,
        }
        Ok(upto)
    }

    /// Makes names durable, those of all files that have been created by now.
    fn sync_names(&self) -> Result<()> {
        let named: Vec<FileId> = self.marks.lock().unnamed.iter().copied().collect();
        self.disk.sync_dir(DIR).map_err(|e| Error::io("syncing the data folder", e))?;
        let mut marks = self.marks.lock();
        named.iter().for_each(|file| _ = marks.unnamed.remove(file));
        Ok(())
    }

    /// Files with completed writes in the partition that no sync covers, ascending.
    pub fn unsynced(&self, partition: usize) -> Vec<FileId> {
        self.marks.lock().unsynced.keys().filter(|(_, p)| *p == partition).map(|(f, _)| *f).collect()
    }

    /// How many files have such writes in the partition.
    pub fn unsynced_count(&self, partition: usize) -> usize {
        self.marks.lock().unsynced.keys().filter(|(_, p)| *p == partition).count()
    }

    /// Syncs a file if it has writes, in whatever partition, that no sync covers; true if it had. On error the caller poisons the engine: what is
    /// durable is unknown.
    pub fn sync_if_written(&self, file: FileId) -> Result<bool> {
        let written = self.marks.lock().unsynced.range((file, 0)..=(file, usize::MAX)).next().is_some();
        if written {
            self.sync_file(file)?;
        }
        Ok(written)
    }

    /// Makes a file that was just created durable, with its name and its space.
    pub fn sync_created(&self, file: FileId) -> Result<()> {
        self.sync_file(file).map(drop)
    }

    /// Asks the system to begin writing out a range of a buffered file, without waiting (S2). Not a word about durability; where the system
    /// cannot, nothing happens.
    pub fn start_write_out(&self, file: FileId, offset: u64, len: u64) {
        if let Ok(Some(handle)) = self.get(file) {
            handle.start_write_out(offset, len);
        }
    }

    /// Syncs every data file and the folder, written or not: the first step after an unclean stop.
    pub fn sync_everything(&self) -> Result<()> {
        for file in self.list()? {
            // Not kept open: there may be more files than the process may have open.
            let ctx = |e| Error::io(format!("syncing data file {}", path(file)), e);
            let handle = self.disk.open(&path(file), OpenMode::Existing, Access::Pages).map_err(ctx)?;
            handle.sync().map_err(ctx)?;
        }
        self.sync_names()
    }

    /// Cuts a file to `blocks` pages and syncs it. A failed cut leaves a longer file, which harms nothing; a failed sync poisons.
    pub fn truncate(&self, file: FileId, blocks: u32, poison: &Poison) -> Result<()> {
        let handle = self.must_get(file)?;
        let bytes = u64::from(blocks) * crate::base::PAGE_BYTES as u64;
        let ctx = |e| Error::io(format!("truncating data file {}", path(file)), e);
        // First: a cut that fails may have cut.
        self.marks.lock().newest.retain(|f, (_, block)| *f != file || *block < blocks);
        if handle.len().map_err(ctx)? > bytes {
            handle.truncate(bytes).map_err(ctx)?;
        }
        handle.sync().map_err(|e| poison.set(format!("syncing data file {} failed: {e}", path(file))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{CrashPolicy, SimDisk, SimOptions};

    const FILE: FileId = FileId(17);

    fn with_file() -> (SimDisk, Files) {
        let disk = SimDisk::new(SimOptions { data_cached: true, ..SimOptions::default() });
        disk.create_dir(DIR).unwrap();
        disk.sync_dir("").unwrap();
        let files = Files::new(Arc::new(disk.clone()));
        files.create(FILE).unwrap().unwrap().allocate(0, 4 * crate::base::PAGE_BYTES as u64).unwrap();
        files.sync_created(FILE).unwrap();
        (disk, files)
    }

    /// After a power cut that leaves nothing but what was durable.
    fn left(disk: &SimDisk) -> Option<usize> {
        disk.crash_copy_with(CrashPolicy::LoseUnsynced, 1).contents(&path(FILE)).ok().map(|c| c.len())
    }

    #[test]
    fn a_file_is_gone_for_good_once_it_is_removed() {
        let (disk, files) = with_file();
        assert_eq!(left(&disk), Some(4 * crate::base::PAGE_BYTES));
        files.remove(FILE).unwrap();
        assert_eq!(left(&disk), None);
    }

    /// Whoever removes it has not come to the sync yet.
    #[test]
    fn a_sync_of_a_file_that_is_being_removed_makes_that_durable() {
        let (disk, files) = with_file();
        disk.remove(&path(FILE)).unwrap();
        let files = Files::new(files.disk.clone());
        assert!(left(&disk).is_some());
        files.sync_file(FILE).unwrap();
        assert_eq!(left(&disk), None);
    }

    #[test]
    fn a_cut_of_a_file_is_durable() {
        let (disk, files) = with_file();
        files.truncate(FILE, 1, &Poison::default()).unwrap();
        assert_eq!(left(&disk), Some(crate::base::PAGE_BYTES));
    }
}
