//! Giving up log behind damage: the one way to go on without log that was durable, taken by hand and for one place only.
//!
//! The database is not open. What lies behind the place stays in the folder under other names, and nothing of it is read again. Pages at home may be newer than
//! the place: what they hold can neither be undone nor completed. Then the file `damaged` says so; the database opens for reading only, so that what it has can be
//! taken out, and `evenkeel check` goes on naming it.
//!
//! Invariants
//! 1. Nothing is removed. A crash in between leaves a folder for which the same call can be made again, or that opens as if it had been made.
//! 2. `damaged` is durable before the log is cut, and so is that what was archived behind the place belongs to another history (archive/ahead.rs).
//!
//! Must not know: how redo works.

use super::database::Database;
use super::log_damage;
use super::opening::not_ours;
use super::options::Options;
use crate::archive;
use crate::base::{Error, Lsn, PAGE_BYTES, PageId, Result};
use crate::control::{Control, ControlData};
use crate::io::{AlignedBuf, Disk, OsDisk, read_exact_at, read_whole, write_whole};
use crate::page;
use crate::pool::Files;
use crate::wal::end::{Behind, Damage, Proof, stream_of};
use crate::wal::reader::LogReader;
use crate::wal::segment::{self, Geometry, LOG_BLOCK};
use crate::wal::source::{LogSource, SegmentBytes};
use std::path::Path;
use std::sync::Arc;

const NAME: &str = "damaged";
const TITLE: &str = "evenkeel damaged 1";
/// Longest file that is read.
const BYTES_MAX: u64 = 4096;
/// Pages read at a time.
const PIECE_PAGES: u64 = 128;

/// What was given up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenUp {
    /// The damage.
    pub damage: Damage,
    /// When the first of the commits that were found behind it happened, and the last, milliseconds since the Unix epoch.
    pub commit_times_ms: Option<(u64, u64)>,
    /// The transactions that committed there, in order; those that were found.
    pub txids: Vec<u64>,
    /// Segment files that were set aside.
    pub set_aside: Vec<String>,
    /// Pages at home that are newer than the place: if there are any the database can only be read from here on.
    pub newer_pages: u64,
}

/// Gives up the log from `from` on, which must be the very place that a start of the database in `dir` names as damaged. Blocks: reads all data files.
pub fn give_up_log(dir: &Path, options: &Options, from: Lsn) -> Result<GivenUp> {
    let disk = OsDisk::new(dir, options.os_options())
        .map_err(|e| Error::io(format!("opening the folder {}", dir.display()), e))?;
    give_up_log_on(Arc::new(disk), from)
}

/// As [`give_up_log`], on any disk.
pub fn give_up_log_on(disk: Arc<dyn Disk>, from: Lsn) -> Result<GivenUp> {
    let _locks = (disk.lock().map_err(not_ours)?, Control::lock(&*disk).map_err(not_ours)?);
    let (_, data) = Control::open(&*disk)?;
    let geometry = Geometry { segment_bytes: data.segment_bytes };
    let damage = find_damage(&disk, geometry, &data)?;
    if damage.at != from {
        return Err(Error::InvalidArgument(format!("{damage}: not at {from}; nothing was given up")));
    }
    if data.round != Lsn::ZERO && damage.at <= data.round {
        return Err(Error::InvalidArgument(format!(
            "{damage}. The data files depend on log beyond that place: only a backup can be restored (evenkeel restore)"
        )));
    }
    let (commit_times_ms, txids) = commits_behind(&*disk, geometry, &damage)?;
    let (newer_pages, _) = newer_pages(&disk, from)?;
    if newer_pages > 0 {
        write_marker(&*disk, from, newer_pages)?;
    }
    archive::lower(&*disk, geometry.segment_of(from))?;
    let set_aside = cut(&*disk, geometry, from)?;
    Ok(GivenUp { damage, commit_times_ms, txids, set_aside, newer_pages })
}

/// Reads the log as a recovery would, and where that finds nothing wrong, every page.
fn find_damage(shared: &Arc<dyn Disk>, geometry: Geometry, data: &ControlData) -> Result<Damage> {
    let disk: &dyn Disk = &**shared;
    let none = || Error::InvalidArgument("the log is not damaged: there is nothing to give up".into());
    if data.clean {
        return Err(none());
    }
    let source: &dyn LogSource = &disk;
    let start = data.redo.iter().copied().min().unwrap_or(data.log_needed).min(data.log_needed);
    let mut reader = LogReader::open_sequential(source, geometry, start)?;
    while reader.next()?.is_some() {}
    if let Some(damage) = reader.damage()? {
        return Ok(damage);
    }
    let at = reader.position();
    if let Some(damage) = log_damage::lost_end(disk, data, at, reader.incarnation())? {
        return Ok(damage);
    }
    let newest = if read_only_because(disk)?.is_some() { None } else { newer_pages(shared, at)?.1 };
    let (lsn, page) = newest.ok_or_else(none)?;
    Ok(Damage {
        at,
        segment: geometry.segment_of(at),
        offset: geometry.offset_of(at),
        incarnation: reader.incarnation(),
        proof: Proof::Page { file: page.file.0, block: page.block.0, lsn },
        behind: Behind::default(),
    })
}

