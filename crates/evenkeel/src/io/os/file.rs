//! An open file of the operating system.
//!
//! Duty: the [`File`] trait over system calls.
//!
//! Invariants:
//!
//! 1. A data file may be without a descriptor between calls: [`Descriptors`] has closed it, and the next call opens it again by its path. Whoever holds
//!    the handle does not notice.
//! 2. What a sync owes survives that. A file that goes through the page cache is synced before it is closed, as the kernel may tell of a failed write
//!    only to descriptors that were open then; if that fails, the next [`File::sync`] says so, and every one after it. Behind an unbuffered
//!    write nothing waits in the cache but the file's length; what its sync owes, a flush of the device, a new descriptor's sync does as well.
//! 3. Giving up unbuffered access is for good, also across descriptors.
//!
//! Must not know: what the file contains.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::{MappedRwLockReadGuard, RwLock, RwLockReadGuard};
use rustix::fs::{FallocateFlags, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::{
    ALIGN, ATOMIC, Access, AlignedBuf, File, IOV_MAX, LogSync, Shared, ZERO_FILL_BYTES, invalid_input,
    is_sector_aligned, sync_file_range, write_all_at,
};

/// An open file.
#[derive(Debug)]
pub(super) struct OsFile {
    /// `None`: closed for want of descriptors (invariant 1). Read-locked by every call that uses it.
    fd: RwLock<Option<OwnedFd>>,
    /// How to open it again; `None` of a file whose descriptor stays.
    path: Option<String>,
    /// Used since the last look for a descriptor that can be closed.
    used: AtomicBool,
    /// Changed through the page cache since the last sync.
    unsynced: AtomicBool,
    /// The error number of a sync that failed before the file was closed; 0 = none (invariant 2).
    sync_error: AtomicI32,
    /// Writes must be of whole sectors: asked of every data and log file, so that a caller that gets it wrong finds out on any
    /// file system.
    whole_sectors: bool,
    is_log: bool,
    /// The file is open with O_DIRECT. Cleared for good when the file system turns out not to support it.
    direct: AtomicBool,
    shared: Arc<Shared>,
    me: Weak<OsFile>,
}

/// A descriptor that stays open while this lives.
pub(super) type Held<'f> = MappedRwLockReadGuard<'f, OwnedFd>;

impl OsFile {
    /// A file that was just opened, unbuffered if `direct`. A `path` says that its descriptor may be closed.
    pub(super) fn new(
        fd: OwnedFd,
        path: Option<String>,
        access: Access,
        direct: bool,
        shared: &Arc<Shared>,
    ) -> Arc<OsFile> {
        let may_close = path.is_some();
        let file = Arc::new_cyclic(|me| OsFile {
            fd: RwLock::new(Some(fd)),
            path,
            used: AtomicBool::new(true),
            unsynced: AtomicBool::new(false),
            sync_error: AtomicI32::new(0),
            whole_sectors: access != Access::Buffered,
            is_log: access == Access::Log,
            direct: AtomicBool::new(direct),
            shared: Arc::clone(shared),
            me: Weak::clone(me),
        });
        if may_close {
            shared.descriptors.opened(&file.me);
        }
        file
    }

    /// The descriptor, opened again if need be.
    pub(super) fn fd(&self) -> io::Result<Held<'_>> {
        loop {
            // Recursively: a call may use the file while it holds a descriptor of it already.
            let guard = self.fd.read_recursive();
            if let Ok(fd) = RwLockReadGuard::try_map(guard, Option::as_ref) {
                if !self.used.load(Ordering::Relaxed) {
                    self.used.store(true, Ordering::Relaxed);
                }
                return Ok(fd);
            }
            self.open_again()?;
        }
    }

    /// Opens the file again under its path.
    fn open_again(&self) -> io::Result<()> {
        let mut fd = self.fd.write();
        if fd.is_some() {
            return Ok(());
        }
        let path = self.path.as_deref().expect("only a file with a path is closed");
        let direct = if self.is_direct() { OFlags::DIRECT } else { OFlags::empty() };
        *fd = Some(self.shared.open_fd(path, OFlags::RDWR | OFlags::CLOEXEC | direct)?);
        self.used.store(true, Ordering::Relaxed);
        drop(fd);
        self.shared.descriptors.opened(&self.me);
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn owes_sync(&self) -> bool {
        self.unsynced.load(Ordering::Acquire)
    }

    #[cfg(test)]
    pub(super) fn has_descriptor(&self) -> bool {
        self.fd.read().is_some()
    }

    /// Every sync from now on gives it.
    pub(super) fn set_sync_error(&self, error: Errno) {
        self.sync_error.store(error.raw_os_error(), Ordering::Release);
    }

    /// Whether it was used since the last call.
    pub(super) fn take_used(&self) -> bool {
        self.used.swap(false, Ordering::Relaxed)
    }

    /// Closes the descriptor, unless somebody uses it now. Blocks for a sync if the file is written through the page cache (invariant 2).
    pub(super) fn close_if_idle(&self) -> bool {
        let Some(mut guard) = self.fd.try_write() else { return false };
        let Some(fd) = guard.take() else { return false };
        if self.unsynced.swap(false, Ordering::AcqRel)
            && self.shared.options.fsync
            && let Err(error) = rustix::fs::fdatasync(&fd)
        {
            self.sync_error.store(error.raw_os_error(), Ordering::Release);
        }
        true
    }

    /// Notes a change. The caller still holds the descriptor, so that nobody closes the file in between.
    fn changed(&self, _held: &Held<'_>) {
        if self.path.is_some() && !self.is_direct() {
            self.unsynced.store(true, Ordering::Release);
        }
    }

    fn is_direct(&self) -> bool {
        self.direct.load(Ordering::Acquire)
    }

    /// Runs a transfer; if the kernel calls it invalid on an unbuffered file, turns the file to the page cache and runs
    /// it once more (invariant 3, and the disk's). Two threads may both do so; that is harmless.
    pub(super) fn transfer(
        &self,
        fd: &OwnedFd,
        mut call: impl FnMut() -> rustix::io::Result<usize>,
    ) -> io::Result<usize> {
        match retry_on_intr(&mut call) {
            Err(Errno::INVAL) if self.is_direct() => {
                let flags = rustix::fs::fcntl_getfl(fd)?;
                rustix::fs::fcntl_setfl(fd, flags - OFlags::DIRECT)?;
                self.direct.store(false, Ordering::Release);
                self.shared.warn_buffered();
                Ok(retry_on_intr(call)?)
            }
            result => Ok(result?),
        }
    }

    fn write_once(&self, fd: &OwnedFd, bufs: &[IoSlice<'_>], offset: u64) -> rustix::io::Result<usize> {
        match &self.shared.rings {
            Some(rings) if self.is_log => rings.write(fd.as_fd(), bufs, offset, self.shared.options.fsync),
            _ => rustix::io::pwritev(fd, bufs, offset),
        }
    }

    /// Reads through an aligned buffer of whole sectors: for memory, offsets or lengths that O_DIRECT refuses.
    fn read_bounced(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let align = ALIGN as u64;
        let start = offset - offset % align;
        let lead = (offset - start) as usize;
        let whole = (lead + buf.len()).next_multiple_of(ALIGN);
        let mut bounce = AlignedBuf::new(whole);
        let fd = self.fd()?;
        let count = self.transfer(&fd, || rustix::io::pread(&*fd, &mut bounce[..], start))?;
        let usable = count.saturating_sub(lead).min(buf.len());
        buf[..usable].copy_from_slice(&bounce[lead..lead + usable]);
        Ok(usable)
    }

    /// Grows the file by writing zeros, for file systems that cannot preallocate. Existing bytes, and holes among them,
    /// stay as they are.
    pub(super) fn allocate_by_zeros(&self, offset: u64, end: u64) -> io::Result<()> {
        let zeros = AlignedBuf::new(ZERO_FILL_BYTES);
        let (was_unsynced, len) = (self.unsynced.load(Ordering::Acquire), self.len()?);
        let mut at = len.max(offset);
        while at < end {
            let count = (end - at).min(ZERO_FILL_BYTES as u64) as usize;
            write_all_at(self, &mut [IoSlice::new(&zeros[..count])], at)?;
            at += count as u64;
        }
        // Delayed allocation may find out only now that there is no space.
        let fd = self.fd()?;
        rustix::fs::fdatasync(&*fd).map_err(|e| self.growth_failed(&fd, e, was_unsynced, len))
    }

    /// What a file system finds out while it is told to begin may be told to nobody else, and the pages be gone: only a call that it does not have is a hint that was
    /// not taken.
    pub(super) fn write_out_failed(&self, error: Errno) {
        if !matches!(error, Errno::NOSYS | Errno::SPIPE | Errno::INVAL | Errno::INTR) {
            self.set_sync_error(error);
        }
    }

    /// The sync of a growth has failed. The kernel tells such an error once: if it may be that of pages written before, it is kept for the sync that waits for
    /// them. Else there is only no room, and the file is as long as before, so that nobody takes the zeros for room that he has.
    pub(super) fn growth_failed(
        &self,
        fd: &OwnedFd,
        error: Errno,
        was_unsynced: bool,
        len: u64,
    ) -> io::Error {
        let told = io::Error::from(error);
        let is_lack = matches!(error, Errno::NOSPC | Errno::DQUOT | Errno::FBIG);
        if was_unsynced || !is_lack || rustix::fs::ftruncate(fd, len).is_err() {
            self.set_sync_error(error);
        }
        told
    }
}

impl File for OsFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let aligned =
            [offset, buf.len() as u64, buf.as_ptr().addr() as u64].into_iter().all(is_sector_aligned);
        if self.is_direct() && !aligned {
            return self.read_bounced(buf, offset);
        }
        let fd = self.fd()?;
        self.transfer(&fd, || rustix::io::pread(&*fd, &mut *buf, offset))
    }

    fn write_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        let bufs = &bufs[..bufs.len().min(IOV_MAX)];
        let total: usize = bufs.iter().map(|buf| buf.len()).sum();
        if self.whole_sectors && !(is_sector_aligned(offset) && is_sector_aligned(total as u64)) {
            return Err(invalid_input("an unbuffered write must start and end on a sector boundary"));
        }
        let fd = self.fd()?;
        let mut bounce = None;
        if self.is_direct() {
            let aligned = |buf: &IoSlice<'_>| {
                is_sector_aligned(buf.len() as u64) && is_sector_aligned(buf.as_ptr().addr() as u64)
            };
            if !bufs.iter().all(aligned) {
                let copy = bounce.insert(AlignedBuf::new(total));
                let mut at = 0;
                for buf in bufs {
                    copy[at..at + buf.len()].copy_from_slice(buf);
                    at += buf.len();
                }
            }
        }
        let written = match &bounce {
            Some(copy) => self.transfer(&fd, || self.write_once(&fd, &[IoSlice::new(copy)], offset)),
            None => self.transfer(&fd, || self.write_once(&fd, bufs, offset)),
        };
        self.changed(&fd);
        written
    }

    fn write_atomic_at(&self, buf: &[u8], offset: u64) -> io::Result<()> {
        // No way around through the page cache here: it would tear.
        if !self.is_direct() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let bounce = (!is_sector_aligned(buf.as_ptr().addr() as u64)).then(|| AlignedBuf::copy_of(buf));
        let bytes = bounce.as_deref().unwrap_or(buf);
        let fd = self.fd()?;
        let write = || rustix::io::pwritev2(&*fd, &[IoSlice::new(bytes)], offset, ATOMIC);
        match retry_on_intr(write)? {
            count if count == buf.len() => Ok(()),
            _ => Err(io::Error::other("an atomic write ended early")),
        }
    }

    fn sync(&self) -> io::Result<()> {
        if !self.shared.options.fsync {
            return Ok(());
        }
        let fd = self.fd()?;
        match self.sync_error.load(Ordering::Acquire) {
            0 => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
        // Before the call: what is written while it runs may not be covered.
        self.unsynced.store(false, Ordering::Release);
        // Not retried on an interruption or an error: after a failed sync the kernel may have dropped the data.
        if self.is_log && self.shared.options.log_sync == LogSync::Fsync {
            return Ok(rustix::fs::fsync(&*fd)?);
        }
        Ok(rustix::fs::fdatasync(&*fd)?)
    }

    fn start_write_out(&self, offset: u64, len: u64) {
        if self.is_direct() || !self.shared.options.fsync {
            return;
        }
        let Ok(fd) = self.fd() else { return };
        if let Err(error) = sync_file_range(fd.as_fd(), offset, len, libc::SYNC_FILE_RANGE_WRITE) {
            self.write_out_failed(error);
        }
    }

    fn log_needs_sync(&self) -> bool {
        self.is_log && self.shared.options.fsync && self.shared.options.log_sync.by_call()
    }

    fn is_cached(&self) -> bool {
        !self.is_direct()
    }

    fn len(&self) -> io::Result<u64> {
        Ok(rustix::fs::fstat(&*self.fd()?)?.st_size as u64)
    }

    fn allocate(&self, offset: u64, len: u64) -> io::Result<()> {
        let end = offset.checked_add(len).filter(|end| *end <= i64::MAX as u64);
        let end = end.ok_or_else(|| io::Error::from_raw_os_error(libc::EFBIG))?;
        if len == 0 {
            return Ok(());
        }
        let fd = self.fd()?;
        let allocated =
            match retry_on_intr(|| rustix::fs::fallocate(&*fd, FallocateFlags::empty(), offset, len)) {
                Err(Errno::OPNOTSUPP | Errno::NOSYS) => self.allocate_by_zeros(offset, end),
                result => Ok(result?),
            };
        self.changed(&fd);
        allocated
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        if len > i64::MAX as u64 {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        let fd = self.fd()?;
        let cut = retry_on_intr(|| rustix::fs::ftruncate(&*fd, len));
        self.changed(&fd);
        Ok(cut?)
    }
}
