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

mod lock;

use std::fs::DirBuilder;
use std::io::{self, IoSlice, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Dir, FallocateFlags, FileType, Mode, OFlags, StatxFlags};
use rustix::io::{Errno, ReadWriteFlags, retry_on_intr};

use super::uring::Rings;
use super::{
    Access, AlignedBuf, AtomicWrites, Disk, File, IOV_MAX, OpenMode, check_dir, check_path, check_rename,
    invalid_input, is_sector_aligned, write_all_at,
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
}

impl Default for OsOptions {
    fn default() -> OsOptions {
        OsOptions { direct: true, fsync: true, log_sync: LogSync::Direct }
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
            shared: Arc::new(Shared { root_path, root: fd, options, rings, warned: AtomicBool::new(false) }),
        })
    }

    /// The folder, as it was given.
    pub fn root(&self) -> &Path {
        &self.shared.root_path
    }

    fn open_dir(&self, path: &str) -> io::Result<OwnedFd> {
        check_dir(path)?;
        let name = if path.is_empty() { "." } else { path };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(retry_on_intr(|| rustix::fs::openat(&self.shared.root, name, flags, Mode::empty()))?)
    }
}

impl Shared {
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

impl Disk for OsDisk {
    fn open(&self, path: &str, mode: OpenMode, access: Access) -> io::Result<Arc<dyn File>> {
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
            Access::Data => shared.options.direct,
            Access::Log => matches!(method, LogSync::Direct | LogSync::IoUring),
            Access::Buffered => false,
        };
        let open = |flags| retry_on_intr(|| rustix::fs::openat(&shared.root, path, flags, FILE_MODE));
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
        let whole_sectors = access != Access::Buffered;
        Ok(Arc::new(OsFile {
            fd,
            whole_sectors,
            is_log: access == Access::Log,
            direct: AtomicBool::new(direct),
            shared: Arc::clone(shared),
        }))
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
        let fd = match retry_on_intr(|| rustix::fs::openat(&self.shared.root, name, flags, FILE_MODE)) {
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

#[derive(Debug)]
struct OsFile {
    fd: OwnedFd,
    /// Writes must be of whole sectors: asked of every data and log file, so that a caller that gets it wrong finds out on any
    /// file system.
    whole_sectors: bool,
    is_log: bool,
    /// The descriptor still has O_DIRECT. Cleared for good when the file system turns out not to support it.
    direct: AtomicBool,
    shared: Arc<Shared>,
}

impl OsFile {
    fn is_direct(&self) -> bool {
        self.direct.load(Ordering::Acquire)
    }

    /// Runs a transfer; if the kernel calls it invalid on an unbuffered file, turns the file to the page cache and runs
    /// it once more (invariant 3). Two threads may both do so; that is harmless.
    fn transfer(&self, mut call: impl FnMut() -> rustix::io::Result<usize>) -> io::Result<usize> {
        match retry_on_intr(&mut call) {
            Err(Errno::INVAL) if self.is_direct() => {
                let flags = rustix::fs::fcntl_getfl(&self.fd)?;
                rustix::fs::fcntl_setfl(&self.fd, flags - OFlags::DIRECT)?;
                self.direct.store(false, Ordering::Release);
                self.shared.warn_buffered();
                Ok(retry_on_intr(call)?)
            }
            result => Ok(result?),
        }
    }

    fn write_once(&self, bufs: &[IoSlice<'_>], offset: u64) -> rustix::io::Result<usize> {
        match &self.shared.rings {
            Some(rings) if self.is_log => {
                rings.write(self.fd.as_fd(), bufs, offset, self.shared.options.fsync)
            }
            _ => rustix::io::pwritev(&self.fd, bufs, offset),
        }
    }

    /// Reads through an aligned buffer of whole sectors: for memory, offsets or lengths that O_DIRECT refuses.
    fn read_bounced(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let align = super::ALIGN as u64;
        let start = offset - offset % align;
        let lead = (offset - start) as usize;
        let whole = (lead + buf.len()).next_multiple_of(super::ALIGN);
        let mut bounce = AlignedBuf::new(whole);
        let count = self.transfer(|| rustix::io::pread(&self.fd, &mut bounce[..], start))?;
        let usable = count.saturating_sub(lead).min(buf.len());
        buf[..usable].copy_from_slice(&bounce[lead..lead + usable]);
        Ok(usable)
    }

    /// Grows the file by writing zeros, for file systems that cannot preallocate. Existing bytes, and holes among them,
    /// stay as they are.
    fn allocate_by_zeros(&self, offset: u64, end: u64) -> io::Result<()> {
        let zeros = AlignedBuf::new(ZERO_FILL_BYTES);
        let mut at = self.len()?.max(offset);
        while at < end {
            let count = (end - at).min(ZERO_FILL_BYTES as u64) as usize;
            write_all_at(self, &mut [IoSlice::new(&zeros[..count])], at)?;
            at += count as u64;
        }
        // Delayed allocation may find out only now that there is no space.
        Ok(retry_on_intr(|| rustix::fs::fdatasync(&self.fd))?)
    }
}

impl File for OsFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let aligned =
            [offset, buf.len() as u64, buf.as_ptr().addr() as u64].into_iter().all(is_sector_aligned);
        if self.is_direct() && !aligned {
            return self.read_bounced(buf, offset);
        }
        self.transfer(|| rustix::io::pread(&self.fd, &mut *buf, offset))
    }

    fn write_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        let bufs = &bufs[..bufs.len().min(IOV_MAX)];
        let total: usize = bufs.iter().map(|buf| buf.len()).sum();
        if self.whole_sectors && !(is_sector_aligned(offset) && is_sector_aligned(total as u64)) {
            return Err(invalid_input("an unbuffered write must start and end on a sector boundary"));
        }
        if self.is_direct() {
            let aligned = |buf: &IoSlice<'_>| {
                is_sector_aligned(buf.len() as u64) && is_sector_aligned(buf.as_ptr().addr() as u64)
            };
            if !bufs.iter().all(aligned) {
                let mut bounce = AlignedBuf::new(total);
                let mut at = 0;
                for buf in bufs {
                    bounce[at..at + buf.len()].copy_from_slice(buf);
                    at += buf.len();
                }
                return self.transfer(|| self.write_once(&[IoSlice::new(&bounce)], offset));
            }
        }
        self.transfer(|| self.write_once(bufs, offset))
    }

