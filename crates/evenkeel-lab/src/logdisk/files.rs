//! Temporary files in the user's folder, which leave no trace.
//!
//! Invariants
//! 1. A file is removed when its owner is dropped: at the end, at an error, at an interruption.
//! 2. What a killed run left is removed by the next one in the folder; a run still going is left alone, as it holds the lock of
//!    its file.
//!
//! A file is never unlinked before its end: some file systems make a file without a name durable in no time at all.
//!
//! It must not know what the files are for.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

const PREFIX: &str = "evenkeel-logdisk-";
const SUFFIX: &str = ".tmp";

/// A file that goes when this is dropped.
#[derive(Debug)]
pub struct TempFile {
    path: PathBuf,
    /// Holds the lock.
    file: File,
}

impl TempFile {
    /// Creates an empty one.
    pub fn create(folder: &Path, label: &str) -> io::Result<TempFile> {
        let path = folder.join(format!("{PREFIX}{}-{label}{SUFFIX}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        let temp = TempFile { path, file };
        rustix::fs::flock(&temp.file, FlockOperation::NonBlockingLockExclusive)?;
        Ok(temp)
    }

    /// Its name, for opening it again with other flags.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, through the page cache.
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // If that fails the next run tries again; there is nobody to tell.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether a file of this name is one of a run's.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Removes what killed runs left.
pub fn remove_left_over(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(is_temporary);
        if !ours || !entry.file_type()?.is_file() {
            continue;
        }
        // Gone meanwhile, or not ours to open: not a reason to stop.
        let Ok(file) = File::open(entry.path()) else { continue };
        if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_run_left_goes_and_what_another_uses_stays() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("evenkeel-logdisk-1-log.tmp"), "left over").unwrap();
        std::fs::write(dir.path().join("precious"), "the user's").unwrap();
        let in_use = TempFile::create(dir.path(), "log").unwrap();
        remove_left_over(dir.path()).unwrap();
        let own = in_use.path().file_name().unwrap().to_str().unwrap().to_string();
        assert_eq!(names(dir.path()), [own, "precious".to_string()]);
        drop(in_use);
        assert_eq!(names(dir.path()), ["precious"]);
    }
}
