//! Where the reader gets segments from: the database's own folder, or somewhere else, such as an archive.
//!
//! Must not know: what a record is.

use super::segment::{self, Header};
use crate::base::Result;
use crate::io::{Disk, File, read_exact_at};
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// Gives segments by number.
pub trait LogSource: Sync {
    /// A segment, header block included. `None`: there is none, and the log may end before it. Blocks.
    fn open(&self, segment: u64) -> Result<Option<(SegmentBytes, Header)>>;

    /// The header of a segment, if it can be had without fetching the segment from afar.
    fn peek(&self, _segment: u64) -> Result<Option<Header>> {
        Ok(None)
    }

    /// Whether there is a file for the segment that is not all zeros.
    fn has_bytes(&self, _segment: u64) -> Result<bool> {
        Ok(false)
    }

    /// The segments that there are, readable or not, ascending. `None` where that is not known: then damage is not told from the end of the log (`end`).
    fn there(&self) -> Result<Option<Vec<u64>>> {
        Ok(None)
    }
}

/// The segments in a database's own folder.
impl LogSource for &dyn Disk {
    fn open(&self, segment: u64) -> Result<Option<(SegmentBytes, Header)>> {
        Ok(segment::open(*self, segment)?.map(|(file, header)| (SegmentBytes::File(file), header)))
    }

    fn peek(&self, segment: u64) -> Result<Option<Header>> {
        Ok(segment::open(*self, segment)?.map(|(_, header)| header))
    }

    fn has_bytes(&self, segment: u64) -> Result<bool> {
        segment::has_bytes(*self, segment)
    }

    fn there(&self) -> Result<Option<Vec<u64>>> {
        segment::list(*self).map(Some)
    }
}

/// The bytes of a segment's file.
#[derive(Clone)]
pub enum SegmentBytes {
    /// Still in the file.
    File(Arc<dyn File>),
    /// Here; less than a whole file if the log ends in it.
    Memory(Arc<[u8]>),
}

impl SegmentBytes {
    /// Reads at an offset of the file. Behind the end of what is in memory there are zeros.
    pub fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            SegmentBytes::File(file) => read_exact_at(&**file, out, offset),
            SegmentBytes::Memory(bytes) => {
                let from = usize::try_from(offset).map_err(|_| ErrorKind::InvalidInput)?.min(bytes.len());
                let n = out.len().min(bytes.len() - from);
                out[..n].copy_from_slice(&bytes[from..from + n]);
                out[n..].fill(0);
                Ok(())
            }
        }
    }
}
