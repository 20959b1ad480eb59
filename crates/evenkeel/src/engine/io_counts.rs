//! What is read, written and synced of an open folder, by kinds of files, and how long that took.
//!
//! Duty: a disk that counts, around the one that does the work.
//!
//! Invariants
//! 1. Nothing is changed on the way: every call goes to the disk behind, with its answer.
//! 2. A call costs two looks at the clock and a few relaxed additions, which is little beside a system call.
//!
//! Must not know: what is in the files.

use crate::base::histogram::{Counts, Histogram};
use crate::base::sync::Instant;
use crate::base::sync::counter::{AtomicU64, Ordering};
use crate::io::forward::{forward_disk, forward_file};
use crate::io::{Access, Disk, File, OpenMode};
use crate::{pool, wal};
use std::io::{self, IoSlice};
use std::sync::Arc;

/// Kinds of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Tables and indexes.
    Data,
    /// The log.
    Log,
    /// Pages that are written twice, against torn ones.
    DoubleWrite,
    /// Undo that memory has no room for.
    Undo,
    /// The control file, and small ones.
    Other,
}

impl FileKind {
    /// All of them, in their order.
    pub const ALL: [FileKind; 5] =
        [FileKind::Data, FileKind::Log, FileKind::DoubleWrite, FileKind::Undo, FileKind::Other];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            FileKind::Data => "data",
            FileKind::Log => "log",
            FileKind::DoubleWrite => "double_write",
            FileKind::Undo => "undo",
            FileKind::Other => "other",
        }
    }

    fn of(path: &str) -> FileKind {
        match path.split('/').next().unwrap_or_default() {
            pool::DATA_DIR => FileKind::Data,
            wal::segment::DIR => FileKind::Log,
            pool::DOUBLE_WRITE_FILE => FileKind::DoubleWrite,
            crate::store::UNDO_FILE => FileKind::Undo,
            _ => FileKind::Other,
        }
    }
}

/// What was done with files of a kind. Times in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileStats {
    /// Reads, by their times.
    pub reads_us: Counts,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes, by their times.
    pub writes_us: Counts,
    /// Bytes written.
    pub written_bytes: u64,
    /// Syncs, by their times.
    pub syncs_us: Counts,
}

#[derive(Default, Debug)]
struct Counted {
    reads: Histogram,
    read_bytes: AtomicU64,
    writes: Histogram,
    written_bytes: AtomicU64,
    syncs: Histogram,
}

/// The counts of a folder.
#[derive(Default, Debug)]
pub(super) struct IoCounts([Counted; FileKind::ALL.len()]);

impl IoCounts {
    /// As they are now, by kinds as [`FileKind::ALL`] has them.
    pub fn stats(&self) -> [FileStats; FileKind::ALL.len()] {
        self.0.each_ref().map(|c| FileStats {
            reads_us: c.reads.snapshot(),
            read_bytes: c.read_bytes.load(Ordering::Relaxed),
            writes_us: c.writes.snapshot(),
            written_bytes: c.written_bytes.load(Ordering::Relaxed),
            syncs_us: c.syncs.snapshot(),
        })
    }
}

/// See above.
#[derive(Debug)]
pub(super) struct CountedDisk {
    inner: Arc<dyn Disk>,
    counts: Arc<IoCounts>,
}

impl CountedDisk {
    pub fn new(inner: Arc<dyn Disk>, counts: Arc<IoCounts>) -> CountedDisk {
        CountedDisk { inner, counts }
    }
}

impl Disk for CountedDisk {
    fn open(&self, path: &str, mode: OpenMode, access: Access) -> io::Result<Arc<dyn File>> {
        let inner = self.inner.open(path, mode, access)?;
        Ok(Arc::new(CountedFile { inner, counts: self.counts.clone(), kind: FileKind::of(path) }))
    }

    forward_disk!();
}

#[derive(Debug)]
struct CountedFile {
    inner: Arc<dyn File>,
    counts: Arc<IoCounts>,
    kind: FileKind,
}

impl CountedFile {
    fn counted(&self) -> &Counted {
        &self.counts.0[self.kind as usize]
    }

    fn wrote(&self, began: Instant, bytes: usize) {
        self.counted().writes.record_time(began.elapsed());
        self.counted().written_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl File for CountedFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let began = Instant::now();
        let read = self.inner.read_at(buf, offset);
        self.counted().reads.record_time(began.elapsed());
        self.counted().read_bytes.fetch_add(*read.as_ref().unwrap_or(&0) as u64, Ordering::Relaxed);
        read
    }

    fn write_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
        let began = Instant::now();
        let written = self.inner.write_at(bufs, offset);
        self.wrote(began, *written.as_ref().unwrap_or(&0));
        written
    }

    fn write_atomic_at(&self, buf: &[u8], offset: u64) -> io::Result<()> {
        let began = Instant::now();
        let written = self.inner.write_atomic_at(buf, offset);
        self.wrote(began, if written.is_ok() { buf.len() } else { 0 });
        written
    }

    fn sync(&self) -> io::Result<()> {
        let began = Instant::now();
        let synced = self.inner.sync();
        self.counted().syncs.record_time(began.elapsed());
        synced
    }

    forward_file!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{SimDisk, SimOptions, read_exact_at, write_all_at};

    #[test]
    fn each_kind_is_counted_apart_and_nothing_is_changed() {
        assert!(FileKind::ALL.iter().enumerate().all(|(n, kind)| *kind as usize == n));
        let counts = Arc::new(IoCounts::default());
        let sim = SimDisk::new(SimOptions { log_needs_sync: true, ..SimOptions::default() });
        let disk = CountedDisk::new(Arc::new(sim.clone()), counts.clone());
        disk.create_dir("data").unwrap();
        disk.create_dir("wal").unwrap();
        for (path, access, kind, times) in [
            ("data/17", Access::Pages, FileKind::Data, 1),
            ("wal/000000010000.seg", Access::Log, FileKind::Log, 2),
            ("double_write", Access::Log, FileKind::DoubleWrite, 3),
            ("undo.scratch", Access::Buffered, FileKind::Undo, 4),
            ("control", Access::Data, FileKind::Other, 5),
        ] {
            let file = disk.open(path, OpenMode::CreateNew, access).unwrap();
            assert_eq!(file.log_needs_sync(), access == Access::Log, "{path}");
            for n in 0..times {
                write_all_at(&*file, &mut [IoSlice::new(&[7; 512])], n * 512).unwrap();
            }
            file.sync().unwrap();
            let mut back = [0; 512];
            read_exact_at(&*file, &mut back, 0).unwrap();
            assert_eq!((back, file.len().unwrap()), ([7; 512], times * 512));
            let stats = counts.stats()[kind as usize];
            assert_eq!((stats.writes_us.samples(), stats.written_bytes), (times, times * 512), "{path}");
            assert_eq!((stats.reads_us.samples(), stats.read_bytes, stats.syncs_us.samples()), (1, 512, 1));
            assert_eq!(sim.contents(path).unwrap().len() as u64, times * 512);
        }
    }
}
