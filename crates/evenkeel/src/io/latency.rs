//! A disk whose log writes take longer.
//!
//! Duty: adds a fixed time to every log write (or to the sync after it), as a network volume does; any number of them overlap. For diagnosis
//! and benchmarks of the commit path.
//!
//! Must not know: what it wraps.

use super::{Access, Disk, File, OpenMode};
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::Duration;

/// Another disk, with slower log writes.
#[derive(Debug)]
pub struct LatencyDisk {
    inner: Arc<dyn Disk>,
    log_write: Duration,
}

impl LatencyDisk {
    /// Adds `log_write` to each log write of `inner`.
    pub fn new(inner: Arc<dyn Disk>, log_write: Duration) -> LatencyDisk {
        LatencyDisk { inner, log_write }
    }
}

impl Disk for LatencyDisk {
    fn open(&self, path: &str, mode: OpenMode, access: Access) -> io::Result<Arc<dyn File>> {
        let file = self.inner.open(path, mode, access)?;
        Ok(match access {
            Access::Log => Arc::new(LatencyFile { inner: file, write: self.log_write }),
            Access::Data | Access::Buffered => file,
        })
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        self.inner.remove(path)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn exists(&self, path: &str) -> io::Result<bool> {
        self.inner.exists(path)
    }

    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        self.inner.list(dir)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.inner.create_dir(path)
    }

    fn sync_dir(&self, path: &str) -> io::Result<()> {
        self.inner.sync_dir(path)
    }

    fn lock(&self) -> io::Result<Box<dyn Send + Sync>> {
        self.inner.lock()
    }
}

#[derive(Debug)]
struct LatencyFile {
    inner: Arc<dyn File>,
    write: Duration,
}

impl File for LatencyFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.inner.read_at(buf, offset)
    }

    fn write_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        let count = self.inner.write_at(bufs, offset)?;
        if !self.inner.log_needs_sync() {
            std::thread::sleep(self.write);
        }
        Ok(count)
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()?;
        if self.inner.log_needs_sync() {
            std::thread::sleep(self.write);
        }
        Ok(())
    }

    fn log_needs_sync(&self) -> bool {
        self.inner.log_needs_sync()
    }

    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn allocate(&self, offset: u64, len: u64) -> io::Result<()> {
        self.inner.allocate(offset, len)
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.inner.truncate(len)
    }
}
