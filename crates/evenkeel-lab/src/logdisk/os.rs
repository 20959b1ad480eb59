//! The rig over the operating system: opens the test file by each method, and knows what the system says of the disk.
//!
//! It must not know what is measured.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Advice, FallocateFlags};
use rustix::io::Errno;

use super::files::{TempFile, remove_left_over};
use super::lanes::{CallerLane, Clock, Medium, ThreadLane};
use super::processors::Processors;
use super::rig::{Extent, FILE_BYTES, Facts, Lane, LaneSpec, Refusal, Rig};
use super::spec::{Growth, Method};
use super::uring::UringLane;
use super::{Error, facts};

/// Space asked for beyond the two files: a disk filled to the brim measures badly, and others need some.
const SPARE_BYTES: u64 = 8 << 20;
const FILL_CHUNK_BYTES: usize = 1 << 20;

/// A folder on a disk.
#[derive(Debug)]
pub struct OsRig {
    folder: PathBuf,
    /// Shared by all lanes over a zero-filled file.
    zero_filled: TempFile,
    /// Number of the newest other file.
    files: u32,
    clock: Clock,
    processors: Option<Processors>,
}

impl OsRig {
    /// Prepares the test file. Blocks for as long as the disk needs for [`FILE_BYTES`].
    pub fn new(folder: &Path, stop: &AtomicBool) -> Result<OsRig, Error> {
        let (clock, processors) = (Clock::new(), Processors::now());
        let in_folder = |source| Error::Folder { folder: folder.to_path_buf(), source };
        remove_left_over(folder).map_err(in_folder)?;
        check_space(folder)?;
        let zero_filled = TempFile::create(folder, "zeros").map_err(in_folder)?;
        let zeros = vec![0; FILL_CHUNK_BYTES];
        for at in (0..FILE_BYTES).step_by(FILL_CHUNK_BYTES) {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            zero_filled.file().write_all_at(&zeros, at).map_err(in_folder)?;
        }
        zero_filled.file().sync_all().map_err(in_folder)?;
        Ok(OsRig { folder: folder.to_path_buf(), zero_filled, files: 0, clock, processors })
    }

    fn medium(&mut self, spec: &LaneSpec) -> Result<Medium, Refusal> {
        if spec.growth == Growth::ZeroFilled {
            // Pages that another method left in the cache would have to be thrown out by each direct write.
            self.zero_filled.file().sync_all()?;
            let _ = rustix::fs::fadvise(self.zero_filled.file(), 0, None, Advice::DontNeed);
            return Ok(Medium::new(open(self.zero_filled.path(), spec.method)?, spec.growth, None));
        }
        self.files += 1;
        let own = TempFile::create(&self.folder, &format!("{}", self.files))?;
        if spec.growth == Growth::Fallocated {
            match rustix::fs::fallocate(own.file(), FallocateFlags::empty(), 0, FILE_BYTES) {
                Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
                    return Err(Refusal::Unavailable("the file system has no fallocate".into()));
                }
                result => result.map_err(io::Error::from)?,
            }
        }
        own.file().sync_all()?;
        Ok(Medium::new(open(own.path(), spec.method)?, spec.growth, Some(own)))
    }
}

impl Rig for OsRig {
    fn facts(&self) -> Facts {
        let device = self.zero_filled.file().metadata().map(|m| m.dev()).ok();
        facts::facts(&self.folder, device)
    }

    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn others_busy(&self) -> Option<f64> {
        Some(Processors::now()?.others_since(self.processors.as_ref()?))
    }

    fn open(&mut self, spec: LaneSpec) -> Result<Box<dyn Lane>, Refusal> {
        let medium = self.medium(&spec)?;
        let mut lane: Box<dyn Lane> = match (spec.method, spec.depth) {
            (Method::IoUring, depth) => {
                let lane = UringLane::new(medium, depth, spec.write_bytes_max);
                Box::new(lane.map_err(|e| refused("io_uring", e))?)
            }
            (method, 1) => Box::new(CallerLane::new(medium, method, spec.write_bytes_max)),
            (method, depth) => Box::new(ThreadLane::new(medium, method, depth, spec.write_bytes_max)?),
        };
        // Some file systems take the flags and refuse the write.
        let trial = Extent { offset: 0, len: evenkeel::io::ALIGN as u64 };
        lane.start(0, trial).map_err(|e| refused("a write", e))?;
        lane.wait(None).map_err(|e| refused("a write", e))?;
        lane.rewind()?;
        Ok(lane)
    }
}

fn open(path: &Path, method: Method) -> Result<File, Refusal> {
    // Not rustix's OFlags: its DSYNC is O_SYNC, which makes the file's times durable as well, at twice the price on a disk that turns.
    let flags = match method {
        Method::Direct => libc::O_DIRECT | libc::O_DSYNC,
        Method::IoUring | Method::Unflushed => libc::O_DIRECT,
        Method::OpenDatasync => libc::O_DSYNC,
        Method::OpenSync => libc::O_SYNC,
        Method::Fdatasync | Method::Fsync | Method::Unsynced => 0,
    };
    let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path);
    file.map_err(|e| if method.is_direct() { refused("O_DIRECT", e) } else { Refusal::Failed(e) })
}

/// An error is the method's fault unless the disk is full or failing.
fn refused(what: &str, e: io::Error) -> Refusal {
    let disk = [Errno::NOSPC, Errno::DQUOT, Errno::IO, Errno::ROFS, Errno::MFILE, Errno::NFILE];
    if disk.iter().any(|d| e.raw_os_error() == Some(d.raw_os_error())) {
        return Refusal::Failed(e);
    }
    Refusal::Unavailable(format!("{what} is refused: {e}"))
}

fn check_space(folder: &Path) -> Result<(), Error> {
    let stat = rustix::fs::statvfs(folder)
        .map_err(|e| Error::Folder { folder: folder.to_path_buf(), source: e.into() })?;
    let has_bytes = stat.f_bavail.saturating_mul(stat.f_frsize);
    let needs_bytes = 2 * FILE_BYTES + SPARE_BYTES;
    // A file system that counts no blocks does not know.
    if stat.f_blocks > 0 && has_bytes < needs_bytes {
        return Err(Error::NoSpace { folder: folder.to_path_buf(), needs_bytes, has_bytes });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_opens_the_file_with_its_own_flags_and_no_stronger_ones() {
        let dir = tempfile::tempdir().unwrap();
        let file = TempFile::create(dir.path(), "flags").unwrap();
        for (method, flags) in
            [(Method::OpenDatasync, libc::O_DSYNC), (Method::OpenSync, libc::O_SYNC), (Method::Fsync, 0)]
        {
            let opened = open(file.path(), method).unwrap();
            let seen = rustix::fs::fcntl_getfl(&opened).unwrap().bits() as i32;
            assert_eq!(seen & libc::O_SYNC, flags, "{method:?}");
        }
    }

    #[test]
    fn the_reason_of_a_refusal_is_told_and_a_full_disk_is_no_refusal() {
        let of = |e: Errno| refused("O_DIRECT", e.into());
        match of(Errno::INVAL) {
            Refusal::Unavailable(why) => assert!(why.contains("O_DIRECT is refused"), "{why}"),
            Refusal::Failed(e) => panic!("{e}"),
        }
        assert!(matches!(of(Errno::NOSPC), Refusal::Failed(_)));
        assert!(matches!(of(Errno::IO), Refusal::Failed(_)));
    }
}
