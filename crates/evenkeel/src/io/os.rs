//! Files of the operating system.
//!
//! Duty: the [`Disk`] and [`File`] traits over Linux system calls, and the ways around file systems that lack
//! unbuffered access or preallocation.
//!
//! Invariants:
//!
//! 1. Every path is resolved from the folder's own descriptor, so that moving the folder or changing the working directory
//!    while it is open does no harm.
//! 2. A write that the kernel took goes to the file it was meant for in the order given; memory alignment is never
//!    the caller's problem (unaligned memory is copied first).
//! 3. Giving up unbuffered access never gives up durability: O_DSYNC, O_SYNC or RWF_DSYNC stays.
//!
//! Must not know: what the files contain.

mod descriptors;
mod file;
mod lock;

pub use descriptors::{descriptor_limit, raise_descriptor_limit};

use std::fs::DirBuilder;
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, StatxFlags};
use rustix::io::{Errno, ReadWriteFlags, retry_on_intr};

use descriptors::Descriptors;
use file::OsFile;

use super::uring::Rings;
use super::{
    ALIGN, Access, AlignedBuf, AtomicWrites, Disk, File, IOV_MAX, OpenMode, check_dir, check_path,
    check_rename, invalid_input, is_sector_aligned, write_all_at,
};

/// Zeros written in one call where the file system cannot preallocate, in bytes.
const ZERO_FILL_BYTES: usize = 1 << 20;

/// What [`write_gently`] gives to the device at a time, in bytes.
const GENTLE_BYTES: usize = 256 << 10;

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// How log writes become durable: PostgreSQL's `wal_sync_method`, and `direct`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogSync {
    /// Through the page cache, then fdatasync(2).
    Fdatasync,
    /// Through the page cache, then fsync(2).
    Fsync,
    /// O_DSYNC, through the page cache.
    OpenDatasync,
    /// O_SYNC, through the page cache.
    OpenSync,
    /// O_DSYNC past the page cache (O_DIRECT).
    #[default]
    Direct,
    /// Past the page cache, each write durable by itself (RWF_DSYNC), through io_uring.
    IoUring,
}

impl LogSync {
    /// All, in the order of [`LogSync::NAMES`].
    pub const ALL: [LogSync; 6] = [
        LogSync::Fdatasync,
        LogSync::Fsync,
        LogSync::OpenDatasync,
        LogSync::OpenSync,
        LogSync::Direct,
        LogSync::IoUring,
    ];
    /// Their names.
    pub const NAMES: [&str; 6] = ["fdatasync", "fsync", "open_datasync", "open_sync", "direct", "io_uring"];

    /// Its name, as in `wal_sync_method`.
    pub fn name(self) -> &'static str {
        LogSync::NAMES[self as usize]
    }

    /// Writes are durable only after a sync.
    fn by_call(self) -> bool {
        matches!(self, LogSync::Fdatasync | LogSync::Fsync)
    }
}

/// How an [`OsDisk`] reaches the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OsOptions {
    /// Open data files past the page cache (O_DIRECT). Log files are opened as `log_sync` says.
    pub direct: bool,
    /// Make log writes and syncs durable. Without it a power cut may lose or mix anything: for throw-away data only.
    pub fsync: bool,
    /// How log writes become durable.
    pub log_sync: LogSync,
    /// Data files that have a descriptor at a time, at least one: of more, the least recently used are closed, and opened again when they are needed.
    pub data_files_max: usize,
}

/// [`OsOptions::data_files_max`] if nobody says otherwise.
pub const DATA_FILES_MAX: usize = 1000;

impl Default for OsOptions {
    fn default() -> OsOptions {
        OsOptions { direct: true, fsync: true, log_sync: LogSync::Direct, data_files_max: DATA_FILES_MAX }
    }
}

/// A database folder of the operating system.
#[derive(Debug)]
pub struct OsDisk {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    root_path: PathBuf,
    root: OwnedFd,
    options: OsOptions,
    /// For log writes, where the method is io_uring.
    rings: Option<Rings>,
    /// The loss of unbuffered access has been reported.
    warned: AtomicBool,
    descriptors: Descriptors,
}