/// When the first and the last commit happened, milliseconds since the Unix epoch, and whose they all are.
type Commits = (Option<(u64, u64)>, Vec<u64>);

/// The times of the first and the last commit that can be read behind the damage, and whose they are.
fn commits_behind(disk: &dyn Disk, geometry: Geometry, damage: &Damage) -> Result<Commits> {
    let source: &dyn LogSource = &disk;
    let (mut times, mut txids) = (None, Vec::new());
    let Some(from) = damage.behind.from else { return Ok((times, txids)) };
    let mut reader = LogReader::open_sequential(source, geometry, from)?;
    loop {
        let record = match reader.next() {
            Ok(Some(record)) => record,
            Ok(None) | Err(Error::Corrupt(_)) => return Ok((times, txids)),
            Err(e) => return Err(e),
        };
        if let Some(ms) = record.commit_time_ms() {
            times = Some((times.map_or(ms, |(first, _)| first), ms));
            txids.extend(record.txn.map(|t| t.id.0));
        }
    }
}

/// How many pages at home say that they are newer than a position, and the newest of them.
fn newer_pages(disk: &Arc<dyn Disk>, than: Lsn) -> Result<(u64, Option<(Lsn, PageId)>)> {
    let files = Files::new(disk.clone());
    let (mut newer, mut newest) = (0, None);
    for id in files.list()? {
        let file = files.must_get(id)?;
        let ctx = |e| Error::io(format!("reading data file {}", id.0), e);
        let pages = file.len().map_err(ctx)? / PAGE_BYTES as u64;
        let mut buf = AlignedBuf::new(PIECE_PAGES as usize * PAGE_BYTES);
        let mut at = 0;
        while at < pages {
            let n = (pages - at).min(PIECE_PAGES) as usize;
            let bytes = &mut buf[..n * PAGE_BYTES];
            read_exact_at(&*file, bytes, at * PAGE_BYTES as u64).map_err(ctx)?;
            for (i, bytes) in bytes.chunks_exact(PAGE_BYTES).enumerate() {
                let page = PageId::new(id, u32::try_from(at + i as u64).unwrap_or(u32::MAX));
                if page::verify(bytes, page) && page::lsn(bytes) > than {
                    newer += 1;
                    newest = newest.max(Some((page::lsn(bytes), page)));
                }
            }
            at += n as u64;
        }
    }
    Ok((newer, newest))
}

/// Cuts the log at a place: the segments behind it are set aside, and the one it lies in is replaced by one that ends there.
fn cut(disk: &dyn Disk, geometry: Geometry, from: Lsn) -> Result<Vec<String>> {
    let n = geometry.segment_of(from);
    let mut behind: Vec<u64> = segment::list(disk)?.into_iter().filter(|s| *s > n).collect();
    behind.reverse(); // what is left after a crash has no gap
    let mut aside = Vec::new();
    for s in behind {
        aside.push(segment::set_aside(disk, s)?);
    }
    if let Some((file, header)) = segment::open(disk, n)? {
        let stream = stream_of(&SegmentBytes::File(file), &header)?;
        let mut bytes = Vec::with_capacity(header.segment_bytes as usize);
        bytes.extend_from_slice(&header.encode());
        bytes.extend_from_slice(&stream[..(geometry.offset_of(from) - LOG_BLOCK) as usize]);
        bytes.resize(header.segment_bytes as usize, 0);
        aside.extend(segment::replace(disk, n, &bytes)?);
    } else if disk.exists(&segment::path(n)).map_err(|e| Error::io("looking for a log segment", e))? {
        aside.push(segment::set_aside(disk, n)?);
    }
    disk.sync_dir(segment::DIR).map_err(|e| Error::io("syncing the log folder", e))?;
    Ok(aside)
}

fn write_marker(disk: &dyn Disk, from: Lsn, newer_pages: u64) -> Result<()> {
    let ctx = |e| Error::io("writing the file \"damaged\"", e);
    let body = format!("{TITLE}\nlog given up from {from}\npages newer than that {newer_pages}\n");
    let text = format!("{body}crc32c {:08x}\n", crc32c::crc32c(body.as_bytes()));
    write_whole(disk, NAME, text.as_bytes()).map_err(ctx)
}

/// Why the database in a folder can only be read; `None` if it can be written. A file that is damaged itself says no less.
pub(super) fn read_only_because(disk: &dyn Disk) -> Result<Option<String>> {
    let ctx = |e| Error::io("reading the file \"damaged\"", e);
    let Some(bytes) = read_whole(disk, NAME, BYTES_MAX).map_err(ctx)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().skip(1).filter(|l| !l.starts_with("crc32c")).collect();
    Ok(Some(format!(
        "log that it needs was given up ({}), so its pages do not fit together: take out what it has, or restore a backup",
        lines.join(", ")
    )))
}

impl Database {
    /// Why the database can only be read, if that is so: see [`give_up_log`].
    pub fn read_only_because(&self) -> Option<&str> {
        self.store().writes_refused.get().map(String::as_str)
    }
}
