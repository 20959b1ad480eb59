//! For tests: a log in its first segment.

use super::Wal;
use super::segment::{DIR, Geometry, Header};
use crate::base::{Lsn, Poison};
use crate::io::{Disk, SimDisk};
use std::sync::Arc;

/// A new log on a new disk.
pub fn start(disk: &SimDisk, ring_bytes: u64, poison: Arc<Poison>) -> Wal {
    disk.create_dir(DIR).unwrap();
    let first = Header {
        segment_bytes: 64 << 10,
        database_id: 1,
        segment: 1,
        incarnation: 1,
        prev_end: Lsn::ZERO,
        prev_incarnation: 0,
        stripped: false,
        epoch: 0,
    };
    let geometry = Geometry { segment_bytes: first.segment_bytes };
    Wal::start(Arc::new(disk.clone()), geometry, first, Vec::new(), 1, ring_bytes, poison).unwrap()
}

/// What the log writer does ahead of commits: the end may lie within a record.
pub fn flush_whole_blocks(wal: &Wal) {
    wal.gang.flush_whole_blocks(wal).unwrap();
}
