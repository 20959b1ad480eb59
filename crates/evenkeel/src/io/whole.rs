//! Small files that are read and written as a whole.
//!
//! Invariants
//! 1. What was written is durable, its name too, when the call returns.
//! 2. A file that is replaced is the old one or the new one after a crash, never a mixture.
//!
//! Must not know: what the files say.

use super::{Access, Disk, OpenMode, read_exact_at, write_all_at};
use std::io::{self, IoSlice};

/// A file's bytes, at most `max` of them; `None` if there is none.
pub fn read_whole(disk: &dyn Disk, name: &str, max: u64) -> io::Result<Option<Vec<u8>>> {
    if !disk.exists(name)? {
        return Ok(None);
    }
    let file = disk.open(name, OpenMode::Existing, Access::Buffered)?;
    let mut bytes = vec![0; file.len()?.min(max) as usize];
    read_exact_at(&*file, &mut bytes, 0)?;
    Ok(Some(bytes))
}

/// Writes a file in the root of the folder in place, durably. A crash may leave a part of it: for files whose being there says enough.
pub fn write_whole(disk: &dyn Disk, name: &str, bytes: &[u8]) -> io::Result<()> {
    fill(disk, name, bytes)?;
    disk.sync_dir("")
}

/// Replaces a file in the root of the folder, durably, by way of another that is called the same and `.new`.
pub fn replace_whole(disk: &dyn Disk, name: &str, bytes: &[u8]) -> io::Result<()> {
    let new = format!("{name}.new");
    fill(disk, &new, bytes)?;
    disk.rename(&new, name)?;
    disk.sync_dir("")
}

fn fill(disk: &dyn Disk, name: &str, bytes: &[u8]) -> io::Result<()> {
    let file = disk.open(name, OpenMode::CreateIfMissing, Access::Buffered)?;
    file.truncate(0)?;
    write_all_at(&*file, &mut [IoSlice::new(bytes)], 0)?;
    file.sync()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{CrashPolicy, SimDisk, SimOptions};

    /// What is left of the file after power cuts of all kinds.
    fn left(disk: &SimDisk) -> Vec<Option<Vec<u8>>> {
        let cut = |(seed, policy)| read_whole(&disk.crash_copy_with(policy, seed), "file", 100).unwrap();
        (0..20).map(|s| (s, CrashPolicy::Mixed)).chain([(0, CrashPolicy::LoseUnsynced)]).map(cut).collect()
    }

    #[test]
    fn what_was_written_is_durable_when_the_call_returns() {
        for write in [write_whole, replace_whole] {
            let disk = SimDisk::new(SimOptions::default());
            assert_eq!(read_whole(&disk, "file", 100).unwrap(), None);
            for bytes in [&b"a longer text"[..], b"short", b""] {
                write(&disk, "file", bytes).unwrap();
                assert!(left(&disk).iter().all(|l| l.as_deref() == Some(bytes)), "{bytes:?}");
            }
        }
    }

    #[test]
    fn a_file_that_is_replaced_is_old_or_new() {
        use std::sync::{Arc, Mutex};
        let disk = SimDisk::new(SimOptions::default());
        replace_whole(&disk, "file", b"old").unwrap();
        let copies = Arc::new(Mutex::new(Vec::new()));
        let seen = copies.clone();
        disk.set_hook(Some(Box::new(move |_, disk| seen.lock().unwrap().extend(left(disk)))));
        replace_whole(&disk, "file", b"and now the new").unwrap();
        disk.set_hook(None);
        let copies = copies.lock().unwrap();
        let texts = [&b"old"[..], b"and now the new"];
        assert!(copies.iter().all(|l| texts.contains(&l.as_deref().expect("there is one"))), "{copies:?}");
        assert!(texts.iter().all(|t| copies.iter().any(|l| l.as_deref() == Some(t))));
    }
}
