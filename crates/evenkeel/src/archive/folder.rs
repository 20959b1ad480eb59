//! An archive in a folder: `file://` URLs and plain paths.
//!
//! Invariants
//! 1. An object's file gets its name only when it is whole and synced, by a hard link, which fails where the name is taken.
//! 2. Replacing holds the lock of `.lock` and compares first.
//! 3. No object is said to be there before its name is durable, and the names of all folders on the way: also not one that an attempt cut short has left.
//! 4. Folders and files are their owner's alone, whatever the umask. No symbolic link is followed at a file's name when it is written.

use super::store::{ArchiveStore, StoreError, Version, version_of};
use crate::base::sync::Mutex;
use std::collections::HashSet;
use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Begins the names of files that are being made.
const TEMPORARY: &str = ".new-";
/// One that has not been written to for so long was left by a process that has ended.
const LEFT: Duration = Duration::from_secs(86_400);
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Makes what was done to the names in a folder durable.
type SyncFolder = Box<dyn Fn(&Path) -> io::Result<()> + Send + Sync>;

/// See the file's head.
pub struct FolderStore {
    root: PathBuf,
    /// Folders whose names, and those of all above them, are durable.
    durable: Mutex<HashSet<PathBuf>>,
    sync_folder: SyncFolder,
}

impl fmt::Debug for FolderStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FolderStore").field("root", &self.root).finish_non_exhaustive()
    }
}

impl FolderStore {
    /// In this folder, which is made with the first object.
    pub fn new(root: impl Into<PathBuf>) -> FolderStore {
        FolderStore::with_sync(root.into(), Box::new(|folder| File::open(folder)?.sync_all()))
    }

    fn with_sync(root: PathBuf, sync_folder: SyncFolder) -> FolderStore {
        FolderStore { root, durable: Mutex::default(), sync_folder }
    }

    /// The folder that an archive URL names: `file:///path`, or an absolute path. `None`: it is of another kind.
    pub fn path_of(url: &str) -> Option<PathBuf> {
        let path = url.strip_prefix("file://").unwrap_or(url);
        path.starts_with('/').then(|| PathBuf::from(path))
    }

    fn path(&self, name: &str) -> io::Result<PathBuf> {
        crate::io::check_path(name)?;
        Ok(self.root.join(name))
    }

    /// Makes a folder with all above it that are missing, and their names durable: those that are there may be left by an attempt that was cut short.
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        if self.durable.lock().contains(folder) {
            return Ok(());
        }
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
        remove_left(folder);
        for up in folder.ancestors().skip(1).filter(|up| !up.as_os_str().is_empty()) {
            match (self.sync_folder)(up) {
                // A folder that is not ours to open, or to write to, is none that was made here.
                Err(e)
                    if matches!(e.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
                        && !up.starts_with(&self.root) => {}
                synced => synced?,
            }
            if self.durable.lock().contains(up) {
                break;
            }
        }
        self.durable.lock().extend(folder.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn write_temporary(&self, folder: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = folder.join(format!("{TEMPORARY}{}-{:016x}", std::process::id(), fastrand::u64(..)));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&path)?;
        let written = crate::io::write_gently(&mut file, bytes);
        if written.is_err() {
            let _ = fs::remove_file(&path);
        }
        written.map(|()| path)
    }

    fn create_file(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(name)?;
        let folder = path.parent().unwrap_or(&self.root);
        self.make_folder(folder)?;
        let temporary = self.write_temporary(folder, bytes)?;
        let linked = fs::hard_link(&temporary, &path);
        let _ = fs::remove_file(&temporary);
        if linked.as_ref().is_err_and(|e| e.kind() != ErrorKind::AlreadyExists) {
            return linked;
        }
        match (self.sync_folder)(folder) {
            Ok(()) => linked, // invariant 3 of one that was there, too
            Err(e) => {
                // Another sync may say that all is well, and be wrong: the next attempt begins anew.
                if linked.is_ok() {
                    let _ = fs::remove_file(&path);
                }
                Err(e)
            }
        }
    }

    fn collect(&self, folder: &Path, names: &mut Vec<String>) -> io::Result<()> {
        let entries = match fs::read_dir(folder) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                self.collect(&path, names)?;
            } else if !entry.file_name().to_string_lossy().starts_with('.')
                && let Some(name) = path.strip_prefix(&self.root).ok().and_then(Path::to_str)
            {
                names.push(name.to_owned());
            }
        }
        Ok(())
    }
}

