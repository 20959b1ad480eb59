#![doc = include_str!("README.md")]
//!
//! Duty of this file: the two traits everything above uses to reach storage, and the helpers that
//! turn their partial reads and writes into whole ones.
//!
//! Invariants:
//!
//! 1. A path is relative, `/`-separated, and never leaves the database folder ([`check_path`]).
//! 2. [`read_exact_at`] and [`write_all_at`] ask only for offsets and lengths that are sector
//!    aligned when the caller's range is, also when they continue after a partial transfer.
//!
//! Must not know: pages, log records, or any other module of this crate.

mod buf;
pub(crate) mod forward;
mod latency;
mod os;
mod sim;
mod uring;
mod whole;

use std::fmt::Debug;
use std::io::{self, IoSlice};
use std::sync::Arc;

pub use buf::{ALIGN, AlignedBuf};
pub use latency::LatencyDisk;
pub use os::{
    DATA_FILES_MAX, LogSync, OsDisk, OsOptions, descriptor_limit, raise_descriptor_limit, write_gently,
};
pub use sim::{
    CrashPolicy, Fault, SimCall, SimCallKind, SimCounters, SimDisk, SimFault, SimGate, SimHook, SimOptions,
};
pub use whole::{read_whole, replace_whole, write_whole};

/// The smallest unit that a disk writes whole, and the alignment that unbuffered access needs, in bytes.
pub const SECTOR: usize = 512;

/// The most slices handed to one vectored write; more are written in pieces.
pub const IOV_MAX: usize = 1024;

/// Attempts of [`read_exact_at`] and [`write_all_at`] that may go by without a new byte transferred.
const STALLED_ATTEMPTS_MAX: u32 = 16;

/// The name of the lock file in the root of a database folder.
pub const LOCK_FILE: &str = "lock";

/// The files of one database folder.
///
/// Paths are relative to the folder and `/`-separated, such as `wal/000000010000.seg`; `""` names the
/// folder itself where a directory is asked for. Errors keep the kind (and, from the operating system, the
/// code) of their cause; the caller adds the path.
pub trait Disk: Send + Sync + Debug {
    /// Opens a file for reading and writing. Creating it does not make its entry durable: see [`Disk::sync_dir`].
    fn open(&self, path: &str, mode: OpenMode, access: Access) -> io::Result<Arc<dyn File>>;

    /// Removes a file. Open handles keep working on the nameless file.
    fn remove(&self, path: &str) -> io::Result<()>;

    /// Renames a file within its directory, atomically replacing a file of the new name.
    /// Moving between directories is `InvalidInput`: no one sync would make it durable.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Whether a file or directory of this name exists.
    fn exists(&self, path: &str) -> io::Result<bool>;

    /// The names of the files (not directories) in a directory, sorted.
    fn list(&self, dir: &str) -> io::Result<Vec<String>>;

    /// When a file was written last, microseconds since the Unix epoch; `None` where nobody knows, or there is none. For whoever looks: nothing is decided by it.
    fn modified_us(&self, _path: &str) -> io::Result<Option<i64>> {
        Ok(None)
    }

    /// Creates a directory in an existing one. It is no error if it exists already.
    fn create_dir(&self, path: &str) -> io::Result<()>;

    /// Makes every creation, removal and renaming in a directory durable. Blocks for the device.
    fn sync_dir(&self, path: &str) -> io::Result<()>;

    /// What [`File::write_atomic_at`] can do for data files in a directory. By default nothing.
    fn atomic_writes(&self, _dir: &str) -> io::Result<AtomicWrites> {
        Ok(AtomicWrites::NONE)
    }

    /// Bytes that can still be written to this disk; `None` where nobody knows.
    fn free_bytes(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// Takes the folder for this owner alone, until the guard is dropped, whatever happens to names meanwhile. `WouldBlock` when another
    /// process has it, `ResourceBusy` when this one has.
    fn lock(&self) -> io::Result<Box<dyn Send + Sync>>;

    /// Takes a file or a folder of the folder likewise, by whatever name or link it is reached. By default nothing: no second way leads there.
    fn lock_file(&self, _path: &str) -> io::Result<Box<dyn Send + Sync>> {
        Ok(Box::new(()))
    }
}

/// The writes that a device does wholly or not at all, whenever its power fails: a power of two of bytes between these limits, at an offset
/// that is a multiple of its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicWrites {
    /// The shortest, in bytes.
    pub unit_min_bytes: u32,
    /// The longest, in bytes; 0 if there are none.
    pub unit_max_bytes: u32,
}