impl OsDisk {
    /// Opens the folder, creating it and its missing parents (mode 0700, each durable in its own parent) if need be.
    pub fn new(root: &Path, options: OsOptions) -> io::Result<OsDisk> {
        create_folder(root, options.fsync)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = retry_on_intr(|| rustix::fs::open(root, flags, Mode::empty()))?;
        let root_path = root.to_path_buf();
        let rings = if options.log_sync == LogSync::IoUring { Some(Rings::new()?) } else { None };
        Ok(OsDisk {
            shared: Arc::new(Shared {
                root_path,
                root: fd,
                options,
                rings,
                warned: AtomicBool::new(false),
                descriptors: Descriptors::new(options.data_files_max),
            }),
        })
    }

    /// Makes the names of the folder and of those that it lies in durable, before anything in it has to be: whoever made them, an attempt that was cut short or somebody
    /// else, need not have done it.
    pub fn sync_path(&self) -> io::Result<()> {
        if !self.shared.options.fsync {
            return Ok(());
        }
        for up in std::path::absolute(&self.shared.root_path)?.ancestors().skip(1) {
            match std::fs::File::open(up).and_then(sync_dir_fd) {
                // A folder that is not ours to open, or to write to, is none that was made for this one.
                Err(e) if matches!(e.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
                    break;
                }
                synced => synced?,
            }
        }
        Ok(())
    }

    /// The folder, as it was given.
    pub fn root(&self) -> &Path {
        &self.shared.root_path
    }

    fn open_dir(&self, path: &str) -> io::Result<OwnedFd> {
        check_dir(path)?;
        let name = if path.is_empty() { "." } else { path };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(self.shared.open_fd(name, flags)?)
    }
}

impl Shared {
    /// Opens a file or folder. If the process or the system has no descriptor left, data files give theirs up one by one.
    fn open_fd(&self, path: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        loop {
            match retry_on_intr(|| rustix::fs::openat(&self.root, path, flags, FILE_MODE)) {
                Err(Errno::MFILE | Errno::NFILE) if self.descriptors.close_one() => {}
                result => return result,
            }
        }
    }

    /// Says once that files of this folder go through the page cache although they should not.
    fn warn_buffered(&self) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                folder = %self.root_path.display(),
                "the file system refuses unbuffered access (O_DIRECT); using the page cache"
            );
        }
    }
}

/// Durable data, without the file's times. Not `OFlags::DSYNC`: rustix 1.1.6 defines that as O_SYNC, with which each flush commits the file's
/// times to the journal as well, one or two more device writes.
const DSYNC: OFlags = OFlags::from_bits_retain(libc::O_DSYNC as u32);

/// RWF_ATOMIC of `linux/fs.h` (Linux 6.11): the write happens wholly or not at all. libc and rustix do not name it for every target.
const ATOMIC: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x40);
/// STATX_WRITE_ATOMIC of `linux/stat.h` (Linux 6.11).
const WRITE_ATOMIC: StatxFlags = StatxFlags::from_bits_retain(0x1_0000);

