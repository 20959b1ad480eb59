//! A copy of the files of a server that goes on, given piece by piece, for whoever makes a standby of it (S25).
//!
//! Invariants
//! 1. The log from the label's `log_needed` on is kept for the slot, before the label is given.
//! 2. What is given of a page is durable in the log: the page belongs to this history, whatever crashes.
//! 3. Replayed up to the position that is given last, the copy is what the database was there.
//!
//! Must not know: how pieces travel, who takes them.

use super::backup::new_label;
use super::lives::Lives;
use super::rejoining::Have;
use super::standby::Position;
use super::upstream::{Followed, Upstream};
use crate::archive::{Copier, Manifest};
use crate::base::sync::Instant;
use crate::base::{Error, Lsn, PAGE_BYTES, PageId, Result};
use crate::wal::segment::Geometry;
use crate::wal::source::LogSource;
use std::time::Duration;

/// Blocks in a piece: 4 MiB, less than clients take in a message.
const PIECE_BLOCKS: u32 = 512;
/// A copy is of no archive's timeline, and a label needs one.
const NO_TIMELINE: u32 = 1;
/// Longest rest at a time, so that an end is noticed.
const REST_MAX: Duration = Duration::from_millis(50);

/// How to make a copy.
#[derive(Clone, Copy, Debug)]
pub struct CopyOptions {
    /// Pages are read at most so fast, bytes a second; 0: as fast as it goes.
    pub rate_bytes_per_s: u64,
    /// zstd's level, 0 for nearly none.
    pub level: u64,
    /// Checkpoint first, as fast as `checkpoint_forced_rate` allows: the standby has less log to replay.
    pub fast_checkpoint: bool,
}

/// What comes next of a copy.
#[derive(Debug)]
pub enum CopyPiece<'p> {
    /// First of all: what the copy is of, and from where on its log is needed; and about how many bytes of pages will come.
    Label(&'p [u8], u64),
    /// Behind it: the lives of the log ([`Lives`](super::lives::Lives)).
    Lives(&'p str),
    /// Pages of a file, packed, and so many bytes as they lie in the file.
    Pages(&'p [u8], u64),
    /// Last of all: the log up to here, of this life, makes it whole.
    End(Position),
}

impl Upstream<'_> {
    /// Copies all files while they are in use, but for the pages that whoever takes them has already (`have`). The log from where the copy begins is kept for the slot, which must keep some already. `give` is called for each
    /// piece and may end it all by its error. Blocks for the disk and for `give`. `Corrupt` names a damaged page.
    pub fn copy_base(
        self,
        slot: &str,
        options: &CopyOptions,
        have: Option<&Have>,
        give: &mut dyn FnMut(CopyPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        let up = self.0;
        let _at_work = up.enter()?;
        if options.fast_checkpoint {
            up.checkpoint()?;
        }
        let label = label(up, slot)?;
        let pool = up.pool();
        let mut files = Vec::new();
        for file in pool.files().list()? {
            // Dropped meanwhile: the log says so.
            if let Some(blocks) = Copier::blocks(pool.files(), file)? {
                files.push((file, blocks));
            }
        }
        let bytes_of = |blocks: u32| u64::from(blocks) * PAGE_BYTES as u64;
        give(CopyPiece::Label(&label.encode(), files.iter().map(|(_, blocks)| bytes_of(*blocks)).sum()))?;
        let lives = Lives::read(&**pool.files().disk())?;
        give(CopyPiece::Lives(&lives.encode()))?;
        let has = have.map(|have| |id: PageId, lsn: Lsn| have.has(id, lsn));
        let has = has.as_ref().map(|has| has as &dyn Fn(PageId, Lsn) -> bool);
        let mut copier = Copier::new(pool, || up.reserved());
        let mut pace = Pace { up, began: Instant::now(), bytes: 0, rate: options.rate_bytes_per_s };
        for (file, blocks) in files {
            let mut first = 0;
            while first < blocks {
                let wanted = PIECE_BLOCKS.min(blocks - first);
                let copied = copier.chunk(file, first, wanted, has, &mut |bytes| pace.read(bytes))?;
                let there = copied.chunk.blocks();
                if there > 0 {
                    up.flush(copied.lsn)?; // invariant 2
                    let packed = copied.chunk.encode(options.level, &mut |_| up.check())?;
                    give(CopyPiece::Pages(&packed, bytes_of(there)))?;
                }
                first += there;
                if copied.cut_short {
                    break;
                }
            }
        }
        let end = loop {
            let (life, lsn) = (up.position().life, up.end());
            up.flush(lsn)?;
            // A standby may have gone over to another life meanwhile.
            if up.position().life == life {
                break Position { life, lsn };
            }
        };
        give(CopyPiece::End(end))
    }
}

/// What the copy is of (invariant 1).
fn label(up: &dyn Followed, slot: &str) -> Result<Manifest> {
    let kept = up.slots().list().into_iter().find(|s| s.name == slot);
    let kept = kept.ok_or_else(|| Error::NoSuchSlot(slot.into()))?.restart;
    let mut data = up.published()?;
    data.log_needed = log_needed(&&**up.pool().files().disk(), up.geometry(), data.log_needed)?;
    let needed = data.log_needed;
    data.redo.iter_mut().for_each(|redo| *redo = (*redo).max(needed));
    if kept.is_none_or(|at| at > data.log_needed) {
        return Err(Error::InvalidArgument(format!(
            "replication slot \"{slot}\" does not keep the log that a copy needs, from {} on: create it anew, reserving log",
            data.log_needed
        )));
    }
    let start = up.end();
    up.flush(start)?;
    Ok(new_label(&data, NO_TIMELINE, start, None, slot))
}

/// From where on a copy needs the log that begins now: where a life begins in that segment, from there on, as its header promises a record at the segment's first byte; where one ends just there,
/// from the next one on, as nobody sends an end alone.
pub(super) fn log_needed(log: &dyn LogSource, geometry: Geometry, needed: Lsn) -> Result<Lsn> {
    let n = geometry.segment_of(needed);
    let next = log.open(n + 1)?.map(|(_, header)| header);
    if next.is_some_and(|h| h.begins_life() && h.prev_end == needed) {
        return Ok(geometry.start_of(n + 1));
    }
    let header = log.open(n)?.map(|(_, header)| header);
    Ok(if header.is_some_and(|h| h.begins_life()) { geometry.start_of(n) } else { needed })
}

/// Keeps to the rate, and notices the database's end.
struct Pace<'u> {
    up: &'u dyn Followed,
    began: Instant,
    bytes: u64,
    rate: u64,
}

impl Pace<'_> {
    fn read(&mut self, bytes: u64) -> Result<()> {
        self.bytes += bytes;
        loop {
            self.up.check()?;
            if self.rate == 0 {
                return Ok(());
            }
            let due = Duration::from_secs_f64(self.bytes as f64 / self.rate as f64);
            let rest = due.saturating_sub(self.began.elapsed());
            if rest.is_zero() {
                return Ok(());
            }
            self.up.pause(rest.min(REST_MAX));
        }
    }
}