impl AtomicWrites {
    /// None.
    pub const NONE: AtomicWrites = AtomicWrites { unit_min_bytes: 0, unit_max_bytes: 0 };

    /// Whether a write of `len` bytes, a power of two, is one of them.
    pub fn covers(self, len: usize) -> bool {
        (self.unit_min_bytes as usize..=self.unit_max_bytes as usize).contains(&len)
    }
}

/// What [`Disk::open`] does about a file that exists, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// `NotFound` if it does not exist.
    Existing,
    /// `AlreadyExists` if it exists.
    CreateNew,
    /// Created, empty, if it does not exist.
    CreateIfMissing,
}

/// How a file is accessed. One file may be open in several ways at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Past the page cache where possible; durable at the next [`File::sync`].
    Data,
    /// As `Data`, of one file among many, which is never renamed: it may be without a descriptor while nobody uses it.
    Pages,
    /// The log: a write that has returned is durable, and with it the file length it needs; unless
    /// [`File::log_needs_sync`] says that it is so only after the next [`File::sync`].
    Log,
    /// Through the page cache, any alignment; durable at the next [`File::sync`].
    Buffered,
}

/// An open file. Reads and writes name their offset, so that any number of threads may share it.
///
/// All access but `Buffered` takes offsets and lengths that are multiples of [`SECTOR`] (of the device's
/// logical block where that is larger) and is fastest from memory that is aligned to [`ALIGN`].
pub trait File: Send + Sync + Debug {
    /// Reads at an offset; returns the bytes read, which may be fewer than asked for; 0 at the end of the file.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes slices one after the other at an offset; returns the bytes written, which may be fewer than given.
    fn write_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> io::Result<usize>;