impl OsDisk {
    fn open_file(&self, path: &str, mode: OpenMode, access: Access) -> io::Result<Arc<OsFile>> {
        check_path(path)?;
        let shared = &self.shared;
        let mut flags = OFlags::RDWR | OFlags::CLOEXEC;
        flags |= match mode {
            OpenMode::Existing => OFlags::empty(),
            OpenMode::CreateNew => OFlags::CREATE | OFlags::EXCL,
            OpenMode::CreateIfMissing => OFlags::CREATE,
        };
        let method = shared.options.log_sync;
        if access == Access::Log && shared.options.fsync {
            flags |= match method {
                LogSync::Direct | LogSync::OpenDatasync => DSYNC,
                LogSync::OpenSync => OFlags::from_bits_retain(libc::O_SYNC as u32),
                LogSync::Fdatasync | LogSync::Fsync | LogSync::IoUring => OFlags::empty(),
            };
        }
        let direct = match access {
            Access::Data | Access::Pages => shared.options.direct,
            Access::Log => matches!(method, LogSync::Direct | LogSync::IoUring),
            Access::Buffered => false,
        };
        // Of a file system that cannot be written what is there can be looked at all the same.
        let open = |flags: OFlags| match shared.open_fd(path, flags) {
            Err(Errno::ROFS) if mode == OpenMode::Existing => {
                shared.open_fd(path, (flags - OFlags::RDWR) | OFlags::RDONLY)
            }
            result => result,
        };
        let (fd, direct) = if direct {
            match open(flags | OFlags::DIRECT) {
                Err(Errno::INVAL) => {
                    // The kernel may have created the file before it refused the flag.
                    let fd = open(flags).or_else(|error| match error {
                        Errno::EXIST => open(flags - OFlags::EXCL),
                        other => Err(other),
                    })?;
                    shared.warn_buffered();
                    (fd, false)
                }
                result => (result?, true),
            }
        } else {
            (open(flags)?, false)
        };
        let may_close = (access == Access::Pages).then(|| path.to_owned());
        Ok(OsFile::new(fd, may_close, access, direct, shared))
    }
}

