//! Folders: copying them, getting them out of the caches, counting them; and what a process has read.
//!
//! It must not know what is in them.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use rustix::fs::{Advice, fadvise, syncfs};

use crate::bench_checkpoints::{Error, io_error};

/// Copies a folder with all that is in it, owners included where that is allowed; an older one is replaced.
pub fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    remove(to)?;
    each(from, &mut |path, meta| {
        let target = to.join(path.strip_prefix(from).expect("below it"));
        let shown = target.display().to_string();
        if meta.is_dir() {
            fs::create_dir(&target).map_err(io_error(&shown))?;
            fs::set_permissions(&target, fs::Permissions::from_mode(meta.mode()))
                .map_err(io_error(&shown))?;
        } else if meta.is_file() {
            fs::copy(path, &target).map_err(io_error(&shown))?;
        } else {
            return Ok(()); // sockets
        }
        if rustix::process::geteuid().is_root() {
            chown(&target, Some(meta.uid()), Some(meta.gid())).map_err(io_error(&shown))?;
        }
        Ok(())
    })
}

/// Removes a folder, if it is there.
pub fn remove(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(io_error(folder.display().to_string())(e)),
        _ => Ok(()),
    }
}

/// Makes a folder's files durable and asks the system to forget them: the next one to read them reads the disk. Needs no privileges.
pub fn drop_caches(folder: &Path) -> Result<(), Error> {
    let shown = folder.display().to_string();
    let dir = File::open(folder).map_err(io_error(&shown))?;
    syncfs(&dir).map_err(|e| io_error(&shown)(e.into()))?;
    each(folder, &mut |path, meta| {
        if meta.is_file() {
            let shown = path.display().to_string();
            let file = File::open(path).map_err(io_error(&shown))?;
            fadvise(&file, 0, None, Advice::DontNeed).map_err(|e| io_error(&shown)(e.into()))?;
        }
        Ok(())
    })
}

/// Bytes of all files in it.
pub fn bytes(folder: &Path) -> Result<u64, Error> {
    let mut sum = 0;
    each(folder, &mut |_, meta| {
        sum += if meta.is_file() { meta.len() } else { 0 };
        Ok(())
    })?;
    Ok(sum)
}

/// Calls for the folder and all in it, folders first.
fn each(path: &Path, f: &mut dyn FnMut(&Path, &fs::Metadata) -> Result<(), Error>) -> Result<(), Error> {
    let shown = path.display().to_string();
    let meta = fs::symlink_metadata(path).map_err(io_error(&shown))?;
    f(path, &meta)?;
    if meta.is_dir() {
        for entry in fs::read_dir(path).map_err(io_error(&shown))? {
            each(&entry.map_err(io_error(&shown))?.path(), f)?;
        }
    }
    Ok(())
}

/// Bytes that a process has read from disks so far; None where the system does not tell.
pub fn read_by(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    text.lines().find_map(|l| l.strip_prefix("read_bytes: "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_holds_the_same_and_replaces_what_was_there() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("a"), dir.path().join("b"));
        fs::create_dir_all(from.join("x/y")).unwrap();
        fs::write(from.join("x/y/file"), "123").unwrap();
        fs::create_dir(&to).unwrap();
        fs::write(to.join("old"), "").unwrap();
        copy(&from, &to).unwrap();
        drop_caches(&to).unwrap();
        assert_eq!(fs::read_to_string(to.join("x/y/file")).unwrap(), "123");
        assert!(!to.join("old").exists());
        assert_eq!(bytes(&to).unwrap(), 3);
        remove(&to).unwrap();
        remove(&to).unwrap();
        assert!(!to.exists());
    }
}
