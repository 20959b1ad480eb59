//! What a database remembers about its archive: the file `archive` in its folder. Text, so that people can read it:
//!
//! ```text
//! evenkeel archive 1
//! timeline 1
//! next 000000000000002a
//! archive 89abcdef
//! crc32c 0123abcd
//! ```
//!
//! Invariants
//! 1. `next` is at most the first segment that is not archived: everything before it is. The file is replaced whole.
//!
//! A standby's is what its primary has archived, as it last said: from there on whoever takes over has log to archive.

use crate::base::{Error, Result};
use crate::io::{Disk, read_whole, replace_whole};

const NAME: &str = "archive";
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
    /// Checksum of the description of the archive that was this database's own: what it put there must be there. 0: none was, or it is not known.
    pub of: u32,
}

impl ArchiveState {
    /// Reads it, if there is one.
    pub fn read(disk: &dyn Disk) -> Result<Option<ArchiveState>> {
        let ctx = |e| Error::io("reading the file \"archive\"", e);
        let Some(bytes) = read_whole(disk, NAME, BYTES_MAX).map_err(ctx)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let parsed = text.rsplit_once("crc32c ").and_then(|(body, crc)| {
            let crc = u32::from_str_radix(crc.trim(), 16).ok()?;
            let mut lines = body.lines();
            let title = lines.next()? == TITLE && crc32c::crc32c(body.as_bytes()) == crc;
            let timeline = lines.next()?.strip_prefix("timeline ")?.parse().ok()?;
            let next = u64::from_str_radix(lines.next()?.strip_prefix("next ")?, 16).ok()?;
            // Earlier programs did not write it.
            let of = lines.next().and_then(|l| u32::from_str_radix(l.strip_prefix("archive ")?, 16).ok());
            title.then_some(ArchiveState { timeline, next, of: of.unwrap_or(0) })
        });
        parsed.map(Some).ok_or_else(|| {
            Error::corrupt("the file \"archive\" in the database's folder is damaged; without it archiving begins anew, and needs a new base backup")
        })
    }

    /// Nothing is known of an archive any more, durably.
    pub fn remove(disk: &dyn Disk) -> Result<()> {
        let ctx = |e| Error::io("removing the file \"archive\"", e);
        if disk.exists(NAME).map_err(ctx)? {
            disk.remove(NAME).map_err(ctx)?;
            disk.sync_dir("").map_err(ctx)?;
        }
        Ok(())
    }

    /// Replaces it, durably.
    pub fn write(&self, disk: &dyn Disk) -> Result<()> {
        let ctx = |e| Error::io("writing the file \"archive\"", e);
        let mut body = format!("{TITLE}\ntimeline {}\nnext {:016x}\n", self.timeline, self.next);
        if self.of != 0 {
            body += &format!("archive {:08x}\n", self.of);
        }
        let text = format!("{body}crc32c {:08x}\n", crc32c::crc32c(body.as_bytes()));
        replace_whole(disk, NAME, text.as_bytes()).map_err(ctx)
    }
}
