//! Analysis and redo. Invariants are in the module's README.

use super::target::{Target, Verdict};
use crate::base::codec::Reader;
use crate::base::{Error, FileId, Lsn, PAGE_BYTES, PageId, Result, TxnId};
use crate::checkpoint::RoundRecord;
use crate::control::ControlData;
use crate::io::{Access, Disk, OpenMode};
use crate::page;
use crate::pool::Pool;
use crate::space;
use crate::txn::ActiveTxn;
use crate::wal::reader::LogReader;
use crate::wal::record::{Block, Kind, Record};
use crate::wal::segment::{self, Geometry};
use crate::wal::source::LogSource;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What the log said.
#[derive(Debug)]
pub struct Recovered {
    /// Where the log ended.
    pub end: Lsn,
    /// In which incarnation.
    pub incarnation: u64,
    /// Transactions to undo, the youngest first.
    pub losers: Vec<ActiveTxn>,
    /// Next unused transaction id.
    pub next_txn: u64,
    /// Next unused tree id, as far as the log knows.
    pub next_tree: u64,
    /// Redo vector that was used.
    pub redo: Vec<Lsn>,
    /// Records read.
    pub records: u64,
    /// Blocks changed.
    pub blocks: u64,
    /// When the last commit redone happened, milliseconds since the Unix epoch; 0 = none was met.
    pub last_commit_ms: u64,
    /// The target was met. Always true of `Latest`.
    pub reached: bool,
}

struct Redo<'p> {
    pool: &'p Pool,
    redo: Vec<Lsn>,
    /// Blocks that could not be redone (invariant 3).
    missing: HashMap<FileId, BTreeSet<u32>>,
    /// Length of the files met, in blocks; `None` = not there.
    lengths: HashMap<FileId, Option<u64>>,
    active: BTreeMap<TxnId, ActiveTxn>,
    next_txn: u64,
    next_tree: u64,
    blocks: u64,
    /// Files whose first map page was met: their length may not have become durable.
    mapped: BTreeSet<FileId>,
    /// Files whose drop was met: a change logged after it came too late to matter (ids are never reused).
    dropped: HashSet<FileId>,
}

/// Makes everything durable that a killed process may have left in a cache: the first step after an unclean stop.
pub fn sync_all(disk: &dyn Disk, pool: &Pool) -> Result<()> {
    for s in segment::list(disk)? {
        let name = segment::path(s);
        let ctx = |e| Error::io(format!("syncing log segment {name}"), e);
        disk.open(&name, OpenMode::Existing, Access::Log).map_err(ctx)?.sync().map_err(ctx)?;
    }
    for dir in [segment::DIR, ""] {
        disk.sync_dir(dir).map_err(|e| Error::io("syncing the database folder", e))?;
    }
    pool.files().sync_everything()
}