    /// Writes the bytes wholly or not at all, whatever happens; not durable before the next [`File::sync`]. For [`Access::Data`] and [`Access::Pages`], within the limits of
    /// [`Disk::atomic_writes`]; anything else is an error without effect.
    fn write_atomic_at(&self, _buf: &[u8], _offset: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Makes all writes and changes of length that ended before this call durable. Blocks for the device.
    fn sync(&self) -> io::Result<()>;

    /// Asks the system to begin writing out a range, if it goes through a cache, and does not wait for it. Says nothing about durability.
    fn start_write_out(&self, _offset: u64, _len: u64) {}

    /// Whether writes through [`Access::Log`] have to be followed by a [`File::sync`] to be durable.
    fn log_needs_sync(&self) -> bool {
        false
    }

    /// Whether reads may come from a page cache: then what is read is not sure to be on the device, not even after a sync that succeeds, if one failed before.
    fn is_cached(&self) -> bool {
        false
    }

    /// The length in bytes.
    fn len(&self) -> io::Result<u64>;

    /// Whether the file has no bytes.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Obtains space for a range, growing the file to cover it, so that later writes into it do not run out of
    /// space. What grows reads as zeros; existing bytes are kept.
    fn allocate(&self, offset: u64, len: u64) -> io::Result<()>;

    /// Sets the length; what is cut off is gone, what is added reads as zeros and has no space yet.
    fn truncate(&self, len: u64) -> io::Result<()>;
}

/// Fills a buffer from an offset. `UnexpectedEof` when the file ends before it is full, in which case the
/// buffer's contents are unspecified.
pub fn read_exact_at(file: &dyn File, buf: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0usize;
    let mut stalled = 0;
    while done < buf.len() {
        let from = restart_point(done, offset);
        let count = match file.read_at(&mut buf[from..], offset + from as u64) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if from + count > done {
            done = from + count;
            stalled = 0;
        } else {
            // Nothing new: the end of the file, or a device that keeps answering with less than a sector.
            stalled += 1;
            if count == 0 || offset + done as u64 >= file.len()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if stalled >= STALLED_ATTEMPTS_MAX {
                return Err(io::Error::other("the device returns no further bytes"));
            }
        }
    }
    Ok(())
}

/// Writes all slices at an offset, in several calls if need be. On an error any part may have been written.
///
/// A partial write is continued from the sector boundary below the point it reached, so that unbuffered files
/// accept it; the bytes between are written again, unchanged. `WriteZero` when the file takes no bytes.
pub fn write_all_at(file: &dyn File, bufs: &mut [IoSlice<'_>], offset: u64) -> io::Result<()> {
    let total: usize = bufs.iter().map(|buf| buf.len()).sum();
    let mut done = 0usize;
    let mut stalled = 0;
    while done < total {
        let from = restart_point(done, offset);
        let result = if from == 0 && bufs.len() <= IOV_MAX {
            file.write_at(bufs, offset)
        } else {
            file.write_at(&slices_from(bufs, from, offset), offset + from as u64)
        };
        let count = match result {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if from + count > done {
            done = from + count;
            stalled = 0;
        } else {
            stalled += 1;
            if stalled >= STALLED_ATTEMPTS_MAX {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
    }
    debug_assert_eq!(done, total, "a file wrote more than it was given");
    Ok(())
}

/// Where a transfer that starts at `offset` and got `done` bytes far goes on: the sector boundary below, but
/// never before its own start.
fn restart_point(done: usize, offset: u64) -> usize {
    let over = ((offset + done as u64) % SECTOR as u64) as usize;
    done.saturating_sub(over)
}

/// The slices from byte `from` on: as many as one call takes, ending on a sector boundary of the file if they
/// cannot all go along (invariant 2).
fn slices_from<'a>(bufs: &'a [IoSlice<'_>], from: usize, offset: u64) -> Vec<IoSlice<'a>> {
    let mut skip = from;
    let mut rest = bufs.iter().filter_map(|buf| {
        let skipped = skip.min(buf.len());
        skip -= skipped;
        (skipped < buf.len()).then(|| &buf[skipped..])
    });
    let mut parts: Vec<&[u8]> = rest.by_ref().take(IOV_MAX).collect();
    if rest.next().is_some() {
        let end = offset + from as u64 + parts.iter().map(|part| part.len() as u64).sum::<u64>();
        let mut over = (end % SECTOR as u64) as usize;
        if end - over as u64 > offset + from as u64 {
            while let Some(last) = parts.last_mut().filter(|_| over > 0) {
                let cut = over.min(last.len());
                *last = &last[..last.len() - cut];
                over -= cut;
                if last.is_empty() {
                    parts.pop();
                }
            }
        }
    }
    parts.into_iter().map(IoSlice::new).collect()
}

/// Checks that a path stays within the folder (invariant 1): `InvalidInput` for an empty or absolute path, an empty
/// component, `.`, `..` or a NUL.
pub fn check_path(path: &str) -> io::Result<()> {
    let bad = |part: &str| part.is_empty() || part == "." || part == ".." || part.contains('\0');
    if path.split('/').any(bad) {
        Err(invalid_input("not a relative path inside the folder"))
    } else {
        Ok(())
    }
}

/// As [`check_path`], but `""`, the folder itself, is allowed.
fn check_dir(path: &str) -> io::Result<()> {
    if path.is_empty() { Ok(()) } else { check_path(path) }
}

/// The directory a path is in, `""` for the root.
fn parent_of(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

fn check_rename(from: &str, to: &str) -> io::Result<()> {
    check_path(from)?;
    check_path(to)?;
    if parent_of(from) != parent_of(to) {
        return Err(invalid_input("a file is renamed within its directory only"));
    }
    Ok(())
}

fn invalid_input(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Whether a file offset, length or memory address is a multiple of the sector size.
fn is_sector_aligned(value: u64) -> bool {
    value.is_multiple_of(SECTOR as u64)
}

#[cfg(test)]
pub(crate) use os::refusing::without_syncs;
#[cfg(test)]
mod tests;
