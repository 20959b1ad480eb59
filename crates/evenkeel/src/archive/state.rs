//! What a database remembers about its archive: the file `archive` in its folder. Text, so that people can read it:
//!
//! ```text
//! evenkeel archive 1
//! timeline 1
//! next 000000000000002a
//! crc32c 0123abcd
//! ```
//!
//! Invariants
//! 1. `next` is at most the first segment that is not archived: everything before it is. The file is replaced whole.

use crate::base::{Error, Result};
use crate::io::{Access, Disk, OpenMode, read_exact_at, write_all_at};
use std::io::IoSlice;

const NAME: &str = "archive";
const NEW: &str = "archive.new";
const TITLE: &str = "evenkeel archive 1";
/// Longest file that is read.
const BYTES_MAX: u64 = 4096;

/// See the file's head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArchiveState {
    /// Under which timeline the log is archived: one for each restore. 0: the restore's has no number yet, the file `timeline` says where it comes from.
    pub timeline: u32,
    /// The next segment to archive.
    pub next: u64,
}

impl ArchiveState {
    /// Reads it, if there is one.
    pub fn read(disk: &dyn Disk) -> Result<Option<ArchiveState>> {
        let ctx = |e| Error::io("reading the file \"archive\"", e);
        if !disk.exists(NAME).map_err(ctx)? {
            return Ok(None);
        }
        let file = disk.open(NAME, OpenMode::Existing, Access::Buffered).map_err(ctx)?;
        let mut bytes = vec![0; file.len().map_err(ctx)?.min(BYTES_MAX) as usize];
        read_exact_at(&*file, &mut bytes, 0).map_err(ctx)?;
        let text = String::from_utf8_lossy(&bytes);
        let parsed = text.rsplit_once("crc32c ").and_then(|(body, crc)| {
            let crc = u32::from_str_radix(crc.trim(), 16).ok()?;
            let mut lines = body.lines();
            let title = lines.next()? == TITLE && crc32c::crc32c(body.as_bytes()) == crc;
            let timeline = lines.next()?.strip_prefix("timeline ")?.parse().ok()?;
            let next = u64::from_str_radix(lines.next()?.strip_prefix("next ")?, 16).ok()?;
            title.then_some(ArchiveState { timeline, next })
        });
        parsed.map(Some).ok_or_else(|| {
            Error::Corrupt("the file \"archive\" in the database's folder is damaged; without it archiving begins anew, and needs a new base backup".into())
        })
    }

    /// Replaces it, durably.
    pub fn write(&self, disk: &dyn Disk) -> Result<()> {
        let ctx = |e| Error::io("writing the file \"archive\"", e);
        let body = format!("{TITLE}\ntimeline {}\nnext {:016x}\n", self.timeline, self.next);
        let text = format!("{body}crc32c {:08x}\n", crc32c::crc32c(body.as_bytes()));
        let file = disk.open(NEW, OpenMode::CreateIfMissing, Access::Buffered).map_err(ctx)?;
        file.truncate(0).map_err(ctx)?;
        write_all_at(&*file, &mut [IoSlice::new(text.as_bytes())], 0).map_err(ctx)?;
        file.sync().map_err(ctx)?;
        disk.rename(NEW, NAME).map_err(ctx)?;
        disk.sync_dir("").map_err(ctx)
    }
}
