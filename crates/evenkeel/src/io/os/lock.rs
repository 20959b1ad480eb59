//! The locks that keep a folder for one owner.
//!
//! Duty: take a folder so that nobody else can, whatever happens to names in it or to its own.
//!
//! Invariants:
//!
//! 1. The lock is on inodes that live as long as the database: the folder's own, and a file or a folder that the caller names ([`file`]). The file `lock` is taken
//!    as well, for binaries that know no other, and so that a message can name the process; but it may be removed, replaced, linked to.
//! 2. What is written goes into the folder's own file: a symbolic link at its name is refused.
//! 3. A guard lets go of its locks explicitly: a forked child may hold copies of its descriptors.
//!
//! Must not know: what the files contain.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;

use parking_lot::Mutex;
use rustix::fs::{FileType, FlockOperation, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::super::LOCK_FILE;
use super::FILE_MODE;

/// Device and inode of everything that this process holds: the system tells only that somebody does.
static HELD: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// Locks, held until it is dropped.
#[derive(Debug)]
pub(super) struct Guard {
    held: Vec<(OwnedFd, (u64, u64))>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        for (fd, id) in self.held.drain(..).rev() {
            let mut held = HELD.lock();
            if let Some(i) = held.iter().position(|h| *h == id) {
                held.swap_remove(i);
            }
            let _ = rustix::fs::flock(&fd, FlockOperation::Unlock); // invariant 3; closing is the fallback
        }
    }
}

impl Guard {
    /// Takes one more; false if the file system has no locks for such a thing.
    fn take(&mut self, fd: OwnedFd, must: bool, holder: impl FnOnce() -> Option<String>) -> io::Result<bool> {
        let stat = rustix::fs::fstat(&fd)?;
        let id = (stat.st_dev, stat.st_ino);
        // Held over the attempt: what another thread takes or gives back meanwhile is told apart from what another process has.
        let mut held = HELD.lock();
        match retry_on_intr(|| rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive)) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) if held.contains(&id) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "this process has the folder open"));
            }
            Err(Errno::WOULDBLOCK) => {
                let who = holder().map_or_else(|| "another process".into(), |pid| format!("process {pid}"));
                return Err(io::Error::new(
                    io::ErrorKind::WouldBlock,
                    format!("the folder is in use by {who}"),
                ));
            }
            Err(
                Errno::BADF | Errno::INVAL | Errno::ISDIR | Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS,
            ) if !must => {
                return Ok(false);
            }
            Err(e) => return Err(e.into()),
        }
        held.push(id);
        drop(held);
        self.held.push((fd, id));
        Ok(true)
    }
}

/// Takes a folder by the descriptor `root` (invariant 1).
pub(super) fn folder(root: &OwnedFd) -> io::Result<Guard> {
    let mut guard = Guard { held: Vec::new() };
    // The folder first: what lies at the name `lock` may be anything. Some network file systems lock no folders.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let itself = retry_on_intr(|| rustix::fs::openat(root, ".", flags, Mode::empty()))?;
    guard.take(itself, false, || pid_in(root))?;
    let fd = open(root, OFlags::CREATE)?;
    let mut file = File::from(fd.try_clone()?);
    guard.take(fd, true, || pid_in(root))?;
    // For a message only: on a full disk there may be no room for it, and a start must not fail for that.
    let _ =
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
    Ok(guard)
}

/// Takes a file of the folder, or a folder in it, if its file system locks such. A link is followed: who has the lock of another folder may have that one.
pub(super) fn file(root: &OwnedFd, path: &str) -> io::Result<Guard> {
    let mut guard = Guard { held: Vec::new() };
    let open = |flags| retry_on_intr(|| rustix::fs::openat(root, path, flags, Mode::empty()));
    match open(OFlags::RDWR | OFlags::CLOEXEC) {
        Err(Errno::ISDIR) => {
            let fd = open(OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC)?;
            guard.take(fd, false, || None)?;
        }
        opened => _ = guard.take(opened?, true, || pid_in(root))?,
    }
    Ok(guard)
}

/// Opens the lock file (invariant 2).
fn open(root: &OwnedFd, more: OFlags) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | more;
    let fd = match retry_on_intr(|| rustix::fs::openat(root, LOCK_FILE, flags, FILE_MODE)) {
        Err(Errno::LOOP) => return Err(foreign("is a symbolic link")),
        Err(Errno::ISDIR | Errno::NXIO) => return Err(foreign("is no regular file")),
        opened => opened?,
    };
    match FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode) {
        FileType::RegularFile => Ok(fd),
        _ => Err(foreign("is no regular file")),
    }
}

fn foreign(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("the file \"{LOCK_FILE}\" {what}: remove it"))
}

/// What the lock file says about its holder: only a hint for the message.
fn pid_in(root: &OwnedFd) -> Option<String> {
    let mut text = String::new();
    File::from(open(root, OFlags::empty()).ok()?).take(32).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned()).filter(|pid| !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()))
}
