//! A disk whose log writes take longer.
//!
//! Duty: lets every log write (or the sync after it) take a fixed time longer, as on a network volume, or until a platter has come round; any number
//! of them overlap. For diagnosis and benchmarks of the commit path.
//!
//! Must not know: what it wraps.

use super::forward::{forward_disk, forward_file};
use super::{Access, Disk, File, OpenMode};
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Another disk, with slower log writes.
#[derive(Debug)]
pub struct LatencyDisk {
    inner: Arc<dyn Disk>,
    log_write: Latency,
}

/// When a log write ends.
#[derive(Clone, Copy, Debug)]
enum Latency {
    Fixed(Duration),
    /// When the platter, which comes round in a period counted from a moment, has the place under the head, the transfer being a hundredth of that.
    Rotation(Duration, Instant),
}

impl Latency {
    fn pass(self) {
        match self {
            Latency::Fixed(time) => std::thread::sleep(time),
            Latency::Rotation(period, start) => {
                let since = start.elapsed().as_secs_f64();
                let period = period.as_secs_f64();
                let end = ((since + period / 100.0) / period).ceil() * period;
                std::thread::sleep(Duration::from_secs_f64(end - since));
            }
        }
    }
}

impl LatencyDisk {
    /// Adds `log_write` to each log write of `inner`.
    pub fn new(inner: Arc<dyn Disk>, log_write: Duration) -> LatencyDisk {
        LatencyDisk { inner, log_write: Latency::Fixed(log_write) }
    }

    /// Lets each log write of `inner` end when a disk that turns once in `period` (above zero) has come round: all places under the head at one moment, as the
    /// end of a log that is written again and again is.
    pub fn rotating(inner: Arc<dyn Disk>, period: Duration) -> LatencyDisk {
        LatencyDisk { inner, log_write: Latency::Rotation(period, Instant::now()) }
    }
}

impl Disk for LatencyDisk {
    fn open(&self, path: &str, mode: OpenMode, access: Access) -> io::Result<Arc<dyn File>> {
        let file = self.inner.open(path, mode, access)?;
        Ok(match access {
            Access::Log => Arc::new(LatencyFile { inner: file, write: self.log_write }),
            Access::Data | Access::Pages | Access::Buffered => file,
        })
    }

    forward_disk!();
}

#[derive(Debug)]
struct LatencyFile {
    inner: Arc<dyn File>,
    write: Latency,
}

impl File for LatencyFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.inner.read_at(buf, offset)
    }

    fn write_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        let count = self.inner.write_at(bufs, offset)?;
        if !self.inner.log_needs_sync() {
            self.write.pass();
        }
        Ok(count)
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()?;
        if self.inner.log_needs_sync() {
            self.write.pass();
        }
        Ok(())
    }

    forward_file!();
}

#[cfg(test)]
mod tests {
    use super::super::{SimDisk, SimOptions, read_exact_at, write_all_at};
    use super::*;

    #[test]
    fn a_slower_disk_keeps_what_the_disk_behind_it_keeps() {
        for log_needs_sync in [false, true] {
            let inner = SimDisk::new(SimOptions { log_needs_sync, ..SimOptions::default() });
            let (fixed, turn) = (Duration::from_micros(10), Duration::from_micros(100));
            for disk in [
                LatencyDisk::new(Arc::new(inner.clone()), fixed),
                LatencyDisk::rotating(Arc::new(inner.clone()), turn),
            ] {
                for access in [Access::Log, Access::Data] {
                    let file = disk.open("file", OpenMode::CreateIfMissing, access).unwrap();
                    disk.sync_dir("").unwrap();
                    assert_eq!(file.log_needs_sync(), log_needs_sync && access == Access::Log);
                    write_all_at(&*file, &mut [IoSlice::new(&[7; 512])], 0).unwrap();
                    file.sync().unwrap();
                    let mut back = [0; 512];
                    read_exact_at(&*file, &mut back, 0).unwrap();
                    assert_eq!((back, inner.contents("file").unwrap().len()), ([7; 512], 512));
                    assert_eq!(inner.dirty_sectors(), 0);
                }
                disk.remove("file").unwrap();
            }
        }
    }
}
