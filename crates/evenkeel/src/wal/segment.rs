//! Segments: the files that hold the record stream.
//!
//! A segment file is a 4 KiB header block and `U = segment bytes - 4096` bytes of the stream. Segment `n` holds stream positions
//! `n*U .. (n+1)*U`, so LSNs have no gaps and block alignment in the file equals block alignment of the LSN.
//!
//! Header (little-endian, rest of the block zero):
//!
//! | offset | width | field |
//! | --- | --- | --- |
//! | 0 | 8 | magic `EVKLLOG1` |
//! | 8 | 4 | CRC32C of bytes 12..72 |
//! | 12 | 4 | segment bytes |
//! | 16 | 8 | database id |
//! | 24 | 8 | segment number |
//! | 32 | 8 | incarnation |
//! | 40 | 8 | 0, or in an incarnation's first segment: LSN where the incarnation before ended |
//! | 48 | 8 | there: the incarnation before |
//! | 56 | 4 | flags: 1 = images were stripped from its records (S22); others are refused |
//! | 60 | 8 | epoch: under which election the log is written; 0: under none |
//! | 68 | 4 | zeros |
//!
//! Invariants
//! 1. A segment is zero-filled (or recycled, full-length) and its header durable under its final name before any record goes into it, so
//!    that a flush never writes file metadata.
//! 2. Every incarnation begins in a fresh segment (design: otherwise stale records behind a torn tail could be replayed).
//! 3. The first block of a segment's stream is zeros until log is written there; when a file is recycled, its header goes first. So it says whether
//!    the segment was ever used (but for recycled ones of programs from before there was this rule: they look used). A segment that lost its first
//!    block looks unused; reading stops at that block, if nothing before it is damaged, and then the segment is read all the same (`end.rs`).

use crate::base::codec::{u32_at, u64_at};
use crate::base::{Corruption, Error, Lsn, Result};
use crate::io::{Access, AlignedBuf, Disk, File, OpenMode, read_exact_at, write_all_at};
use std::io::IoSlice;
use std::sync::Arc;

/// Header size and the unit of log writes.
pub const LOG_BLOCK: u64 = 4096;
/// Bytes of the header block that are used.
pub const HEADER_BYTES: usize = 72;
const MAGIC: &[u8; 8] = b"EVKLLOG1";
const STRIPPED: u32 = 1;
/// Begins the name of a segment that is being made.
const NEW: &str = "new-";
/// Begins the name of a segment that was set aside.
const ASIDE: &str = "aside-";
/// Zeros written in one call: short enough for a commit's write to find its place between two.
const FILL_BYTES: u64 = 256 * 1024;
/// No log has so many segments: positions in those below it, of whatever size they may be, are below 2^62.
pub const SEGMENT_MAX: u64 = 1 << 32;
/// Folder of the segments.
pub const DIR: &str = "wal";

/// Arithmetic between positions and segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Bytes of a segment file: a multiple of 4096, at least 16 KiB.
    pub segment_bytes: u64,
}

impl Geometry {
    /// Stream bytes in a segment.
    pub fn usable(self) -> u64 {
        self.segment_bytes - LOG_BLOCK
    }

    /// The segment that holds a position.
    pub fn segment_of(self, lsn: Lsn) -> u64 {
        lsn.0 / self.usable()
    }

    /// First position of a segment.
    pub fn start_of(self, segment: u64) -> Lsn {
        Lsn(segment * self.usable())
    }

    /// Byte offset of a position in its segment's file.
    pub fn offset_of(self, lsn: Lsn) -> u64 {
        LOG_BLOCK + lsn.0 % self.usable()
    }
}

/// What a segment's header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Bytes of the file.
    pub segment_bytes: u64,
    /// Which database.
    pub database_id: u64,
    /// Which segment.
    pub segment: u64,
    /// Which life of the log.
    pub incarnation: u64,
    /// In an incarnation's first segment: where the one before ended; else zero.
    pub prev_end: Lsn,
    /// In an incarnation's first segment: the one before.
    pub prev_incarnation: u64,
    /// Its records' images were stripped: it comes from an archive.
    pub stripped: bool,
    /// Under which election it is written; 0: under none.
    pub epoch: u64,
}

impl Header {
    /// Whether a life of the log begins in this segment, with a record at its first byte.
    pub fn begins_life(&self) -> bool {
        self.prev_incarnation != 0 || self.segment == 1
    }