/// Removes what attempts that were cut short have left in a folder. Nothing depends on it.
fn remove_left(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_left = || {
            let written = entry.metadata().ok()?.modified().ok()?;
            Some(written.elapsed().ok()? >= LEFT)
        };
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) && is_left() == Some(true) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn failed(what: &'static str, name: &str) -> impl Fn(io::Error) -> StoreError {
    let name = name.to_owned();
    move |e| StoreError::Failed { what, name: name.clone(), why: e.to_string() }
}

impl ArchiveStore for FolderStore {
    fn describe(&self) -> String {
        format!("file://{}", self.root.display())
    }

    fn create(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.create_file(name, bytes).map_err(|e| match e.kind() {
            ErrorKind::AlreadyExists => StoreError::Exists(name.into()),
            _ => failed("creating", name)(e),
        })
    }

    fn get(&self, name: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        match self.path(name).and_then(fs::read) {
            Ok(bytes) => {
                let version = version_of(&bytes);
                Ok(Some((bytes, version)))
            }
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(failed("reading", name)(e)),
        }
    }

    fn len_bytes(&self, name: &str) -> Result<Option<u64>, StoreError> {
        match self.path(name).and_then(fs::metadata) {
            Ok(m) => Ok(Some(m.len())),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(failed("looking for", name)(e)),
        }
    }

