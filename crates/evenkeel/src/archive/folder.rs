//! An archive in a folder: `file://` URLs and plain paths.
//!
//! Invariants
//! 1. An object's file gets its name only when it is whole and synced, by a hard link, which fails where the name is taken.
//! 2. Replacing holds the lock of `.lock` and compares first.

use super::store::{ArchiveStore, StoreError, Version, version_of};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Begins the names of files that are being made.
const TEMPORARY: &str = ".new-";

/// See the file's head.
#[derive(Debug)]
pub struct FolderStore {
    root: PathBuf,
    next: AtomicU64,
}

impl FolderStore {
    /// In this folder, which is made with the first object.
    pub fn new(root: impl Into<PathBuf>) -> FolderStore {
        FolderStore { root: root.into(), next: AtomicU64::new(0) }
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

    fn write_temporary(&self, folder: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{TEMPORARY}{}-{n}", std::process::id()));
        let mut file = File::create(&path)?;
        let written = crate::io::write_gently(&mut file, bytes);
        if written.is_err() {
            let _ = fs::remove_file(&path);
        }
        written.map(|()| path)
    }

    fn create_file(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(name)?;
        let folder = path.parent().unwrap_or(&self.root);
        let new_folder = !folder.exists();
        let temporary = self.write_temporary(folder, bytes)?;
        let linked = fs::hard_link(&temporary, &path);
        let _ = fs::remove_file(&temporary);
        linked?;
        File::open(folder)?.sync_all()?;
        if new_folder {
            // The folders on the way are new as well.
            for up in folder.ancestors().skip(1).take_while(|up| up.starts_with(&self.root)) {
                File::open(up)?.sync_all()?;
            }
        }
        Ok(())
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
        let lock = File::create(self.root.join(".lock")).map_err(&failed)?;
        lock.lock().map_err(&failed)?;
        if self.get(name)?.is_none_or(|(_, there)| there != *version) {
            return Err(StoreError::Changed(name.into()));
        }
        let path = self.path(name).map_err(&failed)?;
        let folder = path.parent().unwrap_or(&self.root);
        let temporary = self.write_temporary(folder, bytes).map_err(&failed)?;
        fs::rename(&temporary, &path).and_then(|()| File::open(folder)?.sync_all()).map_err(&failed)
    }

    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let mut names = Vec::new();
        self.collect(&self.root, &mut names).map_err(failed("listing", prefix))?;
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

    #[test]
    fn urls_of_folders_are_told_from_others() {
        assert_eq!(FolderStore::path_of("file:///a/b"), Some("/a/b".into()));
        assert_eq!(FolderStore::path_of("/a/b"), Some("/a/b".into()));
        assert!(FolderStore::path_of("s3://bucket/a").is_none() && FolderStore::path_of("a/b").is_none());
    }
}