impl Disk for OsDisk {
    fn open(&self, path: &str, mode: OpenMode, access: Access) -> io::Result<Arc<dyn File>> {
        Ok(self.open_file(path, mode, access)?)
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        check_path(path)?;
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&self.shared.root, path, AtFlags::empty()))?)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        check_rename(from, to)?;
        let root = &self.shared.root;
        Ok(retry_on_intr(|| rustix::fs::renameat(root, from, root, to))?)
    }

    fn modified_us(&self, path: &str) -> io::Result<Option<i64>> {
        check_path(path)?;
        match retry_on_intr(|| rustix::fs::statat(&self.shared.root, path, AtFlags::empty())) {
            Ok(stat) => Ok(Some(stat.st_mtime.saturating_mul(1_000_000) + stat.st_mtime_nsec as i64 / 1000)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn exists(&self, path: &str) -> io::Result<bool> {
        check_path(path)?;
        match retry_on_intr(|| rustix::fs::statat(&self.shared.root, path, AtFlags::empty())) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let fd = self.open_dir(dir)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&fd)? {
            let entry = entry?;
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                // Some file systems do not say; and a file may have gone since.
                match retry_on_intr(|| rustix::fs::statat(&fd, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW))
                {
                    Ok(stat) => kind = FileType::from_raw_mode(stat.st_mode),
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(error.into()),
                }
            }
            // All names of ours are ASCII; whatever else someone put here is not listed.
            if let (FileType::RegularFile, Ok(name)) = (kind, entry.file_name().to_str()) {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        check_path(path)?;
        let mode = Mode::from_raw_mode(FOLDER_MODE);
        match retry_on_intr(|| rustix::fs::mkdirat(&self.shared.root, path, mode)) {
            // Something of this name exists: fine if it is a directory.
            Err(Errno::EXIST) => self.open_dir(path).map(drop),
            result => Ok(result?),
        }
    }

    fn sync_dir(&self, path: &str) -> io::Result<()> {
        let fd = self.open_dir(path)?;
        if self.shared.options.fsync { sync_dir_fd(&fd) } else { Ok(()) }
    }

    fn atomic_writes(&self, dir: &str) -> io::Result<AtomicWrites> {
        check_dir(dir)?;
        if !self.shared.options.direct {
            return Ok(AtomicWrites::NONE); // the page cache writes as it likes
        }
        // Asked of a nameless file, opened as data files are: the limits are those of a file, not of a directory.
        let name = if dir.is_empty() { "." } else { dir };
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::DIRECT | OFlags::CLOEXEC;
        let fd = match self.shared.open_fd(name, flags) {
            // A file system without nameless files or unbuffered access has no atomic writes either.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => return Ok(AtomicWrites::NONE),
            result => result?,
        };
        match retry_on_intr(|| rustix::fs::statx(&fd, "", AtFlags::EMPTY_PATH, WRITE_ATOMIC)) {
            Ok(stat) if stat.stx_mask & WRITE_ATOMIC.bits() != 0 => Ok(AtomicWrites {
                unit_min_bytes: stat.stx_atomic_write_unit_min,
                unit_max_bytes: stat.stx_atomic_write_unit_max,
            }),
            Ok(_) | Err(Errno::NOSYS) => Ok(AtomicWrites::NONE),
            Err(error) => Err(error.into()),
        }
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        let stat = retry_on_intr(|| rustix::fs::fstatvfs(&self.shared.root))?;
        Ok(Some(stat.f_bavail.saturating_mul(stat.f_frsize)))
    }

    fn lock(&self) -> io::Result<Box<dyn Send + Sync>> {
        Ok(Box::new(lock::folder(&self.shared.root)?))
    }

    fn lock_file(&self, path: &str) -> io::Result<Box<dyn Send + Sync>> {
        check_path(path)?;
        Ok(Box::new(lock::file(&self.shared.root, path)?))
    }
}

/// Creates a folder and its missing parents, each synced into its own parent.
fn create_folder(path: &Path, durable: bool) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    create_folder(parent, durable)?;
    match DirBuilder::new().mode(FOLDER_MODE).create(path) {
        // Someone else was faster: also fine, and their entry may not be durable yet.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(no_folder(path)),
        result => result?,
    }
    if durable { sync_dir_fd(std::fs::File::open(parent)?) } else { Ok(()) }
}

/// What stands where a folder is to be.
fn no_folder(path: &Path) -> io::Error {
    match std::fs::read_link(path) {
        Ok(to) => io::Error::new(
            ErrorKind::NotFound,
            format!(
                "{} is a link to {}, which is not there: is its disk mounted?",
                path.display(),
                to.display()
            ),
        ),
        Err(_) => {
            io::Error::new(ErrorKind::NotADirectory, format!("{} is there, and no folder", path.display()))
        }
    }
}

/// Writes a file from its beginning and makes it durable, giving its bytes to the device in small pieces, each after the one before is there:
/// what somebody else writes meanwhile never waits behind more than one of them. Blocks until all is durable.
pub fn write_gently(file: &mut std::fs::File, bytes: &[u8]) -> io::Result<()> {
    const WHOLE: libc::c_uint =
        libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    write_in_pieces(file, bytes, |file, offset, len| sync_file_range(file.as_fd(), offset, len, WHOLE))
}

fn write_in_pieces(
    file: &mut std::fs::File,
    bytes: &[u8],
    mut write_out: impl FnMut(&std::fs::File, u64, u64) -> Result<(), Errno>,
) -> io::Result<()> {
    let mut offset = 0;
    for piece in bytes.chunks(GENTLE_BYTES) {
        file.write_all(piece)?;
        match write_out(file, offset, piece.len() as u64) {
            Err(Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL | Errno::SPIPE | Errno::PERM) => {} // then the sync does it all
            // A call that waits takes a failed write's error with it: the sync would not tell of it again.
            done => done?,
        }
        offset += piece.len() as u64;
    }
    file.sync_all()
}

fn sync_file_range(fd: BorrowedFd<'_>, offset: u64, len: u64, flags: libc::c_uint) -> Result<(), Errno> {
    let (Ok(offset), Ok(len)) = (i64::try_from(offset), i64::try_from(len)) else { return Err(Errno::INVAL) };
    // SAFETY: the descriptor is open; the call takes no memory of ours.
    match unsafe { libc::sync_file_range(fd.as_raw_fd(), offset, len, flags) } {
        0 => Ok(()),
        _ => Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)),
    }
}

/// Syncs a directory; file systems that have no such thing say EINVAL or EBADF, and need none.
fn sync_dir_fd(fd: impl AsFd) -> io::Result<()> {
    match rustix::fs::fsync(fd) {
        Err(Errno::INVAL | Errno::BADF) => Ok(()),
        result => Ok(result?),
    }
}

#[cfg(test)]
mod refused_tests;
#[cfg(test)]
pub(super) mod refusing;
#[cfg(test)]
mod tests;