    fn replace(&self, name: &str, bytes: &[u8], version: &Version) -> Result<(), StoreError> {
        let failed = failed("replacing", name);
        let mut lock = OpenOptions::new();
        lock.write(true).create(true).truncate(false).mode(FILE_MODE).custom_flags(libc::O_NOFOLLOW);
        let lock = lock.open(self.root.join(".lock")).map_err(&failed)?;
        lock.lock().map_err(&failed)?;
        if self.get(name)?.is_none_or(|(_, there)| there != *version) {
            return Err(StoreError::Changed(name.into()));
        }
        let path = self.path(name).map_err(&failed)?;
        let folder = path.parent().unwrap_or(&self.root);
        let temporary = self.write_temporary(folder, bytes).map_err(&failed)?;
        fs::rename(&temporary, &path).and_then(|()| (self.sync_folder)(folder)).map_err(&failed)
    }

    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let mut names = Vec::new();
        // Only the folder that the prefix leads to: others may hold any number of objects.
        let folder = prefix.rfind('/').map_or("", |slash| &prefix[..slash]);
        let folder = if folder.is_empty() { Ok(self.root.clone()) } else { self.path(folder) };
        folder.and_then(|folder| self.collect(&folder, &mut names)).map_err(failed("listing", prefix))?;
        names.retain(|n| n.starts_with(prefix));
        names.sort_unstable();
        Ok(names)
    }

    fn delete(&self, name: &str) -> Result<(), StoreError> {
        match self.path(name).and_then(fs::remove_file) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(failed("removing", name)(e)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    #[test]
    fn objects_are_made_once_and_replaced_by_who_read_them_last() {
        let dir = tempfile::tempdir().unwrap();
        let s = FolderStore::new(dir.path().join("a/b"));
        assert!(s.list("").unwrap().is_empty() && s.get("x").unwrap().is_none());
        s.create("wal/1/x", b"one").unwrap();
        assert!(matches!(s.create("wal/1/x", b"two"), Err(StoreError::Exists(_))));
        let (bytes, version) = s.get("wal/1/x").unwrap().unwrap();
        assert_eq!(bytes, b"one");
        s.replace("wal/1/x", b"two", &version).unwrap();
        assert!(matches!(s.replace("wal/1/x", b"three", &version), Err(StoreError::Changed(_))));
        assert_eq!(s.list("wal/").unwrap(), ["wal/1/x"]);
        s.delete("wal/1/x").unwrap();
        s.delete("wal/1/x").unwrap();
        assert!(s.create("../x", b"").is_err() && s.list("").unwrap().is_empty());
    }

    /// A store whose syncs of folders are written down; the `fails`th fails.
    fn watched(root: &Path, fails: usize) -> (FolderStore, Arc<Mutex<Vec<PathBuf>>>) {
        let synced = Arc::new(Mutex::new(Vec::new()));
        let log = synced.clone();
        let sync = move |folder: &Path| {
            log.lock().push(folder.to_owned());
            if log.lock().len() == fails { Err(io::Error::other("the power fails")) } else { Ok(()) }
        };
        (FolderStore::with_sync(root.to_owned(), Box::new(sync)), synced)
    }

    #[test]
    fn nothing_is_said_to_be_there_before_its_name_and_those_of_its_folders_are_durable() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("a/b");
        let on_the_way = ["a/b/wal/1", "a/b/wal", "a/b", "a", ""].map(|d| dir.path().join(d));
        let all = |synced: &[PathBuf]| on_the_way.iter().all(|d| synced.contains(d));
        // Cut short at each call in turn; whoever comes then, a new process, finds what it has left.
        let mut calls = 0;
        for fails in 1.. {
            let (s, _) = watched(&root, fails);
            if s.create(&format!("wal/1/{fails}"), b"x").is_ok() {
                break;
            }
            calls = fails;
            let (s, synced) = watched(&root, 0);
            let again = s.create(&format!("wal/1/{fails}"), b"x");
            assert!(matches!(again, Ok(()) | Err(StoreError::Exists(_))), "{again:?}");
            assert!(all(&synced.lock()), "after a failure at call {fails}: {:?}", synced.lock());
        }
        assert!(calls > on_the_way.len(), "{calls}");
        // An attempt that was cut short between the link and the sync, by the process's end.
        fs::write(root.join("wal/1/left"), b"x").unwrap();
        let (s, synced) = watched(&root, 0);
        assert!(matches!(s.create("wal/1/left", b"x"), Err(StoreError::Exists(_))));
        assert!(all(&synced.lock()), "{:?}", synced.lock());
        // Known by then: one more object costs one more sync.
        let before = synced.lock().len();
        s.create("wal/1/more", b"x").unwrap();
        assert_eq!(synced.lock().len(), before + 1);
    }

    #[test]
    fn what_a_crash_has_left_half_written_goes_after_a_day() {
        let dir = tempfile::tempdir().unwrap();
        let wal = dir.path().join("wal/1");
        fs::create_dir_all(&wal).unwrap();
        for (name, age) in [(".new-1-old", 2 * LEFT), (".new-1-young", LEFT / 2), ("object", 2 * LEFT)] {
            let file = File::create(wal.join(name)).unwrap();
            file.set_modified(std::time::SystemTime::now() - age).unwrap();
        }
        FolderStore::new(dir.path()).create("wal/1/more", b"x").unwrap();
        let mut left: Vec<_> = fs::read_dir(&wal).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".new-1-young", "more", "object"]);
    }

    #[test]
    fn a_folder_is_synced_by_the_kernel() {
        let dir = tempfile::tempdir().unwrap();
        let s = FolderStore::new(dir.path());
        let refused = crate::io::without_syncs(|| (s.sync_folder)(dir.path()));
        assert_eq!(refused.unwrap_err().raw_os_error(), Some(libc::EIO));
        (s.sync_folder)(dir.path()).unwrap();
    }

    #[test]
    fn all_of_it_is_its_owners_alone() {
        fn look(folder: &Path, found: &mut usize) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
                assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{path:?}");
                *found += 1;
                if path.is_dir() {
                    look(&path, found);
                }
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let s = FolderStore::new(dir.path().join("new/archive"));
        s.create("wal/1/x", b"one").unwrap();
        let (_, version) = s.get("wal/1/x").unwrap().unwrap();
        s.replace("wal/1/x", b"two", &version).unwrap();
        let mut found = 0;
        look(dir.path(), &mut found);
        assert_eq!(found, 6, "new, archive, .lock, wal, 1, x");
    }

    #[test]
    fn a_prefix_lists_its_own_folder_and_what_is_below() {
        let dir = tempfile::tempdir().unwrap();
        let s = FolderStore::new(dir.path());
        for name in ["owner", "owner-2", "wal/1/a", "wal/1/ab", "wal/10/a", "backups/x/y"] {
            s.create(name, b"").unwrap();
        }
        assert_eq!(s.list("own").unwrap(), ["owner", "owner-2"]);
        assert_eq!(s.list("wal/1").unwrap(), ["wal/1/a", "wal/1/ab", "wal/10/a"]);
        assert_eq!(s.list("wal/1/a").unwrap(), ["wal/1/a", "wal/1/ab"]);
        assert_eq!(s.list("backups/").unwrap(), ["backups/x/y"]);
        assert_eq!(s.list("").unwrap().len(), 6);
        // Of a folder that cannot be read nothing is asked, unless the prefix leads there.
        fs::remove_dir_all(dir.path().join("backups")).unwrap();
        fs::write(dir.path().join("backups"), b"").unwrap();
        assert_eq!(s.list("wal/1/ab").unwrap(), ["wal/1/ab"]);
        assert!(s.list("nothing/there").unwrap().is_empty() && s.list("../").is_err());
    }

    #[test]
    fn urls_of_folders_are_told_from_others() {
        assert_eq!(FolderStore::path_of("file:///a/b"), Some("/a/b".into()));
        assert_eq!(FolderStore::path_of("/a/b"), Some("/a/b".into()));
        assert!(FolderStore::path_of("s3://bucket/a").is_none() && FolderStore::path_of("a/b").is_none());
    }
}