    /// The header's block.
    pub fn encode(&self) -> AlignedBuf {
        let mut b = AlignedBuf::new(LOG_BLOCK as usize);
        b[..8].copy_from_slice(MAGIC);
        b[12..16].copy_from_slice(&(self.segment_bytes as u32).to_le_bytes());
        for (i, v) in
            [self.database_id, self.segment, self.incarnation, self.prev_end.0, self.prev_incarnation]
                .iter()
                .enumerate()
        {
            b[16 + 8 * i..24 + 8 * i].copy_from_slice(&v.to_le_bytes());
        }
        b[56..60].copy_from_slice(&(if self.stripped { STRIPPED } else { 0 }).to_le_bytes());
        b[60..68].copy_from_slice(&self.epoch.to_le_bytes());
        let crc = crc32c::crc32c(&b[12..HEADER_BYTES]);
        b[8..12].copy_from_slice(&crc.to_le_bytes());
        b
    }

    /// Reads a header; `None` for bytes that are none, or of a version that this one does not know, or that name a place that no log reaches.
    pub fn decode(b: &[u8]) -> Option<Header> {
        let b = b.get(..HEADER_BYTES)?;
        if &b[..8] != MAGIC
            || u32_at(b, 8) != crc32c::crc32c(&b[12..])
            || u32_at(b, 56) & !STRIPPED != 0
            || b[68..].iter().any(|x| *x != 0)
            || u64::from(u32_at(b, 12)) <= LOG_BLOCK
            || u64_at(b, 24) >= (1 << 62) / u64::from(u32_at(b, 12))
            || u64_at(b, 40) >= 1 << 62
        {
            return None;
        }
        Some(Header {
            segment_bytes: u64::from(u32_at(b, 12)),
            database_id: u64_at(b, 16),
            segment: u64_at(b, 24),
            incarnation: u64_at(b, 32),
            prev_end: Lsn(u64_at(b, 40)),
            prev_incarnation: u64_at(b, 48),
            stripped: u32_at(b, 56) & STRIPPED != 0,
            epoch: u64_at(b, 60),
        })
    }
}

/// A segment's path.
pub fn path(segment: u64) -> String {
    format!("{DIR}/{segment:016x}")
}

/// Numbers of the segment files in the folder, ascending. Other names are ignored, and numbers that no log reaches.
pub fn list(disk: &dyn Disk) -> Result<Vec<u64>> {
    let names = disk.list(DIR).map_err(|e| Error::io("listing the log folder", e))?;
    let mut out: Vec<u64> =
        names.iter().filter(|n| n.len() == 16).filter_map(|n| u64::from_str_radix(n, 16).ok()).collect();
    out.retain(|n| *n < SEGMENT_MAX);
    out.sort_unstable();
    Ok(out)
}

/// The first of those that lead up to segment `last` without a gap; that one itself if there are none.
pub fn first_before(disk: &dyn Disk, last: u64) -> Result<u64> {
    let there = list(disk)?;
    let mut first = last;
    while first > 0 && there.contains(&(first - 1)) {
        first -= 1;
    }
    Ok(first)
}

/// Refuses a folder with segments of another database: nothing of theirs may be read or reused.
pub fn check_owner(disk: &dyn Disk, database_id: u64) -> Result<()> {
    for n in list(disk)? {
        if let Some((_, h)) = open(disk, n)?
            && h.database_id != database_id
        {
            return Err(Error::corrupt(format!(
                "log segment {} belongs to database {:016x}, the control file to {database_id:016x}",
                path(n),
                h.database_id
            )));
        }
    }
    Ok(())
}

