//! Segments that do not lie in a database's folder: files named on a command line, objects of an archive. Read-only, as a `Disk` for the reader.
//!
//! Invariants
//! 1. A segment's bytes are in memory only while a reader has it open, and those of the one opened last.

use super::segment::{self, DIR};
use crate::base::Result;
use crate::base::sync::Mutex;
use crate::io::{Access, Disk, File, OpenMode};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IoSlice};
use std::sync::Arc;

/// Brings the whole of a segment file.
pub type Load = Box<dyn Fn() -> Result<Vec<u8>> + Send + Sync>;

/// A set of segments.
#[derive(Default)]
pub struct SegmentSet {
    loads: BTreeMap<u64, Load>,
    last: Mutex<Option<(u64, Arc<Vec<u8>>)>>,
}

#[derive(Debug)]
struct Bytes(Arc<Vec<u8>>);

impl SegmentSet {
    /// Empty.
    pub fn new() -> SegmentSet {
        SegmentSet::default()
    }

    /// Adds a segment by its number. False if there is one already.
    pub fn add(&mut self, segment: u64, load: Load) -> bool {
        let new = !self.loads.contains_key(&segment);
        if new {
            self.loads.insert(segment, load);
        }
        new
    }

    /// The numbers.
    pub fn segments(&self) -> impl Iterator<Item = u64> + '_ {
        self.loads.keys().copied()
    }
}

impl fmt::Debug for SegmentSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SegmentSet").field("segments", &self.loads.len()).finish()
    }
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "a set of log segments is read-only")
}

impl Disk for SegmentSet {
    fn open(&self, path: &str, _: OpenMode, _: Access) -> io::Result<Arc<dyn File>> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let n = self.loads.keys().copied().find(|n| segment::path(*n) == path).ok_or_else(missing)?;
        let mut last = self.last.lock();
        if let Some((m, bytes)) = &*last
            && *m == n
        {
            return Ok(Arc::new(Bytes(bytes.clone())));
        }
        let bytes = Arc::new(self.loads[&n]().map_err(|e| io::Error::other(e.to_string()))?);
        *last = Some((n, bytes.clone()));
        Ok(Arc::new(Bytes(bytes)))
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        Err(read_only())
    }

    fn rename(&self, _: &str, _: &str) -> io::Result<()> {
        Err(read_only())
    }

    fn exists(&self, path: &str) -> io::Result<bool> {
        Ok(self.loads.keys().any(|n| segment::path(*n) == path))
    }

    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let names = self.loads.keys().map(|n| segment::path(*n)[DIR.len() + 1..].to_string());
        Ok(if dir == DIR { names.collect() } else { Vec::new() })
    }

    fn create_dir(&self, _: &str) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_dir(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn lock(&self) -> io::Result<Box<dyn Send + Sync>> {
        Ok(Box::new(()))
    }
}

impl File for Bytes {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        let n = buf.len().min(self.0.len() - from);
        buf[..n].copy_from_slice(&self.0[from..from + n]);
        Ok(n)
    }

    fn write_at(&self, _: &[IoSlice<'_>], _: u64) -> io::Result<usize> {
        Err(read_only())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn allocate(&self, _: u64, _: u64) -> io::Result<()> {
        Err(read_only())
    }

    fn truncate(&self, _: u64) -> io::Result<()> {
        Err(read_only())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_from_elsewhere_is_only_read() {
        let file = Bytes(Arc::new(vec![1, 2, 3]));
        let refused =
            [file.truncate(0), file.allocate(0, 9), file.write_at(&[IoSlice::new(b"x")], 0).map(drop)];
        assert!(refused.iter().all(|r| r.is_err()), "{refused:?}");
        let mut all = [0; 4];
        assert_eq!((file.len().unwrap(), file.read_at(&mut all, 0).unwrap(), all), (3, 3, [1, 2, 3, 0]));
    }
}