/// Redoes the log into the pool, after [`sync_all`] and the repair of torn pages. The pool must be new and have no log connected: every record is
/// durable already. `progress` gets the position now and then.
pub fn redo_log(
    source: &dyn LogSource,
    pool: &Pool,
    control: &ControlData,
    target: &Target,
    progress: &mut dyn FnMut(Lsn),
) -> Result<Recovered> {
    let geometry = Geometry { segment_bytes: control.segment_bytes };
    let mut r = Redo {
        pool,
        redo: control.redo.clone(),
        missing: HashMap::new(),
        lengths: HashMap::new(),
        active: BTreeMap::new(),
        next_txn: control.next_txn,
        next_tree: control.next_file,
        blocks: 0,
        mapped: BTreeSet::new(),
        dropped: HashSet::new(),
    };
    let mut from = control.redo.iter().copied().min().unwrap_or(control.log_needed);
    // Transactions are tracked from here on; before, the round record's table counts.
    let mut tracked_from = from;
    if control.round != Lsn::ZERO {
        let round = read_round(source, geometry, control.round)?;
        tracked_from = round.begin;
        from = from.min(round.begin);
        r.active = round.active.into_iter().map(|t| (t.id, t)).collect();
        let after_active = r.active.keys().last().map_or(0, |t| t.0 + 1);
        r.next_txn = r.next_txn.max(round.next_txn).max(after_active);
        r.next_tree = r.next_tree.max(round.next_tree);
    }
    let mut reader = LogReader::open(source, geometry, from)?;
    let (mut records, mut last_commit_ms) = (0u64, 0);
    let mut reached = *target == Target::Latest;
    let mut stop = None;
    while let Some(rec) = reader.next()? {
        let verdict = target.verdict(&rec);
        if verdict == Verdict::Stop {
            reached = true;
            break;
        }
        records += 1;
        if records.is_multiple_of(65_536) {
            progress(rec.lsn);
        }
        last_commit_ms = rec.commit_time_ms().unwrap_or(last_commit_ms);
        r.record(&rec, rec.lsn >= tracked_from)
            .map_err(|e| Error::Corrupt(format!("redo of the log record at {}: {e}", rec.lsn)))?;
        stop = Some((rec.end, reader.incarnation()));
        if verdict == Verdict::Last {
            reached = true;
            break;
        }
    }
    let at_end = (reader.position(), reader.incarnation());
    let (end, incarnation) =
        if reached && *target != Target::Latest { stop.unwrap_or(at_end) } else { at_end };
    // Whatever a round record's position says was durable: a log that ends before it is damaged, not short. Nothing of it may be removed.
    if control.round != Lsn::ZERO && end <= control.round {
        return Err(Error::Corrupt(format!(
            "the log cannot be read past {}, but it was durable beyond {}: a segment is damaged",
            end, control.round
        )));
    }
    if let Some((file, blocks)) = r.missing.iter().find(|(_, b)| !b.is_empty()) {
        return Err(Error::Corrupt(format!(
            "the log changes block {} of data file {}, which does not exist and was not dropped",
            blocks.first().expect("not empty"),
            file.0
        )));
    }
    r.restore_lengths()?;
    Ok(Recovered {
        end,
        incarnation,
        losers: r.active.into_values().rev().collect(),
        next_txn: r.next_txn,
        next_tree: r.next_tree,
        redo: r.redo,
        records,
        blocks: r.blocks,
        last_commit_ms,
        reached,
    })
}

fn read_round(source: &dyn LogSource, geometry: Geometry, at: Lsn) -> Result<RoundRecord> {
    let mut reader = LogReader::open(source, geometry, at)?;
    match reader.next()? {
        Some(rec) if rec.kind == Kind::Round && rec.lsn == at => RoundRecord::decode(rec.payload),
        _ => Err(Error::Corrupt(format!("the control file names a round record at {at} that is not there"))),
    }
}