/// Refuses a folder whose log is not the one that its control file says was closed, at `end` in `life`: one of the two is of another time, and what the control file says of the data
/// files is not so. Nothing is logged in a life before the control file names it, so log behind means that the control file is older; without the segment of the end the log is.
pub fn check_closed(disk: &dyn Disk, geometry: Geometry, end: Lsn, life: u64) -> Result<()> {
    let closed_in = geometry.segment_of(end);
    let there = list(disk)?;
    let refused = |why: String| {
        let what = format!(
            "the control file says that the database was shut down cleanly and its log ended at {end}, but {why}. Nothing was changed"
        );
        Err(Error::Corrupt(
            Corruption::new(what).with_advice(
                "Put the files back that belong together, or restore a backup (evenkeel restore)",
            ),
        ))
    };
    for n in there.iter().copied().filter(|n| *n > closed_in) {
        // One without a header that can be read says nothing of when it was used.
        if open(disk, n)?.is_some() && has_log(disk, n)? {
            return refused(format!(
                "log segment {} behind that has log: the control file is older than the rest of the folder",
                path(n)
            ));
        }
    }
    let name = path(closed_in);
    match open(disk, closed_in)? {
        Some((_, h)) if h.incarnation != life => refused(format!(
            "log segment {name} is of another life of the log: it is not the one that was closed"
        )),
        // All of the log may have been removed: nothing of it is needed.
        None if there.is_empty() || there.contains(&closed_in) => Ok(()),
        None => {
            // On a full disk the next start makes its own segment of this one; it was cut short then.
            for n in there {
                if open(disk, n)?.is_some_and(|(_, h)| (h.prev_end, h.prev_incarnation) == (end, life)) {
                    return Ok(());
                }
            }
            refused(format!(
                "log segment {name} is missing, and others are there: the log is older than the control file"
            ))
        }
        _ => Ok(()),
    }
}

/// Where a segment file is kept that is doubtful: nothing reads it, nothing removes it, and `evenkeel check` names it.
pub fn aside_path(segment: u64) -> String {
    format!("{DIR}/{ASIDE}{segment:016x}")
}

/// The paths of all segment files that were set aside.
pub fn set_aside_paths(disk: &dyn Disk) -> Result<Vec<String>> {
    let names = disk.list(DIR).map_err(|e| Error::io("listing the log folder", e))?;
    Ok(names.iter().filter(|n| n.starts_with(ASIDE)).map(|n| format!("{DIR}/{n}")).collect())
}

/// Sets a segment file aside, under a name that is free, which it gives. The folder is to be synced afterwards.
pub fn set_aside(disk: &dyn Disk, segment: u64) -> Result<String> {
    let mut name = aside_path(segment);
    let mut again = 1;
    let ctx = |e| Error::io(format!("setting log segment {} aside", path(segment)), e);
    while disk.exists(&name).map_err(ctx)? {
        again += 1;
        name = format!("{}-{again}", aside_path(segment));
    }
    disk.rename(&path(segment), &name).map_err(ctx)?;
    Ok(name)
}

/// Puts a whole segment file, which is durable, in the place of one that is damaged, or missing; the damaged one is set aside. Gives where, if there was one.
/// The folder is to be synced afterwards.
pub fn replace(disk: &dyn Disk, segment: u64, bytes: &[u8]) -> Result<Option<String>> {
    let (name, new) = (path(segment), format!("{DIR}/{NEW}{segment:016x}"));
    let ctx = |e| Error::io(format!("writing log segment {name}"), e);
    let file = disk.open(&new, OpenMode::CreateIfMissing, Access::Data).map_err(ctx)?;
    let mut block = AlignedBuf::new(bytes.len());
    block.copy_from_slice(bytes);
    write_all_at(&*file, &mut [IoSlice::new(&block)], 0).map_err(ctx)?;
    file.sync().map_err(ctx)?;
    let aside = match disk.exists(&name).map_err(ctx)? {
        true => Some(set_aside(disk, segment)?),
        false => None,
    };
    disk.rename(&new, &name).map_err(ctx)?;
    Ok(aside)
}

/// Clears the way for a life of the log that begins in segment `first`: what stands there and behind must never be read again. Files with intact log are set
/// aside, the others removed; those in `bare` are known to have none. Gives where those are that were set aside.
///
/// The last goes first, and for good: of a start that a crash cuts short no segment is left behind one that is gone, which would look like log that is missing
/// (`end::Proof::Missing`).
pub fn clear_from(disk: &dyn Disk, first: u64, bare: &[u64]) -> Result<Vec<String>> {
    let mut doomed: Vec<u64> = list(disk)?.into_iter().filter(|&s| s >= first).collect();
    doomed.sort_unstable();
    let mut kept = Vec::new();
    for s in doomed.iter().rev() {
        if !bare.contains(s) && has_log(disk, *s)? {
            kept.push(set_aside(disk, *s)?);
        } else {
            disk.remove(&path(*s)).map_err(|e| Error::io(format!("removing log segment {s:016x}"), e))?;
        }
        disk.sync_dir(DIR).map_err(|e| Error::io("syncing the log folder", e))?;
    }
    kept.reverse();
    Ok(kept)
}