    fn write_atomic_at(&self, buf: &[u8], offset: u64) -> io::Result<()> {
        // No way around through the page cache here: it would tear.
        if !self.is_direct() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let bounce = (!is_sector_aligned(buf.as_ptr().addr() as u64)).then(|| AlignedBuf::copy_of(buf));
        let bytes = bounce.as_deref().unwrap_or(buf);
        let write = || rustix::io::pwritev2(&self.fd, &[IoSlice::new(bytes)], offset, ATOMIC);
        match retry_on_intr(write)? {
            count if count == buf.len() => Ok(()),
            _ => Err(io::Error::other("an atomic write ended early")),
        }
    }

    fn sync(&self) -> io::Result<()> {
        if !self.shared.options.fsync {
            return Ok(());
        }
        // Not retried on an interruption or an error: after a failed sync the kernel may have dropped the data.
        if self.is_log && self.shared.options.log_sync == LogSync::Fsync {
            return Ok(rustix::fs::fsync(&self.fd)?);
        }
        Ok(rustix::fs::fdatasync(&self.fd)?)
    }

    fn start_write_out(&self, offset: u64, len: u64) {
        if self.is_direct() || !self.shared.options.fsync {
            return;
        }
        // Without waiting it reports nothing that the sync would not: a hint.
        let _ = sync_file_range(self.fd.as_fd(), offset, len, libc::SYNC_FILE_RANGE_WRITE);
    }

    fn log_needs_sync(&self) -> bool {
        self.is_log && self.shared.options.fsync && self.shared.options.log_sync.by_call()
    }

    fn len(&self) -> io::Result<u64> {
        Ok(rustix::fs::fstat(&self.fd)?.st_size as u64)
    }

    fn allocate(&self, offset: u64, len: u64) -> io::Result<()> {
        let end = offset.checked_add(len).filter(|end| *end <= i64::MAX as u64);
        let end = end.ok_or_else(|| io::Error::from_raw_os_error(libc::EFBIG))?;
        if len == 0 {
            return Ok(());
        }
        match retry_on_intr(|| rustix::fs::fallocate(&self.fd, FallocateFlags::empty(), offset, len)) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => self.allocate_by_zeros(offset, end),
            result => Ok(result?),
        }
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        if len > i64::MAX as u64 {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        Ok(retry_on_intr(|| rustix::fs::ftruncate(&self.fd, len))?)
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
        result => result?,
    }
    if durable { sync_dir_fd(std::fs::File::open(parent)?) } else { Ok(()) }
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
mod tests;