impl Redo<'_> {
    fn record(&mut self, rec: &Record<'_>, track: bool) -> Result<()> {
        if let Some(t) = rec.txn.filter(|_| track) {
            self.next_txn = self.next_txn.max(t.id.0 + 1);
            match rec.kind {
                Kind::Commit | Kind::Abort => {
                    self.active.remove(&t.id);
                }
                _ => {
                    let new = ActiveTxn { id: t.id, first: rec.lsn, last: rec.lsn };
                    if t.prev != 0 && !self.active.contains_key(&t.id) {
                        return Err(Error::Corrupt(format!("transaction {} has no first record", t.id.0)));
                    }
                    self.active.entry(t.id).or_insert(new).last = rec.lsn;
                }
            }
        }
        match rec.kind {
            Kind::Change => {
                for block in &rec.blocks {
                    self.next_tree = self.next_tree.max(block.page.file.0 + 1);
                    self.block(rec, block)?;
                }
                Ok(())
            }
            Kind::DropFile => {
                let file = FileId(Reader::new(rec.payload, "drop record").varint()?);
                self.pool.discard(file, 0);
                self.missing.remove(&file);
                self.lengths.insert(file, None);
                self.dropped.insert(file);
                self.pool.files().remove(file)
            }
            Kind::Truncate => {
                let mut p = Reader::new(rec.payload, "truncate record");
                let (file, blocks) = (FileId(p.varint()?), p.varint_max(u32::MAX as usize)? as u32);
                // The file itself stays as it is: longer does no harm, and it may have grown again since.
                self.pool.discard(file, blocks);
                if let Some(m) = self.missing.get_mut(&file) {
                    m.split_off(&blocks);
                }
                Ok(())
            }
            Kind::Commit | Kind::Abort | Kind::Round | Kind::Pad | Kind::Mark => Ok(()),
        }
    }

    fn block(&mut self, rec: &Record<'_>, block: &Block<'_>) -> Result<()> {
        let id = block.page;
        if rec.lsn < self.redo[self.pool.partitions().of(id)] {
            return Ok(()); // invariant 1
        }
        if self.dropped.contains(&id.file) {
            return Ok(());
        }
        if id.block.0 == 0 {
            self.mapped.insert(id.file);
        }
        let whole = block.init || block.image.is_some();
        if !self.exists(id.file, id.block.0, whole)? {
            self.missing.entry(id.file).or_default().insert(id.block.0);
            return Ok(());
        }
        let mut page = if whole {
            if let Some(missing) = self.missing.get_mut(&id.file) {
                missing.remove(&id.block.0);
            }
            let mut page = self.pool.fresh(id)?;
            if let Some(image) = &block.image {
                image.restore(page.bytes_mut())?;
                page::check(&page)?;
            }
            page
        } else {
            let page = self.pool.write(id)?;
            if page.lsn() == Lsn::ZERO && page::Page(&page).kind() == Some(page::Kind::Unused) {
                // Cut off and grown again since: only an initialisation makes it a page again, or a truncation explains it.
                self.missing.entry(id.file).or_default().insert(id.block.0);
                return Ok(());
            }
            if page.lsn() >= rec.end {
                return Ok(()); // invariant 2
            }
            page
        };
        page.mark_dirty();
        page::apply(page.bytes_mut(), block.ops).map_err(|e| Error::Corrupt(format!("{id}: {e}")))?;
        page::set_lsn(page.bytes_mut(), rec.end);
        self.blocks += 1;
        Ok(())
    }

    /// Whether the file has the block. `whole`: the record says all of the block, so the file may be made longer for it, by a hole: the space is obtained
    /// when it is known how long the file was.
    fn exists(&mut self, file: FileId, block: u32, whole: bool) -> Result<bool> {
        let length = match self.lengths.get(&file) {
            Some(l) => *l,
            None => {
                let length = match self.pool.files().get(file)? {
                    Some(f) => {
                        let bytes = f.len().map_err(|e| Error::io(format!("data file {}", file.0), e))?;
                        Some(bytes / PAGE_BYTES as u64)
                    }
                    None => None,
                };
                self.lengths.insert(file, length);
                length
            }
        };
        let Some(length) = length else { return Ok(false) };
        let wanted = u64::from(block) + 1;
        if length < wanted && whole {
            self.pool
                .files()
                .must_get(file)?
                .truncate(wanted * PAGE_BYTES as u64)
                .map_err(|e| Error::io(format!("extending data file {}", file.0), e))?;
            self.lengths.insert(file, Some(wanted));
            return Ok(true);
        }
        Ok(length >= wanted)
    }

    /// Gives every file the space that its map says it has (invariant 3).
    fn restore_lengths(&mut self) -> Result<()> {
        for file in std::mem::take(&mut self.mapped) {
            if self.dropped.contains(&file) {
                continue;
            }
            let total = space::total_blocks(&self.pool.read(PageId::new(file, 0))?)?;
            let handle = self.pool.files().must_get(file)?;
            let ctx = |e| Error::io(format!("extending data file {}", file.0), e);
            handle.allocate(0, u64::from(total) * PAGE_BYTES as u64).map_err(ctx)?;
            handle.sync().map_err(ctx)?;
        }
        Ok(())
    }
}