/// Whether a segment has log in it: a record of its life that can be found (each gang has one), or bytes under a header that cannot be read.
fn has_log(disk: &dyn Disk, segment: u64) -> Result<bool> {
    let Some((file, header)) = open(disk, segment)? else { return has_bytes(disk, segment) };
    let bytes = super::source::SegmentBytes::File(file);
    Ok(is_used(&bytes, &header)? && super::end::has_told(&bytes, &header)?)
}

/// Whether log may have been written into a segment (invariant 3).
pub fn is_used(bytes: &super::source::SegmentBytes, header: &Header) -> Result<bool> {
    let mut block = AlignedBuf::new(LOG_BLOCK as usize);
    let (_, stream) = super::end::read_piece(bytes, header, 0, &mut block)?;
    Ok(stream.iter().any(|b| *b != 0))
}

/// Whether there is a file for a segment, and it is not all zeros.
pub fn has_bytes(disk: &dyn Disk, segment: u64) -> Result<bool> {
    let name = path(segment);
    let ctx = |e| Error::io(format!("reading log segment {name}"), e);
    if !disk.exists(&name).map_err(ctx)? {
        return Ok(false);
    }
    let file = disk.open(&name, OpenMode::Existing, Access::Log).map_err(ctx)?;
    let mut bytes = AlignedBuf::new(FILL_BYTES as usize);
    let (mut at, len) = (0, file.len().map_err(ctx)? & !(LOG_BLOCK - 1));
    while at < len {
        let n = (len - at).min(FILL_BYTES) as usize;
        read_exact_at(&*file, &mut bytes[..n], at).map_err(ctx)?;
        if bytes[..n].iter().any(|b| *b != 0) {
            return Ok(true);
        }
        at += n as u64;
    }
    Ok(false)
}

/// Removes files whose preparation was cut short.
pub fn remove_unfinished(disk: &dyn Disk) -> Result<()> {
    let names = disk.list(DIR).map_err(|e| Error::io("listing the log folder", e))?;
    for name in names.iter().filter(|n| n.starts_with(NEW)) {
        disk.remove(&format!("{DIR}/{name}")).map_err(|e| Error::io(format!("removing {DIR}/{name}"), e))?;
    }
    Ok(())
}

/// Opens a segment for reading and checks that it is what its name says. `Ok(None)`: no such file, or a header that no completed
/// preparation wrote.
pub fn open(disk: &dyn Disk, segment: u64) -> Result<Option<(Arc<dyn File>, Header)>> {
    let name = path(segment);
    let file = match disk.open(&name, OpenMode::Existing, Access::Log) {
        Ok(f) => f,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io(format!("opening log segment {name}"), e)),
    };
    let mut b = AlignedBuf::new(LOG_BLOCK as usize);
    match read_exact_at(&*file, &mut b, 0) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(e) => return Err(Error::io(format!("reading log segment {name}"), e)),
    }
    let len = file.len().map_err(|e| Error::io(format!("reading log segment {name}"), e))?;
    Ok(Header::decode(&b).filter(|h| h.segment == segment && len >= h.segment_bytes).map(|h| (file, h)))
}

/// Makes a segment ready (invariant 1), from a recycled file or from nothing, in one go. Fails without harm when space runs out.
pub fn prepare(disk: &dyn Disk, header: &Header, recycle: Option<u64>) -> Result<Arc<dyn File>> {
    let Some(old) = recycle else {
        return Preparation::begin(disk, header)?.finish(disk);
    };
    let name = path(header.segment);
    let ctx = |what: &str, e| Error::io(format!("{what} log segment {name}"), e);
    let from = path(old);
    let file = disk.open(&from, OpenMode::Existing, Access::Log).map_err(|e| ctx("recycling", e))?;
    // The header first: as long as the file is the old segment, it has all of its log. Its end may not have been archived yet, as far as the next start knows.
    for (at, block) in [(0, header.encode()), (LOG_BLOCK, AlignedBuf::new(LOG_BLOCK as usize))] {
        write_all_at(&*file, &mut [IoSlice::new(&block)], at).map_err(|e| ctx("recycling", e))?;
        if file.log_needs_sync() {
            file.sync().map_err(|e| ctx("recycling", e))?;
        }
    }
    disk.rename(&from, &name).map_err(|e| ctx("naming", e))?;
    disk.sync_dir(DIR).map_err(|e| ctx("naming", e))?;
    Ok(file)
}

/// A segment that is being made from nothing, under a name that nobody reads.
///
/// Its zeros go out without being made durable one by one: the flushes of commits take them along, and one sync at the end makes sure (invariant 1
/// asks for no more). A durable write each would cost commits a revolution of a rotating disk each, and those of the journal on top.
#[derive(Debug)]
pub(super) struct Preparation {
    header: Header,
    from: String,
    file: Arc<dyn File>,
    /// Bytes of the file that have been written.
    filled: u64,
}

impl Preparation {
    /// Creates the file and obtains its space.
    pub fn begin(disk: &dyn Disk, header: &Header) -> Result<Preparation> {
        let from = format!("{DIR}/{NEW}{:016x}", header.segment);
        let ctx = |e| Error::io(format!("creating log segment {}", path(header.segment)), e);
        let file = disk.open(&from, OpenMode::CreateIfMissing, Access::Data).map_err(ctx)?;
        let new = Preparation { header: *header, from, file, filled: LOG_BLOCK };
        match new.file.allocate(0, header.segment_bytes) {
            Ok(()) => Ok(new),
            Err(e) => Err(new.failed(disk, "filling", e)),
        }
    }

    /// Fills the file up to about `upto` bytes of it; true when it is full.
    pub fn fill(&mut self, disk: &dyn Disk, upto: u64) -> Result<bool> {
        let bytes = self.header.segment_bytes;
        let upto = upto.min(bytes);
        if self.filled < upto {
            let zeros = AlignedBuf::new(FILL_BYTES.min(bytes - LOG_BLOCK) as usize);
            while self.filled < upto {
                let n = (bytes - self.filled).min(zeros.len() as u64);
                write_all_at(&*self.file, &mut [IoSlice::new(&zeros[..n as usize])], self.filled)
                    .map_err(|e| self.failed(disk, "filling", e))?;
                self.filled += n;
            }
        }
        Ok(self.filled == bytes)
    }

    /// Fills what is left, makes it durable, and gives the segment its name.
    pub fn finish(mut self, disk: &dyn Disk) -> Result<Arc<dyn File>> {
        self.fill(disk, u64::MAX)?;
        let file = (|| {
            write_all_at(&*self.file, &mut [IoSlice::new(&self.header.encode())], 0)?;
            self.file.sync()?;
            disk.open(&self.from, OpenMode::Existing, Access::Log)
        })()
        .map_err(|e| self.failed(disk, "filling", e))?;
        let name = path(self.header.segment);
        let ctx = |e| Error::io(format!("naming log segment {name}"), e);
        disk.rename(&self.from, &name).map_err(ctx)?;
        disk.sync_dir(DIR).map_err(ctx)?;
        Ok(file)
    }

    /// Gives the space back.
    pub fn give_up(self, disk: &dyn Disk) -> Result<()> {
        disk.remove(&self.from).map_err(|e| Error::io(format!("removing {}", self.from), e))
    }

    /// Gives the space back after an error. If that fails, too, the next start finds the file.
    fn failed(&self, disk: &dyn Disk, what: &str, e: std::io::Error) -> Error {
        let _ = disk.remove(&self.from);
        Error::io(format!("{what} log segment {}", path(self.header.segment)), e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{SimDisk, SimOptions};

    /// Bytes of whatever kind are no log of the segment's life: only a record that can be found is.
    #[test]
    fn of_what_must_not_be_read_again_only_log_is_set_aside() {
        let disk = SimDisk::new(SimOptions::default());
        disk.create_dir(DIR).unwrap();
        let header = |segment| Header {
            segment_bytes: 64 << 10,
            database_id: 1,
            segment,
            incarnation: 7,
            prev_end: Lsn::ZERO,
            prev_incarnation: 0,
            stripped: false,
            epoch: 0,
        };
        (5..9).for_each(|n| _ = prepare(&disk, &header(n), None).unwrap());
        let geometry = Geometry { segment_bytes: 64 << 10 };
        // 5 was never used, 6 has other bytes, 7 has log.
        disk.damage(&path(6), LOG_BLOCK, &[0xA5; 200]).unwrap();
        let body = crate::wal::record::flushed_body(0);
        let (head, n) = crate::wal::record::frame_head(&body, geometry.start_of(7), 7);
        disk.damage(&path(7), LOG_BLOCK, &[&head[..n], &body].concat()).unwrap();
        assert_eq!(clear_from(&disk, 5, &[8]).unwrap(), [aside_path(7)]);
        assert!(list(&disk).unwrap().is_empty());
    }
}
